//! What a column of a text table holds, found out while reading it.
//!
//! Each column is stored as what its first cells are, so that a numeric table is read once and takes no more memory than
//! its numbers. All cells are counted by what they can be read as ([`KindSummary`]), and the counts decide at the end, so that the
//! order of rows does not matter:
//!
//! * a cell that the file itself calls a number is one, whatever the decimal sign;
//! * truth values alone, or with markers of missing values, are truth values;
//! * where at least 95 of 100 cells are numbers, with a decimal point or with a decimal comma, the column is numeric, and
//!   its other cells are missing; numbers with a point go first, and a tie, such as `1.250` and `331`, is decided by the
//!   other columns of the table or else is the comma's where semicolons separate cells;
//! * everything else is text.
//!
//! A column that was stored as something else is left to a second pass.
//!
//! Where a model has learned how a column is written, each cell is read so and nothing is counted anew. The counts then tell
//! whether that was right: a file whose numbers have the other sign is refused with its first such cell.

mod kind;
mod stored;
mod summary;

pub(super) use kind::{Habit, Remarks, Wanted};
pub use summary::KindSummary;
pub(super) use summary::Seen;

use super::cell::{Cell, look_typed, with_comma};
use super::{ReadOptions, Trouble};
use crate::frame::Values;
use crate::number::NumberStyle;
use kind::Asked;
use stored::Stored;

/// Up to this many cells that are not numbers, numbers are still stored.
const FEW: usize = 16;

/// A column whose type is still open.
pub(super) struct Guess {
    asked: Asked,
    seen: KindSummary,
    stored: Stored,
}

/// What a column turned out to be.
pub(super) enum Outcome {
    /// It was stored as what it is.
    Done(Values),
    /// Numbers that must be read again, in this style.
    Numbers(NumberStyle),
    /// Truth values that must be read again.
    Flags,
    /// Texts that must be read.
    Text,
}

impl Guess {
    pub(super) fn new(wanted: Wanted) -> Self {
        let asked = Asked { wanted, decimal: None, groups: true, no_sign: false };
        Self { asked, seen: KindSummary::default(), stored: Stored::Missing(0) }
    }

    /// One of a column of a file that is read as these options say.
    pub(super) fn of_column(name: &str, wanted: Wanted, options: &ReadOptions) -> Self {
        let learned = options.learned_numbers(name);
        let groups = learned.is_none_or(|learned| learned.grouped);
        let no_sign = learned.is_some_and(|learned| learned.no_sign);
        let asked = Asked { wanted, decimal: options.files.decimal, groups, no_sign };
        Self { asked, ..Self::new(wanted) }
    }

    /// What was seen of the cells so far.
    pub(super) fn seen(&self) -> &KindSummary {
        &self.seen
    }

    /// Adds a cell and returns whether it is missing whatever the column is.
    pub(super) fn push(&mut self, text: &[u8], offset: u64) -> bool {
        self.push_typed(text, false, offset)
    }

    /// [`push`](Self::push) of a cell that may be a number by the file's own word.
    pub(super) fn push_typed(&mut self, text: &[u8], is_number: bool, offset: u64) -> bool {
        let text = text.trim_ascii();
        let cell = look_typed(text, is_number);
        self.seen.add(cell, text, offset);
        match self.asked.wanted {
            Wanted::Flags => self.stored.push_flag(as_flag(cell)),
            Wanted::Numbers(style) => {
                self.stored.push_number(as_number(cell, text, style.unwrap_or_default()))
            }
            Wanted::Any | Wanted::Times(_) => match cell {
                Cell::Flag(flag) => self.stored.push_flag(Some(flag)),
                Cell::Missing | Cell::Marker | Cell::NotFinite | Cell::TooLarge => self.stored.push_missing(),
                _ => match as_number(cell, text, NumberStyle::Point) {
                    Some(value) => self.stored.push_number(Some(value)),
                    None => self.store_other(),
                },
            },
        }
        cell == Cell::Missing
    }

    /// A text, where nothing is known of the column yet.
    fn store_other(&mut self) {
        let numbers = self.seen.point.fits;
        let others = self.seen.values - numbers;
        match self.stored {
            Stored::Flags(_) => self.stored = Stored::Dropped,
            Stored::Numbers(_) if others > FEW && others > numbers => self.stored = Stored::Dropped,
            _ => self.stored.push_missing(),
        }
    }

    /// The cells since the last time, as what is wanted, for a reader that continues. What the column is, [`end`](Self::end)
    /// tells once all cells were seen.
    pub(super) fn take(&mut self) -> Values {
        self.stored.take()
    }

    /// What is to be said of a column of which all cells were taken, and what it is where that is not what was wanted; or
    /// what is wrong with it.
    pub(super) fn end(self, habit: Habit) -> Result<(Option<Wanted>, Remarks), (Trouble, Seen)> {
        let Self { asked, seen, .. } = self;
        let kind = seen.checked_kind(asked, habit)?;
        let (remarks, wanted) = match (kind, asked.wanted) {
            (Some(Wanted::Numbers(style)), Wanted::Numbers(wanted)) => {
                (seen.remarks(style, true), style == wanted)
            }
            (Some(Wanted::Flags), Wanted::Flags) => (seen.remarks(None, true), true),
            (None, _) => (Remarks::default(), true),
            // The first cell that is none is the reason.
            (_, Wanted::Numbers(_)) => (Remarks::of_other(seen.point.first_other), false),
            (_, Wanted::Flags) => (Remarks::of_other(seen.flags.first_other), false),
            _ => (Remarks::default(), false),
        };
        Ok((kind.filter(|_| !wanted), remarks))
    }

    /// What the column is, and what is to be said of it; or what is wrong with it. A column of missing cells alone counts
    /// as numeric. The table's habit decides what the column leaves open.
    pub(super) fn finish(self, habit: Habit) -> Result<(Outcome, Remarks), (Trouble, Seen)> {
        let Self { asked, seen, stored } = self;
        let kind = seen.checked_kind(asked, habit)?;
        let known = asked.wanted != Wanted::Any;
        // Whether what is stored was read with a decimal comma.
        let stored_commas = asked.wanted == Wanted::Numbers(Some(NumberStyle::Comma));
        Ok(match (kind, stored) {
            (None, Stored::Missing(count)) => {
                (Outcome::Done(Values::Numeric(vec![f32::NAN; count])), Remarks::default())
            }
            (Some(Wanted::Numbers(style)), stored) => {
                let commas = style == Some(NumberStyle::Comma);
                let outcome = match stored {
                    Stored::Numbers(numbers) if commas == stored_commas => Outcome::Done(numbers.finish()),
                    _ if commas => Outcome::Numbers(NumberStyle::Comma),
                    _ => Outcome::Numbers(NumberStyle::Point),
                };
                (outcome, seen.remarks(style, known))
            }
            (Some(Wanted::Flags), stored) => {
                let outcome = match stored {
                    Stored::Flags(flags) => Outcome::Done(Values::Boolean(flags)),
                    _ => Outcome::Flags,
                };
                (outcome, seen.remarks(None, known))
            }
            _ => (Outcome::Text, Remarks::default()),
        })
    }
}

/// The number that a cell is in a style.
pub(super) fn as_number(seen: Cell, text: &[u8], style: NumberStyle) -> Option<f64> {
    match (seen, style) {
        (Cell::Typed(value), _) | (Cell::Number(value), NumberStyle::Point) => Some(value),
        (Cell::Number(value), NumberStyle::Comma) => with_comma(value, text),
        (Cell::Written { point, .. }, NumberStyle::Point) => point,
        (Cell::Written { comma, .. }, NumberStyle::Comma) => comma,
        _ => None,
    }
}

/// The truth value that a cell is; 0 and 1 are another way to write false and true.
pub(super) fn as_flag(seen: Cell) -> Option<bool> {
    match seen {
        Cell::Flag(flag) => Some(flag),
        Cell::Number(0.0) | Cell::Typed(0.0) => Some(false),
        Cell::Number(1.0) | Cell::Typed(1.0) => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
