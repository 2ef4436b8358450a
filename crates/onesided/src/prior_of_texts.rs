//! How many positives are hidden among unlabeled texts.
//!
//! As [`prior`](crate::prior) does it for tables, with a classifier that takes sparse rows: logistic regression of "labeled"
//! on the terms. Rows are dealt into folds; the rows of a fold are scored by a model of the others, of which a sixth is kept
//! apart to choose the ridge by its log loss and to calibrate the logits (Platt, 1999), so that scores of different folds
//! mean the same.

use crate::Error;
use crate::prior::{PriorReport, PriorSettings, Refusal, Scorer, consensus};
use onesided_classic::{Examples, LinearModel, Logistic, Rows, Selected};
use onesided_data::{
    Counts, DataError, Label, Matrix, Scenario, SparseMatrix, stratified_folds, stratified_holdout,
};
use onesided_loss::softplus;
use onesided_prior::{Evidence, LEAST_POSITIVES, PriorError};

const FOLDS: usize = 5;
/// The share of a fold's training rows that chooses the ridge and calibrates.
const KEPT_APART: f64 = 1.0 / 6.0;
/// Costs of ½|w|² + C Σ log loss, between which the rows kept apart decide.
const COSTS: [f64; 5] = [0.1, 1.0, 10.0, 100.0, 1000.0];

/// Estimates the share of positives among the unlabeled rows of sparse data. Of the settings, the estimators, the level,
/// the resamples and the seed count; an estimator that looks at the rows themselves has no answer.
pub fn estimate_prior_of_texts(
    rows: &SparseMatrix,
    labels: &[Label],
    scenario: Scenario,
    settings: &PriorSettings,
) -> Result<PriorReport, Error> {
    if rows.rows() != labels.len() {
        return Err(DataError::Length { what: "labels", expected: rows.rows(), found: labels.len() }.into());
    }
    let chosen = settings.chosen()?;
    let seed = settings.cross_fitting.seed;
    let positive = labels.iter().filter(|&&label| label == Label::Positive).count();
    let counts = Counts { positive, unlabeled: labels.len() - positive };
    for (sample, found) in [("positive", positive), ("unlabeled", counts.unlabeled)] {
        if found < LEAST_POSITIVES {
            return Err(PriorError::TooFew { sample, found, least: LEAST_POSITIVES }.into());
        }
    }
    let mut logits = vec![0.0; labels.len()];
    for (fold, (rest, scored)) in stratified_folds(labels, FOLDS, seed)?.iter().enumerate() {
        let scores = cross_fitted(rows, labels, rest, scored, seed.wrapping_add(fold as u64))?;
        scored.iter().zip(scores).for_each(|(&row, score)| logits[row] = score);
    }
    let of = |wanted: Label| -> Vec<f64> {
        logits.iter().zip(labels).filter(|(_, label)| **label == wanted).map(|(z, _)| *z).collect()
    };
    let (positive, unlabeled) = (of(Label::Positive), of(Label::Unlabeled));
    let evidence = Evidence {
        seed,
        confidence: settings.confidence,
        resamples: settings.resamples,
        ..Evidence::of_scores(&positive, &unlabeled)
    };
    let (mut estimates, mut refusals) = (Vec::new(), Vec::new());
    for one in chosen {
        match one.estimate(&evidence) {
            Ok(estimate) => estimates.push(estimate),
            Err(error) => refusals.push(Refusal { estimator: one.about().name, why: error.to_string() }),
        }
    }
    let consensus = consensus(&estimates, &evidence)?;
    Ok(PriorReport { scenario, counts, scorer: Scorer::Linear, estimates, refusals, consensus })
}

/// Calibrated logits of the rows `scored`, by a model of the rows `rest`.
fn cross_fitted(
    rows: &SparseMatrix,
    labels: &[Label],
    rest: &[usize],
    scored: &[usize],
    seed: u64,
) -> Result<Vec<f64>, Error> {
    let of_rest: Vec<Label> = rest.iter().map(|&row| labels[row]).collect();
    let (training, apart) = stratified_holdout(&of_rest, KEPT_APART, seed)?;
    let [training, apart] =
        [training, apart].map(|places| -> Vec<usize> { places.iter().map(|&i| rest[i]).collect() });
    let is_positive =
        |of: &[usize]| -> Vec<bool> { of.iter().map(|&row| labels[row] == Label::Positive).collect() };
    let (known, judged) = (is_positive(&training), is_positive(&apart));
    let (training, apart) = (Selected::new(rows, training), Selected::new(rows, apart));
    let loss = |logits: &[f64]| -> f64 {
        logits.iter().zip(&judged).map(|(&z, &positive)| softplus(if positive { -z } else { z })).sum()
    };
    let mut best: Option<(f64, LinearModel, Vec<f64>)> = None;
    for cost in COSTS {
        let model = logistic(&training, &known, cost)?;
        let logits = model.scores(&apart);
        let found = loss(&logits);
        if best.as_ref().is_none_or(|(least, ..)| found < *least) {
            best = Some((found, model, logits));
        }
    }
    let Some((_, model, logits)) = best else { return Ok(Vec::new()) };
    // Slope and offset of "labeled" on the logit; a wide prior on the slope stands in for Platt's.
    let column = |logits: &[f64]| -> Result<Matrix, Error> {
        Ok(Matrix::new(logits.len(), 1, logits.iter().map(|&z| z as f32).collect())?)
    };
    let platt = logistic(&column(&logits)?, &judged, 100.0)?;
    Ok(platt.scores(&column(&model.scores(&Selected::new(rows, scored)))?))
}

fn logistic(rows: &dyn Rows, positive: &[bool], cost: f64) -> Result<LinearModel, Error> {
    let weights = |wanted: bool| -> Vec<f64> {
        positive.iter().map(|&positive| if positive == wanted { cost } else { 0.0 }).collect()
    };
    let (up, down) = (weights(true), weights(false));
    let examples =
        Examples::new(rows, &up, &down).map_err(|source| Error::Classic { source, hint: String::new() })?;
    Ok(Logistic { tolerance: 1e-4, ..Logistic::default() }.fit(examples).model)
}
