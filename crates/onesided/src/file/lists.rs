//! A classic model as a document and tensors: its long lists of numbers become tensors, the rest stays JSON.
//!
//! What a system learned is a tree of a few names and numbers around some long lists (weights, support vectors). The
//! lists are cut out of the tree and stored as tensors called by their place in it, `scorer.linear.weights`; in the tree
//! stays `{"$tensor": "scorer.linear.weights"}`. Every number comes back as the same bits.
//!
//! | list | type of the tensor |
//! |---|---|
//! | whole numbers from 0 | `U32`, or `U64` where one needs it |
//! | numbers that a 32-bit float holds exactly | `F32` |
//! | others | `F64` |

use safetensors::tensor::Dtype;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Shorter lists stay where they are.
const LONG: usize = 16;
/// The key of a reference to a tensor.
const KEY: &str = "$tensor";

/// A list of numbers as bytes.
pub(super) struct List {
    pub dtype: Dtype,
    pub len: usize,
    pub bytes: Vec<u8>,
}

/// Cuts the long lists out of `tree` and returns them by name.
pub(super) fn cut(tree: &mut Value) -> BTreeMap<String, List> {
    let mut lists = BTreeMap::new();
    walk(tree, "", &mut lists);
    lists
}

fn walk(value: &mut Value, place: &str, lists: &mut BTreeMap<String, List>) {
    let below = |name: &str| if place.is_empty() { name.to_string() } else { format!("{place}.{name}") };
    match value {
        Value::Object(entries) => {
            entries.iter_mut().for_each(|(name, value)| walk(value, &below(name), lists));
        }
        Value::Array(values) => {
            if let Some(list) = List::of(values) {
                *value = Value::Object(Map::from_iter([(KEY.to_string(), place.into())]));
                lists.insert(place.to_string(), list);
            } else {
                values
                    .iter_mut()
                    .enumerate()
                    .for_each(|(at, value)| walk(value, &below(&at.to_string()), lists));
            }
        }
        _ => {}
    }
}

/// Puts the lists back. Says what is wrong where the tree and the lists do not belong together.
pub(super) fn restore(tree: &mut Value, lists: &mut BTreeMap<String, List>) -> Result<(), String> {
    match tree {
        Value::Object(entries) => {
            if let Some(name) = entries.get(KEY) {
                let name = name.as_str().ok_or("a reference to a tensor is not a name")?;
                let list = lists.remove(name).ok_or_else(|| format!("there is no tensor '{name}'"))?;
                *tree = list.values(name)?;
                return Ok(());
            }
            entries.values_mut().try_for_each(|value| restore(value, lists))
        }
        Value::Array(values) => values.iter_mut().try_for_each(|value| restore(value, lists)),
        _ => Ok(()),
    }
}

impl List {
    /// A long list of nothing but numbers, in the smallest type that holds all of them exactly.
    fn of(values: &[Value]) -> Option<Self> {
        if values.len() < LONG {
            return None;
        }
        let len = values.len();
        if let Some(whole) = values.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>() {
            let small: Option<Vec<u32>> = whole.iter().map(|&number| u32::try_from(number).ok()).collect();
            return Some(match small {
                Some(small) => {
                    let bytes = small.iter().flat_map(|number| number.to_le_bytes()).collect();
                    Self { dtype: Dtype::U32, len, bytes }
                }
                None => {
                    let bytes = whole.iter().flat_map(|number| number.to_le_bytes()).collect();
                    Self { dtype: Dtype::U64, len, bytes }
                }
            });
        }
        let float = |value: &Value| value.as_f64().filter(|_| value.is_f64());
        let floats: Vec<f64> = values.iter().map(float).collect::<Option<_>>()?;
        if floats.iter().all(|&number| f64::from(number as f32).to_bits() == number.to_bits()) {
            let bytes = floats.iter().flat_map(|&number| (number as f32).to_le_bytes()).collect();
            return Some(Self { dtype: Dtype::F32, len, bytes });
        }
        let bytes = floats.iter().flat_map(|number| number.to_le_bytes()).collect();
        Some(Self { dtype: Dtype::F64, len, bytes })
    }

    /// The numbers as JSON.
    fn values(&self, name: &str) -> Result<Value, String> {
        let finite = |number: f64| {
            if number.is_finite() {
                Ok(Value::from(number))
            } else {
                Err(format!("tensor '{name}' holds a number that is not finite"))
            }
        };
        match self.dtype {
            Dtype::U32 => Ok(chunks(&self.bytes, u32::from_le_bytes).map(Value::from).collect()),
            Dtype::U64 => Ok(chunks(&self.bytes, u64::from_le_bytes).map(Value::from).collect()),
            Dtype::F32 => chunks(&self.bytes, f32::from_le_bytes).map(|x| finite(f64::from(x))).collect(),
            Dtype::F64 => chunks(&self.bytes, f64::from_le_bytes).map(finite).collect(),
            other => Err(format!("tensor '{name}' has the type {other:?}, which no list has")),
        }
    }
}

fn chunks<const N: usize, T>(bytes: &[u8], read: fn([u8; N]) -> T) -> impl Iterator<Item = T> {
    bytes.chunks_exact(N).filter_map(move |chunk| Some(read(chunk.try_into().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn long(value: impl Fn(usize) -> Value) -> Value {
        (0..LONG).map(value).collect()
    }

    #[test]
    fn lists_go_out_and_come_back_as_the_same_bits() {
        let tree = json!({
            "name": "x", "short": [1, 2], "none": null,
            "a": { "thirds": long(|i| json!(i as f64 / 3.0)), "halves": long(|i| json!(i as f64 / 2.0)) },
            "b": [{ "small": long(|i| json!(i)), "large": long(|i| json!(u64::MAX - i as u64)) }, ["y", 0.5]],
        });
        let mut changed = tree.clone();
        let mut lists = cut(&mut changed);
        let kinds: Vec<(&str, Dtype)> =
            lists.iter().map(|(name, list)| (name.as_str(), list.dtype)).collect();
        assert_eq!(
            kinds,
            [
                ("a.halves", Dtype::F32),
                ("a.thirds", Dtype::F64),
                ("b.0.large", Dtype::U64),
                ("b.0.small", Dtype::U32)
            ]
        );
        assert_eq!(changed["a"]["thirds"], json!({ "$tensor": "a.thirds" }));
        restore(&mut changed, &mut lists).unwrap();
        assert!(lists.is_empty());
        assert_eq!(changed, tree);
    }

    #[test]
    fn what_does_not_belong_together_is_named() {
        let message =
            |tree: Value, lists: &mut BTreeMap<String, List>| restore(&mut tree.clone(), lists).unwrap_err();
        assert_eq!(message(json!([{ "$tensor": "w" }]), &mut BTreeMap::new()), "there is no tensor 'w'");
        assert!(message(json!({ "$tensor": 3 }), &mut BTreeMap::new()).contains("is not a name"));
        let bytes = f64::NAN.to_le_bytes().to_vec();
        let mut lists = BTreeMap::from([("w".to_string(), List { dtype: Dtype::F64, len: 1, bytes })]);
        assert!(message(json!({ "$tensor": "w" }), &mut lists).contains("not finite"));
    }
}
