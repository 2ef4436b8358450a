//! Everything on the card that belongs to one network: its memory, streams, kernels and convolutions.

use super::card::{Card, CardData};
use super::choice::passes;
use super::cudnn::{Convolution, Handle, Pass, Plan as Engine};
use super::driver::{Buffer, Event, Kernel, Stream};
use super::layout::{Layout, Sizes, bytes};
use super::plan::{BLOCK, By, Op, Plan, Taker};
use super::tables::split;
use crate::NetError;
use crate::device::Precision;
use crate::engine::ExecutorConfig;
use crate::optimizer::Optimizer;
use crate::spec::Shape;
use crate::weights::Weights;
use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::Arc;

/// Streams next to the main one, which compute gradients of weights while the main one continues.
pub(crate) const SIDES: usize = 2;
/// Everything on the card that belongs to one network.
pub(crate) struct DeviceNetwork {
    pub engines: HashMap<usize, [Arc<Engine>; 3]>,
    pub kernels: Kernels,
    pub main: Stream,
    pub sides: Vec<Stream>,
    pub events: Vec<Event>,
    pub handles: Vec<Handle>,
    pub workspaces: Vec<Buffer>,
    pub memory: Buffer,
    pub layout: Layout,
    pub plan: Plan,
    pub capacity: usize,
    /// Most strong views or mixed rows of a batch.
    pub strong: usize,
    pub precision: Precision,
    pub processors: usize,
    pub step_kind: (i32, f32),
    pub data: CardData,
}

/// Kernels by name, and the products of each operation.
#[derive(Default)]
pub(crate) struct Kernels {
    pub pointwise: HashMap<&'static CStr, Kernel>,
    pub norm: HashMap<(&'static CStr, bool), Kernel>,
    pub products: HashMap<(usize, Direction), (Kernel, Grid)>,
    /// Forward and weights, by the number of channels.
    pub thin: HashMap<usize, (Kernel, Kernel)>,
}

pub(crate) type Grid = (usize, usize, usize);

/// The direction of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    Forward = 0,
    Backward = 1,
    Weights = 2,
}

impl DeviceNetwork {
    pub fn new(
        card: &Card,
        data: &CardData,
        plan: Plan,
        capacity: usize,
        setting: &ExecutorConfig,
    ) -> Result<Self, NetError> {
        let context = &card.0.context;
        let processors = card.0.processors;
        let precision = setting.precision;
        let sizes = |capacity: usize| Sizes {
            capacity,
            strong: setting.strong,
            precision,
            norm_blocks: 2 * processors,
            parts: plan
                .ops
                .iter()
                .map(|op| split(op, capacity, processors).map_or(0, |(parts, size)| parts * size))
                .max()
                .unwrap_or(0),
            sides: SIDES,
        };
        let layout = Layout::new(&plan, &sizes(capacity));
        let suggestion = || {
            let free = context.free().unwrap_or(0) as usize;
            let mut batch = (capacity / 2).next_multiple_of(8);
            while batch > 8 && Layout::new(&plan, &sizes(batch)).total > free / 10 * 9 {
                batch = (batch / 2).next_multiple_of(8);
            }
            (batch < capacity && Layout::new(&plan, &sizes(batch)).total <= free / 10 * 9).then_some(batch)
        };
        if layout.total as u64 > context.free()? {
            return Err(card.full(layout.total, capacity, suggestion())?);
        }
        let pixels = plan.ops.iter().map(|op| match op {
            Op::Conv { input, .. } => capacity * input.pixels(),
            Op::Dense { pixels, .. } => capacity * pixels,
            _ => capacity,
        });
        if let Some(pixels) = pixels.max().filter(|&pixels| i32::try_from(pixels).is_err()) {
            return Err(NetError::Config(format!(
                "a batch of {capacity} has {pixels} pixels in a layer, more than a kernel can count; use a smaller one"
            )));
        }
        // Engines are timed while there is still room to do so.
        let convolutions: Vec<Convolution> =
            plan.ops.iter().filter_map(|op| convolution(op, capacity)).flat_map(passes).collect();
        if !convolutions.is_empty() {
            card.0.choices.plans(&convolutions)?;
        }
        let memory = match Buffer::new(context, layout.total)? {
            Some(memory) => memory,
            None => return Err(card.full(layout.total, capacity, suggestion())?),
        };
        memory.zero()?;
        let mut this = Self {
            engines: HashMap::new(),
            kernels: Kernels::default(),
            main: Stream::new(context)?,
            sides: (0..SIDES).map(|_| Stream::new(context)).collect::<Result<_, _>>()?,
            events: (0..2 * plan.ops.len() + 2 * SIDES + 2)
                .map(|_| Event::new(context))
                .collect::<Result<_, _>>()?,
            handles: Vec::new(),
            workspaces: Vec::new(),
            memory,
            layout,
            capacity,
            strong: setting.strong,
            precision,
            processors,
            step_kind: match setting.optimizer {
                Optimizer::Sgd { momentum } => (1, momentum),
                _ => (0, 0.0),
            },
            data: data.clone(),
            plan,
        };
        this.write_tables()?;
        this.prepare_kernels()?;
        this.prepare_convolutions()?;
        Ok(this)
    }

    pub fn at(&self, place: usize) -> u64 {
        self.memory.at + place as u64
    }

    pub fn weight(&self, index: usize) -> u64 {
        self.at(self.layout.weights + 4 * index)
    }

    pub fn working(&self, index: usize) -> u64 {
        self.at(self.layout.working + bytes(self.precision) * index)
    }

    pub fn gradient_of(&self, index: usize) -> u64 {
        self.at(self.layout.gradient + 4 * index)
    }

    pub fn input(&self, op: usize) -> u64 {
        self.at(self.plan.sources[op].map_or(self.layout.input, |source| self.layout.values[source]))
    }

    pub fn output(&self, op: usize) -> u64 {
        self.at(self.layout.values[op])
    }

    /// Where the slope of an operation's folded activation is taken.
    pub fn kept(&self, op: usize) -> u64 {
        self.at(self.layout.kept[op])
    }

    pub fn gradient(&self, op: usize) -> u64 {
        self.at(self.layout.gradients[op])
    }

    /// What is added to the gradient of an operation's output.
    pub fn second(&self, op: usize) -> Option<u64> {
        self.layout.seconds[op].map(|place| self.at(place))
    }

    /// Where the backward pass of an operation writes the gradient of its input; nowhere for the network's input.
    pub fn below(&self, op: usize) -> Option<u64> {
        let source = self.plan.sources[op]?;
        match self.plan.takers(source).second {
            Some(Taker::Main(taker)) if taker == op => self.second(source),
            _ => Some(self.gradient(source)),
        }
    }

    pub fn head(&self) -> u64 {
        self.at(self.layout.request)
    }

    /// Whether the channels of a norm can be read 16 bytes at a time.
    pub fn wide(&self, channels: usize) -> bool {
        channels.is_multiple_of(16 / bytes(self.precision))
    }

    /// Puts the weights on the card.
    pub fn load(&self, weights: &Weights) -> Result<(), NetError> {
        for ((spec, place), tensor) in self.plan.tensors.iter().zip(&weights.tensors) {
            let start = if spec.trained { self.layout.weights } else { self.layout.statistics };
            self.memory.write(start + 4 * place.start, &tensor.data)?;
        }
        if self.precision == Precision::Bf16 && self.plan.trained > 0 {
            let grid = (self.plan.trained / BLOCK, 1, 1);
            let mut arguments = [self.weight(0).into(), self.working(0).into()];
            self.kernels.pointwise[c"shrink"].launch(&self.main, grid, 256, &mut arguments)?;
        }
        self.main.wait()
    }

    /// Flat f32 numbers on the card, by tensor, without the padding.
    pub fn trained(&self, place: usize) -> Result<Vec<f32>, NetError> {
        let mut all = Vec::new();
        for (_, range) in self.plan.tensors.iter().filter(|(spec, _)| spec.trained) {
            let mut some = vec![0.0; range.len()];
            self.memory.read(place + 4 * range.start, &mut some)?;
            all.extend(some);
        }
        Ok(all)
    }

    pub fn write_trained(&self, place: usize, values: &[f32]) -> Result<(), NetError> {
        let mut rest = values;
        for (_, range) in self.plan.tensors.iter().filter(|(spec, _)| spec.trained) {
            let (some, others) = rest.split_at(range.len());
            self.memory.write(place + 4 * range.start, some)?;
            rest = others;
        }
        Ok(())
    }

    pub fn trained_len(&self) -> usize {
        self.plan.tensors.iter().filter(|(spec, _)| spec.trained).map(|(_, range)| range.len()).sum()
    }
}

/// The shape of a convolution that cuDNN runs.
pub(crate) fn convolution(op: &Op, capacity: usize) -> Option<Convolution> {
    let Op::Conv { input, outputs, size, stride, by: By::Cudnn, .. } = *op else { return None };
    let Shape { channels, height, width } = input;
    let (pass, batch) = (Pass::Forward, capacity);
    Some(Convolution { pass, batch, height, width, inputs: channels, outputs, size, stride })
}
