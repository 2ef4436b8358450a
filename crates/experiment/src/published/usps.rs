//! USPS in its text files: 7,291 handwritten digits of envelopes to train on and 2,007 to test on, 16 × 16 pixels.
//!
//! Y. LeCun et al., "Handwritten Digit Recognition with a Back-Propagation Network", NIPS 2, 1990; published as
//! `zip.train.gz` and `zip.test.gz` with T. Hastie, R. Tibshirani, J. Friedman, "The Elements of Statistical Learning",
//! Springer, 2009. A line holds a digit and 256 gray values from −1 (paper) to 1 (ink), line by line, with blanks
//! between. The values have three decimals and more than 256 levels, so they stay numbers.

use super::SetError;
use super::source::{Source, either, inside, verify};
use super::{DIGITS, Pixels};
use onesided_table::shortened;
use std::path::Path;

const SIDE: usize = 16;
/// The longest line that makes sense: 257 numbers of up to 24 characters.
const LONGEST: u64 = 257 * 25;

const TRAIN: [usize; 10] = [1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644];
const TEST: [usize; 10] = [359, 264, 198, 166, 200, 160, 170, 147, 166, 177];

/// The digits to train on and to test on.
#[derive(Clone, Debug)]
pub struct Usps {
    /// 7,291 images of one channel.
    pub train: Pixels,
    /// 2,007 images of one channel.
    pub test: Pixels,
}

/// Reads `zip.train` and `zip.test` in `folder`, or in the `usps` inside it; each may be plain or end in `.gz`.
pub fn usps(folder: &Path) -> Result<Usps, SetError> {
    let folder = inside(folder, "usps");
    let half = |name: &str, counts| digits(Source::open(&either(&folder, &[name]))?, counts);
    Ok(Usps { train: half("zip.train", TRAIN)?, test: half("zip.test", TEST)? })
}

/// The lines of one file.
pub(super) fn digits(mut source: Source, counts: [usize; 10]) -> Result<Pixels, SetError> {
    let expected: usize = counts.iter().sum();
    let (mut values, mut labels) = (Vec::with_capacity(expected * SIDE * SIDE), Vec::with_capacity(expected));
    let mut line = Vec::new();
    while source.line(&mut line, LONGEST)? {
        let (file, number) = (source.name.clone(), labels.len() as u64 + 1);
        if labels.len() == expected {
            return Err(SetError::ItemCount { file, what: "lines", found: expected + 1, expected });
        }
        let label = read_line(&line, &mut values);
        labels.push(label.map_err(|detail| SetError::BadLine { file, line: number, detail })?);
    }
    let file = source.name.clone();
    if labels.len() != expected {
        return Err(SetError::ItemCount { file, what: "lines", found: labels.len(), expected });
    }
    verify(&file, &labels, &DIGITS, &counts)?;
    Ok(Pixels { height: SIDE, width: SIDE, channels: 1, values, labels })
}

/// Appends the 256 values of a line and returns its digit, or says what is wrong with it.
fn read_line(line: &[u8], values: &mut Vec<f32>) -> Result<u8, String> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not text".to_string())?;
    let mut cells = text.split_ascii_whitespace();
    let label = cells.next().ok_or("it is empty")?;
    let digit = match label.parse::<f32>() {
        Ok(digit) if (0.0..=9.0).contains(&digit) && digit.fract() == 0.0 => digit as u8,
        _ => return Err(format!("the digit is '{}', not one of 0 to 9", shortened(label))),
    };
    let before = values.len();
    for cell in cells {
        match cell.parse::<f32>() {
            Ok(value) if (-1.0..=1.0).contains(&value) => values.push(value),
            _ => return Err(format!("'{}' is not a gray value from -1 to 1", shortened(cell))),
        }
    }
    match values.len() - before {
        256 => Ok(digit),
        found => Err(format!("it has {found} gray values instead of 256")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::damage::{cuts, damaged};
    use super::super::gzip;
    use super::*;

    const TWO: [usize; 10] = [1, 0, 0, 0, 0, 0, 1, 0, 0, 0];

    /// A line in the manner of the training file, and one in that of the test file.
    fn written() -> String {
        let row = |digit: &str, start: &str| format!("{digit} {start}{}\n", " -1.000".repeat(254));
        row("6.0000", "-0.631 0.862") + &row("0", "-1 1")
    }

    fn read(bytes: &[u8]) -> Result<Pixels, SetError> {
        digits(Source::new("zip", bytes)?, TWO)
    }

    fn message(text: &str) -> String {
        read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn values_stay_what_they_are() {
        for bytes in [written().into_bytes(), gzip(written().as_bytes())] {
            let read = read(&bytes).unwrap();
            assert_eq!((read.height, read.width, read.channels, read.len()), (16, 16, 1, 2));
            assert_eq!(read.labels, [6, 0]);
            assert_eq!(read.values[..3], [-0.631, 0.862, -1.0]);
            assert_eq!(read.values[256..259], [-1.0, 1.0, -1.0]);
        }
    }

    #[test]
    fn lines_that_cannot_be_right_are_named() {
        let text = written();
        let again = "copy or download it again";
        assert_eq!(
            message(&text.replace("0.862", "1.862")),
            format!("'zip' line 1: '1.862' is not a gray value from -1 to 1; {again}")
        );
        assert_eq!(
            message(&text.replace("\n0 -1", "\n10 -1")),
            format!("'zip' line 2: the digit is '10', not one of 0 to 9; {again}")
        );
        assert_eq!(
            message(&text.replace(" 0.862", "")),
            format!("'zip' line 1: it has 255 gray values instead of 256; {again}")
        );
        assert_eq!(
            message(&text.replace("\n0 -1", "\n\n0 -1")),
            format!("'zip' line 2: it is empty; {again}")
        );
        assert!(message(&text.replace("0.862", "NaN")).contains("line 1: 'NaN' is not a gray value"));
        assert!(message(&text.replace("6.0000", "6.5")).contains("the digit is '6.5'"));
        assert!(message(&text.replace("6.0000", "7.0000")).contains("counts 0 of class 6"));
        assert!(message("").contains("'zip' holds 0 lines where the published set holds 2"));
        assert!(message(&(text.clone() + &text)).contains("'zip' holds 3 lines"));
        assert!(message(&"1".repeat(10_000)).contains("a line has more than 6425 bytes"));
        let missing = usps(Path::new("no/such/folder")).unwrap_err().to_string();
        assert_eq!(missing, "there is no file 'no/such/folder/zip.train'; check the path");
    }

    #[test]
    fn cut_anywhere_it_is_refused_and_damaged_anywhere_it_does_not_panic() {
        for bytes in [written().into_bytes(), gzip(written().as_bytes())] {
            cuts(&bytes, |cut| assert!(read(cut).is_err()));
            damaged(&bytes, |bytes| drop(read(bytes)));
        }
    }

    #[test]
    fn the_counts_are_those_of_the_whole_set() {
        assert_eq!((TRAIN.iter().sum::<usize>(), TEST.iter().sum::<usize>()), (7291, 2007));
    }
}
