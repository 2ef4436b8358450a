//! How the page and its model were made.

use super::LISTED;
use crate::page::PageSettings;
use crate::page::html::{CELL, NAME, cell, escaped, grouped, short};
use onesided::Summary;
use onesided::data::Scenario;

pub(super) fn how(summary: &Summary, settings: &PageSettings) -> String {
    let model = &summary.model;
    let mut facts: Vec<(&str, String)> = vec![
        ("Command", format!("<code>{}</code>", escaped(&short(&settings.command, 400)))),
        ("Method", escaped(&model.method)),
        ("Objective", escaped(&short(&model.objective, 300))),
        ("Scores", escaped(&short(&model.model, 300))),
        ("Choice", escaped(&short(&model.choice, 500))),
        (
            "Rows were drawn as",
            match model.scenario {
                Scenario::SingleSample => "one sample, some of whose positives are labeled".to_string(),
                other => escaped(&other.to_string()),
            },
        ),
        (
            "Predicted positive from",
            format!("a probability of {:.4} ({})", model.threshold, escaped(&model.threshold_rule)),
        ),
        ("Predicted positive here", grouped(summary.predicted_positive)),
        ("Seed", model.seed.to_string()),
        ("Device", escaped(&model.device)),
        ("Version", escaped(&model.version)),
        ("Model", format!("<code>{}</code>", escaped(&model.fingerprint))),
    ];
    facts.extend(
        model.fitted_on.as_ref().map(|rows| ("Rows of the fit", format!("<code>{}</code>", escaped(rows)))),
    );
    facts.extend(model.threads.map(|threads| ("Threads", threads.to_string())));
    if model.reserve > 0 {
        facts.push(("Positives set aside", grouped(model.reserve)));
    }
    let list: String = facts
        .iter()
        .filter(|(_, value)| !value.is_empty() && value != "<code></code>")
        .map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>"))
        .collect();
    let given: String = model
        .settings
        .iter()
        .take(LISTED)
        .map(|(name, value)| {
            format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>", cell(name, NAME), cell(value, CELL))
        })
        .collect();
    let given = match given.is_empty() {
        true => String::new(),
        false => format!(
            "<details><summary>Settings</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Settings\"><table><thead><tr><th \
             scope=\"col\">Setting</th><th scope=\"col\">Value</th></tr></thead><tbody>{given}</tbody></table></div></details>"
        ),
    };
    format!("<dl class=\"facts\">{list}</dl>{given}")
}
