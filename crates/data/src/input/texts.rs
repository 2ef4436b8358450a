//! Folders of texts: one file per text.

use super::files::{Links, Listing, list};
use super::{Dataset, Encoding, InputOptions, Note, TextInput};
use crate::decode::{ReadAs, TextEncoding, decode};
use crate::frame::TextColumn;
use crate::label::apart;
use crate::place::read_regular;
use crate::text::{looks_like_html, strip_html};
use crate::{DataError, check_memory};
use std::path::Path;
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
        .map(|folder| read_folder(folder, options.encoding, options.follow_links))
        .collect::<Result<Vec<Folder>, DataError>>()?;
    let count = |at: usize| parts.get(at).map_or(0, |part| part.texts.len());
    let labels = apart(count(0), count(1), count(2));
    let texts: Vec<&String> = parts.iter().flat_map(|part| &part.texts).collect();
    let (text, rows) = options.text_options().fit_transform(&texts)?;
    let encoding = Encoding::Text(TextInput { columns: Vec::new(), text });
    let names = parts.iter().flat_map(|part| part.names.iter()).collect();
    let data = Dataset::new(rows.into(), Arc::new(encoding)).with_labels(labels)?.with_ids("file", names)?;
    Ok(data.with_notes(parts.into_iter().flat_map(|part| part.notes)))
}

/// Reads every text of a folder in the order of their names. HTML loses its tags.
pub(super) fn read_folder(
    folder: &Path,
    encoding: Option<TextEncoding>,
    follow: bool,
) -> Result<Folder, DataError> {
    let Listing { texts: paths, folders, .. } = list(folder, Links::of(folder, follow))?;
    if let Some(inner) = folders.first() {
        return Err(DataError::FolderInFolder { path: inner.display().to_string() });
    }
    let (mut names, mut texts) = (TextColumn::default(), Vec::with_capacity(paths.len()));
    let (mut others, mut malformed) = (0, 0);
    let mut unasked = 0u64;
    for path in &paths {
        if unasked > STEP {
            check_memory(|| format!("the texts of '{}'", folder.display()), STEP)?;
            unasked = 0;
        }
        let bytes = read_regular(path)
            .map_err(|cause| DataError::Read { file: path.display().to_string(), cause })?;
        unasked += bytes.len() as u64;
        let decoded = decode(bytes, encoding);
        others += usize::from(decoded.read_as == ReadAs::Fallback);
        malformed += usize::from(decoded.malformed > 0);
        let html = path.extension().is_some_and(|extension| {
            extension.eq_ignore_ascii_case("html") || extension.eq_ignore_ascii_case("htm")
        });
        texts.push(match html || looks_like_html(&decoded.text) {
            true => strip_html(&decoded.text),
            false => decoded.text,
        });
        names.push(&path.file_name().unwrap_or_default().to_string_lossy());
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
