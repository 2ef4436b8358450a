//! Columns of Arrow arrays as a [`Frame`]: what a Parquet file is read through, and a table that is in memory already.
//!
//! Which columns are learned from, and as what, follows from their types and the [`ReadOptions`]. Nulls are missing cells.
//! In memory so is NaN, which is how most programs write a missing number; a file can tell the two apart, and one that
//! holds NaN is refused.

use super::arrow_column::{Cells, Store};
use super::arrow_types::{can_be_text, is_feature, is_time};
use super::guess::{Habit, Outcome};
use super::header::Header;
use super::remark::Remark;
use super::times::Others;
use super::{MissingPolicy, ReadOptions, Role, Trouble, Wanted, roles, texts};
use crate::dates::{NEARLY_ALL, from_categories, from_numbers};
use crate::error::Position;
use crate::frame::{CellsRead, Column, LeftOut, Values, WhyLeftOut};
use crate::{DataError, Frame};
use arrow_array::Array;
use arrow_schema::{DataType, Schema};

/// What the columns of a table that was taken piece by piece turned out to be.
pub(super) struct TableEnd {
    /// How cells were read.
    pub cells: Vec<CellsRead>,
    /// Features of another kind than was wanted.
    pub others: Vec<(String, &'static str)>,
    /// What else is to be told.
    pub remarks: Vec<Remark>,
}

/// A table being filled with Arrow arrays, column by column and piece by piece.
pub struct ArrowTable {
    source: String,
    /// Whether missing cells of features are refused.
    refuse: bool,
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
    pub fn new(source: &str, schema: &Schema, options: &ReadOptions) -> Result<Self, DataError> {
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
    ) -> Result<Self, DataError> {
        if names.is_empty() {
            return Err(DataError::Empty { file: source.to_string() });
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
                role => Some((name.clone(), Store::new(source, name, kind, role)?)),
            });
        }
        let refuse = options.missing == MissingPolicy::Refuse;
        Ok(Self { source: source.to_string(), refuse, stores, ignored, left_out, header })
    }

    /// The columns that are read, by their place in the schema.
    pub fn columns(&self) -> Vec<usize> {
        (0..self.stores.len()).filter(|&at| self.stores[at].is_some()).collect()
    }

    /// Appends cells to the column at this place in the schema; one that is not read is passed over.
    pub fn push(&mut self, at: usize, array: &dyn Array) -> Result<(), DataError> {
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
    pub(super) fn take(&mut self, rows: usize) -> Result<Frame, DataError> {
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
    pub(super) fn end(self) -> Result<TableEnd, DataError> {
        let (mut cells, mut others, mut noted) = (Vec::new(), Vec::new(), Vec::new());
        for (name, store) in self.stores.into_iter().flatten() {
            if let Some(times) = store.times {
                noted.extend(times.changed().map(|style| Remark::Dates { column: name.clone(), style }));
                let ended = times.end().map_err(|(trouble, (cell, row))| {
                    trouble.at(&self.source, Position::Row(row), &name, &String::from_utf8_lossy(&cell))
                })?;
                match ended {
                    Some(said) => cells.extend(said.cells_read(&name, true).map(|(cells, _)| cells)),
                    None => others.push((name, Wanted::Any.word())),
                }
                continue;
            }
            let Some(guess) = store.guess else { continue };
            let at = |trouble: Trouble, row, cell: &[u8]| {
                let value = String::from_utf8_lossy(cell).into_owned();
                trouble.at(&self.source, Position::Row(row), &name, &value)
            };
            let (found, remarks) =
                guess.end(Habit::default()).map_err(|(trouble, (cell, row))| at(trouble, row, &cell))?;
            texts::refuse_others(self.refuse, &remarks)
                .map_err(|(trouble, row, cell)| at(trouble, row, &cell))?;
            cells.extend(texts::cells_read(remarks, &name));
            others.extend(found.map(|found| (name, found.word())));
        }
        Ok(TableEnd { cells, others, remarks: noted })
    }

    /// The table, once all columns that are read have as many cells.
    pub fn finish(mut self, rows: usize) -> Result<Frame, DataError> {
        let file = self.source.clone();
        let file = file.as_str();
        if rows == 0 {
            return Err(DataError::NoRows { file: file.to_string() });
        }
        let (mut columns, mut cells) = (Vec::with_capacity(self.stores.len()), Vec::new());
        let least = if self.refuse { 100 } else { NEARLY_ALL };
        for (name, store) in std::mem::take(&mut self.stores).into_iter().flatten() {
            if store.rows != rows {
                return Err(DataError::Length {
                    what: "cells in a column",
                    expected: rows,
                    found: store.rows,
                });
            }
            let cells_of = match store.cells {
                Cells::Categories(texts) if store.texts => match texts.numbers(least) {
                    Some(style) => Cells::Written(Box::new(texts.into_guess(style))),
                    None => Cells::Categories(texts),
                },
                other => other,
            };
            if let Cells::Written(guess) = cells_of {
                let at = |trouble: Trouble, row, cell: &[u8]| {
                    trouble.at(file, Position::Row(row), &name, &String::from_utf8_lossy(cell))
                };
                let (outcome, remarks) = guess
                    .finish(Habit::default())
                    .map_err(|(trouble, (cell, row))| at(trouble, row, &cell))?;
                texts::refuse_others(self.refuse, &remarks)
                    .map_err(|(trouble, row, cell)| at(trouble, row, &cell))?;
                cells.push(texts::numbers_read(remarks, &name));
                // It was read as numbers of its style, so nothing else comes out.
                let values = if let Outcome::Done(values) = outcome {
                    values
                } else {
                    Values::Numeric(vec![f32::NAN; rows])
                };
                columns.push(Column { name, values });
                continue;
            }
            let values = match (store.role, cells_of.finish()) {
                (Role::Feature(wanted), Ok(Values::Text(texts))) => {
                    let wanted = match wanted {
                        Wanted::Times(Some(style)) => {
                            let found = texts::order_of(&texts, style);
                            let changed = || Remark::Dates { column: name.clone(), style: found };
                            self.header.remarks.extend((found != style).then(changed));
                            Wanted::Times(Some(found))
                        }
                        other => other,
                    };
                    let (values, read) = texts::as_kind(&texts, wanted, &name, self.refuse).map_err(
                        |(trouble, row, value)| trouble.at(file, Position::Row(row), &name, &value),
                    )?;
                    cells.extend(read);
                    values
                }
                (Role::Feature(Wanted::Any), Ok(Values::Categorical { codes, levels })) => {
                    match from_categories(&codes, &levels, least) {
                        Some((times, count)) => {
                            let others = Others { count, first: None };
                            cells.extend(others.cells_read(&name, false).map(|(cells, _)| cells));
                            Values::Times(times)
                        }
                        None => Values::Categorical { codes, levels },
                    }
                }
                (Role::Feature(Wanted::Times(_)), Ok(Values::Numeric(numbers))) => {
                    Values::Times(from_numbers(numbers.iter().map(|&number| f64::from(number))))
                }
                (Role::Feature(Wanted::Times(_)), Ok(Values::Wide(numbers))) => {
                    Values::Times(from_numbers(numbers.iter().copied()))
                }
                (_, Ok(values)) => values,
                (_, Err(why)) => {
                    self.left_out.push(LeftOut { column: name, why });
                    continue;
                }
            };
            columns.push(Column { name, values });
        }
        let Self { ignored, left_out, mut header, .. } = self;
        header.remark_unnamed(|name| columns.iter().any(|column: &Column| column.name == name));
        Ok(Frame { columns, rows, ignored, left_out, cells, delimiter: None, remarks: header.remarks })
    }
}
