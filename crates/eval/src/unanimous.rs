//! Intervals where all answers agree.
//!
//! Positives and negatives are resampled separately. If all positives of a sample are called positive, so are all of every resample,
//! and the percentiles of the recall are 1 and 1: twelve right answers of twelve would seem to leave no doubt. There the exact
//! interval takes over (C. J. Clopper and E. S. Pearson, Biometrika 26, 1934). Of n answers that agree it reaches down to
//! (α/2)^(1/n), where n such answers have a chance of α/2.
//!
//! * Recall and specificity are shares of answers. Accuracy, balanced accuracy, precision and F1 rise with both of them, so their
//!   intervals are widened to the values at both lower and both upper ends.
//! * An AUC of 1: of min(n₊, n₋) pairs of a positive and a negative that have no row in common, all are in order.
//! * An average precision of 1 is the mean over the positives of n₊ numbers of at most 1, each of which is 1.

use crate::bootstrap::Interval;

/// Half of what an interval of 95 % leaves out.
const TAIL: f64 = 0.025;

/// Rows by class and by what they are called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calls {
    pub positives: f64,
    pub negatives: f64,
    /// Positives that are called positive.
    pub hits: f64,
    /// Negatives that are called positive.
    pub false_alarms: f64,
}

impl Calls {
    /// The interval of a metric by its name, widened where all answers agree.
    pub(crate) fn widen(&self, name: &str, interval: Interval) -> Interval {
        let Interval { value, low, high } = interval;
        let recall = ends(self.hits, self.positives);
        let specificity = ends(self.negatives - self.false_alarms, self.negatives);
        let agreed = match name {
            "auc" => ends_of_mean(value, self.positives.min(self.negatives)),
            "average_precision" if value == 1.0 => ends_of_mean(value, self.positives),
            "accuracy" | "balanced_accuracy" | "precision" | "recall" | "f1" => {
                let at = |end: usize| self.at(name, recall[end], specificity[end]).unwrap_or(value);
                [at(0), at(1)]
            }
            _ => [value, value],
        };
        Interval { value, low: low.min(agreed[0]), high: high.max(agreed[1]) }
    }

    /// A metric at another recall and specificity.
    fn at(&self, name: &str, recall: f64, specificity: f64) -> Option<f64> {
        let hits = recall * self.positives;
        let false_alarms = (1.0 - specificity) * self.negatives;
        let ratio = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        match name {
            "accuracy" => ratio(hits + self.negatives - false_alarms, self.positives + self.negatives),
            "balanced_accuracy" => Some((recall + specificity) / 2.0),
            "precision" => ratio(hits, hits + false_alarms),
            "f1" => ratio(2.0 * hits, hits + false_alarms + self.positives),
            _ => Some(recall),
        }
    }
}

/// The ends of a share: exact ones where all answers agree, else the share itself, whose chance resampling shows.
fn ends(agree: f64, all: f64) -> [f64; 2] {
    if all > 0.0 { ends_of_mean(agree / all, all) } else { [0.0, 1.0] }
}

/// The ends of a mean of this many numbers between 0 and 1 that are all 0 or all 1.
pub(crate) fn ends_of_mean(value: f64, numbers: f64) -> [f64; 2] {
    let far = TAIL.powf(1.0 / numbers.max(1.0));
    match value {
        1.0 => [far, 1.0],
        0.0 => [0.0, 1.0 - far],
        other => [other, other],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(value: f64) -> Interval {
        Interval { value, low: value, high: value }
    }

    fn close(interval: Interval, low: f64, high: f64) -> bool {
        (interval.low - low).abs() < 1e-4 && (interval.high - high).abs() < 1e-4
    }

    #[test]
    fn ends_where_all_agree_are_those_of_clopper_and_pearson() {
        // scipy.stats.binomtest(12, 12).proportion_ci(method="exact"): 0.7354 to 1.
        assert!((ends(12.0, 12.0)[0] - 0.735_352).abs() < 1e-5);
        assert_eq!(ends(12.0, 12.0)[1], 1.0);
        // binomtest(0, 30): 0 to 0.1157.
        assert!((ends(0.0, 30.0)[1] - 0.115_703).abs() < 1e-5);
        assert_eq!(ends(3.0, 4.0), [0.75, 0.75]);
    }

    #[test]
    fn metrics_of_rows_that_are_all_called_right() {
        let calls = Calls { positives: 12.0, negatives: 30.0, hits: 12.0, false_alarms: 0.0 };
        let (recall, specificity) = (0.735_352, 1.0 - 0.115_703);
        assert!(close(calls.widen("recall", point(1.0)), recall, 1.0));
        let accuracy = (12.0 * recall + 30.0 * specificity) / 42.0;
        assert!(close(calls.widen("accuracy", point(1.0)), accuracy, 1.0));
        assert!(close(calls.widen("balanced_accuracy", point(1.0)), (recall + specificity) / 2.0, 1.0));
        let (hits, alarms) = (12.0 * recall, 30.0 * 0.115_703);
        assert!(close(calls.widen("precision", point(1.0)), hits / (hits + alarms), 1.0));
        assert!(close(calls.widen("f1", point(1.0)), 2.0 * hits / (hits + alarms + 12.0), 1.0));
        assert!(close(calls.widen("auc", point(1.0)), recall, 1.0));
        assert!(close(calls.widen("average_precision", point(1.0)), recall, 1.0));
        assert_eq!(calls.widen("brier", point(0.01)), point(0.01));
    }

    #[test]
    fn what_resampling_shows_stays() {
        let calls = Calls { positives: 10.0, negatives: 20.0, hits: 7.0, false_alarms: 5.0 };
        let shown = Interval { value: 0.7, low: 0.4, high: 0.9 };
        assert_eq!(calls.widen("recall", shown), shown);
        // All positives are found, and the false alarms vary: precision at the lower end of the recall is 0.6909 · 10 of that and 5.
        let found = Calls { hits: 10.0, ..calls };
        let shown = Interval { value: 10.0 / 15.0, low: 0.6, high: 0.8 };
        let low = 6.915_029 / 11.915_029;
        assert!(close(found.widen("precision", shown), low, 0.8), "{:?}", found.widen("precision", shown));
    }

    #[test]
    fn nothing_called_positive_says_little_of_few_positives() {
        let calls = Calls { positives: 12.0, negatives: 30.0, hits: 0.0, false_alarms: 0.0 };
        let widened = calls.widen("accuracy", point(30.0 / 42.0));
        let (recall, specificity) = (1.0 - 0.735_352, 1.0 - 0.115_703);
        assert!(close(widened, 30.0 * specificity / 42.0, (12.0 * recall + 30.0) / 42.0), "{widened:?}");
    }
}
