//! Threads that stay ready between the short stretches of a training step.
//!
//! A step of a small network takes a millisecond and hands work out three or more times. Waking a sleeping thread costs
//! up to a tenth of that on a virtual machine, so a worker looks out for its next work for a while before it sleeps; it
//! offers its core to others meanwhile.
//!
//! What is computed depends on the items alone, never on which thread takes one. Each thread takes the item of its own
//! number first, whose memory its core has in the cache, and then items that nobody has begun. So a worker that gets no
//! core holds nobody up, unless it lost the core in the middle of an item. Where that costs the caller more than the
//! help was worth, the caller goes without the workers for a while ([`ALONE`]).

use std::any::Any;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Looks before a waiting thread begins to yield its core: some microseconds. A yield costs less than one when nobody else
/// wants the core.
const SPINS: usize = 100;

/// For how long a waiting thread yields before it sleeps.
const YIELDING: Duration = Duration::from_millis(1);

/// A wait for a worker that is not a sign of a busy machine, however short the caller's own part was.
const PUNCTUAL: Duration = Duration::from_micros(200);

/// How many times what a late worker cost the caller continues alone. Whatever the machine does, lateness adds at most
/// about a sixteenth to the time of doing everything alone.
const ALONE: u32 = 16;

/// A fixed number of threads, the calling one included.
pub(crate) struct ThreadPool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
    /// Until when the caller does all items itself.
    alone_until: Option<Instant>,
}

type Work = dyn Fn(usize) + Sync;

struct Shared {
    /// Counts the calls of [`ThreadPool::run`] in its upper bits and says in the lower 16 how many items a call has; a
    /// change of it publishes `work`.
    generation: AtomicU64,
    /// For each item, the generation in which it was last begun. Only grows.
    begun: Vec<AtomicU64>,
    /// The work of the current generation. Written only between generations, by the one thread that can call `run`.
    work: UnsafeCell<Option<*const Work>>,
    /// Items that are not finished.
    left: AtomicUsize,
    /// Workers that sleep, and whether the caller does.
    asleep: AtomicUsize,
    caller_asleep: AtomicBool,
    stop: AtomicBool,
    /// The first panic of the generation.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
    /// Held to fall asleep and to wake others, so that no wakeup is missed.
    lock: Mutex<()>,
    wakeup: Condvar,
    caller_wakeup: Condvar,
}

// SAFETY: `work` is written by the thread in `ThreadPool::run` (which has the pool mutably) before `generation` changes. A
// thread reads it only after it saw the change and began an item of that generation, and it is not written again before
// every item is finished. Everything else may be shared.
unsafe impl Sync for Shared {}
// SAFETY: the pointer in `work` points to a `Sync` closure and is followed only during the generation it was given for.
unsafe impl Send for Shared {}

impl ThreadPool {
    /// A pool of `size` threads; the calling thread is one of them.
    pub fn new(size: usize) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            generation: AtomicU64::new(0),
            begun: (0..size).map(|_| AtomicU64::new(0)).collect(),
            work: UnsafeCell::new(None),
            left: AtomicUsize::new(0),
            asleep: AtomicUsize::new(0),
            caller_asleep: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            panic: Mutex::new(None),
            lock: Mutex::new(()),
            wakeup: Condvar::new(),
            caller_wakeup: Condvar::new(),
        });
        let mut pool = Self { shared, workers: Vec::new(), alone_until: None };
        for number in 1..size {
            let shared = Arc::clone(&pool.shared);
            let thread = std::thread::Builder::new().name(format!("onesided-{number}"));
            pool.workers.push(thread.spawn(move || shared.worker_loop(number))?);
        }
        Ok(pool)
    }

    /// Calls `work` once for each item, on whichever threads there are. There are at most as many items as threads.
    pub fn each<T: Send>(&mut self, items: &mut [T], work: impl Fn(&mut T) + Sync) {
        /// Lets the pointer to the items cross to the other threads.
        struct Items<T>(*mut T);
        // SAFETY: an item is touched by the one thread that began it, and `T` may be sent to it.
        unsafe impl<T: Send> Sync for Items<T> {}
        if items.len() < 2 || self.is_alone() {
            return items.iter_mut().for_each(work);
        }
        assert!(items.len() <= self.workers.len() + 1, "more items than threads");
        let (count, items) = (items.len(), Items(items.as_mut_ptr()));
        self.run(count, &|number| {
            let items = &items;
            // SAFETY: `number` is below `count`, so inside the slice; it is begun once in a call of `run`, and the slice
            // is borrowed mutably until `run` returns, which is after every item is finished.
            work(unsafe { &mut *items.0.add(number) });
        });
    }

    /// Whether the caller is to leave the workers out.
    fn is_alone(&mut self) -> bool {
        let alone = self.alone_until.is_some_and(|until| Instant::now() < until);
        if !alone {
            self.alone_until = None;
        }
        alone
    }

    /// Calls `work` with the numbers below `count`, once each, and returns when all calls have.
    fn run<'w>(&mut self, count: usize, work: &'w (dyn Fn(usize) + Sync + 'w)) {
        let shared = &*self.shared;
        // SAFETY: only the lifetime is changed; the pointer is followed during this generation alone, and this function
        // does not return or unwind before the generation is over.
        let forever = unsafe { std::mem::transmute::<*const (dyn Fn(usize) + Sync + 'w), *const Work>(work) };
        // SAFETY: every item of earlier generations is finished, so no other thread reads the cell.
        unsafe { *shared.work.get() = Some(forever) };
        shared.left.store(count, Ordering::SeqCst);
        let next = (shared.generation.load(Ordering::SeqCst) >> 16) + 1;
        let generation = (next << 16) | count as u64;
        shared.generation.store(generation, Ordering::SeqCst);
        if shared.asleep.load(Ordering::SeqCst) > 0 {
            let _lock = shared.lock();
            shared.wakeup.notify_all();
        }
        let start = Instant::now();
        shared.take_items(generation, 0);
        if shared.left.load(Ordering::SeqCst) > 0 {
            let own = start.elapsed();
            shared.wait_for_workers();
            let waited = start.elapsed().saturating_sub(own);
            // In this time the caller could have done the rest itself.
            if waited > own.max(PUNCTUAL) {
                self.alone_until = Some(Instant::now() + waited * ALONE);
            }
        }
        let panic = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        {
            let _lock = self.shared.lock();
            self.shared.wakeup.notify_all();
        }
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, ()> {
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn worker_loop(&self, number: usize) {
        let mut seen = 0;
        loop {
            let idle = || self.generation.load(Ordering::SeqCst) == seen && !self.stop.load(Ordering::SeqCst);
            if !look_out(idle) {
                let mut lock = self.lock();
                self.asleep.fetch_add(1, Ordering::SeqCst);
                while idle() {
                    lock = self.wakeup.wait(lock).unwrap_or_else(PoisonError::into_inner);
                }
                self.asleep.fetch_sub(1, Ordering::SeqCst);
            }
            if self.stop.load(Ordering::SeqCst) {
                return;
            }
            seen = self.generation.load(Ordering::SeqCst);
            self.take_items(seen, number);
        }
    }

    /// Does items that nobody has begun in a generation, from the one of this thread's number on.
    fn take_items(&self, generation: u64, number: usize) {
        let count = (generation & 0xffff) as usize;
        // A thread without its own item has none to take: the others have theirs.
        if number >= count {
            return;
        }
        for item in (number..count).chain(0..number) {
            let before = self.begun[item].load(Ordering::SeqCst);
            // If this thread is late and the generation is over, all its items bear this generation or a later one.
            let mine = before < generation
                && self.begun[item]
                    .compare_exchange(before, generation, Ordering::SeqCst, Ordering::SeqCst)
                    .is_ok();
            if mine {
                self.do_item(item);
            }
        }
    }

    /// Does an item that this thread has begun.
    fn do_item(&self, item: usize) {
        // SAFETY: an item of the current generation is unfinished, this one, so the cell holds the generation's work and
        // is not written before `left` falls to 0.
        if let Some(work) = unsafe { *self.work.get() } {
            // SAFETY: the closure lives until the generation is over, which it is not before `left` falls below.
            let work = unsafe { &*work };
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(item))) {
                self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
            }
        }
        if self.left.fetch_sub(1, Ordering::SeqCst) == 1 && self.caller_asleep.load(Ordering::SeqCst) {
            let _lock = self.lock();
            self.caller_wakeup.notify_one();
        }
    }

    /// Returns when every item is finished.
    fn wait_for_workers(&self) {
        let unfinished = || self.left.load(Ordering::SeqCst) > 0;
        if look_out(unfinished) {
            return;
        }
        let mut lock = self.lock();
        self.caller_asleep.store(true, Ordering::SeqCst);
        while unfinished() {
            lock = self.caller_wakeup.wait(lock).unwrap_or_else(PoisonError::into_inner);
        }
        self.caller_asleep.store(false, Ordering::SeqCst);
    }
}

/// Spins, then yields, while `waiting`; false when that took too long and the thread should sleep.
fn look_out(waiting: impl Fn() -> bool) -> bool {
    for _ in 0..SPINS {
        if !waiting() {
            return true;
        }
        std::hint::spin_loop();
    }
    let start = Instant::now();
    while waiting() {
        if start.elapsed() > YIELDING {
            return false;
        }
        std::thread::yield_now();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn every_item_is_worked_on_once_in_a_call() {
        let mut pool = ThreadPool::new(4).unwrap();
        let mut items = vec![0u64; 4];
        for round in 0..20_000 {
            pool.each(&mut items, |item| *item += 1);
            if round % 5_000 == 0 {
                // Long enough for the workers to fall asleep.
                std::thread::sleep(Duration::from_millis(3));
            }
            pool.alone_until = None;
        }
        assert_eq!(items, [20_000; 4]);
        pool.each(&mut items[..2], |item| *item = 7);
        assert_eq!(items, [7, 7, 20_000, 20_000]);
    }

    #[test]
    fn the_caller_does_what_a_late_worker_has_not_begun() {
        let mut pool = ThreadPool::new(3).unwrap();
        let shared = Arc::clone(&pool.shared);
        while shared.asleep.load(Ordering::SeqCst) < 2 {
            std::thread::yield_now();
        }
        let caller = std::thread::current().id();
        let mut items = vec![None; 3];
        // A generation as `run` publishes it, while nobody can wake up without the lock.
        let lock = shared.lock();
        shared.left.store(3, Ordering::SeqCst);
        let done = Mutex::new(&mut items);
        let note = |item: usize| done.lock().unwrap()[item] = Some(std::thread::current().id());
        let note: &(dyn Fn(usize) + Sync) = &note;
        // SAFETY: as in `run`; the workers are asleep, and the generation is over before `note` is dropped.
        unsafe {
            *shared.work.get() =
                Some(std::mem::transmute::<*const (dyn Fn(usize) + Sync), *const Work>(note));
        }
        shared.generation.store((1 << 16) | 3, Ordering::SeqCst);
        shared.take_items((1 << 16) | 3, 0);
        assert_eq!(shared.left.load(Ordering::SeqCst), 0);
        drop(lock);
        assert_eq!(items, [Some(caller); 3]);
        pool.each(&mut items, |item| *item = None);
        assert_eq!(items, [None; 3]);
    }

    #[test]
    fn after_a_late_worker_the_caller_goes_alone_and_then_tries_again() {
        let mut pool = ThreadPool::new(2).unwrap();
        let (caller, meeting) = (std::thread::current().id(), Barrier::new(2));
        let (mut items, start) = ([0, 1], Instant::now());
        pool.each(&mut items, |item| {
            // Both items are begun, each by its own thread.
            meeting.wait();
            if std::thread::current().id() != caller {
                // Longer than the caller waited for a worker that began late.
                std::thread::sleep(start.elapsed() * 2 + Duration::from_millis(20));
            }
            *item += 10;
        });
        assert_eq!(items, [10, 11]);
        assert!(pool.alone_until.is_some());
        pool.alone_until = Some(Instant::now() + Duration::from_secs(60));
        assert!(pool.is_alone());
        pool.each(&mut items, |item| {
            assert_eq!(std::thread::current().id(), caller);
            *item += 10;
        });
        assert_eq!(items, [20, 21]);
        pool.alone_until = Some(Instant::now());
        assert!(!pool.is_alone());
        pool.each(&mut items, |item| *item += 10);
        assert_eq!(items, [30, 31]);
    }

    #[test]
    fn a_panic_reaches_the_caller_after_the_call_and_leaves_the_pool_usable() {
        let mut pool = ThreadPool::new(2).unwrap();
        let result = catch_unwind(AssertUnwindSafe(|| {
            pool.each(&mut [0, 1], |item| assert_ne!(*item, 1, "on purpose"));
        }));
        assert!(result.is_err());
        let mut items = [0, 1];
        pool.each(&mut items, |item| *item += 1);
        assert_eq!(items, [1, 2]);
    }
}
