//! Work on stretches of a list, one per thread, with results in the order of the list.

use std::thread;

/// Threads that the machine has for this process: its cores, or what affinity and quota leave of them.
pub fn available_threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `work` over stretches of at least `least` items, one per thread; 0 threads are all there are.
pub fn map_stretches<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    least: usize,
    work: impl Fn(&[T]) -> R + Sync,
) -> Vec<R> {
    let threads = if threads == 0 { available_threads() } else { threads };
    let stretch = items.len().div_ceil(threads).max(least).max(1);
    if items.len() <= stretch {
        return if items.is_empty() { Vec::new() } else { vec![work(items)] };
    }
    thread::scope(|scope| {
        let workers: Vec<_> = items.chunks(stretch).map(|some| scope.spawn(|| work(some))).collect();
        let joined = workers.into_iter().map(|worker| worker.join());
        joined.map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_whatever_the_threads() {
        let items: Vec<usize> = (0..100).collect();
        for threads in [0, 1, 3, 200] {
            let parts = map_stretches(&items, threads, 1, <[usize]>::to_vec);
            assert_eq!(parts.concat(), items);
        }
        assert!(map_stretches(&[0u8; 0], 2, 1, |_| ()).is_empty());
    }
}
