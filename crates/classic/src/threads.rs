//! On how many threads work runs, and the fan-out over them.
//!
//! The number holds for all that runs below it, solvers within candidates within a fit: threads that are spread over
//! candidates share it, so that there are never more at once. Work is cut the same way for any number of threads, so
//! results do not depend on it, to the bit.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

thread_local! {
    /// How many threads this one may use, itself included; 0 if not given.
    static ALLOWED: Cell<usize> = const { Cell::new(0) };
}

/// Runs `work` with at most this many threads at once, this one included; 0 is all cores. Within work that has a number
/// already, the smaller one counts. [`System::fit`](crate::System::fit) does this for a problem; scoring uses all cores
/// unless it is called within.
pub fn with_threads<T>(threads: usize, work: impl FnOnce() -> T) -> T {
    /// Puts the number back, after a panic too.
    struct Before(usize);
    impl Drop for Before {
        fn drop(&mut self) {
            ALLOWED.set(self.0);
        }
    }
    let before = Before(ALLOWED.get());
    ALLOWED.set(match (before.0, threads) {
        (0, threads) => threads,
        (before, 0) => before,
        (before, threads) => before.min(threads),
    });
    work()
}

/// How many threads may be used here, this one included.
pub(crate) fn allowed() -> usize {
    match ALLOWED.get() {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// Runs `work` on `blocks` runs of neighboring rows, on the threads allowed here, and returns the results in the order of
/// the rows.
///
/// A thread that is done takes the next block. The cut does not depend on the number of threads, so sums over the results
/// do not either.
pub(crate) fn in_blocks<R: Send>(
    rows: usize,
    blocks: usize,
    work: impl Fn(Range<usize>) -> R + Sync,
) -> Vec<R> {
    let bounds = |block: usize| block * rows / blocks..(block + 1) * rows / blocks;
    let in_order = || (0..blocks).map(|block| work(bounds(block))).collect();
    if blocks <= 1 {
        return in_order();
    }
    let allowed = allowed();
    let threads = allowed.min(blocks);
    if threads <= 1 {
        return in_order();
    }
    let next = AtomicUsize::new(0);
    let take_turns = || {
        let mut done = Vec::new();
        loop {
            let block = next.fetch_add(1, Ordering::Relaxed);
            if block >= blocks {
                return done;
            }
            done.push((block, work(bounds(block))));
        }
    };
    let run = || with_threads(allowed / threads, take_turns);
    let mut results = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let mut results = run();
        for other in others {
            results.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    results.sort_by_key(|(block, _)| *block);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn blocks_cover_all_rows_in_order() {
        for (blocks, threads) in [(1, 0), (2, 1), (4, 3), (16, 0)] {
            let parts = with_threads(threads, || in_blocks(103, blocks, |range| range.collect::<Vec<_>>()));
            assert_eq!(parts.len(), blocks);
            assert_eq!(parts.concat(), (0..103).collect::<Vec<_>>());
        }
        assert!(in_blocks(0, 0, |range| range).is_empty());
    }

    #[test]
    fn never_more_threads_at_once_than_allowed() {
        for threads in [1, 2, 5] {
            let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            with_threads(threads, || {
                in_blocks(4, 4, |_| {
                    // Within a candidate, a solver asks for more.
                    with_threads(64, || {
                        in_blocks(4, 4, |_| {
                            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                            thread::sleep(Duration::from_millis(2));
                            now.fetch_sub(1, Ordering::SeqCst);
                        })
                    })
                })
            });
            let most = most.into_inner();
            assert!((1..=threads).contains(&most), "{most} of {threads}");
        }
    }

    #[test]
    fn the_number_ends_with_its_work() {
        let outside = allowed();
        let inside = with_threads(3, || (allowed(), with_threads(2, allowed), with_threads(9, allowed)));
        assert_eq!(inside, (3, 2, 3));
        let stopped = std::panic::catch_unwind(|| with_threads(3, || panic!("on purpose")));
        assert!(stopped.is_err());
        assert_eq!(allowed(), outside);
    }
}
