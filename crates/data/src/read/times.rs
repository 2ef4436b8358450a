//! Cells that are read as dates or times in a known style.

use super::Trouble;
use super::cell::{Cell, look};
use super::guess::Seen;
use crate::dates::{StyleCounts, TimeColumn, TimeStyle, is_blank};
use crate::error::Position;
use crate::frame::{CellsRead, Values};
use std::sync::Arc;

/// How much of a cell is kept to be shown.
const SHOWN: usize = 64;

/// A column of times being read. Other cells are missing, and counted.
pub(super) struct TimeReader {
    seconds: Vec<f64>,
    /// The style in which cells are read, and the one that was learned.
    style: TimeStyle,
    learned: TimeStyle,
    sure: bool,
    /// What the cells are in every style, the reader's own among them.
    counts: StyleCounts,
    fits: usize,
    others: Others,
    /// Whether cells were taken that are not missing, which cannot be read in another style any more.
    handed_out: bool,
}

/// Cells that are not dates in a column of dates.
#[derive(Default)]
pub(super) struct Others {
    pub count: usize,
    /// The first of them, where it is known.
    pub first: Option<Seen>,
}

impl TimeReader {
    pub(super) fn new(style: TimeStyle) -> Self {
        Self {
            seconds: Vec::new(),
            style,
            learned: style,
            sure: true,
            counts: StyleCounts::default(),
            fits: 0,
            others: Others::default(),
            handed_out: false,
        }
    }

    /// With cells that were read as texts until they were too many, and how many of them are not dates.
    pub(super) fn after(times: TimeColumn, others: usize) -> Self {
        let TimeColumn { seconds, style, sure, .. } = times;
        let (seconds, others) = (seconds.to_vec(), Others { count: others, first: None });
        Self { fits: seconds.len(), seconds, sure, others, ..Self::new(style) }
    }

    /// Adds a cell and returns whether it is missing.
    pub(super) fn push(&mut self, cell: &[u8], offset: u64) -> bool {
        let text = String::from_utf8_lossy(cell);
        let missing = is_missing(cell, &text);
        let read = if missing { None } else { self.counts.read(&text, self.style) };
        self.seconds.push(read.unwrap_or(f64::NAN));
        match (read, missing) {
            (Some(_), _) => self.fits += 1,
            (None, true) => {}
            (None, false) => {
                self.others.count += 1;
                let start = || (cell[..cell.len().min(SHOWN)].to_vec(), offset);
                self.others.first.get_or_insert_with(start);
            }
        }
        missing
    }

    /// A reader of the same cells from the start in another style, where that of training does not fit them.
    pub(super) fn restyled(&self) -> Option<Self> {
        let style = self.counts.order_unlike(self.learned);
        let other = style != self.style && !self.handed_out;
        other.then(|| Self { learned: self.learned, ..Self::new(style) })
    }

    /// The style, where it is not the one that was learned.
    pub(super) fn changed(&self) -> Option<TimeStyle> {
        (self.style != self.learned).then_some(self.style)
    }

    /// The cells since the last time, for a reader that continues.
    pub(super) fn take(&mut self) -> Values {
        self.handed_out |= self.fits + self.others.count > 0;
        let seconds = Arc::new(std::mem::take(&mut self.seconds));
        Values::Times(TimeColumn {
            seconds,
            style: self.style,
            sure: self.sure,
            in_order: None,
            unrepeated: Vec::new(),
            tells_labels: false,
        })
    }

    /// What is to be said of a column of which all cells were taken, nothing where it is one of something else; or the first
    /// cell that shows that they should have been read in another style.
    pub(super) fn end(self) -> Result<Option<Others>, (Trouble, Seen)> {
        match self.others.first {
            Some(seen) if self.counts.order_unlike(self.learned) != self.style => {
                Err((Trouble::ChangedDates(self.style), seen))
            }
            first => {
                let others = Others { first, ..self.others };
                Ok((self.fits > 0 || others.count == 0).then_some(others))
            }
        }
    }

    /// The column, unless not one of its cells is a date and some are something else.
    pub(super) fn finish(self) -> Option<(Values, Others)> {
        let Self { seconds, style, sure, fits, others, .. } = self;
        let times = TimeColumn { sure, ..TimeColumn::of(seconds, style) };
        (fits > 0 || others.count == 0).then_some((Values::Times(times), others))
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
            style: super::NumberStyle::Point,
            example: None,
            others: self.count,
            first_other: self.first.map(|(cell, offset)| (lossy(&cell), Position::Row(offset))),
            asked,
            kept_as_texts: false,
        };
        (self.count > 0).then_some((cells, offset))
    }
}
