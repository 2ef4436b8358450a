//! A whole picture: panels in rows, and lists of small pictures.

use crate::gallery::Gallery;
use crate::geometry::Point;
use crate::labels::{height, width};
use crate::layout::{CLOUD, DOT, Layout, Role, STOP, TIP, Text, Way};
use crate::panel::Panel;
use crate::picture::{Marker, Picture, Shape};
use crate::style::{SLOTS, TITLE};
use std::io;

/// Around everything, and between panels.
pub(crate) const MARGIN: f64 = 16.0;
const BETWEEN: f64 = 28.0;

/// A picture of one or more panels.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a chart is drawn when it is written"]
pub struct Chart {
    title: String,
    columns: usize,
    blocks: Vec<Block>,
}

#[derive(Clone, Debug, PartialEq)]
enum Block {
    Panel(Panel),
    Gallery(Gallery),
}

impl Chart {
    /// An empty picture under this title, with two panels a row.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), columns: 2, blocks: Vec::new() }
    }

    /// How many panels are next to each other in a row, at least one.
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns.max(1);
        self
    }

    /// Adds a panel, row by row.
    pub fn panel(mut self, panel: Panel) -> Self {
        self.blocks.push(Block::Panel(panel));
        self
    }

    /// Adds a list of small pictures in the place of a panel. The last one of a row that is not full may be wider than
    /// its column.
    pub fn gallery(mut self, gallery: Gallery) -> Self {
        self.blocks.push(Block::Gallery(gallery));
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
        let panels: Vec<Layout> = self
            .blocks
            .iter()
            .map(|block| match block {
                Block::Panel(panel) => Layout::of(panel),
                Block::Gallery(gallery) => gallery.layout(),
            })
            .collect();
        // Frames line up: margins are those of the widest panel of a column and the highest of a row.
        let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let columns = self.columns.min(panels.len().max(1));
        let column = |c: usize| panels.iter().skip(c).step_by(columns);
        // With nothing to its right, a gallery takes what room it needs.
        let free = panels.last().filter(|last| last.unframed && !panels.len().is_multiple_of(columns));
        let holding = |panel: &&Layout| !free.is_some_and(|free| std::ptr::eq(free, *panel));
        let mut lefts = Vec::new();
        let mut x = MARGIN;
        for c in 0..columns {
            let left = x + most(&mut column(c).map(|panel| panel.left));
            lefts.push(left);
            x = left + most(&mut column(c).filter(holding).map(|panel| panel.width + panel.right)) + BETWEEN;
        }
        let free = free.map_or(0.0, |panel| lefts[(panels.len() - 1) % columns] + panel.width + MARGIN);
        let total_width = (x - BETWEEN + MARGIN).max(2.0 * MARGIN + width(&self.title, TITLE)).max(free);
        let mut shapes = Vec::new();
        let mut y = MARGIN;
        if !self.title.is_empty() {
            let at = (MARGIN, y + 0.8 * height(TITLE));
            shapes.push(Shape::Text { class: "head".into(), at, upward: false, text: self.title.clone() });
            y += height(TITLE) + MARGIN / 2.0;
        }
        for row in panels.chunks(columns) {
            let top = y + most(&mut row.iter().map(|panel| panel.top));
            for (panel, left) in row.iter().zip(&lefts) {
                shapes.push(Shape::Group { by: (*left, top), shapes: drawn(panel) });
            }
            y = top + most(&mut row.iter().map(|panel| panel.height + panel.bottom)) + BETWEEN * 0.6;
        }
        let total_height = y - BETWEEN * 0.6 + MARGIN;
        Picture { title: self.title.clone(), width: total_width, height: total_height, shapes }
    }
}

fn drawn(panel: &Layout) -> Vec<Shape> {
    let path = |class: String, pieces: Vec<Vec<Point>>| Shape::Path { class, pieces };
    let segment = |class: &str, &(from, to): &(Point, Point)| path(class.into(), vec![vec![from, to]]);
    let mut shapes: Vec<Shape> = panel.grid.iter().map(|line| segment("grid", line)).collect();
    if !panel.unframed {
        shapes.push(Shape::Rect { class: "edge".into(), rect: panel.frame() });
    }
    shapes.extend(panel.leaders.iter().map(|line| segment("leader", line)));
    for (slot, marker, places) in &panel.clouds {
        let kind = if *marker == Marker::Cross { "cross" } else { "cloud" };
        let class = format!("{kind} c{}", slot % SLOTS.0);
        shapes.push(Shape::Marks { class, marker: *marker, size: CLOUD, places: places.clone() });
    }
    for (pen, points) in &panel.strokes {
        let class = format!("line c{} d{}", pen.color % SLOTS.0, pen.dash % SLOTS.1);
        shapes.push(path(class, vec![points.clone()]));
    }
    for dot in &panel.dots {
        let kind = if dot.open { "ring" } else { "dot" };
        let class = format!("{kind} c{}", dot.slot % SLOTS.0);
        shapes.push(Shape::Circle { class, at: dot.at, radius: DOT });
    }
    trodden(&panel.ways, &mut shapes);
    let image = |(rect, image): &(_, _)| Shape::Image { rect: *rect, image: Clone::clone(image) };
    shapes.extend(panel.images.iter().map(image));
    shapes.extend(panel.texts.iter().map(written));
    shapes
}

/// Trails: all halos, so that none cuts another trail, then the lines and the marks.
fn trodden(ways: &[Way], shapes: &mut Vec<Shape>) {
    for class in ["halo", "trail"] {
        for way in ways.iter().filter(|way| !way.pieces.is_empty()) {
            shapes.push(Shape::Path { class: class.into(), pieces: way.pieces.clone() });
        }
    }
    for way in ways {
        let (marker, places) = (Marker::Disc, way.stops.clone());
        shapes.push(Shape::Marks { class: "stop".into(), marker, size: STOP, places });
        if let Some(tip) = way.tip {
            let (marker, places) = (way.marker, vec![tip]);
            if marker == Marker::Cross {
                let places = places.clone();
                shapes.push(Shape::Marks { class: "halo".into(), marker, size: TIP, places });
            }
            let kind = if marker == Marker::Cross { "bold" } else { "tip" };
            let class = format!("{kind} c{}", way.slot % SLOTS.0);
            shapes.push(Shape::Marks { class, marker, size: TIP, places });
        }
    }
}

/// A text at its place: the baseline lies at four fifths of a line's height.
fn written(Text { text, rect, role }: &Text) -> Shape {
    let at = match role {
        Role::Title | Role::Label | Role::Strong => (rect.x, rect.y + 0.8 * rect.height),
        Role::Centered | Role::Tag => (rect.x + rect.width / 2.0, rect.y + 0.8 * rect.height),
        Role::Right => (rect.right(), rect.y + 0.8 * rect.height),
        Role::Upward => (rect.x + 0.8 * rect.width, rect.y + rect.height / 2.0),
    };
    let class = match role {
        Role::Title => "title",
        Role::Label => "ink",
        Role::Strong => "ink strong",
        Role::Centered | Role::Upward => "ink middle",
        Role::Right => "ink end",
        Role::Tag => "tag middle",
    };
    Shape::Text { class: class.into(), at, upward: *role == Role::Upward, text: text.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Line, Mark};

    fn example() -> Chart {
        let panel = |i: u32| {
            Panel::new(format!("Panel {i}"))
                .line(Line::new("up", [(0.0, 0.0), (1.0, 1.0)]))
                .line(Line::new("down", [(0.0, 1.0), (0.5, f64::NAN), (0.6, 0.4), (1.0, 0.0)]))
                .mark(Mark::new(0.5, 0.5).label("middle"))
        };
        Chart::new("An <example> & \"more\"").columns(2).panel(panel(0)).panel(panel(1)).panel(panel(2))
    }

    #[test]
    fn the_same_chart_gives_the_same_bytes() {
        assert_eq!(example().to_svg(), example().to_svg());
    }

    #[test]
    fn text_is_escaped() {
        let svg = example().to_svg();
        assert!(svg.contains("<title>An &lt;example&gt; &amp; &quot;more&quot;</title>"));
    }

    #[test]
    fn every_element_is_closed_and_every_number_finite() {
        let svg = example().to_svg();
        let count = |what: &str| svg.matches(what).count();
        assert_eq!((count("<g "), count("</g>")), (3, 3));
        assert_eq!(count("<text "), count("</text>"));
        assert_eq!((count("<svg"), count("</svg>")), (1, 1));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        // Two lines and their samples a panel; the falling line is cut at its gap.
        assert_eq!(count("class=\"line c0 d0\""), 3 * 2);
        assert_eq!(count("class=\"line c1 d1\""), 3 * 2);
        assert_eq!(count("class=\"dot c0\""), 3);
    }

    #[test]
    fn no_panels_and_no_title_is_a_picture_all_the_same() {
        let svg = Chart::new("").to_svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    }
}
