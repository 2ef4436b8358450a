//! Cells that are read as dates or times in a known style.

use super::cell::{Cell, look};
use super::guess::Seen;
use crate::dates::{NEARLY_ALL, TimeColumn, TimeStyle, from_categories, is_blank, seconds_of};
use crate::error::Position;
use crate::frame::{CellsRead, TextColumn, Values};
use std::sync::Arc;

/// How much of a cell is kept to be shown.
const SHOWN: usize = 64;

/// A column of times being read. Other cells are missing, and counted.
pub(super) struct TimeReader {
    seconds: Vec<f64>,
    style: TimeStyle,
    sure: bool,
    fits: usize,
    others: Others,
    /// Whether the style is another than the one that was learned.
    changed: bool,
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
        Self { seconds: Vec::new(), style, sure: true, fits: 0, others: Others::default(), changed: false }
    }

    /// With cells that were read as texts until they were too many, and how many of them are not dates.
    pub(super) fn after(times: TimeColumn, others: usize) -> Self {
        let TimeColumn { seconds, style, sure, .. } = times;
        let (seconds, others) = (seconds.to_vec(), Others { count: others, first: None });
        Self { fits: seconds.len(), seconds, style, sure, others, changed: false }
    }

    /// Adds a cell and returns whether it is missing.
    pub(super) fn push(&mut self, cell: &[u8], offset: u64) -> bool {
        let text = String::from_utf8_lossy(cell);
        let missing = is_missing(cell, &text);
        let read = seconds_of(&text, self.style).filter(|_| !missing);
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

    /// Starts again in another style, where that of training does not fit these first cells, another one fits nearly all, and
    /// some cell tells which.
    pub(super) fn restyled<'c>(&self, cells: impl Iterator<Item = &'c [u8]>) -> Option<Self> {
        use TimeStyle::{DayFirst, MonthFirst, YearFirst};
        if self.others.count * 100 <= (self.fits + self.others.count) * (100 - NEARLY_ALL) {
            return None;
        }
        let levels: Vec<String> = cells
            .map(|cell| (cell, String::from_utf8_lossy(cell)))
            .filter(|(cell, text)| !is_missing(cell, text))
            .map(|(_, text)| text.into_owned())
            .collect();
        let codes: Vec<u32> = (0..levels.len() as u32).collect();
        let (column, others) = from_categories(&codes, &levels, NEARLY_ALL)?;
        let dates = |style| matches!(style, YearFirst | DayFirst | MonthFirst);
        let better = column.sure && column.style != self.style && others < self.others.count;
        let found = better && dates(column.style) && dates(self.style);
        found.then(|| Self { changed: true, ..Self::new(column.style) })
    }

    /// The style of a whole column of texts: that of training, or another where that one does not fit.
    pub(super) fn style_of(texts: &TextColumn, style: TimeStyle) -> TimeStyle {
        let mut reader = Self::new(style);
        for (row, text) in texts.iter().enumerate() {
            reader.push(text.as_bytes(), row as u64);
        }
        reader.restyled(texts.iter().map(str::as_bytes)).map_or(style, |other| other.style)
    }

    /// The style, where it is not the one that was learned.
    pub(super) fn changed(&self) -> Option<TimeStyle> {
        self.changed.then_some(self.style)
    }

    /// The cells since the last time, for a reader that continues.
    pub(super) fn take(&mut self) -> Values {
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

    /// What is to be said of a column of which all cells were taken; nothing where it is one of something else.
    pub(super) fn end(self) -> Option<Others> {
        (self.fits > 0 || self.others.count == 0).then_some(self.others)
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
    pub(super) fn told(self, name: &str, asked: bool) -> Option<(CellsRead, u64)> {
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
