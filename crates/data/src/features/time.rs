//! What is learned of a date or time.
//!
//! | part | what | kept if |
//! |---|---|---|
//! | days | days since 1970, the fraction of a day included | they differ, and do not rise or fall with the row |
//! | month, weekday, day, hour | what calendar and clock show | they come round twice in the training rows at least, else they tell what the days tell |
//! | since | days since the date of another column: an age, a duration | the table has two to eight columns of dates, the differences do not follow the rows, and neither date is in the order of rows and tells labels by that |
//!
//! Each is a number, brought to mean 0 and standard deviation 1 in `f64`. The hour counts minutes as its fraction.

use super::Feature;
use crate::column_summary::{ColumnSummary, Moments, TimeSummary};
use crate::screen::follows_rows;
use onesided_table::{Column, DAY, TimeColumn, TimeFeature, TimeStyle, Values, WhyLeftOut};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// The most columns of dates whose differences are taken.
const MOST_FOR_PAIRS: usize = 8;

/// A part and how it is scaled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimePart {
    /// What it is.
    pub part: TimeFeature,
    /// Mean of the training rows.
    pub mean: f64,
    /// Standard deviation of the training rows (division by n).
    pub scale: f64,
}

/// The times of columns by their names, for differences.
pub(super) type TimesByName = HashMap<String, Arc<Vec<f64>>>;

/// What is learned of a column of times, or why nothing is.
pub(super) fn parts_of(column: &TimeColumn, times: &TimeSummary) -> Result<Vec<TimePart>, WhyLeftOut> {
    times.seconds.finish()?;
    let clock = times.style == TimeStyle::Clock;
    let spread = column.in_order.unwrap_or_else(|| times.seconds.spread());
    let comes_round = |part: &TimeFeature| clock || spread >= part.least_days() * DAY;
    // Where times rise with the row, how late it is says where the row is, and so does the hour of times without a date.
    let says_more = |part: &TimeFeature| {
        let of_the_row = || clock || *part == TimeFeature::Days || column.unrepeated.contains(part);
        column.in_order.is_none() || !of_the_row()
    };
    let fitted = TimeSummary::parts_of(times.style).iter().zip(&times.parts);
    let parts: Vec<TimePart> = fitted
        .filter(|(part, _)| comes_round(part) && says_more(part))
        .filter_map(|(part, moments)| {
            let (mean, scale) = moments.finish().ok()?;
            Some(TimePart { part: part.clone(), mean, scale })
        })
        .collect();
    if parts.is_empty() { Err(WhyLeftOut::TimeOrder) } else { Ok(parts) }
}

/// The times of a table's columns, where their differences are worth taking, in the order of the table.
pub(super) fn paired(columns: &[Column]) -> Vec<Paired> {
    let paired = |column: &Column| match &column.values {
        Values::Times(times) if times.style != TimeStyle::Clock => Some(Paired {
            name: column.name.clone(),
            seconds: times.seconds.clone(),
            differs: !times.tells_labels && Feature::fit(column, &ColumnSummary::of(&column.values)).is_ok(),
        }),
        _ => None,
    };
    let dates: Vec<Paired> = columns.iter().filter_map(paired).collect();
    if (2..=MOST_FOR_PAIRS).contains(&dates.len()) { dates } else { Vec::new() }
}

/// A column of dates whose differences to others are taken.
pub(super) struct Paired {
    pub name: String,
    seconds: Arc<Vec<f64>>,
    /// Whether differences are taken: it is a feature by itself, since others are not read again, and its place in the table
    /// does not tell labels, since a difference and the other date give the date away.
    differs: bool,
}

/// The days from each date of an earlier column to that of the one at this place.
pub(super) fn since(dates: &[Paired], at: usize, times: &TimeColumn) -> Vec<TimePart> {
    let one = |Paired { name, seconds: other, differs }: &Paired| {
        if !differs || !dates[at].differs {
            return None;
        }
        let pairs = times.seconds.iter().zip(other.iter());
        let differences =
            pairs.map(|(&seconds, &other)| (seconds - other) / DAY).filter(|days| !days.is_nan());
        let (mean, scale) = Moments::of(differences).finish().ok()?;
        // Of a date that rises with the row and one that hardly changes.
        if follows_rows(|row| times.seconds[row] - other[row], other.len()) {
            return None;
        }
        Some(TimePart { part: TimeFeature::Since(name.clone()), mean, scale })
    };
    dates[..at].iter().filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::FeatureKind;
    use super::*;

    fn column(seconds: &[f64]) -> TimeColumn {
        TimeColumn::of(seconds.to_vec(), TimeStyle::YearFirst)
    }

    fn parts(times: &TimeColumn) -> Result<Vec<TimePart>, WhyLeftOut> {
        let column = Column { name: "when".to_string(), values: Values::Times(times.clone()) };
        match Feature::fit(&column, &ColumnSummary::of(&column.values))?.kind {
            FeatureKind::Time { parts, .. } => Ok(parts),
            other => panic!("{other:?}"),
        }
    }

    fn names(times: &TimeColumn) -> Vec<TimeFeature> {
        parts(times).unwrap().into_iter().map(|part| part.part).collect()
    }

    #[test]
    fn parts_that_come_round_and_differ_are_learned() {
        // Two dates a day apart: nothing comes round.
        assert_eq!(names(&column(&[0.0, DAY])), [TimeFeature::Days]);
        assert_eq!(names(&column(&[0.0, 14.0 * DAY, 16.0 * DAY])), [TimeFeature::Days, TimeFeature::Weekday]);
        // Three years, always at 6:00.
        let years: Vec<f64> = (0..200).map(|i| DAY * (6.0 * f64::from(i) + 0.25)).collect();
        assert_eq!(
            names(&column(&years)),
            [TimeFeature::Days, TimeFeature::Month, TimeFeature::Weekday, TimeFeature::Day]
        );
        assert_eq!(names(&TimeColumn::of(vec![0.0, 3600.0], TimeStyle::Clock)), [TimeFeature::Hour]);
        assert_eq!(parts(&column(&[DAY, DAY])), Err(WhyLeftOut::Constant));
        assert_eq!(parts(&column(&[f64::NAN])), Err(WhyLeftOut::Empty));
        // Those in the order of rows lose the days, and where nothing comes round, all.
        let spread = |mut times: TimeColumn, seconds: f64| {
            times.in_order = Some(seconds);
            times
        };
        let in_order = |times: TimeColumn| spread(times, 1194.0 * DAY);
        assert_eq!(
            names(&in_order(column(&years))),
            [TimeFeature::Month, TimeFeature::Weekday, TimeFeature::Day]
        );
        // Labeled rows are those of the first three weeks: their months are not those of the others.
        let first = spread(column(&years), 21.0 * DAY);
        assert_eq!(names(&first), [TimeFeature::Weekday]);
        let short = spread(column(&[0.0, DAY]), DAY);
        assert_eq!(parts(&short), Err(WhyLeftOut::TimeOrder));
        let clock = TimeColumn::of(vec![0.0, 3600.0], TimeStyle::Clock);
        assert_eq!(parts(&in_order(clock)), Err(WhyLeftOut::TimeOrder));
    }

    #[test]
    fn parts_are_those_of_the_calendar() {
        // 2024-03-01 16:30, a Friday.
        let seconds = 1_709_251_200.0 + 16.5 * 3600.0;
        let of = |part: TimeFeature| part.value(seconds, seconds - 2.5 * DAY);
        assert_eq!(
            [
                TimeFeature::Days,
                TimeFeature::Month,
                TimeFeature::Weekday,
                TimeFeature::Day,
                TimeFeature::Hour
            ]
            .map(of),
            [19_783.687_5, 3.0, 4.0, 1.0, 16.5]
        );
        assert_eq!(of(TimeFeature::Since("a".to_string())), 2.5);
    }

    #[test]
    fn differences_have_a_mean_and_a_scale() {
        let pair = |name: &str, seconds: Vec<f64>, differs| Paired {
            name: name.to_string(),
            seconds: Arc::new(seconds),
            differs,
        };
        let of =
            |name: &str, mean: f64| TimePart { part: TimeFeature::Since(name.to_string()), mean, scale: 1.0 };
        // The column itself is the second of two.
        let second = |first: Vec<f64>, times: &TimeColumn| {
            let dates = [pair("a", first, true), pair("b", times.seconds.to_vec(), true)];
            (since(&dates, 1, times), since(&dates, 0, times))
        };
        let first = vec![0.0, DAY, f64::NAN];
        // One day and three days.
        let (parts, of_the_first) = second(first.clone(), &column(&[DAY, 4.0 * DAY, 9.0 * DAY]));
        assert_eq!((parts, of_the_first), (vec![of("a", 2.0)], Vec::new()));
        assert_eq!(second(first.clone(), &column(&[DAY, 2.0 * DAY, 0.0])).0, []);
        // Where one of them tells labels, or is not a feature, there is no difference.
        let later = vec![DAY, 4.0 * DAY, 9.0 * DAY];
        for (one, other) in [(false, true), (true, false)] {
            let dates = [pair("a", first.clone(), one), pair("b", later.clone(), other)];
            assert_eq!(since(&dates, 1, &column(&later)), []);
        }
        // A date that rises with the row and one that hardly changes: 100, 101, …, but for a day now and then.
        let days = |of: fn(usize) -> usize| (0..50).map(|row| DAY * of(row) as f64).collect::<Vec<f64>>();
        let rising = TimeColumn::of(days(|row| 100 + row), TimeStyle::YearFirst);
        assert_eq!(second(days(|row| row % 2), &rising).0, []);
        assert_eq!(second(days(|row| row * 37 % 50), &rising).0.len(), 1);
    }
}
