//! Folders of texts, one file per text: in separate folders, or a folder per class.

use super::files::{Classes, Links, Listing, list};
use super::{Dataset, Encoding, InputOptions, Note, TextInput};
use crate::label::apart;
use crate::text::{looks_like_html, strip_html};
use crate::{DataError, check_memory};
use onesided_table::TextColumn;
use onesided_table::read_regular;
use onesided_table::{Decoded, ReadAs, TableError, TextEncoding, decode};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many bytes of small files are read between two questions about memory.
const STEP: u64 = 16 << 20;

/// Texts of a folder, with the names of their files.
pub(super) struct Folder {
    pub names: TextColumn,
    pub texts: Vec<String>,
    pub notes: Vec<Note>,
}

/// Folders of positives, of unlabeled texts and maybe of negatives, from which terms are learned.
pub(super) fn read(options: &InputOptions, folders: &[&Path]) -> Result<Dataset, DataError> {
    let parts = folders
        .iter()
        .map(|folder| read_folder(folder, options.files.encoding, options.files.follow_links))
        .collect::<Result<Vec<Folder>, DataError>>()?;
    let count = |at: usize| parts.get(at).map_or(0, |part| part.texts.len());
    let labels = apart(count(0), count(1), count(2));
    let texts: Vec<&String> = parts.iter().flat_map(|part| &part.texts).collect();
    let (text, rows) = options.text_options().fit_transform(&texts)?;
    let encoding = Encoding::Text(TextInput { columns: Vec::new(), text });
    let names = parts.iter().flat_map(|part| part.names.iter()).collect();
    let data = Dataset::new(rows.into(), Arc::new(encoding)).with_labels(labels)?.with_ids("file", names)?;
    Ok(data.with_notes(parts.into_iter().flat_map(|part| part.notes)).with_copies_noted())
}

/// One folder with a folder per class.
pub(super) fn read_classes(options: &InputOptions, folder: &Path) -> Result<Dataset, DataError> {
    options.check_folders(folder)?;
    let texts = |inner: &Path, links: Links| Ok(list(inner, links)?.texts);
    let classes =
        Classes::read(folder, options.files.follow_links, texts, options.roles.positive.as_deref())?;
    let positive = &classes.all[classes.positive].folder;
    let inside = texts_of(folder, options.files.follow_links)?;
    let truth = inside.iter().map(|path| path.parent() == Some(positive)).collect();
    let Folder { names, texts, notes } = read_texts(folder, inside, options.files.encoding)?;
    let (text, rows) = options.text_options().fit_transform(&texts)?;
    let encoding = Encoding::Text(TextInput { columns: Vec::new(), text });
    let data = Dataset::new(rows.into(), Arc::new(encoding)).with_class(truth)?;
    Ok(data.with_ids("file", names)?.with_notes(notes))
}

/// The texts of a folder in the order of their names; of the folders in it, where it has no texts itself.
fn texts_of(folder: &Path, follow: bool) -> Result<Vec<PathBuf>, DataError> {
    let links = Links::of(folder, follow);
    let refused = |inner: &PathBuf| DataError::FolderInFolder { path: inner.display().to_string() };
    let Listing { texts, folders, .. } = list(folder, links)?;
    if !texts.is_empty() {
        return folders.first().map_or(Ok(texts), |inner| Err(refused(inner)));
    }
    let mut below = Vec::new();
    for inner in folders {
        let Listing { texts, folders, .. } = list(&inner, links)?;
        if let Some(deeper) = folders.first() {
            return Err(refused(deeper));
        }
        below.extend(texts);
    }
    Ok(below)
}

/// Reads every text of a folder, or of the folders in it.
pub(super) fn read_folder(
    folder: &Path,
    encoding: Option<TextEncoding>,
    follow: bool,
) -> Result<Folder, DataError> {
    read_texts(folder, texts_of(folder, follow)?, encoding)
}

/// The text of a file. HTML loses its tags.
pub fn text_of_file(path: &Path, encoding: Option<TextEncoding>) -> Result<Decoded, DataError> {
    let bytes =
        read_regular(path).map_err(|cause| TableError::Read { file: path.display().to_string(), cause })?;
    let decoded = decode(bytes, encoding);
    let html = path.extension().is_some_and(|extension| {
        extension.eq_ignore_ascii_case("html") || extension.eq_ignore_ascii_case("htm")
    });
    Ok(match html || looks_like_html(&decoded.text) {
        true => Decoded { text: strip_html(&decoded.text), ..decoded },
        false => decoded,
    })
}

/// Reads texts, which are named as seen from the folder.
fn read_texts(
    folder: &Path,
    paths: Vec<PathBuf>,
    encoding: Option<TextEncoding>,
) -> Result<Folder, DataError> {
    let (mut names, mut texts) = (TextColumn::default(), Vec::with_capacity(paths.len()));
    let (mut others, mut malformed) = (0, 0);
    let mut unasked = 0u64;
    for path in &paths {
        if unasked > STEP {
            check_memory(|| format!("the texts of '{}'", folder.display()), STEP)?;
            unasked = 0;
        }
        let decoded = text_of_file(path, encoding)?;
        unasked += decoded.text.len() as u64;
        others += usize::from(decoded.read_as == ReadAs::Fallback);
        malformed += usize::from(decoded.malformed > 0);
        texts.push(decoded.text);
        names.push(&path.strip_prefix(folder).unwrap_or(path).to_string_lossy());
    }
    if texts.is_empty() {
        return Err(DataError::NothingToRead { folder: folder.display().to_string() });
    }
    let (all, folder) = (texts.len(), folder.display().to_string());
    let mut notes = Vec::new();
    if others > 0 {
        let encoding = ReadAs::Fallback.encoding();
        notes.push(Note::OtherEncoding { files: others, all, folder: folder.clone(), encoding });
    }
    if malformed > 0 {
        notes.push(Note::Malformed { files: malformed, all, folder });
    }
    Ok(Folder { names, texts, notes })
}
