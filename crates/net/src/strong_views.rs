//! Strong views of images: warped, recolored and with a hole, for a student that learns from a teacher's weak ones.
//!
//! A strong view starts from a weak one ([`Draw`](crate::Draw)). With u and v the place of a pixel counted from the middle of the image,
//! it shows the weak view at (a u + b v + right, c u + d v + down), between pixels by bilinear interpolation and outside the
//! image as 0, which is the mean gray of scaled data. Then each number x of a pixel becomes
//! contrast · (gray + saturation · (x - gray)) + brightness + shift of its channel, where gray is the mean of the pixel's
//! channels; a negative contrast inverts. Last, a square hole is set to 0. All of it is drawn on the host from the seed and
//! the step, so that every device sees the same views and a resumed run continues with them.

use crate::spec::Shape;
use onesided_data::Stream;

/// How one image is changed beyond its [`Draw`](crate::Draw).
// Fourteen words, sent to a device as they are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Strong {
    /// a, b, right, c, d, down.
    pub warp: [f32; 6],
    /// Factor of every number; below 0 for an inverted image.
    pub contrast: f32,
    /// Added to every number.
    pub brightness: f32,
    /// Factor of what tells a pixel's channels apart.
    pub saturation: f32,
    /// Added to the first three channels; a fourth has the first's again.
    pub shift: [f32; 3],
    /// Upper left pixel of the hole, line and column; either may lie outside the image.
    pub hole: [i16; 2],
    /// Pixels of a side of the hole; 0 for none.
    pub side: i32,
}

/// Words of a [`Strong`].
#[cfg(feature = "cuda")]
pub(crate) const WORDS: usize = size_of::<Strong>() / 4;

/// The chance of each change but inversion.
const CHANCE: f64 = 0.6;
/// The chance of inversion.
const INVERTED: f64 = 0.1;
/// The largest rotation, in radians.
const ROTATION: f64 = 0.5;
/// The largest change of either scale, and the largest shear.
const SCALE: f64 = 0.3;
/// The largest shift of the image, as a share of its side.
const SHIFT: f64 = 0.25;
/// The largest change of color: of the logarithm of the contrast, of the brightness, of the saturation and of a channel, in
/// standard deviations of scaled data.
const COLOR: [f64; 4] = [0.5, 0.5, 0.9, 0.4];
/// The smallest and the largest side of a hole, as shares of the image's.
const HOLE: [f64; 2] = [0.25, 0.625];

impl Default for Strong {
    /// Nothing is changed.
    fn default() -> Self {
        Self {
            warp: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
            contrast: 1.0,
            brightness: 0.0,
            saturation: 1.0,
            shift: [0.0; 3],
            hole: [0; 2],
            side: 0,
        }
    }
}

impl Strong {
    /// Draws how an image of this shape is changed; `strength` is the share of each change's largest amount that is used.
    fn draw(shape: Shape, strength: f64, stream: &mut Stream) -> Self {
        let within = |stream: &mut Stream, most: f64| strength * most * (2.0 * stream.uniform() - 1.0);
        let perhaps = |stream: &mut Stream, most: f64| {
            if stream.uniform() < CHANCE { within(stream, most) } else { 0.0 }
        };
        let (sine, cosine) = perhaps(stream, ROTATION).sin_cos();
        let (wide, high) = (perhaps(stream, SCALE), perhaps(stream, SCALE));
        let shear = perhaps(stream, SCALE);
        // Rotation after shear and scale: [cos -sin; sin cos] · [1 shear; 0 1] · diag(1 + wide, 1 + high).
        let (a, b) = (cosine * (1.0 + wide), (cosine * shear - sine) * (1.0 + high));
        let (c, d) = (sine * (1.0 + wide), (sine * shear + cosine) * (1.0 + high));
        let right = perhaps(stream, SHIFT * shape.width as f64);
        let down = perhaps(stream, SHIFT * shape.height as f64);
        let contrast = perhaps(stream, COLOR[0]).exp();
        let brightness = perhaps(stream, COLOR[1]);
        let saturation = 1.0 + perhaps(stream, COLOR[2]);
        let tinted = stream.uniform() < CHANCE;
        let mut tint = || if tinted { within(stream, COLOR[3]) as f32 } else { 0.0 };
        let shift = [tint(), tint(), tint()];
        let inverted = stream.uniform() < strength * INVERTED;
        let (mut hole, mut side) = ([0; 2], 0);
        if stream.uniform() < CHANCE {
            let short = shape.height.min(shape.width) as f64;
            let [least, most] = HOLE.map(|share| (strength * share * short).round() as usize);
            side = least + stream.below(most - least + 1);
            // The middle of the hole is anywhere in the image.
            let place =
                |stream: &mut Stream, length: usize| stream.below(length.max(1)) as i16 - (side / 2) as i16;
            hole = [place(stream, shape.height), place(stream, shape.width)];
        }
        Self {
            warp: [a, b, right, c, d, down].map(|x| x as f32),
            contrast: if inverted { -contrast as f32 } else { contrast as f32 },
            brightness: brightness as f32,
            saturation: saturation as f32,
            shift,
            hole,
            side: side as i32,
        }
    }

    /// The strong views of training step `step` for `rows` images; of strength 0, nothing is changed.
    pub fn draws(shape: Shape, strength: f64, seed: u64, step: u64, rows: usize, to: &mut Vec<Strong>) {
        let mut stream = Stream::new(seed ^ step.rotate_left(17), "strong views");
        to.clear();
        to.extend((0..rows).map(|_| Self::draw(shape, strength, &mut stream)));
    }

    /// Changes `from`, a weak view of this shape, into `to`.
    pub(crate) fn apply(&self, from: &[f32], shape: Shape, to: &mut [f32]) {
        let Shape { channels, height, width } = shape;
        let [a, b, right, c, d, down] = self.warp;
        let (middle_x, middle_y) = (0.5 * (width as f32 - 1.0), 0.5 * (height as f32 - 1.0));
        for (y, line) in to.chunks_exact_mut(width * channels).enumerate() {
            for (x, to) in line.chunks_exact_mut(channels).enumerate() {
                if self.is_hole(y, x) {
                    to.fill(0.0);
                    continue;
                }
                let (u, v) = (x as f32 - middle_x, y as f32 - middle_y);
                let (at_x, at_y) = (a * u + b * v + right + middle_x, c * u + d * v + down + middle_y);
                let (left, top) = (at_x.floor(), at_y.floor());
                let (over, under) = (at_x - left, at_y - top);
                let (left, top) = (left as isize, top as isize);
                to.fill(0.0);
                for (line, share) in [(top, 1.0 - under), (top + 1, under)] {
                    for (column, other) in [(left, 1.0 - over), (left + 1, over)] {
                        let inside =
                            (0..height as isize).contains(&line) && (0..width as isize).contains(&column);
                        if inside {
                            let at = (line as usize * width + column as usize) * channels;
                            let weight = share * other;
                            to.iter_mut().zip(&from[at..at + channels]).for_each(|(to, x)| *to += weight * x);
                        }
                    }
                }
                let gray = to.iter().sum::<f32>() / channels as f32;
                for (channel, x) in to.iter_mut().enumerate() {
                    let colored = gray + self.saturation * (*x - gray);
                    *x = self.contrast * colored + self.brightness + self.shift[channel % 3];
                }
            }
        }
    }

    fn is_hole(&self, y: usize, x: usize) -> bool {
        let within = |at: usize, from: i16| {
            (i64::from(from)..i64::from(from) + i64::from(self.side)).contains(&(at as i64))
        };
        within(y, self.hole[0]) && within(x, self.hole[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { channels: 3, height: 32, width: 32 };

    #[test]
    fn a_structure_is_fourteen_words() {
        assert_eq!(size_of::<Strong>(), 56);
    }

    #[test]
    fn draws_stay_within_their_bounds_and_depend_on_seed_and_step_alone() {
        let draw = |seed, step, rows| {
            let mut to = Vec::new();
            Strong::draws(SHAPE, 1.0, seed, step, rows, &mut to);
            to
        };
        let many = draw(1, 2, 20_000);
        assert_eq!(many[..9], draw(1, 2, 9));
        assert_ne!(many[..9], draw(1, 3, 9));
        assert_ne!(many[..9], draw(2, 2, 9));
        let share = |what: &dyn Fn(&Strong) -> bool| {
            many.iter().filter(|view| what(view)).count() as f64 / many.len() as f64
        };
        // Four standard errors of a share of 20,000 are .014.
        assert!((share(&|view| view.side > 0) - CHANCE).abs() < 0.014);
        assert!((share(&|view| view.contrast < 0.0) - INVERTED).abs() < 0.009);
        assert!((share(&|view| view.brightness != 0.0) - CHANCE).abs() < 0.014);
        assert!((share(&|view| view.warp[2] != 0.0) - CHANCE).abs() < 0.014);
        assert!(many.iter().all(|view| view.side == 0 || (8..=20).contains(&view.side)));
        assert!(many.iter().all(|view| view.warp[2].abs() <= 8.0 && view.warp[5].abs() <= 8.0));
        assert!(many.iter().all(|view| (0.1..=1.9).contains(&view.saturation)));
        // The warp's determinant is the product of the two scales.
        let area = |view: &Strong| view.warp[0] * view.warp[4] - view.warp[1] * view.warp[3];
        assert!(many.iter().all(|view| (0.48..=1.7).contains(&area(view))));
    }

    #[test]
    fn nothing_drawn_changes_nothing_and_a_quarter_turn_turns() {
        let shape = Shape { channels: 2, height: 3, width: 3 };
        let image: Vec<f32> = (0..18).map(|x| x as f32).collect();
        let mut to = vec![9.0; 18];
        Strong::default().apply(&image, shape, &mut to);
        assert_eq!(to, image);
        let turn = Strong { warp: [0.0, 1.0, 0.0, -1.0, 0.0, 0.0], ..Strong::default() };
        turn.apply(&image, shape, &mut to);
        // Pixel (y 1, x 0) has u = -1, v = 0, so it shows u = 0, v = 1: pixel (2, 1), numbers 14 and 15.
        assert_eq!(to[6..8], [14.0, 15.0]);
        let moved = Strong { warp: [1.0, 0.0, 0.5, 0.0, 1.0, 0.0], ..Strong::default() };
        moved.apply(&image, shape, &mut to);
        // Half a pixel to the right: the mean of two neighbors, and half of the last one next to the gray outside.
        assert_eq!(to[..6], [1.0, 2.0, 3.0, 4.0, 2.0, 2.5]);
    }

    #[test]
    fn colors_follow_the_formula_and_holes_are_gray() {
        let shape = Shape { channels: 3, height: 1, width: 2 };
        let view = Strong {
            contrast: -2.0,
            brightness: 0.5,
            saturation: 0.5,
            shift: [0.1, 0.2, 0.3],
            hole: [-1, 1],
            side: 5,
            ..Strong::default()
        };
        let mut to = [9.0; 6];
        view.apply(&[1.0, 2.0, 6.0, 7.0, 8.0, 9.0], shape, &mut to);
        // Gray 3: 2, 2.5 and 4.5 by half the saturation; -4, -5 and -9 by the contrast.
        let want = [-4.0 + 0.5 + 0.1, -5.0 + 0.5 + 0.2, -9.0 + 0.5 + 0.3, 0.0, 0.0, 0.0];
        to.iter().zip(want).for_each(|(have, want)| assert!((have - want).abs() < 1e-6, "{have} {want}"));
    }
}
