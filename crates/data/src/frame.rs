//! A table in memory: named columns of numbers, truth values or texts.
//!
//! Columns are stored one after another, numbers as `f32`: a table of a million rows and fifty numeric columns takes
//! 200 MB, and [`Features::encode`](crate::Features::encode) frees it while it fills the matrix. Missing cells are
//! kept (as NaN, `None` or [`MISSING_CODE`]) until a [`MissingPolicy`](crate::MissingPolicy) decides about them.

use crate::DataError;
use crate::error::{listed, unknown_column};
use crate::read::Dictionary;
use std::fmt::Write;

/// The code of a missing cell in [`Values::Categorical`].
pub const MISSING_CODE: u32 = u32::MAX;

/// A table: columns of equal length.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The columns, in the order of the file.
    pub columns: Vec<Column>,
    /// How many rows every column has.
    pub rows: usize,
    /// Names of columns that the file has and [`ReadOptions::only`](crate::ReadOptions::only) left unread.
    pub ignored: Vec<String>,
}

/// One named column.
#[derive(Clone, Debug)]
pub struct Column {
    /// The name in the header.
    pub name: String,
    /// What it holds.
    pub values: Values,
}

/// The cells of a column.
#[derive(Clone, Debug)]
pub enum Values {
    /// Numbers; NaN where a cell is missing. Readers admit no other NaN and no infinities.
    Numeric(Vec<f32>),
    /// Truth values; `None` where a cell is missing.
    Boolean(Vec<Option<bool>>),
    /// Texts, as positions in `levels`; [`MISSING_CODE`] where a cell is missing.
    Categorical {
        /// One position in `levels` a row.
        codes: Vec<u32>,
        /// The different texts, sorted.
        levels: Vec<String>,
    },
}

impl Values {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Numeric(values) => values.len(),
            Values::Boolean(values) => values.len(),
            Values::Categorical { codes, .. } => codes.len(),
        }
    }

    /// Whether there is no cell at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many cells are missing.
    pub fn missing(&self) -> usize {
        match self {
            Values::Numeric(values) => values.iter().filter(|x| x.is_nan()).count(),
            Values::Boolean(values) => values.iter().filter(|x| x.is_none()).count(),
            Values::Categorical { codes, .. } => codes.iter().filter(|&&code| code == MISSING_CODE).count(),
        }
    }

    /// `numeric`, `true/false` or `text`, as messages call it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Values::Numeric(_) => "numeric",
            Values::Boolean(_) => "true/false",
            Values::Categorical { .. } => "text",
        }
    }
}

impl Column {
    /// The column with its cells as text: numbers and truth values become what one would type (`1`, `0.5`, `true`).
    pub fn to_text(&self) -> Column {
        let mut dictionary = Dictionary::default();
        let mut buffer = String::new();
        let mut write = |cell: Option<&dyn std::fmt::Display>| match cell {
            None => dictionary.push_missing(),
            Some(cell) => {
                buffer.clear();
                // Writing into a string cannot fail.
                let _ = write!(buffer, "{cell}");
                dictionary.push_text(&buffer);
            }
        };
        match &self.values {
            Values::Numeric(values) => {
                values.iter().for_each(|x| write((!x.is_nan()).then_some(x as &dyn std::fmt::Display)));
            }
            Values::Boolean(values) => {
                values.iter().for_each(|x| write(x.as_ref().map(|x| x as &dyn std::fmt::Display)));
            }
            Values::Categorical { .. } => return self.clone(),
        }
        Column { name: self.name.clone(), values: dictionary.finish() }
    }
}

impl Frame {
    /// A table of columns of equal length.
    pub fn new(columns: Vec<Column>) -> Result<Self, DataError> {
        let rows = columns.first().map_or(0, |column| column.values.len());
        for column in &columns {
            let found = column.values.len();
            if found != rows {
                return Err(DataError::Length { what: "cells in a column", expected: rows, found });
            }
        }
        Ok(Self { columns, rows, ignored: Vec::new() })
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The column called `name`; the error lists names like it.
    pub fn column(&self, name: &str) -> Result<&Column, DataError> {
        self.columns.iter().find(|column| column.name == name).ok_or_else(|| self.unknown(name))
    }

    /// Takes the column called `name` out of the table; the error lists names like it.
    pub fn take(&mut self, name: &str) -> Result<Column, DataError> {
        match self.columns.iter().position(|column| column.name == name) {
            Some(at) => Ok(self.columns.remove(at)),
            None => Err(self.unknown(name)),
        }
    }

    fn unknown(&self, name: &str) -> DataError {
        unknown_column(name, self.names().chain(self.ignored.iter().map(String::as_str)))
    }
}

/// Puts the rows of `second` below those of `first`. Both must have the same columns, in any order; the levels of
/// text columns are united. A column without a single value fits any type.
pub fn stack(first: Frame, mut second: Frame) -> Result<Frame, DataError> {
    let lacking = |of: &Frame, from: &Frame| -> Vec<String> {
        of.names().filter(|name| !from.names().any(|other| other == *name)).map(str::to_string).collect()
    };
    let (no_second, no_first) = (lacking(&first, &second), lacking(&second, &first));
    let mut detail = Vec::new();
    if !no_second.is_empty() {
        detail.push(format!("the second lacks {}", listed(no_second, ", ", 8)));
    }
    if !no_first.is_empty() {
        detail.push(format!("the first lacks {}", listed(no_first, ", ", 8)));
    }
    if !detail.is_empty() {
        return Err(DataError::StackColumns { detail: detail.join(", ") });
    }
    let rows = first.rows + second.rows;
    let mut columns = Vec::with_capacity(first.columns.len());
    for column in first.columns {
        let below = second.take(&column.name)?;
        columns
            .push(Column { values: joined(&column.name, column.values, below.values)?, name: column.name });
    }
    let mut ignored = first.ignored;
    for name in second.ignored {
        if !ignored.contains(&name) {
            ignored.push(name);
        }
    }
    Ok(Frame { columns, rows, ignored })
}

fn joined(name: &str, first: Values, second: Values) -> Result<Values, DataError> {
    let (above, below) = (first.len(), second.len());
    let empty = |values: &Values| values.missing() == values.len();
    match (first, second) {
        (Values::Numeric(mut a), Values::Numeric(b)) => {
            a.reserve_exact(below);
            a.extend_from_slice(&b);
            Ok(Values::Numeric(a))
        }
        (Values::Boolean(mut a), Values::Boolean(b)) => {
            a.extend_from_slice(&b);
            Ok(Values::Boolean(a))
        }
        (Values::Categorical { codes: mut a, levels: x }, Values::Categorical { codes: b, levels: y }) => {
            let mut levels: Vec<String> = x.iter().chain(&y).cloned().collect();
            levels.sort_unstable();
            levels.dedup();
            let moved = |old: &[String]| -> Vec<u32> {
                old.iter().map(|l| levels.binary_search(l).unwrap_or(0) as u32).collect()
            };
            let (from_first, from_second) = (moved(&x), moved(&y));
            let recode = |code: u32, map: &[u32]| map.get(code as usize).copied().unwrap_or(MISSING_CODE);
            a.iter_mut().for_each(|code| *code = recode(*code, &from_first));
            a.extend(b.iter().map(|&code| recode(code, &from_second)));
            Ok(Values::Categorical { codes: a, levels })
        }
        (first, second) if empty(&second) => joined_with_missing(first, below, false),
        (first, second) if empty(&first) => joined_with_missing(second, above, true),
        (first, second) => Err(DataError::StackKinds {
            column: name.to_string(),
            first: first.kind(),
            second: second.kind(),
        }),
    }
}

/// `values` with `count` missing cells before or after them.
fn joined_with_missing(values: Values, count: usize, before: bool) -> Result<Values, DataError> {
    fn extended<T: Clone>(values: Vec<T>, missing: T, count: usize, before: bool) -> Vec<T> {
        let blank = vec![missing; count];
        if before { [blank, values].concat() } else { [values, blank].concat() }
    }
    Ok(match values {
        Values::Numeric(values) => Values::Numeric(extended(values, f32::NAN, count, before)),
        Values::Boolean(values) => Values::Boolean(extended(values, None, count, before)),
        Values::Categorical { codes, levels } => {
            Values::Categorical { codes: extended(codes, MISSING_CODE, count, before), levels }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_csv_bytes;

    fn frame(csv: &str) -> Frame {
        read_csv_bytes(csv.as_bytes()).unwrap()
    }

    fn texts(column: &Column) -> Vec<&str> {
        match &column.values {
            Values::Categorical { codes, levels } => {
                codes.iter().map(|&c| levels.get(c as usize).map_or("-", String::as_str)).collect()
            }
            other => panic!("not text but {}", other.kind()),
        }
    }

    #[test]
    fn stacking_unites_levels_whatever_the_order_of_columns() {
        let both = stack(frame("x,c\n1,red\n2,blue\n"), frame("c,x\ngreen,3\n,4\nred,5\n")).unwrap();
        assert_eq!(both.rows, 5);
        let Values::Numeric(x) = &both.column("x").unwrap().values else { panic!() };
        assert_eq!(x, &[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(texts(both.column("c").unwrap()), ["red", "blue", "green", "-", "red"]);
    }

    #[test]
    fn stacking_names_what_does_not_fit() {
        let error = stack(frame("x,a\n1,2\n"), frame("x,b\n1,2\n")).unwrap_err().to_string();
        assert!(error.contains("the second lacks 'a', the first lacks 'b'"), "{error}");
        let error = stack(frame("x\n1\n"), frame("x\nred\n")).unwrap_err().to_string();
        assert!(error.contains("'x' is numeric in the first file but text in the second"), "{error}");
    }

    #[test]
    fn an_empty_column_stacks_with_any_type() {
        let both = stack(frame("x,c\n1,\n"), frame("x,c\n2,red\n")).unwrap();
        assert_eq!(texts(both.column("c").unwrap()), ["-", "red"]);
        let both = stack(frame("x,b\n1,true\n"), frame("x,b\n2,\n")).unwrap();
        let Values::Boolean(b) = &both.column("b").unwrap().values else { panic!() };
        assert_eq!(b, &[Some(true), None]);
    }

    #[test]
    fn numbers_and_truth_values_as_text() {
        let table = frame("x,b\n1,true\n0.5,false\n,\n");
        assert_eq!(texts(&table.columns[0].to_text()), ["1", "0.5", "-"]);
        assert_eq!(texts(&table.columns[1].to_text()), ["true", "false", "-"]);
    }

    #[test]
    fn columns_are_found_by_name() {
        let mut table = frame("age,label\n1,0\n2,1\n");
        assert_eq!(table.take("label").unwrap().values.len(), 2);
        assert_eq!(table.names().collect::<Vec<_>>(), ["age"]);
        assert!(table.column("agee").unwrap_err().to_string().contains("did you mean 'age'?"));
    }
}
