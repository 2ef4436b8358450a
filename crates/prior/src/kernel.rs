//! What the estimators on rows share: distances, Gaussian widths, rows split into groups, threads.

use onesided_data::{Matrix, Stream};

/// ‖a − b‖², in eight lanes so that the compiler can use vectors; the order of the sum does not depend on the machine.
pub(crate) fn squared_distance(a: &[f32], b: &[f32]) -> f64 {
    let mut lanes = [0.0f32; 8];
    let (whole_a, whole_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = whole_a.remainder().iter().zip(whole_b.remainder()).map(|(a, b)| (a - b) * (a - b)).sum();
    for (a, b) in whole_a.zip(whole_b) {
        for lane in 0..8 {
            lanes[lane] += (a[lane] - b[lane]) * (a[lane] - b[lane]);
        }
    }
    f64::from(lanes.iter().sum::<f32>() + rest)
}

/// a · b, in eight lanes.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f64 {
    let mut lanes = [0.0f32; 8];
    let (whole_a, whole_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = whole_a.remainder().iter().zip(whole_b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in whole_a.zip(whole_b) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    f64::from(lanes.iter().sum::<f32>() + rest)
}

/// a · b of doubles, in eight lanes.
pub(crate) fn dot_wide(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0f64; 8];
    let (whole_a, whole_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = whole_a.remainder().iter().zip(whole_b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in whole_a.zip(whole_b) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    lanes.iter().sum::<f64>() + rest
}

/// At most `most` row numbers below `rows`, drawn without replacement, in rising order; all of them if they are fewer.
pub(crate) fn sample(rows: usize, most: usize, stream: &mut Stream) -> Vec<usize> {
    let mut all: Vec<usize> = (0..rows).collect();
    if rows > most {
        stream.shuffle(&mut all);
        all.truncate(most);
        all.sort_unstable();
    }
    all
}

/// The median of all pairwise distances of some rows, each with itself included; where half of the pairs are
/// duplicates, the mean distance, and 1 where all rows are.
pub(crate) fn median_distance(rows: &[&[f32]]) -> f64 {
    let mut squares: Vec<f32> = Vec::with_capacity(rows.len() * rows.len());
    for a in rows {
        squares.extend(rows.iter().map(|b| squared_distance(a, b) as f32));
    }
    let mean = squares.iter().map(|&square| f64::from(square).sqrt()).sum::<f64>() / squares.len() as f64;
    let n = squares.len();
    let (below, upper, _) = squares.select_nth_unstable_by(n / 2, f32::total_cmp);
    let upper = f64::from(*upper);
    let lower = if n.is_multiple_of(2) { below.iter().fold(0.0f32, |a, &b| a.max(b)).into() } else { upper };
    let median = ((lower + upper) / 2.0).sqrt();
    match (median > 0.0, mean > 0.0) {
        (true, _) => median,
        (_, true) => mean,
        _ => 1.0,
    }
}

/// Rows split at random into at most `most` groups of nearly equal size.
///
/// Means over rows are resampled by resampling groups: if rows are split at random, the mean of group means has the
/// variance of the mean, at the cost of `most` draws instead of one draw per row. Up to `most` rows each is its own group.
pub(crate) fn split_evenly(rows: usize, most: usize, stream: &mut Stream) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..rows).collect();
    let groups = rows.min(most).max(1);
    if rows > most {
        stream.shuffle(&mut order);
    }
    let mut groups_of_rows = vec![Vec::with_capacity(rows / groups + 1); groups];
    order.into_iter().enumerate().for_each(|(i, row)| groups_of_rows[i % groups].push(row));
    groups_of_rows.iter_mut().for_each(|group| group.sort_unstable());
    groups_of_rows
}

/// `work` on every item, in order, on all cores. Each answer depends on its item alone, so the number of threads changes
/// nothing but the time.
pub(crate) fn parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(16);
    let share = items.len().div_ceil(threads).max(1);
    if items.len() <= share {
        return items.iter().map(work).collect();
    }
    let work = &work;
    std::thread::scope(|scope| {
        let parts: Vec<_> = items
            .chunks(share)
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()))
            .collect();
        parts
            .into_iter()
            .flat_map(|part| part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// References to the rows of `matrix` at `indices`.
pub(crate) fn rows_at<'a>(matrix: &'a Matrix, indices: &[usize]) -> Vec<&'a [f32]> {
    indices.iter().map(|&i| matrix.row(i)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        let a: Vec<f32> = (0..11).map(|i| i as f32).collect();
        let b = vec![1.0f32; 11];
        assert_eq!(squared_distance(&a, &b), (0..11).map(|i| f64::from((i - 1) * (i - 1))).sum::<f64>());
        assert_eq!(dot(&a, &b), 55.0);
        let wide: Vec<f64> = a.iter().map(|&x| f64::from(x)).collect();
        assert_eq!(dot_wide(&wide, &wide), 385.0);
        // Distances of 0, 3 and 4 on a line: three zeros, 1, 1, 3, 3, 4, 4; the fifth of nine is 1.
        assert_eq!(median_distance(&[&[0.0], &[3.0], &[4.0]]), 1.0);
        assert_eq!(median_distance(&[&[2.0], &[2.0]]), 1.0);
    }

    #[test]
    fn groups_hold_every_row_once() {
        let groups = split_evenly(1003, 64, &mut Stream::new(1, "groups"));
        assert_eq!(groups.len(), 64);
        assert!(groups.iter().all(|group| group.len() == 15 || group.len() == 16));
        let mut all: Vec<usize> = groups.concat();
        all.sort_unstable();
        assert_eq!(all, (0..1003).collect::<Vec<_>>());
        assert_eq!(split_evenly(3, 64, &mut Stream::new(1, "groups")), [[0], [1], [2]]);
    }

    #[test]
    fn parallel_keeps_the_order() {
        let items: Vec<u64> = (0..1000).collect();
        assert_eq!(parallel(&items, |x| x * x), items.iter().map(|x| x * x).collect::<Vec<_>>());
        assert!(parallel(&[] as &[u64], |x| *x).is_empty());
    }
}
