//! How good a model is: metrics with and without negatives, against true labels, and on the answers of an audit.

use crate::{AuditedRow, Doubt, Error, Model, Verdict};
use onesided_data::{Dataset, Label};
use onesided_eval::audit::{AnsweredRow, measured_on};
use onesided_eval::{
    Interval, PuInput, PuMetrics, RESAMPLES, Sample, held_out_in_turn, probability, with_truth_intervals,
    without_negatives_estimated,
};
use onesided_learn::Warning;
use onesided_learn::prior::PriorEstimate;
use std::collections::{BTreeMap, HashSet};

impl Model {
    /// Metrics on positives and unlabeled rows, without a negative.
    ///
    /// The decision measured is the model's, made at the population's prior. Its metrics are estimated on the unlabeled
    /// rows with the share of positives that *they* have, μ, taken from training: in the single-sample scenario it lies
    /// below the population's. Probabilities at μ are handed on, and the threshold is moved with them. Where μ was
    /// estimated, the intervals hold the metrics at both ends of its interval too (after Claesen et al., 2015).
    pub fn without_negatives(&self, data: &Dataset, resamples: usize, seed: u64) -> Result<PuMetrics, Error> {
        let data = data.without_blank();
        let labels = data.labels().ok_or(Error::NeedsLabels)?;
        self.without_negatives_of(
            &self.score(&data)?,
            labels,
            data.weights(),
            HowScored::New,
            resamples,
            seed,
        )
    }

    /// [`without_negatives`](Self::without_negatives) of rows that were scored already.
    pub fn without_negatives_of(
        &self,
        scores: &[f32],
        labels: &[Label],
        weights: Option<&[f32]>,
        how: HowScored,
        resamples: usize,
        seed: u64,
    ) -> Result<PuMetrics, Error> {
        let [positive, unlabeled] =
            [Label::Positive, Label::Unlabeled].map(|kind| OfKind::new(scores, labels, weights, kind));
        self.pu_metrics(positive.sample(), unlabeled.sample(), resamples, seed, how)
    }

    /// What known negatives show: the share of them that is not called positive (specificity) and the AUC of positives
    /// against them. `None` where no row is known to be negative. They say this of negatives like these, which are not a
    /// random sample of all where somebody picked them.
    pub fn against_negatives(&self, data: &Dataset) -> Result<Option<NegativeMetrics>, Error> {
        let labels = data.labels().ok_or(Error::NeedsLabels)?;
        Ok(self.against_negatives_of(&self.score(data)?, labels, data.weights()))
    }

    /// [`against_negatives`](Self::against_negatives) of rows that were scored already.
    pub fn against_negatives_of(
        &self,
        scores: &[f32],
        labels: &[Label],
        weights: Option<&[f32]>,
    ) -> Option<NegativeMetrics> {
        let [positive, negative] =
            [Label::Positive, Label::Negative].map(|kind| OfKind::new(scores, labels, weights, kind));
        if negative.scores.is_empty() {
            return None;
        }
        let refused = |score: f32| if self.decide(probability(f64::from(score)) as f32) { 0.0 } else { 1.0 };
        let auc = 1.0 - onesided_eval::weighted_ranking_risk(positive.sample(), negative.sample());
        let specificity = negative.sample().mean(refused);
        Some(NegativeMetrics { rows: negative.scores.len(), specificity, auc })
    }

    /// Metrics against true labels with 95 % intervals, by name.
    pub fn with_truth(
        &self,
        data: &Dataset,
        resamples: usize,
        seed: u64,
    ) -> Result<Vec<(&'static str, Interval)>, Error> {
        let data = data.without_blank();
        let truth = data.truth().ok_or_else(|| Error::NeedsTruth(self.about.method.clone()))?;
        self.with_truth_of(&self.score(&data)?, truth, resamples, seed)
    }

    /// [`with_truth`](Self::with_truth) of rows that were scored already.
    pub fn with_truth_of(
        &self,
        scores: &[f32],
        truth: &[bool],
        resamples: usize,
        seed: u64,
    ) -> Result<Vec<(&'static str, Interval)>, Error> {
        let probabilities = probabilities(scores);
        Ok(with_truth_intervals(&probabilities, truth, self.about.threshold, resamples, seed)?)
    }

    /// Fills in the metrics of the report from the scores of held-out rows.
    pub(super) fn measure(
        &mut self,
        positive: Sample,
        other: Sample,
        truth: bool,
        resamples: usize,
    ) -> Result<(), Error> {
        let seed = self.about.report.seed();
        let folds = self.about.report.folds;
        let factor = held_out_in_turn(folds);
        let metrics: BTreeMap<String, Interval> = if truth {
            let q = probabilities(&[positive.scores, other.scores].concat());
            let truth: Vec<bool> = (0..q.len()).map(|i| i < positive.scores.len()).collect();
            let intervals = with_truth_intervals(&q, &truth, self.about.threshold, resamples, seed)?;
            let most = |name: &str| if name == "log_loss" { f64::INFINITY } else { 1.0 };
            let wide =
                |(name, interval): (&str, Interval)| (name.to_string(), interval.widened(factor, most(name)));
            intervals.into_iter().map(wide).collect()
        } else {
            let how = if folds > 1 { HowScored::OutOfFold(folds) } else { HowScored::New };
            let metrics = self.pu_metrics(positive, other, resamples, seed, how)?;
            if let Some(found) = metrics.contradiction {
                self.about_mut().doubt = Some(Doubt::Share(found));
                self.leave_out_accuracies();
            }
            self.about_mut().report.warnings.extend(metrics.warnings.iter().cloned().map(Warning::from));
            let assumed = self.about.prior_estimate.as_ref().is_some_and(|prior| prior.assumed.is_some());
            if assumed {
                self.leave_out_accuracies();
            }
            let told = pu_metrics_by_name(&metrics)
                .into_iter()
                .filter(|(name, _)| !assumed || !rests_on_prior(name));
            told.map(|(name, e)| (name.to_string(), e)).collect()
        };
        self.about_mut().report.metrics = metrics;
        Ok(())
    }

    /// Replaces the metrics by those of rows that were answered in an audit, scored by what was trained without them. Next to it,
    /// rows that were labeled before show what labels say of positives: where they are another kind, nothing is promised from them.
    pub(crate) fn measure_on_answers(
        &mut self,
        answers: &[AuditedRow],
        labels: &[Label],
        score: impl Fn(usize) -> Option<f32>,
    ) {
        let answered = |row: usize, positive: bool, weight: f64| {
            let score = score(row)?;
            let predicted = self.decide(probability(f64::from(score)) as f32);
            Some(AnsweredRow { score, predicted, positive, weight })
        };
        let rows: Vec<AnsweredRow> =
            answers.iter().filter_map(|one| answered(one.row, one.answer?, 1.0 / one.chance)).collect();
        let is_answer: HashSet<usize> = answers.iter().map(|one| one.row).collect();
        let before = (0..labels.len())
            .filter(|&row| labels[row] == Label::Positive && !is_answer.contains(&row))
            .filter_map(|row| answered(row, true, 1.0));
        let by_labels: Vec<AnsweredRow> =
            before.chain(rows.iter().copied().filter(|row| !row.positive)).collect();
        let found = self.measured_on(&rows);
        let said = self.measured_on(&by_labels);
        if let Some(verdict) = Verdict::of_labels(&said, &found).filter(|verdict| !verdict.agrees) {
            let about = self.about_mut();
            about.report.warnings.push(Warning::Sentence(verdict.to_string()));
            about.doubt.get_or_insert(Doubt::Audit(verdict));
        }
        let estimated = std::mem::replace(&mut self.about_mut().report.metrics, found);
        // How labeled rows rank is no metric of the list, and stays to be looked at.
        self.about_mut().report.metrics.extend(estimated.into_iter().filter(|(name, _)| name == "auc_pu"));
        self.about_mut().answers = Some(rows.len());
        self.leave_out_accuracies();
    }

    /// Accuracies of the alternatives rest on the share and the labels.
    fn leave_out_accuracies(&mut self) {
        self.about_mut().report.beside.iter_mut().for_each(|beside| beside.accuracy = None);
    }

    fn measured_on(&self, rows: &[AnsweredRow]) -> BTreeMap<String, Interval> {
        let factor = held_out_in_turn(self.about.report.folds);
        let most = |name: &str| if name == "lift" { f64::INFINITY } else { 1.0 };
        measured_on(rows, RESAMPLES, self.about.report.seed())
            .into_iter()
            .map(|(name, found)| (name.to_string(), found.widened(factor, most(name))))
            .collect()
    }

    fn pu_metrics(
        &self,
        positive: Sample,
        unlabeled: Sample,
        resamples: usize,
        seed: u64,
        how: HowScored,
    ) -> Result<PuMetrics, Error> {
        let factor = if let HowScored::OutOfFold(folds) = how { held_out_in_turn(folds) } else { 1.0 };
        let weights = [positive.weights, unlabeled.weights];
        let at_mu = |sample: Sample| -> Vec<f32> {
            let scores = sample.scores;
            scores.iter().map(|&score| probability(f64::from(score) - self.about.shift) as f32).collect()
        };
        let input = PuInput {
            positive: &at_mu(positive),
            unlabeled: &at_mu(unlabeled),
            threshold: moved(self.about.threshold, -self.about.shift),
            prior: self.about.prior_in_unlabeled,
        };
        // A model ranks labeled rows that it has met too high, whatever the share is.
        let least = self.about.least_share().filter(|_| how != HowScored::InSample);
        let mut metrics =
            without_negatives_estimated(&input, least, weights, resamples, seed)?.widened(factor);
        // The decision stays; what is known of it at either end of the prior's interval widens the intervals.
        for end in self.about.prior_estimate.iter().flat_map(PriorEstimate::ends) {
            let input = PuInput { prior: Some(end), ..input };
            let other = without_negatives_estimated(&input, least, weights, resamples, seed)?.widened(factor);
            widen(&mut metrics, &other);
        }
        Ok(metrics)
    }
}

/// By what rows were scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HowScored {
    /// By a model that never met them.
    New,
    /// By models that did not meet them, which were trained on the others in so many folds: the intervals leave as much room as the
    /// fit's.
    OutOfFold(usize),
    /// By a model that was fitted on them.
    InSample,
}

/// What known negatives show of a model.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct NegativeMetrics {
    /// How many there are.
    pub rows: usize,
    /// The share of them that is not called positive.
    pub specificity: f64,
    /// The AUC of positives against them.
    pub auc: f64,
}

/// Scores of rows of one kind, with their weights.
struct OfKind {
    scores: Vec<f32>,
    weights: Option<Vec<f32>>,
}

impl OfKind {
    fn new(scores: &[f32], labels: &[Label], weights: Option<&[f32]>, kind: Label) -> Self {
        let of_kind = |of_rows: &[f32]| -> Vec<f32> {
            let pairs = of_rows.iter().zip(labels);
            pairs.filter(|(_, label)| **label == kind).map(|(of_row, _)| *of_row).collect()
        };
        Self { scores: of_kind(scores), weights: weights.map(of_kind) }
    }

    fn sample(&self) -> Sample<'_> {
        Sample { scores: &self.scores, weights: self.weights.as_deref() }
    }
}

/// The metrics that are defined, by name.
pub fn pu_metrics_by_name(metrics: &PuMetrics) -> Vec<(&'static str, Interval)> {
    // Labels that contradict the share may be of the easy positives alone, and so may be what the model finds of them.
    let recall = Some(metrics.recall).filter(|_| metrics.contradiction.is_none());
    let entries = [
        ("recall", recall),
        ("predicted_positive", Some(metrics.predicted_positive)),
        ("lift", metrics.lift),
        ("precision", metrics.precision),
        ("f1", metrics.f1),
        ("accuracy", metrics.pu_accuracy),
        ("risk", metrics.pu_risk),
        ("auc", metrics.auc),
        ("auc_pu", Some(metrics.auc_pu)),
        ("lee_liu", metrics.lee_liu),
    ];
    entries.into_iter().filter_map(|(name, interval)| Some((name, interval?))).collect()
}

/// Whether a metric of [`pu_metrics_by_name`] rests on the share of positives.
pub fn rests_on_prior(metric: &str) -> bool {
    matches!(metric, "precision" | "f1" | "accuracy" | "risk" | "auc")
}

/// Whether a metric that rests on the share of positives came out beyond what it can be, and was cut off there: then its interval says
/// what is known, and there is no value to show.
pub fn is_cut_off(metric: &str, interval: Interval) -> bool {
    rests_on_prior(metric) && if metric == "risk" { interval.value <= 0.0 } else { interval.value >= 1.0 }
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

pub(super) fn probabilities(scores: &[f32]) -> Vec<f32> {
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
