//! Numbers that a table with types keeps as texts: read as a text table would have them.

mod scratch;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use onesided_data::{ColumnIs, Dataset, Encoding, Hint, Input, InputOptions, Note, ReadAgain};
use parquet::arrow::ArrowWriter;
use scratch::Scratch;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn written(scratch: &Scratch, name: &str, columns: Vec<(&str, ArrayRef)>) -> PathBuf {
    let path = scratch.path(name);
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    path
}

fn texts(rows: usize, cell: impl Fn(usize) -> String) -> ArrayRef {
    Arc::new(StringArray::from((0..rows).map(cell).collect::<Vec<String>>()))
}

fn labels(rows: usize) -> ArrayRef {
    Arc::new(Int64Array::from((0..rows as i64).map(|row| i64::from(row % 3 == 0)).collect::<Vec<i64>>()))
}

fn options() -> InputOptions {
    InputOptions::labeled("y")
}

fn kinds(data: &Dataset) -> Vec<(String, ColumnIs)> {
    data.columns_read().iter().map(|column| (column.name.clone(), column.kind)).collect()
}

fn again(data: &Dataset, path: &Path) -> Dataset {
    let encoding: &Arc<Encoding> = data.encoding();
    encoding.read(&Input::one(path), &ReadAgain::default()).unwrap()
}

#[test]
fn texts_that_are_numbers_are_numbers_and_codes_are_not() {
    let scratch = Scratch::new("number_texts");
    let columns = vec![
        ("plain", texts(100, |row| (row % 17).to_string())),
        (
            "price",
            texts(
                100,
                |row| if row == 5 { "unknown".to_string() } else { format!("$1,{:03}.25", row * 37 % 50) },
            ),
        ),
        ("comma", texts(100, |row| format!("{},5", row * 7 % 31))),
        ("zip", texts(100, |row| format!("0{:04}", row * 13 % 40))),
        ("word", texts(100, |row| ["red", "blue"][row % 2].to_string())),
        ("y", labels(100)),
    ];
    let path = written(&scratch, "t.parquet", columns);
    let data = options().read(&Input::one(&path)).unwrap();
    let number = |name: &str| (name.to_string(), ColumnIs::Number);
    let category = |name: &str| (name.to_string(), ColumnIs::Category);
    let expected = [number("plain"), number("price"), number("comma"), category("zip"), category("word")];
    assert_eq!(kinds(&data), expected);
    let note = data.notes().iter().find(|note| matches!(note, Note::NumberTexts { .. })).unwrap();
    assert_eq!(
        note.to_string(),
        "texts that are numbers are read as numbers in plain, price ($1,000.25 read as 1000.25), comma (0,5 read as 0.5)"
    );
    let hint = Hint::new("if they are codes, read them as categories", "categorical", "plain");
    assert_eq!(note.hint(), Some(hint));
    // The same rows come out when the table is read again, and when a text table holds them.
    assert_eq!(again(&data, &path).rows(), data.rows());
    let as_asked = InputOptions { categorical: vec!["plain".to_string()], ..options() };
    assert_eq!(kinds(&as_asked.read(&Input::one(&path)).unwrap())[0], category("plain"));
}

#[test]
fn more_numbers_than_categories_may_be_are_numbers_still() {
    let scratch = Scratch::new("many_number_texts");
    let rows = 100_500;
    let value = |row: usize| (row * 7919 % 1_000_003) as f64 / 8.0;
    let columns = vec![("x", texts(rows, |row| value(row).to_string())), ("y", labels(rows))];
    let path = written(&scratch, "t.parquet", columns);
    let data = options().read(&Input::one(&path)).unwrap();
    assert_eq!(kinds(&data), [("x".to_string(), ColumnIs::Number)]);
    // Scaled to mean 0 and deviation 1: two cells tell the scale, and the last row is where it belongs.
    let cells = data.dense().unwrap().into_owned();
    let cell = |row: usize| f64::from(cells.as_slice()[row]);
    let scale = (value(1) - value(0)) / (cell(1) - cell(0));
    let last = rows - 1;
    assert!((cell(0) + (value(last) - value(0)) / scale - cell(last)).abs() < 1e-3);
}
