//! 3×3 convolution by the minimal filtering algorithm F(4×4, 3×3) (Winograd, 1980; Lavin and Gray, 2016).
//!
//! A 4×4 block of outputs needs a 6×6 block of inputs d. With the matrices B, G, A of the algorithm the block is
//! `y = Aᵀ [ (G g Gᵀ) ⊙ (Bᵀ d B) ] A`: 36 multiplications an output block where the definition takes 144. Summed over
//! channels, the ⊙ becomes 36 matrix products of (blocks × inputs) with (inputs × outputs).
//!
//! The backward pass is the exact adjoint of the same three maps: with M' = A y' Aᵀ, the weights receive
//! `Gᵀ (Vᵀ M') G` (V the transformed input) and the input receives `B (M' Uᵀ) Bᵀ`, added up where blocks overlap.
//! f32 loses about one digit to the transforms; the tests compare with the direct form.

use super::packed_gemm::{self, Left, Right, multiply};
use super::simd::{LANES, Vector, simd_fn};
use crate::spec::Shape;

/// Frequencies of a block: 6 × 6.
const POINTS: usize = 36;

/// Scratch of about this many bytes a block of tiles, so that it stays in a core's cache.
const BLOCK_BYTES: usize = 1 << 19;

/// Whether the algorithm takes this convolution: whole vectors of channels, and images worth a 4×4 block.
pub(crate) fn applies(input: Shape, outputs: usize) -> bool {
    input.channels.is_multiple_of(LANES)
        && outputs.is_multiple_of(LANES)
        && input.height >= 3
        && input.width >= 3
}

/// A convolution of fixed shape: inputs and outputs a pixel, and the grid of 4×4 blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Winograd {
    input: Shape,
    outputs: usize,
    down: usize,
    across: usize,
}

/// Which part of its images a call of the backward pass has.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub first: bool,
    pub last: bool,
}

/// Buffers a thread keeps between calls.
#[derive(Default)]
pub(crate) struct Scratch {
    /// One image with its border of zeros.
    padded: Vec<f32>,
    /// Transformed inputs (or their gradient), 36 × blocks × inputs.
    inputs: Vec<f32>,
    /// Transformed outputs (or their gradient), 36 × blocks × outputs.
    products: Vec<f32>,
    /// Gradient of the transformed weights.
    weights: Vec<f32>,
}

fn sized(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    if buffer.len() < len {
        buffer.resize(len, 0.0);
    }
    &mut buffer[..len]
}

impl Winograd {
    pub fn new(input: Shape, outputs: usize) -> Self {
        Self { input, outputs, down: input.height.div_ceil(4), across: input.width.div_ceil(4) }
    }

    /// Length of the transformed weights: once for the forward and once for the backward pass.
    pub fn transformed_len(&self) -> usize {
        2 * self.points_len()
    }

    fn points_len(&self) -> usize {
        POINTS * self.input.channels * self.outputs
    }

    fn tiles(&self) -> usize {
        self.down * self.across
    }

    fn padded_width(&self) -> usize {
        4 * self.across + 2
    }

    fn padded_len(&self) -> usize {
        (4 * self.down + 2) * self.padded_width() * self.input.channels
    }

    /// Images worked on together.
    pub fn block(&self, images: usize) -> usize {
        let bytes = 4 * POINTS * self.tiles() * (self.input.channels + self.outputs);
        (BLOCK_BYTES / bytes).max(32usize.div_ceil(self.tiles())).clamp(1, images.max(1))
    }

    /// U = G g Gᵀ of `weights` (outputs, 3, 3, inputs), in panels: 36 matrices of inputs × outputs for the forward
    /// pass, then 36 of outputs × inputs for the backward pass.
    pub fn transform_weights(&self, weights: &[f32], transformed: &mut [f32]) {
        let (inputs, outputs) = (self.input.channels, self.outputs);
        let (forward, backward) = transformed.split_at_mut(self.points_len());
        for o in 0..outputs {
            let own = &weights[o * 9 * inputs..(o + 1) * 9 * inputs];
            weight_rows(own, forward, backward, o, inputs, outputs);
        }
    }

    /// `output` = convolution of `input` images, given the transformed weights.
    pub fn forward(&self, scratch: &mut Scratch, transformed: &[f32], input: &[f32], output: &mut [f32]) {
        let (ci, co) = (self.input.channels, self.outputs);
        let (in_len, out_len) = (self.input.len(), self.input.pixels() * co);
        let images = input.len() / in_len;
        let block = self.block(images);
        let Scratch { padded, inputs, products, .. } = scratch;
        for start in (0..images).step_by(block) {
            let count = block.min(images - start);
            let tiles = count * self.tiles();
            let v = sized(inputs, POINTS * tiles * ci);
            self.transform_inputs(padded, &input[start * in_len..(start + count) * in_len], v, tiles);
            let m = sized(products, POINTS * tiles * co);
            for f in 0..POINTS {
                multiply(
                    &mut m[f * tiles * co..(f + 1) * tiles * co],
                    (tiles, co, ci),
                    Left::Rows(&v[f * tiles * ci..(f + 1) * tiles * ci], ci),
                    Right::Panels(&transformed[f * ci * co..(f + 1) * ci * co]),
                    false,
                );
            }
            for image in 0..count {
                let out = &mut output[(start + image) * out_len..(start + image + 1) * out_len];
                output_tiles(m, out, self, image * self.tiles(), tiles);
            }
        }
    }

    /// Where asked, writes the gradient of the input; adds the gradient of the weights to `weight_gradient` when the last
    /// part of a batch is through.
    #[allow(clippy::too_many_arguments)]
    pub fn backward(
        &self,
        scratch: &mut Scratch,
        transformed: &[f32],
        input: &[f32],
        gradient: &[f32],
        weight_gradient: &mut [f32],
        mut input_gradient: Option<&mut [f32]>,
        part: Part,
    ) {
        let (ci, co) = (self.input.channels, self.outputs);
        let (in_len, out_len) = (self.input.len(), self.input.pixels() * co);
        let images = input.len() / in_len;
        let block = self.block(images);
        let Scratch { padded, inputs, products, weights } = scratch;
        let transformed = &transformed[self.points_len()..];
        let du = sized(weights, self.points_len());
        for start in (0..images).step_by(block) {
            let count = block.min(images - start);
            let tiles = count * self.tiles();
            let v = sized(inputs, POINTS * tiles * ci);
            self.transform_inputs(padded, &input[start * in_len..(start + count) * in_len], v, tiles);
            let m = sized(products, POINTS * tiles * co);
            for image in 0..count {
                let grad = &gradient[(start + image) * out_len..(start + image + 1) * out_len];
                gradient_tiles(grad, m, self, image * self.tiles(), tiles);
            }
            for f in 0..POINTS {
                let (vf, mf) =
                    (&mut v[f * tiles * ci..(f + 1) * tiles * ci], &m[f * tiles * co..(f + 1) * tiles * co]);
                multiply(
                    &mut du[f * ci * co..(f + 1) * ci * co],
                    (co, ci, tiles),
                    Left::Columns(mf, co),
                    Right::Rows(vf),
                    start > 0 || !part.first,
                );
                if input_gradient.is_some() {
                    // V is no longer needed at this frequency: its place takes the gradient.
                    multiply(
                        vf,
                        (tiles, ci, co),
                        Left::Rows(mf, co),
                        Right::Panels(&transformed[f * ci * co..(f + 1) * ci * co]),
                        false,
                    );
                }
            }
            if let Some(out) = input_gradient.as_deref_mut() {
                let image_buffer = sized(padded, self.padded_len());
                for image in 0..count {
                    image_buffer.fill(0.0);
                    input_tiles_adjoint(v, image_buffer, self, image * self.tiles(), tiles);
                    let to = &mut out[(start + image) * in_len..(start + image + 1) * in_len];
                    let (row, wide) = (self.input.width * ci, self.padded_width() * ci);
                    for y in 0..self.input.height {
                        let from = (y + 1) * wide + ci;
                        to[y * row..(y + 1) * row].copy_from_slice(&image_buffer[from..from + row]);
                    }
                }
            }
        }
        if !part.last {
            return;
        }
        for o in 0..co {
            weight_rows_adjoint(du, &mut weight_gradient[o * 9 * ci..(o + 1) * 9 * ci], o, ci, co);
        }
    }

    fn transform_inputs(&self, padded: &mut Vec<f32>, input: &[f32], v: &mut [f32], tiles: usize) {
        let ci = self.input.channels;
        let (row, wide) = (self.input.width * ci, self.padded_width() * ci);
        let padded = sized(padded, self.padded_len());
        padded.fill(0.0);
        for (image, pixels) in input.chunks_exact(self.input.len()).enumerate() {
            for (y, line) in pixels.chunks_exact(row).enumerate() {
                let at = (y + 1) * wide + ci;
                padded[at..at + row].copy_from_slice(line);
            }
            input_tiles(padded, v, self, image * self.tiles(), tiles);
        }
    }
}

/// Bᵀ x.
#[inline(always)]
fn bt<V: Vector>(x: [V; 6]) -> [V; 6] {
    let [a, b, c, d, e, f] = x;
    let (p, q) = (e.sub(c.times(4.0)), d.sub(b.times(4.0)));
    let (r, s) = (e.sub(c), d.sub(b).times(2.0));
    [
        a.times(4.0).sub(c.times(5.0)).add(e),
        p.add(q),
        p.sub(q),
        r.add(s),
        r.sub(s),
        b.times(4.0).sub(d.times(5.0)).add(f),
    ]
}

/// B x, the adjoint of [`bt`].
#[inline(always)]
fn b<V: Vector>(x: [V; 6]) -> [V; 6] {
    let [a, b, c, d, e, f] = x;
    let (sum1, diff1, sum2, diff2) = (b.add(c), b.sub(c), d.add(e), d.sub(e));
    [
        a.times(4.0),
        f.sub(diff1).times(4.0).sub(diff2.times(2.0)),
        a.times(-5.0).sub(sum1.times(4.0)).sub(sum2),
        diff1.add(diff2.times(2.0)).sub(f.times(5.0)),
        a.add(sum1).add(sum2),
        f,
    ]
}

/// Aᵀ x.
#[inline(always)]
fn at<V: Vector>(x: [V; 6]) -> [V; 4] {
    let [a, b, c, d, e, f] = x;
    let (sum1, diff1, sum2, diff2) = (b.add(c), b.sub(c), d.add(e), d.sub(e));
    [
        a.add(sum1).add(sum2),
        diff1.add(diff2.times(2.0)),
        sum1.add(sum2.times(4.0)),
        diff1.add(diff2.times(8.0)).add(f),
    ]
}

/// A x, the adjoint of [`at`].
#[inline(always)]
fn a<V: Vector>(x: [V; 4]) -> [V; 6] {
    let [a, b, c, d] = x;
    let (even1, odd1) = (a.add(c), b.add(d));
    let (even2, odd2) = (a.add(c.times(4.0)), b.add(d.times(4.0)).times(2.0));
    [a, even1.add(odd1), even1.sub(odd1), even2.add(odd2), even2.sub(odd2), d]
}

/// G x.
#[inline(always)]
fn g<V: Vector>(x: [V; 3]) -> [V; 6] {
    let [a, b, c] = x;
    let (even1, odd1) = (a.add(c).times(-1.0 / 6.0), b.times(-1.0 / 6.0));
    let (even2, odd2) = (a.times(1.0 / 24.0).add(c.times(1.0 / 6.0)), b.times(1.0 / 12.0));
    [a.times(0.25), even1.add(odd1), even1.sub(odd1), even2.add(odd2), even2.sub(odd2), c]
}

/// Gᵀ x, the adjoint of [`g`].
#[inline(always)]
fn gt<V: Vector>(x: [V; 6]) -> [V; 3] {
    let [a, b, c, d, e, f] = x;
    let (sum1, diff1, sum2, diff2) = (b.add(c), b.sub(c), d.add(e), d.sub(e));
    [
        a.times(0.25).sub(sum1.times(1.0 / 6.0)).add(sum2.times(1.0 / 24.0)),
        diff2.times(1.0 / 12.0).sub(diff1.times(1.0 / 6.0)),
        f.sub(sum1.times(1.0 / 6.0)).add(sum2.times(1.0 / 6.0)),
    ]
}

/// A square block from a rule for each place. A loop rather than `array::from_fn`, whose closures are not inlined into
/// the functions compiled for wide vectors.
macro_rules! square {
    ($side:literal, |$i:ident, $j:ident| $value:expr) => {{
        let mut block = [[V::zero(); $side]; $side];
        for ($i, line) in block.iter_mut().enumerate() {
            for ($j, place) in line.iter_mut().enumerate() {
                *place = $value;
            }
        }
        block
    }};
}

/// Applies a one-dimensional map down the columns and then along the rows of a square block.
macro_rules! both_ways {
    ($block:expr, $from:literal, $to:literal, $map:ident) => {{
        let block: [[V; $from]; $from] = $block;
        let mut half = [[V::zero(); $from]; $to];
        for column in 0..$from {
            let mut line = [V::zero(); $from];
            for row in 0..$from {
                line[row] = block[row][column];
            }
            let done = $map(line);
            for row in 0..$to {
                half[row][column] = done[row];
            }
        }
        let mut full = [[V::zero(); $to]; $to];
        for row in 0..$to {
            full[row] = $map(half[row]);
        }
        full
    }};
}

simd_fn! {
    /// V = Bᵀ d B for every block of one padded image; block `first + t` of `tiles` in `v`.
    fn input_tiles<V>(padded: &[f32], v: &mut [f32], conv: &Winograd, first: usize, tiles: usize) {
        let (ci, wide) = (conv.input.channels, conv.padded_width());
        for tile in 0..conv.tiles() {
            let (y, x) = (4 * (tile / conv.across), 4 * (tile % conv.across));
            for c in (0..ci).step_by(LANES) {
                let block = square!(6, |i, j| V::load(&padded[((y + i) * wide + x + j) * ci + c..]));
                let full = both_ways!(block, 6, 6, bt);
                for (f, lanes) in full.iter().flatten().enumerate() {
                    lanes.store(&mut v[(f * tiles + first + tile) * ci + c..]);
                }
            }
        }
    }
}

simd_fn! {
    /// Adds B V' Bᵀ of every block into one padded image.
    fn input_tiles_adjoint<V>(v: &[f32], padded: &mut [f32], conv: &Winograd, first: usize, tiles: usize) {
        let (ci, wide) = (conv.input.channels, conv.padded_width());
        for tile in 0..conv.tiles() {
            let (y, x) = (4 * (tile / conv.across), 4 * (tile % conv.across));
            for c in (0..ci).step_by(LANES) {
                let block = square!(6, |i, j| V::load(&v[((i * 6 + j) * tiles + first + tile) * ci + c..]));
                let full = both_ways!(block, 6, 6, b);
                for i in 0..6 {
                    for j in 0..6 {
                        full[i][j].add_to(&mut padded[((y + i) * wide + x + j) * ci + c..]);
                    }
                }
            }
        }
    }
}

simd_fn! {
    /// y = Aᵀ M A for every block of one image, cut at the image's border.
    fn output_tiles<V>(m: &[f32], output: &mut [f32], conv: &Winograd, first: usize, tiles: usize) {
        let (co, height, width) = (conv.outputs, conv.input.height, conv.input.width);
        for tile in 0..conv.tiles() {
            let (y, x) = (4 * (tile / conv.across), 4 * (tile % conv.across));
            for c in (0..co).step_by(LANES) {
                let block = square!(6, |i, j| V::load(&m[((i * 6 + j) * tiles + first + tile) * co + c..]));
                let full = both_ways!(block, 6, 4, at);
                for i in 0..4.min(height - y) {
                    for j in 0..4.min(width - x) {
                        full[i][j].store(&mut output[((y + i) * width + x + j) * co + c..]);
                    }
                }
            }
        }
    }
}

simd_fn! {
    /// M' = A y' Aᵀ for every block of one image's gradient, zero beyond its border.
    fn gradient_tiles<V>(gradient: &[f32], m: &mut [f32], conv: &Winograd, first: usize, tiles: usize) {
        let (co, height, width) = (conv.outputs, conv.input.height, conv.input.width);
        for tile in 0..conv.tiles() {
            let (y, x) = (4 * (tile / conv.across), 4 * (tile % conv.across));
            for c in (0..co).step_by(LANES) {
                let mut block = [[V::zero(); 4]; 4];
                for i in 0..4.min(height - y) {
                    for j in 0..4.min(width - x) {
                        block[i][j] = V::load(&gradient[((y + i) * width + x + j) * co + c..]);
                    }
                }
                let full = both_ways!(block, 4, 6, a);
                for (f, lanes) in full.iter().flatten().enumerate() {
                    lanes.store(&mut m[(f * tiles + first + tile) * co + c..]);
                }
            }
        }
    }
}

simd_fn! {
    /// The part of one output, with weights (3, 3, inputs), in the 36 matrices U and in their transposes.
    fn weight_rows<V>(weights: &[f32], forward: &mut [f32], backward: &mut [f32], o: usize, inputs: usize, outputs: usize) {
        let (wide_in, wide_out) = (packed_gemm::width(inputs), packed_gemm::width(outputs));
        for c in (0..inputs).step_by(LANES) {
            let block = square!(3, |i, j| V::load(&weights[(i * 3 + j) * inputs + c..]));
            let full = both_ways!(block, 3, 6, g);
            for (f, lanes) in full.iter().flatten().enumerate() {
                let at = f * inputs * outputs;
                lanes.store(&mut backward[at + (c / wide_in * outputs + o) * wide_in + c % wide_in..]);
                for (k, x) in lanes.to_array().into_iter().enumerate() {
                    forward[at + (o / wide_out * inputs + c + k) * wide_out + o % wide_out] = x;
                }
            }
        }
    }
}

simd_fn! {
    /// Adds Gᵀ U' G to one output's weight gradient.
    fn weight_rows_adjoint<V>(du: &[f32], gradient: &mut [f32], o: usize, inputs: usize, outputs: usize) {
        for c in (0..inputs).step_by(LANES) {
            let block = square!(6, |i, j| V::load(&du[((i * 6 + j) * outputs + o) * inputs + c..]));
            let full = both_ways!(block, 6, 3, gt);
            for i in 0..3 {
                for j in 0..3 {
                    full[i][j].add_to(&mut gradient[(i * 3 + j) * inputs + c..]);
                }
            }
        }
    }
}
