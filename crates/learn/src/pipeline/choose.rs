//! Choosing: one candidate is kept.
//!
//! 1. Each candidate is trained on the rows that are not held out and scores the others.
//! 2. The first is kept unless another's held-out risk is lower by more than the noise of the comparison.
//! 3. Where rows were held out in turn, what was chosen is trained once more on all of them.

use super::{Joint, Kept, by_row};
use crate::criterion::{self, HeldScores, Losses};
use crate::early_stopping::{stopped_by_other_folds, stopped_by_other_parts};
use crate::folds::Fold;
use crate::jobs::{train_in_turn, train_shared};
use crate::quantile_alignment::{FoldScores, aligned, aligned_to};
use crate::sum_of_some as sum;
use crate::{
    Candidate, Error, Kinds, Observer, RunNumber, ScoreScale, Subset, Task, TrainedScorer, Trainer, Tried,
};
use onesided_eval::Sample;
use std::collections::HashMap;

/// One candidate after training, once or once per fold.
struct Outcome {
    candidate: Candidate,
    fits: Vec<TrainedScorer>,
    /// Held-out scores on a common scale, by models that had not seen the rows and did not stop by them.
    positive: Vec<f32>,
    unlabeled: Vec<f32>,
    negative: Vec<f32>,
    rows: Kinds,
    /// All of them with their scores, those of each fold brought to the scale of all.
    list: Vec<(u32, f32)>,
    risk: f64,
    /// The terms of the risk, one per held-out row of a known kind; none where the risk is another one.
    losses: Losses,
}

impl Outcome {
    fn new(candidate: Candidate, fits: Vec<TrainedScorer>, folds: &[Fold], task: &Task) -> Self {
        let in_turn = folds.len() > 1;
        let (mut positive, mut unlabeled, mut negative) = (Vec::new(), Vec::new(), Vec::new());
        let (mut rows, mut of_folds) = (Kinds::default(), Vec::new());
        let by_others = stopped_by_other_folds(&fits);
        for (at, (fit, fold)) in fits.iter().zip(folds).enumerate() {
            let scale = if in_turn { fit.scale } else { ScoreScale::ONE };
            let scaled =
                |scores: &[f32]| scores.iter().map(|&score| scale.apply(score)).collect::<Vec<f32>>();
            let scores = scaled(&fit.scored);
            let [p, u, n] = fold.stopping.split(&scores);
            positive.extend_from_slice(p);
            unlabeled.extend_from_slice(u);
            negative.extend_from_slice(n);
            let scores = by_others.as_ref().map_or(scores.clone(), |by_others| scaled(by_others[at]));
            let unlabeled = fold.stopping.split(&scores)[1].to_vec();
            of_folds.push(FoldScores { rows: fold.stopping.all(), scores, unlabeled });
            rows.positive.extend_from_slice(&fold.stopping.positive);
            rows.unlabeled.extend_from_slice(&fold.stopping.unlabeled);
            rows.negative.extend_from_slice(&fold.stopping.negative);
        }
        // Each candidate is judged at its own best epoch.
        let weights = task.weights_by_kind(&rows);
        let [wp, wu, wn] = weights.each_ref().map(Option::as_deref);
        let held = HeldScores {
            positive: Sample { scores: &positive, weights: wp },
            unlabeled: Sample { scores: &unlabeled, weights: wu },
            negative: Sample { scores: &negative, weights: wn },
        };
        let risk = if task.truth { held.log_loss() } else { held.risk(task.mu()) };
        let losses = held.losses(task.mu());
        let of_parts = match (&fits[..], folds) {
            ([fit], [fold]) => stopped_by_other_parts(fit, fold, task),
            _ => None,
        };
        let crossed = by_others.is_some() || of_parts.is_some();
        let list = match of_parts {
            Some(parts) => aligned_to(unlabeled.clone(), parts),
            None => aligned(of_folds),
        };
        if crossed {
            // One scale for all rows: they were stopped elsewhere than where their own scores were compared.
            let of_rows: HashMap<u32, f32> = list.iter().copied().collect();
            let again = |rows: &[u32]| rows.iter().map(|row| of_rows[row]).collect::<Vec<f32>>();
            (positive, unlabeled, negative) =
                (again(&rows.positive), again(&rows.unlabeled), again(&rows.negative));
        }
        Self { candidate, fits, positive, unlabeled, negative, rows, list, risk, losses }
    }

    /// The epoch to keep: the middle one of the folds' best epochs.
    fn best_epoch(&self) -> usize {
        let mut best: Vec<usize> = self.fits.iter().map(|fit| fit.history.best_epoch).collect();
        best.sort_unstable();
        best.get(best.len() / 2).copied().unwrap_or(0)
    }

    fn tried(&self, chosen: bool) -> Tried {
        Tried {
            name: self.candidate.name.clone(),
            risk: self.risk.is_finite().then_some(self.risk),
            epochs: self.fits.iter().map(|fit| fit.history.epochs).max().unwrap_or(0),
            best_epoch: self.best_epoch(),
            chosen,
            reduction: self.candidate.reduction,
            auc: None,
            weight: None,
        }
    }
}

/// Trains the candidates on the folds, keeps one, and trains it on all rows where they were held out in turn.
pub(super) fn choose(
    joint: &Joint,
    trainer: Box<dyn Trainer + '_>,
    candidates: Vec<Candidate>,
    observer: Observer,
) -> Result<Kept, Error> {
    let Joint { task, folds, .. } = *joint;
    // Small data: one more run on all rows, once everything is chosen.
    let refit = folds.len() > 1;
    let runs = candidates.len() * folds.len() + usize::from(refit);
    let (mut number, mut resumed_from, mut early) = (0, None, false);
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(candidates.len());
    if trainer.any_threads() {
        let (trained, finished) = train_shared(trainer.as_ref(), &candidates, folds, task, runs, observer)?;
        early = finished || trained.iter().flatten().any(|fit| fit.finished_early);
        let trained = candidates.into_iter().zip(trained);
        outcomes.extend(trained.map(|(candidate, fits)| Outcome::new(candidate, fits, folds, task)));
    } else {
        // Networks sum in the order of their threads: each has all of them, one after the other.
        for candidate in candidates {
            let run = RunNumber { name: &candidate.name, number, all: runs, resumed_from };
            let fits = train_in_turn(trainer.as_ref(), &candidate, folds, task, run, observer)?;
            number += folds.len();
            resumed_from = fits.iter().fold(resumed_from, |so_far, fit| sum(so_far, fit.resumed_from));
            early = fits.iter().any(|fit| fit.finished_early);
            outcomes.push(Outcome::new(candidate, fits, folds, task));
            if early {
                break;
            }
        }
    }
    let (chosen, noise) = best(&outcomes);
    let whole = if refit && !early {
        Some(fit_all(trainer.as_ref(), &outcomes[chosen], task, (runs, resumed_from), observer)?)
    } else {
        None
    };
    resumed_from = sum(resumed_from, whole.as_ref().and_then(|fit| fit.resumed_from));
    let device = trainer.device();
    drop(trainer);
    joint.scorer.clean_up(runs);
    let candidates = outcomes.iter().enumerate().map(|(at, one)| one.tried(at == chosen)).collect();
    let mut outcome = outcomes.swap_remove(chosen);
    let in_turn = whole.is_some();
    let Some(last) = whole.or_else(|| outcome.fits.pop()) else { return Err(Error::NeedsLabels) };
    let scale = if in_turn { last.scale } else { ScoreScale::ONE };
    let list = outcome.list.iter().map(|&(row, score)| (row, scale.undo(score)));
    Ok(Kept {
        out_of_fold: by_row(task.data.len(), list),
        fitted: last.fitted,
        described: last.described,
        folds: folds.len(),
        rows: outcome.rows,
        scores: [outcome.positive, outcome.unlabeled, outcome.negative],
        scale: Some(scale),
        history: last.history,
        candidates,
        noise,
        criterion: criterion::name(task),
        risk: outcome.risk,
        beside: Vec::new(),
        warnings: Vec::new(),
        notes: Vec::new(),
        device,
        resumed_from,
    })
}

/// What was chosen, trained on all rows through the epoch that was best.
fn fit_all(
    trainer: &dyn Trainer,
    outcome: &Outcome,
    task: &Task,
    (runs, resumed_from): (usize, Option<usize>),
    observer: Observer,
) -> Result<TrainedScorer, Error> {
    let name = format!("{} on all rows", outcome.candidate.name);
    let all: Vec<usize> = (0..task.data.len()).collect();
    let subset = Subset {
        training: &task.split(&all),
        stopping: &Kinds::default(),
        scored: &[],
        stop_after: Some(outcome.best_epoch()),
        seed: task.seed,
        threads: task.machine.threads,
        run: RunNumber { name: &name, number: runs - 1, all: runs, resumed_from },
    };
    trainer.fit(&subset, &outcome.candidate, observer)
}

/// The first outcome, unless another's risk is lower by more than the noise of the comparison (one standard error over
/// the held-out positives); also returns that noise.
///
/// The first candidate is `sum-of-means`, whose weight on P does not shrink with μ and which therefore learns in fewer
/// steps; where classes overlap, `prior-weighted` ranks better and its lead is far above the noise. A risk that is not a
/// number never wins.
fn best(outcomes: &[Outcome]) -> (usize, Option<f64>) {
    let (mut best, mut noise) = (0, None);
    for next in 1..outcomes.len() {
        let (now, other) = (&outcomes[best], &outcomes[next]);
        let error = now.losses.standard_error(&other.losses);
        if other.risk + error < now.risk || (now.risk.is_nan() && !other.risk.is_nan()) {
            best = next;
        }
        noise = error.is_finite().then_some(error);
    }
    (best, noise)
}
