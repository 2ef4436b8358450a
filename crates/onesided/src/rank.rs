//! Rows in the order of their scores.

use crate::known_rows::RowKind;
use crate::{Among, Error, KnownRows, Model};
use onesided_data::Dataset;
use std::path::Path;

/// One row of a ranked list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// Its number in the data, from 0.
    pub row: usize,
    /// Its score, a logit at the population's prior.
    pub score: f32,
    /// The probability that it is positive. For a row that is known to be unlabeled it is that of an unlabeled row
    /// ([`Among::Unlabeled`]).
    pub probability: f32,
    /// Whether it is predicted positive, which only its score decides.
    pub positive: bool,
}

/// A ranked list of rows, some of which the model was fitted on.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedList {
    /// The rows, the likeliest positive first.
    pub rows: Vec<Ranked>,
    /// What each row of the data is to the model, in the order of the data.
    pub kinds: Vec<RowKind>,
    /// How many rows are ranked by a score out of fold.
    pub out_of_fold: usize,
    /// How many labeled rows are not in the list.
    pub left_out: usize,
    /// Whether the data are the rows that the model was fitted on, perhaps with others.
    pub is_fitted_table: bool,
}

impl Model {
    /// All rows, the likeliest positive first; equal scores keep the order of the data. Rows that are empty in every column
    /// that is learned from are left out.
    pub fn rank(&self, data: &Dataset) -> Result<Vec<Ranked>, Error> {
        let scores = self.score(data)?.into_iter().enumerate().filter(|&(row, _)| !data.is_blank(row));
        Ok(self.sorted(scores, |_| Among::Population))
    }

    /// [`rank`](Self::rank) where the model may have been fitted on these rows: those it was are ranked by their scores out of
    /// fold. Of the table that it was fitted on, rows that are labeled are left out, unless `all` are wanted, and the others are
    /// known to be unlabeled, which their probabilities take into account.
    pub fn rank_known(&self, data: &Dataset, known: &KnownRows, all: bool) -> Result<RankedList, Error> {
        let mut matcher = known.matcher();
        let scored = self.score_known(data, known, &mut matcher)?;
        let is_fitted_table = matcher.is_fitted_table();
        let listed = |kind: RowKind| all || !is_fitted_table || !kind.is_labeled();
        let rows = scored.iter().map(|&(_, score)| score).enumerate();
        let among = |row: usize| matcher.among(scored[row].0);
        let rows = self.sorted(rows.filter(|&(row, _)| listed(scored[row].0) && !data.is_blank(row)), among);
        let kinds: Vec<RowKind> = scored.into_iter().map(|(kind, _)| kind).collect();
        let out_of_fold = if known.is_complete() {
            rows.iter().filter(|ranked| kinds[ranked.row] != RowKind::New).count()
        } else {
            0
        };
        let left_out = kinds.len() - rows.len() - data.blank_rows().len();
        Ok(RankedList { rows, kinds, out_of_fold, left_out, is_fitted_table })
    }

    fn sorted(
        &self,
        scores: impl Iterator<Item = (usize, f32)>,
        among: impl Fn(usize) -> Among,
    ) -> Vec<Ranked> {
        let ranked = |(row, score): (usize, f32)| {
            let positive = self.decide(self.probability_among(score, Among::Population));
            Ranked { row, score, probability: self.probability_among(score, among(row)), positive }
        };
        let mut rows: Vec<Ranked> = scores.map(ranked).collect();
        rows.sort_by(|a, b| b.score.total_cmp(&a.score));
        rows
    }

    /// Reads a table, a folder of texts or a folder of pictures as the model's own input was, and ranks it.
    pub fn rank_file(&self, path: impl AsRef<Path>) -> Result<Vec<Ranked>, Error> {
        self.rank(&self.read(path)?)
    }
}
