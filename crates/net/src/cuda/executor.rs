//! A network on a card: its memory, its graphs, and the training loop's view of it.

use super::card::{Card, CardData};
use super::choice::passes;
use super::cudnn::{Convolution, Handle, Pass, Plan as Engine};
use super::driver::{Argument, Buffer, Event, Graph, Kernel, Pinned, Stream};
use super::kernels::{Product, Program};
use super::layout::{Finish, HEAD, JOBS, Job, Layout, Norm, Operand, Sizes, TILE, bytes, vector, words};
use super::plan::{BLOCK, Op, Plan, number};
use crate::NetError;
use crate::device::{Precision, Setting};
use crate::executor::{Batch, Executor, Mode, OptimizerState};
use crate::optimizer::{Clock, Optimizer};
use crate::spec::Network;
use crate::weights::{Tensor, Weights};
use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::Arc;

/// Streams beside the main one, on which gradients of weights are computed while the main one goes on.
const SIDES: usize = 2;

/// Trains and applies a network on an NVIDIA GPU.
pub struct CudaExecutor {
    // Graphs go first, then what they use.
    graphs: Graphs,
    parts: Parts,
    request: Pinned,
    scores: Pinned,
    reply: Pinned,
    clock: Clock,
    optimizer: Optimizer,
    weight_decay: f64,
    /// Rows of the last training pass; none after another kind of pass.
    rows: Option<usize>,
}

#[derive(Default)]
struct Graphs {
    train: Option<Graph>,
    predict: Option<Graph>,
    backward: Option<Graph>,
    step: Option<Graph>,
}

/// Everything on the card that belongs to one network.
struct Parts {
    engines: HashMap<usize, [Arc<Engine>; 3]>,
    kernels: Kernels,
    main: Stream,
    sides: Vec<Stream>,
    events: Vec<Event>,
    handles: Vec<Handle>,
    workspaces: Vec<Buffer>,
    memory: Buffer,
    layout: Layout,
    plan: Plan,
    capacity: usize,
    precision: Precision,
    processors: usize,
    step_kind: (i32, f32),
    data: CardData,
}

/// Kernels by name, and the products of each operation.
struct Kernels {
    pointwise: HashMap<&'static CStr, Kernel>,
    norm: HashMap<(&'static CStr, bool), Kernel>,
    products: HashMap<(usize, Way), (Kernel, Grid)>,
}

type Grid = (usize, usize, usize);

/// The direction of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    Forward = 0,
    Backward = 1,
    Weights = 2,
}

const POINTWISE: [&CStr; 12] = [
    c"gather",
    c"activate_forward",
    c"activate_backward",
    c"pool_forward",
    c"pool_backward",
    c"dropout",
    c"score_forward",
    c"score_backward",
    c"score_weights",
    c"optimize",
    c"shrink",
    c"sum_parts",
];

const NORM: [&CStr; 8] = [
    c"norm_statistics",
    c"norm_apply",
    c"norm_apply_pool",
    c"norm_backward_sums",
    c"norm_backward_apply",
    c"norm_backward_sums_pool",
    c"norm_backward_apply_pool",
    c"norm_running",
];

impl CudaExecutor {
    /// A network with these weights over a data set on a card. `setting.batch` is the most rows of a pass.
    pub fn new(
        data: &CardData,
        network: &Network,
        weights: &Weights,
        setting: &Setting,
    ) -> Result<Self, NetError> {
        network.check(weights)?;
        let card = &data.0.card;
        card.check(setting.precision)?;
        let context = &card.0.context;
        context.enter()?;
        if network.input != data.0.input {
            return Err(NetError::Config(format!(
                "the network takes {}, but the data on the card are {}",
                network.input, data.0.input
            )));
        }
        let plan = Plan::new(network, setting.precision)?;
        let capacity = setting.batch.max(1).next_multiple_of(8);
        let parts = Parts::new(card, data, plan, capacity, setting)?;
        parts.load(weights)?;
        let (request, scores, reply) = (
            Pinned::new(context, HEAD + 2 * capacity)?,
            Pinned::new(context, capacity)?,
            Pinned::new(context, capacity + 4)?,
        );
        Ok(Self {
            graphs: Graphs::default(),
            parts,
            request,
            scores,
            reply,
            clock: Clock::start(),
            optimizer: setting.optimizer,
            weight_decay: setting.weight_decay,
            rows: None,
        })
    }

    /// Time of each kernel of a training step in microseconds, in order, with what it does; the median of `repeats`
    /// steps without graphs and without side streams. For tables.
    pub fn profile(
        &mut self,
        batch: &Batch,
        gradient: &[f32],
        repeats: usize,
    ) -> Result<Vec<(String, f32)>, NetError> {
        self.forward(batch, Mode::Train)?;
        self.backward(gradient)?;
        self.step(0.0)?;
        let parts = &self.parts;
        parts.main.wait()?;
        let context = &parts.data.0.card.0.context;
        let mut times: Vec<Vec<f32>> = Vec::new();
        let mut labels = Vec::new();
        for repeat in 0..repeats {
            let mut events = vec![(String::new(), Event::new(context)?)];
            events[0].1.record(&parts.main)?;
            let mut mark = |label: String| -> Result<(), NetError> {
                let event = Event::new(context)?;
                event.record(&parts.main)?;
                events.push((label, event));
                Ok(())
            };
            parts.forward(Mode::Train, &mut mark)?;
            parts.backward(false, &mut mark)?;
            parts.step(&mut mark)?;
            parts.main.wait()?;
            for (at, pair) in events.windows(2).enumerate() {
                if repeat == 0 {
                    labels.push(pair[1].0.clone());
                    times.push(Vec::new());
                }
                times[at].push(1000.0 * pair[0].1.until(&pair[1].1)?);
            }
        }
        let middle = |mut some: Vec<f32>| {
            some.sort_by(f32::total_cmp);
            some[some.len() / 2]
        };
        Ok(labels.into_iter().zip(times.into_iter().map(middle)).collect())
    }

    /// Every engine of every convolution with its time in milliseconds. For tables.
    pub fn engines(&self) -> Result<Vec<(String, f32)>, NetError> {
        let parts = &self.parts;
        let mut rows = Vec::new();
        let mut seen = Vec::new();
        for i in 0..parts.plan.ops.len() {
            let Some(shape) = parts.convolution(i) else { continue };
            for c in passes(shape) {
                if seen.contains(&c) {
                    continue;
                }
                seen.push(c);
                for (tried, words) in parts.data.0.card.0.choices.table(&c)? {
                    rows.push((
                        format!("{} #{} {words} workspace {}", c.key(), tried.plan.index, tried.plan.workspace),
                        tried.milliseconds,
                    ));
                }
            }
        }
        Ok(rows)
    }
}

/// Marks the end of a kernel, for a profile.
type Mark<'m> = &'m mut dyn FnMut(String) -> Result<(), NetError>;

impl Parts {
    fn new(card: &Card, data: &CardData, plan: Plan, capacity: usize, setting: &Setting) -> Result<Self, NetError> {
        let context = &card.0.context;
        let processors = card.0.processors;
        let precision = setting.precision;
        let sizes = |capacity: usize| Sizes {
            capacity,
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
            let mut batch = capacity / 2;
            while batch > 8 && Layout::new(&plan, &sizes(batch)).total > free / 10 * 9 {
                batch /= 2;
            }
            (Layout::new(&plan, &sizes(batch)).total <= free).then_some(batch).filter(|&batch| batch > 1)
        };
        let memory = match Buffer::new(context, layout.total)? {
            Some(memory) => memory,
            None => return card.take(layout.total, capacity, suggestion()).map(|_| unreachable_memory())?,
        };
        memory.zero()?;
        let mut this = Self {
            engines: HashMap::new(),
            kernels: Kernels { pointwise: HashMap::new(), norm: HashMap::new(), products: HashMap::new() },
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
            precision,
            processors,
            step_kind: match setting.optimizer {
                Optimizer::Nadam | Optimizer::Adam => (0, 0.0),
                Optimizer::Sgd { momentum } => (1, momentum),
            },
            data: data.clone(),
            plan,
        };
        this.write_tables()?;
        this.prepare_kernels()?;
        this.prepare_convolutions()?;
        Ok(this)
    }

    fn at(&self, place: usize) -> u64 {
        self.memory.at + place as u64
    }

    fn weight(&self, index: usize) -> u64 {
        self.at(self.layout.weights + 4 * index)
    }

    fn working(&self, index: usize) -> u64 {
        self.at(self.layout.working + bytes(self.precision) * index)
    }

    fn gradient_of(&self, index: usize) -> u64 {
        self.at(self.layout.gradient + 4 * index)
    }

    fn input(&self, op: usize) -> u64 {
        self.at(if op == 0 { self.layout.input } else { self.layout.values[op - 1] })
    }

    fn output(&self, op: usize) -> u64 {
        self.at(self.layout.values[op])
    }

    fn gradient(&self, op: usize) -> u64 {
        self.at(self.layout.gradients[op])
    }

    fn head(&self) -> u64 {
        self.at(self.layout.request)
    }

    /// Whether the channels of a norm can be read 16 bytes at a time.
    fn wide(&self, channels: usize) -> bool {
        channels.is_multiple_of(16 / bytes(self.precision))
    }

    /// The shape of a convolution that cuDNN runs.
    fn convolution(&self, op: usize) -> Option<Convolution> {
        match self.plan.ops[op] {
            Op::Conv { input, outputs, cudnn: true, .. } => Some(Convolution {
                pass: Pass::Forward,
                batch: self.capacity,
                height: input.height,
                width: input.width,
                inputs: input.channels,
                outputs,
            }),
            _ => None,
        }
    }

    /// Puts the weights on the card.
    fn load(&self, weights: &Weights) -> Result<(), NetError> {
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

    /// The structures that kernels read: products, norms, and which gradients are bf16.
    fn write_tables(&self) -> Result<(), NetError> {
        for i in 0..self.plan.ops.len() {
            for (way, job) in self.jobs(i) {
                let place = self.layout.jobs + (JOBS * i + way as usize) * size_of::<Job>();
                self.memory.write(place, &words(&job))?;
            }
            if let Op::Norm { slot, input, gamma, beta, mean, variance, .. } = &self.plan.ops[i] {
                let places = self.layout.norms[*slot];
                let vectors = |n: usize| self.at(places.vectors + 4 * n * vector(input.channels));
                let statistic = |place: usize| self.at(self.layout.statistics + 4 * place);
                let scale = gamma.as_ref().unwrap_or(beta).start;
                let norm = Norm {
                    gamma: self.weight(scale),
                    beta: self.weight(beta.start),
                    running_mean: statistic(mean.start),
                    running_variance: statistic(variance.start),
                    scale: vectors(0),
                    shift: vectors(1),
                    mean: vectors(2),
                    inverse: vectors(3),
                    gamma_gradient: self.gradient_of(scale),
                    beta_gradient: self.gradient_of(beta.start),
                    of_gradient: vectors(4),
                    of_input: vectors(5),
                    constant: vectors(6),
                    parts: self.at(places.parts),
                    counter: self.at(places.counter),
                };
                self.memory.write(self.layout.tables + slot * size_of::<Norm>(), &words(&norm))?;
            }
            if let Op::Conv { weight, cudnn: true, .. } = &self.plan.ops[i] {
                let blocks = vec![1u8; weight.len().div_ceil(BLOCK)];
                self.memory.write(self.layout.halves + weight.start / BLOCK, &blocks)?;
            }
        }
        Ok(())
    }

    /// The products of an operation on our own kernels.
    fn jobs(&self, op: usize) -> Vec<(Way, Job)> {
        let plain = |p: u64, ld: usize| Operand { p, ld: ld as i32, ..Operand::default() };
        let below = match op.checked_sub(1).map(|below| &self.plan.ops[below]) {
            Some(below) => number(below.folded()),
            None => 0,
        };
        let rows = self.capacity as i32;
        match &self.plan.ops[op] {
            Op::Dense { inputs, outputs, weight, bias, activation } => {
                let (ni, no) = (*inputs as i32, *outputs as i32);
                let x = plain(self.input(op), *inputs);
                let w = plain(self.working(weight.start), *inputs);
                let dz = plain(self.gradient(op), *outputs);
                let forward = Job {
                    a: x,
                    b: w,
                    m: rows,
                    n: no,
                    k: ni,
                    k_part: ni,
                    finish: Finish {
                        out: self.output(op),
                        bias: bias.as_ref().map_or(0, |b| self.weight(b.start)),
                        activation: number(*activation),
                        ..Finish::default()
                    },
                };
                let back = Finish {
                    out: if op > 0 { self.gradient(op - 1) } else { 0 },
                    below: if below != 0 { self.input(op) } else { 0 },
                    below_activation: below,
                    ..Finish::default()
                };
                let sums = Finish {
                    sums: self.gradient_of(weight.start),
                    bias_gradient: bias.as_ref().map_or(0, |b| self.gradient_of(b.start)),
                    ..Finish::default()
                };
                vec![
                    (Way::Forward, forward),
                    (Way::Backward, Job { a: dz, b: w, m: rows, n: ni, k: no, k_part: no, finish: back }),
                    (Way::Weights, Job { a: dz, b: x, m: no, n: ni, k: rows, k_part: rows, finish: sums }),
                ]
            }
            Op::Conv { input, outputs, weight, cudnn: false } => {
                let (c, pixels) = (input.channels, self.capacity * input.pixels());
                let image = |p: u64, channels: usize| Operand {
                    p,
                    ld: channels as i32,
                    height: input.height as i32,
                    width: input.width as i32,
                    outer: 0,
                };
                let (m, nine) = (pixels as i32, 9 * c as i32);
                let filters = Operand {
                    outer: *outputs as i32,
                    ..plain(self.working(weight.start), c)
                };
                let (parts, _) =
                    split(&self.plan.ops[op], self.capacity, self.processors).unwrap_or((1, 0));
                let side = self.side_of(op);
                vec![
                    (
                        Way::Forward,
                        Job {
                            a: image(self.input(op), c),
                            b: plain(self.working(weight.start), 9 * c),
                            m,
                            n: *outputs as i32,
                            k: nine,
                            k_part: nine,
                            finish: Finish { out: self.output(op), ..Finish::default() },
                        },
                    ),
                    (
                        Way::Backward,
                        Job {
                            a: image(self.gradient(op), *outputs),
                            b: filters,
                            m,
                            n: c as i32,
                            k: 9 * *outputs as i32,
                            k_part: 9 * *outputs as i32,
                            finish: Finish {
                                out: if op > 0 { self.gradient(op - 1) } else { 0 },
                                ..Finish::default()
                            },
                        },
                    ),
                    (
                        Way::Weights,
                        Job {
                            a: plain(self.gradient(op), *outputs),
                            b: image(self.input(op), c),
                            m: *outputs as i32,
                            n: nine,
                            k: m,
                            k_part: (pixels.div_ceil(parts)).next_multiple_of(64) as i32,
                            finish: Finish { sums: self.at(self.layout.parts[side]), ..Finish::default() },
                        },
                    ),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// The side stream that an operation's weight gradient runs on.
    fn side_of(&self, op: usize) -> usize {
        op / 2 % SIDES
    }

    fn prepare_kernels(&mut self) -> Result<(), NetError> {
        let precision = self.precision;
        let mut programs = vec![Program::Pointwise(precision)];
        let wides: Vec<bool> = self.plan.norms.iter().map(|&channels| self.wide(channels)).collect();
        programs.extend(wides.iter().map(|&wide| Program::Norm { precision, wide }));
        let mut products = Vec::new();
        for i in 0..self.plan.ops.len() {
            for (way, job) in self.jobs(i) {
                if way == Way::Backward && i == 0 {
                    continue;
                }
                let dense = matches!(self.plan.ops[i], Op::Dense { .. });
                let four = |n: i32| n % 4 == 0;
                let (product, vectors) = match (dense, way) {
                    (true, Way::Forward) => (Product::DenseForward, (four(job.a.ld), four(job.b.ld))),
                    (true, Way::Backward) => (Product::DenseBackward, (four(job.a.ld), four(job.b.ld))),
                    (true, Way::Weights) => (Product::DenseWeights, (four(job.a.ld), four(job.b.ld))),
                    (false, Way::Forward) => (Product::ConvForward, (four(job.a.ld), four(job.b.ld))),
                    (false, Way::Backward) => (Product::ConvBackward, (four(job.a.ld), four(job.b.ld))),
                    (false, Way::Weights) => (Product::ConvWeights, (four(job.a.ld), four(job.b.ld))),
                };
                let (m, n) = (job.m as usize, job.n as usize);
                let parts = (job.k as usize).div_ceil(job.k_part as usize);
                let large = m.div_ceil(64) * n.div_ceil(64) * parts >= self.processors;
                let side = if large { 64 } else { 32 };
                let program = Program::Product { precision, product, vectors, large };
                programs.push(program);
                products.push(((i, way), program, (m.div_ceil(side), n.div_ceil(side), parts)));
            }
        }
        let all = &self.data.0.card.0.programs;
        all.prepare(&programs)?;
        for name in POINTWISE {
            self.kernels.pointwise.insert(name, all.kernel(Program::Pointwise(precision), name)?);
        }
        for wide in wides {
            for name in NORM {
                let kernel = all.kernel(Program::Norm { precision, wide }, name)?;
                self.kernels.norm.insert((name, wide), kernel);
            }
        }
        for (which, program, grid) in products {
            self.kernels.products.insert(which, (all.kernel(program, c"multiply_tiles")?, grid));
        }
        Ok(())
    }

    fn prepare_convolutions(&mut self) -> Result<(), NetError> {
        let mut wanted = Vec::new();
        for i in 0..self.plan.ops.len() {
            if let Some(c) = self.convolution(i) {
                wanted.push((i, passes(c)));
            }
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let card = self.data.0.card.clone();
        let all: Vec<Convolution> = wanted.iter().flat_map(|(_, three)| *three).collect();
        let plans = card.0.choices.plans(&all)?;
        for ((op, _), three) in wanted.iter().zip(plans.chunks_exact(3)) {
            self.engines.insert(*op, [three[0].clone(), three[1].clone(), three[2].clone()]);
        }
        let room = plans.iter().map(|plan| plan.workspace).max().unwrap_or(0);
        for _ in 0..1 + SIDES {
            self.handles.push(Handle::new()?);
            self.workspaces.push(card.take(room, self.capacity, None)?);
        }
        Ok(())
    }

    fn pointwise(
        &self,
        name: &'static CStr,
        stream: &Stream,
        grid: Grid,
        threads: usize,
        arguments: &mut [Argument],
    ) -> Result<(), NetError> {
        self.kernels.pointwise[name].launch(stream, grid, threads, arguments)
    }

    /// Blocks for a kernel that strides over `count` numbers.
    fn blocks(&self, count: usize) -> Grid {
        (count.div_ceil(256).clamp(1, 16 * self.processors), 1, 1)
    }

    /// Blocks for a norm kernel over `rows` rows: over rows and over tiles of channels.
    fn norm_grid(&self, rows: usize, channels: usize, each_processor: usize) -> Grid {
        let tiles = channels.div_ceil(TILE);
        let lanes = if self.wide(channels) { 4 * 16 / bytes(self.precision) } else { 4 };
        let most = (each_processor * self.processors / tiles).max(1);
        (rows.div_ceil(lanes).clamp(1, most), tiles, 1)
    }

    fn product(&self, op: usize, way: Way, stream: &Stream) -> Result<(), NetError> {
        let (kernel, grid) = self.kernels.products[&(op, way)];
        let place = self.layout.jobs + (JOBS * op + way as usize) * size_of::<Job>();
        kernel.launch(stream, grid, 128, &mut [self.at(place).into()])
    }

    fn convolve(&self, op: usize, pass: Pass, side: Option<usize>) -> Result<(), NetError> {
        let engine = &self.engines[&op][pass as usize];
        let Op::Conv { weight, .. } = &self.plan.ops[op] else { return Ok(()) };
        let which = side.map_or(0, |side| side + 1);
        let stream = side.map_or(&self.main, |side| &self.sides[side]);
        let half = self.at(self.layout.half_gradient + 2 * weight.start);
        let tensors = match pass {
            Pass::Forward => [self.input(op), self.working(weight.start), self.output(op)],
            Pass::Backward => [self.gradient(op - 1), self.working(weight.start), self.gradient(op)],
            Pass::Weights => [self.input(op), half, self.gradient(op)],
        };
        engine.run(&self.handles[which], stream, tensors, self.workspaces[which].at)
    }

    fn norm_table(&self, slot: usize) -> Argument {
        self.at(self.layout.tables + slot * size_of::<Norm>()).into()
    }

    /// Gather and forward.
    fn forward(&self, mode: Mode, mark: Mark) -> Result<(), NetError> {
        let main = &self.main;
        let head = self.head();
        let rows = head + 4 * HEAD as u64;
        let grid = self.blocks(self.capacity * self.plan.input.len());
        self.pointwise(
            c"gather",
            main,
            grid,
            256,
            &mut [
                self.data.0.description.at.into(),
                head.into(),
                rows.into(),
                (rows + 4 * self.capacity as u64).into(),
                self.capacity.into(),
                self.at(self.layout.input).into(),
            ],
        )?;
        mark("forward gather".into())?;
        for (i, op) in self.plan.ops.iter().enumerate() {
            self.forward_op(i, op, mode, mark)?;
        }
        Ok(())
    }

    fn forward_op(&self, i: usize, op: &Op, mode: Mode, mark: Mark) -> Result<(), NetError> {
        let (main, head, capacity) = (&self.main, self.head(), self.capacity);
        let (input, output) = (self.input(i), self.output(i));
        let label = |what: &str| format!("forward {i} {} {what}", op.label());
        match op {
            Op::Dense { .. } => self.product(i, Way::Forward, main)?,
            Op::Conv { cudnn: true, .. } => self.convolve(i, Pass::Forward, None)?,
            Op::Conv { .. } => self.product(i, Way::Forward, main)?,
            Op::Score { inputs, weight, bias } => {
                let bias = bias.as_ref().map_or(0, |b| self.weight(b.start));
                self.pointwise(
                    c"score_forward",
                    main,
                    (capacity.div_ceil(8), 1, 1),
                    256,
                    &mut [
                        input.into(),
                        self.weight(weight.start).into(),
                        bias.into(),
                        (*inputs).into(),
                        capacity.into(),
                        self.at(self.layout.scores).into(),
                    ],
                )?;
            }
            Op::Norm { slot, input: shape, gamma, activation, pool, beta, .. } => {
                let (c, pixels) = (shape.channels, shape.pixels());
                let norm = |name: &'static CStr| self.kernels.norm[&(name, self.wide(c))];
                let places = self.layout.norms[*slot];
                let (scale, shift) = match gamma {
                    Some(_) => (self.at(places.vectors), self.at(places.vectors + 4 * vector(c))),
                    None => (0, self.weight(beta.start)),
                };
                let table = self.norm_table(*slot);
                if gamma.is_some() && mode == Mode::Train {
                    let grid = self.norm_grid(capacity * pixels, c, 2);
                    let mut arguments = [input.into(), c.into(), pixels.into(), head.into(), table];
                    norm(c"norm_statistics").launch(main, grid, 256, &mut arguments)?;
                    mark(label("statistics"))?;
                } else if gamma.is_some() {
                    let grid = (c.div_ceil(256), 1, 1);
                    norm(c"norm_running").launch(main, grid, 256, &mut [c.into(), table])?;
                }
                if *pool {
                    let cells = capacity * (shape.height / 2) * (shape.width / 2);
                    let mut arguments = [
                        input.into(),
                        output.into(),
                        c.into(),
                        shape.height.into(),
                        shape.width.into(),
                        capacity.into(),
                        head.into(),
                        scale.into(),
                        shift.into(),
                    ];
                    let grid = self.norm_grid(cells, c, 8);
                    norm(c"norm_apply_pool").launch(main, grid, 256, &mut arguments)?;
                } else {
                    let mut arguments = [
                        input.into(),
                        output.into(),
                        c.into(),
                        pixels.into(),
                        capacity.into(),
                        head.into(),
                        scale.into(),
                        shift.into(),
                        number(*activation).into(),
                    ];
                    let grid = self.norm_grid(capacity * pixels, c, 8);
                    norm(c"norm_apply").launch(main, grid, 256, &mut arguments)?;
                }
            }
            Op::Activate(activation) => {
                let size = capacity * self.plan.sizes[i];
                let kind = number(Some(*activation));
                let mut arguments = [input.into(), output.into(), (size as u64).into(), kind.into()];
                self.pointwise(c"activate_forward", main, self.blocks(size), 256, &mut arguments)?;
            }
            Op::Pool(shape) => {
                let mut arguments = [
                    input.into(),
                    output.into(),
                    shape.channels.into(),
                    shape.height.into(),
                    shape.width.into(),
                    capacity.into(),
                ];
                let grid = self.blocks(capacity * self.plan.sizes[i]);
                self.pointwise(c"pool_forward", main, grid, 256, &mut arguments)?;
            }
            Op::Dropout { .. } => self.dropout(i, input, output, mode)?,
        }
        mark(label(if op.is_norm() { "apply" } else { "" }))
    }

    fn dropout(&self, i: usize, from: u64, to: u64, mode: Mode) -> Result<(), NetError> {
        let Op::Dropout { probability, layer } = self.plan.ops[i] else { return Ok(()) };
        let size = self.plan.sizes[i];
        let limit = (f64::from(probability) * (1u64 << 32) as f64) as u64;
        let key = (layer as u64 + 1).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let mut arguments = [
            from.into(),
            to.into(),
            size.into(),
            self.capacity.into(),
            self.head().into(),
            key.into(),
            limit.into(),
            (1.0 / (1.0 - probability)).into(),
            i32::from(mode == Mode::Train).into(),
        ];
        let grid = self.blocks(self.capacity * size);
        self.pointwise(c"dropout", &self.main, grid, 256, &mut arguments)
    }

    /// From the gradient of the scores to the gradient of all weights. With `aside`, those of products run on side
    /// streams.
    fn backward(&self, aside: bool, mark: Mark) -> Result<(), NetError> {
        let mut events = self.events.iter();
        let mut event = || events.next().ok_or_else(|| NetError::Device("too few events were made".into()));
        for (i, op) in self.plan.ops.iter().enumerate().rev() {
            let side = aside.then(|| self.side_of(i));
            // What follows on a side stream waits for the gradient that is there now.
            if let (Some(side), true) = (side, matches!(op, Op::Dense { .. } | Op::Conv { .. } | Op::Score { .. }))
            {
                let ready = event()?;
                ready.record(&self.main)?;
                self.sides[side].after(ready)?;
            }
            self.backward_op(i, op, side, mark)?;
        }
        if aside {
            for side in &self.sides {
                let done = event()?;
                // A side stream that had no work is not part of the recording and must not be joined.
                if self.side_works(side) {
                    done.record(side)?;
                    self.main.after(done)?;
                }
            }
        }
        Ok(())
    }

    fn side_works(&self, side: &Stream) -> bool {
        self.plan.ops.iter().enumerate().any(|(i, op)| {
            matches!(op, Op::Dense { .. } | Op::Conv { .. } | Op::Score { .. })
                && std::ptr::eq(&self.sides[self.side_of(i)], side)
        })
    }

    fn backward_op(&self, i: usize, op: &Op, side: Option<usize>, mark: Mark) -> Result<(), NetError> {
        let (main, head, capacity) = (&self.main, self.head(), self.capacity);
        let stream = side.map_or(main, |side| &self.sides[side]);
        let (input, gradient) = (self.input(i), self.gradient(i));
        let label = |what: &str| format!("backward {i} {} {what}", op.label());
        let below = i.checked_sub(1).map(|below| self.gradient(below));
        match op {
            Op::Dense { .. } => {
                self.product(i, Way::Weights, stream)?;
                mark(label("weights"))?;
                if below.is_some() {
                    self.product(i, Way::Backward, main)?;
                    mark(label("data"))?;
                }
            }
            Op::Score { inputs, weight, bias } => {
                let reply = self.at(self.layout.reply);
                let bias = bias.as_ref().map_or(0, |b| self.gradient_of(b.start));
                self.pointwise(
                    c"score_weights",
                    stream,
                    ((inputs + 1).div_ceil(32), 1, 1),
                    1024,
                    &mut [
                        input.into(),
                        reply.into(),
                        (*inputs).into(),
                        head.into(),
                        self.gradient_of(weight.start).into(),
                        bias.into(),
                    ],
                )?;
                mark(label("weights"))?;
                if let Some(below) = below {
                    let folded = number(self.plan.ops[i - 1].folded());
                    let mut arguments = [
                        input.into(),
                        self.weight(weight.start).into(),
                        reply.into(),
                        (*inputs).into(),
                        capacity.into(),
                        folded.into(),
                        below.into(),
                    ];
                    let grid = self.blocks(capacity * inputs);
                    self.pointwise(c"score_backward", main, grid, 256, &mut arguments)?;
                    mark(label("data"))?;
                }
            }
            Op::Conv { cudnn: true, .. } => {
                self.convolve(i, Pass::Weights, side)?;
                mark(label("weights"))?;
                if below.is_some() {
                    self.convolve(i, Pass::Backward, None)?;
                    mark(label("data"))?;
                }
            }
            Op::Conv { weight, .. } => {
                self.product(i, Way::Weights, stream)?;
                mark(label("weights"))?;
                let (parts, size) = split(op, capacity, self.processors).unwrap_or((1, weight.len()));
                let grid = (size.div_ceil(256), 1, 1);
                let mut arguments = [
                    self.at(self.layout.parts[self.side_of(i)]).into(),
                    self.kernels.products[&(i, Way::Weights)].1.2.min(parts).into(),
                    size.into(),
                    self.gradient_of(weight.start).into(),
                ];
                self.pointwise(c"sum_parts", stream, grid, 256, &mut arguments)?;
                mark(label("weights, sum"))?;
                if below.is_some() {
                    self.product(i, Way::Backward, main)?;
                    mark(label("data"))?;
                }
            }
            Op::Norm { slot, input: shape, gamma, activation, pool, .. } => {
                self.backward_norm(i, *slot, *shape, gamma.is_none(), number(*activation), *pool, mark)?;
            }
            Op::Activate(activation) => {
                if let Some(below) = below {
                    let size = capacity * self.plan.sizes[i];
                    let kind = number(Some(*activation));
                    let mut arguments = [
                        self.output(i).into(),
                        gradient.into(),
                        below.into(),
                        (size as u64).into(),
                        kind.into(),
                    ];
                    self.pointwise(c"activate_backward", main, self.blocks(size), 256, &mut arguments)?;
                }
                self.unfold(i)?;
            }
            Op::Pool(shape) => {
                if let Some(below) = below {
                    let mut arguments = [
                        input.into(),
                        gradient.into(),
                        below.into(),
                        shape.channels.into(),
                        shape.height.into(),
                        shape.width.into(),
                        capacity.into(),
                    ];
                    let grid = self.blocks(capacity * shape.len());
                    self.pointwise(c"pool_backward", main, grid, 256, &mut arguments)?;
                }
                self.unfold(i)?;
            }
            Op::Dropout { .. } => {
                if let Some(below) = below {
                    self.dropout(i, gradient, below, Mode::Train)?;
                }
                self.unfold(i)?;
            }
        }
        Ok(())
    }

    /// Takes the gradient back through the activation folded into the product before operation `i`, where that
    /// operation is none that does so itself.
    fn unfold(&self, i: usize) -> Result<(), NetError> {
        let Some(below) = i.checked_sub(1) else { return Ok(()) };
        let kind = number(self.plan.ops[below].folded());
        if kind == 0 {
            return Ok(());
        }
        let size = self.capacity * self.plan.sizes[below];
        let place = self.gradient(below);
        let mut arguments =
            [self.output(below).into(), place.into(), place.into(), (size as u64).into(), kind.into()];
        self.pointwise(c"activate_backward", &self.main, self.blocks(size), 256, &mut arguments)
    }

    #[allow(clippy::too_many_arguments)]
    fn backward_norm(
        &self,
        i: usize,
        slot: usize,
        shape: crate::Shape,
        bias_only: bool,
        kind: i32,
        pool: bool,
        mark: Mark,
    ) -> Result<(), NetError> {
        let (main, head, capacity) = (&self.main, self.head(), self.capacity);
        let (c, pixels) = (shape.channels, shape.pixels());
        let norm = |name: &'static CStr| self.kernels.norm[&(name, self.wide(c))];
        let (input, gradient, table) = (self.input(i), self.gradient(i), self.norm_table(slot));
        let bias_only: Argument = i32::from(bias_only).into();
        let label = |what: &str| format!("backward {i} {} {what}", self.plan.ops[i].label());
        if pool {
            let cells = capacity * (shape.height / 2) * (shape.width / 2);
            let mut arguments = [
                input.into(),
                gradient.into(),
                c.into(),
                shape.height.into(),
                shape.width.into(),
                head.into(),
                table,
                bias_only,
            ];
            let grid = self.norm_grid(cells, c, 2);
            norm(c"norm_backward_sums_pool").launch(main, grid, 256, &mut arguments)?;
            mark(label("sums"))?;
            let all = capacity * shape.height.div_ceil(2) * shape.width.div_ceil(2);
            let mut arguments = [
                input.into(),
                gradient.into(),
                c.into(),
                shape.height.into(),
                shape.width.into(),
                capacity.into(),
                head.into(),
                table,
                bias_only,
            ];
            let grid = self.norm_grid(all, c, 8);
            norm(c"norm_backward_apply_pool").launch(main, grid, 256, &mut arguments)?;
        } else {
            let kind: Argument = kind.into();
            let mut arguments = [
                input.into(),
                gradient.into(),
                c.into(),
                pixels.into(),
                head.into(),
                table,
                kind,
                bias_only,
            ];
            let grid = self.norm_grid(capacity * pixels, c, 2);
            norm(c"norm_backward_sums").launch(main, grid, 256, &mut arguments)?;
            mark(label("sums"))?;
            let mut arguments = [
                input.into(),
                gradient.into(),
                c.into(),
                pixels.into(),
                capacity.into(),
                head.into(),
                table,
                kind,
                bias_only,
            ];
            let grid = self.norm_grid(capacity * pixels, c, 8);
            norm(c"norm_backward_apply").launch(main, grid, 256, &mut arguments)?;
        }
        mark(label("apply"))?;
        // In place: the gradient of the input lies where the input was, before the activation of what made it.
        self.unfold(i)
    }

    fn step(&self, mark: Mark) -> Result<(), NetError> {
        let step = self.at(self.layout.reply + 4 * self.capacity);
        let (kind, momentum) = self.step_kind;
        self.pointwise(
            c"optimize",
            &self.main,
            (self.plan.trained / BLOCK, 1, 1),
            256,
            &mut [
                self.weight(0).into(),
                self.working(0).into(),
                self.gradient_of(0).into(),
                self.at(self.layout.half_gradient).into(),
                self.at(self.layout.halves).into(),
                self.at(self.layout.first).into(),
                self.at(self.layout.second).into(),
                step.into(),
                kind.into(),
                momentum.into(),
            ],
        )?;
        mark("step".into())
    }

    /// Flat f32 numbers on the card, by tensor, without the padding.
    fn trained(&self, place: usize) -> Result<Vec<f32>, NetError> {
        let mut all = Vec::new();
        for (_, range) in self.plan.tensors.iter().filter(|(spec, _)| spec.trained) {
            let mut some = vec![0.0; range.len()];
            self.memory.read(place + 4 * range.start, &mut some)?;
            all.extend(some);
        }
        Ok(all)
    }

    fn write_trained(&self, place: usize, values: &[f32]) -> Result<(), NetError> {
        let mut rest = values;
        for (_, range) in self.plan.tensors.iter().filter(|(spec, _)| spec.trained) {
            let (some, others) = rest.split_at(range.len());
            self.memory.write(place + 4 * range.start, some)?;
            rest = others;
        }
        Ok(())
    }

    fn trained_len(&self) -> usize {
        self.plan.tensors.iter().filter(|(spec, _)| spec.trained).map(|(_, range)| range.len()).sum()
    }
}

/// Into how many parts the sum over pixels of a convolution's weight gradient is cut on our own kernel, and how many
/// numbers each part has.
fn split(op: &Op, capacity: usize, processors: usize) -> Option<(usize, usize)> {
    let Op::Conv { input, outputs, weight, cudnn: false } = op else { return None };
    let pixels = capacity * input.pixels();
    let tiles = outputs.div_ceil(64) * (9 * input.channels).div_ceil(64);
    let most = (8 * processors).div_ceil(tiles);
    let parts = pixels.div_ceil(256).clamp(1, most);
    // Whole steps of the kernel; the last parts may then be empty.
    let part = pixels.div_ceil(parts).next_multiple_of(64);
    Some((pixels.div_ceil(part), weight.len()))
}

fn unreachable_memory() -> Result<Parts, NetError> {
    Err(NetError::Device("the GPU's memory came and went; try again".into()))
}

impl Executor for CudaExecutor {
    fn forward(&mut self, batch: &Batch, mode: Mode) -> Result<&[f32], NetError> {
        let parts = &self.parts;
        batch.check(parts.data.0.rows, parts.plan.input)?;
        let (n, capacity) = (batch.rows.len(), parts.capacity);
        if n > capacity {
            return Err(NetError::Config(format!(
                "a batch of {n} rows was given to a network that was set up for {capacity}"
            )));
        }
        parts.data.0.card.0.context.enter()?;
        let request = self.request.words();
        request[0] = n as u32;
        request[1] = u32::from(!batch.draws.is_empty());
        request[2] = batch.dropout_key as u32;
        request[3] = (batch.dropout_key >> 32) as u32;
        request[HEAD..HEAD + n].copy_from_slice(batch.rows);
        for (to, draw) in request[HEAD + capacity..].iter_mut().zip(batch.draws) {
            *to = u32::from_le_bytes([draw.down as u8, draw.right as u8, draw.mirror, 0]);
        }
        let graph = match mode {
            Mode::Train => &mut self.graphs.train,
            Mode::Predict => &mut self.graphs.predict,
        };
        let graph = match graph {
            Some(graph) => graph,
            none => none.insert(parts.main.capture(|| {
                parts.main.send(parts.head(), self.request.pointer(), 4 * (HEAD + 2 * capacity))?;
                parts.forward(mode, &mut |_| Ok(()))?;
                parts.main.fetch(self.scores.pointer(), parts.at(parts.layout.scores), 4 * capacity)
            })?),
        };
        graph.launch(&parts.main)?;
        parts.main.wait()?;
        self.rows = (mode == Mode::Train).then_some(n);
        Ok(&self.scores.floats()[..n])
    }

    fn backward(&mut self, gradient: &[f32]) -> Result<(), NetError> {
        let Some(n) = self.rows else {
            return Err(NetError::Config("a backward pass needs a training pass before it".into()));
        };
        assert_eq!(gradient.len(), n, "one gradient for each score of the last pass");
        let parts = &self.parts;
        parts.data.0.card.0.context.enter()?;
        let reply = self.reply.floats();
        reply[..n].copy_from_slice(gradient);
        reply[n..parts.capacity].fill(0.0);
        let graph = match &mut self.graphs.backward {
            Some(graph) => graph,
            none => none.insert(parts.main.capture(|| {
                parts.main.send(parts.at(parts.layout.reply), self.reply.pointer(), 4 * parts.capacity)?;
                parts.backward(true, &mut |_| Ok(()))
            })?),
        };
        graph.launch(&parts.main)
    }

    fn step(&mut self, learning_rate: f64) -> Result<(), NetError> {
        let parts = &self.parts;
        parts.data.0.card.0.context.enter()?;
        let step = self.clock.tick(self.optimizer, learning_rate, self.weight_decay);
        let capacity = parts.capacity;
        self.reply.floats()[capacity..capacity + 4].copy_from_slice(&step.coefficients());
        let graph = match &mut self.graphs.step {
            Some(graph) => graph,
            none => none.insert(parts.main.capture(|| {
                // SAFETY of the address: the coefficients follow the gradient in the same pinned memory.
                let from = self.reply.pointer().wrapping_byte_add(4 * capacity);
                parts.main.send(parts.at(parts.layout.reply + 4 * capacity), from, 16)?;
                parts.step(&mut |_| Ok(()))
            })?),
        };
        graph.launch(&parts.main)
    }

    fn rows_at_once(&self) -> usize {
        self.parts.capacity
    }

    fn weights(&mut self) -> Result<Weights, NetError> {
        let parts = &self.parts;
        parts.data.0.card.0.context.enter()?;
        parts.main.wait()?;
        let tensors = parts.plan.tensors.iter().map(|(spec, place)| {
            let start = if spec.trained { parts.layout.weights } else { parts.layout.statistics };
            let mut data = vec![0.0; place.len()];
            parts.memory.read(start + 4 * place.start, &mut data)?;
            Ok(Tensor { name: spec.name.clone(), shape: spec.shape.clone(), data })
        });
        Ok(Weights { tensors: tensors.collect::<Result<_, NetError>>()? })
    }

    fn gradients(&mut self) -> Result<Vec<(String, Vec<f32>)>, NetError> {
        let parts = &self.parts;
        parts.data.0.card.0.context.enter()?;
        parts.main.wait()?;
        let half = |place: usize| {
            parts.plan.ops.iter().any(|op| match op {
                Op::Conv { weight, cudnn: true, .. } => weight.start == place,
                _ => false,
            })
        };
        let trained = parts.plan.tensors.iter().filter(|(spec, _)| spec.trained);
        trained
            .map(|(spec, place)| {
                let mut data = vec![0.0f32; place.len()];
                if half(place.start) {
                    let mut small = vec![0u16; place.len()];
                    parts.memory.read(parts.layout.half_gradient + 2 * place.start, &mut small)?;
                    for (to, from) in data.iter_mut().zip(small) {
                        *to = f32::from_bits(u32::from(from) << 16);
                    }
                } else {
                    parts.memory.read(parts.layout.gradient + 4 * place.start, &mut data)?;
                }
                Ok((spec.name.clone(), data))
            })
            .collect()
    }

    fn optimizer_state(&mut self) -> Result<OptimizerState, NetError> {
        let parts = &self.parts;
        parts.data.0.card.0.context.enter()?;
        parts.main.wait()?;
        let (first, second) = match self.clock.step {
            0 => (Vec::new(), Vec::new()),
            _ => (parts.trained(parts.layout.first)?, parts.trained(parts.layout.second)?),
        };
        Ok(OptimizerState { clock: self.clock.clone(), first, second })
    }

    fn restore(&mut self, state: OptimizerState) -> Result<bool, NetError> {
        let parts = &self.parts;
        parts.data.0.card.0.context.enter()?;
        parts.main.wait()?;
        let fits = |v: &[f32]| v.is_empty() || v.len() == parts.trained_len();
        if !fits(&state.first) || !fits(&state.second) {
            return Ok(false);
        }
        for (place, values) in [(parts.layout.first, &state.first), (parts.layout.second, &state.second)] {
            if !values.is_empty() {
                parts.write_trained(place, values)?;
            }
        }
        self.clock = state.clock;
        Ok(true)
    }

    fn steps(&self) -> u64 {
        self.clock.step
    }
}
