//! Tables in files and in memory: reading them whole or in pieces, dates, writing, and how much memory that may take.
//!
//! [`read()`] makes a [`Frame`] of a file, whatever its format; [`Source::pieces`] hands over a table that is larger than memory
//! piece by piece; [`write_table`] and [`write_batches`] write one. Nothing here knows what a label is.
//!
//! # Features
//!
//! All are on by default. Without one, files of its kind are refused in a sentence that names it.
//!
//! | feature | reads and writes |
//! |---|---|
//! | `parquet` | Parquet, Arrow and Feather tables; tables in memory (`ArrowTable`) |
//! | `sheets` | spreadsheets: `.xlsx`, `.xlsb`, `.xls`, `.ods` |
//! | `zstd` | what is packed with zstd; the one feature that needs a C compiler |

#![forbid(unsafe_code)]
// Readers that are left out leave parts of the others without a caller.
#![cfg_attr(
    not(all(feature = "parquet", feature = "sheets", feature = "zstd")),
    allow(dead_code, unused_imports)
)]

mod blank;
mod byte_columns;
mod counted;
mod dates;
mod decode;
mod error;
mod exact_sum;
mod format;
mod frame;
mod hint;
mod memory;
mod names;
mod number;
mod parallel;
mod phase;
mod place;
mod position;
mod random;
mod read;
mod remark;
mod scratch;
mod sort;
mod temporary;
mod write;

pub use blank::BlankRows;
pub use byte_columns::ByteColumns;
pub use counted::{agree, counted, grouped, noun, part_of, shown_share};
pub use dates::{
    DAY, Exact, LEAST_COMPACT, Moment, NEARLY_ALL, TimeColumn, TimeFeature, TimeStyle, agree_on_dates,
    find_compact_dates, from_categories, from_numbers,
};
pub use decode::{Decoded, ReadAs, TextEncoding, UnknownEncoding, Utf8Reader, decode};
pub use error::{TableError, other_sheets, unknown_column};
pub use exact_sum::ExactSum;
pub use format::TableFormat;
pub use frame::{
    CellsRead, Column, Frame, LeftOut, MISSING_CODE, TextColumn, Values, WhyLeftOut, stack, stack_named,
};
pub use hint::Hint;
pub use memory::{
    check_memory, limit_memory, memory_held, memory_in_all, memory_left, parse_size, reusing_memory,
    shown_size, unlabeled_to_fit,
};
pub use names::{listed, nearest, shortened, unknown_name};
pub use number::NumberStyle;
pub use parallel::{available_threads, map_stretches};
pub use phase::{Phase, PhaseNow, phase_now};
pub use place::{is_dash, is_standard_output, is_stream, read_regular};
pub use position::Position;
pub use random::Stream;
#[cfg(feature = "parquet")]
pub use read::{ArrowTable, read_parquet_bytes};
pub use read::{
    DatesWritten, FileOptions, KeptRows, KindSummary, MAX_LEVELS, MissingPolicy, NumbersWritten, Piece,
    PiecePlan, PiecesEnd, ReadOptions, Source, Written, column_names, contained, is_missing_cell, read,
    read_csv_bytes, read_table_bytes,
};
pub use remark::Remark;
pub use sort::{BestRows, RowSorter, SortedRow, SortedRows};
pub use temporary::end_process;
#[cfg(feature = "parquet")]
pub use write::write_parquet;
pub use write::{
    Cut, OutBatch, OutColumn, TextStyle, WriteAs, followed, write_atomically, write_batches, write_privately,
    write_table, write_table_as,
};

/// The page on crates.io, whose code runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
