//! The Gregorian calendar, before and after 1970 (H. Hinnant, "chrono-compatible low-level date algorithms", 2013).

/// Seconds of a day.
pub(crate) const DAY: f64 = 86_400.0;

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
pub(crate) struct Moment {
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
    pub(crate) fn at(seconds: f64) -> Self {
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

    /// In ISO 8601 with the time, which is that of UTC: `2024-03-01T16:30:00Z`.
    pub(crate) fn written_in_utc(&self) -> String {
        let written = self.written();
        let midnight = if written.contains('T') { "" } else { "T00:00:00" };
        format!("{written}{midnight}Z")
    }

    /// In ISO 8601: the date, and the time where it is not midnight, to a millionth of a second.
    pub(crate) fn written(&self) -> String {
        let date = format!("{:04}-{:02}-{:02}", self.year, self.month, self.day);
        let micros = (self.hour * 3.6e9).round() as u64;
        if micros == 0 {
            return date;
        }
        let (seconds, rest) = (micros / 1_000_000, micros % 1_000_000);
        let time = format!("{date}T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        match rest {
            0 => time,
            rest => format!("{time}.{rest:06}").trim_end_matches('0').to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_the_standard_has_it() {
        let written = |seconds: f64| Moment::at(seconds).written();
        assert_eq!(written(19_783.0 * DAY), "2024-03-01");
        assert_eq!(written(19_783.0 * DAY + 58_206.25), "2024-03-01T16:10:06.25");
        assert_eq!(written(-1.0), "1969-12-31T23:59:59");
        assert_eq!(Moment::at(19_783.0 * DAY).written_in_utc(), "2024-03-01T00:00:00Z");
        assert_eq!(Moment::at(19_783.0 * DAY + 58_206.25).written_in_utc(), "2024-03-01T16:10:06.25Z");
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
