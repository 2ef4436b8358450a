//! The maximum of a rising and a falling function's sum, certified.
//!
//! On [a, b] the sum u(q) + w(q) of a rising u and a falling w is at most u(b) + w(a). Splitting the interval with the
//! highest such bound until the bound comes down to the best value found (branch and bound) proves the maximum to any
//! tolerance, with no assumption of one peak: a reward may well have two.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// How far the proven bound may lie above the value found, in units of the range of the values at the start.
pub(super) const TOLERANCE: f64 = 1e-8;
/// Splits before the search gives up and returns the gap it has reached.
const MOST_SPLITS: usize = 400_000;

/// Where a function is largest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Maximum {
    /// A maximizer.
    pub q: f64,
    /// The value there.
    pub value: f64,
    /// An interval that holds every maximizer. A point where the maximum is known in closed form.
    pub bracket: (f64, f64),
    /// No q has a value above `value + gap`. 0 where the maximum is known in closed form.
    pub gap: f64,
}

/// An interval and the bound on it, ordered by the bound.
#[derive(PartialEq)]
struct Piece {
    bound: f64,
    ends: (f64, f64),
}

impl Eq for Piece {}

impl Ord for Piece {
    fn cmp(&self, other: &Self) -> Ordering {
        self.bound.total_cmp(&other.bound)
    }
}

impl PartialOrd for Piece {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The maximum of `rising(q) + falling(q)` on [low, high].
pub(super) fn maximize(
    rising: impl Fn(f64) -> f64,
    falling: impl Fn(f64) -> f64,
    (low, high): (f64, f64),
) -> Maximum {
    let value = |q: f64| rising(q) + falling(q);
    let (mut q, mut best) = if value(high) > value(low) { (high, value(high)) } else { (low, value(low)) };
    let whole = Piece { bound: rising(high) + falling(low), ends: (low, high) };
    let tolerance = TOLERANCE * (whole.bound - best).max(f64::MIN_POSITIVE);
    let mut pieces = BinaryHeap::from([whole]);
    for _ in 0..MOST_SPLITS {
        let Some(Piece { ends: (a, b), .. }) = pieces.peek().filter(|top| top.bound > best + tolerance)
        else {
            break;
        };
        let (a, b) = (*a, *b);
        let middle = 0.5 * (a + b);
        if middle <= a || middle >= b {
            break;
        }
        pieces.pop();
        if value(middle) > best {
            (q, best) = (middle, value(middle));
        }
        for ends in [(a, middle), (middle, b)] {
            let bound = rising(ends.1) + falling(ends.0);
            if bound >= best {
                pieces.push(Piece { bound, ends });
            }
        }
    }
    let left = pieces.iter().filter(|piece| piece.bound >= best);
    let (bound, bracket) = left.fold((best, (q, q)), |(bound, (from, to)), piece| {
        (bound.max(piece.bound), (piece.ends.0.min(from), piece.ends.1.max(to)))
    });
    Maximum { q, value: best, bracket, gap: bound - best }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_higher_of_two_peaks_is_found_and_proven() {
        // Steep lines make the parts monotone; their sum is a wave with peaks that sink by 0.01 a unit.
        let falling = |x: f64| -3.0 * x + 0.25 * (10.0 * x).sin();
        let found = maximize(|x| 2.99 * x, falling, (0.0, 2.0));
        // cos(10x) = 0.01 / 2.5 at the first peak, a little left of π / 20.
        let peak = (0.01f64 / 2.5).acos() / 10.0;
        assert!((found.q - peak).abs() < 1e-4 && found.gap < 1e-7, "{found:?} against {peak}");
        assert!(found.bracket.0 <= peak && peak <= found.bracket.1 && found.bracket.1 < 0.2, "{found:?}");
    }

    #[test]
    fn ends_can_win() {
        let found = maximize(|x| x, |_| 0.0, (0.25, 1.0));
        assert_eq!((found.q, found.value, found.gap), (1.0, 1.0, 0.0));
    }
}
