//! Parquet files that are larger than they look.

use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, Int32Array, ListArray, RecordBatch, StringArray};
use onesided_data::{ReadOptions, limit_memory, read};
use parquet::arrow::ArrowWriter;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes the same rows several times, which encodings shrink to next to nothing.
fn written(name: &str, batch: &RecordBatch, times: usize) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bombs");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
    (0..times).for_each(|_| writer.write(batch).unwrap());
    writer.close().unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 4 << 20, "{name}");
    path
}

fn message(path: &Path, options: &ReadOptions) -> String {
    let message = read(path, options).unwrap_err().to_string();
    assert!(message.starts_with("not enough memory for ") && !message.contains('\n'), "{message}");
    message
}

#[test]
fn rows_lists_and_texts_that_repeat() {
    limit_memory(256 << 20);
    let constant = Arc::new(Float64Array::from(vec![1.0; 1 << 20])) as ArrayRef;
    let columns = ["a", "b", "c", "d"].map(|name| (name, constant.clone()));
    let path = written("rows.parquet", &RecordBatch::try_from_iter(columns).unwrap(), 20);
    assert!(message(&path, &ReadOptions::default()).contains("20971520 rows of"));

    let list = Some(vec![Some(1.0f32); 17 << 20]);
    let lists = Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>([list])) as ArrayRef;
    let path = written("lists.parquet", &RecordBatch::try_from_iter([("v", lists)]).unwrap(), 1);
    assert!(message(&path, &ReadOptions::default()).contains("17825792 numbers of a row group"));

    // A long text that every row refers to.
    let text = Arc::new(StringArray::from(vec!["long ".repeat(40_000)]));
    let keys = Int32Array::from(vec![0; 8192]);
    let texts = Arc::new(DictionaryArray::<Int32Type>::try_new(keys, text).unwrap()) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("t", texts)]).unwrap();
    let path = written("texts.parquet", &batch, 1);
    let verbatim = ReadOptions { verbatim: vec!["t".to_string()], ..ReadOptions::default() };
    assert!(message(&path, &verbatim).contains("beyond row"));
    // As a category it is one, however often it occurs.
    let frame = read(&path, &ReadOptions::default()).unwrap();
    assert_eq!(frame.rows, 8192);
}
