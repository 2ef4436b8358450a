//! Augmentation of images in training: cuts from a reflected border, and mirrors.
//!
//! An image is moved by up to `crop` pixels each way, its border filled by reflection, and mirrored in half of the cases
//! (the usual treatment of CIFAR-10 since Lee et al., 2015). What happens to an image is decided on the host, so
//! that every device trains on the same pixels, and depends on the seed and the step alone, so that a resumed run goes
//! on with the same ones.

use crate::NetError;
use crate::executor::Draw;
use crate::spec::Shape;
use onesided_data::Stream;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Pixels that `crop` names, and the most there can be.
const CROP: u8 = 4;

/// What is done to the images of a training batch. The default is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Augment {
    /// Moves an image by up to this many pixels each way; at most 4, and 0 for none.
    pub crop: u8,
    /// Mirrors half of the images, left to right.
    pub mirror: bool,
}

impl Augment {
    /// Whether images stay as they are.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The draws of training step `step` for `rows` rows; none at all where images stay as they are.
    pub fn draws(&self, seed: u64, step: u64, rows: usize, draws: &mut Vec<Draw>) {
        draws.clear();
        if self.is_none() {
            return;
        }
        let mut stream = Stream::new(seed ^ step.rotate_left(17), "augment");
        let crop = self.crop.min(CROP);
        let most = usize::from(crop);
        let by = |stream: &mut Stream| match most {
            0 => 0,
            _ => stream.below(2 * most + 1) as i8 - crop as i8,
        };
        draws.extend((0..rows).map(|_| {
            let (down, right) = (by(&mut stream), by(&mut stream));
            let mirror = if self.mirror { (stream.next_u64() >> 63) as u8 } else { 0 };
            Draw { down, right, mirror, spare: 0 }
        }));
    }

    /// Refuses what rows of this shape cannot take.
    pub fn check(&self, input: Shape) -> Result<(), NetError> {
        if self.crop > CROP {
            return Err(NetError::Config(format!(
                "images can be moved by up to {CROP} pixels, but {} were asked for",
                self.crop
            )));
        }
        if self.is_none() {
            return Ok(());
        }
        if input.pixels() == 1 {
            return Err(NetError::Config(format!(
                "augmentation ({self}) is for images, but a row is a list of {} features; give the image shape, or \
                 use no augmentation",
                input.channels
            )));
        }
        let side = input.height.min(input.width);
        if side <= usize::from(self.crop) {
            return Err(NetError::Config(format!(
                "augmentation by crops of up to {} pixels needs images of at least {} pixels a side, but theirs have \
                 shape {input}",
                self.crop,
                self.crop + 1
            )));
        }
        Ok(())
    }
}

impl fmt::Display for Augment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.crop {
            0 => {}
            CROP => f.write_str("crop")?,
            other => write!(f, "crop:{other}")?,
        }
        match (self.crop, self.mirror) {
            (0, false) => f.write_str("none"),
            (0, true) => f.write_str("flip"),
            (_, true) => f.write_str("+flip"),
            (_, false) => Ok(()),
        }
    }
}

impl FromStr for Augment {
    type Err = NetError;

    /// `none`, `crop` (by up to 4 pixels), `flip` or `crop+flip`; `crop:2` moves by up to 2.
    fn from_str(text: &str) -> Result<Self, NetError> {
        let refuse = || {
            let known = ["none", "crop", "flip", "crop+flip"];
            NetError::Config(onesided_data::unknown_name("augmentation", text, &known))
        };
        let crop = |text: &str| match text {
            "crop" => Some(CROP),
            _ => text.strip_prefix("crop:")?.parse().ok().filter(|n| (1..=CROP).contains(n)),
        };
        let (crop, mirror) = match text {
            "none" => (Some(0), false),
            "flip" => (Some(0), true),
            _ => match text.strip_suffix("+flip") {
                Some(text) => (crop(text), true),
                None => (crop(text), false),
            },
        };
        Ok(Self { crop: crop.ok_or_else(refuse)?, mirror })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_as_they_were() {
        for name in ["none", "crop", "flip", "crop+flip", "crop:2", "crop:3+flip"] {
            assert_eq!(name.parse::<Augment>().unwrap().to_string(), name);
        }
        assert_eq!("none".parse::<Augment>().unwrap(), Augment::default());
        for wrong in ["", "flop", "crop+", "+flip", "crop:0", "crop:5", "crop:x", "flip+flip", "none+flip"] {
            let error = wrong.parse::<Augment>().unwrap_err().to_string();
            assert!(error.contains("use none, crop, flip or crop+flip"), "{error}");
        }
    }

    #[test]
    fn draws_are_uniform_and_follow_seed_and_step_alone() {
        let both: Augment = "crop+flip".parse().unwrap();
        let draw = |augment: Augment, seed, step| {
            let mut draws = vec![Draw::default(); 3];
            augment.draws(seed, step, 9_000, &mut draws);
            draws
        };
        let draws = draw(both, 1, 5);
        assert_eq!(draws, draw(both, 1, 5));
        assert_ne!(draws, draw(both, 1, 6));
        assert_ne!(draws, draw(both, 2, 5));
        // 9,000 draws from 9 values: 1,000 each with a standard deviation of 30.
        for by in -4..=4 {
            for count in [
                draws.iter().filter(|d| d.down == by).count(),
                draws.iter().filter(|d| d.right == by).count(),
            ] {
                assert!(count.abs_diff(1_000) < 120, "{count} of 9,000 moved by {by}");
            }
        }
        let mirrored = draws.iter().filter(|d| d.mirror == 1).count();
        assert!(mirrored.abs_diff(4_500) < 200, "{mirrored} of 9,000 mirrored");
        assert!(draws.iter().all(|d| d.mirror < 2 && d.spare == 0));
        assert!(draw(Augment::default(), 1, 5).is_empty());
        let flips = draw(Augment { crop: 0, mirror: true }, 1, 5);
        assert!(flips.iter().all(|d| (d.down, d.right) == (0, 0)) && flips.iter().any(|d| d.mirror == 1));
    }

    #[test]
    fn tables_and_tiny_images_are_refused() {
        let check = |name: &str, channels, height, width| {
            name.parse::<Augment>().unwrap().check(Shape { channels, height, width })
        };
        let table = check("crop+flip", 64, 1, 1).unwrap_err().to_string();
        assert!(table.contains("(crop+flip) is for images") && table.contains("64 features"), "{table}");
        let tiny = check("crop", 3, 32, 4).unwrap_err().to_string();
        assert!(tiny.contains("at least 5 pixels a side") && tiny.contains("3x32x4"), "{tiny}");
        assert!(check("flip", 3, 4, 4).is_ok() && check("crop+flip", 1, 5, 5).is_ok());
        assert!(check("none", 64, 1, 1).is_ok());
        let far = Augment { crop: 9, mirror: false }.check(Shape { channels: 3, height: 32, width: 32 });
        assert!(far.unwrap_err().to_string().contains("up to 4 pixels"));
    }
}
