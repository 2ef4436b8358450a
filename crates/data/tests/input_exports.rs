//! Spreadsheets, objects and Arrow files as programs write them. The files are made by fixtures/make_exports.py.

use onesided_data::{
    Cutting, DataError, FileOptions, Frame, Input, InputOptions, Position, ReadAgain, ReadOptions, Remark,
    TableError, Values, WhyLeftOut, column_names, read, read_table_bytes,
};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn table(name: &str) -> Frame {
    read(&fixture(name), &ReadOptions::default()).unwrap()
}

fn numbers(frame: &Frame, name: &str) -> Vec<f32> {
    match &frame.column(name).unwrap().values {
        Values::Numeric(values) => values.clone(),
        other => panic!("{name}: {other:?}"),
    }
}

/// The cells of a column as texts, `None` where they are missing.
fn cells(frame: &Frame, name: &str) -> Vec<Option<String>> {
    match frame.column(name).unwrap().to_categories().values {
        Values::Categorical { codes, levels } => {
            codes.iter().map(|&code| levels.get(code as usize).cloned()).collect()
        }
        other => panic!("{name}: {other:?}"),
    }
}

fn some(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|text| (!text.is_empty()).then(|| text.to_string())).collect()
}

fn from(bytes: &[u8]) -> Frame {
    read_table_bytes(bytes, &ReadOptions::default()).unwrap()
}

fn refused(bytes: &[u8]) -> String {
    read_table_bytes(bytes, &ReadOptions::default()).unwrap_err().to_string()
}

#[test]
fn a_sheet_has_the_cells_that_it_shows() {
    let frame = table("plain.xlsx");
    assert_eq!(frame.rows, 3);
    assert_eq!(cells(&frame, "id"), some(&["a1", "b2", "c3"]));
    let age = numbers(&frame, "age");
    assert!(age[2].is_nan() && age[..2] == [31.0, 45.0]);
    // Percent is a way to show a number.
    assert_eq!(numbers(&frame, "share"), [0.125, 0.5, 0.25]);
    assert_eq!(cells(&frame, "joined"), some(&["2024-03-01 00:00", "2024-02-29 00:00", "1999-12-31 00:00"]));
    assert_eq!(cells(&frame, "member"), some(&["true", "false", "true"]));
    assert_eq!(cells(&frame, "label"), some(&["yes", "", ""]));
    let sheets = Remark::Sheets { read: "People".to_string(), others: vec!["Notes".to_string()] };
    assert_eq!(frame.remarks, [sheets]);
}

#[test]
fn the_old_formats_hold_the_same() {
    let frame = table("old.xls");
    assert_eq!(cells(&frame, "joined"), some(&["2024-03-01 00:00", "2024-02-29 00:00", "1999-12-31 00:00"]));
    assert_eq!(numbers(&frame, "share"), [0.125, 0.5, 0.25]);
    let frame = table("open.ods");
    assert_eq!(cells(&frame, "when"), some(&["2024-03-01 00:00", "2024-03-02 00:00"]));
    assert_eq!(numbers(&frame, "x")[0], 1.5);
}

#[test]
fn titles_two_header_rows_merged_cells_and_a_margin() {
    let frame = table("titled.xlsx");
    assert_eq!(frame.names().collect::<Vec<_>>(), ["id", "income 2023", "income 2024", "city", "label"]);
    assert_eq!(numbers(&frame, "income 2024"), [11.0, 21.0, 31.0]);
    assert_eq!(cells(&frame, "city"), some(&["Rome", "Rome", "Oslo"]));
    let joined = Remark::TwoHeaders { example: "income 2023".to_string() };
    assert_eq!(frame.remarks, [Remark::Titles { lines: 1 }, joined, Remark::Merged { areas: 1 }]);
}

#[test]
fn the_sheet_with_the_columns_that_are_asked_for_is_read() {
    let asked = |names: &[&str]| ReadOptions {
        categories: names.iter().map(ToString::to_string).collect(),
        ..ReadOptions::default()
    };
    // Nothing is asked for: the first.
    assert_eq!(table("second.xlsx").names().collect::<Vec<_>>(), ["column", "meaning"]);
    let frame = read(&fixture("second.xlsx"), &asked(&["label"])).unwrap();
    assert_eq!(cells(&frame, "label"), some(&["yes", "", ""]));
    let sheets = Remark::Sheets { read: "Data".to_string(), others: vec!["README".to_string()] };
    assert_eq!(frame.remarks, [sheets]);
    // The cells `age` and `share` are in both, the others in one.
    let only = ReadOptions {
        only: Some(["age", "share", "member"].map(str::to_string).to_vec()),
        ..ReadOptions::default()
    };
    assert_eq!(read(&fixture("second.xlsx"), &only).unwrap().rows, 3);
    let names = ReadOptions { sheet_with: vec!["label".to_string()], ..ReadOptions::default() };
    assert_eq!(column_names(&fixture("second.xlsx"), &names).unwrap().len(), 6);
    // What is not there is said with the sheet that was looked at.
    let options = InputOptions::labeled("lable");
    let message = options.read(&Input::one(fixture("second.xlsx"))).unwrap_err().to_string();
    assert!(message.ends_with("(the sheet 'README' was read; others are 'Data')"), "{message}");
}

/// The first sheet of a workbook with other XML.
fn patched(name: &str, patch: impl Fn(String) -> String) -> Vec<u8> {
    let mut read = zip::ZipArchive::new(std::fs::File::open(fixture(name)).unwrap()).unwrap();
    let mut written = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for at in 0..read.len() {
        let mut part = read.by_index(at).unwrap();
        let name = part.name().unwrap().into_owned();
        let mut bytes = Vec::new();
        part.read_to_end(&mut bytes).unwrap();
        if name == "xl/worksheets/sheet1.xml" {
            bytes = patch(String::from_utf8(bytes).unwrap()).into_bytes();
        }
        written.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        written.write_all(&bytes).unwrap();
    }
    written.finish().unwrap().into_inner()
}

#[test]
fn rows_and_columns_that_a_sheet_hides_are_read_and_said() {
    let bytes = patched("plain.xlsx", |xml| {
        let rows = xml
            .replace("<row r=\"1\"", "<row hidden=\"1\" r=\"1\"")
            .replace("<row r=\"3\"", "<row hidden=\"1\" r=\"3\"");
        rows.replace("<sheetData>", "<cols><col min=\"2\" max=\"3\" hidden=\"1\"/></cols><sheetData>")
    });
    let (hidden, plain) = (from(&bytes), table("plain.xlsx"));
    assert!(hidden.names().eq(plain.names()) && hidden.rows == plain.rows);
    // A header that is hidden is no row.
    let columns = vec!["age".to_string(), "share".to_string()];
    let more: Vec<&Remark> = hidden.remarks.iter().filter(|remark| !plain.remarks.contains(remark)).collect();
    assert_eq!(more, [&Remark::Hidden { rows: 1, columns }]);
    assert_eq!(
        more[0].to_string(),
        "the sheet hides 1 row and the columns 'age', 'share'; what is hidden is read like the rest"
    );
}

#[test]
fn an_empty_row_of_a_sheet_is_a_row() {
    let bytes = patched("plain.xlsx", |xml| {
        let rows = xml.replace("<row r=\"4\"", "<row r=\"5\"");
        ('A'..='F').fold(rows, |rows, at| rows.replace(&format!("r=\"{at}4\""), &format!("r=\"{at}5\"")))
    });
    let frame = from(&bytes);
    assert_eq!(frame.rows, 4);
    assert_eq!(cells(&frame, "id"), some(&["a1", "b2", "", "c3"]));
}

#[test]
fn all_columns_that_are_one_cell_a_row_are_kept_of_arrow_files() {
    // A column of codes and one of vectors; the second is a feature and cannot be copied.
    let learned = InputOptions::default().read(&Input::one(fixture("coded.arrow"))).unwrap();
    let also = ReadAgain { keep: vec!["all".to_string()], ..ReadAgain::default() };
    let mut kept = Vec::new();
    let input = Input::one(fixture("coded.arrow"));
    let done = learned.encoding().stream(&input, &also, Cutting::default(), &mut |piece| {
        kept.extend(piece.ids().iter().map(|(name, cells)| (name.clone(), cells.get(1).to_string())));
        Ok::<(), DataError>(())
    });
    assert_eq!(done.unwrap().rows, 3);
    assert_eq!(kept, [("c".to_string(), "y".to_string())]);
}

#[test]
fn a_sheet_is_named_or_counted() {
    let sheet = |sheet: &str| {
        let options =
            ReadOptions::from(FileOptions { sheet: Some(sheet.to_string()), ..FileOptions::default() });
        read(&fixture("plain.xlsx"), &options)
    };
    assert_eq!(sheet("People").unwrap().rows, 3);
    assert_eq!(sheet("1").unwrap().remarks, []);
    assert!(sheet("Notes").unwrap_err().to_string().contains("has a header but no rows"));
    let message = sheet("Peeple").unwrap_err().to_string();
    assert!(
        message.ends_with("has no sheet 'Peeple'; its sheets are 'People', 'Notes', 'Empty'"),
        "{message}"
    );
    let message = sheet("Empty").unwrap_err().to_string();
    assert!(message.contains("has no row that can be its header"), "{message}");
    let options = ReadOptions::from(FileOptions { sheet: Some("1".to_string()), ..FileOptions::default() });
    assert!(matches!(read_table_bytes(b"a,b\n1,2\n", &options), Err(TableError::NoSheets { .. })));
}

#[test]
fn rows_of_a_sheet_are_named_as_the_sheet_does() {
    // Row 6 of the sheet is the second of the table.
    let options = ReadOptions { missing: onesided_data::MissingPolicy::Refuse, ..ReadOptions::default() };
    let message = read(&fixture("plain.xlsx"), &options).unwrap_err().to_string();
    assert!(message.contains("row 3, column 'label': the cell is missing"), "{message}");
}

#[test]
fn feather_and_arrow_in_every_packing() {
    for name in ["lz4.feather", "zstd.feather", "uncompressed.feather", "stream.arrow"] {
        let frame = table(name);
        let age = numbers(&frame, "age");
        assert!(age[2].is_nan() && age[..2] == [31.0, 45.0], "{name}");
        assert_eq!(cells(&frame, "label"), some(&["yes", "", ""]), "{name}");
    }
    let frame = table("coded.arrow");
    assert_eq!(cells(&frame, "c"), some(&["x", "y", "x"]));
    assert!(matches!(&frame.column("v").unwrap().values, Values::Vectors { width: 2, .. }));
    let message = read(&fixture("one.feather"), &ReadOptions::default()).unwrap_err().to_string();
    assert!(
        message
            .ends_with("is a Feather file of version 1, which is no longer written; write it as version 2")
    );
}

#[test]
fn objects_are_rows_and_keys_columns() {
    let lines = b"{\"b\": 1.5, \"a\": {\"x\": \"12\", \"y\": true}}\n\n{\"a\": {\"x\": 7}, \"c\": null, \"d\": \"e\\n\\\"f\\\"\"}\n";
    let array = b"[\n  {\"b\": 1.5, \"a\": {\"x\": \"12\", \"y\": true}},\n  {\"a\": {\"x\": 7}, \"c\": null, \"d\": \"e\\n\\\"f\\\"\"}]";
    for bytes in [&lines[..], array] {
        let frame = from(bytes);
        assert_eq!(frame.names().collect::<Vec<_>>(), ["b", "a.x", "a.y", "c", "d"]);
        assert_eq!(numbers(&frame, "a.x"), [12.0, 7.0]);
        assert!(numbers(&frame, "b")[1].is_nan());
        assert_eq!(cells(&frame, "a.y"), some(&["true", ""]));
        assert_eq!(cells(&frame, "d"), some(&["", "e\n\"f\""]));
    }
    let packed = zstd::encode_all(&lines[..], 3).unwrap();
    let options = ReadOptions::from(FileOptions {
        format: Some(onesided_data::TableFormat::Json),
        ..FileOptions::default()
    });
    assert_eq!(read_table_bytes(&packed, &options).unwrap().rows, 2);
}

#[test]
fn lists_of_numbers_are_vectors_and_others_are_left_out() {
    let frame = from(
        b"{\"v\": [1, 2.5], \"w\": [\"a\"], \"x\": 1}\n{\"x\": 2}\n{\"v\": [3, 4], \"w\": [], \"x\": 3}\n",
    );
    let Values::Vectors { width: 2, values } = &frame.column("v").unwrap().values else { panic!() };
    assert_eq!(values[..2], [1.0, 2.5]);
    assert!(values[2].is_nan() && values[3].is_nan() && values[4..] == [3.0, 4.0]);
    assert_eq!((frame.left_out[0].column.as_str(), frame.left_out[0].why), ("w", WhyLeftOut::Type));
    // As an identifier a list is what it is.
    let options = ReadOptions { verbatim: vec!["w".to_string()], ..ReadOptions::default() };
    let frame = read_table_bytes(b"{\"w\": [\"a\", 1]}\n{\"w\": null}\n", &options).unwrap();
    assert_eq!(cells(&frame, "w")[0].as_deref(), Some("[a, 1]"));
    // Python's NaN.
    assert!(numbers(&from(b"{\"x\": NaN, \"t\": \"NaN \\\" NaN\"}\n{\"x\": 1}\n"), "x")[0].is_nan());
}

#[test]
fn objects_that_are_no_rows_are_refused() {
    assert!(
        refused(b"{\"a\": {\"0\": 1, \"1\": 2}, \"b\": {\"0\": 1, \"1\": 2}}")
            .contains("holds one object, not one per row")
    );
    assert!(
        refused(b"{\"a\": 1}\n{\"a\": }\n").contains("line 2: the object is not sound JSON (expected value)")
    );
    assert!(refused(b"{\"a\": 1}\nx\n").contains("line 2: expected an object but found 'x'"));
    assert!(refused(b"[{\"a\": 1}, {\"a\": 2}").contains("the array has no end"));
    assert!(refused(b"{\"a\": [1, 2}\n").contains("line 1: the object has no end"));
    let many: String = (0..50_001).map(|at| format!("{{\"k{at}\": 1}}\n")).collect();
    assert!(refused(many.as_bytes()).contains("more than 50000 different keys"));
}

#[test]
fn headers_as_exports_have_them() {
    let frame = from(b"a,b,a\n1,2,3\n4,5,6\n");
    assert_eq!(frame.names().collect::<Vec<_>>(), ["a", "b", "a_2"]);
    assert_eq!(frame.remarks, [Remark::Renamed(vec![("a".to_string(), "a_2".to_string())])]);
    let frame = from(b",a,\n0,1,x\n1,2,y\n");
    assert_eq!(frame.names().collect::<Vec<_>>(), ["a", "column 3"]);
    assert_eq!((frame.left_out[0].column.as_str(), frame.left_out[0].why), ("column 1", WhyLeftOut::Index));
    // Whoever names it gets it.
    let asked = ReadOptions { verbatim: vec!["column 1".to_string()], ..ReadOptions::default() };
    assert_eq!(cells(&read_table_bytes(b",a\n7,1\n8,2\n", &asked).unwrap(), "column 1"), some(&["7", "8"]));
    // A separator at the end of each line makes no column.
    let frame = from(b"a,b,\n1,2,\n3,4,\n");
    assert_eq!((frame.columns.len(), frame.remarks.len(), frame.left_out.len()), (2, 0, 0));
    assert_eq!(from(b"a,b\n1,2,\n3,4,,\n").columns.len(), 2);
    let frame = from(b"Report\n\na;b;c\n1;2;3\n4;5;6\n");
    assert_eq!((frame.columns.len(), &frame.remarks), (3, &vec![Remark::Titles { lines: 1 }]));
}

#[test]
fn listings_of_databases() {
    let frame = from(b" a | b \n---+---\n 1 | x\n 2 | \\N\n(2 rows)\n\n");
    assert_eq!((frame.rows, numbers(&frame, "a")), (2, vec![1.0, 2.0]));
    assert_eq!(cells(&frame, "b"), some(&["x", ""]));
    let frame = from(b"+---+---+\n| a | b |\n+---+---+\n| 1 | x |\n| 2 | y |\n+---+---+\n");
    assert_eq!((frame.rows, frame.names().collect::<Vec<_>>()), (2, vec!["a", "b"]));
    let frame = from(b"a,b\n\"x \\\"y\\\", z\",1\n\"w\",2\n");
    assert_eq!(cells(&frame, "a"), some(&["x \"y\", z", "w"]));
}

#[test]
fn lines_that_lack_their_last_cells_and_lines_that_are_broken() {
    let frame = from(b"a,b,c,d\n1,2,3,4\n1,2\n5,6,7,8\n");
    assert_eq!(frame.remarks, [Remark::Short { lines: 1, of: 3, first: Position::Line(3) }]);
    assert!(numbers(&frame, "d")[1].is_nan());
    let broken = refused(b"a,b,c,d\n1,2,3,4\n1,x\ny,3,4\n5,6,7,8\n");
    assert!(broken.contains("line 3 has 2 cells but the header has 4"), "{broken}");
    assert!(refused(b"a,b\n1,2\n3,4,5\n").contains("line 3 has 3 cells but the header has 2"));
}

#[test]
fn a_first_row_is_no_header() {
    let options = ReadOptions { categories: vec!["y".to_string()], ..ReadOptions::default() };
    let message = read_table_bytes(b"5.1,3.5,1\n4.9,3.0,0\n", &options).unwrap_err().to_string();
    assert!(message.contains("seems to have no header: its first line holds '5.1', '3.5', '1'"), "{message}");
}

#[test]
fn tables_that_are_not_utf_8() {
    let frame = from(b"H\xf6he;Ort\n1,5;K\xf6ln\n2;Bonn\n");
    assert_eq!(numbers(&frame, "H\u{f6}he"), [1.5, 2.0]);
    assert!(matches!(frame.remarks[0], Remark::Encoding(_)));
    let two = refused(b"Ort,b\nK\xc3\xb6ln,1\nK\xf6ln,2\n");
    assert!(
        two.contains("line 3 is not valid UTF-8, unlike the lines before it; save the file in one encoding"),
        "{two}"
    );
}

#[test]
fn a_decimal_sign_that_is_asked_for() {
    let with = |bytes: &[u8], sign: &str| {
        let options =
            ReadOptions::from(FileOptions { decimal: Some(sign.parse().unwrap()), ..FileOptions::default() });
        read_table_bytes(bytes, &options)
    };
    // Either is possible; what is said decides.
    let bytes = b"x;z\n1.250;1\n2.500;2\n";
    assert_eq!(numbers(&with(bytes, ",").unwrap(), "x"), [1250.0, 2500.0]);
    assert_eq!(numbers(&with(bytes, ".").unwrap(), "x"), [1.25, 2.5]);
    let message = with(b"x,z\n1.5,1\n2.5,2\n", ",").unwrap_err().to_string();
    assert!(message.contains("line 2, column 'x': '1.5' is not a number with a decimal comma"), "{message}");
    // A number of a file that has a type for numbers is that number, whatever the sign of texts.
    let objects = with(b"{\"x\": 1.250, \"z\": \"1.250\"}\n{\"x\": 2.5, \"z\": \"2,5\"}\n", ",").unwrap();
    assert_eq!((numbers(&objects, "x"), numbers(&objects, "z")), (vec![1.25, 2.5], vec![1250.0, 2.5]));
}

#[test]
fn names_without_rows() {
    let names = |name: &str| column_names(&fixture(name), &ReadOptions::default()).unwrap();
    assert_eq!(names("plain.xlsx"), ["id", "age", "share", "joined", "member", "label"]);
    assert_eq!(names("lz4.feather"), ["id", "age", "share", "member", "label"]);
}
