//! The Gregorian calendar, before and after 1970 (H. Hinnant, "chrono-compatible low-level date algorithms", 2013).

/// Seconds of a day.
pub const DAY: f64 = 86_400.0;

/// Days from 1970-01-01 to a date, if there is such a date.
pub(super) fn days_of(year: i64, month: u32, day: u32) -> Option<i64> {
    if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
        return None;
    }
    // Years start in March, so that the leap day is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(146_097 * era + day_of_era - 719_468)
}

fn days_in(year: i64, month: u32) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A time as a calendar and a clock show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Of the Gregorian calendar.
    pub year: i64,
    /// From 1.
    pub month: u32,
    /// From 1.
    pub day: u32,
    /// From 0, Monday, to 6.
    pub weekday: u32,
    /// From 0 and below 24, minutes and seconds included.
    pub hour: f64,
}

impl Moment {
    /// The calendar's parts, this many seconds after the start of 1970.
    pub fn at(seconds: f64) -> Self {
        let days = (seconds / DAY).floor();
        let hour = (seconds - days * DAY) / 3600.0;
        let days = days as i64;
        let from_march = days.saturating_add(719_468);
        let era = from_march.div_euclid(146_097);
        let day_of_era = from_march.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 } as u32;
        let year = year_of_era + 400 * era + i64::from(month <= 2);
        // 1970-01-01 was a Thursday.
        let weekday = days.saturating_add(3).rem_euclid(7) as u32;
        Self { year, month, day, weekday, hour }
    }
}

/// A time to the last digit that a file has of it: whole seconds since 1970, and billionths of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exact {
    /// Since the start of 1970.
    pub seconds: i64,
    /// Billionths of a second more.
    pub nanos: u32,
}

impl Exact {
    /// So many units, of which so many make a second.
    pub fn of(units: i64, per_second: i64) -> Self {
        let nanos = units.rem_euclid(per_second) * (1_000_000_000 / per_second);
        Self { seconds: units.div_euclid(per_second), nanos: nanos as u32 }
    }

    /// In ISO 8601: the date, and the time where it is not midnight. With a `zone`, both, and that it is UTC.
    pub fn written(self, zone: bool) -> String {
        let Moment { year, month, day, .. } = Moment::at(self.seconds as f64);
        let date = format!("{year:04}-{month:02}-{day:02}");
        let second = self.seconds.rem_euclid(DAY as i64);
        if (second, self.nanos, zone) == (0, 0, false) {
            return date;
        }
        let time = format!("{date}T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60);
        let part = format!(".{:09}", self.nanos);
        let part = if self.nanos == 0 { "" } else { part.trim_end_matches('0') };
        format!("{time}{part}{}", if zone { "Z" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_standard_has_it_to_the_last_digit() {
        let day = 19_783 * 86_400;
        for (units, per_second, text) in [
            (day, 1, "2024-03-01"),
            (1_000 * (day + 58_206) + 250, 1_000, "2024-03-01T16:10:06.25"),
            (-1, 1, "1969-12-31T23:59:59"),
            (-1, 1_000_000_000, "1969-12-31T23:59:59.999999999"),
            (1_709_337_599_999_999_999, 1_000_000_000, "2024-03-01T23:59:59.999999999"),
            (1_709_337_599_999_999, 1_000_000, "2024-03-01T23:59:59.999999"),
            (i64::MIN, 1_000_000_000, "1677-09-21T00:12:43.145224192"),
        ] {
            assert_eq!(Exact::of(units, per_second).written(false), text);
        }
        assert_eq!(Exact::of(day, 1).written(true), "2024-03-01T00:00:00Z");
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (year, month, day, days) in [
            (1970, 1, 1, 0),
            (1969, 12, 31, -1),
            (2000, 2, 29, 11_016),
            (2000, 3, 1, 11_017),
            (2024, 3, 1, 19_783),
            (1900, 3, 1, -25_508),
            (1, 1, 1, -719_162),
        ] {
            assert_eq!(days_of(year, month, day), Some(days), "{year}-{month}-{day}");
            let moment = Moment::at(days as f64 * DAY + 3_600.0);
            assert_eq!((moment.year, moment.month, moment.day, moment.hour), (year, month, day, 1.0));
        }
        for (year, month, day) in [(1900, 2, 29), (2023, 2, 29), (2024, 4, 31), (2024, 13, 1), (2024, 1, 0)] {
            assert_eq!(days_of(year, month, day), None, "{year}-{month}-{day}");
        }
    }

    #[test]
    fn every_day_of_two_centuries_follows_the_one_before() {
        let mut last = Moment::at(-40_000.0 * DAY);
        for days in -39_999..40_000i64 {
            let moment = Moment::at(days as f64 * DAY);
            assert_eq!(days_of(moment.year, moment.month, moment.day), Some(days));
            assert_eq!(moment.weekday, (last.weekday + 1) % 7);
            last = moment;
        }
        // 2024-03-01 was a Friday, and so was 1889-03-01.
        assert_eq!((Moment::at(19_783.0 * DAY).weekday, days_of(1889, 3, 1)), (4, Some(-29_525)));
        assert_eq!(Moment::at(-29_525.0 * DAY).weekday, 4);
    }
}
