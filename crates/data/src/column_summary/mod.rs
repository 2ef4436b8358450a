//! What is learned of a column: how much of it is missing, its categories and how often each occurs, the range, the mean and the
//! quantiles of its numbers, the parts of its dates.
//!
//! A [`ColumnSummary`] of some rows is merged with those of others, and neither the order of rows nor how they are shared out changes
//! a bit of it: counts are whole numbers, sums of numbers are exact ([`ExactSum`](onesided_table::ExactSum)), and what is kept of many
//! numbers follows from all of them ([`ValueCounts`]). A whole table is learned from by the summaries of its stretches of rows, one per
//! thread. What depends on the order of rows (whether times rise with them, where labels stop) is found by the rules about columns.
//!
//! What a column is (numbers, with which decimal sign, or dates, in which order) is settled before, by its reader.

mod logs;
mod moments;
mod value_counts;

pub use logs::Logs;
pub(crate) use logs::{BLOCK, Single};
pub use moments::Moments;
pub use value_counts::ValueCounts;

use onesided_table::{MISSING_CODE, TimeColumn, TimeFeature, TimeStyle, Values, map_stretches};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

/// Blocks of rows that are worth their own thread.
const BLOCKS_OF_A_THREAD: usize = 4;

/// What is learned of the cells of a column, whatever their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnSummary<'a> {
    /// Rows.
    pub rows: u64,
    /// Rows without a value.
    pub missing: u64,
    /// What the others hold.
    pub holds: Holds<'a>,
}

/// What the cells of a column hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds<'a> {
    /// Nothing: all are missing.
    #[default]
    Nothing,
    /// Numbers.
    Numbers(Box<NumberSummary>),
    /// Truth values: how many are false, and how many true.
    Flags([u64; 2]),
    /// Categories, sorted, and how many cells each has.
    Categories(Vec<(Cow<'a, str>, u64)>),
    /// Dates and times.
    Times(Box<TimeSummary>),
    /// Vectors of one length: the numbers of each place.
    Vectors(Vec<Moments>),
    /// Texts, whose words are counted elsewhere.
    Texts,
}

/// What is learned of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NumberSummary {
    /// As they are.
    pub moments: Moments,
    /// Rounded to `f32`, where that changes one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounded: Option<Moments>,
    /// Whether all are whole.
    pub whole: bool,
    /// How often each occurs.
    pub counts: ValueCounts,
    /// Their logarithms.
    pub logs: Logs,
}

/// What is learned of dates and times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimeSummary {
    /// How they are written.
    pub style: TimeStyle,
    /// The signs between day and month, a bit for each.
    pub signs: u8,
    /// Seconds since 1970, or since midnight.
    pub seconds: Moments,
    /// What calendar and clock show, for each of [`TimeSummary::parts_of`].
    pub parts: Vec<Moments>,
}

/// Two summaries that are not of one column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a column that is {0} and one that is {1} cannot be one column: convert one of them")]
pub struct UnlikeColumns(pub &'static str, pub &'static str);

impl Default for NumberSummary {
    fn default() -> Self {
        let (moments, counts, logs) = (Moments::default(), ValueCounts::default(), Logs::default());
        Self { moments, rounded: None, whole: true, counts, logs }
    }
}

impl NumberSummary {
    fn push<T: Single>(&mut self, numbers: &[T]) {
        for block in numbers.chunks(BLOCK) {
            self.logs.count(block);
            let present = || block.iter().map(|&x| x.into()).filter(|x: &f64| !x.is_nan());
            self.whole = self.whole && present().all(|x| x.fract() == 0.0);
            for x in present() {
                let narrow = f64::from(x as f32);
                if let Some(rounded) = &mut self.rounded {
                    rounded.push(narrow);
                } else if narrow != x {
                    self.rounded.insert(self.moments.clone()).push(narrow);
                }
                self.moments.push(x);
                self.counts.push(x);
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        if self.rounded.is_some() || other.rounded.is_some() {
            let rounded = self.rounded.get_or_insert_with(|| self.moments.clone());
            rounded.merge(other.rounded.as_ref().unwrap_or(&other.moments));
        }
        self.moments.merge(&other.moments);
        self.whole &= other.whole;
        self.counts.merge(&other.counts);
        self.logs.merge(&other.logs);
    }
}

impl TimeSummary {
    fn new(times: &TimeColumn) -> Self {
        let parts = vec![Moments::default(); Self::parts_of(times.style).len()];
        Self { style: times.style, signs: times.signs(), seconds: Moments::default(), parts }
    }

    /// What times of a style show.
    pub fn parts_of(style: TimeStyle) -> &'static [TimeFeature] {
        use TimeFeature::{Day, Days, Hour, Month, Weekday};
        if style == TimeStyle::Clock { &[Hour] } else { &[Days, Month, Weekday, Day, Hour] }
    }

    fn push(&mut self, seconds: impl Iterator<Item = f64>) {
        for seconds in seconds {
            self.seconds.push(seconds);
            let parts = self.parts.iter_mut().zip(Self::parts_of(self.style));
            parts.for_each(|(moments, part)| moments.push(part.value(seconds, 0.0)));
        }
    }

    fn merge(&mut self, other: &Self) {
        self.signs |= other.signs;
        self.seconds.merge(&other.seconds);
        self.parts.iter_mut().zip(&other.parts).for_each(|(part, other)| part.merge(other));
    }
}

impl<'a> ColumnSummary<'a> {
    /// That of all cells of a column.
    pub fn of(values: &'a Values) -> Self {
        let blocks: Vec<usize> = (0..values.len()).step_by(BLOCK).collect();
        let some = |blocks: &[usize]| {
            let end = blocks.last().map_or(0, |&start| values.len().min(start + BLOCK));
            Self::of_rows(values, blocks[0]..end)
        };
        let stretches = map_stretches(&blocks, 0, BLOCKS_OF_A_THREAD, some);
        // Stretches of one column are alike.
        let merged = stretches.into_iter().reduce(|mut all, more| {
            let _ = all.merge(&more);
            all
        });
        merged.unwrap_or_default()
    }

    /// That of some rows.
    pub fn of_rows(values: &'a Values, rows: Range<usize>) -> Self {
        let missing = rows.clone().filter(|&row| values.is_missing(row)).count();
        let present = |seconds: &'a [f64]| seconds.iter().copied().filter(|seconds| !seconds.is_nan());
        let holds = match values {
            // Categories are known even where no cell has one.
            Values::Categorical { codes, levels } => categories(&codes[rows.clone()], levels),
            _ if missing == rows.len() => Holds::Nothing,
            Values::Numeric(values) => numbers(&values[rows.clone()]),
            Values::Wide(values) => numbers(&values[rows.clone()]),
            Values::Boolean(values) => {
                let flags = &values[rows.clone()];
                let of = |flag: bool| flags.iter().filter(|cell| **cell == Some(flag)).count() as u64;
                Holds::Flags([of(false), of(true)])
            }
            Values::Times(times) => {
                let mut of_times = TimeSummary::new(times);
                of_times.push(present(&times.seconds[rows.clone()]));
                Holds::Times(Box::new(of_times))
            }
            Values::Vectors { width, values } => {
                let mut places = vec![Moments::default(); *width];
                let cells = values[rows.start * width..rows.end * width].chunks_exact(*width);
                for row in cells.filter(|row| !row[0].is_nan()) {
                    places.iter_mut().zip(row).for_each(|(moments, &x)| moments.push(f64::from(x)));
                }
                Holds::Vectors(places)
            }
            Values::Text(_) => Holds::Texts,
        };
        Self { rows: rows.len() as u64, missing: missing as u64, holds }
    }

    /// Adds other rows of the column.
    pub fn merge(&mut self, other: &Self) -> Result<(), UnlikeColumns> {
        let kinds = UnlikeColumns(self.holds.kind(), other.holds.kind());
        match (&mut self.holds, &other.holds) {
            (_, Holds::Nothing) => {}
            (nothing @ Holds::Nothing, holds) => *nothing = holds.clone(),
            (Holds::Numbers(numbers), Holds::Numbers(more)) => numbers.merge(more),
            (Holds::Flags(flags), Holds::Flags(more)) => {
                flags.iter_mut().zip(more).for_each(|(flag, more)| *flag += more);
            }
            (Holds::Categories(levels), Holds::Categories(more)) => {
                *levels = joined(std::mem::take(levels), more);
            }
            (Holds::Times(times), Holds::Times(more)) if times.style == more.style => times.merge(more),
            (Holds::Vectors(places), Holds::Vectors(more)) if places.len() == more.len() => {
                places.iter_mut().zip(more).for_each(|(place, more)| place.merge(more));
            }
            (Holds::Texts, Holds::Texts) => {}
            _ => return Err(kinds),
        }
        self.rows += other.rows;
        self.missing += other.missing;
        Ok(())
    }
}

impl Holds<'_> {
    /// What messages call it.
    fn kind(&self) -> &'static str {
        match self {
            Holds::Nothing => "empty",
            Holds::Numbers(_) => "numeric",
            Holds::Flags(_) => "true/false",
            Holds::Categories(_) | Holds::Texts => "text",
            Holds::Times(_) => "dates",
            Holds::Vectors(_) => "vectors",
        }
    }
}

fn numbers<T: Single>(values: &[T]) -> Holds<'static> {
    let mut numbers = NumberSummary::default();
    numbers.push(values);
    Holds::Numbers(Box::new(numbers))
}

fn categories<'a>(codes: &[u32], levels: &'a [String]) -> Holds<'a> {
    if levels.is_empty() {
        return Holds::Nothing;
    }
    let mut counts = vec![0; levels.len()];
    codes.iter().filter(|&&code| code != MISSING_CODE).for_each(|&code| counts[code as usize] += 1);
    let mut levels: Vec<(Cow<'a, str>, u64)> =
        levels.iter().map(|level| Cow::Borrowed(level.as_str())).zip(counts).collect();
    levels.sort_unstable();
    Holds::Categories(levels)
}

/// Two sorted lists of categories as one.
fn joined<'a>(left: Vec<(Cow<'a, str>, u64)>, right: &[(Cow<'a, str>, u64)]) -> Vec<(Cow<'a, str>, u64)> {
    let mut all = Vec::with_capacity(left.len().max(right.len()));
    let (mut left, mut right) = (left.into_iter().peekable(), right.iter().cloned().peekable());
    loop {
        let next = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) => a.0.cmp(&b.0),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return all,
        };
        let more = if next.is_ge() { right.next() } else { None };
        let mine = if next.is_le() { left.next() } else { None };
        let count =
            mine.as_ref().map_or(0, |(_, count)| *count) + more.as_ref().map_or(0, |(_, count)| *count);
        all.extend(mine.or(more).map(|(level, _)| (level, count)));
    }
}
