//! Published data sets in the files they come in: one file per format.
//!
//! What cannot be the published file is refused by name, because a classifier trained on half a download, or tested on
//! what it was trained on, looks like any other.

mod cifar10;
#[cfg(test)]
#[path = "../../../data/src/pictures/damage.rs"]
mod damage;
mod error;
#[cfg(any(test, fuzzing))]
mod hostile;
mod mat5;
mod mnist;
mod newsgroups;
mod source;
mod survey;
mod svhn;
mod usps;
mod word_vectors;

pub use cifar10::{CIFAR10_CLASSES, Cifar10, cifar10};
pub use error::SetError;
#[cfg(fuzzing)]
pub use hostile::read_set_bytes;
pub use mnist::{Mnist, mnist};
pub use newsgroups::{NEWSGROUPS, Newsgroups, Texts, newsgroups};
pub use survey::{FoundSet, SetPart, SetSummary, survey};
pub use svhn::{Svhn, svhn};
pub use usps::{Usps, usps};
pub use word_vectors::{Averages, WordVectors, vocabulary, word_vectors};

/// The classes of the sets of digits, by their numbers.
const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// Images of one size as numbers, each with the number of its class: for sets whose values are not bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    /// Lines of pixels.
    pub height: usize,
    /// Pixels a line.
    pub width: usize,
    /// 1 for gray, 3 for red, green and blue.
    pub channels: usize,
    /// One image after the other: line by line, pixel by pixel, channels together (NHWC).
    pub values: Vec<f32>,
    /// The class of each image.
    pub labels: Vec<u8>,
}

impl Pixels {
    /// How many images there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }
}

/// The bytes packed with gzip.
#[cfg(test)]
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}
