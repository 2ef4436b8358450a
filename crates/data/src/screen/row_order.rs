//! What "in the order of the rows" means, in one place.
//!
//! Numbers **are sorted** if they rise or fall from row to row, but for a few jumps where tables were put one below the other: so do
//! row numbers. They **follow the rows** if their ranks and the numbers of the rows are correlated by [`FOLLOWS`] or more: so do
//! dates of a log that is not sorted to the second.

use crate::Label;
use std::cmp::Ordering;

/// Fewer rows than this say nothing of an order.
pub(super) const LEAST_ROWS: usize = 50;
/// The percentage of cells that may be missing, or the same as another.
pub(super) const FEW: usize = 1;
/// The order may start over this many times: tables that were put one below the other.
pub(super) const MOST_JUMPS: usize = 4;
/// Rank correlation with the number of the row.
pub(super) const FOLLOWS: f64 = 0.95;
/// This many rows are looked at first; from this correlation on among them, values may follow the rows.
pub(super) const A_FEW: usize = 200;
pub(super) const MAY_FOLLOW: f64 = 0.9;

/// Numbers of either width.
pub(super) enum Numbers<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

impl Numbers<'_> {
    pub fn len(&self) -> usize {
        match self {
            Numbers::Single(values) => values.len(),
            Numbers::Double(values) => values.len(),
        }
    }

    pub fn at(&self, row: usize) -> f64 {
        match self {
            Numbers::Single(values) => f64::from(values[row]),
            Numbers::Double(values) => values[row],
        }
    }

    pub fn present(&self) -> impl Iterator<Item = f64> {
        (0..self.len()).map(|row| self.at(row)).filter(|value| !value.is_nan())
    }
}

/// Whether numbers are sorted: in the whole table, but for a few jumps where they are all different, or in the rows of each kind.
pub(super) fn is_sorted(numbers: &Numbers, labels: Option<&[Label]>, all_different: bool) -> bool {
    let most = if all_different { MOST_JUMPS.min(numbers.len() / 20) } else { 0 };
    let of_kind = |labels: &[Label], kind: Label| {
        jumps(numbers, (0..labels.len()).filter(|&row| labels[row] == kind)).is_some_and(|jumps| jumps == 0)
    };
    let kinds = [Label::Positive, Label::Unlabeled, Label::Negative];
    jumps(numbers, 0..numbers.len()).is_some_and(|jumps| jumps <= most)
        || labels.is_some_and(|labels| kinds.iter().all(|&kind| of_kind(labels, kind)))
}

/// How often numbers that rise along these rows fall, or the other way round; nothing where they stay the same or jump too
/// often to tell.
fn jumps(numbers: &Numbers, rows: impl Iterator<Item = usize>) -> Option<usize> {
    let (mut rises, mut falls, mut same) = (0usize, 0usize, 0usize);
    let mut last = None;
    for value in rows.map(|row| numbers.at(row)).filter(|value| !value.is_nan()) {
        match last.map(|last: f64| last.total_cmp(&value)) {
            Some(Ordering::Less) => rises += 1,
            Some(Ordering::Greater) => falls += 1,
            Some(Ordering::Equal) => same += 1,
            None => {}
        }
        if rises.min(falls) > MOST_JUMPS {
            return None;
        }
        last = Some(value);
    }
    (same * 100 <= (rises + falls + same) * FEW).then_some(rises.min(falls))
}

/// Whether values follow the rows.
pub(crate) fn follows_rows(value: impl Fn(usize) -> f64, rows: usize) -> bool {
    let sorted = sorted((0..rows).map(|row| (value(row), row)));
    sorted.len() >= LEAST_ROWS && correlation(&sorted).abs() >= FOLLOWS
}

/// Whether they may, by a few that are evenly spread: most columns do not, and sorting all of them would take long.
pub(super) fn may_follow_rows(value: impl Fn(usize) -> f64, rows: usize) -> bool {
    let some = (0..rows).step_by(rows.div_ceil(A_FEW).max(1));
    correlation(&sorted(some.map(|row| (value(row), row)))).abs() >= MAY_FOLLOW
}

/// Values that are there with their rows, ascending; equal ones by row.
pub(super) fn sorted(values: impl Iterator<Item = (f64, usize)>) -> Vec<(f64, usize)> {
    let mut sorted: Vec<(f64, usize)> = values.filter(|(value, _)| !value.is_nan()).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    sorted
}

/// Spearman's correlation of sorted values with the numbers of their rows; equal values have the mean of their ranks.
pub(super) fn correlation(sorted: &[(f64, usize)]) -> f64 {
    let mut by_row: Vec<usize> = sorted.iter().map(|&(_, row)| row).collect();
    by_row.sort_unstable();
    let middle = (sorted.len() as f64 - 1.0) / 2.0;
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for equal in Runs(sorted, 0) {
        let rank = (equal.start + equal.end - 1) as f64 / 2.0 - middle;
        for &(_, row) in &sorted[equal] {
            let place = by_row.partition_point(|&other| other < row) as f64 - middle;
            (xx, xy, yy) = (xx + rank * rank, xy + rank * place, yy + place * place);
        }
    }
    if xx > 0.0 && yy > 0.0 { xy / (xx * yy).sqrt() } else { 0.0 }
}

/// Places of equal values among sorted ones.
struct Runs<'a>(&'a [(f64, usize)], usize);

impl Iterator for Runs<'_> {
    type Item = std::ops::Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.1;
        let value = self.0.get(start)?.0;
        self.1 = start + self.0[start..].iter().take_while(|(other, _)| *other == value).count();
        Some(start..self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A saw of so many teeth of 100 rows each.
    fn teeth(count: usize) -> Vec<f64> {
        (0..100 * count).map(|row| (row % 100 * count + row / 100) as f64).collect()
    }

    #[test]
    fn an_order_may_start_over_a_few_times() {
        let is = |values: &[f64]| is_sorted(&Numbers::Double(values), None, true);
        assert!(is(&teeth(MOST_JUMPS + 1)) && !is(&teeth(MOST_JUMPS + 2)));
        // In short columns, once in 20 rows.
        assert!(is(&teeth(2)[60..120]) && !is(&teeth(2)[90..105]));
        // Where numbers repeat, no jump is one of tables.
        assert!(!is_sorted(&Numbers::Double(&teeth(2)), None, false));
    }

    #[test]
    fn few_cells_may_be_the_same() {
        let same = |times: usize| -> Vec<f64> { (0..1_000).map(|row| row.max(times) as f64).collect() };
        assert!(is_sorted(&Numbers::Double(&same(10 * FEW - 1)), None, false));
        assert!(!is_sorted(&Numbers::Double(&same(10 * FEW + 2)), None, false));
    }

    #[test]
    fn ranks_follow_rows() {
        // Ranks 0.5, 0.5, 2 of rows 0, 1, 2: Σxy = 1.5, Σx² = 1.5, Σy² = 2.
        let rho = correlation(&[(1.0, 0), (1.0, 1), (2.0, 2)]);
        assert!((rho - 1.5 / 3.0f64.sqrt()).abs() < 1e-12, "{rho}");
        // Swapping blocks of a part p of the rows gives 1 - 6 p²: .985, .94 and .625.
        let swapped = |block: usize| move |row: usize| (((row / block) ^ 1) * block + row % block) as f64;
        let rho = |block: usize| correlation(&sorted((0..1_000).map(|row| (swapped(block)(row), row))));
        assert!(rho(50) > FOLLOWS && rho(100) < FOLLOWS && rho(100) > MAY_FOLLOW && rho(250) < MAY_FOLLOW);
        assert!(follows_rows(swapped(50), 1_000) && !follows_rows(swapped(100), 1_000));
        assert!(may_follow_rows(swapped(100), 1_000) && !may_follow_rows(swapped(250), 1_000));
        assert!(
            follows_rows(|row| -(row as f64), LEAST_ROWS) && !follows_rows(|row| row as f64, LEAST_ROWS - 1)
        );
        // A few rows are looked at first.
        let looked = std::cell::Cell::new(0);
        let _ = may_follow_rows(|_| f64::from(looked.replace(looked.get() + 1)), 100 * A_FEW);
        assert_eq!(looked.get(), A_FEW as i32);
    }
}
