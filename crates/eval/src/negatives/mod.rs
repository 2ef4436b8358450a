//! Rows that are not positive, with a bound on how many of them are.
//!
//! ℓ positives were set aside (*reserved*): the model has never met them. A row of which c reserved positives score at most as much
//! as it does looks no more positive than c of ℓ. If it were positive, and labels a random sample of the positives, its place among
//! them would be as good as any, so
//!
//! ```text
//! p = (1 + c) / (ℓ + 1)
//! ```
//!
//! is at most t with a chance of at most t; ties count against the row. Of m rows, those with c ≤ c* are certified,
//!
//! ```text
//! c* = the largest c ≤ K - 2 with  Γp / (Γp + 1 - p) · M ≤ α R(c),    K = ⌈(ℓ + 1) / 2⌉
//! M  = (1 + #{rows with c ≥ K - 1}) · (1 + Γ K / (ℓ - K))
//! ```
//!
//! with R(c) the rows that have at most c below them. On average at most α of such a list are positive. At Γ = 1 this is the procedure
//! of Benjamini and Hochberg (1995) with Storey's (2002) estimate M of how many rows are positive in place of m. Bates, Candès,
//! Lei, Romano and Sesia (Annals of Statistics 2023) show that it holds for such p, and Marandon, Lei, Mary and Roquain (arXiv 2208.06685) where
//! the scores were learned from the reserved positives and the rows together, all of them unlabeled.
//!
//! # With labels that favor some positives, and why it holds
//!
//! Let hidden positives be drawn with weights relative to labeled ones that differ by a factor of Γ at most, as
//! [`LabelingOdds`] says. Take one hidden positive i, and hold all other rows and the *unordered* set W of its score and the reserved ones.
//!
//! 1. Which score of W is the row's is decided by the weights, so P(the row's is among the r lowest) ≤ Γr / (Γr + ℓ + 1 - r): the worst
//!    weights are Γ for these and 1 for the others. That is Γp / (Γp + 1 - p) at p = r / (ℓ + 1), a p-value for every such labeling.
//! 2. Let p′ be the p of another row with W in place of the reserved ones. Where the row i is certified, p = p′ for rows that score no
//!    less than it, and all rows below it are certified by both. So R and M are functions R′, M′ of what is held, because p counts without weights
//!    (with the weights themselves they would not be, and Benjamini and Hochberg may fail: Jin and Candès, arXiv 2307.09291).
//! 3. So i adds at most E[P(Γp/(Γp + 1 - p) ≤ α R′/M′) / R′] ≤ α E[1/M′] to the mean share of positives. With M = m the sum over at most m
//!    hidden positives is α: proven.
//! 4. Of the m₀ - 1 other hidden positives, each scores at least the K-th lowest of W with a chance of q ≥ 1 - F(v), where v is the K-th lowest
//!    reserved one and F the law of hidden positives. E[1 / (1 + Bin(m₀ - 1, q))] ≤ 1 / (m₀ q). With u for the share of labeled positives
//!    above v, 1/q ≤ 1 + Γ (1/u - 1), and E[1/u] = ℓ / (ℓ - K), since u ~ Beta(ℓ + 1 - K, K). So E[1/M′] ≤ 1/m₀, and the sum is α.
//!
//! Step 4 takes positives as independent draws, given the score. Where the score was learned from the same rows they are exchangeable instead:
//! at Γ = 1 only ranks enter, whose law is the same; above, 1 to 3 hold and step 4 is a simulation's (`benches/certified`).
//!
//! A row may be given a higher c than it has, as one that must not be certified (c = ℓ) or a group of rows the c of its highest: 1 to 4 stay,
//! with an inequality more.

mod e_values;

pub use e_values::EValueList;

use crate::error::{EvalError, check_scores};
use crate::labeling::LabelingOdds;
use serde::Serialize;

/// With fewer reserved positives than that, half of the ranks leave none to certify by.
const LEAST: usize = 3;
/// How finely the Γ up to which a list holds is told, in logarithms.
const FINE: f64 = 1e-4;

/// How many of a list may be positive on average, and how much labels may favor some positives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct NegativesTarget {
    fdr: f64,
    labeling_odds: LabelingOdds,
}

/// Rows by how many reserved positives score at most as much: all that the procedure looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankCounts {
    rows: Vec<u64>,
}

/// The rows that are certified, as far as their ranks go.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CertifiedCut {
    /// What was asked for.
    #[serde(flatten)]
    pub target: NegativesTarget,
    /// How many reserved positives it rests on, ℓ.
    pub reserved: usize,
    /// How many rows, or groups of them, were looked at, m.
    pub looked_at: usize,
    /// How many of them are not positive.
    pub certified: usize,
    /// How many reserved positives score at most as much as the highest of these, c*; `None` where none is certified.
    pub rank: Option<usize>,
    /// About how many of the rows looked at are positive, on the high side: M, or all of them.
    pub positives_at_most: f64,
    /// M.
    #[serde(skip)]
    estimate: f64,
    /// How many rows score below every reserved positive.
    pub below_all: usize,
    /// Up to which labeling odds the same list holds; `None` where none is certified.
    pub holds_up_to_labeling_odds: Option<f64>,
    /// How many reserved positives it takes to certify [`below_all`](Self::below_all) rows, if all of these stay below them; `None` where there
    /// is none, or rows are certified.
    pub needed: Option<usize>,
}

impl NegativesTarget {
    /// The mean share of positives in such a list, strictly between 0 and 1, if labels are random.
    pub fn new(fdr: f64) -> Result<Self, EvalError> {
        match fdr > 0.0 && fdr < 1.0 {
            true => Ok(Self { fdr, labeling_odds: LabelingOdds::RANDOM }),
            false => Err(EvalError::OutsideUnit { what: "share of positives in the list (fdr)", value: fdr }),
        }
    }

    /// The same where labels may favor some positives.
    pub fn with_labeling(self, labeling_odds: LabelingOdds) -> Self {
        Self { labeling_odds, ..self }
    }

    /// The mean share of positives in such a list.
    pub fn fdr(&self) -> f64 {
        self.fdr
    }

    /// How much labels may favor some positives.
    pub fn labeling(&self) -> LabelingOdds {
        self.labeling_odds
    }

    /// The fewest reserved positives that can certify `certified` of `looked_at` rows of which `positives` may be positive: the
    /// smallest p, Γ / (Γ + ℓ), must be at most α k / M.
    pub fn needed(&self, certified: usize, positives: f64) -> usize {
        let odds = self.labeling_odds.get();
        let smallest = self.fdr * certified as f64 / positives.max(1.0);
        // 1 / .05 - 1 is 19, whatever the last bit says.
        ((odds * (1.0 / smallest - 1.0) - 1e-9).ceil() as usize).max(LEAST)
    }

    /// Which rows are certified.
    pub fn certify(&self, counts: &RankCounts) -> CertifiedCut {
        let (reserved, looked_at) = (counts.reserved(), counts.looked_at());
        let odds = self.labeling_odds.get();
        let rank = self.rank(counts, odds);
        let certified = rank.map_or(0, |rank| counts.at_most(rank));
        let below_all = counts.at_most(0);
        let estimate = counts.estimate(odds);
        let positives = estimate.min(looked_at as f64);
        let needed = (rank.is_none() && below_all > 0).then(|| self.needed(below_all, positives));
        CertifiedCut {
            target: *self,
            reserved,
            looked_at,
            certified,
            rank,
            positives_at_most: positives,
            estimate,
            below_all,
            holds_up_to_labeling_odds: rank.map(|_| self.holds_up_to(counts, certified)),
            needed,
        }
    }

    /// c*, the smallest of equal lists.
    fn rank(&self, counts: &RankCounts, odds: f64) -> Option<usize> {
        let most = counts.estimate(odds);
        let keeps = |&rank: &usize| {
            counts.rows[rank] > 0
                && p_value(rank, counts.reserved(), odds) * most
                    <= self.fdr * counts.at_most(rank) as f64 * (1.0 + 1e-12)
        };
        (0..counts.first_uncertain()).rev().find(keeps)
    }

    /// The largest Γ at which as many rows are certified.
    fn holds_up_to(&self, counts: &RankCounts, certified: usize) -> f64 {
        let keeps =
            |log: f64| self.rank(counts, log.exp()).is_some_and(|rank| counts.at_most(rank) >= certified);
        let (mut kept, mut broken) = (self.labeling_odds.get().ln(), LabelingOdds::MOST.ln());
        while broken - kept > FINE {
            let middle = f64::midpoint(kept, broken);
            if keeps(middle) { kept = middle } else { broken = middle }
        }
        kept.exp()
    }
}

/// The largest chance, over all labelings within the odds, that a positive has no more than `rank` of ℓ reserved ones below it.
fn p_value(rank: usize, reserved: usize, odds: f64) -> f64 {
    let below = odds * (1 + rank) as f64;
    below / (below + (reserved - rank) as f64)
}

impl RankCounts {
    /// No rows, and this many reserved positives.
    pub fn new(reserved: usize) -> Self {
        Self { rows: vec![0; reserved + 1] }
    }

    /// Rows by their scores, next to those of the reserved positives.
    pub fn of(reserved: &[f32], rows: &[f32]) -> Result<Self, EvalError> {
        check_scores("positive", reserved)?;
        check_scores("unlabeled", rows)?;
        let mut sorted = reserved.to_vec();
        sorted.sort_unstable_by(f32::total_cmp);
        let mut counts = Self::new(sorted.len());
        rows.iter().for_each(|&score| counts.add(rank_among(&sorted, score)));
        Ok(counts)
    }

    /// One row more, with so many reserved positives that score at most as much.
    pub fn add(&mut self, rank: usize) {
        let last = self.reserved();
        self.rows[rank.min(last)] += 1;
    }

    /// Adds other rows, each at the rank that `moved` makes of its own.
    pub fn merge(&mut self, others: &Self, moved: impl Fn(usize) -> usize) {
        let last = self.reserved();
        others.rows.iter().enumerate().for_each(|(rank, rows)| self.rows[moved(rank).min(last)] += rows);
    }

    /// Rows with this many reserved positives below them, or more, are never certified: K - 1.
    pub fn first_uncertain(&self) -> usize {
        self.middle().saturating_sub(1)
    }

    /// ℓ.
    pub fn reserved(&self) -> usize {
        self.rows.len() - 1
    }

    /// m.
    pub fn looked_at(&self) -> usize {
        self.at_most(self.reserved())
    }

    /// How many rows have at most so many reserved positives below them, R(c).
    fn at_most(&self, rank: usize) -> usize {
        self.rows[..=rank].iter().sum::<u64>() as usize
    }

    /// K: half of the ranks.
    fn middle(&self) -> usize {
        (self.reserved() + 1).div_ceil(2)
    }

    /// M, which may be more than all rows.
    fn estimate(&self, odds: f64) -> f64 {
        let (reserved, middle) = (self.reserved(), self.middle());
        if middle >= reserved {
            return f64::INFINITY;
        }
        let above: u64 = self.rows[middle - 1..].iter().sum();
        (1 + above) as f64 * (1.0 + odds * middle as f64 / (reserved - middle) as f64)
    }
}

/// How many of these scores, ascending, are at most this one.
pub fn rank_among(sorted: &[f32], score: f32) -> usize {
    sorted.partition_point(|&reserved| reserved <= score)
}

impl CertifiedCut {
    /// Whether a row is certified that has so many reserved positives below it.
    pub fn holds(&self, rank: usize) -> bool {
        self.rank.is_some_and(|cut| rank <= cut)
    }

    /// The chance that a positive has no more reserved ones below it, for the worst labeling within the odds that were asked for.
    pub fn p_value(&self, rank: usize) -> f64 {
        p_value(rank, self.reserved, self.target.labeling_odds.get())
    }
}

#[cfg(test)]
mod tests;
