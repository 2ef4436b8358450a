//! Which rows are held out, drawn once per fit, and the one loop that trains on the others.

use crate::{At, Candidate, Error, Fit, Kinds, Observer, Progress, RunNumber, Signal, Subset, Task, Trainer};
use onesided_data::{Label, Stream, available_threads, first_folds, stratified_folds, stratified_holdout};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Rows up to which holding out in turn is worth eleven trainings instead of two.
const MOST_IN_TURN: usize = 50_000;
/// Parts that rows are split into; one is held out at a time.
pub(crate) const FOLDS: usize = 5;
/// Held-out rows of either kind from which one hold-out is enough: a calibration on fewer is mostly noise (its offset
/// alone has a standard error of about 0.15 logits at 200 rows).
const ENOUGH_HELD_OUT: usize = 200;

/// One part of the rows: those to learn from, those that decide when to stop, and those to be scored.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    pub training: Kinds,
    pub stopping: Kinds,
    pub scored: Vec<u32>,
    pub seed: u64,
}

/// Rows to train on and rows held out: once, or in turn where one hold-out would be too small to calibrate on. The rows
/// held out also decide when to stop.
pub(crate) fn held_out(task: &Task, hold_out: Option<f64>) -> Result<Vec<Fold>, Error> {
    let fewest = task.counts.positive.min(task.counts.unlabeled);
    let splits = match hold_out {
        Some(share) => vec![stratified_holdout(&task.labels, share, task.seed)?],
        None if fewest < 2 * FOLDS => vec![stratified_holdout(&task.labels, 1.0 / FOLDS as f64, task.seed)?],
        None => {
            // The folds that cross-fitting for the prior has, too: drawn once per fit.
            let enough = fewest >= ENOUGH_HELD_OUT * FOLDS || task.labels.len() > MOST_IN_TURN;
            let many = if enough && !task.cross_fit { 1 } else { FOLDS };
            first_folds(&task.labels, FOLDS, many, task.seed)?
        }
    };
    Ok(splits
        .iter()
        .map(|(kept, held)| {
            let stopping = task.split(held);
            Fold { training: task.split(kept), scored: stopping.all(), stopping, seed: task.seed }
        })
        .collect())
}

/// Folds in which every row is scored by a model that did not see it, and another part of the rows, a `share`-th of
/// each fold's training rows, decides when to stop. At most `most` rows are trained on, P and U thinned evenly.
pub(crate) fn cross_fit(task: &Task, folds: usize, share: usize, most: usize) -> Result<Vec<Fold>, Error> {
    let mut stream = Stream::new(task.seed, "stopping rows");
    let splits = stratified_folds(&task.labels, folds, task.seed)?;
    let one = |(number, (rest, scored)): (usize, (Vec<usize>, Vec<usize>))| {
        let (mut training, mut stopping) = (Vec::new(), Vec::new());
        for kind in [Label::Positive, Label::Unlabeled] {
            let mut rows: Vec<usize> = rest.iter().copied().filter(|&row| task.labels[row] == kind).collect();
            stream.shuffle(&mut rows);
            let over = rest.len() as f64 / most as f64;
            rows.truncate((rows.len() as f64 / over.max(1.0)).ceil() as usize);
            let kept = rows.len().div_ceil(share);
            stopping.extend_from_slice(&rows[..kept]);
            training.extend_from_slice(&rows[kept..]);
        }
        training.sort_unstable();
        stopping.sort_unstable();
        Fold {
            training: task.split(&training),
            stopping: task.split(&stopping),
            scored: scored.into_iter().map(|row| row as u32).collect(),
            seed: Stream::new(task.seed, &format!("cross-fit {number}")).next_u64(),
        }
    };
    Ok(splits.into_iter().enumerate().map(one).collect())
}

/// Trains a candidate on every fold, one after the other with all threads, or side by side with one thread each.
///
/// Each result depends on its fold alone. An observer that says finish ends the loop with what there is, which is at
/// least one fold; one that says abort makes it an [`Error::Interrupted`].
pub(crate) fn train_folds(
    trainer: &dyn Trainer,
    candidate: &Candidate,
    folds: &[Fold],
    side_by_side: usize,
    task: &Task,
    mut run: RunNumber,
    observer: Observer,
) -> Result<Vec<Fit>, Error> {
    if side_by_side > 1 && trainer.side_by_side() && folds.len() > 1 {
        return train_side_by_side(trainer, candidate, folds, side_by_side, run, observer);
    }
    let mut fits: Vec<Fit> = Vec::with_capacity(folds.len());
    for fold in folds {
        let fit = trainer.fit(&fold.subset(task.machine.threads, run), candidate, observer)?;
        run.number += 1;
        run.resumed_from = crate::sum_of_some(run.resumed_from, fit.resumed_from);
        let done = fit.finished_early;
        fits.push(fit);
        if done {
            break;
        }
    }
    Ok(fits)
}

impl Fold {
    fn subset<'s>(&'s self, threads: usize, run: RunNumber<'s>) -> Subset<'s> {
        Subset {
            training: &self.training,
            stopping: &self.stopping,
            scored: &self.scored,
            stop_after: None,
            seed: self.seed,
            threads,
            run,
        }
    }
}

fn train_side_by_side(
    trainer: &dyn Trainer,
    candidate: &Candidate,
    folds: &[Fold],
    workers: usize,
    run: RunNumber,
    observer: Observer,
) -> Result<Vec<Fit>, Error> {
    let (next, stopped) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Vec<Mutex<Option<Result<Fit, Error>>>> = folds.iter().map(|_| Mutex::new(None)).collect();
    let shared = Mutex::new((0, observer));
    std::thread::scope(|scope| {
        for _ in 0..workers.min(folds.len()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    let Some(fold) = folds.get(number) else { return };
                    let mut quiet = |_: &Progress| match stopped.load(Ordering::SeqCst) {
                        0 => Signal::Continue,
                        _ => Signal::Abort,
                    };
                    let result = trainer.fit(&fold.subset(1, run), candidate, &mut quiet);
                    let failed = result.is_err();
                    // A thread that panicked is reported by the scope; what it held is whole.
                    *results[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
                    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    shared.0 += 1;
                    let at = At::Fold { done: shared.0, all: folds.len() };
                    let (name, runs, number) = (run.name, run.all, run.number);
                    let progress =
                        Progress { name, run: number, runs, device: "cpu", resumed_from: None, at };
                    if (shared.1)(&progress) != Signal::Continue || failed {
                        stopped.store(1, Ordering::SeqCst);
                        next.store(folds.len(), Ordering::SeqCst);
                    }
                }
            });
        }
    });
    let stopped = || Error::Interrupted { epoch: 0, checkpoint: None };
    let results: Vec<Option<Result<Fit, Error>>> = results
        .into_iter()
        .map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect();
    // What went wrong counts more than what was stopped because of it.
    let (mut fits, mut error) = (Vec::new(), None);
    for result in results {
        match result {
            Some(Ok(fit)) => fits.push(fit),
            Some(Err(why)) if error.is_none() || matches!(error, Some(Error::Interrupted { .. })) => {
                error = Some(why)
            }
            Some(Err(_)) => {}
            None => error = error.or_else(|| Some(stopped())),
        }
    }
    error.map_or(Ok(fits), Err)
}

/// Threads to put folds side by side with.
pub(crate) fn workers(threads: usize) -> usize {
    if threads == 0 { available_threads() } else { threads }
}
