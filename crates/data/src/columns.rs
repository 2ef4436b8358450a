//! Rows as trees see them: a number for each column of the table, a category as its code, nothing filled in.

use crate::Matrix;
use std::borrow::Cow;

/// What the numbers of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Numbers, which have an order.
    Numbers,
    /// Codes of categories, from 0 and below `levels`, which have none.
    Categories {
        /// How many there are.
        levels: u32,
    },
}

/// Rows with a number per column, NaN where it is missing (or a category that training never saw).
#[derive(Clone, Debug)]
pub struct Columns<'d> {
    /// The numbers.
    pub matrix: Cow<'d, Matrix>,
    /// What they are, column by column.
    pub kinds: Vec<ColumnKind>,
}

impl<'d> Columns<'d> {
    /// A matrix of nothing but numbers.
    pub fn numbers(matrix: Cow<'d, Matrix>) -> Self {
        let kinds = vec![ColumnKind::Numbers; matrix.cols()];
        Self { matrix, kinds }
    }
}

/// Which cells of which columns were missing, a bit for each row of a column that has any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingCells {
    columns: Vec<(usize, Vec<u64>)>,
}

impl MissingCells {
    /// Notes the missing cells of a column of the encoded matrix. Columns come in ascending order.
    pub(crate) fn note(&mut self, column: usize, rows: usize, missing: impl Iterator<Item = usize>) {
        let mut missing = missing.peekable();
        if missing.peek().is_none() {
            return;
        }
        let mut bits = vec![0u64; rows.div_ceil(64)];
        missing.for_each(|row| bits[row / 64] |= 1 << (row % 64));
        self.columns.push((column, bits));
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The rows at which a column has no value.
    pub fn rows_of(&self, column: usize) -> impl Iterator<Item = usize> {
        let found = self.columns.binary_search_by_key(&column, |(column, _)| *column).ok();
        let words = found.map_or(&[][..], |at| &self.columns[at].1[..]);
        words.iter().enumerate().flat_map(|(word, &bits)| {
            (0..64).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| 64 * word + bit)
        })
    }

    /// Those of some rows, in their order.
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        let mut some = Self::default();
        for (column, bits) in &self.columns {
            let there = |&(_, &row): &(usize, &usize)| bits[row / 64] >> (row % 64) & 1 == 1;
            some.note(*column, rows.len(), rows.iter().enumerate().filter(there).map(|(at, _)| at));
        }
        some
    }

    /// Those of one list of rows and of another behind it.
    pub(crate) fn concat(&self, rows: usize, other: &Self, more: usize) -> Self {
        let mut columns: Vec<usize> = self.columns.iter().chain(&other.columns).map(|(at, _)| *at).collect();
        columns.sort_unstable();
        columns.dedup();
        let mut all = Self::default();
        for column in columns {
            let behind = other.rows_of(column).map(|row| rows + row);
            all.note(column, rows + more, self.rows_of(column).chain(behind));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_noted_selected_and_joined() {
        let mut cells = MissingCells::default();
        cells.note(1, 130, [0, 64, 129].into_iter());
        cells.note(3, 130, std::iter::empty());
        assert_eq!(cells.rows_of(1).collect::<Vec<_>>(), [0, 64, 129]);
        assert_eq!((cells.rows_of(0).count(), cells.rows_of(3).count()), (0, 0));
        let some = cells.select(&[129, 5, 64]);
        assert_eq!(some.rows_of(1).collect::<Vec<_>>(), [0, 2]);
        let both = some.concat(3, &cells, 130);
        assert_eq!(both.rows_of(1).collect::<Vec<_>>(), [0, 2, 3, 67, 132]);
        assert!(cells.select(&[5]).is_empty());
    }
}
