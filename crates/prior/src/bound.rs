//! What the data show without an assumption about the classes: an upper bound of μ.
//!
//! A share μ of U looks like P, so at any cut the tail of U holds at least μ times that of P: q_u ≥ μ q_p, and
//! μ ≤ q_u / q_p. With n_p and n_u rows, q_p is taken at its lower and q_u at its upper confidence limit. Both come from the
//! Chernoff bound of a binomial, `n KL(k/n, q) ≤ ln(1/δ)`, which holds for every n (Hoeffding, Journal of the American
//! Statistical Association 58, 1963). Cuts are made at [`RECALLS`] of P, the limits share the level among them, and the least
//! of the bounds is the answer. Labels must be a random subset of the positives; nothing else is assumed.
//!
//! If labels favor some positives, the positives in U are those of P by weights that differ by Γ at most (`onesided_eval`'s
//! `LabelingOdds`). Say they weigh at least w₀. Then μ w₀ q_p ≤ q_u in every tail, with w₀ relative to their mean; let κ be the
//! bound of above, so μ w₀ ≤ κ. A tail with shares q_p and q_u holds at most q_u of the positives in U, and the rest of P, which weighs
//! Γ w₀ at most, holds at most Γ κ (1 - q_p): μ ≤ q_u + Γ κ (1 - q_p) for every tail, and μ ≤ Γ κ. With many rows, cuts everywhere and
//! the ratio of densities r that rises as the score falls, the least of these is E_P min(Γ κ, r), the most that any such weights allow.
//! At Γ = 1 it is κ, because κ ≤ q_u / q_p.

use crate::estimator::Evidence;

/// The shares of P above the cuts.
pub(crate) const RECALLS: [f64; 11] = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// The rows of P and of U at or above a cut.
pub(crate) struct Tail {
    pub positive: f64,
    pub unlabeled: f64,
}

/// Scores of both samples from high to low.
pub(crate) struct Descending {
    positive: Vec<f64>,
    unlabeled: Vec<f64>,
}

impl Descending {
    pub(crate) fn new(evidence: &Evidence) -> Self {
        let sorted = |scores: &[f64]| {
            let mut scores = scores.to_vec();
            scores.sort_unstable_by(|a, b| b.total_cmp(a));
            scores
        };
        Self { positive: sorted(evidence.positive_scores), unlabeled: sorted(evidence.unlabeled_scores) }
    }

    /// The tails at the cut above which a share of P lies.
    pub(crate) fn tail(&self, recall: f64) -> Tail {
        let place = ((recall * self.positive.len() as f64).ceil() as usize).clamp(1, self.positive.len());
        let cut = self.positive[place - 1];
        let above = |scores: &[f64]| scores.partition_point(|&score| score >= cut) as f64;
        Tail { positive: above(&self.positive), unlabeled: above(&self.unlabeled) }
    }

    /// The AUC of P against U, ties counted half.
    pub(crate) fn auc(&self) -> f64 {
        let (mut above, mut up_to, mut losses) = (0, 0, 0.0);
        for &score in &self.positive {
            while above < self.unlabeled.len() && self.unlabeled[above] > score {
                above += 1;
            }
            up_to = up_to.max(above);
            while up_to < self.unlabeled.len() && self.unlabeled[up_to] >= score {
                up_to += 1;
            }
            losses += (above + up_to) as f64 / 2.0;
        }
        1.0 - losses / (self.positive.len() as f64 * self.unlabeled.len() as f64)
    }
}

/// The upper bound of μ at the evidence's confidence.
pub(crate) fn upper_bound(evidence: &Evidence, scores: &Descending) -> f64 {
    at_most(scores, evidence.confidence, 1.0)
}

/// The most that the share of positives among unlabeled rows may be, at a confidence, from the scores of labeled positives and of
/// unlabeled rows by what has met neither, if labels favor some positives by no more than a factor of `times`: 1 for labels at random.
/// It is at most `times` what it is for labels at random.
pub fn share_at_most(positive: &[f64], unlabeled: &[f64], times: f64, confidence: f64) -> f64 {
    at_most(&Descending::new(&Evidence::of_scores(positive, unlabeled)), confidence, times)
}

fn at_most(scores: &Descending, confidence: f64, times: f64) -> f64 {
    let (n_p, n_u) = (scores.positive.len() as f64, scores.unlabeled.len() as f64);
    let delta = (1.0 - confidence) / (2.0 * RECALLS.len() as f64);
    let limits = RECALLS.map(|recall| {
        let tail = scores.tail(recall);
        (lower_limit(tail.positive, n_p, delta), upper_limit(tail.unlabeled, n_u, delta))
    });
    let random = limits.iter().map(|(p, u)| u / p).fold(1.0, f64::min);
    if times == 1.0 {
        return random;
    }
    limits.iter().map(|(p, u)| u + times * random * (1.0 - p)).fold((times * random).min(1.0), f64::min)
}

/// The largest q that k successes in n tries do not rule out.
fn upper_limit(k: f64, n: f64, delta: f64) -> f64 {
    let (share, most) = (k / n, (1.0 / delta).ln() / n);
    bisect(share, 1.0, |q| divergence(share, q) <= most)
}

/// The least q that they do not rule out.
fn lower_limit(k: f64, n: f64, delta: f64) -> f64 {
    1.0 - upper_limit(n - k, n, delta)
}

/// Where `holds` ends between a place where it does and one where it may not.
fn bisect(mut inside: f64, mut outside: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = f64::midpoint(inside, outside);
        if holds(middle) { inside = middle } else { outside = middle }
    }
    inside
}

/// KL(p, q) of two coins.
fn divergence(p: f64, q: f64) -> f64 {
    let part = |p: f64, q: f64| if p > 0.0 { p * (p / q).ln() } else { 0.0 };
    part(p, q) + part(1.0 - p, 1.0 - q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Stream;

    #[test]
    fn limits_in_closed_form() {
        // No success in n tries: (1 - q)^n = δ.
        let q = upper_limit(0.0, 50.0, 0.01);
        assert!((q - (1.0 - 0.01f64.powf(1.0 / 50.0))).abs() < 1e-12, "{q}");
        assert!((lower_limit(50.0, 50.0, 0.01) - (1.0 - q)).abs() < 1e-12);
        assert_eq!(upper_limit(50.0, 50.0, 0.01), 1.0);
        assert_eq!(lower_limit(0.0, 50.0, 0.01), 0.0);
    }

    #[test]
    fn tails_and_area_by_hand() {
        let (p, u) = ([3.0, 1.0, 3.0, 0.0], [2.0, 0.0, 3.0]);
        let scores = Descending::new(&Evidence::of_scores(&p, &u));
        let tail = scores.tail(0.5);
        assert_eq!((tail.positive, tail.unlabeled), (2.0, 1.0), "at 3 and above");
        let tail = scores.tail(0.75);
        assert_eq!((tail.positive, tail.unlabeled), (3.0, 2.0), "at 1 and above");
        // 3 beats 0, 2 and ties 3 (2.5, twice), 1 beats 0, 0 ties 0.
        assert!((scores.auc() - 6.5 / 12.0).abs() < 1e-12);
    }

    /// The labels that hide the most within Γ: hidden positives weigh Γ where U has room for them. The bound holds, and with many rows it
    /// is near the most that any weights allow, E_P min(Γ κ, r), here by a sum over the line.
    #[test]
    fn the_bound_at_odds_holds_and_is_near_the_exact_one() {
        // Labeled positives are N(2, 1); negatives N(-2 + distance, 1). r = κ + (1 - κ) N / P at Γ = 1.
        let normal = |x: f64, center: f64| (-0.5 * (x - center).powi(2)).exp() / std::f64::consts::TAU.sqrt();
        for (gamma, kappa, center) in [(1.5, 0.2, -0.5), (3.0, 0.1, 0.0), (3.0, 0.2, 0.3), (8.0, 0.05, 0.0)] {
            let ratio = |x: f64| kappa + (1.0 - kappa) * normal(x, center) / normal(x, 2.0);
            let line = || (0..20_000).map(|i| -8.0 + 16.0 * (f64::from(i) + 0.5) / 20_000.0);
            let exact: f64 =
                line().map(|x| normal(x, 2.0) * ratio(x).min(gamma * kappa) * 16.0 / 20_000.0).sum();
            let (mut failures, mut widest) = (0, 0.0f64);
            const SETS: u64 = 500;
            for seed in 0..SETS {
                let many = seed == 0;
                let (n_p, n_u) = if many { (200_000, 1_000_000) } else { (150, 1_200) };
                let mut stream = Stream::new(seed, "bound-at-odds");
                let p: Vec<f64> = (0..n_p).map(|_| 2.0 + stream.normal()).collect();
                let u: Vec<f64> = (0..n_u)
                    .map(|_| if stream.uniform() < kappa { 2.0 } else { center } + stream.normal())
                    .collect();
                let most = share_at_most(&p, &u, gamma, 0.95);
                assert!(most <= gamma * share_at_most(&p, &u, 1.0, 0.95) + 1e-12);
                // The true share may be as high as that.
                failures += u32::from(most < exact);
                if many {
                    widest = widest.max(most / exact);
                }
            }
            println!(
                "odds {gamma}: exact {exact:.4}, {failures} of {SETS} below it, widest of many rows {widest:.3}"
            );
            assert!(failures as f64 <= 0.05 * SETS as f64 && widest < 1.2, "{failures} {widest}");
        }
    }

    #[test]
    fn the_bound_holds_and_closes_in() {
        for (n_p, n_u, most) in [(50, 400, 0.75), (400, 4_000, 0.42), (4_000, 40_000, 0.33)] {
            let mut failures = 0;
            for seed in 0..40 {
                let mut stream = Stream::new(seed, "bound");
                let p: Vec<f64> = (0..n_p).map(|_| 2.0 + stream.normal()).collect();
                let center = |i: usize| if i * 10 < n_u * 3 { 2.0 } else { -2.0 };
                let u: Vec<f64> = (0..n_u).map(|i| center(i) + stream.normal()).collect();
                let evidence = Evidence::of_scores(&p, &u);
                let bound = upper_bound(&evidence, &Descending::new(&evidence));
                assert!(bound < most, "{n_p}: {bound}");
                failures += usize::from(bound < 0.3);
            }
            assert_eq!(failures, 0, "{n_p} positives: a bound at 95 % that shares its level among 22 limits");
        }
    }
}
