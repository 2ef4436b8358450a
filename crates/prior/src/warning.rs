//! What a reader should know before using a share, as facts; sentences are made when they are shown.

use crate::consensus::Reason;
use crate::signs::ScarCheck;
use serde::{Serialize, Serializer};
use std::fmt;

/// What a reader should know before using a share.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShareWarning {
    /// The labeled positives look unlike even the top of the unlabeled rows.
    LabelsFavorSome(ScarCheck),
    /// Positives and unlabeled rows differ even where scores are highest.
    NoPureTop(ScarCheck),
    /// The estimators do not agree.
    Disagreement {
        /// The lowest estimate.
        low: f64,
        /// The highest.
        high: f64,
        /// Why, most likely.
        reason: Reason,
    },
    /// No share can be ruled out.
    NothingRuledOut,
    /// The scores do not tell positives from unlabeled rows.
    NotSeparated {
        /// The AUC of positives against unlabeled rows.
        auc: f64,
        /// What could be chance.
        by_chance: f64,
    },
    /// The label frequency means more than all rows.
    MoreThanAll(f64),
    /// Ratios are cut off, so that no lower share can be told.
    RatiosCut {
        /// Above what.
        above: f64,
        /// The lowest share that can be told.
        floor: f64,
    },
    /// No node of the trees has more labels than the whole.
    NoRicherNode,
    /// The answer is the largest share that is tried.
    Largest(f64),
}

impl fmt::Display for ShareWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShareWarning::LabelsFavorSome(sign) => write!(
                f,
                "the labeled positives score higher than even the top of the unlabeled rows (AUC {:.3}, at most {:.3} is \
                 compatible with labels picked at random): either hardly any positives are hidden, or labels favor some of \
                 them",
                sign.auc, sign.limit
            ),
            ShareWarning::NoPureTop(sign) => write!(
                f,
                "positives and unlabeled rows differ even where scores are highest (AUC {:.3} above the median positive, at \
                 most {:.3} is compatible with a purely positive top): what estimators read off these scores is too high, and the \
                 share is a guess",
                sign.auc, sign.limit
            ),
            ShareWarning::Disagreement { low, high, reason } => write!(
                f,
                "the estimators do not agree: they say between {low:.3} and {high:.3}; most likely {}",
                reason.advice()
            ),
            ShareWarning::NothingRuledOut => {
                f.write_str("the data rule no share out: the answer is the upper bound 1")
            }
            ShareWarning::NotSeparated { auc, by_chance } => write!(
                f,
                "the scores do not tell positives from unlabeled rows (AUC {auc:.3}, where {by_chance:.3} could be chance): either \
                 nearly all unlabeled rows are positive or the scores are uninformative, so the interval reaches down to 0"
            ),
            ShareWarning::MoreThanAll(share) => write!(
                f,
                "the label frequency means a share of {share:.3}, more than all unlabeled rows; clipped to 1"
            ),
            ShareWarning::RatiosCut { above, floor } => write!(
                f,
                "ratios above {above} are cut off, so that no share below {floor} can be told from it; it may be less"
            ),
            ShareWarning::NoRicherNode => {
                f.write_str("no node of the trees has more labels than the whole; clipped to 1")
            }
            ShareWarning::Largest(share) => {
                write!(f, "the answer is the largest that is tried, {share}; it may be more")
            }
        }
    }
}

impl Serialize for ShareWarning {
    /// As its sentence.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
