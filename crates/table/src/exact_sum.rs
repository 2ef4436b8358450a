//! Sums of `f64` without rounding, so that the order of the terms and how they are shared out do not change a bit.
//!
//! Every finite `f64`, and every product of two, is a whole number of units of 2⁻²¹⁴⁸. An [`ExactSum`] is such a whole number of
//! 4,288 bits: digits of 32 bits, each in 64, so that a billion terms are added before any digit overflows into the next (R. M. Neal,
//! "Fast exact summation using small and large superaccumulators", arXiv:1505.05571, 2015). It is rounded once, when it is read.

use serde::{Deserialize, Serialize};

/// Digits of a sum: products of the largest numbers, 2⁶⁴ times, and a sum of those times such a number.
const DIGITS: usize = 134;
/// Bits of a digit.
const BITS: u32 = 32;
const MASK: i64 = (1 << BITS) - 1;
/// The lowest bit is worth two to this power: the product of the two smallest numbers.
const LOWEST: i32 = -2148;
/// The place of the lowest bit of an `f64`, which is worth 2⁻¹⁰⁷⁴.
const LOWEST_OF_ONE: usize = 1074;
/// Terms of 32 bits per digit that are added before carrying: with what was there they are below 2⁶³.
const MOST_WAITING: u32 = 1 << 30;

/// A sum of any number of `f64` and of products of two, exact until it is read by [`value`](Self::value).
///
/// ```
/// use onesided_table::ExactSum;
///
/// let sum: ExactSum = [1e100, 0.1, -1e100, 0.2].into_iter().collect();
/// assert_eq!(sum.value(), 0.1 + 0.2);
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Written", try_from = "Written")]
pub struct ExactSum {
    /// The lowest first. Once carried, all but the last are below 2³² and none is negative but the last.
    digits: [i64; DIGITS],
    /// Terms since digits were carried.
    waiting: u32,
    /// Terms that are ∞, -∞ and NaN.
    not_finite: [u64; 3],
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { digits: [0; DIGITS], waiting: 0, not_finite: [0; 3] }
    }
}

/// The whole number m and the power e of m · 2ᵉ = |x|.
fn parts(x: f64) -> (u64, i32) {
    let (bits, fraction) = (x.to_bits(), x.to_bits() & ((1 << 52) - 1));
    match (bits >> 52) as i32 & 0x7ff {
        0 => (fraction, -1074),
        power => (fraction | 1 << 52, power - 1075),
    }
}

impl ExactSum {
    /// Adds a number.
    #[inline]
    pub fn add(&mut self, x: f64) {
        if !x.is_finite() {
            return self.add_not_finite(x);
        }
        let (m, e) = parts(x);
        self.add_bits(m, (e - LOWEST) as usize, x.is_sign_negative());
        self.wait(1);
    }

    /// Adds a number this many times.
    pub fn add_times(&mut self, x: f64, times: u64) {
        // 2³² - 1 is exact as an f64, and so is what is left.
        self.add_product(x, (times & MASK as u64) as f64);
        self.add_product(x, (times & !(MASK as u64)) as f64);
    }

    /// Adds x · y, which is not rounded.
    pub fn add_product(&mut self, x: f64, y: f64) {
        if !x.is_finite() || !y.is_finite() {
            return self.add_not_finite(x * y);
        }
        let ((m, e), (n, f)) = (parts(x), parts(y));
        let (product, at) = (u128::from(m) * u128::from(n), (e + f - LOWEST) as usize);
        let negative = x.is_sign_negative() != y.is_sign_negative();
        self.add_bits(product as u64 & ((1 << 53) - 1), at, negative);
        self.add_bits((product >> 53) as u64, at + 53, negative);
        self.wait(2);
    }

    /// Adds the terms of another sum, each times `factor`, which is not rounded either. Of a sum of products, bits below 2⁻²¹⁴⁸ and
    /// beyond the digits there are are lost.
    pub fn add_scaled(&mut self, other: &ExactSum, factor: f64) {
        if !factor.is_finite() || other.not_finite != [0; 3] {
            return self.add_not_finite(other.value() * factor);
        }
        let other = other.carried();
        let negative = other.is_negative();
        let digits = if negative { other.negated() } else { other }.digits;
        for (place, digit) in digits.into_iter().enumerate().filter(|(_, digit)| *digit != 0) {
            let (m, e) = parts(factor);
            let (mut product, mut at) = (digit as u128 * u128::from(m), (BITS as usize * place) as i32 + e);
            if at < 0 {
                product = product.checked_shr(at.unsigned_abs()).unwrap_or(0);
                at = 0;
            }
            let minus = negative != factor.is_sign_negative();
            self.add_bits(product as u64 & ((1 << 53) - 1), at as usize, minus);
            self.add_bits((product >> 53) as u64, at as usize + 53, minus);
            self.wait(2);
        }
    }

    /// Adds the terms of another sum.
    pub fn merge(&mut self, other: &ExactSum) {
        self.carry();
        let other = other.carried();
        self.digits.iter_mut().zip(other.digits).for_each(|(sum, more)| *sum += more);
        self.not_finite.iter_mut().zip(other.not_finite).for_each(|(sum, more)| *sum += more);
        self.waiting = 1;
    }

    /// The sum, rounded to the nearest `f64`, ties to the even one.
    pub fn value(&self) -> f64 {
        match self.not_finite {
            [0, 0, 0] => {}
            [_, 0, 0] => return f64::INFINITY,
            [0, _, 0] => return f64::NEG_INFINITY,
            _ => return f64::NAN,
        }
        let sum = self.carried();
        if sum.is_negative() { -sum.negated().rounded() } else { sum.rounded() }
    }

    #[cold]
    fn add_not_finite(&mut self, x: f64) {
        let kind = if x.is_nan() { 2 } else { usize::from(x < 0.0) };
        self.not_finite[kind] += 1;
    }

    /// Adds or takes away m < 2⁶⁴ at a place, counted in bits.
    #[inline]
    fn add_bits(&mut self, m: u64, place: usize, negative: bool) {
        let (at, by) = (place / BITS as usize, place % BITS as usize);
        let shifted = u128::from(m) << by;
        let sign = -i64::from(negative);
        let signed = |part: u128| ((part as i64 & MASK) ^ sign) - sign;
        if let Some(digits) = self.digits.get_mut(at..at + 3) {
            digits[0] += signed(shifted);
            digits[1] += signed(shifted >> BITS);
            digits[2] += signed(shifted >> (2 * BITS));
        }
    }

    #[inline]
    fn wait(&mut self, terms: u32) {
        self.waiting += terms;
        if self.waiting >= MOST_WAITING {
            self.carry();
        }
    }

    fn carry(&mut self) {
        let mut carry = 0;
        for digit in &mut self.digits[..DIGITS - 1] {
            let all = *digit + carry;
            (*digit, carry) = (all & MASK, all >> BITS);
        }
        self.digits[DIGITS - 1] += carry;
        self.waiting = 0;
    }

    /// The same sum in the one form that has no carry left.
    fn carried(&self) -> Self {
        let mut sum = self.clone();
        sum.carry();
        sum
    }

    fn is_negative(&self) -> bool {
        self.digits[DIGITS - 1] < 0
    }

    fn negated(mut self) -> Self {
        self.digits.iter_mut().for_each(|digit| *digit = -*digit);
        self.carry();
        self
    }

    /// The value of a sum that is carried and not negative.
    fn rounded(&self) -> f64 {
        let Some(top) = self.digits.iter().rposition(|&digit| digit != 0) else { return 0.0 };
        let highest = BITS as usize * top + self.digits[top].ilog2() as usize;
        // The lowest bit that is kept: 53 of them, fewer where the number is subnormal.
        let lowest = (highest.saturating_sub(52)).max(LOWEST_OF_ONE);
        let digit = |at: usize| self.digits.get(at).map_or(0, |&digit| digit as u128);
        let from = |place: usize| {
            let at = place / BITS as usize;
            let three = digit(at) | digit(at + 1) << BITS | digit(at + 2) << (2 * BITS);
            (three >> (place % BITS as usize)) as u64
        };
        let kept = if highest < lowest { 0 } else { from(lowest) & ((1 << 53) - 1) };
        let half = from(lowest - 1) & 1 == 1;
        let below = lowest - 1;
        let rest = self.digits[..below / BITS as usize].iter().any(|&digit| digit != 0)
            || self.digits[below / BITS as usize] & ((1 << (below % BITS as usize)) - 1) != 0;
        let rounded = kept + u64::from(half && (rest || kept & 1 == 1));
        // The bit of 2⁵² adds one to the power, and so does a carry beyond it.
        match (lowest - LOWEST_OF_ONE) as u64 {
            power if power > 0x7fe => f64::INFINITY,
            power => f64::from_bits(((power << 52) + rounded).min(f64::INFINITY.to_bits())),
        }
    }
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        let mut sum = Self::default();
        numbers.into_iter().for_each(|x| sum.add(x));
        sum
    }
}

impl PartialEq for ExactSum {
    fn eq(&self, other: &Self) -> bool {
        self.not_finite == other.not_finite && self.carried().digits == other.carried().digits
    }
}

/// A sum as it is stored: a sign, and its digits from the lowest to the highest that is not 0.
#[derive(Serialize, Deserialize)]
struct Written {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    negative: bool,
    place: usize,
    digits: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    not_finite: Option<[u64; 3]>,
}

impl From<ExactSum> for Written {
    fn from(sum: ExactSum) -> Self {
        let not_finite = Some(sum.not_finite).filter(|counts| *counts != [0; 3]);
        let sum = sum.carried();
        let negative = sum.is_negative();
        let digits = if negative { sum.negated() } else { sum }.digits;
        let place = digits.iter().position(|&digit| digit != 0).unwrap_or(0);
        let end = digits.iter().rposition(|&digit| digit != 0).map_or(0, |last| last + 1);
        let digits = digits[place..end.max(place)].iter().map(|&digit| digit as u32).collect();
        Self { negative, place, digits, not_finite }
    }
}

impl TryFrom<Written> for ExactSum {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let mut sum = Self { not_finite: written.not_finite.unwrap_or_default(), ..Self::default() };
        let end = written.place.saturating_add(written.digits.len());
        let digits = sum.digits.get_mut(written.place..end).ok_or("a sum has more digits than there are")?;
        digits.iter_mut().zip(&written.digits).for_each(|(digit, &written)| *digit = i64::from(written));
        Ok(if written.negative { sum.negated() } else { sum })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    fn bits(word: &str) -> f64 {
        f64::from_bits(u64::from_str_radix(word, 16).unwrap())
    }

    /// Sums of Python's `math.fsum`, and of products as fractions: `tests/golden/exact_sums.py`.
    #[test]
    fn sums_are_those_of_python() {
        let golden = include_str!("../tests/golden/exact_sums.txt");
        let (mut sums, mut products) = (0, 0);
        for line in golden.lines().filter(|line| !line.starts_with('#')) {
            let mut words = line.split(' ');
            let (kind, expected) = (words.next().unwrap(), bits(words.next().unwrap()));
            let numbers: Vec<f64> = words.map(bits).collect();
            let mut sum = ExactSum::default();
            match kind {
                "sum" => {
                    numbers.iter().for_each(|&x| sum.add(x));
                    sums += 1;
                }
                _ => {
                    numbers.chunks(2).for_each(|pair| sum.add_product(pair[0], pair[1]));
                    products += 1;
                }
            }
            assert_eq!(sum.value().to_bits(), expected.to_bits(), "{line}");
        }
        assert_eq!((sums, products), (199, 102));
    }

    /// A number of any size: random bits, or one of those at the ends.
    fn number(draw: &mut Stream) -> f64 {
        match draw.below(8) {
            0 => [f64::MAX, f64::MIN_POSITIVE, 5e-324, 0.0, -0.0, 1.0][draw.below(6)],
            _ => Some(f64::from_bits(draw.next_u64())).filter(|x| x.is_finite()).unwrap_or(1.5),
        }
    }

    #[test]
    fn no_order_and_no_partition_changes_a_bit() {
        for seed in 0..200 {
            let mut draw = Stream::new(seed, "sums");
            let mut numbers: Vec<f64> = (0..1 + draw.below(60)).map(|_| number(&mut draw)).collect();
            let whole: ExactSum = numbers.iter().copied().collect();
            let written = serde_json::to_string(&whole).unwrap();
            for parts in [1, 2, 7] {
                draw.shuffle(&mut numbers);
                let mut merged = ExactSum::default();
                for part in numbers.chunks(numbers.len().div_ceil(parts)) {
                    merged.merge(&part.iter().copied().collect());
                }
                assert_eq!(serde_json::to_string(&merged).unwrap(), written);
                assert_eq!(merged.value().to_bits(), whole.value().to_bits());
            }
            let read: ExactSum = serde_json::from_str(&written).unwrap();
            assert_eq!(read, whole);
        }
    }

    #[test]
    fn terms_cancel_and_scale_exactly() {
        let mut draw = Stream::new(0, "cancel");
        let numbers: Vec<f64> = (0..500).map(|_| number(&mut draw)).collect();
        let sum: ExactSum = numbers.iter().copied().collect();
        let mut nothing = sum.clone();
        nothing.add_scaled(&sum, -1.0);
        assert_eq!(nothing, ExactSum::default());
        // Term by term, or all at once.
        for factor in [3.0, -0.1, 1e-200] {
            let (mut each, mut all) = (ExactSum::default(), ExactSum::default());
            numbers.iter().for_each(|&x| each.add_product(x, factor));
            all.add_scaled(&sum, factor);
            assert_eq!(each, all, "{factor}");
        }
        let (mut often, mut times) = (ExactSum::default(), ExactSum::default());
        (0..1_000).for_each(|_| often.add(-0.1));
        times.add_times(-0.1, 1_000);
        assert_eq!(often, times);
        times.add_times(1.0, u64::MAX);
        assert_eq!(times.value(), u64::MAX as f64);
    }

    #[test]
    fn digits_are_carried_in_time() {
        let mut sum: ExactSum = [-1.5].into_iter().collect();
        sum.waiting = MOST_WAITING - 1;
        let mut carried = sum.carried();
        sum.add(-1.5);
        assert_eq!(sum.waiting, 0);
        carried.add(-1.5);
        assert_eq!((sum == carried, sum.value()), (true, -3.0));
        // The most that may wait is within the bounds of a digit.
        let most = (1i64 << BITS) * i64::from(MOST_WAITING) + (1 << BITS);
        assert!(most.checked_add(1 << BITS).is_some());
    }

    #[test]
    fn what_is_not_finite_is_told_whatever_the_order() {
        let of = |numbers: &[f64]| numbers.iter().copied().collect::<ExactSum>().value();
        let infinity = f64::INFINITY;
        assert_eq!([of(&[1.0, infinity]), of(&[-infinity, 1.0])], [infinity, -infinity]);
        assert!(of(&[infinity, 1.0, -infinity]).is_nan() && of(&[f64::NAN, infinity]).is_nan());
        // The sum of the largest numbers is beyond them, and comes back.
        assert_eq!(of(&[f64::MAX, f64::MAX]), infinity);
        assert_eq!(of(&[f64::MAX, f64::MAX, -f64::MAX]), f64::MAX);
        assert_eq!(of(&[]).to_bits(), 0);
        let mut scaled = ExactSum::default();
        scaled.add_scaled(&[infinity].into_iter().collect(), -2.0);
        assert_eq!(scaled.value(), -infinity);
        assert!(serde_json::from_str::<ExactSum>(r#"{"place":133,"digits":[1,2]}"#).is_err());
    }
}
