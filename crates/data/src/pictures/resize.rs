//! One picture: PNG or JPEG decoded to red, green and blue, and brought to a size.
//!
//! The format follows from the first bytes, not from the name. Gray becomes three equal channels, 16 bits become 8,
//! transparent pixels are laid on white, photographs are turned as the camera was held; color profiles are not looked at.
//!
//! Resizing averages areas (the box filter): a pixel of the result is the mean of the part of the source it covers, where
//! source pixels that are cut by its edge count with the share that lies inside. With s = source/target,
//! out(i) = (1/s) Σ_j |[i s, (i+1) s] ∩ [j, j+1]| in(j), along lines and then along columns. The sides are scaled separately:
//! a picture that is not of the target's proportions is stretched.

use super::decoders::{decode, probe};
use crate::{DataError, PictureShape, check_memory};
use onesided_table::map_stretches;
use onesided_table::read_regular;
use std::fs;
use std::io::Read;
use std::path::Path;

/// The longest side that pictures are brought to.
const LARGEST: usize = 4096;
/// Files that are worth their own thread.
pub(crate) const LEAST: usize = 8;

/// Red, green and blue, line by line.
#[derive(Debug, PartialEq)]
pub(crate) struct Picture {
    pub height: usize,
    pub width: usize,
    pub bytes: Vec<u8>,
}

/// A picture brought to a shape.
#[derive(Debug)]
pub(crate) struct Shaped {
    /// Line by line, channels together.
    pub bytes: Vec<u8>,
    /// Whether it had another size.
    pub resized: bool,
}

/// Reads all files on all cores and brings them to one shape, in the order of `paths`: each picture, or why there is none.
pub(crate) fn read_all<P: AsRef<Path> + Sync>(
    paths: &[P],
    shape: PictureShape,
) -> Result<Vec<Result<Shaped, String>>, DataError> {
    let PictureShape { channels, height, width } = shape;
    if !(1..=LARGEST).contains(&height) || !(1..=LARGEST).contains(&width) {
        return Err(DataError::ImageSize { height, width, limit: LARGEST });
    }
    if channels != 1 && channels != 3 {
        return Err(DataError::ImageChannels(channels));
    }
    let wanted = paths.len().saturating_mul(height * width * channels);
    check_memory(|| format!("{} pictures of {width} x {height} pixels", paths.len()), 2 * wanted as u64)?;
    let one = |path: &P| {
        let picture = read_regular(path.as_ref())
            .map_err(|cause| cause.to_string())
            .and_then(|bytes| decode(&bytes))?;
        let mut bytes = Vec::with_capacity(3 * height * width);
        picture.resize_into(height, width, &mut bytes);
        if channels == 1 {
            bytes = bytes.chunks_exact(3).map(Picture::luminance).collect();
        }
        Ok(Shaped { bytes, resized: (picture.height, picture.width) != (height, width) })
    };
    let parts = map_stretches(paths, 0, LEAST, |some| some.iter().map(one).collect::<Vec<_>>());
    Ok(parts.into_iter().flatten().collect())
}

/// So much of a file is read for its header at first.
const START: u64 = 1 << 16;

/// The header of a file, where it has a sound one: of its start, or of all of it where much else stands before the header.
pub(crate) fn header(path: &Path) -> Option<Header> {
    let mut start = Vec::new();
    if fs::metadata(path).is_ok_and(|about| about.is_file()) {
        fs::File::open(path).ok()?.take(START).read_to_end(&mut start).ok()?;
    }
    probe(&start).or_else(|_| probe(&read_regular(path).map_err(|cause| cause.to_string())?)).ok()
}

/// What the header of a picture says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub height: usize,
    pub width: usize,
    /// Whether the file holds shades of gray alone.
    pub gray: bool,
}

impl Picture {
    /// The gray of a pixel, as television weighs its colors (ITU-R BT.601); equal channels stay what they are.
    pub fn luminance(pixel: &[u8]) -> u8 {
        let [red, green, blue] = [0, 1, 2].map(|c| u32::from(pixel[c]));
        ((299 * red + 587 * green + 114 * blue + 500) / 1000) as u8
    }

    /// The picture in another size, appended to `out`.
    pub fn resize_into(&self, height: usize, width: usize, out: &mut Vec<u8>) {
        let line = self.width * 3;
        // Lines are averaged first: their sums are contiguous.
        let mut averaged = vec![0f32; line];
        let columns: Vec<_> = (0..width).map(|at| shares(at, self.width, width)).collect();
        for at in 0..height {
            averaged.fill(0.0);
            for (from, share) in shares(at, self.height, height) {
                let source = &self.bytes[from * line..][..line];
                averaged.iter_mut().zip(source).for_each(|(sum, &byte)| *sum += share * f32::from(byte));
            }
            for column in &columns {
                let mean =
                    |c: usize| column.iter().map(|(from, share)| share * averaged[3 * from + c]).sum::<f32>();
                out.extend([0, 1, 2].map(|c| mean(c).round() as u8));
            }
        }
    }
}

/// Which of `source` pixels lie in the pixel `at` of `target`, and with which share; the shares sum to 1. The overlaps are
/// whole numbers in units of 1/target of a source pixel.
pub(crate) fn shares(at: usize, source: usize, target: usize) -> Vec<(usize, f32)> {
    let (start, end) = (at * source, (at + 1) * source);
    let share = |from: usize| {
        let inside = end.min((from + 1) * target) - start.max(from * target);
        (from, inside as f32 / source as f32)
    };
    (start / target..end.div_ceil(target)).map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_averaged() {
        let gray = |values: &[u8]| values.iter().flat_map(|&value| [value; 3]).collect::<Vec<u8>>();
        let resized = |(height, width, values): (usize, usize, &[u8]), to: (usize, usize)| {
            let mut out = Vec::new();
            Picture { height, width, bytes: gray(values) }.resize_into(to.0, to.1, &mut out);
            out.chunks_exact(3).map(|pixel| pixel[0]).collect::<Vec<u8>>()
        };
        assert_eq!(resized((2, 2, &[10, 20, 30, 40]), (1, 1)), [25]);
        assert_eq!(resized((2, 2, &[10, 20, 30, 40]), (2, 2)), [10, 20, 30, 40]);
        // 3 to 2: (30 + 60/2) / 1.5 and (60/2 + 90) / 1.5.
        assert_eq!(resized((1, 3, &[30, 60, 90]), (1, 2)), [40, 80]);
        assert_eq!(resized((3, 1, &[30, 60, 90]), (2, 1)), [40, 80]);
        // 2 to 3: the middle takes half of each.
        assert_eq!(resized((1, 2, &[10, 40]), (1, 3)), [10, 25, 40]);
        assert_eq!(resized((1, 1, &[9]), (2, 2)), [9; 4]);
    }
}
