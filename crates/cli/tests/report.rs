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
fn the_demo_does_the_main_job() {
    let folder = Folder::new("report-demo");
    let said = folder.run("demo --out shown");
    assert_eq!(said.code, 0, "{said:?}");
    for word in ["share ", "promise ", "list ", "page ", "onesided fit table.csv --label y"] {
        assert!(said.stdout.contains(word), "{word}: {said:?}");
    }
    assert!(folder.path("shown/page.html").is_file() && folder.path("shown/list.csv").is_file());
}
