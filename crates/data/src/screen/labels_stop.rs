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

use super::row_order::{FOLLOWS, MAY_FOLLOW, Numbers, correlation, may_follow_rows, sorted};
use super::{ColumnRule, Finding};
use crate::Label;
use onesided_table::{Exact, Values};
use serde::{Deserialize, Serialize};

/// Numbers along which labels stop; dates are shown to [`stop_along_dates`] by the rule about times.
pub(super) const RULE: ColumnRule = ColumnRule {
    name: "labels stop",
    finds: "dates, or numbers that follow the rows, beyond a point of which hardly a row is labeled; named in a warning, and such dates in \
            the order of rows are not learned from",
    constants: &[
        ("LEAST_SHARE", LEAST_SHARE),
        ("HARDLY", HARDLY),
        ("EXPECTED", EXPECTED),
        ("NEXT_TO_IT", NEXT_TO_IT),
        ("NEARLY_ALL_OF_IT", NEARLY_ALL_OF_IT),
        ("FOLLOWS", FOLLOWS),
        ("MAY_FOLLOW", MAY_FOLLOW),
        ("MOST_ROWS", MOST_ROWS as f64),
    ],
    evidence: "benches/tables/README.md (labels that stop)",
    look: |look, values| {
        let labels = look.labels.filter(|_| !look.asked)?;
        let stop = match values {
            Values::Numeric(values) => stop_along_numbers(look.name, &Numbers::Single(values), labels),
            Values::Wide(values) => stop_along_numbers(look.name, &Numbers::Double(values), labels),
            _ => None,
        };
        stop.map(Finding::Stop)
    },
};

/// The point of a column beyond which hardly a row is labeled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
struct Cut {
    /// The last value with labels, or the first.
    pub at: f64,
    /// Whether labels stop there.
    pub stops: bool,
    /// Whether values are in the order of the rows.
    pub in_order: bool,
}

/// Rows that are looked at: all, or this many that are evenly spread.
const MOST_ROWS: usize = 100_000;
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
/// Where labels stop or begin, if they do.
fn cut(value: impl Fn(usize) -> f64, labels: &[Label]) -> Option<Cut> {
    let step = labels.len().div_ceil(MOST_ROWS).max(1);
    let rows = (0..labels.len()).step_by(step).filter(|&row| labels[row] != Label::Negative);
    let sorted = sorted(rows.map(|row| (value(row), row)));
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
        in_order: correlation(&sorted).abs() >= FOLLOWS,
    })
}

/// Rows beyond a cut and how many of them are labeled, and the same of the others.
fn counts(cut: &Cut, value: impl Fn(usize) -> f64, labels: &[Label]) -> [usize; 4] {
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

/// Where labels stop along dates.
pub(super) fn stop_along_dates(name: &str, seconds: &[f64], labels: &[Label]) -> Option<LabelStop> {
    let cut = cut(|row| seconds[row], labels)?;
    let at = Exact::of((cut.at * 1e6).round() as i64, 1_000_000).written(false);
    Some(stop(name, at, !cut.in_order, &cut, |row| seconds[row], labels))
}

/// Where labels stop along numbers that follow the rows.
fn stop_along_numbers(name: &str, numbers: &Numbers, labels: &[Label]) -> Option<LabelStop> {
    let value = |row| numbers.at(row);
    if !may_follow_rows(value, numbers.len()) {
        return None;
    }
    let cut = cut(value, labels).filter(|cut| cut.in_order)?;
    Some(stop(name, cut.at.to_string(), true, &cut, value, labels))
}

fn stop(
    name: &str,
    at: String,
    used: bool,
    cut: &Cut,
    value: impl Fn(usize) -> f64,
    labels: &[Label],
) -> LabelStop {
    let [rows, labeled, other_rows, other_labeled] = counts(cut, value, labels);
    LabelStop {
        column: name.to_string(),
        at,
        stops: cut.stops,
        rows,
        labeled,
        other_rows,
        other_labeled,
        used,
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
    }

    /// 1,000 rows in their order, of which one of `every` is labeled up to this one and at least `few` of 1,000 beyond it.
    fn stops(up_to: usize, every: usize, beyond: impl Fn(usize) -> bool) -> bool {
        let is_labeled = |row: usize| if row < up_to { row.is_multiple_of(every) } else { beyond(row) };
        let labels: Vec<Label> = (0..1_000).map(|row| if is_labeled(row) { P } else { U }).collect();
        cut(|row| row as f64, &labels).is_some_and(|cut| cut.stops)
    }

    #[test]
    fn each_bound_is_where_it_is_said_to_be() {
        let share = |share: f64| ((1.0 - share) * 1_000.0) as usize;
        assert!(
            stops(share(LEAST_SHARE + 0.02), 2, |_| false) && !stops(share(LEAST_SHARE - 0.02), 2, |_| false)
        );
        // Half of the first rows are labeled; a part of that beyond.
        let part = |part: f64| {
            move |row: usize| ((row as f64 * part / 2.0) as usize) != ((row + 1) as f64 * part / 2.0) as usize
        };
        assert!(stops(500, 2, part(0.8 * HARDLY)) && !stops(500, 2, part(1.4 * HARDLY)));
        // So many were to be expected in the second half.
        assert!(stops(500, (500.0 / (1.2 * EXPECTED)) as usize, |_| false));
        assert!(!stops(500, (500.0 / (0.8 * EXPECTED)) as usize, |_| false));
        // Labels thin out before the cut to this part of what they were: next to it they are 1.3 times that part of all others.
        let thinner = |end: f64| {
            let sum = |row: usize| 0.5 * row as f64 * (1.0 - (1.0 - end) * row as f64 / 1_000.0);
            let is_labeled = |row: usize| row < 500 && sum(row + 1).floor() > sum(row).floor();
            let labels: Vec<Label> = (0..1_000).map(|row| if is_labeled(row) { P } else { U }).collect();
            cut(|row| row as f64, &labels).is_some_and(|cut| (cut.at - 499.0).abs() < 10.0)
        };
        let found = 500 - (500.0 * NEXT_TO_IT) as usize;
        assert!(found == 400 && thinner(1.2 * NEARLY_ALL_OF_IT));
    }

    #[test]
    fn long_tables_are_looked_at_in_part() {
        let labels = vec![U; 3 * MOST_ROWS];
        let looked = std::cell::Cell::new(0);
        let _ = cut(
            |row| {
                looked.set(looked.get() + 1);
                row as f64
            },
            &labels,
        );
        assert!(looked.get() <= MOST_ROWS, "{}", looked.get());
    }
}
