//! Which rows are positive, which are unlabeled and which are known negatives, from whatever the file says.
//!
//! "Unlabeled" is written 0 by some, -1 by others and false by a third party, and guessing wrong trains a classifier on
//! the opposite. So the accepted pairs are few (1/0, 1/-1, true/false, one value and nothing), a value of one's own among
//! others is named outright, and everything else is refused with the values seen. `Yes`, `yes` and `YES ` are one value: upper and
//! lower case and blanks do not tell words apart, and a note says so. -1 is unlabeled for some programs and
//! negative for others: the value of known negatives is always named.

use crate::{Amounts, Counts, DataError};
use onesided_table::{Column, MISSING_CODE, Values};
use onesided_table::{listed, shortened};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// Known to be positive.
    Positive,
    /// Either positive or negative.
    Unlabeled,
    /// Known to be negative.
    Negative,
}

/// How many labels of each kind there are.
pub fn count_labels(labels: &[Label]) -> Counts {
    let of = |wanted: Label| labels.iter().filter(|&&label| label == wanted).count();
    let (positive, negative) = (of(Label::Positive), of(Label::Negative));
    Counts { positive, unlabeled: labels.len() - positive - negative, negative }
}

/// How much the labels of each kind weigh: their numbers, or the sums of their weights, one for each label.
pub fn amounts(labels: &[Label], weights: Option<&[f32]>) -> Amounts {
    let Some(weights) = weights else { return count_labels(labels).into() };
    let mut amounts = Amounts::default();
    for (label, &weight) in labels.iter().zip(weights) {
        *match label {
            Label::Positive => &mut amounts.positive,
            Label::Unlabeled => &mut amounts.unlabeled,
            Label::Negative => &mut amounts.negative,
        } += f64::from(weight);
    }
    amounts
}

/// Positives first, unlabeled rows after them, known negatives last.
pub(crate) fn apart(positive: usize, unlabeled: usize, negative: usize) -> Vec<Label> {
    let mut labels = vec![Label::Positive; positive];
    labels.resize(positive + unlabeled, Label::Unlabeled);
    labels.resize(positive + unlabeled + negative, Label::Negative);
    labels
}

/// The column that labels came from, and the cells in it that mean something; all others are unlabeled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelColumn {
    /// Its name.
    pub column: String,
    /// Cells that mean positive; none: words and numbers that mean yes.
    pub positive: Vec<String>,
    /// Cells that mean negative.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub negative: Vec<String>,
}

impl LabelColumn {
    /// What the cells of a column were taken for.
    pub(crate) fn of(column: &Column, labels: &[Label], named: &[Option<&str>]) -> Self {
        let text = with_blanks(column, named);
        let (codes, levels) = parts(&text);
        let meaning = |wanted: Label| {
            let of_rows = codes.iter().zip(labels).filter(|(_, label)| **label == wanted);
            let meant: BTreeSet<u32> = of_rows.map(|(&code, _)| code).collect();
            meant.into_iter().filter_map(|code| levels.get(code as usize).cloned()).collect()
        };
        let (positive, negative) = (meaning(Label::Positive), meaning(Label::Negative));
        Self { column: column.name.clone(), positive, negative }
    }

    /// What cells say of their rows. If the column was asked for, a cell that says neither yes nor no is refused where nothing else tells
    /// what means positive.
    pub(crate) fn labels<'c>(
        &self,
        cells: impl Iterator<Item = &'c str>,
        asked: bool,
    ) -> Result<Vec<Label>, DataError> {
        let by_words = asked && self.positive.iter().all(|value| yes_or_no(value.trim()).is_some());
        let label = |cell: &str| match self.label(cell) {
            Label::Unlabeled if by_words && !is_no(cell.trim()) => Err(DataError::LabelValues {
                column: self.column.clone(),
                seen: format!("'{}'", shortened(cell)),
            }),
            label => Ok(label),
        };
        cells.map(label).collect()
    }

    /// What a cell says of its row.
    pub fn label(&self, cell: &str) -> Label {
        let cell = cell.trim();
        // 1 of a text is true of a file that has a type for it.
        let means = |value: &str| {
            same(cell, value) || (yes_or_no(cell).is_some() && yes_or_no(cell) == yes_or_no(value))
        };
        let is = |values: &[String]| values.iter().any(|value| means(value.trim()));
        if is(&self.positive) || (self.positive.is_empty() && yes_or_no(cell) == Some(true)) {
            Label::Positive
        } else if is(&self.negative) {
            Label::Negative
        } else {
            Label::Unlabeled
        }
    }
}

/// Whether a cell of labels says no, or nothing.
fn is_no(cell: &str) -> bool {
    onesided_table::is_missing_cell(cell) || Meaning::of(cell).is_some()
}

/// Reads labels. Without `positive`, the column must hold one of the pairs 1/0, 1/-1, true/false or yes/no, or one value next to
/// empty cells, which are unlabeled then. With it, that value is positive and everything else, missing cells included, is
/// unlabeled. Rows with the value `negative`, where it is given, are known negatives, and the rest is read by these rules.
pub fn labels_from_column(
    column: &Column,
    positive: Option<&str>,
    negative: Option<&str>,
) -> Result<Vec<Label>, DataError> {
    let text = with_blanks(column, &[positive, negative]);
    let (codes, levels) = parts(&text);
    if positive.is_none() && negative.is_none() && levels.is_empty() && !codes.is_empty() {
        return Err(DataError::NoLabels { column: column.name.clone() });
    }
    let is_negative = negative_levels(&column.name, levels, positive, negative)?;
    let others: Vec<String> = levels
        .iter()
        .zip(&is_negative)
        .filter(|(_, negative)| !**negative)
        .map(|(level, _)| level.clone())
        .collect();
    let positive = positive.or_else(|| beside_blanks(codes, &others));
    if positive.is_none() && negative.is_none() {
        check_three(&column.name, codes, levels)?;
    }
    let mut of_others = positive_levels(&column.name, &others, positive)?.into_iter();
    let is_positive: Vec<bool> =
        is_negative.iter().map(|negative| !negative && of_others.next().unwrap_or(false)).collect();
    let labels: Vec<Label> = codes
        .iter()
        .enumerate()
        .map(|(row, &code)| match (is_positive.get(code as usize), is_negative.get(code as usize)) {
            (Some(true), _) => Ok(Label::Positive),
            (_, Some(true)) => Ok(Label::Negative),
            // Next to a positive and a negative value an empty cell is neither.
            (None, _) if positive.is_none() && (negative.is_none() || others.len() > 1) => {
                Err(DataError::MissingLabel { column: column.name.clone(), row: row + 1 })
            }
            _ => Ok(Label::Unlabeled),
        })
        .collect::<Result<_, _>>()?;
    check_both(&labels, &format!("column '{}'", column.name))?;
    Ok(labels)
}

/// The one value next to the positive one and empty cells, where nothing says that it means negative.
pub(crate) fn other_label(column: &Column, positive: Option<&str>) -> Option<String> {
    let text = with_blanks(column, &[positive]);
    let (codes, levels) = parts(&text);
    let others: Vec<&String> =
        levels.iter().filter(|level| !same(level, positive.unwrap_or("").trim())).collect();
    match others.as_slice() {
        [one] if positive.is_some() && codes.contains(&MISSING_CODE) => Some(one.to_string()),
        _ => None,
    }
}

/// What labels were taken to mean, where it was not said and is not obvious: a value next to empty cells, or words for yes
/// and no.
pub(crate) fn taken_as(column: &Column, positive: Option<&str>) -> Option<(String, Option<String>)> {
    let text = with_blanks(column, &[positive]);
    let (codes, levels) = parts(&text);
    match (positive, levels) {
        (None, [_]) => beside_blanks(codes, levels).map(|value| (value.to_string(), None)),
        (None, [a, b]) if !codes.contains(&MISSING_CODE) => match (Meaning::of(a), Meaning::of(b)) {
            (Some(Meaning::False), Some(Meaning::True)) if !is_plain(b) => Some((b.clone(), Some(a.clone()))),
            (Some(Meaning::True), Some(Meaning::False)) if !is_plain(a) => Some((a.clone(), Some(b.clone()))),
            _ => None,
        },
        _ => None,
    }
}

fn is_plain(level: &str) -> bool {
    level.eq_ignore_ascii_case("true")
}

/// For each level, whether it means negative.
fn negative_levels(
    column: &str,
    levels: &[String],
    positive: Option<&str>,
    negative: Option<&str>,
) -> Result<Vec<bool>, DataError> {
    let Some(value) = negative else { return Ok(vec![false; levels.len()]) };
    if positive.is_some_and(|positive| same(positive.trim(), value.trim())) {
        return Err(DataError::SameLabel { value: value.to_string() });
    }
    let is_negative: Vec<bool> = levels.iter().map(|level| same(level, value.trim())).collect();
    if !is_negative.contains(&true) {
        let (column, value) = (column.to_string(), value.to_string());
        return Err(DataError::NoSuchLabel { column, value, seen: seen(levels) });
    }
    Ok(is_negative)
}

/// Three kinds of labels, and nothing that says which of them means negative.
fn check_three(column: &str, codes: &[u32], levels: &[String]) -> Result<(), DataError> {
    let empty = codes.iter().filter(|&&code| code == MISSING_CODE).count();
    let first_empty = codes.iter().position(|&code| code == MISSING_CODE);
    let meanings: Vec<Option<Meaning>> = levels.iter().map(|level| Meaning::of(level)).collect();
    // `Ja` and `ja` are one kind.
    let is_new = |at: &usize| meanings[*at].is_none() || !meanings[..*at].contains(&meanings[*at]);
    let kinds = (0..levels.len()).filter(is_new).count();
    let three = kinds + usize::from(empty > 0) == 3;
    let mixed = meanings.contains(&Some(Meaning::One)) && meanings.contains(&Some(Meaning::True));
    if three && !mixed {
        let blanks = match (empty, first_empty) {
            (1, Some(row)) => format!(", and an empty cell in row {}", row + 1),
            (_, Some(row)) => format!(", and {empty} empty cells, the first in row {}", row + 1),
            _ => String::new(),
        };
        return Err(DataError::ThreeLabels {
            column: column.to_string(),
            seen: format!("{}{blanks}", seen(levels)),
            positive: levels.iter().zip(&meanings).find_map(|(level, meaning)| {
                matches!(meaning, Some(Meaning::One | Meaning::True)).then(|| level.clone())
            }),
        });
    }
    Ok(())
}

fn seen(levels: &[String]) -> String {
    if levels.is_empty() { "no values".to_string() } else { listed(levels, ", ", 5) }
}

/// Reads the truth, where it is known: as [`labels_from_column`], but no cell may be missing, and `false` means negative.
pub fn truth_from_column(column: &Column, positive: Option<&str>) -> Result<Vec<bool>, DataError> {
    let text = with_blanks(column, &[positive]);
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

/// A column of answers in which only rows that are empty throughout have none: nobody labels a line of totals, so their cells are
/// filled with what another row has. Any other column stays as it is.
pub(crate) fn with_blank_rows_filled(column: Column, blank: &[u32]) -> Column {
    let missing = column.values.missing();
    let of_blank = blank.iter().filter(|&&row| column.values.is_missing(row as usize)).count();
    if missing == 0 || of_blank < missing {
        return column;
    }
    let mut filled = column.to_categories();
    if let Values::Categorical { codes, levels } = &mut filled.values
        && !levels.is_empty()
    {
        codes.iter_mut().filter(|code| **code == MISSING_CODE).for_each(|code| *code = 0);
    }
    filled
}

/// The one value next to empty cells, or one of several words for yes; 0, -1 and false are none that means positive.
fn beside_blanks<'a>(codes: &[u32], levels: &'a [String]) -> Option<&'a str> {
    let (value, others) = levels.split_first()?;
    if !others.is_empty() && !levels.iter().all(|level| Meaning::of(level) == Some(Meaning::True)) {
        return None;
    }
    let negative = matches!(Meaning::of(value), Some(Meaning::Zero | Meaning::MinusOne | Meaning::False));
    (codes.contains(&MISSING_CODE) && !negative).then_some(value)
}

/// What programs write where there is nothing.
const BLANKS: [&str; 10] = ["nan", "-nan", "null", "(null)", "none", "nil", "na", "n/a", "<na>", "#n/a"];

/// Values that are one but for upper and lower case and blanks: the one that most cells have, and the others.
pub(crate) type Folded = (String, Vec<String>);

/// The values of a label column that were taken as one.
pub(crate) fn folded_labels(column: &Column, named: &[Option<&str>]) -> Vec<Folded> {
    fold(&mut without_blanks(column, named), named)
}

/// The cells as categories; `NaN`, `null` and the like are missing, unless such a word was named, and words that are alike but
/// for upper and lower case and blanks are one.
fn with_blanks(column: &Column, named: &[Option<&str>]) -> Column {
    let mut text = without_blanks(column, named);
    fold(&mut text, named);
    text
}

/// A value in lower case, with one blank between its words.
fn folded(value: &str) -> String {
    value.split_whitespace().collect::<Vec<&str>>().join(" ").to_lowercase()
}

/// Whether values that differ in case or blanks alone are one: single letters may be codes, where there is anything else than
/// them and empty cells.
fn is_word(folded: &str) -> bool {
    folded.chars().nth(1).is_some()
}

/// Makes one level of those that are alike.
fn fold(text: &mut Column, named: &[Option<&str>]) -> Vec<Folded> {
    let Values::Categorical { codes, levels } = &mut text.values else { return Vec::new() };
    let alone = codes.contains(&MISSING_CODE) && named.iter().all(Option::is_none);
    let keys: Vec<String> = levels.iter().map(|level| folded(level)).collect();
    let one = keys.windows(2).all(|pair| pair[0] == pair[1]);
    let mut counts = vec![0usize; levels.len()];
    for &code in codes.iter().filter(|&&code| code != MISSING_CODE) {
        counts[code as usize] += 1;
    }
    // Levels that are alike, and of these the first of the most frequent, which stands for all.
    let mut alike: BTreeMap<(&str, usize), Vec<usize>> = BTreeMap::new();
    for (at, key) in keys.iter().enumerate() {
        let apart = if is_word(key) || alone && one { 0 } else { at };
        alike.entry((key.as_str(), apart)).or_default().push(at);
    }
    let stands = |group: &[usize]| {
        group.iter().copied().max_by_key(|&at| (counts[at], std::cmp::Reverse(at))).unwrap_or_default()
    };
    let mut groups: Vec<(usize, Vec<usize>)> =
        alike.into_values().map(|group| (stands(&group), group)).collect();
    groups.sort_unstable();
    let mut places = vec![MISSING_CODE; levels.len()];
    for (place, (_, group)) in groups.iter().enumerate() {
        group.iter().for_each(|&at| places[at] = place as u32);
    }
    for code in codes.iter_mut().filter(|code| **code != MISSING_CODE) {
        *code = places[*code as usize];
    }
    let merged = groups.iter().filter(|(_, group)| group.len() > 1).map(|(kept, group)| {
        let others = group.iter().filter(|at| *at != kept).map(|&at| levels[at].clone());
        (levels[*kept].clone(), others.collect())
    });
    let merged = merged.collect();
    *levels = groups.iter().map(|(kept, _)| levels[*kept].clone()).collect();
    merged
}

/// The cells as categories; `NaN`, `null` and the like are missing, unless such a word was named.
fn without_blanks(column: &Column, named: &[Option<&str>]) -> Column {
    let mut text = column.to_categories();
    if let Values::Categorical { codes, levels } = &mut text.values {
        let is_named = |level: &str| named.iter().flatten().any(|name| same(level, name.trim()));
        let is_blank = |level: &String| BLANKS.contains(&level.to_lowercase().as_str()) && !is_named(level);
        if levels.iter().any(is_blank) {
            let mut places = Vec::with_capacity(levels.len());
            let mut kept = Vec::new();
            for level in levels.drain(..) {
                places.push(if is_blank(&level) { MISSING_CODE } else { kept.len() as u32 });
                if places.last() != Some(&MISSING_CODE) {
                    kept.push(level);
                }
            }
            *levels = kept;
            codes
                .iter_mut()
                .for_each(|code| *code = places.get(*code as usize).copied().unwrap_or(MISSING_CODE));
        }
    }
    text
}

fn parts(column: &Column) -> (&[u32], &[String]) {
    match &column.values {
        Values::Categorical { codes, levels } => (codes, levels),
        _ => (&[], &[]),
    }
}

/// For each level, whether it means positive.
fn positive_levels(column: &str, levels: &[String], positive: Option<&str>) -> Result<Vec<bool>, DataError> {
    if let Some(value) = positive {
        let is_positive: Vec<bool> = levels.iter().map(|level| same(level, value.trim())).collect();
        if !is_positive.contains(&true) && !levels.is_empty() {
            let (column, value) = (column.to_string(), value.to_string());
            return Err(DataError::NoSuchLabel { column, value, seen: seen(levels) });
        }
        return Ok(is_positive);
    }
    let meanings: Vec<Option<Meaning>> = levels.iter().map(|level| Meaning::of(level)).collect();
    let has = |meaning| meanings.contains(&Some(meaning));
    let numbers = has(Meaning::One) || has(Meaning::Zero) || has(Meaning::MinusOne);
    let words = has(Meaning::True) || has(Meaning::False);
    if meanings.contains(&None) || (numbers && words) {
        return Err(DataError::LabelValues { column: column.to_string(), seen: seen(levels) });
    }
    if has(Meaning::Zero) && has(Meaning::MinusOne) {
        return Err(DataError::ZeroAndMinusOne { column: column.to_string() });
    }
    Ok(meanings.iter().map(|meaning| matches!(meaning, Some(Meaning::One | Meaning::True))).collect())
}

/// Whether a cell is the value asked for: the same text but for case and blanks, or the same number written otherwise (`1` and
/// `1.0`).
fn same(level: &str, value: &str) -> bool {
    let equal_numbers = || matches!((level.parse::<f64>(), value.parse::<f64>()), (Ok(a), Ok(b)) if a == b);
    let equal_words = || is_word(value) && folded(level) == folded(value);
    level == value || equal_numbers() || equal_words() || {
        let meaning = Meaning::of(value);
        matches!(meaning, Some(Meaning::True | Meaning::False)) && meaning == Meaning::of(level)
    }
}

/// What a cell says to a question that is answered with yes or no: 1 and 0, or a word for true or false in one of some languages.
pub fn yes_or_no(cell: &str) -> Option<bool> {
    match Meaning::of(cell)? {
        Meaning::One | Meaning::True => Some(true),
        Meaning::Zero | Meaning::False => Some(false),
        Meaning::MinusOne => None,
    }
}

/// Words for true: of programs, and of people who fill in a sheet in English, German, French, Portuguese, Spanish or Italian.
const TRUE: [&str; 13] =
    ["true", "t", "yes", "y", "wahr", "ja", "vrai", "oui", "verdadeiro", "sim", "verdadero", "sí", "vero"];
/// Words for false.
const FALSE: [&str; 12] =
    ["false", "f", "no", "n", "falsch", "nein", "faux", "non", "falso", "não", "nao", "nej"];

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
            Err(_) => {
                let lower = text.to_lowercase();
                let is = |words: &[&str]| words.contains(&lower.as_str());
                if is(&TRUE) {
                    Some(Meaning::True)
                } else if is(&FALSE) {
                    Some(Meaning::False)
                } else {
                    None
                }
            }
        }
    }
}

/// Refuses labels without a positive or without an unlabeled row.
pub(crate) fn check_both(labels: &[Label], what: &str) -> Result<(), DataError> {
    let (column, rows) = (what.to_string(), labels.len());
    if !labels.contains(&Label::Positive) {
        return Err(DataError::NoPositives { column, rows });
    }
    match (labels.contains(&Label::Unlabeled), count_labels(labels).negative) {
        (true, _) => Ok(()),
        (false, 0) => Err(DataError::NoUnlabeled { column, rows }),
        (false, negative) => Err(DataError::AllLabeled { column, rows, negative }),
    }
}

#[cfg(test)]
mod tests {
    use super::Label::{Negative as N, Positive as P, Unlabeled as U};
    use super::*;
    use crate::read_csv_bytes;

    /// Read without being told that it is a label, so numbers and truth values arrive as such.
    fn column(cells: &str) -> Column {
        let csv = format!("y,x\n{}", cells.split(' ').map(|cell| format!("{cell},0\n")).collect::<String>());
        read_csv_bytes(csv.as_bytes()).unwrap().take("y").unwrap()
    }

    #[test]
    fn what_cells_meant_is_known_of_other_files() {
        let of = |cells: &str, positive: Option<&str>, negative: Option<&str>| {
            let column = column(cells);
            let labels = labels_from_column(&column, positive, negative).unwrap();
            let meant = LabelColumn::of(&column, &labels, &[positive, negative]);
            assert_eq!(cells.split(' ').map(|cell| meant.label(cell)).collect::<Vec<_>>(), labels);
            meant
        };
        let meant = of("1 0 0 1", None, None);
        assert_eq!([" 1.0", "true", "0", "", "2"].map(|cell| meant.label(cell)), [P, P, U, U, U]);
        let meant = of("fraud ok fraud open", Some("Fraud"), Some("ok"));
        assert_eq!(["FRAUD", "ok", "open", "new"].map(|cell| meant.label(cell)), [P, N, U, U]);
    }

    fn labels(cells: &str, positive: Option<&str>) -> Result<Vec<Label>, String> {
        labels_from_column(&column(cells), positive, None).map_err(|error| error.to_string())
    }

    fn three(cells: &str, positive: Option<&str>, negative: &str) -> Result<Vec<Label>, String> {
        labels_from_column(&column(cells), positive, Some(negative)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_column_without_a_label_is_named_as_such() {
        let blanks = read_csv_bytes(b"y,x\n,0\n,1\n").unwrap().take("y").unwrap();
        let error = labels_from_column(&blanks, None, None).unwrap_err().to_string();
        assert!(error.contains("is empty in every row; mark some rows"), "{error}");
    }

    #[test]
    fn answers_in_words_of_some_languages() {
        assert_eq!(["yes", "Ja", "1.0", "sim"].map(yes_or_no), [Some(true); 4]);
        assert_eq!(["no", "Nein", "0", "faux"].map(yes_or_no), [Some(false); 4]);
        assert_eq!(["-1", "2", "perhaps", ""].map(yes_or_no), [None; 4]);
    }

    #[test]
    fn words_for_nothing_are_blank_unless_named() {
        assert_eq!(labels("1 NaN nan 1 null", None).unwrap(), [P, U, U, P, U]);
        assert_eq!(labels("yes None no <NA>", Some("yes")).unwrap(), [P, U, U, U]);
        assert_eq!(three("1 0 nan", None, "0").unwrap(), [P, N, U]);
        assert_eq!(labels("none some none", Some("none")).unwrap(), [P, U, P]);
        let truth = truth_from_column(&column("1 0 NaN"), None).unwrap_err();
        assert!(matches!(truth, DataError::MissingTruth { row: 3, .. }), "{truth}");
    }

    #[test]
    fn a_named_negative_value() {
        assert_eq!(three("1 0 -1 -1", None, "-1").unwrap(), [P, U, N, N]);
        assert_eq!(three("1 0 -1 0", None, "0").unwrap(), [P, N, U, N]);
        assert_eq!(three("yes no  ", None, "no").unwrap(), [P, N, U, U]);
        assert_eq!(three("1 0  1.0", None, "0").unwrap(), [P, N, U, P]);
        assert_eq!(three("spam ham eggs  ham", Some("spam"), "ham").unwrap(), [P, N, U, U, N]);
        let counts = count_labels(&three("spam ham eggs  ham", Some("spam"), "ham").unwrap());
        assert_eq!(counts, Counts { positive: 1, unlabeled: 2, negative: 2 });
    }

    #[test]
    fn negative_values_that_say_nothing_are_refused() {
        let same = "'1.0' cannot mean both positive and negative";
        assert_eq!(three("1 0 -1", Some("1"), "1.0").unwrap_err(), same);
        assert_eq!(three("1 0", None, "2").unwrap_err(), "no row has '2' in column 'y'; it holds '0', '1'");
        assert!(three("yes no maybe", None, "no").unwrap_err().contains("holds 'maybe', 'yes', not 1/0"));
        assert!(three("1 0 0", None, "0").unwrap_err().contains("all 3 rows are labeled"));
        assert!(three("0 0 0", None, "0").unwrap_err().contains("no positives among 3 rows"));
        // A cell that is empty next to three values is a mistake, not a kind.
        assert!(three("1 0 -1 ", None, "-1").unwrap_err().contains("empty in row 4"));
    }

    #[test]
    fn the_accepted_pairs() {
        for cells in [
            "1 0 0",
            "1 -1 -1",
            "true false false",
            "True FALSE false",
            "1.0 0.0 0",
            "+1 -1 -1.0",
            "yes no no",
            "Ja Nein nein",
            "t f f",
        ] {
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
    fn what_is_not_plain_is_told() {
        let taken = |cells: &str| taken_as(&column(cells), None);
        assert_eq!(taken("1  "), Some(("1".to_string(), None)));
        assert_eq!(taken("x  "), Some(("x".to_string(), None)));
        assert_eq!(taken("no yes no"), Some(("yes".to_string(), Some("no".to_string()))));
        assert_eq!(taken("1 0 0"), None);
        assert_eq!(taken("true false"), None);
        assert_eq!(taken_as(&column("x  "), Some("x")), None);
    }

    #[test]
    fn case_and_blanks_do_not_tell_words_apart() {
        let text = |cells: &[&str]| {
            let csv =
                format!("y,x\n{}", cells.iter().map(|cell| format!("\"{cell}\",0\n")).collect::<String>());
            read_csv_bytes(csv.as_bytes()).unwrap().take("y").unwrap()
        };
        let mixed = text(&["Yes", "", "yes", "YES", "yes ", ""]);
        assert_eq!(labels_from_column(&mixed, None, None).unwrap(), [P, U, P, P, P, U]);
        let folded = |column: &Column, named| folded_labels(column, named);
        assert_eq!(folded(&mixed, &[]), [("yes".to_string(), vec!["YES".to_string(), "Yes".to_string()])]);
        assert_eq!(taken_as(&mixed, None), Some(("yes".to_string(), None)));
        let churned = text(&["Churned", "churned", "stayed", "at  risk", "At Risk"]);
        for name in ["churned", "CHURNED"] {
            assert_eq!(labels_from_column(&churned, Some(name), None).unwrap(), [P, P, U, U, U]);
        }
        let risk = labels_from_column(&churned, Some("churned"), Some("at risk")).unwrap();
        assert_eq!(risk, [P, P, U, N, N]);
        // Several words for yes, and nothing else.
        assert_eq!(labels_from_column(&text(&["ja", "", "Yes"]), None, None).unwrap(), [P, U, P]);
        // Letters may be codes, unless there is nothing but one of them.
        let codes = text(&["a", "A", "b"]);
        assert_eq!(labels_from_column(&codes, Some("a"), None).unwrap(), [P, U, U]);
        assert_eq!(labels_from_column(&text(&["x", "X", ""]), None, None).unwrap(), [P, P, U]);
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
        let error = labels_from_column(&column("1 2 1"), None, None).unwrap_err();
        assert!(error.to_string().contains("holds '1', '2', not 1/0"), "{error}");
        assert_eq!(error.hint(), Some(crate::Hint::new("name the positive value", "positive", "VALUE")));
        assert!(labels("spam ham", None).unwrap_err().contains("'ham', 'spam'"));
        assert!(labels("a b c d e f", None).unwrap_err().contains("'e', … (6 in all)"));
        assert!(labels("1 true false", None).unwrap_err().contains("not 1/0, 1/-1, true/false or yes/no"));
        let three = labels_from_column(&column("1 0 -1"), None, None).unwrap_err();
        assert_eq!(
            three.to_string(),
            "column 'y' holds three kinds of labels ('-1', '0', '1'), and nothing says which means negative and which \
             unlabeled"
        );
        assert_eq!(three.hint().unwrap().setting, "negative");
        assert!(
            labels("1 0  0", None)
                .unwrap_err()
                .contains("three kinds of labels ('0', '1', and an empty cell in row 3)")
        );
        assert!(
            labels("yes no  yes", None).unwrap_err().contains("('no', 'yes', and an empty cell in row 3)")
        );
        assert!(labels("1 0  0  1", None).unwrap_err().contains("and 2 empty cells, the first in row 3"));
        assert!(labels("1 0 -1 ", None).unwrap_err().contains("both 0 and -1"));
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
