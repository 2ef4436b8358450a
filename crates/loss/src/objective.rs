//! The joint between a training loop and a loss.

use crate::curvature::{fill, logistic};
use crate::paced::Paced;
use crate::part::{Part, Weighted};

/// A loss on the scores (logits) of one batch.
///
/// Positives and unlabeled examples arrive separately, so no label type is needed. An objective holds no state of the
/// training beyond counters for the log: evaluating a batch twice gives the same numbers.
pub trait Objective: Send + Sync {
    /// The value of the loss to report; writes the gradient to descend into `grad_p` and `grad_u`.
    ///
    /// `grad_p[i]` becomes the derivative in `positive[i]`, `grad_u[j]` the one in `unlabeled[j]`; what they held
    /// before is overwritten. Sums run in `f64`. An empty part contributes 0. For all objectives but the non-negative
    /// risks the gradient is that of the value; those say in their docs how they differ.
    ///
    /// # Panics
    ///
    /// If a gradient slice and its score slice differ in length.
    fn evaluate(&self, positive: &[f32], unlabeled: &[f32], grad_p: &mut [f32], grad_u: &mut [f32]) -> f64;

    /// A positive substitute for the diagonal of the second derivative, for scorers of second order such as boosted trees.
    ///
    /// `curve_p[i]` becomes the curvature in `positive[i]`, `curve_u[j]` the one in `unlabeled[j]`; what they held
    /// before is overwritten. Every entry is finite and above 0, so a Newton step −Σg / Σh always exists. Unless an
    /// objective says otherwise it is that of cross entropy with P and U weighing the same,
    ///
    /// σ(f) σ(−f) / n_p on P and σ(f) σ(−f) / n_u on U,
    ///
    /// with σ(f) σ(−f) at least 1e-16.
    ///
    /// # Panics
    ///
    /// If a curvature slice and its score slice differ in length.
    fn curvature(&self, positive: &[f32], unlabeled: &[f32], curve_p: &mut [f32], curve_u: &mut [f32]) {
        check_lengths(positive, unlabeled, curve_p, curve_u);
        fill(positive.into(), 1.0 / positive.len() as f64, curve_p, logistic);
        fill(unlabeled.into(), 1.0 / unlabeled.len() as f64, curve_u, logistic);
    }

    /// The name in the registry and the options in force, for logs: `collective (sum-of-means)`.
    fn describe(&self) -> String;

    /// The same objective for examples with weights; `None` where it has no place for them.
    fn weighted(&self) -> Option<&dyn Weighted> {
        None
    }

    /// The same objective with a share for each row, set before each epoch; `None` where it looks at batches alone.
    fn paced(&self) -> Option<&dyn Paced> {
        None
    }

    /// How many evaluations so far took the correction branch of a non-negative risk; `None` for objectives that
    /// have no such branch.
    fn corrections(&self) -> Option<u64> {
        None
    }
}

/// A pair of slices of different lengths is a mistake in the caller's code; zipping them would hide it.
pub(crate) fn check_lengths(positive: &[f32], unlabeled: &[f32], grad_p: &[f32], grad_u: &[f32]) {
    check_parts(positive.into(), unlabeled.into(), grad_p, grad_u);
}

/// [`check_lengths`] of parts.
pub(crate) fn check_parts(positive: Part, unlabeled: Part, grad_p: &[f32], grad_u: &[f32]) {
    assert_eq!(positive.scores().len(), grad_p.len(), "one derivative for each positive score");
    assert_eq!(unlabeled.scores().len(), grad_u.len(), "one derivative for each unlabeled score");
}
