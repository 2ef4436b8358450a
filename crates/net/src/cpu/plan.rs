//! From a network's layers to the operations the CPU runs, with activations folded into what comes before them.

use super::conv::Conv;
use super::norm_pool;
use crate::NetError;
use crate::spec::{Activation, Layer, Network, Places, Shape, TensorSpec};
use std::ops::Range;

/// One operation; ranges are places in the flat vectors of trained numbers, statistics and prepared weights.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Dense {
        inputs: usize,
        outputs: usize,
        weight: Range<usize>,
        bias: Option<Range<usize>>,
        activation: Option<Activation>,
    },
    Conv {
        conv: Conv,
        weight: Range<usize>,
        bias: Option<Range<usize>>,
        prepared: Range<usize>,
        activation: Option<Activation>,
    },
    Norm {
        /// Which of the network's batch norms.
        slot: usize,
        pixels: usize,
        gamma: Range<usize>,
        beta: Range<usize>,
        mean: Range<usize>,
        variance: Range<usize>,
        activation: Option<Activation>,
        /// The input's shape, where ReLU and a pooling are folded in.
        pool: Option<Shape>,
    },
    Activate(Activation),
    Pool(Shape),
    Dropout {
        probability: f32,
        layer: usize,
    },
}

impl Op {
    /// Where a following activation can be folded in.
    fn activation_place(&mut self) -> Option<&mut Option<Activation>> {
        match self {
            Op::Dense { activation, .. }
            | Op::Conv { activation, .. }
            | Op::Norm { activation, pool: None, .. } => Some(activation).filter(|a| a.is_none()),
            Op::Norm { .. } | Op::Activate(_) | Op::Pool(_) | Op::Dropout { .. } => None,
        }
    }
}

/// The operations of a network and the sizes they need.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub shape: Shape,
    /// Numbers of a row.
    pub input: usize,
    pub ops: Vec<Op>,
    /// Numbers a row that each operation gives.
    pub sizes: Vec<usize>,
    /// Channels of each batch norm.
    pub norms: Vec<usize>,
    pub trained: usize,
    pub statistics: usize,
    pub prepared: usize,
    /// Multiply-adds of a forward pass, a row.
    pub products: usize,
    /// Every tensor with its place in the trained numbers or the statistics.
    pub tensors: Vec<(TensorSpec, Range<usize>)>,
}

impl Plan {
    pub fn new(network: &Network) -> Result<Self, NetError> {
        let shapes = network.shapes()?;
        let places = network.places(1)?;
        let place = |layer: usize, what: &str| places.of(layer, what);
        // Every tensor asked for below was listed by `tensors()` for the same layer.
        let needed = |layer: usize, what: &str| place(layer, what).unwrap_or_default();
        let (mut ops, mut sizes, mut norms): (Vec<Op>, Vec<usize>, Vec<usize>) = Default::default();
        let mut prepared = 0;
        let mut before = network.input;
        for (index, (layer, &after)) in network.layers.iter().zip(&shapes).enumerate() {
            let op = match *layer {
                Layer::Dense { outputs, .. } => Op::Dense {
                    inputs: before.channels,
                    outputs,
                    weight: needed(index, "weight"),
                    bias: place(index, "bias"),
                    activation: None,
                },
                Layer::Conv { outputs, .. } => {
                    let conv = Conv::new(before, outputs);
                    let range = prepared..prepared + conv.prepared_len();
                    prepared = range.end;
                    let (weight, bias) = (needed(index, "weight"), place(index, "bias"));
                    Op::Conv { conv, weight, bias, prepared: range, activation: None }
                }
                Layer::BatchNorm => {
                    norms.push(before.channels);
                    Op::Norm {
                        slot: norms.len() - 1,
                        pixels: before.pixels(),
                        gamma: needed(index, "weight"),
                        beta: needed(index, "bias"),
                        mean: needed(index, "mean"),
                        variance: needed(index, "variance"),
                        activation: None,
                        pool: None,
                    }
                }
                Layer::Activate { activation } => {
                    let place = ops.last_mut().and_then(Op::activation_place);
                    if let Some(place) = place {
                        *place = Some(activation);
                        continue;
                    }
                    Op::Activate(activation)
                }
                Layer::MaxPool => {
                    if let Some(Op::Norm { activation: Some(Activation::Relu), pool, .. }) = ops.last_mut()
                        && pool.is_none()
                        && norm_pool::applies(before)
                    {
                        *pool = Some(before);
                        if let Some(size) = sizes.last_mut() {
                            *size = after.len();
                        }
                        before = after;
                        continue;
                    }
                    Op::Pool(before)
                }
                Layer::Dropout { probability } => Op::Dropout { probability, layer: index },
                Layer::Flatten => {
                    before = after;
                    continue;
                }
            };
            ops.push(op);
            sizes.push(after.len());
            before = after;
        }
        if ops.is_empty() {
            return Err(NetError::Architecture("a network needs at least one layer that computes".into()));
        }
        let Places { tensors, trained, statistics } = places;
        Ok(Self {
            products: network.products(),
            shape: network.input,
            input: network.input.len(),
            ops,
            sizes,
            norms,
            trained,
            statistics,
            prepared,
            tensors,
        })
    }
}
