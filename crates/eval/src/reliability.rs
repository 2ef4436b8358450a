//! Whether probabilities hold, told without a negative.
//!
//! A list is cut into groups of neighboring scores. If held-out positives are a random sample of the positives, then of those in the list a share
//! r lies in a group as it does of them, and with a share μ of positives in the list the group holds
//!
//! ```text
//!   P(positive | group) = μ · r / (share of the list in the group).
//! ```
//!
//! Next to it stands the mean of the probabilities that a model gives these rows. The interval is that of r (Jeffreys) with the ends of
//! μ's; what a group holds beyond all of its rows is cut off.

use crate::beta::jeffreys;
use crate::bootstrap::Interval;
use crate::error::{EvalError, check_scores};
use serde::Serialize;

/// The level of these intervals.
const CONFIDENCE: f64 = 0.95;

/// A group of rows with neighboring scores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Reliability {
    /// How many rows of the list it has.
    pub rows: usize,
    /// The lowest and the highest of their scores.
    pub scores: (f32, f32),
    /// The mean of the probabilities that they are given.
    pub predicted: f64,
    /// The share of them that is positive.
    pub found: Interval,
}

/// Groups of about as many rows of the list, the lowest scores first. Equal scores stay together, so there may be fewer groups.
pub fn reliability(
    positive: &[f32],
    list: &[f32],
    groups: usize,
    share: Interval,
    probability: impl Fn(f32) -> f64,
) -> Result<Vec<Reliability>, EvalError> {
    check_scores("positive", positive)?;
    check_scores("unlabeled", list)?;
    let sorted = |scores: &[f32]| {
        let mut sorted = scores.to_vec();
        sorted.sort_unstable_by(f32::total_cmp);
        sorted
    };
    let (positive, list) = (sorted(positive), sorted(list));
    let (m, n) = (positive.len() as f64, list.len() as f64);
    let below = |scores: &[f32], cut: f32| scores.partition_point(|&score| score < cut);
    let mut told = Vec::new();
    let (mut start, mut hits_before) = (0, 0);
    for group in 1..=groups.max(1) {
        let wanted = (list.len() * group).div_ceil(groups.max(1));
        let end = if wanted < list.len() { below(&list, list[wanted]) } else { list.len() };
        if end <= start {
            continue;
        }
        // What scores beyond the list belongs to its ends.
        let hits = if end < list.len() { below(&positive, list[end]) } else { positive.len() };
        let r = jeffreys((hits - hits_before) as f64, m, CONFIDENCE);
        let by = n / (end - start) as f64;
        let found = Interval {
            value: share.value * r.value * by,
            low: share.low * r.low * by,
            high: share.high * r.high * by,
        };
        let rows = &list[start..end];
        let predicted = rows.iter().map(|&score| probability(score)).sum::<f64>() / rows.len() as f64;
        let scores = (rows[0], rows[rows.len() - 1]);
        told.push(Reliability { rows: rows.len(), scores, predicted, found: found.clipped() });
        (start, hits_before) = (end, hits);
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_by_hand() {
        // Of four positives three are in the upper half of eight rows, of which one half is positive: .5 · .75 · 2.
        let list: Vec<f32> = (0..8).map(|i| i as f32).collect();
        let share = Interval { value: 0.5, low: 0.5, high: 0.5 };
        let told =
            reliability(&[1.0, 4.5, 6.0, 9.0], &list, 2, share, |score| f64::from(score) / 10.0).unwrap();
        assert_eq!(told.iter().map(|one| one.rows).collect::<Vec<_>>(), [4, 4]);
        assert!((told[1].found.value - 0.75).abs() < 1e-12 && (told[0].found.value - 0.25).abs() < 1e-12);
        assert!((told[1].predicted - 0.55).abs() < 1e-7 && told[1].scores == (4.0, 7.0));
        // The quantiles of Beta(3.5, 1.5): scipy.stats.beta.ppf([.025, .975], 3.5, 1.5), times .5 · 2.
        let found = told[1].found;
        assert!(
            (found.low - 0.283_751_68).abs() < 1e-6 && (found.high - 0.971_529_1).abs() < 1e-6,
            "{found:?}"
        );
        // Equal scores are one group.
        assert_eq!(reliability(&[1.0], &[1.0; 9], 3, share, |_| 0.5).unwrap().len(), 1);
    }
}
