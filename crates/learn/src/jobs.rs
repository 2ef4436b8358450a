//! Trainings as jobs: one pool for all of them, and how far they are together.
//!
//! A fit is candidates times folds, and each of these trainings depends on nothing but its own rows. They run on some threads at
//! a time, in one of three ways: one after the other with all threads, because networks sum in the order of their threads; at once
//! with the threads shared out, because what trees say does not depend on their number and one training leaves most of them idle;
//! or at once with a thread each.

use crate::folds::Fold;
use crate::{At, Candidate, Error, Observer, Progress, RunNumber, Signal, Task, TrainedScorer, Trainer};
use onesided_data::{available_threads, memory_left};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Does jobs 0 to `all` - 1 in their order, at most `workers` at a time, the first on this thread. Once one breaks, no other
/// begins. What each gave, and nothing for those that had not begun.
pub fn run_jobs<T: Send>(
    all: usize,
    workers: usize,
    job: impl Fn(usize) -> ControlFlow<T, T> + Sync,
) -> Vec<Option<T>> {
    let results: Vec<Mutex<Option<T>>> = (0..all).map(|_| Mutex::new(None)).collect();
    let (next, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = || {
        while !over.load(Ordering::SeqCst) {
            let number = next.fetch_add(1, Ordering::SeqCst);
            let Some(place) = results.get(number) else { return };
            let result = match job(number) {
                ControlFlow::Continue(result) => result,
                ControlFlow::Break(result) => {
                    over.store(true, Ordering::SeqCst);
                    result
                }
            };
            *held(place) = Some(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..workers.min(all) {
            // Where the machine gives no more threads, those that there are do the work.
            if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    results.into_iter().map(|place| place.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// A thread that panicked is reported by its scope; what it held is whole.
fn held<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The threads that are asked for; 0 is every core.
pub(crate) fn threads_of(threads: usize) -> usize {
    if threads == 0 { available_threads() } else { threads }
}

/// How trainings that go on at once are told of.
#[derive(Clone, Copy)]
enum Unit<'a> {
    /// As one training of all their trees. Asked to finish, each keeps the trees that it has.
    Trees {
        /// How many trainings there will be, those that come later among them.
        runs: usize,
    },
    /// As folds.
    Folds(RunNumber<'a>),
    /// As trainings of members.
    Members { device: &'a str },
}

/// What is known of trainings that go on at once.
struct Watch<'o> {
    observer: Observer<'o>,
    /// What the observer said, until it was not to continue.
    signal: Signal,
    /// How many are done.
    done: usize,
    /// The part of each training under way that is done, by what it takes at most.
    parts: Vec<f64>,
    /// The parts after which trainings ended, added up, and how many did: most stop early.
    ends: (f64, f64),
    /// Trees of each, and the most that one may have.
    trees: Vec<usize>,
    most: usize,
}

impl<'o> Watch<'o> {
    fn new(trainings: usize, unit: Unit, observer: Observer<'o>) -> Self {
        let places = if let Unit::Trees { runs } = unit { runs.max(trainings) } else { 0 };
        Self {
            observer,
            signal: Signal::Continue,
            done: 0,
            parts: vec![0.0; trainings],
            ends: (0.0, 0.0),
            trees: vec![0; places],
            most: 0,
        }
    }

    /// A training is so far, which the observer is told.
    fn tell(&mut self, number: usize, unit: Unit, progress: &Progress) {
        self.parts[number] = progress.at.part();
        match (unit, &progress.at) {
            (Unit::Trees { .. }, &At::Tree { done, most }) => {
                self.trees[number] = done;
                self.most = self.most.max(most);
                self.show(unit, progress.name);
            }
            (Unit::Trees { .. }, _) => self.ask(progress),
            _ => self.show(unit, progress.name),
        }
    }

    /// A training is over, with fewer trees or epochs than it might have had.
    fn end(&mut self, number: usize, unit: Unit, name: &str) {
        let part = std::mem::take(&mut self.parts[number]);
        self.done += 1;
        if part > 0.0 {
            self.ends = (self.ends.0 + part, self.ends.1 + 1.0);
        }
        if let Some(trees) = self.trees.get_mut(number) {
            *trees = self.most;
        }
        self.show(unit, name);
    }

    /// What is done of those under way, in trainings as long as the others were.
    fn begun(&self) -> f64 {
        let usual = if self.ends.1 > 0.0 { self.ends.0 / self.ends.1 } else { 1.0 };
        self.parts.iter().map(|part| (part / usual).min(1.0)).sum()
    }

    fn show(&mut self, unit: Unit, name: &str) {
        let (done, all, begun) = (self.done, self.parts.len(), self.begun());
        let one = RunNumber { name, number: 0, all: 1, resumed_from: None };
        let (run, device, at) = match unit {
            Unit::Trees { .. } => {
                let trees = self.trees.iter().map(|&trees| trees.min(self.most)).sum();
                (one, "cpu", At::Tree { done: trees, most: self.trees.len() * self.most })
            }
            Unit::Folds(run) => (run, "cpu", At::Fold { done, all, begun }),
            Unit::Members { device } => (one, device, At::Member { done, all, begun }),
        };
        let (name, run, runs) = (run.name, run.number, run.all);
        self.ask(&Progress { name, run, runs, device, resumed_from: None, at });
    }

    /// Who asked for a stop is not asked again.
    fn ask(&mut self, progress: &Progress) {
        if self.signal == Signal::Continue {
            self.signal = (self.observer)(progress);
        }
    }
}

/// What came of trainings that went on at once: their results in the order of the jobs, and what the observer said last.
struct Ran {
    results: Vec<Option<Result<TrainedScorer, Error>>>,
    signal: Signal,
}

/// Trains jobs at once and tells of them together. Where one that fails `ends_all`, the others are given up.
fn train_at_once<'n>(
    all: usize,
    workers: usize,
    unit: Unit,
    ends_all: bool,
    observer: Observer,
    name: impl Fn(usize) -> &'n str + Sync,
    train: impl Fn(usize, Observer) -> Result<TrainedScorer, Error> + Sync,
) -> Ran {
    let watch = Mutex::new(Watch::new(all, unit, observer));
    // What is left of the observer's answer where the observer is busy.
    let stopped = AtomicBool::new(false);
    let job = |number: usize| {
        let mut quiet = |progress: &Progress| {
            // Trainings look up between two trees or batches, and whoever wants to stop should not wait for the end of one. Who
            // finds the observer busy continues: the answer reaches all.
            let signal = match watch.try_lock() {
                Ok(mut watch) => {
                    watch.tell(number, unit, progress);
                    stopped.fetch_or(watch.signal != Signal::Continue, Ordering::SeqCst);
                    watch.signal
                }
                Err(_) if stopped.load(Ordering::SeqCst) => held(&watch).signal,
                Err(_) => Signal::Continue,
            };
            match (signal, unit) {
                (Signal::Continue, _) => Signal::Continue,
                (Signal::Finish, Unit::Trees { .. }) => Signal::Finish,
                _ => Signal::Abort,
            }
        };
        let result = train(number, &mut quiet);
        let mut watch = held(&watch);
        watch.end(number, unit, name(number));
        if ends_all && result.is_err() && watch.signal == Signal::Continue {
            watch.signal = Signal::Abort;
        }
        if watch.signal == Signal::Continue {
            return ControlFlow::Continue(result);
        }
        stopped.store(true, Ordering::SeqCst);
        ControlFlow::Break(result)
    };
    let results = run_jobs(all, workers, job);
    Ran { results, signal: watch.into_inner().unwrap_or_else(PoisonError::into_inner).signal }
}

pub(crate) const STOPPED: Error = Error::Interrupted { epoch: 0, checkpoint: None };

/// What went wrong counts more than what was stopped because of it.
fn first_error(results: &mut [Option<Result<TrainedScorer, Error>>]) -> Option<Error> {
    let failed = |result: &&mut Option<Result<TrainedScorer, Error>>| matches!(result, Some(Err(_)));
    let errors = results.iter_mut().filter(failed).filter_map(|result| result.take()?.err());
    errors.reduce(|first, next| if matches!(first, Error::Interrupted { .. }) { next } else { first })
}

/// Trains a candidate on every fold, one after the other with all threads.
///
/// An observer that says finish ends the loop with what there is, which is at least one fold; one that says abort makes it an
/// [`Error::Interrupted`].
pub(crate) fn train_in_turn(
    trainer: &dyn Trainer,
    candidate: &Candidate,
    folds: &[Fold],
    task: &Task,
    mut run: RunNumber,
    observer: Observer,
) -> Result<Vec<TrainedScorer>, Error> {
    let mut fits: Vec<TrainedScorer> = Vec::with_capacity(folds.len());
    for fold in folds {
        let fit = trainer.fit(&fold.subset(candidate, task.machine.threads, run), candidate, observer)?;
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

/// Trains a candidate on every fold, a thread each where that may be, and gives nothing but all of them: an observer that says
/// anything but to continue makes it an [`Error::Interrupted`].
pub(crate) fn train_folds(
    trainer: &dyn Trainer,
    candidate: &Candidate,
    folds: &[Fold],
    task: &Task,
    run: RunNumber,
    observer: Observer,
) -> Result<Vec<TrainedScorer>, Error> {
    let workers = threads_of(task.machine.threads).min(folds.len());
    let fits = if workers > 1 && trainer.side_by_side() {
        let train = |fold: usize, observer: Observer| {
            trainer.fit(&folds[fold].subset(candidate, 1, run), candidate, observer)
        };
        let unit = Unit::Folds(run);
        let mut ran = train_at_once(folds.len(), workers, unit, true, observer, |_| run.name, train);
        if let Some(error) = first_error(&mut ran.results) {
            return Err(error);
        }
        ran.results.into_iter().flatten().collect::<Result<Vec<TrainedScorer>, Error>>()?
    } else {
        train_in_turn(trainer, candidate, folds, task, run, observer)?
    };
    if fits.len() < folds.len() { Err(STOPPED) } else { Ok(fits) }
}

/// How many jobs of this many bytes each the memory that is left holds, one at least.
fn that_fit(left: u64, each: u64) -> usize {
    left.checked_div(each).map_or(usize::MAX, |jobs| usize::try_from(jobs.max(1)).unwrap_or(usize::MAX))
}

/// Trains every candidate on every fold, as many at a time as there are threads and the memory holds, and threads that are left
/// over are shared out among them. For each candidate the folds that are done, in their order, and whether it was to finish.
///
/// An observer that says finish ends all jobs with what they have, and those that had not begun are left out; the first one
/// always begins. One that says abort makes it an [`Error::Interrupted`].
pub(crate) fn train_shared(
    trainer: &dyn Trainer,
    candidates: &[Candidate],
    folds: &[Fold],
    task: &Task,
    runs: usize,
    observer: Observer,
) -> Result<(Vec<Vec<TrainedScorer>>, bool), Error> {
    let all = candidates.len() * folds.len();
    let threads = threads_of(task.machine.threads);
    let rows = folds.iter().map(|fold| fold.training.len() + fold.stopping.len()).max().unwrap_or(0);
    let most = if trainer.side_by_side() { threads.min(all) } else { 1 };
    let workers = most.min(that_fit(memory_left(), trainer.bytes_for(rows))).max(1);
    let inside = (threads / workers).max(1);
    let name = |number: usize| candidates[number / folds.len()].name.as_str();
    let train = |number: usize, observer: Observer| {
        let candidate = &candidates[number / folds.len()];
        let run = RunNumber { name: &candidate.name, number, all: runs, resumed_from: None };
        let subset = folds[number % folds.len()].subset(candidate, inside, run);
        trainer.fit(&subset, candidate, observer)
    };
    let mut ran = train_at_once(all, workers, Unit::Trees { runs }, true, observer, name, train);
    if let Some(error) = first_error(&mut ran.results) {
        return Err(error);
    }
    if ran.signal == Signal::Abort {
        return Err(STOPPED);
    }
    let mut results = ran.results.into_iter();
    let fits = candidates.iter().map(|_| {
        // Folds that are behind one that is missing are left out.
        let of_candidate: Vec<_> = results.by_ref().take(folds.len()).collect();
        of_candidate.into_iter().map_while(|result| result?.ok()).collect::<Vec<TrainedScorer>>()
    });
    Ok((fits.take_while(|fits| !fits.is_empty()).collect(), ran.signal == Signal::Finish))
}

/// What came of every candidate on its own: one that fails leaves the others be.
pub(crate) struct Tries {
    /// The candidates that have all their folds, by their number.
    pub trained: Vec<(usize, Vec<TrainedScorer>)>,
    /// Those that failed, and why.
    pub failed: Vec<(usize, Error)>,
    /// Somebody asked to stop and to keep what there is.
    pub early: bool,
}

/// Trains every candidate on every fold, a thread each where that may be. An observer that says finish keeps the candidates that
/// are whole; one that says abort makes it an [`Error::Interrupted`].
pub(crate) fn train_each(
    trainer: &dyn Trainer,
    candidates: &[Candidate],
    folds: &[Fold],
    task: &Task,
    observer: Observer,
) -> Result<Tries, Error> {
    let all = candidates.len() * folds.len();
    let workers = if trainer.side_by_side() { threads_of(task.machine.threads) } else { 1 };
    let inside = if workers == 1 { task.machine.threads } else { 1 };
    let name = |number: usize| candidates[number / folds.len()].name.as_str();
    let train = |number: usize, observer: Observer| {
        let candidate = &candidates[number / folds.len()];
        let run = RunNumber { name: &candidate.name, ..RunNumber::default() };
        trainer.fit(&folds[number % folds.len()].subset(candidate, inside, run), candidate, observer)
    };
    let device = trainer.device();
    let unit = Unit::Members { device: &device };
    let ran = train_at_once(all, workers, unit, false, observer, name, train);
    if ran.signal == Signal::Abort {
        return Err(STOPPED);
    }
    let (mut fits, mut failed): (Vec<Vec<TrainedScorer>>, Vec<(usize, Error)>) = (Vec::new(), Vec::new());
    fits.resize_with(candidates.len(), Vec::new);
    for (number, result) in ran.results.into_iter().enumerate() {
        let candidate = number / folds.len();
        match result {
            Some(Ok(fit)) => fits[candidate].push(fit),
            Some(Err(Error::Interrupted { .. })) | None => {}
            Some(Err(_)) if failed.last().is_some_and(|(last, _)| *last == candidate) => {}
            Some(Err(why)) => failed.push((candidate, why)),
        }
    }
    let trained = fits.into_iter().enumerate().filter(|(_, fits)| fits.len() == folds.len()).collect();
    Ok(Tries { trained, failed, early: ran.signal == Signal::Finish })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fitted, History, OwnModel, ScoreScale};
    use onesided_data::Dataset;
    use onesided_net::OnTheWay;
    use std::sync::Arc;

    struct Nothing;

    impl OwnModel for Nothing {
        fn scores(&self, rows: &Dataset) -> Result<Vec<f32>, Error> {
            Ok(vec![0.0; rows.len()])
        }
    }

    fn fit(described: &str) -> TrainedScorer {
        TrainedScorer {
            fitted: Fitted::Own { name: String::new(), model: Arc::new(Nothing) },
            stopping: Vec::new(),
            scored: Vec::new(),
            rounds: OnTheWay::default(),
            scale: ScoreScale::ONE,
            history: History::default(),
            described: described.to_string(),
            resumed_from: None,
            finished_early: false,
        }
    }

    fn tree(done: usize, most: usize) -> Progress<'static> {
        let at = At::Tree { done, most };
        Progress { name: "trees", run: 0, runs: 1, device: "cpu", resumed_from: None, at }
    }

    const MEMBERS: Unit<'static> = Unit::Members { device: "cpu" };

    #[test]
    fn as_many_jobs_as_the_memory_holds() {
        assert_eq!(that_fit(1 << 30, 480_000_000), 2);
        assert_eq!(that_fit(500_000_000, 480_000_000), 1);
        // One always runs: whether it fits was asked before anything was read.
        assert_eq!(that_fit(0, 480_000_000), 1);
        assert_eq!(that_fit(1 << 30, 0), usize::MAX);
    }

    #[test]
    fn trainings_under_way_count_by_how_long_the_others_were() {
        let mut observer = |_: &Progress| Signal::Continue;
        let mut watch = Watch::new(4, MEMBERS, &mut observer);
        watch.tell(1, MEMBERS, &tree(2, 10));
        assert_eq!((watch.done, watch.begun()), (0, 0.2));
        // The first one stops at two fifths of what it takes at most, and the others are expected to.
        watch.tell(0, MEMBERS, &tree(4, 10));
        watch.end(0, MEMBERS, "first");
        assert_eq!((watch.done, watch.begun()), (1, 0.5));
        watch.tell(2, MEMBERS, &tree(9, 10));
        assert_eq!(watch.begun(), 1.5);
    }

    #[test]
    fn trees_of_all_trainings_are_told_as_one_and_later_ones_are_left() {
        let told = Mutex::new(Vec::new());
        let mut observer = |progress: &Progress| {
            if let At::Tree { done, most } = progress.at {
                told.lock().unwrap().push((done, most));
            }
            Signal::Continue
        };
        let unit = Unit::Trees { runs: 3 };
        let mut watch = Watch::new(2, unit, &mut observer);
        watch.tell(0, unit, &tree(3, 10));
        watch.tell(1, unit, &tree(5, 10));
        // One that stops early is done for all of its trees.
        watch.end(0, unit, "first");
        drop(watch);
        assert_eq!(told.into_inner().unwrap(), [(3, 30), (8, 30), (15, 30)]);
    }

    #[test]
    fn whoever_asked_for_a_stop_is_not_asked_again() {
        let mut asked = 0;
        let mut observer = |_: &Progress| {
            asked += 1;
            Signal::Finish
        };
        let mut watch = Watch::new(2, MEMBERS, &mut observer);
        watch.tell(0, MEMBERS, &tree(1, 2));
        watch.tell(1, MEMBERS, &tree(1, 2));
        watch.end(0, MEMBERS, "first");
        assert_eq!(watch.signal, Signal::Finish);
        assert_eq!(asked, 1);
    }

    #[test]
    fn what_went_wrong_counts_more_than_what_was_stopped_for_it() {
        let mut results = vec![Some(Ok(fit("a"))), Some(Err(STOPPED)), None, Some(Err(Error::NeedsLabels))];
        assert!(matches!(first_error(&mut results), Some(Error::NeedsLabels)));
        // Results that are none stay.
        assert!(matches!(&results[0], Some(Ok(fit)) if fit.described == "a"));
        assert!(matches!(first_error(&mut [Some(Err(STOPPED)), None]), Some(Error::Interrupted { .. })));
        assert!(first_error(&mut [Some(Ok(fit("a"))), None]).is_none());
    }

    /// Trainings of folds are given up where one asks to finish, those of trees keep what they have.
    #[test]
    fn asked_to_finish_trees_finish_and_others_are_given_up() {
        for (unit, expected) in [(Unit::Trees { runs: 1 }, Signal::Finish), (MEMBERS, Signal::Abort)] {
            let answer = Mutex::new(None);
            let train = |_: usize, observer: Observer| {
                *answer.lock().unwrap() = Some(observer(&tree(1, 2)));
                Ok(fit("a"))
            };
            let ran = train_at_once(1, 1, unit, true, &mut |_| Signal::Finish, |_| "a", train);
            assert_eq!(answer.into_inner().unwrap(), Some(expected));
            assert_eq!((ran.signal, ran.results.len()), (Signal::Finish, 1));
        }
    }

    #[test]
    fn one_that_fails_ends_the_others_where_all_are_needed() {
        let train = |number: usize, _: Observer| {
            if number == 1 { Err(Error::NeedsLabels) } else { Ok(fit(&number.to_string())) }
        };
        let run =
            |ends_all| train_at_once(4, 1, MEMBERS, ends_all, &mut |_| Signal::Continue, |_| "a", train);
        let done = |ran: &Ran| ran.results.iter().filter(|result| result.is_some()).count();
        assert_eq!((done(&run(true)), run(true).signal), (2, Signal::Abort));
        assert_eq!((done(&run(false)), run(false).signal), (4, Signal::Continue));
    }
}
