//! Between two batches: does Python have a signal to handle, and is it time to say how far training is?

use onesided::{At, Progress, Signal};
use pyo3::prelude::*;
use std::time::{Duration, Instant};

/// Between two looks at Python, each of which takes the interpreter's lock.
const PAUSE: Duration = Duration::from_millis(50);

/// An observer that hands Ctrl-C on and calls a function now and then.
pub struct Watch {
    /// Called with how much is done, of how much, and what it is.
    tell: Option<Py<PyAny>>,
    looked: Instant,
    /// What Python raised.
    raised: Option<PyErr>,
    /// What was said of an estimated prior.
    warnings: Vec<String>,
    /// The upper end of its interval.
    pub upper: Option<f64>,
}

impl Watch {
    pub fn new(tell: Option<Py<PyAny>>) -> Self {
        Self { tell, looked: Instant::now(), raised: None, warnings: Vec::new(), upper: None }
    }

    /// To be called as an observer.
    pub fn look(&mut self, progress: &Progress) -> Signal {
        if let At::Estimated(report) = progress.at {
            self.warnings.extend(onesided_cli::prior_warnings(report));
            self.upper = Some(report.answer.interval.1);
        }
        if self.raised.is_some() {
            return Signal::Abort;
        }
        if self.looked.elapsed() < PAUSE {
            return Signal::Continue;
        }
        self.looked = Instant::now();
        let found = Python::attach(|py| {
            py.check_signals()?;
            match (&self.tell, place(progress)) {
                (Some(tell), Some(place)) => tell.call1(py, place).map(|_| ()),
                _ => Ok(()),
            }
        });
        match found {
            Ok(()) => Signal::Continue,
            Err(raised) => {
                self.raised = Some(raised);
                Signal::Abort
            }
        }
    }

    /// What Python raised meanwhile, if it did.
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
        At::Fold { done, all } => (done as u64, all as u64, format!("prior: scored {done} of {all} folds")),
        At::Member { done, all } => (done as u64, all as u64, format!("trained {done} of {all}, now {name}")),
        At::Estimator(name) => (1, 1, format!("prior: {name}")),
        _ => return None,
    })
}
