//! Threads that stand ready between the short stretches of a training step.
//!
//! A step of a small network takes a millisecond and hands work out three or more times. Waking a sleeping thread costs
//! up to a tenth of that on a virtual machine, so the crew waits for its next work with open eyes for a while
//! before it sleeps. The share of each thread is fixed by its number, never by who is free first: results do not
//! depend on timing.

use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Looks at the next round before a waiting thread sleeps: about half a millisecond. A thread that is woken may be put on
/// the core of the one that woke it, which costs far more than waiting.
const LOOKS: usize = 50_000;

/// A fixed number of threads, the calling one included.
pub(crate) struct Crew {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

type Work = dyn Fn(usize) + Sync;

struct Shared {
    /// Counts the calls of [`Crew::run`] in its upper bits and says in the lower 16 how many threads a call is for; a
    /// change of it publishes `work`.
    round: AtomicU64,
    /// The work of the current round. Written only between rounds, by the one thread that can call `run`.
    work: UnsafeCell<Option<*const Work>>,
    /// Threads that have not finished the round.
    left: AtomicUsize,
    asleep: AtomicUsize,
    stop: AtomicBool,
    panicked: AtomicBool,
    door: Mutex<()>,
    bell: Condvar,
}

// SAFETY: `work` is written by the thread in `Crew::run` (which has the crew mutably) before `round` changes and read by
// the others after they saw the change; it is not written again before all of them are done. Everything else is atomic.
unsafe impl Sync for Shared {}
// SAFETY: the pointer in `work` points to a `Sync` closure and is followed only during the round it was given for.
unsafe impl Send for Shared {}

impl Crew {
    /// A crew of `size` threads; the calling thread is one of them.
    pub fn new(size: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            round: AtomicU64::new(0),
            work: UnsafeCell::new(None),
            left: AtomicUsize::new(0),
            asleep: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            panicked: AtomicBool::new(false),
            door: Mutex::new(()),
            bell: Condvar::new(),
        });
        let mut crew = Self { shared, threads: Vec::new() };
        for number in 1..size {
            let shared = Arc::clone(&crew.shared);
            let thread = std::thread::Builder::new().name(format!("onesided-{number}"));
            crew.threads.push(thread.spawn(move || shared.serve(number))?);
        }
        Ok(crew)
    }

    /// Calls `work` once for each item, each on its own thread. There are at most as many items as threads.
    pub fn each<T: Send>(&mut self, items: &mut [T], work: impl Fn(&mut T) + Sync) {
        /// Lets the pointer to the items cross to the other threads.
        struct Items<T>(*mut T);
        // SAFETY: each thread touches the one item of its number, and `T` may be sent to it.
        unsafe impl<T: Send> Sync for Items<T> {}
        if items.len() < 2 {
            return items.iter_mut().for_each(work);
        }
        assert!(items.len() <= self.threads.len() + 1, "more items than threads");
        let (count, items) = (items.len(), Items(items.as_mut_ptr()));
        self.run(count, &|number| {
            let items = &items;
            // SAFETY: `number` is below `count`, so inside the slice; no other thread has it, and the slice is borrowed
            // mutably until `run` returns, which is after every thread is done.
            work(unsafe { &mut *items.0.add(number) });
        });
    }

    /// Calls `work` with the numbers of the first `count` threads and returns when all are done.
    fn run<'w>(&mut self, count: usize, work: &'w (dyn Fn(usize) + Sync + 'w)) {
        let shared = &*self.shared;
        // SAFETY: only the lifetime is changed; the pointer is followed during this round alone, and this function does
        // not return or unwind before the round is over.
        let forever = unsafe { std::mem::transmute::<*const (dyn Fn(usize) + Sync + 'w), *const Work>(work) };
        // SAFETY: no round is under way, so no other thread reads the cell.
        unsafe { *shared.work.get() = Some(forever) };
        shared.left.store(count - 1, Ordering::SeqCst);
        let next = (shared.round.load(Ordering::SeqCst) >> 16) + 1;
        shared.round.store((next << 16) | count as u64, Ordering::SeqCst);
        if shared.asleep.load(Ordering::SeqCst) > 0 {
            let _door = shared.door.lock().unwrap_or_else(PoisonError::into_inner);
            shared.bell.notify_all();
        }
        let mine = catch_unwind(AssertUnwindSafe(|| work(0)));
        let mut looks = 0;
        while shared.left.load(Ordering::SeqCst) > 0 {
            looks += 1;
            // On a crowded machine the others may need this very core.
            if looks < LOOKS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        if let Err(panic) = mine {
            std::panic::resume_unwind(panic);
        }
        assert!(!shared.panicked.load(Ordering::SeqCst), "a thread of the crew panicked");
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        {
            let _door = self.shared.door.lock().unwrap_or_else(PoisonError::into_inner);
            self.shared.bell.notify_all();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn serve(&self, number: usize) {
        let mut seen = 0;
        loop {
            let mut looks = 0;
            while self.round.load(Ordering::SeqCst) == seen && looks < LOOKS {
                std::hint::spin_loop();
                looks += 1;
                if self.stop.load(Ordering::SeqCst) {
                    return;
                }
            }
            if self.round.load(Ordering::SeqCst) == seen {
                let mut door = self.door.lock().unwrap_or_else(PoisonError::into_inner);
                self.asleep.fetch_add(1, Ordering::SeqCst);
                while self.round.load(Ordering::SeqCst) == seen && !self.stop.load(Ordering::SeqCst) {
                    door = self.bell.wait(door).unwrap_or_else(PoisonError::into_inner);
                }
                self.asleep.fetch_sub(1, Ordering::SeqCst);
            }
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            seen = self.round.load(Ordering::SeqCst);
            if number as u64 >= seen & 0xffff {
                // Not for this thread. If it were, no further round could have begun before its part is done.
                continue;
            }
            // SAFETY: the round changed, so the cell holds this round's work and is not written before `left` falls to 0.
            if let Some(work) = unsafe { *self.work.get() } {
                // SAFETY: the closure lives until the round is over, and this thread ends its part below.
                let work = unsafe { &*work };
                if catch_unwind(AssertUnwindSafe(|| work(number))).is_err() {
                    self.panicked.store(true, Ordering::SeqCst);
                }
            }
            self.left.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once_a_round() {
        let mut crew = Crew::new(4).unwrap();
        let mut items = vec![0u64; 4];
        for round in 0..2_000 {
            crew.each(&mut items, |item| *item += 1);
            if round % 500 == 0 {
                // Long enough for the threads to fall asleep.
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
        }
        assert_eq!(items, [2_000; 4]);
        crew.each(&mut items[..2], |item| *item = 7);
        assert_eq!(items, [7, 7, 2_000, 2_000]);
    }

    #[test]
    fn a_panic_reaches_the_caller_after_the_round() {
        let mut crew = Crew::new(2).unwrap();
        let result = catch_unwind(AssertUnwindSafe(|| {
            crew.each(&mut [0, 1], |item| assert_ne!(*item, 1, "on purpose"));
        }));
        assert!(result.is_err());
    }
}
