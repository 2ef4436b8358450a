//! Boosting: tree after tree, each on what the ones before it got wrong, whatever "wrong" means.
//!
//! What is minimized stays outside. Before each tree the caller is shown the scores of the training rows and answers with
//! a gradient g and a curvature h for each; a leaf then adds -Σg / (Σh + λ), a Newton step on the penalized loss of its
//! rows, times the learning rate. So a loss may couple its rows (the mean over a batch, a correction by sign), and the
//! caller may split them into new random parts before every tree.

use crate::TreesError;
use crate::bins::Binned;
use crate::cluster::FieldAway;
use crate::config::TreesConfig;
use crate::derivatives::Derivatives;
use crate::field::{Field, FieldHere};
use crate::histogram::Units;
use crate::model::{Tree, TreesModel};
use onesided_data::Stream;

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
        let mut field: Box<dyn Field> = match binned.away() {
            None => Box::new(FieldHere::new(binned, training, held_out_rows, config)),
            Some(away) => Box::new(FieldAway::open(away, binned, training, held_out_rows, config)?),
        };
        for number in 1..=config.trees {
            // Of many rows every list counts: each is made when it is needed, and freed when it is not.
            let mut of_rows: Vec<Derivatives> = vec![(0.0, 0.0); training.len()];
            derivatives(&scores, &mut of_rows);
            check_derivatives(&of_rows, number)?;
            let units = Units::new(share_of(training.len(), config.row_share), of_rows.iter().copied());
            field.take(of_rows, units)?;
            let places = drawn(training.len(), config.row_share, &mut stream);
            let features = drawn(binned.features(), config.column_share, &mut stream);
            let tree = field.grow(places, &features, &mut scores, &mut held_out_scores)?;
            let loss = judge(&held_out_scores);
            losses.extend(loss);
            let round = Round { trees: number, tree: &tree, scores: &scores, held_out_loss: loss };
            let go_on = observer(&round);
            trees.push(tree);
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
        assert_eq!([share_of(50, 1.0), share_of(50, 0.3), share_of(50, 1e-9)], [50, 15, 1]);
    }

    #[test]
    fn the_lowest_loss_is_the_first_of_equals() {
        assert_eq!(lowest(&[3.0, 1.0, 2.0, 1.0]), 1);
        assert_eq!(lowest(&[3.0, f64::NAN]), 0);
    }
}
