//! What another share would change.

use super::{start, with};
use crate::page::html::{grouped, json_number, percent};
use crate::page::plot::Plot;
use onesided::{Along, Interval};

pub(super) fn wrong_share(along: &Along) -> String {
    let place = start(along);
    let at = &along.at[place];
    let own = along.share.map_or(0.0, |share| share.share.value);
    let first = along.shares.iter().position(|one| one.share == own).unwrap_or(0);
    let most = along.shares.last().map_or(1.0, |last| last.share);
    let mut plot = Plot::new(
        "Precision of the first rows rises with the share that is assumed",
        (0.0, most),
        (0.0, 1.0),
        false,
    );
    plot.axes(
        "share of positives in the list",
        "precision",
        |x| format!("{:.0}\u{a0}%", 100.0 * x),
        |y| format!("{:.0}\u{a0}%", 100.0 * y),
    );
    let told: Vec<(f64, Interval)> =
        along.shares.iter().filter_map(|one| Some((one.share, one.precision[place]?))).collect();
    plot.band("c1", &told.iter().map(|(share, told)| (*share, told.low, told.high)).collect::<Vec<_>>());
    let likely: Vec<(f64, f64)> = told
        .iter()
        .filter(|(_, told)| told.value.is_finite())
        .map(|(share, told)| (*share, told.value))
        .collect();
    plot.line("c1", &likely);
    let words = |(share, told): &(f64, Interval)| {
        let precision = match told.value.is_finite() {
            true => percent(told.value),
            false => format!("{} to {}", percent(told.low), percent(told.high)),
        };
        (*share, format!("if {} are positive: precision {precision}", percent(*share)))
    };
    plot.hovers(&told.iter().map(words).collect::<Vec<_>>());
    plot.marker("share-marker", own);
    let now = &along.shares[first];
    let shown = now.precision[place].map_or_else(|| "cannot be".to_string(), with);
    let rows: String = along
        .shares
        .iter()
        .enumerate()
        .filter(|(at, _)| at % 4 == 0)
        .map(|(at, one)| {
            format!(
                "<tr{}><th scope=\"row\">{}</th><td class=\"number\">{}</td><td>{}</td></tr>",
                if at == first { " class=\"own\"" } else { "" },
                percent(one.share),
                grouped(one.positives.round() as usize),
                one.precision[place].map_or_else(|| "cannot be".to_string(), with)
            )
        })
        .collect();
    format!(
        "<p>Recall and lift do not use the share of positives; precision and every count of positives do. This is what they would be with \
         another share, for the rows chosen above.</p><figure>{}<figcaption>Drawn for the first {} rows. Where the line ends, all of them would be positive; where the band ends, no larger share fits the labels.</figcaption></figure><div class=\"slider\"><label for=\"share-slider\">Share of positives in the \
         list</label><input type=\"range\" id=\"share-slider\" min=\"0\" max=\"{}\" value=\"{first}\" aria-valuetext=\"{}\"></div><dl class=\"numbers\" \
         aria-live=\"polite\"><div><dt>share assumed</dt><dd><output id=\"share-value\" for=\"share-slider\" data-value=\"{}\">{}</output></dd></div><div><dt>positives in the \
         list</dt><dd><output id=\"share-positives\" for=\"share-slider\" data-value=\"{}\">{}</output></dd></div><div><dt>of the first <span id=\"share-rows\">{}</span> \
         rows positive</dt><dd><output id=\"share-precision\" for=\"share-slider cut\" data-value=\"{}\">{shown}</output></dd></div></dl><details><summary>The same as a table</summary><div class=\"scroll\" \
         tabindex=\"0\" role=\"region\" aria-label=\"Other shares\"><table><thead><tr><th scope=\"col\">Share</th><th scope=\"col\" class=\"number\">Positives in the \
         list</th><th scope=\"col\">Precision of the first {}</th></tr></thead><tbody>{rows}</tbody></table></div></details>",
        plot.svg(),
        grouped(at.rows),
        along.shares.len() - 1,
        percent(own),
        json_number(now.share),
        percent(now.share),
        json_number(now.positives),
        grouped(now.positives.round() as usize),
        grouped(at.rows),
        json_number(now.precision[place].map_or(f64::NAN, |told| told.value)),
        grouped(at.rows),
    )
}
