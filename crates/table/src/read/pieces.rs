//! A table read piece by piece, for readers that keep none of it.
//!
//! What every column is to be read as is known, so one pass does, and a piece is encoded and dropped before the next is
//! there. Cells are read by the same code as those of a whole table, and what that code decides over a whole column (is there
//! a number at all, how many cells are something else) is decided over the whole file here, too: at its end.

use super::source::Form;
use super::{ReadOptions, Source, csv_pieces, parquet_pieces};
use crate::Remark;
use crate::error::unknown_column;
use crate::frame::{CellsRead, Column, TextColumn};
use crate::{Frame, TableError};
use std::ops::Range;

/// Which columns are read, and into how large pieces.
pub struct PiecePlan<'a> {
    /// The features, which are `only` these, each of a kind that is known.
    pub features: &'a ReadOptions,
    /// Columns that are kept as categories over the whole file.
    pub answers: Vec<String>,
    /// Columns that are handed out to the byte, in this order.
    pub verbatim: Vec<String>,
    /// Columns that are handed out behind those where the file has them.
    pub optional: Vec<String>,
    /// Whether the columns of the file that are not among those follow behind them.
    pub all: bool,
    /// Rows per piece.
    pub rows: usize,
    /// If given, no other rows are read: neighboring ones of a Parquet table.
    pub range: Option<Range<usize>>,
    /// Threads that read; 0 is all there are.
    pub threads: usize,
}

/// Some rows of a table.
pub struct Piece {
    /// Their features.
    pub frame: Frame,
    /// Columns that were asked for verbatim.
    pub verbatim: Vec<(String, TextColumn)>,
}

/// What is known once all pieces were read.
#[derive(Default)]
pub struct PiecesEnd {
    /// How many rows there were.
    pub rows: usize,
    /// The columns that were kept, in the order of [`PiecePlan::answers`].
    pub answers: Vec<Column>,
    /// How cells were read, where that should be told.
    pub cells: Vec<CellsRead>,
    /// What separates the cells of the file, where it was found out and is not a comma.
    pub delimiter: Option<char>,
    /// What was met in the shape of the file.
    pub remarks: Vec<Remark>,
    /// Features that turned out to be of another kind, and which.
    pub others: Vec<(String, &'static str)>,
}

impl PiecePlan<'_> {
    /// The columns to hand out of a file with these columns; one that is not there is an error.
    pub(super) fn handed_out(&self, names: &[String]) -> Result<Vec<String>, TableError> {
        for name in self.answers.iter().chain(&self.verbatim) {
            if !names.contains(name) {
                return Err(unknown_column(name, names.iter().map(String::as_str)));
            }
        }
        let is_handed_out = |name: &&String| self.all || self.optional.contains(name);
        let mut all = self.verbatim.clone();
        all.extend(names.iter().filter(is_handed_out).filter(|name| !self.verbatim.contains(name)).cloned());
        Ok(all)
    }

    /// How many threads read.
    pub(super) fn threads(&self) -> usize {
        if self.threads == 0 { crate::available_threads() } else { self.threads }
    }
}

impl Source<'_> {
    /// Reads the table and hands out its pieces. `None`: its format is read as a whole only.
    pub fn pieces<E: From<TableError>>(
        &self,
        plan: &PiecePlan<'_>,
        visit: &mut dyn FnMut(Piece) -> Result<(), E>,
    ) -> Result<Option<PiecesEnd>, E> {
        match self.form(plan.features)? {
            Some(Form::Text(_)) if plan.range.is_some() => {
                Err(TableError::NoRange { file: self.name.clone() }.into())
            }
            Some(Form::Text(delimiter)) => csv_pieces::read(self, delimiter, plan, visit).map(Some),
            Some(Form::Parquet) => parquet_pieces::read(self, plan, visit).map(Some),
            None => Ok(None),
        }
    }
}
