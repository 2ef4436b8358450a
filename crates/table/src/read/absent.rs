//! What a build without a format says in its place: one sentence with the feature that brings it.
//!
//! Each module has the name and the functions of the one that it replaces, so that callers need not know.

#![allow(dead_code)] // which of these are used depends on the features

use super::{Piece, PiecePlan, PiecesEnd, ReadOptions, Source};
use crate::{Frame, TableError};
use std::io::Read;

fn absent(file: &str, what: &'static str, feature: &'static str) -> TableError {
    TableError::NotInBuild { file: file.to_string(), what, feature }
}

fn no_parquet(source: &Source<'_>) -> TableError {
    absent(source.name(), "a Parquet table", "parquet")
}

fn no_arrow(source: &Source<'_>) -> TableError {
    absent(source.name(), "an Arrow table", "parquet")
}

pub mod parquet {
    use super::*;

    pub fn read(source: &Source<'_>, _: &ReadOptions) -> Result<Frame, TableError> {
        Err(no_parquet(source))
    }
}

pub(crate) mod parquet_pieces {
    use super::*;

    pub fn read<E: From<TableError>>(
        source: &Source<'_>,
        _: &PiecePlan<'_>,
        _: &mut dyn FnMut(Piece) -> Result<(), E>,
    ) -> Result<PiecesEnd, E> {
        Err(no_parquet(source).into())
    }

    pub fn names(source: &Source<'_>) -> Result<Vec<String>, TableError> {
        Err(no_parquet(source))
    }

    pub fn rows(source: &Source<'_>) -> Result<usize, TableError> {
        Err(no_parquet(source))
    }
}

pub(crate) mod ipc {
    use super::*;

    pub fn read(source: &Source<'_>, _: &ReadOptions) -> Result<Frame, TableError> {
        Err(no_arrow(source))
    }

    pub fn cell_names(source: &Source<'_>) -> Result<Vec<String>, TableError> {
        Err(no_arrow(source))
    }
}

pub mod sheet {
    use super::*;

    pub fn read(source: &Source<'_>, _: &ReadOptions) -> Result<Frame, TableError> {
        Err(absent(source.name(), "a spreadsheet", "sheets"))
    }
}

pub(crate) fn unpacked_zstd<'s>(file: &str, _: Box<dyn Read + 's>) -> Result<Box<dyn Read + 's>, TableError> {
    Err(absent(file, "packed with zstd", "zstd"))
}
