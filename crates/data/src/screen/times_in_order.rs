//! Times that rise or fall with the row.
//!
//! Of such a time the date itself is not used; month, weekday and hour stay where they come round twice in the rows of each kind,
//! else they tell the place of a row, too, and where they tell something each time ([`super::calendar_parts`]). The same goes for dates
//! in the order of the rows along which labels stop ([`super::labels_stop`]).

use super::calendar_parts::{ONCE_IN_A_HUNDRED, unrepeated};
use super::labels_stop::stop_along_dates;
use super::names_rows::distinct;
use super::row_order::{FEW, LEAST_ROWS, Numbers, is_sorted};
use super::tells_labels::separation;
use super::{ColumnRule, Finding, Look, Screening};
use crate::Label;
use onesided_table::{TimeStyle, Values};

pub(super) const RULE: Screening = Screening {
    rule: ColumnRule {
        name: "times in order",
        finds: "times that are sorted, or follow the rows and tell where labels stop; how late one is is not learned from, and parts of \
                the calendar only where they tell labels each time they come round",
        constants: &[
            ("LEAST_ROWS", LEAST_ROWS as f64),
            ("FEW", FEW as f64),
            ("TELLS_SOMETHING", TELLS_SOMETHING),
            ("ONCE_IN_A_HUNDRED", ONCE_IN_A_HUNDRED),
        ],
        evidence: "benches/tables/README.md (id_trap.py, both orders)",
    },
    look,
};

/// From this area on the order of rows tells something of labels: by chance, few labels among many rows hardly reach it.
const TELLS_SOMETHING: f64 = 0.6;

fn look(look: &Look<'_>, values: &mut Values) -> Option<Finding> {
    let labels = look.labels;
    let Values::Times(times) = values else { return None };
    if look.asked {
        return None;
    }
    let rises = times_rise(&times.seconds, labels, look.blank);
    let dates = labels.filter(|_| !rises && times.style != TimeStyle::Clock);
    let stop = dates.and_then(|labels| stop_along_dates(look.name, &times.seconds, labels));
    if rises || stop.as_ref().is_some_and(|stop| !stop.used) {
        times.in_order = Some(least_spread(&times.seconds, labels));
        times.unrepeated = labels.map_or_else(Vec::new, |labels| unrepeated(&times.seconds, labels));
    }
    let in_order = times.in_order.is_some();
    let area = labels.filter(|_| in_order).and_then(|labels| separation(values, labels));
    if let Values::Times(times) = values {
        times.tells_labels = area.is_some_and(|area| area >= TELLS_SOMETHING);
    }
    stop.map(Finding::Stop)
}

/// Over how many seconds the times of each kind of row spread at least.
fn least_spread(seconds: &[f64], labels: Option<&[Label]>) -> f64 {
    let kinds = [Label::Positive, Label::Unlabeled, Label::Negative];
    let is_of =
        |row: usize, kind: Label| labels.map_or(kind == Label::Unlabeled, |labels| labels[row] == kind);
    let spread = |kind: Label| {
        let of_kind = (0..seconds.len()).filter(|&row| is_of(row, kind) && !seconds[row].is_nan());
        let range = |(low, high): (f64, f64), row: usize| (low.min(seconds[row]), high.max(seconds[row]));
        let (low, high) = of_kind.fold((f64::INFINITY, f64::NEG_INFINITY), range);
        (high >= low).then_some(high - low)
    };
    kinds.into_iter().filter_map(spread).fold(f64::INFINITY, f64::min)
}

/// Whether times, nearly all of them there, rise or fall with the row.
fn times_rise(seconds: &[f64], labels: Option<&[Label]>, blank: usize) -> bool {
    let numbers = Numbers::Double(seconds);
    let rows = numbers.len().saturating_sub(blank);
    let missing = rows.saturating_sub(numbers.present().count());
    let all_different = || distinct(&numbers).len() * 100 >= rows * (100 - FEW);
    rows >= LEAST_ROWS && missing * 100 <= rows * FEW && is_sorted(&numbers, labels, all_different())
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_table::TimeColumn;

    /// Whether times in order tell labels, of 100 rows of which this one in ten is labeled, and then some of the first.
    fn tells(first: usize) -> bool {
        let labels: Vec<Label> = (0..100)
            .map(|row| if row % 10 == 0 || row < first { Label::Positive } else { Label::Unlabeled })
            .collect();
        let seconds = (0..100).map(|row| f64::from(row) * 86_400.0).collect();
        let mut values = Values::Times(TimeColumn::of(seconds, TimeStyle::YearFirst));
        let found = Look { name: "when", labels: Some(&labels), asked: false, is_said: false, blank: 0 };
        look(&found, &mut values);
        let area = separation(&values, &labels).unwrap();
        let Values::Times(times) = values else { panic!("times") };
        assert!(times.in_order.is_some());
        assert_eq!(times.tells_labels, area >= TELLS_SOMETHING, "{area}");
        times.tells_labels
    }

    #[test]
    fn an_order_that_tells_labels_is_told() {
        assert!(!tells(0) && tells(20));
    }

    #[test]
    fn few_rows_and_missing_cells_have_no_order() {
        let rise = |rows: usize, missing: usize| {
            let seconds: Vec<f64> =
                (0..rows).map(|row| if row < missing { f64::NAN } else { row as f64 }).collect();
            times_rise(&seconds, None, 0)
        };
        assert!(rise(LEAST_ROWS, 0) && !rise(LEAST_ROWS - 1, 0));
        assert!(rise(300, 3 * FEW) && !rise(300, 3 * FEW + 1));
    }
}
