//! Parquet tables, streamed batch by batch.
//!
//! The types are those of the Parquet schema alone: the Arrow schema that some writers embed only says how the same
//! values looked in the writer's memory (dictionary, large or view strings), and ignoring it means fewer types here and
//! one thing less to be corrupt. Nulls are missing cells.

use super::contained::contained;
use super::{Bytes, Dictionary, MAX_LEVELS, MissingPolicy, ReadOptions, Role, Source, Trouble, roles};
use crate::error::Place;
use crate::frame::{Column, Values};
use crate::{DataError, Frame};
use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use ::parquet::file::metadata::ParquetMetaData;
use ::parquet::file::reader::ChunkReader;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_schema::DataType;
use std::fmt::{Display, Write};

/// The first four bytes of every Parquet file.
pub(super) const MAGIC: &[u8] = b"PAR1";

const ROWS_AT_ONCE: usize = 8192;

pub(super) fn read(source: &Source<'_>, options: &ReadOptions) -> Result<Frame, DataError> {
    if source.start()? != MAGIC {
        return Err(DataError::NotParquet { file: source.name.clone() });
    }
    let frame = contained(|| match source.bytes {
        Bytes::File(path) => read_chunks(&source.name, source.open_file(path)?, options),
        Bytes::Memory(bytes) => read_chunks(&source.name, bytes::Bytes::copy_from_slice(bytes), options),
    });
    frame.unwrap_or_else(|panic| Err(corrupt(&source.name, panic)))
}

fn read_chunks(
    file: &str,
    chunks: impl ChunkReader + 'static,
    options: &ReadOptions,
) -> Result<Frame, DataError> {
    let corrupt = |error: &dyn Display| corrupt(file, error);
    let length = chunks.len();
    let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder =
        ParquetRecordBatchReaderBuilder::try_new_with_options(chunks, plain).map_err(|e| corrupt(&e))?;
    check_chunks(builder.metadata(), length).map_err(|e| corrupt(&e))?;
    let schema = builder.schema().clone();
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().trim().to_string()).collect();
    if names.is_empty() {
        return Err(DataError::Empty { file: file.to_string() });
    }
    let (roles, ignored) = roles(file, &names, options)?;
    let kept: Vec<usize> = (0..names.len()).filter(|&at| roles[at] != Role::Skip).collect();
    let mut columns = kept
        .iter()
        .map(|&at| {
            Ok((names[at].as_str(), Store::new(file, &names[at], schema.field(at).data_type(), roles[at])?))
        })
        .collect::<Result<Vec<_>, DataError>>()?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), kept.iter().copied());
    let reader =
        builder.with_projection(mask).with_batch_size(ROWS_AT_ONCE).build().map_err(|e| corrupt(&e))?;

    let refuse = options.missing == MissingPolicy::Refuse;
    let mut rows = 0usize;
    for batch in reader {
        let batch = batch.map_err(|e| corrupt(&e))?;
        if batch.num_columns() != columns.len() {
            return Err(corrupt(&"a column is missing from a row group"));
        }
        for ((name, store), array) in columns.iter_mut().zip(batch.columns()) {
            let refuse = refuse && store.role == Role::Feature;
            store.extend(array.as_ref(), refuse).map_err(|(trouble, at, value)| {
                trouble.at(file, Place::Row((rows + at + 1) as u64), name, &value)
            })?;
        }
        rows += batch.num_rows();
        if rows >= u32::MAX as usize {
            return Err(DataError::TooManyRows { file: file.to_string(), limit: u32::MAX as usize - 1 });
        }
    }
    if rows == 0 {
        return Err(DataError::NoRows { file: file.to_string() });
    }
    let columns = columns
        .into_iter()
        .map(|(name, store)| Column { name: name.to_string(), values: store.cells.finish() })
        .collect();
    Ok(Frame { columns, rows, ignored })
}

fn corrupt(file: &str, error: impl Display) -> DataError {
    let detail = error.to_string().replace(['\n', '\r'], " ");
    DataError::CorruptParquet { file: file.to_string(), detail }
}

/// Checks that every column chunk lies inside the file. The reader takes the offsets of the footer on trust, and its
/// arithmetic on them panics where they are nonsense.
fn check_chunks(metadata: &ParquetMetaData, length: u64) -> Result<(), String> {
    for (at, group) in metadata.row_groups().iter().enumerate() {
        let rows = group.num_rows();
        for chunk in group.columns() {
            let name = chunk.column_descr().name();
            let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
            let numbers =
                [start, chunk.data_page_offset(), chunk.compressed_size(), chunk.num_values(), rows];
            let end = start.checked_add(chunk.compressed_size());
            if numbers.iter().any(|&n| n < 0) || end.is_none_or(|end| end as u64 > length) {
                return Err(format!("row group {}, column '{name}': it lies outside the file", at + 1));
            }
        }
    }
    Ok(())
}

/// A column being filled.
struct Store {
    role: Role,
    cells: Cells,
    /// Reused for every number that is kept as text.
    buffer: String,
}

enum Cells {
    Numbers(Vec<f32>),
    Flags(Vec<Option<bool>>),
    Texts(Dictionary),
}

/// What is wrong with which cell of a batch, and how it reads.
type CellTrouble = (Trouble, usize, String);

impl Store {
    fn new(file: &str, name: &str, kind: &DataType, role: Role) -> Result<Self, DataError> {
        let cells = match (kind, role) {
            (DataType::Utf8, Role::Feature) => Cells::Texts(Dictionary::limited(MAX_LEVELS)),
            (DataType::Utf8, _) => Cells::Texts(Dictionary::default()),
            (kind, role) if kind.is_integer() || kind.is_floating() || is_simple(kind) => {
                match (role, kind) {
                    (Role::Text, _) => Cells::Texts(Dictionary::default()),
                    (_, DataType::Boolean) => Cells::Flags(Vec::new()),
                    _ => Cells::Numbers(Vec::new()),
                }
            }
            (kind, _) => {
                return Err(DataError::UnsupportedType {
                    file: file.to_string(),
                    column: name.to_string(),
                    kind: described(kind),
                });
            }
        };
        Ok(Self { role, cells, buffer: String::new() })
    }

    fn extend(&mut self, array: &dyn Array, refuse: bool) -> Result<(), CellTrouble> {
        /// Pushes an array of a primitive type: as numbers, or as the texts of the numbers.
        macro_rules! push {
            ($arrow:ty, $convert:expr) => {
                for (at, value) in array.as_primitive::<$arrow>().iter().enumerate() {
                    self.push_number(at, value.map(|value| ($convert(value), value)), refuse)?;
                }
            };
        }
        match array.data_type() {
            DataType::Int8 => push!(Int8Type, f64::from),
            DataType::Int16 => push!(Int16Type, f64::from),
            DataType::Int32 => push!(Int32Type, f64::from),
            DataType::Int64 => push!(Int64Type, |x: i64| x as f64),
            DataType::UInt8 => push!(UInt8Type, f64::from),
            DataType::UInt16 => push!(UInt16Type, f64::from),
            DataType::UInt32 => push!(UInt32Type, f64::from),
            DataType::UInt64 => push!(UInt64Type, |x: u64| x as f64),
            DataType::Float16 => push!(Float16Type, f64::from),
            DataType::Float32 => push!(Float32Type, f64::from),
            DataType::Float64 => push!(Float64Type, f64::from),
            DataType::Decimal128(_, scale) => {
                let unit = 10f64.powi(i32::from(*scale));
                for (at, value) in array.as_primitive::<Decimal128Type>().iter().enumerate() {
                    let value = value.map(|value| value as f64 / unit);
                    self.push_number(at, value.map(|value| (value, value)), refuse)?;
                }
            }
            DataType::Null => {
                (0..array.len()).try_for_each(|at| self.push_number::<f64>(at, None, refuse))?
            }
            DataType::Boolean => {
                for (at, value) in array.as_boolean().iter().enumerate() {
                    match &mut self.cells {
                        Cells::Flags(flags) if value.is_some() || !refuse => flags.push(value),
                        Cells::Texts(texts) => match value {
                            Some(true) => texts.push_text("true"),
                            Some(false) => texts.push_text("false"),
                            None => texts.push_missing(),
                        },
                        _ => return Err((Trouble::Missing, at, String::new())),
                    }
                }
            }
            _ => {
                let Cells::Texts(texts) = &mut self.cells else { return Ok(()) };
                let Some(array) = array.as_string_opt::<i32>() else { return Ok(()) };
                for (at, value) in array.iter().enumerate() {
                    match texts.push_cell(value.unwrap_or("").as_bytes()) {
                        Ok(true) if refuse => return Err((Trouble::Missing, at, String::new())),
                        Ok(_) => {}
                        Err(trouble) => return Err((trouble, at, value.unwrap_or("").to_string())),
                    }
                }
            }
        }
        Ok(())
    }

    fn push_number<T: Display>(
        &mut self,
        at: usize,
        value: Option<(f64, T)>,
        refuse: bool,
    ) -> Result<(), CellTrouble> {
        match (&mut self.cells, value) {
            (_, None) if refuse => return Err((Trouble::Missing, at, String::new())),
            (Cells::Numbers(numbers), Some((value, _))) => {
                let narrow = value as f32;
                if !narrow.is_finite() {
                    let trouble = if value.is_finite() { Trouble::TooLarge } else { Trouble::NotFinite };
                    return Err((trouble, at, format!("{value:?}")));
                }
                numbers.push(narrow);
            }
            (Cells::Numbers(numbers), None) => numbers.push(f32::NAN),
            (Cells::Texts(texts), Some((_, value))) => {
                self.buffer.clear();
                // Writing into a string cannot fail.
                let _ = write!(self.buffer, "{value}");
                texts.push_text(&self.buffer);
            }
            (Cells::Texts(texts), None) => texts.push_missing(),
            (Cells::Flags(flags), _) => flags.push(None),
        }
        Ok(())
    }
}

impl Cells {
    fn finish(self) -> Values {
        match self {
            Cells::Numbers(mut numbers) => {
                numbers.shrink_to_fit();
                Values::Numeric(numbers)
            }
            Cells::Flags(flags) => Values::Boolean(flags),
            Cells::Texts(texts) => texts.finish(),
        }
    }
}

fn is_simple(kind: &DataType) -> bool {
    matches!(kind, DataType::Boolean | DataType::Null | DataType::Decimal128(..))
}

/// An unsupported type in the user's words.
fn described(kind: &DataType) -> String {
    match kind {
        DataType::Timestamp(..)
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_) => "dates or times (a number made from them would be)".to_string(),
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => "lists".to_string(),
        DataType::Struct(_) | DataType::Map(..) => "nested records".to_string(),
        DataType::Binary | DataType::FixedSizeBinary(_) => "bytes that are not marked as text".to_string(),
        other => format!("values of type {other}"),
    }
}
