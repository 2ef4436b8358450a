//! Batch normalization (Ioffe and Szegedy, 2015) in halves that threads can share.
//!
//! Over the `n` rows and pixels of the whole batch, a channel at a time: ẑ = (z - mean) / √(variance + ε),
//! y = γ ẑ + β, then the activation. Each thread sums its own rows; the sums are added up in a fixed order; each thread
//! then finishes its rows. Backward, with g the gradient of γ ẑ + β:
//! z' = γ / √(variance + ε) · (g - mean(g) - ẑ mean(g ẑ)), γ' = Σ g ẑ, β' = Σ g.

use super::pointwise::{activate, activate_backward};
use super::simd::simd_fn;
use crate::spec::Activation;

pub(crate) const EPSILON: f32 = 1e-5;
/// Weight of the newest batch in the running statistics.
const MOMENTUM: f64 = 0.1;
/// Rows added up in f32 before they go into f64.
const ROWS_IN_F32: usize = 64;

simd_fn! {
    /// Per channel: Σ z and Σ z² of this thread's rows.
    pub fn sums(values: &[f32], sum: &mut [f64], square: &mut [f64], scratch: &mut Vec<f32>) {
        let c = sum.len();
        sum.fill(0.0);
        square.fill(0.0);
        scratch.resize(2 * c, 0.0);
        let (s, q) = scratch.split_at_mut(c);
        for block in values.chunks(ROWS_IN_F32 * c) {
            s.fill(0.0);
            q.fill(0.0);
            for row in block.chunks_exact(c) {
                for i in 0..c {
                    s[i] += row[i];
                    q[i] += row[i] * row[i];
                }
            }
            for i in 0..c {
                sum[i] += f64::from(s[i]);
                square[i] += f64::from(q[i]);
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
    pub fn apply(
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
        if activation == Some(Activation::Relu) {
            for (row, out) in input.chunks_exact(c).zip(output.chunks_exact_mut(c)) {
                for i in 0..c {
                    out[i] = (row[i] * scale[i] + shift[i]).max(0.0);
                }
            }
            return;
        }
        for (row, out) in input.chunks_exact(c).zip(output.chunks_exact_mut(c)) {
            for i in 0..c {
                out[i] = row[i] * scale[i] + shift[i];
            }
        }
        if let Some(activation) = activation {
            activate(output, activation);
        }
    }
}

simd_fn! {
    /// First half of the backward pass: the activation's slope goes into `gradient`, and Σ g, Σ g (z - mean) of this
    /// thread's rows into the sums.
    pub fn backward_sums(
        gradient: &mut [f32],
        input: &[f32],
        output: &[f32],
        moments: &Moments,
        activation: Option<Activation>,
        sum: &mut [f64],
        product: &mut [f64],
        scratch: &mut Vec<f32>,
    ) {
        let c = sum.len();
        sum.fill(0.0);
        product.fill(0.0);
        scratch.resize(2 * c, 0.0);
        let (s, q) = scratch.split_at_mut(c);
        let mean = &moments.mean[..c];
        let relu = activation == Some(Activation::Relu);
        if let (Some(activation), false) = (activation, relu) {
            activate_backward(gradient, output, activation);
        }
        let block = ROWS_IN_F32 * c;
        for ((grads, inputs), outputs) in gradient.chunks_mut(block).zip(input.chunks(block)).zip(output.chunks(block)) {
            s.fill(0.0);
            q.fill(0.0);
            for ((grad, z), y) in grads.chunks_exact_mut(c).zip(inputs.chunks_exact(c)).zip(outputs.chunks_exact(c)) {
                if relu {
                    for i in 0..c {
                        grad[i] = if y[i] > 0.0 { grad[i] } else { 0.0 };
                        s[i] += grad[i];
                        q[i] += grad[i] * (z[i] - mean[i]);
                    }
                } else {
                    for i in 0..c {
                        s[i] += grad[i];
                        q[i] += grad[i] * (z[i] - mean[i]);
                    }
                }
            }
            for i in 0..c {
                sum[i] += f64::from(s[i]);
                product[i] += f64::from(q[i]);
            }
        }
    }
}

/// What the second half needs, a channel at a time: z' = scale · g - offset - slope · (z - mean), and γ', β'.
#[derive(Clone, Default, Debug)]
pub(crate) struct Backward {
    scale: Vec<f32>,
    offset: Vec<f32>,
    slope: Vec<f32>,
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
    pub fn backward_apply(gradient: &mut [f32], input: &[f32], moments: &Moments, with: &Backward) {
        let c = moments.mean.len();
        let (mean, scale, offset, slope) = (&moments.mean[..c], &with.scale[..c], &with.offset[..c], &with.slope[..c]);
        for (grad, z) in gradient.chunks_exact_mut(c).zip(input.chunks_exact(c)) {
            for i in 0..c {
                grad[i] = grad[i] * scale[i] - offset[i] - (z[i] - mean[i]) * slope[i];
            }
        }
    }
}
