//! Columns that tell when rows were labeled.
//!
//! Somebody labels the rows of the first half of a year and then stops. From there on hardly a row is labeled, whatever it is. A
//! model that learns how late a row is learns this, its AUC of labeled against unlabeled rows is high, and on new rows the date
//! is worth nothing. Two things together give it away:
//!
//! * the labeled share falls to a tenth or less at one point (the cut with the largest likelihood ratio of two shares to one),
//!   for at least a tenth of the rows, where 20 labeled rows or more were to be expected;
//! * it falls at once: among the fifth of the other rows that is next to the cut it is at least half of what it is among all of
//!   them. What truly depends on a date or a number falls off bit by bit.
//!
//! Dates that are in the order of the rows are then not learned from as such, and other dates are named in a warning. So are
//! numbers in the order of the rows; other numbers may well have a sharp bound for a reason.

use crate::Label;
use serde::Serialize;

/// The point of a column beyond which hardly a row is labeled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LabelStop {
    /// The column.
    pub column: String,
    /// The last value with labels, or the first, as tables have it: a date or a number.
    pub at: String,
    /// Whether labels stop there, rather than begin.
    pub stops: bool,
    /// How many rows are beyond.
    pub rows: usize,
    /// How many of those are labeled.
    pub labeled: usize,
    /// How many rows are not beyond.
    pub other_rows: usize,
    /// How many of these are labeled.
    pub other_labeled: usize,
    /// Whether the column is learned from all the same.
    pub used: bool,
}

/// A point found in the values of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cut {
    /// The last value with labels, or the first.
    pub at: f64,
    /// Whether labels stop there.
    pub stops: bool,
    /// Whether values are in the order of the rows.
    pub in_order: bool,
}

/// Rows that are looked at: all, or this many that are evenly spread.
const ENOUGH: usize = 100_000;
/// The least share of rows beyond the cut, and of the others.
const LEAST_SHARE: f64 = 0.1;
/// The labeled share beyond it, as a part of that of the others, at most.
const HARDLY: f64 = 0.1;
/// The labeled rows that were to be expected there, at least.
const EXPECTED: f64 = 20.0;
/// The part of the other rows that is next to the cut,
const NEXT_TO_IT: f64 = 0.2;
/// and the least labeled share there, as a part of that of all others.
const NEARLY_ALL_OF_IT: f64 = 0.5;
/// The rank correlation with the number of the row from which values are in the order of rows.
const IN_ORDER: f64 = 0.95;
/// This many rows are looked at first; from this correlation on among them, values may be in that order.
const A_FEW: usize = 200;
const MAY_BE: f64 = 0.9;

/// Where labels stop or begin, if they do.
pub(super) fn cut(value: impl Fn(usize) -> f64, labels: &[Label]) -> Option<Cut> {
    let step = labels.len().div_ceil(ENOUGH).max(1);
    let rows = (0..labels.len()).step_by(step).filter(|&row| labels[row] != Label::Negative);
    let rows = rows.map(|row| (value(row), row)).filter(|(value, _)| !value.is_nan());
    let mut sorted: Vec<(f64, usize)> = rows.collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let labeled: Vec<bool> = sorted.iter().map(|&(_, row)| labels[row] == Label::Positive).collect();
    let mut before = vec![0usize; sorted.len() + 1];
    for (at, &one) in labeled.iter().enumerate() {
        before[at + 1] = before[at] + usize::from(one);
    }
    let (all, rows) = (*before.last()?, sorted.len());
    let least = (LEAST_SHARE * rows as f64).ceil() as usize;
    // Equal values are on one side.
    let places = (least.max(1)..rows.saturating_sub(least) + 1)
        .filter(|&at| at < rows && sorted[at - 1].0 < sorted[at].0);
    let gain = |at: usize| likelihood(before[at], at) + likelihood(all - before[at], rows - at);
    let at = places.map(|at| (at, gain(at))).max_by(|a, b| a.1.total_cmp(&b.1))?.0;
    let share = |from: usize, to: usize| (before[to] - before[from]) as f64 / (to - from).max(1) as f64;
    let (below, above) = (share(0, at), share(at, rows));
    let stops = above < below;
    let (few, many, beyond) = if stops { (above, below, rows - at) } else { (below, above, at) };
    let next = ((NEXT_TO_IT * (rows - beyond) as f64).ceil() as usize).max(1);
    let near = if stops { share(at - next, at) } else { share(at, at + next) };
    let falls = few <= HARDLY * many && many * beyond as f64 >= EXPECTED && near >= NEARLY_ALL_OF_IT * many;
    falls.then(|| Cut {
        at: sorted[if stops { at - 1 } else { at }].0,
        stops,
        in_order: rank_correlation(&sorted).abs() >= IN_ORDER,
    })
}

/// Whether values may be in the order of the rows, by a few that are evenly spread.
pub(super) fn may_be_in_order(value: impl Fn(usize) -> f64, rows: usize) -> bool {
    let some = (0..rows).step_by(rows.div_ceil(A_FEW).max(1)).map(|row| (value(row), row));
    let mut sorted: Vec<(f64, usize)> = some.filter(|(value, _)| !value.is_nan()).collect();
    sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    rank_correlation(&sorted).abs() >= MAY_BE
}

/// Rows beyond a cut and how many of them are labeled, and the same of the others.
pub(super) fn counts(cut: &Cut, value: impl Fn(usize) -> f64, labels: &[Label]) -> [usize; 4] {
    let mut counts = [0; 4];
    for (row, label) in labels.iter().enumerate().filter(|(_, label)| **label != Label::Negative) {
        let value = value(row);
        if value.is_nan() {
            continue;
        }
        let beyond = if cut.stops { value > cut.at } else { value < cut.at };
        let place = if beyond { 0 } else { 2 };
        counts[place] += 1;
        counts[place + 1] += usize::from(*label == Label::Positive);
    }
    counts
}

/// The logarithm of the largest likelihood of this many labeled ones of this many rows.
fn likelihood(labeled: usize, rows: usize) -> f64 {
    let part = |count: usize| match count {
        0 => 0.0,
        count => count as f64 * (count as f64 / rows as f64).ln(),
    };
    part(labeled) + part(rows - labeled)
}

/// Spearman's correlation of sorted values with the numbers of their rows; equal values have the mean of their ranks.
fn rank_correlation(sorted: &[(f64, usize)]) -> f64 {
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
    use Label::{Positive as P, Unlabeled as U};

    /// 1,000 rows of 100 days, ten a day, and labels by day and row.
    fn found(is_labeled: impl Fn(usize, usize) -> bool) -> Option<Cut> {
        let labels: Vec<Label> =
            (0..1_000).map(|row| if is_labeled(row / 10, row) { P } else { U }).collect();
        cut(|row| (row / 10) as f64, &labels)
    }

    #[test]
    fn labels_that_stop_at_a_day_are_found() {
        let half = found(|day, row| day < 50 && row % 5 == 0);
        assert_eq!(half, Some(Cut { at: 49.0, stops: true, in_order: true }));
        // A few were labeled later on: 1 of 50 rows, against 10.
        let strays = found(|day, row| row % 5 == 0 && (day < 50 || row % 50 == 25));
        assert_eq!(strays, Some(Cut { at: 49.0, stops: true, in_order: true }));
        let late = found(|day, row| day >= 30 && row % 5 == 0);
        assert_eq!(late, Some(Cut { at: 30.0, stops: false, in_order: true }));
        let labels: Vec<Label> =
            (0..1_000).map(|row| if row < 500 && row % 5 == 0 { P } else { U }).collect();
        assert_eq!(counts(&half.unwrap(), |row| (row / 10) as f64, &labels), [500, 0, 500, 100]);
    }

    #[test]
    fn labels_that_are_spread_or_fade_are_not() {
        assert_eq!(found(|_, row| row % 5 == 0), None);
        // One of five rows of the first day, and fewer from day to day, none from the 60th on.
        assert_eq!(found(|day, row| day < 60 && row % 10 < (60 - day) / 15), None);
        // Half as many are not a stop.
        assert_eq!(found(|day, row| row % 10 == 0 || day < 50 && row % 5 == 0), None);
        // The last twentieth is not long, and 19 labeled rows are too few to expect more.
        assert_eq!(found(|day, row| day < 95 && row % 5 == 0), None);
        assert_eq!(found(|day, row| day < 50 && row % 50 == 0 && row > 0), None);
    }

    #[test]
    fn values_in_another_order_than_the_rows_are_told() {
        let labels: Vec<Label> =
            (0..1_000).map(|row| if row * 7 % 100 < 50 && row % 5 == 0 { P } else { U }).collect();
        let found = cut(|row| (row * 7 % 100) as f64, &labels).unwrap();
        assert!(found.stops && !found.in_order, "{found:?}");
        // Ranks 0.5, 0.5, 2 of rows 0, 1, 2: Σxy = 1.5, Σx² = 1.5, Σy² = 2.
        let rho = rank_correlation(&[(1.0, 0), (1.0, 1), (2.0, 2)]);
        assert!((rho - 1.5 / 3.0f64.sqrt()).abs() < 1e-12, "{rho}");
    }
}
