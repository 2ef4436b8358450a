//! Files that are written whole or not at all: under a temporary name first, then renamed.
//!
//! A temporary file is locked while it is written. One that nobody holds was left by a process that was killed, and whoever
//! next writes the same target removes it. Its name does not depend on how long the target's is.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Who may read a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Those who may read what it replaces; if that is nothing, whoever the system lets.
    Usual,
    /// Its owner alone, whatever it replaces.
    Owner,
}

/// Temporary files of this process that are being written.
static WRITING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary files that are being written and ends the process. Threads that would open others, or rename theirs,
/// wait until it is gone.
pub fn end_process(code: i32) -> ! {
    let _held = remove_temporaries(Path::new(""));
    std::process::exit(code)
}

/// The list of what is being written, held so that nobody adds to it.
fn writing() -> MutexGuard<'static, Vec<PathBuf>> {
    // A thread that panicked while it held the list left it whole.
    WRITING.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Removes what is being written below a folder; everything is below the empty path.
fn remove_temporaries(below: &Path) -> MutexGuard<'static, Vec<PathBuf>> {
    let writing = writing();
    writing.iter().filter(|path| path.starts_with(below)).for_each(|path| {
        let _ = fs::remove_file(path);
    });
    writing
}

/// Does work in a few system calls that [`end_process`] does not come between.
pub(crate) fn unbroken<T>(work: impl FnOnce() -> T) -> T {
    let _held = writing();
    work()
}

/// The name of a temporary file, removed when dropped, be it by an error or a panic.
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    /// A locked file next to `target`.
    pub fn beside(target: &Path, access: Access) -> io::Result<(Self, File)> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let start = format!(".onesided-{:016x}.", fnv(name.as_encoded_bytes()));
        sweep(target, &start);
        loop {
            let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
            let path = target.with_file_name(format!("{start}{}-{unique}.tmp", std::process::id()));
            let (temporary, file) = Self::open(path, access)?;
            // Where a file system knows no locks, nobody sweeps, either.
            let _ = file.lock();
            // Another process may have taken it for a stale one before it was locked.
            if temporary.0.exists() {
                if let (Access::Usual, Ok(about)) = (access, fs::metadata(target)) {
                    fs::set_permissions(&temporary.0, about.permissions())?;
                }
                return Ok((temporary, file));
            }
        }
    }

    fn open(path: PathBuf, access: Access) -> io::Result<(Self, File)> {
        let mut writing = writing();
        let file = open_new(&path, access)?;
        writing.push(path.clone());
        Ok((Self(path), file))
    }

    /// Gives the finished file its name.
    pub fn rename(self, target: &Path) -> io::Result<()> {
        unbroken(|| fs::rename(&self.0, target))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After a rename there is nothing left to remove, and nobody to tell if removing fails.
        let _ = fs::remove_file(&self.0);
        writing().retain(|path| *path != self.0);
    }
}

fn open_new(path: &Path, access: Access) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if access == Access::Owner {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = access;
    options.open(path)
}

/// Removes what killed processes left of earlier writes to the same target, once for each target.
fn sweep(target: &Path, start: &str) {
    static SWEPT: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let mut swept = SWEPT.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !swept.get_or_insert_default().insert(target.to_path_buf()) {
        return;
    }
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name.to_str().is_some_and(|name| name.starts_with(start) && name.ends_with(".tmp"));
        let regular = entry.file_type().is_ok_and(|kind| kind.is_file());
        if ours
            && regular
            && OpenOptions::new().write(true).open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// FNV-1a.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("onesided-temporary-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let all =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        all.collect()
    }

    #[test]
    fn what_nobody_holds_is_swept_and_what_is_written_stays() {
        let folder = folder("sweep");
        let target = folder.join("model");
        let (held, file) = Temporary::beside(&target, Access::Usual).unwrap();
        let held_name = held.0.file_name().unwrap().to_str().unwrap().to_string();
        let start = held_name.split('.').nth(1).unwrap();
        fs::write(folder.join(format!(".{start}.99999-0.tmp")), "left by a killed process").unwrap();
        fs::write(folder.join(".onesided-0123456789abcdef.99999-0.tmp"), "of another target").unwrap();
        // The same target by another name, as another process would see it for the first time.
        fs::create_dir(folder.join("inner")).unwrap();
        let again = folder.join("inner").join("..").join("model");
        let (second, _file) = Temporary::beside(&again, Access::Usual).unwrap();
        let left = names(&folder);
        assert!(left.contains(&held_name) && left.len() == 4, "{left:?}");
        drop((held, second, file));
        fs::remove_dir(folder.join("inner")).unwrap();
        assert_eq!(names(&folder), [".onesided-0123456789abcdef.99999-0.tmp"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_what_is_replaced_or_the_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("mode");
        let target = folder.join("model");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (temporary, _file) = Temporary::beside(&target, Access::Owner).unwrap();
        assert_eq!(mode(&temporary.0), 0o600);
        temporary.rename(&target).unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        let (temporary, _file) = Temporary::beside(&target, Access::Usual).unwrap();
        temporary.rename(&target).unwrap();
        assert_eq!(mode(&target), 0o640);
        let (temporary, _file) = Temporary::beside(&target, Access::Owner).unwrap();
        temporary.rename(&target).unwrap();
        assert_eq!(mode(&target), 0o600);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_process_that_ends_at_once_takes_its_files_along() {
        let folder = folder("end");
        let (_temporary, _file) = Temporary::beside(&folder.join("model"), Access::Usual).unwrap();
        assert_eq!(names(&folder).len(), 1);
        // Other tests of this process write, too.
        drop(remove_temporaries(&folder));
        assert_eq!(names(&folder).len(), 0);
        fs::remove_dir_all(folder).unwrap();
    }
}
