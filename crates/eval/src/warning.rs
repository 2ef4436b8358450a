//! What a reader should know before trusting metrics, as facts; sentences are made when they are shown.

use crate::Contradiction;
use serde::{Serialize, Serializer};
use std::fmt;

/// What a reader should know before trusting metrics.
#[derive(Clone, Debug, PartialEq)]
pub enum MetricWarning {
    /// Almost no unlabeled row is predicted positive, or almost every one.
    Extreme {
        /// How many are.
        predicted: usize,
        /// Of how many.
        all: usize,
    },
    /// Far fewer unlabeled rows are predicted positive than are by the prior.
    HardlyAny {
        /// How many are.
        predicted: usize,
        /// Of how many.
        all: usize,
        /// How many are positive by the prior.
        expected: f64,
    },
    /// All unlabeled scores are about the same.
    SameScores {
        /// How far apart they are at most.
        within: f64,
        /// The lowest.
        low: f64,
    },
    /// Every unlabeled score is about the prior.
    RepeatsPrior {
        /// How far from it they are at most.
        within: f64,
        /// The prior.
        prior: f64,
    },
    /// No unlabeled row is predicted positive.
    NothingPredicted,
    /// No prior was given.
    NoPrior,
    /// The prior and the labels contradict one another.
    Contradiction(Contradiction),
    /// Estimates lie outside of what they can be.
    Outside {
        /// The prior.
        prior: f64,
        /// Their names and values.
        estimates: Vec<(&'static str, f64)>,
    },
}

impl fmt::Display for MetricWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MetricWarning::Extreme { predicted, all } => {
                let extreme = if 2 * predicted < *all { "almost nothing" } else { "almost everything" };
                write!(
                    f,
                    "degenerate predictor: {extreme} is predicted positive ({predicted} of {all} unlabeled rows)"
                )
            }
            MetricWarning::HardlyAny { predicted, all, expected } => write!(
                f,
                "hardly anything is predicted positive ({predicted} of {all} unlabeled rows, of which {expected:.0} are positive by \
                 the prior): the model has learned little, or the threshold is high; use the order of the rows, not the decision"
            ),
            MetricWarning::SameScores { within, low } => write!(
                f,
                "degenerate predictor: all unlabeled scores lie within {within:e} of one another, near {low:.6}"
            ),
            MetricWarning::RepeatsPrior { within, prior } => write!(
                f,
                "degenerate predictor: every unlabeled score lies within {within} of the prior {prior}, the trivial solution that \
                 repeats the prior for every row"
            ),
            MetricWarning::NothingPredicted => f.write_str(
                "no unlabeled row is predicted positive: precision and the Lee-Liu score are undefined",
            ),
            MetricWarning::NoPrior => f.write_str(
                "no prior was given: precision, F1, risk, accuracy and the AUC against negatives need one and are left out",
            ),
            MetricWarning::Contradiction(found) => found.fmt(f),
            MetricWarning::Outside { prior, estimates } => {
                let said: Vec<String> =
                    estimates.iter().map(|(name, value)| format!("{name} {value:.2}")).collect();
                write!(
                    f,
                    "the prior and the labels do not fit together: with {prior:.3} of the unlabeled rows positive, estimates lie \
                     outside [0, 1] ({}), and no value is given for them; the prior is wrong for these rows, the labeled \
                     positives are not a random sample of the positives, or the sample is small",
                    said.join(", ")
                )
            }
        }
    }
}

impl Serialize for MetricWarning {
    /// As its sentence.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}
