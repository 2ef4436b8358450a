//! Tables, labels, priors, splits and batches for positive-unlabeled learning.

mod error;
mod features;
mod frame;
mod matrix;
mod prior;
mod random;
mod read;

pub use error::{DataError, Place};
pub use features::{EncodeReport, Feature, FeatureKind, Features};
pub use frame::{Column, Frame, MISSING_CODE, Values, stack};
pub use matrix::Matrix;
pub use prior::{ClassPrior, Counts, PriorError, PriorInUnlabeled, Scenario, logit_shift};
pub use random::Stream;
pub use read::{MAX_LEVELS, MissingPolicy, ReadOptions, read, read_csv_bytes, read_parquet_bytes};
