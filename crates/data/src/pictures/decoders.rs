//! The decoders of PNG and JPEG.

use super::orientation::Orientation;
use super::resize::{Header, Picture};
use crate::check_memory;
use onesided_table::contained;
use std::io::Cursor;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Pixels of the largest picture that is decoded: 64 million, more than cameras make of a dog.
const MOST_PIXELS: usize = 1 << 26;

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
            let turned = Orientation::of_exif(decoder.exif().map(Vec::as_slice)).turns();
            let (height, width) = (usize::from(info.height), usize::from(info.width));
            let (height, width) = if turned { (width, height) } else { (height, width) };
            sized(height, width, info.components == 1)
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
    let orientation = Orientation::of_exif(decoder.exif().map(Vec::as_slice));
    whole(Picture { height, width, bytes }).map(|picture| orientation.upright(picture))
}

fn whole(picture: Picture) -> Result<Picture, String> {
    if picture.height * picture.width * 3 == picture.bytes.len() {
        Ok(picture)
    } else {
        Err("its decoder gave another size than its header".to_string())
    }
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
