//! Scores of a table that is read piece by piece, so that memory is bounded however long the file is.

use crate::{Error, Model};
use onesided_data::{Cutting, Dataset, Fingerprint, Input, ReadAgain, Streamed};
use std::borrow::Cow;

/// Some rows of a table, scored, without those that are empty in every column that is learned from.
#[derive(Clone, Debug)]
pub struct ScoredRows<'d> {
    /// The rows, with the names they are known by and the columns to keep.
    pub data: Cow<'d, Dataset>,
    /// Their scores, logits at the population's prior.
    pub scores: Vec<f32>,
    /// The number of the first row of the piece in the table, from 0.
    first: usize,
    /// Which rows of the piece these are, where it had empty ones.
    kept: Option<Vec<usize>>,
}

impl<'d> ScoredRows<'d> {
    /// Rows and their scores, the first of which has this number, without empty ones.
    pub(crate) fn new(data: Cow<'d, Dataset>, scores: Vec<f32>, first: usize) -> Self {
        match data.rows_not_blank() {
            None => Self { data, scores, first, kept: None },
            Some(kept) => Self {
                data: Cow::Owned(data.select(&kept)),
                scores: kept.iter().map(|&row| scores[row]).collect(),
                first,
                kept: Some(kept),
            },
        }
    }

    /// The number in the table of the row at this place, from 0.
    pub fn number(&self, at: usize) -> usize {
        self.first + self.kept.as_ref().map_or(at, |kept| kept[at])
    }
}

impl Model {
    /// Reads a table as [`read_with`](Self::read_with) does, but piece by piece, and scores each piece: the same scores,
    /// notes and errors. Other places come in one piece. What is known of the rows is told at the end. Rows that are empty in every
    /// column that is learned from are left out of all of it; a note counts them.
    ///
    /// ```no_run
    /// # use onesided::{Error, Input, Model, ReadAgain};
    /// let model = Model::load("model.safetensors")?;
    /// let mut best = f32::MIN;
    /// model.stream(&Input::one("new.parquet"), &ReadAgain::default(), Default::default(), &mut |piece| {
    ///     best = piece.scores.iter().copied().fold(best, f32::max);
    ///     Ok(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn stream(
        &self,
        input: &Input,
        also: &ReadAgain,
        cut: Cutting,
        visit: &mut dyn FnMut(ScoredRows) -> Result<(), Error>,
    ) -> Result<Streamed, Error> {
        let mut first = 0;
        let mut streamed = self.encoding().stream(input, also, cut, &mut |data: Dataset| {
            let scores = self.score(&data).map_err(|error| match error {
                Error::Score { row, score } => Error::Score { row: first + row, score },
                other => other,
            })?;
            let rows = data.len();
            visit(ScoredRows::new(Cow::Owned(data), scores, first))?;
            first += rows;
            Ok::<(), Error>(())
        })?;
        let blank = streamed.blank.clone();
        streamed.rows -= blank.len();
        drop_rows(&mut streamed.labels, &blank);
        drop_rows(&mut streamed.truth, &blank);
        drop_rows(&mut streamed.weights, &blank);
        Ok(streamed)
    }

    /// Rows in memory, scored, in one piece.
    pub(crate) fn scored<'d>(&self, data: &'d Dataset) -> Result<ScoredRows<'d>, Error> {
        let data = self.encoded(data)?;
        let scores = self.score(&data)?;
        Ok(ScoredRows::new(data, scores, 0))
    }

    /// Finds out whether rows that come piece by piece are those that the model was fitted on. `None`: an older model file
    /// does not tell.
    pub fn recognizer(&self) -> Option<Recognizer> {
        let counts = self.about().counts;
        let rows = counts.positive + counts.unlabeled + counts.negative;
        let expected = self.about().fitted_on.clone()?;
        Some(Recognizer { expected, rows, seen: 0, under_way: None })
    }
}

/// Leaves out what belongs to some rows, ascending.
fn drop_rows<T>(of_rows: &mut Option<Vec<T>>, rows: &[u32]) {
    let mut row = 0;
    if let Some(of_rows) = of_rows.as_mut().filter(|_| !rows.is_empty()) {
        of_rows.retain(|_| {
            row += 1;
            rows.binary_search(&(row - 1)).is_err()
        });
    }
}

/// [`Model::was_fitted_on`] of rows that come piece by piece.
#[derive(Clone, Debug)]
pub struct Recognizer {
    expected: String,
    /// How many rows the model was fitted on.
    rows: usize,
    seen: usize,
    under_way: Option<Fingerprint>,
}

impl Recognizer {
    /// The next rows, encoded by the model.
    pub fn add(&mut self, piece: &Dataset) {
        self.seen += piece.len();
        // Others cannot be the same: there are more of them.
        if self.seen <= self.rows {
            let so_far =
                self.under_way.unwrap_or_else(|| Fingerprint::default().before_rows(self.rows, piece));
            self.under_way = Some(so_far.of_piece(piece));
        }
    }

    /// Whether they were the rows that the model was fitted on, in their order.
    pub fn is_same(&self) -> bool {
        let letters = self.under_way.map(Fingerprint::letters);
        self.seen == self.rows && letters.as_ref() == Some(&self.expected)
    }
}
