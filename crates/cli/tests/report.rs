//! `onesided report`, `fit --report` and `audit draw --out review.html`: what is in the files, and what is refused. How they look and work
//! in a browser is tested by `crates/report/tests/browser`.

use crate::folder::{Folder, table};
use std::fs;

const FIT: &str = "--label y --drop t --prior 0.3333 --method nnpu --model trees";

/// A folder with a table and a model of it, fitted with its page.
fn fitted(test: &str, more: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table());
    let said = folder.run(&format!("fit table.csv {FIT} {more} --out m.safetensors --report fit.html"));
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("wrote fit.html ("), "{said:?}");
    folder
}

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path(name)).unwrap()
}

/// The numbers that the sliders look up.
fn data(page: &str) -> serde_json::Value {
    let start = page.split("id=\"data\">").nth(1).unwrap();
    serde_json::from_str(start.split("</script>").next().unwrap()).unwrap()
}

#[test]
fn a_page_has_all_its_parts_and_nothing_from_outside() {
    let folder = fitted("report-parts", "--cross-fit");
    let page = read(&folder, "fit.html");
    let ids = [
        "verdict",
        "beside",
        "scores",
        "share",
        "review",
        "wrong-share",
        "labels",
        "calibration",
        "checks",
        "drives",
        "read",
        "rows",
        "settings",
    ];
    let mut from = 0;
    for id in ids {
        let at = page.find(&format!("<section id=\"{id}\""));
        assert!(at.is_some_and(|at| at >= from), "{id} is missing or out of order");
        from = at.unwrap();
    }
    assert!(
        page.len() < 1_000_000 && page.contains("default-src 'none'") && page.contains("script-src 'sha256-")
    );
    for outside in ["http://", "https://", "url(", "@import", "src=\"/"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("This page contains rows of the table."));
    assert!(page.contains("onesided fit table.csv --label y"), "the command that made it");
    assert_eq!(page.matches("<script").count(), 2);
}

#[test]
fn numbers_along_the_list_are_those_of_evaluate() {
    let folder = fitted("report-numbers", "--cross-fit");
    let cuts = data(&read(&folder, "fit.html"))["cuts"].as_array().unwrap().clone();
    let cut = cuts.iter().find(|cut| cut["rows"].as_u64().unwrap() >= 20).unwrap();
    let rows = cut["rows"].as_u64().unwrap();
    let told = folder.json(&format!("evaluate m.safetensors table.csv --label y --top {rows}"));
    let told = &told["at_top"][0];
    for (what, of) in
        [("recall", &told["recall"]), ("lift", &told["lift"]), ("precision", &told["precision"])]
    {
        let near = |a: &serde_json::Value, b: &serde_json::Value| match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => assert!((a - b).abs() < 1e-6, "{what} of {rows}: {a}, {b}"),
            (a, b) => assert_eq!(a, b, "{what}"),
        };
        near(&cut[what][0], &of["value"]);
        near(&cut[what][1], &of["low"]);
        near(&cut[what][2], &of["high"]);
    }
}

#[test]
fn rows_are_left_out_when_asked() {
    let folder = fitted("report-no-rows", "");
    let with = folder.json("report m.safetensors table.csv --label y --id id --out with.html");
    let without = folder.json("report m.safetensors table.csv --label y --no-rows --out without.html");
    assert_eq!((&with["contains_rows"], &without["contains_rows"]), (&true.into(), &false.into()));
    let page = read(&folder, "without.html");
    assert!(page.contains("contains no rows of the table") && !page.contains("id=\"first\""));
    assert_eq!(with["bytes"], read(&folder, "with.html").len());
    // The same command writes the same bytes.
    let first = read(&folder, "with.html");
    folder.json("report m.safetensors table.csv --label y --id id --out with.html");
    assert!(first == read(&folder, "with.html"));
}

#[test]
fn without_labels_or_rows_of_the_model_it_says_what_it_cannot_tell() {
    let folder = fitted("report-unknown", "");
    fs::remove_file(folder.path("m.safetensors.rows")).unwrap();
    folder.json("report m.safetensors table.csv --out page.html");
    let page = read(&folder, "page.html");
    assert!(page.contains("there are no scores of them by models that had not met them"), "in sample");
    assert!(!page.contains("id=\"cut\""), "no slider without numbers");
}

#[test]
fn bad_input_is_one_sentence() {
    let folder = fitted("report-refused", "");
    let refused = |arguments: &str, sentence: &str| {
        let said = folder.refused(arguments);
        assert!(said.contains(sentence), "{arguments}: {said}");
    };
    refused("report m.safetensors table.csv --out page.pdf", "must end in .html");
    refused("report m.safetensors table.csv --out nowhere/page.html", "there is no folder 'nowhere'");
    refused("report m.safetensors - --out page.html", "reads the table twice");
    refused("report table.csv m.safetensors --out page.html", "name the model first");
    refused("report m.safetensors gone.csv --out page.html", "gone.csv");
    folder.write("other.csv", "p,q\n1,2\n3,4\n");
    refused("report m.safetensors other.csv --out page.html", "the data lack 'a', 'b'");
    refused(&format!("fit table.csv {FIT} --out n.safetensors --report page.txt"), "must end in .html");
    refused(&format!("fit table.csv {FIT} --out n.safetensors --no-rows"), "--report");
}

#[test]
fn rows_to_answer_come_back() {
    let folder = fitted("report-review", "");
    let said = folder.run("audit draw m.safetensors table.csv --label y --rows 30 --out review.html");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.stdout.contains("audit read m.safetensors answers.csv"), "{said:?}");
    let data = data(&read(&folder, "review.html"));
    let rows = data["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 30);
    let columns: Vec<&str> =
        data["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(columns.contains(&"a") && !columns.contains(&"y"), "{columns:?}");
    // What the script writes.
    let mut file = "key,row,positive,note,reviewer,draw\n".to_string();
    for (at, row) in rows.iter().enumerate() {
        let word = ["yes", "no", "unsure"][at % 3];
        let (key, draw) = (row["key"].as_str().unwrap(), data["draw"].as_str().unwrap());
        file.push_str(&format!(
            "\"{key}\",\"{}\",\"{word}\",\"a \"\"note\"\"\",\"Ada\",\"{draw}\"\n",
            row["row"]
        ));
    }
    folder.write("answers.csv", file);
    let report = folder.json("audit read m.safetensors answers.csv");
    assert_eq!((&report["found"], &report["unsure"], &report["drawn"]), (&10.into(), &10.into(), &30.into()));
}

#[test]
fn reasons_are_in_a_page_to_answer_only_if_asked_for() {
    let folder = fitted("report-reasons", "");
    let draw = |more: &str| {
        let said = folder
            .run(&format!("audit draw m.safetensors table.csv --label y --rows 20 --out r.html {more}"));
        assert_eq!(said.code, 0, "{said:?}");
        let page = read(&folder, "r.html");
        (data(&page), page.contains("id=\"why\""))
    };
    let (plain, has_button) = draw("");
    assert!(!has_button && plain["rows"][0]["because"].as_array().unwrap().is_empty());
    let (with, has_button) = draw("--explain 2");
    let because = |row: &serde_json::Value| row["because"].as_array().unwrap().clone();
    assert!(has_button && with["rows"].as_array().unwrap().iter().all(|row| because(row).len() <= 2));
    // The reasons of a row are those of the list.
    let listed = folder.json("predict m.safetensors table.csv --label y --explain 2");
    let (row, part) = (listed["top"][0]["row"].clone(), listed["top"][0]["because"][0].clone());
    let drawn = with["rows"].as_array().unwrap().iter().find(|one| one["row"] == row);
    if let Some(drawn) = drawn {
        let (name, value) = (&because(drawn)[0][0], because(drawn)[0][1].as_f64().unwrap());
        assert_eq!(*name, part["feature"], "{listed}");
        assert!((value - part["value"].as_f64().unwrap()).abs() < 1e-6, "{listed}");
    }
    assert!(because(&with["rows"][0])[0][0].is_string(), "{with}");
    let refused =
        folder.refused("audit draw m.safetensors table.csv --label y --rows 20 --explain --out r.csv");
    assert!(refused.contains("--explain is for a page"), "{refused}");
}

#[test]
fn models_stand_side_by_side() {
    let folder = fitted("report-compare", "--cross-fit");
    let said = folder.run(&format!("fit table.csv {FIT} --seed 5 --cross-fit --out n.safetensors"));
    assert_eq!(said.code, 0, "{said:?}");
    let told = folder.json(
        "report table.csv --compare m.safetensors n.safetensors m.safetensors --label y --out page.html",
    );
    let page = read(&folder, "page.html");
    assert!(page.contains("3 models on") && !page.contains("id=\"first\"") && page.len() < 200_000);
    assert_eq!(told["bytes"], page.len());
    assert_eq!(told["models"].as_array().unwrap().len(), 3);
    // A model names the same rows as itself, and two models share as many of either.
    for overlap in told["overlaps"].as_array().unwrap() {
        let shared = |a: usize, b: usize| overlap["shared"][a][b].as_f64().unwrap();
        assert_eq!((shared(0, 0), shared(0, 2)), (1.0, 1.0), "{overlap}");
        assert_eq!(shared(0, 1), shared(1, 0));
    }
    // By hand: the first ten rows of two lists.
    let first = |model: &str| -> Vec<u64> {
        let listed = folder.json(&format!("predict {model} table.csv --label y"));
        listed["top"].as_array().unwrap().iter().map(|row| row["row"].as_u64().unwrap()).collect()
    };
    let (m, n) = (first("m.safetensors"), first("n.safetensors"));
    let both = m.iter().filter(|row| n.contains(row)).count();
    assert_eq!(told["overlaps"][0]["rows"], 10);
    assert!((told["overlaps"][0]["shared"][0][1].as_f64().unwrap() - both as f64 / 10.0).abs() < 1e-12);
    let refused = |arguments: &str, sentence: &str| {
        let said = folder.refused(arguments);
        assert!(said.contains(sentence), "{arguments}: {said}");
    };
    refused(
        "report m.safetensors --compare n.safetensors m.safetensors --out p.html",
        "name the table first",
    );
    refused("report table.csv --compare m.safetensors --out p.html", "--compare");
    refused("report table.csv --compare m.safetensors table.csv --out p.html", "table.csv");
    refused("report table.csv --compare m.safetensors n.safetensors --out p.csv", "must end in .html");
}

#[test]
fn the_demo_does_the_main_job() {
    let folder = Folder::new("report-demo");
    let said = folder.run("demo --out shown");
    assert_eq!(said.code, 0, "{said:?}");
    for word in ["share ", "promise ", "list ", "page ", "onesided fit table.csv --label y"] {
        assert!(said.stdout.contains(word), "{word}: {said:?}");
    }
    assert!(folder.path("shown/page.html").is_file() && folder.path("shown/list.csv").is_file());
}
