//! Whether probabilities hold.

use super::with;
use crate::page::html::{grouped, percent};
use crate::page::plot::Plot;
use onesided::Summary;

pub(super) fn calibration(summary: &Summary) -> String {
    if summary.reliability.is_empty() {
        return "<p>Whether probabilities hold cannot be looked at here: it takes a share of positives, and labeled positives that the model has not \
                met.</p>"
            .to_string();
    }
    let groups = &summary.reliability;
    let mut plot = Plot::new(
        "Each point is a group of rows: to the right what the model said, upward what labeled positives say; on the dotted line they agree",
        (0.0, 1.0),
        (0.0, 1.0),
        false,
    );
    let written = |x: f64| format!("{:.0}\u{a0}%", 100.0 * x);
    plot.axes("mean probability that the model gives", "positives found", written, written);
    plot.line("blind", &[(0.0, 0.0), (1.0, 1.0)]);
    for one in groups {
        plot.point("c0", one.predicted, one.found.value, (one.found.low, one.found.high));
    }
    let texts = groups.iter().map(|one| {
        let text = format!(
            "{} rows: the model says {}, labeled positives say {}",
            grouped(one.rows),
            percent(one.predicted),
            percent(one.found.value)
        );
        (one.predicted, text)
    });
    plot.hovers(&texts.collect::<Vec<_>>());
    let rows: String = groups
        .iter()
        .rev()
        .map(|one| {
            let agrees = one.found.low <= one.predicted && one.predicted <= one.found.high;
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td>{}</td><td>{}</td></tr>",
                grouped(one.rows),
                percent(one.predicted),
                with(one.found),
                if agrees { "yes" } else { "no" }
            )
        })
        .collect();
    format!(
        "<p>The list in groups of neighbors. For each, the mean probability that the model gives, and what the labeled positives say with \
         the share that is assumed: a wrong share moves all points up or down together.</p><figure>{}</figure><details><summary>The same as a \
         table</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Probabilities\"><table><thead><tr><th scope=\"col\">Rows, the best \
         first</th><th scope=\"col\" class=\"number\">Model</th><th scope=\"col\">Labeled positives</th><th \
         scope=\"col\">Within the interval</th></tr></thead><tbody>{rows}</tbody></table></div></details>",
        plot.svg()
    )
}
