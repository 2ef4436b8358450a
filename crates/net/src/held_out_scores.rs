//! What held-out rows scored while training was under way.

/// Scores of rows after each round of training (an epoch or a tree), or after every so many where rows are many: at most 16 MiB.
///
/// With them, others than these rows can decide after how many rounds they are measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OnTheWay {
    every: usize,
    scores: Vec<Vec<f32>>,
}

/// Numbers that are kept at most.
const MOST: usize = 1 << 22;

impl OnTheWay {
    /// What it takes at most.
    pub const MOST_BYTES: u64 = 4 * MOST as u64;

    /// Nothing yet, of `rows` rows and at most `rounds` rounds. Of more rows than numbers are kept nothing ever is.
    pub fn new(rounds: usize, rows: usize) -> Self {
        Self { every: rounds.saturating_mul(rows).div_ceil(MOST).max(1), scores: Vec::new() }
    }

    /// Keeps the scores after this round, counted from 1, or asks for none.
    pub fn keep(&mut self, round: usize, scores: impl FnOnce() -> Vec<f32>) {
        if round > 0 && self.every > 0 && round.is_multiple_of(self.every) {
            self.scores.push(scores());
        }
    }

    /// The scores after the kept round that is nearest to this one; none where none is kept.
    pub fn after(&self, round: usize) -> Option<&[f32]> {
        let every = self.every.max(1);
        let nearest = ((round + every / 2) / every).clamp(1, self.scores.len().max(1));
        self.scores.get(nearest - 1).map(Vec::as_slice)
    }

    /// The scores of all rounds that are kept.
    pub fn all(&self) -> &[Vec<f32>] {
        &self.scores
    }

    /// Puts back what was kept of the first `rounds` rounds. Where that is not what would have been, as in a checkpoint of an earlier
    /// version, nothing is kept from now on: later rounds alone are of no use.
    pub(crate) fn restore(&mut self, rounds: usize, scores: Vec<Vec<f32>>) {
        let fits = self.every > 0 && scores.len() == rounds / self.every;
        *self = if fits { Self { scores, ..*self } } else { Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_kept_after_every_round() {
        let mut kept = OnTheWay::new(300, 100);
        (0..=7).for_each(|round| kept.keep(round, || vec![round as f32]));
        assert_eq!(kept.after(3), Some(&[3.0][..]));
        // Before the first round and after the last there is nothing else.
        assert_eq!((kept.after(0), kept.after(9)), (Some(&[1.0][..]), Some(&[7.0][..])));
    }

    #[test]
    fn many_rows_are_kept_after_some_rounds() {
        // 300 rounds of 100,000 rows are seven times what is kept, and a bit.
        let mut kept = OnTheWay::new(300, 100_000);
        (1..=40).for_each(|round| kept.keep(round, || vec![round as f32]));
        assert_eq!(kept.all().len(), 5);
        let at = |round: usize| kept.after(round).unwrap()[0];
        assert_eq!((at(1), at(11), at(12), at(24), at(300)), (8.0, 8.0, 16.0, 24.0, 40.0));
        for mut nothing in [OnTheWay::new(300, MOST + 1), OnTheWay::default()] {
            (1..=300).for_each(|round| nothing.keep(round, || panic!("asked for")));
            assert!(nothing.after(5).is_none());
        }
    }

    #[test]
    fn what_was_kept_can_be_put_back() {
        let scores = || vec![vec![1.0], vec![2.0]];
        let mut kept = OnTheWay::new(300, 100_000);
        kept.restore(17, scores());
        kept.keep(24, || vec![3.0]);
        assert_eq!((kept.after(16), kept.after(24)), (Some(&[2.0][..]), Some(&[3.0][..])));
        // A checkpoint of an earlier version has none.
        kept.restore(17, Vec::new());
        kept.keep(24, || vec![3.0]);
        assert_eq!(kept, OnTheWay::default());
    }
}
