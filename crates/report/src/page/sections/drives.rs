//! What drives the model.

use crate::page::html::{NAME, cell, percent, sentence, short};
use crate::page::plot::Plot;
use onesided::{Against, Effect, HowScored, Interval, Summary};

/// Columns in the picture of what drives the model.
const BARS: usize = 15;

pub(super) fn drives(summary: &Summary) -> String {
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
                 width=\"{:.2}\" height=\"1.2\"/></svg></td><td class=\"number\">{value:.4}</td><td class=\"number range\">{low:.4} to {high:.4}</td></tr>",
                cell(&one.column, NAME),
                at(value),
                at(low),
                at(high) - at(low)
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
         lost</th><th scope=\"col\" class=\"number\">Value</th><th scope=\"col\" class=\"number\">95 % \
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
