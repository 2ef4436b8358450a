//! How many of a stratum's rows can be positive: the exact interval of a draw without replacement.
//!
//! Of N rows K are positive, n were drawn, x of these are positive. x follows the hypergeometric law, and a K is kept while
//! neither Pr(X ≤ x) nor Pr(X ≥ x) is at most half of what the confidence leaves (Wright, 1991). It never fails more often than it says,
//! however few the rows, which a smooth law cannot promise: 48 of 50 drawn from 100 leave room for 98.

use super::estimate::Stratum;
use crate::beta::ln_gamma;

/// The smallest and the largest number of positives in a stratum that the answers leave room for.
pub(super) fn bounds(stratum: &Stratum, tail: f64) -> [f64; 2] {
    let all = stratum.rows as u64;
    // Answers of several draws that overlap count in parts.
    let drawn = (stratum.answered.round() as u64).min(all);
    let seen = (stratum.positive.round() as u64).min(drawn);
    let low = all - most(all, drawn, drawn - seen, tail);
    [low as f64, most(all, drawn, seen, tail) as f64]
}

/// The largest K for which at most `seen` positives in the draw are likelier than `tail`.
fn most(all: u64, drawn: u64, seen: u64, tail: f64) -> u64 {
    let (mut kept, mut out) = (seen, all - (drawn - seen) + 1);
    while out - kept > 1 {
        let middle = kept + (out - kept) / 2;
        if at_most(seen, all, middle, drawn) > tail { kept = middle } else { out = middle }
    }
    kept
}

/// Pr(X ≤ x) for `drawn` of `all` rows, of which `positive` are positive.
fn at_most(x: u64, all: u64, positive: u64, drawn: u64) -> f64 {
    let choose =
        |n: u64, k: u64| ln_gamma(n as f64 + 1.0) - ln_gamma(k as f64 + 1.0) - ln_gamma((n - k) as f64 + 1.0);
    let least = (drawn + positive).saturating_sub(all);
    (least..=x.min(positive).min(drawn))
        .map(|x| (choose(positive, x) + choose(all - positive, drawn - x) - choose(all, drawn)).exp())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: usize, answered: f64, positive: f64) -> [f64; 2] {
        bounds(&Stratum { rows, answered, positive }, 0.025)
    }

    /// Ends by `scipy.stats.hypergeom`: the largest K with cdf(x, N, K, n) > .025, the smallest with sf(x - 1, N, K, n) > .025.
    #[test]
    fn ends_are_those_of_another_program() {
        assert_eq!(of(100, 50.0, 48.0), [89.0, 98.0]);
        assert_eq!(of(25, 2.0, 2.0), [5.0, 25.0]);
        assert_eq!(of(25, 2.0, 0.0), [0.0, 20.0]);
        assert_eq!(of(100, 50.0, 36.0), [62.0, 80.0]);
        assert_eq!(of(900, 30.0, 0.0), [0.0, 102.0]);
        assert_eq!(of(40, 40.0, 7.0), [7.0, 7.0]);
    }

    #[test]
    fn it_holds_as_often_as_it_says_for_every_number_of_positives() {
        for (rows, drawn) in [(100u64, 50u64), (25, 2), (60, 10), (12, 11)] {
            for positive in 0..=rows {
                let chance = |x: u64| {
                    let below = if x == 0 { 0.0 } else { at_most(x - 1, rows, positive, drawn) };
                    at_most(x, rows, positive, drawn) - below
                };
                let holds = |x: u64| {
                    let [low, high] = of(rows as usize, drawn as f64, x as f64);
                    low <= positive as f64 && positive as f64 <= high
                };
                let least = (drawn + positive).saturating_sub(rows);
                let held: f64 = (least..=drawn.min(positive)).filter(|&x| holds(x)).map(chance).sum();
                assert!(held > 0.95 - 1e-9, "{positive} of {rows}: {held}");
            }
        }
    }
}
