//! Gradient-boosted decision trees for two classes (Friedman, "Greedy function approximation: a gradient boosting
//! machine", Annals of Statistics 29, 2001), in the histogram form of LightGBM (Ke et al., NeurIPS 2017).
//!
//! Values are sorted into at most 255 bins a feature once ([`Binned`]); a tree then looks at sums of gradients a bin
//! instead of at rows, and grows where the loss falls most, leaf by leaf. A missing value (NaN) has a bin of its own and
//! goes, at every split, to the side where it does more good.
//!
//! Rows of tables differ in scale, kind and importance of their columns, and trees take all of that as it comes: on such
//! data they are the stronger scorer, where networks want images or text. Here they score positives against unlabeled
//! rows, for the estimators of the class prior.
//!
//! ```
//! use onesided_data::Matrix;
//! use onesided_trees::{Binned, Config, Sample, fit};
//!
//! // Positive where the second column is above 3, whatever the first one says.
//! let rows = (0..400).flat_map(|i| [(i % 7) as f32, (i % 10) as f32]).collect();
//! let matrix = Matrix::new(400, 2, rows)?;
//! let positive: Vec<bool> = (0..400).map(|i| i % 10 > 3).collect();
//! let (training, held_out): (Vec<u32>, Vec<u32>) = (0..400).partition(|i| i % 4 != 0);
//!
//! let binned = Binned::new(&matrix)?;
//! let sample = Sample { binned: &binned, positive: &positive, weights: None };
//! let fitted = fit(&sample, &training, &held_out, &Config::default())?;
//! let logits = fitted.model.logits(&matrix)?;
//! assert!(logits.iter().zip(&positive).all(|(&logit, &positive)| (logit > 0.0) == positive));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Same data, same seed, same trees: sums run feature by feature in the order of the rows, so the number of threads does
//! not change a bit of them.

mod bins;
mod boost;
mod config;
mod error;
mod grow;
mod histogram;
mod model;

pub use bins::Binned;
pub use boost::{Fitted, Sample, fit};
pub use config::Config;
pub use error::TreesError;
pub use model::{Node, Tree, TreesModel};
