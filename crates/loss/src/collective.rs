//! The collective loss (cPU).
//!
//! C. Xie, Q. Cheng, L. Chen, J. Liang and Y. Xiao, "Collective loss function for positive and unlabeled learning",
//! arXiv 2005.03228, 2020. The paper prints a loss an example and does not say how a batch is reduced; the three ways
//! to read it are a [`Reduction`].

use crate::cross_entropy::{Class, cross_entropy};
use crate::curvature::{fill, logistic};
use crate::error::LossError;
use crate::objective::{Objective, check_parts};
use crate::part::{Part, Weighted, by_weights};
use crate::sampling::check_prior;
use crate::sigmoid::sigmoid_pair;
use std::fmt;
use std::str::FromStr;

/// How the terms of P and U are put together. L_U = −ln(1 − |mean_U σ(f) − μ|) is the unlabeled term.
///
/// In the population, q = σ(f) minimizes w_p E_P[−ln q] + w_u L_U at the true posterior of U if w_p ≤ μ w_u. A larger
/// weight on P makes q = min(1, t · posterior) with t > 1 where the classes overlap: the ranking is right, the
/// probabilities are too high. Where they do not overlap, every weight finds the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// (Σ_P softplus(−f) + n_u L_U) / (n_p + n_u): each example of U carries the batch's L_U. The literal reading;
    /// the weights follow the mix of the batch. Calibrated as long as n_p ≤ μ n_u.
    SampleMean,
    /// mean_P softplus(−f) + L_U. Does not depend on the mix of the batch, pushes P hardest, never calibrated where
    /// the classes overlap.
    #[default]
    SumOfMeans,
    /// μ mean_P softplus(−f) + L_U. Not in the paper; the largest weight of P that keeps the true posterior optimal.
    PriorWeighted,
}

impl Reduction {
    /// All reductions, in the order they are listed to users.
    pub const ALL: [Reduction; 3] = [Reduction::SampleMean, Reduction::SumOfMeans, Reduction::PriorWeighted];

    /// The weight of one positive score and that of the unlabeled term. Those of an empty part are not finite, and not
    /// to be used.
    pub(crate) fn weights(self, mu: f64, n_p: f64, n_u: f64) -> (f64, f64) {
        match self {
            Reduction::SampleMean => (1.0 / (n_p + n_u), n_u / (n_p + n_u)),
            Reduction::SumOfMeans => (1.0 / n_p, 1.0),
            Reduction::PriorWeighted => (mu / n_p, 1.0),
        }
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reduction::SampleMean => "sample-mean",
            Reduction::SumOfMeans => "sum-of-means",
            Reduction::PriorWeighted => "prior-weighted",
        })
    }
}

impl FromStr for Reduction {
    type Err = LossError;

    fn from_str(s: &str) -> Result<Self, LossError> {
        let named = Self::ALL.into_iter().find(|reduction| reduction.to_string() == s);
        named.ok_or_else(|| LossError::UnknownReduction(s.to_string()))
    }
}

/// Cross entropy on P, and on U one loss for the whole batch: its mean prediction must match the prior.
///
/// * Each positive: −ln σ(f) = softplus(−f), with derivative −σ(−f).
/// * All of U together: L_U = −ln(1 − |d|), d = mean_U σ(f) − μ, with derivative
///   sign(d) / (1 − |d|) · σ(f) σ(−f) / n_u. At d = 0 the loss has a kink and the derivative is taken as 0.
///
/// The two are weighted by the [`Reduction`].
///
/// Curvature: w_p σ(f) σ(−f) on P, exact, with w_p the weight of one positive, and w_u σ(f) σ(−f) / n_u on U. The true
/// second derivative of L_U couples all of U and is not positive; this is the one that a row of U would have with a
/// label, and a leaf that holds nothing but U takes the step −sign(d) / (1 − |d|).
///
/// The batch is one unit: the mean of L_U over parts of a batch is another loss, so scores of micro-batches must be
/// gathered first. Small batches of U carry noise of about sqrt(μ (1 − μ) / n_u) in d, which pulls the predictions
/// toward μ; 256 and more are advised.
///
/// It assumes that the labeled positives are a random subset of all positives, and needs μ, the share of positives *in
/// U*, in either sampling scenario; the class prior of the population does not enter.
#[derive(Clone, Copy, Debug)]
pub struct Collective {
    mu: f64,
    reduction: Reduction,
    smoothing: f64,
}

impl Collective {
    /// `mu` is the share of positives among the unlabeled examples, strictly between 0 and 1.
    pub fn new(mu: f64, reduction: Reduction) -> Result<Self, LossError> {
        Ok(Self { mu: check_prior(mu)?, reduction, smoothing: 0.0 })
    }

    /// Rounds the kink: |d| becomes sqrt(d² + e²) − e, with derivative d / sqrt(d² + e²).
    ///
    /// Without it (e = 0, the paper's loss) the gradient of U does not fade as d goes to 0 but changes sign, so that
    /// a constant step oscillates around d = 0.
    pub fn with_smoothing(mut self, e: f64) -> Result<Self, LossError> {
        if !(e >= 0.0 && e.is_finite()) {
            return Err(LossError::Smoothing(e));
        }
        self.smoothing = e;
        Ok(self)
    }

    /// weight · L_U and its gradient.
    fn unlabeled_term(&self, part: Part, weight: f64, grad: &mut [f32]) -> f64 {
        if part.is_empty() {
            return 0.0;
        }
        let n = part.total();
        let (mut sum_up, mut sum_down) = (0.0, 0.0);
        for (grad, (score, own)) in grad.iter_mut().zip(part.iter()) {
            let (up, down) = sigmoid_pair(score);
            sum_up += own * up;
            sum_down += own * down;
            // The slope of σ waits here for the factor that all examples share.
            *grad = (own * (up * down)) as f32;
        }
        let Gap { value, slope, remainder } = self.gap(sum_up / n, sum_down / n);
        // A quotient a score, not a product with 1 / remainder: the latter overflows for the smallest priors.
        let (numerator, denominator) = (weight * slope, n * remainder);
        for grad in grad {
            *grad = (numerator * (f64::from(*grad) / denominator)) as f32;
        }
        weight * value
    }

    /// L_U as a function of the mean of σ(f), with the mean of σ(−f) given separately.
    ///
    /// 1 − |d| is μ + mean σ(−f) for d > 0 and (1 − μ) + mean σ(f) for d < 0: sums of positive numbers, which keep
    /// their digits when a tiny prior meets saturated scores, and never reach 0. With smoothing, |d| shrinks to
    /// h = d² / (r + e), r = sqrt(d² + e²), and 1 − h = (1 − |d|) + 2 |d| e / (|d| + e + r), again a sum of positives.
    fn gap(&self, mean_up: f64, mean_down: f64) -> Gap {
        let d = mean_up - self.mu;
        if d == 0.0 {
            return Gap { value: 0.0, slope: 0.0, remainder: 1.0 };
        }
        let (size, e) = (d.abs(), self.smoothing);
        let r = size.hypot(e);
        let h = size * (size / (r + e));
        let unsmoothed = if d > 0.0 { self.mu + mean_down } else { (1.0 - self.mu) + mean_up };
        let remainder = unsmoothed + 2.0 * size * (e / (size + e + r));
        // log1p keeps the digits of a small gap, the logarithm of the remainder those of a large one.
        let value = if h < 0.5 { -(-h).ln_1p() } else { -remainder.ln() };
        Gap { value, slope: d / r, remainder }
    }
}

/// L_U at one d: −ln(1 − h(d)), h'(d) and 1 − h(d), where h is |d| or its smoothed form.
struct Gap {
    value: f64,
    slope: f64,
    remainder: f64,
}

impl Objective for Collective {
    by_weights!();

    fn describe(&self) -> String {
        if self.smoothing == 0.0 {
            format!("collective ({})", self.reduction)
        } else {
            format!("collective ({}, smoothing {})", self.reduction, self.smoothing)
        }
    }
}

impl Weighted for Collective {
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        check_parts(positive, unlabeled, grad_p, grad_u);
        let (weight_p, weight_u) = self.reduction.weights(self.mu, positive.total(), unlabeled.total());
        cross_entropy(Class::Positive, positive, weight_p, grad_p)
            + self.unlabeled_term(unlabeled, weight_u, grad_u)
    }

    fn curvature_weighted(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]) {
        check_parts(positive, unlabeled, curve_p, curve_u);
        let (weight_p, weight_u) = self.reduction.weights(self.mu, positive.total(), unlabeled.total());
        fill(positive, weight_p, curve_p, logistic);
        fill(unlabeled, weight_u / unlabeled.total(), curve_u, logistic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// L_U alone, and the sum of |gradient|.
    fn unlabeled_alone(mu: f64, scores: &[f32]) -> (f64, f64) {
        let mut grad = vec![0.0; scores.len()];
        let loss = Collective::new(mu, Reduction::SumOfMeans).unwrap();
        let value = loss.evaluate(&[], scores, &mut [], &mut grad);
        (value, grad.iter().map(|&g| f64::from(g).abs()).sum())
    }

    #[test]
    fn a_batch_by_hand() {
        // σ is 3/4 and 1/4 at ±ln 3. U: mean 3/4, d = 1/2 at μ = 1/4, L_U = ln 2, slope 1 / (1/2) · 3/16 = 3/8.
        let logit = 3.0f32.ln();
        let weights = [
            (Reduction::SampleMean, 1.0 / 3.0, 2.0 / 3.0),
            (Reduction::SumOfMeans, 1.0, 1.0),
            (Reduction::PriorWeighted, 0.25, 1.0),
        ];
        for (reduction, on_p, on_u) in weights {
            let (mut grad_p, mut grad_u) = ([9.0; 1], [9.0; 2]);
            let loss = Collective::new(0.25, reduction).unwrap();
            let value = loss.evaluate(&[-logit], &[logit; 2], &mut grad_p, &mut grad_u);
            let expected = on_p * 4.0f64.ln() + on_u * 2.0f64.ln();
            assert!((value - expected).abs() < 1e-7, "{reduction}: {value} against {expected}");
            assert!((f64::from(grad_p[0]) + on_p * 0.75).abs() < 1e-7, "{reduction}: {grad_p:?}");
            for grad in grad_u {
                assert!((f64::from(grad) - on_u * 0.375 / 2.0).abs() < 1e-7, "{reduction}: {grad_u:?}");
            }
        }
    }

    #[test]
    fn the_kink_has_no_gradient() {
        assert_eq!(unlabeled_alone(0.5, &[0.0, 0.0]), (0.0, 0.0));
        assert_eq!(unlabeled_alone(0.5, &[2.5, -2.5]), (0.0, 0.0));
    }

    #[test]
    fn saturated_scores_keep_the_digits_of_a_tiny_prior() {
        // Every σ(f) is 1 to the last digit, 1 − |d| = μ + e^{−40}.
        for mu in [1e-6, 1e-15, 1e-18] {
            let (value, slope) = unlabeled_alone(mu, &[40.0; 8]);
            let tail = (-40.0f64).exp();
            let expected = -(mu + tail).ln();
            assert!((value - expected).abs() < 1e-12, "{mu}: {value} against {expected}");
            let expected = tail / (mu + tail);
            assert!((slope / expected - 1.0).abs() < 1e-6, "{mu}: {slope} against {expected}");
        }
        // And the mirror: every σ(f) is e^{−40}, the prior the last number below one.
        let (value, _) = unlabeled_alone(1.0 - f64::EPSILON / 2.0, &[-40.0; 8]);
        let expected = -(f64::EPSILON / 2.0 + (-40.0f64).exp()).ln();
        assert!((value - expected).abs() < 1e-12, "{value} against {expected}");
    }

    #[test]
    fn smoothing_rounds_the_kink_and_nothing_else() {
        // e = 0.3, d = 0.4: sqrt(d² + e²) = 1/2, so h = 0.2 and L_U = −ln 0.8, h' = 0.8.
        let logit = (0.65f64 / 0.35).ln() as f32;
        let loss = Collective::new(0.25, Reduction::SumOfMeans).unwrap().with_smoothing(0.3).unwrap();
        let mut grad = [0.0];
        let value = loss.evaluate(&[], &[logit], &mut [], &mut grad);
        assert!((value + 0.8f64.ln()).abs() < 1e-7, "{value}");
        assert!((grad[0] - 0.65 * 0.35).abs() < 1e-7, "{grad:?}");
        assert_eq!(loss.describe(), "collective (sum-of-means, smoothing 0.3)");

        let plain = Collective::new(0.25, Reduction::SumOfMeans).unwrap();
        let barely = plain.with_smoothing(1e-12).unwrap();
        let [a, b] = [plain, barely].map(|loss| loss.evaluate(&[], &[logit], &mut [], &mut grad));
        assert!((a - b).abs() < 1e-11, "{a} against {b}");
        assert_eq!(plain.with_smoothing(-0.1).unwrap_err(), LossError::Smoothing(-0.1));
    }

    #[test]
    fn the_gradient_of_the_unlabeled_term_reaches_its_supremum_and_no_further() {
        // With all scores equal the sum of |gradient| is m (1 − m) / (1 − |d|), the most it can be for a mean m.
        for mu in [0.01, 0.1, 0.25, 0.5, 0.7, 0.99] {
            let side = |mu: f64| {
                if mu * (1.0 + mu) <= 1.0 { ((1.0 + mu).sqrt() - mu.sqrt()).powi(2) } else { 0.0 }
            };
            let supremum = side(mu).max(side(1.0 - mu));
            let sweep = (-12_000..12_000).map(|i| unlabeled_alone(mu, &[i as f32 / 1000.0; 3]).1);
            let largest = sweep.fold(0.0, f64::max);
            assert!(largest <= supremum + 1e-6 && supremum < 1.0, "{mu}: {largest} exceeds {supremum}");
            assert!(largest >= supremum - 1e-5, "{mu}: {largest} does not reach {supremum}");
        }
    }

    #[test]
    fn names_go_there_and_back() {
        for reduction in Reduction::ALL {
            assert_eq!(reduction.to_string().parse(), Ok(reduction));
        }
        assert!("mean".parse::<Reduction>().unwrap_err().to_string().contains("'mean'"));
    }
}
