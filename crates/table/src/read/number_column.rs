//! Numbers of a column while it is read: as `f32`, until one comes that would lose digits that may matter.
//!
//! What matters of a number is where it lies within the spread of its column. Up to a few thousand, `f32` resolves a spread
//! of a hundredth well enough. Beyond that, a column such as Unix seconds may have a spread far below its size, so the
//! first large number that `f32` does not hold exactly turns the column into `f64`. The features decide later whether the
//! spread is small enough to need it.

use crate::frame::Values;

/// Numbers below this are kept as `f32` whatever they are.
const LARGE: f64 = 4096.0;

/// Numbers that are looked at together.
const AT_ONCE: usize = 256;

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
            // As it would have been kept before the first large one, so that the order of rows does not matter.
            Numbers::Double(values) if value.abs() < LARGE => values.push(f64::from(value as f32)),
            Numbers::Double(values) => values.push(value),
        }
    }

    pub(super) fn push_missing(&mut self) {
        match self {
            Numbers::Single(values) => values.push(f32::NAN),
            Numbers::Double(values) => values.push(f64::NAN),
        }
    }

    /// Adds numbers that are small enough to be kept as they are, several at a time; how many were taken before one was not.
    pub(super) fn extend_small(&mut self, more: &[f64]) -> usize {
        let Numbers::Single(values) = self else { return 0 };
        let mut taken = 0;
        for some in more.chunks(AT_ONCE) {
            // NaN is below nothing.
            if !some.iter().fold(true, |all, value| all & (value.abs() < LARGE)) {
                break;
            }
            values.extend(some.iter().map(|&value| value as f32));
            taken += some.len();
        }
        taken
    }

    /// The numbers so far; what comes next is kept as exactly as they were, and there is room for as many.
    pub(super) fn take(&mut self) -> Values {
        match self {
            Numbers::Single(values) => {
                let room = Vec::with_capacity(values.len());
                Values::Numeric(std::mem::replace(values, room))
            }
            Numbers::Double(values) => {
                let room = Vec::with_capacity(values.len());
                Values::Wide(std::mem::replace(values, room))
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_the_same_above_and_below_a_large_one() {
        let read = |cells: &[f64]| {
            let mut numbers = Numbers::missing(0);
            cells.iter().for_each(|&cell| numbers.push(cell));
            let Values::Wide(values) = numbers.finish() else { panic!() };
            values
        };
        let (above, below) = (read(&[0.1, 5000.1]), read(&[5000.1, 0.1]));
        assert_eq!(above, [below[1], below[0]]);
    }

    #[test]
    fn small_numbers_are_taken_together_up_to_one_that_is_not() {
        let mut numbers = Numbers::missing(0);
        let mut more: Vec<f64> = (0..1_000).map(|i| f64::from(i) / 8.0).collect();
        assert_eq!(numbers.extend_small(&more), 1_000);
        for other in [f64::NAN, f64::INFINITY, -4096.0] {
            more[600] = other;
            // Those of the same 256 are left, too.
            assert_eq!(Numbers::missing(0).extend_small(&more), 512, "{other}");
        }
        let Values::Numeric(values) = numbers.take() else { panic!() };
        assert!(values.len() == 1_000 && values[999] == 124.875);
        numbers.push(16_777_217.0);
        assert_eq!(numbers.extend_small(&[1.0]), 0);
        assert!(matches!(numbers.take(), Values::Wide(values) if values == [16_777_217.0]));
    }
}
