//! How a text list is written: with commas and points, or as a spreadsheet expects it where numbers have a decimal comma.

use crate::failure::Failure;
use onesided::FileOptions;
use onesided::data::{Note, NumberStyle, TableFormat, TextStyle, WriteAs};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// How much of a table is looked at for its decimal sign.
const LOOKED_AT: u64 = 1 << 18;

/// What `--out-style` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListStyle {
    /// Commas between cells, and decimal points.
    Plain,
    /// Semicolons and decimal commas.
    Semicolon,
    /// The signs of the table that was read.
    LikeInput,
}

impl ListStyle {
    /// A style by its name; plain if nothing is said.
    pub fn named(name: Option<&str>) -> Result<Self, Failure> {
        match name {
            None | Some("plain") => Ok(ListStyle::Plain),
            Some("semicolon") => Ok(ListStyle::Semicolon),
            Some("like-input") => Ok(ListStyle::LikeInput),
            Some(other) => Err(Failure::input(format!(
                "--out-style is plain, semicolon or like-input, but is '{other}'"
            ))),
        }
    }

    /// The signs of a list, for the table that it was made from: what flags say of it, or what reading it met.
    fn of(self, table: &Path, files: &FileOptions, notes: &[Note]) -> TextStyle {
        match self {
            ListStyle::Plain => TextStyle::default(),
            ListStyle::Semicolon => TextStyle::SEMICOLON,
            ListStyle::LikeInput => {
                let tabs = (TableFormat::of(table) == Some(TableFormat::Tsv)).then_some(b'\t');
                let met = notes.iter().find_map(|note| match note {
                    Note::Delimiter(sign) => u8::try_from(*sign).ok(),
                    _ => None,
                });
                let delimiter = files.delimiter.or(met).or(tabs).unwrap_or(b',');
                let decimal = match decimal_of(files, notes) {
                    // Reading tells of the columns that it reads as numbers, which may be none with decimals.
                    NumberStyle::Point if files.decimal.is_none() && has_commas(table, delimiter) => {
                        NumberStyle::Comma
                    }
                    decimal => decimal,
                };
                TextStyle { delimiter, decimal }
            }
        }
    }

    /// How a list of this table is written; `harmless` keeps spreadsheets from running its texts.
    pub fn write_as(self, table: &Path, files: &FileOptions, notes: &[Note], harmless: bool) -> WriteAs {
        let (style, numbers_in_texts) = (self.of(table, files, notes), decimal_of(files, notes));
        WriteAs { format: files.format, style, numbers_in_texts, harmless }
    }
}

/// Whether more cells at the beginning of a text table are numbers with a decimal comma than with a point.
fn has_commas(table: &Path, delimiter: u8) -> bool {
    let mut start = Vec::new();
    let read = File::open(table).and_then(|file| file.take(LOOKED_AT).read_to_end(&mut start));
    if read.is_err() || delimiter == b',' || !table.is_file() {
        return false;
    }
    let is_decimal = |cell: &[u8], sign: u8| {
        let cell = cell.trim_ascii();
        let digits = cell.strip_prefix(b"-").unwrap_or(cell);
        let are_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        let mut parts = digits.split(|&byte| byte == sign);
        matches!((parts.next(), parts.next(), parts.next()), (Some(a), Some(b), None) if are_digits(a) && are_digits(b))
    };
    let count = |sign: u8| {
        let cells = start.split(|&byte| byte == delimiter || byte == b'\n' || byte == b'"');
        cells.filter(|cell| is_decimal(cell, sign)).count()
    };
    count(b',') > count(b'.')
}

/// The decimal sign of a table: what the flag says, or what reading it met.
fn decimal_of(files: &FileOptions, notes: &[Note]) -> NumberStyle {
    let commas = notes.iter().any(|note| matches!(note, Note::DecimalCommas { .. }));
    let found = if commas { NumberStyle::Comma } else { NumberStyle::Point };
    files.decimal.unwrap_or(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_is_one_of_three() {
        assert_eq!(ListStyle::named(None).unwrap(), ListStyle::Plain);
        assert_eq!(ListStyle::named(Some("like-input")).unwrap(), ListStyle::LikeInput);
        assert!(ListStyle::named(Some("german")).is_err());
    }
}
