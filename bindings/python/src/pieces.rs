//! Columns of Python objects as pieces of Arrow arrays, so that a table in memory takes the path of a file.

use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, FixedSizeListArray, Float32Array, Float64Array,
    Int32Array, StringArray, TimestampMicrosecondArray, types::Int32Type,
};
use arrow_schema::{DataType, Field, TimeUnit};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, ndarray::ArrayView2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::Arc;

/// Rows per piece: what is copied on the way stays in the cache.
pub const PIECE: usize = 4096;

/// Numbers of a numpy array of any width, read as `f64`.
macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident, $array:ident, $($variant:ident: $type:ty),+) => {
        $(#[$doc])*
        pub enum $name<'py> {
            $($variant($array<'py, $type>)),+
        }

        impl<'py> $name<'py> {
            /// The array as whichever of these it is.
            pub fn of(array: &Bound<'py, PyAny>) -> PyResult<Self> {
                $(if let Ok(array) = array.extract::<$array<'py, $type>>() {
                    return Ok($name::$variant(array));
                })+
                let kind = array.getattr("dtype").and_then(|kind| kind.str()).map(|kind| kind.to_string());
                Err(PyTypeError::new_err(format!("numbers cannot be read from an array of dtype {}",
                    kind.unwrap_or_else(|_| "unknown".to_string()))))
            }
        }
    };
}

numbers!(
    /// A column.
    Numbers1, PyReadonlyArray1,
    F64: f64, F32: f32, I64: i64, I32: i32, I16: i16, I8: i8, U8: u8, U16: u16, U32: u32, U64: u64
);
numbers!(
    /// A matrix.
    Numbers2, PyReadonlyArray2,
    F64: f64, F32: f32, I64: i64, I32: i32, I16: i16, I8: i8, U8: u8, U16: u16, U32: u32, U64: u64
);

/// Does something with whichever array it is.
macro_rules! with_array {
    ($of:ident, $numbers:expr, $array:ident => $work:expr) => {
        match $numbers {
            $of::F64($array) => $work,
            $of::F32($array) => $work,
            $of::I64($array) => $work,
            $of::I32($array) => $work,
            $of::I16($array) => $work,
            $of::I8($array) => $work,
            $of::U8($array) => $work,
            $of::U16($array) => $work,
            $of::U32($array) => $work,
            $of::U64($array) => $work,
        }
    };
}
pub(crate) use with_array;

/// A number of any width as `f64`; the largest whole numbers are rounded, as Python's `float` does.
pub trait AsF64: Copy + Send + Sync {
    fn as_f64(self) -> f64;
}

macro_rules! as_f64 {
    ($($type:ty),+) => { $(impl AsF64 for $type {
        fn as_f64(self) -> f64 { self as f64 }
    })+ };
}
as_f64!(f64, f32, i64, i32, i16, i8, u8, u16, u32, u64);

/// A column of a table in memory.
pub enum Cells<'py> {
    Numbers(Numbers1<'py>),
    /// Truth values, and which of them are missing.
    Flags(PyReadonlyArray1<'py, bool>, Option<PyReadonlyArray1<'py, bool>>),
    /// A list of `str` or `None`.
    Texts(Bound<'py, PyList>),
    /// Positions in a list of levels, -1 where a cell is missing; and the levels as numbers, if that is what they are.
    Codes(PyReadonlyArray1<'py, i32>, Vec<String>, Option<Vec<f64>>),
    Vectors(Numbers2<'py>),
    /// Microseconds since the start of 1970; the least number where a cell is missing, as numpy has it.
    Times(PyReadonlyArray1<'py, i64>),
    /// Intervals and the like, which are not learned from.
    Other,
}

impl<'py> Cells<'py> {
    /// From what `_input.py` says: a word, and what belongs to it.
    pub fn of(kind: &str, given: &Bound<'py, PyAny>, beside: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(match kind {
            "numbers" => Cells::Numbers(Numbers1::of(given)?),
            "flags" => {
                let missing = if beside.is_none() { None } else { Some(beside.extract()?) };
                Cells::Flags(given.extract()?, missing)
            }
            "texts" => Cells::Texts(given.cast::<PyList>()?.clone()),
            "codes" => {
                let (levels, numbers) = beside.extract()?;
                Cells::Codes(given.extract()?, levels, numbers)
            }
            "vectors" => Cells::Vectors(Numbers2::of(given)?),
            "times" => Cells::Times(given.extract()?),
            "other" => Cells::Other,
            other => return Err(PyValueError::new_err(format!("unknown kind of column '{other}'"))),
        })
    }

    /// Its type as a field. Where numbers are asked for, categories that are numbers are no texts.
    pub fn field(&self, name: &str, numeric: bool) -> Field {
        let kind = match self {
            Cells::Codes(_, _, Some(_)) if numeric => DataType::Float64,
            Cells::Numbers(_) => DataType::Float64,
            Cells::Flags(..) => DataType::Boolean,
            Cells::Texts(_) => DataType::Utf8,
            Cells::Codes(..) => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            Cells::Vectors(vectors) => {
                let width = with_array!(Numbers2, vectors, array => array.as_array().ncols());
                DataType::FixedSizeList(Arc::new(item()), width as i32)
            }
            Cells::Times(_) => DataType::Timestamp(TimeUnit::Microsecond, None),
            Cells::Other => DataType::Binary,
        };
        Field::new(name, kind, true)
    }

    /// Hands the cells over, piece by piece.
    pub fn pieces(&self, numeric: bool, mut take: impl FnMut(&dyn Array) -> PyResult<()>) -> PyResult<()> {
        match self {
            Cells::Codes(codes, _, Some(numbers)) if numeric => {
                let number = |&code: &i32| usize::try_from(code).ok().and_then(|at| numbers.get(at).copied());
                take(&codes.as_array().iter().map(number).collect::<Float64Array>())
            }
            Cells::Numbers(numbers) => with_array!(Numbers1, numbers, array => {
                let view = array.as_array();
                let mut cells = view.iter();
                while cells.len() > 0 {
                    let piece: Float64Array = cells.by_ref().take(PIECE).map(|x| Some(x.as_f64())).collect();
                    take(&piece)?;
                }
                Ok(())
            }),
            Cells::Flags(flags, missing) => {
                let missing: Option<Vec<bool>> =
                    missing.as_ref().map(|m| m.as_array().iter().copied().collect());
                let cells: BooleanArray = flags
                    .as_array()
                    .iter()
                    .enumerate()
                    .map(|(row, &flag)| (!missing.as_ref().is_some_and(|m| m[row])).then_some(flag))
                    .collect();
                take(&cells)
            }
            Cells::Texts(list) => {
                let mut piece: Vec<Option<String>> = Vec::with_capacity(PIECE);
                for cell in list.iter() {
                    piece.push(cell.extract()?);
                    if piece.len() == PIECE {
                        take(&StringArray::from(std::mem::take(&mut piece)))?;
                    }
                }
                take(&StringArray::from(piece))
            }
            Cells::Codes(codes, levels, _) => {
                let keys: Int32Array =
                    codes.as_array().iter().map(|&code| (code >= 0).then_some(code)).collect();
                let levels: ArrayRef = Arc::new(StringArray::from_iter_values(levels));
                let coded = DictionaryArray::<Int32Type>::try_new(keys, levels);
                take(&coded.map_err(|error| PyValueError::new_err(error.to_string()))?)
            }
            Cells::Vectors(vectors) => {
                with_array!(Numbers2, vectors, array => vectors_of(array.as_array(), take))
            }
            Cells::Times(times) => {
                let there = |&time: &i64| (time != i64::MIN).then_some(time);
                let cells: TimestampMicrosecondArray = times.as_array().iter().map(there).collect();
                take(&cells)
            }
            Cells::Other => Ok(()),
        }
    }

    pub fn is_read(&self) -> bool {
        !matches!(self, Cells::Other)
    }
}

fn item() -> Field {
    Field::new("item", DataType::Float32, true)
}

fn vectors_of<T: AsF64>(
    view: ArrayView2<'_, T>,
    mut take: impl FnMut(&dyn Array) -> PyResult<()>,
) -> PyResult<()> {
    let values = Float32Array::from_iter_values(view.iter().map(|x| x.as_f64() as f32));
    let list = FixedSizeListArray::try_new(Arc::new(item()), view.ncols() as i32, Arc::new(values), None);
    take(&list.map_err(|error| PyValueError::new_err(error.to_string()))?)
}
