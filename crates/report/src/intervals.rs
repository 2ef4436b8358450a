//! Estimates of one number with their intervals, a line each, below one another.

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
/// From one line to the next.
const STEP: f64 = 22.0;
const GAP: f64 = 10.0;

/// A picture of estimates: names to the left, intervals over one axis, numbers to the right. The last word, if there is
/// one, is drawn below, with its interval as a band behind all the others.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a chart is drawn when it is written"]
pub struct Intervals {
    title: String,
    label: String,
    range: Option<(f64, f64)>,
    rows: Vec<Row>,
    last: Option<Row>,
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

impl Intervals {
    /// An empty picture under this title; `label` is written below the axis.
    pub fn new(title: impl Into<String>, label: impl Into<String>) -> Self {
        Self { title: title.into(), label: label.into(), range: None, rows: Vec::new(), last: None }
    }

    /// Shares of positives by several estimators, each with its name and interval; the last is the answer.
    pub fn shares(lines: impl IntoIterator<Item = (&'static str, f64, (f64, f64))>) -> Self {
        let mut lines: Vec<_> = lines.into_iter().collect();
        let answer = lines.pop();
        let chart =
            Self::new("How many positives are hidden?", "share of the unlabeled rows that is positive");
        let rows = lines.into_iter();
        let chart =
            rows.fold(chart.range(0.0, 1.0), |chart, (name, mu, interval)| chart.row(name, mu, interval));
        answer.into_iter().fold(chart, |chart, (name, mu, interval)| chart.last(name, mu, interval))
    }

    /// The ends of the axis; without it, those of the intervals.
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Adds an estimate with its interval.
    pub fn row(mut self, name: impl Into<String>, value: f64, (low, high): (f64, f64)) -> Self {
        self.rows.push(Row { name: name.into(), value, low, high });
        self
    }

    /// What all of them come to.
    pub fn last(mut self, name: impl Into<String>, value: f64, (low, high): (f64, f64)) -> Self {
        self.last = Some(Row { name: name.into(), value, low, high });
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
        let all = || self.rows.iter().chain(&self.last);
        let ends = || all().flat_map(|row| [row.low, row.value, row.high]);
        let axis =
            self.range.map_or_else(|| Axis::around(ends(), 0.04), |(low, high)| Axis::between(low, high));
        let widest = |texts: &mut dyn Iterator<Item = String>| {
            texts.map(|text| width(&text, SMALL)).fold(0.0, f64::max)
        };
        let written = |class: &str, at: Point, text: &str| Shape::Text {
            class: class.into(),
            at,
            upward: false,
            text: text.to_string(),
        };
        let path = |class: String, pieces: Vec<Vec<Point>>| Shape::Path { class, pieces };
        let left = MARGIN + widest(&mut all().map(|row| row.name.clone())) + GAP;
        let right = left + SPAN + GAP;
        let mut top = MARGIN;
        let mut shapes = Vec::new();
        if !self.title.is_empty() {
            shapes.push(written("head", (MARGIN, top + 0.8 * height(TITLE)), &self.title));
            top += height(TITLE) + MARGIN / 2.0;
        }
        // A breath before the last line.
        let apart = if self.last.is_some() && !self.rows.is_empty() { STEP / 3.0 } else { 0.0 };
        let tall = STEP * all().count().max(1) as f64 + apart;
        let place = |value: f64| left + SPAN * axis.share(value).clamp(0.0, 1.0);

        let total = right + widest(&mut all().map(Row::written)) + MARGIN;
        let total = total
            .max(2.0 * MARGIN + width(&self.title, TITLE))
            .max(left + width(&self.label, SMALL) + MARGIN);
        if let Some(last) = self.last.as_ref().filter(|row| row.low.is_finite() && row.high.is_finite()) {
            let (x, wide) = (place(last.low), place(last.high) - place(last.low));
            let rect = Rect { x, y: top, width: wide.max(1.0), height: tall };
            shapes.push(Shape::Rect { class: "band".into(), rect });
        }
        let foot = top + tall + 0.8 * height(SMALL) + 3.0;
        for (tick, text) in axis.ticks(5) {
            let x = place(tick);
            shapes.push(path("grid".into(), vec![vec![(x, top), (x, top + tall)]]));
            shapes.push(written("ink middle", (x, foot), &text));
        }
        let rect = Rect { x: left, y: top, width: SPAN, height: tall };
        shapes.push(Shape::Rect { class: "edge".into(), rect });
        let rows =
            self.rows.iter().map(|row| (row, 0, 0.0)).chain(self.last.iter().map(|row| (row, 1, apart)));
        for (line, (row, slot, down)) in rows.enumerate() {
            let y = top + STEP * (line as f64 + 0.5) + down;
            let baseline = y + 0.3 * SMALL;
            let class = if slot == 1 { "ink strong" } else { "ink" };
            shapes.push(written(&format!("{class} end"), (left - GAP, baseline), &row.name));
            shapes.push(written(class, (right, baseline), &row.written()));
            if [row.value, row.low, row.high].iter().any(|x| !x.is_finite()) {
                continue;
            }
            let (from, to) = (place(row.low), place(row.high));
            let end = |x: f64| vec![(x, y - DOT), (x, y + DOT)];
            shapes.push(path(format!("line c{slot} d0"), vec![vec![(from, y), (to, y)], end(from), end(to)]));
            let (class, at) = (format!("dot c{slot}"), (place(row.value), y));
            shapes.push(Shape::Circle { class, at, radius: DOT });
        }
        let mut bottom = foot + 0.4 * height(SMALL);
        if !self.label.is_empty() {
            bottom += height(SMALL);
            shapes.push(written("ink middle", (left + SPAN / 2.0, bottom), &self.label));
        }
        Picture { title: self.title.clone(), width: total, height: bottom + MARGIN, shapes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::number;

    fn example() -> Intervals {
        Intervals::new("Shares <of> positives", "share")
            .range(0.0, 1.0)
            .row("bbe", 0.25, (0.2, 0.5))
            .row("dedpul", f64::NAN, (0.0, 1.0))
            .last("consensus", 0.3, (0.1, 0.4))
    }

    #[test]
    fn an_interval_lies_where_its_numbers_say() {
        let svg = example().to_svg();
        // "consensus" and its breath to the left of the axis, which spans 380: 0.2 to 0.5 are 114 pixels apart.
        let left = MARGIN + width("consensus", SMALL) + GAP;
        let [from, to] = [left + 0.2 * SPAN, left + 0.5 * SPAN].map(number);
        assert!(svg.contains(&format!("M{from} ")) && svg.contains(&format!("L{to} ")), "{svg}");
        let [at, band] = [left + 0.25 * SPAN, 0.3 * SPAN].map(number);
        assert!(svg.contains(&format!("cx=\"{at}\"")) && svg.contains(&format!("width=\"{band}\"")), "{svg}");
    }

    #[test]
    fn what_is_no_number_is_named_but_not_drawn() {
        let svg = example().to_svg();
        assert!(svg.contains("dedpul") && svg.contains("Shares &lt;of&gt; positives"));
        assert_eq!(svg.matches("<circle").count(), 2);
        let drawn: Vec<&str> = svg.lines().filter(|line| !line.starts_with("<text")).collect();
        assert!(drawn.iter().all(|line| !line.contains("NaN")));
        assert_eq!(svg, example().to_svg());
    }

    #[test]
    fn an_empty_picture_is_a_picture() {
        let svg = Intervals::new("", "").to_svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && !svg.contains("NaN"));
    }
}
