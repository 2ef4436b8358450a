//! Random streams derived from one seed by name.
//!
//! Every use of randomness (initial weights, shuffles, splits, dropout, bootstrap) draws from its own stream, so
//! adding a draw in one place never changes the numbers of another. The generator is xoshiro256++ (Blackman and
//! Vigna, 2021), seeded through SplitMix64; the sequence is part of what "same seed, same bytes" promises and does
//! not change with a dependency's version.

use serde::{Deserialize, Serialize};

/// A named, reproducible stream of random numbers. Its state can be stored in a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    state: [u64; 4],
}

impl Stream {
    /// The stream called `name` under `seed`. Different names give unrelated streams.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a over the name, then SplitMix64 over both: enough to keep streams apart, cheap to restate.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
        let mut mix = seed ^ hash.rotate_left(32);
        let state = std::array::from_fn(|_| {
            mix = mix.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = mix;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        });
        Self { state }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number in `[0, 1)` with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// An integer in `0..bound`, without bias (Lemire's multiply-and-reject). `bound` must not be zero.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = bound as u64;
        debug_assert!(bound > 0, "an empty range has no member to draw");
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            if (product as u64) >= bound.wrapping_neg() % bound {
                return (product >> 64) as usize;
            }
        }
    }

    /// A draw from the standard normal distribution (Box and Muller, one of the pair).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Puts `items` into a uniformly random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_name_same_numbers_other_name_other_numbers() {
        let draw = |seed, name| -> Vec<u64> {
            let mut stream = Stream::new(seed, name);
            (0..4).map(|_| stream.next_u64()).collect()
        };
        assert_eq!(draw(7, "weights"), draw(7, "weights"));
        assert_ne!(draw(7, "weights"), draw(7, "shuffle"));
        assert_ne!(draw(7, "weights"), draw(8, "weights"));
    }

    #[test]
    fn moments_of_the_draws() {
        let mut stream = Stream::new(0, "moments");
        let n = 200_000;
        let uniform: f64 = (0..n).map(|_| stream.uniform()).sum::<f64>() / n as f64;
        assert!((uniform - 0.5).abs() < 0.003, "mean of uniform draws is {uniform}");
        let draws: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let mean = draws.iter().sum::<f64>() / n as f64;
        let var = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n as f64;
        assert!(
            mean.abs() < 0.01 && (var - 1.0).abs() < 0.02,
            "normal draws have mean {mean}, variance {var}"
        );
        let mut counts = [0usize; 3];
        (0..n).for_each(|_| counts[stream.below(3)] += 1);
        assert!(counts.iter().all(|&c| (c as f64 / n as f64 - 1.0 / 3.0).abs() < 0.01), "{counts:?}");
    }

    #[test]
    fn shuffle_keeps_every_item() {
        let mut items: Vec<usize> = (0..100).collect();
        Stream::new(3, "order").shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
