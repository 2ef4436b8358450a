//! What an estimator answers.

use crate::cells::Cells;
use crate::error::EvidenceError;
use crate::estimator::{EstimatorInfo, Evidence};
use crate::resample::percentiles;
use crate::warning::ShareWarning;
use onesided_data::{Counts, PriorInUnlabeled, Scenario};
use serde::Serialize;

/// The curve an estimator decided on, for a plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Curve {
    /// What runs along the horizontal axis.
    pub x: &'static str,
    /// What runs along the vertical axis.
    pub y: &'static str,
    /// The points, from left to right; at most a few hundred.
    pub points: Vec<(f64, f64)>,
    /// The point that was chosen.
    pub chosen: (f64, f64),
}

/// A second interval of the same estimate, found another way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherInterval {
    /// How it was made.
    pub how: &'static str,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// μ, the share of positives in U, as one estimator sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The name of the estimator.
    pub estimator: &'static str,
    /// The estimate, in [0, 1].
    pub mu: f64,
    /// Its interval, within [0, 1], which contains it. [`EstimatorInfo::interval`] says how it was made. It shows what
    /// another sample would have changed, not that an assumption fails.
    pub interval: (f64, f64),
    /// The level of the interval.
    pub confidence: f64,
    /// The curve that was decided on.
    pub curve: Curve,
    /// Other intervals of the same number, where the estimator has them.
    pub other_intervals: Vec<OtherInterval>,
    /// What a reader should know before using the number.
    pub warnings: Vec<ShareWarning>,
}

impl Estimate {
    /// μ as a prior to learn with; an estimate of exactly 0 or 1 is none, and the error says so.
    pub fn prior_in_unlabeled(&self) -> Result<PriorInUnlabeled, EvidenceError> {
        let at_the_end = |_| EvidenceError::AtTheEnd { estimator: self.estimator.to_string(), mu: self.mu };
        PriorInUnlabeled::new(self.mu).map_err(at_the_end)
    }

    /// π and its interval: [`share_in_population`] of μ and of both ends.
    pub fn in_population(&self, scenario: Scenario, counts: Counts) -> (f64, (f64, f64)) {
        let share = |mu| share_in_population(mu, scenario, counts);
        (share(self.mu), (share(self.interval.0), share(self.interval.1)))
    }
}

/// π for a μ of [0, 1], ends included: [`PriorInUnlabeled::to_class_prior`] and its limits.
///
/// A μ of 1 is a π of 1; a μ of 0 is a π of 0 where P and U were drawn separately, and the labeled share in one sample.
pub fn share_in_population(mu: f64, scenario: Scenario, counts: Counts) -> f64 {
    match PriorInUnlabeled::new(mu) {
        Ok(mu) => mu.to_class_prior(scenario, counts).get(),
        Err(_) if mu >= 1.0 => 1.0,
        Err(_) => match scenario {
            Scenario::CaseControl => 0.0,
            Scenario::SingleSample => counts.labeled_share(),
        },
    }
}

/// What an estimator has found, before the rules that all of them share.
pub(crate) struct Finding {
    pub mu: f64,
    pub interval: (f64, f64),
    pub curve: Curve,
    pub other_intervals: Vec<OtherInterval>,
    pub warnings: Vec<ShareWarning>,
}

impl Finding {
    /// μ with the percentile interval of its resampled values.
    pub(crate) fn bootstrapped(mu: f64, resampled: Vec<f64>, curve: Curve, evidence: &Evidence) -> Self {
        let interval = percentiles(resampled, evidence.confidence).unwrap_or((mu, mu));
        Self { mu, interval, curve, other_intervals: Vec::new(), warnings: Vec::new() }
    }

    /// The rules that all estimators share: the answer and its interval lie in [0, 1], the interval holds the answer,
    /// and where the scores do not tell P from U there is no lower end, because then the data rule nothing out.
    pub(crate) fn finish(
        mut self,
        about: &'static EstimatorInfo,
        evidence: &Evidence,
        cells: &Cells,
    ) -> Estimate {
        if self.mu.is_nan() {
            self.mu = 1.0;
            self.interval = (0.0, 1.0);
            self.warnings.push(ShareWarning::NothingRuledOut);
        }
        let mu = self.mu.clamp(0.0, 1.0);
        let end = |end: f64| if end.is_nan() { mu } else { end.clamp(0.0, 1.0) };
        let (mut low, high) = (end(self.interval.0).min(mu), end(self.interval.1).max(mu));
        let separation = cells.separation();
        if !separation.evident() {
            low = 0.0;
            let (auc, by_chance) = (separation.auc, separation.by_chance);
            self.warnings.push(ShareWarning::NotSeparated { auc, by_chance });
        }
        Estimate {
            estimator: about.name,
            mu,
            interval: (low, high),
            confidence: evidence.confidence,
            curve: self.curve,
            other_intervals: self.other_intervals,
            warnings: self.warnings,
        }
    }
}

/// At most `most` of `points`, evenly picked, the last one included.
pub(crate) fn thinned(points: Vec<(f64, f64)>, most: usize) -> Vec<(f64, f64)> {
    let last = points.len().saturating_sub(1);
    if last < most {
        return points;
    }
    (0..most).map(|i| points[i * last / (most - 1)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(mu: f64) -> Estimate {
        Estimate {
            estimator: "bbe",
            mu,
            interval: (0.0, 1.0),
            confidence: 0.95,
            curve: Curve { x: "", y: "", points: Vec::new(), chosen: (0.0, 0.0) },
            other_intervals: Vec::new(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn the_ends_are_no_priors() {
        assert_eq!(estimate(0.3).prior_in_unlabeled().unwrap().get(), 0.3);
        let error = estimate(0.0).prior_in_unlabeled().unwrap_err().to_string();
        assert!(error.starts_with("bbe answers that none of the unlabeled rows are positive"), "{error}");
        let error = estimate(1.0).prior_in_unlabeled().unwrap_err().to_string();
        assert!(error.starts_with("bbe answers that all of the unlabeled rows are positive"), "{error}");
    }

    #[test]
    fn the_share_in_the_population_has_its_limits() {
        // 200 labeled positives next to 600 unlabeled rows: a quarter of the pool is labeled.
        let counts = Counts::new(200, 600);
        let (pi, ends) = estimate(0.2).in_population(Scenario::SingleSample, counts);
        assert!((pi - 0.4).abs() < 1e-12, "(200 + 0.2 * 600) / 800 is 0.4, not {pi}");
        assert_eq!(ends, (0.25, 1.0));
        assert_eq!(estimate(0.2).in_population(Scenario::CaseControl, counts), (0.2, (0.0, 1.0)));
    }

    #[test]
    fn thinning_keeps_both_ends() {
        let points: Vec<_> = (0..1000).map(|i| (f64::from(i), 0.0)).collect();
        let few = thinned(points.clone(), 100);
        assert_eq!((few.len(), few[0], few[99]), (100, points[0], points[999]));
        assert_eq!(thinned(points[..5].to_vec(), 100).len(), 5);
    }
}
