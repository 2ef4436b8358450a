//! One tree, leaf by leaf.

use crate::bins::Binned;
use crate::boost::{Derivatives, Placed};
use crate::config::TreesConfig;
use crate::histogram::{Histogram, Split, Sums, best_split, histogram};
use crate::model::{Node, Tree};
use std::ops::Range;

/// A leaf that may still be split.
struct Leaf {
    node: usize,
    depth: usize,
    /// Its place in the list of rows.
    start: usize,
    end: usize,
    sums: Sums,
    histogram: Histogram,
    split: Option<Split>,
}

/// A tree, and the rows that it was grown on.
pub(crate) struct Grown {
    pub tree: Tree,
    /// Where the rows of each node lie in the list of rows.
    spans: Vec<Range<usize>>,
}

impl Grown {
    /// The answer of each leaf, with its place in the list of rows.
    pub fn answers(&self) -> impl Iterator<Item = (f32, Range<usize>)> {
        self.tree.nodes.iter().zip(&self.spans).filter_map(|(node, span)| match *node {
            Node::Leaf { value } => Some((value, span.clone())),
            Node::Split { .. } => None,
        })
    }
}

/// Grows a tree on `rows`, which are put into the order of the leaves: at every step the leaf whose split gains most is
/// cut in two. A child's histogram is summed for the smaller side only; the larger one's is the parent's less that.
pub(crate) fn grow(
    binned: &Binned,
    rows: &mut [Placed],
    features: &[u32],
    derivatives: &[Derivatives],
    config: &TreesConfig,
) -> Grown {
    let threads = config.workers();
    let sums_of = |rows: &[Placed]| histogram(binned, features, rows, derivatives, threads);
    let total = rows.iter().fold(Sums::default(), |sum, row| {
        let (gradient, hessian) = derivatives[row.place as usize];
        Sums {
            gradient: sum.gradient + f64::from(gradient),
            hessian: sum.hessian + f64::from(hessian),
            rows: sum.rows + 1,
        }
    });
    // Within f32 even where hardly any curvature divides the gradient.
    let value = |sums: Sums| {
        let step = config.learning_rate * sums.value(config.l2);
        step.clamp(-f64::from(f32::MAX), f64::from(f32::MAX)) as f32
    };
    let mut nodes = vec![Node::Leaf { value: value(total) }];
    let whole = 0..rows.len();
    let mut spans = vec![whole];
    let all = sums_of(rows);
    let split = best_split(binned, features, &all, total, config);
    let mut leaves =
        vec![Leaf { node: 0, depth: 0, start: 0, end: rows.len(), sums: total, histogram: all, split }];
    let mut count = 1;
    while count < config.max_leaves {
        // The first of equals, so that ties do not depend on anything but the data.
        let gain = |leaf: &Leaf| leaf.split.map_or(f64::NEG_INFINITY, |split| split.gain);
        let mut at = 0;
        (1..leaves.len()).for_each(|i| at = if gain(&leaves[i]) > gain(&leaves[at]) { i } else { at });
        let Some(split) = leaves.get(at).and_then(|leaf| leaf.split) else { break };
        let parent = leaves.swap_remove(at);
        let here = &mut rows[parent.start..parent.end];
        let middle = parent.start + partition(here, binned.feature(split.feature as usize), &split);
        let (left, right) = (nodes.len(), nodes.len() + 1);
        nodes.push(Node::Leaf { value: value(split.left) });
        nodes.push(Node::Leaf { value: value(split.right) });
        spans.extend([parent.start..middle, middle..parent.end]);
        nodes[parent.node] = Node::Split {
            feature: split.feature,
            threshold: binned.edge(split.feature as usize, split.bin),
            missing_left: split.missing_left,
            left: left as u32,
            right: right as u32,
        };
        count += 1;
        let depth = parent.depth + 1;
        if count == config.max_leaves || (config.max_depth > 0 && depth == config.max_depth) {
            continue;
        }
        let (of_left, of_right) = if middle - parent.start <= parent.end - middle {
            let small = sums_of(&rows[parent.start..middle]);
            let large = rest(parent.histogram, &small);
            (small, large)
        } else {
            let small = sums_of(&rows[middle..parent.end]);
            (rest(parent.histogram, &small), small)
        };
        let sides = [
            (left, parent.start, middle, split.left, of_left),
            (right, middle, parent.end, split.right, of_right),
        ];
        for (node, start, end, sums, histogram) in sides {
            let split = best_split(binned, features, &histogram, sums, config);
            leaves.push(Leaf { node, depth, start, end, sums, histogram, split });
        }
    }
    debug_assert!(leaves.iter().all(|leaf| leaf.sums.rows as usize == leaf.end - leaf.start));
    Grown { tree: Tree { nodes }, spans }
}

/// What is left of a histogram.
fn rest(mut all: Histogram, part: &Histogram) -> Histogram {
    for (all, part) in all.iter_mut().zip(part) {
        all.iter_mut().zip(part).for_each(|(all, &part)| *all = all.minus(part));
    }
    all
}

/// Puts the rows that go left before the others, each side in its old order; returns how many go left.
fn partition(rows: &mut [Placed], bins: &[u8], split: &Split) -> usize {
    let (mut kept, mut right) = (0, Vec::with_capacity(split.right.rows as usize));
    for i in 0..rows.len() {
        let row = rows[i];
        if split.goes_left(bins[row.row as usize]) {
            rows[kept] = row;
            kept += 1;
        } else {
            right.push(row);
        }
    }
    rows[kept..].copy_from_slice(&right);
    kept
}
