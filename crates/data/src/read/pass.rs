//! One reading of a text table from its start, plain or compressed.

use super::Source;
use crate::DataError;
use crate::decode::{TextEncoding, Utf8Reader};
use crate::error::Position;
use ::csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};
use std::io::{self, Read};

/// The line of the record at `offset` in the text. Counted when there is something to say about it: the positions that
/// `csv` reports with a record lie before blank lines and before the second half of a line break of two characters.
pub(super) fn place_of(source: &Source<'_>, encoding: Option<TextEncoding>, offset: u64) -> Position {
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
pub(super) struct Pass<'s> {
    source: &'s Source<'s>,
    encoding: Option<TextEncoding>,
    codec: Option<&'static str>,
    reader: Reader<Box<dyn Read + 's>>,
    record: ByteRecord,
}

impl<'s> Pass<'s> {
    pub(super) fn open(
        source: &'s Source<'s>,
        delimiter: u8,
        encoding: Option<TextEncoding>,
    ) -> Result<Self, DataError> {
        let raw = source.open()?;
        let (codec, bytes): (_, Box<dyn Read + 's>) = match source.start()?.as_slice() {
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
        let bytes: Box<dyn Read + 's> = Box::new(Utf8Reader::new(bytes, encoding));
        let reader = ReaderBuilder::new().delimiter(delimiter).buffer_capacity(1 << 18).from_reader(bytes);
        Ok(Self { source, encoding, codec, reader, record: ByteRecord::new() })
    }

    pub(super) fn header(&mut self) -> Result<Vec<String>, DataError> {
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
    pub(super) fn next(&mut self) -> Result<Option<(&ByteRecord, u64)>, DataError> {
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => {
                let offset = self.record.position().map_or(0, |position| position.byte());
                Ok(Some((&self.record, offset)))
            }
            Ok(false) => Ok(None),
            Err(error) => Err(self.explain(error)),
        }
    }

    /// The text itself, from here.
    pub(super) fn into_bytes(self) -> Box<dyn Read + 's> {
        self.reader.into_inner()
    }

    /// Reads a compressed stream to its end, checksum included.
    pub(super) fn drain(self) -> Result<(), DataError> {
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
