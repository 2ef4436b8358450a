//! Spreadsheet files: their sheets, and the cells of a sheet as texts.

use super::Source;
use super::contained::contained;
use super::container::{Zipped, check_ole, check_zip};
use super::hidden::Hidden;
use super::marks::OLE;
use crate::DataError;
use bytes::Bytes;
use calamine::{
    Data, DataRef, Dimensions, ExcelDateTime, Ods, Reader, SheetType, SheetVisible, Sheets, Xls, Xlsb, Xlsx,
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
pub(super) type TakeCell<'t> = dyn FnMut(u32, u32, String) -> Result<bool, DataError> + 't;

impl Workbook {
    pub(super) fn open(source: &Source<'_>) -> Result<Self, DataError> {
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
    pub(super) fn each_cell(&mut self, sheet: &str, take: &mut TakeCell<'_>) -> Result<(), DataError> {
        let file = self.file.clone();
        let done = contained(|| match &mut self.sheets {
            Sheets::Xlsx(book) => {
                let mut cells = book.worksheet_cells_reader(sheet).map_err(|error| corrupt(&file, &error))?;
                while let Some(cell) = cells.next_cell().map_err(|error| corrupt(&file, &error))? {
                    let (row, column) = cell.get_position();
                    let text = text_of_ref(cell.get_value());
                    if !text.is_empty() && !take(row, column, text)? {
                        break;
                    }
                }
                Ok(())
            }
            Sheets::Xlsb(book) => {
                let mut cells = book.worksheet_cells_reader(sheet).map_err(|error| corrupt(&file, &error))?;
                while let Some(cell) = cells.next_cell().map_err(|error| corrupt(&file, &error))? {
                    let (row, column) = cell.get_position();
                    let text = text_of_ref(cell.get_value());
                    if !text.is_empty() && !take(row, column, text)? {
                        break;
                    }
                }
                Ok(())
            }
            whole => {
                let range = whole.worksheet_range(sheet).map_err(|error| corrupt(&file, &error))?;
                let (top, left) = range.start().unwrap_or_default();
                for (row, column, cell) in range.used_cells() {
                    let text = text_of(cell);
                    if !text.is_empty() && !take(top + row as u32, left + column as u32, text)? {
                        break;
                    }
                }
                Ok(())
            }
        });
        done.unwrap_or_else(|panic| Err(corrupt(&file, &panic)))
    }
}

fn corrupt(file: &str, error: &dyn Display) -> DataError {
    let detail = error.to_string().replace(['\n', '\r'], " ");
    DataError::CorruptSheet { file: file.to_string(), detail }
}

/// A cell as a text: dates in ISO 8601, numbers without their format, nothing for an error.
fn text_of(cell: &Data) -> String {
    match cell {
        Data::Int(number) => number.to_string(),
        Data::Float(number) => number.to_string(),
        Data::String(text) => text.trim().to_string(),
        Data::Bool(flag) => flag.to_string(),
        Data::DateTime(date) => text_of_date(date),
        Data::DateTimeIso(text) => text.strip_suffix("T00:00:00").unwrap_or(text).to_string(),
        Data::DurationIso(text) => text.clone(),
        Data::Error(_) | Data::Empty => String::new(),
    }
}

fn text_of_ref(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::SharedString(text) => text.trim().to_string(),
        DataRef::String(text) => text.trim().to_string(),
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::Bool(flag) => flag.to_string(),
        DataRef::DateTime(date) => text_of_date(date),
        DataRef::DateTimeIso(text) => text.strip_suffix("T00:00:00").unwrap_or(text).to_string(),
        DataRef::DurationIso(text) => text.clone(),
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}

/// `2024-03-01`, `2024-03-01T12:30:00`, `12:30:00`; a duration is a number of days.
fn text_of_date(date: &ExcelDateTime) -> String {
    let days = date.as_f64();
    if date.is_duration() || !(0.0..2_958_466.0).contains(&days) {
        return days.to_string();
    }
    let (year, month, day, hour, minute, second, _) = date.to_ymd_hms_milli();
    match (days < 1.0, (hour, minute, second)) {
        (true, _) => format!("{hour:02}:{minute:02}:{second:02}"),
        (false, (0, 0, 0)) => format!("{year:04}-{month:02}-{day:02}"),
        (false, _) => format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"),
    }
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
            assert_eq!(text_of(&cell), text);
        }
    }
}
