//! Rows to learn from or to score: a dense matrix, or a sparse one.
//!
//! Tables are dense, texts are sparse: one text has a few hundred of a hundred thousand terms. Classic systems take
//! either as it is. Networks take dense rows, so for them sparse ones are written out, within [`MOST_VALUES`].

use crate::Error;
use onesided_data::{DataError, Matrix, SparseMatrix};
use std::borrow::Cow;

/// Values that sparse rows may be written out to for a network: 2³⁰ of them take 4 GiB.
pub const MOST_VALUES: usize = 1 << 30;

/// Rows of one width.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// Every value is stored.
    Dense(&'a Matrix),
    /// Zeros are left out.
    Sparse(&'a SparseMatrix),
}

impl<'a> From<&'a Matrix> for Rows<'a> {
    fn from(matrix: &'a Matrix) -> Self {
        Rows::Dense(matrix)
    }
}

impl<'a> From<&'a SparseMatrix> for Rows<'a> {
    fn from(matrix: &'a SparseMatrix) -> Self {
        Rows::Sparse(matrix)
    }
}

impl<'a> Rows<'a> {
    /// How many rows there are.
    pub fn rows(self) -> usize {
        self.as_classic().rows()
    }

    /// How many columns a row has.
    pub fn cols(self) -> usize {
        self.as_classic().cols()
    }

    /// As the classic systems see them.
    pub(crate) fn as_classic(self) -> &'a dyn onesided_classic::Rows {
        match self {
            Rows::Dense(matrix) => matrix,
            Rows::Sparse(matrix) => matrix,
        }
    }

    /// Refuses NaN and infinities, and says where the first one is; columns are named by `name`.
    pub(crate) fn check_finite(self, name: impl Fn(usize) -> String) -> Result<(), DataError> {
        match self {
            Rows::Dense(matrix) => matrix.check_finite(name),
            Rows::Sparse(matrix) => matrix.check_finite(name),
        }
    }

    /// As a network takes them.
    pub(crate) fn dense(self) -> Result<Cow<'a, Matrix>, Error> {
        match self {
            Rows::Dense(matrix) => Ok(Cow::Borrowed(matrix)),
            Rows::Sparse(matrix) => written_out(matrix).map(Cow::Owned),
        }
    }
}

/// All columns of sparse rows as a dense matrix.
pub(crate) fn written_out(matrix: &SparseMatrix) -> Result<Matrix, Error> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    if rows.saturating_mul(cols) > MOST_VALUES {
        return Err(Error::TooWide { rows, cols, limit: MOST_VALUES });
    }
    Ok(matrix.to_dense(&(0..cols as u32).collect::<Vec<_>>())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_rows_are_the_same_rows() {
        let dense = Matrix::new(2, 3, vec![0.0, 1.0, 0.0, 2.0, 0.0, 3.0]).unwrap();
        let sparse = SparseMatrix::from_dense(&dense);
        let rows = Rows::from(&sparse);
        assert_eq!((rows.rows(), rows.cols()), (2, 3));
        assert_eq!(*rows.dense().unwrap(), dense);
        assert!(matches!(Rows::from(&dense).dense().unwrap(), Cow::Borrowed(_)));
    }

    #[test]
    fn rows_that_would_fill_the_memory_are_refused() {
        let wide = SparseMatrix::new(1 << 30, vec![0; 3], Vec::new(), Vec::new()).unwrap();
        assert_eq!(
            Rows::from(&wide).dense().unwrap_err().to_string(),
            "2 rows of 1073741824 terms are too much for a network, which takes 1073741824 values in all; keep fewer terms \
             (--max-terms), or use a classic method, which keeps rows sparse"
        );
    }
}
