//! A cut that finds a given share of the positives with a given confidence.
//!
//! Let s_(1) ≤ … ≤ s_(m) be the scores of m positives that the model has never met, and cut at s_(k). If these positives
//! are a random sample of the positives, and their scores have no ties:
//!
//! * The recall over the *population* that they come from is a Beta(m - k + 1, k) variable (order statistics). So it is at
//!   least r with confidence 1 - δ for every k with I_r(m - k + 1, k) ≤ δ, and the largest such k is the best cut. With
//!   k = 1 the condition reads r^m ≤ δ: 59 positives are the fewest for 95 % at 95 %.
//! * Of the M positives in *one file*, the number L below the cut follows the negative hypergeometric law,
//!   P(L = l) = C(l + k - 1, l) C(M - l + m - k, M - l) / C(M + m, M), since the M and the m are in random order. M is not
//!   known, so the cut must do for every M in a range.
//!
//! Ties only help: every row that scores at least the cut is found. No prior enters, and nothing about the scores is assumed.
//! What is assumed: labels were given at random among the positives (SCAR), and nothing was chosen, calibrated or fitted
//! with the m positives. Scores of folds, or of a model that is trained again afterwards, break the law.
//!
//! With [`LabelingOdds`] Γ above 1 labels need not be random: the m positives are a sample of labeled ones, whose recall R follows the
//! same Beta law, and both promises ask for as much as the worst labeling within the bound takes. Over the population that is a larger
//! R. In one file each of M positives is found with probability h, odds(h) = odds(R) / Γ, and the chance that at most t are missed is
//! that of a Beta(M - t, t + 1) variable H to be at most h. So the promise is kept with probability P(odds(R) ≥ Γ odds(H)), R and H
//! independent: the negative hypergeometric law at Γ = 1, and an integral over one variable else.

use crate::beta::{beta_cdf, beta_quantile, ln_gamma};
use crate::error::{EvalError, check_scores};
use crate::labeling::LabelingOdds;
use serde::Serialize;

/// How finely the Γ up to which a promise about one file holds is told, in logarithms.
const FINE: f64 = 1e-4;

/// How many of the positives are to be found, how surely, and how much labels may favor some of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RecallTarget {
    recall: f64,
    confidence: f64,
    #[serde(rename = "labeling_odds", skip_serializing_if = "LabelingOdds::is_random")]
    labeling: LabelingOdds,
}

/// Whose recall it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Over {
    /// All positives of the population that the held-out ones were drawn from.
    Population,
    /// The positives in one file, of which there are between `least` and `most`.
    File {
        /// The fewest there may be, from 1.
        least: usize,
        /// The most there may be.
        most: usize,
    },
}

/// The cut that keeps the promise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RecallCut {
    /// What is promised.
    #[serde(flatten)]
    pub target: RecallTarget,
    /// Of whom.
    pub over: Over,
    /// Rows that score at least this are to be reviewed.
    pub cut: f32,
    /// How many positives it rests on, m.
    pub positives: usize,
    /// The cut is the score of the k-th lowest of them.
    pub rank: usize,
    /// Up to which [`LabelingOdds`] the promise holds.
    pub holds_up_to_labeling_odds: f64,
}

impl RecallTarget {
    /// A share of the positives and a confidence, both strictly between 0 and 1, if labels are random.
    pub fn new(recall: f64, confidence: f64) -> Result<Self, EvalError> {
        for (what, value) in [("recall", recall), ("confidence", confidence)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(EvalError::OutsideUnit { what, value });
            }
        }
        Ok(Self { recall, confidence, labeling: LabelingOdds::RANDOM })
    }

    /// The same where labels may favor some positives.
    pub fn with_labeling(self, labeling: LabelingOdds) -> Self {
        Self { labeling, ..self }
    }

    /// How much labels may favor some positives.
    pub fn labeling(&self) -> LabelingOdds {
        self.labeling
    }

    /// The share of the positives to find.
    pub fn recall(&self) -> f64 {
        self.recall
    }

    /// The confidence.
    pub fn confidence(&self) -> f64 {
        self.confidence
    }

    /// The highest cut that keeps the promise, from the scores of positives that served nothing else. With too few of
    /// them the error says how many are needed.
    pub fn cut(&self, positive: &[f32], over: Over) -> Result<RecallCut, EvalError> {
        check_scores("positive", positive)?;
        let found = positive.len();
        let Some(rank) = self.rank(found, over) else {
            return Err(EvalError::TooFewPositives {
                found,
                needed: self.needed(over),
                recall: self.recall,
                confidence: self.confidence,
                in_file: over != Over::Population,
                labeling: self.labeling,
            });
        };
        let mut sorted = positive.to_vec();
        sorted.sort_unstable_by(f32::total_cmp);
        let holds_up_to_labeling_odds = self.holds_up_to(found, rank, over);
        let cut = sorted[rank - 1];
        Ok(RecallCut { target: *self, over, cut, positives: found, rank, holds_up_to_labeling_odds })
    }

    /// Up to which Γ a cut at the k-th lowest of m positives keeps the promise.
    fn holds_up_to(&self, m: usize, k: usize, over: Over) -> f64 {
        // It was chosen to hold at least at the one asked for, whatever the last bit says.
        let asked = self.labeling.get();
        let holding = match over {
            Over::Population => {
                let labeled = beta_quantile((m - k + 1) as f64, k as f64, 1.0 - self.confidence);
                LabelingOdds::holding(labeled, self.recall)
            }
            Over::File { least, most } => {
                let keeps =
                    |log: f64| self.hardest(least, most).all(|all| self.keeps_file(m, k, all, log.exp()));
                let (mut kept, mut broken) = (asked.ln(), LabelingOdds::MOST.ln());
                while broken - kept > FINE {
                    let middle = f64::midpoint(kept, broken);
                    if keeps(middle) { kept = middle } else { broken = middle }
                }
                kept.exp()
            }
        };
        holding.max(asked)
    }

    /// The largest k that keeps the promise with m positives.
    pub fn rank(&self, positives: usize, over: Over) -> Option<usize> {
        let keeps = |k: usize| self.keeps(positives, k, over);
        if positives == 0 || !keeps(1) {
            return None;
        }
        // The promise is the harder to keep the higher the cut.
        let (mut good, mut bad) = (1, positives + 1);
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            if keeps(middle) { good = middle } else { bad = middle }
        }
        Some(good)
    }

    /// The fewest positives with which the promise can be kept.
    pub fn needed(&self, over: Over) -> usize {
        let enough = |m: usize| self.keeps(m, 1, over);
        let mut high = 1;
        while !enough(high) && high < usize::MAX / 4 {
            high *= 2;
        }
        let mut low = high / 2;
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if enough(middle) { high = middle } else { low = middle }
        }
        high
    }

    /// The largest recall that `positives` held-out positives can promise at a confidence if labels are random: r^m = δ.
    pub fn most_recall(positives: usize, confidence: f64) -> f64 {
        ((1.0 - confidence).ln() / positives as f64).exp()
    }

    fn keeps(&self, m: usize, k: usize, over: Over) -> bool {
        let fails = 1.0 - self.confidence;
        match over {
            Over::Population => {
                let labeled = self.labeling.needed(self.recall);
                beta_cdf((m - k + 1) as f64, k as f64, labeled) <= fails * (1.0 + 1e-12)
            }
            Over::File { least, most } => {
                self.hardest(least, most).all(|all| self.keeps_file(m, k, all, self.labeling.get()))
            }
        }
    }

    /// Whether the promise is kept in a file with `all` positives.
    fn keeps_file(&self, m: usize, k: usize, all: usize, odds: f64) -> bool {
        let missable = self.missable(all);
        let kept = match odds == 1.0 {
            true => found_enough(m, k, all, missable),
            false => found_enough_at(m, k, all, missable, odds),
        };
        kept >= self.confidence * (1.0 - 1e-12)
    }

    /// How many of `all` positives may be missed.
    fn missable(&self, all: usize) -> usize {
        // 0.95 · 20 is 19, whatever the last bit says.
        let to_find = (self.recall * all as f64 - 1e-9).ceil().max(0.0) as usize;
        all - to_find.min(all)
    }

    /// The numbers of positives at which the promise is hardest to keep. It gets harder with each positive more, until one
    /// more may be missed; and from one such peak to the next it gets easier, since shares of many scatter less.
    fn hardest(&self, least: usize, most: usize) -> impl Iterator<Item = usize> {
        /// Peaks that are looked at; the test compares with all of them.
        const PEAKS: usize = 8;
        let first = self.missable(least);
        let peak = move |missed: usize| {
            // The largest number of which `missed` may be missed.
            let mut all = (((missed + 1) as f64 / (1.0 - self.recall)).ceil() as usize).max(1);
            while all > 1 && self.missable(all) > missed {
                all -= 1;
            }
            all.clamp(least, most)
        };
        (first..first + PEAKS).map(peak)
    }
}

/// The probability that at most `missable` of `all` positives score below the k-th lowest of m others.
fn found_enough(m: usize, k: usize, all: usize, missable: usize) -> f64 {
    let (m, k, all) = (m as f64, k as f64, all as f64);
    // ln P(L = 0) = ln C(M + m - k, M) - ln C(M + m, M).
    let mut term =
        ln_gamma(all + m - k + 1.0) - ln_gamma(m - k + 1.0) - ln_gamma(all + m + 1.0) + ln_gamma(m + 1.0);
    let mut terms = vec![term];
    for l in 0..missable {
        let l = l as f64;
        term += ((l + k) * (all - l)).ln() - ((l + 1.0) * (all - l + m - k)).ln();
        terms.push(term);
    }
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (largest.exp() * terms.iter().map(|t| (t - largest).exp()).sum::<f64>()).min(1.0)
}

/// The same where labels favor those above the cut by odds of Γ: P(odds(R) ≥ Γ odds(H)) with R ~ Beta(m - k + 1, k) and
/// H ~ Beta(M - t, t + 1), by the trapezoidal rule on the scale of log-odds over the narrower of the two.
fn found_enough_at(m: usize, k: usize, all: usize, missable: usize, odds: f64) -> f64 {
    if missable >= all {
        return 1.0;
    }
    let recall = ((m - k + 1) as f64, k as f64);
    let needed = ((all - missable) as f64, (missable + 1) as f64);
    let width = |(a, b): (f64, f64)| 1.0 / a + 1.0 / b;
    let below = |(a, b): (f64, f64), log_odds: f64| beta_cdf(a, b, 1.0 / (1.0 + (-log_odds).exp()));
    if width(recall) <= width(needed) {
        over_log_odds(recall, |log_odds| below(needed, log_odds - odds.ln()))
    } else {
        over_log_odds(needed, |log_odds| 1.0 - below(recall, log_odds + odds.ln()))
    }
}

/// The mean of a function of the log-odds of a Beta(a, b) variable. On that scale its density, e^(a z) / (1 + e^z)^(a + b) over
/// B(a, b), falls exponentially on both sides.
fn over_log_odds((a, b): (f64, f64), of: impl Fn(f64) -> f64) -> f64 {
    /// Points of the rule: its error falls exponentially with their number, and twice as many change less than 1e-12.
    const POINTS: usize = 400;
    /// What is left out on either side has less than e^-36 of the mass.
    const LEFT_OUT: f64 = 36.0;
    let (mode, deviation) = ((a / b).ln(), (1.0 / a + 1.0 / b).sqrt());
    let ln_density = |z: f64| {
        let soft = z.max(0.0) + (-z.abs()).exp().ln_1p();
        a * z - (a + b) * soft
    };
    let reach = |tail: f64| (9.0 * deviation).max(LEFT_OUT / tail);
    let (low, high) = (mode - reach(a), mode + reach(b));
    let (mut mass, mut sum) = (0.0, 0.0);
    for point in 0..=POINTS {
        let z = low + (high - low) * point as f64 / POINTS as f64;
        let weight = (ln_density(z) - ln_density(mode)).exp();
        mass += weight;
        if weight > 0.0 {
            sum += weight * of(z);
        }
    }
    sum / mass
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(recall: f64, confidence: f64) -> RecallTarget {
        RecallTarget::new(recall, confidence).unwrap()
    }

    #[test]
    fn the_fewest_positives_are_those_of_the_closed_form() {
        // r^m <= δ.
        for (recall, confidence, needed) in
            [(0.95, 0.95, 59), (0.9, 0.95, 29), (0.9, 0.9, 22), (0.99, 0.95, 299)]
        {
            assert_eq!(target(recall, confidence).needed(Over::Population), needed);
            assert_eq!(target(recall, confidence).rank(needed, Over::Population), Some(1));
            assert_eq!(target(recall, confidence).rank(needed - 1, Over::Population), None);
        }
        assert!((RecallTarget::most_recall(59, 0.95).powi(59) - 0.05).abs() < 1e-12);
    }

    #[test]
    fn one_hidden_positive_is_found_with_probability_by_rank() {
        // A single new positive lies below the k-th lowest of m with probability k / (m + 1).
        for (m, k) in [(19, 1), (100, 5), (250, 12)] {
            let found = found_enough(m, k, 1, 0);
            assert!((found - (1.0 - k as f64 / (m + 1) as f64)).abs() < 1e-12);
        }
        let one = Over::File { least: 1, most: 1 };
        assert_eq!(target(0.9, 0.95).needed(one), 19);
        assert_eq!(target(0.9, 0.95).rank(100, one), Some(5));
        // All 19 must be found, since 18 of 19 are less than 95 %: m / (m + 19) >= 0.95.
        assert_eq!(target(0.95, 0.95).needed(Over::File { least: 1, most: 1000 }), 361);
    }

    #[test]
    fn the_law_sums_to_one_and_tends_to_the_beta_law() {
        assert!((found_enough(40, 3, 25, 25) - 1.0).abs() < 1e-12);
        // With very many positives their share found is the population's recall.
        let law = found_enough(200, 5, 200_000, 10_000);
        let limit = 1.0 - beta_cdf(196.0, 5.0, 0.95);
        assert!((law - limit).abs() < 1e-3, "{law} {limit}");
    }

    #[test]
    fn the_hardest_numbers_are_the_hardest_of_all() {
        for (recall, m) in [(0.95, 400), (0.9, 200), (0.8, 90), (0.99, 2500), (0.63, 60)] {
            let target = target(recall, 0.95);
            for (least, most) in [(1, 700), (30, 700), (57, 64), (250, 250)] {
                let all_keep = |k: usize| {
                    (least..=most)
                        .all(|all| found_enough(m, k, all, target.missable(all)) >= 0.95 * (1.0 - 1e-12))
                };
                let exact = (1..=m).take_while(|&k| all_keep(k)).last();
                assert_eq!(target.rank(m, Over::File { least, most }), exact, "{recall} {m} {least} {most}");
            }
        }
    }

    #[test]
    fn odds_of_one_are_the_law_of_random_labels() {
        for (m, k, all, missable) in
            [(40, 3, 25, 2), (200, 5, 20_000, 1_000), (1_000, 90, 31, 3), (59, 1, 7, 0), (20, 20, 9, 8)]
        {
            let (exact, integral) =
                (found_enough(m, k, all, missable), found_enough_at(m, k, all, missable, 1.0));
            assert!((exact - integral).abs() < 1e-9, "{exact} {integral}: {m} {k} {all} {missable}");
        }
        assert_eq!(found_enough_at(40, 3, 25, 25, 3.0), 1.0);
        // One hidden positive, all labeled ones above the cut, odds of 2: the mean of r / (2 - r) over m r^(m - 1), by its series
        // Σ_j m / ((m + j) 2^j) with j from 1.
        let series: f64 = (1..60).map(|j| 19.0 / (19.0 + f64::from(j)) / 2f64.powi(j)).sum();
        assert!((found_enough_at(19, 1, 1, 0, 2.0) - series).abs() < 1e-12);
    }

    #[test]
    fn the_hardest_numbers_are_the_hardest_at_odds() {
        for (recall, m, gamma) in [(0.8, 200, 1.5), (0.9, 400, 2.0), (0.63, 90, 3.0)] {
            let target = target(recall, 0.95).with_labeling(LabelingOdds::new(gamma).unwrap());
            for (least, most) in [(1, 300), (30, 300), (57, 64), (250, 250)] {
                let all_keep = |k: usize| (least..=most).all(|all| target.keeps_file(m, k, all, gamma));
                let exact = (1..=m).take_while(|&k| all_keep(k)).last();
                let over = Over::File { least, most };
                assert_eq!(target.rank(m, over), exact, "{recall} {m} {gamma} {least} {most}");
                let Some(k) = exact else { continue };
                let holds = target.holds_up_to(m, k, over);
                let at = |odds: f64| (least..=most).all(|all| target.keeps_file(m, k, all, odds));
                assert!(at(holds) && !at(holds * 1.001), "{holds} at {recall} {m} {gamma} {least} {most}");
            }
        }
    }

    #[test]
    fn ranks_are_those_of_scipy() {
        let golden = include_str!("../tests/golden/trust.txt");
        let mut seen = 0;
        for line in golden.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let whole = |at: usize| words[at].parse::<usize>().unwrap();
            let (over, rank) = match words[0] {
                "population" => (Over::Population, whole(4)),
                "file" => (Over::File { least: whole(4), most: whole(4) }, whole(5)),
                _ => continue,
            };
            let target = target(words[1].parse().unwrap(), words[2].parse().unwrap());
            assert_eq!(target.rank(whole(3), over).unwrap_or(0), rank, "{line}");
            seen += 1;
        }
        assert_eq!(seen, 108);
    }

    #[test]
    fn the_cut_is_a_score_and_ties_are_found() {
        let scores: Vec<f32> = (0..100).map(|i| (99 - i) as f32).collect();
        let cut = target(0.9, 0.95).cut(&scores, Over::Population).unwrap();
        // I_0.9(101 - k, k) = P(at most k - 1 of 100 missed): .0576 for k = 6, .0237 for k = 5.
        assert_eq!((cut.rank, cut.cut), (5, 4.0));
        let tied = vec![1.0; 100];
        assert_eq!(target(0.9, 0.95).cut(&tied, Over::Population).unwrap().cut, 1.0);
    }

    #[test]
    fn bad_targets_and_too_few_positives_are_refused() {
        for value in [0.0, 1.0, -0.5, 95.0, f64::NAN] {
            assert!(RecallTarget::new(value, 0.95).is_err() && RecallTarget::new(0.95, value).is_err());
        }
        let refused = target(0.95, 0.95).cut(&[0.5; 40], Over::Population).unwrap_err().to_string();
        assert_eq!(
            refused,
            "40 held-out positives are too few to promise a recall of 0.95 with confidence 0.95: that takes at least 59"
        );
    }
}
