//! Everything that can be wrong with data, one clear sentence each.
//!
//! A message says what is wrong and where. Names of columns and files appear as the user wrote them. Where a setting
//! would help, [`DataError::hint`] names it, and each front end writes it in its own words.

use onesided_table::{
    Hint, LeftOut, Position, Remark, TableError, WhyLeftOut, agree, counted, grouped, other_sheets, part_of,
    shortened, unknown_name,
};

fn setting_names() -> Vec<&'static str> {
    crate::READING.iter().map(|setting| setting.name).collect()
}

/// Why data were refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // each variant's fields are named in its message
pub enum DataError {
    /// What is wrong with the table or its file.
    #[error(transparent)]
    Table(#[from] TableError),
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
    /// A pipe or a device where a file is needed.
    #[error("'{file}' is a pipe or a device, not a regular file; remove it from its folder, or name a file")]
    NotRegular { file: String },
    /// A link to somewhere else.
    #[error("'{file}' is a link that leads out of its folder, and such links are not followed")]
    LinkOut { file: String },
    /// One stream where two tables are needed.
    #[error("'{file}' can be read only once, and is named twice; put one of the two tables into a file")]
    StreamTwice { file: String },
    /// Rows of one byte per cell that something else than trees was to learn from.
    #[error("the rows are held as one byte per cell, which only boosted trees learn from")]
    Away,
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
    /// A value that a setting of reading does not take.
    #[error("{setting} must be {must}, but is '{found}'")]
    Setting { setting: &'static str, must: String, found: String },
    /// A setting of reading that does not exist.
    #[error("{}", unknown_name("setting of reading", .name, &setting_names()))]
    NoSetting { name: String },
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
    /// Pictures that cannot be decoded.
    #[error(
        "{} cannot be read, first '{file}' ({why}); remove or replace them",
        part_of(*.count, *.all, "pictures")
    )]
    UnreadableImages { count: usize, all: usize, file: String, why: String },

    /// Rows were to be drawn for an audit, and none can be.
    #[error("there is no row to draw: all are labeled, or empty in every column that is learned from")]
    NothingToDraw,

    // Features and matrices.
    /// No column is left to learn from.
    #[error(
        "no feature columns are left; at least one that differs between rows is needed besides the label{}",
        said_of(left_out)
    )]
    NoFeatures { left_out: Vec<LeftOut> },
    /// Dates were asked for, and there are none.
    #[error(
        "column '{column}' has not one cell that is a date or a time, such as 2024-03-01 or 01.03.2024 16:05"
    )]
    NotDates { column: String },
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
    /// A share outside its range.
    #[error("the {what} must lie in {range}, but is {value}")]
    Fraction { what: &'static str, range: &'static str, value: f64 },
    /// Too few rows to split.
    #[error("{} cannot be split in two; at least 2 are needed", counted(*.count, .what))]
    TooFew { what: &'static str, count: usize },
}

impl DataError {
    /// The same error of rows that lie behind this many others.
    pub(crate) fn moved(mut self, by: usize) -> Self {
        match &mut self {
            DataError::Table(error) => error.move_by(by),
            DataError::MissingValue { row, .. }
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
            DataError::Table(error) => error.count_rows_from_zero(),
            DataError::MissingValue { row, .. }
            | DataError::NotFiniteValue { row, .. }
            | DataError::TooFar { row, .. }
            | DataError::Weight { row, .. }
            | DataError::MissingWeight { row, .. } => {
                *row = row.saturating_sub(1);
                true
            }
            DataError::KindChanged { example: Some((_, place)), .. } => place.count_from_zero(),
            _ => false,
        }
    }

    /// The setting that would help, where one would.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            DataError::Table(error) => error.hint(),
            DataError::LabelOfTwo { column } => Some(Hint::new("leave it out", "drop", column)),
            DataError::FormatOfStream { .. } => Some(Hint::new("name its format", "format", "json")),
            DataError::NumericText { .. } => Some(Hint::new("name a column of texts", "text", "COLUMN")),
            DataError::LabelValues { .. } | DataError::MissingLabel { .. } | DataError::WhichClass { .. } => {
                Some(Hint::new("name the positive value", "positive", "VALUE"))
            }
            DataError::ThreeLabels { .. } => {
                Some(Hint::new("name the one that means negative", "negative", "VALUE"))
            }
            DataError::LinkOut { .. } => {
                Some(Hint { act: "follow them".into(), setting: "follow-links", value: None })
            }
            DataError::NoLabelColumn { .. } => Some(Hint::new("name the label column", "label", "COLUMN")),
            DataError::WhichTexts { .. } => Some(Hint::new("name its column of texts", "text", "COLUMN")),
            DataError::NoFeatures { left_out } => {
                let any = |whys: &[WhyLeftOut]| left_out.iter().any(|left_out| whys.contains(&left_out.why));
                if any(&[WhyLeftOut::RowOrder, WhyLeftOut::TimeOrder, WhyLeftOut::Key]) {
                    Some(Hint::new("keep a measurement", "numeric", "COLUMN"))
                } else {
                    any(&[WhyLeftOut::FreeText]).then(|| Hint::new("learn from texts", "text", "COLUMN"))
                }
            }
            DataError::TooWide { .. } => Some(Hint::new("limit the terms", "max-terms", "N")),
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
    pub(crate) fn of_sheet(self, remarks: &[Remark]) -> Self {
        match self {
            DataError::Table(error) => error.of_sheet(remarks).into(),
            DataError::LackingColumns { missing, mut needed } => {
                needed.push_str(&other_sheets(remarks).unwrap_or_default());
                DataError::LackingColumns { missing, needed }
            }
            other => other,
        }
    }
}

/// ` ('id' is an identifier, 'note' is free text)`, or nothing.
fn said_of(left_out: &[LeftOut]) -> String {
    let said: Vec<String> =
        left_out.iter().take(8).map(|LeftOut { column, why }| format!("'{column}' is {why}")).collect();
    if said.is_empty() { String::new() } else { format!(" ({})", said.join(", ")) }
}

/// `all 12 rows`.
fn all_of(rows: usize) -> String {
    if rows == 1 { "the only row".to_string() } else { format!("all {}", counted(rows, "rows")) }
}
