//! Are the labels a random sample of the positives? What positives that a person found among the unlabeled rows say of it.
//!
//! If labels are random, labeled positives and hidden ones are drawn from one law. The answered positives are hidden ones, but not all
//! alike likely to be asked about: a row of stratum h was answered with the rate p_h. So, of all positives that are known, labeled and
//! answered, which are the answered ones is a draw with odds p_h, given their number (Fisher's noncentral hypergeometric law by strata,
//! and any of a stratum alike). That law is drawn, with no model and no share in it, and it holds whatever the scores are worth.
//!
//! The statistic of the scores, and of each column: the mean rank of the labeled positives less that of the answered ones, these weighted
//! by 1 / p_h, in units of its deviation over the draws. The p of each is that of the largest of all (Westfall and Young, 1993).

use crate::beta::ln_gamma;
use crate::labeling_test::{LABELING_LEVEL, shown};
use onesided_data::{Stream, counted};
use serde::{Deserialize, Serialize};
use std::fmt;

/// With fewer of either kind there is nothing to compare.
const FEWEST: usize = 5;
/// Draws from the law under random labels; p is a multiple of 1 / (draws + 1).
const DRAWS: usize = 1_999;
/// No more columns are looked at, as in the test by labels alone.
const MOST_COLUMNS: usize = 200;

/// Positives that are known, each with the number of its stratum, from the top of the ranked list.
#[derive(Clone, Copy, Debug)]
pub struct PositivesKnown<'a> {
    /// Whether it was answered; else it was labeled before.
    pub answered: &'a [bool],
    /// Where it is in the list, or would be.
    pub strata: &'a [usize],
    /// The share of each stratum's rows that was answered.
    pub rates: &'a [f64],
    /// The seed of the draws.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelsByAnswers {
    /// How often random labels would differ from the answered positives as much or more, in scores or in some column.
    pub p: f64,
    /// The same of scores alone.
    pub p_of_scores: f64,
    /// How often a labeled positive ranks above a hidden one, ties counting half: .5 if labels are random.
    pub above: f64,
    /// Labeled positives.
    pub labeled: usize,
    /// Answered ones.
    pub answered: usize,
    /// Columns in which the two differ, corrected for their number, the oddest first.
    pub columns: Vec<ColumnApart>,
    /// How many columns were looked at.
    pub columns_tested: usize,
}

/// A column in which labeled positives differ from answered ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnApart {
    /// Its name.
    pub column: String,
    /// p, corrected for the number of columns.
    pub p: f64,
    /// How often a labeled positive has more of it than a hidden one, ties counting half.
    pub above: f64,
}

impl LabelsByAnswers {
    /// Whether random labels are refuted.
    pub fn refutes(&self) -> bool {
        self.p < LABELING_LEVEL
    }
}

impl fmt::Display for LabelsByAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.above;
        let by = format!(
            "{} and {}",
            counted(self.answered, "answered positives"),
            counted(self.labeled, "labeled ones")
        );
        if !self.refutes() {
            return write!(
                f,
                "by the answers, labels may be a random sample of the positives: a labeled one ranks above a hidden one in {percent:.0} % \
                 of pairs ({}, {by})",
                shown(self.p)
            );
        }
        write!(f, "the answers show that labels are not a random sample of the positives: ")?;
        match self.columns.first().filter(|_| self.p_of_scores >= LABELING_LEVEL) {
            Some(ColumnApart { column, above, p }) => write!(
                f,
                "a labeled one has {} '{column}' than a hidden one in {:.0} % of pairs ({}, corrected for {} columns, {by})",
                if *above > 0.5 { "more" } else { "less" },
                100.0 * above.max(1.0 - above),
                shown(*p),
                self.columns_tested
            )?,
            None => {
                write!(
                    f,
                    "a labeled one ranks above a hidden one in {percent:.0} % of pairs ({}, {by})",
                    shown(self.p)
                )?;
                let of = |apart: &ColumnApart| {
                    let side = if apart.above > 0.5 { "high" } else { "low" };
                    format!("{side} '{}'", apart.column)
                };
                let columns: Vec<String> = self.columns.iter().take(3).map(of).collect();
                if !columns.is_empty() {
                    write!(f, "; labeled ones are those with {}", columns.join(", "))?;
                }
            }
        }
        Ok(())
    }
}

/// Compares labeled positives with answered ones, in scores (by strata) and in columns, `value(column, positive)`. `None` where there are
/// too few of either.
pub fn labels_by_answers(
    known: PositivesKnown,
    columns: &[String],
    value: impl Fn(usize, usize) -> f32,
) -> Option<LabelsByAnswers> {
    let PositivesKnown { answered, strata, rates, seed } = known;
    let all = answered.len();
    let number = answered.iter().filter(|&&answered| answered).count();
    if number < FEWEST || all - number < FEWEST {
        return None;
    }
    let columns = &columns[..columns.len().min(MOST_COLUMNS)];
    let mut ranks = vec![ranks_of(&strata.iter().map(|&at| -(at as f32)).collect::<Vec<f32>>())];
    ranks.extend(
        (0..columns.len())
            .map(|column| ranks_of(&(0..all).map(|positive| value(column, positive)).collect::<Vec<f32>>())),
    );
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); rates.len()];
    strata.iter().enumerate().for_each(|(positive, &at)| members[at].push(positive));
    let law = DrawLaw::new(&members, rates, number)?;
    let weight = |positive: usize| 1.0 / rates[strata[positive]];
    let sums: Vec<f64> = ranks.iter().map(|ranks| ranks.iter().sum()).collect();
    let statistics = |chosen: &[usize]| -> Vec<f64> {
        let weights: f64 = chosen.iter().map(|&positive| weight(positive)).sum();
        let of = |(ranks, sum): (&Vec<f64>, &f64)| {
            let plain: f64 = chosen.iter().map(|&positive| ranks[positive]).sum();
            let weighted: f64 = chosen.iter().map(|&positive| weight(positive) * ranks[positive]).sum();
            (sum - plain) / (all - number) as f64 - weighted / weights
        };
        ranks.iter().zip(&sums).map(of).collect()
    };
    let chosen: Vec<usize> = (0..all).filter(|&positive| answered[positive]).collect();
    let observed = statistics(&chosen);
    let mut stream = Stream::new(seed, "labels-by-answers");
    let drawn: Vec<Vec<f64>> = (0..DRAWS).map(|_| statistics(&law.draw(&mut members, &mut stream))).collect();
    let spread: Vec<(f64, f64)> = (0..ranks.len())
        .map(|at| {
            let mean = drawn.iter().map(|of| of[at]).sum::<f64>() / DRAWS as f64;
            let variance = drawn.iter().map(|of| (of[at] - mean).powi(2)).sum::<f64>() / DRAWS as f64;
            (mean, variance.sqrt())
        })
        .collect();
    let odd = |of: &[f64], at: usize| {
        let (mean, deviation) = spread[at];
        if deviation > 1e-12 { (of[at] - mean).abs() / deviation } else { 0.0 }
    };
    let oddest = |of: &[f64]| (0..of.len()).map(|at| odd(of, at)).fold(0.0, f64::max);
    let of_draws: Vec<f64> = drawn.iter().map(|of| oddest(of)).collect();
    let p = |beyond: usize| (beyond + 1) as f64 / (DRAWS + 1) as f64;
    let p_of = |at: usize| p(of_draws.iter().filter(|&&of| of >= odd(&observed, at) - 1e-9).count());
    let beyond = drawn.iter().filter(|of| odd(of, 0) >= odd(&observed, 0) - 1e-9).count();
    let above = |ranks: &[f64]| share_above(ranks, answered, weight);
    let mut apart: Vec<(f64, ColumnApart)> = (0..columns.len())
        .map(|at| (odd(&observed, at + 1), at, p_of(at + 1)))
        .filter(|&(.., p)| p < LABELING_LEVEL)
        .map(|(odd, at, p)| {
            (odd, ColumnApart { column: columns[at].clone(), p, above: above(&ranks[at + 1]) })
        })
        .collect();
    apart.sort_by(|a, b| b.0.total_cmp(&a.0));
    Some(LabelsByAnswers {
        p: p(of_draws.iter().filter(|&&of| of >= oddest(&observed) - 1e-9).count()),
        p_of_scores: p(beyond),
        above: above(&ranks[0]),
        labeled: all - number,
        answered: number,
        columns: apart.into_iter().map(|(_, apart)| apart).collect(),
        columns_tested: columns.len(),
    })
}

/// The place of each value among all, from 0 to 1; equal values have one place.
fn ranks_of(values: &[f32]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let middle = first as f64 + 0.5 * equal.len() as f64;
        equal.iter().for_each(|&at| ranks[at] = middle / values.len() as f64);
        first += equal.len();
    }
    ranks
}

/// How often a labeled positive is above a hidden one, for which the answered ones stand with their weights.
fn share_above(ranks: &[f64], answered: &[bool], weight: impl Fn(usize) -> f64) -> f64 {
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    let (mut below, mut won, mut labeled) = (0.0, 0.0, 0.0);
    for equal in order.chunk_by(|&a, &b| ranks[a] == ranks[b]) {
        let hidden: f64 = equal.iter().filter(|&&at| answered[at]).map(|&at| weight(at)).sum();
        let here = equal.iter().filter(|&&at| !answered[at]).count() as f64;
        won += here * (below + 0.5 * hidden);
        below += hidden;
        labeled += here;
    }
    won / (labeled * below)
}

/// How many of each stratum's positives are the answered ones, given how many there are of all: a draw with odds by stratum.
struct DrawLaw {
    number: usize,
    /// For each stratum the logs of C(n, j) p^j, and of what all strata from it on weigh together with j answered ones.
    own: Vec<Vec<f64>>,
    rest: Vec<Vec<f64>>,
}

impl DrawLaw {
    /// `None` where strata in which somebody answered hold too few positives.
    fn new(members: &[Vec<usize>], rates: &[f64], number: usize) -> Option<Self> {
        let choose = |n: usize, j: usize| {
            ln_gamma(n as f64 + 1.0) - ln_gamma(j as f64 + 1.0) - ln_gamma((n - j) as f64 + 1.0)
        };
        let own: Vec<Vec<f64>> = members
            .iter()
            .zip(rates)
            .map(|(members, &rate)| {
                let most = if rate > 0.0 { members.len().min(number) } else { 0 };
                (0..=most).map(|j| choose(members.len(), j) + j as f64 * rate.max(1e-300).ln()).collect()
            })
            .collect();
        let mut rest = vec![vec![0.0]];
        for own in own.iter().rev() {
            let after = &rest[rest.len() - 1];
            let most = (own.len() + after.len() - 2).min(number);
            let sum = |total: usize| {
                let terms: Vec<f64> = (total.saturating_sub(after.len() - 1)..=total.min(own.len() - 1))
                    .map(|j| own[j] + after[total - j])
                    .collect();
                let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                largest + terms.iter().map(|term| (term - largest).exp()).sum::<f64>().ln()
            };
            rest.push((0..=most).map(sum).collect());
        }
        rest.reverse();
        (rest[0].len() == number + 1).then_some(Self { number, own, rest })
    }

    /// One draw; the members of a stratum come back in another order.
    fn draw(&self, members: &mut [Vec<usize>], stream: &mut Stream) -> Vec<usize> {
        let (mut left, mut chosen) = (self.number, Vec::with_capacity(self.number));
        for (at, members) in members.iter_mut().enumerate() {
            let (own, after) = (&self.own[at], &self.rest[at + 1]);
            let all = self.rest[at][left];
            let (mut u, first) = (stream.uniform(), left.saturating_sub(after.len() - 1));
            let last = left.min(own.len() - 1);
            let mut here = first;
            while here < last {
                u -= (own[here] + after[left - here] - all).exp();
                if u < 0.0 {
                    break;
                }
                here += 1;
            }
            for place in 0..here {
                let other = place + stream.below(members.len() - place);
                members.swap(place, other);
            }
            chosen.extend_from_slice(&members[..here]);
            left -= here;
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positives with a score and a column; labels at random, or favoring one or the other; answers at rates that fall with the stratum.
    fn made(seed: u64, chance: fn(f64, f64) -> f64) -> Option<LabelsByAnswers> {
        let mut stream = Stream::new(seed, "made");
        let rates = [0.5, 0.2, 0.1, 0.04];
        let (mut answered, mut strata, mut column) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..600 {
            let (score, value) = (stream.uniform(), stream.uniform());
            let stratum = (4.0 * (1.0 - score)) as usize;
            let labeled = stream.uniform() < chance(score, value);
            if labeled || stream.uniform() < rates[stratum.min(3)] {
                answered.push(!labeled);
                strata.push(stratum.min(3));
                column.push([value as f32, stream.uniform() as f32]);
            }
        }
        let known = PositivesKnown { answered: &answered, strata: &strata, rates: &rates, seed };
        labels_by_answers(known, &["age".to_string(), "noise".to_string()], |of, at| column[at][of])
    }

    /// Ranks alone would call random labels biased, because rows near the top are asked about more often.
    #[test]
    fn random_labels_are_refuted_at_the_level() {
        const DATA: u64 = 200;
        let refuted = (0..DATA).filter(|&seed| made(seed, |_, _| 0.4).unwrap().refutes()).count();
        // 5 % of 200 are 10, with a deviation of 3.1.
        assert!((2..=20).contains(&refuted), "{refuted}");
        let mean = (0..40).map(|seed| made(seed, |_, _| 0.4).unwrap().above).sum::<f64>() / 40.0;
        assert!((mean - 0.5).abs() < 0.04, "{mean}");
    }

    #[test]
    fn biases_by_score_and_by_column_are_seen_and_named() {
        let seen = |chance: fn(f64, f64) -> f64| {
            (0..20).filter(|&seed| made(seed, chance).unwrap().refutes()).count()
        };
        let easy = seen(|score, _| if score > 0.6 { 0.7 } else { 0.15 });
        let hard = seen(|score, _| if score > 0.6 { 0.15 } else { 0.7 });
        let age = seen(|_, age| if age > 0.6 { 0.7 } else { 0.15 });
        assert!(easy >= 19 && hard >= 19 && age >= 19, "{easy} {hard} {age}");
        let test = made(1, |_, age| if age > 0.6 { 0.7 } else { 0.15 }).unwrap();
        assert_eq!((test.columns.len(), test.columns[0].column.as_str()), (1, "age"));
        assert!(test.columns[0].above > 0.65 && test.p_of_scores > 0.05, "{test:?}");
        assert!(test.to_string().contains("a labeled one has more 'age' than a hidden one in"), "{test}");
        let test = made(1, |score, _| if score > 0.6 { 0.7 } else { 0.15 }).unwrap();
        assert!(test.above > 0.65 && test.to_string().contains("ranks above a hidden one in"), "{test}");
    }

    /// Two strata: C(2, 1) 3 · C(2, 1) 1 against C(2, 2) 9 and C(2, 2) 1, so that one of each is drawn with chance 12 / 22.
    #[test]
    fn draws_follow_their_law() {
        let mut members = vec![vec![0, 1], vec![2, 3]];
        let law = DrawLaw::new(&members, &[0.3, 0.1], 2).unwrap();
        let mut stream = Stream::new(0, "law");
        let mut both = 0;
        const MANY: usize = 20_000;
        for _ in 0..MANY {
            let drawn = law.draw(&mut members, &mut stream);
            assert_eq!(drawn.len(), 2);
            both += usize::from(drawn.iter().filter(|&&at| at < 2).count() == 1);
        }
        let share = both as f64 / MANY as f64;
        assert!((share - 12.0 / 22.0).abs() < 0.015, "{share}");
        assert!(DrawLaw::new(&members, &[0.3, 0.0], 3).is_none());
    }

    #[test]
    fn few_positives_tell_nothing() {
        let known = |answered: &[bool]| {
            let strata = vec![0; answered.len()];
            let known = PositivesKnown { answered, strata: &strata, rates: &[0.5], seed: 0 };
            labels_by_answers(known, &[], |_, _| 0.0).is_none()
        };
        assert!(known(&[true; 20]) && known(&[true, true, true, true, false, false, false, false, false]));
        assert!(!known(&[true, true, true, true, true, false, false, false, false, false]));
    }
}
