//! What a build without a format says in its place: one sentence with the feature that brings it.
//!
//! Each module has the name and the functions of the one that it replaces, so that callers need not know.

#![allow(dead_code)] // which of these are used depends on the features

use super::{Cut, OutBatch};
use crate::NumberStyle;
use std::io::{self, Write};

fn absent(what: &str, feature: &str) -> io::Error {
    let sentence =
        format!("this build writes no {what}; enable the feature '{feature}', or write a .csv file");
    io::Error::new(io::ErrorKind::Unsupported, sentence)
}

pub mod parquet {
    use super::*;

    pub(crate) fn table_of_batches(
        _: &mut (dyn Write + Send),
        _: &mut dyn FnMut() -> io::Result<Option<Vec<OutBatch>>>,
    ) -> io::Result<()> {
        Err(absent("Parquet", "parquet"))
    }
}

pub mod xlsx {
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
