//! Bins of many rows, one byte per cell and nothing else.
//!
//! A table that is too large to be held as numbers is binned column by column while it is read. The bytes go to a temporary
//! file, since a column is there as a whole and a row is not, and come back once, row by row. Features of one size of
//! histogram lie together, eight to a word as in [`Layout`](crate::layout::Layout), so histograms, cuts and answers are all
//! read from the same bytes and no second form of them is made.

use crate::TreesError;
use crate::bins::{Binned, Codes, Feature, bin_column, feature_of};
use crate::layout::{Group, groups_of};
use onesided_data::{ByteColumns, Columns};
use std::io;
use std::sync::Arc;

/// Rows that are brought back from the file together.
const ROWS_AT_ONCE: usize = 1 << 16;

/// A word may reach so far beyond the last byte of a row.
pub(crate) const BEHIND: usize = 8;

/// Rows of bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PackedRows {
    /// Row after row, and some bytes behind the last.
    bytes: Vec<u8>,
    /// Bytes of a row.
    width: usize,
    /// Where in a row each feature is.
    places: Vec<usize>,
}

impl PackedRows {
    /// Rows of so many bytes with [some](BEHIND) behind the last, and where in a row each feature is.
    pub fn new(bytes: Vec<u8>, width: usize, places: Vec<usize>) -> Self {
        Self { bytes, width, places }
    }

    /// The bytes from a feature of the first row on, and how far it is to that of the next row.
    pub fn feature(&self, feature: usize) -> (&[u8], usize) {
        (&self.bytes[self.places[feature]..], self.width)
    }

    /// The words of a row for some groups. Bytes of a word beyond the features of its group are those of others, and no
    /// one looks at them.
    pub fn words(&self, row: u32, groups: &[Group], words: &mut [u64]) {
        let row = &self.bytes[row as usize * self.width..];
        for (word, group) in words.iter_mut().zip(groups) {
            let at = group.features.first().map_or(0, |&feature| self.places[feature as usize]);
            *word = row[at..].first_chunk().copied().map_or(0, u64::from_le_bytes);
        }
    }
}

/// Bins columns as they come, and holds none of them.
///
/// ```
/// use onesided_data::{Columns, Matrix};
/// use onesided_trees::{Binned, BinnedBuilder};
/// use std::borrow::Cow;
///
/// let column = |values: &[f32]| Matrix::new(3, 1, values.to_vec());
/// let mut builder = BinnedBuilder::new(3, None)?;
/// // The second column of the table, and then the first.
/// builder.push(&[1], &Columns::numbers(Cow::Owned(column(&[5.0, 6.0, 5.0])?)), 1)?;
/// builder.push(&[0], &Columns::numbers(Cow::Owned(column(&[1.0, 2.0, 3.0])?)), 1)?;
/// let binned = builder.finish()?;
/// assert_eq!((binned.rows(), binned.features()), (3, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BinnedBuilder {
    rows: usize,
    bytes: ByteColumns,
    /// Each feature with the number of its column.
    features: Vec<(usize, Feature)>,
    /// Codes of those that have more levels than bins.
    codes: Vec<Option<Arc<Codes>>>,
}

impl BinnedBuilder {
    /// For this many rows. The temporary file is in `folder`, or where the system has such files.
    pub fn new(rows: usize, folder: Option<&std::path::Path>) -> Result<Self, TreesError> {
        let bytes = ByteColumns::new(rows, folder).map_err(temporary)?;
        Ok(Self { rows, bytes, features: Vec::new(), codes: Vec::new() })
    }

    /// The next columns, each with the number of the table's column that it belongs to, with this many threads; 0 is all
    /// there are. Edges are those that [`Binned::of_columns`] gives them.
    pub fn push(&mut self, numbers: &[usize], columns: &Columns, threads: usize) -> Result<(), TreesError> {
        let (rows, cols) = (columns.matrix.rows(), columns.matrix.cols());
        if rows != self.rows {
            return Err(TreesError::Length { what: "rows in a column", expected: self.rows, found: rows });
        }
        if numbers.len() != cols {
            let what = "numbers of columns";
            return Err(TreesError::Length { what, expected: cols, found: numbers.len() });
        }
        for (col, &number) in numbers.iter().enumerate() {
            let feature = feature_of(columns, col)?;
            let bins = bin_column(columns, col, &feature, threads);
            self.bytes.push(&bins).map_err(temporary)?;
            self.codes.push(Codes::of(columns, col, &feature));
            self.features.push((number, feature));
        }
        Ok(())
    }

    /// The rows, with features in the order of the table's columns.
    pub fn finish(self) -> Result<Binned, TreesError> {
        let Self { rows, mut bytes, features, mut codes } = self;
        let mut order: Vec<usize> = (0..features.len()).collect();
        order.sort_by_key(|&at| features[at].0);
        let mut features: Vec<Option<Feature>> =
            features.into_iter().map(|(_, feature)| Some(feature)).collect();
        let sorted: Vec<Feature> = order.iter().filter_map(|&at| features[at].take()).collect();
        let width = sorted.len();
        let all: Vec<u32> = (0..width as u32).collect();
        let groups = groups_of(&all, |feature| sorted[feature].value_bins());
        // Groups are written one behind the other, without gaps.
        let mut places = vec![0; width];
        let in_row = groups.iter().flat_map(|group| &group.features);
        in_row.enumerate().for_each(|(place, &feature)| places[feature as usize] = place);
        let mut packed = vec![0u8; rows * width + BEHIND];
        for start in (0..rows).step_by(ROWS_AT_ONCE) {
            let some = start..rows.min(start + ROWS_AT_ONCE);
            for (feature, &column) in order.iter().enumerate() {
                let column = bytes.read(column, some.clone()).map_err(temporary)?;
                let cells = packed[some.start * width + places[feature]..].iter_mut().step_by(width);
                cells.zip(column).for_each(|(cell, &bin)| *cell = bin);
            }
        }
        let codes = order.iter().map(|&at| codes[at].take()).collect();
        let packed = Binned::packed(rows, sorted, PackedRows { bytes: packed, width, places });
        Ok(packed.with_codes(codes))
    }
}

fn temporary(cause: io::Error) -> TreesError {
    TreesError::Temporary(cause.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Boosting, HeldOut, TreesConfig};
    use onesided_data::{ColumnKind, Matrix, Stream};
    use std::borrow::Cow;

    /// Numbers, flags, categories, many of them, and missing cells: eleven columns, of three sizes of histogram.
    fn table(rows: usize) -> Columns<'static> {
        let mut stream = Stream::new(3, "table");
        let mut values = Vec::with_capacity(11 * rows);
        for _ in 0..rows {
            for col in 0..11 {
                values.push(match col {
                    0 | 4 => f32::from(u8::from(stream.uniform() < 0.3)),
                    7 => (stream.uniform() * 40.0).floor() as f32,
                    9 => (stream.uniform() * 700.0).floor() as f32,
                    _ if stream.uniform() < 0.05 => f32::NAN,
                    _ => stream.normal() as f32,
                });
            }
        }
        let mut kinds = vec![ColumnKind::Numbers; 11];
        kinds[7] = ColumnKind::Categories { levels: 40 };
        kinds[9] = ColumnKind::Categories { levels: 700 };
        Columns { matrix: Cow::Owned(Matrix::new(rows, 11, values).unwrap()), kinds }
    }

    fn packed(columns: &Columns) -> Binned {
        let rows = columns.matrix.rows();
        let mut builder = BinnedBuilder::new(rows, None).unwrap();
        // The last column comes first.
        for col in (0..columns.kinds.len()).rev() {
            let cells = (0..rows).map(|row| columns.matrix.row(row)[col]).collect();
            let one = Columns {
                matrix: Cow::Owned(Matrix::new(rows, 1, cells).unwrap()),
                kinds: vec![columns.kinds[col]],
            };
            builder.push(&[col], &one, 0).unwrap();
        }
        builder.finish().unwrap()
    }

    #[test]
    fn cells_are_those_of_columns_in_memory() {
        let columns = table(70_000);
        let (held, packed) = (Binned::of_columns(&columns, 1).unwrap(), packed(&columns));
        assert_eq!((packed.rows(), packed.features()), (70_000, 11));
        for feature in 0..11 {
            assert_eq!(packed.kind(feature), held.kind(feature));
            let same = |row: u32| packed.feature(feature).at(row) == held.feature(feature).at(row);
            assert!((0..70_000).all(same), "feature {feature}");
        }
    }

    #[test]
    fn trees_are_the_same_to_the_bit() {
        let columns = table(3_000);
        let (held, packed) = (Binned::of_columns(&columns, 1).unwrap(), packed(&columns));
        let training: Vec<u32> = (0..3_000).filter(|row| row % 5 != 0).collect();
        let others: Vec<u32> = (0..3_000).filter(|row| row % 5 == 0).collect();
        for (column_share, threads) in [(0.8, 1), (0.8, 2), (0.3, 1)] {
            let config =
                TreesConfig { trees: 20, row_share: 0.7, column_share, threads, ..TreesConfig::default() };
            let grown = |binned: &Binned| {
                let boosting = Boosting { binned, training: &training, start: 0.1, config: &config };
                let goal = |row: u32| {
                    let row = columns.matrix.row(row as usize);
                    f64::from(row[0] + if row[1].is_nan() { 0.5 } else { row[1] }) + f64::from(row[7]).sin()
                };
                let mut derivatives = |scores: &[f64], of_rows: &mut [(f32, f32)]| {
                    for ((of_row, score), &row) in of_rows.iter_mut().zip(scores).zip(&training) {
                        *of_row = ((score - goal(row)) as f32, 1.0);
                    }
                };
                let mut judge = |scores: &[f64]| {
                    scores.iter().zip(&others).map(|(score, &row)| (score - goal(row)).powi(2)).sum::<f64>()
                };
                let held_out = Some(HeldOut { rows: &others, judge: &mut judge });
                let boosted = boosting.run(&mut derivatives, held_out, &mut |_| true).unwrap();
                let logits = boosted.model.logits_of(binned, &others).unwrap();
                (boosted, logits)
            };
            // Once as they are, and once with many levels in an order.
            let labels = |row: u32| row.is_multiple_of(3);
            let in_order = |binned: &Binned| binned.ordered(&training, labels, 5).unwrap().unwrap();
            assert_eq!(grown(&in_order(&held)), grown(&in_order(&packed)));
            let (one, other) = (grown(&held), grown(&packed));
            assert!(one.0.model.trees().len() > 5);
            assert_eq!(one, other, "column share {column_share}, {threads} threads");
        }
    }

    #[test]
    fn columns_of_another_length_are_refused() {
        let mut builder = BinnedBuilder::new(3, None).unwrap();
        let two = Columns::numbers(Cow::Owned(Matrix::new(2, 1, vec![1.0, 2.0]).unwrap()));
        let error = builder.push(&[0], &two, 1).unwrap_err().to_string();
        assert!(error.contains("rows in a column"), "{error}");
        let infinite =
            Columns::numbers(Cow::Owned(Matrix::new(3, 1, vec![1.0, f32::INFINITY, 2.0]).unwrap()));
        let error = builder.push(&[0], &infinite, 1).unwrap_err().to_string();
        assert_eq!(error, "row 2, feature 1: an infinite value cannot be sorted into a bin");
    }
}
