//! How the scores of a fit were spread, in a few cells, and how far those of new rows are from it.

use crate::calibrate::probability;
use crate::{EvalError, Sample, held_out_in_turn};
use onesided_data::Shares;
use serde::{Deserialize, Serialize};

/// Into so many parts of about as many rows the scores of the population are cut,
const PARTS: usize = 10;
/// and into so many those of positives, which are few of them.
const PARTS_OF_POSITIVES: usize = 5;

/// What sums of shares may miss of a whole part by rounding: far less than a row of any table.
const ROUNDING: f64 = 1e-9;

/// Scores of some rows: how many are in each cell, their mean probability, and how many are predicted positive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreSample {
    /// Rows; of weighted ones as many as tell as much.
    pub rows: f64,
    /// How many are in each cell.
    pub cells: Vec<f64>,
    /// The mean of their probabilities.
    pub mean: f64,
    /// The variance of their probabilities.
    pub variance: f64,
    /// How many are predicted positive.
    pub decided: f64,
}

/// The scores of held-out rows of a fit, by models that had not met them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreReference {
    /// The upper ends of all cells but the last: logits, ascending.
    pub edges: Vec<f32>,
    /// Labeled positives.
    pub positive: ScoreSample,
    /// Unlabeled rows; of a model that learned from the truth, negatives.
    pub other: ScoreSample,
    /// The share of the former in a sample of the population: 0 where unlabeled rows are one.
    pub labeled: f64,
    /// How many folds the rows were held out in.
    pub folds: usize,
    /// Where the finished model was fitted on all rows afterwards, and so may be on another scale than those that scored them: its scores of
    /// rows that it has met, labeled positives and others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub met: Option<[ScoreSample; 2]>,
}

impl ScoreSample {
    fn of(sample: Sample, edges: &[f32], decide: &dyn Fn(f32) -> bool) -> Self {
        let weight = |at: usize| sample.weight(at);
        let (sum, squares) = (0..sample.scores.len())
            .fold((0.0, 0.0), |(sum, squares), at| (sum + weight(at), squares + weight(at) * weight(at)));
        // Kish's effective number: all of them where all weigh the same.
        let rows = if squares > 0.0 { sum * sum / squares } else { 0.0 };
        let mut cells = vec![0.0; edges.len() + 1];
        let mut decided = 0.0;
        for (at, &score) in sample.scores.iter().enumerate() {
            let rows = weight(at) * rows / sum;
            cells[edges.partition_point(|&edge| edge < score)] += rows;
            decided += if decide(score) { rows } else { 0.0 };
        }
        let q = |score: f32| probability(f64::from(score));
        let mean = if rows > 0.0 { sample.mean(q) } else { 0.0 };
        let variance = if rows > 0.0 { sample.mean(|score| (q(score) - mean).powi(2)) } else { 0.0 };
        Self { rows, cells, mean, variance, decided }
    }

    /// The share of rows in the first cells.
    fn up_to(&self, cells: usize) -> f64 {
        if self.rows > 0.0 { self.cells[..cells].iter().sum::<f64>() / self.rows } else { 0.0 }
    }

    /// Both of them as one sample.
    fn and(&self, other: &Self) -> Self {
        let rows = self.rows + other.rows;
        if rows == 0.0 {
            return self.clone();
        }
        let (p, q) = (self.rows / rows, other.rows / rows);
        let mean = p * self.mean + q * other.mean;
        let spread = |one: &Self| one.variance + (one.mean - mean).powi(2);
        Self {
            rows,
            cells: self.cells.iter().zip(&other.cells).map(|(a, b)| a + b).collect(),
            mean,
            variance: p * spread(self) + q * spread(other),
            decided: self.decided + other.decided,
        }
    }

    fn is_sound(&self, cells: usize) -> bool {
        let numbers = [self.rows, self.mean, self.variance, self.decided];
        let all = || numbers.iter().chain(&self.cells);
        self.cells.len() == cells && all().all(|x| x.is_finite() && *x >= 0.0)
    }
}

/// Scores of new rows, as [`ScoreReference`] counts them: added piece by piece.
#[derive(Clone, Debug, PartialEq)]
pub struct NewScores {
    /// Rows that are labeled positive.
    pub labeled: ScoreSample,
    /// All others.
    pub other: ScoreSample,
}

/// How far scores are from those of the fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MovedScores {
    /// The largest difference of the shares of rows up to a score.
    pub distance: f64,
    /// How likely that is if no share of rows up to a score differs by more than is allowed.
    pub p_value: f64,
    /// The probability at which the share of rows up to it is the furthest off,
    pub at: f64,
    /// the share of rows up to it before, and now.
    pub shares: Shares,
}

impl ScoreReference {
    /// From the logits of held-out positives and others. `labeled` is the share of the former in a sample of the population. `None`
    /// where one of the kinds has no scores, or a score is not finite.
    pub fn new(
        positive: Sample,
        other: Sample,
        labeled: f64,
        folds: usize,
        decide: &dyn Fn(f32) -> bool,
    ) -> Option<Self> {
        let finite =
            |sample: &Sample| !sample.scores.is_empty() && sample.scores.iter().all(|s| s.is_finite());
        if !finite(&positive) || !finite(&other) || !(0.0..=1.0).contains(&labeled) {
            return None;
        }
        let all = [(positive, labeled), (other, 1.0 - labeled)];
        let mut edges = quantiles(&all, PARTS);
        edges.extend(quantiles(&[(positive, 1.0)], PARTS_OF_POSITIVES));
        edges.sort_unstable_by(f32::total_cmp);
        edges.dedup();
        let of = |sample| ScoreSample::of(sample, &edges, decide);
        let (positive, other) = (of(positive), of(other));
        Some(Self { positive, other, edges, labeled, folds, met: None })
    }

    /// With scores of rows that the finished model has met, labeled positives and others.
    ///
    /// A model that had not met a row scores it as it will score new ones, but one that was trained on some folds alone may be on another
    /// scale than the finished model. The finished model is on its own scale, but has learned the row by heart, more or less. New
    /// rows are expected between the two.
    #[must_use]
    pub fn with_met(mut self, positive: Sample, other: Sample, decide: &dyn Fn(f32) -> bool) -> Self {
        let usable =
            |sample: &Sample| !sample.scores.is_empty() && sample.scores.iter().all(|s| s.is_finite());
        if usable(&positive) && usable(&other) {
            self.met = Some([positive, other].map(|sample| ScoreSample::of(sample, &self.edges, decide)));
        }
        self
    }

    /// Whether its parts fit together, as those of a file need not.
    pub fn is_sound(&self) -> bool {
        let cells = self.edges.len() + 1;
        let finite = self.edges.iter().all(|edge| edge.is_finite());
        let rising = self.edges.windows(2).all(|pair| pair[0] < pair[1]);
        let shares = (0.0..=1.0).contains(&self.labeled) && self.positive.rows > 0.0 && self.other.rows > 0.0;
        let met = self.met.iter().flatten().all(|sample| sample.is_sound(cells) && sample.rows > 0.0);
        finite && rising && shares && met && self.positive.is_sound(cells) && self.other.is_sound(cells)
    }

    /// Scores of new rows, of which some may be labeled.
    pub fn count(
        &self,
        labeled: &[f32],
        other: &[f32],
        decide: &dyn Fn(f32) -> bool,
    ) -> Result<NewScores, EvalError> {
        for (sample, scores) in [("labeled", labeled), ("new", other)] {
            if let Some(index) = scores.iter().position(|score| !score.is_finite()) {
                return Err(EvalError::NotFinite { sample, index, value: scores[index] });
            }
        }
        let of = |scores| ScoreSample::of(Sample { scores, weights: None }, &self.edges, decide);
        Ok(NewScores { labeled: of(labeled), other: of(other) })
    }

    /// How many rows tell as much as those that were held out in turn do.
    pub(super) fn telling(&self, rows: f64) -> f64 {
        rows / held_out_in_turn(self.folds).powi(2)
    }

    /// The sample that is so many parts of positives, and the others for the rest, with as many rows as tell a share as well: first as
    /// models say that had not met the rows, then as the finished model says that has, where it was fitted on all of them.
    pub(super) fn mixed(&self, part: f64) -> [ScoreSample; 2] {
        let unmet = self.mix(part, &self.positive, &self.other);
        let met = self.met.as_ref().map(|[positive, other]| self.mix(part, positive, other));
        [unmet.clone(), met.unwrap_or(unmet)]
    }

    fn mix(&self, part: f64, positive: &ScoreSample, other: &ScoreSample) -> ScoreSample {
        let [p, u] = [part, 1.0 - part];
        let (n, m) = (self.telling(self.positive.rows), self.telling(self.other.rows));
        let rows = 1.0 / (p * p / n + u * u / m);
        let of = |a: f64, b: f64| p * a / positive.rows + u * b / other.rows;
        let mean = p * positive.mean + u * other.mean;
        let spread = |one: &ScoreSample| one.variance + (one.mean - mean).powi(2);
        ScoreSample {
            rows,
            cells: positive
                .cells
                .iter()
                .zip(&other.cells)
                .map(|(&a, &b)| (rows * of(a, b)).max(0.0))
                .collect(),
            mean,
            variance: (p * spread(positive) + u * spread(other)).max(0.0),
            decided: (rows * of(positive.decided, other.decided)).max(0.0),
        }
    }

    /// The scores that a sample of the population had: of models that had not met the rows, and of the finished one.
    pub fn population(&self) -> [ScoreSample; 2] {
        self.mixed(self.labeled)
    }

    /// The new rows that are a sample of the population: with labeled ones where unlabeled rows alone were none.
    pub fn sample(&self, new: &NewScores) -> ScoreSample {
        if self.labeled > 0.0 { new.labeled.and(&new.other) } else { new.other.clone() }
    }

    /// How far a sample of new rows is from one of before, where a difference of shares up to `allowed` does not matter. Where there are
    /// two of before, a share between theirs is that of before.
    pub fn moved(&self, before: &[ScoreSample; 2], now: &ScoreSample, allowed: f64) -> MovedScores {
        let shares =
            |cells: usize| between([0, 1].map(|at| before[at].up_to(cells)), now.up_to(cells), before, now);
        let far = |shares: &Shares| (shares.p_value(allowed), -shares.difference().abs());
        let most = (1..=self.edges.len()).min_by(|&a, &b| {
            far(&shares(a)).partial_cmp(&far(&shares(b))).unwrap_or(std::cmp::Ordering::Equal)
        });
        let most = most.unwrap_or(0);
        MovedScores {
            distance: (1..=self.edges.len()).map(|at| shares(at).difference().abs()).fold(0.0, f64::max),
            p_value: (shares(most).p_value(allowed) * self.edges.len().max(1) as f64).min(1.0),
            at: self.edges.get(most.saturating_sub(1)).map_or(0.5, |&edge| probability(f64::from(edge))),
            shares: shares(most),
        }
    }

    /// [`moved`](Self::moved) for labeled positives: those of the fit and new ones.
    pub fn moved_labeled(&self, new: &NewScores, allowed: f64) -> MovedScores {
        self.moved(&self.mixed(1.0), &new.labeled, allowed)
    }

    /// Each edge as a probability, with the share of rows up to it in three samples.
    pub fn curve(&self, samples: [&ScoreSample; 3]) -> Vec<[f64; 4]> {
        let at = |(at, &edge): (usize, &f32)| {
            let [a, b, c] = samples.map(|sample| sample.up_to(at + 1));
            [probability(f64::from(edge)), a, b, c]
        };
        self.edges.iter().enumerate().map(at).collect()
    }

    /// How often rows are predicted positive, before and now.
    pub fn decisions(&self, new: &ScoreSample) -> Shares {
        let before = self.population();
        let of = |sample: &ScoreSample| if sample.rows > 0.0 { sample.decided / sample.rows } else { 0.0 };
        between([of(&before[0]), of(&before[1])], of(new), &before, new)
    }
}

/// A share of now, next to the nearest one between two of before.
fn between([a, b]: [f64; 2], now: f64, before: &[ScoreSample; 2], new: &ScoreSample) -> Shares {
    let (of_before, of_now) = (before[0].rows, new.rows);
    Shares { before: now.clamp(a.min(b), a.max(b)) * of_before, of_before, now: now * of_now, of_now }
}

/// Scores that cut samples, each with the part that it is of all, into parts of about as many rows.
fn quantiles(samples: &[(Sample, f64)], parts: usize) -> Vec<f32> {
    let mut scores: Vec<(f32, f64)> = Vec::new();
    for (sample, part) in samples.iter().filter(|(_, part)| *part > 0.0) {
        let sum: f64 = (0..sample.scores.len()).map(|at| sample.weight(at)).sum();
        let of = |(at, &score): (usize, &f32)| (score, part * sample.weight(at) / sum);
        scores.extend(sample.scores.iter().enumerate().map(of));
    }
    scores.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let (mut cut, mut sum) = (Vec::new(), 0.0);
    for (score, weight) in scores {
        sum += weight;
        if cut.len() + 1 < parts && sum * parts as f64 >= (cut.len() + 1) as f64 - ROUNDING {
            cut.push(score);
        }
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(scores: &[f32]) -> Sample<'_> {
        Sample { scores, weights: None }
    }

    /// Others at 0, 1, …, 99 and positives at 50, 51, …, 99, in quarters of a logit around 0.
    fn reference(labeled: f64, folds: usize) -> ScoreReference {
        let at = |i: u16| (f32::from(i) - 50.0) / 4.0;
        let (positive, other): (Vec<f32>, Vec<f32>) =
            ((50..100).map(at).collect(), (0..100).map(at).collect());
        ScoreReference::new(plain(&positive), plain(&other), labeled, folds, &|score| score >= 0.0).unwrap()
    }

    #[test]
    fn cells_hold_the_scores_they_were_cut_by() {
        let reference = reference(0.0, 1);
        assert!(reference.is_sound());
        // 9 cuts of the others, the 10th, 20th, … of them, and 4 of the positives, which are the same as four of those.
        assert_eq!(reference.edges.len(), 13 - 4);
        assert_eq!(reference.other.cells, [10.0; 10]);
        assert_eq!(reference.positive.cells, [0.0, 0.0, 0.0, 0.0, 0.0, 10.0, 10.0, 10.0, 10.0, 10.0]);
        assert_eq!((reference.other.decided, reference.positive.decided), (50.0, 50.0));
        // A sample of which a third is positives: 1/(1/9/50 + 4/9/100) rows.
        let [mixed, _] = reference.mixed(1.0 / 3.0);
        assert!(
            (mixed.rows - 150.0).abs() < 1e-9
                && (mixed.decided - 150.0 * (1.0 / 3.0 + 1.0 / 3.0)).abs() < 1e-9
        );
        assert!((mixed.cells.iter().sum::<f64>() - 150.0).abs() < 1e-9);
    }

    #[test]
    fn the_same_scores_have_not_moved_and_others_have() {
        let reference = reference(0.0, 1);
        let scores: Vec<f32> = (0..100).map(|i| (i as f32 - 50.0) / 4.0).collect();
        let of = |scores: &[f32]| reference.count(&[], scores, &|score| score >= 0.0).unwrap();
        let same = reference.moved(&reference.population(), &reference.sample(&of(&scores)), 0.0);
        assert_eq!((same.distance, same.p_value), (0.0, 1.0));
        let higher: Vec<f32> = scores.iter().map(|score| score + 10.0).collect();
        let moved = reference.moved(&reference.population(), &reference.sample(&of(&higher)), 0.05);
        // Of 40 rows fewer are in the lowest four cells, and as many more above.
        assert!((moved.distance - 0.4).abs() < 1e-9 && moved.p_value < 1e-6, "{moved:?}");
        assert!((moved.shares.difference() + 0.4).abs() < 1e-9);
        let decided = reference.decisions(&reference.sample(&of(&higher)));
        assert!((decided.share_before() - 0.5).abs() < 1e-9 && (decided.share_now() - 0.9).abs() < 1e-9);
        assert!(reference.count(&[], &[f32::NAN], &|_| true).is_err());
    }

    #[test]
    fn rows_held_out_in_turn_tell_less() {
        // For five folds intervals are 1.5 times as wide, so the rows are worth 1/2.25 of their number.
        let ([once, _], [in_turn, _]) = (reference(0.0, 1).population(), reference(0.0, 5).population());
        assert!((once.rows / in_turn.rows - 2.25).abs() < 1e-9);
        assert!((in_turn.up_to(3) - once.up_to(3)).abs() < 1e-12);
    }

    #[test]
    fn scores_between_those_of_rows_that_were_met_and_of_rows_that_were_not_have_not_moved() {
        let scores = |by: f32| -> Vec<f32> { (0..100).map(|i| (i as f32 - 50.0) / 4.0 + by).collect() };
        let once = reference(0.0, 5);
        let met = once.clone().with_met(plain(&scores(4.0)), plain(&scores(4.0)), &|score| score >= 0.0);
        assert!(met.is_sound());
        let p_value = |reference: &ScoreReference, by: f32| {
            let new = reference.sample(&reference.count(&[], &scores(by), &|score| score >= 0.0).unwrap());
            (
                reference.moved(&reference.population(), &new, 0.0).p_value,
                reference.decisions(&new).p_value(0.0),
            )
        };
        assert_eq!(p_value(&met, 0.0), (1.0, 1.0));
        assert_eq!(p_value(&met, 2.0), (1.0, 1.0));
        assert_eq!(p_value(&met, 4.0), (1.0, 1.0));
        assert!(p_value(&once, 4.0).1 < 0.1 && p_value(&met, 10.0).1 < 0.01 && p_value(&met, -8.0).1 < 0.01);
    }

    #[test]
    fn what_does_not_fit_together_is_no_reference() {
        let nothing = ScoreReference::new(plain(&[]), plain(&[1.0]), 0.0, 1, &|_| true);
        assert_eq!(nothing, None);
        assert_eq!(ScoreReference::new(plain(&[f32::NAN]), plain(&[1.0]), 0.0, 1, &|_| true), None);
        let sound = reference(0.2, 1);
        for broken in [
            ScoreReference { edges: vec![1.0, 1.0], ..sound.clone() },
            ScoreReference { labeled: 1.5, ..sound.clone() },
            ScoreReference { positive: ScoreSample::default(), ..sound.clone() },
        ] {
            assert!(!broken.is_sound());
        }
    }
}
