//! SVHN, cropped digits: 73,257 house numbers' digits to train on and 26,032 to test on, 32 × 32 pixels in color.
//!
//! Y. Netzer, T. Wang, A. Coates, A. Bissacco, B. Wu, A. Y. Ng, "Reading Digits in Natural Images with Unsupervised
//! Feature Learning", NIPS workshop on deep learning, 2011; for non-commercial use. The files are MATLAB's: an array `X`
//! of 32 × 32 × 3 × N bytes (line fastest, then column, then channel) and an array `y` of N labels, 1 to 9 for these
//! digits and 10 for the digit 0.

use super::DIGITS;
use super::SetError;
use super::mat5;
use super::source::{Source, inside, verify};
use onesided_data::Images;
use onesided_data::check_memory;
use std::path::Path;

const SIDE: usize = 32;
const CHANNELS: usize = 3;
const IMAGE: usize = SIDE * SIDE * CHANNELS;

const TRAIN: [usize; 10] = [4948, 13861, 10585, 8497, 7458, 6882, 5727, 5595, 5045, 4659];
const TEST: [usize; 10] = [1744, 5099, 4149, 2882, 2523, 2384, 1977, 2019, 1660, 1595];

/// The digits to train on and to test on.
#[derive(Clone, Debug)]
pub struct Svhn {
    /// 73,257 images of three channels; class 0 is the digit 0.
    pub train: Images,
    /// 26,032 images of three channels; class 0 is the digit 0.
    pub test: Images,
}

/// Reads `train_32x32.mat` and `test_32x32.mat` in `folder`, or in the `svhn` inside it.
pub fn svhn(folder: &Path) -> Result<Svhn, SetError> {
    let folder = inside(folder, "svhn");
    let half = |name: &str, counts| digits(Source::open(&folder.join(name))?, counts);
    Ok(Svhn { train: half("train_32x32.mat", TRAIN)?, test: half("test_32x32.mat", TEST)? })
}

/// The images of one file.
pub(super) fn digits(mut source: Source, counts: [usize; 10]) -> Result<Images, SetError> {
    let expected: usize = counts.iter().sum();
    let mut arrays = mat5::arrays(&mut source, 2, (expected * IMAGE) as u64)?;
    let mut named = |name: &str| {
        let at = arrays.iter().position(|array| array.name == name);
        at.map(|at| arrays.swap_remove(at))
            .ok_or_else(|| source.not("SVHN", format!("it has no array {name}")))
    };
    let (x, y) = (named("X")?, named("y")?);
    let count = match x.dimensions[..] {
        [SIDE, SIDE, CHANNELS, count] => count,
        _ => return Err(source.not("SVHN", format!("X is {:?} instead of 32 x 32 x 3 x N", x.dimensions))),
    };
    let file = source.name.clone();
    if count != expected {
        return Err(SetError::ItemCount { file, what: "images", found: count, expected });
    }
    let planes = x.into_bytes().ok_or_else(|| source.not("SVHN", "X does not hold bytes"))?;
    let labels =
        y.whole_numbers().ok_or_else(|| source.not("SVHN", "y does not hold labels from 1 to 10"))?;
    if labels.len() != expected {
        return Err(SetError::ItemCount { file, what: "labels", found: labels.len(), expected });
    }
    if let Some(at) = labels.iter().position(|label| !(1..=10).contains(label)) {
        let detail = format!("label {} is {}, and they go from 1 to 10", at + 1, labels[at]);
        return Err(source.not("SVHN", detail));
    }
    let labels: Vec<u8> = labels.into_iter().map(|label| (label % 10) as u8).collect();
    verify(&file, &labels, &DIGITS, &counts)?;
    check_memory(|| format!("the images of '{file}'"), planes.len() as u64)?;
    let mut bytes = vec![0; planes.len()];
    for (image, turned) in planes.chunks_exact(IMAGE).zip(bytes.chunks_exact_mut(IMAGE)) {
        for (at, value) in turned.iter_mut().enumerate() {
            let (line, column, channel) = (at / (SIDE * CHANNELS), at / CHANNELS % SIDE, at % CHANNELS);
            *value = image[line + SIDE * column + SIDE * SIDE * channel];
        }
    }
    Ok(Images { height: SIDE, width: SIDE, channels: CHANNELS, bytes, labels })
}

#[cfg(test)]
mod tests {
    use super::super::damage::{cuts, damaged};
    use super::mat5::written::{array, file, packed};
    use super::*;

    const TWO: [usize; 10] = [1, 0, 0, 1, 0, 0, 0, 0, 0, 0];

    /// Two images whose byte at (line, column, channel) is line + 2 column + 50 channel + 7 for the second image.
    fn x() -> Vec<u8> {
        let value = |i: usize| i % 32 + 2 * (i / 32 % 32) + 50 * (i / 1024 % 3) + 7 * (i / 3072);
        array(9, "X", &[32, 32, 3, 2], 2, &(0..2 * 3072).map(|i| value(i) as u8).collect::<Vec<u8>>())
    }

    fn y(labels: &[u8]) -> Vec<u8> {
        array(9, "y", &[labels.len() as u32, 1], 2, labels)
    }

    fn read(bytes: &[u8]) -> Result<Images, SetError> {
        digits(Source::new("s.mat", bytes)?, TWO)
    }

    #[test]
    fn columns_become_lines_and_ten_becomes_zero() {
        let images = read(&file(&[packed(&x()), packed(&y(&[10, 3]))])).unwrap();
        assert_eq!(images.labels, [0, 3]);
        assert_eq!((images.height, images.width, images.channels, images.len()), (32, 32, 3, 2));
        let at = |image: usize, line: usize, column: usize| {
            let start = image * IMAGE + (line * 32 + column) * 3;
            images.bytes[start..start + 3].to_vec()
        };
        assert_eq!(at(0, 0, 1), [2, 52, 102]);
        assert_eq!(at(0, 1, 0), [1, 51, 101]);
        assert_eq!(at(1, 31, 30), [31 + 60 + 7, 31 + 60 + 57, 31 + 60 + 107]);
    }

    #[test]
    fn files_that_cannot_be_the_published_ones_are_named() {
        let message = |elements: &[Vec<u8>]| read(&file(elements)).unwrap_err().to_string();
        let has = |elements: &[Vec<u8>], part: &str| {
            let message = message(elements);
            assert!(message.starts_with("'s.mat' ") && message.contains(part), "{message}");
        };
        has(&[x()], "ends after 6336 bytes, before the end of an array's tag");
        has(&[x(), x()], "it has no array y");
        has(&[x(), y(&[3])], "holds 1 labels where the published set holds 2");
        has(&[x(), y(&[3, 0])], "label 2 is 0, and they go from 1 to 10");
        has(&[x(), y(&[3, 11])], "label 2 is 11");
        has(&[x(), y(&[3, 3])], "counts 0 of class 0 where the published file counts 1");
        has(&[array(9, "X", &[32, 32, 3, 1], 2, &[0; 3072]), y(&[3])], "holds 1 images where");
        has(&[array(9, "X", &[32, 96], 2, &[0; 3072]), y(&[3])], "X is [32, 96] instead of 32 x 32 x 3 x N");
        has(&[array(9, "X", &[32, 32, 3, 2], 1, &[0; 6144]), y(&[3, 10])], "X does not hold bytes");
        assert_eq!(
            svhn(Path::new("no/such/folder")).unwrap_err().to_string(),
            "there is no file 'no/such/folder/train_32x32.mat'; check the path"
        );
    }

    #[test]
    fn cut_anywhere_it_is_refused_and_damaged_anywhere_it_does_not_panic() {
        let bytes = file(&[packed(&x()), packed(&y(&[10, 3]))]);
        cuts(&bytes, |cut| assert!(read(cut).is_err()));
        damaged(&bytes, |bytes| drop(read(bytes)));
    }

    #[test]
    fn the_counts_are_those_of_the_whole_set() {
        assert_eq!((TRAIN.iter().sum::<usize>(), TEST.iter().sum::<usize>()), (73_257, 26_032));
        // Digits 1 to 5 are the positives of the paper: 47,283 of them.
        assert_eq!(TRAIN[1..=5].iter().sum::<usize>(), 47_283);
    }
}
