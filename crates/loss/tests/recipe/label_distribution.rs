//! The label-distribution term of Dist-PU.
//!
//! Y. Zhao, Q. Xu, Y. Jiang, P. Wen and Q. Huang, "Dist-PU: Positive-unlabeled learning from a label distribution
//! perspective", CVPR 2022. The term alone, without the paper's entropy and Mixup.

use crate::error::LossError;
use crate::objective::{Objective, check_lengths};
use crate::sampling::check_prior;
use crate::sigmoid::sigmoid;

/// L = 2 μ |mean_P σ(f) − 1| + |mean_U σ(f) − μ|. Ranks like the posterior; its scores are not probabilities.
#[derive(Clone, Copy, Debug)]
pub struct LabelDistribution {
    prior_in_unlabeled: f64,
}

impl LabelDistribution {
    /// `mu` is the share of positives among the unlabeled examples, strictly between 0 and 1.
    pub fn new(mu: f64) -> Result<Self, LossError> {
        Ok(Self { prior_in_unlabeled: check_prior(mu)? })
    }
}

/// mean σ(sign · f) over a slice, 0 for an empty one.
fn mean(scores: &[f32], sign: f64) -> f64 {
    let sum: f64 = scores.iter().map(|&f| sigmoid(sign * f64::from(f))).sum();
    sum / scores.len().max(1) as f64
}

/// Writes weight · σ(f) σ(−f) / n for each score.
fn slopes(scores: &[f32], weight: f64, grad: &mut [f32]) {
    let n = scores.len().max(1) as f64;
    for (grad, &f) in grad.iter_mut().zip(scores) {
        let f = f64::from(f);
        *grad = (weight * sigmoid(f) * sigmoid(-f) / n) as f32;
    }
}

impl Objective for LabelDistribution {
    fn evaluate(&self, positive: &[f32], unlabeled: &[f32], grad_p: &mut [f32], grad_u: &mut [f32]) -> f64 {
        check_lengths(positive, unlabeled, grad_p, grad_u);
        let mu = self.prior_in_unlabeled;
        // |mean_P σ(f) − 1| = mean_P σ(−f): a sum of positive terms, so nothing cancels.
        let value_p = 2.0 * mu * mean(positive, -1.0);
        slopes(positive, -2.0 * mu, grad_p);
        let d = if unlabeled.is_empty() { 0.0 } else { mean(unlabeled, 1.0) - mu };
        slopes(unlabeled, if d == 0.0 { 0.0 } else { d.signum() }, grad_u);
        value_p + d.abs()
    }

    fn describe(&self) -> String {
        "label-distribution".to_string()
    }
}
