//! A column of dates or times, found by its cells.

use super::TimeFeature;
use super::written::{Date, SLASH, Written, compact_seconds, is_blank, seconds_of, written};
use crate::frame::{Column, Values};
use crate::{Frame, TableError};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A column is of numbers or of dates if at least this share of its cells are, in percent.
pub const NEARLY_ALL: usize = 95;

/// Numbers such as 20240301 are dates where there are at least this many different ones and each is a day.
pub const LEAST_COMPACT: usize = 10;

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
    /// Whether day and month are numbers, one of which comes first.
    pub(crate) fn is_open(self) -> bool {
        matches!(self, TimeStyle::DayFirst | TimeStyle::MonthFirst)
    }

    /// With day and month the other way round.
    fn turned(self) -> Self {
        match self {
            TimeStyle::DayFirst => TimeStyle::MonthFirst,
            TimeStyle::MonthFirst => TimeStyle::DayFirst,
            other => other,
        }
    }

    /// What comes first in a date.
    pub fn first(self) -> &'static str {
        match self {
            TimeStyle::DayFirst => "day",
            TimeStyle::MonthFirst => "month",
            TimeStyle::YearFirst | TimeStyle::Compact | TimeStyle::Clock => "year",
        }
    }
}

impl std::str::FromStr for TimeStyle {
    type Err = TableError;

    /// `day-first` or `month-first`.
    fn from_str(text: &str) -> Result<Self, TableError> {
        match text {
            "day-first" => Ok(TimeStyle::DayFirst),
            "month-first" => Ok(TimeStyle::MonthFirst),
            other => {
                let (what, found) = ("order of day and month", other.to_string());
                Err(TableError::UnknownWord { what, found, known: &["day-first", "month-first"] })
            }
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
    /// Where they could, what they are then.
    pub turned: Option<Arc<Vec<f64>>>,
    /// What the cells are in every style.
    pub(crate) counts: StyleCounts,
    /// Where they rise or fall with the row, so that how late a time is tells where its row is: over how many seconds the
    /// rows of each kind spread at least.
    pub in_order: Option<f64>,
    /// Of such times the parts of the calendar that tell nothing which comes round.
    pub unrepeated: Vec<TimeFeature>,
    /// Of such times, whether the place of a row in the table tells whether it is labeled.
    pub tells_labels: bool,
}

impl TimeColumn {
    /// The signs that are between day and month, a bit for each.
    pub fn signs(&self) -> u8 {
        self.counts.signs
    }

    /// Times that no one wrote out.
    pub fn of(seconds: Vec<f64>, style: TimeStyle) -> Self {
        Self {
            seconds: Arc::new(seconds),
            style,
            sure: true,
            turned: None,
            counts: StyleCounts::default(),
            in_order: None,
            unrepeated: Vec::new(),
            tells_labels: false,
        }
    }

    /// Adds a cell that is not missing; returns what it is, and whether it is a date with day and month in another order alone.
    /// `signs` are those that may be between day and month, 0 for any.
    pub fn push(&mut self, cell: &str, signs: u8) -> (Option<f64>, bool) {
        let read = written(cell);
        self.counts.add(read, 1);
        let is_open = |read: &Written| matches!(read.date, Date::Open { .. });
        let is_known = |read: &Written| signs == 0 || !is_open(read) || read.date.sign() & signs != 0;
        let seconds = match (self.style, read) {
            (_, Some(read)) if !is_known(&read) => None,
            (TimeStyle::Compact, None) => seconds_of(cell, TimeStyle::Compact),
            (style, read) => read.and_then(|read| read.seconds(style)),
        };
        Arc::make_mut(&mut self.seconds).push(seconds.unwrap_or(f64::NAN));
        if let Some(turned) = &mut self.turned {
            let other = read.and_then(|read| read.seconds(self.style.turned()));
            Arc::make_mut(turned).push(other.unwrap_or(f64::NAN));
        }
        (seconds, seconds.is_none() && read.is_some_and(|read| is_open(&read)))
    }

    /// Adds a missing cell.
    pub(crate) fn push_missing(&mut self) -> Option<f64> {
        Arc::make_mut(&mut self.seconds).push(f64::NAN);
        self.turned.iter_mut().for_each(|turned| Arc::make_mut(turned).push(f64::NAN));
        None
    }

    /// The column as that of another style, where nothing but the order of day and month is open.
    pub(crate) fn in_style(mut self, style: TimeStyle) -> Self {
        if self.style != style
            && self.style.turned() == style
            && self.counts.day == self.counts.month
            && let Some(turned) = self.turned.take()
        {
            self.turned = Some(std::mem::replace(&mut self.seconds, turned));
            self.style = style;
        }
        self
    }

    /// With the cells of another column below. Where one leaves the order of day and month open, all cells of both decide it.
    pub fn stacked(self, below: Self) -> Self {
        let mut counts = self.counts;
        counts.merge(&below.counts);
        let decides = [&below, &self].into_iter().find(|times| times.sure && times.style.is_open());
        let style = match decides {
            Some(times) => times.style,
            None if self.sure && below.sure => below.style,
            None => counts.best().0,
        };
        let sure = (self.sure && below.sure) || (decides.is_some() && counts.is_shown());
        let (above, below) = (self.in_style(style), below.in_style(style));
        let both = |a: &[f64], b: &[f64]| [a, b].concat();
        let turned = |times: &Self| times.turned.clone().unwrap_or_else(|| times.seconds.clone());
        let turned = (!sure).then(|| Arc::new(both(&turned(&above), &turned(&below))));
        Self { turned, counts, sure, ..Self::of(both(&above.seconds, &below.seconds), style) }
    }

    /// With missing cells before or after the others.
    pub fn with_missing(mut self, count: usize, before: bool) -> Self {
        let blank = vec![f64::NAN; count];
        let extend = |seconds: &Arc<Vec<f64>>| {
            Arc::new(if before { [&blank[..], seconds].concat() } else { [seconds, &blank[..]].concat() })
        };
        for seconds in [Some(&mut self.seconds), self.turned.as_mut()].into_iter().flatten() {
            *seconds = extend(seconds);
        }
        self
    }
}

/// Categories as times, where enough cells are that (`least` percent of them), and how many cells are something else. `order` is that of
/// day and month where it was said.
pub fn from_categories(
    codes: &[u32],
    levels: &[String],
    least: usize,
    order: Option<TimeStyle>,
) -> Option<(TimeColumn, usize)> {
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
    let (style, sure, fits) = of_styles.best_in(order);
    if fits == 0 || fits * 100 < cells * least {
        return None;
    }
    let seconds = |style: TimeStyle| -> Vec<f64> {
        let of = |read: &Option<Written>| read.and_then(|read| read.seconds(style)).unwrap_or(f64::NAN);
        let of_levels: Vec<f64> = read.iter().map(of).collect();
        codes.iter().map(|&code| of_levels.get(code as usize).copied().unwrap_or(f64::NAN)).collect()
    };
    let turned = (!sure).then(|| Arc::new(seconds(style.turned())));
    let times = TimeColumn { sure, turned, counts: of_styles, ..TimeColumn::of(seconds(style), style) };
    Some((times, cells - fits))
}

/// How many cells are dates in each order of day and month, or times of day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct StyleCounts {
    clocks: usize,
    year: usize,
    day: usize,
    month: usize,
    /// Texts in which day and month are numbers, and those with slashes among them.
    open: usize,
    slashes: usize,
    /// A bit for each sign that is between such numbers, and for each with which some text shows which is which.
    signs: u8,
    shown: u8,
}

impl StyleCounts {
    /// Counts a text that is in this many cells.
    fn add(&mut self, read: Option<Written>, count: usize) {
        let Some(read) = read else { return };
        let fits = |style| if read.seconds(style).is_some() { count } else { 0 };
        self.clocks += fits(TimeStyle::Clock);
        self.year += fits(TimeStyle::YearFirst);
        self.day += fits(TimeStyle::DayFirst);
        self.month += fits(TimeStyle::MonthFirst);
        if matches!(read.date, Date::Open { .. }) {
            let sign = read.date.sign();
            self.open += 1;
            self.slashes += usize::from(sign == SLASH);
            self.signs |= sign;
            if fits(TimeStyle::DayFirst) != fits(TimeStyle::MonthFirst) {
                self.shown |= sign;
            }
        }
    }

    /// Adds those of other cells.
    fn merge(&mut self, other: &Self) {
        self.clocks += other.clocks;
        self.year += other.year;
        self.day += other.day;
        self.month += other.month;
        self.open += other.open;
        self.slashes += other.slashes;
        self.signs |= other.signs;
        self.shown |= other.shown;
    }

    /// Whether the order is shown with every sign: slashes do not tell what comes first between points.
    fn is_shown(&self) -> bool {
        self.signs & !self.shown == 0
    }

    /// [`best`](Self::best) with the order of day and month that was said.
    fn best_in(&self, order: Option<TimeStyle>) -> (TimeStyle, bool, usize) {
        match (self.best(), order) {
            ((style, ..), Some(TimeStyle::DayFirst)) if style.is_open() => {
                (TimeStyle::DayFirst, true, self.day)
            }
            ((style, ..), Some(TimeStyle::MonthFirst)) if style.is_open() => {
                (TimeStyle::MonthFirst, true, self.month)
            }
            (best, _) => best,
        }
    }

    /// The style that fits most cells, whether a cell decides it, and how many fit.
    pub fn best(&self) -> (TimeStyle, bool, usize) {
        let Self { clocks, year, day, month, open, slashes, .. } = *self;
        match (day.max(month), day.cmp(&month)) {
            (dates, _) if clocks > dates => (TimeStyle::Clock, true, clocks),
            (dates, _) if dates == year => (TimeStyle::YearFirst, true, year),
            (dates, std::cmp::Ordering::Greater) => (TimeStyle::DayFirst, self.is_shown(), dates),
            (dates, std::cmp::Ordering::Less) => (TimeStyle::MonthFirst, self.is_shown(), dates),
            // Slashes are the custom where the month comes first, points and dashes where the day does.
            (dates, _) if 2 * slashes > open => (TimeStyle::MonthFirst, false, dates),
            (dates, _) => (TimeStyle::DayFirst, false, dates),
        }
    }
}

/// Numbers such as 20240301 as times.
pub fn from_numbers(numbers: impl Iterator<Item = f64>) -> TimeColumn {
    TimeColumn::of(
        numbers.map(|number| compact_seconds(number).unwrap_or(f64::NAN)).collect(),
        TimeStyle::Compact,
    )
}

/// Turns columns of numbers each of which is a day, such as 20240301, into times; columns that were asked to be numbers are
/// passed over.
pub fn find_compact_dates(frame: &mut Frame, numeric: &[String]) {
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
pub fn agree_on_dates(frame: &mut Frame) -> Vec<(String, bool)> {
    let mut sure = frame.columns.iter().filter_map(|column| match &column.values {
        Values::Times(times) if times.sure && times.style.is_open() => Some(times.style),
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
        if let Some(style) = agreed {
            *times = times.clone().in_style(style);
            times.sure = times.style == style;
        }
        if !times.sure {
            left.push((name.clone(), times.style == TimeStyle::MonthFirst));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(cells: &[&str]) -> Option<(TimeColumn, usize)> {
        let levels: Vec<String> = cells.iter().map(ToString::to_string).collect();
        from_categories(&(0..cells.len() as u32).collect::<Vec<_>>(), &levels, NEARLY_ALL, None)
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
        // A date that leaves nothing open stays what it is.
        let (open, _) = times(&["01/03/2024 06:00", "02/03/2024", "2024-05-04"]).unwrap();
        let turned = open.in_style(TimeStyle::DayFirst);
        let (expected, _) = times(&["2024-03-01 06:00", "2024-03-02", "2024-05-04"]).unwrap();
        assert_eq!((turned.seconds, turned.style), (expected.seconds, TimeStyle::DayFirst));
        let (sure, _) = times(&["01/31/2024"]).unwrap();
        assert_eq!(sure.clone().in_style(TimeStyle::DayFirst), sure);
    }

    #[test]
    fn all_cells_of_two_files_decide_the_order() {
        let of = |cells: &[&str]| times(cells).unwrap().0;
        let stacked = |a: &[&str], b: &[&str]| of(a).stacked(of(b));
        let iso = |cells: &[&str]| of(cells).seconds;
        let sure = &["31/01/2024", "05/04/2024"];
        for both in [stacked(&["02/03/2024"], sure), stacked(sure, &["02/03/2024"])] {
            assert_eq!((both.style, both.sure), (TimeStyle::DayFirst, true));
        }
        let both = stacked(&["02/03/2024"], sure);
        assert_eq!(both.seconds, iso(&["2024-03-02", "2024-01-31", "2024-04-05"]));
        // Slashes in one and points in the other: as in one file, and open.
        let open = stacked(&["02/03/2024", "04/05/2024"], &["01.02.2024"]);
        assert_eq!((open.style, open.sure), (TimeStyle::MonthFirst, false));
        assert_eq!(open.seconds, iso(&["2024-02-03", "2024-04-05", "2024-01-02"]));
        let open = stacked(&["2024-05-06"], &["02/03/2024"]);
        assert_eq!((open.style, open.sure), (TimeStyle::MonthFirst, false));
        assert_eq!(open.in_style(TimeStyle::DayFirst).seconds, iso(&["2024-05-06", "2024-03-02"]));
        // Points show nothing of slashes.
        let mixed = stacked(&["02.03.2024"], &["01/31/2024"]);
        assert_eq!((mixed.style, mixed.sure), (TimeStyle::MonthFirst, false));
        assert!(
            !of(&["02.03.2024", "01/31/2024"]).sure && of(&["02.03.2024", "31/01/2024", "31.01.2024"]).sure
        );
        // Each file shows its own.
        let each = stacked(&["31/01/2024"], &["01/31/2024"]);
        assert_eq!((each.seconds, each.sure), (iso(&["2024-01-31", "2024-01-31"]), true));
    }

    #[test]
    fn one_cell_in_twenty_may_be_something_else() {
        let mut cells: Vec<String> = (1..=19).map(|day| format!("2024-03-{day:02}")).collect();
        cells.push("soon".to_string());
        let codes: Vec<u32> = (0..20).collect();
        let (column, others) = from_categories(&codes, &cells, NEARLY_ALL, None).unwrap();
        assert_eq!((others, column.seconds[19].is_nan()), (1, true));
        assert!(from_categories(&codes, &cells, 100, None).is_none());
        cells[18] = "later".to_string();
        assert!(from_categories(&codes, &cells, NEARLY_ALL, None).is_none());
        // Blank dates do not count.
        cells[18] = "0000-00-00".to_string();
        cells[19] = "NaT".to_string();
        cells[0] = "9999-12-31 23:59:59".to_string();
        let (column, others) = from_categories(&codes, &cells, 100, None).unwrap();
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
