//! Dates and times as people and programs write them.
//!
//! | written | such as |
//! |---|---|
//! | year first | `2024-03-01`, `2024/03/01`, `2024-03`, `2024-03-01T16:05:00.5+02:00`, `2024-03-01 16:05Z` |
//! | with the name of the month | `1 Mar 2024`, `1st March 2024`, `Mar 1, 2024`, `01-MAR-24`, `Dec-2011` |
//! | day or month first | `01.03.2024`, `01/03/2024`, `3/1/24 4:05 PM` |
//! | a time alone | `16:05`, `4:05:06 PM` |

use super::calendar::{DAY, days_of};
use super::column::TimeStyle;

/// Longer cells are not dates.
const LONGEST: usize = 48;

/// A cell that is a date, a time or both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Written {
    pub date: Date,
    /// Seconds since midnight, less the offset of the zone.
    pub seconds: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Date {
    /// Days since 1970.
    Known(i64),
    /// A day and a month in either order, and what is between them.
    Open { first: u32, second: u32, year: i64, sign: u8 },
    /// A time alone.
    None,
}

/// The bit of a slash between day and month.
pub(super) const SLASH: u8 = 1;

impl Date {
    /// A bit for the sign between day and month; none where nothing is open.
    pub(super) fn sign(self) -> u8 {
        match self {
            Date::Open { sign: b'/', .. } => SLASH,
            Date::Open { sign: b'.', .. } => 2,
            Date::Open { .. } => 4,
            Date::Known(_) | Date::None => 0,
        }
    }
}

impl Written {
    /// The seconds that it stands for in a style, if it fits.
    pub(super) fn seconds(self, style: TimeStyle) -> Option<f64> {
        let days = match (self.date, style) {
            (Date::None, TimeStyle::Clock) => {
                return (0.0..DAY).contains(&self.seconds).then_some(self.seconds);
            }
            (Date::None, _) | (_, TimeStyle::Clock) => return None,
            (Date::Known(days), _) => days,
            (Date::Open { first, second, year, .. }, TimeStyle::DayFirst) => days_of(year, second, first)?,
            (Date::Open { first, second, year, .. }, TimeStyle::MonthFirst) => days_of(year, first, second)?,
            (Date::Open { .. }, TimeStyle::YearFirst | TimeStyle::Compact) => return None,
        };
        Some(days as f64 * DAY + self.seconds)
    }
}

/// The seconds that a cell stands for in a style, if it is a date or time.
pub(crate) fn seconds_of(cell: &str, style: TimeStyle) -> Option<f64> {
    match style {
        TimeStyle::Compact => compact_seconds(cell.trim().parse().ok()?),
        style => written(cell)?.seconds(style),
    }
}

/// `20240301` as a date of the years 1900 to 2100.
pub(super) fn compact_seconds(number: f64) -> Option<f64> {
    if number.fract() != 0.0 || !(19_000_101.0..21_001_232.0).contains(&number) {
        return None;
    }
    let number = number as i64;
    let days = days_of(number / 10_000, (number / 100 % 100) as u32, (number % 100) as u32)?;
    Some(days as f64 * DAY)
}

/// Whether a cell stands for no date where others are dates.
pub fn is_blank(cell: &str) -> bool {
    let cell = cell.trim();
    let start = cell.get(..10).unwrap_or(cell);
    cell.eq_ignore_ascii_case("nat")
        || matches!(start, "0000-00-00" | "9999-12-31" | "00.00.0000" | "00/00/0000")
}

/// What a cell is, if it is a date or time.
pub(super) fn written(cell: &str) -> Option<Written> {
    let cell = cell.trim();
    if cell.len() > LONGEST || !cell.is_ascii() || !cell.as_bytes().first()?.is_ascii_alphanumeric() {
        return None;
    }
    let mut rest = Rest(cell.as_bytes());
    if let Some(seconds) = Rest(cell.as_bytes()).clock() {
        return Some(Written { date: Date::None, seconds });
    }
    rest.weekday();
    let date = rest.date()?;
    if rest.0.is_empty() {
        return Some(Written { date, seconds: 0.0 });
    }
    if !(rest.take(b'T') || rest.take(b't')) {
        rest.take(b',');
        if rest.blanks() == 0 {
            return None;
        }
    }
    Some(Written { date, seconds: rest.clock()? })
}

/// What is left of a cell.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn take(&mut self, byte: u8) -> bool {
        let there = self.0.first() == Some(&byte);
        if there {
            self.0 = &self.0[1..];
        }
        there
    }

    fn blanks(&mut self) -> usize {
        let mut count = 0;
        while self.take(b' ') {
            count += 1;
        }
        count
    }

    /// A number of at most this many digits, and how many it has.
    fn number(&mut self, most: usize) -> Option<(u32, usize)> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || digits > most.min(9) {
            return None;
        }
        let value = self.0[..digits].iter().fold(0, |value, byte| 10 * value + u32::from(byte - b'0'));
        self.0 = &self.0[digits..];
        Some((value, digits))
    }

    /// A word of letters in lower case, at most nine of them.
    fn word(&mut self) -> Option<String> {
        let letters = self.0.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if letters == 0 || letters > 9 {
            return None;
        }
        let word = self.0[..letters].iter().map(|byte| byte.to_ascii_lowercase() as char).collect();
        self.0 = &self.0[letters..];
        Some(word)
    }

    /// The name of a month, or its first three letters (or `sept`).
    fn month(&mut self) -> Option<u32> {
        const MONTHS: [&str; 12] = [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ];
        let word = self.word()?;
        let is = |month: &&str| {
            **month == word || (month[..3] == word) || (word == "sept" && month.starts_with("sept"))
        };
        MONTHS.iter().position(is).map(|at| at as u32 + 1)
    }

    /// Passes over `Fri, `.
    fn weekday(&mut self) {
        const DAYS: [&str; 7] =
            ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
        let before = self.0;
        if self.word().is_some_and(|word| DAYS.iter().any(|day| *day == word || day[..3] == word)) {
            self.take(b'.');
            self.take(b',');
            if self.blanks() > 0 {
                return;
            }
        }
        self.0 = before;
    }

    /// A year of four digits, or of two: 69 to 99 are of the last century.
    fn year(&mut self) -> Option<i64> {
        match self.number(4)? {
            (year, 4) if year >= 1000 => Some(i64::from(year)),
            (year @ 69.., 2) => Some(1900 + i64::from(year)),
            (year, 2) => Some(2000 + i64::from(year)),
            _ => None,
        }
    }

    fn date(&mut self) -> Option<Date> {
        if !self.0.first()?.is_ascii_digit() {
            return self.month_named_first();
        }
        let (first, digits) = self.number(4)?;
        let sign = *self.0.first()?;
        match (digits, sign) {
            (4, b'-' | b'/' | b'.') => {
                self.take(sign);
                let (month, 1..=2) = self.number(2)? else { return None };
                let day = if self.take(sign) {
                    self.number(2)?.0
                } else if sign == b'.' {
                    // A number with a point is not a month of a year.
                    return None;
                } else {
                    1
                };
                known(i64::from(first), month, day).filter(|_| first >= 1000)
            }
            (1 | 2, b'-' | b'/' | b'.') if self.0.get(1).is_some_and(u8::is_ascii_digit) => {
                self.take(sign);
                let second = self.number(2)?.0;
                if !self.take(sign) {
                    return None;
                }
                let year = self.year()?;
                // One of both orders must be possible.
                days_of(year, first, second).or(days_of(year, second, first))?;
                Some(Date::Open { first, second, year, sign })
            }
            (1 | 2, _) => {
                let th = [&b"st"[..], b"nd", b"rd", b"th"].iter().any(|th| self.0.starts_with(th));
                self.0 = if th { &self.0[2..] } else { self.0 };
                self.between();
                let month = self.month()?;
                self.between();
                known(self.year()?, month, first)
            }
            _ => None,
        }
    }

    /// `Mar 1, 2024`, `Dec-2011`, `Dec-11`.
    fn month_named_first(&mut self) -> Option<Date> {
        let month = self.month()?;
        let dash = self.0.first() == Some(&b'-');
        self.between();
        let before = self.0;
        let (number, digits) = self.number(4)?;
        if digits == 4 || (dash && self.0.is_empty()) {
            self.0 = before;
            return known(self.year()?, month, 1);
        }
        if [&b"st"[..], b"nd", b"rd", b"th"].iter().any(|th| self.0.starts_with(th)) {
            self.0 = &self.0[2..];
        }
        self.take(b',');
        self.between();
        let (year, 4) = self.number(4)? else { return None };
        known(i64::from(year), month, number)
    }

    /// What may be between a day, the name of a month and a year.
    fn between(&mut self) {
        while [b' ', b'-', b'.', b','].iter().any(|&sign| self.take(sign)) {}
    }

    /// `16:05:00.5+02:00` or `4:05 PM` to the end, as seconds.
    fn clock(&mut self) -> Option<f64> {
        let (hour, 1..=2) = self.number(2)? else { return None };
        if !self.take(b':') {
            return None;
        }
        let (minute, 2) = self.number(2)? else { return None };
        let (mut second, mut part) = (0, 0.0);
        if self.take(b':') {
            let (whole, 2) = self.number(2)? else { return None };
            second = whole;
            if self.take(b'.') || self.take(b',') {
                let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let text = std::str::from_utf8(&self.0[..digits]).ok()?;
                part = format!("0.{text}").parse().ok().filter(|_| digits > 0)?;
                self.0 = &self.0[digits..];
            }
        }
        self.blanks();
        let hour = match self.half_of_day() {
            Some(afternoon) if (1..=12).contains(&hour) => hour % 12 + 12 * u32::from(afternoon),
            Some(_) => return None,
            None => hour,
        };
        self.blanks();
        let offset = self.zone()?;
        // A leap second is the next one.
        let fits = hour < 24 && minute < 60 && second <= 60 && self.0.is_empty();
        fits.then(|| f64::from(3600 * hour + 60 * minute + second) + part - offset)
    }

    fn half_of_day(&mut self) -> Option<bool> {
        let before = self.0;
        match self.word().as_deref() {
            Some("am") => Some(false),
            Some("pm") => Some(true),
            _ => {
                self.0 = before;
                None
            }
        }
    }

    /// Seconds ahead of UTC; 0 where nothing is said.
    fn zone(&mut self) -> Option<f64> {
        let ahead = match self.0 {
            [] => return Some(0.0),
            [b'+', ..] => 1.0,
            [b'-', ..] => -1.0,
            _ => return matches!(self.word()?.as_str(), "z" | "utc" | "gmt").then_some(0.0),
        };
        self.0 = &self.0[1..];
        let (hours, minutes) = match self.number(4)? {
            (both, 4) => (both / 100, both % 100),
            (hours, 2) if self.take(b':') => (hours, self.number(2)?.0),
            (hours, 2) => (hours, 0),
            _ => return None,
        };
        (hours < 24 && minutes < 60).then(|| ahead * f64::from(3600 * hours + 60 * minutes))
    }
}

fn known(year: i64, month: u32, day: u32) -> Option<Date> {
    days_of(year, month, day).map(Date::Known)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2024-03-01 00:00 UTC.
    const FIRST_OF_MARCH: f64 = 1_709_251_200.0;

    #[test]
    fn one_date_in_many_writings() {
        for cell in [
            "2024-03-01",
            "2024/03/01",
            "2024.03.01",
            "2024-3-1",
            "2024-03",
            "2024-03-01T00:00:00Z",
            "1 Mar 2024",
            "01 March 2024",
            "1st Mar 2024",
            "Mar 1, 2024",
            "March 1st, 2024",
            "01-MAR-2024",
            "01-Mar-24",
            "Mar-2024",
            "Mar-24",
            "Fri, 1 Mar 2024",
            "Friday, March 1, 2024",
            "2024-03-01 02:00+02:00",
            "2024-02-29T23:00:00-0100",
            "2024-03-01 12:00 AM",
        ] {
            assert_eq!(seconds_of(cell, TimeStyle::YearFirst), Some(FIRST_OF_MARCH), "{cell}");
        }
        for (cell, style) in [
            ("01.03.2024", TimeStyle::DayFirst),
            ("1/3/24", TimeStyle::DayFirst),
            ("01-03-2024", TimeStyle::DayFirst),
            ("03/01/2024", TimeStyle::MonthFirst),
            ("3/1/2024 12:00:00 AM", TimeStyle::MonthFirst),
            ("20240301", TimeStyle::Compact),
        ] {
            assert_eq!(seconds_of(cell, style), Some(FIRST_OF_MARCH), "{cell}");
        }
    }

    #[test]
    fn times_zones_and_years_before_1970() {
        for (cell, seconds) in [
            ("2024-03-01T16:05:06.25", FIRST_OF_MARCH + 57_906.25),
            ("2024-03-01 16:05:06,25Z", FIRST_OF_MARCH + 57_906.25),
            ("2024-03-01T16:05+05:30", FIRST_OF_MARCH + 57_900.0 - 19_800.0),
            ("2024-03-01 4:05 pm", FIRST_OF_MARCH + 57_900.0),
            ("1969-12-31 23:59:59", -1.0),
            ("1 Jan 1900", -2_208_988_800.0),
            ("31-DEC-68", 3_124_137_600.0),
            ("31-DEC-69", -86_400.0),
        ] {
            assert_eq!(seconds_of(cell, TimeStyle::YearFirst), Some(seconds), "{cell}");
        }
        assert_eq!(seconds_of("4:05:06 PM", TimeStyle::Clock), Some(57_906.0));
        assert_eq!(seconds_of("16:05", TimeStyle::Clock), Some(57_900.0));
    }

    #[test]
    fn what_is_no_date() {
        let styles = [TimeStyle::YearFirst, TimeStyle::DayFirst, TimeStyle::MonthFirst, TimeStyle::Clock];
        for cell in [
            "",
            "1",
            "2024",
            "12.5",
            "1.2.3.4",
            "2023-02-29",
            "2024-13-01",
            "31.04.2024",
            "13/13/2024",
            "25:00",
            "12:60",
            "1-2",
            "03.2024",
            "10-20-30-40",
            "Mart 1, 2024",
            "1 Marching 2024",
            "2024-03-01X",
            "2024-03-01 16",
            "ab-12",
            "192.168.0.1",
            "2024-03-01T16:05 EST",
            "555-12-3456",
            "A-12",
            "0999-01-01",
            "2024-03-01 13:00 PM",
            "99999999999999",
            "\u{ff11}/1/2024",
            "1/1/1/1",
            "May",
            "Sun",
            "1:2:3",
            "May 2024x",
        ] {
            for style in styles {
                assert_eq!(seconds_of(cell, style), None, "{cell} {style:?}");
            }
        }
        for cell in ["20240230", "18991231", "2024030", "202403011", "x"] {
            assert_eq!(seconds_of(cell, TimeStyle::Compact), None, "{cell}");
        }
    }
}
