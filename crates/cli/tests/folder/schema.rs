//! What a command prints as JSON, next to its schema.

use serde_json::Value;
use std::fs;
use std::path::Path;

/// The name of the schema of what a command prints.
pub fn name_of(arguments: &str) -> String {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let has = |flag: &str| words.contains(&flag);
    let second = words.get(1).copied().filter(|word| !word.starts_with('-'));
    match (words[0], second) {
        (command @ ("audit" | "data"), Some(action)) => format!("{command}-{action}"),
        ("demo", _) if has("--compare") => "demo-compare".to_string(),
        ("experiment", Some("figure")) => "experiment-figure".to_string(),
        ("experiment", _) if has("--compare") => "experiment-compare".to_string(),
        ("experiment", _) if has("--list") => "experiment-list".to_string(),
        ("experiment", _) if has("--dry-run") => "experiment-runs".to_string(),
        ("prior", _) if has("--list") => "prior-list".to_string(),
        ("report", _) if has("--compare") => "report-compare".to_string(),
        ("methods", Some(_)) => "method".to_string(),
        ("watch", _) if words.get(2).is_some_and(|word| word.starts_with('-')) => "watch-history".to_string(),
        (command, _) => command.to_string(),
    }
}

/// A schema by its name.
pub fn read(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas").join(format!("{name}.json"));
    let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("there is no schema {}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// Panics where what a command printed differs from its schema.
pub fn hold(arguments: &str, printed: &Value) {
    let found = Schema::of(&read(&name_of(arguments))).differences(printed);
    assert!(found.is_empty(), "{arguments}: {found:#?}");
}

/// The part of JSON Schema that the files use, with one rule more: a key that is not named is a difference.
pub struct Schema<'s> {
    whole: &'s Value,
}

impl<'s> Schema<'s> {
    /// A schema as it is written.
    pub fn of(whole: &'s Value) -> Self {
        Self { whole }
    }

    /// Where a value differs.
    pub fn differences(&self, value: &Value) -> Vec<String> {
        let mut found = Vec::new();
        self.look(self.whole, value, "it", &mut found);
        found
    }

    fn look(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        if let Some(name) = schema["$ref"].as_str() {
            let definition = name.strip_prefix('#').and_then(|pointer| self.whole.pointer(pointer));
            return self.look(definition.unwrap_or_else(|| panic!("there is no {name}")), value, at, found);
        }
        if let Some(several) = schema["anyOf"].as_array() {
            let all: Vec<Vec<String>> = several
                .iter()
                .map(|one| {
                    let mut found = Vec::new();
                    self.look(one, value, at, &mut found);
                    found
                })
                .collect();
            if !all.iter().any(Vec::is_empty) {
                found.extend(all.into_iter().flatten());
            }
            return;
        }
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            other => panic!("{at} has the type {other}"),
        };
        if !kinds.iter().any(|kind| is_a(kind, value)) {
            found.push(format!("{at} is {value}, which is none of {kinds:?}"));
            return;
        }
        if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
            found.push(format!("{at} is {value}, which is none of {}", schema["enum"]));
        }
        if let Some(object) = value.as_object() {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            found.extend(
                required.filter(|key| !object.contains_key(*key)).map(|key| format!("{at} has no '{key}'")),
            );
            for (key, value) in object {
                let inner = schema["properties"].get(key).or(schema.get("additionalProperties"));
                match inner {
                    Some(inner) => self.look(inner, value, &format!("{at}.{key}"), found),
                    None => found.push(format!("{at}.{key} is not in the schema")),
                }
            }
        }
        if let Some(list) = value.as_array() {
            let bound = |key: &str, or: u64| schema[key].as_u64().unwrap_or(or) as usize;
            if !(bound("minItems", 0)..=bound("maxItems", u64::MAX)).contains(&list.len()) {
                found.push(format!("{at} has {} items", list.len()));
            }
            for (number, value) in list.iter().enumerate() {
                self.look(&schema["items"], value, &format!("{at}[{number}]"), found);
            }
        }
    }
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
