//! Whether new rows get other scores than the rows that a model was fitted on, and how many of them are positive.
//!
//! A model keeps [`ScoreReference`]: how the scores of held-out positives and of the others were spread, in a few cells. Scores of new
//! rows ([`NewScores`]) are compared with it by the statistic that columns are compared with
//! ([`Shares`](onesided_data::Shares)), and their share of positives follows from a mean ([`PositiveShare`]).

mod reference;
mod share;

pub use reference::{MovedScores, NewScores, ScoreReference, ScoreSample};
pub use share::{PositiveShare, ShareBefore};
