//! Grown trees, and what they say of new rows.

use crate::TreesError;
use crate::bins::{Binned, Feature};
use crate::code_set::contains;
use crate::codec::{Reader, Writer};
use crate::compiled::{BLOCK, Compiled, SMALL_BLOCK};
use crate::split::Cut;
use crate::threads::in_threads;
use onesided_data::{Matrix, Phase};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

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
    /// Some categories go left, the others right, missing ones to their side.
    Categories {
        /// Which feature is looked at.
        feature: u32,
        /// Which of the tree's sets goes left.
        set: u32,
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

/// A tree: its root is the first node, and children come after their parents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// Sets of codes of categories, a bit for each code, 32 to a word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<Vec<u32>>,
    /// How many of the rows that the tree was grown on came to each node; nothing in older model files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cover: Vec<u32>,
}

/// A sum of trees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct TreesModel {
    features: usize,
    start: f64,
    trees: Vec<Tree>,
    ready: Ready,
}

/// What scoring needs, made when rows are first scored; no part of what the model is.
#[derive(Clone, Debug, Default)]
struct Ready(OnceLock<Arc<Compiled>>);

impl PartialEq for Ready {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl TreesModel {
    /// A model of stored parts, if every walk through its trees ends.
    pub fn from_parts(features: usize, start: f64, trees: Vec<Tree>) -> Result<Self, TreesError> {
        let model = Self::new(features, start, trees);
        model.check()?;
        Ok(model)
    }

    pub(crate) fn new(features: usize, start: f64, trees: Vec<Tree>) -> Self {
        Self { features, start, trees, ready: Ready::default() }
    }

    /// The mean of several models of the same features.
    pub fn mean(models: impl IntoIterator<Item = TreesModel>) -> Option<Self> {
        let models: Vec<TreesModel> = models.into_iter().collect();
        let (features, many) = (models.first()?.features, models.len());
        let start = models.iter().map(|model| model.start).sum::<f64>() / many as f64;
        let mut trees: Vec<Tree> = models.into_iter().flat_map(|model| model.trees).collect();
        trees.iter_mut().for_each(|tree| tree.scale(1.0 / many as f32));
        Some(Self::new(features, start, trees))
    }

    /// The trees alone that look at any of some features, without the logit before the first tree.
    pub fn that_look_at(&self, wanted: impl Fn(usize) -> bool) -> Self {
        let looks = |node: &Node| match *node {
            Node::Split { feature, .. } | Node::Categories { feature, .. } => wanted(feature as usize),
            Node::Leaf { .. } => false,
        };
        let some = self.trees.iter().filter(|tree| tree.nodes.iter().any(looks));
        Self::new(self.features, 0.0, some.cloned().collect())
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
        let ready = self.ready.0.get_or_init(|| Arc::new(Compiled::new(&self.trees)));
        let mut logits = vec![self.start; matrix.rows()];
        let phase = Phase::new("scoring", matrix.rows() as u64, "rows");
        let fill = |logits: &mut [f64], from: usize| {
            if logits.len() <= SMALL_BLOCK {
                let row = |row: usize| matrix.row(from + row);
                return ready.add(&self.trees, row, logits, &mut ready.block::<SMALL_BLOCK>());
            }
            // Tree by tree over a block of rows: both stay in the cache.
            let mut block = ready.block::<BLOCK>();
            for (number, logits) in logits.chunks_mut(BLOCK).enumerate() {
                let first = from + number * BLOCK;
                ready.add(&self.trees, |row| matrix.row(first + row), logits, &mut block);
                phase.add(logits.len() as u64);
            }
        };
        in_threads(&mut logits, threads, WORTH_A_THREAD, fill);
        Ok(logits)
    }

    /// The logits of some rows whose cells are here.
    pub(crate) fn logits_here(&self, binned: &Binned, rows: &[u32], threads: usize) -> Vec<f64> {
        let mut logits = vec![self.start; rows.len()];
        match binned.values_of_bins().filter(|_| rows.len() > SMALL_BLOCK) {
            Some(values) => self.add_by_masks(binned, &values, rows, threads, &mut logits),
            None => self.add_by_walks(binned, rows, threads, &mut logits),
        }
        logits
    }

    /// A value stands for its bin, and rows are scored as any others are.
    fn add_by_masks(
        &self,
        binned: &Binned,
        values: &[[f32; 256]],
        rows: &[u32],
        threads: usize,
        logits: &mut [f64],
    ) {
        let ready = self.ready.0.get_or_init(|| Arc::new(Compiled::new(&self.trees)));
        in_threads(logits, threads, WORTH_A_THREAD, |logits, from| {
            let (mut block, mut cells) = (ready.block::<BLOCK>(), vec![0.0; BLOCK * self.features]);
            for (logits, rows) in logits.chunks_mut(BLOCK).zip(rows[from..].chunks(BLOCK)) {
                for (feature, values) in values.iter().enumerate() {
                    let bins = binned.feature(feature);
                    let places = cells[feature..].iter_mut().step_by(self.features);
                    places.zip(rows).for_each(|(cell, &row)| *cell = values[usize::from(bins.at(row))]);
                }
                let row = |row: usize| &cells[row * self.features..(row + 1) * self.features];
                ready.add(&self.trees, row, logits, &mut block);
            }
        });
    }

    /// Writes it down for a worker.
    pub(crate) fn put(&self, to: &mut Writer) {
        to.one(self.features as u64).one(self.start).each(&self.trees, |to, tree| {
            to.each(&tree.sets, |to, set| _ = to.list(set));
            to.each(&tree.nodes, |to, node| {
                match *node {
                    Node::Leaf { value } => to.one([0, 0, 0, 0u32]).one(value),
                    Node::Split { feature, threshold, missing_left, left, right } => {
                        to.one([1 | u32::from(missing_left) << 1, feature, left, right]).one(threshold)
                    }
                    Node::Categories { feature, set, missing_left, left, right } => {
                        let number = f32::from_bits(set);
                        to.one([4 | u32::from(missing_left) << 1, feature, left, right]).one(number)
                    }
                };
            });
        });
    }

    /// Reads what [`put`](Self::put) wrote.
    pub(crate) fn get(from: &mut Reader) -> Result<Self, TreesError> {
        let (features, start) = (from.one::<u64>()? as usize, from.one()?);
        let trees = from.each(|from| {
            let sets = from.each(Reader::list)?;
            let nodes = from.each(|from| {
                let [kind, feature, left, right]: [u32; 4] = from.one()?;
                let (number, missing_left) = (from.one::<f32>()?, kind & 2 == 2);
                Ok(match kind & 5 {
                    0 => Node::Leaf { value: number },
                    1 => Node::Split { feature, threshold: number, missing_left, left, right },
                    _ => Node::Categories { feature, set: number.to_bits(), missing_left, left, right },
                })
            })?;
            Ok(Tree { nodes, sets, cover: Vec::new() })
        })?;
        Self::from_parts(features, start, trees)
    }

    fn add_by_walks(&self, binned: &Binned, rows: &[u32], threads: usize, logits: &mut [f64]) {
        let trees: Vec<(&Tree, Vec<Option<Cut>>)> =
            self.trees.iter().map(|tree| (tree, tree.cuts(binned))).collect();
        in_threads(logits, threads, WORTH_A_THREAD, |logits, from| {
            for (logit, &row) in logits.iter_mut().zip(&rows[from..]) {
                for (tree, cuts) in &trees {
                    *logit += f64::from(tree.value_of_bins(cuts, binned, row));
                }
            }
        });
    }
}

/// A tree to walk: siblings side by side, twelve bytes a node.
#[derive(Debug)]
pub(crate) struct FlatTree {
    nodes: Vec<FlatNode>,
}

#[derive(Clone, Copy, Debug)]
struct FlatNode {
    /// The threshold, the answer, or the bits of a set's number.
    number: f32,
    /// The left child; the right one is behind it. 0 for a leaf.
    left: u32,
    /// The feature above two bits: whether missing values go left, and whether the node is of categories.
    feature: u32,
}

impl FlatTree {
    pub(crate) fn new(tree: &Tree) -> Self {
        let leaf = FlatNode { number: 0.0, left: 0, feature: 0 };
        let mut nodes = vec![leaf];
        let mut open = vec![(0usize, 0usize)];
        while let Some((from, to)) = open.pop() {
            let (feature, missing_left, left, right) = match tree.nodes[from] {
                Node::Leaf { value } => {
                    nodes[to].number = value;
                    continue;
                }
                Node::Split { feature, threshold, missing_left, left, right } => {
                    nodes[to].number = threshold;
                    (feature << 2, missing_left, left, right)
                }
                Node::Categories { feature, set, missing_left, left, right } => {
                    nodes[to].number = f32::from_bits(set);
                    (feature << 2 | 1, missing_left, left, right)
                }
            };
            nodes[to].feature = feature | u32::from(missing_left) << 1;
            nodes[to].left = nodes.len() as u32;
            open.extend([(left as usize, nodes.len()), (right as usize, nodes.len() + 1)]);
            nodes.extend([leaf; 2]);
        }
        Self { nodes }
    }

    /// Adds what the tree says of rows to their logits.
    pub(crate) fn add(&self, tree: &Tree, rows: &[&[f32]], logits: &mut [f64]) {
        let rows = logits.iter_mut().zip(rows);
        rows.for_each(|(logit, row)| *logit += f64::from(self.value(&tree.sets, row)));
    }

    /// The answer for a row, with the tree's sets.
    pub(crate) fn value(&self, sets: &[Vec<u32>], row: &[f32]) -> f32 {
        let mut node = self.nodes[0];
        while node.left != 0 {
            let value = row[(node.feature >> 2) as usize];
            let missing_right = node.feature & 2 == 0;
            let right = if node.feature & 1 == 0 {
                value > node.number || (value.is_nan() && missing_right)
            } else if value.is_nan() {
                missing_right
            } else {
                !contains(&sets[node.number.to_bits() as usize], value as u32)
            };
            node = self.nodes[node.left as usize + usize::from(right)];
        }
        node.number
    }
}

impl Tree {
    /// Multiplies every answer.
    pub(crate) fn scale(&mut self, by: f32) {
        for node in &mut self.nodes {
            if let Node::Leaf { value } = node {
                *value *= by;
            }
        }
    }

    /// Adds a set of codes, and gives its number.
    pub(crate) fn push_set(&mut self, set: Vec<u32>) -> u32 {
        self.sets.push(set);
        self.sets.len() as u32 - 1
    }

    /// The cuts of the nodes in the bins of the data that the tree was grown on.
    pub(crate) fn cuts(&self, binned: &Binned) -> Vec<Option<Cut>> {
        let cut = |node: &Node| match *node {
            Node::Leaf { .. } => None,
            Node::Split { feature, threshold, missing_left, .. } => {
                let kind = binned.kind(feature as usize);
                let edges = match kind {
                    Feature::Numbers(edges) => &edges[..],
                    Feature::Categories { .. } | Feature::Ordered { .. } => &[],
                };
                let bin = edges.partition_point(|&edge| edge < threshold) as u8;
                Some(Cut::After { bin, missing: kind.missing(), missing_left })
            }
            // Levels that have no bin of their own: rows go by their codes.
            Node::Categories { feature, set, missing_left, .. }
                if binned.codes(feature as usize).is_some() =>
            {
                let set = Arc::new(self.sets[set as usize].clone());
                Some(Cut::Levels { set, missing_left })
            }
            Node::Categories { feature, set, missing_left, .. } => {
                let kind = binned.kind(feature as usize);
                let mut bits = [0u64; 4];
                let mut put = |bin: usize| bits[bin / 64] |= 1 << (bin % 64);
                if let Feature::Categories { of_bins, others } = kind {
                    let first_of_others = others.first().into_iter();
                    for (bin, &code) in of_bins.iter().chain(first_of_others).enumerate() {
                        if contains(&self.sets[set as usize], code) {
                            put(bin);
                        }
                    }
                }
                if missing_left {
                    put(usize::from(kind.missing()));
                }
                Some(Cut::Set(bits))
            }
        };
        self.nodes.iter().map(cut).collect()
    }

    /// The answer for a row of the data that the tree was grown on.
    pub(crate) fn value_of_bins(&self, cuts: &[Option<Cut>], binned: &Binned, row: u32) -> f32 {
        let mut at = 0;
        loop {
            match (self.nodes[at], &cuts[at]) {
                (Node::Leaf { value }, _) => return value,
                (
                    Node::Split { feature, left, right, .. } | Node::Categories { feature, left, right, .. },
                    Some(cut),
                ) => {
                    at = if binned.goes_left(feature, cut, row) { left } else { right } as usize;
                }
                (_, None) => return 0.0,
            }
        }
    }

    /// Whether each split looks at one of the features and leads to nodes behind it, and every number is finite.
    fn is_sound(&self, features: usize) -> bool {
        let sound = |(at, node): (usize, &Node)| {
            let child = |node: u32| (node as usize) > at && (node as usize) < self.nodes.len();
            match *node {
                Node::Leaf { value } => value.is_finite(),
                Node::Split { feature, threshold, left, right, .. } => {
                    (feature as usize) < features && threshold.is_finite() && child(left) && child(right)
                }
                Node::Categories { feature, set, left, right, .. } => {
                    let known = (feature as usize) < features && (set as usize) < self.sets.len();
                    known && child(left) && child(right)
                }
            }
        };
        let nodes = !self.nodes.is_empty() && features < 1 << 30 && self.nodes.iter().enumerate().all(sound);
        nodes && (self.cover.is_empty() || self.covers_add_up())
    }

    /// Whether each row that came to a node went to one of its children.
    fn covers_add_up(&self) -> bool {
        let parted = |(node, &all): (&Node, &u32)| match *node {
            Node::Leaf { .. } => true,
            Node::Split { left, right, .. } | Node::Categories { left, right, .. } => {
                let cover = |child: u32| u64::from(self.cover[child as usize]);
                cover(left) + cover(right) == u64::from(all)
            }
        };
        self.cover.len() == self.nodes.len() && self.nodes.iter().zip(&self.cover).all(parted)
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
    fn from(TreesModel { features, start, trees, .. }: TreesModel) -> Self {
        Self { features, start, trees }
    }
}

impl TryFrom<Parts> for TreesModel {
    type Error = TreesError;

    fn try_from(Parts { features, start, trees }: Parts) -> Result<Self, TreesError> {
        Self::from_parts(features, start, trees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stump() -> TreesModel {
        let split = Node::Split { feature: 1, threshold: 2.0, missing_left: true, left: 1, right: 2 };
        let nodes = vec![split, Node::Leaf { value: -1.0 }, Node::Leaf { value: 0.5 }];
        TreesModel::new(
            2,
            0.25,
            vec![Tree { nodes: nodes.clone(), ..Tree::default() }, Tree { nodes, ..Tree::default() }],
        )
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
