//! One picture of a summary: its numbers in their order, so that whoever has another way to draw can draw them, and its own drawing.

use crate::{Bars, Chart, Intervals, Line, Mark, Panel};
use std::io;

/// Width and height of the frame.
const FRAME: (f64, f64) = (460.0, 260.0);
/// The dash of lines that are the end of an interval, and of one to compare with.
const THIN: usize = 3;

/// A picture and its numbers.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a figure is drawn when it is written"]
pub struct Figure {
    /// What it shows.
    pub title: String,
    /// Below the axis.
    pub x_label: String,
    /// Beside the axis.
    pub y_label: String,
    /// The range of x; without it, that of the points.
    pub x_range: Option<(f64, f64)>,
    /// The range of y.
    pub y_range: Option<(f64, f64)>,
    /// What is drawn, first what lies below.
    pub parts: Vec<FigurePart>,
}

/// A part of a picture. Parts of one color are about the same.
#[derive(Clone, Debug, PartialEq)]
pub enum FigurePart {
    /// A line through points.
    Line {
        /// What it is.
        label: String,
        /// Its color.
        color: usize,
        /// Whether it is there to be compared with.
        is_thin: bool,
        /// The points.
        points: Vec<(f64, f64)>,
    },
    /// Between which a line lies.
    Band {
        /// The color of the line.
        color: usize,
        /// x, the lower and the upper end.
        points: Vec<(f64, f64, f64)>,
    },
    /// Points with their intervals.
    Points {
        /// The color.
        color: usize,
        /// x, y, the lower and the upper end.
        points: Vec<(f64, f64, f64, f64)>,
    },
    /// Names with a number and its interval, below one another: bars from zero, or points. They are a picture by themselves.
    Rows {
        /// Whether the numbers are drawn as bars.
        are_bars: bool,
        /// Name, number, the lower and the upper end.
        rows: Vec<(String, f64, f64, f64)>,
    },
}

impl Figure {
    /// The SVG document.
    pub fn to_svg(&self) -> String {
        match self.drawing() {
            Drawing::Chart(chart) => chart.to_svg(),
            Drawing::Bars(bars) => bars.to_svg(),
            Drawing::Intervals(intervals) => intervals.to_svg(),
        }
    }

    /// The PNG file, light, with two pixels for each of the SVG's.
    pub fn to_png(&self) -> io::Result<Vec<u8>> {
        match self.drawing() {
            Drawing::Chart(chart) => chart.to_png(),
            Drawing::Bars(bars) => bars.to_png(),
            Drawing::Intervals(intervals) => intervals.to_png(),
        }
    }

    fn drawing(&self) -> Drawing {
        if let Some(FigurePart::Rows { are_bars, rows }) = self.parts.first() {
            let (title, label) = (self.title.clone(), self.x_label.clone());
            if *are_bars {
                let bars = rows.iter().fold(Bars::new(title, label), |bars, (name, value, low, high)| {
                    bars.row(name.clone(), *value, (*low, *high))
                });
                return Drawing::Bars(bars);
            }
            let (low, high) = self.x_range.unwrap_or((0.0, 1.0));
            let empty = Intervals::new(title, label).range(low, high);
            let (others, last) = rows.split_at(rows.len().saturating_sub(1));
            let intervals = others
                .iter()
                .fold(empty, |all, (name, value, low, high)| all.row(name.clone(), *value, (*low, *high)));
            return Drawing::Intervals(last.iter().fold(intervals, |all, (name, value, low, high)| {
                all.last(name.clone(), *value, (*low, *high))
            }));
        }
        let mut panel = Panel::new("").x_label(&self.x_label).y_label(&self.y_label).frame(FRAME.0, FRAME.1);
        if let Some((low, high)) = self.x_range {
            panel = panel.x_range(low, high);
        }
        if let Some((low, high)) = self.y_range {
            panel = panel.y_range(low, high);
        }
        for part in &self.parts {
            panel = match part {
                FigurePart::Line { label, color, is_thin, points } => {
                    let line = Line::new(label, points.iter().copied()).slot(*color);
                    panel.line(line.dash(if *is_thin { THIN } else { 0 }))
                }
                FigurePart::Band { color, points } => {
                    let end = |of: fn(&(f64, f64, f64)) -> f64| {
                        Line::new("", points.iter().map(|point| (point.0, of(point)))).slot(*color).dash(THIN)
                    };
                    panel.line(end(|point| point.1)).line(end(|point| point.2))
                }
                FigurePart::Points { color, points } => {
                    points.iter().fold(panel, |panel, &(x, y, low, high)| {
                        panel
                            .line(Line::new("", [(x, low), (x, high)]).slot(*color).dash(0))
                            .mark(Mark::new(x, y).slot(*color))
                    })
                }
                FigurePart::Rows { .. } => panel,
            };
        }
        Drawing::Chart(Chart::new(&self.title).columns(1).panel(panel))
    }
}

enum Drawing {
    Chart(Chart),
    Bars(Bars),
    Intervals(Intervals),
}
