//! Files that the fuzzer found: each took a way through the readers that none before it took.
//!
//! `fuzz/` has the targets. A file that once crashed a reader is put into `corpus/` and stays there.

use onesided_data::{Frame, TableError, read_csv_bytes, read_parquet_bytes};
use std::fs;
use std::path::Path;

/// Reads every file of a folder and returns how many were tables and how many were refused.
fn read_all(folder: &str, read: impl Fn(&[u8]) -> Result<Frame, TableError>) -> (usize, usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(folder);
    let (mut tables, mut refused) = (0, 0);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match read(&fs::read(&path).unwrap()) {
            Ok(frame) => {
                let whole = frame.columns.iter().all(|column| column.values.len() == frame.rows);
                assert!(whole, "{}: columns of different lengths", path.display());
                tables += 1;
            }
            Err(error) => {
                let sentence = error.to_string();
                assert!(!sentence.is_empty() && !sentence.contains('\n'), "{}: {sentence}", path.display());
                refused += 1;
            }
        }
    }
    (tables, refused)
}

#[test]
fn csv() {
    let (tables, refused) = read_all("csv", read_csv_bytes);
    assert!(tables >= 5 && refused >= 10, "{tables} tables, {refused} refused");
}

#[test]
fn parquet() {
    let (tables, refused) = read_all("parquet", read_parquet_bytes);
    assert!(tables >= 1 && refused >= 10, "{tables} tables, {refused} refused");
}
