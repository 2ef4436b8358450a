//! `onesided evaluate`: how good a model is on a table, with true labels or without negatives.

use super::scored::{Scored, read_rows};
use super::source::{Place, one_after_the_other};
use super::{device, metric_rows, tell_device, with_intervals};
use crate::args::Evaluate;
use crate::failure::Failure;
use crate::output::{note, print, print_json, table, warn};
use onesided::data::{labels_from_column, truth_from_column};
use onesided::eval::RESAMPLES;
use onesided::{Counts, Estimate, Label, Model};
use serde_json::{Map, Value, json};
use std::path::Path;

/// The seed of the bootstrap: the same table gives the same intervals.
const SEED: u64 = 0;

/// Rows, and what is known about them.
struct Answers {
    rows: Scored,
    labels: Option<Vec<Label>>,
    truth: Option<Vec<bool>>,
}

/// Where the rows are; flags that say nothing, or contradict one another, are refused.
fn place(flags: &Evaluate) -> Result<Place<'_>, Failure> {
    let (label, truth) = (&flags.label, &flags.truth);
    let place = flags.inputs.place(&[
        ("--label", label.is_some()),
        ("--truth", truth.is_some()),
        ("--positive", flags.positive.is_some()),
    ])?;
    match (&place, label, truth) {
        (Place::One(_), None, None) => Err(Failure::input(
            "give --label COLUMN (which rows are labeled positive) or --truth COLUMN (the true labels)",
        )),
        (_, Some(label), Some(truth)) if label == truth => {
            Err(Failure::input(format!("column '{truth}' cannot be both the label and the truth")))
        }
        _ => Ok(place),
    }
}

fn answers(flags: &Evaluate, place: &Place, model: &Model) -> Result<Answers, Failure> {
    let (label, truth) = (flags.label.as_deref(), flags.truth.as_deref());
    let read = |file: &Path, columns: &[&str]| {
        read_rows(model, file, &flags.text, columns, |name| {
            format!(
                "the model was fitted with column '{name}' as a feature, so it cannot be the answer as well"
            )
        })
    };
    match place {
        Place::Two { positives, unlabeled } => {
            let (first, second) = (read(positives, &[])?.0, read(unlabeled, &[])?.0);
            let labels = one_after_the_other(first.get().rows(), second.get().rows());
            Ok(Answers { rows: first.followed_by(second)?, labels: Some(labels), truth: None })
        }
        Place::One(file) => {
            let columns: Vec<&str> = label.into_iter().chain(truth).collect();
            let (rows, mut frame) = read(file, &columns)?;
            let positive = flags.positive.as_deref();
            let labels = label.map(|name| labels_from_column(&frame.take(name)?, positive)).transpose()?;
            let truth = truth.map(|name| truth_from_column(&frame.take(name)?, positive)).transpose()?;
            Ok(Answers { rows, labels, truth })
        }
    }
}

/// Measures with whichever answers are given.
pub fn run(flags: &Evaluate, as_json: bool) -> Result<(), Failure> {
    let place = place(flags)?;
    let device = device(&flags.device)?;
    let model = Model::load(&flags.model)?.on_device(device);
    let about = model.about();
    let Answers { rows, labels, truth } = answers(flags, &place, &model)?;
    let number = rows.get().rows();
    tell_device(&model, number);

    let against_truth: Option<Vec<(&str, Estimate)>> = match &truth {
        Some(truth) => {
            let metrics = model.with_truth(rows.get(), truth, RESAMPLES, SEED)?;
            Some(metrics.into_iter().map(|(name, interval)| (name, interval.into())).collect())
        }
        None => None,
    };
    let mut warnings = Vec::new();
    let without_negatives: Option<Vec<(&str, Estimate)>> = match labels {
        Some(labels) => {
            let metrics = model.without_negatives_on(rows.get(), &labels, RESAMPLES, SEED)?;
            let positive = labels.iter().filter(|&&label| label == Label::Positive).count();
            if about.counts == (Counts { positive, unlabeled: labels.len() - positive }) {
                note(
                    "note: as many positives and unlabeled rows as the model was fitted on; if they are the same rows, \
                     the metrics are optimistic",
                );
            }
            warnings = metrics.warnings.clone();
            Some(Estimate::of_pu(&metrics))
        }
        None => None,
    };
    warn(&warnings);

    if as_json {
        let mut object = Map::new();
        match (&against_truth, &without_negatives) {
            (Some(truth), pu) => {
                object.extend(with_intervals(truth.iter().copied()));
                object.insert("measured".to_string(), json!("against true labels"));
                if let Some(pu) = pu {
                    object.insert("without_negatives".to_string(), with_intervals(pu.iter().copied()).into());
                }
            }
            (None, Some(pu)) => {
                object.extend(with_intervals(pu.iter().copied()));
                object.insert("measured".to_string(), json!("without negatives"));
            }
            (None, None) => {}
        }
        object.insert("rows".to_string(), json!(number));
        object.insert("threshold".to_string(), json!(about.threshold));
        object.insert("prior_in_unlabeled".to_string(), json!(about.prior_in_unlabeled));
        let interval = about.prior_estimate.as_ref().map(|estimate| estimate.interval);
        object.insert("prior_in_unlabeled_interval".to_string(), json!(interval));
        object.insert("warnings".to_string(), json!(warnings));
        return print_json(&Value::Object(object));
    }
    let mut text = String::new();
    if let Some(metrics) = against_truth {
        text.push_str(&format!("against true labels, {number} rows:\n{}", table(&metric_rows(metrics))));
    }
    if let Some(metrics) = without_negatives {
        let prior = about.prior_in_unlabeled.map_or_else(String::new, |mu| {
            let estimated = about.prior_estimate.as_ref().map_or_else(String::new, |estimate| {
                let (low, high) = estimate.interval;
                format!("; it was estimated, and the intervals hold the metrics from {low:.3} to {high:.3}")
            });
            format!(" (a share of {:.6} of which is taken to be positive{estimated})", mu.get())
        });
        text.push_str(&format!(
            "estimated without negatives, for the unlabeled rows{prior}:\n{}",
            table(&metric_rows(metrics))
        ));
    }
    print(&text)
}
