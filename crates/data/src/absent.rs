//! What a build without a format says in its place: one sentence with the feature that brings it.
//!
//! Each module has the name and the functions of the one that it replaces, so that callers need not know.

#![allow(dead_code)] // which of these are used depends on the features

use crate::DataError;

fn absent(file: &str, what: &'static str, feature: &'static str) -> DataError {
    DataError::NotInBuild { file: file.to_string(), what, feature }
}

/// Tables that are read.
pub(crate) mod read {
    use super::*;
    use crate::read::{Piece, PiecePlan, PiecesEnd, Source};
    use crate::{Frame, ReadOptions};
    use std::io::Read;

    fn no_parquet(source: &Source<'_>) -> DataError {
        absent(source.name(), "a Parquet table", "parquet")
    }

    fn no_arrow(source: &Source<'_>) -> DataError {
        absent(source.name(), "an Arrow table", "parquet")
    }

    pub(crate) mod parquet {
        use super::*;

        pub(crate) fn read(source: &Source<'_>, _: &ReadOptions) -> Result<Frame, DataError> {
            Err(no_parquet(source))
        }
    }

    pub(crate) mod parquet_pieces {
        use super::*;

        pub(crate) fn read<E: From<DataError>>(
            source: &Source<'_>,
            _: &PiecePlan<'_>,
            _: &mut dyn FnMut(Piece) -> Result<(), E>,
        ) -> Result<PiecesEnd, E> {
            Err(no_parquet(source).into())
        }

        pub(crate) fn names(source: &Source<'_>) -> Result<Vec<String>, DataError> {
            Err(no_parquet(source))
        }

        pub(crate) fn rows(source: &Source<'_>) -> Result<usize, DataError> {
            Err(no_parquet(source))
        }
    }

    pub(crate) mod ipc {
        use super::*;

        pub(crate) fn read(source: &Source<'_>, _: &ReadOptions) -> Result<Frame, DataError> {
            Err(no_arrow(source))
        }

        pub(crate) fn cell_names(source: &Source<'_>) -> Result<Vec<String>, DataError> {
            Err(no_arrow(source))
        }
    }

    pub(crate) mod sheet {
        use super::*;

        pub(crate) fn read(source: &Source<'_>, _: &ReadOptions) -> Result<Frame, DataError> {
            Err(absent(source.name(), "a spreadsheet", "sheets"))
        }
    }

    pub(crate) fn unpacked_zstd<'s>(
        file: &str,
        _: Box<dyn Read + 's>,
    ) -> Result<Box<dyn Read + 's>, DataError> {
        Err(absent(file, "packed with zstd", "zstd"))
    }
}

/// Tables that are written.
pub(crate) mod write {
    use crate::read::NumberStyle;
    use crate::{Cut, OutBatch};
    use std::io::{self, Write};

    fn absent(what: &str, feature: &str) -> io::Error {
        let sentence =
            format!("this build writes no {what}; enable the feature '{feature}', or write a .csv file");
        io::Error::new(io::ErrorKind::Unsupported, sentence)
    }

    pub(crate) mod parquet {
        use super::*;

        pub(crate) fn table_of_batches(
            _: &mut (dyn Write + Send),
            _: &mut dyn FnMut() -> io::Result<Option<Vec<OutBatch>>>,
        ) -> io::Result<()> {
            Err(absent("Parquet", "parquet"))
        }
    }

    pub(crate) mod xlsx {
        use super::*;

        pub(crate) fn sheet_of_batches(
            _: &mut dyn Write,
            _: NumberStyle,
            _: &mut dyn FnMut() -> io::Result<Option<Vec<OutBatch>>>,
            _: &mut Option<Cut>,
        ) -> io::Result<()> {
            Err(absent("spreadsheets", "sheets"))
        }
    }
}

/// Decoders of pictures.
pub(crate) mod decoders {
    use crate::formats::picture::{Header, Picture};

    const ABSENT: &str = "this build reads no pictures; enable the feature 'pictures'";

    pub(crate) fn decode(_: &[u8]) -> Result<Picture, String> {
        Err(ABSENT.to_string())
    }

    pub(crate) fn probe(_: &[u8]) -> Result<Header, String> {
        Err(ABSENT.to_string())
    }
}
