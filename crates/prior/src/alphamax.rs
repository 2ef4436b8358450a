//! AlphaMax: the share at which the likelihood begins to fall.
//!
//! S. Jain, M. White and P. Radivojac, "Estimating the class prior and posterior from noisy positives and unlabeled data",
//! NeurIPS 2016; the bend rule after D. Zeiberg, S. Jain and P. Radivojac's public code.
//!
//! The score axis is cut into bins, with shares p_i of P and w_i of U. For a share α, let x_i be the positives of U in bin
//! i, 0 ≤ x_i ≤ w_i and Σ x_i = α. The positives then have density x_i / α, and U has w_i − x_i + α p_i. The likelihood
//!
//! ```text
//!   L(α) = max over x of  mean_P ln(x_i / α) + mean_U ln(w_i − x_i + α p_i)
//!        = max over x of  Σ p_i ln(x_i / α) + Σ w_i ln(w_i − x_i + α p_i)
//! ```
//!
//! is flat as long as α p_i fits into every w_i and falls beyond. With bins that do not overlap the maximum needs no
//! general optimizer: at a multiplier ν each x_i is the root of a quadratic, and ν is found by bisection.
//!
//! The answer is where the falling begins: at each grid point one line is fitted to up to 10 points on each side of the
//! smoothed curve (medians of 5), and the point with the largest change of slope relative to the height left of it wins.
//! Reconstructed here: lines by plain least squares (the public code keeps them below the curve), bins at quantiles of P
//! (2 ∛n_p of them, 5 to 50), and a grid of 99 points that ends at twice the upper end of the profile likelihood, so
//! that small shares are resolved as well as large ones.

use crate::cells::{COARSE, Cells};
use crate::error::PriorError;
use crate::estimate::{Curve, Estimate, Finding};
use crate::estimator::{About, Estimator, Evidence, Needs};
use crate::resample::percentiles;

static ABOUT: About = About {
    name: "alphamax",
    title: "share at which the likelihood of the score histogram begins to fall",
    citation: "Jain, White and Radivojac, NeurIPS 2016",
    assumes: "labels picked at random among the positives, and scores that only positives reach; otherwise the answer is \
              an upper bound. A flat likelihood has no clear bend, and then the interval is wide",
    interval: "above: profile likelihood (chi-squared, one-sided); below, where the likelihood is flat and bounds nothing: \
               percentile bootstrap, which shows variance, not bias",
    needs: Needs::Scores,
    reconstruction: true,
};

/// Grid points of α.
const GRID: usize = 99;

/// AlphaMax on the histogram of the scores.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AlphaMax;

impl Estimator for AlphaMax {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn estimate(&self, evidence: &Evidence) -> Result<Estimate, PriorError> {
        evidence.check()?;
        let cells = Cells::new(evidence);
        let coarse = cells.coarse(COARSE);
        let edges = edges(&coarse);
        let histogram = Histogram::new(&coarse, &edges);
        let (n_p, n_u) = evidence.sizes();
        let drop = chi_squared_half(evidence.confidence);
        let upper = histogram.upper(n_p, n_u, drop);
        let found = histogram.bend(upper, n_p, n_u, drop);
        let curve = Curve {
            x: "share of positives",
            y: "log-likelihood a row, less its maximum",
            points: found.curve,
            chosen: (found.alpha, found.height),
        };
        let resampled = cells.bootstrap(evidence, "alphamax", |cells| {
            let histogram = Histogram::new(cells, &edges);
            histogram.bend(histogram.upper(n_p, n_u, drop), n_p, n_u, drop).alpha
        });
        let low = percentiles(resampled, evidence.confidence).map_or(0.0, |ends| ends.0);
        let warnings = Vec::new();
        let interval = (low, upper);
        let finding = Finding { mu: found.alpha, interval, curve, other_intervals: Vec::new(), warnings };
        Ok(finding.finish(&ABOUT, evidence, &cells))
    }
}

/// Half the one-sided quantile of the chi-squared distribution with one degree of freedom at `confidence`, z²/2.
fn chi_squared_half(confidence: f64) -> f64 {
    // z by bisection on the normal distribution function, through the complementary error function.
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..100 {
        let z: f64 = (low + high) / 2.0;
        if upper_tail(z) > (1.0 - confidence).min(0.5) {
            low = z;
        } else {
            high = z;
        }
    }
    low * low / 2.0
}

/// P(Z > z) for z ≥ 0, by Simpson's rule on [z, z + 12].
fn upper_tail(z: f64) -> f64 {
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let step = 12.0 / 2000.0;
    let inner: f64 =
        (1..2000).map(|i| density(z + f64::from(i) * step) * if i % 2 == 1 { 4.0 } else { 2.0 }).sum();
    (density(z) + inner + density(z + 12.0)) * step / 3.0
}

/// The scores at which bins begin: quantiles of P, at most one bin a cell.
fn edges(cells: &Cells) -> Vec<f64> {
    let n_p = cells.totals().0;
    let bins = (2.0 * n_p.cbrt()).round().clamp(5.0, 50.0);
    let mut edges = Vec::new();
    let mut below = 0.0;
    for (&score, &count) in cells.score.iter().zip(&cells.positive).filter(|(_, count)| **count > 0.0) {
        if below >= n_p / bins * edges.len() as f64 - 1e-9 {
            edges.push(score);
        }
        below += count;
    }
    edges
}

/// Shares of P and of U in bins.
struct Histogram {
    p: Vec<f64>,
    w: Vec<f64>,
}

/// What the bend rule found.
struct Bend {
    alpha: f64,
    height: f64,
    curve: Vec<(f64, f64)>,
}

impl Histogram {
    /// Bins begin at `edges`; what lies below the first is a bin of its own.
    fn new(cells: &Cells, edges: &[f64]) -> Self {
        let (n_p, n_u) = cells.totals();
        let (mut p, mut w) = (vec![0.0; edges.len() + 1], vec![0.0; edges.len() + 1]);
        for i in 0..cells.len() {
            let bin = edges.partition_point(|&edge| edge <= cells.score[i]);
            p[bin] += cells.positive[i] / n_p;
            w[bin] += cells.unlabeled[i] / n_u;
        }
        Self { p, w }
    }

    /// The maximum over x of `on_p` Σ p ln(x / α) + `on_u` Σ w ln(w − x + α p), less its value where x = α p and the
    /// mixture is w.
    fn fit(&self, alpha: f64, on_p: f64, on_u: f64) -> f64 {
        // A bin without U has room for no positive: those of P there count as if it held half a row in a million.
        const ROOM: f64 = 5e-7;
        let root = |nu: f64, p: f64, w: f64| -> f64 {
            // on_p p / x − on_u w / (w − x + α p) = ν on (0, w]: the left side falls in x.
            if p <= 0.0 {
                // Only U speaks: x is 0 unless the slope at 0, −on_u, is above ν.
                let x = if nu < 0.0 { w + on_u * w / nu } else { 0.0 };
                return x.clamp(0.0, w);
            }
            let cap = w.max(ROOM);
            let s = w + alpha * p;
            let slope = |x: f64| on_p * p / x - on_u * w / (s - x);
            if slope(cap) >= nu {
                return cap;
            }
            // ν x² − (ν s + on_p p + on_u w) x + on_p p s = 0, the root in (0, s).
            let (a, b, c) = (nu, -(nu * s + on_p * p + on_u * w), on_p * p * s);
            let discriminant = (b * b - 4.0 * a * c).max(0.0).sqrt();
            (2.0 * c / (-b + discriminant)).clamp(0.0, cap)
        };
        let total = |nu: f64| -> f64 { self.p.iter().zip(&self.w).map(|(&p, &w)| root(nu, p, w)).sum() };
        let (mut low, mut high) = (-1.0, 1.0);
        while total(low) < alpha && low > -1e12 {
            low *= 4.0;
        }
        while total(high) > alpha && high < 1e12 {
            high *= 4.0;
        }
        for _ in 0..60 {
            let nu = (low + high) / 2.0;
            if total(nu) > alpha { low = nu } else { high = nu }
        }
        let nu = (low + high) / 2.0;
        let mut value = 0.0;
        for (&p, &w) in self.p.iter().zip(&self.w) {
            let x = root(nu, p, w);
            if p > 0.0 {
                value += on_p * p * (x / (alpha * p)).max(1e-300).ln();
            }
            if w > 0.0 {
                value += on_u * w * ((w - x + alpha * p) / w).max(1e-300).ln();
            }
        }
        value
    }

    /// The largest α whose log-likelihood is within `drop` of the best, which is 0 at the left end.
    fn upper(&self, n_p: f64, n_u: f64, drop: f64) -> f64 {
        let inside = |alpha: f64| self.fit(alpha, n_p, n_u) >= -drop;
        if inside(1.0) {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..30 {
            let middle = (low + high) / 2.0;
            if inside(middle) { low = middle } else { high = middle }
        }
        high
    }

    /// The bend of the likelihood on a grid over (0, 2 `upper`].
    fn bend(&self, upper: f64, n_p: f64, n_u: f64, drop: f64) -> Bend {
        let end = (2.0 * upper).min(1.0);
        let alphas: Vec<f64> = (1..=GRID).map(|i| end * i as f64 / GRID as f64).collect();
        let heights: Vec<f64> = alphas.iter().map(|&alpha| self.fit(alpha, 1.0, 1.0)).collect();
        let curve = alphas.iter().copied().zip(heights.iter().copied()).collect();
        // A curve that never falls by more than noise bounds nothing: the answer is the most there can be.
        if upper >= 1.0 && self.fit(1.0, n_p, n_u) > -drop {
            return Bend { alpha: 1.0, height: heights[GRID - 1], curve };
        }
        let losses: Vec<f64> = heights.iter().map(|height| -height).collect();
        let smooth: Vec<f64> =
            (0..GRID).map(|i| median(&losses[i.saturating_sub(2)..(i + 3).min(GRID)])).collect();
        let (least, most) = smooth.iter().fold((f64::INFINITY, 0.0f64), |(a, b), &x| (a.min(x), b.max(x)));
        let scaled: Vec<f64> = smooth.iter().map(|x| (x - least) / (most - least).max(1e-300)).collect();
        let mut best = (f64::NEG_INFINITY, 0);
        for at in 3..GRID - 3 {
            let (from, to) = (at.saturating_sub(9), (at + 11).min(GRID));
            let left = slope(&alphas[from..=at], &scaled[from..=at]);
            let right = slope(&alphas[at + 1..to], &scaled[at + 1..to]);
            let change = (right - left) / (median(&scaled[from..=at]) + 0.01);
            if change > best.0 {
                best = (change, at);
            }
        }
        Bend { alpha: alphas[best.1], height: heights[best.1], curve }
    }
}

/// The least-squares slope.
fn slope(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let products: f64 = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    products / x.iter().map(|x| (x - mean_x).powi(2)).sum::<f64>()
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likelihood_is_flat_up_to_what_fits() {
        // P is all in bin 1, which holds 0.3 of U: any α up to 0.3 fits. Beyond, x = (0.3, α − 0.3).
        let histogram = Histogram { p: vec![0.0, 1.0], w: vec![0.7, 0.3] };
        for alpha in [0.01, 0.1, 0.3] {
            assert!(
                histogram.fit(alpha, 1.0, 1.0).abs() < 1e-9,
                "{alpha}: {}",
                histogram.fit(alpha, 1.0, 1.0)
            );
        }
        let alpha: f64 = 0.5;
        let by_hand = |x: f64| {
            (x / alpha).ln() + 0.3 * ((0.3 - x + alpha) / 0.3).ln() + 0.7 * ((0.7 - (alpha - x)) / 0.7).ln()
        };
        let best = (1..=30_000).map(|i| by_hand(f64::from(i) * 1e-5)).fold(f64::NEG_INFINITY, f64::max);
        let fitted = histogram.fit(alpha, 1.0, 1.0);
        assert!((fitted - best).abs() < 1e-6, "{fitted} against {best}");
    }

    #[test]
    fn a_clear_bend_is_found() {
        let histogram = Histogram { p: vec![0.0, 0.5, 0.5], w: vec![0.7, 0.15, 0.15] };
        let upper = histogram.upper(500.0, 1000.0, 1.92);
        let found = histogram.bend(upper, 500.0, 1000.0, 1.92);
        assert!(upper > 0.3 && upper < 0.4, "{upper}");
        assert!((found.alpha - 0.3).abs() < 0.02, "{}", found.alpha);
    }

    #[test]
    fn a_quantile_of_the_normal_distribution() {
        // One-sided 95 % is z = 1.6449.
        assert!((chi_squared_half(0.95) - 1.644_854f64.powi(2) / 2.0).abs() < 1e-4);
    }
}
