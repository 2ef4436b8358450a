//! Several runs of training at once on one device.
//!
//! One run rarely fills a GPU: while the host evaluates a loss, the card waits. Runs that differ in seed, method, prior or
//! rows share the card, each on its own stream, with the data set there once.

use crate::NetError;
use crate::device::Device;
use crate::engine::Engine;
use crate::train::{Job, TrainProgress, Trained, train_on};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What came of each job, by its number.
type Results = Vec<(usize, Result<Trained, NetError>)>;

/// Trains independent jobs, `at_once` at a time, on one device that holds their data set once. Results are those of
/// training them one after another; a job that fails leaves the others'.
///
/// All jobs name the same data, shape of input and device. [`Device::Auto`] is a GPU for all of them if one of them
/// gains from it. On the CPU, each of the jobs under way has as many threads as its settings say. `observer` is
/// called with the number of the job, and ends that job by returning false.
pub fn train_side_by_side<'j>(
    jobs: &[Job<'j>],
    at_once: usize,
    observer: &(dyn Fn(usize, &TrainProgress) -> bool + Sync),
) -> Vec<Result<Trained, NetError>> {
    let Some(first) = jobs.first() else { return Vec::new() };
    let engine = match together(jobs).and_then(|device| Engine::new(device, first.data, first.network.input))
    {
        Ok(engine) => engine,
        Err(error) => return jobs.iter().map(|_| Err(error.duplicate())).collect(),
    };
    let next = AtomicUsize::new(0);
    let work = || -> Results {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(number) else { return done };
            done.push((number, train_on(&engine, job, &mut |progress| observer(number, progress))));
        }
    };
    let mut results = thread::scope(|scope| {
        // This thread is one of them. Where no more can be started, fewer do all the work.
        let others: Vec<_> = (1..at_once.min(jobs.len()))
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut results = work();
        for other in others {
            results.extend(other.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause)));
        }
        results
    });
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

/// The device for all jobs, or why they cannot share one.
fn together(jobs: &[Job]) -> Result<Device, NetError> {
    let refuse = |what: &str| Err(NetError::Config(format!("jobs side by side must share {what}")));
    let first = &jobs[0];
    if jobs.iter().any(|job| !job.data.is(&first.data)) {
        return refuse("one data set");
    }
    if jobs.iter().any(|job| job.network.input != first.network.input) {
        return refuse("the shape of the input");
    }
    if jobs.iter().any(|job| job.config.device != first.config.device) {
        return refuse("the device");
    }
    let mut checkpoints: Vec<_> = jobs.iter().filter_map(|job| job.checkpoint).collect();
    checkpoints.sort();
    if let Some(pair) = checkpoints.windows(2).find(|pair| pair[0] == pair[1]) {
        let path = pair[0].display();
        return Err(NetError::Config(format!("two jobs side by side name the checkpoint '{path}'")));
    }
    let devices = jobs.iter().map(|job| job.config.device_for(job.network));
    Ok(devices.reduce(|one, other| if one == Device::Cpu { other } else { one }).unwrap_or_default())
}
