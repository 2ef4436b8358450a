//! From a table, texts or pictures to the columns that a model sees; learned once, stored with the model, applied again.

use super::files::{Kind, kind_of, table_in};
use super::table::{self, Known, read_tables};
use super::texts::read_folder;
use super::{Dataset, ImageFrom, ImageInput, Input, Note, Roles, keys};
use crate::label::apart;
use crate::{
    ColumnGroups, ColumnShift, DataError, Features, FileOptions, Frame, LabelColumn, Matrix, PictureShape,
    Pictures, Store, TextFeatures,
};
use onesided_table::Values;
use onesided_table::is_dash;
use onesided_table::{ReadOptions, TableError};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the input becomes columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Encoding {
    /// Columns of a table: numbers, categories, texts, vectors.
    Table(Features),
    /// Words and phrases of texts that are all there is.
    Text(TextInput),
    /// Pixels of pictures.
    Image(ImageInput),
}

/// Texts, and the terms of them that are columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextInput {
    /// The columns of a table that hold the texts, joined by a blank in this order; none where each text was a file.
    pub columns: Vec<String>,
    /// The terms and their weights.
    pub text: TextFeatures,
}

/// What to read besides the features, for [`Encoding::read`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadAgain {
    /// Columns that are not features: labels, weights, names of rows.
    pub roles: Roles,
    /// How files are written.
    pub files: FileOptions,
    /// The column of a model's labels: what it says of rows is told where the table has it ([`Dataset::told`]).
    pub told: Option<LabelColumn>,
    /// Whether somebody asked for that column: cells that are not understood are refused then.
    pub told_asked: bool,
    /// The column that names rows in a model's own table: it is read where the table has it ([`Dataset::row_names`]).
    pub named: Option<String>,
    /// Whether rows have keys made of their cells ([`Dataset::keys`]).
    pub keys: bool,
    /// Columns to keep as they are besides those, for [`Encoding::stream`]; `all` alone means all.
    pub keep: Vec<String>,
    /// For texts of folders: the column that holds them in a table.
    pub text: Vec<String>,
}

impl From<Roles> for ReadAgain {
    fn from(roles: Roles) -> Self {
        Self { roles, ..Self::default() }
    }
}

impl From<FileOptions> for ReadAgain {
    fn from(files: FileOptions) -> Self {
        Self { files, ..Self::default() }
    }
}

impl ReadAgain {
    /// Folders have no columns.
    pub(super) fn check_folder(&self, folder: &Path) -> Result<(), DataError> {
        match self.roles.columns().chain(&self.text).next() {
            Some(column) => {
                Err(DataError::FolderColumn { folder: folder.display().to_string(), column: column.clone() })
            }
            None => Ok(()),
        }
    }

    /// How tables are written, whatever is read of them.
    pub(super) fn as_written(&self) -> ReadOptions {
        self.roles.as_written(&self.files)
    }

    pub(super) fn known(&self) -> Known<'_> {
        Known {
            roles: &self.roles,
            told: self.told.as_ref().filter(|_| self.roles.label.is_none()),
            told_asked: self.told_asked,
            named: self.named.as_ref(),
        }
    }
}

impl Encoding {
    /// Whether rows are texts, or have a column of them.
    pub fn has_texts(&self) -> bool {
        match self {
            Encoding::Table(features) => features.has_texts(),
            Encoding::Text(_) => true,
            Encoding::Image(_) => false,
        }
    }

    /// How many columns rows have where a category is one code.
    pub fn whole_width(&self) -> usize {
        match self {
            Encoding::Table(features) => features.whole_names().len(),
            other => other.width(),
        }
    }

    /// How many columns a model sees.
    pub fn width(&self) -> usize {
        match self {
            Encoding::Table(features) => features.width(),
            Encoding::Text(input) => input.text.terms().len(),
            Encoding::Image(input) => input.image.len().unwrap_or(0),
        }
    }

    /// Their names: `age`, `color=red`, … or the terms, or the pixels.
    pub fn names(&self) -> Vec<String> {
        match self {
            Encoding::Table(features) => features.names(),
            Encoding::Text(input) => input.text.terms().to_vec(),
            Encoding::Image(ImageInput { from: ImageFrom::Columns(names), .. }) => names.clone(),
            Encoding::Image(ImageInput { image: PictureShape { channels, height, width }, .. }) => {
                let places = (0..*height).flat_map(|y| (0..*width).map(move |x| (y, x)));
                places.flat_map(|(y, x)| (0..*channels).map(move |c| format!("pixel[{y},{x},{c}]"))).collect()
            }
        }
    }

    /// Which columns belong together.
    pub fn groups(&self) -> ColumnGroups {
        match self {
            Encoding::Table(features) => features.groups(),
            other => ColumnGroups::single(other.names()),
        }
    }

    /// An encoded row that says nothing: numbers at their mean, no level, no term.
    pub fn nothing(&self) -> Vec<f32> {
        match self {
            Encoding::Table(features) => features.nothing(),
            other => vec![0.0; other.width()],
        }
    }

    /// What it takes, in words: `tables`, `texts` or `pictures`.
    pub fn takes(&self) -> &'static str {
        match self {
            Encoding::Table(_) => "tables",
            Encoding::Text(_) => "texts",
            Encoding::Image(_) => "pictures",
        }
    }

    /// What its columns are called, in words: `features`, `terms` or `pixels`.
    pub fn columns_are(&self) -> &'static str {
        match self {
            Encoding::Table(features) if features.columns().len() == 1 && features.has_texts() => "terms",
            Encoding::Table(_) => "features",
            Encoding::Text(_) => "terms",
            Encoding::Image(_) => "pixels",
        }
    }

    /// The shape of its pictures, where it takes pictures.
    pub fn shape(&self) -> Option<PictureShape> {
        match self {
            Encoding::Image(input) => Some(input.image),
            Encoding::Table(_) | Encoding::Text(_) => None,
        }
    }

    /// Whether a column of a table is one of its features.
    pub fn has_column(&self, name: &str) -> bool {
        match self {
            Encoding::Table(features) => features.columns().iter().any(|feature| feature.name == name),
            Encoding::Text(input) => input.columns.iter().any(|column| column == name),
            Encoding::Image(ImageInput { from, .. }) => match from {
                ImageFrom::Files => false,
                ImageFrom::Column(column) => column == name,
                ImageFrom::Columns(columns) => columns.iter().any(|column| column == name),
            },
        }
    }

    /// What serde cannot know.
    pub fn check(&self) -> Result<(), DataError> {
        match self {
            Encoding::Image(input) => input.check(),
            Encoding::Table(features) => features.check(),
            Encoding::Text(_) => Ok(()),
        }
    }

    /// Reads a table or a folder as the model's own input was, and what else is asked for. Two places are positives
    /// and unlabeled rows, a third one known negatives.
    pub fn read(self: &Arc<Self>, input: &Input, also: &ReadAgain) -> Result<Dataset, DataError> {
        self.check_answers(also)?;
        match input {
            Input::One(path) if path.is_dir() => self.read_folder(path, also),
            Input::Two { .. } if input.paths().iter().all(|path| path.is_dir()) => {
                let places = input.paths();
                let mut data = self.read_folder(places[0], also)?;
                let mut counts = [data.len(), 0, 0];
                for (at, place) in places.iter().enumerate().skip(1) {
                    let more = self.read_folder(place, also)?;
                    counts[at] = more.len();
                    data = data.concat(more)?;
                }
                data.with_labels(apart(counts[0], counts[1], counts[2]))
            }
            tables => match self.as_ref() {
                Encoding::Table(features) => self.read_columns(features, tables, also),
                Encoding::Text(text) => self.read_texts(text, tables, also),
                Encoding::Image(image) => image.read_tables(self, tables, also),
            },
        }
    }

    /// Refuses a feature that is asked to be an answer, too.
    pub(super) fn check_answers(&self, also: &ReadAgain) -> Result<(), DataError> {
        let told = also.told.iter().map(|told| &told.column);
        let answers = also.roles.label.iter().chain(told).map(|name| (name, "the label"));
        let answers = answers.chain(also.roles.truth.iter().map(|name| (name, "the truth")));
        let mut answers = answers.chain(also.roles.weight.iter().map(|name| (name, "the weight")));
        match answers.find(|(name, _)| self.has_column(name)) {
            Some((column, second)) => {
                let column = column.clone();
                Err(DataError::TwoRoles { column, first: "a feature of the model", second })
            }
            None => Ok(()),
        }
    }

    fn read_folder(self: &Arc<Self>, folder: &Path, also: &ReadAgain) -> Result<Dataset, DataError> {
        match self.as_ref() {
            Encoding::Table(_) => {
                let file = folder.display().to_string();
                // As when a model is fitted: one of the tables was meant.
                Err(match table_in(folder) {
                    Some(table) => {
                        DataError::FolderOfTables { folder: file, table: table.display().to_string() }
                    }
                    None => DataError::OtherInput { fitted: "a table", found: "none", file },
                })
            }
            Encoding::Text(_) => {
                also.check_folder(folder)?;
                if matches!(kind_of(folder, also.files.follow_links)?, Kind::Pictures | Kind::Classes) {
                    let file = folder.display().to_string();
                    return Err(DataError::OtherInput { fitted: "texts", found: "pictures", file });
                }
                let folder = read_folder(folder, also.files.encoding, also.files.follow_links)?;
                let data = self.encode_texts(&folder.texts)?.with_notes(folder.notes);
                data.with_ids("file", folder.names)
            }
            Encoding::Image(image) => image.read_folder(self, folder, also),
        }
    }

    fn read_columns(
        self: &Arc<Self>,
        features: &Features,
        input: &Input,
        also: &ReadAgain,
    ) -> Result<Dataset, DataError> {
        if let Some(column) = also.text.first() {
            let column = column.clone();
            let (first, second) = ("a text to score", "left out: the model knows its columns");
            return Err(DataError::TwoRoles { column, first, second });
        }
        let options = features.read_options().written_like(&also.as_written());
        let table = read_tables(input, options, also.known())?;
        let remarks = table.frame.remarks.clone();
        let keys = also.keys.then(|| self.keys_of(&table.frame));
        let data = self.encode_frame(table.frame).map_err(|error| error.of_sheet(&remarks))?.with_keys(keys);
        table::finish(data, table.answers)
    }

    fn read_texts(
        self: &Arc<Self>,
        fitted: &TextInput,
        input: &Input,
        also: &ReadAgain,
    ) -> Result<Dataset, DataError> {
        let columns = if also.text.is_empty() { &fitted.columns } else { &also.text };
        if columns.is_empty() {
            let paths = input.paths();
            let file = |path: &Path| path.display().to_string();
            return Err(match paths.iter().find(|path| !path.exists() && !is_dash(path)) {
                Some(nowhere) => TableError::NotFound { file: file(nowhere) }.into(),
                None => DataError::WhichTexts { file: file(paths[0]) },
            });
        }
        let read = ReadOptions { text: columns.clone(), only: Some(columns.clone()), ..also.as_written() };
        let mut table = read_tables(input, read, also.known())?;
        let (mut texts, mut missing) = (vec![String::new(); table.frame.rows], Vec::new());
        for (at, name) in columns.iter().enumerate() {
            let Values::Text(cells) = table.frame.take(name)?.values else { continue };
            if !cells.missing().is_empty() {
                missing.push((name.clone(), cells.missing().len()));
            }
            for (text, cell) in texts.iter_mut().zip(cells.iter()) {
                if at > 0 {
                    text.push(' ');
                }
                text.push_str(cell.trim_ascii());
            }
        }
        let missing = (!missing.is_empty()).then_some(Note::Missing(missing));
        let data = self.encode_texts(&texts)?.with_notes(Note::of_cells(&table.frame)).with_notes(missing);
        table::finish(data, table.answers)
    }

    /// The columns that rows' keys are made of ([`Dataset::keys`]), as one number; `None` where rows are no table's.
    pub fn keyed_columns(&self) -> Option<u64> {
        let Encoding::Table(features) = self else { return None };
        Some(keys::of_columns(features.columns().iter().map(|feature| feature.name.as_str())))
    }

    pub(super) fn keys_of(&self, frame: &Frame) -> Vec<u64> {
        keys::of_rows(frame, |name| self.has_column(name))
    }

    /// [`encode_frame`](Self::encode_frame) with [keys](Dataset::keys) of the rows.
    pub fn encode_with_keys(self: &Arc<Self>, frame: Frame) -> Result<Dataset, DataError> {
        let keys = self.keys_of(&frame);
        Ok(self.encode_frame(frame)?.with_keys(Some(keys)))
    }

    /// A table in memory.
    pub fn encode_frame(self: &Arc<Self>, frame: Frame) -> Result<Dataset, DataError> {
        let Encoding::Table(features) = self.as_ref() else { return Err(DataError::OtherEncoding) };
        let met = Note::of_cells(&frame);
        let (rows, mut report) = features.encode(frame)?;
        let drifts = features.drifts(&report.tallies, &report.unseen);
        let data = Dataset::new(rows, self.clone()).with_notes(Note::of_drifts(&drifts, &mut report));
        let data = data.with_drifts(drifts);
        let data = data.with_notes(Note::of_report(&report)).with_notes(met);
        Ok(data.with_missing(report.cells).with_blank(report.blank))
    }

    /// A bare matrix, whose columns are this encoding's numeric ones in order.
    pub fn encode_matrix(self: &Arc<Self>, matrix: Matrix) -> Result<Dataset, DataError> {
        let Encoding::Table(features) = self.as_ref() else { return Err(DataError::OtherEncoding) };
        let drifts = features.drifts_of_matrix(&matrix);
        let data = Dataset::new(features.encode_matrix(matrix)?.into(), self.clone());
        let notes: Vec<Note> = ColumnShift::among(&drifts).into_iter().map(Note::Shifted).collect();
        Ok(data.with_notes(notes).with_drifts(drifts))
    }

    /// Texts in memory.
    pub fn encode_texts<S: AsRef<str> + Sync>(self: &Arc<Self>, texts: &[S]) -> Result<Dataset, DataError> {
        let Encoding::Text(input) = self.as_ref() else { return Err(DataError::OtherEncoding) };
        let rows = input.text.transform(texts);
        let (unknown, all) = (rows.empty_rows(), rows.rows());
        let note = (2 * unknown > all).then_some(Note::NoKnownTerm { texts: unknown, all });
        Ok(Dataset::new(rows.into(), self.clone()).with_notes(note))
    }

    /// Pictures in memory, of the encoding's shape.
    pub fn encode_pictures(self: &Arc<Self>, pictures: Pictures) -> Result<Dataset, DataError> {
        match self.as_ref() {
            Encoding::Image(input) if input.image == pictures.shape => {
                Ok(Dataset::new(Store::Bytes(pictures), self.clone()))
            }
            _ => Err(DataError::OtherEncoding),
        }
    }

    /// Pictures in files, brought to the encoding's shape; every file must hold one.
    pub fn encode_picture_files(self: &Arc<Self>, files: &[PathBuf]) -> Result<Dataset, DataError> {
        match self.as_ref() {
            Encoding::Image(input) => super::pictures::encode_list(input.image, self, files),
            _ => Err(DataError::OtherEncoding),
        }
    }
}

impl From<Features> for Encoding {
    fn from(features: Features) -> Self {
        Encoding::Table(features)
    }
}

impl From<TextInput> for Encoding {
    fn from(input: TextInput) -> Self {
        Encoding::Text(input)
    }
}

/// By hand, because an error should speak of the kind that was meant.
impl<'de> Deserialize<'de> for Encoding {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(from)?;
        if value.get("text").is_some() {
            serde_json::from_value(value).map(Encoding::Text).map_err(D::Error::custom)
        } else if value.get("image").is_some() {
            serde_json::from_value(value).map(Encoding::Image).map_err(D::Error::custom)
        } else {
            serde_json::from_value(value).map(Encoding::Table).map_err(D::Error::custom)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TextOptions;

    #[test]
    fn every_kind_is_stored_and_read_again() {
        let table = Encoding::from(Features::unscaled(vec!["a".to_string(), "b".to_string()]));
        let (text, _) = TextOptions::default().fit_transform(&["a cat", "the cat", "the dog"]).unwrap();
        let text = Encoding::from(TextInput { columns: vec!["body".to_string()], text });
        assert_eq!((text.width(), text.names()), (2, vec!["cat".to_string(), "the".to_string()]));
        let shape = PictureShape { channels: 1, height: 1, width: 2 };
        let image = ImageInput::fit(&Pictures { shape, bytes: vec![0, 2, 4, 6] }).unwrap();
        // Mean 3, variance 5.
        assert_eq!(
            (image.scale[0], image.shift[0]),
            ((1.0 / 5f64.sqrt()) as f32, (-3.0 / 5f64.sqrt()) as f32)
        );
        for encoding in [table, text, Encoding::Image(image)] {
            let json = serde_json::to_string(&encoding).unwrap();
            assert_eq!(serde_json::from_str::<Encoding>(&json).unwrap(), encoding, "{json}");
        }
        let error = serde_json::from_str::<Encoding>("{\"features\": 3}").unwrap_err().to_string();
        assert!(error.contains("expected a sequence"), "{error}");
    }
}
