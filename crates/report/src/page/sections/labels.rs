//! What labels that favor some positives would change.

use super::start;
use crate::page::html::{grouped, json_number, percent};
use onesided::Along;

pub(super) fn labels(along: &Along) -> String {
    let place = start(along);
    let at = &along.at[place];
    let promised = along.promises.iter().position(|one| one.recall == 0.9);
    let rows_of = |rows: Option<usize>| rows.map_or_else(|| "no number is enough".to_string(), grouped);
    let rows: String = along
        .odds
        .iter()
        .map(|one| {
            let promise = promised.map_or_else(String::new, |at| {
                format!("<td class=\"number\">{}</td>", rows_of(one.rows[at]))
            });
            format!(
                "<tr><th scope=\"row\">{}</th><td>{} to {}</td>{promise}</tr>",
                one.odds,
                percent(one.recall[place].low),
                percent(one.recall[place].high)
            )
        })
        .collect();
    let header = promised.map_or(
        "",
        |_| "<th scope=\"col\" class=\"number\">Rows for at least 90 %, with 95 % confidence</th>",
    );
    let promise = promised.map_or_else(String::new, |at| {
        format!(
            "<div><dt>rows to read for at least 90 % of the positives</dt><dd><output id=\"odds-rows\" for=\"odds-slider\" data-value=\"{}\">{}</output></dd></div>",
            along.odds[0].rows[at].map_or("null".to_string(), |rows| rows.to_string()),
            rows_of(along.odds[0].rows[at])
        )
    });
    let now = &along.odds[0].recall[place];
    format!(
        "<p>Everything above holds if labels are a random sample of the positives. Say instead that some positives are more likely to be \
         labeled than others, in odds by at most the factor chosen here: 1 is random labels, 2 means one positive may be twice as likely as \
         another. Precision and counts are not told then, since the share of positives is learned from the labels too.</p><div \
         class=\"slider\"><label for=\"odds-slider\">How much labels may favor some positives</label><input type=\"range\" id=\"odds-slider\" min=\"0\" max=\"{}\" \
         value=\"0\" aria-valuetext=\"1\"></div><dl class=\"numbers\" aria-live=\"polite\"><div><dt>odds of being labeled differ by at most</dt><dd><output \
         id=\"odds-value\" for=\"odds-slider\" data-value=\"1\">1 <span class=\"range\">(random)</span></output></dd></div><div><dt>of all positives in the first <span \
         id=\"odds-cut\">{}</span> rows</dt><dd><output id=\"odds-recall\" for=\"odds-slider cut\" data-low=\"{}\" data-high=\"{}\">{} to {}</output></dd></div>{promise}</dl><details><summary>The same as a table</summary><div \
         class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Labeling odds\"><table><thead><tr><th scope=\"col\">Odds differ by at most</th><th \
         scope=\"col\">Recall of the first {}</th>{header}</tr></thead><tbody>{rows}</tbody></table></div></details>",
        along.odds.len() - 1,
        grouped(at.rows),
        json_number(now.low),
        json_number(now.high),
        percent(now.low),
        percent(now.high),
        grouped(at.rows),
    )
}
