//! PUSB: a non-negative risk whose scores are good for their order.
//!
//! M. Kato, T. Teshima and J. Honda, "Learning from positive and unlabeled data with a selection bias", ICLR 2019.

use crate::error::LossError;
use crate::nnpu::Nnpu;
use crate::objective::Objective;
use crate::part::{Part, Weighted};
use crate::sampling::Sampling;
use crate::surrogate::Surrogate;

/// [`Nnpu`] with the logistic loss, for labels that favor some positives: whoever uses its scores calls the share μ of U
/// that scores highest positive, rather than those whose score is above 0.
///
/// With labels by chance, f at the minimum is the logit of being positive. Where the chance of a label depends on the row,
/// the labeled positives have a density of their own, and f is the logit of π p(x | labeled) / p(x). That is no
/// probability of the class, but as long as a row that is more likely positive is also more likely labeled if it is
/// (the paper's *invariance of order*), f has the order of p(positive | x). The cut at the quantile 1 − μ of U then calls as
/// many rows positive as are. Where labels favor *doubtful* positives the order itself is wrong, and no cut mends it.
///
/// Value, gradient, curvature and the correction are those of [`Nnpu`].
#[derive(Debug)]
pub struct Pusb {
    risk: Nnpu,
}

impl Pusb {
    /// Parameters as in [`Nnpu::new`].
    pub fn new(mu: f64, sampling: Sampling, beta: f64, gamma: f64) -> Result<Self, LossError> {
        Ok(Self { risk: Nnpu::new(mu, sampling, Surrogate::Logistic, beta, gamma)? })
    }
}

impl Objective for Pusb {
    fn evaluate(&self, positive: &[f32], unlabeled: &[f32], grad_p: &mut [f32], grad_u: &mut [f32]) -> f64 {
        self.risk.evaluate(positive, unlabeled, grad_p, grad_u)
    }

    fn curvature(&self, positive: &[f32], unlabeled: &[f32], curve_p: &mut [f32], curve_u: &mut [f32]) {
        self.risk.curvature(positive, unlabeled, curve_p, curve_u);
    }

    fn weighted(&self) -> Option<&dyn Weighted> {
        Some(self)
    }

    fn describe(&self) -> String {
        self.risk.describe().replacen("nnpu", "pusb", 1)
    }

    fn corrections(&self) -> Option<u64> {
        self.risk.corrections()
    }
}

impl Weighted for Pusb {
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        self.risk.evaluate_weighted(positive, unlabeled, grad_p, grad_u)
    }

    fn curvature_weighted(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]) {
        self.risk.curvature_weighted(positive, unlabeled, curve_p, curve_u);
    }
}
