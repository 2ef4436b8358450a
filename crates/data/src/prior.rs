//! How the data came about, and the two priors that follow from it.
//!
//! Two different numbers are called "the prior" in the field: the share of positives *inside the unlabeled sample*
//! (μ, [`PriorInUnlabeled`]) and the share of positives *in the population* (π, [`ClassPrior`]). They are equal when
//! positives and unlabeled rows were drawn separately, and differ when the labeled positives were taken out of one
//! sample. Here they are two types, and only a [`Scenario`] together with the counts turns one into the other.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How the positives and the unlabeled rows were drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scenario {
    /// Two samples: positives from the positive class, unlabeled rows from the whole population. μ = π.
    CaseControl,
    /// One sample of the population: some of its positives were labeled, the unlabeled rows are the rest. μ < π.
    SingleSample,
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scenario::CaseControl => "case-control",
            Scenario::SingleSample => "single-sample",
        })
    }
}

impl FromStr for Scenario {
    type Err = PriorError;

    fn from_str(s: &str) -> Result<Self, PriorError> {
        match s {
            "case-control" => Ok(Scenario::CaseControl),
            "single-sample" => Ok(Scenario::SingleSample),
            _ => Err(PriorError::UnknownScenario(s.to_string())),
        }
    }
}

/// How many labeled positives and unlabeled rows there are; needed to convert between the priors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Labeled positives, n_p.
    pub positive: usize,
    /// Unlabeled rows, n_u.
    pub unlabeled: usize,
}

impl Counts {
    /// n_p / (n_p + n_u), the share of the pool that is labeled.
    pub fn labeled_share(&self) -> f64 {
        self.positive as f64 / (self.positive + self.unlabeled) as f64
    }
}

/// μ: the share of positives among the unlabeled rows, strictly between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct PriorInUnlabeled(f64);

/// π: the share of positives in the population, strictly between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct ClassPrior(f64);

/// Why a prior was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PriorError {
    /// Not strictly between 0 and 1.
    #[error("the prior must lie strictly between 0 and 1, but is {0}")]
    OutOfRange(f64),
    /// In one sample the population holds at least the labeled positives.
    #[error(
        "a class prior of {prior} is impossible in the single-sample scenario: {positive} of {total} rows are \
         labeled positive already, so it must be above {least:.6}"
    )]
    BelowLabeled {
        /// The class prior asked for.
        prior: f64,
        /// Labeled positives.
        positive: usize,
        /// All rows.
        total: usize,
        /// The labeled share.
        least: f64,
    },
    /// Neither of the two names.
    #[error("unknown scenario '{0}'; use case-control or single-sample")]
    UnknownScenario(String),
}

fn inside_unit(value: f64) -> Result<f64, PriorError> {
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err(PriorError::OutOfRange(value)) }
}

macro_rules! unit_interval {
    ($name:ident) => {
        impl $name {
            /// Checks that `value` lies strictly between 0 and 1.
            pub fn new(value: f64) -> Result<Self, PriorError> {
                inside_unit(value).map(Self)
            }

            /// The number itself.
            pub fn get(self) -> f64 {
                self.0
            }

            /// ln(p / (1 - p)).
            pub fn logit(self) -> f64 {
                (self.0 / (1.0 - self.0)).ln()
            }
        }

        impl TryFrom<f64> for $name {
            type Error = PriorError;
            fn try_from(value: f64) -> Result<Self, PriorError> {
                Self::new(value)
            }
        }

        impl From<$name> for f64 {
            fn from(prior: $name) -> f64 {
                prior.0
            }
        }
    };
}

unit_interval!(PriorInUnlabeled);
unit_interval!(ClassPrior);

impl PriorInUnlabeled {
    /// π from μ. In one sample the labeled positives count too: π = (n_p + μ n_u) / (n_p + n_u).
    pub fn to_class_prior(self, scenario: Scenario, counts: Counts) -> ClassPrior {
        match scenario {
            Scenario::CaseControl => ClassPrior(self.0),
            Scenario::SingleSample => {
                let (p, u) = (counts.positive as f64, counts.unlabeled as f64);
                ClassPrior((p + self.0 * u) / (p + u))
            }
        }
    }
}

impl ClassPrior {
    /// μ from π. In one sample μ = (π (n_p + n_u) - n_p) / n_u, which must stay above 0.
    pub fn to_prior_in_unlabeled(
        self,
        scenario: Scenario,
        counts: Counts,
    ) -> Result<PriorInUnlabeled, PriorError> {
        match scenario {
            Scenario::CaseControl => Ok(PriorInUnlabeled(self.0)),
            Scenario::SingleSample => {
                let (p, u) = (counts.positive as f64, counts.unlabeled as f64);
                PriorInUnlabeled::new((self.0 * (p + u) - p) / u).map_err(|_| PriorError::BelowLabeled {
                    prior: self.0,
                    positive: counts.positive,
                    total: counts.positive + counts.unlabeled,
                    least: counts.labeled_share(),
                })
            }
        }
    }
}

/// The shift of a logit when the prior moves from `from` to `to` and the class densities stay:
/// ln[ to (1 - from) / ((1 - to) from) ].
pub fn logit_shift(from: PriorInUnlabeled, to: ClassPrior) -> f64 {
    to.logit() - from.logit()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CIFAR-10 with animals as positives (30,000 / 20,000) and a fifth of them hidden: μ = 6,000 / 26,000.
    const CIFAR: Counts = Counts { positive: 24_000, unlabeled: 26_000 };

    #[test]
    fn one_sample_converts_by_the_counts() {
        let mu = PriorInUnlabeled::new(6.0 / 26.0).unwrap();
        let pi = mu.to_class_prior(Scenario::SingleSample, CIFAR);
        assert!((pi.get() - 0.6).abs() < 1e-12);
        let back = pi.to_prior_in_unlabeled(Scenario::SingleSample, CIFAR).unwrap();
        assert!((back.get() - mu.get()).abs() < 1e-12);
    }

    #[test]
    fn two_samples_share_one_prior() {
        let mu = PriorInUnlabeled::new(0.3).unwrap();
        assert_eq!(mu.to_class_prior(Scenario::CaseControl, CIFAR).get(), 0.3);
    }

    #[test]
    fn impossible_priors_are_refused_with_their_numbers() {
        for value in [0.0, 1.0, 1.2, -0.1, f64::NAN] {
            assert!(PriorInUnlabeled::new(value).is_err() && ClassPrior::new(value).is_err(), "{value}");
        }
        let error =
            ClassPrior::new(0.4).unwrap().to_prior_in_unlabeled(Scenario::SingleSample, CIFAR).unwrap_err();
        assert!(error.to_string().contains("24000 of 50000"), "{error}");
    }

    #[test]
    fn shift_of_the_logit() {
        // MNIST at hidden fraction 0.2: from 0.162 to 0.49 is about 1.6 logits.
        let shift = logit_shift(PriorInUnlabeled::new(0.162).unwrap(), ClassPrior::new(0.49).unwrap());
        assert!((shift - 1.60).abs() < 0.01, "{shift}");
    }
}
