//! Arrow files and streams (`.arrow`, `.ipc`), and Feather, which is an Arrow file.
//!
//! The readers take lengths on trust, so messages are walked through first, those that the footer of a file names or those of
//! a stream in their order: whatever they announce must lie in the file and fit into the memory.

use super::arrow::ArrowTable;
use super::contained::contained;
use super::magic_bytes::{ARROW, ARROW_CONTINUES, OLD_FEATHER};
use super::source::Bytes;
use super::{ReadOptions, Source};
use crate::memory::shown_size;
use crate::{Frame, TableError, check_memory};
use arrow_array::RecordBatch as ArrowBatch;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::{Message, MessageHeader, RecordBatch, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, Schema};
use std::fmt::Display;
use std::io::{self, Cursor, Read, Seek, SeekFrom};

/// The last bytes of a file, behind the length of its footer.
const END: &[u8] = b"ARROW1";

/// The longest description of a message.
const LONGEST: usize = 64 << 20;

/// What a cell takes besides its bytes.
const BYTES_PER_CELL: u64 = 4;

pub(super) fn read(source: &Source<'_>, options: &ReadOptions) -> Result<Frame, TableError> {
    let start = source.start()?;
    if start == OLD_FEATHER {
        return Err(TableError::OldFeather { file: source.name.clone() });
    }
    let frame = contained(|| match (&source.bytes, start == ARROW) {
        (Bytes::File(path), true) => read_file(source, source.open_file(path)?, options),
        (_, true) => read_file(source, Cursor::new(source.all()?), options),
        (_, false) => read_stream(source, options),
    });
    frame.unwrap_or_else(|panic| Err(corrupt(&source.name, &panic)))
}

/// The names of the columns that are one cell per row.
pub(super) fn cell_names(source: &Source<'_>) -> Result<Vec<String>, TableError> {
    let corrupt = |error: ArrowError| corrupt(&source.name, &error);
    let schema = contained(|| {
        if source.start()? == ARROW {
            let mut file = Cursor::new(source.all()?);
            check_footer(&source.name, &mut file)?;
            FileReader::try_new(file, None).map(|reader| reader.schema()).map_err(corrupt)
        } else {
            let stream = source.open()?.take(check_messages(source)?);
            StreamReader::try_new(io::BufReader::new(stream), None)
                .map(|reader| reader.schema())
                .map_err(corrupt)
        }
    });
    let schema = schema.unwrap_or_else(|panic| Err(self::corrupt(&source.name, &panic)))?;
    let cells = schema.fields().iter().filter(|field| ArrowTable::is_cell(field.data_type()));
    Ok(cells.map(|field| field.name().trim().to_string()).collect())
}

fn read_file(
    source: &Source<'_>,
    mut file: impl Read + Seek,
    options: &ReadOptions,
) -> Result<Frame, TableError> {
    check_footer(&source.name, &mut file)?;
    let reader = FileReader::try_new(file, None).map_err(|error| corrupt(&source.name, &error))?;
    let schema = reader.schema();
    fill(&source.name, &schema, reader, options)
}

fn read_stream(source: &Source<'_>, options: &ReadOptions) -> Result<Frame, TableError> {
    let length = check_messages(source)?;
    let stream = io::BufReader::new(source.open()?.take(length));
    let reader = StreamReader::try_new(stream, None).map_err(|error| corrupt(&source.name, &error))?;
    let schema = reader.schema();
    fill(&source.name, &schema, reader, options)
}

fn fill(
    file: &str,
    schema: &Schema,
    batches: impl Iterator<Item = Result<ArrowBatch, ArrowError>>,
    options: &ReadOptions,
) -> Result<Frame, TableError> {
    // As in memory: programs that write such files hold missing numbers as NaN.
    let mut table = ArrowTable::new(file, schema, options)?;
    let mut rows = 0;
    for batch in batches {
        let batch = batch.map_err(|error| corrupt(file, &error))?;
        // What is kept of a cell takes four bytes or more, in a list that may have to grow.
        let cells = (batch.num_rows() * batch.num_columns()) as u64;
        check_memory(|| format!("'{file}' beyond row {rows}"), cells.saturating_mul(2 * BYTES_PER_CELL))?;
        for (at, array) in batch.columns().iter().enumerate() {
            table.push(at, array.as_ref())?;
        }
        rows += batch.num_rows();
    }
    table.finish(rows)
}

/// Checks the messages that the footer of a file names.
fn check_footer(name: &str, file: &mut (impl Read + Seek)) -> Result<(), TableError> {
    let wrong = |detail: &'static str| corrupt(name, &detail);
    let unread = |cause| TableError::Read { file: name.to_string(), cause };
    let length = file.seek(SeekFrom::End(0)).map_err(unread)?;
    let mut end = [0u8; 10];
    let behind = length.checked_sub(10).ok_or_else(|| wrong("it is too short"))?;
    file.seek(SeekFrom::Start(behind)).and_then(|_| file.read_exact(&mut end)).map_err(unread)?;
    let [a, b, c, d, mark @ ..] = end;
    let long = u64::try_from(i32::from_le_bytes([a, b, c, d])).unwrap_or(u64::MAX);
    if mark != END || long > behind {
        return Err(wrong("it has no footer; it may be cut off"));
    }
    let mut footer = vec![0u8; long as usize];
    file.seek(SeekFrom::Start(behind - long)).and_then(|_| file.read_exact(&mut footer)).map_err(unread)?;
    let footer = root_as_footer(&footer).map_err(|error| corrupt(name, &error))?;
    let blocks = footer.dictionaries().into_iter().chain(footer.recordBatches());
    let mut rows = 0;
    for block in blocks.flat_map(|blocks| blocks.iter()) {
        let parts = [block.offset(), i64::from(block.metaDataLength()), block.bodyLength()];
        let [Ok(offset), Ok(described), Ok(body)] = parts.map(u64::try_from) else {
            return Err(wrong("a length is negative"));
        };
        let ends = offset.checked_add(described).and_then(|at| at.checked_add(body));
        if ends.is_none_or(|end| end > length) || described < 8 {
            return Err(wrong("a message lies outside the file"));
        }
        let mut message = vec![0u8; described as usize];
        file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(&mut message)).map_err(unread)?;
        message.drain(..if message.starts_with(&ARROW_CONTINUES) { 8 } else { 4 });
        let message = root_as_message(&message).map_err(|error| corrupt(name, &error))?;
        let starts = prefixes(name, &message, body, &mut rows)?;
        check_memory(|| format!("a part of '{name}'"), body)?;
        check_body(name, file, body, starts)?;
    }
    file.seek(SeekFrom::Start(0)).map_err(unread)?;
    Ok(())
}

/// Walks through the messages and returns how long they are together.
fn check_messages(source: &Source<'_>) -> Result<u64, TableError> {
    let file = source.name.as_str();
    let mut bytes = io::BufReader::with_capacity(1 << 16, source.open()?);
    let (mut length, mut rows, mut seen) = (0u64, 0u64, false);
    loop {
        let mut word = [0u8; 4];
        if !filled(bytes.read_exact(&mut word), file)? {
            break;
        }
        let modern = word == ARROW_CONTINUES;
        if modern && !filled(bytes.read_exact(&mut word), file)? {
            break;
        }
        let announced = usize::try_from(i32::from_le_bytes(word)).unwrap_or(usize::MAX);
        if announced == 0 {
            break;
        }
        if announced > LONGEST {
            return Err(corrupt(file, &"a message is too long"));
        }
        let mut described = Vec::new();
        let read = bytes.by_ref().take(announced as u64).read_to_end(&mut described);
        read.map_err(|cause| TableError::Read { file: file.to_string(), cause })?;
        if described.len() < announced {
            return Err(corrupt(file, &"it ends within a message"));
        }
        let message = root_as_message(&described).map_err(|error| corrupt(file, &error))?;
        let body = u64::try_from(message.bodyLength()).map_err(|_| corrupt(file, &"a length is negative"))?;
        let prefixes = prefixes(file, &message, body, &mut rows)?;
        check_memory(|| format!("'{file}' beyond its first {}", shown_size(length)), body)?;
        check_body(file, &mut bytes, body, prefixes)?;
        length += if modern { 8 } else { 4 } + announced as u64 + body;
        seen = true;
    }
    if seen { Ok(length) } else { Err(corrupt(file, &"it has no schema")) }
}

/// Where the packed buffers of a message are, each of which begins with its length; rows are added up.
fn prefixes(file: &str, message: &Message<'_>, body: u64, rows: &mut u64) -> Result<Vec<u64>, TableError> {
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
        return Err(TableError::TooManyRows { file: file.to_string(), limit: u32::MAX as usize - 1 });
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
fn check_body(file: &str, bytes: &mut impl Read, body: u64, starts: Vec<u64>) -> Result<(), TableError> {
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
    if io::copy(&mut bytes.by_ref().take(left), &mut io::sink()).ok() == Some(left) {
        Ok(())
    } else {
        Err(cut())
    }
}

/// Whether there was something to read.
fn filled(read: io::Result<()>, file: &str) -> Result<bool, TableError> {
    match read {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(cause) => Err(TableError::Read { file: file.to_string(), cause }),
    }
}

fn corrupt(file: &str, error: &dyn Display) -> TableError {
    let detail = error.to_string().replace(['\n', '\r'], " ");
    TableError::CorruptArrow { file: file.to_string(), detail }
}
