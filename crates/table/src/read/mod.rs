//! Reading a table from a file, whatever its format.
//!
//! The format follows from the extension, and from the first bytes where the extension lies. A column of a text table is
//! numeric if nearly every cell that is not missing is a number, boolean if every one is true or false, and text otherwise
//! (see `guess`). Missing cells are empty, `NA`, `N/A`, `null`, `NULL`, `None` or `?`; among numbers and truth values,
//! `-`, `nan`, `unknown`, `#N/A` and the like are missing, too. A written-out infinity is refused rather than guessed at.

mod absent;
#[cfg(feature = "parquet")]
mod arrow;
#[cfg(feature = "parquet")]
mod arrow_column;
#[cfg(feature = "parquet")]
mod arrow_types;
mod cell;
mod contained;
#[cfg(feature = "sheets")]
mod container;
mod csv;
mod csv_pieces;
mod dictionary;
#[cfg(feature = "parquet")]
mod footer;
mod guess;
mod header;
#[cfg(feature = "sheets")]
mod hidden;
#[cfg(feature = "parquet")]
mod ipc;
mod json;
mod json_value;
mod kept;
mod layout;
mod legacy;
mod marks;
mod numbers;
mod options;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_pieces;
#[cfg(feature = "parquet")]
mod parts;
mod pass;
mod pieces;
#[cfg(feature = "sheets")]
mod sheet;
#[cfg(feature = "sheets")]
mod sheet_header;
mod source;
mod texts;
mod times;
#[cfg(feature = "sheets")]
mod workbook;

#[cfg(feature = "parquet")]
pub use arrow::ArrowTable;
pub use cell::is_missing_cell;
pub use contained::contained;
pub(crate) use dictionary::Dictionary;
pub use guess::KindSummary;
use guess::Wanted;
pub use kept::KeptRows;
use numbers::Numbers;
pub use options::{DatesWritten, FileOptions, MissingPolicy, NumbersWritten, ReadOptions, Written};
pub use pieces::{Piece, PiecePlan, PiecesEnd};
use source::Bytes;
pub use source::Source;

use crate::Position;
use crate::error::unknown_column;
use crate::names::{listed, shortened};
use crate::{Frame, NumberStyle, TableError, TableFormat, TimeStyle};
#[cfg(not(feature = "sheets"))]
use absent::sheet;
#[cfg(not(feature = "parquet"))]
use absent::{ipc, parquet, parquet_pieces};
use std::collections::HashSet;
use std::path::Path;

/// The most different texts a feature may have; beyond that a column is an identifier or free text.
pub const MAX_LEVELS: usize = 20_000;

/// Reads the table in the file at `path`: `.csv`, `.tsv`, `.txt`, `.json`, `.jsonl` or `.ndjson` (plain, `.gz` or `.zst`),
/// `.parquet` or `.pq`, `.feather`, `.arrow` or `.ipc`, `.xlsx`, `.xlsm`, `.xlsb`, `.xls` or `.ods`. The path `-` is
/// standard input; it, a pipe or a device is read once, and its format follows from [`FileOptions::format`] or its bytes.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Frame, TableError> {
    Source::at(path)?.read(options)
}

/// The names of the columns of the table in the file at `path`, by the rules of [`read`](fn@read).
pub fn column_names(path: &Path, options: &ReadOptions) -> Result<Vec<String>, TableError> {
    Source::at(path)?.names(options)
}

/// Reads a table from memory, in the format of its bytes or the one that the options name.
pub fn read_table_bytes(bytes: &[u8], options: &ReadOptions) -> Result<Frame, TableError> {
    Source::memory(bytes).read(options)
}

/// Reads a CSV table from memory, compressed or not.
pub fn read_csv_bytes(bytes: &[u8]) -> Result<Frame, TableError> {
    csv::read(&Source::memory(bytes), None, &ReadOptions::default())
}

/// Reads a Parquet table from memory.
#[cfg(feature = "parquet")]
pub fn read_parquet_bytes(bytes: &[u8]) -> Result<Frame, TableError> {
    parquet::read(&Source::memory(bytes), &ReadOptions::default())
}

/// What is done with a column of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Skip,
    Category,
    Text,
    Verbatim,
    Feature(Wanted),
}

/// Checks the header and decides what to do with each column. Also returns the names left out because of `only`.
fn roles(
    file: &str,
    names: &[String],
    options: &ReadOptions,
) -> Result<(Vec<Role>, Vec<String>), TableError> {
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    let written = options.written.iter().map(|(name, _)| name);
    let named = options.categories.iter().chain(&options.text).chain(&options.verbatim).chain(written);
    let must_exist = named.filter(|_| options.only.is_none());
    for name in options.drop.iter().chain(must_exist) {
        if sorted.binary_search(&name.as_str()).is_err() {
            return Err(if header::are_numbers(names) {
                TableError::NoHeader { file: file.to_string(), first: listed(names, ", ", 3) }
            } else {
                unknown_column(name, names.iter().map(String::as_str))
            });
        }
    }
    let set = |names: &'_ [String]| names.iter().cloned().collect::<HashSet<String>>();
    let (drop, only) = (set(&options.drop), options.only.as_deref().map(set));
    let (categories, text, verbatim) = (set(&options.categories), set(&options.text), set(&options.verbatim));
    let wanted = options.wanted();
    let mut ignored = Vec::new();
    let roles = names
        .iter()
        .map(|name| {
            if drop.contains(name) {
                Role::Skip
            } else if only.as_ref().is_some_and(|only| !only.contains(name)) {
                ignored.push(name.clone());
                Role::Skip
            } else if verbatim.contains(name) {
                Role::Verbatim
            } else if text.contains(name) {
                Role::Text
            } else if categories.contains(name) {
                Role::Category
            } else {
                Role::Feature(wanted.get(name.as_str()).copied().unwrap_or_default())
            }
        })
        .collect();
    Ok((roles, ignored))
}

/// What can be wrong with one cell; [`Trouble::at`] adds where the cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    Missing,
    NotANumber,
    NotFinite,
    TooLarge,
    NotUtf8,
    TooManyLevels,
    /// A number in another style than the one that was asked for, or that a model learned.
    OtherDecimal {
        style: NumberStyle,
        asked: bool,
    },
    /// A number of which nothing shows whether its sign is decimal.
    OpenDecimal(NumberStyle),
    /// A date with day and month in another order than a model learned.
    OtherOrder(TimeStyle),
    VectorLength {
        expected: usize,
        found: usize,
    },
}

impl Trouble {
    fn at(self, file: &str, place: Position, column: &str, value: &str) -> TableError {
        let (file, column, value) = (file.to_string(), column.to_string(), shortened(value));
        match self {
            Trouble::Missing => TableError::MissingCell { file, place, column },
            Trouble::NotANumber => TableError::NotANumber { file, place, column, value },
            Trouble::NotFinite => TableError::NotFinite { file, place, column, value },
            Trouble::TooLarge => TableError::TooLarge { file, place, column, value },
            Trouble::NotUtf8 => TableError::NotUtf8 { file, place },
            Trouble::TooManyLevels => TableError::TooManyLevels { column, limit: MAX_LEVELS },
            Trouble::OtherDecimal { style, asked: true } => {
                TableError::OtherDecimal { file, place, column, value, style }
            }
            Trouble::OtherDecimal { style, asked: false } => {
                TableError::UnlikeDecimal { file, place, column, value, style }
            }
            Trouble::OpenDecimal(_) => TableError::OpenDecimal { file, place, column, value },
            Trouble::OtherOrder(style) => {
                TableError::UnlikeDate { file, place, column, value, first: style.first() }
            }
            Trouble::VectorLength { expected, found } => {
                let row = match place {
                    Position::Line(at) | Position::Row(at) => at as usize,
                };
                TableError::VectorLength { column, row, expected, found }
            }
        }
    }
}
