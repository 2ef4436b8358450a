//! Trainings that share the threads: every candidate on every fold at once.
//!
//! What trees say does not depend on the number of threads, and one training of them leaves most threads idle wherever a node
//! is small. So all trainings of a fit are jobs; as many run at a time as there are threads and the memory holds, and threads that
//! are left over are shared out among them. Progress is counted over all jobs.

use crate::folds::{Fold, workers};
use crate::{At, Candidate, Error, Fit, Observer, Progress, RunNumber, Signal, Task, Trainer};
use onesided_data::memory_left;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What is known of all jobs while they run.
struct Shared<'o> {
    observer: Observer<'o>,
    /// What the observer said last, unless it was to continue.
    signal: Signal,
    /// Trees of each job, and the most that it may have.
    done: Vec<usize>,
    most: usize,
}

impl Shared<'_> {
    /// Passes on how far all jobs are, and says what the observer wants.
    fn told(&mut self, job: usize, progress: &Progress) -> Signal {
        let At::Tree { done, most } = progress.at else { return self.ask(progress) };
        self.done[job] = done;
        self.most = self.most.max(most);
        self.show(progress.name)
    }

    /// A job is done, with fewer trees than it might have had.
    fn ended(&mut self, job: usize, name: &str) {
        self.done[job] = self.most;
        self.show(name);
    }

    fn show(&mut self, name: &str) -> Signal {
        let done = self.done.iter().map(|&done| done.min(self.most)).sum();
        let at = At::Tree { done, most: self.done.len() * self.most };
        self.ask(&Progress { name, run: 0, runs: 1, device: "cpu", resumed_from: None, at })
    }

    fn ask(&mut self, progress: &Progress) -> Signal {
        // Who asked for a stop is not asked again.
        if self.signal == Signal::Continue {
            self.signal = (self.observer)(progress);
        }
        self.signal
    }
}

/// How many jobs of this many bytes each the memory that is left holds, one at least.
fn that_fit(left: u64, each: u64) -> usize {
    left.checked_div(each).map_or(usize::MAX, |jobs| usize::try_from(jobs.max(1)).unwrap_or(usize::MAX))
}

/// Trains every candidate on every fold; for each candidate the folds that are done, in their order.
///
/// An observer that says finish ends all jobs with what they have, and those that had not begun are left out; the first one
/// always begins. One that says abort makes it an [`Error::Interrupted`].
pub(crate) fn train_all(
    trainer: &dyn Trainer,
    candidates: &[Candidate],
    folds: &[Fold],
    task: &Task,
    runs: usize,
    observer: Observer,
) -> Result<Vec<Vec<Fit>>, Error> {
    let jobs: Vec<(usize, usize)> =
        (0..candidates.len()).flat_map(|one| (0..folds.len()).map(move |fold| (one, fold))).collect();
    let all = workers(task.machine.threads);
    let rows = folds.iter().map(|fold| fold.training.len() + fold.stopping.len()).max().unwrap_or(0);
    let at_once = all.min(jobs.len()).min(that_fit(memory_left(), trainer.bytes_for(rows))).max(1);
    let inside = (all / at_once).max(1);
    let shared = Shared { observer, signal: Signal::Continue, done: vec![0; runs.max(jobs.len())], most: 0 };
    let shared = Mutex::new(shared);
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<Fit, Error>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let work = || loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        let Some(&(candidate, fold)) = jobs.get(number) else { return };
        let candidate = &candidates[candidate];
        let run = RunNumber { name: &candidate.name, number, all: runs, resumed_from: None };
        let mut observer = |progress: &Progress| {
            shared.lock().unwrap_or_else(PoisonError::into_inner).told(number, progress)
        };
        let result = trainer.fit(&folds[fold].subset(inside, run), candidate, &mut observer);
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if result.is_err() || shared.signal != Signal::Continue {
            next.store(jobs.len(), Ordering::SeqCst);
        }
        if result.is_err() && shared.signal == Signal::Continue {
            // What failed ends the others, too.
            shared.signal = Signal::Abort;
        }
        shared.ended(number, &candidate.name);
        *results[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
    };
    match at_once {
        1 => work(),
        _ => std::thread::scope(|scope| (0..at_once).for_each(|_| drop(scope.spawn(work)))),
    }
    let results = results.into_iter().map(|one| one.into_inner().unwrap_or_else(PoisonError::into_inner));
    let (mut fits, mut error): (Vec<Vec<Fit>>, Option<Error>) = (Vec::new(), None);
    fits.resize_with(candidates.len(), Vec::new);
    for (&(candidate, fold), result) in jobs.iter().zip(results) {
        match result {
            // Folds that are behind one that is missing are left out.
            Some(Ok(fit)) if fits[candidate].len() == fold => fits[candidate].push(fit),
            Some(Ok(_)) | None => {}
            Some(Err(why)) if error.is_none() || matches!(error, Some(Error::Interrupted { .. })) => {
                error = Some(why);
            }
            Some(Err(_)) => {}
        }
    }
    fits.retain(|fits| !fits.is_empty());
    error.map_or(Ok(fits), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_jobs_as_the_memory_holds() {
        assert_eq!(that_fit(1 << 30, 480_000_000), 2);
        assert_eq!(that_fit(500_000_000, 480_000_000), 1);
        // One always runs: whether it fits was asked before anything was read.
        assert_eq!(that_fit(0, 480_000_000), 1);
        assert_eq!(that_fit(1 << 30, 0), usize::MAX);
    }
}
