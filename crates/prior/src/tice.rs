//! TIcE: tree induction for estimating the label frequency.
//!
//! J. Bekker and J. Davis, "Estimating the class prior in positive and unlabeled data through decision tree induction",
//! AAAI 2018.
//!
//! In any subset of the pool P ∪ U, the share of labeled rows is at most c, the share of positives that are labeled, and
//! equals c where all rows are positive. So with T rows and L labels in a subset,
//!
//! ```text
//!   c ≥ L/T − sqrt( c (1 − c) (1 − δ) / (δ T) )
//! ```
//!
//! with probability 1 − δ (a one-sided Chebyshev bound), and μ = (n_p / n_u) (1 − c) / c. A tree on one fold looks for
//! subsets with many labels, best first, by splits of a column at 0.25, 0.5 and 0.75 of its range; the bound is taken on
//! the other four folds, and its largest value over the nodes is averaged over the folds. Two rounds: the first uses
//! c = 0.5 in the root, the second the first's answer. δ = max(0.025, 1 / (1 + 0.004 T)) for T rows in the four folds,
//! at least 10 rows in a node, at most 500 splits, score of a split max L / (T + 5) over its parts.

use crate::cells::Cells;
use crate::elkan_noto::from_frequency;
use crate::error::EvidenceError;
use crate::estimate::{Curve, Estimate, Finding};
use crate::estimator::{Estimator, EstimatorInfo, Evidence, Needs};
use crate::kernel::parallel;
use crate::resample::{percentiles, poisson};
use crate::warning::ShareWarning;
use onesided_data::{Matrix, Stream};

static INFO: EstimatorInfo = EstimatorInfo {
    name: "tice",
    title: "lower bound on the label frequency from tree nodes full of labels",
    citation: "Bekker and Davis, AAAI 2018",
    assumes: "labels picked at random among the positives, and a box of a few columns that holds (nearly) only positives; it \
              bounds the label frequency from below, so the answer errs upward, most with many columns or few positives",
    interval: "above: the one-sided bound at the level of the interval in place of the paper's; below: percentile bootstrap \
               of the nodes' counts with the trees kept, pooled over the folds. Variance, not bias",
    needs: Needs::Rows,
    reconstruction: false,
};

/// Pieces that a column is cut into.
const PIECES: usize = 4;

/// TIcE with its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tice {
    /// Folds; a tree is grown on one and bounds are taken on the others.
    pub folds: usize,
    /// The least number of rows in a node.
    pub least: usize,
    /// The most splits of a tree.
    pub splits: usize,
    /// k of the split score L / (T + k).
    pub smoothing: f64,
}

impl Tice {
    /// The constants of the paper.
    pub const DEFAULT: Self = Self { folds: 5, least: 10, splits: 500, smoothing: 5.0 };
}

/// The pool, its columns cut into pieces.
struct Pool {
    pieces: Vec<u8>,
    cols: usize,
    labeled: usize,
    rows: usize,
    fold: Vec<usize>,
}

impl Pool {
    fn new(positive: &Matrix, unlabeled: &Matrix, folds: usize, seed: u64) -> Self {
        let (cols, rows) = (positive.cols(), positive.rows() + unlabeled.rows());
        let all = || positive.as_slice().chunks_exact(cols).chain(unlabeled.as_slice().chunks_exact(cols));
        let (mut least, mut most) = (vec![f32::INFINITY; cols], vec![f32::NEG_INFINITY; cols]);
        for row in all() {
            for (col, &value) in row.iter().enumerate() {
                least[col] = least[col].min(value);
                most[col] = most[col].max(value);
            }
        }
        let mut pieces = Vec::with_capacity(rows * cols);
        for row in all() {
            pieces.extend(row.iter().enumerate().map(|(col, &value)| {
                let range = f64::from(most[col]) - f64::from(least[col]);
                let place =
                    (f64::from(value) - f64::from(least[col])) / if range > 0.0 { range } else { 1.0 };
                ((place * PIECES as f64) as u8).min(PIECES as u8 - 1)
            }));
        }
        let mut stream = Stream::new(seed, "tice-folds");
        let fold = (0..rows).map(|_| stream.below(folds)).collect();
        Self { pieces, cols, labeled: positive.rows(), rows, fold }
    }

    /// T and L of some rows.
    fn count(&self, rows: &[u32]) -> Counts {
        let labeled = rows.iter().filter(|&&row| (row as usize) < self.labeled).count();
        Counts { rows: rows.len() as f64, labeled: labeled as f64 }
    }

    /// T and L of the parts that a split on `col` makes of some rows.
    fn split_counts(&self, rows: &[u32], col: usize) -> [Counts; PIECES] {
        let mut counts = [Counts::default(); PIECES];
        for &row in rows {
            let part = &mut counts[self.pieces[row as usize * self.cols + col] as usize];
            part.rows += 1.0;
            part.labeled += f64::from(u8::from((row as usize) < self.labeled));
        }
        counts
    }

    fn split(&self, rows: &[u32], col: usize) -> [Vec<u32>; PIECES] {
        let mut parts: [Vec<u32>; PIECES] = Default::default();
        rows.iter().for_each(|&row| parts[self.pieces[row as usize * self.cols + col] as usize].push(row));
        parts
    }
}

/// T rows, L of them labeled.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    rows: f64,
    labeled: f64,
}

impl Counts {
    /// L/T − sqrt(c (1 − c) (1 − δ) / (δ T)), and 0 below `least` rows.
    fn bound(&self, c: f64, delta: f64, least: f64) -> f64 {
        if self.rows < least.max(1.0) {
            return 0.0;
        }
        self.labeled / self.rows - (c * (1.0 - c) * (1.0 - delta) / (delta * self.rows)).max(0.0).sqrt()
    }
}

/// A node of a grown tree: its counts on the four folds, and the node it was split from.
#[derive(Clone, Copy, Debug)]
struct Node {
    counts: Counts,
    parent: Option<usize>,
    split: bool,
}

/// A node that may still be split.
struct Open {
    priority: f64,
    labels: f64,
    node: usize,
    grow: Vec<u32>,
    judge: Vec<u32>,
    free: Vec<usize>,
}

impl Tice {
    /// The nodes that a tree grown on `fold` visits, in the order in which they were made.
    fn tree(&self, pool: &Pool, fold: usize, c: f64, delta: f64) -> Vec<Node> {
        let (grow, judge): (Vec<u32>, Vec<u32>) =
            (0..pool.rows as u32).partition(|&row| pool.fold[row as usize] == fold);
        let least = self.least as f64;
        let counts = pool.count(&judge);
        let mut nodes = vec![Node { counts, parent: None, split: false }];
        let mut best = (counts.labeled / counts.rows.max(1.0)).max(counts.bound(c, delta, least));
        let root = pool.count(&grow);
        let (priority, labels) = (root.bound(c, delta, 0.0), root.labeled);
        let mut open = vec![Open { priority, labels, node: 0, grow, judge, free: (0..pool.cols).collect() }];
        let mut least_labeled = 1.0;
        for _ in 0..self.splits {
            // The most promising first; the older one on a tie.
            let better = |a: &Open, b: &Open| (a.priority, a.labels) > (b.priority, b.labels);
            let Some(at) = (0..open.len()).reduce(|a, b| if better(&open[b], &open[a]) { b } else { a })
            else {
                break;
            };
            let Open { node, grow, judge, free, .. } = open.remove(at);
            let scored: Vec<(f64, [Counts; PIECES], usize)> = free
                .iter()
                .filter_map(|&col| {
                    let judged = pool.split_counts(&judge, col);
                    let enough = judged.iter().any(|part| part.labeled >= least_labeled);
                    let score = |part: &Counts| part.labeled / (part.rows + self.smoothing);
                    let grown = pool.split_counts(&grow, col);
                    enough.then(|| (grown.iter().map(score).fold(0.0, f64::max), judged, col))
                })
                .collect();
            let first_best = scored.iter().reduce(|a, b| if b.0 > a.0 { b } else { a });
            let Some((score, judged, col)) = first_best else { continue };
            if *score <= 0.0 || judged.iter().filter(|part| part.rows > 0.0).count() <= 1 {
                continue;
            }
            nodes[node].split = true;
            let still_free: Vec<usize> = scored.iter().map(|entry| entry.2).filter(|c| c != col).collect();
            let first = nodes.len();
            for part in judged {
                nodes.push(Node { counts: *part, parent: Some(node), split: false });
                best = best.max(part.bound(c, delta, least));
            }
            // A child with fewer labels cannot raise the bound any more.
            least_labeled = c * (1.0 - c) * (1.0 - delta) / (delta * (1.0 - best).powi(2).max(1e-12));
            let parts = pool.split(&grow, *col).into_iter().zip(pool.split(&judge, *col));
            for (child, (grow, judge)) in parts.enumerate() {
                let counts = pool.count(&grow);
                let pure = counts.labeled == 0.0 || counts.labeled == counts.rows;
                if judged[child].labeled > least_labeled && counts.rows > least && !pure {
                    let (priority, labels) = (counts.bound(c, delta, 0.0), counts.labeled);
                    let node = first + child;
                    open.push(Open { priority, labels, node, grow, judge, free: still_free.clone() });
                }
            }
        }
        nodes
    }
}

/// The largest bound over the nodes of a tree, and not less than the share of labels in the root.
fn highest(nodes: &[Node], c: f64, delta: f64, least: f64) -> f64 {
    let root = nodes[0].counts.labeled / nodes[0].counts.rows.max(1.0);
    nodes.iter().map(|node| node.counts.bound(c, delta, least)).fold(root, f64::max)
}

/// A tree whose leaves hold Poisson counts with the means they were found with.
fn resampled(nodes: &[Node], stream: &mut Stream) -> Vec<Node> {
    let mut drawn = nodes.to_vec();
    drawn.iter_mut().for_each(|node| node.counts = Counts::default());
    for i in (0..nodes.len()).rev() {
        if !nodes[i].split {
            let Counts { rows, labeled } = nodes[i].counts;
            let draw = |mean: f64, stream: &mut Stream| if mean > 0.0 { poisson(mean, stream) } else { 0.0 };
            let labels = draw(labeled, stream);
            drawn[i].counts = Counts { labeled: labels, rows: labels + draw(rows - labeled, stream) };
        }
        if let Some(parent) = nodes[i].parent {
            let Counts { rows, labeled } = drawn[i].counts;
            drawn[parent].counts.rows += rows;
            drawn[parent].counts.labeled += labeled;
        }
    }
    drawn
}

impl Estimator for Tice {
    fn info(&self) -> &EstimatorInfo {
        &INFO
    }

    fn estimate(&self, evidence: &Evidence) -> Result<Estimate, EvidenceError> {
        evidence.check()?;
        let (positive, unlabeled) = evidence.rows(INFO.name)?;
        let pool = Pool::new(positive, unlabeled, self.folds.max(2), evidence.seed);
        let (n_p, n_u) = evidence.sizes();
        let least = self.least as f64;
        let folds: Vec<usize> = (0..self.folds.max(2)).collect();
        let deltas: Vec<f64> = folds
            .iter()
            .map(|fold| pool.fold.iter().filter(|other| *other != fold).count() as f64)
            .map(|rows| (1.0 / (1.0 + 0.004 * rows)).max(0.025))
            .collect();
        let average = |trees: &[Vec<Node>], c: f64, delta: &dyn Fn(usize) -> f64| -> f64 {
            let sum: f64 = folds.iter().map(|&fold| highest(&trees[fold], c, delta(fold), least)).sum();
            (sum / folds.len() as f64).clamp(0.0, 1.0)
        };
        let mut c = 0.5;
        let mut trees = Vec::new();
        let mut prior = c;
        for _ in 0..2 {
            prior = c;
            trees = parallel(&folds, |&fold| self.tree(&pool, fold, prior, deltas[fold]));
            c = average(&trees, prior, &|fold| deltas[fold]);
        }
        let share = |c: f64| from_frequency(c.max(1e-12), n_p, n_u).clamp(0.0, 1.0);
        let mu = share(c);

        let mut points: Vec<(f64, f64)> = trees
            .iter()
            .flatten()
            .filter(|node| node.counts.rows >= least)
            .map(|node| (node.counts.rows, node.counts.labeled / node.counts.rows))
            .collect();
        points.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(b.1.total_cmp(&a.1)));
        points.dedup();
        let curve = Curve {
            x: "rows in a node",
            y: "share of labels in it",
            points: crate::estimate::thinned(points, 400),
            chosen: ((n_p + n_u) * 0.8, c),
        };

        let mut stream = Stream::new(evidence.seed, "tice-bootstrap");
        let mut answers = Vec::with_capacity(folds.len() * evidence.resamples);
        for &fold in &folds {
            answers.extend((0..evidence.resamples).map(|_| {
                share(
                    highest(&resampled(&trees[fold], &mut stream), prior, deltas[fold], least)
                        .clamp(0.0, 1.0),
                )
            }));
        }
        let low = percentiles(answers, evidence.confidence).map_or(mu, |ends| ends.0);
        let delta = (1.0 - evidence.confidence).min(0.5);
        let high = share(average(&trees, prior, &|fold| delta.min(deltas[fold])));
        let mut warnings = Vec::new();
        if mu >= 1.0 {
            warnings.push(ShareWarning::NoRicherNode);
        }
        let finding = Finding { mu, interval: (low, high), curve, other_intervals: Vec::new(), warnings };
        Ok(finding.finish(&INFO, evidence, &Cells::new(evidence)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_by_hand() {
        // 0.4 − sqrt(0.25 · 0.8 / (0.2 · 100)) = 0.4 − 0.1.
        let counts = Counts { rows: 100.0, labeled: 40.0 };
        assert!((counts.bound(0.5, 0.2, 10.0) - 0.3).abs() < 1e-12);
        assert_eq!(counts.bound(0.5, 0.2, 101.0), 0.0);
    }

    #[test]
    fn a_pure_box_is_found() {
        // Two columns. Rows with both at 1 are positive: 400, of which 200 are labeled. 600 others.
        let matrix = |rows: Vec<[f32; 2]>| Matrix::new(rows.len(), 2, rows.concat()).unwrap();
        let positive = matrix(vec![[1.0, 1.0]; 200]);
        let unlabeled =
            matrix((0..800).map(|i| if i < 200 { [1.0, 1.0] } else { [(i % 2) as f32, 0.0] }).collect());
        let scores: Vec<f64> = vec![1.0; 200];
        let other: Vec<f64> = (0..800).map(|i| f64::from(u8::from(i < 200))).collect();
        let evidence = Evidence::of_scores(&scores, &other).with_rows(&positive, &unlabeled);
        let estimate = Tice::DEFAULT.estimate(&evidence).unwrap();
        // c = 0.5 in the box of about 320 rows on four folds; δ = 1 / 4.2: 0.5 − sqrt(0.25 · 0.762 / (0.238 · 320)) = 0.45.
        let c = 0.45;
        let expected = 200.0 / 800.0 * (1.0 - c) / c;
        assert!((estimate.mu - expected).abs() < 0.02, "{} against {expected}", estimate.mu);
        assert!(estimate.interval.0 <= 0.25 && estimate.interval.1 > estimate.mu, "{:?}", estimate.interval);
    }
}
