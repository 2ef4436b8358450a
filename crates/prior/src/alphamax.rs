//! AlphaMax: the share at which the likelihood begins to fall.
//!
//! S. Jain, M. White and P. Radivojac, "Estimating the class prior and posterior from noisy positives and unlabeled data",
//! NeurIPS 2016; one bend rule after D. Zeiberg, S. Jain and P. Radivojac's public code.
//!
//! The score axis is cut into bins, with n_p p_i positives and n_u w_i unlabeled rows in bin i. Let q be the true density
//! of the positives and v that of U. A share α of positives fits if α q_i ≤ v_i in every bin, so
//!
//! ```text
//!   L(α) = max over q, v of  n_p Σ p_i ln q_i + n_u Σ w_i ln v_i   with  α q_i ≤ v_i,  Σ q_i = Σ v_i = 1
//! ```
//!
//! is flat as long as α p_i fits into every w_i and falls beyond. The paper lets kernels overlap and needs a general
//! optimizer; with bins, the multipliers a and b of the two sums obey a + b = n_p + n_u, each bin has a closed form
//! (q_i = n_p p_i / a and v_i = n_u w_i / b if these fit, else α q_i = v_i with q_i = (n_p p_i + n_u w_i) / (a + α b)),
//! and b is found by bisection.
//!
//! The answer is where the falling begins. The public code fits one line to 10 points on each side of every grid point of the
//! smoothed curve (medians of 5) and takes the largest change of slope relative to the height on the left; that is
//! [`Bend::TwoLines`]. On 20,000 scores of two Gaussians it was 0.03 to 0.04 too high at shares of 0.3 to 0.7, with bootstrap
//! intervals that never covered them. The default, [`Bend::Noise`], is the largest share at which the loss of likelihood
//! is no more than the noise of the bins explains; it was 0.01 too high there, with intervals that held the truth.
//!
//! Reconstructed here: the noise rule, lines by plain least squares (the public code keeps them below the curve), bins at
//! quantiles of P (2 ∛n_p of them, 5 to 50), and a grid of 99 points that ends at twice the upper end of the profile
//! likelihood, so that small shares are resolved as well as large ones.

use crate::cells::{COARSE, Cells};
use crate::error::EvidenceError;
use crate::estimate::{Curve, Estimate, Finding};
use crate::estimator::{Estimator, EstimatorInfo, Evidence, Needs};
use crate::resample::{normal_quantile, percentiles};

static INFO: EstimatorInfo = EstimatorInfo {
    name: "alphamax",
    title: "share at which the likelihood of the score histogram begins to fall",
    citation: "Jain, White and Radivojac, NeurIPS 2016",
    assumes: "labels picked at random among the positives, and scores that only positives reach; otherwise the answer is \
              an upper bound. A flat likelihood has no clear bend, and then the interval is wide",
    interval: "above: profile likelihood (one-sided, chi-bar-squared); below, where the likelihood is flat and bounds nothing: \
               percentile bootstrap, which shows variance, not bias",
    needs: Needs::Scores,
    reconstruction: true,
};

/// What sums over millions of rows may lose to rounding.
const ROUNDING: f64 = 1e-4;

/// Grid points of α.
const GRID: usize = 99;

/// How the place is found at which the likelihood begins to fall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bend {
    /// The largest share whose loss of likelihood is what noise explains.
    Noise,
    /// The largest change of slope between two fitted lines.
    TwoLines,
}

/// AlphaMax on the histogram of the scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlphaMax {
    /// The rule for the bend.
    pub bend: Bend,
}

impl AlphaMax {
    /// By noise.
    pub const DEFAULT: Self = Self { bend: Bend::Noise };

    fn alpha(&self, histogram: &Histogram, z: f64) -> f64 {
        match self.bend {
            Bend::Noise => histogram.upper(0.0),
            Bend::TwoLines => histogram.two_lines(histogram.upper(z)),
        }
    }
}

impl Estimator for AlphaMax {
    fn info(&self) -> &EstimatorInfo {
        &INFO
    }

    fn estimate(&self, evidence: &Evidence) -> Result<Estimate, EvidenceError> {
        evidence.check()?;
        let cells = Cells::new(evidence);
        let coarse = cells.coarse(COARSE);
        let edges = edges(&coarse);
        let histogram = Histogram::new(&coarse, &edges);
        let z = normal_quantile(evidence.confidence);
        let upper = histogram.upper(z);
        let mu = self.alpha(&histogram, z);
        let curve = Curve {
            x: "share of positives",
            y: "log-likelihood, less its maximum",
            points: histogram.curve(upper),
            chosen: (mu, histogram.fit(mu).0),
        };
        let resampled =
            cells.bootstrap(evidence, "alphamax", |cells| self.alpha(&Histogram::new(cells, &edges), z));
        let low = percentiles(resampled, evidence.confidence).map_or(0.0, |ends| ends.0);
        let warnings = Vec::new();
        let interval = (low, upper);
        let finding = Finding { mu, interval, curve, other_intervals: Vec::new(), warnings };
        Ok(finding.finish(&INFO, evidence, &cells))
    }
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
    n_p: f64,
    n_u: f64,
}

impl Histogram {
    /// Bins begin at `edges`; what lies below the first is its own bin.
    fn new(cells: &Cells, edges: &[f64]) -> Self {
        let (n_p, n_u) = cells.totals();
        let (mut p, mut w) = (vec![0.0; edges.len() + 1], vec![0.0; edges.len() + 1]);
        for i in 0..cells.len() {
            let bin = edges.partition_point(|&edge| edge <= cells.score[i]);
            p[bin] += cells.positive[i] / n_p;
            w[bin] += cells.unlabeled[i] / n_u;
        }
        Self { p, w, n_p, n_u }
    }

    /// L(α) − L(0), at most 0, and the number of bins in which α q_i ≤ v_i binds.
    fn fit(&self, alpha: f64) -> (f64, f64) {
        let (n_p, n_u) = (self.n_p, self.n_u);
        let total = n_p + n_u;
        let bin = |b: f64, p: f64, w: f64| -> (f64, f64) {
            let a = total - b;
            let (q, v) = (n_p * p / a, n_u * w / b);
            if alpha * q <= v {
                (q, v)
            } else {
                let q = (n_p * p + n_u * w) / (a + alpha * b);
                (q, alpha * q)
            }
        };
        // More b, less v: the sum of v falls from far above 1.
        let (mut low, mut high) = (0.0, total);
        for _ in 0..60 {
            let b = (low + high) / 2.0;
            let sum: f64 = self.p.iter().zip(&self.w).map(|(&p, &w)| bin(b, p, w).1).sum();
            if sum > 1.0 { low = b } else { high = b }
        }
        let b = (low + high) / 2.0;
        let gain = |count: f64, share: f64, fitted: f64| {
            if share > 0.0 { count * share * (fitted / share).max(1e-300).ln() } else { 0.0 }
        };
        let (mut sum, mut bound) = (0.0, 0.0);
        for (&p, &w) in self.p.iter().zip(&self.w) {
            let (q, v) = bin(b, p, w);
            sum += gain(n_p, p, q) + gain(n_u, w, v);
            bound += f64::from(u8::from(p > 0.0 && alpha * q >= v));
        }
        (sum.min(0.0), bound)
    }

    /// The largest α that the likelihood does not reject.
    ///
    /// At the true share, about half of the bins that only positives reach bind by chance, j of them, and twice the loss of
    /// log-likelihood is a mixture of chi-squared distributions with Binomial(2j, ½) degrees of freedom: mean j, variance
    /// 5j/2. The search comes down from 1, because at small shares a single bin can bind and be rejected.
    fn upper(&self, z: f64) -> f64 {
        let inside = |alpha: f64| {
            let (height, bound) = self.fit(alpha);
            -2.0 * height <= bound + z * (2.5 * bound).sqrt() + ROUNDING
        };
        if inside(1.0) {
            return 1.0;
        }
        let mut high = 1.0;
        while high > 1e-6 && !inside(high / 1.1) {
            high /= 1.1;
        }
        let mut low = high / 1.1;
        for _ in 0..12 {
            let middle = (low + high) / 2.0;
            if inside(middle) { low = middle } else { high = middle }
        }
        high
    }

    /// L on a grid over (0, 2 `upper`].
    fn curve(&self, upper: f64) -> Vec<(f64, f64)> {
        let end = (2.0 * upper).min(1.0);
        (1..=GRID).map(|i| end * i as f64 / GRID as f64).map(|alpha| (alpha, self.fit(alpha).0)).collect()
    }

    /// The bend by two lines.
    fn two_lines(&self, upper: f64) -> f64 {
        // A curve that never falls by more than noise bounds nothing: the answer is the most there can be.
        let (height, bound) = self.fit(1.0);
        if -2.0 * height <= bound + ROUNDING {
            return 1.0;
        }
        let (alphas, heights): (Vec<f64>, Vec<f64>) = self.curve(upper).into_iter().unzip();
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
        alphas[best.1]
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
        // P is all in bin 1, which holds 0.3 of U: any α up to 0.3 fits. Beyond, q = (1, 0) and v = (α, 1 − α).
        let histogram = Histogram { p: vec![0.0, 1.0], w: vec![0.7, 0.3], n_p: 100.0, n_u: 200.0 };
        for alpha in [0.01, 0.1, 0.3] {
            assert!(histogram.fit(alpha).0.abs() < 1e-9, "{alpha}: {:?}", histogram.fit(alpha));
        }
        let expected = 200.0 * (0.3 * (0.5f64 / 0.3).ln() + 0.7 * (0.5f64 / 0.7).ln());
        let (height, bound) = histogram.fit(0.5);
        assert!((height - expected).abs() < 1e-6 && bound == 1.0, "{height} against {expected}");
    }

    #[test]
    fn a_clear_bend_is_found() {
        let histogram =
            Histogram { p: vec![0.0, 0.5, 0.5], w: vec![0.7, 0.15, 0.15], n_p: 500.0, n_u: 1000.0 };
        let upper = histogram.upper(1.645);
        // One bin in effect: at 0.3 + e the loss is about e² / (2 · variance), 1.1 to 3 deviations of about 0.02.
        assert!(upper > 0.3 && upper < 0.4, "{upper}");
        for found in [histogram.upper(0.0), histogram.two_lines(upper)] {
            assert!((found - 0.3).abs() < 0.05, "{found}");
        }
    }
}
