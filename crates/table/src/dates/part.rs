//! Parts of a time that tables show: how late it is, and what comes round.

use super::{DAY, Moment};
use serde::{Deserialize, Serialize};

/// A part of a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeFeature {
    /// Days since the start of 1970.
    Days,
    /// From 1 to 12.
    Month,
    /// From 0, Monday, to 6.
    Weekday,
    /// From 1 to 31.
    Day,
    /// From 0 and below 24, minutes included.
    Hour,
    /// Days since the time in another column.
    Since(String),
}

impl TimeFeature {
    /// A part of a time that is there.
    pub fn value(&self, seconds: f64, since: f64) -> f64 {
        match self {
            TimeFeature::Days => seconds / DAY,
            TimeFeature::Month => f64::from(Moment::at(seconds).month),
            TimeFeature::Weekday => f64::from(Moment::at(seconds).weekday),
            TimeFeature::Day => f64::from(Moment::at(seconds).day),
            TimeFeature::Hour => Moment::at(seconds).hour,
            TimeFeature::Since(_) => (seconds - since) / DAY,
        }
    }

    /// Over how many days it must spread to come round twice.
    pub fn least_days(&self) -> f64 {
        match self {
            TimeFeature::Month => 730.0,
            TimeFeature::Weekday => 14.0,
            TimeFeature::Day => 60.0,
            TimeFeature::Hour => 2.0,
            TimeFeature::Days | TimeFeature::Since(_) => 0.0,
        }
    }

    /// What it adds to the name of the column.
    pub fn named(&self, column: &str) -> String {
        match self {
            TimeFeature::Days => column.to_string(),
            TimeFeature::Month => format!("{column}.month"),
            TimeFeature::Weekday => format!("{column}.weekday"),
            TimeFeature::Day => format!("{column}.day"),
            TimeFeature::Hour => format!("{column}.hour"),
            TimeFeature::Since(other) => format!("{column} - {other}"),
        }
    }
}
