//! Signs that labels mean the opposite of what they were taken for.

use crate::About;
use onesided_data::{Hint, Scenario, agree, part_of};
use onesided_eval::Interval;
use std::fmt;

/// Why labels look inverted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inverted {
    /// Most rows of one sample are labeled positive, where a few labeled ones among many others were to be expected.
    MostAreLabeled {
        /// How many are.
        positive: usize,
        /// Of how many.
        rows: usize,
    },
    /// Rows that should score above the others score below them.
    RankBelow {
        /// The AUC.
        auc: f64,
        /// Whether the rows are known to be positive, or labeled so.
        known: bool,
    },
}

impl Inverted {
    /// Whether an AUC is below one half, by more than its interval.
    pub fn by_auc(auc: Interval, known: bool) -> Option<Self> {
        (auc.high < 0.5).then_some(Self::RankBelow { auc: auc.value, known })
    }

    /// The setting that answers the question.
    pub fn hint(&self) -> Hint {
        Hint { act: "names the value that means positive".into(), setting: "positive", value: None }
    }
}

impl fmt::Display for Inverted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Inverted::MostAreLabeled { positive, rows } => write!(
                f,
                "{} {} labeled positive, more than are unlabeled: are the labels inverted?",
                part_of(positive, rows, "rows"),
                agree(positive, "is", "are")
            ),
            Inverted::RankBelow { auc, known } => write!(
                f,
                "the {} rows score below the others (AUC {auc:.2}), where they should score above them: are the labels inverted?",
                if known { "positive" } else { "labeled" }
            ),
        }
    }
}

impl About {
    /// Why the labels that the model was fitted with look inverted, where they do.
    pub fn inverted(&self) -> Option<Inverted> {
        if self.is_supervised() {
            return None;
        }
        let auc = self.report.metrics.get("auc_pu").and_then(|&auc| Inverted::by_auc(auc, false));
        let (positive, unlabeled) = (self.counts.positive, self.counts.unlabeled);
        let most = self.scenario == Scenario::SingleSample && positive > unlabeled + self.counts.negative;
        let rows = positive + unlabeled + self.counts.negative;
        auc.or(most.then_some(Inverted::MostAreLabeled { positive, rows }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_words() {
        let most = Inverted::MostAreLabeled { positive: 810, rows: 1_000 };
        assert_eq!(
            most.to_string(),
            "810 of 1,000 rows are labeled positive, more than are unlabeled: are the labels inverted?"
        );
        let auc = |low: f64, high: f64| Interval { value: 0.11, low, high };
        let below = Inverted::by_auc(auc(0.05, 0.2), false).unwrap();
        assert!(
            below.to_string().starts_with("the labeled rows score below the others (AUC 0.11)"),
            "{below}"
        );
        assert_eq!(Inverted::by_auc(auc(0.05, 0.6), true), None);
    }
}
