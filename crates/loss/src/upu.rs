//! Unbiased risk (uPU).
//!
//! M. C. du Plessis, G. Niu and M. Sugiyama, "Analysis of learning from positive and unlabeled data", NeurIPS 2014, and
//! "Convex formulation for learning from positive and unlabeled data", ICML 2015.

use crate::error::LossError;
use crate::objective::{Objective, check_parts};
use crate::part::{Part, Weighted, by_weights};
use crate::risk::Risk;
use crate::sampling::{Sampling, Weights};
use crate::surrogate::Surrogate;

/// The unbiased estimate of the classification risk: R = R_p + R_n.
///
/// * Case-control: R = μ mean_P l(f) + mean_U l(−f) − μ mean_P l(−f).
/// * Single sample, with s the labeled share and π = s + (1 − s) μ:
///   R = π mean_P l(f) + (1 − s) (mean_U l(−f) − μ mean_P l(−f)).
///
/// Gradient, with w_p = μ or π and w_n = 1 or 1 − s: (w_p l'(f) + w_n μ l'(−f)) / n_p on P, −w_n l'(−f) / n_u on U.
/// Curvature, the second derivative without its concave part: w_p l''(f) / n_p on P, w_n l''(−f) / n_u on U. With the
/// logistic loss that is exact on U, and on P times 1 − w_n μ / w_p, which is 0 in the case-control scenario. The sigmoid
/// loss has σ(f) σ(−f) for l'' and w_p + w_n μ on P; the double hinge σ(f) σ(−f); the squared loss its own 1/2.
///
/// For the linear-odd surrogates, case-control R is −μ mean_P f + mean_U l(−f), which is convex in the scores.
///
/// It assumes that the labeled positives are a random subset of all positives. A flexible model can push R below zero
/// by overfitting, without bound if the surrogate is unbounded; [`crate::Nnpu`] is the cure.
#[derive(Clone, Copy, Debug)]
pub struct Upu {
    risk: Risk,
    sampling: Sampling,
}

impl Upu {
    /// `mu` is the share of positives among the unlabeled examples, strictly between 0 and 1.
    pub fn new(mu: f64, sampling: Sampling, surrogate: Surrogate) -> Result<Self, LossError> {
        Ok(Self { risk: Risk { weights: Weights::new(mu, sampling)?, surrogate }, sampling })
    }
}

impl Objective for Upu {
    by_weights!();

    fn describe(&self) -> String {
        format!("upu ({}, {})", self.sampling, self.risk.surrogate)
    }
}

impl Weighted for Upu {
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        check_parts(positive, unlabeled, grad_p, grad_u);
        let parts = self.risk.evaluate(positive, unlabeled, grad_p, grad_u);
        parts.positive + parts.negative
    }

    fn curvature_weighted(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]) {
        check_parts(positive, unlabeled, curve_p, curve_u);
        self.risk.curvature(positive, unlabeled, curve_p, curve_u);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POSITIVE: [f32; 3] = [1.5, -0.5, 4.0];
    const UNLABELED: [f32; 4] = [-3.0, 0.25, 2.0, -0.75];

    fn mean(scores: &[f32], of: impl Fn(f64) -> f64) -> f64 {
        scores.iter().map(|&f| of(f64::from(f))).sum::<f64>() / scores.len() as f64
    }

    #[test]
    fn linear_odd_losses_leave_a_linear_term_in_the_positives() {
        let mu = 0.3;
        for surrogate in [Surrogate::Logistic, Surrogate::Squared, Surrogate::DoubleHinge] {
            let (mut grad_p, mut grad_u) = ([0.0; 3], [0.0; 4]);
            let value = Upu::new(mu, Sampling::CaseControl, surrogate).unwrap().evaluate(
                &POSITIVE,
                &UNLABELED,
                &mut grad_p,
                &mut grad_u,
            );
            let identity = -mu * mean(&POSITIVE, |f| f) + mean(&UNLABELED, |f| surrogate.loss(-f));
            assert!((value - identity).abs() < 1e-14, "{surrogate}: {value} against {identity}");
            assert!(grad_p.iter().all(|g| (g + 0.1).abs() < 1e-8), "{surrogate}: {grad_p:?}, not -mu/3");
        }
    }

    #[test]
    fn a_symmetric_loss_doubles_the_positives() {
        let (mu, surrogate) = (0.3, Surrogate::Sigmoid);
        let value = Upu::new(mu, Sampling::CaseControl, surrogate).unwrap().evaluate(
            &POSITIVE,
            &UNLABELED,
            &mut [0.0; 3],
            &mut [0.0; 4],
        );
        let identity =
            2.0 * mu * mean(&POSITIVE, |f| surrogate.loss(f)) + mean(&UNLABELED, |f| surrogate.loss(-f)) - mu;
        assert!((value - identity).abs() < 1e-14, "{value} against {identity}");
    }
}
