//! Gradient-boosted decision trees (Friedman, "Greedy function approximation: a gradient boosting
//! machine", Annals of Statistics 29, 2001), in the histogram form of LightGBM (Ke et al., NeurIPS 2017).
//!
//! Values are sorted into at most 255 bins a feature once ([`Binned`]); a tree then looks at sums of gradients a bin
//! instead of at rows, and grows where the loss falls most, leaf by leaf. A missing value (NaN) has its own bin and
//! goes, at every split, to the side where it does more good.
//!
//! Rows of tables differ in scale, kind and importance of their columns, and trees take all of that as it comes: on such
//! data they are the stronger scorer, where networks want images or text.
//!
//! [`Boosting`] takes the derivatives of any loss, so every positive-unlabeled objective can train trees. [`fit`] is the
//! log loss of two classes with weights:
//!
//! ```
//! use onesided_data::Matrix;
//! use onesided_trees::{Binned, LabeledRows, TreesConfig, fit};
//!
//! // Positive where the second column is above 3, whatever the first one says.
//! let rows = (0..400).flat_map(|i| [(i % 7) as f32, (i % 10) as f32]).collect();
//! let matrix = Matrix::new(400, 2, rows)?;
//! let positive: Vec<bool> = (0..400).map(|i| i % 10 > 3).collect();
//! let (training, held_out): (Vec<u32>, Vec<u32>) = (0..400).partition(|i| i % 4 != 0);
//!
//! let binned = Binned::new(&matrix)?;
//! let sample = LabeledRows { binned: &binned, positive: &positive, weights: None };
//! let fitted = fit(&sample, &training, &held_out, &TreesConfig::default())?;
//! let logits = fitted.model.logits(&matrix)?;
//! assert!(logits.iter().zip(&positive).all(|(&logit, &positive)| (logit > 0.0) == positive));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Same data, same seed, same trees: sums run feature by feature in the order of the rows, so the number of threads does
//! not change a bit of them.

#![forbid(unsafe_code)]

mod additive;
mod away;
mod bins;
mod boost;
mod cluster;
mod code_set;
mod codec;
mod compiled;
mod config;
mod derivatives;
mod error;
mod field;
mod forest;
mod ground;
mod grow;
mod histogram;
mod layout;
mod levels;
mod model;
mod ordered;
mod packed;
mod scores;
mod shap;
mod split;
mod threads;
mod two_class;

pub use additive::fit_naive_bayes;
pub use away::{Ask, CUTS, Workers};
pub use bins::{BYTES_PER_ROW, Binned};
pub use boost::{BoostedTrees, Boosting, HeldOut, Round};
pub use cluster::{PartitionBuilder, Sorting, Worker, add_answers};
pub use config::TreesConfig;
pub use derivatives::Derivatives;
pub use error::TreesError;
pub use forest::{ForestConfig, RowDraw, grow_forest};
pub use model::{Node, Tree, TreesModel};
pub use packed::BinnedBuilder;
pub use shap::Shap;
pub use two_class::{LabeledRows, fit};
