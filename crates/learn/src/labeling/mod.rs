//! Who labels: a chance of being labeled that depends on the row, learned next to the class.
//!
//! Methods take labels to be a random sample of the positives. Where the chance e of being labeled depends on some columns alone, given
//! the class, a labeled row that had the chance e stands for 1/e positives. With these weights every scorer that takes weights learns as
//! if labels were random (inverse propensities; J. Bekker, P. Robberechts and J. Davis, "Beyond the selected completely at random
//! assumption for learning from positive and unlabeled data", ECML 2019; PUe, NeurIPS 2023).
//!
//! | file | what |
//! |---|---|
//! | `parts.rs` | columns cut into parts |
//! | `propensity.rs` | e: a logistic regression on these parts |
//! | `quick_trees.rs` | what scores while e is learned: small boosted trees, out of fold |
//! | `em.rs` | e and the class in turn, from several starts, and what is kept |

mod em;
mod parts;
mod propensity;
mod quick_trees;

pub use em::{PropensityFound, learn_who_labels};
pub use propensity::hidden_per_labeled;
pub use quick_trees::labeled_against_rest;
