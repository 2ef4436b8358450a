//! The criterion by which epochs and reductions are chosen, without a look at hidden labels.

use onesided_data::PriorInUnlabeled;
use onesided_eval::{Calibration, ranking_risk};
use onesided_loss::softplus;

/// Scores of a sample are replaced by the means of this many runs of neighbors when an epoch is judged, so that
/// judging costs less than training even on small networks.
const GROUPS_PER_EPOCH: usize = 200;

/// The calibrated positive log loss of held-out scores; lower is better.
///
/// ```text
/// risk = mean_P softplus(-(a f + b)),  with (a, b) from Calibration::fit, so that mean_U σ(a f + b) = μ
/// ```
///
/// Among all functions q with E_U q = μ, E_P\[-ln q\] is smallest at the true posterior (at U's prior μ) and nowhere
/// else: the criterion is proper, though no negative takes part. Fitting the slope a and the offset b first makes it
/// blind to the scale of the scores, so that objectives whose scores are no logits (nnPU with the sigmoid loss, a
/// reduction that over-predicts) are judged by what is left after calibration, which every model here goes through.
///
/// Without a prior there is nothing to calibrate to, and the criterion is 1 - AUC of positives against unlabeled rows
/// ([`ranking_risk`]). NaN if a sample is empty or a score is not finite.
pub fn held_out_risk(positive: &[f32], unlabeled: &[f32], prior: Option<PriorInUnlabeled>) -> f64 {
    let Some(prior) = prior else {
        return ranking_risk(positive, unlabeled);
    };
    let losses = positive_losses(positive, unlabeled, prior);
    losses.iter().sum::<f64>() / losses.len() as f64
}

/// The terms of [`held_out_risk`]: the calibrated log loss of each held-out positive; none if a score is not finite.
pub(crate) fn positive_losses(positive: &[f32], unlabeled: &[f32], prior: PriorInUnlabeled) -> Vec<f64> {
    match Calibration::fit(positive, unlabeled, prior) {
        Ok(calibration) => positive.iter().map(|&f| softplus(-calibration.apply(f))).collect(),
        Err(_) => Vec::new(),
    }
}

/// Standard error of the mean difference between two models' losses on the same positives. Part of the noise of a
/// comparison; what the unlabeled rows add through the calibration is left out.
pub(crate) fn paired_standard_error(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len()) as f64;
    let differences = || a.iter().zip(b).map(|(x, y)| x - y);
    let mean = differences().sum::<f64>() / n;
    (differences().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0) / n).sqrt()
}

const RANKING: &str = "1 - AUC of held-out positives against unlabeled rows";
/// What members of a portfolio are compared by.
pub(crate) const AUC: &str = "AUC of positives against unlabeled rows, out of fold";

/// What models of a task are compared by, in words.
pub(crate) fn name(task: &crate::Task) -> &'static str {
    match (task.truth, task.mu()) {
        (true, _) => "log loss of held-out rows",
        (false, Some(_)) => "calibrated log loss of held-out positives",
        (false, None) => RANKING,
    }
}

/// [`held_out_risk`] on runs of neighboring scores: what training calls after every epoch.
pub(crate) fn epoch_risk(positive: &[f32], unlabeled: &[f32], prior: Option<PriorInUnlabeled>) -> f64 {
    held_out_risk(&thinned(positive), &thinned(unlabeled), prior)
}

/// The log loss of true labels, for the method that has them.
pub(crate) fn log_loss(positive: &[f32], negative: &[f32]) -> f64 {
    let (p, n) = (positive.len() as f64, negative.len() as f64);
    let of_positives = mean(positive, |f| softplus(-f64::from(f)));
    let of_negatives = mean(negative, |f| softplus(f64::from(f)));
    (p * of_positives + n * of_negatives) / (p + n)
}

fn mean(scores: &[f32], value: impl Fn(f32) -> f64) -> f64 {
    scores.iter().map(|&score| value(score)).sum::<f64>() / scores.len() as f64
}

fn thinned(scores: &[f32]) -> Vec<f32> {
    if scores.len() <= GROUPS_PER_EPOCH {
        return scores.to_vec();
    }
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    let start = |k: usize| k * sorted.len() / GROUPS_PER_EPOCH;
    (0..GROUPS_PER_EPOCH)
        .map(|k| &sorted[start(k)..start(k + 1)])
        .map(|run| mean(run, f64::from) as f32)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Stream;

    /// P ~ N(1, 1), U a quarter of it and three quarters N(-1, 1): the posterior at U's prior is σ(2x - ln 3).
    fn line(n_p: usize, n_u: usize) -> (Vec<f32>, Vec<f32>, PriorInUnlabeled) {
        let mut stream = Stream::new(5, "line");
        let positive = (0..n_p).map(|_| (1.0 + stream.normal()) as f32).collect();
        let unlabeled =
            (0..n_u).map(|i| (if i % 4 == 0 { 1.0 } else { -1.0 } + stream.normal()) as f32).collect();
        (positive, unlabeled, PriorInUnlabeled::new(0.25).unwrap())
    }

    #[test]
    fn scale_and_offset_do_not_matter_but_noise_does() {
        let (p, u, mu) = line(4_000, 8_000);
        let mapped = |map: &dyn Fn(f32) -> f32| {
            let all = |x: &[f32]| x.iter().map(|&x| map(x)).collect::<Vec<f32>>();
            held_out_risk(&all(&p), &all(&u), Some(mu))
        };
        let truth = mapped(&|x| 2.0 * x - 3f32.ln());
        // E_P[-ln σ(2x - ln 3)] for x ~ N(1, 1), by numerical integration: 0.67792.
        assert!((truth - 0.67792).abs() < 0.03, "{truth}");
        assert!((mapped(&|x| 20.0 * x + 7.0) - truth).abs() < 1e-3);
        assert!(mapped(&|x| x - 0.8 * x * x) > truth + 0.05);
        assert!(mapped(&|x| -x) > truth + 0.5);
    }

    #[test]
    fn runs_of_neighbors_give_nearly_the_same_risk() {
        let (p, u, mu) = line(3_000, 12_345);
        let (whole, quick) = (held_out_risk(&p, &u, Some(mu)), epoch_risk(&p, &u, Some(mu)));
        assert!((whole - quick).abs() < 2e-3, "{whole} {quick}");
        assert!((ranking_risk(&p, &u) - epoch_risk(&p, &u, None)).abs() < 2e-3);
    }

    #[test]
    fn standard_error_by_hand() {
        // Differences 1, 2, 3: variance 1, so √(1/3).
        let error = paired_standard_error(&[2.0, 4.0, 6.0], &[1.0, 2.0, 3.0]);
        assert!((error - (1.0f64 / 3.0).sqrt()).abs() < 1e-12, "{error}");
    }

    #[test]
    fn log_loss_by_hand() {
        // -ln σ(ln 3) = ln(4/3) twice, -ln(1 - σ(0)) = ln 2 once.
        let risk = log_loss(&[3f32.ln(), 3f32.ln()], &[0.0]);
        assert!((risk - (2.0 * (4.0f64 / 3.0).ln() + 2f64.ln()) / 3.0).abs() < 1e-7, "{risk}");
    }

    #[test]
    fn what_cannot_be_judged_is_not_a_number() {
        let mu = PriorInUnlabeled::new(0.5).ok();
        assert!(held_out_risk(&[f32::NAN], &[0.0], mu).is_nan());
        assert!(held_out_risk(&[], &[0.0], mu).is_nan());
    }
}
