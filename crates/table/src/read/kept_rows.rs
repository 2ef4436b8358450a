//! Which rows of a table are read: a bit for each.

use crate::TableError;
use crate::random::Stream;

/// Some rows of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptRows {
    bits: Vec<u64>,
    rows: usize,
    kept: usize,
}

impl KeptRows {
    /// All rows of a table that are wanted, and this many of the others, every choice of them being as likely: those of
    /// the same seed are the same. `None`: there are no more than that.
    pub fn draw(rows: usize, is_wanted: impl Fn(usize) -> bool, others: usize, seed: u64) -> Option<Self> {
        let mut left = (0..rows).filter(|&row| !is_wanted(row)).count();
        if left <= others {
            return None;
        }
        let (mut needed, mut stream) = (others, Stream::new(seed, "max-unlabeled"));
        let (mut bits, mut kept) = (vec![0u64; rows.div_ceil(64)], 0);
        for row in 0..rows {
            // Of those that are left, each is among the needed ones with the same probability.
            let taken = is_wanted(row) || {
                let taken = stream.below(left) < needed;
                (left, needed) = (left - 1, needed - usize::from(taken));
                taken
            };
            bits[row / 64] |= u64::from(taken) << (row % 64);
            kept += usize::from(taken);
        }
        Some(Self { bits, rows, kept })
    }

    /// Whether a row is read.
    pub fn contains(&self, row: usize) -> bool {
        self.bits.get(row / 64).is_some_and(|bits| bits >> (row % 64) & 1 == 1)
    }

    /// How many rows are read.
    pub fn len(&self) -> usize {
        self.kept
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.kept == 0
    }

    /// Refuses a file that has another number of rows than when the rows were chosen.
    pub(super) fn check(&self, file: &str, rows: usize) -> Result<(), TableError> {
        if rows == self.rows {
            Ok(())
        } else {
            let cause = std::io::Error::other("it changed while it was being read");
            Err(TableError::Read { file: file.to_string(), cause })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_other_row_is_as_likely() {
        let draw = |others, seed| KeptRows::draw(40, |row| row % 4 == 0, others, seed);
        let mut times = [0usize; 40];
        for seed in 0..3_000 {
            let drawn = draw(10, seed).unwrap();
            assert_eq!((drawn.len(), (0..99).filter(|&row| drawn.contains(row)).count()), (20, 20));
            (0..40).for_each(|row| times[row] += usize::from(drawn.contains(row)));
        }
        for (row, &times) in times.iter().enumerate() {
            match row % 4 {
                0 => assert_eq!(times, 3_000),
                // A third of 3,000 with a standard deviation of √(3000 · 2/9) = 26.
                _ => assert!((900..=1_100).contains(&times), "row {row}: {times}"),
            }
        }
        let once = draw(10, 7);
        assert_eq!(once, draw(10, 7));
        assert_ne!(once, draw(10, 8));
        assert!(draw(30, 7).is_none());
    }
}
