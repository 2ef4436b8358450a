//! PUSB: a non-negative risk whose scores are good for their order.
//!
//! M. Kato, T. Teshima and J. Honda, "Learning from positive and unlabeled data with a selection bias", ICLR 2019.

use crate::error::LossError;
use crate::nnpu::Nnpu;
use crate::sampling::{Sampling, Weights};
use crate::surrogate::Surrogate;

impl Nnpu {
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
    ///
    /// Parameters as in [`Nnpu::new`].
    pub fn pusb(mu: f64, sampling: Sampling, beta: f64, gamma: f64) -> Result<Self, LossError> {
        Self::of_weights("pusb", Weights::new(mu, sampling)?, 1.0, sampling, Surrogate::Logistic, beta, gamma)
    }
}
