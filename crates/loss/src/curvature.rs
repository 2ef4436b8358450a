//! Second derivatives that a Newton step can divide by.
//!
//! Trees of second order take the step −Σg / (Σh + λ) in a leaf. Most objectives here have no second derivative to
//! put there: that of the collective loss is a full matrix, those of the unbiased risks vanish or turn negative on P.
//! Its substitute is diagonal and positive, of the size of the expected second derivative where there is one,
//! and so has the form weight · σ(f) σ(−f) for nearly every objective.

use crate::part::Part;
use crate::sigmoid::sigmoid_pair;

/// The least σ(f) σ(−f), reached at |f| = 37: a step must not grow without bound where the score has saturated.
pub(crate) const LEAST: f64 = 1e-16;

/// σ(f) σ(−f), the second derivative of cross entropy for either class.
pub(crate) fn logistic(f: f64) -> f64 {
    let (up, down) = sigmoid_pair(f);
    up * down
}

/// Writes weight · of(f) for each score, times its own weight: of(f) at least [`LEAST`], the product a positive number of
/// `f32` even where the weight is as small as numbers get.
pub(crate) fn fill(part: Part, weight: f64, curve: &mut [f32], of: impl Fn(f64) -> f64) {
    for (curve, (score, own)) in curve.iter_mut().zip(part.iter()) {
        let value = own * weight * of(score).max(LEAST);
        *curve = value.clamp(f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX)) as f32;
    }
}
