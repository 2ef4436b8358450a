//! Forests: many deep trees, each on rows and features drawn for it, and the mean of what they say.
//!
//! A tree is grown until its leaves are small; at every node the best cut is sought among a few features drawn anew
//! (Breiman, "Random forests", Machine Learning 45, 2001). With cuts drawn as well, only the best of the drawn ones is taken
//! (Geurts, Ernst, Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006). With as many rows drawn from the one
//! class as from the other, it is the bagging of Mordelet and Vert ("A bagging SVM to learn from positive and unlabeled
//! examples", Pattern Recognition Letters 37, 2014) with trees.

use crate::TreesError;
use crate::bins::{Codes, Feature};
use crate::code_set::code_set;
use crate::config::workers;
use crate::ground::partition;
use crate::levels::{Tallies, Tally};
use crate::model::{Node, Tree, TreesModel};
use crate::split::{CATEGORY_ROWS, Cut, GROUP_ROWS, MIXED_ROWS, MOST_CATEGORIES};
use crate::two_class::LabeledRows;
use onesided_data::Stream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// How a forest is grown.
#[derive(Clone, Debug, PartialEq)]
pub struct ForestConfig {
    /// How many trees.
    pub trees: usize,
    /// The fewest rows in a leaf.
    pub min_leaf_rows: usize,
    /// The most splits between the root and a leaf.
    pub max_depth: usize,
    /// The share of the features that a node looks at.
    pub columns_a_split: f64,
    /// Which rows a tree is grown on.
    pub rows: RowDraw,
    /// Whether cuts are drawn too.
    pub random_cuts: bool,
    /// The seed of all draws.
    pub seed: u64,
    /// Threads, a tree each; 0 is all there are. The trees do not depend on it.
    pub threads: usize,
}

/// Which rows a tree is grown on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowDraw {
    /// All of them.
    All,
    /// As many as there are, with replacement.
    Bootstrap,
    /// As many of either class as the smaller one has, with replacement.
    Balanced,
}

impl Default for ForestConfig {
    fn default() -> Self {
        Self {
            trees: 200,
            min_leaf_rows: 2,
            max_depth: 40,
            columns_a_split: 0.3,
            rows: RowDraw::Bootstrap,
            random_cuts: false,
            seed: 0,
            threads: 0,
        }
    }
}

impl ForestConfig {
    fn check(&self) -> Result<(), TreesError> {
        let wrong = |what, range, value| Err(TreesError::Setting { what, range, value });
        match self {
            c if c.trees == 0 => wrong("number", "at least 1", 0.0),
            c if c.max_depth == 0 => wrong("depth", "at least 1", 0.0),
            c if !(c.columns_a_split > 0.0 && c.columns_a_split <= 1.0) => {
                wrong("share of features at a split", "above 0 and at most 1", c.columns_a_split)
            }
            _ => Ok(()),
        }
    }
}

/// Grows a forest on the training rows. What it says of a row, [`TreesModel::logits`], is not a logit but the mean share of
/// positives in its leaves.
///
/// `go_on` is asked before each tree; when it says no, the forest is what has been grown by then.
pub fn grow_forest(
    sample: &LabeledRows,
    training: &[u32],
    config: &ForestConfig,
    go_on: &(dyn Fn(usize) -> bool + Sync),
) -> Result<TreesModel, TreesError> {
    config.check()?;
    sample.check()?;
    sample.binned.check_here()?;
    sample.binned.check_rows(training)?;
    let weighing = |&row: &u32| sample.weight(row as usize) > 0.0;
    let (positive, rest): (Vec<u32>, Vec<u32>) =
        training.iter().copied().filter(weighing).partition(|&row| sample.positive[row as usize]);
    if positive.is_empty() || rest.is_empty() {
        return Err(TreesError::OneClass);
    }
    let next = AtomicUsize::new(0);
    let trees: Vec<Mutex<Option<Tree>>> = (0..config.trees).map(|_| Mutex::new(None)).collect();
    let work = || {
        let (mut scratch, mut tallies) = (Scratch::default(), Tallies::default());
        loop {
            let number = next.fetch_add(1, Ordering::SeqCst);
            if number >= config.trees || !go_on(number) {
                return;
            }
            let mut stream = Stream::new(config.seed, &format!("tree {number}"));
            let mut rows = drawn(&positive, &rest, config.rows, &mut stream);
            let mut grower = Grower { sample, config, stream, scratch: &mut scratch, tallies: &mut tallies };
            let tree = grower.grow(&mut rows);
            *trees[number].lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(tree);
        }
    };
    let threads = workers(config.threads).min(config.trees);
    match threads {
        1 => work(),
        several => std::thread::scope(|scope| (0..several).for_each(|_| drop(scope.spawn(work)))),
    }
    let grown =
        trees.into_iter().map(|tree| tree.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner));
    // Those before the first that was not grown, so that a forest that was stopped is one of fewer trees.
    let mut trees: Vec<Tree> = grown.map_while(|tree| tree).collect();
    let share = 1.0 / trees.len().max(1) as f32;
    trees.iter_mut().for_each(|tree| tree.scale(share));
    Ok(TreesModel::new(sample.binned.features(), 0.0, trees))
}

fn drawn(positive: &[u32], rest: &[u32], how: RowDraw, stream: &mut Stream) -> Vec<u32> {
    let mut some =
        |of: &[u32], many: usize| -> Vec<u32> { (0..many).map(|_| of[stream.below(of.len())]).collect() };
    match how {
        RowDraw::All => [positive, rest].concat(),
        RowDraw::Bootstrap => {
            let both = [positive, rest].concat();
            some(&both, both.len())
        }
        RowDraw::Balanced => {
            let many = positive.len().min(rest.len());
            let mut rows = some(positive, many);
            rows.extend(some(rest, many));
            rows
        }
    }
}

/// Sums over rows: of weights, and of the weights of positives.
#[derive(Clone, Copy, Default)]
struct Share {
    all: f64,
    positive: f64,
    rows: u32,
}

impl Share {
    fn plus(self, other: Share) -> Share {
        Share {
            all: self.all + other.all,
            positive: self.positive + other.positive,
            rows: self.rows + other.rows,
        }
    }

    fn minus(self, other: Share) -> Share {
        Share {
            all: self.all - other.all,
            positive: self.positive - other.positive,
            rows: self.rows - other.rows,
        }
    }

    /// Higher where the rows are of one kind: by it, cuts have the order of their Gini gain.
    fn purity(self) -> f64 {
        if self.all > 0.0 { self.positive * self.positive / self.all } else { 0.0 }
    }
}

/// What is written again and again.
struct Scratch {
    bins: Box<[Share; 256]>,
    /// The bins of the rows of a node in one feature.
    of_rows: Vec<u8>,
    /// What each row of the node counts where all count once: one row, and one positive in the upper half.
    counts_of_rows: Vec<u64>,
    /// Sums of these by bin, of every other row: one addition need not wait for the one before.
    counts: Box<[[u64; 256]; 2]>,
    order: Vec<u32>,
    right: Vec<u32>,
}

impl Default for Scratch {
    fn default() -> Self {
        Self {
            bins: Box::new([Share::default(); 256]),
            of_rows: Vec::new(),
            counts_of_rows: Vec::new(),
            counts: Box::new([[0; 256]; 2]),
            order: Vec::new(),
            right: Vec::new(),
        }
    }
}

struct Grower<'g> {
    sample: &'g LabeledRows<'g>,
    config: &'g ForestConfig,
    stream: Stream,
    scratch: &'g mut Scratch,
    tallies: &'g mut Tallies<Share>,
}

fn share_of(sample: &LabeledRows, row: u32) -> Share {
    let weight = sample.weight(row as usize);
    Share { all: weight, positive: if sample.positive[row as usize] { weight } else { 0.0 }, rows: 1 }
}

/// The purer of two cuts, the first of equals.
fn better(one: Option<(Cut, f64)>, other: Option<(Cut, f64)>) -> Option<(Cut, f64)> {
    match (one, other) {
        (Some(one), Some(other)) if other.1 > one.1 => Some(other),
        (None, other) => other,
        (one, _) => one,
    }
}

impl Tally for Share {
    fn add(self, other: Self) -> Self {
        self.plus(other)
    }

    fn is_empty(self) -> bool {
        self.rows == 0
    }
}

/// A cut of a node.
struct Found {
    feature: u32,
    cut: Cut,
    purity: f64,
}

impl Grower<'_> {
    fn grow(&mut self, rows: &mut [u32]) -> Tree {
        let features = self.sample.binned.features();
        let wanted = ((self.config.columns_a_split * features as f64).round() as usize).max(1);
        self.scratch.order = (0..features as u32).collect();
        let mut tree = Tree::default();
        tree.nodes.push(Node::Leaf { value: 0.0 });
        tree.cover.push(rows.len() as u32);
        let mut open = vec![(0usize, 0..rows.len(), 0usize)];
        while let Some((node, span, depth)) = open.pop() {
            let here = &mut rows[span.clone()];
            let total = here.iter().fold(Share::default(), |sum, &row| sum.plus(self.share_of(row)));
            let value = (total.positive / total.all) as f32;
            tree.nodes[node] = Node::Leaf { value };
            let mixed = total.positive > 0.0 && total.positive < total.all;
            if !mixed || here.len() < 2 * self.config.min_leaf_rows.max(1) || depth == self.config.max_depth {
                continue;
            }
            let Some(found) = self.best(here, total, wanted) else { continue };
            let binned = self.sample.binned;
            let left = |row: u32| binned.goes_left(found.feature, &found.cut, row);
            let middle = span.start + partition(here, |row| row, left, &mut self.scratch.right);
            let (left, right) = (tree.nodes.len(), tree.nodes.len() + 1);
            tree.nodes[node] = tree.node_of(found.feature, &found.cut, (left, right), self.sample.binned);
            tree.nodes.extend([Node::Leaf { value }; 2]);
            tree.cover.extend([(middle - span.start) as u32, (span.end - middle) as u32]);
            open.extend([(right, middle..span.end, depth + 1), (left, span.start..middle, depth + 1)]);
        }
        tree
    }

    fn share_of(&self, row: u32) -> Share {
        share_of(self.sample, row)
    }

    /// The best cut of the features drawn for this node; features that are the same in all its rows are drawn past.
    fn best(&mut self, rows: &[u32], total: Share, wanted: usize) -> Option<Found> {
        let mut best: Option<Found> = None;
        let mut looked_at = 0;
        if self.sample.weights.is_none() {
            let count = |&row: &u32| 1 | u64::from(self.sample.positive[row as usize]) << 32;
            self.scratch.counts_of_rows.clear();
            self.scratch.counts_of_rows.extend(rows.iter().map(count));
        }
        for at in 0..self.scratch.order.len() {
            let other = at + self.stream.below(self.scratch.order.len() - at);
            self.scratch.order.swap(at, other);
            let feature = self.scratch.order[at];
            let Some(found) = self.cut_of(feature, rows, total) else { continue };
            if let Some(found) = found
                && best.as_ref().is_none_or(|best| found.purity > best.purity)
            {
                best = Some(found);
            }
            looked_at += 1;
            if looked_at == wanted {
                break;
            }
        }
        best.filter(|best| best.purity > total.purity() * (1.0 + 1e-12))
    }

    /// The best cut of a feature; `None` where all rows have one value, `Some(None)` where no cut leaves enough rows.
    fn cut_of(&mut self, feature: u32, rows: &[u32], total: Share) -> Option<Option<Found>> {
        let bins = self.sample.binned.feature(feature as usize);
        let of_rows = &mut self.scratch.of_rows;
        of_rows.clear();
        of_rows.extend(rows.iter().map(|&row| bins.at(row)));
        let (low, high) =
            of_rows.iter().fold((u8::MAX, 0), |(low, high), &bin| (low.min(bin), high.max(bin)));
        if low == high {
            return None;
        }
        let (low, high) = (usize::from(low), usize::from(high));
        self.sum(rows, low, high);
        let kind = self.sample.binned.kind(feature as usize);
        let missing = kind.missing();
        let found = match (kind, self.config.random_cuts) {
            (Feature::Numbers(_) | Feature::Ordered { .. }, false) => self.numbers(low, high, missing, total),
            (Feature::Numbers(_) | Feature::Ordered { .. }, true) => {
                self.random_number(low, high, missing, total)
            }
            (Feature::Categories { .. }, random) => self.categories(low, high, total, random),
        };
        self.scratch.bins[low..=high].fill(Share::default());
        let found = match self.sample.binned.codes(feature as usize) {
            Some(codes) => better(found, self.levels(codes, rows, total)),
            None => found,
        };
        Some(found.map(|(cut, purity)| Found { feature, cut, purity }))
    }

    /// Sums the rows of a node by their bins, which lie between two. Where all rows count once, whole numbers are summed, unless there
    /// are more bins to turn them into than rows.
    fn sum(&mut self, rows: &[u32], low: usize, high: usize) {
        if self.sample.weights.is_some() || rows.len() < high - low {
            for (at, &row) in rows.iter().enumerate() {
                let share = self.share_of(row);
                let place = &mut self.scratch.bins[usize::from(self.scratch.of_rows[at])];
                *place = place.plus(share);
            }
            return;
        }
        let Scratch { bins, of_rows, counts_of_rows, counts, .. } = &mut *self.scratch;
        let [even, odd] = &mut **counts;
        let (two, last) = of_rows.as_chunks::<2>();
        let (of_two, of_last) = counts_of_rows.as_chunks::<2>();
        for (bins, counts) in two.iter().zip(of_two) {
            even[usize::from(bins[0])] += counts[0];
            odd[usize::from(bins[1])] += counts[1];
        }
        last.iter().zip(of_last).for_each(|(&bin, count)| even[usize::from(bin)] += count);
        for bin in low..=high {
            let count = std::mem::take(&mut even[bin]) + std::mem::take(&mut odd[bin]);
            let (rows, positive) = (count as u32, (count >> 32) as u32);
            bins[bin] = Share { all: f64::from(rows), positive: f64::from(positive), rows };
        }
    }

    /// The best cut between levels that have no bin of their own, or a random one: by their shares of positives in the node, mixed
    /// with the node's, as [`Search::levels`](crate::split::Search::levels) does.
    fn levels(&mut self, codes: &Codes, rows: &[u32], total: Share) -> Option<(Cut, f64)> {
        let sample = self.sample;
        let shares = rows.iter().map(|&row| (row, share_of(sample, row)));
        let mut there: Vec<(u32, Share)> = self.tallies.of(codes, shares).to_vec();
        let missing = codes.missing();
        let cut_of = |left: &[(u32, Share)]| {
            let ids = || left.iter().map(|&(code, _)| code);
            let set = Arc::new(code_set(ids().filter(|&code| code != missing)));
            Cut::Levels { set, missing_left: ids().any(|code| code == missing) }
        };
        if self.config.random_cuts {
            // In an order that does not depend on that of the rows.
            there.sort_by_key(|&(code, _)| code);
            self.stream.shuffle(&mut there);
            if there.len() < 2 {
                return None;
            }
            there.truncate(1 + self.stream.below(there.len() - 1));
            let left = there.iter().fold(Share::default(), |sum, (_, share)| sum.plus(*share));
            return Some((cut_of(&there), self.purity_of(left, total)?));
        }
        there.retain(|(_, share)| share.rows >= CATEGORY_ROWS);
        let mean = total.positive / total.all;
        let mixed = MIXED_ROWS * total.all / f64::from(total.rows.max(1));
        let judged = |share: Share| (share.positive + mixed * mean) / (share.all + mixed);
        there.sort_by(|a, b| judged(a.1).total_cmp(&judged(b.1)).then(a.0.cmp(&b.0)));
        let most = MOST_CATEGORIES.min(there.len());
        let mut best: Option<(bool, usize, f64)> = None;
        for backwards in [false, true] {
            if backwards {
                there.reverse();
            }
            let (mut left, mut looked_at) = (Share::default(), 0);
            for (step, &(_, share)) in there[..most].iter().enumerate() {
                left = left.plus(Share { positive: share.all * judged(share), ..share });
                if left.rows - looked_at < GROUP_ROWS {
                    continue;
                }
                looked_at = left.rows;
                let Some(purity) = self.purity_of(left, total) else { continue };
                if best.is_none_or(|(_, _, best)| purity > best) {
                    best = Some((backwards, step + 1, purity));
                }
            }
        }
        let (backwards, steps, purity) = best?;
        // The list is reversed by now.
        let left = if backwards { &there[..steps] } else { &there[there.len() - steps..] };
        Some((cut_of(left), purity))
    }

    fn purity_of(&self, left: Share, total: Share) -> Option<f64> {
        let right = total.minus(left);
        let fewest = self.config.min_leaf_rows.max(1) as u32;
        (left.rows >= fewest && right.rows >= fewest).then(|| left.purity() + right.purity())
    }

    fn numbers(&self, low: usize, high: usize, missing: u8, total: Share) -> Option<(Cut, f64)> {
        let bins = &self.scratch.bins;
        let absent = if high == usize::from(missing) { bins[high] } else { Share::default() };
        let values = low..high.min(usize::from(missing) - 1) + 1;
        let mut best: Option<(Cut, f64)> = None;
        let sides: &[bool] = if absent.rows > 0 { &[false, true] } else { &[false] };
        for &missing_left in sides {
            let mut left = if missing_left { absent } else { Share::default() };
            for bin in values.clone() {
                if bins[bin].rows == 0 {
                    continue;
                }
                left = left.plus(bins[bin]);
                let Some(purity) = self.purity_of(left, total) else { continue };
                if best.as_ref().is_none_or(|(_, best)| purity > *best) {
                    let most_left = 2 * left.rows > total.rows;
                    let missing_left = if absent.rows > 0 { missing_left } else { most_left };
                    best = Some((Cut::After { bin: bin as u8, missing, missing_left }, purity));
                }
            }
        }
        best
    }

    fn random_number(&mut self, low: usize, high: usize, missing: u8, total: Share) -> Option<(Cut, f64)> {
        let top = high.min(usize::from(missing) - 1);
        if top <= low {
            return None;
        }
        let bin = low + self.stream.below(top - low);
        let missing_left = self.stream.below(2) == 0;
        let bins = &self.scratch.bins;
        let absent = if missing_left && high == usize::from(missing) { bins[high] } else { Share::default() };
        let left = bins[low..=bin].iter().fold(absent, |sum, share| sum.plus(*share));
        let purity = self.purity_of(left, total)?;
        Some((Cut::After { bin: bin as u8, missing, missing_left }, purity))
    }

    fn categories(&mut self, low: usize, high: usize, total: Share, random: bool) -> Option<(Cut, f64)> {
        let mut there: Vec<usize> = (low..=high).filter(|&bin| self.scratch.bins[bin].rows > 0).collect();
        if random {
            self.stream.shuffle(&mut there);
            there.truncate(1 + self.stream.below(there.len() - 1));
        } else {
            let share = |bin: usize| self.scratch.bins[bin].positive / self.scratch.bins[bin].all;
            there.sort_by(|&a, &b| share(a).total_cmp(&share(b)).then(a.cmp(&b)));
        }
        let (mut left, mut set) = (Share::default(), [0u64; 4]);
        let mut best: Option<(Cut, f64)> = None;
        for (at, &bin) in there.iter().enumerate() {
            left = left.plus(self.scratch.bins[bin]);
            set[bin / 64] |= 1 << (bin % 64);
            if random && at + 1 < there.len() {
                continue;
            }
            let Some(purity) = self.purity_of(left, total) else { continue };
            if best.as_ref().is_none_or(|(_, best)| purity > *best) {
                best = Some((Cut::Set(set), purity));
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bins::Binned;
    use onesided_data::{ColumnKind, Columns, Matrix};
    use std::borrow::Cow;

    fn table(rows: usize) -> (Matrix, Vec<bool>) {
        let mut stream = Stream::new(3, "forest");
        let mut values = Vec::new();
        let mut positive = Vec::new();
        for _ in 0..rows {
            let (x, y, level) = (stream.normal(), stream.normal(), stream.below(6));
            values.extend([x as f32, if stream.below(10) == 0 { f32::NAN } else { y as f32 }, level as f32]);
            positive.push(x * y + if level % 2 == 0 { 1.0 } else { -1.0 } > 0.0);
        }
        (Matrix::new(rows, 3, values).unwrap(), positive)
    }

    fn binned(matrix: &Matrix) -> Binned {
        let kinds = vec![ColumnKind::Numbers, ColumnKind::Numbers, ColumnKind::Categories { levels: 6 }];
        Binned::of_columns(&Columns { matrix: Cow::Borrowed(matrix), kinds }, 1).unwrap()
    }

    #[test]
    fn forests_of_every_kind_learn_and_say_shares() {
        let (matrix, positive) = table(3_000);
        let binned = binned(&matrix);
        let sample = LabeledRows { binned: &binned, positive: &positive, weights: None };
        let (training, new): (Vec<u32>, Vec<u32>) = (0..3_000).partition(|row| row % 3 > 0);
        for rows in [RowDraw::All, RowDraw::Bootstrap, RowDraw::Balanced] {
            for random_cuts in [false, true] {
                let config = ForestConfig {
                    trees: 40,
                    rows,
                    random_cuts,
                    columns_a_split: 0.7,
                    ..ForestConfig::default()
                };
                let forest = grow_forest(&sample, &training, &config, &|_| true).unwrap();
                let said = forest.logits_of(&binned, &new).unwrap();
                assert!(said.iter().all(|share| (-1e-6..=1.0 + 1e-6).contains(share)));
                let right =
                    said.iter().zip(&new).filter(|(share, row)| (**share > 0.5) == positive[**row as usize]);
                let right = right.count() as f64 / new.len() as f64;
                assert!(right > 0.85, "{rows:?}, {random_cuts}: {right}");
                // Values and bins say the same.
                let all = forest.logits(&matrix).unwrap();
                assert!(new.iter().zip(&said).all(|(&row, &said)| all[row as usize] == said));
            }
        }
    }

    #[test]
    fn threads_do_not_change_a_forest() {
        let (matrix, positive) = table(400);
        let binned = binned(&matrix);
        let sample = LabeledRows { binned: &binned, positive: &positive, weights: None };
        let training: Vec<u32> = (0..400).collect();
        let grown = |threads| {
            let config = ForestConfig { trees: 9, threads, seed: 5, ..ForestConfig::default() };
            grow_forest(&sample, &training, &config, &|_| true).unwrap()
        };
        assert!([2, 4, 64].iter().all(|&threads| grown(threads) == grown(1)));
        let stopped = grow_forest(&sample, &training, &ForestConfig::default(), &|tree| tree < 3).unwrap();
        assert_eq!(stopped.trees().len(), 3);
    }

    #[test]
    fn one_class_and_impossible_settings_are_refused() {
        let (matrix, _) = table(50);
        let binned = binned(&matrix);
        let all = vec![true; 50];
        let sample = LabeledRows { binned: &binned, positive: &all, weights: None };
        let rows: Vec<u32> = (0..50).collect();
        let grow = |config| grow_forest(&sample, &rows, &config, &|_| true).unwrap_err();
        assert_eq!(grow(ForestConfig::default()), TreesError::OneClass);
        let none = ForestConfig { columns_a_split: 0.0, ..ForestConfig::default() };
        assert!(grow(none).to_string().contains("share of features at a split"));
    }
}
