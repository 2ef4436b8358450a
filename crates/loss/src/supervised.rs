//! The ceiling: ordinary supervised learning, for data whose truth is known.

use crate::cross_entropy::{mean_cross_entropy, mean_curvature};
use crate::objective::{Objective, check_parts};
use crate::part::{Part, Weighted, by_weights};

/// Cross entropy on true labels: (Σ_P softplus(−f) + Σ_N softplus(f)) / (n_p + n_n).
///
/// The second slice holds the scores of *true negatives*, not of unlabeled examples; the caller must have the labels
/// that positive-unlabeled data lack. It shows how much is lost by not having them.
///
/// Gradient: −σ(−f) / (n_p + n_n) on the positives, σ(f) / (n_p + n_n) on the negatives. Curvature, exact:
/// σ(f) σ(−f) / (n_p + n_n).
#[derive(Clone, Copy, Debug, Default)]
pub struct Supervised;

impl Objective for Supervised {
    by_weights!();

    fn describe(&self) -> String {
        "supervised".to_string()
    }
}

impl Weighted for Supervised {
    fn evaluate_weighted(
        &self,
        positive: Part,
        negative: Part,
        grad_p: &mut [f32],
        grad_n: &mut [f32],
    ) -> f64 {
        check_parts(positive, negative, grad_p, grad_n);
        mean_cross_entropy(positive, negative, grad_p, grad_n)
    }

    fn curvature_weighted(&self, positive: Part, negative: Part, curve_p: &mut [f32], curve_n: &mut [f32]) {
        check_parts(positive, negative, curve_p, curve_n);
        mean_curvature(positive, negative, curve_p, curve_n);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_constant_score_is_the_log_odds_of_the_batch() {
        // Three positives to one negative: the gradient in a shared bias is zero at ln 3.
        let logit = 3.0f32.ln();
        let (mut grad_p, mut grad_n) = ([0.0; 3], [0.0; 1]);
        let value = Supervised.evaluate(&[logit; 3], &[logit], &mut grad_p, &mut grad_n);
        let entropy = -(0.75 * 0.75f64.ln() + 0.25 * 0.25f64.ln());
        assert!((value - entropy).abs() < 1e-7, "{value} against {entropy}");
        let slope: f32 = grad_p.iter().chain(&grad_n).sum();
        assert!(slope.abs() < 1e-7, "{slope}");
    }
}
