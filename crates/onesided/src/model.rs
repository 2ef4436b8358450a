//! A fitted classifier.
//!
//! The network gives a score f. What users see is the logit at the population's prior π,
//!
//! ```text
//! score = slope · f + offset + shift,  shift = ln[π (1 - μ) / ((1 - π) μ)]
//! ```
//!
//! where slope and offset were fitted on held-out rows so that probabilities hold at U's prior μ, and the shift moves
//! them to π. The probability is σ(score); a row is predicted positive if its probability is at least the threshold.

use crate::about::{About, Estimate};
use crate::prior::PriorEstimate;
use crate::{Error, file};
use onesided_data::{DataError, Label, Matrix, PuData};
use onesided_eval::{Interval, PuInput, PuMetrics, probability, with_truth_intervals, without_negatives};
use onesided_net::{Device, Precision, Setting, Source, Weights, scores_with};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// A classifier with everything that is needed to use it: made by a [`Learner`](crate::Learner) or loaded from a file.
#[derive(Clone)]
pub struct Model {
    about: About,
    weights: Weights,
    /// Where it scores; no part of the file.
    device: Device,
}

impl Model {
    pub(crate) fn new(about: About, weights: Weights) -> Self {
        Self { about, weights, device: Device::Cpu }
    }

    /// Scores on this device from now on; a model that was just made or loaded scores on the CPU. Scoring takes f32 on every
    /// device, whatever the model was trained with.
    pub fn on_device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// The device that so many rows would be scored on: the one set, or what [`Device::Auto`] comes to.
    pub fn device_for(&self, rows: usize) -> Device {
        self.device.for_scoring(&self.about.network, rows)
    }

    /// What the model is and how it came about.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The weights of its network.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The score of each row, a logit at the population's prior: above 0 where the probability is above one half.
    ///
    /// The matrix must be encoded by the model's features (`model.about().features`).
    pub fn score(&self, matrix: &Matrix) -> Result<Vec<f32>, Error> {
        let features = &self.about.features;
        if matrix.cols() != features.width() {
            return Err(DataError::Width { expected: features.width(), found: matrix.cols() }.into());
        }
        let names = features.names();
        matrix.check_finite(|col| names[col].clone())?;
        let setting = Setting { precision: Precision::F32, ..Setting::default() };
        let (data, device) = (Source::Numbers(matrix.as_slice()), self.device_for(matrix.rows()));
        let raw = scores_with(&self.about.network, &self.weights, data, device, &setting)?;
        let logits: Vec<f32> = raw.into_iter().map(|f| self.about.logit(f)).collect();
        match logits.iter().position(|logit| !logit.is_finite()) {
            Some(at) => Err(Error::Score { row: at + 1, score: logits[at] }),
            None => Ok(logits),
        }
    }

    /// The probability that each row is positive, at the population's prior.
    pub fn predict_proba(&self, matrix: &Matrix) -> Result<Vec<f32>, Error> {
        Ok(probabilities(&self.score(matrix)?))
    }

    /// Whether each row is predicted positive.
    pub fn predict(&self, matrix: &Matrix) -> Result<Vec<bool>, Error> {
        Ok(self.predict_proba(matrix)?.into_iter().map(|q| self.decide(q)).collect())
    }

    /// Whether a row of this probability is predicted positive.
    pub fn decide(&self, probability: f32) -> bool {
        f64::from(probability) >= self.about.threshold
    }

    /// Metrics on positives and unlabeled rows, without a negative.
    ///
    /// The decision measured is the model's, made at the population's prior. Its metrics are estimated on the unlabeled
    /// rows with the share of positives that *they* have, μ, taken from training: in the single-sample scenario it lies
    /// below the population's. Probabilities at μ are handed on, and the threshold is moved with them. Where μ was
    /// estimated, the intervals hold the metrics at both ends of its interval too (after Claesen et al., 2015).
    pub fn without_negatives(&self, data: &PuData, resamples: usize, seed: u64) -> Result<PuMetrics, Error> {
        let scores = self.score(&data.features)?;
        let of = |wanted: Label| -> Vec<f32> {
            let pairs = scores.iter().zip(&data.labels);
            pairs.filter(|(_, label)| **label == wanted).map(|(score, _)| *score).collect()
        };
        self.pu_metrics(&of(Label::Positive), &of(Label::Unlabeled), resamples, seed)
    }

    /// Metrics against true labels with 95 % intervals, by name.
    pub fn with_truth(
        &self,
        matrix: &Matrix,
        truth: &[bool],
        resamples: usize,
        seed: u64,
    ) -> Result<Vec<(&'static str, Interval)>, Error> {
        let probabilities = self.predict_proba(matrix)?;
        Ok(with_truth_intervals(&probabilities, truth, self.about.threshold, resamples, seed)?)
    }

    /// Writes the model to a file, whole or not at all; the same model always gives the same bytes.
    ///
    /// The format is safetensors with the weights as tensors and one JSON document, [`About`], in the metadata.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let bytes = self.to_bytes()?;
        Ok(onesided_data::write_atomically(path, |file| file.write_all(&bytes))?)
    }

    /// The bytes that [`save`](Self::save) writes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        file::to_bytes(&self.about, &self.weights)
    }

    /// Reads a model from a file. Everything in it is checked; nothing in it is run.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let bytes = file::read(path, &name)?;
        let (about, weights) = file::from_bytes(&bytes, &name)?;
        Ok(Self::new(about, weights))
    }

    /// Reads a model from memory.
    pub fn load_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (about, weights) = file::from_bytes(bytes, "bytes in memory")?;
        Ok(Self::new(about, weights))
    }

    pub(crate) fn set_resumed_from(&mut self, epochs: Option<usize>) {
        self.about.report.resumed_from = epochs;
    }

    pub(crate) fn set_threshold(&mut self, threshold: f64) {
        self.about.threshold = threshold;
    }

    /// Fills in the metrics of the report from the scores of held-out rows.
    pub(crate) fn measure(
        &mut self,
        positive: &[f32],
        other: &[f32],
        truth: bool,
        resamples: usize,
    ) -> Result<(), Error> {
        let seed = self.about.report.config.seed;
        let metrics: BTreeMap<String, Estimate> = if truth {
            let q = probabilities(&[positive, other].concat());
            let truth: Vec<bool> = (0..q.len()).map(|i| i < positive.len()).collect();
            let intervals = with_truth_intervals(&q, &truth, self.about.threshold, resamples, seed)?;
            intervals.into_iter().map(|(name, interval)| (name.to_string(), interval.into())).collect()
        } else {
            let metrics = self.pu_metrics(positive, other, resamples, seed)?;
            self.about.report.warnings.extend(metrics.warnings.iter().cloned());
            Estimate::of_pu(&metrics).into_iter().map(|(name, e)| (name.to_string(), e)).collect()
        };
        self.about.report.metrics = metrics;
        Ok(())
    }

    fn pu_metrics(
        &self,
        positive: &[f32],
        unlabeled: &[f32],
        resamples: usize,
        seed: u64,
    ) -> Result<PuMetrics, Error> {
        let at_mu = |scores: &[f32]| -> Vec<f32> {
            scores.iter().map(|&score| probability(f64::from(score) - self.about.shift) as f32).collect()
        };
        let input = PuInput {
            positive: &at_mu(positive),
            unlabeled: &at_mu(unlabeled),
            threshold: moved(self.about.threshold, -self.about.shift),
            prior: self.about.prior_in_unlabeled,
        };
        let mut metrics = without_negatives(&input, resamples, seed)?;
        // The decision stays; what is known of it at either end of the prior's interval widens the intervals.
        for end in self.about.prior_estimate.iter().flat_map(PriorEstimate::ends) {
            let input = PuInput { prior: Some(end), ..input };
            widen(&mut metrics, &without_negatives(&input, resamples, seed)?);
        }
        Ok(metrics)
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("about", &self.about).finish_non_exhaustive()
    }
}

impl About {
    /// From the network's score to the logit at the population's prior.
    pub(crate) fn logit(&self, raw: f32) -> f32 {
        (self.calibration.apply(raw) + self.shift) as f32
    }
}

impl Estimate {
    /// The metrics that are defined, by name.
    pub fn of_pu(metrics: &PuMetrics) -> Vec<(&'static str, Estimate)> {
        let entries = [
            ("recall", Some(metrics.recall)),
            ("predicted_positive", Some(metrics.predicted_positive)),
            ("precision", metrics.precision),
            ("f1", metrics.f1),
            ("accuracy", metrics.pu_accuracy),
            ("risk", metrics.pu_risk),
            ("auc", metrics.auc),
            ("auc_pu", Some(metrics.auc_pu)),
            ("lee_liu", metrics.lee_liu),
        ];
        entries.into_iter().filter_map(|(name, interval)| Some((name, interval?.into()))).collect()
    }
}

/// Widens the intervals of the metrics that depend on the prior so that they hold those of `other` too.
fn widen(metrics: &mut PuMetrics, other: &PuMetrics) {
    let pairs = [
        (&mut metrics.precision, other.precision),
        (&mut metrics.f1, other.f1),
        (&mut metrics.pu_risk, other.pu_risk),
        (&mut metrics.pu_accuracy, other.pu_accuracy),
        (&mut metrics.auc, other.auc),
    ];
    for (ours, other) in pairs {
        if let (Some(ours), Some(other)) = (ours, other) {
            (ours.low, ours.high) = (ours.low.min(other.low), ours.high.max(other.high));
        }
    }
}

fn probabilities(scores: &[f32]) -> Vec<f32> {
    scores.iter().map(|&score| probability(f64::from(score)) as f32).collect()
}

/// The probability `q` after its logit moved by `shift`. Thresholds above 1, which nothing reaches, stay.
fn moved(q: f64, shift: f64) -> f64 {
    if q > 0.0 && q < 1.0 { probability((q / (1.0 - q)).ln() + shift) } else { q }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_a_probability_is_bayes_rule() {
        // Odds 1 at a prior of 1/2 become odds 1/3 at a prior of 1/4.
        assert!((moved(0.5, (1f64 / 3.0).ln()) - 0.25).abs() < 1e-15);
        assert_eq!((moved(1.5, 3.0), moved(1.0, 3.0), moved(0.0, 3.0)), (1.5, 1.0, 0.0));
    }
}
