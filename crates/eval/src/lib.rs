//! How good is a classifier when nobody has labeled a negative?

mod bootstrap;
mod degenerate;
mod error;
mod ranked;
mod with_truth;
mod without_negatives;

pub use bootstrap::{Interval, RESAMPLES};
pub use degenerate::degenerate;
pub use error::EvalError;
pub use with_truth::{TruthMetrics, auc, with_truth, with_truth_intervals};
pub use without_negatives::{PuInput, PuMetrics, without_negatives};
