//! Where the bytes of a table come from: a file, standard input, a pipe or a device, or memory.

use super::parquet;
use super::pass::longest_record;
use super::{TableFormat, csv};
use crate::error::Position;
use crate::place::{is_dash, is_stream};
use crate::scratch::Scratch;
use crate::{DataError, Frame, ReadOptions, check_memory};
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// How much of a stream is read between two questions about memory.
const STEP: u64 = 1 << 22;

/// How much of a stream is held in memory by a reader that keeps none of it.
const MOST_HELD: u64 = 1 << 26;

/// Whether bytes are those of a text of one line: not compressed, not Parquet, and without a line end.
fn is_endless(bytes: &[u8]) -> bool {
    let packed = matches!(
        bytes,
        [0x1f, 0x8b, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]
    );
    !packed && !bytes.starts_with(parquet::MAGIC) && !bytes.contains(&b'\n')
}

/// How bytes become the pieces of a table.
pub(super) enum Form {
    /// As text, with what separates cells where the name of the file tells it.
    Text(Option<u8>),
    Parquet,
}

/// Bytes that can be read from the start more than once, and the name that messages give them.
pub(crate) struct Source<'a> {
    pub(super) name: String,
    pub(super) bytes: Bytes<'a>,
    /// What the name says of the format, or what is to be taken where it says nothing.
    format: Option<TableFormat>,
    /// Whether the name need not say anything.
    stream: bool,
}

pub(super) enum Bytes<'a> {
    File(&'a Path),
    Memory(&'a [u8]),
    /// What was read of a stream.
    Read(bytes::Bytes),
    /// What was read of a long one.
    Spooled(Scratch),
}

impl<'a> Source<'a> {
    /// What a path leads to. A regular file is opened when it is read; anything else is read here, once.
    pub(crate) fn at(path: &'a Path) -> Result<Self, DataError> {
        let name = if is_dash(path) { "standard input".to_string() } else { path.display().to_string() };
        let regular = !is_dash(path) && fs::metadata(path).is_ok_and(|about| about.is_file());
        let mut source =
            Source { name, bytes: Bytes::File(path), format: TableFormat::of(path), stream: is_stream(path) };
        if !regular {
            let stream: Box<dyn Read> = match is_dash(path) {
                true => Box::new(io::stdin()),
                false => Box::new(source.open_file(path)?),
            };
            source.bytes = Bytes::Read(source.whole(stream)?.into());
        }
        Ok(source)
    }

    /// What a path leads to, for a reader that keeps none of it: the bytes of a long stream go to a temporary file.
    pub(crate) fn spooled(path: &'a Path) -> Result<Self, DataError> {
        let regular = !is_dash(path) && fs::metadata(path).is_ok_and(|about| about.is_file());
        if regular {
            return Self::at(path);
        }
        let name = if is_dash(path) { "standard input".to_string() } else { path.display().to_string() };
        let mut source =
            Source { name, bytes: Bytes::File(path), format: TableFormat::of(path), stream: is_stream(path) };
        let mut stream: Box<dyn Read> = match is_dash(path) {
            true => Box::new(io::stdin()),
            false => Box::new(source.open_file(path)?),
        };
        let read = |cause| DataError::Read { file: source.name.clone(), cause };
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
        let write = |cause| DataError::Scratch { cause };
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

    pub(super) fn memory(bytes: &'a [u8]) -> Self {
        let name = "bytes in memory".to_string();
        Source { name, bytes: Bytes::Memory(bytes), format: None, stream: true }
    }

    /// How the bytes of the table are to be read piece by piece; `None` where they are read as a whole only.
    pub(super) fn form(&self, options: &ReadOptions) -> Result<Option<Form>, DataError> {
        let start = self.start()?;
        let format = match (self.format.or(options.format), self.stream) {
            (Some(format), _) => format,
            (None, true) => TableFormat::Csv,
            (None, false) => return Err(DataError::UnknownExtension { file: self.name.clone() }),
        };
        if start.is_empty() {
            return Err(DataError::Empty { file: self.name.clone() });
        }
        Ok(match format {
            TableFormat::Csv if !parquet::is_marked(&start) => Some(Form::Text(None)),
            TableFormat::Tsv if !parquet::is_marked(&start) => Some(Form::Text(Some(b'\t'))),
            TableFormat::Csv | TableFormat::Tsv | TableFormat::Parquet => Some(Form::Parquet),
        })
    }

    /// Reads the table.
    pub(crate) fn read(&self, options: &ReadOptions) -> Result<Frame, DataError> {
        // A path that leads nowhere is the first thing to say, before anything about its extension.
        let start = self.start()?;
        let format = match (self.format.or(options.format), self.stream) {
            (Some(format), _) => format,
            (None, true) => TableFormat::Csv,
            (None, false) => return Err(DataError::UnknownExtension { file: self.name.clone() }),
        };
        if start.is_empty() {
            return Err(DataError::Empty { file: self.name.clone() });
        }
        match format {
            TableFormat::Csv if !parquet::is_marked(&start) => csv::read(self, None, options),
            TableFormat::Tsv if !parquet::is_marked(&start) => csv::read(self, Some(b'\t'), options),
            _ => parquet::read(self, options),
        }
    }

    /// All of a stream. The table that is made of it may take three times as much again.
    fn whole(&self, mut stream: impl Read) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        loop {
            let read = stream.by_ref().take(STEP).read_to_end(&mut bytes);
            if read.map_err(|cause| DataError::Read { file: self.name.clone(), cause })? == 0 {
                return Ok(bytes);
            }
            let held = bytes.len() as u64;
            if held >= STEP {
                self.check_line(&bytes)?;
                check_memory(|| format!("'{}' beyond {held} bytes", self.name), 3 * held)?;
            }
        }
    }

    /// Refuses a stream without a line end in sight.
    fn check_line(&self, bytes: &[u8]) -> Result<(), DataError> {
        let limit = longest_record();
        match bytes.len() as u64 > limit && is_endless(bytes) {
            true => {
                let (file, place) = (self.name.clone(), Position::Line(1));
                Err(DataError::LongRecord { file, place, limit })
            }
            false => Ok(()),
        }
    }

    pub(super) fn open_file(&self, path: &Path) -> Result<File, DataError> {
        let file = self.name.clone();
        match File::open(path).and_then(|opened| opened.metadata().map(|about| (opened, about))) {
            Ok((_, about)) if about.is_dir() => Err(DataError::IsFolder { file }),
            Ok((opened, _)) => Ok(opened),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Err(DataError::NotFound { file }),
            Err(cause) => Err(DataError::Read { file, cause }),
        }
    }

    pub(super) fn open(&self) -> Result<Box<dyn Read + '_>, DataError> {
        match &self.bytes {
            Bytes::File(path) => Ok(Box::new(self.open_file(path)?)),
            Bytes::Memory(bytes) => Ok(Box::new(*bytes)),
            Bytes::Read(bytes) => Ok(Box::new(&bytes[..])),
            Bytes::Spooled(scratch) => Ok(Box::new(scratch.reader(0, scratch.len()))),
        }
    }

    /// The first four bytes, or fewer if there are no more: enough to know every format that has a mark.
    pub(super) fn start(&self) -> Result<Vec<u8>, DataError> {
        let mut start = Vec::with_capacity(4);
        let read = self.open()?.take(4).read_to_end(&mut start);
        read.map_err(|cause| DataError::Read { file: self.name.clone(), cause })?;
        Ok(start)
    }
}
