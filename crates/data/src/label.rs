//! Which rows are positive and which are unlabeled, from whatever the file says.
//!
//! "Unlabeled" is written 0 by some, -1 by others and false by a third party, and guessing wrong trains a classifier on
//! the opposite. So the accepted pairs are few (1/0, 1/-1, true/false, one value and nothing), a value of one's own among
//! others is named outright, and everything else is refused with the values seen.

use crate::error::listed;
use crate::frame::{Column, MISSING_CODE, Values};
use crate::{Counts, DataError};
use serde::{Deserialize, Serialize};

/// What is known of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// Known to be positive.
    Positive,
    /// Either positive or negative.
    Unlabeled,
}

/// How many labels of either kind there are.
pub fn count_labels(labels: &[Label]) -> Counts {
    let positive = labels.iter().filter(|&&label| label == Label::Positive).count();
    Counts { positive, unlabeled: labels.len() - positive }
}

/// Positives first, unlabeled rows after them.
pub(crate) fn two_parts(positive: usize, unlabeled: usize) -> Vec<Label> {
    let mut labels = vec![Label::Positive; positive];
    labels.resize(positive + unlabeled, Label::Unlabeled);
    labels
}

/// Reads labels. Without `positive`, the column must hold one of the pairs 1/0, 1/-1 or true/false, or one value beside
/// empty cells, which are unlabeled then. With it, that value is positive and everything else, missing cells included, is
/// unlabeled.
pub fn labels_from_column(column: &Column, positive: Option<&str>) -> Result<Vec<Label>, DataError> {
    let text = column.to_categories();
    let (codes, levels) = parts(&text);
    let positive = positive.or_else(|| beside_blanks(codes, levels));
    let is_positive = positive_levels(&column.name, levels, positive)?;
    let labels: Vec<Label> = codes
        .iter()
        .enumerate()
        .map(|(row, &code)| match is_positive.get(code as usize) {
            Some(true) => Ok(Label::Positive),
            None if positive.is_none() => {
                Err(DataError::MissingLabel { column: column.name.clone(), row: row + 1 })
            }
            _ => Ok(Label::Unlabeled),
        })
        .collect::<Result<_, _>>()?;
    check_both(&labels, &format!("column '{}'", column.name))?;
    Ok(labels)
}

/// Reads the truth, where it is known: as [`labels_from_column`], but no cell may be missing, and `false` means negative.
pub fn truth_from_column(column: &Column, positive: Option<&str>) -> Result<Vec<bool>, DataError> {
    let text = column.to_categories();
    let (codes, levels) = parts(&text);
    if let Some(row) = codes.iter().position(|&code| code == MISSING_CODE) {
        return Err(DataError::MissingTruth { column: column.name.clone(), row: row + 1 });
    }
    let is_positive = positive_levels(&column.name, levels, positive)?;
    let truth: Vec<bool> = codes.iter().map(|&code| is_positive[code as usize]).collect();
    let positives = truth.iter().filter(|&&positive| positive).count();
    if positives == 0 || positives == truth.len() {
        return Err(DataError::OneClass {
            column: column.name.clone(),
            positive: positives,
            negative: truth.len() - positives,
        });
    }
    Ok(truth)
}

/// The one value beside empty cells; 0, -1 and false are none that means positive.
fn beside_blanks<'a>(codes: &[u32], levels: &'a [String]) -> Option<&'a str> {
    let [value] = levels else { return None };
    let negative = matches!(Meaning::of(value), Some(Meaning::Zero | Meaning::MinusOne | Meaning::False));
    (codes.contains(&MISSING_CODE) && !negative).then_some(value)
}

fn parts(column: &Column) -> (&[u32], &[String]) {
    match &column.values {
        Values::Categorical { codes, levels } => (codes, levels),
        _ => (&[], &[]),
    }
}

/// For each level, whether it means positive.
fn positive_levels(column: &str, levels: &[String], positive: Option<&str>) -> Result<Vec<bool>, DataError> {
    let seen = || if levels.is_empty() { "no values".to_string() } else { listed(levels, ", ", 5) };
    if let Some(value) = positive {
        let is_positive: Vec<bool> = levels.iter().map(|level| same(level, value.trim())).collect();
        if !is_positive.contains(&true) && !levels.is_empty() {
            let (column, value) = (column.to_string(), value.to_string());
            return Err(DataError::NoSuchLabel { column, value, seen: seen() });
        }
        return Ok(is_positive);
    }
    let meanings: Vec<Option<Meaning>> = levels.iter().map(|level| Meaning::of(level)).collect();
    let has = |meaning| meanings.contains(&Some(meaning));
    let numbers = has(Meaning::One) || has(Meaning::Zero) || has(Meaning::MinusOne);
    let words = has(Meaning::True) || has(Meaning::False);
    if meanings.contains(&None) || (numbers && words) {
        return Err(DataError::LabelValues { column: column.to_string(), seen: seen() });
    }
    if has(Meaning::Zero) && has(Meaning::MinusOne) {
        return Err(DataError::ZeroAndMinusOne { column: column.to_string() });
    }
    Ok(meanings.iter().map(|meaning| matches!(meaning, Some(Meaning::One | Meaning::True))).collect())
}

/// Whether a cell is the value asked for: the same text, or the same number written otherwise (`1` and `1.0`).
fn same(level: &str, value: &str) -> bool {
    let equal_numbers = || matches!((level.parse::<f64>(), value.parse::<f64>()), (Ok(a), Ok(b)) if a == b);
    level == value || equal_numbers() || {
        let meaning = Meaning::of(value);
        matches!(meaning, Some(Meaning::True | Meaning::False)) && meaning == Meaning::of(level)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    One,
    Zero,
    MinusOne,
    True,
    False,
}

impl Meaning {
    fn of(text: &str) -> Option<Self> {
        match text.parse::<f64>() {
            Ok(1.0) => Some(Meaning::One),
            Ok(0.0) => Some(Meaning::Zero),
            Ok(-1.0) => Some(Meaning::MinusOne),
            Ok(_) => None,
            Err(_) if text.eq_ignore_ascii_case("true") => Some(Meaning::True),
            Err(_) if text.eq_ignore_ascii_case("false") => Some(Meaning::False),
            Err(_) => None,
        }
    }
}

/// Refuses labels without a positive or without an unlabeled row.
pub(crate) fn check_both(labels: &[Label], what: &str) -> Result<(), DataError> {
    let (column, rows) = (what.to_string(), labels.len());
    if !labels.contains(&Label::Positive) {
        return Err(DataError::NoPositives { column, rows });
    }
    if !labels.contains(&Label::Unlabeled) {
        return Err(DataError::NoUnlabeled { column, rows });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Label::{Positive as P, Unlabeled as U};
    use super::*;
    use crate::read_csv_bytes;

    /// Read without being told that it is a label, so numbers and truth values arrive as such.
    fn column(cells: &str) -> Column {
        let csv = format!("y,x\n{}", cells.split(' ').map(|cell| format!("{cell},0\n")).collect::<String>());
        read_csv_bytes(csv.as_bytes()).unwrap().take("y").unwrap()
    }

    fn labels(cells: &str, positive: Option<&str>) -> Result<Vec<Label>, String> {
        labels_from_column(&column(cells), positive).map_err(|error| error.to_string())
    }

    #[test]
    fn the_accepted_pairs() {
        for cells in ["1 0 0", "1 -1 -1", "true false false", "True FALSE false", "1.0 0.0 0", "+1 -1 -1.0"] {
            assert_eq!(labels(cells, None).unwrap(), [P, U, U], "{cells}");
            assert_eq!(truth_from_column(&column(cells), None).unwrap(), [true, false, false], "{cells}");
        }
    }

    #[test]
    fn one_value_beside_empty_cells_is_positive() {
        for cells in ["1  ", "true  ", "yes NA ", "7  null"] {
            assert_eq!(labels(cells, None).unwrap(), [P, U, U], "{cells}");
        }
    }

    #[test]
    fn a_named_positive_value() {
        assert_eq!(labels("spam ham  eggs", Some("spam")).unwrap(), [P, U, U, U]);
        assert_eq!(labels("2 1 2", Some("2.0")).unwrap(), [P, U, P]);
        assert_eq!(labels("0 1 -1", Some("0")).unwrap(), [P, U, U]);
        assert_eq!(labels("TRUE false", Some("false")).unwrap(), [U, P]);
        let error = labels("spam ham", Some("eggs")).unwrap_err();
        assert_eq!(error, "no row has 'eggs' in column 'y'; it holds 'ham', 'spam'");
    }

    #[test]
    fn everything_else_is_refused_with_what_was_seen() {
        let error = labels_from_column(&column("1 2 1"), None).unwrap_err();
        assert!(error.to_string().contains("holds '1', '2', not 1/0"), "{error}");
        assert_eq!(error.hint(), Some(crate::Hint::new("name the positive value", "positive", "VALUE")));
        assert!(labels("yes no", None).unwrap_err().contains("'no', 'yes'"));
        assert!(labels("a b c d e f", None).unwrap_err().contains("'e', … (6 in all)"));
        assert!(labels("1 true false", None).unwrap_err().contains("not 1/0, 1/-1 or true/false"));
        assert!(labels("1 0 -1", None).unwrap_err().contains("both 0 and -1"));
        assert!(labels("1 0  0", None).unwrap_err().contains("empty in row 3"));
        assert!(labels("0  0", None).unwrap_err().contains("empty in row 2"));
        assert!(labels("0 0 0", None).unwrap_err().contains("no positives among 3 rows"));
        assert!(labels("1 1", None).unwrap_err().contains("all 2 rows are positive"));
        assert!(labels("a a", Some("a")).unwrap_err().contains("all 2 rows are positive"));
    }

    #[test]
    fn truth_needs_both_classes_and_every_cell() {
        let message = |cells, positive| truth_from_column(&column(cells), positive).unwrap_err().to_string();
        assert!(message("1 1", None).contains("2 positives and 0 negatives"));
        assert!(message("a  b", Some("a")).contains("empty in row 2"));
        assert_eq!(truth_from_column(&column("a b"), Some("a")).unwrap(), [true, false]);
    }
}
