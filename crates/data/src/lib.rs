//! Tables, labels, priors, splits and batches for positive-unlabeled learning.

mod prior;
mod random;

pub use prior::{ClassPrior, Counts, PriorError, PriorInUnlabeled, Scenario, logit_shift};
pub use random::Stream;
