//! Runs of a spec, several at a time, each recorded when it ends.

use crate::ExperimentError;
use crate::estimated::Estimates;
use crate::results::{Record, Results};
use crate::set::Set;
use crate::spec::{Run, Spec};
use crate::trial::Trial;
use onesided_learn::{Machine, Signal, Views, run_jobs};
use onesided_net::{Device, Engine};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

/// Where and how runs are done; none of it belongs to an experiment.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Threads of each run, device and precision.
    pub machine: Machine,
    /// Runs at once.
    pub jobs: usize,
}

/// What an observer of [`run_all`] is told.
pub enum Event<'a> {
    /// A data set is about to be read.
    Reading(&'a str),
    /// It is on this device.
    On(&'a str),
    /// A run has ended, here or in another process that shares the results file.
    Done(&'a Record, CampaignProgress),
}

/// How far a campaign is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CampaignProgress {
    /// Runs that have ended.
    pub done: usize,
    /// Runs it is to do.
    pub all: usize,
    /// Seconds since it began.
    pub seconds: f64,
    /// Seconds that the rest will take at the same rate.
    pub left: f64,
}

/// What remains to be done of a spec: selected runs that no results file holds.
pub fn pending(spec: &Spec, results: &Results, only: Option<&str>) -> Result<Vec<Run>, ExperimentError> {
    let file = spec.file.display().to_string();
    let runs = spec.runs().map_err(|detail| ExperimentError::Spec { file: file.clone(), detail })?;
    let example = runs.first().map(|run| run.name.clone()).unwrap_or_default();
    let selected: Vec<Run> =
        runs.into_iter().filter(|run| only.is_none_or(|only| run.matches(only))).collect();
    match only {
        Some(only) if selected.is_empty() => {
            Err(ExperimentError::NothingSelected { file, only: only.to_string(), example })
        }
        _ => Ok(selected.into_iter().filter(|run| results.of(run).is_none()).collect()),
    }
}

/// Does runs, `options.jobs` at a time, and appends each to the results as it ends. A run that another process has appended
/// by the time its turn comes is not repeated. `observer` is told of everything;
/// once `stop` says true, runs under way are given up and what is finished stays.
///
/// ```
/// use onesided_experiment::{Measure, Results, RunOptions, Spec, ResultsTable, pending, run_all};
/// use onesided_learn::Machine;
///
/// # let folder = std::env::temp_dir().join(format!("onesided-run-all-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let file = folder.join("digits.toml");
/// std::fs::write(
///     &file,
///     r#"
///     title = "even digits"
///     hidden = [0.5]
///     seeds = [0]
///
///     [[data]]
///     name = "digits"
///     positive = ["0", "2", "4", "6", "8"]
///
///     [[method]]
///     name = "weighted-lr"
///     "#,
/// )?;
/// let spec = Spec::read(&file)?;
/// let mut results = Results::read(&spec.results_file(), &[])?;
/// let runs = pending(&spec, &results, None)?;
/// let options = RunOptions { machine: Machine { threads: 1, ..Machine::default() }, jobs: 1 };
/// // Digits come with the crate, so no folder of data is read.
/// run_all(&spec, &runs, "".as_ref(), &options, &mut results, &|_| {}, &|| false)?;
/// let table = ResultsTable::new(&spec, &results, Measure::Auc)?;
/// assert!(table.cells().all(|cell| cell.runs == 1 && cell.mean > 90.0));
/// // What is done is not pending any more.
/// assert!(pending(&spec, &results, None)?.is_empty());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_all(
    spec: &Spec,
    runs: &[Run],
    data: &Path,
    options: &RunOptions,
    results: &mut Results,
    observer: &(dyn Fn(Event) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), ExperimentError> {
    if runs.is_empty() {
        return Ok(());
    }
    results.check_writable()?;
    let recorder =
        Recorder { results: Mutex::new((results, 0)), all: runs.len(), started: Instant::now(), observer };
    // Runs of one data set, in one form, share a device and what it holds.
    let mut rest: Vec<&Run> = runs.iter().collect();
    while let Some(first) = rest.first().copied() {
        let form = |run: &Run| {
            let of_texts = spec.data[run.data].kind.has_texts().then_some(run.settings.features);
            (run.data, of_texts, run.settings.trains_network())
        };
        let (these, others): (Vec<&Run>, Vec<&Run>) = rest.iter().partition(|run| form(run) == form(first));
        rest = others;
        observer(Event::Reading(&spec.data[first.data].title));
        let set = Set::read(&spec.data[first.data], first.settings.features, data)?;
        run_on_dataset(spec, &these, rest.len(), &set, options, &recorder, stop)?;
        if stop() {
            break;
        }
    }
    let done = recorder.results().1;
    if done < runs.len() && stop() {
        return Err(ExperimentError::Interrupted { done, all: runs.len() });
    }
    Ok(())
}

/// Results, and what is known of the time.
struct Recorder<'a> {
    /// The results, and how many runs have ended.
    results: Mutex<(&'a mut Results, usize)>,
    all: usize,
    started: Instant,
    observer: &'a (dyn Fn(Event) + Sync),
}

impl<'a> Recorder<'a> {
    fn results(&self) -> MutexGuard<'_, (&'a mut Results, usize)> {
        self.results.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The record of a run that another process has finished since this campaign began.
    fn done_elsewhere(&self, run: &Run) -> Result<Option<Record>, ExperimentError> {
        let results = &mut self.results().0;
        results.refresh()?;
        Ok(results.of(run).cloned())
    }

    /// Writes a record down.
    fn record(&self, record: &Record) -> Result<(), ExperimentError> {
        self.results().0.append(record.clone())
    }

    /// Tells of a run that has ended. `left` is the time that the rest of its data set will take; a run of the `later`
    /// ones, whose data are not read yet, is taken to be a mean run so far.
    fn tell(&self, record: &Record, left: f64, later: usize) {
        let mut guard = self.results();
        guard.1 += 1;
        let (done, spent) = (guard.1, self.started.elapsed().as_secs_f64());
        let left = left + spent * later as f64 / done as f64;
        let progress = CampaignProgress { done, all: self.all, seconds: spent, left };
        (self.observer)(Event::Done(record, progress));
    }
}

/// Runs of one data set.
fn run_on_dataset(
    spec: &Spec,
    runs: &[&Run],
    later: usize,
    set: &Set,
    options: &RunOptions,
    recorder: &Recorder,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(), ExperimentError> {
    let named = |run: &Run| {
        let name = run.name.clone();
        move |cause| ExperimentError::Run { run: name, cause: Box::new(cause) }
    };
    let trial = |run| Trial::new(run, spec.prior_error_kind, set, options.machine);
    // Everything that can be refused is, before the first run.
    let mut costs = Vec::with_capacity(runs.len());
    let mut device = Device::Cpu;
    for run in runs {
        let trial = trial(run).map_err(named(run))?;
        costs.push(trial.cost().map_err(named(run))?);
        let one = trial.device().map_err(named(run))?;
        device = if device == Device::Cpu { one } else { device };
    }
    let views = Views::new(set.rows());
    let engine = if runs.iter().any(|run| run.settings.trains_network()) {
        let (source, shape) = views.source()?;
        Some(Engine::new(device, source, shape)?)
    } else {
        None
    };
    if let Some(engine) = &engine {
        (recorder.observer)(Event::On(&engine.describe()));
    }
    let estimates = Estimates::default();
    let failed = AtomicBool::new(false);
    let started = Instant::now();
    // What the runs cost that are done here, and those of them that are left.
    let whole = costs.iter().sum::<f64>();
    let cost = Mutex::new((whole, whole));
    let go_on = || !stop() && !failed.load(Ordering::Relaxed);
    let one = |number: usize| -> Result<(), ExperimentError> {
        let run = runs[number];
        let elsewhere = recorder.done_elsewhere(run)?;
        let here = elsewhere.is_none();
        let mut observer = |_: &onesided_learn::Progress| Signal::from(go_on());
        let record = match elsewhere {
            Some(record) => Some(record),
            None => trial(run)?.estimated(spec.prior_error_kind, &estimates)?.train(
                engine.as_ref(),
                &mut observer,
                &mut |_, _| Ok(()),
            )?,
        };
        let Some(record) = record else { return Ok(()) };
        if here {
            recorder.record(&record)?;
        }
        let mut guard = cost.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !here {
            guard.0 -= costs[number];
        }
        guard.1 = (guard.1 - costs[number]).max(0.0);
        let (whole, left) = *guard;
        drop(guard);
        let rate = started.elapsed().as_secs_f64() / (whole - left).max(f64::MIN_POSITIVE);
        recorder.tell(&record, if left > 0.0 && whole > left { rate * left } else { 0.0 }, later);
        Ok(())
    };
    let job = |number: usize| {
        if !go_on() {
            return ControlFlow::Break(Ok(()));
        }
        match one(number).map_err(named(runs[number])) {
            Ok(()) => ControlFlow::Continue(Ok(())),
            Err(cause) => {
                failed.store(true, Ordering::Relaxed);
                ControlFlow::Break(Err(cause))
            }
        }
    };
    run_jobs(runs.len(), options.jobs, job).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::{folder, record};
    use crate::spec::tests::{SMALL, parsed};

    #[test]
    fn a_run_that_another_process_finished_is_known_when_its_turn_comes() {
        let runs = parsed(SMALL).unwrap().runs().unwrap();
        let folder = folder("elsewhere");
        let file = folder.join("r.jsonl");
        let mut here = Results::read(&file, &[]).unwrap();
        let results = Mutex::new((&mut here, 0));
        let recorder = Recorder { results, all: runs.len(), started: Instant::now(), observer: &|_| {} };
        assert_eq!(recorder.done_elsewhere(&runs[0]).unwrap(), None);
        let theirs = record(&runs[0].fingerprint);
        Results::read(&file, &[]).unwrap().append(theirs.clone()).unwrap();
        assert_eq!(recorder.done_elsewhere(&runs[0]).unwrap(), Some(theirs));
        assert_eq!(recorder.done_elsewhere(&runs[1]).unwrap(), None);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
