//! What a scheduler goes by: exit codes, silence, lines of JSON and `--strict`, as docs/nightly.md says.

use crate::folder::{Folder, Said, table};
use serde_json::Value;
use std::fs;

/// A folder with a table and a model of it.
fn fitted(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("table.csv", table());
    let fit =
        "fit table.csv --label y --drop id --drop t --prior 0.3333 --method weighted-lr --out m.onesided -q";
    let said = folder.run(fit);
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (0, "", ""), "{said:?}");
    folder
}

/// The rows of the table, with `b` in other units.
fn moved() -> String {
    let line = |(at, line): (usize, &str)| match line.split(',').collect::<Vec<_>>()[..] {
        [id, a, b, y, t] if at > 0 => {
            format!("{id},{a},{},{y},{t}\n", b.parse::<f64>().unwrap() * 1000.0 + 5000.0)
        }
        _ => format!("{line}\n"),
    };
    table().lines().enumerate().map(line).collect()
}

fn silent(said: &Said) {
    assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (0, "", ""), "{said:?}");
}

#[test]
fn a_quiet_night_prints_nothing() {
    let folder = fitted("nightly-quiet");
    folder.write("new.csv", table().replace(",y,t", ",other,t"));
    silent(&folder.run("predict m.onesided new.csv --out list.csv --strict -q"));
    silent(&folder.run("export m.onesided --out m.onnx -q"));
    // What is not in a file is still printed, and what is, is where it should be.
    assert!(folder.run("predict m.onesided new.csv -q").stdout.starts_with("rank"));
    assert_eq!(fs::read_to_string(folder.path("list.csv")).unwrap().lines().count(), 251);
    assert!(
        folder.run("predict m.onesided new.csv --out list.csv").stdout.contains("wrote 250 rows to list.csv")
    );
}

#[test]
fn a_night_without_rows_is_no_broken_file() {
    let folder = fitted("nightly-empty");
    folder.write("none.csv", "id,a,b,y\n");
    folder.write("broken.csv", "");
    for command in ["predict m.onesided none.csv --out list.csv", "evaluate m.onesided none.csv --label y"] {
        let said = folder.run(command);
        assert_eq!((said.code, said.stdout.as_str()), (3, ""), "{said:?}");
        assert_eq!(said.stderr, "error: nothing to do: 'none.csv' has a header but no rows\n");
    }
    assert!(folder.refused("predict m.onesided broken.csv --out list.csv").contains("is empty"));
    assert!(!folder.files().contains(&"list.csv".to_string()));
    // There is something to do for a fit, but it cannot be done.
    assert!(folder.refused("fit none.csv --label y --out other.onesided").contains("no rows"));
}

#[test]
fn strict_refuses_before_anything_is_written() {
    let folder = fitted("nightly-strict");
    folder.write("moved.csv", moved());
    let refused = |command: &str| {
        let said = folder.run(command);
        assert_eq!((said.code, said.stdout.as_str()), (4, ""), "{said:?}");
        let errors: Vec<&str> = said.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
        let start = "error: refused under --strict: nothing is promised of this list, neither a recall";
        assert!(
            errors.len() == 1 && errors[0].starts_with(start) && errors[0].contains("column 'b'"),
            "{said:?}"
        );
    };
    refused("predict m.onesided moved.csv --out list.csv --strict");
    refused("evaluate m.onesided moved.csv --label y --strict");
    assert!(!folder.files().contains(&"list.csv".to_string()));
    assert_eq!(folder.run("predict m.onesided moved.csv --out list.csv").code, 0);
    // Nothing is wrong with the table itself.
    assert_eq!(folder.run("evaluate m.onesided table.csv --label y --strict").code, 0);
}

#[test]
fn lists_of_one_object_per_line() {
    let folder = fitted("nightly-lines");
    folder.write("new.csv", "id,a,b\n\"say \"\"hi\"\"\",1.5,0.5\nπ,-2,0.25\n");
    folder.run("predict m.onesided new.csv --id id --yes-no --out list.jsonl");
    folder.run("predict m.onesided new.csv --id id --yes-no --out list.csv");
    let lines = fs::read_to_string(folder.path("list.jsonl")).unwrap();
    let objects: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&str> = objects.iter().map(|object| object["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["say \"hi\"", "π"]);
    assert_eq!(
        (&objects[0]["rank"], &objects[0]["row"], &objects[1]["positive"]),
        (&1.into(), &1.into(), &"no".into())
    );
    // The same columns and numbers as in the other format.
    let text = fs::read_to_string(folder.path("list.csv")).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let keys: Vec<&str> =
        lines.lines().next().unwrap().split("\":").map(|part| part.rsplit('"').next().unwrap()).collect();
    assert_eq!(keys[..header.len()], header);
    let probability = header.iter().position(|name| *name == "probability").unwrap();
    let last = text.lines().last().unwrap().split(',').nth(probability).unwrap().parse::<f64>().unwrap();
    assert_eq!(objects[1]["probability"].as_f64().unwrap(), last);
    assert!(folder.refused("predict m.onesided new.csv --out list.josn").contains(".jsonl"));
}
