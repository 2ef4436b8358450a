//! The settings of boosting.

use crate::TreesError;
use serde::{Deserialize, Serialize};

/// How trees are grown. The defaults are those of scikit-learn's and LightGBM's histogram boosting, with a penalty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreesConfig {
    /// The most trees.
    pub trees: usize,
    /// The share of each tree's answer that is taken.
    pub learning_rate: f64,
    /// The most leaves of a tree.
    pub max_leaves: usize,
    /// The most splits between the root and a leaf; 0 for no bound.
    pub max_depth: usize,
    /// The fewest rows in a leaf.
    pub min_child_rows: usize,
    /// The least sum of second derivatives in a leaf.
    pub min_child_weight: f64,
    /// λ, the penalty on squared leaf values.
    pub l2: f64,
    /// What is added to λ where a cut is between many categories.
    pub category_l2: f64,
    /// Whether the score must rise (1) or fall (-1) with a feature, or neither (0); features behind the end are free.
    pub monotone: Vec<i8>,
    /// The share of the rows that a tree is grown on, drawn anew for each.
    pub row_share: f64,
    /// The share of the features that a tree may look at, drawn anew for each.
    pub column_share: f64,
    /// Trees without a lower held-out loss after which growing stops.
    pub patience: usize,
    /// The seed of the draws of rows and features.
    pub seed: u64,
    /// Threads for the sums over features; 0 is all there are. The trees do not depend on it.
    pub threads: usize,
}

impl Default for TreesConfig {
    fn default() -> Self {
        Self {
            trees: 200,
            learning_rate: 0.1,
            max_leaves: 31,
            max_depth: 0,
            min_child_rows: 20,
            min_child_weight: 1e-3,
            l2: 1.0,
            category_l2: 10.0,
            monotone: Vec::new(),
            row_share: 1.0,
            column_share: 1.0,
            patience: 10,
            seed: 0,
            threads: 0,
        }
    }
}

impl TreesConfig {
    pub(crate) fn check(&self) -> Result<(), TreesError> {
        let wrong = |what, range, value| Err(TreesError::Setting { what, range, value });
        let share = |x: f64| x > 0.0 && x <= 1.0;
        match self {
            c if c.trees == 0 => wrong("number", "at least 1", 0.0),
            c if !(c.learning_rate > 0.0 && c.learning_rate.is_finite()) => {
                wrong("learning rate", "a positive number", c.learning_rate)
            }
            c if c.max_leaves < 2 => wrong("number of leaves", "at least 2", c.max_leaves as f64),
            c if !(c.min_child_weight >= 0.0 && c.min_child_weight.is_finite()) => {
                wrong("least weight of a leaf", "0 or a positive number", c.min_child_weight)
            }
            c if !(c.l2 >= 0.0 && c.l2.is_finite()) => wrong("penalty", "0 or a positive number", c.l2),
            c if !(c.category_l2 >= 0.0 && c.category_l2.is_finite()) => {
                wrong("penalty on categories", "0 or a positive number", c.category_l2)
            }
            c if c.monotone.iter().any(|direction| direction.abs() > 1) => {
                let other = c.monotone.iter().find(|direction| direction.abs() > 1).copied().unwrap_or(0);
                wrong("direction of a feature", "-1, 0 or 1", f64::from(other))
            }
            c if !share(c.row_share) => wrong("share of rows", "above 0 and at most 1", c.row_share),
            c if !share(c.column_share) => {
                wrong("share of features", "above 0 and at most 1", c.column_share)
            }
            c if c.patience == 0 => wrong("patience", "at least 1 tree", 0.0),
            _ => Ok(()),
        }
    }

    /// Threads that there are.
    pub(crate) fn workers(&self) -> usize {
        workers(self.threads)
    }
}

/// How many threads are meant; 0 is all there are.
pub(crate) fn workers(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        some => some,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_settings_are_named() {
        let message = |config: TreesConfig| config.check().unwrap_err().to_string();
        let rate = TreesConfig { learning_rate: f64::NAN, ..TreesConfig::default() };
        assert_eq!(message(rate), "the learning rate of boosted trees must be a positive number, but is NaN");
        assert!(
            message(TreesConfig { max_leaves: 1, ..TreesConfig::default() }).contains("at least 2, but is 1")
        );
        assert!(message(TreesConfig { row_share: 1.5, ..TreesConfig::default() }).contains("share of rows"));
        assert!(
            message(TreesConfig { column_share: 0.0, ..TreesConfig::default() })
                .contains("share of features")
        );
        assert!(message(TreesConfig { patience: 0, ..TreesConfig::default() }).contains("patience"));
        assert!(TreesConfig::default().check().is_ok());
    }
}
