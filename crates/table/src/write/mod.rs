//! Writing files whole or not at all, and tables of results: text, lines of JSON, Parquet, a spreadsheet.

mod absent;
mod harmless;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "sheets")]
mod xlsx;
#[cfg(feature = "sheets")]
mod xlsx_parts;

#[cfg(feature = "parquet")]
pub use parquet::write_parquet;

use crate::names::shortened;
use crate::place::{is_standard_output, is_stream};
use crate::temporary::{Access, Temporary};
use crate::{NumberStyle, TableFormat};
use crate::{TableError, agree, counted, grouped};
#[cfg(not(feature = "parquet"))]
use absent::parquet;
#[cfg(not(feature = "sheets"))]
use absent::xlsx;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Characters of a cell of a spreadsheet, as UTF-16 counts them; with more, spreadsheets call the whole file damaged.
const MOST_CHARACTERS: usize = 32_767;

/// One column of a table to write.
#[derive(Clone, Debug, PartialEq)]
pub enum OutColumn {
    /// Counts and row numbers.
    U64(Vec<u64>),
    /// Numbers in double precision.
    F64(Vec<f64>),
    /// Numbers in single precision.
    F32(Vec<f32>),
    /// Shares and probabilities: numbers in single precision, which a spreadsheet shows as percentages.
    Share(Vec<f32>),
    /// Texts.
    Text(Vec<String>),
    /// Texts to be filled in, of which a spreadsheet offers some.
    Choice {
        /// The texts.
        cells: Vec<String>,
        /// What is offered.
        of: &'static [&'static str],
    },
}

impl OutColumn {
    fn len(&self) -> usize {
        match self {
            OutColumn::U64(values) => values.len(),
            OutColumn::F64(values) => values.len(),
            OutColumn::F32(values) | OutColumn::Share(values) => values.len(),
            OutColumn::Text(values) | OutColumn::Choice { cells: values, .. } => values.len(),
        }
    }

    /// The shortest text that reads back as the same value.
    fn write_cell(&self, row: usize, decimal: NumberStyle, cell: &mut Vec<u8>) -> io::Result<()> {
        let is_float = matches!(self, OutColumn::F64(_) | OutColumn::F32(_) | OutColumn::Share(_));
        self.write_plain(row, cell)?;
        if decimal == NumberStyle::Comma && is_float {
            cell.iter_mut().filter(|byte| **byte == b'.').for_each(|byte| *byte = b',');
        }
        Ok(())
    }

    fn write_json(&self, row: usize, line: &mut Vec<u8>) -> io::Result<()> {
        match self {
            OutColumn::F64(values) if !values[row].is_finite() => line.extend(b"null"),
            OutColumn::F32(values) | OutColumn::Share(values) if !values[row].is_finite() => {
                line.extend(b"null");
            }
            OutColumn::Text(values) | OutColumn::Choice { cells: values, .. } => {
                serde_json::to_writer(line, &values[row])?
            }
            _ => self.write_plain(row, line)?,
        }
        Ok(())
    }

    fn write_plain(&self, row: usize, cell: &mut Vec<u8>) -> io::Result<()> {
        match self {
            OutColumn::U64(values) => write!(cell, "{}", values[row]),
            OutColumn::F64(values) => write!(cell, "{:?}", values[row]),
            OutColumn::F32(values) | OutColumn::Share(values) => write!(cell, "{:?}", values[row]),
            OutColumn::Text(values) | OutColumn::Choice { cells: values, .. } => {
                cell.write_all(values[row].as_bytes())
            }
        }
    }
}

/// How a table is written, where its name does not say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriteAs {
    /// The format of a file whose extension names none.
    pub format: Option<TableFormat>,
    /// How texts with separated cells are written.
    pub style: TextStyle,
    /// The decimal sign of numbers that are given as texts, which a spreadsheet is to hold as numbers.
    pub numbers_in_texts: NumberStyle,
    /// Put an apostrophe before texts and headers that a spreadsheet would run as a formula.
    pub harmless: bool,
}

/// Texts that a spreadsheet has no room for, and that were cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// How many.
    pub texts: usize,
    /// The row of the first one, as the spreadsheet counts: the header is row 1.
    pub row: usize,
    /// The first one's column.
    pub column: String,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} {} longer than the {} characters that a cell of a spreadsheet holds and {} cut, first '{}' in row {} of the sheet; \
             .csv and .parquet hold them whole",
            counted(self.texts, "texts"),
            agree(self.texts, "is", "are"),
            grouped(MOST_CHARACTERS),
            agree(self.texts, "was", "were"),
            shortened(&self.column),
            self.row
        )
    }
}

/// The signs of a text table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextStyle {
    /// Between cells of a `.csv`; those of a `.tsv` are separated by tabs.
    pub delimiter: u8,
    /// The decimal sign of numbers.
    pub decimal: NumberStyle,
}

impl TextStyle {
    /// Semicolons between cells and decimal commas, as spreadsheets have it where numbers have a decimal comma.
    pub const SEMICOLON: Self = Self { delimiter: b';', decimal: NumberStyle::Comma };
}

impl Default for TextStyle {
    fn default() -> Self {
        Self { delimiter: b',', decimal: NumberStyle::Point }
    }
}

/// Writes a table in the format that the extension of `path` names: `.csv`, `.tsv`, `.jsonl`, `.parquet` or `.pq`, or `.xlsx`. What is
/// no regular file needs no extension and gets commas.
pub fn write_table(path: &Path, columns: &[(&str, OutColumn)]) -> Result<Option<Cut>, TableError> {
    write_table_as(path, &WriteAs::default(), columns)
}

/// Writes a table in the format that the extension of `path` names, or in the one asked for where it names none. The path `-`
/// is standard output; it, a pipe or a device is written to directly.
pub fn write_table_as(
    path: &Path,
    how: &WriteAs,
    columns: &[(&str, OutColumn)],
) -> Result<Option<Cut>, TableError> {
    common_length(columns)?;
    let mut all = Some(columns.iter().map(|(name, column)| (name.to_string(), column.clone())).collect());
    write_batches(path, how, &mut || Ok(all.take()))
}

/// Writes a table as [`write_table_as`] does, batch after batch until there is none left. All have the same columns. If a
/// batch cannot be had, nothing is left behind. Gives what was cut, which happens in spreadsheets alone.
pub fn write_batches(
    path: &Path,
    how: &WriteAs,
    next: &mut (dyn FnMut() -> Result<Option<Vec<OutBatch>>, TableError> + Send),
) -> Result<Option<Cut>, TableError> {
    let Some(format) = how.format_of(path) else {
        return Err(TableError::WriteExtension { file: path.display().to_string() });
    };
    let (mut wrong, mut cut) = (None, None);
    let mut batch = || match next() {
        Ok(batch) if how.harmless => Ok(batch.map(harmless::batch)),
        Ok(batch) => Ok(batch),
        Err(error) => {
            wrong = Some(error);
            Err(io::Error::other("there is no more"))
        }
    };
    let tabs = TextStyle { delimiter: b'\t', ..how.style };
    let written = match format {
        TableFormat::Parquet => write_out(path, |file| parquet::table_of_batches(file, &mut batch)),
        TableFormat::Excel => {
            write_out(path, |file| xlsx::sheet_of_batches(file, how.numbers_in_texts, &mut batch, &mut cut))
        }
        TableFormat::Json => write_out(path, |file| objects_of_batches(file, &mut batch)),
        TableFormat::Tsv => write_out(path, |file| separated_batches(file, tabs, &mut batch)),
        _ => write_out(path, |file| separated_batches(file, how.style, &mut batch)),
    };
    wrong.map_or(written.map(|()| cut), Err)
}

impl WriteAs {
    /// The format that a path is written in. Of spreadsheets there is a writer of `.xlsx` alone.
    pub fn format_of(&self, path: &Path) -> Option<TableFormat> {
        let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
        match extension.as_str() {
            "csv" => Some(TableFormat::Csv),
            "tsv" => Some(TableFormat::Tsv),
            "parquet" | "pq" => Some(TableFormat::Parquet),
            "xlsx" => Some(TableFormat::Excel),
            "jsonl" | "ndjson" => Some(TableFormat::Json),
            "xls" | "xlsb" | "xlsm" | "ods" => None,
            _ => match self.format {
                // What is read as objects or Arrow is written as text where nothing else is known.
                Some(TableFormat::Json | TableFormat::Arrow) => is_stream(path).then_some(TableFormat::Csv),
                Some(format) => Some(format),
                None => is_stream(path).then_some(TableFormat::Csv),
            },
        }
    }
}

/// One named column of some rows.
pub type OutBatch = (String, OutColumn);

fn separated_batches(
    file: &mut (dyn Write + Send),
    style: TextStyle,
    next: &mut dyn FnMut() -> io::Result<Option<Vec<OutBatch>>>,
) -> io::Result<()> {
    let mut writer =
        ::csv::WriterBuilder::new().delimiter(style.delimiter).buffer_capacity(1 << 16).from_writer(file);
    let (mut first, mut cell) = (true, Vec::new());
    while let Some(columns) = next()? {
        if std::mem::take(&mut first) {
            writer.write_record(columns.iter().map(|(name, _)| name)).map_err(as_io)?;
        }
        for row in 0..columns.first().map_or(0, |(_, column)| column.len()) {
            for (_, column) in &columns {
                cell.clear();
                column.write_cell(row, style.decimal, &mut cell)?;
                writer.write_field(&cell).map_err(as_io)?;
            }
            writer.write_record(None::<&[u8]>).map_err(as_io)?;
        }
    }
    writer.flush()
}

/// A line for each row: one JSON object, with numbers as numbers, and `null` for those that JSON has none of.
fn objects_of_batches(
    file: &mut (dyn Write + Send),
    next: &mut dyn FnMut() -> io::Result<Option<Vec<OutBatch>>>,
) -> io::Result<()> {
    let mut line = Vec::new();
    while let Some(columns) = next()? {
        for row in 0..columns.first().map_or(0, |(_, column)| column.len()) {
            line.clear();
            for (at, (name, column)) in columns.iter().enumerate() {
                line.push(if at == 0 { b'{' } else { b',' });
                serde_json::to_writer(&mut line, name)?;
                line.push(b':');
                column.write_json(row, &mut line)?;
            }
            line.extend(b"}\n");
            file.write_all(&line)?;
        }
    }
    file.flush()
}

/// What went wrong below, which the writer of cells would wrap: a closed pipe is to be known as one.
fn as_io(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(cause) => cause,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Writes to standard output where the path means it, and else a whole file.
fn write_out(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), TableError> {
    if !is_standard_output(path) {
        return write_whole(path, Access::Usual, |file| write(file));
    }
    let mut out = BufWriter::new(io::stdout());
    let written = write(&mut out).and_then(|()| out.flush());
    written.map_err(|cause| TableError::Write { file: "standard output".to_string(), cause })
}

fn common_length(columns: &[(&str, OutColumn)]) -> Result<usize, TableError> {
    let expected = columns.first().map_or(0, |(_, column)| column.len());
    match columns.iter().find(|(_, column)| column.len() != expected) {
        Some((_, column)) => {
            Err(TableError::Length { what: "cells in a column to write", expected, found: column.len() })
        }
        None => Ok(expected),
    }
}

/// Writes a file under a temporary name in the same folder and renames it when it is complete and on disk, so that
/// `path` never names half a file. If anything fails, the temporary file is removed and what was there before remains. A file
/// that is replaced keeps its permissions, and one that is read-only is not replaced.
///
/// A device or a pipe has no halves: it is written to directly.
pub fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), TableError> {
    write_whole(path, Access::Usual, |file| write(file))
}

/// [`write_atomically`] for a file that nobody but its owner may read, whoever could read the one before it.
pub fn write_privately(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), TableError> {
    write_whole(path, Access::Owner, |file| write(file))
}

/// Links that a path may lead through, as many as systems follow.
const MOST_LINKS: usize = 40;

/// Where a path leads: through links, also to a file that is not there yet. Through a link, the file that it leads to is
/// written, not the link. Links in a circle lead nowhere, and the path stays as it is.
pub fn followed(path: &Path) -> PathBuf {
    let mut target = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&target) {
            // A link names its file as seen from its own folder.
            Ok(next) => target = target.parent().map_or_else(|| next.clone(), |folder| folder.join(&next)),
            Err(_) => return fs::canonicalize(&target).unwrap_or(target),
        }
    }
    path.to_path_buf()
}

fn write_whole(
    path: &Path,
    access: Access,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), TableError> {
    let failed = |cause| TableError::Write { file: path.display().to_string(), cause };
    let target = followed(path);
    if target.is_symlink() {
        return Err(failed(io::Error::other("it is a link that leads nowhere")));
    }
    match fs::metadata(&target) {
        Ok(about) if about.is_dir() => Err(failed(io::Error::from(io::ErrorKind::IsADirectory))),
        Ok(about) if !about.is_file() => {
            let device = OpenOptions::new().write(true).open(&target).map_err(failed)?;
            let mut file = BufWriter::new(device);
            write(&mut file).and_then(|()| file.flush()).map_err(failed)
        }
        // The folder would let it be replaced; whoever made it read-only would not.
        Ok(about) if about.permissions().readonly() => {
            Err(failed(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only")))
        }
        _ => {
            let (temporary, file) = Temporary::beside(&target, access).map_err(failed)?;
            let mut file = BufWriter::with_capacity(1 << 16, file);
            write(&mut file)
                .and_then(|()| file.flush())
                .and_then(|()| file.get_ref().sync_all())
                .and_then(|()| temporary.rename(&target))
                .map_err(failed)
        }
    }
}
