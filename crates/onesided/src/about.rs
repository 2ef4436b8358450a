//! Everything a model knows about itself besides what scores: what the model file's JSON document holds.

use crate::{Doubt, Given};
use onesided_data::{ClassPrior, Counts, Encoding, PriorInUnlabeled, Scenario};
use onesided_eval::drift::ScoreReference;
use onesided_eval::{Calibration, LabelingTest, LeastShare, ThresholdRule};
use onesided_learn::prior::PriorEstimate;
use onesided_learn::{Method, Report, WhoLabels};
use onesided_net::Network;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// No logit of a share is further from 0.
const CERTAIN: f32 = 20.0;

/// What the model is, where it came from and how its numbers are to be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct About {
    /// The version of this library that made it.
    pub onesided: String,
    /// The name of the method.
    pub method: String,
    /// The objective with its options, or what a classic system chose, in words.
    pub objective: String,
    /// What scores: `mlp:128,128`, `trees`, or of a classic model `linear`, `kernel`, …
    #[serde(alias = "architecture")]
    pub model: String,
    /// In files of versions 1 and 2: the network that the weights belong to. Later ones have it next to the weights.
    #[serde(default, skip_serializing)]
    pub(crate) network: Option<Network>,
    /// Settings of a classic system that the user gave, and which way scores go with columns (`monotone`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// How a table, texts or pictures turn into its input.
    pub features: Arc<Encoding>,
    /// How the data were drawn.
    pub scenario: Scenario,
    /// How many rows of either kind there were, held-out ones included. For the supervised method, positives and
    /// negatives.
    pub counts: Counts,
    /// π, the share of positives in the population, at which probabilities are given. `None`: no prior was given and
    /// the probabilities are those of being *labeled*.
    pub class_prior: Option<ClassPrior>,
    /// μ, the share of positives in the unlabeled rows. `None` without a prior and for the supervised method.
    pub prior_in_unlabeled: Option<PriorInUnlabeled>,
    /// Where the prior was estimated from the data: the estimate behind it, with its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prior_estimate: Option<PriorEstimate>,
    /// Where the prior was estimated: from the model's score to a logit if the lower or the upper end of its interval were
    /// the truth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_prior_ends: Option<[AtPrior; 2]>,
    /// From the model's score to a logit at U's prior.
    pub calibration: Calibration,
    /// From U's prior to the population's: added to the calibrated logit.
    pub shift: f64,
    /// How the threshold was chosen.
    pub threshold_rule: ThresholdRule,
    /// Rows whose probability is at least this are predicted positive.
    pub threshold: f64,
    /// Scores of positives that were set aside before anything was looked at, by the finished model, ascending. What the
    /// model finds is promised from them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reserve: Vec<f32>,
    /// The fingerprint of the rows it was fitted on, encoded; `None` in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fitted_on: Option<String>,
    /// What was set by hand, so that the same can be asked again; `None` in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Given>,
    /// How many answers of an audit the metrics of the report were measured on; else they are estimated from labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<usize>,
    /// Why nothing is promised of recall, where that is so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// How the scores of held-out rows were spread, for new rows to be compared with; `None` in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<ScoreReference>,
    /// How training went.
    pub report: Report,
}

/// From the model's score to a logit at some prior.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtPrior {
    /// To a logit at U's prior.
    pub calibration: Calibration,
    /// From U's prior to the population's.
    pub shift: f64,
}

impl AtPrior {
    /// The score whose probability is one half.
    pub(crate) fn even(&self) -> f32 {
        (-(self.calibration.offset + self.shift) / self.calibration.slope) as f32
    }
}

impl About {
    /// Whether it learned from true labels.
    pub fn is_supervised(&self) -> bool {
        Method::find(&self.method).is_ok_and(Method::needs_truth)
    }

    /// Whether the threshold is a cautious cut: one half at a cautious guess of the share of positives, because the share itself
    /// is a guess.
    pub fn has_cautious_cut(&self) -> bool {
        let guessed = self.prior_estimate.as_ref().is_some_and(|estimate| estimate.audited.is_none());
        guessed && self.threshold_rule == ThresholdRule::Half
    }

    /// How the threshold was chosen, as people are told it: the rule, or `cautious`.
    pub fn threshold_rule_name(&self) -> String {
        if self.has_cautious_cut() { "cautious".to_string() } else { self.threshold_rule.to_string() }
    }

    /// The logit of a row of which nothing is known: that of the share of positives, or, without one, of the share of labels.
    pub fn logit_of_nothing(&self) -> f32 {
        let all = self.counts.positive + self.counts.unlabeled + self.counts.negative;
        let labeled = self.counts.positive as f64 / all.max(1) as f64;
        let share = self.class_prior.map_or(labeled, ClassPrior::get);
        (share / (1.0 - share)).ln().clamp(-f64::from(CERTAIN), f64::from(CERTAIN)) as f32
    }

    /// The share of rows of the held-out kind `positive` in a sample of the population: of labeled ones where one sample was drawn, of
    /// none where unlabeled rows are a sample, of positives where the truth is known.
    pub(crate) fn labeled_part(&self) -> f64 {
        let Counts { positive, unlabeled, negative } = self.counts;
        let labeled = positive as f64 / (positive + unlabeled + negative).max(1) as f64;
        match (self.class_prior, self.prior_in_unlabeled) {
            (Some(pi), _) if self.is_supervised() => pi.get(),
            (None, _) if self.is_supervised() => labeled,
            _ if self.scenario == Scenario::CaseControl => 0.0,
            // Of weighted rows, too.
            (Some(pi), Some(mu)) => (1.0 - (1.0 - pi.get()) / (1.0 - mu.get())).clamp(0.0, 1.0),
            _ => labeled,
        }
    }

    /// From a score to the logit at the population's prior.
    pub(crate) fn logit(&self, raw: f32) -> f32 {
        (self.calibration.apply(raw) + self.shift) as f32
    }
}

impl About {
    /// What numbers without negatives rest on: random labels, with what a test of the labels says where it refutes them, or labels that
    /// depend on some columns alone.
    pub fn assumes(&self) -> String {
        let otherwise = self.report.who_labels.as_ref().and_then(WhoLabels::assumes);
        otherwise.unwrap_or_else(|| LabelingTest::assumes(self.report.labeling.as_ref()))
    }

    /// The least that the share of positives among the unlabeled rows may be: as it was told, or the lower end of its interval.
    pub fn least_share(&self) -> Option<LeastShare> {
        let told = LeastShare { share: self.prior_in_unlabeled?.get(), audited: false };
        Some(self.prior_estimate.as_ref().map_or(told, |estimate| LeastShare {
            share: estimate.interval.0,
            audited: estimate.audited.is_some(),
        }))
    }
}
