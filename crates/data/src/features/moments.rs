//! Mean and standard deviation of a column.

use onesided_table::WhyLeftOut;

/// Mean and standard deviation in two passes, which loses nothing to a mean far from zero.
#[derive(Clone, Copy)]
pub(super) struct Moments {
    count: f64,
    sum: f64,
    squares: f64,
    low: f64,
    high: f64,
}

impl Default for Moments {
    fn default() -> Self {
        Self { count: 0.0, sum: 0.0, squares: 0.0, low: f64::INFINITY, high: f64::NEG_INFINITY }
    }
}

impl Moments {
    pub(super) fn of<I: Iterator<Item = f64>>(values: impl Fn() -> I) -> Self {
        let mut moments = Self::default();
        values().for_each(|x| moments.first_pass(x));
        values().for_each(|x| moments.second_pass(x));
        moments
    }

    pub(super) fn first_pass(&mut self, x: f64) {
        self.count += 1.0;
        self.sum += x;
        self.low = self.low.min(x);
        self.high = self.high.max(x);
    }

    pub(super) fn second_pass(&mut self, x: f64) {
        let off = x - self.sum / self.count;
        self.squares += off * off;
    }

    /// The largest value less the smallest; negative where there is none.
    pub(super) fn spread(&self) -> f64 {
        self.high - self.low
    }

    /// The largest absolute value.
    pub(super) fn largest(&self) -> f64 {
        self.high.abs().max(self.low.abs())
    }

    /// The mean and the standard deviation (division by n), or why the column teaches nothing.
    pub(super) fn finish(self) -> Result<(f64, f64), WhyLeftOut> {
        if self.count == 0.0 {
            return Err(WhyLeftOut::Empty);
        }
        if self.low == self.high {
            return Err(WhyLeftOut::Constant);
        }
        Ok((self.sum / self.count, (self.squares / self.count).sqrt()))
    }

    /// The mean and the standard deviation, or 1 where there is no spread; a column of nothing is 0.
    pub(super) fn or_centered(&self) -> (f64, f64) {
        match self.finish() {
            Ok(moments) => moments,
            Err(WhyLeftOut::Constant) => (self.low, 1.0),
            Err(_) => (0.0, 1.0),
        }
    }
}
