//! Runs of a spec, several at a time, each recorded when it ends.

use crate::ExperimentError;
use crate::results::{Record, Results};
use crate::set::Set;
use crate::spec::{Run, Spec};
use crate::trial::Trial;
use onesided_learn::{Machine, Signal, Views};
use onesided_net::{Device, Engine};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
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
    /// A run has ended.
    Done(&'a Record, CampaignProgress),
}

/// How far a campaign is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CampaignProgress {
    /// Runs that this campaign has finished.
    pub done: usize,
    /// Runs it is to do.
    pub all: usize,
    /// Seconds since it began.
    pub seconds: f64,
    /// Seconds that the rest will take if it goes on as it went.
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

/// Does runs, `options.jobs` at a time, and appends each to the results as it ends. `observer` is told of everything;
/// once `stop` says true, runs under way are given up and what is finished stays.
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
            (run.data, of_texts, run.settings.is_classic())
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
    let (_, done) = *recorder.results.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if done < runs.len() && stop() {
        return Err(ExperimentError::Interrupted { done, all: runs.len() });
    }
    Ok(())
}

/// Results, and what is known of the time.
struct Recorder<'a> {
    /// The results, and how many this campaign has added.
    results: Mutex<(&'a mut Results, usize)>,
    all: usize,
    started: Instant,
    observer: &'a (dyn Fn(Event) + Sync),
}

impl Recorder<'_> {
    /// Writes a record down and tells of it. `left` is the time that the rest of its data set will take; a run of the
    /// `later` ones, whose data are not read yet, is taken to be a mean run so far.
    fn record(&self, record: Record, left: f64, later: usize) -> Result<(), ExperimentError> {
        let mut guard = self.results.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        guard.0.append(record.clone())?;
        guard.1 += 1;
        let (done, spent) = (guard.1, self.started.elapsed().as_secs_f64());
        let left = left + spent * later as f64 / done as f64;
        let progress = CampaignProgress { done, all: self.all, seconds: spent, left };
        (self.observer)(Event::Done(&record, progress));
        Ok(())
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
    let engine = match runs.iter().all(|run| run.settings.is_classic()) {
        true => None,
        false => {
            let (source, shape) = views.source()?;
            Some(Engine::new(device, source, shape)?)
        }
    };
    if let Some(engine) = &engine {
        (recorder.observer)(Event::On(&engine.describe()));
    }
    let next = Mutex::new(0..runs.len());
    let failed = AtomicBool::new(false);
    let (started, whole) = (Instant::now(), costs.iter().sum::<f64>());
    let left = Mutex::new(whole);
    let work = || -> Result<(), ExperimentError> {
        loop {
            let number = next.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
            let Some(number) = number else { return Ok(()) };
            let go_on = || !stop() && !failed.load(Ordering::Relaxed);
            if !go_on() {
                return Ok(());
            }
            let run = runs[number];
            let one = || -> Result<(), ExperimentError> {
                let mut observer = |_: &onesided_learn::Progress| Signal::from(go_on());
                let trained = trial(run)?.train(engine.as_ref(), &mut observer, &mut |_, _| Ok(()))?;
                let Some(record) = trained else { return Ok(()) };
                let mut guard = left.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                *guard = (*guard - costs[number]).max(0.0);
                let left = *guard;
                drop(guard);
                let rate = started.elapsed().as_secs_f64() / (whole - left).max(f64::MIN_POSITIVE);
                recorder.record(record, rate * left, later)
            };
            if let Err(cause) = one() {
                failed.store(true, Ordering::Relaxed);
                return Err(named(run)(cause));
            }
        }
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..options.jobs.min(runs.len()))
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut outcome = work();
        for other in others {
            let theirs = other.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause));
            outcome = outcome.and(theirs);
        }
        outcome
    })
}
