//! What is settled before the first step: the structures that kernels read, the kernels and the convolutions.

use super::choice::passes;
use super::cudnn::{Convolution, Handle};
use super::kernels::{Product, Program};
use super::layout::{Finish, JOBS, Job, Norm, Operand, vector, words};
use super::network::{DeviceNetwork, Direction, SIDES, convolution};
use super::plan::{BLOCK, By, Op, number};
use crate::NetError;
use crate::device::Precision;
use std::ffi::CStr;

const POINTWISE: [&CStr; 20] = [
    c"gather",
    c"gather_changed",
    c"follow",
    c"follow_statistics",
    c"activate_forward",
    c"activate_backward",
    c"pool_forward",
    c"pool_backward",
    c"mean_forward",
    c"mean_backward",
    c"thin_out_forward",
    c"thin_out_backward",
    c"add",
    c"dropout",
    c"score_forward",
    c"score_backward",
    c"score_weights",
    c"optimize",
    c"shrink",
    c"sum_parts",
];

const NORM: [&CStr; 10] = [
    c"norm_statistics",
    c"norm_apply",
    c"norm_apply_add",
    c"norm_apply_pool",
    c"norm_backward_sums",
    c"norm_backward_sums_join",
    c"norm_backward_apply",
    c"norm_backward_sums_pool",
    c"norm_backward_apply_pool",
    c"norm_running",
];

impl DeviceNetwork {
    /// The structures that kernels read: products, norms, and which gradients are bf16.
    pub fn write_tables(&self) -> Result<(), NetError> {
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
            if let Op::Conv { weight, by: By::Cudnn, .. } = &self.plan.ops[i] {
                let blocks = vec![1u8; weight.len().div_ceil(BLOCK)];
                self.memory.write(self.layout.halves + weight.start / BLOCK, &blocks)?;
            }
        }
        Ok(())
    }

    /// The products of an operation on our own kernels.
    pub fn jobs(&self, op: usize) -> Vec<(Direction, Job)> {
        let plain = |p: u64, ld: usize| Operand { p, ld: ld as i32, ..Operand::default() };
        let source = self.plan.sources[op];
        let below = source.map_or(0, |source| number(self.plan.ops[source].folded()));
        let out_below = self.below(op).unwrap_or(0);
        match &self.plan.ops[op] {
            Op::Dense { pixels, inputs, outputs, weight, bias, activation } => {
                let rows = (self.capacity * pixels) as i32;
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
                        kept: if self.kept(op) == self.output(op) { 0 } else { self.kept(op) },
                        ..Finish::default()
                    },
                };
                let back = Finish {
                    out: out_below,
                    below: source.filter(|_| below != 0).map_or(0, |source| self.kept(source)),
                    below_activation: below,
                    ..Finish::default()
                };
                let sums = Finish {
                    sums: self.gradient_of(weight.start),
                    bias_gradient: bias.as_ref().map_or(0, |b| self.gradient_of(b.start)),
                    ..Finish::default()
                };
                vec![
                    (Direction::Forward, forward),
                    (
                        Direction::Backward,
                        Job { a: dz, b: w, m: rows, n: ni, k: no, k_part: no, finish: back },
                    ),
                    (
                        Direction::Weights,
                        Job { a: dz, b: x, m: no, n: ni, k: rows, k_part: rows, finish: sums },
                    ),
                ]
            }
            Op::Conv { input, outputs, weight, by: by @ (By::Thin | By::Product), .. } => {
                let (c, pixels) = (input.channels, self.capacity * input.pixels());
                let image = |p: u64, channels: usize| Operand {
                    p,
                    ld: channels as i32,
                    height: input.height as i32,
                    width: input.width as i32,
                    outer: 0,
                };
                let (m, nine) = (pixels as i32, 9 * c as i32);
                let filters = Operand { outer: *outputs as i32, ..plain(self.working(weight.start), c) };
                let side = self.side_of(op);
                let all = vec![
                    (
                        Direction::Forward,
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
                        Direction::Backward,
                        Job {
                            a: image(self.gradient(op), *outputs),
                            b: filters,
                            m,
                            n: c as i32,
                            k: 9 * *outputs as i32,
                            k_part: 9 * *outputs as i32,
                            finish: Finish { out: out_below, ..Finish::default() },
                        },
                    ),
                    (
                        Direction::Weights,
                        Job {
                            a: plain(self.gradient(op), *outputs),
                            b: image(self.input(op), c),
                            m: *outputs as i32,
                            n: nine,
                            k: m,
                            k_part: part(&self.plan.ops[op], self.capacity, self.processors) as i32,
                            finish: Finish { sums: self.at(self.layout.parts[side]), ..Finish::default() },
                        },
                    ),
                ];
                all.into_iter().filter(|(way, _)| *by == By::Product || *way == Direction::Backward).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The side stream that an operation's weight gradient runs on.
    pub fn side_of(&self, op: usize) -> usize {
        op / 2 % SIDES
    }

    pub fn prepare_kernels(&mut self) -> Result<(), NetError> {
        let precision = self.precision;
        let mut programs = vec![Program::Pointwise(precision)];
        let wides: Vec<bool> = self.plan.norms.iter().map(|&channels| self.wide(channels)).collect();
        programs.extend(wides.iter().map(|&wide| Program::Norm { precision, wide }));
        let mut products = Vec::new();
        for i in 0..self.plan.ops.len() {
            for (way, job) in self.jobs(i) {
                if way == Direction::Backward && self.plan.sources[i].is_none() {
                    continue;
                }
                let dense = matches!(self.plan.ops[i], Op::Dense { .. });
                let four = |n: i32| n % 4 == 0;
                let (product, vectors) = match (dense, way) {
                    (true, Direction::Forward) => (Product::DenseForward, (four(job.a.ld), four(job.b.ld))),
                    (true, Direction::Backward) => (Product::DenseBackward, (four(job.a.ld), four(job.b.ld))),
                    (true, Direction::Weights) => (Product::DenseWeights, (four(job.a.ld), four(job.b.ld))),
                    (false, Direction::Forward) => (Product::ConvForward, (four(job.a.ld), four(job.b.ld))),
                    (false, Direction::Backward) => (Product::ConvBackward, (four(job.a.ld), four(job.b.ld))),
                    (false, Direction::Weights) => (Product::ConvWeights, (four(job.a.ld), four(job.b.ld))),
                };
                let (m, n) = (job.m as usize, job.n as usize);
                let parts = (job.k as usize).div_ceil(job.k_part as usize);
                let large = m.div_ceil(64) * n.div_ceil(64) * parts >= self.processors;
                let side = if large { 64 } else { 32 };
                let general = Program::Product { precision, product, vectors, large };
                let quick = !large && precision == Precision::Bf16 && vectors == (true, true) && n % 2 == 0;
                let program = Program::dense(product).filter(|_| quick).unwrap_or(general);
                programs.push(program);
                products.push(((i, way), program, (m.div_ceil(side), n.div_ceil(side), parts)));
            }
        }
        let thin = |op: &Op| match op {
            Op::Conv { input, by: By::Thin, .. } => Some(input.channels),
            _ => None,
        };
        let thin: Vec<usize> = self.plan.ops.iter().filter_map(thin).collect();
        programs.extend(thin.iter().map(|&channels| Program::Thin { channels }));
        let all = &self.data.0.card.0.programs;
        all.prepare(&programs)?;
        for channels in thin {
            let program = Program::Thin { channels };
            let both = (all.kernel(program, c"thin_forward")?, all.kernel(program, c"thin_weights")?);
            self.kernels.thin.insert(channels, both);
        }
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

    pub fn prepare_convolutions(&mut self) -> Result<(), NetError> {
        let mut wanted = Vec::new();
        for i in 0..self.plan.ops.len() {
            if let Some(c) = convolution(&self.plan.ops[i], self.capacity) {
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
            self.handles.push(Handle::new(&card.0.context)?);
            self.workspaces.push(card.take(room, self.capacity, None)?);
        }
        Ok(())
    }
}

/// Into how many parts the sum over pixels of a convolution's weight gradient is cut on our own kernels, and how many
/// numbers each part has.
pub(crate) fn split(op: &Op, capacity: usize, processors: usize) -> Option<(usize, usize)> {
    let Op::Conv { input, weight, by, .. } = op else { return None };
    let pixels = capacity * input.pixels();
    match by {
        By::Cudnn => None,
        By::Thin => Some((pixels.div_ceil(256).clamp(1, 3 * processors), weight.len())),
        By::Product => {
            let part = part(op, capacity, processors);
            Some((pixels.div_ceil(part), weight.len()))
        }
    }
}

/// Pixels of such a part on the general kernel: whole steps of it.
fn part(op: &Op, capacity: usize, processors: usize) -> usize {
    let Op::Conv { input, outputs, .. } = op else { return 1 };
    let pixels = capacity * input.pixels();
    let tiles = outputs.div_ceil(64) * (9 * input.channels).div_ceil(64);
    let parts = pixels.div_ceil(256).clamp(1, (8 * processors).div_ceil(tiles));
    pixels.div_ceil(parts).next_multiple_of(64)
}
