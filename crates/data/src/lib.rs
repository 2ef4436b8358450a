//! Tables, labels, priors, splits and batches for positive-unlabeled learning.

mod digits;
mod error;
mod features;
mod frame;
mod label;
mod matrix;
mod prior;
mod random;
mod read;
mod sampler;
mod split;

pub use digits::{DIGITS_ATTRIBUTION, Digits, digits};
pub use error::{DataError, Place};
pub use features::{EncodeReport, Feature, FeatureKind, Features};
pub use frame::{Column, Frame, MISSING_CODE, Values, stack};
pub use label::{Label, PuData, labels_from_column, truth_from_column};
pub use matrix::Matrix;
pub use prior::{ClassPrior, Counts, PriorError, PriorInUnlabeled, Scenario, logit_shift};
pub use random::Stream;
pub use read::{MAX_LEVELS, MissingPolicy, ReadOptions, read, read_csv_bytes, read_parquet_bytes};
pub use sampler::{Batch, BatchSampler, Batches, Mix, SamplerState};
pub use split::{hide, stratified_holdout, train_test};
