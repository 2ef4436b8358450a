//! A draw of the unlabeled rows of a table in memory (`max_unlabeled`): the drawn ones are learned from, the others calibrate.

use crate::failure::{raise_for, raise_reading};
use crate::rows::{Kept, Raise, Rows};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use onesided::data::{DataError, Frame, KeptRows, Label, ReadOptions, TableError, draw_unlabeled, stack};
use onesided::{Dataset, Encoding, Error, InputOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::{Arc, Mutex};

/// Rows of which some were drawn.
pub struct Draw {
    parts: Vec<Part>,
    labels: Vec<Label>,
    weights: Option<Vec<f32>>,
    drawn: KeptRows,
    /// What Python raised while the rest was encoded.
    raised: Mutex<Option<PyErr>>,
}

/// A table, and how many rows it has.
struct Part {
    table: Table,
    rows: usize,
}

/// A table that any thread may look at.
enum Table {
    Python(Py<PyTuple>),
    Batches(SchemaRef, Vec<RecordBatch>),
}

impl Draw {
    /// Draws, if `options` ask for it and there are more unlabeled rows than that. Otherwise the rows come back.
    #[allow(clippy::type_complexity)] // one or the other, taken apart at once
    pub fn of<'py>(
        given: &[Bound<'py, PyTuple>],
        rows: Vec<Rows<'py>>,
        labels: &[Label],
        weights: Option<&[f32]>,
        options: &InputOptions,
    ) -> PyResult<Result<Self, Vec<Rows<'py>>>> {
        let Some(most) = options.max_unlabeled else { return Ok(Err(rows)) };
        let Some(drawn) = draw_unlabeled(labels, most, options.seed) else { return Ok(Err(rows)) };
        let mut parts = Vec::new();
        for (given, rows) in given.iter().zip(rows) {
            let held = rows.held()?;
            let rows = held.rows();
            let table = match held {
                Rows::Batches(schema, batches) => Table::Batches(schema, batches),
                _ => Table::Python(given.clone().unbind()),
            };
            parts.push(Part { table, rows });
        }
        let expected = parts.iter().map(|part| part.rows).sum();
        if expected != labels.len() {
            let error = DataError::from(TableError::Length { what: "labels", expected, found: labels.len() });
            return Err(raise_for("y", error));
        }
        let weights = weights.map(<[f32]>::to_vec);
        Ok(Ok(Self { parts, labels: labels.to_vec(), weights, drawn, raised: Mutex::new(None) }))
    }

    /// Learns the encoding of the drawn rows.
    pub fn learn(&self, py: Python<'_>, options: &InputOptions) -> PyResult<Dataset> {
        let raise = |error| raise_reading(options, error);
        let frame = self.frame(py, &options.read_options(), true, &raise)?;
        let learned =
            py.detach(|| options.learn_drawn(frame, &self.labels, self.weights.as_deref(), &self.drawn));
        learned.map_err(raise)
    }

    /// The rows that were not drawn, encoded. What Python raises is [kept](Self::raised).
    pub fn rest(&self, encoding: &Arc<Encoding>) -> Result<Dataset, Error> {
        let Encoding::Table(features) = encoding.as_ref() else {
            return Err(DataError::OtherEncoding.into());
        };
        let raise = |error| raise_for("X", error);
        let frame = match Python::attach(|py| self.frame(py, &features.read_options(), false, &raise)) {
            Ok(frame) => frame,
            Err(error) => {
                *self.raised.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(error);
                return Err(DataError::OtherEncoding.into());
            }
        };
        let data = encoding.encode_frame(frame)?;
        let Some(weights) = &self.weights else { return Ok(data) };
        let rest = weights.iter().enumerate().filter(|(row, _)| !self.drawn.contains(*row));
        Ok(data.with_weights(rest.map(|(_, &weight)| weight).collect())?)
    }

    /// What Python raised, if it did.
    pub fn raised(self) -> Option<PyErr> {
        self.raised.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The rows that were drawn, or the others.
    fn frame(&self, py: Python<'_>, options: &ReadOptions, drawn: bool, raise: Raise) -> PyResult<Frame> {
        let (mut frames, mut first) = (Vec::new(), 0);
        for part in &self.parts {
            let start = first;
            first += part.rows;
            let kept: Kept = &|row| self.drawn.contains(start + row) == drawn;
            if !(0..part.rows).any(kept) {
                continue;
            }
            let mut rows = match &part.table {
                Table::Python(given) => Rows::of(given.bind(py))?,
                Table::Batches(schema, batches) => Rows::Batches(schema.clone(), batches.clone()),
            };
            frames.push(rows.frame(py, options, Some(kept), raise)?);
        }
        let mut frames = frames.into_iter();
        let Some(first) = frames.next() else { return Err(PyValueError::new_err("X: nothing was given")) };
        frames.try_fold(first, stack).map_err(|error| raise(error.into()))
    }
}
