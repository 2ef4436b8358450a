//! The joint between data and what learns from them, with a small scorer of one's own.

mod blending;
mod choosing;
mod jobs;
mod outcome;
mod rows;
mod scripted;
