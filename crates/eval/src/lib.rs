//! How good is a classifier when nobody has labeled a negative?

mod bootstrap;
mod error;
mod ranked;
mod with_truth;

pub use bootstrap::{Interval, RESAMPLES};
pub use error::EvalError;
pub use with_truth::{TruthMetrics, auc, with_truth, with_truth_intervals};
