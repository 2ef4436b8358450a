//! A stream in any encoding, read as UTF-8.

use super::{REPLACEMENT, ReadAs, TextEncoding, decided};
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};
use std::io::{self, Read};

/// The longest byte order mark, that of UTF-8.
const LONGEST_MARK: usize = 3;
/// How much of the file is decoded at a time.
const RAW: usize = 16 << 10;
/// Where decoded text waits to be read; always with room for one more replacement character.
const OUT: usize = 32 << 10;

/// Reads UTF-8 from a file in any encoding, by the rule of [`decode`](crate::decode()): its byte order mark decides, else
/// the given encoding, else it is taken for UTF-8.
///
/// UTF-8 passes unchanged, byte for byte and unchecked: what is not valid is for the reader of the table to report, with
/// its line. A mark of UTF-8 passes too, so that offsets are those of the file; the `csv` reader skips it, other readers
/// must. Anything else is transcoded through two small buffers, without its mark; malformed sequences become U+FFFD and
/// are [counted](Self::malformed), and offsets are those of the UTF-8 text.
pub struct Utf8Reader<R> {
    inner: R,
    given: Option<TextEncoding>,
    /// The first bytes of the file: `head[head_read..head_len]` are still to be passed on.
    head: [u8; LONGEST_MARK],
    head_len: usize,
    head_read: usize,
    mode: Mode,
}

enum Mode {
    /// The first bytes have not all been seen.
    Start,
    /// What is read is UTF-8.
    Pass(ReadAs),
    Transcode(ReadAs, Box<Transcoder>),
}

struct Transcoder {
    decoder: Decoder,
    raw: Waiting,
    out: Waiting,
    /// The file has been read to its end.
    ended: bool,
    /// The decoder has had all of it, and must not be called again.
    finished: bool,
    malformed: usize,
}

/// Bytes that wait in a buffer.
struct Waiting {
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
}

impl<R: Read> Utf8Reader<R> {
    /// Reads `inner`, which is in the encoding of its mark, else in `given`, else in UTF-8.
    pub fn new(inner: R, given: Option<TextEncoding>) -> Self {
        Self { inner, given, head: [0; LONGEST_MARK], head_len: 0, head_read: 0, mode: Mode::Start }
    }

    /// What decides the encoding. Looks at the first bytes where nothing has been read yet; none are lost.
    pub fn read_as(&mut self) -> io::Result<ReadAs> {
        if matches!(self.mode, Mode::Start) {
            self.start()?;
        }
        Ok(match self.mode {
            Mode::Start => ReadAs::Utf8,
            Mode::Pass(read_as) | Mode::Transcode(read_as, _) => read_as,
        })
    }

    /// How many malformed sequences have become U+FFFD so far. Zero for UTF-8, which passes unchecked.
    pub fn malformed(&self) -> usize {
        match &self.mode {
            Mode::Transcode(_, transcoder) => transcoder.malformed,
            Mode::Start | Mode::Pass(_) => 0,
        }
    }

    /// Sees the first bytes and decides. What was seen before an error is kept, so that a second try continues from there.
    fn start(&mut self) -> io::Result<()> {
        while self.head_len < LONGEST_MARK {
            match self.inner.read(&mut self.head[self.head_len..]) {
                Ok(0) => break,
                Ok(read) => self.head_len += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let (read_as, mark) = decided(&self.head[..self.head_len], self.given);
        let encoding = read_as.encoding().0;
        self.mode = if encoding == UTF_8 {
            Mode::Pass(read_as)
        } else {
            let head = &self.head[mark..self.head_len];
            Mode::Transcode(read_as, Box::new(Transcoder::new(encoding, head)))
        };
        Ok(())
    }
}

impl<R: Read> Read for Utf8Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if matches!(self.mode, Mode::Start) {
            self.start()?;
        }
        if let Mode::Transcode(_, transcoder) = &mut self.mode {
            return transcoder.read(&mut self.inner, buffer);
        }
        if self.head_read < self.head_len {
            // With what follows it: the `csv` reader takes a mark that comes alone for the whole file.
            let head = &self.head[self.head_read..self.head_len];
            let given = head.len().min(buffer.len());
            let followed = if given < buffer.len() { self.inner.read(&mut buffer[given..])? } else { 0 };
            buffer[..given].copy_from_slice(&head[..given]);
            self.head_read += given;
            return Ok(given + followed);
        }
        self.inner.read(buffer)
    }
}

impl Transcoder {
    fn new(encoding: &'static Encoding, head: &[u8]) -> Self {
        let mut raw = Waiting::new(RAW);
        raw.bytes[..head.len()].copy_from_slice(head);
        raw.end = head.len();
        let decoder = encoding.new_decoder_without_bom_handling();
        Self { decoder, raw, out: Waiting::new(OUT), ended: false, finished: false, malformed: 0 }
    }

    fn read(&mut self, inner: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
        while self.out.is_empty() && !self.finished {
            if self.raw.is_empty() && !self.ended {
                self.raw.end = 0; // nothing waits, even if the next line fails
                self.raw.start = 0;
                self.raw.end = inner.read(&mut self.raw.bytes)?;
                self.ended = self.raw.end == 0;
            }
            self.decode();
        }
        let read = self.out.waiting().read(buffer)?;
        self.out.start += read;
        Ok(read)
    }

    /// Fills `out`, which is empty, from `raw`.
    fn decode(&mut self) {
        let room = OUT - REPLACEMENT.len_utf8();
        let (result, read, written) = self.decoder.decode_to_utf8_without_replacement(
            self.raw.waiting(),
            &mut self.out.bytes[..room],
            self.ended,
        );
        self.raw.start += read;
        (self.out.start, self.out.end) = (0, written);
        match result {
            DecoderResult::InputEmpty => self.finished = self.ended,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => {
                self.malformed += 1;
                self.out.end += REPLACEMENT.encode_utf8(&mut self.out.bytes[written..]).len();
            }
        }
    }
}

impl Waiting {
    fn new(size: usize) -> Self {
        Self { bytes: vec![0; size].into_boxed_slice(), start: 0, end: 0 }
    }

    fn waiting(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    fn is_empty(&self) -> bool {
        self.start == self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, and is interrupted before each.
    struct Trickle<'a>(&'a [u8], bool);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let most = buffer.len().min(1);
            self.0.read(&mut buffer[..most])
        }
    }

    fn all(inner: impl Read, given: Option<&str>) -> (Vec<u8>, ReadAs, usize) {
        let mut reader = Utf8Reader::new(inner, given.map(|label| label.parse().unwrap()));
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        (bytes, reader.read_as().unwrap(), reader.malformed())
    }

    #[test]
    fn utf_8_passes_byte_for_byte() {
        for bytes in [b"".as_slice(), b"a", b"ab", b"a,b\n1,\xff\n", b"\xef\xbb", b"\xef\xbb\xbfa,b\n"] {
            for (read, ..) in [all(bytes, None), all(Trickle(bytes, false), None), all(bytes, Some("utf-8"))]
            {
                assert_eq!(read, bytes);
            }
        }
        assert_eq!(all(b"\xef\xbb\xbfa".as_slice(), Some("latin1")).1, ReadAs::Mark(TextEncoding::UTF_8));
    }

    #[test]
    fn the_rest_is_transcoded_without_its_mark() {
        let text = "größe,名前\n1,😀\n".repeat(9_000);
        let little = |unit: u16| unit.to_le_bytes();
        let utf_16: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(little).collect();
        for (read, read_as, malformed) in [all(&*utf_16, None), all(Trickle(&utf_16, false), Some("latin1"))]
        {
            assert!(read == text.as_bytes());
            assert_eq!((read_as, malformed), (ReadAs::Mark("utf-16le".parse().unwrap()), 0));
        }
        // Given, and without a mark.
        assert!(all(&utf_16[2..], Some("utf-16le")).0 == text.as_bytes());
        assert_eq!(all(b"\xe9".as_slice(), Some("latin1")).0, "é".as_bytes());
    }

    #[test]
    fn malformed_sequences_are_counted() {
        let (read, _, malformed) = all(Trickle(b"\xff\xfea\0\x00\xd8b\0c", false), None);
        assert_eq!((read.as_slice(), malformed), ("a\u{fffd}b\u{fffd}".as_bytes(), 2));
    }

    #[test]
    fn looking_first_loses_nothing() {
        for bytes in [b"abc\n".as_slice(), b"\xfe\xff\0a\0b\0c\0\n"] {
            let mut reader = Utf8Reader::new(bytes, None);
            reader.read_as().unwrap();
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            assert_eq!(text, "abc\n");
            assert_eq!(reader.read(&mut [0]).unwrap(), 0);
        }
    }
}
