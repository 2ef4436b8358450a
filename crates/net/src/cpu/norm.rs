//! Batch normalization (Ioffe and Szegedy, 2015) in halves that threads can share.
//!
//! Over the `n` rows and pixels of the whole batch, a channel at a time: ẑ = (z - mean) / √(variance + ε),
//! y = γ ẑ + β, then the activation. Each thread sums its own rows; the sums are added up in a fixed order; each thread
//! then finishes its rows. Backward, with g the gradient of γ ẑ + β:
//! z' = γ / √(variance + ε) · (g - mean(g) - ẑ mean(g ẑ)), γ' = Σ g ẑ, β' = Σ g.

use super::pointwise::{activate, activate_backward};
use super::simd::{LANES, simd_fn};
use crate::spec::Activation;

pub(crate) const EPSILON: f32 = 1e-5;
/// Weight of the newest batch in the running statistics.
const MOMENTUM: f64 = 0.1;
/// Rows added up in f32 before they go into f64.
const ROWS_IN_F32: usize = 64;

simd_fn! {
    /// Adds Σ z and Σ z² of these rows, a channel at a time.
    pub fn sums<V>(values: &[f32], sum: &mut [f64], square: &mut [f64]) {
        let c = sum.len();
        let wide = c - c % LANES;
        for block in values.chunks(ROWS_IN_F32 * c) {
            for at in (0..wide).step_by(LANES) {
                let (mut s, mut q) = (V::zero(), V::zero());
                for row in block.chunks_exact(c) {
                    let z = V::load(&row[at..]);
                    s = s.add(z);
                    q = q.add(z.mul(z));
                }
                let (s, q) = (s.to_array(), q.to_array());
                for k in 0..LANES {
                    sum[at + k] += f64::from(s[k]);
                    square[at + k] += f64::from(q[k]);
                }
            }
            for at in wide..c {
                for row in block.chunks_exact(c) {
                    let z = f64::from(row[at]);
                    sum[at] += z;
                    square[at] += z * z;
                }
            }
        }
    }
}

/// Statistics of a batch (or the running ones), ready to apply.
#[derive(Clone, Default, Debug)]
pub(crate) struct Moments {
    pub mean: Vec<f32>,
    /// 1 / √(variance + ε).
    pub inverse: Vec<f32>,
}

impl Moments {
    /// From the sums of all threads over `count` rows and pixels; moves the running statistics along.
    pub fn of_batch(
        &mut self,
        sums: &[(&[f64], &[f64])],
        count: usize,
        running_mean: &mut [f32],
        running_variance: &mut [f32],
    ) {
        let channels = running_mean.len();
        self.mean.resize(channels, 0.0);
        self.inverse.resize(channels, 0.0);
        let n = count as f64;
        for i in 0..channels {
            let (sum, square) = sums.iter().fold((0.0, 0.0), |(s, q), part| (s + part.0[i], q + part.1[i]));
            let mean = sum / n;
            let variance = (square / n - mean * mean).max(0.0);
            self.mean[i] = mean as f32;
            self.inverse[i] = (1.0 / (variance + f64::from(EPSILON)).sqrt()) as f32;
            // The running variance is the unbiased one, as in PyTorch.
            let unbiased = if count > 1 { variance * n / (n - 1.0) } else { variance };
            let blend = |old: f32, new: f64| ((1.0 - MOMENTUM) * f64::from(old) + MOMENTUM * new) as f32;
            running_mean[i] = blend(running_mean[i], mean);
            running_variance[i] = blend(running_variance[i], unbiased);
        }
    }

    /// From the running statistics, for prediction.
    pub fn running(mean: &[f32], variance: &[f32]) -> Self {
        Self { mean: mean.to_vec(), inverse: variance.iter().map(|v| 1.0 / (v + EPSILON).sqrt()).collect() }
    }
}

simd_fn! {
    /// `output` = activation(γ ẑ + β).
    pub fn apply<V>(
        input: &[f32],
        output: &mut [f32],
        moments: &Moments,
        gamma: &[f32],
        beta: &[f32],
        activation: Option<Activation>,
        scratch: &mut Vec<f32>,
    ) {
        let c = gamma.len();
        scratch.resize(2 * c, 0.0);
        let (scale, shift) = scratch.split_at_mut(c);
        for i in 0..c {
            scale[i] = gamma[i] * moments.inverse[i];
            shift[i] = beta[i] - moments.mean[i] * scale[i];
        }
        let wide = c - c % LANES;
        let relu = activation == Some(Activation::Relu);
        for (row, out) in input.chunks_exact(c).zip(output.chunks_exact_mut(c)) {
            for at in (0..wide).step_by(LANES) {
                let y = V::load(&row[at..]).mul(V::load(&scale[at..])).add(V::load(&shift[at..]));
                (if relu { y.max(V::zero()) } else { y }).store(&mut out[at..]);
            }
            for at in wide..c {
                let y = row[at] * scale[at] + shift[at];
                out[at] = if relu { y.max(0.0) } else { y };
            }
        }
        if relu {
            return;
        }
        if let Some(activation) = activation {
            activate(output, activation);
        }
    }
}

simd_fn! {
    /// First half of the backward pass: the activation's slope goes into `gradient`, and Σ g, Σ g (z - mean) of this
    /// thread's rows into the sums.
    pub fn backward_sums<V>(
        gradient: &mut [f32],
        input: &[f32],
        output: &[f32],
        moments: &Moments,
        activation: Option<Activation>,
        sum: &mut [f64],
        product: &mut [f64],
    ) {
        let c = sum.len();
        let wide = c - c % LANES;
        sum.fill(0.0);
        product.fill(0.0);
        let relu = activation == Some(Activation::Relu);
        if let (Some(activation), false) = (activation, relu) {
            activate_backward(gradient, output, activation);
        }
        let block = ROWS_IN_F32 * c;
        for ((grads, inputs), outputs) in gradient.chunks_mut(block).zip(input.chunks(block)).zip(output.chunks(block)) {
            for at in (0..wide).step_by(LANES) {
                let mean = V::load(&moments.mean[at..]);
                let (mut s, mut q) = (V::zero(), V::zero());
                for ((grad, z), y) in grads.chunks_exact_mut(c).zip(inputs.chunks_exact(c)).zip(outputs.chunks_exact(c)) {
                    let mut g = V::load(&grad[at..]);
                    if relu {
                        g = g.where_positive(V::load(&y[at..]));
                        g.store(&mut grad[at..]);
                    }
                    s = s.add(g);
                    q = q.add(g.mul(V::load(&z[at..]).sub(mean)));
                }
                let (s, q) = (s.to_array(), q.to_array());
                for k in 0..LANES {
                    sum[at + k] += f64::from(s[k]);
                    product[at + k] += f64::from(q[k]);
                }
            }
            for at in wide..c {
                for ((grad, z), y) in grads.chunks_exact_mut(c).zip(inputs.chunks_exact(c)).zip(outputs.chunks_exact(c)) {
                    if relu && y[at] <= 0.0 {
                        grad[at] = 0.0;
                    }
                    sum[at] += f64::from(grad[at]);
                    product[at] += f64::from(grad[at]) * f64::from(z[at] - moments.mean[at]);
                }
            }
        }
    }
}

/// What the second half needs, a channel at a time: z' = scale · g - offset - slope · (z - mean), and γ', β'.
#[derive(Clone, Default, Debug)]
pub(crate) struct Backward {
    pub scale: Vec<f32>,
    pub offset: Vec<f32>,
    pub slope: Vec<f32>,
}

impl Backward {
    /// From the sums of all threads; writes the gradients of γ and β.
    pub fn of_batch(
        &mut self,
        sums: &[(&[f64], &[f64])],
        count: usize,
        moments: &Moments,
        gamma: &[f32],
        gamma_gradient: &mut [f32],
        beta_gradient: &mut [f32],
    ) {
        let channels = gamma.len();
        for field in [&mut self.scale, &mut self.offset, &mut self.slope] {
            field.resize(channels, 0.0);
        }
        let n = count as f64;
        for i in 0..channels {
            let (sum, product) = sums.iter().fold((0.0, 0.0), |(s, q), part| (s + part.0[i], q + part.1[i]));
            let inverse = f64::from(moments.inverse[i]);
            let scale = f64::from(gamma[i]) * inverse;
            self.scale[i] = scale as f32;
            self.offset[i] = (scale * sum / n) as f32;
            self.slope[i] = (scale * inverse * inverse * product / n) as f32;
            gamma_gradient[i] = (product * inverse) as f32;
            beta_gradient[i] = sum as f32;
        }
    }
}

simd_fn! {
    /// Second half: `gradient` becomes z'.
    pub fn backward_apply<V>(gradient: &mut [f32], input: &[f32], moments: &Moments, with: &Backward) {
        let c = moments.mean.len();
        let wide = c - c % LANES;
        let (mean, scale, offset, slope) = (&moments.mean[..c], &with.scale[..c], &with.offset[..c], &with.slope[..c]);
        for (grad, z) in gradient.chunks_exact_mut(c).zip(input.chunks_exact(c)) {
            for at in (0..wide).step_by(LANES) {
                let centered = V::load(&z[at..]).sub(V::load(&mean[at..]));
                let scaled = V::load(&grad[at..]).mul(V::load(&scale[at..])).sub(V::load(&offset[at..]));
                scaled.sub(centered.mul(V::load(&slope[at..]))).store(&mut grad[at..]);
            }
            for i in wide..c {
                grad[i] = grad[i] * scale[i] - offset[i] - (z[i] - mean[i]) * slope[i];
            }
        }
    }
}
