//! Several processes on one results file: the union of what they write, whoever is killed.

use onesided_experiment::{Record, Results};
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;

/// Lines that a writer appends.
const LINES: usize = 8;

fn record(writer: &str, number: usize) -> Record {
    Record {
        run: format!("mnist/0.2/collective/{number}"),
        fingerprint: format!("{writer}-{number}"),
        accuracy: 0.9925,
        auc: 0.999,
        rows: (10, 20),
        prior: None,
        estimated_accuracy: None,
        loss: 0.1,
        seconds: 1.5,
        device: "cpu".into(),
        version: "0.1.0".into(),
    }
}

fn write_lines(file: &Path, writer: &str) {
    let mut results = Results::read(file, &[]).unwrap();
    results.check_writable().unwrap();
    for number in 0..LINES {
        results.append(record(writer, number)).unwrap();
        results.refresh().unwrap();
    }
}

/// What a writer leaves that is killed in the middle of a line.
fn leave_half_a_line(file: &Path) {
    let mut open = OpenOptions::new().create(true).truncate(false).write(true).open(file).unwrap();
    open.lock().unwrap();
    open.seek(SeekFrom::End(0)).unwrap();
    open.write_all(b"{\"run\":\"mnist/0.2/coll").unwrap();
}

/// The fingerprints in a file of whole lines.
fn written(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str::<Record>(line).expect(line).fingerprint).collect()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("onesided-shared-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// This program again, as a process that does what `writer_process` says.
fn process(file: &Path, writer: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer_process", "--ignored", "--quiet"])
        .env("ONESIDED_TEST_FILE", file)
        .env("ONESIDED_TEST_WRITER", writer)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "the other process of the tests below"]
fn writer_process() {
    let Some(file) = std::env::var_os("ONESIDED_TEST_FILE").map(PathBuf::from) else { return };
    match std::env::var("ONESIDED_TEST_WRITER").unwrap().as_str() {
        "half" => leave_half_a_line(&file),
        "endless" => {
            let mut results = Results::read(&file, &[]).unwrap();
            (0..20_000).for_each(|number| results.append(record("endless", number)).unwrap());
        }
        writer => write_lines(&file, writer),
    }
}

/// Every line of `writers` writers, each once.
fn assert_union(file: &Path, writers: usize) {
    let lines: Vec<String> = written(file).into_iter().filter(|line| !line.starts_with("endless")).collect();
    let wanted: HashSet<String> =
        (0..writers).flat_map(|writer| (0..LINES).map(move |number| format!("{writer}-{number}"))).collect();
    assert_eq!(lines.len(), wanted.len());
    assert_eq!(lines.into_iter().collect::<HashSet<_>>(), wanted);
}

#[test]
fn threads_that_open_the_file_separately_give_the_union() {
    let folder = folder("threads");
    for writers in [2, 4, 8] {
        for repeat in 0..10 {
            let file = folder.join(format!("new-{writers}-{repeat}/r.jsonl"));
            thread::scope(|scope| {
                for writer in 0..writers {
                    let file = &file;
                    scope.spawn(move || write_lines(file, &writer.to_string()));
                }
            });
            assert_union(&file, writers);
            assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn processes_give_the_union_while_others_are_killed() {
    let folder = folder("processes");
    for writers in [2, 4, 8] {
        for repeat in 0..10 {
            let file = folder.join(format!("{writers}-{repeat}.jsonl"));
            let mut killed = process(&file, "endless");
            let mut others: Vec<Child> =
                (0..writers).map(|writer| process(&file, &writer.to_string())).collect();
            others.push(process(&file, "half"));
            leave_half_a_line(&file);
            for other in &mut others[..writers / 2] {
                assert!(other.wait().unwrap().success());
            }
            // Wherever it is in its line.
            killed.kill().unwrap();
            killed.wait().unwrap();
            for other in &mut others {
                assert!(other.wait().unwrap().success());
            }
            // The last to write may have been one that left half a line.
            Results::read(&file, &[]).unwrap().append(record("endless", usize::MAX)).unwrap();
            assert_union(&file, writers);
        }
    }
    fs::remove_dir_all(folder).unwrap();
}
