//! The backward pass and the optimizer's step.

use super::cudnn::Pass;
use super::driver::{Argument, Stream};
use super::forward::Mark;
use super::layout::NORM_THREADS;
use super::network::{DeviceNetwork, Direction};
use super::plan::{BLOCK, By, Op, number};
use super::tables::split;
use crate::NetError;
use crate::executor::Mode;
use crate::spec::{Activation, Shape};
use std::ffi::CStr;

impl DeviceNetwork {
    /// From the gradient of the scores to the gradient of all weights. With `aside`, those of products run on side
    /// streams.
    pub fn backward(&self, aside: bool, mark: Mark) -> Result<(), NetError> {
        let mut events = self.events.iter();
        let mut event = || events.next().ok_or_else(|| NetError::Device("too few events were made".into()));
        for (i, op) in self.plan.ops.iter().enumerate().rev() {
            let side = aside.then(|| self.side_of(i));
            // What follows on a side stream waits for the gradient that is there now.
            if let (Some(side), true) =
                (side, matches!(op, Op::Dense { .. } | Op::Conv { .. } | Op::Score { .. }))
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

    pub fn side_works(&self, side: &Stream) -> bool {
        self.plan.ops.iter().enumerate().any(|(i, op)| {
            matches!(op, Op::Dense { .. } | Op::Conv { .. } | Op::Score { .. })
                && std::ptr::eq(&self.sides[self.side_of(i)], side)
        })
    }

    pub fn backward_op(&self, i: usize, op: &Op, side: Option<usize>, mark: Mark) -> Result<(), NetError> {
        let (main, head, capacity) = (&self.main, self.head(), self.capacity);
        let stream = side.map_or(main, |side| &self.sides[side]);
        let (input, gradient) = (self.input(i), self.gradient(i));
        let label = |what: &str| format!("backward {i} {} {what}", op.label());
        let below = self.below(i);
        let source = self.plan.sources[i];
        // A norm adds up what reaches its output from two sides while it takes its sums.
        let joins = op.is_norm() && self.joins(i);
        if let Some(second) = self.second(i).filter(|_| !joins) {
            let size = capacity * self.plan.sizes[i];
            let mut arguments = [gradient.into(), second.into(), gradient.into(), (size as u64).into()];
            self.pointwise(c"add", main, self.blocks(size), 256, &mut arguments)?;
            mark(label("join"))?;
        }
        match op {
            Op::Dense { .. } => {
                self.product(i, Direction::Weights, stream)?;
                mark(label("weights"))?;
                if below.is_some() {
                    self.product(i, Direction::Backward, main)?;
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
                if let (Some(below), Some(source)) = (below, source) {
                    let folded = number(self.plan.ops[source].folded());
                    let mut arguments = [
                        self.kept(source).into(),
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
            Op::Conv { by: By::Cudnn, .. } => {
                self.convolve(i, Pass::Weights, side)?;
                mark(label("weights"))?;
                if below.is_some() {
                    self.convolve(i, Pass::Backward, None)?;
                    mark(label("data"))?;
                    self.unfold(i)?;
                }
            }
            Op::Conv { weight, by, .. } => {
                match by {
                    By::Thin => self.thin(i, Direction::Weights, stream)?,
                    _ => self.product(i, Direction::Weights, stream)?,
                }
                mark(label("weights"))?;
                let (parts, size) = split(op, capacity, self.processors).unwrap_or((1, weight.len()));
                let grid = (size.div_ceil(32), 1, 1);
                let mut arguments = [
                    self.at(self.layout.parts[self.side_of(i)]).into(),
                    parts.into(),
                    size.into(),
                    self.gradient_of(weight.start).into(),
                ];
                self.pointwise(c"sum_parts", stream, grid, 256, &mut arguments)?;
                mark(label("weights, sum"))?;
                if below.is_some() {
                    self.product(i, Direction::Backward, main)?;
                    mark(label("data"))?;
                    self.unfold(i)?;
                }
            }
            Op::Norm { slot, input: shape, gamma, activation, pool, .. } => {
                self.backward_norm(i, *slot, *shape, gamma.is_none(), number(*activation), *pool, mark)?;
            }
            Op::Activate(activation) => {
                if let Some(below) = below {
                    let size = capacity * self.plan.sizes[i];
                    let kind = number(Some(*activation));
                    let mut arguments =
                        [input.into(), gradient.into(), below.into(), (size as u64).into(), kind.into()];
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
            Op::Mean(shape) => {
                if let Some(below) = below {
                    let (channels, pixels) = (shape.channels, shape.pixels());
                    let mut arguments =
                        [gradient.into(), below.into(), channels.into(), pixels.into(), capacity.into()];
                    let grid = self.blocks(capacity * shape.len());
                    self.pointwise(c"mean_backward", main, grid, 256, &mut arguments)?;
                }
                self.unfold(i)?;
            }
            Op::Thin { shape, stride } => {
                if let Some(below) = below {
                    self.thinned(c"thin_out_backward", *shape, *stride, gradient, below, shape.len())?;
                }
                self.unfold(i)?;
            }
            // Both parts find their gradient in its place.
            Op::Add { .. } => {}
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
    pub fn unfold(&self, i: usize) -> Result<(), NetError> {
        let Some(below) = self.plan.sources[i] else { return Ok(()) };
        let kind = number(self.plan.ops[below].folded());
        if kind == 0 {
            return Ok(());
        }
        let size = self.capacity * self.plan.sizes[below];
        let place = self.gradient(below);
        let mut arguments =
            [self.kept(below).into(), place.into(), place.into(), (size as u64).into(), kind.into()];
        self.pointwise(c"activate_backward", &self.main, self.blocks(size), 256, &mut arguments)
    }

    /// Whether a norm's sums take the gradient from the end of a residual block: of two parts, or through an activation
    /// of a sum.
    fn joins(&self, i: usize) -> bool {
        let Op::Norm { activation, pool: false, add, .. } = &self.plan.ops[i] else { return false };
        let slope_of_output = *activation != Some(Activation::Softsign);
        (add.is_some() && activation.is_some()) || (self.second(i).is_some() && slope_of_output)
    }

    #[allow(clippy::too_many_arguments)]
    pub fn backward_norm(
        &self,
        i: usize,
        slot: usize,
        shape: Shape,
        bias_only: bool,
        kind: i32,
        pool: bool,
        mark: Mark,
    ) -> Result<(), NetError> {
        let (main, head, capacity) = (&self.main, self.head(), self.capacity);
        let (c, pixels) = (shape.channels, shape.pixels());
        let norm = |name: &'static CStr| self.kernels.norm[&(name, self.wide(c))];
        let (input, gradient, table) = (self.input(i), self.gradient(i), self.norm_table(slot));
        // Mostly the place of the input itself.
        let to = self.below(i).unwrap_or(input);
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
            let grid = self.norm_grid(cells, c, 1);
            norm(c"norm_backward_sums_pool").launch(main, grid, NORM_THREADS, &mut arguments)?;
            mark(label("sums"))?;
            let all = capacity * shape.height.div_ceil(2) * shape.width.div_ceil(2);
            let mut arguments = [
                input.into(),
                to.into(),
                gradient.into(),
                c.into(),
                shape.height.into(),
                shape.width.into(),
                capacity.into(),
                head.into(),
                table,
                bias_only,
            ];
            let grid = self.norm_grid(all, c, 4);
            norm(c"norm_backward_apply_pool").launch(main, grid, NORM_THREADS, &mut arguments)?;
        } else {
            let joins = self.joins(i);
            let slope: Argument = kind.into();
            let mut arguments = vec![
                input.into(),
                gradient.into(),
                c.into(),
                pixels.into(),
                head.into(),
                table,
                slope,
                bias_only,
            ];
            if joins {
                arguments.push(self.second(i).unwrap_or(0).into());
                arguments.push(self.output(i).into());
            }
            let name = if joins { c"norm_backward_sums_join" } else { c"norm_backward_sums" };
            let grid = self.norm_grid(capacity * pixels, c, 2);
            norm(name).launch(main, grid, NORM_THREADS, &mut arguments)?;
            mark(label("sums"))?;
            // Joined, the gradient already went through the activation.
            let kind: Argument = if joins { 0 } else { kind }.into();
            let mut arguments = [
                input.into(),
                to.into(),
                gradient.into(),
                c.into(),
                pixels.into(),
                capacity.into(),
                head.into(),
                table,
                kind,
                bias_only,
            ];
            let grid = self.norm_grid(capacity * pixels, c, 2);
            norm(c"norm_backward_apply").launch(main, grid, NORM_THREADS, &mut arguments)?;
        }
        mark(label("apply"))?;
        // Before the activation of what made the input.
        self.unfold(i)
    }

    pub fn step(&self, mark: Mark) -> Result<(), NetError> {
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
}
