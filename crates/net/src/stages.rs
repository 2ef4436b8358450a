//! A network's layers taken apart into single steps. A residual block becomes several; everything else is one.
//!
//! Steps run one after the other on the values at hand. A block needs a second place for what came into it, so there is
//! one: [`Step::Keep`] fills it, [`Step::Exchange`] changes it with the values at hand, [`Step::Add`] adds it to them.
//! On the way back the same three steps run with the gradients: `Add` hands its gradient to both, `Exchange` changes
//! them, `Keep` adds the kept one.

use crate::NetError;
use crate::spec::{Activation, Layer, Network, Shape};

/// What is done in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step {
    Dense {
        outputs: usize,
    },
    /// `size` × `size` with zero padding (size - 1) / 2.
    Conv {
        outputs: usize,
        size: usize,
        stride: usize,
    },
    BatchNorm,
    Activate(Activation),
    MaxPool,
    MeanPool,
    Dropout(f32),
    Keep,
    Exchange,
    Add,
}

/// A step with its shapes and the name that its tensors begin with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stage {
    pub step: Step,
    pub name: String,
    /// The layer it belongs to.
    pub layer: usize,
    pub input: Shape,
    pub output: Shape,
    pub bias: bool,
}

impl Network {
    /// The steps of all layers.
    pub(crate) fn stages(&self) -> Result<Vec<Stage>, NetError> {
        let shapes = self.shapes()?;
        let mut stages = Vec::new();
        let mut before = self.input;
        for (layer, (kind, &after)) in self.layers.iter().zip(&shapes).enumerate() {
            let mut block = Block { stages: &mut stages, layer };
            let (dense, conv) =
                (|outputs| Step::Dense { outputs }, |outputs| Step::Conv { outputs, size: 3, stride: 1 });
            match *kind {
                Layer::Dense { outputs, bias } => block.push(dense(outputs), "", before, after, bias),
                Layer::Conv { outputs, bias } => block.push(conv(outputs), "", before, after, bias),
                Layer::BatchNorm => block.push(Step::BatchNorm, "", before, after, true),
                Layer::Activate { activation } => {
                    block.push(Step::Activate(activation), "", before, after, false);
                }
                Layer::MaxPool => block.push(Step::MaxPool, "", before, after, false),
                Layer::MeanPool => block.push(Step::MeanPool, "", before, after, false),
                Layer::Dropout { probability } => {
                    block.push(Step::Dropout(probability), "", before, after, false);
                }
                Layer::Flatten => {}
                Layer::Residual { stride, pre: false, .. } => block.residual(before, after, stride),
                Layer::Residual { stride, pre: true, .. } => block.residual_pre(before, after, stride),
            }
            before = after;
        }
        Ok(stages)
    }
}

/// The steps of one layer under way.
struct Block<'s> {
    stages: &'s mut Vec<Stage>,
    layer: usize,
}

impl Block<'_> {
    fn push(&mut self, step: Step, part: &str, input: Shape, output: Shape, bias: bool) {
        let layer = self.layer;
        let name = if part.is_empty() { layer.to_string() } else { format!("{layer}.{part}") };
        self.stages.push(Stage { step, name, layer, input, output, bias });
    }

    fn conv(&mut self, part: &str, size: usize, stride: usize, input: Shape, output: Shape) {
        let step = Step::Conv { outputs: output.channels, size, stride };
        self.push(step, part, input, output, false);
    }

    fn norm(&mut self, part: &str, shape: Shape) {
        self.push(Step::BatchNorm, part, shape, shape, true);
    }

    fn plain(&mut self, step: Step, shape: Shape) {
        self.push(step, "", shape, shape, false);
    }

    /// y = ReLU(norm(conv(ReLU(norm(conv(x))))) + x), or norm(conv 1×1 (x)) in the place of the last x.
    fn residual(&mut self, before: Shape, after: Shape, stride: usize) {
        let relu = Step::Activate(Activation::Relu);
        self.plain(Step::Keep, before);
        if before != after {
            self.conv("conv3", 1, stride, before, after);
            self.norm("norm3", after);
            self.plain(Step::Exchange, before);
        }
        self.conv("conv1", 3, stride, before, after);
        self.norm("norm1", after);
        self.plain(relu, after);
        self.conv("conv2", 3, 1, after, after);
        self.norm("norm2", after);
        self.plain(Step::Add, after);
        self.plain(relu, after);
    }

    /// y = conv(ReLU(norm(conv(h)))) + x with h = ReLU(norm(x)), or conv 1×1 (h) in the place of the last x.
    fn residual_pre(&mut self, before: Shape, after: Shape, stride: usize) {
        let relu = Step::Activate(Activation::Relu);
        let same = before == after;
        if same {
            self.plain(Step::Keep, before);
        }
        self.norm("norm1", before);
        self.plain(relu, before);
        if !same {
            self.plain(Step::Keep, before);
            self.conv("conv3", 1, stride, before, after);
            self.plain(Step::Exchange, before);
        }
        self.conv("conv1", 3, stride, before, after);
        self.norm("norm2", after);
        self.plain(relu, after);
        self.conv("conv2", 3, 1, after, after);
        self.plain(Step::Add, after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(stride: usize, pre: bool, outputs: usize) -> Network {
        let layers = vec![
            Layer::Residual { outputs, stride, pre },
            Layer::MeanPool,
            Layer::Dense { outputs: 1, bias: true },
        ];
        Network { input: Shape { channels: 16, height: 9, width: 8 }, layers }
    }

    #[test]
    fn a_block_that_changes_its_shape_has_a_third_convolution() {
        let names = |network: &Network| -> Vec<String> {
            let tensors = network.tensors().unwrap();
            tensors.iter().filter(|t| t.trained && !t.norm).map(|t| t.name.clone()).collect()
        };
        for pre in [false, true] {
            let same = block(1, pre, 16);
            assert_eq!(names(&same), ["0.conv1.weight", "0.conv2.weight", "2.weight", "2.bias"]);
            let half = block(2, pre, 32);
            assert_eq!(names(&half)[..3], ["0.conv3.weight", "0.conv1.weight", "0.conv2.weight"]);
            assert_eq!(half.shapes().unwrap()[0], Shape { channels: 32, height: 5, width: 4 });
            // 1×1 from 16, 3×3 from 16, 3×3 from 32 channels at each of 20 places of 32 channels; the score.
            assert_eq!(half.products(), 20 * 32 * (16 + 9 * 16 + 9 * 32) + 32);
        }
        assert!(block(3, false, 16).shapes().unwrap_err().to_string().contains("stride"));
    }
}
