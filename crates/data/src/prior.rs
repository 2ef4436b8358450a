//! How the data were collected, and the two priors that follow from it.
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

/// How many labeled positives, unlabeled rows and known negatives there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Labeled positives, n_p.
    pub positive: usize,
    /// Unlabeled rows, n_u.
    pub unlabeled: usize,
    /// Known negatives, n_n.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub negative: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Counts {
    /// Positives and unlabeled rows, and no known negatives.
    pub fn new(positive: usize, unlabeled: usize) -> Self {
        Self { positive, unlabeled, negative: 0 }
    }

    /// n_p / (n_p + n_u), the share of the pool that is labeled positive; known negatives are not in the pool.
    pub fn labeled_share(&self) -> f64 {
        Amounts::from(*self).labeled_share()
    }
}

/// How much the rows of each kind weigh together: their numbers, or the sums of their weights. What converts between
/// the priors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amounts {
    /// Labeled positives.
    pub positive: f64,
    /// Unlabeled rows.
    pub unlabeled: f64,
    /// Known negatives.
    pub negative: f64,
}

impl Amounts {
    /// The share of positives and unlabeled rows that is labeled positive.
    pub fn labeled_share(&self) -> f64 {
        self.positive / (self.positive + self.unlabeled)
    }

    /// All rows.
    fn total(&self) -> f64 {
        self.positive + self.unlabeled + self.negative
    }
}

impl From<Counts> for Amounts {
    fn from(counts: Counts) -> Self {
        let Counts { positive, unlabeled, negative } = counts;
        Self { positive: positive as f64, unlabeled: unlabeled as f64, negative: negative as f64 }
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
#[non_exhaustive]
pub enum PriorError {
    /// Not strictly between 0 and 1.
    #[error("the prior must lie strictly between 0 and 1, but is {0}{share}", share = as_share(*.0))]
    OutOfRange(f64),
    /// In one sample the population holds at least the labeled positives.
    #[error(
        "a class prior of {prior} is impossible in the single-sample scenario: {positive} of {total} rows are \
         labeled positive already, so it must be above {least:.6}"
    )]
    BelowLabeled {
        /// The class prior asked for.
        prior: f64,
        /// Labeled positives, or their weight.
        positive: f64,
        /// All rows, or their weight.
        total: f64,
        /// The labeled share.
        least: f64,
    },
    /// In one sample the population holds the known negatives, too.
    #[error(
        "a class prior of {prior} is impossible in the single-sample scenario: {negative} of {total} rows are known \
         negatives already, so it must be below {most:.6}"
    )]
    AboveNegatives {
        /// The class prior asked for.
        prior: f64,
        /// Known negatives, or their weight.
        negative: f64,
        /// All rows, or their weight.
        total: f64,
        /// What is left to be positive.
        most: f64,
    },
    /// Neither of the two names.
    #[error("{}", onesided_table::unknown_name("scenario", .0, &["case-control", "single-sample"]))]
    UnknownScenario(String),
}

/// What was meant by a share in percent, where one was given.
pub fn as_share(percent: f64) -> String {
    // Through the nearest short decimal: 0.07 and not 0.07 and some dust.
    let share = format!("{:.6}", percent / 100.0);
    match percent {
        percent if percent > 1.0 && percent < 100.0 => {
            format!(" (did you mean {}, which is {percent} percent?)", share.trim_end_matches('0'))
        }
        _ => String::new(),
    }
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
    /// π from μ. In one sample whatever is labeled counts too: π = (n_p + μ n_u) / (n_p + n_u + n_n).
    pub fn to_class_prior(self, scenario: Scenario, amounts: impl Into<Amounts>) -> ClassPrior {
        let amounts = amounts.into();
        match scenario {
            Scenario::CaseControl => ClassPrior(self.0),
            Scenario::SingleSample => {
                ClassPrior((amounts.positive + self.0 * amounts.unlabeled) / amounts.total())
            }
        }
    }
}

impl ClassPrior {
    /// μ from π. In one sample μ = (π (n_p + n_u + n_n) - n_p) / n_u, the share of what is left, which must stay between
    /// 0 and 1.
    pub fn to_prior_in_unlabeled(
        self,
        scenario: Scenario,
        amounts: impl Into<Amounts>,
    ) -> Result<PriorInUnlabeled, PriorError> {
        let amounts = amounts.into();
        match scenario {
            Scenario::CaseControl => Ok(PriorInUnlabeled(self.0)),
            Scenario::SingleSample => {
                let (prior, total) = (self.0, amounts.total());
                let Amounts { positive, unlabeled, negative } = amounts;
                let mu = (prior * total - positive) / unlabeled;
                PriorInUnlabeled::new(mu).map_err(|_| {
                    if mu >= 1.0 && negative > 0.0 {
                        let most = (positive + unlabeled) / total;
                        PriorError::AboveNegatives { prior, negative, total, most }
                    } else {
                        PriorError::BelowLabeled { prior, positive, total, least: positive / total }
                    }
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
    const CIFAR: Counts = Counts { positive: 24_000, unlabeled: 26_000, negative: 0 };

    #[test]
    fn one_sample_converts_by_the_counts() {
        let mu = PriorInUnlabeled::new(6.0 / 26.0).unwrap();
        let pi = mu.to_class_prior(Scenario::SingleSample, CIFAR);
        assert!((pi.get() - 0.6).abs() < 1e-12);
        let back = pi.to_prior_in_unlabeled(Scenario::SingleSample, CIFAR).unwrap();
        assert!((back.get() - mu.get()).abs() < 1e-12);
    }

    #[test]
    fn known_negatives_leave_a_larger_share_of_what_is_left() {
        // 1,000 rows with 300 positives, of which 100 are labeled; 100 negatives are known: 200 of 800 are left.
        let counts = Counts { positive: 100, unlabeled: 800, negative: 100 };
        let pi = ClassPrior::new(0.3).unwrap();
        let mu = pi.to_prior_in_unlabeled(Scenario::SingleSample, counts).unwrap();
        assert!((mu.get() - 0.25).abs() < 1e-12, "{mu:?}");
        assert!((mu.to_class_prior(Scenario::SingleSample, counts).get() - 0.3).abs() < 1e-12);
        let error = ClassPrior::new(0.95).unwrap().to_prior_in_unlabeled(Scenario::SingleSample, counts);
        let expected = "100 of 1000 rows are known negatives already, so it must be below 0.900000";
        assert!(error.unwrap_err().to_string().ends_with(expected));
        // Weights: positives count twice, so 1,100 weighed rows, of which 330 are positive and 200 of them labeled.
        let amounts = Amounts { positive: 200.0, unlabeled: 800.0, negative: 100.0 };
        let mu = pi.to_prior_in_unlabeled(Scenario::SingleSample, amounts).unwrap();
        assert!((mu.get() - 130.0 / 800.0).abs() < 1e-12, "{mu:?}");
        assert!((amounts.labeled_share() - 0.2).abs() < 1e-15);
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
