//! Spreadsheet files: their sheets, and the cells of a sheet as texts.

use super::Source;
use super::contained::contained;
use super::container::{Zipped, check_ole, check_zip};
use super::hidden::Hidden;
use super::magic_bytes::OLE;
use crate::TableError;
use bytes::Bytes;
use calamine::{
    Cell, Data, DataRef, Dimensions, ExcelDateTime, Ods, Reader, SheetType, SheetVisible, Sheets, Xls, Xlsb,
    Xlsx,
};
use std::fmt::Display;
use std::io::Cursor;

/// An open spreadsheet.
pub(super) struct Workbook {
    file: String,
    bytes: Bytes,
    sheets: Sheets<Cursor<Bytes>>,
}

/// A sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SheetName {
    pub name: String,
    pub visible: bool,
}

/// Takes a cell by its row and column, from 0, and says whether to continue.
pub(super) type TakeCell<'t> = dyn FnMut(u32, u32, SheetCell) -> Result<bool, TableError> + 't;

/// A cell as a text, and whether the sheet holds it as a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SheetCell {
    pub text: String,
    pub is_number: bool,
}

impl SheetCell {
    fn number(number: impl Display) -> Self {
        Self { text: number.to_string(), is_number: true }
    }

    fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_number: false }
    }
}

impl Workbook {
    pub(super) fn open(source: &Source<'_>) -> Result<Self, TableError> {
        let (file, bytes) = (source.name.clone(), source.all()?);
        let cursor = Cursor::new(bytes.clone());
        let opened = contained(|| {
            Ok(if bytes.starts_with(OLE) {
                check_ole(&file, &bytes)?;
                Sheets::Xls(Xls::new(cursor).map_err(|error| corrupt(&file, &error))?)
            } else {
                match check_zip(&file, &bytes)? {
                    Zipped::Xlsx => Sheets::Xlsx(Xlsx::new(cursor).map_err(|error| corrupt(&file, &error))?),
                    Zipped::Xlsb => Sheets::Xlsb(Xlsb::new(cursor).map_err(|error| corrupt(&file, &error))?),
                    Zipped::Ods => Sheets::Ods(Ods::new(cursor).map_err(|error| corrupt(&file, &error))?),
                }
            })
        });
        let sheets = opened.unwrap_or_else(|panic| Err(corrupt(&file, &panic)))?;
        Ok(Workbook { file, bytes, sheets })
    }

    /// The sheets of cells, in their order.
    pub(super) fn sheets(&self) -> Vec<SheetName> {
        let about = self.sheets.sheets_metadata().iter();
        let cells = about.filter(|sheet| sheet.typ == SheetType::WorkSheet);
        cells
            .map(|sheet| SheetName {
                name: sheet.name.clone(),
                visible: sheet.visible == SheetVisible::Visible,
            })
            .collect()
    }

    /// The areas of merged cells, where the format's reader knows them.
    pub(super) fn merged(&mut self, sheet: &str) -> Vec<Dimensions> {
        let found = contained(|| match &mut self.sheets {
            Sheets::Xlsx(book) => book.merge_cells_by_sheet_name(sheet).unwrap_or_default(),
            Sheets::Xls(book) => book.merge_cells_by_sheet_name(sheet).unwrap_or_default(),
            _ => Vec::new(),
        });
        found.unwrap_or_default()
    }

    /// The rows and columns that are hidden, in the format that most files with any have.
    pub(super) fn hidden(&self, sheet: &str) -> Hidden {
        let at = self.sheets.sheets_metadata().iter().position(|about| about.name == sheet);
        match (&self.sheets, at) {
            (Sheets::Xlsx(_), Some(at)) => Hidden::of_sheet(&self.bytes, at),
            _ => Hidden::default(),
        }
    }

    /// Hands over the cells of a sheet that have something in them, row by row.
    pub(super) fn each_cell(&mut self, sheet: &str, take: &mut TakeCell<'_>) -> Result<(), TableError> {
        let file = self.file.clone();
        let done = contained(|| match &mut self.sheets {
            Sheets::Xlsx(book) => {
                let mut cells = book.worksheet_cells_reader(sheet).map_err(|error| corrupt(&file, &error))?;
                each_of(&file, &mut || cells.next_cell(), take)
            }
            Sheets::Xlsb(book) => {
                let mut cells = book.worksheet_cells_reader(sheet).map_err(|error| corrupt(&file, &error))?;
                each_of(&file, &mut || cells.next_cell(), take)
            }
            whole => {
                let range = whole.worksheet_range(sheet).map_err(|error| corrupt(&file, &error))?;
                let (top, left) = range.start().unwrap_or_default();
                for (row, column, cell) in range.used_cells() {
                    let cell = cell_of(cell);
                    if !cell.text.is_empty() && !take(top + row as u32, left + column as u32, cell)? {
                        break;
                    }
                }
                Ok(())
            }
        });
        done.unwrap_or_else(|panic| Err(corrupt(&file, &panic)))
    }
}

/// Hands over the cells that a reader comes to.
fn each_of<'c, E: Display>(
    file: &str,
    next: &mut dyn FnMut() -> Result<Option<Cell<DataRef<'c>>>, E>,
    take: &mut TakeCell<'_>,
) -> Result<(), TableError> {
    while let Some(cell) = next().map_err(|error| corrupt(file, &error))? {
        let (row, column) = cell.get_position();
        let cell = cell_of_ref(cell.get_value());
        if !cell.text.is_empty() && !take(row, column, cell)? {
            break;
        }
    }
    Ok(())
}

fn corrupt(file: &str, error: &dyn Display) -> TableError {
    let detail = error.to_string().replace(['\n', '\r'], " ");
    TableError::CorruptSheet { file: file.to_string(), detail }
}

/// A cell: dates in ISO 8601, numbers without their format, nothing for an error.
fn cell_of(cell: &Data) -> SheetCell {
    match cell {
        Data::Int(number) => SheetCell::number(number),
        Data::Float(number) => SheetCell::number(number),
        Data::String(text) => SheetCell::text(text.trim()),
        Data::Bool(flag) => SheetCell::text(flag.to_string()),
        Data::DateTime(date) => cell_of_date(date),
        Data::DateTimeIso(text) => SheetCell::text(text.strip_suffix("T00:00:00").unwrap_or(text)),
        Data::DurationIso(text) => SheetCell::text(text),
        Data::Error(_) | Data::Empty => SheetCell::default(),
    }
}

fn cell_of_ref(cell: &DataRef<'_>) -> SheetCell {
    match cell {
        DataRef::SharedString(text) => SheetCell::text(text.trim()),
        DataRef::String(text) => SheetCell::text(text.trim()),
        DataRef::Int(number) => SheetCell::number(number),
        DataRef::Float(number) => SheetCell::number(number),
        DataRef::Bool(flag) => SheetCell::text(flag.to_string()),
        DataRef::DateTime(date) => cell_of_date(date),
        DataRef::DateTimeIso(text) => SheetCell::text(text.strip_suffix("T00:00:00").unwrap_or(text)),
        DataRef::DurationIso(text) => SheetCell::text(text),
        DataRef::Error(_) | DataRef::Empty => SheetCell::default(),
    }
}

/// `2024-03-01`, `2024-03-01T12:30:00`, `12:30:00`; a duration is a number of days.
fn cell_of_date(date: &ExcelDateTime) -> SheetCell {
    let days = date.as_f64();
    if date.is_duration() || !(0.0..2_958_466.0).contains(&days) {
        return SheetCell::number(days);
    }
    let (year, month, day, hour, minute, second, _) = date.to_ymd_hms_milli();
    SheetCell::text(match (days < 1.0, (hour, minute, second)) {
        (true, _) => format!("{hour:02}:{minute:02}:{second:02}"),
        (false, (0, 0, 0)) => format!("{year:04}-{month:02}-{day:02}"),
        (false, _) => format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use calamine::{CellErrorType, ExcelDateTimeType};

    #[test]
    fn cells_as_texts() {
        let date = |days| Data::DateTime(ExcelDateTime::new(days, ExcelDateTimeType::DateTime, false));
        for (cell, text) in [
            (Data::Float(0.125), "0.125"),
            (Data::Float(12.0), "12"),
            (Data::Bool(true), "true"),
            (Data::Error(CellErrorType::Div0), ""),
            // 45352 days after 30 December 1899.
            (date(45_352.0), "2024-03-01"),
            (date(45_352.520_833_333_336), "2024-03-01T12:30:00"),
            (date(0.25), "06:00:00"),
            (Data::DateTimeIso("2024-03-01T00:00:00".to_string()), "2024-03-01"),
        ] {
            let is_number = matches!(cell, Data::Float(_));
            assert_eq!(cell_of(&cell), SheetCell { text: text.to_string(), is_number });
        }
    }
}
