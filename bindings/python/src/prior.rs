//! The share of positives, estimated.

use crate::failure::{raise, raise_for};
use crate::fitting::{Said, as_labels, config, notes, options, read};
use crate::progress::Watch;
use numpy::PyReadonlyArray1;
use onesided::prior::{CrossFitting, PriorReport, PriorScorer, estimators as all};
use onesided::{Learner, estimators_by_name, prior_as_json, prior_lines, prior_warnings};
use onesided_report::Intervals;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::time::Instant;

/// What the estimators say.
#[pyclass(name = "Prior", frozen, module = "onesided._onesided")]
pub struct PyPrior {
    report: PriorReport,
    seconds: f64,
}

#[pymethods]
impl PyPrior {
    /// All of it, as JSON.
    fn about(&self) -> String {
        prior_as_json(&self.report, self.seconds, &prior_warnings(&self.report))
    }

    /// The estimates as a picture.
    fn svg(&self) -> String {
        Intervals::shares(prior_lines(&self.report)).to_svg()
    }

    /// The estimates as a picture.
    fn png<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &Intervals::shares(prior_lines(&self.report)).to_png()?))
    }
}

/// Estimates the share of positives among the unlabeled rows.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn estimate_prior<'py>(
    py: Python<'py>,
    parts: Vec<Bound<'py, PyTuple>>,
    labels: PyReadonlyArray1<'py, i8>,
    apart: bool,
    names: Vec<String>,
    scorer: &str,
    settings: &Bound<'py, PyDict>,
    reading: &Bound<'py, PyDict>,
    tell: Option<Py<PyAny>>,
) -> PyResult<(PyPrior, Vec<Said>)> {
    let started = Instant::now();
    let config = config(settings)?;
    let mut chosen = estimators_by_name(&names).map_err(|error| raise_for("estimator", error))?;
    let scorer: PriorScorer = scorer.parse().map_err(|error: onesided::Error| raise_for("scorer", error))?;
    chosen.cross_fitting = CrossFitting { scorer, ..CrossFitting::default() };
    let (labels, options) = (as_labels(&labels), options(reading)?);
    let parts: Vec<Py<PyTuple>> = parts.into_iter().map(Bound::unbind).collect();
    let mut watch = Watch::new(tell);
    let estimated = watch.over(py, |observer| {
        let (data, _) = Python::attach(|py| read(py, &parts, labels, apart, None, &options))?;
        let said = notes(&data);
        let learner = Learner::from_config(config).prior_settings(chosen);
        Ok::<_, PyErr>((learner.estimate_prior_with(&data, observer), said))
    })?;
    watch.finish()?;
    let (report, said) = estimated?;
    let report = report.map_err(raise)?;
    Ok((PyPrior { report, seconds: started.elapsed().as_secs_f64() }, said))
}

/// Every estimator: its name, what it is, where it comes from and what it assumes.
#[pyfunction]
pub fn estimators() -> Vec<(String, String, String, String)> {
    let of = |one: &&'static dyn onesided::prior::Estimator| {
        let info = one.info();
        (info.name.to_string(), info.title.to_string(), info.citation.to_string(), info.assumes.to_string())
    };
    all().iter().map(of).collect()
}
