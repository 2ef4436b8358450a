//! What a column of a text table holds, found out while reading it.
//!
//! Each column starts out as numbers and is stored as such, so that a numeric table is read once and takes no more
//! memory than its numbers. The first cell that contradicts turns the column into text, frees what was stored, and
//! leaves the column to a second pass.

use super::cell::{self, Cell};
use super::{Numbers, Trouble};
use crate::frame::Values;

/// A column whose type is still open.
pub(super) struct Guess {
    so_far: SoFar,
    /// The first cell that a numeric column must not have: what, at which offset, and how it was written.
    trouble: Option<(Trouble, u64, Vec<u8>)>,
}

enum SoFar {
    /// So many missing cells and nothing else.
    Missing(usize),
    Numbers(Numbers),
    Flags(Vec<Option<bool>>),
    Text,
}

impl Guess {
    pub(super) fn new() -> Self {
        Self { so_far: SoFar::Missing(0), trouble: None }
    }

    /// Adds a cell and returns whether it is missing. Once the column is text, cells are no longer looked at.
    pub(super) fn push(&mut self, text: &[u8], offset: u64) -> bool {
        if matches!(self.so_far, SoFar::Text) {
            return false;
        }
        let mut seen = cell::look(text);
        let missing = seen == Cell::Missing;
        if let Cell::NotFinite | Cell::TooLarge = seen {
            // If the column turns out to be text this is a word like any other, so judgment waits for the end.
            let what = if seen == Cell::NotFinite { Trouble::NotFinite } else { Trouble::TooLarge };
            self.trouble.get_or_insert_with(|| (what, offset, text.to_vec()));
            seen = Cell::Missing;
        }
        match (&mut self.so_far, seen) {
            (SoFar::Numbers(numbers), Cell::Number(value)) => numbers.push(value),
            (SoFar::Numbers(numbers), Cell::Missing) => numbers.push_missing(),
            (SoFar::Flags(flags), Cell::Flag(value)) => flags.push(Some(value)),
            (SoFar::Flags(flags), Cell::Missing) => flags.push(None),
            (SoFar::Missing(count), Cell::Missing) => *count += 1,
            (SoFar::Missing(count), Cell::Number(value)) => {
                let mut numbers = Numbers::missing(*count);
                numbers.push(value);
                self.so_far = SoFar::Numbers(numbers);
            }
            (SoFar::Missing(count), Cell::Flag(value)) => {
                let mut flags = vec![None; *count];
                flags.push(Some(value));
                self.so_far = SoFar::Flags(flags);
            }
            _ => self.so_far = SoFar::Text,
        }
        missing
    }

    /// The column, or nothing if it is text and must be read again; or what is wrong with it, at which offset, and the
    /// cell that shows it. A column of missing cells alone counts as numeric.
    pub(super) fn finish(self) -> Result<Option<Values>, (Trouble, u64, Vec<u8>)> {
        let values = match self.so_far {
            SoFar::Text => return Ok(None),
            SoFar::Missing(count) => Values::Numeric(vec![f32::NAN; count]),
            SoFar::Numbers(numbers) => numbers.finish(),
            SoFar::Flags(flags) => Values::Boolean(flags),
        };
        self.trouble.map_or(Ok(Some(values)), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(cells: &[&str]) -> Result<Option<Values>, (Trouble, u64, Vec<u8>)> {
        let mut guess = Guess::new();
        for (at, cell) in cells.iter().enumerate() {
            guess.push(cell.as_bytes(), at as u64 + 2);
        }
        guess.finish()
    }

    #[test]
    fn the_type_follows_from_the_cells() {
        let Ok(Some(Values::Numeric(numbers))) = guess(&["", "1", "NA", "2.5"]) else { panic!() };
        assert!(numbers[0].is_nan() && numbers[2].is_nan());
        assert_eq!([numbers[1], numbers[3]], [1.0, 2.5]);
        let Ok(Some(Values::Boolean(flags))) = guess(&["?", "true", "False"]) else { panic!() };
        assert_eq!(flags, [None, Some(true), Some(false)]);
        for text in [["1", "red"], ["true", "1"], ["1", "true"], ["red", "1"]] {
            assert!(matches!(guess(&text), Ok(None)), "{text:?}");
        }
        assert!(matches!(guess(&["", ""]), Ok(Some(Values::Numeric(empty))) if empty.len() == 2));
    }

    #[test]
    fn large_numbers_keep_every_digit() {
        let Ok(Some(Values::Wide(seconds))) = guess(&["1700000001", "", "1700000002"]) else { panic!() };
        assert_eq!((seconds[0], seconds[2]), (1_700_000_001.0, 1_700_000_002.0));
        assert!(seconds[1].is_nan());
        // Exact as f32, or small: nothing to gain.
        assert!(matches!(guess(&["1e30", "16777216"]), Ok(Some(Values::Wide(_)))));
        assert!(matches!(guess(&["16777216", "0.1", "4095.9"]), Ok(Some(Values::Numeric(_)))));
    }

    #[test]
    fn nan_is_refused_among_numbers_and_a_word_among_texts() {
        assert_eq!(guess(&["1", "nan", "inf"]).unwrap_err(), (Trouble::NotFinite, 3, b"nan".to_vec()));
        assert_eq!(guess(&["1", "1e39"]).unwrap_err(), (Trouble::TooLarge, 3, b"1e39".to_vec()));
        assert_eq!(guess(&["nan", "nan"]).unwrap_err().1, 2);
        assert!(matches!(guess(&["1", "nan", "red"]), Ok(None)));
    }
}
