//! The label frequency of Elkan and Noto, from all held-out positives and from the top of them.
//!
//! C. Elkan and K. Noto, "Learning classifiers from only positive and unlabeled data", KDD 2008.
//!
//! Let g(x) be the probability that a row of the pool P ∪ U is labeled. If labels were picked at random, g = c · p(y=1|x),
//! where c is the share of positives that are labeled. So wherever a row is surely positive, g is c, and
//!
//! ```text
//!   μ = (n_p / n_u) (1 − c) / c
//! ```
//!
//! `elkan-noto` takes the mean of g over held-out positives (the paper's e1). Where the classes overlap many positives are
//! not surely positive, their g is below c, and μ comes out too high. `elkan-noto-top` takes g at the 95th percentile of
//! the held-out positives, in the spirit of the paper's e3, the maximum: only the top has to be pure.
//!
//! Both need g to be a probability, and scores are not, so they are calibrated first on the cross-fitted scores. The mean
//! uses Platt's two-parameter logistic fit (Platt 1999, with its smoothed targets). The top uses isotonic regression
//! (Zadrozny and Elkan 2002), because g levels off at c and a logistic curve does not: read at its top it finds too
//! little wherever the score keeps rising, as a linear model's does. Isotonic regression follows any score, but a few
//! positives at the very top bend it upward, and it finds too little where positives are few (0.05 for 0.1 on 500
//! positives of two Gaussians). A resample doubles that bias, so the top's interval is centered on the estimate.

use crate::cells::Cells;
use crate::error::EvidenceError;
use crate::estimate::{Curve, Estimate, Finding, thinned};
use crate::estimator::{Estimator, EstimatorInfo, Evidence, Needs};
use crate::isotonic::increasing;
use crate::resample::center;
use crate::warning::ShareWarning;

static MEAN: EstimatorInfo = EstimatorInfo {
    name: "elkan-noto",
    title: "label frequency as the mean calibrated score of held-out positives",
    citation: "Elkan and Noto, KDD 2008 (e1)",
    assumes: "labels picked at random among the positives, and classes that do not overlap: every positive that could \
              also be negative raises the answer",
    interval: "percentile bootstrap of the scores, recalibrated each time: shows variance, not bias",
    needs: Needs::Scores,
    reconstruction: false,
};

static TOP: EstimatorInfo = EstimatorInfo {
    name: "elkan-noto-top",
    title: "label frequency as the calibrated score at the 95th percentile of held-out positives",
    citation: "after Elkan and Noto, KDD 2008 (e3, with a percentile for the maximum)",
    assumes: "labels picked at random among the positives, and a twentieth of them that are surely positive; \
              otherwise the answer is an upper bound",
    interval: "percentile bootstrap of the scores, recalibrated each time and centered on the estimate: shows variance, \
               not bias",
    needs: Needs::Scores,
    reconstruction: true,
};

/// Where on the held-out positives the label frequency is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReadAt {
    /// The mean over all of them.
    Mean,
    /// The value above which this share of them lies.
    Top(f64),
}

/// How scores become probabilities of being labeled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScoreCalibration {
    /// σ(a s + b).
    Platt,
    /// Any rising function.
    Isotonic,
}

/// Elkan and Noto's label frequency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElkanNoto {
    /// Where it is read.
    pub read_at: ReadAt,
    /// How scores are calibrated.
    pub calibration: ScoreCalibration,
}

impl ElkanNoto {
    /// `elkan-noto`: the mean.
    pub const MEAN: Self = Self { read_at: ReadAt::Mean, calibration: ScoreCalibration::Platt };
    /// `elkan-noto-top`: a twentieth of the positives lies above.
    pub const TOP: Self = Self { read_at: ReadAt::Top(0.05), calibration: ScoreCalibration::Isotonic };

    fn facts(&self) -> &'static EstimatorInfo {
        match self.read_at {
            ReadAt::Mean => &MEAN,
            ReadAt::Top(_) => &TOP,
        }
    }

    fn calibrated(&self, cells: &Cells) -> Vec<f64> {
        match self.calibration {
            ScoreCalibration::Platt => platt(cells),
            ScoreCalibration::Isotonic => isotonic(cells),
        }
    }

    /// μ, not yet clipped.
    fn mu(&self, cells: &Cells) -> f64 {
        let (n_p, n_u) = cells.totals();
        let g = self.calibrated(cells);
        let c = match self.read_at {
            ReadAt::Mean => cells.positive.iter().zip(&g).map(|(n, g)| n * g).sum::<f64>() / n_p,
            ReadAt::Top(share) => g[place_of(cells, share)],
        };
        from_frequency(c, n_p, n_u)
    }
}

/// μ = (n_p / n_u) (1 − c) / c.
pub(crate) fn from_frequency(c: f64, n_p: f64, n_u: f64) -> f64 {
    n_p / n_u * (1.0 - c) / c
}

/// The highest cell with at least `share` of the positives in it or above.
pub(crate) fn place_of(cells: &Cells, share: f64) -> usize {
    let enough = share * cells.totals().0 - 1e-9;
    let mut above = 0.0;
    (0..cells.len())
        .rev()
        .find(|&i| {
            above += cells.positive[i];
            above >= enough && above > 0.0
        })
        .unwrap_or(0)
}

/// g of each cell by isotonic regression of "labeled" on the score.
pub(crate) fn isotonic(cells: &Cells) -> Vec<f64> {
    let weights: Vec<f64> = cells.positive.iter().zip(&cells.unlabeled).map(|(p, u)| p + u).collect();
    let shares: Vec<f64> =
        cells.positive.iter().zip(&weights).map(|(p, w)| if *w > 0.0 { p / w } else { 0.0 }).collect();
    increasing(&shares, &weights)
}

/// g of each cell as σ(a s + b): Newton's method on the cross entropy with Platt's targets (n_p + 1) / (n_p + 2) and
/// 1 / (n_u + 2), which keep it finite where a cut separates P from U. A falling curve is flattened.
fn platt(cells: &Cells) -> Vec<f64> {
    let (n_p, n_u) = cells.totals();
    let (target_p, target_u) = ((n_p + 1.0) / (n_p + 2.0), 1.0 / (n_u + 2.0));
    let weight = |i: usize| cells.positive[i] + cells.unlabeled[i];
    let total = n_p + n_u;
    let mean = (0..cells.len()).map(|i| weight(i) * cells.score[i]).sum::<f64>() / total;
    let square = (0..cells.len()).map(|i| weight(i) * (cells.score[i] - mean).powi(2)).sum::<f64>() / total;
    let scale = if square > 0.0 { square.sqrt() } else { 1.0 };
    let scores: Vec<f64> = cells.score.iter().map(|score| (score - mean) / scale).collect();

    let cost = |a: f64, b: f64| -> f64 {
        (0..scores.len())
            .map(|i| {
                let f = a * scores[i] + b;
                let wanted = cells.positive[i] * target_p + cells.unlabeled[i] * target_u;
                weight(i) * (f.max(0.0) + (-f.abs()).exp().ln_1p()) - wanted * f
            })
            .sum()
    };
    let base = ((n_p * target_p + n_u * target_u) / total).clamp(1e-12, 1.0 - 1e-12);
    let level = (base / (1.0 - base)).ln();
    let (mut a, mut b) = (0.0, level);
    let mut value = cost(a, b);
    for _ in 0..100 {
        let (mut ga, mut gb, mut haa, mut hab, mut hbb) = (0.0, 0.0, 1e-9 * total, 0.0, 1e-9 * total);
        for (i, &score) in scores.iter().enumerate() {
            let g = sigmoid(a * score + b);
            let slope = weight(i) * g - cells.positive[i] * target_p - cells.unlabeled[i] * target_u;
            let bend = weight(i) * g * (1.0 - g);
            ga += slope * score;
            gb += slope;
            haa += bend * score * score;
            hab += bend * score;
            hbb += bend;
        }
        let determinant = haa * hbb - hab * hab;
        let (step_a, step_b) = ((hbb * ga - hab * gb) / determinant, (haa * gb - hab * ga) / determinant);
        let mut share = 1.0;
        let (mut next, mut next_value) = ((a - step_a, b - step_b), cost(a - step_a, b - step_b));
        while (next_value.is_nan() || next_value > value) && share > 1e-6 {
            share /= 2.0;
            next = (a - share * step_a, b - share * step_b);
            next_value = cost(next.0, next.1);
        }
        if !next_value.is_finite() || value - next_value <= 1e-12 * value.abs() {
            break;
        }
        ((a, b), value) = (next, next_value);
    }
    if a <= 0.0 {
        (a, b) = (0.0, level);
    }
    scores.iter().map(|score| sigmoid(a * score + b)).collect()
}

fn sigmoid(f: f64) -> f64 {
    1.0 / (1.0 + (-f).exp())
}

impl Estimator for ElkanNoto {
    fn info(&self) -> &EstimatorInfo {
        self.facts()
    }

    fn estimate(&self, evidence: &Evidence) -> Result<Estimate, EvidenceError> {
        evidence.check()?;
        let cells = Cells::new(evidence);
        let (n_p, n_u) = cells.totals();
        let mu = self.mu(&cells);

        let coarse = cells.coarse(200);
        let g = self.calibrated(&coarse);
        let mut above = 0.0;
        let mut points = Vec::new();
        for i in (0..coarse.len()).rev().filter(|&i| coarse.positive[i] > 0.0) {
            above += coarse.positive[i];
            points.push((above / n_p, from_frequency(g[i], n_p, n_u).clamp(0.0, 1.0)));
        }
        let answer = mu.clamp(0.0, 1.0);
        let at = match self.read_at {
            ReadAt::Mean => points.iter().rev().find(|point| point.1 <= answer).map_or(1.0, |point| point.0),
            ReadAt::Top(share) => share,
        };
        let curve = Curve {
            x: "share of held-out positives above",
            y: "share of positives in U if the score there is the label frequency",
            points: thinned(points, 400),
            chosen: (at, answer),
        };
        let mut resampled =
            cells.bootstrap(evidence, self.facts().name, |cells| self.mu(cells).clamp(0.0, 1.0));
        if self.calibration == ScoreCalibration::Isotonic {
            center(&mut resampled, answer);
        }
        let mut finding = Finding::bootstrapped(mu, resampled, curve, evidence);
        if mu > 1.0 {
            finding.warnings.push(ShareWarning::MoreThanAll(mu));
        }
        Ok(finding.finish(self.facts(), evidence, &cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frequency_by_hand() {
        // c = 1/4 of 400 positives are labeled: 100 next to 300 hidden ones in 900 rows.
        assert!((from_frequency(0.25, 100.0, 900.0) - 300.0 / 900.0).abs() < 1e-12);
    }

    #[test]
    fn pure_groups_give_their_share_exactly() {
        // At score 1 there are 40 of P and 60 of U, at 0 only 140 of U: g is 0.4 there, μ = 40/200 · 1.5 = 0.3.
        let (p, u) = (vec![1.0; 40], [vec![1.0; 60], vec![0.0; 140]].concat());
        let evidence = Evidence::of_scores(&p, &u);
        let top = ElkanNoto::TOP.estimate(&evidence).unwrap();
        assert!((top.mu - 0.3).abs() < 1e-12, "{}", top.mu);
        assert!(top.interval.0 < 0.3 && top.interval.1 > 0.3 && top.warnings.is_empty(), "{top:?}");
        // Platt's targets pull by about one row in forty.
        let mean = ElkanNoto::MEAN.estimate(&evidence).unwrap();
        assert!((mean.mu - 0.3).abs() < 0.02, "{}", mean.mu);
    }

    #[test]
    fn overlap_raises_the_mean_and_spares_the_top() {
        // g is 0.4 for 30 positives (30 of P, 45 of U) and 0.1 for 10 (10 of P, 90 of U); nothing else.
        let p = [vec![2.0; 30], vec![1.0; 10]].concat();
        let u = [vec![2.0; 45], vec![1.0; 90]].concat();
        let cells = Cells::new(&Evidence::of_scores(&p, &u));
        let isotonic =
            |one: ElkanNoto| ElkanNoto { calibration: ScoreCalibration::Isotonic, ..one }.mu(&cells);
        assert!((isotonic(ElkanNoto::TOP) - 40.0 / 135.0 * 1.5).abs() < 1e-12);
        let c: f64 = 0.75 * 0.4 + 0.25 * 0.1;
        let expected = 40.0 / 135.0 * (1.0 - c) / c;
        assert!((isotonic(ElkanNoto::MEAN) - expected).abs() < 1e-12, "{expected}");
    }

    #[test]
    fn the_place_of_a_share() {
        let p: Vec<f64> = (1..=40).map(f64::from).collect();
        let cells = Cells::new(&Evidence::of_scores(&p, &[0.0; 20]));
        // Two of forty are a twentieth: scores 40 and 39.
        assert_eq!(cells.score[place_of(&cells, 0.05)], 39.0);
        assert_eq!(cells.score[place_of(&cells, 1.0)], 1.0);
    }
}
