//! KM1 and KM2: how far U can be moved away from P before it leaves the hull of the data.
//!
//! H. Ramaswamy, C. Scott and A. Tewari, "Mixture proportion estimation via kernel embeddings of distributions", ICML 2016.
//!
//! Taking a share κ of P out of U leaves λ U + (1 − λ) P with λ = 1 / (1 − κ). As long as κ is at most the share of
//! positives, this is a distribution. So with d(λ) the distance, in the kernel's feature space, of the moved mean to the
//! convex hull of all rows, d is zero up to λ* and grows beyond. The estimate is where the slope of d passes a threshold:
//!
//! * KM1: 0.8 of the slope at λ = 1 plus 0.2 ‖mean_U − mean_P‖, the largest slope there can be.
//! * KM2: 1 / sqrt(min(n_p, n_u)), or of the corners of the hull where these are fewer; where that is above 0.9 ‖mean_U − mean_P‖, the threshold of KM1.
//!
//! The Gaussian's width is the one of five, from a tenth to ten times the median distance, with the largest
//! ‖mean_U − mean_P‖ (on at most 1,000 rows of each kind). d is convex, so the threshold is found by bisection.
//!
//! Departures from the authors' code: it bisects λ over [1, 8] and cannot answer more than 0.875, which users have met as
//! an answer; here κ is bisected over [0, 0.99], and an answer at the end is flagged. It takes slopes from differences of
//! d over 0.02; here the slope is exact, ⟨moved mean − nearest point, mean_U − mean_P⟩ / d (the envelope theorem). Large
//! tables use random features, see [`KernelForm`].

use crate::cells::Cells;
use crate::embedding::{Embedding, KernelForm, Means};
use crate::error::EvidenceError;
use crate::estimate::{Curve, Estimate, Finding};
use crate::estimator::{Estimator, EstimatorInfo, Evidence, Needs};
use crate::hull::Nearest;
use crate::kernel::{median_distance, parallel, rows_at, sample, squared_distance};
use crate::resample::{normal_quantile, poisson_all};
use crate::warning::ShareWarning;
use onesided_data::Stream;

static KM1: EstimatorInfo = EstimatorInfo {
    name: "km1",
    title: "kernel mean matching, threshold between the first slope and the largest",
    citation: "Ramaswamy, Scott and Tewari, ICML 2016 (KM1)",
    assumes: ASSUMES,
    interval: INTERVAL,
    needs: Needs::Rows,
    reconstruction: false,
};

static KM2: EstimatorInfo = EstimatorInfo {
    name: "km2",
    title: "kernel mean matching, threshold that falls with the number of rows",
    citation: "Ramaswamy, Scott and Tewari, ICML 2016 (KM2)",
    assumes: ASSUMES,
    interval: INTERVAL,
    needs: Needs::Rows,
    reconstruction: false,
};

const ASSUMES: &str = "labels picked at random among the positives, classes that a Gaussian kernel of one width tells apart, \
                       and no part of the negatives that looks like the positives (otherwise an upper bound)";
const INTERVAL: &str = "normal, with the standard deviation of 50 bootstrap resamples over groups of rows, width and hull kept: shows \
                        variance, not bias";

/// Answers are bisected between 0 and this.
const HIGHEST: f64 = 0.99;

/// A resample costs several searches in the hull, so there are no more than this, and the interval takes their deviation
/// instead of their percentiles.
const RESAMPLES: usize = 50;

/// Rows of each kind that the width is chosen on.
const WIDTH_ROWS: usize = 1000;

/// Which threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// From the slopes at both ends.
    Km1,
    /// From the number of rows.
    Km2,
}

/// KM1 or KM2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Km {
    /// Which threshold the slope is held against.
    pub threshold: Threshold,
    /// How the kernel is computed.
    pub form: KernelForm,
}

impl Km {
    /// KM1, exact for small tables.
    pub const ONE: Self = Self { threshold: Threshold::Km1, form: KernelForm::Auto };
    /// KM2, exact for small tables.
    pub const TWO: Self = Self { threshold: Threshold::Km2, form: KernelForm::Auto };

    fn facts(&self) -> &'static EstimatorInfo {
        match self.threshold {
            Threshold::Km1 => &KM1,
            Threshold::Km2 => &KM2,
        }
    }

    /// The slope above which the moved mean has left the hull.
    fn level(&self, search: &mut Search, fewest: f64) -> f64 {
        let discrepancy = search.means.discrepancy();
        let by_size = 1.0 / fewest.sqrt();
        if self.threshold == Threshold::Km2 && by_size <= 0.9 * discrepancy {
            return by_size;
        }
        let scale = 0.2 * discrepancy;
        let first = (search.at(1.05, scale).distance - search.at(1.0, scale).distance).max(0.0) / 0.05;
        0.8 * first + 0.2 * discrepancy
    }
}

/// The search for the bend of d, with the nearest point of the last λ to start from.
struct Search<'a> {
    embedding: &'a Embedding,
    means: Means,
    nearest: Nearest,
}

/// d and its slope at one λ.
#[derive(Clone, Copy, Debug)]
struct Place {
    distance: f64,
    slope: f64,
}

impl Search<'_> {
    /// d and its slope. A distance of less than a tenth of `level` (λ − 1) is none: d is convex and starts from 0, so
    /// its slope passes the level only after that.
    fn at(&mut self, lambda: f64, level: f64) -> Place {
        let (a, b) = (lambda, 1.0 - lambda);
        let Means { u, p, uu, up, pp } = &self.means;
        let target: Vec<f64> = u.iter().zip(p).map(|(u, p)| a * u + b * p).collect();
        let negligible = 0.1 * level * (lambda - 1.0).max(1e-3);
        let own = a * a * uu + 2.0 * a * b * up + b * b * pp;
        let distance =
            self.nearest.approach(&self.embedding.gram, &target, own, negligible * negligible).sqrt();
        let along = self.nearest.inner(u) - self.nearest.inner(p);
        let slope = a * uu + b * up - a * up - b * pp - along;
        let slope = if distance > negligible { (slope / distance).max(0.0) } else { 0.0 };
        Place { distance, slope }
    }

    /// Whether taking out κ has left the hull.
    fn outside(&mut self, kappa: f64, level: f64) -> bool {
        self.at(1.0 / (1.0 - kappa), level).slope > level
    }

    /// The κ at which the slope passes `level`, looked for around `near`: doubling steps until it lies between two places,
    /// then halving down to `fineness`.
    fn bend(&mut self, level: f64, near: f64, fineness: f64) -> f64 {
        let (mut low, mut high) = (0.0, HIGHEST);
        let mut step = 16.0 * fineness;
        let upward = !self.outside(near, level);
        if upward {
            low = near
        } else {
            high = near
        }
        loop {
            let kappa = if upward { low + step } else { high - step };
            if kappa <= 0.0 || kappa >= HIGHEST {
                break;
            }
            let outside = self.outside(kappa, level);
            if outside {
                high = kappa
            } else {
                low = kappa
            }
            if outside == upward {
                break;
            }
            step *= 2.0;
        }
        while high - low > fineness {
            let kappa = (low + high) / 2.0;
            if self.outside(kappa, level) { high = kappa } else { low = kappa }
        }
        if high == HIGHEST { HIGHEST } else { (low + high) / 2.0 }
    }
}

/// The width with the largest distance between the means.
fn width(u: &[&[f32]], p: &[&[f32]]) -> f64 {
    let median = median_distance(&[u, p].concat());
    let squares = |a: &[&[f32]], b: &[&[f32]]| -> Vec<Vec<f64>> {
        parallel(a, |a| b.iter().map(|b| squared_distance(a, b)).collect())
    };
    let (uu, up, pp) = (squares(u, u), squares(u, p), squares(p, p));
    let candidates: Vec<f64> = (0..5).map(|i| median * 10f64.powf(-1.0 + 0.5 * f64::from(i))).collect();
    let discrepancies = candidates.iter().map(|width| {
        let scale = -0.5 / (width * width);
        let mean = |squares: &[Vec<f64>]| {
            let sums = parallel(squares, |row| row.iter().map(|square| (scale * square).exp()).sum::<f64>());
            sums.iter().sum::<f64>() / (squares.len() * squares[0].len()) as f64
        };
        mean(&uu) - 2.0 * mean(&up) + mean(&pp)
    });
    let scored: Vec<(f64, f64)> = candidates.iter().copied().zip(discrepancies).collect();
    scored.iter().fold((median, f64::NEG_INFINITY), |best, &this| if this.1 > best.1 { this } else { best }).0
}

/// The standard deviation.
fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt()
}

impl Estimator for Km {
    fn info(&self) -> &EstimatorInfo {
        self.facts()
    }

    fn estimate(&self, evidence: &Evidence) -> Result<Estimate, EvidenceError> {
        evidence.check()?;
        let (positive, unlabeled) = evidence.rows(self.facts().name)?;
        // One stream for both thresholds: KM1 and KM2 look at the same features.
        let mut stream = Stream::new(evidence.seed, "km");
        let rows_u = rows_at(unlabeled, &sample(unlabeled.rows(), WIDTH_ROWS, &mut stream));
        let rows_p = rows_at(positive, &sample(positive.rows(), WIDTH_ROWS, &mut stream));
        let width = width(&rows_u, &rows_p);
        let embedding = Embedding::new(unlabeled, positive, width, self.form, &mut stream);
        let (n_p, n_u) = evidence.sizes();
        // A hull of fewer corners than rows is left sooner; its own size then sets the threshold of KM2.
        let corners_p = embedding.corners - embedding.from_unlabeled;
        let fewest = n_p.min(n_u).min(embedding.from_unlabeled as f64).min(corners_p as f64);

        let start = Nearest::equal(&embedding.gram, embedding.corners, embedding.from_unlabeled);
        let search = |taken: &[f64], nearest: &Nearest| Search {
            embedding: &embedding,
            means: embedding.means(taken),
            nearest: nearest.clone(),
        };
        let once = vec![1.0; embedding.groups()];
        let mut point = search(&once, &start);
        let level = self.level(&mut point, fewest);
        // Two samples of one distribution have a squared distance of about (1/n_p + 1/n_u) (1 − mean k); a search for a slope
        // would only follow that noise.
        let noise = (1.0 / n_p + 1.0 / n_u) * (1.0 - point.means.uu);
        let alike = point.means.discrepancy().powi(2) < 1.5 * noise;
        let mu = if alike { HIGHEST } else { point.bend(level, 0.25, 5e-4) };
        let place = point.at(1.0 / (1.0 - mu), level);
        let settled = point.nearest.clone();
        let most = (2.0 * mu).clamp(0.2, HIGHEST);
        let mut walk = search(&once, &start);
        let points = (0..=40)
            .map(|i| most * f64::from(i) / 40.0)
            .map(|kappa| (kappa, walk.at(1.0 / (1.0 - kappa), level).slope))
            .collect();
        let curve = Curve {
            x: "share of positives taken out",
            y: "slope of the distance to the hull",
            points,
            chosen: (mu, place.slope),
        };

        let (each_u, each_p) = once.split_at(embedding.groups_of_unlabeled);
        let (mut taken_u, mut taken_p) = (Vec::new(), Vec::new());
        let draws: Vec<Vec<f64>> = (0..evidence.resamples.min(RESAMPLES))
            .map(|_| {
                poisson_all(each_u, &mut stream, &mut taken_u);
                poisson_all(each_p, &mut stream, &mut taken_p);
                [&taken_u[..], &taken_p[..]].concat()
            })
            .collect();
        let resampled = parallel(&draws, |taken| {
            let mut search = search(taken, &settled);
            let level = self.level(&mut search, fewest);
            search.bend(level, mu, (mu / 50.0).clamp(5e-4, 4e-3))
        });
        let half = normal_quantile(0.5 + evidence.confidence / 2.0) * deviation(&resampled);
        let interval = (mu - half, mu + half);
        let mut finding = Finding { mu, interval, curve, other_intervals: Vec::new(), warnings: Vec::new() };
        if mu >= HIGHEST {
            finding.interval.1 = 1.0;
            finding.warnings.push(ShareWarning::Largest(HIGHEST));
        }
        Ok(finding.finish(self.facts(), evidence, &Cells::new(evidence)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    #[test]
    fn three_points_on_a_line_have_their_share() {
        // U is a third at 0 and two thirds at 10, P all at 0: the moved mean leaves the hull at κ = 1/3.
        let column = |values: Vec<f32>| Matrix::new(values.len(), 1, values).unwrap();
        let (p, u) =
            (column(vec![0.0; 30]), column((0..60).map(|i| if i % 3 == 0 { 0.0 } else { 10.0 }).collect()));
        let scores: Vec<f64> = (0..60).map(|i| if i % 3 == 0 { 1.0 } else { 0.0 }).collect();
        let evidence = Evidence::of_scores(&[1.0; 30], &scores).with_rows(&p, &u);
        for km in [Km::ONE, Km::TWO] {
            let estimate = km.estimate(&evidence).unwrap();
            assert!((estimate.mu - 1.0 / 3.0).abs() < 0.01, "{:?}: {}", km, estimate.mu);
            assert!(estimate.interval.0 < 0.3 && estimate.interval.1 > 0.36, "{:?}", estimate.interval);
        }
    }
}
