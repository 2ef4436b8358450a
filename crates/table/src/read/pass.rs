//! One reading of a text table from its start, plain or compressed.

#[cfg(not(feature = "zstd"))]
use super::absent::unpacked_zstd;
use super::layout::Layout;
use super::{Source, magic_bytes};
use crate::Position;
use crate::Remark;
use crate::decode::{TextEncoding, Utf8Reader};
use crate::memory::{memory_left, shown_size};
use crate::{TableError, check_memory};
use ::csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

/// The line of the record at `offset` in the text. Counted when there is something to say about it: the positions that
/// `csv` reports with a record lie before blank lines and before the second half of a line break of two characters.
pub(super) fn place_of(source: &Source<'_>, encoding: Option<TextEncoding>, offset: u64) -> Position {
    places_of(source, encoding, &[offset])[0]
}

/// The lines of several records, counted in one reading.
pub(super) fn places_of(
    source: &Source<'_>,
    encoding: Option<TextEncoding>,
    offsets: &[u64],
) -> Vec<Position> {
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_unstable_by_key(|&at| std::cmp::Reverse(offsets[at]));
    let place = |line| match source.counts_rows {
        None => Position::Line(line),
        Some(first) => Position::Row((line + first).saturating_sub(1)),
    };
    let mut places = vec![place(1); offsets.len()];
    let (mut line, mut quoted) = (1, false);
    if let Ok(pass) = Pass::open(source, b',', encoding) {
        pass.bound.lifted.set(true);
        let bytes = io::BufReader::new(pass.reader.into_inner()).bytes().map_while(Result::ok);
        for (at, byte) in bytes.enumerate() {
            let in_line = !matches!(byte, b'\r' | b'\n');
            while let Some(next) = order.pop_if(|next| in_line && at as u64 >= offsets[*next]) {
                places[next] = place(line);
            }
            if order.is_empty() {
                break;
            }
            // A row of a sheet may have line breaks in its cells, a line of a text file is a line.
            quoted ^= byte == b'"' && source.counts_rows.is_some();
            line += u64::from(byte == b'\n' && !quoted);
        }
    }
    order.into_iter().for_each(|at| places[at] = place(line));
    places
}

/// One reading of the file from its start.
pub(super) struct Pass<'s> {
    source: &'s Source<'s>,
    encoding: Option<TextEncoding>,
    codec: Option<&'static str>,
    reader: Reader<Box<dyn Read + 's>>,
    record: ByteRecord,
    bound: Rc<Bound>,
    /// Up to where it was asked whether there is memory for what is read.
    checked: u64,
    layout: Layout,
    /// How many cells the header has, and records must have.
    wide: usize,
    /// Whether the next record is the first below the header.
    first: bool,
    /// How many records had fewer cells, and where the first and the last of them start.
    short: usize,
    first_short: u64,
    last_short: Option<(u64, usize)>,
    /// How many columns the reader of this pass holds, and how many rows of them.
    held: (usize, u64),
}

/// The longest header and the longest record, where there is memory enough.
const LONGEST_HEADER: u64 = 16 << 20;
const LONGEST_RECORD: u64 = 64 << 20;

/// The longest name of a column.
const LONGEST_NAME: usize = 4096;

/// What a column takes before it has a cell.
const BYTES_PER_COLUMN: u64 = 512;

/// How much the reader of records takes at a time.
const BUFFER: usize = 1 << 18;

/// How far a compressed stream that went wrong is looked through for the cause.
const MOST_DRAINED: u64 = 64 << 20;

/// How much text is read between two questions about memory, and what that may become.
const STEP: u64 = 1 << 20;
const BYTES_PER_STEP: u64 = 16 << 20;

/// Records up to this length are read without a question about memory.
const SHORT: u64 = 1 << 16;

/// A header has copies, and each of its cells a place that takes more than the cell.
fn longest_header() -> u64 {
    (memory_left() / 64).clamp(SHORT, LONGEST_HEADER)
}

/// A record of empty cells takes nine times its length.
pub(super) fn longest_record() -> u64 {
    (memory_left() / 16).clamp(SHORT, LONGEST_RECORD)
}

/// How far may be read for the record under way.
#[derive(Default)]
struct Bound {
    /// Where it starts.
    start: Cell<u64>,
    /// Whether the header is behind.
    header_read: Cell<bool>,
    /// The longest header and the longest record, once one is long enough to ask.
    longest: [Cell<Option<u64>>; 2],
    /// Whether there is none.
    lifted: Cell<bool>,
}

impl Bound {
    fn longest(&self) -> u64 {
        let (place, ask): (_, fn() -> u64) = if self.header_read.get() {
            (&self.longest[1], longest_record)
        } else {
            (&self.longest[0], longest_header)
        };
        let longest = place.get().unwrap_or_else(ask);
        place.set(Some(longest));
        longest
    }

    /// Whether the record under way is too long once so much was read of the text.
    fn is_passed(&self, read: u64) -> bool {
        let length = read.saturating_sub(self.start.get() + BUFFER as u64);
        length > SHORT && !self.lifted.get() && length > self.longest()
    }
}

/// Reads up to a place that moves with the records.
struct Bounded<R> {
    inner: R,
    read: u64,
    bound: Rc<Bound>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bound.is_passed(self.read) {
            return Err(io::Error::other(TooLong));
        }
        let read = self.inner.read(buffer)?;
        self.read += read as u64;
        Ok(read)
    }
}

/// The record under way is too long.
#[derive(Debug)]
struct TooLong;

impl std::fmt::Display for TooLong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the record is too long")
    }
}

impl std::error::Error for TooLong {}

/// The bytes of a source, unpacked where they are packed, and how they were.
pub(super) fn decompressed<'s>(
    source: &'s Source<'s>,
) -> Result<(Option<&'static str>, Box<dyn Read + 's>), TableError> {
    let raw = source.open()?;
    let start = source.start()?;
    Ok(if magic_bytes::is_gzip(&start) {
        let packed = io::BufReader::with_capacity(1 << 16, raw);
        (Some("gzip"), Box::new(flate2::bufread::MultiGzDecoder::new(packed)))
    } else if magic_bytes::is_zstd(&start) {
        (Some("zstd"), unpacked_zstd(&source.name, raw)?)
    } else {
        (None, raw)
    })
}

#[cfg(feature = "zstd")]
fn unpacked_zstd<'s>(file: &str, packed: Box<dyn Read + 's>) -> Result<Box<dyn Read + 's>, TableError> {
    let file = file.to_string();
    Ok(Box::new(zstd::Decoder::new(packed).map_err(|cause| TableError::Read { file, cause })?))
}

impl<'s> Pass<'s> {
    pub(super) fn open(
        source: &'s Source<'s>,
        layout: impl Into<Layout>,
        encoding: Option<TextEncoding>,
    ) -> Result<Self, TableError> {
        let layout = layout.into();
        let (codec, bytes) = decompressed(source)?;
        let bound = Rc::new(Bound::default());
        let mut text = Utf8Reader::new(bytes, encoding);
        if layout.skip > 0 {
            io::copy(&mut text.by_ref().take(layout.skip), &mut io::sink())
                .map_err(|cause| TableError::Read { file: source.name.clone(), cause })?;
        }
        let bytes = Bounded { inner: text, read: 0, bound: bound.clone() };
        let bytes: Box<dyn Read + 's> = Box::new(bytes);
        let mut builder = ReaderBuilder::new();
        let builder = builder.delimiter(layout.delimiter).escape(layout.escaped.then_some(b'\\'));
        let reader = builder.flexible(true).buffer_capacity(BUFFER).from_reader(bytes);
        let record = ByteRecord::new();
        let (wide, first, short, first_short, last_short) = (0, true, 0, 0, None);
        Ok(Self {
            source,
            encoding,
            codec,
            reader,
            record,
            bound,
            checked: STEP,
            layout,
            wide,
            first,
            short,
            first_short,
            last_short,
            held: (0, 0),
        })
    }

    pub(super) fn header(&mut self) -> Result<Vec<String>, TableError> {
        let mut header = match self.reader.byte_headers() {
            Ok(header) => header.clone(),
            Err(error) => return Err(self.explain(error)),
        };
        if self.layout.row_names {
            header = std::iter::once(&b""[..]).chain(header.iter()).collect();
        }
        self.wide = header.len();
        if header.is_empty() {
            return Err(TableError::Empty { file: self.source.name.clone() });
        }
        let file = || self.source.name.clone();
        let wide = header.len();
        check_memory(|| format!("the {wide} columns of '{}'", file()), wide as u64 * BYTES_PER_COLUMN)?;
        if let Some((at, name)) = header.iter().enumerate().find(|(_, name)| name.len() > LONGEST_NAME) {
            return Err(TableError::LongName { file: file(), position: at + 1, length: name.len() });
        }
        header
            .iter()
            .map(|name| match std::str::from_utf8(name) {
                Ok(name) => Ok(name.trim().to_string()),
                Err(_) => {
                    Err(TableError::NotUtf8 { file: self.source.name.clone(), place: Position::Line(1) })
                }
            })
            .collect()
    }

    /// The reader keeps this many columns of the rows that it [holds](Self::hold_row). One that hands rows on keeps none.
    pub(super) fn holds(&mut self, columns: usize) {
        self.held.0 = columns;
    }

    /// The row that was read last is kept.
    pub(super) fn hold_row(&mut self) {
        self.held.1 += 1;
    }

    /// Columns grow by doubling, all of them at one row. Where such a row is near: what it takes to copy half of their numbers,
    /// as some are always in place already. Nothing grows where nothing is held, however long the table is.
    fn doubling(&self, start: u64) -> u64 {
        let (columns, rows) = self.held;
        let step = self.reader.position().record().saturating_mul(STEP) / start.max(1);
        if rows + 2 * step >= rows.next_power_of_two() { rows.saturating_mul(2 * columns as u64) } else { 0 }
    }

    /// The next record and where in the text it starts.
    pub(super) fn next(&mut self) -> Result<Option<(&ByteRecord, u64)>, TableError> {
        let start = self.reader.position().byte();
        self.bound.start.set(start);
        self.bound.header_read.set(true);
        if start >= self.checked {
            let more = BYTES_PER_STEP.max(self.doubling(start));
            let what = || format!("'{}' beyond its first {}", self.source.name, shown_size(start));
            check_memory(what, more)?;
            self.checked = start + STEP;
        }
        loop {
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) => {
                    let offset = self.record.position().map_or(0, |position| position.byte());
                    let offset = offset + self.layout.skip;
                    let first = std::mem::take(&mut self.first);
                    if self.record.len() == self.wide && !first {
                        self.last_short = None;
                        return Ok(Some((&self.record, offset)));
                    }
                    if self.is_drawn(first) {
                        continue;
                    }
                    self.even(offset)?;
                    return Ok(Some((&self.record, offset)));
                }
                Ok(false) => return Ok(None),
                Err(error) => return Err(self.explain(error)),
            }
        }
    }

    /// Whether the record is not a row but a rule below the header, or the last line of a listing, such as `(3 rows)`.
    fn is_drawn(&self, first: bool) -> bool {
        let rule = |cell: &[u8]| cell.iter().all(|byte| matches!(byte, b'-' | b'+' | b'=' | b':' | b'|'));
        let mut cells = self.record.iter().map(<[u8]>::trim_ascii);
        if self.wide > 1 && self.record.len() == 1 {
            let cell = cells.next().unwrap_or_default();
            return (cell.len() > 2 && rule(cell)) || is_count(cell);
        }
        let mut filled = cells.filter(|cell| !cell.is_empty()).peekable();
        first && filled.peek().is_some() && filled.all(|cell| cell.len() > 2 && rule(cell))
    }

    /// Makes the record as long as the header where it lacks nothing but its last cells, as spreadsheets leave out empty
    /// ones, or has more cells that are all empty.
    fn even(&mut self, offset: u64) -> Result<(), TableError> {
        let (found, wide) = (self.record.len(), self.wide);
        let ragged = |pass: &Self, offset, found: usize| {
            let place = place_of(pass.source, pass.encoding, offset);
            let (expected, found) = (wide as u64, found as u64);
            TableError::Ragged { file: pass.source.name.clone(), place, expected, found }
        };
        if found > wide {
            if self.record.iter().skip(wide).any(|cell| !cell.trim_ascii().is_empty()) {
                return Err(ragged(self, offset, found));
            }
            self.record.truncate(wide);
        } else if found < wide && self.source.counts_rows.is_some() {
            (found..wide).for_each(|_| self.record.push_field(b""));
        } else if found < wide {
            match self.last_short {
                // The two halves of a line that was broken.
                Some((at, before)) if before + found == wide + 1 => return Err(ragged(self, at, before)),
                _ if found < 2 => return Err(ragged(self, offset, found)),
                _ => {}
            }
            if self.short == 0 {
                self.first_short = offset;
            }
            self.short += 1;
            self.last_short = Some((offset, found));
            (found..wide).for_each(|_| self.record.push_field(b""));
            return Ok(());
        }
        self.last_short = None;
        Ok(())
    }

    /// What is to be said of the records that were read.
    pub(super) fn remark(&self, rows: usize) -> Option<Remark> {
        let first = || place_of(self.source, self.encoding, self.first_short);
        (self.short > 0).then(|| Remark::Short { lines: self.short, of: rows, first: first() })
    }

    /// The text itself, from here.
    pub(super) fn into_bytes(self) -> Box<dyn Read + 's> {
        self.reader.into_inner()
    }

    /// Reads a compressed stream to its end, checksum included, or as far as is worth it.
    pub(super) fn drain(self) -> Result<(), TableError> {
        let Self { source, codec, reader, bound, .. } = self;
        bound.lifted.set(true);
        let mut rest = reader.into_inner().take(MOST_DRAINED);
        match (codec, codec.map(|_| io::copy(&mut rest, &mut io::sink()))) {
            (Some(codec), Some(Err(cause))) => Err(broken(source.name.clone(), codec, cause)),
            _ => Ok(()),
        }
    }

    fn explain(&self, error: ::csv::Error) -> TableError {
        let file = self.source.name.clone();
        match (error.into_kind(), self.codec) {
            (ErrorKind::Io(cause), _) if cause.get_ref().is_some_and(|cause| cause.is::<TooLong>()) => {
                let place = place_of(self.source, self.encoding, self.bound.start.get() + self.layout.skip);
                TableError::LongRecord { file, place, limit: self.bound.longest() }
            }
            (ErrorKind::Io(cause), Some(codec)) => broken(file, codec, cause),
            (ErrorKind::Io(cause), None) => TableError::Read { file, cause },
            (other, _) => TableError::Read { file, cause: io::Error::other(format!("{other:?}")) },
        }
    }
}

/// `(3 rows)`, as listings of databases end.
fn is_count(cell: &[u8]) -> bool {
    let inside = cell.strip_prefix(b"(").and_then(|cell| cell.strip_suffix(b")")).unwrap_or_default();
    let digits = inside.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && matches!(&inside[digits..], b" rows" | b" row" | b" rows affected")
}

pub(super) fn broken(file: String, codec: &'static str, cause: io::Error) -> TableError {
    match cause.kind() {
        io::ErrorKind::UnexpectedEof => TableError::Truncated { file, codec },
        _ => TableError::Corrupt { file, codec, cause },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What doubling takes after 1,000 rows of four columns, every `each`-th of which is held with this many columns.
    fn after_a_thousand(columns: usize, each: usize) -> u64 {
        let text = format!("a,b,c,d\n{}", "1,2,3,4\n".repeat(1_100));
        let source = Source::memory(text.as_bytes());
        let mut pass = Pass::open(&source, b',', None).unwrap();
        pass.header().unwrap();
        pass.holds(columns);
        for row in 0..1_000 {
            assert!(pass.next().unwrap().is_some());
            if row % each == 0 {
                pass.hold_row();
            }
        }
        pass.doubling(pass.reader.position().byte())
    }

    #[test]
    fn what_grows_is_what_is_held_however_long_the_table_is() {
        // A megabyte more is far more than the rows up to 1,024.
        assert_eq!(after_a_thousand(4, 1), 1_000 * 2 * 4);
        assert_eq!(after_a_thousand(1, 1), 1_000 * 2);
        assert_eq!(after_a_thousand(4, 10), 100 * 2 * 4);
        assert_eq!(after_a_thousand(0, 1), 0, "rows that are handed on");
    }
}
