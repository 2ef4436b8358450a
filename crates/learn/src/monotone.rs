//! Columns that a score may only rise with, or only fall with.
//!
//! Boosted trees keep such a constraint by refusing cuts whose sides answer in the wrong order and by bounding what is below a
//! cut (crates/trees). A sum of trees that keep it keeps it, so means of them do, too.

use crate::Error;
use onesided_data::{DataError, Dataset, Encoding, FeatureKind};
use std::fmt;
use std::str::FromStr;

/// Which way a score goes when a column's values grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It never falls.
    Up,
    /// It never rises.
    Down,
}

/// Columns with their directions, in the order they were named: `age:up,income:down`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Monotone(Vec<(String, Direction)>);

/// Why a constraint was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MonotoneError {
    /// No direction.
    #[error(
        "'{0}' does not say which way the score goes with a column; write COLUMN:up or COLUMN:down, with commas between several"
    )]
    Form(String),
    /// Neither up nor down.
    #[error("unknown direction '{found}' for column '{column}'; use up or down")]
    Direction {
        /// The column.
        column: String,
        /// What was written.
        found: String,
    },
    /// Up and down.
    #[error("the score is to go both up and down with column '{0}'; give it one direction")]
    Contradiction(String),
    /// A name that no column has.
    #[error(transparent)]
    Unknown(DataError),
    /// A column that is in the table and not in the model.
    #[error(
        "column '{0}' is not learned from, so no score goes up or down with it; leave the constraint out"
    )]
    NotLearned(String),
    /// What has no order, or several.
    #[error(
        "column '{column}' holds {kind}, and only with numbers or true and false can a score go up or down"
    )]
    NoOrder {
        /// The column.
        column: String,
        /// What it holds.
        kind: &'static str,
    },
    /// Rows without columns.
    #[error("a score can go up or down with columns of a table, but these are {0}")]
    NoTable(&'static str),
}

impl Monotone {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the columns of a text; those that are there already must have the same direction.
    pub fn add(&mut self, text: &str) -> Result<(), MonotoneError> {
        let mut name = String::new();
        for piece in text.split(',') {
            name.push_str(piece);
            let Some((column, direction)) = name.rsplit_once(':') else {
                // The comma is part of a name.
                name.push(',');
                continue;
            };
            let direction = match direction.trim() {
                "up" => Direction::Up,
                "down" => Direction::Down,
                other => {
                    let (column, found) = (column.trim().to_string(), other.to_string());
                    return Err(MonotoneError::Direction { column, found });
                }
            };
            let column = column.trim().to_string();
            match self.0.iter().find(|(other, _)| *other == column) {
                Some((_, other)) if *other != direction => {
                    return Err(MonotoneError::Contradiction(column));
                }
                Some(_) => {}
                None if column.is_empty() => return Err(MonotoneError::Form(text.to_string())),
                None => self.0.push((column, direction)),
            }
            name.clear();
        }
        if name.is_empty() { Ok(()) } else { Err(MonotoneError::Form(text.to_string())) }
    }

    /// For each column that trees see, 1 where the score must rise with it, -1 where it must fall, 0 where it is free.
    /// Nothing where there is no constraint.
    pub fn directions(&self, data: &Dataset) -> Result<Vec<i8>, Error> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let Encoding::Table(features) = data.encoding().as_ref() else {
            return Err(MonotoneError::NoTable(data.encoding().takes()).into());
        };
        let mut directions = vec![0; data.encoding().whole_width()];
        for (column, direction) in &self.0 {
            let (place, feature) = features.whole_place(column).map_err(|unknown| {
                if data.columns_read().iter().any(|read| read.name == *column) {
                    MonotoneError::NotLearned(column.clone())
                } else {
                    MonotoneError::Unknown(unknown)
                }
            })?;
            if let Some(kind) = without_order(&feature.kind) {
                return Err(MonotoneError::NoOrder { column: column.clone(), kind }.into());
            }
            directions[place] = if *direction == Direction::Up { 1 } else { -1 };
        }
        Ok(directions)
    }
}

/// What a column holds, where its values have no order or become several columns.
fn without_order(kind: &FeatureKind) -> Option<&'static str> {
    match kind {
        FeatureKind::Numeric { .. } | FeatureKind::Boolean { .. } => None,
        FeatureKind::Categorical { .. } => Some("categories"),
        FeatureKind::Text { .. } => Some("texts"),
        FeatureKind::Time { .. } => Some("dates, of which several parts are learned"),
        FeatureKind::Vector { .. } => Some("vectors"),
    }
}

impl FromStr for Monotone {
    type Err = MonotoneError;

    fn from_str(text: &str) -> Result<Self, MonotoneError> {
        let mut columns = Self::default();
        columns.add(text)?;
        Ok(columns)
    }
}

impl fmt::Display for Monotone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (column, direction)) in self.0.iter().enumerate() {
            let direction = if *direction == Direction::Up { "up" } else { "down" };
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{column}:{direction}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{Input, InputOptions};

    fn refusal(text: &str) -> String {
        text.parse::<Monotone>().unwrap_err().to_string()
    }

    #[test]
    fn columns_are_read_and_written_with_their_commas_and_colons() {
        let text = "age:up,income, net:down,a:b:up";
        let read: Monotone = text.parse().unwrap();
        let columns: Vec<&str> = read.0.iter().map(|(column, _)| column.as_str()).collect();
        assert_eq!(columns, ["age", "income, net", "a:b"]);
        assert_eq!(read.to_string(), text);
        // What is said twice is said once.
        assert_eq!("x:up,x:up".parse::<Monotone>().unwrap().to_string(), "x:up");
    }

    #[test]
    fn what_is_no_direction_is_one_sentence() {
        assert_eq!(refusal("age:rising"), "unknown direction 'rising' for column 'age'; use up or down");
        assert!(refusal("age").starts_with("'age' does not say which way"));
        assert!(refusal("").starts_with("'' does not say"));
        assert!(refusal(":up").starts_with("':up' does not say"));
        assert_eq!(
            refusal("age:up,b:down,age:down"),
            "the score is to go both up and down with column 'age'; give it one direction"
        );
    }

    #[test]
    fn columns_are_found_in_the_table() {
        let folder = std::env::temp_dir().join(format!("onesided-monotone-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let row =
            |i: usize| format!("{},{},{},{},1\n", i % 2, ["red", "blue"][i % 2], i, i.is_multiple_of(3));
        let table = format!("y,color,age,member,same\n{}", (0..40).map(row).collect::<String>());
        let path = folder.join("t.csv");
        std::fs::write(&path, table).unwrap();
        let options = InputOptions::labeled("y");
        let data = options.read(&Input::one(&path)).unwrap();
        let of = |text: &str| text.parse::<Monotone>().unwrap().directions(&data);
        assert_eq!(of("age:down,member:up").unwrap(), [0, -1, 1]);
        let refused = |text: &str| of(text).unwrap_err().to_string();
        assert_eq!(refused("agee:up"), "there is no column 'agee'; did you mean 'age'?");
        assert!(refused("color:up").starts_with("column 'color' holds categories, and only with numbers"));
        assert!(refused("same:up").starts_with("column 'same' is not learned from"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
