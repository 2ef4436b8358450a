//! Which rows are held out, drawn once per fit, and the one loop that trains on the others.

use crate::under_way::UnderWay;
use crate::{At, Candidate, Error, Fit, Kinds, Observer, Progress, RunNumber, Signal, Subset, Task, Trainer};
use onesided_data::{
    Label, Split, Stream, available_threads, first_folds, stratified_folds, stratified_holdout,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Rows up to which holding out in turn is worth eleven trainings instead of two.
const MOST_IN_TURN: usize = 50_000;
/// Parts that rows are split into; one is held out at a time.
pub(crate) const FOLDS: usize = 5;
/// Held-out rows of either kind from which one hold-out is enough: a calibration on fewer is mostly noise (its offset
/// alone has a standard error of about 0.15 logits at 200 rows).
pub(crate) const ENOUGH_HELD_OUT: usize = 200;

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
        Some(share) => whole(task, vec![stratified_holdout(&task.labels, share, task.seed)?]),
        None if fewest < 2 * FOLDS => {
            whole(task, vec![stratified_holdout(&task.labels, 1.0 / FOLDS as f64, task.seed)?])
        }
        None => {
            // The folds that cross-fitting for the prior has, too: drawn once per fit.
            let enough = fewest >= ENOUGH_HELD_OUT * FOLDS || task.labels.len() > MOST_IN_TURN;
            let many = if enough && !task.cross_fit { 1 } else { FOLDS };
            match task.copies {
                None => first_folds(&task.labels, FOLDS, many, task.seed)?,
                Some(_) => {
                    let mut folds = whole(task, stratified_folds(&task.labels, FOLDS, task.seed)?);
                    folds.truncate(many);
                    folds
                }
            }
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

/// Splits that keep rows together that are equal: one of all rows in two, or one for each part that is held out in turn.
pub(crate) fn whole(task: &Task, splits: Vec<Split>) -> Vec<Split> {
    if task.copies.is_none() {
        return splits;
    }
    if let [(kept, held)] = &splits[..] {
        let [kept, held] = task.gathered([kept.clone(), held.clone()]);
        return vec![(kept, held)];
    }
    let mut parts: Vec<Vec<usize>> = splits.into_iter().map(|(_, held)| held).collect();
    task.gather(&mut parts);
    let others = |number: usize| {
        let others = (0..parts.len()).filter(|&other| other != number);
        let mut rows: Vec<usize> = others.flat_map(|other| parts[other].iter().copied()).collect();
        rows.sort_unstable();
        rows
    };
    let kept: Vec<Vec<usize>> = (0..parts.len()).map(others).collect();
    kept.into_iter().zip(parts).collect()
}

/// Folds in which every row is scored by a model that did not see it, and another part of the rows, a `share`-th of
/// each fold's training rows, decides when to stop. At most `most` rows are trained on, P and U thinned evenly.
pub(crate) fn cross_fit(task: &Task, folds: usize, share: usize, most: usize) -> Result<Vec<Fold>, Error> {
    let mut stream = Stream::new(task.seed, "stopping rows");
    let splits = whole(task, stratified_folds(&task.labels, folds, task.seed)?);
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
        let [training, stopping] = task.gathered([training, stopping]);
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
    pub fn subset<'s>(&'s self, threads: usize, run: RunNumber<'s>) -> Subset<'s> {
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
    let shared = Mutex::new((UnderWay::new(folds.len()), observer));
    std::thread::scope(|scope| {
        for _ in 0..workers.min(folds.len()) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    let Some(fold) = folds.get(number) else { return };
                    let ask = |shared: &mut (UnderWay, Observer)| {
                        let (done, begun) = (shared.0.done, shared.0.begun());
                        let at = At::Fold { done, all: folds.len(), begun };
                        let (name, runs, run) = (run.name, run.all, run.number);
                        let progress = Progress { name, run, runs, device: "cpu", resumed_from: None, at };
                        if (shared.1)(&progress) != Signal::Continue {
                            stopped.store(1, Ordering::SeqCst);
                        }
                    };
                    // A fold takes seconds, and whoever wants to stop should not wait for its end. Who finds the observer
                    // busy continues: the answer reaches all.
                    let mut quiet = |progress: &Progress| {
                        if let Ok(mut shared) = shared.try_lock() {
                            shared.0.parts[number] = progress.at.part();
                            ask(&mut shared);
                        }
                        match stopped.load(Ordering::SeqCst) {
                            0 => Signal::Continue,
                            _ => Signal::Abort,
                        }
                    };
                    let result = trainer.fit(&fold.subset(1, run), candidate, &mut quiet);
                    let failed = result.is_err();
                    // A thread that panicked is reported by the scope; what it held is whole.
                    *results[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
                    let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
                    shared.0.end(number);
                    ask(&mut shared);
                    if failed {
                        stopped.store(1, Ordering::SeqCst);
                    }
                    if stopped.load(Ordering::SeqCst) != 0 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;
    use onesided_data::{Dataset, Matrix, Scenario};

    /// 400 rows, of which the last 40 repeat the first 40; one in four is labeled, of a row and its copy one.
    fn table(copies: bool) -> Dataset {
        let value = |row: usize| if copies && row >= 360 { row - 360 } else { row };
        let values = (0..400).map(|row| value(row) as f32).collect();
        let label = |row: usize| if row % 4 == 1 { Label::Positive } else { Label::Unlabeled };
        let labels = (0..400).map(|row| if row < 360 { label(row) } else { label(row + 1) }).collect();
        Dataset::from_scaled(Matrix::new(400, 1, values).unwrap(), None).unwrap().with_labels(labels).unwrap()
    }

    fn task(data: &Dataset) -> Task<'_> {
        Task::new(data, false, Scenario::SingleSample, 3, Machine::default()).unwrap()
    }

    #[test]
    fn copies_are_in_one_fold_and_on_one_side_of_a_stop() {
        let data = table(true);
        let task = task(&data);
        let row_of = |row: &u32| if *row >= 360 { row - 360 } else { *row };
        let apart = |a: &[u32], b: &[u32]| {
            let met: std::collections::HashSet<u32> = a.iter().map(row_of).collect();
            b.iter().all(|row| !met.contains(&row_of(row)))
        };
        let folds = [
            cross_fit(&task, 5, 6, 1_000).unwrap(),
            held_out(&task, None).unwrap(),
            held_out(&task, Some(0.3)).unwrap(),
        ];
        for fold in folds.iter().flatten() {
            assert!(apart(&fold.training.all(), &fold.scored));
            assert!(apart(&fold.training.all(), &fold.stopping.all()));
        }
        let mut scored: Vec<u32> = folds[0].iter().flat_map(|fold| fold.scored.clone()).collect();
        scored.sort_unstable();
        assert_eq!(scored, (0..400).collect::<Vec<u32>>());
    }

    #[test]
    fn folds_of_other_tables_are_drawn_as_ever() {
        let data = table(false);
        let task = task(&data);
        let drawn = stratified_folds(&task.labels, 5, 3).unwrap();
        for (fold, (kept, held)) in held_out(&task, None).unwrap().iter().zip(&drawn) {
            assert_eq!((&fold.training, &fold.stopping), (&task.split(kept), &task.split(held)));
        }
    }
}
