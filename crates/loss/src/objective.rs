//! The joint between a training loop and a loss.

/// A loss on the scores (logits) of one batch.
///
/// Positives and unlabeled examples arrive apart, so no label type is needed. An objective holds no state of the
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

    /// The name in the registry and the options in force, for logs: `collective (sum-of-means)`.
    fn describe(&self) -> String;

    /// How many evaluations so far took the correction branch of a non-negative risk; `None` for objectives that
    /// have no such branch.
    fn corrections(&self) -> Option<u64> {
        None
    }
}

/// A pair of slices of different lengths is a mistake in the caller's code; zipping them would hide it.
pub(crate) fn check_lengths(positive: &[f32], unlabeled: &[f32], grad_p: &[f32], grad_u: &[f32]) {
    assert_eq!(positive.len(), grad_p.len(), "one gradient entry for each positive score");
    assert_eq!(unlabeled.len(), grad_u.len(), "one gradient entry for each unlabeled score");
}
