//! One table in every format gives one frame. The files are written by pandas and pyarrow, see `fixtures/make.py`.

use onesided_data::{
    FeatureOptions, Features, Frame, LeftOut, MAX_LEVELS, MissingPolicy, ReadOptions, Store, Values,
    WhyLeftOut, labels_from_column, read, read_csv_bytes, read_parquet_bytes,
};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// A frame in a form that can be compared: NaN equals NaN, and texts stand for their codes.
fn shown(frame: &Frame) -> Vec<(String, Vec<String>)> {
    let cells = |values: &Values| match values {
        Values::Numeric(values) => values.iter().map(|x| format!("{x:e}")).collect(),
        Values::Boolean(values) => values.iter().map(|x| format!("{x:?}")).collect(),
        Values::Categorical { codes, levels } => {
            codes.iter().map(|&code| format!("{:?}", levels.get(code as usize))).collect()
        }
        other => panic!("no column of this table is {other:?}"),
    };
    frame.columns.iter().map(|column| (column.name.clone(), cells(&column.values))).collect()
}

#[test]
fn every_format_gives_the_same_frame() {
    let text = |value: &str| format!("{:?}", Some(value));
    let expected = [
        ("age", ["3.1e1", "4.5e1", "NaN", "5.2e1", "2.8e1"].map(str::to_string)),
        ("income", [1250.5f32, f32::NAN, 0.1, -3.25, 1e-7].map(|x| format!("{x:e}"))),
        (
            "member",
            [Some(true), Some(false), None, Some(true), Some(true)].map(|x: Option<bool>| format!("{x:?}")),
        ),
        ("city", [text("Rome"), text("Oslo"), "None".to_string(), text("Rome"), text("São Paulo")]),
        ("y", ["1e0", "0e0", "0e0", "1e0", "0e0"].map(str::to_string)),
    ]
    .map(|(name, cells)| (name.to_string(), cells.to_vec()));
    for name in [
        "plain.csv",
        "plain.tsv",
        "packed.csv.gz",
        "packed.csv.zst",
        "snappy.parquet",
        "zstd.parquet",
        "gzip.parquet",
        "types.parquet",
    ] {
        let frame = read(&fixture(name), &ReadOptions::default()).unwrap();
        assert_eq!(frame.rows, 5, "{name}");
        assert_eq!(shown(&frame), expected, "{name}");
    }
}

#[test]
fn every_parquet_type_of_number() {
    let frame = read(&fixture("numbers.parquet"), &ReadOptions::default()).unwrap();
    assert_eq!(frame.columns.len(), 14);
    for column in &frame.columns[..12] {
        let Values::Numeric(values) = &column.values else { panic!("{} is not numeric", column.name) };
        assert!(values[0] == 1.0 && values[1].is_nan() && values[2] == 100.0, "{}: {values:?}", column.name);
    }
    assert_eq!(frame.column("nothing").unwrap().values.missing(), 3);
    let Values::Categorical { codes, levels } = &frame.column("view").unwrap().values else { panic!() };
    assert_eq!((codes[0], codes[2], levels.as_slice()), (1, 0, ["a", "b"].map(str::to_string).as_slice()));
}

#[test]
fn labels_are_read_as_text_from_any_type() {
    let options = ReadOptions { categories: vec!["y".into(), "member".into()], ..ReadOptions::default() };
    for name in ["plain.csv", "snappy.parquet", "types.parquet"] {
        let frame = read(&fixture(name), &options).unwrap();
        let labels = labels_from_column(frame.column("y").unwrap(), None, None).unwrap();
        let positive: Vec<usize> = (0..5).filter(|&i| labels[i] == onesided_data::Label::Positive).collect();
        assert_eq!(positive, [0, 3], "{name}");
        let members = labels_from_column(frame.column("member").unwrap(), Some("true"), None).unwrap();
        assert_eq!(members.iter().filter(|&&l| l == onesided_data::Label::Positive).count(), 3, "{name}");
    }
}

#[test]
fn columns_can_be_dropped_or_left_alone() {
    for name in ["plain.csv", "snappy.parquet"] {
        let drop = ReadOptions { drop: vec!["city".into(), "y".into()], ..ReadOptions::default() };
        let frame = read(&fixture(name), &drop).unwrap();
        assert_eq!(frame.names().collect::<Vec<_>>(), ["age", "income", "member"], "{name}");
        let only = ReadOptions { only: Some(vec!["age".into(), "gone".into()]), ..ReadOptions::default() };
        let frame = read(&fixture(name), &only).unwrap();
        assert_eq!(frame.names().collect::<Vec<_>>(), ["age"], "{name}");
        assert_eq!(frame.ignored, ["income", "member", "city", "y"], "{name}");
        let unknown = ReadOptions { drop: vec!["incme".into()], ..ReadOptions::default() };
        let error = read(&fixture(name), &unknown).unwrap_err().to_string();
        assert_eq!(error, "there is no column 'incme'; did you mean 'income'?", "{name}");
    }
}

#[test]
fn missing_cells_can_be_refused_on_the_spot() {
    let options = ReadOptions { missing: MissingPolicy::Refuse, ..ReadOptions::default() };
    let error = read(&fixture("plain.csv"), &options).unwrap_err().to_string();
    assert!(error.contains("line 3, column 'income': the cell is missing"), "{error}");
    let error = read(&fixture("snappy.parquet"), &options).unwrap_err().to_string();
    assert!(error.contains("row 3, column 'age': the cell is missing"), "{error}");
    let text = ReadOptions { only: Some(vec!["city".into()]), ..options };
    let error = read(&fixture("plain.csv"), &text).unwrap_err().to_string();
    assert!(error.contains("line 4, column 'city': the cell is missing"), "{error}");
}

#[test]
fn a_model_reads_its_own_columns_as_it_knew_them() {
    let train = read_csv_bytes(b"x,code\n1,7\n2,x\n").unwrap();
    let (fitted, ..) = Features::fit(train, &FeatureOptions::default()).unwrap();
    // Here every code looks like a number, and the identifier would be left out as a feature.
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("predict.csv");
    let rows: String = (0..=MAX_LEVELS).map(|i| format!("id{i},{i},7\n")).collect();
    std::fs::write(&path, format!("id,x,code\n{rows}")).unwrap();
    let everything = read(&path, &ReadOptions::default()).unwrap();
    assert_eq!(everything.left_out, [LeftOut { column: "id".to_string(), why: WhyLeftOut::Identifier }]);
    assert_eq!(everything.names().collect::<Vec<_>>(), ["x", "code"]);
    let (rows, report) = fitted.encode(read(&path, &fitted.read_options()).unwrap()).unwrap();
    let Store::Dense(matrix) = rows else { panic!("{rows:?}") };
    assert_eq!(report.ignored, ["id"]);
    assert_eq!(fitted.names(), ["x", "code=7", "code=x"]);
    assert!((0..300).all(|i| matrix.row(i)[1..] == [1.0, 0.0]));
}

#[test]
fn bytes_are_read_like_files() {
    let csv = read_csv_bytes(&std::fs::read(fixture("packed.csv.gz")).unwrap()).unwrap();
    let parquet = read_parquet_bytes(&std::fs::read(fixture("snappy.parquet")).unwrap()).unwrap();
    assert_eq!(shown(&csv), shown(&parquet));
}
