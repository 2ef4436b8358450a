//! An interval for the number of positives in several strata.
//!
//! Stratum h has N_h rows; n_h of them were answered, x_h positive, p_h = x_h / n_h. The estimated variance of Σ N_h p_h is
//! Σ N_h (N_h - n_h) p_h (1 - p_h) / (n_h - 1). A stratum that shows one kind alone adds nothing to it, though it may hold
//! the other: the variance alone would make the interval too short, or a point. So, as Fay and Feuer (1997) do for weighted
//! sums of counts, an answer that was not seen is added: a positive one for the upper end, a negative one for the lower.
//! It is half an answer (the mid-P form of Fay and Kim, 2017) where no answer of its kind was seen, and less where x were:
//! they show where such rows are, and the others hold few. It weighs as much as an answer of the rows that could have given
//! it does on average (after Tiwari, Clegg and Zou, 2006):
//!
//! ```text
//! w = Σ N_h (1 - p_h)² (N_h - n_h) / n_h / Σ N_h (1 - p_h),  mean + u w,  variance + u w²,  u = 0.3 + 0.2 e^(-x/5)
//! ```
//!
//! The 0.3 and the 5 were chosen by simulation (`benches/trust`).
//!
//! Mean and variance are then matched by a beta law between what is certain: the positives found, and all rows but the
//! negatives found. One stratum without a positive so has Jeffreys' bound.
//!
//! **The first rows.** No smooth law fits a hundred rows of which half were drawn, or a stratum of 25 rows with two answers. Above a
//! cut with fewer than 1,000 rows in up to three strata, or with fewer than ten answers of either kind there, the interval is widened to
//! hold the one that adds up the exact intervals of the strata (`exact.rs`), distances adding in squares (Zou and Donner, 2008). All
//! three limits were set by hand.

use super::estimate::Stratum;
use super::exact::bounds;
use crate::beta::beta_quantile;
use crate::bootstrap::Interval;

/// Rows from which on a smooth law will do.
const SHORT: f64 = 1000.0;
/// Answers of a kind from which on it will do.
const RARE: f64 = 10.0;
/// Strata up to which it will not: more of them even each other out.
const FEW_STRATA: usize = 3;

/// How much of an answer was not seen, after this many of its kind were.
fn unseen_answer(seen: f64) -> f64 {
    0.3 + 0.2 * (-seen / 5.0).exp()
}

/// The number of positives in these strata, with an interval.
pub(super) fn positives(strata: &[Stratum], confidence: f64) -> Interval {
    let tail = 0.5 * (1.0 - confidence);
    let value: f64 = strata.iter().map(|s| s.rows as f64 * s.share()).sum();
    let rows: f64 = strata.iter().map(|s| s.rows as f64).sum();
    let swapped: Vec<Stratum> =
        strata.iter().map(|s| Stratum { positive: s.answered - s.positive, ..*s }).collect();
    let (low, high) = (rows - upper(&swapped, tail), upper(strata, tail));
    Interval { value, low: low.min(value), high: high.max(value) }
}

/// The number of positives above a cut.
pub(super) fn positives_above(strata: &[Stratum], confidence: f64) -> Interval {
    let smooth = positives(strata, confidence);
    let rows: f64 = strata.iter().map(|s| s.rows as f64).sum();
    let yes: f64 = strata.iter().map(|s| s.positive).sum();
    let no: f64 = strata.iter().map(|s| s.answered - s.positive).sum();
    if rows >= SHORT && yes.min(no) >= RARE || strata.len() > FEW_STRATA {
        return smooth;
    }
    let (mut below, mut above) = (0.0, 0.0);
    for stratum in strata {
        let [least, most] = bounds(stratum, 0.5 * (1.0 - confidence));
        let here = stratum.rows as f64 * stratum.share();
        below += (here - least).powi(2);
        above += (most - here).powi(2);
    }
    let (low, high) = (smooth.value - below.sqrt(), smooth.value + above.sqrt());
    smooth.holding(low.max(0.0), high.min(rows))
}

/// The upper end.
fn upper(strata: &[Stratum], tail: f64) -> f64 {
    let certain: f64 = strata.iter().map(|s| s.positive).sum();
    let possible: f64 = strata.iter().map(|s| s.rows as f64 - (s.answered - s.positive)).sum();
    let (mut mean, mut variance) = (0.0, 0.0);
    let (mut weighed, mut weights) = (0.0, 0.0);
    for s in strata {
        let (rows, answered, p) = (s.rows as f64, s.answered, s.share());
        let unseen = rows - answered;
        mean += rows * p;
        variance += rows * unseen * p * (1.0 - p) / (answered - 1.0).max(1.0);
        weighed += rows * (1.0 - p) * (1.0 - p) * unseen / answered;
        weights += rows * (1.0 - p);
    }
    let weight = if weights > 0.0 { weighed / weights } else { 0.0 };
    let part = unseen_answer(certain);
    mean += part * weight;
    variance += part * weight * weight;
    let span = possible - certain;
    if span <= 0.0 || variance <= 0.0 {
        return mean.min(possible);
    }
    let (m, v) = ((mean - certain) / span, variance / (span * span));
    if m >= 1.0 {
        return possible;
    }
    // A law on [0, 1] cannot scatter by more than m (1 - m).
    let size = (m * (1.0 - m) / v - 1.0).max(1e-3);
    certain + span * beta_quantile(m * size, (1.0 - m) * size, 1.0 - tail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beta::jeffreys;

    fn stratum(rows: usize, answered: f64, positive: f64) -> Stratum {
        Stratum { rows, answered, positive }
    }

    #[test]
    fn one_large_stratum_is_close_to_jeffreys() {
        for (n, x) in [(50.0, 0.0), (200.0, 3.0), (200.0, 100.0), (1000.0, 1000.0), (40.0, 38.0)] {
            let ours = positives(&[stratum(100_000_000, n, x)], 0.95);
            let theirs = jeffreys(x, n, 0.95);
            let close = |a: f64, b: f64| (a / 1e8 - b).abs() < 0.05 * (theirs.high - theirs.low);
            assert!(close(ours.low, theirs.low) && close(ours.high, theirs.high), "{ours:?} {theirs:?}");
        }
    }

    #[test]
    fn a_census_is_a_point_and_what_was_found_is_certain() {
        let whole = positives(&[stratum(30, 30.0, 7.0), stratum(20, 20.0, 0.0)], 0.95);
        assert_eq!((whole.value, whole.low, whole.high), (7.0, 7.0, 7.0));
        let most = positives(&[stratum(30, 28.0, 7.0)], 0.95);
        assert!(most.low >= 7.0 && most.high <= 9.0, "{most:?}");
    }

    #[test]
    fn the_first_rows_have_room_for_what_the_answers_allow() {
        // 48 of 50 answers yes, and 98 of 100 possible; then 25 rows more with two answers, which say next to nothing.
        let first = positives_above(&[stratum(100, 50.0, 48.0)], 0.95);
        assert!(first.low <= 89.0 && first.high >= 98.0, "{first:?}");
        let more = positives_above(&[stratum(100, 50.0, 36.0), stratum(25, 2.0, 2.0)], 0.95);
        // 97 less √(10² + 20²): 36/50 of 100 is 62 to 80, 2 of 2 is 5 to 25.
        assert!((more.low - (97.0 - 500f64.sqrt())).abs() < 1e-9, "{more:?}");
    }

    #[test]
    fn strata_without_a_positive_leave_room_for_some() {
        let with = positives(&[stratum(100, 50.0, 20.0), stratum(10_000, 50.0, 0.0)], 0.95);
        let without = positives(&[stratum(100, 50.0, 20.0)], 0.95);
        // 0 of 50 is up to 4.9 % by Jeffreys; the 20 positives found above make it likelier that none is here.
        assert!(with.high > 400.0 && with.high < 600.0 && without.high < 60.0, "{with:?} {without:?}");
        // The lower end has little to gain from the stratum without any.
        assert!((with.low - without.low).abs() < 2.0, "{with:?} {without:?}");
    }

    #[test]
    fn positives_and_negatives_are_treated_alike() {
        let strata = [stratum(1000, 20.0, 3.0), stratum(5000, 40.0, 40.0), stratum(300, 10.0, 0.0)];
        let swapped = strata.map(|s| Stratum { positive: s.answered - s.positive, ..s });
        let (a, b) = (positives(&strata, 0.9), positives(&swapped, 0.9));
        assert!((a.low - (6300.0 - b.high)).abs() < 1e-6 && (a.high - (6300.0 - b.low)).abs() < 1e-6);
    }
}
