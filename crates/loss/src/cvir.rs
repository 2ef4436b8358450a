//! Positives against the unlabeled examples that look least like them.
//!
//! S. Garg, Y. Wu, A. Smola, S. Balakrishnan and Z. C. Lipton, "Mixture proportion estimation and PU learning: a modern
//! approach", NeurIPS 2021: conditional value ignoring risk.

use crate::curvature::{fill, logistic};
use crate::error::LossError;
use crate::objective::{Objective, check_parts};
use crate::part::{Part, Weighted};
use crate::sampling::check_prior;
use crate::sigmoid::{sigmoid, sigmoid_pair, softplus};

/// ½ mean_P softplus(−f) + ½ mean_{U'} softplus(f), where U' is U without the share μ of it that scores highest.
///
/// Gradient: −σ(−f) / 2n_p on P, σ(f) / 2n' on U', 0 on the rest of U; n' = (1 − μ) n_u. The example at the border counts for
/// the part of it that lies below. Curvature: σ(f) σ(−f) with the same factors, on all of U.
///
/// Its authors rank all of U once per epoch; a loss on scores ranks those it is given, a batch's. It assumes that the labeled
/// positives are a random subset of all positives.
#[derive(Clone, Copy, Debug)]
pub struct Cvir {
    prior: f64,
}

impl Cvir {
    /// For unlabeled examples of which the share `prior_in_unlabeled` is positive.
    pub fn new(prior_in_unlabeled: f64) -> Result<Self, LossError> {
        check_prior(prior_in_unlabeled)?;
        Ok(Self { prior: prior_in_unlabeled })
    }

    /// The part of each unlabeled example's weight that is taken for negative.
    fn taken(&self, unlabeled: Part) -> Vec<f64> {
        let scores = unlabeled.scores();
        let weights: Vec<f64> = unlabeled.iter().map(|(_, own)| own).collect();
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let mut left_out = self.prior * unlabeled.total();
        let mut taken = vec![0.0; scores.len()];
        for row in order {
            let out = left_out.clamp(0.0, weights[row]);
            taken[row] = weights[row] - out;
            left_out -= out;
        }
        taken
    }
}

impl Objective for Cvir {
    fn evaluate(&self, positive: &[f32], unlabeled: &[f32], grad_p: &mut [f32], grad_u: &mut [f32]) -> f64 {
        self.evaluate_weighted(positive.into(), unlabeled.into(), grad_p, grad_u)
    }

    fn curvature(&self, positive: &[f32], unlabeled: &[f32], curve_p: &mut [f32], curve_u: &mut [f32]) {
        self.curvature_weighted(positive.into(), unlabeled.into(), curve_p, curve_u);
    }

    fn weighted(&self) -> Option<&dyn Weighted> {
        Some(self)
    }

    fn describe(&self) -> String {
        "cvir".to_string()
    }
}

impl Weighted for Cvir {
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        check_parts(positive, unlabeled, grad_p, grad_u);
        let mut value = 0.0;
        let n = 2.0 * positive.total();
        for ((f, own), grad) in positive.iter().zip(grad_p) {
            value += own * softplus(-f) / n;
            *grad = (-own * sigmoid_pair(f).1 / n) as f32;
        }
        let n = 2.0 * (1.0 - self.prior) * unlabeled.total();
        for (((f, _), own), grad) in unlabeled.iter().zip(self.taken(unlabeled)).zip(grad_u) {
            value += own * softplus(f) / n;
            *grad = (own * sigmoid(f) / n) as f32;
        }
        value
    }

    fn curvature_weighted(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]) {
        check_parts(positive, unlabeled, curve_p, curve_u);
        fill(positive, 0.5 / positive.total(), curve_p, logistic);
        fill(unlabeled, 0.5 / ((1.0 - self.prior) * unlabeled.total()), curve_u, logistic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_by_hand() {
        // A quarter of four is one: the highest is left out, and the other three weigh 1/6 each.
        let logit = 3.0f32.ln();
        let (mut grad_p, mut grad_u) = ([9.0; 1], [9.0; 4]);
        let loss = Cvir::new(0.25).unwrap();
        let value = loss.evaluate(&[logit], &[0.0, 5.0, -logit, 0.0], &mut grad_p, &mut grad_u);
        let expected = 0.5 * (4.0f64 / 3.0).ln() + (2.0 * 2.0f64.ln() + (4.0f64 / 3.0).ln()) / 6.0;
        assert!((value - expected).abs() < 1e-7, "{value} against {expected}");
        assert!((grad_p[0] + 0.125).abs() < 1e-7);
        for (grad, want) in grad_u.iter().zip([0.5 / 6.0, 0.0, 0.25 / 6.0, 0.5 / 6.0]) {
            assert!((grad - want).abs() < 1e-7, "{grad_u:?}");
        }
    }

    #[test]
    fn the_example_at_the_border_counts_in_part() {
        // Three tenths of two are .6 of the higher one.
        let taken = Cvir::new(0.3).unwrap().taken([1.0f32, 2.0].as_slice().into());
        assert!((taken[0] - 1.0).abs() < 1e-12 && (taken[1] - 0.4).abs() < 1e-12, "{taken:?}");
        let weighted = Cvir::new(0.5).unwrap().taken(Part::new(&[1.0, 2.0], Some(&[3.0, 1.0])));
        assert_eq!(weighted, [2.0, 0.0]);
    }
}
