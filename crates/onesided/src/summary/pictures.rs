//! Pictures as the model sees them: those that it ranks first and last, those between which it decides, labeled ones that it doubts, and
//! which parts of a picture carry its score.
//!
//! A part carries what the score loses when it is covered with the mean color of the training pictures (M. D. Zeiler and R. Fergus, "Visualizing
//! and understanding convolutional networks", ECCV 2014, section 4.2).

use crate::{Error, List, ListedRow, Model, RowKind};
use onesided_data::{Dataset, Encoding, ImageInput, Label, Matrix, Pictures, Store};
use serde::Serialize;

/// Pictures of a group.
const GROUP: usize = 12;
/// Pictures whose parts are covered one by one, and parts along each side.
const COVERED: usize = 6;
const PARTS: usize = 8;

/// A picture, and how the model ranks it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenPicture {
    /// Its number in the data, from 0.
    pub row: usize,
    /// Its file, where it has one.
    pub name: String,
    /// The probability that it is positive, of a listed one.
    pub probability: f32,
    /// Pixels a line.
    pub width: usize,
    /// Lines of pixels.
    pub height: usize,
    /// One byte a pixel (gray), or three (red, green and blue).
    pub bytes: Vec<u8>,
}

/// Why pictures are shown together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PictureGroup {
    /// The model decides between them.
    AtCut,
    /// It ranks them last.
    Last,
    /// They are labeled positive, and it ranks them lowest of these.
    Doubted,
}

/// What the parts of a picture carry.
#[derive(Clone, Debug, PartialEq)]
pub struct CoveredPicture {
    /// The picture.
    pub picture: SeenPicture,
    /// Parts along a line.
    pub across: usize,
    /// Parts along a column.
    pub down: usize,
    /// What the score loses without each, line by line; below 0 the part spoke against the picture.
    pub lost: Vec<f64>,
}

/// The pictures of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PicturesSeen {
    /// Those of the first rows, in their order.
    pub first: Vec<SeenPicture>,
    /// Others, by why they are shown.
    pub groups: Vec<(PictureGroup, Vec<SeenPicture>)>,
    /// What carries the scores of the very first.
    pub covered: Vec<CoveredPicture>,
}

impl List<'_> {
    /// Of a whole list of pictures, of which the first `rows` are shown.
    pub(super) fn pictures(
        &self,
        data: &Dataset,
        list: &[ListedRow],
        rows: usize,
        predicted_positive: usize,
    ) -> Result<PicturesSeen, Error> {
        let Encoding::Image(image) = self.model.encoding().as_ref() else {
            return Ok(PicturesSeen::default());
        };
        let show = Shown { image, data, ends: ends(data.rows(), image) };
        let some =
            |rows: &[ListedRow]| rows.iter().filter_map(|row| show.listed(row, data)).collect::<Vec<_>>();
        let at = predicted_positive.min(list.len());
        let at_cut = &list[at.saturating_sub(GROUP / 2)..(at + GROUP / 2).min(list.len())];
        let last = &list[list.len() - GROUP.min(list.len())..];
        let mut groups = vec![(PictureGroup::AtCut, some(at_cut))];
        // Of two places, or by the column that labels came from.
        if let Some(labels) = data.labels().or(data.told()) {
            let positive: Vec<usize> =
                (0..data.len()).filter(|&row| labels[row] == Label::Positive).collect();
            let labeled = data.select(&positive);
            let mut ranked = self.clone().all(true).top(&[]).explain(None).rank(&labeled)?.collect()?;
            // What a model has met it scores as one that has not, or not at all.
            ranked.retain(|row| row.kind == RowKind::Positive);
            let doubted = &ranked[ranked.len() - GROUP.min(ranked.len())..];
            let of_all = |picture: SeenPicture| SeenPicture { row: positive[picture.row], ..picture };
            let doubted = doubted.iter().rev().filter_map(|row| show.listed(row, &labeled)).map(of_all);
            groups.push((PictureGroup::Doubted, doubted.collect()));
        }
        groups.push((PictureGroup::Last, some(last)));
        groups.retain(|(_, pictures)| !pictures.is_empty());
        let first = some(&list[..rows.min(list.len())]);
        let covered = first.iter().take(COVERED).map(|picture| show.covered(self.model, picture));
        Ok(PicturesSeen { covered: covered.collect::<Result<_, _>>()?, first, groups })
    }
}

impl Model {
    /// Pictures of rows as the model sees them; of other rows, and where there is no such row, none.
    pub fn picture(&self, data: &Dataset, row: usize) -> Option<SeenPicture> {
        let Encoding::Image(image) = self.encoding().as_ref() else { return None };
        let show = Shown { image, data, ends: ends(data.rows(), image) };
        show.picture(row, data)
    }
}

/// Makes pictures of rows.
struct Shown<'d> {
    image: &'d ImageInput,
    data: &'d Dataset,
    /// What is black and what is white.
    ends: (f64, f64),
}

impl Shown<'_> {
    /// A row of a list.
    fn listed(&self, row: &ListedRow, data: &Dataset) -> Option<SeenPicture> {
        let picture = self.picture(row.row, data)?;
        let name = row.cells.first().cloned().unwrap_or_default();
        Some(SeenPicture { name, probability: row.probability, ..picture })
    }

    fn picture(&self, row: usize, data: &Dataset) -> Option<SeenPicture> {
        let shape = self.image.image;
        let wide = shape.len()?;
        let bytes: Vec<u8> = match data.rows() {
            Store::Bytes(pictures) => {
                let bytes = pictures.bytes.get(row * wide..(row + 1) * wide)?;
                bytes.iter().map(|&byte| (255.0 * f64::from(byte) / self.ends.1).round() as u8).collect()
            }
            Store::Dense(matrix) if row < matrix.rows() => {
                let (low, high) = self.ends;
                let of = |(at, &x): (usize, &f32)| {
                    let share =
                        (unscaled(self.image, at % shape.channels, x) - low) / (high - low).max(1e-12);
                    (255.0 * share.clamp(0.0, 1.0)).round() as u8
                };
                matrix.row(row).iter().enumerate().map(of).collect()
            }
            _ => return None,
        };
        // Of channels that are no colors the mean is shown.
        let bytes = match shape.channels {
            1 | 3 => bytes,
            many => bytes
                .chunks_exact(many)
                .map(|pixel| (pixel.iter().map(|&byte| usize::from(byte)).sum::<usize>() / many) as u8)
                .collect(),
        };
        Some(SeenPicture {
            row,
            name: String::new(),
            probability: f32::NAN,
            width: shape.width,
            height: shape.height,
            bytes,
        })
    }

    fn covered(&self, model: &Model, picture: &SeenPicture) -> Result<CoveredPicture, Error> {
        let shape = self.image.image;
        let (across, down) = (shape.width.min(PARTS), shape.height.min(PARTS));
        let wide = shape.width * shape.height * shape.channels;
        let values = |part: usize| {
            let ends = |at: usize, parts: usize, side: usize| at * side / parts..(at + 1) * side / parts;
            (ends(part / across, down, shape.height), ends(part % across, across, shape.width))
        };
        // The picture itself, and behind it the picture without each part.
        let is_covered = |part: usize, at: usize| {
            let (lines, pixels) = values(part);
            let pixel = at / shape.channels;
            lines.contains(&(pixel / shape.width)) && pixels.contains(&(pixel % shape.width))
        };
        let parts = across * down;
        let all = 0..(parts + 1) * wide;
        let place = |at: usize| (at / wide, at % wide);
        let covers = |at: usize| place(at).0 > 0 && is_covered(place(at).0 - 1, place(at).1);
        let rows = match self.data.rows() {
            Store::Bytes(pictures) => {
                let own = &pictures.bytes[picture.row * wide..(picture.row + 1) * wide];
                let mean =
                    |channel: usize| unscaled(self.image, channel, 0.0).round().clamp(0.0, 255.0) as u8;
                let mean: Vec<u8> = (0..shape.channels).map(mean).collect();
                let byte = |at| if covers(at) { mean[at % shape.channels] } else { own[place(at).1] };
                Store::Bytes(Pictures { shape, bytes: all.map(byte).collect() })
            }
            other => {
                let Store::Dense(own) = other.select(&[picture.row]) else { return Err(NOT_HELD) };
                let value = |at| if covers(at) { 0.0 } else { own.as_slice()[place(at).1] };
                Store::Dense(Matrix::new(parts + 1, wide, all.map(value).collect())?)
            }
        };
        let scores = model.score(&Dataset::from_encoded(rows, model.encoding().clone())?)?;
        let lost = scores[1..].iter().map(|&score| f64::from(scores[0]) - f64::from(score)).collect();
        Ok(CoveredPicture { picture: picture.clone(), across, down, lost })
    }
}

const NOT_HELD: Error = Error::NoUse { setting: "pictures", why: "their pixels are not held in memory" };

/// A pixel as it was before it was scaled.
fn unscaled(image: &ImageInput, channel: usize, x: f32) -> f64 {
    f64::from((x - image.shift[channel]) / image.scale[channel])
}

/// What is black and what is white: the least and the largest value of pixels that are no bytes, and of bytes 0 and 255, or the largest
/// where none is half as bright (pixels from 0 to 16).
fn ends(rows: &Store, image: &ImageInput) -> (f64, f64) {
    let matrix = match rows {
        Store::Dense(matrix) => matrix,
        Store::Bytes(pictures) => {
            let most = pictures.bytes.iter().copied().max().unwrap_or(255);
            return (0.0, if (1..128).contains(&most) { f64::from(most) } else { 255.0 });
        }
        _ => return (0.0, 255.0),
    };
    let all = matrix.as_slice().iter().enumerate();
    let raw = all.map(|(at, &x)| unscaled(image, at % image.image.channels, x));
    raw.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::PictureShape;

    #[test]
    fn dark_pictures_are_lit_and_others_stay() {
        let shape = PictureShape { channels: 1, height: 1, width: 2 };
        let white = |bytes: &[u8]| {
            let pictures = Pictures { shape, bytes: bytes.to_vec() };
            let image = ImageInput::fit(&pictures).unwrap();
            ends(&Store::Bytes(pictures), &image).1
        };
        // Digits of 17 shades, a night, a day, and nothing at all.
        assert_eq!(
            [white(&[0, 16]), white(&[3, 127]), white(&[0, 200]), white(&[0, 0])],
            [16.0, 127.0, 255.0, 255.0]
        );
    }
}
