//! Areas and strokes to pixels.
//!
//! Everything is a set of closed polygons, filled where the winding number is not zero. Each row of pixels is cut into
//! eight scan lines; along a line the covered length of each pixel is exact. That is all the antialiasing that charts need.

use crate::geometry::Point;
use crate::style::Color;

/// Scan lines per row of pixels.
const LINES: usize = 8;
/// Straight pieces of a full circle.
const CORNERS: usize = 28;

/// Pixels in red, green and blue.
pub(crate) struct Canvas {
    pub width: usize,
    pub height: usize,
    pub rgb: Vec<u8>,
}

impl Canvas {
    /// A page of one color.
    pub fn new(width: usize, height: usize, color: Color) -> Self {
        Self { width, height, rgb: color.repeat(width * height) }
    }

    /// Fills the polygons together: where several overlap, once.
    pub fn fill(&mut self, polygons: &[Vec<Point>], color: Color, opacity: f64) {
        let points = || polygons.iter().flatten();
        if points().any(|p| !(p.0.is_finite() && p.1.is_finite())) {
            return;
        }
        let ends = |values: &mut dyn Iterator<Item = f64>, limit: usize| {
            let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
            (low.floor().clamp(0.0, limit as f64) as usize, high.ceil().clamp(0.0, limit as f64) as usize)
        };
        let (left, right) = ends(&mut points().map(|p| p.0), self.width);
        let (top, bottom) = ends(&mut points().map(|p| p.1), self.height);
        if left >= right || top >= bottom {
            return;
        }
        let edges = edges(polygons);
        let mut covered = vec![0.0; right - left];
        let mut crossings: Vec<(f64, i32)> = Vec::new();
        for row in top..bottom {
            covered.fill(0.0);
            let near: Vec<&Edge> =
                edges.iter().filter(|edge| edge.top < (row + 1) as f64 && edge.bottom > row as f64).collect();
            for line in 0..LINES {
                let y = row as f64 + (line as f64 + 0.5) / LINES as f64;
                crossings.clear();
                let cut = near.iter().filter(|edge| edge.top <= y && y < edge.bottom);
                crossings.extend(cut.map(|edge| (edge.x + (y - edge.top) * edge.slope, edge.winding)));
                crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
                let mut winding = 0;
                for pair in crossings.windows(2) {
                    winding += pair[0].1;
                    if winding != 0 {
                        cover(&mut covered, pair[0].0 - left as f64, pair[1].0 - left as f64);
                    }
                }
            }
            let pixels = &mut self.rgb[3 * (row * self.width + left)..3 * (row * self.width + right)];
            for (pixel, &share) in pixels.chunks_exact_mut(3).zip(&covered) {
                let share = opacity * f64::min(share / LINES as f64, 1.0);
                blend(pixel, color.map(f64::from), share);
            }
        }
    }

    /// Draws along lines, `width` pixels wide, with round corners and square ends.
    pub fn stroke(&mut self, pieces: &[Vec<Point>], width: f64, dash: &[f64], color: Color, opacity: f64) {
        let mut polygons = Vec::new();
        for piece in pieces {
            for part in dashed(piece, dash) {
                outline(&part, width / 2.0, &mut polygons);
            }
        }
        self.fill(&polygons, color, opacity);
    }

    /// Mixes a color into one pixel.
    pub fn put(&mut self, x: usize, y: usize, color: [f64; 3]) {
        if x < self.width && y < self.height {
            let at = 3 * (y * self.width + x);
            blend(&mut self.rgb[at..at + 3], color, 1.0);
        }
    }
}

fn blend(pixel: &mut [u8], color: [f64; 3], share: f64) {
    for (old, new) in pixel.iter_mut().zip(color) {
        *old = (f64::from(*old) + share * (new - f64::from(*old))).round().clamp(0.0, 255.0) as u8;
    }
}

/// A side of a polygon, from top to bottom.
struct Edge {
    top: f64,
    bottom: f64,
    x: f64,
    slope: f64,
    winding: i32,
}

fn edges(polygons: &[Vec<Point>]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for polygon in polygons {
        for (i, &from) in polygon.iter().enumerate() {
            let to = polygon[(i + 1) % polygon.len()];
            if from.1 == to.1 {
                continue;
            }
            let (upper, lower, winding) = if from.1 < to.1 { (from, to, 1) } else { (to, from, -1) };
            let slope = (lower.0 - upper.0) / (lower.1 - upper.1);
            edges.push(Edge { top: upper.1, bottom: lower.1, x: upper.0, slope, winding });
        }
    }
    edges
}

/// Adds the stretch from `from` to `to` to the pixels it lies on.
fn cover(pixels: &mut [f64], from: f64, to: f64) {
    let (from, to) = (from.clamp(0.0, pixels.len() as f64), to.clamp(0.0, pixels.len() as f64));
    for (pixel, x) in pixels.iter_mut().zip(0..).skip(from as usize).take(to.ceil() as usize - from as usize)
    {
        let x = f64::from(x);
        *pixel += (to.min(x + 1.0) - from.max(x)).max(0.0);
    }
}

/// A circle as a polygon.
pub(crate) fn circle((x, y): Point, radius: f64) -> Vec<Point> {
    let corner = |i: usize| {
        let (sin, cos) = (i as f64 / CORNERS as f64 * std::f64::consts::TAU).sin_cos();
        (x + radius * cos, y + radius * sin)
    };
    (0..CORNERS).map(corner).collect()
}

/// A line as the polygons that cover it: a box a stretch, a disc a corner. All turn the same way, so that none cancels
/// another.
fn outline(points: &[Point], half: f64, polygons: &mut Vec<Vec<Point>>) {
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        if length > 0.0 {
            let (across_x, across_y) = (-(y1 - y0) / length * half, (x1 - x0) / length * half);
            polygons.push(vec![
                (x0 - across_x, y0 - across_y),
                (x1 - across_x, y1 - across_y),
                (x1 + across_x, y1 + across_y),
                (x0 + across_x, y0 + across_y),
            ]);
        }
    }
    let closed = points.len() > 2 && points.first() == points.last();
    let corners = if closed { points } else { points.get(1..points.len().saturating_sub(1)).unwrap_or(&[]) };
    polygons.extend(corners.iter().map(|&corner| circle(corner, half)));
}

/// The drawn parts of a dashed line; the whole line where there is no dash.
fn dashed(points: &[Point], dash: &[f64]) -> Vec<Vec<Point>> {
    if dash.iter().sum::<f64>() <= 0.0 {
        return vec![points.to_vec()];
    }
    let (mut number, mut left) = (0, dash[0]);
    let mut parts: Vec<Vec<Point>> = points.first().map(|&first| vec![first]).into_iter().collect();
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let length = (x1 - x0).hypot(y1 - y0);
        let at = |distance: f64| (x0 + distance / length * (x1 - x0), y0 + distance / length * (y1 - y0));
        let mut done = 0.0;
        while length - done > left {
            done += left;
            match number % 2 {
                0 => parts.iter_mut().last().into_iter().for_each(|part| part.push(at(done))),
                _ => parts.push(vec![at(done)]),
            }
            number += 1;
            left = dash[number % dash.len()];
        }
        left -= length - done;
        if number % 2 == 0 {
            parts.iter_mut().last().into_iter().for_each(|part| part.push((x1, y1)));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Color = [0; 3];

    /// How much of each pixel is dark.
    fn dark(canvas: &Canvas) -> Vec<f64> {
        canvas.rgb.chunks_exact(3).map(|p| 1.0 - f64::from(p[0]) / 255.0).collect()
    }

    #[test]
    fn a_pixel_is_as_dark_as_the_share_that_is_covered() {
        let mut canvas = Canvas::new(4, 2, [255; 3]);
        canvas.fill(&[vec![(0.5, 0.0), (2.25, 0.0), (2.25, 1.5), (0.5, 1.5)]], BLACK, 1.0);
        let expected = [0.5, 1.0, 0.25, 0.0, 0.25, 0.5, 0.125, 0.0];
        for (got, expected) in dark(&canvas).into_iter().zip(expected) {
            assert!((got - expected).abs() < 0.003, "{got} for {expected}");
        }
    }

    #[test]
    fn the_area_of_a_disc_is_that_of_its_polygon() {
        let mut canvas = Canvas::new(40, 40, [255; 3]);
        canvas.fill(&[circle((20.3, 19.6), 15.0)], BLACK, 1.0);
        let area: f64 = dark(&canvas).iter().sum();
        let polygon = 0.5 * CORNERS as f64 * 225.0 * (std::f64::consts::TAU / CORNERS as f64).sin();
        assert!((area - polygon).abs() < 0.3, "{area} for {polygon}");
    }

    #[test]
    fn overlaps_count_once_and_opposite_turns_make_holes() {
        let square = |low: f64, high: f64| vec![(low, low), (high, low), (high, high), (low, high)];
        let mut twice = Canvas::new(10, 10, [255; 3]);
        twice.fill(&[square(1.0, 6.0), square(4.0, 9.0)], BLACK, 0.5);
        let area: f64 = dark(&twice).iter().sum();
        assert!((area - 0.5 * (25.0 + 25.0 - 4.0)).abs() < 0.2, "{area}");
        let mut hole = Canvas::new(10, 10, [255; 3]);
        let inner: Vec<Point> = square(3.0, 6.0).into_iter().rev().collect();
        hole.fill(&[square(1.0, 9.0), inner], BLACK, 1.0);
        assert!((dark(&hole).iter().sum::<f64>() - (64.0 - 9.0)).abs() < 1e-9);
    }

    #[test]
    fn dashes_follow_the_corners() {
        // Seven drawn, three not, along a way of 20 with a corner at 5.
        let parts = dashed(&[(0.0, 0.0), (5.0, 0.0), (5.0, 15.0)], &[7.0, 3.0]);
        assert_eq!(parts, [vec![(0.0, 0.0), (5.0, 0.0), (5.0, 2.0)], vec![(5.0, 5.0), (5.0, 12.0)]]);
        let mut canvas = Canvas::new(30, 3, [255; 3]);
        canvas.stroke(&[vec![(0.0, 1.5), (20.0, 1.5)]], 1.0, &[7.0, 3.0], BLACK, 1.0);
        assert!((dark(&canvas).iter().sum::<f64>() - 14.0).abs() < 1e-9);
    }

    #[test]
    fn what_lies_outside_or_is_no_number_is_left_out() {
        let mut canvas = Canvas::new(4, 4, [255; 3]);
        canvas.fill(&[circle((f64::NAN, 1.0), 2.0)], BLACK, 1.0);
        canvas.fill(&[circle((-50.0, 1.0), 2.0)], BLACK, 1.0);
        canvas.stroke(&[vec![(1.0, 1.0)]], 1.0, &[], BLACK, 1.0);
        assert_eq!(canvas.rgb, [255; 48]);
        canvas.fill(&[vec![(-1e9, -1e9), (1e9, -1e9), (1e9, 1e9), (-1e9, 1e9)]], BLACK, 1.0);
        assert_eq!(canvas.rgb, [0; 48]);
    }
}
