//! Small pictures inside a picture: carried along as PNG in the SVG itself, so that it refers to nothing outside.

use crate::png::encoded;
use onesided::SeenPicture;

/// A picture of pixels: red, green and blue a pixel, from left to right and top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thumbnail {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) rgb: Vec<u8>,
}

impl Thumbnail {
    /// From bytes with one (gray) or three (red, green, blue) numbers a pixel; none if the bytes are not that many.
    pub fn new(width: usize, height: usize, bytes: &[u8]) -> Option<Self> {
        let pixels = width.checked_mul(height).filter(|&pixels| pixels > 0)?;
        let rgb = match bytes.len() {
            n if n == pixels => bytes.iter().flat_map(|&gray| [gray; 3]).collect(),
            n if Some(n) == pixels.checked_mul(3) => bytes.to_vec(),
            _ => return None,
        };
        Some(Self { width, height, rgb })
    }

    /// The same picture with no side longer than this: each pixel is the mean of those it stands for.
    pub(crate) fn within(self, side: usize) -> Self {
        let longest = self.width.max(self.height);
        if longest <= side {
            return self;
        }
        let of = |length: usize| (length * side / longest).max(1);
        let (width, height) = (of(self.width), of(self.height));
        let mut rgb = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            let lines = y * self.height / height..(y + 1) * self.height / height;
            for x in 0..width {
                let pixels = x * self.width / width..(x + 1) * self.width / width;
                for channel in 0..3 {
                    let all = lines.clone().flat_map(|line| pixels.clone().map(move |pixel| (line, pixel)));
                    let sum: usize = all
                        .map(|(line, pixel)| usize::from(self.rgb[3 * (line * self.width + pixel) + channel]))
                        .sum();
                    rgb.push((sum / (lines.len() * pixels.len())) as u8);
                }
            }
        }
        Self { width, height, rgb }
    }

    /// `data:image/png;base64,…`.
    pub(crate) fn data_uri(&self) -> String {
        // Writing to memory does not fail; a picture without its data would be an empty frame.
        let png = encoded(self.width, self.height, &self.rgb).unwrap_or_default();
        format!("data:image/png;base64,{}", base64(&png))
    }

    /// The color at a place between pixels, mixed of the four around it; `x` and `y` run from 0 to 1.
    pub(crate) fn at(&self, x: f64, y: f64) -> [f64; 3] {
        let along = |share: f64, count: usize| {
            let position = (share * count as f64 - 0.5).clamp(0.0, count as f64 - 1.0);
            let first = position as usize;
            (first, (first + 1).min(count - 1), position - first as f64)
        };
        let ((x0, x1, right), (y0, y1, down)) = (along(x, self.width), along(y, self.height));
        let pixel =
            |x: usize, y: usize, channel: usize| f64::from(self.rgb[3 * (y * self.width + x) + channel]);
        [0, 1, 2].map(|channel| {
            let upper = (1.0 - right) * pixel(x0, y0, channel) + right * pixel(x1, y0, channel);
            let lower = (1.0 - right) * pixel(x0, y1, channel) + right * pixel(x1, y1, channel);
            (1.0 - down) * upper + down * lower
        })
    }
}

/// A picture as the address of its own bytes (`data:image/png;base64,…`).
pub fn picture_address(picture: &SeenPicture) -> Option<String> {
    Some(Thumbnail::new(picture.width, picture.height, &picture.bytes)?.data_uri())
}

/// Base64 with padding (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, i| bits << 8 | u32::from(*three.get(i).unwrap_or(&0)));
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 63;
            text.push(if digit <= three.len() { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_in_the_rfc() {
        // The test vectors of RFC 4648, section 10.
        let vectors = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (bytes, text) in vectors {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn bytes_must_be_as_many_as_pixels() {
        assert_eq!(Thumbnail::new(2, 1, &[7, 9]).unwrap().rgb, [7, 7, 7, 9, 9, 9]);
        assert!(Thumbnail::new(2, 1, &[0; 6]).is_some() && Thumbnail::new(2, 1, &[0; 5]).is_none());
        assert!(Thumbnail::new(0, 1, &[]).is_none());
    }

    #[test]
    fn a_smaller_picture_has_the_means_of_the_larger_one() {
        let picture = Thumbnail::new(4, 2, &[0, 2, 10, 30, 4, 6, 50, 70]).unwrap();
        let small = picture.clone().within(2);
        assert_eq!((small.width, small.height, small.rgb), (2, 1, vec![3, 3, 3, 40, 40, 40]));
        assert_eq!(picture.clone().within(4), picture);
    }

    #[test]
    fn between_pixels_colors_mix() {
        let picture = Thumbnail::new(2, 1, &[0, 100]).unwrap();
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|x| picture.at(x, 0.5)[0]),
            [0.0, 0.0, 50.0, 100.0, 100.0]
        );
        assert!(picture.data_uri().starts_with("data:image/png;base64,iVBORw0KGgo"));
    }
}
