//! What each feature added to the score of a row: exact Shapley values of trees.
//!
//! S. M. Lundberg, G. Erion, H. Chen, A. DeGrave, J. M. Prutkin, B. Nair, R. Katz, J. Himmelfarb, N. Bansal and S.-I. Lee,
//! "From local explanations to global understanding with explainable AI for trees", Nature Machine Intelligence 2, 2020:
//! algorithm 2, which follows all subsets of features down the tree at once.
//!
//! The worth of a set S of features is what the trees are expected to say when only the features of S are known: a node that
//! looks at one of them sends the row to its side, any other sends it to both, in the shares in which the rows that the tree
//! was grown on went there (the *cover* of its children). A feature's part is what it adds to that on average over all orders
//! in which features become known. Parts add up to the score less the base, which is the worth of the empty set.
//!
//! A tree of L leaves and depth D takes O(L D²) steps per row.

use crate::TreesError;
use crate::code_set::contains;
use crate::model::{Node, Tree, TreesModel};
use crate::threads::in_threads;
use onesided_data::Matrix;

/// Rows to explain below which another thread costs more than it saves.
const WORTH_A_THREAD: usize = 16;

/// The deepest tree that is followed; grown ones are far from it.
const DEEPEST: usize = 1_000;

/// Shapley values of some rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Shap {
    /// What the model says when nothing is known of a row.
    pub base: f64,
    /// For each row what each feature added.
    pub parts: Vec<Vec<f64>>,
}

impl TreesModel {
    /// The Shapley values of each row, with this many threads; 0 is all there are. Trees of model files that are too old to
    /// hold covers are refused.
    pub fn shap(&self, matrix: &Matrix, threads: usize) -> Result<Shap, TreesError> {
        if matrix.cols() != self.features() {
            return Err(TreesError::Width { expected: self.features(), found: matrix.cols() });
        }
        let trees: Vec<Covered> =
            self.trees().iter().map(Covered::new).collect::<Option<_>>().ok_or(TreesError::NoCover)?;
        if trees.iter().any(|tree| tree.depth > DEEPEST) {
            return Err(TreesError::TooDeep { most: DEEPEST });
        }
        let base = self.start() + trees.iter().map(Covered::expected).sum::<f64>();
        let mut parts = vec![vec![0.0; self.features()]; matrix.rows()];
        in_threads(&mut parts, threads, WORTH_A_THREAD, |parts, from| {
            let mut paths = Vec::new();
            for (row, parts) in parts.iter_mut().enumerate() {
                for tree in &trees {
                    tree.add(matrix.row(from + row), &mut paths, parts);
                }
            }
        });
        Ok(Shap { base, parts })
    }
}

/// A tree with the share of its parent's rows that each node has.
struct Covered<'t> {
    tree: &'t Tree,
    shares: Vec<f64>,
    depth: usize,
}

/// One feature on the way down: the shares of subsets that pass with and without it.
#[derive(Clone, Copy, Default)]
struct Step {
    feature: u32,
    /// The share of rows that go this way where the feature is not known.
    without: f64,
    /// 1 where the row goes this way, else 0.
    with: f64,
    /// How much subsets with as many known features as this step's place weigh.
    weight: f64,
}

/// The root's step, which is not a feature's.
const NO_FEATURE: u32 = u32::MAX;

impl<'t> Covered<'t> {
    fn new(tree: &'t Tree) -> Option<Self> {
        if tree.cover.len() != tree.nodes.len() {
            return None;
        }
        let (mut shares, mut depths) = (vec![1.0; tree.nodes.len()], vec![0; tree.nodes.len()]);
        for (at, node) in tree.nodes.iter().enumerate() {
            let Some((left, right)) = children(node) else { continue };
            let all = f64::from(tree.cover[at]);
            // A node that no row came to parts evenly.
            let share = |child: usize| if all > 0.0 { f64::from(tree.cover[child]) / all } else { 0.5 };
            for child in [left, right] {
                (shares[child], depths[child]) = (share(child), depths[at] + 1);
            }
        }
        Some(Self { tree, shares, depth: depths.into_iter().max().unwrap_or(0) })
    }

    /// The mean answer over the rows that the tree was grown on.
    fn expected(&self) -> f64 {
        let mut worth = vec![0.0; self.tree.nodes.len()];
        // Children come after their parents.
        for (at, node) in self.tree.nodes.iter().enumerate().rev() {
            worth[at] = match (node, children(node)) {
                (Node::Leaf { value }, _) => f64::from(*value),
                (_, Some((left, right))) => {
                    self.shares[left] * worth[left] + self.shares[right] * worth[right]
                }
                _ => 0.0,
            };
        }
        worth[0]
    }

    /// Adds the tree's parts of a row. `paths` is a list to write on.
    fn add(&self, row: &[f32], paths: &mut Vec<Step>, parts: &mut [f64]) {
        // A path for each depth, each one step longer than the one above it.
        let steps = (self.depth + 2) * (self.depth + 3) / 2;
        if paths.len() < steps {
            paths.resize(steps, Step::default());
        }
        let root = Step { feature: NO_FEATURE, without: 1.0, with: 1.0, weight: 0.0 };
        self.follow(row, 0, &mut paths[..steps], 0, root, parts);
    }

    /// Continues from a node: `paths` begins with the `length` steps of the way to its parent, behind which there is room.
    fn follow(
        &self,
        row: &[f32],
        node: usize,
        paths: &mut [Step],
        mut length: usize,
        step: Step,
        parts: &mut [f64],
    ) {
        extend(paths, length, step);
        length += 1;
        let (feature, left, right) = match self.tree.nodes[node] {
            Node::Leaf { value } => {
                for at in 1..length {
                    let Step { feature, without, with, .. } = paths[at];
                    parts[feature as usize] +=
                        weight_without(&paths[..length], at) * (with - without) * f64::from(value);
                }
                return;
            }
            Node::Split { feature, left, right, .. } | Node::Categories { feature, left, right, .. } => {
                (feature, left as usize, right as usize)
            }
        };
        let (taken, other) = if self.tree.goes_left(node, row) { (left, right) } else { (right, left) };
        // A feature that was looked at above is one feature still.
        let (mut without, mut with) = (1.0, 1.0);
        if let Some(at) = (1..length).find(|&at| paths[at].feature == feature) {
            (without, with) = (paths[at].without, paths[at].with);
            unwind(paths, length, at);
            length -= 1;
        }
        for (child, with) in [(taken, with), (other, 0.0)] {
            let without = without * self.shares[child];
            // No subset passes here.
            if without == 0.0 && with == 0.0 {
                continue;
            }
            let (here, below) = paths.split_at_mut(length);
            below[..length].copy_from_slice(here);
            self.follow(row, child, below, length, Step { feature, without, with, weight: 0.0 }, parts);
        }
    }
}

fn children(node: &Node) -> Option<(usize, usize)> {
    match *node {
        Node::Leaf { .. } => None,
        Node::Split { left, right, .. } | Node::Categories { left, right, .. } => {
            Some((left as usize, right as usize))
        }
    }
}

/// One more step behind a way of `length` steps.
fn extend(path: &mut [Step], length: usize, step: Step) {
    path[length] = Step { weight: if length == 0 { 1.0 } else { 0.0 }, ..step };
    let all = (length + 1) as f64;
    for at in (0..length).rev() {
        path[at + 1].weight += step.with * path[at].weight * (at + 1) as f64 / all;
        path[at].weight *= step.without * (length - at) as f64 / all;
    }
}

/// Takes a step out of a way of `length` steps.
fn unwind(path: &mut [Step], length: usize, out: usize) {
    let (last, Step { without, with, .. }) = (length - 1, path[out]);
    let all = length as f64;
    let mut next = path[last].weight;
    for at in (0..last).rev() {
        if with != 0.0 {
            let before = path[at].weight;
            path[at].weight = next * all / ((at + 1) as f64 * with);
            next = before - path[at].weight * without * (last - at) as f64 / all;
        } else {
            path[at].weight *= all / (without * (last - at) as f64);
        }
    }
    for at in out..last {
        path[at] = Step { weight: path[at].weight, ..path[at + 1] };
    }
}

/// How much all subsets of a way weigh together when one step is taken out of it.
fn weight_without(path: &[Step], out: usize) -> f64 {
    let (last, Step { without, with, .. }) = (path.len() - 1, path[out]);
    let mut total = 0.0;
    if with != 0.0 {
        let mut next = path[last].weight;
        for at in (0..last).rev() {
            let part = next / ((at + 1) as f64 * with);
            total += part;
            next = path[at].weight - part * without * (last - at) as f64;
        }
    } else {
        for at in (0..last).rev() {
            total += path[at].weight / (without * (last - at) as f64);
        }
    }
    total * path.len() as f64
}

impl Tree {
    /// Where a row goes at a node.
    fn goes_left(&self, node: usize, row: &[f32]) -> bool {
        match self.nodes[node] {
            Node::Leaf { .. } => true,
            Node::Split { feature, threshold, missing_left, .. } => {
                let value = row[feature as usize];
                value <= threshold || (value.is_nan() && missing_left)
            }
            Node::Categories { feature, set, missing_left, .. } => {
                let value = row[feature as usize];
                if value.is_nan() { missing_left } else { contains(&self.sets[set as usize], value as u32) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bins::Binned;
    use crate::{ForestConfig, LabeledRows, RowDraw, TreesConfig, fit, fit_naive_bayes, grow_forest};
    use onesided_data::{ColumnKind, Columns, Stream};
    use std::borrow::Cow;

    const FEATURES: usize = 5;

    /// Numbers with holes, and two columns of categories.
    fn table(rows: usize) -> (Matrix, Vec<bool>, Binned) {
        let mut stream = Stream::new(5, "shap");
        let (mut values, mut positive) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            let (x, y, z) = (stream.normal(), stream.normal(), stream.normal());
            let (few, many) = (stream.below(3), stream.below(9));
            let hole = stream.below(8) == 0;
            values.extend([
                x as f32,
                if hole { f32::NAN } else { y as f32 },
                z as f32,
                few as f32,
                many as f32,
            ]);
            positive.push(x * y + z + if many % 2 == few % 2 { 1.0 } else { -0.5 } > 0.3);
        }
        let matrix = Matrix::new(rows, FEATURES, values).unwrap();
        let mut kinds = vec![ColumnKind::Numbers; 3];
        kinds.extend([ColumnKind::Categories { levels: 3 }, ColumnKind::Categories { levels: 9 }]);
        let binned = Binned::of_columns(&Columns { matrix: Cow::Borrowed(&matrix), kinds }, 1).unwrap();
        (matrix, positive, binned)
    }

    /// Every kind of model there is.
    fn models(binned: &Binned, positive: &[bool]) -> Vec<TreesModel> {
        let sample = LabeledRows { binned, positive, weights: None };
        let rows: Vec<u32> = (0..positive.len() as u32).collect();
        let config = TreesConfig { trees: 6, max_leaves: 12, row_share: 0.8, ..TreesConfig::default() };
        let boosted = fit(&sample, &rows, &[], &config).unwrap().model;
        let forest = |rows_drawn, random_cuts| {
            let config = ForestConfig {
                trees: 5,
                rows: rows_drawn,
                random_cuts,
                columns_a_split: 0.6,
                ..ForestConfig::default()
            };
            grow_forest(&sample, &rows, &config, &|_| true).unwrap()
        };
        let bags = TreesModel::mean([boosted.clone(), boosted.clone()]).unwrap();
        vec![
            boosted,
            forest(RowDraw::Bootstrap, false),
            forest(RowDraw::Balanced, true),
            fit_naive_bayes(&sample, &rows).unwrap(),
            bags,
        ]
    }

    /// What a tree is expected to say when the features of a set are known, by walking it.
    fn worth(tree: &Tree, node: usize, row: &[f32], known: u32) -> f64 {
        let Some((left, right)) = children(&tree.nodes[node]) else {
            let Node::Leaf { value } = tree.nodes[node] else { unreachable!() };
            return f64::from(value);
        };
        let (Node::Split { feature, .. } | Node::Categories { feature, .. }) = tree.nodes[node] else {
            unreachable!()
        };
        if known >> feature & 1 == 1 {
            let to = if tree.goes_left(node, row) { left } else { right };
            return worth(tree, to, row, known);
        }
        let cover = |node: usize| f64::from(tree.cover[node]);
        let share = if cover(node) > 0.0 { cover(left) / cover(node) } else { 0.5 };
        share * worth(tree, left, row, known) + (1.0 - share) * worth(tree, right, row, known)
    }

    /// Shapley values by their definition: a sum over all subsets.
    fn by_definition(model: &TreesModel, row: &[f32]) -> Vec<f64> {
        let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
        let of_set =
            |known: u32| -> f64 { model.trees().iter().map(|tree| worth(tree, 0, row, known)).sum() };
        (0..FEATURES as u32)
            .map(|feature| {
                let others = (0..1u32 << FEATURES).filter(|set| set >> feature & 1 == 0);
                let weighted = others.map(|set| {
                    let known = set.count_ones();
                    let weight = factorial(known) * factorial(FEATURES as u32 - known - 1)
                        / factorial(FEATURES as u32);
                    weight * (of_set(set | 1 << feature) - of_set(set))
                });
                weighted.sum()
            })
            .collect()
    }

    #[test]
    fn parts_are_the_shapley_values_of_the_definition() {
        let (matrix, positive, binned) = table(300);
        for (number, model) in models(&binned, &positive).into_iter().enumerate() {
            let some = matrix.select(&(0..25).collect::<Vec<usize>>());
            let shap = model.shap(&some, 1).unwrap();
            for (row, parts) in shap.parts.iter().enumerate() {
                let expected = by_definition(&model, some.row(row));
                let close = parts.iter().zip(&expected).all(|(ours, by)| (ours - by).abs() < 1e-10);
                assert!(close, "model {number}, row {row}: {parts:?} for {expected:?}");
            }
        }
    }

    #[test]
    fn parts_add_up_to_the_score_less_the_base_whatever_the_threads() {
        let (matrix, positive, binned) = table(400);
        for model in models(&binned, &positive) {
            let (shap, logits) = (model.shap(&matrix, 1).unwrap(), model.logits(&matrix).unwrap());
            for (parts, logit) in shap.parts.iter().zip(&logits) {
                assert!((parts.iter().sum::<f64>() + shap.base - logit).abs() < 1e-6);
            }
            assert_eq!(model.shap(&matrix, 3).unwrap(), shap);
        }
        // The base of boosted trees on all rows is the mean score of these rows.
        let sample = LabeledRows { binned: &binned, positive: &positive, weights: None };
        let rows: Vec<u32> = (0..400).collect();
        let config = TreesConfig { trees: 5, ..TreesConfig::default() };
        let model = fit(&sample, &rows, &[], &config).unwrap().model;
        let mean = model.logits(&matrix).unwrap().iter().sum::<f64>() / 400.0;
        assert!((model.shap(&matrix, 1).unwrap().base - mean).abs() < 1e-9);
    }

    #[test]
    fn trees_without_covers_are_refused() {
        let (matrix, positive, binned) = table(60);
        let model = models(&binned, &positive).remove(0);
        let mut trees = model.trees().to_vec();
        trees[0].cover.clear();
        let old = TreesModel::from_parts(FEATURES, 0.0, trees).unwrap();
        assert_eq!(old.shap(&matrix, 1).unwrap_err(), TreesError::NoCover);
        // A tree that is one leaf says the same of every row.
        let leaf = Tree { nodes: vec![Node::Leaf { value: 2.0 }], cover: vec![7], ..Tree::default() };
        let leaf = TreesModel::from_parts(FEATURES, 0.5, vec![leaf]).unwrap();
        let shap = leaf.shap(&matrix, 1).unwrap();
        assert!(shap.base == 2.5 && shap.parts.iter().flatten().all(|&part| part == 0.0));
    }
}
