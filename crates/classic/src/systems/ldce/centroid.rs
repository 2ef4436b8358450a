//! The labeled mean of the unlabeled rows: its two estimates, and how far it may move from them.

use super::NAME;
use crate::rows::{products, weighted_sum};
use crate::{ClassicError, LinearModel, Problem, Rows, Selected};
use onesided_data::{Counts, Stream};

/// Groups whose means the published estimate compares.
const GROUPS: usize = 10;
/// Added to the covariance before it is inverted.
const RIDGE: f64 = 1e-4;

/// The estimate of mean_U(y x).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Centroid {
    /// 2μ mean_P x - mean_U x.
    #[default]
    Exact,
    /// As printed.
    Published,
}

/// Where the centroid may lie.
pub(super) struct Region<'a> {
    unlabeled: Selected<'a>,
    /// m̂, the column of ones apart as its bias.
    pub(super) estimate: LinearModel,
    /// mean_U x.
    mean: Vec<f64>,
    centroid: Centroid,
}

impl<'a> Region<'a> {
    pub(super) fn new(centroid: Centroid, problem: &Problem<'a>) -> Result<Region<'a>, ClassicError> {
        let mu = problem.needed_prior(NAME)?;
        let Counts { positive, unlabeled, .. } = problem.counts();
        let (n_p, n_u) = (positive as f64, unlabeled as f64);
        let mean = weighted_sum(problem.rows, &problem.weights(0.0, 1.0 / n_u));
        let estimate = match centroid {
            Centroid::Exact => {
                let of_positives = weighted_sum(problem.rows, &problem.weights(1.0 / n_p, 0.0));
                let weights = of_positives.iter().zip(&mean).map(|(p, u)| 2.0 * mu * p - u).collect();
                LinearModel { weights, bias: 2.0 * mu - 1.0 }
            }
            Centroid::Published => {
                let prior = (n_p + mu * n_u) / (n_p + n_u);
                let hidden = mu * n_u / (n_p + mu * n_u);
                let value = 1.0 - 2.0 * prior * hidden;
                if value <= 0.0 {
                    return Err(ClassicError::Correction { value, prior, hidden });
                }
                let weights = median_of_means(problem).iter().map(|x| -x / value).collect();
                LinearModel { weights, bias: -1.0 / value }
            }
        };
        Ok(Region { unlabeled: Selected::new(problem.rows, problem.parts().1), estimate, mean, centroid })
    }

    /// The m with the largest w·m.
    pub(super) fn edge(&self, w: &[f64], radius: f64) -> Vec<f64> {
        let direction = match self.centroid {
            Centroid::Exact => self.covariance(w, 0.0),
            Centroid::Published => self.solve(w),
        };
        let reach: f64 = w.iter().zip(&direction).map(|(w, d)| w * d).sum();
        let step = if reach > 0.0 { (radius / reach).sqrt() } else { 0.0 };
        self.estimate.weights.iter().zip(&direction).map(|(m, d)| m + step * d).collect()
    }

    /// S v for S = Σ (x - mean)(x - mean)' / N² + ridge, the covariance of mean_U x.
    fn covariance(&self, v: &[f64], ridge: f64) -> Vec<f64> {
        let n = self.unlabeled.rows() as f64;
        let middle: f64 = self.mean.iter().zip(v).map(|(m, v)| m * v).sum();
        let along: Vec<f64> =
            products(&self.unlabeled, v, -middle).into_iter().map(|product| product / (n * n)).collect();
        let mut product = weighted_sum(&self.unlabeled, &along);
        let total: f64 = along.iter().sum();
        for ((p, m), v) in product.iter_mut().zip(&self.mean).zip(v) {
            *p += ridge * v - total * m;
        }
        product
    }

    /// S⁻¹ w by conjugate gradients.
    fn solve(&self, w: &[f64]) -> Vec<f64> {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut x = vec![0.0; w.len()];
        let mut rest = w.to_vec();
        let mut direction = rest.clone();
        let mut size = dot(&rest, &rest);
        let goal = 1e-12 * size;
        for _ in 0..200 {
            if size <= goal {
                break;
            }
            let image = self.covariance(&direction, RIDGE);
            let step = size / dot(&direction, &image);
            x.iter_mut().zip(&direction).for_each(|(x, d)| *x += step * d);
            rest.iter_mut().zip(&image).for_each(|(r, i)| *r -= step * i);
            let next = dot(&rest, &rest);
            direction.iter_mut().zip(&rest).for_each(|(d, r)| *d = r + next / size * *d);
            size = next;
        }
        x
    }
}

/// The unlabeled rows in groups: the group mean whose median distance to the others is smallest.
fn median_of_means(problem: &Problem) -> Vec<f64> {
    let mut unlabeled = problem.parts().1;
    Stream::new(problem.seed, "groups").shuffle(&mut unlabeled);
    let groups = GROUPS.min(unlabeled.len());
    let group = |k: usize| &unlabeled[k * unlabeled.len() / groups..(k + 1) * unlabeled.len() / groups];
    let mean = |k: usize| {
        let rows = Selected::new(problem.rows, group(k));
        weighted_sum(&rows, &vec![1.0 / group(k).len() as f64; group(k).len()])
    };
    let means: Vec<Vec<f64>> = (0..groups).map(mean).collect();
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let median = |k: usize| {
        let mut distances: Vec<f64> =
            (0..groups).filter(|&other| other != k).map(|other| distance(&means[k], &means[other])).collect();
        distances.sort_by(f64::total_cmp);
        distances.get(distances.len() / 2).copied().unwrap_or(0.0)
    };
    let best = (0..groups).min_by(|&a, &b| median(a).total_cmp(&median(b))).unwrap_or(0);
    means[best].clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, simulated};

    #[test]
    fn the_exact_centroid_is_the_labeled_mean() {
        let data = simulated(30_000, 2, 0.3);
        let problem = Simulated::problem(&data.rows, &data.labels, Some(0.3));
        let region = Region::new(Centroid::Exact, &problem).unwrap();
        let n_u = problem.counts().unlabeled as f64;
        let sign = |i: usize| match (problem.is_positive(i), data.truth[i]) {
            (true, _) => 0.0,
            (false, true) => 1.0 / n_u,
            (false, false) => -1.0 / n_u,
        };
        let signs: Vec<f64> = (0..data.truth.len()).map(sign).collect();
        let truth = weighted_sum(&data.rows, &signs);
        // Means of some ten thousand rows, of which 2μ/√n_p is the larger error.
        assert!(region.estimate.weights.iter().zip(&truth).all(|(m, t)| (m - t).abs() < 0.03));
        assert!((region.estimate.bias + 0.4).abs() < 1e-12);
    }

    #[test]
    fn the_edge_is_where_it_should_be() {
        let data = simulated(500, 3, 0.3);
        let problem = Simulated::problem(&data.rows, &data.labels, Some(0.3));
        let w = [0.5, -1.0, 2.0];
        for centroid in [Centroid::Exact, Centroid::Published] {
            let region = Region::new(centroid, &problem).unwrap();
            let m = region.edge(&w, 0.7);
            let off: Vec<f64> = m.iter().zip(&region.estimate.weights).map(|(m, e)| m - e).collect();
            // (m - m̂)' S⁻¹ (m - m̂) = b with S, and the same without the inverse.
            let (a, b) = match centroid {
                Centroid::Exact => {
                    // off = s S w, so off' S⁻¹ off = s w' off, and s = off / (S w).
                    let scale = off[0] / region.covariance(&w, 0.0)[0];
                    (scale * w.iter().zip(&off).map(|(w, o)| w * o).sum::<f64>(), 0.7)
                }
                Centroid::Published => {
                    let image = region.covariance(&off, RIDGE);
                    (image.iter().zip(&off).map(|(i, o)| i * o).sum::<f64>(), 0.7)
                }
            };
            assert!((a - b).abs() < 1e-6, "{centroid:?}: {a}");
        }
    }
}
