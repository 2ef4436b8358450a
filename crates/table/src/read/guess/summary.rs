//! What the cells of a column can be read as, counted.

use super::super::cell::{Cell, look_typed, with_comma};
use super::super::{NumbersWritten, Written};
use super::{Habit, Wanted, as_flag};
use serde::{Deserialize, Serialize};

/// How much of a cell is kept to be shown.
const SHOWN: usize = 64;

/// How a cell starts, and the offset of its record.
pub(crate) type Seen = (Vec<u8>, u64);

/// What the cells of a column of texts can be read as, whatever their order: how many are numbers, with a decimal point and with a
/// decimal comma, how many truth values, and where the first is of each sort that a message shows.
///
/// A summary of some cells is merged with that of others. Neither the order of the cells nor how they are shared out changes it, so
/// the parts of a table, wherever they are, settle together what a column is:
///
/// ```
/// use onesided_table::{KindSummary, NumberStyle, Written};
///
/// // The first part leaves the decimal sign open, the second shows it.
/// let mut first = KindSummary::default();
/// first.push(b"1.250", 1);
/// let mut second = KindSummary::default();
/// second.push(b"0,5", 2);
/// second.merge(&first);
/// let Some(Written::Numbers(Some(numbers))) = KindSummary::settle(&[second], false)[0] else { panic!() };
/// assert_eq!(numbers.style, NumberStyle::Comma);
/// ```
///
/// It takes a few hundred bytes, however many cells there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KindSummary {
    pub(super) point: Reading,
    pub(super) comma: Reading,
    pub(super) flags: Reading,
    /// Cells that are neither missing nor markers nor out of range.
    pub(super) values: usize,
    pub(super) markers: usize,
    pub(super) first_marker: Option<u64>,
    /// Cells that are numbers with either sign, and those among them that are not the same number.
    pub(super) both: usize,
    pub(super) open: usize,
    /// The first number of digits that begin with a nought, as codes have it.
    padded: Option<(Seen, f64)>,
    /// The first cells that a numeric column must not have.
    pub(super) not_finite: Option<Seen>,
    pub(super) too_large: Option<Seen>,
}

/// One way to read the cells of a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Reading {
    /// Cells that can be read so.
    pub fits: usize,
    /// The first that cannot.
    pub first_other: Option<Seen>,
    /// The first that cannot and is a number in the other style.
    pub first_unlike: Option<Seen>,
    /// The first number that is not written plainly, and what it is.
    example: Option<(Seen, f64)>,
    /// Whether a number has signs between groups of digits, and the first of which these would be decimal in the other style.
    pub groups: bool,
    pub first_grouped: Option<Seen>,
}

/// A cell, trimmed, and the offset of its record.
#[derive(Clone, Copy)]
struct Met<'c> {
    text: &'c [u8],
    at: u64,
}

impl Met<'_> {
    fn seen(self) -> Seen {
        (self.text[..self.text.len().min(SHOWN)].to_vec(), self.at)
    }

    /// Keeps this cell where it comes before the one that was kept.
    fn keep(self, first: &mut Option<Seen>) {
        if first.as_ref().is_none_or(|(_, at)| self.at < *at) {
            *first = Some(self.seen());
        }
    }

    fn keep_number(self, value: f64, first: &mut Option<(Seen, f64)>) {
        if first.as_ref().is_none_or(|((_, at), _)| self.at < *at) {
            *first = Some((self.seen(), value));
        }
    }
}

/// The one of two that comes first; of the same record, the one whose text does.
fn earlier<T: Clone>(first: &mut Option<T>, other: &Option<T>, seen: impl Fn(&T) -> &Seen) {
    let place = |of: &T| {
        let (text, at) = seen(of);
        (*at, text.clone())
    };
    if let Some(other) = other
        && first.as_ref().is_none_or(|first| place(other) < place(first))
    {
        *first = Some(other.clone());
    }
}

fn earlier_cell(first: &mut Option<Seen>, other: &Option<Seen>) {
    earlier(first, other, |seen| seen);
}

impl Reading {
    fn count(&mut self, fits: bool, cell: Met<'_>) {
        if fits {
            self.fits += 1;
        } else {
            cell.keep(&mut self.first_other);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.fits += other.fits;
        earlier_cell(&mut self.first_other, &other.first_other);
        earlier_cell(&mut self.first_unlike, &other.first_unlike);
        earlier(&mut self.example, &other.example, |(seen, _)| seen);
        self.groups |= other.groups;
        earlier_cell(&mut self.first_grouped, &other.first_grouped);
    }
}

/// Whether a cell is digits that begin with a nought.
fn is_padded(text: &[u8]) -> bool {
    text.len() > 1 && text[0] == b'0' && text.iter().all(u8::is_ascii_digit)
}

impl KindSummary {
    /// Adds a cell. `at` tells where its record is among all of them: a number that rises with the records, another for each.
    pub fn push(&mut self, cell: &[u8], at: u64) {
        let text = cell.trim_ascii();
        self.add(look_typed(text, false), text, at);
    }

    /// Adds a cell that was looked at.
    pub(super) fn add(&mut self, seen: Cell, text: &[u8], at: u64) {
        let cell = Met { text, at };
        match seen {
            Cell::Missing => {}
            Cell::Marker => {
                self.markers += 1;
                self.first_marker = Some(self.first_marker.map_or(at, |first| first.min(at)));
            }
            // If the column turns out to be text this is a word like any other, so judgment waits for the end.
            Cell::NotFinite => cell.keep(&mut self.not_finite),
            Cell::TooLarge => cell.keep(&mut self.too_large),
            _ => self.count(seen, cell),
        }
    }

    fn count(&mut self, seen: Cell, cell: Met<'_>) {
        let text = cell.text;
        self.values += 1;
        let (point, comma) = match seen {
            Cell::Number(value) => (Some(value), with_comma(value, text)),
            Cell::Typed(value) => (Some(value), Some(value)),
            Cell::Written { point, comma } => (point, comma),
            _ => (None, None),
        };
        self.point.count(point.is_some(), cell);
        self.comma.count(comma.is_some(), cell);
        self.flags.count(as_flag(seen).is_some(), cell);
        match (point, comma) {
            (Some(point), Some(comma)) => {
                self.both += 1;
                if point != comma {
                    self.open += 1;
                    // A thousand times as much: the sign is between groups of digits.
                    let grouped = if point.abs() > comma.abs() { &mut self.point } else { &mut self.comma };
                    cell.keep(&mut grouped.first_grouped);
                }
            }
            (Some(_), None) => cell.keep(&mut self.comma.first_unlike),
            (None, Some(_)) => cell.keep(&mut self.point.first_unlike),
            (None, None) => return,
        }
        let plain = matches!(seen, Cell::Number(_) | Cell::Typed(_));
        if let (Cell::Number(value), true) = (seen, is_padded(text)) {
            cell.keep_number(value, &mut self.padded);
        }
        if let (Some(value), false) = (point, plain) {
            self.point.groups |= text.contains(&b',');
            cell.keep_number(value, &mut self.point.example);
        }
        if let Some(value) = comma
            && (!plain || point != comma)
        {
            self.comma.groups |= text.contains(&b'.');
            cell.keep_number(value, &mut self.comma.example);
        }
    }

    /// Adds what was seen of other cells of the column.
    pub fn merge(&mut self, other: &Self) {
        self.point.merge(&other.point);
        self.comma.merge(&other.comma);
        self.flags.merge(&other.flags);
        self.values += other.values;
        self.markers += other.markers;
        self.first_marker = self.first_marker.into_iter().chain(other.first_marker).min();
        self.both += other.both;
        self.open += other.open;
        earlier(&mut self.padded, &other.padded, |(seen, _)| seen);
        earlier_cell(&mut self.not_finite, &other.not_finite);
        earlier_cell(&mut self.too_large, &other.too_large);
    }

    /// What the columns of a table are, once all cells of each were seen, as its [pieces](crate::PiecePlan) are then read: `None` are
    /// texts, or dates. A column that leaves its decimal sign open has that of the others; `semicolons` says whether these separate the
    /// cells, as is the custom where commas are decimal. A column without a value counts as numeric.
    pub fn settle(columns: &[Self], semicolons: bool) -> Vec<Option<Written>> {
        let habit = Habit::of(columns.iter(), semicolons);
        let settled = |column: &Self| match column.kind(Wanted::Any, None, habit) {
            None => Some(Written::Numbers(None)),
            Some(Wanted::Flags) => Some(Written::Flags),
            Some(Wanted::Numbers(style)) => {
                // The cells themselves told, so none of them is to be doubted.
                let style = style.unwrap_or_default();
                Some(Written::Numbers(Some(NumbersWritten { style, grouped: true, no_sign: false })))
            }
            Some(Wanted::Any | Wanted::Times(_)) => None,
        };
        columns.iter().map(settled).collect()
    }

    /// The first number that is not written plainly in a style, and what it is. What begins with a nought may be a code in a column of
    /// which nothing was `known`.
    pub(super) fn example(&self, reading: &Reading, known: bool) -> Option<(Vec<u8>, f64)> {
        let mut example = reading.example.clone();
        if !known {
            earlier(&mut example, &self.padded, |(seen, _)| seen);
        }
        example.map(|((text, _), value)| (text, value))
    }
}
