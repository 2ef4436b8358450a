//! Every file that cannot be read gets one sentence that says what, where, and what to do.

use onesided_data::{Hint, LeftOut, MAX_LEVELS, ReadOptions, WhyLeftOut, read, read_parquet_bytes};
use std::fs;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap()
}

fn written(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad_input");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// The message, with the folder cut from the file's name.
fn message(name: &str, bytes: impl AsRef<[u8]>) -> String {
    message_with(name, bytes, &ReadOptions::default())
}

fn message_with(name: &str, bytes: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    let path = written(name, bytes);
    let folder = format!("{}/", path.parent().unwrap().display());
    let message = read(&path, options).expect_err(name).to_string().replace(&folder, "");
    assert!(!message.contains('\n'), "one sentence: {message}");
    message
}

#[test]
fn paths() {
    let at = |path: &str| read(Path::new(path), &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(at("no/such/file.csv"), "there is no file 'no/such/file.csv'; check the path");
    assert_eq!(at("no/such/file.xlsx"), "there is no file 'no/such/file.xlsx'; check the path");
    let folder = env!("CARGO_MANIFEST_DIR");
    assert_eq!(at(folder), format!("'{folder}' is a folder; name a file inside it"));
    assert_eq!(
        message("table.dat", "x\n1\n"),
        "'table.dat' has no known extension; use .csv, .tsv or .jsonl (plain, .gz or .zst), .parquet, .feather or .xlsx"
    );
}

#[test]
fn empty_files_and_headers() {
    for (name, bytes) in
        [("empty.csv", ""), ("blank.csv", "\n\n"), ("empty.parquet", ""), ("empty.csv.gz", "")]
    {
        assert!(message(name, bytes).contains("is empty; a header line and rows are needed"), "{name}");
    }
    assert_eq!(message("header.csv", "a,b\n"), "'header.csv' has a header but no rows");
    assert_eq!(message("n.parquet", fixture("norows.parquet")), "'n.parquet' has a header but no rows");
    let options = ReadOptions { text: vec!["label".into()], ..ReadOptions::default() };
    assert_eq!(
        message_with("typo.csv", "a,Label\n1,1\n", &options),
        "there is no column 'label'; did you mean 'Label'? (only upper and lower case differ)"
    );
}

#[test]
fn cells() {
    assert_eq!(
        message("ragged.csv", "a,b\n1,2\n3\n"),
        "'ragged.csv' line 3 has 1 cells but the header has 2; check its separators and quotes"
    );
    assert_eq!(
        message("two.csv", b"a,b\n1,K\xc3\xb6ln\n2,S\xe3o\n"),
        "'two.csv' line 3 is not valid UTF-8, unlike the lines before it; save the file in one encoding"
    );
    for value in ["inf", "-Infinity"] {
        assert_eq!(
            message("nan.csv", format!("a,b\n1,2\n2,{value}\n")),
            format!(
                "'nan.csv' line 3, column 'b': {value} is not a finite number; leave the cell empty if it is missing"
            )
        );
    }
    assert!(
        message("big.tsv", "a\tb\n1\t1e39\n")
            .contains("line 2, column 'b': 1e39 does not fit a 32-bit float")
    );
    assert!(
        message("nan.parquet", fixture("nan.parquet"))
            .contains("row 2, column 'x': NaN is not a finite number")
    );
    assert!(
        message("large.parquet", fixture("large.parquet")).contains("row 3, column 'x': 1e39 does not fit")
    );
}

#[test]
fn encrypted_parquet_is_named() {
    let expected =
        "'e.parquet' is a Parquet file that is encrypted, which is not read; write it without encryption";
    assert_eq!(message("e.parquet", b"PARE and what follows PARE"), expected);
    assert!(message("e.csv", b"PARE and what follows PARE").contains("is encrypted"));
}

#[test]
fn columns_of_too_many_texts_are_left_out() {
    let rows = |cell: &dyn Fn(usize) -> String| -> String {
        (0..=MAX_LEVELS).map(|i| format!("{},{i}\n", cell(i))).collect()
    };
    let left_out = |name: &str, rows: String| {
        let frame = read(&written(name, format!("id,x\n{rows}")), &ReadOptions::default()).unwrap();
        assert_eq!(frame.names().collect::<Vec<_>>(), ["x"]);
        frame.left_out
    };
    let id = |why| vec![LeftOut { column: "id".to_string(), why }];
    assert_eq!(left_out("ids.csv", rows(&|i| format!("id{i}"))), id(WhyLeftOut::Identifier));
    assert_eq!(left_out("names.csv", rows(&|i| format!("Ann B{i}"))), id(WhyLeftOut::Identifier));
    // Texts of several words are read, however many there are.
    let prose = written("prose.csv", format!("id,x\n{}", rows(&|i| format!("goal number {i}"))));
    let frame = read(&prose, &ReadOptions::default()).unwrap();
    assert_eq!((frame.names().count(), frame.left_out.len()), (2, 0));
}

#[test]
fn broken_compression() {
    let gzip = fixture("packed.csv.gz");
    let zstd = fixture("packed.csv.zst");
    let cut = |bytes: &[u8]| bytes[..bytes.len() - 20].to_vec();
    let advice = "copy or download it again";
    assert_eq!(
        message("cut.csv.gz", cut(&gzip)),
        format!("'cut.csv.gz' ends in the middle of its gzip stream; {advice}")
    );
    assert_eq!(
        message("cut.csv.zst", cut(&zstd)),
        format!("'cut.csv.zst' ends in the middle of its zstd stream; {advice}")
    );
    let mut bent = gzip.clone();
    bent[30] ^= 0xff;
    let error = message("bent.csv.gz", bent);
    assert!(error.starts_with("'bent.csv.gz' is not a sound gzip stream ("), "{error}");
}

#[test]
fn extensions_that_lie() {
    let plain = fixture("plain.csv");
    for (name, bytes) in [
        ("gzipped.csv", fixture("packed.csv.gz")),
        ("zstandard.csv", fixture("packed.csv.zst")),
        ("plain.csv.gz", plain.clone()),
        ("parquet.csv", fixture("snappy.parquet")),
    ] {
        let frame = read(&written(name, bytes), &ReadOptions::default()).unwrap();
        assert_eq!((frame.rows, frame.columns.len()), (5, 5), "{name}");
    }
    assert_eq!(
        message("text.parquet", plain),
        "'text.parquet' is not a Parquet file; give a text table the extension .csv or .tsv"
    );
}

#[test]
fn broken_parquet() {
    let whole = fixture("snappy.parquet");
    for keep in [4, 8, whole.len() / 2, whole.len() - 1] {
        let error = message("cut.parquet", &whole[..keep]);
        assert!(error.starts_with("'cut.parquet' is a damaged Parquet file ("), "{error}");
    }
    assert!(read_parquet_bytes(b"").unwrap_err().to_string().contains("is not a Parquet file"));
}

#[test]
fn parquet_columns_that_are_no_features() {
    let path = written("odd.parquet", fixture("odd.parquet"));
    let every = ["when", "day", "tags", "pair", "raw"];
    for (column, kind) in [
        ("when", "dates or times"),
        ("day", "dates or times"),
        ("tags", "lists"),
        ("pair", "nested records"),
        ("raw", "bytes that are not marked as text"),
    ] {
        // As a label, none of them will do.
        let options = ReadOptions { categories: vec![column.to_string()], ..ReadOptions::default() };
        let error = read(&path, &options).unwrap_err();
        let file = path.display();
        assert_eq!(
            error.to_string(),
            format!("column '{column}' of '{file}' holds {kind}, which cannot be used here")
        );
        assert_eq!(error.hint(), Some(Hint::new("leave it out", "drop", column)));
    }
    let types = ["tags", "pair", "raw"];
    let left_out = types.map(|column| LeftOut { column: column.to_string(), why: WhyLeftOut::Type });
    let frame = read(&path, &ReadOptions::default()).unwrap();
    assert_eq!(
        (frame.names().collect::<Vec<_>>(), frame.left_out.as_slice()),
        (vec!["x", "when", "day"], &left_out[..])
    );
    let drop = every.iter().map(ToString::to_string).collect();
    let frame = read(&path, &ReadOptions { drop, ..ReadOptions::default() }).unwrap();
    assert_eq!(frame.names().collect::<Vec<_>>(), ["x"]);
    assert!(frame.left_out.is_empty());
}
