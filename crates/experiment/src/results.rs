//! The results file: a line of JSON for each finished run, appended at once.
//!
//! Several processes may share one file: a line is appended under an exclusive lock of the file, behind whatever others
//! have appended meanwhile, and their records are taken in. The lock is advisory and goes with the process that holds
//! it. A file system without locks is refused before the first run, since half of a line could not be told from a
//! line that is being written.
//!
//! A run that was cut off leaves no line, or half of one at the end, which is cut away, under the lock, before the next
//! line is written. Of two lines with one fingerprint the later counts. Lines whose fingerprint no run of the spec has
//! any more stay where they are and are not looked at.

use crate::ExperimentError;
use crate::spec::Run;
use onesided_data::check_memory;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// The end of the last line of the file that was taken in.
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
        let read = |cause| ExperimentError::Read { file: shown(), cause };
        let Some(mut open) = open_to_read(file).map_err(read)? else { return Ok(0) };
        check_room(&open, 0).map_err(read)?;
        let mut text = Vec::new();
        open.read_to_end(&mut text).map_err(read)?;
        let (whole, rest) = whole_lines(&text);
        for (number, line) in whole.split(|&byte| byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let record: Record = serde_json::from_slice(line).map_err(|error| ExperimentError::Results {
                file: shown(),
                line: number + 1,
                // The name of an unknown field is quoted as it is, line breaks included.
                detail: error.to_string().replace(char::is_control, " "),
            })?;
            self.by_fingerprint.insert(record.fingerprint.clone(), record);
        }
        self.take(rest);
        Ok(whole.len() as u64)
    }

    /// The record of a run, if it was done with the choices it has now.
    pub fn of(&self, run: &Run) -> Option<&Record> {
        self.by_fingerprint.get(&run.fingerprint)
    }

    /// Takes in what other processes have appended since the file was last looked at.
    pub fn refresh(&mut self) -> Result<(), ExperimentError> {
        // Mostly there is nothing new, which costs no lock.
        if fs::metadata(&self.file).is_ok_and(|about| about.len() == self.end) {
            return Ok(());
        }
        let opened = open_to_read(&self.file);
        let taken =
            opened.and_then(|file| file.map_or(Ok(()), |mut file| self.take_new(&mut file).map(|_| ())));
        taken.map_err(|cause| ExperimentError::Read { file: self.file.display().to_string(), cause })
    }

    /// Takes a line in, if it is a result.
    fn take(&mut self, line: &[u8]) -> bool {
        let record = serde_json::from_slice::<Record>(line).ok();
        record.map(|record| self.by_fingerprint.insert(record.fingerprint.clone(), record)).is_some()
    }

    /// Takes in the lines behind those that were taken in already, and returns what follows the last of them: half a
    /// line. A line that is not a result is skipped: it must not cost a finished run, and the next
    /// [`Results::read`] names it.
    fn take_new(&mut self, file: &mut File) -> io::Result<Vec<u8>> {
        // A file that was edited, or replaced, is read from its start.
        let mut last = [b'\n'];
        if self.end > 0 {
            file.seek(SeekFrom::Start(self.end - 1))?;
            if file.read(&mut last)? == 0 || last != [b'\n'] {
                self.end = 0;
            }
        }
        file.seek(SeekFrom::Start(self.end))?;
        check_room(file, self.end)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let (whole, rest) = whole_lines(&text);
        for line in whole.split(|&byte| byte == b'\n') {
            self.take(line);
        }
        self.end += whole.len() as u64;
        Ok(rest.to_vec())
    }

    /// Appends a record and makes sure it is on the disk. Takes in what others have appended.
    pub fn append(&mut self, record: Record) -> Result<(), ExperimentError> {
        let line = serde_json::to_string(&record).map_err(io::Error::from);
        let written = line.and_then(|line| self.append_line(&line));
        written.map_err(|cause| ExperimentError::Write { file: self.file.display().to_string(), cause })?;
        self.by_fingerprint.insert(record.fingerprint.clone(), record);
        Ok(())
    }

    fn append_line(&mut self, line: &str) -> io::Result<()> {
        if let Some(folder) = self.file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)?;
        }
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.file)?;
        // Closing the file gives the lock back.
        lock(|| file.lock())?;
        let rest = self.take_new(&mut file)?;
        let (end, line) = if self.take(&rest) {
            // A last line that only lacks its end, as editors leave it.
            (self.end + rest.len() as u64, format!("\n{line}\n"))
        } else {
            // The process that wrote half a line has ended, or it would hold the lock.
            file.set_len(self.end)?;
            (self.end, format!("{line}\n"))
        };
        file.seek(SeekFrom::Start(end))?;
        let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_data());
        if let Err(cause) = written {
            // Readers skip half a line, but on a full disk every byte counts.
            let _ = file.set_len(end);
            return Err(cause);
        }
        self.end = end + line.len() as u64;
        Ok(())
    }

    /// Refuses a file that could not be written to or locked, before any run. Leaves nothing behind and does not touch
    /// what is there.
    pub fn check_writable(&self) -> Result<(), ExperimentError> {
        let checked = match fs::metadata(&self.file) {
            Ok(_) => {
                OpenOptions::new().read(true).write(true).open(&self.file).and_then(|file| check_lock(&file))
            }
            Err(cause) if cause.kind() == ErrorKind::NotFound => check_folder(&self.file),
            Err(cause) => Err(cause),
        };
        checked.map_err(|cause| ExperimentError::Write { file: self.file.display().to_string(), cause })
    }
}

/// The lines of a text that end, and what follows them.
fn whole_lines(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    text.split_at(end)
}

/// A file to read, with a shared lock where the file system has locks: no process cuts or appends while it is open.
fn open_to_read(file: &Path) -> io::Result<Option<File>> {
    // A device would never end.
    if fs::metadata(file).is_ok_and(|about| !about.is_file()) {
        return Err(io::Error::other("it is not a file; name one that is, or a new one"));
    }
    match File::open(file) {
        Ok(open) => {
            let _ = lock(|| open.lock_shared());
            Ok(Some(open))
        }
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(cause),
    }
}

/// Asks for memory for what follows `from`: as text, and as records, which take about as much.
fn check_room(file: &File, from: u64) -> io::Result<()> {
    let length = file.metadata()?.len().saturating_sub(from);
    check_memory(|| "its lines".to_string(), length.saturating_mul(2)).map_err(io::Error::other)
}

/// Takes a lock, however often a signal comes in between.
fn lock(take: impl Fn() -> io::Result<()>) -> io::Result<()> {
    loop {
        match take() {
            Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
            Err(cause) => return Err(no_locks(&cause)),
            Ok(()) => return Ok(()),
        }
    }
}

/// Whether a file can be locked; that somebody has a lock on it says that it can.
fn check_lock(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Ok(()) | Err(fs::TryLockError::WouldBlock) => Ok(()),
        Err(fs::TryLockError::Error(cause)) => Err(no_locks(&cause)),
    }
}

fn no_locks(cause: &io::Error) -> io::Error {
    let advice = "name a file on a file system with locks, such as a local disk";
    io::Error::new(cause.kind(), format!("it cannot be locked ({cause}); {advice}"))
}

/// Whether a new file could be made here: a probe is made, in the nearest folder that is there, and taken away. Making
/// the file itself and taking it away could take another process's first line with it.
fn check_folder(file: &Path) -> io::Result<()> {
    static PROBES: AtomicU64 = AtomicU64::new(0);
    let named = |folder: &&Path| !folder.as_os_str().is_empty();
    let there = file.ancestors().skip(1).filter(named).find(|folder| folder.exists());
    let name = format!(".onesided-{}-{}.probe", std::process::id(), PROBES.fetch_add(1, Ordering::Relaxed));
    let probe = there.unwrap_or(Path::new(".")).join(name);
    let made = OpenOptions::new().write(true).create(true).truncate(true).open(&probe)?;
    let locked = check_lock(&made);
    drop(made);
    fs::remove_file(&probe).and(locked)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn record(fingerprint: &str) -> Record {
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

    pub fn folder(name: &str) -> PathBuf {
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
        assert!(error.contains("line 2: ") && error.contains("fix or delete"), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }

    fn lines(file: &Path) -> Vec<Record> {
        let text = fs::read_to_string(file).unwrap();
        assert!(text.ends_with('\n'), "{text:?}");
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn two_writers_give_the_union_and_learn_of_each_other() {
        let folder = folder("union");
        let file = folder.join("r.jsonl");
        let mut one = Results::read(&file, &[]).unwrap();
        let mut other = Results::read(&file, &[]).unwrap();
        one.append(record("a")).unwrap();
        other.append(record("b")).unwrap();
        other.append(record("c")).unwrap();
        one.append(record("d")).unwrap();
        assert_eq!(lines(&file), [record("a"), record("b"), record("c"), record("d")]);
        assert_eq!(one.by_fingerprint.len(), 4);
        assert_eq!(other.by_fingerprint.len(), 3);
        other.refresh().unwrap();
        assert_eq!(other.by_fingerprint.len(), 4);
        // The same run twice: the later line counts.
        let again = Record { seconds: 2.0, ..record("a") };
        other.append(again.clone()).unwrap();
        assert_eq!(Results::read(&file, &[]).unwrap().by_fingerprint["a"], again);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn half_a_line_is_no_result_even_where_a_letter_is_cut() {
        let folder = folder("letter");
        let file = folder.join("r.jsonl");
        let mut results = Results::read(&file, &[]).unwrap();
        results.append(record("a")).unwrap();
        let mut text = fs::read(&file).unwrap();
        text.extend(&b"{\"run\": \"\xc3"[..]);
        fs::write(&file, text).unwrap();
        assert_eq!(Results::read(&file, &[]).unwrap().by_fingerprint.len(), 1);
        results.refresh().unwrap();
        results.append(record("b")).unwrap();
        assert_eq!(lines(&file), [record("a"), record("b")]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_was_edited_meanwhile_loses_nothing() {
        let folder = folder("edited");
        let file = folder.join("r.jsonl");
        let mut results = Results::read(&file, &[]).unwrap();
        results.append(record("a")).unwrap();
        results.append(record("b")).unwrap();
        // Shorter, and without the end of its last line.
        fs::write(&file, serde_json::to_string(&record("c")).unwrap()).unwrap();
        assert_eq!(Results::read(&file, &[]).unwrap().by_fingerprint.len(), 1);
        results.append(record("d")).unwrap();
        assert_eq!(lines(&file), [record("c"), record("d")]);
        // A line that is not a result costs no finished run; the next reading names it.
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("{text}nonsense\n")).unwrap();
        results.append(record("e")).unwrap();
        assert_eq!(results.by_fingerprint.len(), 5);
        let error = Results::read(&file, &[]).unwrap_err().to_string();
        assert!(error.contains("line 3: "), "{error}");
        assert!(fs::read_to_string(&file).unwrap().ends_with("\"version\":\"0.1.0\"}\n"));
        // And one that was deleted begins anew.
        fs::remove_file(&file).unwrap();
        results.refresh().unwrap();
        results.append(record("f")).unwrap();
        assert_eq!(lines(&file), [record("f")]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn checking_leaves_nothing_behind() {
        let folder = folder("check");
        let entries = || fs::read_dir(&folder).unwrap().count();
        for name in ["r.jsonl", "deep/er/r.jsonl"] {
            Results::read(&folder.join(name), &[]).unwrap().check_writable().unwrap();
            assert_eq!(entries(), 0, "{name}");
        }
        let file = folder.join("r.jsonl");
        fs::write(&file, "{\"half").unwrap();
        let results = Results::read(&file, &[]).unwrap();
        // Also while another process is writing.
        let other = OpenOptions::new().write(true).open(&file).unwrap();
        other.lock().unwrap();
        results.check_writable().unwrap();
        assert_eq!((entries(), fs::read_to_string(&file).unwrap()), (1, "{\"half".to_string()));
        let below = Results { file: file.join("r.jsonl"), end: 0, by_fingerprint: HashMap::new() };
        let error = below.check_writable().unwrap_err().to_string();
        assert!(error.starts_with("cannot write '"), "{error}");
        drop(other);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_without_locks_is_refused_in_one_sentence() {
        let error = lock(|| Err(ErrorKind::Unsupported.into())).unwrap_err();
        let error = ExperimentError::Write { file: "r.jsonl".into(), cause: error }.to_string();
        assert_eq!(
            error,
            "cannot write 'r.jsonl': it cannot be locked (unsupported); name a file on a file system with locks, such \
             as a local disk"
        );
    }
}
