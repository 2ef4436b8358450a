//! Paths that are not regular files: standard input and output, pipes and devices.

use crate::check_memory;
use std::fs;
use std::io;
use std::path::Path;

/// Whether a path means standard input or output: `-`.
pub fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether a path means standard output: `-`, or its device.
pub fn is_standard_output(path: &Path) -> bool {
    is_dash(path)
        || ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// Whether what a path leads to has no name that tells its format: standard input or output, a pipe or a device.
pub fn is_stream(path: &Path) -> bool {
    let devices = ["/dev", "/proc"].iter().any(|folder| path.starts_with(folder));
    is_dash(path) || devices || fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// The bytes of a regular file, if there is memory for them. A pipe, which might never end, or a device is refused.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    match fs::metadata(path)? {
        about if about.is_file() || about.is_dir() => {
            check_memory(|| format!("'{}'", path.display()), about.len()).map_err(io::Error::other)?;
            fs::read(path)
        }
        _ => Err(io::Error::other("it is a pipe or a device, not a regular file")),
    }
}
