//! A file of a published set on its way in: packed or not, of a known length or not, and always with a name.

use super::SetError;
use flate2::bufread::MultiGzDecoder;
use onesided_data::TableError;
use onesided_data::{check_memory, read_regular};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// How much is read of a long part between two questions about memory, at least.
const STEP: u64 = 1 << 20;

/// Bytes to be read once, from front to back. What starts like gzip is unpacked, whatever the file is called.
pub(super) struct Source<'a> {
    /// What messages call it.
    pub name: String,
    bytes: Box<dyn BufRead + 'a>,
    packed: bool,
    /// Bytes read so far, unpacked.
    at: u64,
}

impl<'a> Source<'a> {
    /// The file at `path`.
    pub fn open(path: &Path) -> Result<Self, SetError> {
        let file = path.display().to_string();
        match File::open(path).and_then(|opened| opened.metadata().map(|about| (opened, about))) {
            Ok((_, about)) if about.is_dir() => Err(TableError::IsFolder { file }.into()),
            Ok((opened, _)) => Self::new(file, opened),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                Err(TableError::NotFound { file }.into())
            }
            Err(cause) => Err(TableError::Read { file, cause }.into()),
        }
    }

    /// Any bytes, called `name` in messages.
    pub fn new(name: impl Into<String>, mut raw: impl Read + 'a) -> Result<Self, SetError> {
        let name = name.into();
        let mut start = Vec::with_capacity(2);
        raw.by_ref()
            .take(2)
            .read_to_end(&mut start)
            .map_err(|cause| TableError::Read { file: name.clone(), cause })?;
        let packed = start == [0x1f, 0x8b];
        let whole = BufReader::with_capacity(1 << 16, Cursor::new(start).chain(raw));
        let bytes: Box<dyn BufRead + 'a> = if packed {
            Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(whole)))
        } else {
            Box::new(whole)
        };
        Ok(Self { name, bytes, packed, at: 0 })
    }

    /// The next `count` bytes; `what` says what they are, should they be missing. Memory is taken as bytes arrive, so
    /// that a length which lies costs nothing.
    pub fn bytes(&mut self, count: u64, what: &str) -> Result<Vec<u8>, SetError> {
        let mut bytes = Vec::with_capacity(count.min(STEP) as usize);
        while (bytes.len() as u64) < count {
            let step = STEP.max(bytes.len() as u64).min(count - bytes.len() as u64);
            // A list that grows is there twice for a moment.
            if !bytes.is_empty() {
                check_memory(|| format!("{what} of '{}'", self.name), bytes.len() as u64 + step)?;
            }
            let found = (&mut self.bytes).take(step).read_to_end(&mut bytes);
            let found = found.map_err(|cause| self.failed(cause))? as u64;
            self.at += found;
            if found < step {
                break;
            }
        }
        if (bytes.len() as u64) < count {
            let (file, found) = (self.name.clone(), self.at);
            return Err(SetError::EndsEarly { file, found, what: what.to_string() });
        }
        Ok(bytes)
    }

    /// The next big-endian number of four bytes.
    pub fn u32_be(&mut self, what: &str) -> Result<u32, SetError> {
        Ok(self.bytes(4, what)?.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    /// The next line without its end, in `line`, which need not be text. The answer is whether there was one; one
    /// without an end is a file cut short.
    pub fn line(&mut self, line: &mut Vec<u8>, most: u64) -> Result<bool, SetError> {
        line.clear();
        let found = (&mut self.bytes).take(most).read_until(b'\n', line);
        self.at += found.map_err(|cause| self.failed(cause))? as u64;
        if line.pop_if(|&mut last| last == b'\n').is_some() {
            line.pop_if(|&mut last| last == b'\r');
            return Ok(true);
        }
        match line.len() as u64 {
            0 => Ok(false),
            len if len == most => Err(self.not("text", format!("a line has more than {most} bytes"))),
            _ => {
                let (file, found) = (self.name.clone(), self.at);
                Err(SetError::EndsEarly { file, found, what: "its last line".to_string() })
            }
        }
    }

    /// Makes sure that nothing follows, and that a packed stream agrees with its checksum.
    pub fn end(&mut self, format: &'static str) -> Result<(), SetError> {
        match self.bytes.fill_buf().map(<[u8]>::is_empty) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.not(format, format!("more follows after its {} bytes", self.at))),
            Err(cause) => Err(self.failed(cause)),
        }
    }

    /// The refusal of a file that is not of its format.
    pub fn not(&self, format: &'static str, detail: impl Into<String>) -> SetError {
        SetError::NotFormat { file: self.name.clone(), format, detail: detail.into() }
    }

    fn failed(&self, cause: io::Error) -> SetError {
        let file = self.name.clone();
        match cause.kind() {
            io::ErrorKind::UnexpectedEof if self.packed => {
                TableError::Truncated { file, codec: "gzip" }.into()
            }
            _ if self.packed => TableError::Corrupt { file, codec: "gzip", cause }.into(),
            _ => TableError::Read { file, cause }.into(),
        }
    }
}

/// All bytes of a file that has exactly `expected` of them.
pub(super) fn read_exactly(path: &Path, expected: u64) -> Result<Vec<u8>, SetError> {
    let file = path.display().to_string();
    let found = match fs::metadata(path) {
        Ok(about) if about.is_dir() => return Err(TableError::IsFolder { file }.into()),
        Ok(about) => about.len(),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
            return Err(TableError::NotFound { file }.into());
        }
        Err(cause) => return Err(TableError::Read { file, cause }.into()),
    };
    if found != expected {
        return Err(SetError::FileSize { file, found, expected });
    }
    let bytes = read_regular(path).map_err(|cause| TableError::Read { file: file.clone(), cause })?;
    // The file may have changed since it was measured.
    match bytes.len() as u64 {
        found if found != expected => Err(SetError::FileSize { file, found, expected }),
        _ => Ok(bytes),
    }
}

/// The first of `names` in `folder` that is a file, plain or with `.gz`; if none is, the plain first name, for the
/// message.
pub(super) fn either(folder: &Path, names: &[&str]) -> PathBuf {
    let candidates = names.iter().flat_map(|name| [folder.join(name), folder.join(format!("{name}.gz"))]);
    candidates.into_iter().find(|path| path.is_file()).unwrap_or_else(|| folder.join(names[0]))
}

/// `folder/inner` if that is a folder, else `folder`: sets are found in their own folder and in the one around it.
pub(super) fn inside(folder: &Path, inner: &str) -> PathBuf {
    let unpacked = folder.join(inner);
    if unpacked.is_dir() { unpacked } else { folder.to_path_buf() }
}

/// Counts the classes of `labels` and compares them with the published counts.
pub(super) fn verify(
    file: &str,
    labels: &[u8],
    classes: &[&'static str],
    published: &[usize],
) -> Result<(), SetError> {
    let count = |class: usize| labels.iter().filter(|&&label| usize::from(label) == class).count();
    for (class, (&name, &expected)) in classes.iter().zip(published).enumerate() {
        let found = count(class);
        if found != expected {
            return Err(SetError::ClassCount { file: file.to_string(), class: name, found, expected });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    #[test]
    fn packed_and_plain_bytes_read_alike() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"\0\0\x01\x02one\r\ntwo\n").unwrap();
        let packed = encoder.finish().unwrap();
        for bytes in [b"\0\0\x01\x02one\r\ntwo\n".as_slice(), &packed] {
            let mut source = Source::new("f", bytes).unwrap();
            assert_eq!(source.u32_be("a number").unwrap(), 258);
            let mut line = Vec::new();
            assert!(source.line(&mut line, 10).unwrap() && line == b"one");
            assert!(source.line(&mut line, 10).unwrap() && line == b"two");
            assert!(!source.line(&mut line, 10).unwrap());
            source.end("text").unwrap();
        }
        let message = |bytes: &[u8]| Source::new("f", bytes).unwrap().bytes(14, "all of it").unwrap_err();
        assert_eq!(
            message(&packed[..packed.len() - 9]).to_string(),
            "'f' ends in the middle of its gzip stream; copy or download it again"
        );
    }

    #[test]
    fn lengths_that_lie_cost_nothing() {
        let message = Source::new("f", b"abc".as_slice()).unwrap().bytes(u64::MAX, "the pixels").unwrap_err();
        assert_eq!(
            message.to_string(),
            "'f' ends after 3 bytes, before the end of the pixels; copy or download it again"
        );
        let mut line = Vec::new();
        let message = Source::new("f", b"abcdef".as_slice()).unwrap().line(&mut line, 4).unwrap_err();
        assert_eq!(
            message.to_string(),
            "'f' is not a sound text file: a line has more than 4 bytes; copy or download it again"
        );
    }
}
