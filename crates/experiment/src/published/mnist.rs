//! MNIST in its idx files: 60,000 handwritten digits to train on and 10,000 to test on, 28 × 28 pixels.
//!
//! Y. LeCun, L. Bottou, Y. Bengio, P. Haffner, "Gradient-Based Learning Applied to Document Recognition", Proceedings of
//! the IEEE 86(11), 1998. An idx file starts with two zero bytes, a byte for the type (8: unsigned bytes) and a byte for
//! the number of dimensions; then come the dimensions as big-endian numbers of four bytes, and the values, the last
//! dimension fastest. The files are published packed with gzip, and are read packed or not.

use super::DIGITS;
use super::SetError;
use super::source::{Source, either, inside, verify};
use onesided_data::Images;
use std::path::Path;

const SIDE: usize = 28;
const FORMAT: &str = "idx";

/// One half of the set: how its files begin, and how often each digit occurs.
type Published<'a> = (&'a str, [usize; 10]);

const TRAIN: Published = ("train", [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]);
const TEST: Published = ("t10k", [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]);

/// The digits to train on and to test on.
#[derive(Clone, Debug)]
pub struct Mnist {
    /// 60,000 images of one channel.
    pub train: Images,
    /// 10,000 images of one channel.
    pub test: Images,
}

/// Reads the four files in `folder`, or in the `mnist` inside it; each may be plain or end in `.gz`.
pub fn mnist(folder: &Path) -> Result<Mnist, SetError> {
    let folder = inside(folder, "mnist");
    let half = |(start, counts): Published| {
        let open = |rest: &str, dotted: &str| {
            Source::open(&either(&folder, &[&format!("{start}-{rest}"), &format!("{start}-{dotted}")]))
        };
        let images = open("images-idx3-ubyte", "images.idx3-ubyte")?;
        let labels = open("labels-idx1-ubyte", "labels.idx1-ubyte")?;
        digits(images, labels, counts)
    };
    Ok(Mnist { train: half(TRAIN)?, test: half(TEST)? })
}

/// Images and labels of a pair of files.
pub(super) fn digits(
    mut images: Source,
    mut labels: Source,
    counts: [usize; 10],
) -> Result<Images, SetError> {
    let rows = counts.iter().sum();
    let labels_name = labels.name.clone();
    let labels = idx(&mut labels, &[rows], "labels")?;
    if let Some(at) = labels.iter().position(|&label| label > 9) {
        let (file, label) = (labels_name, labels[at]);
        return Err(SetError::ImageLabel { file, image: at + 1, label, classes: 10 });
    }
    verify(&labels_name, &labels, &DIGITS, &counts)?;
    let bytes = idx(&mut images, &[rows, SIDE, SIDE], "images")?;
    Ok(Images { height: SIDE, width: SIDE, channels: 1, bytes, labels })
}

/// The bytes of an idx file that has exactly these dimensions, the first of which counts `what`.
pub(super) fn idx(
    source: &mut Source,
    dimensions: &[usize],
    what: &'static str,
) -> Result<Vec<u8>, SetError> {
    let magic = source.bytes(4, "its first four bytes")?;
    if magic != [0, 0, 8, dimensions.len() as u8] {
        let detail = format!("it starts with the bytes {magic:?} instead of [0, 0, 8, {}]", dimensions.len());
        return Err(source.not(FORMAT, detail));
    }
    let mut there = Vec::with_capacity(dimensions.len());
    for _ in dimensions {
        there.push(source.u32_be("its dimensions")? as usize);
    }
    if there[1..] != dimensions[1..] {
        let detail = format!("its images have the size {:?} instead of {:?}", &there[1..], &dimensions[1..]);
        return Err(source.not(FORMAT, detail));
    }
    if there[0] != dimensions[0] {
        let (file, found, expected) = (source.name.clone(), there[0], dimensions[0]);
        return Err(SetError::ItemCount { file, what, found, expected });
    }
    let bytes = source.bytes(dimensions.iter().product::<usize>() as u64, &format!("its {what}"))?;
    source.end(FORMAT)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::damage::{cuts, damaged};
    use super::super::gzip;
    use super::*;

    const TWO: [usize; 10] = [0, 1, 0, 0, 0, 0, 0, 1, 0, 0];

    fn written(dimensions: &[u32], values: impl Iterator<Item = u8>) -> Vec<u8> {
        let mut bytes = vec![0, 0, 8, dimensions.len() as u8];
        bytes.extend(dimensions.iter().flat_map(|dimension| dimension.to_be_bytes()));
        bytes.extend(values);
        bytes
    }

    fn images() -> Vec<u8> {
        written(&[2, 28, 28], (0..2 * 784).map(|i| (i % 251) as u8))
    }

    fn labels() -> Vec<u8> {
        written(&[2], [7, 1].into_iter())
    }

    fn read(images: &[u8], labels: &[u8]) -> Result<Images, SetError> {
        digits(Source::new("images", images)?, Source::new("labels", labels)?, TWO)
    }

    fn message(images: &[u8], labels: &[u8]) -> String {
        read(images, labels).unwrap_err().to_string()
    }

    #[test]
    fn two_digits_plain_and_packed() {
        for (images, labels) in [(images(), labels()), (gzip(&images()), gzip(&labels()))] {
            let read = read(&images, &labels).unwrap();
            assert_eq!((read.height, read.width, read.channels, read.len()), (28, 28, 1, 2));
            assert_eq!(read.labels, [7, 1]);
            assert_eq!(read.bytes[..3], [0, 1, 2]);
            assert_eq!(read.bytes[784..787], [784 % 251, 785 % 251, 786 % 251].map(|x| x as u8));
        }
    }

    #[test]
    fn files_that_cannot_be_the_published_ones_are_named() {
        let (i, l) = (images(), labels());
        assert_eq!(
            message(&i[..17], &l),
            "'images' ends after 17 bytes, before the end of its images; copy or download it again"
        );
        assert_eq!(
            message(&i, &[]),
            "'labels' ends after 0 bytes, before the end of its first four bytes; copy or download it again"
        );
        assert_eq!(
            message(&l, &i),
            "'labels' is not a sound idx file: it starts with the bytes [0, 0, 8, 3] instead of [0, 0, 8, 1]; copy \
             or download it again"
        );
        assert_eq!(
            message(&written(&[2, 28, u32::MAX], [].into_iter()), &l),
            "'images' is not a sound idx file: its images have the size [28, 4294967295] instead of [28, 28]; copy \
             or download it again"
        );
        assert_eq!(
            message(&i, &written(&[u32::MAX], [7, 1].into_iter())),
            "'labels' holds 4294967295 labels where the published set holds 2; it is another file of that name, or \
             damaged"
        );
        assert_eq!(
            message(&i, &written(&[2], [7, 10].into_iter())),
            "'labels' gives image 2 the class 10, but the classes are 0 to 9; copy or download it again"
        );
        assert_eq!(
            message(&i, &written(&[2], [7, 7].into_iter())),
            "'labels' counts 0 of class 1 where the published file counts 1; it is another file of that name, or \
             damaged"
        );
        let longer = [i.as_slice(), &[0]].concat();
        assert!(message(&longer, &l).contains("more follows after its 1584 bytes"));
        assert_eq!(
            mnist(Path::new("no/such/folder")).unwrap_err().to_string(),
            "there is no file 'no/such/folder/train-images-idx3-ubyte'; check the path"
        );
    }

    #[test]
    fn cut_anywhere_it_is_refused_and_damaged_anywhere_it_does_not_panic() {
        let (i, l) = (images(), labels());
        for (i, l) in [(i.clone(), l.clone()), (gzip(&i), gzip(&l))] {
            cuts(&i, |cut| assert!(read(cut, &l).is_err()));
            cuts(&l, |cut| assert!(read(&i, cut).is_err()));
            damaged(&i, |bytes| drop(read(bytes, &l)));
            damaged(&l, |bytes| drop(read(&i, bytes)));
        }
    }

    #[test]
    fn the_counts_are_those_of_the_whole_set() {
        assert_eq!((TRAIN.1.iter().sum::<usize>(), TEST.1.iter().sum::<usize>()), (60_000, 10_000));
        // Even digits are the positives of the paper: 29,492 of them.
        assert_eq!(TRAIN.1.iter().step_by(2).sum::<usize>(), 29_492);
    }
}
