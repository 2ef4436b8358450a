//! Colors, widths and dashes: one set of classes, as rules of a style sheet and as what a pixel needs to know.

/// Font sizes.
pub(crate) const SMALL: f64 = 11.0;
pub(crate) const LARGE: f64 = 13.0;

/// Size of a picture's title.
pub(crate) const TITLE: f64 = 16.0;

/// Colors of the slots on a light and on a dark page. Each pair keeps its hue; the hues follow Okabe and Ito ("Color
/// universal design", 2008), moved until each has, on its page, a contrast of at least 4.5 to 1.
const COLORS: [(&str, &str); 5] = [
    ("#0065a8", "#6cb8f0"),
    ("#b84a00", "#ff9b57"),
    ("#007a57", "#3fd0a4"),
    ("#8f3f79", "#e79bcb"),
    ("#5f5f5f", "#c0c0c0"),
];

/// How many colors and how many dashes there are.
pub(crate) const SLOTS: (usize, usize) = (COLORS.len(), DASHES.len());

/// Dashes of the slots: told apart without color.
const DASHES: [&[f64]; 4] = [&[], &[7.0, 3.0], &[2.0, 2.5], &[9.0, 3.0, 2.0, 3.0]];

/// Ink, frame, grid and paper on a light and on a dark page.
const PAGE: [(&str, &str, &str); 4] = [
    ("ink", "#1a1a1a", "#e6e6e6"),
    ("edge", "#6b6b6b", "#9a9a9a"),
    ("grid", "#e3e3e3", "#30363d"),
    ("paper", "#ffffff", "#0d1117"),
];

/// Widths of strokes, by class.
const WIDTHS: [(&str, f64); 11] = [
    ("grid", 1.0),
    ("edge", 1.0),
    ("leader", 0.7),
    ("line", 1.8),
    ("dot", 1.0),
    ("ring", 1.6),
    ("cross", 1.3),
    ("trail", 1.3),
    ("halo", 3.6),
    ("tip", 1.2),
    ("bold", 2.4),
];

/// Of a cloud's marks, so that a crowd is darker than one.
const CLOUD: f64 = 0.62;
/// Around a tag, on either side of its letters' edges.
const TAG_HALO: f64 = 3.0;

/// The style sheet. Names are prefixed so that several charts can share a web page with other things; the classes of
/// clouds and trails are there only if `clouds` says that the picture has some.
pub(crate) fn style(clouds: bool) -> String {
    let rule = |class: &str, rule: &str| format!(".onesided-chart .{class}{{{rule}}}\n");
    let colors = |dark: bool| -> String {
        let mut rules = String::new();
        for (i, pair) in COLORS.iter().enumerate() {
            let color = if dark { pair.1 } else { pair.0 };
            rules += &rule(&format!("c{i}"), &format!("stroke:{color}"));
            rules += &rule(&format!("dot.c{i}"), &format!("fill:{color}"));
            if clouds {
                rules += &rule(&format!("cloud.c{i}"), &format!("fill:{color};stroke:none"));
                rules += &rule(&format!("cross.c{i}"), &format!("fill:none;stroke:{color}"));
                rules += &rule(&format!("tip.c{i}"), &format!("fill:{color}"));
                rules += &rule(&format!("bold.c{i}"), &format!("fill:none;stroke:{color}"));
            }
        }
        for (name, light, dark_color) in PAGE {
            let color = if dark { dark_color } else { light };
            match name {
                "ink" => {
                    ["ink", "title", "head"].iter().for_each(|c| rules += &rule(c, &format!("fill:{color}")));
                    if clouds {
                        rules += &rule("trail", &format!("stroke:{color}"));
                        rules += &rule("stop", &format!("fill:{color}"));
                        rules += &rule("tag", &format!("fill:{color}"));
                    }
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
                    if clouds {
                        ["halo", "tag", "tip"]
                            .iter()
                            .for_each(|c| rules += &rule(c, &format!("stroke:{color}")));
                    }
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
        let dash: Vec<String> = dash.iter().map(f64::to_string).collect();
        let dash = if dash.is_empty() { "none".to_string() } else { dash.join(" ") };
        css += &rule(&format!("d{i}"), &format!("stroke-dasharray:{dash}"));
    }
    css += &rule("dot", "stroke-width:1");
    css += &rule("ring", "stroke-width:1.6");
    if clouds {
        for class in ["cross", "trail", "halo", "tip", "bold"] {
            css += &rule(class, &format!("stroke-width:{};stroke-linejoin:round", width(class)));
        }
        css += &rule("trail", "fill:none");
        css += &rule("halo", "fill:none");
        css += &rule("cloud", &format!("fill-opacity:{CLOUD}"));
        css += &rule("cross", &format!("stroke-opacity:{CLOUD}"));
        css += &rule(
            "tag",
            &format!("font-weight:bold;paint-order:stroke;stroke-width:{TAG_HALO};stroke-linejoin:round"),
        );
    }
    css + &colors(false) + "@media (prefers-color-scheme:dark){\n" + &colors(true) + "}\n"
}

/// Whether a class is one of those that only pictures with clouds have.
pub(crate) fn is_of_clouds(class: &str) -> bool {
    class
        .split(' ')
        .any(|name| ["cloud", "cross", "trail", "halo", "tag", "stop", "tip", "bold"].contains(&name))
}

fn width(class: &str) -> f64 {
    WIDTHS.iter().find(|(name, _)| *name == class).map_or(0.0, |(_, width)| *width)
}

/// Red, green, blue.
pub(crate) type Color = [u8; 3];

/// How a shape of some class looks on a light page.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Paint {
    pub fill: Option<Color>,
    pub stroke: Option<Color>,
    pub width: f64,
    pub dash: &'static [f64],
    pub opacity: f64,
    /// Size of letters.
    pub size: f64,
    pub bold: bool,
    pub anchor: Anchor,
}

/// Which part of a text is at its place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Anchor {
    #[default]
    Start,
    Middle,
    End,
}

impl Paint {
    /// The classes are names separated by blanks, as in SVG; `text` tells letters from shapes.
    pub fn of(class: &str, text: bool) -> Self {
        let mut paint = Self { opacity: 1.0, size: SMALL, ..Self::default() };
        let names: Vec<&str> = class.split(' ').collect();
        let is = |name: &str| names.contains(&name);
        let slot = names.iter().find_map(|name| name.strip_prefix('c')?.parse::<usize>().ok());
        let slot = slot.map(|slot| rgb(COLORS[slot % COLORS.len()].0));
        let page = |name: &str| PAGE.iter().find(|row| row.0 == name).map(|row| rgb(row.1));
        if text {
            paint.fill = page("ink");
            paint.bold = ["title", "head", "strong", "tag"].into_iter().any(is);
            paint.size = if is("title") { LARGE } else { paint.size };
            paint.size = if is("head") { TITLE } else { paint.size };
            paint.anchor = if is("middle") { Anchor::Middle } else { paint.anchor };
            paint.anchor = if is("end") { Anchor::End } else { paint.anchor };
            if is("tag") {
                (paint.stroke, paint.width) = (page("paper"), TAG_HALO);
            }
            return paint;
        }
        paint.width = names.iter().map(|name| width(name)).fold(0.0, f64::max);
        if let Some(dash) = names.iter().find_map(|name| name.strip_prefix('d')?.parse::<usize>().ok()) {
            paint.dash = DASHES[dash % DASHES.len()];
        }
        (paint.fill, paint.stroke) = match names[0] {
            "grid" => (None, page("grid")),
            "band" => (page("grid"), None),
            "edge" | "leader" => (None, page("edge")),
            "paper" => (page("paper"), None),
            "ring" => (page("paper"), slot),
            "dot" | "tip" => (slot, page("paper")),
            "cloud" => (slot, None),
            "cross" | "bold" => (None, slot),
            "trail" => (None, page("ink")),
            "halo" => (None, page("paper")),
            "stop" => (page("ink"), None),
            _ => (None, slot),
        };
        if is("cloud") || is("cross") {
            paint.opacity = CLOUD;
        }
        paint
    }
}

/// `#0065a8` as numbers.
fn rgb(color: &str) -> Color {
    let part = |at: usize| color.get(at..at + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
    [1, 3, 5].map(|at| part(at).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_stand_out_from_their_page() {
        // Relative luminance and contrast as defined by WCAG 2.1.
        let luminance = |color: &str| -> f64 {
            let part = rgb(color).map(|value| {
                let value = f64::from(value) / 255.0;
                if value <= 0.03928 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2]
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

    #[test]
    fn pixels_and_style_sheet_agree() {
        let css = style(true);
        let light = css.split("@media").next().unwrap();
        let hex = |color: Color| format!("#{:02x}{:02x}{:02x}", color[0], color[1], color[2]);
        for class in
            ["grid", "edge", "leader", "trail", "halo", "dot c1", "ring c2", "cross c4", "tip c3", "bold c4"]
        {
            let paint = Paint::of(class, false);
            let named = class.replace(' ', ".");
            let rules: Vec<&str> = light
                .lines()
                .filter(|line| {
                    class.split(' ').any(|c| line.contains(&format!(".{c}{{"))) || line.contains(&named)
                })
                .collect();
            if let Some(stroke) = paint.stroke {
                assert!(
                    rules.iter().any(|rule| rule.contains(&format!("stroke:{}", hex(stroke)))),
                    "{class}"
                );
                let wide = format!("stroke-width:{}", paint.width);
                assert!(rules.iter().any(|rule| rule.contains(&wide)), "{class}: {wide} in {rules:?}");
            }
            if let Some(fill) = paint.fill {
                assert!(rules.iter().any(|rule| rule.contains(&format!("fill:{}", hex(fill)))), "{class}");
            }
        }
        assert_eq!(Paint::of("line c0 d1", false).dash, [7.0, 3.0]);
        assert_eq!(Paint::of("ink middle", true).anchor, Anchor::Middle);
    }

    #[test]
    fn a_picture_without_clouds_has_no_rules_for_them() {
        assert!(!style(false).contains("trail") && style(true).contains("trail"));
        assert!(is_of_clouds("cloud c1") && !is_of_clouds("dot c1"));
    }
}
