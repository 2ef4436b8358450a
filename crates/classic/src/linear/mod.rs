//! Linear models: f(x) = w·x + b, with weights an example.
//!
//! [`LinearSvm`] minimizes a hinge loss, [`Logistic`] the log loss. Both take [`Examples`](crate::Examples), in which a
//! row may stand for a positive and a negative example at once, and say in their docs how they treat b. [`LeastSquares`]
//! takes a target a row.

mod least_squares;
mod logistic;
mod svm;

pub use least_squares::LeastSquares;
pub use logistic::{Logistic, LogisticFit};
pub use svm::{Hinge, LinearSvm, SvmFit};

use crate::Rows;
use serde::{Deserialize, Serialize};

/// f(x) = w·x + b.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearModel {
    /// w, a number per column.
    pub weights: Vec<f64>,
    /// b.
    pub bias: f64,
}

impl LinearModel {
    /// f of row `i`.
    pub fn score(&self, rows: &dyn Rows, i: usize) -> f64 {
        rows.dot(i, &self.weights) + self.bias
    }

    /// f of all rows.
    pub fn scores(&self, rows: &dyn Rows) -> Vec<f64> {
        crate::rows::products(rows, &self.weights, self.bias)
    }

    /// w·x column by column for row `i`, the largest in size first: what carried its score.
    pub fn contributions(&self, rows: &dyn Rows, i: usize) -> Vec<(usize, f64)> {
        let mut parts = Vec::new();
        rows.each(i, &mut |column, value| parts.push((column, f64::from(value) * self.weights[column])));
        parts.retain(|(_, part)| *part != 0.0);
        parts.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    #[test]
    fn scores_and_what_carries_them() {
        let rows = Matrix::new(2, 3, vec![1.0, 2.0, 0.0, 0.0, 1.0, 1.0]).unwrap();
        let model = LinearModel { weights: vec![0.5, -1.0, 4.0], bias: 0.25 };
        assert_eq!(model.scores(&rows), [-1.25, 3.25]);
        assert_eq!(model.score(&rows, 0), -1.25);
        assert_eq!(model.contributions(&rows, 0), [(1, -2.0), (0, 0.5)]);
    }
}
