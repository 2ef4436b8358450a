//! Where bytes become text.
//!
//! Texts come in the encodings people have: UTF-8, UTF-16 from spreadsheets, and the code pages of older programs. One
//! rule decides for a whole text ([`decode`]) and for a stream ([`Utf8Reader`]):
//!
//! 1. a byte order mark of UTF-8 or UTF-16, if there is one;
//! 2. else the encoding that was given;
//! 3. else UTF-8. A whole text that is not valid UTF-8 is read as windows-1252, in which every byte is a character.
//!
//! [`ReadAs`] says which of these it was, so that the caller can count and tell it.
//!
//! ```
//! use onesided_table::{ReadAs, decode};
//!
//! let old = decode(b"caf\xe9".to_vec(), None);
//! assert_eq!((old.text.as_str(), old.read_as), ("café", ReadAs::Fallback));
//! let given = decode(b"\x93\x8c\x8b\x9e".to_vec(), Some("shift_jis".parse()?));
//! assert_eq!(given.text, "東京");
//! # Ok::<(), onesided_table::UnknownEncoding>(())
//! ```

mod encoding;
mod reader;

pub use encoding::{TextEncoding, UnknownEncoding};
pub use reader::Utf8Reader;

use encoding_rs::{DecoderResult, Encoding, UTF_8};

/// What is written where bytes are malformed.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// What decided how bytes were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadAs {
    /// Nothing: UTF-8 without a mark. A [`Utf8Reader`] passes it on without a check.
    Utf8,
    /// The byte order mark at the start.
    Mark(TextEncoding),
    /// The encoding that was given.
    Given(TextEncoding),
    /// Neither a mark nor a given encoding, and not UTF-8: windows-1252, in which every byte is a character.
    Fallback,
}

impl ReadAs {
    /// The encoding itself.
    pub fn encoding(self) -> TextEncoding {
        match self {
            Self::Utf8 => TextEncoding::UTF_8,
            Self::Mark(encoding) | Self::Given(encoding) => encoding,
            Self::Fallback => TextEncoding::WINDOWS_1252,
        }
    }
}

/// A text and how it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text, without a byte order mark.
    pub text: String,
    /// What decided its encoding.
    pub read_as: ReadAs,
    /// How many malformed sequences became U+FFFD. Not zero only where a mark or the caller named the encoding.
    pub malformed: usize,
}

/// The text that `bytes` hold: a byte order mark decides, else `given`, else UTF-8 if they are valid and windows-1252 if
/// not. Valid UTF-8 is not copied.
pub fn decode(mut bytes: Vec<u8>, given: Option<TextEncoding>) -> Decoded {
    let (read_as, mark) = decided(&bytes, given);
    bytes.drain(..mark);
    if read_as.encoding().0 == UTF_8 {
        bytes = match String::from_utf8(bytes) {
            Ok(text) => return Decoded { text, read_as, malformed: 0 },
            Err(error) => error.into_bytes(),
        };
    }
    let read_as = if read_as == ReadAs::Utf8 { ReadAs::Fallback } else { read_as };
    let (text, malformed) = transcoded(&bytes, read_as.encoding().0);
    Decoded { text, read_as, malformed }
}

/// What decides about a text that starts with `head`, and the length of its mark.
fn decided(head: &[u8], given: Option<TextEncoding>) -> (ReadAs, usize) {
    match (Encoding::for_bom(head), given) {
        (Some((encoding, mark)), _) => (ReadAs::Mark(TextEncoding(encoding)), mark),
        (None, Some(encoding)) => (ReadAs::Given(encoding), 0),
        (None, None) => (ReadAs::Utf8, 0),
    }
}

/// `bytes` in `encoding` as a text, with the number of malformed sequences.
fn transcoded(bytes: &[u8], encoding: &'static Encoding) -> (String, usize) {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (mut text, mut malformed, mut at) = (String::with_capacity(bytes.len()), 0, 0);
    loop {
        let (result, read) = decoder.decode_to_string_without_replacement(&bytes[at..], &mut text, true);
        at += read;
        match result {
            DecoderResult::InputEmpty => return (text, malformed),
            // As much again as is left, and room for a character however short the rest is.
            DecoderResult::OutputFull => text.reserve(bytes.len() - at + 16),
            DecoderResult::Malformed(..) => {
                malformed += 1;
                text.push(REPLACEMENT);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(label: &str) -> TextEncoding {
        label.parse().unwrap()
    }

    fn parts(bytes: &[u8], given: Option<TextEncoding>) -> (String, ReadAs, usize) {
        let Decoded { text, read_as, malformed } = decode(bytes.to_vec(), given);
        (text, read_as, malformed)
    }

    #[test]
    fn a_mark_decides_before_what_was_given_and_is_removed() {
        let latin = Some(named("latin1"));
        for (bytes, label) in [
            (b"\xef\xbb\xbfh\xc3\xa9".as_slice(), "utf-8"),
            (b"\xff\xfeh\0\xe9\0", "utf-16le"),
            (b"\xfe\xff\0h\0\xe9", "utf-16be"),
        ] {
            for given in [None, latin] {
                assert_eq!(parts(bytes, given), ("hé".into(), ReadAs::Mark(named(label)), 0));
            }
        }
    }

    #[test]
    fn without_a_mark_the_given_encoding_then_utf_8_then_windows_1252() {
        assert_eq!(parts("né".as_bytes(), None), ("né".into(), ReadAs::Utf8, 0));
        assert_eq!(parts(b"n\xe9 \x80 \x81", None), ("né € \u{81}".into(), ReadAs::Fallback, 0));
        let cyrillic = named("koi8-r");
        assert_eq!(parts(b"\xeb\xcf\xd4", Some(cyrillic)), ("Кот".into(), ReadAs::Given(cyrillic), 0));
        // Given, UTF-8 is not left for another.
        let utf_8 = named("utf-8");
        assert_eq!(parts(b"n\xe9e", Some(utf_8)), ("n\u{fffd}e".into(), ReadAs::Given(utf_8), 1));
        assert_eq!(parts(b"", None), (String::new(), ReadAs::Utf8, 0));
    }

    #[test]
    fn malformed_sequences_are_counted() {
        // A lone surrogate, and half a unit at the end.
        let (text, _, malformed) = parts(b"\xff\xfea\0\x00\xd8b\0c", None);
        assert_eq!((text.as_str(), malformed), ("a\u{fffd}b\u{fffd}", 2));
        let (text, _, malformed) = parts(b"\x93\x8c\xffa\x93", Some(named("shift_jis")));
        assert_eq!((text.as_str(), malformed), ("東\u{fffd}a\u{fffd}", 2));
    }

    #[test]
    fn valid_utf_8_is_not_copied() {
        let bytes = "a text of some length".as_bytes().to_vec();
        let place = bytes.as_ptr();
        assert_eq!(decode(bytes, None).text.as_ptr(), place);
    }
}
