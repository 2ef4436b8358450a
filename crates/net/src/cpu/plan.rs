//! From a network's layers to the operations the CPU runs, with activations folded into what comes before them.

use super::conv::Conv;
use super::norm_pool;
use crate::NetError;
use crate::spec::{Activation, Network, Places, Shape, TensorSpec};
use crate::stages::{Stage, Step};
use std::ops::Range;

/// One operation; ranges are places in the flat vectors of trained numbers, statistics and prepared weights.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Dense {
        /// Rows of an example: 1, or its pixels where this is a 1×1 convolution.
        pixels: usize,
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
    /// The mean over the pixels of this shape.
    Mean(Shape),
    /// Every `stride`-th pixel of this shape.
    Thin {
        shape: Shape,
        stride: usize,
    },
    Dropout {
        probability: f32,
        layer: usize,
    },
    /// Backward, adds the gradient kept by `Add`; see [`crate::stages`].
    Keep,
    /// Backward, changes the gradient kept with the one at hand.
    Exchange,
    /// Adds the output of an earlier operation, `None` for the network's input.
    Add {
        other: Option<usize>,
        activation: Option<Activation>,
    },
}

impl Op {
    /// Where a following activation can be folded in.
    fn activation_place(&mut self) -> Option<&mut Option<Activation>> {
        match self {
            Op::Dense { activation, .. }
            | Op::Conv { activation, .. }
            | Op::Add { activation, .. }
            | Op::Norm { activation, pool: None, .. } => Some(activation).filter(|a| a.is_none()),
            _ => None,
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
    /// The operation whose output each takes, `None` for the network's input.
    pub sources: Vec<Option<usize>>,
    /// Numbers per row that each operation gives.
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
        let places = network.places(1)?;
        let place = |stage: &Stage, what: &str| places.of(stage, what);
        // Every tensor asked for below was listed by `tensors()` for the same stage.
        let needed = |stage: &Stage, what: &str| place(stage, what).unwrap_or_default();
        let mut plan = Self {
            products: network.products(),
            shape: network.input,
            input: network.input.len(),
            ops: Vec::new(),
            sources: Vec::new(),
            sizes: Vec::new(),
            norms: Vec::new(),
            trained: 0,
            statistics: 0,
            prepared: 0,
            tensors: Vec::new(),
        };
        let mut at_hand: Option<usize> = None;
        let mut kept: Option<usize> = None;
        for stage in &network.stages()? {
            let (before, after) = (stage.input, stage.output);
            match stage.step {
                Step::Dense { outputs } => {
                    let (inputs, weight, bias) =
                        (before.channels, needed(stage, "weight"), place(stage, "bias"));
                    let op = Op::Dense { pixels: 1, inputs, outputs, weight, bias, activation: None };
                    plan.push(op, after, &mut at_hand);
                }
                // A 1×1 convolution is a dense layer at every pixel.
                Step::Conv { outputs, size: 1, stride } => {
                    if stride > 1 {
                        let thinned = Shape { channels: before.channels, ..after };
                        plan.push(Op::Thin { shape: before, stride }, thinned, &mut at_hand);
                    }
                    let op = Op::Dense {
                        pixels: after.pixels(),
                        inputs: before.channels,
                        outputs,
                        weight: needed(stage, "weight"),
                        bias: place(stage, "bias"),
                        activation: None,
                    };
                    plan.push(op, after, &mut at_hand);
                }
                // With a stride, every pixel is computed and some are taken: Winograd's algorithm saves what that costs.
                Step::Conv { outputs, stride, .. } => {
                    let conv = Conv::new(before, outputs);
                    let range = plan.prepared..plan.prepared + conv.prepared_len();
                    plan.prepared = range.end;
                    let (weight, bias) = (needed(stage, "weight"), place(stage, "bias"));
                    let op = Op::Conv { conv, weight, bias, prepared: range, activation: None };
                    let whole = Shape { channels: outputs, ..before };
                    plan.push(op, whole, &mut at_hand);
                    if stride > 1 {
                        plan.push(Op::Thin { shape: whole, stride }, after, &mut at_hand);
                    }
                }
                Step::BatchNorm => {
                    plan.norms.push(before.channels);
                    let op = Op::Norm {
                        slot: plan.norms.len() - 1,
                        pixels: before.pixels(),
                        gamma: needed(stage, "weight"),
                        beta: needed(stage, "bias"),
                        mean: needed(stage, "mean"),
                        variance: needed(stage, "variance"),
                        activation: None,
                        pool: None,
                    };
                    plan.push(op, after, &mut at_hand);
                }
                Step::Activate(activation) => match plan.ops.last_mut().and_then(Op::activation_place) {
                    Some(place) => *place = Some(activation),
                    None => plan.push(Op::Activate(activation), after, &mut at_hand),
                },
                Step::MaxPool => {
                    if let Some(Op::Norm { activation: Some(Activation::Relu), pool, .. }) =
                        plan.ops.last_mut()
                        && pool.is_none()
                        && norm_pool::applies(before)
                    {
                        *pool = Some(before);
                        if let Some(size) = plan.sizes.last_mut() {
                            *size = after.len();
                        }
                        continue;
                    }
                    plan.push(Op::Pool(before), after, &mut at_hand);
                }
                Step::MeanPool => plan.push(Op::Mean(before), after, &mut at_hand),
                Step::Dropout(probability) => {
                    plan.push(Op::Dropout { probability, layer: stage.layer }, after, &mut at_hand);
                }
                Step::Keep => {
                    kept = at_hand;
                    plan.push(Op::Keep, after, &mut at_hand.clone());
                }
                Step::Exchange => {
                    std::mem::swap(&mut kept, &mut at_hand);
                    plan.push(Op::Exchange, after, &mut at_hand.clone());
                }
                Step::Add => {
                    let op = Op::Add { other: kept, activation: None };
                    plan.push(op, after, &mut at_hand);
                }
            }
        }
        if plan.ops.is_empty() {
            return Err(NetError::Architecture("a network needs at least one layer that computes".into()));
        }
        Places { tensors: plan.tensors, trained: plan.trained, statistics: plan.statistics } = places;
        Ok(plan)
    }

    /// Adds an operation on the values at hand, which become its output.
    fn push(&mut self, op: Op, output: Shape, at_hand: &mut Option<usize>) {
        self.sources.push(*at_hand);
        self.sizes.push(output.len());
        self.ops.push(op);
        *at_hand = Some(self.ops.len() - 1);
    }

    /// Numbers per row that an operation takes.
    pub fn before(&self, op: usize) -> usize {
        self.sources[op].map_or(self.input, |source| self.sizes[source])
    }
}
