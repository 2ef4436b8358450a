//! The scores of classic systems: lines, kernel machines, random features and small networks.

use crate::ExportError;
use crate::columns::{Part, Rows};
use crate::graph::{Graph, Value};
use crate::proto::{Setting, Type, Values};
use onesided::classic::genpu::dense::{DenseNet, LEAK, Output};
use onesided::classic::{Kernel, KernelModel, LinearModel, RandomFeatures, ScoreForm};

/// f of each row, `[rows, 1]` in 64 bits.
pub fn score(graph: &mut Graph, rows: &Rows, form: &ScoreForm) -> Result<Value, ExportError> {
    Ok(match form {
        ScoreForm::Linear(model) => line(graph, &rows.encoded, model),
        ScoreForm::Kernel(model) => kernel(graph, rows, model),
        ScoreForm::RandomFeatures { map, model } => {
            let features = random_features(graph, rows, map);
            line(graph, &features, model)
        }
        ScoreForm::Network(net) => dense(graph, rows, net),
    })
}

/// w·x + b.
fn line(graph: &mut Graph, x: &str, model: &LinearModel) -> Value {
    let x = graph.cast(x, Type::Double);
    let weights = graph.constant(&[model.weights.len() as i64, 1], Values::Doubles(model.weights.clone()));
    let product = graph.op("MatMul", &[&x, &weights]);
    graph.with("Add", &product, model.bias)
}

/// Σ coefficient K(x_s, x) + b.
fn kernel(graph: &mut Graph, rows: &Rows, model: &KernelModel) -> Value {
    let (support, count) = (&model.support, model.support.rows());
    if count == 0 {
        let none = LinearModel { weights: vec![0.0; support.cols()], bias: model.bias };
        return line(graph, &rows.encoded, &none);
    }
    let x = graph.cast(&rows.encoded, Type::Double);
    let mut vectors = vec![0.0f32; support.cols() * count];
    let mut lengths = vec![0.0f64; count];
    for s in 0..count {
        let (columns, values) = support.row(s);
        for (&column, &value) in columns.iter().zip(values) {
            vectors[column as usize * count + s] = value;
            lengths[s] += f64::from(value) * f64::from(value);
        }
    }
    let vectors = graph.constant(&[support.cols() as i64, count as i64], Values::Floats(vectors));
    let vectors = graph.cast(&vectors, Type::Double);
    let products = graph.op("MatMul", &[&x, &vectors]);
    let values = match model.kernel {
        Kernel::Linear => products,
        Kernel::Rbf { gamma } => {
            let squares = graph.op("Mul", &[&x, &x]);
            let axis = graph.constant(&[1], Values::Ints(vec![1]));
            let length = graph.op("ReduceSum", &[&squares, &axis]);
            let others = graph.constant(&[1, count as i64], Values::Doubles(lengths));
            let sum = graph.op("Add", &[&length, &others]);
            let twice = graph.with("Mul", &products, 2.0);
            let distance = graph.op("Sub", &[&sum, &twice]);
            let nothing = graph.double(0.0);
            let distance = graph.op("Max", &[&distance, &nothing]);
            let exponent = graph.with("Mul", &distance, -gamma);
            graph.op("Exp", &[&exponent])
        }
        Kernel::Polynomial { gamma, constant, degree } => {
            let inner = graph.with("Mul", &products, gamma);
            let inner = graph.with("Add", &inner, constant);
            graph.with("Pow", &inner, f64::from(degree))
        }
    };
    let weights = graph.constant(&[count as i64, 1], Values::Doubles(model.coefficients.clone()));
    let sum = graph.op("MatMul", &[&values, &weights]);
    graph.with("Add", &sum, model.bias)
}

/// z of each row in 32 bits.
///
/// Angles are added up column by column as ours are: of a number far from all others only the rounded angle is left, and its cosine
/// is another one for every order of the sum.
fn random_features(graph: &mut Graph, rows: &Rows, map: &RandomFeatures) -> Value {
    let width = map.features();
    let mut angles = graph.constant(&[1, width as i64], Values::Floats(map.phases().to_vec()));
    let mut from = 0;
    for part in &rows.parts {
        let columns = match part {
            Part::Numbers { width, .. } | Part::Bounded { width, .. } => *width,
            Part::Level { levels, .. } => *levels,
        };
        let directions = &map.directions()[from * width..(from + columns) * width];
        from += columns;
        match part {
            Part::Numbers { value, .. } => {
                for (at, direction) in directions.chunks_exact(width).enumerate() {
                    let x = if columns == 1 { value.clone() } else { graph.place(value, at) };
                    let direction = graph.constant(&[1, width as i64], Values::Floats(direction.to_vec()));
                    let step = graph.op("Mul", &[&x, &direction]);
                    angles = graph.op("Add", &[&angles, &step]);
                }
            }
            Part::Bounded { value, .. } => {
                let shape = [columns as i64, width as i64];
                let directions = graph.constant(&shape, Values::Floats(directions.to_vec()));
                let step = graph.op("MatMul", &[value, &directions]);
                angles = graph.op("Add", &[&angles, &step]);
            }
            Part::Level { code, .. } => {
                let mut directions = directions.to_vec();
                directions.resize((columns + 1) * width, 0.0);
                let table = graph.constant(&[columns as i64 + 1, width as i64], Values::Floats(directions));
                let code = graph.reshape(code, &[-1]);
                let step = graph.op_with("Gather", &[&table, &code], "", &[("axis", Setting::Int(0))]);
                angles = graph.op("Add", &[&angles, &step]);
            }
        }
    }
    let cosine = cosine(graph, &angles);
    let scale = graph.float((2.0 / width as f32).sqrt());
    graph.op("Mul", &[&scale, &cosine])
}

/// The cosine that random features are made with, operation by operation in 32 bits.
fn cosine(graph: &mut Graph, angle: &str) -> Value {
    let with = |graph: &mut Graph, kind: &str, value: &str, number: f32| {
        let number = graph.float(number);
        graph.op(kind, &[value, &number])
    };
    let turns = with(graph, "Mul", angle, std::f32::consts::FRAC_1_PI);
    let turns = with(graph, "Mul", &turns, 0.5);
    const ROUND: f32 = 12_582_912.0;
    let whole = with(graph, "Add", &turns, ROUND);
    let whole = with(graph, "Sub", &whole, ROUND);
    let part = graph.op("Sub", &[&turns, &whole]);
    let part = graph.op("Abs", &[&part]);
    let quarter = graph.float(0.25);
    let x = graph.op("Sub", &[&quarter, &part]);
    let x = with(graph, "Mul", &x, std::f32::consts::TAU);
    let s = graph.op("Mul", &[&x, &x]);
    let mut poly = graph.float(1.605_904_4e-10);
    for coefficient in [-2.505_210_8e-8, 2.755_731_9e-6, -1.984_127e-4, 8.333_333e-3, -0.166_666_67, 1.0f32] {
        let product = graph.op("Mul", &[&s, &poly]);
        poly = with(graph, "Add", &product, coefficient);
    }
    graph.op("Mul", &[&x, &poly])
}

/// Dense layers with leaky ReLUs between.
fn dense(graph: &mut Graph, rows: &Rows, net: &DenseNet) -> Value {
    let (mut x, mut rest) = (rows.encoded.clone(), net.parameters());
    let layers = net.widths().len() - 1;
    for (layer, pair) in net.widths().windows(2).enumerate() {
        let (weights, after) = rest.split_at(pair[0] * pair[1]);
        let (bias, after) = after.split_at(pair[1]);
        rest = after;
        let weights = graph.constant(&[pair[0] as i64, pair[1] as i64], Values::Floats(weights.to_vec()));
        let bias = graph.constant(&[1, pair[1] as i64], Values::Floats(bias.to_vec()));
        x = graph.op("MatMul", &[&x, &weights]);
        x = graph.op("Add", &[&x, &bias]);
        if layer + 1 < layers {
            let leak = graph.float(LEAK);
            let below = graph.op("Mul", &[&x, &leak]);
            x = graph.op("Max", &[&x, &below]);
        } else if net.output() == Output::Tanh {
            x = graph.op("Tanh", &[&x]);
        }
    }
    let first = graph.place(&x, 0);
    graph.cast(&first, Type::Double)
}
