//! What a picture is made of: panels with lines and marks.

use crate::axis::Axis;

/// One pair of axes with what is drawn over them.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    pub(crate) x_range: Option<(f64, f64)>,
    pub(crate) y_range: Option<(f64, f64)>,
    pub(crate) lines: Vec<Line>,
    pub(crate) marks: Vec<Mark>,
}

impl Panel {
    /// An empty panel under this title.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            x_label: String::new(),
            y_label: String::new(),
            x_range: None,
            y_range: None,
            lines: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// What stands below the axis.
    pub fn x_label(mut self, text: impl Into<String>) -> Self {
        self.x_label = text.into();
        self
    }

    /// What stands beside the axis.
    pub fn y_label(mut self, text: impl Into<String>) -> Self {
        self.y_label = text.into();
        self
    }

    /// The range of x; without it, that of the points.
    pub fn x_range(mut self, low: f64, high: f64) -> Self {
        self.x_range = Some((low, high));
        self
    }

    /// The range of y; without it, that of the points. Lines that leave it are cut off at the frame.
    pub fn y_range(mut self, low: f64, high: f64) -> Self {
        self.y_range = Some((low, high));
        self
    }

    /// Adds a line.
    pub fn line(mut self, line: Line) -> Self {
        self.lines.push(line);
        self
    }

    /// Adds a marked point.
    pub fn mark(mut self, mark: Mark) -> Self {
        self.marks.push(mark);
        self
    }

    /// The lines with their slots: its own if it has one, else its number.
    pub(crate) fn slotted(&self) -> impl Iterator<Item = (usize, &Line)> {
        self.lines.iter().enumerate().map(|(i, line)| (line.slot.unwrap_or(i), line))
    }

    pub(crate) fn axes(&self) -> (Axis, Axis) {
        let points = || {
            let lines = self.lines.iter().flat_map(|line| line.points.iter().copied());
            lines.chain(self.marks.iter().map(|mark| (mark.x, mark.y)))
        };
        let given = |(low, high)| Axis::between(low, high);
        let x_axis = self.x_range.map_or_else(|| Axis::around(points().map(|p| p.0), 0.0), given);
        let y_axis = self.y_range.map_or_else(|| Axis::around(points().map(|p| p.1), 0.04), given);
        (x_axis, y_axis)
    }
}

/// A line through points, in their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub(crate) label: String,
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) slot: Option<usize>,
}

impl Line {
    /// A line with its label; an empty label is left out. A point that is not finite makes a gap.
    pub fn new(label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { label: label.into(), points: points.into_iter().collect(), slot: None }
    }

    /// Color and dash; without it, the line's number in its panel. Slots 0 to 4 differ in color, 0 to 3 in dash.
    pub fn slot(mut self, slot: usize) -> Self {
        self.slot = Some(slot);
        self
    }
}

/// A marked point.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) label: String,
    pub(crate) slot: usize,
    pub(crate) open: bool,
}

impl Mark {
    /// A dot in the color of slot 0. One outside the axes is not drawn.
    pub fn new(x: f64, y: f64) -> Self {
        Self { x, y, label: String::new(), slot: 0, open: false }
    }

    /// A word beside it, placed where nothing else is.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.label = text.into();
        self
    }

    /// The color: that of the line of the same slot.
    pub fn slot(mut self, slot: usize) -> Self {
        self.slot = slot;
        self
    }

    /// A ring instead of a dot: a point that its line comes near and does not reach.
    pub fn open(mut self) -> Self {
        self.open = true;
        self
    }
}
