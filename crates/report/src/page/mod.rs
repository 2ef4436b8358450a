//! A page of a model and a table: one HTML file that needs nothing else.
//!
//! What it says comes from a [`Summary`]; nothing is measured here. It reads without a script; with one, sliders look up numbers that
//! the summary holds and show them. Its policy lets it load nothing, and runs the one script whose hash it names.

mod compare;
mod html;
mod plot;
mod review;
mod sections;
mod sha256;

pub(crate) use html::short;
use html::{escaped, json_in_script};
use onesided::Summary;

pub use compare::compare_page;
pub use sha256::data_address;

pub use review::{ReviewPage, ReviewRow, review_page};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What a page says besides its summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSettings {
    /// The command or the call that made it.
    pub command: String,
}

/// A summary as one HTML file.
///
/// ```no_run
/// use onesided::{Input, List, Model, ReadAgain, SummarySettings};
/// use onesided_report::{PageSettings, page};
///
/// let (model, rows) = Model::load_with_rows("model.safetensors")?;
/// let list = List::of(&model).rows_of_model(Some(rows.as_ref()));
/// let summary = list.summary(&Input::one("train.csv"), &ReadAgain::default(), &SummarySettings::default())?;
/// std::fs::write("page.html", page(&summary, &PageSettings::default()))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn page(summary: &Summary, settings: &PageSettings) -> String {
    let title = format!("onesided: {}", short(&summary.place, 80));
    let parts = sections::all(summary, settings);
    document(&title, &laid_out(&sections::head(summary), &parts), &sections::data(summary), SCRIPT)
}

/// A part with its heading.
struct Part {
    id: &'static str,
    title: &'static str,
    body: String,
}

/// Parts below a head, beside a table of contents.
fn laid_out(head: &str, parts: &[Part]) -> String {
    let contents: String =
        parts.iter().map(|part| format!("<li><a href=\"#{}\">{}</a></li>", part.id, part.title)).collect();
    let body: String = parts
        .iter()
        .map(|part| {
            format!(
                "<section id=\"{id}\" aria-labelledby=\"{id}-title\"><h2 id=\"{id}-title\">{}</h2>{}</section>\n",
                part.title,
                part.body,
                id = part.id
            )
        })
        .collect();
    format!(
        "<a class=\"skip\" href=\"#main\">To the report</a>\n{head}\n<div class=\"page\"><nav aria-label=\"Contents\"><details \
         class=\"contents\" open><summary>Contents</summary><ol>{contents}</ol></details></nav>\n<main id=\"main\">{body}</main></div>\n"
    )
}

/// A whole file with what a script reads and the script.
fn document(title: &str, body: &str, data: &str, script: &str) -> String {
    let hash = sha256::source_hash(script);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; script-src '{hash}'; img-src data:; base-uri 'none'; form-action \
         'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light \
         dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}<script \
         type=\"application/json\" id=\"data\">{}</script>\n<script>{script}</script>\n</body>\n</html>\n",
        escaped(title),
        json_in_script(data)
    )
}
