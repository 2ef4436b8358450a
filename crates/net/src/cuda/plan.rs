//! From a network's layers to the operations the card runs, with activations and poolings folded into what comes
//! before them.

use super::choice::suits;
use crate::NetError;
use crate::device::Precision;
use crate::spec::{Activation, Network, Places, Shape, TensorSpec};
use crate::stages::{Stage, Step};
use std::ops::Range;

/// Trained numbers lie in blocks of this many; each tensor starts a new one.
pub(crate) const BLOCK: usize = 1024;

/// The kernels' number of an activation.
pub(crate) fn number(activation: Option<Activation>) -> i32 {
    match activation {
        None => 0,
        Some(Activation::Relu) => 1,
        Some(Activation::Softsign) => 2,
    }
}

/// What runs a convolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// cuDNN: many channels, bf16.
    Cudnn,
    /// Our kernel for one to three input channels, bf16; the gradient of its input, where it is needed, by `Product`.
    Thin,
    /// Our general product: f32, and odd numbers of channels.
    Product,
}

impl By {
    fn choose(precision: Precision, inputs: usize, outputs: usize) -> Self {
        match precision {
            Precision::F32 => By::Product,
            Precision::Bf16 if suits(inputs, outputs) => By::Cudnn,
            Precision::Bf16 if inputs <= 3 && outputs.is_multiple_of(8) => By::Thin,
            Precision::Bf16 => By::Product,
        }
    }
}

/// One operation; ranges are places in the flat vectors of trained numbers and of statistics.
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
    /// The last layer, one output.
    Score {
        inputs: usize,
        weight: Range<usize>,
        bias: Option<Range<usize>>,
    },
    /// Without its bias, which is a separate `Norm`.
    Conv {
        input: Shape,
        outputs: usize,
        /// 3, or 1 where cuDNN runs it.
        size: usize,
        /// 1, or 2 where cuDNN runs it.
        stride: usize,
        weight: Range<usize>,
        by: By,
    },
    /// Batch norm, or only a bias, with what follows it.
    Norm {
        slot: usize,
        input: Shape,
        /// None for a bias alone.
        gamma: Option<Range<usize>>,
        beta: Range<usize>,
        mean: Range<usize>,
        variance: Range<usize>,
        activation: Option<Activation>,
        pool: bool,
        /// The operation whose output is added before the activation.
        add: Option<usize>,
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
    /// Adds the output of an earlier operation.
    Add {
        other: usize,
    },
    Dropout {
        probability: f32,
        layer: usize,
    },
}

impl Op {
    pub fn is_norm(&self) -> bool {
        matches!(self, Op::Norm { .. })
    }

    /// The activation that is folded into a product and has to be undone on the way back.
    pub fn folded(&self) -> Option<Activation> {
        match self {
            Op::Dense { activation, .. } => *activation,
            _ => None,
        }
    }

    /// A word for tables.
    pub fn label(&self) -> String {
        match self {
            Op::Dense { inputs, outputs, .. } => format!("dense {inputs}->{outputs}"),
            Op::Score { inputs, .. } => format!("score {inputs}"),
            Op::Conv { input, outputs, size, stride, .. } => {
                let stride = if *stride > 1 { format!("/{stride}") } else { String::new() };
                let (channels, height, width) = (input.channels, input.height, input.width);
                format!("conv {size}x{size}{stride} {channels}->{outputs} {height}x{width}")
            }
            Op::Norm { input, pool, gamma, add, .. } => format!(
                "{} {} {}x{}{}{}",
                if gamma.is_some() { "norm" } else { "bias" },
                input.channels,
                input.height,
                input.width,
                if *pool { " +pool" } else { "" },
                if add.is_some() { " +add" } else { "" }
            ),
            Op::Activate(_) => "activate".into(),
            Op::Pool(_) => "pool".into(),
            Op::Mean(_) => "mean".into(),
            Op::Thin { .. } => "thin".into(),
            Op::Add { .. } => "add".into(),
            Op::Dropout { .. } => "dropout".into(),
        }
    }
}

/// The operations of a network and the sizes they need.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub input: Shape,
    pub ops: Vec<Op>,
    /// The operation whose output each takes, `None` for the network's input.
    pub sources: Vec<Option<usize>>,
    /// Numbers per row that each operation gives.
    pub sizes: Vec<usize>,
    /// Channels of each `Norm`.
    pub norms: Vec<usize>,
    /// Trained numbers, padding included.
    pub trained: usize,
    pub statistics: usize,
    /// Every tensor with its place in the trained numbers or the statistics.
    pub tensors: Vec<(TensorSpec, Range<usize>)>,
}

impl Plan {
    pub fn new(network: &Network, precision: Precision) -> Result<Self, NetError> {
        let places = network.places(BLOCK)?;
        let place = |stage: &Stage, what: &str| places.of(stage, what);
        // Every tensor asked for below was listed by `tensors()` for the same stage.
        let needed = |stage: &Stage, what: &str| place(stage, what).unwrap_or_default();
        let mut plan = Self {
            input: network.input,
            ops: Vec::new(),
            sources: Vec::new(),
            sizes: Vec::new(),
            norms: Vec::new(),
            trained: 0,
            statistics: 0,
            tensors: Vec::new(),
        };
        let stages = network.stages()?;
        let mut at_hand: Option<usize> = None;
        let mut kept: Option<usize> = None;
        for (index, stage) in stages.iter().enumerate() {
            let (before, after) = (stage.input, stage.output);
            match stage.step {
                Step::Dense { outputs } => {
                    let (inputs, weight, bias) =
                        (before.channels, needed(stage, "weight"), place(stage, "bias"));
                    let op = if index + 1 == stages.len() {
                        Op::Score { inputs, weight, bias }
                    } else {
                        Op::Dense { pixels: 1, inputs, outputs, weight, bias, activation: None }
                    };
                    plan.push(op, after, &mut at_hand);
                }
                Step::Conv { outputs, size, stride } => {
                    let weight = needed(stage, "weight");
                    let by = By::choose(precision, before.channels, outputs);
                    let whole = Shape { channels: outputs, ..before };
                    let conv = |size, stride| {
                        let weight = weight.clone();
                        Op::Conv { input: before, outputs, size, stride, weight, by }
                    };
                    match (by, size, stride) {
                        (By::Cudnn, ..) | (_, 3, 1) => plan.push(conv(size, stride), after, &mut at_hand),
                        // Our own kernels know 3×3 without a stride, and products.
                        (_, 3, _) => {
                            plan.push(conv(3, 1), whole, &mut at_hand);
                            plan.push(Op::Thin { shape: whole, stride }, after, &mut at_hand);
                        }
                        _ => {
                            if stride > 1 {
                                let thinned = Shape { channels: before.channels, ..after };
                                plan.push(Op::Thin { shape: before, stride }, thinned, &mut at_hand);
                            }
                            let (pixels, inputs) = (after.pixels(), before.channels);
                            let (weight, bias, activation) = (weight.clone(), None, None);
                            let op = Op::Dense { pixels, inputs, outputs, weight, bias, activation };
                            plan.push(op, after, &mut at_hand);
                        }
                    }
                    if let Some(bias) = place(stage, "bias") {
                        plan.push_norm(after, None, bias, (0..0, 0..0), &mut at_hand);
                    }
                }
                Step::BatchNorm => {
                    let statistics = (needed(stage, "mean"), needed(stage, "variance"));
                    let (gamma, beta) = (Some(needed(stage, "weight")), needed(stage, "bias"));
                    plan.push_norm(before, gamma, beta, statistics, &mut at_hand);
                }
                Step::Activate(activation) => {
                    if let Some(
                        Op::Dense { activation: folded, .. }
                        | Op::Norm { activation: folded, pool: false, .. },
                    ) = plan.ops.last_mut()
                        && folded.is_none()
                    {
                        *folded = Some(activation);
                        continue;
                    }
                    plan.push(Op::Activate(activation), after, &mut at_hand);
                }
                Step::MaxPool => {
                    if let Some(Op::Norm { activation: Some(Activation::Relu), pool, add: None, .. }) =
                        plan.ops.last_mut()
                        && !*pool
                    {
                        *pool = true;
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
                Step::Keep => kept = at_hand,
                Step::Exchange => std::mem::swap(&mut kept, &mut at_hand),
                Step::Add => {
                    let Some(other) = kept else {
                        return Err(NetError::Architecture(
                            "a network on a GPU cannot begin with a residual block; put a convolution in front".into(),
                        ));
                    };
                    if let Some(Op::Norm { activation: None, pool: false, add: add @ None, .. }) =
                        plan.ops.last_mut()
                    {
                        *add = Some(other);
                        continue;
                    }
                    plan.push(Op::Add { other }, after, &mut at_hand);
                }
            }
        }
        if !matches!(plan.ops.last(), Some(Op::Score { .. })) {
            return Err(NetError::Architecture("a network on a GPU must end with a dense layer".into()));
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

    fn push_norm(
        &mut self,
        input: Shape,
        gamma: Option<Range<usize>>,
        beta: Range<usize>,
        (mean, variance): (Range<usize>, Range<usize>),
        at_hand: &mut Option<usize>,
    ) {
        self.norms.push(input.channels);
        let slot = self.norms.len() - 1;
        let (activation, pool, add) = (None, false, None);
        let norm = Op::Norm { slot, input, gamma, beta, mean, variance, activation, pool, add };
        self.push(norm, input, at_hand);
    }

    /// Who takes the output of an operation: the one that writes its gradient, and a second one in residual networks,
    /// whose gradient comes on top.
    pub fn takers(&self, op: usize) -> Takers {
        let mut takers = Takers::default();
        for (i, taker) in self.ops.iter().enumerate() {
            if self.sources[i] == Some(op) {
                // The later one of two comes first on the way back.
                takers.second = takers.first.map(Taker::Main);
                takers.first = Some(i);
            }
            if let Op::Norm { add: Some(other), .. } | Op::Add { other } = taker
                && *other == op
            {
                takers.second = Some(Taker::Added(i));
            }
        }
        takers
    }
}

/// Who takes the output of an operation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Takers {
    /// The one whose backward pass writes the gradient; none where the output is only added to another.
    pub first: Option<usize>,
    pub second: Option<Taker>,
}

/// The second one that takes an output.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Taker {
    /// As its input: its gradient is stored separately until both are added up.
    Main(usize),
    /// Added to something: its gradient is that of the sum.
    Added(usize),
}
