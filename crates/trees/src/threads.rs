//! Work shared among threads.

use crate::config::workers;

/// Fills stretches of a list, one per thread, given where each begins.
pub(crate) fn in_threads<T: Send>(
    list: &mut [T],
    threads: usize,
    worth: usize,
    fill: impl Fn(&mut [T], usize) + Sync,
) {
    // To ask how many threads there are takes longer than a short list.
    let most = list.len() / worth + 1;
    let parts = if most == 1 { 1 } else { workers(threads).min(most) };
    if parts == 1 {
        return fill(list, 0);
    }
    let share = list.len().div_ceil(parts);
    std::thread::scope(|scope| {
        for (number, some) in list.chunks_mut(share).enumerate() {
            let fill = &fill;
            scope.spawn(move || fill(some, number * share));
        }
    });
}
