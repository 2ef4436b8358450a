//! Boosting: tree after tree, each on what the ones before it got wrong, whatever "wrong" means.
//!
//! What is minimized stays outside. Before each tree the caller is shown the scores of the training rows and answers with
//! a gradient g and a curvature h for each; a leaf then adds -Σg / (Σh + λ), a Newton step on the penalized loss of its
//! rows, times the learning rate. So a loss may couple its rows (the mean over a batch, a correction by sign), and the
//! caller may split them into new random parts before every tree.

use crate::TreesError;
use crate::bins::Binned;
use crate::config::TreesConfig;
use crate::derivatives::{Derivatives, Placed};
use crate::grow::Ground;
use crate::histogram::{Cell, Units};
use crate::layout::Layout;
use crate::levels::Tallies;
use crate::model::{Tree, TreesModel};
use crate::threads::in_threads;
use onesided_data::Stream;
use std::cell::RefCell;

/// The share of features from which they are laid out once, for every tree.
const LAID_OUT_ONCE: f64 = 0.6;
/// Rows to walk through a tree below which another thread costs more than it saves.
const WORTH_A_THREAD: usize = 50_000;

/// Trees to be grown on some rows, from derivatives that the caller brings.
///
/// ```
/// use onesided_data::Matrix;
/// use onesided_trees::{Binned, Boosting, TreesConfig};
///
/// // Least squares: ½ (f - y)² has the gradient f - y and the curvature 1.
/// let x: Vec<f32> = (0..300).map(|i| i as f32 / 100.0).collect();
/// let y: Vec<f64> = x.iter().map(|&x| f64::from(x).sin()).collect();
/// let binned = Binned::new(&Matrix::new(300, 1, x)?)?;
/// let training: Vec<u32> = (0..300).collect();
///
/// let config = TreesConfig::default();
/// let boosting = Boosting { binned: &binned, training: &training, start: 0.0, config: &config };
/// let mut derivatives = |scores: &[f64], of_rows: &mut [(f32, f32)]| {
///     for ((of_row, score), y) in of_rows.iter_mut().zip(scores).zip(&y) {
///         *of_row = ((score - y) as f32, 1.0);
///     }
/// };
/// let boosted = boosting.run(&mut derivatives, None, &mut |_| true)?;
/// let fitted = boosted.model.logits_of(&binned, &training)?;
/// assert!(fitted.iter().zip(&y).all(|(fitted, y)| (fitted - y).abs() < 0.15));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// `min_child_weight` and `l2` are compared with sums of curvatures. They mean what they mean for log loss if a loss that
/// is a mean over n rows is multiplied by n.
#[derive(Clone, Copy, Debug)]
pub struct Boosting<'a> {
    /// The data.
    pub binned: &'a Binned,
    /// The rows to learn from. One that is here twice counts twice, and may have other derivatives at each place, as a
    /// positive that is among the unlabeled rows too.
    pub training: &'a [u32],
    /// The score of every row before the first tree.
    pub start: f64,
    /// How trees are grown.
    pub config: &'a TreesConfig,
}

/// Rows that decide how many trees are kept.
pub struct HeldOut<'a> {
    /// The rows.
    pub rows: &'a [u32],
    /// Their loss, given their scores in the order of `rows`; lower is better, and what is not a number never wins.
    pub judge: &'a mut dyn FnMut(&[f64]) -> f64,
}

/// What has just happened: one more tree.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Round<'a> {
    /// How many trees there are.
    pub trees: usize,
    /// The last of them.
    pub tree: &'a Tree,
    /// The scores of the training rows, in their order, with this tree.
    pub scores: &'a [f64],
    /// The loss of the held-out rows with this tree.
    pub held_out_loss: Option<f64>,
}

/// A model, and how it was fitted.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoostedTrees {
    /// The trees up to the lowest held-out loss, or all of them where nothing was held out.
    pub model: TreesModel,
    /// The loss of the held-out rows before the first tree and after each one that was grown; empty where nothing was
    /// held out.
    pub held_out_loss: Vec<f64>,
}

impl Boosting<'_> {
    /// Grows trees until there are as many as asked for, the held-out loss has not fallen for `patience` of them, or the
    /// observer has seen enough.
    ///
    /// `derivatives` is given the scores of all training rows, in their order, and fills in those of the loss; which of
    /// the rows a tree is grown on is drawn afterwards. `observer` is called after every tree and returns false to stop,
    /// which keeps the trees up to the lowest held-out loss so far.
    pub fn run(
        &self,
        derivatives: &mut dyn FnMut(&[f64], &mut [Derivatives]),
        mut held_out: Option<HeldOut>,
        observer: &mut dyn FnMut(&Round) -> bool,
    ) -> Result<BoostedTrees, TreesError> {
        let Self { binned, training, start, config } = *self;
        let held_out_rows = held_out.as_ref().map_or(&[][..], |held_out| held_out.rows);
        self.check()?;
        binned.check_rows(held_out_rows)?;
        let mut scores = vec![start; training.len()];
        let mut held_out_scores = vec![start; held_out_rows.len()];
        let mut judge = |scores: &[f64]| held_out.as_mut().map(|held_out| (held_out.judge)(scores));
        let mut losses: Vec<f64> = judge(&held_out_scores).into_iter().collect();
        let mut trees: Vec<Tree> = Vec::new();
        let mut stream = Stream::new(config.seed, "trees");
        let every_feature: Vec<u32> = (0..binned.features() as u32).collect();
        let threads = config.workers();
        // Few features of many are laid out for each tree, most of them once for all.
        let once =
            (config.column_share >= LAID_OUT_ONCE).then(|| Layout::new(binned, &every_feature, training));
        let (pool, tallies) = (RefCell::new(Vec::new()), RefCell::new(Tallies::default()));
        for number in 1..=config.trees {
            // Of many rows every list counts: each is made when it is needed, and freed when it is not.
            let mut of_rows: Vec<Derivatives> = vec![(0.0, 0.0); training.len()];
            derivatives(&scores, &mut of_rows);
            check_derivatives(&of_rows, number)?;
            let units = Units::new(share_of(training.len(), config.row_share), of_rows.iter().copied());
            let mut cells: Vec<Cell> = vec![LEFT_OUT; of_rows.len()];
            in_threads(&mut cells, threads, WORTH_A_THREAD, |cells, from| {
                cells.iter_mut().zip(&of_rows[from..]).for_each(|(cell, &of_row)| *cell = units.cell(of_row));
            });
            drop(of_rows);
            let places = drawn(training.len(), config.row_share, &mut stream);
            let features = drawn(binned.features(), config.column_share, &mut stream);
            leave_out_others(&mut cells, &places);
            let mut rows: Vec<Placed> =
                places.into_iter().map(|place| Placed { row: training[place as usize], place }).collect();
            let mut allowed = vec![false; binned.features()];
            features.iter().for_each(|&feature| allowed[feature as usize] = true);
            let now = if once.is_none() { Some(Layout::new(binned, &features, training)) } else { None };
            let Some(layout) = once.as_ref().or(now.as_ref()) else { return Err(TreesError::NoRows) };
            let ground = Ground {
                binned,
                layout,
                allowed: &allowed,
                cells: &cells,
                units,
                config,
                threads,
                pool: &pool,
                tallies: &tallies,
            };
            let grown = ground.grow(&mut rows);
            for (answer, span) in grown.answers() {
                rows[span].iter().for_each(|row| scores[row.place as usize] += f64::from(answer));
            }
            // The rows that were not drawn for this tree walk through it.
            let walk = |row: u32| f64::from(grown.tree.value_of_bins(&grown.cuts, binned, row));
            if rows.len() < training.len() {
                for ((score, &row), _) in
                    scores.iter_mut().zip(training).zip(&cells).filter(|(_, cell)| **cell == LEFT_OUT)
                {
                    *score += walk(row);
                }
            }
            in_threads(&mut held_out_scores, threads, WORTH_A_THREAD, |scores, from| {
                scores.iter_mut().zip(&held_out_rows[from..]).for_each(|(score, &row)| *score += walk(row));
            });
            let loss = judge(&held_out_scores);
            losses.extend(loss);
            let round = Round { trees: number, tree: &grown.tree, scores: &scores, held_out_loss: loss };
            let go_on = observer(&round);
            trees.push(grown.tree);
            if !go_on || (loss.is_some() && number - lowest(&losses) >= config.patience) {
                break;
            }
        }
        if !losses.is_empty() {
            trees.truncate(lowest(&losses));
        }
        let model = TreesModel::new(binned.features(), start, trees);
        Ok(BoostedTrees { model, held_out_loss: losses })
    }

    fn check(&self) -> Result<(), TreesError> {
        self.config.check()?;
        self.binned.check_rows(self.training)?;
        match self.start {
            _ if self.training.is_empty() => Err(TreesError::NoRows),
            start if start.is_finite() => Ok(()),
            value => Err(TreesError::Setting { what: "first score", range: "a finite number", value }),
        }
    }
}

fn check_derivatives(of_rows: &[Derivatives], tree: usize) -> Result<(), TreesError> {
    let sound = |&(gradient, curvature): &Derivatives| {
        gradient.is_finite() && curvature >= 0.0 && curvature.is_finite()
    };
    match of_rows.iter().position(|of_row| !sound(of_row)) {
        None => Ok(()),
        Some(at) => {
            let (gradient, curvature) = of_rows[at];
            Err(TreesError::Derivatives { place: at + 1, tree, gradient, curvature })
        }
    }
}

/// The place of the first lowest loss, which is the number of trees to keep. A loss that is not a number never wins.
fn lowest(losses: &[f64]) -> usize {
    let mut at = 0;
    (1..losses.len()).for_each(|i| at = if losses[i] < losses[at] { i } else { at });
    at
}

/// The cell of a row that a tree is not grown on; all others count at least one row.
const LEFT_OUT: Cell = [0; 2];

/// Marks the cells of all places but some, which are in their order.
fn leave_out_others(cells: &mut [Cell], places: &[u32]) {
    let mut next = 0;
    for &place in places {
        cells[next..place as usize].fill(LEFT_OUT);
        next = place as usize + 1;
    }
    cells[next..].fill(LEFT_OUT);
}

/// How many of `many` numbers a share of them is: at least one.
fn share_of(many: usize, share: f64) -> usize {
    if share == 1.0 { many } else { ((share * many as f64).round() as usize).clamp(1, many.max(1)) }
}

/// A share of the numbers below `many`, at least one, in their order.
fn drawn(many: usize, share: f64, stream: &mut Stream) -> Vec<u32> {
    let all = 0..many as u32;
    if share == 1.0 {
        return all.collect();
    }
    let wanted = share_of(many, share);
    let (mut left, mut still) = (many, wanted);
    let mut some = Vec::with_capacity(wanted);
    // Selection sampling (Knuth, volume 2, algorithm S): one pass, order kept.
    some.extend(all.filter(|_| {
        let taken = still == left || (still > 0 && stream.below(left) < still);
        left -= 1;
        still -= usize::from(taken);
        taken
    }));
    some
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_keeps_order_and_count_and_everything_at_share_one() {
        let items: Vec<u32> = (0..50).collect();
        let mut stream = Stream::new(1, "draw");
        assert_eq!(drawn(50, 1.0, &mut stream), items);
        let some = drawn(50, 0.3, &mut stream);
        assert_eq!(some.len(), 15);
        assert!(some.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(drawn(50, 1e-9, &mut stream).len(), 1);
    }

    #[test]
    fn rows_that_are_not_drawn_are_marked() {
        let cell = Units::new(5, [(1.0f32, 0.0f32)].into_iter()).cell((0.0, 0.0));
        assert_ne!(cell, LEFT_OUT);
        for places in [&[0, 2, 3][..], &[4], &[], &[0, 1, 2, 3, 4]] {
            let mut cells = [cell; 5];
            leave_out_others(&mut cells, places);
            let left: Vec<u32> = (0..5).filter(|&place| cells[place as usize] != LEFT_OUT).collect();
            assert_eq!(left, places);
        }
        assert_eq!([share_of(50, 1.0), share_of(50, 0.3), share_of(50, 1e-9)], [50, 15, 1]);
    }

    #[test]
    fn the_lowest_loss_is_the_first_of_equals() {
        assert_eq!(lowest(&[3.0, 1.0, 2.0, 1.0]), 1);
        assert_eq!(lowest(&[3.0, f64::NAN]), 0);
    }
}
