//! Text tables: comma- or tab-separated, plain or compressed.
//!
//! Two passes at most. The first stores every column as numbers (see [`Guess`]); columns that turn out to be text are
//! read again into dictionaries. A purely numeric file is read once, and at no time is there more in memory than the
//! columns themselves and one record.

use super::guess::Guess;
use super::{
    Dictionary, MAX_LEVELS, MissingPolicy, ReadOptions, Role, Source, Trouble, cell::is_missing, roles,
};
use crate::decode::{TextEncoding, Utf8Reader};
use crate::error::Position;
use crate::frame::{Column, LeftOut, TextColumn, Values, WhyLeftOut};
use crate::{DataError, Frame};
use ::csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use std::io::{self, Read};

pub(super) fn read(source: &Source<'_>, delimiter: u8, options: &ReadOptions) -> Result<Frame, DataError> {
    read_passes(source, delimiter, options).map_err(|error| {
        // A damaged compressed file often shows first as nonsense in its text, and its checksum comes last: if the
        // stream is not sound, that is what to say.
        Pass::open(source, delimiter, None).and_then(Pass::drain).err().unwrap_or(error)
    })
}

fn read_passes(source: &Source<'_>, delimiter: u8, options: &ReadOptions) -> Result<Frame, DataError> {
    let file = source.name.as_str();
    let encoding = options.encoding;
    let mut pass = Pass::open(source, delimiter, encoding)?;
    let names = pass.header()?;
    let (roles, ignored) = roles(file, &names, options)?;
    let refuse = options.missing == MissingPolicy::Refuse;
    let mut slots: Vec<Slot> = roles
        .iter()
        .map(|role| match role {
            Role::Skip => Slot::Skip,
            Role::Category => Slot::Category(Dictionary::default()),
            Role::Text => Slot::Text(TextColumn::default(), true),
            Role::Verbatim => Slot::Text(TextColumn::default(), false),
            Role::Feature => Slot::Open(Guess::new()),
        })
        .collect();

    let mut rows = 0usize;
    while let Some((record, offset)) = pass.next()? {
        for ((slot, cell), name) in slots.iter_mut().zip(record.iter()).zip(&names) {
            let outcome = match slot {
                Slot::Skip => Ok(()),
                Slot::Category(dictionary) => dictionary.push_cell(cell).map(|_| ()),
                Slot::Text(texts, true) if is_missing(cell.trim_ascii()) => {
                    texts.push_missing();
                    Ok(())
                }
                Slot::Text(texts, _) => match std::str::from_utf8(cell) {
                    Ok(cell) => {
                        texts.push(cell);
                        Ok(())
                    }
                    Err(_) => Err(Trouble::NotUtf8),
                },
                Slot::Open(guess) => match guess.push(cell, offset) {
                    true if refuse => Err(Trouble::Missing),
                    _ => Ok(()),
                },
            };
            outcome.map_err(|trouble| trouble.at(file, place_of(source, encoding, offset), name, ""))?;
        }
        rows += 1;
    }
    if rows == 0 {
        return Err(DataError::NoRows { file: file.to_string() });
    }
    if rows >= u32::MAX as usize {
        return Err(DataError::TooManyRows { file: file.to_string(), limit: u32::MAX as usize - 1 });
    }

    let mut finished: Vec<Option<Values>> = Vec::with_capacity(slots.len());
    let mut again: Vec<Option<Dictionary>> = Vec::with_capacity(slots.len());
    for (slot, name) in slots.into_iter().zip(&names) {
        let (values, second) = match slot {
            Slot::Skip => (None, None),
            Slot::Category(dictionary) => (Some(dictionary.finish()), None),
            Slot::Text(texts, _) => (Some(Values::Text(texts)), None),
            Slot::Open(guess) => match guess.finish() {
                Ok(Some(values)) => (Some(values), None),
                Ok(None) => (None, Some(Dictionary::limited(MAX_LEVELS))),
                Err((trouble, offset, cell)) => {
                    let (cell, place) = (String::from_utf8_lossy(&cell), place_of(source, encoding, offset));
                    return Err(trouble.at(file, place, name, cell.trim()));
                }
            },
        };
        finished.push(values);
        again.push(second);
    }
    let mut left_out = Vec::new();
    if again.iter().any(Option::is_some) {
        left_out = read_texts(source, (delimiter, encoding), &names, &mut again, rows, refuse)?;
    }
    let columns = names
        .into_iter()
        .zip(finished.into_iter().zip(again))
        .filter_map(|(name, (values, again))| {
            let values = values.or_else(|| again.map(Dictionary::finish))?;
            Some(Column { name, values })
        })
        .collect();
    Ok(Frame { columns, rows, ignored, left_out })
}

enum Slot {
    Skip,
    Category(Dictionary),
    /// Texts, and whether markers of missing values count.
    Text(TextColumn, bool),
    Open(Guess),
}

/// The second pass: fills the dictionaries of the columns that are text. Those with too many different texts are left out.
fn read_texts(
    source: &Source<'_>,
    (delimiter, encoding): (u8, Option<TextEncoding>),
    names: &[String],
    texts: &mut [Option<Dictionary>],
    rows: usize,
    refuse: bool,
) -> Result<Vec<LeftOut>, DataError> {
    let file = source.name.as_str();
    let mut pass = Pass::open(source, delimiter, encoding)?;
    pass.header()?;
    let mut again = 0usize;
    let mut left_out = Vec::new();
    while let Some((record, offset)) = pass.next()? {
        for ((text, cell), name) in texts.iter_mut().zip(record.iter()).zip(names) {
            let Some(dictionary) = text else { continue };
            let outcome = match dictionary.push_cell(cell) {
                Ok(true) if refuse => Err(Trouble::Missing),
                Err(Trouble::TooManyLevels) => {
                    let prose = dictionary.looks_like_prose();
                    let why = if prose { WhyLeftOut::FreeText } else { WhyLeftOut::Identifier };
                    left_out.push(LeftOut { column: name.clone(), why });
                    *text = None;
                    Ok(())
                }
                other => other.map(|_| ()),
            };
            outcome.map_err(|trouble| trouble.at(file, place_of(source, encoding, offset), name, ""))?;
        }
        again += 1;
    }
    if again != rows {
        let cause = io::Error::other("it changed while it was being read");
        return Err(DataError::Read { file: file.to_string(), cause });
    }
    Ok(left_out)
}

/// The line of the record at `offset` in the text. Counted when there is something to say about it: the positions that
/// `csv` reports with a record lie before blank lines and before the second half of a line break of two characters.
fn place_of(source: &Source<'_>, encoding: Option<TextEncoding>, offset: u64) -> Position {
    let mut line = 1;
    if let Ok(pass) = Pass::open(source, b',', encoding) {
        let bytes = io::BufReader::new(pass.reader.into_inner()).bytes().map_while(Result::ok);
        for (at, byte) in bytes.enumerate() {
            if at as u64 >= offset && !matches!(byte, b'\r' | b'\n') {
                break;
            }
            line += u64::from(byte == b'\n');
        }
    }
    Position::Line(line)
}

/// One reading of the file from its start.
struct Pass<'s, 'a> {
    source: &'s Source<'a>,
    encoding: Option<TextEncoding>,
    codec: Option<&'static str>,
    reader: Reader<Box<dyn Read + 'a>>,
    record: ByteRecord,
}

impl<'s, 'a> Pass<'s, 'a> {
    fn open(
        source: &'s Source<'a>,
        delimiter: u8,
        encoding: Option<TextEncoding>,
    ) -> Result<Self, DataError> {
        let raw = source.open()?;
        let (codec, bytes): (_, Box<dyn Read + 'a>) = match source.start()?.as_slice() {
            [0x1f, 0x8b, ..] => (
                Some("gzip"),
                Box::new(flate2::bufread::MultiGzDecoder::new(io::BufReader::with_capacity(1 << 16, raw))),
            ),
            [0x28, 0xb5, 0x2f, 0xfd] => {
                let decoder = zstd::Decoder::new(raw)
                    .map_err(|cause| DataError::Read { file: source.name.clone(), cause })?;
                (Some("zstd"), Box::new(decoder))
            }
            _ => (None, raw),
        };
        let bytes: Box<dyn Read + 'a> = Box::new(Utf8Reader::new(bytes, encoding));
        let reader = ReaderBuilder::new().delimiter(delimiter).buffer_capacity(1 << 18).from_reader(bytes);
        Ok(Self { source, encoding, codec, reader, record: ByteRecord::new() })
    }

    fn header(&mut self) -> Result<Vec<String>, DataError> {
        let header = match self.reader.byte_headers() {
            Ok(header) => header.clone(),
            Err(error) => return Err(self.explain(error)),
        };
        if header.is_empty() {
            return Err(DataError::Empty { file: self.source.name.clone() });
        }
        header
            .iter()
            .map(|name| match std::str::from_utf8(name) {
                Ok(name) => Ok(name.trim().to_string()),
                Err(_) => {
                    Err(DataError::NotUtf8 { file: self.source.name.clone(), place: Position::Line(1) })
                }
            })
            .collect()
    }

    /// The next record and where in the text it starts.
    fn next(&mut self) -> Result<Option<(&ByteRecord, u64)>, DataError> {
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => {
                let offset = self.record.position().map_or(0, |position| position.byte());
                Ok(Some((&self.record, offset)))
            }
            Ok(false) => Ok(None),
            Err(error) => Err(self.explain(error)),
        }
    }

    /// Reads a compressed stream to its end, checksum included.
    fn drain(self) -> Result<(), DataError> {
        let Self { source, codec, reader, .. } = self;
        match (codec, codec.map(|_| io::copy(&mut reader.into_inner(), &mut io::sink()))) {
            (Some(codec), Some(Err(cause))) => Err(broken(source.name.clone(), codec, cause)),
            _ => Ok(()),
        }
    }

    fn explain(&self, error: ::csv::Error) -> DataError {
        let file = self.source.name.clone();
        match (error.into_kind(), self.codec) {
            (ErrorKind::UnequalLengths { pos, expected_len, len }, _) => {
                let place = place_of(self.source, self.encoding, pos.map_or(0, |position| position.byte()));
                DataError::Ragged { file, place, expected: expected_len, found: len }
            }
            (ErrorKind::Io(cause), Some(codec)) => broken(file, codec, cause),
            (ErrorKind::Io(cause), None) => DataError::Read { file, cause },
            (other, _) => DataError::Read { file, cause: io::Error::other(format!("{other:?}")) },
        }
    }
}

fn broken(file: String, codec: &'static str, cause: io::Error) -> DataError {
    match cause.kind() {
        io::ErrorKind::UnexpectedEof => DataError::Truncated { file, codec },
        _ => DataError::Corrupt { file, codec, cause },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_csv_bytes;

    #[test]
    fn a_table_of_every_type() {
        let table =
            read_csv_bytes(b"\xef\xbb\xbf x ,b,\"c, d\"\r\n1,true,red\r\n\"2.5\",,\" blue\"\r\n").unwrap();
        assert_eq!(table.names().collect::<Vec<_>>(), ["x", "b", "c, d"]);
        assert_eq!(table.rows, 2);
        let Values::Numeric(x) = &table.columns[0].values else { panic!() };
        assert_eq!(x, &[1.0, 2.5]);
        let Values::Boolean(b) = &table.columns[1].values else { panic!() };
        assert_eq!(b, &[Some(true), None]);
        let Values::Categorical { codes, levels } = &table.columns[2].values else { panic!() };
        assert_eq!((codes.as_slice(), levels[0].as_str(), levels[1].as_str()), (&[1, 0][..], "blue", "red"));
    }

    #[test]
    fn messages_say_the_line() {
        let message = |bytes: &[u8]| read_csv_bytes(bytes).unwrap_err().to_string();
        assert!(message(b"a,b\n1,2\n3\n").contains("line 3 has 1 cells but the header has 2"));
        assert!(message(b"a,b\n1,2\n3,4,5\n").contains("line 3 has 3 cells but the header has 2"));
        // A quoted line break counts as a line, too.
        assert!(
            message(b"a,b\n1,\"x\ny\"\nnan,z\n").contains("line 4, column 'a': nan is not a finite number")
        );
        // So does a blank line, which is not a row.
        assert!(message(b"a,b\n1,2\n\n\n3\n").contains("line 5 has 1 cells"));
        assert!(message(b"a,b\r\n1,2\r\n3\r\n").contains("line 3 has 1 cells"));
        assert!(message(b"a,b\r\n1,2\r\n\r\n3,inf\r\n").contains("line 4, column 'b'"));
        assert!(message(b"a,b\nx,1\ny,2\n\xff,3\n").contains("line 4 is not valid UTF-8"));
        assert!(message(b"\xff,b\n1,2\n").contains("line 1 is not valid UTF-8"));
    }

    #[test]
    fn codes_that_look_like_numbers_stay_text_where_one_is_not() {
        let table = read_csv_bytes(b"zip\n01234\n1234\nAB1\n").unwrap();
        let Values::Categorical { levels, .. } = &table.columns[0].values else { panic!() };
        assert_eq!(levels, &["01234", "1234", "AB1"]);
    }
}
