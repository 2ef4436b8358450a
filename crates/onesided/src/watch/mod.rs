//! Whether new rows still look like those that a model was fitted on, and whether to fit again.
//!
//! Columns, scores, decisions, the share of positives and labels are compared with what the model keeps of its fit. All comparisons
//! share one rate of false alarms: half of it for all columns together, an eighth each for scores, decisions, share and labels
//! (Bonferroni's inequality). A difference that does not matter is none, however many rows show it.

mod history;
mod measure;
mod words;

pub use history::{HistoryEntry, HistoryError, WatchHistory};

use onesided_data::{ColumnPart, Shares, Shift};
use onesided_eval::EvalError;
use onesided_eval::drift::{MovedScores, PositiveShare};
use serde::{Deserialize, Serialize};

/// How often a month like those of before may raise an alarm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FalseAlarms(f64);

impl FalseAlarms {
    /// One in twenty.
    pub const USUAL: Self = Self(0.05);

    /// A share of runs, strictly between 0 and 1.
    pub fn new(share: f64) -> Result<Self, EvalError> {
        let what = "rate of false alarms";
        if share > 0.0 && share < 1.0 {
            Ok(Self(share))
        } else {
            Err(EvalError::OutsideUnit { what, value: share })
        }
    }

    /// The share of runs.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Default for FalseAlarms {
    fn default() -> Self {
        Self::USUAL
    }
}

/// What to do with a model, now that new rows were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Go on: nothing moved beyond chance.
    Keep,
    /// There are too few rows to tell.
    TooFew,
    /// Look at columns that moved; neither scores nor the share of positives did.
    Look,
    /// Fit again: scores, decisions, the share of positives or labels moved.
    Refit,
    /// Check the data: a column holds something else than in training.
    CheckData,
}

impl Action {
    /// Whether somebody should know.
    pub fn is_alarm(self) -> bool {
        !matches!(self, Action::Keep | Action::TooFew)
    }
}

/// What was found about new rows: made by [`Model::watch`](crate::Model::watch).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Watched {
    /// What to do.
    pub action: Action,
    /// How many rows there were.
    pub rows: usize,
    /// How many of them the model was fitted on, as far as that is known.
    pub met: usize,
    /// How often rows like those of before may raise an alarm.
    pub false_alarms: FalseAlarms,
    /// Column by column, as far as the model tells what training saw.
    pub columns: Vec<WatchedColumn>,
    /// Scores of a sample of the population.
    pub scores: Option<WatchedScores>,
    /// How often rows are predicted positive.
    pub decisions: Option<WatchedShares>,
    /// How many are positive.
    pub share: Option<WatchedShare>,
    /// Labels, where the new rows have some.
    pub labels: Option<WatchedLabels>,
    /// What the model promised, and whether that stands.
    pub promises: Vec<WatchedPromise>,
    /// What is not told, and why.
    pub untold: Vec<Untold>,
    /// Shares of rows up to a probability: in training, here, and what a changed share of positives alone would give. For a picture.
    #[serde(skip)]
    pub curve: Vec<[f64; 4]>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WatchedColumn {
    /// The name in the header.
    pub column: String,
    /// The total variation distance of its cells from those of training.
    pub distance: f64,
    /// How likely it is that far off by chance.
    pub p_value: f64,
    /// Whether that is too unlikely.
    pub moved: bool,
    /// The part of it that is the furthest off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<WatchedPart>,
    /// What `predict` and `evaluate` warn of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<Shift>,
}

/// A part of a column, and the share of cells that have it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WatchedPart {
    /// What they have.
    #[serde(flatten)]
    pub part: ColumnPart,
    /// The share in training.
    pub before: f64,
    /// The share here.
    pub now: f64,
}

/// Scores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WatchedScores {
    /// How far they are from those of training.
    #[serde(flatten)]
    pub scores: MovedScores,
    /// Whether that is beyond chance.
    pub moved: bool,
    /// Where they moved: whether another share of positives would explain it, so that positives and negatives each look as before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained_by_share: Option<bool>,
}

/// A share of rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WatchedShares {
    /// In training.
    pub before: f64,
    /// Here.
    pub now: f64,
    /// How likely they are that far apart by chance.
    pub p_value: f64,
    /// Whether that is too unlikely.
    pub moved: bool,
}

impl WatchedShares {
    fn new(shares: Shares, allowed: f64, level: f64) -> Self {
        let p_value = shares.p_value(allowed);
        Self { before: shares.share_before(), now: shares.share_now(), p_value, moved: p_value <= level }
    }
}

/// The share of positives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WatchedShare {
    /// Before and now.
    #[serde(flatten)]
    pub share: PositiveShare,
    /// Whether it moved.
    pub moved: bool,
}

/// Labels of the new rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WatchedLabels {
    /// How many rows are labeled.
    pub rows: usize,
    /// The scores of labeled rows, next to those of the fit.
    pub scores: WatchedScores,
    /// Of one sample of the population: the share of rows that is labeled, and what it would be were positives labeled as often as
    /// before. `None` where positives were drawn apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labeled: Option<WatchedShares>,
}

/// What a model promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Promises {
    /// How many rows to review for a recall, from reserved positives.
    Recall,
    /// The share of positives.
    Share,
    /// Probabilities.
    Probabilities,
}

/// Whether a promise stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stands {
    /// Nothing speaks against it.
    Holds,
    /// What it rests on cannot be told.
    Doubtful,
    /// What it rests on moved.
    Fails,
    /// It was not made.
    NotMade,
}

/// Why a promise does not simply hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PromiseRests {
    /// The model has no reserved positives, or no share.
    Nothing,
    /// The fit contradicts itself, or an audit did.
    Fit,
    /// Columns hold something else.
    Columns,
    /// Positives, by their labels, have other scores.
    Labels,
    /// The share moved.
    Share,
    /// Scores moved in a way that no share explains.
    Scores,
    /// What it rests on is not told here.
    Untold,
}

/// A promise of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct WatchedPromise {
    /// Of what.
    pub promise: Promises,
    /// Whether it stands.
    pub stands: Stands,
    /// Why not, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<PromiseRests>,
}

/// What is not told of new rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum Untold {
    /// Anything: there are too few rows.
    Rows,
    /// Columns: the model is of texts or pictures.
    NoColumns,
    /// Some columns, of which the model of an earlier version does not tell what training saw, or whose kind is not compared.
    Columns {
        /// How many.
        columns: usize,
    },
    /// Scores and the share: the model of an earlier version does not tell how those of its fit were spread.
    Scores,
    /// Scores and the share: the model was fitted on these very rows, and there are no scores of them by models that had not met them.
    Met,
    /// The share: scores of positives and of the others are alike.
    Share,
    /// The share: no share explains how the scores moved.
    Unexplained,
    /// Labels: too few rows have one.
    Labels {
        /// How many.
        rows: usize,
    },
}

/// What moved, in the order of what matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moved {
    /// The share of positives.
    Share,
    /// Scores, as no share of positives explains.
    Scores,
    /// How often rows are predicted positive.
    Decisions,
    /// Which positives are labeled.
    LabeledScores,
    /// How many of the positives are.
    LabeledShare,
    /// Columns.
    Columns,
}

impl Watched {
    /// What moved.
    pub fn moved(&self) -> Vec<Moved> {
        let scores = self.scores.as_ref().is_some_and(|scores| scores.moved);
        let all = [
            (Moved::Share, self.share.is_some_and(|share| share.moved)),
            (Moved::Scores, scores),
            (Moved::Decisions, self.decisions.is_some_and(|decisions| decisions.moved)),
            (Moved::LabeledScores, self.labels.is_some_and(|labels| labels.scores.moved)),
            (
                Moved::LabeledShare,
                self.labels.and_then(|labels| labels.labeled).is_some_and(|shares| shares.moved),
            ),
            (Moved::Columns, self.columns.iter().any(|column| column.moved)),
        ];
        all.into_iter().filter_map(|(what, moved)| moved.then_some(what)).collect()
    }

    /// Columns of which `predict` warns.
    pub fn shifted(&self) -> impl Iterator<Item = &WatchedColumn> {
        self.columns.iter().filter(|column| column.shift.is_some())
    }

    fn decided(mut self) -> Self {
        let moved = self.moved();
        self.action = if self.untold.contains(&Untold::Rows) {
            Action::TooFew
        } else if self.shifted().next().is_some() {
            Action::CheckData
        } else if moved.iter().any(|moved| *moved != Moved::Columns) {
            Action::Refit
        } else if !moved.is_empty() {
            Action::Look
        } else {
            Action::Keep
        };
        self
    }
}
