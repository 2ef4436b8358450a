//! The pixels of a picture, as PNG: the same shapes as its SVG, on a light page, two pixels for each of the SVG's.

use crate::font::{advance, contours};
use crate::geometry::{Point, Rect};
use crate::picture::{Marker, Picture, Shape};
use crate::raster::{Canvas, circle};
use crate::style::{Anchor, Paint};
use crate::thumbnail::Thumbnail;
use std::io;

/// Pixels of the PNG for one of the SVG.
const SCALE: f64 = 2.0;
/// A picture of more pixels is made smaller; only a title of thousands of letters leads there.
const MOST_PIXELS: f64 = 3e7;
/// How much thicker bold letters are, in ems.
const BOLD: f64 = 0.055;

impl Picture {
    /// The PNG file.
    pub fn to_png(&self) -> io::Result<Vec<u8>> {
        let scale = SCALE.min((MOST_PIXELS / (self.width * self.height)).sqrt());
        let whole = |length: f64| (length * scale).ceil().max(1.0) as usize;
        let paper = Paint::of("paper", false).fill.unwrap_or([255; 3]);
        let mut brush = Brush {
            canvas: Canvas::new(whole(self.width), whole(self.height), paper),
            scale,
            by: (0.0, 0.0),
        };
        self.shapes.iter().for_each(|shape| brush.draw(shape));
        encoded(brush.canvas.width, brush.canvas.height, &brush.canvas.rgb)
    }
}

/// Draws shapes on a canvas of another scale.
struct Brush {
    canvas: Canvas,
    scale: f64,
    /// Where the origin of the group is.
    by: Point,
}

impl Brush {
    fn place(&self, (x, y): Point) -> Point {
        (self.scale * (x + self.by.0), self.scale * (y + self.by.1))
    }

    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Path { class, pieces } => self.outlined(pieces, false, class),
            Shape::Rect { class, rect } => {
                let corners = |r: &Rect| {
                    vec![(r.x, r.y), (r.right(), r.y), (r.right(), r.bottom()), (r.x, r.bottom()), (r.x, r.y)]
                };
                self.outlined(&[corners(rect)], true, class);
            }
            Shape::Circle { class, at, radius } => {
                let mut round = circle(*at, *radius);
                round.push(round[0]);
                self.outlined(&[round], true, class);
            }
            Shape::Marks { class, marker, size, places } => {
                for &(x, y) in places {
                    let mark = match marker {
                        Marker::Disc => vec![circle((x, y), *size)],
                        other => other.corners(*size),
                    };
                    let moved =
                        |piece: Vec<Point>| piece.into_iter().map(|(dx, dy)| (x + dx, y + dy)).collect();
                    let mark: Vec<Vec<Point>> = match marker {
                        Marker::Disc => mark,
                        _ => mark.into_iter().map(moved).collect(),
                    };
                    self.outlined(&mark, true, class);
                }
            }
            Shape::Text { class, at, upward, text } => self.text(class, *at, *upward, text),
            Shape::Image { rect, image } => self.image(rect, image),
            Shape::Group { by, shapes } => {
                let before = self.by;
                self.by = (before.0 + by.0, before.1 + by.1);
                shapes.iter().for_each(|shape| self.draw(shape));
                self.by = before;
            }
        }
    }

    fn outlined(&mut self, pieces: &[Vec<Point>], area: bool, class: &str) {
        let paint = Paint::of(class, false);
        let placed: Vec<Vec<Point>> =
            pieces.iter().map(|piece| piece.iter().map(|&point| self.place(point)).collect()).collect();
        if let Some(fill) = paint.fill.filter(|_| area) {
            self.canvas.fill(&placed, fill, paint.opacity);
        }
        if let Some(stroke) = paint.stroke {
            let dash: Vec<f64> = paint.dash.iter().map(|length| length * self.scale).collect();
            self.canvas.stroke(&placed, paint.width * self.scale, &dash, stroke, paint.opacity);
        }
    }

    fn text(&mut self, class: &str, at: Point, upward: bool, text: &str) {
        let paint = Paint::of(class, true);
        let back = advance(text, paint.size)
            * match paint.anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => 0.5,
                Anchor::End => 1.0,
            };
        let turned = |(x, y): Point| if upward { (y, -(x - back)) } else { (x - back, y) };
        let closed = |mut contour: Vec<Point>| -> Vec<Point> {
            contour.extend(contour.first().copied());
            let place = |&point: &Point| {
                let (x, y) = turned(point);
                self.place((at.0 + x, at.1 + y))
            };
            contour.iter().map(place).collect()
        };
        let letters: Vec<Vec<Point>> = contours(text, paint.size).into_iter().map(closed).collect();
        if let Some(halo) = paint.stroke {
            self.canvas.stroke(&letters, paint.width * self.scale, &[], halo, 1.0);
        }
        if let Some(ink) = paint.fill {
            self.canvas.fill(&letters, ink, 1.0);
            if paint.bold {
                self.canvas.stroke(&letters, BOLD * paint.size * self.scale, &[], ink, 1.0);
            }
        }
    }

    fn image(&mut self, rect: &Rect, image: &Thumbnail) {
        let (left, top) = self.place((rect.x, rect.y));
        let (right, bottom) = self.place((rect.right(), rect.bottom()));
        let pixels = |from: f64, to: f64| from.round().max(0.0) as usize..to.round().max(0.0) as usize;
        for y in pixels(top, bottom) {
            for x in pixels(left, right) {
                let share = |at: usize, from: f64, to: f64| (at as f64 + 0.5 - from) / (to - from);
                self.canvas.put(x, y, image.at(share(x, left, right), share(y, top, bottom)));
            }
        }
    }
}

/// A PNG file of red, green and blue a pixel.
pub(crate) fn encoded(width: usize, height: usize, rgb: &[u8]) -> io::Result<Vec<u8>> {
    let side =
        |length: usize| u32::try_from(length).map_err(|_| io::Error::other("the picture is too large"));
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, side(width)?, side(height)?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(rgb)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(file: &[u8]) -> (usize, usize, Vec<u8>) {
        let mut reader = png::Decoder::new(io::Cursor::new(file)).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut rgb).unwrap();
        (reader.info().width as usize, reader.info().height as usize, rgb)
    }

    #[test]
    fn shapes_lie_where_they_lie_in_the_svg() {
        let image = Thumbnail::new(1, 1, &[10, 200, 30]).unwrap();
        let rect = |x: f64, y: f64| Rect { x, y, width: 4.0, height: 4.0 };
        let shapes = vec![Shape::Group {
            by: (10.0, 0.0),
            shapes: vec![
                Shape::Image { rect: rect(0.0, 0.0), image },
                Shape::Rect { class: "band".into(), rect: rect(6.0, 4.0) },
            ],
        }];
        let (width, height, rgb) =
            decoded(&Picture { title: String::new(), width: 30.0, height: 12.5, shapes }.to_png().unwrap());
        assert_eq!((width, height), (60, 25));
        let pixel = |x: usize, y: usize| &rgb[3 * (y * width + x)..][..3];
        assert_eq!(
            (pixel(20, 0), pixel(27, 7), pixel(28, 0)),
            (&[10, 200, 30][..], &[10, 200, 30][..], &[255; 3][..])
        );
        assert_eq!(
            (pixel(32, 8), pixel(39, 15), pixel(40, 15)),
            (&[0xe3; 3][..], &[0xe3; 3][..], &[255; 3][..])
        );
    }

    #[test]
    fn text_is_centered_ended_and_turned() {
        let text = |class: &str, upward| Shape::Text {
            class: class.into(),
            at: (50.0, 50.0),
            upward,
            text: "HHHH".into(),
        };
        let middle = |class: &str, upward| {
            let shapes = vec![text(class, upward)];
            let (width, _, rgb) = decoded(
                &Picture { title: String::new(), width: 100.0, height: 100.0, shapes }.to_png().unwrap(),
            );
            let dark = |i: usize| 255.0 - f64::from(rgb[3 * i]);
            let all: f64 = (0..rgb.len() / 3).map(dark).sum();
            let mean = |f: &dyn Fn(usize) -> usize| {
                (0..rgb.len() / 3).map(|i| f(i) as f64 * dark(i)).sum::<f64>() / all
            };
            (mean(&|i| i % width) / 2.0, mean(&|i| i / width) / 2.0)
        };
        let half = advance("HHHH", 11.0) / 2.0;
        let rise = 0.729 * 11.0 / 2.0;
        for (class, upward, expected) in [
            ("ink", false, (50.0 + half, 50.0 - rise)),
            ("ink middle", false, (50.0, 50.0 - rise)),
            ("ink end", false, (50.0 - half, 50.0 - rise)),
            ("ink middle", true, (50.0 - rise, 50.0)),
        ] {
            let (x, y) = middle(class, upward);
            assert!(
                (x - expected.0).abs() < 0.6 && (y - expected.1).abs() < 0.6,
                "{class}: {x} {y} {expected:?}"
            );
        }
    }

    #[test]
    fn a_title_without_end_makes_a_smaller_picture() {
        let picture = Picture { title: String::new(), width: 1e6, height: 600.0, shapes: Vec::new() };
        let (width, height, _) = decoded(&picture.to_png().unwrap());
        assert!(width * height < 31_000_000, "{width} x {height}");
    }
}
