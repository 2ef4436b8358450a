//! What `--json` prints is what the schemas in `crates/cli/schemas` say: nothing less, no key that they do not know, no other type.

use crate::folder::{Folder, table};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The schema of a command.
fn schema(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas").join(format!("{name}.json"));
    serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap()
}

fn is_a(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the schema has a type '{other}'"),
    }
}

/// Where a value differs from its schema: the part of JSON Schema that the files use.
fn differences(schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return,
    };
    if !kinds.iter().any(|kind| is_a(kind, value)) {
        found.push(format!("{at} is {value}, which is none of {kinds:?}"));
    }
    if let (Some(object), Some(properties)) = (value.as_object(), schema["properties"].as_object()) {
        for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(key) {
                found.push(format!("{at} has no '{key}'"));
            }
        }
        for (key, value) in object {
            match properties.get(key) {
                Some(schema) => differences(schema, value, &format!("{at}.{key}"), found),
                None => found.push(format!("{at}.{key} is not in the schema")),
            }
        }
    }
    for (number, value) in value.as_array().into_iter().flatten().enumerate() {
        differences(&schema["items"], value, &format!("{at}[{number}]"), found);
    }
}

#[test]
fn what_is_printed_is_what_schemas_say() {
    let folder = Folder::new("schemas");
    folder.write("table.csv", table());
    let fit = "fit table.csv --label y --drop id --drop t --prior 0.3333";
    for (name, command) in [
        ("fit", format!("{fit} --method weighted-lr --out m.onesided")),
        ("fit", format!("{fit} --model linear --epochs 2 --out linear.onesided")),
        ("predict", "predict m.onesided table.csv --id id --yes-no --explain 1".to_string()),
        ("predict", "predict m.onesided table.csv --out list.csv".to_string()),
        ("evaluate", "evaluate m.onesided table.csv --label y".to_string()),
        ("evaluate", "evaluate m.onesided table.csv --truth t".to_string()),
        ("evaluate", "evaluate m.onesided table.csv --label y --labeling-odds 2 --top 20".to_string()),
        ("importance", "importance m.onesided table.csv --label y".to_string()),
        ("watch", "watch m.onesided table.csv --label y --history h.jsonl".to_string()),
        ("watch-history", "watch m.onesided --history h.jsonl".to_string()),
        ("export", "export m.onesided --out m.onnx".to_string()),
        ("audit-draw", "audit draw m.onesided table.csv --id id --rows 20 --out audit.csv".to_string()),
        ("prior", "prior table.csv --label y --drop id --drop t".to_string()),
        ("bound", "bound linear.onesided table.csv --label y".to_string()),
        ("methods", "methods".to_string()),
        ("method", "methods nnpu".to_string()),
        ("elicit", "elicit".to_string()),
    ] {
        let mut found = Vec::new();
        differences(&schema(name), &folder.json(&command), name, &mut found);
        assert!(found.is_empty(), "{command}: {found:#?}");
    }
}

#[test]
fn every_schema_has_a_version_and_differences_are_seen() {
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas")).unwrap() {
        let name = file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        assert_eq!(schema(&name)["$id"], format!("onesided/{name}/v1"));
    }
    let schema = schema("export");
    let seen = |text: &str| {
        let mut found = Vec::new();
        differences(&schema, &serde_json::from_str(text).unwrap(), "export", &mut found);
        found
    };
    let good = r#"{"bytes": 3, "format": "onnx", "out": "m", "inputs": [{"name": "a", "type": "double", "width": 1}]}"#;
    assert_eq!(seen(good), [""; 0]);
    assert_eq!(seen(&good.replace("3", "\"3\"")), ["export.bytes is \"3\", which is none of [\"integer\"]"]);
    assert_eq!(seen(&good.replace("\"out\": \"m\", ", "")), ["export has no 'out'"]);
    assert_eq!(seen(&good.replace("width", "size")).len(), 2);
}
