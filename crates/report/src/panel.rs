//! What a picture is made of: panels with lines and marks, clouds of points and trails through them.

use crate::axis::Axis;
use crate::picture::Marker;

/// One pair of axes with what is drawn over them.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "it is drawn as part of a chart"]
pub struct Panel {
    pub(crate) title: String,
    pub(crate) x_label: String,
    pub(crate) y_label: String,
    pub(crate) x_range: Option<(f64, f64)>,
    pub(crate) y_range: Option<(f64, f64)>,
    pub(crate) frame: Option<(f64, f64)>,
    pub(crate) lines: Vec<Line>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) clouds: Vec<Cloud>,
    pub(crate) trails: Vec<Trail>,
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
            frame: None,
            lines: Vec::new(),
            marks: Vec::new(),
            clouds: Vec::new(),
            trails: Vec::new(),
        }
    }

    /// What is written below the axis.
    pub fn x_label(mut self, text: impl Into<String>) -> Self {
        self.x_label = text.into();
        self
    }

    /// What is written next to the axis.
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

    /// Width and height of the frame in pixels; without it, 300 and 200. Room for labels may make it higher.
    pub fn frame(mut self, width: f64, height: f64) -> Self {
        self.frame = Some((width.max(1.0), height.max(1.0)));
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

    /// Adds a cloud of points; later ones lie over earlier ones.
    pub fn cloud(mut self, cloud: Cloud) -> Self {
        self.clouds.push(cloud);
        self
    }

    /// Adds a trail, over all clouds.
    pub fn trail(mut self, trail: Trail) -> Self {
        self.trails.push(trail);
        self
    }

    /// The lines, each with its color and dash: its own if it has them, else by its number.
    pub(crate) fn penned(&self) -> impl Iterator<Item = (Pen, &Line)> {
        self.lines.iter().enumerate().map(|(number, line)| {
            let pen = Pen::of(line.slot.unwrap_or(number));
            (Pen { dash: line.dash.unwrap_or(pen.dash), ..pen }, line)
        })
    }

    pub(crate) fn axes(&self) -> (Axis, Axis) {
        let points = || {
            let lines = self.lines.iter().flat_map(|line| line.points.iter().copied());
            let clouds = self.clouds.iter().flat_map(|cloud| cloud.points.iter().copied());
            let trails = self.trails.iter().flat_map(|trail| trail.points.iter().copied());
            lines.chain(self.marks.iter().map(|mark| (mark.x, mark.y))).chain(clouds).chain(trails)
        };
        let given = |(low, high)| Axis::between(low, high);
        // Lines may begin at the frame; points of a cloud are marks, which need room on all sides.
        let air = if self.clouds.is_empty() { 0.0 } else { 0.04 };
        let x_axis = self.x_range.map_or_else(|| Axis::around(points().map(|p| p.0), air), given);
        let y_axis = self.y_range.map_or_else(|| Axis::around(points().map(|p| p.1), 0.04), given);
        (x_axis, y_axis)
    }
}

/// A line through points, in their order.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "it is drawn as part of a chart"]
pub struct Line {
    pub(crate) label: String,
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) slot: Option<usize>,
    pub(crate) dash: Option<usize>,
}

/// The numbers of a line's color and dash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pen {
    pub color: usize,
    pub dash: usize,
}

impl Pen {
    pub fn of(slot: usize) -> Self {
        Self { color: slot, dash: slot }
    }
}

impl Line {
    /// A line with its label; an empty label is left out. A point that is not finite makes a gap.
    pub fn new(label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        Self { label: label.into(), points: points.into_iter().collect(), slot: None, dash: None }
    }

    /// Color and dash; without it, the line's number in its panel. Slots 0 to 4 differ in color, 0 to 3 in dash.
    pub fn slot(mut self, slot: usize) -> Self {
        self.slot = Some(slot);
        self
    }

    /// The dash alone: lines of one color that have to be told apart.
    pub fn dash(mut self, dash: usize) -> Self {
        self.dash = Some(dash);
        self
    }
}

/// A marked point.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "it is drawn as part of a chart"]
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

    /// A word next to it, placed where nothing else is.
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

/// Points of one kind, too many to be named one by one.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloud {
    pub(crate) label: String,
    pub(crate) slot: usize,
    pub(crate) marker: Marker,
    pub(crate) points: Vec<(f64, f64)>,
}

impl Cloud {
    /// Points in the color of a slot; the label is written next to the frame, an empty one is left out. Points outside the
    /// axes are not drawn.
    pub fn new(
        label: impl Into<String>,
        slot: usize,
        marker: Marker,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        Self { label: label.into(), slot, marker, points: points.into_iter().collect() }
    }
}

/// The way of one point through a panel: a line with a stop at each point and a mark with its name at the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Trail {
    pub(crate) label: String,
    pub(crate) slot: usize,
    pub(crate) marker: Marker,
    pub(crate) points: Vec<(f64, f64)>,
}

impl Trail {
    /// A trail that ends at a mark of this form, in the color of a slot, as the cloud it belongs to.
    pub fn new(
        label: impl Into<String>,
        slot: usize,
        marker: Marker,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        Self { label: label.into(), slot, marker, points: points.into_iter().collect() }
    }
}
