//! Criteria for choosing among models on held-out positives and unlabeled rows, where lower is better.
//!
//! Each estimates without bias, under SCAR, a risk that is defined with true labels at the prior μ of the unlabeled
//! sample (the ranking risk an increasing linear function of one). They differ in what they reward:
//!
//! | criterion | smallest, over all scores, at | use it to compare |
//! |---|---|---|
//! | [`pu_log_risk`] | the logit of the posterior only: *proper* | probabilities |
//! | [`sigmoid_risk`] | scores far on the right side of the Bayes boundary: not proper | decisions, smoothly |
//! | [`zero_one_risk`] | every score with the Bayes decision: not proper | decisions at threshold 0 |
//! | [`ranking_risk`] | every increasing map of the posterior; needs no prior | rankings |
//!
//! Scores are logits. With an empty sample or a score that is NaN they return NaN. No comparison with NaN
//! holds, so a search that keeps the model with `risk < best` never picks it.

use crate::calibrate::probability;
use crate::ranked::Ranked;
use crate::sample::Sample;
use onesided_data::PriorInUnlabeled;

/// The log loss without negatives: mean_U softplus(f) - μ mean_P f.
///
/// With q = σ(f) the log loss at U's prior is μ E_P\[-ln q\] + E_U\[-ln(1 - q)\] - μ E_P\[-ln(1 - q)\], and
/// ln(1 - q) - ln q = -f (du Plessis et al., 2015). Proper. Not bounded below on a finite sample: one that was trained on
/// can drive it down without end, so it belongs to held-out scores.
pub fn pu_log_risk(positive: &[f32], unlabeled: &[f32], prior: PriorInUnlabeled) -> f64 {
    mean(unlabeled, softplus) - prior.get() * mean(positive, |f| f)
}

/// The share of mistakes at threshold 0, without negatives: 2 μ (1 - r) + a - μ, with r and a the shares of positives
/// and of unlabeled rows whose score is at least 0. Can fall below 0 by chance.
pub fn zero_one_risk(positive: &[f32], unlabeled: &[f32], prior: PriorInUnlabeled) -> f64 {
    // NaN passes through, where a comparison would call it negative.
    let step = |f: f64| if f.is_nan() { f } else { f64::from(u8::from(f >= 0.0)) };
    let (recall, share) = (mean(positive, step), mean(unlabeled, step));
    2.0 * prior.get() * (1.0 - recall) + share - prior.get()
}

/// [`zero_one_risk`] with the sigmoid loss in place of the step: 2 μ mean_P σ(-f) + mean_U σ(f) - μ.
pub fn sigmoid_risk(positive: &[f32], unlabeled: &[f32], prior: PriorInUnlabeled) -> f64 {
    2.0 * prior.get() * mean(positive, |f| probability(-f)) + mean(unlabeled, probability) - prior.get()
}

/// 1 - AUC of positives against unlabeled rows, ties half. Orders models as the AUC against negatives would, at any
/// prior.
pub fn ranking_risk(positive: &[f32], unlabeled: &[f32]) -> f64 {
    weighted_ranking_risk(positive.into(), unlabeled.into())
}

/// [`ranking_risk`] of rows with weights.
pub fn weighted_ranking_risk(positive: Sample, unlabeled: Sample) -> f64 {
    if positive.scores.iter().chain(unlabeled.scores).any(|score| score.is_nan()) {
        return f64::NAN;
    }
    let ranked = Ranked::weighted(positive, unlabeled);
    let (p, u) = ranked.each_once();
    ranked.auc(&p, &u).map_or(f64::NAN, |auc| 1.0 - auc)
}

/// ln(1 + e^x), without overflow.
pub(crate) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn mean(scores: &[f32], value: impl Fn(f64) -> f64) -> f64 {
    scores.iter().map(|&score| value(f64::from(score))).sum::<f64>() / scores.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Stream;

    fn mu(value: f64) -> PriorInUnlabeled {
        PriorInUnlabeled::new(value).unwrap()
    }

    #[test]
    fn by_hand() {
        // σ(ln 3) = 3/4, softplus(ln 3) = ln 4, softplus(-ln 3) = ln(4/3).
        let three = 3.0_f32.ln();
        let (p, u) = ([three, 0.0], [three, -three, -three, 0.0]);
        let close = |left: f64, right: f64| assert!((left - right).abs() < 1e-6, "{left} {right}");
        let softplus_u = (4.0_f64.ln() + 2.0 * (4.0_f64 / 3.0).ln() + 2.0_f64.ln()) / 4.0;
        close(pu_log_risk(&p, &u, mu(0.25)), softplus_u - 0.25 * 3.0_f64.ln() / 2.0);
        // r = 1 and a = 1/2: zero counts as predicted positive.
        close(zero_one_risk(&p, &u, mu(0.25)), 0.25);
        close(
            sigmoid_risk(&p, &u, mu(0.25)),
            0.5 * (0.25 + 0.5) / 2.0 + (0.75 + 0.25 + 0.25 + 0.5) / 4.0 - 0.25,
        );
        // ln 3 wins three and ties once, 0 wins two and ties once, of eight.
        close(ranking_risk(&p, &u), 1.0 - (3.5 + 2.5) / 8.0);
    }

    #[test]
    fn softplus_is_exact_at_both_ends() {
        assert_eq!((softplus(1e4), softplus(-1e4)), (1e4, 0.0));
        assert_eq!(softplus(-50.0), (-50.0_f64).exp());
    }

    #[test]
    fn what_cannot_be_measured_is_nan() {
        let nan = f32::NAN;
        for (p, u) in [(&[][..], &[1.0][..]), (&[1.0], &[]), (&[nan], &[1.0]), (&[1.0], &[0.0, nan])] {
            assert!(pu_log_risk(p, u, mu(0.3)).is_nan());
            assert!(zero_one_risk(p, u, mu(0.3)).is_nan());
            assert!(sigmoid_risk(p, u, mu(0.3)).is_nan());
            assert!(ranking_risk(p, u).is_nan());
        }
    }

    /// P ~ N(1, 1), negatives N(-1, 1), μ = 0.25: the posterior's logit is 2x - ln 3.
    #[test]
    fn they_estimate_the_risks_with_labels_and_only_the_log_risk_is_proper() {
        let mut stream = Stream::new(0, "line");
        let n = 200_000;
        let p: Vec<f64> = (0..n).map(|_| 1.0 + stream.normal()).collect();
        let labels: Vec<bool> = (0..n).map(|i| i % 4 == 0).collect();
        let u: Vec<f64> = labels.iter().map(|&y| if y { 1.0 } else { -1.0 } + stream.normal()).collect();
        let at = |slope: f64, offset: f64| {
            let scores = |x: &[f64]| -> Vec<f32> { x.iter().map(|x| (slope * x + offset) as f32).collect() };
            (scores(&p), scores(&u))
        };
        let offset = -(3.0_f64.ln());
        let (ps, us) = at(2.0, offset);
        let labeled = |loss: fn(f64) -> f64| {
            let signed = us.iter().zip(&labels).map(|(&f, &y)| loss(if y { f } else { -f }.into()));
            signed.sum::<f64>() / n as f64
        };
        let prior = mu(0.25);
        let near = |left: f64, right: f64| assert!((left - right).abs() < 0.005, "{left} {right}");
        near(pu_log_risk(&ps, &us, prior), labeled(|z| softplus(-z)));
        near(zero_one_risk(&ps, &us, prior), labeled(|z| f64::from(u8::from(z < 0.0))));
        near(sigmoid_risk(&ps, &us, prior), labeled(|z| probability(-z)));

        let best = pu_log_risk(&ps, &us, prior);
        for (slope, shift) in [(1.5, 0.0), (2.5, 0.0), (2.0, 0.5), (2.0, -0.5)] {
            let (ps, us) = at(slope, offset + shift);
            assert!(pu_log_risk(&ps, &us, prior) > best, "slope {slope}, shift {shift}");
        }
        let (steep_p, steep_u) = at(20.0, 10.0 * offset);
        assert!(sigmoid_risk(&steep_p, &steep_u, prior) < sigmoid_risk(&ps, &us, prior));
        // Not exactly equal: rounding to single precision makes a few ties.
        assert!((ranking_risk(&steep_p, &steep_u) - ranking_risk(&ps, &us)).abs() < 1e-8);
    }
}
