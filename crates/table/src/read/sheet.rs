//! A sheet of a spreadsheet, written as a text table and read as one.
//!
//! Cells come with their types. A number stays one and is marked so; a text may still be a number as a person writes it, and
//! dates become ISO 8601, so that the guessing of text tables does the rest. Line n of the text is row n of the sheet, so that messages name rows as the spreadsheet does.

use super::cell::mark;
use super::hidden::Hidden;
use super::sheet_header::{self, LOOKED_AT, Row, SheetHeader};
use super::source::Bytes;
use super::workbook::{SheetCell, SheetName, Workbook};
use super::{ReadOptions, Source};
use crate::Remark;
use crate::memory::shown_size;
use crate::names::listed;
use crate::{Frame, TableError, check_memory};
use calamine::Dimensions;
use std::collections::HashSet;

/// How much text is written between two questions about memory.
const STEP: usize = 1 << 22;

/// Reads the sheet that the options name, or the one with most of the columns that they name.
pub(super) fn read(source: &Source<'_>, options: &ReadOptions) -> Result<Frame, TableError> {
    let mut workbook = Workbook::open(source)?;
    let (sheet, others) = choose(&mut workbook, &source.name, options)?;
    let merged = workbook.merged(&sheet);
    let mut text = SheetText::new(&source.name, merged, workbook.hidden(&sheet));
    workbook.each_cell(&sheet, &mut |row, column, cell| text.take(row, column, cell).map(|()| true))?;
    let Some((bytes, mut remarks)) = text.finish()? else {
        return Err(TableError::SheetHeader { file: source.name.clone(), sheet });
    };
    drop(workbook);
    let mut text = source.rewritten(Bytes::Read(bytes.into()), 1);
    if !others.is_empty() || options.files.sheet.is_some() {
        text.name = format!("{}, sheet {sheet}", source.name);
    }
    if !others.is_empty() {
        remarks.insert(0, Remark::Sheets { read: sheet, others });
    }
    let mut frame = text.read_plain(options).map_err(|error| error.of_sheet(&remarks))?;
    remarks.append(&mut frame.remarks);
    frame.remarks = remarks;
    Ok(frame)
}

/// The sheet to read, and others with data where nothing was asked for.
fn choose(
    workbook: &mut Workbook,
    file: &str,
    options: &ReadOptions,
) -> Result<(String, Vec<String>), TableError> {
    let sheets = workbook.sheets();
    if let Some(asked) = options.files.sheet.as_deref() {
        let by_name = sheets.iter().find(|sheet| sheet.name == asked);
        let numbered = || asked.parse::<usize>().ok()?.checked_sub(1).and_then(|at| sheets.get(at));
        return match by_name.or_else(numbered) {
            Some(sheet) => Ok((sheet.name.clone(), Vec::new())),
            None => {
                let names = listed(sheets.iter().map(|sheet| &sheet.name), ", ", 8);
                let (file, sheet) = (file.to_string(), asked.to_string());
                Err(TableError::NoSheet { file, sheet, sheets: names })
            }
        };
    }
    let mut with_data = Vec::new();
    for SheetName { name, visible } in sheets {
        let mut is_filled = false;
        let looked = workbook.each_cell(&name, &mut |_, _, _| {
            is_filled = true;
            Ok(false)
        });
        // A sheet that cannot be read is not a reason to refuse one that can.
        if is_filled && (visible || with_data.is_empty()) {
            with_data.push((name, visible));
        } else if let (Err(error), true) = (looked, with_data.is_empty() && visible) {
            return Err(error);
        }
    }
    let mut at = with_data.iter().position(|(_, visible)| *visible).unwrap_or(0);
    let wanted = options.of_sheet();
    if with_data.len() > 1 && !wanted.is_empty() {
        let mut most = names_in(workbook, &with_data[at].0, &wanted);
        for (other, (name, _)) in with_data.iter().enumerate().filter(|(_, (_, visible))| *visible) {
            let found = if other == at { 0 } else { names_in(workbook, name, &wanted) };
            if found > most {
                (at, most) = (other, found);
            }
        }
    }
    if with_data.is_empty() {
        Err(TableError::EmptySheets { file: file.to_string() })
    } else {
        let (read, _) = with_data.remove(at);
        let others = with_data.into_iter().filter(|(_, visible)| *visible).map(|(name, _)| name);
        Ok((read, others.collect()))
    }
}

/// How many of some columns the first rows of a sheet name.
fn names_in(workbook: &mut Workbook, sheet: &str, wanted: &HashSet<&str>) -> usize {
    let mut found = HashSet::new();
    // What cannot be read names nothing.
    let _ = workbook.each_cell(sheet, &mut |row, _, cell| {
        found.extend(wanted.get(cell.text.trim()).copied());
        Ok((row as usize) < LOOKED_AT && found.len() < wanted.len())
    });
    found.len()
}

/// A sheet as text, and what is to be told of it.
type Written = (Vec<u8>, Vec<Remark>);

/// A sheet being written as text.
struct SheetText<'s> {
    file: &'s str,
    merged: Vec<Dimensions>,
    /// Merged areas that reach below the row in which they begin, and their values.
    open: Vec<(Dimensions, SheetCell)>,
    /// The first rows, until the header is found among them.
    first: Vec<Row>,
    /// How many rows are before these.
    before: usize,
    header: Option<SheetHeader>,
    row: Row,
    at: u32,
    text: Vec<u8>,
    asked: usize,
    filled: usize,
    hidden: Hidden,
    /// Hidden rows that have something in them.
    hidden_rows: Vec<usize>,
}

impl<'s> SheetText<'s> {
    fn new(file: &'s str, merged: Vec<Dimensions>, hidden: Hidden) -> Self {
        let merged = merged.into_iter().filter(|area| area.start != area.end).collect();
        Self {
            file,
            merged,
            open: Vec::new(),
            first: Vec::new(),
            before: 0,
            header: None,
            row: Vec::new(),
            at: 0,
            text: Vec::new(),
            asked: 0,
            filled: 0,
            hidden,
            hidden_rows: Vec::new(),
        }
    }

    fn take(&mut self, row: u32, column: u32, cell: SheetCell) -> Result<(), TableError> {
        let damaged = |detail: &str| TableError::CorruptSheet {
            file: self.file.to_string(),
            detail: detail.to_string(),
        };
        if row < self.at || row >= 1 << 20 || column >= 1 << 14 {
            return Err(damaged("its cells are out of order"));
        }
        while self.at < row {
            self.end_row()?;
        }
        let column = column as usize;
        if self.row.len() <= column {
            self.row.resize(column + 1, SheetCell::default());
        }
        self.row[column] = cell;
        Ok(())
    }

    /// Gives merged cells their value and puts the row with the others.
    fn end_row(&mut self) -> Result<(), TableError> {
        let at = self.at;
        if !self.merged.is_empty() {
            let begun: Vec<Dimensions> =
                self.merged.iter().filter(|area| area.start.0 == at).copied().collect();
            for area in begun {
                let value = self.row.get(area.start.1 as usize).cloned().unwrap_or_default();
                self.open.push((area, value));
            }
            self.open.retain(|(area, _)| area.end.0 >= at);
            for (area, value) in self.open.iter().filter(|(_, value)| !value.text.is_empty()) {
                let (from, to) = (area.start.1 as usize, (area.end.1 as usize).min((1 << 14) - 1));
                if self.row.len() <= to {
                    self.row.resize(to + 1, SheetCell::default());
                }
                self.row[from..=to].iter_mut().for_each(|cell| cell.clone_from(value));
                self.filled += usize::from(area.start.0 == at);
            }
        }
        if !self.row.is_empty() && self.hidden.rows.contains(&at) {
            self.hidden_rows.push(at as usize);
        }
        self.at += 1;
        let row = std::mem::take(&mut self.row);
        if self.header.is_some() {
            return self.write(&row, true);
        }
        self.first.push(row);
        if self.first.len() >= LOOKED_AT { self.find_header() } else { Ok(()) }
    }

    fn find_header(&mut self) -> Result<(), TableError> {
        let rows = std::mem::take(&mut self.first);
        let is_wide = |area: &&Dimensions| area.start.1 < area.end.1;
        let across: Vec<usize> = self
            .merged
            .iter()
            .filter(is_wide)
            .filter_map(|area| (area.start.0 as usize).checked_sub(self.before))
            .collect();
        let Some(header) = sheet_header::found(&rows, &across) else {
            // Nothing but titles so far: the table begins later.
            rows.iter().for_each(|_| self.text.push(b'\n'));
            self.before += rows.len();
            return Ok(());
        };
        (1..header.rows).for_each(|_| self.text.push(b'\n'));
        let names = header.names.iter().map(|name| SheetCell { text: name.clone(), is_number: false });
        self.write(&names.collect::<Row>(), false)?;
        rows.iter().skip(header.rows).try_for_each(|row| self.write(row, true))?;
        self.header = Some(header);
        Ok(())
    }

    fn write(&mut self, row: &Row, marked: bool) -> Result<(), TableError> {
        let used = row.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |at| at + 1);
        for (at, SheetCell { text, is_number }) in row[..used].iter().enumerate() {
            if at > 0 {
                self.text.push(b',');
            }
            if !text.is_empty() {
                self.text.push(b'"');
                self.text.extend(mark(text, *is_number).filter(|_| marked));
                for &byte in text.as_bytes() {
                    if byte == b'"' {
                        self.text.push(byte);
                    }
                    self.text.push(byte);
                }
                self.text.push(b'"');
            }
        }
        if used == 0 && marked {
            // A row of the table, though an empty one: a blank line would be passed over, and rows below it would move up.
            self.text.extend(b"\"\"");
        }
        self.text.push(b'\n');
        if self.text.len() - self.asked > STEP {
            self.asked = self.text.len();
            let held = self.text.len() as u64;
            let what = || format!("the cells of '{}' beyond their first {}", self.file, shown_size(held));
            check_memory(what, 3 * held)?;
        }
        Ok(())
    }

    /// The text, and what is to be told; nothing where there is no header.
    fn finish(mut self) -> Result<Option<Written>, TableError> {
        self.end_row()?;
        if self.header.is_none() {
            self.find_header()?;
        }
        let Some(header) = self.header else { return Ok(None) };
        let mut remarks = Vec::new();
        if header.titles > 0 {
            remarks.push(Remark::Titles { lines: header.titles });
        }
        let in_header =
            self.merged.iter().filter(|area| (area.start.0 as usize) < self.before + header.rows).count();
        match header.joined {
            Some(example) if !example.is_empty() => remarks.push(Remark::TwoHeaders { example }),
            _ => {}
        }
        let areas = self.filled.saturating_sub(in_header);
        if areas > 0 {
            remarks.push(Remark::Merged { areas });
        }
        let rows = self.hidden_rows.iter().filter(|&&row| row >= self.before + header.rows).count();
        let is_hidden = |at: usize| self.hidden.columns.iter().any(|columns| columns.contains(&(at as u32)));
        let columns = header.names.iter().enumerate().filter(|(at, name)| is_hidden(*at) && !name.is_empty());
        let columns: Vec<String> = columns.map(|(_, name)| name.clone()).collect();
        if rows > 0 || !columns.is_empty() {
            remarks.push(Remark::Hidden { rows, columns });
        }
        Ok(Some((self.text, remarks)))
    }
}
