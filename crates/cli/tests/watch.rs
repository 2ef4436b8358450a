//! `onesided watch`: months that are like the one of the fit, months that are not, and the file of all months.

use crate::folder::Folder;
use serde_json::Value;
use std::fs;

/// A month: so many rows with a share of positives, half of which are labeled. Positives are higher in `a`, and in `size`, in
/// centimeters; `color` and `day` tell nothing.
struct Month {
    rows: u32,
    positive: f64,
    inches: bool,
    red: &'static str,
    year: u32,
    /// Labels go to the positives with the highest `a` instead.
    easy: bool,
    seed: u32,
}

const USUAL: Month =
    Month { rows: 600, positive: 0.2, inches: false, red: "red", year: 2023, easy: false, seed: 1 };

impl Month {
    fn csv(&self) -> String {
        let mut text = "a,size,color,day,y\n".to_string();
        for i in 0..self.rows {
            // Numbers in [0, 1) that look like chance (a hash of PCG).
            let chance = |k: u32| {
                let x =
                    (i * 8 + k).wrapping_mul(747_796_405).wrapping_add(self.seed.wrapping_mul(2_891_336_453));
                let x = ((x >> ((x >> 28) + 4)) ^ x).wrapping_mul(277_803_737);
                f64::from((x >> 22) ^ x) / 4_294_967_296.0
            };
            let positive = chance(0) < self.positive;
            let a = if positive { 1.5 } else { 0.0 } + 3.0 * (chance(1) + chance(2) - 1.0);
            let size = 170.0 + if positive { 8.0 } else { 0.0 } + 40.0 * (chance(3) - 0.5);
            let size = if self.inches { size / 2.54 } else { size };
            let color = ["blue", "green", self.red][(3.0 * chance(4)) as usize];
            let (month, day) = (1 + (12.0 * chance(5)) as u32, 1 + (28.0 * chance(6)) as u32);
            let labeled = positive && if self.easy { a > 1.8 } else { chance(7) < 0.5 };
            text.push_str(&format!(
                "{a:.4},{size:.2},{color},{}-{month:02}-{day:02},{}\n",
                self.year,
                u32::from(labeled)
            ));
        }
        text
    }
}

/// A folder with a model of a usual month, and reserved positives.
fn fitted(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("train.csv", Month { rows: 2_000, seed: 0, ..USUAL }.csv());
    let fit = "fit train.csv --label y --prior 0.2 --method weighted-lr --reserve 40 --out m.onesided -q";
    assert_eq!(folder.run(fit).code, 0);
    folder
}

fn watched(folder: &Folder, month: &Month, flags: &str) -> Value {
    folder.write("new.csv", month.csv());
    folder.json(&format!("watch m.onesided new.csv {flags}"))
}

fn names<'v>(list: &'v Value, key: &str) -> Vec<&'v str> {
    list.as_array()
        .unwrap()
        .iter()
        .filter(|one| one["moved"] == true || !one["shift"].is_null())
        .map(|one| one[key].as_str().unwrap())
        .collect()
}

#[test]
fn months_like_the_one_of_the_fit_raise_no_alarm() {
    let folder = fitted("watch-usual");
    for seed in 1..=5 {
        let found = watched(&folder, &Month { seed, ..USUAL }, "--label y --strict");
        assert_eq!(
            (&found["action"], &found["alarm"], found["moved"].as_array().unwrap().len()),
            (&"keep".into(), &false.into(), 0)
        );
        let share = &found["share"]["now"];
        assert!(share["low"].as_f64().unwrap() < 0.2 && share["high"].as_f64().unwrap() > 0.2, "{share}");
        assert_eq!(found["untold"], Value::Array(Vec::new()));
        let stands: Vec<&str> =
            found["promises"].as_array().unwrap().iter().map(|one| one["stands"].as_str().unwrap()).collect();
        assert_eq!(stands, ["holds"; 3]);
    }
    let said = folder.run("watch m.onesided new.csv");
    let first = said.stdout.lines().next().unwrap();
    assert_eq!(first, "keep the model: in 600 new rows nothing moved beyond chance");
    // The very table of the fit gets scores by models that had not met its rows, where there are some.
    let own = folder.json("watch m.onesided train.csv --label y");
    assert_eq!(own["alarm"], false, "{own}");
}

#[test]
fn a_share_that_doubles_is_told_and_covered() {
    let folder = fitted("watch-share");
    let found = watched(&folder, &Month { positive: 0.4, ..USUAL }, "");
    assert_eq!((&found["action"], found["moved"][0].as_str()), (&"refit".into(), Some("share")));
    let share = &found["share"]["now"];
    assert!(share["low"].as_f64().unwrap() < 0.4 && share["high"].as_f64().unwrap() > 0.4, "{share}");
    assert!(share["low"].as_f64().unwrap() > 0.25);
    // Positives and negatives look as before: a recall still holds, a share and probabilities do not.
    let stands: Vec<&str> =
        found["promises"].as_array().unwrap().iter().map(|one| one["stands"].as_str().unwrap()).collect();
    assert_eq!(stands, ["holds", "fails", "fails"]);
    let said = folder.run("watch m.onesided new.csv --strict --history h.jsonl -q");
    assert_eq!((said.code, said.stdout.as_str()), (4, ""), "{said:?}");
    assert!(
        said.stderr.contains(
            "refused under --strict: fit again: in 600 new rows this moved: the share of positives"
        ),
        "{said:?}"
    );
    assert!(folder.files().contains(&"h.jsonl".to_string()));
}

/// One statistic: what `watch` calls something else, `predict` and `evaluate` warn of.
#[test]
fn columns_that_hold_something_else_are_told_by_every_command() {
    let folder = fitted("watch-columns");
    for (month, column, says) in [
        (Month { inches: true, ..USUAL }, "size", "is it in other units?"),
        (Month { red: "rouge", ..USUAL }, "color", "was it renamed?"),
        (
            Month { year: 2048, ..USUAL },
            "day",
            "are far from those of training (2023-01-01 to 2023-12-28; here 2048-01-01",
        ),
    ] {
        let found = watched(&folder, &month, "");
        assert_eq!(
            (&found["action"], names(&found["columns"], "column")),
            (&"check-data".into(), vec![column]),
            "{found}"
        );
        let stands: Vec<&str> =
            found["promises"].as_array().unwrap().iter().map(|one| one["stands"].as_str().unwrap()).collect();
        assert_eq!(stands, ["fails"; 3]);
        for command in [
            "predict m.onesided new.csv",
            "evaluate m.onesided new.csv --label y",
            "watch m.onesided new.csv",
        ] {
            let said = folder.run(command);
            let warning = said.stderr.lines().find(|line| line.contains(&format!("column '{column}'")));
            assert!(said.code == 0 && warning.is_some_and(|line| line.contains(says)), "{command}: {said:?}");
            assert_eq!(folder.run(&format!("{command} --strict")).code, 4, "{command}");
        }
    }
}

/// A column without a value tells nothing of its cells, and is none to pass over.
#[test]
fn a_column_that_went_blank_is_told() {
    let folder = fitted("watch-blank");
    let month = Month { seed: 2, ..USUAL }.csv();
    let blank = |line: (usize, &str)| -> String {
        let cells: Vec<&str> = line.1.split(',').collect();
        let keep = if line.0 < 3 { cells[1] } else { "" };
        format!("{},{keep},{}\n", cells[0], cells[2..].join(","))
    };
    folder.write("new.csv", month.lines().enumerate().map(blank).collect::<String>());
    let found = folder.json("watch m.onesided new.csv");
    assert_eq!(
        (&found["action"], names(&found["columns"], "column"), &found["untold"]),
        (&"check-data".into(), vec!["size"], &Value::Array(Vec::new()))
    );
    assert_eq!(folder.run("watch m.onesided new.csv --strict").code, 4);
    // A history is a file that ends.
    let said = folder.run("watch m.onesided new.csv --history /dev/zero");
    assert!(said.code == 2 && said.stderr.contains("a pipe or a device"), "{said:?}");
}

#[test]
fn labels_that_are_given_in_another_way_are_told() {
    let folder = fitted("watch-labels");
    let found = watched(&folder, &Month { rows: 1_500, easy: true, ..USUAL }, "--label y");
    assert_eq!(
        (&found["action"], &found["labels"]["scores"]["moved"]),
        (&"refit".into(), &true.into()),
        "{found}"
    );
    assert!(found["moved"].as_array().unwrap().contains(&"labeled-scores".into()));
    assert_eq!(found["promises"][0]["because"], "labels");
    // Without the labels nothing is amiss.
    assert_eq!(folder.json("watch m.onesided new.csv")["action"], "keep");
    folder.write("few.csv", Month { rows: 100, ..USUAL }.csv());
    assert_eq!(folder.json("watch m.onesided few.csv --label y")["untold"][0]["what"], "labels");
}

#[test]
fn wrong_input_gets_one_sentence() {
    let folder = fitted("watch-wrong");
    folder.write("new.csv", USUAL.csv());
    folder.write("none.csv", "a,size,color,day,y\n");
    folder.write("other.csv", "x,z\n1,2\n");
    folder.write("few.csv", Month { rows: 19, ..USUAL }.csv());
    let said = folder.run("watch m.onesided none.csv");
    assert_eq!(
        (said.code, said.stderr.as_str()),
        (3, "error: nothing to do: 'none.csv' has a header but no rows\n"),
        "{said:?}"
    );
    assert!(folder.refused("watch m.onesided other.csv").contains("lack 'a', 'size'"));
    assert!(folder.refused("watch new.csv m.onesided").contains("name the model first"));
    assert!(folder.refused("watch train.csv new.csv").contains("safetensors"));
    for rate in ["0", "1", "-0.1", "nan", "5"] {
        assert!(
            folder
                .refused(&format!("watch m.onesided new.csv --false-alarms {rate}"))
                .contains("rate of false alarms")
        );
    }
    assert!(folder.refused("watch m.onesided new.csv --label z").contains("'z'"));
    assert!(folder.refused("watch m.onesided new.csv --out new.txt").contains(".svg or .png"));
    assert!(
        folder.refused("watch m.onesided new.csv --history new.csv").contains("another file of this command")
    );
    assert!(folder.refused("watch m.onesided").contains("FILE"));
    assert!(folder.refused("watch m.onesided --history h.jsonl").contains("cannot be read"));
    folder.write("list.jsonl", "{\"row\": 1}\n");
    assert!(
        folder
            .refused("watch m.onesided new.csv --history list.jsonl")
            .contains("no history of a model: line 1")
    );
    // 19 rows tell nothing, and are no alarm.
    let few = folder.json("watch m.onesided few.csv --strict");
    assert_eq!((&few["action"], &few["untold"][0]["what"]), (&"too-few".into(), &"rows".into()));
}

#[test]
fn a_history_grows_by_a_line_per_run_and_belongs_to_one_model() {
    let folder = fitted("watch-history");
    for (month, positive) in [(1, 0.2), (2, 0.4)] {
        folder.write(&format!("{month}.csv"), Month { seed: month, positive, ..USUAL }.csv());
    }
    // Two at a time.
    let runs: Vec<_> = [1, 2, 1, 2]
        .map(|month| {
            folder.command(&format!("watch m.onesided {month}.csv --history h.jsonl -q")).spawn().unwrap()
        })
        .into_iter()
        .collect();
    for mut run in runs {
        assert!(run.wait().unwrap().success());
    }
    let shown = folder.json("watch m.onesided --history h.jsonl --out months.svg");
    let mut actions: Vec<&str> =
        shown["entries"].as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    actions.sort_unstable();
    assert_eq!(actions, ["keep", "keep", "refit", "refit"]);
    let at = shown["entries"][0]["at"].as_str().unwrap();
    assert!(at.len() == 20 && at.starts_with("20") && at.ends_with('Z'), "{at}");
    assert!(fs::read_to_string(folder.path("months.svg")).unwrap().contains("fit again"));
    let text = folder.run("watch m.onesided --history h.jsonl").stdout;
    assert!(
        text.lines().count() == 5
            && text.contains("2.csv")
            && text.contains("fit again: the share of positives"),
        "{text}"
    );
    folder.run("watch m.onesided 2.csv --out month.svg");
    assert!(fs::read_to_string(folder.path("month.svg")).unwrap().contains("training, at the new share"));
    // Another model has another history.
    let fit = "fit train.csv --label y --prior 0.3 --method weighted-lr --out other.onesided -q";
    assert_eq!(folder.run(fit).code, 0);
    for command in ["watch other.onesided 1.csv --history h.jsonl", "watch other.onesided --history h.jsonl"]
    {
        assert!(folder.refused(command).contains("is the history of another model"));
    }
}
