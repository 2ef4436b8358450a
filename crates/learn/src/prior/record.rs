//! An estimated prior as the model file keeps it.

use crate::prior_report::PriorReport;
use onesided_data::PriorInUnlabeled;
use onesided_prior::EvidenceError;
use serde::{Deserialize, Serialize};

/// What was estimated, how sure it is and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriorEstimate {
    /// μ, the share of positives among the unlabeled rows.
    pub mu: PriorInUnlabeled,
    /// A lower guess to decide at: what is called positive should be so even if there are fewer positives than μ says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cautious: Option<PriorInUnlabeled>,
    /// Lower and upper end of its interval, within [0, 1].
    pub interval: (f64, f64),
    /// The level of the interval.
    pub confidence: f64,
    /// Whether only "at most" can be said: the interval then begins at 0 and μ is a guess.
    #[serde(default)]
    pub one_sided: bool,
    /// The most that the data allow, whatever the classes are like; models of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// How many answers of an audit it comes from, where it does: then it is measured, and not a guess.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audited: Option<usize>,
    /// Why it could not be estimated, where it is assumed instead: then nothing that rests on it is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assumed: Option<String>,
    /// Whether the estimators agreed.
    pub agreement: bool,
    /// The classifier whose scores were looked at.
    pub scorer: String,
    /// The estimates behind it.
    pub estimates: Vec<EstimateRecord>,
}

/// One estimator's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimateRecord {
    /// The name of the estimator.
    pub estimator: String,
    /// Its μ.
    pub mu: f64,
    /// Its interval.
    pub interval: (f64, f64),
}

impl PriorEstimate {
    /// What to learn with, or why there is nothing to learn with.
    pub fn from_report(report: &PriorReport) -> Result<Self, EvidenceError> {
        let (consensus, answer) = (&report.consensus, &report.answer);
        let record = |estimate: &onesided_prior::Estimate| EstimateRecord {
            estimator: estimate.estimator.to_string(),
            mu: estimate.mu,
            interval: estimate.interval,
        };
        Ok(Self {
            mu: answer.prior_in_unlabeled()?,
            cautious: PriorInUnlabeled::new(answer.cautious).ok(),
            interval: answer.interval,
            confidence: answer.confidence,
            one_sided: answer.one_sided,
            bound: Some(answer.bound),
            audited: None,
            assumed: None,
            agreement: consensus.agreement,
            scorer: report.scorer.to_string(),
            estimates: report.estimates.iter().map(record).collect(),
        })
    }

    /// What is learned with where few rows do not tell the share: one over the number of unlabeled rows and two, so that most of
    /// them count as negative. Anything may be true, and the interval says so. `None` if it is not for want of rows that there is
    /// no estimate.
    pub fn assumed(unlabeled: usize, why: &EvidenceError) -> Option<Self> {
        if !matches!(why, EvidenceError::TooFew { .. } | EvidenceError::NoEstimate) {
            return None;
        }
        Some(Self {
            mu: PriorInUnlabeled::new(1.0 / (unlabeled as f64 + 2.0)).ok()?,
            cautious: None,
            interval: (0.0, 1.0),
            confidence: 0.95,
            one_sided: false,
            bound: None,
            audited: None,
            assumed: Some(why.to_string()),
            agreement: true,
            scorer: String::new(),
            estimates: Vec::new(),
        })
    }

    /// The ends of the interval as priors to evaluate with: strictly inside (0, 1).
    pub fn ends(&self) -> [PriorInUnlabeled; 2] {
        const EDGE: f64 = 1e-6;
        let inside = |end: f64| PriorInUnlabeled::new(end.clamp(EDGE, 1.0 - EDGE)).unwrap_or(self.mu);
        [inside(self.interval.0), inside(self.interval.1)]
    }

    /// What serde cannot know.
    pub fn is_sound(&self) -> bool {
        let within = |(low, high): (f64, f64), mu: f64| low >= 0.0 && low <= mu && mu <= high && high <= 1.0;
        within(self.interval, self.mu.get())
            && self.confidence > 0.0
            && self.confidence < 1.0
            && self.estimates.iter().all(|estimate| within(estimate.interval, estimate.mu))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_priors_even_where_the_interval_touches_a_bound() {
        let mu = PriorInUnlabeled::new(0.2).unwrap();
        let mut estimate = PriorEstimate {
            mu,
            cautious: None,
            interval: (0.0, 1.0),
            confidence: 0.95,
            one_sided: false,
            bound: None,
            audited: None,
            assumed: None,
            agreement: true,
            scorer: "trees".to_string(),
            estimates: Vec::new(),
        };
        assert!(estimate.is_sound());
        assert_eq!(estimate.ends().map(PriorInUnlabeled::get), [1e-6, 1.0 - 1e-6]);
        estimate.interval = (0.3, 0.4);
        assert!(!estimate.is_sound(), "the estimate lies outside its interval");
    }
}
