//! How far the work has come, and how to stop it.
//!
//! On a terminal there is a bar with the rate and the time left; elsewhere a plain line every few seconds, and none for short
//! runs. Training tells its [`Display`] where it is; of all other work ([`Phase`](onesided::data::Phase)) a thread looks after
//! a moment how far it is.
//!
//! Ctrl-C ends the process. Training and whoever writes a list are asked first and say what is kept; who has not ended by
//! himself within a second, whatever he does, is ended. Files are written under temporary names, which are removed.

use crate::output::{is_quiet, is_verbose};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use onesided::data::{PhaseNow, end_process, grouped, phase_now};
use onesided::{At, Progress, Signal};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, Once};
use std::thread;
use std::time::{Duration, Instant};

/// Between two plain lines, and where more is to be said.
const PAUSE: Duration = Duration::from_secs(10);
const SHORT_PAUSE: Duration = Duration::from_secs(1);

/// Between two looks at what is under way.
const LOOK: Duration = Duration::from_millis(200);

/// How long those have to end who are asked to.
const GRACE: Duration = Duration::from_secs(1);

/// Steps of the bar for each thing to do: those under way count in part.
const STEPS: f64 = 1_000.0;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
static GUARDED: AtomicBool = AtomicBool::new(false);

/// Installs the handler for Ctrl-C, for a terminal that is closed and for a polite kill (SIGINT, SIGHUP, SIGTERM), and looks
/// after long phases from here on.
pub fn begin() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Without a handler, Ctrl-C ends the process as it always did.
        let _ = ctrlc::set_handler(|| {
            INTERRUPTED.store(true, Ordering::SeqCst);
            if GUARDED.load(Ordering::SeqCst) {
                thread::sleep(GRACE);
                crate::output::error("interrupted before it was done, and nothing was written");
            }
            end_process(130);
        });
        // Without the thread, nothing is shown.
        let _ = thread::Builder::new().name("progress".to_string()).spawn(|| {
            loop {
                thread::sleep(LOOK);
                let line = screen().look(phase_now(SHORT_PAUSE));
                line.iter().for_each(|line| crate::output::note(line));
            }
        });
    });
}

/// Runs work that ends by itself when [`interrupted`] says so.
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

/// Prints something while the bar is away; it comes back with what is done next.
pub fn beside<T>(print: impl FnOnce() -> T) -> T {
    let bar = screen().bar.clone();
    match bar {
        Some(bar) => bar.suspend(print),
        None => print(),
    }
}

/// What is shown of the work, by whoever knows how far it is.
struct Screen {
    bar: Option<ProgressBar>,
    last_line: Instant,
    /// What is under way, since when, and how much of it was done at first: the time left is that of this alone.
    phase: &'static str,
    since: Instant,
    done_at_first: f64,
    /// When training last told where it is; while it tells, nobody else does.
    told: Option<Instant>,
}

static SCREEN: LazyLock<Mutex<Screen>> = LazyLock::new(|| Mutex::new(Screen::new()));

fn screen() -> MutexGuard<'static, Screen> {
    // What is shown may be half of it after a panic, and is drawn anew.
    SCREEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Screen {
    fn new() -> Self {
        let now = Instant::now();
        Self { bar: None, last_line: now, phase: "", since: now, done_at_first: 0.0, told: None }
    }

    /// Shows a phase that nobody tells of; gives a line that is to be printed.
    fn look(&mut self, now: Option<PhaseNow>) -> Option<String> {
        if self.told.is_some_and(|told| told.elapsed() < 2 * SHORT_PAUSE) {
            return None;
        }
        let Some(now) = now else {
            if self.told.is_none() {
                self.clear();
            }
            return None;
        };
        let (done, all) = (now.done as f64, now.all as f64);
        // It was under way before anybody looked.
        (self.phase, self.since, self.done_at_first) = (now.what, now.since, 0.0);
        let rate = self.rate(now.what, done);
        self.show(now.what, (done, all), || phase_message(&now, rate))
    }

    /// How much of a phase is done per second. A phase that is new, or begins again, starts the clock.
    fn rate(&mut self, phase: &'static str, done: f64) -> f64 {
        if self.phase != phase || done < self.done_at_first {
            (self.phase, self.since, self.done_at_first) = (phase, Instant::now(), done);
        }
        (done - self.done_at_first) / self.since.elapsed().as_secs_f64().max(1e-3)
    }

    /// The bar, or a line now and then, which is given back to be printed.
    fn show(
        &mut self,
        phase: &'static str,
        (done, all): (f64, f64),
        message: impl Fn() -> String,
    ) -> Option<String> {
        let rate = self.rate(phase, done);
        // Of the first moments no time can be told.
        let left = Some((all - done).max(0.0) / rate)
            .filter(|left| left.is_finite() && self.since.elapsed() > SHORT_PAUSE);
        if std::io::stderr().is_terminal() && !is_quiet() {
            let bar = self.bar.get_or_insert_with(new_bar);
            bar.set_length((STEPS * all) as u64);
            bar.set_position((STEPS * done) as u64);
            bar.set_prefix(left.map_or_else(String::new, |left| format!(" about {} left", shown_time(left))));
            bar.set_message(message());
            None
        } else {
            let percent = 100.0 * done / all.max(1.0);
            let left = left.map_or_else(String::new, |left| format!(", about {left:.0} s left"));
            self.line(|| format!("{} ({percent:.0}%{left})", message()))
        }
    }

    /// What is under way, when the time it takes is unknown.
    fn say(&mut self, what: &str) -> Option<String> {
        match &self.bar {
            Some(bar) => {
                bar.set_message(what.to_string());
                None
            }
            None => self.line(|| what.to_string()),
        }
    }

    fn line(&mut self, text: impl FnOnce() -> String) -> Option<String> {
        let pause = if is_verbose() { SHORT_PAUSE } else { PAUSE };
        (self.last_line.elapsed() > pause).then(|| {
            self.last_line = Instant::now();
            text()
        })
    }

    fn clear(&mut self) {
        self.bar.take().iter().for_each(ProgressBar::finish_and_clear);
    }
}

fn new_bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {percent}%{prefix}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(5));
    bar.with_style(style.progress_chars("=> "))
}

/// `reading: 12 of 48 MB, 6 MB/s`, `writing: 8,192 of 1,000,000 rows, 65,000 rows/s`.
fn phase_message(now: &PhaseNow, rate: f64) -> String {
    let PhaseNow { what, unit, done, all, .. } = *now;
    match unit {
        "bytes" => {
            let mega = |bytes: f64| shown_rate(bytes / 1e6);
            format!("{what}: {} of {} MB, {} MB/s", mega(done as f64), mega(all as f64), mega(rate))
        }
        _ => {
            let count = |number: u64| grouped(usize::try_from(number).unwrap_or(usize::MAX));
            format!("{what}: {} of {} {unit}, {} {unit}/s", count(done), count(all), shown_rate(rate))
        }
    }
}

/// Shows the progress of one `fit`.
pub struct Display<'a> {
    checkpoint: Option<&'a Path>,
    /// What was said of device and checkpoint is not said again.
    told: bool,
    started: Instant,
    /// The run of training under way, the rows of the runs before it, and its own.
    run: usize,
    rows_before: u64,
    rows_now: u64,
}

impl<'a> Display<'a> {
    /// A bar on a terminal, lines elsewhere. `checkpoint` is the file that training may be resumed from.
    pub fn new(checkpoint: Option<&'a Path>) -> Self {
        Self { checkpoint, told: false, started: Instant::now(), run: 0, rows_before: 0, rows_now: 0 }
    }

    /// To be called as an observer; gives up once Ctrl-C was pressed.
    pub fn update(&mut self, progress: &Progress) -> Signal {
        match progress.at {
            At::Batch(now) => self.batch(progress, now),
            At::Tree { done, most } => {
                let (run, runs) = (progress.run, progress.runs);
                let (done, most) = (run * most + done, runs * most);
                let rate = told().rate("trees", done as f64);
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
            At::Estimator(name) => {
                let line = told().say(&format!("prior: {name}"));
                line.iter().for_each(|line| crate::output::note(line));
            }
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

    fn show(&self, phase: &'static str, at: (f64, f64), message: impl Fn() -> String) {
        let line = told().show(phase, at, message);
        line.iter().for_each(|line| crate::output::note(line));
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
        device.into_iter().chain(resumed).for_each(|line| crate::output::note(&line));
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        let mut screen = screen();
        screen.told = None;
        screen.clear();
    }
}

/// The screen, of which training makes use.
fn told() -> MutexGuard<'static, Screen> {
    let mut screen = screen();
    screen.told = Some(Instant::now());
    screen
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

    #[test]
    fn phases_are_said_with_their_rate() {
        let of = |what, unit, done, all| PhaseNow { what, unit, done, all, since: Instant::now() };
        let reading = phase_message(&of("reading", "bytes", 12_000_000, 48_500_000), 6.2e6);
        assert_eq!(reading, "reading: 12 of 48 MB, 6.2 MB/s");
        let writing = phase_message(&of("writing", "rows", 8_192, 1_000_000), 65_000.4);
        assert_eq!(writing, "writing: 8,192 of 1,000,000 rows, 65000 rows/s");
    }

    /// A line now and then: the first only after a while, and none while training tells where it is.
    #[test]
    fn phases_are_shown_where_nobody_tells() {
        let long_ago = Instant::now().checked_sub(2 * PAUSE).unwrap();
        let now = PhaseNow { what: "reading", unit: "bytes", done: 5, all: 10, since: long_ago };
        let mut screen = Screen::new();
        assert_eq!(screen.look(Some(now)), None);
        screen.last_line = long_ago;
        screen.told = Some(Instant::now());
        assert_eq!(screen.look(Some(now)), None);
        screen.told = Some(long_ago);
        assert_eq!(
            screen.look(Some(now)).as_deref(),
            Some("reading: 0.0 of 0.0 MB, 0.0 MB/s (50%, about 20 s left)")
        );
        assert_eq!(screen.look(Some(now)), None);
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
