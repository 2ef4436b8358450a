//! Rows in files, as a builder.

use onesided_data::{DataError, Dataset, Input, InputOptions};
use std::path::PathBuf;

/// Rows in files: a table with a label column, or positives and unlabeled rows apart, as tables or as folders of texts or
/// pictures. [`Learner::fit`](crate::Learner::fit) reads them as its method takes them.
///
/// ```no_run
/// use onesided::{Learner, Table};
///
/// let model = Learner::new().fit(&Table::at("train.csv").label("y"))?;
/// let model = Learner::new().fit(&Table::two("positives.csv", "unlabeled.csv"))?;
/// # Ok::<(), onesided::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Table {
    pub(crate) input: Input,
    pub(crate) reading: InputOptions,
}

impl Table {
    /// One table, or a folder with a folder per class.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self::from_input(Input::one(path))
    }

    /// Two tables, or two folders: positives, and unlabeled rows that were drawn separately.
    pub fn two(positives: impl Into<PathBuf>, unlabeled: impl Into<PathBuf>) -> Self {
        Self::from_input(Input::two(positives, unlabeled))
    }

    /// Rows anywhere.
    pub fn from_input(input: Input) -> Self {
        Self { input, reading: InputOptions::default() }
    }

    /// The column that says which rows are positive.
    pub fn label(mut self, column: impl Into<String>) -> Self {
        self.reading.roles.label = Some(column.into());
        self
    }

    /// The value of the label, or the folder, that means positive.
    pub fn positive(mut self, value: impl Into<String>) -> Self {
        self.reading.roles.positive = Some(value.into());
        self
    }

    /// A column of free text to learn from; call it once for each.
    pub fn text(mut self, column: impl Into<String>) -> Self {
        self.reading.text.push(column.into());
        self
    }

    /// A column to leave out; call it once for each.
    pub fn drop(mut self, column: impl Into<String>) -> Self {
        self.reading.drop.push(column.into());
        self
    }

    /// Everything else that can be said of how rows are read. Replaces what was said before.
    pub fn reading(mut self, options: InputOptions) -> Self {
        self.reading = options;
        self
    }

    /// Reads the rows, whatever is to be learned from them.
    pub fn read(&self) -> Result<Dataset, DataError> {
        self.reading.read(&self.input)
    }
}
