//! Several splits of the positives, each with its own reserved ones, made one list by e-values.
//!
//! Of one split with the cut c* at a level a, a certified row has the e-value
//!
//! ```text
//! e = (m / M) / p,   p = Γ(1 + c*) / (Γ(1 + c*) + ℓ - c*)
//! ```
//!
//! and every other row 0. By the argument of the module above, with P(certified) / p ≤ 1 in its third step, the e-values of the positives
//! add up to at most m on average ("compound" e-values). So does their mean over splits, whatever these have in common, and of a list of k rows with
//! e ≥ m / (α k) at most α are positive on average (Wang and Ramdas, JRSS B 2022; Bashari, Epstein, Romano and Sesia, arXiv 2302.07294). With one split
//! at a = α the list is that of the split.

use super::{CertifiedCut, NegativesTarget, p_value};

/// Rows that are not positive by several splits.
#[derive(Clone, Debug, PartialEq)]
pub struct EValueList {
    /// Which rows, ascending.
    pub rows: Vec<usize>,
    /// The smallest mean e-value of these; `None` where there are none.
    pub least: Option<f64>,
}

impl CertifiedCut {
    /// The e-value of a row of this split that has so many reserved positives below it.
    pub fn e_value(&self, rank: usize) -> f64 {
        match self.rank {
            Some(cut) if rank <= cut => {
                let p = p_value(cut, self.reserved, self.target.labeling_odds.get());
                self.looked_at as f64 / self.estimate / p
            }
            _ => 0.0,
        }
    }
}

impl NegativesTarget {
    /// The largest list of which every row has a mean e-value of at least m / (α k).
    pub fn by_e_values(&self, means: &[f64]) -> EValueList {
        let mut order: Vec<usize> = (0..means.len()).collect();
        order.sort_by(|&a, &b| means[b].total_cmp(&means[a]).then(a.cmp(&b)));
        let keeps = |&number: &usize| {
            let needed = means.len() as f64 / (self.fdr * number as f64);
            means[order[number - 1]] >= needed * (1.0 - 1e-12)
        };
        let number = (1..=means.len()).rev().find(keeps).unwrap_or(0);
        let least = number.checked_sub(1).map(|last| means[order[last]]);
        let mut rows = order[..number].to_vec();
        rows.sort_unstable();
        EValueList { rows, least }
    }
}
