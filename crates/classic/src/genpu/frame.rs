//! How rows enter the game: moved and scaled so that their values are near 1, and how they come out again.
//!
//! Rows whose values all lie between 0 and 1, as pixels do, are stretched to [-1, 1], and generators end in a tanh that
//! cannot leave it. Of other rows every column is brought to mean 0 and variance 1, and generators end in a linear layer.
//! A column that never changes is only moved.

use super::dense::Output;
use crate::{ClassicError, Rows};

/// A shift and a factor for each column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frame {
    pub(super) shift: Vec<f32>,
    pub(super) scale: Vec<f32>,
    pub(super) output: Output,
}

impl Frame {
    /// Learns the frame. Rows that are all equal are refused.
    pub(super) fn of(rows: &dyn Rows) -> Result<Self, ClassicError> {
        let (n, cols) = (rows.rows() as f64, rows.cols());
        let (mut sums, mut present) = (vec![0.0; cols], vec![0usize; cols]);
        let (mut low, mut high) = (vec![f32::INFINITY; cols], vec![f32::NEG_INFINITY; cols]);
        for i in 0..rows.rows() {
            rows.each(i, &mut |column, value| {
                sums[column] += f64::from(value);
                present[column] += 1;
                low[column] = low[column].min(value);
                high[column] = high[column].max(value);
            });
        }
        // Values that a sparse row leaves out are zeros.
        for column in (0..cols).filter(|&column| present[column] < rows.rows()) {
            low[column] = low[column].min(0.0);
            high[column] = high[column].max(0.0);
        }
        if (0..cols).all(|column| low[column] == high[column]) {
            return Err(ClassicError::AllConstant { cols });
        }
        if (0..cols).all(|column| low[column] >= 0.0 && high[column] <= 1.0) {
            return Ok(Self { shift: vec![0.5; cols], scale: vec![2.0; cols], output: Output::Tanh });
        }
        let means: Vec<f64> = sums.iter().map(|sum| sum / n).collect();
        let mut squares: Vec<f64> =
            means.iter().zip(&present).map(|(mean, &there)| (n - there as f64) * mean * mean).collect();
        for i in 0..rows.rows() {
            rows.each(i, &mut |column, value| squares[column] += (f64::from(value) - means[column]).powi(2));
        }
        let scale = (0..cols).map(|column| {
            if low[column] == high[column] { 1.0 } else { (n / squares[column]).sqrt() as f32 }
        });
        let scale: Vec<f32> = scale.map(|scale| if scale.is_finite() { scale } else { 1.0 }).collect();
        let shift = means.iter().map(|&mean| mean as f32).collect();
        Ok(Self { shift, scale, output: Output::Linear })
    }

    /// Row `i` as the players see it.
    pub(super) fn enter(&self, rows: &dyn Rows, i: usize, out: &mut [f32]) {
        let at = |column: usize, value: f32| (value - self.shift[column]) * self.scale[column];
        out.iter_mut().enumerate().for_each(|(column, value)| *value = at(column, 0.0));
        rows.each(i, &mut |column, value| out[column] = at(column, value));
    }

    /// Generated rows as the user sees them.
    pub(super) fn leave(&self, rows: &[f32]) -> Vec<f32> {
        let cols = self.shift.len();
        let at = |(i, value): (usize, &f32)| value / self.scale[i % cols] + self.shift[i % cols];
        rows.iter().enumerate().map(at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{Matrix, SparseMatrix};

    #[test]
    fn columns_get_mean_0_and_variance_1_and_come_back() {
        let rows = Matrix::new(3, 3, vec![1.0, 7.0, 0.0, 2.0, 7.0, 0.0, 3.0, 7.0, -6.0]).unwrap();
        let frame = Frame::of(&rows).unwrap();
        assert_eq!(
            (frame.output, &frame.shift[..], frame.scale[1]),
            (Output::Linear, &[2.0, 7.0, -2.0][..], 1.0)
        );
        // Variances 2/3 and 8.
        assert!(
            (frame.scale[0] - 1.5_f32.sqrt()).abs() < 1e-6
                && (frame.scale[2] - 8.0_f32.sqrt().recip()).abs() < 1e-6
        );
        assert_eq!(Frame::of(&SparseMatrix::from_dense(&rows)).unwrap(), frame);
        let mut entered = vec![0.0; 3];
        frame.enter(&SparseMatrix::from_dense(&rows), 1, &mut entered);
        assert_eq!(entered, [0.0, 0.0, 2.0 * frame.scale[2]]);
        assert!(frame.leave(&entered).iter().zip(rows.row(1)).all(|(a, b)| (a - b).abs() < 1e-5));
    }

    #[test]
    fn pixels_are_stretched_and_rows_that_are_all_alike_are_refused() {
        let pixels = Matrix::new(2, 2, vec![0.0, 0.25, 0.0, 1.0]).unwrap();
        let frame = Frame::of(&pixels).unwrap();
        assert_eq!(frame.output, Output::Tanh);
        let mut entered = vec![0.0; 2];
        frame.enter(&pixels, 0, &mut entered);
        assert_eq!(entered, [-1.0, -0.5]);
        let alike = Matrix::new(2, 2, vec![3.0, 4.0, 3.0, 4.0]).unwrap();
        assert_eq!(
            Frame::of(&alike).unwrap_err().to_string(),
            "the 2 columns have one value each in all rows, which tells no row from another; give columns that vary"
        );
    }
}
