//! Numbers with their intervals as bars from zero, below one another.

use crate::axis::Axis;
use crate::chart::MARGIN;
use crate::geometry::{Point, Rect};
use crate::labels::{height, width};
use crate::layout::DOT;
use crate::picture::{Picture, Shape};
use crate::style::SMALL;
use crate::style::TITLE;
use std::io;

/// Width of the part that the axis spans.
const SPAN: f64 = 380.0;
/// From one bar to the next, and how thick one is.
const STEP: f64 = 22.0;
const THICK: f64 = 13.0;
const GAP: f64 = 10.0;

/// A picture of bars: names to the left, bars from zero with the interval of each, numbers to the right.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a chart is drawn when it is written"]
pub struct Bars {
    title: String,
    label: String,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    name: String,
    value: f64,
    low: f64,
    high: f64,
}

impl Row {
    fn written(&self) -> String {
        format!("{:.3}  [{:.3}, {:.3}]", self.value, self.low, self.high)
    }
}

impl Bars {
    /// An empty picture under this title; `label` is written below the axis.
    pub fn new(title: impl Into<String>, label: impl Into<String>) -> Self {
        Self { title: title.into(), label: label.into(), rows: Vec::new() }
    }

    /// Adds a bar with its interval.
    pub fn row(mut self, name: impl Into<String>, value: f64, (low, high): (f64, f64)) -> Self {
        self.rows.push(Row { name: name.into(), value, low, high });
        self
    }

    /// The SVG document.
    pub fn to_svg(&self) -> String {
        self.picture().to_svg()
    }

    /// The PNG file, light, with two pixels for each of the SVG's.
    pub fn to_png(&self) -> io::Result<Vec<u8>> {
        self.picture().to_png()
    }

    fn picture(&self) -> Picture {
        let ends = self.rows.iter().flat_map(|row| [row.low, row.value, row.high]);
        let axis = Axis::around(ends.filter(|end| end.is_finite()).chain([0.0]), 0.04);
        let widest = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| width(&text, SMALL)).fold(0.0, f64::max)
        };
        let written = |class: &str, at: Point, text: &str| Shape::Text {
            class: class.into(),
            at,
            upward: false,
            text: text.to_string(),
        };
        let path = |class: &str, pieces: Vec<Vec<Point>>| Shape::Path { class: class.into(), pieces };
        let left = MARGIN + widest(&mut self.rows.iter().map(|row| row.name.clone())) + GAP;
        let right = left + SPAN + GAP;
        let mut top = MARGIN;
        let mut shapes = Vec::new();
        if !self.title.is_empty() {
            shapes.push(written("head", (MARGIN, top + 0.8 * height(TITLE)), &self.title));
            top += height(TITLE) + MARGIN / 2.0;
        }
        let tall = STEP * self.rows.len().max(1) as f64;
        let place = |value: f64| left + SPAN * axis.share(value).clamp(0.0, 1.0);
        let foot = top + tall + 0.8 * height(SMALL) + 3.0;
        for (tick, text) in axis.ticks(5) {
            let x = place(tick);
            shapes.push(path("grid", vec![vec![(x, top), (x, top + tall)]]));
            shapes.push(written("ink middle", (x, foot), &text));
        }
        let zero = place(0.0);
        for (line, row) in self.rows.iter().enumerate() {
            let y = top + STEP * (line as f64 + 0.5);
            shapes.push(written("ink end", (left - GAP, y + 0.3 * SMALL), &row.name));
            shapes.push(written("ink", (right, y + 0.3 * SMALL), &row.written()));
            if [row.value, row.low, row.high].iter().any(|x| !x.is_finite()) {
                continue;
            }
            let (from, to) = (zero.min(place(row.value)), zero.max(place(row.value)));
            let rect = Rect { x: from, y: y - THICK / 2.0, width: (to - from).max(1.0), height: THICK };
            shapes.push(Shape::Rect { class: "dot c0".into(), rect });
            let end = |x: f64| vec![(x, y - DOT), (x, y + DOT)];
            let (low, high) = (place(row.low), place(row.high));
            shapes.push(path("line c1 d0", vec![vec![(low, y), (high, y)], end(low), end(high)]));
        }
        shapes.push(path("edge", vec![vec![(zero, top), (zero, top + tall)]]));
        let mut bottom = foot + 0.4 * height(SMALL);
        if !self.label.is_empty() {
            bottom += height(SMALL);
            shapes.push(written("ink middle", (left + SPAN / 2.0, bottom), &self.label));
        }
        let total = right + widest(&mut self.rows.iter().map(Row::written)) + MARGIN;
        let total = total
            .max(2.0 * MARGIN + width(&self.title, TITLE))
            .max(left + width(&self.label, SMALL) + MARGIN);
        Picture { title: self.title.clone(), width: total, height: bottom + MARGIN, shapes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::number;

    #[test]
    fn a_bar_is_as_long_as_its_number_says_and_begins_at_zero() {
        let svg = Bars::new("", "").row("a", 0.5, (0.4, 0.6)).row("b", 0.25, (0.2, 0.3)).to_svg();
        // Twice the number is twice the length.
        let lengths: Vec<f64> = svg
            .lines()
            .filter(|line| line.starts_with("<rect class=\"dot c0\""))
            .filter_map(|line| line.split("width=\"").nth(1)?.split('"').next()?.parse().ok())
            .collect();
        assert!(lengths.len() == 2 && (lengths[0] / lengths[1] - 2.0).abs() < 0.01, "{svg}");
        let left = MARGIN + width("a", SMALL) + GAP;
        assert!(left < 100.0 && svg.contains(&number(left + SPAN + GAP)));
    }

    #[test]
    fn bars_below_zero_and_no_numbers_are_drawn_or_named() {
        let svg = Bars::new("Lost <AUC>", "auc")
            .row("a", -0.1, (-0.2, 0.0))
            .row("b", f64::NAN, (0.0, 1.0))
            .to_svg();
        assert!(svg.contains("Lost &lt;AUC&gt;") && svg.matches("<rect class=\"dot c0\"").count() == 1);
        let drawn: Vec<&str> = svg.lines().filter(|line| !line.starts_with("<text")).collect();
        assert!(drawn.iter().all(|line| !line.contains("NaN")));
        assert!(Bars::new("", "").to_svg().ends_with("</svg>\n"));
    }
}
