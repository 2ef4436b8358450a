//! Everything that can be wrong with data, one clear sentence each.
//!
//! A message says what is wrong and where. Names of columns and files appear as the user wrote them. Where a setting
//! would help, [`DataError::hint`] names it, and each front end writes it in its own words.

use crate::read::Remark;
use crate::{Hint, NumberStyle, agree, counted, grouped, part_of};
use serde::Serialize;
use std::fmt;
use std::io;

/// Where in a file a cell lies: text files have lines, Parquet files only have rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// The line of a text file, counted from 1, the header included.
    Line(u64),
    /// The row of a table, counted from 1, the header not included.
    Row(u64),
}

impl Position {
    /// Counts a row from 0; lines of a file stay as they are.
    pub(crate) fn count_from_zero(&mut self) -> bool {
        match self {
            Position::Line(_) => false,
            Position::Row(row) => {
                *row = row.saturating_sub(1);
                true
            }
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Line(line) => write!(f, "line {line}"),
            Position::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// Why data were refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // each variant's fields are named in its message
pub enum DataError {
    /// A stream whose bytes show a format that is not read piece by piece.
    #[error("{file} holds objects, a sheet or an Arrow table, and nothing says so")]
    FormatOfStream {
        /// The stream.
        file: String,
    },
    /// An encoding that no training leaves behind.
    #[error("the column '{column}' {what}")]
    Unsound {
        /// The column.
        column: String,
        /// What is wrong with it.
        what: &'static str,
    },
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
    /// A pipe or a device where a file is needed.
    #[error("'{file}' is a pipe or a device, not a regular file; remove it from its folder, or name a file")]
    NotRegular { file: String },
    /// A link to somewhere else.
    #[error("'{file}' is a link that leads out of its folder, and such links are not followed")]
    LinkOut { file: String },
    /// One stream where two tables are needed.
    #[error("'{file}' can be read only once, and is named twice; put one of the two tables into a file")]
    StreamTwice { file: String },
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
    /// Rows of one byte per cell that something else than trees was to learn from.
    #[error("the rows are held as one byte per cell, which only boosted trees learn from")]
    Away,
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
    /// Parquet that cannot be read here.
    #[error("'{file}' is a Parquet file that is {how}, which is not read; write it {instead}")]
    OtherParquet { file: String, how: String, instead: &'static str },
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
    /// Not a shape.
    #[error("'{0}' is not an image shape; write channels, height and width such as 3x32x32")]
    UnknownShape(String),
    /// Columns and image shape that do not fit together.
    #[error("an image of {shape} has {pixels} values, but the table has {found} feature columns")]
    ImageColumns { shape: String, pixels: usize, found: usize },
    /// Pixels that are not numbers.
    #[error("column '{column}' is {kind}, but each column of an image is a pixel")]
    ImageColumn { column: String, kind: &'static str },
    /// Gray or color, and nothing else.
    #[error("pictures in files have 1 channel (gray) or 3 (color), not {0}")]
    ImageChannels(usize),
    /// A model of pictures given something else, or the other way round.
    #[error("the model was fitted on {fitted}, but '{file}' holds {found}; give it {fitted}")]
    OtherInput { fitted: &'static str, found: &'static str, file: String },
    /// A picture where a folder of them is wanted.
    #[error("'{file}' is one picture; give the folder that it is in")]
    OnePicture { file: String },
    /// A folder of tables.
    #[error("'{folder}' is a folder with tables in it; name one, such as '{table}'")]
    FolderOfTables { folder: String, table: String },
    /// A folder in which nothing can be learned from.
    #[error(
        "'{folder}' holds neither pictures (.png, .jpg) nor texts (.txt, .html, or no extension); check the path"
    )]
    NothingToRead { folder: String },
    /// A folder with files of two kinds.
    #[error("'{folder}' holds both pictures and texts ('{picture}', '{text}'); move one kind elsewhere")]
    TwoKinds { folder: String, picture: String, text: String },
    /// A folder where one has texts.
    #[error(
        "cannot read '{path}': a folder of texts holds no folders; name one that has the files themselves"
    )]
    FolderInFolder { path: String },
    /// Two places of different kinds.
    #[error("'{folder}' is a folder and '{other}' is not; give two folders, or two tables")]
    FolderAndFile { folder: String, other: String },
    /// Two folders of different kinds.
    #[error("'{pictures}' holds pictures and '{texts}' texts; give two folders of one kind")]
    FoldersDiffer { pictures: String, texts: String },
    /// One folder, and no way to tell which files are positive.
    #[error(
        "'{folder}' is a folder; name two, of positives and of unlabeled files, or one with a folder per class"
    )]
    OneFolder { folder: String },
    /// Folders that are classes, and no word on which is positive.
    #[error("the folders in '{folder}' are classes ({classes}); say which is positive")]
    WhichClass { folder: String, classes: String },
    /// A class that no folder has.
    #[error("'{folder}' has no folder '{value}'; its folders are {classes}")]
    NoSuchClass { folder: String, value: String, classes: String },
    /// A column asked to be two things.
    #[error("column '{column}' cannot be both {first} and {second}")]
    TwoRoles { column: String, first: &'static str, second: &'static str },
    /// Columns of a place that has none.
    #[error(
        "'{folder}' is a folder and has no column '{column}'; if that is the class of a file, give each class a folder in it and \
         name the positive one"
    )]
    FolderColumn { folder: String, column: String },
    /// Nothing says which rows are positive.
    #[error("nothing says which rows of '{file}' are positive")]
    NoLabelColumn { file: String },
    /// A label column in tables that say by themselves which rows are positive.
    #[error(
        "positives and unlabeled rows are in two tables, so column '{column}' cannot be the label as well"
    )]
    LabelOfTwo { column: String },
    /// Texts of folders, to be found in a table.
    #[error("the model was fitted on folders of texts, and '{file}' is a table")]
    WhichTexts { file: String },
    /// A text column of numbers.
    #[error("column '{column}' holds numbers, not texts, in {}", all_of(*.rows))]
    NumericText { column: String, rows: usize },
    /// An unknown kind of file list.
    #[error("{}", crate::names::unknown_name(.what, .found, .known))]
    UnknownWord { what: &'static str, found: String, known: &'static [&'static str] },
    /// Pictures that cannot be decoded.
    #[error(
        "{} cannot be read, first '{file}' ({why}); remove or replace them",
        part_of(*.count, *.all, "pictures")
    )]
    UnreadableImages { count: usize, all: usize, file: String, why: String },

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
    /// Rows were to be drawn for an audit, and none can be.
    #[error("there is no row to draw: all are labeled, or empty in every column that is learned from")]
    NothingToDraw,
    /// A column asked for by a name that the table does not have.
    #[error("there is no column '{name}'; {hint}")]
    UnknownColumn { name: String, hint: String },

    /// Neither of the two names.
    #[error("{}", crate::names::unknown_name("policy for missing values", .0, &["mean", "refuse"]))]
    UnknownPolicy(String),

    // Features and matrices.
    /// No column is left to learn from.
    #[error(
        "no feature columns are left; at least one that differs between rows is needed besides the label{left_out}"
    )]
    NoFeatures { left_out: String },
    /// Dates were asked for, and there are none.
    #[error(
        "column '{column}' has not one cell that is a date or a time, such as 2024-03-01 or 01.03.2024 16:05"
    )]
    NotDates { column: String },
    /// Vectors of different lengths in one column.
    #[error("column '{column}', row {row}: the vector has {found} numbers where others have {expected}")]
    VectorLength { column: String, row: usize, expected: usize, found: usize },
    /// Sparse rows that would fill the memory.
    #[error(
        "{rows} rows of {cols} columns are too much for a model that takes dense rows, {limit} values in all; keep \
         fewer terms, or use a classic method, which keeps rows sparse"
    )]
    TooWide { rows: usize, cols: usize, limit: usize },
    /// Rows of two kinds.
    #[error("rows of two kinds (numbers, texts, pictures) cannot be put together")]
    StackStores,
    /// Rows that were encoded for something else.
    #[error("the rows were encoded by another encoding than the model's; read or encode them with the model")]
    OtherEncoding,
    /// The model's columns are not all there.
    #[error("the data lack {missing}, which the model needs; it was fitted on {needed}")]
    LackingColumns { missing: String, needed: String },
    /// A column holds another type than the model was fitted on.
    #[error(
        "column '{column}' was {fitted} when the model was fitted but is {found} here{}; convert it",
        example.as_ref().map_or_else(String::new, |(cell, place)| format!(" ('{}' in {place})", shortened(cell)))
    )]
    KindChanged {
        column: String,
        fitted: &'static str,
        found: &'static str,
        /// A cell that shows it, and where it is.
        example: Option<(String, Position)>,
    },
    /// A missing value under [`MissingPolicy::Refuse`](crate::MissingPolicy::Refuse).
    #[error("column '{column}' has no value in row {row}, and missing values are refused; fill it in")]
    MissingValue { column: String, row: usize },
    /// A value that is not finite.
    #[error(
        "column '{column}', row {row}: {value} is not a finite number within the range of a 32-bit float"
    )]
    NotFiniteValue { column: String, row: usize, value: f64 },
    /// A value that is finite, but not once it is scaled.
    #[error(
        "column '{column}', row {row}: {value} is so far from the values that the model was fitted on that it does not fit a \
         32-bit float once it is scaled; correct it"
    )]
    TooFar { column: String, row: usize, value: f64 },
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
        "no word or phrase occurs in at least {least} of the {texts} texts{place}; lower that number, or check that they \
         are texts"
    )]
    NoTerms { texts: usize, least: usize, place: String },
    /// Phrases of no words, or of too many.
    #[error(
        "phrases of {low} to {high} words cannot be made; choose lengths between 1 and {limit}, the shorter one first"
    )]
    PhraseLengths { low: usize, high: usize, limit: usize },

    // Labels.
    /// Values outside the accepted pairs.
    #[error("column '{column}' holds {seen}, not 1/0, 1/-1, true/false or yes/no")]
    LabelValues { column: String, seen: String },
    /// Two ways of writing "unlabeled" in one column.
    #[error("column '{column}' holds both 0 and -1, and only one can mean unlabeled; use 1/0 or 1/-1")]
    ZeroAndMinusOne { column: String },
    /// Three kinds of labels, and nothing that says which is which.
    #[error(
        "column '{column}' holds three kinds of labels ({seen}), and nothing says which means negative and which unlabeled"
    )]
    ThreeLabels { column: String, seen: String, positive: Option<String> },
    /// One value for both classes.
    #[error("'{value}' cannot mean both positive and negative")]
    SameLabel { value: String },
    /// A cell that is not a weight.
    #[error(
        "column '{column}' holds '{found}' in row {row}, and a weight is a number above 0 that 32 bits hold (1.2e-38 to \
         3.4e38); leave out rows that are not to count"
    )]
    Weight { column: String, row: usize, found: String },
    /// A row without a weight.
    #[error("column '{column}' is empty in row {row}, and every row needs a weight, a number above 0")]
    MissingWeight { column: String, row: usize },
    /// Negatives in one of two files, which has no place for them.
    #[error(
        "a folder with a folder per class has no unlabeled rows next to negatives; give positives, unlabeled rows and negatives in three places"
    )]
    NegativeClass,
    /// An empty label.
    #[error(
        "column '{column}' is empty in row {row}, which means unlabeled only where the positive value is named"
    )]
    MissingLabel { column: String, row: usize },
    /// A column of labels without a label.
    #[error(
        "column '{column}' is empty in every row; mark some rows as positive in it, or name the column that holds the labels"
    )]
    NoLabels { column: String },
    /// An empty truth: it cannot be guessed.
    #[error("column '{column}' is empty in row {row}; the truth must be known for every row")]
    MissingTruth { column: String, row: usize },
    /// The named positive value does not occur.
    #[error("no row has '{value}' in column '{column}'; it holds {seen}")]
    NoSuchLabel { column: String, value: String, seen: String },
    /// Not one positive.
    #[error("there are no positives among {} ({column}); at least one is needed", counted(*.rows, "rows"))]
    NoPositives { column: String, rows: usize },
    /// Not one unlabeled row.
    #[error(
        "{} {} positive ({column}) and none is unlabeled; at least one unlabeled row is needed",
        all_of(*.rows),
        agree(*.rows, "is", "are")
    )]
    NoUnlabeled { column: String, rows: usize },
    /// Every row is labeled: nothing is left to learn from without labels.
    #[error(
        "{} {} labeled ({column}; {} of them negative) and none is unlabeled; at least one unlabeled row is needed, or the \
         method supervised",
        all_of(*.rows),
        agree(*.rows, "is", "are"),
        grouped(*.negative)
    )]
    AllLabeled { column: String, rows: usize, negative: usize },
    /// A truth of one class.
    #[error(
        "column '{column}' has {} and {}; both classes are needed",
        counted(*.positive, "positives"),
        counted(*.negative, "negatives")
    )]
    OneClass { column: String, positive: usize, negative: usize },

    // Two files, splits and batches.
    /// Two tables with different columns.
    #[error(
        "the files of positives and {other} differ in their columns: {detail}; give both the same columns or drop the others"
    )]
    StackColumns { other: &'static str, detail: String },
    /// Two tables with different types in one column.
    #[error("column '{column}' is {first} in the first file but {second} in the second: convert one of them")]
    StackKinds { column: String, first: &'static str, second: &'static str },
    /// A share outside its range.
    #[error("the {what} must lie in {range}, but is {value}")]
    Fraction { what: &'static str, range: &'static str, value: f64 },
    /// Too few rows to split.
    #[error("{} cannot be split in two; at least 2 are needed", counted(*.count, .what))]
    TooFew { what: &'static str, count: usize },
    /// A batch that cannot hold both kinds of rows.
    #[error(
        "a batch of {batch} cannot hold at least {} and 1 unlabeled row; enlarge it",
        counted(*.positive, "positives")
    )]
    BatchTooSmall { batch: usize, positive: usize },

    // Output.
    /// The output could not be written; nothing was left behind.
    #[error("cannot write '{file}': {cause}")]
    Write { file: String, cause: io::Error },
    /// What does not fit into memory could not be written to a temporary file, or not read back.
    #[error("cannot use a temporary file for what does not fit into memory: {cause}")]
    Scratch { cause: io::Error },
    /// No writer for this extension.
    #[error("cannot tell how to write '{file}'; use the extension .csv, .tsv, .parquet or .xlsx")]
    WriteExtension { file: String },
}

impl DataError {
    /// The same error of rows that lie behind this many others.
    pub(crate) fn moved(mut self, by: usize) -> Self {
        match &mut self {
            DataError::VectorLength { row, .. }
            | DataError::MissingValue { row, .. }
            | DataError::NotFiniteValue { row, .. }
            | DataError::TooFar { row, .. }
            | DataError::Weight { row, .. }
            | DataError::MissingWeight { row, .. } => *row += by,
            DataError::KindChanged { example: Some((_, Position::Row(row))), .. } => *row += by as u64,
            _ => {}
        }
        self
    }

    /// Counts rows from 0 instead of 1, as programs count rows in memory; whether the error names one.
    pub fn count_rows_from_zero(&mut self) -> bool {
        match self {
            DataError::VectorLength { row, .. }
            | DataError::MissingValue { row, .. }
            | DataError::NotFiniteValue { row, .. }
            | DataError::TooFar { row, .. }
            | DataError::Weight { row, .. }
            | DataError::MissingWeight { row, .. } => {
                *row = row.saturating_sub(1);
                true
            }
            DataError::NotANumber { place, .. }
            | DataError::NotFinite { place, .. }
            | DataError::TooLarge { place, .. }
            | DataError::OtherDecimal { place, .. }
            | DataError::UnlikeDecimal { place, .. }
            | DataError::OpenDecimal { place, .. }
            | DataError::UnlikeDate { place, .. }
            | DataError::MissingCell { place, .. }
            | DataError::KindChanged { example: Some((_, place)), .. } => place.count_from_zero(),
            _ => false,
        }
    }

    /// The setting that would help, where one would.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            DataError::TooManyLevels { column, .. }
            | DataError::UnsupportedType { column, .. }
            | DataError::LabelOfTwo { column }
            | DataError::VectorLength { column, .. } => Some(Hint::new("leave it out", "drop", column)),
            DataError::StackKinds { column, .. } => Some(Hint::new("or leave it out", "drop", column)),
            DataError::FormatOfStream { .. } => Some(Hint::new("name its format", "format", "json")),
            DataError::NumericText { .. } => Some(Hint::new("name a column of texts", "text", "COLUMN")),
            DataError::LabelValues { .. } | DataError::MissingLabel { .. } | DataError::WhichClass { .. } => {
                Some(Hint::new("name the positive value", "positive", "VALUE"))
            }
            DataError::ThreeLabels { .. } => {
                Some(Hint::new("name the one that means negative", "negative", "VALUE"))
            }
            DataError::NotANumber { column, .. } => {
                Some(Hint::new("read the column as categories", "categorical", column))
            }
            DataError::UnlikeDecimal { style, .. } => {
                Some(Hint::new("if that is how it writes numbers, say so", "decimal", style.other().sign()))
            }
            DataError::OpenDecimal { .. } => Some(Hint::new("say which sign is decimal", "decimal", "SIGN")),
            DataError::UnlikeDate { first, .. } => {
                let order = match *first {
                    "day" => "month-first",
                    "month" => "day-first",
                    _ => "day-first|month-first",
                };
                Some(Hint::new("say which comes first in this file", "date-order", order))
            }
            DataError::Memory { .. } => Some(Hint::new("allow more", "memory", "SIZE")),
            DataError::LinkOut { .. } => {
                Some(Hint { act: "follow them".into(), setting: "follow-links", value: None })
            }
            DataError::UnknownExtension { .. } => Some(Hint::new("name its format", "format", "NAME")),
            DataError::NoLabelColumn { .. } => Some(Hint::new("name the label column", "label", "COLUMN")),
            DataError::WhichTexts { .. } => Some(Hint::new("name its column of texts", "text", "COLUMN")),
            DataError::NoFeatures { left_out }
                if left_out.contains("order of rows") || left_out.contains("whole number") =>
            {
                Some(Hint::new("keep a measurement", "numeric", "COLUMN"))
            }
            DataError::NoFeatures { left_out } if left_out.contains("free text") => {
                Some(Hint::new("learn from texts", "text", "COLUMN"))
            }
            DataError::TooWide { .. } => Some(Hint::new("limit the terms", "max-terms", "N")),
            DataError::NotUtf8 { .. } => Some(Hint::new("name its encoding", "encoding", "NAME")),
            _ => None,
        }
    }

    /// The same of texts in one column among others.
    pub(crate) fn of_column(self, column: &str) -> Self {
        match self {
            DataError::NoTerms { texts, least, .. } => {
                DataError::NoTerms { texts, least, place: format!(" of column '{column}'") }
            }
            other => other,
        }
    }
}

impl DataError {
    /// A column that is not there, with the sheet that was read where a spreadsheet has others.
    pub(crate) fn of_sheet(mut self, remarks: &[Remark]) -> Self {
        let sheet = remarks.iter().find_map(|remark| match remark {
            Remark::Sheets { read, others } => Some((shortened(read), listed(others, ", ", 3))),
            _ => None,
        });
        if let Some((read, others)) = sheet
            && let DataError::UnknownColumn { hint: text, .. }
            | DataError::LackingColumns { needed: text, .. } = &mut self
        {
            text.push_str(&format!(" (the sheet '{read}' was read; others are {others})"));
        }
        self
    }
}

/// A hint for [`DataError::UnknownColumn`]: the names closest to the one asked for, or the first few there are.
pub(crate) fn unknown_column<'a>(name: &str, there: impl IntoIterator<Item = &'a str>) -> DataError {
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
    DataError::UnknownColumn { name: name.to_string(), hint }
}

/// `all 12 rows`.
fn all_of(rows: usize) -> String {
    if rows == 1 { "the only row".to_string() } else { format!("all {}", counted(rows, "rows")) }
}

/// `'a', 'b', … (12 in all)`: at most `most` names, quoted.
pub(crate) fn listed<S: AsRef<str>>(
    names: impl IntoIterator<Item = S>,
    between: &str,
    most: usize,
) -> String {
    let mut names = names.into_iter();
    let shown: Vec<String> =
        names.by_ref().take(most).map(|name| format!("'{}'", shortened(name.as_ref()))).collect();
    match names.count() {
        0 => shown.join(between),
        more => format!("{}, … ({} in all)", shown.join(between), shown.len() + more),
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

    #[test]
    fn long_cells_and_lists_are_cut() {
        assert_eq!(shortened(&"x".repeat(41)), format!("{}…", "x".repeat(40)));
        assert_eq!(listed(["a", "b", "c"], ", ", 2), "'a', 'b', … (3 in all)");
    }
}
