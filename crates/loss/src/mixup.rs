//! The regularizer of VPU: the prediction for a mixed row is the mixed prediction.
//!
//! H. Chen, F. Liu, Y. Wang, L. Zhao and H. Wu, "A variational approach for learning from positive and unlabeled data", NeurIPS
//! 2020. Rows of U are mixed with positives, x = g x_U + (1 − g) x_P, and with q = σ(f)
//!
//! L = mean_U (ln(g q_U + 1 − g) − ln q_mixed)²
//!
//! (a positive's prediction should be 1). With d = ln(g q_U + 1 − g) − ln q_mixed, the slope is −2 d σ(−f) / n on a mixed row
//! and 2 d σ(−f) · g q_U / (g q_U + 1 − g) / n on the row of U that is in it, as in the authors' program, where the target is
//! no constant. It needs nothing but scores, so every objective can have it next to its own term.

use crate::part::Part;
use crate::sigmoid::{sigmoid, softplus};

/// The regularizer, times `weight`, for rows of U and the scores of what was mixed from them, each with the share `g` of the
/// row of U. Its slopes are added to `grad_u` and written over `grad_mixed`.
///
/// # Panics
///
/// If there are not as many mixed rows as rows of U, or a gradient has another length than its scores.
pub fn mixup(
    g: f64,
    unlabeled: Part,
    mixed: &[f32],
    weight: f64,
    grad_u: &mut [f32],
    grad_mixed: &mut [f32],
) -> f64 {
    let rows = unlabeled.scores().len();
    assert_eq!(
        (mixed.len(), grad_u.len(), grad_mixed.len()),
        (rows, rows, rows),
        "a mixed row for each of U"
    );
    let total = unlabeled.total();
    let mut value = 0.0;
    for ((((f, own), &f_mixed), slope_u), slope_mixed) in
        unlabeled.iter().zip(mixed).zip(grad_u).zip(grad_mixed)
    {
        // By logarithms, so that a g of 1 and a q near 0 lose nothing.
        let (of_u, of_p) = (g.ln() - softplus(-f), (1.0 - g).ln());
        let (high, low) = (of_u.max(of_p), of_u.min(of_p));
        let target = high + (low - high).exp().ln_1p();
        let f_mixed = f64::from(f_mixed);
        let d = target + softplus(-f_mixed);
        let factor = weight * own / total;
        value += factor * d * d;
        *slope_u += (2.0 * factor * d * sigmoid(-f) * (of_u - target).exp()) as f32;
        *slope_mixed = (-2.0 * factor * d * sigmoid(-f_mixed)) as f32;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_by_hand() {
        // q_U = 3/4 and g = 1/2 make a target of 7/8; the mixed row has q = 1/2.
        let (u, mixed) = ([3.0f32.ln()], [0.0f32]);
        let (mut grad_u, mut grad_mixed) = ([1.0; 1], [9.0; 1]);
        let value = mixup(0.5, u.as_slice().into(), &mixed, 2.0, &mut grad_u, &mut grad_mixed);
        let d = (7.0f64 / 4.0).ln();
        assert!((value - 2.0 * d * d).abs() < 1e-7, "{value}");
        assert!((f64::from(grad_mixed[0]) + 2.0 * d).abs() < 1e-6, "{grad_mixed:?}");
        // g q_U / target = 3/7.
        assert!((f64::from(grad_u[0]) - 1.0 - 4.0 * d * 0.25 * 3.0 / 7.0).abs() < 1e-6, "{grad_u:?}");
    }

    #[test]
    fn gradients_are_those_of_the_value() {
        const STEP: f32 = 1.0 / 1024.0;
        let (u, mixed, weights) = ([1.625f32, -0.375, -3.25], [0.5f32, -1.75, 0.25], [0.5f32, 2.0, 1.0]);
        let evaluated = |u: &[f32; 3], mixed: &[f32; 3], g: f64| {
            let (mut grad_u, mut grad_mixed) = ([0.0; 3], [0.0; 3]);
            let part = Part::new(u, Some(&weights));
            (mixup(g, part, mixed, 0.3, &mut grad_u, &mut grad_mixed), grad_u, grad_mixed)
        };
        for g in [0.0, 0.25, 0.9, 1.0] {
            let (_, grad_u, grad_mixed) = evaluated(&u, &mixed, g);
            for i in 0..3 {
                let moved = |scores: &[f32; 3], by: f32| {
                    let mut scores = *scores;
                    scores[i] += by;
                    scores
                };
                let of_u = |by| evaluated(&moved(&u, by), &mixed, g).0;
                let of_mixed = |by| evaluated(&u, &moved(&mixed, by), g).0;
                let slope = |up: f64, down: f64| (up - down) / (2.0 * f64::from(STEP));
                let (du, dm) = (slope(of_u(STEP), of_u(-STEP)), slope(of_mixed(STEP), of_mixed(-STEP)));
                assert!((du - f64::from(grad_u[i])).abs() < 1e-6, "g {g}, U {i}: {} {du}", grad_u[i]);
                assert!((dm - f64::from(grad_mixed[i])).abs() < 1e-6, "g {g}, {i}: {} {dm}", grad_mixed[i]);
            }
        }
    }

    /// Values by `tests/golden/make_mixup.py`.
    #[test]
    fn it_is_that_of_the_authors_program() {
        let golden: Vec<Vec<f64>> = include_str!("../tests/golden/mixup.txt")
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect())
            .collect();
        let (u, mixed) = ([1.625f32, -0.375, -3.25, 0.0], [0.5f32, -1.75, 0.25, 2.0]);
        assert_eq!(golden.len(), 3);
        for numbers in golden {
            let (mut grad_u, mut grad_mixed) = ([0.0; 4], [0.0; 4]);
            let value = mixup(numbers[0], u.as_slice().into(), &mixed, 0.3, &mut grad_u, &mut grad_mixed);
            assert!((value - numbers[1]).abs() < 1e-10, "{value} against {}", numbers[1]);
            for (found, expected) in grad_u.iter().chain(&grad_mixed).zip(&numbers[2..]) {
                assert!((f64::from(*found) - expected).abs() < 1e-7, "{found} against {expected}");
            }
        }
    }
}
