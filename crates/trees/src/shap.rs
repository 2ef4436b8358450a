//! What each feature added to the score of a row: exact Shapley values of trees.
//!
//! S. M. Lundberg, G. Erion, H. Chen, A. DeGrave, J. M. Prutkin, B. Nair, R. Katz, J. Himmelfarb, N. Bansal and S.-I. Lee,
//! "From local explanations to global understanding with explainable AI for trees", Nature Machine Intelligence 2, 2020.
//!
//! The worth of a set S of features is what the trees are expected to say when only the features of S are known: a node that
//! looks at one of them sends the row to its side, any other sends it to both, in the shares in which the rows that the tree
//! was grown on went there (the *cover* of its children). A feature's part is what it adds to that on average over all orders
//! in which features become known. Parts add up to the score less the base, which is the worth of the empty set.
//!
//! A leaf is worth its answer times a factor for each feature on the way: o (1 or 0, whether the row goes this way) where the
//! feature is known, z (the share of rows that do) where it is not. The mean over all orders of such a product is an integral over
//! the share t of features that are known (G. Owen, "Multilinear extensions of games", Management Science 18, 1972):
//!
//! ```text
//! part of i = answer · (o_i − z_i) ∫₀¹ ∏_{j ≠ i} (t o_j + (1 − t) z_j) dt,
//! ```
//!
//! a polynomial of t, which Gauss's rule integrates exactly at half as many points as there are features on the way. The products are
//! made on the way down, and sums of them over the leaves on the way back, where each edge takes its own factor out again (P. Yu, A.
//! Bifet, J. Read and C. Xu, "Linear tree Shap", NeurIPS 2022). A tree of L leaves with D features on a way takes O(L D) steps, each
//! for several rows at once.

use crate::TreesError;
use crate::code_set::contains;
use crate::model::{Node, Tree, TreesModel};
use crate::threads::in_threads;
use onesided_data::Matrix;
use onesided_loss::gauss_legendre;

/// Rows to explain below which another thread costs more than it saves.
const WORTH_A_THREAD: usize = 16;

/// The deepest tree that is followed; grown ones are far from it.
const DEEPEST: usize = 1_000;

/// Rows that go through a tree side by side, and groups of them that do while the tree is in the cache.
const LANES: usize = 16;
const GROUPS: usize = 4;

/// A number for each of some rows.
type Lanes = [f64; LANES];

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
        if trees.iter().any(|tree| tree.depth() > DEEPEST) {
            return Err(TreesError::TooDeep { most: DEEPEST });
        }
        let base = self.start() + trees.iter().map(|tree| tree.expected).sum::<f64>();
        let rules = Rules::new(&trees);
        let mut parts = vec![vec![0.0; self.features()]; matrix.rows()];
        in_threads(&mut parts, threads, WORTH_A_THREAD, |parts, from| {
            let mut walk = Walk::default();
            for (number, parts) in parts.chunks_mut(LANES * GROUPS).enumerate() {
                let first = from + number * LANES * GROUPS;
                let row = |at: usize| matrix.row(first + at);
                let mut groups: Vec<Group> =
                    (0..parts.len()).step_by(LANES).map(|at| Group::of(at..parts.len(), row)).collect();
                for tree in &trees {
                    pulp::Arch::new().dispatch(Pass {
                        tree,
                        rule: rules.of(tree),
                        groups: &mut groups,
                        walk: &mut walk,
                    });
                }
                for (at, parts) in parts.iter_mut().enumerate() {
                    let sums = &groups[at / LANES].parts;
                    parts.iter_mut().zip(sums).for_each(|(part, lanes)| *part = lanes[at % LANES]);
                }
            }
        });
        Ok(Shap { base, parts })
    }
}

/// Gauss's rules by how many points they have.
struct Rules(Vec<Vec<(f64, f64)>>);

impl Rules {
    /// Those that some trees need.
    fn new(trees: &[Covered]) -> Self {
        let most = trees.iter().map(Covered::points).max().unwrap_or(0);
        Self((0..=most).map(gauss_legendre).collect())
    }

    fn of(&self, tree: &Covered) -> &[(f64, f64)] {
        &self.0[tree.points()]
    }
}

/// Some rows: what each feature is, and what it added so far.
struct Group {
    values: Vec<[f32; LANES]>,
    parts: Vec<Lanes>,
}

impl Group {
    /// The first of these rows; the last one again where there are too few.
    fn of<'r>(rows: std::ops::Range<usize>, row: impl Fn(usize) -> &'r [f32]) -> Self {
        let rows: [&[f32]; LANES] = std::array::from_fn(|lane| row((rows.start + lane).min(rows.end - 1)));
        let values: Vec<[f32; LANES]> =
            (0..rows[0].len()).map(|feature| rows.map(|row| row[feature])).collect();
        Self { parts: vec![[0.0; LANES]; values.len()], values }
    }
}

/// A tree as it is followed: from node to node, each before what is below it and the left side before the right one.
struct Covered<'t> {
    tree: &'t Tree,
    steps: Vec<Step>,
    /// The mean answer over the rows that the tree was grown on.
    expected: f64,
    /// The most features on a way.
    features: usize,
}

/// The step to a node; that to the root is no step.
#[derive(Clone, Copy)]
struct Step {
    /// The node, and the one above it, and whether this is its left side.
    node: u32,
    above: u32,
    left: bool,
    /// Steps from the root.
    depth: u32,
    /// The feature that the node above looks at.
    feature: u32,
    /// How deep the step before was on which that feature decided; 0 if there is none.
    before: u32,
    /// The share of rows that go this way where the feature is not known: a product where it decided before.
    without: f64,
}

impl<'t> Covered<'t> {
    fn new(tree: &'t Tree) -> Option<Self> {
        if tree.cover.len() != tree.nodes.len() {
            return None;
        }
        let root = Step { node: 0, above: 0, left: false, depth: 0, feature: 0, before: 0, without: 1.0 };
        let (mut steps, mut open) = (Vec::with_capacity(tree.nodes.len()), vec![(root, 0, 1.0)]);
        // The steps from the root to the one at hand.
        let mut way: Vec<Step> = Vec::new();
        let (mut expected, mut most) = (0.0, 0);
        while let Some((step, features, share)) = open.pop() {
            way.truncate(step.depth as usize);
            way.push(step);
            steps.push(step);
            most = most.max(features);
            let (feature, left, right) = match tree.nodes[step.node as usize] {
                Node::Leaf { value } => {
                    expected += share * f64::from(value);
                    continue;
                }
                Node::Split { feature, left, right, .. } | Node::Categories { feature, left, right, .. } => {
                    (feature, left, right)
                }
            };
            let before = way.iter().skip(1).rev().find(|step| step.feature == feature);
            let (before, without) = before.map_or((0, 1.0), |step| (step.depth, step.without));
            let features = features + usize::from(before == 0);
            for (node, is_left) in [(right, false), (left, true)] {
                let all = f64::from(tree.cover[step.node as usize]);
                // A node that no row came to parts evenly.
                let part = if all > 0.0 { f64::from(tree.cover[node as usize]) / all } else { 0.5 };
                let next = Step {
                    node,
                    above: step.node,
                    left: is_left,
                    depth: step.depth + 1,
                    feature,
                    before,
                    without: without * part,
                };
                open.push((next, features, share * part));
            }
        }
        Some(Self { tree, steps, expected, features: most })
    }

    fn depth(&self) -> usize {
        self.steps.iter().map(|step| step.depth as usize).max().unwrap_or(0)
    }

    /// Points at which the product of all factors but one is integrated exactly.
    fn points(&self) -> usize {
        self.features.div_ceil(2).max(1)
    }
}

/// What is remembered on the way: for each depth one, or one for each point of the rule.
#[derive(Default)]
struct Walk {
    /// Which step of the tree it was.
    steps: Vec<usize>,
    /// o: 1 for rows that go this way at each node that looks at the feature, else 0.
    with: Vec<Lanes>,
    /// Products of the factors so far.
    products: Vec<Lanes>,
    /// Sums over the leaves that are done.
    sums: Vec<Lanes>,
    /// For each step of the tree and point: the inverse of the factor of rows that do not go this way, and of those that do.
    inverses: Vec<[f64; 2]>,
}

/// Some rows through one tree, compiled for every width of vectors that processors have.
struct Pass<'a> {
    tree: &'a Covered<'a>,
    rule: &'a [(f64, f64)],
    groups: &'a mut [Group],
    walk: &'a mut Walk,
}

impl pulp::WithSimd for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { tree, rule, groups, walk } = self;
        let (points, deep) = (rule.len(), tree.depth() + 1);
        walk.steps.resize(deep, 0);
        walk.with.resize(deep, [0.0; LANES]);
        walk.products.resize(deep * points, [0.0; LANES]);
        walk.sums.resize(deep * points, [0.0; LANES]);
        walk.inverses.clear();
        for step in &tree.steps {
            walk.inverses.extend(rule.iter().map(|&(at, _)| {
                // A factor is 0 only where nothing goes this way, and then so is what it is multiplied by.
                let (not, with) = ((1.0 - at) * step.without, at + (1.0 - at) * step.without);
                let not = if not > 0.0 { 1.0 / not } else { 0.0 };
                [not, 1.0 / with]
            }));
        }
        for group in groups {
            tree.add(rule, group, walk);
        }
    }
}

impl Covered<'_> {
    /// Adds the tree's parts of some rows.
    #[inline(always)]
    fn add(&self, rule: &[(f64, f64)], group: &mut Group, walk: &mut Walk) {
        let points = rule.len();
        walk.products[..points].fill([1.0; LANES]);
        for (number, step) in self.steps.iter().enumerate() {
            let depth = step.depth as usize;
            walk.steps[depth] = number;
            if depth > 0 {
                self.enter(rule, step, &group.values, walk);
            }
            walk.sums[depth * points..(depth + 1) * points].fill([0.0; LANES]);
            let Node::Leaf { value } = self.tree.nodes[step.node as usize] else { continue };
            let (value, here) = (f64::from(value), depth * points..(depth + 1) * points);
            for (sum, product) in walk.sums[here.clone()].iter_mut().zip(&walk.products[here]) {
                for lane in 0..LANES {
                    sum[lane] = value * product[lane];
                }
            }
            // All nodes end here that the next step does not come from.
            let next = self.steps.get(number + 1).map_or(1, |next| next.depth as usize);
            for depth in (next..=depth).rev() {
                self.leave(rule, depth, &mut group.parts, walk);
            }
        }
    }

    /// What a step makes of the products.
    #[inline(always)]
    fn enter(&self, rule: &[(f64, f64)], step: &Step, values: &[[f32; LANES]], walk: &mut Walk) {
        let (points, depth, before) = (rule.len(), step.depth as usize, step.before as usize);
        let mut with = [0.0; LANES];
        self.tree.sides(step.above as usize, values, step.left, &mut with);
        if before > 0 {
            let known = walk.with[before];
            for lane in 0..LANES {
                with[lane] *= known[lane];
            }
        }
        walk.with[depth] = with;
        let (above, below) = walk.products.split_at_mut(depth * points);
        for (point, &(at, _)) in rule.iter().enumerate() {
            let not = (1.0 - at) * step.without;
            let (from, to) = (&above[(depth - 1) * points + point], &mut below[point]);
            for lane in 0..LANES {
                to[lane] = from[lane] * (not + at * with[lane]);
            }
            if before > 0 {
                let inverse = walk.inverses[walk.steps[before] * points + point];
                let known = &walk.with[before];
                for lane in 0..LANES {
                    to[lane] *= of(inverse, known[lane]);
                }
            }
        }
    }

    /// What the leaves below a step say of its feature. What the step before with that feature said of them is taken back there.
    #[inline(always)]
    fn leave(&self, rule: &[(f64, f64)], depth: usize, parts: &mut [Lanes], walk: &mut Walk) {
        let (points, number) = (rule.len(), walk.steps[depth]);
        let step = &self.steps[number];
        let part = &mut parts[step.feature as usize];
        let (above, sums) = walk.sums.split_at_mut(depth * points);
        let sums = &sums[..points];
        let inverses = |number: usize| &walk.inverses[number * points..(number + 1) * points];
        add(part, rule, sums, inverses(number), &walk.with[depth], step.without, 1.0);
        if step.before > 0 {
            let before = step.before as usize;
            let number = walk.steps[before];
            add(part, rule, sums, inverses(number), &walk.with[before], self.steps[number].without, -1.0);
        }
        let above = &mut above[(depth - 1) * points..];
        for (above, sum) in above.iter_mut().zip(sums) {
            for lane in 0..LANES {
                above[lane] += sum[lane];
            }
        }
    }
}

/// Adds `sign` times (o - z) ∫ to the part of a feature, or takes it away.
#[inline(always)]
fn add(
    part: &mut Lanes,
    rule: &[(f64, f64)],
    sums: &[Lanes],
    inverses: &[[f64; 2]],
    with: &Lanes,
    without: f64,
    sign: f64,
) {
    let mut integral = [0.0; LANES];
    for ((&(_, weight), sum), &inverse) in rule.iter().zip(sums).zip(inverses) {
        for lane in 0..LANES {
            integral[lane] += weight * sum[lane] * of(inverse, with[lane]);
        }
    }
    for lane in 0..LANES {
        part[lane] += sign * (with[lane] - without) * integral[lane];
    }
}

/// The inverse of the factor of a row.
#[inline(always)]
fn of([not, this]: [f64; 2], with: f64) -> f64 {
    if with > 0.5 { this } else { not }
}

impl Tree {
    /// 1 for each row that goes to this side of a node, else 0.
    #[inline(always)]
    fn sides(&self, node: usize, values: &[[f32; LANES]], left: bool, with: &mut Lanes) {
        match self.nodes[node] {
            Node::Leaf { .. } => {}
            Node::Split { feature, threshold, missing_left, .. } => {
                let values = &values[feature as usize];
                for lane in 0..LANES {
                    let goes_left = (values[lane] <= threshold) | (values[lane].is_nan() & missing_left);
                    with[lane] = f64::from(u8::from(goes_left == left));
                }
            }
            Node::Categories { feature, set, missing_left, .. } => {
                let (set, values) = (&self.sets[set as usize], &values[feature as usize]);
                for lane in 0..LANES {
                    let value = values[lane];
                    let goes_left = if value.is_nan() { missing_left } else { contains(set, value as u32) };
                    with[lane] = f64::from(u8::from(goes_left == left));
                }
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

    fn goes_left(tree: &Tree, node: usize, value: f32) -> bool {
        match tree.nodes[node] {
            Node::Leaf { .. } => true,
            Node::Split { missing_left, .. } | Node::Categories { missing_left, .. } if value.is_nan() => {
                missing_left
            }
            Node::Split { threshold, .. } => value <= threshold,
            Node::Categories { set, .. } => contains(&tree.sets[set as usize], value as u32),
        }
    }

    /// What a tree is expected to say when the features of a set are known, by walking it.
    fn worth(tree: &Tree, node: usize, row: &[f32], known: u32) -> f64 {
        let (feature, left, right) = match tree.nodes[node] {
            Node::Leaf { value } => return f64::from(value),
            Node::Split { feature, left, right, .. } | Node::Categories { feature, left, right, .. } => {
                (feature, left as usize, right as usize)
            }
        };
        if known >> feature & 1 == 1 {
            let to = if goes_left(tree, node, row[feature as usize]) { left } else { right };
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
