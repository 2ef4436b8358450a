//! Numbers of a column while it is read: as `f32`, until one comes that would lose digits that may matter.
//!
//! What matters of a number is where it lies within the spread of its column. Up to a few thousand, `f32` resolves a spread
//! of a hundredth well enough. Beyond that, a column such as Unix seconds may have a spread far below its size, so the
//! first large number that `f32` does not hold exactly turns the column into `f64`. The features decide later whether the
//! spread is small enough to need it.

use crate::frame::Values;

/// Numbers below this are kept as `f32` whatever they are.
const LARGE: f64 = 4096.0;

/// A column of numbers being read; NaN is a missing cell.
pub(super) enum Numbers {
    Single(Vec<f32>),
    Double(Vec<f64>),
}

impl Numbers {
    pub(super) fn missing(count: usize) -> Self {
        Numbers::Single(vec![f32::NAN; count])
    }

    pub(super) fn reserve(&mut self, more: usize) {
        match self {
            Numbers::Single(values) => values.reserve(more),
            Numbers::Double(values) => values.reserve(more),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, value: f64) {
        match self {
            Numbers::Single(values) => {
                let narrow = value as f32;
                if value.abs() < LARGE || f64::from(narrow) == value {
                    values.push(narrow);
                } else {
                    let mut wide: Vec<f64> = Vec::with_capacity(values.capacity());
                    wide.extend(values.iter().map(|&x| f64::from(x)));
                    wide.push(value);
                    *self = Numbers::Double(wide);
                }
            }
            Numbers::Double(values) => values.push(value),
        }
    }

    pub(super) fn push_missing(&mut self) {
        match self {
            Numbers::Single(values) => values.push(f32::NAN),
            Numbers::Double(values) => values.push(f64::NAN),
        }
    }

    /// The numbers so far; what comes next is kept as exactly as they were.
    pub(super) fn take(&mut self) -> Values {
        match self {
            Numbers::Single(values) => Values::Numeric(std::mem::take(values)),
            Numbers::Double(values) => Values::Wide(std::mem::take(values)),
        }
    }

    pub(super) fn finish(self) -> Values {
        match self {
            Numbers::Single(mut values) => {
                values.shrink_to_fit();
                Values::Numeric(values)
            }
            Numbers::Double(values) => Values::Wide(values),
        }
    }
}
