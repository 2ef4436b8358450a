//! Everything that can be wrong with a table, one clear sentence each.
//!
//! A message says what is wrong and where. Names of columns and files appear as the user wrote them. Where a setting
//! would help, [`TableError::hint`] names it, and each front end writes it in its own words.

use crate::names::{listed, shortened};
use crate::{Hint, NumberStyle, Position, Remark};
use std::io;

/// Why a table was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // each variant's fields are named in its message
pub enum TableError {
    // Files.
    /// The path leads nowhere.
    #[error("there is no file '{file}'; check the path")]
    NotFound { file: String },
    /// The path leads to a folder.
    #[error("'{file}' is a folder; name a file inside it")]
    IsFolder { file: String },
    /// The operating system refused.
    #[error("cannot read '{file}': {cause}")]
    Read { file: String, cause: io::Error },
    /// No reader for this extension.
    #[error(
        "'{file}' has no known extension; use .csv, .tsv or .jsonl (plain, .gz or .zst), .parquet, .feather or .xlsx"
    )]
    UnknownExtension { file: String },
    /// A format that the features of this build leave out.
    #[error(
        "'{file}' is {what}, which this build does not read; enable the feature '{feature}', or save it as .csv"
    )]
    NotInBuild { file: String, what: &'static str, feature: &'static str },
    /// Not a byte, or nothing but blank lines.
    #[error("'{file}' is empty; a header line and rows are needed")]
    Empty { file: String },
    /// Column names, but nothing below them.
    #[error("'{file}' has a header but no rows")]
    NoRows { file: String },
    /// More rows than an index can count.
    #[error("'{file}' has more than {limit} rows; split it")]
    TooManyRows { file: String, limit: usize },
    /// More than may be used, or than there is.
    #[error("not enough memory for {what}: it needs about {more} more, and {room} may still be used")]
    Memory { what: String, more: String, room: String },
    /// Not an amount of memory.
    #[error("'{0}' is not an amount of memory; write it such as 2G or 512M")]
    Size(String),
    /// The compressed stream breaks off.
    #[error("'{file}' ends in the middle of its {codec} stream; copy or download it again")]
    Truncated { file: String, codec: &'static str },
    /// The compressed stream makes no sense.
    #[error("'{file}' is not a sound {codec} stream ({cause}); copy or download it again")]
    Corrupt { file: String, codec: &'static str, cause: io::Error },
    /// A sheet that the file does not have.
    #[error("'{file}' has no sheet '{sheet}'; its sheets are {sheets}")]
    NoSheet { file: String, sheet: String, sheets: String },
    /// A sheet was asked for, and the file has none.
    #[error("'{file}' is not a spreadsheet and has no sheets")]
    NoSheets { file: String },
    /// Sheets without a cell.
    #[error("'{file}' has no sheet with data; a header row and rows are needed")]
    EmptySheets { file: String },
    /// A spreadsheet in which no header can be told from the rest.
    #[error(
        "the sheet '{sheet}' of '{file}' has no row that can be its header; leave one row with the names of the columns \
         above the data"
    )]
    SheetHeader { file: String, sheet: String },
    /// A file that is called a spreadsheet.
    #[error("'{file}' is neither a spreadsheet nor a text table; save it again, as .xlsx or .csv")]
    NotASheet { file: String },
    /// A spreadsheet that cannot be read.
    #[error("'{file}' is a spreadsheet that cannot be read ({detail}); save it again, as .xlsx or .csv")]
    CorruptSheet { file: String, detail: String },
    /// A spreadsheet with a password.
    #[error("'{file}' is protected by a password; save it without one")]
    ProtectedSheet { file: String },
    /// A web page that is called a spreadsheet.
    #[error(
        "'{file}' is a web page with the name of a spreadsheet; open it in a spreadsheet program and save it as .xlsx or \
         .csv"
    )]
    PageAsSheet { file: String },
    /// JSON that is not one object per row.
    #[error("'{file}' {place}: {detail}; write one object per line, or one array of objects")]
    NotJson { file: String, place: Position, detail: String },
    /// All of the file in one object.
    #[error(
        "'{file}' holds one object, not one per row; write one object per line, or one array of objects (in pandas, \
         orient=\"records\")"
    )]
    OneObject { file: String },
    /// Objects that share no keys.
    #[error("the objects in '{file}' have more than {limit} different keys and are not rows of one table")]
    TooManyKeys { file: String, limit: usize },
    /// The old Feather format.
    #[error("'{file}' is a Feather file of version 1, which is no longer written; write it as version 2")]
    OldFeather { file: String },
    /// An Arrow file that cannot be read.
    #[error("'{file}' is not a sound Arrow or Feather file ({detail}); write or copy it again")]
    CorruptArrow { file: String, detail: String },
    /// The extension says Parquet, the bytes do not.
    #[error("'{file}' is not a Parquet file; give a text table the extension .csv or .tsv")]
    NotParquet { file: String },
    /// A part of a table with other columns than the first.
    #[error(
        "'{file}' is a part of one table with '{first}', but it {what}; write all parts with the same columns, of the same types and \
         in the same order"
    )]
    PartsDiffer { file: String, first: String, what: String },
    /// A range of rows of something else than Parquet.
    #[error(
        "'{file}' is no Parquet table, of which alone some neighboring rows can be read; write it as Parquet"
    )]
    NoRange { file: String },
    /// Parquet that cannot be read here.
    #[error("'{file}' is a Parquet file that is {how}, which is not read; write it {instead}")]
    OtherParquet { file: String, how: String, instead: &'static str },
    /// It starts like Parquet and goes wrong later.
    #[error("'{file}' is a damaged Parquet file ({detail}); write or copy it again")]
    CorruptParquet { file: String, detail: String },
    /// An unknown kind of file list.
    #[error("{}", crate::names::unknown_name(.what, .found, .known))]
    UnknownWord { what: &'static str, found: String, known: &'static [&'static str] },

    // Headers, lines and cells.
    /// The first line is a row.
    #[error(
        "'{file}' seems to have no header: its first line holds {first}; put a line with the names of the columns above it"
    )]
    NoHeader { file: String, first: String },
    /// A number with the other decimal sign.
    #[error(
        "'{file}' {place}, column '{column}': '{value}' is not a number with {style}, and that was asked for"
    )]
    OtherDecimal { file: String, place: Position, column: String, value: String, style: NumberStyle },
    /// Numbers with another decimal sign than those that a model was fitted on.
    #[error(
        "'{file}' {place}, column '{column}': '{value}' is not a number with {style}, and the model was fitted on such numbers"
    )]
    UnlikeDecimal { file: String, place: Position, column: String, value: String, style: NumberStyle },
    /// A number that is another one with the other decimal sign, in a file that does not show its sign.
    #[error(
        "'{file}' {place}, column '{column}': '{value}' could be a decimal number or have its digits in groups; the model was fitted on \
         numbers without groups, and nothing in the file shows which sign is decimal"
    )]
    OpenDecimal { file: String, place: Position, column: String, value: String },
    /// Dates with day and month in another order than those that a model was fitted on.
    #[error(
        "'{file}' {place}, column '{column}': '{value}' is not written like the dates that the model was fitted on, which have the \
         {first} first"
    )]
    UnlikeDate { file: String, place: Position, column: String, value: String, first: &'static str },
    /// A record without an end in sight.
    #[error(
        "'{file}' {place} is longer than {limit} bytes; check its quotes, its separators and its line ends"
    )]
    LongRecord { file: String, place: Position, limit: u64 },
    /// A name that no column has.
    #[error(
        "column {position} of '{file}' has a name of {length} bytes; check the quotes and separators of its header"
    )]
    LongName { file: String, position: usize, length: usize },
    /// A row with too few or too many cells.
    #[error(
        "'{file}' {place} has {found} cells but the header has {expected}; check its separators and quotes"
    )]
    Ragged { file: String, place: Position, expected: u64, found: u64 },
    /// Text in another encoding.
    #[error("'{file}' {place} is not valid UTF-8")]
    NotUtf8 { file: String, place: Position },
    /// UTF-8 in some places and something else in others.
    #[error("'{file}' {place} is not valid UTF-8, unlike the lines before it; save the file in one encoding")]
    TwoEncodings { file: String, place: Position },
    /// A word among numbers, under [`MissingPolicy::Refuse`](crate::MissingPolicy::Refuse).
    #[error(
        "'{file}' {place}, column '{column}': '{value}' is not a number, unlike the rest of the column, and missing cells \
         are refused; correct it"
    )]
    NotANumber { file: String, place: Position, column: String, value: String },
    /// NaN or an infinity, written out.
    #[error(
        "'{file}' {place}, column '{column}': {value} is not a finite number; leave the cell empty if it is missing"
    )]
    NotFinite { file: String, place: Position, column: String, value: String },
    /// A number beyond the range of `f32`.
    #[error(
        "'{file}' {place}, column '{column}': {value} does not fit a 32-bit float; rescale the column, or leave the \
         cell empty if it is missing"
    )]
    TooLarge { file: String, place: Position, column: String, value: String },
    /// A missing cell under [`MissingPolicy::Refuse`](crate::MissingPolicy::Refuse).
    #[error(
        "'{file}' {place}, column '{column}': the cell is missing, and missing cells are refused; fill it in"
    )]
    MissingCell { file: String, place: Position, column: String },
    /// A text feature with too many different values.
    #[error(
        "column '{column}' has more than {limit} different texts and looks like an identifier or free text"
    )]
    TooManyLevels { column: String, limit: usize },
    /// A Parquet type that is not a feature.
    #[error("column '{column}' of '{file}' holds {kind}, which cannot be used here")]
    UnsupportedType { file: String, column: String, kind: String },
    /// A column asked for by a name that the table does not have.
    #[error("there is no column '{name}'; {hint}")]
    UnknownColumn { name: String, hint: String },

    /// Neither of the two names.
    #[error("{}", crate::names::unknown_name("policy for missing values", .0, &["mean", "refuse"]))]
    UnknownPolicy(String),
    /// Vectors of different lengths in one column.
    #[error("column '{column}', row {row}: the vector has {found} numbers where others have {expected}")]
    VectorLength { column: String, row: usize, expected: usize, found: usize },
    /// A list of another length than the table.
    #[error("there are {found} {what} for {expected} rows")]
    Length { what: &'static str, expected: usize, found: usize },

    /// Two tables with different columns.
    #[error(
        "the files of positives and {other} differ in their columns: {detail}; give both the same columns or drop the others"
    )]
    StackColumns { other: &'static str, detail: String },
    /// Two tables with different types in one column.
    #[error("column '{column}' is {first} in the first file but {second} in the second: convert one of them")]
    StackKinds { column: String, first: &'static str, second: &'static str },

    // Output.
    /// The output could not be written; nothing was left behind.
    #[error("cannot write '{file}': {cause}")]
    Write { file: String, cause: io::Error },
    /// What does not fit into memory could not be written to a temporary file, or not read back.
    #[error("cannot use a temporary file for what does not fit into memory: {cause}")]
    Scratch { cause: io::Error },
    /// No writer for this extension.
    #[error("cannot tell how to write '{file}'; use the extension .csv, .tsv, .jsonl, .parquet or .xlsx")]
    WriteExtension { file: String },
}

impl TableError {
    /// The same error of rows that lie behind this many others.
    pub fn move_by(&mut self, by: usize) {
        if let TableError::VectorLength { row, .. } = self {
            *row += by;
        }
    }

    /// Counts rows from 0 instead of 1, as programs count rows in memory; whether the error names one.
    pub fn count_rows_from_zero(&mut self) -> bool {
        match self {
            TableError::VectorLength { row, .. } => {
                *row = row.saturating_sub(1);
                true
            }
            TableError::NotANumber { place, .. }
            | TableError::NotFinite { place, .. }
            | TableError::TooLarge { place, .. }
            | TableError::OtherDecimal { place, .. }
            | TableError::UnlikeDecimal { place, .. }
            | TableError::OpenDecimal { place, .. }
            | TableError::UnlikeDate { place, .. }
            | TableError::MissingCell { place, .. } => place.count_from_zero(),
            _ => false,
        }
    }

    /// The setting that would help, where one would.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            TableError::TooManyLevels { column, .. }
            | TableError::UnsupportedType { column, .. }
            | TableError::VectorLength { column, .. } => Some(Hint::new("leave it out", "drop", column)),
            TableError::StackKinds { column, .. } => Some(Hint::new("or leave it out", "drop", column)),
            TableError::NotANumber { column, .. } => {
                Some(Hint::new("read the column as categories", "categorical", column))
            }
            TableError::UnlikeDecimal { style, .. } => {
                Some(Hint::new("if that is how it writes numbers, say so", "decimal", style.other().sign()))
            }
            TableError::OpenDecimal { .. } => Some(Hint::new("say which sign is decimal", "decimal", "SIGN")),
            TableError::UnlikeDate { first, .. } => {
                let order = match *first {
                    "day" => "month-first",
                    "month" => "day-first",
                    _ => "day-first|month-first",
                };
                Some(Hint::new("say which comes first in this file", "date-order", order))
            }
            TableError::Memory { .. } => Some(Hint::new("allow more", "memory", "SIZE")),
            TableError::UnknownExtension { .. } => Some(Hint::new("name its format", "format", "NAME")),
            TableError::NotUtf8 { .. } => Some(Hint::new("name its encoding", "encoding", "NAME")),
            _ => None,
        }
    }

    /// A column that is not there, with the sheet that was read where a spreadsheet has others.
    pub fn of_sheet(mut self, remarks: &[Remark]) -> Self {
        if let Some(sheet) = other_sheets(remarks)
            && let TableError::UnknownColumn { hint, .. } = &mut self
        {
            hint.push_str(&sheet);
        }
        self
    }
}

/// ` (the sheet 'a' was read; others are 'b')`, where a spreadsheet has others.
pub fn other_sheets(remarks: &[Remark]) -> Option<String> {
    remarks.iter().find_map(|remark| match remark {
        Remark::Sheets { read, others } => {
            let (read, others) = (shortened(read), listed(others, ", ", 3));
            Some(format!(" (the sheet '{read}' was read; others are {others})"))
        }
        _ => None,
    })
}

/// A hint for [`TableError::UnknownColumn`]: the names closest to the one asked for, or the first few there are.
pub fn unknown_column<'a>(name: &str, there: impl IntoIterator<Item = &'a str>) -> TableError {
    let there: Vec<&str> = there.into_iter().collect();
    let wanted = name.to_lowercase();
    // A name that is far longer is far off, and comparing it would take memory in proportion.
    let longest = 4 * (name.len() + 1);
    let mut near: Vec<(usize, &str)> = there
        .iter()
        .filter(|column| column.len() <= longest)
        .map(|column| (strsim::osa_distance(&wanted, &column.to_lowercase()), *column))
        .filter(|(distance, _)| *distance <= (name.chars().count() + 1) / 3)
        .collect();
    // Of two header rows that are read as one, the lower is what people name.
    let lower = |column: &&&str| {
        column.to_lowercase().strip_suffix(&wanted).is_some_and(|upper| upper.ends_with(' '))
    };
    if near.is_empty() {
        near.extend(there.iter().filter(lower).map(|column| (0, *column)));
    }
    near.sort();
    let near: Vec<&str> = near.into_iter().take(3).map(|(_, column)| column).collect();
    let hint = match (near.is_empty(), there.is_empty()) {
        (false, _) if near.iter().any(|column| column.to_lowercase() == wanted) => {
            let same: Vec<&str> = near.into_iter().filter(|column| column.to_lowercase() == wanted).collect();
            format!("did you mean {}? (only upper and lower case differ)", listed(same, " or ", 3))
        }
        (false, _) => format!("did you mean {}?", listed(near, " or ", 3)),
        (true, false) => format!("the columns are {}", listed(there, ", ", 8)),
        (true, true) => "the table has no columns".to_string(),
    };
    TableError::UnknownColumn { name: name.to_string(), hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_columns_come_with_a_hint() {
        let hint = |name: &str| unknown_column(name, ["label", "age", "income"]).to_string();
        assert_eq!(hint("lable"), "there is no column 'lable'; did you mean 'label'?");
        assert_eq!(hint("y"), "there is no column 'y'; the columns are 'label', 'age', 'income'");
        assert_eq!(
            hint("Label"),
            "there is no column 'Label'; did you mean 'label'? (only upper and lower case differ)"
        );
        assert_eq!(hint("incom"), "there is no column 'incom'; did you mean 'income'?");
        let joined = unknown_column("y", ["who id", "measures a", "label y", "city"]).to_string();
        assert_eq!(joined, "there is no column 'y'; did you mean 'label y'?");
    }
}
