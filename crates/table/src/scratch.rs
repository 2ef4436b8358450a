//! A temporary file without a name, for what does not fit into memory.
//!
//! On Unix its name is removed as soon as it is open, so nothing stays behind however the process ends. Elsewhere the name
//! goes when the file is dropped. Readers have places of their own.

use crate::temporary::unbroken;
use std::env;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is written once, front to back, and read from any place.
#[derive(Debug)]
pub(crate) struct Scratch {
    file: Arc<Held>,
    length: u64,
}

#[derive(Debug)]
struct Held {
    file: File,
    /// The name, where it must be removed at the end.
    path: Option<PathBuf>,
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nobody is left to tell if this fails.
            let _ = fs::remove_file(path);
        }
    }
}

/// Reads a [`Scratch`] from a place on.
#[derive(Clone, Debug)]
pub(crate) struct ScratchReader {
    file: Arc<Held>,
    at: u64,
    end: u64,
}

impl Scratch {
    /// An empty file in `folder`, or in the system's folder for temporary files.
    pub(crate) fn new(folder: Option<&Path>) -> io::Result<Self> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let folder = folder.map_or_else(env::temp_dir, Path::to_path_buf);
        let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".onesided.{}-{unique}.tmp", std::process::id()));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let (file, path) = unbroken(|| {
            let file = options.open(&path)?;
            let path = if cfg!(unix) && fs::remove_file(&path).is_ok() { None } else { Some(path) };
            io::Result::Ok((file, path))
        })?;
        Ok(Self { file: Arc::new(Held { file, path }), length: 0 })
    }

    /// How many bytes it holds.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// The bytes from `start` to `end`.
    pub fn reader(&self, start: u64, end: u64) -> ScratchReader {
        ScratchReader { file: self.file.clone(), at: start, end: end.min(self.length) }
    }
}

impl ScratchReader {
    /// The same bytes, from another place on.
    pub fn from(&self, at: u64) -> Self {
        Self { at, ..self.clone() }
    }

    /// Where they end.
    pub fn end(&self) -> u64 {
        self.end
    }
}

impl Write for Scratch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = (&self.file.file).write(bytes)?;
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.file.file).flush()
    }
}

impl Read for ScratchReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX).min(buffer.len());
        let read = read_at(&self.file.file, &mut buffer[..most], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_have_places_of_their_own_and_nothing_is_left() {
        let folder = env::temp_dir().join(format!("onesided-scratch-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut scratch = Scratch::new(Some(&folder)).unwrap();
        scratch.write_all(b"0123456789").unwrap();
        let (mut first, mut second) = (scratch.reader(0, 4), scratch.reader(2, 99));
        let mut one = [0; 1];
        first.read_exact(&mut one).unwrap();
        let mut rest = String::new();
        second.read_to_string(&mut rest).unwrap();
        assert_eq!((one, rest.as_str(), scratch.len()), (*b"0", "23456789", 10));
        rest.clear();
        first.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "123");
        drop((scratch, first, second));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::remove_dir_all(folder).unwrap();
    }
}
