//! Robust-PU: a risk first, then cross entropy whose examples come in from the easy ones on.
//!
//! Z. Zhu, L. Wang, P. Zhao, C. Du, W. Zhang, H. Dong, B. Qiao, Q. Lin, S. Rajmohan and D. Zhang, "Robust positive-unlabeled
//! learning via noise negative sample self-correction", KDD 2023. Weights, hardness and schedule are those of the authors'
//! program (their defaults: Welsch's weights, the logistic loss, a threshold that rises in a straight line from 0.1).

use crate::curvature::{fill, logistic};
use crate::error::LossError;
use crate::nnpu::Nnpu;
use crate::objective::{Objective, check_parts};
use crate::paced::{Paced, Shared};
use crate::part::{Part, Weighted, by_weights};
use crate::sampling::Sampling;
use crate::sigmoid::{sigmoid, sigmoid_pair, softplus};
use crate::surrogate::Surrogate;

/// The share of the epochs that train the risk, before weights begin.
const RISK_UNTIL: f64 = 0.5;
/// The share at which the threshold has its last value.
const GROWN_AT: f64 = 0.75;
/// The threshold of the first epoch with weights, and of the last.
const THRESHOLDS: [f64; 2] = [0.1, 1.0];

/// nnPU for the first half of the epochs, then cross entropy with P as positive and U as negative, where each row has the
/// weight v = exp(−h / λ²) that its score had before the epoch: h = softplus(−f) on P and softplus(f) on U is how hard it
/// is, and λ rises from 0.1 to 1 until three quarters of the epochs are done.
///
/// L = (Σ_P v softplus(−f) + Σ_U v softplus(f)) / (n_p + n_u), with the gradient −v σ(−f) / (n_p + n_u) on P and
/// v σ(f) / (n_p + n_u) on U: weights are constants of an epoch. An unlabeled row that looks positive is hard as a negative, and
/// counts for little.
///
/// Weights that follow the scores at once descend Σ λ² (1 − v), by the theory of self-paced learning (Meng, Zhao and Jiang,
/// 2017): its slope is v times that of h. That is what [`Objective::evaluate`] has, for a λ of 1: the mean of σ(−f) over P
/// and σ(f) over U. Curvature: that of cross entropy. Whoever trains by epochs takes [`Paced`].
///
/// It assumes that the labeled positives are a random subset of all positives.
#[derive(Debug)]
pub struct RobustPu {
    first: Nnpu,
}

impl RobustPu {
    /// `mu` is the share of positives among the unlabeled examples, strictly between 0 and 1.
    pub fn new(mu: f64, sampling: Sampling) -> Result<Self, LossError> {
        Ok(Self { first: Nnpu::new(mu, sampling, Surrogate::Sigmoid, 0.0, 1.0)? })
    }
}

/// The threshold λ of an epoch with weights.
fn threshold(done: f64) -> f64 {
    let grown = ((done - RISK_UNTIL) / (GROWN_AT - RISK_UNTIL)).clamp(0.0, 1.0);
    THRESHOLDS[0] + (THRESHOLDS[1] - THRESHOLDS[0]) * grown
}

impl Objective for RobustPu {
    by_weights!();

    fn paced(&self) -> Option<&dyn Paced> {
        Some(self)
    }

    fn describe(&self) -> String {
        format!("robust-pu after {}", self.first.describe())
    }
}

impl Weighted for RobustPu {
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        check_parts(positive, unlabeled, grad_p, grad_u);
        let total = positive.total() + unlabeled.total();
        let mut value = 0.0;
        for (sign, part, grad) in [(1.0, positive, grad_p), (-1.0, unlabeled, grad_u)] {
            for ((f, own), grad) in part.iter().zip(grad) {
                // 1 − exp(−softplus(−z)) = σ(−z).
                let (right, wrong) = sigmoid_pair(sign * f);
                value += own * wrong / total;
                *grad = (-sign * own * right * wrong / total) as f32;
            }
        }
        value
    }

    fn curvature_weighted(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]) {
        check_parts(positive, unlabeled, curve_p, curve_u);
        let weight = 1.0 / (positive.total() + unlabeled.total());
        fill(positive, weight, curve_p, logistic);
        fill(unlabeled, weight, curve_u, logistic);
    }
}

impl Paced for RobustPu {
    fn needs_epochs(&self) -> bool {
        true
    }

    fn weighs(&self, done: f64) -> bool {
        done >= RISK_UNTIL
    }

    fn shares(&self, done: f64, positive: Part, unlabeled: Part, shares_p: &mut [f32], shares_u: &mut [f32]) {
        check_parts(positive, unlabeled, shares_p, shares_u);
        let square = threshold(done).powi(2);
        for (sign, part, shares) in [(1.0, positive, shares_p), (-1.0, unlabeled, shares_u)] {
            for ((f, _), share) in part.iter().zip(shares) {
                *share = (-softplus(-sign * f) / square).exp() as f32;
            }
        }
    }

    fn evaluate_paced(
        &self,
        done: f64,
        positive: Shared,
        unlabeled: Shared,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        check_parts(positive.part, unlabeled.part, grad_p, grad_u);
        if !self.weighs(done) {
            return self.first.evaluate_weighted(positive.part, unlabeled.part, grad_p, grad_u);
        }
        // Shares are not part of what is divided by: hard rows make the whole smaller.
        let total = positive.part.total() + unlabeled.part.total();
        let mut value = 0.0;
        for (sign, shared, grad) in [(1.0, positive, grad_p), (-1.0, unlabeled, grad_u)] {
            for ((f, own), grad) in shared.iter().zip(grad) {
                value += own * softplus(-sign * f) / total;
                *grad = (-sign * own * sigmoid(-sign * f) / total) as f32;
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loss() -> RobustPu {
        RobustPu::new(0.3, Sampling::CaseControl).unwrap()
    }

    #[test]
    fn weights_fall_with_hardness_and_the_threshold_rises() {
        assert_eq!([0.5, 0.625, 0.75, 1.0].map(threshold), [0.1, 0.55, 1.0, 1.0]);
        let (p, u) = ([3.0f32.ln()], [3.0f32.ln(), -(3.0f32.ln())]);
        let (mut shares_p, mut shares_u) = ([9.0; 1], [9.0; 2]);
        // At λ = 1 the weight is the probability of the class that the row is taken for: σ(ln 3) = 3/4.
        loss().shares(1.0, p.as_slice().into(), u.as_slice().into(), &mut shares_p, &mut shares_u);
        for (share, want) in shares_p.iter().chain(&shares_u).zip([0.75, 0.25, 0.75]) {
            assert!((share - want).abs() < 1e-6, "{shares_p:?} {shares_u:?}");
        }
        // At λ = 0.1 it is that to the power of 100.
        loss().shares(0.5, p.as_slice().into(), u.as_slice().into(), &mut shares_p, &mut shares_u);
        assert!((f64::from(shares_p[0]) / 0.75f64.powi(100) - 1.0).abs() < 1e-4, "{shares_p:?}");
    }

    #[test]
    fn a_batch_by_hand_before_and_after_the_middle() {
        let (p, u) = ([0.0f32], [0.0f32, 3.0f32.ln()]);
        let (of_p, of_u) = ([0.5f32], [1.0f32, 0.25]);
        let shared = |scores, shares| Shared::new(Part::new(scores, None), shares);
        let (mut grad_p, mut grad_u) = ([9.0; 1], [9.0; 2]);
        let loss = loss();
        let value = loss.evaluate_paced(0.6, shared(&p, &of_p), shared(&u, &of_u), &mut grad_p, &mut grad_u);
        let expected = (0.5 * 2.0f64.ln() + 2.0f64.ln() + 0.25 * 4.0f64.ln()) / 3.0;
        assert!((value - expected).abs() < 1e-7, "{value} against {expected}");
        let wants = [-0.25 / 3.0, 0.5 / 3.0, 0.25 * 0.75 / 3.0];
        for (grad, want) in grad_p.iter().chain(&grad_u).zip(wants) {
            assert!((grad - want).abs() < 1e-7, "{grad_p:?} {grad_u:?}");
        }
        let nnpu = Nnpu::new(0.3, Sampling::CaseControl, Surrogate::Sigmoid, 0.0, 1.0).unwrap();
        let first = loss.evaluate_paced(0.4, shared(&p, &of_p), shared(&u, &of_u), &mut [0.0], &mut [0.0; 2]);
        assert_eq!(first, nnpu.evaluate(&p, &u, &mut [0.0], &mut [0.0; 2]));
    }
}
