//! Label distributions with rounded distances and a margin on either side.
//!
//! Y. Jiang, Q. Xu, Y. Zhao, Z. Yang, P. Wen, X. Cao and Q. Huang, "Positive-unlabeled learning with label distribution
//! alignment", TPAMI 2023. Their running means of batches and their mixed images are outside what a loss on the scores of one
//! batch can do; this is their loss of one batch.

use crate::curvature::{fill, logistic};
use crate::error::LossError;
use crate::objective::{Objective, check_parts};
use crate::part::{Part, Weighted, by_weights};
use crate::sampling::check_prior;
use crate::sigmoid::{sigmoid_pair, softplus};

/// How sharp the distance of the mean prediction from the prior is.
const SHARPNESS: f64 = 3.5;
/// The margin.
const MARGIN: f64 = 0.6;

/// 2μ (1 − mean_P σ) + d_T(mean_U σ, μ) + μ mean_P C⁺ + d_1(mean_U C⁻, μ mean_P C⁻).
///
/// d_T(a, b) = (softplus(T (a − b)) + softplus(T (b − a)) − 2 ln 2) / T is |a − b| with a round bottom at 0; its slope in a is
/// tanh(T (a − b) / 2). C⁺(f) = σ(f) σ(m − f) is large for positives that are right by less than the margin m,
/// C⁻(f) = σ(f + m) σ(−f) for negatives that are; the last term estimates the mean of C⁻ over negatives from U and P. T = 3.5,
/// m = 0.6. Gradient, with C⁺' = C⁺ (σ(−f) − σ(f − m)), C⁻' = C⁻ (σ(−f − m) − σ(f)) and t the two slopes:
///
/// (−2μ σ(f) σ(−f) + μ C⁺' − t_1 μ C⁻') / n_p on P, (t_T σ(f) σ(−f) + t_1 C⁻') / n_u on U.
///
/// It assumes that the labeled positives are a random subset of all positives.
#[derive(Clone, Copy, Debug)]
pub struct Pulda {
    mu: f64,
}

impl Pulda {
    /// `mu` is the share of positives among the unlabeled examples, strictly between 0 and 1.
    pub fn new(mu: f64) -> Result<Self, LossError> {
        Ok(Self { mu: check_prior(mu)? })
    }
}

/// |a − b| with a round bottom, and its slope in a.
fn distance(sharpness: f64, a: f64, b: f64) -> (f64, f64) {
    let by = sharpness * (a - b);
    let value = (softplus(by) + softplus(-by) - 2.0 * std::f64::consts::LN_2) / sharpness;
    (value, (by / 2.0).tanh())
}

/// C⁻ and its slope.
fn nearly_positive(f: f64) -> (f64, f64) {
    let ((up, down), (above, below)) = (sigmoid_pair(f), sigmoid_pair(f + MARGIN));
    let value = above * down;
    (value, value * (below - up))
}

/// C⁺ and its slope.
fn barely_positive(f: f64) -> (f64, f64) {
    let ((up, down), (above, below)) = (sigmoid_pair(f), sigmoid_pair(f - MARGIN));
    let value = up * below;
    (value, value * (down - above))
}

/// The weighted mean of a function of the score.
fn mean(part: Part, of: impl Fn(f64) -> f64) -> f64 {
    part.iter().map(|(f, own)| own * of(f)).sum::<f64>() / part.total()
}

impl Objective for Pulda {
    by_weights!();

    fn describe(&self) -> String {
        "pulda".to_string()
    }
}

impl Weighted for Pulda {
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        check_parts(positive, unlabeled, grad_p, grad_u);
        let (mut value, mut side, mut margin) = (0.0, 0.0, 0.0);
        if !unlabeled.is_empty() {
            let (apart, slope) = distance(SHARPNESS, mean(unlabeled, |f| sigmoid_pair(f).0), self.mu);
            value += apart;
            side = slope;
        }
        // The margin of negatives needs both parts.
        if !unlabeled.is_empty() && !positive.is_empty() {
            let near = |f: f64| nearly_positive(f).0;
            let (apart, slope) = distance(1.0, mean(unlabeled, near), self.mu * mean(positive, near));
            value += apart;
            margin = slope;
        }
        let on_positive = self.mu / positive.total();
        for ((f, own), grad) in positive.iter().zip(grad_p) {
            let (up, down) = sigmoid_pair(f);
            let (barely, slope) = barely_positive(f);
            value += on_positive * own * (2.0 * down + barely);
            let slope = -2.0 * up * down + slope - margin * nearly_positive(f).1;
            *grad = (on_positive * own * slope) as f32;
        }
        let n = unlabeled.total();
        for ((f, own), grad) in unlabeled.iter().zip(grad_u) {
            let (up, down) = sigmoid_pair(f);
            *grad = (own * (side * up * down + margin * nearly_positive(f).1) / n) as f32;
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
    fn the_distance_is_zero_at_the_bottom_and_straight_far_away() {
        assert_eq!(distance(3.5, 0.3, 0.3), (0.0, 0.0));
        let (value, slope) = distance(1000.0, 0.7, 0.3);
        assert!((value - 0.4).abs() < 0.0014 && (slope - 1.0).abs() < 1e-12, "{value} {slope}");
    }

    #[test]
    fn margins_peak_halfway() {
        // C⁺ is symmetric about m / 2, C⁻ about −m / 2, where both are σ(m / 2)².
        let peak = sigmoid_pair(MARGIN / 2.0).0.powi(2);
        for (value, slope) in [barely_positive(MARGIN / 2.0), nearly_positive(-MARGIN / 2.0)] {
            assert!((value - peak).abs() < 1e-15 && slope.abs() < 1e-15, "{value} {slope}");
        }
    }
}
