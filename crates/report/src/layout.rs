//! Where everything in a panel goes. The frame's upper left corner is the origin; margins lie outside it.

use crate::geometry::{Point, Rect};
use crate::labels::{apart, beside, height, width};
use crate::panel::{Panel, Pen, Trail};
use crate::picture::Marker;
use crate::style::{LARGE, SMALL};
use crate::thumbnail::Thumbnail;

/// The smallest frame.
const FRAME: (f64, f64) = (300.0, 200.0);
/// Half the width of a marked point.
pub(crate) const DOT: f64 = 3.5;
/// Half the width of a mark at the end of a trail.
pub(crate) const TIP: f64 = 4.6;
/// Of a mark of a cloud, and of a stop of a trail.
pub(crate) const CLOUD: f64 = 2.4;
pub(crate) const STOP: f64 = 1.5;
/// From the frame to a sample of a line, and the sample's length.
const LEADER: f64 = 9.0;
const SAMPLE: f64 = 24.0;
const GAP: f64 = 5.0;

/// How a text is written into its box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    Title,
    /// From left to right.
    Label,
    /// Centered.
    Centered,
    /// Ends at the right of its box.
    Right,
    /// From bottom to top.
    Upward,
    /// From left to right, bold.
    Strong,
    /// Centered, bold, legible over marks.
    Tag,
}

/// A text and the box it needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub text: String,
    pub rect: Rect,
    pub role: Role,
}

/// A marked point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dot {
    pub at: Point,
    pub slot: usize,
    pub open: bool,
}

/// A trail: its line, the places it stops at, and its last one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Way {
    pub pieces: Vec<Vec<Point>>,
    pub stops: Vec<Point>,
    pub tip: Option<Point>,
    pub slot: usize,
    pub marker: Marker,
}

/// A panel, laid out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    pub width: f64,
    pub height: f64,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub texts: Vec<Text>,
    /// Lines across the frame at the ticks.
    pub grid: Vec<(Point, Point)>,
    /// Pieces of lines, and samples of them.
    pub strokes: Vec<(Pen, Vec<Point>)>,
    /// From the end of a line to a label that had to move.
    pub leaders: Vec<(Point, Point)>,
    pub dots: Vec<Dot>,
    /// Marks of one kind, by slot.
    pub clouds: Vec<(usize, Marker, Vec<Point>)>,
    pub ways: Vec<Way>,
    pub images: Vec<(Rect, Thumbnail)>,
    /// Nothing is drawn around it.
    pub unframed: bool,
}

/// What is drawn before a label next to the frame.
#[derive(Clone, Copy)]
enum Sample {
    Line,
    Dot { open: bool },
    Cloud(Marker),
}

/// An entry to the right of the frame.
struct Entry<'a> {
    label: &'a str,
    pen: Pen,
    wanted: f64,
    /// The line reaches the frame's edge at the wanted height.
    reaches: bool,
    sample: Sample,
}

impl Layout {
    pub fn of(panel: &Panel) -> Self {
        let (width, frame_height) = panel.frame.unwrap_or(FRAME);
        let mut layout = Self { width, height: frame_height, ..Self::default() };
        let line = height(SMALL);
        let lines = panel.lines.iter().map(|line| &line.label);
        let clouds = panel.clouds.iter().map(|cloud| &cloud.label);
        let labels = lines.chain(panel.marks.iter().map(|mark| &mark.label)).chain(clouds);
        layout.height = layout.height.max(line * labels.filter(|label| !label.is_empty()).count() as f64);
        layout.scales(panel);
        let entries = layout.drawn(panel);
        layout.entries(entries);
        layout.titles(panel);
        layout
    }

    pub fn frame(&self) -> Rect {
        Rect { x: 0.0, y: 0.0, width: self.width, height: self.height }
    }

    fn write(&mut self, text: &str, rect: Rect, role: Role) {
        self.texts.push(Text { text: text.to_string(), rect, role });
    }

    /// Ticks, their labels and the grid.
    fn scales(&mut self, panel: &Panel) {
        let (x_axis, y_axis) = panel.axes();
        let line = height(SMALL);
        // Clear of the lowest label next to the frame, which is centered on its tick.
        let below = line / 2.0 + 1.0;
        // Fewer ticks until their labels do not touch.
        let x_ticks = (1..=5).rev().map(|wanted| x_axis.ticks(wanted)).find(|ticks| {
            let widest = ticks.iter().map(|(_, label)| width(label, SMALL)).fold(0.0, f64::max);
            ticks
                .windows(2)
                .all(|pair| self.width * (x_axis.share(pair[1].0) - x_axis.share(pair[0].0)) > widest + GAP)
        });
        for (x, label) in x_ticks.unwrap_or_default() {
            let (at, wide) = (self.width * x_axis.share(x), width(&label, SMALL));
            self.grid.push(((at, 0.0), (at, self.height)));
            let rect = Rect { x: at - wide / 2.0, y: self.height + below, width: wide, height: line };
            self.write(&label, rect, Role::Centered);
        }
        for (y, label) in y_axis.ticks(5) {
            let (at, wide) = (self.height * (1.0 - y_axis.share(y)), width(&label, SMALL));
            self.grid.push(((0.0, at), (self.width, at)));
            let rect = Rect { x: -GAP - wide, y: at - line / 2.0, width: wide, height: line };
            self.write(&label, rect, Role::Right);
            self.left = self.left.max(GAP + wide);
        }
        self.bottom = below + line;
    }

    /// Lines and marks, and the labels of marks that find a place; the rest is listed next to the frame.
    fn drawn<'a>(&mut self, panel: &'a Panel) -> Vec<Entry<'a>> {
        let (x_axis, y_axis) = panel.axes();
        let frame = self.frame();
        let place = |x: f64, y: f64| (frame.width * x_axis.share(x), frame.height * (1.0 - y_axis.share(y)));
        let mut entries = Vec::new();
        let mut pieces_of_all = Vec::new();
        for (pen, line) in panel.penned() {
            let points: Vec<Point> = line.points.iter().map(|&(x, y)| place(x, y)).collect();
            let pieces = frame.pieces(&points);
            let end = pieces.last().and_then(|piece| piece.last()).copied();
            if !line.label.is_empty() {
                let (x, wanted) = end.unwrap_or((0.0, frame.height / 2.0));
                let reaches = x > frame.width - 1.0;
                entries.push(Entry { label: &line.label, pen, wanted, reaches, sample: Sample::Line });
            }
            self.strokes.extend(pieces.iter().map(|piece| (pen, piece.clone())));
            pieces_of_all.extend(pieces);
        }
        let shown = |x: f64, y: f64| {
            let (at, edge) = (place(x, y), 1e-6);
            let within = |v: f64, length: f64| v >= -edge && v <= length + edge;
            (within(at.0, frame.width) && within(at.1, frame.height)).then_some(at)
        };
        let marks: Vec<(Point, _)> =
            panel.marks.iter().filter_map(|mark| Some((shown(mark.x, mark.y)?, mark))).collect();
        let mut taken: Vec<Rect> = marks.iter().map(|(at, _)| Rect::around(*at, DOT + 1.0)).collect();
        for &(at, mark) in &marks {
            self.dots.push(Dot { at, slot: mark.slot, open: mark.open });
            if mark.label.is_empty() {
                continue;
            }
            let size = (width(&mark.label, SMALL), height(SMALL));
            match beside(at, size, &frame, &taken, &pieces_of_all) {
                Some(rect) => {
                    taken.push(rect);
                    self.write(&mark.label, rect, Role::Centered);
                }
                None => entries.push(Entry {
                    label: &mark.label,
                    pen: Pen::of(mark.slot),
                    wanted: at.1,
                    reaches: false,
                    sample: Sample::Dot { open: mark.open },
                }),
            }
        }
        for (number, cloud) in panel.clouds.iter().enumerate() {
            let places: Vec<Point> = cloud.points.iter().filter_map(|&(x, y)| shown(x, y)).collect();
            if !cloud.label.is_empty() {
                let wanted = height(SMALL) * (number as f64 + 0.5);
                let sample = Sample::Cloud(cloud.marker);
                let pen = Pen::of(cloud.slot);
                entries.push(Entry { label: &cloud.label, pen, wanted, reaches: false, sample });
            }
            self.clouds.push((cloud.slot, cloud.marker, places));
        }
        for trail in &panel.trails {
            let points: Vec<Point> = trail.points.iter().map(|&(x, y)| place(x, y)).collect();
            let stops = trail.points.iter().filter_map(|&(x, y)| shown(x, y)).collect();
            let tip = trail.points.last().and_then(|&(x, y)| shown(x, y));
            let (slot, marker) = (trail.slot, trail.marker);
            self.ways.push(Way { pieces: frame.pieces(&points), stops, tip, slot, marker });
        }
        self.tags(&panel.trails, &taken);
        entries
    }

    /// The names of trails, next to their ends: clear of all other ends and names, and of all trails where that is
    /// possible.
    fn tags(&mut self, trails: &[Trail], taken: &[Rect]) {
        let frame = self.frame();
        let mut taken = taken.to_vec();
        taken.extend(self.ways.iter().filter_map(|way| Some(Rect::around(way.tip?, TIP + 1.5))));
        let pieces: Vec<Vec<Point>> = self.ways.iter().flat_map(|way| way.pieces.clone()).collect();
        for (number, trail) in trails.iter().enumerate() {
            let Some(tip) = self.ways[number].tip.filter(|_| !trail.label.is_empty()) else { continue };
            let size = (width(&trail.label, SMALL), height(SMALL));
            let place = beside(tip, size, &frame, &taken, &pieces)
                .or_else(|| beside(tip, size, &frame, &taken, &[]))
                .unwrap_or(Rect { x: tip.0 + TIP, y: tip.1 - size.1, width: size.0, height: size.1 });
            taken.push(place);
            self.write(&trail.label, place, Role::Tag);
        }
    }

    /// Labels to the right of the frame, each next to a sample of its line.
    fn entries(&mut self, entries: Vec<Entry<'_>>) {
        let line = height(SMALL);
        let wanted: Vec<f64> = entries.iter().map(|entry| entry.wanted).collect();
        let centers = apart(&wanted, line, 0.0, self.height);
        let start = self.width + LEADER;
        for (entry, center) in entries.into_iter().zip(centers) {
            let middle = (start + SAMPLE / 2.0, center);
            match entry.sample {
                Sample::Dot { open } => self.dots.push(Dot { at: middle, slot: entry.pen.color, open }),
                Sample::Cloud(marker) => self.clouds.push((entry.pen.color, marker, vec![middle])),
                Sample::Line => {
                    self.strokes.push((entry.pen, vec![(start, center), (start + SAMPLE, center)]));
                }
            }
            if entry.reaches && (center - entry.wanted).abs() > 1.0 {
                self.leaders.push(((self.width + 1.0, entry.wanted), (start - 1.0, center)));
            }
            let wide = width(entry.label, SMALL);
            let rect = Rect { x: start + SAMPLE + GAP, y: center - line / 2.0, width: wide, height: line };
            self.write(entry.label, rect, Role::Label);
            self.right = self.right.max(rect.right() - self.width);
        }
        // The last tick's label may stick out.
        let sticking = self.texts.iter().map(|text| text.rect.right() - self.width).fold(0.0, f64::max);
        self.right = self.right.max(sticking);
    }

    /// The names of the axes and of the panel, outside what is there already.
    fn titles(&mut self, panel: &Panel) {
        let line = height(SMALL);
        if !panel.x_label.is_empty() {
            let wide = width(&panel.x_label, SMALL);
            let rect = Rect {
                x: (self.width - wide) / 2.0,
                y: self.height + self.bottom,
                width: wide,
                height: line,
            };
            self.write(&panel.x_label, rect, Role::Centered);
            self.bottom += line;
            self.left = self.left.max(-rect.x);
            self.right = self.right.max(rect.right() - self.width);
        }
        if !panel.y_label.is_empty() {
            let long = width(&panel.y_label, SMALL);
            let x = -self.left - GAP - line;
            let rect = Rect { x, y: (self.height - long) / 2.0, width: line, height: long };
            self.write(&panel.y_label, rect, Role::Upward);
            self.left = -x;
            self.top = self.top.max(-rect.y);
            self.bottom = self.bottom.max(rect.bottom() - self.height);
        }
        // Half a tick's label and a breath between title and frame.
        self.top = self.top.max(line / 2.0) + GAP;
        if !panel.title.is_empty() {
            let (wide, high) = (width(&panel.title, LARGE), height(LARGE));
            let rect = Rect { x: 0.0, y: -self.top - high, width: wide, height: high };
            self.write(&panel.title, rect, Role::Title);
            self.top += high;
            self.right = self.right.max(wide - self.width);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cloud, Line, Mark};

    /// No two texts overlap, and none leaves the panel.
    fn sound(layout: &Layout) {
        let all = Rect {
            x: -layout.left - 1e-9,
            y: -layout.top - 1e-9,
            width: layout.left + layout.width + layout.right + 2e-9,
            height: layout.top + layout.height + layout.bottom + 2e-9,
        };
        for (i, a) in layout.texts.iter().enumerate() {
            assert!(all.holds(&a.rect), "{a:?} leaves {all:?}");
            for b in &layout.texts[i + 1..] {
                assert!(!a.rect.overlaps(&b.rect), "{a:?} overlaps {b:?}");
            }
        }
    }

    #[test]
    fn labels_of_lines_that_end_together_do_not_overlap() {
        let mut panel = Panel::new("Many lines").x_label("x").y_label("a rather long name of an axis");
        for i in 0..20 {
            let curve = (0..=50).map(|k| f64::from(k) / 50.0).map(move |x| (x, (1.0 - x) * f64::from(i)));
            panel = panel.line(Line::new(format!("line number {i}"), curve));
        }
        let layout = Layout::of(&panel);
        sound(&layout);
        assert_eq!(layout.texts.iter().filter(|text| text.role == Role::Label).count(), 20);
        assert!(layout.height > FRAME.1, "twenty labels need a taller frame");
        // All but the lowest end at 0 and were moved.
        assert!(layout.leaders.len() >= 18, "{}", layout.leaders.len());
    }

    #[test]
    fn crowded_marks_keep_their_labels_apart() {
        let mut panel = Panel::new("").line(Line::new("", (0..=9).map(|i| (f64::from(i), f64::from(i % 2)))));
        for i in 0..40 {
            panel = panel.mark(Mark::new(5.0 + 1e-3 * f64::from(i), 0.5).label(format!("mark {i}")));
        }
        let layout = Layout::of(&panel);
        sound(&layout);
        let named = layout.texts.iter().filter(|text| text.text.starts_with("mark")).count();
        assert_eq!(named, 40, "a label without room next to its point is listed next to the frame");
    }

    #[test]
    fn large_numbers_thin_out_the_ticks() {
        for high in [1e-12, 1.0, 12_345.0, 9.9e299] {
            let layout = Layout::of(&Panel::new("t").line(Line::new("a", [(-high, -high), (high, high)])));
            sound(&layout);
            assert!(layout.grid.len() >= 4, "{high}: {}", layout.grid.len());
        }
    }

    #[test]
    fn nothing_to_draw_still_makes_a_frame() {
        for points in
            [vec![], vec![(f64::NAN, 1.0)], vec![(f64::INFINITY, f64::NEG_INFINITY)], vec![(1.0, 1.0)]]
        {
            let layout = Layout::of(&Panel::new("empty").line(Line::new("none", points)));
            sound(&layout);
            // Only the sample next to the label.
            assert_eq!(layout.strokes.len(), 1);
            assert!(layout.grid.iter().all(|(a, b)| [a.0, a.1, b.0, b.1].iter().all(|x| x.is_finite())));
        }
    }

    #[test]
    fn a_mark_outside_the_axes_is_left_out() {
        let panel = Panel::new("").x_range(0.0, 1.0).y_range(0.0, 1.0);
        let panel =
            panel.mark(Mark::new(0.5, 2.0)).mark(Mark::new(f64::NAN, 0.5)).mark(Mark::new(1.0, 1.0).open());
        let layout = Layout::of(&panel);
        assert_eq!(layout.dots, [Dot { at: (300.0, 0.0), slot: 0, open: true }]);
    }

    #[test]
    fn names_of_trails_stand_apart_and_beside_their_ends() {
        let cloud = |i: i32| (f64::from(i % 20), f64::from(i / 20));
        let mut panel = Panel::new("t").cloud(Cloud::new("all", 2, Marker::Cross, (0..400).map(cloud)));
        for i in 0..5 {
            let x = f64::from(i);
            let way = [(0.0, x), (19.0, x), (9.0 + 0.3 * x, 10.0)];
            panel = panel.trail(Trail::new(format!("S{i}"), 1, Marker::Disc, way));
        }
        // A trail that ends outside the axes has no end to be named at.
        panel = panel.trail(Trail::new("out", 1, Marker::Disc, [(3.0, 3.0), (f64::NAN, 1.0)]));
        let layout = Layout::of(&panel);
        sound(&layout);
        let tags: Vec<&Text> = layout.texts.iter().filter(|text| text.role == Role::Tag).collect();
        assert_eq!(tags.len(), 5);
        for (way, tag) in layout.ways.iter().zip(&tags) {
            let (x, y) = way.tip.unwrap();
            let middle = (tag.rect.x + tag.rect.width / 2.0, tag.rect.y + tag.rect.height / 2.0);
            assert!((middle.0 - x).hypot(middle.1 - y) < 60.0, "{tag:?} is far from {x}, {y}");
            assert!(layout.frame().holds(&tag.rect));
        }
        // Every mark of the cloud, and the one next to its label.
        assert_eq!(layout.clouds.iter().map(|(_, _, places)| places.len()).collect::<Vec<_>>(), [400, 1]);
    }

    #[test]
    fn a_frame_is_as_large_as_asked_for() {
        let layout =
            Layout::of(&Panel::new("").frame(120.0, 90.0).line(Line::new("", [(0.0, 0.0), (1.0, 1.0)])));
        assert_eq!((layout.width, layout.height), (120.0, 90.0));
    }
}
