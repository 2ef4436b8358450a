//! A value of JSON with its keys in the order of the file and its numbers as they are written.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Flag(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The cells of an object; those of an object within it are called `outer.inner`.
    pub(super) fn flatten(self, cells: &mut Vec<(String, Json)>) {
        self.flatten_below("", cells);
    }

    fn flatten_below(self, path: &str, cells: &mut Vec<(String, Json)>) {
        match self {
            Json::Object(parts) => {
                for (key, value) in parts {
                    let key = key.trim();
                    let name = if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
                    value.flatten_below(&name, cells);
                }
            }
            value => cells.push((path.to_string(), value)),
        }
    }

    /// The value as the cell of a text table.
    pub(super) fn to_text(&self) -> String {
        match self {
            Json::Null => String::new(),
            Json::Flag(flag) => flag.to_string(),
            Json::Number(text) | Json::Text(text) => text.clone(),
            Json::List(items) => {
                let items: Vec<String> = items.iter().map(Json::to_text).collect();
                format!("[{}]", items.join(", "))
            }
            Json::Object(parts) => {
                let parts: Vec<String> =
                    parts.iter().map(|(key, value)| format!("{key}: {}", value.to_text())).collect();
                format!("{{{}}}", parts.join(", "))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Json, E> {
        Ok(Json::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number.to_string()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(Json::Number(format!("{number:?}")))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_string()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = from.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Json, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = from.next_entry()? {
            parts.push(part);
        }
        Ok(Json::Object(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_objects_become_paths() {
        let text = r#"{"z": 1, "a": {"y": 1.50, "b": {"c": "x"}}, "n": null, "t": true, "l": [1, 2]}"#;
        let mut cells = Vec::new();
        serde_json::from_str::<Json>(text).unwrap().flatten(&mut cells);
        let cells: Vec<(String, String)> =
            cells.into_iter().map(|(name, value)| (name, value.to_text())).collect();
        let expected =
            [("z", "1"), ("a.y", "1.5"), ("a.b.c", "x"), ("n", ""), ("t", "true"), ("l", "[1, 2]")];
        assert_eq!(cells, expected.map(|(name, text)| (name.to_string(), text.to_string())));
    }
}
