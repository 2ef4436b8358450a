//! One picture: PNG or JPEG decoded to red, green and blue, and brought to a size.
//!
//! The format follows from the first bytes, not from the name. Gray becomes three equal channels, 16 bits become 8,
//! transparent pixels are laid on white; color profiles and the orientation that cameras note are not looked at.
//!
//! Resizing averages areas (the box filter): a pixel of the result is the mean of the part of the source it covers, where
//! source pixels that are cut by its edge count with the share that lies inside. With s = source/target,
//! out(i) = (1/s) Σ_j |[i s, (i+1) s] ∩ [j, j+1]| in(j), along lines and then along columns. The sides are scaled separately:
//! a picture that is not of the target's proportions is stretched.

use crate::parallel::map_stretches;
use crate::place::read_regular;
use crate::read::contained;
use crate::{DataError, PictureShape, check_memory};
use std::io::Cursor;
use std::path::Path;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Pixels of the largest picture that is decoded: 64 million, more than cameras make of a dog.
const MOST_PIXELS: usize = 1 << 26;
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

/// Decodes a PNG or JPEG file, or says why not.
pub(crate) fn decode(bytes: &[u8]) -> Result<Picture, String> {
    let decoder: fn(&[u8]) -> Result<Picture, String> = match bytes {
        [] => return Err("it is empty".to_string()),
        [0x89, b'P', b'N', b'G', ..] => png,
        [0xff, 0xd8, ..] => jpeg,
        _ => return Err("it is neither PNG nor JPEG".to_string()),
    };
    contained(|| decoder(bytes)).map_err(|panic| format!("its decoder gave up: {panic}"))?
}

/// What the header of a picture says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub height: usize,
    pub width: usize,
    /// Whether the file holds shades of gray alone.
    pub gray: bool,
}

/// Reads the header of a PNG or JPEG file, or says why not; one that is too large to be decoded is refused here, too.
pub(crate) fn probe(bytes: &[u8]) -> Result<Header, String> {
    let reader: fn(&[u8]) -> Result<Header, String> = match bytes {
        [0x89, b'P', b'N', b'G', ..] => |bytes| {
            let decoder =
                png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: 8 * MOST_PIXELS });
            let reader = decoder.read_info().map_err(|error| error.to_string())?;
            let info = reader.info();
            let gray = matches!(info.color_type, png::ColorType::Grayscale | png::ColorType::GrayscaleAlpha);
            sized(info.height as usize, info.width as usize, gray)
        },
        [0xff, 0xd8, ..] => |bytes| {
            let mut decoder = JpegDecoder::new_with_options(Cursor::new(bytes), jpeg_options());
            decoder.decode_headers().map_err(|error| error.to_string())?;
            let info = decoder.info().ok_or("it has no size")?;
            sized(usize::from(info.height), usize::from(info.width), info.components == 1)
        },
        _ => return Err("it is neither PNG nor JPEG".to_string()),
    };
    contained(|| reader(bytes)).map_err(|panic| format!("its decoder gave up: {panic}"))?
}

fn sized(height: usize, width: usize, gray: bool) -> Result<Header, String> {
    fits(height, width).map(|()| Header { height, width, gray })
}

fn fits(height: usize, width: usize) -> Result<(), String> {
    match height.checked_mul(width) {
        // Samples of up to four channels, and the colors made of them.
        Some(pixels @ 1..=MOST_PIXELS) => {
            let what = || format!("{width} x {height} pixels");
            check_memory(what, 8 * pixels as u64).map_err(|error| error.to_string())
        }
        _ => Err(format!("{width} x {height} pixels are none or too many")),
    }
}

fn png(bytes: &[u8]) -> Result<Picture, String> {
    let why = |error: png::DecodingError| format!("not a sound PNG: {error}");
    let mut decoder =
        png::Decoder::new_with_limits(Cursor::new(bytes), png::Limits { bytes: 8 * MOST_PIXELS });
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(why)?;
    let (height, width) = (reader.info().height as usize, reader.info().width as usize);
    fits(height, width)?;
    let size = reader.output_buffer_size().ok_or("its size overflows")?;
    let mut samples = vec![0; size];
    let frame = reader.next_frame(&mut samples).map_err(why)?;
    // Reading on to the end finds a file that was cut behind its pixels.
    reader.finish().map_err(why)?;
    samples.truncate(frame.buffer_size());
    let on_white = |value: u8, alpha: u8| {
        let alpha = u32::from(alpha);
        ((u32::from(value) * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    let bytes = match frame.color_type {
        png::ColorType::Rgb => samples,
        png::ColorType::Grayscale => samples.iter().flat_map(|&gray| [gray; 3]).collect(),
        png::ColorType::GrayscaleAlpha => {
            samples.chunks_exact(2).flat_map(|pixel| [on_white(pixel[0], pixel[1]); 3]).collect()
        }
        png::ColorType::Rgba => {
            let blend = |pixel: &[u8]| [0, 1, 2].map(|c| on_white(pixel[c], pixel[3]));
            samples.chunks_exact(4).flat_map(blend).collect()
        }
        png::ColorType::Indexed => return Err("not a sound PNG: its palette is missing".to_string()),
    };
    whole(Picture { height, width, bytes })
}

/// Strict: a file that was cut short is an error and not a picture with a gray lower half.
fn jpeg_options() -> DecoderOptions {
    DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(1 << 16)
        .set_max_height(1 << 16)
        .jpeg_set_out_colorspace(ColorSpace::RGB)
}

fn jpeg(bytes: &[u8]) -> Result<Picture, String> {
    let mut decoder = JpegDecoder::new_with_options(Cursor::new(bytes), jpeg_options());
    let why = |error| format!("not a sound JPEG: {error}");
    decoder.decode_headers().map_err(why)?;
    let info = decoder.info().ok_or("not a sound JPEG: it has no size")?;
    let (height, width) = (usize::from(info.height), usize::from(info.width));
    fits(height, width)?;
    let bytes = decoder.decode().map_err(why)?;
    whole(Picture { height, width, bytes })
}

fn whole(picture: Picture) -> Result<Picture, String> {
    if picture.height * picture.width * 3 == picture.bytes.len() {
        Ok(picture)
    } else {
        Err("its decoder gave another size than its header".to_string())
    }
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
fn shares(at: usize, source: usize, target: usize) -> Vec<(usize, f32)> {
    let (start, end) = (at * source, (at + 1) * source);
    let share = |from: usize| {
        let inside = end.min((from + 1) * target) - start.max(from * target);
        (from, inside as f32 / source as f32)
    };
    (start / target..end.div_ceil(target)).map(share).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::damage::{cuts, damaged};
    use super::*;

    /// 16 × 8 pixels, the left half red and the right half blue, written by `tests/fixtures/make_pictures.py`.
    pub const JPEG: &[u8] = include_bytes!("../../tests/fixtures/halves.jpg");

    /// A PNG of these samples.
    pub fn encoded(width: u32, height: u32, color: png::ColorType, samples: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(color);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().unwrap().write_image_data(samples).unwrap();
        bytes
    }

    #[test]
    fn png_of_every_kind_becomes_rgb() {
        let of = |color, samples: &[u8]| decode(&encoded(2, 1, color, samples)).unwrap().bytes;
        assert_eq!(of(png::ColorType::Rgb, &[1, 2, 3, 4, 5, 6]), [1, 2, 3, 4, 5, 6]);
        assert_eq!(of(png::ColorType::Grayscale, &[7, 9]), [7, 7, 7, 9, 9, 9]);
        assert_eq!(of(png::ColorType::GrayscaleAlpha, &[7, 255, 9, 0]), [7, 7, 7, 255, 255, 255]);
        // A fifth of 10 and four fifths of white: 2 + 204.
        assert_eq!(of(png::ColorType::Rgba, &[1, 2, 3, 255, 10, 0, 255, 51]), [1, 2, 3, 206, 204, 255]);
    }

    #[test]
    fn jpeg_within_its_loss() {
        let picture = decode(JPEG).unwrap();
        assert_eq!((picture.height, picture.width), (8, 16));
        let pixel = |column: usize| &picture.bytes[3 * column..3 * column + 3];
        for (column, color) in [(1, [254, 0, 0]), (14, [0, 0, 254])] {
            let far = pixel(column).iter().zip(color).map(|(&a, b)| i32::from(a).abs_diff(b)).max();
            assert!(far <= Some(3), "{:?}", pixel(column));
        }
    }

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

    #[test]
    fn refusals() {
        let message = |bytes: &[u8]| decode(bytes).unwrap_err();
        assert_eq!(message(b""), "it is empty");
        assert_eq!(message(b"GIF89a"), "it is neither PNG nor JPEG");
        assert!(message(&JPEG[..JPEG.len() / 2]).starts_with("not a sound JPEG"));
        let mut wide = encoded(2, 1, png::ColorType::Grayscale, &[7, 9]);
        wide[16..24].fill(0x7f);
        assert!(message(&wide).starts_with("not a sound PNG"), "{}", message(&wide));
    }

    #[test]
    fn cut_png_is_refused_and_damaged_pictures_do_not_panic() {
        let picture = encoded(3, 2, png::ColorType::Rgb, &[9; 18]);
        cuts(&picture, |cut| assert!(decode(cut).is_err(), "{}", cut.len()));
        damaged(&picture, |bytes| drop(decode(bytes)));
        cuts(JPEG, |cut| drop(decode(cut)));
        damaged(JPEG, |bytes| drop(decode(bytes)));
    }
}
