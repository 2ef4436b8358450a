//! Percentile bootstrap over sorted samples (Efron, 1979).
//!
//! A sample is sorted once. A resample is then not a new list of scores but a count for each place in the sorted
//! order, kept as running totals: "how many of the drawn scores lie below this place" is one lookup, and a metric
//! that needs ranks costs O(n) a resample instead of another sort. The draws are the exact multinomial ones, n out
//! of n with replacement, at every size; since places are drawn uniformly it does not matter that they are sorted.

use onesided_data::Stream;
use serde::{Deserialize, Serialize};

/// The number of resamples to ask for unless there is a reason to ask for another.
pub const RESAMPLES: usize = 200;

/// The two-sided level of every interval is 95 %: these two quantiles of the resampled values.
const TAILS: [f64; 2] = [0.025, 0.975];

/// An estimate with its interval, at 95 % and by percentile bootstrap where nothing else is said. It shows the sampling
/// error of the held-out rows; it does not show a bias, such as that of a wrong prior.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The estimate on the sample itself.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// How many times as wide intervals are whose rows were held out in turn, in so many folds; 1 for a single fold.
///
/// The bootstrap knows what other held-out rows would change, and nothing of what other training rows would. Each fold's model
/// met nearly the same few labels, so what is peculiar to these is in all folds alike, and the finished model is yet
/// another one. Nadeau and Bengio (2003) put the variance of a mean over k folds at 1/k + 1/(k - 1) instead of 1/k times
/// that of one: k/(k - 1) more than the bootstrap's. For five folds the root is 1.5.
pub fn held_out_in_turn(folds: usize) -> f64 {
    if folds < 2 { 1.0 } else { (1.0 + folds as f64 / (folds - 1) as f64).sqrt() }
}

impl Interval {
    /// This many times as wide, not below 0 nor above `most`.
    #[must_use]
    pub fn widened(self, factor: f64, most: f64) -> Self {
        let Self { value, low, high } = self;
        let (low, high) = (value - factor * (value - low), value + factor * (high - value));
        Self { value, low: low.max(0.0), high: high.min(most) }
    }

    /// From the values on the resamples. A resample on which the metric is undefined is left out; if it is undefined
    /// on the sample or on every resample, there is no interval.
    pub(crate) fn percentile(
        value: Option<f64>,
        resampled: impl Iterator<Item = Option<f64>>,
    ) -> Option<Self> {
        let value = value?;
        let resampled: Vec<f64> = resampled.flatten().collect();
        (!resampled.is_empty()).then(|| Self::spanning(value, resampled))
    }

    /// The interval of an estimate that resampling biases upward, as a sum of absolute values is. The value is biased as the
    /// resamples are, so the lower end makes up for that (the basic bootstrap's: the upper percentile's distance, downward). The
    /// upper end shows scatter alone: the upper percentile less the bias. Not below 0.
    pub(crate) fn biased_upward(
        value: Option<f64>,
        resampled: impl Iterator<Item = Option<f64>>,
    ) -> Option<Self> {
        let resampled: Vec<f64> = resampled.flatten().collect();
        let mean = resampled.iter().sum::<f64>() / resampled.len().max(1) as f64;
        let Self { value, high, .. } = Self::percentile(value, resampled.into_iter().map(Some))?;
        let bias = (mean - value).max(0.0);
        Some(Self { value, low: (2.0 * value - high).clamp(0.0, value), high: (high - bias).max(value) })
    }

    /// With ends that hold the value.
    pub(crate) fn holding_value(self) -> Self {
        Self { low: self.low.min(self.value), high: self.high.max(self.value), ..self }
    }

    /// With ends that hold these.
    pub(crate) fn holding(self, low: f64, high: f64) -> Self {
        Self { low: self.low.min(low), high: self.high.max(high), ..self }
    }

    /// With all three numbers from 0 to 1. An estimate that is too large takes its lower end down with it, by the same factor, so
    /// that what cannot be is not printed as certain; one below 0 takes its upper end up, as that of 1 minus it.
    pub(crate) fn clipped(self) -> Self {
        let Self { value, low, high } = self;
        let low = if value > 1.0 { low / value } else { low };
        let high = if value < 0.0 { 1.0 - (1.0 - high) / (1.0 - value) } else { high };
        Self { value: value.clamp(0.0, 1.0), low: low.clamp(0.0, 1.0), high: high.clamp(0.0, 1.0) }
    }

    /// From the values on the resamples, of which there must be at least one.
    pub(crate) fn spanning(value: f64, mut resampled: Vec<f64>) -> Self {
        resampled.sort_unstable_by(f64::total_cmp);
        let [low, high] = TAILS.map(|tail| quantile(&resampled, tail));
        Self { value, low, high }
    }
}

/// The quantile of sorted values, with linear interpolation between neighbors.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

/// How often each member of a sorted sample was drawn, times its weight where members have weights.
pub(crate) struct Draw {
    /// `below[i]` is the number of draws that fell on the `i` lowest members; one entry more than there are members.
    /// Whole numbers, exactly, where there are no weights.
    below: Vec<f64>,
    weights: Option<Vec<f64>>,
}

impl Draw {
    /// The sample itself, every member with its weight.
    pub(crate) fn weighted(members: usize, weights: Option<Vec<f64>>) -> Self {
        let mut draw = Self { below: vec![1.0; members + 1], weights };
        draw.below[0] = 0.0;
        draw.add_up();
        draw
    }

    /// From draws of each member to running totals.
    fn add_up(&mut self) {
        let mut total = 0.0;
        for (place, entry) in self.below.iter_mut().enumerate() {
            let weight = match (&self.weights, place) {
                (Some(weights), 1..) => weights[place - 1],
                _ => 1.0,
            };
            total += weight * *entry;
            *entry = total;
        }
    }

    /// Replaces the counts by those of a fresh resample, as many draws as there are members, with replacement.
    pub(crate) fn resample(&mut self, stream: &mut Stream) {
        self.below.fill(0.0);
        let members = self.below.len() - 1;
        for _ in 0..members {
            self.below[stream.below(members) + 1] += 1.0;
        }
        self.add_up();
    }

    /// Draws on the `place` lowest members.
    pub(crate) fn below(&self, place: usize) -> f64 {
        self.below[place]
    }

    /// Draws on the members from `place` upwards.
    pub(crate) fn from(&self, place: usize) -> f64 {
        self.total() - self.below(place)
    }

    /// All draws: the number of members, or the sum of the weights of those drawn.
    pub(crate) fn total(&self) -> f64 {
        self.below[self.below.len() - 1]
    }

    /// How often each member was drawn, in sorted order.
    pub(crate) fn counts(&self) -> impl Iterator<Item = f64> {
        self.below.windows(2).map(|pair| pair[1] - pair[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let sorted = [1.0, 2.0, 4.0];
        assert_eq!(quantile(&sorted, 0.0), 1.0);
        assert_eq!(quantile(&sorted, 0.25), 1.5);
        assert_eq!(quantile(&sorted, 0.75), 3.0);
        assert_eq!(quantile(&sorted, 1.0), 4.0);
    }

    #[test]
    fn percentiles_of_a_known_list() {
        // 0, 1, …, 40 backwards: the 2.5 % and 97.5 % quantiles are 1 and 39; the undefined value is left out.
        let resampled = (0..=40).rev().map(|i| Some(f64::from(i))).chain([None]);
        let interval = Interval::percentile(Some(20.0), resampled).unwrap();
        assert_eq!(interval, Interval { value: 20.0, low: 1.0, high: 39.0 });
        assert_eq!(Interval::percentile(None, [Some(1.0)].into_iter()), None);
        assert_eq!(Interval::percentile(Some(1.0), [None].into_iter()), None);
    }

    #[test]
    fn an_estimate_that_resampling_biases_upward_lies_inside_its_interval() {
        // All resamples lie above the value: from 35 to 75 with a mean of 55, so 5 % of 40 are cut off at both ends together.
        let resampled = || (35..=75).map(|i| Some(f64::from(i)));
        let Interval { value, low, high } = Interval::biased_upward(Some(50.0), resampled()).unwrap();
        assert_eq!((value, low, high), (50.0, 26.0, 69.0));
        // Far above it: what cannot be is cut off, and the upper end is scatter.
        let Interval { low, high, .. } = Interval::biased_upward(Some(30.0), resampled()).unwrap();
        assert_eq!((low, high), (0.0, 49.0));
        assert_eq!(Interval::biased_upward(None, resampled()), None);
    }

    #[test]
    fn rows_held_out_in_turn_leave_more_room() {
        // √(1 + 5/4), √(1 + 2/1); a model that is measured itself needs none.
        assert_eq!((held_out_in_turn(5), held_out_in_turn(1)), (1.5, 1.0));
        assert!((held_out_in_turn(2) - 3f64.sqrt()).abs() < 1e-15);
        let wide = Interval { value: 0.75, low: 0.5, high: 0.875 }.widened(1.5, 1.0);
        assert_eq!(wide, Interval { value: 0.75, low: 0.375, high: 0.9375 });
        // Neither below 0 nor above what can be.
        let wide = Interval { value: 0.75, low: 0.25, high: 1.0 }.widened(2.0, 1.0);
        assert_eq!((wide.low, wide.high), (0.0, 1.0));
        assert_eq!(Interval { value: 3.0, low: 2.0, high: 4.0 }.widened(2.0, f64::INFINITY).high, 5.0);
    }

    #[test]
    fn draws_are_multinomial() {
        // Each count has mean 1 and variance 1 - 1/n; the total is always n.
        let (members, rounds) = (50, 4_000);
        let mut stream = Stream::new(0, "bootstrap");
        let mut draw = Draw::weighted(members, None);
        assert!(draw.counts().all(|count| count == 1.0));
        let mut squares = 0.0;
        for _ in 0..rounds {
            draw.resample(&mut stream);
            assert_eq!(draw.counts().sum::<f64>(), members as f64);
            assert_eq!(draw.below(20) + draw.from(20), draw.total());
            squares += draw.counts().map(|count| (count - 1.0) * (count - 1.0)).sum::<f64>();
        }
        let variance = squares / (members * rounds) as f64;
        assert!((variance - 0.98).abs() < 0.02, "variance of the counts is {variance}");
    }
}
