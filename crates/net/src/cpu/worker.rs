//! One thread's rows on their way through the layers, forward and back.

use super::conv;
use super::gather::gather;
use super::matmul::{View, multiply};
use super::norm::{self, Backward, Moments};
use super::norm_pool;
use super::plan::{Op, Plan};
use super::pointwise;
use super::winograd::Part;
use crate::executor::{Batch, Mode, Source};
use crate::mixup::Partner;
use crate::spec::Shape;
use std::ops::Range;

/// What one thread owns: its rows' activations, gradients and scratch.
pub(crate) struct Worker {
    /// First row of the batch, and how many.
    pub first: usize,
    pub rows: usize,
    input: Vec<f32>,
    pub outputs: Vec<Vec<f32>>,
    pub gradient: Vec<f32>,
    other: Vec<f32>,
    /// The gradient that a residual block keeps aside.
    kept: Vec<f32>,
    /// The gradient behind a convolution, for a few images at a time.
    chunk: Vec<f32>,
    /// Gradient of the trained numbers from these rows.
    pub weights: Vec<f32>,
    pub sums: Vec<(Vec<f64>, Vec<f64>)>,
    conv: conv::Scratch,
    small: Vec<f32>,
}

/// What every thread reads during a pass.
pub(crate) struct Pass<'p> {
    pub plan: &'p Plan,
    pub weights: &'p [f32],
    pub prepared: &'p [f32],
    pub moments: &'p [Moments],
    pub mode: Mode,
    pub dropout_key: u64,
}

impl Pass<'_> {
    fn dropout_key(&self, layer: usize) -> u64 {
        self.dropout_key ^ (layer as u64 + 1).wrapping_mul(0xd6e8_feb8_6659_fd93)
    }
}

pub(crate) fn grown(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    if buffer.len() < len {
        buffer.resize(len, 0.0);
    }
    &mut buffer[..len]
}

impl Worker {
    pub fn new(plan: &Plan) -> Self {
        Self {
            first: 0,
            rows: 0,
            input: Vec::new(),
            outputs: vec![Vec::new(); plan.ops.len()],
            gradient: Vec::new(),
            other: Vec::new(),
            kept: Vec::new(),
            chunk: Vec::new(),
            weights: Vec::new(),
            sums: plan.norms.iter().map(|&c| (vec![0.0; c], vec![0.0; c])).collect(),
            conv: conv::Scratch::default(),
            small: Vec::new(),
        }
    }

    pub fn norm_sums(&self, slot: usize) -> (&[f64], &[f64]) {
        (&self.sums[slot].0, &self.sums[slot].1)
    }

    /// Brings this thread's rows of the batch.
    pub fn gather(&mut self, source: &Source, batch: &Batch, shape: Shape) {
        let own = self.first..self.first + self.rows;
        let draws = if batch.draws.is_empty() { &[] } else { &batch.draws[own.clone()] };
        let input = grown(&mut self.input, self.rows * shape.len());
        gather(source, shape, &batch.rows[own.clone()], draws, input);
        // Strong views are of the last rows of the batch.
        let weak = batch.rows.len() - batch.strong.len();
        for row in own.start.max(weak)..own.end {
            let place = (row - own.start) * shape.len()..(row + 1 - own.start) * shape.len();
            let from = grown(&mut self.small, shape.len());
            from.copy_from_slice(&input[place.clone()]);
            batch.strong[row - weak].apply(from, shape, &mut input[place]);
        }
        let whole = batch.rows.len() - batch.dropped.len();
        for row in own.start.max(whole)..own.end {
            let place = (row - own.start) * shape.len()..(row + 1 - own.start) * shape.len();
            batch.dropped[row - whole].apply(&mut input[place]);
        }
        self.mix(source, batch, shape);
    }

    /// Mixes this thread's rows that have partners with them.
    fn mix(&mut self, source: &Source, batch: &Batch, shape: Shape) {
        let alone = batch.rows.len() - batch.partners.len();
        for row in self.first.max(alone)..self.first + self.rows {
            let Partner { row: other, draw, share } = batch.partners[row - alone];
            let place = (row - self.first) * shape.len()..(row + 1 - self.first) * shape.len();
            let from = grown(&mut self.small, shape.len());
            gather(source, shape, &[other], &[draw], from);
            let own = self.input[place].iter_mut();
            own.zip(from).for_each(|(own, other)| *own = share * *own + (1.0 - share) * *other);
        }
    }

    /// Runs the operations of `range`; in training, ends with the sums of the batch norm that follows.
    pub fn forward(&mut self, pass: &Pass, range: Range<usize>) {
        let plan = pass.plan;
        for i in range.clone() {
            if matches!(plan.ops[i], Op::Keep | Op::Exchange) {
                continue;
            }
            let (size, before) = (plan.sizes[i], plan.before(i));
            let (left, right) = self.outputs.split_at_mut(i);
            let of = |source: Option<usize>, size: usize| -> &[f32] {
                let values = source.map_or(&self.input, |source| &left[source]);
                &values[..self.rows * size]
            };
            let input = of(plan.sources[i], before);
            let output = grown(&mut right[0], self.rows * size);
            match &plan.ops[i] {
                Op::Dense { pixels, inputs, outputs, weight, bias, activation } => {
                    let w = &pass.weights[weight.clone()];
                    let size = (self.rows * pixels, *outputs, *inputs);
                    multiply(output, size, View::rows(input, *inputs), View::transposed(w, *inputs), false);
                    finish(output, bias, activation, pass.weights);
                }
                Op::Conv { conv, weight, bias, prepared, activation } => {
                    let (w, u) = (&pass.weights[weight.clone()], &pass.prepared[prepared.clone()]);
                    let next = match plan.ops.get(i + 1) {
                        Some(Op::Norm { slot, .. }) if pass.mode.of_batch() => Some(*slot),
                        _ => None,
                    };
                    if let Some(slot) = next {
                        self.sums[slot].0.fill(0.0);
                        self.sums[slot].1.fill(0.0);
                    }
                    let images = conv.block(self.rows);
                    for (some, out) in input.chunks(images * before).zip(output.chunks_mut(images * size)) {
                        conv.forward(&mut self.conv, w, u, some, out);
                        finish(out, bias, activation, pass.weights);
                        if let Some(slot) = next {
                            // While the output is in the cache.
                            let (sum, square) = &mut self.sums[slot];
                            norm::sums(out, sum, square);
                        }
                    }
                }
                Op::Norm { slot, gamma, beta, activation, pool, .. } => {
                    let (g, b) = (&pass.weights[gamma.clone()], &pass.weights[beta.clone()]);
                    if let Some(shape) = pool {
                        let moments = &pass.moments[*slot];
                        norm_pool::apply(input, output, *shape, moments, (g, b), &mut self.small);
                        continue;
                    }
                    norm::apply(input, output, &pass.moments[*slot], g, b, *activation, &mut self.small);
                }
                Op::Activate(activation) => {
                    output.copy_from_slice(input);
                    pointwise::activate(output, *activation);
                }
                Op::Pool(shape) => pointwise::max_pool(input, output, *shape),
                Op::Mean(shape) => pointwise::mean_pool(input, output, *shape),
                Op::Thin { shape, stride } => pointwise::thin(input, output, *shape, *stride),
                Op::Keep | Op::Exchange => {}
                Op::Add { other, activation } => {
                    output.copy_from_slice(input);
                    pointwise::add(output, of(*other, size));
                    finish(output, &None, activation, pass.weights);
                }
                Op::Dropout { probability, layer } => {
                    output.copy_from_slice(input);
                    if pass.mode == Mode::Train {
                        let key = pass.dropout_key(*layer);
                        pointwise::dropout(output, self.first * size, *probability, key);
                    }
                }
            }
        }
        if let Some(Op::Norm { slot, .. }) = plan.ops.get(range.end)
            && pass.mode.of_batch()
            && !matches!(range.end.checked_sub(1).map(|last| &plan.ops[last]), Some(Op::Conv { .. }))
        {
            let values = plan.sources[range.end].map_or(&self.input, |source| &self.outputs[source]);
            let size = plan.before(range.end);
            let (sum, square) = &mut self.sums[*slot];
            sum.fill(0.0);
            square.fill(0.0);
            norm::sums(&values[..self.rows * size], sum, square);
        }
    }

    /// Takes the gradient back through the operations of `range`; a batch norm at its start only gets its sums.
    /// `norm` is the batch norm behind the range, if any, of which only the sums are done.
    pub fn backward(&mut self, pass: &Pass, range: Range<usize>, mut norm: Option<usize>, with: &[Backward]) {
        let plan = pass.plan;
        grown(&mut self.weights, plan.trained);
        let last = range.end.checked_sub(1).map(|last| &plan.ops[last]);
        if !matches!(last, Some(Op::Conv { .. }))
            && let Some(norm) = norm.take()
        {
            self.finish_norm(pass, norm, with);
        }
        for i in range.rev() {
            let (size, before) = (plan.sizes[i], plan.before(i));
            let numbers = self.rows * size;
            match &plan.ops[i] {
                Op::Keep => {
                    pointwise::add(grown(&mut self.gradient, numbers), grown(&mut self.kept, numbers));
                    continue;
                }
                Op::Exchange => {
                    std::mem::swap(&mut self.gradient, &mut self.kept);
                    continue;
                }
                Op::Add { activation, .. } => {
                    let gradient = grown(&mut self.gradient, numbers);
                    unfinish(gradient, &self.outputs[i], &None, activation, &mut self.weights, false);
                    grown(&mut self.kept, numbers).copy_from_slice(gradient);
                    continue;
                }
                _ => {}
            }
            let source = plan.sources[i];
            let input = source.map_or(&self.input, |source| &self.outputs[source]);
            let input = &input[..self.rows * before];
            let output = &self.outputs[i][..self.rows * size];
            grown(&mut self.gradient, self.rows * size.max(before));
            let into = grown(&mut self.other, self.rows * before);
            let gradient = &mut self.gradient[..self.rows * size];
            match &plan.ops[i] {
                Op::Dense { pixels, inputs, outputs, weight, bias, activation } => {
                    let rows = self.rows * pixels;
                    unfinish(gradient, output, bias, activation, &mut self.weights, true);
                    let (x, g) = (View::rows(input, *inputs), View::transposed(gradient, *outputs));
                    multiply(&mut self.weights[weight.clone()], (*outputs, *inputs, rows), g, x, false);
                    if source.is_some() {
                        let (g, w) = (
                            View::rows(gradient, *outputs),
                            View::rows(&pass.weights[weight.clone()], *inputs),
                        );
                        multiply(into, (rows, *inputs, *outputs), g, w, false);
                    }
                }
                Op::Conv { conv, weight, bias, prepared, activation } => {
                    let (w, u) = (&pass.weights[weight.clone()], &pass.prepared[prepared.clone()]);
                    self.weights[weight.clone()].fill(0.0);
                    let some = conv.block(self.rows);
                    for start in (0..self.rows).step_by(some) {
                        let end = (start + some).min(self.rows);
                        let place = |size: usize| start * size..end * size;
                        let (x, y) = (&input[place(before)], &output[place(size)]);
                        // A batch norm behind the convolution is finished a few images at a time, so that its result is
                        // used while it is in the cache.
                        let g: &mut [f32] = match norm {
                            Some(norm) => {
                                let behind = plan.sizes[norm];
                                let from = &mut self.gradient[place(behind)];
                                let pooled = &self.outputs[norm][place(behind)];
                                finish_norm(
                                    pass,
                                    norm,
                                    with,
                                    y,
                                    pooled,
                                    from,
                                    &mut self.chunk,
                                    &mut self.small,
                                )
                            }
                            None => &mut self.gradient[place(size)],
                        };
                        unfinish(g, y, bias, activation, &mut self.weights, start == 0);
                        let dw = &mut self.weights[weight.clone()];
                        let part = Part { first: start == 0, last: end == self.rows };
                        let into = source.is_some().then_some(&mut into[place(before)]);
                        conv.backward(&mut self.conv, w, u, x, g, dw, into, part);
                    }
                }
                Op::Norm { slot, activation, pool, gamma, beta, .. } => {
                    let (sum, product) = &mut self.sums[*slot];
                    let moments = &pass.moments[*slot];
                    if let Some(shape) = pool {
                        let affine = (&pass.weights[gamma.clone()], &pass.weights[beta.clone()]);
                        let sums = (sum.as_mut_slice(), product.as_mut_slice());
                        let small = &mut self.small;
                        norm_pool::backward_sums(
                            gradient, input, output, *shape, moments, affine, sums, small,
                        );
                        return;
                    }
                    norm::backward_sums(gradient, input, output, moments, *activation, sum, product);
                    return;
                }
                Op::Activate(activation) => {
                    pointwise::activate_backward(gradient, output, *activation);
                    into.copy_from_slice(gradient);
                }
                Op::Pool(shape) => pointwise::max_pool_backward(input, output, gradient, into, *shape),
                Op::Mean(shape) => pointwise::mean_pool_backward(gradient, into, *shape),
                Op::Thin { shape, stride } => pointwise::thin_backward(gradient, into, *shape, *stride),
                Op::Keep | Op::Exchange | Op::Add { .. } => {}
                Op::Dropout { probability, layer } => {
                    let key = pass.dropout_key(*layer);
                    pointwise::dropout(gradient, self.first * size, *probability, key);
                    into.copy_from_slice(gradient);
                }
            }
            std::mem::swap(&mut self.gradient, &mut self.other);
            norm = None;
        }
    }

    /// Second half of a batch norm's backward pass, for all rows.
    fn finish_norm(&mut self, pass: &Pass, norm: usize, with: &[Backward]) {
        let before = pass.plan.before(norm);
        let input = pass.plan.sources[norm].map_or(&self.input, |source| &self.outputs[source]);
        let (input, behind) = (&input[..self.rows * before], self.rows * pass.plan.sizes[norm]);
        let (gradient, output) = (&mut self.gradient[..behind], &self.outputs[norm][..behind]);
        finish_norm(pass, norm, with, input, output, gradient, &mut self.other, &mut self.small);
        if matches!(&pass.plan.ops[norm], Op::Norm { pool: Some(_), .. }) {
            std::mem::swap(&mut self.gradient, &mut self.other);
        }
    }
}

/// Second half of a batch norm's backward pass on some rows: in place, or into `into` where a pooling is folded in.
/// Returns the gradient of its input.
#[allow(clippy::too_many_arguments)]
fn finish_norm<'g>(
    pass: &Pass,
    norm: usize,
    with: &[Backward],
    input: &[f32],
    output: &[f32],
    gradient: &'g mut [f32],
    into: &'g mut Vec<f32>,
    small: &mut Vec<f32>,
) -> &'g mut [f32] {
    let Op::Norm { slot, gamma, beta, pool, .. } = &pass.plan.ops[norm] else { return gradient };
    let (moments, with) = (&pass.moments[*slot], &with[*slot]);
    let Some(shape) = pool else {
        norm::backward_apply(gradient, input, moments, with);
        return gradient;
    };
    let affine = (&pass.weights[gamma.clone()], &pass.weights[beta.clone()]);
    let into = grown(into, input.len());
    norm_pool::backward_apply(gradient, input, output, into, *shape, moments, affine, with, small);
    into
}

/// Bias and activation behind a product.
fn finish(
    output: &mut [f32],
    bias: &Option<Range<usize>>,
    activation: &Option<crate::Activation>,
    weights: &[f32],
) {
    match (bias, activation) {
        (Some(bias), activation) => pointwise::bias_activate(output, &weights[bias.clone()], *activation),
        (None, Some(activation)) => pointwise::activate(output, *activation),
        (None, None) => {}
    }
}

/// The way back through [`finish`]: the slope goes into `gradient`, its sum into the bias's place, which the first part
/// of a batch clears.
fn unfinish(
    gradient: &mut [f32],
    output: &[f32],
    bias: &Option<Range<usize>>,
    activation: &Option<crate::Activation>,
    weights: &mut [f32],
    first: bool,
) {
    if let Some(activation) = activation {
        pointwise::activate_backward(gradient, output, *activation);
    }
    if let Some(bias) = bias {
        let sum = &mut weights[bias.clone()];
        if first {
            sum.fill(0.0);
        }
        pointwise::bias_backward(gradient, sum);
    }
}
