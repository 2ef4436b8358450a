//! Rows that are not positive: of new rows by a model, or of labeled rows by their own labels.

use crate::failure::{raise, raise_for};
use crate::fitting::{DATA, NOTE, Said, as_labels, config, notes_on_read, options, read};
use crate::progress::Watch;
use crate::rows::Rows;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use onesided::data::Label;
use onesided::{Certified, CertifiedRow, Error, Fit, LabelingOdds, Learner, NegativesTarget, TableNegatives};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Mutex;

/// Certified rows column by column (numbers, scores, evidence), what is certified as JSON with a sentence, and what is to be said.
pub type Listed<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<f64>>, String, Vec<Said>);

/// What was asked for.
pub fn target(fdr: f64, labeling_odds: f64) -> PyResult<NegativesTarget> {
    let odds = LabelingOdds::new(labeling_odds).map_err(|error| raise_for("labeling_odds", error))?;
    let target = NegativesTarget::new(fdr).map_err(|error| raise_for("fdr", error))?;
    Ok(target.with_labeling(odds))
}

/// What was certified, for Python.
pub fn listed<'py>(
    py: Python<'py>,
    certified: &Certified,
    rows: &[CertifiedRow],
    mut said: Vec<Said>,
) -> PyResult<Listed<'py>> {
    let mut about = serde_json::json!(certified);
    about["sentence"] = serde_json::json!(certified.to_string());
    said.extend(certified.notes().into_iter().map(|note| (note, NOTE)));
    if certified.certified == 0 {
        said.push((certified.to_string(), DATA));
    }
    let about = serde_json::to_string(&about).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((
        rows.iter().map(|row| row.row as i64).collect::<Vec<_>>().into_pyarray(py),
        rows.iter().map(|row| row.score).collect::<Vec<_>>().into_pyarray(py),
        rows.iter().map(|row| row.evidence).collect::<Vec<_>>().into_pyarray(py),
        about,
        said,
    ))
}

/// Certifies unlabeled rows by the labels of the others: it learns for itself.
#[pyfunction]
#[pyo3(signature = (parts, labels, settings, reading, tell, fdr, labeling_odds, splits, groups=None))]
#[allow(clippy::too_many_arguments)]
pub fn table_negatives<'py>(
    py: Python<'py>,
    parts: Vec<Bound<'py, PyTuple>>,
    labels: PyReadonlyArray1<'py, i8>,
    settings: &Bound<'py, PyDict>,
    reading: &Bound<'py, PyDict>,
    tell: Option<Py<PyAny>>,
    fdr: f64,
    labeling_odds: f64,
    splits: usize,
    groups: Option<PyReadonlyArray1<'py, u32>>,
) -> PyResult<Listed<'py>> {
    let target = target(fdr, labeling_odds)?;
    let learner = Learner::from_config(config(settings)?);
    let options = Fit::new(learner.clone().reserve(None)).reading(options(reading)?);
    let options = options.options(Rows::kind(&parts)?).map_err(raise)?;
    if options.max_unlabeled.is_some() {
        let why = "max_unlabeled: draws unlabeled rows, and each of them is to be looked at; leave it out";
        return Err(PyValueError::new_err(why));
    }
    let labels = as_labels(&labels);
    let groups: Option<Vec<u32>> = groups.map(|groups| groups.as_array().to_vec());
    let parts: Vec<Py<PyTuple>> = parts.into_iter().map(Bound::unbind).collect();
    let mut watch = Watch::new(tell);
    // What reading raised, which the library does not know of.
    let raised = Mutex::new(None);
    let certified = watch.over(py, |observer| {
        let mut again = |unlabel: &[usize]| {
            let mut labels = labels.clone();
            unlabel.iter().for_each(|&row| labels[row] = Label::Unlabeled);
            let data =
                Python::attach(|py| read(py, &parts, labels, false, None, &options)).map(|(data, _)| data);
            let data = data.map_err(|error| {
                *raised.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                Error::NeedsLabels
            })?;
            Ok(match &groups {
                Some(groups) => data.with_groups(groups.clone())?,
                None => data,
            })
        };
        let table = TableNegatives::new(learner.clone(), target).splits(splits);
        table.certify(&mut again, observer)
    })?;
    watch.finish()?;
    if let Some(error) = raised.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(error);
    }
    let certified = certified.map_err(raise)?;
    let said = notes_on_read(&certified.notes);
    listed(py, &certified.certified, &certified.rows, said)
}
