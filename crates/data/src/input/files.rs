//! What a path leads to: a table, a folder of texts, of pictures, or of folders of pictures.

use super::Input;
use crate::place::is_dash;
use crate::{DataError, TableFormat};
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

/// Which links are followed in a folder.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Links<'a> {
    /// All.
    All,
    /// Those that lead to something in this folder.
    Within(&'a Path),
}

impl<'a> Links<'a> {
    /// Links of files in `root`, or in folders of it.
    pub(super) fn of(root: &'a Path, follow: bool) -> Self {
        if follow { Links::All } else { Links::Within(root) }
    }

    /// Refuses a link that leads out of the folder. One that leads nowhere is for the reader to name.
    fn check(self, path: &Path) -> Result<(), DataError> {
        let Links::Within(root) = self else { return Ok(()) };
        if !fs::symlink_metadata(path).is_ok_and(|about| about.is_symlink()) {
            return Ok(());
        }
        match (fs::canonicalize(path), fs::canonicalize(root)) {
            (Ok(target), Ok(root)) if !target.starts_with(&root) => {
                Err(DataError::LinkOut { file: path.display().to_string() })
            }
            _ => Ok(()),
        }
    }
}

/// What an input is; all parts must be of one kind.
pub(super) fn kind(input: &Input, follow: bool) -> Result<Kind, DataError> {
    let places = input.paths();
    let mut kind = kind_of(places[0], follow)?;
    for other in &places[1..] {
        kind = both(kind, places[0], kind_of(other, follow)?, other)?;
    }
    Ok(kind)
}

fn both(first: Kind, at: &Path, second: Kind, other: &Path) -> Result<Kind, DataError> {
    match (first, second) {
        (first, second) if first == second => Ok(first),
        (Kind::Table, _) => Err(folder_and_file(other, at)),
        (_, Kind::Table) => Err(folder_and_file(at, other)),
        (Kind::Texts, _) => Err(folders_differ(other, at)),
        (_, Kind::Texts) => Err(folders_differ(at, other)),
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

/// The first file of a folder that is called like a table.
fn table_in(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    files.filter(|path| path.is_file() && TableFormat::of(path).is_some()).min()
}

pub(super) fn kind_of(path: &Path, follow: bool) -> Result<Kind, DataError> {
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
    let links = Links::of(path, follow);
    let Listing { pictures, texts, folders } = list(path, links)?;
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
                if !list(&folder, links)?.pictures.is_empty() {
                    return Ok(Kind::Classes);
                }
            }
            let folder = path.display().to_string();
            Err(match table_in(path) {
                Some(table) => DataError::FolderOfTables { folder, table: table.display().to_string() },
                None => DataError::NothingToRead { folder },
            })
        }
    }
}

/// What a folder holds. Files that are neither pictures nor texts by their names are passed over.
pub(crate) fn list(folder: &Path, links: Links) -> Result<Listing, DataError> {
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
            links.check(&path)?;
            listing.folders.push(path);
            continue;
        }
        let list = match extension.as_deref() {
            Some("png" | "jpg" | "jpeg") => &mut listing.pictures,
            None | Some("txt" | "html" | "htm") => &mut listing.texts,
            Some(_) => continue,
        };
        links.check(&path)?;
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
pub(super) fn pictures_below(folder: &Path, follow: bool) -> Result<Vec<PathBuf>, DataError> {
    let links = Links::of(folder, follow);
    let Listing { mut pictures, folders, .. } = list(folder, links)?;
    for inner in folders {
        pictures.extend(list(&inner, links)?.pictures);
    }
    Ok(pictures)
}
