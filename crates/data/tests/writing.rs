//! Tables come back as they were written, and a failed write leaves nothing behind.

use onesided_data::{OutColumn, ReadOptions, TableError, Values, read, write_atomically, write_table};
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
    assert!(
        message(&folder.join("out.ods")).contains("use the extension .csv, .tsv, .jsonl, .parquet or .xlsx")
    );
    let uneven = [("x", OutColumn::U64(vec![1])), ("y", OutColumn::F64(vec![]))];
    assert!(matches!(write_table(&folder.join("u.csv"), &uneven), Err(TableError::Length { .. })));
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
    // Links to a link, and to a file that is not there yet.
    std::os::unix::fs::symlink("first.csv", folder.join("second.csv")).unwrap();
    fs::create_dir(folder.join("inner")).unwrap();
    std::os::unix::fs::symlink("inner/new.csv", folder.join("first.csv")).unwrap();
    write_table(&folder.join("second.csv"), &[("x", OutColumn::U64(vec![8]))]).unwrap();
    assert_eq!(fs::read_to_string(folder.join("inner/new.csv")).unwrap(), "x\n8\n");
    let is_link = |name: &str| fs::symlink_metadata(folder.join(name)).unwrap().is_symlink();
    assert!(is_link("first.csv") && is_link("second.csv"));
    // Links in a circle lead nowhere.
    std::os::unix::fs::symlink("round.csv", folder.join("round.csv")).unwrap();
    assert!(write_table(&folder.join("round.csv"), &[("x", OutColumn::U64(vec![9]))]).is_err());
    assert!(is_link("round.csv"));
    write_atomically(Path::new("/dev/null"), |out| out.write_all(b"gone")).unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[cfg(feature = "sheets")]
#[test]
fn texts_of_a_spreadsheet_come_back_and_what_is_cut_is_said() {
    let folder = folder("sheet");
    let texts = ["_x0041_", "_x005F_", "a_x000D_b", "_x41_", "a\u{1}b", "_x0041", "😀_x0041_"];
    let cells = |more: &[String]| {
        let texts = texts.iter().map(ToString::to_string).chain(more.iter().cloned()).collect();
        [("_x0042_", OutColumn::Text(texts))]
    };
    let path = folder.join("texts.xlsx");
    assert_eq!(write_table(&path, &cells(&[])).unwrap(), None);
    let frame = read(&path, &ReadOptions::default()).unwrap();
    assert_eq!(frame.columns[0].name, "_x0042_");
    let Values::Categorical { codes, levels } = &frame.columns[0].values else { panic!("{frame:?}") };
    let back: Vec<&str> = codes.iter().map(|&code| levels[code as usize].as_str()).collect();
    assert_eq!(back, texts);
    // A cell holds 32,767 characters, of which a sign beyond the first plane is two.
    let long = ["y".repeat(32_767), "z".repeat(40_000), "😀".repeat(16_384)];
    let cut = write_table(&path, &cells(&long)).unwrap().unwrap();
    assert_eq!((cut.texts, cut.row, cut.column.as_str()), (2, 10, "_x0042_"));
    assert_eq!(
        cut.to_string(),
        "2 texts are longer than the 32,767 characters that a cell of a spreadsheet holds and were cut, \
         first '_x0042_' in row 10 of the sheet; .csv and .parquet hold them whole"
    );
    let frame = read(&path, &ReadOptions::default()).unwrap();
    assert_eq!(frame.rows, 10);
}
