//! Folders of texts, one file per text.

mod scratch;

use onesided_data::{
    DataError, FileOptions, Input, InputOptions, Note, ReadAgain, Roles, TableError, TextEncoding,
};
use scratch::Scratch;

fn message(input: &Input) -> String {
    InputOptions::default().read(input).unwrap_err().to_string()
}

#[test]
fn files_of_any_encoding_and_html_are_texts() {
    let scratch = Scratch::new("texts");
    let utf16 = |text: &str| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    scratch.write("p/1.txt", "a goal for José");
    scratch.write("p/2", utf16("José and his goal"));
    let page = "<html><head><style>rain {}</style></head><body><p>goal</p> <b>Jos&eacute;</b></body></html>";
    scratch.write("p/3.html", page);
    scratch.write("p/.hidden", "rain rain");
    scratch.write("p/table.csv", "rain");
    scratch.write("u/1.txt", "rain again");
    scratch.write("u/2.txt", b"rain on Jos\xe9");
    let input = Input::two(scratch.path("p"), scratch.path("u"));
    let data = InputOptions::default().read(&input).unwrap();
    assert_eq!(data.encoding().names(), ["goal", "josé", "rain"]);
    let rows = data.dense().unwrap();
    let has = |row: usize| rows.row(row).iter().map(|&x| x > 0.0).collect::<Vec<_>>();
    assert_eq!(
        (0..5).map(has).collect::<Vec<_>>(),
        [
            [true, true, false],
            [true, true, false],
            [true, true, false],
            [false, false, true],
            [false, true, true],
        ]
    );
    assert_eq!(data.counts().map(|counts| (counts.positive, counts.unlabeled)), Some((3, 2)));
    let files: Vec<&str> = data.ids()[0].1.iter().collect();
    assert_eq!((data.ids()[0].0.as_str(), files), ("file", vec!["1.txt", "2", "3.html", "1.txt", "2.txt"]));
    let folder = scratch.path("u").display().to_string();
    let encoding = TextEncoding::WINDOWS_1252;
    assert_eq!(data.notes(), [Note::OtherEncoding { files: 1, all: 2, folder, encoding }]);
    let again = data.encoding().read(&input, &ReadAgain::default()).unwrap();
    assert_eq!((again.rows(), again.labels(), again.ids()), (data.rows(), data.labels(), data.ids()));
}

#[test]
fn the_encoding_of_texts_can_be_named() {
    let scratch = Scratch::new("named");
    // "кот" in windows-1251.
    scratch.write("p/1.txt", b"\xea\xee\xf2");
    scratch.write("u/1.txt", b"\xea\xee\xf2 \xe8");
    let encoding = Some("windows-1251".parse().unwrap());
    let options =
        InputOptions { files: FileOptions { encoding, ..FileOptions::default() }, ..InputOptions::default() };
    let data = options.read(&Input::two(scratch.path("p"), scratch.path("u"))).unwrap();
    assert_eq!(data.encoding().names(), ["кот"]);
    let of_encodings = |note: &Note| matches!(note, Note::OtherEncoding { .. } | Note::Malformed { .. });
    assert!(!data.notes().iter().any(of_encodings), "{:?}", data.notes());
}

#[test]
fn texts_of_folders_are_scored_from_a_table_by_its_column() {
    let scratch = Scratch::new("table");
    scratch.write("p/1.txt", "a goal");
    scratch.write("u/1.txt", "the goal");
    let data = InputOptions::default().read(&Input::two(scratch.path("p"), scratch.path("u"))).unwrap();
    let table = scratch.write("t.csv", "title,body,y\ngoal,,1\n,rain,0\n");
    let error = data.encoding().read(&Input::one(&table), &ReadAgain::default()).unwrap_err();
    assert!(matches!(error, DataError::WhichTexts { .. }), "{error}");
    assert_eq!(error.hint().map(|hint| hint.setting), Some("text"));
    let text = vec!["title".to_string(), "body".to_string()];
    let also = ReadAgain { roles: Roles::labeled("y"), text, ..ReadAgain::default() };
    let read = data.encoding().read(&Input::one(&table), &also).unwrap();
    assert_eq!(read.dense().unwrap().as_slice(), [1.0, 0.0]);
    assert_eq!(read.notes(), [Note::Missing(vec![("title".to_string(), 1), ("body".to_string(), 1)])]);
    assert!(read.labels().is_some());
    let nowhere = data.encoding().read(&Input::from("no.csv"), &ReadAgain::default()).unwrap_err();
    assert!(matches!(nowhere, DataError::Table(TableError::NotFound { .. })), "{nowhere}");
}

#[test]
fn what_folders_cannot_be_is_said() {
    let scratch = Scratch::new("wrong");
    scratch.write("p/1.txt", "a goal");
    scratch.write("nested/1.txt", "a goal");
    scratch.write("nested/inner/1.txt", "a goal");
    scratch.write("both/1.txt", "a goal");
    scratch.write("both/1.png", "");
    scratch.write("other/1.csv", "x\n1\n");
    let with = |name: &str| message(&Input::two(scratch.path("p"), scratch.path(name)));
    assert!(with("nested").contains("a folder of texts holds no folders"), "{}", with("nested"));
    assert!(with("both").contains("holds both pictures and texts ('1.png', '1.txt')"), "{}", with("both"));
    assert!(with("other").contains("is a folder with tables in it; name one"), "{}", with("other"));
    let one = message(&Input::one(scratch.path("p")));
    assert!(one.contains("name two, of positives and of unlabeled files"), "{one}");
    let options = InputOptions { roles: Roles::named_by(["id"]), ..InputOptions::default() };
    let error = options.read(&Input::two(scratch.path("p"), scratch.path("p"))).unwrap_err().to_string();
    assert!(error.contains("is a folder and has no column 'id'"), "{error}");
}
