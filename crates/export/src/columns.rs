//! From the caller's columns to the rows that a scorer sees: the encoding of the model, operator by operator.
//!
//! Sums are taken in 64 bits where ours are, and rounded to 32 where ours are.

use crate::ExportError;
use crate::graph::{Graph, Value};
use crate::proto::{Setting, Type, Values};
use onesided::data::{FeatureKind, Features, Scaling};

/// Rows in the two forms that scorers take, and which of them say nothing.
pub struct Rows {
    /// Numbers scaled and filled in, a category as one column per level.
    pub encoded: Value,
    /// A column of the table each: NaN where nothing is, a category as its code, the number of levels for none.
    pub whole: Value,
    /// How many levels a whole column has; `None` for numbers.
    pub levels: Vec<Option<u32>>,
    /// Whether every column is missing.
    pub blank: Value,
}

/// Adds the inputs and what becomes of them.
pub fn columns(graph: &mut Graph, features: &Features) -> Result<Rows, ExportError> {
    let (mut encoded, mut whole, mut levels, mut blank) = (Vec::new(), Vec::new(), Vec::new(), None::<Value>);
    for feature in features.columns() {
        let name = feature.name.as_str();
        if ["score", "probability", "decision"].contains(&name) {
            return Err(ExportError::Name(name.to_string()));
        }
        let missing = match &feature.kind {
            FeatureKind::Numeric { mean, scale, wide } => {
                let input = graph.input(name, Type::Double, 1);
                let x = if *wide {
                    input
                } else {
                    let rounded = graph.cast(&input, Type::Float);
                    graph.cast(&rounded, Type::Double)
                };
                let (filled, with_nan, missing) = scaled(graph, &x, features, &[*mean], &[*scale]);
                encoded.push(filled);
                whole.push(with_nan);
                levels.push(None);
                missing
            }
            FeatureKind::Boolean { mean, scale } => {
                let input = graph.input(name, Type::Double, 1);
                let (filled, with_nan, missing) = scaled(graph, &input, features, &[*mean], &[*scale]);
                encoded.push(filled);
                whole.push(with_nan);
                levels.push(None);
                missing
            }
            FeatureKind::Vector { means, scales } => {
                let input = graph.input(name, Type::Float, means.len());
                let x = graph.cast(&input, Type::Double);
                let (filled, with_nan, missing) = scaled(graph, &x, features, means, scales);
                encoded.push(filled);
                whole.push(with_nan);
                levels.extend(means.iter().map(|_| None));
                // A vector is missing where its first place is.
                let first = graph.constant(&[1], Values::Ints(vec![0]));
                graph.op_with("Gather", &[&missing, &first], "", &[("axis", Setting::Int(1))])
            }
            FeatureKind::Categorical { levels: known, .. } => {
                let input = graph.input(name, Type::Text, 1);
                let many = known.len() as i64;
                let code = label(graph, &input, known.clone(), (0..many).collect(), many);
                let all = graph.constant(&[1, many], Values::Ints((0..many).collect()));
                let hot = graph.op("Equal", &[&code, &all]);
                encoded.push(graph.cast(&hot, Type::Float));
                whole.push(graph.cast(&code, Type::Float));
                levels.push(Some(known.len() as u32));
                let empty = label(graph, &input, vec![String::new()], vec![1], 0);
                graph.cast(&empty, Type::Bool)
            }
            FeatureKind::Text { .. } => return Err(ExportError::Texts(name.to_string())),
            FeatureKind::Time { .. } => return Err(ExportError::Dates(name.to_string())),
            _ => return Err(ExportError::Column(name.to_string())),
        };
        blank = Some(match blank {
            Some(before) => graph.op("And", &[&before, &missing]),
            None => missing,
        });
    }
    let axis = [("axis", Setting::Int(1))];
    let mut join = |parts: &[Value]| {
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        graph.op_with("Concat", &parts, "", &axis)
    };
    let (encoded, whole) = (join(&encoded), join(&whole));
    let blank = blank.ok_or(ExportError::Input("no columns"))?;
    Ok(Rows { encoded, whole, levels, blank })
}

/// (x - mean) / scale in 64 bits, rounded: with what is missing filled in, with NaN there, and where that is.
fn scaled(
    graph: &mut Graph,
    x: &str,
    features: &Features,
    means: &[f64],
    scales: &[f64],
) -> (Value, Value, Value) {
    let shape = [1, means.len() as i64];
    let (scaled, fill) = match features.scaling() {
        Scaling::Standard => {
            let mean = graph.constant(&shape, Values::Doubles(means.to_vec()));
            let scale = graph.constant(&shape, Values::Doubles(scales.to_vec()));
            let centered = graph.op("Sub", &[x, &mean]);
            (graph.op("Div", &[&centered, &scale]), vec![0.0; means.len()])
        }
        Scaling::AsIs => (x.to_string(), means.iter().map(|&mean| mean as f32).collect()),
    };
    let with_nan = graph.cast(&scaled, Type::Float);
    let missing = graph.op("IsNaN", &[x]);
    let fill = graph.constant(&shape, Values::Floats(fill));
    let filled = graph.op("Where", &[&missing, &fill, &with_nan]);
    (filled, with_nan, missing)
}

/// Strings to whole numbers.
fn label(graph: &mut Graph, input: &str, keys: Vec<String>, values: Vec<i64>, other: i64) -> Value {
    let settings = [
        ("keys_strings", Setting::Texts(keys)),
        ("values_int64s", Setting::Ints(values)),
        ("default_int64", Setting::Int(other)),
    ];
    graph.op_with("LabelEncoder", &[input], "ai.onnx.ml", &settings)
}
