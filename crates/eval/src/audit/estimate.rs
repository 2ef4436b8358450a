//! From answers to the share of positives, precision and recall.
//!
//! Cuts lie between strata, so the rows above one are known, and the precision is the share of positives in the strata
//! above it. The recall is A / (A + B) with A positives above and B below. Its interval inverts a test (Fieller, 1954): a
//! recall ρ is kept if 0 lies in the interval of (1 - ρ) A - ρ B, whose ends follow from those of A and B, distances adding
//! in squares (Zou and Donner, 2008). It needs no positive to be found on either side.

use super::interval::{positives, positives_above};
use crate::bootstrap::Interval;
use crate::error::EvalError;
use serde::Serialize;

/// A share without a scatter cannot be told from one answer.
const LEAST: f64 = 2.0;

/// One stratum and its answers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Stratum {
    /// All rows of it, N_h.
    pub rows: usize,
    /// Rows that were drawn and answered, n_h. Every one of them was as likely as any other.
    pub answered: f64,
    /// Of these, the positive ones.
    pub positive: f64,
}

impl Stratum {
    /// Whether it has fewer than two answers, and rows without one.
    fn lacks_answers(&self) -> bool {
        self.answered < LEAST.min(self.rows as f64)
    }

    pub(super) fn share(&self) -> f64 {
        if self.answered > 0.0 { self.positive / self.answered } else { 0.0 }
    }
}

/// What an audit says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditEstimate {
    /// The level of the intervals.
    pub confidence: f64,
    /// Rows in the list.
    pub rows: usize,
    /// Answers.
    pub answered: usize,
    /// The share of positives in the list.
    pub share: Interval,
    /// How many positives there are in it.
    pub positives: Interval,
    /// What is found above each cut, from the top of the list.
    pub cuts: Vec<CutEstimate>,
}

/// The first rows of the list.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CutEstimate {
    /// How many.
    pub rows: usize,
    /// The share of them that is positive.
    pub precision: Interval,
    /// The share of all positives that is among them.
    pub recall: Interval,
}

/// Estimates from strata in the order of the list, each with two answers at least; see [`joined`].
pub fn estimate(strata: &[Stratum], confidence: f64) -> Result<AuditEstimate, EvalError> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(EvalError::OutsideUnit { what: "confidence", value: confidence });
    }
    let answered: f64 = strata.iter().map(|s| s.answered).sum();
    if answered < LEAST {
        return Err(EvalError::FewAnswers(answered as usize));
    }
    let rows: usize = strata.iter().map(|s| s.rows).sum();
    let all = positives(strata, confidence);
    let mut cuts = Vec::new();
    let mut above = 0;
    for cut in 1..strata.len() {
        above += strata[cut - 1].rows;
        let (top, rest) = strata.split_at(cut);
        let (a, b) = (positives_above(top, confidence), positives(rest, confidence));
        cuts.push(CutEstimate { rows: above, precision: over(a, above), recall: recall(a, b) });
    }
    Ok(AuditEstimate {
        confidence,
        rows,
        answered: answered as usize,
        share: over(all, rows),
        positives: all,
        cuts,
    })
}

/// Strata with fewer than two answers, and rows without one, joined to a neighbor: the one above, or for the first the one below. Returns for
/// each new stratum how many old ones it is made of. Where rates differ within a joined stratum its estimate leans towards
/// the part with answers.
pub fn joined(strata: &[Stratum]) -> (Vec<Stratum>, Vec<usize>) {
    let mut done: Vec<(Stratum, usize)> = Vec::new();
    for &next in strata {
        match done.last_mut() {
            Some((last, parts)) if next.lacks_answers() || last.lacks_answers() => {
                last.rows += next.rows;
                last.answered += next.answered;
                last.positive += next.positive;
                *parts += 1;
            }
            _ => done.push((next, 1)),
        }
    }
    done.into_iter().unzip()
}

fn over(Interval { value, low, high }: Interval, rows: usize) -> Interval {
    let rows = rows as f64;
    Interval { value: value / rows, low: low / rows, high: high / rows }
}

/// a / (a + b), from the intervals of both.
fn recall(a: Interval, b: Interval) -> Interval {
    let total = a.value + b.value;
    // Without a positive nothing is known about the recall, so the middle of its range is taken.
    let value = if total > 0.0 { a.value / total } else { 0.5 };
    // Each end is where the difference, at its own worst, changes its sign.
    let root = |sign: f64, away_a: f64, away_b: f64| {
        let difference = |rho: f64| {
            let (u, v) = ((1.0 - rho) * away_a, rho * away_b);
            (1.0 - rho) * a.value - rho * b.value + sign * (u * u + v * v).sqrt()
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if difference(middle) > 0.0 { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    };
    let low = root(-1.0, a.value - a.low, b.high - b.value);
    let high = root(1.0, a.high - a.value, b.value - b.low);
    Interval { value, low: low.min(value), high: high.max(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stratum(rows: usize, answered: f64, positive: f64) -> Stratum {
        Stratum { rows, answered, positive }
    }

    #[test]
    fn totals_are_those_of_the_strata() {
        // 100 rows at 30/50, 900 at 5/100: 60 + 45 positives of 1000; of the first 100 rows 60 %, which are 60 of 105.
        let found = estimate(&[stratum(100, 50.0, 30.0), stratum(900, 100.0, 5.0)], 0.95).unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        close(found.share.value, 0.105);
        close(found.positives.value, 105.0);
        close(found.cuts[0].precision.value, 0.6);
        close(found.cuts[0].recall.value, 60.0 / 105.0);
        assert_eq!((found.cuts.len(), found.cuts[0].rows, found.answered), (1, 100, 150));
        let Interval { low, value, high } = found.cuts[0].recall;
        assert!(low < value && value < high && low > 0.3 && high < 0.85, "{low} {high}");
    }

    #[test]
    fn a_recall_without_positives_on_a_side_is_open_there() {
        let found = estimate(&[stratum(100, 50.0, 30.0), stratum(900, 100.0, 0.0)], 0.95).unwrap();
        assert_eq!(found.cuts[0].recall.value, 1.0);
        assert!(found.cuts[0].recall.high == 1.0 && found.cuts[0].recall.low > 0.6, "{found:?}");
        let none = estimate(&[stratum(100, 50.0, 0.0), stratum(900, 100.0, 0.0)], 0.95).unwrap();
        let recall = none.cuts[0].recall;
        assert!(recall.low < 1e-9 && recall.high > 1.0 - 1e-9, "{recall:?}");
    }

    #[test]
    fn a_recall_with_exact_parts_is_exact() {
        let exact = |value| Interval { value, low: value, high: value };
        let found = recall(exact(30.0), exact(10.0));
        assert!((found.low - 0.75).abs() < 1e-12 && (found.high - 0.75).abs() < 1e-12);
    }

    #[test]
    fn strata_without_answers_join_their_neighbors() {
        let strata = [
            stratum(10, 1.0, 1.0),
            stratum(20, 4.0, 2.0),
            stratum(30, 0.0, 0.0),
            stratum(40, 5.0, 1.0),
            stratum(50, 1.0, 0.0),
        ];
        let (new, parts) = joined(&strata);
        assert_eq!(parts, [3, 2]);
        assert_eq!((new[0].rows, new[0].answered, new[0].positive), (60, 5.0, 3.0));
        assert_eq!((new[1].rows, new[1].answered), (90, 6.0));
        assert!(estimate(&joined(&strata[..1]).0, 0.95).is_err());
        let whole = [stratum(1, 1.0, 1.0), stratum(20, 4.0, 2.0)];
        assert_eq!(joined(&whole).1, [1, 1], "one row that is answered is known");
        assert!(estimate(&strata, 1.0).is_err());
    }
}
