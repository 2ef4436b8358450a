//! A value of JSON with its keys in the order of the file and its numbers as they are written.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
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

/// Objects and lists within one another beyond this are damage, or an attack.
const DEEPEST: usize = 100;

/// The keys and values of an object, in their order.
struct Parts<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Parts<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(AnyParts)
    }
}

struct AnyParts;

impl<'de> Visitor<'de> for AnyParts {
    type Value = Parts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Parts<'de>, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = from.next_entry()? {
            parts.push(part);
        }
        Ok(Parts(parts))
    }
}

impl Json {
    /// The value that a text is.
    pub(super) fn parse(text: &str) -> serde_json::Result<Self> {
        Self::parse_below(text.trim(), 0)
    }

    fn parse_below(text: &str, depth: usize) -> serde_json::Result<Self> {
        if depth > DEEPEST {
            return Err(serde::de::Error::custom("it is nested too deeply"));
        }
        let below = |value: &RawValue| Self::parse_below(value.get(), depth + 1);
        Ok(match text.as_bytes().first() {
            Some(b'{') => {
                let Parts(parts) = serde_json::from_str(text)?;
                let parts = parts.into_iter().map(|(key, value)| Ok((key, below(value)?)));
                Json::Object(parts.collect::<serde_json::Result<_>>()?)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text)?;
                Json::List(items.into_iter().map(below).collect::<serde_json::Result<_>>()?)
            }
            Some(b'"') => Json::Text(serde_json::from_str(text)?),
            Some(b't' | b'f') => Json::Flag(serde_json::from_str(text)?),
            Some(b'n') => serde_json::from_str::<()>(text).map(|()| Json::Null)?,
            // To the last digit.
            _ => Json::Number(serde_json::from_str::<&RawValue>(text)?.get().to_string()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_order_and_objects_become_paths() {
        let text = r#"{"z": 1, "a": {"y": 1.50, "b": {"c": "x"}}, "n": null, "t": true, "l": [1, 2]}"#;
        let mut cells = Vec::new();
        Json::parse(text).unwrap().flatten(&mut cells);
        let cells: Vec<(String, String)> =
            cells.into_iter().map(|(name, value)| (name, value.to_text())).collect();
        let expected =
            [("z", "1"), ("a.y", "1.50"), ("a.b.c", "x"), ("n", ""), ("t", "true"), ("l", "[1, 2]")];
        assert_eq!(cells, expected.map(|(name, text)| (name.to_string(), text.to_string())));
    }
}
