//! Scores in order, in cells of equal or neighboring scores, each with its number of positives and of unlabeled rows.
//!
//! The scores are sorted once. Estimators then walk over cells: one for each distinct score, or a few thousand coarse
//! ones for the bootstrap, whose resamples are a Poisson draw per cell.

use crate::estimator::Evidence;
use crate::resample::poisson_all;
use onesided_data::Stream;

/// Cells for the bootstrap: each holds at most one in this many of the positives, and of the unlabeled rows.
pub(crate) const COARSE: usize = 2048;

/// Counts along the score axis, from the lowest score to the highest.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    /// The mean score of each cell.
    pub score: Vec<f64>,
    /// How many positives lie in each cell.
    pub positive: Vec<f64>,
    /// How many unlabeled rows lie in each cell.
    pub unlabeled: Vec<f64>,
}

impl Cells {
    /// One cell for each distinct score.
    pub(crate) fn new(evidence: &Evidence) -> Self {
        let sorted = |scores: &[f64]| {
            // Adding 0 turns −0 into 0, so that both fall into one cell.
            let mut scores: Vec<f64> = scores.iter().map(|&score| score + 0.0).collect();
            scores.sort_unstable_by(f64::total_cmp);
            scores
        };
        let (p, u) = (sorted(evidence.positive_scores), sorted(evidence.unlabeled_scores));
        let room = p.len() + u.len();
        let mut cells = Self {
            score: Vec::with_capacity(room),
            positive: Vec::with_capacity(room),
            unlabeled: Vec::with_capacity(room),
        };
        let (mut i, mut j) = (0, 0);
        while i < p.len() || j < u.len() {
            let score = match (p.get(i), u.get(j)) {
                (Some(&a), Some(&b)) => a.min(b),
                (Some(&a), None) => a,
                (None, Some(&b)) => b,
                (None, None) => break,
            };
            let (from_p, from_u) = (i, j);
            while p.get(i) == Some(&score) {
                i += 1;
            }
            while u.get(j) == Some(&score) {
                j += 1;
            }
            cells.score.push(score);
            cells.positive.push((i - from_p) as f64);
            cells.unlabeled.push((j - from_u) as f64);
        }
        cells
    }

    /// Neighbors put together, as long as a cell holds at most one in `limit` of the positives and of the unlabeled rows
    /// (or a single score). A sample of up to `limit` rows of each kind keeps its cells.
    pub(crate) fn coarse(&self, limit: usize) -> Self {
        let (n_p, n_u) = self.totals();
        let (most_p, most_u) = (n_p / limit as f64, n_u / limit as f64);
        if most_p <= 1.0 && most_u <= 1.0 {
            return self.clone();
        }
        let (most_p, most_u) = (most_p.max(1.0), most_u.max(1.0));
        let mut cells = Self { score: Vec::new(), positive: Vec::new(), unlabeled: Vec::new() };
        let (mut p, mut u, mut weighted) = (0.0, 0.0, 0.0);
        for i in 0..self.len() {
            let (more_p, more_u) = (self.positive[i], self.unlabeled[i]);
            if p + u > 0.0 && (p + more_p > most_p || u + more_u > most_u) {
                cells.push(weighted / (p + u), p, u);
                (p, u, weighted) = (0.0, 0.0, 0.0);
            }
            p += more_p;
            u += more_u;
            weighted += self.score[i] * (more_p + more_u);
        }
        cells.push(weighted / (p + u), p, u);
        cells
    }

    fn push(&mut self, score: f64, positive: f64, unlabeled: f64) {
        self.score.push(score);
        self.positive.push(positive);
        self.unlabeled.push(unlabeled);
    }

    /// How many cells there are.
    pub(crate) fn len(&self) -> usize {
        self.score.len()
    }

    /// n_p and n_u.
    pub(crate) fn totals(&self) -> (f64, f64) {
        (self.positive.iter().sum(), self.unlabeled.iter().sum())
    }

    /// The answers of `estimate` on resamples of coarse cells, from the stream called `name`.
    pub(crate) fn bootstrap(
        &self,
        evidence: &Evidence,
        name: &str,
        mut estimate: impl FnMut(&Cells) -> f64,
    ) -> Vec<f64> {
        let coarse = self.coarse(COARSE);
        let mut resample = coarse.clone();
        let mut stream = Stream::new(evidence.seed, name);
        (0..evidence.resamples)
            .map(|_| {
                poisson_all(&coarse.positive, &mut stream, &mut resample.positive);
                poisson_all(&coarse.unlabeled, &mut stream, &mut resample.unlabeled);
                estimate(&resample)
            })
            .collect()
    }

    /// How well the scores tell P from U.
    pub(crate) fn separation(&self) -> Separation {
        let (n_p, n_u) = self.totals();
        let (mut below, mut wins) = (0.0, 0.0);
        for i in 0..self.len() {
            wins += self.positive[i] * (below + self.unlabeled[i] / 2.0);
            below += self.unlabeled[i];
        }
        // The standard error of the AUC (Mann and Whitney 1947) when both samples are alike, one-sided 95 %.
        let by_chance = 0.5 + 1.645 * ((n_p + n_u + 1.0) / (12.0 * n_p * n_u)).sqrt();
        Separation { auc: wins / (n_p * n_u), by_chance }
    }
}

/// The AUC of P against U, and what two samples of one distribution would reach in one of twenty cases.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Separation {
    pub auc: f64,
    pub by_chance: f64,
}

impl Separation {
    /// Whether the scores rank positives above unlabeled rows by more than chance.
    pub(crate) fn evident(&self) -> bool {
        self.auc > self.by_chance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_a_cell() {
        let (p, u) = ([3.0, 1.0, 3.0, -0.0], [0.0, 3.0, 2.0]);
        let cells = Cells::new(&Evidence::of_scores(&p, &u));
        assert_eq!(cells.score, [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(cells.positive, [1.0, 1.0, 0.0, 2.0]);
        assert_eq!(cells.unlabeled, [1.0, 0.0, 1.0, 1.0]);
        // Pairs: 3 beats 0, 2 and ties 3 (2.5, twice), 1 beats 0, 0 ties 0.
        assert!((cells.separation().auc - 6.5 / 12.0).abs() < 1e-12);
    }

    #[test]
    fn coarse_cells_keep_the_counts() {
        let p: Vec<f64> = (0..1000).map(f64::from).collect();
        let u: Vec<f64> = (0..5000).map(|i| f64::from(i) / 7.0).collect();
        let cells = Cells::new(&Evidence::of_scores(&p, &u));
        let coarse = cells.coarse(100);
        assert_eq!(coarse.totals(), (1000.0, 5000.0));
        assert!(coarse.positive.iter().all(|&n| n <= 10.0) && coarse.unlabeled.iter().all(|&n| n <= 50.0));
        assert!(coarse.len() <= 250 && coarse.score.is_sorted(), "{}", coarse.len());
        assert_eq!(cells.coarse(5000).len(), cells.len());
    }
}
