//! Bias, activations, dropout and pooling on the rows of one thread.

use super::simd::simd_fn;
use crate::spec::{Activation, Shape};

simd_fn! {
    /// Adds `bias` to every row and applies the activation.
    pub fn bias_activate(values: &mut [f32], bias: &[f32], activation: Option<Activation>) {
        for row in values.chunks_exact_mut(bias.len()) {
            for (x, b) in row.iter_mut().zip(bias) {
                *x += b;
            }
        }
        if let Some(activation) = activation {
            activate_body(values, activation);
        }
    }
}

simd_fn! {
    /// Applies the activation in place.
    pub fn activate(values: &mut [f32], activation: Activation) {
        activate_body(values, activation);
    }
}

#[inline(always)]
fn activate_body(values: &mut [f32], activation: Activation) {
    match activation {
        Activation::Relu => values.iter_mut().for_each(|x| *x = x.max(0.0)),
        Activation::Softsign => values.iter_mut().for_each(|x| *x /= 1.0 + x.abs()),
    }
}

simd_fn! {
    /// Multiplies `gradient` by the activation's slope, read off its output: ReLU's is 1 where y > 0, softsign's
    /// 1 / (1 + |x|)² = (1 - |y|)².
    pub fn activate_backward(gradient: &mut [f32], output: &[f32], activation: Activation) {
        match activation {
            Activation::Relu => {
                for (g, &y) in gradient.iter_mut().zip(output) {
                    *g = if y > 0.0 { *g } else { 0.0 };
                }
            }
            Activation::Softsign => {
                for (g, &y) in gradient.iter_mut().zip(output) {
                    let slope = 1.0 - y.abs();
                    *g *= slope * slope;
                }
            }
        }
    }
}

simd_fn! {
    /// Adds the sum over rows to `bias_gradient`.
    pub fn bias_backward(gradient: &[f32], bias_gradient: &mut [f32]) {
        for row in gradient.chunks_exact(bias_gradient.len()) {
            for (b, g) in bias_gradient.iter_mut().zip(row) {
                *b += g;
            }
        }
    }
}

simd_fn! {
    /// The largest of each 2×2 block.
    pub fn max_pool(input: &[f32], output: &mut [f32], shape: Shape) {
        let (c, row) = (shape.channels, shape.width * shape.channels);
        let (height, width) = (shape.height / 2, shape.width / 2);
        for (image, out) in input.chunks_exact(shape.len()).zip(output.chunks_exact_mut(height * width * c)) {
            for y in 0..height {
                for x in 0..width {
                    let at = 2 * y * row + 2 * x * c;
                    let (top, bottom) = (&image[at..at + 2 * c], &image[at + row..at + row + 2 * c]);
                    let to = &mut out[(y * width + x) * c..(y * width + x + 1) * c];
                    for i in 0..c {
                        to[i] = top[i].max(top[c + i]).max(bottom[i].max(bottom[c + i]));
                    }
                }
            }
        }
    }
}

simd_fn! {
    /// Sends each gradient to the first largest of its block, in reading order.
    pub fn max_pool_backward(input: &[f32], output: &[f32], gradient: &[f32], into: &mut [f32], shape: Shape) {
        let (c, row) = (shape.channels, shape.width * shape.channels);
        let (height, width) = (shape.height / 2, shape.width / 2);
        let pooled = height * width * c;
        if shape.height % 2 == 1 || shape.width % 2 == 1 {
            into.fill(0.0);
        }
        for (n, (image, to)) in input.chunks_exact(shape.len()).zip(into.chunks_exact_mut(shape.len())).enumerate() {
            for y in 0..height {
                for x in 0..width {
                    let (from, at) = (n * pooled + (y * width + x) * c, 2 * y * row + 2 * x * c);
                    let (grad, best) = (&gradient[from..from + c], &output[from..from + c]);
                    let (top, bottom) = (&image[at..at + 2 * c], &image[at + row..at + row + 2 * c]);
                    let (upper, lower) = to[at..].split_at_mut(row);
                    let (to_top, to_bottom) = (&mut upper[..2 * c], &mut lower[..2 * c]);
                    for i in 0..c {
                        let (g, m) = (grad[i], best[i]);
                        let first = top[i] == m;
                        let second = !first & (top[c + i] == m);
                        let third = !(first | second) & (bottom[i] == m);
                        let fourth = !(first | second | third);
                        to_top[i] = if first { g } else { 0.0 };
                        to_top[c + i] = if second { g } else { 0.0 };
                        to_bottom[i] = if third { g } else { 0.0 };
                        to_bottom[c + i] = if fourth { g } else { 0.0 };
                    }
                }
            }
        }
    }
}

simd_fn! {
    /// The mean of each channel over the pixels.
    pub fn mean_pool(input: &[f32], output: &mut [f32], shape: Shape) {
        let share = 1.0 / shape.pixels() as f32;
        for (image, out) in input.chunks_exact(shape.len()).zip(output.chunks_exact_mut(shape.channels)) {
            out.fill(0.0);
            for pixel in image.chunks_exact(shape.channels) {
                for (sum, x) in out.iter_mut().zip(pixel) {
                    *sum += x;
                }
            }
            out.iter_mut().for_each(|sum| *sum *= share);
        }
    }
}

simd_fn! {
    /// Gives every pixel its share of the mean's gradient.
    pub fn mean_pool_backward(gradient: &[f32], into: &mut [f32], shape: Shape) {
        let share = 1.0 / shape.pixels() as f32;
        for (image, g) in into.chunks_exact_mut(shape.len()).zip(gradient.chunks_exact(shape.channels)) {
            for pixel in image.chunks_exact_mut(shape.channels) {
                for (to, from) in pixel.iter_mut().zip(g) {
                    *to = share * from;
                }
            }
        }
    }
}

/// Calls `each(place in the whole image, place among the taken)` for the pixels that a stride takes, row by row.
fn taken(shape: Shape, stride: usize, mut each: impl FnMut(usize, usize)) {
    let mut to = 0;
    for y in (0..shape.height).step_by(stride) {
        for x in (0..shape.width).step_by(stride) {
            each((y * shape.width + x) * shape.channels, to);
            to += shape.channels;
        }
    }
}

/// Every `stride`-th pixel of every `stride`-th row.
pub fn thin(input: &[f32], output: &mut [f32], shape: Shape, stride: usize) {
    let (c, small) = (shape.channels, shape.height.div_ceil(stride) * shape.width.div_ceil(stride));
    for (image, out) in input.chunks_exact(shape.len()).zip(output.chunks_exact_mut(small * c)) {
        taken(shape, stride, |from, to| out[to..to + c].copy_from_slice(&image[from..from + c]));
    }
}

/// Gradients back to the pixels that [`thin`] took, zeros to the others.
pub fn thin_backward(gradient: &[f32], into: &mut [f32], shape: Shape, stride: usize) {
    let (c, small) = (shape.channels, shape.height.div_ceil(stride) * shape.width.div_ceil(stride));
    into.fill(0.0);
    for (image, g) in into.chunks_exact_mut(shape.len()).zip(gradient.chunks_exact(small * c)) {
        taken(shape, stride, |to, from| image[to..to + c].copy_from_slice(&g[from..from + c]));
    }
}

simd_fn! {
    /// `to` grows by `other`.
    pub fn add(to: &mut [f32], other: &[f32]) {
        for (x, y) in to.iter_mut().zip(other) {
            *x += y;
        }
    }
}

/// Zeroes each number with the given probability and scales the rest. The draw depends on `key` (one a step and
/// layer) and the number's place in the whole batch, not on how rows are shared among threads; calling it on the
/// gradient with the same arguments is the backward pass.
pub fn dropout(values: &mut [f32], first: usize, probability: f32, key: u64) {
    let (limit, scale) = ((f64::from(probability) * (1u64 << 32) as f64) as u64, 1.0 / (1.0 - probability));
    for (i, x) in values.iter_mut().enumerate() {
        let mut z = key.wrapping_add(((first + i) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        *x = if (z >> 32) < limit { 0.0 } else { *x * scale };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pooling_takes_the_largest_and_ties_go_to_the_first() {
        let shape = Shape { channels: 1, height: 2, width: 5 };
        let input = [1.0, 3.0, 0.0, 0.0, 9.0, 2.0, -1.0, 0.0, 0.0, 9.0];
        let mut out = [0.0; 2];
        max_pool(&input, &mut out, shape);
        assert_eq!(out, [3.0, 0.0]);
        let mut back = [7.0; 10];
        max_pool_backward(&input, &out, &[5.0, 6.0], &mut back, shape);
        assert_eq!(back, [0.0, 5.0, 6.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn thinning_takes_every_second_pixel_and_gives_its_gradient_back() {
        let shape = Shape { channels: 2, height: 3, width: 4 };
        let input: Vec<f32> = (0..24).map(|i| i as f32).collect();
        let mut out = [0.0; 8];
        thin(&input, &mut out, shape, 2);
        assert_eq!(out, [0.0, 1.0, 4.0, 5.0, 16.0, 17.0, 20.0, 21.0]);
        let mut back = [9.0; 24];
        thin_backward(&out, &mut back, shape, 2);
        let want: Vec<f32> =
            (0..24).map(|i| if out.contains(&(i as f32)) { i as f32 } else { 0.0 }).collect();
        assert_eq!(back.to_vec(), want);
        let (mut mean, mut spread) = ([0.0; 2], [0.0; 24]);
        mean_pool(&input, &mut mean, shape);
        assert_eq!(mean, [11.0, 12.0]);
        mean_pool_backward(&[12.0, 24.0], &mut spread, shape);
        assert!(spread.chunks(2).all(|pixel| pixel == [1.0, 2.0]));
    }

    #[test]
    fn dropout_keeps_the_mean_and_does_not_depend_on_the_cut() {
        let mut whole = vec![1.0f32; 100_000];
        dropout(&mut whole, 0, 0.3, 42);
        let zeros = whole.iter().filter(|&&x| x == 0.0).count() as f64 / 1e5;
        let mean = whole.iter().map(|&x| f64::from(x)).sum::<f64>() / 1e5;
        assert!((zeros - 0.3).abs() < 0.01 && (mean - 1.0).abs() < 0.01, "{zeros} {mean}");
        let mut parts = vec![1.0f32; 100_000];
        let (a, b) = parts.split_at_mut(777);
        dropout(a, 0, 0.3, 42);
        dropout(b, 777, 0.3, 42);
        assert_eq!(whole, parts);
    }
}
