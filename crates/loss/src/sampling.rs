//! How the sampling enters a risk: through two weights and nothing else.
//!
//! A classifier's risk is π E_P l(f) + (1 − π) E_N l(−f). Negatives are not observed, but U is a mixture of both
//! classes with μ positives in it, so E_U l(−f) = μ E_P l(−f) + (1 − μ) E_N l(−f). What the population is, and with
//! it π, differs between the two ways of drawing the data:
//!
//! * **Case-control.** U is a sample of the population: π = μ, and (1 − π) E_N l(−f) = E_U l(−f) − μ E_P l(−f).
//! * **Single sample.** P ∪ U is a sample of the population, with a share s = n_p / (n_p + n_u) of it labeled:
//!   π = s + (1 − s) μ, and the population's mean of l(−f) is s E_P l(−f) + (1 − s) E_U l(−f). Hence
//!   (1 − π) E_N l(−f) = s E_P l(−f) + (1 − s) E_U l(−f) − π E_P l(−f) = (1 − s) (E_U l(−f) − μ E_P l(−f)).
//!
//! The difference E_U − μ E_P is the same in both. So, with w_p = π and w_n = 1 or 1 − s,
//!
//! R_p = w_p · mean_P l(f),  R_n = w_n · (mean_U l(−f) − μ · mean_P l(−f)),
//!
//! and every risk in this crate is made of these two. In both scenarios R_n estimates (1 − π) E_N l(−f).

use crate::error::LossError;
use std::fmt;

/// How the positives and the unlabeled examples were drawn, as far as a risk has to know.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sampling {
    /// Positives and unlabeled examples drawn separately; the unlabeled ones are the population.
    CaseControl,
    /// One sample of the population with some of its positives labeled; the unlabeled examples are the rest.
    SingleSample {
        /// n_p / (n_p + n_u) in the whole training data (not in a batch), strictly between 0 and 1.
        labeled_share: f64,
    },
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Sampling::CaseControl => "case-control",
            Sampling::SingleSample { .. } => "single-sample",
        })
    }
}

/// μ, if it lies strictly between 0 and 1.
pub(crate) fn check_prior(mu: f64) -> Result<f64, LossError> {
    if mu > 0.0 && mu < 1.0 { Ok(mu) } else { Err(LossError::Prior(mu)) }
}

/// The weights of R_p and R_n, checked and derived once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Weights {
    /// w_p, the weight of mean_P l(f).
    pub positive: f64,
    /// w_n, the weight of mean_U l(−f) − μ mean_P l(−f).
    pub negative: f64,
    /// μ.
    pub prior_in_unlabeled: f64,
}

impl Weights {
    /// The weights of the classification risk.
    pub fn new(mu: f64, sampling: Sampling) -> Result<Self, LossError> {
        let mu = check_prior(mu)?;
        match sampling {
            Sampling::CaseControl => Ok(Self { positive: mu, negative: 1.0, prior_in_unlabeled: mu }),
            Sampling::SingleSample { labeled_share: s } if s > 0.0 && s < 1.0 => {
                Ok(Self { positive: s + (1.0 - s) * mu, negative: 1.0 - s, prior_in_unlabeled: mu })
            }
            Sampling::SingleSample { labeled_share } => Err(LossError::LabeledShare(labeled_share)),
        }
    }

    /// 1 − π = w_n (1 − μ), as a product so that it stays above 0 for every prior and share.
    pub fn share_of_negatives(&self) -> f64 {
        self.negative * (1.0 - self.prior_in_unlabeled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_classes_share_the_population() {
        // CIFAR-10, animals positive, a fifth of them hidden: 24,000 labeled, 26,000 unlabeled, π = 0.6.
        let sampling = Sampling::SingleSample { labeled_share: 0.48 };
        let weights = Weights::new(6.0 / 26.0, sampling).unwrap();
        assert!((weights.positive - 0.6).abs() < 1e-15, "{weights:?}");
        assert!((weights.share_of_negatives() - 0.4).abs() < 1e-15, "{weights:?}");
        let weights = Weights::new(0.3, Sampling::CaseControl).unwrap();
        assert_eq!((weights.positive, weights.negative), (0.3, 1.0));
        assert!((weights.share_of_negatives() - 0.7).abs() < 1e-15);
    }

    #[test]
    fn impossible_numbers_are_refused() {
        for mu in [0.0, 1.0, -0.1, 1.2, f64::NAN] {
            let error = Weights::new(mu, Sampling::CaseControl).unwrap_err();
            assert!(error.to_string().ends_with(&format!("is {mu}")), "{error}");
        }
        for labeled_share in [0.0, 1.0, -2.0, f64::INFINITY, f64::NAN] {
            let error = Weights::new(0.3, Sampling::SingleSample { labeled_share }).unwrap_err();
            assert!(error.to_string().ends_with(&format!("is {labeled_share}")), "{error}");
        }
    }
}
