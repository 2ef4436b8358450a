//! How a camera was held, as the Exif data of a JPEG file say it: the sensor's pixels are in the file, and a number from 1 to
//! 8 (tag 0x0112) tells which turn or mirror image of them is upright. What cannot be read is taken for upright.

use super::resize::Picture;

/// The tag of the orientation, and the type of its value: 16 bits.
const TAG: u16 = 0x0112;
const SHORT: u16 = 3;

/// A turn, maybe of the mirror image; 1 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Orientation(u16);

impl Orientation {
    /// What Exif data say, from their byte order mark on.
    pub fn of_exif(exif: Option<&[u8]>) -> Self {
        Self(exif.and_then(number).filter(|number| (1..=8).contains(number)).unwrap_or(1))
    }

    /// Whether lines become columns.
    pub fn turns(self) -> bool {
        self.0 > 4
    }

    /// The picture as it was seen.
    pub fn upright(self, picture: Picture) -> Picture {
        let Picture { height, width, bytes } = picture;
        if self.0 == 1 {
            return Picture { height, width, bytes };
        }
        // Where a pixel of the result comes from.
        let from = |line: usize, column: usize| match self.0 {
            2 => (line, width - 1 - column),
            3 => (height - 1 - line, width - 1 - column),
            4 => (height - 1 - line, column),
            5 => (column, line),
            6 => (height - 1 - column, line),
            7 => (height - 1 - column, width - 1 - line),
            _ => (column, width - 1 - line),
        };
        let (lines, columns) = if self.turns() { (width, height) } else { (height, width) };
        let mut turned = Vec::with_capacity(bytes.len());
        for line in 0..lines {
            for column in 0..columns {
                let (line, column) = from(line, column);
                turned.extend_from_slice(&bytes[3 * (line * width + column)..][..3]);
            }
        }
        Picture { height: lines, width: columns, bytes: turned }
    }
}

/// The value of the tag in the first directory.
fn number(exif: &[u8]) -> Option<u16> {
    let big = match exif.get(..4)? {
        b"MM\0*" => true,
        b"II*\0" => false,
        _ => return None,
    };
    let short = |at: usize| {
        let pair = exif.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    };
    let word = exif.get(4..8)?.try_into().ok()?;
    let directory = if big { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) } as usize;
    let entry = |number: usize| directory.checked_add(2 + 12 * number);
    let found = (0..usize::from(short(directory)?)).map_while(entry).find(|&at| short(at) == Some(TAG))?;
    if short(found.checked_add(2)?)? == SHORT { short(found.checked_add(8)?) } else { None }
}

#[cfg(test)]
mod tests {
    use super::super::damage::{cuts, damaged};
    use super::super::decoders::{decode, probe, tests::JPEG};
    use super::*;

    /// Exif data with another tag and this orientation.
    fn exif(big: bool, orientation: u16) -> Vec<u8> {
        let mut bytes = if big { b"MM\0*".to_vec() } else { b"II*\0".to_vec() };
        let mut push = |number: u32, wide: bool| match (big, wide) {
            (true, true) => bytes.extend(number.to_be_bytes()),
            (true, false) => bytes.extend((number as u16).to_be_bytes()),
            (false, true) => bytes.extend(number.to_le_bytes()),
            (false, false) => bytes.extend((number as u16).to_le_bytes()),
        };
        [(8, true), (2, false)].iter().for_each(|&(number, wide)| push(number, wide));
        for (tag, value) in [(0x010f, 7), (u32::from(TAG), u32::from(orientation))] {
            let entry = [(tag, false), (3, false), (1, true), (value, false), (0, false)];
            entry.iter().for_each(|&(number, wide)| push(number, wide));
        }
        bytes
    }

    /// The turns of `ImageOps.exif_transpose` of Pillow, of the pixels 1 2 3 over 4 5 6.
    #[test]
    fn pictures_are_turned_as_pillow_turns_them() {
        let wanted: [(usize, [u8; 6]); 8] = [
            (2, [1, 2, 3, 4, 5, 6]),
            (2, [3, 2, 1, 6, 5, 4]),
            (2, [6, 5, 4, 3, 2, 1]),
            (2, [4, 5, 6, 1, 2, 3]),
            (3, [1, 4, 2, 5, 3, 6]),
            (3, [4, 1, 5, 2, 6, 3]),
            (3, [6, 3, 5, 2, 4, 1]),
            (3, [3, 6, 2, 5, 1, 4]),
        ];
        for (number, (height, values)) in (1..).zip(wanted) {
            for big in [true, false] {
                let orientation = Orientation::of_exif(Some(&exif(big, number)));
                assert_eq!(orientation, Orientation(number));
                let bytes = (1..=6).flat_map(|value| [value; 3]).collect();
                let turned = orientation.upright(Picture { height: 2, width: 3, bytes });
                let shown: Vec<u8> = turned.bytes.chunks_exact(3).map(|pixel| pixel[0]).collect();
                assert_eq!((turned.height, turned.width), (height, 6 / height), "{number}");
                assert_eq!(shown, values, "{number}");
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_upright() {
        assert_eq!(Orientation::of_exif(None), Orientation(1));
        for number in [0, 9, 300] {
            assert_eq!(Orientation::of_exif(Some(&exif(true, number))), Orientation(1));
        }
        for big in [true, false] {
            // Without its last two bytes, which nothing is in, the value is still there.
            let whole = exif(big, 6);
            let read = |bytes: &[u8]| Orientation::of_exif(Some(bytes)).0;
            cuts(&whole, |cut| assert_eq!(read(cut), if cut.len() + 2 < whole.len() { 1 } else { 6 }));
            damaged(&whole, |bytes| assert!((1..=8).contains(&read(bytes))));
        }
    }

    /// The left half is red and the right one blue; turned to the right, red is above.
    #[test]
    fn a_photograph_is_read_upright() {
        let mut about = b"Exif\0\0".to_vec();
        about.extend(exif(true, 6));
        let mut photograph = JPEG[..2].to_vec();
        photograph.extend([0xff, 0xe1]);
        photograph.extend((about.len() as u16 + 2).to_be_bytes());
        photograph.extend(about);
        photograph.extend(&JPEG[2..]);
        let header = probe(&photograph).unwrap();
        assert_eq!((header.height, header.width), (16, 8));
        let picture = decode(&photograph).unwrap();
        assert_eq!((picture.height, picture.width), (16, 8));
        let pixel = |line: usize| &picture.bytes[3 * 8 * line..][..3];
        assert!(pixel(1)[0] > 240 && pixel(1)[2] < 15, "{:?}", pixel(1));
        assert!(pixel(14)[0] < 15 && pixel(14)[2] > 240, "{:?}", pixel(14));
    }
}
