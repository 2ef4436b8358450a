//! Label distributions that agree: the mean prediction on positives is 1, that on unlabeled examples the prior.
//!
//! Y. Zhao, Q. Xu, Y. Jiang, P. Wen and Q. Huang, "Dist-PU: positive-unlabeled learning from a label distribution
//! perspective", CVPR 2022. Their second stage mixes images and stored predictions, which a loss on scores cannot do; this is
//! the first stage.

use crate::curvature::{fill, logistic};
use crate::error::LossError;
use crate::objective::{Objective, check_parts};
use crate::part::{Part, Weighted, by_weights};
use crate::sampling::check_prior;
use crate::sigmoid::{sigmoid_pair, softplus};

/// The weight of the entropy compared with the distance of distributions divided by 2μ, of the authors' first stage.
const ENTROPY: f64 = 2e-3;

/// 2μ |1 − mean_P σ(f)| + |mean_U σ(f) − μ| + 2μ · 0.002 · mean_U H(σ(f)), with H the entropy −q ln q − (1 − q) ln(1 − q).
///
/// Without the entropy, predicting μ for every unlabeled example would be perfect. Gradient: −2μ σ(f) σ(−f) / n_p on P and
/// (sign(mean_U σ − μ) − 0.004 μ f) σ(f) σ(−f) / n_u on U, since H' = −f σ(f) σ(−f). Both vanish where scores saturate, so
/// that a positive far on the wrong side is hardly pulled back; the collective loss differs in that.
///
/// It assumes that the labeled positives are a random subset of all positives.
#[derive(Clone, Copy, Debug)]
pub struct DistPu {
    mu: f64,
}

impl DistPu {
    /// `mu` is the share of positives among the unlabeled examples, strictly between 0 and 1.
    pub fn new(mu: f64) -> Result<Self, LossError> {
        Ok(Self { mu: check_prior(mu)? })
    }
}

impl Objective for DistPu {
    by_weights!();

    fn describe(&self) -> String {
        "dist-pu".to_string()
    }
}

impl Weighted for DistPu {
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        check_parts(positive, unlabeled, grad_p, grad_u);
        let mut value = 0.0;
        let on_positive = 2.0 * self.mu / positive.total();
        for ((f, own), grad) in positive.iter().zip(grad_p) {
            let (up, down) = sigmoid_pair(f);
            value += on_positive * own * down;
            *grad = (-on_positive * own * up * down) as f32;
        }
        if unlabeled.is_empty() {
            return value;
        }
        let n = unlabeled.total();
        let mean = unlabeled.iter().map(|(f, own)| own * sigmoid_pair(f).0).sum::<f64>() / n;
        let d = mean - self.mu;
        // signum of 0 is 1; at the kink the gradient is 0.
        let side = if d == 0.0 { 0.0 } else { d.signum() };
        let entropy = 2.0 * self.mu * ENTROPY;
        value += d.abs();
        for ((f, own), grad) in unlabeled.iter().zip(grad_u) {
            let (up, down) = sigmoid_pair(f);
            // −ln σ(f) = softplus(−f): no logarithm of a number that is 0.
            let uncertain = up * softplus(-f) + down * softplus(f);
            value += entropy * own * uncertain / n;
            let slope = up * down;
            // f σ σ is 0 where the slope is, however large f.
            let pull = if slope == 0.0 { 0.0 } else { f * slope };
            *grad = (own * (side * slope - entropy * pull) / n) as f32;
        }
        value
    }

    fn curvature_weighted(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]) {
        check_parts(positive, unlabeled, curve_p, curve_u);
        fill(positive, 2.0 * self.mu / positive.total(), curve_p, logistic);
        fill(unlabeled, 1.0 / unlabeled.total(), curve_u, logistic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_by_hand() {
        // σ is 1/4 at −ln 3: P costs 2 · 1/4 · 3/4. U: mean 3/4, half above μ; its entropy is ln 4 − 3/4 ln 3.
        let logit = 3.0f32.ln();
        let (mut grad_p, mut grad_u) = ([9.0; 1], [9.0; 2]);
        let value = DistPu::new(0.25).unwrap().evaluate(&[-logit], &[logit; 2], &mut grad_p, &mut grad_u);
        let entropy = 4.0f64.ln() - 0.75 * 3.0f64.ln();
        let expected = 0.375 + 0.5 + 0.001 * entropy;
        assert!((value - expected).abs() < 1e-7, "{value} against {expected}");
        assert!((grad_p[0] + 0.5 * 3.0 / 16.0).abs() < 1e-7, "{grad_p:?}");
        let expected = (1.0 - 0.001 * 3.0f32.ln()) * 3.0 / 16.0 / 2.0;
        grad_u.iter().for_each(|grad| assert!((grad - expected).abs() < 1e-7, "{grad} against {expected}"));
    }
}
