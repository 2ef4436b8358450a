//! The rows of a batch from the data set: bytes become numbers, images are cut and mirrored.

use crate::executor::{Draw, Source};
use crate::spec::Shape;

/// Writes `rows` of the data set, of shape `shape` each, one after the other into `to`. `draws` is one a row or empty.
pub(crate) fn gather(source: &Source, shape: Shape, rows: &[u32], draws: &[Draw], to: &mut [f32]) {
    let wide = shape.len();
    let place = |row: u32| row as usize * wide..(row as usize + 1) * wide;
    let to = to.chunks_exact_mut(wide).zip(rows);
    if let (Source::Numbers(all), []) = (source, draws) {
        return to.for_each(|(to, &row)| to.copy_from_slice(&all[place(row)]));
    }
    for (i, (to, &row)) in to.enumerate() {
        let draw = draws.get(i).copied().unwrap_or_default();
        match *source {
            Source::Numbers(all) => {
                each_pixel(&all[place(row)], shape, draw, to, |from, to| to.copy_from_slice(from));
            }
            Source::Bytes { bytes, scale, shift } => {
                each_pixel(&bytes[place(row)], shape, draw, to, |from, to| {
                    for (((to, &byte), scale), shift) in to.iter_mut().zip(from).zip(scale).zip(shift) {
                        *to = f32::from(byte) * scale + shift;
                    }
                });
            }
        }
    }
}

/// Calls `pixel` with the channels of each pixel that `draw` asks for and their place in the result.
fn each_pixel<T>(from: &[T], shape: Shape, draw: Draw, to: &mut [f32], pixel: impl Fn(&[T], &mut [f32])) {
    let Shape { channels, height, width } = shape;
    for (y, line) in to.chunks_exact_mut(width * channels).enumerate() {
        let line_from = reflect(y, draw.down, height) * width;
        for (x, to) in line.chunks_exact_mut(channels).enumerate() {
            let x = if draw.mirror == 0 { x } else { width - 1 - x };
            let at = (line_from + reflect(x, draw.right, width)) * channels;
            pixel(&from[at..at + channels], to);
        }
    }
}

/// The place `at + by` among `n`, reflected at either end without repeating it. `by` is smaller than `n`.
fn reflect(at: usize, by: i8, n: usize) -> usize {
    let place = (at as isize + isize::from(by)).unsigned_abs();
    if place < n { place } else { 2 * (n - 1) - place }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Golden {
        shape: [usize; 3],
        bytes: Vec<u8>,
        scale: Vec<f32>,
        shift: Vec<f32>,
        /// Row, down, right, mirror.
        draws: Vec<(u32, i8, i8, u8)>,
        images: Vec<f32>,
    }

    /// Values made by `tests/golden/make_augment.py`: every number is the same, bit by bit.
    #[test]
    fn crops_and_mirrors_are_pytorchs() {
        let cases: Vec<Golden> =
            serde_json::from_str(include_str!("../../tests/golden/augment.json")).unwrap();
        assert_eq!(cases.len(), 3);
        for Golden { shape: [channels, height, width], bytes, scale, shift, draws, images } in cases {
            let shape = Shape { channels, height, width };
            let rows: Vec<u32> = draws.iter().map(|d| d.0).collect();
            let draws: Vec<Draw> = draws
                .iter()
                .map(|&(_, down, right, mirror)| Draw { down, right, mirror, spare: 0 })
                .collect();
            let mut have = vec![0.0; images.len()];
            gather(
                &Source::Bytes { bytes: &bytes, scale: &scale, shift: &shift },
                shape,
                &rows,
                &draws,
                &mut have,
            );
            assert_eq!(have, images, "bytes of shape {shape}");
            let numbers: Vec<f32> = bytes
                .iter()
                .enumerate()
                .map(|(i, &byte)| f32::from(byte) * scale[i % channels] + shift[i % channels])
                .collect();
            have.fill(0.0);
            gather(&Source::Numbers(&numbers), shape, &rows, &draws, &mut have);
            assert_eq!(have, images, "numbers of shape {shape}");
        }
    }

    #[test]
    fn rows_without_draws_are_copies() {
        let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mut have = [0.0; 4];
        gather(&Source::Numbers(&numbers), Shape::flat(2), &[2, 0], &[], &mut have);
        assert_eq!(have, [5.0, 6.0, 1.0, 2.0]);
        let source = Source::Bytes { bytes: &[1, 2, 3, 4], scale: &[0.5, 2.0], shift: &[0.0, 1.0] };
        gather(&source, Shape::flat(2), &[1, 0], &[], &mut have);
        assert_eq!(have, [1.5, 9.0, 0.5, 5.0]);
    }
}
