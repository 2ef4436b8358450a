//! Columns of Arrow arrays as a [`Frame`]: what a Parquet file is read through, and a table that is in memory already.
//!
//! Which columns are learned from, and as what, follows from their types and the [`ReadOptions`]. Nulls are missing cells.
//! In memory so is NaN, which is how most programs write a missing number; a file can tell the two apart, and one that
//! holds NaN is refused.

use super::arrow_column::{Cells, Store};
use super::arrow_types::{can_be_text, is_feature, is_time};
use super::guess::{Guess, Habit, Outcome, Seen};
use super::header::Header;
use super::times::Others;
use super::{DatesWritten, MissingPolicy, ReadOptions, Role, Trouble, Wanted, roles, typed_texts};
use crate::Position;
use crate::dates::{NEARLY_ALL, TimeStyle, from_numbers};
use crate::frame::{CellsRead, Column, LeftOut, Values, WhyLeftOut};
use crate::number::NumberStyle;
use crate::{Frame, TableError};
use arrow_array::Array;
use arrow_schema::{DataType, Schema};

/// What the columns of a table that was taken piece by piece turned out to be.
pub(super) struct TableEnd {
    /// How cells were read.
    pub cells: Vec<CellsRead>,
    /// Features of another kind than was wanted.
    pub others: Vec<(String, &'static str)>,
}

/// A table being filled with Arrow arrays, column by column and piece by piece.
pub struct ArrowTable {
    source: String,
    /// Whether missing cells of features are refused.
    refuse: bool,
    /// The decimal sign that was asked for.
    decimal: Option<NumberStyle>,
    stores: Vec<Option<(String, Store)>>,
    ignored: Vec<String>,
    left_out: Vec<LeftOut>,
    header: Header,
}

impl ArrowTable {
    /// Whether a cell of this type can be copied to a list.
    pub(super) fn is_cell(kind: &DataType) -> bool {
        can_be_text(kind) || is_time(kind)
    }

    /// A table in memory that errors call `source`. NaN is a missing cell there.
    pub fn new(source: &str, schema: &Schema, options: &ReadOptions) -> Result<Self, TableError> {
        let names: Vec<String> =
            schema.fields().iter().map(|field| field.name().trim().to_string()).collect();
        let mut table = Self::named(source, &names, schema, options)?;
        table.stores.iter_mut().flatten().for_each(|(_, store)| store.nan_is_missing = true);
        Ok(table)
    }

    pub(super) fn named(
        source: &str,
        names: &[String],
        schema: &Schema,
        options: &ReadOptions,
    ) -> Result<Self, TableError> {
        if names.is_empty() {
            return Err(TableError::Empty { file: source.to_string() });
        }
        let header = Header::new(names.to_vec());
        let (mut roles, ignored) = roles(source, &header.names, options)?;
        let mut left_out: Vec<LeftOut> = header.leave_out_index(&mut roles, options).into_iter().collect();
        let mut stores = Vec::with_capacity(names.len());
        for (at, name) in header.names.iter().enumerate() {
            let kind = schema.field(at).data_type();
            stores.push(match roles[at] {
                Role::Skip => None,
                Role::Feature(_) if !is_feature(kind) => {
                    left_out.push(LeftOut { column: name.clone(), why: WhyLeftOut::Type });
                    None
                }
                role => Some((name.clone(), Store::new(source, name, kind, role, options)?)),
            });
        }
        let refuse = options.missing == MissingPolicy::Refuse;
        let (source, decimal) = (source.to_string(), options.files.decimal);
        Ok(Self { source, refuse, decimal, stores, ignored, left_out, header })
    }

    /// The columns that are read, by their place in the schema.
    pub fn columns(&self) -> Vec<usize> {
        (0..self.stores.len()).filter(|&at| self.stores[at].is_some()).collect()
    }

    /// Appends cells to the column at this place in the schema; one that is not read is passed over.
    pub fn push(&mut self, at: usize, array: &dyn Array) -> Result<(), TableError> {
        let Some((name, store)) = self.stores.get_mut(at).and_then(Option::as_mut) else { return Ok(()) };
        let refuse = self.refuse && matches!(store.role, Role::Feature(_));
        match store.extend(array, refuse) {
            Err((Trouble::TooManyLevels, ..)) => store.give_up(),
            other => other.map_err(|(trouble, row, value)| {
                trouble.at(&self.source, Position::Row((store.rows + row + 1) as u64), name, &value)
            })?,
        }
        store.rows += array.len();
        Ok(())
    }

    /// No other columns than those at these places are read.
    pub(super) fn restrict(&mut self, columns: &[usize]) {
        let others = self.stores.iter_mut().enumerate().filter(|(at, _)| !columns.contains(at));
        others.for_each(|(_, store)| *store = None);
    }

    /// The cells since the last time, for a reader that continues.
    pub(super) fn take(&mut self, rows: usize) -> Result<Frame, TableError> {
        let (refuse, mut columns) = (self.refuse, Vec::with_capacity(self.stores.len()));
        for (name, store) in self.stores.iter_mut().flatten() {
            let before = store.rows - rows;
            let values = store.take(refuse).map_err(|(trouble, row, value)| {
                trouble.at(&self.source, Position::Row((before + row + 1) as u64), name, &value)
            })?;
            match values {
                Ok(values) => columns.push(Column { name: name.clone(), values }),
                Err(why) => self.left_out.push(LeftOut { column: name.clone(), why }),
            }
        }
        let left_out = std::mem::take(&mut self.left_out);
        Ok(Frame { columns, rows, left_out, ..Frame::default() })
    }

    /// What the columns turned out to be, once all of it was taken: how cells were read, and features of another kind.
    pub(super) fn end(self) -> Result<TableEnd, TableError> {
        let (mut cells, mut others) = (Vec::new(), Vec::new());
        let habit = self.habit();
        for (name, store) in self.stores.into_iter().flatten() {
            let wrong = |(trouble, (cell, row)): (Trouble, Seen)| {
                trouble.at(&self.source, Position::Row(row), &name, &String::from_utf8_lossy(&cell))
            };
            if let Some(times) = store.times {
                match times.end().map_err(wrong)? {
                    Some(said) => cells.extend(said.cells_read(&name, true).map(|(cells, _)| cells)),
                    None => others.push((name, Wanted::Any.word())),
                }
                continue;
            }
            let Some(guess) = store.guess else { continue };
            let (found, remarks) = guess.end(habit).map_err(wrong)?;
            typed_texts::refuse_others(self.refuse, &remarks)
                .map_err(|(trouble, row, cell)| wrong((trouble, (cell, row))))?;
            cells.extend(typed_texts::cells_read(remarks, &name));
            others.extend(found.map(|found| (name, found.word())));
        }
        Ok(TableEnd { cells, others })
    }

    /// How the numbers that are texts are written.
    fn habit(&self) -> Habit {
        Habit::of(self.stores.iter().flatten().filter_map(|(_, store)| store.guess()).map(Guess::seen), false)
    }

    /// Texts that turn out to be numbers become that, and those that leave their decimal sign open have that of the others.
    fn read_numbers(&mut self, least: usize) {
        let mut open = Vec::new();
        for (at, store) in self.stores.iter_mut().enumerate() {
            let Some((_, store)) = store else { continue };
            match &mut store.cells {
                Cells::Categories(texts) if store.texts => match texts.numbers(least) {
                    Some((_, true)) => open.push(at),
                    Some((style, false)) => {
                        store.cells = Cells::Written(Box::new(std::mem::take(texts).into_guess(style)));
                    }
                    None => {}
                },
                Cells::Texts(texts, _) => {
                    if let Some(guess) = &mut store.guess {
                        for (row, text) in texts.iter().enumerate() {
                            guess.push(text.as_bytes(), row as u64 + 1);
                        }
                    }
                }
                _ => {}
            }
        }
        let style = self.decimal.unwrap_or_else(|| self.habit().of_open_column());
        for at in open {
            if let Some((_, store)) = &mut self.stores[at]
                && let Cells::Categories(texts) = &mut store.cells
            {
                store.cells = Cells::Written(Box::new(std::mem::take(texts).into_guess(style)));
            }
        }
    }

    /// The table, once all columns that are read have as many cells.
    pub fn finish(mut self, rows: usize) -> Result<Frame, TableError> {
        let file = self.source.clone();
        let file = file.as_str();
        if rows == 0 {
            return Err(TableError::NoRows { file: file.to_string() });
        }
        let (mut columns, mut cells) = (Vec::with_capacity(self.stores.len()), Vec::new());
        let least = if self.refuse { 100 } else { NEARLY_ALL };
        self.read_numbers(least);
        let habit = self.habit();
        for (name, store) in std::mem::take(&mut self.stores).into_iter().flatten() {
            if store.rows != rows {
                return Err(TableError::Length {
                    what: "cells in a column",
                    expected: rows,
                    found: store.rows,
                });
            }
            let at = |trouble: Trouble, row: u64, cell: &[u8]| {
                trouble.at(file, Position::Row(row), &name, &String::from_utf8_lossy(cell))
            };
            let Store { role, cells: read, guess, texts: is_text, .. } = store;
            let values = match (role, read) {
                (_, Cells::Written(guess)) => {
                    let (outcome, remarks) =
                        guess.finish(habit).map_err(|(trouble, (cell, row))| at(trouble, row, &cell))?;
                    typed_texts::refuse_others(self.refuse, &remarks)
                        .map_err(|(trouble, row, cell)| at(trouble, row, &cell))?;
                    cells.push(typed_texts::numbers_read(remarks, &name));
                    // It was read as numbers of its style, so nothing else comes out.
                    if let Outcome::Done(values) = outcome {
                        values
                    } else {
                        Values::Numeric(vec![f32::NAN; rows])
                    }
                }
                (Role::Feature(wanted), Cells::Texts(texts, _)) => {
                    let as_kind = match (wanted, guess) {
                        (Wanted::Times(style), _) => typed_texts::as_times(&texts, style, &name, self.refuse),
                        (_, Some(guess)) => typed_texts::as_kind(&texts, *guess, habit, &name, self.refuse),
                        _ => Ok((Values::Text(texts), None)),
                    };
                    let (values, read) =
                        as_kind.map_err(|(trouble, row, cell)| at(trouble, row, cell.as_bytes()))?;
                    cells.extend(read);
                    values
                }
                (Role::Feature(Wanted::Any), Cells::Categories(texts)) => match texts.times(least) {
                    Some((times, count)) => {
                        let others = Others { count, first: None };
                        cells.extend(others.cells_read(&name, false).map(|(cells, _)| cells));
                        Values::Times(times)
                    }
                    None => match texts.flags().filter(|_| is_text) {
                        Some(flags) => Values::Boolean(flags),
                        None => texts.finish(),
                    },
                },
                (role, read) => match read.finish() {
                    Ok(values) if matches!(role, Role::Feature(Wanted::Times(_))) => in_days(role, values),
                    Ok(values) => values,
                    Err(why) => {
                        self.left_out.push(LeftOut { column: name, why });
                        continue;
                    }
                },
            };
            columns.push(Column { name, values });
        }
        let Self { ignored, left_out, mut header, .. } = self;
        header.remark_unnamed(|name| columns.iter().any(|column: &Column| column.name == name));
        Ok(Frame { columns, rows, ignored, left_out, cells, delimiter: None, remarks: header.remarks })
    }
}

/// Numbers such as 20240301 as dates, where dates that are written so are wanted and one of them is that.
pub(super) fn in_days(role: Role, values: Values) -> Values {
    let compact = matches!(
        role,
        Role::Feature(Wanted::Times(None | Some(DatesWritten { style: TimeStyle::Compact, .. })))
    );
    let times = match &values {
        Values::Numeric(numbers) if compact => from_numbers(numbers.iter().map(|&number| f64::from(number))),
        Values::Wide(numbers) if compact => from_numbers(numbers.iter().copied()),
        _ => return values,
    };
    if times.seconds.iter().all(|seconds| seconds.is_nan()) { values } else { Values::Times(times) }
}
