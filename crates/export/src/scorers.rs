//! What scores, operator by operator: f of each row in 64 bits, rounded to 32 where ours is.

use crate::ExportError;
use crate::columns::Rows;
use crate::graph::{Graph, Value};
use crate::proto::{Setting, Type, Values};
use crate::sides::{Sides, sides};
use crate::{classic, network};
use onesided::classic::Link;
use onesided::learn::{CERTAIN, Fitted, LinkedTrees, Member, NEXT_TO_NOTHING};
use onesided_trees::{Node, Tree, TreesModel};

/// f of each row, `[rows, 1]` in 32 bits.
pub fn fitted(graph: &mut Graph, rows: &Rows, model: &Fitted, width: usize) -> Result<Value, ExportError> {
    match model {
        Fitted::Trees(model) => {
            let sum = trees(graph, rows, model, width)?;
            Ok(graph.cast(&sum, Type::Float))
        }
        Fitted::Ensemble(members) => {
            let mut sum = graph.double(0.0);
            for Member { weight, fitted: member } in members {
                let score = fitted(graph, rows, member, width)?;
                let score = graph.cast(&score, Type::Double);
                let weight = graph.double(*weight);
                let weighted = graph.op("Mul", &[&score, &weight]);
                sum = graph.op("Add", &[&sum, &weighted]);
            }
            Ok(graph.cast(&sum, Type::Float))
        }
        Fitted::Classic(model) => {
            let score = classic::score(graph, rows, &model.scorer)?;
            let score = match model.link {
                Some(link) => logit(graph, link, score),
                None => score,
            };
            Ok(graph.cast(&score, Type::Float))
        }
        Fitted::LinkedTrees(LinkedTrees { trees: model, link, .. }) => {
            let sum = trees(graph, rows, model, width)?;
            let logit = logit(graph, *link, sum);
            Ok(graph.cast(&logit, Type::Float))
        }
        Fitted::Network { network, weights } => network::score(graph, rows, network, weights),
        Fitted::Described { .. } => Err(ExportError::Scorer("numbers that describe pictures")),
        Fitted::Own { name, .. } => Err(ExportError::Own(name.clone())),
    }
}

/// The logit of a link's probability; beyond both ends, where it is nearly certain, it goes as the score does.
fn logit(graph: &mut Graph, link: Link, score: Value) -> Value {
    let end = match link {
        Link::Sigmoid => return score,
        Link::LabelFrequency { c } => (c * CERTAIN / (1.0 - c * CERTAIN)).ln(),
        Link::Odds { factor } => (CERTAIN / factor).ln(),
    };
    let [first, last] = [NEXT_TO_NOTHING, end].map(|end| graph.double(end));
    let within = graph.op("Clip", &[&score, &first, &last]);
    let beyond = graph.op("Sub", &[&score, &within]);
    let one = graph.double(1.0);
    let probability = match link {
        Link::LabelFrequency { c } => {
            let negative = graph.op("Neg", &[&within]);
            let odds_against = graph.op("Exp", &[&negative]);
            let sum = graph.op("Add", &[&one, &odds_against]);
            let labeled = graph.op("Div", &[&one, &sum]);
            graph.with("Div", &labeled, c)
        }
        Link::Odds { factor } => {
            let odds = graph.op("Exp", &[&within]);
            graph.with("Mul", &odds, factor)
        }
        Link::Sigmoid => within,
    };
    let against = graph.op("Sub", &[&one, &probability]);
    let odds = graph.op("Div", &[&probability, &against]);
    let log = graph.op("Log", &[&odds]);
    graph.op("Add", &[&log, &beyond])
}

/// The lists that the operator `TreeEnsemble` takes.
#[derive(Default)]
struct Lists {
    roots: Vec<i64>,
    features: Vec<i64>,
    splits: Vec<f64>,
    modes: Vec<u8>,
    children: [Vec<i64>; 2],
    leafs: [Vec<i64>; 2],
    missing: Vec<i64>,
    members: Vec<f64>,
    weights: Vec<f64>,
}

/// At most the threshold, and a member of a set: the modes of the operator.
const AT_MOST: u8 = 0;
const MEMBER: u8 = 6;

fn trees(graph: &mut Graph, rows: &Rows, model: &TreesModel, width: usize) -> Result<Value, ExportError> {
    let encoded = model.features() == width && model.features() != rows.levels.len();
    let none = vec![None; width];
    let (x, levels) = if encoded { (&rows.encoded, &none) } else { (&rows.whole, &rows.levels) };
    let x = graph.cast(x, Type::Double);
    let (lists, start) = Lists::of(model, levels);
    let start = graph.double(start);
    if lists.roots.is_empty() {
        // A column of zeros as long as the rows.
        let zero = graph.op("Sub", &[&x, &x]);
        let none = graph.op("IsNaN", &[&zero]);
        let none = graph.cast(&none, Type::Double);
        let nothing = graph.double(0.0);
        let none = graph.op("Mul", &[&none, &nothing]);
        let first = graph.constant(&[1], Values::Ints(vec![0]));
        let column = graph.op_with("Gather", &[&none, &first], "", &[("axis", Setting::Int(1))]);
        return Ok(graph.op("Add", &[&column, &start]));
    }
    let [yes, no] = lists.children;
    let [yes_leafs, no_leafs] = lists.leafs;
    let mut settings = vec![
        ("n_targets", Setting::Int(1)),
        ("aggregate_function", Setting::Int(1)),
        ("post_transform", Setting::Int(0)),
        ("tree_roots", Setting::Ints(lists.roots)),
        ("nodes_featureids", Setting::Ints(lists.features)),
        ("nodes_splits", Setting::Tensor(Values::Doubles(lists.splits))),
        ("nodes_modes", Setting::Tensor(Values::Bytes(lists.modes))),
        ("nodes_truenodeids", Setting::Ints(yes)),
        ("nodes_trueleafs", Setting::Ints(yes_leafs)),
        ("nodes_falsenodeids", Setting::Ints(no)),
        ("nodes_falseleafs", Setting::Ints(no_leafs)),
        ("nodes_missing_value_tracks_true", Setting::Ints(lists.missing)),
        ("leaf_targetids", Setting::Ints(vec![0; lists.weights.len()])),
        ("leaf_weights", Setting::Tensor(Values::Doubles(lists.weights))),
    ];
    if !lists.members.is_empty() {
        settings.push(("membership_values", Setting::Tensor(Values::Doubles(lists.members))));
    }
    let sum = graph.op_with("TreeEnsemble", &[&x], "ai.onnx.ml", &settings);
    Ok(graph.op("Add", &[&sum, &start]))
}

impl Lists {
    /// All trees, and the answer before the first one together with those of trees that are a single leaf.
    ///
    /// No leaf has the number of a node of its tree: where a leaf and a node are the children and have one number, onnxruntime up to 1.23
    /// takes their parent for a leaf. Leaves that nothing leads to come first, so that all others have higher numbers.
    fn of(model: &TreesModel, levels: &[Option<u32>]) -> (Self, f64) {
        let inner = |tree: &Tree| tree.nodes.iter().filter(|node| !matches!(node, Node::Leaf { .. })).count();
        let unused = model.trees().iter().map(inner).max().unwrap_or(0);
        let (mut lists, mut start) = (Self { weights: vec![0.0; unused], ..Self::default() }, model.start());
        for tree in model.trees() {
            match tree.nodes[0] {
                Node::Leaf { value } => start += f64::from(value),
                _ => lists.add(tree, levels),
            }
        }
        (lists, start)
    }

    /// A tree whose root is no leaf. The members of sets come in the order of their nodes.
    fn add(&mut self, tree: &Tree, levels: &[Option<u32>]) {
        let first = self.features.len() as i64;
        // Where each node lies: among the nodes of the operator, or among its leaves.
        let mut inner = first;
        let mut leaf = self.weights.len() as i64;
        let places: Vec<i64> = tree
            .nodes
            .iter()
            .map(|node| {
                let counter = if matches!(node, Node::Leaf { .. }) { &mut leaf } else { &mut inner };
                *counter += 1;
                *counter - 1
            })
            .collect();
        self.roots.push(first);
        let sides = sides(tree, |feature| levels.get(feature as usize).copied().flatten().unwrap_or(0));
        for (at, node) in tree.nodes.iter().enumerate() {
            let (feature, missing_left, left, right) = match *node {
                Node::Leaf { value } => {
                    self.weights.push(f64::from(value));
                    continue;
                }
                Node::Split { feature, threshold, missing_left, left, right } => {
                    self.splits.push(f64::from(threshold));
                    self.modes.push(AT_MOST);
                    (feature, missing_left, left, right)
                }
                Node::Categories { feature, left, right, .. } => {
                    let Sides { left: to_left, right: to_right } = &sides[at];
                    // Codes are never missing. The shorter side is the set, and what is in it goes to the first child.
                    let swaps = to_right.len() < to_left.len();
                    let (members, first, second) =
                        if swaps { (to_right, right, left) } else { (to_left, left, right) };
                    // Nothing is at most -1.
                    self.splits.push(-1.0);
                    self.modes.push(if members.is_empty() { AT_MOST } else { MEMBER });
                    if !members.is_empty() {
                        self.members.extend(members.iter().copied().map(f64::from));
                        self.members.push(f64::NAN);
                    }
                    (feature, false, first, second)
                }
            };
            self.features.push(i64::from(feature));
            self.missing.push(i64::from(missing_left));
            for (side, child) in [left, right].into_iter().enumerate() {
                self.children[side].push(places[child as usize]);
                self.leafs[side].push(i64::from(matches!(tree.nodes[child as usize], Node::Leaf { .. })));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_leaf_has_the_number_of_a_node_of_its_tree() {
        let leaf = |value| Node::Leaf { value };
        let split = |left, right| Node::Split { feature: 0, threshold: 0.0, missing_left: true, left, right };
        let tree = |nodes: Vec<Node>| Tree { nodes, sets: Vec::new(), cover: Vec::new() };
        // Counted from 0 the second tree's first leaf would be 2, as is its second node.
        let trees = vec![
            tree(vec![split(1, 2), leaf(1.0), leaf(2.0)]),
            tree(vec![split(1, 2), leaf(3.0), split(3, 4), leaf(4.0), leaf(5.0)]),
            tree(vec![leaf(6.0)]),
        ];
        let (lists, start) = Lists::of(&TreesModel::from_parts(1, 0.5, trees).unwrap(), &[None]);
        assert_eq!((start, lists.roots.as_slice()), (6.5, &[0, 1][..]));
        assert_eq!(lists.weights, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(lists.children, [[2, 4, 5], [3, 2, 6]]);
        assert_eq!(lists.leafs, [[1, 1, 1], [1, 0, 1]]);
    }
}
