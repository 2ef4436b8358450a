//! A fitted model: scores, explanations, bytes.

use crate::failure::{raise, raise_for};
use crate::fitting::{Said, notes};
use crate::rows::Rows;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use onesided::{Encoding, Model, RecallTarget};
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
}

impl PyModel {
    pub fn new(model: Model) -> Self {
        Self { model }
    }
}

#[pymethods]
impl PyModel {
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| Model::load(path)).map(Self::new).map_err(raise)
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

    /// Between which probabilities those of rows with these scores lie over the interval of an estimated prior.
    fn probability_ranges<'py>(
        &self,
        py: Python<'py>,
        scores: PyReadonlyArray1<'py, f32>,
    ) -> Option<(Numbers<'py>, Numbers<'py>)> {
        let range = |score: &f32| self.model.probability_range(*score);
        let (low, high): (Vec<f32>, Vec<f32>) =
            scores.as_array().iter().map(range).collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some((low.into_pyarray(py), high.into_pyarray(py)))
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
