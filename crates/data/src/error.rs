//! Everything that can be wrong with data, one clear sentence each.
//!
//! A message says what is wrong, where, and what to do about it. Names of columns and files appear as the user
//! wrote them; advice such as `--drop NAME` speaks of the command line, and means [`ReadOptions`] in the library.
//!
//! [`ReadOptions`]: crate::ReadOptions

use std::fmt;
use std::io;

/// Where in a file a cell lies: text files have lines, Parquet files only have rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The line of a text file, counted from 1, the header included.
    Line(u64),
    /// The row of a table, counted from 1, the header not included.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// Why data were refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // each variant's fields are named in its message
pub enum DataError {
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
    #[error("'{file}' has no known extension; use .csv or .tsv (plain, .gz or .zst), or .parquet")]
    UnknownExtension { file: String },
    /// Not a byte, or nothing but blank lines.
    #[error("'{file}' is empty; a header line and rows are needed")]
    Empty { file: String },
    /// Column names, but nothing below them.
    #[error("'{file}' has a header but no rows")]
    NoRows { file: String },
    /// More rows than an index can count.
    #[error("'{file}' has more than {limit} rows; split it")]
    TooManyRows { file: String, limit: usize },
    /// The compressed stream breaks off.
    #[error("'{file}' ends in the middle of its {codec} stream; copy or download it again")]
    Truncated { file: String, codec: &'static str },
    /// The compressed stream makes no sense.
    #[error("'{file}' is not a sound {codec} stream ({cause}); copy or download it again")]
    Corrupt { file: String, codec: &'static str, cause: io::Error },
    /// The extension says Parquet, the bytes do not.
    #[error("'{file}' is not a Parquet file; give a text table the extension .csv or .tsv")]
    NotParquet { file: String },
    /// It starts like Parquet and goes wrong later.
    #[error("'{file}' is a damaged Parquet file ({detail}); write or copy it again")]
    CorruptParquet { file: String, detail: String },
    /// A file of a published data set with too few or too many bytes.
    #[error("'{file}' has {found} bytes where the published file has {expected}; copy or download it again")]
    FileSize { file: String, found: u64, expected: u64 },
    /// An image of a class that the set does not have.
    #[error(
        "'{file}' gives image {image} the class {label}, but the classes are 0 to {}; copy or download it again",
        classes - 1
    )]
    ImageLabel { file: String, image: usize, label: u8, classes: usize },
    /// A file of a published data set with the right size and the wrong images.
    #[error(
        "'{file}' counts {found} of class {class} where the published file counts {expected}; it is another file \
         of that name, or damaged"
    )]
    ClassCount { file: String, class: &'static str, found: usize, expected: usize },
    /// A file of a published data set that was cut short.
    #[error("'{file}' ends after {found} bytes, before the end of {what}; copy or download it again")]
    EndsEarly { file: String, found: u64, what: String },
    /// A file of a published data set that is not what its name says.
    #[error("'{file}' is not a sound {format} file: {detail}; copy or download it again")]
    NotFormat { file: String, format: &'static str, detail: String },
    /// A line of a published text file that makes no sense.
    #[error("'{file}' line {line}: {detail}; copy or download it again")]
    BadLine { file: String, line: u64, detail: String },
    /// Too few or too many items in a published file or folder.
    #[error(
        "'{file}' holds {found} {what} where the published set holds {expected}; it is another file of that name, or \
         damaged"
    )]
    ItemCount { file: String, what: &'static str, found: usize, expected: usize },
    /// The path to a folder leads nowhere.
    #[error("there is no folder '{folder}'; check the path")]
    NoFolder { folder: String },
    /// A folder without pictures.
    #[error("'{folder}' holds no .png or .jpg file, nor a folder with some; check the path")]
    NoImages { folder: String },
    /// A picture whose class cannot be told.
    #[error(
        "'{file}' does not tell its class; name it like cat.0.jpg, or put it in a folder with its class's name"
    )]
    NoClassInName { file: String },
    /// More classes than a label can count.
    #[error("'{folder}' holds {found} classes of pictures, and at most {limit} are read; check the path")]
    TooManyClasses { folder: String, found: usize, limit: usize },
    /// A size that no picture can be brought to.
    #[error("pictures cannot be brought to {width} x {height} pixels; choose sides of 1 to {limit} pixels")]
    ImageSize { height: usize, width: usize, limit: usize },
    /// Pictures that cannot be decoded.
    #[error("{count} of {all} pictures cannot be read, first '{file}' ({why}); remove or replace them")]
    UnreadableImages { count: usize, all: usize, file: String, why: String },

    // Headers, lines and cells.
    /// A column without a name, often an index written by pandas.
    #[error("column {position} of '{file}' has no name; name it, or write the table without its index")]
    UnnamedColumn { file: String, position: usize },
    /// Two columns of one name.
    #[error("'{file}' has two columns named '{name}'; rename one of them")]
    DuplicateColumn { file: String, name: String },
    /// A row with too few or too many cells.
    #[error(
        "'{file}' {place} has {found} cells but the header has {expected}; check its separators and quotes"
    )]
    Ragged { file: String, place: Place, expected: u64, found: u64 },
    /// Text in another encoding.
    #[error("'{file}' {place} is not valid UTF-8; save the file as UTF-8")]
    NotUtf8 { file: String, place: Place },
    /// NaN or an infinity, written out.
    #[error(
        "'{file}' {place}, column '{column}': {value} is not a finite number; leave the cell empty if it is missing"
    )]
    NotFinite { file: String, place: Place, column: String, value: String },
    /// A number beyond the range of `f32`.
    #[error(
        "'{file}' {place}, column '{column}': {value} does not fit a 32-bit float; rescale the column, or leave the \
         cell empty if it is missing"
    )]
    TooLarge { file: String, place: Place, column: String, value: String },
    /// A missing cell under [`MissingPolicy::Refuse`](crate::MissingPolicy::Refuse).
    #[error(
        "'{file}' {place}, column '{column}': the cell is missing, and missing cells are refused; fill it in"
    )]
    MissingCell { file: String, place: Place, column: String },
    /// A text feature with too many different values.
    #[error(
        "column '{column}' of '{file}' has more than {limit} different texts and looks like an identifier or free \
         text; drop it with --drop {column}"
    )]
    TooManyLevels { file: String, column: String, limit: usize },
    /// A Parquet type that is no feature.
    #[error(
        "column '{column}' of '{file}' holds {kind}, which is not a feature; drop it with --drop {column}"
    )]
    UnsupportedType { file: String, column: String, kind: String },
    /// A column asked for by a name that the table does not have.
    #[error("there is no column '{name}'; {hint}")]
    UnknownColumn { name: String, hint: String },

    /// Neither of the two names.
    #[error("unknown policy '{0}' for missing values; use mean or refuse")]
    UnknownPolicy(String),

    // Features and matrices.
    /// One value in all rows.
    #[error(
        "column '{column}' has the same value in every row and teaches nothing; drop it with --drop {column}"
    )]
    ConstantColumn { column: String },
    /// Not one value in any row.
    #[error("column '{column}' is empty in every row; drop it with --drop {column}")]
    NoValues { column: String },
    /// No column is left to learn from.
    #[error("no feature columns are left; at least one is needed besides the label")]
    NoFeatures,
    /// The model's columns are not all there.
    #[error("the data lack {missing}, which the model needs; it was fitted on {needed}")]
    LackingColumns { missing: String, needed: String },
    /// A column holds another type than the model was fitted on.
    #[error("column '{column}' was {fitted} when the model was fitted but is {found} here; convert it")]
    KindChanged { column: String, fitted: &'static str, found: &'static str },
    /// A missing value under [`MissingPolicy::Refuse`](crate::MissingPolicy::Refuse).
    #[error("column '{column}' has no value in row {row}, and missing values are refused; fill it in")]
    MissingValue { column: String, row: usize },
    /// A value that is not finite, or not once it is scaled.
    #[error(
        "column '{column}', row {row}: {value} is not a finite number within the range of a 32-bit float"
    )]
    NotFiniteValue { column: String, row: usize, value: f64 },
    /// The buffer of a matrix has the wrong length.
    #[error("a matrix of {rows} x {cols} needs as many values, but {len} were given")]
    Shape { rows: usize, cols: usize, len: usize },
    /// Row starts, columns and values that do not make a sparse matrix.
    #[error("the parts of a sparse matrix do not fit together: {detail}")]
    SparseParts { detail: String },
    /// A matrix of another width than the model's.
    #[error("the model takes {expected} features, but the matrix has {found} columns")]
    Width { expected: usize, found: usize },
    /// A list of another length than the table.
    #[error("there are {found} {what} for {expected} rows")]
    Length { what: &'static str, expected: usize, found: usize },

    // Texts.
    /// Not one term is left.
    #[error(
        "no word or phrase occurs in at least {least} of the {texts} texts; lower that number, or check that the \
         column holds text"
    )]
    NoTerms { texts: usize, least: usize },
    /// Phrases of no words, or of too many.
    #[error(
        "phrases of {low} to {high} words cannot be made; choose lengths between 1 and {limit}, the shorter one first"
    )]
    PhraseLengths { low: usize, high: usize, limit: usize },

    // Labels.
    /// Values outside the accepted pairs.
    #[error(
        "column '{column}' holds {seen}, not 1/0, 1/-1 or true/false; name the positive value with --positive VALUE"
    )]
    LabelValues { column: String, seen: String },
    /// Two ways of writing "unlabeled" in one column.
    #[error("column '{column}' holds both 0 and -1, and only one can mean unlabeled; use 1/0 or 1/-1")]
    ZeroAndMinusOne { column: String },
    /// An empty label.
    #[error(
        "column '{column}' is empty in row {row}; write 0 for unlabeled, or name the positive value with --positive VALUE"
    )]
    MissingLabel { column: String, row: usize },
    /// An empty truth: it cannot be guessed.
    #[error("column '{column}' is empty in row {row}; the truth must be known for every row")]
    MissingTruth { column: String, row: usize },
    /// The named positive value does not occur.
    #[error("no row has '{value}' in column '{column}'; it holds {seen}")]
    NoSuchLabel { column: String, value: String, seen: String },
    /// Not one positive.
    #[error("there are no positives among {rows} rows ({column}); at least one is needed")]
    NoPositives { column: String, rows: usize },
    /// Not one unlabeled row.
    #[error(
        "all {rows} rows are positive ({column}) and none is unlabeled; at least one unlabeled row is needed"
    )]
    NoUnlabeled { column: String, rows: usize },
    /// A truth of one class.
    #[error("column '{column}' has {positive} positives and {negative} negatives; both classes are needed")]
    OneClass { column: String, positive: usize, negative: usize },

    // Two files, splits and batches.
    /// Two tables with different columns.
    #[error("the two files differ in their columns: {detail}; give both the same columns or drop the others")]
    StackColumns { detail: String },
    /// Two tables with different types in one column.
    #[error(
        "column '{column}' is {first} in the first file but {second} in the second; convert it, or drop it with --drop {column}"
    )]
    StackKinds { column: String, first: &'static str, second: &'static str },
    /// A share outside its range.
    #[error("the {what} must lie in {range}, but is {value}")]
    Fraction { what: &'static str, range: &'static str, value: f64 },
    /// Too few rows to split.
    #[error("{count} {what} cannot be split in two; at least 2 are needed")]
    TooFew { what: &'static str, count: usize },
    /// A batch that cannot hold both kinds of rows.
    #[error("a batch of {batch} cannot hold at least {positive} positives and 1 unlabeled row; enlarge it")]
    BatchTooSmall { batch: usize, positive: usize },

    // Output.
    /// The output could not be written; nothing was left behind.
    #[error("cannot write '{file}': {cause}")]
    Write { file: String, cause: io::Error },
    /// No writer for this extension.
    #[error("cannot tell how to write '{file}'; use the extension .csv, .tsv or .parquet")]
    WriteExtension { file: String },
}

/// A hint for [`DataError::UnknownColumn`]: the names closest to the one asked for, or the first few there are.
pub(crate) fn unknown_column<'a>(name: &str, there: impl IntoIterator<Item = &'a str>) -> DataError {
    let there: Vec<&str> = there.into_iter().collect();
    let wanted = name.to_lowercase();
    let mut near: Vec<(usize, &str)> = there
        .iter()
        .map(|column| (edits(&wanted, &column.to_lowercase()), *column))
        .filter(|(distance, _)| *distance <= (name.chars().count() + 1) / 3)
        .collect();
    near.sort();
    let near: Vec<&str> = near.into_iter().take(3).map(|(_, column)| column).collect();
    let hint = match (near.is_empty(), there.is_empty()) {
        (false, _) => format!("did you mean {}?", listed(near, " or ", 3)),
        (true, false) => format!("the columns are {}", listed(there, ", ", 8)),
        (true, true) => "the table has no columns".to_string(),
    };
    DataError::UnknownColumn { name: name.to_string(), hint }
}

/// `'a', 'b', … (12 in all)`: at most `most` names, quoted.
pub(crate) fn listed<S: AsRef<str>>(
    names: impl IntoIterator<Item = S>,
    between: &str,
    most: usize,
) -> String {
    let names: Vec<String> =
        names.into_iter().map(|name| format!("'{}'", shortened(name.as_ref()))).collect();
    if names.len() <= most {
        names.join(between)
    } else {
        format!("{}, … ({} in all)", names[..most].join(between), names.len())
    }
}

/// At most 40 characters of a cell, so that a message stays one sentence whatever the cell holds.
pub(crate) fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(40).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(40).is_some() {
        short.push('…');
    }
    short
}

/// The Levenshtein distance, one row of its table at a time.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distances() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("label", "label"), 0);
    }

    #[test]
    fn unknown_columns_come_with_a_hint() {
        let hint = |name: &str| unknown_column(name, ["label", "age", "income"]).to_string();
        assert_eq!(hint("lable"), "there is no column 'lable'; did you mean 'label'?");
        assert_eq!(hint("y"), "there is no column 'y'; the columns are 'label', 'age', 'income'");
        assert_eq!(hint("Label"), "there is no column 'Label'; did you mean 'label'?");
        assert_eq!(hint("incom"), "there is no column 'incom'; did you mean 'income'?");
    }

    #[test]
    fn long_cells_and_lists_are_cut() {
        assert_eq!(shortened(&"x".repeat(41)), format!("{}…", "x".repeat(40)));
        assert_eq!(listed(["a", "b", "c"], ", ", 2), "'a', 'b', … (3 in all)");
    }
}
