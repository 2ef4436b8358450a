//! Two signs in the scores of whether the assumptions hold.
//!
//! Labels picked at random and a purely positive region cannot be proved from positives and unlabeled rows: data whose
//! labels favor some positives look exactly like data with fewer positives. What can be seen is coarse, and each sign
//! has one direction: where it is bad, something is wrong; where it is good, nothing follows.
//!
//! * **random labels**: the AUC of the labeled positives against the μ n_u highest-scored unlabeled rows (at least 10).
//!   These should be the hidden positives, and labels picked at random are then no higher than they: an AUC near or
//!   below 1/2 is compatible, a high one says that labeled positives differ from all unlabeled rows. With a μ that was
//!   estimated from the same scores it fires only in plain cases, such as a P that is nowhere in U.
//! * **level top**: the AUC of P against U among the scores above the median of P. Where all of these are positives and
//!   labels were picked at random, P and U are alike there and it is 1/2. Where it is higher the ratio of the densities
//!   still rises at the top: estimates are upper bounds.

use crate::estimator::Evidence;
use crate::warning::{ScarCheck, ShareWarning};
use serde::Serialize;

/// One-sided 95 % of the normal distribution.
const ONE_SIDED: f64 = 1.645;
/// Differences below this do no harm, whatever their significance.
const HARMLESS: f64 = 0.02;
/// The fewest unlabeled rows to compare with.
const FEWEST: usize = 10;

/// The sign of these scores.
fn sign(positive: &[f64], unlabeled: &[f64]) -> ScarCheck {
    let (n, m) = (positive.len() as f64, unlabeled.len() as f64);
    let limit = 0.5 + HARMLESS + ONE_SIDED * ((n + m + 1.0) / (12.0 * n * m)).sqrt();
    ScarCheck { auc: auc(positive, unlabeled), limit }
}

/// What the scores show of the assumptions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Signs {
    /// The AUC of positives against negatives, (AUC of P against U − μ/2) / (1 − μ), at most 1.
    pub auc: f64,
    /// Whether labeled positives look like the hidden ones.
    pub random_labels: ScarCheck,
    /// Whether the ratio of the densities levels off at the top.
    pub level_top: ScarCheck,
}

impl Signs {
    /// Reads the signs off the scores at a share of positives μ.
    pub(crate) fn of(evidence: &Evidence, mu: f64) -> Self {
        let sorted = |scores: &[f64]| {
            let mut scores = scores.to_vec();
            scores.sort_unstable_by(f64::total_cmp);
            scores
        };
        let (p, u) = (sorted(evidence.positive_scores), sorted(evidence.unlabeled_scores));
        let top = ((mu * u.len() as f64).round() as usize).clamp(FEWEST.min(u.len()), u.len());
        let median = p[p.len() / 2];
        let above = |scores: &[f64]| scores[scores.partition_point(|&score| score < median)..].to_vec();
        let (p_above, u_above) = (above(&p), above(&u));
        let level_top = match u_above.len() {
            // Too few to tell.
            few if few < FEWEST => ScarCheck { auc: 0.5, limit: 1.0 },
            _ => sign(&p_above, &u_above),
        };
        let against_negatives = if mu < 1.0 { (auc(&p, &u) - mu / 2.0) / (1.0 - mu) } else { 1.0 };
        Self {
            auc: against_negatives.clamp(0.0, 1.0),
            random_labels: sign(&p, &u[u.len() - top..]),
            level_top,
        }
    }

    pub(crate) fn warnings(&self) -> Vec<ShareWarning> {
        let random =
            (!self.random_labels.holds()).then_some(ShareWarning::LabelsFavorSome(self.random_labels));
        let level = (!self.level_top.holds()).then_some(ShareWarning::NoPureTop(self.level_top));
        random.into_iter().chain(level).collect()
    }
}

/// The AUC of two sorted samples, ties counted half.
fn auc(positive: &[f64], unlabeled: &[f64]) -> f64 {
    let (mut below, mut up_to, mut wins) = (0, 0, 0.0);
    for &score in positive {
        while below < unlabeled.len() && unlabeled[below] < score {
            below += 1;
        }
        up_to = up_to.max(below);
        while up_to < unlabeled.len() && unlabeled[up_to] <= score {
            up_to += 1;
        }
        wins += (below + up_to) as f64 / 2.0;
    }
    wins / (positive.len() as f64 * unlabeled.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Stream;

    #[test]
    fn an_area_by_hand() {
        // 3 beats 0, 2 and ties 3 (2.5, twice), 1 beats 0, 0 ties 0.
        assert!((auc(&[0.0, 1.0, 3.0, 3.0], &[0.0, 2.0, 3.0]) - 6.5 / 12.0).abs() < 1e-12);
    }

    /// True log-ratios for P ~ N(distance/2, 1), negatives N(-distance/2, 1).
    fn normals(distance: f64, mu: f64, seed: u64) -> (Vec<f64>, Vec<f64>) {
        let mut stream = Stream::new(seed, "normals");
        let score = |x: f64| -(mu + (1.0 - mu) * (-distance * x).exp()).ln();
        let p = (0..1_000).map(|_| score(distance / 2.0 + stream.normal())).collect();
        let hidden = (mu * 4_000.0) as usize;
        let center = |i: usize| if i < hidden { distance / 2.0 } else { -distance / 2.0 };
        let u = (0..4_000).map(|i| score(center(i) + stream.normal())).collect();
        (p, u)
    }

    #[test]
    fn separate_classes_show_no_sign_and_overlap_shows_one() {
        let (p, u) = normals(5.0, 0.3, 1);
        let signs = Signs::of(&Evidence::of_scores(&p, &u), 0.3);
        assert!(
            signs.random_labels.holds() && signs.level_top.holds() && signs.warnings().is_empty(),
            "{signs:?}"
        );
        // The AUC of N(2.5, 1) over N(-2.5, 1) is Φ(5/√2) = 0.9998.
        assert!((signs.auc - 0.9998).abs() < 0.01, "{}", signs.auc);
        let (p, u) = normals(1.5, 0.1, 1);
        let signs = Signs::of(&Evidence::of_scores(&p, &u), 0.1);
        assert!(!signs.level_top.holds() && signs.auc < 0.95, "{signs:?}");
        assert!(signs.warnings()[0].to_string().contains("too high, and the share is a guess"));
    }

    #[test]
    fn positives_that_are_nowhere_in_u_are_noticed() {
        let p: Vec<f64> = (0..100).map(|i| 5.0 + f64::from(i)).collect();
        let u: Vec<f64> = (0..400).map(|i| -f64::from(i)).collect();
        let signs = Signs::of(&Evidence::of_scores(&p, &u), 0.0);
        assert_eq!(signs.random_labels.auc, 1.0);
        assert!(
            !signs.random_labels.holds() && signs.level_top.holds(),
            "nothing of U is above to compare with"
        );
        assert!(signs.warnings()[0].to_string().contains("labels favor some"));
    }
}
