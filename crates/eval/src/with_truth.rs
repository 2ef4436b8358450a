//! Metrics where true labels exist: benchmarks, and audits of a few labeled rows.

use crate::bootstrap::{Draw, Interval};
use crate::error::{EvalError, check_scores, check_threshold};
use crate::ranked::Ranked;
use crate::unanimous::Calls;
use onesided_data::{Phase, Stream};
use serde::Serialize;

/// The expected calibration error groups probabilities into this many bins of equal width.
const ECE_BINS: usize = 15;

/// Log loss clips probabilities to [1e-15, 1 - 1e-15], so that one certain mistake does not make it infinite.
const LOG_LOSS_CLIP: f64 = 1e-15;

/// Metrics of predicted probabilities against true labels. A metric without a meaning on the data is `None`, never a
/// placeholder such as 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TruthMetrics {
    /// Share of rows on the right side of the threshold.
    pub accuracy: f64,
    /// Mean of recall and specificity. `None` if one class is absent.
    pub balanced_accuracy: Option<f64>,
    /// Share of positives among the predicted positives. `None` if nothing is predicted positive.
    pub precision: Option<f64>,
    /// Share of the positives that are predicted positive. `None` without positives.
    pub recall: Option<f64>,
    /// 2 TP / (2 TP + FP + FN). `None` if there are neither positives nor predicted positives.
    pub f1: Option<f64>,
    /// Probability that a positive outscores a negative, ties half. `None` if one class is absent.
    pub auc: Option<f64>,
    /// Precision averaged over the recalled positives, without interpolation. `None` without positives.
    pub average_precision: Option<f64>,
    /// Mean of (q - y)².
    pub brier: f64,
    /// Mean of -ln q on positives and -ln(1 - q) on negatives, q clipped to [1e-15, 1 - 1e-15].
    pub log_loss: f64,
    /// Expected calibration error: Σ_bins (n_bin / n) |mean q - share of positives| over 15 bins of equal width,
    /// [0, 1/15), …, [14/15, 1].
    pub ece: f64,
}

impl TruthMetrics {
    /// Every metric under the name of its field, in the order of the fields.
    pub fn entries(&self) -> [(&'static str, Option<f64>); 10] {
        [
            ("accuracy", Some(self.accuracy)),
            ("balanced_accuracy", self.balanced_accuracy),
            ("precision", self.precision),
            ("recall", self.recall),
            ("f1", self.f1),
            ("auc", self.auc),
            ("average_precision", self.average_precision),
            ("brier", Some(self.brier)),
            ("log_loss", Some(self.log_loss)),
            ("ece", Some(self.ece)),
        ]
    }
}

/// Measures probabilities against the truth; a row counts as predicted positive from `threshold` upwards.
pub fn with_truth(probabilities: &[f32], truth: &[bool], threshold: f64) -> Result<TruthMetrics, EvalError> {
    let graded = Graded::new(probabilities, truth, threshold)?;
    let (positive, negative) = graded.ranked.each_once();
    Ok(graded.measure(&positive, &negative))
}

/// The metrics of [`with_truth`] with 95 % percentile-bootstrap intervals, under the names of
/// [`TruthMetrics::entries`]; undefined metrics are left out. Positives and negatives are resampled separately, so the
/// class shares stay those of the sample. Where all answers of a class agree, resampling shows nothing, and the interval is the
/// exact one. A resample on which a metric is undefined (precision, when nothing drawn is
/// predicted positive) does not count toward its interval. The ECE of a resample is a sum of absolute values and so tends
/// to exceed that of the sample, as that of the sample exceeds the truth: its interval reaches down by as much and has the value
/// inside.
pub fn with_truth_intervals(
    probabilities: &[f32],
    truth: &[bool],
    threshold: f64,
    resamples: usize,
    seed: u64,
) -> Result<Vec<(&'static str, Interval)>, EvalError> {
    if resamples == 0 {
        return Err(EvalError::NoResamples);
    }
    let graded = Graded::new(probabilities, truth, threshold)?;
    let mut stream = Stream::new(seed, "bootstrap");
    let (mut positive, mut negative) = graded.ranked.each_once();
    let values = graded.measure(&positive, &negative).entries();
    let calls = graded.calls(&positive, &negative);
    let resampled: Vec<_> = Phase::new("measuring", resamples as u64, "resamples")
        .each(0..resamples)
        .map(|_| {
            positive.resample(&mut stream);
            negative.resample(&mut stream);
            graded.measure(&positive, &negative).entries()
        })
        .collect();
    let intervals = values.iter().enumerate().filter_map(|(metric, &(name, value))| {
        let resampled = resampled.iter().map(|entries| entries[metric].1);
        // Resampling adds to a sum of absolute gaps: its percentiles can lie above the value itself.
        let interval = match name {
            "ece" => Interval::biased_upward(value, resampled),
            _ => Interval::percentile(value, resampled),
        }?;
        Some((name, calls.widen(name, interval)))
    });
    Ok(intervals.collect())
}

/// The probability that a positive outscores a negative, ties counting half; O(n log n). `None` if a class is absent,
/// a score is NaN or the slices differ in length.
pub fn auc(scores: &[f32], truth: &[bool]) -> Option<f64> {
    if scores.len() != truth.len() || scores.iter().any(|score| score.is_nan()) {
        return None;
    }
    let ranked = rank_classes(scores, truth);
    let (positive, negative) = ranked.each_once();
    ranked.auc(&positive, &negative)
}

fn rank_classes(scores: &[f32], truth: &[bool]) -> Ranked {
    let class = |wanted: bool| -> Vec<f32> {
        scores.iter().zip(truth).filter(|(_, label)| **label == wanted).map(|(score, _)| *score).collect()
    };
    Ranked::new(class(true), class(false))
}

/// Probabilities split by class, with everything a resample needs worked out once.
struct Graded {
    ranked: Ranked,
    cut: (usize, usize),
    positive: Losses,
    negative: Losses,
}

/// What each row of one class adds to the losses, in sorted order, and where the ECE bins begin.
struct Losses {
    brier: Vec<f64>,
    log: Vec<f64>,
    bin_starts: [usize; ECE_BINS + 1],
}

impl Losses {
    fn new(sorted: &[f32], label: f64) -> Self {
        let q = || sorted.iter().map(|&q| f64::from(q));
        let bin = |q: f64| ((q * ECE_BINS as f64) as usize).min(ECE_BINS - 1);
        Self {
            brier: q().map(|q| (q - label) * (q - label)).collect(),
            log: q()
                .map(|q| q.clamp(LOG_LOSS_CLIP, 1.0 - LOG_LOSS_CLIP))
                .map(|q| if label == 1.0 { -q.ln() } else { -(-q).ln_1p() })
                .collect(),
            bin_starts: std::array::from_fn(|k| sorted.partition_point(|&q| bin(f64::from(q)) < k)),
        }
    }
}

impl Graded {
    fn new(probabilities: &[f32], truth: &[bool], threshold: f64) -> Result<Self, EvalError> {
        if probabilities.len() != truth.len() {
            return Err(EvalError::Lengths { scores: probabilities.len(), truth: truth.len() });
        }
        check_scores("test", probabilities)?;
        check_threshold(threshold)?;
        if let Some(index) = probabilities.iter().position(|q| !(0.0..=1.0).contains(q)) {
            return Err(EvalError::NotProbability { index, value: probabilities[index] });
        }
        let ranked = rank_classes(probabilities, truth);
        Ok(Self {
            cut: ranked.cut(threshold),
            positive: Losses::new(&ranked.positive, 1.0),
            negative: Losses::new(&ranked.other, 0.0),
            ranked,
        })
    }

    fn calls(&self, positive: &Draw, negative: &Draw) -> Calls {
        Calls {
            positives: positive.total(),
            negatives: negative.total(),
            hits: positive.from(self.cut.0),
            false_alarms: negative.from(self.cut.1),
        }
    }

    fn measure(&self, positive: &Draw, negative: &Draw) -> TruthMetrics {
        let Calls { positives, negatives, hits, false_alarms } = self.calls(positive, negative);
        let rows = positives + negatives;
        let predicted = hits + false_alarms;
        let recall = ratio(hits, positives);
        let specificity = ratio(negatives - false_alarms, negatives);
        let mean = |of_positive: &[f64], of_negative: &[f64]| {
            (weighted_sum(positive, of_positive) + weighted_sum(negative, of_negative)) / rows
        };
        TruthMetrics {
            accuracy: (hits + negatives - false_alarms) / rows,
            balanced_accuracy: recall.zip(specificity).map(|(r, s)| (r + s) / 2.0),
            precision: ratio(hits, predicted),
            recall,
            f1: ratio(2.0 * hits, predicted + positives),
            auc: self.ranked.auc(positive, negative),
            average_precision: self.ranked.average_precision(positive, negative),
            brier: mean(&self.positive.brier, &self.negative.brier),
            log_loss: mean(&self.positive.log, &self.negative.log),
            ece: self.ece(positive, negative) / rows,
        }
    }

    /// Σ_bins |Σ q - positives in the bin|, over the rows drawn.
    fn ece(&self, positive: &Draw, negative: &Draw) -> f64 {
        let totals = |draw: &Draw, sorted: &[f32], losses: &Losses| -> [f64; ECE_BINS] {
            let mut counts = draw.counts().zip(sorted);
            std::array::from_fn(|k| {
                let members = losses.bin_starts[k + 1] - losses.bin_starts[k];
                counts.by_ref().take(members).map(|(count, &q)| count * f64::from(q)).sum()
            })
        };
        let of_positives = totals(positive, &self.ranked.positive, &self.positive);
        let of_negatives = totals(negative, &self.ranked.other, &self.negative);
        let starts = &self.positive.bin_starts;
        (0..ECE_BINS)
            .map(|k| {
                let positives = positive.below(starts[k + 1]) - positive.below(starts[k]);
                (of_positives[k] + of_negatives[k] - positives).abs()
            })
            .sum()
    }
}

fn weighted_sum(draw: &Draw, values: &[f64]) -> f64 {
    draw.counts().zip(values).map(|(count, value)| count * value).sum()
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    const Q: [f32; 5] = [0.875, 0.75, 0.5, 0.25, 0.125];
    const Y: [bool; 5] = [true, false, true, true, false];

    fn close(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    #[test]
    fn every_metric_by_hand() {
        // At 0.5 three rows are predicted positive (the row on the threshold among them), two of them rightly.
        let m = with_truth(&Q, &Y, 0.5).unwrap();
        assert!(close(m.accuracy, 3.0 / 5.0));
        assert!(close(m.balanced_accuracy.unwrap(), (2.0 / 3.0 + 1.0 / 2.0) / 2.0));
        assert!(close(m.precision.unwrap(), 2.0 / 3.0));
        assert!(close(m.recall.unwrap(), 2.0 / 3.0));
        assert!(close(m.f1.unwrap(), 2.0 / 3.0));
        // Of six pairs, .875 wins two, .5 one, .25 one.
        assert!(close(m.auc.unwrap(), 4.0 / 6.0));
        // Precision at the three positives: 1/1, 2/3, 3/4.
        assert!(close(m.average_precision.unwrap(), (1.0 + 2.0 / 3.0 + 3.0 / 4.0) / 3.0));
        let squares = 0.125 * 0.125 + 0.75 * 0.75 + 0.5 * 0.5 + 0.75 * 0.75 + 0.125 * 0.125;
        assert!(close(m.brier, squares / 5.0));
        // -ln of .875, .25, .5, .25, .875.
        assert!(close(m.log_loss, -(0.875_f64.powi(2) * 0.25_f64.powi(2) * 0.5).ln() / 5.0));
        // Each row has its own bin, so the error is the mean |q - y|.
        assert!(close(m.ece, (0.125 + 0.75 + 0.5 + 0.75 + 0.125) / 5.0));
    }

    #[test]
    fn ece_nets_errors_within_a_bin_only() {
        // 0.5 and 0.5 share a bin: 1 - 1 = 0. 1.0 lies in the last bin with 0.95: |1.95 - 1| of four rows.
        let m = with_truth(&[0.5, 0.5, 1.0, 0.95], &[true, false, true, false], 0.5).unwrap();
        assert!((m.ece - 0.95 / 4.0).abs() < 1e-7, "{}", m.ece);
    }

    #[test]
    fn what_has_no_meaning_is_none() {
        let m = with_truth(&[0.2, 0.3], &[false, false], 0.5).unwrap();
        assert_eq!((m.recall, m.balanced_accuracy, m.auc, m.average_precision), (None, None, None, None));
        assert_eq!((m.precision, m.f1, m.accuracy), (None, None, 1.0));
        let m = with_truth(&[0.2, 0.3], &[true, true], 0.5).unwrap();
        assert_eq!((m.recall, m.precision, m.f1, m.auc), (Some(0.0), None, Some(0.0), None));
        assert_eq!(auc(&[0.2, 0.3], &[true, true]), None);
        assert_eq!(auc(&[0.2, f32::NAN], &[true, false]), None);
        assert_eq!(auc(&[0.2], &[true, false]), None);
    }

    #[test]
    fn certain_mistakes_cost_the_clip() {
        let m = with_truth(&[0.0], &[true], 0.5).unwrap();
        assert!(close(m.log_loss, -(1e-15_f64).ln()));
        let m = with_truth(&[1.0], &[false], 0.5).unwrap();
        assert!((m.log_loss + (1e-15_f64).ln()).abs() < 0.01, "{}", m.log_loss);
    }

    #[test]
    fn bad_input_is_refused() {
        assert_eq!(with_truth(&[], &[], 0.5), Err(EvalError::Empty("test")));
        assert_eq!(with_truth(&[0.5], &[], 0.5), Err(EvalError::Lengths { scores: 1, truth: 0 }));
        assert!(matches!(with_truth(&[f32::NAN], &[true], 0.5), Err(EvalError::NotFinite { index: 0, .. })));
        assert_eq!(
            with_truth(&[0.5, 1.5], &[true, true], 0.5),
            Err(EvalError::NotProbability { index: 1, value: 1.5 })
        );
        assert!(with_truth(&[0.5], &[true], f64::NAN).is_err());
        assert_eq!(with_truth_intervals(&Q, &Y, 0.5, 0, 0), Err(EvalError::NoResamples));
    }

    #[test]
    fn intervals_repeat_with_the_seed_and_leave_out_the_undefined() {
        let first = with_truth_intervals(&Q, &Y, 0.5, 50, 1).unwrap();
        assert_eq!(first, with_truth_intervals(&Q, &Y, 0.5, 50, 1).unwrap());
        assert_ne!(first, with_truth_intervals(&Q, &Y, 0.5, 50, 2).unwrap());
        let values = with_truth(&Q, &Y, 0.5).unwrap().entries();
        for ((name, interval), (field, value)) in first.iter().zip(values) {
            assert_eq!((*name, Some(interval.value)), (field, value));
            assert!(interval.low <= interval.high);
        }
        let one_class = with_truth_intervals(&[0.2, 0.9], &[true, true], 0.5, 50, 1).unwrap();
        assert!(one_class.iter().all(|(name, _)| *name != "auc"));
    }
}
