//! The assumption behind every number without negatives, said in one sentence, and the one exact check of it.
//!
//! If labels are a random sample of the positives, a labeled and a hidden positive are alike: either scores above the other in
//! half of the pairs. With a share μ of positives among the unlabeled rows,
//!
//! ```text
//!   AUC of labeled against unlabeled rows = μ/2 + (1 - μ) AUC of positives against negatives ≤ 1 - μ/2,
//! ```
//!
//! however good the scores are. A higher AUC says that the share is too high, or that labels favor positives that are easy to
//! tell. How high it gets by chance needs no approximation of the scores: with perfect scores all that is lost is lost against
//! hidden positives, K of n unlabeled rows with K ~ Binomial(n, μ), and given K against m labeled rows the share that is lost
//! is Mann and Whitney's (1947), with mean 1/2 and variance (m + K + 1) / (12 m K). Scores that are not perfect lose
//! more. So the probability that no more is lost than was seen, summed over K, is the level at which the two are refuted. With
//! few rows most of that sum is K = 0, and nothing is refuted.

use crate::beta::ln_gamma;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What shares, metrics and promises rest on, to be said wherever one is printed.
pub const RANDOM_LABELS: &str = "if labels are a random sample of the positives";

/// The level at which a share and labels are refuted. Several looks at one table (when fitting, when evaluating, by an audit)
/// stay below 5 % together.
const LEVEL: f64 = 0.01;
/// A share or an area that reads 1.00 contradicts nothing: shares of positives are told with two or three digits.
pub(crate) const UNSEEN: f64 = 0.005;
/// How many standard deviations of K are summed over.
const FAR: f64 = 9.0;

/// The least that a share of positives among unlabeled rows may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastShare {
    /// A share that was told, or the lower end of an estimate's interval.
    pub share: f64,
    /// Whether it was measured by an audit.
    pub audited: bool,
}

/// A share of positives and labels of which one must be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contradiction {
    /// The share of positives among the unlabeled rows; of an estimate, the lower end of its interval.
    pub share: f64,
    /// Whether an audit measured it.
    pub audited: bool,
    /// The AUC of labeled against unlabeled rows.
    pub auc: f64,
    /// The most that it can be with this share.
    pub most: f64,
}

impl Contradiction {
    /// Whether an AUC of so many labeled rows against so many unlabeled ones is too high for this share and labels at random.
    pub fn found(auc: f64, labeled: f64, unlabeled: f64, least: LeastShare) -> Option<Self> {
        let LeastShare { share, audited } = least;
        let against_negatives = (auc - share / 2.0) / (1.0 - share);
        let seen = share > 0.0 && share < 1.0 && against_negatives > 1.0 + UNSEEN;
        let refuted = seen && lost_by_chance(1.0 - auc, labeled, unlabeled, share) < LEVEL;
        refuted.then_some(Self { share, audited, auc, most: 1.0 - share / 2.0 })
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { share, audited, auc, most } = self;
        let which = if *audited {
            "the share is measured, so the labels are not a random sample: they favor positives that are easy to tell"
        } else {
            "labels favor positives that are easy to tell, or the share is too high for these rows; an audit of some unlabeled rows \
             tells which"
        };
        write!(
            f,
            "share and labels do not fit together: with {share:.3} of the unlabeled rows positive, and {RANDOM_LABELS}, a labeled \
             row scores above an unlabeled one at most {most:.3} of the time, but here it does {auc:.3}. What rests on them is \
             left out (precision, recall, F1, accuracy, AUC against negatives, promises of recall): {which}"
        )
    }
}

/// The probability that labeled rows lose no more than a share `lost` of the pairs with unlabeled rows, if scores are perfect
/// and labels random.
fn lost_by_chance(lost: f64, labeled: f64, unlabeled: f64, share: f64) -> f64 {
    let n = unlabeled.round().max(1.0);
    let (mean, deviation) = (n * share, (n * share * (1.0 - share)).sqrt());
    let from = (mean - FAR * deviation - 1.0).floor().max(0.0) as u64;
    let to = (mean + FAR * deviation + 1.0).ceil().min(n) as u64;
    let ln_binomial = |k: f64| {
        ln_gamma(n + 1.0) - ln_gamma(k + 1.0) - ln_gamma(n - k + 1.0)
            + k * share.ln()
            + (n - k) * (1.0 - share).ln()
    };
    let of = |k: f64| {
        if k == 0.0 {
            return 1.0;
        }
        // Half a pair for the step from one number of lost pairs to the next.
        let of_hidden = lost * n / k + 0.5 / (labeled * k);
        let deviation = ((labeled + k + 1.0) / (12.0 * labeled * k)).sqrt();
        normal((of_hidden - 0.5) / deviation)
    };
    (from..=to).map(|k| k as f64).map(|k| ln_binomial(k).exp() * of(k)).sum()
}

/// The distribution function of the standard normal law (Abramowitz and Stegun, 1964, 26.2.17; exact to 10⁻⁷).
fn normal(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - normal(-z);
    }
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let parts = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let sum = parts.iter().rev().fold(0.0, |sum, part| (sum + part) * t);
    1.0 - sum * (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::with_truth::auc;
    use onesided_data::Stream;

    #[test]
    fn normal_and_chance_by_hand() {
        assert!((normal(0.0) - 0.5).abs() < 1e-7 && (normal(1.959_964) - 0.975).abs() < 1e-7);
        assert!((normal(-1.959_964) - 0.025).abs() < 1e-7);
        // Nothing is lost: either no positive is hidden, (1 - μ)^n, or those that are happen to lie below all labeled ones.
        let none = lost_by_chance(0.0, 1e9, 50.0, 0.1);
        assert!(none >= 0.9f64.powi(50) && none < 0.02, "{none}");
        // With one labeled and one hidden positive it is a coin.
        let coin = lost_by_chance(0.0, 1.0, 1.0, 1.0 - 1e-12);
        assert!((coin - 0.5).abs() < 1e-6, "{coin}");
    }

    /// Perfect scores and random labels are the worst case. The share of false cautions is the level at most, up to chance.
    #[test]
    fn random_labels_are_seldom_refuted() {
        for (labeled, unlabeled, share) in
            [(10, 100, 0.02), (20, 200, 0.3), (50, 2_000, 0.005), (100, 1_000, 0.1), (400, 1_000, 0.6)]
        {
            let mut refuted = 0;
            for seed in 0..1_000 {
                let mut stream = Stream::new(seed, "random-labels");
                let positive: Vec<f32> = (0..labeled).map(|_| 10.0 + stream.normal() as f32).collect();
                let hidden = |stream: &mut Stream| stream.uniform() < share;
                let other: Vec<f32> = (0..unlabeled)
                    .map(|_| if hidden(&mut stream) { 10.0 } else { 0.0 } + stream.normal() as f32)
                    .collect();
                let truth: Vec<bool> = (0..labeled + unlabeled).map(|row| row < labeled).collect();
                let auc = auc(&[positive, other].concat(), &truth).unwrap();
                let found = Contradiction::found(
                    auc,
                    labeled as f64,
                    unlabeled as f64,
                    LeastShare { share, audited: false },
                );
                refuted += usize::from(found.is_some());
            }
            assert!(refuted <= 20, "{refuted} of 1,000 with {labeled} of {unlabeled} at {share}");
        }
    }

    #[test]
    fn what_cannot_be_is_said() {
        // The AUC of easy positives: .99, where .086 of the unlabeled rows are positive.
        let found = |auc: f64, (labeled, unlabeled): (f64, f64), share: f64| {
            Contradiction::found(auc, labeled, unlabeled, LeastShare { share, audited: false })
        };
        let (many, few) = ((100.0, 3_000.0), (10.0, 20.0));
        let refuted = found(0.99, many, 0.086).unwrap();
        assert_eq!((refuted.auc, refuted.most), (0.99, 1.0 - 0.043));
        assert!(refuted.to_string().contains("at most 0.957 of the time, but here it does 0.990"));
        let audited = Contradiction { audited: true, ..refuted };
        assert!(audited.to_string().contains("so the labels are not a random sample"));
        // Just as high as it can be, a little above, and with too few rows to tell.
        assert_eq!([found(0.957, many, 0.086), found(0.96, many, 0.086)], [None, None]);
        assert_eq!([found(1.0, few, 0.086), found(1.0, many, 0.0)], [None, None]);
    }
}
