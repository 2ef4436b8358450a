//! A whole picture: panels in rows, written as SVG.

use crate::labels::{height, width};
use crate::layout::{DOT, LARGE, Layout, Role, SMALL, Text};
use crate::panel::Panel;
use std::fmt::Write;

/// Around everything, and between panels.
pub(crate) const MARGIN: f64 = 16.0;
const BETWEEN: f64 = 28.0;
const TITLE: f64 = 16.0;

/// Colors of the slots on a light and on a dark page. Each pair keeps its hue; the hues follow Okabe and Ito ("Color
/// universal design", 2008), moved until each stands out from its page with a contrast of at least 4.5 to 1.
const COLORS: [(&str, &str); 5] = [
    ("#0065a8", "#6cb8f0"),
    ("#b84a00", "#ff9b57"),
    ("#007a57", "#3fd0a4"),
    ("#8f3f79", "#e79bcb"),
    ("#5f5f5f", "#c0c0c0"),
];

/// Dashes of the slots: told apart without color.
const DASHES: [&str; 4] = ["none", "7 3", "2 2.5", "9 3 2 3"];

/// Ink, frame, grid and paper on a light and on a dark page.
const PAGE: [(&str, &str, &str); 4] = [
    ("ink", "#1a1a1a", "#e6e6e6"),
    ("edge", "#6b6b6b", "#9a9a9a"),
    ("grid", "#e3e3e3", "#30363d"),
    ("paper", "#ffffff", "#0d1117"),
];

/// A picture of one or more panels.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    title: String,
    columns: usize,
    panels: Vec<Panel>,
}

impl Chart {
    /// An empty picture under this title, with two panels a row.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), columns: 2, panels: Vec::new() }
    }

    /// How many panels stand beside each other, at least one.
    pub fn columns(mut self, columns: usize) -> Self {
        self.columns = columns.max(1);
        self
    }

    /// Adds a panel, row by row.
    pub fn panel(mut self, panel: Panel) -> Self {
        self.panels.push(panel);
        self
    }

    /// The SVG document.
    pub fn to_svg(&self) -> String {
        let panels: Vec<Layout> = self.panels.iter().map(Layout::of).collect();
        // Frames line up: margins are those of the widest panel of a column and the highest of a row.
        let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        let columns = self.columns.min(panels.len().max(1));
        let column = |c: usize| panels.iter().skip(c).step_by(columns);
        let mut lefts = Vec::new();
        let mut x = MARGIN;
        for c in 0..columns {
            let left = x + most(&mut column(c).map(|panel| panel.left));
            lefts.push(left);
            x = left + most(&mut column(c).map(|panel| panel.width + panel.right)) + BETWEEN;
        }
        let total_width = (x - BETWEEN + MARGIN).max(2.0 * MARGIN + width(&self.title, TITLE));
        let mut body = String::new();
        let mut y = MARGIN;
        if !self.title.is_empty() {
            let (x, line) = (number(MARGIN), number(y + 0.8 * height(TITLE)));
            put(
                &mut body,
                &format!("<text class=\"head\" x=\"{x}\" y=\"{line}\">{}</text>\n", escaped(&self.title)),
            );
            y += height(TITLE) + MARGIN / 2.0;
        }
        for row in panels.chunks(columns) {
            let top = y + most(&mut row.iter().map(|panel| panel.top));
            for (panel, left) in row.iter().zip(&lefts) {
                put(&mut body, &format!("<g transform=\"translate({} {})\">\n", number(*left), number(top)));
                draw(&mut body, panel);
                put(&mut body, "</g>\n");
            }
            y = top + most(&mut row.iter().map(|panel| panel.height + panel.bottom)) + BETWEEN * 0.6;
        }
        let total_height = y - BETWEEN * 0.6 + MARGIN;
        let (w, h) = (number(total_width), number(total_height));
        let title = escaped(&self.title);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"onesided-chart\" width=\"{w}\" height=\"{h}\" \
             viewBox=\"0 0 {w} {h}\" role=\"img\">\n<title>{title}</title>\n<style>\n{}</style>\n\
             <rect class=\"paper\" width=\"{w}\" height=\"{h}\"/>\n{body}</svg>\n",
            style()
        )
    }
}

fn draw(svg: &mut String, panel: &Layout) {
    let segment = |class: &str, &((x0, y0), (x1, y1)): &((f64, f64), (f64, f64))| {
        let [x0, y0, x1, y1] = [x0, y0, x1, y1].map(number);
        format!("<path class=\"{class}\" d=\"M{x0} {y0}L{x1} {y1}\"/>\n")
    };
    panel.grid.iter().for_each(|line| put(svg, &segment("grid", line)));
    let (w, h) = (number(panel.width), number(panel.height));
    put(svg, &format!("<rect class=\"edge\" width=\"{w}\" height=\"{h}\"/>\n"));
    panel.leaders.iter().for_each(|line| put(svg, &segment("leader", line)));
    for (slot, points) in &panel.strokes {
        let path: Vec<String> = points.iter().map(|&(x, y)| format!("{} {}", number(x), number(y))).collect();
        let (color, dash) = (slot % COLORS.len(), slot % DASHES.len());
        put(svg, &format!("<path class=\"line c{color} d{dash}\" d=\"M{}\"/>\n", path.join("L")));
    }
    for dot in &panel.dots {
        let (x, y, color) = (number(dot.at.0), number(dot.at.1), dot.slot % COLORS.len());
        let kind = if dot.open { "ring" } else { "dot" };
        put(svg, &format!("<circle class=\"{kind} c{color}\" cx=\"{x}\" cy=\"{y}\" r=\"{DOT}\"/>\n"));
    }
    panel.texts.iter().for_each(|text| put(svg, &written(text)));
}

/// A text at its place: the baseline lies at four fifths of a line's height.
fn written(Text { text, rect, role }: &Text) -> String {
    let text = escaped(text);
    let (x, y) = match role {
        Role::Title | Role::Label => (rect.x, rect.y + 0.8 * rect.height),
        Role::Centered => (rect.x + rect.width / 2.0, rect.y + 0.8 * rect.height),
        Role::Right => (rect.right(), rect.y + 0.8 * rect.height),
        Role::Upward => (rect.x + 0.8 * rect.width, rect.y + rect.height / 2.0),
    };
    let (x, y) = (number(x), number(y));
    let (class, more) = match role {
        Role::Title => ("title", String::new()),
        Role::Label => ("ink", String::new()),
        Role::Centered => ("ink middle", String::new()),
        Role::Right => ("ink end", String::new()),
        Role::Upward => ("ink middle", format!(" transform=\"rotate(-90 {x} {y})\"")),
    };
    format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\"{more}>{text}</text>\n")
}

/// One set of rules a page; names are prefixed so that several charts can share a web page with other things.
pub(crate) fn style() -> String {
    let rule = |class: &str, rule: &str| format!(".onesided-chart .{class}{{{rule}}}\n");
    let colors = |dark: bool| -> String {
        let mut rules = String::new();
        for (i, pair) in COLORS.iter().enumerate() {
            let color = if dark { pair.1 } else { pair.0 };
            rules += &rule(&format!("c{i}"), &format!("stroke:{color}"));
            rules += &rule(&format!("dot.c{i}"), &format!("fill:{color}"));
        }
        for (name, light, dark_color) in PAGE {
            let color = if dark { dark_color } else { light };
            match name {
                "ink" => {
                    ["ink", "title", "head"].iter().for_each(|c| rules += &rule(c, &format!("fill:{color}")))
                }
                "edge" => {
                    ["edge", "leader"].iter().for_each(|c| rules += &rule(c, &format!("stroke:{color}")))
                }
                "grid" => {
                    rules += &rule("grid", &format!("stroke:{color}"));
                    rules += &rule("band", &format!("fill:{color}"));
                }
                _ => {
                    rules += &rule("paper", &format!("fill:{color}"));
                    rules += &rule("ring", &format!("fill:{color}"));
                    rules += &rule("dot", &format!("stroke:{color}"));
                }
            }
        }
        rules
    };
    let mut css = format!(".onesided-chart text{{font-family:sans-serif;font-size:{SMALL}px}}\n");
    css += &format!(".onesided-chart .title{{font-size:{LARGE}px;font-weight:bold}}\n");
    css += &format!(".onesided-chart .head{{font-size:{TITLE}px;font-weight:bold}}\n");
    css += &rule("middle", "text-anchor:middle");
    css += &rule("end", "text-anchor:end");
    css += &rule("strong", "font-weight:bold");
    css += &rule("grid", "stroke-width:1;fill:none");
    css += &rule("edge", "stroke-width:1;fill:none");
    css += &rule("leader", "stroke-width:0.7;fill:none");
    css += &rule("line", "stroke-width:1.8;fill:none;stroke-linejoin:round");
    for (i, dash) in DASHES.iter().enumerate() {
        css += &rule(&format!("d{i}"), &format!("stroke-dasharray:{dash}"));
    }
    css += &rule("dot", "stroke-width:1");
    css += &rule("ring", "stroke-width:1.6");
    css + &colors(false) + "@media (prefers-color-scheme:dark){\n" + &colors(true) + "}\n"
}

fn put(svg: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = svg.write_str(text);
}

/// At most two decimals, no trailing zeros, no negative zero.
pub(crate) fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}

/// Text for XML: its special characters replaced, control characters (which XML cannot hold) left out.
pub(crate) fn escaped(text: &str) -> String {
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
        assert_eq!(escaped("a\u{1}b\nc"), "a b c");
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

    #[test]
    fn colors_stand_out_from_their_page() {
        // Relative luminance and contrast as defined by WCAG 2.1.
        let luminance = |color: &str| -> f64 {
            let part = |at: usize| {
                let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).unwrap()) / 255.0;
                if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let contrast = |a: &str, b: &str| {
            let (a, b) = (luminance(a), luminance(b));
            (a.max(b) + 0.05) / (a.min(b) + 0.05)
        };
        let [ink, _, _, paper] = PAGE;
        for (light, dark) in COLORS.into_iter().chain([(ink.1, ink.2)]) {
            assert!(contrast(light, paper.1) > 4.5, "{light}: {}", contrast(light, paper.1));
            assert!(contrast(dark, paper.2) > 4.5, "{dark}: {}", contrast(dark, paper.2));
        }
    }
}
