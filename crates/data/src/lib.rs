//! Tables, labels, priors, splits and batches for positive-unlabeled learning.
//!
//! Data walk through this crate in one direction: [`read()`] makes a [`Frame`] of a file, [`labels_from_column`] says
//! which rows are positive, [`Features`] turns the columns into a [`Matrix`] (and does so again at prediction), and
//! [`BatchSampler`] deals its rows out. The [`Scenario`] and the two priors say how the data came about.
//!
//! ```
//! use onesided_data::{Features, MissingPolicy, PuData, labels_from_column, read_csv_bytes};
//!
//! let mut table = read_csv_bytes(b"age,member,city,y\n31,true,Rome,1\n45,false,Oslo,0\n,true,Rome,0\n")?;
//! let labels = labels_from_column(&table.take("y")?, None)?;
//! let features = Features::fit(&table, &[], MissingPolicy::Mean)?;
//! assert_eq!(features.names(), ["age", "member", "city=Oslo", "city=Rome"]);
//!
//! let (matrix, report) = features.encode(table)?;
//! assert_eq!(report.missing, [("age".to_string(), 1)]);
//! let data = PuData::new(matrix, labels)?;
//! assert_eq!(data.counts().unlabeled, 2);
//! # Ok::<(), onesided_data::DataError>(())
//! ```

mod decode;
mod digits;
mod error;
mod features;
mod formats;
mod frame;
mod hint;
mod input;
mod label;
mod matrix;
mod parallel;
mod prior;
mod random;
mod read;
mod sampler;
mod sparse;
mod split;
mod store;
mod text;
mod write;

pub use decode::{Decoded, ReadAs, TextEncoding, UnknownEncoding, Utf8Reader, decode};
pub use digits::{DIGITS_ATTRIBUTION, Digits, digits};
pub use error::{DataError, Position};
pub use features::{EncodeReport, Feature, FeatureKind, FeatureOptions, Features, Scaling};
pub use formats::{
    Averages, CIFAR10_CLASSES, Cifar10, FoundSet, ImageFolder, Images, Mnist, NEWSGROUPS, Newsgroups, Part,
    Pixels, Summary, Svhn, Texts, Usps, WordVectors, cifar10, image_folder, mnist, newsgroups, survey, svhn,
    usps, vocabulary, word_vectors,
};
pub use frame::{Column, Frame, LeftOut, MISSING_CODE, TextColumn, Values, WhyLeftOut, stack};
pub use hint::Hint;
pub use input::{
    Dataset, Encoding, ImageFrom, ImageInput, Input, InputOptions, Note, ReadAgain, StopWords, TextInput,
};
pub use label::{Label, PuData, count_labels, labels_from_column, truth_from_column};
pub use matrix::Matrix;
pub use parallel::{available_threads, map_stretches};
pub use prior::{ClassPrior, Counts, PriorError, PriorInUnlabeled, Scenario, logit_shift};
pub use random::Stream;
pub use read::{MAX_LEVELS, MissingPolicy, ReadOptions, read, read_csv_bytes, read_parquet_bytes};
pub use sampler::{Batch, BatchSampler, Batches, Mix, SamplerState};
pub use sparse::SparseMatrix;
pub use split::{Split, hide, stratified_folds, stratified_holdout, train_test};
pub use store::{MOST_VALUES, PictureShape, Pictures, Store};
pub use text::{
    ENGLISH_STOP_WORDS, TextFeatures, TextOptions, Tokens, Weighting, looks_like_html, strip_html, words,
};
pub use write::{OutColumn, write_atomically, write_csv, write_parquet, write_table};
