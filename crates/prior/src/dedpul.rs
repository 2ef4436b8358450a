//! DEDPUL: the density ratio of the scores, and the largest share that explains it.
//!
//! D. Ivanov, "DEDPUL: difference-of-estimated-densities-based positive-unlabeled learning", ICMLA 2020.
//!
//! 1. Gaussian kernel densities f_p and f_u of the cross-fitted logits, with bandwidths of 0.1 and 0.05 standard
//!    deviations of P and of U.
//! 2. Their ratio r = f_p / f_u at the unlabeled scores, at most 50, as a rising function of the score: a running
//!    median over 5 neighbors each side, a running maximum above the middle of the two mean probabilities, a running
//!    median over a twentieth of U each side, then values in rising order.
//! 3. A row of U is positive with probability min(1, μ r), so μ = mean_U min(1, μ r). From μ = 1 the iteration falls to
//!    the largest such μ, which without noise is 1 / max r. Where noise leaves no fixed point but 0, the answer is where
//!    the gap between both sides bends most (second difference on a grid of 0.001), among gaps below 0.05.
//!
//! The authors' code works with the share of *negatives*, 1 − μ; this is μ. Reconstructed here: their further smoothing
//! of step 2 by "monotonizing trends" is left out, since the values are put in order anyway. Above 2,000 unlabeled
//! rows, step 2 looks at 2,000 quantiles of U. Densities come from a fine grid that masses are spread on, so the cost is
//! one sort and a convolution.

use crate::cells::Cells;
use crate::error::EvidenceError;
use crate::estimate::{Curve, Estimate, Finding};
use crate::estimator::{Estimator, EstimatorInfo, Evidence, Needs};
use crate::warning::ShareWarning;

static INFO: EstimatorInfo = EstimatorInfo {
    name: "dedpul",
    title: "largest share of positives that the density ratio of the scores leaves room for",
    citation: "Ivanov, ICMLA 2020",
    assumes: "labels picked at random among the positives, and scores that only positives reach; otherwise the answer is \
              an upper bound. Kernel densities smooth a thin top away, so rare positives are overestimated",
    interval: "percentile bootstrap of the scores with the bandwidths kept: shows variance, not bias",
    needs: Needs::Scores,
    reconstruction: true,
};

/// The places at which the ratio is looked at.
const PLACES: usize = 2000;

/// Cells of the density grid in a bandwidth of U, as long as the grid stays below [`MOST_CELLS`].
const FINENESS: f64 = 8.0;
const MOST_CELLS: usize = 16_384;

/// DEDPUL with its constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dedpul {
    /// The bandwidth of f_p, in standard deviations of the positive scores.
    pub bandwidth_positive: f64,
    /// The bandwidth of f_u, in standard deviations of the unlabeled scores.
    pub bandwidth_unlabeled: f64,
    /// The most the ratio may be.
    pub most_ratio: f64,
}

impl Dedpul {
    /// The constants of the author's code.
    pub const DEFAULT: Self = Self { bandwidth_positive: 0.1, bandwidth_unlabeled: 0.05, most_ratio: 50.0 };
}

impl Estimator for Dedpul {
    fn info(&self) -> &EstimatorInfo {
        &INFO
    }

    fn estimate(&self, evidence: &Evidence) -> Result<Estimate, EvidenceError> {
        evidence.check()?;
        let cells = Cells::new(evidence);
        let x = "share of positives";
        let y = "mean probability of being positive, less the share";
        let Some(grid) = Grid::over(&cells, self) else {
            let curve = Curve { x, y, points: vec![(0.0, 0.0), (1.0, 0.0)], chosen: (1.0, 0.0) };
            let nothing = Finding::bootstrapped(f64::NAN, Vec::new(), curve, evidence);
            return Ok(nothing.finish(&INFO, evidence, &cells));
        };
        let ratio = Ratio::new(grid.ratios(&cells, self.most_ratio));
        let mu = ratio.share();
        let points =
            (0..=200).map(|i| f64::from(i) / 200.0).map(|mu| (mu, ratio.explained(mu) - mu)).collect();
        let curve = Curve { x, y, points, chosen: (mu, ratio.explained(mu) - mu) };
        let resampled = cells
            .bootstrap(evidence, "dedpul", |cells| Ratio::new(grid.ratios(cells, self.most_ratio)).share());
        let mut finding = Finding::bootstrapped(mu, resampled, curve, evidence);
        let floor = 1.0 / self.most_ratio;
        if mu < 1.05 * floor {
            finding.interval.0 = 0.0;
            finding.warnings.push(ShareWarning::RatiosCut { above: self.most_ratio, floor });
        }
        Ok(finding.finish(&INFO, evidence, &cells))
    }
}

/// A fine grid over the scores, for densities.
struct Grid {
    lowest: f64,
    spacing: f64,
    len: usize,
    kernel_p: Vec<f64>,
    kernel_u: Vec<f64>,
    /// The score above which the ratio must rise.
    middle: f64,
}

impl Grid {
    /// `None` where all scores are equal.
    fn over(cells: &Cells, settings: &Dedpul) -> Option<Self> {
        let (first, last) = (*cells.score.first()?, *cells.score.last()?);
        let range = last - first;
        if range.is_nan() || range <= 0.0 || range.is_infinite() {
            return None;
        }
        // A sample of one value has no deviation; a thousandth of the range then stands in for it.
        let width_p =
            (settings.bandwidth_positive * deviation(&cells.score, &cells.positive)).max(1e-3 * range);
        let width_u =
            (settings.bandwidth_unlabeled * deviation(&cells.score, &cells.unlabeled)).max(5e-4 * range);
        let spacing = (width_u.min(width_p) / FINENESS).max(range / (MOST_CELLS - 2) as f64);
        let len = (range / spacing).ceil() as usize + 2;
        let probability = |counts: &[f64]| {
            let total: f64 = counts.iter().sum();
            cells.score.iter().zip(counts).map(|(score, n)| n / (1.0 + (-score).exp())).sum::<f64>() / total
        };
        let middle = (probability(&cells.positive) + probability(&cells.unlabeled)) / 2.0;
        let middle = (middle / (1.0 - middle)).ln();
        let (kernel_p, kernel_u) = (kernel(width_p / spacing), kernel(width_u / spacing));
        Some(Self { lowest: first, spacing, len, kernel_p, kernel_u, middle })
    }

    /// The density of some counts on the grid: each is shared out between its two neighbors on the grid, then
    /// convolved with the kernel.
    fn density(&self, scores: &[f64], counts: &[f64], kernel: &[f64]) -> Vec<f64> {
        let total: f64 = counts.iter().sum();
        let mut mass = vec![0.0; self.len];
        for (&score, &count) in scores.iter().zip(counts).filter(|(_, count)| **count > 0.0) {
            let place = (score - self.lowest) / self.spacing;
            let at = (place as usize).min(self.len - 2);
            let upper = (place - at as f64).clamp(0.0, 1.0);
            mass[at] += count * (1.0 - upper) / total;
            mass[at + 1] += count * upper / total;
        }
        let mut density = vec![0.0; self.len];
        for (at, &mass) in mass.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
            density[at] += mass * kernel[0];
            for (off, &weight) in kernel.iter().enumerate().skip(1) {
                if at >= off {
                    density[at - off] += mass * weight;
                }
                if at + off < self.len {
                    density[at + off] += mass * weight;
                }
            }
        }
        density
    }

    /// r at the unlabeled scores (or their quantiles), smoothed and in rising order.
    fn ratios(&self, cells: &Cells, most: f64) -> Vec<f64> {
        let f_p = self.density(&cells.score, &cells.positive, &self.kernel_p);
        let f_u = self.density(&cells.score, &cells.unlabeled, &self.kernel_u);
        let at = |density: &[f64], score: f64| {
            let place = (score - self.lowest) / self.spacing;
            let i = (place as usize).min(self.len - 2);
            density[i] + (density[i + 1] - density[i]) * (place - i as f64).clamp(0.0, 1.0)
        };
        let places = quantiles(cells);
        let mut ratio: Vec<f64> = places
            .iter()
            .map(|&score| {
                let (p, u) = (at(&f_p, score), at(&f_u, score));
                if p > 0.0 { (p / u).min(most) } else { 0.0 }
            })
            .collect();
        ratio = running_median(&ratio, 5);
        let above = places.partition_point(|&score| score < self.middle);
        for i in (above + 1)..ratio.len() {
            ratio[i] = ratio[i].max(ratio[i - 1]);
        }
        ratio = running_median(&ratio, places.len() / 20);
        ratio.sort_unstable_by(f64::total_cmp);
        ratio
    }
}

/// The standard deviation of weighted scores.
fn deviation(scores: &[f64], counts: &[f64]) -> f64 {
    let total: f64 = counts.iter().sum();
    let mean = scores.iter().zip(counts).map(|(s, n)| s * n).sum::<f64>() / total;
    let squares: f64 = scores.iter().zip(counts).map(|(s, n)| (s - mean).powi(2) * n).sum();
    (squares / (total - 1.0).max(1.0)).sqrt()
}

/// A Gaussian of this width in grid cells, its middle first; the tails end at five widths, and it sums to one.
fn kernel(width: f64) -> Vec<f64> {
    let reach = (5.0 * width).ceil() as usize;
    let mut weights: Vec<f64> = (0..=reach).map(|off| (-0.5 * (off as f64 / width).powi(2)).exp()).collect();
    let total = weights[0] + 2.0 * weights[1..].iter().sum::<f64>();
    weights.iter_mut().for_each(|weight| *weight /= total);
    weights
}

/// The unlabeled scores in rising order, or `PLACES` mid-quantiles of them.
fn quantiles(cells: &Cells) -> Vec<f64> {
    let total = cells.totals().1;
    let places = (total as usize).clamp(1, PLACES);
    let mut scores = Vec::with_capacity(places);
    let mut below = 0.0;
    for (&score, &count) in cells.score.iter().zip(&cells.unlabeled) {
        below += count;
        while scores.len() < places && (scores.len() as f64 + 0.5) / places as f64 * total <= below {
            scores.push(score);
        }
    }
    scores
}

/// The median of each value and its `reach` neighbors on both sides; fewer neighbors, as many on each side, at the ends.
fn running_median(values: &[f64], reach: usize) -> Vec<f64> {
    let mut window: Vec<f64> = Vec::with_capacity(2 * reach + 1);
    let (mut from, mut to) = (0, 0);
    (0..values.len())
        .map(|i| {
            let reach = reach.min(i).min(values.len() - 1 - i);
            while to < i + reach + 1 {
                let place = window.partition_point(|&value| value < values[to]);
                window.insert(place, values[to]);
                to += 1;
            }
            while from < i - reach {
                let place = window.partition_point(|&value| value < values[from]);
                window.remove(place);
                from += 1;
            }
            while to > i + reach + 1 {
                to -= 1;
                let place = window.partition_point(|&value| value < values[to]);
                window.remove(place);
            }
            window[reach]
        })
        .collect()
}

/// The ratio in rising order, with running sums, so that mean min(1, μ r) takes a binary search.
struct Ratio {
    rising: Vec<f64>,
    sums: Vec<f64>,
}

impl Ratio {
    fn new(rising: Vec<f64>) -> Self {
        let mut sums = Vec::with_capacity(rising.len() + 1);
        sums.push(0.0);
        let mut sum = 0.0;
        sums.extend(rising.iter().map(|ratio| {
            sum += ratio;
            sum
        }));
        Self { rising, sums }
    }

    /// mean_U min(1, μ r).
    fn explained(&self, mu: f64) -> f64 {
        let full = self.rising.partition_point(|&ratio| mu * ratio < 1.0);
        (mu * self.sums[full] + (self.rising.len() - full) as f64) / self.rising.len() as f64
    }

    /// Step 3.
    fn share(&self) -> f64 {
        const STEP: f64 = 0.001;
        // mean_U r is the share of P that lies where U does. If that is small, P is elsewhere, and hardly a row is positive.
        if self.explained(1.0) < 1e-3 || self.sums[self.rising.len()] < 0.05 * self.rising.len() as f64 {
            return 0.0;
        }
        let highest = self.rising.last().copied().unwrap_or(0.0);
        let mut fixed = 1.0;
        for _ in 0..1000 {
            let next = self.explained(fixed);
            // Below 1 / max r nothing is clipped any more, and the iteration would only run down to 0.
            if (next - fixed).abs() < 1e-5 || fixed * highest < 1.0 {
                break;
            }
            fixed = next;
        }
        // In terms of the negative share a = 1 − μ: the error is mean max(0, 1 − (1 − a) r) − a = μ − explained(μ).
        let errors: Vec<f64> =
            (0..1000).map(|i| 1.0 - f64::from(i) * STEP).map(|mu| mu - self.explained(mu)).collect();
        let mut bend = (f64::NEG_INFINITY, fixed);
        for i in 1..errors.len() - 1 {
            let second = errors[i + 1] - 2.0 * errors[i] + errors[i - 1];
            if errors[i] < 0.05 && second > bend.0 {
                bend = (second, 1.0 - i as f64 * STEP);
            }
        }
        let crossed = errors.iter().filter(|&&error| error < 0.0).count() > 1 && fixed > STEP;
        if bend.1 <= fixed || crossed { fixed } else { bend.1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_ratio_has_its_share() {
        // A quarter of U has ratio 4 and the rest 0: exactly these are positive, and the iteration stops at 1/4.
        let ratio = Ratio::new([vec![0.0; 75], vec![4.0; 25]].concat());
        assert!((ratio.explained(1.0) - 0.25).abs() < 1e-12 && (ratio.explained(0.1) - 0.1).abs() < 1e-12);
        assert!((ratio.share() - 0.25).abs() < 1e-4, "{}", ratio.share());
        assert_eq!(Ratio::new(vec![0.0; 100]).share(), 0.0);
    }

    #[test]
    fn overlap_is_resolved_by_the_top() {
        // Ratios 2 (a quarter of U), 1 (half) and 0 (a quarter) have mean 1; at most half can be positive.
        let ratio = Ratio::new([vec![0.0; 25], vec![1.0; 50], vec![2.0; 25]].concat());
        assert!((ratio.share() - 0.5).abs() < 5e-3, "{}", ratio.share());
    }

    #[test]
    fn medians_run_and_shrink_at_the_ends() {
        let values = [5.0, 1.0, 9.0, 2.0, 8.0];
        assert_eq!(running_median(&values, 1), [5.0, 5.0, 2.0, 8.0, 8.0]);
        assert_eq!(running_median(&values, 2), [5.0, 5.0, 5.0, 8.0, 8.0]);
        assert_eq!(running_median(&values, 0), values);
    }

    #[test]
    fn a_kernel_sums_to_one() {
        let weights = kernel(8.0);
        assert!((weights[0] + 2.0 * weights[1..].iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // The normal density at 0, in cells: 1 / (8 sqrt(2π)).
        assert!((weights[0] - 0.398_942 / 8.0).abs() < 1e-6);
    }
}
