//! Strong views of rows that are no images: some of their numbers are left out, as dropout of the input does.
//!
//! Each number of a row becomes 0 with the same chance d, and the others are divided by 1 - d, so that the mean of many views is
//! the row itself (Srivastava et al., 2014). In scaled columns 0 is the mean; in texts it is a word that is not there, so that a
//! view is the text with words dropped. Which numbers are left out follows from the seed, the step and the place of the row in
//! its batch, so that a resumed run continues with the same views.

use onesided_data::Stream;

/// The largest share of numbers that are left out.
const MOST: f64 = 0.5;

/// Which numbers of a row are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropped {
    /// What the draws of the row follow from.
    pub key: u64,
    /// The chance of each number.
    pub share: f32,
}

impl Dropped {
    /// The views of training step `step` for `rows` rows; of strength 0, nothing is left out, of strength 1 half of the
    /// numbers.
    pub fn draws(strength: f64, seed: u64, step: u64, rows: usize, to: &mut Vec<Dropped>) {
        let mut stream = Stream::new(seed ^ step.rotate_left(17), "dropped numbers");
        let share = (strength * MOST) as f32;
        to.clear();
        to.extend((0..rows).map(|_| Dropped { key: stream.next_u64(), share }));
    }

    /// Draws of 32 bits below the first leave a number out; the others are multiplied by the second.
    pub(crate) fn numbers(&self) -> (u32, f32) {
        ((f64::from(self.share) * 2f64.powi(32)) as u32, 1.0 / (1.0 - self.share))
    }

    /// Leaves numbers of a row out.
    pub(crate) fn apply(&self, row: &mut [f32]) {
        let (least, factor) = self.numbers();
        let mut state = self.key;
        // Two numbers take one draw.
        for pair in row.chunks_mut(2) {
            let bits = mixed(&mut state);
            for (x, bits) in pair.iter_mut().zip([bits as u32, (bits >> 32) as u32]) {
                *x = if bits < least { 0.0 } else { *x * factor };
            }
        }
    }
}

/// The next number of SplitMix64 (Steele, Lea and Flood, 2014).
fn mixed(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(seed: u64, step: u64, rows: usize) -> Vec<Dropped> {
        let mut to = Vec::new();
        Dropped::draws(0.6, seed, step, rows, &mut to);
        to
    }

    #[test]
    fn draws_depend_on_seed_and_step_alone() {
        assert_eq!(draws(1, 2, 9)[..4], draws(1, 2, 4));
        assert_ne!(draws(1, 2, 4), draws(1, 3, 4));
        assert_ne!(draws(1, 2, 4), draws(2, 2, 4));
    }

    #[test]
    fn a_share_of_the_numbers_is_left_out_and_the_mean_stays() {
        let mut rows = vec![2.0; 40_001];
        let view = draws(5, 0, 1)[0];
        assert_eq!(view.share, 0.3);
        view.apply(&mut rows);
        let kept = rows.iter().filter(|&&x| x != 0.0).count() as f64 / rows.len() as f64;
        // Four standard errors of a share of 40,001 are .0092.
        assert!((kept - 0.7).abs() < 0.0092, "{kept}");
        assert!(rows.iter().all(|&x| x == 0.0 || (x - 2.0 / 0.7).abs() < 1e-6));
        let mut again = vec![2.0; 40_001];
        view.apply(&mut again);
        assert_eq!(again, rows);
        let mut other = vec![2.0; 40_001];
        draws(5, 1, 1)[0].apply(&mut other);
        assert_ne!(other, rows);
        Dropped { share: 0.0, ..view }.apply(&mut other[..0]);
        let mut whole = [1.0, -2.0, 3.0];
        Dropped { share: 0.0, ..view }.apply(&mut whole);
        assert_eq!(whole, [1.0, -2.0, 3.0]);
    }
}
