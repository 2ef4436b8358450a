//! How far training has come, and how to stop it.
//!
//! On a terminal there is a bar with the rate in rows per second and the time left; elsewhere a plain line every few
//! seconds, and none for short runs. Ctrl-C while nothing is at stake ends the process; during training it asks the
//! observer to stop, so that a checkpoint stays whole; while a file is written it waits for the rename.

use crate::output::{is_quiet, is_verbose};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use onesided::{At, Progress, Signal};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Between two plain lines, and where more is to be said.
const PAUSE: Duration = Duration::from_secs(10);
const SHORT_PAUSE: Duration = Duration::from_secs(1);

/// Steps of the bar for each thing to do: those under way count in part.
const STEPS: f64 = 1_000.0;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static GUARDED: AtomicBool = AtomicBool::new(false);

/// Installs the handler for Ctrl-C, for a terminal that is closed and for a polite kill (SIGINT, SIGHUP, SIGTERM).
pub fn catch_interrupts() {
    // Without a handler, Ctrl-C ends the process as it always did.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::SeqCst) || !GUARDED.load(Ordering::SeqCst) {
            onesided::data::remove_temporaries();
            std::process::exit(130);
        }
    });
}

/// Runs work that Ctrl-C must not cut in two.
pub fn guarded<T>(work: impl FnOnce() -> T) -> T {
    GUARDED.store(true, Ordering::SeqCst);
    let result = work();
    GUARDED.store(false, Ordering::SeqCst);
    result
}

/// Whether Ctrl-C was pressed.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// Shows the progress of one `fit`.
pub struct Display<'a> {
    checkpoint: Option<&'a Path>,
    /// What was said of device and checkpoint is not said again.
    told: bool,
    bar: Option<ProgressBar>,
    last_line: Instant,
    started: Instant,
    /// What is under way, since when, and how much of it was done at first: the time left is that of this alone.
    phase: &'static str,
    since: Instant,
    done_at_first: f64,
    /// The run of training under way, the rows of the runs before it, and its own.
    run: usize,
    rows_before: u64,
    rows_now: u64,
}

impl<'a> Display<'a> {
    /// A bar on a terminal, lines elsewhere. `checkpoint` is the file that training may be resumed from.
    pub fn new(checkpoint: Option<&'a Path>) -> Self {
        let bar = (std::io::stderr().is_terminal() && !is_quiet()).then(|| {
            let style = ProgressStyle::with_template("{msg} [{bar:30}] {percent}%{prefix}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(5));
            bar.with_style(style.progress_chars("=> "))
        });
        Self {
            checkpoint,
            told: false,
            bar,
            last_line: Instant::now(),
            started: Instant::now(),
            phase: "",
            since: Instant::now(),
            done_at_first: 0.0,
            run: 0,
            rows_before: 0,
            rows_now: 0,
        }
    }

    /// To be called as an observer; gives up once Ctrl-C was pressed.
    pub fn update(&mut self, progress: &Progress) -> Signal {
        match progress.at {
            At::Batch(now) => self.batch(progress, now),
            At::Tree { done, most } => {
                let (run, runs) = (progress.run, progress.runs);
                let (done, most) = (run * most + done, runs * most);
                let rate = self.rate("trees", done as f64);
                let message = || {
                    let rate = shown_rate(rate);
                    format!("{}: {done} of at most {most} trees, {rate} trees/s", progress.name)
                };
                self.show("trees", (done as f64, most as f64), message);
            }
            At::Fold { done, all, begun } => {
                let message = || format!("prior: scored {done} of {all} folds");
                self.show("folds", (done as f64 + begun, all as f64), message);
            }
            At::Member { done, all, begun } => {
                let message = || format!("trained {done} of {all}, now {}", progress.name);
                self.show("members", (done as f64 + begun, all as f64), message);
            }
            At::Estimator(name) => self.say(&format!("prior: {name}")),
            _ => {}
        }
        if interrupted() { Signal::Abort } else { Signal::Continue }
    }

    fn batch(&mut self, progress: &Progress, now: &onesided::net::TrainProgress) {
        self.tell(progress.device, progress.resumed_from);
        let steps = |epochs: usize, batches: usize| (epochs * now.batches + batches) as f64;
        let done = steps(progress.run * now.epochs + now.epoch.saturating_sub(1), now.batch);
        let all = steps(progress.runs * now.epochs, 0);
        if progress.run != self.run {
            (self.run, self.rows_before) = (progress.run, self.rows_before + self.rows_now);
        }
        self.rows_now = now.rows_seen;
        let rate = (self.rows_before + self.rows_now) as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        self.show("batches", (done, all), || {
            let risk = now.risk.map_or_else(String::new, |risk| format!(", held-out risk {risk:.4}"));
            format!(
                "{} epoch {}/{}, loss {:.4}{risk}, {rate:.0} rows/s",
                progress.name, now.epoch, now.epochs, now.loss
            )
        });
        if progress.run == 0 && now.epoch <= 1 && now.batch <= 1 {
            self.started = Instant::now();
        }
    }

    /// A column of `importance` was measured.
    pub fn columns(&mut self, done: usize, all: usize) {
        let message = || format!("measured {done} of {all} columns");
        self.show("columns", (done as f64, all as f64), message);
    }

    /// How much of a phase is done per second. A phase that is new, or begins again, starts the clock.
    fn rate(&mut self, phase: &'static str, done: f64) -> f64 {
        if self.phase != phase || done < self.done_at_first {
            (self.phase, self.since, self.done_at_first) = (phase, Instant::now(), done);
        }
        (done - self.done_at_first) / self.since.elapsed().as_secs_f64().max(1e-3)
    }

    /// The bar, or a line now and then.
    fn show(&mut self, phase: &'static str, (done, all): (f64, f64), message: impl Fn() -> String) {
        let rate = self.rate(phase, done);
        // Of the first moments no time can be told.
        let left = Some((all - done).max(0.0) / rate)
            .filter(|left| left.is_finite() && self.since.elapsed() > SHORT_PAUSE);
        if let Some(bar) = &self.bar {
            bar.set_length((STEPS * all) as u64);
            bar.set_position((STEPS * done) as u64);
            bar.set_prefix(left.map_or_else(String::new, |left| format!(" about {} left", shown_time(left))));
            bar.set_message(message());
        } else if self.may_speak() {
            let percent = 100.0 * done / all.max(1.0);
            let left = left.map_or_else(String::new, |left| format!(", about {left:.0} s left"));
            self.line(&format!("{} ({percent:.0}%{left})", message()));
        }
    }

    /// What is under way, when the time it takes is unknown.
    fn say(&mut self, what: &str) {
        match &self.bar {
            Some(bar) => bar.set_message(what.to_string()),
            None if self.may_speak() => self.line(what),
            None => {}
        }
    }

    fn may_speak(&self) -> bool {
        self.last_line.elapsed() > if is_verbose() { SHORT_PAUSE } else { PAUSE }
    }

    fn line(&mut self, text: &str) {
        crate::output::note(text);
        self.last_line = Instant::now();
    }

    /// Says once, in a line each, which GPU is in use and that training resumes from a checkpoint.
    pub fn tell(&mut self, device: &str, resumed_from: Option<usize>) {
        if std::mem::replace(&mut self.told, true) {
            return;
        }
        let device = (device != "cpu").then(|| format!("device: {device}"));
        let resumed = resumed_from.zip(self.checkpoint).map(|(epochs, path)| {
            format!("resumed from the checkpoint '{}': {epochs} epochs were done already", path.display())
        });
        for line in device.into_iter().chain(resumed) {
            match &self.bar {
                Some(bar) => bar.suspend(|| crate::output::note(&line)),
                None => crate::output::note(&line),
            }
        }
    }

    /// Prints something while the bar is away; it comes back with what is done next.
    pub fn beside(&self, print: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

/// Seconds as people say them.
fn shown_time(seconds: f64) -> String {
    match seconds.round() as u64 {
        seconds if seconds < 100 => format!("{seconds} s"),
        seconds if seconds < 5_940 => format!("{} min", (seconds + 30) / 60),
        seconds => format!("{:.1} h", seconds as f64 / 3_600.0),
    }
}

/// A rate in as many digits as it deserves: 0.4 is not 0.
fn shown_rate(rate: f64) -> String {
    if rate < 9.95 { format!("{rate:.1}") } else { format!("{rate:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After a bar that is finished nothing is shown any more, and training begins where the prior is known.
    #[test]
    fn the_bar_comes_back_after_what_is_printed_beside_it() {
        let hidden = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::hidden());
        let mut display = Display { bar: Some(hidden.clone()), ..Display::new(None) };
        display.show("folds", (5.0, 5.0), || "prior: scored 5 of 5 folds".to_string());
        let mut printed = false;
        display.beside(|| printed = true);
        assert!(printed && !hidden.is_finished());
        display.show("members", (1.5, 4.0), || "trained 1 of 4".to_string());
        assert_eq!((hidden.position(), hidden.length()), (1_500, Some(4_000)));
        display.finish();
        assert!(hidden.is_finished());
    }

    #[test]
    fn times_are_said_as_people_say_them() {
        let shown = [0.2, 99.4, 100.0, 3_600.0, 9_000.0].map(shown_time);
        assert_eq!(shown, ["0 s", "99 s", "2 min", "60 min", "2.5 h"]);
    }

    #[test]
    fn slow_rates_keep_a_decimal() {
        assert_eq!([0.42, 9.94, 9.96, 1234.4].map(shown_rate), ["0.4", "9.9", "10", "1234"]);
    }
}
