//! Positive-unlabeled learning before networks: support vector machines, naive Bayes, EM.
//!
//! A [`System`] takes a [`Problem`] (rows, labels, what is known of the prior) and returns a [`ClassicModel`]: a score per row,
//! a threshold, and a probability where the theory gives one. Rows are dense or sparse, behind the trait [`Rows`]. Of
//! these systems a table or a pile of texts gets a quick model, and a linear one can say what carried a score.
//!
//! | name | system | needs |
//! |---|---|---|
//! | `weighted-lr` | [`WeightedLr`](systems::weighted_lr::WeightedLr) | |
//! | `biased-svm` | [`BiasedSvm`](systems::biased_svm::BiasedSvm) | |
//! | `elkan-noto`, `elkan-noto-weighted` | [`ElkanNoto`](systems::elkan_noto::ElkanNoto) | |
//! | `bagging` | [`Bagging`](systems::bagging::Bagging) | |
//! | `s-em` | [`SEm`](systems::s_em::SEm) | counts, 134 positives |
//! | `roc-svm` | [`RocSvm`](systems::roc_svm::RocSvm) | |
//! | `ldce` | [`Ldce`](systems::ldce::Ldce) | μ |
//! | `kldce` | [`Kldce`](systems::kldce::Kldce) | μ, 50,000 rows at most or random features |
//! | `puld` | [`Puld`](systems::puld::Puld) | μ |
//! | `genpu` | [`GenPu`](genpu::GenPu) | μ, 1,024 columns at most |
//!
//! What they share can be used alone: [`LinearSvm`], [`Logistic`], [`LeastSquares`], [`KernelSvm`], [`RandomFeatures`],
//! [`NaiveBayes`] and [`Rocchio`], all with a weight an example ([`Examples`]). Settings are chosen without negatives
//! ([`PredictedShares`]).
//!
//! ```
//! use onesided_classic::{Problem, system};
//! use onesided_data::{Label, Scenario, TextOptions};
//!
//! let sports = ["the team won the game", "a late goal won the match", "the game went to the home team"];
//! let others = ["the bank raised its rates", "rates of the bank fell", "the team lost the game late"];
//! let texts: Vec<&str> = sports.iter().chain(&others).copied().cycle().take(60).collect();
//! let (features, rows) = TextOptions::default().fit_transform(&texts)?;
//! let labels: Vec<Label> =
//!     (0..60).map(|i| if i % 6 < 3 { Label::Positive } else { Label::Unlabeled }).collect();
//!
//! let (prior, scenario) = (None, Scenario::SingleSample);
//! let problem = Problem { rows: &rows, labels: &labels, weights: None, prior, scenario, seed: 0, threads: 0, go_on: None };
//! let model = system("roc-svm")?.fit(&problem)?;
//! let new = features.transform(&["a game of the home team", "the bank and its rates"]);
//! let scores = model.scores(&new)?;
//! assert!(scores[0] > model.threshold && scores[1] < model.threshold);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choice;
mod error;
pub mod genpu;
mod kernel;
mod linear;
mod model;
mod naive_bayes;
mod options;
mod problem;
mod rocchio;
mod rows;
#[cfg(test)]
mod simulated;
pub mod systems;
mod threads;

pub use choice::PredictedShares;
pub use error::ClassicError;
pub use kernel::{Kernel, KernelModel, KernelSvm, KernelSvmFit, MOST_ROWS, RandomFeatures, scale_gamma};
pub use linear::{Hinge, LeastSquares, LinearModel, LinearSvm, Logistic, LogisticFit, SvmFit};
pub use model::{ClassicModel, Link, ScoreForm};
pub use naive_bayes::{Class, EmFit, NaiveBayes, check_counts};
pub use options::{OptionError, OptionInfo, OptionValues, Takes};
pub use problem::Problem;
pub use rocchio::{Prototypes, Rocchio};
pub use rows::{Examples, Rows, Selected};
pub use systems::{Growth, System, SystemInfo, system, system_info, systems};
pub use threads::with_threads;
