//! The file of [`KnownRows`] next to a model: its bytes, and how the two are written and read as one.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `onesrows` |
//! | 4 | version: 1, 2 where labels came from a column, or 3 where a column names rows; all numbers are little-endian |
//! | 4 | who scored: 0 the method itself, 1 the models that the share of positives was estimated with |
//! | 8 | the fingerprint of the model file it belongs to |
//! | 8 | the salt of the fingerprints of rows |
//! | 8 | n, the number of rows |
//! | 8 n | fingerprints, ascending |
//! | 4 n | scores (logits at the population's prior), NaN where a row has none out of fold; equal rows have the same |
//! | n | 0 unlabeled, 1 labeled positive, 2 known negative |
//! | 4 + l | in version 2: l and a JSON document of l bytes, the name of the label column and what its cells mean |
//! | 4 + l | in version 3: l and a JSON document of l bytes, `label` with the same or null, and `name`, the column that names rows |
//! | 8 m | in version 3: a fingerprint of the name of each of the m rows that are equal to one of another kind |
//! | 4 | CRC-32 of all that comes before |
//!
//! There is no cell of a row, no name as it is written and no order of rows in it. The salt is another one for each model, so that two files do not tell
//! whether two models met the same row. Who has the file can still test whether a row that they have in full was among those, and in
//! version 3 whether a name was among those of rows that are equal to one of another kind.
//!
//! Model and rows are two files, and a system renames one at a time. So the rows come first, together with those of the model that is
//! there: for a moment the file has two such sections, one behind the other. Then the model is renamed, then the rows of the former
//! one are dropped. A reader takes the section that belongs to the bytes of the model it has read, and reads the model once more if
//! there is none. Whoever ends when, either model finds its own rows. Writers wait for one another by a lock on the folder.

use crate::known_rows::{KnownRows, RowKind, ScoredBy};
use crate::{Error, Model, file};
use onesided_data::{
    Fingerprint, LabelColumn, RowNames, TableError, is_stream, write_atomically, write_privately,
};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"onesrows";
const VERSION: u32 = 3;
const HEAD: usize = 40;
/// Bytes of a row.
const ROW: usize = 13;
/// Bytes of the longest name of a file.
const LONGEST_NAME: usize = 255;
/// How often a model is read that others replace all the while.
const TRIES: usize = 100;

/// Why the file next to a model is unusable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RowsFileError {
    /// There is none.
    #[error("'{0}', which was written next to the model, is not there; copy it, too")]
    Missing(String),
    /// The model comes from its bytes alone.
    #[error(
        "the bytes of a model file do not hold the rows; save and load the model, or pickle it, to keep them"
    )]
    BytesAlone,
    /// It cannot be read.
    #[error("'{file}' cannot be read: {cause}")]
    Unreadable {
        /// The file.
        file: String,
        /// The reason.
        cause: io::Error,
    },
    /// It holds something else, or is cut short, or a bit of it has changed.
    #[error("'{0}' is damaged, or no file of a model's rows")]
    Damaged(String),
    /// A later version.
    #[error("'{file}' has format version {version}, and this onesided reads up to {VERSION}")]
    Newer {
        /// The file.
        file: String,
        /// Its version.
        version: u32,
    },
    /// It was written with another model.
    #[error("'{0}' belongs to another model")]
    Foreign(String),
}

impl RowsFileError {
    /// Whether there are no rows, rather than some of no use.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Missing(_) | Self::BytesAlone)
    }
}

/// The file of a model's rows: the name of the model file with `.rows` behind it.
pub fn rows_file(model: &Path) -> PathBuf {
    let mut name = OsString::from(model);
    name.push(".rows");
    name.into()
}

impl KnownRows {
    /// The file next to a model, checked to belong to it.
    pub fn beside(model: &Path) -> Result<Self, RowsFileError> {
        let name = rows_file(model).display().to_string();
        let bytes = fs::read(model).map_err(|cause| unreadable(&name, cause))?;
        Self::beside_bytes(model, &bytes)
    }

    /// The file next to the model of a path, checked to belong to the one with these bytes.
    fn beside_bytes(path: &Path, model: &[u8]) -> Result<Self, RowsFileError> {
        let path = rows_file(path);
        let name = path.display().to_string();
        if is_too_long(&path) {
            return Err(RowsFileError::Missing(name));
        }
        let about = fs::metadata(&path).map_err(|cause| unreadable(&name, cause))?;
        if !about.is_file() {
            return Err(RowsFileError::Damaged(name));
        }
        // As bytes, as what they hold, and as what is found of them.
        onesided_data::check_memory(|| format!("the rows '{name}'"), 3 * about.len())
            .map_err(|cause| unreadable(&name, io::Error::other(cause.to_string())))?;
        let bytes = fs::read(&path).map_err(|cause| unreadable(&name, cause))?;
        Self::of_bytes(&bytes, model, &name)
    }

    /// The rows from [their bytes](Self::to_bytes), checked to belong to the model with these bytes. `name` is what errors call
    /// them.
    pub fn of_bytes(bytes: &[u8], model: &[u8], name: &str) -> Result<Self, RowsFileError> {
        let ours = Fingerprint::default().of_bytes(model).number();
        let sections = sections(bytes, name)?;
        let own = sections.into_iter().find(|section| section.model == ours);
        let own = own.ok_or_else(|| RowsFileError::Foreign(name.to_string()))?;
        own.rows().ok_or_else(|| RowsFileError::Damaged(name.to_string()))
    }

    /// The bytes of the file next to a model with these bytes.
    pub fn to_bytes(&self, model: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + ROW * self.len() + 4);
        bytes.extend_from_slice(MAGIC);
        let version: u32 = match (&self.named, &self.label) {
            (Some(_), _) => 3,
            (None, Some(_)) => 2,
            (None, None) => 1,
        };
        let by: u32 = if self.by == ScoredBy::Prior { 1 } else { 0 };
        [version, by].iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        let numbers = [Fingerprint::default().of_bytes(model).number(), self.salt, self.len() as u64];
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        self.fingerprints.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        self.scores.iter().for_each(|score| bytes.extend(score.to_le_bytes()));
        bytes.extend(self.kinds.iter().map(|kind| match kind {
            RowKind::Positive => 1u8,
            RowKind::Negative => 2,
            RowKind::New | RowKind::Unlabeled | RowKind::Ambiguous => 0,
        }));
        let document = match (&self.named, &self.label) {
            (Some(named), label) => {
                serde_json::to_vec(&Columns { label: label.clone(), name: named.column.clone() })
            }
            (None, Some(label)) => serde_json::to_vec(label),
            (None, None) => Ok(Vec::new()),
        };
        let document = document.unwrap_or_default();
        if version > 1 {
            bytes.extend((document.len() as u32).to_le_bytes());
            bytes.extend(document);
        }
        if let Some(named) = &self.named {
            let names = self.mixed().into_iter().flat_map(|group| &named.prints[group]);
            names.for_each(|print| bytes.extend(print.to_le_bytes()));
        }
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }
}

/// The columns that tell rows apart, in version 3.
#[derive(serde::Serialize, serde::Deserialize)]
struct Columns {
    label: Option<LabelColumn>,
    name: String,
}

/// The rows of one model, in the bytes of a file.
struct Section<'b> {
    model: u64,
    version: u32,
    /// All of it.
    bytes: &'b [u8],
    rows: usize,
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8).and_then(|part| part.try_into().ok()).map(u64::from_le_bytes)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).and_then(|part| part.try_into().ok()).map(u32::from_le_bytes)
}

/// How many rows have a name: those that are equal to one of another kind.
fn names_in(of_rows: &[u8], rows: usize) -> Option<usize> {
    let (prints, others) = of_rows.split_at_checked(rows.checked_mul(8)?)?;
    let kinds = others.get(4 * rows..5 * rows)?;
    let prints = prints.as_chunks::<8>().0;
    let (mut first, mut names) = (0, 0);
    for equal in prints.chunk_by(|a, b| a == b) {
        let kinds = &kinds[first..first + equal.len()];
        first += equal.len();
        names += if kinds.iter().any(|kind| *kind != kinds[0]) { equal.len() } else { 0 };
    }
    Some(names)
}

/// The sections of a file, of which there are two while a model is being replaced.
fn sections<'b>(bytes: &'b [u8], name: &str) -> Result<Vec<Section<'b>>, RowsFileError> {
    let (mut sections, mut rest) = (Vec::new(), bytes);
    while !rest.is_empty() || sections.is_empty() {
        if rest.get(..8) == Some(MAGIC)
            && let Some(version) = word(rest, 8).filter(|&version| version > VERSION)
        {
            return Err(RowsFileError::Newer { file: name.to_string(), version });
        }
        let section = Section::first(rest).ok_or_else(|| RowsFileError::Damaged(name.to_string()))?;
        rest = &rest[section.bytes.len()..];
        sections.push(section);
    }
    Ok(sections)
}

impl<'b> Section<'b> {
    /// The one that these bytes begin with; `None` if they are cut short or a bit of it has changed.
    fn first(bytes: &'b [u8]) -> Option<Self> {
        let version = (bytes.get(..8) == Some(MAGIC)).then(|| word(bytes, 8)).flatten()?;
        let (model, rows) = (number(bytes, 16)?, usize::try_from(number(bytes, 32)?).ok()?);
        let mut end = rows.checked_mul(ROW)?.checked_add(HEAD)?;
        match version {
            1 => {}
            2 => end = end.checked_add(4)?.checked_add(word(bytes, end)? as usize)?,
            3 => {
                let start = end;
                end = end.checked_add(4)?.checked_add(word(bytes, end)? as usize)?;
                end = end.checked_add(8 * names_in(bytes.get(HEAD..start)?, rows)?)?;
            }
            _ => return None,
        }
        let (content, rest) = bytes.split_at_checked(end)?;
        let is_whole = rest.get(..4)? == crc32fast::hash(content).to_le_bytes();
        is_whole.then(|| Self { model, version, bytes: &bytes[..end + 4], rows })
    }

    /// What it holds; `None` if that cannot be.
    fn rows(&self) -> Option<KnownRows> {
        let (fingerprints, others) = self.bytes[HEAD..].split_at_checked(8 * self.rows)?;
        let (scores, others) = others.split_at_checked(4 * self.rows)?;
        let (kinds, others) = others.split_at_checked(self.rows)?;
        let kind = |&byte: &u8| match byte {
            0 => Some(RowKind::Unlabeled),
            1 => Some(RowKind::Positive),
            2 => Some(RowKind::Negative),
            _ => None,
        };
        let by = match word(self.bytes, 12)? {
            0 => ScoredBy::Method,
            1 => ScoredBy::Prior,
            _ => return None,
        };
        let length = if self.version > 1 { word(others, 0)? as usize } else { 0 };
        let document = others.get(4..length.checked_add(4)?)?;
        let (label, name): (Option<LabelColumn>, _) = match self.version {
            1 => (None, None),
            2 => (Some(serde_json::from_slice(document).ok()?), None),
            _ => {
                let Columns { label, name } = serde_json::from_slice(document).ok()?;
                (label, Some(name))
            }
        };
        let known = KnownRows {
            by,
            salt: number(self.bytes, 24)?,
            fingerprints: fingerprints
                .as_chunks::<8>()
                .0
                .iter()
                .map(|part| u64::from_le_bytes(*part))
                .collect(),
            scores: scores.as_chunks::<4>().0.iter().map(|part| f32::from_le_bytes(*part)).collect(),
            kinds: kinds.iter().map(kind).collect::<Option<_>>()?,
            label,
            named: None,
        };
        let mut known = known.fingerprints.is_sorted().then_some(known)?;
        if let Some(column) = name {
            let mut prints = vec![0; self.rows];
            let mut names = others.get(4 + length..)?.as_chunks::<8>().0.iter();
            for group in known.mixed() {
                for (print, bytes) in prints[group].iter_mut().zip(&mut names) {
                    *print = u64::from_le_bytes(*bytes);
                }
            }
            known.named = Some(RowNames { column, prints });
        }
        // Earlier versions kept a score for each of equal rows.
        Some(known.with_equal_scores())
    }
}

impl Model {
    /// [`load`](Self::load) with the rows that the model was fitted on, or why they are not to be had. The two belong together,
    /// even where somebody writes another model to the same path at this moment.
    pub fn load_with_rows(path: impl AsRef<Path>) -> Result<(Self, Result<KnownRows, RowsFileError>), Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let mut bytes = file::read(path, &name)?;
        let mut rows = KnownRows::beside_bytes(path, &bytes);
        for _ in 0..TRIES {
            if !matches!(rows, Err(RowsFileError::Foreign(_))) || is_stream(path) {
                break;
            }
            let again = file::read(path, &name)?;
            if again == bytes {
                break;
            }
            bytes = again;
            rows = KnownRows::beside_bytes(path, &bytes);
        }
        let (about, fitted) = file::from_bytes(&bytes, &name)?;
        Ok((Self::new(about, fitted), rows))
    }
}

/// Writes a model, and the rows that it was fitted on next to it; if it knows none, it removes those of another model that were
/// there before. A file of that name that holds something else is left alone. Either all of it is written or nothing changes.
pub(crate) fn save(
    path: &Path,
    model: &[u8],
    rows: Option<&KnownRows>,
    privately: bool,
) -> Result<(), TableError> {
    let write_model = || {
        let write = |file: &mut dyn io::Write| file.write_all(model);
        if privately { write_privately(path, write) } else { write_atomically(path, write) }
    };
    let beside = rows_file(path);
    if is_stream(path) || is_too_long(&beside) || !may_replace(&beside) {
        return write_model();
    }
    let write_rows = |bytes: &[u8]| write_atomically(&beside, |file| file.write_all(bytes));
    let remove_rows = || match fs::remove_file(&beside) {
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
            Err(TableError::Write { file: beside.display().to_string(), cause })
        }
        _ => Ok(()),
    };
    let _held = locked_folder(path);
    let Some(rows) = rows else {
        write_model()?;
        // The same model, written once more, keeps them.
        return if KnownRows::beside(path).is_ok() { Ok(()) } else { remove_rows() };
    };
    let (own, former) = (rows.to_bytes(model), former_section(path, &beside, model));
    write_rows(&[former.as_deref().unwrap_or_default(), own.as_slice()].concat())?;
    if let Err(error) = write_model() {
        // The former model is still there. That it keeps its rows matters, and which error is told.
        let _ = former.map_or_else(remove_rows, |former| write_rows(&former));
        return Err(error);
    }
    if former.is_some() { write_rows(&own) } else { Ok(()) }
}

/// The bytes of the rows of the model that is there, if it is another one than this.
fn former_section(path: &Path, beside: &Path, model: &[u8]) -> Option<Vec<u8>> {
    let former = fs::read(path).ok().filter(|former| former != model)?;
    let bytes = fs::read(beside).ok()?;
    let ours = Fingerprint::default().of_bytes(&former).number();
    let own = sections(&bytes, "").ok()?.into_iter().find(|section| section.model == ours)?;
    Some(own.bytes.to_vec())
}

/// Waits until nobody else writes a model to this folder. Where a folder cannot be locked, nobody waits.
pub(crate) fn locked_folder(path: &Path) -> Option<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = File::open(folder).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

fn unreadable(name: &str, cause: io::Error) -> RowsFileError {
    match cause.kind() {
        io::ErrorKind::NotFound => RowsFileError::Missing(name.to_string()),
        _ => RowsFileError::Unreadable { file: name.to_string(), cause },
    }
}

/// Whether no file can have this name: that of the model is nearly as long as names get.
fn is_too_long(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.len() > LONGEST_NAME)
}

/// Whether a file of rows may be written here: there is nothing, or another one.
fn may_replace(path: &Path) -> bool {
    let mut head = [0; 8];
    match fs::metadata(path) {
        Err(_) => true,
        Ok(about) if !about.is_file() => false,
        Ok(about) if about.len() == 0 => true,
        Ok(_) => {
            let read = fs::File::open(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut head));
            read.is_ok() && head == *MAGIC
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three(label: Option<LabelColumn>) -> KnownRows {
        let kinds = [RowKind::Positive, RowKind::Unlabeled, RowKind::Unlabeled];
        let scores = [Some(3.0), Some(-1.0), Some(0.5)];
        KnownRows::of_fingerprints(&[9, 4, 9], &scores, &kinds, 7).labeled_by(label)
    }

    /// The same, of which the two that are equal have names.
    fn named() -> KnownRows {
        let named = RowNames { column: "id".to_string(), prints: vec![0, 5, 6] };
        KnownRows { named: Some(named), ..three(Some(labels())) }
    }

    fn labels() -> LabelColumn {
        LabelColumn { column: "y".to_string(), positive: vec!["1".to_string()], negative: Vec::new() }
    }

    #[test]
    fn a_file_comes_back_and_a_changed_one_does_not() {
        for known in [three(None), three(Some(labels())), named()] {
            let later = 4;
            let bytes = known.to_bytes(b"model");
            assert_eq!(KnownRows::of_bytes(&bytes, b"model", "f").unwrap(), known);
            if known.label.is_none() {
                assert_eq!((bytes.len(), bytes[8]), (HEAD + 3 * ROW + 4, 1));
            }
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= 0x40;
                assert!(KnownRows::of_bytes(&changed, b"model", "f").is_err(), "byte {at}");
                assert!(KnownRows::of_bytes(&bytes[..at], b"model", "f").is_err(), "{at} bytes");
            }
            assert!(KnownRows::of_bytes(&[bytes.as_slice(), &[0]].concat(), b"model", "f").is_err());
            assert!(matches!(KnownRows::of_bytes(&bytes, b"other", "f"), Err(RowsFileError::Foreign(_))));
            // A later version says so, whatever else it holds.
            let mut changed = bytes.clone();
            changed[8] = later;
            let read = KnownRows::of_bytes(&changed, b"model", "f");
            assert!(matches!(read, Err(RowsFileError::Newer { version: 4, .. })));
        }
    }

    #[test]
    fn equal_rows_of_earlier_files_get_one_score() {
        let mut bytes = three(None).to_bytes(b"model");
        let scores = HEAD + 24..HEAD + 36;
        bytes[scores].copy_from_slice(&[1.0f32, 4.0, 2.0].map(f32::to_le_bytes).concat());
        let end = bytes.len() - 4;
        let sum = crc32fast::hash(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&sum);
        assert_eq!(KnownRows::of_bytes(&bytes, b"model", "f").unwrap().scores, [1.0, 3.0, 3.0]);
    }

    /// Ended at any moment, the file of rows has those of the model that is there.
    #[test]
    fn either_model_finds_its_rows_while_one_replaces_the_other() {
        let folder = std::env::temp_dir().join(format!("onesided-rows-file-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, first, second) = (folder.join("m"), three(None), three(Some(labels())));
        save(&path, b"first", Some(&first), false).unwrap();
        assert_eq!(fs::read(rows_file(&path)).unwrap(), first.to_bytes(b"first"));
        let both = [first.to_bytes(b"first"), second.to_bytes(b"second")].concat();
        assert_eq!(KnownRows::of_bytes(&both, b"first", "f").unwrap(), first);
        assert_eq!(KnownRows::of_bytes(&both, b"second", "f").unwrap(), second);
        // A writer that was killed in between left both; the next one leaves its own.
        for model in [b"first".as_slice(), b"second"] {
            fs::write(&path, model).unwrap();
            fs::write(rows_file(&path), &both).unwrap();
            assert!(KnownRows::beside(&path).is_ok());
            save(&path, b"third", Some(&first), false).unwrap();
            assert_eq!(fs::read(rows_file(&path)).unwrap(), first.to_bytes(b"third"));
        }
        // A model that cannot be written leaves the rows of the one that is there.
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        assert!(save(&path, b"fourth", Some(&second), false).is_err());
        assert_eq!(fs::read(rows_file(&path)).unwrap(), first.to_bytes(b"third"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
