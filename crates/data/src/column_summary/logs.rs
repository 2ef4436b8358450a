//! Sums of logarithms, as whole numbers.

use serde::{Deserialize, Serialize};

/// Numbers that are counted together.
pub(crate) const BLOCK: usize = 1 << 16;

/// Sums of the logarithms of numbers, without those of 0.
///
/// The bits of a positive `f32` are its logarithm to the base 2 but for .09 at most (J. N. Mitchell, "Computer multiplication and
/// division using binary logarithms", IRE Transactions on Electronic Computers, 1962): whole numbers, which are summed fast
/// and to the same end in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logs {
    /// How many numbers.
    pub numbers: u64,
    /// The sum of their logarithms in units of 2⁻⁸, 127 · 2⁸ above what they are.
    pub sum: u64,
    /// The sum of these without their fractions, in whole units, for the spread.
    pub whole: u64,
    /// The sum of the squares of these.
    pub squares: u64,
}

impl Logs {
    pub(crate) fn is_empty(&self) -> bool {
        self.numbers == 0
    }

    /// Counts at most [`BLOCK`] numbers: sums of this many numbers below 2¹⁶ fit into 32 bits, several of which are added at a time.
    pub(crate) fn count<T: Single>(&mut self, block: &[T]) {
        let [mut numbers, mut sum, mut whole, mut squares] = [0u32; 4];
        for &x in block {
            // The sign is shifted out, and 0 and what is not there count nothing.
            let bits = x.single().to_bits() << 1;
            let log = if bits == 0 || bits >= 0xff << 24 { 0 } else { bits >> 16 };
            let power = log >> 8;
            numbers += u32::from(log > 0);
            sum += log;
            whole += power;
            squares += power * power;
        }
        let more = [numbers, sum, whole, squares].map(u64::from);
        self.merge(&Logs { numbers: more[0], sum: more[1], whole: more[2], squares: more[3] });
    }

    pub(crate) fn merge(&mut self, other: &Logs) {
        self.numbers += other.numbers;
        self.sum += other.sum;
        self.whole += other.whole;
        self.squares += other.squares;
    }

    /// Mean and standard deviation of log₂ |x|.
    pub(crate) fn moments(&self) -> (f64, f64) {
        let n = self.numbers.max(1) as f64;
        let (mean, whole) = (self.sum as f64 / n / 256.0 - 127.0, self.whole as f64 / n);
        (mean, (self.squares as f64 / n - whole * whole).max(0.0).sqrt())
    }
}

/// Numbers of either width, as narrow ones.
pub(crate) trait Single: Copy + Into<f64> {
    fn single(self) -> f32;
}

impl Single for f32 {
    fn single(self) -> f32 {
        self
    }
}

impl Single for f64 {
    fn single(self) -> f32 {
        self as f32
    }
}
