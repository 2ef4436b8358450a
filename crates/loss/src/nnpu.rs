//! Non-negative risk (nnPU).
//!
//! R. Kiryo, G. Niu, M. C. du Plessis and M. Sugiyama, "Positive-unlabeled learning with non-negative risk estimator",
//! NeurIPS 2017. The update rule is the one of the authors' program.

use crate::error::LossError;
use crate::objective::{Objective, check_parts};
use crate::part::{Part, Weighted, by_weights};
use crate::risk::Risk;
use crate::sampling::{Sampling, Weights};
use crate::surrogate::Surrogate;
use std::sync::atomic::{AtomicU64, Ordering};

/// The unbiased risk with a floor under its negative part.
///
/// R_n estimates the risk on the negatives and so cannot truly be below zero. With R_p and R_n as in [`crate::Upu`],
/// for each batch:
///
/// * if R_n ≥ −β: the value is R_p + R_n, and its gradient is descended;
/// * otherwise the batch has been overfitted: the value is R_p − β, and the gradient is that of **−γ R_n alone**, so
///   that a descent step raises R_n again. Scores of U rise and those of P fall; R_p takes no part.
///
/// In the second case the value reported is not the quantity descended, so its finite differences do not match the
/// gradient. [`Objective::corrections`] counts how often that happened.
///
/// The curvature is that of [`crate::Upu`] in both cases. In the second it is R_n that bends the scores, upward, and its
/// own second derivative would be negative.
///
/// A batch without unlabeled examples says nothing about the sign of R_n and is never corrected.
///
/// It assumes that the labeled positives are a random subset of all positives. The paper uses β = 0, γ = 1 and the
/// sigmoid loss.
#[derive(Debug)]
pub struct Nnpu {
    name: &'static str,
    sampling: Sampling,
    risk: Risk,
    beta: f64,
    /// How far the weighted R_n may fall below zero.
    slack: f64,
    gamma: f64,
    corrections: AtomicU64,
}

impl Nnpu {
    /// `mu` is the share of positives among the unlabeled examples, strictly between 0 and 1; `beta` ≥ 0 is how far
    /// R_n may fall below zero, `gamma` in [0, 1] scales the step that raises it again.
    pub fn new(
        mu: f64,
        sampling: Sampling,
        surrogate: Surrogate,
        beta: f64,
        gamma: f64,
    ) -> Result<Self, LossError> {
        Self::of_weights("nnpu", Weights::new(mu, sampling)?, 1.0, sampling, surrogate, beta, gamma)
    }

    /// The rule under a name of its own, with weights in which R_n has this factor.
    pub(crate) fn of_weights(
        name: &'static str,
        weights: Weights,
        factor: f64,
        sampling: Sampling,
        surrogate: Surrogate,
        beta: f64,
        gamma: f64,
    ) -> Result<Self, LossError> {
        if !(beta >= 0.0 && beta.is_finite()) {
            return Err(LossError::Beta(beta));
        }
        if !(0.0..=1.0).contains(&gamma) {
            return Err(LossError::Gamma(gamma));
        }
        // R_n ≥ −β and factor · R_n ≥ −factor · β are the same test.
        let (risk, slack) = (Risk { weights, surrogate }, factor * beta);
        Ok(Self { name, sampling, risk, beta, slack, gamma, corrections: AtomicU64::new(0) })
    }
}

impl Objective for Nnpu {
    by_weights!();

    fn describe(&self) -> String {
        let Self { name, sampling, beta, gamma, .. } = self;
        format!("{name} ({sampling}, {}, beta {beta}, gamma {gamma})", self.risk.surrogate)
    }

    fn corrections(&self) -> Option<u64> {
        Some(self.corrections.load(Ordering::Relaxed))
    }
}

impl Weighted for Nnpu {
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        check_parts(positive, unlabeled, grad_p, grad_u);
        let parts = self.risk.evaluate(positive, unlabeled, grad_p, grad_u);
        if parts.negative >= -self.slack || unlabeled.is_empty() {
            return parts.positive + parts.negative;
        }
        self.corrections.fetch_add(1, Ordering::Relaxed);
        self.risk.gradient_of_negative(-self.gamma, positive, unlabeled, grad_p, grad_u);
        parts.positive - self.slack
    }

    fn curvature_weighted(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]) {
        check_parts(positive, unlabeled, curve_p, curve_u);
        self.risk.curvature(positive, unlabeled, curve_p, curve_u);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Upu;

    const SINGLE: Sampling = Sampling::SingleSample { labeled_share: 0.25 };
    /// A batch the model has overfitted: P far up, U far down, so R_n is about −w_n μ l(−f).
    const HIGH: [f32; 3] = [3.0, 2.25, 4.5];
    const LOW: [f32; 4] = [-3.25, -4.0, -2.5, -5.0];

    #[test]
    fn without_a_negative_part_below_zero_it_is_the_unbiased_risk() {
        for (sampling, surrogate) in
            [Sampling::CaseControl, SINGLE].into_iter().flat_map(|s| Surrogate::ALL.map(|l| (s, l)))
        {
            let nnpu = Nnpu::new(0.3, sampling, surrogate, 0.0, 1.0).unwrap();
            let upu = Upu::new(0.3, sampling, surrogate).unwrap();
            let (mut grads, mut expected) = ([[9.0; 3]; 2], [[9.0; 3]; 2]);
            let scores = ([0.5, -1.5, 2.0], [1.5, -0.25, 0.75]);
            let [grad_p, grad_u] = &mut grads;
            let value = nnpu.evaluate(&scores.0, &scores.1, grad_p, grad_u);
            let [grad_p, grad_u] = &mut expected;
            assert_eq!(value, upu.evaluate(&scores.0, &scores.1, grad_p, grad_u), "{}", nnpu.describe());
            assert_eq!(grads, expected, "{}", nnpu.describe());
            assert_eq!(nnpu.corrections(), Some(0));
        }
    }

    /// Every quantity of the correction branch, the gradient against central differences of −γ R_n. Scores and step
    /// are multiples of 2⁻¹⁰, so that f ± h is exact in `f32`.
    #[test]
    fn a_correction_raises_the_negative_part() {
        let (gamma, beta, h) = (0.5, 0.01, 1.0 / 1024.0);
        for (sampling, surrogate) in
            [Sampling::CaseControl, SINGLE].into_iter().flat_map(|s| Surrogate::ALL.map(|l| (s, l)))
        {
            // The squared loss charges confident scores of U, so its batch stays where l(−f) is small.
            let (p, u) = match surrogate {
                Surrogate::Squared => (HIGH, [-1.25, -0.75, -1.0, -1.5]),
                _ => (HIGH, LOW),
            };
            let nnpu = Nnpu::new(0.4, sampling, surrogate, beta, gamma).unwrap();
            let risk = nnpu.risk;
            let parts = |p: &[f32; 3], u: &[f32; 4]| {
                risk.evaluate(p.as_slice().into(), u.as_slice().into(), &mut [0.0; 3], &mut [0.0; 4])
            };
            assert!(parts(&p, &u).negative < -beta, "{} is not overfitted", nnpu.describe());

            let (mut grad_p, mut grad_u) = ([0.0; 3], [0.0; 4]);
            let value = nnpu.evaluate(&p, &u, &mut grad_p, &mut grad_u);
            assert_eq!(value, parts(&p, &u).positive - beta);
            assert_eq!(nnpu.corrections(), Some(1));

            let check = |gradient: f32, difference: f64| {
                let expected = -gamma * difference / (2.0 * f64::from(h));
                assert!(
                    (f64::from(gradient) - expected).abs() < 1e-7,
                    "{}: {gradient} {expected}",
                    nnpu.describe()
                );
            };
            for i in 0..p.len() {
                let (mut more, mut less) = (p, p);
                more[i] += h;
                less[i] -= h;
                check(grad_p[i], parts(&more, &u).negative - parts(&less, &u).negative);
                assert!(grad_p[i] > 0.0, "descent lowers the scores of P: {grad_p:?}");
            }
            for j in 0..u.len() {
                let (mut more, mut less) = (u, u);
                more[j] += h;
                less[j] -= h;
                check(grad_u[j], parts(&p, &more).negative - parts(&p, &less).negative);
            }
            // Descent raises the scores of U wherever l(−f) still has a slope: below f = −1 the double hinge has none,
            // and the squared loss turns around.
            if matches!(surrogate, Surrogate::Sigmoid | Surrogate::Logistic) {
                assert!(grad_u.iter().all(|&g| g < 0.0), "{grad_u:?}");
            }
        }
    }

    #[test]
    fn steps_of_correction_bring_the_negative_part_back() {
        let nnpu = Nnpu::new(0.4, Sampling::CaseControl, Surrogate::Sigmoid, 0.0, 1.0).unwrap();
        let (mut p, mut u) = (HIGH, LOW);
        let (mut grad_p, mut grad_u) = ([0.0; 3], [0.0; 4]);
        for _ in 0..2000 {
            let before = nnpu.corrections();
            nnpu.evaluate(&p, &u, &mut grad_p, &mut grad_u);
            if nnpu.corrections() == before {
                return;
            }
            p.iter_mut().zip(&grad_p).for_each(|(f, g)| *f -= g);
            u.iter_mut().zip(&grad_u).for_each(|(f, g)| *f -= g);
        }
        panic!("R_n is still below zero at P {p:?}, U {u:?}");
    }

    #[test]
    fn a_batch_without_unlabeled_examples_is_not_corrected() {
        let nnpu = Nnpu::new(0.4, Sampling::CaseControl, Surrogate::Sigmoid, 0.0, 1.0).unwrap();
        let mut grad_p = [0.0; 3];
        nnpu.evaluate(&HIGH, &[], &mut grad_p, &mut []);
        assert_eq!(nnpu.corrections(), Some(0));
        assert!(grad_p.iter().all(|&g| g < 0.0), "positives are pushed up: {grad_p:?}");
    }

    #[test]
    fn bad_options_are_refused() {
        let build = |beta, gamma| Nnpu::new(0.4, SINGLE, Surrogate::Sigmoid, beta, gamma).map(|_| ());
        assert_eq!(build(-0.5, 1.0), Err(LossError::Beta(-0.5)));
        assert_eq!(build(0.0, 1.5), Err(LossError::Gamma(1.5)));
        assert!(build(f64::NAN, 1.0).is_err() && build(0.0, f64::NAN).is_err());
        assert_eq!(build(0.1, 0.0), Ok(()));
    }
}
