//! Small pictures below one another, each with its name and what there is to say of it.

use crate::geometry::Rect;
use crate::labels::{height, width};
use crate::layout::{Layout, Role, Text};
use crate::style::{LARGE, SMALL};
use crate::thumbnail::Thumbnail;

/// Side of a picture, and from one to the next.
const SIDE: f64 = 44.0;
const STEP: f64 = 52.0;
const GAP: f64 = 10.0;

/// A list of pictures with texts, in the place of a panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Gallery {
    title: String,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    image: Option<Thumbnail>,
    name: String,
    lines: Vec<String>,
}

impl Gallery {
    /// An empty list under this title.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), entries: Vec::new() }
    }

    /// Adds a picture, its name in bold and lines of text below it, of which two have room. Without a picture, its place
    /// stays empty.
    pub fn entry<S: Into<String>>(
        mut self,
        image: Option<Thumbnail>,
        name: impl Into<String>,
        lines: impl IntoIterator<Item = S>,
    ) -> Self {
        let lines = lines.into_iter().take(2).map(Into::into).collect();
        self.entries.push(Entry { image, name: name.into(), lines });
        self
    }

    pub(crate) fn layout(&self) -> Layout {
        let mut layout = Layout { unframed: true, ..Layout::default() };
        let mut write = |text: &str, x: f64, y: f64, role: Role| {
            let size = if role == Role::Title { LARGE } else { SMALL };
            let rect = Rect { x, y, width: width(text, size), height: height(size) };
            layout.width = layout.width.max(rect.right());
            layout.texts.push(Text { text: text.to_string(), rect, role });
        };
        if !self.title.is_empty() {
            // As high above it as the title of a panel next to it.
            layout.top = height(LARGE) + height(SMALL) / 2.0 + 5.0;
            write(&self.title, 0.0, -layout.top, Role::Title);
        }
        for (number, entry) in self.entries.iter().enumerate() {
            let top = STEP * number as f64;
            let mut y = top + (SIDE - height(SMALL) * (1 + entry.lines.len()) as f64) / 2.0;
            write(&entry.name, SIDE + GAP, y, Role::Strong);
            for line in &entry.lines {
                y += height(SMALL);
                write(line, SIDE + GAP, y, Role::Label);
            }
            if let Some(image) = &entry.image {
                layout.images.push((Rect { x: 0.0, y: top, width: SIDE, height: SIDE }, image.clone()));
            }
        }
        layout.height = (STEP * self.entries.len() as f64 - (STEP - SIDE)).max(0.0);
        layout
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chart, Line, Panel};

    fn list() -> Gallery {
        let image = Thumbnail::new(1, 1, &[9]);
        Gallery::new("Five").entry(image, "S1", ["a dog", "never in doubt"]).entry(None, "S2", ["a cat"])
    }

    #[test]
    fn texts_stand_beside_their_pictures_and_apart() {
        let layout = list().layout();
        assert_eq!((layout.images.len(), layout.texts.len()), (1, 6));
        assert_eq!(layout.height, STEP + SIDE);
        for (i, a) in layout.texts.iter().enumerate() {
            assert!(layout.texts[i + 1..].iter().all(|b| !a.rect.overlaps(&b.rect)), "{a:?}");
            assert!(layout.images.iter().all(|(rect, _)| !rect.overlaps(&a.rect)));
            assert!(a.rect.right() <= layout.width);
        }
    }

    #[test]
    fn a_wide_list_at_the_end_does_not_push_columns_apart() {
        let panel = || Panel::new("p").line(Line::new("", [(0.0, 0.0), (1.0, 1.0)]));
        let wide = Gallery::new("").entry(
            None,
            "n",
            ["a line of text that is much longer than a panel is wide, or even two"],
        );
        let three = Chart::new("").columns(2).panel(panel()).panel(panel());
        let left = |svg: &str| svg.split("translate(").nth(2).unwrap().split(' ').next().unwrap().to_string();
        let with = three.clone().gallery(wide).to_svg();
        assert_eq!(left(&with), left(&three.to_svg()));
        let width = |svg: &str| {
            svg.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse::<f64>().unwrap()
        };
        assert!(width(&with) >= width(&three.to_svg()));
        assert_eq!(with.matches("<image").count(), 0);
        assert!(three.gallery(list()).to_svg().contains("href=\"data:image/png;base64,"));
    }
}
