//! How far to read: what a reader of the list may count on at some places of it.

use super::{start, things, times, with};
use crate::page::html::{escaped, grouped, json_number, percent, sentence};
use crate::page::plot::Plot;
use onesided::data::counted;
use onesided::{Along, AtTop, Interval, Promised, Summary};

fn outputs(at: &AtTop) -> String {
    let item = |name: &str, id: &str, value: f64, shown: String| {
        format!(
            "<div><dt>{name}</dt><dd><output id=\"{id}\" for=\"cut\" data-value=\"{}\">{shown}</output></dd></div>",
            json_number(value)
        )
    };
    let precision = at.precision.map_or_else(|| "not known".to_string(), with);
    let positives = at.positives.map_or_else(|| "not known".to_string(), count);
    [
        item(
            "rows to read",
            "cut-rows",
            at.rows as f64,
            format!(
                "{} <span class=\"range\">({})</span>",
                grouped(at.rows),
                percent(at.rows as f64 / at.of as f64)
            ),
        ),
        item("of all positives found (recall)", "cut-recall", at.recall.value, with(at.recall)),
        item(
            "of the rows read positive (precision)",
            "cut-precision",
            at.precision.map_or(f64::NAN, |told| told.value),
            precision,
        ),
        item(
            "positives among them",
            "cut-positives",
            at.positives.map_or(f64::NAN, |told| told.value),
            positives,
        ),
        item("times better than blind (lift)", "cut-lift", at.lift.value, times(at.lift)),
    ]
    .concat()
}

fn count(Interval { value, low, high }: Interval) -> String {
    let whole = |x: f64| grouped(x.max(0.0).round() as usize);
    match value.is_finite() {
        true => format!("{} <span class=\"range\">({} to {})</span>", whole(value), whole(low), whole(high)),
        false => format!("{} to {}", whole(low), whole(high)),
    }
}

/// A list whose interesting part is at its start is drawn by ratios.
fn by_ratios(along: &Along) -> bool {
    let at = &along.at[along.most];
    (at.rows as f64) < 0.1 * at.of as f64
}

pub(super) fn review_plot(along: &Along) -> Plot {
    let all = &along.at;
    let ratios = by_ratios(along);
    let end = all[all.len() - 1].rows as f64;
    let from = if ratios { all[0].rows as f64 } else { 0.0 };
    let mut plot = Plot::new(
        "Two lines along the list: recall rises and precision falls the more rows are read; numbers are in the table below",
        (from, end),
        (0.0, 1.0),
        ratios,
    );
    plot.axes(
        "rows read from the top",
        "share",
        |x| grouped(x.round() as usize),
        |y| format!("{:.0}\u{a0}%", 100.0 * y),
    );
    let recall: Vec<(f64, f64, f64)> =
        all.iter().map(|at| (at.rows as f64, at.recall.low, at.recall.high)).collect();
    plot.band("c0", &recall);
    let told: Vec<(&AtTop, Interval)> = all.iter().filter_map(|at| Some((at, at.precision?))).collect();
    let precision: Vec<(f64, f64, f64)> =
        told.iter().map(|(at, told)| (at.rows as f64, told.low, told.high)).collect();
    plot.band("c1", &precision);
    if !ratios {
        plot.line("blind", &[(0.0, 0.0), (end, 1.0)]);
    }
    plot.line("c0", &all.iter().map(|at| (at.rows as f64, at.recall.value)).collect::<Vec<_>>());
    let values: Vec<(f64, f64)> = told
        .iter()
        .filter(|(_, told)| told.value.is_finite())
        .map(|(at, told)| (at.rows as f64, told.value))
        .collect();
    plot.line("c1 dashed", &values);
    let texts = all.iter().map(|at| {
        let precision =
            at.precision.map_or_else(String::new, |told| format!(", precision {}", percent(told.value)));
        let text = format!(
            "{} rows: recall {}{precision}, lift {:.2}",
            grouped(at.rows),
            percent(at.recall.value),
            at.lift.value
        );
        (at.rows as f64, text)
    });
    plot.hovers(&texts.collect::<Vec<_>>());
    plot
}

pub(super) fn review(summary: &Summary) -> String {
    let along = match &summary.along {
        Ok(along) => along,
        Err(why) => {
            return format!("<p class=\"withheld\">Nothing is told along the list: {}</p>", sentence(why));
        }
    };
    let first = start(along);
    let mut plot = review_plot(along);
    plot.marker("cut-marker", along.at[first].rows as f64);
    let legend = format!(
        "<ul class=\"legend\"><li><span class=\"swatch c0\"></span>recall: of all positives, how many are found</li>{}{}</ul>",
        if along.share.is_some() {
            "<li><span class=\"swatch c1\"></span>precision: of the rows read, how many are positive</li>"
        } else {
            ""
        },
        if by_ratios(along) {
            ""
        } else {
            "<li><span class=\"swatch blind\"></span>recall of reading blindly</li>"
        },
    );
    // About ten places are enough to read without a script.
    let step = along.at.len().div_ceil(10);
    let chosen = |(at, _): &(usize, &AtTop)| {
        at % step == step - 1 || Some(*at) == along.decided || *at == along.at.len() - 1
    };
    let rows: String = along
        .at
        .iter()
        .enumerate()
        .filter(chosen)
        .map(|(place, at)| {
            format!(
                "<tr{}><th scope=\"row\">{}{}</th><td>{}</td><td>{}</td><td>{}</td></tr>",
                if Some(place) == along.decided { " class=\"own\"" } else { "" },
                grouped(at.rows),
                if Some(place) == along.decided { " (the model's own cut)" } else { "" },
                with(at.recall),
                at.precision.map_or_else(|| "–".to_string(), with),
                times(at.lift)
            )
        })
        .collect();
    format!(
        "<p>Move the slider to see what reading so many {} from the top of the list finds; it starts at {}. All of it rests on {} whose labels were \
         not used to rank {}, and holds if labels are a random sample of the positives. Ranges are 95 % intervals.</p>\
         <figure>{legend}{}</figure>\
         <div class=\"slider\"><label for=\"cut\">Rows to read</label><input type=\"range\" id=\"cut\" min=\"0\" max=\"{}\" value=\"{first}\" \
         aria-valuetext=\"{} rows\"></div><dl class=\"numbers\" aria-live=\"polite\">{}</dl>{}\
         <details><summary>The same as a table</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Along the list\"><table><thead><tr><th \
         scope=\"col\">First rows</th><th scope=\"col\">Recall</th><th scope=\"col\">Precision</th><th \
         scope=\"col\">Lift</th></tr></thead><tbody>{rows}</tbody></table></div></details>",
        things(summary),
        if along.decided.is_some() { "those that the model calls positive" } else { "nine of ten positives" },
        escaped(&counted(along.positives, "positives")),
        if along.positives == 1 { "it" } else { "them" },
        plot.svg(),
        along.at.len() - 1,
        grouped(along.at[first].rows),
        outputs(&along.at[first]),
        promises(along)
    )
}

fn promises(along: &Along) -> String {
    if along.promises.is_empty() {
        return "<p>A promise (“at least 90 % of the positives, with 95 % confidence”) needs positives that took no part in fitting: fit with \
                <code>--reserve</code>.</p>"
            .to_string();
    }
    let new = match along.promises_of_new_rows {
        true => {
            " The rows of this list were ranked out of fold, and the positives by the finished model, so this holds for new rows like them."
        }
        false => "",
    };
    let rows: String = along
        .promises
        .iter()
        .map(|one| match &one.review {
            Ok(review) => {
                let file = match &review.this_file_by_share {
                    Some(Promised::Made(promise)) => grouped(promise.rows),
                    _ => "–".to_string(),
                };
                format!(
                    "<tr><th scope=\"row\">at least {}</th><td class=\"number\">{}</td><td class=\"number\">{file}</td></tr>",
                    percent(one.recall),
                    grouped(review.population.rows)
                )
            }
            Err(why) => {
                format!("<tr><th scope=\"row\">at least {}</th><td class=\"text\" colspan=\"2\">{}</td></tr>", percent(one.recall), sentence(why))
            }
        })
        .collect();
    format!(
        "<h3>What is promised</h3><p>How many rows to read so that at least so many of the positives are found, with 95 % confidence and if \
         labels are a random sample of the positives.{new}</p><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Promises\"><table><thead><tr><th \
         scope=\"col\">Of the positives</th><th scope=\"col\" class=\"number\">of all like them: rows</th><th scope=\"col\" class=\"number\">in this \
         file: rows</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )
}
