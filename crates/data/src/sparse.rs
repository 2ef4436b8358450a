//! A sparse matrix of `f32` in compressed rows (CSR): what texts become.
//!
//! Row i holds the entries `starts[i]..starts[i + 1]` of two parallel lists, its column numbers in ascending order and
//! their values. Columns that are not listed are zero.

use crate::{DataError, Matrix};
use serde::{Deserialize, Serialize};

/// Rows of equal width of which only some columns are stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct SparseMatrix {
    cols: usize,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

/// A matrix as it was stored, before anyone looked whether its parts fit together.
#[derive(Deserialize)]
struct Parts {
    cols: usize,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f32>,
}

impl TryFrom<Parts> for SparseMatrix {
    type Error = DataError;

    fn try_from(parts: Parts) -> Result<Self, DataError> {
        Self::new(parts.cols, parts.starts, parts.columns, parts.values)
    }
}

impl SparseMatrix {
    /// A matrix of `cols` columns over the three lists, which must fit together: `starts` runs from 0 to the number of
    /// entries, and the columns of each row ascend.
    pub fn new(
        cols: usize,
        starts: Vec<usize>,
        columns: Vec<u32>,
        values: Vec<f32>,
    ) -> Result<Self, DataError> {
        let refused = |detail: String| DataError::SparseParts { detail };
        if starts.first() != Some(&0) || starts.last() != Some(&columns.len()) || !starts.is_sorted() {
            return Err(refused(format!("the row starts do not run from 0 to {}", columns.len())));
        }
        if columns.len() != values.len() {
            return Err(refused(format!("there are {} columns for {} values", columns.len(), values.len())));
        }
        for (row, ends) in starts.windows(2).enumerate() {
            let columns = &columns[ends[0]..ends[1]];
            if columns.windows(2).any(|pair| pair[0] >= pair[1]) {
                return Err(refused(format!("the columns of row {row} do not ascend")));
            }
            if let Some(&last) = columns.last().filter(|&&last| last as usize >= cols) {
                return Err(refused(format!("row {row} has a value in column {last} of {cols}")));
            }
        }
        Ok(Self { cols, starts, columns, values })
    }

    /// The entries of a dense matrix that are not zero.
    pub fn from_dense(dense: &Matrix) -> Self {
        let mut sparse = Self::empty(dense.cols());
        (0..dense.rows()).for_each(|row| {
            let entries = dense.row(row).iter().enumerate();
            sparse.push(
                entries.filter(|(_, value)| **value != 0.0).map(|(column, &value)| (column as u32, value)),
            );
        });
        sparse
    }

    /// No rows yet, of `cols` columns.
    pub(crate) fn empty(cols: usize) -> Self {
        Self { cols, starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }

    /// Appends a row, whose columns must ascend and lie below the width.
    pub(crate) fn push(&mut self, entries: impl Iterator<Item = (u32, f32)>) {
        for (column, value) in entries {
            debug_assert!((column as usize) < self.cols);
            self.columns.push(column);
            self.values.push(value);
        }
        self.starts.push(self.columns.len());
    }

    /// Appends all rows of `other`. Panics if it has another width.
    pub fn append(&mut self, other: &SparseMatrix) {
        assert_eq!(self.cols, other.cols, "rows of one width");
        let before = self.columns.len();
        self.starts.extend(other.starts[1..].iter().map(|start| before + start));
        self.columns.extend_from_slice(&other.columns);
        self.values.extend_from_slice(&other.values);
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many columns a row has, stored or not.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// How many rows store nothing.
    pub fn empty_rows(&self) -> usize {
        self.starts.windows(2).filter(|ends| ends[0] == ends[1]).count()
    }

    /// How many entries are stored, in all rows together.
    pub fn stored(&self) -> usize {
        self.columns.len()
    }

    /// The stored columns of row `i`, ascending, and their values. Panics if there is no such row, as indexing a slice
    /// does.
    #[inline] // solvers of other crates ask for every row in every pass
    pub fn row(&self, i: usize) -> (&[u32], &[f32]) {
        let entries = self.starts[i]..self.starts[i + 1];
        (&self.columns[entries.clone()], &self.values[entries])
    }

    /// The rows at `indices`, in that order. Panics if one of them does not exist, as indexing a slice does.
    pub fn select(&self, indices: &[usize]) -> SparseMatrix {
        let mut selected = Self::empty(self.cols);
        let entries = indices.iter().map(|&i| self.starts[i + 1] - self.starts[i]).sum();
        selected.columns.reserve(entries);
        selected.values.reserve(entries);
        for &i in indices {
            let (columns, values) = self.row(i);
            selected.columns.extend_from_slice(columns);
            selected.values.extend_from_slice(values);
            selected.starts.push(selected.columns.len());
        }
        selected
    }

    /// The columns at `columns`, in that order, as a dense matrix.
    pub fn to_dense(&self, columns: &[u32]) -> Result<Matrix, DataError> {
        if let Some(&column) = columns.iter().find(|&&column| column as usize >= self.cols) {
            let detail = format!("there is no column {column} among {}", self.cols);
            return Err(DataError::SparseParts { detail });
        }
        // Where a column goes, for all its copies: a list per column of the matrix would be mostly empty.
        let mut places: Vec<(u32, usize)> =
            columns.iter().enumerate().map(|(to, &column)| (column, to)).collect();
        places.sort_unstable();
        let mut dense = Matrix::zeros(self.rows(), columns.len())?;
        let width = columns.len();
        for i in 0..self.rows() {
            let (stored, values) = self.row(i);
            let row = &mut dense.as_mut_slice()[i * width..(i + 1) * width];
            for (column, &value) in stored.iter().zip(values) {
                let first = places.partition_point(|(there, _)| there < column);
                let same = places[first..].iter().take_while(|(there, _)| there == column);
                same.for_each(|&(_, to)| row[to] = value);
            }
        }
        Ok(dense)
    }

    /// Refuses NaN and infinities, and says where the first one is; columns are named by `name`.
    pub fn check_finite(&self, name: impl Fn(usize) -> String) -> Result<(), DataError> {
        match self.values.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(at) => Err(DataError::NotFiniteValue {
                column: name(self.columns[at] as usize),
                row: self.starts.partition_point(|&start| start <= at),
                value: f64::from(self.values[at]),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [[0, 5, 0, 7], [0, 0, 0, 0], [1, 0, 2, 0]]
    fn three() -> SparseMatrix {
        SparseMatrix::new(4, vec![0, 2, 2, 4], vec![1, 3, 0, 2], vec![5.0, 7.0, 1.0, 2.0]).unwrap()
    }

    #[test]
    fn rows_columns_and_back() {
        let sparse = three();
        assert_eq!((sparse.rows(), sparse.cols(), sparse.stored()), (3, 4, 4));
        assert_eq!(sparse.row(0), ([1, 3].as_slice(), [5.0, 7.0].as_slice()));
        assert_eq!(sparse.row(1), ([].as_slice(), [].as_slice()));
        let dense = sparse.to_dense(&[0, 1, 2, 3]).unwrap();
        assert_eq!(dense.as_slice(), [0.0, 5.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0]);
        assert_eq!(SparseMatrix::from_dense(&dense), sparse);
        // In any order, with copies.
        assert_eq!(
            sparse.to_dense(&[3, 0, 3]).unwrap().as_slice(),
            [7.0, 0.0, 7.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        );
    }

    #[test]
    fn selected_and_appended_rows() {
        let mut twice = three().select(&[2, 0]);
        assert_eq!(twice.to_dense(&[0, 1]).unwrap().as_slice(), [1.0, 0.0, 0.0, 5.0]);
        twice.append(&three());
        assert_eq!(twice, three().select(&[2, 0]).select(&[0, 1]).clone_with(&three()));
        assert_eq!(twice.rows(), 5);
        assert_eq!(twice.row(4), three().row(2));
    }

    impl SparseMatrix {
        fn clone_with(mut self, more: &SparseMatrix) -> Self {
            self.append(more);
            self
        }
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let message = |starts: &[usize], columns: &[u32]| {
            SparseMatrix::new(2, starts.to_vec(), columns.to_vec(), vec![1.0; 2]).unwrap_err().to_string()
        };
        assert!(message(&[], &[0, 1]).contains("the row starts do not run from 0 to 2"));
        assert!(message(&[0, 1], &[0, 1]).contains("the row starts"));
        assert!(message(&[0, 2, 1, 2], &[0, 1]).contains("the row starts"));
        assert!(message(&[0, 1], &[0]).contains("there are 1 columns for 2 values"));
        assert!(message(&[0, 0, 2], &[1, 0]).contains("the columns of row 1 do not ascend"));
        assert!(message(&[0, 2], &[0, 2]).contains("row 0 has a value in column 2 of 2"));
        assert!(three().to_dense(&[4]).unwrap_err().to_string().contains("there is no column 4 among 4"));
    }

    #[test]
    fn stored_and_read_again() {
        let json = serde_json::to_string(&three()).unwrap();
        assert_eq!(serde_json::from_str::<SparseMatrix>(&json).unwrap(), three());
        assert!(serde_json::from_str::<SparseMatrix>(&json.replace("[1,3,0,2]", "[1,9,0,2]")).is_err());
    }

    #[test]
    fn a_value_that_is_not_finite_is_located() {
        let mut sparse = three();
        assert!(sparse.check_finite(|_| String::new()).is_ok());
        sparse.values[2] = f32::NAN;
        let error = sparse.check_finite(|column| format!("x{column}")).unwrap_err().to_string();
        assert!(error.starts_with("column 'x0', row 3: NaN is not a finite number"), "{error}");
    }
}
