//! The first rows with their reasons.

use super::seen::Addresses;
use crate::page::html::{CELL, NAME, cell, grouped, percent};
use onesided::{ListedRow, Summary, rows_of};

/// Columns of the table next to each of the first rows.
const COLUMNS: usize = 6;
/// Letters from which on a cell needs a wide column, and of the start of a text.
const LONG: usize = 40;
const START: usize = 300;

/// Which columns of the table stand next to the first rows: of many, those that matter most.
fn columns_of_rows(summary: &Summary) -> Vec<usize> {
    let all = summary.names.len();
    if all <= COLUMNS {
        return (0..all).collect();
    }
    let mut chosen = vec![0];
    if let Ok(importance) = &summary.importance {
        let places = importance
            .columns
            .iter()
            .filter_map(|one| summary.names.iter().position(|name| *name == one.column));
        chosen.extend(places);
    }
    chosen.extend(0..all);
    let mut kept = Vec::new();
    chosen.into_iter().for_each(|at| {
        if !kept.contains(&at) && kept.len() < COLUMNS {
            kept.push(at);
        }
    });
    kept.sort_unstable();
    kept
}

fn because(summary: &Summary, row: &ListedRow) -> String {
    let of = |sign: f64, words: &str| -> String {
        let some = row.because.iter().filter(|part| part.value * sign > 0.0);
        let said: Vec<String> = some
            .map(|part| {
                let value = summary
                    .names
                    .iter()
                    .position(|name| *name == part.feature)
                    .and_then(|at| row.cells.get(at));
                let value = value.map_or_else(String::new, |value| format!(" {}", cell(value, 24)));
                format!(
                    "<b>{}</b>{value} <span class=\"range\">({:+.2})</span>",
                    cell(&part.feature, NAME),
                    part.value
                )
                .replace('-', "−")
            })
            .collect();
        if said.is_empty() {
            String::new()
        } else {
            format!(
                "<span class=\"{}\">{words} {}</span>",
                if sign > 0.0 { "for" } else { "against" },
                said.join(", ")
            )
        }
    };
    [of(1.0, "For it:"), of(-1.0, "Against it:")].concat()
}

pub(super) fn rows(summary: &Summary, addresses: &Addresses) -> String {
    let things = rows_of(summary.takes);
    if !summary.has_rows() {
        return match summary.takes {
            "tables" => "<p>Rows of the table are left out of this page.</p>".to_string(),
            _ => format!("<p>The {things} are left out of this page.</p>"),
        };
    }
    let columns = columns_of_rows(summary);
    let explained = summary.first.iter().any(|row| !row.because.is_empty());
    let pictured = summary.pictures.first.len() == summary.first.len();
    // Files are known by their names.
    let numbered = summary.takes == "tables" || columns.is_empty();
    let begun = summary.starts.iter().any(|start| !start.is_empty());
    let is_long = |at: usize| {
        summary.first.iter().any(|row| row.cells.get(at).is_some_and(|cell| cell.chars().count() > LONG))
    };
    let class = |at: usize| if is_long(at) { " class=\"long\"" } else { "" };
    let heads: String = columns
        .iter()
        .map(|&at| format!("<th scope=\"col\"{}>{}</th>", class(at), cell(&summary.names[at], NAME)))
        .collect();
    let body: String = summary
        .first
        .iter()
        .enumerate()
        .map(|(rank, row)| {
            let cells: String = columns
                .iter()
                .map(|&at| {
                    format!("<td{}>{}</td>", class(at), cell(row.cells.get(at).map_or("", String::as_str), CELL))
                })
                .collect();
            let range = row.range.map_or_else(String::new, |(low, high)| {
                format!(" <span class=\"range\">({} to {})</span>", percent(f64::from(low)), percent(f64::from(high)))
            });
            let picture = summary.pictures.first.get(rank).filter(|_| pictured);
            let picture = picture.map_or_else(String::new, |one| format!("<td>{}</td>", addresses.image(one)));
            let start = summary.starts.get(rank).filter(|_| begun);
            let start = start.map_or_else(String::new, |start| format!("<td class=\"start\">{}</td>", cell(start, START)));
            format!(
                "<tr><th scope=\"row\">{}</th>{}{picture}<td class=\"number\"><span class=\"meter\"><i style=\"width:{:.0}%\"></i></span>{}{range}</td>{}{cells}{start}</tr>",
                rank + 1,
                if numbered { format!("<td class=\"number\">{}</td>", grouped(row.row + 1)) } else { String::new() },
                100.0 * row.probability,
                percent(f64::from(row.probability)),
                if explained { format!("<td class=\"because\">{}</td>", because(summary, row)) } else { String::new() }
            )
        })
        .collect();
    let other = match summary.names.len() - columns.len() {
        0 => String::new(),
        more => format!(
            " Of the table's columns the {} that matter most are shown; {more} more are not.",
            columns.len()
        ),
    };
    let why = if explained {
        " “For it” and “against it” say what raised and lowered the score, and by how much: 0.7 doubles the odds. What drives a score is not what causes a case."
    } else {
        ""
    };
    let head = |is_there: bool, head: &'static str| if is_there { head } else { "" };
    format!(
        "<p>The {} likeliest of {}, the best first.{why}{other}</p><div class=\"tools\"><label for=\"search\">Search</label><input \
         type=\"search\" id=\"search\" autocomplete=\"off\"><button type=\"button\" id=\"copy\">Copy as CSV</button><span id=\"found\" role=\"status\"></span></div><div class=\"scroll tall\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Table of the first {things}\"><table id=\"first\"{}><thead><tr><th scope=\"col\">Rank</th>{}{}<th scope=\"col\" \
         class=\"number\">Probability</th>{}{heads}{}</tr></thead><tbody>{body}</tbody></table></div>",
        summary.first.len(),
        grouped(summary.rows),
        head(begun, " class=\"begun\""),
        head(numbered, "<th scope=\"col\" class=\"number\">Row</th>"),
        head(pictured, "<th scope=\"col\">Picture</th>"),
        head(explained, "<th scope=\"col\">Why</th>"),
        head(begun, "<th scope=\"col\">How it begins</th>"),
    )
}
