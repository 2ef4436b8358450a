//! Metrics that need no negatives, from scores.

use crate::failure::raise;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use onesided::eval::{PuInput, probability, without_negatives};
use onesided::{Interval, PriorInUnlabeled, is_cut_off, pu_metrics_by_name};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// A metric, its value and its interval.
type Metric = (&'static str, f64, f64, f64);

/// Each metric with its 95 % interval, and what to know before trusting them.
#[pyfunction]
pub fn pu_metrics(
    py: Python<'_>,
    positive: PyReadonlyArray1<'_, f32>,
    unlabeled: PyReadonlyArray1<'_, f32>,
    threshold: f64,
    prior: Option<f64>,
    resamples: usize,
    seed: u64,
) -> PyResult<(Vec<Metric>, Vec<String>)> {
    let positive: Vec<f32> = positive.as_array().iter().copied().collect();
    let unlabeled: Vec<f32> = unlabeled.as_array().iter().copied().collect();
    let named = |error| PyValueError::new_err(format!("prior_in_unlabeled: {error}"));
    let prior = prior.map(PriorInUnlabeled::new).transpose().map_err(named)?;
    let measured = py.detach(|| {
        let input = PuInput { positive: &positive, unlabeled: &unlabeled, threshold, prior };
        without_negatives(&input, resamples, seed)
    });
    let measured = measured.map_err(raise)?;
    let of = |(name, interval): (&'static str, Interval)| {
        let value = if is_cut_off(name, interval) { f64::NAN } else { interval.value };
        (name, value, interval.low, interval.high)
    };
    Ok((
        pu_metrics_by_name(&measured).into_iter().map(of).collect(),
        measured.warnings.iter().map(ToString::to_string).collect(),
    ))
}

/// The probability of each score, a logit.
#[pyfunction]
pub fn probabilities<'py>(
    py: Python<'py>,
    scores: PyReadonlyArray1<'py, f32>,
    shift: f64,
) -> Bound<'py, PyArray1<f32>> {
    let view = scores.as_array();
    let of = |score: &f32| probability(f64::from(*score) + shift) as f32;
    view.iter().map(of).collect::<Vec<f32>>().into_pyarray(py)
}
