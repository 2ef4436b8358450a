//! Columns that alone tell labeled rows from unlabeled ones.
//!
//! Labeled positives are positives, and so are some unlabeled rows. A column that tells labeled from unlabeled rows almost
//! perfectly therefore tells more often how labels were made (what was entered once a case was found, when a row was
//! written, which file it came from) than what a positive is. The measure is the area under the ROC curve of the column as
//! it is: P(x of a labeled row > x of an unlabeled row), ties counting half, missing cells at either end.

use super::{ColumnRule, Finding, Screening};
use crate::Label;
use onesided_table::{MISSING_CODE, Values};

pub(super) const RULE: Screening = Screening {
    rule: ColumnRule {
        name: "tells labels apart",
        finds: "a column that alone tells labeled from unlabeled rows almost perfectly; learned from, and named in a warning",
        constants: &[
            ("TELLS_APART", TELLS_APART),
            ("LEAST_LABELED", LEAST_LABELED as f64),
            ("MOST_OF_A_KIND", MOST_OF_A_KIND as f64),
        ],
        evidence: "benches/tables/README.md (alarms.py)",
    },
    look: |look, values| match values {
        // How late such a time is, is not learned from.
        Values::Times(times) if times.in_order.is_some() => None,
        values => {
            let area = separation(values, look.labels?).filter(|&area| area >= TELLS_APART);
            area.map(Finding::TellsLabels)
        }
    },
};

/// From this area on a column tells them apart.
pub(super) const TELLS_APART: f64 = 0.99;

/// Fewer labeled rows than this can be told from the others by chance.
const LEAST_LABELED: usize = 10;

/// At most this many rows of a kind are looked at.
const MOST_OF_A_KIND: usize = 20_000;

/// The area under the curve of a column, in whichever direction it is larger: from 0.5 to 1. The best level of categories;
/// nothing for texts and vectors, and where few rows are labeled.
pub(super) fn separation(values: &Values, labels: &[Label]) -> Option<f64> {
    let (positive, unlabeled) = (some_of(labels, Label::Positive), some_of(labels, Label::Unlabeled));
    if positive.len() < LEAST_LABELED || unlabeled.len() < LEAST_LABELED {
        return None;
    }
    let of_numbers = |value: &dyn Fn(usize) -> f64| {
        let at = |rows: &[usize]| rows.iter().map(|&row| value(row)).collect::<Vec<f64>>();
        area_with_missing(at(&positive), at(&unlabeled))
    };
    match values {
        Values::Numeric(values) => Some(of_numbers(&|row| f64::from(values[row]))),
        Values::Wide(values) => Some(of_numbers(&|row| values[row])),
        Values::Times(times) => Some(of_numbers(&|row| times.seconds[row])),
        Values::Boolean(flags) => {
            Some(of_numbers(&|row| flags[row].map_or(f64::NAN, |flag| f64::from(u8::from(flag)))))
        }
        Values::Categorical { codes, levels } => {
            let share = |rows: &[usize]| {
                // Missing cells are a separate level, the last.
                let mut counts = vec![0u32; levels.len() + 1];
                rows.iter().for_each(|&row| {
                    let code = if codes[row] == MISSING_CODE { levels.len() } else { codes[row] as usize };
                    counts[code] += 1;
                });
                counts.into_iter().map(|count| f64::from(count) / rows.len() as f64).collect::<Vec<f64>>()
            };
            let (p, u) = (share(&positive), share(&unlabeled));
            // Of a level that is there or not: P(there | P) and P(there | U), ties counting half.
            p.iter().zip(&u).map(|(p, u)| 0.5 + (p - u).abs() / 2.0).reduce(f64::max)
        }
        Values::Text(_) | Values::Vectors { .. } => None,
    }
}

/// Rows of a kind, evenly spread where there are many.
fn some_of(labels: &[Label], kind: Label) -> Vec<usize> {
    let rows: Vec<usize> = (0..labels.len()).filter(|&row| labels[row] == kind).collect();
    let step = rows.len().div_ceil(MOST_OF_A_KIND).max(1);
    rows.into_iter().step_by(step).collect()
}

/// The larger area of missing cells below and above all others.
fn area_with_missing(positive: Vec<f64>, unlabeled: Vec<f64>) -> f64 {
    let missing = positive.iter().chain(&unlabeled).any(|value| value.is_nan());
    let ends = if missing { &[f64::NEG_INFINITY, f64::INFINITY][..] } else { &[f64::INFINITY] };
    let area = |end: f64| {
        let filled = |values: &[f64]| {
            let mut filled: Vec<f64> = values.iter().map(|&x| if x.is_nan() { end } else { x }).collect();
            filled.sort_unstable_by(f64::total_cmp);
            filled
        };
        let area = area(&filled(&positive), &filled(&unlabeled));
        area.max(1.0 - area)
    };
    ends.iter().map(|&end| area(end)).fold(0.5, f64::max)
}

/// P(p > u), ties counting half, of sorted values.
fn area(positive: &[f64], unlabeled: &[f64]) -> f64 {
    let (mut below, mut up_to, mut sum) = (0, 0, 0.0);
    for &value in positive {
        while below < unlabeled.len() && unlabeled[below] < value {
            below += 1;
        }
        up_to = up_to.max(below);
        while up_to < unlabeled.len() && unlabeled[up_to] <= value {
            up_to += 1;
        }
        sum += (below + up_to) as f64 / 2.0;
    }
    sum / (positive.len() as f64 * unlabeled.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(positive: usize, unlabeled: usize) -> Vec<Label> {
        crate::label::apart(positive, unlabeled, 0)
    }

    #[test]
    fn areas_by_hand() {
        // Pairs: 1>0, 1=1, 3>0, 3>1: 3.5 of 4.
        assert_eq!(area(&[1.0, 3.0], &[0.0, 1.0]), 0.875);
        assert_eq!(area(&[2.0, 2.0], &[2.0]), 0.5);
        assert_eq!(area(&[0.0], &[1.0, 2.0]), 0.0);
    }

    #[test]
    fn missing_cells_stand_at_the_end_that_tells_more() {
        // Entered for labeled rows only: 10 of 10 against 0 of 20.
        let flag: Vec<f32> = (0..30).map(|row| if row < 10 { 3.0 } else { f32::NAN }).collect();
        assert_eq!(separation(&Values::Numeric(flag), &labels(10, 20)), Some(1.0));
        // Half of the labeled rows, none of the others: 0.5 + 0.5 / 2.
        let half: Vec<Option<bool>> = (0..30).map(|row| (row < 5).then_some(true)).collect();
        assert_eq!(separation(&Values::Boolean(half), &labels(10, 20)), Some(0.75));
    }

    #[test]
    fn the_best_level_of_categories_counts() {
        let codes: Vec<u32> = (0..30).map(|row| if row < 9 { 2 } else { row % 2 }).collect();
        let levels = ["a", "b", "c"].map(str::to_string).to_vec();
        // Nine of ten labeled rows have 'c', and no other row has.
        assert_eq!(separation(&Values::Categorical { codes, levels }, &labels(10, 20)), Some(0.95));
    }

    #[test]
    fn few_labels_say_nothing() {
        let values = Values::Wide((0..30).map(f64::from).collect());
        let of = |labeled: usize| separation(&values, &labels(labeled, 30 - labeled));
        assert_eq!((of(LEAST_LABELED - 1), of(LEAST_LABELED)), (None, Some(1.0)));
    }

    #[test]
    fn a_column_is_named_from_an_area_on() {
        // Two of 100 unlabeled rows lie above so many of 100 labeled ones: an area of 1 - 2 many / 10,000.
        let found = |many: usize| {
            let value = |row: usize| match row {
                0..100 => 100 + row,
                198.. => 100 + many,
                _ => 0,
            };
            let mut values = Values::Wide((0..200).map(|row| value(row) as f64 - 0.5).collect());
            let labels = labels(100, 100);
            let look = super::super::Look {
                name: "x",
                labels: Some(&labels),
                asked: false,
                is_said: false,
                blank: 0,
            };
            (RULE.look)(&look, &mut values).is_some()
        };
        let most = ((1.0 - TELLS_APART) * 5_000.0).round() as usize;
        assert!(found(most - 2) && !found(most + 2));
    }

    #[test]
    fn of_many_rows_some_are_looked_at() {
        assert!(some_of(&labels(3 * MOST_OF_A_KIND, 0), Label::Positive).len() <= MOST_OF_A_KIND);
    }
}
