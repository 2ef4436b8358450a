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

use super::row_order::{FEW, LEAST_ROWS, MOST_JUMPS, Numbers, is_sorted};
use super::tells_labels::{TELLS_APART, separation};
use super::{ColumnRule, Finding, Screening};
use crate::Label;
use onesided_table::{Values, WhyLeftOut};

/// Columns of numbers that name rows.
pub(super) const RULE: Screening = Screening {
    rule: ColumnRule {
        name: "names rows",
        finds: "whole numbers, a different one in each row, that are sorted, fill their range, are called like an identifier or alone tell \
                labeled rows; left out",
        constants: &[
            ("LEAST_ROWS", LEAST_ROWS as f64),
            ("FEW", FEW as f64),
            ("MOST_JUMPS", MOST_JUMPS as f64),
            ("FIRST_ROWS", FIRST_ROWS as f64),
            ("ROWS_FOR_EVEN", ROWS_FOR_EVEN as f64),
            ("EVEN", EVEN),
            ("TELLS_APART", TELLS_APART),
        ],
        evidence: "benches/tables/README.md (id_trap.py)",
    },
    look: |look, values| {
        let why = if look.asked { None } else { names_rows(look.name, values, look.labels, look.blank) };
        why.map(Finding::LeftOut)
    },
};

/// Columns that are called like identifiers and have many values, each in several rows: customers, places, batches. Nothing
/// tells whether they describe a row or name what it belongs to.
pub(super) const CALLED: Screening = Screening {
    rule: ColumnRule {
        name: "called an identifier",
        finds: "numbers or categories that repeat under a name such as `customer_id`; learned from, and named in a note",
        constants: &[("MANY_IDS", MANY_IDS as f64)],
        evidence: "benches/tables/README.md (alarms.py)",
    },
    look: |look, values| {
        (!look.is_said && is_name_of_identifier(look.name) && has_many(values, look.blank))
            .then_some(Finding::CalledId)
    },
};

/// Fewer numbers than this are even by chance.
const ROWS_FOR_EVEN: usize = 200;

/// Rows that are looked at before all are.
const FIRST_ROWS: usize = 1_000;

/// This many different values name things rather than kinds of things.
const MANY_IDS: usize = 50;

/// 99 of 100 samples of uniform numbers have a distance of Kolmogorov and Smirnov below this, divided by √n.
const EVEN: f64 = 1.63;

fn has_many(values: &Values, blank: usize) -> bool {
    match values {
        Values::Numeric(values) => is_many(&Numbers::Single(values), blank),
        Values::Wide(values) => is_many(&Numbers::Double(values), blank),
        Values::Categorical { levels, .. } => levels.len() >= MANY_IDS,
        _ => false,
    }
}

fn is_many(numbers: &Numbers, blank: usize) -> bool {
    nearly_all_whole(numbers, blank) && distinct(numbers).len() >= MANY_IDS
}

/// Why a column names rows, if it does.
fn names_rows(name: &str, values: &Values, labels: Option<&[Label]>, blank: usize) -> Option<WhyLeftOut> {
    let numbers = match values {
        Values::Numeric(values) => Numbers::Single(values),
        Values::Wide(values) => Numbers::Double(values),
        _ => return None,
    };
    let rows = numbers.len().saturating_sub(blank);
    if rows < LEAST_ROWS || !nearly_all_whole(&numbers, blank) {
        return None;
    }
    let different = distinct(&numbers);
    let all_different = different.len() * 100 >= rows * (100 - FEW);
    if is_sorted(&numbers, labels, all_different) {
        return Some(WhyLeftOut::RowOrder);
    }
    let filled = || fills_range(&different) || is_even(&different);
    let tells = || labels.and_then(|labels| separation(values, labels)).is_some_and(|auc| auc >= TELLS_APART);
    (all_different && (filled() || is_name_of_identifier(name) || tells())).then_some(WhyLeftOut::Key)
}

/// Whether nearly every cell is there, and those are whole numbers.
fn nearly_all_whole(numbers: &Numbers, blank: usize) -> bool {
    let mut there = 0;
    for value in numbers.present() {
        if value.fract() != 0.0 {
            return false;
        }
        there += 1;
    }
    let rows = numbers.len().saturating_sub(blank);
    rows.saturating_sub(there) * 100 <= rows * FEW
}

/// The different numbers, ascending; those of the first rows where many of these repeat.
pub(super) fn distinct(numbers: &Numbers) -> Vec<f64> {
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

/// Whether numbers lie as evenly between the least and the largest as random ones do.
fn is_even(sorted: &[f64]) -> bool {
    let (Some(low), Some(high)) = (sorted.first(), sorted.last()) else { return false };
    let n = sorted.len() as f64;
    let off = |(at, x): (usize, &f64)| ((at as f64 + 0.5) / n - (x - low) / (high - low)).abs();
    let distance = sorted.iter().enumerate().map(off).fold(0.0, f64::max);
    sorted.len() >= ROWS_FOR_EVEN && distance * n.sqrt() < EVEN
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
    use super::super::Look;
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
        let called = |(name, mut values): (&str, Values), is_said: bool| {
            (CALLED.look)(&Look { name, labels: None, asked: false, is_said, blank: 0 }, &mut values)
                .is_some()
        };
        assert_eq!(columns.clone().map(|column| called(column, false)), [true, false, false]);
        assert_eq!(columns.map(|column| called(column, true)), [false; 3]);
        let of = |values: usize| Values::Numeric((0..600).map(|row| (row % values) as f32).collect());
        assert!(called(("id", of(MANY_IDS)), false) && !called(("id", of(MANY_IDS - 1)), false));
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
        assert_eq!(names_rows("x", &rising, None, 0), Some(WhyLeftOut::RowOrder));
        let falling = numeric((0..200).map(|i| f64::from(1_000 - 3 * i)));
        assert_eq!(names_rows("x", &falling, None, 0), Some(WhyLeftOut::RowOrder));
        // Three tables, one below the other.
        let stacked = numeric((0..210).map(|i| f64::from(13 * (i % 70) + i / 70)));
        assert_eq!(names_rows("x", &stacked, None, 0), Some(WhyLeftOut::RowOrder));
        // The same numbers again and again describe, such as the day of the month.
        let days = numeric((0..112).map(|i| f64::from(1 + i % 28)));
        assert_eq!(names_rows("x", &days, None, 0), None);
        // Fractions are measurements, and few rows say nothing.
        assert_eq!(names_rows("x", &numeric((0..200).map(|i| f64::from(i) / 2.0)), None, 0), None);
        assert_eq!(names_rows("x", &numeric((0..40).map(f64::from)), None, 0), None);
    }

    #[test]
    fn an_order_within_each_kind_of_row_counts() {
        // Labeled rows have their own range, and rows are mixed.
        let labels: Vec<Label> =
            (0..200).map(|i| if i % 3 == 0 { Label::Positive } else { Label::Unlabeled }).collect();
        let value = |i: usize| if i.is_multiple_of(3) { 10 * i } else { 100_000 + 10 * i };
        let values = Values::Wide((0..200).map(|i| value(i) as f64).collect());
        assert_eq!(names_rows("x", &values, None, 0), None);
        assert_eq!(names_rows("x", &values, Some(&labels), 0), Some(WhyLeftOut::RowOrder));
    }

    #[test]
    fn different_numbers_in_any_order_need_a_reason() {
        let dense = numeric(shuffled().into_iter());
        assert_eq!(names_rows("x", &dense, None, 0), Some(WhyLeftOut::Key));
        let even = numeric(shuffled().into_iter().map(|x| 31.0 * x));
        assert_eq!(names_rows("x", &even, None, 0), Some(WhyLeftOut::Key));
        // Skewed, as incomes are: squares.
        let sparse = numeric(shuffled().into_iter().map(|x| 31.0 * x * x));
        assert_eq!(names_rows("income", &sparse, None, 0), None);
        assert_eq!(names_rows("customer_id", &sparse, None, 0), Some(WhyLeftOut::Key));
        // Low numbers are labeled: collected first, shuffled later.
        let of = |x: &f64| if *x < 60.0 { Label::Positive } else { Label::Unlabeled };
        let labels: Vec<Label> = shuffled().iter().map(of).collect();
        assert_eq!(names_rows("income", &sparse, Some(&labels), 0), Some(WhyLeftOut::Key));
        // Numbers that repeat describe.
        let repeated = numeric(shuffled().into_iter().map(|x| (x / 2.0).floor()));
        assert_eq!(names_rows("customer_id", &repeated, Some(&labels), 0), None);
    }

    #[test]
    fn numbers_are_as_even_as_random_ones() {
        let line = |count: usize| -> Vec<f64> { (0..count).map(|at| (10 * at) as f64).collect() };
        assert!(is_even(&line(ROWS_FOR_EVEN)) && !is_even(&line(ROWS_FOR_EVEN - 1)));
        // Bent by a share d of the range in the middle, they are off by that: 1.63 / √1000 is .052.
        let bent = |by: f64| -> Vec<f64> {
            (0..1_000).map(|at| f64::from(at) / 999.0).map(|x| 1e6 * (x - 4.0 * by * x * (1.0 - x))).collect()
        };
        let off = EVEN / 1_000f64.sqrt();
        assert!(is_even(&bent(0.9 * off)) && !is_even(&bent(1.1 * off)));
    }

    #[test]
    fn columns_whose_first_rows_repeat_are_not_sorted() {
        let values = |first: usize| -> Vec<f64> {
            (0..3 * FIRST_ROWS).map(|row| if row < FIRST_ROWS { row % first } else { row } as f64).collect()
        };
        assert_eq!(distinct(&Numbers::Double(&values(10))).len(), 10);
        assert_eq!(distinct(&Numbers::Double(&values(FIRST_ROWS))).len(), 3 * FIRST_ROWS);
    }

    #[test]
    fn rows_that_are_empty_throughout_do_not_count() {
        let values = numeric((0..300).map(|i| if i % 5 == 0 { f64::NAN } else { f64::from(i) }));
        assert_eq!(names_rows("x", &values, None, 0), None);
        assert_eq!(names_rows("x", &values, None, 60), Some(WhyLeftOut::RowOrder));
    }
}
