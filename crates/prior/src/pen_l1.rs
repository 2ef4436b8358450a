//! Penalized L1 distance matching.
//!
//! M. C. du Plessis, G. Niu and M. Sugiyama, "Class-prior estimation for learning from positive and unlabeled data", ACML
//! 2015 and Machine Learning 2017.
//!
//! θ p(x | y=1) is fitted to the unlabeled density in a distance that forbids the fit to exceed it: with Gaussian basis
//! functions φ_l and b_l(θ) = θ mean_P φ_l − mean_U φ_l, the share minimizes
//!
//! ```text
//!   J(θ) = (1/λ) Σ_l max(0, b_l(θ))² − θ + 1.
//! ```
//!
//! J is convex and smooth, so the minimum over [0, 1] is found by bisection on its slope, not on a grid of 0.01. The
//! 200 centers are drawn at random from P and U together (the first rows of a sorted file would be a poor choice), the
//! width is 0.6 of the median distance, λ is 0.01.
//!
//! The 200 centers are the landmarks that keep the cost linear in the rows: nothing else is approximated at any size,
//! and with every row as a center ([`PenL1::centers`]) the form is the full one.

use crate::cells::Cells;
use crate::error::EvidenceError;
use crate::estimate::{Curve, Estimate, Finding};
use crate::estimator::{Estimator, EstimatorInfo, Evidence, Needs};
use crate::kernel::{median_distance, parallel, rows_at, sample, split_evenly, squared_distance};
use crate::resample::poisson_all;
use onesided_data::{Matrix, Stream};

static INFO: EstimatorInfo = EstimatorInfo {
    name: "pen-l1",
    title: "penalized L1 fit of the positive density under the unlabeled one",
    citation: "du Plessis, Niu and Sugiyama, ACML 2015",
    assumes: "labels picked at random among the positives, a region of (nearly) only positives, and a kernel width that \
              suits the data: a poor one biases the answer strongly, and many columns are hard",
    interval: "percentile bootstrap over groups of rows with centers and width kept: shows variance, not bias",
    needs: Needs::Rows,
    reconstruction: false,
};

/// Rows used for the median distance.
const WIDTH_ROWS: usize = 1000;

/// Groups of rows for the bootstrap.
const GROUPS: usize = 512;

/// Penalized L1 matching with its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenL1 {
    /// How many centers are drawn; all rows are centers if there are no more.
    pub centers: usize,
    /// The width of the Gaussians, in median distances.
    pub width: f64,
    /// λ, the regularization.
    pub lambda: f64,
}

impl PenL1 {
    /// 200 centers, a width of 0.6 median distances, λ = 0.01.
    pub const DEFAULT: Self = Self { centers: 200, width: 0.6, lambda: 0.01 };
}

/// mean_P φ and mean_U φ.
struct Means {
    p: Vec<f64>,
    u: Vec<f64>,
    lambda: f64,
}

impl Means {
    fn objective(&self, theta: f64) -> f64 {
        let squares: f64 = self.p.iter().zip(&self.u).map(|(p, u)| (theta * p - u).max(0.0).powi(2)).sum();
        squares / self.lambda - theta + 1.0
    }

    /// The argmin of J over [0, 1]: its slope (2/λ) Σ max(0, b_l) mean_P φ_l − 1 rises.
    fn best(&self) -> f64 {
        let rises = |theta: f64| {
            let sum: f64 = self.p.iter().zip(&self.u).map(|(p, u)| (theta * p - u).max(0.0) * p).sum();
            2.0 * sum / self.lambda > 1.0
        };
        if !rises(1.0) {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = (low + high) / 2.0;
            if rises(middle) { high = middle } else { low = middle }
        }
        (low + high) / 2.0
    }
}

/// Sums of the basis functions over each group of rows.
struct Grouped {
    sizes: Vec<f64>,
    sums: Vec<Vec<f64>>,
}

impl Grouped {
    fn new(rows: &Matrix, centers: &[&[f32]], width: f64, stream: &mut Stream) -> Self {
        let groups = split_evenly(rows.rows(), GROUPS, stream);
        let scale = -0.5 / (width * width);
        let sums = parallel(&groups, |group| {
            let mut sums = vec![0.0; centers.len()];
            for &row in group {
                for (sum, center) in sums.iter_mut().zip(centers) {
                    *sum += (scale * squared_distance(rows.row(row), center)).exp();
                }
            }
            sums
        });
        Self { sizes: groups.iter().map(|group| group.len() as f64).collect(), sums }
    }

    /// The mean of the basis functions when group i is taken `taken[i]` times.
    fn mean(&self, taken: &[f64]) -> Vec<f64> {
        let total: f64 = taken.iter().zip(&self.sizes).map(|(n, size)| n * size).sum();
        let mut mean = vec![0.0; self.sums[0].len()];
        for (sums, &n) in self.sums.iter().zip(taken).filter(|(_, n)| **n > 0.0) {
            mean.iter_mut().zip(sums).for_each(|(mean, sum)| *mean += n / total * sum);
        }
        mean
    }
}

impl Estimator for PenL1 {
    fn info(&self) -> &EstimatorInfo {
        &INFO
    }

    fn estimate(&self, evidence: &Evidence) -> Result<Estimate, EvidenceError> {
        evidence.check()?;
        let (positive, unlabeled) = evidence.rows(INFO.name)?;
        let n_p = positive.rows();
        let pool = |indices: &[usize]| -> Vec<&[f32]> {
            let (p, u): (Vec<usize>, Vec<usize>) = indices.iter().partition(|&&i| i < n_p);
            let u: Vec<usize> = u.iter().map(|i| i - n_p).collect();
            [rows_at(positive, &p), rows_at(unlabeled, &u)].concat()
        };
        let mut stream = Stream::new(evidence.seed, "pen-l1");
        let centers = pool(&sample(n_p + unlabeled.rows(), self.centers.max(1), &mut stream));
        let width =
            self.width * median_distance(&pool(&sample(n_p + unlabeled.rows(), WIDTH_ROWS, &mut stream)));
        let p = Grouped::new(positive, &centers, width, &mut stream);
        let u = Grouped::new(unlabeled, &centers, width, &mut stream);

        let once = |grouped: &Grouped| grouped.mean(&vec![1.0; grouped.sizes.len()]);
        let means = Means { p: once(&p), u: once(&u), lambda: self.lambda };
        let mu = means.best();
        let points =
            (1..100).map(|i| f64::from(i) / 100.0).map(|theta| (theta, means.objective(theta))).collect();
        let curve = Curve {
            x: "share of positives",
            y: "penalized distance",
            points,
            chosen: (mu, means.objective(mu)),
        };
        let (each_p, each_u) = (vec![1.0; p.sizes.len()], vec![1.0; u.sizes.len()]);
        let (mut taken_p, mut taken_u) = (Vec::new(), Vec::new());
        let resampled = (0..evidence.resamples)
            .map(|_| {
                poisson_all(&each_p, &mut stream, &mut taken_p);
                poisson_all(&each_u, &mut stream, &mut taken_u);
                Means { p: p.mean(&taken_p), u: u.mean(&taken_u), lambda: self.lambda }.best()
            })
            .collect();
        let finding = Finding::bootstrapped(mu, resampled, curve, evidence);
        Ok(finding.finish(&INFO, evidence, &Cells::new(evidence)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_basis_function_by_hand() {
        // mean_P φ = 1, mean_U φ = 0.3: (θ − 0.3)²/λ − θ has its minimum at 0.3 + λ/2.
        let means = Means { p: vec![1.0], u: vec![0.3], lambda: 0.01 };
        assert!((means.best() - 0.305).abs() < 1e-9, "{}", means.best());
        assert!((means.objective(0.305) - (0.005f64.powi(2) / 0.01 - 0.305 + 1.0)).abs() < 1e-12);
        // No basis function ever exceeds U: all of it may be positive.
        assert_eq!(Means { p: vec![0.1], u: vec![0.3], lambda: 0.01 }.best(), 1.0);
    }
}
