//! The share of positives as a network with a teacher tells it.
//!
//! A teacher needs the share, and what it makes of few labels tells the share better than anything before it: its network
//! puts nearly every positive above nearly every negative. What it is told pulls at its answer, but not in both directions
//! alike. Told too much, it calls negatives positive until the share is what it was told, and held-out positives do not show
//! it. Told too little, it calls too few rows positive, nearly all of them rightly; then as many held-out positives are missed,
//! and the ratio of the two shares is the truth. So the first round is told less than the first estimate, and the second what
//! the first round found.

use super::cross_fit::CrossFitted;
use super::report::{PriorSettings, estimate_prior_scored, report_of};
use crate::folds::FoldPlan;
use crate::jobs::{STOPPED, train_in_turn};
use crate::prior_report::{PriorReport, PriorScorer};
use crate::quantile_alignment::{FoldScores, aligned};
use crate::{Error, Observer, Priors, RunNumber, Scorer, Task, Views};
use onesided_data::{Label, PriorInUnlabeled};

/// What share of the estimate so far each round is told.
const TOLD: [f64; 2] = [0.7, 1.0];
/// What reads the share off its scores: the estimator that looks at the purest part of the ranking. The others count the
/// negatives that come before the last positives; their consensus was 3 % too high on CIFAR-10 (docs/few-labels-results.md).
const ESTIMATOR: &str = "plateau";
/// With fewer labeled rows all estimators are asked: of 100, the upper positives are too few, and the plateau comes out 8 % too
/// low even where they are pure.
const ENOUGH: usize = 300;
/// Parts that rows are scored in. Two more would cost twice the time for a fifth more rows to learn from.
const FOLDS: usize = 3;
/// No round is told a share nearer to 0 or 1.
const MARGIN: f64 = 1e-3;

/// [`estimate_prior_scored`], and then again by the network that is to be taught, which `scorer` is.
pub fn estimate_prior_taught(
    scorer: &dyn Scorer,
    task: &Task,
    views: &Views,
    settings: &PriorSettings,
    observer: Observer,
) -> Result<(PriorReport, CrossFitted), Error> {
    let (mut report, mut scores) = estimate_prior_scored(task, views, settings, observer)?;
    let mut read_by = settings.clone();
    if task.counts.positive >= ENOUGH {
        read_by.estimators = vec![ESTIMATOR.to_string()];
    }
    let mut found = report.answer.mu;
    for part in TOLD {
        let told = PriorInUnlabeled::new(part * found)?;
        let priors = Some(Priors::from_unlabeled(told, task.scenario, task.drawn, true));
        scores = scored(scorer, &Task { priors, ..task.clone() }, views, observer)?;
        report = report_of(&scores, task, views, &read_by, observer)?;
        found = report.consensus.mu.clamp(MARGIN, 1.0 - MARGIN);
    }
    // The answer is cautious where classes do not look separate, as on most tables they are not. Here they do not look so because
    // each network was taught with two thirds of few labels: with 100, caution took 15 to 30 % off the share (USPS, four draws).
    report.answer = report.answer.with_guess(found);
    Ok((report, scores))
}

/// Every row's score by a network that did not see it.
fn scored(scorer: &dyn Scorer, task: &Task, views: &Views, observer: Observer) -> Result<CrossFitted, Error> {
    let folds = FoldPlan::taught(FOLDS).deal(task)?;
    let trainer = scorer.open(task, views)?;
    let candidate = &scorer.candidates()[0];
    let run = RunNumber { name: "share of positives", number: 0, all: folds.len(), resumed_from: None };
    let fits = train_in_turn(trainer.as_ref(), candidate, &folds, task, run, observer)?;
    if fits.len() < folds.len() {
        return Err(STOPPED);
    }
    let of_folds = folds.into_iter().zip(fits).map(|(fold, fit)| {
        let of_unlabeled = fold.scored.iter().zip(&fit.scored);
        let unlabeled = of_unlabeled
            .filter(|&(&row, _)| task.labels[row as usize] == Label::Unlabeled)
            .map(|(_, &score)| score)
            .collect();
        FoldScores { rows: fold.scored, scores: fit.scored, unlabeled }
    });
    let mut logits = vec![0.0; task.data.len()];
    for (row, score) in aligned(of_folds.collect()) {
        logits[row as usize] = f64::from(score);
    }
    Ok(CrossFitted::new(logits, &task.labels, PriorScorer::Taught))
}
