//! A fitted classifier.
//!
//! A network or a classic system gives a score f. What users see is the logit at the population's prior π,
//!
//! ```text
//! score = slope · f + offset + shift,  shift = ln[π (1 - μ) / ((1 - π) μ)]
//! ```
//!
//! where slope and offset were fitted on held-out rows so that probabilities hold at U's prior μ, and the shift moves
//! them to π. The probability is σ(score); a row is predicted positive if its probability is at least the threshold.
//! Where the theory of a classic system gives the probability itself, f is its logit.

use crate::about::{About, Estimate};
use crate::prior::PriorEstimate;
use crate::rows::{Rows, written_out};
use crate::{Error, classic_fit, file};
use onesided_classic::ClassicModel;
use onesided_data::{DataError, Label, PuData};
use onesided_eval::{
    Interval, PuInput, PuMetrics, RESAMPLES, probability, with_truth_intervals, without_negatives,
};
use onesided_net::{Device, Precision, Setting, Source, Weights, scores_with};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// Sparse rows are written out for a network so many at a time.
const ROWS_AT_ONCE: usize = 4096;

/// What scores: the part of a model that is not [`About`] it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    Network(Weights),
    Classic(ClassicModel),
}

/// A classifier with everything that is needed to use it: made by a [`Learner`](crate::Learner) or loaded from a file.
#[derive(Clone)]
pub struct Model {
    about: About,
    body: Body,
    /// Where it scores; no part of the file.
    device: Device,
}

impl Model {
    pub(crate) fn new(about: About, body: Body) -> Self {
        Self { about, body, device: Device::Cpu }
    }

    /// Scores on this device from now on; a model that was just made or loaded scores on the CPU. Scoring takes f32 on every
    /// device, whatever the model was trained with.
    pub fn on_device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// The device that so many rows would be scored on: the one set, or what [`Device::Auto`] comes to.
    pub fn device_for(&self, rows: usize) -> Device {
        match &self.about.network {
            Some(network) => self.device.for_scoring(network, rows),
            None => Device::Cpu,
        }
    }

    /// What the model is and how it came about.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The weights of its network; `None` for a classic model.
    pub fn weights(&self) -> Option<&Weights> {
        match &self.body {
            Body::Network(weights) => Some(weights),
            Body::Classic(_) => None,
        }
    }

    /// What a classic system learned; `None` for a network.
    pub fn classic(&self) -> Option<&ClassicModel> {
        match &self.body {
            Body::Network(_) => None,
            Body::Classic(model) => Some(model),
        }
    }

    /// The score of each row, a logit at the population's prior: above 0 where the probability is above one half.
    ///
    /// The rows, dense or sparse, must be encoded by the model's features (`model.about().features`).
    pub fn score<'r>(&self, rows: impl Into<Rows<'r>>) -> Result<Vec<f32>, Error> {
        let (rows, features) = (rows.into(), &self.about.features);
        if rows.cols() != features.width() {
            return Err(DataError::Width { expected: features.width(), found: rows.cols() }.into());
        }
        let names = features.names();
        rows.check_finite(|col| names[col].clone())?;
        let logits: Vec<f32> = self.raw(rows)?.into_iter().map(|f| self.about.logit(f)).collect();
        match logits.iter().position(|logit| !logit.is_finite()) {
            Some(at) => Err(Error::Score { row: at + 1, score: logits[at] }),
            None => Ok(logits),
        }
    }

    /// f of each row, before calibration.
    fn raw(&self, rows: Rows) -> Result<Vec<f32>, Error> {
        let weights = match &self.body {
            Body::Classic(model) => return classic_fit::raw_scores(model, rows.as_classic()),
            Body::Network(weights) => weights,
        };
        let Some(network) = &self.about.network else {
            return Err(Error::ModelFile {
                file: "the model".to_string(),
                what: "has no network".to_string(),
            });
        };
        let setting = Setting { precision: Precision::F32, ..Setting::default() };
        let device = self.device_for(rows.rows());
        let score = |values: &[f32]| scores_with(network, weights, Source::Numbers(values), device, &setting);
        match rows {
            Rows::Dense(matrix) => Ok(score(matrix.as_slice())?),
            Rows::Sparse(matrix) => {
                let mut scores = Vec::with_capacity(matrix.rows());
                for start in (0..matrix.rows()).step_by(ROWS_AT_ONCE) {
                    let some: Vec<usize> = (start..matrix.rows().min(start + ROWS_AT_ONCE)).collect();
                    scores.extend(score(written_out(&matrix.select(&some))?.as_slice())?);
                }
                Ok(scores)
            }
        }
    }

    /// The probability that each row is positive, at the population's prior.
    pub fn predict_proba<'r>(&self, rows: impl Into<Rows<'r>>) -> Result<Vec<f32>, Error> {
        Ok(probabilities(&self.score(rows)?))
    }

    /// Whether each row is predicted positive.
    pub fn predict<'r>(&self, rows: impl Into<Rows<'r>>) -> Result<Vec<bool>, Error> {
        Ok(self.predict_proba(rows)?.into_iter().map(|q| self.decide(q)).collect())
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
        self.without_negatives_on(&data.features, &data.labels, resamples, seed)
    }

    /// [`without_negatives`](Self::without_negatives) on rows and labels that lie apart.
    pub fn without_negatives_on<'r>(
        &self,
        rows: impl Into<Rows<'r>>,
        labels: &[Label],
        resamples: usize,
        seed: u64,
    ) -> Result<PuMetrics, Error> {
        let rows = rows.into();
        if rows.rows() != labels.len() {
            let (expected, found) = (rows.rows(), labels.len());
            return Err(DataError::Length { what: "labels", expected, found }.into());
        }
        let scores = self.score(rows)?;
        let of = |wanted: Label| -> Vec<f32> {
            let pairs = scores.iter().zip(labels);
            pairs.filter(|(_, label)| **label == wanted).map(|(score, _)| *score).collect()
        };
        self.pu_metrics(&of(Label::Positive), &of(Label::Unlabeled), resamples, seed)
    }

    /// Metrics against true labels with 95 % intervals, by name.
    pub fn with_truth<'r>(
        &self,
        rows: impl Into<Rows<'r>>,
        truth: &[bool],
        resamples: usize,
        seed: u64,
    ) -> Result<Vec<(&'static str, Interval)>, Error> {
        let probabilities = self.predict_proba(rows)?;
        Ok(with_truth_intervals(&probabilities, truth, self.about.threshold, resamples, seed)?)
    }

    /// Writes the model to a file, whole or not at all; the same model always gives the same bytes.
    ///
    /// The format is safetensors with weights and other long lists of numbers as tensors and one JSON document, [`About`], in the metadata.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let bytes = self.to_bytes()?;
        Ok(onesided_data::write_atomically(path, |file| file.write_all(&bytes))?)
    }

    /// The bytes that [`save`](Self::save) writes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        file::to_bytes(&self.about, &self.body)
    }

    /// Reads a model from a file. Everything in it is checked; nothing in it is run.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let bytes = file::read(path, &name)?;
        let (about, body) = file::from_bytes(&bytes, &name)?;
        Ok(Self::new(about, body))
    }

    /// Reads a model from memory.
    pub fn load_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (about, body) = file::from_bytes(bytes, "bytes in memory")?;
        Ok(Self::new(about, body))
    }

    pub(crate) fn set_resumed_from(&mut self, epochs: Option<usize>) {
        self.about.report.resumed_from = epochs;
    }

    /// Sets the threshold and fills in the metrics of the report, from the scores of held-out rows before calibration.
    pub(crate) fn settle(&mut self, positive: &[f32], other: &[f32], truth: bool) -> Result<(), Error> {
        let logits = |raw: &[f32]| raw.iter().map(|&f| self.about.logit(f)).collect::<Vec<f32>>();
        let (positive, other) = (logits(positive), logits(other));
        if let (Some(mu), Some(pi)) = (self.about.prior_in_unlabeled, self.about.class_prior) {
            let (p, u) = (probabilities(&positive), probabilities(&other));
            self.about.threshold = self.about.threshold_rule.choose(&p, &u, mu, pi)?;
        }
        self.measure(&positive, &other, truth, RESAMPLES)
    }

    /// Fills in the metrics of the report from the scores of held-out rows.
    fn measure(
        &mut self,
        positive: &[f32],
        other: &[f32],
        truth: bool,
        resamples: usize,
    ) -> Result<(), Error> {
        let seed = self.about.report.seed();
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
