//! Tables read piece by piece: the same rows, names, notes and errors as those of the whole.

use onesided_data::{
    Cutting, DataError, Dataset, Encoding, FileOptions, Input, InputOptions, Label, LabelColumn, NumberStyle,
    OutColumn, ReadAgain, Roles, Store, Streamed, TableError, TimeStyle, write_parquet,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("onesided-stream-{test}.{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.0.join(name), content).unwrap();
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A column of every kind; `odd` adds cells that training never saw.
fn table(rows: usize, odd: bool) -> String {
    let mut text = "id,x,wide,flag,color,text,w,y\n".to_string();
    for i in 0..rows {
        let x = match i % 11 {
            3 => "1,234.5".to_string(),
            5 => "-".to_string(),
            7 if odd => "eleven".to_string(),
            9 => String::new(),
            _ => format!("{}.25", (i * 7919) % 97),
        };
        let wide =
            if odd && i < 9 { (i as f64 / 3.0).to_string() } else { format!("17000000{:02}.5", i % 89) };
        let flag = ["true", "false", "0", "", "maybe"][if odd { i % 5 } else { i % 2 }];
        let color = ["red", "blue", "", "green"][if odd { i % 4 } else { i % 2 }];
        let words = if i % 3 == 0 {
            "rain and rain"
        } else if odd {
            "zebra"
        } else {
            "a goal, one goal"
        };
        let y = u8::from(i % 4 == 0);
        text.push_str(&format!("r {i},\"{x}\",{wide},{flag},{color},\"{words}\",{}.5,{y}\n", i % 3 + 1));
    }
    text
}

fn options() -> InputOptions {
    InputOptions {
        roles: Roles { label: Some("y".to_string()), weight: Some("w".to_string()), ..Roles::default() },
        drop: vec!["id".to_string()],
        text: vec!["text".to_string()],
        ..InputOptions::default()
    }
}

fn also() -> ReadAgain {
    let name = |name: &str| name.to_string();
    ReadAgain {
        roles: Roles {
            label: Some(name("y")),
            weight: Some(name("w")),
            id: vec![name("id"), name("x")],
            ..Roles::default()
        },
        ..ReadAgain::default()
    }
}

/// All pieces one behind the other, and how many there were.
fn streamed(
    encoding: &Arc<Encoding>,
    path: &Path,
    also: &ReadAgain,
    rows: usize,
) -> Result<(Vec<Dataset>, Streamed), DataError> {
    let mut pieces = Vec::new();
    let cut = Cutting { rows: Some(rows), threads: 2, range: None };
    let streamed = encoding.stream(&Input::one(path), also, cut, &mut |piece| {
        pieces.push(piece);
        Ok::<(), DataError>(())
    })?;
    Ok((pieces, streamed))
}

fn assert_same(encoding: &Arc<Encoding>, path: &Path, also: &ReadAgain, rows: usize) {
    let whole = encoding.read(&Input::one(path), also).unwrap();
    let (pieces, streamed) = streamed(encoding, path, also, rows).unwrap();
    let what = format!("{} in pieces of {rows}", path.display());
    assert!(pieces.iter().all(|piece| piece.len() <= rows), "{what}");
    assert_eq!(pieces.len(), whole.len().div_ceil(rows), "{what}");
    let mut all: Option<Store> = None;
    for piece in &pieces {
        match &mut all {
            None => all = Some(piece.rows().clone()),
            Some(all) => all.append(piece.rows().clone()).unwrap(),
        }
    }
    assert_eq!(all.as_ref(), Some(whole.rows()), "{what}");
    // Missing cells as trees see them; NaN is unlike itself, so as bits.
    let bits = |data: &Dataset| -> Vec<u32> {
        data.columns().unwrap().matrix.as_slice().iter().map(|value| value.to_bits()).collect()
    };
    assert_eq!(pieces.iter().flat_map(bits).collect::<Vec<_>>(), bits(&whole), "{what}");
    for (at, (name, ids)) in whole.ids().iter().enumerate() {
        let cells: Vec<&str> = pieces.iter().flat_map(|piece| piece.ids()[at].1.iter()).collect();
        assert_eq!((&pieces[0].ids()[at].0, cells), (name, ids.iter().collect()), "{what}");
    }
    assert_eq!(streamed.notes, whole.notes(), "{what}");
    assert_eq!((streamed.labels.as_deref(), streamed.rows), (whole.labels(), whole.len()), "{what}");
    assert_eq!(
        (streamed.truth.as_deref(), streamed.weights.as_deref()),
        (whole.truth(), whole.weights()),
        "{what}"
    );
}

#[test]
fn text_tables_in_pieces_are_the_whole() {
    let folder = Folder::new("csv");
    let data = options().read(&Input::one(folder.write("train.csv", table(120, false)))).unwrap();
    let new = table(200, true);
    let plain = folder.write("new.csv", &new);
    let packed = folder.write("new.csv.zst", zstd::encode_all(new.as_bytes(), 3).unwrap());
    let tabs = folder.write(
        "tabs.tsv",
        new.replace("1,234.5", "1 234.5").replace("a goal, one", "a goal one").replace(',', "\t"),
    );
    for path in [&plain, &packed, &tabs] {
        for rows in [1, 7, 64, 200, 1000] {
            assert_same(data.encoding(), path, &also(), rows);
        }
    }
    let truth =
        ReadAgain { roles: Roles { label: None, truth: Some("y".to_string()), ..also().roles }, ..also() };
    assert_same(data.encoding(), &plain, &truth, 13);
    // A note of every kind was among them.
    let said: Vec<String> = streamed(data.encoding(), &plain, &also(), 7)
        .unwrap()
        .1
        .notes
        .iter()
        .map(ToString::to_string)
        .collect();
    let said = said.join("\n");
    for words in [
        "missing cells in ",
        "new categories",
        "unlike the rest",
        "first 'eleven' in line 9",
        "not written plainly",
        "without a term",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn parquet_tables_in_pieces_are_the_whole() {
    let folder = Folder::new("parquet");
    let numbers = |by: u64| OutColumn::F64((0..300u64).map(|i| (i * by % 97) as f64 / 4.0).collect());
    let texts = |of: &dyn Fn(usize) -> String| OutColumn::Text((0..300).map(of).collect());
    let columns = |odd: bool| {
        vec![
            ("a", numbers(31)),
            ("b", numbers(57)),
            (
                "written",
                texts(&|i| if odd && i % 10 == 9 { "n. d.".to_string() } else { format!("{} %", i % 7) }),
            ),
            ("color", texts(&|i| ["red", "blue", "", "green"][if odd { i % 4 } else { i % 2 }].to_string())),
            (
                "wide",
                OutColumn::F64(
                    (0..300)
                        .map(|i| if odd && i < 20 { i as f64 / 3.0 } else { 1.7e9 + 0.25 * i as f64 })
                        .collect(),
                ),
            ),
            ("id", texts(&|i| format!("r{i}"))),
            ("y", OutColumn::U64((0..300).map(|i| u64::from(i % 5 == 0)).collect())),
        ]
    };
    let (train, new) = (folder.0.join("train.parquet"), folder.0.join("new.parquet"));
    write_parquet(&train, &columns(false)).unwrap();
    write_parquet(&new, &columns(true)).unwrap();
    let read = InputOptions {
        drop: vec!["id".to_string()],
        numeric: vec!["written".to_string()],
        ..InputOptions::labeled("y")
    };
    let data = read.read(&Input::one(&train)).unwrap();
    let also = ReadAgain {
        roles: Roles {
            label: Some("y".to_string()),
            id: vec!["id".to_string(), "a".to_string(), "y".to_string()],
            ..Roles::default()
        },
        ..ReadAgain::default()
    };
    for rows in [1, 7, 128, 300, 5000] {
        assert_same(data.encoding(), &new, &also, rows);
    }
}

#[test]
fn kept_columns_are_verbatim_and_in_the_order_of_the_file() {
    let folder = Folder::new("keep");
    let data = options().read(&Input::one(folder.write("train.csv", table(120, false)))).unwrap();
    let path = folder.write("new.csv", table(20, true));
    let keep = |names: &[&str]| ReadAgain {
        roles: Roles { id: vec!["id".to_string()], ..Roles::default() },
        keep: names.iter().map(ToString::to_string).collect(),
        ..ReadAgain::default()
    };
    let names = |also: &ReadAgain| {
        let (pieces, _) = streamed(data.encoding(), &path, also, 6).unwrap();
        let cell =
            pieces[0].ids().iter().find(|(name, _)| name == "x").map(|(_, cells)| cells.get(3).to_string());
        (pieces[0].ids().iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), cell)
    };
    let (some, cell) = names(&keep(&["y", "x", "id"]));
    assert_eq!((some, cell.as_deref()), (["id", "y", "x"].map(String::from).to_vec(), Some("1,234.5")));
    let (all, _) = names(&keep(&["all"]));
    assert_eq!(all, ["id", "x", "wide", "flag", "color", "text", "w", "y"]);
    let error = streamed(data.encoding(), &path, &keep(&["colour"]), 6).unwrap_err().to_string();
    assert!(error.contains("'colour'") && error.contains("did you mean 'color'?"), "{error}");
}

#[test]
fn errors_are_those_of_the_whole() {
    let folder = Folder::new("errors");
    let data = options().read(&Input::one(folder.write("train.csv", table(120, false)))).unwrap();
    let good = table(60, false);
    let lines: Vec<&str> = good.lines().collect();
    let with = |line: usize, text: &str| {
        let mut lines = lines.clone();
        lines[line] = text;
        format!("{}\n", lines.join("\n"))
    };
    for (name, content, words) in [
        ("ragged.csv", with(41, "r,1,1,true,red,rain,1,0,9"), "line 42 has 9 cells but the header has 8"),
        (
            "infinite.csv",
            with(41, "r,inf,1,true,red,rain,1,0"),
            "line 42, column 'x': inf is not a finite number",
        ),
        ("weight.csv", with(41, "r,1,1,true,red,rain,-1,0"), "row 41"),
        ("words.csv", good.replace("true", "perhaps").replace("false", "perhaps"), "'flag'"),
        ("lacking.csv", good.replacen("color", "colour", 1), "'color'"),
        ("none.csv", lines[0].to_string() + "\n", "no rows"),
        ("label.csv", good.replacen("w,y", "w,yy", 1), "'y'"),
    ] {
        let path = folder.write(name, content);
        let whole = data.encoding().read(&Input::one(&path), &also()).unwrap_err().to_string();
        assert!(whole.contains(words), "{name}: {whole}");
        for rows in [1, 7, 1000] {
            let error = streamed(data.encoding(), &path, &also(), rows).unwrap_err().to_string();
            // Pieces know the lines of a text file, the whole counts rows.
            let error = error.replace("('perhaps' in line 2)", "('perhaps' in row 1)");
            assert_eq!(error, whole, "{name} in pieces of {rows}");
        }
    }
    // A visitor that gives up is the end.
    let path = folder.write("good.csv", &good);
    let mut seen = 0;
    let cut = Cutting { rows: Some(7), threads: 1, range: None };
    let given_up = data.encoding().stream(&Input::one(&path), &also(), cut, &mut |_| {
        seen += 1;
        if seen < 3 { Ok(()) } else { Err(DataError::OtherEncoding) }
    });
    assert!(matches!(given_up, Err(DataError::OtherEncoding)) && seen == 3);
}

#[test]
fn a_table_that_turns_out_not_to_be_utf_8_is_the_whole() {
    let folder = Folder::new("legacy");
    let row = |i: usize, color: &str| format!("{i},{color},{}\n", u8::from(i.is_multiple_of(4)));
    // In Windows-1252 a letter is a byte, which `latin` writes.
    let latin = |text: String| -> Vec<u8> { text.chars().map(|c| c as u8).collect() };
    let plain: String = (0..40).map(|i| row(i, ["red", "blue"][i % 2])).collect();
    let train = folder.write("train.csv", format!("x,color,y\n{plain}"));
    let read = InputOptions::labeled("y");
    let data = read.read(&Input::one(&train)).unwrap();
    let also = ReadAgain::from(Roles::named_by(["color"]));
    let late = folder.write("late.csv", latin(format!("x,color,y\n{plain}{}{plain}", row(50, "gr\u{fc}n"))));
    for rows in [3, 8, 40, 41, 100] {
        assert_same(data.encoding(), &late, &also, rows);
    }
    // \u{c9}\u{bb} happens to be a letter of UTF-8, and was handed out as one.
    let odd: String = (0..10).map(|i| row(i, "\u{fc}")).collect();
    let odd = latin(format!("x,color,y\n{}{plain}{odd}", row(0, "CAF\u{c9}\u{bb}")));
    let odd = folder.write("odd.csv", odd);
    assert_same(data.encoding(), &odd, &also, 100);
    let refused = streamed(data.encoding(), &odd, &also, 8);
    assert!(matches!(refused, Err(DataError::Table(TableError::NotUtf8 { .. }))));
}

#[test]
fn two_tables_are_one_behind_the_other() {
    let folder = Folder::new("two");
    let data = options().read(&Input::one(folder.write("train.csv", table(120, false)))).unwrap();
    let places = ["p.csv", "u.csv", "n.csv"].map(|name| folder.write(name, table(20 + name.len(), true)));
    let input = Input::three(&places[0], &places[1], &places[2]);
    let also = ReadAgain {
        roles: Roles { weight: Some("w".to_string()), truth: Some("y".to_string()), ..Roles::default() },
        ..ReadAgain::default()
    };
    let whole = data.encoding().read(&input, &also).unwrap();
    let mut rows = 0;
    let cut = Cutting { rows: Some(8), threads: 0, range: None };
    let streamed = data.encoding().stream(&input, &also, cut, &mut |piece| {
        rows += piece.len();
        Ok::<(), DataError>(())
    });
    let streamed = streamed.unwrap();
    assert_eq!((rows, streamed.labels.as_deref()), (whole.len(), whole.labels()));
    assert_eq!((streamed.truth.as_deref(), streamed.weights.as_deref()), (whole.truth(), whole.weights()));
}

#[test]
fn drawn_rows_are_rows_of_the_table() {
    let folder = Folder::new("draw");
    let text = table(400, true);
    let path = folder.write("table.csv", &text);
    let read = InputOptions {
        roles: Roles { id: vec!["id".to_string(), "color".to_string()], ..options().roles },
        drop: Vec::new(),
        max_unlabeled: Some(120),
        seed: 5,
        ..options()
    };
    let whole = InputOptions { max_unlabeled: None, ..read.clone() }.read(&Input::one(&path)).unwrap();
    let drawn = read.read(&Input::one(&path)).unwrap();
    let counts = drawn.counts().unwrap();
    assert_eq!((counts.positive, counts.unlabeled), (100, 120));
    let from = drawn.drawn_from().unwrap();
    assert_eq!((Some(from.counts), Some(from.amounts)), (whole.counts(), whole.amounts()));
    let lines: Vec<&str> = text.lines().skip(1).collect();
    for (row, id) in drawn.ids()[0].1.iter().enumerate() {
        let at: usize = id.trim_start_matches("r ").parse().unwrap();
        assert!(lines[at].starts_with(&format!("{id},")));
        assert_eq!(drawn.labels().unwrap()[row], whole.labels().unwrap()[at]);
        assert_eq!(drawn.weights().unwrap()[row], whole.weights().unwrap()[at]);
        assert_eq!(drawn.ids()[1].1.get(row), whole.ids()[1].1.get(at));
    }
    assert!(drawn.ids()[0].1.iter().is_sorted_by_key(|id| id[2..].parse::<usize>().unwrap()));
    // The same rows of a Parquet file with the same labels.
    let numbers = |of: &dyn Fn(u64) -> u64| OutColumn::U64((0..400).map(of).collect());
    let columns =
        [("x", numbers(&|i| i)), ("z", numbers(&|i| i * i % 17)), ("y", numbers(&|i| u64::from(i % 4 == 0)))];
    let parquet = folder.0.join("table.parquet");
    write_parquet(&parquet, &columns).unwrap();
    let read = InputOptions {
        roles: Roles { label: Some("y".to_string()), id: vec!["x".to_string()], ..Roles::default() },
        max_unlabeled: Some(120),
        seed: 5,
        ..InputOptions::default()
    };
    let again = read.read(&Input::one(&parquet)).unwrap();
    let rows: Vec<&str> = drawn.ids()[0].1.iter().map(|id| &id[2..]).collect();
    assert_eq!(again.ids()[0].1.iter().collect::<Vec<_>>(), rows);
    // Of two files only the second is drawn from.
    let two = folder.write("u.csv", table(300, true));
    let apart = InputOptions {
        roles: Roles { label: None, ..options().roles },
        max_unlabeled: Some(30),
        ..options()
    };
    let data = apart.read(&Input::two(&path, &two)).unwrap();
    let (counts, from) = (data.counts().unwrap(), data.drawn_from().unwrap());
    assert_eq!((counts.positive, counts.unlabeled), (400, 30));
    assert_eq!((from.counts.positive, from.counts.unlabeled), (400, 300));
}

/// A table of numbers and dates for a model, and what it is read with again.
fn styles(folder: &Folder) -> Dataset {
    let rows: String = (0..60)
        .map(|i| format!("{}.5;2024-{:02}-{:02};{}\n", i % 17, 1 + i % 12, 1 + i % 28, u8::from(i % 4 == 0)))
        .collect();
    let options = InputOptions::labeled("y");
    options.read(&Input::one(folder.write("fitted.csv", format!("n;d;y\n{rows}")))).unwrap()
}

/// The sentence with which a table is refused, the same for the whole and for pieces of any size, and the setting that it names.
fn refused(data: &Dataset, path: &Path) -> (String, Option<&'static str>) {
    let whole = data.encoding().read(&Input::one(path), &ReadAgain::default()).unwrap_err();
    for rows in [1, 2, 7, 1_000] {
        let pieces = streamed(data.encoding(), path, &ReadAgain::default(), rows).map(|_| ()).unwrap_err();
        assert_eq!(pieces.to_string(), whole.to_string(), "{rows}");
    }
    (whole.to_string(), whole.hint().map(|hint| hint.setting))
}

#[test]
fn numbers_and_dates_in_another_style_are_refused_until_it_is_said() {
    let folder = Folder::new("styles");
    let data = styles(&folder);
    let commas =
        folder.write("commas.csv", "n;d\n;\nNA;\n;\n1,5;2024-02-05\n2;2024-02-13\n3,25;2024-03-06\n");
    let (message, setting) = refused(&data, &commas);
    assert!(message.contains("line 5, column 'n': '1,5' is not a number with a decimal point"), "{message}");
    assert_eq!(setting, Some("decimal"));
    let days = folder.write("days.csv", "n;d\n1.5;05.02.2024\n2;13.02.2024\n3.25;06.03.2024\n");
    let (message, setting) = refused(&data, &days);
    assert!(
        message.contains(
            "line 2, column 'd': '05.02.2024' is not written like the dates that the model was fitted on"
        ),
        "{message}"
    );
    assert_eq!(setting, Some("date-order"));
    let plain = folder.write("plain.csv", "n;d\n1.5;2024-02-05\n2;2024-02-13\n3.25;2024-03-06\n");
    let same = data.encoding().read(&Input::one(plain), &ReadAgain::default()).unwrap();
    let said = ReadAgain {
        files: FileOptions {
            decimal: Some(NumberStyle::Comma),
            date_order: Some(TimeStyle::DayFirst),
            ..FileOptions::default()
        },
        ..ReadAgain::default()
    };
    let both = folder.write("both.csv", "n;d\n1,5;05.02.2024\n2;13.02.2024\n3,25;06.03.2024\n");
    for rows in [1, 2, 3] {
        assert_same(data.encoding(), &both, &said, rows);
    }
    assert_eq!(data.encoding().read(&Input::one(&both), &said).unwrap().rows(), same.rows());
}

#[test]
fn another_style_further_down_is_refused_with_its_line() {
    let folder = Folder::new("late-style");
    let data = styles(&folder);
    let numbers = folder.write("n.csv", format!("n;d\n1.5;\n2.5;\n{}", "3,5;\n".repeat(60)));
    let (message, _) = refused(&data, &numbers);
    assert!(message.contains("line 4, column 'n': '3,5' is not a number with a decimal point"), "{message}");
    // One in twenty may be something else, as in a table to learn from, and is told.
    let few = folder.write("few.csv", format!("n;d\n3,5;\n{}", "2.5;2024-02-05\n".repeat(60)));
    for rows in [1, 7, 100] {
        assert_same(data.encoding(), &few, &ReadAgain::default(), rows);
    }
}

#[test]
fn thousands_follow_the_cells_that_tell_and_the_other_columns_where_a_table_is_learned_from() {
    let folder = Folder::new("habit");
    let options = InputOptions::labeled("y");
    let km = |i: usize| if i.is_multiple_of(3) { format!("1.{i:03}") } else { (900 + i).to_string() };
    let labeled = |name: &str, separator: &str, km: &dyn Fn(usize) -> String, t: &dyn Fn(usize) -> String| {
        let row = |i| [km(i), t(i), u8::from(i % 4 == 0).to_string()].join(separator);
        let rows: Vec<String> = (0..60).map(row).collect();
        let text = format!("{}\n{}\n", ["km", "t", "y"].join(separator), rows.join("\n"));
        options.read(&Input::one(folder.write(name, text))).unwrap()
    };
    let commas = labeled("commas.csv", ";", &km, &|i| format!("{},25", i % 9));
    let points = labeled("points.csv", ",", &|i| km(i).replace('.', ""), &|i| format!("{}.25", i % 9));
    assert_eq!(commas.rows(), points.rows());
    // Groups that were learned are groups in a table that shows no sign, too.
    let new = folder.write("new.csv", "km;t\n1.003;7\n905;3\n");
    let plain = folder.write("plain.csv", "km,t\n1003,7\n905,3\n");
    let read = |path: &Path| commas.encoding().read(&Input::one(path), &ReadAgain::default()).unwrap();
    assert_eq!(read(&new).rows(), read(&plain).rows());
}

#[test]
fn two_files_settle_together_how_numbers_are_written() {
    let folder = Folder::new("two-styles");
    let row = |i: usize| format!("{}.{:03};{}\n", 1 + i % 7, i * 37 % 1000, i % 5);
    let positives = folder.write("p.csv", format!("km;t\n{}", (0..30).map(row).collect::<String>()));
    let others: String = (0..60).map(|i| format!("{},5;{}\n", 1000 + i * 91 % 7000, i % 5)).collect();
    let unlabeled = folder.write("u.csv", format!("km;t\n{others}"));
    let plain =
        folder.write("plain.csv", format!("km;t\n{}", (0..30).map(row).collect::<String>().replace('.', "")));
    let read = |positives: &Path| InputOptions::default().read(&Input::two(positives, &unlabeled)).unwrap();
    assert_eq!(read(&positives).rows(), read(&plain).rows());
}

#[test]
fn what_the_label_column_says_is_told_where_it_is() {
    let folder = Folder::new("told");
    let path = folder.write("train.csv", table(120, false));
    let data = options().read(&Input::one(&path)).unwrap();
    let column = data.label_column().unwrap().clone();
    assert_eq!(column.column, "y");
    let told = |column: &LabelColumn| ReadAgain { told: Some(column.clone()), ..ReadAgain::default() };
    for rows in [7, 64, 1000] {
        assert_same(data.encoding(), &path, &told(&column), rows);
        let (pieces, _) = streamed(data.encoding(), &path, &told(&column), rows).unwrap();
        let all: Vec<Label> = pieces.iter().flat_map(|piece| piece.told().unwrap().to_vec()).collect();
        assert_eq!(Some(all.as_slice()), data.labels());
        assert!(pieces.iter().all(|piece| piece.ids().is_empty()), "it was not asked for by its name");
        let nowhere = LabelColumn { column: "nowhere".to_string(), ..column.clone() };
        let (pieces, _) = streamed(data.encoding(), &path, &told(&nowhere), rows).unwrap();
        assert!(pieces.iter().all(|piece| piece.told().is_none()));
    }
    let whole = data.encoding().read(&Input::one(&path), &told(&column)).unwrap();
    assert_eq!(whole.told(), data.labels());
}

#[test]
fn whole_numbers_have_the_sign_of_their_table_and_without_one_leave_it_open() {
    let folder = Folder::new("whole");
    let options = InputOptions::labeled("y");
    let fit = |name: &str, rate: &dyn Fn(usize) -> String| {
        let row =
            |i: usize| format!("{};{};{}\n", 1_000 + i * 37 % 23, rate(i), u8::from(i.is_multiple_of(4)));
        let text = format!("n;rate;y\n{}", (0..60).map(row).collect::<String>());
        options.read(&Input::one(folder.write(name, text))).unwrap()
    };
    let read = |data: &Dataset, text: &str| {
        let path = folder.write("new.csv", text);
        data.encoding().read(&Input::one(path), &ReadAgain::default()).map(|data| data.rows().clone())
    };
    let commas = fit("commas.csv", &|i| format!("{},5", i % 9));
    assert_eq!(commas.encoding().names(), ["n", "rate"]);
    assert_eq!(read(&commas, "n;rate\n1.085;3,5\n").unwrap(), read(&commas, "n;rate\n1085;3,5\n").unwrap());
    let points = fit("points.csv", &|i| format!("{}.5", i % 9));
    assert_eq!(read(&points, "n;rate\n1.085;3.5\n").unwrap(), read(&points, "n;rate\n1.0850;3.5\n").unwrap());
    // Nothing has a sign, so nothing says what this one is.
    let whole = fit("whole.csv", &|i| (i % 9).to_string());
    for new in ["n;rate\n1.085;3\n", "n;rate\n1,085;3\n"] {
        let message = read(&whole, new).unwrap_err().to_string();
        assert!(message.contains("could be a decimal number or have its digits in groups"), "{message}");
    }
    assert_eq!(read(&whole, "n;rate\n1.085;3.5\n").unwrap(), read(&whole, "n;rate\n1.0850;3.5\n").unwrap());
}

#[test]
fn dates_between_other_signs_than_those_of_training_are_refused() {
    let folder = Folder::new("date-signs");
    let row = |i: usize| {
        format!("{}/{}/2024,{},{}\n", 1 + i % 12, 1 + i % 28, i % 9, u8::from(i.is_multiple_of(4)))
    };
    let text = format!("d,x,y\n{}", (0..60).map(row).collect::<String>());
    let options = InputOptions::labeled("y");
    let data = options.read(&Input::one(folder.write("fitted.csv", text))).unwrap();
    let points = folder.write("points.csv", "d,x\n10.07.2021,3\n");
    let (message, setting) = refused(&data, &points);
    assert!(message.contains("'10.07.2021' is not written like the dates"), "{message}");
    assert_eq!(setting, Some("date-order"));
    let said =
        ReadAgain::from(FileOptions { date_order: Some(TimeStyle::DayFirst), ..FileOptions::default() });
    let iso = folder.write("iso.csv", "d,x\n2021-07-10,3\n");
    let read =
        |path: &Path, also: &ReadAgain| data.encoding().read(&Input::one(path), also).unwrap().rows().clone();
    assert_eq!(read(&points, &said), read(&iso, &ReadAgain::default()));
}

#[test]
fn lines_of_one_cell_more_than_the_header_are_told_of_a_new_file_too() {
    let folder = Folder::new("row-names");
    let data = styles(&folder);
    let path = folder.write("new.csv", "n,d\n3,5,2024-02-05\n4,5,2024-03-05\n");
    for rows in [1, 100] {
        let (_, streamed) = streamed(data.encoding(), &path, &ReadAgain::default(), rows).unwrap();
        let notes: Vec<String> = streamed.notes.iter().map(ToString::to_string).collect();
        assert!(notes.iter().any(|note| note.contains("one cell more than the header")), "{notes:?}");
    }
}
