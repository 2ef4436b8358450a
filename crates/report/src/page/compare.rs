//! A page of several models on one table: what each says of it, their curves, and how far their lists agree.

use super::html::{NAME, cell, escaped, grouped, percent, sentence, short};
use super::plot::Plot;
use super::{PageSettings, Part, SCRIPT, document, laid_out};
use onesided::data::counted;
use onesided::{Comparison, Interval, Ranks, Side, State, rows_of};
use std::fmt::Write;

/// Colors and dashes of lines, in the order of models; further ones begin again.
const PENS: [&str; 6] = ["c0", "c1 dashed", "c2", "c4 dashed", "c0 dotted", "c1 dotted"];

/// Several models on one table as one HTML file.
pub fn compare_page(comparison: &Comparison, settings: &PageSettings) -> String {
    let part = |id, title, body| Part { id, title, body };
    let parts = [
        part("verdict", "Side by side", side_by_side(comparison)),
        part("review", "How far to read", curves(comparison)),
        part("share", "How many are positive", shares(comparison)),
        part("overlap", "Whether they name the same rows", overlaps(comparison)),
        part("metrics", "Metrics", metrics(comparison)),
        part("settings", "How it was made", made(comparison, settings)),
    ];
    let place = comparison.models.first().map_or("", |side| side.summary.place.as_str());
    let name = place.rsplit(['/', '\\']).next().unwrap_or(place);
    let head = format!(
        "<header><p class=\"kind\">onesided · comparison</p><h1>{} on {}</h1><p class=\"private\">This page contains no rows of the table. It \
         loads nothing from anywhere and sends nothing.</p></header>",
        escaped(&counted(comparison.models.len(), "models")),
        cell(name, 80)
    );
    document(&format!("onesided: {}", short(place, 80)), &laid_out(&head, &parts), "{}", SCRIPT)
}

fn table(label: &str, head: &[&str], rows: &str) -> String {
    let heads: String = head.iter().map(|name| format!("<th scope=\"col\">{name}</th>")).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

fn named(side: &Side) -> String {
    format!("<th scope=\"row\">{}</th>", cell(&side.name, NAME))
}

fn with(told: Interval) -> String {
    let range = format!("{} to {}", percent(told.low), percent(told.high));
    match told.value.is_finite() {
        true if told.low == told.high => percent(told.value),
        true => format!("{} <span class=\"range\">({range})</span>", percent(told.value)),
        false => range,
    }
}

fn side_by_side(comparison: &Comparison) -> String {
    let row = |side: &Side| {
        let summary = &side.summary;
        let metrics = &summary.model.metrics;
        let auc = ["auc_pu", "auc"].iter().find_map(|name| metrics.get(*name)).copied();
        let ranks = Ranks::of(&summary.model.beside, auc);
        let (own, naive) = match ranks {
            Ranks::Beside { auc, naive, .. } => {
                let naive = if ranks.is_behind() {
                    format!("<em>{naive:.3}, ahead</em>")
                } else {
                    format!("{naive:.3}")
                };
                (format!("{auc:.3}"), naive)
            }
            Ranks::Alone { auc } | Ranks::Answered { auc } => (format!("{:.3}", auc.value), "–".to_string()),
            Ranks::Unknown => ("–".to_string(), "–".to_string()),
        };
        let read = match &summary.along {
            Ok(along) => {
                let at = &along.at[along.most];
                let precision = at.precision.filter(|told| told.value.is_finite());
                let precision = precision
                    .map_or_else(String::new, |told| format!(", {} of them positive", percent(told.value)));
                format!("{}{precision}", grouped(at.rows))
            }
            Err(_) => "not told".to_string(),
        };
        let fails = summary.assumptions.iter().filter(|one| one.state == State::Fails).count();
        let open = summary.assumptions.iter().filter(|one| one.state == State::Unknown).count();
        let stands = match (fails, open) {
            (0, 0) => "holds".to_string(),
            (0, open) => format!("{open} unknown"),
            (fails, _) => format!("<em>{}</em>", escaped(&format!("{fails} fail"))),
        };
        format!(
            "<tr>{}<td>{}</td><td>{own}</td><td>{naive}</td><td>{}</td><td>{read}</td><td>{}</td><td>{stands}</td></tr>",
            named(side),
            escaped(&summary.model.method),
            summary.share.map_or_else(|| "–".to_string(), |share| percent(share.share.value)),
            grouped(summary.predicted_positive),
        )
    };
    let rows: String = comparison.models.iter().map(row).collect();
    let head = [
        "Model",
        "Method",
        "AUC of labeled rows",
        "AUC of naive",
        "Share positive",
        "Rows that hold nine of ten positives",
        "Predicted positive",
        "What it rests on",
    ];
    let listed = comparison.models.first().map_or(0, |side| side.summary.rows);
    let takes = comparison.models.first().map_or("tables", |side| side.summary.takes);
    let same = comparison.models.iter().all(|side| side.summary.rows == listed);
    let note = if same {
        String::new()
    } else {
        " They do not list the same number of rows: of a table that it was fitted on, a model leaves labeled rows out.".to_string()
    };
    format!(
        "<p>The first of them lists {}.{note} The AUC is that of the fit, on rows that were held out; fits of other rows cannot be compared by \
         it. All numbers but the AUC are of this table.</p>{}",
        escaped(&counted(listed, rows_of(takes))),
        table("Models side by side", &head, &rows)
    )
}

fn curves(comparison: &Comparison) -> String {
    let told: Vec<(usize, &Side)> =
        comparison.models.iter().enumerate().filter(|(_, side)| side.summary.along.is_ok()).collect();
    let withheld: String = comparison
        .models
        .iter()
        .filter_map(|side| {
            let why = side.summary.along.as_ref().err()?;
            Some(format!("<p class=\"withheld\">{}: {}</p>", cell(&side.name, NAME), sentence(why)))
        })
        .collect();
    if told.is_empty() {
        return withheld;
    }
    let end = told.iter().map(|(_, side)| side.summary.rows).max().unwrap_or(1) as f64;
    let mut legend = String::new();
    let mut plot =
        Plot::new("Recall of each model rises the more rows are read", (0.0, end), (0.0, 1.0), false);
    plot.axes(
        "rows read from the top",
        "of all positives, how many are found",
        |x| grouped(x.round() as usize),
        |y| format!("{:.0}\u{a0}%", 100.0 * y),
    );
    plot.line("blind", &[(0.0, 0.0), (end, 1.0)]);
    let mut rows = String::new();
    for (at, side) in told {
        let Ok(along) = &side.summary.along else { continue };
        let pen = PENS[at % PENS.len()];
        plot.line(pen, &along.at.iter().map(|at| (at.rows as f64, at.recall.value)).collect::<Vec<_>>());
        let _ = write!(legend, "<li><span class=\"swatch {pen}\"></span>{}</li>", cell(&side.name, NAME));
        let at = |share: f64| {
            let found = along.at.iter().find(|at| at.recall.value >= share);
            found.map_or_else(|| "–".to_string(), |at| grouped(at.rows))
        };
        let _ = write!(
            rows,
            "<tr>{}<td>{}</td><td>{}</td><td>{}</td></tr>",
            named(side),
            at(0.5),
            at(0.8),
            at(0.9)
        );
    }
    format!(
        "<p>The higher a line, the fewer rows have to be read. Recall rests on labeled positives, and holds if they are a random sample of \
         the positives.</p><figure><ul class=\"legend\">{legend}<li><span class=\"swatch blind\"></span>reading blindly</li></ul>{}</figure>{}{withheld}",
        plot.svg(),
        table(
            "Rows to read",
            &["Model", "Rows for half of the positives", "for eight of ten", "for nine of ten"],
            &rows
        )
    )
}

fn shares(comparison: &Comparison) -> String {
    let row = |side: &Side| {
        let told = match side.summary.share {
            Some(share) => {
                let from = match (share.audited, share.estimated) {
                    (Some(answers), _) => format!("{} of an audit", counted(answers, "answers")),
                    (None, true) => "estimated".to_string(),
                    (None, false) => "given".to_string(),
                };
                format!("<td>{}</td><td>{}</td>", with(share.share), escaped(&from))
            }
            None => "<td>–</td><td>not told</td>".to_string(),
        };
        format!("<tr>{}{told}</tr>", named(side))
    };
    let rows: String = comparison.models.iter().map(row).collect();
    table("Shares of positives", &["Model", "Share of the listed rows", "From"], &rows)
}

fn overlaps(comparison: &Comparison) -> String {
    if comparison.overlaps.is_empty() || comparison.models.len() < 2 {
        return "<p>There is nothing to compare.</p>".to_string();
    }
    let mut head = vec!["Model".to_string()];
    head.extend(comparison.models.iter().map(|side| cell(&side.name, NAME)));
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut body = "<p>Of the first rows of one list, how many are among as many first rows of the other. Where two good models share few, \
                    reading both lists finds more.</p>"
        .to_string();
    for overlap in &comparison.overlaps {
        let row = |(side, shared): (&Side, &Vec<f64>)| {
            let cells: String =
                shared.iter().map(|share| format!("<td>{:.0}\u{a0}%</td>", 100.0 * share)).collect();
            format!("<tr>{}{cells}</tr>", named(side))
        };
        let rows: String = comparison.models.iter().zip(&overlap.shared).map(row).collect();
        let first = format!("the first {} rows", grouped(overlap.rows));
        let _ = write!(body, "<h3>Of {first}</h3>{}", table(&format!("Overlap of {first}"), &head, &rows));
    }
    body
}

fn metrics(comparison: &Comparison) -> String {
    let mut names: Vec<&String> =
        comparison.models.iter().flat_map(|side| side.summary.model.metrics.keys()).collect();
    names.sort();
    names.dedup();
    let mut head = vec!["Metric".to_string()];
    head.extend(comparison.models.iter().map(|side| cell(&side.name, NAME)));
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let row = |name: &&String| {
        let told = |side: &Side| match side.summary.model.metrics.get(*name) {
            Some(told) => {
                format!(
                    "<td>{:.3} <span class=\"range\">({:.3} to {:.3})</span></td>",
                    told.value, told.low, told.high
                )
            }
            None => "<td>–</td>".to_string(),
        };
        let cells: String = comparison.models.iter().map(told).collect();
        format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", escaped(name))
    };
    let rows: String = names.iter().map(row).collect();
    format!(
        "<p>Of each model's decisions on rows that were held out when it was fitted.</p>{}",
        table("Table of metrics", &head, &rows)
    )
}

fn made(comparison: &Comparison, settings: &PageSettings) -> String {
    let row = |side: &Side| {
        let model = &side.summary.model;
        format!(
            "<tr>{}<td>{}</td><td>{}</td><td><code>{}</code></td><td>{}</td></tr>",
            named(side),
            escaped(&short(&model.objective, 200)),
            escaped(&model.version),
            escaped(&model.fingerprint),
            model.seed
        )
    };
    let rows: String = comparison.models.iter().map(row).collect();
    format!(
        "<dl class=\"facts\"><div><dt>Command</dt><dd><code>{}</code></dd></div></dl>{}",
        escaped(&short(&settings.command, 400)),
        table("Models", &["Model", "Objective", "Version", "Fingerprint", "Seed"], &rows)
    )
}
