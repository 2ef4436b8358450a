//! Pictures of a page: lines, bands and columns as inline SVG, with a value at each point for whoever points at it.
//!
//! Colors come from the page's style sheet, so they are right on light and dark pages and on paper.

use super::html::escaped;
use crate::axis::Axis;
use std::fmt::Write;

const WIDTH: f64 = 680.0;
const HEIGHT: f64 = 270.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 28.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 50.0;

/// A pair of axes and what was drawn on it.
pub(super) struct Plot {
    x: Axis,
    y: Axis,
    /// Whether equal ratios of x are equal lengths.
    ratios: bool,
    body: String,
    hover: String,
    about: String,
}

/// How a number of an axis is written.
pub(super) type Written = fn(f64) -> String;

impl Plot {
    /// `about` says in words what the picture shows.
    pub fn new(about: &str, x: (f64, f64), y: (f64, f64), ratios: bool) -> Self {
        let of = |x: f64| if ratios { x.max(1e-12).log10() } else { x };
        Self {
            x: Axis::between(of(x.0), of(x.1)),
            y: Axis::between(y.0, y.1),
            ratios,
            body: String::new(),
            hover: String::new(),
            about: about.to_string(),
        }
    }

    /// Where a value of x is drawn.
    pub fn x(&self, x: f64) -> f64 {
        let x = if self.ratios { x.max(1e-12).log10() } else { x };
        LEFT + self.x.share(x).clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, y: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.share(y).clamp(0.0, 1.0) * (HEIGHT - TOP - BOTTOM)
    }

    /// The grid with its numbers and names.
    pub fn axes(&mut self, x_label: &str, y_label: &str, x_written: Written, y_written: Written) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for (tick, _) in self.y.ticks(4) {
            let y = self.y(tick);
            let _ = write!(
                self.body,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/><text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                LEFT - 8.0,
                y + 4.5,
                escaped(&y_written(tick))
            );
        }
        let ticks: Vec<f64> = match self.ratios {
            false => self.x.ticks(5).into_iter().map(|(tick, _)| tick).collect(),
            true => {
                let (low, high) = (self.x.low.ceil() as i32, self.x.high.floor() as i32);
                let steps: &[f64] = if high - low < 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
                let all =
                    (low - 1..=high).flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
                let inside = |x: &f64| x.log10() >= self.x.low - 1e-9 && x.log10() <= self.x.high + 1e-9;
                all.filter(inside).collect()
            }
        };
        for tick in ticks {
            let x = self.x(tick);
            let _ = write!(
                self.body,
                "<path class=\"tick\" d=\"M{x:.1} {bottom}v5\"/><text class=\"middle\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                bottom + 20.0,
                escaped(&x_written(tick))
            );
        }
        let _ = write!(
            self.body,
            "<path class=\"edge\" d=\"M{LEFT} {bottom}H{right}\"/><text class=\"middle name\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 8.0,
            escaped(x_label)
        );
        let _ = write!(
            self.body,
            "<text class=\"middle name side\" transform=\"translate(14 {:.1}) rotate(-90)\">{}</text>",
            (TOP + bottom) / 2.0,
            escaped(y_label)
        );
    }

    fn path(&self, points: &[(f64, f64)]) -> String {
        let mut path = String::new();
        for (at, &(x, y)) in points.iter().enumerate() {
            let _ = write!(path, "{}{:.1} {:.1}", if at == 0 { 'M' } else { 'L' }, self.x(x), self.y(y));
        }
        path
    }

    /// A line through points.
    pub fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        let path = self.path(points);
        let _ = write!(self.body, "<path class=\"line {class}\" d=\"{path}\"/>");
    }

    /// What lies between two lines.
    pub fn band(&mut self, class: &str, points: &[(f64, f64, f64)]) {
        let up: Vec<(f64, f64)> = points.iter().map(|&(x, _, high)| (x, high)).collect();
        let back: Vec<(f64, f64)> = points.iter().rev().map(|&(x, low, _)| (x, low)).collect();
        let path = self.path(&[up, back].concat());
        if !path.is_empty() {
            let _ = write!(self.body, "<path class=\"band {class}\" d=\"{path}Z\"/>");
        }
    }

    /// Columns from the bottom, whose tops are one line: `ends` has one more place than there are heights.
    pub fn columns(&mut self, class: &str, ends: &[f64], heights: &[f64]) {
        let mut points = vec![(ends[0], 0.0)];
        for (at, &height) in heights.iter().enumerate() {
            points.extend([(ends[at], height), (ends[at + 1], height)]);
        }
        points.push((ends[ends.len() - 1], 0.0));
        let path = self.path(&points);
        let _ = write!(self.body, "<path class=\"{class}\" d=\"{path}\"/>");
    }

    /// A point with the interval of its value.
    pub fn point(&mut self, class: &str, x: f64, y: f64, (low, high): (f64, f64)) {
        let _ = write!(
            self.body,
            "<path class=\"line {class}\" d=\"M{x:.1} {:.1}V{:.1}\"/><circle class=\"dot {class}\" cx=\"{x:.1}\" cy=\"{:.1}\" r=\"4\"/>",
            self.y(low),
            self.y(high),
            self.y(y),
            x = self.x(x)
        );
    }

    /// An upright line that a script may move.
    pub fn marker(&mut self, id: &str, x: f64) {
        let _ = write!(
            self.body,
            "<path class=\"marker\" id=\"{id}\" d=\"M0 {TOP}V{:.1}\" transform=\"translate({:.1})\"/>",
            HEIGHT - BOTTOM,
            self.x(x)
        );
    }

    /// What is shown to somebody who points between two places.
    pub fn hover(&mut self, from: f64, to: f64, text: &str) {
        let (from, to) = (self.x(from), self.x(to));
        let _ = write!(
            self.hover,
            "<rect class=\"hover\" x=\"{from:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}</title></rect>",
            (to - from).max(1.0),
            HEIGHT - TOP - BOTTOM,
            escaped(text)
        );
    }

    /// Values of points in their order, each shown half way to its neighbors.
    pub fn hovers(&mut self, points: &[(f64, String)]) {
        for (at, (x, text)) in points.iter().enumerate() {
            let middle = |a: f64, b: f64| if self.ratios { (a * b).sqrt() } else { (a + b) / 2.0 };
            let from = if at == 0 { *x } else { middle(points[at - 1].0, *x) };
            let to = points.get(at + 1).map_or(*x, |next| middle(*x, next.0));
            self.hover(from, to, text);
        }
    }

    pub fn svg(&self) -> String {
        format!(
            "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">{}{}</svg>",
            escaped(&self.about),
            self.body,
            self.hover
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_texts() {
        let mut plot = Plot::new("a \"picture\" <b>", (1.0, 100.0), (0.0, 1.0), true);
        plot.axes("x", "y", |x| format!("{x:.0}"), |y| format!("{y:.1}"));
        plot.line("c0", &[(1.0, 0.0), (10.0, 0.5), (100.0, 1.0)]);
        plot.hovers(&[(1.0, "<one>".to_string()), (100.0, "two".to_string())]);
        let svg = plot.svg();
        assert!(
            svg.contains("aria-label=\"a &quot;picture&quot; &lt;b&gt;\"") && svg.contains("&lt;one&gt;")
        );
        // Ten is half way from one to a hundred.
        assert!((plot.x(10.0) - (plot.x(1.0) + plot.x(100.0)) / 2.0).abs() < 1e-9);
        assert!(svg.contains("<path class=\"line c0\" d=\"M62.0 220.0L357.0 117.0L652.0 14.0\"/>"), "{svg}");
    }
}
