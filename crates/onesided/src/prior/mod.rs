//! How many positives are hidden among the unlabeled rows: from rows to scores, estimates and one answer.
//!
//! ```
//! use onesided::data::{Matrix, PuData, Label, Stream};
//! use onesided::prior::{PriorSettings, estimate_prior};
//! use onesided::Scenario;
//!
//! // Positives around (2, 2), negatives around (-2, -2); 30 % of the 600 unlabeled rows are positive.
//! let mut stream = Stream::new(1, "example");
//! let centers = (0..800).map(|i| if i < 380 { 2.0 } else { -2.0 });
//! let values = centers.flat_map(|c| [c + stream.normal(), c + stream.normal()]).map(|x| x as f32).collect();
//! let labels = (0..800).map(|i| if i < 200 { Label::Positive } else { Label::Unlabeled }).collect();
//! let data = PuData::new(Matrix::new(800, 2, values)?, labels)?;
//!
//! let report = estimate_prior(&data, Scenario::SingleSample, &PriorSettings::quick())?;
//! assert!((report.consensus.mu - 0.3).abs() < 0.05);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`CrossFitting`] scores every row by models that never saw it, the estimators of [`onesided_prior`] look at the scores
//! and at the rows, and [`consensus`] weighs what they say.

mod cross_fit;
mod platt;
mod record;
mod report;
mod scorer;

pub use crate::prior_of_texts::estimate_prior_of_texts;
pub use cross_fit::{CrossFitted, CrossFitting};
pub use onesided_prior::{
    About, Consensus, Curve, Estimate, Estimator, Evidence, Needs, PriorError, Reason, ScarCheck, Signs,
    Voice, consensus, estimator, estimators,
};
pub use record::{EstimateRecord, PriorEstimate};
pub use report::{PriorReport, PriorSettings, Refusal, estimate_prior, estimate_prior_with};
pub use scorer::Scorer;
