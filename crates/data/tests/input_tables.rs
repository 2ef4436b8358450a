//! Tables of text become data sets, and the encoding that they teach reads them again.

mod scratch;

use onesided_data::{
    Cutting, DataError, Dataset, FileOptions, Hint, Input, InputOptions, Label, Note, ReadAgain, Roles,
    Scaling, Store, WhyLeftOut,
};
use scratch::Scratch;
use std::path::Path;

fn labeled(column: &str) -> InputOptions {
    InputOptions {
        roles: Roles { label: Some(column.to_string()), ..Roles::default() },
        ..InputOptions::default()
    }
}

fn column(data: &Dataset, at: usize) -> Vec<f32> {
    let rows = data.dense().unwrap();
    (0..data.len()).map(|row| rows.row(row)[at]).collect()
}

fn again(data: &Dataset, path: &Path) -> Dataset {
    data.encoding().read(&Input::one(path), &ReadAgain::default()).unwrap()
}

#[test]
fn two_tables_are_stacked_whatever_the_order_of_their_columns() {
    let scratch = Scratch::new("stacked");
    let first = scratch.write("p.csv", "id,x,color\na,1,red\nb,3,blue\n");
    let second = scratch.write("u.csv", "color,x,id\ngreen,1,c\n,3,d\nred,2,e\n");
    let options = InputOptions { roles: Roles::named_by(["id"]), ..InputOptions::default() };
    let input = Input::two(&first, &second);
    let data = options.read(&input).unwrap();
    assert_eq!(data.encoding().names(), ["x", "color=blue", "color=green", "color=red"]);
    let labels: Vec<bool> = data.labels().unwrap().iter().map(|&label| label == Label::Positive).collect();
    assert_eq!(labels, [true, true, false, false, false]);
    assert_eq!(data.ids()[0].1.iter().collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
    assert_eq!(data.notes(), [Note::Missing(vec![("color".to_string(), 1)])]);
    let read = ReadAgain::from(Roles::named_by(["id"]));
    let again = data.encoding().read(&input, &read).unwrap();
    assert_eq!((again.rows(), again.labels(), again.ids()), (data.rows(), data.labels(), data.ids()));
}

#[test]
fn two_tables_of_different_columns_are_refused() {
    let scratch = Scratch::new("differ");
    let (first, second) = (scratch.write("p.csv", "x,a\n1,2\n"), scratch.write("u.csv", "x,b\n1,2\n"));
    let error = InputOptions::default().read(&Input::two(first, second)).unwrap_err().to_string();
    assert!(error.contains("that of unlabeled rows lacks 'a', that of positives lacks 'b'"), "{error}");
}

#[test]
fn two_tables_have_no_label_column_beside() {
    let scratch = Scratch::new("label_of_two");
    let first = scratch.write("p.csv", "x,y\n1,1\n2,1\n");
    let second = scratch.write("u.csv", "x,y\n3,0\n4,0\n");
    let error = labeled("y").read(&Input::two(&first, &second)).unwrap_err();
    assert!(matches!(error, DataError::LabelOfTwo { .. }), "{error}");
    assert_eq!(error.hint(), Some(Hint::new("leave it out", "drop", "y")));
}

#[test]
fn the_truth_of_two_tables_is_read_of_both_at_once() {
    let scratch = Scratch::new("truth_of_two");
    let first = scratch.write("p.csv", "x,t\n1,1\n2,1\n");
    let second = scratch.write("u.csv", "x,t\n3,0\n4,1\n");
    let options = InputOptions { roles: Roles::true_in("t"), ..InputOptions::default() };
    let data = options.read(&Input::two(&first, &second)).unwrap();
    assert_eq!(data.truth(), Some(&[true, true, false, true][..]));
    assert_eq!(data.encoding().names(), ["x"]);
    let read = ReadAgain::from(Roles::true_in("t"));
    let again = data.encoding().read(&Input::two(&first, &second), &read).unwrap();
    assert_eq!((again.truth(), again.labels()), (data.truth(), data.labels()));
}

#[test]
fn seconds_of_a_day_are_told_apart() {
    let scratch = Scratch::new("seconds");
    let rows: String = (0..500).map(|i| format!("{},{}\n", 1_700_000_000 + i, i % 2)).collect();
    let path = scratch.write("t.csv", format!("t,y\n{rows}"));
    let options = InputOptions { numeric: vec!["t".to_string()], ..labeled("y") };
    let data = options.read(&Input::one(&path)).unwrap();
    let seconds = column(&data, 0);
    // 0, 1, …, 499 have the standard deviation √((500² - 1) / 12).
    let step = 1.0 / ((500f64 * 500.0 - 1.0) / 12.0).sqrt();
    for pair in seconds.windows(2) {
        assert!((f64::from(pair[1] - pair[0]) - step).abs() < 1e-6, "{pair:?}");
    }
    assert_eq!(again(&data, &path).rows(), data.rows());
    // The same second alone, where nothing else in the file asks for 64 bits.
    let one = scratch.write("one.csv", "t\n1700000384\n");
    assert_eq!(column(&again(&data, &one), 0), [seconds[384]]);
}

#[test]
fn whole_numbers_up_to_53_bits_that_differ_by_one_are_not_constant() {
    let scratch = Scratch::new("large");
    let path = scratch.write("n.csv", "n,y\n2251799813685248,1\n2251799813685249,0\n");
    let data = labeled("y").read(&Input::one(&path)).unwrap();
    assert_eq!((data.notes(), column(&data, 0)), (&[][..], vec![-1.0, 1.0]));
    // Here the mean of the two is not an f64, but they still differ.
    let path = scratch.write("n.csv", "n,y\n9007199254740991,1\n9007199254740992,0\n");
    let data = labeled("y").read(&Input::one(&path)).unwrap();
    assert!(data.notes().is_empty() && column(&data, 0)[0] < column(&data, 0)[1]);
}

#[test]
fn identifiers_are_kept_to_the_byte() {
    let scratch = Scratch::new("ids");
    let cells = ["NA", "None", "null", "?", " x ", "", "007", "nan", "1e400"];
    let rows: String = cells.iter().enumerate().map(|(i, id)| format!("\"{id}\",{i},{}\n", i % 2)).collect();
    let path = scratch.write("ids.csv", format!("id,x,y\n{rows}"));
    let options =
        InputOptions { roles: Roles { id: vec!["id".to_string()], ..labeled("y").roles }, ..labeled("y") };
    let data = options.read(&Input::one(&path)).unwrap();
    assert_eq!(data.ids()[0].1.iter().collect::<Vec<_>>(), cells);
    assert_eq!((data.encoding().names(), data.notes()), (vec!["x".to_string()], &[][..]));
    let read = ReadAgain::from(Roles::named_by(["id"]));
    let again = data.encoding().read(&Input::one(&path), &read).unwrap();
    assert_eq!(again.ids(), data.ids());
}

#[test]
fn an_identifier_may_be_a_feature_a_text_or_the_label_as_well() {
    let scratch = Scratch::new("both");
    let path = scratch.write("b.csv", "x, title ,y\n1,a goal,1\n 2,the goal,0\n3,rain,0\n4,rain,0\n");
    for (name, cells) in [
        ("x", ["1", " 2", "3", "4"]),
        ("title", ["a goal", "the goal", "rain", "rain"]),
        ("y", ["1", "0", "0", "0"]),
    ] {
        let id = vec![name.to_string()];
        let options = InputOptions {
            roles: Roles { id: id.clone(), ..labeled("y").roles },
            text: vec!["title".to_string()],
            only: vec!["x".to_string()],
            ..labeled("y")
        };
        let data = options.read(&Input::one(&path)).unwrap();
        assert_eq!(data.encoding().names(), ["x", "title:goal", "title:rain"], "{name}");
        assert_eq!(data.ids()[0].1.iter().collect::<Vec<_>>(), cells, "{name}");
        let read = ReadAgain {
            roles: Roles { id, label: Some("y".to_string()), ..Roles::default() },
            ..ReadAgain::default()
        };
        let again = data.encoding().read(&Input::one(&path), &read).unwrap();
        assert_eq!((again.rows(), again.ids()), (data.rows(), data.ids()), "{name}");
    }
}

#[test]
fn numbers_are_no_texts() {
    let scratch = Scratch::new("numeric_text");
    let path = scratch.write("n.csv", "x,t,y\n1,10,1\n2,11,0\n3,,0\n");
    let options = InputOptions { text: vec!["t".to_string()], ..labeled("y") };
    let error = options.read(&Input::one(&path)).unwrap_err();
    assert_eq!(error.to_string(), "column 't' holds numbers, not texts, in all 3 rows");
    assert_eq!(error.hint().map(|hint| hint.setting), Some("text"));
}

#[test]
fn free_text_becomes_terms_by_itself() {
    let scratch = Scratch::new("free_text");
    let rows: String =
        (0..300).map(|i| format!("{},the goal came in minute {i},{}\n", i % 7, i % 2)).collect();
    let path = scratch.write("t.csv", format!("x,review,y\n{rows}"));
    let data = labeled("y").read(&Input::one(&path)).unwrap();
    // Stop words are left out where texts are one of several columns, and no number is in five texts.
    assert_eq!(data.encoding().names(), ["x", "review:came", "review:goal", "review:minute"]);
    assert!(data.notes().is_empty() && matches!(data.rows(), Store::Dense(_)));
    // Each term is in every text: 1 + ln(301 / 301), three of them of one length.
    assert!((column(&data, 2)[7] - 1.0 / 3f32.sqrt()).abs() < 1e-6);
    assert_eq!(again(&data, &path).rows(), data.rows());
    // All terms where they are asked for.
    let asked = InputOptions { text: vec!["review".to_string()], ..labeled("y") };
    let data = asked.read(&Input::one(&path)).unwrap();
    assert!(data.encoding().names().contains(&"review:the".to_string()));
    assert!(matches!(data.rows(), Store::Sparse(_)));
    // Texts without a frequent word are left out.
    let rows: String = (0..300).map(|i| format!("{},a{i} b{i} c{i},{}\n", i % 7, i % 2)).collect();
    let path = scratch.write("u.csv", format!("x,review,y\n{rows}"));
    let data = labeled("y").read(&Input::one(&path)).unwrap();
    let note = Note::LeftOut { columns: vec!["review".to_string()], why: WhyLeftOut::FreeText };
    assert_eq!((note.to_string().as_str(), data.notes()), ("review is left out: free text", &[note][..]));
}

#[test]
fn of_thousands_of_levels_the_frequent_ones_are_learned() {
    let scratch = Scratch::new("levels");
    // Of 1,000 rows 300 are teachers, 20 are drivers, and each other has its own title.
    let title = |i: usize| match i % 50 {
        0..15 => "teacher".to_string(),
        15 => "driver".to_string(),
        _ => format!("title {i}"),
    };
    let rows: String = (0..1_000).map(|i| format!("{},{},{}\n", i % 7, title(i), i % 2)).collect();
    let path = scratch.write("t.csv", format!("x,job,y\n{rows}"));
    let data = labeled("y").read(&Input::one(&path)).unwrap();
    assert_eq!(data.encoding().names(), ["x", "job=driver", "job=teacher"]);
    assert_eq!((column(&data, 1)[15], column(&data, 2)[0], column(&data, 2)[20]), (1.0, 1.0, 0.0));
    // Others are none of them, whether training saw them or not, and no news.
    let new = scratch.write("new.csv", "x,job\n1,teacher\n2,astronaut\n");
    let rows = again(&data, &new);
    assert_eq!((rows.notes(), column(&rows, 2)), (&[][..], vec![1.0, 0.0]));
}

#[test]
fn columns_that_teach_nothing_are_left_out_by_reason() {
    let scratch = Scratch::new("left_out");
    let rows: String = (0..300).map(|i| format!("{},7,same,,u{i},{}\n", i % 7, i % 2)).collect();
    let path = scratch.write("t.csv", format!("x,a,b,c,user,y\n{rows}"));
    let data = labeled("y").read(&Input::one(&path)).unwrap();
    let left_out = |columns: &[&str], why| {
        let columns = columns.iter().map(ToString::to_string).collect();
        Note::LeftOut { columns, why }
    };
    assert_eq!(
        data.notes(),
        [
            left_out(&["a", "b"], WhyLeftOut::Constant),
            left_out(&["c"], WhyLeftOut::Empty),
            left_out(&["user"], WhyLeftOut::Identifier),
        ]
    );
    assert_eq!(again(&data, &path).rows(), data.rows());
}

#[test]
fn a_number_that_became_a_word_is_named_as_such() {
    let scratch = Scratch::new("changed");
    let path = scratch.write("t.csv", "x,y\n1,1\n2,0\n");
    let data = labeled("y").read(&Input::one(&path)).unwrap();
    let rows: String = (0..300).map(|i| format!("u{i}\n")).collect();
    let path = scratch.write("new.csv", format!("x\n{rows}"));
    let error = data.encoding().read(&Input::one(&path), &ReadAgain::default()).unwrap_err().to_string();
    assert_eq!(
        error,
        "column 'x' was numeric when the model was fitted but is text here ('u0' in row 1); convert it"
    );
}

#[test]
fn utf_16_is_known_by_its_mark() {
    let scratch = Scratch::new("utf16");
    let text = "name,x,y\nJosé,1,1\nŁucja,2,0\nJosé,3,0\n";
    let bytes = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect()
    };
    for (name, bytes) in
        [("le.csv", bytes(u16::to_le_bytes)), ("be.csv", bytes(u16::to_be_bytes)), ("plain.csv", text.into())]
    {
        let path = scratch.write(name, bytes);
        let data = labeled("y").read(&Input::one(&path)).unwrap();
        assert_eq!(data.encoding().names(), ["name=José", "name=Łucja", "x"], "{name}");
        assert_eq!(again(&data, &path).rows(), data.rows(), "{name}");
    }
}

#[test]
fn a_mark_of_utf_8_is_no_part_of_the_first_name() {
    let scratch = Scratch::new("mark");
    let path = scratch.write("excel.csv", "\u{feff}x,y\r\n1,1\r\n2,0\r\n");
    assert_eq!(labeled("y").read(&Input::one(&path)).unwrap().encoding().names(), ["x"]);
    let path = scratch.write("excel.csv.gz", include_bytes!("fixtures/packed.csv.gz"));
    assert_eq!(labeled("y").read(&Input::one(&path)).unwrap().len(), 5);
}

#[test]
fn latin_1_is_read_where_it_is_named() {
    let scratch = Scratch::new("latin1");
    let rows = |last: &str| {
        let mut bytes = b"nom,x,y\n".to_vec();
        (0..20).for_each(|i| bytes.extend(format!("@@@@@@,{i},{}\n", i % 2).into_bytes()));
        bytes.extend(last.as_bytes());
        (0..20).for_each(|i| bytes.extend(format!("Anne,{i},1\n").into_bytes()));
        bytes.iter().map(|&byte| if byte == b'@' { 0xe9 } else { byte }).collect::<Vec<u8>>()
    };
    let path = scratch.write("l.csv", rows(""));
    // Where nothing is named it is taken for Windows-1252, with a word on it.
    let guessed = labeled("y").read(&Input::one(&path)).unwrap();
    assert_eq!(guessed.notes()[0].to_string(), "the table is not UTF-8 and is read as windows-1252");
    assert_eq!(guessed.notes()[0].hint().unwrap().setting, "encoding");
    let encoding = Some("latin1".parse().unwrap());
    let options = InputOptions { files: FileOptions { encoding, ..labeled("y").files }, ..labeled("y") };
    let data = options.read(&Input::one(&path)).unwrap();
    assert_eq!(data.encoding().names(), ["nom=Anne", "nom=éééééé", "x"]);
    let read = ReadAgain::from(FileOptions { encoding, ..FileOptions::default() });
    assert_eq!(data.encoding().read(&Input::one(&path), &read).unwrap().rows(), data.rows());
    // Lines are counted in the text that was read, where é takes two bytes.
    let path = scratch.write("bad.csv", rows("Anne,inf,1\n"));
    let error = options.read(&Input::one(&path)).unwrap_err().to_string();
    assert!(error.contains("line 22, column 'x': inf is not a finite number"), "{error}");
}

#[test]
fn scaled_and_as_they_are_is_one_data_set() {
    let scratch = Scratch::new("scaled");
    let path = scratch.write("s.csv", "n,c,y\n3,a,1\n0,b,0\n,a,0\n12,b,0\n");
    let options = InputOptions { scaling: Scaling::AsIs, ..labeled("y") };
    let as_is = options.read(&Input::one(&path)).unwrap();
    // The missing number is the mean of the others, 5.
    assert_eq!(column(&as_is, 0), [3.0, 0.0, 5.0, 12.0]);
    let scaled = labeled("y").read(&Input::one(&path)).unwrap();
    assert_eq!(scaled.scaled(Scaling::AsIs).rows(), as_is.rows());
    assert_eq!(as_is.scaled(Scaling::Standard).rows(), scaled.rows());
    assert_eq!(scaled.scaled(Scaling::AsIs).encoding(), as_is.encoding());
    assert_eq!(again(&as_is, &path).rows(), as_is.rows());
    assert!(matches!(as_is.rows(), Store::Dense(_)));
}

#[test]
fn paths_that_lead_nowhere_come_first() {
    let scratch = Scratch::new("nowhere");
    scratch.write("texts/a.txt", "goal");
    let (folder, nowhere) = (scratch.path("texts"), scratch.path("no.csv"));
    let message = |input: &Input| InputOptions::default().read(input).unwrap_err().to_string();
    let expected = format!("there is no file '{}'; check the path", nowhere.display());
    assert_eq!(message(&Input::two(&folder, &nowhere)), expected);
    assert_eq!(message(&Input::one(&nowhere)), expected);
    let table = scratch.write("t.csv", "x\n1\n");
    assert!(message(&Input::two(&table, &folder)).contains("give two folders, or two tables"));
}

/// A line of totals is empty in every column that is learned from: it is known as such, read whole or in pieces.
#[test]
fn rows_that_are_empty_everywhere_are_known() {
    let folder = Scratch::new("blank-rows");
    let mut text = "name,a,b,y,t\n".to_string();
    for row in 0..60 {
        text.push_str(&format!(
            "n{row},{},{},{},{}\n",
            row % 7,
            row % 5,
            u8::from(row % 6 == 0),
            u8::from(row % 3 == 0)
        ));
    }
    text.push_str("Summe,,,,\n");
    let path = folder.write("table.csv", &text);
    let options = InputOptions { drop: vec!["name".into(), "t".into()], ..InputOptions::labeled("y") };
    let data = options.read(&Input::one(&path)).unwrap();
    assert_eq!(
        (data.len(), data.blank_rows(), data.is_blank(60), data.is_blank(59)),
        (61, &[60][..], true, false)
    );
    assert!(data.notes().contains(&Note::Blank { rows: 1, first: 61 }), "{:?}", data.notes());
    let without = data.without_blank();
    assert_eq!((without.len(), without.blank_rows().len(), without.labels().unwrap().len()), (60, 0, 60));
    assert_eq!(data.select(&[60, 3]).blank_rows(), [0]);
    // Its truth is not missed, and neither is that of a table read in pieces.
    let also = ReadAgain::from(Roles::true_in("t"));
    let again = data.encoding().read(&Input::one(&path), &also).unwrap();
    assert_eq!((again.blank_rows(), again.truth().unwrap().len()), (&[60][..], 61));
    let cut = Cutting { rows: Some(25), threads: 1, range: None };
    let mut blank = Vec::new();
    let streamed = data
        .encoding()
        .stream(&Input::one(&path), &also, cut, &mut |piece| {
            blank.push(piece.blank_rows().to_vec());
            Ok::<(), DataError>(())
        })
        .unwrap();
    assert_eq!((blank, streamed.blank), (vec![vec![], vec![], vec![10]], vec![60]));
    assert!(streamed.notes.contains(&Note::Blank { rows: 1, first: 61 }));
    // The truth of any other row is.
    let path = folder.write("gap.csv", text.replace("n3,3,3,0,1\n", "n3,3,3,0,\n"));
    let error = data.encoding().read(&Input::one(&path), &also).unwrap_err().to_string();
    assert!(error.contains('t') && error.contains('4'), "{error}");
}
