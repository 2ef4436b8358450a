//! Columns that labels depend on: the setting, and where they are in a table.

use crate::Error;
use onesided_data::{Columns, Dataset, Encoding, FeatureKind, Label, TableError};
use std::fmt;
use std::ops::Range;

/// Names of columns, in the order given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependsOn(Vec<String>);

/// Why labels cannot depend on what was named.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DependsOnError {
    /// No name.
    #[error("'{0}' names no column that labels may depend on; write age or age,region")]
    Form(String),
    /// No such column.
    #[error(transparent)]
    Unknown(#[from] onesided_data::DataError),
    /// It is there, and nothing is learned from it.
    #[error(
        "column '{0}' is not learned from, so that labels cannot be said to depend on it; keep it as a feature"
    )]
    NotLearned(String),
    /// It holds what has no few values.
    #[error(
        "column '{column}' holds {kind}, and labels can be said to depend on numbers, categories, dates and yes or no alone"
    )]
    Kind {
        /// Its name.
        column: String,
        /// What it holds.
        kind: &'static str,
    },
    /// It does not vary where labels are.
    #[error(
        "column '{0}' has the same value in every labeled row, so that no label can tell what depends on it; name another column"
    )]
    Constant(String),
    /// Rows without columns.
    #[error("labels can depend on columns of a table, but these are {0}")]
    NoTable(&'static str),
}

impl From<TableError> for DependsOnError {
    fn from(error: TableError) -> Self {
        DependsOnError::Unknown(error.into())
    }
}

impl DependsOn {
    /// Whether nothing was named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the columns of a text, separated by commas.
    pub fn add(&mut self, text: &str) -> Result<(), DependsOnError> {
        let names: Vec<&str> = text.split(',').map(str::trim).collect();
        if names.iter().any(|name| name.is_empty()) {
            return Err(DependsOnError::Form(text.to_string()));
        }
        for name in names {
            if !self.0.iter().any(|known| known == name) {
                self.0.push(name.to_string());
            }
        }
        Ok(())
    }

    /// Each column by its name, and its places among the whole columns of a data set. A name with a comma in it comes as its pieces.
    pub fn places(&self, data: &Dataset) -> Result<Vec<(String, Range<usize>)>, Error> {
        let Encoding::Table(features) = data.encoding().as_ref() else {
            return Err(DependsOnError::NoTable(data.encoding().takes()).into());
        };
        let (mut found, mut at) = (Vec::new(), 0);
        while at < self.0.len() {
            // The space behind a comma is gone, whether it was part of the name or not.
            let joined = (at + 1..=self.0.len()).rev().find_map(|end| {
                let names = [",", ", "].map(|comma| self.0[at..end].join(comma));
                names.into_iter().find_map(|name| Some((end, features.whole_place(&name).ok()?, name)))
            });
            let Some((end, (place, feature), name)) = joined else {
                let name = &self.0[at];
                return Err(match features.whole_place(name) {
                    _ if data.columns_read().iter().any(|read| read.name == *name) => {
                        DependsOnError::NotLearned(name.clone())
                    }
                    Err(unknown) => unknown.into(),
                    Ok(_) => DependsOnError::Form(name.clone()),
                }
                .into());
            };
            if let Some(kind) = without_parts(&feature.kind) {
                return Err(DependsOnError::Kind { column: name, kind }.into());
            }
            let width =
                if matches!(feature.kind, FeatureKind::Categorical { .. }) { 1 } else { feature.width() };
            found.push((name, place..place + width));
            at = end;
        }
        // What would be refused later is refused before the wait.
        if let Some(labels) = data.labels() {
            let labeled: Vec<u32> = (0u32..)
                .zip(labels)
                .filter(|(_, label)| **label == Label::Positive)
                .map(|(row, _)| row)
                .collect();
            check_varies(&data.columns()?, &found, &labeled)?;
        }
        Ok(found)
    }
}

/// Refuses a column that has one value in all of these rows.
pub(crate) fn check_varies(
    columns: &Columns,
    named: &[(String, Range<usize>)],
    labeled: &[u32],
) -> Result<(), Error> {
    for (name, places) in named {
        let value = |place: usize, row: u32| columns.matrix.row(row as usize)[place].to_bits();
        let varies = |place: usize| labeled.iter().any(|&row| value(place, row) != value(place, labeled[0]));
        if !places.clone().any(varies) {
            return Err(DependsOnError::Constant(name.clone()).into());
        }
    }
    Ok(())
}

/// What a column holds that is not cut into parts.
fn without_parts(kind: &FeatureKind) -> Option<&'static str> {
    match kind {
        FeatureKind::Numeric { .. }
        | FeatureKind::Boolean { .. }
        | FeatureKind::Categorical { .. }
        | FeatureKind::Time { .. } => None,
        FeatureKind::Text { .. } => Some("texts"),
        FeatureKind::Vector { .. } => Some("vectors"),
    }
}

impl fmt::Display for DependsOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{Input, InputOptions};

    #[test]
    fn columns_are_read_written_and_found() {
        let mut columns = DependsOn::default();
        assert!(columns.is_empty());
        columns.add("age, region").unwrap();
        columns.add("age").unwrap();
        assert_eq!(columns.to_string(), "age,region");
        assert!(columns.add("a,,b").unwrap_err().to_string().starts_with("'a,,b' names no column"));
        assert!(DependsOn::default().add("").is_err());
    }

    #[test]
    fn what_is_not_there_is_one_sentence() {
        let folder = std::env::temp_dir().join(format!("onesided-depends-on-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let row = |i: usize| {
            format!(
                "{},{},{},{},1,\"{}\"\n",
                i % 2,
                ["red", "blue", "green"][i % 3],
                i,
                i.is_multiple_of(3),
                i % 7
            )
        };
        let table =
            format!("y,color,age,member,same,\"net, total\"\n{}", (0..40).map(row).collect::<String>());
        let path = folder.join("t.csv");
        std::fs::write(&path, table).unwrap();
        let data = InputOptions::labeled("y").read(&Input::one(&path)).unwrap();
        let of = |text: &str| {
            let mut columns = DependsOn::default();
            columns.add(text).unwrap();
            columns.places(&data)
        };
        let places = |text: &str| of(text).unwrap().into_iter().map(|(_, place)| place).collect::<Vec<_>>();
        assert_eq!(places("age,color"), [1..2, 0..1]);
        assert_eq!(places("net, total,member").len(), 2);
        let refused = |text: &str| of(text).unwrap_err().to_string();
        assert_eq!(refused("agee"), "there is no column 'agee'; did you mean 'age'?");
        assert!(refused("same").starts_with("column 'same' is not learned from"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
