//! What is under way in this process, for whoever shows it.
//!
//! Training tells an observer how far it is. Reading, encoding, measuring and writing happen in many places, most of them
//! far from whoever watches; as with the [limit on memory](crate::limit_memory), there is one list for the process, and a long
//! loop says where it is. Looking costs the loop nothing: whoever shows it asks now and then.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

static UNDER_WAY: Mutex<Vec<Arc<State>>> = Mutex::new(Vec::new());

/// A part of the work, under way until it is dropped.
#[derive(Debug)]
pub struct Phase(Arc<State>);

#[derive(Debug)]
struct State {
    what: &'static str,
    unit: &'static str,
    done: AtomicU64,
    all: u64,
    since: Instant,
    /// When it last came further, in milliseconds from its beginning.
    moved: AtomicU64,
}

/// How far a phase is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseNow {
    /// What is done: `reading`.
    pub what: &'static str,
    /// What is counted: `rows`, `bytes`.
    pub unit: &'static str,
    /// How much of it is done.
    pub done: u64,
    /// Of how much.
    pub all: u64,
    /// When it began.
    pub since: Instant,
}

fn under_way() -> MutexGuard<'static, Vec<Arc<State>>> {
    // A thread that panicked while it held the list left it whole.
    UNDER_WAY.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Phase {
    /// Begins to do something to this many of something.
    pub fn new(what: &'static str, all: u64, unit: &'static str) -> Self {
        let (done, moved) = (AtomicU64::new(0), AtomicU64::new(0));
        let state = Arc::new(State { what, unit, done, all, since: Instant::now(), moved });
        under_way().push(state.clone());
        Self(state)
    }

    /// So many more are done.
    pub fn add(&self, more: u64) {
        self.0.done.fetch_add(more, Ordering::Relaxed);
        self.0.moved.store(self.0.since.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// The same elements, each of which counts as done when the next is asked for.
    pub fn each<T>(self, elements: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        let mut first = true;
        elements.into_iter().inspect(move |_| {
            if !std::mem::take(&mut first) {
                self.add(1);
            }
        })
    }
}

impl Drop for Phase {
    fn drop(&mut self) {
        under_way().retain(|other| !Arc::ptr_eq(other, &self.0));
    }
}

/// What is under way for at least this long. Of phases within one another it is the outermost one that came further during
/// three times as long, which tells of the whole; where all stand still, it is the innermost.
pub fn phase_now(at_least: Duration) -> Option<PhaseNow> {
    let under_way = under_way();
    let lasting = || under_way.iter().filter(|state| state.since.elapsed() >= at_least);
    let moves = |state: &&Arc<State>| {
        let moved = Duration::from_millis(state.moved.load(Ordering::Relaxed));
        state.since.elapsed() <= moved + 3 * at_least
    };
    let state = lasting().find(moves).or_else(|| lasting().next_back())?;
    let State { what, unit, all, since, .. } = **state;
    Some(PhaseNow { what, unit, done: state.done.load(Ordering::Relaxed).min(all), all, since })
}

/// Bytes whose reading is a phase.
pub(crate) struct Watched<R> {
    bytes: R,
    phase: Phase,
}

impl<R> Watched<R> {
    pub(crate) fn new(bytes: R, length: u64) -> Self {
        Self { bytes, phase: Phase::new("reading", length, "bytes") }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.phase.add(read as u64);
        Ok(read)
    }
}
