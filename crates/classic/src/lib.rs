//! Positive-unlabeled learning before networks: support vector machines, naive Bayes, EM.

mod error;
mod kernel;
mod linear;
mod naive_bayes;
mod rocchio;
mod rows;

pub use error::ClassicError;
pub use kernel::{Kernel, KernelModel, KernelSvm, KernelSvmFit, MOST_ROWS, RandomFeatures, scale_gamma};
pub use linear::{Hinge, LinearModel, LinearSvm, Logistic, LogisticFit, SvmFit};
pub use naive_bayes::{Class, EmFit, NaiveBayes, check_counts};
pub use rocchio::{Prototypes, Rocchio};
pub use rows::{Examples, Rows, Selected};
