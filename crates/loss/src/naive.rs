//! The baseline that takes every unlabeled example for a negative.
//!
//! Elkan and Noto (KDD 2008, "Learning classifiers from only positive and unlabeled data") show what it learns: the
//! probability of being *labeled*. If the labeled positives are a random subset of all positives, that is a constant
//! times the probability of being positive, so the ranking is right and the threshold of 1/2 is not. A method that
//! ranks no better than this one has gained nothing from its prior.

use crate::cross_entropy::{mean_cross_entropy, mean_curvature};
use crate::objective::{Objective, check_parts};
use crate::part::{Part, Weighted, by_weights};

/// Cross entropy with unlabeled as negative: (Σ_P softplus(−f) + Σ_U softplus(f)) / (n_p + n_u).
///
/// Gradient: −σ(−f) / (n_p + n_u) on P, σ(f) / (n_p + n_u) on U. Curvature, exact: σ(f) σ(−f) / (n_p + n_u).
///
/// It assumes nothing about the sampling, and the value depends on the mix of the batch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Naive;

impl Objective for Naive {
    by_weights!();

    fn describe(&self) -> String {
        "naive".to_string()
    }
}

impl Weighted for Naive {
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        check_parts(positive, unlabeled, grad_p, grad_u);
        mean_cross_entropy(positive, unlabeled, grad_p, grad_u)
    }

    fn curvature_weighted(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]) {
        check_parts(positive, unlabeled, curve_p, curve_u);
        mean_curvature(positive, unlabeled, curve_p, curve_u);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_by_hand() {
        // σ(ln 3) = 3/4, so the two positives cost ln(4/3) and ln 4, the unlabeled one ln 2.
        let logit = 3.0f32.ln();
        let (mut grad_p, mut grad_u) = ([9.0; 2], [9.0; 1]);
        let value = Naive.evaluate(&[logit, -logit], &[0.0], &mut grad_p, &mut grad_u);
        let expected = ((4.0f64 / 3.0).ln() + 4.0f64.ln() + 2.0f64.ln()) / 3.0;
        assert!((value - expected).abs() < 1e-7, "{value} against {expected}");
        for (grad, expected) in grad_p.iter().chain(&grad_u).zip([-0.25 / 3.0, -0.75 / 3.0, 0.5 / 3.0]) {
            assert!((grad - expected).abs() < 1e-7, "{grad} against {expected}");
        }
    }
}
