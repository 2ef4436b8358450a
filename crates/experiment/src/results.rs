//! The results file: a line of JSON for each finished run, appended at once.
//!
//! A run that was cut off leaves no line, or half of one at the end, which is taken away before the next line is
//! written. Lines whose fingerprint no run of the spec has any more stay where they are and are not looked at.

use crate::ExperimentError;
use crate::spec::Run;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What came of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The run's name.
    pub run: String,
    /// The run's fingerprint: its data, split, seed and every choice that was made for it.
    pub fingerprint: String,
    /// Share of the test rows that were decided rightly, after the last epoch.
    pub accuracy: f64,
    /// Area under the ROC curve of the test rows.
    pub auc: f64,
    /// Rows of training that were labeled, and that were not.
    pub rows: (usize, usize),
    /// Share of positives among the unlabeled rows, and the share that the method was told.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub prior: Option<(f64, f64)>,
    /// Accuracy as held-out positives and unlabeled rows estimate it, without a negative; where rows were held out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub estimated_accuracy: Option<f64>,
    /// Loss of the last epoch.
    pub loss: f64,
    /// Seconds of training and testing.
    pub seconds: f64,
    /// `cpu`, or the GPU and its numbers.
    pub device: String,
    /// The version of this software.
    pub version: String,
}

/// The results of an experiment so far.
#[derive(Debug)]
pub struct Results {
    file: PathBuf,
    /// Where the next line goes: after the last whole one.
    end: u64,
    by_fingerprint: HashMap<String, Record>,
}

impl Results {
    /// Reads a results file, which need not be there yet, and others whose runs count too.
    pub fn read(file: &Path, reuse: &[PathBuf]) -> Result<Self, ExperimentError> {
        let mut results = Self { file: file.to_path_buf(), end: 0, by_fingerprint: HashMap::new() };
        for other in reuse {
            results.add(other)?;
        }
        results.end = results.add(file)?;
        Ok(results)
    }

    /// Takes the records of a file in; returns where its last whole line ends.
    fn add(&mut self, file: &Path) -> Result<u64, ExperimentError> {
        let shown = || file.display().to_string();
        // A device would never end.
        if fs::metadata(file).is_ok_and(|about| !about.is_file()) {
            let cause = std::io::Error::other("it is not a file; name one that is, or a new one");
            return Err(ExperimentError::Read { file: shown(), cause });
        }
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(0),
            Err(cause) => return Err(ExperimentError::Read { file: shown(), cause }),
        };
        let whole = text.rfind('\n').map_or(0, |last| last + 1);
        for (number, line) in text[..whole].lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let record: Record = serde_json::from_str(line).map_err(|error| ExperimentError::Results {
                file: shown(),
                line: number + 1,
                detail: error.to_string(),
            })?;
            self.by_fingerprint.insert(record.fingerprint.clone(), record);
        }
        Ok(whole as u64)
    }

    /// The record of a run, if it was done with the choices it has now.
    pub fn of(&self, run: &Run) -> Option<&Record> {
        self.by_fingerprint.get(&run.fingerprint)
    }

    /// Appends a record and makes sure it is on the disk.
    pub fn append(&mut self, record: Record) -> Result<(), ExperimentError> {
        let failed = |cause| ExperimentError::Write { file: self.file.display().to_string(), cause };
        let mut line = serde_json::to_string(&record).map_err(|error| failed(error.into()))?;
        line.push('\n');
        let mut file = self.open().map_err(failed)?;
        let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_data());
        if let Err(cause) = written {
            // Half a line would be in the way of nobody, but a full disk is glad of every byte.
            let _ = file.set_len(self.end);
            return Err(failed(cause));
        }
        self.end += line.len() as u64;
        self.by_fingerprint.insert(record.fingerprint.clone(), record);
        Ok(())
    }

    /// The file, cut and set to the end of its last whole line.
    fn open(&self) -> std::io::Result<File> {
        if let Some(folder) = self.file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(&self.file)?;
        file.set_len(self.end)?;
        file.seek(SeekFrom::Start(self.end))?;
        Ok(file)
    }

    /// Refuses a file that could not be written to, before any run. Leaves none behind that was not there.
    pub fn check_writable(&self) -> Result<(), ExperimentError> {
        let new = !self.file.exists();
        let new_folder = self.file.parent().filter(|folder| !folder.exists());
        let opened = self.open();
        if new && opened.is_ok() {
            let _ = fs::remove_file(&self.file);
        }
        if let Some(folder) = new_folder {
            // Only an empty one goes.
            let _ = fs::remove_dir(folder);
        }
        let file = || self.file.display().to_string();
        opened.map(|_| ()).map_err(|cause| ExperimentError::Write { file: file(), cause })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(fingerprint: &str) -> Record {
        Record {
            run: "mnist/0.2/collective/0".into(),
            fingerprint: fingerprint.into(),
            accuracy: 0.9925,
            auc: 0.999,
            rows: (10, 20),
            prior: Some((0.2, 0.22)),
            estimated_accuracy: None,
            loss: 0.1,
            seconds: 1.5,
            device: "cpu".into(),
            version: "0.1.0".into(),
        }
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("onesided-results-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn half_a_line_at_the_end_is_overwritten() {
        let file = folder("half").join("deep/r.jsonl");
        let mut results = Results::read(&file, &[]).unwrap();
        results.append(record("a")).unwrap();
        let mut text = fs::read_to_string(&file).unwrap();
        text.push_str("{\"run\": \"mni");
        fs::write(&file, &text).unwrap();
        let mut results = Results::read(&file, &[]).unwrap();
        results.append(record("b")).unwrap();
        let lines: Vec<Record> = fs::read_to_string(&file)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines, [record("a"), record("b")]);
        fs::remove_dir_all(file.parent().unwrap().parent().unwrap()).unwrap();
    }

    #[test]
    fn a_line_in_the_middle_that_is_no_result_is_named() {
        let folder = folder("bad");
        let file = folder.join("r.jsonl");
        fs::write(&file, format!("{}\nnonsense\n", serde_json::to_string(&record("a")).unwrap())).unwrap();
        let error = Results::read(&file, &[]).unwrap_err().to_string();
        assert!(error.contains("line 2: ") && error.contains("mend or delete"), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }
}
