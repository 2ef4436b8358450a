//! What was read, whatever it was, held together: rows, what is known of them, and how they were encoded.

use super::{ColumnRead, DrawnFrom, Encoding, ImageInput, InputOptions, Note, RowNames, TextInput};
use crate::label::{amounts, count_labels};
use crate::{
    Amounts, ColumnDrift, Columns, Copies, Counts, DataError, FeatureOptions, Features, Frame, Label,
    LabelColumn, Matrix, MissingCells, Pictures, Scaling, Scenario, Store, TextOptions,
};
use onesided_table::{TableError, TextColumn};
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// Whether it is a number above 0 of full precision: what vanishes in 32 bits is no weight.
pub(super) fn is_weight(weight: f32) -> bool {
    weight > 0.0 && weight.is_normal()
}

/// Rows that an [`Encoding`] made, with what is known of them.
///
/// The rows cannot be had without the encoding that made them: whatever learns from a data set or scores it sees
/// encoded rows, and forgetting to encode does not compile.
#[derive(Clone, Debug)]
pub struct Dataset {
    pub(super) rows: Store,
    labels: Option<Vec<Label>>,
    label_column: Option<LabelColumn>,
    told: Option<Vec<Label>>,
    keys: Option<Vec<u64>>,
    named: Option<RowNames>,
    truth: Option<Vec<bool>>,
    weights: Option<Vec<f32>>,
    /// The number of each row's group.
    groups: Option<Vec<u32>>,
    scenario: Option<Scenario>,
    encoding: Arc<Encoding>,
    ids: Vec<(String, TextColumn)>,
    notes: Vec<Note>,
    pub(super) missing: MissingCells,
    drawn_from: Option<DrawnFrom>,
    columns: Vec<ColumnRead>,
    asked: Option<Arc<InputOptions>>,
    /// The copies among the rows, once somebody asked for them; told of rows that are not held.
    pub(crate) copies: OnceLock<Option<Arc<Copies>>>,
    /// Rows that are empty in every column, ascending.
    blank: Vec<u32>,
    /// How far each column is from what training saw, where the rows were encoded for a model.
    drifts: Vec<ColumnDrift>,
}

impl Dataset {
    pub(super) fn new(rows: Store, encoding: Arc<Encoding>) -> Self {
        let (ids, notes, missing) = (Vec::new(), Vec::new(), MissingCells::default());
        let (labels, truth, weights, drawn_from) = (None, None, None, None);
        Self {
            rows,
            labels,
            label_column: None,
            told: None,
            keys: None,
            named: None,
            truth,
            weights,
            groups: None,
            scenario: None,
            encoding,
            ids,
            notes,
            missing,
            drawn_from,
            columns: Vec::new(),
            asked: None,
            copies: OnceLock::new(),
            blank: Vec::new(),
            drifts: Vec::new(),
        }
    }

    /// A bare matrix: learns the mean and the scale of each column, and scales. Without `names` its columns are called
    /// `x0`, `x1`, …
    pub fn from_matrix(matrix: Matrix, names: Option<Vec<String>>) -> Result<Self, DataError> {
        let features = Features::from_matrix(&matrix, names)?;
        let rows = features.encode_matrix(matrix)?;
        Ok(Self::new(rows.into(), Arc::new(features.into())))
    }

    /// A bare matrix whose columns are of one scale already and are taken as they are.
    pub fn from_scaled(matrix: Matrix, names: Option<Vec<String>>) -> Result<Self, DataError> {
        let names = names.unwrap_or_else(|| (0..matrix.cols()).map(|col| format!("x{col}")).collect());
        let features = Features::unscaled(names);
        let rows = features.encode_matrix(matrix)?;
        Ok(Self::new(rows.into(), Arc::new(features.into())))
    }

    /// A table in memory, its labels taken out.
    pub fn from_frame(frame: Frame, options: &FeatureOptions) -> Result<Self, DataError> {
        let (features, rows, report) = Features::fit(frame, options)?;
        let mut data = Self::new(rows, Arc::new(features.into()));
        data.notes = Note::of_report(&report);
        data.missing = report.cells;
        Ok(data.with_blank(report.blank))
    }

    /// Texts, of whose words and phrases some become columns.
    pub fn from_texts<S: AsRef<str> + Sync>(texts: &[S], options: &TextOptions) -> Result<Self, DataError> {
        let (text, rows) = options.fit_transform(texts)?;
        let encoding = Encoding::Text(TextInput { columns: Vec::new(), text });
        Ok(Self::new(rows.into(), Arc::new(encoding)))
    }

    /// Pictures of one size, each channel brought to mean 0 and standard deviation 1.
    pub fn from_pictures(pictures: Pictures) -> Result<Self, DataError> {
        let encoding = Encoding::Image(ImageInput::fit(&pictures)?);
        Ok(Self::new(Store::Bytes(pictures), Arc::new(encoding)))
    }

    /// Rows that were encoded by other means: they must be what `encoding` would have made, of which the width is checked.
    pub fn from_encoded(rows: impl Into<Store>, encoding: Arc<Encoding>) -> Result<Self, DataError> {
        let rows = rows.into();
        match (encoding.width(), rows.cols()) {
            (expected, found) if expected != found => Err(DataError::Width { expected, found }),
            _ => Ok(Self::new(rows, encoding)),
        }
    }

    /// With a label per row, of which at least one is positive and one unlabeled; others may be known negatives.
    pub fn with_labels(mut self, labels: Vec<Label>) -> Result<Self, DataError> {
        self.check_length("labels", labels.len())?;
        crate::label::check_both(&labels, "labels")?;
        self.labels = Some(labels);
        Ok(self)
    }

    /// With the column that its labels came from.
    pub(super) fn with_label_column(mut self, column: Option<LabelColumn>) -> Self {
        self.label_column = column;
        self
    }

    /// With what is told of rows that a model may have been fitted on: which of them are labeled.
    pub fn with_told(mut self, told: Option<Vec<Label>>) -> Result<Self, DataError> {
        if let Some(told) = &told {
            self.check_length("labels", told.len())?;
        }
        self.told = told;
        Ok(self)
    }

    /// With a key per row, made of its cells.
    pub(super) fn with_keys(mut self, keys: Option<Vec<u64>>) -> Self {
        self.keys = keys;
        self
    }

    /// With a column that names rows and is not learned from.
    pub(super) fn with_row_names(mut self, named: Option<RowNames>) -> Self {
        self.named = named.filter(|named| named.prints.len() == self.len());
        self
    }

    /// With the truth of every row.
    pub fn with_truth(mut self, truth: Vec<bool>) -> Result<Self, DataError> {
        self.check_length("true labels", truth.len())?;
        self.truth = Some(truth);
        Ok(self)
    }

    /// With a class per row, as a folder per class tells it: members are positive and the rest unlabeled. It is the truth as
    /// well, for a method that sees every label, where the user says so.
    pub(super) fn with_class(self, member: Vec<bool>) -> Result<Self, DataError> {
        let label = |&member: &bool| if member { Label::Positive } else { Label::Unlabeled };
        let labels = member.iter().map(label).collect();
        self.with_labels(labels)?.with_truth(member)
    }

    /// With a weight per row, a number above 0: an example's loss counts as often, and means become weighted means.
    pub fn with_weights(mut self, weights: Vec<f32>) -> Result<Self, DataError> {
        self.check_length("weights", weights.len())?;
        if let Some(row) = weights.iter().position(|&weight| !is_weight(weight)) {
            let (column, found) = ("weights".to_string(), weights[row].to_string());
            return Err(DataError::Weight { column, row: row + 1, found });
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// With a number per row: rows of one number belong together, and splits do not part them.
    pub fn with_groups(mut self, groups: Vec<u32>) -> Result<Self, DataError> {
        self.check_length("groups", groups.len())?;
        self.groups = Some(groups);
        Ok(self)
    }

    /// With how the rows were drawn: one sample, or positives and unlabeled rows separately.
    pub fn with_scenario(mut self, scenario: Scenario) -> Self {
        self.scenario = Some(scenario);
        self
    }

    /// With names that rows are known by.
    pub fn with_ids(mut self, name: &str, ids: TextColumn) -> Result<Self, DataError> {
        self.check_length("identifiers", ids.len())?;
        self.ids.push((name.to_string(), ids));
        Ok(self)
    }

    pub(super) fn with_drifts(self, drifts: Vec<ColumnDrift>) -> Self {
        Self { drifts, ..self }
    }

    /// How far each column is from what the rows that its encoding was learned from held; nothing where it was learned from these rows,
    /// and of texts and pictures.
    pub fn drifts(&self) -> &[ColumnDrift] {
        &self.drifts
    }

    pub(super) fn with_notes(mut self, notes: impl IntoIterator<Item = Note>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// With notes on rows that are equal to others: on many of them, and on unlabeled ones that are equal to labeled ones.
    pub(crate) fn with_copies_noted(self) -> Self {
        let filled = self.without_blank();
        let (Some(labels), Some(copies)) = (filled.labels(), filled.copies()) else {
            drop(filled);
            return self;
        };
        let (rows, unlabeled, all) = (copies.repeated(), copies.of_labeled(labels), filled.len());
        drop(filled);
        let repeated = (rows * crate::copies::ONE_IN >= all).then_some(Note::Repeated { rows, all });
        let equal = (unlabeled > 0).then_some(Note::Copies { unlabeled });
        self.with_notes(repeated.into_iter().chain(equal))
    }

    /// Of which rows these are a draw.
    pub(super) fn with_drawn_from(mut self, drawn_from: Option<DrawnFrom>) -> Self {
        self.drawn_from = drawn_from;
        self
    }

    pub(super) fn with_missing(mut self, missing: MissingCells) -> Self {
        self.missing = missing;
        self
    }

    pub(super) fn with_blank(mut self, blank: Vec<u32>) -> Self {
        self.blank = blank;
        self
    }

    pub(super) fn with_columns(mut self, columns: Vec<ColumnRead>) -> Self {
        self.columns = columns;
        self
    }

    /// With how a table was asked to be read.
    pub(super) fn with_asked(mut self, options: &InputOptions) -> Self {
        self.asked = Some(Arc::new(options.clone()));
        self
    }

    pub(crate) fn check_length(&self, what: &'static str, found: usize) -> Result<(), DataError> {
        match self.rows.rows() {
            rows if rows == found => Ok(()),
            expected => Err(TableError::Length { what, expected, found }.into()),
        }
    }

    /// The rows, encoded.
    pub fn rows(&self) -> &Store {
        &self.rows
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.rows()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which rows are labeled, where anything says so.
    pub fn labels(&self) -> Option<&[Label]> {
        self.labels.as_deref()
    }

    /// The column that the labels came from, where it was one.
    pub fn label_column(&self) -> Option<&LabelColumn> {
        self.label_column.as_ref()
    }

    /// Which rows are labeled by the column of [`ReadAgain::told`](super::ReadAgain::told), where the table has it.
    pub fn told(&self) -> Option<&[Label]> {
        self.told.as_deref()
    }

    /// A number per row that its cells make, as they were read and before they were encoded, whatever other rows there are;
    /// where it was asked for.
    pub fn keys(&self) -> Option<&[u64]> {
        self.keys.as_deref()
    }

    /// What rows are called by a column that names them, where there is one that nothing is learned from.
    pub fn row_names(&self) -> Option<&RowNames> {
        self.named.as_ref()
    }

    /// The truth of every row, where it is known.
    pub fn truth(&self) -> Option<&[bool]> {
        self.truth.as_deref()
    }

    /// The weight of every row, where rows have weights.
    pub fn weights(&self) -> Option<&[f32]> {
        self.weights.as_deref()
    }

    /// The number of each row's group, where rows have groups.
    pub fn groups(&self) -> Option<&[u32]> {
        self.groups.as_deref()
    }

    /// How many groups there are, where rows have groups.
    pub fn number_of_groups(&self) -> Option<usize> {
        Some(self.groups()?.iter().collect::<HashSet<_>>().len())
    }

    /// How the rows were drawn, where the place that they were read from tells.
    pub fn scenario(&self) -> Option<Scenario> {
        self.scenario
    }

    /// How many rows of each kind there are, where rows are labeled.
    pub fn counts(&self) -> Option<Counts> {
        self.labels.as_deref().map(count_labels)
    }

    /// How much the rows of each kind weigh, where rows are labeled: their numbers, or the sums of their weights.
    pub fn amounts(&self) -> Option<Amounts> {
        self.labels.as_deref().map(|labels| amounts(labels, self.weights()))
    }

    /// How many rows there are of which these were drawn, where not all unlabeled rows are here.
    pub fn drawn_from(&self) -> Option<DrawnFrom> {
        self.drawn_from
    }

    /// How the rows were made.
    pub fn encoding(&self) -> &Arc<Encoding> {
        &self.encoding
    }

    /// What rows are known by: columns of the table, or the names of files.
    pub fn ids(&self) -> &[(String, TextColumn)] {
        &self.ids
    }

    /// What a reader should know of the way here: columns left out, cells missing, files that could not be read.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// What the columns of a table were read as where an encoding was learned from it, and what was done with them.
    pub fn columns_read(&self) -> &[ColumnRead] {
        &self.columns
    }

    /// How the table was asked to be read, where an encoding was learned from one.
    pub fn asked(&self) -> Option<&InputOptions> {
        self.asked.as_deref()
    }

    /// The rows at `indices`, in that order, with what is known of them. Panics if one of them does not exist, as indexing
    /// a slice does.
    pub fn select(&self, indices: &[usize]) -> Dataset {
        let ids = self.ids.iter();
        Dataset {
            rows: self.rows.select(indices),
            labels: self.labels.as_ref().map(|labels| indices.iter().map(|&i| labels[i]).collect()),
            label_column: self.label_column.clone(),
            told: self.told.as_ref().map(|told| indices.iter().map(|&i| told[i]).collect()),
            keys: self.keys.as_ref().map(|keys| indices.iter().map(|&i| keys[i]).collect()),
            named: self.named.as_ref().map(|named| RowNames {
                column: named.column.clone(),
                prints: indices.iter().map(|&i| named.prints[i]).collect(),
            }),
            truth: self.truth.as_ref().map(|truth| indices.iter().map(|&i| truth[i]).collect()),
            weights: self.weights.as_ref().map(|weights| indices.iter().map(|&i| weights[i]).collect()),
            groups: self.groups.as_ref().map(|groups| indices.iter().map(|&i| groups[i]).collect()),
            scenario: self.scenario,
            encoding: self.encoding.clone(),
            ids: ids
                .map(|(name, column)| (name.clone(), indices.iter().map(|&i| column.get(i)).collect()))
                .collect(),
            notes: Vec::new(),
            missing: self.missing.select(indices),
            drawn_from: None,
            columns: Vec::new(),
            asked: self.asked.clone(),
            copies: OnceLock::new(),
            blank: self.blank_among(indices),
            drifts: Vec::new(),
        }
    }

    fn blank_among(&self, indices: &[usize]) -> Vec<u32> {
        if self.blank.is_empty() {
            return Vec::new();
        }
        let is_blank = |&(_, row): &(usize, &usize)| self.is_blank(*row);
        indices.iter().enumerate().filter(is_blank).map(|(at, _)| at as u32).collect()
    }

    /// Rows that are empty in every column that is learned from, ascending. They say nothing: nothing is learned from them, and they
    /// have no place in a list.
    pub fn blank_rows(&self) -> &[u32] {
        &self.blank
    }

    /// Whether a row is empty in every column that is learned from.
    pub fn is_blank(&self, row: usize) -> bool {
        u32::try_from(row).is_ok_and(|row| self.blank.binary_search(&row).is_ok())
    }

    /// The numbers of the rows that are not empty in every column; `None` where that is all of them.
    pub fn rows_not_blank(&self) -> Option<Vec<usize>> {
        (!self.blank.is_empty()).then(|| (0..self.len()).filter(|&row| !self.is_blank(row)).collect())
    }

    /// The data without rows that are empty in every column. Borrowed where there are none.
    pub fn without_blank(&self) -> Cow<'_, Dataset> {
        match self.rows_not_blank() {
            None => Cow::Borrowed(self),
            Some(kept) => Cow::Owned(Dataset {
                notes: self.notes.clone(),
                drifts: self.drifts.clone(),
                drawn_from: self.drawn_from.map(|from| from.filled(&self.blank, self.labels.as_deref())),
                columns: self.columns.clone(),
                ..self.select(&kept)
            }),
        }
    }

    /// The files of a folder, then those of another, made by the same encoding.
    pub(super) fn concat(mut self, other: Dataset) -> Result<Dataset, DataError> {
        self.missing = self.missing.concat(self.len(), &other.missing, other.len());
        let before = self.len() as u32;
        self.blank.extend(other.blank.iter().map(|row| before + row));
        self.rows.append(other.rows)?;
        self.copies = OnceLock::new();
        for ((_, ids), (_, more)) in self.ids.iter_mut().zip(&other.ids) {
            more.iter().for_each(|id| ids.push(id));
        }
        self.notes.extend(other.notes);
        Ok(self)
    }

    /// The same data with numbers scaled, or as they are. Borrowed where they are so already.
    pub fn scaled(&self, to: Scaling) -> Cow<'_, Dataset> {
        match self.encoding.as_ref() {
            Encoding::Table(features) if features.scaling() != to => {
                let (features, rows) = features.rescaled(&self.rows, to);
                let (encoding, copies) = (Arc::new(features.into()), self.copies.clone());
                Cow::Owned(Dataset { rows, encoding, copies, ..self.without_rows() })
            }
            _ => Cow::Borrowed(self),
        }
    }

    pub(super) fn without_rows(&self) -> Dataset {
        Dataset {
            rows: Store::Dense(Matrix::default()),
            labels: self.labels.clone(),
            label_column: self.label_column.clone(),
            told: self.told.clone(),
            keys: self.keys.clone(),
            named: self.named.clone(),
            truth: self.truth.clone(),
            weights: self.weights.clone(),
            groups: self.groups.clone(),
            scenario: self.scenario,
            encoding: self.encoding.clone(),
            ids: self.ids.clone(),
            notes: self.notes.clone(),
            missing: self.missing.clone(),
            drawn_from: self.drawn_from,
            columns: self.columns.clone(),
            asked: self.asked.clone(),
            copies: OnceLock::new(),
            blank: self.blank.clone(),
            drifts: self.drifts.clone(),
        }
    }

    /// Dense rows of numbers, whatever they are held as.
    pub fn dense(&self) -> Result<Cow<'_, Matrix>, DataError> {
        match self.encoding.as_ref() {
            Encoding::Image(image) => self.rows.to_dense(|channel, byte| image.pixel(channel, byte)),
            _ => self.rows.to_dense(|_, byte| f32::from(byte)),
        }
    }

    /// Rows as trees see them: a category as one code, missing cells as missing.
    pub fn columns(&self) -> Result<Columns<'_>, DataError> {
        match self.encoding.as_ref() {
            Encoding::Table(features) => features.whole(&self.rows, &self.missing),
            _ => Ok(Columns::numbers(self.dense()?)),
        }
    }

    /// Refuses NaN and infinities, and says where the first one is.
    pub fn check_finite(&self) -> Result<(), DataError> {
        // Names are made only where one is asked for.
        let mut named = None;
        let found = self.rows.check_finite(|column| column.to_string());
        if let Err(DataError::NotFiniteValue { column, row, value }) = found {
            let names = named.get_or_insert_with(|| self.encoding.names());
            let name = column.parse::<usize>().ok().and_then(|at| names.get(at).cloned());
            return Err(DataError::NotFiniteValue { column: name.unwrap_or(column), row, value });
        }
        found
    }
}
