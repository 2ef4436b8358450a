//! Probabilities from scores, with positives and unlabeled rows only.
//!
//! Let η be the posterior at the prior μ of the unlabeled sample. Positives are drawn with density ratio
//! p_p / p_u = η / μ, so among all functions q with E_U q = μ the mean E_P\[-ln q\] = E_U\[-(η/μ) ln q\] is smallest
//! at q = η (Gibbs' inequality): the criterion is proper, and negatives are nowhere in it. [`Calibration::fit`]
//! minimizes it over q = σ(slope · f + offset):
//!
//! ```text
//! minimize    mean_P softplus(-(slope f + offset)) + (ln slope)² / (2 n_p)
//! subject to  mean_U σ(slope f + offset) = μ
//! ```
//!
//! For every slope there is exactly one offset that meets the constraint, so one dimension is left. The second term is a
//! standard normal prior on ln slope, about as heavy as one positive: it keeps the slope finite when the scores separate
//! P from the rest perfectly, and trusts scores that are logits already when there are few positives. The slope stays
//! above zero, so calibration never changes a ranking.

use crate::criteria::softplus;
use crate::degenerate::LEAST_SPREAD;
use crate::error::{EvalError, check_scores};
use crate::sample::Sample;
use onesided_data::PriorInUnlabeled;
use serde::{Deserialize, Serialize};

/// Scores are grouped into at most this many runs of neighbors, each replaced by its mean, while the slope is sought.
/// The offset is then solved on every score.
const GROUPS: usize = 10_000;
/// The slope on standardized scores lies between e^-7 and e^7, about 1/1000 and 1000.
const LOG_SLOPE_BOUND: f64 = 7.0;
/// Spacing of the first search over ln slope; golden section refines the best point.
const LOG_SLOPE_STEP: f64 = 0.5;
/// Golden-section steps: 0.618^40 leaves 4e-9 of the bracket, below what a minimum can be located to.
const GOLDEN_STEPS: usize = 40;

/// The map from a score to a logit at the unlabeled sample's prior: slope · score + offset.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Positive.
    pub slope: f64,
    /// Added after the slope.
    pub offset: f64,
}

impl Calibration {
    /// Leaves scores as they are.
    pub fn identity() -> Self {
        Self { slope: 1.0, offset: 0.0 }
    }

    /// Slope 1 and the one offset for which the mean probability on `unlabeled` is the prior.
    pub fn offset_only(unlabeled: &[f32], prior: PriorInUnlabeled) -> Result<Self, EvalError> {
        check_scores("unlabeled", unlabeled)?;
        Ok(Self { slope: 1.0, offset: solve_offset(1.0, &each_alone(unlabeled.into()), prior) })
    }

    /// Fits slope and offset on held-out scores. Falls back to [`offset_only`](Self::offset_only) when all scores are
    /// the same (within 1e-6), since nothing then determines a slope.
    pub fn fit(positive: &[f32], unlabeled: &[f32], prior: PriorInUnlabeled) -> Result<Self, EvalError> {
        Self::fit_weighted(positive.into(), unlabeled.into(), prior)
    }

    /// [`fit`](Self::fit) on rows with weights: both means are weighted means, and the prior is the weighted share.
    pub fn fit_weighted(
        positive: Sample,
        unlabeled: Sample,
        prior: PriorInUnlabeled,
    ) -> Result<Self, EvalError> {
        check_scores("positive", positive.scores)?;
        check_scores("unlabeled", unlabeled.scores)?;
        let Some((center, spread)) = center_and_spread(positive.scores, unlabeled.scores) else {
            return Ok(Self { slope: 1.0, offset: solve_offset(1.0, &each_alone(unlabeled), prior) });
        };
        let standardized = |sample: Sample| -> Vec<Group> {
            let mut groups = grouped(sample);
            groups.iter_mut().for_each(|group| group.score = (group.score - center) / spread);
            groups
        };
        let (p, u) = (standardized(positive), standardized(unlabeled));
        let cost = |log_slope: f64| {
            let slope = log_slope.exp();
            let offset = solve_offset(slope, &u, prior);
            let given_scale = log_slope - spread.ln();
            mean(&p, |score| softplus(-(slope * score + offset)))
                + given_scale * given_scale / (2.0 * positive.scores.len() as f64)
        };
        let slope = minimize(cost).exp() / spread;
        Ok(Self { slope, offset: solve_offset(slope, &each_alone(unlabeled), prior) })
    }

    /// The logit of `score` at the unlabeled sample's prior. For the probability at another prior add
    /// [`logit_shift`](onesided_data::logit_shift), then take [`probability`].
    pub fn apply(&self, score: f32) -> f64 {
        self.slope * f64::from(score) + self.offset
    }
}

/// σ(logit) = 1 / (1 + e^-logit), without overflow at either end.
pub fn probability(logit: f64) -> f64 {
    if logit >= 0.0 {
        1.0 / (1.0 + (-logit).exp())
    } else {
        let e = logit.exp();
        e / (1.0 + e)
    }
}

/// Neighboring scores that are treated as one.
#[derive(Clone, Copy)]
struct Group {
    score: f64,
    members: f64,
}

fn each_alone(sample: Sample) -> Vec<Group> {
    let one = |(at, &score): (usize, &f32)| Group { score: f64::from(score), members: sample.weight(at) };
    sample.scores.iter().enumerate().map(one).collect()
}

fn grouped(sample: Sample) -> Vec<Group> {
    // Weighted rows are not grouped: there are few of them, or the time is accepted.
    if sample.scores.len() <= GROUPS || sample.weights.is_some() {
        return each_alone(sample);
    }
    let mut sorted = sample.scores.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    (0..GROUPS)
        .map(|k| &sorted[k * sorted.len() / GROUPS..(k + 1) * sorted.len() / GROUPS])
        .map(|run| {
            let sum: f64 = run.iter().map(|&score| f64::from(score)).sum();
            Group { score: sum / run.len() as f64, members: run.len() as f64 }
        })
        .collect()
}

fn mean(groups: &[Group], value: impl Fn(f64) -> f64) -> f64 {
    let (sum, members) = groups.iter().fold((0.0, 0.0), |(sum, members), group| {
        (sum + group.members * value(group.score), members + group.members)
    });
    sum / members
}

/// Mean and standard deviation of both samples together; `None` if the scores do not differ.
fn center_and_spread(positive: &[f32], unlabeled: &[f32]) -> Option<(f64, f64)> {
    let scores = || positive.iter().chain(unlabeled).map(|&score| f64::from(score));
    let n = (positive.len() + unlabeled.len()) as f64;
    let (low, high) = scores().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), s| (l.min(s), h.max(s)));
    let center = scores().sum::<f64>() / n;
    let variance = scores().map(|s| (s - center) * (s - center)).sum::<f64>() / n;
    (high - low >= LEAST_SPREAD).then(|| (center, variance.sqrt()))
}

/// The offset with mean_U σ(slope f + offset) = μ: Newton's method on the logit of the mean, which is nearly linear in
/// the offset even where the mean itself is flat, inside a bracket that bisection shrinks when Newton does not.
fn solve_offset(slope: f64, unlabeled: &[Group], prior: PriorInUnlabeled) -> f64 {
    let scaled = || unlabeled.iter().map(|group| slope * group.score);
    // At the ends every σ lies on one side of μ.
    let mut low = prior.logit() - scaled().fold(f64::NEG_INFINITY, f64::max);
    let mut high = prior.logit() - scaled().fold(f64::INFINITY, f64::min);
    let mut offset = (prior.logit() - mean(unlabeled, |score| slope * score)).clamp(low, high);
    let mut last_error = f64::INFINITY;
    for _ in 0..200 {
        let (q, slack, curvature) = unlabeled.iter().fold((0.0, 0.0, 0.0), |(q, slack, curvature), group| {
            let logit = slope * group.score + offset;
            // σ(-z) by its own formula: 1 - σ(z) would lose it for large z.
            let e = (-logit.abs()).exp();
            let (large, small) = (1.0 / (1.0 + e), e / (1.0 + e));
            let (up, down) = if logit >= 0.0 { (large, small) } else { (small, large) };
            let n = group.members;
            (q + n * up, slack + n * down, curvature + n * up * down)
        });
        let error = (q / slack).ln() - prior.logit();
        if error.abs() < 1e-12 || high - low <= 1e-14 * offset.abs() {
            break;
        }
        if error < 0.0 {
            low = offset
        } else {
            high = offset
        }
        // d logit(mean) / d offset = curvature (q + slack) / (q slack).
        let newton = offset - error * (q / curvature) * (slack / (q + slack));
        let stalled = error.abs() > 0.5 * last_error;
        last_error = error.abs();
        offset = if newton > low && newton < high && !stalled { newton } else { low + (high - low) / 2.0 };
    }
    offset
}

/// The place of the smallest cost within the slope's bounds: a coarse search, because the cost need not have a single
/// dip, and a golden section around its best point.
fn minimize(cost: impl Fn(f64) -> f64) -> f64 {
    let steps = (2.0 * LOG_SLOPE_BOUND / LOG_SLOPE_STEP) as usize;
    let grid = (0..=steps).map(|k| k as f64 * LOG_SLOPE_STEP - LOG_SLOPE_BOUND);
    let (best, _) = grid
        .map(|x| (x, cost(x)))
        .fold((0.0, f64::INFINITY), |best, point| if point.1 < best.1 { point } else { best });
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (best - LOG_SLOPE_STEP, best + LOG_SLOPE_STEP);
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut cost_left, mut cost_right) = (cost(left), cost(right));
    for _ in 0..GOLDEN_STEPS {
        if cost_left <= cost_right {
            (high, right, cost_right) = (right, left, cost_left);
            left = high - golden * (high - low);
            cost_left = cost(left);
        } else {
            (low, left, cost_left) = (left, right, cost_right);
            right = low + golden * (high - low);
            cost_right = cost(right);
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mu(value: f64) -> PriorInUnlabeled {
        PriorInUnlabeled::new(value).unwrap()
    }

    fn mean_probability(calibration: &Calibration, scores: &[f32]) -> f64 {
        scores.iter().map(|&score| probability(calibration.apply(score))).sum::<f64>() / scores.len() as f64
    }

    #[test]
    fn sigmoid_at_both_ends() {
        assert_eq!(probability(0.0), 0.5);
        assert!((probability(3.0_f64.ln()) - 0.75).abs() < 1e-15);
        assert_eq!((probability(1e4), probability(-1e4)), (1.0, 0.0));
        assert_eq!(probability(-700.0), (-700.0_f64).exp());
    }

    #[test]
    fn the_offset_in_closed_form() {
        // With x = e^offset: [2x/(1+2x) + x/(2+x)] / 2 = 1/2 at x = 1, for scores ± ln 2.
        let scores = [2.0_f32.ln(), -(2.0_f32.ln())];
        let fitted = Calibration::offset_only(&scores, mu(0.5)).unwrap();
        assert!(fitted.slope == 1.0 && fitted.offset.abs() < 1e-12, "{fitted:?}");
        // One score: the offset takes it to the prior's logit.
        let fitted = Calibration::offset_only(&[5.0], mu(0.2)).unwrap();
        assert!((fitted.offset - (0.25_f64.ln() - 5.0)).abs() < 1e-12, "{fitted:?}");
    }

    #[test]
    fn the_mean_meets_any_prior_on_any_scores() {
        let gentle: Vec<f32> = (0..101).map(|i| (i as f32 - 50.0) / 10.0).collect();
        let saturated: Vec<f32> = (0..100).map(|i| if i < 30 { 80.0 } else { -80.0 }).collect();
        let heavy: Vec<f32> = (0..100).map(|i| ((i as f32 - 50.0) / 10.0).powi(7)).collect();
        let far: Vec<f32> = (0..100).map(|i| 1e6 + i as f32).collect();
        for scores in [gentle, saturated, heavy, far] {
            for prior in [1e-6, 0.1, 0.3, 0.5, 0.9, 1.0 - 1e-6] {
                let fitted = Calibration::offset_only(&scores, mu(prior)).unwrap();
                let mean = mean_probability(&fitted, &scores);
                assert!((mean / prior - 1.0).abs() < 1e-6, "{mean} for {prior}");
                let fitted = Calibration::fit(&scores[..40], &scores, mu(prior)).unwrap();
                let mean = mean_probability(&fitted, &scores);
                assert!((mean / prior - 1.0).abs() < 1e-6, "{mean} for {prior}, {fitted:?}");
                assert!(fitted.slope > 0.0 && fitted.slope.is_finite());
            }
        }
    }

    #[test]
    fn constant_scores_get_an_offset_only() {
        let fitted = Calibration::fit(&[2.0; 5], &[2.0; 9], mu(0.3)).unwrap();
        assert_eq!(fitted, Calibration::offset_only(&[2.0; 9], mu(0.3)).unwrap());
        assert!((probability(fitted.apply(2.0)) - 0.3).abs() < 1e-12);
    }

    #[test]
    fn perfect_separation_keeps_the_slope_finite() {
        let positive: Vec<f32> = (0..50).map(|i| 1.0 + i as f32 / 50.0).collect();
        let unlabeled: Vec<f32> =
            (0..100).map(|i| if i < 30 { 1.0 + i as f32 / 30.0 } else { -1.0 - i as f32 / 100.0 }).collect();
        let fitted = Calibration::fit(&positive, &unlabeled, mu(0.3)).unwrap();
        assert!(fitted.slope > 1.0 && fitted.slope < 50.0, "{fitted:?}");
        assert!(probability(fitted.apply(1.0)) > 0.9 && probability(fitted.apply(-1.0)) < 0.1, "{fitted:?}");
    }

    #[test]
    fn scores_that_rank_backwards_are_flattened_not_flipped() {
        let positive: Vec<f32> = (0..200).map(|i| -1.0 - i as f32 / 200.0).collect();
        let unlabeled: Vec<f32> = (0..400).map(|i| i as f32 / 200.0 - 2.0).collect();
        let fitted = Calibration::fit(&positive, &unlabeled, mu(0.3)).unwrap();
        assert!(fitted.slope > 0.0 && fitted.slope < 0.1, "{fitted:?}");
    }

    #[test]
    fn grouping_changes_nothing_that_matters() {
        // 40,000 scores go through groups of four; 10,000 quantiles of the same long-tailed distribution do not. The
        // scale makes the slope nearly 1, where the penalty, which weighs less on more rows, is flat.
        let scores = |n: usize, shift: f64| -> Vec<f32> {
            let share = |i: usize| (i as f64 + 0.5) / n as f64;
            (0..n).map(|i| (0.0792 * (shift + 7.8 * (share(i) - 0.5)).sinh()) as f32).collect()
        };
        let many = Calibration::fit(&scores(40_000, 1.0), &scores(40_000, 0.0), mu(0.3)).unwrap();
        let few = Calibration::fit(&scores(10_000, 1.0), &scores(10_000, 0.0), mu(0.3)).unwrap();
        assert!((many.slope - few.slope).abs() < 1e-5, "{many:?} {few:?}");
        assert!((many.offset - few.offset).abs() < 1e-5, "{many:?} {few:?}");
    }

    #[test]
    fn bad_scores_are_refused() {
        assert_eq!(Calibration::fit(&[], &[1.0], mu(0.3)), Err(EvalError::Empty("positive")));
        assert_eq!(Calibration::fit(&[1.0], &[], mu(0.3)), Err(EvalError::Empty("unlabeled")));
        assert!(matches!(
            Calibration::fit(&[1.0], &[0.0, f32::NAN], mu(0.3)),
            Err(EvalError::NotFinite { sample: "unlabeled", index: 1, .. })
        ));
        assert!(Calibration::offset_only(&[f32::INFINITY], mu(0.3)).is_err());
        assert_eq!(Calibration::identity().apply(1.5), 1.5);
    }
}
