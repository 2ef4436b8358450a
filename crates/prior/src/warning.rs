//! What a reader should know before using a share, as facts; sentences are made when they are shown.

use serde::{Serialize, Serializer};
use std::fmt;

/// An AUC that should not be above 1/2, with what chance may make of 1/2.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScarCheck {
    /// The AUC of positives against unlabeled rows.
    pub auc: f64,
    /// The most that is compatible with the assumption.
    pub limit: f64,
}

impl ScarCheck {
    /// Whether the sign is compatible with the assumption.
    pub fn holds(&self) -> bool {
        self.auc <= self.limit
    }
}

/// The likeliest reason why estimators part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Each estimate rests on too little to be near the others.
    TooFewPositives,
    /// No part of the ranking is (nearly) purely positive.
    ClassesOverlap,
    /// The labeled positives are not a random sample of the positives.
    LabelsNotAtRandom,
}

impl Reason {
    /// What it means and what to do, in one sentence.
    pub fn advice(self) -> &'static str {
        match self {
            Reason::TooFewPositives => {
                "too few labeled positives: label more, or give a prior known from elsewhere and learn at both ends of the \
                 interval"
            }
            Reason::ClassesOverlap => {
                "the classes overlap, so that no part of the ranking is purely positive: take the lower estimates more \
                 seriously than the higher ones, add features that separate, and learn at both ends of the interval"
            }
            Reason::LabelsNotAtRandom => {
                "the labeled positives may not be a random sample of the positives: ask how they were chosen, label a random \
                 sample of unlabeled rows by hand, and count the positives in it"
            }
        }
    }
}

/// What a reader should know before using a share.
#[derive(Clone, Debug, PartialEq)]
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
