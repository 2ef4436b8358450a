//! The criterion by which epochs and reductions are chosen, without a look at hidden labels.

use onesided_data::PriorInUnlabeled;
use onesided_eval::{Calibration, Sample, ranking_risk, weighted_ranking_risk};
use onesided_loss::softplus;
use std::borrow::Cow;

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
/// blind to the scale of the scores, so that objectives whose scores are not logits (nnPU with the sigmoid loss, a
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

/// Held-out scores of each kind, with weights where rows have weights.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeldScores<'a> {
    pub positive: Sample<'a>,
    pub unlabeled: Sample<'a>,
    /// Known negatives, of which there may be none.
    pub negative: Sample<'a>,
}

impl HeldScores<'_> {
    fn is_plain(&self) -> bool {
        let weights = [self.positive.weights, self.unlabeled.weights, self.negative.weights];
        self.negative.scores.is_empty() && weights.iter().all(Option::is_none)
    }

    /// [`held_out_risk`] with weights and known negatives.
    ///
    /// Under the same constraint E_U q = μ the log loss of negatives is smallest at the true posterior, too, so any
    /// weight of it leaves the criterion proper. It has (1 - μ) / μ, as in the log loss of both classes, times what the
    /// negatives weigh next to the unlabeled rows. Without a prior, the AUC is that of [`ranking`](Self::ranking).
    pub fn risk(&self, prior: Option<PriorInUnlabeled>) -> f64 {
        if self.is_plain() {
            return held_out_risk(self.positive.scores, self.unlabeled.scores, prior);
        }
        let Some(prior) = prior else { return self.ranking(None) };
        let Ok(calibration) = Calibration::fit_weighted(self.positive, self.unlabeled, prior) else {
            return f64::NAN;
        };
        let of_positives = self.positive.mean(|f| softplus(-calibration.apply(f)));
        if self.negative.scores.is_empty() {
            of_positives
        } else {
            let of_negatives = self.negative.mean(|f| softplus(calibration.apply(f)));
            of_positives + self.weight_of_negatives(prior) * of_negatives
        }
    }

    fn weight_of_negatives(&self, prior: PriorInUnlabeled) -> f64 {
        let v = weight_of_negatives(self.negative.scores.len() as f64);
        v * (1.0 - prior.get()) / prior.get()
    }

    /// 1 - AUC of positives against the others. An unlabeled row counts as 1 - μ of a negative, which is how much of one
    /// it is: so weighted, unlabeled rows and negatives have the say that their numbers give them in an estimate of the
    /// AUC, and it orders rankings as the true one does.
    pub fn ranking(&self, prior: Option<PriorInUnlabeled>) -> f64 {
        if self.is_plain() {
            return ranking_risk(self.positive.scores, self.unlabeled.scores);
        }
        let as_negative = 1.0 - prior.map_or(0.0, PriorInUnlabeled::get);
        let scores = [self.unlabeled.scores, self.negative.scores].concat();
        let of_unlabeled = (0..self.unlabeled.scores.len()).map(|at| as_negative * self.unlabeled.weight(at));
        let of_negatives = (0..self.negative.scores.len()).map(|at| self.negative.weight(at));
        let weights: Vec<f32> = of_unlabeled.chain(of_negatives).map(|weight| weight as f32).collect();
        weighted_ranking_risk(self.positive, Sample { scores: &scores, weights: Some(&weights) })
    }

    /// The log loss of true labels, for the method that has them.
    pub fn log_loss(&self) -> f64 {
        let sum = |sample: Sample, sign: f64| -> (f64, f64) {
            let each = sample
                .scores
                .iter()
                .enumerate()
                .map(|(at, &f)| (sample.weight(at), softplus(sign * f64::from(f))));
            each.fold((0.0, 0.0), |(sum, all), (weight, loss)| (sum + weight * loss, all + weight))
        };
        if self.is_plain() {
            return log_loss(self.positive.scores, self.unlabeled.scores);
        }
        let (p, n) = (sum(self.positive, -1.0), sum(self.unlabeled, 1.0));
        (p.0 + n.0) / (p.1 + n.1)
    }

    /// The terms of the risk, one per positive and one per negative, each so that their mean over the positives (the
    /// negatives) is its part of the risk; none if a score is not finite or there is no prior.
    pub fn losses(&self, prior: Option<PriorInUnlabeled>) -> Losses {
        let fitted =
            prior.map(|prior| (prior, Calibration::fit_weighted(self.positive, self.unlabeled, prior)));
        let Some((prior, Ok(calibration))) = fitted else { return Losses::default() };
        let of = |sample: Sample, sign: f64, factor: f64| -> Vec<f64> {
            let all = (0..sample.scores.len()).map(|at| sample.weight(at)).sum::<f64>()
                / sample.scores.len() as f64;
            let scores = sample.scores.iter().enumerate();
            scores
                .map(|(at, &f)| factor * softplus(sign * calibration.apply(f)) * sample.weight(at) / all)
                .collect()
        };
        Losses {
            positive: of(self.positive, -1.0, 1.0),
            negative: of(self.negative, 1.0, self.weight_of_negatives(prior)),
        }
    }

    /// [`risk`](Self::risk) on runs of neighboring scores: what training calls after every epoch.
    pub fn epoch_risk(&self, prior: Option<PriorInUnlabeled>) -> f64 {
        let thin = |sample: &Sample| match sample.weights {
            None => Cow::Owned(thinned(sample.scores)),
            Some(_) => Cow::Borrowed(&[][..]),
        };
        let (p, u, n) = (thin(&self.positive), thin(&self.unlabeled), thin(&self.negative));
        let with = |sample: &Sample, thinned: &[f32]| sample.weights.is_none() && !thinned.is_empty();
        let held = HeldScores {
            positive: if with(&self.positive, &p) { (&*p).into() } else { self.positive },
            unlabeled: if with(&self.unlabeled, &u) { (&*u).into() } else { self.unlabeled },
            negative: if with(&self.negative, &n) { (&*n).into() } else { self.negative },
        };
        held.risk(prior)
    }
}

/// Losses of held-out rows whose kind is known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses {
    pub positive: Vec<f64>,
    pub negative: Vec<f64>,
}

impl Losses {
    /// Standard error of the difference between two models' risks on the same rows. Part of the noise of a comparison;
    /// what the unlabeled rows add through the calibration is left out.
    pub fn standard_error(&self, other: &Losses) -> f64 {
        let of_positives = paired_standard_error(&self.positive, &other.positive);
        if self.negative.len() < 2 {
            of_positives
        } else {
            of_positives.hypot(paired_standard_error(&self.negative, &other.negative))
        }
    }
}

/// How much known negatives weigh next to the unlabeled rows, all together: n / (n + k), so that it grows with their
/// number. Five of them are noise, and a sample as large as k is worth half of what all unlabeled rows are.
pub(crate) fn weight_of_negatives(negatives: f64) -> f64 {
    negatives / (negatives + HALF_WEIGHT)
}

/// k of [`weight_of_negatives`]; chosen on four tables of the role learn.
const HALF_WEIGHT: f64 = 100.0;

/// The terms of [`held_out_risk`]: the calibrated log loss of each held-out positive; none if a score is not finite.
fn positive_losses(positive: &[f32], unlabeled: &[f32], prior: PriorInUnlabeled) -> Vec<f64> {
    match Calibration::fit(positive, unlabeled, prior) {
        Ok(calibration) => positive.iter().map(|&f| softplus(-calibration.apply(f))).collect(),
        Err(_) => Vec::new(),
    }
}

/// Standard error of the mean difference between two models' losses on the same rows.
fn paired_standard_error(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len()) as f64;
    let differences = || a.iter().zip(b).map(|(x, y)| x - y);
    let mean = differences().sum::<f64>() / n;
    (differences().map(|d| (d - mean) * (d - mean)).sum::<f64>() / (n - 1.0) / n).sqrt()
}

const RANKING: &str = "1 - AUC of held-out positives against unlabeled rows";
const RANKING_WITH_NEGATIVES: &str =
    "1 - AUC of held-out positives against unlabeled rows and known negatives";

/// What members of a portfolio are compared by, in words.
pub(crate) fn auc_name(task: &crate::Task) -> &'static str {
    match task.counts.negative {
        0 => "AUC of positives against unlabeled rows, out of fold",
        _ => "AUC of positives against unlabeled rows and known negatives, out of fold",
    }
}

/// What models of a task are compared by, in words.
pub(crate) fn name(task: &crate::Task) -> &'static str {
    match (task.truth, task.mu(), task.counts.negative > 0) {
        (true, _, _) => "log loss of held-out rows",
        (false, Some(_), false) => "calibrated log loss of held-out positives",
        (false, Some(_), true) => "calibrated log loss of held-out positives and known negatives",
        (false, None, false) => RANKING,
        (false, None, true) => RANKING_WITH_NEGATIVES,
    }
}

/// The log loss of true labels.
fn log_loss(positive: &[f32], negative: &[f32]) -> f64 {
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

    fn held<'a>(positive: &'a [f32], unlabeled: &'a [f32]) -> HeldScores<'a> {
        HeldScores { positive: positive.into(), unlabeled: unlabeled.into(), ..HeldScores::default() }
    }

    #[test]
    fn known_negatives_take_part_and_keep_the_criterion_proper() {
        let (p, u, mu) = line(4_000, 8_000);
        let mut stream = Stream::new(6, "negatives");
        let n: Vec<f32> = (0..500).map(|_| (stream.normal() - 1.0) as f32).collect();
        let mapped = |map: &dyn Fn(f32) -> f32| {
            let all = |x: &[f32]| x.iter().map(|&x| map(x)).collect::<Vec<f32>>();
            let (p, u, n) = (all(&p), all(&u), all(&n));
            HeldScores { negative: (&n).into(), ..held(&p, &u) }.risk(Some(mu))
        };
        let truth = mapped(&|x| 2.0 * x - 3f32.ln());
        // Next to 0.678 of the positives: 3 v E_N[softplus(2x - ln 3)] = 3 v · 0.2126 by numerical integration.
        let expected = 0.67792 + 3.0 * weight_of_negatives(500.0) * 0.2126;
        assert!((truth - expected).abs() < 0.06, "{truth} {expected}");
        assert!(mapped(&|x| x - 0.8 * x * x) > truth + 0.05);
        assert!(mapped(&|x| -x) > truth + 0.5);
        let (p, u, n) = ([2.0f32, 1.0], [0.0f32, 3.0], [1.5f32]);
        let risk = HeldScores { negative: n.as_slice().into(), ..held(&p, &u) };
        // Pairs won: 2 of U's 4 at a weight of 3/4, and 1 of N's 2.
        assert!((risk.ranking(Some(mu)) - (1.0 - (2.0 * 0.75 + 1.0) / (4.0 * 0.75 + 2.0))).abs() < 1e-7);
    }

    #[test]
    fn weights_count_like_repeated_rows() {
        let (p, u, mu) = line(60, 90);
        let twice = |of: &[f32]| [of, &of[..30]].concat();
        let weights = |n: usize| (0..n).map(|at| if at < 30 { 2.0 } else { 1.0 }).collect::<Vec<f32>>();
        let (wp, wu) = (weights(60), weights(90));
        let weighted = HeldScores {
            positive: Sample { scores: &p, weights: Some(&wp) },
            unlabeled: Sample { scores: &u, weights: Some(&wu) },
            negative: Sample::default(),
        };
        let (p, u) = (twice(&p), twice(&u));
        let repeated = held(&p, &u);
        // The weak pull of the slope counts rows and not weights: equal but for that.
        assert!((weighted.risk(Some(mu)) - repeated.risk(Some(mu))).abs() < 1e-3);
        assert!((weighted.ranking(None) - repeated.ranking(None)).abs() < 1e-12);
        assert!((weighted.log_loss() - repeated.log_loss()).abs() < 1e-12);
    }

    #[test]
    fn runs_of_neighbors_give_nearly_the_same_risk() {
        let (p, u, mu) = line(3_000, 12_345);
        let (whole, quick) = (held_out_risk(&p, &u, Some(mu)), held(&p, &u).epoch_risk(Some(mu)));
        assert!((whole - quick).abs() < 2e-3, "{whole} {quick}");
        assert!((ranking_risk(&p, &u) - held(&p, &u).epoch_risk(None)).abs() < 2e-3);
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
