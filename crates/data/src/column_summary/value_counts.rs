//! How often each number occurs, in bounded memory, for quantiles.
//!
//! Up to [`MOST_SINGLE`] different numbers are counted one by one. Beyond that, numbers whose first bits agree are a group: sign,
//! power and as many bits of the fraction as leave at most [`MOST_GROUPS`] groups. More numbers never make fewer groups of so many
//! bits, so how many bits there are follows from all numbers, not from their order, and counts add up to the same in any. A rank is
//! off by one group at most, of normal numbers .05 % of them; that of a random sample of 2¹⁶ numbers has a standard error of .2 %.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The most different numbers that are counted one by one.
const MOST_SINGLE: usize = 1 << 16;

/// The most groups of numbers, few enough to stay in the cache.
const MOST_GROUPS: usize = 1 << 14;

/// Counts of different numbers, or of groups of neighbors.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "Written", from = "Written")]
pub struct ValueCounts {
    /// How many bits at the end of a number do not count.
    shift: u32,
    groups: HashMap<u64, Group, BuildHasherDefault<Spread>>,
}

/// Numbers whose first bits agree.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Group {
    count: u64,
    highest: f64,
}

/// Spreads keys over the table: their last bits are mostly 0.
#[derive(Clone, Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(self.0 ^ u64::from(byte)));
    }

    fn write_u64(&mut self, key: u64) {
        let product = u128::from(key) * 0x9e37_79b9_7f4a_7c15;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

/// The bits of a number, in the order of numbers.
fn ordered(x: f64) -> u64 {
    let bits = x.to_bits();
    if x.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

impl ValueCounts {
    /// One more number, which is not NaN; -0 is 0.
    #[inline]
    pub(crate) fn push(&mut self, x: f64) {
        let x = x + 0.0;
        self.add(ordered(x) >> self.shift, Group { count: 1, highest: x });
    }

    /// The numbers of other counts.
    pub(crate) fn merge(&mut self, other: &Self) {
        if other.shift > self.shift {
            self.coarsen(other.shift - self.shift);
        }
        for group in other.groups.values() {
            self.add(ordered(group.highest) >> self.shift, *group);
        }
    }

    #[inline]
    fn add(&mut self, key: u64, more: Group) {
        let join = |group: &mut Group| {
            group.count += more.count;
            group.highest = group.highest.max(more.highest);
        };
        self.groups.entry(key).and_modify(join).or_insert(more);
        if self.groups.len() > if self.shift == 0 { MOST_SINGLE } else { MOST_GROUPS } {
            self.coarsen(self.bits_too_many());
        }
    }

    /// How many bits fewer leave no more groups than may be.
    fn bits_too_many(&self) -> u32 {
        let mut keys: Vec<u64> = self.groups.keys().copied().collect();
        keys.sort_unstable();
        // Neighbors stay apart until all bits are gone up to the first in which they differ.
        let mut apart = [0usize; 65];
        keys.windows(2).for_each(|pair| apart[64 - (pair[0] ^ pair[1]).leading_zeros() as usize] += 1);
        let groups = |bits: usize| 1 + apart[bits + 1..].iter().sum::<usize>();
        (0..64).find(|&bits| groups(bits) <= MOST_GROUPS).unwrap_or(64) as u32
    }

    fn coarsen(&mut self, bits: u32) {
        self.shift += bits;
        for group in std::mem::take(&mut self.groups).into_values() {
            self.add(ordered(group.highest) >> self.shift, group);
        }
    }

    /// How many numbers there are.
    pub fn count(&self) -> u64 {
        self.groups.values().map(|group| group.count).sum()
    }

    /// Whether every different number was counted by itself.
    pub fn is_exact(&self) -> bool {
        self.shift == 0
    }

    /// The highest number of each group, ascending, and how many numbers there are up to it.
    pub fn cumulated(&self) -> Vec<(f64, u64)> {
        let mut sum = 0;
        let cumulated = |(highest, count): (f64, u64)| {
            sum += count;
            (highest, sum)
        };
        self.sorted().into_iter().map(cumulated).collect()
    }

    fn sorted(&self) -> Vec<(f64, u64)> {
        let mut all: Vec<(f64, u64)> =
            self.groups.values().map(|group| (group.highest, group.count)).collect();
        all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        all
    }
}

/// Counts as they are stored, ascending.
#[derive(Serialize, Deserialize)]
struct Written {
    shift: u32,
    counts: Vec<(f64, u64)>,
}

impl From<ValueCounts> for Written {
    fn from(counts: ValueCounts) -> Self {
        Self { shift: counts.shift, counts: counts.sorted() }
    }
}

impl From<Written> for ValueCounts {
    fn from(written: Written) -> Self {
        let mut counts = Self { shift: written.shift.min(63), ..Self::default() };
        for (highest, count) in written.counts {
            counts.add(ordered(highest) >> counts.shift, Group { count, highest });
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stream;

    fn of(numbers: &[f64]) -> ValueCounts {
        let mut counts = ValueCounts::default();
        numbers.iter().for_each(|&x| counts.push(x));
        counts
    }

    #[test]
    fn few_numbers_are_counted_one_by_one() {
        let counts = of(&[2.0, -1.5, -0.0, 2.0, 0.0]);
        assert_eq!(counts.cumulated(), [(-1.5, 1), (0.0, 3), (2.0, 5)]);
        assert!(counts.is_exact() && counts.count() == 5);
        let all: Vec<f64> = (0..MOST_SINGLE).map(|i| i as f64).collect();
        assert!(of(&all).is_exact() && !of(&[&all[..], &[0.5]].concat()).is_exact());
    }

    /// Numbers of many sizes, more than there are groups, and some again and again.
    fn many(seed: u64) -> Vec<f64> {
        let mut draw = Stream::new(seed, "counts");
        let number = |_| match draw.below(4) {
            0 => (draw.below(7) as f64) - 3.0,
            1 => draw.normal().exp2() * 1e3,
            _ => draw.normal(),
        };
        (0..3 * MOST_SINGLE).map(number).collect()
    }

    #[test]
    fn no_order_and_no_partition_changes_a_count() {
        for seed in 0..2 {
            let mut numbers = many(seed);
            let whole = of(&numbers);
            assert!(!whole.is_exact() && whole.groups.len() <= MOST_GROUPS);
            let mut draw = Stream::new(seed, "order");
            for parts in [1, 2, 3, 50] {
                draw.shuffle(&mut numbers);
                let mut merged = ValueCounts::default();
                let mut parts: Vec<ValueCounts> = numbers.chunks(numbers.len() / parts).map(of).collect();
                draw.shuffle(&mut parts);
                parts.iter().for_each(|part| merged.merge(part));
                assert_eq!(merged, whole);
                assert_eq!(serde_json::to_vec(&merged).unwrap(), serde_json::to_vec(&whole).unwrap());
            }
            let read: ValueCounts = serde_json::from_slice(&serde_json::to_vec(&whole).unwrap()).unwrap();
            assert_eq!(read, whole);
        }
    }

    #[test]
    fn ranks_are_within_a_thousandth() {
        let mut numbers = many(7);
        let cumulated = of(&numbers).cumulated();
        numbers.sort_unstable_by(f64::total_cmp);
        let off = |(highest, up_to): &(f64, u64)| {
            // Counts up to the highest of a group are exact; groups are narrow.
            assert_eq!(numbers.partition_point(|x| x <= highest) as u64, *up_to);
        };
        cumulated.iter().for_each(off);
        let widest = cumulated.windows(2).map(|pair| pair[1].1 - pair[0].1).max().unwrap();
        let of_one = numbers.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap() as u64;
        assert!(widest < of_one + numbers.len() as u64 / 1_000, "{widest}, {of_one}");
    }
}
