//! Unlabeled rows in the order in which a label would help most, by how often they changed sides.
//!
//! The paper notes that noisy samples "move back and forth across the borderline", and leaves it as a signal for active
//! learning. So every unlabeled row gets its number of crossings; the most come first, and of equally many the score
//! nearest to 0. No true class takes part in the order; it is written down only so that the order can be judged.

use super::tracks::crossings;
use std::fmt::Write;

/// Points of a curve over all candidates.
const STEPS: usize = 100;

/// An unlabeled row that might be worth a label.
#[derive(Clone, Debug, PartialEq)]
pub struct RowToLabel {
    /// The row, by its file or its published number.
    pub name: String,
    /// How often it changed sides.
    pub crossings: usize,
    /// Its score after the last epoch.
    pub score: f32,
    /// Whether it is a hidden positive.
    pub positive: bool,
}

impl RowToLabel {
    /// From the scores of a row, epoch after epoch.
    pub fn new(name: String, scores: &[f32], positive: bool) -> Self {
        Self { name, crossings: crossings(scores), score: scores.last().copied().unwrap_or(0.0), positive }
    }

    /// The probability of the positive class, at the prior of the unlabeled rows.
    pub fn probability(&self) -> f64 {
        1.0 / (1.0 + (-f64::from(self.score)).exp())
    }

    /// Whether the last epoch decides it wrongly.
    pub fn is_wrong(&self) -> bool {
        (self.score > 0.0) != self.positive
    }
}

/// Puts candidates in order.
pub fn rank(candidates: &mut [RowToLabel]) {
    candidates.sort_by(|a, b| {
        let nearest = a.score.abs().total_cmp(&b.score.abs());
        b.crossings.cmp(&a.crossings).then(nearest)
    });
}

/// Ranked candidates as CSV; `what` names the column of rows: `row` or `file`.
pub fn csv(candidates: &[RowToLabel], what: &str) -> String {
    let mut text = format!("rank,{what},crossings,score,probability,truth\n");
    for (number, candidate) in candidates.iter().enumerate() {
        let RowToLabel { name, crossings, score, positive } = candidate;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{crossings},{score:.4},{:.4},{}",
            number + 1,
            quoted(name),
            candidate.probability(),
            u8::from(*positive)
        );
    }
    text
}

/// A cell with its quotes where it needs them (RFC 4180).
fn quoted(cell: &str) -> String {
    if cell.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_string()
    }
}

/// How many rows crossed so often, and how many of them the last epoch decides wrongly; from the most crossings down.
pub fn tally(candidates: &[RowToLabel]) -> Vec<(usize, usize, usize)> {
    let most = candidates.iter().map(|candidate| candidate.crossings).max();
    let of = |count: usize| candidates.iter().filter(move |candidate| candidate.crossings == count);
    let row = |count: usize| (count, of(count).count(), of(count).filter(|row| row.is_wrong()).count());
    most.map_or_else(Vec::new, |most| (0..=most).rev().map(row).collect())
}

/// How many mistakes of the last epoch are met by looking at candidates in this order: pairs of a share of the rows and
/// the share of all mistakes among them, in percent. Nothing where there is no mistake.
pub fn found<'a>(order: impl Iterator<Item = &'a RowToLabel>) -> Vec<(f64, f64)> {
    let mut met = 0;
    let after: Vec<usize> = order
        .map(|candidate| {
            met += usize::from(candidate.is_wrong());
            met
        })
        .collect();
    if met == 0 {
        return Vec::new();
    }
    let percent = |part: usize, all: usize| 100.0 * part as f64 / all as f64;
    let step = after.len().div_ceil(STEPS);
    let seen = (0..=STEPS).map(|i| (i * step).min(after.len()));
    let mut curve: Vec<(f64, f64)> = seen
        .map(|rows| (percent(rows, after.len()), percent(rows.checked_sub(1).map_or(0, |i| after[i]), met)))
        .collect();
    curve.dedup();
    curve
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Vec<RowToLabel> {
        let mut all = vec![
            RowToLabel::new("7".into(), &[-1.0, -2.0, -3.0], false),
            RowToLabel::new("a,b.png".into(), &[-1.0, 1.0, -0.5], true),
            RowToLabel::new("9".into(), &[1.0, -1.0, 0.25], true),
        ];
        rank(&mut all);
        all
    }

    #[test]
    fn the_restless_come_first_and_of_those_the_undecided() {
        assert_eq!(
            csv(&three(), "row"),
            "rank,row,crossings,score,probability,truth\n\
             1,9,2,0.2500,0.5622,1\n\
             2,\"a,b.png\",2,-0.5000,0.3775,1\n\
             3,7,0,-3.0000,0.0474,0\n"
        );
    }

    #[test]
    fn mistakes_are_counted_by_crossings() {
        assert_eq!(tally(&three()), [(2, 2, 1), (1, 0, 0), (0, 1, 0)]);
        assert_eq!(tally(&[]), []);
        // The second of three is the only mistake.
        let thirds = [0.0, 100.0 / 3.0, 200.0 / 3.0, 100.0];
        let curve = found(three().iter());
        assert_eq!(curve, thirds.into_iter().zip([0.0, 0.0, 100.0, 100.0]).collect::<Vec<_>>());
        assert_eq!(found(three()[2..].iter()), []);
    }
}
