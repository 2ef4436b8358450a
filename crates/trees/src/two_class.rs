//! Log loss of two classes.
//!
//! With labels y ∈ {0, 1}, weights w and logits f, the loss of a row and its derivatives in f are
//!
//! ```text
//! w [softplus(f) - y f],   g = w (σ(f) - y),   h = w σ(f) σ(-f),
//! ```
//!
//! and the first logit is the log odds of the weighted classes.

use crate::TreesError;
use crate::bins::Binned;
use crate::boost::{BoostedTrees, Boosting, HeldOut, Round};
use crate::config::TreesConfig;
use crate::derivatives::Derivatives;
use crate::threads::in_threads;
use onesided_loss::softplus;

/// Rows whose derivatives another thread is worth.
const WORTH_A_THREAD: usize = 50_000;

/// Rows with their labels and weights.
#[derive(Clone, Copy, Debug)]
pub struct LabeledRows<'a> {
    /// The rows.
    pub binned: &'a Binned,
    /// Which of them are positive.
    pub positive: &'a [bool],
    /// How much each counts; all the same without.
    pub weights: Option<&'a [f32]>,
}

/// Grows trees on the training rows until the mean log loss of the held-out rows has not fallen for `patience` trees.
pub fn fit(
    sample: &LabeledRows,
    training: &[u32],
    held_out: &[u32],
    config: &TreesConfig,
) -> Result<BoostedTrees, TreesError> {
    config.check()?;
    sample.check()?;
    sample.binned.check_rows(training)?;
    sample.binned.check_rows(held_out)?;
    let boosting = Boosting { binned: sample.binned, training, start: sample.log_odds(training)?, config };
    let mut derivatives = |logits: &[f64], of_rows: &mut [Derivatives]| {
        in_threads(of_rows, config.threads, WORTH_A_THREAD, |of_rows, from| {
            for ((of_row, &logit), &row) in of_rows.iter_mut().zip(&logits[from..]).zip(&training[from..]) {
                *of_row = sample.derivatives(row as usize, logit);
            }
        });
    };
    let mut judge = |logits: &[f64]| sample.loss(logits, held_out);
    let held_out = (!held_out.is_empty()).then_some(HeldOut { rows: held_out, judge: &mut judge });
    // Where all rows and features were looked at and nothing was found, nothing is left to be found.
    let everything = config.row_share == 1.0 && config.column_share == 1.0;
    boosting
        .run(&mut derivatives, held_out, &mut |round: &Round| !(everything && round.tree.nodes.len() == 1))
}

impl LabeledRows<'_> {
    pub(crate) fn check(&self) -> Result<(), TreesError> {
        let expected = self.binned.rows();
        let fits = |what, found| {
            if found == expected { Ok(()) } else { Err(TreesError::Length { what, expected, found }) }
        };
        fits("labels", self.positive.len())?;
        let Some(weights) = self.weights else { return Ok(()) };
        fits("weights", weights.len())?;
        match weights.iter().position(|weight| !(*weight >= 0.0 && weight.is_finite())) {
            Some(at) => Err(TreesError::Weight { row: at + 1, value: weights[at] }),
            None => Ok(()),
        }
    }

    pub(crate) fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| f64::from(weights[row]))
    }

    pub(crate) fn log_odds(&self, training: &[u32]) -> Result<f64, TreesError> {
        let of = |class: bool| -> f64 {
            let rows = training.iter().map(|&row| row as usize);
            rows.filter(|&row| self.positive[row] == class).map(|row| self.weight(row)).sum()
        };
        let odds = of(true) / of(false);
        if odds > 0.0 && odds.is_finite() { Ok(odds.ln()) } else { Err(TreesError::OneClass) }
    }

    fn derivatives(&self, row: usize, logit: f64) -> Derivatives {
        // σ of both signs from one exponential. `onesided_loss` rounds the smaller one twice (e · 1 / (1 + e)), which
        // would change the last bit of trees that seeds promise.
        let e = (-logit.abs()).exp();
        let (large, small) = (1.0 / (1.0 + e), e / (1.0 + e));
        let (up, down) = if logit >= 0.0 { (large, small) } else { (small, large) };
        let gradient = if self.positive[row] { -down } else { up };
        let weight = self.weight(row);
        ((weight * gradient) as f32, (weight * up * down) as f32)
    }

    /// The weighted mean of the log loss; the logits are in the order of the rows.
    fn loss(&self, logits: &[f64], rows: &[u32]) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (row, &logit) in rows.iter().map(|&row| row as usize).zip(logits) {
            // -ln σ of the logit of the row's own class.
            sum += self.weight(row) * softplus(if self.positive[row] { -logit } else { logit });
            weights += self.weight(row);
        }
        sum / weights
    }
}
