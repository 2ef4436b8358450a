//! A network as a list of layers from a closed set, and the tensors that follow from it.
//!
//! Rows are stored height by height, width by width, channel last (NHWC), so that the channels of one pixel lie
//! side by side; a plain table is a shape of height and width 1.

use crate::NetError;
use crate::stages::{Stage, Step};
use crate::weights::Weights;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The shape of one example as it passes between layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Channels of an image, or features of a row.
    pub channels: usize,
    /// Rows of pixels; 1 for a table.
    pub height: usize,
    /// Pixels a row; 1 for a table.
    pub width: usize,
}

impl Shape {
    /// A row of `features` numbers.
    pub fn flat(features: usize) -> Self {
        Self { channels: features, height: 1, width: 1 }
    }

    /// Numbers in one example.
    pub fn len(&self) -> usize {
        self.channels * self.pixels()
    }

    /// Whether the shape holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Height times width.
    pub fn pixels(&self) -> usize {
        self.height * self.width
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}x{}", self.channels, self.height, self.width)
    }
}

/// A pointwise nonlinearity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// max(0, x).
    Relu,
    /// x / (1 + |x|).
    Softsign,
}

/// One layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "layer")]
pub enum Layer {
    /// y = W x + b, W of shape (outputs, inputs).
    Dense {
        /// Outputs.
        outputs: usize,
        /// Whether there is a b.
        bias: bool,
    },
    /// 3×3 convolution, stride 1, zero padding 1; weights of shape (outputs, 3, 3, inputs).
    Conv {
        /// Output channels.
        outputs: usize,
        /// Whether there is a bias.
        bias: bool,
    },
    /// Batch normalization over rows and pixels, a channel at a time (Ioffe and Szegedy, 2015).
    BatchNorm,
    /// A pointwise nonlinearity.
    Activate {
        /// Which.
        activation: Activation,
    },
    /// A residual block (He et al., 2016): two 3×3 convolutions with batch norm, added to what came in. Where that has
    /// another shape it passes a 1×1 convolution first.
    Residual {
        /// Output channels.
        outputs: usize,
        /// 2 halves height and width, 1 keeps them.
        stride: usize,
        /// Norm and ReLU before each convolution (Zagoruyko and Komodakis, 2016), not after.
        #[serde(default)]
        pre: bool,
    },
    /// The largest of each 2×2 block, stride 2; an odd last row or column is left out.
    MaxPool,
    /// The mean of each channel over all pixels.
    MeanPool,
    /// In training, zeroes a number with this probability and scales the others by 1 / (1 - p).
    Dropout {
        /// The probability of zero.
        probability: f32,
    },
    /// From an image to a row, in storage order.
    Flatten,
}

/// A network: the shape it takes and its layers. The last layer gives one number, the score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Network {
    /// Shape of one example.
    pub input: Shape,
    /// Layers in order.
    pub layers: Vec<Layer>,
}

/// One tensor a network needs: trained, or a running statistic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TensorSpec {
    pub name: String,
    pub shape: Vec<usize>,
    pub trained: bool,
    /// Inputs that feed one output: the fan-in that initial weights are scaled by.
    pub fan_in: usize,
    pub layer: usize,
    /// Whether it belongs to a batch norm.
    pub norm: bool,
}

impl TensorSpec {
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }
}

/// Every tensor with its place, and the lengths of the two vectors they lie in.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub tensors: Vec<(TensorSpec, Range<usize>)>,
    pub trained: usize,
    pub statistics: usize,
}

impl Places {
    /// The place of a stage's `weight`, `bias`, `mean` or `variance`, if it has one.
    pub fn of(&self, stage: &Stage, what: &str) -> Option<Range<usize>> {
        let name = format!("{}.{what}", stage.name);
        self.tensors.iter().find(|(spec, _)| spec.name == name).map(|(_, place)| place.clone())
    }
}

/// More numbers than any network of the zoo by far; keeps a hostile model file from asking for more memory than there is.
const MOST_NUMBERS: usize = 1 << 31;

impl Network {
    /// The shape after each layer, or why a layer cannot take what reaches it. The last must be a single number.
    pub fn shapes(&self) -> Result<Vec<Shape>, NetError> {
        let refuse = |index: usize, layer: &Layer, shape: Shape, why: &str| {
            Err(NetError::Architecture(format!(
                "layer {index} ({layer:?}) cannot take input of shape {shape}: {why}"
            )))
        };
        let mut shape = self.input;
        if shape.is_empty() {
            return Err(NetError::Architecture("a network needs at least one input feature".into()));
        }
        let mut shapes = Vec::with_capacity(self.layers.len());
        for (index, layer) in self.layers.iter().enumerate() {
            shape = match *layer {
                Layer::Dense { outputs, .. } => {
                    if shape.pixels() != 1 {
                        return refuse(index, layer, shape, "flatten the image first");
                    }
                    Shape::flat(outputs)
                }
                Layer::Conv { outputs, .. } => Shape { channels: outputs, ..shape },
                Layer::Residual { outputs, stride, .. } => {
                    if !(1..=2).contains(&stride) {
                        return refuse(index, layer, shape, "the stride must be 1 or 2");
                    }
                    Shape {
                        channels: outputs,
                        height: shape.height.div_ceil(stride),
                        width: shape.width.div_ceil(stride),
                    }
                }
                Layer::MeanPool => Shape::flat(shape.channels),
                Layer::MaxPool => {
                    if shape.height < 2 || shape.width < 2 {
                        return refuse(index, layer, shape, "the image is smaller than the 2x2 block");
                    }
                    Shape { height: shape.height / 2, width: shape.width / 2, ..shape }
                }
                Layer::Flatten => Shape::flat(shape.len()),
                Layer::Dropout { probability } => {
                    if !(0.0..1.0).contains(&probability) {
                        return refuse(index, layer, shape, "the probability must lie in [0, 1)");
                    }
                    shape
                }
                Layer::BatchNorm | Layer::Activate { .. } => shape,
            };
            let size = shape.channels.checked_mul(shape.height).and_then(|n| n.checked_mul(shape.width));
            if !size.is_some_and(|n| n > 0 && n < MOST_NUMBERS) {
                return refuse(index, layer, shape, "the result is empty or too large");
            }
            shapes.push(shape);
        }
        if shape.len() != 1 {
            return Err(NetError::Architecture(format!(
                "the last layer must give one score, but gives {shape}"
            )));
        }
        Ok(shapes)
    }

    /// The tensors in layer order, named `LAYER.weight`, `LAYER.bias`, `LAYER.mean`, `LAYER.variance`; those of a residual
    /// block `LAYER.conv1.weight`, `LAYER.norm1.weight` and so on.
    pub(crate) fn tensors(&self) -> Result<Vec<TensorSpec>, NetError> {
        let mut tensors = Vec::new();
        for Stage { step, name, layer, input, bias, .. } in self.stages()? {
            let norm = step == Step::BatchNorm;
            let mut add = |what: &str, shape: Vec<usize>, trained: bool, fan_in: usize| {
                tensors.push(TensorSpec {
                    name: format!("{name}.{what}"),
                    shape,
                    trained,
                    fan_in,
                    layer,
                    norm,
                });
            };
            let channels = input.channels;
            match step {
                Step::Dense { outputs } => {
                    add("weight", vec![outputs, channels], true, channels);
                    if bias {
                        add("bias", vec![outputs], true, channels);
                    }
                }
                Step::Conv { outputs, size, .. } => {
                    let fan_in = size * size * channels;
                    add("weight", vec![outputs, size, size, channels], true, fan_in);
                    if bias {
                        add("bias", vec![outputs], true, fan_in);
                    }
                }
                Step::BatchNorm => {
                    add("weight", vec![channels], true, 1);
                    add("bias", vec![channels], true, 1);
                    add("mean", vec![channels], false, 1);
                    add("variance", vec![channels], false, 1);
                }
                _ => {}
            }
        }
        let total = tensors.iter().try_fold(0usize, |sum, t| {
            t.shape.iter().try_fold(1usize, |n, &d| n.checked_mul(d))?.checked_add(sum)
        });
        match total {
            Some(total) if total < MOST_NUMBERS => Ok(tensors),
            _ => Err(NetError::Architecture("the network has more weights than can be held".into())),
        }
    }

    /// Multiply-adds of a forward pass, a row; 0 for a network that cannot be built.
    pub fn products(&self) -> usize {
        let Ok(stages) = self.stages() else { return 0 };
        let products = stages.iter().map(|stage| match stage.step {
            Step::Dense { outputs } => outputs.saturating_mul(stage.input.channels),
            Step::Conv { size, .. } => {
                stage.output.len().saturating_mul(size * size).saturating_mul(stage.input.channels)
            }
            _ => 0,
        });
        products.fold(0, usize::saturating_add)
    }

    /// Where each tensor lies in two flat vectors, one of trained numbers and one of statistics; each starts at a multiple
    /// of `alignment`.
    pub(crate) fn places(&self, alignment: usize) -> Result<Places, NetError> {
        let (mut trained, mut statistics) = (0, 0);
        let place = |spec: TensorSpec| {
            let total = if spec.trained { &mut trained } else { &mut statistics };
            let place = *total..*total + spec.len();
            *total = place.end.next_multiple_of(alignment);
            (spec, place)
        };
        let tensors = self.tensors()?.into_iter().map(place).collect();
        Ok(Places { tensors, trained, statistics })
    }

    /// How many trained numbers the network has; 0 for a network that cannot be built.
    pub fn parameters(&self) -> usize {
        self.tensors().map_or(0, |all| all.iter().filter(|t| t.trained).map(TensorSpec::len).sum())
    }

    /// Checks that `weights` hold exactly this network's tensors, by name and shape, with finite numbers.
    pub fn check(&self, weights: &Weights) -> Result<(), NetError> {
        let expected = self.tensors()?;
        if expected.len() != weights.tensors.len() {
            return Err(NetError::Weights(format!(
                "{} tensors are needed, {} are there",
                expected.len(),
                weights.tensors.len()
            )));
        }
        for (want, have) in expected.iter().zip(&weights.tensors) {
            if want.name != have.name || want.shape != have.shape || want.len() != have.data.len() {
                return Err(NetError::Weights(format!(
                    "'{}' of shape {:?} is needed in place of '{}' of shape {:?}",
                    want.name, want.shape, have.name, have.shape
                )));
            }
            if let Some(at) = have.data.iter().position(|x| !x.is_finite()) {
                return Err(NetError::Weights(format!("'{}' holds {} at {at}", have.name, have.data[at])));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_follow_the_layers_and_mismatches_are_named() {
        let network = Network {
            input: Shape { channels: 3, height: 9, width: 8 },
            layers: vec![
                Layer::Conv { outputs: 4, bias: true },
                Layer::MaxPool,
                Layer::Flatten,
                Layer::Dense { outputs: 1, bias: true },
            ],
        };
        let shapes = network.shapes().unwrap();
        assert_eq!(shapes[1], Shape { channels: 4, height: 4, width: 4 });
        assert_eq!(shapes[2].len(), 64);
        assert_eq!(network.parameters(), 4 * 27 + 4 + 64 + 1);
        assert_eq!(network.products(), 4 * 27 * 72 + 64);
        let unflattened = Network { layers: vec![Layer::Dense { outputs: 1, bias: true }], ..network };
        assert!(unflattened.shapes().unwrap_err().to_string().contains("flatten"));
    }
}
