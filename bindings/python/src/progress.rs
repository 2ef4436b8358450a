//! Does Python have a signal to handle, and is it time to say how far training is?
//!
//! Python handles signals on its main thread alone, and training calls its observer from many. So the work runs on a thread of
//! its own, while the thread that called looks for signals and raises a flag, which the observer sees wherever it is asked.

use onesided::{At, Progress, Signal};
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks at Python, each of which takes the interpreter's lock.
const PAUSE: Duration = Duration::from_millis(50);
/// As much stack as the thread that called usually has.
const STACK: usize = 8 << 20;

/// An observer that hands Ctrl-C on and calls a function now and then.
pub struct Watch {
    /// Called with how much is done, of how much, and what it is.
    tell: Option<Py<PyAny>>,
    told: Instant,
    /// Whether work is to stop.
    stop: Arc<AtomicBool>,
    /// What Python raised.
    raised: Option<PyErr>,
    /// What was said of an estimated prior.
    warnings: Vec<String>,
}

impl Watch {
    pub fn new(tell: Option<Py<PyAny>>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        Self { tell, told: Instant::now(), stop, raised: None, warnings: Vec::new() }
    }

    /// Whether work is to stop, for those who wait for something else than training.
    pub fn stopped(&self) -> Arc<AtomicBool> {
        self.stop.clone()
    }

    /// Works without the interpreter's lock until it is done, or until the observer was told to stop and stopped it.
    pub fn over<T: Send>(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut (dyn FnMut(&Progress) -> Signal + Send)) -> T + Send,
    ) -> PyResult<T> {
        let Self { tell, told, stop, raised, warnings } = self;
        let mut observer = |progress: &Progress| {
            if let At::Estimated(report) = progress.at {
                warnings.extend(onesided::prior_warnings(report));
            }
            if let Some(tell) = tell.as_ref().filter(|_| told.elapsed() >= PAUSE) {
                *told = Instant::now();
                let said = |place| Python::attach(|py| tell.call1(py, place).map(|_| ()));
                if let Some(Err(error)) = place(progress).map(said) {
                    raised.get_or_insert(error);
                    stop.store(true, Ordering::SeqCst);
                }
            }
            Signal::from(!stop.load(Ordering::SeqCst))
        };
        let mut interrupted = None;
        let done = py.detach(|| {
            thread::scope(|scope| {
                let (ended, end) = channel::<()>();
                let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
                    // Dropped at the end, even of a panic.
                    let _ended = ended;
                    work(&mut observer)
                })?;
                while end.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                    if interrupted.is_none()
                        && let Err(error) = Python::attach(|py| py.check_signals())
                    {
                        interrupted = Some(error);
                        stop.store(true, Ordering::SeqCst);
                    }
                }
                Ok::<_, std::io::Error>(worker.join())
            })
        })?;
        if let Some(error) = interrupted {
            self.raised = Some(error);
        }
        done.map_err(|panic| std::panic::resume_unwind(panic))
    }

    /// What Python raised meanwhile, if it did; otherwise what was said of the prior.
    pub fn finish(self) -> PyResult<Vec<String>> {
        match self.raised {
            Some(raised) => Err(raised),
            None => Ok(self.warnings),
        }
    }
}

/// How much is done, of how much, and what it is.
fn place(progress: &Progress) -> Option<(u64, u64, String)> {
    let (run, runs, name) = (progress.run, progress.runs, progress.name);
    Some(match progress.at {
        At::Batch(now) => {
            let done = (run * now.epochs + now.epoch.saturating_sub(1)) * now.batches + now.batch;
            let said = format!("{name} epoch {}/{}, loss {:.4}", now.epoch, now.epochs, now.loss);
            (done as u64, (runs * now.epochs * now.batches) as u64, said)
        }
        At::Tree { done, most } => (
            (run * most + done) as u64,
            (runs * most) as u64,
            format!("{name} tree {done} of at most {most}"),
        ),
        At::Fold { done, all, .. } => {
            (done as u64, all as u64, format!("prior: scored {done} of {all} folds"))
        }
        At::Member { done, all, .. } => {
            (done as u64, all as u64, format!("trained {done} of {all}, now {name}"))
        }
        At::Column { done, all } => (done as u64, all as u64, format!("measured {done} of {all} columns")),
        At::Estimator(name) => (1, 1, format!("prior: {name}")),
        _ => return None,
    })
}
