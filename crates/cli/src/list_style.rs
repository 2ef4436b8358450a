//! How a text list is written: with commas and points, or as a spreadsheet expects it where numbers have a decimal comma.

use crate::failure::Failure;
use crate::inputs::FileFlags;
use onesided::data::{Note, NumberStyle, TableFormat, TextStyle, WriteAs};
use std::path::Path;

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
    fn of(self, table: &Path, flags: &FileFlags, notes: &[Note]) -> Result<TextStyle, Failure> {
        match self {
            ListStyle::Plain => Ok(TextStyle::default()),
            ListStyle::Semicolon => Ok(TextStyle::SEMICOLON),
            ListStyle::LikeInput => {
                let tabs = (TableFormat::of(table) == Some(TableFormat::Tsv)).then_some(b'\t');
                let met = notes.iter().find_map(|note| match note {
                    Note::Delimiter(sign) => u8::try_from(*sign).ok(),
                    _ => None,
                });
                Ok(TextStyle {
                    delimiter: flags.delimiter()?.or(met).or(tabs).unwrap_or(b','),
                    decimal: decimal_of(flags, notes)?,
                })
            }
        }
    }

    /// How a list of this table is written; `harmless` keeps spreadsheets from running its texts.
    pub fn write_as(
        self,
        table: &Path,
        flags: &FileFlags,
        notes: &[Note],
        harmless: bool,
    ) -> Result<WriteAs, Failure> {
        let (style, numbers_in_texts) = (self.of(table, flags, notes)?, decimal_of(flags, notes)?);
        Ok(WriteAs { format: flags.format()?, style, numbers_in_texts, harmless })
    }
}

/// The decimal sign of a table: what the flag says, or what reading it met.
fn decimal_of(flags: &FileFlags, notes: &[Note]) -> Result<NumberStyle, Failure> {
    let commas = notes.iter().any(|note| matches!(note, Note::DecimalCommas { .. }));
    let found = if commas { NumberStyle::Comma } else { NumberStyle::Point };
    Ok(flags.decimal()?.unwrap_or(found))
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
