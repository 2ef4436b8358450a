//! The parts of a page, in the order they are read in: a file each.

mod along;
mod beside;
mod calibration;
mod checks;
mod data;
mod drives;
mod labels;
mod made;
mod read;
mod rows;
mod scores;
mod seen;
mod share;
mod verdict;
mod wrong_share;

pub(super) use data::data;

use super::html::{cell, escaped, grouped, percent};
use super::{PageSettings, Part};
use along::review;
use beside::beside;
use calibration::calibration;
use checks::checks;
use drives::drives;
use labels::labels;
use made::how;
use onesided::data::counted;
use onesided::{Along, Assumed, Interval, State, Summary, rows_of};
use read::read;
use rows::rows;
use scores::scores;
use seen::Addresses;
use share::share;
use verdict::verdict;
use wrong_share::wrong_share;

/// Columns, findings and settings that are listed.
const LISTED: usize = 120;

pub(super) fn all(summary: &Summary, settings: &PageSettings) -> Vec<Part> {
    let part = |id, title, body| Part { id, title, body };
    let addresses = Addresses::of(summary);
    let mut parts = vec![
        part("verdict", "In short", verdict(summary)),
        part("beside", "Compared with doing less", beside(summary)),
        part("scores", "How the scores fall", scores(summary)),
        part("share", "How many are positive", share(summary)),
        part("review", "How far to read", review(summary)),
    ];
    if let Ok(along) = &summary.along {
        if !along.shares.is_empty() {
            parts.push(part("wrong-share", "If the share is wrong", wrong_share(along)));
        }
        parts.push(part("labels", "If labels favor some positives", labels(along)));
    }
    parts.push(part("calibration", "Whether probabilities hold", calibration(summary)));
    parts.push(part("checks", "What was checked", checks(summary)));
    parts.push(part("drives", "What drives the model", drives(summary, &addresses)));
    parts.push(part("read", "What was read", read(summary)));
    let first = match summary.takes {
        "texts" => "The first texts",
        "pictures" => "The first pictures",
        _ => "The first rows",
    };
    parts.push(part("rows", first, rows(summary, &addresses)));
    parts.push(part("settings", "How it was made", how(summary, settings)));
    parts
}

/// The top of the page.
pub(super) fn head(summary: &Summary) -> String {
    let rows = match (summary.takes, summary.has_rows()) {
        ("tables", true) => {
            "<strong>This page contains rows of the table.</strong> Send it only to people who may see them."
        }
        ("tables", false) => {
            "This page contains no rows of the table, but names of columns and values of some."
        }
        ("texts", true) => {
            "<strong>This page contains texts and names of files.</strong> Send it only to people who may see them."
        }
        ("texts", false) => "This page contains no texts, but some of their words.",
        (_, true) => "<strong>This page contains pictures.</strong> Send it only to people who may see them.",
        (_, false) => "This page contains no pictures.",
    };
    let rows = format!("<p class=\"private\">{rows} It loads nothing from anywhere and sends nothing.</p>");
    format!(
        "<header><p class=\"kind\">onesided · report</p><h1>What is hidden in {}</h1><p class=\"lead\">{} listed, ranked by a model \
         that learned from {} known to be positive and {} without a label.</p>{rows}</header>",
        cell(&name_of(&summary.listed_place), 80),
        escaped(&counted(summary.rows, things(summary))),
        escaped(&counted(summary.model.counts.positive, things(summary))),
        grouped(summary.model.counts.unlabeled),
    )
}

/// The name of a file, or of a folder with the folder it is in.
pub(super) fn name_of(place: &str) -> String {
    let mut parts = place.trim_end_matches(['/', '\\']).rsplit(['/', '\\']);
    let name = parts.next().unwrap_or(place);
    match parts.next().filter(|_| !name.contains('.')) {
        Some(folder) if !folder.is_empty() => format!("{folder}/{name}"),
        _ => name.to_string(),
    }
}

fn things(summary: &Summary) -> &'static str {
    rows_of(summary.takes)
}

/// `90.1 % (86.0 % to 93.2 %)`.
fn with(Interval { value, low, high }: Interval) -> String {
    match low < high {
        true if value.is_finite() => {
            format!("{} <span class=\"range\">({} to {})</span>", percent(value), percent(low), percent(high))
        }
        true => format!("{} to {}", percent(low), percent(high)),
        false => percent(value),
    }
}

fn times(Interval { value, low, high }: Interval) -> String {
    format!("{value:.2} <span class=\"range\">({low:.2} to {high:.2})</span>")
}

/// The place of a list that a page begins with: the model's own cut, or nine of ten positives.
fn start(along: &Along) -> usize {
    along.decided.unwrap_or(along.most)
}

fn badge(state: State) -> String {
    let (class, word) = match state {
        State::Holds => ("holds", "holds"),
        State::Unknown => ("unknown", "unknown"),
        State::Fails => ("fails", "fails"),
        State::Audited => ("audited", "audited"),
    };
    format!("<span class=\"badge {class}\">{word}</span>")
}

fn assumed(what: Assumed) -> &'static str {
    match what {
        Assumed::RandomLabels => "Labels are a random sample of the positives",
        Assumed::Share => "The share of positives is right",
        Assumed::LikeTraining => "The rows are like those of training",
        Assumed::NotMet => "Each row is scored by a model that has not met it",
        _ => "Something else",
    }
}
