//! Cross entropy of scores whose class is taken as known.
//!
//! −ln σ(f) = softplus(−f) for a positive, −ln σ(−f) = softplus(f) for a negative; the derivatives are −σ(−f) and
//! σ(f). The collective loss uses it for its positives, the two baselines for everything.

use crate::curvature::{fill, logistic};
use crate::part::Part;
use crate::surrogate::Surrogate;

/// The class the scores are held against.
#[derive(Clone, Copy)]
pub(crate) enum Class {
    Positive,
    Negative,
}

/// weight · Σ softplus(∓f) over the scores, each times its own weight, and its gradient. Nothing, for no scores, whatever
/// the weight.
pub(crate) fn cross_entropy(class: Class, part: Part, weight: f64, grad: &mut [f32]) -> f64 {
    if part.is_empty() {
        return 0.0;
    }
    let sign = match class {
        Class::Positive => 1.0,
        Class::Negative => -1.0,
    };
    let mut sum = 0.0;
    for (grad, (score, own)) in grad.iter_mut().zip(part.iter()) {
        let point = Surrogate::Logistic.at(sign * score);
        sum += own * point.value;
        *grad = (own * weight * sign * point.slope) as f32;
    }
    weight * sum
}

/// The mean cross entropy over the batch.
pub(crate) fn mean_cross_entropy(
    positive: Part,
    negative: Part,
    grad_p: &mut [f32],
    grad_n: &mut [f32],
) -> f64 {
    let weight = 1.0 / (positive.total() + negative.total());
    cross_entropy(Class::Positive, positive, weight, grad_p)
        + cross_entropy(Class::Negative, negative, weight, grad_n)
}

/// The second derivative of the mean cross entropy: σ(f) σ(−f) / (n_p + n_n) for either class.
pub(crate) fn mean_curvature(positive: Part, negative: Part, curve_p: &mut [f32], curve_n: &mut [f32]) {
    let weight = 1.0 / (positive.total() + negative.total());
    fill(positive, weight, curve_p, logistic);
    fill(negative, weight, curve_n, logistic);
}
