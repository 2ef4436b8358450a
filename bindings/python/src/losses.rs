//! The objectives on scores: value, gradient and curvature, for training loops of other programs.

use crate::failure::{raise, raise_for};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use onesided::loss::{
    LossInfo, Objective, Options, Sampling, Setting, elicited_methods, later_methods, method, methods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

type Scores<'py> = PyReadonlyArray1<'py, f32>;
type Derivatives<'py> = Bound<'py, PyArray1<f32>>;

/// An objective with its prior and options.
#[pyclass(name = "Objective", frozen, module = "onesided._onesided")]
pub struct PyObjective {
    objective: Box<dyn Objective>,
}

#[pymethods]
impl PyObjective {
    #[new]
    #[pyo3(signature = (name, prior=None, labeled_share=None, reduction=None, surrogate=None, beta=None, gamma=None, smoothing=None))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        name: &str,
        prior: Option<f64>,
        labeled_share: Option<f64>,
        reduction: Option<&str>,
        surrogate: Option<&str>,
        beta: Option<f64>,
        gamma: Option<f64>,
        smoothing: Option<f64>,
    ) -> PyResult<Self> {
        let info: &LossInfo = method(name).map_err(|error| raise_for("name", error))?;
        if info.needs_prior && prior.is_none() {
            return Err(PyValueError::new_err(format!(
                "prior_in_unlabeled: the objective '{name}' needs the share of positives among the unlabeled rows"
            )));
        }
        let given = [
            ("reduction", reduction.is_some()),
            ("surrogate", surrogate.is_some()),
            ("beta", beta.is_some()),
            ("gamma", gamma.is_some()),
            ("smoothing", smoothing.is_some()),
        ];
        if let Some((option, _)) = given.iter().find(|(option, given)| *given && !info.reads.contains(option))
        {
            return Err(PyValueError::new_err(format!(
                "{option}: the objective '{name}' has no use for it; leave it out"
            )));
        }
        let mut options = Options::default();
        if let Some(reduction) = reduction {
            options.reduction = reduction
                .parse()
                .map_err(|error: onesided::loss::LossError| raise_for("reduction", error))?;
        }
        if let Some(surrogate) = surrogate {
            options.surrogate = surrogate
                .parse()
                .map_err(|error: onesided::loss::LossError| raise_for("surrogate", error))?;
        }
        options.beta = beta.unwrap_or(options.beta);
        options.gamma = gamma.unwrap_or(options.gamma);
        options.smoothing = smoothing.unwrap_or(options.smoothing);
        let sampling = match labeled_share {
            Some(labeled_share) => Sampling::SingleSample { labeled_share },
            None => Sampling::CaseControl,
        };
        let setting = Setting { prior_in_unlabeled: prior.unwrap_or(0.5), sampling };
        Ok(Self { objective: info.build(&setting, &options).map_err(raise)? })
    }

    /// The value, and the derivative in each score.
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        positive: Scores<'py>,
        unlabeled: Scores<'py>,
    ) -> (f64, Derivatives<'py>, Derivatives<'py>) {
        let (p, u) = (owned(&positive), owned(&unlabeled));
        let (value, grad_p, grad_u) = py.detach(|| {
            let (mut grad_p, mut grad_u) = (vec![0.0; p.len()], vec![0.0; u.len()]);
            let value = self.objective.evaluate(&p, &u, &mut grad_p, &mut grad_u);
            (value, grad_p, grad_u)
        });
        (value, grad_p.into_pyarray(py), grad_u.into_pyarray(py))
    }

    /// A positive stand-in for the second derivative in each score.
    fn curvature<'py>(
        &self,
        py: Python<'py>,
        positive: Scores<'py>,
        unlabeled: Scores<'py>,
    ) -> (Derivatives<'py>, Derivatives<'py>) {
        let (p, u) = (owned(&positive), owned(&unlabeled));
        let (mut curve_p, mut curve_u) = (vec![0.0; p.len()], vec![0.0; u.len()]);
        self.objective.curvature(&p, &u, &mut curve_p, &mut curve_u);
        (curve_p.into_pyarray(py), curve_u.into_pyarray(py))
    }

    fn describe(&self) -> String {
        self.objective.describe()
    }
}

fn owned(scores: &Scores<'_>) -> Vec<f32> {
    scores.as_array().iter().copied().collect()
}

/// Every objective: its name, what it does, where it comes from, whether it needs a prior, whether its second part must be
/// true negatives, and the options it reads.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn objectives() -> Vec<(&'static str, &'static str, &'static str, bool, bool, Vec<&'static str>)> {
    let of = |info: &'static LossInfo| {
        (info.name, info.summary, info.citation, info.needs_prior, info.needs_truth, info.reads.to_vec())
    };
    methods().iter().chain(later_methods()).chain(elicited_methods()).map(of).collect()
}
