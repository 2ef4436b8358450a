//! Which rows to ask about: strata of the ranked list, how many rows each gets, and the draw.
//!
//! Neyman's allocation draws row i at a rate in proportion to √(q_i (1 - q_i)), the standard deviation of its answer if the
//! model is right. A model may be wrong, and a stratum in which no positive was found leaves room for positives in
//! proportion to the rows per draw; so two thirds of the draws are spread evenly:
//!
//! ```text
//! rate_i ∝ EVEN + (1 - EVEN) √(q_i (1 - q_i)) / mean,  EVEN = 2/3
//! ```
//!
//! No row's rate is below two thirds of the even one. The list is cut into ten strata of equal total rate, and at the cuts that
//! are to be judged. The strata depend on the scores and the cuts alone and not on the number of draws, so that audits of
//! one list add up. Borders right next to a cut are left out.
//!
//! A cut near the top of a long list would get a few draws by these rates, and its precision could not be told. So of cuts that
//! somebody asks for, each gets a fair part: about a quarter of the draws, in equal parts for the stretches of the list that end at
//! these cuts, goes there at least (fewer where a stretch has fewer rows). The other rows then keep three quarters of their rate
//! at least.

use super::estimate::{AuditEstimate, Stratum, estimate};
use crate::error::EvalError;
use onesided_data::Stream;
use serde::{Deserialize, Serialize};

/// The share of the draws that is spread evenly over all rows.
const EVEN: f64 = 2.0 / 3.0;
/// The share of the draws that the stretches above the cuts that were asked for get together, at least.
const ASKED: f64 = 0.25;
/// Strata before the list is cut further.
const STRATA: usize = 10;
/// A share without a scatter cannot be told from one row.
const LEAST: usize = 2;

/// A stretch of the ranked list and how many of its rows are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// The place of its first row, from 1.
    pub first: usize,
    /// The place of its last row.
    pub last: usize,
    /// Rows drawn from it.
    pub drawn: usize,
}

impl Range {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.last + 1 - self.first
    }

    /// The probability that a row of it is drawn.
    pub fn probability(&self) -> f64 {
        self.drawn as f64 / self.rows() as f64
    }
}

/// One drawn row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Its place in the ranked list, from 0.
    pub place: usize,
    /// The number of its stratum, from 0.
    pub stratum: usize,
}

/// How rows are drawn from a ranked list.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The strata, from the top of the list to its end.
    pub strata: Vec<Range>,
    /// What the model expects: the mean probability of each stratum.
    expected: Vec<f64>,
}

impl Plan {
    /// A plan of `draws` rows of a list with these probabilities, the highest first. The list is also cut after the first
    /// k rows for each k of `cuts` and of `asked`, the cuts that are to get a fair part of the draws.
    pub fn new(
        probabilities: &[f32],
        cuts: &[usize],
        asked: &[usize],
        draws: usize,
    ) -> Result<Self, EvalError> {
        let all = probabilities.len();
        if all == 0 {
            return Err(EvalError::Empty("unlabeled"));
        }
        let spread = |&q: &f32| (f64::from(q) * (1.0 - f64::from(q))).max(0.0).sqrt();
        let mean = probabilities.iter().map(spread).sum::<f64>() / all as f64;
        let rate = |q: &f32| if mean > 0.0 { EVEN + (1.0 - EVEN) * spread(q) / mean } else { 1.0 };
        let rates: Vec<f64> = probabilities.iter().map(rate).collect();
        let borders = borders(&rates, &[cuts, asked].concat());
        let sizes: Vec<usize> = borders.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let least: usize = sizes.iter().map(|&size| size.min(LEAST)).sum();
        if draws < least || draws > all {
            return Err(EvalError::AuditRows { rows: draws, least, all });
        }
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        let totals: Vec<f64> = borders.windows(2).map(|pair| sum(&rates[pair[0]..pair[1]])).collect();
        let drawn = allocated(&with_fair_parts(&totals, &borders, asked, draws), &sizes, draws);
        let mean_of = |from: usize, to: usize| {
            probabilities[from..to].iter().map(|&q| f64::from(q)).sum::<f64>() / (to - from) as f64
        };
        let expected = borders.windows(2).map(|pair| mean_of(pair[0], pair[1])).collect();
        let range = |(pair, drawn): (&[usize], usize)| Range { first: pair[0] + 1, last: pair[1], drawn };
        Ok(Self { strata: borders.windows(2).zip(drawn).map(range).collect(), expected })
    }

    /// Draws rows, each stratum at random without replacement, and shuffles them: their order tells nothing.
    pub fn draw(&self, seed: u64) -> Vec<Drawn> {
        let mut stream = Stream::new(seed, "audit");
        let mut all = Vec::new();
        for (stratum, range) in self.strata.iter().enumerate() {
            // Floyd's way to a subset: as many steps as there are draws.
            let mut taken = std::collections::BTreeSet::new();
            for last in range.rows() - range.drawn..range.rows() {
                let place = stream.below(last + 1);
                if !taken.insert(place) {
                    taken.insert(last);
                }
            }
            all.extend(taken.into_iter().map(|place| Drawn { place: range.first - 1 + place, stratum }));
        }
        stream.shuffle(&mut all);
        all
    }

    /// The estimate to expect if the model's probabilities are right: its intervals say how wide those of the audit will
    /// be.
    pub fn forecast(&self, confidence: f64) -> Result<AuditEstimate, EvalError> {
        self.if_positive(&self.expected, confidence)
    }

    /// The estimate if every second answer of each stratum is yes: about the widest intervals that the audit can have.
    pub fn widest(&self, confidence: f64) -> Result<AuditEstimate, EvalError> {
        self.if_positive(&vec![0.5; self.strata.len()], confidence)
    }

    /// The estimate if these are the shares of positives in the strata.
    fn if_positive(&self, shares: &[f64], confidence: f64) -> Result<AuditEstimate, EvalError> {
        let strata = self.strata.iter().zip(shares).map(|(range, share)| Stratum {
            rows: range.rows(),
            answered: range.drawn as f64,
            positive: share * range.drawn as f64,
        });
        estimate(&strata.collect::<Vec<_>>(), confidence)
    }
}

/// Where strata begin and end: equal totals of the rates, and the cuts.
fn borders(rates: &[f64], cuts: &[usize]) -> Vec<usize> {
    let all = rates.len();
    // Strata of a short list hold two rows at least.
    let strata = STRATA.min(all / LEAST).max(1);
    let step = rates.iter().sum::<f64>() / strata as f64;
    let cuts: Vec<usize> = cuts.iter().copied().filter(|&cut| cut > 0 && cut < all).collect();
    // A border right next to a cut would make a stratum of a few rows.
    let apart = |border: usize| cuts.iter().all(|cut| border.abs_diff(*cut) > all / (4 * strata));
    let mut borders = vec![0, all];
    let mut total = 0.0;
    for (row, rate) in rates.iter().enumerate() {
        total += rate;
        let next = (total / step).floor() as usize;
        if next < strata && ((total - rate) / step).floor() as usize != next && apart(row + 1) {
            borders.push(row + 1);
        }
    }
    borders.extend(cuts);
    borders.sort_unstable();
    borders.dedup();
    borders
}

/// The totals, as shares of their sum, with those above the cuts that were asked for raised to a fair part of the draws.
fn with_fair_parts(totals: &[f64], borders: &[usize], asked: &[usize], draws: usize) -> Vec<f64> {
    let sum: f64 = totals.iter().sum();
    let mut shares: Vec<f64> = totals.iter().map(|total| total / sum).collect();
    let all = borders.last().copied().unwrap_or(0);
    let mut ends: Vec<usize> = asked.iter().copied().filter(|&cut| cut > 0 && cut < all).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut raised = vec![false; shares.len()];
    let mut above = 0;
    for &end in &ends {
        let strata: Vec<usize> =
            (0..shares.len()).filter(|&h| borders[h] >= above && borders[h + 1] <= end).collect();
        let now: f64 = strata.iter().map(|&h| shares[h]).sum();
        // No more than all of its rows.
        let fair = (ASKED / ends.len() as f64).min((end - above) as f64 / draws as f64);
        if now < fair && now > 0.0 {
            strata.iter().for_each(|&h| (shares[h], raised[h]) = (shares[h] * fair / now, true));
        }
        above = end;
    }
    let of = |wanted: bool| -> f64 {
        shares.iter().zip(&raised).filter(|(_, raised)| **raised == wanted).map(|(share, _)| share).sum()
    };
    let (taken, others) = (of(true), of(false));
    let keep = if others > 0.0 { (1.0 - taken) / others } else { 1.0 };
    shares.iter_mut().zip(&raised).filter(|(_, raised)| !**raised).for_each(|(share, _)| *share *= keep);
    shares
}

/// Draws in proportion to the totals, whole numbers by the largest remainders, at least two and at most all of a stratum.
fn allocated(totals: &[f64], sizes: &[usize], draws: usize) -> Vec<usize> {
    let mut drawn: Vec<usize> = sizes.iter().map(|&size| size.min(LEAST)).collect();
    let mut left = draws - drawn.iter().sum::<usize>();
    // One after the other to the stratum that is furthest below its share; the first of equals.
    let sum: f64 = totals.iter().sum();
    while left > 0 {
        let open = (0..sizes.len()).filter(|&h| drawn[h] < sizes[h]);
        let lacking = |h: usize| totals[h] / sum * draws as f64 - drawn[h] as f64;
        let Some(next) = open.max_by(|&a, &b| lacking(a).total_cmp(&lacking(b)).then(b.cmp(&a))) else {
            break;
        };
        // Strata that are full hand their share on in proportion: what lacks grows evenly, so one at a time does it.
        drawn[next] += 1;
        left -= 1;
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probabilities(rows: usize) -> Vec<f32> {
        (0..rows).map(|i| 1.0 - (i as f32 + 0.5) / rows as f32).collect()
    }

    #[test]
    fn strata_tile_the_list_and_no_row_is_drawn_at_much_less_than_the_even_rate() {
        let rare: Vec<f32> = probabilities(20_000).iter().map(|q| q.powi(20)).collect();
        for (q, cuts, draws) in [(probabilities(1000), vec![100, 50], 200), (rare, vec![100], 1000)] {
            let plan = Plan::new(&q, &cuts, &[], draws).unwrap();
            assert_eq!(plan.strata.iter().map(|range| range.drawn).sum::<usize>(), draws);
            assert_eq!(plan.strata.iter().map(Range::rows).sum::<usize>(), q.len());
            assert!(plan.strata.windows(2).all(|pair| pair[0].last + 1 == pair[1].first));
            assert!(cuts.iter().all(|&cut| plan.strata.iter().any(|range| range.last == cut)));
            let even = draws as f64 / q.len() as f64;
            for range in &plan.strata {
                // Rounding takes at most a draw.
                let least = EVEN * even * range.rows() as f64 - 1.0;
                assert!(range.drawn as f64 >= least && range.drawn >= 2, "{range:?}");
            }
        }
    }

    #[test]
    fn a_cut_that_was_asked_for_gets_a_fair_part() {
        // 200 draws of 8,000 rows: the first 100 would get 3 by their rate.
        let q: Vec<f32> = probabilities(8000).iter().map(|q| q.powi(5)).collect();
        let above = |plan: &Plan, from: usize, to: usize| -> usize {
            plan.strata.iter().filter(|r| r.first > from && r.last <= to).map(|r| r.drawn).sum()
        };
        let plain = Plan::new(&q, &[100], &[], 200).unwrap();
        assert!(above(&plain, 0, 100) < 5, "{:?}", plain.strata);
        let plan = Plan::new(&q, &[1500], &[100], 200).unwrap();
        // A quarter of the draws, and the others keep three quarters of two thirds of the even rate.
        assert_eq!(above(&plan, 0, 100), 50);
        assert_eq!(plan.strata.iter().map(|range| range.drawn).sum::<usize>(), 200);
        for range in &plan.strata {
            let least = (1.0 - ASKED) * EVEN * (range.rows() * 200) as f64 / 8000.0 - 1.0;
            assert!(range.drawn as f64 >= least, "{range:?}");
        }
        // Two cuts share it, and one with fewer rows than its part takes all of them.
        let two = Plan::new(&q, &[], &[400, 10], 200).unwrap();
        assert_eq!((above(&two, 0, 10), above(&two, 10, 400)), (10, 25));
        // A cut that gets more than that by its rate is left as it is.
        let wide = Plan::new(&q, &[], &[6000], 200).unwrap();
        assert_eq!(wide.strata, Plan::new(&q, &[6000], &[], 200).unwrap().strata);
        let precision = |plan: &Plan| plan.forecast(0.95).unwrap().cuts[0].precision;
        let width = |plan: &Plan| precision(plan).high - precision(plan).low;
        assert!(width(&plan) < 0.35 * width(&plain), "{} {}", width(&plan), width(&plain));
    }

    #[test]
    fn strata_do_not_depend_on_the_number_of_draws() {
        let q = probabilities(5000);
        let borders = |draws| {
            Plan::new(&q, &[77], &[300], draws)
                .unwrap()
                .strata
                .iter()
                .map(|r| (r.first, r.last))
                .collect::<Vec<_>>()
        };
        assert_eq!(borders(50), borders(1000));
    }

    #[test]
    fn rows_are_drawn_once_and_with_their_probability() {
        let q = probabilities(200);
        let plan = Plan::new(&q, &[], &[30], 40).unwrap();
        let mut times = vec![0usize; 200];
        for seed in 0..4000 {
            let drawn = plan.draw(seed);
            assert_eq!(drawn.len(), 40);
            for row in drawn {
                let range = plan.strata[row.stratum];
                assert!((range.first..=range.last).contains(&(row.place + 1)));
                times[row.place] += 1;
            }
        }
        for range in &plan.strata {
            for (place, &times) in times.iter().enumerate().take(range.last).skip(range.first - 1) {
                let (p, seen) = (range.probability(), times as f64 / 4000.0);
                // Five standard errors.
                assert!((seen - p).abs() < 5.0 * (p * (1.0 - p) / 4000.0).sqrt(), "{place}: {seen}, not {p}");
            }
        }
        assert_eq!(plan.draw(3), plan.draw(3));
        assert_ne!(plan.draw(3), plan.draw(4));
    }

    #[test]
    fn short_lists_constant_scores_and_a_census() {
        let plan = Plan::new(&[0.5; 30], &[], &[], 30).unwrap();
        assert!(plan.strata.iter().all(|range| range.drawn == range.rows()));
        assert_eq!(Plan::new(&[0.0; 3], &[], &[], 2).unwrap().strata.len(), 1);
        let refused = |draws| Plan::new(&[0.5; 30], &[], &[], draws).unwrap_err().to_string();
        assert_eq!(refused(31), "an audit of 30 rows draws from 20 to 30 of them, but 31 were asked for");
        assert!(refused(0).contains("but 0 were asked for"));
        assert!(Plan::new(&[], &[], &[], 1).is_err());
    }

    #[test]
    fn a_useful_model_promises_a_narrower_interval_than_even_draws() {
        let q: Vec<f32> = probabilities(20_000).iter().map(|q| q.powi(9)).collect();
        let forecast = Plan::new(&q, &[], &[], 500).unwrap().forecast(0.95).unwrap();
        let even = [Stratum { rows: 20_000, answered: 500.0, positive: 50.0 }];
        let even = estimate(&even, 0.95).unwrap();
        assert!((forecast.share.value - 0.1).abs() < 1e-3);
        let width = |e: &AuditEstimate| e.share.high - e.share.low;
        assert!(width(&forecast) < 0.8 * width(&even), "{} {}", width(&forecast), width(&even));
    }
}
