//! What a column holds and how it is scaled.

use super::Seen;
use super::time::{TimePart, parts_of};
use crate::DataError;
use crate::column_rule::ColumnRule;
use crate::column_summary::{ColumnSummary, Holds, Moments};
use crate::text::TextFeatures;
use onesided_table::NumberStyle;
use onesided_table::Position;
use onesided_table::TimeStyle;
use onesided_table::{CellsRead, Column, Values, WhyLeftOut};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A spread below this share of the largest number needs every digit of an `f64`: `f32` would leave fewer than 2^14 steps
/// of it.
const NARROW_SPREAD: f64 = 1e-3;

/// What is a category among columns of texts.
pub(crate) static RULE: ColumnRule = ColumnRule {
    name: "category or text",
    finds: "texts of which most are of single rows: free text where they are long, otherwise the levels of many rows, or an identifier, \
            which is left out",
    constants: &[
        ("FEW_LEVELS", FEW_LEVELS as f64),
        ("OWN_LEVEL", OWN_LEVEL as f64),
        ("MANY_LEVELS", MANY_LEVELS as f64),
        ("ROWS_PER_LEVEL", ROWS_PER_LEVEL as f64),
        ("ROWS_OF_A_LEVEL", ROWS_OF_A_LEVEL as f64),
        ("MOST_FREQUENT", MOST_FREQUENT as f64),
        ("LEAST_COVERED", LEAST_COVERED as f64),
        ("WORDS_OF_TEXT", WORDS_OF_TEXT),
        ("WORDS_OF_SHORT_TEXT", WORDS_OF_SHORT_TEXT),
    ],
    evidence: "benches/tables/README.md (levels.py)",
};

/// Up to this many categories are taken whatever their number of rows.
const FEW_LEVELS: usize = 20;

/// Categories describe single rows where more than this share of the rows, in percent, has one of its own,
const OWN_LEVEL: usize = 90;

/// and where there are more than this many of them,
const MANY_LEVELS: usize = 256;

/// with fewer rows each than this on average.
const ROWS_PER_LEVEL: usize = 3;

/// Such cells are free text from this many words each on,
const WORDS_OF_TEXT: f64 = 3.0;

/// and short texts, such as titles and names, from this many on.
const WORDS_OF_SHORT_TEXT: f64 = 1.5;

/// Where most categories are of single rows, those of this many rows are kept,
const ROWS_OF_A_LEVEL: u64 = 10;

/// the most frequent of them,
const MOST_FREQUENT: usize = 256;

/// if they have one row in this many.
const LEAST_COVERED: usize = 10;

/// One column of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Its name in the header.
    pub name: String,
    /// What it holds and how it is scaled.
    #[serde(flatten)]
    pub kind: FeatureKind,
    /// How its numbers are written in text tables.
    #[serde(default, skip_serializing_if = "NumberStyle::is_point")]
    pub numbers: NumberStyle,
    /// Whether they have signs between groups of digits there, as in `1,234`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub grouped: bool,
    /// Whether nothing showed their decimal sign: they are whole, and so are those of other columns.
    #[serde(default, skip_serializing_if = "is_false")]
    pub no_sign: bool,
    /// What training saw of it; nothing in models of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
}

/// What a column holds and how it is scaled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FeatureKind {
    /// Numbers, encoded as (x - mean) / scale.
    Numeric {
        /// Mean of the training rows.
        mean: f64,
        /// Standard deviation of the training rows (division by n).
        scale: f64,
        /// Whether x is centered before it is rounded to `f32`: its spread is far below its size.
        #[serde(default, skip_serializing_if = "is_false")]
        wide: bool,
    },
    /// Truth values, encoded as (x - mean) / scale with x = 0 or 1.
    Boolean {
        /// Share of `true` in the training rows.
        mean: f64,
        /// Standard deviation of the training rows (division by n).
        scale: f64,
    },
    /// Categories, encoded as one 0/1 column per level.
    Categorical {
        /// The categories that training saw, sorted.
        levels: Vec<String>,
        /// Whether training saw others, each in few rows, that are none of these: as those that it never saw.
        #[serde(default, skip_serializing_if = "is_false")]
        rest: bool,
    },
    /// Texts, encoded as one column per term.
    Text {
        /// The terms and their weights.
        text: TextFeatures,
        /// Whether it was found among other columns and has few terms, so that rows stay dense.
        #[serde(default, skip_serializing_if = "is_false")]
        beside: bool,
    },
    /// Dates and times, encoded part by part as (x - mean) / scale.
    Time {
        /// How they are written in text tables.
        style: TimeStyle,
        /// What is between day and month there, a bit for each sign: 1 a slash, 2 a point, 4 a dash. 0 where nothing was open, and in
        /// models of earlier versions.
        #[serde(default, skip_serializing_if = "is_zero")]
        signs: u8,
        /// What is learned of them.
        parts: Vec<TimePart>,
    },
    /// Vectors of one length, encoded place by place as (x - mean) / scale.
    Vector {
        /// Means of the training rows.
        means: Vec<f64>,
        /// Standard deviations of the training rows (division by n); 1 where all are the same.
        scales: Vec<f64>,
    },
}

/// Whether this many categories in this many rows describe single rows: nearly all rows have their own, or, of many
/// categories, the average one has hardly a few rows.
fn nearly_unique(levels: usize, rows: usize) -> bool {
    (levels > FEW_LEVELS && levels * 100 > rows * OWN_LEVEL)
        || (levels > MANY_LEVELS && levels * ROWS_PER_LEVEL > rows)
}

/// The levels that have enough rows to learn from, where those are some part of all rows: of job titles, `teacher`.
fn frequent(levels: &[(Cow<'_, str>, u64)], rows: usize) -> Option<Vec<String>> {
    let mut kept: Vec<&(Cow<'_, str>, u64)> =
        levels.iter().filter(|(_, count)| *count >= ROWS_OF_A_LEVEL).collect();
    // Sorting is stable: of levels as frequent, those that come first are kept.
    kept.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    kept.truncate(MOST_FREQUENT);
    let covered: u64 = kept.iter().map(|(_, count)| count).sum();
    kept.sort_unstable();
    let covers = covered as usize * LEAST_COVERED >= rows;
    covers.then(|| kept.into_iter().map(|(level, _)| level.to_string()).collect())
}

/// Categories that are learned from, or why they are not.
fn categories(levels: &[(Cow<'_, str>, u64)], rows: usize) -> Result<FeatureKind, WhyLeftOut> {
    if !nearly_unique(levels.len(), rows) {
        let levels = levels.iter().map(|(level, _)| level.to_string()).collect();
        return Ok(FeatureKind::Categorical { levels, rest: false });
    }
    // Nearly every row has its own text: nothing to learn, and much to memorize.
    let words: usize = levels.iter().map(|(level, _)| level.split_whitespace().count()).sum();
    let words = words as f64 / levels.len() as f64;
    match frequent(levels, rows) {
        _ if words >= WORDS_OF_TEXT => Err(WhyLeftOut::FreeText),
        Some(levels) => Ok(FeatureKind::Categorical { levels, rest: true }),
        None if words >= WORDS_OF_SHORT_TEXT => Err(WhyLeftOut::ShortText),
        None => Err(WhyLeftOut::Identifier),
    }
}

fn is_zero(signs: &u8) -> bool {
    *signs == 0
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl Feature {
    /// A column whose numbers have a decimal point where they are written out.
    pub(super) fn new(name: String, kind: FeatureKind) -> Self {
        Self { name, kind, numbers: NumberStyle::Point, grouped: false, no_sign: false, seen: None }
    }

    /// Where a column of whole numbers shows no sign, its sign is that of the others, if these agree.
    pub(super) fn learn_from_others(features: &mut [Feature]) {
        let shows =
            |feature: &&Feature| matches!(feature.kind, FeatureKind::Numeric { .. }) && !feature.no_sign;
        let mut shown = features.iter().filter(shows).map(|feature| feature.numbers);
        let first = shown.next();
        let agreed = first.filter(|first| shown.all(|style| style == *first));
        for feature in features.iter_mut().filter(|feature| feature.no_sign) {
            feature.no_sign = agreed.is_none();
            feature.numbers = agreed.unwrap_or_default();
        }
    }

    /// Learns how its numbers are written. Where two files differ, new ones are written like the last that shows it: positives come
    /// first.
    pub(super) fn learn_writing(&mut self, read: &[CellsRead], summary: &ColumnSummary<'_>) {
        self.no_sign = matches!(&summary.holds, Holds::Numbers(numbers) if numbers.whole);
        let of_column = || read.iter().filter(|cells| cells.column == self.name);
        let shown = of_column().rfind(|cells| cells.sure == Some(true));
        if let Some(cells) = shown.or(of_column().rfind(|cells| cells.sure.is_some())) {
            let style = cells.style;
            self.grouped = of_column().any(|cells| cells.style == style && cells.groups);
            (self.numbers, self.no_sign) = (style, false);
        }
    }

    /// Learns from a column that is not of texts, or says why there is nothing to learn.
    pub(super) fn fit(column: &Column, summary: &ColumnSummary<'_>) -> Result<Self, WhyLeftOut> {
        let kind = match &summary.holds {
            Holds::Nothing => Err(WhyLeftOut::Empty),
            Holds::Numbers(numbers) => {
                let narrow = numbers.moments.spread() < NARROW_SPREAD * numbers.moments.largest();
                let wide = narrow && numbers.rounded.is_some();
                let moments = numbers.rounded.as_ref().filter(|_| !wide).unwrap_or(&numbers.moments);
                moments.finish().map(|(mean, scale)| FeatureKind::Numeric { mean, scale, wide })
            }
            &Holds::Flags([no, yes]) => {
                let mut moments = Moments::default();
                moments.push_times(0.0, no);
                moments.push_times(1.0, yes);
                moments.finish().map(|(mean, scale)| FeatureKind::Boolean { mean, scale })
            }
            // One level next to missing cells still tells the two apart.
            Holds::Categories(levels) if levels.len() == 1 && summary.missing == 0 => {
                Err(WhyLeftOut::Constant)
            }
            Holds::Categories(levels) => categories(levels, summary.rows as usize),
            Holds::Vectors(places) if places.iter().all(|place| place.spread() <= 0.0) => {
                Err(WhyLeftOut::Constant)
            }
            Holds::Vectors(places) => {
                let (means, scales) = places.iter().map(Moments::or_centered).unzip();
                Ok(FeatureKind::Vector { means, scales })
            }
            Holds::Times(times) => match &column.values {
                Values::Times(column) => parts_of(column, times).map(|parts| FeatureKind::Time {
                    style: times.style,
                    signs: times.signs,
                    parts,
                }),
                _ => Err(WhyLeftOut::Type),
            },
            Holds::Texts => Err(WhyLeftOut::FreeText),
        };
        kind.map(|kind| Self::new(column.name.clone(), kind))
    }

    /// Columns of the matrix that it becomes.
    pub fn width(&self) -> usize {
        match &self.kind {
            FeatureKind::Categorical { levels, .. } => levels.len(),
            FeatureKind::Text { text, .. } => text.terms().len(),
            FeatureKind::Vector { means, .. } => means.len(),
            FeatureKind::Time { parts, .. } => parts.len(),
            FeatureKind::Numeric { .. } | FeatureKind::Boolean { .. } => 1,
        }
    }

    /// Their names.
    pub(super) fn names(&self, alone: bool) -> Vec<String> {
        match &self.kind {
            FeatureKind::Categorical { levels, .. } => {
                levels.iter().map(|level| format!("{}={level}", self.name)).collect()
            }
            FeatureKind::Text { text, .. } if alone => text.terms().to_vec(),
            FeatureKind::Text { text, .. } => {
                text.terms().iter().map(|term| format!("{}:{term}", self.name)).collect()
            }
            FeatureKind::Time { parts, .. } => parts.iter().map(|part| part.part.named(&self.name)).collect(),
            FeatureKind::Vector { means, .. } => {
                (0..means.len()).map(|place| format!("{}[{place}]", self.name)).collect()
            }
            FeatureKind::Numeric { .. } | FeatureKind::Boolean { .. } => vec![self.name.clone()],
        }
    }

    /// The error that the column holds something else than in training.
    pub(crate) fn changed(&self, found: &'static str) -> DataError {
        let fitted = match self.kind {
            FeatureKind::Numeric { .. } => "numeric",
            FeatureKind::Boolean { .. } => "true/false",
            FeatureKind::Categorical { .. } | FeatureKind::Text { .. } => "text",
            FeatureKind::Vector { .. } => "vectors",
            FeatureKind::Time { .. } => "dates",
        };
        DataError::KindChanged { column: self.name.clone(), fitted, found, example: None }
    }

    /// [`changed`](Self::changed) with a cell that shows it, where there is one.
    pub(crate) fn changed_by(&self, found: &'static str, example: Option<(String, Position)>) -> DataError {
        match self.changed(found) {
            DataError::KindChanged { column, fitted, found, .. } => {
                DataError::KindChanged { column, fitted, found, example }
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels of so many words each, and how many rows have each.
    fn levels(counts: impl IntoIterator<Item = u64>, words: usize) -> Vec<(Cow<'static, str>, u64)> {
        let level = |(at, count)| (Cow::Owned(format!("{at:04}{}", " w".repeat(words - 1))), count);
        counts.into_iter().enumerate().map(level).collect()
    }

    #[test]
    fn levels_of_single_rows() {
        // FEW_LEVELS: 20 are taken even if each row has its own.
        assert!(!nearly_unique(20, 20) && nearly_unique(21, 21));
        // OWN_LEVEL: 90 of 100.
        assert!(!nearly_unique(90, 100) && nearly_unique(91, 100));
        // MANY_LEVELS and ROWS_PER_LEVEL: of more than 256, three rows each.
        assert!(!nearly_unique(256, 767) && nearly_unique(257, 770) && !nearly_unique(257, 771));
    }

    #[test]
    fn levels_of_many_rows_are_kept() {
        let kept = |counts: Vec<u64>| {
            let rows = counts.iter().sum::<u64>() as usize;
            frequent(&levels(counts, 1), rows).map(|kept| kept.len())
        };
        // ROWS_OF_A_LEVEL: 10, and not 9. LEAST_COVERED: 10 of 100 rows, and not of 101.
        assert_eq!(kept([vec![10], vec![1; 90]].concat()), Some(1));
        assert_eq!(kept([vec![10], vec![1; 91]].concat()), None);
        assert_eq!(kept([vec![9], vec![1; 9]].concat()), None);
        assert_eq!(kept([vec![10, 9], vec![1; 60]].concat()), Some(1));
        // MOST_FREQUENT: 256.
        assert_eq!(kept(vec![10; 300]), Some(256));
    }

    #[test]
    fn words_tell_texts_from_names() {
        let of = |words: usize| categories(&levels(vec![1; 30], words), 30).unwrap_err();
        // WORDS_OF_SHORT_TEXT: 1.5, WORDS_OF_TEXT: 3.
        assert_eq!(
            [of(1), of(2), of(3)],
            [WhyLeftOut::Identifier, WhyLeftOut::ShortText, WhyLeftOut::FreeText]
        );
        let half = [levels(vec![1; 15], 1), levels(vec![1; 15], 2)].concat();
        assert_eq!(categories(&half, 30).unwrap_err(), WhyLeftOut::ShortText);
        let less = [levels(vec![1; 16], 1), levels(vec![1; 14], 2)].concat();
        assert_eq!(categories(&less, 30).unwrap_err(), WhyLeftOut::Identifier);
    }
}
