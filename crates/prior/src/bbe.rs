//! Best bin estimation.
//!
//! S. Garg, Y. Wu, A. Smola, S. Balakrishnan and Z. C. Lipton, "Mixture proportion estimation and PU learning: a modern
//! approach", NeurIPS 2021, algorithm 1.
//!
//! With q_p(c) and q_u(c) the shares of held-out positives and of unlabeled rows whose score is at least c, every cut c
//! bounds the share of positives from above: μ ≤ q_u(c) / q_p(c), with equality where only positives score above c. The
//! ratio is best at the very top and noisiest there, so the cut is the one with the least
//!
//! ```text
//!   q_u/q_p + (1 + γ)/q_p · ( sqrt(ln(4/δ) / (2 n_u)) + sqrt(ln(4/δ) / (2 n_p)) )
//! ```
//!
//! and the answer is the ratio at that cut. The logarithm is of 4/δ, as in the paper; the authors' first code had 1/δ.

use crate::cells::Cells;
use crate::error::EvidenceError;
use crate::estimate::{Curve, Estimate, Finding, OtherInterval, thinned};
use crate::estimator::{Estimator, EstimatorInfo, Evidence, Needs};
use crate::resample::percentiles;

static INFO: EstimatorInfo = EstimatorInfo {
    name: "bbe",
    title: "best bin estimation: the purest top of the ranking that is not noise",
    citation: "Garg, Wu, Smola, Balakrishnan and Lipton, NeurIPS 2021",
    assumes: "labels picked at random among the positives, and a top of the ranking with (nearly) only positives; \
              without one the answer is an upper bound on the share",
    interval: "the Dvoretzky-Kiefer-Wolfowitz band of both tails at the chosen cut: holds for every cut at once, wide, \
               shows sampling error and no bias; a percentile bootstrap next to it",
    needs: Needs::Scores,
    reconstruction: false,
};

/// Best bin estimation with its two constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bbe {
    /// γ, how much more than the bound a cut pays for noise.
    pub gamma: f64,
    /// δ, the probability with which the bound that picks the cut may fail.
    pub delta: f64,
}

impl Bbe {
    /// The constants of the paper: γ = 0.01, δ = 0.1.
    pub const DEFAULT: Self = Self { gamma: 0.01, delta: 0.1 };

    /// The best cut of some cells.
    fn best(&self, cells: &Cells, mut seen: impl FnMut(Cut)) -> Cut {
        let (n_p, n_u) = cells.totals();
        let noise = (1.0 + self.gamma) * (deviation(self.delta, n_u) + deviation(self.delta, n_p));
        let mut best = Cut { q_p: 1.0, q_u: 1.0, objective: f64::INFINITY };
        let (mut above_p, mut above_u) = (0.0, 0.0);
        for i in (0..cells.len()).rev() {
            above_p += cells.positive[i];
            above_u += cells.unlabeled[i];
            if above_p > 0.0 {
                let (q_p, q_u) = (above_p / n_p, above_u / n_u);
                let cut = Cut { q_p, q_u, objective: (q_u + noise) / q_p };
                seen(cut);
                if cut.objective < best.objective {
                    best = cut;
                }
            }
        }
        best
    }
}

/// sqrt(ln(4/δ) / (2 n)): how far an empirical tail of n scores may be off, for two tails, both sides.
fn deviation(delta: f64, n: f64) -> f64 {
    ((4.0 / delta).ln() / (2.0 * n)).sqrt()
}

/// The tails above a cut, and what is minimized over cuts.
#[derive(Clone, Copy, Debug)]
struct Cut {
    q_p: f64,
    q_u: f64,
    objective: f64,
}

impl Cut {
    fn ratio(&self) -> f64 {
        (self.q_u / self.q_p).min(1.0)
    }
}

impl Estimator for Bbe {
    fn info(&self) -> &EstimatorInfo {
        &INFO
    }

    fn estimate(&self, evidence: &Evidence) -> Result<Estimate, EvidenceError> {
        evidence.check()?;
        let cells = Cells::new(evidence);
        let best = self.best(&cells, |_| ());
        let mut points = Vec::new();
        self.best(&cells.coarse(200), |cut| points.push((cut.q_p, cut.q_u / cut.q_p)));
        let curve = Curve {
            x: "share of positives above the cut",
            y: "ratio of the tails, unlabeled over positive",
            points: thinned(points, 400),
            chosen: (best.q_p, best.q_u / best.q_p),
        };

        let (n_p, n_u) = evidence.sizes();
        let delta = 1.0 - evidence.confidence;
        let (off_p, off_u) = (deviation(delta, n_p), deviation(delta, n_u));
        let high = if best.q_p > off_p { (best.q_u + off_u) / (best.q_p - off_p) } else { 1.0 };
        let interval = ((best.q_u - off_u) / (best.q_p + off_p), high);

        let resampled = cells.bootstrap(evidence, "bbe", |cells| self.best(cells, |_| ()).ratio());
        let other = percentiles(resampled, evidence.confidence).map(|(low, high)| OtherInterval {
            how: "percentile bootstrap",
            low,
            high,
        });
        let other_intervals = other.into_iter().collect();
        let finding = Finding { mu: best.ratio(), interval, curve, other_intervals, warnings: Vec::new() };
        Ok(finding.finish(&INFO, evidence, &cells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_by_hand() {
        // Ten positives at 1 and ten at 0; U has 5 at 1, 15 at 0, 20 at −1. Tails: (1/2, 1/8), (1, 1/2), (1, 1).
        let p = [[1.0; 10], [0.0; 10]].concat();
        let u = [vec![1.0; 5], vec![0.0; 15], vec![-1.0; 20]].concat();
        let noise = 1.01 * ((40.0f64.ln() / 80.0).sqrt() + (40.0f64.ln() / 40.0).sqrt());
        let bbe = Bbe::DEFAULT;
        let mut seen = Vec::new();
        let best = bbe.best(&Cells::new(&Evidence::of_scores(&p, &u)), |cut| seen.push(cut.objective));
        let expected = [0.25 + 2.0 * noise, 0.5 + noise, 1.0 + noise];
        assert!(
            seen.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12),
            "{seen:?} against {expected:?}"
        );
        // The noise is 0.524: the top costs 1.30, all positives 1.02.
        assert_eq!(best.ratio(), 0.5);
        let estimate = bbe.estimate(&Evidence::of_scores(&p, &u)).unwrap();
        assert_eq!((estimate.mu, estimate.curve.chosen), (0.5, (1.0, 0.5)));
    }

    #[test]
    fn the_band_by_hand() {
        // 200 positives, all above; 800 unlabeled rows, a quarter above. Half-widths at 95 %: ln 80 = 4.382.
        let p = vec![2.0; 200];
        let u = [vec![2.0; 200], vec![0.0; 600]].concat();
        let estimate = Bbe::DEFAULT.estimate(&Evidence::of_scores(&p, &u)).unwrap();
        let (off_p, off_u) = ((80.0f64.ln() / 400.0).sqrt(), (80.0f64.ln() / 1600.0).sqrt());
        let expected = ((0.25 - off_u) / (1.0 + off_p), (0.25 + off_u) / (1.0 - off_p));
        assert_eq!(estimate.mu, 0.25);
        assert!((estimate.interval.0 - expected.0).abs() < 1e-12, "{:?} {expected:?}", estimate.interval);
        assert!((estimate.interval.1 - expected.1).abs() < 1e-12, "{:?} {expected:?}", estimate.interval);
        assert!(estimate.warnings.is_empty(), "{:?}", estimate.warnings);
        // The bootstrap knows that no positive is ever below the cut, and is narrower.
        let other = &estimate.other_intervals[0];
        assert!(other.low > expected.0 && other.high < expected.1 && other.low < 0.25 && other.high > 0.25);
    }
}
