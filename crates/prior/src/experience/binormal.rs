//! Two normal curves: what P and U look like for a share of positives, and how well that fits what was seen.
//!
//! On some scale (no one has to know which) the scores of negatives are N(0, 1) and those of positives N(d, s). This is the
//! binormal model of ROC curves (Dorfman and Alf, 1969). U is the mixture, so the share of U above the cut that leaves a share
//! r of P above it, divided by r, and the AUC of P against U are
//!
//! ```text
//!   μ + (1 − μ) Φ̄(d + s z_r) / r,  Φ̄(z_r) = r        μ/2 + (1 − μ) Φ(d / √(1 + s²))
//! ```
//!
//! The first tends to μ as the cut rises, and its course says how far there is to go. No purely positive region is needed.
//! The fit is the Gaussian log-likelihood of four logarithms of such ratios and of the AUC. Their variances are those of
//! counts, with a floor for what the model gets wrong.

use super::ScoreSummary;

/// The shares of P above the cuts, and the normal quantiles that belong to them.
pub(super) const RECALLS: [(f64, f64); 4] = [
    (0.1, 1.281_551_565_544_600_4),
    (0.3, 0.524_400_512_708_040_7),
    (0.5, 0.0),
    (0.7, -0.524_400_512_708_040_7),
];
/// Deviations of positives that are tried, 1 being that of negatives.
pub(super) const SPREADS: [f64; 3] = [0.8, 1.0, 1.25];
/// The least standard errors of the logarithm of a ratio and of an AUC.
const FLOOR: f64 = 0.05;
const AUC_FLOOR: f64 = 0.01;
/// The variance of an AUC times the number of rows, for either sample.
const AUC_VARIANCE: f64 = 0.08;

/// The shape of the classes at one place of the grid: what does not depend on μ.
pub(super) struct Shape {
    /// Φ̄(d + s z_r) / r.
    ratios: [f64; 4],
    /// The AUC against negatives.
    auc: f64,
}

impl Shape {
    pub(super) fn new(distance: f64, spread: f64) -> Self {
        let ratios = RECALLS.map(|(recall, quantile)| upper_tail(distance + spread * quantile) / recall);
        Self { ratios, auc: 1.0 - upper_tail(distance / (1.0 + spread * spread).sqrt()) }
    }
}

/// What was seen, ready to be compared.
pub(super) struct Noisy {
    ln_bounds: [f64; 4],
    auc: f64,
    /// One over the variances.
    of_bounds: [f64; 4],
    of_auc: f64,
}

impl Noisy {
    pub(super) fn new(seen: &ScoreSummary) -> Self {
        let (n_p, n_u) = (seen.positive as f64, seen.unlabeled as f64);
        let of_bounds = std::array::from_fn(|at| {
            let recall = RECALLS[at].0;
            let above = seen.ln_bounds[at].exp() * recall * n_u;
            1.0 / ((1.0 - recall) / (recall * n_p) + 1.0 / (above + 1.0) + FLOOR * FLOOR)
        });
        let of_auc = 1.0 / (AUC_VARIANCE / n_p + AUC_VARIANCE / n_u + AUC_FLOOR * AUC_FLOOR);
        Self { ln_bounds: seen.ln_bounds, auc: seen.auc, of_bounds, of_auc }
    }

    /// The log-likelihood of a share and a shape, up to a constant.
    pub(super) fn likelihood(&self, mu: f64, shape: &Shape) -> f64 {
        let off = mu / 2.0 + (1.0 - mu) * shape.auc - self.auc;
        let mut sum = off * off * self.of_auc;
        for ((ratio, seen), weight) in shape.ratios.iter().zip(&self.ln_bounds).zip(&self.of_bounds) {
            let off = (mu + (1.0 - mu) * ratio).ln() - seen;
            sum += off * off * weight;
        }
        -0.5 * sum
    }
}

/// P(Z > z) of a standard normal variable: Marsaglia's series near 0 (Journal of Statistical Software 11, 2004), Laplace's
/// continued fraction further out.
fn upper_tail(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - upper_tail(-z);
    }
    let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
    if z < 3.0 {
        let (mut sum, mut term, mut k) = (z, z, 1.0);
        while term > 1e-17 * sum {
            k += 2.0;
            term *= z * z / k;
            sum += term;
        }
        return 0.5 - sum * density;
    }
    let fraction = (1..60).rev().fold(0.0, |below, n| f64::from(n) / (z + below));
    density / (z + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_the_tables() {
        // Abramowitz and Stegun, tables 26.1 and 26.2.
        let known = [
            (0.0, 0.5),
            (1.0, 0.158_655_253_9),
            (2.0, 0.022_750_131_9),
            (3.0, 1.349_898_03e-3),
            (5.0, 2.866_515_7e-7),
        ];
        for (z, tail) in known {
            assert!((upper_tail(z) / tail - 1.0).abs() < 1e-8, "{z}: {}", upper_tail(z));
            assert!((upper_tail(-z) - (1.0 - tail)).abs() < 1e-9);
        }
        for (recall, quantile) in RECALLS {
            assert!((upper_tail(quantile) - recall).abs() < 1e-12, "{recall}");
        }
    }

    #[test]
    fn what_fits_exactly_fits_best() {
        // Equal deviations, d = 2: the AUC against negatives is Φ(√2) = 0.92135.
        let shape = Shape::new(2.0, 1.0);
        assert!((shape.auc - 0.921_350_4).abs() < 1e-6);
        let mu = 0.2;
        let seen = ScoreSummary {
            ln_bounds: shape.ratios.map(|ratio| (mu + (1.0 - mu) * ratio).ln()),
            auc: mu / 2.0 + (1.0 - mu) * shape.auc,
            positive: 1_000,
            unlabeled: 4_000,
            consensus: 0.25,
        };
        let noisy = Noisy::new(&seen);
        assert!(noisy.likelihood(mu, &shape).abs() < 1e-20);
        for (mu, distance) in [(0.25, 2.0), (0.15, 2.0), (0.2, 1.7), (0.2, 2.3), (0.1, 1.8), (0.3, 2.2)] {
            assert!(noisy.likelihood(mu, &Shape::new(distance, 1.0)) < -0.1, "{mu} {distance}");
        }
    }
}
