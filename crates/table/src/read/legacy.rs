//! Text tables that are not UTF-8 and do not say what they are: nearly always Windows-1252, which holds Latin-1.

use super::Source;
use super::pass::decompressed;
use crate::TableError;
use crate::decode::TextEncoding;
use std::io::Read;

/// The encoding to read a table in that is not UTF-8 throughout. None where it is UTF-8 in other places: then it has two, and
/// no choice would be right.
pub(super) fn encoding_of(source: &Source<'_>) -> Result<Option<TextEncoding>, TableError> {
    let (_, mut bytes) = decompressed(source)?;
    let (mut chunk, mut kept) = (vec![0u8; 1 << 16], 0);
    let (mut sound, mut broken) = (0u64, 0u64);
    loop {
        let read = match bytes.read(&mut chunk[kept..]) {
            Ok(read) => read,
            Err(cause) => return Err(TableError::Read { file: source.name.clone(), cause }),
        };
        let filled = kept + read;
        let mut rest = &chunk[..filled];
        kept = 0;
        while !rest.is_empty() {
            let (valid, skip) = match std::str::from_utf8(rest) {
                Ok(text) => (text, rest.len()),
                Err(error) => {
                    let valid = std::str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default();
                    match error.error_len() {
                        Some(length) => (valid, error.valid_up_to() + length),
                        // The start of a character whose rest is still to be read.
                        None if read > 0 => {
                            kept = rest.len() - error.valid_up_to();
                            (valid, rest.len())
                        }
                        None => (valid, rest.len()),
                    }
                }
            };
            sound += valid.chars().filter(|c| !c.is_ascii()).count() as u64;
            broken += u64::from(skip > valid.len() && kept == 0);
            rest = &rest[skip..];
        }
        chunk.copy_within(filled - kept..filled, 0);
        if read == 0 {
            break;
        }
    }
    // Two letters of Windows-1252 may happen to be one of UTF-8.
    Ok((sound * 10 <= broken).then(|| "windows-1252".parse().ok()).flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(bytes: &[u8]) -> Option<String> {
        encoding_of(&Source::memory(bytes)).unwrap().map(|encoding| encoding.to_string())
    }

    #[test]
    fn one_encoding_is_found_and_two_are_none() {
        assert_eq!(found(b"H\xf6he;Stra\xdfe\n1;2\n").as_deref(), Some("windows-1252"));
        assert_eq!(found(b"H\xf6he;H\xc3\xb6he\n1;2\n"), None);
        let long = [vec![b'a'; (1 << 16) - 1], "\u{f6}".as_bytes().to_vec(), b"\xf6".to_vec()].concat();
        assert_eq!(found(&long), None);
    }
}
