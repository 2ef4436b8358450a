//! Rows among which the cells of one column have changed places: what a model makes of them says how much it counts on it.

use super::Dataset;
use crate::{DataError, Matrix, MissingCells, SparseMatrix, Store};
use std::ops::Range;

impl Dataset {
    /// The same rows, but for the encoded `columns`: there row i has what row `order[i]` has. Pictures have no columns.
    pub fn permuted(&self, columns: Range<usize>, order: &[usize]) -> Result<Dataset, DataError> {
        self.check_length("places", order.len())?;
        let rows = match &self.rows {
            Store::Dense(matrix) => {
                let mut moved: Matrix = matrix.clone();
                let wide = matrix.cols();
                for (row, &from) in order.iter().enumerate() {
                    let place = row * wide + columns.start..row * wide + columns.end;
                    moved.as_mut_slice()[place].copy_from_slice(&matrix.row(from)[columns.clone()]);
                }
                Store::Dense(moved)
            }
            Store::Sparse(matrix) => {
                let mut moved = SparseMatrix::empty(matrix.cols());
                for (row, &from) in order.iter().enumerate() {
                    let entries = |row: usize| {
                        let (columns, values) = matrix.row(row);
                        columns.iter().copied().zip(values.iter().copied())
                    };
                    let at = |column: u32| column as usize;
                    let before = entries(row).filter(|entry| at(entry.0) < columns.start);
                    let inside = entries(from).filter(|entry| columns.contains(&at(entry.0)));
                    let behind = entries(row).filter(|entry| at(entry.0) >= columns.end);
                    moved.push(before.chain(inside).chain(behind));
                }
                Store::Sparse(moved)
            }
            Store::Bytes(_) | Store::Away { .. } => return Err(DataError::OtherEncoding),
        };
        let elsewhere = self.missing.select(order);
        let mut missing = MissingCells::default();
        for column in 0..self.rows.cols() {
            let of = if columns.contains(&column) { &elsewhere } else { &self.missing };
            missing.note(column, self.len(), of.rows_of(column));
        }
        let mut moved = self.without_rows();
        (moved.rows, moved.missing) = (rows, missing);
        Ok(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FeatureOptions, read_csv_bytes};

    fn table(csv: &str) -> Dataset {
        Dataset::from_frame(read_csv_bytes(csv.as_bytes()).unwrap(), &FeatureOptions::default()).unwrap()
    }

    #[test]
    fn one_column_moves_with_its_holes_and_the_others_stay() {
        let data = table("x,color,y\n1,red,5\n,blue,6\n3,red,\n4,green,8\n");
        let moved = data.permuted(0..1, &[1, 2, 3, 0]).unwrap();
        let (before, after) = (data.columns().unwrap().matrix, moved.columns().unwrap().matrix);
        for row in 0..4 {
            let (from, to) = (before.row((row + 1) % 4)[0], after.row(row)[0]);
            assert!(from == to || (from.is_nan() && to.is_nan()), "row {row}");
            assert_eq!(before.row(row)[1], after.row(row)[1]);
            assert_eq!(before.row(row)[2].to_bits(), after.row(row)[2].to_bits());
        }
    }

    #[test]
    fn sparse_rows_move_as_dense_ones_do() {
        let rows: String = (0..4_000).map(|i| format!("c{:04},{}\n", i % 1_200, i % 7)).collect();
        let data = table(&format!("level,x\n{rows}"));
        assert!(matches!(data.rows(), Store::Sparse(_)));
        let order: Vec<usize> = (0..4_000).rev().collect();
        let moved = data.permuted(0..1_200, &order).unwrap();
        let (before, after) = (data.columns().unwrap().matrix, moved.columns().unwrap().matrix);
        assert_eq!((after.row(1)[0], after.row(1)[1]), (before.row(3_998)[0], before.row(1)[1]));
    }
}
