//! The generalization bound, from a trained network's own numbers.
//!
//! **As printed** (Xie et al. 2020, arXiv 2005.03228, Theorem 2): with probability 1 − δ,
//! R(q̂) − R(q*) ≤ (C_x / m) Rad_n(F) + √(2 ln(2/δ) / n), with |x| ≤ C_x, n = n_p + n_u and m = n / batch. It takes the
//! Lipschitz constant of cross entropy for that of the collective loss. But L_U is not a sum over examples and its slope
//! carries 1 / (1 − |d|); −ln q is unbounded; and with m the number of batches, smaller batches would make the bound
//! better. It is shown as the paper's, never as a guarantee.
//!
//! **Corrected.** The risk is w1 E_P l(f) + w2 L(E_U σ(f)), with l Lipschitz in the score (1 for softplus) and L
//! Lipschitz in the mean prediction (1 / min(μ, 1 − μ) for −ln(1 − |m − μ|), as 1 − |d| never falls below that). Each
//! expectation is of a function of one example, so the textbook bound applies to each (M. Mohri, A. Rostamizadeh and
//! A. Talwalkar, "Foundations of Machine Learning", 2nd ed. 2018, Theorem 3.3: E g ≤ mean g + 2 Rad + 3 B √(ln(2/δ)/2n)
//! for g in [0, B], with the empirical complexity), and M. Talagrand's contraction takes l and σ (1/4-Lipschitz) out of
//! the complexity. Once for l and twice for σ, since L falls and rises, so δ / 3 each: for all f with |f| ≤ C at once,
//!
//! R(f) ≤ R̂(f) + w1 (2 λ_P Rad_P + 3 ln(1 + e^C) √(ln(6/δ) / 2n_p)) + w2 λ_U (2 · ¼ Rad_U + 3 √(ln(6/δ) / 2n_u)).
//!
//! R̂ is the loss with the mean over *all* unlabeled examples. An average over batches is larger in expectation, L being
//! convex, and may replace it.
//!
//! **How loose.** For networks of any size, very: [`Bound::trivial`] is what predicting μ everywhere costs, and a total
//! above it says nothing. The class F is fixed by the norms before the data are seen; taking them from the trained
//! network leaves out the price of that choice. A random-label trial finds less than the supremum. Read the parts, not
//! the total: they say whether n_p, n_u, the prior or the network makes it large.

use crate::elicit::RiskWeights;
use crate::error::LossError;
use crate::sampling::check_prior;
use crate::sigmoid::softplus;

/// What the bound is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundParts {
    /// Labeled positives.
    pub n_p: usize,
    /// Unlabeled examples.
    pub n_u: usize,
    /// Unlabeled examples in a batch; enters the printed bound alone.
    pub batch: usize,
    /// μ.
    pub mu: f64,
    /// w1 and w2.
    pub weights: RiskWeights,
    /// λ_P and λ_U.
    pub lipschitz: Lipschitz,
    /// The complexity of the scores f, at any sample size.
    pub rademacher: Rademacher,
    /// C, the largest |f| the class can give.
    pub largest_score: f64,
    /// C_x, the largest norm of an input; enters the printed bound alone.
    pub input_norm: f64,
    /// δ, the probability with which the bound may fail.
    pub delta: f64,
    /// R̂, the loss on the training data.
    pub empirical: f64,
}

/// How fast the two parts of the loss can change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lipschitz {
    /// λ_P, of the loss of a positive in its score.
    pub positive: f64,
    /// λ_U, of the unlabeled term in the mean prediction.
    pub unlabeled: f64,
}

impl Lipschitz {
    /// Those of the collective loss: 1 for softplus, 1 / min(μ, 1 − μ) for −ln(1 − |m − μ|).
    pub fn collective(mu: f64) -> Result<Self, LossError> {
        let mu = check_prior(mu)?;
        Ok(Self { positive: 1.0, unlabeled: 1.0 / mu.min(1.0 - mu) })
    }
}

/// A Rademacher complexity, E sup_f (1/n) Σ ε_i f(x_i) over random signs ε.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rademacher {
    /// Its value for `n` examples.
    pub value: f64,
    /// How many examples.
    pub n: usize,
    /// Where it comes from.
    pub source: RademacherSource,
}

/// Where a complexity comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RademacherSource {
    /// An upper bound from the norms of the weights.
    Norms {
        /// The number of layers with weights.
        depth: usize,
    },
    /// An estimate from below, by fitting random signs.
    RandomLabels {
        /// How many draws of signs.
        draws: usize,
        /// The standard error of their mean; not a number for one draw.
        standard_error: f64,
    },
}

impl Rademacher {
    /// From the Frobenius norms of the layers and the largest norm of an input (N. Golowich, A. Rakhlin and O. Shamir,
    /// "Size-independent sample complexity of neural networks", COLT 2018, Theorem 1):
    /// Rad_n ≤ C_x (√(2 ln 2 · depth) + 1) ∏ ‖W_j‖_F / √n; for one layer C_x ‖W‖ / √n.
    ///
    /// Proven for dense layers without bias and activations like ReLU. A bias belongs in the norm with its input of 1
    /// in C_x; a convolution counts as the matrix it is; a batch norm must be folded into the layer before it.
    pub fn from_norms(frobenius: &[f64], input_norm: f64, n: usize) -> Result<Self, LossError> {
        let depth = frobenius.len();
        above_zero("the number of layers", depth as f64)?;
        above_zero("the number of examples", n as f64)?;
        above_zero("the norm of the inputs", input_norm)?;
        for &norm in frobenius {
            at_least_zero("the norm of a layer", norm)?;
        }
        let layers = if depth == 1 { 1.0 } else { (2.0 * 2f64.ln() * depth as f64).sqrt() + 1.0 };
        let value = input_norm * layers * frobenius.iter().product::<f64>() / (n as f64).sqrt();
        Ok(Self { value, n, source: RademacherSource::Norms { depth } })
    }

    /// From trials: for each draw of random signs, the correlation (1/n) Σ ε_i f(x_i) that a network trained on these
    /// signs as its labels reaches on the same `n` examples. Training finds less than the supremum, so this is an
    /// estimate from below (P. L. Bartlett and S. Mendelson, J. Mach. Learn. Res. 3, 2002).
    pub fn from_random_labels(correlations: &[f64], n: usize) -> Result<Self, LossError> {
        let draws = correlations.len();
        above_zero("the number of draws of random labels", draws as f64)?;
        above_zero("the number of examples", n as f64)?;
        if let Some(&value) = correlations.iter().find(|value| !value.is_finite()) {
            return Err(LossError::Bound {
                what: "a correlation with random labels",
                range: "a finite number",
                value,
            });
        }
        let mean = correlations.iter().sum::<f64>() / draws as f64;
        let squares: f64 = correlations.iter().map(|value| (value - mean).powi(2)).sum();
        let standard_error = (squares / (draws as f64 - 1.0) / draws as f64).sqrt();
        // The supremum of a class that holds 0 is not below 0.
        let source = RademacherSource::RandomLabels { draws, standard_error };
        Ok(Self { value: mean.max(0.0), n, source })
    }

    /// The complexity for another number of examples, by its 1/√n. Exact for the norms, usual for a trial.
    pub fn at(&self, n: usize) -> f64 {
        self.value * (self.n as f64 / n as f64).sqrt()
    }
}

/// The corrected bound on the risk of the trained network, term by term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound {
    /// R̂.
    pub empirical: f64,
    /// w1 · 2 λ_P Rad_P.
    pub positive_complexity: f64,
    /// w1 · 3 ln(1 + e^C) √(ln(6/δ) / 2n_p).
    pub positive_confidence: f64,
    /// w2 λ_U · ½ Rad_U.
    pub unlabeled_complexity: f64,
    /// w2 λ_U · 3 √(ln(6/δ) / 2n_u).
    pub unlabeled_confidence: f64,
    /// Their sum.
    pub total: f64,
    /// w1 · −ln μ, what predicting μ everywhere costs under the collective loss.
    pub trivial: f64,
    /// Whether the total is no better than that.
    pub vacuous: bool,
    /// The paper's bound, to compare.
    pub printed: PrintedBound,
}

/// The paper's bound on R(q̂) − R(q*).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintedBound {
    /// m = (n_p + n_u) / batch.
    pub batches: f64,
    /// (C_x / m) Rad_n.
    pub complexity: f64,
    /// √(2 ln(2/δ) / n).
    pub confidence: f64,
    /// Their sum.
    pub total: f64,
}

impl Bound {
    /// The bound for these parts, or the one that is out of range.
    pub fn new(parts: &BoundParts) -> Result<Self, LossError> {
        let BoundParts { n_p, n_u, batch, mu, weights, lipschitz, rademacher, delta, empirical, .. } = *parts;
        let mu = check_prior(mu)?;
        let RiskWeights { positive: w1, unlabeled: w2 } = weights.checked()?;
        above_zero("the number of positives", n_p as f64)?;
        above_zero("the number of unlabeled examples", n_u as f64)?;
        above_zero("the number of unlabeled examples in a batch", batch as f64)?;
        at_least_zero("the Lipschitz constant of the positive term", lipschitz.positive)?;
        at_least_zero("the Lipschitz constant of the unlabeled term", lipschitz.unlabeled)?;
        at_least_zero("the Rademacher complexity", rademacher.value)?;
        at_least_zero("the largest score", parts.largest_score)?;
        at_least_zero("the norm of the inputs", parts.input_norm)?;
        at_least_zero("the loss on the training data", empirical)?;
        if !(delta > 0.0 && delta < 1.0) {
            return Err(LossError::Bound { what: "delta", range: "strictly between 0 and 1", value: delta });
        }
        let confidence = |n: usize| 3.0 * ((6.0 / delta).ln() / (2.0 * n as f64)).sqrt();
        let positive_complexity = w1 * 2.0 * lipschitz.positive * rademacher.at(n_p);
        let positive_confidence = w1 * softplus(parts.largest_score) * confidence(n_p);
        let unlabeled_complexity = w2 * lipschitz.unlabeled * 0.5 * rademacher.at(n_u);
        let unlabeled_confidence = w2 * lipschitz.unlabeled * confidence(n_u);
        let total = empirical
            + positive_complexity
            + positive_confidence
            + unlabeled_complexity
            + unlabeled_confidence;
        let trivial = -w1 * mu.ln();
        Ok(Self {
            empirical,
            positive_complexity,
            positive_confidence,
            unlabeled_complexity,
            unlabeled_confidence,
            total,
            trivial,
            vacuous: total >= trivial,
            printed: PrintedBound::new(parts),
        })
    }
}

impl PrintedBound {
    fn new(parts: &BoundParts) -> Self {
        let n = parts.n_p + parts.n_u;
        let batches = n as f64 / parts.batch as f64;
        let complexity = parts.input_norm / batches * parts.rademacher.at(n);
        let confidence = (2.0 * (2.0 / parts.delta).ln() / n as f64).sqrt();
        Self { batches, complexity, confidence, total: complexity + confidence }
    }
}

fn above_zero(what: &'static str, value: f64) -> Result<(), LossError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(LossError::Bound { what, range: "above 0", value })
    }
}

fn at_least_zero(what: &'static str, value: f64) -> Result<(), LossError> {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(LossError::Bound { what, range: "0 or a positive number", value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> BoundParts {
        BoundParts {
            n_p: 10_000,
            n_u: 40_000,
            batch: 500,
            mu: 0.25,
            weights: RiskWeights { positive: 0.25, unlabeled: 1.0 },
            lipschitz: Lipschitz::collective(0.25).unwrap(),
            rademacher: Rademacher::from_norms(&[2.0], 1.0, 10_000).unwrap(),
            largest_score: 0.0,
            input_norm: 1.0,
            delta: 6.0 * (-2.0f64).exp(),
            empirical: 0.1,
        }
    }

    #[test]
    fn every_term_by_hand() {
        // Rad is 2/100 at n_p and 2/200 at n_u; ln(6/δ) = 2, so the confidences are 3/100 and 3/200; λ_U = 4.
        let bound = Bound::new(&parts()).unwrap();
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}: {bound:?}");
        close(bound.positive_complexity, 0.25 * 2.0 * 0.02);
        close(bound.positive_confidence, 0.25 * 0.03 * 2f64.ln());
        close(bound.unlabeled_complexity, 4.0 * 0.5 * 0.01);
        close(bound.unlabeled_confidence, 4.0 * 0.015);
        close(bound.total, 0.1 + 0.01 + 0.0075 * 2f64.ln() + 0.02 + 0.06);
        close(bound.trivial, 0.25 * 4f64.ln());
        assert!(!bound.vacuous);
        // The paper's: m = 100 batches, Rad_n = 2/√50000.
        close(bound.printed.batches, 100.0);
        close(bound.printed.complexity, 0.02 / 50_000f64.sqrt());
        close(bound.printed.confidence, (2.0 * (2f64 - 3f64.ln()) / 50_000.0).sqrt());
    }

    #[test]
    fn smaller_batches_improve_the_printed_bound_alone() {
        let [large, small] = [500, 50].map(|batch| Bound::new(&BoundParts { batch, ..parts() }).unwrap());
        assert!(small.printed.total < large.printed.total);
        assert_eq!(small.total, large.total);
    }

    #[test]
    fn complexities() {
        // Depth 2: √(4 ln 2) + 1 = 2.6651; times 3 · 2 · 5 / √100.
        let norms = Rademacher::from_norms(&[3.0, 2.0], 5.0, 100).unwrap();
        assert!((norms.value - 3.0 * ((4.0 * 2f64.ln()).sqrt() + 1.0)).abs() < 1e-12, "{norms:?}");
        assert!((norms.at(400) - norms.value / 2.0).abs() < 1e-12);
        let trial = Rademacher::from_random_labels(&[0.1, 0.2, 0.3], 100).unwrap();
        assert!((trial.value - 0.2).abs() < 1e-15);
        let RademacherSource::RandomLabels { draws: 3, standard_error } = trial.source else {
            panic!("{trial:?}")
        };
        assert!((standard_error - 0.1 / 3f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn numbers_out_of_range_are_named() {
        let refuse = |parts: BoundParts| Bound::new(&parts).unwrap_err().to_string();
        assert_eq!(
            refuse(BoundParts { delta: 1.5, ..parts() }),
            "delta must be strictly between 0 and 1, but is 1.5"
        );
        assert_eq!(
            refuse(BoundParts { n_p: 0, ..parts() }),
            "the number of positives must be above 0, but is 0"
        );
        assert!(refuse(BoundParts { mu: 0.0, ..parts() }).contains("prior"));
        assert!(refuse(BoundParts { empirical: f64::NAN, ..parts() }).contains("is NaN"));
        assert!(Rademacher::from_norms(&[], 1.0, 10).is_err());
        assert!(Rademacher::from_random_labels(&[0.1, f64::INFINITY], 10).is_err());
    }
}
