//! CIFAR-10 in its binary version: 50,000 images to train on and 10,000 to test on, 32 × 32 pixels, ten classes.
//!
//! A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", University of Toronto, 2009. Five files of
//! training images and one of test images hold 10,000 records each: a byte for the class, then 1,024 bytes of red, as
//! many of green and as many of blue, line by line.

use super::SetError;
use super::source::{inside, read_exactly, verify};
use onesided_data::Images;
use std::path::Path;

/// The classes in the order of their numbers.
pub const CIFAR10_CLASSES: [&str; 10] =
    ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"];

/// The folder that the published archive unpacks to.
const FOLDER: &str = "cifar-10-batches-bin";
const SIDE: usize = 32;
const CHANNELS: usize = 3;
const PIXELS: usize = SIDE * SIDE;
const RECORD: usize = 1 + CHANNELS * PIXELS;

/// A file and how often each class occurs in it: two files that changed places are found out by that.
type Published<'a> = (&'a str, [usize; 10]);

const TRAIN: [Published; 5] = [
    ("data_batch_1.bin", [1005, 974, 1032, 1016, 999, 937, 1030, 1001, 1025, 981]),
    ("data_batch_2.bin", [984, 1007, 1010, 995, 1010, 988, 1008, 1026, 987, 985]),
    ("data_batch_3.bin", [994, 1042, 965, 997, 990, 1029, 978, 1015, 961, 1029]),
    ("data_batch_4.bin", [1003, 963, 1041, 976, 1004, 1021, 1004, 981, 1024, 983]),
    ("data_batch_5.bin", [1014, 1014, 952, 1016, 997, 1025, 980, 977, 1003, 1022]),
];
const TEST: [Published; 1] = [("test_batch.bin", [1000; 10])];

/// The images to train on and to test on.
#[derive(Clone, Debug)]
pub struct Cifar10 {
    /// 50,000 images, 5,000 of each class.
    pub train: Images,
    /// 10,000 images, 1,000 of each class.
    pub test: Images,
}

/// Reads the six files in `folder`, or in the `cifar-10-batches-bin` inside it.
pub fn cifar10(folder: &Path) -> Result<Cifar10, SetError> {
    let folder = inside(folder, FOLDER);
    Ok(Cifar10 { train: images(&folder, &TRAIN)?, test: images(&folder, &TEST)? })
}

/// The images of several files, one after the other.
fn images(folder: &Path, files: &[Published]) -> Result<Images, SetError> {
    let records: usize = files.iter().flat_map(|(_, counts)| counts).sum();
    let mut bytes = Vec::with_capacity(records * CHANNELS * PIXELS);
    let mut labels = Vec::with_capacity(records);
    for (name, counts) in files {
        let path = folder.join(name);
        let content = read_exactly(&path, (counts.iter().sum::<usize>() * RECORD) as u64)?;
        let (file, before) = (path.display().to_string(), labels.len());
        add_records(&file, &content, &mut bytes, &mut labels)?;
        verify(&file, &labels[before..], &CIFAR10_CLASSES, counts)?;
    }
    Ok(Images { height: SIDE, width: SIDE, channels: CHANNELS, bytes, labels })
}

/// Appends the pixels and the classes of the records of a file.
pub(super) fn add_records(
    file: &str,
    content: &[u8],
    bytes: &mut Vec<u8>,
    labels: &mut Vec<u8>,
) -> Result<(), SetError> {
    for (at, record) in content.chunks_exact(RECORD).enumerate() {
        let (label, planes) = (record[0], &record[1..]);
        if usize::from(label) >= CIFAR10_CLASSES.len() {
            let (file, classes) = (file.to_string(), CIFAR10_CLASSES.len());
            return Err(SetError::ImageLabel { file, image: at + 1, label, classes });
        }
        labels.push(label);
        bytes.extend((0..PIXELS).flat_map(|pixel| [0, 1, 2].map(|c| planes[c * PIXELS + pixel])));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::damage::{cuts, damaged};
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    /// Records whose pixel `i` of channel `c` is `i % 61 + 64 c + label`, in a file of its own folder.
    fn written(folder: &str, name: &str, labels: &[u8]) -> PathBuf {
        let mut bytes = Vec::new();
        for &label in labels {
            bytes.push(label);
            bytes.extend((0..3 * PIXELS).map(|i| (i % PIXELS % 61 + i / PIXELS * 64) as u8 + label % 10));
        }
        let folder = std::env::temp_dir().join(format!("onesided-cifar10-{}-{folder}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
        folder
    }

    /// The message for one file, with the folder cut from its name.
    fn message(folder: PathBuf, files: &[Published]) -> String {
        let message = images(&folder, files).unwrap_err().to_string();
        fs::remove_dir_all(&folder).unwrap();
        message.replace(&format!("{}/", folder.display()), "")
    }

    const TWO: [usize; 10] = [1, 0, 0, 0, 0, 0, 0, 0, 0, 1];

    #[test]
    fn channels_of_a_pixel_come_together() {
        let folder = written("sound", "a.bin", &[9, 0]);
        written("sound", "b.bin", &[0, 9]);
        let images = images(&folder, &[("a.bin", TWO), ("b.bin", TWO)]).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(images.labels, [9, 0, 0, 9]);
        assert_eq!(images.bytes.len(), 4 * 3072);
        assert_eq!(images.bytes[..6], [9, 73, 137, 10, 74, 138]);
        let second = &images.bytes[3072..6144];
        assert_eq!(second[3 * 1023..], [1023 % 61, 1023 % 61 + 64, 1023 % 61 + 128].map(|x| x as u8));
    }

    #[test]
    fn files_that_cannot_be_the_published_ones_are_named() {
        let folder = written("short", "a.bin", &[9]);
        assert_eq!(
            message(folder, &[("a.bin", TWO)]),
            "'a.bin' has 3073 bytes where the published file has 6146; copy or download it again"
        );
        let folder = written("label", "a.bin", &[0, 10]);
        assert_eq!(
            message(folder, &[("a.bin", TWO)]),
            "'a.bin' gives image 2 the class 10, but the classes are 0 to 9; copy or download it again"
        );
        let folder = written("swapped", "a.bin", &[0, 8]);
        assert_eq!(
            message(folder, &[("a.bin", TWO)]),
            "'a.bin' counts 1 of class ship where the published file counts 0; it is another file of that name, \
             or damaged"
        );
        let folder = written("missing", "a.bin", &[0, 9]);
        assert_eq!(message(folder, &[("b.bin", TWO)]), "there is no file 'b.bin'; check the path");
        assert!(cifar10(Path::new("no/such/folder")).is_err());
    }

    #[test]
    fn damaged_anywhere_it_does_not_panic() {
        let folder = written("flipped", "a.bin", &[9, 0]);
        let path = folder.join("a.bin");
        let sound = fs::read(&path).unwrap();
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            images(&folder, &[("a.bin", TWO)])
        };
        cuts(&sound, |cut| assert!(read(cut).is_err()));
        damaged(&sound, |bytes| drop(read(bytes)));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_counts_are_those_of_the_whole_set() {
        for class in 0..10 {
            assert_eq!(TRAIN.iter().map(|(_, counts)| counts[class]).sum::<usize>(), 5000);
        }
        assert!(TRAIN.iter().chain(&TEST).all(|(_, counts)| counts.iter().sum::<usize>() == 10_000));
    }
}
