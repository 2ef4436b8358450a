//! Tables, texts, pictures, labels, priors, splits and batches for positive-unlabeled learning.
//!
//! Data walk through this crate in one direction. [`InputOptions::read`] makes a [`Dataset`] of a table, of texts or of
//! pictures: rows of numbers, which of them are labeled positive, the [`Encoding`] that made them, and notes on what was
//! left out. [`Encoding::read`] makes rows of new data in the same way, [`stratified_holdout`] splits them, and
//! [`BatchSampler`] hands them out in batches. The [`Scenario`] and the two priors say how the data were collected.
//!
//! ```
//! use onesided_data::{Input, InputOptions, Note, ReadAgain};
//!
//! let folder = std::env::temp_dir().join(format!("onesided-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let table = folder.join("people.csv");
//! std::fs::write(&table, "age,member,city,y\n31,true,Rome,1\n45,false,Oslo,0\n,true,Rome,0\n")?;
//!
//! let options = InputOptions { label: Some("y".to_string()), ..InputOptions::default() };
//! let data = options.read(&Input::one(&table))?;
//! assert_eq!(data.encoding().names(), ["age", "member", "city=Oslo", "city=Rome"]);
//! assert_eq!(data.counts().map(|counts| counts.unlabeled), Some(2));
//! assert_eq!(data.notes(), [Note::Missing(vec![("age".to_string(), 1)])]);
//!
//! // New rows, encoded as those were.
//! let again = data.encoding().read(&Input::one(&table), &ReadAgain::default())?;
//! assert_eq!(again.rows(), data.rows());
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The steps are there by themselves, too: [`read()`] makes a [`Frame`] of a file, [`labels_from_column`] reads labels,
//! and [`Features`] encodes columns.
//!
//! # Features
//!
//! All are on by default. Without one, files of its kind are refused in a sentence that names it.
//!
//! | feature | reads and writes |
//! |---|---|
//! | `parquet` | Parquet, Arrow and Feather tables; tables in memory (`ArrowTable`) |
//! | `sheets` | spreadsheets: `.xlsx`, `.xlsb`, `.xls`, `.ods` |
//! | `pictures` | PNG and JPEG |
//! | `zstd` | what is packed with zstd; the one feature that needs a C compiler |

#![forbid(unsafe_code)]
// Readers that are left out leave parts of the others without a caller.
#![cfg_attr(
    not(all(feature = "parquet", feature = "sheets", feature = "pictures", feature = "zstd")),
    allow(dead_code, unused_imports)
)]

mod absent;
mod byte_columns;
mod columns;
mod copies;
mod counted;
mod dates;
mod decode;
mod described;
mod digits;
mod error;
mod features;
mod fingerprint;
mod formats;
mod frame;
mod hint;
mod input;
mod label;
mod matrix;
mod memory;
mod names;
mod parallel;
mod phase;
mod place;
mod prior;
mod random;
mod read;
mod sampler;
mod scratch;
mod sort;
mod sparse;
mod split;
mod store;
mod temporary;
mod text;
mod write;

pub use byte_columns::ByteColumns;
pub use columns::{ColumnKind, Columns, MissingCells};
pub use copies::Copies;
pub use counted::{agree, counted, grouped, noun, part_of};
pub use dates::{TimeColumn, TimeStyle};
pub use decode::{Decoded, ReadAs, TextEncoding, UnknownEncoding, Utf8Reader, decode};
pub use described::Description;
pub use digits::{DIGITS_ATTRIBUTION, Digits, digits};
pub use error::{DataError, Position};
pub use features::{
    ColumnGroups, ColumnShift, EncodeReport, Feature, FeatureKind, FeatureOptions, Features, Scaling, Seen,
    Shift, Tally, TimeFeature, TimePart,
};
pub use fingerprint::{Fingerprint, from_letters, to_letters};
#[cfg(fuzzing)]
pub use formats::read_set_bytes;
pub use formats::{
    Averages, CIFAR10_CLASSES, Cifar10, FoundSet, ImageFolder, Images, Mnist, NEWSGROUPS, Newsgroups, Pixels,
    SetPart, Summary, Svhn, Texts, Usps, WordVectors, cifar10, image_folder, mnist, newsgroups, survey, svhn,
    usps, vocabulary, word_vectors,
};
pub use frame::{CellsRead, Column, Frame, LeftOut, MISSING_CODE, TextColumn, Values, WhyLeftOut, stack};
pub use hint::Hint;
pub use input::{
    ColumnIs, ColumnRead, Cutting, Dataset, DrawnFrom, Encoding, ImageFrom, ImageInput, Input, InputOptions,
    LabelStop, Note, OtherCells, ReadAgain, RowNames, StopWords, Streamed, TakeColumns, TextInput, WouldFit,
};
pub use label::{
    Label, LabelColumn, amounts, count_labels, labels_from_column, truth_from_column, yes_or_no,
};
pub use matrix::Matrix;
pub use memory::{
    check_memory, limit_memory, memory_held, memory_in_all, memory_left, parse_size, reusing_memory,
};
pub use names::{nearest, unknown_name};
pub use parallel::{available_threads, map_stretches};
pub use phase::{Phase, PhaseNow, phase_now};
pub use place::{is_standard_output, is_stream, read_regular};
pub use prior::{Amounts, ClassPrior, Counts, PriorError, PriorInUnlabeled, Scenario, as_share, logit_shift};
pub use random::Stream;
#[cfg(feature = "parquet")]
pub use read::{ArrowTable, read_parquet_bytes};
pub use read::{
    KeptRows, MAX_LEVELS, MissingPolicy, NumberStyle, ReadOptions, Remark, column_names, read,
    read_csv_bytes, read_table_bytes,
};
pub use sampler::{Batch, BatchSampler, Batches, Mix, SamplerState};
pub use sort::{BestRows, RowSorter, SortedRow, SortedRows};
pub use sparse::SparseMatrix;
pub use split::{Split, first_folds, hide, label_some, stratified_folds, stratified_holdout, train_test};
pub use store::{MOST_VALUES, PictureShape, Pictures, Store};
pub use temporary::end_process;
pub use text::{
    ENGLISH_STOP_WORDS, TextFeatures, TextOptions, Tokens, Weighting, looks_like_html, strip_html, words,
};
#[cfg(feature = "parquet")]
pub use write::write_parquet;
pub use write::{
    Cut, OutBatch, OutColumn, TableFormat, TextStyle, WriteAs, followed, write_atomically, write_batches,
    write_csv, write_privately, write_table, write_table_as,
};

/// The page on crates.io, whose code runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
