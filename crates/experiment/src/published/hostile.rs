//! Any bytes as a file of a published set: an error, or a set that fits together. For the fuzzer, and for the files it found.

use super::SetError;
use super::source::Source;
use super::{cifar10, mat5, mnist, svhn, usps, word_vectors};

/// Few enough that a small file can be a whole set: one image of each of two digits.
const COUNTS: [usize; 10] = [1, 1, 0, 0, 0, 0, 0, 0, 0, 0];

/// Reads bytes in the format that the first of them says, whatever they hold.
pub fn read_set_bytes(bytes: &[u8]) {
    let Some((&format, bytes)) = bytes.split_first() else { return };
    let source = || Source::new("bytes", bytes);
    let outcome: Result<(), SetError> = match format % 7 {
        0 => {
            // Two files in one: ten bytes are those of the labels.
            let (labels, images) = bytes.split_at(bytes.len().min(10));
            let both = Source::new("labels", labels).and_then(|l| Ok((Source::new("images", images)?, l)));
            both.and_then(|(images, labels)| mnist::digits(images, labels, COUNTS)).map(|images| {
                assert_eq!(images.bytes.len(), images.len() * images.height * images.width);
            })
        }
        1 => source().and_then(|mut labels| mnist::idx(&mut labels, &[2], "labels")).map(|labels| {
            assert_eq!(labels.len(), 2);
        }),
        2 => source().and_then(|source| usps::digits(source, COUNTS)).map(|pixels| {
            assert_eq!(pixels.values.len(), pixels.len() * 256);
        }),
        3 => source().and_then(|source| svhn::digits(source, COUNTS)).map(|images| {
            assert_eq!(images.bytes.len(), images.len() * 32 * 32 * 3);
        }),
        4 => source().and_then(|mut source| mat5::arrays(&mut source, 2, 1 << 20)).map(|arrays| {
            for array in arrays {
                let _ = array.whole_numbers();
            }
        }),
        5 => source().and_then(|source| word_vectors::read(source, None, |_| true)).map(|vectors| {
            let averages = vectors.average(&["the", "a cat"]);
            assert!(averages.is_ok_and(|averages| averages.vectors.rows() == 2));
        }),
        _ => {
            let (mut pixels, mut labels) = (Vec::new(), Vec::new());
            cifar10::add_records("bytes", bytes, &mut pixels, &mut labels).map(|()| {
                assert_eq!(pixels.len(), labels.len() * 32 * 32 * 3);
            })
        }
    };
    if let Err(error) = outcome {
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn files_that_the_fuzzer_found() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/set");
        let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(files.len() >= 7, "{} files", files.len());
        files.iter().for_each(|file| read_set_bytes(&std::fs::read(file).unwrap()));
    }
}
