//! Cells that are read as dates or times in a known style.

use super::cell::{Cell, look};
use super::guess::Seen;
use super::{DatesWritten, Trouble};
use crate::Position;
use crate::dates::{NEARLY_ALL, TimeColumn, is_blank};
use crate::frame::{CellsRead, Values};

/// How much of a cell is kept to be shown.
const SHOWN: usize = 64;

/// A column of times being read. Other cells are missing, and counted.
pub(super) struct TimeReader {
    /// The cells so far, and what they are with day and month the other way round where that is open.
    times: TimeColumn,
    fits: usize,
    others: Others,
    /// The signs that may be between day and month, 0 for any.
    signs: u8,
    /// The first cell that is a date with day and month in another order.
    unlike: Option<Seen>,
}

/// Cells that are not dates in a column of dates.
#[derive(Default)]
pub(super) struct Others {
    pub count: usize,
    /// The first of them, where it is known.
    pub first: Option<Seen>,
}

impl TimeReader {
    pub(super) fn new(DatesWritten { style, signs }: DatesWritten) -> Self {
        let times = TimeColumn::of(Vec::new(), style);
        Self { times, fits: 0, others: Others::default(), signs, unlike: None }
    }

    /// With cells that were read as texts until they were too many, and how many of them are not dates.
    pub(super) fn after(times: TimeColumn, others: usize) -> Self {
        Self {
            fits: times.seconds.len(),
            times,
            others: Others { count: others, first: None },
            signs: 0,
            unlike: None,
        }
    }

    /// Adds a cell and returns whether it is missing.
    pub(super) fn push(&mut self, cell: &[u8], offset: u64) -> bool {
        let text = String::from_utf8_lossy(cell);
        let missing = is_missing(cell, &text);
        let (read, unlike) =
            if missing { (self.times.push_missing(), false) } else { self.times.push(&text, self.signs) };
        let start = || (cell[..cell.len().min(SHOWN)].to_vec(), offset);
        match (read, missing) {
            (Some(_), _) => self.fits += 1,
            (None, true) => {}
            (None, false) => {
                self.others.count += 1;
                self.others.first.get_or_insert_with(start);
                if unlike {
                    self.unlike.get_or_insert_with(start);
                }
            }
        }
        missing
    }

    /// The cells since the last time, for a reader that continues.
    pub(super) fn take(&mut self) -> Values {
        let style = self.times.style;
        Values::Times(std::mem::replace(&mut self.times, TimeColumn::of(Vec::new(), style)))
    }

    /// The first cell that is a date with day and month in another order, where not nearly all are in the learned one.
    fn check(&mut self) -> Result<(), (Trouble, Seen)> {
        let all = self.fits + self.others.count;
        match self.unlike.take() {
            Some(seen) if self.fits * 100 < all * NEARLY_ALL => {
                Err((Trouble::OtherOrder(self.times.style), seen))
            }
            _ => Ok(()),
        }
    }

    /// What is to be said of a column of which all cells were taken, nothing where it is one of something else; or the first
    /// cell that shows that day and month are in another order.
    pub(super) fn end(self) -> Result<Option<Others>, (Trouble, Seen)> {
        Ok(self.finish()?.map(|(_, others)| others))
    }

    /// The column, unless not one of its cells is a date and some are something else; or the first cell that shows that day and
    /// month are in another order.
    pub(super) fn finish(mut self) -> Result<Option<(Values, Others)>, (Trouble, Seen)> {
        self.check()?;
        let Self { times, fits, others, .. } = self;
        Ok((fits > 0 || others.count == 0).then_some((Values::Times(times), others)))
    }
}

/// Whether a cell is empty, a marker of a missing value or a date that stands for none.
fn is_missing(cell: &[u8], text: &str) -> bool {
    matches!(look(cell), Cell::Missing | Cell::Marker) || is_blank(text)
}

impl Others {
    /// What is told of the column, and the offset of the first such cell.
    pub(super) fn cells_read(self, name: &str, asked: bool) -> Option<(CellsRead, u64)> {
        let lossy = |cell: &[u8]| String::from_utf8_lossy(cell).into_owned();
        let offset = self.first.as_ref().map_or(0, |(_, offset)| *offset);
        let cells = CellsRead {
            column: name.to_string(),
            style: crate::NumberStyle::Point,
            sure: None,
            groups: false,
            example: None,
            others: self.count,
            first_other: self.first.map(|(cell, offset)| (lossy(&cell), Position::Row(offset))),
            asked,
            kept_as_texts: false,
        };
        (self.count > 0).then_some((cells, offset))
    }
}
