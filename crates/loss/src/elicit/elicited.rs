//! The objective that a reward elicits: a sibling of the collective loss for every J.
//!
//! For a reward J with conditional rewards I1 and I0, and q = σ(f),
//!
//! * each positive: −I1(q), with derivative −(1 − q) J''(q) · q (1 − q) in f;
//! * all of U together: −I0(|d|), d = mean_U q − μ, with derivative sign(d) |d| J''(|d|) · q (1 − q) / n_u;
//!
//! weighted by a [`Reduction`]. For the logarithm that is the [collective loss](crate::Collective). The square reward
//! gives (1 − q)² and d², which has no kink; the exponential one √((1−q)/q) and √(|d|/(1−|d|)), whose slope grows
//! without bound as d goes to 0, so it needs a falling rate.
//!
//! **Scores are logits whatever the reward**: q = σ(f), not the reward's own c⁻¹(f), so that whatever reads a
//! trained model can take σ(f) for its probability. The value of the loss does not depend on that choice, only the way
//! down to it: square and savage, which differ in nothing but their links, are the same objective here.
//!
//! Not in the paper, except for the logarithm. And only the logarithm keeps the true posterior as its optimum in the
//! population: with mean_U q = μ enforced, a squared P term gives q = max(0, 1 − k/η), which ranks like η but is not η.

use super::reward::Reward;
use crate::collective::Reduction;
use crate::curvature::fill;
use crate::error::LossError;
use crate::objective::{Objective, check_parts};
use crate::part::{Part, Weighted, by_weights};
use crate::sampling::check_prior;
use crate::sigmoid::sigmoid_pair;

/// Past this score e^{−|f|} has no weight left in any sum, and rewards with poles would overflow: the loss of a
/// positive continues along its tangent below −160 and stays as it is above 160.
const SATURATED: f64 = 160.0;
/// |d| below this is rounding; a slope that has a pole at 0 is taken here.
const SMALLEST_GAP: f64 = 1e-16;

/// The loss elicited by a reward, for positive and unlabeled examples. See [`elicit`](crate::elicit).
///
/// Curvature: J''(q) [q (1 − q)]², times the weight of one positive on P and w_u / n_u on U. That is the expected second
/// derivative in f of a row whose label has the probability q, which is above 0 for every strictly convex J; for the
/// logarithm it is q (1 − q), as in the [collective loss](crate::Collective). A positive takes the step 1 / q, whatever
/// the reward.
#[derive(Clone, Debug)]
pub struct Elicited {
    reward: Reward,
    mu: f64,
    reduction: Reduction,
}

impl Elicited {
    /// `mu` is the share of positives among the unlabeled examples. A reward that fails its
    /// [checks](crate::elicit::checks) is refused with the numbers that show it.
    pub fn new(reward: Reward, mu: f64, reduction: Reduction) -> Result<Self, LossError> {
        Ok(Self { mu: check_prior(mu)?, reward: reward.checked()?, reduction })
    }

    /// weight · Σ −I1(σ(f)) and its gradient.
    fn positive_term(&self, part: Part, weight: f64, grad: &mut [f32]) -> f64 {
        let mut sum = 0.0;
        for (grad, (f, own)) in grad.iter_mut().zip(part.iter()) {
            let (up, down) = sigmoid_pair(f.clamp(-SATURATED, SATURATED));
            let mut slope = -down * (self.reward.second_derivative_at(up, down) * up * down);
            if f > SATURATED {
                slope = 0.0;
            }
            sum += own * (slope * (f + SATURATED).min(0.0) - self.reward.positive_at(up, down));
            *grad = (own * weight * slope) as f32;
        }
        // The weight of an empty part is not finite.
        if part.is_empty() { 0.0 } else { weight * sum }
    }

    /// weight · −I0(|mean_U σ(f) − μ|) and its gradient.
    fn unlabeled_term(&self, part: Part, weight: f64, grad: &mut [f32]) -> f64 {
        if part.is_empty() {
            return 0.0;
        }
        let n = part.total();
        let (mut sum_up, mut sum_down) = (0.0, 0.0);
        for (grad, (score, own)) in grad.iter_mut().zip(part.iter()) {
            let (up, down) = sigmoid_pair(score.clamp(-SATURATED, SATURATED));
            sum_up += own * up;
            sum_down += own * down;
            // The slope of σ waits here for the factor that all examples share.
            *grad = (own * (up * down)) as f32;
        }
        let (mean_up, mean_down) = (sum_up / n, sum_down / n);
        let d = mean_up - self.mu;
        // 1 − |d| as a sum of positive numbers, as in the collective loss.
        let rest = if d > 0.0 { self.mu + mean_down } else { (1.0 - self.mu) + mean_up };
        let gap = d.abs().max(SMALLEST_GAP);
        let slope =
            if d == 0.0 { 0.0 } else { d.signum() * gap * self.reward.second_derivative_at(gap, rest) };
        for grad in grad {
            *grad = (weight * slope * f64::from(*grad) / n) as f32;
        }
        // I0(|d|) = I1(1 − |d|).
        -weight * self.reward.positive_at(rest, d.abs())
    }
}

impl Objective for Elicited {
    by_weights!();

    fn describe(&self) -> String {
        format!("elicited:{} ({})", self.reward.name(), self.reduction)
    }
}

impl Weighted for Elicited {
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        check_parts(positive, unlabeled, grad_p, grad_u);
        let (weight_p, weight_u) = self.reduction.weights(self.mu, positive.total(), unlabeled.total());
        self.positive_term(positive, weight_p, grad_p) + self.unlabeled_term(unlabeled, weight_u, grad_u)
    }

    fn curvature_weighted(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]) {
        check_parts(positive, unlabeled, curve_p, curve_u);
        let (weight_p, weight_u) = self.reduction.weights(self.mu, positive.total(), unlabeled.total());
        let information = |f: f64| {
            let (up, down) = sigmoid_pair(f.clamp(-SATURATED, SATURATED));
            self.reward.second_derivative_at(up, down) * (up * down) * (up * down)
        };
        fill(positive, weight_p, curve_p, information);
        fill(unlabeled, weight_u / unlabeled.total(), curve_u, information);
    }
}
