//! A trained network as matrices: the norms of its layers, for bounds on its score.
//!
//! * Each dense layer or convolution is a matrix. A batch norm, as it scores, multiplies and shifts every channel, so it
//!   belongs to the layer before it. The bias is one more column, whose input is always 1; layers in between hand that 1
//!   on. So ‖W‖_F² = Σ w² + Σ b² (+ 1 for every layer but the last, where there is a bias).
//! * A convolution's matrix repeats a weight wherever the kernel fits: (H − |k_y|)(W − |k_x|) times for an offset
//!   (k_y, k_x) from the center of a 3×3 kernel on an H × W image.

use crate::NetError;
use crate::spec::{Layer, Network, Shape};
use crate::weights::Weights;
use onesided_data::Stream;

/// What batch norm adds to a variance.
const EPSILON: f64 = 1e-5;
/// Steps of the power iteration; it comes from below, and within a percent long before this.
const STEPS: usize = 100;

/// The norms of one layer as a matrix, batch norm included.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerNorms {
    /// Its number in the network, from 0.
    pub layer: usize,
    /// Such as `dense 64 to 128`.
    pub what: String,
    /// ‖W‖_F, with the bias.
    pub frobenius: f64,
    /// The largest factor by which the layer stretches a change of its input; for a convolution an upper bound.
    pub spectral: f64,
}

/// The norms of all layers with weights.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkNorms {
    /// One per layer with weights.
    pub layers: Vec<LayerNorms>,
    /// The constant input of the bias: 1 where a layer has one, else 0.
    pub carried: f64,
}

impl NetworkNorms {
    /// Those of a network as it scores.
    pub fn new(network: &Network, weights: &Weights) -> Result<Self, NetError> {
        let affine = affine_layers(network, weights)?;
        let carried = if affine.iter().any(|layer| layer.bias_norm2 > 0.0) { 1.0 } else { 0.0 };
        let last = affine.len().saturating_sub(1);
        let norms = |(i, layer): (usize, &Affine)| layer.norms(if i < last { carried } else { 0.0 });
        Ok(Self { layers: affine.iter().enumerate().map(norms).collect(), carried })
    }
}

/// A layer with weights as a matrix (outputs × inputs of one place), with how often its weights occur.
struct Affine {
    layer: usize,
    what: String,
    rows: Vec<Vec<f64>>,
    /// Σ w² over the whole matrix of a convolution.
    weight_norm2: f64,
    bias_norm2: f64,
    /// By how much the matrix of one place underrates the stretching at most: 3 for a 3×3 kernel, as every pixel
    /// enters nine places.
    overlap: f64,
}

impl Affine {
    fn norms(&self, carried: f64) -> LayerNorms {
        LayerNorms {
            layer: self.layer,
            what: self.what.clone(),
            frobenius: (self.weight_norm2 + self.bias_norm2 + carried).sqrt(),
            spectral: self.overlap * spectral_norm(&self.rows),
        }
    }
}

/// The layers with weights, each batch norm folded into the one before it.
fn affine_layers(network: &Network, weights: &Weights) -> Result<Vec<Affine>, NetError> {
    let tensor = |layer: usize, what: &str| {
        let name = format!("{layer}.{what}");
        weights.tensors.iter().find(|tensor| tensor.name == name).map(|tensor| tensor.data.as_slice())
    };
    if let Some(at) =
        network.layers.iter().position(|layer| matches!(layer, Layer::Residual { .. } | Layer::MeanPool))
    {
        return Err(NetError::Architecture(format!(
            "the norms of layer {at} ({:?}) are not defined here: only chains of dense layers, 3x3 convolutions and \
             max pooling have a bound",
            network.layers[at]
        )));
    }
    let shapes = network.shapes()?;
    let mut found: Vec<Affine> = Vec::new();
    for (i, layer) in network.layers.iter().enumerate() {
        let before = if i == 0 { network.input } else { shapes[i - 1] };
        let (what, outputs, conv) = match *layer {
            Layer::Dense { outputs, .. } => ("dense", outputs, false),
            Layer::Conv { outputs, .. } => ("conv", outputs, true),
            // One that does not follow a layer with weights is a diagonal matrix.
            Layer::BatchNorm if i == 0 || !has_weights(&network.layers[i - 1]) => {
                ("batch norm", before.channels, false)
            }
            _ => continue,
        };
        let norm_alone = *layer == Layer::BatchNorm;
        let norm_at = if norm_alone { Some(i) } else { Some(i + 1) };
        let norm_at = norm_at.filter(|&at| network.layers.get(at) == Some(&Layer::BatchNorm));
        let scale_and_shift = |o: usize| -> (f64, f64) {
            let Some(at) = norm_at else { return (1.0, 0.0) };
            let number = |what: &str| tensor(at, what).map_or(0.0, |data| f64::from(data[o]));
            let scale = number("weight") / (number("variance") + EPSILON).sqrt();
            (scale, number("bias") - scale * number("mean"))
        };
        let mut affine = Affine {
            layer: i,
            what: format!("{what} {} to {outputs}", before.channels),
            rows: Vec::with_capacity(outputs),
            weight_norm2: 0.0,
            bias_norm2: 0.0,
            overlap: if conv { 3.0 } else { 1.0 },
        };
        let matrix = if norm_alone { None } else { tensor(i, "weight") };
        let bias = if norm_alone { None } else { tensor(i, "bias") };
        for o in 0..outputs {
            let (scale, shift) = scale_and_shift(o);
            let row: Vec<f64> = match matrix {
                Some(matrix) => {
                    let width = matrix.len() / outputs;
                    matrix[o * width..(o + 1) * width].iter().map(|&w| scale * f64::from(w)).collect()
                }
                None => (0..outputs).map(|k| if k == o { scale } else { 0.0 }).collect(),
            };
            let bias = scale * bias.map_or(0.0, |bias| f64::from(bias[o])) + shift;
            affine.bias_norm2 += before.pixels() as f64 * bias * bias;
            let times =
                |k: usize| if conv { places(before, k / before.channels) } else { before.pixels() as f64 };
            affine.weight_norm2 += row.iter().enumerate().map(|(k, w)| times(k) * w * w).sum::<f64>();
            affine.rows.push(row);
        }
        found.push(affine);
    }
    Ok(found)
}

fn has_weights(layer: &Layer) -> bool {
    matches!(layer, Layer::Dense { .. } | Layer::Conv { .. })
}

/// At how many places of an image the k-th of the nine weights of a 3×3 kernel meets a pixel.
fn places(image: Shape, k: usize) -> f64 {
    let off = |position: usize| usize::from(position != 1);
    ((image.height - off(k / 3)) * (image.width - off(k % 3))) as f64
}

/// The largest singular value, by power iteration on WᵀW.
fn spectral_norm(rows: &[Vec<f64>]) -> f64 {
    let width = rows.first().map_or(0, Vec::len);
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut stream = Stream::new(0, "power iteration");
    let mut v: Vec<f64> = (0..width).map(|_| stream.normal()).collect();
    let mut found = 0.0;
    for _ in 0..STEPS {
        let length = norm(&v);
        if length == 0.0 {
            return 0.0;
        }
        v.iter_mut().for_each(|x| *x /= length);
        let mut next = vec![0.0; width];
        let mut stretched2 = 0.0;
        for row in rows {
            let along: f64 = row.iter().zip(&v).map(|(w, x)| w * x).sum();
            stretched2 += along * along;
            next.iter_mut().zip(row).for_each(|(next, w)| *next += along * w);
        }
        let before = found;
        found = stretched2.sqrt();
        if (found - before).abs() <= 1e-9 * found {
            break;
        }
        v = next;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Activation;
    use crate::weights::Tensor;

    fn tensor(name: &str, shape: &[usize], data: &[f32]) -> Tensor {
        Tensor { name: name.to_string(), shape: shape.to_vec(), data: data.to_vec() }
    }

    #[test]
    fn power_iteration_finds_the_largest_singular_value() {
        // WᵀW of [[3, 0], [4, 5]] has the eigenvalues 45 and 5.
        let found = spectral_norm(&[vec![3.0, 0.0], vec![4.0, 5.0]]);
        assert!((found - 45f64.sqrt()).abs() < 1e-6, "{found}");
        assert_eq!(spectral_norm(&[vec![0.0, 0.0]]), 0.0);
        assert_eq!(spectral_norm(&[]), 0.0);
    }

    #[test]
    fn a_batch_norm_belongs_to_the_layer_before_it() {
        let network = Network {
            input: Shape::flat(2),
            layers: vec![
                Layer::Dense { outputs: 1, bias: false },
                Layer::BatchNorm,
                Layer::Activate { activation: Activation::Relu },
                Layer::Dense { outputs: 1, bias: true },
            ],
        };
        let tensors = vec![
            tensor("0.weight", &[1, 2], &[3.0, 4.0]),
            tensor("1.weight", &[1], &[2.0]),
            tensor("1.bias", &[1], &[1.0]),
            tensor("1.mean", &[1], &[0.5]),
            tensor("1.variance", &[1], &[4.0]),
            tensor("3.weight", &[1, 1], &[2.0]),
            tensor("3.bias", &[1], &[-1.0]),
        ];
        let layers = affine_layers(&network, &Weights { tensors }).unwrap();
        // A scale of 2 / √4 = 1 and a shift of 1 - 0.5: ‖(3, 4, 0.5)‖, and 1 more to hand on; then ‖(2, -1)‖.
        let first = layers[0].norms(1.0);
        assert!((first.frobenius - (25.0f64 + 0.25 + 1.0).sqrt()).abs() < 1e-4, "{first:?}");
        assert!((first.spectral - 5.0).abs() < 1e-4, "{first:?}");
        let second = layers[1].norms(0.0);
        assert!((second.frobenius - 5f64.sqrt()).abs() < 1e-12, "{second:?}");
        assert_eq!((layers.len(), second.what.as_str()), (2, "dense 1 to 1"));
    }

    #[test]
    fn a_convolution_counts_as_the_matrix_it_is() {
        // All nine weights 1 on a 2×3 image: each output pixel sums its neighbors, 4 or 6 of them; 4·4 + 2·6 ones.
        let network = Network {
            input: Shape { channels: 1, height: 2, width: 3 },
            layers: vec![Layer::Conv { outputs: 1, bias: false }, Layer::MaxPool],
        };
        let tensors = vec![tensor("0.weight", &[1, 3, 3, 1], &[1.0; 9])];
        let conv = affine_layers(&network, &Weights { tensors }).unwrap().remove(0).norms(0.0);
        assert!((conv.frobenius - 28f64.sqrt()).abs() < 1e-12, "{conv:?}");
        // The kernel as a row has norm 3; the bound on the operator is three times that.
        assert!((conv.spectral - 9.0).abs() < 1e-9, "{conv:?}");
    }
}
