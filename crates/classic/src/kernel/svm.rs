//! Support vector machine with a kernel and a cost an example.
//!
//! B. E. Boser, I. M. Guyon and V. N. Vapnik, COLT 1992; C. Cortes and V. Vapnik, Machine Learning 20, 1995. With costs
//! C_i and y_i = ±1,
//!
//! ```text
//! min_{f, b}  ½‖f‖² + Σ_i C_i max(0, 1 - y_i (f(x_i) + b)),        f = Σ_i α_i y_i K(x_i, ·)
//! ```
//!
//! in the space of the kernel; the intercept b is not regularized. The dual is solved two variables at a time, with rows
//! of the kernel matrix kept in a bounded cache, until the duality gap is below the tolerance.

use super::{Kernel, KernelRows, Smo, Variable};
use crate::threads::in_blocks;
use crate::{ClassicError, Examples, Rows};
use onesided_data::{Phase, SparseMatrix};
use serde::{Deserialize, Serialize};

/// The largest number of rows: beyond it, training takes hours. [`RandomFeatures`](super::RandomFeatures) has no limit.
pub const MOST_ROWS: usize = 50_000;

/// Settings of the solver. The costs C_i are the weights of the examples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelSvm {
    /// The kernel.
    pub kernel: Kernel,
    /// Training ends when (primal - dual) ≤ tolerance · primal.
    pub tolerance: f64,
    /// Memory for rows of the kernel matrix, in bytes.
    pub cache_bytes: usize,
    /// Steps after which training ends in any case; [`KernelSvmFit::gap`] then says what is left.
    pub max_steps: usize,
}

impl KernelSvm {
    /// With this kernel, to a ten-thousandth of the objective, with 512 MiB of cache.
    pub fn new(kernel: Kernel) -> Self {
        Self { kernel, tolerance: 1e-4, cache_bytes: 512 << 20, max_steps: 10_000_000 }
    }
}

/// A trained machine and how well its problem was solved.
#[derive(Clone, Debug)]
pub struct KernelSvmFit {
    /// The machine.
    pub model: KernelModel,
    /// The primal objective.
    pub objective: f64,
    /// An upper bound of how far that is above the smallest one, relative to it.
    pub gap: f64,
    /// Pairs of variables that were moved.
    pub steps: usize,
}

/// f(x) = Σ_s coefficient_s K(x_s, x) + bias over the support vectors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelModel {
    /// The kernel.
    pub kernel: Kernel,
    /// The support vectors.
    pub support: SparseMatrix,
    /// One a support vector.
    pub coefficients: Vec<f64>,
    /// The intercept.
    pub bias: f64,
}

impl KernelSvm {
    /// Trains on `examples`; the weights are the costs C_i.
    pub fn fit(&self, examples: Examples) -> Result<KernelSvmFit, ClassicError> {
        let rows = examples.rows;
        let kernel = self.kernel.check()?;
        if rows.rows() > MOST_ROWS {
            let (method, rows) = ("a support vector machine", rows.rows());
            return Err(ClassicError::TooManyRows { method, rows, limit: MOST_ROWS, remedy: None });
        }
        let mut variables = Vec::new();
        for (sign, costs) in [(1.0, examples.as_positive), (-1.0, examples.as_negative)] {
            let used = costs.iter().enumerate().filter(|(_, cost)| **cost > 0.0);
            variables.extend(used.map(|(row, &upper)| Variable { row, sign, upper, linear: -1.0 }));
        }
        let mut smo = Smo::new(variables, KernelRows::new(rows, kernel, self.cache_bytes));
        // How much a pair may violate the conditions; it says little about the objective, so the gap decides.
        let mut violation = 1e-2;
        loop {
            smo.run(violation, self.max_steps);
            let bias = smo.bias();
            let (primal, dual) = objectives(&smo, bias);
            let gap = ((primal - dual) / primal.max(f64::MIN_POSITIVE)).max(0.0);
            if gap <= self.tolerance || smo.steps >= self.max_steps || violation < 1e-9 {
                let mut coefficients = vec![0.0; rows.rows()];
                let signed = smo.variables().iter().zip(&smo.alpha).map(|(v, alpha)| (v.row, v.sign * alpha));
                signed.for_each(|(row, alpha)| coefficients[row] += alpha);
                let model = KernelModel::from_coefficients(rows, kernel, coefficients, bias)?;
                return Ok(KernelSvmFit { model, objective: primal, gap, steps: smo.steps });
            }
            violation /= 3.0;
        }
    }
}

/// The primal and the dual objective. G = y f - 1, so that no kernel value is needed again.
fn objectives(smo: &Smo, bias: f64) -> (f64, f64) {
    let (mut square, mut sum, mut loss) = (0.0, 0.0, 0.0);
    for ((variable, &alpha), &gradient) in smo.variables().iter().zip(&smo.alpha).zip(&smo.gradient) {
        square += alpha * (gradient + 1.0);
        sum += alpha;
        loss += variable.upper * (-gradient - variable.sign * bias).max(0.0);
    }
    (0.5 * square + loss, sum - 0.5 * square)
}

impl KernelModel {
    /// The machine with a coefficient a row; rows whose coefficient is zero are left out.
    pub(crate) fn from_coefficients(
        rows: &dyn Rows,
        kernel: Kernel,
        mut coefficients: Vec<f64>,
        bias: f64,
    ) -> Result<Self, ClassicError> {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for (row, _) in coefficients.iter().enumerate().filter(|(_, coefficient)| **coefficient != 0.0) {
            rows.each(row, &mut |column, value| {
                if value != 0.0 {
                    columns.push(column as u32);
                    values.push(value);
                }
            });
            starts.push(columns.len());
        }
        coefficients.retain(|coefficient| *coefficient != 0.0);
        let support = SparseMatrix::new(rows.cols(), starts, columns, values)
            .map_err(|error| ClassicError::Stored { detail: error.to_string() })?;
        Ok(Self { kernel, support, coefficients, bias })
    }

    /// f of all rows, which must be as wide as the support vectors.
    pub fn scores(&self, rows: &dyn Rows) -> Vec<f64> {
        let support = &self.support;
        let lengths: Vec<f64> = (0..support.rows()).map(|s| Rows::squared_length(support, s)).collect();
        let phase = Phase::new("scoring", rows.rows() as u64, "rows");
        let parts = in_blocks(rows.rows(), rows.rows().clamp(1, 16), |range| {
            let mut laid_out = vec![0.0; rows.cols()];
            let score = |i: usize| {
                rows.add_to(i, 1.0, &mut laid_out);
                let length = rows.squared_length(i);
                let terms = (0..support.rows()).map(|s| {
                    self.coefficients[s] * self.kernel.value(support.dot(s, &laid_out), length, lengths[s])
                });
                let score = terms.sum::<f64>() + self.bias;
                rows.each(i, &mut |column, _| laid_out[column] = 0.0);
                phase.add(1);
                score
            };
            range.map(score).collect::<Vec<f64>>()
        });
        parts.concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{Matrix, Stream};

    #[test]
    fn two_points_in_closed_form() {
        // Points ±1, hard margin: f(x) = x, both α = 1/2, objective ½.
        let rows = Matrix::new(2, 1, vec![1.0, -1.0]).unwrap();
        let examples = Examples::new(&rows, &[10.0, 0.0], &[0.0, 10.0]).unwrap();
        let fitted = KernelSvm::new(Kernel::Linear).fit(examples).unwrap();
        assert!((fitted.objective - 0.5).abs() < 1e-9 && fitted.gap < 1e-9, "{fitted:?}");
        assert_eq!(fitted.model.coefficients, [0.5, -0.5]);
        // Costs of 0.1: both at their bounds, w = 0.2.
        let examples = Examples::new(&rows, &[0.1, 0.0], &[0.0, 0.1]).unwrap();
        let soft = KernelSvm::new(Kernel::Linear).fit(examples).unwrap();
        let scores = soft.model.scores(&rows);
        assert!((scores[0] - scores[1] - 0.4).abs() < 1e-9, "{scores:?}");
    }

    #[test]
    fn an_island_needs_a_kernel_and_a_small_cache_changes_nothing() {
        let mut stream = Stream::new(3, "island");
        let values: Vec<f32> = (0..600).map(|_| (2.0 * stream.uniform() - 1.0) as f32).collect();
        let rows = Matrix::new(300, 2, values).unwrap();
        let truth: Vec<bool> =
            (0..300).map(|i| rows.row(i).iter().map(|x| x * x).sum::<f32>() < 0.4).collect();
        let weight =
            |class: bool| truth.iter().map(|&t| if t == class { 5.0 } else { 0.0 }).collect::<Vec<f64>>();
        let (p, n) = (weight(true), weight(false));
        let examples = Examples::new(&rows, &p, &n).unwrap();
        let svm = KernelSvm::new(Kernel::Rbf { gamma: 2.0 });
        let fitted = svm.fit(examples).unwrap();
        assert!(fitted.gap < 1e-3, "{}", fitted.gap);
        let wrong = fitted.model.scores(&rows).iter().zip(&truth).filter(|(f, t)| (**f > 0.0) != **t).count();
        assert!(wrong <= 6, "{wrong} of 300");
        let tight = KernelSvm { cache_bytes: 0, ..svm }.fit(examples).unwrap();
        assert_eq!(tight.model, fitted.model);
    }

    #[test]
    fn a_row_of_both_classes_and_too_many_rows() {
        let rows = Matrix::new(3, 1, vec![1.0, 0.0, -1.0]).unwrap();
        let examples = Examples::new(&rows, &[1.0, 0.5, 0.0], &[0.0, 0.5, 1.0]).unwrap();
        let fitted = KernelSvm::new(Kernel::Linear).fit(examples).unwrap();
        assert!(fitted.gap < 1e-6 && fitted.model.scores(&rows)[1].abs() < 1e-3, "{fitted:?}");
        let many = Matrix::new(MOST_ROWS + 1, 1, vec![0.0; MOST_ROWS + 1]).unwrap();
        let ones = vec![1.0; MOST_ROWS + 1];
        let examples = Examples::new(&many, &ones, &ones).unwrap();
        let error = KernelSvm::new(Kernel::Linear).fit(examples).unwrap_err().to_string();
        assert_eq!(
            error,
            "a support vector machine with a kernel takes at most 50000 rows, but there are 50001; random features have no \
             such limit"
        );
    }
}
