//! A network, layer by layer in 32 bits. Pictures are channel first inside, as the operators want them.

use crate::ExportError;
use crate::columns::Rows;
use crate::graph::{Graph, Value};
use crate::proto::{Setting, Values};
use onesided::net::{Activation, Layer, Network, Shape, Tensor, Weights};

/// What batch norm adds to a variance.
const EPSILON: f64 = 1e-5;

/// A walk through the layers.
struct Walk<'g> {
    graph: &'g mut Graph,
    weights: &'g Weights,
    /// Whether values are pictures, `[rows, channels, height, width]`, and no rows.
    pictures: bool,
}

/// The score of each row, `[rows, 1]` in 32 bits.
pub fn score(
    graph: &mut Graph,
    rows: &Rows,
    network: &Network,
    weights: &Weights,
) -> Result<Value, ExportError> {
    let shapes = network.shapes().map_err(|_| ExportError::Scorer("a network that cannot be built"))?;
    let (mut x, input) = (rows.encoded.clone(), network.input);
    let pictures = input.pixels() > 1;
    if pictures {
        let [height, width, channels] = [input.height, input.width, input.channels].map(|n| n as i64);
        x = graph.reshape(&x, &[-1, height, width, channels]);
        x = transpose(graph, &x, &[0, 3, 1, 2]);
    }
    let mut walk = Walk { graph, weights, pictures };
    let mut before = input;
    for (at, (layer, &after)) in network.layers.iter().zip(&shapes).enumerate() {
        let name = at.to_string();
        x = match *layer {
            Layer::Dense { .. } => walk.dense(&x, &name),
            Layer::Conv { .. } => walk.conv(&x, &name, 3, 1),
            Layer::BatchNorm => walk.norm(&x, &name),
            Layer::Activate { activation: Activation::Relu } => walk.graph.op("Relu", &[&x]),
            Layer::Activate { activation: Activation::Softsign } => walk.graph.op("Softsign", &[&x]),
            Layer::Residual { stride, pre: false, .. } => walk.residual(&x, &name, stride, before != after),
            Layer::Residual { stride, pre: true, .. } => {
                walk.residual_pre(&x, &name, stride, before != after)
            }
            Layer::MaxPool => {
                let two = Setting::Ints(vec![2, 2]);
                walk.graph.op_with("MaxPool", &[&x], "", &[("kernel_shape", two.clone()), ("strides", two)])
            }
            Layer::MeanPool => {
                let mean = walk.graph.op("GlobalAveragePool", &[&x]);
                walk.flat(&mean, before.channels)
            }
            Layer::Dropout { .. } => x,
            Layer::Flatten => walk.flatten(&x, before),
        };
        before = after;
    }
    if walk.pictures {
        x = walk.flat(&x, 1);
    }
    Ok(x)
}

fn transpose(graph: &mut Graph, x: &str, order: &[i64]) -> Value {
    graph.op_with("Transpose", &[x], "", &[("perm", Setting::Ints(order.to_vec()))])
}

impl<'g> Walk<'g> {
    fn tensor(&self, layer: &str, what: &str) -> Option<&'g Tensor> {
        let name = format!("{layer}.{what}");
        self.weights.tensors.iter().find(|tensor| tensor.name == name)
    }

    fn flat(&mut self, x: &str, width: usize) -> Value {
        self.pictures = false;
        self.graph.reshape(x, &[-1, width as i64])
    }

    /// In the order of storage, which has channels last.
    fn flatten(&mut self, x: &str, shape: Shape) -> Value {
        if !self.pictures {
            return x.to_string();
        }
        let last = transpose(self.graph, x, &[0, 2, 3, 1]);
        self.flat(&last, shape.len())
    }

    /// A number per channel, shaped so that it meets its channel.
    fn per_channel(&mut self, numbers: Vec<f32>) -> Value {
        let channels = numbers.len() as i64;
        let shape: &[i64] = if self.pictures { &[1, channels, 1, 1] } else { &[1, channels] };
        self.graph.constant(shape, Values::Floats(numbers))
    }

    fn bias(&mut self, x: Value, layer: &str) -> Value {
        let Some(bias) = self.tensor(layer, "bias").map(|tensor| tensor.data.clone()) else { return x };
        let bias = self.per_channel(bias);
        self.graph.op("Add", &[&x, &bias])
    }

    fn dense(&mut self, x: &str, layer: &str) -> Value {
        let Some(Tensor { shape, data, .. }) = self.tensor(layer, "weight") else { return x.to_string() };
        let (outputs, inputs) = (shape[0], shape[1]);
        let turned = (0..inputs).flat_map(|i| (0..outputs).map(move |o| data[o * inputs + i])).collect();
        let weights = self.graph.constant(&[inputs as i64, outputs as i64], Values::Floats(turned));
        let product = self.graph.op("MatMul", &[x, &weights]);
        self.bias(product, layer)
    }

    fn conv(&mut self, x: &str, layer: &str, size: usize, stride: usize) -> Value {
        let Some(Tensor { shape, data, .. }) = self.tensor(layer, "weight") else { return x.to_string() };
        let (outputs, inputs, places) = (shape[0], shape[3], size * size);
        let turned = (0..outputs)
            .flat_map(|o| (0..inputs).flat_map(move |i| (0..places).map(move |p| (o, i, p))))
            .map(|(o, i, p)| data[(o * places + p) * inputs + i])
            .collect();
        let shape = [outputs, inputs, size, size].map(|n| n as i64);
        let weights = self.graph.constant(&shape, Values::Floats(turned));
        let pad = (size as i64 - 1) / 2;
        let settings = [
            ("kernel_shape", Setting::Ints(vec![size as i64; 2])),
            ("pads", Setting::Ints(vec![pad; 4])),
            ("strides", Setting::Ints(vec![stride as i64; 2])),
        ];
        let product = self.graph.op_with("Conv", &[x, &weights], "", &settings);
        self.bias(product, layer)
    }

    /// (x - mean) / √(variance + ε) · weight + bias.
    fn norm(&mut self, x: &str, layer: &str) -> Value {
        let of = |what: &str| self.tensor(layer, what).map_or(&[][..], |tensor| &tensor.data);
        let numbers = of("weight").iter().zip(of("bias")).zip(of("mean").iter().zip(of("variance")));
        let (scales, shifts): (Vec<f32>, Vec<f32>) = numbers
            .map(|((&weight, &bias), (&mean, &variance))| {
                let scale = f64::from(weight) / (f64::from(variance) + EPSILON).sqrt();
                (scale as f32, (f64::from(bias) - scale * f64::from(mean)) as f32)
            })
            .unzip();
        let (scale, shift) = (self.per_channel(scales), self.per_channel(shifts));
        let scaled = self.graph.op("Mul", &[x, &scale]);
        self.graph.op("Add", &[&scaled, &shift])
    }

    fn relu(&mut self, x: &str) -> Value {
        self.graph.op("Relu", &[x])
    }

    /// ReLU(norm(conv(ReLU(norm(conv(x))))) + x), or norm(conv 1×1 (x)) in the place of the last x.
    fn residual(&mut self, x: &str, name: &str, stride: usize, changes: bool) -> Value {
        let part = |what: &str| format!("{name}.{what}");
        let mut kept = x.to_string();
        if changes {
            kept = self.conv(x, &part("conv3"), 1, stride);
            kept = self.norm(&kept, &part("norm3"));
        }
        let y = self.conv(x, &part("conv1"), 3, stride);
        let y = self.norm(&y, &part("norm1"));
        let y = self.relu(&y);
        let y = self.conv(&y, &part("conv2"), 3, 1);
        let y = self.norm(&y, &part("norm2"));
        let y = self.graph.op("Add", &[&y, &kept]);
        self.relu(&y)
    }

    /// conv(ReLU(norm(conv(h)))) + x with h = ReLU(norm(x)), or conv 1×1 (h) in the place of the last x.
    fn residual_pre(&mut self, x: &str, name: &str, stride: usize, changes: bool) -> Value {
        let part = |what: &str| format!("{name}.{what}");
        let h = self.norm(x, &part("norm1"));
        let h = self.relu(&h);
        let kept = if changes { self.conv(&h, &part("conv3"), 1, stride) } else { x.to_string() };
        let y = self.conv(&h, &part("conv1"), 3, stride);
        let y = self.norm(&y, &part("norm2"));
        let y = self.relu(&y);
        let y = self.conv(&y, &part("conv2"), 3, 1);
        self.graph.op("Add", &[&y, &kept])
    }
}
