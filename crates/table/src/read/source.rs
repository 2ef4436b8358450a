//! Where the bytes of a table come from: a file, standard input, a pipe or a device, or memory.

use super::layout::Layout;
use super::pass::longest_record;
use super::{FileOptions, TableFormat, csv, ipc, json, marks, parquet, sheet};
use crate::Position;
use crate::memory::{memory_left, shown_size};
use crate::phase::Watched;
use crate::place::{is_dash, is_stream};
use crate::scratch::Scratch;
use crate::{Frame, ReadOptions, TableError, check_memory};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// How much of a stream is read between two questions about memory.
const STEP: u64 = 1 << 22;

/// How much of a stream is held in memory by a reader that keeps none of it.
const MOST_HELD: u64 = 1 << 26;

/// Whether bytes are those of a text of one line: not compressed, not Parquet, and without a line end.
fn is_endless(bytes: &[u8]) -> bool {
    let packed = marks::is_gzip(bytes) || marks::is_zstd(bytes);
    let marked = [marks::PARQUET, marks::ARROW, marks::ZIP, marks::OLE];
    !packed && !marked.iter().any(|mark| bytes.starts_with(mark)) && !bytes.contains(&b'\n')
}

/// Whether bytes begin no text: with control characters, and neither compressed nor marked as UTF-16.
fn is_no_text(start: &[u8]) -> bool {
    let utf_16 = matches!(start, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    let marked = utf_16 || marks::is_gzip(start) || marks::is_zstd(start);
    !marked && start.iter().any(|byte| matches!(byte, 0..=8 | 14..=26))
}

/// How bytes become the pieces of a table.
pub(super) enum Form {
    /// As text, with what separates cells where the name of the file tells it.
    Text(Option<u8>),
    Parquet,
}

/// Bytes that can be read from the start more than once, and the name that messages give them.
pub struct Source<'a> {
    pub(super) name: String,
    pub(super) bytes: Bytes<'a>,
    /// What the name says of the format, or what is to be taken where it says nothing.
    format: Option<TableFormat>,
    /// Whether the name need not say anything.
    stream: bool,
    /// For a text that was made of another file: the row of that file that its first line stands for. Places in it are
    /// rows then, not lines.
    pub(super) counts_rows: Option<u64>,
}

pub(super) enum Bytes<'a> {
    File(&'a Path),
    /// Parquet files, one below the other.
    Parts(&'a [PathBuf]),
    Memory(&'a [u8]),
    /// What was read of a stream.
    Read(bytes::Bytes),
    /// What was read of a long one.
    Spooled(Scratch),
    /// Objects, which are written as a text table while they are read.
    Json(&'a Source<'a>, &'a json::Plan),
}

impl<'a> Source<'a> {
    /// What a path leads to. A regular file is opened when it is read; anything else is read here, once.
    pub fn at(path: &'a Path) -> Result<Self, TableError> {
        let name = if is_dash(path) { "standard input".to_string() } else { path.display().to_string() };
        let regular = !is_dash(path) && fs::metadata(path).is_ok_and(|about| about.is_file());
        let (bytes, format, stream) = (Bytes::File(path), TableFormat::of(path), is_stream(path));
        let mut source = Source { name, bytes, format, stream, counts_rows: None };
        if !regular {
            let stream: Box<dyn Read> =
                if is_dash(path) { Box::new(io::stdin()) } else { Box::new(source.open_file(path)?) };
            source.bytes = Bytes::Read(source.whole(stream)?.into());
        }
        Ok(source)
    }

    /// What a path leads to, for a reader that keeps none of it: the bytes of a long stream go to a temporary file.
    pub fn spooled(path: &'a Path) -> Result<Self, TableError> {
        let regular = !is_dash(path) && fs::metadata(path).is_ok_and(|about| about.is_file());
        if regular {
            return Self::at(path);
        }
        let name = if is_dash(path) { "standard input".to_string() } else { path.display().to_string() };
        let mut source = Source {
            name,
            bytes: Bytes::File(path),
            format: TableFormat::of(path),
            stream: is_stream(path),
            counts_rows: None,
        };
        let mut stream: Box<dyn Read> =
            if is_dash(path) { Box::new(io::stdin()) } else { Box::new(source.open_file(path)?) };
        let read = |cause| TableError::Read { file: source.name.clone(), cause };
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < MOST_HELD {
            if stream.by_ref().take(STEP).read_to_end(&mut bytes).map_err(read)? == 0 {
                source.bytes = Bytes::Read(bytes.into());
                return Ok(source);
            }
            if bytes.len() as u64 >= STEP {
                source.check_line(&bytes)?;
            }
        }
        source.check_line(&bytes)?;
        let write = |cause| TableError::Scratch { cause };
        let mut scratch = Scratch::new(None).map_err(write)?;
        scratch.write_all(&bytes).map_err(write)?;
        loop {
            bytes.clear();
            if stream.by_ref().take(STEP).read_to_end(&mut bytes).map_err(read)? == 0 {
                source.bytes = Bytes::Spooled(scratch);
                return Ok(source);
            }
            scratch.write_all(&bytes).map_err(write)?;
        }
    }

    /// Parquet files as one table, one below the other. Their columns must be the same.
    pub fn parts(files: &'a [PathBuf]) -> Self {
        let name = match files {
            [] => "no file".to_string(),
            [one] => one.display().to_string(),
            [first, rest @ ..] => format!("{} and {} more", first.display(), rest.len()),
        };
        let format = Some(TableFormat::Parquet);
        Source { name, bytes: Bytes::Parts(files), format, stream: false, counts_rows: None }
    }

    /// How many rows a Parquet table has, as its footers say.
    pub fn rows(&self) -> Result<usize, TableError> {
        super::parquet_pieces::rows(self)
    }

    /// The name that messages give it.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn memory(bytes: &'a [u8]) -> Self {
        let name = "bytes in memory".to_string();
        Source { name, bytes: Bytes::Memory(bytes), format: None, stream: true, counts_rows: None }
    }

    /// A text table that was made of this source, line by line of its rows from `first` on.
    pub(super) fn rewritten<'b>(&self, bytes: Bytes<'b>, first: u64) -> Source<'b> {
        Source { name: self.name.clone(), bytes, format: None, stream: true, counts_rows: Some(first) }
    }

    /// How the bytes of the table are to be read piece by piece; `None` where they are read as a whole only.
    pub(super) fn form(&self, options: &ReadOptions) -> Result<Option<Form>, TableError> {
        let format = self.checked(options)?;
        Ok(match format {
            TableFormat::Csv => Some(Form::Text(None)),
            TableFormat::Tsv => Some(Form::Text(Some(b'\t'))),
            TableFormat::Parquet => Some(Form::Parquet),
            TableFormat::Arrow | TableFormat::Json | TableFormat::Excel => None,
        })
    }

    /// Reads the table.
    pub fn read(&self, options: &ReadOptions) -> Result<Frame, TableError> {
        match self.checked(options)? {
            TableFormat::Csv => csv::read(self, None, options),
            TableFormat::Tsv => csv::read(self, Some(b'\t'), options),
            TableFormat::Parquet => parquet::read(self, options),
            TableFormat::Arrow => ipc::read(self, options),
            TableFormat::Json => json::read(self, options),
            TableFormat::Excel => sheet::read(self, options),
        }
    }

    /// The format, and whether the options make sense for it.
    fn checked(&self, options: &ReadOptions) -> Result<TableFormat, TableError> {
        let format = self.checked_format(options)?;
        if format != TableFormat::Excel && options.files.sheet.is_some() {
            return Err(TableError::NoSheets { file: self.name.clone() });
        }
        Ok(format)
    }

    /// The format: what the bytes say where they have a mark, else what the name or the options say.
    fn checked_format(&self, options: &ReadOptions) -> Result<TableFormat, TableError> {
        // A path that leads nowhere is the first thing to say, before anything about its extension.
        let start = self.start()?;
        let named = self.format.or(options.files.format);
        if named.is_none() && !self.stream {
            return Err(TableError::UnknownExtension { file: self.name.clone() });
        }
        if start.is_empty() {
            return Err(TableError::Empty { file: self.name.clone() });
        }
        Ok(match (named, start.as_slice()) {
            (_, start) if marks::is_parquet(start) => TableFormat::Parquet,
            (Some(TableFormat::Parquet), _) => TableFormat::Parquet,
            (_, start) if marks::is_arrow(start) => TableFormat::Arrow,
            (_, start) if marks::is_sheet(start) => TableFormat::Excel,
            // Some programs write a text table and call it a spreadsheet.
            (Some(TableFormat::Excel), _) => {
                if marks::is_page(&start) {
                    return Err(TableError::PageAsSheet { file: self.name.clone() });
                }
                if options.files.encoding.is_none() && is_no_text(&self.first(512)?) {
                    return Err(TableError::NotASheet { file: self.name.clone() });
                }
                TableFormat::Csv
            }
            (Some(format), _) => format,
            (None, [b'{', ..] | [b'[', b'{' | b'\n' | b' ' | b'\r', ..]) => TableFormat::Json,
            (None, _) => TableFormat::Csv,
        })
    }

    /// The names of the columns, without reading the rows where the format allows it.
    pub fn names(&self, options: &ReadOptions) -> Result<Vec<String>, TableError> {
        match self.checked_format(options)? {
            format @ (TableFormat::Csv | TableFormat::Tsv) => {
                let given = options.files.delimiter.or((format == TableFormat::Tsv).then_some(b'\t'));
                csv::names(self, given, options)
            }
            TableFormat::Parquet => super::parquet_pieces::names(self),
            _ => {
                let nothing = ReadOptions { only: Some(Vec::new()), ..ReadOptions::default() };
                Ok(self.read(&nothing.written_like(options))?.ignored)
            }
        }
    }

    /// Whether there is memory to read the labels of all rows: of a text table that is asked while it is read, of a Parquet
    /// table here. Other formats are not read for their labels alone.
    pub fn has_room_for_labels(&self, options: &ReadOptions) -> bool {
        /// As categories, as labels, and once more while one becomes the other.
        const BYTES_PER_LABEL: u64 = 12;
        match self.form(options) {
            Ok(Some(Form::Text(_))) => true,
            Ok(Some(Form::Parquet)) => super::parquet_pieces::rows(self)
                .is_ok_and(|rows| BYTES_PER_LABEL.saturating_mul(rows as u64) <= memory_left()),
            Ok(None) | Err(_) => false,
        }
    }

    /// The names of the columns whose cells can be copied to a list.
    pub fn cell_names(&self, options: &ReadOptions) -> Result<Vec<String>, TableError> {
        match self.checked_format(options)? {
            TableFormat::Arrow => ipc::cell_names(self),
            _ => self.names(options),
        }
    }

    /// Reads a text table with a header in its first line.
    pub(super) fn read_plain(&self, options: &ReadOptions) -> Result<Frame, TableError> {
        let files = FileOptions { encoding: None, ..options.files.clone() };
        let options = ReadOptions { files, ..options.clone() };
        csv::read_laid_out(self, Layout::from(b','), true, &options)
    }

    /// All of a stream. The table that is made of it may take three times as much again.
    fn whole(&self, mut stream: impl Read) -> Result<Vec<u8>, TableError> {
        let mut bytes = Vec::new();
        loop {
            let read = stream.by_ref().take(STEP).read_to_end(&mut bytes);
            if read.map_err(|cause| TableError::Read { file: self.name.clone(), cause })? == 0 {
                return Ok(bytes);
            }
            let held = bytes.len() as u64;
            if held >= STEP {
                self.check_line(&bytes)?;
                let what = || format!("'{}' beyond its first {}", self.name, shown_size(held));
                check_memory(what, 3 * held)?;
            }
        }
    }

    /// Refuses a stream without a line end in sight.
    fn check_line(&self, bytes: &[u8]) -> Result<(), TableError> {
        let limit = longest_record();
        if bytes.len() as u64 > limit && is_endless(bytes) {
            let (file, place) = (self.name.clone(), Position::Line(1));
            Err(TableError::LongRecord { file, place, limit })
        } else {
            Ok(())
        }
    }

    pub(super) fn open_file(&self, path: &Path) -> Result<File, TableError> {
        let file = self.name.clone();
        match File::open(path).and_then(|opened| opened.metadata().map(|about| (opened, about))) {
            Ok((_, about)) if about.is_dir() => Err(TableError::IsFolder { file }),
            Ok((opened, _)) => Ok(opened),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Err(TableError::NotFound { file }),
            Err(cause) => Err(TableError::Read { file, cause }),
        }
    }

    pub(super) fn open(&self) -> Result<Box<dyn Read + '_>, TableError> {
        match &self.bytes {
            Bytes::File(path) => {
                let file = self.open_file(path)?;
                // A pipe has no length, and nobody knows how much is to come.
                match file.metadata().map_or(0, |about| about.len()) {
                    0 => Ok(Box::new(file)),
                    length => Ok(Box::new(Watched::new(file, length))),
                }
            }
            // What all have in common is in the first.
            Bytes::Parts(files) => match files.first() {
                Some(first) => {
                    let source = Source::at(first)?;
                    Ok(Box::new(source.open_file(first)?))
                }
                None => Ok(Box::new(io::empty())),
            },
            Bytes::Memory(bytes) => Ok(Box::new(*bytes)),
            Bytes::Read(bytes) => Ok(Box::new(&bytes[..])),
            Bytes::Spooled(scratch) => Ok(Box::new(scratch.reader(0, scratch.len()))),
            Bytes::Json(source, plan) => Ok(Box::new(json::Text::new(source, plan)?)),
        }
    }

    /// The whole file in memory, or as much of it as is there already.
    pub(super) fn all(&self) -> Result<bytes::Bytes, TableError> {
        match &self.bytes {
            Bytes::Read(bytes) => Ok(bytes.clone()),
            Bytes::Memory(bytes) => Ok(bytes::Bytes::copy_from_slice(bytes)),
            Bytes::File(_) | Bytes::Parts(_) | Bytes::Spooled(_) | Bytes::Json(..) => {
                Ok(self.whole(self.open()?)?.into())
            }
        }
    }

    /// The first four bytes, or fewer if there are no more: enough to know every format that has a mark.
    pub(super) fn start(&self) -> Result<Vec<u8>, TableError> {
        self.first(4)
    }

    fn first(&self, bytes: u64) -> Result<Vec<u8>, TableError> {
        let mut start = Vec::new();
        let read = self.open()?.take(bytes).read_to_end(&mut start);
        read.map_err(|cause| TableError::Read { file: self.name.clone(), cause })?;
        Ok(start)
    }
}
