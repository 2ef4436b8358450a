//! Kernel launches, and the forward pass made of them.

use super::cudnn::Pass;
use super::driver::{Argument, Stream};
use super::layout::{HEAD, JOBS, Job, NORM_THREADS, Norm, TILE, bytes, vector};
use super::network::{DeviceNetwork, Direction, Grid};
use super::plan::{By, Op, number};
use super::tables::split;
use crate::NetError;
use crate::executor::Mode;
use crate::spec::Shape;
use std::ffi::CStr;

/// Marks the end of a kernel, for a profile.
pub(crate) type Mark<'m> = &'m mut dyn FnMut(String) -> Result<(), NetError>;

impl DeviceNetwork {
    pub fn pointwise(
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
    pub fn blocks(&self, count: usize) -> Grid {
        (count.div_ceil(256).clamp(1, 16 * self.processors), 1, 1)
    }

    /// Blocks for a norm kernel over `rows` rows: over rows and over tiles of channels.
    pub fn norm_grid(&self, rows: usize, channels: usize, each_processor: usize) -> Grid {
        let tiles = channels.div_ceil(TILE);
        let vector = if self.wide(channels) { 16 / bytes(self.precision) } else { 1 };
        let lanes = NORM_THREADS / (TILE / vector);
        let most = (each_processor * self.processors / tiles).max(1);
        (rows.div_ceil(lanes).clamp(1, most), tiles, 1)
    }

    pub fn product(&self, op: usize, way: Direction, stream: &Stream) -> Result<(), NetError> {
        let (kernel, grid) = self.kernels.products[&(op, way)];
        let place = self.layout.jobs + (JOBS * op + way as usize) * size_of::<Job>();
        kernel.launch(stream, grid, 128, &mut [self.at(place).into()])
    }

    /// A convolution of few channels: its output, or the parts of its weight gradient.
    pub fn thin(&self, op: usize, way: Direction, stream: &Stream) -> Result<(), NetError> {
        let Op::Conv { input, outputs, weight, .. } = &self.plan.ops[op] else { return Ok(()) };
        let pixels = self.capacity * input.pixels();
        let (forward, weights) = self.kernels.thin[&input.channels];
        let tiles = outputs.div_ceil(64);
        let (kernel, blocks, tensors) = match way {
            Direction::Forward => {
                let blocks = pixels.div_ceil(128).clamp(1, 8 * self.processors);
                (forward, blocks, [self.input(op), self.working(weight.start), self.output(op)])
            }
            _ => {
                let blocks = split(&self.plan.ops[op], self.capacity, self.processors).map_or(1, |s| s.0);
                let parts = self.at(self.layout.parts[self.side_of(op)]);
                (weights, blocks, [self.input(op), self.gradient(op), parts])
            }
        };
        let mut arguments = [
            tensors[0].into(),
            tensors[1].into(),
            tensors[2].into(),
            input.height.into(),
            input.width.into(),
            (*outputs).into(),
            pixels.into(),
        ];
        kernel.launch(stream, (blocks, tiles, 1), 128, &mut arguments)
    }

    pub fn convolve(&self, op: usize, pass: Pass, side: Option<usize>) -> Result<(), NetError> {
        let engine = &self.engines[&op][pass as usize];
        let Op::Conv { weight, .. } = &self.plan.ops[op] else { return Ok(()) };
        let which = side.map_or(0, |side| side + 1);
        let stream = side.map_or(&self.main, |side| &self.sides[side]);
        let half = self.at(self.layout.half_gradient + 2 * weight.start);
        let tensors = match pass {
            Pass::Forward => [self.input(op), self.working(weight.start), self.output(op)],
            Pass::Backward => [self.below(op).unwrap_or(0), self.working(weight.start), self.gradient(op)],
            Pass::Weights => [self.input(op), half, self.gradient(op)],
        };
        engine.run(&self.handles[which], stream, tensors, self.workspaces[which].at)
    }

    pub fn norm_table(&self, slot: usize) -> Argument {
        self.at(self.layout.tables + slot * size_of::<Norm>()).into()
    }

    /// Gather and forward.
    pub fn forward(&self, mode: Mode, mark: Mark) -> Result<(), NetError> {
        let main = &self.main;
        let head = self.head();
        let rows = head + 4 * HEAD as u64;
        self.pointwise(
            c"gather",
            main,
            (self.capacity, 1, 1),
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
        if self.strong > 0 {
            let how = rows + 8 * self.capacity as u64;
            self.pointwise(
                c"gather_changed",
                main,
                (self.strong, 1, 1),
                256,
                &mut [
                    self.data.0.description.at.into(),
                    head.into(),
                    rows.into(),
                    (rows + 4 * self.capacity as u64).into(),
                    how.into(),
                    self.at(self.layout.input).into(),
                ],
            )?;
        }
        mark("forward gather".into())?;
        for (i, op) in self.plan.ops.iter().enumerate() {
            self.forward_op(i, op, mode, mark)?;
        }
        Ok(())
    }

    pub fn forward_op(&self, i: usize, op: &Op, mode: Mode, mark: Mark) -> Result<(), NetError> {
        let (main, head, capacity) = (&self.main, self.head(), self.capacity);
        let (input, output) = (self.input(i), self.output(i));
        let label = |what: &str| format!("forward {i} {} {what}", op.label());
        match op {
            Op::Dense { .. } => self.product(i, Direction::Forward, main)?,
            Op::Conv { by: By::Cudnn, .. } => self.convolve(i, Pass::Forward, None)?,
            Op::Conv { by: By::Thin, .. } => self.thin(i, Direction::Forward, main)?,
            Op::Conv { .. } => self.product(i, Direction::Forward, main)?,
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
            Op::Norm { slot, input: shape, gamma, activation, pool, beta, add, .. } => {
                let (c, pixels) = (shape.channels, shape.pixels());
                let norm = |name: &'static CStr| self.kernels.norm[&(name, self.wide(c))];
                let places = self.layout.norms[*slot];
                let (scale, shift) = match gamma {
                    Some(_) => (self.at(places.vectors), self.at(places.vectors + 4 * vector(c))),
                    None => (0, self.weight(beta.start)),
                };
                let table = self.norm_table(*slot);
                if gamma.is_some() && mode.of_batch() {
                    let grid = self.norm_grid(capacity * pixels, c, 2);
                    let mut arguments = [input.into(), c.into(), pixels.into(), head.into(), table];
                    norm(c"norm_statistics").launch(main, grid, NORM_THREADS, &mut arguments)?;
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
                    let grid = self.norm_grid(cells, c, 4);
                    norm(c"norm_apply_pool").launch(main, grid, NORM_THREADS, &mut arguments)?;
                } else {
                    let mut arguments = vec![
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
                    arguments.extend(add.map(|other| Argument::from(self.output(other))));
                    let (name, each) =
                        if add.is_some() { (c"norm_apply_add", 4) } else { (c"norm_apply", 2) };
                    let grid = self.norm_grid(capacity * pixels, c, each);
                    norm(name).launch(main, grid, NORM_THREADS, &mut arguments)?;
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
            Op::Mean(shape) => {
                let mut arguments = [
                    input.into(),
                    output.into(),
                    shape.channels.into(),
                    shape.pixels().into(),
                    capacity.into(),
                ];
                let grid = self.blocks(capacity * shape.channels);
                self.pointwise(c"mean_forward", main, grid, 256, &mut arguments)?;
            }
            Op::Thin { shape, stride } => {
                self.thinned(c"thin_out_forward", *shape, *stride, input, output, self.plan.sizes[i])?;
            }
            Op::Add { other } => {
                let size = capacity * self.plan.sizes[i];
                let other = self.output(*other);
                let mut arguments = [input.into(), other.into(), output.into(), (size as u64).into()];
                self.pointwise(c"add", main, self.blocks(size), 256, &mut arguments)?;
            }
            Op::Dropout { .. } => self.dropout(i, input, output, mode)?,
        }
        mark(label(if op.is_norm() { "apply" } else { "" }))
    }

    /// Takes every `stride`-th pixel of images of a shape, or gives their gradients back; `size` numbers of an example
    /// are written.
    pub fn thinned(
        &self,
        name: &'static CStr,
        shape: Shape,
        stride: usize,
        from: u64,
        to: u64,
        size: usize,
    ) -> Result<(), NetError> {
        let mut arguments = [
            from.into(),
            to.into(),
            shape.channels.into(),
            shape.height.into(),
            shape.width.into(),
            stride.into(),
            self.capacity.into(),
        ];
        self.pointwise(name, &self.main, self.blocks(self.capacity * size), 256, &mut arguments)
    }

    pub fn dropout(&self, i: usize, from: u64, to: u64, mode: Mode) -> Result<(), NetError> {
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
}
