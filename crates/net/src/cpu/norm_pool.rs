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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::simd::tests::at_every_level;
    use crate::cpu::{norm, pointwise};
    use crate::spec::Activation;
    use onesided_data::Stream;

    /// The fused sweeps against batch norm, ReLU and pooling one after the other, on an image with an odd side.
    #[test]
    fn one_sweep_is_the_same_as_three() {
        at_every_level(compare);
    }

    fn compare() {
        let shape = Shape { channels: 32, height: 5, width: 4 };
        let (images, c, pooled) = (3, 32, 2 * 2 * 32);
        let mut stream = Stream::new(4, "sweep");
        let mut draws = |n: usize| (0..n).map(|_| stream.normal() as f32).collect::<Vec<_>>();
        let (z, gamma, beta, gradient) =
            (draws(images * shape.len()), draws(c), draws(c), draws(images * pooled));
        let (mut sum, mut square) = (vec![0.0; c], vec![0.0; c]);
        norm::sums(&z, &mut sum, &mut square);
        let (count, mut moments) = (images * shape.pixels(), Moments::default());
        moments.of_batch(&[(&sum, &square)], count, &mut vec![0.0; c], &mut vec![1.0; c]);
        let (small, affine) = (&mut Vec::new(), (gamma.as_slice(), beta.as_slice()));

        let mut fused = vec![0.0; images * pooled];
        apply(&z, &mut fused, shape, &moments, affine, small);
        let (mut y, mut apart) = (vec![0.0; z.len()], vec![0.0; images * pooled]);
        norm::apply(&z, &mut y, &moments, &gamma, &beta, Some(Activation::Relu), small);
        pointwise::max_pool(&y, &mut apart, shape);
        assert_eq!(fused, apart);

        let (mut s, mut q) = (vec![0.0; c], vec![0.0; c]);
        backward_sums(&gradient, &z, &fused, shape, &moments, affine, (&mut s, &mut q), small);
        let mut g = vec![0.0; z.len()];
        pointwise::max_pool_backward(&y, &apart, &gradient, &mut g, shape);
        let (mut s2, mut q2) = (vec![0.0; c], vec![0.0; c]);
        norm::backward_sums(&mut g, &z, &y, &moments, Some(Activation::Relu), &mut s2, &mut q2);
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-5);
        assert!(near(&s, &s2) && near(&q, &q2));

        let (mut back, mut dg, mut db) = (Backward::default(), vec![0.0; c], vec![0.0; c]);
        back.of_batch(&[(&s, &q)], count, &moments, &gamma, &mut dg, &mut db);
        let mut into = vec![9.0; z.len()];
        backward_apply(&gradient, &z, &fused, &mut into, shape, &moments, affine, &back, small);
        norm::backward_apply(&mut g, &z, &moments, &back);
        assert!(into.iter().zip(&g).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}
