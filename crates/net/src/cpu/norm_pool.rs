//! Batch norm, ReLU and 2×2 max pooling in one sweep.
//!
//! The normalized image is never stored: it is four times the size of the pooled one and is needed only to find which pixel
//! of a block was the largest, which the normalization of the stored input tells again, to the bit. Halves and formulas are
//! those of [`super::norm`]. Channels come in whole vectors.

use super::norm::{Backward, Moments};
use super::simd::{LANES, Vector, simd_fn};
use crate::spec::Shape;

/// Whether the fused form takes images of this shape.
pub(crate) fn applies(shape: Shape) -> bool {
    shape.channels.is_multiple_of(LANES) && shape.height >= 2 && shape.width >= 2
}

/// γ / √(variance + ε) and β - mean · that.
fn line(moments: &Moments, gamma: &[f32], beta: &[f32], scratch: &mut Vec<f32>) {
    scratch.clear();
    scratch.extend(gamma.iter().zip(&moments.inverse).map(|(g, i)| g * i));
    for (i, b) in beta.iter().enumerate() {
        let shift = b - moments.mean[i] * scratch[i];
        scratch.push(shift);
    }
}

/// `output` = max over each block of max(0, γ ẑ + β).
pub(crate) fn apply(
    input: &[f32],
    output: &mut [f32],
    shape: Shape,
    moments: &Moments,
    (gamma, beta): (&[f32], &[f32]),
    scratch: &mut Vec<f32>,
) {
    line(moments, gamma, beta, scratch);
    let (scale, shift) = scratch.split_at(gamma.len());
    pool(input, output, shape, scale, shift);
}

/// Places of the four pixels of a block, from that of its first.
#[inline(always)]
fn corners(at: usize, shape: Shape) -> [usize; 4] {
    let row = shape.width * shape.channels;
    [at, at + shape.channels, at + row, at + row + shape.channels]
}

simd_fn! {
    fn pool<V>(input: &[f32], output: &mut [f32], shape: Shape, scale: &[f32], shift: &[f32]) {
        let (c, height, width) = (shape.channels, shape.height / 2, shape.width / 2);
        for (image, out) in input.chunks_exact(shape.len()).zip(output.chunks_exact_mut(height * width * c)) {
            for block in 0..height * width {
                let (y, x) = (block / width, block % width);
                let corners = corners((2 * y * shape.width + 2 * x) * c, shape);
                for k in (0..c).step_by(LANES) {
                    let (scale, shift) = (V::load(&scale[k..]), V::load(&shift[k..]));
                    let mut best = V::zero();
                    for at in corners {
                        best = best.max(V::load(&image[at + k..]).mul(scale).add(shift));
                    }
                    best.store(&mut out[block * c + k..]);
                }
            }
        }
    }
}

/// First half of the backward pass from the gradient of the pooled image: Σ g and Σ g (z - mean).
#[allow(clippy::too_many_arguments)]
pub(crate) fn backward_sums(
    gradient: &[f32],
    input: &[f32],
    output: &[f32],
    shape: Shape,
    moments: &Moments,
    (gamma, beta): (&[f32], &[f32]),
    (sum, product): (&mut [f64], &mut [f64]),
    scratch: &mut Vec<f32>,
) {
    line(moments, gamma, beta, scratch);
    let (scale, shift) = scratch.split_at(gamma.len());
    sum.fill(0.0);
    product.fill(0.0);
    pool_sums(gradient, input, output, shape, &moments.mean, scale, shift, sum, product);
}

/// The gradient of the normalized block: all of it goes to the first pixel that holds the largest value, if that is
/// above zero.
#[inline(always)]
fn route<V: Vector>(gradient: V, best: V, pixels: [V; 4], scale: V, shift: V) -> [V; 4] {
    let mut left = gradient.where_positive(best);
    let mut routed = [V::zero(); 4];
    for i in 0..3 {
        routed[i] = left.where_equal(pixels[i].mul(scale).add(shift), best);
        left = left.sub(routed[i]);
    }
    routed[3] = left;
    routed
}

simd_fn! {
    fn pool_sums<V>(
        gradient: &[f32],
        input: &[f32],
        output: &[f32],
        shape: Shape,
        mean: &[f32],
        scale: &[f32],
        shift: &[f32],
        sum: &mut [f64],
        product: &mut [f64],
    ) {
        let (c, height, width) = (shape.channels, shape.height / 2, shape.width / 2);
        for (n, image) in input.chunks_exact(shape.len()).enumerate() {
            for k in (0..c).step_by(LANES) {
                let (mean, scale, shift) = (V::load(&mean[k..]), V::load(&scale[k..]), V::load(&shift[k..]));
                for y in 0..height {
                    let (mut s, mut q) = (V::zero(), V::zero());
                    for x in 0..width {
                        let pooled = ((n * height + y) * width + x) * c + k;
                        let at = corners((2 * y * shape.width + 2 * x) * c + k, shape);
                        let (g, best) = (V::load(&gradient[pooled..]), V::load(&output[pooled..]));
                        let mut z = [V::zero(); 4];
                        for i in 0..4 {
                            z[i] = V::load(&image[at[i]..]);
                        }
                        let routed = route(g, best, z, scale, shift);
                        for i in 0..4 {
                            s = s.add(routed[i]);
                            q = q.add(routed[i].mul(z[i].sub(mean)));
                        }
                    }
                    let (s, q) = (s.to_array(), q.to_array());
                    for i in 0..LANES {
                        sum[k + i] += f64::from(s[i]);
                        product[k + i] += f64::from(q[i]);
                    }
                }
            }
        }
    }
}

/// Second half: `into` becomes the gradient of the input.
#[allow(clippy::too_many_arguments)]
pub(crate) fn backward_apply(
    gradient: &[f32],
    input: &[f32],
    output: &[f32],
    into: &mut [f32],
    shape: Shape,
    moments: &Moments,
    (gamma, beta): (&[f32], &[f32]),
    with: &Backward,
    scratch: &mut Vec<f32>,
) {
    line(moments, gamma, beta, scratch);
    let (scale, shift) = scratch.split_at(gamma.len());
    unpool(gradient, input, output, into, shape, &moments.mean, scale, shift, &with.offset, &with.slope);
}

simd_fn! {
    fn unpool<V>(
        gradient: &[f32],
        input: &[f32],
        output: &[f32],
        into: &mut [f32],
        shape: Shape,
        mean: &[f32],
        scale: &[f32],
        shift: &[f32],
        offset: &[f32],
        slope: &[f32],
    ) {
        let (c, height, width) = (shape.channels, shape.height / 2, shape.width / 2);
        for (n, (image, to)) in input.chunks_exact(shape.len()).zip(into.chunks_exact_mut(shape.len())).enumerate() {
            for y in 0..shape.height {
                for x in 0..shape.width {
                    let inside = y < 2 * height && x < 2 * width;
                    if inside && (y % 2 == 1 || x % 2 == 1) {
                        // Written together with the first pixel of its block.
                        continue;
                    }
                    let pixel = (y * shape.width + x) * c;
                    for k in (0..c).step_by(LANES) {
                        let (mean, scale, shift) = (V::load(&mean[k..]), V::load(&scale[k..]), V::load(&shift[k..]));
                        let (offset, slope) = (V::load(&offset[k..]), V::load(&slope[k..]));
                        if !inside {
                            let z = V::load(&image[pixel + k..]);
                            V::zero().sub(offset).sub(z.sub(mean).mul(slope)).store(&mut to[pixel + k..]);
                            continue;
                        }
                        let pooled = ((n * height + y / 2) * width + x / 2) * c + k;
                        let at = corners(pixel + k, shape);
                        let (g, best) = (V::load(&gradient[pooled..]), V::load(&output[pooled..]));
                        let mut z = [V::zero(); 4];
                        for i in 0..4 {
                            z[i] = V::load(&image[at[i]..]);
                        }
                        let routed = route(g, best, z, scale, shift);
                        for i in 0..4 {
                            let rest = offset.add(z[i].sub(mean).mul(slope));
                            routed[i].mul(scale).sub(rest).store(&mut to[at[i]..]);
                        }
                    }
                }
            }
        }
    }
}
