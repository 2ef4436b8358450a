//! Letters of PNG pictures: outlines of DejaVu Sans, which come with the crate, so that no font has to be installed.
//!
//! `font/glyphs.txt` holds Latin and Greek letters, digits and the signs of formulas; `font/glyphs.py` made it, and
//! `font/LICENSE` is the font's. A character that it lacks is drawn as a box. DejaVu Sans is the widest of the usual
//! sans-serif fonts, and what [`width`](crate::labels::width) leaves room for.

use crate::geometry::Point;
use std::collections::HashMap;
use std::sync::OnceLock;

const GLYPHS: &str = include_str!("../font/glyphs.txt");
/// Font units an em.
const EM: f64 = 2048.0;
/// Straight pieces of a curve.
const PIECES: u32 = 5;
/// Advance of the box that replaces a missing character.
const BOX: f64 = 1229.0;

struct Glyph {
    advance: f64,
    contours: Vec<Vec<Point>>,
}

fn glyphs() -> &'static HashMap<char, Glyph> {
    static FONT: OnceLock<HashMap<char, Glyph>> = OnceLock::new();
    FONT.get_or_init(|| GLYPHS.lines().filter(|line| !line.starts_with('#')).filter_map(glyph).collect())
}

/// A line of the file.
fn glyph(line: &str) -> Option<(char, Glyph)> {
    let mut words = line.split(' ');
    let character = char::from_u32(u32::from_str_radix(words.next()?, 16).ok()?)?;
    let advance = words.next()?.parse().ok()?;
    let mut contours: Vec<Vec<Point>> = Vec::new();
    while let Some(command) = words.next() {
        let mut point =
            || -> Option<Point> { Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?)) };
        let first = point()?;
        match command {
            "M" => contours.push(vec![first]),
            "L" => contours.last_mut()?.push(first),
            _ => {
                let (to, contour) = (point()?, contours.last_mut()?);
                let from = *contour.last()?;
                contour.extend((1..=PIECES).map(|i| {
                    let t = f64::from(i) / f64::from(PIECES);
                    let mixed = |a: f64, b: f64, c: f64| {
                        (1.0 - t) * (1.0 - t) * a + 2.0 * t * (1.0 - t) * b + t * t * c
                    };
                    (mixed(from.0, first.0, to.0), mixed(from.1, first.1, to.1))
                }));
            }
        }
    }
    Some((character, Glyph { advance, contours }))
}

/// How wide a text is.
pub(crate) fn advance(text: &str, size: f64) -> f64 {
    size / EM * text.chars().map(|c| glyphs().get(&c).map_or(BOX, |glyph| glyph.advance)).sum::<f64>()
}

/// The contours of a text, from the start of its baseline at the origin; y points down.
pub(crate) fn contours(text: &str, size: f64) -> Vec<Vec<Point>> {
    let mut all = Vec::new();
    let mut x = 0.0;
    for character in text.chars() {
        let placed = |contour: &Vec<Point>| -> Vec<Point> {
            contour.iter().map(|&(px, py)| ((x + px) * size / EM, -py * size / EM)).collect()
        };
        match glyphs().get(&character) {
            Some(glyph) => all.extend(glyph.contours.iter().map(placed)),
            None => {
                let square = |low: f64, high: f64| vec![(low, low), (low, high), (high, high), (high, low)];
                all.push(placed(&square(120.0, 1100.0)));
                all.push(placed(&square(220.0, 1000.0).into_iter().rev().collect()));
            }
        }
        x += glyphs().get(&character).map_or(BOX, |glyph| glyph.advance);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::width;

    #[test]
    fn every_line_of_the_file_is_a_glyph() {
        assert_eq!(glyphs().len(), GLYPHS.lines().count() - 1);
        let written =
            "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 .,:;()[]%+−=<>≤≥μπηφ·→×";
        assert!(written.chars().all(|c| glyphs().contains_key(&c)));
        // The advance of a digit in DejaVu Sans is 1303 of 2048.
        assert!((advance("00", 2048.0) - 2606.0).abs() < 1e-9);
    }

    #[test]
    fn texts_fit_the_room_that_is_left_for_them() {
        for text in ["The reward of the truth, J", "labeled dogs (150)", "0.0", "−1.5", "probability of dog"]
        {
            assert!(advance(text, 11.0) <= width(text, 11.0), "{text}: {}", advance(text, 11.0));
        }
    }

    #[test]
    fn letters_stand_on_the_baseline_and_unknown_ones_are_boxes() {
        let ends = |text: &str| {
            let points = contours(text, 100.0).concat();
            let fold = |f: fn(f64, f64) -> f64, start| points.iter().map(|p| p.1).fold(start, f);
            (fold(f64::min, 1e9), fold(f64::max, -1e9))
        };
        // Capitals of DejaVu Sans are 1493 of 2048 high.
        let (top, bottom) = ends("H");
        assert!((top + 72.9).abs() < 0.1 && bottom == 0.0);
        assert!(ends("g").1 > 15.0);
        assert_eq!(contours("\u{4e2d}", 10.0).len(), 2);
    }
}
