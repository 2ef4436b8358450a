//! Pictures described by a few hundred numbers: colors, a thumbnail, and the directions of edges.
//!
//! A network needs many pictures before it finds out what these numbers say at once, so that with a few hundred pictures lines and
//! trees on them are ahead of it. A picture is cut into k × k squares. Of each there is the mean of every channel, and the strength
//! of edges in eight directions without a sign (N. Dalal and B. Triggs, "Histograms of oriented gradients for human detection", CVPR
//! 2005, with one norm for the whole picture). [`Description::Coarse`] has 4 × 4 squares and a histogram of colors,
//! [`Description::Fine`] 8 × 8 squares.
//!
//! Sides above 32 pixels are shrunk to 32 first: the edges of larger pictures are mostly noise.
//!
//! Numbers have fixed factors that give them a deviation of about 1 on photographs, so nothing about them is learned or saved.

use crate::pictures::resize::shares;
use crate::{DataError, Matrix, PictureShape, Pictures};
use onesided_table::map_stretches;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The longest side that is looked at as it is.
const LONGEST: usize = 32;
/// Directions of edges, without a sign.
const DIRECTIONS: usize = 8;
/// Levels of each of three colors, and of gray, in a histogram.
const LEVELS: usize = 4;
const GRAY_LEVELS: usize = 16;
/// Factors that give the numbers a deviation of about 1.
const OF_MEANS: f64 = 4.0;
const OF_COLORS: f64 = 8.0;
const OF_EDGES: f64 = 16.0;
const OF_FINE_EDGES: f64 = 14.0;
/// Keeps a picture without an edge from a division by 0.
const NO_EDGES: f64 = 1e-6;

/// Which numbers describe a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Description {
    /// 4 × 4 squares with edges, and a histogram of colors.
    Coarse,
    /// 8 × 8 squares with edges.
    Fine,
}

impl Description {
    /// Squares on a side.
    fn side(self) -> usize {
        match self {
            Description::Coarse => 4,
            Description::Fine => 8,
        }
    }

    /// Whether pictures of this shape have a pixel for every square.
    pub fn suits(self, shape: PictureShape) -> bool {
        shape.channels > 0 && shape.height >= self.side() && shape.width >= self.side()
    }

    /// How many numbers describe a picture with this many channels.
    pub fn width(self, channels: usize) -> usize {
        let squares = self.side() * self.side();
        let colors = match self {
            Description::Coarse => levels(channels),
            Description::Fine => 0,
        };
        squares * channels + colors + squares * DIRECTIONS
    }
}

/// Cells of the histogram: of three colors together, of other pictures by their gray.
fn levels(channels: usize) -> usize {
    if channels == 3 { LEVELS * LEVELS * LEVELS } else { GRAY_LEVELS }
}

impl Pictures {
    /// The numbers that describe each picture, a row each. Threads: 0 for every core.
    pub fn described(&self, by: Description, threads: usize) -> Result<Matrix, DataError> {
        let shape = self.shape;
        let (Some(pixels), true) = (shape.len(), by.suits(shape)) else {
            return Err(DataError::UnknownShape(shape.to_string()));
        };
        let width = by.width(shape.channels);
        crate::matrix::check_values(self.len(), width)?;
        let pictures: Vec<&[u8]> = self.bytes.chunks_exact(pixels).collect();
        let parts = map_stretches(&pictures, threads, 64, |some| {
            let mut numbers = Vec::with_capacity(some.len() * width);
            some.iter().for_each(|bytes| {
                let (small, shape) = shrunk(bytes, shape);
                describe(&small, shape, by, &mut numbers);
            });
            numbers
        });
        Matrix::new(self.len(), width, parts.concat())
    }
}

/// A picture whose sides are not above [`LONGEST`]: each pixel is the mean of what lies in it.
fn shrunk(bytes: &[u8], shape: PictureShape) -> (Cow<'_, [u8]>, PictureShape) {
    let small = PictureShape { height: shape.height.min(LONGEST), width: shape.width.min(LONGEST), ..shape };
    if small == shape {
        return (Cow::Borrowed(bytes), shape);
    }
    let channels = shape.channels;
    let mut out = Vec::with_capacity(small.height * small.width * channels);
    let columns: Vec<_> = (0..small.width).map(|at| shares(at, shape.width, small.width)).collect();
    for at in 0..small.height {
        let lines = shares(at, shape.height, small.height);
        for column in &columns {
            for channel in 0..channels {
                let value = |line: usize, pixel: usize| {
                    f32::from(bytes[(line * shape.width + pixel) * channels + channel])
                };
                let of_line = |&(line, share): &(usize, f32)| {
                    share * column.iter().map(|&(pixel, share)| share * value(line, pixel)).sum::<f32>()
                };
                out.push(lines.iter().map(of_line).sum::<f32>().round() as u8);
            }
        }
    }
    (Cow::Owned(out), small)
}

/// Appends the numbers of one picture.
fn describe(bytes: &[u8], shape: PictureShape, by: Description, numbers: &mut Vec<f32>) {
    let PictureShape { channels, height, width } = shape;
    let side = by.side();
    let square = |y: usize, x: usize| (y * side / height) * side + x * side / width;
    let level = |byte: u8| f64::from(byte) / 255.0;
    let gray: Vec<f64> = bytes
        .chunks_exact(channels)
        .map(|pixel| pixel.iter().map(|&byte| level(byte)).sum::<f64>() / channels as f64)
        .collect();
    let mut means = vec![0.0; side * side * channels];
    let mut counts = vec![0usize; side * side];
    let mut edges = vec![0.0; side * side * DIRECTIONS];
    for y in 0..height {
        for x in 0..width {
            let (at, place) = (y * width + x, square(y, x));
            counts[place] += 1;
            let pixel = &bytes[at * channels..(at + 1) * channels];
            for (channel, &byte) in pixel.iter().enumerate() {
                means[place * channels + channel] += level(byte);
            }
            let across = slope(x, width, |x| gray[y * width + x]);
            let down = slope(y, height, |y| gray[y * width + x]);
            edges[place * DIRECTIONS + direction(across, down)] += across.hypot(down);
        }
    }
    let of_means = means.iter().enumerate().map(|(at, &sum)| {
        let mean = sum / counts[at / channels].max(1) as f64;
        (OF_MEANS * (mean - 0.5)) as f32
    });
    numbers.extend(of_means);
    if by == Description::Coarse {
        let all = (height * width) as f64;
        numbers.extend(colors(bytes, &gray, channels).iter().map(|&n| (OF_COLORS * (n / all).sqrt()) as f32));
    }
    let norm = edges.iter().map(|strength| strength * strength).sum::<f64>().sqrt() + NO_EDGES;
    numbers.extend(edges.iter().map(|&strength| match by {
        Description::Coarse => (OF_EDGES * strength / norm) as f32,
        Description::Fine => (OF_FINE_EDGES * (strength / norm).sqrt()) as f32,
    }));
}

/// How many pixels have each color.
fn colors(bytes: &[u8], gray: &[f64], channels: usize) -> Vec<f64> {
    let mut counts = vec![0.0; levels(channels)];
    if channels == 3 {
        let level = |byte: u8| usize::from(byte) * LEVELS / 256;
        for pixel in bytes.chunks_exact(3) {
            counts[(level(pixel[0]) * LEVELS + level(pixel[1])) * LEVELS + level(pixel[2])] += 1.0;
        }
    } else {
        gray.iter().for_each(|&g| counts[((g * GRAY_LEVELS as f64) as usize).min(GRAY_LEVELS - 1)] += 1.0);
    }
    counts
}

/// The difference of the neighbors over their distance; at a border of the pixel and its one neighbor.
fn slope(at: usize, end: usize, value: impl Fn(usize) -> f64) -> f64 {
    let (before, after) = (at.saturating_sub(1), (at + 1).min(end - 1));
    if before == after { 0.0 } else { (value(after) - value(before)) / (after - before) as f64 }
}

/// Which eighth of a half circle a slope points to.
fn direction(across: f64, down: f64) -> usize {
    let half_turns = (down.atan2(across) / std::f64::consts::PI).rem_euclid(1.0);
    ((half_turns * DIRECTIONS as f64) as usize).min(DIRECTIONS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pictures(channels: usize, height: usize, width: usize, bytes: Vec<u8>) -> Pictures {
        Pictures { shape: PictureShape { channels, height, width }, bytes }
    }

    #[test]
    fn numbers_of_plain_pictures_by_hand() {
        // All red: squares (1, 0, 0), one color, no edge.
        let red = pictures(3, 8, 8, [255, 0, 0].repeat(64));
        let rows = red.described(Description::Coarse, 1).unwrap();
        assert_eq!((rows.rows(), rows.cols()), (1, 48 + 64 + 128));
        assert_eq!(rows.cols(), Description::Coarse.width(3));
        let row = rows.row(0);
        assert_eq!(&row[..6], [2.0, -2.0, -2.0, 2.0, -2.0, -2.0]);
        let colors: Vec<(usize, f32)> =
            row[48..112].iter().copied().enumerate().filter(|&(_, n)| n != 0.0).collect();
        assert_eq!(colors, [(3 * 16, 8.0)]);
        assert!(row[112..].iter().all(|&edge| edge == 0.0));
        // Gray, black on the left and white on the right: edges across, in the two columns of squares in the middle.
        let halves = [[0u8; 4], [255; 4]].concat().repeat(8);
        let rows = pictures(1, 8, 8, halves).described(Description::Coarse, 1).unwrap();
        assert_eq!(rows.cols(), 16 + 16 + 128);
        let (means, rest) = rows.row(0).split_at(16);
        assert_eq!(means[..4], [-2.0, -2.0, 2.0, 2.0]);
        let (colors, edges) = rest.split_at(16);
        assert_eq!((colors[0], colors[15]), ((8.0 * 0.5f64.sqrt()) as f32, (8.0 * 0.5f64.sqrt()) as f32));
        for (at, &edge) in edges.iter().enumerate() {
            let (square, direction) = (at / 8, at % 8);
            // Eight squares have two pixels of strength 1/2 each, so that each is 1/√8 of the norm.
            let expected =
                if [1, 2].contains(&(square % 4)) && direction == 0 { 16.0 / 8f32.sqrt() } else { 0.0 };
            assert!((edge - expected).abs() < 1e-4, "{at}: {edge}");
        }
    }

    #[test]
    fn threads_change_nothing_and_tiny_pictures_are_refused() {
        let bytes: Vec<u8> = (0..200 * 9 * 10 * 3).map(|i| (i * 7919 % 251) as u8).collect();
        let many = pictures(3, 9, 10, bytes);
        for by in [Description::Coarse, Description::Fine] {
            let one = many.described(by, 1).unwrap();
            assert_eq!(one, many.described(by, 3).unwrap());
            assert_eq!((one.rows(), one.cols()), (200, by.width(3)));
            assert!(one.as_slice().iter().all(|value| value.is_finite()));
        }
        assert!(pictures(1, 7, 20, vec![0; 140]).described(Description::Fine, 1).is_err());
        assert!(!Description::Coarse.suits(PictureShape { channels: 3, height: 3, width: 9 }));
    }
}
