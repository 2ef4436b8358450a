//! Pictures: decoding them, bringing them to a size, and folders of them with a class each.

#[cfg(test)]
mod damage;
#[cfg_attr(not(feature = "pictures"), path = "no_decoders.rs")]
mod decoders;
mod folder;
#[cfg(feature = "pictures")]
mod orientation;
pub(crate) mod resize;

pub use folder::{ImageFolder, image_folder, is_image_folder};

/// Images of one size as bytes, each with the number of its class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    /// Lines of pixels.
    pub height: usize,
    /// Pixels a line.
    pub width: usize,
    /// 1 for gray, 3 for red, green and blue.
    pub channels: usize,
    /// One image after the other: line by line, pixel by pixel, channels together (NHWC).
    pub bytes: Vec<u8>,
    /// The class of each image.
    pub labels: Vec<u8>,
}

impl Images {
    /// How many images there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Mean and standard deviation (division by n) of each channel, in units of a byte, 0 to 255.
    pub fn channel_moments(&self) -> Vec<(f64, f64)> {
        crate::store::channel_moments(&self.bytes, self.channels)
    }

    /// Scale and shift of each channel, so that byte × scale + shift has mean 0 and standard deviation 1 over these
    /// images. A channel of one value is only centered.
    pub fn normalization(&self) -> (Vec<f32>, Vec<f32>) {
        let one = |(mean, deviation): (f64, f64)| {
            let scale = if deviation > 0.0 { 1.0 / deviation } else { 1.0 };
            (scale as f32, (-mean * scale) as f32)
        };
        self.channel_moments().into_iter().map(one).unzip()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalized_channels_have_mean_zero_and_deviation_one() {
        // Two channels: 0, 2, 4, 6 (mean 3, variance 5) and always 7.
        let bytes = vec![0, 7, 2, 7, 4, 7, 6, 7];
        let images = Images { height: 1, width: 2, channels: 2, bytes, labels: vec![0, 1] };
        assert_eq!(images.len(), 2);
        assert_eq!(images.channel_moments(), [(3.0, 5f64.sqrt()), (7.0, 0.0)]);
        let (scale, shift) = images.normalization();
        assert_eq!(scale, [(1.0 / 5f64.sqrt()) as f32, 1.0]);
        assert_eq!(shift, [(-3.0 / 5f64.sqrt()) as f32, -7.0]);
        let none = Images { bytes: Vec::new(), labels: Vec::new(), ..images };
        assert_eq!(none.channel_moments(), [(0.0, 0.0); 2]);
    }
}
