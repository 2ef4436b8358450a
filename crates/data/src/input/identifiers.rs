//! Numbers that name rows and do not describe them.
//!
//! Where positives were exported first, a number that rises with the row tells labeled rows from unlabeled ones perfectly,
//! and says nothing of new rows. A column of whole numbers, a different one in every row, is left out if one of these holds:
//!
//! * it rises or falls with the row, in the order of the table or within each kind of row, but for a few jumps where
//!   tables were put one below the other;
//! * its name says that it is an identifier;
//! * its numbers fill half of their range or more, as row numbers do in any order, or lie in it as evenly as random ones;
//! * it alone tells labeled rows from unlabeled ones.
//!
//! Random numbers tell nothing, but learned from they cost an AUC of .003 on average and .01 at worst (eight tables of
//! `benches/tables`, by `id_trap.py`). Measurements that are whole numbers, all different (incomes in cents, inhabitants), are
//! skewed or heaped, and none of that unless the table is sorted by them; a column that was asked for stays.
//! Of a time that rises with the row the date itself is not used; month, weekday and hour stay where they come round twice in
//! the rows of each kind, else they tell the place of a row, too, and where they tell something each time ([`super::rounds`]).
//! The same goes for dates in the order of the rows along which labels stop ([`super::labels_stop`]).

use super::InputOptions;
use super::labels_stop::{LabelStop, counts, cut, may_be_in_order};
use super::leaks::{TELLS_APART, separation};
use super::rounds::unrepeated;
use crate::{Frame, Label};
use onesided_table::{Exact, TimeStyle};
use onesided_table::{LeftOut, Values, WhyLeftOut};

/// Fewer rows than this say nothing of an order.
const LEAST_ROWS: usize = 50;

/// Fewer numbers than this are even by chance.
const ROWS_FOR_EVEN: usize = 200;

/// The percentage of cells that may be missing, or the same as another.
const FEW: usize = 1;

/// Rows that are looked at before all are.
const FIRST_ROWS: usize = 1_000;

/// This many different values name things rather than kinds of things.
const MANY_IDS: usize = 50;

/// The order may start over this many times: tables that were put one below the other.
const MOST_JUMPS: usize = 4;

/// From this area on the order of rows tells something of labels: by chance, few labels among many rows hardly reach it.
const TELLS_SOMETHING: f64 = 0.6;

/// Takes the columns that name rows out of a table, and tells where labels stop along the others.
pub(super) fn take_out(
    options: &InputOptions,
    frame: &mut Frame,
    labels: Option<&[Label]>,
) -> Vec<LabelStop> {
    let mut stops = Vec::new();
    let asked = |name: &String| {
        [&options.numeric, &options.date, &options.only].iter().any(|names| names.contains(name))
    };
    for column in frame.columns.iter_mut().filter(|column| !asked(&column.name)) {
        if let Values::Times(times) = &mut column.values {
            let rises = times_rise(&times.seconds, labels);
            let dates = labels.filter(|_| !rises && times.style != TimeStyle::Clock);
            let numbers = Numbers::Double(&times.seconds);
            let stop = dates.and_then(|labels| stop_of(&column.name, &numbers, true, labels));
            if rises || stop.as_ref().is_some_and(|stop| !stop.used) {
                times.in_order = Some(least_spread(&times.seconds, labels));
                times.unrepeated = labels.map_or_else(Vec::new, |labels| unrepeated(&times.seconds, labels));
            }
            let area = labels.and_then(|labels| separation(&column.values, labels));
            if let Values::Times(times) = &mut column.values {
                times.tells_labels =
                    times.in_order.is_some() && area.is_some_and(|area| area >= TELLS_SOMETHING);
            }
            stops.extend(stop);
        }
    }
    let mut left_out = Vec::new();
    frame.columns.retain(|column| {
        let why = if asked(&column.name) { None } else { names_rows(&column.name, &column.values, labels) };
        left_out.extend(why.map(|why| LeftOut { column: column.name.clone(), why }));
        why.is_none()
    });
    frame.left_out.extend(left_out);
    let others = frame.columns.iter().filter(|column| !asked(&column.name));
    stops.extend(others.filter_map(|column| match &column.values {
        Values::Numeric(values) => stop_of(&column.name, &Numbers::Single(values), false, labels?),
        Values::Wide(values) => stop_of(&column.name, &Numbers::Double(values), false, labels?),
        _ => None,
    }));
    stops
}

/// Where labels stop along a column: along any dates, and along numbers in the order of the rows.
fn stop_of(name: &str, numbers: &Numbers, dates: bool, labels: &[Label]) -> Option<LabelStop> {
    // Most numbers are not, and sorting all of them would take long.
    if !dates && !may_be_in_order(|row| numbers.at(row), numbers.len()) {
        return None;
    }
    let cut = cut(|row| numbers.at(row), labels).filter(|cut| dates || cut.in_order)?;
    let [rows, labeled, other_rows, other_labeled] = counts(&cut, |row| numbers.at(row), labels);
    let at = if dates {
        Exact::of((cut.at * 1e6).round() as i64, 1_000_000).written(false)
    } else {
        cut.at.to_string()
    };
    let (column, stops, used) = (name.to_string(), cut.stops, !(dates && cut.in_order));
    Some(LabelStop { column, at, stops, rows, labeled, other_rows, other_labeled, used })
}

/// Columns that are called like identifiers and have many values, each in several rows: customers, places, batches. Nothing
/// tells whether they describe a row or name what it belongs to.
pub(super) fn called_ids(options: &InputOptions, frame: &Frame) -> Vec<String> {
    let asked = |name: &String| {
        let lists = [&options.numeric, &options.categorical, &options.date, &options.only, &options.text];
        lists.iter().any(|names| names.contains(name))
    };
    let many = |values: &Values| match values {
        Values::Numeric(values) => is_many(&Numbers::Single(values)),
        Values::Wide(values) => is_many(&Numbers::Double(values)),
        Values::Categorical { levels, .. } => levels.len() >= MANY_IDS,
        _ => false,
    };
    let found = frame
        .columns
        .iter()
        .filter(|column| !asked(&column.name) && is_name_of_identifier(&column.name) && many(&column.values));
    found.map(|column| column.name.clone()).collect()
}

fn is_many(numbers: &Numbers) -> bool {
    nearly_all_whole(numbers) && distinct(numbers).len() >= MANY_IDS
}

/// Why a column names rows, if it does.
fn names_rows(name: &str, values: &Values, labels: Option<&[Label]>) -> Option<WhyLeftOut> {
    let numbers = match values {
        Values::Numeric(values) => Numbers::Single(values),
        Values::Wide(values) => Numbers::Double(values),
        _ => return None,
    };
    let rows = numbers.len();
    if rows < LEAST_ROWS || !nearly_all_whole(&numbers) {
        return None;
    }
    let different = distinct(&numbers);
    let all_different = different.len() * 100 >= rows * (100 - FEW);
    if in_order(&numbers, labels, all_different) {
        return Some(WhyLeftOut::RowOrder);
    }
    let filled = || fills_range(&different) || is_even(&different);
    let tells = || labels.and_then(|labels| separation(values, labels)).is_some_and(|auc| auc >= TELLS_APART);
    (all_different && (filled() || is_name_of_identifier(name) || tells())).then_some(WhyLeftOut::Key)
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
fn times_rise(seconds: &[f64], labels: Option<&[Label]>) -> bool {
    let numbers = Numbers::Double(seconds);
    let (rows, missing) = (numbers.len(), numbers.len() - numbers.present().count());
    let all_different = || distinct(&numbers).len() * 100 >= rows * (100 - FEW);
    rows >= LEAST_ROWS && missing * 100 <= rows * FEW && in_order(&numbers, labels, all_different())
}

/// Numbers of either width.
enum Numbers<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

impl Numbers<'_> {
    fn len(&self) -> usize {
        match self {
            Numbers::Single(values) => values.len(),
            Numbers::Double(values) => values.len(),
        }
    }

    fn at(&self, row: usize) -> f64 {
        match self {
            Numbers::Single(values) => f64::from(values[row]),
            Numbers::Double(values) => values[row],
        }
    }

    fn present(&self) -> impl Iterator<Item = f64> {
        (0..self.len()).map(|row| self.at(row)).filter(|value| !value.is_nan())
    }
}

/// Whether nearly every cell is there, and those are whole numbers.
fn nearly_all_whole(numbers: &Numbers) -> bool {
    let mut there = 0;
    for value in numbers.present() {
        if value.fract() != 0.0 {
            return false;
        }
        there += 1;
    }
    (numbers.len() - there) * 100 <= numbers.len() * FEW
}

/// Whether numbers rise or fall with the row: in the whole table, but for a few jumps where they are all different, or in
/// the rows of each kind.
fn in_order(numbers: &Numbers, labels: Option<&[Label]>, all_different: bool) -> bool {
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
            Some(std::cmp::Ordering::Less) => rises += 1,
            Some(std::cmp::Ordering::Greater) => falls += 1,
            Some(std::cmp::Ordering::Equal) => same += 1,
            None => {}
        }
        if rises.min(falls) > MOST_JUMPS {
            return None;
        }
        last = Some(value);
    }
    (same * 100 <= (rises + falls + same) * FEW).then_some(rises.min(falls))
}

/// The different numbers, ascending; those of the first rows where many of these repeat.
fn distinct(numbers: &Numbers) -> Vec<f64> {
    let of = |most: usize| {
        let mut sorted: Vec<f64> = numbers.present().take(most).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.dedup();
        sorted
    };
    // Most columns are none of this, and sorting all their numbers would take long.
    let first = of(FIRST_ROWS);
    if first.len() * 10 < FIRST_ROWS.min(numbers.len()) * 9 { first } else { of(usize::MAX) }
}

/// Whether at least every second whole number between the least and the largest is there.
fn fills_range(sorted: &[f64]) -> bool {
    let (Some(low), Some(high)) = (sorted.first(), sorted.last()) else { return false };
    high - low + 1.0 <= 2.0 * sorted.len() as f64
}

/// Whether numbers lie as evenly between the least and the largest as random ones do: 99 of 100 samples of uniform numbers
/// have a distance of Kolmogorov and Smirnov below 1.63 / √n.
fn is_even(sorted: &[f64]) -> bool {
    let (Some(low), Some(high)) = (sorted.first(), sorted.last()) else { return false };
    let n = sorted.len() as f64;
    let off = |(at, x): (usize, &f64)| ((at as f64 + 0.5) / n - (x - low) / (high - low)).abs();
    let distance = sorted.iter().enumerate().map(off).fold(0.0, f64::max);
    sorted.len() >= ROWS_FOR_EVEN && distance * n.sqrt() < 1.63
}

/// Words that identifiers are called by, as words by themselves.
const WORDS: [&str; 29] = [
    "id",
    "ids",
    "identifier",
    "uuid",
    "guid",
    "key",
    "pk",
    "sk",
    "nr",
    "no",
    "num",
    "number",
    "nummer",
    "index",
    "idx",
    "row",
    "rows",
    "rownum",
    "record",
    "serial",
    "ref",
    "reference",
    "unnamed",
    "ssn",
    "account",
    "konto",
    "rowid",
    "objectid",
    "oid",
];

/// What is known by an identifier, where `id` follows at once: `userid`.
const KNOWN_BY_ID: [&str; 24] = [
    "user",
    "customer",
    "client",
    "passenger",
    "patient",
    "person",
    "member",
    "order",
    "item",
    "product",
    "case",
    "record",
    "row",
    "account",
    "student",
    "employee",
    "transaction",
    "trans",
    "session",
    "event",
    "ticket",
    "loan",
    "policy",
    "sample",
];

/// Whether a name says that a column identifies rows: `customer_id`, `PassengerId`, `Unnamed: 0`.
fn is_name_of_identifier(name: &str) -> bool {
    let words = words_of(name);
    words.iter().any(|word| {
        let of_something = word.strip_suffix("id").is_some_and(|of| KNOWN_BY_ID.contains(&of));
        WORDS.contains(&word.as_str()) || of_something
    })
}

/// The words of a name, in lower case: what signs or a change from lower to upper case separate.
fn words_of(name: &str) -> Vec<String> {
    let (mut words, mut lower_before) = (vec![String::new()], false);
    for letter in name.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && lower_before) {
            words.push(String::new());
        }
        if letter.is_alphabetic()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        lower_before = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    fn numeric(values: impl Iterator<Item = f64>) -> Values {
        Values::Numeric(values.map(|value| value as f32).collect())
    }

    /// A permutation of 0 to 199.
    fn shuffled() -> Vec<f64> {
        let mut values: Vec<f64> = (0..200).map(f64::from).collect();
        Stream::new(0, "ids").shuffle(&mut values);
        values
    }

    #[test]
    fn identifiers_that_repeat_are_named() {
        let whole = |of: fn(usize) -> usize| Values::Numeric((0..600).map(|row| of(row) as f32).collect());
        let columns = [
            ("customer_id", whole(|row| row * 7 % 100)),
            // Few values are kinds, and others are called something else.
            ("type_id", whole(|row| row % 12)),
            ("age", whole(|row| row * 7 % 100)),
        ];
        let column = |(name, values)| crate::Column { name: String::from(name), values };
        let frame = Frame::new(columns.map(column).into()).unwrap();
        assert_eq!(called_ids(&InputOptions::default(), &frame), ["customer_id"]);
        let asked = InputOptions { numeric: vec!["customer_id".to_string()], ..InputOptions::default() };
        assert_eq!(called_ids(&asked, &frame), Vec::<String>::new());
    }

    #[test]
    fn names_are_read_word_by_word() {
        for name in
            ["id", "ID", "customer_id", "PassengerId", "Unnamed: 0", "userid", "Kunden-Nr.", "row number"]
        {
            assert!(is_name_of_identifier(name), "{name}");
        }
        for name in ["paid", "bid", "valid", "income", "Width", "acid level", "idea", "keyboard"] {
            assert!(!is_name_of_identifier(name), "{name}");
        }
    }

    #[test]
    fn what_rises_or_falls_with_the_row_is_left_out() {
        let rising = numeric((0..200).map(|i| f64::from(7 * i + i % 3)));
        assert_eq!(names_rows("x", &rising, None), Some(WhyLeftOut::RowOrder));
        let falling = numeric((0..200).map(|i| f64::from(1_000 - 3 * i)));
        assert_eq!(names_rows("x", &falling, None), Some(WhyLeftOut::RowOrder));
        // Three tables, one below the other.
        let stacked = numeric((0..210).map(|i| f64::from(13 * (i % 70) + i / 70)));
        assert_eq!(names_rows("x", &stacked, None), Some(WhyLeftOut::RowOrder));
        // The same numbers again and again describe, such as the day of the month.
        let days = numeric((0..112).map(|i| f64::from(1 + i % 28)));
        assert_eq!(names_rows("x", &days, None), None);
        // Fractions are measurements, and few rows say nothing.
        assert_eq!(names_rows("x", &numeric((0..200).map(|i| f64::from(i) / 2.0)), None), None);
        assert_eq!(names_rows("x", &numeric((0..40).map(f64::from)), None), None);
    }

    #[test]
    fn an_order_within_each_kind_of_row_counts() {
        // Labeled rows have their own range, and rows are mixed.
        let labels: Vec<Label> =
            (0..200).map(|i| if i % 3 == 0 { Label::Positive } else { Label::Unlabeled }).collect();
        let value = |i: usize| if i.is_multiple_of(3) { 10 * i } else { 100_000 + 10 * i };
        let values = Values::Wide((0..200).map(|i| value(i) as f64).collect());
        assert_eq!(names_rows("x", &values, None), None);
        assert_eq!(names_rows("x", &values, Some(&labels)), Some(WhyLeftOut::RowOrder));
    }

    #[test]
    fn different_numbers_in_any_order_need_a_reason() {
        let dense = numeric(shuffled().into_iter());
        assert_eq!(names_rows("x", &dense, None), Some(WhyLeftOut::Key));
        let even = numeric(shuffled().into_iter().map(|x| 31.0 * x));
        assert_eq!(names_rows("x", &even, None), Some(WhyLeftOut::Key));
        // Skewed, as incomes are: squares.
        let sparse = numeric(shuffled().into_iter().map(|x| 31.0 * x * x));
        assert_eq!(names_rows("income", &sparse, None), None);
        assert_eq!(names_rows("customer_id", &sparse, None), Some(WhyLeftOut::Key));
        // Low numbers are labeled: collected first, shuffled later.
        let of = |x: &f64| if *x < 60.0 { Label::Positive } else { Label::Unlabeled };
        let labels: Vec<Label> = shuffled().iter().map(of).collect();
        assert_eq!(names_rows("income", &sparse, Some(&labels)), Some(WhyLeftOut::Key));
        // Numbers that repeat describe.
        let repeated = numeric(shuffled().into_iter().map(|x| (x / 2.0).floor()));
        assert_eq!(names_rows("customer_id", &repeated, Some(&labels)), None);
    }
}
