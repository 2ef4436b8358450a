//! Rows in the order of their scores.

use crate::known_rows::{MatchedRows, RowKind};
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

/// Rows to list, some of which the model may have been fitted on, in the order of the data.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedRows {
    /// The score to rank each row by: out of fold where the model was fitted on it and every such row has one.
    pub scores: Vec<f32>,
    /// What each row is to the model.
    pub kinds: Vec<RowKind>,
    /// Whether each row belongs in a list of rows to look at: labeled rows of the fitted table do not.
    pub listed: Vec<bool>,
    /// Among which rows each is.
    pub among: Vec<Among>,
    /// All in all.
    pub matched: MatchedRows,
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
    /// How many rows are equal to labeled ones and cannot be told from them, so that they are in the list.
    pub ambiguous: usize,
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

    /// Scores rows that the model may have been fitted on, and tells which of them belong in a list. With `told`, rows that the
    /// [data tell to be labeled](Dataset::told) do not, whether the model was fitted on them or not.
    pub fn listed_rows(&self, data: &Dataset, known: &KnownRows, told: bool) -> Result<ListedRows, Error> {
        let mut matcher = known.matcher().with_told(told);
        let scored = self.score_known(data, known, &mut matcher)?;
        let met = || scored.iter().map(|(met, _)| *met);
        Ok(ListedRows {
            kinds: met().map(|met| matcher.kind(met)).collect(),
            listed: met().map(|met| !matcher.is_labeled(met)).collect(),
            among: met().map(|met| matcher.among(met)).collect(),
            matched: matcher.summary(),
            scores: scored.into_iter().map(|(_, score)| score).collect(),
        })
    }

    /// [`rank`](Self::rank) where the model may have been fitted on these rows: those it was are ranked by their scores out of
    /// fold. Of the table that it was fitted on, rows that are labeled are left out, unless `all` are wanted, and the others are
    /// known to be unlabeled, which their probabilities take into account. Equal rows have equal scores; where nothing tells
    /// labeled ones from others they are all listed.
    pub fn rank_known(&self, data: &Dataset, known: &KnownRows, all: bool) -> Result<RankedList, Error> {
        let ListedRows { scores, kinds, listed, among, matched } = self.listed_rows(data, known, false)?;
        let rows =
            scores.into_iter().enumerate().filter(|&(row, _)| (all || listed[row]) && !data.is_blank(row));
        let rows = self.sorted(rows, |row| among[row]);
        let met = |ranked: &&Ranked| known.is_complete() && kinds[ranked.row] != RowKind::New;
        let out_of_fold = rows.iter().filter(met).count();
        let left_out = kinds.len() - rows.len() - data.blank_rows().len();
        let MatchedRows { ambiguous, is_fitted_table, .. } = matched;
        Ok(RankedList { rows, kinds, out_of_fold, left_out, ambiguous, is_fitted_table })
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
