//! The lines of Rust that a user writes and the command give the same model file, or the same refusal. (Python is held to the command by
//! `bindings/python/tests/test_same_bytes.py`.)

use crate::folder::Folder;
use onesided::data::Stream;
use onesided::{Learner, Scenario, Table};
use std::fs;

/// Rows of four numbers, a third of them positive, a third of those labeled; `labeled` at most.
fn rows(rows: usize, labeled: usize) -> Vec<(String, bool)> {
    let mut stream = Stream::new(7, "rows");
    let mut left = labeled;
    let row = |_| {
        let positive = stream.uniform() < 0.33;
        let cells: Vec<String> =
            (0..4).map(|_| format!("{:.3}", stream.normal() + if positive { 1.2 } else { 0.0 })).collect();
        let is_labeled = positive && stream.uniform() < 0.33 && left > 0;
        left -= usize::from(is_labeled);
        (cells.join(","), is_labeled)
    };
    (0..rows).map(row).collect()
}

fn table(rows: &[(String, bool)]) -> String {
    let lines = rows.iter().map(|(cells, labeled)| format!("{cells},{}\n", u8::from(*labeled)));
    format!("a,b,c,d,y\n{}", lines.collect::<String>())
}

/// What both make of it: the bytes of the model file, or why not.
fn both(folder: &Folder, flags: &str, learner: &Learner, table: &Table) -> [Result<Vec<u8>, String>; 2] {
    let said = folder.run(&format!("fit -v {flags} --threads 1 --out m.model"));
    let of_command = match said.code {
        0 => Ok(fs::read(folder.path("m.model")).unwrap()),
        _ => Err(said.stderr.lines().last().unwrap().trim_start_matches("error: ").to_string()),
    };
    let model = learner.clone().threads(1).fit(table);
    [of_command, model.map(|model| model.to_bytes().unwrap()).map_err(|error| error.to_string())]
}

/// Both learn, and the same.
fn same(folder: &Folder, flags: &str, learner: &Learner, table: &Table) -> Vec<u8> {
    let [of_command, of_rust] = both(folder, flags, learner, table);
    let (of_command, of_rust) = (of_command.unwrap(), of_rust.unwrap());
    assert!(of_command == of_rust, "{flags}");
    of_rust
}

fn quick() -> Learner {
    Learner::new().set("effort", "quick").unwrap()
}

#[test]
fn one_table() {
    let folder = Folder::new("same-one");
    folder.write("t.csv", table(&rows(1_100, usize::MAX)));
    let place = || Table::at(folder.path("t.csv")).label("y");
    same(&folder, "t.csv --label y --effort quick", &quick(), &place());
    let reserved = quick().set("reserve", "0.2").unwrap();
    same(&folder, "t.csv --label y --effort quick --reserve 0.2", &reserved, &place());
    // A draw: the rows that are left out calibrate in both.
    let drawn = onesided::InputOptions { max_unlabeled: Some(300), ..onesided::InputOptions::labeled("y") };
    let drawn = place().reading(drawn);
    same(&folder, "t.csv --label y --effort quick --max-unlabeled 300", &quick(), &drawn);
}

#[test]
fn two_files_are_two_samples() {
    let folder = Folder::new("same-two");
    let rows = rows(900, usize::MAX);
    for (name, wanted) in [("p.csv", true), ("u.csv", false)] {
        let lines =
            rows.iter().filter(|(_, labeled)| *labeled == wanted).map(|(cells, _)| format!("{cells}\n"));
        folder.write(name, format!("a,b,c,d\n{}", lines.collect::<String>()));
    }
    let place = Table::two(folder.path("p.csv"), folder.path("u.csv"));
    same(&folder, "--positives p.csv --unlabeled u.csv --effort quick", &quick(), &place);
    let model = quick().fit(&place).unwrap();
    assert_eq!(model.about().scenario, Scenario::CaseControl);
    // What is said goes before what the place tells; rows that were read first know it, too.
    assert_eq!(quick().fit(&place.read().unwrap()).unwrap().about().scenario, Scenario::CaseControl);
    let one = quick().scenario(Scenario::SingleSample).fit(&place).unwrap();
    assert_eq!(one.about().scenario, Scenario::SingleSample);
}

#[test]
fn texts() {
    let folder = Folder::new("same-texts");
    // More terms than a network is given, and fewer than a line.
    let text = |i: usize| -> String {
        let topic = if i.is_multiple_of(3) { "team goal match" } else { "bank rate loan" };
        let rare: Vec<String> = (0..20).map(|j| format!("w{}", (i * 20 + j) % 6_000)).collect();
        format!("{topic} {}", rare.join(" "))
    };
    let lines: String =
        (0..1_200).map(|i| format!("{},{}\n", text(i), u8::from(i.is_multiple_of(6)))).collect();
    folder.write("t.csv", format!("said,y\n{lines}"));
    let place = Table::at(folder.path("t.csv")).label("y").text("said");
    let flags = "t.csv --label y --text said --prior 0.33";
    let prior = Learner::new().set("prior", "0.33").unwrap();
    let mut sizes = Vec::new();
    for method in ["naive", "weighted-lr", "s-em"] {
        let model =
            same(&folder, &format!("{flags} --method {method}"), &prior.clone().method(method), &place);
        sizes.push(onesided::Model::load_bytes(&model).unwrap().about().features.width());
    }
    assert_eq!(sizes, [5_000, 6_006, 6_006]);
}

#[test]
fn pictures() {
    let folder = Folder::new("same-pictures");
    let mut stream = Stream::new(3, "pixels");
    for (kind, count) in [("good", 20), ("rest", 60)] {
        fs::create_dir_all(folder.path(kind)).unwrap();
        for i in 0..count {
            let bright = kind == "good" || i % 3 == 0;
            let pixels: Vec<u8> =
                (0..64).map(|_| (stream.uniform() * 120.0) as u8 + if bright { 100 } else { 0 }).collect();
            let file = fs::File::create(folder.path(kind).join(format!("{i}.png"))).unwrap();
            let mut encoder = png::Encoder::new(file, 8, 8);
            encoder.set_color(png::ColorType::Grayscale);
            encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
        }
    }
    let place = Table::two(folder.path("good"), folder.path("rest"));
    let learner = Learner::new().model("cnn".parse().unwrap()).epochs(2).set("prior", "0.3").unwrap();
    same(&folder, "--positives good --unlabeled rest --model cnn --epochs 2 --prior 0.3", &learner, &place);
}

#[test]
fn few_rows_and_few_positives() {
    let folder = Folder::new("same-few");
    let place = |name: &str| Table::at(folder.path(name)).label("y");
    let eighty = rows(80, 8);
    let labeled = eighty.iter().filter(|(_, labeled)| *labeled).count();
    assert!((3..10).contains(&labeled));
    folder.write("80.csv", table(&eighty));
    let model = same(&folder, "80.csv --label y --effort quick", &quick(), &place("80.csv"));
    let about = onesided::Model::load_bytes(&model).unwrap().about().clone();
    assert_eq!(about.prior_estimate.unwrap().mu.get(), 1.0 / (80 - labeled + 2) as f64);
    let said = folder.json("fit 80.csv --label y --effort quick --out m.model");
    assert_eq!(said["metrics"]["precision"], serde_json::Value::Null, "{said}");
    let why = format!("{labeled} positive rows are too few to estimate the prior; at least 10 are needed");
    assert_eq!(said["prior_estimate"]["assumed"], why.as_str());
    let told = folder.run("fit -v 80.csv --label y --effort quick --out m.model");
    assert!(told.stderr.contains("warning: the prior is assumed, 0.013 of the unlabeled rows"), "{told:?}");
    assert!(told.stdout.contains("cannot be told without the share of positives: give it with --prior"));
    // Of more rows, it is refused for the same reason.
    folder.write("1000.csv", table(&rows(1_000, 9)));
    let [of_command, of_rust] = both(&folder, "1000.csv --label y", &Learner::new(), &place("1000.csv"));
    let (of_command, of_rust) = (of_command.unwrap_err(), of_rust.unwrap_err());
    assert!(of_rust.contains("cannot be estimated: 9 positive rows are too few"), "{of_rust}");
    assert!(of_command.starts_with(&of_rust), "{of_command}");
}

#[test]
fn answers_stay_with_their_rows_where_others_are_empty() {
    let folder = Folder::new("same-audit");
    let rows = rows(600, usize::MAX);
    let (full, empty) = (table(&rows), ",,,,0\n");
    // Empty rows come first, so that the numbers of all others change once they are left out.
    folder.write("full.csv", &full);
    folder.write("gaps.csv", full.replacen('\n', &format!("\n{}", empty.repeat(5)), 1));
    let fit = "--label y --method weighted-lr --threads 1";
    let drawn = folder.run(&format!("fit -v full.csv {fit} --prior 0.4 --out first.model"));
    assert_eq!(drawn.code, 0, "{drawn:?}");
    let drawn = folder.run("audit draw first.model full.csv --label y --rows 60 --out a.csv");
    assert_eq!(drawn.code, 0, "{drawn:?}");
    let sheet = fs::read_to_string(folder.path("a.csv")).unwrap();
    let at = sheet.lines().next().unwrap().split(',').position(|name| name == "positive").unwrap();
    let answered = |(number, line): (usize, &str)| {
        let mut cells: Vec<&str> = line.split(',').collect();
        if number > 0 {
            cells[at] = if number % 3 == 0 { "yes" } else { "no" };
        }
        cells.join(",") + "\n"
    };
    let answers: String = sheet.lines().enumerate().map(answered).collect();
    folder.write("a.csv", answers);
    let of = |name: &str| folder.json(&format!("fit {name} {fit} --audit a.csv --out m.model"));
    let (full, gaps) = (of("full.csv"), of("gaps.csv"));
    assert_eq!(full["measured"], gaps["measured"]);
    // The share that the audit tells differs a little, since the table is longer; the answers and their scores do not.
    let close = |name: &str| {
        (full["metrics"][name].as_f64().unwrap() - gaps["metrics"][name].as_f64().unwrap()).abs() < 0.02
    };
    assert!(close("auc") && close("precision"), "{full} {gaps}");
}
