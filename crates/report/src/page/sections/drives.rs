//! What drives the model.

use super::seen::Addresses;
use crate::page::html::{NAME, cell, grouped, percent, sentence, short};
use crate::page::plot::Plot;
use onesided::{
    Against, CarryingWord, Effect, HowScored, Interval, PictureGroup, PicturesSeen, Summary, rows_of,
};
use std::fmt::Write;

/// Columns in the picture of what drives the model.
const BARS: usize = 15;

pub(super) fn drives(summary: &Summary, addresses: &Addresses) -> String {
    if summary.takes == "pictures" {
        return pictures(&summary.pictures, addresses);
    }
    match (summary.words.is_empty(), summary.takes) {
        (true, _) => columns(summary),
        (false, "texts") => words(&summary.words, summary),
        (false, _) => format!("{}<h3>Words</h3>{}", columns(summary), words(&summary.words, summary)),
    }
}

/// The words that carried the first rows.
fn words(all: &[CarryingWord], summary: &Summary) -> String {
    let most = all.iter().map(|one| one.mean.abs()).fold(1e-9, f64::max);
    let rows: String = all
        .iter()
        .map(|one| {
            let class = if one.mean > 0.0 { "c0" } else { "c1" };
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"wide\"><svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" \
                 aria-hidden=\"true\"><rect class=\"span {class}\" y=\"1\" width=\"{:.2}\" height=\"8\"/></svg></td><td class=\"number\">{}</td><td \
                 class=\"number\">{}</td></tr>",
                cell(&one.word, NAME),
                100.0 * one.mean.abs() / most,
                format!("{:+.2}", one.mean).replace('-', "−"),
                grouped(one.rows),
            )
        })
        .collect();
    let (first, things) = (summary.first.len(), rows_of(summary.takes));
    format!(
        "<p>The words that moved the scores of the first {} {things} of the list most: what each added on average, and in how many of them it \
         was among the strongest. Below 0 it spoke against them.</p><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Words\"><table><thead><tr><th \
         scope=\"col\">Word</th><th scope=\"col\">Added to the score</th><th scope=\"col\" class=\"number\">Mean</th><th scope=\"col\" \
         class=\"number\">In so many</th></tr></thead><tbody>{rows}</tbody></table></div>",
        grouped(first)
    )
}

/// The pictures themselves.
fn pictures(seen: &PicturesSeen, addresses: &Addresses) -> String {
    if seen.first.is_empty() {
        return "<p>What drives the model is seen in the pictures themselves, which this page leaves out.</p>".to_string();
    }
    let covered: String = seen.covered.iter().map(|one| addresses.covered(one)).collect();
    let mut body = format!(
        "<h3>What it looks at</h3><p>The first pictures of the list, part by part: where one is <span class=\"swatch part c0\"></span>blue, covering it with \
         the mean color of the training pictures lowers the score, so it speaks for the picture; where it is <span class=\"swatch part c1\"></span>orange, covering it \
         raises the score. The stronger the color, the more it changes. Below each is its probability.</p><ul class=\"gallery large\">{covered}</ul>"
    );
    for (group, pictures) in &seen.groups {
        let (title, about) = match group {
            PictureGroup::AtCut => (
                "Between which it decides",
                "Pictures of the list on either side of the cut, the better first: the first half is called positive, the second half is not. Where you \
                 see no difference, the model sees little.",
            ),
            PictureGroup::Doubted => (
                "Labeled positive, and ranked low",
                "Labeled pictures that the model would not have found, the most doubtful first. Look whether their labels are right, and what they have \
                 in common.",
            ),
            PictureGroup::Last => ("Ranked last", "What the model takes for the clearest negatives."),
        };
        let _ = write!(body, "<h3>{title}</h3><p>{about}</p>{}", addresses.gallery(pictures));
    }
    body
}

/// Columns, or words by themselves.
fn columns(summary: &Summary) -> String {
    let importance = match &summary.importance {
        Ok(importance) => importance,
        Err(why) => return format!("<p>What drives the model was not measured: {}</p>", sentence(why)),
    };
    let thing = if summary.takes == "texts" { "word" } else { "column" };
    let against = match importance.against {
        Against::Negatives => "negatives",
        Against::Unlabeled => "unlabeled rows",
    };
    let most = importance.columns.iter().map(|one| one.lost.value.max(one.lost.high)).fold(1e-9, f64::max);
    let rows: String = importance
        .columns
        .iter()
        .take(BARS)
        .map(|one| {
            let Interval { value, low, high } = one.lost;
            let at = |x: f64| 100.0 * x.max(0.0) / most;
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"wide\"><svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" \
                 aria-hidden=\"true\"><title>{value:.4}</title><rect class=\"span c0\" y=\"1\" width=\"{:.2}\" height=\"8\"/><rect class=\"whisker\" x=\"{:.2}\" y=\"4.4\" \
                 width=\"{:.2}\" height=\"1.2\"/></svg></td><td class=\"number\">{value:.4}</td><td class=\"number range optional\">{}</td></tr>",
                cell(&one.column, NAME),
                at(value),
                at(low),
                at(high) - at(low),
                format!("{low:.4} to {high:.4}").replace('-', "−")
            )
        })
        .collect();
    let met = match summary.scored {
        HowScored::New => "",
        _ => " The model was fitted on these rows, so what it has learned by heart counts, too.",
    };
    let effects: String = summary.effects.iter().map(effect).collect();
    let effects = match effects.is_empty() {
        true => String::new(),
        false => format!(
            "<h3>How the first of them matter</h3><p>The mean probability of some rows with one column changed to each value and all others left alone; the \
             band holds the middle half of the rows. A column that stands for another one shares its effect.</p><div class=\"effects\">{effects}</div>"
        ),
    };
    format!(
        "<p>How much worse positives are told from {against} when the cells of one {thing} change places between rows (AUC lost; with all in \
         place it is {:.3}). Columns that say the same stand in for one another, and each seems to matter little.{met}</p><div class=\"scroll\" \
         tabindex=\"0\" role=\"region\" aria-label=\"Importance\"><table><thead><tr><th scope=\"col\">{}</th><th scope=\"col\">AUC \
         lost</th><th scope=\"col\" class=\"number\">Value</th><th scope=\"col\" class=\"number optional\">95 % \
         interval</th></tr></thead><tbody>{rows}</tbody></table></div>{effects}",
        importance.auc,
        if thing == "word" { "Word" } else { "Column" }
    )
}

fn effect(effect: &Effect) -> String {
    let name = short(&effect.column, NAME);
    let top = effect.points.iter().map(|point| point.half.1.max(point.mean)).fold(0.05, f64::max);
    let picture = if effect.is_number {
        let ends = (effect.points[0].at, effect.points[effect.points.len() - 1].at);
        let mut plot =
            Plot::new(&format!("Mean probability over {name}"), ends, (0.0, (1.1 * top).min(1.0)), false);
        let written: fn(f64) -> String = |x| {
            let text =
                if x.abs() >= 1e6 { format!("{x:.1e}") } else { format!("{}", (x * 1e4).round() / 1e4) };
            text.replace('-', "−")
        };
        plot.axes(&name, "probability", written, |y| format!("{:.0}\u{a0}%", 100.0 * y));
        plot.band(
            "c2",
            &effect.points.iter().map(|point| (point.at, point.half.0, point.half.1)).collect::<Vec<_>>(),
        );
        plot.line("c2", &effect.points.iter().map(|point| (point.at, point.mean)).collect::<Vec<_>>());
        let texts =
            effect.points.iter().map(|point| (point.at, format!("{}: {}", point.name, percent(point.mean))));
        plot.hovers(&texts.collect::<Vec<_>>());
        plot.svg()
    } else {
        let rows: String = effect
            .points
            .iter()
            .map(|point| {
                format!(
                    "<tr><th scope=\"row\">{}</th><td class=\"wide\"><svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" \
                     aria-hidden=\"true\"><rect class=\"span c2\" y=\"1\" width=\"{:.2}\" height=\"8\"/></svg></td><td class=\"number\">{}</td></tr>",
                    cell(&point.name, 28),
                    100.0 * point.mean / top,
                    percent(point.mean)
                )
            })
            .collect();
        format!(
            "<table class=\"levels\"><thead class=\"hidden\"><tr><th scope=\"col\">Value</th><th scope=\"col\">Bar</th><th scope=\"col\">Probability</th></tr></thead><tbody>{rows}</tbody></table>"
        )
    };
    format!("<figure><figcaption>{}</figcaption>{picture}</figure>", cell(&effect.column, NAME))
}
