//! The population minimizer of a logistic model on a line.
//!
//! Where the model is q = σ(a x + b) and the classes are Gaussians, the population risk
//! F(a, b) = w1 E_P softplus(−f) + w2 (−ln(1 − |E_U σ(f) − μ|)) is a function of two numbers. Expectations are sums
//! over a uniform grid of each Gaussian (the trapezoid rule, which for such integrands converges faster than any
//! power of the step). For fixed a the risk falls in b until the kink E_U σ = μ and is followed to the sign change of
//! ∂F/∂b by bisection, kink or not; a itself is scanned and then refined by golden section.

use super::population::{ClassOverlap, Gaussian, RiskWeights};
use crate::error::LossError;
use crate::sigmoid::{sigmoid_pair, softplus};

/// Grid points a Gaussian, more where the other is narrower; they reach 9 deviations to each side.
const NODES: usize = 800;
const REACH: f64 = 9.0;
/// Slopes scanned on each side of 0 before the refinement.
const SCAN: i32 = 40;

/// What a logistic model f = slope · x + intercept converges to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogisticLimit {
    /// a.
    pub slope: f64,
    /// b.
    pub intercept: f64,
    /// E_U σ(f).
    pub mean_unlabeled: f64,
    /// The share of U on the right side of f = 0.
    pub accuracy: f64,
    /// F at the minimum.
    pub risk: f64,
}

/// Two classes on a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub positive: Gaussian,
    pub negative: Gaussian,
    pub mu: f64,
}

impl ClassOverlap {
    /// The coefficients a logistic model converges to, for Gaussians on a line.
    pub fn logistic_fit(&self, weights: RiskWeights) -> Result<LogisticLimit, LossError> {
        let line = self.line().ok_or_else(|| {
            LossError::Overlap(
                "a logistic fit needs Gaussians on a line, but it is a list of points".to_string(),
            )
        })?;
        Ok(line.fit(weights.checked()?))
    }
}

/// One class on its grid.
struct Grid(Vec<(f64, f64)>);

impl Grid {
    fn mean(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.0.iter().map(|&(mass, x)| mass * f(x)).sum()
    }
}

impl Line {
    /// (mass, x) on a uniform grid of a Gaussian, masses summing to 1.
    pub fn nodes(class: Gaussian, n: usize) -> impl Iterator<Item = (f64, f64)> {
        let step = 2.0 * REACH / n as f64;
        (0..=n).map(move |k| {
            let z = k as f64 * step - REACH;
            let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
            (step * density, class.mean + class.deviation * z)
        })
    }

    fn fit(&self, weights: RiskWeights) -> LogisticLimit {
        let narrow = self.positive.deviation.min(self.negative.deviation);
        let wide = self.positive.deviation.max(self.negative.deviation);
        let nodes = |class: Gaussian| {
            let finer = (0.5 * class.deviation / narrow).max(1.0);
            Grid(Line::nodes(class, (NODES as f64 * finer) as usize).collect())
        };
        let (positive, negative) = (nodes(self.positive), nodes(self.negative));
        let unlabeled =
            |f: &dyn Fn(f64) -> f64| self.mu * positive.mean(f) + (1.0 - self.mu) * negative.mean(f);
        let distance = (self.positive.mean - self.negative.mean).abs();
        let center = 0.5 * (self.positive.mean + self.negative.mean);

        // The best score at the center for a slope: where ∂F/∂b turns positive.
        let height = |a: f64| {
            let reach = 50.0 + a.abs() * (distance + REACH * wide);
            let (mut low, mut high) = (-reach, reach);
            for _ in 0..100 {
                let middle = 0.5 * (low + high);
                if middle <= low || middle >= high {
                    break;
                }
                let score = |x: f64| sigmoid_pair(a * (x - center) + middle);
                let d = unlabeled(&|x| score(x).0) - self.mu;
                // Below the kink both terms fall; above it they compete.
                let rises = d > 0.0 && {
                    let spread = unlabeled(&|x| score(x).0 * score(x).1);
                    weights.unlabeled * spread / (1.0 - d) >= weights.positive * positive.mean(|x| score(x).1)
                };
                if rises { high = middle } else { low = middle }
            }
            0.5 * (low + high)
        };
        let risk = |a: f64, b: f64| {
            let d = unlabeled(&|x| sigmoid_pair(a * (x - center) + b).0) - self.mu;
            weights.positive * positive.mean(|x| softplus(-(a * (x - center) + b)))
                - weights.unlabeled * (-d.abs()).ln_1p()
        };
        let along = |a: f64| risk(a, height(a));

        // Slopes from 0 to well past the true one, denser near 0.
        let steepest = 8.0 * (distance / (narrow * narrow) + 1.0 / narrow);
        let slope = |k: f64| steepest * (4.0 * k / f64::from(SCAN)).sinh() / 4f64.sinh();
        let best = (-SCAN..=SCAN).map(|k| (along(slope(f64::from(k))), k)).min_by(|a, b| a.0.total_cmp(&b.0));
        let k = best.map_or(0.0, |(_, k)| f64::from(k));
        let refined = golden_section(along, slope(k - 1.0), slope(k + 1.0));
        let a = if along(refined) <= along(slope(k)) { refined } else { slope(k) };
        let b = height(a) - a * center;
        let mean_unlabeled = unlabeled(&|x| sigmoid_pair(a * x + b).0);
        LogisticLimit {
            slope: a,
            intercept: b,
            mean_unlabeled,
            accuracy: self.accuracy(a, b),
            risk: along(a),
        }
    }

    /// The share of U on the right side of a x + b = 0.
    fn accuracy(&self, a: f64, b: f64) -> f64 {
        if a == 0.0 {
            return if b > 0.0 { self.mu } else { 1.0 - self.mu };
        }
        let above = |class: Gaussian| {
            let z = (-b / a - class.mean) / class.deviation;
            if a > 0.0 { upper_tail(z) } else { 1.0 - upper_tail(z) }
        };
        self.mu * above(self.positive) + (1.0 - self.mu) * (1.0 - above(self.negative))
    }
}

/// P(Z > z) of a standard normal variable, by Simpson's rule from 0.
fn upper_tail(z: f64) -> f64 {
    let z = z.clamp(-REACH, REACH);
    let (n, density) = (400, |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt());
    let step = z / f64::from(n);
    let inner: f64 = (1..n).map(|k| density(f64::from(k) * step) * if k % 2 == 1 { 4.0 } else { 2.0 }).sum();
    0.5 - step / 3.0 * (density(0.0) + inner + density(z))
}

/// The minimum of a function with one valley between the bounds.
fn golden_section(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    let (mut left, mut right) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_left, mut at_right) = (f(left), f(right));
    for _ in 0..60 {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - ratio * (high - low);
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + ratio * (high - low);
            at_right = f(right);
        }
    }
    0.5 * (low + high)
}
