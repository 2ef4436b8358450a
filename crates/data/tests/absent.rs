//! A build without the formats says so, and which feature brings them. Run by `.ci/run` with
//! `cargo test -p onesided-data --no-default-features --test absent`.
#![cfg(not(any(feature = "parquet", feature = "pictures", feature = "sheets", feature = "zstd")))]

use onesided_data::{Input, InputOptions, OutColumn, ReadOptions, read, write_table};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn refused(path: &Path) -> String {
    let message = read(path, &ReadOptions::default()).unwrap_err().to_string();
    message.replace(&path.display().to_string(), "FILE")
}

#[test]
fn tables_are_refused_with_the_feature_that_reads_them() {
    for (name, what, feature) in
        [("snappy.parquet", "a Parquet table", "parquet"), ("packed.csv.zst", "packed with zstd", "zstd")]
    {
        let sentence = format!(
            "'FILE' is {what}, which this build does not read; enable the feature '{feature}', or save it as .csv"
        );
        assert_eq!(refused(&fixture(name)), sentence);
    }
    let scratch = std::env::temp_dir().join(format!("onesided-absent-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();
    for (name, bytes, what) in [
        ("x.feather", &b"ARROW1\0\0"[..], "an Arrow table"),
        ("x.xlsx", b"PK\x03\x04....", "a spreadsheet"),
        // Bytes decide where they contradict the name.
        ("x.csv", b"PAR1....", "a Parquet table"),
    ] {
        let file = scratch.join(name);
        std::fs::write(&file, bytes).unwrap();
        assert!(refused(&file).starts_with(&format!("'FILE' is {what}, which this build")), "{name}");
    }
    std::fs::remove_dir_all(scratch).unwrap();
}

#[test]
fn lists_are_written_as_text_or_refused_and_leave_nothing() {
    let folder = std::env::temp_dir().join(format!("onesided-written-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let columns = [("score", OutColumn::F32(vec![0.5]))];
    for (name, feature) in [("x.parquet", "parquet"), ("x.xlsx", "sheets")] {
        let message = write_table(&folder.join(name), &columns).unwrap_err().to_string();
        assert!(message.contains(&format!("enable the feature '{feature}'")), "{message}");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    write_table(&folder.join("x.csv"), &columns).unwrap();
    assert_eq!(std::fs::read_to_string(folder.join("x.csv")).unwrap(), "score\n0.5\n");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn text_tables_are_read_and_pictures_are_not() {
    let folder = std::env::temp_dir().join(format!("onesided-slim-{}", std::process::id()));
    for class in ["good", "rest"] {
        std::fs::create_dir_all(folder.join(class)).unwrap();
        for i in 0..3 {
            std::fs::copy(fixture("halves.jpg"), folder.join(class).join(format!("{i}.jpg"))).unwrap();
        }
    }
    let table = folder.join("x.csv");
    std::fs::write(&table, "a,y\n1,1\n2,0\n3,0\n").unwrap();
    let options = InputOptions::labeled("y");
    assert_eq!(options.read(&Input::one(&table)).unwrap().len(), 3);
    let pictures = Input::two(folder.join("good"), folder.join("rest"));
    let message = InputOptions::default().read(&pictures).unwrap_err().to_string();
    assert!(message.contains("this build reads no pictures; enable the feature 'pictures'"), "{message}");
    std::fs::remove_dir_all(folder).unwrap();
}
