//! Handwritten digits, built in: 1,797 images of 8 × 8 pixels, for demonstrations and tests without a download.
//!
//! E. Alpaydin and C. Kaynak, "Optical Recognition of Handwritten Digits", UCI Machine Learning Repository, 1998,
//! <https://doi.org/10.24432/C50P49>, licensed under the Creative Commons Attribution 4.0 International license
//! (CC BY 4.0). These are the images of its test set, as scikit-learn distributes them; pixels are counts from 0 to 16,
//! divided by 16 here. `make.py` next to this file writes `digits.bin`.

use crate::Matrix;

/// What to print where the digits are shown.
pub const DIGITS_ATTRIBUTION: &str = "Optical Recognition of Handwritten Digits (E. Alpaydin and C. Kaynak, UCI \
     Machine Learning Repository, 1998, doi:10.24432/C50P49), CC BY 4.0";

const IMAGES: usize = 1797;
const PIXELS: usize = 64;
/// A label each, then the pixels, one byte each.
static BYTES: &[u8; IMAGES * (1 + PIXELS)] = include_bytes!("digits.bin");

/// The images and which digit each shows.
#[derive(Clone, Debug)]
pub struct Digits {
    /// 1,797 rows of 8 × 8 pixels, line by line, from 0 (paper) to 1 (ink).
    pub images: Matrix,
    /// The digit of each row, 0 to 9.
    pub labels: Vec<u8>,
}

/// The built-in digits.
pub fn digits() -> Digits {
    let (labels, pixels) = BYTES.split_at(IMAGES);
    let data = pixels.iter().map(|&count| f32::from(count) / 16.0).collect();
    let images =
        Matrix::new(IMAGES, PIXELS, data).expect("the length of the embedded file is part of its type");
    Digits { images, labels: labels.to_vec() }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The numbers are printed by make.py.
    #[test]
    fn the_images_are_those_of_scikit_learn() {
        let Digits { images, labels } = digits();
        let mut counts = [0; 10];
        labels.iter().for_each(|&label| counts[usize::from(label)] += 1);
        assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
        assert_eq!(labels[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let sum = |row: &[f32]| row.iter().map(|x| (x * 16.0) as u64).sum::<u64>();
        assert_eq!(sum(images.as_slice()), 561_718);
        let weighted: u64 = (0..images.rows()).map(|i| i as u64 * sum(images.row(i))).sum();
        assert_eq!(weighted, 503_342_547);
    }
}
