//! Positive-unlabeled learning before networks: support vector machines, naive Bayes, EM.

mod choice;
mod error;
mod kernel;
mod linear;
mod model;
mod naive_bayes;
mod rocchio;
mod rows;
#[cfg(test)]
mod simulated;
pub mod systems;
mod task;

pub use choice::Called;
pub use error::ClassicError;
pub use kernel::{Kernel, KernelModel, KernelSvm, KernelSvmFit, MOST_ROWS, RandomFeatures, scale_gamma};
pub use linear::{Hinge, LinearModel, LinearSvm, Logistic, LogisticFit, SvmFit};
pub use model::{ClassicModel, Link, Scorer};
pub use naive_bayes::{Class, EmFit, NaiveBayes, check_counts};
pub use rocchio::{Prototypes, Rocchio};
pub use rows::{Examples, Rows, Selected};
pub use systems::{System, system, systems};
pub use task::Task;
