//! What is known of tables like this one.
//!
//! The data bound μ from above ([`bound`](crate::bound)); how far below the truth lies depends on how pure the top of the
//! ranking is, which P and U alone cannot show. Two things help. The ratio of U to P changes in a certain way from the top
//! of the ranking down ([`binormal`]), and tables resemble one another: how far apart their classes are, how many rows are
//! positive. So the law of μ is a posterior. The likelihood is the binormal one, raised to a power below 1 because real
//! classes are not normal and the five numbers hang together. Six constants (the power, the law of the distance d given n_p,
//! the weights of the spreads) make the density at the true shares of a few thousand tasks from public tables largest.
//! `benches/prior/experience` has the tasks and the script.
//!
//! Before anything is seen, logits of shares are normal, mixed with a few that are even between 0 and 1. The interval uses a
//! [wide](Experience::quantile) law, so that rare and frequent positives are both covered, and the guess the
//! [usual](Experience::usual) shares of positives.

mod binormal;

use crate::bound::Descending;
use crate::estimator::Evidence;
use binormal::{Noisy, SPREADS, Shape};
use serde::Serialize;

/// Tasks that the constants were learned from, and their tables.
const LEARNED_FROM: (usize, usize) = (2_799, 462);
/// The power of the likelihood.
const POWER: f64 = 0.35;
/// The mean of d at 100 positives, how much it grows with ln n_p, and its deviation.
const DISTANCE: (f64, f64, f64) = (1.3, 0.4, 1.5);
/// Logarithms of the weights of the spreads.
const OF_SPREADS: [f64; 3] = [-0.3, 0.0, -0.3];
/// Shares before anything is seen: center, deviation of the logit, and how much is even between 0 and 1.
const WIDE: (f64, f64, f64) = (0.2, 1.6, 0.15);
const USUAL: (f64, f64, f64) = (0.15, 1.3, 0.05);

/// The grid: logits of μ from 0.002 to 0.98, distances from 0 to 5.
const LOGITS: usize = 64;
const ENDS: (f64, f64) = (0.002, 0.98);
const DISTANCES: usize = 36;
const FARTHEST: f64 = 5.0;

/// A bound and an AUC are taken as at least and at most these.
const BOUND: (f64, f64) = (0.001, 0.98);
const AUC: (f64, f64) = (0.5, 0.9995);

/// What can be seen of a table by the scores of P and U.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoreSummary {
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

impl ScoreSummary {
    pub(crate) fn of(evidence: &Evidence, scores: &Descending, consensus: f64) -> Self {
        let (n_p, n_u) = evidence.sizes();
        let ln_bounds = binormal::RECALLS.map(|(recall, _)| {
            let tail = scores.tail(recall);
            // Half a row of one more: a tail of U without a row still has a logarithm.
            ((tail.unlabeled + 0.5) / (n_u + 1.0)).ln() - ((tail.positive + 0.5) / (n_p + 1.0)).ln()
        });
        Self { ln_bounds, auc: scores.auc(), positive: n_p as usize, unlabeled: n_u as usize, consensus }
    }

    /// The AUC against negatives, were the bound the truth: near 1 where the classes look well separated.
    pub fn separation(&self) -> f64 {
        let [_, at_30, at_50, _] = self.ln_bounds;
        let bound = at_30.min(at_50).exp().clamp(BOUND.0, BOUND.1);
        ((self.auc - bound / 2.0) / (1.0 - bound)).clamp(AUC.0, AUC.1)
    }
}

/// The law of μ on tables like one that was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Experience {
    /// The middle of the sums of probability up to each logit of the grid, for either law.
    wide: Vec<f64>,
    usual: Vec<f64>,
}

impl Experience {
    /// What tables like this have shown.
    pub fn with(seen: &ScoreSummary) -> Self {
        let noisy = Noisy::new(seen);
        let (mean, slope, deviation) = DISTANCE;
        let mean = mean + slope * (seen.positive as f64 / 100.0).ln();
        let mut shapes = Vec::with_capacity(DISTANCES * SPREADS.len());
        for at in 0..DISTANCES {
            let distance = FARTHEST * at as f64 / (DISTANCES - 1) as f64;
            let of_distance = -0.5 * ((distance - mean) / deviation).powi(2);
            let spreads = SPREADS.iter().zip(OF_SPREADS);
            shapes.extend(
                spreads.map(|(&spread, of_spread)| (Shape::new(distance, spread), of_distance + of_spread)),
            );
        }
        let fits: Vec<f64> = (0..LOGITS)
            .map(|at| {
                let mu = sigmoid(place(at));
                let terms: Vec<f64> = shapes
                    .iter()
                    .map(|(shape, before)| POWER * noisy.likelihood(mu, shape) + before)
                    .collect();
                ln_sum(&terms)
            })
            .collect();
        Self { wide: sums(&fits, WIDE), usual: sums(&fits, USUAL) }
    }

    /// The share below which μ lies with this probability, if any share may come.
    pub fn quantile(&self, level: f64) -> f64 {
        reached(&self.wide, level)
    }

    /// The same if the share of positives is a usual one.
    pub fn usual(&self, level: f64) -> f64 {
        reached(&self.usual, level)
    }

    /// How many tasks it was learned from, and of how many tables.
    pub fn size() -> (usize, usize) {
        LEARNED_FROM
    }
}

/// The logits of the grid.
fn place(at: usize) -> f64 {
    let (low, high) = (logit(ENDS.0), logit(ENDS.1));
    low + (high - low) * at as f64 / (LOGITS - 1) as f64
}

/// The sums of the posterior up to the middle of each place.
fn sums(fits: &[f64], (center, deviation, even): (f64, f64, f64)) -> Vec<f64> {
    let weighed: Vec<f64> = fits
        .iter()
        .enumerate()
        .map(|(at, fit)| {
            let (t, mu) = (place(at), sigmoid(place(at)));
            let z = (t - logit(center)) / deviation;
            let normal = (-0.5 * z * z).exp() / deviation / std::f64::consts::TAU.sqrt();
            fit + ((1.0 - even) * normal + even * mu * (1.0 - mu)).ln()
        })
        .collect();
    let all = ln_sum(&weighed);
    let mut sum = 0.0;
    weighed
        .iter()
        .map(|term| {
            let part = (term - all).exp();
            sum += part;
            sum - 0.5 * part
        })
        .collect()
}

/// The share at which the sums reach a level, interpolated between logits.
fn reached(sums: &[f64], level: f64) -> f64 {
    let above = sums.partition_point(|&sum| sum < level);
    let t = match above {
        0 => place(0),
        _ if above == sums.len() => place(sums.len() - 1),
        _ => {
            let (low, high) = (sums[above - 1], sums[above]);
            let part = if high > low { (level - low) / (high - low) } else { 0.0 };
            place(above - 1) + part * (place(above) - place(above - 1))
        }
    };
    sigmoid(t)
}

fn ln_sum(terms: &[f64]) -> f64 {
    let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most + terms.iter().map(|term| (term - most).exp()).sum::<f64>().ln()
}

fn logit(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

fn sigmoid(t: f64) -> f64 {
    1.0 / (1.0 + (-t).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(ln_bounds: [f64; 4], auc: f64, consensus: f64) -> ScoreSummary {
        ScoreSummary { ln_bounds, auc, positive: 200, unlabeled: 2_000, consensus }
    }

    #[test]
    fn quantiles_rise_and_stay_inside() {
        let law = Experience::with(&seen([-1.5, -1.4, -1.2, -0.9], 0.8, 0.3));
        for of in [Experience::quantile, Experience::usual] {
            let found = [0.0, 0.025, 0.2, 0.5, 0.8, 0.975, 1.0].map(|level| of(&law, level));
            assert!(found.windows(2).all(|pair| pair[0] <= pair[1]), "{found:?}");
            assert!(found[0] > 0.0 && found[6] < 1.0, "{found:?}");
        }
    }

    #[test]
    fn a_level_top_and_a_clean_cut_are_believed_and_overlap_is_not() {
        // e^-1.6 = 0.2, and an AUC of 0.9 is that of perfect separation at a share of 0.2.
        let clean = Experience::with(&seen([-1.6, -1.6, -1.6, -1.6], 0.9, 0.2));
        assert!((clean.usual(0.5) - 0.2).abs() < 0.03, "{}", clean.usual(0.5));
        let overlap = Experience::with(&seen([-0.5, -0.4, -0.3, -0.2], 0.6, 0.6));
        // The consensus, 0.6, would be right if the top were pure.
        assert!(overlap.usual(0.5) < 0.5, "{}", overlap.usual(0.5));
        assert!(overlap.quantile(0.975) - overlap.quantile(0.025) > 0.5);
    }

    #[test]
    fn the_course_of_the_ratio_says_how_far_there_is_to_go() {
        // The same AUC against U. N(2, 1) over N(0, 1) at a share of 0.05, and a level top at 0.3 further apart.
        let rising = Experience::with(&seen([-2.83, -2.13, -1.5, -0.99], 0.900, 0.1));
        assert!(rising.usual(0.5) < 0.09 && rising.usual(0.5) > 0.02, "{}", rising.usual(0.5));
        let level = Experience::with(&seen([-1.2, -1.2, -1.2, -1.2], 0.85, 0.3));
        assert!((level.usual(0.5) - 0.3).abs() < 0.03, "{}", level.usual(0.5));
    }

    #[test]
    fn a_table_beyond_all_others_still_has_an_answer() {
        let vast =
            ScoreSummary { positive: 1_000_000_000, unlabeled: 2_000_000_000, ..seen([-40.0; 4], 1.0, 0.0) };
        let law = Experience::with(&vast);
        assert!(law.quantile(0.5).is_finite() && law.quantile(0.5) < 0.01, "{}", law.quantile(0.5));
        let nothing = ScoreSummary { positive: 10, unlabeled: 10, ..seen([0.3; 4], 0.2, 1.0) };
        assert!(Experience::with(&nothing).usual(0.5).is_finite());
    }

    /// By the Python that learned the constants: `benches/prior/experience/golden.py`.
    #[test]
    fn the_same_quantiles_as_where_it_was_judged() {
        let mut lines = 0;
        for line in include_str!("golden.csv").lines().skip(1) {
            let n: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let seen = ScoreSummary {
                ln_bounds: [n[0], n[1], n[2], n[3]],
                auc: n[4],
                positive: n[5] as usize,
                unlabeled: n[6] as usize,
                consensus: n[7],
            };
            let law = Experience::with(&seen);
            let found = [law.quantile(0.025), law.quantile(0.975), law.usual(0.3), law.usual(0.5)];
            for (found, expected) in found.iter().zip(&n[8..12]) {
                assert!((found - expected).abs() < 1e-5, "{seen:?}: {found} for {expected}");
            }
            lines += 1;
        }
        assert_eq!(lines, 12);
    }
}
