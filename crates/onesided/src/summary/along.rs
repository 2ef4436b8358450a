//! What a reader of a list may count on at some places of it, and what other assumptions would make of that.

use crate::{Error, Interval, LabelingOdds, RecallTarget, Review, ReviewList, ShareInList, Top};
use onesided_eval::AtTop;
use serde::Serialize;

/// Places on a grid of equal steps, and on one of equal ratios: one is dense at the end of a list, the other at its start.
const STEPS: usize = 20;
const RATIOS: usize = 34;
/// Shares of positives on either side of the one assumed, by their odds, and how far away the last one is at least.
const SHARES: usize = 12;
const FURTHEST: f64 = 4.0;
/// Labeling odds that are looked at.
const ODDS: [f64; 9] = [1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0];
/// Recalls that are promised, with this confidence.
const RECALLS: [f64; 4] = [0.5, 0.8, 0.9, 0.95];
const CONFIDENCE: f64 = 0.95;
/// Bins of scores, and the share of rows at either end that is drawn in the outermost ones.
const BINS: usize = 28;
const OUTSIDE: f64 = 0.001;

/// A list at some places.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Along {
    /// How many positives it rests on.
    pub positives: usize,
    /// Which of the places is the model's own cut; `None` where it calls no row positive.
    pub decided: Option<usize>,
    /// The first place that finds nine of ten positives, by what is likely.
    pub most: usize,
    /// The places, the nearest first.
    pub at: Vec<AtTop>,
    /// The share of positives that precisions rest on.
    pub share: Option<ShareInList>,
    /// What other shares would make of precisions, ascending; empty without a share.
    pub shares: Vec<AtShare>,
    /// What labels that favor some positives would make of recalls.
    pub odds: Vec<AtOdds>,
    /// What is promised, if something is.
    pub promises: Vec<PromiseAt>,
    /// Whether promises are about rows like these and not about these: the model was fitted on them.
    pub promises_of_new_rows: bool,
}

/// The same places with another share of positives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AtShare {
    /// The share.
    pub share: f64,
    /// Positives in the whole list.
    pub positives: f64,
    /// Of the places: the share of the rows up to there that is positive; without a value where only a recall lower than the likeliest
    /// fits it, and `None` where none does.
    pub precision: Vec<Option<Interval>>,
}

/// The same places where labels may favor some positives.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AtOdds {
    /// Γ.
    pub odds: f64,
    /// Of the places: the share of all positives up to there.
    pub recall: Vec<Interval>,
    /// How many rows to read for each recall of [`Along::promises`] at least.
    pub rows: Vec<Option<usize>>,
}

/// What is promised of a recall.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PromiseAt {
    /// The recall.
    pub recall: f64,
    /// With which confidence.
    pub confidence: f64,
    /// The promise, or why there is none.
    pub review: Result<Review, String>,
}

impl Along {
    /// Promises come from a list whose positives serve nothing else, where there is one.
    pub(super) fn of(
        list: &ReviewList,
        predicted_positive: usize,
        promising: Option<&ReviewList>,
    ) -> Result<Self, Error> {
        let rows = list.rows();
        let cuts = places(rows, predicted_positive);
        let tops: Vec<Top> = cuts.iter().map(|&rows| Top::Rows(rows)).collect();
        let at = list.at_tops(&tops, LabelingOdds::RANDOM)?;
        let most = at.iter().position(|at| at.recall.value >= 0.9).unwrap_or(at.len() - 1);
        let shares = list.share().map_or_else(Vec::new, |share| around(share.share));
        let at_share = |share: f64| -> Result<AtShare, Error> {
            let at = list.with_share(share).at_tops(&tops, LabelingOdds::RANDOM)?;
            let precision = at.iter().map(|at| at.precision).collect();
            Ok(AtShare { share, positives: share * rows as f64, precision })
        };
        let targets = if promising.is_some() { RECALLS.as_slice() } else { &[] };
        let promising = promising.unwrap_or(list);
        let review = |&recall: &f64| -> Result<PromiseAt, Error> {
            let review =
                promising.review(RecallTarget::new(recall, CONFIDENCE)?).map_err(|error| error.to_string());
            Ok(PromiseAt { recall, confidence: CONFIDENCE, review })
        };
        let at_odds = |&odds: &f64| -> Result<AtOdds, Error> {
            let labeling = LabelingOdds::new(odds)?;
            let recall = list.at_tops(&tops, labeling)?.iter().map(|at| at.recall).collect();
            let to_read = |&recall: &f64| -> Result<Option<usize>, Error> {
                let target = RecallTarget::new(recall, CONFIDENCE)?.with_labeling(labeling);
                Ok(promising.review(target).ok().map(|review| review.population.rows))
            };
            Ok(AtOdds { odds, recall, rows: targets.iter().map(to_read).collect::<Result<_, _>>()? })
        };
        Ok(Self {
            positives: list.positives(),
            decided: cuts.iter().position(|&rows| rows == predicted_positive),
            most,
            at,
            share: list.share(),
            shares: shares.into_iter().map(at_share).collect::<Result<_, _>>()?,
            odds: ODDS.iter().map(at_odds).collect::<Result<_, _>>()?,
            promises: targets.iter().map(review).collect::<Result<_, _>>()?,
            promises_of_new_rows: false,
        })
    }
}

/// Numbers of rows to look at, ascending: round ones, all rows, and as many as are predicted positive.
fn places(rows: usize, predicted_positive: usize) -> Vec<usize> {
    let n = rows as f64;
    let start = (n / 1_000.0).max(5.0).min(n);
    let ratio = |i: usize| start * (n / start).powf(i as f64 / RATIOS as f64);
    let mut places: Vec<usize> = (1..STEPS)
        .map(|i| n * i as f64 / STEPS as f64)
        .chain((0..RATIOS).map(ratio))
        .map(rounded)
        .chain([rows])
        .chain((predicted_positive > 0).then_some(predicted_positive))
        .filter(|&place| place >= 1 && place <= rows)
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// To two digits.
fn rounded(rows: f64) -> usize {
    let unit = 10f64.powf((rows.max(1.0).log10().floor() - 1.0).max(0.0));
    ((rows / unit).round() * unit) as usize
}

/// The share and others around it, ascending.
fn around(share: Interval) -> Vec<f64> {
    let odds = |share: f64| share / (1.0 - share);
    let middle = odds(share.value.clamp(1e-6, 1.0 - 1e-6));
    let low = (middle / FURTHEST).min(odds(share.low.clamp(1e-6, 1.0))).max(middle / (FURTHEST * FURTHEST));
    let high = (middle * FURTHEST).max(odds(share.high.min(0.999)));
    let grid = |end: f64| (1..=SHARES).map(move |i| middle * (end / middle).powf(i as f64 / SHARES as f64));
    let mut all: Vec<f64> = grid(low).chain(grid(high)).map(|odds| odds / (1.0 + odds)).collect();
    // As it is told, and not as its odds come back.
    all.push(share.value);
    all.sort_by(f64::total_cmp);
    all
}

/// Scores of two kinds of rows, in bins of equal width.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreBins {
    /// The ends of the bins, one more than there are bins.
    pub ends: Vec<f64>,
    /// Labeled positives in each.
    pub positive: Vec<usize>,
    /// Listed rows in each.
    pub listed: Vec<usize>,
}

impl ScoreBins {
    /// `None` where nothing is listed.
    pub(super) fn of(positive: &[f32], listed: &[f32]) -> Option<Self> {
        let quantiles = |scores: &[f32]| {
            let mut sorted = scores.to_vec();
            sorted.sort_unstable_by(f32::total_cmp);
            let at = |share: f64| {
                Some(f64::from(*sorted.get(((sorted.len() - 1) as f64 * share).round() as usize)?))
            };
            if sorted.is_empty() { None } else { Some((at(OUTSIDE)?, at(1.0 - OUTSIDE)?)) }
        };
        let (mut low, mut high) = quantiles(listed)?;
        if let Some((a, b)) = quantiles(positive) {
            (low, high) = (low.min(a), high.max(b));
        }
        if high - low < 1e-6 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        let width = (high - low) / BINS as f64;
        let count = |scores: &[f32]| {
            let mut counts = vec![0; BINS];
            scores.iter().for_each(|&score| {
                counts[(((f64::from(score) - low) / width) as usize).min(BINS - 1)] += 1;
            });
            counts
        };
        let ends = (0..=BINS).map(|i| low + width * i as f64).collect();
        Some(Self { ends, positive: count(positive), listed: count(listed) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_round_and_have_the_ends() {
        let all = places(4_000, 1_037);
        assert!(all.contains(&4_000) && all.contains(&1_037) && all[0] <= 5 && all.len() < 60, "{all:?}");
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!(places(1, 0), [1]);
        assert_eq!((rounded(1_234.0), rounded(99.6), rounded(7.4)), (1_200, 100, 7));
    }

    #[test]
    fn shares_hold_the_one_assumed_and_its_interval() {
        let all = around(Interval { value: 0.2, low: 0.05, high: 0.7 });
        assert!(all.contains(&0.2) && all.len() == 2 * SHARES + 1);
        assert!(
            all[0] <= 0.05 + 1e-9
                && *all.last().unwrap() >= 0.7 - 1e-9
                && all.iter().all(|s| *s > 0.0 && *s < 1.0)
        );
    }

    #[test]
    fn bins_hold_every_row() {
        let bins = ScoreBins::of(&[2.0, 9.0], &[-3.0, 0.0, 1.0, 1.0]).unwrap();
        assert_eq!((bins.positive.iter().sum::<usize>(), bins.listed.iter().sum::<usize>()), (2, 4));
        assert_eq!((bins.listed[0], bins.positive[BINS - 1], bins.ends.len()), (1, 1, BINS + 1));
        assert_eq!(ScoreBins::of(&[1.0], &[]), None);
    }

    /// The numbers of the page are those of the list.
    #[test]
    fn every_number_is_that_of_the_list() {
        let positive: Vec<f32> = (0..200).map(|i| (i % 50) as f32 + 30.0).collect();
        let listed: Vec<f32> = (0..2_000).map(|i| (i % 100) as f32).collect();
        let list = ReviewList::new(positive, listed, Some(ShareInList::given(0.2)));
        let along = Along::of(&list, 300, Some(&list)).unwrap();
        assert_eq!(along.at[along.decided.unwrap()].rows, 300);
        for (place, at) in along.at.iter().enumerate() {
            assert_eq!(*at, list.at_top(Top::Rows(at.rows), LabelingOdds::RANDOM).unwrap());
            for one in &along.odds {
                let odds = LabelingOdds::new(one.odds).unwrap();
                assert_eq!(one.recall[place], list.at_top(Top::Rows(at.rows), odds).unwrap().recall);
            }
            let same = along.shares.iter().find(|one| one.share == 0.2).unwrap();
            let told = |precision: Option<Interval>| {
                precision.map(|told| (told.low, told.high, told.value.to_bits()))
            };
            assert_eq!(told(same.precision[place]), told(at.precision));
        }
        assert!(along.promises[1].review.is_ok());
        assert_eq!(along.odds[0].rows[1], Some(along.promises[1].review.as_ref().unwrap().population.rows));
    }
}
