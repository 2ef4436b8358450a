//! The probability that as many unlabeled examples are positive as the prior says.
//!
//! V. Shukla, Z. Zeng, K. Ahmed and G. Van den Broeck, "A unified approach to count-based weakly supervised learning",
//! NeurIPS 2023, arXiv 2311.13718.
//!
//! The number of positives among n examples that are positive with probabilities σ(f_i), each on its own, follows the
//! Poisson binomial law. Its probability of k comes from the usual recursion over examples. Here all scores are first moved
//! by the θ for which k positives are expected: the law of the moved scores is e^{θk − Σ (softplus(f + θ) − softplus(f))}
//! times the other at k, has its bulk there, and so needs no logarithms in the recursion; and the probability of each example
//! *given* the count is the same under both.

use crate::curvature::{fill, logistic};
use crate::error::LossError;
use crate::lesson::aligned;
use crate::objective::{Objective, check_lengths};
use crate::sampling::check_prior;
use crate::sigmoid::{sigmoid, sigmoid_pair, softplus};

/// Unlabeled examples that are counted together: the recursion takes a table of n (k + 1) numbers.
const COUNTED: usize = 512;
/// Scores beyond this are as certain as numbers get.
const SATURATED: f64 = 40.0;

/// mean_P softplus(−f) − ln Pr(k of U are positive), k = μ n_u rounded.
///
/// Batches of more than 512 unlabeled examples are counted 512 at a time, in their order, and the logarithms averaged. On U
/// the gradient is σ(f) − Pr(positive | k are), over the number of groups; on P it is −σ(−f) / n_p. The sums of both
/// probabilities over a group are what is expected and k, so the gradient moves the mean of U to k / n and, beyond that, every
/// example toward what the others leave for it. Curvature: σ(f) σ(−f) over the number of groups on U.
///
/// The true count of a batch varies around μ n_u, which the loss takes for k. It assumes that the labeled positives are a random
/// subset of all positives.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    mu: f64,
}

impl Count {
    /// `mu` is the share of positives among the unlabeled examples, strictly between 0 and 1.
    pub fn new(mu: f64) -> Result<Self, LossError> {
        Ok(Self { mu: check_prior(mu)? })
    }
}

/// −ln of the probability that `count` of the scores' examples are positive; their gradient, times `weight`, into `grad`.
fn counted(scores: &[f32], count: usize, weight: f64, grad: &mut [f32]) -> f64 {
    let clamped = |f: &f32| f64::from(*f).clamp(-SATURATED, SATURATED);
    let n = scores.len();
    if count == 0 || count == n {
        // Every example is of one class.
        let sign = if count == 0 { 1.0 } else { -1.0 };
        let mut sum = 0.0;
        for (f, grad) in scores.iter().map(clamped).zip(grad) {
            sum += softplus(sign * f);
            *grad = (sign * weight * sigmoid(sign * f)) as f32;
        }
        return sum;
    }
    let clean: Vec<f32> = scores.iter().map(|f| clamped(f) as f32).collect();
    let shift = aligned(clean.as_slice().into(), count as f64 / n as f64);
    let moved: Vec<(f64, f64)> = clean.iter().map(|&f| sigmoid_pair(f64::from(f) + shift)).collect();
    // Row i: the probabilities of 0 to `count` positives among the first i examples.
    let width = count + 1;
    let mut table = vec![0.0; (n + 1) * width];
    table[0] = 1.0;
    for (i, &(up, down)) in moved.iter().enumerate() {
        let (before, after) = table[i * width..(i + 2) * width].split_at_mut(width);
        after[0] = down * before[0];
        for j in 1..width {
            after[j] = down * before[j] + up * before[j - 1];
        }
    }
    let whole = table[n * width + count];
    // The probability that the examples from i on bring the count from j to `count`.
    let mut rest = vec![0.0; width];
    rest[count] = 1.0;
    for (i, &(up, down)) in moved.iter().enumerate().rev() {
        let before = &table[i * width..(i + 1) * width];
        let given: f64 = up * (0..count).map(|j| before[j] * rest[j + 1]).sum::<f64>() / whole;
        grad[i] = (weight * (sigmoid(f64::from(clean[i])) - given)) as f32;
        for j in 0..count {
            rest[j] = down * rest[j] + up * rest[j + 1];
        }
        rest[count] *= down;
    }
    let moved_by: f64 = clean.iter().map(|&f| f64::from(f)).map(|f| softplus(f + shift) - softplus(f)).sum();
    shift * count as f64 - moved_by - whole.ln()
}

impl Objective for Count {
    fn evaluate(&self, positive: &[f32], unlabeled: &[f32], grad_p: &mut [f32], grad_u: &mut [f32]) -> f64 {
        check_lengths(positive, unlabeled, grad_p, grad_u);
        let mut value = 0.0;
        let n = positive.len() as f64;
        for (&f, grad) in positive.iter().zip(grad_p) {
            let f = f64::from(f);
            value += softplus(-f) / n;
            *grad = (-sigmoid_pair(f).1 / n) as f32;
        }
        let groups = unlabeled.len().div_ceil(COUNTED).max(1);
        let size = unlabeled.len().div_ceil(groups).max(1);
        for (scores, grad) in unlabeled.chunks(size).zip(grad_u.chunks_mut(size)) {
            let count = (self.mu * scores.len() as f64).round() as usize;
            let weight = 1.0 / groups as f64;
            value += weight * counted(scores, count.min(scores.len()), weight, grad);
        }
        value
    }

    fn curvature(&self, positive: &[f32], unlabeled: &[f32], curve_p: &mut [f32], curve_u: &mut [f32]) {
        check_lengths(positive, unlabeled, curve_p, curve_u);
        let groups = unlabeled.len().div_ceil(COUNTED).max(1);
        fill(positive.into(), 1.0 / positive.len() as f64, curve_p, logistic);
        fill(unlabeled.into(), 1.0 / groups as f64, curve_u, logistic);
    }

    fn describe(&self) -> String {
        "count".to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to choose `count` of the examples.
    fn by_enumeration(scores: &[f32], count: u32) -> (f64, Vec<f64>) {
        let (mut whole, mut given) = (0.0, vec![0.0; scores.len()]);
        for chosen in 0u32..1 << scores.len() {
            if chosen.count_ones() != count {
                continue;
            }
            let is = |i: usize| chosen >> i & 1 == 1;
            let probability: f64 = (0..scores.len())
                .map(|i| sigmoid(if is(i) { f64::from(scores[i]) } else { -f64::from(scores[i]) }))
                .product();
            whole += probability;
            (0..scores.len()).filter(|&i| is(i)).for_each(|i| given[i] += probability);
        }
        given.iter_mut().for_each(|p| *p /= whole);
        (whole, given)
    }

    #[test]
    fn counts_and_posteriors_are_those_of_all_choices() {
        let scores = [0.875f32, -2.5, 1.75, -0.25, 4.125, -1.1875, 12.0, -9.0];
        for count in 0..=8 {
            let mut grad = [9.0; 8];
            let value = counted(&scores, count, 1.0, &mut grad);
            let (whole, given) = by_enumeration(&scores, count as u32);
            assert!((value + whole.ln()).abs() < 1e-9, "{count}: {value} against {}", -whole.ln());
            for (i, given) in given.iter().enumerate() {
                let expected = sigmoid(f64::from(scores[i])) - given;
                assert!((f64::from(grad[i]) - expected).abs() < 1e-7, "{count}, {i}: {} {expected}", grad[i]);
            }
        }
    }

    #[test]
    fn equal_scores_have_the_binomial_law() {
        // ln C(500, 125) by sums of logarithms; at q = 1/4 the count is the likeliest.
        let binomial: f64 = (1..=125).map(|i| ((500.0 - 125.0 + i as f64) / i as f64).ln()).sum();
        let logit = (1.0f64 / 3.0).ln() as f32;
        let loss = Count::new(0.25).unwrap();
        let (mut grad, scores) = (vec![9.0; 500], vec![logit; 500]);
        let value = loss.evaluate(&[], &scores, &mut [], &mut grad);
        let expected = -(binomial + 125.0 * 0.25f64.ln() + 375.0 * 0.75f64.ln());
        assert!((value - expected).abs() < 1e-4, "{value} against {expected}");
        assert!(grad.iter().all(|g| g.abs() < 1e-6));
        // Four groups of 500 have the mean of the same.
        let (mut grad, scores) = (vec![9.0; 2000], vec![logit; 2000]);
        let mean = loss.evaluate(&[], &scores, &mut [], &mut grad);
        assert!((mean - value).abs() < 1e-9, "{mean} against {value}");
    }
}
