//! How many positives are hidden among the unlabeled rows: from rows to scores, estimates and one answer.
//!
//! [`cross_fit`](CrossFitting) scores every row by models that never saw it, the estimators of [`onesided_prior`] look at
//! the scores and at the rows, and [`consensus`] weighs what they say.

mod cross_fit;
mod platt;
mod record;
mod report;
mod scorer;
mod taught;

pub use crate::prior_report::{PriorReport, PriorScorer, Refusal};
pub use cross_fit::{CrossFitted, CrossFitting};
pub use onesided_prior::{
    Answer, Consensus, Curve, Estimate, Estimator, EstimatorInfo, EstimatorWeight, Evidence, EvidenceError,
    Experience, Needs, Reason, ScarCheck, ScoreSummary, ShareWarning, Signs, answer, consensus, estimator,
    estimators, share_at_most,
};
pub use record::{EstimateRecord, PriorEstimate};
pub use report::{PriorSettings, estimate_prior, estimate_prior_scored};
pub use taught::estimate_prior_taught;
