//! How a fit went, as facts.

use crate::{Warning, WhoLabels};
use onesided_data::{Counts, counted};
use onesided_eval::audit::LabelsByAnswers;
use onesided_eval::{Interval, LabelingTest};
use onesided_loss::Reduction;
use onesided_net::TrainConfig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How training went, and how well the model does on rows that it was not trained on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The settings of the training loop; `None` where nothing is trained by batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<TrainConfig>,
    /// The seed, where it is not among these settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The device it ran on: `cpu`, or `cuda:0` with the name of the GPU.
    #[serde(default = "cpu")]
    pub device: String,
    /// Threads of the CPU in use; the same bytes are promised for the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// Epochs that checkpoints held already, over all runs of training. Not stored: a fit that was interrupted and resumed
    /// gives the same file as one that was not.
    #[serde(skip)]
    pub resumed_from: Option<usize>,
    /// In how many parts rows were held out in turn; 1 for a single hold-out. With more, the model was trained once more
    /// on all rows.
    pub folds: usize,
    /// How many rows of either kind were held out.
    pub held_out: Counts,
    /// By what candidates and epochs were chosen.
    pub criterion: String,
    /// What was trained.
    pub candidates: Vec<Tried>,
    /// Standard error of the difference between two candidates' risks; a lead within it does not displace the first.
    pub noise: Option<f64>,
    /// The chosen candidate's epochs.
    pub history: Vec<Epoch>,
    /// What was learned next to the plain alternatives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Beside>,
    /// Metrics of the model's decision on the held-out rows, by name, with 95 % intervals.
    ///
    /// Without true labels they describe U, the population that the held-out unlabeled rows come from, at its prior μ.
    /// Rows that were held out in turn are scored where others decided when to stop and how much of each member to take, and
    /// the intervals leave room for the scatter of training. Rows that were held out once also decided when to stop.
    pub metrics: BTreeMap<String, Interval>,
    /// Whether the labels can be a random sample of the positives, where that was tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labeling: Option<LabelingTest>,
    /// How labels were taken to be given, where that is not at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub who_labels: Option<WhoLabels>,
    /// What the answers of an audit say of the labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels_by_answers: Option<LabelsByAnswers>,
    /// What the reader should know before trusting the model.
    pub warnings: Vec<Warning>,
    /// What was done as asked and may still surprise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One thing that was trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The reduction of the collective loss, or the name of another method.
    pub name: String,
    /// The criterion on the held-out rows at the best epoch; `None` if it was not a number.
    pub risk: Option<f64>,
    /// Epochs (or trees) until training stopped; 0 where there are none.
    pub epochs: usize,
    /// The epoch whose weights were kept; 0 where there are none.
    pub best_epoch: usize,
    /// Whether the model is this one.
    pub chosen: bool,
    /// The reduction, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "as_text")]
    pub reduction: Option<Reduction>,
    /// The AUC of positives against unlabeled rows, where members of a portfolio are compared by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc: Option<f64>,
    /// Its share of an ensemble.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
}

/// A way to decide, by what can be said of it without a negative.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// `auto`, `naive`, `all negative`.
    pub name: String,
    /// The AUC of positives against unlabeled rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc: Option<f64>,
    /// The accuracy on unlabeled rows, if the prior is right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
}

/// A reduction by its name; the losses know nothing of serde.
mod as_text {
    use onesided_loss::Reduction;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(of: &Option<Reduction>, to: S) -> Result<S::Ok, S::Error> {
        of.map(|reduction| reduction.to_string()).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Reduction>, D::Error> {
        let name = Option::<String>::deserialize(from)?;
        name.map(|name| name.parse().map_err(D::Error::custom)).transpose()
    }
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
    pub fn chosen(&self) -> Option<&Tried> {
        self.candidates.iter().find(|candidate| candidate.chosen)
    }

    /// The reduction of the collective loss that the model was trained with, where it was.
    pub fn reduction(&self) -> Option<Reduction> {
        let chosen = self.chosen()?;
        // Files of versions 1 and 2 have it as the candidate's name alone.
        chosen.reduction.or_else(|| chosen.name.parse().ok())
    }

    /// `0.40 bagged trees (AUC 0.812), 0.60 linear (0.809); 9 others took no part`.
    fn blend(&self) -> String {
        let mut parts: Vec<(f64, &Tried)> =
            self.candidates.iter().filter_map(|one| Some((one.weight.filter(|&w| w > 0.0)?, one))).collect();
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let said: Vec<String> = parts
            .iter()
            .map(|(weight, one)| format!("{weight:.2} {} ({:.4})", one.name, one.auc.unwrap_or(f64::NAN)))
            .collect();
        let others = self.candidates.len() - parts.len();
        let others =
            if others == 0 { String::new() } else { format!("; {} took no part", counted(others, "others")) };
        format!("{}{others}", said.join(", "))
    }

    /// `chose prior-weighted: held-out risk 0.4120 against 0.4310 of sum-of-means (noise 0.0130)`, or what was kept
    /// without a choice.
    pub fn choice(&self) -> String {
        self.choice_by("epoch")
    }

    /// [`choice`](Self::choice) of what is trained by epochs, or by trees.
    pub fn choice_by(&self, unit: &str) -> String {
        let risk = |candidate: &Tried| {
            candidate.risk.map_or_else(|| "undefined".to_string(), |risk| format!("{risk:.4}"))
        };
        let Some(chosen) = self.chosen() else { return "nothing was chosen".to_string() };
        if chosen.weight.is_some() {
            return self.blend();
        }
        let others: Vec<String> = self
            .candidates
            .iter()
            .filter(|candidate| !candidate.chosen)
            .map(|other| format!("{} of {}", risk(other), other.name))
            .collect();
        if others.is_empty() {
            let Tried { best_epoch, epochs, .. } = chosen;
            if *epochs == 0 {
                return format!("held-out risk {}", risk(chosen));
            }
            return format!("kept {unit} {best_epoch} of {epochs}: held-out risk {}", risk(chosen));
        }
        let noise = self.noise.map_or_else(|| "unknown".to_string(), |noise| format!("{noise:.4}"));
        let lower = self.candidates.iter().filter(|c| c.risk.is_some() && c.risk < chosen.risk);
        let lower: Vec<&str> = lower.map(|c| c.name.as_str()).collect();
        let (name, risk) = (&chosen.name, risk(chosen));
        let (verb, why) = match lower.as_slice() {
            [] => ("chose", format!("noise {noise}")),
            [one] => ("kept", format!("{one} is lower, but within the noise of {noise}")),
            several => {
                ("kept", format!("{} are lower, but within the noise of {noise}", several.join(" and ")))
            }
        };
        format!("{verb} {name}: held-out risk {risk} against {} ({why})", others.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_is_a_sentence_with_both_numbers() {
        let tried = |name: &str, risk, chosen| Tried {
            name: name.to_string(),
            risk,
            epochs: 20,
            best_epoch: 15,
            chosen,
            reduction: None,
            auc: None,
            weight: None,
        };
        let mut report = Report {
            config: Some(TrainConfig::default()),
            seed: None,
            device: cpu(),
            threads: None,
            resumed_from: None,
            folds: 1,
            held_out: Counts::new(1, 1),
            criterion: String::new(),
            candidates: vec![
                tried("prior-weighted", Some(0.412), true),
                tried("sum-of-means", Some(0.431), false),
            ],
            noise: Some(0.013),
            history: Vec::new(),
            beside: Vec::new(),
            metrics: BTreeMap::new(),
            labeling: None,
            who_labels: None,
            labels_by_answers: None,
            warnings: Vec::new(),
            notes: Vec::new(),
        };
        let expected =
            "chose prior-weighted: held-out risk 0.4120 against 0.4310 of sum-of-means (noise 0.0130)";
        assert_eq!(report.choice(), expected);
        assert_eq!(report.reduction(), Some(Reduction::PriorWeighted));
        (report.candidates[0].chosen, report.candidates[1].chosen, report.noise) = (false, true, Some(0.02));
        let kept = "kept sum-of-means: held-out risk 0.4310 against 0.4120 of prior-weighted (prior-weighted is lower, but within the noise of 0.0200)";
        assert_eq!(report.choice(), kept);
        (report.candidates[0].chosen, report.candidates[1].chosen) = (true, false);
        report.candidates.pop();
        assert_eq!(report.choice(), "kept epoch 15 of 20: held-out risk 0.4120");
    }
}
