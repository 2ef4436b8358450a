//! Pictures inside a page: small ones, so that all of them together stay small.

use crate::page::html::{NAME, escaped, percent, short};
use crate::thumbnail::Thumbnail;
use onesided::{CoveredPicture, SeenPicture, Summary};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The longest side of a picture in a page; the first at which all of them take no more than so many letters.
const SIDES: [usize; 5] = [96, 64, 48, 32, 16];
const LETTERS: usize = 550_000;
/// Up to this side pixels are shown as squares.
const SQUARES: usize = 32;

/// Pictures of a summary as addresses that hold them, by row.
pub(super) struct Addresses(BTreeMap<usize, String>);

impl Addresses {
    pub fn of(summary: &Summary) -> Self {
        let seen = &summary.pictures;
        let others = seen.groups.iter().flat_map(|(_, pictures)| pictures);
        let all: Vec<&SeenPicture> = seen.first.iter().chain(others).collect();
        let at = |side: usize| -> BTreeMap<usize, String> {
            let of = |one: &&SeenPicture| {
                let picture = Thumbnail::new(one.width, one.height, &one.bytes)?.within(side);
                Some((one.row, picture.data_uri()))
            };
            all.iter().filter_map(of).collect()
        };
        let letters =
            |addresses: &BTreeMap<usize, String>| addresses.values().map(String::len).sum::<usize>();
        let mut addresses = at(SIDES[0]);
        for side in &SIDES[1..] {
            if letters(&addresses) > LETTERS {
                addresses = at(*side);
            }
        }
        Self(addresses)
    }

    fn address(&self, picture: &SeenPicture) -> &str {
        self.0.get(&picture.row).map_or("", String::as_str)
    }

    /// A picture of the list.
    pub fn image(&self, picture: &SeenPicture) -> String {
        format!(
            "<img class=\"seen{}\" src=\"{}\" alt=\"{}\">",
            squares(picture),
            self.address(picture),
            escaped(&short(&name_of(picture), NAME))
        )
    }

    /// Pictures in rows, each with what the model makes of it.
    pub fn gallery(&self, pictures: &[SeenPicture]) -> String {
        let figure = |one: &SeenPicture| {
            format!("<li>{}<span>{}</span></li>", self.image(one), percent(f64::from(one.probability)))
        };
        format!("<ul class=\"gallery\">{}</ul>", pictures.iter().map(figure).collect::<String>())
    }

    /// A picture with colors over the parts that carry its score.
    pub fn covered(&self, covered: &CoveredPicture) -> String {
        let CoveredPicture { picture, across, down, lost } = covered;
        let most = lost.iter().fold(1e-9, |most: f64, lost| most.max(lost.abs()));
        let (width, height) = (picture.width as f64, picture.height as f64);
        let mut parts = String::new();
        for (at, lost) in lost.iter().enumerate() {
            // Whole pixels, as they were covered.
            let edge = |at: usize, parts: usize, side: usize| (at * side / parts) as f64;
            let (x, y) =
                (edge(at % across, *across, picture.width), edge(at / across, *down, picture.height));
            let (right, bottom) =
                (edge(at % across + 1, *across, picture.width), edge(at / across + 1, *down, picture.height));
            let opacity = 0.75 * lost.abs() / most;
            if opacity >= 0.05 {
                let class = if *lost > 0.0 { "c0" } else { "c1" };
                let _ = write!(
                    parts,
                    "<rect class=\"part {class}\" x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill-opacity=\"{opacity:.2}\"><title>{lost:+.2}</title></rect>",
                    right - x,
                    bottom - y
                );
            }
        }
        format!(
            "<li><svg class=\"seen{}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\"><image href=\"{}\" width=\"{width}\" height=\"{height}\" \
             preserveAspectRatio=\"none\"/>{parts}</svg><span>{}</span></li>",
            squares(picture),
            escaped(&short(&format!("{}, with the parts that carry its score", name_of(picture)), 2 * NAME)),
            self.address(picture),
            percent(f64::from(picture.probability))
        )
    }
}

fn squares(picture: &SeenPicture) -> &'static str {
    if picture.width.max(picture.height) <= SQUARES { " squares" } else { "" }
}

/// Its file, or its number.
fn name_of(picture: &SeenPicture) -> String {
    if picture.name.is_empty() { format!("picture {}", picture.row + 1) } else { picture.name.clone() }
}
