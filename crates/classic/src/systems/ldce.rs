//! LDCE: loss decomposition and centroid estimation.
//!
//! H. Shi, S. Pan, J. Yang and C. Gong, "Positive and unlabeled learning via loss decomposition and centroid estimation",
//! IJCAI 2018; C. Gong et al., TPAMI 2021. With z = y f(x), the hinge loss is at most
//!
//! ```text
//! ([1 - z]₊ + [1 + z]₊) / 2 + (1 - z) / 2
//! ```
//!
//! (which is the double hinge max(-z, (1 - z)/2, 0)). The first part is the same for both labels; the second needs only
//! m = mean_U(y x), the labeled centroid of the unlabeled rows. With n rows in all, n_u of them unlabeled,
//!
//! ```text
//! min_{w, m}  1/n Σ_P [1 - f]₊ + 1/2n Σ_U ([1 - f]₊ + [1 + f]₊) - n_u/2n w·m + λ‖w‖²      m near its estimate m̂
//! ```
//!
//! For fixed m this is a support vector machine around the center n_u/(4nλ) m, solved exactly
//! ([`LinearSvm::fit_around`]); for fixed w the best m is at the edge of an ellipsoid. The two take turns. λ and the
//! ellipsoid's radius are chosen on held-out rows by the 0-1 risk; the paper's λ are 2⁻⁴ to 2⁴, texts want far smaller
//! ones.
//!
//! * [`Centroid::Exact`], the default: m̂ = 2μ mean_P x - mean_U x, which is mean_U(y x) in expectation if the labeled
//!   positives are a random subset. The ellipsoid is (m - m̂)' S⁻¹ (m - m̂) ≤ b with S the covariance of mean_U x.
//! * [`Centroid::Published`]: with h the hidden share of positives and p the class prior, the mean of -x over U is divided
//!   by 1 - 2ph. That is right if labels were flipped whatever their class; here only positives are hidden, and it is
//!   biased. The mean is the median of the means of ten groups (the one nearest to the others), the ellipsoid as
//!   printed, (m - m̂)' S (m - m̂) ≤ b with a ridge of 1e-4. Known from a secondary source, which has N² where the
//!   covariance of a mean has N³ in its second term; this is the covariance. S is of the order of 1/N, so that ellipsoid
//!   is wide: on USPS a radius above 0 makes every row negative, and 0 is chosen.
//!
//! The intercept is the weight of a column of ones, with m = 2μ - 1 there. Columns should lie in [-1, 1] or so.

use super::System;
use crate::choice::{ENOUGH, choose};
use crate::rows::{products, weighted_sum};
use crate::{ClassicError, ClassicModel, Examples, LinearModel, LinearSvm, Rows, Scorer, Selected, Task};
use onesided_data::{Counts, Stream};

const NAME: &str = "ldce";

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

/// Settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Ldce {
    /// The estimate of the centroid.
    pub centroid: Centroid,
    /// λ, the candidates.
    pub ridges: Vec<f64>,
    /// b, the candidates; 0 keeps m at its estimate.
    pub radii: Vec<f64>,
    /// Turns of w and m.
    pub turns: usize,
}

impl Default for Ldce {
    fn default() -> Self {
        let ridges = [-18, -16, -14, -12, -10, -8, -6, -4, -2].map(|k| 2f64.powi(k)).to_vec();
        Self { centroid: Centroid::Exact, ridges, radii: vec![0.0, 0.1, 0.9], turns: 3 }
    }
}

impl System for Ldce {
    fn name(&self) -> &'static str {
        NAME
    }

    fn fit(&self, task: &Task) -> Result<ClassicModel, ClassicError> {
        task.check()?;
        task.needed_prior(NAME)?;
        let pairs =
            self.ridges.iter().flat_map(|&ridge| self.radii.iter().map(move |&radius| (ridge, radius)));
        let candidates: Vec<(f64, f64)> = pairs.collect();
        for &(ridge, radius) in &candidates {
            if !(ridge > 0.0 && ridge.is_finite()) {
                return Err(ClassicError::Setting {
                    name: "LDCE's ridge",
                    range: "a number above 0",
                    value: ridge,
                });
            }
            if !(radius >= 0.0 && radius.is_finite()) {
                return Err(ClassicError::Setting {
                    name: "LDCE's radius",
                    range: "at least 0",
                    value: radius,
                });
            }
        }
        // λ stands beside means: it needs no change on fewer rows.
        let (ridge, radius) = choose(NAME, task, &candidates, ENOUGH, |&(ridge, radius), task, _| {
            self.fit_one(task, ridge, radius)
        })?;
        Ok(self.fit_one(task, ridge, radius)?.with("ridge", ridge).with("radius", radius))
    }
}

impl Ldce {
    fn fit_one(&self, task: &Task, ridge: f64, radius: f64) -> Result<ClassicModel, ClassicError> {
        let Counts { positive, unlabeled } = task.counts();
        let n = (positive + unlabeled) as f64;
        let region = Region::new(self.centroid, task)?;
        // Divided by 2λ, the regularizer is ½‖w‖².
        let unit = 1.0 / (2.0 * ridge);
        let up = task.weights(unit / n, 0.5 * unit / n);
        let down = task.weights(0.0, 0.5 * unit / n);
        let examples = Examples::new(task.rows, &up, &down)?;
        let svm = LinearSvm::quick(task.rows);
        let pull = unit * unlabeled as f64 / (2.0 * n);
        let mut m = region.estimate.clone();
        let mut stream = Stream::new(task.seed, NAME);
        let mut turn = 1;
        loop {
            let weights = m.weights.iter().map(|m| pull * m).collect();
            let center = LinearModel { weights, bias: pull * m.bias };
            let model = svm.fit_around(examples, &center, &mut stream).model;
            if radius == 0.0 || turn >= self.turns {
                return Ok(ClassicModel::new(NAME, Scorer::Linear(model)));
            }
            m.weights = region.edge(&model.weights, radius);
            turn += 1;
        }
    }
}

/// Where the centroid may lie.
struct Region<'a> {
    unlabeled: Selected<'a>,
    /// m̂, the column of ones apart as its bias.
    estimate: LinearModel,
    /// mean_U x.
    mean: Vec<f64>,
    centroid: Centroid,
}

impl<'a> Region<'a> {
    fn new(centroid: Centroid, task: &Task<'a>) -> Result<Region<'a>, ClassicError> {
        let mu = task.needed_prior(NAME)?;
        let Counts { positive, unlabeled } = task.counts();
        let (n_p, n_u) = (positive as f64, unlabeled as f64);
        let mean = weighted_sum(task.rows, &task.weights(0.0, 1.0 / n_u));
        let estimate = match centroid {
            Centroid::Exact => {
                let of_positives = weighted_sum(task.rows, &task.weights(1.0 / n_p, 0.0));
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
                let weights = median_of_means(task).iter().map(|x| -x / value).collect();
                LinearModel { weights, bias: -1.0 / value }
            }
        };
        Ok(Region { unlabeled: Selected::new(task.rows, task.parts().1), estimate, mean, centroid })
    }

    /// The m with the largest w·m.
    fn edge(&self, w: &[f64], radius: f64) -> Vec<f64> {
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
fn median_of_means(task: &Task) -> Vec<f64> {
    let mut unlabeled = task.parts().1;
    Stream::new(task.seed, "groups").shuffle(&mut unlabeled);
    let groups = GROUPS.min(unlabeled.len());
    let group = |k: usize| &unlabeled[k * unlabeled.len() / groups..(k + 1) * unlabeled.len() / groups];
    let mean = |k: usize| {
        let rows = Selected::new(task.rows, group(k));
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
        let task = Simulated::task(&data.rows, &data.labels, Some(0.3));
        let region = Region::new(Centroid::Exact, &task).unwrap();
        let n_u = task.counts().unlabeled as f64;
        let sign = |i: usize| match (task.is_positive(i), data.truth[i]) {
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
        let task = Simulated::task(&data.rows, &data.labels, Some(0.3));
        let w = [0.5, -1.0, 2.0];
        for centroid in [Centroid::Exact, Centroid::Published] {
            let region = Region::new(centroid, &task).unwrap();
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

    #[test]
    fn it_comes_near_the_best_boundary() {
        let data = simulated(3000, 4, 0.3);
        let task = Simulated::task(&data.rows, &data.labels, Some(0.3));
        let model = Ldce::default().fit(&task).unwrap();
        assert!(data.accuracy(&model) > 0.96, "{}: {:?}", data.accuracy(&model), model.chosen);
    }

    #[test]
    fn what_it_cannot_do_is_a_sentence() {
        let data = simulated(400, 2, 0.9);
        let published = Ldce { centroid: Centroid::Published, ..Ldce::default() };
        let error = |ldce: &Ldce, mu| {
            ldce.fit(&Simulated::task(&data.rows, &data.labels, mu)).unwrap_err().to_string()
        };
        assert_eq!(
            error(&Ldce::default(), None),
            "ldce needs the share of positives among the unlabeled rows; give it a prior"
        );
        // Half of the positives hidden, p = 0.95: 1 - 0.95 = 0.05 would pass; nearly all hidden does not.
        let mut labels = vec![onesided_data::Label::Unlabeled; 400];
        labels[390..].fill(onesided_data::Label::Positive);
        let task = Simulated::task(&data.rows, &labels, Some(0.95));
        let message = published.fit(&task).unwrap_err().to_string();
        assert!(
            message.starts_with("LDCE's published centroid divides by 1 - 2ph, which is -0.85"),
            "{message}"
        );
        assert!(
            error(&Ldce { ridges: vec![0.0], ..Ldce::default() }, Some(0.9)).contains("LDCE's ridge must be")
        );
    }
}
