//! Kernel machines: [`KernelSvm`] for some thousands of rows, [`RandomFeatures`] for any number.

mod cache;
mod fourier;
mod shapley;
mod smo;
mod svm;

pub(crate) use cache::KernelRows;
pub use fourier::RandomFeatures;
pub(crate) use smo::{Smo, Variable};
pub use svm::{KernelModel, KernelSvm, KernelSvmFit, MOST_ROWS};

use crate::{ClassicError, Rows};
use serde::{Deserialize, Serialize};

/// A similarity of two rows that is an inner product in some space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// x·y.
    Linear,
    /// exp(-γ ‖x - y‖²).
    Rbf {
        /// γ, above 0.
        gamma: f64,
    },
    /// (γ x·y + c)^degree.
    Polynomial {
        /// γ, above 0.
        gamma: f64,
        /// c, at least 0.
        constant: f64,
        /// 1, 2, 3 …
        degree: u32,
    },
}

impl Kernel {
    /// Refuses numbers with which this is not a kernel.
    pub fn check(self) -> Result<Self, ClassicError> {
        let refused = |name, range, value| Err(ClassicError::Setting { name, range, value });
        match self {
            Kernel::Rbf { gamma } | Kernel::Polynomial { gamma, .. }
                if !(gamma > 0.0 && gamma.is_finite()) =>
            {
                refused("the kernel's gamma", "a number above 0", gamma)
            }
            Kernel::Polynomial { constant, .. } if !(constant >= 0.0 && constant.is_finite()) => {
                refused("the kernel's constant", "a number of at least 0", constant)
            }
            Kernel::Polynomial { degree: 0, .. } => refused("the kernel's degree", "at least 1", 0.0),
            kernel => Ok(kernel),
        }
    }

    /// The kernel of two rows, from their product and their squared lengths.
    pub(crate) fn value(self, product: f64, length: f64, other: f64) -> f64 {
        match self {
            Kernel::Linear => product,
            // Rounding can leave a distance a little below 0.
            Kernel::Rbf { gamma } => (-gamma * (length + other - 2.0 * product).max(0.0)).exp(),
            Kernel::Polynomial { gamma, constant, degree } => {
                (gamma * product + constant).powi(degree.min(i32::MAX as u32) as i32)
            }
        }
    }
}

/// γ = 1 / (columns · variance of all values): scikit-learn's `scale`, a fair start for an RBF kernel.
pub fn scale_gamma(rows: &dyn Rows) -> f64 {
    let (mut sum, mut squares) = (0.0, 0.0);
    for i in 0..rows.rows() {
        rows.each(i, &mut |_, value| sum += f64::from(value));
        squares += rows.squared_length(i);
    }
    let n = (rows.rows() * rows.cols()).max(1) as f64;
    let variance = squares / n - (sum / n) * (sum / n);
    if variance > 0.0 { 1.0 / (rows.cols() as f64 * variance) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    #[test]
    fn values_by_hand() {
        // x = (1, 2), y = (3, 1): product 5, squared lengths 5 and 10, squared distance 5.
        assert_eq!(Kernel::Linear.value(5.0, 5.0, 10.0), 5.0);
        assert_eq!(Kernel::Rbf { gamma: 0.1 }.value(5.0, 5.0, 10.0), (-0.5_f64).exp());
        let cubic = Kernel::Polynomial { gamma: 0.2, constant: 1.0, degree: 3 };
        assert_eq!(cubic.value(5.0, 5.0, 10.0), 8.0);
        let rows = Matrix::new(2, 2, vec![1.0, 2.0, 3.0, 2.0]).unwrap();
        assert_eq!(scale_gamma(&rows), 1.0); // mean 2, variance 1/2
    }

    #[test]
    fn what_is_no_kernel_is_refused() {
        let message = |kernel: Kernel| kernel.check().unwrap_err().to_string();
        assert_eq!(
            message(Kernel::Rbf { gamma: 0.0 }),
            "the kernel's gamma must be a number above 0, but is 0"
        );
        assert!(message(Kernel::Polynomial { gamma: 1.0, constant: -1.0, degree: 2 }).contains("constant"));
        assert!(message(Kernel::Polynomial { gamma: 1.0, constant: 0.0, degree: 0 }).contains("degree"));
    }
}
