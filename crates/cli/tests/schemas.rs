//! What `--json` prints is what the schemas in `crates/cli/schemas` say: nothing less, no key that they do not know, no other type.
//! [`Folder::json`] compares whatever any test prints, so that every form of an output that is tested is held to its schema.

use crate::folder::schema::{Schema, name_of, read};
use crate::folder::{Folder, table};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What prints something else than a result, and what does nothing without a command of its own.
const WITHOUT_JSON: [&str; 5] = ["onesided", "audit", "data", "completions", "man"];

/// Schemas of what is run by other tests of this program, since it takes more than a table.
const ELSEWHERE: [(&str, &str); 9] = [
    ("audit-read", "audits.rs"),
    ("bench", "bench.rs"),
    ("data-check", "data.rs"),
    ("demo", "happy.rs"),
    ("demo-compare", "happy.rs"),
    ("experiment", "experiment.rs"),
    ("experiment-compare", "experiment.rs"),
    ("experiment-figure", "figure.rs"),
    ("report-compare", "report.rs"),
];

fn names() -> BTreeSet<String> {
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas")).unwrap();
    files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn what_is_printed_is_what_schemas_say() {
    let folder = Folder::new("schemas");
    folder.write("table.csv", table());
    let fit = "fit table.csv --label y --drop id --drop t --prior 0.3333";
    let mut seen = BTreeSet::new();
    for command in [
        format!("{fit} --method weighted-lr --reserve 20 --out m.onesided"),
        format!("{fit} --model linear --epochs 2 --out linear.onesided"),
        "predict m.onesided table.csv --id id --yes-no --keep t --explain 1".to_string(),
        "predict m.onesided table.csv --out list.csv --top 20".to_string(),
        "evaluate m.onesided table.csv --label y".to_string(),
        "evaluate m.onesided table.csv --truth t".to_string(),
        "evaluate m.onesided table.csv --label y --labeling-odds 2 --top 20".to_string(),
        "importance m.onesided table.csv --label y".to_string(),
        "report m.onesided table.csv --out page.html".to_string(),
        "export m.onesided --out m.onnx".to_string(),
        "audit draw m.onesided table.csv --id id --rows 20 --out audit.csv".to_string(),
        "watch m.onesided table.csv --label y --history h.jsonl".to_string(),
        "watch m.onesided --history h.jsonl".to_string(),
        "negatives table.csv --label y --drop id --drop t --prior 0.3333 --method weighted-lr".to_string(),
        "negatives table.csv --label y --drop id --drop t --method weighted-lr --prior 0.3 --splits 2 --out n.csv".to_string(),
        "prior table.csv --label y --drop id --drop t".to_string(),
        "prior --list".to_string(),
        "bound linear.onesided table.csv --label y".to_string(),
        "methods".to_string(),
        "methods nnpu".to_string(),
        "elicit".to_string(),
        "experiment --list".to_string(),
        "experiment table1 --dry-run".to_string(),
    ] {
        folder.json(&command);
        seen.insert(name_of(&command));
    }
    for (name, file) in ELSEWHERE {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(file);
        let text = fs::read_to_string(path).unwrap();
        // The command as its title has it, but for what stands for something else.
        let title = read(name)["title"].as_str().unwrap().replace("onesided ", "").replace(" --json", "");
        let words: Vec<&str> = title.split(' ').filter(|word| word.to_lowercase() == **word).collect();
        assert!(
            text.contains(".json(") && words.iter().all(|word| text.contains(word)),
            "{file} has no {title}"
        );
        seen.insert(name.to_string());
    }
    assert_eq!(names(), seen, "every schema is of a command that a test runs");
}

#[test]
fn every_command_has_a_schema() {
    let folder = Folder::new("schemas-commands");
    fs::create_dir_all(folder.path("man1")).unwrap();
    assert_eq!(folder.run("man --dir man1").code, 0);
    let schemas = names();
    let mut commands = 0;
    for page in fs::read_dir(folder.path("man1")).unwrap() {
        let page = page.unwrap().path();
        let page = page.file_stem().unwrap().to_string_lossy().into_owned();
        let command = page.strip_prefix("onesided-").unwrap_or(&page);
        commands += 1;
        // Both print the same table.
        let name = if command == "experiment-table" { "experiment" } else { command };
        assert!(
            WITHOUT_JSON.contains(&command) || schemas.contains(name),
            "'{command}' has no schema: write crates/cli/schemas/{name}.json"
        );
    }
    assert!(commands > 20, "{commands}");
}

/// All schemas inside one, with the place of each.
fn visit(schema: &Value, at: &str, to: &mut impl FnMut(&Value, &str)) {
    to(schema, at);
    for key in ["properties", "$defs"] {
        for (name, inner) in schema[key].as_object().into_iter().flatten() {
            visit(inner, &format!("{at}.{name}"), to);
        }
    }
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(key) {
            visit(inner, &format!("{at}[]"), to);
        }
    }
    for inner in schema["anyOf"].as_array().into_iter().flatten() {
        visit(inner, at, to);
    }
}

#[test]
fn every_schema_has_a_version_and_every_key_a_description() {
    let mut shared = BTreeMap::new();
    for name in names() {
        let schema = read(&name);
        assert_eq!(schema["$id"], format!("onesided/{name}/v1"));
        visit(&schema, &name, &mut |inner, at| {
            for (key, one) in inner["properties"].as_object().into_iter().flatten() {
                assert!(one["description"].as_str().is_some_and(|text| !text.is_empty()), "{at}.{key}");
            }
            for key in inner["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                assert!(
                    inner["properties"].get(key).is_some(),
                    "{at} requires '{key}' and does not say what it is"
                );
            }
        });
        // A file stands alone, so what several have in common is written in each.
        for (key, one) in schema["$defs"].as_object().into_iter().flatten() {
            let before = shared.entry(key.clone()).or_insert_with(|| one.clone());
            assert_eq!(before, one, "'{key}' in {name}.json differs from that of another file");
        }
    }
}

#[test]
fn differences_are_seen() {
    let export = read("export");
    let seen = |text: &str| Schema::of(&export).differences(&serde_json::from_str(text).unwrap());
    let good = r#"{"bytes": 3, "format": "onnx", "out": "m", "inputs": [{"name": "a", "type": "double", "width": 1, "holds": "number"}]}"#;
    assert_eq!(seen(good), [""; 0]);
    assert_eq!(seen(&good.replace("3", "\"3\"")), ["it.bytes is \"3\", which is none of [\"integer\"]"]);
    assert_eq!(seen(&good.replace("\"out\": \"m\", ", "")), ["it has no 'out'"]);
    assert_eq!(seen(&good.replace("width", "size")).len(), 2);
    assert_eq!(seen(&good.replace("double", "half")).len(), 1);
    let predict = read("predict");
    let promise = |text: &str| {
        let whole = serde_json::json!({ "$defs": predict["$defs"], "$ref": "#/$defs/promised" });
        Schema::of(&whole).differences(&serde_json::from_str(text).unwrap())
    };
    assert_eq!(promise(r#"{"too_few": {"needed": 30}}"#), [""; 0]);
    assert!(!promise(r#"{"too_few": {}}"#).is_empty() && !promise("{}").is_empty());
}
