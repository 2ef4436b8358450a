//! Scores rows with an exported model, by onnxruntime and without onesided.
//!
//!     ORT_DYLIB_PATH=…/libonnxruntime.so cargo run --release -- model.onnx rows.json
//!
//! rows.json has a list per column: {"age": [31, null], "city": ["Oslo", null]}; dates are seconds since 1970. null is NaN for a
//! number and the empty string for a category. A cell of another kind is refused, since it would be scored as a missing one.

use ort::session::{Session, SessionInputValue};
use ort::value::{Tensor, TensorElementType, ValueType};
use serde_json::{Value, json};
use std::error::Error;
use std::fs::read_to_string;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, model, rows] = &arguments[..] else { return Err("name a model and its rows".into()) };
    let mut session = Session::builder()?.commit_from_file(model)?;
    let columns: Value = serde_json::from_str(&read_to_string(rows)?)?;
    let mut passed: Vec<(String, SessionInputValue)> = Vec::new();
    for input in session.inputs() {
        let name = input.name();
        let cells = columns[name].as_array().ok_or_else(|| format!("the rows have no column '{name}'"))?;
        let ValueType::Tensor { ty, .. } = input.dtype() else { return Err("no tensor".into()) };
        let shape = [cells.len(), 1];
        let tensor = match ty {
            TensorElementType::String => {
                let texts = cells.iter().map(|cell| text(cell, name)).collect::<Result<Vec<_>, _>>()?;
                Tensor::from_string_array((shape, &texts[..]))?.into_dyn()
            }
            TensorElementType::Float64 => {
                let numbers = cells.iter().map(|cell| number(cell, name)).collect::<Result<Vec<_>, _>>()?;
                Tensor::from_array((shape, numbers))?.into_dyn()
            }
            other => return Err(format!("'{name}' is of {other}, which this program does not pass").into()),
        };
        passed.push((name.to_string(), tensor.into()));
    }
    let outputs = session.run(passed)?;
    let (_, score) = outputs["score"].try_extract_tensor::<f32>()?;
    let (_, probability) = outputs["probability"].try_extract_tensor::<f32>()?;
    let (_, decision) = outputs["decision"].try_extract_tensor::<bool>()?;
    println!("{}", json!({ "score": score, "probability": probability, "decision": decision }));
    Ok(())
}

/// A cell of a category, without blanks around it.
fn text(cell: &Value, name: &str) -> Result<String, String> {
    match cell {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.trim_ascii().to_string()),
        other => Err(format!("column '{name}' takes strings, and {other} is none")),
    }
}

/// A cell of numbers; true is 1.
fn number(cell: &Value, name: &str) -> Result<f64, String> {
    match cell {
        Value::Null => Ok(f64::NAN),
        Value::Bool(truth) => Ok(f64::from(u8::from(*truth))),
        other => other.as_f64().ok_or_else(|| format!("column '{name}' takes numbers, and {other} is none")),
    }
}
