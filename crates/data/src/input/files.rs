//! What a path leads to: a table, a folder of texts, of pictures, or of folders of pictures.

use super::Input;
use crate::DataError;
use crate::place::is_dash;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What rows are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Table,
    Texts,
    Pictures,
    /// Folders of pictures, one per class.
    Classes,
}

/// The files and folders in a folder, hidden ones aside, in the order of their names.
#[derive(Default)]
pub(crate) struct Listing {
    pub pictures: Vec<PathBuf>,
    pub texts: Vec<PathBuf>,
    pub folders: Vec<PathBuf>,
}

/// What an input is; both parts must be of one kind.
pub(super) fn kind(input: &Input) -> Result<Kind, DataError> {
    let (positives, unlabeled) = match input {
        Input::One(path) => return kind_of(path),
        Input::Two { positives, unlabeled } => (positives, unlabeled),
    };
    match (kind_of(positives)?, kind_of(unlabeled)?) {
        (first, second) if first == second => Ok(first),
        (Kind::Table, _) => Err(folder_and_file(unlabeled, positives)),
        (_, Kind::Table) => Err(folder_and_file(positives, unlabeled)),
        (Kind::Texts, _) => Err(folders_differ(unlabeled, positives)),
        (_, Kind::Texts) => Err(folders_differ(positives, unlabeled)),
        // Pictures in folders of a folder are pictures.
        _ => Ok(Kind::Pictures),
    }
}

fn folder_and_file(folder: &Path, other: &Path) -> DataError {
    if !other.exists() && !is_dash(other) {
        return DataError::NotFound { file: other.display().to_string() };
    }
    DataError::FolderAndFile { folder: folder.display().to_string(), other: other.display().to_string() }
}

fn folders_differ(pictures: &Path, texts: &Path) -> DataError {
    DataError::FoldersDiffer { pictures: pictures.display().to_string(), texts: texts.display().to_string() }
}

pub(super) fn kind_of(path: &Path) -> Result<Kind, DataError> {
    if is_dash(path) {
        return Ok(Kind::Table);
    }
    if !path.is_dir() {
        return match path.try_exists() {
            Ok(false) => Err(DataError::NotFound { file: path.display().to_string() }),
            // What else is wrong with a file, its reader says.
            _ => Ok(Kind::Table),
        };
    }
    let Listing { pictures, texts, folders } = list(path)?;
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match (pictures.first(), texts.first()) {
        (Some(picture), Some(text)) => Err(DataError::TwoKinds {
            folder: path.display().to_string(),
            picture: name(picture),
            text: name(text),
        }),
        (Some(_), None) => Ok(Kind::Pictures),
        (None, Some(_)) => Ok(Kind::Texts),
        (None, None) => {
            for folder in folders {
                if !list(&folder)?.pictures.is_empty() {
                    return Ok(Kind::Classes);
                }
            }
            Err(DataError::NothingToRead { folder: path.display().to_string() })
        }
    }
}

/// What a folder holds. Files that are neither pictures nor texts by their names are passed over.
pub(crate) fn list(folder: &Path) -> Result<Listing, DataError> {
    let refused = |cause: io::Error| {
        let shown = folder.display().to_string();
        match cause.kind() {
            io::ErrorKind::NotFound => DataError::NoFolder { folder: shown },
            _ => DataError::Read { file: shown, cause },
        }
    };
    let mut listing = Listing::default();
    for entry in fs::read_dir(folder).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.')) {
            continue;
        }
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        if path.is_dir() {
            listing.folders.push(path);
            continue;
        }
        let list = match extension.as_deref() {
            Some("png" | "jpg" | "jpeg") => &mut listing.pictures,
            None | Some("txt" | "html" | "htm") => &mut listing.texts,
            Some(_) => continue,
        };
        if fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            return Err(DataError::NotRegular { file: path.display().to_string() });
        }
        list.push(path);
    }
    listing.pictures.sort();
    listing.texts.sort();
    listing.folders.sort();
    Ok(listing)
}

/// All pictures of a folder and of those in it.
pub(super) fn pictures_below(folder: &Path) -> Result<Vec<PathBuf>, DataError> {
    let Listing { mut pictures, folders, .. } = list(folder)?;
    for inner in folders {
        pictures.extend(list(&inner)?.pictures);
    }
    Ok(pictures)
}
