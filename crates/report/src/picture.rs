//! A picture as a list of shapes, and its SVG. Every chart comes to this; [`png`](crate::png) makes pixels of the same list.

use crate::geometry::{Point, Rect};
use crate::style::{is_of_clouds, style};
use crate::thumbnail::Thumbnail;

/// What is drawn, later shapes over earlier ones. Classes are those of [`style`](crate::style).
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Lines through points, one after the other.
    Path {
        class: String,
        pieces: Vec<Vec<Point>>,
    },
    Rect {
        class: String,
        rect: Rect,
    },
    Circle {
        class: String,
        at: Point,
        radius: f64,
    },
    /// One mark at many places.
    Marks {
        class: String,
        marker: Marker,
        size: f64,
        places: Vec<Point>,
    },
    /// A text whose baseline begins, is centered or ends at a place; or goes up through it.
    Text {
        class: String,
        at: Point,
        upward: bool,
        text: String,
    },
    Image {
        rect: Rect,
        image: Thumbnail,
    },
    /// Shapes that are moved together.
    Group {
        by: Point,
        shapes: Vec<Shape>,
    },
}

/// The form of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A filled disc.
    Disc,
    /// A filled triangle, point up.
    Triangle,
    /// Two strokes that cross.
    Cross,
}

impl Marker {
    /// Its outline around the origin for a half width of `size`: corners, or the ends of two strokes; none for a disc.
    pub(crate) fn corners(self, size: f64) -> Vec<Vec<Point>> {
        match self {
            Marker::Disc => Vec::new(),
            // Of the same area as a square of half width 0.95.
            Marker::Triangle => {
                let (x, up, down) = (1.2 * size, 1.35 * size, 0.75 * size);
                vec![vec![(0.0, -up), (x, down), (-x, down)]]
            }
            Marker::Cross => {
                let s = 0.9 * size;
                vec![vec![(-s, -s), (s, s)], vec![(-s, s), (s, -s)]]
            }
        }
    }
}

/// Shapes on a page.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    pub title: String,
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

impl Picture {
    /// The SVG document.
    pub fn to_svg(&self) -> String {
        let (w, h, title) = (number(self.width), number(self.height), escaped(&self.title));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"onesided-chart\" width=\"{w}\" height=\"{h}\" \
             viewBox=\"0 0 {w} {h}\" role=\"img\">\n<title>{title}</title>\n<style>\n{}</style>\n\
             <rect class=\"paper\" width=\"{w}\" height=\"{h}\"/>\n",
            style(self.shapes.iter().any(has_clouds))
        );
        self.shapes.iter().for_each(|shape| write(&mut svg, shape));
        svg + "</svg>\n"
    }
}

fn has_clouds(shape: &Shape) -> bool {
    match shape {
        Shape::Group { shapes, .. } => shapes.iter().any(has_clouds),
        Shape::Path { class, .. }
        | Shape::Rect { class, .. }
        | Shape::Circle { class, .. }
        | Shape::Text { class, .. }
        | Shape::Marks { class, .. } => is_of_clouds(class),
        Shape::Image { .. } => false,
    }
}

fn write(svg: &mut String, shape: &Shape) {
    let text = match shape {
        Shape::Path { class, pieces } => format!("<path class=\"{class}\" d=\"{}\"/>\n", path(pieces)),
        Shape::Rect { class, rect } => format!("<rect class=\"{class}\"{}/>\n", place(rect)),
        Shape::Circle { class, at, radius } => {
            let [x, y, r] = [at.0, at.1, *radius].map(number);
            format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>\n")
        }
        Shape::Marks { class, marker, size, places } => {
            *svg += &format!("<g class=\"{class}\">\n");
            places.iter().for_each(|&at| *svg += &mark(*marker, *size, at));
            "</g>\n".to_string()
        }
        Shape::Text { class, at, upward, text } => {
            let (x, y) = (number(at.0), number(at.1));
            let turned = if *upward { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
            format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{turned}>{}</text>\n", escaped(text))
        }
        Shape::Image { rect, image } => {
            format!("<image{} preserveAspectRatio=\"none\" href=\"{}\"/>\n", place(rect), image.data_uri())
        }
        Shape::Group { by, shapes } => {
            *svg += &format!("<g transform=\"translate({} {})\">\n", number(by.0), number(by.1));
            shapes.iter().for_each(|shape| write(svg, shape));
            "</g>\n".to_string()
        }
    };
    svg.push_str(&text);
}

fn path(pieces: &[Vec<Point>]) -> String {
    let piece = |points: &Vec<Point>| {
        let points: Vec<String> =
            points.iter().map(|&(x, y)| format!("{} {}", number(x), number(y))).collect();
        format!("M{}", points.join("L"))
    };
    pieces.iter().map(piece).collect()
}

/// A corner that is the origin is not said.
fn place(rect: &Rect) -> String {
    let said = |name: &str, x: f64| match number(x).as_str() {
        "0" => String::new(),
        x => format!(" {name}=\"{x}\""),
    };
    let (w, h) = (number(rect.width), number(rect.height));
    format!("{}{} width=\"{w}\" height=\"{h}\"", said("x", rect.x), said("y", rect.y))
}

fn mark(marker: Marker, size: f64, (x, y): Point) -> String {
    if marker == Marker::Disc {
        return format!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", number(x), number(y), number(size));
    }
    let moved = |piece: &Vec<Point>| piece.iter().map(|&(dx, dy)| (x + dx, y + dy)).collect();
    let pieces: Vec<Vec<Point>> = marker.corners(size).iter().map(moved).collect();
    let closed = if marker == Marker::Triangle { "z" } else { "" };
    format!("<path d=\"{}{closed}\"/>\n", path(&pieces))
}

/// At most two decimals, no trailing zeros, no negative zero.
pub(crate) fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// Text for XML: its special characters replaced, control characters (which XML cannot hold) left out.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_written_as_they_are() {
        let shapes = vec![
            Shape::Rect { class: "edge".into(), rect: Rect { x: 0.0, y: 2.0, width: 10.0, height: 5.255 } },
            Shape::Marks {
                class: "cloud c1".into(),
                marker: Marker::Disc,
                size: 2.0,
                places: vec![(1.0, 2.0), (-0.001, 3.5)],
            },
            Shape::Text { class: "ink".into(), at: (1.0, 2.0), upward: true, text: "a<b".into() },
        ];
        let svg = Picture { title: "t".into(), width: 20.0, height: 10.0, shapes }.to_svg();
        assert!(svg.contains("<rect class=\"edge\" y=\"2\" width=\"10\" height=\"5.25\"/>"), "{svg}");
        assert!(svg.contains(
            "<g class=\"cloud c1\">\n<circle cx=\"1\" cy=\"2\" r=\"2\"/>\n<circle cx=\"0\" cy=\"3.5\" r=\"2\"/>\n</g>"
        ));
        assert!(svg.contains("transform=\"rotate(-90 1 2)\">a&lt;b</text>"));
        assert!(svg.contains("fill-opacity"));
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a\u{1}b\nc"), "a b c");
        assert_eq!(escaped("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    }
}
