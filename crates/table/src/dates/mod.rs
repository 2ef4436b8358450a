//! Dates and times: how they are written, and what a calendar says of them.
//!
//! A time is seconds since the start of 1970 (UTC), an `f64`: exact to the microsecond for some centuries. A time without a
//! zone is taken as UTC. A time of day alone is seconds since midnight.

mod calendar;
mod column;
mod part;
mod written;

pub use calendar::{DAY, Exact, Moment};
pub use column::{LEAST_COMPACT, NEARLY_ALL};
pub use column::{TimeColumn, TimeStyle, agree_on_dates, find_compact_dates, from_categories, from_numbers};
pub use part::TimeFeature;
pub(crate) use written::is_blank;
