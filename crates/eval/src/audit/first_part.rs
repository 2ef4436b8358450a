//! The longest first part of a list whose precision is at least 1 - α, by the answers of an audit.
//!
//! Of a first part with N rows n were answered, of which c are not positive, at rates r_h by stratum. If more than αN of its rows were not
//! positive, the answers would be expected to show r αN of them at least, with r the lowest rate. Their number is a sum of hypergeometric
//! variables, so of independent yes-or-no ones, and such a sum with mean μ is at most c with a chance of at most that of a binomial one with the
//! same mean, P(Bin(n, μ/n) ≤ c), for c ≤ μ - 1 (Hoeffding, Annals of Mathematical Statistics 1956). So
//!
//! ```text
//! p = P(Bin(n, r αN / n) ≤ c)
//! ```
//!
//! is exact for any answers, however the model scores; a census of a part, c ≤ αN with every row answered, needs none. First parts end where strata
//! do: inside a stratum nothing is known of the order of its answers, and the worst order only makes a shorter part worse.
//!
//! All lengths hold at once with confidence 1 - δ: δ is dealt in equal parts to the first parts that could pass if every answer were yes, which the
//! draw alone decides, and a part that passes hands its level on to the next longer one (the fallback procedure of Wiens, 2003). Rows without an answer
//! count as not positive.

use super::estimate::Stratum;
use crate::beta::beta_cdf;
use crate::error::EvalError;
use onesided_data::{counted, grouped};
use serde::Serialize;
use std::fmt;

/// How far more answers are looked for: this many times those that there are.
const MOST_MORE: f64 = 64.0;

/// A first part of a list with at least this share of positives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FirstPartTarget {
    precision: f64,
    confidence: f64,
}

/// A first part of a list, and what its answers say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FirstPart {
    /// How many rows.
    pub rows: usize,
    /// How many of them were answered.
    pub answered: usize,
    /// How many of these are not positive, unanswered ones among them.
    pub negative: usize,
    /// The chance of so few if its precision were lower than asked for, at most.
    pub p_value: f64,
}

/// What the answers allow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FirstParts {
    /// What was asked for.
    #[serde(flatten)]
    pub target: FirstPartTarget,
    /// The longest that has the precision; `None` where none has.
    pub longest: Option<FirstPart>,
    /// The next longer one, and how many more answers from its rows it may take.
    pub next: Option<MoreAnswers>,
}

/// More answers that a longer first part takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MoreAnswers {
    /// Rows to ask among: the first of the list.
    pub rows: usize,
    /// About how many more of them to ask, if as many are positive as of those that were.
    pub answers: usize,
    /// About how many rows to draw from the whole list for that, at the rates of the draw and with its cuts.
    pub draw: usize,
}

impl FirstPartTarget {
    /// A precision and the confidence that all that is said holds at once, both strictly between 0 and 1.
    pub fn new(precision: f64, confidence: f64) -> Result<Self, EvalError> {
        for (what, value) in [("precision", precision), ("confidence", confidence)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(EvalError::OutsideUnit { what, value });
            }
        }
        Ok(Self { precision, confidence })
    }

    /// The share of positives.
    pub fn precision(&self) -> f64 {
        self.precision
    }

    /// The confidence.
    pub fn confidence(&self) -> f64 {
        self.confidence
    }

    /// The longest first part that strata, in the order of the list, show to have it. Rows that were drawn and not answered are to be counted as
    /// answered and not positive.
    pub fn first_parts(&self, strata: &[Stratum]) -> FirstParts {
        let parts: Vec<Prefix> = (1..=strata.len()).map(|end| Prefix::of(&strata[..end])).collect();
        let could = |part: &Prefix| part.p_value(self.precision, 0.0, 1.0) <= 1.0 - self.confidence;
        let candidates: Vec<&Prefix> = parts.iter().filter(|part| could(part)).collect();
        let each = (1.0 - self.confidence) / candidates.len().max(1) as f64;
        let (mut level, mut longest) = (0.0, None);
        for part in &candidates {
            level += each;
            let p_value = part.p_value(self.precision, part.negative, 1.0);
            if p_value <= level {
                longest = Some(part.said(p_value));
            } else {
                level = 0.0;
            }
        }
        // With one level: what a next audit could show is not known better.
        let longer =
            parts.iter().filter(|part| longest.is_none_or(|longest: FirstPart| part.rows > longest.rows));
        let next = longer.filter_map(|part| Some((part, part.more(self.precision, each)?)));
        let next = next.min_by_key(|(_, answers)| *answers);
        // Rows that were asked already may be drawn again.
        let all: f64 = strata.iter().map(|stratum| stratum.answered).sum();
        let draw = |part: &Prefix, answers: usize| {
            let new = part.answered / all * (1.0 - part.answered / part.rows as f64);
            (answers as f64 / new).ceil() as usize
        };
        let next =
            next.map(|(part, answers)| MoreAnswers { rows: part.rows, answers, draw: draw(part, answers) });
        FirstParts { target: *self, longest, next }
    }
}

impl fmt::Display for FirstParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FirstPartTarget { precision, confidence } = self.target;
        match self.longest {
            Some(FirstPart { rows, answered, negative, .. }) => write!(
                f,
                "at least {precision} of the first {} are positive, with a confidence of {confidence} for all lengths at once ({} of {} \
                 no, or without an answer)",
                counted(rows, "rows"),
                grouped(negative),
                counted(answered, "answers"),
            ),
            None => write!(
                f,
                "no first part of the list is shown to have a precision of {precision}, with a confidence of {confidence}"
            ),
        }?;
        match self.next {
            Some(MoreAnswers { rows, answers, draw }) => write!(
                f,
                "\nabout {} more among the first {} may show it of these: draw about {} again, with the same cuts and another seed",
                counted(answers, "answers"),
                counted(rows, "rows"),
                counted(draw, "rows"),
            ),
            None => write!(f, "\nno longer part may have it, by these answers"),
        }
    }
}

/// The first strata together.
struct Prefix {
    rows: usize,
    answered: f64,
    negative: f64,
    /// The lowest rate of its strata.
    rate: f64,
}

impl Prefix {
    fn of(strata: &[Stratum]) -> Self {
        let rate = |stratum: &Stratum| stratum.answered / stratum.rows as f64;
        Self {
            rows: strata.iter().map(|stratum| stratum.rows).sum(),
            answered: strata.iter().map(|stratum| stratum.answered).sum(),
            negative: strata.iter().map(|stratum| stratum.answered - stratum.positive).sum(),
            rate: strata.iter().map(rate).fold(f64::INFINITY, f64::min),
        }
    }

    /// The chance of at most so many that are not positive if the precision is lower, with `times` as many answers.
    fn p_value(&self, precision: f64, negative: f64, times: f64) -> f64 {
        let few = (1.0 - precision) * self.rows as f64;
        let rate = (self.rate * times).min(1.0);
        if rate >= 1.0 {
            // Every row was answered.
            return if negative <= few + 1e-9 { 0.0 } else { 1.0 };
        }
        // The fewest that are too many.
        let mean = rate * ((few + 1e-9).floor() + 1.0);
        let answered = (self.answered * times).min(self.rows as f64).floor();
        let negative = (negative * times).ceil();
        if mean < negative + 1.0 || mean >= answered {
            return 1.0;
        }
        // P(Bin(n, q) ≤ c) = I_{1 - q}(n - c, c + 1).
        beta_cdf(answered - negative, negative + 1.0, 1.0 - mean / answered)
    }

    fn said(&self, p_value: f64) -> FirstPart {
        let (answered, negative) = (self.answered.round() as usize, self.negative.round() as usize);
        FirstPart { rows: self.rows, answered, negative, p_value }
    }

    /// How many more answers it takes at the same share of positives; `None` where that share, or the number of rows, is too small.
    fn more(&self, precision: f64, level: f64) -> Option<usize> {
        let enough = |times: f64| self.p_value(precision, self.negative, times) <= level;
        let most = MOST_MORE.min(1.0 / self.rate);
        if self.rate <= 0.0 || !enough(most) {
            return None;
        }
        let (mut few, mut many) = (1.0, most);
        while (many - few) * self.answered > 0.5 {
            let middle = f64::midpoint(few, many);
            if enough(middle) { many = middle } else { few = middle }
        }
        Some((((many - 1.0) * self.answered).ceil() as usize).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::Plan;
    use onesided_data::Stream;

    fn stratum(rows: usize, answered: f64, positive: f64) -> Stratum {
        Stratum { rows, answered, positive }
    }

    fn target() -> FirstPartTarget {
        FirstPartTarget::new(0.9, 0.95).unwrap()
    }

    #[test]
    fn one_stratum_by_the_binomial_law() {
        // 100 of 1,000 answered, all yes: 101 rows would be too many, of which 10.1 are expected: (1 - .101)^100.
        let found = target().first_parts(&[stratum(1000, 100.0, 100.0)]);
        let part = found.longest.unwrap();
        assert!((part.p_value - 0.899f64.powi(100)).abs() < 1e-12, "{part:?}");
        assert_eq!((part.rows, part.answered, part.negative, found.next), (1000, 100, 0, None));
        // P(Bin(100, .101) ≤ 4) = .0221, P(≤ 5) = .0541, by scipy.stats.binom.
        for (no, held) in [(4.0, true), (5.0, false)] {
            let found = target().first_parts(&[stratum(1000, 100.0, 100.0 - no)]);
            assert_eq!(found.longest.is_some(), held, "{no}");
            assert_eq!(found.next.is_some(), !held, "{no}");
        }
        let p = |no: f64| Prefix::of(&[stratum(1000, 100.0, 100.0 - no)]).p_value(0.9, no, 1.0);
        assert!(
            (p(4.0) - 0.022_072_24).abs() < 1e-8 && (p(5.0) - 0.054_098_08).abs() < 1e-8,
            "{} {}",
            p(4.0),
            p(5.0)
        );
    }

    #[test]
    fn a_census_needs_no_chance_and_the_lowest_rate_decides() {
        let part = |negative: f64| target().first_parts(&[stratum(50, 50.0, 50.0 - negative)]).longest;
        assert!(part(5.0).is_some_and(|part| part.p_value == 0.0) && part(6.0).is_none());
        // Twice the rate in one half does not count: 40 + 20 of 400 answered, as if 40 of 400 were, of which 4.1 are too many.
        let both = [stratum(200, 40.0, 40.0), stratum(200, 20.0, 20.0)];
        let p = Prefix::of(&both).p_value(0.9, 0.0, 1.0);
        assert!((p - (1.0f64 - 4.1 / 60.0).powi(60)).abs() < 1e-12, "{p}");
    }

    #[test]
    fn more_answers_are_told_where_some_would_do() {
        // 40 answers, 2 of them no: a precision of .95 may be, and 40 do not show .9.
        let found = target().first_parts(&[stratum(10_000, 40.0, 38.0)]);
        let next = found.next.unwrap();
        assert!(found.longest.is_none() && next.rows == 10_000, "{found:?}");
        let times = 1.0 + next.answers as f64 / 40.0;
        let prefix = Prefix::of(&[stratum(10_000, 40.0, 38.0)]);
        assert!(prefix.p_value(0.9, 2.0, times) <= 0.05 && prefix.p_value(0.9, 2.0, times * 0.8) > 0.05);
        // A quarter of no will never do.
        assert_eq!(target().first_parts(&[stratum(10_000, 40.0, 30.0)]).next, None);
    }

    #[test]
    fn all_lengths_hold_at_once() {
        // A list whose precision falls through .9 in its middle: what is said is wrong in 5 % of the audits at most.
        let rows = 4000;
        let probabilities: Vec<f32> = (0..rows).map(|row| 1.0 - 0.3 * row as f32 / rows as f32).collect();
        let (mut wrong, mut said, mut length) = (0, 0, 0);
        for seed in 0..2000 {
            let mut stream = Stream::new(seed, "first parts");
            let truth: Vec<bool> = probabilities.iter().map(|&q| stream.uniform() < f64::from(q)).collect();
            let plan = Plan::new(&probabilities, &[], &[1000, 2000], 800).unwrap();
            let mut strata: Vec<Stratum> =
                plan.strata.iter().map(|range| stratum(range.rows(), range.drawn as f64, 0.0)).collect();
            plan.draw(seed)
                .iter()
                .filter(|row| truth[row.place])
                .for_each(|row| strata[row.stratum].positive += 1.0);
            let Some(part) = target().first_parts(&strata).longest else { continue };
            let precise = truth[..part.rows].iter().filter(|&&positive| positive).count() as f64;
            said += 1;
            length += part.rows;
            wrong += usize::from(precise < 0.9 * part.rows as f64);
        }
        assert!(wrong <= 100 && said > 1000 && length / said > 500, "{wrong} {said} {length}");
    }

    #[test]
    fn what_is_no_share_is_refused() {
        for wrong in [0.0, 1.0, f64::NAN] {
            assert!(FirstPartTarget::new(wrong, 0.95).is_err() && FirstPartTarget::new(0.9, wrong).is_err());
        }
    }
}
