//! Parquet tables: every kind of column in one, vectors, and identifiers to the last digit.

mod scratch;

use arrow_array::types::{ArrowPrimitiveType, Float16Type, Float32Type, Float64Type};
use arrow_array::{
    ArrayRef, Decimal128Array, FixedSizeListArray, Float64Array, Int64Array, ListArray, RecordBatch,
    StringArray,
};
use onesided_data::{
    DataError, Dataset, Encoding, Hint, Input, InputOptions, MissingPolicy, Note, ReadAgain, Roles, Store,
    WhyLeftOut,
};
use parquet::arrow::ArrowWriter;
use scratch::Scratch;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Half = <Float16Type as ArrowPrimitiveType>::Native;
type Vectors = Vec<Option<Vec<Option<f64>>>>;

fn written(scratch: &Scratch, name: &str, columns: Vec<(&str, ArrayRef)>) -> PathBuf {
    let path = scratch.path(name);
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    path
}

fn floats(values: &[f64]) -> ArrayRef {
    Arc::new(Float64Array::from(values.to_vec()))
}

fn whole(values: &[i64]) -> ArrayRef {
    Arc::new(Int64Array::from(values.to_vec()))
}

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn lists(vectors: &Vectors) -> ArrayRef {
    Arc::new(ListArray::from_iter_primitive::<Float64Type, _, _>(vectors.clone()))
}

fn full(vectors: &[[f64; 2]]) -> Vectors {
    vectors.iter().map(|vector| Some(vector.iter().map(|&x| Some(x)).collect())).collect()
}

fn labeled() -> InputOptions {
    InputOptions::labeled("y")
}

fn again(data: &Dataset, path: &Path) -> Dataset {
    data.encoding().read(&Input::one(path), &ReadAgain::default()).unwrap()
}

fn message(options: &InputOptions, path: &Path) -> String {
    options.read(&Input::one(path)).unwrap_err().to_string()
}

#[test]
fn numbers_categories_texts_and_vectors_in_one_table() {
    let scratch = Scratch::new("mixed");
    let path = written(
        &scratch,
        "mixed.parquet",
        vec![
            ("price", floats(&[1.0, 3.0, 1.0, 3.0])),
            ("color", texts(&["red", "blue", "red", "NA"])),
            ("title", texts(&["late goal", "one goal", "rain", "more rain"])),
            ("vec", lists(&full(&[[0.0, 7.0], [2.0, 7.0], [2.0, 7.0], [0.0, 7.0]]))),
            ("y", whole(&[1, 0, 0, 0])),
        ],
    );
    let options = InputOptions { text: vec!["title".to_string()], ..labeled() };
    let data = options.read(&Input::one(&path)).unwrap();
    let names = ["price", "color=blue", "color=red", "title:goal", "title:rain", "vec[0]", "vec[1]"];
    assert_eq!(data.encoding().names(), names);
    assert!(matches!(data.rows(), Store::Sparse(_)));
    // Numbers and the first place of the vectors have mean and standard deviation 1; a lone term has length 1; a place
    // that never changes is centered.
    let rows = data.dense().unwrap();
    assert_eq!(rows.row(0), [-1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 0.0]);
    assert_eq!(rows.row(1), [1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    assert_eq!(rows.row(2), [-1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
    assert_eq!(rows.row(3), [1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0]);
    assert_eq!(again(&data, &path).rows(), data.rows());
    let json = serde_json::to_string(data.encoding().as_ref()).unwrap();
    let stored = Arc::new(serde_json::from_str::<Encoding>(&json).unwrap());
    assert_eq!(stored.read(&Input::one(&path), &ReadAgain::default()).unwrap().rows(), data.rows());
}

#[test]
fn a_table_of_one_text_has_plain_terms() {
    let scratch = Scratch::new("terms");
    let columns = vec![("t", texts(&["a goal", "the goal", "rain"])), ("y", whole(&[1, 0, 0]))];
    let path = written(&scratch, "t.parquet", columns);
    let options = InputOptions { text: vec!["t".to_string()], ..labeled() };
    assert_eq!(options.read(&Input::one(&path)).unwrap().encoding().names(), ["goal"]);
}

#[test]
fn lists_of_every_float_are_vectors() {
    let scratch = Scratch::new("floats");
    let vectors = full(&[[0.5, 1.0], [1.5, 3.0], [0.5, 1.0]]);
    let single: Vec<Option<Vec<Option<f32>>>> = vec![
        Some(vec![Some(0.5), Some(1.0)]),
        Some(vec![Some(1.5), Some(3.0)]),
        Some(vec![Some(0.5), Some(1.0)]),
    ];
    let half: Vec<Option<Vec<Option<Half>>>> = single
        .iter()
        .map(|list| list.as_ref().map(|list| list.iter().map(|x| x.map(Half::from_f32)).collect()))
        .collect();
    let arrays: [(&str, ArrayRef); 6] = [
        ("f64", lists(&vectors)),
        ("f32", Arc::new(ListArray::from_iter_primitive::<Float32Type, _, _>(single.clone()))),
        ("f16", Arc::new(ListArray::from_iter_primitive::<Float16Type, _, _>(half.clone()))),
        ("fixed64", Arc::new(FixedSizeListArray::from_iter_primitive::<Float64Type, _, _>(vectors, 2))),
        ("fixed32", Arc::new(FixedSizeListArray::from_iter_primitive::<Float32Type, _, _>(single, 2))),
        ("fixed16", Arc::new(FixedSizeListArray::from_iter_primitive::<Float16Type, _, _>(half, 2))),
    ];
    let r = 0.5f64.sqrt();
    for (name, array) in arrays {
        let path =
            written(&scratch, &format!("{name}.parquet"), vec![("v", array), ("y", whole(&[1, 0, 0]))]);
        let data = labeled().read(&Input::one(&path)).unwrap();
        assert_eq!(data.encoding().names(), ["v[0]", "v[1]"], "{name}");
        // Two of one value and one of another: -√½, √2, -√½.
        let expected = [-r, -r, 2.0 * r, 2.0 * r, -r, -r];
        let rows = data.dense().unwrap();
        for (value, expected) in rows.as_slice().iter().zip(expected) {
            assert!((f64::from(*value) - expected).abs() < 1e-6, "{name}: {rows:?}");
        }
        assert_eq!(again(&data, &path).rows(), data.rows(), "{name}");
    }
}

#[test]
fn missing_vectors_are_the_mean() {
    let scratch = Scratch::new("missing_vectors");
    let mut vectors = full(&[[0.0, 1.0], [0.0, 1.0], [2.0, 5.0], [0.0, 1.0], [1.0, 3.0]]);
    (vectors[0], vectors[1], vectors[3]) = (None, None, None);
    vectors[4] = Some(vec![Some(0.0), Some(1.0)]);
    let path = written(&scratch, "m.parquet", vec![("v", lists(&vectors)), ("y", whole(&[1, 0, 0, 0, 0]))]);
    let data = labeled().read(&Input::one(&path)).unwrap();
    assert_eq!(data.dense().unwrap().as_slice(), [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, -1.0, -1.0]);
    // There is nothing else in these rows.
    assert_eq!(data.notes(), [Note::Blank { rows: 3, first: 1 }, Note::Missing(vec![("v".to_string(), 3)])]);
    let error = message(&InputOptions { missing: MissingPolicy::Refuse, ..labeled() }, &path);
    assert!(error.contains("row 1, column 'v': the cell is missing"), "{error}");
    // A file without a single vector still has the column.
    let none: Vectors = vec![None, None];
    let path = written(&scratch, "none.parquet", vec![("v", lists(&none)), ("y", whole(&[1, 0]))]);
    assert_eq!(again(&data, &path).dense().unwrap().as_slice(), [0.0; 4]);
    let path = written(&scratch, "none.parquet", vec![("v", lists(&none)), ("x", floats(&[1.0, 2.0]))]);
    let empty = written(
        &scratch,
        "full.parquet",
        vec![("v", lists(&full(&[[1.0, 2.0], [3.0, 4.0]]))), ("x", floats(&[3.0, 4.0]))],
    );
    let both = InputOptions::default().read(&Input::two(path, empty)).unwrap();
    assert_eq!(both.encoding().names(), ["v[0]", "v[1]", "x"]);
}

#[test]
fn vectors_of_other_lengths_are_named() {
    let scratch = Scratch::new("lengths");
    let mut vectors = full(&[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]);
    vectors[2] = Some(vec![Some(1.0); 3]);
    let path = written(&scratch, "l.parquet", vec![("v", lists(&vectors)), ("y", whole(&[1, 0, 0]))]);
    let error = labeled().read(&Input::one(&path)).unwrap_err();
    let sentence = "column 'v', row 3: the vector has 3 numbers where others have 2";
    assert_eq!(error.to_string(), sentence);
    assert_eq!(error.hint(), Some(Hint::new("leave it out", "drop", "v")));
    vectors[2] = Some(Vec::new());
    let path = written(&scratch, "e.parquet", vec![("v", lists(&vectors)), ("y", whole(&[1, 0, 0]))]);
    assert!(message(&labeled(), &path).contains("row 3: the vector has 0 numbers where others have 2"));
    // And at prediction.
    let path = written(
        &scratch,
        "f.parquet",
        vec![("v", lists(&full(&[[0.0, 1.0], [2.0, 3.0]]))), ("y", whole(&[1, 0]))],
    );
    let data = labeled().read(&Input::one(&path)).unwrap();
    let one: Vectors = vec![Some(vec![Some(1.0)])];
    let path = written(&scratch, "one.parquet", vec![("v", lists(&one))]);
    let error = data.encoding().read(&Input::one(&path), &ReadAgain::default()).unwrap_err().to_string();
    assert!(error.contains("'v', row 1: the vector has 1 numbers where others have 2"), "{error}");
}

#[test]
fn vectors_hold_numbers_alone() {
    let scratch = Scratch::new("inside");
    for (name, bad, sentence) in [
        ("null", None, "null is not a finite number"),
        ("nan", Some(f64::NAN), "NaN is not a finite number"),
        ("inf", Some(f64::NEG_INFINITY), "-inf is not a finite number"),
        ("large", Some(1e39), "1e39 does not fit a 32-bit float"),
    ] {
        let mut vectors = full(&[[0.0, 1.0], [2.0, 3.0]]);
        vectors[1] = Some(vec![Some(0.0), bad]);
        let path = written(&scratch, name, vec![("v", lists(&vectors)), ("y", whole(&[1, 0]))]);
        let renamed = path.with_extension("parquet");
        std::fs::rename(&path, &renamed).unwrap();
        let error = message(&labeled(), &renamed);
        assert!(error.contains(&format!("row 2, column 'v': {sentence}")), "{error}");
    }
}

#[test]
fn lists_of_words_are_left_out() {
    let scratch = Scratch::new("words");
    let mut builder = arrow_array::builder::ListBuilder::new(arrow_array::builder::StringBuilder::new());
    builder.append_value([Some("a"), Some("b")]);
    builder.append_value([Some("c")]);
    let columns: Vec<(&str, ArrayRef)> =
        vec![("tags", Arc::new(builder.finish())), ("x", floats(&[1.0, 2.0])), ("y", whole(&[1, 0]))];
    let data = labeled().read(&Input::one(written(&scratch, "w.parquet", columns))).unwrap();
    let note = Note::LeftOut { columns: vec!["tags".to_string()], why: WhyLeftOut::Type };
    assert_eq!(data.notes(), [note]);
}

#[test]
fn decimal_identifiers_come_out_digit_by_digit() {
    let scratch = Scratch::new("decimals");
    let decimals = |values: Vec<Option<i128>>, scale: i8| -> ArrayRef {
        Arc::new(Decimal128Array::from(values).with_precision_and_scale(38, scale).unwrap())
    };
    let long = 12_345_678_901_234_567_890_123_456_789_012_345_678i128;
    let path = written(
        &scratch,
        "d.parquet",
        vec![
            ("number", decimals(vec![Some(long), Some(-long), None, Some(0)], 0)),
            ("money", decimals(vec![Some(120), Some(-5), Some(long), None], 2)),
            ("big", whole(&[i64::MAX, i64::MIN, 0, 9_007_199_254_740_993])),
            ("x", floats(&[1.0, 2.0, 3.0, 4.0])),
            ("y", whole(&[1, 0, 0, 0])),
        ],
    );
    let id = ["number", "money", "big"].map(str::to_string).to_vec();
    let data = InputOptions { roles: Roles { id, ..labeled().roles }, ..labeled() }
        .read(&Input::one(&path))
        .unwrap();
    let cells = |at: usize| data.ids()[at].1.iter().collect::<Vec<_>>();
    let digits = "12345678901234567890123456789012345678";
    assert_eq!(cells(0), [digits, &format!("-{digits}"), "", "0"]);
    assert_eq!(cells(1), ["1.20", "-0.05", "123456789012345678901234567890123456.78", ""]);
    assert_eq!(cells(2), ["9223372036854775807", "-9223372036854775808", "0", "9007199254740993"]);
}

#[test]
fn numbers_asked_for_as_texts_are_refused() {
    let scratch = Scratch::new("numbers_as_texts");
    let path = written(&scratch, "n.parquet", vec![("t", whole(&[5, 6])), ("y", whole(&[1, 0]))]);
    let options = InputOptions { text: vec!["t".to_string()], ..labeled() };
    let error = options.read(&Input::one(&path)).unwrap_err();
    assert!(matches!(error, DataError::NumericText { .. }), "{error}");
}

#[test]
fn large_integers_are_told_apart() {
    let scratch = Scratch::new("integers");
    let day: Vec<i64> = (0..86_400).step_by(864).map(|second| 1_700_000_000 + second).collect();
    let labels: Vec<i64> = (0..100).map(|i| i % 2).collect();
    let path = written(&scratch, "t.parquet", vec![("t", whole(&day)), ("y", whole(&labels))]);
    // What rises with the row is left out unless it is asked for.
    let options = InputOptions { numeric: vec!["t".to_string()], ..labeled() };
    let data = options.read(&Input::one(&path)).unwrap();
    let rows = data.dense().unwrap();
    assert!(rows.as_slice().windows(2).all(|pair| pair[0] < pair[1]));
    let near = written(&scratch, "s.parquet", vec![("t", whole(&[1_700_000_001, 1_700_000_002]))]);
    let near = again(&data, &near).dense().unwrap().into_owned();
    assert!(near.as_slice()[0] < near.as_slice()[1], "{near:?}");
    assert_eq!(again(&data, &path).rows(), data.rows());
}
