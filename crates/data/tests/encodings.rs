//! Bytes become the same text, whole or as a stream, and no bytes do harm.

use onesided_data::{ReadAs, Stream, TextEncoding, Utf8Reader, decode};
use std::io::Read;

const LABELS: [&str; 12] = [
    "utf-8",
    "utf-16le",
    "utf-16be",
    "windows-1252",
    "windows-1251",
    "koi8-r",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "gb18030",
    "big5",
    "euc-kr",
];

/// Gives a few bytes at a time.
struct Bits<'a>(&'a [u8], Stream);

impl Read for Bits<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = buffer.len().min(1 + self.1.below(7));
        self.0.read(&mut buffer[..most])
    }
}

fn streamed(bytes: &[u8], given: Option<TextEncoding>, seed: u64) -> (Vec<u8>, ReadAs, usize) {
    let mut reader = Utf8Reader::new(Bits(bytes, Stream::new(seed, "bits")), given);
    let mut read = Vec::new();
    reader.read_to_end(&mut read).unwrap();
    (read, reader.read_as().unwrap(), reader.malformed())
}

/// Texts that each encoding can hold, by Python's codecs: see `golden/encodings.py`.
#[test]
fn valid_bytes_of_each_encoding_equal_what_python_reads() {
    let golden: Vec<(String, String, String)> =
        serde_json::from_str(include_str!("golden/encodings.json")).unwrap();
    assert!(LABELS.iter().all(|label| golden.iter().any(|(golden, ..)| golden == label)));
    for (label, hex, text) in &golden {
        let digits: Vec<u8> = hex.chars().map(|c| c.to_digit(16).unwrap() as u8).collect();
        let bytes: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect();
        let encoding: TextEncoding = label.parse().unwrap();
        let whole = decode(bytes.clone(), Some(encoding));
        assert_eq!((whole.text.as_str(), whole.malformed), (text.as_str(), 0), "{label}");
        for seed in 0..20 {
            let (read, read_as, malformed) = streamed(&bytes, Some(encoding), seed);
            assert_eq!((read.as_slice(), read_as, malformed), (text.as_bytes(), whole.read_as, 0), "{label}");
        }
    }
}

#[test]
fn random_bytes_do_no_harm_and_give_one_text_either_way() {
    let mut random = Stream::new(11, "bytes");
    for round in 0..6_000 {
        let mut bytes: Vec<u8> = match random.below(4) {
            0 => b"\xff\xfe".to_vec(),
            1 => b"\xfe\xff".to_vec(),
            _ => Vec::new(),
        };
        // Bytes of one stretch, so that pairs and escapes occur.
        let (low, span) = (random.below(256), 1 + random.below(256));
        bytes.extend((0..random.below(200)).map(|_| (low + random.below(span)) as u8));
        let given = match random.below(LABELS.len() + 1) {
            0 => None,
            label => Some(LABELS[label - 1].parse().unwrap()),
        };
        let whole = decode(bytes.clone(), given);
        let (read, read_as, malformed) = streamed(&bytes, given, round);
        if read_as.encoding() == TextEncoding::UTF_8 {
            // A stream of UTF-8 passes as it is.
            assert_eq!(read, bytes);
        } else {
            assert_eq!((read_as, malformed), (whole.read_as, whole.malformed));
            assert!(read == whole.text.as_bytes(), "{bytes:?} as {given:?}");
        }
    }
}
