//! Non-negative risk for rare positives.
//!
//! G. Su, W. Chen and M. Xu, "Positive-unlabeled learning from imbalanced data", IJCAI 2021. The weights below are a
//! reconstruction of theirs, not checked against their paper.

use crate::error::LossError;
use crate::nnpu::Nnpu;
use crate::sampling::{Sampling, Weights};
use crate::surrogate::Surrogate;

impl Nnpu {
    /// The non-negative estimate of the *balanced* risk, in which both classes weigh the same.
    ///
    /// With R_n as in [`crate::Nnpu`], nn{·} for its update rule, and a = 1/2,
    ///
    /// R = a mean_P l(f) + (1 − a) / (1 − π) · nn{ R_n }.
    ///
    /// R_n estimates (1 − π) E_N l(−f), so R estimates a E_P l(f) + (1 − a) E_N l(−f): at a = π it is nnPU, and at
    /// a = 1/2 a positive class of one in a thousand is no longer cheaper to miss than to find. β applies before the
    /// factor (1 − a) / (1 − π).
    ///
    /// Gradient: as in nnPU, with w_p = a and w_n = (1 − a) / (1 − μ). That w_n is the same in both scenarios, since
    /// 1 − π = (1 − s) (1 − μ) in a single sample and the 1 − s of R_n cancels: the balanced risk does not depend on how
    /// frequent the classes are in the population. The scenario matters to β alone. The curvature is that of nnPU with these
    /// weights.
    ///
    /// It assumes that the labeled positives are a random subset of all positives. Its threshold is that of balanced
    /// classes: with the logistic loss, f + ln(π / (1 − π)) is the logit in the population.
    ///
    /// Parameters as in [`Nnpu::new`].
    pub fn imbalanced(
        mu: f64,
        sampling: Sampling,
        surrogate: Surrogate,
        beta: f64,
        gamma: f64,
    ) -> Result<Self, LossError> {
        Self::of_classes(0.5, mu, sampling, surrogate, beta, gamma)
    }

    /// `a` is the weight of the positive class.
    fn of_classes(
        a: f64,
        mu: f64,
        sampling: Sampling,
        surrogate: Surrogate,
        beta: f64,
        gamma: f64,
    ) -> Result<Self, LossError> {
        let population = Weights::new(mu, sampling)?;
        let factor = (1.0 - a) / population.share_of_negatives();
        let weights = Weights { positive: a, negative: factor * population.negative, ..population };
        Self::of_weights("imbalanced-nnpu", weights, factor, sampling, surrogate, beta, gamma)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Objective;

    const SINGLE: Sampling = Sampling::SingleSample { labeled_share: 0.25 };

    /// An ordinary batch, and one that takes the correction branch.
    const BATCHES: [([f32; 3], [f32; 2]); 2] =
        [([0.5, -1.5, 2.0], [1.5, -0.25]), ([3.0, 2.25, 4.5], [-4.0, -3.5])];

    fn numbers(objective: &dyn Objective, batch: usize) -> Vec<f64> {
        let (p, u) = BATCHES[batch];
        let (mut grad_p, mut grad_u) = ([0.0; 3], [0.0; 2]);
        let value = objective.evaluate(&p, &u, &mut grad_p, &mut grad_u);
        std::iter::once(value).chain(grad_p.iter().chain(&grad_u).map(|&g| f64::from(g))).collect()
    }

    fn assert_close(left: &[f64], right: &[f64], tolerance: f64) {
        let close = left.iter().zip(right).all(|(l, r)| (l - r).abs() <= tolerance);
        assert!(close, "{left:?}\nagainst\n{right:?}");
    }

    #[test]
    fn at_the_class_prior_it_is_nnpu() {
        for (sampling, pi) in [(Sampling::CaseControl, 0.4), (SINGLE, 0.25 + 0.75 * 0.4)] {
            for surrogate in Surrogate::ALL {
                let weighted = Nnpu::of_classes(pi, 0.4, sampling, surrogate, 0.01, 0.5).unwrap();
                let nnpu = Nnpu::new(0.4, sampling, surrogate, 0.01, 0.5).unwrap();
                for batch in 0..2 {
                    assert_close(&numbers(&weighted, batch), &numbers(&nnpu, batch), 1e-7);
                }
                assert_eq!(weighted.corrections(), nnpu.corrections());
            }
        }
    }

    #[test]
    fn the_balanced_risk_does_not_depend_on_the_scenario() {
        let build = |sampling| Nnpu::imbalanced(0.01, sampling, Surrogate::Logistic, 0.0, 1.0).unwrap();
        for batch in 0..2 {
            let (one, two) = (numbers(&build(SINGLE), batch), numbers(&build(Sampling::CaseControl), batch));
            assert_close(&one, &two, 1e-7);
        }
    }
}
