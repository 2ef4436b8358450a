//! A column of dates or times, found by its cells.

use super::calendar::{DAY, Moment, days_of};
use super::written::{Date, Written, compact_seconds, is_blank, seconds_of, written};
use crate::Frame;
use crate::features::TimeFeature;
use crate::frame::{Column, MISSING_CODE, Values};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A column is of dates if at least this share of its cells are, in percent.
pub(crate) const NEARLY_ALL: usize = 95;

/// Numbers such as 20240301 are dates where there are at least this many different ones and each is a day.
const LEAST_COMPACT: usize = 10;

/// How the dates of a column are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeStyle {
    /// The year first, or the month by its name: no question which number is the day.
    #[default]
    YearFirst,
    /// `31.12.2024`.
    DayFirst,
    /// `12/31/2024`.
    MonthFirst,
    /// `20241231`.
    Compact,
    /// A time of day without a date.
    Clock,
}

impl TimeStyle {
    /// What comes first in a date.
    pub(crate) fn first(self) -> &'static str {
        match self {
            TimeStyle::DayFirst => "day",
            TimeStyle::MonthFirst => "month",
            TimeStyle::YearFirst | TimeStyle::Compact | TimeStyle::Clock => "year",
        }
    }
}

/// Times of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeColumn {
    /// Seconds since the start of 1970, or since midnight; NaN where a cell is missing. Shared, since differences of two
    /// columns are features.
    pub seconds: Arc<Vec<f64>>,
    /// How they are written.
    pub style: TimeStyle,
    /// Whether a cell tells that the style is that one; else day and month could be the other way round in all of them.
    pub sure: bool,
    /// Where they rise or fall with the row, so that how late a time is tells where its row is: over how many seconds the
    /// rows of each kind spread at least.
    pub in_order: Option<f64>,
    /// Of such times the parts of the calendar that tell nothing which comes round.
    pub unrepeated: Vec<TimeFeature>,
    /// Of such times, whether the place of a row in the table tells whether it is labeled.
    pub tells_labels: bool,
}

impl TimeColumn {
    /// Times that no one wrote out.
    pub(crate) fn of(seconds: Vec<f64>, style: TimeStyle) -> Self {
        Self {
            seconds: Arc::new(seconds),
            style,
            sure: true,
            in_order: None,
            unrepeated: Vec::new(),
            tells_labels: false,
        }
    }

    /// The column as that of another style, where nothing but the order of day and month is open.
    pub(crate) fn turned(self, style: TimeStyle) -> Self {
        use TimeStyle::{DayFirst, MonthFirst};
        match (self.sure, self.style, style) {
            (false, DayFirst, MonthFirst) | (false, MonthFirst, DayFirst) => {
                let turn = |&seconds: &f64| turned(seconds);
                Self::of(self.seconds.iter().map(turn).collect(), style)
            }
            _ => self,
        }
    }
}

/// A date whose day and month change places.
fn turned(seconds: f64) -> f64 {
    if seconds.is_nan() {
        return seconds;
    }
    let Moment { year, month, day, .. } = Moment::at(seconds);
    let days = (seconds / DAY).floor();
    match days_of(year, day, month) {
        Some(other) => seconds + (other as f64 - days) * DAY,
        None => seconds,
    }
}

/// Categories as times, where enough cells are that (`least` percent of them), and how many cells are something else.
pub(crate) fn from_categories(codes: &[u32], levels: &[String], least: usize) -> Option<(TimeColumn, usize)> {
    // Names and words are seen by their first cells.
    if levels.is_empty() || levels.iter().take(8).all(|level| written(level).is_none() && !is_blank(level)) {
        return None;
    }
    // The last day of 9999 is a date to a parser, and means "no end" to the people who write it.
    let read: Vec<Option<Written>> =
        levels.iter().map(|level| written(level).filter(|_| !is_blank(level))).collect();
    let mut counts = vec![0usize; levels.len()];
    codes.iter().for_each(|&code| {
        if let Some(count) = counts.get_mut(code as usize) {
            *count += 1;
        }
    });
    let cells: usize =
        levels.iter().zip(&counts).filter(|(level, _)| !is_blank(level)).map(|(_, count)| count).sum();
    let mut of_styles = StyleCounts::default();
    read.iter().zip(&counts).for_each(|(read, &count)| of_styles.add(*read, count));
    let (style, sure, fits) = of_styles.best();
    if fits == 0 || fits * 100 < cells * least {
        return None;
    }
    let of_levels: Vec<f64> =
        read.iter().map(|read| read.and_then(|read| read.seconds(style)).unwrap_or(f64::NAN)).collect();
    let seconds = codes.iter().map(|&code| match code {
        MISSING_CODE => f64::NAN,
        code => of_levels.get(code as usize).copied().unwrap_or(f64::NAN),
    });
    Some((TimeColumn { sure, ..TimeColumn::of(seconds.collect(), style) }, cells - fits))
}

/// How many cells are dates in each order of day and month, or times of day.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StyleCounts {
    clocks: usize,
    year: usize,
    day: usize,
    month: usize,
    /// Texts, and those with slashes among them that leave the order open.
    texts: usize,
    slashes: usize,
}

impl StyleCounts {
    /// Counts a text that is in this many cells.
    fn add(&mut self, read: Option<Written>, count: usize) {
        self.texts += 1;
        let Some(read) = read else { return };
        let fits = |style| if read.seconds(style).is_some() { count } else { 0 };
        self.clocks += fits(TimeStyle::Clock);
        self.year += fits(TimeStyle::YearFirst);
        self.day += fits(TimeStyle::DayFirst);
        self.month += fits(TimeStyle::MonthFirst);
        self.slashes += usize::from(matches!(read.date, Date::Open { sign: b'/', .. }));
    }

    /// Counts a cell that is not missing and says what it is in a style.
    pub(crate) fn read(&mut self, cell: &str, style: TimeStyle) -> Option<f64> {
        let read = written(cell);
        self.add(read, 1);
        match style {
            TimeStyle::Compact => seconds_of(cell, style),
            style => read?.seconds(style),
        }
    }

    /// The style that fits most cells, whether a cell decides it, and how many fit.
    pub(crate) fn best(&self) -> (TimeStyle, bool, usize) {
        let Self { clocks, year, day, month, texts, slashes } = *self;
        match (day.max(month), day.cmp(&month)) {
            (dates, _) if clocks > dates => (TimeStyle::Clock, true, clocks),
            (dates, _) if dates == year => (TimeStyle::YearFirst, true, year),
            (dates, std::cmp::Ordering::Greater) => (TimeStyle::DayFirst, true, dates),
            (dates, std::cmp::Ordering::Less) => (TimeStyle::MonthFirst, true, dates),
            // Slashes are the custom where the month comes first, points and dashes where the day does.
            (dates, _) if 2 * slashes > texts => (TimeStyle::MonthFirst, false, dates),
            (dates, _) => (TimeStyle::DayFirst, false, dates),
        }
    }

    /// The order of day and month in which the cells are dates where one was learned: another one where that does not fit
    /// nearly all of them, the other does, and some cell tells which or none fits what was learned.
    pub(crate) fn order_unlike(&self, learned: TimeStyle) -> TimeStyle {
        let fits = match learned {
            TimeStyle::YearFirst => self.year,
            TimeStyle::DayFirst => self.day,
            TimeStyle::MonthFirst => self.month,
            TimeStyle::Compact | TimeStyle::Clock => return learned,
        };
        let nearly_all = |fits: usize| fits * 100 >= self.texts * NEARLY_ALL;
        match self.best() {
            (TimeStyle::Clock, ..) => learned,
            (other, sure, more) if !nearly_all(fits) && nearly_all(more) && (sure || fits == 0) => other,
            _ => learned,
        }
    }
}

/// Numbers such as 20240301 as times.
pub(crate) fn from_numbers(numbers: impl Iterator<Item = f64>) -> TimeColumn {
    TimeColumn::of(
        numbers.map(|number| compact_seconds(number).unwrap_or(f64::NAN)).collect(),
        TimeStyle::Compact,
    )
}

/// Turns columns of numbers each of which is a day, such as 20240301, into times; columns that were asked to be numbers are
/// passed over.
pub(crate) fn compact(frame: &mut Frame, numeric: &[String]) {
    for Column { name, values } in &mut frame.columns {
        let times = match values {
            _ if numeric.contains(name) => None,
            Values::Numeric(numbers) => compact_days(numbers.iter().map(|&number| f64::from(number))),
            Values::Wide(numbers) => compact_days(numbers.iter().copied()),
            _ => None,
        };
        if let Some(times) = times {
            *values = Values::Times(times);
        }
    }
}

fn compact_days(numbers: impl Iterator<Item = f64> + Clone) -> Option<TimeColumn> {
    let mut present = numbers.clone().filter(|number| !number.is_nan());
    if !present.all(|number| compact_seconds(number).is_some()) {
        return None;
    }
    let times = from_numbers(numbers);
    let mut days: Vec<f64> = times.seconds.iter().copied().filter(|seconds| !seconds.is_nan()).collect();
    days.sort_unstable_by(f64::total_cmp);
    days.dedup();
    (days.len() >= LEAST_COMPACT).then_some(times)
}

/// Where a column leaves the order of day and month open and the others of the table agree, it has theirs. Returns the
/// columns that stay open, and whether the month comes first there.
pub(crate) fn agree(frame: &mut Frame) -> Vec<(String, bool)> {
    let open = |times: &TimeColumn| matches!(times.style, TimeStyle::DayFirst | TimeStyle::MonthFirst);
    let mut sure = frame.columns.iter().filter_map(|column| match &column.values {
        Values::Times(times) if times.sure && open(times) => Some(times.style),
        _ => None,
    });
    let first = sure.next();
    let agreed = first.filter(|first| sure.all(|style| style == *first));
    let mut left = Vec::new();
    for Column { name, values } in &mut frame.columns {
        let Values::Times(times) = values else { continue };
        if times.sure {
            continue;
        }
        match agreed {
            Some(style) => {
                *times = times.clone().turned(style);
                times.sure = true;
            }
            None => left.push((name.clone(), times.style == TimeStyle::MonthFirst)),
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(cells: &[&str]) -> Option<(TimeColumn, usize)> {
        let levels: Vec<String> = cells.iter().map(ToString::to_string).collect();
        from_categories(&(0..cells.len() as u32).collect::<Vec<_>>(), &levels, NEARLY_ALL)
    }

    #[test]
    fn the_whole_column_decides_the_order() {
        let (day, 0) = times(&["01/03/2024", "31/01/2024"]).unwrap() else { panic!() };
        assert_eq!((day.style, day.sure), (TimeStyle::DayFirst, true));
        let (month, 0) = times(&["01/03/2024", "01/31/2024"]).unwrap() else { panic!() };
        assert_eq!((month.style, month.sure), (TimeStyle::MonthFirst, true));
        let open = |cells: &[&str]| times(cells).map(|(times, _)| (times.style, times.sure));
        assert_eq!(open(&["01/03/2024", "02/03/2024"]), Some((TimeStyle::MonthFirst, false)));
        assert_eq!(open(&["01.03.2024", "02.03.2024"]), Some((TimeStyle::DayFirst, false)));
        assert_eq!(open(&["2024-03-01", "1 Mar 2024"]), Some((TimeStyle::YearFirst, true)));
        assert_eq!(open(&["12:30", "9:05 am"]), Some((TimeStyle::Clock, true)));
        assert_eq!(open(&["a", "b"]), None);
    }

    #[test]
    fn an_open_order_is_turned() {
        let (open, _) = times(&["01/03/2024 06:00", "02/03/2024"]).unwrap();
        let turned = open.turned(TimeStyle::DayFirst);
        let (expected, _) = times(&["2024-03-01 06:00", "2024-03-02"]).unwrap();
        assert_eq!((turned.seconds, turned.sure), (expected.seconds, true));
        let (sure, _) = times(&["01/31/2024"]).unwrap();
        assert_eq!(sure.clone().turned(TimeStyle::DayFirst), sure);
    }

    #[test]
    fn one_cell_in_twenty_may_be_something_else() {
        let mut cells: Vec<String> = (1..=19).map(|day| format!("2024-03-{day:02}")).collect();
        cells.push("soon".to_string());
        let codes: Vec<u32> = (0..20).collect();
        let (column, others) = from_categories(&codes, &cells, NEARLY_ALL).unwrap();
        assert_eq!((others, column.seconds[19].is_nan()), (1, true));
        assert!(from_categories(&codes, &cells, 100).is_none());
        cells[18] = "later".to_string();
        assert!(from_categories(&codes, &cells, NEARLY_ALL).is_none());
        // Blank dates do not count.
        cells[18] = "0000-00-00".to_string();
        cells[19] = "NaT".to_string();
        cells[0] = "9999-12-31 23:59:59".to_string();
        let (column, others) = from_categories(&codes, &cells, 100).unwrap();
        assert_eq!((others, column.seconds.iter().filter(|seconds| seconds.is_nan()).count()), (0, 3));
    }

    #[test]
    fn numbers_are_days_where_all_of_them_are() {
        assert!(compact_days((1..=9).map(|day| f64::from(20_240_300 + day))).is_none());
        let ten = compact_days((1..=10).map(|day| f64::from(20_240_300 + day))).unwrap();
        assert_eq!((ten.seconds[0], ten.style), (1_709_251_200.0, TimeStyle::Compact));
        assert!(compact_days((1..=32).map(|day| f64::from(20_240_300 + day))).is_none());
    }
}
