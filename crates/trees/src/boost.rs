//! Boosting: tree after tree, each on what the ones before it got wrong.
//!
//! With labels y ∈ {0, 1}, weights w and logits f, the loss of a row and its derivatives in f are
//!
//! ```text
//! w [softplus(f) - y f],   g = w (σ(f) - y),   h = w σ(f) σ(-f)
//! ```
//!
//! and a leaf answers -Σg / (Σh + λ), a Newton step on the penalized loss of its rows. The first logit is the log odds of
//! the weighted classes.

use crate::TreesError;
use crate::bins::Binned;
use crate::config::Config;
use crate::grow::grow;
use crate::histogram::Derivatives;
use crate::model::TreesModel;
use onesided_data::Stream;

/// Rows with their labels and weights.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The rows.
    pub binned: &'a Binned,
    /// Which of them are positive.
    pub positive: &'a [bool],
    /// How much each counts; all the same without.
    pub weights: Option<&'a [f32]>,
}

/// A model, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The trees up to the lowest held-out loss, or all of them where nothing was held out.
    pub model: TreesModel,
    /// Mean log loss on the held-out rows before the first tree and after each one that was grown; empty where nothing was
    /// held out.
    pub held_out_loss: Vec<f64>,
}

/// Grows trees on the training rows until the loss of the held-out rows has not fallen for `patience` trees.
pub fn fit(
    sample: &Sample,
    training: &[u32],
    held_out: &[u32],
    config: &Config,
) -> Result<Fitted, TreesError> {
    config.check()?;
    let (binned, rows) = (sample.binned, sample.binned.rows());
    sample.check()?;
    if let Some(&row) = training.iter().chain(held_out).find(|&&row| row as usize >= rows) {
        return Err(TreesError::NoSuchRow { row, rows });
    }
    let start = sample.log_odds(training)?;
    let mut logits = vec![start; rows];
    let mut derivatives: Vec<Derivatives> = vec![(0.0, 0.0); rows];
    let mut losses = if held_out.is_empty() { Vec::new() } else { vec![sample.loss(&logits, held_out)] };
    let mut looked_at = [training, held_out].concat();
    looked_at.sort_unstable();
    looked_at.dedup();
    let mut trees = Vec::new();
    let mut stream = Stream::new(config.seed, "trees");
    let every_feature: Vec<u32> = (0..binned.features() as u32).collect();
    for _ in 0..config.trees {
        let mut here = drawn(training, config.row_share, &mut stream);
        let features = drawn(&every_feature, config.column_share, &mut stream);
        here.iter().for_each(|&row| {
            let row = row as usize;
            derivatives[row] = sample.derivatives(row, logits[row]);
        });
        let tree = grow(binned, &mut here, &features, &derivatives, config);
        // Every row that is looked at, not only those drawn for this tree.
        for row in looked_at.iter().map(|&row| row as usize) {
            logits[row] += f64::from(tree.value_of_bins(binned, row));
        }
        let nothing_found = tree.nodes.len() == 1 && config.row_share == 1.0 && config.column_share == 1.0;
        trees.push(tree);
        if !held_out.is_empty() {
            losses.push(sample.loss(&logits, held_out));
            if losses.len() - 1 - lowest(&losses) >= config.patience {
                break;
            }
        }
        if nothing_found {
            break;
        }
    }
    if !losses.is_empty() {
        trees.truncate(lowest(&losses));
    }
    let model = TreesModel::new(binned.features(), start, trees);
    Ok(Fitted { model, held_out_loss: losses })
}

impl Sample<'_> {
    fn check(&self) -> Result<(), TreesError> {
        let expected = self.binned.rows();
        let fits = |what, found| match found == expected {
            true => Ok(()),
            false => Err(TreesError::Length { what, expected, found }),
        };
        fits("labels", self.positive.len())?;
        let Some(weights) = self.weights else { return Ok(()) };
        fits("weights", weights.len())?;
        match weights.iter().position(|weight| !(*weight >= 0.0 && weight.is_finite())) {
            Some(at) => Err(TreesError::Weight { row: at + 1, value: weights[at] }),
            None => Ok(()),
        }
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| f64::from(weights[row]))
    }

    fn log_odds(&self, training: &[u32]) -> Result<f64, TreesError> {
        let of = |class: bool| -> f64 {
            let rows = training.iter().map(|&row| row as usize);
            rows.filter(|&row| self.positive[row] == class).map(|row| self.weight(row)).sum()
        };
        let odds = of(true) / of(false);
        if odds > 0.0 && odds.is_finite() { Ok(odds.ln()) } else { Err(TreesError::OneClass) }
    }

    fn derivatives(&self, row: usize, logit: f64) -> Derivatives {
        let e = (-logit.abs()).exp();
        let (large, small) = (1.0 / (1.0 + e), e / (1.0 + e));
        let (up, down) = if logit >= 0.0 { (large, small) } else { (small, large) };
        let gradient = if self.positive[row] { -down } else { up };
        let weight = self.weight(row);
        ((weight * gradient) as f32, (weight * up * down) as f32)
    }

    /// The weighted mean of the log loss.
    fn loss(&self, logits: &[f64], rows: &[u32]) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for row in rows.iter().map(|&row| row as usize) {
            // -ln σ of the logit of the row's own class.
            let z = if self.positive[row] { logits[row] } else { -logits[row] };
            sum += self.weight(row) * ((-z).max(0.0) + (-z.abs()).exp().ln_1p());
            weights += self.weight(row);
        }
        sum / weights
    }
}

/// The place of the first lowest loss, which is the number of trees to keep. A loss that is not a number never wins.
fn lowest(losses: &[f64]) -> usize {
    let mut at = 0;
    (1..losses.len()).for_each(|i| at = if losses[i] < losses[at] { i } else { at });
    at
}

/// A share of the items, at least one, in their order.
fn drawn(items: &[u32], share: f64, stream: &mut Stream) -> Vec<u32> {
    let wanted = ((share * items.len() as f64).round() as usize).clamp(1, items.len().max(1));
    let (mut left, mut still) = (items.len(), wanted);
    // Selection sampling (Knuth, volume 2, algorithm S): one pass, order kept.
    items
        .iter()
        .copied()
        .filter(|_| {
            let taken = still == left || (still > 0 && stream.below(left) < still);
            left -= 1;
            still -= usize::from(taken);
            taken
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_keeps_order_and_count_and_everything_at_share_one() {
        let items: Vec<u32> = (0..50).collect();
        let mut stream = Stream::new(1, "draw");
        assert_eq!(drawn(&items, 1.0, &mut stream), items);
        let some = drawn(&items, 0.3, &mut stream);
        assert_eq!(some.len(), 15);
        assert!(some.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(drawn(&items, 1e-9, &mut stream).len(), 1);
    }

    #[test]
    fn the_lowest_loss_is_the_first_of_equals() {
        assert_eq!(lowest(&[3.0, 1.0, 2.0, 1.0]), 1);
        assert_eq!(lowest(&[3.0, f64::NAN]), 0);
    }
}
