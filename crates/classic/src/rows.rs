//! Rows to learn from, dense or sparse, behind one small trait.
//!
//! Solvers ask a row for its product with a vector and for being added to one; the rest is theirs. A call through the
//! trait costs a few nanoseconds, a row of a text a few hundred, so solvers are compiled once and not once a format.

use crate::ClassicError;
use crate::threads::in_blocks;
use onesided_data::{Matrix, SparseMatrix};
use std::borrow::Cow;

/// Rows of numbers of one width.
pub trait Rows: Sync {
    /// How many rows there are.
    fn rows(&self) -> usize;

    /// How many columns a row has.
    fn cols(&self) -> usize;

    /// The product of row `i` with a vector as long as a row.
    fn dot(&self, i: usize, vector: &[f64]) -> f64;

    /// Adds `scale` times row `i` to a vector as long as a row.
    fn add_to(&self, i: usize, scale: f64, sum: &mut [f64]);

    /// The squared Euclidean length of row `i`.
    fn squared_length(&self, i: usize) -> f64;

    /// Shows the values of row `i` with their columns, ascending; zeros may be left out.
    fn each(&self, i: usize, visit: &mut dyn FnMut(usize, f32));

    /// How many values are stored, which is what a pass over all rows costs.
    fn stored(&self) -> usize;
}

/// As many sums side by side as keep the adders busy.
const LANES: usize = 8;

impl Rows for Matrix {
    fn rows(&self) -> usize {
        Matrix::rows(self)
    }

    fn cols(&self) -> usize {
        Matrix::cols(self)
    }

    fn dot(&self, i: usize, vector: &[f64]) -> f64 {
        let row = self.row(i);
        let mut sums = [0.0; LANES];
        let (rows, vectors) = (row.chunks_exact(LANES), vector[..row.len()].chunks_exact(LANES));
        let rest: f64 =
            rows.remainder().iter().zip(vectors.remainder()).map(|(&x, v)| f64::from(x) * v).sum();
        for (x, v) in rows.zip(vectors) {
            for lane in 0..LANES {
                sums[lane] += f64::from(x[lane]) * v[lane];
            }
        }
        sums.iter().sum::<f64>() + rest
    }

    fn add_to(&self, i: usize, scale: f64, sum: &mut [f64]) {
        sum.iter_mut().zip(self.row(i)).for_each(|(sum, &x)| *sum += scale * f64::from(x));
    }

    fn squared_length(&self, i: usize) -> f64 {
        self.row(i).iter().map(|&x| f64::from(x) * f64::from(x)).sum()
    }

    fn each(&self, i: usize, visit: &mut dyn FnMut(usize, f32)) {
        self.row(i).iter().enumerate().for_each(|(column, &value)| visit(column, value));
    }

    fn stored(&self) -> usize {
        self.as_slice().len()
    }
}

impl Rows for SparseMatrix {
    fn rows(&self) -> usize {
        SparseMatrix::rows(self)
    }

    fn cols(&self) -> usize {
        SparseMatrix::cols(self)
    }

    fn dot(&self, i: usize, vector: &[f64]) -> f64 {
        let (columns, values) = self.row(i);
        let mut sums = [0.0; 4];
        let (c, v) = (columns.chunks_exact(4), values.chunks_exact(4));
        let rest = c.remainder().iter().zip(v.remainder());
        let rest: f64 = rest.map(|(&column, &x)| f64::from(x) * vector[column as usize]).sum();
        for (columns, values) in c.zip(v) {
            for lane in 0..4 {
                sums[lane] += f64::from(values[lane]) * vector[columns[lane] as usize];
            }
        }
        sums.iter().sum::<f64>() + rest
    }

    fn add_to(&self, i: usize, scale: f64, sum: &mut [f64]) {
        let (columns, values) = self.row(i);
        columns.iter().zip(values).for_each(|(&column, &x)| sum[column as usize] += scale * f64::from(x));
    }

    fn squared_length(&self, i: usize) -> f64 {
        self.row(i).1.iter().map(|&x| f64::from(x) * f64::from(x)).sum()
    }

    fn each(&self, i: usize, visit: &mut dyn FnMut(usize, f32)) {
        let (columns, values) = self.row(i);
        columns.iter().zip(values).for_each(|(&column, &value)| visit(column as usize, value));
    }

    fn stored(&self) -> usize {
        SparseMatrix::stored(self)
    }
}

/// Some rows of others, in any order and as often as one likes, without copying them.
pub struct Selected<'a> {
    rows: &'a dyn Rows,
    indices: Cow<'a, [usize]>,
}

impl<'a> Selected<'a> {
    /// The rows at `indices`, each of which must exist.
    pub fn new(rows: &'a dyn Rows, indices: impl Into<Cow<'a, [usize]>>) -> Self {
        Self { rows, indices: indices.into() }
    }
}

impl Rows for Selected<'_> {
    fn rows(&self) -> usize {
        self.indices.len()
    }

    fn cols(&self) -> usize {
        self.rows.cols()
    }

    fn dot(&self, i: usize, vector: &[f64]) -> f64 {
        self.rows.dot(self.indices[i], vector)
    }

    fn add_to(&self, i: usize, scale: f64, sum: &mut [f64]) {
        self.rows.add_to(self.indices[i], scale, sum);
    }

    fn squared_length(&self, i: usize) -> f64 {
        self.rows.squared_length(self.indices[i])
    }

    fn each(&self, i: usize, visit: &mut dyn FnMut(usize, f32)) {
        self.rows.each(self.indices[i], visit);
    }

    fn stored(&self) -> usize {
        // About: as many a row as in the rows selected from.
        self.rows.stored() / self.rows.rows().max(1) * self.indices.len()
    }
}

/// Rows of which each has a weight as a positive example and one as a negative example.
///
/// A plain label is a weight and a zero. An unlabeled row of uncertain class has two weights, and stands for two
/// examples that share their values.
#[derive(Clone, Copy)]
pub struct Examples<'a> {
    pub(crate) rows: &'a dyn Rows,
    pub(crate) as_positive: &'a [f64],
    pub(crate) as_negative: &'a [f64],
}

impl<'a> Examples<'a> {
    /// Checks that there are two weights for every row, none negative, and some of each kind above zero.
    pub fn new(
        rows: &'a dyn Rows,
        as_positive: &'a [f64],
        as_negative: &'a [f64],
    ) -> Result<Self, ClassicError> {
        for (kind, weights) in [("positive", as_positive), ("negative", as_negative)] {
            if weights.len() != rows.rows() {
                return Err(ClassicError::Weights { kind, found: weights.len(), rows: rows.rows() });
            }
            if let Some(row) = weights.iter().position(|weight| !(*weight >= 0.0 && weight.is_finite())) {
                return Err(ClassicError::Weight { kind, row, value: weights[row] });
            }
            if weights.iter().all(|&weight| weight == 0.0) {
                return Err(ClassicError::NoExamples { kind });
            }
        }
        Ok(Self { rows, as_positive, as_negative })
    }
}

/// How many blocks to cut a pass into whose blocks each fill `width` numbers that are then added up: enough for the
/// cores there may be, not so many that the adding costs more than the pass.
pub(crate) fn blocks_for(rows: &dyn Rows, width: usize) -> usize {
    let worth = rows.stored() / (4 * width.max(1)).max(4096);
    1 << worth.clamp(1, 16).ilog2()
}

/// Products of all rows with a vector, plus `bias`.
pub(crate) fn products(rows: &dyn Rows, vector: &[f64], bias: f64) -> Vec<f64> {
    let blocks = blocks_for(rows, 1);
    let parts =
        in_blocks(rows.rows(), blocks, |range| range.map(|i| rows.dot(i, vector) + bias).collect::<Vec<_>>());
    parts.concat()
}

/// Σ_i scale_i row_i.
pub(crate) fn weighted_sum(rows: &dyn Rows, scales: &[f64]) -> Vec<f64> {
    let parts = in_blocks(rows.rows(), blocks_for(rows, rows.cols()), |range| {
        let mut sum = vec![0.0; rows.cols()];
        range.filter(|&i| scales[i] != 0.0).for_each(|i| rows.add_to(i, scales[i], &mut sum));
        sum
    });
    let add = |mut sum: Vec<f64>, part: Vec<f64>| {
        sum.iter_mut().zip(part).for_each(|(sum, value)| *sum += value);
        sum
    };
    parts.into_iter().reduce(add).unwrap_or_else(|| vec![0.0; rows.cols()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_sparse_and_selected_rows_agree() {
        let values: Vec<f32> =
            (0..300).map(|i| if i % 3 == 0 { (i % 17) as f32 - 8.0 } else { 0.0 }).collect();
        let dense = Matrix::new(20, 15, values).unwrap();
        let sparse = SparseMatrix::from_dense(&dense);
        let order: Vec<usize> = (0..20).rev().collect();
        let selected = Selected::new(&sparse, &order);
        let vector: Vec<f64> = (0..15).map(|k| 0.5 - k as f64).collect();
        for i in 0..20 {
            let by_hand: f64 = dense.row(i).iter().zip(&vector).map(|(&x, v)| f64::from(x) * v).sum();
            for (rows, at) in [(&dense as &dyn Rows, i), (&sparse, i), (&selected, 19 - i)] {
                assert!((rows.dot(at, &vector) - by_hand).abs() < 1e-12);
                let mut sum = vec![1.0; 15];
                rows.add_to(at, 2.0, &mut sum);
                assert!(sum.iter().zip(dense.row(i)).all(|(sum, &x)| *sum == 1.0 + 2.0 * f64::from(x)));
                let squared: f64 = dense.row(i).iter().map(|&x| f64::from(x * x)).sum();
                assert_eq!(rows.squared_length(at), squared);
                let mut seen = [0.0; 15];
                rows.each(at, &mut |column, value| seen[column] = value);
                assert_eq!(seen, dense.row(i));
            }
        }
        let sums = weighted_sum(&sparse, &[1.0; 20]);
        let by_hand: f64 = (0..20).map(|i| f64::from(dense.row(i)[3])).sum();
        assert_eq!((sums.len(), sums[3]), (15, by_hand));
        assert_eq!(products(&dense, &vector, 1.0)[7], dense.dot(7, &vector) + 1.0);
    }

    #[test]
    fn weights_are_checked_at_the_door() {
        let rows = Matrix::new(2, 1, vec![1.0, 2.0]).unwrap();
        let message = |p: &[f64], n: &[f64]| {
            Examples::new(&rows, p, n).err().map(|e| e.to_string()).unwrap_or_default()
        };
        assert_eq!(message(&[1.0], &[0.0, 1.0]), "there are 1 positive weights for 2 rows");
        assert_eq!(
            message(&[1.0, 0.0], &[0.0, -1.0]),
            "the negative weight of row 1 is -1, but a weight is a finite number of at least 0"
        );
        assert!(message(&[f64::NAN, 0.0], &[0.0, 1.0]).contains("is NaN"));
        assert_eq!(message(&[0.0, 0.0], &[1.0, 1.0]), "no row has a weight above 0 as a positive example");
        assert_eq!(message(&[1.0, 0.0], &[0.0, 1.0]), "");
    }
}
