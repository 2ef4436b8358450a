//! Everything a model knows about itself besides its weights: what the model file's JSON document holds.

use crate::Encoding;
use crate::prior::PriorEstimate;
use onesided_data::{ClassPrior, Counts, PriorInUnlabeled, Scenario};
use onesided_eval::{Calibration, Interval, ThresholdRule};
use onesided_net::{Network, TrainConfig};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the model is, where it came from and how its numbers are to be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The version of this library that made it.
    pub onesided: String,
    /// The name of the method in the registry.
    pub method: String,
    /// The objective with its options, or what a classic system chose, in words.
    pub objective: String,
    /// The name of the architecture; of a classic model, how it scores: `linear`, `kernel`, …
    pub architecture: String,
    /// The network that the weights belong to; `None` for a classic model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// Settings of a classic system that the user gave.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// How a table or texts turn into its input.
    pub features: Encoding,
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
    /// From the model's score to a logit at U's prior.
    pub calibration: Calibration,
    /// From U's prior to the population's: added to the calibrated logit.
    pub shift: f64,
    /// How the threshold was chosen.
    pub threshold_rule: ThresholdRule,
    /// Rows whose probability is at least this are predicted positive.
    pub threshold: f64,
    /// How training went.
    pub report: Report,
}

/// How training went, and how well the model does on rows that it was not trained on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The settings of the training loop; `None` for a classic model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<TrainConfig>,
    /// The seed of a classic model; a network has it among its settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The device it ran on: `cpu`, or `cuda:0` with the name of the GPU.
    #[serde(default = "cpu")]
    pub device: String,
    /// Epochs that checkpoints held already, over all runs of training. Not stored: a fit that was interrupted and resumed
    /// gives the same file as one that was not.
    #[serde(skip)]
    pub resumed_from: Option<usize>,
    /// In how many parts rows were held out in turn; 1 for a single hold-out. With more, the model was trained once more
    /// on all rows.
    pub folds: usize,
    /// How many rows of either kind were held out.
    pub held_out: Counts,
    /// By what the epoch, and the reduction if there was a choice, were chosen.
    pub criterion: String,
    /// What was trained: one entry, or one a reduction where the learner chose.
    pub candidates: Vec<Candidate>,
    /// Standard error of the difference between two candidates' risks; a lead within it does not displace the first.
    pub noise: Option<f64>,
    /// The chosen candidate's epochs.
    pub history: Vec<Epoch>,
    /// Metrics of the model's decision on the held-out rows, by name, with 95 % intervals.
    ///
    /// Without true labels they describe U, the population that the held-out unlabeled rows come from, at its prior μ.
    /// The rows also served to choose and to calibrate, so the numbers are slightly optimistic.
    pub metrics: BTreeMap<String, Estimate>,
    /// What the reader should know before trusting the model.
    pub warnings: Vec<String>,
}

/// One thing that was trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The reduction of the collective loss, or the name of another method.
    pub name: String,
    /// The criterion on the held-out rows at the best epoch; `None` if it was not a number.
    pub risk: Option<f64>,
    /// Epochs until training stopped; 0 where there are none.
    pub epochs: usize,
    /// The epoch whose weights were kept; 0 where there are none.
    pub best_epoch: usize,
    /// Whether the model is this one.
    pub chosen: bool,
}

/// One epoch. A number that was not finite is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Counted from 1.
    pub epoch: usize,
    /// Mean of the objective over its batches.
    pub loss: Option<f64>,
    /// The criterion on the held-out rows.
    pub risk: Option<f64>,
}

/// A metric with its 95 % bootstrap interval; where the prior was estimated, the interval also holds what the metric
/// would be at either end of the prior's interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// On the sample itself.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl From<Interval> for Estimate {
    fn from(Interval { value, low, high }: Interval) -> Self {
        Self { value, low, high }
    }
}

/// Where every model came from before there was a choice.
fn cpu() -> String {
    "cpu".to_string()
}

impl Report {
    /// The seed of everything random.
    pub fn seed(&self) -> u64 {
        self.config.as_ref().map(|config| config.seed).or(self.seed).unwrap_or(0)
    }

    /// The candidate that became the model.
    pub fn chosen(&self) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.chosen)
    }

    /// `chose prior-weighted: held-out risk 0.4120 against 0.4310 of sum-of-means (noise 0.0130)`, or what was kept without a choice.
    pub fn choice(&self) -> String {
        let risk = |candidate: &Candidate| {
            candidate.risk.map_or_else(|| "undefined".to_string(), |risk| format!("{risk:.4}"))
        };
        let Some(chosen) = self.chosen() else { return "nothing was chosen".to_string() };
        let others: Vec<String> = self
            .candidates
            .iter()
            .filter(|candidate| !candidate.chosen)
            .map(|other| format!("{} of {}", risk(other), other.name))
            .collect();
        if others.is_empty() {
            let Candidate { best_epoch, epochs, .. } = chosen;
            if *epochs == 0 {
                return format!("held-out risk {}", risk(chosen));
            }
            return format!("kept epoch {best_epoch} of {epochs}: held-out risk {}", risk(chosen));
        }
        let noise = self.noise.map_or_else(|| "unknown".to_string(), |noise| format!("{noise:.4}"));
        let lower = self.candidates.iter().any(|c| c.risk.is_some() && c.risk < chosen.risk);
        let (verb, why) = if lower { ("kept", "a lead within the noise, ") } else { ("chose", "noise ") };
        let (name, risk) = (&chosen.name, risk(chosen));
        format!("{verb} {name}: held-out risk {risk} against {} ({why}{noise})", others.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_a_sentence_with_both_numbers() {
        let candidate = |name: &str, risk, chosen| Candidate {
            name: name.to_string(),
            risk,
            epochs: 20,
            best_epoch: 15,
            chosen,
        };
        let mut report = Report {
            config: Some(TrainConfig::default()),
            seed: None,
            device: cpu(),
            resumed_from: None,
            folds: 1,
            held_out: Counts { positive: 1, unlabeled: 1 },
            criterion: String::new(),
            candidates: vec![
                candidate("prior-weighted", Some(0.412), true),
                candidate("sum-of-means", Some(0.431), false),
            ],
            noise: Some(0.013),
            history: Vec::new(),
            metrics: BTreeMap::new(),
            warnings: Vec::new(),
        };
        let expected =
            "chose prior-weighted: held-out risk 0.4120 against 0.4310 of sum-of-means (noise 0.0130)";
        assert_eq!(report.choice(), expected);
        (report.candidates[0].chosen, report.candidates[1].chosen, report.noise) = (false, true, Some(0.02));
        let kept = "kept sum-of-means: held-out risk 0.4310 against 0.4120 of prior-weighted (a lead within the noise, 0.0200)";
        assert_eq!(report.choice(), kept);
        (report.candidates[0].chosen, report.candidates[1].chosen) = (true, false);
        report.candidates.pop();
        assert_eq!(report.choice(), "kept epoch 15 of 20: held-out risk 0.4120");
    }
}
