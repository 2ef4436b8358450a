//! One tree, leaf by leaf.

use crate::bins::{Binned, Feature};
use crate::code_set::code_set;
use crate::config::TreesConfig;
use crate::derivatives::Placed;
use crate::histogram::{Cell, Units, add, minus, plus};
use crate::layout::{Group, Layout};
use crate::levels::Tallies;
use crate::model::{Node, Tree};
use crate::split::{Bounds, Cut, Here, Search, Split};
use std::cell::RefCell;
use std::ops::Range;

/// Additions below which another thread costs more than it saves (starting one takes tens of microseconds; at a quarter of
/// this, 30,000 rows of 14 columns took longer with two threads than with one).
const WORTH_A_THREAD: usize = 1_000_000;

/// Rows from which two threads put them to both sides of a cut.
const ROWS_WORTH_A_THREAD: usize = 100_000;

/// A leaf that may still be split.
struct Leaf {
    node: usize,
    depth: usize,
    /// Its place in the list of rows.
    span: Range<usize>,
    bounds: Bounds,
    histogram: Vec<Cell>,
    split: Split,
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

/// What a tree is grown from.
pub(crate) struct Ground<'g> {
    pub binned: &'g Binned,
    pub layout: &'g Layout<'g>,
    /// Which features may be looked at.
    pub allowed: &'g [bool],
    /// A cell for each place among the training rows.
    pub cells: &'g [Cell],
    pub units: Units,
    pub config: &'g TreesConfig,
    pub threads: usize,
    /// Histograms of nodes that are done with, to be filled again.
    pub pool: &'g RefCell<Vec<Vec<Cell>>>,
    /// Sums over levels that have no bin of their own.
    pub tallies: &'g RefCell<Tallies<Cell>>,
}

impl Ground<'_> {
    /// Grows a tree on `rows`, which are put into the order of the leaves: at every step the leaf whose split gains most
    /// is cut in two. A child's histogram is summed for the smaller side only; the larger one's is the parent's less that.
    pub fn grow(&self, rows: &mut [Placed]) -> Grown {
        let config = self.config;
        let total = rows.iter().fold([0; 2], |sum, row| plus(sum, self.cells[row.place as usize]));
        let mut grown = Grown { tree: Tree::default(), cuts: Vec::new(), spans: Vec::new() };
        grown.push_leaf(self.answer(total, Bounds::NONE), 0..rows.len());
        let (mut leaves, mut right): (Vec<Leaf>, _) = (Vec::new(), Vec::new());
        let mut all = self.empty_histogram();
        let here = Here { total, bounds: Bounds::NONE };
        if let Some(split) = self.root(rows, &mut all, here) {
            let (span, bounds) = (0..rows.len(), Bounds::NONE);
            leaves.push(Leaf { node: 0, depth: 0, span, bounds, histogram: all, split });
        }
        let mut count = 1;
        while count < config.max_leaves {
            // The first of equals, so that ties do not depend on anything but the data.
            let mut at = 0;
            let gain = |leaf: &Leaf| leaf.split.gain;
            (1..leaves.len()).for_each(|i| at = if gain(&leaves[i]) > gain(&leaves[at]) { i } else { at });
            if leaves.is_empty() {
                break;
            }
            let parent = leaves.swap_remove(at);
            let split = parent.split;
            let middle =
                parent.span.start + self.partition(&mut rows[parent.span.clone()], &split, &mut right);
            let bounds = self.bounds_below(&split, parent.bounds);
            let (first, second) = (grown.tree.nodes.len(), grown.tree.nodes.len() + 1);
            grown.push_leaf(self.answer(split.left, bounds[0]), parent.span.start..middle);
            grown.push_leaf(self.answer(split.right, bounds[1]), middle..parent.span.end);
            grown.cut(parent.node, &split, (first, second), self.binned);
            count += 1;
            let depth = parent.depth + 1;
            if count == config.max_leaves || (config.max_depth > 0 && depth == config.max_depth) {
                self.pool.borrow_mut().push(parent.histogram);
                continue;
            }
            let sides = [
                (first, parent.span.start..middle, Here { total: split.left, bounds: bounds[0] }),
                (second, middle..parent.span.end, Here { total: split.right, bounds: bounds[1] }),
            ];
            leaves.extend(self.children(rows, parent.histogram, depth, sides));
        }
        self.pool.borrow_mut().extend(leaves.into_iter().map(|leaf| leaf.histogram));
        grown
    }

    fn empty_histogram(&self) -> Vec<Cell> {
        let mut histogram = self.pool.borrow_mut().pop().unwrap_or_default();
        histogram.clear();
        histogram.resize(self.layout.cells(), [0; 2]);
        histogram
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

    fn search(&self) -> Search<'_> {
        Search { binned: self.binned, config: self.config, units: self.units, allowed: self.allowed }
    }

    /// Puts the rows that go left before the others, and says how many they are.
    fn partition(&self, rows: &mut [Placed], split: &Split, right: &mut Vec<Placed>) -> usize {
        let (feature, cut) = (split.feature, &split.cut);
        if let Cut::Levels { .. } = cut {
            let left = |row: u32| self.binned.goes_left(feature, cut, row);
            return partition_with_threads(rows, left, right, self.threads);
        }
        let bins = self.binned.feature(feature as usize);
        partition_with_threads(rows, |row| cut.goes_left(bins.at(row)), right, self.threads)
    }

    /// The better of a cut between bins and the best one between levels that have no bin of their own.
    fn or_levels(&self, so_far: Option<Split>, rows: &[Placed], here: Here) -> Option<Split> {
        let mut best = so_far;
        if rows.len() < 2 * self.config.min_child_rows.max(1) {
            return best;
        }
        for feature in self.binned.many_levels().filter(|&feature| self.allowed[feature]) {
            let Some(codes) = self.binned.codes(feature) else { continue };
            let mut tallies = self.tallies.borrow_mut();
            let there = tallies.of(codes, rows.iter().map(|row| (row.row, self.cells[row.place as usize])));
            best = Split::better(best, self.search().levels(feature as u32, there, codes.missing(), here));
        }
        best
    }

    fn root(&self, rows: &[Placed], cells: &mut [Cell], here: Here) -> Option<Split> {
        let mut parts = [&mut *cells];
        let (layout, of, search) = (self.layout, self.cells, self.search());
        let found = self.by_groups(rows.len(), &mut parts, |groups, number, [cells]| {
            add(layout, groups, number, rows, of, cells);
            search.best(groups, cells, here)
        });
        self.or_levels(found.into_iter().fold(None, Split::better), rows, here)
    }

    /// Both children of a node as leaves, where a cut of them helps: the smaller one's histogram is summed, the larger one's
    /// is what is left.
    fn children(
        &self,
        rows: &[Placed],
        mut large: Vec<Cell>,
        depth: usize,
        sides: [(usize, Range<usize>, Here); 2],
    ) -> impl Iterator<Item = Leaf> {
        let first_smaller = sides[0].1.len() <= sides[1].1.len();
        let (of_small, of_large) =
            if first_smaller { (&sides[0], &sides[1]) } else { (&sides[1], &sides[0]) };
        let mut small = self.empty_histogram();
        let some = &rows[of_small.1.clone()];
        let (one, other) = (of_small.2, of_large.2);
        let (layout, of, search) = (self.layout, self.cells, self.search());
        let mut parts = [&mut small[..], &mut large[..]];
        let found = self.by_groups(some.len(), &mut parts, |groups, number, [small, large]| {
            add(layout, groups, number, some, of, small);
            large.iter_mut().zip(&*small).for_each(|(all, &part)| *all = minus(*all, part));
            (search.best(groups, small, one), search.best(groups, large, other))
        });
        let best = found.into_iter().fold((None, None), |so_far, (one, other)| {
            (Split::better(so_far.0, one), Split::better(so_far.1, other))
        });
        let best =
            (self.or_levels(best.0, some, one), self.or_levels(best.1, &rows[of_large.1.clone()], other));
        let (splits, histograms) = if first_smaller {
            ([best.0, best.1], [small, large])
        } else {
            ([best.1, best.0], [large, small])
        };
        sides.into_iter().zip(splits).zip(histograms).filter_map(
            move |(((node, span, here), split), histogram)| match split {
                Some(split) => Some(Leaf { node, depth, span, bounds: here.bounds, histogram, split }),
                None => {
                    self.pool.borrow_mut().push(histogram);
                    None
                }
            },
        )
    }

    /// Runs `work` over all groups with the cells of each list that are theirs, in several threads where it pays.
    fn by_groups<const LISTS: usize, R: Send>(
        &self,
        rows: usize,
        lists: &mut [&mut [Cell]; LISTS],
        work: impl Fn(&[Group], usize, [&mut [Cell]; LISTS]) -> R + Sync,
    ) -> Vec<R> {
        let groups = &self.layout.groups[..];
        let features: usize = groups.iter().map(|group| group.features.len()).sum();
        let additions = features * rows + LISTS * self.layout.cells();
        let parts = self.threads.min(additions / WORTH_A_THREAD + 1).min(groups.len());
        if parts <= 1 {
            return vec![work(groups, 0, lists.each_mut().map(|list| &mut **list))];
        }
        std::thread::scope(|scope| {
            let mut left: [&mut [Cell]; LISTS] = lists.each_mut().map(|list| &mut **list);
            let mut workers = Vec::with_capacity(parts);
            let mut own = Vec::new();
            for part in even_parts(groups, parts) {
                let (from, some) = (part.start, &groups[part]);
                let cells: usize = some.iter().map(|group| group.cells().len()).sum();
                let halves = left.map(|list| list.split_at_mut(cells));
                let mut mine: [&mut [Cell]; LISTS] = std::array::from_fn(|_| &mut [][..]);
                let mut rest: [&mut [Cell]; LISTS] = std::array::from_fn(|_| &mut [][..]);
                for (at, (here, behind)) in halves.into_iter().enumerate() {
                    (mine[at], rest[at]) = (here, behind);
                }
                left = rest;
                let work = &work;
                // The last part is done here: one thread less to start.
                if workers.len() + 1 < parts {
                    workers.push(scope.spawn(move || work(some, from, mine)));
                } else {
                    own.push(work(some, from, mine));
                }
            }
            let joined = workers.into_iter().map(|worker| worker.join());
            let joined = joined.map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            joined.chain(own).collect()
        })
    }
}

/// Neighboring groups in this many parts, none empty, each ending where its share of all features is nearest.
fn even_parts(groups: &[Group], parts: usize) -> Vec<Range<usize>> {
    let all: usize = groups.iter().map(|group| group.features.len()).sum();
    let (mut ranges, mut end, mut sum) = (Vec::with_capacity(parts), 0, 0);
    for part in 1..=parts {
        let start = end;
        let most = groups.len() - (parts - part);
        while end < most {
            let next = groups[end].features.len();
            // In units of 1 / (2 parts): half of the next group may reach beyond the share.
            if end > start && part < parts && parts * (2 * sum + next) > 2 * part * all {
                break;
            }
            (end, sum) = (end + 1, sum + next);
        }
        ranges.push(start..end);
    }
    ranges
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

/// [`partition`] of many rows: two threads take a half each, and the right of the first half changes places with the left of
/// the second.
fn partition_with_threads(
    rows: &mut [Placed],
    left: impl Fn(u32) -> bool + Sync,
    right: &mut Vec<Placed>,
    threads: usize,
) -> usize {
    if threads < 2 || rows.len() < ROWS_WORTH_A_THREAD {
        return partition(rows, |row| row.row, left, right);
    }
    let left = &left;
    let middle = rows.len() / 2;
    let (first, second) = rows.split_at_mut(middle);
    let (of_first, of_second) = std::thread::scope(|scope| {
        let other = scope.spawn(|| partition(second, |row| row.row, left, &mut Vec::new()));
        let own = partition(first, |row| row.row, left, right);
        (own, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    rows[of_first..middle + of_second].rotate_left(middle - of_first);
    of_first + of_second
}

/// Puts the rows that go left before the others, each side in its old order; returns how many go left. `right` is a list to
/// write on.
pub(crate) fn partition<T: Copy>(
    rows: &mut [T],
    row_of: impl Fn(T) -> u32,
    left: impl Fn(u32) -> bool,
    right: &mut Vec<T>,
) -> usize {
    let Some(&first) = rows.first() else { return 0 };
    right.clear();
    right.resize(rows.len(), first);
    let (mut kept, mut moved) = (0, 0);
    for i in 0..rows.len() {
        let row = rows[i];
        let left = left(row_of(row));
        // Written to both sides and counted on one: no branch that could be guessed wrongly.
        rows[kept] = row;
        right[moved] = row;
        kept += usize::from(left);
        moved += usize::from(!left);
    }
    rows[kept..].copy_from_slice(&right[..moved]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{Matrix, Stream};

    #[test]
    fn parts_have_about_as_many_features_each() {
        let groups = |features: &[usize]| -> Vec<Group> {
            features.iter().map(|&many| Group { features: vec![0; many], stride: 4, start: 0 }).collect()
        };
        assert_eq!(even_parts(&groups(&[7, 8, 8, 8, 8, 8, 3]), 2), [0..3, 3..7]);
        assert_eq!(even_parts(&groups(&[2, 8, 4]), 2), [0..2, 2..3]);
        assert_eq!(even_parts(&groups(&[1, 1, 8]), 3), [0..1, 1..2, 2..3]);
        assert_eq!(even_parts(&groups(&[8, 1, 1]), 3), [0..1, 1..2, 2..3]);
        assert_eq!(even_parts(&groups(&[8; 5]), 5).len(), 5);
    }

    #[test]
    fn two_threads_put_rows_in_the_order_of_one() {
        let many = ROWS_WORTH_A_THREAD + 77;
        let mut stream = Stream::new(5, "rows");
        let values: Vec<f32> = (0..many).map(|_| stream.normal() as f32).collect();
        let binned = crate::Binned::new(&Matrix::new(many, 1, values).unwrap()).unwrap();
        let cut = Cut::After { bin: 80, missing: 255, missing_left: false };
        let mut one: Vec<Placed> = (0..many as u32).rev().map(|row| Placed { row, place: row }).collect();
        let mut two = one.clone();
        let left = |row: u32| binned.goes_left(0, &cut, row);
        let of_one = partition(&mut one, |row| row.row, left, &mut Vec::new());
        let of_two = partition_with_threads(&mut two, left, &mut Vec::new(), 2);
        assert!(of_one > many / 5 && of_one < many / 2);
        let rows = |of: &[Placed]| of.iter().map(|row| row.row).collect::<Vec<u32>>();
        assert!(of_one == of_two && rows(&one) == rows(&two));
    }
}
