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
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "parquet")]
mod parquet_pieces;
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
use guess::{Dates, Wanted};
pub use kept::KeptRows;
use numbers::Numbers;
pub use pieces::{Piece, PiecePlan, PiecesEnd};
use source::Bytes;
pub use source::Source;

use crate::Position;
use crate::dates::TimeStyle;
use crate::decode::TextEncoding;
use crate::error::unknown_column;
use crate::names::{listed, shortened};
use crate::{Frame, NumberStyle, TableError, TableFormat};
#[cfg(not(feature = "sheets"))]
use absent::sheet;
#[cfg(not(feature = "parquet"))]
use absent::{ipc, parquet, parquet_pieces};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

/// The most different texts a feature may have; beyond that a column is an identifier or free text.
pub const MAX_LEVELS: usize = 20_000;

/// What happens to a missing cell of a feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingPolicy {
    /// A missing number or truth value becomes the mean of the training rows (0 after scaling), a missing text no
    /// level at all.
    #[default]
    Mean,
    /// A missing cell is an error that says where it is.
    Refuse,
}

impl MissingPolicy {
    /// The policy as a sentence, for reports.
    pub fn description(self) -> &'static str {
        match self {
            MissingPolicy::Mean => "missing values become the training mean, missing texts no level",
            MissingPolicy::Refuse => "missing values are refused",
        }
    }
}

impl fmt::Display for MissingPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MissingPolicy::Mean => "mean",
            MissingPolicy::Refuse => "refuse",
        })
    }
}

impl FromStr for MissingPolicy {
    type Err = TableError;

    fn from_str(s: &str) -> Result<Self, TableError> {
        match s {
            "mean" => Ok(MissingPolicy::Mean),
            "refuse" => Ok(MissingPolicy::Refuse),
            _ => Err(TableError::UnknownPolicy(s.to_string())),
        }
    }
}

/// Which columns to read, and how.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Columns to leave out. Naming one that is not there is an error.
    pub drop: Vec<String>,
    /// Columns to read as categories whatever they hold, such as labels. Any number of levels is allowed, and naming one
    /// that is not there is an error unless `only` is given.
    pub categories: Vec<String>,
    /// Columns to read as numbers whatever they hold, in a style or in the one that fits more cells: other cells are
    /// missing, and [`Frame::cells`] says so.
    pub numeric: Vec<(String, Option<NumberStyle>)>,
    /// Of these, columns whose numbers may have signs between groups of digits that could be decimal signs, as in `1,234`.
    pub grouped: Vec<String>,
    /// Of these, columns of which nothing showed the decimal sign.
    pub no_sign: Vec<String>,
    /// Columns to read as truth values, of which 0 and 1 are another way to write them: other cells are missing.
    pub boolean: Vec<String>,
    /// Columns to read as dates and times, in a style or in the one that fits most cells: other cells are missing.
    pub times: Vec<(String, Option<TimeStyle>)>,
    /// Of these, what may be between day and month, a bit for each sign; 0 is anything.
    pub date_signs: Vec<(String, u8)>,
    /// Columns of texts, kept as they are; a marker of a missing value is a missing text.
    pub text: Vec<String>,
    /// Columns to keep to the byte, such as identifiers: nothing is trimmed, and nothing means "missing".
    pub verbatim: Vec<String>,
    /// If given, no other columns are read; their names go to [`Frame::ignored`]. What is missing among them is for
    /// the caller to notice.
    pub only: Option<Vec<String>>,
    /// What happens to missing cells of features.
    pub missing: MissingPolicy,
    /// How the bytes of a text table are to be read where they have no mark; UTF-8 if nothing is said.
    pub encoding: Option<TextEncoding>,
    /// The format of a table whose name does not tell it; that of its bytes if nothing is said.
    pub format: Option<TableFormat>,
    /// The byte between the cells of a text table. If nothing is said, it is a tab in a `.tsv` file, and else what the
    /// first lines show: a comma, a semicolon, a tab or `|`.
    pub delimiter: Option<u8>,
    /// If given, no other rows are read.
    pub rows: Option<Arc<KeptRows>>,
    /// The decimal sign of numbers that are written as texts; that of each column's cells if nothing is said.
    pub decimal: Option<NumberStyle>,
    /// Which of day and month comes first in dates such as `01/02/2024`; what each column's cells show if nothing is said.
    pub date_order: Option<TimeStyle>,
    /// The sheet of a spreadsheet, by its name or its number from 1. If nothing is said, it is the one with most of the
    /// columns that are asked for, and of these the first with data.
    pub sheet: Option<String>,
    /// More columns to know the sheet by.
    pub sheet_with: Vec<String>,
}

/// Reads the table in the file at `path`: `.csv`, `.tsv`, `.txt`, `.json`, `.jsonl` or `.ndjson` (plain, `.gz` or `.zst`),
/// `.parquet` or `.pq`, `.feather`, `.arrow` or `.ipc`, `.xlsx`, `.xlsm`, `.xlsb`, `.xls` or `.ods`. The path `-` is
/// standard input; it, a pipe or a device is read once, and its format follows from [`ReadOptions::format`] or its bytes.
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

impl ReadOptions {
    /// The same columns of a table that is written as another's options say.
    pub fn written_like(self, other: &ReadOptions) -> Self {
        Self {
            encoding: other.encoding,
            delimiter: other.delimiter,
            format: other.format,
            decimal: other.decimal,
            date_order: other.date_order,
            sheet: other.sheet.clone(),
            sheet_with: other.sheet_with.clone(),
            ..self
        }
    }

    /// The columns that the sheet of a spreadsheet should have.
    fn of_sheet(&self) -> HashSet<&str> {
        let only = self.only.iter().flatten();
        self.sheet_with.iter().chain(only).chain(&self.categories).map(String::as_str).collect()
    }

    /// What features are to be read as, where that is known.
    fn wanted(&self) -> HashMap<&str, Wanted> {
        let boolean = self.boolean.iter().map(|name| (name.as_str(), Wanted::Flags));
        // What is said of this file goes before what was learned from another.
        let style = |style: Option<NumberStyle>| self.decimal.or(style);
        let numeric =
            self.numeric.iter().map(|(name, found)| (name.as_str(), Wanted::Numbers(style(*found))));
        let order = |style: Option<TimeStyle>| match style {
            Some(TimeStyle::Clock) | None => style,
            learned => self.date_order.or(learned),
        };
        let signs = |name: &String| match self.date_order {
            Some(_) => 0,
            None => self.date_signs.iter().find(|(other, _)| other == name).map_or(0, |(_, signs)| *signs),
        };
        let times = self.times.iter().map(|(name, style)| {
            let dates = order(*style).map(|style| Dates { style, signs: signs(name) });
            (name.as_str(), Wanted::Times(dates))
        });
        boolean.chain(numeric).chain(times).collect()
    }
}

/// Checks the header and decides what to do with each column. Also returns the names left out because of `only`.
fn roles(
    file: &str,
    names: &[String],
    options: &ReadOptions,
) -> Result<(Vec<Role>, Vec<String>), TableError> {
    let mut sorted: Vec<&str> = names.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    let numeric =
        options.numeric.iter().map(|(name, _)| name).chain(options.times.iter().map(|(name, _)| name));
    let named = options.categories.iter().chain(&options.text).chain(&options.verbatim).chain(numeric);
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
