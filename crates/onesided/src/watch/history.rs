//! A file of what was found month after month: one JSON object per line.
//!
//! A run reads the file, adds its line and writes the whole file to a temporary name, which it renames; all the while it holds
//! a lock on the folder, so that two runs wait for one another. Ended at any moment, the file has all lines of before, or one more.

use super::{Action, Moved, Watched};
use crate::rows_file::locked_folder;
use crate::{Error, Model};
use onesided_data::{Exact, TableError, read_regular, write_atomically};
use onesided_eval::Interval;
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// When, in UTC, as ISO 8601 has it.
    pub at: String,
    /// The version of this library.
    pub onesided: String,
    /// The fingerprint of the model.
    pub model: String,
    /// Where the rows were.
    pub place: String,
    /// How many there were.
    pub rows: usize,
    /// What to do.
    pub action: Action,
    /// What moved.
    pub moved: Vec<Moved>,
    /// Columns that moved.
    pub columns: Vec<String>,
    /// The share of positives that the model was fitted with.
    pub share_before: Option<f64>,
    /// That of the rows, with an interval of 95 %.
    pub share: Option<Interval>,
    /// How often they are predicted positive.
    pub predicted_positive: Option<f64>,
    /// How far their scores are from those of the fit: the total variation distance of their cells.
    pub score_distance: Option<f64>,
}

/// All runs of a model, in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WatchHistory {
    /// The runs.
    pub entries: Vec<HistoryEntry>,
}

/// Why a history is of no use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// It is not there, or cannot be read.
    #[error("the history '{file}' cannot be read: {cause}")]
    Unreadable {
        /// The file.
        file: String,
        /// The reason.
        cause: io::Error,
    },
    /// A line is something else.
    #[error(
        "'{file}' is no history of a model: line {line} is no run ({cause}); take that line out, or name another file, and it is made"
    )]
    Line {
        /// The file.
        file: String,
        /// Counted from 1.
        line: usize,
        /// The reason.
        cause: String,
    },
    /// It was written with another model.
    #[error(
        "'{file}' is the history of another model ({theirs}, and this one is {ours}); name another file: a model that was fitted \
         again begins a new history"
    )]
    OtherModel {
        /// The file.
        file: String,
        /// The fingerprint in it.
        theirs: String,
        /// That of the model.
        ours: String,
    },
    /// It cannot be written.
    #[error(transparent)]
    Write(#[from] TableError),
}

impl HistoryEntry {
    /// What was found of the rows of a place, now.
    pub fn new(model: &Model, watched: &Watched, place: &str) -> Result<Self, Error> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let moved = watched.columns.iter().filter(|column| column.moved || column.shift.is_some());
        Ok(Self {
            at: Exact::of(now as i64, 1).written(true),
            onesided: env!("CARGO_PKG_VERSION").to_string(),
            model: model.fingerprint()?,
            place: place.to_string(),
            rows: watched.rows,
            action: watched.action,
            moved: watched.moved(),
            columns: moved.map(|column| column.column.clone()).collect(),
            share_before: watched.share.and_then(|watched| watched.share.before),
            share: watched.share.and_then(|watched| watched.share.now),
            predicted_positive: watched.decisions.map(|decisions| decisions.now),
            score_distance: watched.scores.map(|watched| watched.scores.distance),
        })
    }
}

impl WatchHistory {
    /// The runs of a model with this fingerprint.
    pub fn read(path: &Path, model: &str) -> Result<Self, HistoryError> {
        let file = path.display().to_string();
        match read_regular(path) {
            Ok(bytes) => Self::of_bytes(&bytes, &file, model),
            Err(cause) => Err(HistoryError::Unreadable { file, cause }),
        }
    }

    /// Checks that a run of a model with this fingerprint could be added: a file that is not there is made.
    pub fn check(path: &Path, model: &str) -> Result<(), HistoryError> {
        match Self::read(path, model) {
            Err(HistoryError::Unreadable { cause, .. }) if cause.kind() == ErrorKind::NotFound => Ok(()),
            other => other.map(|_| ()),
        }
    }

    /// Adds a run to the file, which is made where there is none.
    pub fn append(path: &Path, entry: &HistoryEntry) -> Result<(), HistoryError> {
        let _held = locked_folder(path);
        Self::check(path, &entry.model)?;
        let mut bytes = read_regular(path).unwrap_or_default();
        if !bytes.is_empty() && bytes.last() != Some(&b'\n') {
            bytes.push(b'\n');
        }
        serde_json::to_writer(&mut bytes, entry).unwrap_or_default();
        bytes.push(b'\n');
        Ok(write_atomically(path, |file: &mut dyn Write| file.write_all(&bytes))?)
    }

    fn of_bytes(bytes: &[u8], file: &str, model: &str) -> Result<Self, HistoryError> {
        let text = String::from_utf8_lossy(bytes);
        let mut entries = Vec::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let entry: HistoryEntry = serde_json::from_str(line).map_err(|cause| HistoryError::Line {
                file: file.to_string(),
                line: at + 1,
                cause: if cause.is_eof() {
                    "it is cut short".to_string()
                } else {
                    format!("not as one is written, at character {}", cause.column())
                },
            })?;
            if entry.model != model {
                let (file, ours) = (file.to_string(), model.to_string());
                return Err(HistoryError::OtherModel { file, theirs: entry.model, ours });
            }
            entries.push(entry);
        }
        Ok(Self { entries })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    fn entry(place: &str) -> HistoryEntry {
        HistoryEntry {
            at: "2026-11-19T03:17:00Z".to_string(),
            onesided: "0.1.0".to_string(),
            model: "a".to_string(),
            place: place.to_string(),
            rows: 300,
            action: Action::Refit,
            moved: vec![Moved::Share],
            columns: Vec::new(),
            share_before: Some(0.2),
            share: Some(Interval { value: 0.4, low: 0.3, high: 0.5 }),
            predicted_positive: Some(0.3),
            score_distance: None,
        }
    }

    fn folder(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("onesided-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn two_writers_lose_no_line() {
        let folder = folder("history-writers");
        let path = folder.join("h.jsonl");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for run in 0..20 {
                        WatchHistory::append(path, &entry(&format!("{writer}-{run}"))).unwrap();
                    }
                });
            }
        });
        let history = WatchHistory::read(&path, "a").unwrap();
        let mut places: Vec<&str> = history.entries.iter().map(|entry| entry.place.as_str()).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!((history.entries.len(), places.len()), (80, 80));
        // Those of one writer are in their order, and nothing else is left in the folder.
        let own = history.entries.iter().filter_map(|entry| entry.place.strip_prefix("0-"));
        assert_eq!(own.collect::<Vec<_>>(), (0..20).map(|run| run.to_string()).collect::<Vec<_>>());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_no_history_of_the_model_is_left_alone() {
        let folder = folder("history-other");
        let path = folder.join("h.jsonl");
        assert!(matches!(WatchHistory::read(&path, "a"), Err(HistoryError::Unreadable { .. })));
        WatchHistory::check(&path, "a").unwrap();
        WatchHistory::append(&path, &entry("first")).unwrap();
        let error =
            WatchHistory::append(&path, &HistoryEntry { model: "b".to_string(), ..entry("x") }).unwrap_err();
        assert!(
            matches!(error, HistoryError::OtherModel { .. })
                && error.to_string().contains("another model (a")
        );
        // A line without an end is one, and so is a blank line none.
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("\n{}", text.trim_end())).unwrap();
        WatchHistory::append(&path, &entry("second")).unwrap();
        let history = WatchHistory::read(&path, "a").unwrap();
        assert_eq!(history.entries, [entry("first"), entry("second")]);
        for (other, why) in [
            ("row,score\n1,2\n", "(not as one is written, at character 1)"),
            ("{}\n", "(not as one is written, at character 2)"),
            ("\u{0}\u{1}", "(not as one is written"),
            ("{\"at\": \"2026", "line 1 is no run (it is cut short)"),
        ] {
            fs::write(&path, other).unwrap();
            let error = WatchHistory::append(&path, &entry("x")).unwrap_err();
            assert!(matches!(error, HistoryError::Line { line: 1, .. }), "{error}");
            assert!(error.to_string().contains(why), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), other);
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
