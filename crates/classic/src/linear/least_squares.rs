//! Least squares with a ridge, by conjugate gradients.
//!
//! With weights ω_i that add up to 1, targets y_i, and columns of mean variance v̄,
//!
//! ```text
//! min_{w, b}  ½ Σ_i ω_i (w·x_i + b - y_i)² + ½ λ v̄ ‖w‖²
//! ```
//!
//! The intercept has no ridge. Where y is 1 for labeled positives and 0 for all other rows, w is that of the unbiased PU
//! risk with the squared loss (du Plessis, Niu, Sugiyama, NeurIPS 2014) but for its length: both solve
//! (S + λ v̄) w ∝ m_P - m, with S and m the covariance and mean of all rows, whatever the prior is. S comes from all rows and
//! the few positives give nothing but their mean, which is what makes it steady.
//!
//! M. R. Hestenes and E. Stiefel, "Methods of conjugate gradients for solving linear systems", 1952. Rows are looked at
//! twice a step and S is never written down, so they may be sparse and wide.

use super::LinearModel;
use crate::Rows;
use crate::rows::{products, weighted_sum};

/// Settings of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeastSquares {
    /// λ: the ridge in units of the mean variance of a column.
    pub ridge: f64,
    /// Training ends when what is left of the equation is below this share of its right side.
    pub tolerance: f64,
    /// Steps after which it ends in any case.
    pub max_steps: usize,
}

impl Default for LeastSquares {
    fn default() -> Self {
        Self { ridge: 1.0, tolerance: 1e-4, max_steps: 200 }
    }
}

impl LeastSquares {
    /// The line through rows with a target and a weight each, which are not negative and need not add up to 1. Asks before
    /// each step whether to take it, and ends where it is if not.
    pub fn fit_while(
        &self,
        rows: &dyn Rows,
        targets: &[f64],
        weights: &[f64],
        go_on: &mut dyn FnMut() -> bool,
    ) -> LinearModel {
        let all: f64 = weights.iter().sum();
        let weights: Vec<f64> = weights.iter().map(|weight| weight / all.max(f64::MIN_POSITIVE)).collect();
        let mean = weighted_sum(rows, &weights);
        let middle = dot(targets, &weights);
        let lengths: f64 = (0..rows.rows()).map(|i| weights[i] * rows.squared_length(i)).sum();
        let variance = (lengths - dot(&mean, &mean)).max(0.0) / rows.cols().max(1) as f64;
        let ridge = self.ridge * variance;
        // Σ ω (y - ȳ) x, which is the covariance with the target.
        let pulls: Vec<f64> =
            targets.iter().zip(&weights).map(|(target, weight)| weight * (target - middle)).collect();
        let right = weighted_sum(rows, &pulls);
        // (S + λ v̄) p = Σ ω (x·p - m·p) x + λ v̄ p.
        let times = |point: &[f64]| -> Vec<f64> {
            let mut along = products(rows, point, -dot(&mean, point));
            along.iter_mut().zip(&weights).for_each(|(along, weight)| *along *= weight);
            let mut product = weighted_sum(rows, &along);
            product.iter_mut().zip(point).for_each(|(product, p)| *product += ridge * p);
            product
        };
        let mut point = vec![0.0; rows.cols()];
        let (mut rest, mut direction) = (right.clone(), right.clone());
        let mut left = dot(&rest, &rest);
        let enough = self.tolerance * self.tolerance * left;
        for _ in 0..self.max_steps {
            if left <= enough || left == 0.0 || !go_on() {
                break;
            }
            let product = times(&direction);
            let curvature = dot(&direction, &product);
            if curvature <= 0.0 {
                break;
            }
            let step = left / curvature;
            point.iter_mut().zip(&direction).for_each(|(w, d)| *w += step * d);
            rest.iter_mut().zip(&product).for_each(|(r, p)| *r -= step * p);
            let now = dot(&rest, &rest);
            let share = now / left;
            direction.iter_mut().zip(&rest).for_each(|(d, r)| *d = r + share * *d);
            left = now;
        }
        let bias = middle - dot(&mean, &point);
        LinearModel { weights: point, bias }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{Matrix, SparseMatrix, Stream};

    #[test]
    fn one_column_is_solved_by_hand() {
        // x = 0, 1, 2, 3 with y = 0, 0, 1, 1: variance 5/4, covariance 1/2, so w = (1/2) / (5/4 + λ 5/4).
        let rows = Matrix::new(4, 1, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
        for ridge in [0.0, 1.0] {
            let solver = LeastSquares { ridge, tolerance: 1e-12, ..LeastSquares::default() };
            let model = solver.fit_while(&rows, &[0.0, 0.0, 1.0, 1.0], &[2.0; 4], &mut || true);
            let w = 0.5 / (1.25 * (1.0 + ridge));
            assert!((model.weights[0] - w).abs() < 1e-12, "{model:?}");
            assert!((model.bias - (0.5 - 1.5 * w)).abs() < 1e-12, "{model:?}");
        }
    }

    /// The gradient of the unbiased risk with the squared loss, R = -π mean_P f + ¼ mean_X (f + 1)², with X all rows, is
    /// 0 at 2π / c times the line plus the constant of mean 2π - 1, for c the share of rows that are labeled.
    #[test]
    fn it_is_the_line_of_the_unbiased_risk() {
        let mut stream = Stream::new(8, "rows");
        let (n, labeled, prior) = (400, 60, 0.35);
        let values: Vec<f32> =
            (0..n * 3).map(|i| stream.normal() as f32 + if i < 3 * labeled { 0.7 } else { 0.0 }).collect();
        let rows = Matrix::new(n, 3, values).unwrap();
        let targets: Vec<f64> = (0..n).map(|row| if row < labeled { 1.0 } else { 0.0 }).collect();
        let solver = LeastSquares { ridge: 0.0, tolerance: 1e-12, ..LeastSquares::default() };
        let line = solver.fit_while(&rows, &targets, &vec![1.0; n], &mut || true);
        let c = labeled as f64 / n as f64;
        let f: Vec<f64> = line.scores(&rows).iter().map(|z| 2.0 * prior / c * z - 1.0).collect();
        for column in 0..4 {
            let x = |row: usize| if column < 3 { f64::from(rows.row(row)[column]) } else { 1.0 };
            let of_positives: f64 = (0..labeled).map(x).sum::<f64>() / labeled as f64;
            let of_all: f64 = (0..n).map(|row| (f[row] + 1.0) * x(row)).sum::<f64>() / n as f64;
            assert!((-prior * of_positives + 0.5 * of_all).abs() < 1e-10, "column {column}");
        }
    }

    #[test]
    fn sparse_rows_weights_and_constant_columns() {
        let values: Vec<f32> = (0..90).map(|i| if i % 3 == 2 { 5.0 } else { (i * 7 % 11) as f32 }).collect();
        let rows = Matrix::new(30, 3, values).unwrap();
        let targets: Vec<f64> = (0..30).map(|row| f64::from(row % 4 == 0)).collect();
        let twice: Vec<f64> = (0..30).map(|row| if row == 4 { 2.0 } else { 1.0 }).collect();
        let fit = |rows: &dyn Rows, targets: &[f64], weights: &[f64]| {
            LeastSquares { tolerance: 1e-12, ..LeastSquares::default() }.fit_while(
                rows,
                targets,
                weights,
                &mut || true,
            )
        };
        let model = fit(&rows, &targets, &twice);
        assert!(model.weights[2].abs() < 1e-12, "{model:?}");
        let close =
            |other: &LinearModel| model.weights.iter().zip(&other.weights).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(close(&fit(&SparseMatrix::from_dense(&rows), &targets, &twice)));
        // A row of weight 2 is two rows.
        let index: Vec<usize> = (0..30).chain([4]).collect();
        let targets: Vec<f64> = index.iter().map(|&row| targets[row]).collect();
        assert!(close(&fit(&crate::Selected::new(&rows, index), &targets, &[1.0; 31])));
        // Nothing to tell apart.
        let nothing = fit(&Matrix::new(2, 1, vec![3.0, 3.0]).unwrap(), &[1.0, 0.0], &[1.0, 1.0]);
        assert_eq!((nothing.weights[0], nothing.bias), (0.0, 0.5));
    }
}
