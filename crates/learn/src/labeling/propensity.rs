//! The chance of being labeled, given that a row is positive: a logistic regression on parts of columns.

use super::parts::Parts;
use crate::Error;
use onesided_classic::{Examples, LinearModel, Logistic};
use onesided_data::{Columns, Matrix};
use onesided_loss::sigmoid;
use std::ops::Range;

/// C of ½|w|² + C Σ log loss: a step between two parts is half believed where about two positives' worth of evidence is behind it.
const COST: f64 = 0.5;
/// The odds of being labeled of no row are further than this from those of the mean, either way: a weight is a hundred times another at most.
const MOST_ODDS: f64 = 10.0;
/// Halvings of an interval of logits.
const HALVINGS: usize = 60;

/// e of rows, from how labeled and hidden positives are spread over parts of columns. `labeled` and `hidden` are how much of each a row is.
pub(super) fn fitted(parts: &Matrix, labeled: &[f64], hidden: &[f64]) -> Result<LinearModel, Error> {
    let scaled = |of: &[f64]| of.iter().map(|own| COST * own).collect::<Vec<f64>>();
    let (up, down) = (scaled(labeled), scaled(hidden));
    let examples = Examples::new(parts, &up, &down).map_err(Error::of_classic)?;
    Ok(Logistic { tolerance: 1e-4, ..Logistic::default() }.fit(examples).model)
}

/// Logits of e, bounded.
pub(super) fn bounded(logits: &mut [f64], mean: f64) {
    let (middle, most) = ((mean / (1.0 - mean)).ln(), MOST_ODDS.ln());
    logits.iter_mut().for_each(|logit| *logit = logit.clamp(middle - most, middle + most));
}

/// The shift of logits at which `of` them, which falls with it, is `wanted`.
pub(super) fn shift_to(wanted: f64, of: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-15.0, 15.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if of(middle) > wanted { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Logits of e at which the labeled rows stand for `positives` positives: Σ 1/e over them.
pub(super) fn standing_for(labeled: &[f64], positives: f64) -> f64 {
    shift_to(positives, |shift| labeled.iter().map(|logit| 1.0 + (-logit - shift).exp()).sum())
}

/// How many hidden positives each labeled one stands for, but for a factor, from positives that were answered: the odds of being a hidden
/// one by some columns. `answered` are rows with what each stands for.
pub fn hidden_per_labeled(
    columns: &Columns,
    named: &[(String, Range<usize>)],
    labeled: &[u32],
    answered: &[(u32, f64)],
) -> Result<Vec<f64>, Error> {
    let rows: Vec<u32> = labeled.iter().copied().chain(answered.iter().map(|(row, _)| *row)).collect();
    let parts = Parts::new(columns, named, &rows, labeled)?;
    // Answers that stand for many rows are few all the same (Kish, 1965).
    let (sum, squares) =
        answered.iter().fold((0.0, 0.0), |(sum, squares), (_, w)| (sum + w, squares + w * w));
    let each = sum / squares.max(f64::MIN_POSITIVE);
    let up: Vec<f64> = (0..rows.len()).map(|at| if at < labeled.len() { 1.0 } else { 0.0 }).collect();
    let down: Vec<f64> =
        (0..labeled.len()).map(|_| 0.0).chain(answered.iter().map(|(_, w)| w * each)).collect();
    let model = fitted(&parts.of_rows(columns, &rows)?, &up, &down)?;
    let mut logits = model.scores(&parts.of_rows(columns, labeled)?);
    let mean = logits.iter().map(|&logit| sigmoid(logit)).sum::<f64>() / logits.len().max(1) as f64;
    bounded(&mut logits, mean.clamp(1e-6, 1.0 - 1e-6));
    Ok(logits.into_iter().map(|logit| (-logit).exp()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;
    use std::borrow::Cow;

    #[test]
    fn labeled_rows_stand_for_as_many_positives_as_there_are() {
        let logits = [0.0, 1.0, -1.0];
        let shift = standing_for(&logits, 12.0);
        let sum: f64 = logits.iter().map(|logit| 1.0 / sigmoid(logit + shift)).sum();
        assert!((sum - 12.0).abs() < 1e-9, "{sum}");
        let mut far = [9.0, 0.0, -9.0];
        bounded(&mut far, 0.5);
        assert!((far[0] - 10f64.ln()).abs() < 1e-12 && far[1] == 0.0 && (far[2] + 10f64.ln()).abs() < 1e-12);
    }

    /// 90 of the labeled are in the first half, 30 of the answered: a labeled one of the second half stands for 9 times as many... but for the ridge.
    #[test]
    fn answers_tell_what_labels_favor() {
        let value = |row: usize| f32::from(u8::from(if row < 100 { row >= 90 } else { row >= 130 }));
        let matrix = Matrix::new(200, 1, (0..200).map(value).collect()).unwrap();
        let columns = Columns::numbers(Cow::Borrowed(&matrix));
        let labeled: Vec<u32> = (0..100).collect();
        let answered: Vec<(u32, f64)> = (100..200).map(|row| (row, 7.0)).collect();
        let named = [("x".to_string(), 0..1)];
        let of = hidden_per_labeled(&columns, &named, &labeled, &answered).unwrap();
        let times = of[99] / of[0];
        // (70 / 10) / (30 / 90) = 21, brought nearer by the ridge.
        assert!((8.0..21.0).contains(&times), "{times}");
        let same = Matrix::new(200, 1, vec![1.0; 200]).unwrap();
        let columns = Columns::numbers(Cow::Borrowed(&same));
        let refused = hidden_per_labeled(&columns, &named, &labeled, &answered).unwrap_err().to_string();
        assert!(refused.contains("'x' has the same value in every labeled row"), "{refused}");
    }
}
