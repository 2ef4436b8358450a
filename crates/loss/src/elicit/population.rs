//! What a training with the collective loss converges to, before any training.
//!
//! With unlimited data and a flexible model, the loss is F(q) = w1 E_P[−ln q] + w2 (−ln(1 − |E_U q − μ|)) over
//! functions q(x) in [0, 1]. Since p_P / p_U = η / μ, with η(x) the posterior at U's own prior, the best q among
//! those with the same mean over U is min(1, t η(x)). One number t is left:
//!
//! * w1 ≤ μ w2: t = 1, so q = η, the true posterior. Scores are calibrated.
//! * w1 > μ w2: dF/dt = 0 at w2 μ t = w1 (1 + μ − E_U min(1, t η)), whose left side rises and right side falls with
//!   t: one root, t > 1. Where nothing is clipped t = w1 (1 + μ) / (μ (w1 + w2)) and E_U q = (1 + μ) w1 / (w1 + w2).
//!   Scores are too high wherever the classes overlap.
//! * No overlap, η ∈ {0, 1}: min(1, t η) = η for every t ≥ 1. Scores are calibrated whatever the weights.
//!
//! Derived for this project; the paper does not discuss the weights.

use super::line::Line;
use crate::collective::Reduction;
use crate::error::LossError;
use crate::sampling::check_prior;
use crate::sigmoid::sigmoid;

/// A mean of q this close to μ counts as equal to it.
const CALIBRATED: f64 = 1e-6;
/// Past this the grid of the wide class does not see the narrow one.
const WIDEST_RATIO: f64 = 20.0;

/// A normal distribution on a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaussian {
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation, above 0.
    pub deviation: f64,
}

impl Gaussian {
    /// ln of the density, up to the constant that all Gaussians share.
    fn log_density(&self, x: f64) -> f64 {
        let z = (x - self.mean) / self.deviation;
        -0.5 * z * z - self.deviation.ln()
    }
}

/// How the classes overlap in U: which posteriors occur, and how often.
#[derive(Clone, Debug)]
pub struct ClassOverlap {
    mu: f64,
    /// (mass in U, η), masses summing to 1.
    points: Vec<(f64, f64)>,
    line: Option<(Gaussian, Gaussian)>,
}

impl ClassOverlap {
    /// Two Gaussians on a line, with a share `mu` of positives in U.
    pub fn gaussians(positive: Gaussian, negative: Gaussian, mu: f64) -> Result<Self, LossError> {
        let mu = check_prior(mu)?;
        for Gaussian { mean, deviation } in [positive, negative] {
            if !(mean.is_finite() && deviation > 0.0 && deviation.is_finite()) {
                let reason =
                    format!("a Gaussian of mean {mean} needs a positive deviation, but it is {deviation}");
                return Err(LossError::Overlap(reason));
            }
        }
        let ratio = positive.deviation / negative.deviation;
        if !(1.0 / WIDEST_RATIO..=WIDEST_RATIO).contains(&ratio) {
            let reason =
                format!("its deviations may differ by a factor of {WIDEST_RATIO} at most, but do by {ratio}");
            return Err(LossError::Overlap(reason));
        }
        let mut overlap = Self { mu, points: Vec::new(), line: Some((positive, negative)) };
        let mut points = Vec::new();
        for (class, share) in [(positive, mu), (negative, 1.0 - mu)] {
            points.extend(Line::nodes(class, 10_000).map(|(mass, x)| (share * mass, overlap.at(x))));
        }
        overlap.points = points;
        Ok(overlap)
    }

    /// A list of (mass in U, η). Masses are scaled to sum to 1; μ is their mean η.
    pub fn discrete(points: &[(f64, f64)]) -> Result<Self, LossError> {
        let total: f64 = points.iter().map(|point| point.0).sum();
        for &(mass, eta) in points {
            if !(mass >= 0.0 && mass.is_finite() && (0.0..=1.0).contains(&eta)) {
                let reason = format!(
                    "a point needs a mass of 0 or more and a posterior in [0, 1], but has {mass} and {eta}"
                );
                return Err(LossError::Overlap(reason));
            }
        }
        if !(total > 0.0 && total.is_finite()) {
            return Err(LossError::Overlap(format!(
                "its masses must have a positive sum, but it is {total}"
            )));
        }
        let points: Vec<(f64, f64)> = points.iter().map(|&(mass, eta)| (mass / total, eta)).collect();
        let mu = check_prior(points.iter().map(|(mass, eta)| mass * eta).sum())?;
        Ok(Self { mu, points, line: None })
    }

    /// μ, the share of positives in U.
    pub fn mu(&self) -> f64 {
        self.mu
    }

    /// The true posterior at x, for Gaussians on a line.
    pub fn posterior(&self, x: f64) -> Option<f64> {
        self.line.map(|_| self.at(x))
    }

    /// The line model, if it is one.
    pub(super) fn line(&self) -> Option<Line> {
        self.line.map(|(positive, negative)| Line { positive, negative, mu: self.mu })
    }

    fn at(&self, x: f64) -> f64 {
        let odds = (self.mu / (1.0 - self.mu)).ln();
        self.line.map_or(f64::NAN, |(p, n)| sigmoid(odds + p.log_density(x) - n.log_density(x)))
    }

    /// E_U min(1, t η).
    fn mean(&self, t: f64) -> f64 {
        self.points.iter().map(|(mass, eta)| mass * (t * eta).min(1.0)).sum()
    }
}

/// The weights of E_P[−ln q] and of the unlabeled term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RiskWeights {
    /// w1.
    pub positive: f64,
    /// w2.
    pub unlabeled: f64,
}

impl RiskWeights {
    /// The weights of a reduction with `n_p` positives and `n_u` unlabeled examples in a batch. Only the sample mean
    /// depends on these numbers.
    pub fn of(reduction: Reduction, mu: f64, n_p: usize, n_u: usize) -> Self {
        let (n_p, n_u) = (n_p.max(1), n_u.max(1));
        let (each, unlabeled) = reduction.weights(mu, n_p as f64, n_u as f64);
        Self { positive: each * n_p as f64, unlabeled }
    }

    pub(crate) fn checked(self) -> Result<Self, LossError> {
        let good = |w: f64| w > 0.0 && w.is_finite();
        if good(self.positive) && good(self.unlabeled) {
            Ok(self)
        } else {
            Err(LossError::RiskWeights(self.positive, self.unlabeled))
        }
    }
}

/// q = min(1, t η), the function that minimizes the population risk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PopulationMinimizer {
    /// How much too high the scores are; 1 where they are the posterior.
    pub t: f64,
    /// E_U q.
    pub mean_unlabeled: f64,
    /// μ, what E_U q should be.
    pub mu: f64,
    /// Whether E_U q = μ, so that q = η for almost every x.
    pub calibrated: bool,
    /// Which share of U is clipped at q = 1 though η < 1.
    pub clipped: f64,
}

impl PopulationMinimizer {
    /// The minimizer for an overlap and a pair of weights.
    pub fn new(overlap: &ClassOverlap, weights: RiskWeights) -> Result<Self, LossError> {
        let RiskWeights { positive: w1, unlabeled: w2 } = weights.checked()?;
        let mu = overlap.mu;
        let mut t = 1.0;
        if w1 > mu * w2 {
            let excess = |t: f64| w2 * mu * t - w1 * (1.0 + mu - overlap.mean(t));
            // At 1 the excess is w2 μ − w1 < 0; at w1 / (w2 μ) it is w1 (mean − μ) ≥ 0.
            let (mut low, mut high) = (1.0, w1 / (w2 * mu));
            while high - low > 1e-14 * high {
                let middle = 0.5 * (low + high);
                if middle <= low || middle >= high {
                    break;
                }
                if excess(middle) < 0.0 { low = middle } else { high = middle }
            }
            t = high;
        }
        let mean_unlabeled = overlap.mean(t);
        let calibrated = (mean_unlabeled - overlap.mean(1.0)).abs() < CALIBRATED;
        let clipped = overlap.points.iter().filter(|(_, eta)| t * eta > 1.0 && *eta < 1.0);
        let clipped = clipped.fold(0.0, |sum, point| sum + point.0);
        Ok(Self { t, mean_unlabeled, mu, calibrated, clipped })
    }

    /// q where the posterior is η.
    pub fn probability(&self, eta: f64) -> f64 {
        (self.t * eta).min(1.0)
    }
}
