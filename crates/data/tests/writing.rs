//! Tables come back as they were written, and a failed write leaves nothing behind.

use onesided_data::{DataError, OutColumn, ReadOptions, Values, read, write_atomically, write_table};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A separate empty folder for each test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("writing").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn tables_come_back() {
    let folder = folder("tables");
    let columns = [
        ("row", OutColumn::U64(vec![1, 2, 3])),
        ("score", OutColumn::F32(vec![0.1, -3.5e-9, f32::MAX])),
        ("probability", OutColumn::F64(vec![0.25, 1e-12, 1.0])),
        ("name", OutColumn::Text(vec!["a,b".into(), "say \"hi\"".into(), "line\nbreak".into()])),
    ];
    for name in ["out.csv", "out.tsv", "out.parquet", "out.pq", "again.csv"] {
        let path = folder.join(name);
        // Written over what is there, too.
        write_table(&path, &columns).unwrap();
        write_table(&path, &columns).unwrap();
        let frame = read(&path, &ReadOptions::default()).unwrap();
        let numbers = |at: usize| match &frame.columns[at].values {
            Values::Numeric(values) => values.clone(),
            // The shortest text of f32::MAX is not exactly that number.
            Values::Wide(values) => values.iter().map(|&x| x as f32).collect(),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(numbers(0), [1.0, 2.0, 3.0], "{name}");
        assert_eq!(numbers(1), [0.1, -3.5e-9, f32::MAX], "{name}");
        assert_eq!(numbers(2), [0.25, 1e-12, 1.0], "{name}");
        let Values::Categorical { levels, .. } = &frame.columns[3].values else { panic!("{name}") };
        assert_eq!(levels, &["a,b", "line\nbreak", "say \"hi\""], "{name}");
    }
    assert_eq!(files(&folder), ["again.csv", "out.csv", "out.parquet", "out.pq", "out.tsv"]);
    assert_eq!(
        fs::read_to_string(folder.join("out.csv")).unwrap().lines().nth(1),
        Some("1,0.1,0.25,\"a,b\"")
    );
}

#[test]
fn a_failed_write_leaves_what_was_there() {
    let folder = folder("failed");
    let path = folder.join("model.bin");
    write_atomically(&path, |out| out.write_all(b"first")).unwrap();
    let error = write_atomically(&path, |out| {
        out.write_all(b"half of the sec")?;
        Err(io::Error::other("the disk is full"))
    });
    assert!(error.unwrap_err().to_string().ends_with("model.bin': the disk is full"));
    assert_eq!(fs::read(&path).unwrap(), b"first");
    assert_eq!(files(&folder), ["model.bin"]);
}

#[test]
fn unwritable_places_are_named() {
    let folder = folder("unwritable");
    let columns = [("x", OutColumn::U64(vec![1]))];
    let message = |path: &Path| write_table(path, &columns).unwrap_err().to_string();
    let nowhere = folder.join("no/such/folder/out.csv");
    assert!(message(&nowhere).starts_with(&format!("cannot write '{}': ", nowhere.display())));
    fs::create_dir(folder.join("taken.csv")).unwrap();
    assert!(message(&folder.join("taken.csv")).contains("is a directory"));
    assert!(message(&folder.join("out.ods")).contains("use the extension .csv, .tsv, .parquet or .xlsx"));
    let uneven = [("x", OutColumn::U64(vec![1])), ("y", OutColumn::F64(vec![]))];
    assert!(matches!(write_table(&folder.join("u.csv"), &uneven), Err(DataError::Length { .. })));
    assert_eq!(files(&folder), ["taken.csv"]);
}

#[cfg(unix)]
#[test]
fn links_and_devices_stay_what_they_are() {
    let folder = folder("links");
    fs::write(folder.join("real.csv"), "old").unwrap();
    std::os::unix::fs::symlink(folder.join("real.csv"), folder.join("link.csv")).unwrap();
    write_table(&folder.join("link.csv"), &[("x", OutColumn::U64(vec![7]))]).unwrap();
    assert!(fs::symlink_metadata(folder.join("link.csv")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(folder.join("real.csv")).unwrap(), "x\n7\n");
    write_atomically(Path::new("/dev/null"), |out| out.write_all(b"gone")).unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}
