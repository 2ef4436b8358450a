//! Which of a model's metrics are told as a number, which as a range, and which not at all.

use crate::{About, is_cut_off, rests_on_prior};
use onesided_eval::Interval;

/// A share that may be anything but a tenth of what it can be says next to nothing.
const USELESS: f64 = 0.9;
/// A share of positives below this is printed as 0.000.
const ZERO: f64 = 0.000_5;

/// How a metric is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// As a number with its interval.
    Value,
    /// As an interval alone: its middle says nothing.
    Range,
    /// Not without a share of positives that is known better.
    Untold,
}

/// Whether a range says next to nothing.
pub fn is_useless(Interval { low, high, .. }: Interval) -> bool {
    high.min(1.0) - low.max(0.0) >= USELESS
}

impl About {
    /// The metrics of its decisions on held-out rows, with how each is told. Those that rest on a share of positives that is a guess
    /// are ranges, and are not told where the range holds nearly everything.
    pub fn told_metrics(&self) -> Vec<(&str, Interval, Told)> {
        let all = self.report.metrics.iter();
        all.map(|(name, &interval)| (name.as_str(), interval, self.how_told(name, interval))).collect()
    }

    fn how_told(&self, name: &str, interval: Interval) -> Told {
        if self.answers.is_some() || self.is_supervised() || !rests_on_prior(name) {
            return Told::Value;
        }
        let Some(estimate) = &self.prior_estimate else {
            return if is_cut_off(name, interval) || is_useless(interval) {
                Told::Range
            } else {
                Told::Value
            };
        };
        // Precision and F1 are proportional to the share: where that may be 0, so may they.
        let from_zero = estimate.interval.0 < ZERO && matches!(name, "precision" | "f1");
        let untold = estimate.audited.is_none() && (is_useless(interval) || from_zero);
        if estimate.assumed.is_some() || untold { Told::Untold } else { Told::Range }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_of_nine_tenths_says_nothing() {
        let range = |low: f64, high: f64| Interval { value: low, low, high };
        assert!(is_useless(range(0.0, 1.0)) && is_useless(range(0.05, 1.3)));
        assert!(!is_useless(range(0.2, 1.0)) && !is_useless(range(0.0, 0.8)));
    }
}
