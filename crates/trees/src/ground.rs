//! The rows of a tree in this process: histograms by several threads, and rows in the order of the leaves.

use crate::TreesError;
use crate::bins::Binned;
use crate::config::TreesConfig;
use crate::derivatives::Placed;
use crate::grow::{Found, Ground, Side};
use crate::histogram::{Cell, Units, add, minus, plus};
use crate::layout::{Group, Layout};
use crate::levels::Tallies;
use crate::split::{Cut, Here, Search, Split};
use std::cell::RefCell;
use std::ops::Range;

/// Additions below which another thread costs more than it saves (starting one takes tens of microseconds; at a quarter of
/// this, 30,000 rows of 14 columns took longer with two threads than with one).
const WORTH_A_THREAD: usize = 1_000_000;

/// Rows from which two threads put them to both sides of a cut.
const ROWS_WORTH_A_THREAD: usize = 100_000;

/// What a tree is grown from.
pub(crate) struct RowsHere<'g> {
    pub binned: &'g Binned,
    pub layout: &'g Layout<'g>,
    /// Which features may be looked at.
    pub allowed: &'g [bool],
    /// A cell for each place among the training rows.
    pub cells: &'g [Cell],
    pub units: Units,
    pub config: &'g TreesConfig,
    pub threads: usize,
    /// Histograms of nodes that are done with, to be filled again.
    pub pool: &'g RefCell<Vec<Vec<Cell>>>,
    /// Sums over levels that have no bin of their own.
    pub tallies: &'g RefCell<Tallies<Cell>>,
    /// The rows, which are put into the order of the leaves.
    pub rows: &'g mut [Placed],
    /// A list to write on.
    pub right: Vec<Placed>,
}

impl Ground for RowsHere<'_> {
    fn whole(&mut self) -> Result<(usize, Cell), TreesError> {
        let total = self.rows.iter().fold([0; 2], |sum, row| plus(sum, self.cells[row.place as usize]));
        Ok((self.rows.len(), total))
    }

    fn root(&mut self, here: Here) -> Result<Option<Found>, TreesError> {
        let mut histogram = self.empty_histogram();
        let mut parts = [&mut histogram[..]];
        let (layout, of, search, rows) = (self.layout, self.cells, self.search(), &*self.rows);
        let found = self.by_groups(rows.len(), &mut parts, |groups, number, [cells]| {
            add(layout, groups, number, rows, of, cells);
            search.best(groups, cells, here)
        });
        let split = self.or_levels(found.into_iter().fold(None, Split::better), rows, here);
        Ok(split.map(|split| Found { histogram, split }))
    }

    fn part(
        &mut self,
        _node: usize,
        _first: usize,
        span: Range<usize>,
        split: &Split,
    ) -> Result<usize, TreesError> {
        let (binned, feature, cut) = (self.binned, split.feature, &split.cut);
        let (rows, right, threads) = (&mut self.rows[span], &mut self.right, self.threads);
        if let Cut::Levels { .. } = cut {
            let left = |row: u32| binned.goes_left(feature, cut, row);
            return Ok(partition_with_threads(rows, left, right, threads));
        }
        let bins = binned.feature(feature as usize);
        Ok(partition_with_threads(rows, |row| cut.goes_left(bins.at(row)), right, threads))
    }

    fn children(&mut self, all: Vec<Cell>, sides: &[Side; 2]) -> Result<[Option<Found>; 2], TreesError> {
        let mut large = all;
        let first_smaller = sides[0].span.len() <= sides[1].span.len();
        let (of_small, of_large) =
            if first_smaller { (&sides[0], &sides[1]) } else { (&sides[1], &sides[0]) };
        let mut small = self.empty_histogram();
        let (some, others) = (&self.rows[of_small.span.clone()], &self.rows[of_large.span.clone()]);
        let (one, other) = (of_small.here, of_large.here);
        let (layout, of, search) = (self.layout, self.cells, self.search());
        let mut parts = [&mut small[..], &mut large[..]];
        let found = self.by_groups(some.len(), &mut parts, |groups, number, [small, large]| {
            add(layout, groups, number, some, of, small);
            large.iter_mut().zip(&*small).for_each(|(all, &part)| *all = minus(*all, part));
            (search.best(groups, small, one), search.best(groups, large, other))
        });
        let best = found.into_iter().fold((None, None), |so_far, (one, other)| {
            (Split::better(so_far.0, one), Split::better(so_far.1, other))
        });
        let best = (self.or_levels(best.0, some, one), self.or_levels(best.1, others, other));
        let (splits, histograms) = if first_smaller {
            ([best.0, best.1], [small, large])
        } else {
            ([best.1, best.0], [large, small])
        };
        let mut found = splits.into_iter().zip(histograms).map(|(split, histogram)| match split {
            Some(split) => Some(Found { histogram, split }),
            None => {
                self.pool.borrow_mut().push(histogram);
                None
            }
        });
        Ok([found.next().flatten(), found.next().flatten()])
    }

    fn free(&mut self, histogram: Vec<Cell>) {
        self.pool.borrow_mut().push(histogram);
    }
}

impl RowsHere<'_> {
    fn empty_histogram(&self) -> Vec<Cell> {
        let mut histogram = self.pool.borrow_mut().pop().unwrap_or_default();
        histogram.clear();
        histogram.resize(self.layout.cells(), [0; 2]);
        histogram
    }

    fn search(&self) -> Search<'_> {
        Search { binned: self.binned, config: self.config, units: self.units, allowed: self.allowed }
    }

    /// The better of a cut between bins and the best one between levels that have no bin of their own.
    fn or_levels(&self, so_far: Option<Split>, rows: &[Placed], here: Here) -> Option<Split> {
        let mut best = so_far;
        if rows.len() < 2 * self.config.min_child_rows.max(1) {
            return best;
        }
        for feature in self.binned.many_levels().filter(|&feature| self.allowed[feature]) {
            let Some(codes) = self.binned.codes(feature) else { continue };
            let mut tallies = self.tallies.borrow_mut();
            let there = tallies.of(codes, rows.iter().map(|row| (row.row, self.cells[row.place as usize])));
            best = Split::better(best, self.search().levels(feature as u32, there, codes.missing(), here));
        }
        best
    }

    /// Runs `work` over all groups with the cells of each list that are theirs, in several threads where it pays.
    fn by_groups<const LISTS: usize, R: Send>(
        &self,
        rows: usize,
        lists: &mut [&mut [Cell]; LISTS],
        work: impl Fn(&[Group], usize, [&mut [Cell]; LISTS]) -> R + Sync,
    ) -> Vec<R> {
        let groups = &self.layout.groups[..];
        let features: usize = groups.iter().map(|group| group.features.len()).sum();
        let additions = features * rows + LISTS * self.layout.cells();
        let parts = self.threads.min(additions / WORTH_A_THREAD + 1).min(groups.len());
        if parts <= 1 {
            return vec![work(groups, 0, lists.each_mut().map(|list| &mut **list))];
        }
        std::thread::scope(|scope| {
            let mut left: [&mut [Cell]; LISTS] = lists.each_mut().map(|list| &mut **list);
            let mut workers = Vec::with_capacity(parts);
            let mut own = Vec::new();
            for part in even_parts(groups, parts) {
                let (from, some) = (part.start, &groups[part]);
                let cells: usize = some.iter().map(|group| group.cells().len()).sum();
                let halves = left.map(|list| list.split_at_mut(cells));
                let mut mine: [&mut [Cell]; LISTS] = std::array::from_fn(|_| &mut [][..]);
                let mut rest: [&mut [Cell]; LISTS] = std::array::from_fn(|_| &mut [][..]);
                for (at, (here, behind)) in halves.into_iter().enumerate() {
                    (mine[at], rest[at]) = (here, behind);
                }
                left = rest;
                let work = &work;
                // The last part is done here: one thread less to start.
                if workers.len() + 1 < parts {
                    workers.push(scope.spawn(move || work(some, from, mine)));
                } else {
                    own.push(work(some, from, mine));
                }
            }
            let joined = workers.into_iter().map(|worker| worker.join());
            let joined = joined.map(|part| part.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            joined.chain(own).collect()
        })
    }
}

/// Neighboring groups in this many parts, none empty, each ending where its share of all features is nearest.
fn even_parts(groups: &[Group], parts: usize) -> Vec<Range<usize>> {
    let all: usize = groups.iter().map(|group| group.features.len()).sum();
    let (mut ranges, mut end, mut sum) = (Vec::with_capacity(parts), 0, 0);
    for part in 1..=parts {
        let start = end;
        let most = groups.len() - (parts - part);
        while end < most {
            let next = groups[end].features.len();
            // In units of 1 / (2 parts): half of the next group may reach beyond the share.
            if end > start && part < parts && parts * (2 * sum + next) > 2 * part * all {
                break;
            }
            (end, sum) = (end + 1, sum + next);
        }
        ranges.push(start..end);
    }
    ranges
}

/// [`partition`] of many rows: two threads take a half each, and the right of the first half changes places with the left of
/// the second.
fn partition_with_threads(
    rows: &mut [Placed],
    left: impl Fn(u32) -> bool + Sync,
    right: &mut Vec<Placed>,
    threads: usize,
) -> usize {
    if threads < 2 || rows.len() < ROWS_WORTH_A_THREAD {
        return partition(rows, |row| row.row, left, right);
    }
    let left = &left;
    let middle = rows.len() / 2;
    let (first, second) = rows.split_at_mut(middle);
    let (of_first, of_second) = std::thread::scope(|scope| {
        let other = scope.spawn(|| partition(second, |row| row.row, left, &mut Vec::new()));
        let own = partition(first, |row| row.row, left, right);
        (own, other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    rows[of_first..middle + of_second].rotate_left(middle - of_first);
    of_first + of_second
}

/// Puts the rows that go left before the others, each side in its old order; returns how many go left. `right` is a list to
/// write on.
pub(crate) fn partition<T: Copy>(
    rows: &mut [T],
    row_of: impl Fn(T) -> u32,
    left: impl Fn(u32) -> bool,
    right: &mut Vec<T>,
) -> usize {
    let Some(&first) = rows.first() else { return 0 };
    right.clear();
    right.resize(rows.len(), first);
    let (mut kept, mut moved) = (0, 0);
    for i in 0..rows.len() {
        let row = rows[i];
        let left = left(row_of(row));
        // Written to both sides and counted on one: no branch that could be guessed wrongly.
        rows[kept] = row;
        right[moved] = row;
        kept += usize::from(left);
        moved += usize::from(!left);
    }
    rows[kept..].copy_from_slice(&right[..moved]);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{Matrix, Stream};

    #[test]
    fn parts_have_about_as_many_features_each() {
        let groups = |features: &[usize]| -> Vec<Group> {
            features.iter().map(|&many| Group { features: vec![0; many], stride: 4, start: 0 }).collect()
        };
        assert_eq!(even_parts(&groups(&[7, 8, 8, 8, 8, 8, 3]), 2), [0..3, 3..7]);
        assert_eq!(even_parts(&groups(&[2, 8, 4]), 2), [0..2, 2..3]);
        assert_eq!(even_parts(&groups(&[1, 1, 8]), 3), [0..1, 1..2, 2..3]);
        assert_eq!(even_parts(&groups(&[8, 1, 1]), 3), [0..1, 1..2, 2..3]);
        assert_eq!(even_parts(&groups(&[8; 5]), 5).len(), 5);
    }

    #[test]
    fn two_threads_put_rows_in_the_order_of_one() {
        let many = ROWS_WORTH_A_THREAD + 77;
        let mut stream = Stream::new(5, "rows");
        let values: Vec<f32> = (0..many).map(|_| stream.normal() as f32).collect();
        let binned = crate::Binned::new(&Matrix::new(many, 1, values).unwrap()).unwrap();
        let cut = Cut::After { bin: 80, missing: 255, missing_left: false };
        let mut one: Vec<Placed> = (0..many as u32).rev().map(|row| Placed { row, place: row }).collect();
        let mut two = one.clone();
        let left = |row: u32| binned.goes_left(0, &cut, row);
        let of_one = partition(&mut one, |row| row.row, left, &mut Vec::new());
        let of_two = partition_with_threads(&mut two, left, &mut Vec::new(), 2);
        assert!(of_one > many / 5 && of_one < many / 2);
        let rows = |of: &[Placed]| of.iter().map(|row| row.row).collect::<Vec<u32>>();
        assert!(of_one == of_two && rows(&one) == rows(&two));
    }
}
