//! From a network's layers to the operations the card runs, with activations and poolings folded into what comes
//! before them.

use super::choice::suits;
use crate::NetError;
use crate::device::Precision;
use crate::spec::{Activation, Layer, Network, Places, Shape, TensorSpec};
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
    /// Without its bias, which is a `Norm` of its own.
    Conv {
        input: Shape,
        outputs: usize,
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
    },
    Activate(Activation),
    Pool(Shape),
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
            Op::Conv { input, outputs, .. } => {
                format!("conv {}->{outputs} {}x{}", input.channels, input.height, input.width)
            }
            Op::Norm { input, pool, gamma, .. } => format!(
                "{} {} {}x{}{}",
                if gamma.is_some() { "norm" } else { "bias" },
                input.channels,
                input.height,
                input.width,
                if *pool { " +pool" } else { "" }
            ),
            Op::Activate(_) => "activate".into(),
            Op::Pool(_) => "pool".into(),
            Op::Dropout { .. } => "dropout".into(),
        }
    }
}

/// The operations of a network and the sizes they need.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub input: Shape,
    pub ops: Vec<Op>,
    /// Numbers a row that each operation gives.
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
        let shapes = network.shapes()?;
        let places = network.places(BLOCK)?;
        let place = |layer: usize, what: &str| places.of(layer, what);
        // Every tensor asked for below was listed by `tensors()` for the same layer.
        let needed = |layer: usize, what: &str| place(layer, what).unwrap_or_default();
        let (mut ops, mut sizes, mut norms): (Vec<Op>, Vec<usize>, Vec<usize>) = Default::default();
        let mut before = network.input;
        for (index, (layer, &after)) in network.layers.iter().zip(&shapes).enumerate() {
            let mut norm = |input: Shape, gamma: Option<Range<usize>>, beta: Range<usize>| {
                norms.push(input.channels);
                Op::Norm {
                    slot: norms.len() - 1,
                    input,
                    mean: if gamma.is_some() { needed(index, "mean") } else { 0..0 },
                    variance: if gamma.is_some() { needed(index, "variance") } else { 0..0 },
                    gamma,
                    beta,
                    activation: None,
                    pool: false,
                }
            };
            match *layer {
                Layer::Dense { outputs, .. } => {
                    let (inputs, weight, bias) =
                        (before.channels, needed(index, "weight"), place(index, "bias"));
                    ops.push(match index + 1 == network.layers.len() {
                        true => Op::Score { inputs, weight, bias },
                        false => Op::Dense { inputs, outputs, weight, bias, activation: None },
                    });
                }
                Layer::Conv { outputs, .. } => {
                    let weight = needed(index, "weight");
                    let by = By::choose(precision, before.channels, outputs);
                    ops.push(Op::Conv { input: before, outputs, weight, by });
                    if let Some(bias) = place(index, "bias") {
                        sizes.push(after.len());
                        ops.push(norm(after, None, bias));
                    }
                }
                Layer::BatchNorm => {
                    ops.push(norm(before, Some(needed(index, "weight")), needed(index, "bias")));
                }
                Layer::Activate { activation } => {
                    if let Some(
                        Op::Dense { activation: folded, .. }
                        | Op::Norm { activation: folded, pool: false, .. },
                    ) = ops.last_mut()
                        && folded.is_none()
                    {
                        *folded = Some(activation);
                        continue;
                    }
                    ops.push(Op::Activate(activation));
                }
                Layer::MaxPool => {
                    if let Some(Op::Norm { activation: Some(Activation::Relu), pool, .. }) = ops.last_mut()
                        && !*pool
                    {
                        *pool = true;
                        if let Some(size) = sizes.last_mut() {
                            *size = after.len();
                        }
                        before = after;
                        continue;
                    }
                    ops.push(Op::Pool(before));
                }
                Layer::Dropout { probability } => ops.push(Op::Dropout { probability, layer: index }),
                Layer::Flatten => {
                    before = after;
                    continue;
                }
            }
            sizes.push(after.len());
            before = after;
        }
        if !matches!(ops.last(), Some(Op::Score { .. })) {
            return Err(NetError::Architecture("a network on a GPU must end with a dense layer".into()));
        }
        let Places { tensors, trained, statistics } = places;
        Ok(Self { input: network.input, ops, sizes, norms, trained, statistics, tensors })
    }
}
