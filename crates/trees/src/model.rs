//! Grown trees, and what they say of new rows.

use crate::TreesError;
use crate::bins::{Binned, MISSING};
use crate::config::workers;
use onesided_data::Matrix;
use serde::{Deserialize, Serialize};

/// Rows to score below which another thread costs more than it saves.
const WORTH_A_THREAD: usize = 1_000;

/// One node of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Node {
    /// Values up to the threshold go left, larger ones right, missing ones to their side.
    Split {
        /// Which feature is looked at.
        feature: u32,
        /// The largest value that goes left.
        threshold: f32,
        /// Where NaN goes.
        missing_left: bool,
        /// The node to the left.
        left: u32,
        /// The node to the right.
        right: u32,
    },
    /// An answer.
    Leaf {
        /// Added to the logit, the learning rate included.
        value: f32,
    },
}

/// A tree: its root is the first node, and children stand behind their parents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// The nodes.
    pub nodes: Vec<Node>,
}

/// A sum of trees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct TreesModel {
    features: usize,
    start: f64,
    trees: Vec<Tree>,
}

impl TreesModel {
    /// A model of stored parts, if every walk through its trees ends.
    pub fn from_parts(features: usize, start: f64, trees: Vec<Tree>) -> Result<Self, TreesError> {
        let model = Self { features, start, trees };
        model.check()?;
        Ok(model)
    }

    pub(crate) fn new(features: usize, start: f64, trees: Vec<Tree>) -> Self {
        Self { features, start, trees }
    }

    /// How many features a row must have.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The logit before the first tree.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// The trees.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// That every walk through the trees ends at a number. It holds for every model that was grown or read from JSON.
    pub fn check(&self) -> Result<(), TreesError> {
        if !self.start.is_finite() {
            return Err(TreesError::Start);
        }
        match self.trees.iter().position(|tree| !tree.is_sound(self.features)) {
            Some(at) => Err(TreesError::Node(at + 1)),
            None => Ok(()),
        }
    }

    /// The logit of each row.
    pub fn logits(&self, matrix: &Matrix) -> Result<Vec<f64>, TreesError> {
        self.logits_with_threads(matrix, 1)
    }

    /// The logit of each row, with this many threads; 0 is all there are. The logits do not depend on it.
    pub fn logits_with_threads(&self, matrix: &Matrix, threads: usize) -> Result<Vec<f64>, TreesError> {
        if matrix.cols() != self.features {
            return Err(TreesError::Width { expected: self.features, found: matrix.cols() });
        }
        let mut logits = vec![0.0; matrix.rows()];
        let fill = |logits: &mut [f64], from: usize| {
            for (i, logit) in logits.iter_mut().enumerate() {
                *logit = self.logit(matrix.row(from + i));
            }
        };
        let parts = workers(threads).min(matrix.rows() / WORTH_A_THREAD + 1);
        if parts == 1 {
            fill(&mut logits, 0);
            return Ok(logits);
        }
        let share = logits.len().div_ceil(parts);
        std::thread::scope(|scope| {
            for (number, logits) in logits.chunks_mut(share).enumerate() {
                scope.spawn(move || fill(logits, number * share));
            }
        });
        Ok(logits)
    }

    /// The logits of some rows of binned data: of the data that the trees were grown on, whose bins they know.
    pub fn logits_of(&self, binned: &Binned, rows: &[u32]) -> Result<Vec<f64>, TreesError> {
        if binned.features() != self.features {
            return Err(TreesError::Width { expected: self.features, found: binned.features() });
        }
        binned.check_rows(rows)?;
        let values =
            |row: u32| self.trees.iter().map(move |tree| f64::from(tree.value_of_bins(binned, row as usize)));
        Ok(rows.iter().map(|&row| self.start + values(row).sum::<f64>()).collect())
    }

    /// The logit of one row, which has as many values as there are features.
    fn logit(&self, row: &[f32]) -> f64 {
        self.start + self.trees.iter().map(|tree| f64::from(tree.value(row))).sum::<f64>()
    }
}

impl Tree {
    fn value(&self, row: &[f32]) -> f32 {
        self.walk(|feature, threshold, missing_left| {
            let value = row[feature];
            if value.is_nan() { missing_left } else { value <= threshold }
        })
    }

    /// The answer for a row of the data that the tree was grown on.
    pub(crate) fn value_of_bins(&self, binned: &Binned, row: usize) -> f32 {
        self.walk(|feature, threshold, missing_left| match binned.feature(feature)[row] {
            MISSING => missing_left,
            // The lower edge of the row's bin lies at or above the threshold if the row goes right.
            0 => true,
            bin => binned.edge(feature, bin - 1) < threshold,
        })
    }

    /// Whether each split looks at one of the features and leads to nodes behind it, and every number is finite.
    fn is_sound(&self, features: usize) -> bool {
        let sound = |(at, node): (usize, &Node)| match *node {
            Node::Leaf { value } => value.is_finite(),
            Node::Split { feature, threshold, left, right, .. } => {
                let child = |node: u32| (node as usize) > at && (node as usize) < self.nodes.len();
                (feature as usize) < features && threshold.is_finite() && child(left) && child(right)
            }
        };
        !self.nodes.is_empty() && self.nodes.iter().enumerate().all(sound)
    }

    fn walk(&self, left_at: impl Fn(usize, f32, bool) -> bool) -> f32 {
        let mut at = 0;
        loop {
            match self.nodes[at] {
                Node::Leaf { value } => return value,
                Node::Split { feature, threshold, missing_left, left, right } => {
                    at = if left_at(feature as usize, threshold, missing_left) { left } else { right }
                        as usize;
                }
            }
        }
    }
}

/// What is stored; a model is made of it only if every walk through its trees ends.
#[derive(Serialize, Deserialize)]
struct Parts {
    features: usize,
    start: f64,
    trees: Vec<Tree>,
}

impl From<TreesModel> for Parts {
    fn from(TreesModel { features, start, trees }: TreesModel) -> Self {
        Self { features, start, trees }
    }
}

impl TryFrom<Parts> for TreesModel {
    type Error = TreesError;

    fn try_from(Parts { features, start, trees }: Parts) -> Result<Self, TreesError> {
        let model = Self { features, start, trees };
        model.check().map(|()| model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stump() -> TreesModel {
        let split = Node::Split { feature: 1, threshold: 2.0, missing_left: true, left: 1, right: 2 };
        let nodes = vec![split, Node::Leaf { value: -1.0 }, Node::Leaf { value: 0.5 }];
        TreesModel::new(2, 0.25, vec![Tree { nodes: nodes.clone() }, Tree { nodes }])
    }

    #[test]
    fn rows_walk_to_their_leaves() {
        let rows = vec![9.0, 2.0, 9.0, 2.1, 9.0, f32::NAN];
        let logits = stump().logits(&Matrix::new(3, 2, rows).unwrap()).unwrap();
        assert_eq!(logits, [-1.75, 1.25, -1.75]);
        let narrow = Matrix::new(1, 1, vec![0.0]).unwrap();
        let error = stump().logits(&narrow).unwrap_err().to_string();
        assert_eq!(error, "the trees were grown on 2 features, but the rows have 1");
    }

    #[test]
    fn threads_do_not_change_logits() {
        let rows: Vec<f32> = (0..10_006).map(|i| (i % 13) as f32 / 3.0).collect();
        let matrix = Matrix::new(5_003, 2, rows).unwrap();
        let one = stump().logits(&matrix).unwrap();
        for threads in [0, 2, 3, 64] {
            assert_eq!(stump().logits_with_threads(&matrix, threads).unwrap(), one, "{threads}");
        }
        let none = Matrix::new(0, 2, Vec::new()).unwrap();
        assert!(stump().logits_with_threads(&none, 4).unwrap().is_empty());
    }

    #[test]
    fn a_model_comes_back_from_json_and_a_crafted_one_does_not() {
        let text = serde_json::to_string(&stump()).unwrap();
        assert_eq!(serde_json::from_str::<TreesModel>(&text).unwrap(), stump());
        for (from, to) in [
            ("\"left\":1", "\"left\":0"),
            ("\"right\":2", "\"right\":3"),
            ("\"feature\":1", "\"feature\":2"),
            ("\"threshold\":2.0", "\"threshold\":1e99"),
        ] {
            assert!(text.contains(from), "{text}");
            assert!(serde_json::from_str::<TreesModel>(&text.replace(from, to)).is_err(), "{to}");
        }
    }
}
