//! The cells of a column, stored as what the first of them are.

use super::super::Numbers;
use crate::frame::Values;

pub(super) enum Stored {
    /// This many missing cells and nothing else.
    Missing(usize),
    Numbers(Numbers),
    Flags(Vec<Option<bool>>),
    /// What was stored would not be needed, and was freed.
    Dropped,
}

impl Stored {
    pub(super) fn push_missing(&mut self) {
        match self {
            Stored::Missing(count) => *count += 1,
            Stored::Numbers(numbers) => numbers.push_missing(),
            Stored::Flags(flags) => flags.push(None),
            Stored::Dropped => {}
        }
    }

    pub(super) fn push_number(&mut self, value: Option<f64>) {
        let Some(value) = value else { return self.push_missing() };
        match self {
            Stored::Numbers(numbers) => numbers.push(value),
            Stored::Missing(count) => {
                let mut numbers = Numbers::missing(*count);
                numbers.push(value);
                *self = Stored::Numbers(numbers);
            }
            Stored::Flags(_) | Stored::Dropped => *self = Stored::Dropped,
        }
    }

    pub(super) fn push_flag(&mut self, value: Option<bool>) {
        match (&mut *self, value) {
            (Stored::Flags(flags), value) => flags.push(value),
            (Stored::Missing(count), Some(_)) => {
                let mut flags = vec![None; *count];
                flags.push(value);
                *self = Stored::Flags(flags);
            }
            _ => self.push_missing(),
        }
    }

    /// The cells since the last time, for a reader that continues.
    pub(super) fn take(&mut self) -> Values {
        match self {
            Stored::Missing(count) => Values::Numeric(vec![f32::NAN; std::mem::take(count)]),
            Stored::Numbers(numbers) => numbers.take(),
            Stored::Flags(flags) => Values::Boolean(std::mem::take(flags)),
            Stored::Dropped => Values::Numeric(Vec::new()),
        }
    }
}
