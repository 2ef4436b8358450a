//! Mean, standard deviation and range of numbers.

use onesided_table::{ExactSum, WhyLeftOut};
use serde::{Deserialize, Serialize};

/// Mean and standard deviation of numbers that come in any order and in any parts.
///
/// The sums of the numbers and of their squares are exact, so nothing is lost to a mean far from zero.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    count: u64,
    sum: ExactSum,
    squares: ExactSum,
    /// The lowest and the highest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    range: Option<(f64, f64)>,
}

impl Moments {
    /// Those of finite numbers.
    pub(crate) fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let mut moments = Self::default();
        numbers.for_each(|x| moments.push(x));
        moments
    }

    /// One more number, which is finite.
    #[inline]
    pub(crate) fn push(&mut self, x: f64) {
        self.count += 1;
        self.sum.add(x);
        // The square of 24 bits is exact.
        if f64::from(x as f32) == x {
            self.squares.add(x * x)
        } else {
            self.squares.add_product(x, x)
        }
        self.widen(x, x);
    }

    /// A number this many times.
    pub(crate) fn push_times(&mut self, x: f64, times: u64) {
        if times > 0 {
            self.count += times;
            self.sum.add_times(x, times);
            self.squares.add_times(x * x, times);
            self.widen(x, x);
        }
    }

    /// The numbers of another column of the kind.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.sum.merge(&other.sum);
        self.squares.merge(&other.squares);
        if let Some((low, high)) = other.range {
            self.widen(low, high);
        }
    }

    #[inline]
    fn widen(&mut self, low: f64, high: f64) {
        // One zero: of 0 and -0, none is lower.
        let (low, high) = (low + 0.0, high + 0.0);
        self.range = Some(match self.range {
            None => (low, high),
            Some((lowest, highest)) => (lowest.min(low), highest.max(high)),
        });
    }

    /// How many numbers there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The lowest and the highest; nothing where there is none.
    pub fn range(&self) -> Option<(f64, f64)> {
        self.range
    }

    /// The largest value less the smallest; 0 where there is none.
    pub fn spread(&self) -> f64 {
        self.range.map_or(0.0, |(low, high)| high - low)
    }

    /// The largest absolute value; 0 where there is none.
    pub(crate) fn largest(&self) -> f64 {
        self.range.map_or(0.0, |(low, high)| high.abs().max(low.abs()))
    }

    /// The mean and the standard deviation (division by n), or why the column teaches nothing.
    pub fn finish(&self) -> Result<(f64, f64), WhyLeftOut> {
        let (low, high) = self.range.ok_or(WhyLeftOut::Empty)?;
        if low == high {
            return Err(WhyLeftOut::Constant);
        }
        let n = self.count as f64;
        let mean = self.sum.value() / n;
        // Σ (x - m)² = Σ x² - 2 m Σ x + n m² for the rounded mean m, all of it exact.
        let mut squares = self.squares.clone();
        squares.add_scaled(&self.sum, -2.0 * mean);
        let mut of_mean = ExactSum::default();
        of_mean.add_product(n, mean);
        squares.add_scaled(&of_mean, mean);
        Ok((mean, (squares.value() / n).sqrt()))
    }

    /// The mean and the standard deviation, or 1 where there is no spread; a column of nothing is 0.
    pub(crate) fn or_centered(&self) -> (f64, f64) {
        match self.finish() {
            Ok(moments) => moments,
            Err(_) => (self.range.map_or(0.0, |(low, _)| low), 1.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_far_from_zero_costs_no_digit() {
        // 10¹⁵ + 1, 2, 3, 4: the squares alone would leave nothing of a variance of 5/4.
        let far = Moments::of((1..=4).map(|i| 1e15 + f64::from(i)));
        assert_eq!(far.finish(), Ok((1e15 + 2.5, 1.25f64.sqrt())));
        assert_eq!((far.spread(), far.largest(), far.count()), (3.0, 1e15 + 4.0, 4));
    }

    #[test]
    fn nothing_and_one_value_teach_nothing() {
        assert_eq!(Moments::default().finish(), Err(WhyLeftOut::Empty));
        assert_eq!(Moments::default().or_centered(), (0.0, 1.0));
        let zeros = Moments::of([0.0, -0.0].into_iter());
        assert_eq!(zeros.finish(), Err(WhyLeftOut::Constant));
        assert_eq!(zeros.or_centered().0.to_bits(), 0);
    }

    #[test]
    fn a_number_may_come_many_times() {
        let (mut times, mut each) = (Moments::default(), Moments::default());
        times.push_times(1.0, 3);
        times.push_times(0.0, 5);
        times.push_times(7.0, 0);
        [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0].into_iter().for_each(|x| each.push(x));
        assert_eq!(times, each);
    }
}
