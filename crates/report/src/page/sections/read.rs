//! What was read, and what was left out.

use super::{LISTED, things};
use crate::page::html::{CELL, NAME, cell, escaped, grouped};
use onesided::Summary;
use onesided::data::counted;
use std::fmt::Write;

pub(super) fn read(summary: &Summary) -> String {
    let mut body = format!(
        "<p>Read from {}: {} listed{}.</p>",
        cell(&summary.place, CELL),
        escaped(&counted(summary.rows, things(summary))),
        match &summary.fitted {
            Some(fitted) if fitted.left_out > 0 =>
                format!(", {} left out because they are labeled", grouped(fitted.left_out)),
            _ => String::new(),
        }
    );
    if summary.columns.is_empty() {
        let _ = write!(body, "<p>They are {}, which have no columns.</p>", escaped(summary.takes));
        return body;
    }
    let left_out = |kind: &str| kind == "left out" || kind == "not used";
    let shown = |wanted: bool| -> String {
        let some = summary.columns.iter().filter(|column| left_out(column.kind) == wanted);
        let rows = some.take(LISTED).map(|column| {
            let of = match column.kind {
                "categories" => format!(" ({} levels)", column.features),
                "texts" => format!(" ({} terms)", column.features),
                _ => String::new(),
            };
            format!(
                "<tr><th scope=\"row\">{}</th><td>{}{of}</td></tr>",
                cell(&column.name, NAME),
                column.kind
            )
        });
        rows.collect()
    };
    let number =
        |wanted: bool| summary.columns.iter().filter(|column| left_out(column.kind) == wanted).count();
    let (used, out) = (number(false), number(true));
    let table = |rows: String, label: &str| {
        format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table><thead><tr><th scope=\"col\">Column</th><th scope=\"col\">Read \
             as</th></tr></thead><tbody>{rows}</tbody></table></div>"
        )
    };
    let _ = write!(
        body,
        "<details><summary>{} learned from</summary>{}</details>",
        escaped(&counted(used, "columns")),
        table(shown(false), "Columns learned from")
    );
    if out > 0 {
        let _ = write!(
            body,
            "<details open><summary>{} left out</summary>{}</details>",
            escaped(&counted(out, "columns")),
            table(shown(true), "Columns left out")
        );
    }
    if used > LISTED {
        let _ = write!(body, "<p>Of more than {LISTED} columns the first are listed.</p>");
    }
    body
}
