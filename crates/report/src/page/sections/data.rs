//! What the sliders look up.

use super::along::review_plot;
use crate::page::html::{json_number, json_text};
use crate::page::plot::Plot;
use onesided::{AtTop, Interval, Summary};

/// What the sliders look up.
pub(in crate::page) fn data(summary: &Summary) -> String {
    let Ok(along) = &summary.along else { return "{}".to_string() };
    let numbers = |all: &mut dyn Iterator<Item = f64>| {
        format!("[{}]", all.map(json_number).collect::<Vec<_>>().join(","))
    };
    let told = |interval: Option<Interval>| match interval {
        Some(Interval { value, low, high }) => numbers(&mut [value, low, high].into_iter()),
        None => "null".to_string(),
    };
    let plot = review_plot(along);
    let of = |at: &AtTop| {
        format!(
            "{{\"rows\":{},\"x\":{},\"recall\":{},\"precision\":{},\"positives\":{},\"lift\":{}}}",
            at.rows,
            json_number(plot.x(at.rows as f64)),
            told(Some(at.recall)),
            told(at.precision),
            told(at.positives),
            told(Some(at.lift))
        )
    };
    let cuts: Vec<String> = along.at.iter().map(of).collect();
    let most = along.shares.last().map_or(1.0, |last| last.share);
    let shares_plot = Plot::new("", (0.0, most), (0.0, 1.0), false);
    let shares: Vec<String> = along
        .shares
        .iter()
        .map(|one| {
            let precision: Vec<String> = one.precision.iter().map(|one| told(*one)).collect();
            format!(
                "{{\"share\":{},\"x\":{},\"positives\":{},\"precision\":[{}]}}",
                json_number(one.share),
                json_number(shares_plot.x(one.share)),
                json_number(one.positives),
                precision.join(",")
            )
        })
        .collect();
    let promised = along.promises.iter().position(|one| one.recall == 0.9);
    let odds: Vec<String> = along
        .odds
        .iter()
        .map(|one| {
            let recall: Vec<String> =
                one.recall.iter().map(|one| numbers(&mut [one.low, one.high].into_iter())).collect();
            let rows =
                promised.and_then(|at| one.rows[at]).map_or("null".to_string(), |rows| rows.to_string());
            format!(
                "{{\"odds\":{},\"rows\":{rows},\"recall\":[{}]}}",
                json_number(one.odds),
                recall.join(",")
            )
        })
        .collect();
    format!(
        "{{\"of\":{},\"place\":{},\"cuts\":[{}],\"shares\":[{}],\"odds\":[{}],\"name\":{}}}",
        summary.rows,
        json_text(&summary.place),
        cuts.join(","),
        shares.join(","),
        odds.join(","),
        json_text("first-rows.csv")
    )
}
