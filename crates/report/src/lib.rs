//! Charts of lines and of clouds of points, and estimates with their intervals, as SVG and PNG; [`page()`], a model and a table as one
//! HTML file; and [`figure()`], one picture of the same.
//!
//! A [`Chart`] is a picture of one or more [`Panel`]s; a panel holds [`Line`]s, [`Mark`]s, [`Cloud`]s and [`Trail`]s over a
//! pair of axes; a [`Gallery`] of [`Thumbnail`]s may be placed next to them. What comes out is one SVG document with no script,
//! no font and no reference to anything outside it, or the same picture in pixels, lettered by a font that is in the crate:
//!
//! * Lines differ in color and in dash, so they can be told apart in print and without color vision. The colors are dark on
//!   a light page and light on a dark one (`prefers-color-scheme`); the picture paints its own background to match.
//! * A line is labeled where it ends, to the right of its frame, next to a sample of the line. Labels that would overlap are
//!   moved apart. Widths are estimated with a generous width per letter, since the font is the reader's.
//! * A point that is not a number interrupts its line; what lies outside the axes is cut off at the frame.
//! * The same chart always gives the same bytes.
//!
//! ```
//! use onesided_report::{Chart, Line, Mark, Panel};
//!
//! let curve = |f: fn(f64) -> f64| (0..=100).map(move |i| (f64::from(i) / 100.0, f(f64::from(i) / 100.0)));
//! let panel = Panel::new("Two parabolas")
//!     .x_label("x")
//!     .y_label("y")
//!     .line(Line::new("x²", curve(|x| x * x)))
//!     .line(Line::new("x - x²", curve(|x| x - x * x)))
//!     .mark(Mark::new(0.5, 0.25).slot(1).label("highest"));
//! let svg = Chart::new("Parabolas").panel(panel).to_svg();
//! assert!(svg.starts_with("<svg") && svg.contains("highest"));
//! ```

#![forbid(unsafe_code)]

mod axis;
mod bars;
mod chart;
mod figure;
mod font;
mod gallery;
mod geometry;
mod intervals;
mod labels;
mod layout;
mod page;
mod panel;
mod picture;
mod png;
mod raster;
mod shown;
mod style;
mod thumbnail;
mod watch;

pub use bars::Bars;
pub use chart::Chart;
pub use figure::{Figure, FigurePart};
pub use gallery::Gallery;
pub use intervals::Intervals;
pub use page::{PageSettings, ReviewPage, ReviewRow, compare_page, data_address, page, review_page};
pub use panel::{Cloud, Line, Mark, Panel, Trail};
pub use picture::Marker;
pub use shown::{Shown, figure};
pub use thumbnail::{Thumbnail, picture_address};
pub use watch::{history_chart, watch_chart};

/// The page on crates.io, whose code runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
