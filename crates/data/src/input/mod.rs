//! From a place to a [`Dataset`]: one reader for tables, texts and pictures.
//!
//! | place | rows | encoding |
//! |---|---|---|
//! | a table with a column of labels, or two or three tables | its columns: numbers, categories, texts, vectors | [`Features`](crate::Features) |
//! | a table of pixels, with a shape | images | [`ImageInput`] |
//! | a table with a column of picture files | pictures | [`ImageInput`] |
//! | two or three folders of texts | one text per file | [`TextInput`] |
//! | two or three folders of pictures, or one with a folder per class | one picture per file | [`ImageInput`] |
//!
//! [`InputOptions::read`] learns the encoding from what it reads. [`Encoding::read`] applies one that was learned, by the
//! same code, so a model sees new rows as it saw those it was fitted on.

mod by_columns;
mod dataset;
mod draw;
mod encoding;
pub(crate) mod files;
mod fits;
mod images;
mod keys;
mod note_sentences;
mod notes;
mod permuted;
mod pictures;
mod pixels;
mod row_names;
mod settings;
mod some_rows;
mod stream;
mod summary;
mod table;
mod texts;

pub use by_columns::{ColumnsLearned, TakeColumns};
pub use dataset::Dataset;
pub use draw::{DrawnFrom, draw_unlabeled};
pub use encoding::{Encoding, ReadAgain, TextInput};
pub use fits::WouldFit;
pub use images::{ImageFrom, ImageInput};
pub use notes::{Note, OtherCells};
pub use row_names::RowNames;
pub use settings::{READING, ReadingAbout, ReadingInfo, Roles};
pub use stream::{Cutting, Streamed};
pub use summary::{ColumnIs, ColumnRead};

use crate::{
    DataError, ENGLISH_STOP_WORDS, FileOptions, Label, MissingPolicy, PictureShape, Scaling, Scenario,
    TextOptions, Weighting,
};
use files::Kind;
use onesided_table::{Source, TableError};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Where rows are. The path `-` is a table on standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// One table, or a folder with a folder per class.
    One(PathBuf),
    /// One table in several Parquet files, one below the other in this order.
    Parts(Vec<PathBuf>),
    /// Positives and unlabeled rows in separate places, and known negatives where there are any: two or three tables, or folders.
    Two {
        /// Where the positives are.
        positives: PathBuf,
        /// Where the unlabeled rows are.
        unlabeled: PathBuf,
        /// Where known negatives are.
        negatives: Option<PathBuf>,
    },
}

impl Input {
    /// One table, or a folder with a folder per class.
    pub fn one(path: impl Into<PathBuf>) -> Self {
        Input::One(path.into())
    }

    /// What a path leads to: one table or folder, or, where its last part has a `*` and no file is called so, the files that it stands
    /// for, in the order of their names.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let files = if path.exists() { Vec::new() } else { files::matching(&path) };
        if files.is_empty() { Input::One(path) } else { Input::Parts(files) }
    }

    /// One table in several Parquet files, in this order.
    pub fn parts(files: impl IntoIterator<Item = impl Into<PathBuf>>) -> Self {
        Input::Parts(files.into_iter().map(Into::into).collect())
    }

    /// Two tables, or two folders.
    pub fn two(positives: impl Into<PathBuf>, unlabeled: impl Into<PathBuf>) -> Self {
        Input::Two { positives: positives.into(), unlabeled: unlabeled.into(), negatives: None }
    }

    /// Three tables, or three folders.
    pub fn three(
        positives: impl Into<PathBuf>,
        unlabeled: impl Into<PathBuf>,
        negatives: impl Into<PathBuf>,
    ) -> Self {
        let (positives, unlabeled) = (positives.into(), unlabeled.into());
        Input::Two { positives, unlabeled, negatives: Some(negatives.into()) }
    }

    /// What is read.
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Input::One(path) => vec![path],
            Input::Parts(files) => files.iter().map(PathBuf::as_path).collect(),
            Input::Two { positives, unlabeled, negatives } => {
                [Some(positives), Some(unlabeled), negatives.as_ref()]
                    .into_iter()
                    .flatten()
                    .map(PathBuf::as_path)
                    .collect()
            }
        }
    }

    /// Each place as a source; several files of one table are one.
    pub(super) fn sources(&self) -> Result<Vec<Source<'_>>, TableError> {
        match self {
            Input::Parts(files) => Ok(vec![Source::parts(files)]),
            _ => self.paths().into_iter().map(Source::at).collect(),
        }
    }

    /// The first of its [sources](Self::sources).
    pub(super) fn first_source(&self) -> Result<Source<'_>, TableError> {
        match self {
            Input::Parts(files) => Ok(Source::parts(files)),
            Input::One(path) | Input::Two { positives: path, .. } => Source::at(path),
        }
    }

    /// How many rows a Parquet table has, as its footers say.
    pub fn rows(&self) -> Result<usize, DataError> {
        Ok(self.first_source()?.rows()?)
    }

    /// Whether it is one table in files that can be read again.
    pub fn is_one_table(&self) -> bool {
        match self {
            Input::One(path) => path.is_file(),
            Input::Parts(_) => true,
            Input::Two { .. } => false,
        }
    }

    /// One sample, or two drawn separately.
    pub fn default_scenario(&self) -> Scenario {
        match self {
            Input::One(_) | Input::Parts(_) => Scenario::SingleSample,
            Input::Two { .. } => Scenario::CaseControl,
        }
    }
}

impl From<&Path> for Input {
    fn from(path: &Path) -> Self {
        Input::one(path)
    }
}

impl From<&str> for Input {
    fn from(path: &str) -> Self {
        Input::one(path)
    }
}

/// What to read, and how it becomes rows. What is left open is chosen by what is found. [`READING`] names each setting.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct InputOptions {
    /// Columns that are not features: labels, weights, names of rows.
    #[serde(flatten)]
    pub roles: Roles,
    /// How files are written.
    #[serde(flatten)]
    pub files: FileOptions,
    /// Columns to leave out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<String>,
    /// Columns to learn from, and no others; none means all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Columns of free texts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<String>,
    /// Columns to read as numbers; other cells are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub numeric: Vec<String>,
    /// Columns to read as categories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categorical: Vec<String>,
    /// Columns to read as dates and times; other cells are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub date: Vec<String>,
    /// The column of picture files, whose names count from the table's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// The shape that columns of pixels have, or that pictures are brought to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_shape: Option<PictureShape>,
    /// How missing values are handled, and pictures that cannot be decoded.
    pub missing: MissingPolicy,
    /// Whether numbers are scaled.
    pub scaling: Scaling,
    /// What the columns of terms hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<Weighting>,
    /// Words, and phrases of up to this many of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ngrams: Option<usize>,
    /// A term must occur in this many texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_texts: Option<usize>,
    /// At most this many terms per column of texts, the most frequent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_terms: Option<usize>,
    /// Words to leave out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_words: Option<StopWords>,
    /// At most this many unlabeled rows of tables are read, drawn at random; all others are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unlabeled: Option<usize>,
    /// Rows get keys made of these columns ([`Dataset::keys`]), which [`Encoding::keyed_columns`] told of an earlier fit.
    #[serde(skip)]
    pub keys_of: Option<u64>,
    /// The seed of that draw.
    #[serde(skip_serializing_if = "is_zero")]
    pub seed: u64,
    /// Rows of a table, by number, that are read as if they had no label: nothing that is learned of columns knows better.
    #[serde(skip)]
    pub unlabel: Vec<usize>,
}

fn is_zero(seed: &u64) -> bool {
    *seed == 0
}

/// A list of words to leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopWords {
    /// None.
    None,
    /// Frequent words of English.
    English,
}

impl std::str::FromStr for StopWords {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        match text {
            "none" => Ok(StopWords::None),
            "english" => Ok(StopWords::English),
            other => Err(TableError::UnknownWord {
                what: "stop words",
                found: other.to_string(),
                known: &["none", "english"],
            }
            .into()),
        }
    }
}

impl std::str::FromStr for Weighting {
    type Err = DataError;

    fn from_str(text: &str) -> Result<Self, DataError> {
        match text {
            "tfidf" => Ok(Weighting::TfIdf),
            "sublinear" => Ok(Weighting::SublinearTfIdf),
            "counts" => Ok(Weighting::Counts),
            other => Err(TableError::UnknownWord {
                what: "features of texts",
                found: other.to_string(),
                known: &["tfidf", "sublinear", "counts"],
            }
            .into()),
        }
    }
}

impl InputOptions {
    /// Reads a place, learns its encoding and applies it.
    pub fn read(&self, input: &Input) -> Result<Dataset, DataError> {
        self.check()?;
        let read = match (input, files::kind(input, self.files.follow_links)?) {
            (Input::One(_), Kind::Classes | Kind::TextClasses) if self.roles.negative.is_some() => {
                Err(DataError::NegativeClass)
            }
            (Input::One(folder), Kind::Classes) => pictures::read_classes(self, folder),
            (Input::One(folder), Kind::TextClasses) => texts::read_classes(self, folder),
            (Input::One(folder), Kind::Texts | Kind::Pictures) => {
                Err(files::or_tables(DataError::OneFolder { folder: folder.display().to_string() }, input))
            }
            (_, Kind::Table) if self.image.is_some() => pictures::read_table(self, input),
            (_, Kind::Table) if self.image_shape.is_some() => pixels::read(self, input),
            (_, Kind::Table) | (Input::Parts(_), _) => table::read(self, input),
            (Input::Two { positives, .. }, kind) => {
                self.check_folders(positives)?;
                match kind {
                    Kind::Texts | Kind::TextClasses => texts::read(self, &input.paths()),
                    _ => pictures::read_folders(self, &input.paths()),
                }
            }
        };
        Ok(read?.with_scenario(input.default_scenario()))
    }

    /// Whether the place holds pictures, for front ends that choose a model by it.
    pub fn is_images(&self, input: &Input) -> Result<bool, DataError> {
        let kind = files::kind(input, self.files.follow_links)?;
        let table = kind == Kind::Table && (self.image.is_some() || self.image_shape.is_some());
        Ok(table || matches!(kind, Kind::Pictures | Kind::Classes))
    }

    /// Learns from pictures in files, with a label each. A file that cannot be decoded is left out and noted, or refused
    /// where missing values are.
    pub fn read_pictures(&self, files: &[PathBuf], labels: &[Label]) -> Result<Dataset, DataError> {
        pictures::read_list(self, files, labels)
    }

    /// What of texts becomes columns.
    pub fn text_options(&self) -> TextOptions {
        let mut options = TextOptions::default();
        options.weighting = self.features.unwrap_or(options.weighting);
        options.phrase_lengths = (1, self.ngrams.unwrap_or(1));
        options.min_texts = self.min_texts.unwrap_or(options.min_texts);
        options.max_terms = self.max_terms;
        if self.stop_words == Some(StopWords::English) {
            options.stop_words = ENGLISH_STOP_WORDS.iter().map(ToString::to_string).collect();
        }
        options
    }

    /// Options that say which column tells the positive rows, and nothing else.
    pub fn labeled(column: impl Into<String>) -> Self {
        Self { roles: Roles::labeled(column), ..Self::default() }
    }

    /// Refuses a column that is asked to be two things, and numbers that nothing can be.
    fn check(&self) -> Result<(), DataError> {
        let mut roles: Vec<(&String, &'static str)> = Vec::new();
        for setting in READING {
            let Some(role) = setting.role else { continue };
            for name in (setting.columns)(self) {
                if let Some((_, first)) = roles.iter().find(|(other, first)| *other == name && *first != role)
                {
                    return Err(DataError::TwoRoles { column: name.clone(), first, second: role });
                }
                roles.push((name, role));
            }
        }
        let least_one = [
            ("min-texts", self.min_texts),
            ("max-terms", self.max_terms),
            ("max-unlabeled", self.max_unlabeled),
        ];
        match least_one.iter().find(|(_, value)| *value == Some(0)) {
            Some((setting, _)) => {
                Err(DataError::Setting { setting, must: "at least 1".to_string(), found: "0".to_string() })
            }
            None => Ok(()),
        }
    }

    /// Folders have no columns.
    fn check_folders(&self, folder: &Path) -> Result<(), DataError> {
        match READING.iter().find_map(|setting| (setting.columns)(self).first()) {
            Some(column) => {
                Err(DataError::FolderColumn { folder: folder.display().to_string(), column: column.clone() })
            }
            None => Ok(()),
        }
    }
}
