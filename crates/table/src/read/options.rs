//! Which columns of a table to read, and how: what the caller says of the file and of its columns.

use super::KeptRows;
use super::guess::Wanted;
use crate::dates::TimeStyle;
use crate::decode::TextEncoding;
use crate::{NumberStyle, TableError, TableFormat};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

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

/// How files are written, where their names and bytes leave it open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FileOptions {
    /// How the bytes of tables and texts are to be read, where they have no mark; UTF-8 if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<TextEncoding>,
    /// The byte between the cells of a text table. If nothing is said, it is a tab in a `.tsv` file, and else what the
    /// first lines show: a comma, a semicolon, a tab or `|`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<u8>,
    /// The format of a table whose name does not tell it; that of its bytes if nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<TableFormat>,
    /// The decimal sign of numbers that are written as texts. If nothing is said, it is what each column's cells show, or, for
    /// a model, that of the table it was fitted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal: Option<NumberStyle>,
    /// Which of day and month comes first in dates such as `01/02/2024`. If nothing is said, it is what each column's cells
    /// show, or, for a model, as in the table it was fitted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_order: Option<TimeStyle>,
    /// The sheet of a spreadsheet, by its name or its number from 1. If nothing is said, it is the one with most of the
    /// columns that are asked for, and of these the first with data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// Whether links in a folder that lead out of it are followed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub follow_links: bool,
}

/// What the cells of a column are and how they are written, where that is known. Other cells are missing, and
/// [`Frame::cells`](crate::Frame::cells) says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// Numbers, as was learned of them or in the style that fits more cells.
    Numbers(Option<NumbersWritten>),
    /// Truth values, of which 0 and 1 are another way to write them.
    Flags,
    /// Dates and times, as was learned of them or in the style that fits most cells.
    Dates(Option<DatesWritten>),
}

/// How the numbers of a column are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumbersWritten {
    /// Their decimal sign.
    pub style: NumberStyle,
    /// Whether they may have signs between groups of digits that could be decimal signs, as in `1,234`.
    pub grouped: bool,
    /// Whether nothing showed the decimal sign.
    pub no_sign: bool,
}

/// How the dates of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatesWritten {
    /// Which of day and month comes first.
    pub style: TimeStyle,
    /// What may be between them, a bit for each sign; 0 is anything.
    pub signs: u8,
}

/// Which columns to read, and how.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Columns to leave out. Naming one that is not there is an error.
    pub drop: Vec<String>,
    /// Columns to read as categories whatever they hold, such as labels. Any number of levels is allowed, and naming one
    /// that is not there is an error unless `only` is given.
    pub categories: Vec<String>,
    /// Columns to read as numbers, truth values or dates whatever they hold.
    pub written: Vec<(String, Written)>,
    /// Columns of texts, kept as they are; a marker of a missing value is a missing text.
    pub text: Vec<String>,
    /// Columns to keep to the byte, such as identifiers: nothing is trimmed, and nothing means "missing".
    pub verbatim: Vec<String>,
    /// If given, no other columns are read; their names go to [`Frame::ignored`](crate::Frame::ignored). What is missing among
    /// them is for the caller to notice.
    pub only: Option<Vec<String>>,
    /// What happens to missing cells of features.
    pub missing: MissingPolicy,
    /// How the file is written.
    pub files: FileOptions,
    /// If given, no other rows are read.
    pub rows: Option<Arc<KeptRows>>,
    /// More columns to know the sheet by.
    pub sheet_with: Vec<String>,
}

impl From<FileOptions> for ReadOptions {
    fn from(files: FileOptions) -> Self {
        Self { files, ..Self::default() }
    }
}

impl ReadOptions {
    /// The same columns of a table that is written as another's options say.
    pub fn written_like(self, other: &ReadOptions) -> Self {
        Self { files: other.files.clone(), sheet_with: other.sheet_with.clone(), ..self }
    }

    /// The columns that the sheet of a spreadsheet should have.
    pub(super) fn of_sheet(&self) -> HashSet<&str> {
        let only = self.only.iter().flatten();
        self.sheet_with.iter().chain(only).chain(&self.categories).map(String::as_str).collect()
    }

    /// What features are to be read as, where that is known. What is said of this file goes before what was learned from another.
    pub(super) fn wanted(&self) -> HashMap<&str, Wanted> {
        let FileOptions { decimal, date_order, .. } = self.files;
        let wanted = |written: &Written| match *written {
            Written::Flags => Wanted::Flags,
            Written::Numbers(learned) => Wanted::Numbers(decimal.or(learned.map(|learned| learned.style))),
            Written::Dates(learned) => Wanted::Times(learned.map(|learned| match date_order {
                Some(_) if learned.style == TimeStyle::Clock => DatesWritten { signs: 0, ..learned },
                Some(style) => DatesWritten { style, signs: 0 },
                None => learned,
            })),
        };
        self.written.iter().map(|(name, written)| (name.as_str(), wanted(written))).collect()
    }

    /// What was learned of how a column's numbers are written, where nothing is said of this file.
    pub(super) fn learned_numbers(&self, name: &str) -> Option<NumbersWritten> {
        self.written.iter().find_map(|(other, written)| match written {
            Written::Numbers(learned) if other == name && self.files.decimal.is_none() => *learned,
            _ => None,
        })
    }
}
