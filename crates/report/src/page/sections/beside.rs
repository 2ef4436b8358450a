//! The model next to doing less.

use crate::page::html::{escaped, sentence};
use onesided::Summary;
use onesided::data::counted;
use std::fmt::Write;

pub(super) fn beside(summary: &Summary) -> String {
    let model = &summary.model;
    if model.beside.is_empty() && model.metrics.is_empty() {
        return "<p>The fit measured nothing to compare with.</p>".to_string();
    }
    let mut body = String::new();
    if !model.beside.is_empty() {
        // Without a share of positives there is no accuracy to tell.
        let told = model.beside.iter().any(|one| one.accuracy.is_some());
        let only_told = |text: String| if told { text } else { String::new() };
        let number = |x: Option<f64>| x.map_or_else(|| "–".to_string(), |x| format!("{x:.4}"));
        let rows: String = model
            .beside
            .iter()
            .map(|one| {
                format!(
                    "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td>{}</tr>",
                    escaped(&one.name),
                    number(one.auc),
                    only_told(format!("<td class=\"number\">{}</td>", number(one.accuracy)))
                )
            })
            .collect();
        let _ = write!(
            body,
            "<p>On rows that were held out when it was fitted. <em>naive</em> takes every unlabeled row for a negative; <em>all \
             negative</em> calls no row positive, which is often right where positives are rare and never useful.</p><div \
             class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of the alternatives\"><table><thead><tr><th \
             scope=\"col\">What</th><th scope=\"col\" class=\"number\">AUC against unlabeled rows</th>{}</tr></thead><tbody>{rows}</tbody></table></div>",
            only_told("<th scope=\"col\" class=\"number\">Accuracy, if the share is right</th>".to_string())
        );
    }
    if !model.metrics.is_empty() {
        let rows: String = model
            .metrics
            .iter()
            .map(|(name, told)| {
                format!(
                    "<tr><th scope=\"row\">{}</th><td class=\"number\">{:.4}</td><td class=\"number\">{:.4} to {:.4}</td></tr>",
                    escaped(name),
                    told.value,
                    told.low,
                    told.high
                )
            })
            .collect();
        let by = match model.answers {
            Some(answers) => format!("measured on {} of an audit", counted(answers, "answers")),
            None => "estimated without negatives, if labels are a random sample of the positives".to_string(),
        };
        let _ = write!(
            body,
            "<details><summary>All metrics of its decisions on held-out rows</summary><p>{}</p><div class=\"scroll\" tabindex=\"0\" role=\"region\" \
             aria-label=\"Metrics\"><table><thead><tr><th scope=\"col\">Metric</th><th scope=\"col\" class=\"number\">Value</th><th \
             scope=\"col\" class=\"number\">95 % interval</th></tr></thead><tbody>{rows}</tbody></table></div></details>",
            sentence(&by)
        );
    }
    body
}
