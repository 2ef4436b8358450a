//! Scores rows with an exported model, by onnxruntime and without onesided.
//!
//!     ORT_DYLIB_PATH=…/libonnxruntime.so cargo run --release -- model.onnx rows.json
//!
//! rows.json has a list per column: {"age": [31, null], "city": ["Oslo", null]}. null is NaN for a number and the empty string for a
//! category.

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
                let text = |cell: &Value| cell.as_str().unwrap_or("").to_string();
                let texts: Vec<String> = cells.iter().map(text).collect();
                Tensor::from_string_array((shape, &texts[..]))?.into_dyn()
            }
            TensorElementType::Float64 => {
                let numbers: Vec<f64> = cells.iter().map(|cell| cell.as_f64().unwrap_or(f64::NAN)).collect();
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
