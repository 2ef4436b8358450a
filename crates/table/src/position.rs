//! Where in a file a cell lies.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Where in a file a cell lies: text files have lines, Parquet files only have rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// The line of a text file, counted from 1, the header included.
    Line(u64),
    /// The row of a table, counted from 1, the header not included.
    Row(u64),
}

impl Position {
    /// Counts a row from 0; lines of a file stay as they are.
    pub fn count_from_zero(&mut self) -> bool {
        match self {
            Position::Line(_) => false,
            Position::Row(row) => {
                *row = row.saturating_sub(1);
                true
            }
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Line(line) => write!(f, "line {line}"),
            Position::Row(row) => write!(f, "row {row}"),
        }
    }
}
