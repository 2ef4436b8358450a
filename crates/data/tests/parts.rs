//! Several Parquet files are one table, and some neighboring rows of it can be read alone.

use onesided_data::{Cutting, DataError, Dataset, Input, InputOptions, OutColumn, Store, write_table};
use std::path::PathBuf;

/// A folder that goes when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("onesided-parts-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Rows from a number to before another.
fn write(folder: &Folder, name: &str, rows: std::ops::Range<usize>) -> PathBuf {
    let path = folder.0.join(name);
    let columns = [
        ("x", OutColumn::F64(rows.clone().map(|i| (i * 37 % 101) as f64 / 8.0).collect())),
        ("kind", OutColumn::Text(rows.clone().map(|i| ["a", "b", ""][i % 3].to_string()).collect())),
        ("y", OutColumn::U64(rows.map(|i| u64::from(i % 5 == 0)).collect())),
    ];
    write_table(&path, &columns).unwrap();
    path
}

fn cells(data: &Dataset) -> Vec<u32> {
    let Store::Dense(matrix) = data.rows() else { panic!("sparse") };
    matrix.as_slice().iter().map(|cell| cell.to_bits()).collect()
}

#[test]
fn files_one_below_the_other_are_one_table() {
    let folder = Folder::new("table");
    let whole = Input::one(write(&folder, "whole.parquet", 0..300));
    // Written in another order than that of their names.
    write(&folder, "part-2.parquet", 101..300);
    write(&folder, "part-0.parquet", 0..100);
    write(&folder, "part-1.parquet", 100..101);
    let parts = Input::at(folder.0.join("part-*.parquet"));
    let names: Vec<_> = parts.paths().iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["part-0.parquet", "part-1.parquet", "part-2.parquet"]);
    let options = InputOptions::labeled("y");
    let (one, many) = (options.read(&whole).unwrap(), options.read(&parts).unwrap());
    assert_eq!((cells(&many), many.labels(), many.len()), (cells(&one), one.labels(), 300));
    assert_eq!(many.encoding(), one.encoding());
    assert_eq!(parts.rows().unwrap(), 300);
    // Columns are learned alone, in any order.
    let visit = &mut |_: usize, _: &[usize], _: &onesided_data::Columns| Ok(());
    let mut learned = options.learn_columns::<DataError>(&parts, &[1], false, visit).unwrap();
    learned.merge(options.learn_columns::<DataError>(&parts, &[0], false, visit).unwrap());
    assert_eq!(options.columns_to_learn(&parts).unwrap(), [0, 1]);
    assert_eq!(options.of_columns(&parts, learned).unwrap().encoding(), one.encoding());
}

#[test]
fn a_range_is_some_rows_whichever_files_they_are_in() {
    let folder = Folder::new("range");
    let parts = Input::parts([(0..90), (90..91), (91..250)].map(|rows| {
        let name = format!("{}.parquet", rows.start);
        write(&folder, &name, rows)
    }));
    let options = InputOptions::labeled("y");
    let all = options.read(&parts).unwrap();
    for range in [(0, 250), (10, 20), (89, 92), (91, 250), (249, 250)] {
        let cut = Cutting { rows: Some(7), threads: 1, range: Some(range) };
        let mut found = Vec::new();
        all.encoding()
            .stream::<DataError>(&parts, &options.written_again(), cut, &mut |piece| {
                found.extend(cells(&piece));
                Ok(())
            })
            .unwrap();
        let some: Vec<usize> = (range.0..range.1).collect();
        assert_eq!(found, cells(&all.select(&some)), "{range:?}");
    }
    let text = folder.0.join("t.csv");
    std::fs::write(&text, "x,kind,y\n1,a,0\n2,b,1\n").unwrap();
    let cut = Cutting { range: Some((0, 1)), ..Cutting::default() };
    let read = all.encoding().stream::<DataError>(
        &Input::one(&text),
        &options.written_again(),
        cut,
        &mut |_| Ok(()),
    );
    assert!(read.unwrap_err().to_string().contains("of which alone some neighboring rows can be read"));
}
