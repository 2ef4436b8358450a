//! How many positives are hidden among the unlabeled rows?
//!
//! Every estimator answers with μ, the share of positives *in U* (never the share of negatives, never the prior of the
//! population), an interval that says how it was made, and the curve it decided on. They look at one [`Evidence`]:
//! cross-fitted scores of a classifier that tells P from U, and, for some, the rows themselves.
//!
//! Without a further assumption the data only bound μ from above: whatever part of the unlabeled density looks like the
//! positive one *may* be positive. Every estimator therefore assumes that somewhere there are (nearly) only positives,
//! which is called irreducibility; where that fails, they all overestimate. [`EstimatorInfo::assumes`] says how each
//! leans on it.
//!
//! ```
//! use onesided_prior::{Evidence, estimator};
//!
//! // Scores of 40 positives and 160 unlabeled rows, of which a quarter looks like the positives.
//! let positive: Vec<f64> = (0..40).map(|i| 2.0 + f64::from(i) / 40.0).collect();
//! let unlabeled: Vec<f64> = (0..160).map(|i| f64::from(i % 4 / 3) * 3.0 + f64::from(i) / 160.0 - 1.0).collect();
//! let estimate = estimator("BBE")?.estimate(&Evidence::of_scores(&positive, &unlabeled))?;
//! assert!((estimate.mu - 0.25).abs() < 0.05 && estimate.interval.0 < 0.25 && estimate.interval.1 > 0.25);
//! # Ok::<(), onesided_prior::EvidenceError>(())
//! ```

#![forbid(unsafe_code)]

mod alphamax;
mod answer;
mod bbe;
mod bound;
mod cells;
mod consensus;
mod dedpul;
mod elkan_noto;
mod embedding;
mod error;
mod estimate;
mod estimator;
mod experience;
mod hull;
mod isotonic;
mod kernel;
mod km;
mod pen_l1;
mod plateau;
mod registry;
mod resample;
mod signs;
mod tice;
mod warning;

pub use alphamax::{AlphaMax, Bend};
pub use answer::{Answer, FACTOR, answer};
pub use bbe::Bbe;
pub use bound::share_at_most;
pub use consensus::{AGREEMENT_RADIUS, Consensus, EstimatorWeight, consensus, typical_error};
pub use dedpul::Dedpul;
pub use elkan_noto::{ElkanNoto, ReadAt, ScoreCalibration};
pub use embedding::KernelForm;
pub use error::EvidenceError;
pub use estimate::{Curve, Estimate, OtherInterval, share_in_population};
pub use estimator::{Estimator, EstimatorInfo, Evidence, LEAST_POSITIVES, Needs};
pub use experience::{Experience, ScoreSummary};
pub use km::{Km, Threshold};
pub use pen_l1::PenL1;
pub use plateau::Plateau;
pub use registry::{estimator, estimators};
pub use signs::Signs;
pub use tice::Tice;
pub use warning::{Reason, ScarCheck, ShareWarning};

/// The estimator that CONTRIBUTING.md writes as an example.
#[cfg(test)]
#[path = "../tests/recipe/half.rs"]
mod half;
#[cfg(test)]
mod recipe;

/// The page on crates.io, whose code runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
