//! How many rows are positive, and what that rests on.

use super::with;
use crate::page::html::{escaped, grouped, percent, sentence};
use onesided::Summary;
use onesided::data::counted;
use std::fmt::Write;

pub(super) fn share(summary: &Summary) -> String {
    let mut body = String::new();
    match summary.share {
        Some(share) => {
            let from = match (share.audited, share.estimated) {
                (Some(answers), _) => format!("{} of an audit tell it", counted(answers, "answers")),
                (None, true) => "it was estimated from the rows".to_string(),
                (None, false) => "it was given".to_string(),
            };
            let _ = write!(
                body,
                "<p class=\"big\">{}</p><p>of the {} listed are taken to be positive; {from}.{}</p>",
                with(share.share),
                grouped(summary.rows),
                summary.positives.map_or_else(String::new, |(least, most)| format!(
                    " That makes about {} of them, {} to {} with the scatter of a single list.",
                    grouped((share.share.value * summary.rows as f64).round() as usize),
                    grouped(least),
                    grouped(most)
                ))
            );
        }
        None => body.push_str("<p>No share of positives is told for this list.</p>"),
    }
    if let Some(estimate) = &summary.model.prior_estimate {
        let mut rows = vec![("this model uses".to_string(), estimate.mu.get(), estimate.interval, "c0")];
        rows.extend(estimate.estimates.iter().map(|one| (one.estimator.clone(), one.mu, one.interval, "c4")));
        let body_rows: String = rows
            .iter()
            .map(|(name, mu, (low, high), class)| {
                let at = |share: f64| 100.0 * share.clamp(0.0, 1.0);
                format!(
                    "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number range optional\">{} to {}</td><td class=\"wide\"><svg \
                     class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><title>{mu:.4}</title><rect class=\"rail\" width=\"100\" \
                     height=\"1\" y=\"4.5\"/><rect class=\"span {class}\" x=\"{:.2}\" y=\"3\" width=\"{:.2}\" height=\"4\"/><rect class=\"tip {class}\" x=\"{:.2}\" \
                     width=\"1\" height=\"10\"/></svg></td></tr>",
                    escaped(name),
                    percent(*mu),
                    percent(*low),
                    percent(*high),
                    at(*low),
                    (at(*high) - at(*low)).max(0.3),
                    (at(*mu) - 0.5).clamp(0.0, 99.0)
                )
            })
            .collect();
        let bound = estimate.bound.map_or_else(String::new, |bound| {
            format!(
                "<p>The rows alone allow at most <b>{}</b>, whatever the classes are like.</p>",
                percent(bound)
            )
        });
        let why =
            estimate.assumed.as_ref().map_or_else(String::new, |why| format!("<p>{}</p>", sentence(why)));
        let agree = if estimate.agreement {
            "The estimators agree, which several of them can do and be wrong together."
        } else {
            "The estimators do not agree, which is common where positives and negatives overlap."
        };
        let _ = write!(
            body,
            "{bound}{why}<h3>What it rests on</h3><p>{agree} Shares are those of the unlabeled rows of the fit, from 0 to 100 %.</p><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Estimates of the share\"><table><thead><tr><th \
             scope=\"col\">Estimator</th><th scope=\"col\" class=\"number\">Share</th><th scope=\"col\" class=\"number optional\">Interval</th><th scope=\"col\">0 to 100 %</th></tr></thead><tbody>{body_rows}</tbody></table></div>"
        );
    }
    body.push_str("<p>An audit of some rows measures the share instead of guessing it: <code>onesided audit draw</code>.</p>");
    body
}
