//! Parquet tables, streamed batch by batch.
//!
//! The types are those of the Parquet schema alone: the Arrow schema that some writers embed only says how the same
//! values looked in the writer's memory (dictionary, large or view strings), and ignoring it means fewer types here and
//! one thing less to be corrupt. Nulls are missing cells.

use super::cell::is_missing;
use super::contained::contained;
use super::footer::{check_chunks, check_codecs, check_rows};
use super::{
    Bytes, Dictionary, MAX_LEVELS, MissingPolicy, Numbers, ReadOptions, Role, Source, Trouble, Wanted, roles,
    texts,
};
use crate::error::Position;
use crate::frame::{Column, LeftOut, TextColumn, Values, WhyLeftOut};
use crate::{DataError, Frame, check_memory};
use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use ::parquet::file::reader::ChunkReader;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use std::fmt::{Display, Write};

/// The first four bytes of every Parquet file.
pub(super) const MAGIC: &[u8] = b"PAR1";

/// The first four bytes of a Parquet file whose footer is encrypted.
const ENCRYPTED: &[u8] = b"PARE";

/// What a batch may take beside its texts.
pub(super) const BYTES_PER_BATCH: u64 = 16 << 20;

pub(super) fn read(source: &Source<'_>, options: &ReadOptions) -> Result<Frame, DataError> {
    if source.start()? == ENCRYPTED {
        return Err(encrypted(&source.name));
    }
    if source.start()? != MAGIC {
        return Err(DataError::NotParquet { file: source.name.clone() });
    }
    let frame = contained(|| match &source.bytes {
        Bytes::File(path) => read_chunks(&source.name, source.open_file(path)?, options),
        Bytes::Memory(bytes) => read_chunks(&source.name, bytes::Bytes::copy_from_slice(bytes), options),
        Bytes::Read(bytes) => read_chunks(&source.name, bytes.clone(), options),
    });
    frame.unwrap_or_else(|panic| Err(corrupt(&source.name, panic)))
}

/// Whether a file starts like Parquet, encrypted or not.
pub(super) fn is_marked(start: &[u8]) -> bool {
    start == MAGIC || start == ENCRYPTED
}

fn encrypted(file: &str) -> DataError {
    let (file, how) = (file.to_string(), "encrypted".to_string());
    DataError::OtherParquet { file, how, instead: "without encryption" }
}

fn read_chunks(
    file: &str,
    chunks: impl ChunkReader + 'static,
    options: &ReadOptions,
) -> Result<Frame, DataError> {
    let corrupt = |error: &dyn Display| match error.to_string().contains("encryption feature is disabled") {
        true => encrypted(file),
        false => corrupt(file, error),
    };
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
    let mut left_out = Vec::new();
    let kept: Vec<usize> = (0..names.len())
        .filter(|&at| match roles[at] {
            Role::Skip => false,
            Role::Feature(_) if !is_feature(schema.field(at).data_type()) => {
                left_out.push(LeftOut { column: names[at].clone(), why: WhyLeftOut::Type });
                false
            }
            _ => true,
        })
        .collect();
    let mut columns = kept
        .iter()
        .map(|&at| {
            Ok((names[at].as_str(), Store::new(file, &names[at], schema.field(at).data_type(), roles[at])?))
        })
        .collect::<Result<Vec<_>, DataError>>()?;
    check_codecs(file, builder.metadata(), &kept)?;
    let rows_at_once = check_rows(file, builder.metadata(), &kept)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), kept.iter().copied());
    let reader =
        builder.with_projection(mask).with_batch_size(rows_at_once).build().map_err(|e| corrupt(&e))?;

    let refuse = options.missing == MissingPolicy::Refuse;
    let mut rows = 0usize;
    for batch in reader {
        if rows > 0 {
            check_memory(|| format!("'{file}' beyond row {rows}"), BYTES_PER_BATCH)?;
        }
        let batch = batch.map_err(|e| corrupt(&e))?;
        if batch.num_columns() != columns.len() {
            return Err(corrupt(&"a column is missing from a row group"));
        }
        for ((name, store), array) in columns.iter_mut().zip(batch.columns()) {
            let refuse = refuse && matches!(store.role, Role::Feature(_));
            match store.extend(array.as_ref(), refuse) {
                Err((Trouble::TooManyLevels, ..)) => store.give_up(),
                other => other.map_err(|(trouble, at, value)| {
                    trouble.at(file, Position::Row((rows + at + 1) as u64), name, &value)
                })?,
            }
        }
        rows += batch.num_rows();
        if rows >= u32::MAX as usize {
            return Err(DataError::TooManyRows { file: file.to_string(), limit: u32::MAX as usize - 1 });
        }
    }
    if rows == 0 {
        return Err(DataError::NoRows { file: file.to_string() });
    }
    let (mut finished, mut cells) = (Vec::with_capacity(columns.len()), Vec::new());
    for (name, store) in columns {
        let values = match (store.role, store.cells.finish()) {
            (Role::Feature(wanted), Ok(Values::Text(texts))) => {
                let (values, told) = texts::as_kind(&texts, wanted, name, refuse)
                    .map_err(|(trouble, row, value)| trouble.at(file, Position::Row(row), name, &value))?;
                cells.extend(told);
                values
            }
            (_, Ok(values)) => values,
            (_, Err(why)) => {
                left_out.push(LeftOut { column: name.to_string(), why });
                continue;
            }
        };
        finished.push(Column { name: name.to_string(), values });
    }
    Ok(Frame { columns: finished, rows, ignored, left_out, cells, delimiter: None })
}

fn corrupt(file: &str, error: impl Display) -> DataError {
    let detail = error.to_string().replace(['\n', '\r'], " ");
    DataError::CorruptParquet { file: file.to_string(), detail }
}

/// A column being filled.
struct Store {
    role: Role,
    cells: Cells,
    /// Reused for every number that is kept as text.
    buffer: String,
}

enum Cells {
    Numbers(Numbers),
    Flags(Vec<Option<bool>>),
    Categories(Dictionary),
    /// Texts, and whether markers of missing values count.
    Texts(TextColumn, bool),
    Vectors(Vectors),
    LeftOut(WhyLeftOut),
}

/// Lists of numbers; how many each has is known with the first.
#[derive(Default)]
struct Vectors {
    width: Option<usize>,
    /// Missing rows before the first that is there.
    leading: usize,
    values: Vec<f32>,
}

/// What is wrong with which cell of a batch, and how it reads.
type CellTrouble = (Trouble, usize, String);

impl Store {
    fn new(file: &str, name: &str, kind: &DataType, role: Role) -> Result<Self, DataError> {
        let cells = match (kind, role) {
            (kind, Role::Text) if can_be_text(kind) => Cells::Texts(TextColumn::default(), true),
            (kind, Role::Verbatim) if can_be_text(kind) => Cells::Texts(TextColumn::default(), false),
            (kind, Role::Category) if can_be_text(kind) => Cells::Categories(Dictionary::default()),
            // Numbers and truth values that were written as texts are made at the end.
            (DataType::Utf8, Role::Feature(Wanted::Numbers(_) | Wanted::Flags)) => {
                Cells::Texts(TextColumn::default(), true)
            }
            (DataType::Utf8, _) => Cells::Categories(Dictionary::limited(MAX_LEVELS)),
            (DataType::Boolean, _) => Cells::Flags(Vec::new()),
            (kind, _) if can_be_text(kind) => Cells::Numbers(Numbers::missing(0)),
            (kind, Role::Feature(_)) if is_feature(kind) => Cells::Vectors(Vectors::default()),
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
                    let value = value.map(|value| (value as f64 / unit, Decimal { value, scale: *scale }));
                    self.push_number(at, value, refuse)?;
                }
            }
            DataType::List(_) => {
                let lists = array.as_list::<i32>();
                for at in 0..lists.len() {
                    self.push_vector(at, lists.is_valid(at).then(|| lists.value(at)), refuse)?;
                }
            }
            DataType::Null => {
                (0..array.len()).try_for_each(|at| self.push_number::<f64>(at, None, refuse))?
            }
            DataType::Boolean => {
                for (at, value) in array.as_boolean().iter().enumerate() {
                    match &mut self.cells {
                        Cells::Flags(flags) if value.is_some() || !refuse => flags.push(value),
                        Cells::Categories(texts) => match value {
                            Some(value) => texts.push_text(if value { "true" } else { "false" }),
                            None => texts.push_missing(),
                        },
                        Cells::Texts(texts, _) => match value {
                            Some(value) => texts.push(if value { "true" } else { "false" }),
                            None => texts.push_missing(),
                        },
                        Cells::LeftOut(_) => {}
                        _ => return Err((Trouble::Missing, at, String::new())),
                    }
                }
            }
            _ => {
                let Some(array) = array.as_string_opt::<i32>() else { return Ok(()) };
                if let Cells::Texts(texts, markers) = &mut self.cells {
                    for value in array.iter() {
                        match value {
                            Some(text) if !(*markers && is_missing(text.as_bytes().trim_ascii())) => {
                                texts.push(text)
                            }
                            _ => texts.push_missing(),
                        }
                    }
                    return Ok(());
                }
                let Cells::Categories(texts) = &mut self.cells else { return Ok(()) };
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
                narrow(value).map_err(|(trouble, value)| (trouble, at, value))?;
                numbers.push(value);
            }
            (Cells::Numbers(numbers), None) => numbers.push_missing(),
            (Cells::Categories(texts), Some((_, value))) => {
                self.buffer.clear();
                // Writing into a string cannot fail.
                let _ = write!(self.buffer, "{value}");
                texts.push_text(&self.buffer);
            }
            (Cells::Categories(texts), None) => texts.push_missing(),
            (Cells::Texts(texts, _), Some((_, value))) => {
                self.buffer.clear();
                let _ = write!(self.buffer, "{value}");
                texts.push(&self.buffer);
            }
            (Cells::Texts(texts, _), None) => texts.push_missing(),
            (Cells::Flags(flags), _) => flags.push(None),
            (Cells::Vectors(_) | Cells::LeftOut(_), _) => {}
        }
        Ok(())
    }

    fn push_vector(&mut self, at: usize, list: Option<ArrayRef>, refuse: bool) -> Result<(), CellTrouble> {
        let Cells::Vectors(vectors) = &mut self.cells else { return Ok(()) };
        match list {
            None if refuse => Err((Trouble::Missing, at, String::new())),
            None => {
                vectors.push_missing();
                Ok(())
            }
            Some(list) => vectors.push(list.as_ref()).map_err(|(trouble, value)| (trouble, at, value)),
        }
    }

    /// Too many different texts: what was read of them is freed.
    fn give_up(&mut self) {
        if let Cells::Categories(texts) = &self.cells {
            let prose = texts.looks_like_prose();
            self.cells = Cells::LeftOut(if prose { WhyLeftOut::FreeText } else { WhyLeftOut::Identifier });
        }
    }
}

impl Vectors {
    fn push(&mut self, list: &dyn Array) -> Result<(), (Trouble, String)> {
        let width = *self.width.get_or_insert(list.len());
        if list.len() != width || width == 0 {
            let trouble = Trouble::VectorLength { expected: width.max(1), found: list.len() };
            return Err((trouble, String::new()));
        }
        let blank = std::mem::take(&mut self.leading) * width;
        self.values.resize(self.values.len() + blank, f32::NAN);
        if list.null_count() > 0 {
            return Err((Trouble::NotFinite, "null".to_string()));
        }
        /// Pushes the numbers of an array of a primitive type.
        macro_rules! push {
            ($arrow:ty) => {
                for &value in list.as_primitive::<$arrow>().values() {
                    self.values.push(narrow(f64::from(value))?);
                }
            };
        }
        match list.data_type() {
            DataType::Float32 => push!(Float32Type),
            DataType::Float64 => push!(Float64Type),
            _ => push!(Float16Type),
        }
        Ok(())
    }

    fn push_missing(&mut self) {
        match self.width {
            Some(width) => self.values.resize(self.values.len() + width, f32::NAN),
            None => self.leading += 1,
        }
    }
}

/// A number as `f32`, if it is finite as such.
fn narrow(value: f64) -> Result<f32, (Trouble, String)> {
    let narrow = value as f32;
    match narrow.is_finite() {
        true => Ok(narrow),
        false => {
            let trouble = if value.is_finite() { Trouble::TooLarge } else { Trouble::NotFinite };
            Err((trouble, format!("{value:?}")))
        }
    }
}

/// A decimal number to the last digit.
#[derive(Clone, Copy)]
struct Decimal {
    value: i128,
    scale: i8,
}

impl Display for Decimal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Ok(places @ 1..) = usize::try_from(self.scale) else {
            let zeros = usize::from(self.scale.unsigned_abs());
            let zeros = if self.value == 0 || self.scale >= 0 { 0 } else { zeros };
            return write!(f, "{}{}", self.value, "0".repeat(zeros));
        };
        let digits = format!("{:0>width$}", self.value.unsigned_abs(), width = places + 1);
        let (whole, part) = digits.split_at(digits.len() - places);
        write!(f, "{}{whole}.{part}", if self.value < 0 { "-" } else { "" })
    }
}

impl Cells {
    fn finish(self) -> Result<Values, WhyLeftOut> {
        Ok(match self {
            Cells::Numbers(numbers) => numbers.finish(),
            Cells::Flags(flags) => Values::Boolean(flags),
            Cells::Categories(texts) => texts.finish(),
            Cells::Texts(texts, _) => Values::Text(texts),
            Cells::Vectors(Vectors { width: Some(width), values, .. }) => Values::Vectors { width, values },
            // Not one vector: a column of missing cells alone counts as numeric.
            Cells::Vectors(Vectors { leading, .. }) => Values::Numeric(vec![f32::NAN; leading]),
            Cells::LeftOut(why) => return Err(why),
        })
    }
}

/// Whether each cell can be written as one word or number.
fn can_be_text(kind: &DataType) -> bool {
    let simple =
        matches!(kind, DataType::Utf8 | DataType::Boolean | DataType::Null | DataType::Decimal128(..));
    simple || kind.is_integer() || kind.is_floating()
}

/// Whether a column can be learned from: words, numbers, or lists of numbers.
fn is_feature(kind: &DataType) -> bool {
    match kind {
        // Parquet has one type of list, whatever the writer called it.
        DataType::List(item) => item.data_type().is_floating(),
        kind => can_be_text(kind),
    }
}

/// An unsupported type in the user's words.
fn described(kind: &DataType) -> String {
    match kind {
        DataType::Timestamp(..)
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_) => "dates or times".to_string(),
        DataType::List(_) => "lists".to_string(),
        DataType::Struct(_) | DataType::Map(..) => "nested records".to_string(),
        DataType::Binary | DataType::FixedSizeBinary(_) => "bytes that are not marked as text".to_string(),
        other => format!("values of type {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_digit_by_digit() {
        for (value, scale, text) in [
            (120, 2, "1.20"),
            (-5, 2, "-0.05"),
            (5, 3, "0.005"),
            (0, 2, "0.00"),
            (0, 0, "0"),
            (-7, 0, "-7"),
            (12, -3, "12000"),
            (-12, -1, "-120"),
            (0, -3, "0"),
            (i128::MIN, 0, "-170141183460469231731687303715884105728"),
            (i128::MIN, 38, "-1.70141183460469231731687303715884105728"),
        ] {
            assert_eq!(Decimal { value, scale }.to_string(), text);
        }
    }
}
