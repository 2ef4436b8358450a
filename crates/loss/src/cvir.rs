//! Positives against the unlabeled examples that look least like them.
//!
//! S. Garg, Y. Wu, A. Smola, S. Balakrishnan and Z. C. Lipton, "Mixture proportion estimation and PU learning: a modern
//! approach", NeurIPS 2021: conditional value ignoring risk.

use crate::curvature::{fill, logistic};
use crate::error::LossError;
use crate::objective::{Objective, check_parts};
use crate::paced::{Paced, Shared};
use crate::part::{Part, Weighted, by_weights};
use crate::sampling::check_prior;
use crate::sigmoid::{sigmoid, sigmoid_pair, softplus};

/// The share of the epochs that take all of U for negative: the authors' 100 of 1,000.
pub(crate) const WARM_UP: f64 = 0.1;

/// ½ mean_P softplus(−f) + ½ mean_{U'} softplus(f), where U' is U without the share μ of it that scores highest.
///
/// Gradient: −σ(−f) / 2n_p on P, σ(f) / 2n' on U', 0 on the rest of U; n' = (1 − μ) n_u. The example at the border counts for
/// the part of it that lies below. Curvature: σ(f) σ(−f) with the same factors, on all of U.
///
/// Its authors rank all of U once per epoch, and so does whoever trains by epochs ([`Paced`]): U' is then made of the rows that
/// were taken before the epoch, and n' is how many of them the batch has. For the first tenth of the epochs every row is taken,
/// so that there is a ranking to start from. [`Objective::evaluate`] ranks the scores that it is given.
///
/// It assumes that the labeled positives are a random subset of all positives.
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

    /// The same for a share that was found and may be 0.
    pub(crate) fn at(prior: f64) -> Self {
        Self { prior }
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
    by_weights!();

    fn paced(&self) -> Option<&dyn Paced> {
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

impl Paced for Cvir {
    fn weighs(&self, done: f64) -> bool {
        done >= WARM_UP
    }

    fn shares(&self, _: f64, positive: Part, unlabeled: Part, shares_p: &mut [f32], shares_u: &mut [f32]) {
        check_parts(positive, unlabeled, shares_p, shares_u);
        shares_p.fill(1.0);
        for ((share, taken), (_, own)) in shares_u.iter_mut().zip(self.taken(unlabeled)).zip(unlabeled.iter())
        {
            *share = if own > 0.0 { (taken / own) as f32 } else { 0.0 };
        }
    }

    fn evaluate_paced(
        &self,
        _: f64,
        positive: Shared,
        unlabeled: Shared,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        check_parts(positive.part, unlabeled.part, grad_p, grad_u);
        let mut value = 0.0;
        for (sign, shared, grad) in [(1.0, positive, grad_p), (-1.0, unlabeled, grad_u)] {
            // A batch may hold rows that are left out alone.
            let half = Some(shared.total()).filter(|&total| total > 0.0).map_or(0.0, |total| 0.5 / total);
            for ((f, own), grad) in shared.iter().zip(grad) {
                value += half * own * softplus(-sign * f);
                *grad = (-sign * half * own * sigmoid(-sign * f)) as f32;
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_ranked_once_an_epoch() {
        let loss = Cvir::new(0.25).unwrap();
        assert!(!loss.weighs(0.05) && loss.weighs(0.1));
        let (p, u) = ([1.0f32], [0.0f32, 5.0, -1.0, 2.0]);
        let (mut shares_p, mut shares_u) = ([9.0; 1], [9.0; 4]);
        loss.shares(0.5, p.as_slice().into(), u.as_slice().into(), &mut shares_p, &mut shares_u);
        assert_eq!((shares_p, shares_u), ([1.0], [1.0, 0.0, 1.0, 1.0]));
        // A batch with the row that is left out and one other: the other is half of the loss, whatever the scores now.
        let shared = |scores, shares| Shared::new(Part::new(scores, None), shares);
        let (p, u) = ([0.0f32], [7.0f32, 0.0]);
        let (mut grad_p, mut grad_u) = ([9.0; 1], [9.0; 2]);
        let (all, some) = ([1.0f32], [1.0f32, 0.0]);
        let value = loss.evaluate_paced(0.5, shared(&p, &all), shared(&u, &some), &mut grad_p, &mut grad_u);
        assert!((value - 0.5 * (2.0f64.ln() + softplus(7.0))).abs() < 1e-12, "{value}");
        assert_eq!((grad_p, grad_u[1]), ([-0.25], 0.0));
        let nothing =
            loss.evaluate_paced(0.5, shared(&p, &all), shared(&u, &[0.0; 2]), &mut grad_p, &mut grad_u);
        assert!((nothing - 0.5 * 2.0f64.ln()).abs() < 1e-12 && grad_u == [0.0; 2], "{nothing} {grad_u:?}");
    }

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
