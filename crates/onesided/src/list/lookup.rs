//! Which rows of a table a model was fitted on, looked up piece by piece.

use super::notes::{FittedRows, ListNote};
use crate::stream::{Recognizer, ScoredRows};
use crate::{Error, KnownRows, MatchedRows, Met, Model, RowMatcher, RowsFileError};
use onesided_data::{Dataset, Label};

/// The rows that a model was fitted on, or why they are not to be had; `None` where scores in sample are asked for.
pub type RowsOfModel<'k> = Option<Result<&'k KnownRows, &'k RowsFileError>>;

/// Looks for rows that a model was fitted on, piece by piece, and gives them their scores out of fold.
#[derive(Clone, Debug)]
pub struct RowLookup<'k> {
    model: &'k Model,
    rows_of_model: RowsOfModel<'k>,
    matcher: Option<RowMatcher<'k>>,
    recognizer: Option<Recognizer>,
    rows: usize,
    /// Rows of which a column that was named says whether they are labeled.
    told: usize,
}

/// Which rows of a table a model has met, as far as that is known.
#[derive(Clone, Debug)]
pub enum MetRows<'k> {
    /// Each row was looked up.
    Counted {
        /// How many of them it has met.
        met: usize,
        /// Whether these have scores out of fold.
        out_of_fold: bool,
    },
    /// Rows are equal to some that it was fitted on, but no more of them than of new rows like these.
    Chance,
    /// It was fitted on this very table, and there are no scores out of fold: why, unless they were not asked for.
    All(Option<&'k RowsFileError>),
    /// It was not fitted on this very table; whether on some of its rows cannot be told without the rows of the model.
    Unknown,
}

impl MetRows<'_> {
    /// Of so many rows how many the model has met.
    pub fn number(&self, rows: usize) -> usize {
        match self {
            MetRows::Counted { met, .. } => *met,
            MetRows::All(_) => rows,
            MetRows::Chance | MetRows::Unknown => 0,
        }
    }

    /// Whether it scored rows that it has met, since there are no scores of them out of fold.
    pub fn in_sample(&self) -> bool {
        match self {
            MetRows::Counted { met, out_of_fold } => *met > 0 && !out_of_fold,
            MetRows::All(_) => true,
            MetRows::Chance | MetRows::Unknown => false,
        }
    }
}

impl<'k> RowLookup<'k> {
    /// With `told`, the data tell by a column that was named which rows are labeled.
    pub fn new(model: &'k Model, rows_of_model: RowsOfModel<'k>, told: bool) -> Self {
        let matcher = match rows_of_model {
            Some(Ok(known)) => Some(known.matcher().with_told(told)),
            _ => told.then(|| KnownRows::none().matcher().with_told(told)),
        };
        Self { model, rows_of_model, matcher, recognizer: model.recognizer(), rows: 0, told: 0 }
    }

    /// What is known of each row of the next piece, where that may matter; their scores become those to list them by.
    pub fn next(&mut self, piece: &mut ScoredRows) -> Result<Option<Vec<Met>>, Error> {
        self.rows += piece.data.len();
        if let Some(recognizer) = &mut self.recognizer {
            recognizer.add(&piece.data);
        }
        self.told += piece.data.told().map_or(0, <[Label]>::len);
        let Some(matcher) = &mut self.matcher else { return Ok(None) };
        let own = std::mem::take(&mut piece.scores);
        let known = known_of(self.rows_of_model);
        let scored = self.model.rescore_known(&piece.data, own, known, matcher)?;
        let (met, scores) = scored.into_iter().unzip();
        piece.scores = scores;
        Ok(Some(met))
    }

    /// What tells in the end what a row is; `None` where nothing is known of any.
    pub fn matcher(&self) -> Option<&RowMatcher<'k>> {
        self.matcher.as_ref()
    }

    pub(super) fn into_matcher(self) -> Option<RowMatcher<'k>> {
        self.matcher
    }

    /// Whether a column said of every row whether it is labeled.
    pub fn is_told(&self) -> bool {
        self.told == self.rows
    }

    /// How many rows there were so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Whether the rows were those that the model was fitted on, in their order.
    pub fn is_same(&self) -> bool {
        self.recognizer.as_ref().is_some_and(Recognizer::is_same)
    }

    /// What is known of the rows for promises, which rest on rows that the model has not met.
    pub fn met_rows(&self) -> MetRows<'k> {
        match (self.rows_of_model, &self.matcher) {
            (Some(Ok(_)), Some(matcher)) if matcher.found() > 0 && matcher.may_be_new() => MetRows::Chance,
            (Some(Ok(known)), Some(matcher)) => {
                MetRows::Counted { met: matcher.met(), out_of_fold: known.is_complete() }
            }
            (unusable, _) if self.is_same() => MetRows::All(unusable.and_then(Result::err)),
            _ => MetRows::Unknown,
        }
    }

    /// How the rows are listed, with labeled ones or without, now that all were seen; `None` where nothing is known of any.
    pub fn fitted_rows(&self, all: bool) -> Option<FittedRows> {
        let (known, matcher) = (known_of(self.rows_of_model), self.matcher.as_ref()?);
        let matched = matcher.summary();
        let MatchedRows { found, is_fitted_table, labeled, labeled_new, unlabeled, ambiguous, .. } = matched;
        if found == 0 && labeled == 0 {
            return None;
        }
        let left_out = if all { 0 } else { labeled };
        let new_left_out = if all { 0 } else { labeled_new };
        let out_of_fold = if known.is_complete() { found.saturating_sub(left_out - new_left_out) } else { 0 };
        Some(FittedRows {
            known: found,
            out_of_fold,
            by: known.by(),
            left_out,
            ambiguous,
            rows: self.rows,
            met: matcher.met(),
            is_fitted_table,
            labeled,
            unlabeled,
            labeled_since: matched.labeled_since,
            // Answers of an audit counted as labels, and no column has them.
            not_labeled_now: matched.not_labeled_now.saturating_sub(self.model.about().answers.unwrap_or(0)),
        })
    }

    /// What is to be said where the rows that the model was fitted on cannot be looked up.
    pub(crate) fn unusable_rows(&self) -> Vec<ListNote> {
        match self.rows_of_model {
            Some(Err(why)) if why.is_absent() => vec![ListNote::NotLookedUp],
            Some(Err(why)) => vec![ListNote::RowsNotUsed(why.to_string())],
            _ => Vec::new(),
        }
    }

    /// What is to be said of a list that was made in this way.
    pub(crate) fn notes(&self, fitted: Option<&FittedRows>, all: bool, told: bool) -> Vec<ListNote> {
        let mut notes = Vec::new();
        match self.rows_of_model {
            // Nothing is amiss unless the rows would have been needed.
            Some(Err(why)) if why.is_absent() && self.is_same() => {
                notes.push(ListNote::InSample { why: Some(why.to_string()) });
            }
            Some(Err(why)) if !why.is_absent() => notes.push(ListNote::RowsNotUsed(why.to_string())),
            _ => {}
        }
        let Some(fitted) = fitted else { return notes };
        if fitted.out_of_fold > 0 || fitted.left_out > 0 {
            notes.insert(0, ListNote::Fitted(fitted.clone()));
        }
        if fitted.is_fitted_table && !known_of(self.rows_of_model).is_complete() {
            notes.push(ListNote::InSample { why: None });
        }
        if fitted.labeled_since + fitted.not_labeled_now > 0 {
            let (since, not_now) = (fitted.labeled_since, fitted.not_labeled_now);
            notes.push(ListNote::LabelsDiffer { since, not_now });
        }
        if fitted.ambiguous > 0 && !all {
            notes.push(ListNote::Ambiguous { rows: fitted.ambiguous, told });
        }
        notes
    }
}

impl Model {
    /// Whether most of these rows are among those that the model was fitted on, as far as that is known.
    pub fn has_met(&self, data: &Dataset, rows_of_model: RowsOfModel) -> Result<bool, Error> {
        let Some(Ok(known)) = rows_of_model else { return Ok(self.was_fitted_on(data)? == Some(true)) };
        let mut matcher = known.matcher();
        matcher.next(self.encoded(data)?.as_ref())?;
        Ok(2 * matcher.found() > data.len())
    }
}

fn known_of<'k>(rows_of_model: RowsOfModel<'k>) -> &'k KnownRows {
    rows_of_model.and_then(Result::ok).unwrap_or(KnownRows::none())
}
