//! Tables of texts and numbers together, and tables in other encodings than UTF-8.

use crate::folder::Folder;
use std::fs;

/// 600 rows. A row is positive where a word and a number say so together: `note` holds "urgent" in half of the rows, and
/// `amount` is spread around its mean; their sum decides. 40 % of the positives are labeled.
fn rows() -> Vec<[String; 4]> {
    let mut state = 7_u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let fillers = ["please call", "thank you", "see below", "as agreed", "kind regards"];
    let mut row = |_| {
        let (urgent, amount) = (draw(2), draw(1000));
        let positive = 500 * urgent + amount >= 900;
        let labeled = positive && draw(10) < 4;
        let word = if urgent == 1 { "urgent" } else { "routine" };
        let note = format!("{} {word} {}", fillers[draw(5) as usize], fillers[draw(5) as usize]);
        [note, amount.to_string(), u8::from(labeled).to_string(), u8::from(positive).to_string()]
    };
    (0..600).map(&mut row).collect()
}

/// The table with its columns in this order, of note, amount, y and t.
fn table(order: [usize; 4]) -> String {
    let names = ["note", "amount", "y", "t"].map(str::to_string);
    let line = |row: &[String; 4]| order.map(|at| row[at].clone()).join(",") + "\n";
    line(&names) + &rows().iter().map(line).collect::<String>()
}

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("t.csv", table([0, 1, 2, 3]));
    folder
}

const FIT: &str = "fit -v t.csv --label y --drop t --prior 0.35 --out m.safetensors";

#[test]
fn texts_and_numbers_tell_more_together() {
    let folder = folder("mixed-together");
    for method in ["--method weighted-lr", "--model linear --epochs 40 --learning-rate 0.05", "--model trees"]
    {
        let auc = |columns: &str| {
            let said = folder.run(&format!("{FIT} {method} {columns}"));
            assert_eq!(said.code, 0, "{said:?}");
            folder.json("evaluate m.safetensors t.csv --truth t")["auc"].as_f64().unwrap()
        };
        let (both, text, number) = (auc("--text note"), auc("--text note --only note"), auc("--only amount"));
        assert!(both > text + 0.05 && both > number + 0.05, "{method}: {both} {text} {number}");
    }
}

#[test]
fn the_model_carries_its_columns() {
    let folder = folder("mixed-columns");
    let said = folder.run(&format!("{FIT} --text note --method weighted-lr"));
    assert_eq!(said.code, 0, "{said:?}");
    // The amount, "urgent" and "routine", and the ten words of the fillers.
    assert!(said.stderr.contains("unlabeled rows, 13 features"), "{said:?}");
    // Columns in another order, and one more.
    let other = table([3, 1, 0, 2]);
    let wider: String = other.lines().enumerate().map(|(i, line)| format!("{line},z{i}\n")).collect();
    folder.write("other.csv", wider);
    for (file, out) in [("t.csv", "a.csv"), ("other.csv", "b.csv")] {
        let said = folder.run(&format!("predict m.safetensors {file} --out {out}"));
        assert_eq!(said.code, 0, "{said:?}");
    }
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    assert!(read("a.csv") == read("b.csv"));
    // What carried a score is a word or a column.
    let top = folder.json("predict m.safetensors t.csv --explain 13")["top"][0].clone();
    let because: Vec<&str> =
        top["because"].as_array().unwrap().iter().map(|part| part["feature"].as_str().unwrap()).collect();
    assert!(because.iter().any(|name| name.contains("urgent")) && because.contains(&"amount"), "{top}");
    let message = folder.refused("predict m.safetensors t.csv --text note");
    assert!(message.contains("leave --text out"), "{message}");
    folder.write("less.csv", "amount\n3\n");
    assert!(folder.refused("predict m.safetensors less.csv").contains("the data lack 'note'"));
}

#[test]
fn a_column_of_free_text_becomes_terms_and_what_was_read_is_told() {
    let folder = Folder::new("mixed-hint");
    // Long texts, hardly two of them equal.
    let line = |(i, [note, amount, y, _]): (usize, &[String; 4])| {
        format!("{note} number {i} of the many notes that were written on that day,{amount},{y},id{i},7\n")
    };
    let body: String = rows().iter().enumerate().map(line).collect();
    folder.write("t.csv", format!("note,amount,y,key,seven\n{body}"));
    let said = folder.run("fit -v t.csv --label y --prior 0.35 --method weighted-lr --out m.safetensors");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stderr.contains("columns read:\n  numbers"), "{said:?}");
    assert!(said.stderr.contains("\n  texts             1  note ("), "{said:?}");
    assert!(said.stderr.contains("note: key is left out: too many different texts"), "{said:?}");
    assert!(said.stderr.contains("note: seven is left out: the same value in every row"), "{said:?}");
}

#[test]
fn two_columns_to_drop_and_two_to_know_rows_by() {
    let folder = folder("mixed-ids");
    let said = folder
        .run("fit -v t.csv --label y --drop note,t --prior 0.35 --method weighted-lr --out m.safetensors");
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(folder.run("predict m.safetensors t.csv --id note,amount --out r.csv").code, 0);
    let text = fs::read_to_string(folder.path("r.csv")).unwrap();
    assert!(text.starts_with("row,score,probability,rank,note,amount\n"), "{text}");
    let top = folder.json("predict m.safetensors t.csv --id note,amount,note")["top"][0].clone();
    assert_eq!((&top["id"], top["ids"].as_object().unwrap().len()), (&top["ids"]["note"], 2), "{top}");
}

#[test]
fn columns_that_are_not_there_and_columns_that_would_do_nothing() {
    let folder = folder("mixed-refused");
    let refused = |more: &str| folder.refused(&format!("{FIT} --method weighted-lr {more}"));
    assert!(refused("--only amont").contains("there is no column 'amont'; did you mean 'amount'?"));
    assert!(refused("--only amount,nota").contains("there is no column 'nota'; did you mean 'note'?"));
    assert!(refused("--drop amont").contains("there is no column 'amont'"));
    assert!(refused("--text nota").contains("there is no column 'nota'"));
    assert!(refused("--text amount").ends_with("name a column of texts with --text COLUMN"));
    assert!(refused("--text note --image note").contains("so --text would do nothing"));
    assert!(refused("--only amount --image note").contains("so --only would do nothing"));
    assert!(refused("--text note --image-shape 1x1x2").contains("so --text would do nothing"));
}

/// Names with letters that UTF-8, Latin-1 and UTF-16 write differently.
fn cities() -> String {
    let row = |i: u32| {
        let city = if i.is_multiple_of(2) { "Zürich" } else { "Málaga" };
        format!("{city},{},{}\n", i % 7, u32::from(i.is_multiple_of(4)))
    };
    format!("città,x,y\n{}", (0..120).map(row).collect::<String>())
}

#[test]
fn tables_in_other_encodings_give_the_same_model() {
    let folder = Folder::new("mixed-encodings");
    let text = cities();
    folder.write("utf8.csv", &text);
    let latin: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    folder.write("latin.csv", latin);
    for (name, bytes) in [("le.csv", u16::to_le_bytes as fn(u16) -> [u8; 2]), ("be.csv", u16::to_be_bytes)] {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        folder.write(name, units.flat_map(bytes).collect::<Vec<u8>>());
    }
    let fit = "--label y --prior 0.5 --method weighted-lr --out";
    for (table, out) in [
        ("utf8.csv", "1.st"),
        ("le.csv", "2.st"),
        ("be.csv", "3.st"),
        ("latin.csv --encoding latin1", "4.st"),
    ] {
        let said = folder.run(&format!("fit -v {table} {fit} {out}"));
        assert_eq!(said.code, 0, "{table}: {said:?}");
    }
    let read = |name: &str| fs::read(folder.path(name)).unwrap();
    for other in ["2.st", "3.st", "4.st"] {
        assert!(read("1.st") == read(other), "{other}");
    }
    // Scores are asked for the same way.
    let of = |table: &str| folder.json(&format!("predict 1.st {table} --id città"))["top"].clone();
    assert_eq!(of("utf8.csv"), of("le.csv"));
    assert_eq!(of("utf8.csv"), of("latin.csv --encoding latin1"));
    // Unnamed, it is read as what such files nearly always are.
    let said = folder.run(&format!("fit -v latin.csv {fit} 5.st"));
    let note = "note: the table is not UTF-8 and is read as windows-1252; if it is in another encoding, name it with --encoding NAME\n";
    assert!(said.code == 0 && said.stderr.contains(note), "{said:?}");
    assert!(folder.refused(&format!("fit -v utf8.csv --encoding klingon {fit} 5.st")).contains("klingon"));
}
