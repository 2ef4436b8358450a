//! Audits: some rows are drawn with known probabilities, a person says which are positive, and the answers give the share
//! of positives, the precision and the recall, whatever the model is worth.
//!
//! 1. [`Plan`]: the ranked list is cut into strata, and each gets a number of draws.
//! 2. [`Plan::draw`]: rows are drawn, each stratum at random without replacement.
//! 3. [`estimate()`]: answers by stratum ([`Stratum`]) become estimates with intervals.
//! 4. [`FirstPartTarget`]: the longest first part of the list with a precision.
//! 5. [`measured_on`]: scores of the answered rows become the metrics of a model.
//! 6. [`labels_by_answers`]: answered positives next to labeled ones show whether labels are a random sample.
//!
//! The estimate of a total is Σ_h N_h x_h / n_h, with N_h rows, n_h answers and x_h positives in stratum h. It is the
//! difference estimator Σ q_i + Σ_drawn (y_i - q_i) / p_i (Särndal, Swensson and Wretman, 1992; prediction-powered
//! inference, Angelopoulos et al., 2023) with the model's q_i replaced by its mean in the stratum, where the q cancel: what
//! the model knows is in the strata and the rates.

mod answered;
mod estimate;
mod exact;
mod first_part;
mod interval;
mod labels;
mod plan;

pub use answered::{AnsweredRow, measured_on};
pub use estimate::{AuditEstimate, CutEstimate, Stratum, estimate, joined};
pub use first_part::{FirstPart, FirstPartTarget, FirstParts, MoreAnswers};
pub use labels::{ColumnApart, LabelsByAnswers, PositivesKnown, labels_by_answers};
pub use plan::{Drawn, Plan, Range};

/// The probability of being in any of several draws, from the probability of each.
pub fn inclusion(probabilities: impl IntoIterator<Item = f64>) -> f64 {
    1.0 - probabilities.into_iter().map(|p| 1.0 - p).product::<f64>()
}
