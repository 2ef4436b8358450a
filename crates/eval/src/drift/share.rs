//! How the share of positives moved, from the mean probability of new rows.
//!
//! With f_P the law of the scores of positives and f_U that of unlabeled rows, of which μ are positive, rows of which π are positive have
//!
//! ```text
//! f = a f_P + (1 - a) f_U,  1 - π = (1 - a)(1 - μ),
//! ```
//!
//! if positives and negatives look as before and only their shares moved (label shift). The mean m of any number is then
//! a m_P + (1 - a) m_U. That of the probability tells nearly as much as all of f, since the posterior is the score function of a
//! (A. Bella et al., "Quantification via probability estimators", ICDM 2010; M. Saerens et al., Neural Computation 14, 2002).
//! The interval of a are the values that (m - a m_P - (1 - a) m_U)² ≤ z² times its variance does not refute, all three
//! means being uncertain (E. C. Fieller, JRSS B 16, 1954). It needs no μ: how far the share of negatives, 1 - π, has moved,
//! (1 - a) / (1 - a₀), is known even where the share itself is a guess.

use super::reference::{ScoreReference, ScoreSample};
use crate::Interval;
use onesided_data::chance_beyond;
use serde::Serialize;

/// The normal quantile of 95 %.
const NORMAL: f64 = 1.959_964;
/// Odds of being positive that moved by a smaller factor are the same: no decision moves by much.
const SAME_ODDS: f64 = 1.2;
/// Where no share is known: the change of a that is the same.
const SAME_PART: f64 = 0.02;

/// The shares that the model was fitted with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShareBefore {
    /// π, of the population.
    pub population: f64,
    /// μ, of the other rows of the fit, and between which shares it lies.
    pub other: Interval,
}

/// The share of positives before and now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PositiveShare {
    /// Of the population, as the model has it. `None` where it has none.
    pub before: Option<f64>,
    /// Of the new rows, with an interval of 95 % that knows the uncertainty of the model's own share.
    pub now: Option<Interval>,
    /// How many negatives there are for each one before: 1 where the share is the same.
    pub negatives: Interval,
    /// How likely means so far apart are if the odds of being positive moved by less than a fifth.
    pub p_value: f64,
}

impl PositiveShare {
    /// Whether there are more positives than before.
    fn is_more(&self) -> bool {
        self.negatives.value < 1.0
    }
}

impl ScoreReference {
    /// How the share of positives moved. `None` where scores do not tell positives and the others apart. With scores of rows that the
    /// finished model has met, the interval holds what follows from them, too.
    pub fn positive_share(&self, new: &ScoreSample, before: Option<ShareBefore>) -> Option<PositiveShare> {
        let unmet = self.share_from([&self.positive, &self.other], new, before)?;
        let met =
            self.met.as_ref().and_then(|[positive, other]| self.share_from([positive, other], new, before));
        let Some(met) = met else { return Some(unmet) };
        let wide =
            |a: Interval, b: Interval| Interval { low: a.low.min(b.low), high: a.high.max(b.high), ..a };
        Some(PositiveShare {
            now: unmet.now.zip(met.now).map(|(a, b)| wide(a, b)),
            negatives: wide(unmet.negatives, met.negatives),
            p_value: if unmet.is_more() == met.is_more() { unmet.p_value.max(met.p_value) } else { 1.0 },
            ..unmet
        })
    }

    fn share_from(
        &self,
        [positive, other]: [&ScoreSample; 2],
        new: &ScoreSample,
        before: Option<ShareBefore>,
    ) -> Option<PositiveShare> {
        let (m_p, m_u) = (positive.mean, other.mean);
        // However many rows were met, no more of them were held out.
        let of = |sample: &ScoreSample, rows: f64| sample.variance / self.telling(rows);
        let (v_p, v_u) = (of(positive, self.positive.rows), of(other, self.other.rows));
        let v_n = new.variance / new.rows;
        let (apart, gap) = (m_p - m_u, new.mean - m_u);
        // The roots of (gap - a apart)² = z² (v_n + a² v_p + (1 - a)² v_u).
        let z = NORMAL * NORMAL;
        let (two, one, none) =
            (apart * apart - z * (v_p + v_u), gap * apart - z * v_u, gap * gap - z * (v_n + v_u));
        if !(apart > 0.0 && two > 0.0 && new.rows > 0.0) {
            return None;
        }
        let root = (one * one - two * none).max(0.0).sqrt();
        let [value, low, high] = [gap / apart, (one - root) / two, (one + root) / two];
        // A share lies between 0 and 1.
        let least =
            before.map_or(f64::NEG_INFINITY, |share| -share.other.high / (1.0 - share.other.high).max(1e-9));
        let [value, low, high] = [value, low, high].map(|a| a.clamp(least, 1.0));
        let a0 = self.labeled;
        let negatives = |a: f64| (1.0 - a) / (1.0 - a0);
        let now = before.map(|share| {
            let at = |a: f64, mu: f64| (1.0 - (1.0 - a) * (1.0 - mu)).clamp(0.0, 1.0);
            let other = share.other;
            Interval { value: at(value, other.value), low: at(low, other.low), high: at(high, other.high) }
        });
        // The nearest a that is as good as the former one.
        let nearest = match before {
            Some(share) => {
                let odds = share.population / (1.0 - share.population);
                let [down, up] = [odds / SAME_ODDS, odds * SAME_ODDS].map(|odds| odds / (1.0 + odds));
                let part = |share_then: f64| 1.0 - (1.0 - a0) * (1.0 - share_then) / (1.0 - share.population);
                (gap / apart).clamp(part(down), part(up))
            }
            None => (gap / apart).clamp(a0 - SAME_PART, a0 + SAME_PART),
        };
        let variance = v_n + nearest * nearest * v_p + (1.0 - nearest) * (1.0 - nearest) * v_u;
        let off = gap - nearest * apart;
        let p_value = if off.abs() <= 1e-12 { 1.0 } else { chance_beyond(off / variance.sqrt()) };
        let negatives = Interval { value: negatives(value), low: negatives(high), high: negatives(low) };
        Some(PositiveShare { before: before.map(|share| share.population), now, negatives, p_value })
    }

    /// The scores that new rows would have if only their share of positives had moved, to this; as [`population`](Self::population).
    pub fn at_share(&self, share: &PositiveShare) -> [ScoreSample; 2] {
        self.mixed(1.0 - share.negatives.value * (1.0 - self.labeled))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sample;

    /// Scores of which a part is -1 and the others are 1, so that probabilities are 1/(1+e) and e/(1+e).
    fn scores(low: usize, high: usize) -> Vec<f32> {
        [vec![-1.0; low], vec![1.0; high]].concat()
    }

    fn reference(positive: &[f32], other: &[f32], labeled: f64) -> ScoreReference {
        let plain = |scores| Sample { scores, weights: None };
        ScoreReference::new(plain(positive), plain(other), labeled, 1, &|score| score > 0.0).unwrap()
    }

    fn before(share: f64) -> ShareBefore {
        ShareBefore { population: share, other: Interval { value: share, low: share, high: share } }
    }

    #[test]
    fn the_share_follows_from_the_means() {
        // Of positives 90 % are high and of negatives 10 %; of the others, of which 20 % are positive, 26 %.
        let reference = reference(&scores(100, 900), &scores(740, 260), 0.0);
        let new = |high: usize| {
            let all = reference.count(&[], &scores(1_000 - high, high), &|score| score > 0.0).unwrap();
            reference.sample(&all)
        };
        let same = reference.positive_share(&new(260), Some(before(0.2))).unwrap();
        assert!((same.now.unwrap().value - 0.2).abs() < 1e-9 && same.p_value == 1.0, "{same:?}");
        assert!((same.negatives.value - 1.0).abs() < 1e-9);
        // 42 % are high where 40 % are positive.
        let twice = reference.positive_share(&new(420), Some(before(0.2))).unwrap();
        let now = twice.now.unwrap();
        assert!((now.value - 0.4).abs() < 1e-9 && now.low > 0.3 && now.high < 0.5, "{now:?}");
        assert!((twice.negatives.value - 0.75).abs() < 1e-9 && twice.p_value < 1e-6);
        // That is also what the scores look like then.
        let [at, _] = reference.at_share(&twice);
        assert!((at.decided / at.rows - 0.42).abs() < 1e-9);
        // What it was fitted with is uncertain, and so is what it is now.
        let unsure = ShareBefore { population: 0.2, other: Interval { value: 0.2, low: 0.1, high: 0.3 } };
        let wide = reference.positive_share(&new(420), Some(unsure)).unwrap();
        assert!(wide.now.unwrap().low < now.low - 0.05 && wide.now.unwrap().high > now.high + 0.05);
        assert_eq!(wide.negatives, twice.negatives);
        // Without a share the change is told.
        let unknown = reference.positive_share(&new(420), None).unwrap();
        assert!(unknown.now.is_none() && (unknown.negatives.value - 0.75).abs() < 1e-9);
    }

    #[test]
    fn odds_that_moved_by_less_than_a_fifth_are_the_same_however_many_rows_say_so() {
        let reference = reference(&scores(100_000, 900_000), &scores(740_000, 260_000), 0.0);
        let moved = |high: usize| {
            let all = reference.count(&[], &scores(1_000_000 - high, high), &|_| true).unwrap();
            reference.positive_share(&reference.sample(&all), Some(before(0.2))).unwrap().p_value
        };
        // .25 × 1.2 and × 1.25 are the odds of .2308 and .2381, at which 28.46 % and 29.05 % are high.
        assert_eq!(moved(284_000), 1.0);
        assert!(moved(290_500) < 1e-3);
    }

    #[test]
    fn scores_that_tell_nothing_apart_tell_no_share() {
        let alike = reference(&scores(50, 50), &scores(500, 500), 0.0);
        let all = alike.count(&[], &scores(50, 50), &|_| true).unwrap();
        assert_eq!(alike.positive_share(&alike.sample(&all), Some(before(0.2))), None);
        let inverted = reference(&scores(90, 10), &scores(500, 500), 0.0);
        assert_eq!(inverted.positive_share(&inverted.sample(&all), None), None);
    }
}
