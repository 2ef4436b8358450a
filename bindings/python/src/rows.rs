//! What `_input.py` found X to be, as a [`Dataset`]: learned from, or encoded as a model's own rows were.

use crate::failure::{raise_for, raise_reading};
use crate::pieces::{AsF64, Cells, Numbers2, PIECE, with_array};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, RecordBatch, RecordBatchReader,
    ffi_stream::RecordBatchStreamReader,
};
use arrow_pyarrow::FromPyArrow;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use arrow_select::filter::filter;
use numpy::ndarray::{ArrayView2, Axis, Slice};
use numpy::{PyReadonlyArray1, PyReadonlyArray4};
use onesided::data::Frame;
use onesided::data::{
    ArrowTable, DataError, Features, Label, PictureShape, Pictures, ReadOptions, SparseMatrix, Written, stack,
};
use onesided::{Dataset, Encoding, InputOptions, RowsAre};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::path::PathBuf;
use std::sync::Arc;

/// What errors call a table in memory.
const X: &str = "X";

/// How an error of reading is raised.
pub type Raise<'r> = &'r dyn Fn(DataError) -> PyErr;

/// Whether a row of a table is taken.
pub type Kept<'k> = &'k (dyn Fn(usize) -> bool + Sync);

/// Rows in memory.
pub enum Rows<'py> {
    /// Numbers, and the names of their columns.
    Matrix(Numbers2<'py>, Vec<String>),
    /// Columns of different kinds.
    Columns(Vec<(String, Cells<'py>)>, usize),
    /// Record batches of another program.
    Stream(Option<RecordBatchStreamReader>),
    /// Those record batches, held to be looked at again.
    Batches(SchemaRef, Vec<RecordBatch>),
    Sparse(SparseMatrix, Vec<String>),
    Texts(Vec<String>),
    Files(Vec<PathBuf>),
    Pictures(Pictures),
}

impl<'py> Rows<'py> {
    /// From a word and what belongs to it.
    pub fn of(given: &Bound<'py, PyTuple>) -> PyResult<Self> {
        let kind: String = given.get_item(0)?.extract()?;
        let part = |at: usize| given.get_item(at);
        Ok(match kind.as_str() {
            "matrix" => Rows::Matrix(Numbers2::of(&part(1)?)?, part(2)?.extract()?),
            "columns" => {
                let mut columns = Vec::new();
                for column in part(1)?.try_iter()? {
                    let (name, kind, cells, beside): (String, String, Bound<'py, PyAny>, Bound<'py, PyAny>) =
                        column?.extract()?;
                    columns.push((name, Cells::of(&kind, &cells, &beside)?));
                }
                Rows::Columns(columns, part(2)?.extract()?)
            }
            "stream" => Rows::Stream(Some(RecordBatchStreamReader::from_pyarrow_bound(&part(1)?)?)),
            "sparse" => {
                let starts: PyReadonlyArray1<'py, i64> = part(1)?.extract()?;
                let columns: PyReadonlyArray1<'py, u32> = part(2)?.extract()?;
                let values: PyReadonlyArray1<'py, f32> = part(3)?.extract()?;
                let names: Vec<String> = part(4)?.extract()?;
                let starts = starts.as_array().iter().map(|&start| start as usize).collect();
                let columns = columns.as_array().iter().copied().collect();
                let values = values.as_array().iter().copied().collect();
                let matrix = SparseMatrix::new(names.len(), starts, columns, values);
                Rows::Sparse(matrix.map_err(|error| raise_for(X, error))?, names)
            }
            "texts" => Rows::Texts(part(1)?.extract()?),
            "files" => Rows::Files(part(1)?.extract()?),
            "pictures" => {
                let pixels: PyReadonlyArray4<'py, u8> = part(1)?.extract()?;
                let view = pixels.as_array();
                let (_, height, width, channels) = view.dim();
                let shape = PictureShape { channels, height, width };
                Rows::Pictures(Pictures { shape, bytes: view.iter().copied().collect() })
            }
            other => return Err(PyValueError::new_err(format!("unknown kind of rows '{other}'"))),
        })
    }

    /// What the rows that were given are.
    pub fn kind(parts: &[Bound<'py, PyTuple>]) -> PyResult<RowsAre> {
        let first = parts.first().ok_or_else(|| PyValueError::new_err("X: nothing was given"))?;
        Ok(match first.get_item(0)?.extract::<String>()?.as_str() {
            "files" | "pictures" => RowsAre::Pictures,
            "texts" | "sparse" => RowsAre::Sparse,
            _ => RowsAre::Table,
        })
    }

    pub fn is_table(&self) -> bool {
        matches!(self, Rows::Matrix(..) | Rows::Columns(..) | Rows::Stream(_) | Rows::Batches(..))
    }

    /// The same, which can be looked at more than once.
    pub fn held(self) -> PyResult<Self> {
        match self {
            Rows::Stream(Some(reader)) => {
                let schema = reader.schema();
                let batches = reader.collect::<Result<Vec<_>, _>>();
                let batches = batches.map_err(|error| PyValueError::new_err(format!("X: {error}")))?;
                Ok(Rows::Batches(schema, batches))
            }
            other => Ok(other),
        }
    }

    /// How many rows a table has; a stream does not tell.
    pub fn rows(&self) -> usize {
        match self {
            Rows::Matrix(numbers, _) => with_array!(Numbers2, numbers, array => array.as_array().nrows()),
            Rows::Columns(_, rows) => *rows,
            Rows::Batches(_, batches) => batches.iter().map(RecordBatch::num_rows).sum(),
            _ => 0,
        }
    }

    /// Learns the encoding of these rows. Several parts are positives, unlabeled rows and known negatives.
    pub fn learn(
        py: Python<'py>,
        mut parts: Vec<Rows<'py>>,
        labels: Vec<Label>,
        options: &InputOptions,
    ) -> PyResult<Dataset> {
        let raise = |error: DataError| raise_reading(options, error);
        if parts.iter().all(Rows::is_table) {
            let read = options.read_options();
            let frames = parts.iter_mut().map(|part| part.frame(py, &read, None, &raise));
            let frames = frames.collect::<PyResult<Vec<Frame>>>()?;
            // The arrays may go before anything is learned.
            drop(parts);
            let mut frames = frames.into_iter();
            let Some(first) = frames.next() else {
                return Err(PyValueError::new_err("X: nothing was given"));
            };
            let frame = frames.try_fold(first, stack).map_err(|error| raise(error.into()))?;
            return py.detach(|| options.learn_labeled(frame, labels)).map_err(raise);
        }
        let Some(rows) = parts.pop() else { return Err(PyValueError::new_err("X: nothing was given")) };
        let learned = match rows {
            Rows::Texts(texts) => {
                py.detach(|| Dataset::from_texts(&texts, &options.text_options())?.with_labels(labels))
            }
            Rows::Sparse(matrix, names) => {
                let encoding: Encoding = Features::unscaled(names).into();
                Dataset::from_encoded(matrix, Arc::new(encoding)).and_then(|data| data.with_labels(labels))
            }
            Rows::Pictures(pictures) => {
                Dataset::from_pictures(pictures).and_then(|data| data.with_labels(labels))
            }
            Rows::Files(files) => py.detach(|| options.read_pictures(&files, &labels)),
            // Tables were taken above.
            Rows::Matrix(..) | Rows::Columns(..) | Rows::Stream(_) | Rows::Batches(..) => {
                Err(DataError::OtherEncoding)
            }
        };
        learned.map_err(raise)
    }

    /// These rows as a model's own were encoded.
    pub fn encode(self, py: Python<'py>, encoding: &Arc<Encoding>) -> PyResult<Dataset> {
        self.encode_as(py, encoding, |frame| encoding.encode_frame(frame))
    }

    /// The same with keys of their cells, where they are a table.
    pub fn encode_with_keys(self, py: Python<'py>, encoding: &Arc<Encoding>) -> PyResult<Dataset> {
        self.encode_as(py, encoding, |frame| encoding.encode_with_keys(frame))
    }

    fn encode_as(
        mut self,
        py: Python<'py>,
        encoding: &Arc<Encoding>,
        of_frame: impl Fn(Frame) -> Result<Dataset, DataError> + Send + Sync,
    ) -> PyResult<Dataset> {
        let raise = |error: DataError| raise_for(X, error);
        let other = |found: &str| {
            PyValueError::new_err(format!(
                "X: the model was fitted on {}, and these are {found}",
                encoding.takes()
            ))
        };
        match (&mut self, encoding.as_ref()) {
            (Rows::Texts(texts), Encoding::Text(_)) => {
                py.detach(|| encoding.encode_texts(texts)).map_err(raise)
            }
            (Rows::Texts(texts), Encoding::Table(features))
                if features.columns().len() == 1 && features.has_texts() =>
            {
                let name = features.columns()[0].name.clone();
                let options = features.read_options();
                let schema = Schema::new(vec![Field::new(name, DataType::Utf8, true)]);
                let mut table = ArrowTable::new(X, &schema, &options).map_err(|error| raise(error.into()))?;
                let cells = arrow_array::StringArray::from_iter_values(texts.iter());
                table.push(0, &cells).map_err(|error| raise(error.into()))?;
                let frame = table.finish(texts.len()).map_err(|error| raise(error.into()))?;
                py.detach(|| of_frame(frame)).map_err(raise)
            }
            (Rows::Files(files), Encoding::Image(_)) => {
                py.detach(|| encoding.encode_picture_files(files)).map_err(raise)
            }
            (Rows::Pictures(pictures), Encoding::Image(image)) => {
                if pictures.shape != image.image {
                    return Err(PyValueError::new_err(format!(
                        "X: the model was fitted on pictures of {}, and these are of {}",
                        image.image, pictures.shape
                    )));
                }
                let bytes = std::mem::take(&mut pictures.bytes);
                encoding.encode_pictures(Pictures { shape: pictures.shape, bytes }).map_err(raise)
            }
            (Rows::Sparse(matrix, _), Encoding::Table(_)) => {
                if matrix.cols() != encoding.width() {
                    return Err(PyValueError::new_err(format!(
                        "X has {} features, but the model is expecting {} features as input",
                        matrix.cols(),
                        encoding.width()
                    )));
                }
                let matrix = matrix.clone();
                Dataset::from_encoded(matrix, encoding.clone()).map_err(raise)
            }
            (
                Rows::Matrix(..) | Rows::Columns(..) | Rows::Stream(_) | Rows::Batches(..),
                Encoding::Table(features),
            ) => {
                let frame = self.frame(py, &features.read_options(), None, &raise)?;
                drop(self);
                py.detach(|| of_frame(frame)).map_err(raise)
            }
            (Rows::Texts(_), _) => Err(other("texts")),
            (Rows::Files(_) | Rows::Pictures(_), _) => Err(other("pictures")),
            _ => Err(other("tables")),
        }
    }

    /// A table as a frame, or some of its rows.
    pub fn frame(
        &mut self,
        py: Python<'py>,
        options: &ReadOptions,
        kept: Option<Kept>,
        raise: Raise,
    ) -> PyResult<Frame> {
        match self {
            Rows::Matrix(numbers, names) => with_array!(Numbers2, numbers, array => {
                let view = array.as_array();
                py.detach(|| matrix_frame(view, names, options, kept)).map_err(raise)
            }),
            Rows::Columns(columns, rows) => {
                let numeric = |name: &str| {
                    options
                        .written
                        .iter()
                        .any(|(other, written)| other == name && matches!(written, Written::Numbers(_)))
                };
                let fields: Vec<Field> =
                    columns.iter().map(|(name, cells)| cells.field(name, numeric(name))).collect();
                let mut table =
                    ArrowTable::new(X, &Schema::new(fields), options).map_err(|error| raise(error.into()))?;
                let read = table.columns();
                for (at, (name, cells)) in columns.iter().enumerate() {
                    if read.contains(&at) && cells.is_read() {
                        let mut first = 0;
                        cells.pieces(numeric(name), |piece| {
                            let some = chosen(piece, first, kept)?;
                            first += piece.len();
                            table
                                .push(at, some.as_deref().unwrap_or(piece))
                                .map_err(|error| raise(error.into()))
                        })?;
                    }
                }
                table.finish(count(*rows, kept)).map_err(|error| raise(error.into()))
            }
            Rows::Stream(reader) => {
                let Some(reader) = reader.take() else { return Err(PyValueError::new_err("X: read twice")) };
                let schema = reader.schema();
                let mut table = ArrowTable::new(X, &schema, options).map_err(|error| raise(error.into()))?;
                let read = table.columns();
                let mut rows = 0;
                for batch in reader {
                    let batch = batch.map_err(|error| PyValueError::new_err(format!("X: {error}")))?;
                    for &at in &read {
                        table.push(at, batch.column(at).as_ref()).map_err(|error| raise(error.into()))?;
                    }
                    rows += batch.num_rows();
                }
                table.finish(rows).map_err(|error| raise(error.into()))
            }
            Rows::Batches(schema, batches) => {
                let mut table = ArrowTable::new(X, schema, options).map_err(|error| raise(error.into()))?;
                let read = table.columns();
                let mut first = 0;
                for batch in batches.iter() {
                    for &at in &read {
                        let cells = batch.column(at).as_ref();
                        let some = chosen(cells, first, kept)?;
                        table
                            .push(at, some.as_deref().unwrap_or(cells))
                            .map_err(|error| raise(error.into()))?;
                    }
                    first += batch.num_rows();
                }
                table.finish(count(first, kept)).map_err(|error| raise(error.into()))
            }
            _ => Err(PyValueError::new_err("X: these rows are not a table")),
        }
    }
}

/// A matrix as columns; some rows at a time, because a matrix lies row by row most of the time.
fn matrix_frame<T: AsF64>(
    view: ArrayView2<'_, T>,
    names: &[String],
    options: &ReadOptions,
    kept: Option<Kept>,
) -> Result<Frame, DataError> {
    let field = |name: &String| Field::new(name, DataType::Float64, true);
    let mut table = ArrowTable::new(X, &Schema::new(names.iter().map(field).collect::<Vec<_>>()), options)?;
    let read = table.columns();
    let rows = view.nrows();
    for start in (0..rows).step_by(PIECE) {
        let piece = view.slice_axis(Axis(0), Slice::from(start..rows.min(start + PIECE)));
        for &at in &read {
            let column = piece.column(at);
            let cells: Vec<f64> = match kept {
                None => column.iter().map(|x| x.as_f64()).collect(),
                Some(kept) => {
                    let some = column.iter().enumerate().filter(|(row, _)| kept(start + row));
                    some.map(|(_, x)| x.as_f64()).collect()
                }
            };
            table.push(at, &Float64Array::from(cells) as &dyn Array)?;
        }
    }
    Ok(table.finish(count(rows, kept))?)
}

/// How many of this many rows are taken.
fn count(rows: usize, kept: Option<Kept>) -> usize {
    kept.map_or(rows, |kept| (0..rows).filter(|&row| kept(row)).count())
}

/// The cells of the rows that are taken, the first cell being that of row `first`; `None` where all are.
fn chosen(cells: &dyn Array, first: usize, kept: Option<Kept>) -> PyResult<Option<ArrayRef>> {
    let Some(kept) = kept else { return Ok(None) };
    let mask: BooleanArray = (first..first + cells.len()).map(|row| Some(kept(row))).collect();
    filter(cells, &mask).map(Some).map_err(|error| PyValueError::new_err(format!("X: {error}")))
}
