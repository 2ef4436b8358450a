//! Tables, texts, pictures, labels, priors and splits for positive-unlabeled learning.
//!
//! Data walk through this crate in one direction. [`InputOptions::read`] makes a [`Dataset`] of a table, of texts or of
//! pictures: rows of numbers, which of them are labeled positive, the [`Encoding`] that made them, and notes on what was
//! left out. [`Encoding::read`] makes rows of new data in the same way, and [`stratified_holdout`]
//! splits them. The [`Scenario`] and the two priors say how the data were collected.
//!
//! ```
//! use onesided_data::{Input, InputOptions, Note, ReadAgain};
//!
//! let folder = std::env::temp_dir().join(format!("onesided-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let table = folder.join("people.csv");
//! std::fs::write(&table, "age,member,city,y\n31,true,Rome,1\n45,false,Oslo,0\n,true,Rome,0\n")?;
//!
//! let options = InputOptions::labeled("y");
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

mod column_rule;
mod column_rules;
mod column_summary;
mod columns;
mod copies;
mod described;
mod digits;
mod error;
mod features;
mod fingerprint;
mod input;
mod label;
mod matrix;
mod pictures;
mod prior;
mod screen;
mod shares;
mod sparse;
mod split;
mod store;
mod text;

pub use column_rule::ColumnRule;
pub use column_rules::column_rules;
pub use column_summary::{
    ColumnSummary, Holds, Logs, Moments, NumberSummary, TimeSummary, UnlikeColumns, ValueCounts,
};
pub use columns::{ColumnKind, Columns, MissingCells};
pub use copies::Copies;
pub use described::Description;
pub use digits::{DIGITS_ATTRIBUTION, Digits, digits};
pub use error::DataError;
pub use features::{
    ColumnDrift, ColumnGroups, ColumnPart, ColumnShift, EncodeReport, Feature, FeatureKind, FeatureOptions,
    Features, Scaling, Seen, Shift, Tally, TimePart,
};
pub use fingerprint::{Fingerprint, from_letters, to_letters};
pub use input::{
    ColumnIs, ColumnRead, ColumnsLearned, Cutting, Dataset, DrawnFrom, Encoding, ImageFrom, ImageInput,
    Input, InputOptions, Note, OtherCells, READING, ReadAgain, ReadingAbout, ReadingInfo, Roles, RowNames,
    StopWords, Streamed, TakeColumns, TextInput, WouldFit, draw_unlabeled, text_of_file,
};
pub use label::{
    Label, LabelColumn, amounts, count_labels, labels_from_column, truth_from_column, yes_or_no,
};
pub use matrix::Matrix;
#[cfg(feature = "parquet")]
pub use onesided_table::{ArrowTable, read_parquet_bytes, write_parquet};
pub use onesided_table::{
    BestRows, ByteColumns, CellsRead, Column, Cut, DatesWritten, Decoded, Exact, ExactSum, FileOptions,
    Frame, Hint, KeptRows, LeftOut, MAX_LEVELS, MISSING_CODE, MissingPolicy, NumberStyle, NumbersWritten,
    OutBatch, OutColumn, Phase, PhaseNow, Position, ReadAs, ReadOptions, Remark, RowSorter, SortedRow,
    SortedRows, Stream, TableError, TableFormat, TextColumn, TextEncoding, TextStyle, TimeColumn,
    TimeFeature, TimeStyle, UnknownEncoding, Utf8Reader, Values, WhyLeftOut, WriteAs, Written, agree,
    available_threads, check_memory, column_names, counted, decode, end_process, followed, grouped,
    is_missing_cell, is_standard_output, is_stream, limit_memory, map_stretches, memory_held, memory_in_all,
    memory_left, nearest, noun, parse_size, part_of, phase_now, read, read_csv_bytes, read_regular,
    read_table_bytes, reusing_memory, shown_share, stack, unknown_name, write_atomically, write_batches,
    write_privately, write_table, write_table_as,
};
pub use pictures::{ImageFolder, Images, image_folder, is_image_folder};
pub use prior::{Amounts, ClassPrior, Counts, PriorError, PriorInUnlabeled, Scenario, as_share, logit_shift};
pub use screen::LabelStop;
pub use shares::{Shares, chance_beyond};
pub use sparse::SparseMatrix;
pub use split::{Split, first_folds, hide, label_some, stratified_folds, stratified_holdout, train_test};
pub use store::{MOST_VALUES, PictureShape, Pictures, Store};
pub use text::{
    ENGLISH_STOP_WORDS, TextFeatures, TextOptions, Tokens, Weighting, looks_like_html, strip_html, words,
};

/// The page on crates.io, whose code runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
