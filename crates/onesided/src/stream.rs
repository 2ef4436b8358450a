//! Scores of a table that is read piece by piece, so that memory is bounded however long the file is.

use crate::{Error, Model};
use onesided_data::{Cutting, Dataset, Fingerprint, Input, ReadAgain, Streamed};

/// Some rows of a table, scored.
#[derive(Clone, Debug)]
pub struct ScoredRows {
    /// The number of the first of them in the table, from 0.
    pub first: usize,
    /// The rows, with the names they are known by and the columns to keep.
    pub data: Dataset,
    /// Their scores, logits at the population's prior.
    pub scores: Vec<f32>,
}

impl Model {
    /// Reads a table as [`read_with`](Self::read_with) does, but piece by piece, and scores each piece: the same scores,
    /// notes and errors. Other places come in one piece. What is known of the rows is told at the end.
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
        self.encoding().stream(input, also, cut, &mut |data: Dataset| {
            let scores = self.score(&data).map_err(|error| match error {
                Error::Score { row, score } => Error::Score { row: first + row, score },
                other => other,
            })?;
            let rows = data.len();
            visit(ScoredRows { first, data, scores })?;
            first += rows;
            Ok(())
        })
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
