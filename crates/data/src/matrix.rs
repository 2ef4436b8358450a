//! A dense matrix of `f32`, row after row.

use crate::{DataError, check_memory};

/// Refuses a matrix that there is no memory for.
pub(crate) fn check_values(rows: usize, cols: usize) -> Result<(), DataError> {
    let values = rows.saturating_mul(cols) as u64;
    Ok(check_memory(|| format!("{rows} rows of {cols} columns"), values.saturating_mul(4))?)
}

/// The bits of a number but for its sign, and those of infinity; NaN has larger ones.
const MAGNITUDE: u32 = 0x7fff_ffff;
const INFINITY: u32 = 0x7f80_0000;

/// Rows of equal width in one buffer, row-major.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<f32>,
}

impl Matrix {
    /// A matrix of `rows` × `cols` over `data`, which must have exactly as many values.
    pub fn new(rows: usize, cols: usize, data: Vec<f32>) -> Result<Self, DataError> {
        if rows.checked_mul(cols) != Some(data.len()) {
            return Err(DataError::Shape { rows, cols, len: data.len() });
        }
        Ok(Self { rows, cols, data })
    }

    /// A matrix of zeros.
    pub(crate) fn zeros(rows: usize, cols: usize) -> Result<Self, DataError> {
        let len = rows.checked_mul(cols).ok_or(DataError::Shape { rows, cols, len: 0 })?;
        check_values(rows, cols)?;
        Self::new(rows, cols, vec![0.0; len])
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many values a row has.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The values of row `i`. Panics if there is no such row, as indexing a slice does.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.data[i * self.cols..(i + 1) * self.cols]
    }

    /// The values of column `col`. Panics if there is no such column, as indexing a slice does.
    pub(crate) fn column(&self, col: usize) -> Vec<f32> {
        (0..self.rows).map(|row| self.data[row * self.cols + col]).collect()
    }

    /// All values, row after row.
    pub fn as_slice(&self) -> &[f32] {
        &self.data
    }

    /// All values, row after row, to change in place.
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        &mut self.data
    }

    /// The buffer.
    pub fn into_vec(self) -> Vec<f32> {
        self.data
    }

    /// The rows at `indices`, in that order. Panics if one of them does not exist, as indexing a slice does.
    pub fn select(&self, indices: &[usize]) -> Matrix {
        let mut data = Vec::with_capacity(indices.len() * self.cols);
        indices.iter().for_each(|&i| data.extend_from_slice(self.row(i)));
        Matrix { rows: indices.len(), cols: self.cols, data }
    }

    /// Refuses NaN and infinities, and says where the first one is; columns are named by `name`.
    pub fn check_finite(&self, name: impl Fn(usize) -> String) -> Result<(), DataError> {
        // Nearly always all are, which is quicker to see for many at once: no exponent is the largest.
        let largest =
            |some: &[f32]| some.iter().fold(0, |most, value| (value.to_bits() & MAGNITUDE).max(most));
        if self.data.chunks(4096).all(|some| largest(some) < INFINITY) {
            return Ok(());
        }
        match self.data.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(at) => Err(DataError::NotFiniteValue {
                column: name(at % self.cols),
                row: at / self.cols + 1,
                value: f64::from(self.data[at]),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_finite_is_found_wherever_it_is() {
        for value in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for at in [0, 4095, 4096, 9_999] {
                let mut values = vec![f32::MAX; 10_000];
                values[at] = value;
                let error = Matrix::new(5_000, 2, values).unwrap().check_finite(|col| col.to_string());
                let Err(DataError::NotFiniteValue { column, row, .. }) = error else { panic!("{value}") };
                assert_eq!((column, row), ((at % 2).to_string(), at / 2 + 1));
            }
        }
        assert!(
            Matrix::new(1, 3, vec![f32::MAX, f32::MIN, -0.0])
                .unwrap()
                .check_finite(|_| String::new())
                .is_ok()
        );
    }

    #[test]
    fn rows_lie_one_after_another() {
        let matrix = Matrix::new(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        assert_eq!(matrix.row(1), [4.0, 5.0, 6.0]);
        assert_eq!(matrix.select(&[1, 0, 1]).as_slice(), [4.0, 5.0, 6.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn the_buffer_must_fit() {
        let error = Matrix::new(2, 3, vec![0.0; 5]).unwrap_err();
        assert_eq!(error.to_string(), "a matrix of 2 x 3 needs as many values, but 5 were given");
        assert!(Matrix::new(usize::MAX, 2, Vec::new()).is_err());
        assert!(Matrix::zeros(usize::MAX, 2).is_err());
    }

    #[test]
    fn a_value_that_is_not_finite_is_located() {
        let matrix = Matrix::new(2, 2, vec![0.0, 1.0, 2.0, f32::INFINITY]).unwrap();
        let error = matrix.check_finite(|col| format!("x{col}")).unwrap_err().to_string();
        assert!(error.starts_with("column 'x1', row 2: inf is not a finite number"), "{error}");
    }
}
