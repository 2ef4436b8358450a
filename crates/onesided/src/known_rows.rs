//! The rows that a model was fitted on, each with the score of what was trained without it.
//!
//! A model has learned the rows it was fitted on by heart, more or less: it scores a hidden positive low because it met the
//! row as an unlabeled one. A list of these very rows is therefore ranked by scores *out of fold*, which fitting makes anyway.
//! They are kept in a file next to the model, which knows rows by fingerprints of their encoded cells:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `onesrows` |
//! | 4 | version, 1; all numbers are little-endian |
//! | 4 | who scored: 0 the method itself, 1 the models that the share of positives was estimated with |
//! | 8 | the fingerprint of the model file it belongs to |
//! | 8 | the salt of the fingerprints of rows |
//! | 8 | n, the number of rows |
//! | 8 n | fingerprints, ascending; of equal ones the row that came first is the first |
//! | 4 n | scores (logits at the population's prior), NaN where a row has none out of fold |
//! | n | 0 unlabeled, 1 labeled positive, 2 known negative |
//! | 4 | CRC-32 of all that comes before |
//!
//! There is no cell, no name and no order of rows in it. The salt is another one for each model, so that two files do not tell
//! whether two models met the same row. Who has the file can still test whether a row that they have in full was among those.

use crate::{Among, Error, Model};
use onesided_data::{DataError, Dataset, Fingerprint, Label, is_stream, write_atomically};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"onesrows";
const VERSION: u32 = 1;
const HEAD: usize = 40;
/// Bytes of a row.
const ROW: usize = 13;
/// Bytes of the longest name of a file.
const LONGEST_NAME: usize = 255;
/// The share of a table's rows that must be known before it is taken for the fitted one.
const MOSTLY: f64 = 0.5;

/// What a row is to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowKind {
    /// The model was not fitted on it.
    New,
    /// It was there, without a label.
    Unlabeled,
    /// It was there, labeled positive.
    Positive,
    /// It was there, as a known negative.
    Negative,
}

impl RowKind {
    /// Whether somebody knows what it is.
    pub fn is_labeled(self) -> bool {
        matches!(self, RowKind::Positive | RowKind::Negative)
    }

    /// In a word: `new`, `unlabeled`, `positive` or `negative`.
    pub fn word(self) -> &'static str {
        match self {
            RowKind::New => "new",
            RowKind::Unlabeled => "unlabeled",
            RowKind::Positive => "positive",
            RowKind::Negative => "negative",
        }
    }
}

/// What the scores out of fold come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoredBy {
    /// The method that was fitted, on other rows.
    Method,
    /// Models behind the estimate of the share of positives, on other rows: the method holds out one share alone.
    Prior,
}

/// Scores (logits at the population's prior) of the rows of a fit, by what was trained without them.
pub(crate) struct OutOfFold {
    pub scores: Vec<Option<f32>>,
    pub by: ScoredBy,
}

/// The rows that a model was fitted on, by fingerprint.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownRows {
    by: ScoredBy,
    salt: u64,
    fingerprints: Vec<u64>,
    scores: Vec<f32>,
    kinds: Vec<RowKind>,
}

/// Why the file next to a model is unusable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RowsFileError {
    /// There is none.
    #[error("there is no file '{0}'")]
    Missing(String),
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

/// The file of a model's rows: the name of the model file with `.rows` behind it.
pub fn rows_file(model: &Path) -> PathBuf {
    let mut name = OsString::from(model);
    name.push(".rows");
    name.into()
}

impl KnownRows {
    /// Rows, encoded, with their scores and kinds. `salt` should be another for each model.
    pub(crate) fn new(
        data: &Dataset,
        scores: &[Option<f32>],
        kinds: Vec<RowKind>,
        salt: u64,
    ) -> Result<Self, DataError> {
        Ok(Self::of_fingerprints(&data.fingerprints(salt)?, scores, &kinds, salt))
    }

    /// Rows by their fingerprints, which were made with this salt.
    pub(crate) fn of_fingerprints(
        of_rows: &[u64],
        scores: &[Option<f32>],
        kinds: &[RowKind],
        salt: u64,
    ) -> Self {
        let mut order: Vec<u32> = (0..of_rows.len() as u32).collect();
        order.sort_by_key(|&row| of_rows[row as usize]);
        let sorted = || order.iter().map(|&row| row as usize);
        Self {
            by: ScoredBy::Method,
            salt,
            fingerprints: sorted().map(|row| of_rows[row]).collect(),
            scores: sorted().map(|row| scores[row].unwrap_or(f32::NAN)).collect(),
            kinds: sorted().map(|row| kinds[row]).collect(),
        }
    }

    /// Says what the scores come from.
    pub(crate) fn scored_by(self, by: ScoredBy) -> Self {
        Self { by, ..self }
    }

    /// What the scores come from.
    pub fn by(&self) -> ScoredBy {
        self.by
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fingerprints.is_empty()
    }

    /// Whether every row has a score by what was trained without it. Otherwise none is used: scores in and out of fold do not
    /// belong in one list.
    pub fn is_complete(&self) -> bool {
        !self.is_empty() && self.scores.iter().all(|score| score.is_finite())
    }

    /// How many rows are equal to another one.
    fn with_twins(&self) -> usize {
        self.fingerprints.chunk_by(|a, b| a == b).map(<[u64]>::len).filter(|&equal| equal > 1).sum()
    }

    /// The file next to a model, checked to belong to it.
    pub fn beside(model: &Path) -> Result<Self, RowsFileError> {
        let path = rows_file(model);
        let name = path.display().to_string();
        let unreadable = |cause: io::Error| match cause.kind() {
            io::ErrorKind::NotFound => RowsFileError::Missing(name.clone()),
            _ => RowsFileError::Unreadable { file: name.clone(), cause },
        };
        if is_too_long(&path) {
            return Err(RowsFileError::Missing(name));
        }
        let about = fs::metadata(&path).map_err(unreadable)?;
        if !about.is_file() {
            return Err(RowsFileError::Damaged(name));
        }
        // As bytes, and as what they hold.
        onesided_data::check_memory(|| format!("the rows '{name}'"), 2 * about.len())
            .map_err(|cause| unreadable(io::Error::other(cause.to_string())))?;
        let bytes = fs::read(&path).map_err(unreadable)?;
        let model = fs::read(model).map_err(unreadable)?;
        Self::of_bytes(&bytes, &model, &name)
    }

    /// The rows from [their bytes](Self::to_bytes), checked to belong to the model with these bytes. `name` is what errors call
    /// them.
    pub fn of_bytes(bytes: &[u8], model: &[u8], name: &str) -> Result<Self, RowsFileError> {
        let (rows, of_model) = Self::from_bytes(bytes, name)?;
        if of_model == Fingerprint::default().of_bytes(model).number() {
            Ok(rows)
        } else {
            Err(RowsFileError::Foreign(name.to_string()))
        }
    }

    /// The rows of a file, and the fingerprint of the model that they belong to.
    fn from_bytes(bytes: &[u8], name: &str) -> Result<(Self, u64), RowsFileError> {
        let damaged = || RowsFileError::Damaged(name.to_string());
        let number =
            |at: usize| bytes.get(at..at + 8).and_then(|part| part.try_into().ok()).map(u64::from_le_bytes);
        let word =
            |at: usize| bytes.get(at..at + 4).and_then(|part| part.try_into().ok()).map(u32::from_le_bytes);
        if bytes.get(..8) != Some(MAGIC) {
            return Err(damaged());
        }
        match word(8) {
            Some(VERSION) => {}
            Some(version) if version > VERSION => {
                return Err(RowsFileError::Newer { file: name.to_string(), version });
            }
            _ => return Err(damaged()),
        }
        let (Some(model), Some(salt), Some(rows)) = (number(16), number(24), number(32)) else {
            return Err(damaged());
        };
        let Some(body) = bytes.len().checked_sub(HEAD + 4) else { return Err(damaged()) };
        let whole = usize::try_from(rows).ok().and_then(|rows| rows.checked_mul(ROW)) == Some(body);
        let (content, sum) = bytes.split_at(bytes.len() - 4);
        if !whole || sum != crc32fast::hash(content).to_le_bytes() {
            return Err(damaged());
        }
        let rows = body / ROW;
        let (fingerprints, others) = content[HEAD..].split_at(8 * rows);
        let (scores, kinds) = others.split_at(4 * rows);
        let (fingerprints, _) = fingerprints.as_chunks::<8>();
        let (scores, _) = scores.as_chunks::<4>();
        let kind = |&byte: &u8| match byte {
            0 => Some(RowKind::Unlabeled),
            1 => Some(RowKind::Positive),
            2 => Some(RowKind::Negative),
            _ => None,
        };
        let by = match word(12) {
            Some(0) => ScoredBy::Method,
            Some(1) => ScoredBy::Prior,
            _ => return Err(damaged()),
        };
        let known = Self {
            by,
            salt,
            fingerprints: fingerprints.iter().map(|part| u64::from_le_bytes(*part)).collect(),
            scores: scores.iter().map(|part| f32::from_le_bytes(*part)).collect(),
            kinds: kinds.iter().map(kind).collect::<Option<_>>().ok_or_else(damaged)?,
        };
        if known.fingerprints.is_sorted() { Ok((known, model)) } else { Err(damaged()) }
    }

    /// The bytes of the file next to a model with these bytes.
    pub fn to_bytes(&self, model: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEAD + ROW * self.len() + 4);
        bytes.extend_from_slice(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        let by: u32 = if self.by == ScoredBy::Prior { 1 } else { 0 };
        bytes.extend(by.to_le_bytes());
        let numbers = [Fingerprint::default().of_bytes(model).number(), self.salt, self.len() as u64];
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        self.fingerprints.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        self.scores.iter().for_each(|score| bytes.extend(score.to_le_bytes()));
        bytes.extend(self.kinds.iter().map(|kind| match kind {
            RowKind::Positive => 1u8,
            RowKind::Negative => 2,
            RowKind::New | RowKind::Unlabeled => 0,
        }));
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Looks for rows among these, some at a time.
    pub fn matcher(&self) -> RowMatcher<'_> {
        RowMatcher { known: self, met: HashMap::new(), seen: 0, found: 0, labeled: 0 }
    }
}

/// Writes the rows of a model next to it, or, if it knows none, removes those of another model that were there before. A file
/// of that name that holds something else is left alone.
pub(crate) fn save_beside(path: &Path, rows: Option<&KnownRows>, model: &[u8]) -> Result<(), DataError> {
    let beside = rows_file(path);
    if is_stream(path) || is_too_long(&beside) || !may_replace(&beside) {
        return Ok(());
    }
    match rows {
        Some(rows) => write_atomically(&beside, |file| file.write_all(&rows.to_bytes(model))),
        // The same model, written once more.
        None if KnownRows::beside(path).is_ok() => Ok(()),
        None => match fs::remove_file(&beside) {
            Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                Err(DataError::Write { file: beside.display().to_string(), cause })
            }
            _ => Ok(()),
        },
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

/// Looks for rows among those that a model was fitted on. Rows that are equal are matched in their order, so it remembers
/// which it has seen: feed it a table from its first row to its last, as many rows at a time as you like.
#[derive(Clone, Debug)]
pub struct RowMatcher<'k> {
    known: &'k KnownRows,
    /// How many rows of a fingerprint have been seen.
    met: HashMap<u64, u32>,
    seen: usize,
    found: usize,
    labeled: usize,
}

impl RowMatcher<'_> {
    /// What each of the next rows is, and its score out of fold where it has one. The rows must be encoded for the model, as
    /// [`Model::score_known`] sees to.
    pub fn next(&mut self, data: &Dataset) -> Result<Vec<(RowKind, Option<f32>)>, DataError> {
        let of_rows = data.fingerprints(self.known.salt)?;
        Ok(of_rows.into_iter().map(|fingerprint| self.one(fingerprint)).collect())
    }

    fn one(&mut self, fingerprint: u64) -> (RowKind, Option<f32>) {
        let KnownRows { fingerprints, scores, kinds, .. } = self.known;
        self.seen += 1;
        let first = fingerprints.partition_point(|&known| known < fingerprint);
        let equal = fingerprints[first..].iter().take_while(|&&known| known == fingerprint).count();
        if equal == 0 {
            return (RowKind::New, None);
        }
        let met = self.met.entry(fingerprint).or_insert(0);
        let at = first + (*met as usize).min(equal - 1);
        let score = Some(scores[at]).filter(|score| score.is_finite());
        // One more than there were is another row that is equal: what it is nobody knows.
        if *met as usize >= equal {
            return (RowKind::New, score);
        }
        *met += 1;
        self.found += 1;
        self.labeled += usize::from(kinds[at].is_labeled());
        (kinds[at], score)
    }

    /// How many of the rows so far the model was fitted on.
    pub fn found(&self) -> usize {
        self.found
    }

    /// How many of those are labeled.
    pub fn labeled(&self) -> usize {
        self.labeled
    }

    /// Whether the rows so far hold all rows that the model was fitted on and are mostly these. Only then do labels go with
    /// rows for certain: of a table of few distinct rows, any other has many that are equal.
    pub fn is_fitted_table(&self) -> bool {
        self.found == self.known.len() && self.found as f64 >= MOSTLY * self.seen as f64
    }

    /// Whether no more of the rows are equal to some that the model was fitted on than chance explains, so that they may all be
    /// new. If a share τ of the fitted rows has a twin among them, about τ of new rows have one there, too (I. J. Good, Biometrika
    /// 1953); three standard deviations are allowed for. It is 0 for most tables, and nearly 1 where few cells differ.
    pub fn may_be_new(&self) -> bool {
        let (seen, known) = (self.seen.max(1) as f64, self.known.len().max(1) as f64);
        let twins = self.known.with_twins() as f64 / known;
        let deviation = (twins * (1.0 - twins) * (1.0 / seen + 1.0 / known)).sqrt();
        !self.is_fitted_table() && self.found as f64 <= seen * (twins + 3.0 * deviation)
    }

    /// Among which rows one of this kind is, now that all were seen: of the fitted table, those without a label are known to be
    /// unlabeled.
    pub fn among(&self, kind: RowKind) -> Among {
        if kind == RowKind::Unlabeled && self.is_fitted_table() {
            Among::Unlabeled
        } else {
            Among::Population
        }
    }
}

impl Model {
    /// The rows that the model was fitted on, where it was fitted just now; those of a model that was loaded are read by
    /// [`KnownRows::beside`].
    pub fn known_rows(&self) -> Option<&KnownRows> {
        self.known.as_deref()
    }

    /// With the rows that it was fitted on, as [`KnownRows::beside`] reads them: [`save`](Self::save) then writes them again.
    pub fn with_known_rows(mut self, rows: KnownRows) -> Self {
        self.known = Some(std::sync::Arc::new(rows));
        self
    }

    /// What each row is to the model, and its score: out of fold where the model was fitted on it and every such row has one,
    /// the model's own otherwise.
    pub fn score_known(
        &self,
        data: &Dataset,
        rows: &KnownRows,
        matcher: &mut RowMatcher,
    ) -> Result<Vec<(RowKind, f32)>, Error> {
        self.rescore_known(data, self.score(data)?, rows, matcher)
    }

    /// [`score_known`](Self::score_known) where the model's own scores are there already.
    pub fn rescore_known(
        &self,
        data: &Dataset,
        own: Vec<f32>,
        rows: &KnownRows,
        matcher: &mut RowMatcher,
    ) -> Result<Vec<(RowKind, f32)>, Error> {
        let use_them = rows.is_complete();
        let matched = matcher.next(self.encoded(data)?.as_ref())?;
        let chosen = |(own, (kind, known)): (f32, (RowKind, Option<f32>))| {
            (kind, known.filter(|_| use_them).unwrap_or(own))
        };
        Ok(own.into_iter().zip(matched).map(chosen).collect())
    }
}

/// The kinds of rows that were learned from by their labels; where the truth was, no row is left over to be found.
pub(crate) fn kinds_of(labels: Option<&[Label]>, rows: usize) -> Vec<RowKind> {
    let kind = |label: &Label| match label {
        Label::Positive => RowKind::Positive,
        Label::Unlabeled => RowKind::Unlabeled,
        Label::Negative => RowKind::Negative,
    };
    labels.map_or_else(|| vec![RowKind::Unlabeled; rows], |labels| labels.iter().map(kind).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    fn table(values: &[f32]) -> Dataset {
        Dataset::from_scaled(Matrix::new(values.len() / 2, 2, values.to_vec()).unwrap(), None).unwrap()
    }

    fn three() -> KnownRows {
        let data = table(&[1.0, 2.0, 0.0, 5.0, 1.0, 2.0]);
        let kinds = vec![RowKind::Positive, RowKind::Unlabeled, RowKind::Unlabeled];
        KnownRows::new(&data, &[Some(3.0), Some(-1.0), Some(0.5)], kinds, 7).unwrap()
    }

    #[test]
    fn equal_rows_are_matched_in_order_and_chunks_do_not_matter() {
        let known = three();
        let mut matcher = known.matcher();
        let mut found = matcher.next(&table(&[1.0, 2.0])).unwrap();
        found.extend(matcher.next(&table(&[0.0, 5.0, 2.0, 1.0, 1.0, 2.0])).unwrap());
        let expected = [
            (RowKind::Positive, Some(3.0)),
            (RowKind::Unlabeled, Some(-1.0)),
            (RowKind::New, None),
            (RowKind::Unlabeled, Some(0.5)),
        ];
        assert_eq!(found, expected);
        assert!(matcher.is_fitted_table() && matcher.found() == 3 && matcher.labeled() == 1);
        // A third equal row is nobody's, but its twins were met.
        assert_eq!(matcher.next(&table(&[1.0, 2.0])).unwrap(), [(RowKind::New, Some(0.5))]);
        // Half of the rows are not the table.
        let mut half = known.matcher();
        half.next(&table(&[1.0, 2.0, 1.0, 2.0])).unwrap();
        assert!(!half.is_fitted_table());
    }

    #[test]
    fn rows_of_few_distinct_cells_are_equal_by_chance() {
        // 1,000 rows of two cells with four values each: 16 different rows, all of which repeat.
        let values = |rows: usize, of: usize| -> Vec<f32> {
            (0..rows).flat_map(|row| [(row * 7 % of) as f32, (row * 13 / of % of) as f32]).collect()
        };
        let known = |values: &[f32]| {
            let rows = values.len() / 2;
            KnownRows::new(&table(values), &vec![Some(0.0); rows], vec![RowKind::Unlabeled; rows], 1).unwrap()
        };
        let coarse = known(&values(1000, 4));
        let mut matcher = coarse.matcher();
        matcher.next(&table(&values(200, 4))).unwrap();
        assert!(matcher.found() == 200 && matcher.may_be_new());
        // All of them are the fitted table, whatever chance says.
        matcher = coarse.matcher();
        matcher.next(&table(&values(1000, 4))).unwrap();
        assert!(matcher.is_fitted_table() && !matcher.may_be_new());
        // Where no fitted row has a twin, no new row has one by chance.
        let fine: Vec<f32> = (0..2000).map(|cell| cell as f32).collect();
        let fine = known(&fine);
        let mut matcher = fine.matcher();
        matcher.next(&table(&[0.0, 1.0, 2.0, 3.0, 5000.0, 1.0])).unwrap();
        assert!(matcher.found() == 2 && !matcher.may_be_new());
        let mut matcher = fine.matcher();
        matcher.next(&table(&[5000.0, 1.0])).unwrap();
        assert!(matcher.may_be_new());
    }

    #[test]
    fn a_file_comes_back_and_a_changed_one_does_not() {
        let bytes = three().to_bytes(b"model");
        let (back, model) = KnownRows::from_bytes(&bytes, "f").unwrap();
        assert_eq!((back, model), (three(), Fingerprint::default().of_bytes(b"model").number()));
        assert_eq!(bytes.len(), HEAD + 3 * ROW + 4);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x40;
            assert!(KnownRows::from_bytes(&changed, "f").is_err(), "byte {at}");
            assert!(KnownRows::from_bytes(&bytes[..at], "f").is_err(), "{at} bytes");
        }
        assert!(KnownRows::from_bytes(&[bytes.as_slice(), &[0]].concat(), "f").is_err());
        assert_eq!(KnownRows::of_bytes(&bytes, b"model", "f").unwrap(), three());
        assert!(matches!(KnownRows::of_bytes(&bytes, b"other", "f"), Err(RowsFileError::Foreign(_))));
        // A later version says so, whatever else it holds.
        let mut later = bytes.clone();
        later[8] = 2;
        assert!(matches!(KnownRows::from_bytes(&later, "f"), Err(RowsFileError::Newer { version: 2, .. })));
    }

    #[test]
    fn a_row_without_a_score_makes_scores_out_of_fold_useless() {
        let data = table(&[1.0, 2.0, 0.0, 5.0]);
        let kinds = vec![RowKind::Unlabeled; 2];
        assert!(!KnownRows::new(&data, &[Some(1.0), None], kinds.clone(), 0).unwrap().is_complete());
        assert!(KnownRows::new(&data, &[Some(1.0), Some(2.0)], kinds, 0).unwrap().is_complete());
    }
}
