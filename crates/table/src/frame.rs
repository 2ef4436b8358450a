//! A table in memory: named columns of numbers, truth values, categories, texts or vectors.
//!
//! Columns are stored one after another, numbers as `f32`: a table of a million rows and fifty numeric columns takes
//! 200 MB. A column with a large
//! number that `f32` cannot hold exactly is kept as `f64` until it is centered. Missing cells are kept (as NaN, `None`,
//! an empty text or [`MISSING_CODE`]) until a [`MissingPolicy`](crate::MissingPolicy) decides about them.

use crate::BlankRows;
use crate::Position;
use crate::TableError;
use crate::dates::{Moment, TimeColumn};
use crate::error::unknown_column;
use crate::names::listed;
use crate::read::Dictionary;
use crate::{NumberStyle, Remark};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
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
    /// Columns that could not be read as features, and why.
    pub left_out: Vec<LeftOut>,
    /// Columns whose cells were not all plain numbers or words, and how they were read.
    pub cells: Vec<CellsRead>,
    /// What separates the cells of the file, where it was found out and is not a comma.
    pub delimiter: Option<char>,
    /// What reading met in the header, the lines or the sheets of the file.
    pub remarks: Vec<Remark>,
}

/// How the cells of a column of numbers or truth values were read, where that should be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellsRead {
    /// The name in the header.
    pub column: String,
    /// How its numbers are written.
    pub style: NumberStyle,
    /// Whether a cell shows that sign (true) or its cells leave it open (false); nothing where no cell has one.
    pub sure: Option<bool>,
    /// Whether its numbers have signs between groups of digits, as in `1,234`.
    pub groups: bool,
    /// A number that is not written plainly, and what it was read as: `12%`, 12.
    pub example: Option<(String, f64)>,
    /// Cells that are something else and were taken as missing.
    pub others: usize,
    /// The first of these, and where it is.
    pub first_other: Option<(String, Position)>,
    /// Whether the column was asked to be of its kind, rather than found to be.
    pub asked: bool,
    /// Whether its numbers are kept as texts in a file that has a type for numbers.
    pub kept_as_texts: bool,
}

/// A column that is not learned from, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The name in the header.
    pub column: String,
    /// Why.
    pub why: WhyLeftOut,
}

impl std::fmt::Display for WhyLeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            WhyLeftOut::Constant => "the same in every row",
            WhyLeftOut::Empty => "empty in every row",
            WhyLeftOut::Identifier => "an identifier, or has too many different texts",
            WhyLeftOut::ShortText => "of too many different names or titles",
            WhyLeftOut::FreeText => "free text",
            WhyLeftOut::Index => "an index of rows without a name",
            WhyLeftOut::RowOrder | WhyLeftOut::TimeOrder => "in the order of rows",
            WhyLeftOut::Key => "a different whole number in every row",
            WhyLeftOut::Type => "of a type that is not learned from, such as lists of words",
        })
    }
}

/// Why a column is not learned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyLeftOut {
    /// One value in all rows.
    Constant,
    /// Not one value in any row.
    Empty,
    /// Too many different texts of a word or two: an identifier, or a date.
    Identifier,
    /// Too many different texts of one or two words on average, such as names and titles.
    ShortText,
    /// Too many different texts of several words.
    FreeText,
    /// The first column, which has no name: it counts or names the rows.
    Index,
    /// Numbers that rise or fall with the row: where a row is, and not what it is.
    RowOrder,
    /// Times that rise or fall with the row: when it was written, and not what it is.
    TimeOrder,
    /// A different whole number in every row, such as an identifier has.
    Key,
    /// A type of a Parquet file that is not a feature.
    Type,
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
    /// Numbers of which at least one is large and not exact as `f32`, such as Unix seconds.
    Wide(Vec<f64>),
    /// Truth values; `None` where a cell is missing.
    Boolean(Vec<Option<bool>>),
    /// Texts, as positions in `levels`; [`MISSING_CODE`] where a cell is missing.
    Categorical {
        /// One position in `levels` a row.
        codes: Vec<u32>,
        /// The different texts, sorted.
        levels: Vec<String>,
    },
    /// Dates and times.
    Times(TimeColumn),
    /// Texts as they are.
    Text(TextColumn),
    /// A list of numbers per row, all of one length.
    Vectors {
        /// Numbers per row.
        width: usize,
        /// Row after row; NaN throughout a row whose cell is missing.
        values: Vec<f32>,
    },
}

/// Texts one after another in one buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextColumn {
    buffer: String,
    ends: Vec<usize>,
    missing: Vec<u32>,
}

impl TextColumn {
    /// Appends a text.
    pub fn push(&mut self, text: &str) {
        self.buffer.push_str(text);
        self.ends.push(self.buffer.len());
    }

    /// Appends a missing text, which reads as an empty one.
    pub fn push_missing(&mut self) {
        self.missing.push(self.ends.len() as u32);
        self.ends.push(self.buffer.len());
    }

    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Text `i`. Panics if there is no such text, as indexing a slice does.
    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.buffer[start..self.ends[i]]
    }

    /// All texts.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The rows without a text, ascending.
    pub fn missing(&self) -> &[u32] {
        &self.missing
    }

    fn append(&mut self, other: &TextColumn) {
        let (rows, bytes) = (self.ends.len() as u32, self.buffer.len());
        self.missing.extend(other.missing.iter().map(|row| rows + row));
        self.ends.extend(other.ends.iter().map(|end| bytes + end));
        self.buffer.push_str(&other.buffer);
    }
}

impl<S: AsRef<str>> FromIterator<S> for TextColumn {
    fn from_iter<T: IntoIterator<Item = S>>(texts: T) -> Self {
        let mut column = Self::default();
        texts.into_iter().for_each(|text| column.push(text.as_ref()));
        column
    }
}

impl Values {
    /// How many cells there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Numeric(values) => values.len(),
            Values::Wide(values) => values.len(),
            Values::Boolean(values) => values.len(),
            Values::Categorical { codes, .. } => codes.len(),
            Values::Times(times) => times.seconds.len(),
            Values::Text(texts) => texts.len(),
            Values::Vectors { width, values } => values.len() / width,
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
            Values::Wide(values) => values.iter().filter(|x| x.is_nan()).count(),
            Values::Boolean(values) => values.iter().filter(|x| x.is_none()).count(),
            Values::Categorical { codes, .. } => codes.iter().filter(|&&code| code == MISSING_CODE).count(),
            Values::Times(times) => times.seconds.iter().filter(|x| x.is_nan()).count(),
            Values::Text(texts) => texts.missing.len(),
            Values::Vectors { width, values } => values.chunks(*width).filter(|row| row[0].is_nan()).count(),
        }
    }

    /// Whether the cell of a row is missing. Panics if there is no such row, as indexing a slice does.
    pub fn is_missing(&self, row: usize) -> bool {
        match self {
            Values::Numeric(values) => values[row].is_nan(),
            Values::Wide(values) => values[row].is_nan(),
            Values::Boolean(values) => values[row].is_none(),
            Values::Categorical { codes, .. } => codes[row] == MISSING_CODE,
            Values::Times(times) => times.seconds[row].is_nan(),
            Values::Text(texts) => texts.missing.binary_search(&(row as u32)).is_ok(),
            Values::Vectors { width, values } => values[row * width].is_nan(),
        }
    }

    /// The first row whose cell is missing, from 0.
    pub fn first_missing(&self) -> Option<usize> {
        match self {
            Values::Numeric(values) => values.iter().position(|x| x.is_nan()),
            Values::Wide(values) => values.iter().position(|x| x.is_nan()),
            Values::Boolean(values) => values.iter().position(Option::is_none),
            Values::Categorical { codes, .. } => codes.iter().position(|&code| code == MISSING_CODE),
            Values::Times(times) => times.seconds.iter().position(|x| x.is_nan()),
            Values::Text(texts) => texts.missing.first().map(|&row| row as usize),
            Values::Vectors { width, values } => values.chunks(*width).position(|row| row[0].is_nan()),
        }
    }

    /// `numeric`, `true/false` or `text`, as messages call it.
    pub fn kind(&self) -> &'static str {
        match self {
            Values::Numeric(_) | Values::Wide(_) => "numeric",
            Values::Boolean(_) => "true/false",
            Values::Times(_) => "dates",
            Values::Categorical { .. } | Values::Text(_) => "text",
            Values::Vectors { .. } => "vectors",
        }
    }
}

impl Column {
    /// The column with its cells as categories: numbers and truth values become what one would type (`1`, `0.5`,
    /// `true`).
    pub fn to_categories(&self) -> Column {
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
            Values::Wide(values) => {
                values.iter().for_each(|x| write((!x.is_nan()).then_some(x as &dyn std::fmt::Display)));
            }
            Values::Times(times) => times.seconds.iter().for_each(|&seconds| {
                let Moment { year, month, day, hour, .. } = Moment::at(seconds);
                let minutes = (hour * 60.0).floor() as u32;
                let text = format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", minutes / 60, minutes % 60);
                write((!seconds.is_nan()).then_some(&text as &dyn std::fmt::Display));
            }),
            Values::Text(texts) => {
                let mut missing = texts.missing.iter().copied().peekable();
                for (row, text) in texts.iter().enumerate() {
                    let is_missing = missing.next_if_eq(&(row as u32)).is_some();
                    write((!is_missing).then_some(&text as &dyn std::fmt::Display));
                }
            }
            Values::Vectors { width, values } => values.chunks(*width).for_each(|row| {
                let text = format!("{row:?}");
                write((!row[0].is_nan()).then_some(&text as &dyn std::fmt::Display));
            }),
            Values::Categorical { .. } => return self.clone(),
        }
        Column { name: self.name.clone(), values: dictionary.finish() }
    }
}

impl Frame {
    /// A table of columns of equal length.
    pub fn new(columns: Vec<Column>) -> Result<Self, TableError> {
        let rows = columns.first().map_or(0, |column| column.values.len());
        for column in &columns {
            let found = column.values.len();
            if found != rows {
                return Err(TableError::Length { what: "cells in a column", expected: rows, found });
            }
        }
        Ok(Self { columns, rows, ..Self::default() })
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The column called `name`; the error lists names like it.
    pub fn column(&self, name: &str) -> Result<&Column, TableError> {
        self.columns.iter().find(|column| column.name == name).ok_or_else(|| self.unknown(name))
    }

    /// Takes the column called `name` out of the table; the error lists names like it.
    pub fn take(&mut self, name: &str) -> Result<Column, TableError> {
        match self.columns.iter().position(|column| column.name == name) {
            Some(at) => Ok(self.columns.remove(at)),
            None => Err(self.unknown(name)),
        }
    }

    /// The rows of which every cell is missing, from 0.
    pub fn blank_rows(&self) -> Vec<u32> {
        let mut blank = BlankRows::default();
        self.columns.iter().for_each(|column| blank.meet(&column.values));
        blank.finish()
    }

    /// Whether a column of this name was left out.
    pub fn is_left_out(&self, name: &str) -> bool {
        self.left_out.iter().any(|other| other.column == name)
    }

    fn unknown(&self, name: &str) -> TableError {
        unknown_column(name, self.names().chain(self.ignored.iter().map(String::as_str)))
    }
}

/// Puts the rows of `second` below those of `first`. Both must have the same columns, in any order; the levels of
/// text columns are united. A column without a single value fits any type.
pub fn stack(first: Frame, second: Frame) -> Result<Frame, TableError> {
    stack_named(first, second, "unlabeled rows")
}

/// [`stack`] with a word for what `second` holds.
pub fn stack_named(first: Frame, mut second: Frame, other: &'static str) -> Result<Frame, TableError> {
    let mut first = first;
    // What one file could not be learned from is left out of both.
    let mut left_out = first.left_out.clone();
    left_out.extend(second.left_out.iter().filter(|other| !first.is_left_out(&other.column)).cloned());
    for LeftOut { column, .. } in &left_out {
        first.columns.retain(|other| other.name != *column);
        second.columns.retain(|other| other.name != *column);
    }
    let lacking = |of: &Frame, from: &Frame| -> Vec<String> {
        let there: HashSet<&str> = from.names().collect();
        of.names().filter(|name| !there.contains(name)).map(str::to_string).collect()
    };
    let (no_second, no_first) = (lacking(&first, &second), lacking(&second, &first));
    let mut detail = Vec::new();
    if !no_second.is_empty() {
        detail.push(format!("that of {other} lacks {}", listed(no_second, ", ", 8)));
    }
    if !no_first.is_empty() {
        detail.push(format!("that of positives lacks {}", listed(no_first, ", ", 8)));
    }
    if !detail.is_empty() {
        return Err(TableError::StackColumns { other, detail: detail.join(", ") });
    }
    let rows = first.rows + second.rows;
    let mut columns = Vec::with_capacity(first.columns.len());
    let mut below: HashMap<String, Values> =
        second.columns.drain(..).map(|column| (column.name, column.values)).collect();
    for Column { name, values } in first.columns {
        // Both have the same names.
        let Some(below) = below.remove(&name) else { continue };
        columns.push(Column { values: joined(&name, values, below)?, name });
    }
    let mut ignored = first.ignored;
    for name in second.ignored {
        if !ignored.contains(&name) {
            ignored.push(name);
        }
    }
    let cells = first.cells.into_iter().chain(second.cells).collect();
    let mut remarks = first.remarks;
    for remark in second.remarks {
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
    let delimiter = first.delimiter.or(second.delimiter);
    Ok(Frame { columns, rows, ignored, left_out, cells, delimiter, remarks })
}

fn joined(name: &str, first: Values, second: Values) -> Result<Values, TableError> {
    let (above, below) = (first.len(), second.len());
    let empty = |values: &Values| values.missing() == values.len();
    match (first, second) {
        (Values::Numeric(mut a), Values::Numeric(b)) => {
            a.reserve_exact(below);
            a.extend_from_slice(&b);
            Ok(Values::Numeric(a))
        }
        (Values::Wide(mut a), Values::Wide(b)) => {
            a.extend_from_slice(&b);
            Ok(Values::Wide(a))
        }
        (Values::Wide(mut a), Values::Numeric(b)) => {
            a.extend(b.iter().map(|&x| f64::from(x)));
            Ok(Values::Wide(a))
        }
        (Values::Numeric(a), Values::Wide(b)) => {
            let mut wide: Vec<f64> = a.iter().map(|&x| f64::from(x)).collect();
            wide.extend_from_slice(&b);
            Ok(Values::Wide(wide))
        }
        (Values::Times(a), Values::Times(b)) => Ok(Values::Times(a.stacked(b))),
        (Values::Text(mut a), Values::Text(b)) => {
            a.append(&b);
            Ok(Values::Text(a))
        }
        (Values::Vectors { width, values: mut a }, Values::Vectors { width: other, values: b })
            if width == other =>
        {
            a.extend_from_slice(&b);
            Ok(Values::Vectors { width, values: a })
        }
        (Values::Vectors { width, .. }, Values::Vectors { width: found, .. }) => {
            Err(TableError::VectorLength { column: name.to_string(), row: above + 1, expected: width, found })
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
        (first, second) => Err(TableError::StackKinds {
            column: name.to_string(),
            first: first.kind(),
            second: second.kind(),
        }),
    }
}

/// `values` with `count` missing cells before or after them.
fn joined_with_missing(values: Values, count: usize, before: bool) -> Result<Values, TableError> {
    fn extended<T: Clone>(values: Vec<T>, missing: T, count: usize, before: bool) -> Vec<T> {
        let blank = vec![missing; count];
        if before { [blank, values].concat() } else { [values, blank].concat() }
    }
    Ok(match values {
        Values::Numeric(values) => Values::Numeric(extended(values, f32::NAN, count, before)),
        Values::Wide(values) => Values::Wide(extended(values, f64::NAN, count, before)),
        Values::Times(times) => Values::Times(times.with_missing(count, before)),
        Values::Text(texts) => {
            let mut blank = TextColumn::default();
            (0..count).for_each(|_| blank.push_missing());
            let (mut first, second) = if before { (blank, texts) } else { (texts, blank) };
            first.append(&second);
            Values::Text(first)
        }
        Values::Vectors { width, values } => {
            Values::Vectors { width, values: extended(values, f32::NAN, count * width, before) }
        }
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
        assert!(error.contains("that of unlabeled rows lacks 'a', that of positives lacks 'b'"), "{error}");
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
        assert_eq!(texts(&table.columns[0].to_categories()), ["1", "0.5", "-"]);
        assert_eq!(texts(&table.columns[1].to_categories()), ["true", "false", "-"]);
    }

    #[test]
    fn columns_are_found_by_name() {
        let mut table = frame("age,label\n1,0\n2,1\n");
        assert_eq!(table.take("label").unwrap().values.len(), 2);
        assert_eq!(table.names().collect::<Vec<_>>(), ["age"]);
        assert!(table.column("agee").unwrap_err().to_string().contains("did you mean 'age'?"));
    }
}
