//! Where to cut: rules for the threshold that need no negatives.

use crate::error::{EvalError, check_scores};
use onesided_data::{ClassPrior, PriorInUnlabeled};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How the threshold is chosen. Rows that score at least the threshold are predicted positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThresholdRule {
    /// 0.5. The most accurate rule when the scores are calibrated probabilities at the deployment prior.
    Half,
    /// The (1 - μ) quantile of the unlabeled scores: as many unlabeled rows are predicted positive as are positive. Asks
    /// for a good ranking and the prior, not for calibration.
    Quantile,
    /// The cut with the largest accuracy estimated from positives and unlabeled rows.
    MaxPuAccuracy,
}

impl fmt::Display for ThresholdRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ThresholdRule::Half => "half",
            ThresholdRule::Quantile => "quantile",
            ThresholdRule::MaxPuAccuracy => "max-pu-accuracy",
        })
    }
}

impl FromStr for ThresholdRule {
    type Err = EvalError;

    fn from_str(text: &str) -> Result<Self, EvalError> {
        match text {
            "half" => Ok(ThresholdRule::Half),
            "quantile" => Ok(ThresholdRule::Quantile),
            "max-pu-accuracy" => Ok(ThresholdRule::MaxPuAccuracy),
            other => Err(EvalError::UnknownRule(other.to_string())),
        }
    }
}

impl ThresholdRule {
    /// The threshold on the scale of the scores, which are held-out and increase with the posterior ([`Half`](Self::Half)
    /// needs calibrated probabilities at `deployment`). `prior` is the share of positives in `unlabeled`; `deployment`,
    /// the share where the classifier will work, matters to [`MaxPuAccuracy`](Self::MaxPuAccuracy) only.
    ///
    /// Cuts fall halfway between neighboring scores. Among cuts of the same accuracy the highest is taken.
    pub fn choose(
        self,
        positive: &[f32],
        unlabeled: &[f32],
        prior: PriorInUnlabeled,
        deployment: ClassPrior,
    ) -> Result<f64, EvalError> {
        check_scores("positive", positive)?;
        check_scores("unlabeled", unlabeled)?;
        Ok(match self {
            ThresholdRule::Half => 0.5,
            ThresholdRule::Quantile => share_above(unlabeled, prior),
            ThresholdRule::MaxPuAccuracy => {
                most_accurate(&descending(positive), &descending(unlabeled), prior, deployment)
            }
        })
    }
}

fn descending(scores: &[f32]) -> Vec<f32> {
    let mut sorted = scores.to_vec();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    sorted
}

/// The cut that leaves the share of positives in unlabeled rows at or above it, halfway between neighboring scores.
///
/// There must be a score.
pub fn share_above(unlabeled: &[f32], prior: PriorInUnlabeled) -> f64 {
    let unlabeled = descending(unlabeled);
    let above = (prior.get() * unlabeled.len() as f64).round() as usize;
    match above {
        0 => just_above(unlabeled[0]),
        n if n == unlabeled.len() => f64::from(unlabeled[n - 1]),
        n => halfway(unlabeled[n - 1], unlabeled[n]),
    }
}

/// Walks down both sorted samples at once and keeps the cut with the largest estimated accuracy.
///
/// The false positive rate is (a - μ r) / (1 - μ), so the accuracy at the deployment prior π is
/// π r + (1 - π) (1 - (a - μ r) / (1 - μ)). At π = μ this is PA - μ with PA = 2 μ r + 1 - a.
fn most_accurate(
    positive: &[f32],
    unlabeled: &[f32],
    prior: PriorInUnlabeled,
    deployment: ClassPrior,
) -> f64 {
    let (mu, pi) = (prior.get(), deployment.get());
    let accuracy = |hits: usize, predicted: usize| {
        let (r, a) = (hits as f64 / positive.len() as f64, predicted as f64 / unlabeled.len() as f64);
        pi * r + (1.0 - pi) * (1.0 - (a - mu * r) / (1.0 - mu))
    };
    let head = |hits: usize, predicted: usize| match (positive.get(hits), unlabeled.get(predicted)) {
        (Some(&p), Some(&u)) => Some(p.max(u)),
        (p, u) => p.or(u).copied(),
    };
    let (mut hits, mut predicted) = (0, 0);
    // Predicting nothing at all is a cut too.
    let mut best = (accuracy(0, 0), head(0, 0).map_or(f64::INFINITY, just_above));
    while let Some(score) = head(hits, predicted) {
        hits += positive[hits..].iter().take_while(|&&s| s == score).count();
        predicted += unlabeled[predicted..].iter().take_while(|&&s| s == score).count();
        let value = accuracy(hits, predicted);
        if value > best.0 {
            best = (value, head(hits, predicted).map_or(f64::from(score), |next| halfway(score, next)));
        }
    }
    best.1
}

fn halfway(upper: f32, lower: f32) -> f64 {
    (f64::from(upper) + f64::from(lower)) / 2.0
}

/// The next `f32` upwards, so that the threshold stays above the score when it is stored in single precision.
fn just_above(score: f32) -> f64 {
    f64::from(score.next_up())
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: [f32; 4] = [0.875, 0.75, 0.625, 0.25];
    const U: [f32; 8] = [0.875, 0.5, 0.375, 0.375, 0.25, 0.125, 0.125, 0.0];

    fn choose(rule: ThresholdRule, mu: f64, pi: f64) -> f64 {
        rule.choose(&P, &U, PriorInUnlabeled::new(mu).unwrap(), ClassPrior::new(pi).unwrap()).unwrap()
    }

    #[test]
    fn half_is_half() {
        assert_eq!(choose(ThresholdRule::Half, 0.25, 0.4), 0.5);
    }

    #[test]
    fn quantile_leaves_the_prior_above() {
        assert_eq!(choose(ThresholdRule::Quantile, 0.25, 0.25), 0.4375, "two of eight above");
        assert_eq!(choose(ThresholdRule::Quantile, 0.375, 0.25), 0.375, "a tie at the cut stays together");
        assert_eq!(choose(ThresholdRule::Quantile, 0.99, 0.25), 0.0, "everything");
        let nothing = choose(ThresholdRule::Quantile, 0.01, 0.25);
        assert!(nothing > 0.875 && nothing < 0.8751, "{nothing}");
    }

    #[test]
    fn largest_accuracy_by_hand() {
        // μ = π = 1/4, accuracy r/2 + 1 - a - 1/4. Cuts from the top: nothing 0.75; .875: r 1/4, a 1/8, 0.75;
        // .75: r 1/2, 0.875; .625: r 3/4, 1.0; .5: a 1/4, 0.875; lower cuts lose more.
        assert_eq!(choose(ThresholdRule::MaxPuAccuracy, 0.25, 0.25), 0.5625);
        // Where nearly everything is positive, missing one costs most: the cut goes below the lowest positive.
        assert_eq!(choose(ThresholdRule::MaxPuAccuracy, 0.25, 0.95), 0.1875);
        // Where nearly nothing is, one unlabeled row above costs more than the positive with it brings.
        assert_eq!(choose(ThresholdRule::MaxPuAccuracy, 0.001, 0.001), f64::from(0.875_f32.next_up()));
    }

    #[test]
    fn largest_accuracy_agrees_with_trying_every_cut() {
        let mut stream = onesided_data::Stream::new(0, "cuts");
        let p: Vec<f32> = (0..60).map(|_| ((1.0 + stream.normal()) * 4.0).round() as f32).collect();
        let u: Vec<f32> = (0..90).map(|_| ((stream.normal() * 1.3 - 0.3) * 4.0).round() as f32).collect();
        let (mu, pi) = (PriorInUnlabeled::new(0.3).unwrap(), ClassPrior::new(0.5).unwrap());
        let accuracy = |cut: f64| {
            let share =
                |s: &[f32]| s.iter().filter(|&&s| f64::from(s) >= cut).count() as f64 / s.len() as f64;
            let (r, a) = (share(&p), share(&u));
            0.5 * r + 0.5 * (1.0 - (a - 0.3 * r) / 0.7)
        };
        let best = (-80..80).map(|k| accuracy(f64::from(k) / 2.0 + 0.25)).fold(f64::NEG_INFINITY, f64::max);
        let cut = ThresholdRule::MaxPuAccuracy.choose(&p, &u, mu, pi).unwrap();
        assert_eq!(accuracy(cut), best);
    }

    #[test]
    fn rules_say_what_they_are() {
        for rule in [ThresholdRule::Half, ThresholdRule::Quantile, ThresholdRule::MaxPuAccuracy] {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        assert!("best".parse::<ThresholdRule>().unwrap_err().to_string().contains("use half, quantile"));
    }

    #[test]
    fn bad_scores_are_refused() {
        let (mu, pi) = (PriorInUnlabeled::new(0.3).unwrap(), ClassPrior::new(0.5).unwrap());
        assert!(ThresholdRule::Quantile.choose(&[1.0], &[], mu, pi).is_err());
        assert!(ThresholdRule::MaxPuAccuracy.choose(&[f32::NAN], &[1.0], mu, pi).is_err());
    }
}
