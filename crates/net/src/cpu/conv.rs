//! 3×3 convolution, stride 1, padding 1: Winograd's algorithm where it applies, else patches and one product.

use super::matmul::{View, multiply};
use super::winograd::{self, Part, Winograd};
use crate::spec::Shape;

/// Numbers of patch a call lays out at once; small enough to stay in a core's cache.
const PATCH_NUMBERS: usize = 128 * 1024;

/// A convolution of fixed shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conv {
    pub input: Shape,
    pub outputs: usize,
    winograd: Option<Winograd>,
}

/// Buffers a thread keeps between calls.
#[derive(Default)]
pub(crate) struct Scratch {
    winograd: winograd::Scratch,
    patches: Vec<f32>,
}

impl Conv {
    pub fn new(input: Shape, outputs: usize) -> Self {
        let winograd = winograd::applies(input, outputs).then(|| Winograd::new(input, outputs));
        Self { input, outputs, winograd }
    }

    /// Always by the definition: what the tests compare with.
    #[cfg(test)]
    pub fn direct(input: Shape, outputs: usize) -> Self {
        Self { input, outputs, winograd: None }
    }

    /// Numbers of the prepared weights; 0 when the weights are used as they are.
    pub fn prepared_len(&self) -> usize {
        self.winograd.map_or(0, |w| w.transformed_len())
    }

    /// Prepares the weights for this step's forward and backward passes.
    pub fn prepare(&self, weights: &[f32], prepared: &mut [f32]) {
        if let Some(winograd) = &self.winograd {
            winograd.transform_weights(weights, prepared);
        }
    }

    fn images_a_time(&self) -> usize {
        // At least a few hundred rows, over which the copy of the weights that a product makes is worth it.
        (PATCH_NUMBERS / (9 * self.input.len())).max(256usize.div_ceil(self.input.pixels())).max(1)
    }

    /// Images the kernels work on together: a caller that wants to go over the output while it is in the cache calls
    /// [`Conv::forward`] for this many at a time.
    pub fn block(&self, images: usize) -> usize {
        self.winograd.map_or(self.images_a_time(), |w| w.block(images))
    }

    /// `output` becomes the convolution of the images in `input`.
    pub fn forward(
        &self,
        scratch: &mut Scratch,
        weights: &[f32],
        prepared: &[f32],
        input: &[f32],
        output: &mut [f32],
    ) {
        if let Some(winograd) = &self.winograd {
            return winograd.forward(&mut scratch.winograd, prepared, input, output);
        }
        let (inner, pixels) = (9 * self.input.channels, self.input.pixels());
        let some = self.images_a_time();
        let (ins, outs) = (some * self.input.len(), some * pixels * self.outputs);
        for (images, out) in input.chunks(ins).zip(output.chunks_mut(outs)) {
            let rows = images.len() / self.input.len() * pixels;
            let patches = self.patches(&mut scratch.patches, images);
            multiply(
                out,
                (rows, self.outputs, inner),
                View::rows(patches, inner),
                View::transposed(weights, inner),
                false,
            );
        }
    }

    /// Adds to `weight_gradient` (some of it only with the last part of a batch) and, where asked, writes the gradient of
    /// the input.
    #[allow(clippy::too_many_arguments)]
    pub fn backward(
        &self,
        scratch: &mut Scratch,
        weights: &[f32],
        prepared: &[f32],
        input: &[f32],
        gradient: &[f32],
        weight_gradient: &mut [f32],
        mut input_gradient: Option<&mut [f32]>,
        part: Part,
    ) {
        if let Some(winograd) = &self.winograd {
            let scratch = &mut scratch.winograd;
            return winograd.backward(
                scratch,
                prepared,
                input,
                gradient,
                weight_gradient,
                input_gradient,
                part,
            );
        }
        let (inner, pixels) = (9 * self.input.channels, self.input.pixels());
        let some = self.images_a_time();
        let (ins, outs) = (some * self.input.len(), some * pixels * self.outputs);
        for (block, (images, grad)) in input.chunks(ins).zip(gradient.chunks(outs)).enumerate() {
            let rows = images.len() / self.input.len() * pixels;
            let patches = self.patches(&mut scratch.patches, images);
            multiply(
                weight_gradient,
                (self.outputs, inner, rows),
                View::transposed(grad, self.outputs),
                View::rows(patches, inner),
                true,
            );
            if let Some(out) = input_gradient.as_deref_mut() {
                let patches = &mut scratch.patches[..rows * inner];
                multiply(
                    patches,
                    (rows, inner, self.outputs),
                    View::rows(grad, self.outputs),
                    View::rows(weights, inner),
                    false,
                );
                let to = &mut out[block * ins..block * ins + images.len()];
                to.fill(0.0);
                self.add_patches(patches, to);
            }
        }
    }

    /// One row per pixel: the 3×3 neighborhood (row, column, channel), zeros beyond the border.
    fn patches<'a>(&self, buffer: &'a mut Vec<f32>, images: &[f32]) -> &'a [f32] {
        let (channels, width) = (self.input.channels, self.input.width);
        let needed = images.len() * 9;
        if buffer.len() < needed {
            buffer.resize(needed, 0.0);
        }
        let patches = &mut buffer[..needed];
        let images = images.chunks_exact(self.input.len());
        for (image, out) in images.zip(patches.chunks_exact_mut(self.input.len() * 9)) {
            self.clear_border(out);
            self.each_run(|y, x, dy, from, to| {
                // The pixels of one patch row lie side by side in the image.
                let patch = (y * width + x) * 9 * channels + dy * 3 * channels + to * channels;
                let (at, len) = ((from.0 * width + from.1) * channels, from.2 * channels);
                let (out, image) = (&mut out[patch..patch + len], &image[at..at + len]);
                // Gray and color images have runs so short that a call to copy them takes longer than the copy.
                match (out.first_chunk_mut::<9>(), image.first_chunk::<9>()) {
                    (Some(out), Some(image)) if len == 9 => *out = *image,
                    _ => match (out.first_chunk_mut::<3>(), image.first_chunk::<3>()) {
                        (Some(out), Some(image)) if len == 3 => *out = *image,
                        _ => out.copy_from_slice(image),
                    },
                }
            });
        }
        patches
    }

    /// Zeros for the patches that reach beyond the image; the others are written whole.
    fn clear_border(&self, patches: &mut [f32]) {
        let (height, width, len) = (self.input.height, self.input.width, 9 * self.input.channels);
        for y in 0..height {
            let step = if y == 0 || y + 1 == height { 1 } else { (width - 1).max(1) };
            for x in (0..width).step_by(step) {
                patches[(y * width + x) * len..(y * width + x + 1) * len].fill(0.0);
            }
        }
    }

    /// The adjoint of [`Conv::patches`].
    fn add_patches(&self, patches: &[f32], images: &mut [f32]) {
        let (channels, width) = (self.input.channels, self.input.width);
        for (image, out) in
            images.chunks_exact_mut(self.input.len()).zip(patches.chunks_exact(self.input.len() * 9))
        {
            self.each_run(|y, x, dy, from, to| {
                let patch = (y * width + x) * 9 * channels + dy * 3 * channels + to * channels;
                let at = (from.0 * width + from.1) * channels;
                let len = from.2 * channels;
                for (pixel, p) in image[at..at + len].iter_mut().zip(&out[patch..patch + len]) {
                    *pixel += p;
                }
            });
        }
    }

    /// Calls `run(y, x, dy, (source row, source column, pixels), first tap)` for every output pixel (y, x) and
    /// kernel row dy whose pixels lie inside the image.
    fn each_run(&self, mut run: impl FnMut(usize, usize, usize, (usize, usize, usize), usize)) {
        let (height, width) = (self.input.height, self.input.width);
        for y in 0..height {
            for x in 0..width {
                let (left, right) = (x.saturating_sub(1), (x + 2).min(width));
                for dy in 0..3 {
                    let source = y + dy;
                    if source >= 1 && source <= height {
                        run(y, x, dy, (source - 1, left, right - left), usize::from(x == 0));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::simd::tests::at_every_level;
    use onesided_data::Stream;

    fn draws(stream: &mut Stream, n: usize) -> Vec<f32> {
        (0..n).map(|_| stream.normal() as f32).collect()
    }

    /// Convolution by its definition, in f64.
    fn definition(shape: Shape, outputs: usize, weights: &[f32], input: &[f32]) -> Vec<f64> {
        let (h, w, c) = (shape.height, shape.width, shape.channels);
        let mut out = Vec::new();
        for image in input.chunks_exact(shape.len()) {
            for (y, x, o) in (0..h * w * outputs).map(|i| (i / outputs / w, i / outputs % w, i % outputs)) {
                let mut sum = 0.0;
                for (dy, dx, k) in (0..9 * c).map(|i| (i / c / 3, i / c % 3, i % c)) {
                    let (sy, sx) = ((y + dy).wrapping_sub(1), (x + dx).wrapping_sub(1));
                    if sy < h && sx < w {
                        let weight = weights[((o * 3 + dy) * 3 + dx) * c + k];
                        sum += f64::from(weight) * f64::from(image[(sy * w + sx) * c + k]);
                    }
                }
                out.push(sum);
            }
        }
        out
    }

    fn worst(a: impl Iterator<Item = f64>, b: impl Iterator<Item = f64>) -> f64 {
        let (mut gap, mut size) = (0.0f64, 0.0f64);
        for (x, y) in a.zip(b) {
            gap = gap.max((x - y).abs());
            size = size.max(y.abs());
        }
        gap / size
    }

    #[test]
    fn forward_matches_the_definition_on_both_paths() {
        at_every_level(forward_case);
    }

    fn forward_case() {
        let mut stream = Stream::new(1, "conv");
        for (channels, height, width, outputs) in
            [(1, 5, 4, 3), (3, 2, 2, 5), (16, 7, 9, 32), (32, 4, 4, 16), (16, 3, 8, 16), (48, 14, 14, 16)]
        {
            let shape = Shape { channels, height, width };
            let (images, conv) = (3, Conv::new(shape, outputs));
            assert_eq!(conv.winograd.is_some(), channels % 16 == 0);
            let weights = draws(&mut stream, outputs * 9 * channels);
            let input = draws(&mut stream, images * shape.len());
            let want = definition(shape, outputs, &weights, &input);
            let mut prepared = vec![0.0; conv.prepared_len()];
            conv.prepare(&weights, &mut prepared);
            let mut out = vec![0.0; want.len()];
            conv.forward(&mut Scratch::default(), &weights, &prepared, &input, &mut out);
            let gap = worst(out.iter().map(|&x| f64::from(x)), want.iter().copied());
            assert!(gap < 1e-5, "{shape} to {outputs}: relative error {gap}");
        }
    }

    /// The backward pass is the adjoint of the forward pass: <y', conv(x; w)> has w- and x-gradients that reproduce
    /// it, since the convolution is linear in each.
    #[test]
    fn backward_is_the_adjoint_on_both_paths() {
        at_every_level(backward_case);
    }

    fn backward_case() {
        let mut stream = Stream::new(2, "conv");
        for (channels, height, width, outputs) in [(2, 5, 4, 3), (16, 7, 9, 32), (16, 4, 4, 16)] {
            let shape = Shape { channels, height, width };
            let images = 5;
            let weights = draws(&mut stream, outputs * 9 * channels);
            let input = draws(&mut stream, images * shape.len());
            let grad = draws(&mut stream, images * shape.pixels() * outputs);
            let mut results = Vec::new();
            for conv in [Conv::new(shape, outputs), Conv::direct(shape, outputs)] {
                let mut prepared = vec![0.0; conv.prepared_len()];
                conv.prepare(&weights, &mut prepared);
                let (mut dw, mut dx) = (vec![0.0; weights.len()], vec![0.0; input.len()]);
                let scratch = &mut Scratch::default();
                // In two parts, as the executor calls it.
                let (cut_in, cut_out) = (2 * shape.len(), 2 * shape.pixels() * outputs);
                let (head, tail) = dx.split_at_mut(cut_in);
                let (first, second) = (Part { first: true, last: false }, Part { first: false, last: true });
                conv.backward(
                    scratch,
                    &weights,
                    &prepared,
                    &input[..cut_in],
                    &grad[..cut_out],
                    &mut dw,
                    Some(head),
                    first,
                );
                conv.backward(
                    scratch,
                    &weights,
                    &prepared,
                    &input[cut_in..],
                    &grad[cut_out..],
                    &mut dw,
                    Some(tail),
                    second,
                );
                results.push((dw, dx));
            }
            let inner = |a: &[f32], b: &[f32]| {
                a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum::<f64>()
            };
            let out = definition(shape, outputs, &weights, &input);
            let whole: f64 = out.iter().zip(&grad).map(|(x, &y)| x * f64::from(y)).sum();
            let size = out.iter().zip(&grad).map(|(x, &y)| (x * f64::from(y)).abs()).sum::<f64>();
            for (dw, dx) in &results {
                assert!((inner(dw, &weights) - whole).abs() < 1e-6 * size, "{shape}: weights");
                assert!((inner(dx, &input) - whole).abs() < 1e-6 * size, "{shape}: input");
            }
            let f64s = |v: &[f32]| v.iter().map(|&x| f64::from(x)).collect::<Vec<_>>();
            for (one, other) in [(&results[0].0, &results[1].0), (&results[0].1, &results[1].1)] {
                let gap = worst(f64s(one).into_iter(), f64s(other).into_iter());
                assert!(gap < 1e-5, "{shape}: {gap}");
            }
        }
    }
}
