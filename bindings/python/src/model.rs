//! A fitted model: scores, explanations, bytes.

use crate::failure::{raise, raise_for};
use crate::fitting::{Said, notes};
use crate::rows::Rows;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use onesided::{Among, Encoding, KnownRows, Model, RecallTarget, RowKind, ScoredBy};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::path::PathBuf;

/// A number per row.
type Numbers<'py> = Bound<'py, PyArray1<f32>>;

/// A model.
#[pyclass(name = "Model", frozen, module = "onesided._onesided")]
pub struct PyModel {
    model: Model,
    /// The rows that a model was fitted on, from the file beside it.
    beside: Option<KnownRows>,
}

impl PyModel {
    pub fn new(model: Model) -> Self {
        Self { model, beside: None }
    }

    /// The rows that it was fitted on, where they are known.
    fn known(&self) -> Option<&KnownRows> {
        self.model.known_rows().or(self.beside.as_ref())
    }
}

#[pymethods]
impl PyModel {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let model = py.detach(|| Model::load(&path)).map_err(raise)?;
        Ok(Self { model, beside: KnownRows::beside(&path).ok() })
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Model::load_bytes(bytes).map(Self::new).map_err(raise)
    }

    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.model.save(path)).map_err(raise)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.model.to_bytes()).map_err(raise)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The score of each row, and what encoding met.
    fn score<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyTuple>,
        threads: usize,
        device: &str,
    ) -> PyResult<(Numbers<'py>, Vec<Said>)> {
        let device = device.parse().map_err(|error: onesided::net::NetError| raise_for("device", error))?;
        let data = Rows::of(rows)?.encode(py, self.model.encoding())?;
        let said = notes(&data);
        let model = self.model.clone().with_threads(threads).on_device(device);
        let scores = py.detach(|| model.score(&data)).map_err(raise)?;
        Ok((scores.into_pyarray(py), said))
    }

    /// The score to list each row by, out of fold where the model was fitted on it; which rows belong in the list; which are known
    /// to be unlabeled; and what is to be said.
    #[allow(clippy::type_complexity)] // a tuple for Python, taken apart at once
    fn score_list<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyTuple>,
        threads: usize,
        device: &str,
    ) -> PyResult<(Numbers<'py>, Bound<'py, PyArray1<bool>>, Bound<'py, PyArray1<bool>>, Vec<Said>)> {
        let device = device.parse().map_err(|error: onesided::net::NetError| raise_for("device", error))?;
        let data = Rows::of(rows)?.encode(py, self.model.encoding())?;
        let mut said = notes(&data);
        let model = self.model.clone().with_threads(threads).on_device(device);
        let Some(known) = self.known() else {
            let scores = py.detach(|| model.score(&data)).map_err(raise)?;
            let all = |what: bool| vec![what; data.len()].into_pyarray(py);
            return Ok((scores.into_pyarray(py), all(true), all(false), said));
        };
        let mut matcher = known.matcher();
        let scored = py.detach(|| model.score_known(&data, known, &mut matcher)).map_err(raise)?;
        let (kinds, scores): (Vec<RowKind>, Vec<f32>) = scored.into_iter().unzip();
        let fitted = matcher.is_fitted_table();
        let listed: Vec<bool> = kinds.iter().map(|kind| !(fitted && kind.is_labeled())).collect();
        let unlabeled: Vec<bool> =
            kinds.iter().map(|&kind| matcher.among(kind) == Among::Unlabeled).collect();
        said.extend(said_of(known, matcher.found(), if fitted { matcher.labeled() } else { 0 }, fitted));
        Ok((scores.into_pyarray(py), listed.into_pyarray(py), unlabeled.into_pyarray(py), said))
    }

    /// For each row its largest parts, the largest first.
    fn explain<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyTuple>,
        most: usize,
    ) -> PyResult<Vec<Vec<(String, f64)>>> {
        let explainer = self.model.explainer().map_err(raise)?;
        let data = Rows::of(rows)?.encode(py, self.model.encoding())?;
        let row = |row: usize| -> Result<Vec<(String, f64)>, onesided::Error> {
            let parts = explainer.row(&data, row, most)?;
            Ok(parts.into_iter().map(|part| (part.feature, part.value)).collect())
        };
        (0..data.len()).map(row).collect::<Result<_, _>>().map_err(raise)
    }

    /// What the model is and how it came about, as JSON.
    fn about(&self) -> PyResult<String> {
        serde_json::to_string(self.model.about()).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// `tables`, `texts` or `pictures`.
    fn takes(&self) -> &'static str {
        self.model.encoding().takes()
    }

    /// The columns of a table that it reads.
    fn columns(&self) -> Vec<String> {
        match self.model.encoding().as_ref() {
            Encoding::Table(features) => {
                features.columns().iter().map(|column| column.name.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// How many columns it sees.
    fn width(&self) -> usize {
        self.model.encoding().width()
    }

    /// The probabilities of rows with these scores, some of which are known to be unlabeled, and between which they lie over the
    /// interval of an estimated prior.
    fn list_probabilities<'py>(
        &self,
        py: Python<'py>,
        scores: PyReadonlyArray1<'py, f32>,
        unlabeled: PyReadonlyArray1<'py, bool>,
    ) -> (Numbers<'py>, Numbers<'py>, Numbers<'py>) {
        let (mut of_rows, mut low, mut high) = (Vec::new(), Vec::new(), Vec::new());
        for (&score, &unlabeled) in scores.as_array().iter().zip(unlabeled.as_array()) {
            let among = if unlabeled { Among::Unlabeled } else { Among::Population };
            let probability = self.model.probability_among(score, among);
            let range = self.model.probability_range(score, among).unwrap_or((probability, probability));
            of_rows.push(probability);
            low.push(range.0);
            high.push(range.1);
        }
        (of_rows.into_pyarray(py), low.into_pyarray(py), high.into_pyarray(py))
    }

    /// How many of the rows with these scores to review for a recall, as JSON.
    fn review(
        &self,
        py: Python<'_>,
        scores: PyReadonlyArray1<'_, f32>,
        recall: f64,
        confidence: f64,
    ) -> PyResult<String> {
        let target = RecallTarget::new(recall, confidence).map_err(raise)?;
        let list = self.model.review(scores.as_array().to_vec()).map_err(raise)?;
        let review = py.detach(|| list.review(target)).map_err(raise)?;
        serde_json::to_string(&review).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}

/// How rows that the model was fitted on are listed.
fn said_of(known: &KnownRows, found: usize, left_out: usize, fitted: bool) -> Option<Said> {
    let labeled = match left_out {
        0 => String::new(),
        rows => format!("; {rows} labeled ones are left out"),
    };
    match (known.is_complete(), known.by()) {
        _ if found == 0 => None,
        (false, _) if fitted => Some((
            format!(
                "the model has met these very rows and scores them in sample, where a hidden positive may rank low{labeled}; \
                 fit with method=\"auto\" or cross_fit=True keeps scores out of fold"
            ),
            true,
        )),
        (false, _) => None,
        (true, ScoredBy::Method) => Some((
            format!(
                "{found} rows that the model was fitted on are ranked by models that had not met them{labeled}"
            ),
            false,
        )),
        (true, ScoredBy::Prior) => Some((
            format!(
                "{found} rows that the model was fitted on are ranked by the models that the share of positives was estimated \
                 with, which had not met them{labeled}"
            ),
            false,
        )),
    }
}
