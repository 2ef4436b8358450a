//! A short name for content: the same bytes have the same one, and others hardly ever do.

use crate::{Dataset, Label, Store};

/// Consonants, one per four bits: no spreadsheet takes such a word for a number or a date.
const LETTERS: &[u8; 16] = b"bcdfghjkmnpqrstv";

/// A fingerprint under way: 64-bit FNV-1a, eight bytes at a time, with the high bits stirred in.
#[derive(Clone, Copy, Debug)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 32;
    }

    /// With more bytes.
    #[must_use]
    pub fn of_bytes(mut self, bytes: &[u8]) -> Self {
        self.add(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
        self
    }

    fn of_numbers(mut self, numbers: &[f32]) -> Self {
        self.add(numbers.len() as u64);
        numbers.iter().for_each(|number| self.add(u64::from(number.to_bits())));
        self
    }

    /// With the encoded rows of a data set, in their order.
    #[must_use]
    pub fn of_rows(self, data: &Dataset) -> Self {
        self.before_rows(data.len(), data).of_piece(data)
    }

    /// With this many rows to come, piece by piece, of which these are the first.
    #[must_use]
    pub fn before_rows(mut self, rows: usize, first: &Dataset) -> Self {
        let cols = first.rows().cols();
        self.add(rows as u64);
        self.add(cols as u64);
        if let Store::Dense(_) = first.rows() {
            self.add((rows * cols) as u64);
        }
        self
    }

    /// With some of the rows that were to come. Pictures come in one piece.
    #[must_use]
    pub fn of_piece(mut self, data: &Dataset) -> Self {
        match data.rows() {
            Store::Dense(matrix) => {
                matrix.as_slice().iter().for_each(|number| self.add(u64::from(number.to_bits())));
                self
            }
            Store::Bytes(pictures) => self.of_bytes(&pictures.bytes),
            Store::Away { .. } => self,
            Store::Sparse(matrix) => (0..matrix.rows()).fold(self, |mut so_far, row| {
                let (columns, values) = matrix.row(row);
                columns.iter().for_each(|&column| so_far.add(u64::from(column)));
                so_far.of_numbers(values)
            }),
        }
    }

    /// With labels.
    #[must_use]
    pub fn of_labels(mut self, labels: &[Label]) -> Self {
        self.add(labels.len() as u64);
        labels.iter().for_each(|&label| self.add(u64::from(label == Label::Positive)));
        self
    }

    /// As a number.
    pub fn number(self) -> u64 {
        self.0
    }

    /// Sixteen letters.
    pub fn letters(self) -> String {
        (0..16).rev().map(|at| char::from(LETTERS[(self.0 >> (4 * at)) as usize & 15])).collect()
    }
}

/// Bytes as letters, two for each.
pub fn to_letters(bytes: &[u8]) -> String {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves.map(|half| char::from(LETTERS[usize::from(half)])).collect()
}

/// What [`to_letters`] wrote, in upper or lower case; `None` if it is something else.
pub fn from_letters(text: &str) -> Option<Vec<u8>> {
    let half = |letter: u8| LETTERS.iter().position(|&known| known == letter.to_ascii_lowercase());
    let halves: Vec<u8> = text.bytes().map(|letter| Some(half(letter)? as u8)).collect::<Option<_>>()?;
    let (pairs, rest) = halves.as_chunks::<2>();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;

    #[test]
    fn content_and_order_count() {
        let of = |rows: Vec<f32>| {
            let data = Dataset::from_scaled(Matrix::new(2, 2, rows).unwrap(), None).unwrap();
            Fingerprint::default().of_rows(&data).letters()
        };
        let one = of(vec![1.0, 2.0, 3.0, 4.0]);
        assert_eq!(one, of(vec![1.0, 2.0, 3.0, 4.0]));
        assert_ne!(one, of(vec![3.0, 4.0, 1.0, 2.0]));
        assert_ne!(one, of(vec![1.0, 2.0, 3.0, 4.000_000_5]));
        assert!(one.len() == 16 && one.chars().all(|c| "bcdfghjkmnpqrstv".contains(c)));
        // Rows in pieces have the fingerprint of the whole.
        let data = Dataset::from_scaled(Matrix::new(2, 2, vec![1.0, 2.0, 3.0, 4.0]).unwrap(), None).unwrap();
        let (first, second) = (data.select(&[0]), data.select(&[1]));
        let pieces = Fingerprint::default().before_rows(2, &first).of_piece(&first).of_piece(&second);
        assert_eq!(pieces.letters(), one);
        let bytes = |bytes: &[u8]| Fingerprint::default().of_bytes(bytes).letters();
        assert_ne!(bytes(b"abc"), bytes(b"abc\0"));
        let number = Fingerprint::default().of_bytes(b"abc").number();
        assert_eq!(to_letters(&number.to_be_bytes()), bytes(b"abc"));
        assert_eq!(from_letters(&bytes(b"abc").to_uppercase()), Some(number.to_be_bytes().to_vec()));
        assert!(from_letters("bcd").is_none() && from_letters("ba").is_none());
    }
}
