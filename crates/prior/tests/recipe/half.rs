//! Twice the share of U that scores above the median of P.
//!
//! Half of the positives score above the median m of P. If everything above m is positive, U has μ / 2 of its rows there, so
//! μ = 2 P_U(f > m). Negatives above m make it too high.

use crate::cells::Cells;
use crate::error::EvidenceError;
use crate::estimate::{Curve, Estimate, Finding};
use crate::estimator::{Estimator, EstimatorInfo, Evidence, Needs};

static INFO: EstimatorInfo = EstimatorInfo {
    name: "half",
    title: "twice the share of unlabeled rows above the median of the positives",
    citation: "an exercise",
    assumes: "labels picked at random among the positives, and only positives above their median; otherwise too high",
    interval: "percentile bootstrap of the scores",
    needs: Needs::Scores,
    reconstruction: false,
};

/// Twice the share of U above the median of P.
#[derive(Clone, Copy, Debug)]
pub struct Half;

/// The ratio of the shares of U and P above the score that half of P reaches.
fn share(cells: &Cells) -> f64 {
    let (n_p, n_u) = cells.totals();
    let (mut p, mut u) = (0.0, 0.0);
    for at in (0..cells.len()).rev() {
        p += cells.positive[at];
        u += cells.unlabeled[at];
        if 2.0 * p >= n_p {
            break;
        }
    }
    (u / n_u) / (p / n_p)
}

impl Estimator for Half {
    fn info(&self) -> &EstimatorInfo {
        &INFO
    }

    fn estimate(&self, evidence: &Evidence) -> Result<Estimate, EvidenceError> {
        evidence.check()?;
        let cells = Cells::new(evidence);
        let mu = share(&cells);
        let curve = Curve { x: "share of P above", y: "bound", points: vec![(0.5, mu)], chosen: (0.5, mu) };
        let resampled = cells.bootstrap(evidence, "half", share);
        Ok(Finding::bootstrapped(mu, resampled, curve, evidence).finish(&INFO, evidence, &cells))
    }
}
