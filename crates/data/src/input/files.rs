//! What a path leads to: a table, a folder of texts, of pictures, or of folders of either.

use super::{Input, Note};
use crate::{DataError, TableFormat};
use onesided_table::is_dash;
use onesided_table::{TableError, listed};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// What rows are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Table,
    Texts,
    Pictures,
    /// Folders of pictures, one per class.
    Classes,
    /// Folders of texts, one per class.
    TextClasses,
}

/// A folder of a class and its files.
pub(super) struct Class {
    pub name: String,
    pub folder: PathBuf,
    pub files: Vec<PathBuf>,
}

/// Folders with a folder per class.
pub(super) struct Classes {
    pub all: Vec<Class>,
    /// Which of them is the positive one.
    pub positive: usize,
}

impl Classes {
    /// The classes of a folder that have files of a kind, which `of` finds in the folder of a class. One must be called
    /// `positive`.
    pub(super) fn read(
        folder: &Path,
        follow: bool,
        of: impl Fn(&Path, Links) -> Result<Vec<PathBuf>, DataError>,
        positive: Option<&str>,
    ) -> Result<Self, DataError> {
        let links = Links::of(folder, follow);
        let mut all = Vec::new();
        for inner in list(folder, links)?.folders {
            let files = of(&inner, links)?;
            if !files.is_empty() {
                let name = inner.file_name().unwrap_or_default().to_string_lossy().into_owned();
                all.push(Class { name, folder: inner, files });
            }
        }
        let names: Vec<&String> = all.iter().map(|class| &class.name).collect();
        let (folder, classes) = (folder.display().to_string(), listed(&names, ", ", 8));
        let Some(positive) = positive else { return Err(DataError::WhichClass { folder, classes }) };
        match all.iter().position(|class| class.name == positive) {
            Some(positive) => Ok(Self { all, positive }),
            None => Err(DataError::NoSuchClass { folder, value: positive.to_string(), classes }),
        }
    }
}

/// The files and folders in a folder, hidden ones aside, in the order of their names.
#[derive(Default)]
pub(crate) struct Listing {
    pub pictures: Vec<PathBuf>,
    pub texts: Vec<PathBuf>,
    pub folders: Vec<PathBuf>,
    /// Pictures by their names, of formats that are not read.
    pub other_pictures: Vec<PathBuf>,
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

/// The files that a name with a `*` stands for (any letters but a leading dot), in the order of their names.
pub(super) fn matching(pattern: &Path) -> Vec<PathBuf> {
    let Some(name) = pattern.file_name().and_then(|name| name.to_str()).filter(|name| name.contains('*'))
    else {
        return Vec::new();
    };
    let folder = pattern.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let fits = |path: &PathBuf| {
        let found = path.file_name().and_then(|name| name.to_str());
        found.is_some_and(|found| !found.starts_with('.') && stands_for(name, found)) && path.is_file()
    };
    let of_entry = |entry: io::Result<fs::DirEntry>| Some(folder.join(entry.ok()?.file_name()));
    let mut files: Vec<PathBuf> = entries.filter_map(of_entry).filter(fits).collect();
    files.sort();
    files
}

/// Whether a pattern stands for a name: between its stars the pieces follow one another.
fn stands_for(pattern: &str, name: &str) -> bool {
    let pieces: Vec<&str> = pattern.split('*').collect();
    let [first, middle @ .., last] = pieces.as_slice() else { return pattern == name };
    let Some(rest) = name.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    let behind = |rest: &'_ str, piece: &str| rest.find(piece).map(|at| rest[at + piece.len()..].to_string());
    middle.iter().try_fold(rest.to_string(), |rest, piece| behind(&rest, piece)).is_some()
}

/// What an input is; all parts must be of one kind.
pub(super) fn kind(input: &Input, follow: bool) -> Result<Kind, DataError> {
    if matches!(input, Input::Parts(_)) {
        return Ok(Kind::Table);
    }
    let places = input.paths();
    let mut kind = kind_of(places[0], follow).map_err(|error| or_tables(error, input))?;
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
        // Files in folders of a folder are files of the folder.
        (Kind::Texts | Kind::TextClasses, Kind::Texts | Kind::TextClasses) => Ok(Kind::Texts),
        (Kind::Texts | Kind::TextClasses, _) => Err(folders_differ(other, at)),
        (_, Kind::Texts | Kind::TextClasses) => Err(folders_differ(at, other)),
        _ => Ok(Kind::Pictures),
    }
}

fn folder_and_file(folder: &Path, other: &Path) -> DataError {
    if !other.exists() && !is_dash(other) {
        return TableError::NotFound { file: other.display().to_string() }.into();
    }
    DataError::FolderAndFile { folder: folder.display().to_string(), other: other.display().to_string() }
}

fn folders_differ(pictures: &Path, texts: &Path) -> DataError {
    DataError::FoldersDiffer { pictures: pictures.display().to_string(), texts: texts.display().to_string() }
}

/// One folder that is not what files are learned from, but has tables in it: one of them was meant.
pub(super) fn or_tables(error: DataError, input: &Input) -> DataError {
    match (&error, input) {
        (DataError::OneFolder { .. } | DataError::TwoKinds { .. }, Input::One(folder)) => table_in(folder)
            .map_or(error, |table| DataError::FolderOfTables {
                folder: folder.display().to_string(),
                table: table.display().to_string(),
            }),
        _ => error,
    }
}

/// How files of pictures that can be read end.
pub(super) const PICTURES: [&str; 3] = ["png", "jpg", "jpeg"];
/// One text for so many pictures in a folder is passed over; with more of them it is not clear what was meant.
const TEXTS_AMONG_PICTURES: usize = 10;

/// The first file of a folder that is called like a table. A `.txt` may be one, but in a folder it is a text.
pub(super) fn table_in(folder: &Path) -> Option<PathBuf> {
    let files = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let is_text = |path: &PathBuf| path.extension().is_some_and(|name| name.eq_ignore_ascii_case("txt"));
    files.filter(|path| path.is_file() && TableFormat::of(path).is_some() && !is_text(path)).min()
}

pub(super) fn kind_of(path: &Path, follow: bool) -> Result<Kind, DataError> {
    if is_dash(path) {
        return Ok(Kind::Table);
    }
    if !path.is_dir() {
        return match path.try_exists() {
            Ok(false) => Err(TableError::NotFound { file: path.display().to_string() }.into()),
            // What else is wrong with a file, its reader says.
            _ => Ok(Kind::Table),
        };
    }
    let links = Links::of(path, follow);
    let Listing { pictures, texts, folders, .. } = list(path, links)?;
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match (pictures.first(), texts.first()) {
        // A note next to pictures is not what was meant by the folder.
        (Some(_), Some(_)) if texts.len() * TEXTS_AMONG_PICTURES <= pictures.len() => Ok(Kind::Pictures),
        (Some(picture), Some(text)) => Err(DataError::TwoKinds {
            folder: path.display().to_string(),
            picture: name(picture),
            text: name(text),
        }),
        (Some(_), None) => Ok(Kind::Pictures),
        (None, Some(_)) => {
            let mut inside = 0;
            for folder in &folders {
                inside += list(folder, links)?.pictures.len();
            }
            Ok(match texts.len() * TEXTS_AMONG_PICTURES <= inside {
                true => Kind::Classes,
                false => Kind::Texts,
            })
        }
        (None, None) => {
            let mut texts = false;
            for folder in &folders {
                let inner = list(folder, links)?;
                if !inner.pictures.is_empty() {
                    return Ok(Kind::Classes);
                }
                texts |= !inner.texts.is_empty();
            }
            for folder in folders.iter().filter(|_| !texts) {
                if !Listing::below(folder, links)?.pictures.is_empty() {
                    return Ok(Kind::Classes);
                }
            }
            // Folders next to a table are not what was meant by the folder.
            if texts && table_in(path).is_none() {
                return Ok(Kind::TextClasses);
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
            _ => TableError::Read { file: shown, cause }.into(),
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
            Some(extension) if PICTURES.contains(&extension) => &mut listing.pictures,
            None | Some("txt" | "html" | "htm") => &mut listing.texts,
            Some("gif" | "bmp" | "webp" | "tif" | "tiff" | "heic" | "heif" | "avif" | "jp2" | "jxl") => {
                listing.other_pictures.push(path);
                continue;
            }
            Some(_) => continue,
        };
        links.check(&path)?;
        if fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            return Err(DataError::NotRegular { file: path.display().to_string() });
        }
        if extension.is_none() && is_binary(&path) {
            continue;
        }
        list.push(path);
    }
    listing.pictures.sort();
    listing.texts.sort();
    listing.folders.sort();
    listing.other_pictures.sort();
    Ok(listing)
}

/// Whether a file is a program or the like: zero bytes at even and at odd places. A text in UTF-16 has them at one of the two.
/// What cannot be read is for the reader to name.
fn is_binary(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(512).read_to_end(&mut start));
    let zero_from = |first: usize| start.iter().skip(first).step_by(2).any(|&byte| byte == 0);
    read.is_ok() && zero_from(0) && zero_from(1)
}

impl Listing {
    /// All files of a folder and of the folders in it, however deep.
    pub(super) fn below(folder: &Path, links: Links) -> Result<Self, DataError> {
        // What is to be listed, with the number of folders above it, and those folders.
        let (mut open, mut above) = (vec![(0, folder.to_path_buf())], Vec::new());
        let mut found = Self::default();
        while let Some((depth, folder)) = open.pop() {
            above.truncate(depth);
            let place = fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone());
            // A link that leads up again would be followed forever.
            if above.contains(&place) {
                continue;
            }
            let mut inside = list(&folder, links)?;
            let folders = std::mem::take(&mut inside.folders);
            found.append(inside);
            above.push(place);
            open.extend(folders.into_iter().rev().map(|inner| (depth + 1, inner)));
        }
        Ok(found)
    }

    /// Adds the files of another folder, in its order.
    pub(super) fn append(&mut self, other: Self) {
        self.pictures.extend(other.pictures);
        self.texts.extend(other.texts);
        self.other_pictures.extend(other.other_pictures);
    }

    /// What to say of files beside pictures that are passed over: pictures of other formats, and texts.
    pub(super) fn passed_over(&self) -> Vec<Note> {
        let first = |files: &[PathBuf]| files.first().map(|first| first.display().to_string());
        let (files, texts) = (self.other_pictures.len(), self.texts.len());
        let others = first(&self.other_pictures).map(|first| Note::OtherPictures { files, first });
        let texts = first(&self.texts).map(|first| Note::TextsAmongPictures { files: texts, first });
        others.into_iter().chain(texts).collect()
    }
}
