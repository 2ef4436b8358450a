//! Rows that are not positive, with a bound on how many of them are ([`NegativesTarget`]): closed unread.
//!
//! | rows | from | |
//! |---|---|---|
//! | new ones | a model with reserved positives, which calibrate | [`List::negatives`](crate::List::negatives) |
//! | the table that holds the labels | the labels alone: it fits for itself | [`TableNegatives`] |
//!
//! A model that was fitted on rows cannot certify these very rows: it has met their hidden positives as unlabeled rows and scores
//! them lower than the reserved ones, which it has not met.

mod columns;
mod fitted_table;
mod refuted;

pub use columns::CertifiedColumns;
pub use fitted_table::{CertifiedTable, TableNegatives};
pub(crate) use refuted::not_certified;

use onesided_data::{agree, counted, grouped};
use onesided_eval::{CertifiedCut, LabelingOdds};
use serde::Serialize;
use std::fmt;

/// What is counted: each must be independent of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CertifiedUnit {
    /// Rows.
    Rows,
    /// Groups of rows, none of which is positive.
    Groups,
}

impl CertifiedUnit {
    fn count(self, number: usize) -> String {
        counted(number, if self == CertifiedUnit::Rows { "rows" } else { "groups" })
    }
}

/// What is certified of some rows, and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certified {
    /// How many of such a list may be positive on average, as a share.
    pub fdr: f64,
    /// How much labels may favor some positives.
    pub labeling_odds: LabelingOdds,
    /// What is counted.
    pub unit: CertifiedUnit,
    /// How many were looked at.
    pub looked_at: usize,
    /// How many of them are not positive.
    pub certified: usize,
    /// How many rows that is.
    pub rows: usize,
    /// Rows that are labeled, and neither looked at nor listed.
    pub labeled: usize,
    /// Rows that are equal to some that were learned from, so that nothing can be said of them.
    pub met: usize,
    /// How many reserved positives calibrate it; the fewest of several splits.
    pub reserved: usize,
    /// How often the positives were split.
    pub splits: usize,
    /// About how many of those looked at are positive, on the high side; of the first split.
    pub positives_at_most: f64,
    /// How many score below every reserved positive; of the first split.
    pub below_all: usize,
    /// How many reserved positives it takes to certify those, where none is certified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed: Option<usize>,
    /// Up to which labeling odds the same list holds; of one split.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds_up_to_labeling_odds: Option<f64>,
    /// What it rests on, as a condition.
    pub assumes: String,
}

/// One certified row.
#[derive(Clone, Debug, PartialEq)]
pub struct CertifiedRow {
    /// Its number in the data, from 0.
    pub row: usize,
    /// Its score; of several splits, the mean.
    pub score: f32,
    /// The chance that a positive scores as low ([`CertifiedCut::p_value`]); of several splits, the mean e-value.
    pub evidence: f64,
    /// The cells of the columns that were asked for: what rows are known by, then what is kept.
    pub cells: Vec<String>,
}

impl Certified {
    pub(crate) fn of(cut: &CertifiedCut, unit: CertifiedUnit, random: String) -> Self {
        let labeling = cut.target.labeling();
        Self {
            fdr: cut.target.fdr(),
            labeling_odds: labeling,
            unit,
            looked_at: cut.looked_at,
            certified: cut.certified,
            rows: 0,
            labeled: 0,
            met: 0,
            reserved: cut.reserved,
            splits: 1,
            positives_at_most: cut.positives_at_most,
            below_all: cut.below_all,
            needed: cut.needed,
            holds_up_to_labeling_odds: cut.holds_up_to_labeling_odds,
            assumes: if labeling.is_random() { random } else { labeling.assumes() },
        }
    }

    /// What is not certified though somebody may have expected it, in sentences.
    pub fn notes(&self) -> Vec<String> {
        let met = (self.met > 0).then(|| {
            format!(
                "{} {} equal to some that were learned from, and {} not certified",
                counted(self.met, "rows"),
                agree(self.met, "is", "are"),
                agree(self.met, "is", "are"),
            )
        });
        let labeled = (self.labeled > 0).then(|| {
            format!("{} {} left out", counted(self.labeled, "labeled rows"), agree(self.labeled, "is", "are"))
        });
        met.into_iter().chain(labeled).collect()
    }

    /// Why there is nothing, and what it takes.
    fn nothing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reserved = counted(self.reserved, "reserved positives");
        write!(f, "none of {} can be certified with {reserved}: ", self.unit.count(self.looked_at))?;
        match (self.below_all, self.needed) {
            (0, _) => write!(
                f,
                "none scores below all of them, so the model tells no row from the positives that it finds least"
            ),
            (below, Some(needed)) => write!(
                f,
                "{} {} below all of them, and to certify so few takes about {} reserved positives that all score higher",
                grouped(below),
                agree(below, "scores", "score"),
                grouped(needed)
            ),
            (below, None) => {
                write!(
                    f,
                    "{} {} below all of them, but not in enough of the splits",
                    grouped(below),
                    agree(below, "scores", "score")
                )
            }
        }
    }
}

impl fmt::Display for Certified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.certified == 0 {
            return self.nothing(f);
        }
        let percent = (self.fdr * 1e6).round() / 1e4;
        write!(f, "{} of {} ", grouped(self.certified), self.unit.count(self.looked_at))?;
        match self.unit {
            CertifiedUnit::Rows => write!(f, "{} not positive; ", agree(self.certified, "is", "are"))?,
            CertifiedUnit::Groups => write!(
                f,
                "({}) {} no positive row; ",
                counted(self.rows, "rows"),
                agree(self.certified, "holds", "hold")
            )?,
        }
        let wrong = if self.unit == CertifiedUnit::Rows { "are positive" } else { "hold one" };
        write!(f, "on average at most {percent} % of such a list {wrong}, {}", self.assumes)?;
        match self.holds_up_to_labeling_odds {
            // Rounded down: it is a promise.
            Some(odds) => write!(
                f,
                " (the same list holds up to labeling odds of {:.2})",
                (odds * 100.0).floor() / 100.0
            ),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_eval::{NegativesTarget, RANDOM_LABELS, RankCounts};

    fn certified(below: usize, reserved: usize) -> Certified {
        let mut counts = RankCounts::new(reserved);
        (0..below).for_each(|_| counts.add(0));
        (below..100).for_each(|_| counts.add(reserved));
        let cut = NegativesTarget::new(0.05).unwrap().certify(&counts);
        Certified {
            rows: cut.certified,
            ..Certified::of(&cut, CertifiedUnit::Rows, RANDOM_LABELS.to_string())
        }
    }

    #[test]
    fn sentences_say_what_is_promised_or_what_it_takes() {
        let said = certified(80, 99).to_string();
        assert!(
            said.starts_with(
                "80 of 100 rows are not positive; on average at most 5 % of such a list are positive, if labels are a random sample of the \
                 positives (the same list holds up to labeling odds of 3.92)"
            ),
            "{said}"
        );
        // .05 · 2 / 100 = .001 takes 999.
        assert_eq!(
            certified(2, 40).to_string(),
            "none of 100 rows can be certified with 40 reserved positives: 2 score below all of them, and to certify so few takes \
             about 999 reserved positives that all score higher"
        );
        assert!(certified(0, 40).to_string().contains("none scores below all of them"));
        let groups = Certified { unit: CertifiedUnit::Groups, rows: 300, ..certified(80, 99) };
        assert!(groups.to_string().starts_with("80 of 100 groups (300 rows) hold no positive row; on average at most 5 % of such a list hold one, if"));
        let notes = Certified { met: 1, labeled: 3, ..certified(80, 99) }.notes();
        assert_eq!(notes[0], "1 row is equal to some that were learned from, and is not certified");
        assert_eq!(notes[1], "3 labeled rows are left out");
    }
}
