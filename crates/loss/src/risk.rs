//! The two halves of a positive-unlabeled risk on one batch, and their gradients.
//!
//! R_p = w_p mean_P l(f) and R_n = w_n (mean_U l(−f) − μ mean_P l(−f)), with the weights of [`crate::sampling`].
//!
//! | | in f of P | in f of U |
//! |---|---|---|
//! | R_p | w_p l'(f) / n_p | 0 |
//! | R_n | w_n μ l'(−f) / n_p | −w_n l'(−f) / n_u |
//!
//! The second derivative is (w_p l''(f) − w_n μ l''(−f)) / n_p on P and w_n l''(−f) / n_u on U. On P it is a difference:
//! for linear-odd losses, whose l'' is even, it is 0 in the case-control scenario, and below 0 for imbalanced nnPU with
//! μ > 1/2. The curvature leaves the concave part out,
//!
//! w_p l''(f) / n_p on P and w_n l''(−f) / n_u on U,
//!
//! a bound from above. Where the scores are right, P's part is a share σ(f) of U's, so steps are at most twice as short
//! as Newton's own. With few labels that keeps a leaf of positives from running away: under the exact curvature of a
//! single sample it would step π / s times as far. For the sigmoid loss both parts bend the same way, and P has
//! w_p + w_n μ. [`Surrogate::curvature`] says what replaces l''.

use crate::curvature::fill;
use crate::part::Part;
use crate::sampling::Weights;
use crate::surrogate::Surrogate;

/// What a risk is made of: weights and a margin loss.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Risk {
    pub weights: Weights,
    pub surrogate: Surrogate,
}

/// The values of R_p and R_n on one batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub positive: f64,
    pub negative: f64,
}

impl Risk {
    /// Both parts; writes the gradient of R_p + R_n.
    pub fn evaluate(&self, positive: Part, unlabeled: Part, grad_p: &mut [f32], grad_u: &mut [f32]) -> Parts {
        let Weights { positive: w_p, negative: w_n, prior_in_unlabeled: mu } = self.weights;
        // An empty part has the mean 0; its loop never divides.
        let total = |part: Part| if part.is_empty() { 1.0 } else { part.total() };
        let (n_p, n_u) = (total(positive), total(unlabeled));

        let (mut as_positive, mut as_negative) = (0.0, 0.0);
        for (grad, (score, own)) in grad_p.iter_mut().zip(positive.iter()) {
            let (up, down) = self.surrogate.at_both_signs(score);
            as_positive += own * up.value;
            as_negative += own * down.value;
            *grad = narrow(own * (w_p * up.slope + w_n * mu * down.slope) / n_p);
        }
        let mut unlabeled_as_negative = 0.0;
        for (grad, (score, own)) in grad_u.iter_mut().zip(unlabeled.iter()) {
            let down = self.surrogate.at(-score);
            unlabeled_as_negative += own * down.value;
            *grad = narrow(own * -w_n * down.slope / n_u);
        }
        Parts {
            positive: w_p * as_positive / n_p,
            negative: w_n * (unlabeled_as_negative / n_u - mu * as_negative / n_p),
        }
    }

    /// The curvature of R_p + R_n, which serves −R_n as well: one of a step upward would be negative.
    pub fn curvature(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]) {
        let Weights { positive: w_p, negative: w_n, prior_in_unlabeled: mu } = self.weights;
        let on_p = match self.surrogate {
            Surrogate::Sigmoid => w_p + w_n * mu,
            Surrogate::Logistic | Surrogate::Squared | Surrogate::DoubleHinge => w_p,
        };
        let of = |f| self.surrogate.curvature(f);
        fill(positive, on_p / positive.total(), curve_p, of);
        fill(unlabeled, w_n / unlabeled.total(), curve_u, of);
    }

    /// Writes the gradient of `factor` · R_n.
    pub fn gradient_of_negative(
        &self,
        factor: f64,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) {
        let scale = factor * self.weights.negative;
        let scale_p = scale * self.weights.prior_in_unlabeled / positive.total();
        for (grad, (score, own)) in grad_p.iter_mut().zip(positive.iter()) {
            *grad = narrow(own * scale_p * self.surrogate.slope(-score));
        }
        let scale_u = -scale / unlabeled.total();
        for (grad, (score, own)) in grad_u.iter_mut().zip(unlabeled.iter()) {
            *grad = narrow(own * scale_u * self.surrogate.slope(-score));
        }
    }
}

/// To `f32`, at most its largest number: the squared loss has slopes as large as the scores, and an infinite
/// gradient would end the training.
fn narrow(x: f64) -> f32 {
    x.clamp(-f64::from(f32::MAX), f64::from(f32::MAX)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::Sampling;

    /// U is made of copies of P and of known negatives in the proportion μ, so that mean_U = μ mean_P + (1 − μ) mean_N
    /// holds exactly and R_n must equal (1 − π) mean_N l(−f).
    #[test]
    fn the_negative_part_is_the_risk_on_the_hidden_negatives() {
        let positive = [0.5f32, 2.25, -0.75, 3.0];
        let negative = [-2.0f32, -0.5, 0.25, -3.5, -1.25, 1.5];
        let unlabeled: Vec<f32> = positive.iter().chain(&negative).copied().collect();
        let mu = 0.4;
        // The class prior: μ in two samples, (4 + 4) / 14 in one, where P is 4 of 14.
        let scenarios = [
            (Sampling::CaseControl, 0.4),
            (Sampling::SingleSample { labeled_share: 4.0 / 14.0 }, 8.0 / 14.0),
        ];
        for (sampling, pi) in scenarios {
            for surrogate in Surrogate::ALL {
                let risk = Risk { weights: Weights::new(mu, sampling).unwrap(), surrogate };
                let parts = risk.evaluate(
                    positive.as_slice().into(),
                    unlabeled.as_slice().into(),
                    &mut [0.0; 4],
                    &mut [0.0; 10],
                );
                let mean = |scores: &[f32], sign: f64| {
                    scores.iter().map(|&f| surrogate.loss(sign * f64::from(f))).sum::<f64>()
                        / scores.len() as f64
                };
                let (on_p, on_n) = (pi * mean(&positive, 1.0), (1.0 - pi) * mean(&negative, -1.0));
                assert!(
                    (parts.positive - on_p).abs() < 1e-14,
                    "{sampling} {surrogate}: {parts:?}, R_p {on_p}"
                );
                assert!(
                    (parts.negative - on_n).abs() < 1e-14,
                    "{sampling} {surrogate}: {parts:?}, R_n {on_n}"
                );
            }
        }
    }

    #[test]
    fn huge_slopes_stay_finite() {
        assert_eq!(narrow(1e300), f32::MAX);
        assert_eq!(narrow(-f64::INFINITY), -f32::MAX);
        assert_eq!(narrow(0.25), 0.25);
    }
}
