//! What was found.

use super::LISTED;
use crate::page::html::sentence;
use onesided::{Check, Level, Summary};

pub(super) fn checks(summary: &Summary) -> String {
    if summary.checks.is_empty() {
        return "<p>Columns that tell too much, copies of labeled rows, dates at which labels stop, columns that hold something else than in \
                training: nothing was found.</p>"
            .to_string();
    }
    let item = |check: &Check| {
        let (class, word) = match check.level {
            Level::Fails => ("fails", "stop"),
            Level::Warning => ("unknown", "look"),
            Level::Note => ("note", "note"),
        };
        format!("<li><span class=\"badge {class}\">{word}</span><span>{}</span></li>", sentence(&check.text))
    };
    let items: String = summary.checks.iter().take(LISTED).map(item).collect();
    let more = match summary.checks.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("<p>and {more} more</p>"),
    };
    format!(
        "<p>What reading and fitting came upon: columns that tell too much, copies of labeled rows, dates at which labels stop, columns that \
         hold something else than in training.</p><ul class=\"checks\">{items}</ul>{more}"
    )
}
