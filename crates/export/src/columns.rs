//! From the caller's columns to the rows that a scorer sees: the encoding of the model, operator by operator.
//!
//! Sums are taken in 64 bits where ours are, and rounded to 32 where ours are.

use crate::graph::{Graph, INSIDE, Value};
use crate::proto::{Setting, Type, Values};
use crate::{ExportError, ExportOptions, OUTPUTS};
use onesided::data::{
    FeatureKind, Features, ImageFrom, ImageInput, Scaling, TextInput, TimeFeature, TimeStyle, Weighting,
};
use std::collections::HashMap;

/// Rows in the two forms that scorers take, and which of them say nothing.
pub struct Rows {
    /// Numbers scaled and filled in, a category as one column per level, all side by side.
    pub encoded: Value,
    /// The same before they are put side by side.
    pub parts: Vec<Part>,
    /// A column of the table each: NaN where nothing is, a category as its code, the number of levels for none.
    pub whole: Value,
    /// How many levels a whole column has; `None` for numbers.
    pub levels: Vec<Option<u32>>,
    /// Whether every column is missing; `None` where that says nothing.
    pub blank: Option<Value>,
}

/// Encoded columns that belong together.
pub enum Part {
    /// Numbers, filled in.
    Numbers {
        /// `[rows, width]`.
        value: Value,
        /// How many.
        width: usize,
    },
    /// Terms of a text or pixels, none of them large.
    Bounded {
        /// `[rows, width]`.
        value: Value,
        /// How many.
        width: usize,
    },
    /// A category.
    Level {
        /// `[rows, 1]`: its code, the number of levels for none.
        code: Value,
        /// How many levels there are.
        levels: usize,
    },
}

/// What a column of the table becomes.
struct Column {
    part: Part,
    encoded: Value,
    whole: Value,
    missing: Value,
}

fn checked(name: &str) -> Result<&str, ExportError> {
    if OUTPUTS.contains(&name) || name.starts_with(INSIDE) {
        return Err(ExportError::Name(name.to_string()));
    }
    Ok(name)
}

/// Adds the inputs of a table and what becomes of them.
pub fn table(graph: &mut Graph, features: &Features, options: &ExportOptions) -> Result<Rows, ExportError> {
    let (mut encoded, mut parts, mut whole, mut levels) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut blank = None::<Value>;
    let dates = features.columns().iter().filter(|one| matches!(one.kind, FeatureKind::Time { .. }));
    let mut seconds = HashMap::new();
    for date in dates {
        let name = checked(&date.name)?;
        seconds.insert(name, name.to_string());
    }
    for feature in features.columns() {
        let name = checked(&feature.name)?;
        let column = match &feature.kind {
            FeatureKind::Numeric { mean, scale, wide } => {
                let mut x = graph.input(name, Type::Double, 1, "number");
                if !*wide {
                    let rounded = graph.cast(&x, Type::Float);
                    x = graph.cast(&rounded, Type::Double);
                }
                scaled(graph, &x, features, &[*mean], &[*scale])
            }
            FeatureKind::Boolean { mean, scale } => {
                let x = graph.input(name, Type::Double, 1, "1 or 0");
                scaled(graph, &x, features, &[*mean], &[*scale])
            }
            FeatureKind::Vector { means, scales } => {
                let input = graph.input(name, Type::Float, means.len(), "vector");
                let x = graph.cast(&input, Type::Double);
                let column = scaled(graph, &x, features, means, scales);
                // A vector is missing where its first place is.
                Column { missing: graph.place(&column.missing, 0), ..column }
            }
            FeatureKind::Categorical { levels: known, .. } => {
                let input = graph.input(name, Type::Text, 1, "category");
                let many = known.len() as i64;
                let code = label(graph, &input, known.clone(), (0..many).collect(), many);
                let all = graph.constant(&[1, many], Values::Ints((0..many).collect()));
                let hot = graph.op("Equal", &[&code, &all]);
                let empty = label(graph, &input, vec![String::new()], vec![1], 0);
                levels.push(Some(known.len() as u32));
                Column {
                    encoded: graph.cast(&hot, Type::Float),
                    whole: graph.cast(&code, Type::Float),
                    missing: graph.cast(&empty, Type::Bool),
                    part: Part::Level { code, levels: known.len() },
                }
            }
            FeatureKind::Text { text, .. } => {
                if !options.terms {
                    return Err(ExportError::Texts(name.to_string()));
                }
                let input = graph.terms(name);
                let value = terms(graph, &input, text)?;
                let none = label(graph, &input, vec![String::new()], vec![0], 1);
                let last = graph.constant(&[1], Values::Ints(vec![1]));
                let some = graph.op("ReduceMax", &[&none, &last]);
                let some = graph.cast(&some, Type::Bool);
                let part = Part::Bounded { value: value.clone(), width: text.terms().len() };
                Column { part, encoded: value.clone(), whole: value, missing: graph.op("Not", &[&some]) }
            }
            FeatureKind::Time { style, parts, .. } => {
                let clock = *style == TimeStyle::Clock;
                let holds = if clock { "seconds since midnight" } else { "seconds since 1970, UTC" };
                let input = graph.input(name, Type::Double, 1, holds);
                let mut of_parts = Vec::with_capacity(parts.len());
                for part in parts {
                    of_parts.push(time(graph, &input, &part.part, &seconds)?);
                }
                let of_parts: Vec<&str> = of_parts.iter().map(String::as_str).collect();
                let x = graph.op_with("Concat", &of_parts, "", &[("axis", Setting::Int(1))]);
                let means: Vec<f64> = parts.iter().map(|part| part.mean).collect();
                let scales: Vec<f64> = parts.iter().map(|part| part.scale).collect();
                let column = scaled(graph, &x, features, &means, &scales);
                Column { missing: graph.op("IsNaN", &[&input]), ..column }
            }
        };
        if let Part::Numbers { width, .. } | Part::Bounded { width, .. } = column.part {
            levels.extend((0..width).map(|_| None));
        }
        blank = Some(match blank {
            Some(before) => graph.op("And", &[&before, &column.missing]),
            None => column.missing,
        });
        encoded.push(column.encoded);
        whole.push(column.whole);
        parts.push(column.part);
    }
    let axis = [("axis", Setting::Int(1))];
    let mut join = |all: &[Value]| {
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        graph.op_with("Concat", &all, "", &axis)
    };
    Ok(Rows { encoded: join(&encoded), whole: join(&whole), parts, levels, blank })
}

/// Adds the input of texts: their terms.
pub fn texts(graph: &mut Graph, input: &TextInput, options: &ExportOptions) -> Result<Rows, ExportError> {
    let name = match &input.columns[..] {
        [one] => checked(one)?,
        _ => "text",
    };
    if !options.terms {
        return Err(ExportError::Texts(name.to_string()));
    }
    let given = graph.terms(name);
    let value = terms(graph, &given, &input.text)?;
    Ok(bounded(value, input.text.terms().len()))
}

/// Adds the input of pictures: their bytes.
pub fn pictures(graph: &mut Graph, input: &ImageInput) -> Result<Rows, ExportError> {
    let shape = input.image;
    let name = match &input.from {
        ImageFrom::Column(name) => checked(name)?,
        _ => "picture",
    };
    let given = graph.pictures(name, [shape.height, shape.width, shape.channels]);
    let x = graph.cast(&given, Type::Double);
    let channels = [shape.channels as i64];
    let wide = |all: &[f32]| Values::Doubles(all.iter().map(|&x| f64::from(x)).collect());
    let scale = graph.constant(&channels, wide(&input.scale));
    let shift = graph.constant(&channels, wide(&input.shift));
    let x = graph.op("Mul", &[&x, &scale]);
    let x = graph.op("Add", &[&x, &shift]);
    let x = graph.cast(&x, Type::Float);
    let width = shape.height * shape.width * shape.channels;
    let value = graph.reshape(&x, &[-1, width as i64]);
    Ok(bounded(value, width))
}

fn bounded(value: Value, width: usize) -> Rows {
    let parts = vec![Part::Bounded { value: value.clone(), width }];
    Rows { encoded: value.clone(), parts, whole: value, levels: vec![None; width], blank: None }
}

/// (x - mean) / scale in 64 bits, rounded: with what is missing filled in, with NaN there, and where that is.
fn scaled(graph: &mut Graph, x: &str, features: &Features, means: &[f64], scales: &[f64]) -> Column {
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
    let whole = graph.cast(&scaled, Type::Float);
    let missing = graph.op("IsNaN", &[x]);
    let fill = graph.constant(&shape, Values::Floats(fill));
    let encoded = graph.op("Where", &[&missing, &fill, &whole]);
    let part = Part::Numbers { value: encoded.clone(), width: means.len() };
    Column { part, encoded, whole, missing }
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

/// A part of seconds since 1970, NaN where they are.
fn time(
    graph: &mut Graph,
    seconds: &str,
    part: &TimeFeature,
    others: &HashMap<&str, Value>,
) -> Result<Value, ExportError> {
    /// Seconds of a day.
    const DAY: f64 = 86_400.0;
    let whole_days = |graph: &mut Graph| {
        let days = graph.with("Div", seconds, DAY);
        graph.op("Floor", &[&days])
    };
    let part_of = |graph: &mut Graph, x: &str, by: f64| {
        let divided = graph.with("Div", x, by);
        graph.op("Floor", &[&divided])
    };
    Ok(match part {
        TimeFeature::Days => graph.with("Div", seconds, DAY),
        TimeFeature::Hour => {
            let days = whole_days(graph);
            let before = graph.with("Mul", &days, DAY);
            let since = graph.op("Sub", &[seconds, &before]);
            graph.with("Div", &since, 3600.0)
        }
        TimeFeature::Weekday => {
            // 1970-01-01 was a Thursday.
            let days = whole_days(graph);
            let days = graph.with("Add", &days, 3.0);
            let weeks = part_of(graph, &days, 7.0);
            let before = graph.with("Mul", &weeks, 7.0);
            graph.op("Sub", &[&days, &before])
        }
        TimeFeature::Month | TimeFeature::Day => {
            // The calendar of `onesided::data`, in eras of 400 years that begin in March; all numbers are whole.
            let days = whole_days(graph);
            let from_march = graph.with("Add", &days, 719_468.0);
            let era = part_of(graph, &from_march, 146_097.0);
            let before = graph.with("Mul", &era, 146_097.0);
            let day_of_era = graph.op("Sub", &[&from_march, &before]);
            let leap = part_of(graph, &day_of_era, 1_460.0);
            let century = part_of(graph, &day_of_era, 36_524.0);
            let last = part_of(graph, &day_of_era, 146_096.0);
            let sum = graph.op("Sub", &[&day_of_era, &leap]);
            let sum = graph.op("Add", &[&sum, &century]);
            let sum = graph.op("Sub", &[&sum, &last]);
            let year = part_of(graph, &sum, 365.0);
            let years = graph.with("Mul", &year, 365.0);
            let fourth = part_of(graph, &year, 4.0);
            let hundredth = part_of(graph, &year, 100.0);
            let before = graph.op("Add", &[&years, &fourth]);
            let before = graph.op("Sub", &[&before, &hundredth]);
            let day_of_year = graph.op("Sub", &[&day_of_era, &before]);
            let month = graph.with("Mul", &day_of_year, 5.0);
            let month = graph.with("Add", &month, 2.0);
            let month = part_of(graph, &month, 153.0);
            if *part == TimeFeature::Day {
                let before = graph.with("Mul", &month, 153.0);
                let before = graph.with("Add", &before, 2.0);
                let before = part_of(graph, &before, 5.0);
                let day = graph.op("Sub", &[&day_of_year, &before]);
                graph.with("Add", &day, 1.0)
            } else {
                // 3 more, less 12 from the tenth on.
                let next_year = part_of(graph, &month, 10.0);
                let twelve = graph.with("Mul", &next_year, 12.0);
                let month = graph.with("Add", &month, 3.0);
                graph.op("Sub", &[&month, &twelve])
            }
        }
        TimeFeature::Since(other) => {
            let other = others.get(other.as_str()).ok_or_else(|| ExportError::Column(other.clone()))?;
            let difference = graph.op("Sub", &[seconds, other]);
            graph.with("Div", &difference, DAY)
        }
    })
}

/// Counts of the known terms, weighed as the model's texts were.
fn terms(graph: &mut Graph, input: &str, text: &onesided::data::TextFeatures) -> Result<Value, ExportError> {
    let many = text.terms().len() as i64;
    let settings = [
        ("min_gram_length", Setting::Int(1)),
        ("max_gram_length", Setting::Int(1)),
        ("max_skip_count", Setting::Int(0)),
        ("mode", Setting::Text("TF")),
        ("ngram_counts", Setting::Ints(vec![0])),
        ("ngram_indexes", Setting::Ints((0..many).collect())),
        ("pool_strings", Setting::Texts(text.terms().to_vec())),
    ];
    let counts = graph.op_with("TfIdfVectorizer", &[input], "", &settings);
    let exact = graph.cast(&counts, Type::Double);
    let frequency = match text.options().weighting {
        Weighting::Counts => return Ok(counts),
        Weighting::TfIdf => exact,
        Weighting::SublinearTfIdf => {
            // 1 + ln of the count where there is one.
            let one = graph.double(1.0);
            let least = graph.op("Max", &[&exact, &one]);
            let log = graph.op("Log", &[&least]);
            let log = graph.op("Add", &[&log, &one]);
            let any = graph.op("Min", &[&exact, &one]);
            graph.op("Mul", &[&log, &any])
        }
    };
    let idf = graph.constant(&[1, many], Values::Doubles(text.idf().to_vec()));
    let values = graph.op("Mul", &[&frequency, &idf]);
    let squares = graph.op("Mul", &[&values, &values]);
    let axis = graph.constant(&[1], Values::Ints(vec![1]));
    let sum = graph.op("ReduceSum", &[&squares, &axis]);
    let length = graph.op("Sqrt", &[&sum]);
    // A text without a known term is a row of zeros, whatever it is divided by.
    let least = graph.double(f64::MIN_POSITIVE);
    let length = graph.op("Max", &[&length, &least]);
    let values = graph.op("Div", &[&values, &length]);
    Ok(graph.cast(&values, Type::Float))
}
