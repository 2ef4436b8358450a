//! A small dense network with an exact backward pass, to its weights and to its input.
//!
//! The networks of `onesided-net` give a score per row and the gradient of their weights. A generator learns through its
//! judges, so it needs the gradient of a score with respect to the judged row as well. Layers are y = xW + b; between
//! them is a leaky ReLU (A. Maas, A. Hannun and A. Ng, ICML 2013), max(y, 0.2 y), whose slope can be read off its
//! value; the last one is followed by nothing or by tanh.

use crate::Rows;
use crate::threads::in_blocks;
use onesided_data::Stream;
use serde::{Deserialize, Serialize};

/// Slope of the leaky ReLU below zero, the usual one for judges of generated rows (Radford, Metz and Chintala, 2016).
pub const LEAK: f32 = 0.2;

/// Rows that are scored at a time.
const SCORED: usize = 512;

/// What follows the last layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    /// Nothing: any number.
    Linear,
    /// tanh: numbers between -1 and 1.
    Tanh,
}

/// Dense layers one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DenseNet {
    /// How many numbers enter, leave each hidden layer, and leave at the end.
    widths: Vec<usize>,
    output: Output,
    /// Layer by layer: W with one row per input, then b.
    parameters: Vec<f32>,
}

/// What a forward pass leaves for the backward pass: the input and what left each layer.
#[derive(Clone, Debug, Default)]
pub struct Pass {
    rows: usize,
    values: Vec<Vec<f32>>,
}

impl Pass {
    /// What left the last layer.
    pub fn output(&self) -> &[f32] {
        self.values.last().map_or(&[], Vec::as_slice)
    }
}

impl DenseNet {
    /// Weights drawn from N(0, 2 / ((1 + 0.04) inputs)), which keeps the size of values through leaky ReLUs (K. He and
    /// others, ICCV 2015), and biases of zero. Every width must be at least 1, and there must be two of them.
    pub fn new(widths: Vec<usize>, output: Output, stream: &mut Stream) -> Self {
        let mut parameters = Vec::new();
        for pair in widths.windows(2) {
            let spread = (2.0 / ((1.0 + f64::from(LEAK * LEAK)) * pair[0] as f64)).sqrt();
            parameters.extend((0..pair[0] * pair[1]).map(|_| (spread * stream.normal()) as f32));
            parameters.extend(std::iter::repeat_n(0.0, pair[1]));
        }
        Self { widths, output, parameters }
    }

    /// How many numbers a row has.
    pub fn inputs(&self) -> usize {
        self.widths.first().copied().unwrap_or(0)
    }

    /// How many numbers leave for a row.
    pub fn outputs(&self) -> usize {
        self.widths.last().copied().unwrap_or(0)
    }

    /// How many numbers enter, leave each hidden layer, and leave at the end.
    pub fn widths(&self) -> &[usize] {
        &self.widths
    }

    /// What follows the last layer.
    pub fn output(&self) -> Output {
        self.output
    }

    /// All weights and biases.
    pub fn parameters(&self) -> &[f32] {
        &self.parameters
    }

    /// All weights and biases, to change.
    pub fn parameters_mut(&mut self) -> &mut [f32] {
        &mut self.parameters
    }

    /// Whether there are as many parameters as the widths ask for, and all are finite: for networks read from a file.
    pub fn is_whole(&self) -> bool {
        let needed = self.widths.windows(2).try_fold(0usize, |sum, pair| {
            pair[0].checked_mul(pair[1])?.checked_add(pair[1])?.checked_add(sum)
        });
        self.widths.len() > 1
            && self.widths.iter().all(|&width| width > 0)
            && needed == Some(self.parameters.len())
            && self.parameters.iter().all(|value| value.is_finite())
    }

    /// Runs rows through; the result is [`Pass::output`].
    pub fn forward(&self, input: &[f32], pass: &mut Pass) {
        pass.rows = input.len() / self.inputs();
        pass.values.resize_with(self.widths.len(), Vec::new);
        pass.values[0].clear();
        pass.values[0].extend_from_slice(input);
        let mut at = 0;
        for (layer, pair) in self.widths.windows(2).enumerate() {
            let (weights, bias, next) = self.layer(at, pair);
            let (before, after) = pass.values.split_at_mut(layer + 1);
            let out = &mut after[0];
            out.clear();
            (0..pass.rows).for_each(|_| out.extend_from_slice(bias));
            multiply(out, (pass.rows, pair[1], pair[0]), (&before[layer], pair[0], 1), (weights, pair[1], 1));
            if layer + 2 < self.widths.len() {
                out.iter_mut().for_each(|y| *y = y.max(LEAK * *y));
            } else if self.output == Output::Tanh {
                out.iter_mut().for_each(|y| *y = y.tanh());
            }
            at = next;
        }
    }

    /// The first output of each row, in `f64`: a score.
    pub fn scores(&self, rows: &dyn Rows) -> Vec<f64> {
        let blocks = rows.rows().div_ceil(SCORED);
        let parts = in_blocks(rows.rows(), blocks, |range| {
            let mut input = vec![0.0; range.len() * self.inputs()];
            for (i, row) in range.zip(input.chunks_exact_mut(self.inputs())) {
                rows.each(i, &mut |column, value| row[column] = value);
            }
            let mut pass = Pass::default();
            self.forward(&input, &mut pass);
            pass.output().chunks_exact(self.outputs()).map(|out| f64::from(out[0])).collect::<Vec<_>>()
        });
        parts.concat()
    }

    /// From the gradient of a loss with respect to the outputs: that of the parameters is added to `parameters`.
    pub fn learn(&self, pass: &Pass, gradient: Vec<f32>, parameters: &mut [f32]) {
        self.backward(pass, gradient, Some(parameters), false);
    }

    /// From the gradient of a loss with respect to the outputs, that with respect to the input.
    pub fn to_input(&self, pass: &Pass, gradient: Vec<f32>) -> Vec<f32> {
        self.backward(pass, gradient, None, true)
    }

    /// Layer by layer from the last one; what nobody asks for is not computed. Returns the gradient where it ended.
    fn backward(
        &self,
        pass: &Pass,
        mut gradient: Vec<f32>,
        mut parameters: Option<&mut [f32]>,
        to_input: bool,
    ) -> Vec<f32> {
        let mut end = self.parameters.len();
        for (layer, pair) in self.widths.windows(2).enumerate().rev() {
            let out = &pass.values[layer + 1];
            if layer + 2 < self.widths.len() {
                gradient.iter_mut().zip(out).for_each(|(g, &y)| *g *= if y > 0.0 { 1.0 } else { LEAK });
            } else if self.output == Output::Tanh {
                gradient.iter_mut().zip(out).for_each(|(g, &y)| *g *= 1.0 - y * y);
            }
            let at = end - (pair[0] + 1) * pair[1];
            if let Some(parameters) = parameters.as_deref_mut() {
                let (of_weights, of_bias) = parameters[at..end].split_at_mut(pair[0] * pair[1]);
                let input = &pass.values[layer];
                // Wᵀ's gradient is xᵀ dy.
                multiply(
                    of_weights,
                    (pair[0], pair[1], pass.rows),
                    (input, 1, pair[0]),
                    (&gradient, pair[1], 1),
                );
                for row in gradient.chunks_exact(pair[1]) {
                    of_bias.iter_mut().zip(row).for_each(|(sum, g)| *sum += g);
                }
            }
            if layer > 0 || to_input {
                let weights = &self.parameters[at..end - pair[1]];
                let mut of_input = vec![0.0; pass.rows * pair[0]];
                multiply(
                    &mut of_input,
                    (pass.rows, pair[0], pair[1]),
                    (&gradient, pair[1], 1),
                    (weights, 1, pair[1]),
                );
                gradient = of_input;
            }
            end = at;
        }
        gradient
    }

    /// The same network for rows that were not yet moved and scaled: its first layer does x ↦ (x - shift) · scale.
    pub fn absorb(mut self, shift: &[f32], scale: &[f32]) -> Self {
        let width = self.widths.get(1).copied().unwrap_or(0);
        let (weights, rest) = self.parameters.split_at_mut(shift.len() * width);
        let mut moved: Vec<f64> = rest[..width].iter().map(|&b| f64::from(b)).collect();
        for ((row, &shift), &scale) in weights.chunks_exact_mut(width).zip(shift).zip(scale) {
            for (w, b) in row.iter_mut().zip(&mut moved) {
                *w *= scale;
                *b -= f64::from(shift) * f64::from(*w);
            }
        }
        rest.iter_mut().zip(moved).for_each(|(b, moved)| *b = moved as f32);
        self
    }

    /// Weights and bias of the layer that starts at a place, and where the next one starts.
    fn layer(&self, at: usize, pair: &[usize]) -> (&[f32], &[f32], usize) {
        let bias = at + pair[0] * pair[1];
        (&self.parameters[at..bias], &self.parameters[bias..bias + pair[1]], bias + pair[1])
    }
}

/// A matrix: its numbers, the step from a row to the next and that from a column to the next.
type View<'a> = (&'a [f32], usize, usize);

/// Adds left · right to `out`, which has `rows` rows of `columns` numbers; `inner` is the length summed over.
fn multiply(
    out: &mut [f32],
    (rows, columns, inner): (usize, usize, usize),
    (left, left_row, left_column): View,
    (right, right_row, right_column): View,
) {
    if rows == 0 || columns == 0 || inner == 0 {
        return;
    }
    let last = |rows: usize, row_step: usize, columns: usize, column_step: usize| {
        (rows - 1) * row_step + (columns - 1) * column_step
    };
    assert!(
        out.len() >= rows * columns
            && left.len() > last(rows, left_row, inner, left_column)
            && right.len() > last(inner, right_row, columns, right_column),
        "a product of {rows}x{inner} and {inner}x{columns} does not fit its slices"
    );
    // SAFETY: the assertion shows that every element read or written lies in its slice, and `out` is borrowed mutably, so
    // it overlaps neither operand.
    unsafe {
        gemm::gemm(
            rows,
            columns,
            inner,
            out.as_mut_ptr(),
            1,
            columns as isize,
            true,
            left.as_ptr(),
            left_column as isize,
            left_row as isize,
            right.as_ptr(),
            right_column as isize,
            right_row as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    /// Central differences of this step, in single precision: up to 1e-3 off. A longer step would cross kinks.
    const STEP: f32 = 1e-3;
    const CLOSE: f64 = 2e-3;

    /// A sum over the outputs, each with its own weight, so that no two errors cancel.
    fn weight(i: usize) -> f32 {
        0.5 + (i % 5) as f32 / 4.0
    }

    fn loss(net: &DenseNet, input: &[f32]) -> f64 {
        let mut pass = Pass::default();
        net.forward(input, &mut pass);
        pass.output().iter().enumerate().map(|(i, &y)| f64::from(weight(i)) * f64::from(y)).sum()
    }

    #[test]
    fn gradients_of_every_layer_and_of_the_input_are_finite_differences() {
        let mut stream = Stream::new(3, "test");
        for (widths, output) in [
            (vec![3, 4], Output::Linear),
            (vec![3, 4], Output::Tanh),
            (vec![3, 6, 5, 2], Output::Linear),
            (vec![3, 6, 5, 2], Output::Tanh),
        ] {
            let mut net = DenseNet::new(widths, output, &mut stream);
            net.parameters_mut().iter_mut().for_each(|b| *b += 0.1);
            let mut input: Vec<f32> = (0..12).map(|_| stream.normal() as f32).collect();
            let mut pass = Pass::default();
            net.forward(&input, &mut pass);
            let mut of_parameters = vec![0.0; net.parameters().len()];
            let slopes: Vec<f32> = (0..pass.output().len()).map(weight).collect();
            net.learn(&pass, slopes.clone(), &mut of_parameters);
            let of_input = net.to_input(&pass, slopes.clone());
            for (i, &ours) in of_parameters.iter().enumerate() {
                let at = net.parameters()[i];
                let [up, down] = [STEP, -STEP].map(|step| {
                    net.parameters_mut()[i] = at + step;
                    loss(&net, &input)
                });
                net.parameters_mut()[i] = at;
                let slope = (up - down) / f64::from(2.0 * STEP);
                assert!((slope - f64::from(ours)).abs() < CLOSE, "parameter {i}: {ours}, not {slope}");
            }
            for i in 0..input.len() {
                let at = input[i];
                let [up, down] = [STEP, -STEP].map(|step| {
                    input[i] = at + step;
                    loss(&net, &input)
                });
                input[i] = at;
                let slope = (up - down) / f64::from(2.0 * STEP);
                assert!((slope - f64::from(of_input[i])).abs() < CLOSE, "input {i}: {slope}");
            }
            // Gradients are added to what is there.
            let once = of_parameters.clone();
            net.learn(&pass, slopes, &mut of_parameters);
            assert!(of_parameters.iter().zip(&once).all(|(twice, once)| (twice - 2.0 * once).abs() < 1e-5));
        }
    }

    #[test]
    fn scaling_can_be_absorbed_and_scores_come_in_order() {
        let mut stream = Stream::new(4, "test");
        let net = DenseNet::new(vec![3, 8, 1], Output::Linear, &mut stream);
        let (shift, scale) = ([0.5, -2.0, 10.0], [2.0, 0.1, 1.0]);
        let raw: Vec<f32> =
            (0..3 * 1100).map(|i| (3.0 * stream.normal()) as f32 + [0.0, 0.0, 9.0][i % 3]).collect();
        let moved: Vec<f32> =
            raw.iter().enumerate().map(|(i, x)| (x - shift[i % 3]) * scale[i % 3]).collect();
        let mut pass = Pass::default();
        net.forward(&moved, &mut pass);
        let scores = net.absorb(&shift, &scale).scores(&Matrix::new(1100, 3, raw).unwrap());
        assert_eq!(scores.len(), 1100);
        assert!(scores.iter().zip(pass.output()).all(|(a, b)| (a - f64::from(*b)).abs() < 1e-4));
    }

    #[test]
    fn a_network_read_from_a_file_must_be_whole() {
        let whole = DenseNet::new(vec![2, 3, 1], Output::Linear, &mut Stream::new(1, "test"));
        assert!(whole.is_whole());
        let mut short = whole.clone();
        short.parameters.pop();
        let mut endless = whole.clone();
        endless.parameters[0] = f32::NAN;
        let huge = DenseNet { widths: vec![usize::MAX, 2], ..whole.clone() };
        let none = DenseNet { widths: vec![], output: Output::Linear, parameters: vec![] };
        assert!([short, endless, huge, none].iter().all(|net| !net.is_whole()));
    }
}
