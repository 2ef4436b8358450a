//! One tree, leaf by leaf: what decides.
//!
//! Where the rows of a tree are is the matter of a [`Ground`]: in this process ([`ground`](crate::ground)), or with workers that hold
//! some rows each ([`cluster`](crate::cluster)). Whole numbers add up to the same sums in any order, so that both give the same tree.

use crate::TreesError;
use crate::bins::{Binned, Feature};
use crate::code_set::code_set;
use crate::config::TreesConfig;
use crate::histogram::{Cell, Units};
use crate::model::{Node, Tree};
use crate::split::{Bounds, Cut, Here, Split};
use std::ops::Range;

/// A leaf that may still be split.
struct Leaf {
    node: usize,
    depth: usize,
    /// Its place in the list of rows.
    span: Range<usize>,
    bounds: Bounds,
    found: Found,
}

/// The histogram of a node, and the cut of it that gains most.
pub(crate) struct Found {
    pub histogram: Vec<Cell>,
    pub split: Split,
}

/// One of two new nodes.
pub(crate) struct Side {
    pub node: usize,
    /// Its place in the list of rows.
    pub span: Range<usize>,
    pub here: Here,
}

/// A tree, and the rows that it was grown on.
pub(crate) struct Grown {
    pub tree: Tree,
    /// The cut of each node that is not a leaf.
    pub cuts: Vec<Option<Cut>>,
    /// Where the rows of each node lie in the list of rows.
    spans: Vec<Range<usize>>,
}

impl Grown {
    /// The answer of each leaf, with its place in the list of rows.
    pub fn answers(&self) -> impl Iterator<Item = (f32, Range<usize>)> {
        self.tree.nodes.iter().zip(&self.spans).filter_map(|(node, span)| match *node {
            Node::Leaf { value } => Some((value, span.clone())),
            _ => None,
        })
    }
}

/// The rows that a tree is grown on, wherever their cells are.
pub(crate) trait Ground {
    /// How many rows there are, and their sum.
    fn whole(&mut self) -> Result<(usize, Cell), TreesError>;

    /// What is found in all rows.
    fn root(&mut self, here: Here) -> Result<Option<Found>, TreesError>;

    /// Sends the rows of a node to both sides of its cut, the first of which is node `first` and the other one the next; says how
    /// many go left.
    fn part(
        &mut self,
        node: usize,
        first: usize,
        span: Range<usize>,
        split: &Split,
    ) -> Result<usize, TreesError>;

    /// What is found in both sides of a node with this histogram: the smaller side's is summed, the larger one's is what is left.
    fn children(&mut self, all: Vec<Cell>, sides: &[Side; 2]) -> Result<[Option<Found>; 2], TreesError>;

    /// Takes a histogram that is done with.
    fn free(&mut self, _histogram: Vec<Cell>) {}
}

/// What decides how a tree grows, besides its rows.
pub(crate) struct Growing<'g> {
    pub binned: &'g Binned,
    pub config: &'g TreesConfig,
    pub units: Units,
}

impl Growing<'_> {
    /// Grows a tree: at every step the leaf whose split gains most is cut in two.
    pub fn grow(&self, ground: &mut impl Ground) -> Result<Grown, TreesError> {
        let config = self.config;
        let (rows, total) = ground.whole()?;
        let mut grown = Grown { tree: Tree::default(), cuts: Vec::new(), spans: Vec::new() };
        grown.push_leaf(self.answer(total, Bounds::NONE), 0..rows);
        let mut leaves: Vec<Leaf> = Vec::new();
        if let Some(found) = ground.root(Here { total, bounds: Bounds::NONE })? {
            leaves.push(Leaf { node: 0, depth: 0, span: 0..rows, bounds: Bounds::NONE, found });
        }
        let mut count = 1;
        while count < config.max_leaves {
            // The first of equals, so that ties do not depend on anything but the data.
            let mut at = 0;
            let gain = |leaf: &Leaf| leaf.found.split.gain;
            (1..leaves.len()).for_each(|i| at = if gain(&leaves[i]) > gain(&leaves[at]) { i } else { at });
            if leaves.is_empty() {
                break;
            }
            let Leaf { node, depth, span, bounds, found } = leaves.swap_remove(at);
            let Found { histogram, split } = found;
            let (first, second) = (grown.tree.nodes.len(), grown.tree.nodes.len() + 1);
            let middle = span.start + ground.part(node, first, span.clone(), &split)?;
            let bounds = self.bounds_below(&split, bounds);
            grown.push_leaf(self.answer(split.left, bounds[0]), span.start..middle);
            grown.push_leaf(self.answer(split.right, bounds[1]), middle..span.end);
            grown.cut(node, &split, (first, second), self.binned);
            count += 1;
            let depth = depth + 1;
            if count == config.max_leaves || (config.max_depth > 0 && depth == config.max_depth) {
                ground.free(histogram);
                continue;
            }
            let sides = [
                Side {
                    node: first,
                    span: span.start..middle,
                    here: Here { total: split.left, bounds: bounds[0] },
                },
                Side {
                    node: second,
                    span: middle..span.end,
                    here: Here { total: split.right, bounds: bounds[1] },
                },
            ];
            let found = ground.children(histogram, &sides)?;
            leaves.extend(sides.into_iter().zip(found).filter_map(|(Side { node, span, here }, found)| {
                Some(Leaf { node, depth, span, bounds: here.bounds, found: found? })
            }));
        }
        leaves.into_iter().for_each(|leaf| ground.free(leaf.found.histogram));
        Ok(grown)
    }

    /// What a leaf answers, within f32 even where hardly any curvature divides the gradient.
    fn answer(&self, total: Cell, bounds: Bounds) -> f32 {
        let step = self.config.learning_rate * bounds.value(self.units.sums(total), self.config.l2);
        step.clamp(-f64::from(f32::MAX), f64::from(f32::MAX)) as f32
    }

    /// The bounds of both sides: where a constraint holds, they meet halfway between the two answers.
    fn bounds_below(&self, split: &Split, bounds: Bounds) -> [Bounds; 2] {
        let direction = self.config.monotone.get(split.feature as usize).copied().unwrap_or(0);
        let value = |cell| bounds.value(self.units.sums(cell), self.config.l2);
        let middle = (value(split.left) + value(split.right)) / 2.0;
        match direction {
            0 => [bounds; 2],
            up if up > 0 => [Bounds { high: middle, ..bounds }, Bounds { low: middle, ..bounds }],
            _ => [Bounds { low: middle, ..bounds }, Bounds { high: middle, ..bounds }],
        }
    }
}

impl Grown {
    fn push_leaf(&mut self, value: f32, span: Range<usize>) {
        self.tree.nodes.push(Node::Leaf { value });
        self.tree.cover.push(span.len() as u32);
        self.cuts.push(None);
        self.spans.push(span);
    }

    /// Makes a leaf a split.
    fn cut(&mut self, node: usize, split: &Split, children: (usize, usize), binned: &Binned) {
        self.cuts[node] = Some(split.cut.clone());
        self.tree.nodes[node] = self.tree.node_of(split.feature, &split.cut, children, binned);
    }
}

impl Tree {
    /// A split as it is stored: by values and codes, not by bins.
    pub(crate) fn node_of(
        &mut self,
        feature: u32,
        cut: &Cut,
        (left, right): (usize, usize),
        binned: &Binned,
    ) -> Node {
        let (left, right) = (left as u32, right as u32);
        match (cut.clone(), binned.kind(feature as usize)) {
            (Cut::Levels { set, missing_left }, _) => {
                let set = self.push_set(set.to_vec());
                Node::Categories { feature, set, missing_left, left, right }
            }
            (Cut::Set(_), Feature::Categories { of_bins, others }) => {
                let missing_left = cut.goes_left(binned.kind(feature as usize).missing());
                let own = of_bins.iter().enumerate().filter(|(bin, _)| cut.goes_left(*bin as u8));
                let shared = others.iter().filter(|_| cut.goes_left(of_bins.len() as u8));
                let set = self.push_set(code_set(own.map(|(_, code)| *code).chain(shared.copied())));
                Node::Categories { feature, set, missing_left, left, right }
            }
            (Cut::After { bin, missing_left, .. }, Feature::Ordered { of_level, .. }) => {
                let codes = of_level.iter().enumerate().filter(|&(_, &of)| of <= bin);
                let set = self.push_set(code_set(codes.map(|(code, _)| code as u32)));
                Node::Categories { feature, set, missing_left, left, right }
            }
            (Cut::After { bin, missing_left, .. }, _) => {
                let threshold = binned.edge(feature as usize, bin);
                Node::Split { feature, threshold, missing_left, left, right }
            }
            // Cuts of bins that have an order are never sets.
            (Cut::Set(_), Feature::Numbers(_) | Feature::Ordered { .. }) => Node::Leaf { value: 0.0 },
        }
    }
}
