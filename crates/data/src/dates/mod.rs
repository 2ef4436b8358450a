//! Dates and times: how they are written, and what a calendar says of them.
//!
//! A time is seconds since the start of 1970 (UTC), an `f64`: exact to the microsecond for some centuries. A time without a
//! zone is taken as UTC. A time of day alone is seconds since midnight.

mod calendar;
mod column;
mod written;

pub(crate) use calendar::{DAY, Exact, Moment};
pub(crate) use column::{NEARLY_ALL, agree, compact, from_categories, from_numbers};
pub use column::{TimeColumn, TimeStyle};
pub(crate) use written::is_blank;
