//! Arrow files and streams (`.arrow`, `.ipc`), and Feather, which is an Arrow file.
//!
//! A file holds a stream between its first eight bytes and its footer, so both are read as streams. The reader takes lengths
//! on trust, so messages are walked through first: whatever they announce must lie in the file and fit into the memory.

use super::arrow::ArrowTable;
use super::contained::contained;
use super::{ReadOptions, Source};
use crate::{DataError, Frame, check_memory};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::{Message, MessageHeader, RecordBatch, root_as_message};
use std::fmt::Display;
use std::io::{self, Read};

/// The first bytes of a file, and how many there are before the stream.
pub(super) const MAGIC: &[u8] = b"ARRO";
const BEFORE_STREAM: u64 = 8;

/// The first bytes of Feather before it was Arrow.
const OLD: &[u8] = b"FEA1";

/// What stands before the length of a message.
const CONTINUES: [u8; 4] = [0xff; 4];

/// The longest description of a message.
const LONGEST: usize = 64 << 20;

/// What a cell takes beside its bytes.
const BYTES_PER_CELL: u64 = 4;

/// Whether a file starts like Arrow, a stream or Feather.
pub(super) fn is_marked(start: &[u8]) -> bool {
    start == MAGIC || start == OLD || start == CONTINUES
}

pub(super) fn read(source: &Source<'_>, options: &ReadOptions) -> Result<Frame, DataError> {
    let skip = match source.start()?.as_slice() {
        start if start == OLD => return Err(DataError::OldFeather { file: source.name.clone() }),
        start if start == MAGIC => BEFORE_STREAM,
        _ => 0,
    };
    let length = check_messages(source, skip)?;
    let corrupt = |error: &dyn Display| corrupt(&source.name, error);
    let frame = contained(|| {
        let stream = stream(source, skip)?.take(length);
        let reader = StreamReader::try_new(io::BufReader::new(stream), None).map_err(|e| corrupt(&e))?;
        let schema = reader.schema();
        // As in memory: programs that write such files hold missing numbers as NaN.
        let mut table = ArrowTable::new(&source.name, &schema, options)?;
        let mut rows = 0;
        for batch in reader {
            let batch = batch.map_err(|e| corrupt(&e))?;
            for (at, array) in batch.columns().iter().enumerate() {
                table.push(at, array.as_ref())?;
            }
            rows += batch.num_rows();
        }
        table.finish(rows)
    });
    frame.unwrap_or_else(|panic| Err(corrupt(&panic)))
}

fn stream<'s>(source: &'s Source<'s>, skip: u64) -> Result<Box<dyn Read + 's>, DataError> {
    let mut bytes = source.open()?;
    let skipped = io::copy(&mut bytes.by_ref().take(skip), &mut io::sink());
    skipped.map_err(|cause| DataError::Read { file: source.name.clone(), cause })?;
    Ok(Box::new(io::BufReader::with_capacity(1 << 16, bytes)))
}

/// Walks through the messages and returns how long they are together.
fn check_messages(source: &Source<'_>, skip: u64) -> Result<u64, DataError> {
    let file = source.name.as_str();
    let mut bytes = stream(source, skip)?;
    let (mut length, mut rows, mut seen) = (0u64, 0u64, false);
    loop {
        let mut word = [0u8; 4];
        if !filled(bytes.read_exact(&mut word), file)? {
            break;
        }
        let modern = word == CONTINUES;
        if modern && !filled(bytes.read_exact(&mut word), file)? {
            break;
        }
        let announced = usize::try_from(i32::from_le_bytes(word)).unwrap_or(usize::MAX);
        if announced == 0 {
            break;
        }
        // An old file has no end of its stream: what follows is its footer.
        if announced > LONGEST || (!modern && seen) {
            match seen {
                true if !modern => break,
                _ => return Err(corrupt(file, &"a message is too long")),
            }
        }
        let mut described = Vec::new();
        let read = bytes.by_ref().take(announced as u64).read_to_end(&mut described);
        read.map_err(|cause| DataError::Read { file: file.to_string(), cause })?;
        if described.len() < announced {
            return Err(corrupt(file, &"it ends within a message"));
        }
        let message = contained(|| root_as_message(&described).map_err(|error| error.to_string()));
        let message = message.unwrap_or_else(Err).map_err(|error| corrupt(file, &error))?;
        let body = u64::try_from(message.bodyLength()).map_err(|_| corrupt(file, &"a length is negative"))?;
        let prefixes = prefixes(file, &message, body, &mut rows)?;
        check_memory(|| format!("'{file}' beyond {length} bytes"), body)?;
        check_body(file, &mut bytes, body, prefixes)?;
        length += if modern { 8 } else { 4 } + announced as u64 + body;
        seen = true;
    }
    match seen {
        true => Ok(length),
        false => Err(corrupt(file, &"it has no schema")),
    }
}

/// Where the packed buffers of a message are, each of which begins with its length; rows are added up.
fn prefixes(file: &str, message: &Message<'_>, body: u64, rows: &mut u64) -> Result<Vec<u64>, DataError> {
    let batch: Option<RecordBatch<'_>> = match message.header_type() {
        MessageHeader::RecordBatch => message.header_as_record_batch(),
        MessageHeader::DictionaryBatch => message.header_as_dictionary_batch().and_then(|batch| batch.data()),
        _ => None,
    };
    let Some(batch) = batch else { return Ok(Vec::new()) };
    let nodes = batch.nodes().into_iter().flat_map(|nodes| nodes.iter());
    let cells = nodes.map(|node| u64::try_from(node.length()).unwrap_or(u64::MAX));
    let all = cells.fold(0, u64::saturating_add);
    *rows = rows.saturating_add(u64::try_from(batch.length()).unwrap_or(u64::MAX));
    if *rows >= u64::from(u32::MAX) {
        return Err(DataError::TooManyRows { file: file.to_string(), limit: u32::MAX as usize - 1 });
    }
    check_memory(|| format!("{rows} rows of '{file}'"), all.saturating_mul(BYTES_PER_CELL))?;
    let mut starts = Vec::new();
    for buffer in batch.buffers().into_iter().flat_map(|buffers| buffers.iter()) {
        let parts = (u64::try_from(buffer.offset()), u64::try_from(buffer.length()));
        let (Ok(offset), Ok(length)) = parts else { return Err(corrupt(file, &"a length is negative")) };
        if offset.checked_add(length).is_none_or(|end| end > body) {
            return Err(corrupt(file, &"a column lies outside its message"));
        }
        if batch.compression().is_some() && length >= 8 {
            starts.push(offset);
        }
    }
    starts.sort_unstable();
    Ok(starts)
}

/// Reads over the body of a message and adds up how long its packed buffers say that they are.
fn check_body(file: &str, bytes: &mut impl Read, body: u64, starts: Vec<u64>) -> Result<(), DataError> {
    let cut = || corrupt(file, &"it ends within a message");
    let mut at = 0u64;
    let mut unpacked = 0u64;
    for start in starts {
        // Two buffers may begin at one place.
        let Some(ahead) = start.checked_sub(at) else { continue };
        let mut prefix = [0u8; 8];
        let passed = io::copy(&mut bytes.by_ref().take(ahead), &mut io::sink());
        if passed.ok() != Some(ahead) || bytes.read_exact(&mut prefix).is_err() {
            return Err(cut());
        }
        at = start + 8;
        // -1 says that the buffer is not packed after all.
        match i64::from_le_bytes(prefix) {
            -1 => {}
            length => {
                let length = u64::try_from(length).map_err(|_| corrupt(file, &"a length is negative"))?;
                unpacked = unpacked.saturating_add(length);
            }
        }
    }
    check_memory(|| format!("a part of '{file}'"), unpacked.saturating_mul(2))?;
    let left = body.saturating_sub(at);
    match io::copy(&mut bytes.by_ref().take(left), &mut io::sink()).ok() == Some(left) {
        true => Ok(()),
        false => Err(cut()),
    }
}

/// Whether there was something to read.
fn filled(read: io::Result<()>, file: &str) -> Result<bool, DataError> {
    match read {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(cause) => Err(DataError::Read { file: file.to_string(), cause }),
    }
}

fn corrupt(file: &str, error: &dyn Display) -> DataError {
    let detail = error.to_string().replace(['\n', '\r'], " ");
    DataError::CorruptArrow { file: file.to_string(), detail }
}
