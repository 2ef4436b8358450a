//! Files that the fuzzer found, and those it began with: each takes its own way through a reader, and none may end it.
//!
//! `fuzz/` has the targets, `corpus/` a folder for each. A file that once crashed a reader is put there and stays.

#[path = "../../../fuzz/readers.rs"]
mod readers;

use std::fs;
use std::path::Path;

/// Targets whose corpora lie with the crates that they belong to.
const ELSEWHERE: [&str; 3] = ["csv", "model", "parquet"];

#[test]
fn every_file_of_every_corpus_is_read_or_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    for (name, read) in readers::READERS.iter().filter(|(name, _)| !ELSEWHERE.contains(name)) {
        let files = fs::read_dir(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
        assert!(files.len() >= 2, "{name}: {} files", files.len());
        files.iter().for_each(|file| read(&fs::read(file).unwrap()));
    }
    readers::remove_files();
}

#[test]
fn every_reader_has_a_target() {
    let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/fuzz_targets");
    let mut names: Vec<String> = fs::read_dir(targets)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "set")
        .collect();
    names.sort();
    assert_eq!(names, readers::READERS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}
