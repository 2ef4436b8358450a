//! What is known of tables like this one.
//!
//! The data bound μ from above ([`bound`](crate::bound)); how far below the truth lies depends on how pure the top of the
//! ranking is, which P and U cannot show. But tables resemble one another. One class against the rest of hundreds of public
//! tables, with shares drawn at random, gives thousands of tasks with a known answer. Of the [`NEIGHBORS`] tasks most like
//! this one in four respects ([`Seen`]), weighted by likeness, the quantiles of
//!
//! ```text
//!   logit μ − logit consensus
//! ```
//!
//! say how far off the estimators were there. `benches/prior/experience` has the script that made the tasks and judged this
//! on tables that were left out; `tasks.csv` is what it wrote.

use crate::bound::Descending;
use crate::estimator::Evidence;
use serde::Serialize;

/// How many tasks are looked at.
pub const NEIGHBORS: usize = 200;
/// The tasks: four respects divided by their spreads, how far off the estimators were, and a weight. The first row has the
/// spreads, and the number of tables in place of the weight.
const TASKS: &str = include_str!("tasks.csv");
/// How many respects there are.
const RESPECTS: usize = 4;

/// A bound, an AUC and a consensus are taken as at least and at most these before their logits.
const BOUND: (f64, f64) = (0.001, 0.98);
const AUC: (f64, f64) = (0.5, 0.9995);
const CONSENSUS: (f64, f64) = (0.003, 0.997);

/// What can be seen of a table by the scores of P and U.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Seen {
    /// The logarithm of (share of U above the cut) / (share of P above it), an estimated bound of ln μ, at cuts above which
    /// 10, 30, 50 and 70 % of P lie.
    pub ln_bounds: [f64; 4],
    /// The AUC of P against U.
    pub auc: f64,
    /// Labeled positives.
    pub positive: usize,
    /// Unlabeled rows.
    pub unlabeled: usize,
    /// What the estimators say together.
    pub consensus: f64,
}

impl Seen {
    pub(crate) fn of(evidence: &Evidence, scores: &Descending, consensus: f64) -> Self {
        let (n_p, n_u) = evidence.sizes();
        let ln_bounds = [0.1, 0.3, 0.5, 0.7].map(|recall| {
            let tail = scores.tail(recall);
            // Half a row of one more: a tail of U without a row still has a logarithm.
            ((tail.unlabeled + 0.5) / (n_u + 1.0)).ln() - ((tail.positive + 0.5) / (n_p + 1.0)).ln()
        });
        Self { ln_bounds, auc: scores.auc(), positive: n_p as usize, unlabeled: n_u as usize, consensus }
    }

    /// The AUC against negatives, were the bound the truth: near 1 where the classes look apart.
    pub fn separation(&self) -> f64 {
        let [_, at_30, at_50, _] = self.ln_bounds;
        let bound = at_30.min(at_50).exp().clamp(BOUND.0, BOUND.1);
        ((self.auc - bound / 2.0) / (1.0 - bound)).clamp(AUC.0, AUC.1)
    }

    /// What likeness is measured by: the logit of the AUC against negatives, were the bound the truth; how much the bound
    /// rises from the top down; ln n_p; the logit of the consensus.
    fn respects(&self) -> [f64; RESPECTS] {
        let [at_10, _, _, at_70] = self.ln_bounds;
        [logit(self.separation()), at_70 - at_10, (self.positive as f64).ln(), self.guess()]
    }

    /// The logit of the consensus.
    fn guess(&self) -> f64 {
        logit(self.consensus.clamp(CONSENSUS.0, CONSENSUS.1))
    }
}

fn logit(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

/// The law of μ on tables like one that was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Experience {
    guess: f64,
    /// How far off estimators were on the tasks, ascending, and the sum of the weights up to each.
    off: Vec<(f64, f64)>,
}

impl Experience {
    /// What tables like this have shown.
    pub fn with(seen: &Seen) -> Self {
        let mut rows = TASKS.lines().skip(1).map(numbers);
        let spreads = rows.next().unwrap_or([1.0; RESPECTS + 2]);
        let respects = seen.respects();
        let here: [f64; RESPECTS] = std::array::from_fn(|i| respects[i] / spreads[i]);
        let distance = |row: &[f64]| here.iter().zip(row).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let mut tasks: Vec<(f64, f64, f64)> =
            rows.map(|row| (distance(&row), row[RESPECTS], row[RESPECTS + 1])).collect();
        tasks.sort_by(|a, b| a.0.total_cmp(&b.0));
        tasks.truncate(NEIGHBORS);
        let farthest = tasks.last().map_or(1.0, |task| task.0).max(1e-300);
        tasks.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut sum = 0.0;
        let off = tasks.into_iter().map(|(distance, off, weight)| {
            sum += (1.0 - (distance / farthest).powf(1.5)).powi(2) * weight + 1e-9;
            (off, sum)
        });
        Self { guess: seen.guess(), off: off.collect() }
    }

    /// The share below which μ lay in this share of them.
    pub fn quantile(&self, level: f64) -> f64 {
        let Some(last) = self.off.len().checked_sub(1) else { return f64::NAN };
        let at = self.off.partition_point(|(_, sum)| *sum < level * self.off[last].1).min(last);
        1.0 / (1.0 + (-(self.guess + self.off[at].0)).exp())
    }

    /// How many tasks there are, and of how many tables.
    pub fn size() -> (usize, usize) {
        let tables = TASKS.lines().nth(1).map(numbers).map_or(0, |row| row[RESPECTS + 1] as usize);
        (TASKS.lines().count().saturating_sub(2), tables)
    }
}

/// A row of the file, which is our own; a test reads all of it.
fn numbers(line: &str) -> [f64; RESPECTS + 2] {
    let mut cells = line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN));
    std::array::from_fn(|_| cells.next().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(ln_bounds: [f64; 4], auc: f64, consensus: f64) -> Seen {
        Seen { ln_bounds, auc, positive: 200, unlabeled: 2_000, consensus }
    }

    #[test]
    fn the_file_is_whole() {
        assert!(TASKS.lines().skip(1).flat_map(numbers).all(f64::is_finite));
        let (tasks, tables) = Experience::size();
        assert!(tasks > 2_000 && tables > 400, "{tasks} {tables}");
    }

    #[test]
    fn quantiles_rise_and_stay_inside() {
        let law = Experience::with(&seen([-1.5, -1.4, -1.2, -0.9], 0.8, 0.3));
        let found = [0.0, 0.025, 0.2, 0.5, 0.8, 0.975, 1.0].map(|level| law.quantile(level));
        assert!(found.windows(2).all(|pair| pair[0] <= pair[1]), "{found:?}");
        assert!(found[0] > 0.0 && found[6] < 1.0, "{found:?}");
    }

    #[test]
    fn a_level_top_and_a_clean_cut_are_believed_and_overlap_is_not() {
        // e^-1.6 = 0.2, and an AUC of 0.9 is that of perfect separation at a share of 0.2.
        let clean = Experience::with(&seen([-1.6, -1.6, -1.6, -1.6], 0.9, 0.2));
        assert!((clean.quantile(0.5) - 0.2).abs() < 0.03, "{}", clean.quantile(0.5));
        let overlap = Experience::with(&seen([-0.5, -0.4, -0.3, -0.2], 0.6, 0.6));
        assert!(overlap.quantile(0.5) < 0.4, "{}", overlap.quantile(0.5));
        assert!(overlap.quantile(0.975) - overlap.quantile(0.025) > 0.5);
    }

    #[test]
    fn a_table_beyond_all_others_has_the_outermost_for_neighbors() {
        let vast = Seen { positive: 1_000_000_000, ..seen([-40.0; 4], 1.0, 0.0) };
        let law = Experience::with(&vast);
        assert!(law.quantile(0.5).is_finite() && law.quantile(0.5) < 0.1, "{}", law.quantile(0.5));
    }

    /// By the Python that judged them: `benches/prior/experience/golden.py`.
    #[test]
    fn the_same_quantiles_as_where_it_was_judged() {
        for line in include_str!("golden.csv").lines().skip(1) {
            let n: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let seen = Seen {
                ln_bounds: [n[0], n[1], n[2], n[3]],
                auc: n[4],
                positive: n[5] as usize,
                unlabeled: n[6] as usize,
                consensus: n[7],
            };
            let law = Experience::with(&seen);
            for (level, expected) in [(0.025, n[8]), (0.5, n[9]), (0.975, n[10])] {
                let found = law.quantile(level);
                assert!((found - expected).abs() < 1e-6, "{seen:?} at {level}: {found} for {expected}");
            }
        }
    }
}
