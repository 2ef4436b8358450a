//! The scorers: one file each.

mod classic;
mod described;
mod elkan_noto_trees;
mod forest;
mod logistic;
mod network;
mod trees;

pub use classic::ClassicScorer;
pub use described::DescribedScorer;
pub use elkan_noto_trees::{ElkanNotoTrees, takes_trees};
pub use forest::LabelTreesScorer;
pub use logistic::LogisticScorer;
pub use network::{NetworkScorer, ObjectiveChoice, OwnObjective};
pub use trees::TreesScorer;

pub(crate) use classic::kind as classic_kind;
pub(crate) use forest::{Boosting, SMALLEST_LEAF, TableSize};
pub(crate) use network::sum as sum_of_some;
