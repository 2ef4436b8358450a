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

/// A point with both parts of the function there.
#[derive(Clone, Copy, PartialEq)]
struct Point {
    q: f64,
    rising: f64,
    falling: f64,
}

/// An interval and the bound on it, ordered by the bound.
#[derive(PartialEq)]
struct Piece {
    bound: f64,
    ends: (Point, Point),
}

impl Piece {
    fn new(left: Point, right: Point) -> Self {
        Self { bound: right.rising + left.falling, ends: (left, right) }
    }
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
    let at = |q: f64| Point { q, rising: rising(q), falling: falling(q) };
    let value = |point: Point| point.rising + point.falling;
    let (low, high) = (at(low), at(high));
    let mut best = if value(high) > value(low) { high } else { low };
    let whole = Piece::new(low, high);
    let tolerance = TOLERANCE * (whole.bound - value(best)).max(f64::MIN_POSITIVE);
    let mut pieces = BinaryHeap::from([whole]);
    for _ in 0..MOST_SPLITS {
        let Some(top) = pieces.peek().filter(|top| top.bound > value(best) + tolerance) else { break };
        let (left, right) = top.ends;
        let middle = at(0.5 * (left.q + right.q));
        if middle.q <= left.q || middle.q >= right.q {
            break;
        }
        pieces.pop();
        if value(middle) > value(best) {
            best = middle;
        }
        let halves = [Piece::new(left, middle), Piece::new(middle, right)];
        pieces.extend(halves.into_iter().filter(|half| half.bound >= value(best)));
    }
    // A wide piece may be left because its bound is but a little too high; what it holds is looked at more closely.
    let (mut bound, mut bracket) = (value(best), (best.q, best.q));
    let mut left = pieces.into_vec();
    let mut splits = MOST_SPLITS / 100;
    while let Some(piece) = left.pop() {
        let (from, to) = piece.ends;
        if piece.bound < value(best) {
            continue;
        }
        if splits > 0 && to.q - from.q > 1e-3 * (high.q - low.q) {
            splits -= 1;
            let middle = at(0.5 * (from.q + to.q));
            left.extend([Piece::new(from, middle), Piece::new(middle, to)]);
            continue;
        }
        bound = bound.max(piece.bound);
        bracket = (bracket.0.min(from.q), bracket.1.max(to.q));
    }
    Maximum { q: best.q, value: value(best), bracket, gap: bound - value(best) }
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
