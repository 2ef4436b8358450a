//! Output files are looked at before any work is done: an hour of training must not end at a folder that is not there.

use crate::failure::Failure;
use onesided::data::{TableFormat, WriteAs, followed};
use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
#[cfg(unix)]
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// Refuses an output that could not be written, or that is one of the inputs. Leaves nothing behind.
pub fn check(out: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    let cannot = |why: &str| Err(Failure::input(format!("cannot write '{}': {why}", out.display())));
    if out.as_os_str().is_empty() || out.file_name().is_none() {
        return cannot("it names no file");
    }
    let target = place(out);
    if target.is_some() && inputs.iter().any(|input| place(input) == target) {
        return cannot("it is another file of this command, which would be lost; choose another name");
    }
    match fs::metadata(out) {
        Ok(about) if about.is_dir() => return cannot("it is a folder; name a file inside it"),
        Ok(about) if about.is_file() && about.permissions().readonly() => {
            return cannot("the file is read-only; choose another name, or let it be written");
        }
        // A pipe that is opened and closed again would be at its end for its reader.
        Ok(about) if is_pipe(&about) => return Ok(()),
        // A device: opening is all that can be asked of it.
        Ok(about) if !about.is_file() => {
            return match OpenOptions::new().write(true).open(out) {
                Ok(_) => Ok(()),
                Err(error) => cannot(&error.to_string()),
            };
        }
        _ => {}
    }
    let target = followed(out);
    if target.is_symlink() {
        return cannot("it is a link that leads nowhere");
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    };
    match fs::metadata(&folder) {
        Ok(about) if !about.is_dir() => cannot(&format!("'{}' is not a folder", folder.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            cannot(&format!("there is no folder '{}'; make it first", folder.display()))
        }
        Err(error) => cannot(&format!("its folder '{}' cannot be used ({error})", folder.display())),
        Ok(_) => match probe(&folder) {
            Ok(()) => Ok(()),
            Err(error) => {
                cannot(&format!("no file can be made in its folder '{}' ({error})", folder.display()))
            }
        },
    }
}

/// Refuses a file that goes with an output if it is one of the inputs.
pub fn check_beside(beside: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    let target = place(beside);
    if target.is_some() && inputs.iter().any(|input| place(input) == target) {
        Err(Failure::input(format!(
            "'{}' is another file of this command, and goes with the output of that name; choose another name for the output",
            beside.display()
        )))
    } else {
        Ok(())
    }
}

#[cfg(unix)]
fn is_pipe(about: &fs::Metadata) -> bool {
    about.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &fs::Metadata) -> bool {
    false
}

/// Where a path leads, also for a file that is not there yet: its folder's true name and its own.
fn place(path: &Path) -> Option<PathBuf> {
    let path = &followed(path);
    fs::canonicalize(path).ok().or_else(|| {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        Some(fs::canonicalize(folder).ok()?.join(path.file_name()?))
    })
}

/// Whether a file can be made in the folder, which permissions alone do not tell.
fn probe(folder: &Path) -> std::io::Result<()> {
    let path = folder.join(format!(".onesided-probe.{}.tmp", std::process::id()));
    OpenOptions::new().write(true).create_new(true).open(&path)?;
    fs::remove_file(&path)
}

/// Refuses what exists and is not a regular file, such as a pipe: a checkpoint is read again.
pub fn check_regular(out: &Path) -> Result<(), Failure> {
    match fs::metadata(out) {
        Ok(about) if !about.is_file() && !about.is_dir() => Err(Failure::input(format!(
            "'{}' is a pipe or a device, and a checkpoint must be a regular file; choose another name",
            out.display()
        ))),
        _ => Ok(()),
    }
}

/// Refuses an extension that no writer knows, before any row is read.
pub fn check_table(out: &Path, format: Option<TableFormat>) -> Result<(), Failure> {
    // That it is a folder is said elsewhere, and says more.
    if out.is_dir() {
        return Ok(());
    }
    let how = WriteAs { format, ..WriteAs::default() };
    if how.format_of(out).is_some() {
        return Ok(());
    }
    let file = out.display().to_string();
    Err(onesided::data::TableError::WriteExtension { file }.into())
}

/// Refuses a picture whose name does not say SVG or PNG; a device or a pipe may have any name.
pub fn check_picture(out: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    check(out, inputs)?;
    let known = has_extension(out, "svg") || has_extension(out, "png");
    if known || !out.metadata().map_or(true, |about| about.is_file()) {
        return Ok(());
    }
    Err(Failure::input(format!(
        "cannot write '{}': pictures are SVG or PNG; choose a name that ends in .svg or .png",
        out.display()
    )))
}

/// Whether a file's name ends in the extension, in any case.
pub fn has_extension(file: &Path, extension: &str) -> bool {
    file.extension().is_some_and(|of_file| of_file.eq_ignore_ascii_case(extension))
}
