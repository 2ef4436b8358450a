//! The parts of a page, in the order they are read in.

use super::PageSettings;
use super::html::{CELL, NAME, cell, escaped, grouped, json_number, json_text, percent, sentence, short};
use super::plot::Plot;
use onesided::data::{Scenario, counted};
use onesided::{
    Against, Along, Assumed, Assumption, AtTop, Check, Effect, HowScored, Interval, Level, ListedRow,
    Promised, State, Summary,
};
use std::fmt::Write;

/// Columns of the table next to each of the first rows.
const COLUMNS: usize = 6;
/// Columns, findings and settings that are listed.
const LISTED: usize = 120;
/// Columns in the picture of what drives the model.
const BARS: usize = 15;

/// A part with its heading.
pub(super) struct Part {
    pub id: &'static str,
    pub title: &'static str,
    pub body: String,
}

pub(super) fn all(summary: &Summary, settings: &PageSettings) -> Vec<Part> {
    let part = |id, title, body| Part { id, title, body };
    let mut parts = vec![
        part("verdict", "In short", verdict(summary)),
        part("beside", "Compared with doing less", beside(summary)),
        part("scores", "How the scores fall", scores(summary)),
        part("share", "How many are positive", share(summary)),
        part("review", "How far to read", review(summary)),
    ];
    if let Ok(along) = &summary.along {
        if !along.shares.is_empty() {
            parts.push(part("wrong-share", "If the share is wrong", wrong_share(along)));
        }
        parts.push(part("labels", "If labels favor some positives", labels(along)));
    }
    parts.push(part("calibration", "Whether probabilities hold", calibration(summary)));
    parts.push(part("checks", "What was checked", checks(summary)));
    parts.push(part("drives", "What drives the model", drives(summary)));
    parts.push(part("read", "What was read", read(summary)));
    parts.push(part("rows", "The first rows", rows(summary)));
    parts.push(part("settings", "How it was made", how(summary, settings)));
    parts
}

/// The top of the page.
pub(super) fn head(summary: &Summary) -> String {
    let name = summary.place.rsplit(['/', '\\']).next().unwrap_or(&summary.place);
    let rows = match summary.has_rows() {
        true => {
            "<p class=\"private\"><strong>This page contains rows of the table.</strong> Send it only to people who may see them. \
                 It loads nothing from anywhere and sends nothing.</p>"
        }
        false => {
            "<p class=\"private\">This page contains no rows of the table, but names of columns and values of some. It loads nothing from anywhere \
                  and sends nothing.</p>"
        }
    };
    format!(
        "<header><p class=\"kind\">onesided · report</p><h1>What is hidden in {}</h1><p class=\"lead\">{} listed, ranked by a model \
         that learned from {} known to be positive and {} without a label.</p>{rows}</header>",
        cell(name, 80),
        escaped(&counted(summary.rows, things(summary))),
        escaped(&counted(summary.model.counts.positive, things(summary))),
        grouped(summary.model.counts.unlabeled),
    )
}

fn things(summary: &Summary) -> &'static str {
    if summary.takes == "tables" { "rows" } else { summary.takes }
}

/// `90.1 % (86.0 % to 93.2 %)`.
fn with(Interval { value, low, high }: Interval) -> String {
    match low < high {
        true if value.is_finite() => {
            format!("{} <span class=\"range\">({} to {})</span>", percent(value), percent(low), percent(high))
        }
        true => format!("{} to {}", percent(low), percent(high)),
        false => percent(value),
    }
}

fn times(Interval { value, low, high }: Interval) -> String {
    format!("{value:.2} <span class=\"range\">({low:.2} to {high:.2})</span>")
}

/// The place of a list that a page begins with: the model's own cut, or nine of ten positives.
fn start(along: &Along) -> usize {
    along.decided.unwrap_or(along.most)
}

fn badge(state: State) -> String {
    let (class, word) = match state {
        State::Holds => ("holds", "holds"),
        State::Unknown => ("unknown", "unknown"),
        State::Fails => ("fails", "fails"),
        State::Audited => ("audited", "audited"),
    };
    format!("<span class=\"badge {class}\">{word}</span>")
}

fn assumed(what: Assumed) -> &'static str {
    match what {
        Assumed::RandomLabels => "Labels are a random sample of the positives",
        Assumed::Share => "The share of positives is right",
        Assumed::LikeTraining => "The rows are like those of training",
        Assumed::NotMet => "Each row is scored by a model that has not met it",
        _ => "Something else",
    }
}

fn verdict(summary: &Summary) -> String {
    let things = things(summary);
    let counts = summary.model.counts;
    let mut lines = vec![format!(
        "<b>Learned from</b> {} known to be positive and {} without a label, by the method {}.",
        escaped(&counted(counts.positive, things)),
        grouped(counts.unlabeled),
        escaped(&summary.model.method)
    )];
    lines.push(match (summary.share, summary.positives) {
        (Some(share), Some((least, most))) => format!(
            "<b>Probably positive</b>: about {} of the {} listed ({}), and between {} and {} of them as far as is known.",
            grouped((share.share.value * summary.rows as f64).round() as usize),
            grouped(summary.rows),
            percent(share.share.value),
            grouped(least),
            grouped(most)
        ),
        _ => format!("<b>Probably positive</b>: how many of the {} listed are is not known.", grouped(summary.rows)),
    });
    lines.push(match &summary.along {
        Ok(along) => {
            let at = &along.at[along.most];
            let precision = at
                .precision
                .filter(|told| told.value.is_finite())
                .map_or_else(String::new, |told| format!(", and about {:.0} of 100 read are", 100.0 * told.value));
            format!(
                "<b>How far to read</b>: the first {} ({} of the list) hold about {} of all positives{precision}.",
                grouped(at.rows),
                percent(at.rows as f64 / at.of as f64),
                percent(at.recall.value)
            )
        }
        Err(why) => format!("<b>How far to read</b> is not told: {}", sentence(why)),
    });
    lines.push(better(summary));
    let open: Vec<&Assumption> = summary.assumptions.iter().filter(|one| one.state == State::Fails).collect();
    let unknown = summary.assumptions.iter().filter(|one| one.state == State::Unknown).count();
    lines.push(match (open.first(), unknown) {
        (Some(first), _) => format!(
            "<b>What it rests on</b> <em>fails</em>: {}. Do not use the numbers before that is cleared up.",
            decapitalized(assumed(first.what))
        ),
        (None, 0) => "<b>What it rests on</b> was looked at, and nothing speaks against it.".to_string(),
        (None, unknown) => format!(
            "<b>What it rests on</b>: {} cannot be seen in the rows. Having some rows checked by a person \
             (<code>onesided audit</code>) settles {}.",
            if unknown == 1 { "one assumption".to_string() } else { format!("{unknown} assumptions") },
            if unknown == 1 { "it" } else { "them" },
        ),
    });
    let lines: String = lines.iter().map(|line| format!("<li>{line}</li>")).collect();
    let rows: String = summary
        .assumptions
        .iter()
        .map(|one| {
            format!(
                "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"text\">{}</td></tr>",
                assumed(one.what),
                badge(one.state),
                sentence(&one.why)
            )
        })
        .collect();
    format!(
        "<ol class=\"verdict\">{lines}</ol><h3>What is assumed</h3><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of assumptions\"><table><thead><tr><th \
         scope=\"col\">Assumption</th><th scope=\"col\">State</th><th scope=\"col\">Why</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

fn decapitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// The model next to `naive`, by how well they rank.
fn better(summary: &Summary) -> String {
    let of = |wanted: &str| {
        summary
            .model
            .beside
            .iter()
            .find(|one| one.name == wanted)
            .and_then(|one| Some((one.auc?, one.name.clone())))
    };
    let naive = of("naive");
    let ours = summary.model.beside.iter().find(|one| one.name != "naive" && one.auc.is_some());
    match (ours.and_then(|one| one.auc), naive, &summary.along) {
        (Some(ours), Some((naive, _)), _) if naive > ours + 0.000_5 => format!(
            "<b>Better than chance</b>, but <em>treating every unlabeled row as negative (naive) ranks better</em>: AUC {naive:.3} against \
             {ours:.3} of this model."
        ),
        (Some(ours), Some((naive, _)), _) => format!(
            "<b>Better than doing less</b>: labeled positives rank above unlabeled rows {} of the time; treating every unlabeled row as negative \
             (naive) gets {}, and guessing 50\u{a0}%.",
            percent(ours),
            percent(naive)
        ),
        (_, _, Ok(along)) => {
            let at = &along.at[start(along)];
            format!(
                "<b>Better than chance</b>: the first {} hold {:.1} times as many positives as rows picked blindly ({:.1} to {:.1}).",
                grouped(at.rows),
                at.lift.value,
                at.lift.low,
                at.lift.high
            )
        }
        _ => "<b>Better than chance</b>? These rows cannot tell.".to_string(),
    }
}

fn beside(summary: &Summary) -> String {
    let model = &summary.model;
    if model.beside.is_empty() && model.metrics.is_empty() {
        return "<p>The fit measured nothing to compare with.</p>".to_string();
    }
    let mut body = String::new();
    if !model.beside.is_empty() {
        let number = |x: Option<f64>| x.map_or_else(|| "–".to_string(), |x| format!("{x:.4}"));
        let rows: String = model
            .beside
            .iter()
            .map(|one| {
                format!(
                    "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>",
                    escaped(&one.name),
                    number(one.auc),
                    number(one.accuracy)
                )
            })
            .collect();
        let _ = write!(
            body,
            "<p>On rows that were held out when it was fitted. <em>naive</em> takes every unlabeled row for a negative; <em>all \
             negative</em> calls no row positive, which is often right where positives are rare and never useful.</p><div \
             class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of the alternatives\"><table><thead><tr><th \
             scope=\"col\">What</th><th scope=\"col\" class=\"number\">AUC against unlabeled rows</th><th scope=\"col\" class=\"number\">Accuracy, \
             if the share is right</th></tr></thead><tbody>{rows}</tbody></table></div>"
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

fn scores(summary: &Summary) -> String {
    let Some(bins) = &summary.scores else {
        return "<p>No row is listed, so there are no scores to show.</p>".to_string();
    };
    let of = |counts: &[usize]| -> Vec<f64> {
        let all = counts.iter().sum::<usize>().max(1) as f64;
        counts.iter().map(|&count| count as f64 / all).collect()
    };
    let (positive, listed) = (of(&bins.positive), of(&bins.listed));
    let has_positive = bins.positive.iter().any(|&count| count > 0);
    let like: Vec<f64> = summary
        .share
        .filter(|_| has_positive)
        .map_or_else(Vec::new, |share| positive.iter().map(|&height| share.share.value * height).collect());
    let highest = positive.iter().chain(&listed).copied().fold(0.0, f64::max);
    let (low, high) = (bins.ends[0], bins.ends[bins.ends.len() - 1]);
    let mut plot = Plot::new(
        "Two shapes over the score: labeled positives lie to the right of listed rows; under the latter the part that is assumed to be positive",
        (low, high),
        (0.0, 1.08 * highest),
        false,
    );
    plot.axes(
        "score (logit: 0 is a probability of one half)",
        "share of rows",
        |x| format!("{x:.0}").replace('-', "−"),
        percent,
    );
    plot.columns("area listed", &bins.ends, &listed);
    if !like.is_empty() {
        plot.columns("area like", &bins.ends, &like);
    }
    if has_positive {
        plot.columns("outline positive", &bins.ends, &positive);
    }
    for (at, pair) in bins.ends.windows(2).enumerate() {
        let text = format!(
            "score {:.2} to {:.2}: {} listed, {} labeled positive",
            pair[0],
            pair[1],
            grouped(bins.listed[at]),
            grouped(bins.positive[at])
        );
        plot.hover(pair[0], pair[1], &text);
    }
    let legend = format!(
        "<ul class=\"legend\"><li><span class=\"swatch listed\"></span>rows of the list</li>{}{}</ul>",
        if has_positive { "<li><span class=\"swatch positive\"></span>labeled positives</li>" } else { "" },
        if like.is_empty() {
            ""
        } else {
            "<li><span class=\"swatch like\"></span>what is assumed to be positive among the listed</li>"
        }
    );
    let by = match summary.scored {
        HowScored::OutOfFold(_) => "All of them are scores by models that had not met the row.",
        HowScored::InSample => {
            "The model was fitted on these rows, so the two lie further apart than for new rows."
        }
        HowScored::New => "The model was not fitted on these rows.",
    };
    format!(
        "<p>The further the labeled positives lie to the right of the listed rows, the better the model tells them apart. {by}</p>\
         <figure>{legend}{}<figcaption>Each shape adds up to 100 %. The darker part is the shape of the labeled positives, as large as the \
         assumed share: it should fit under the listed rows.</figcaption></figure>",
        plot.svg()
    )
}

fn share(summary: &Summary) -> String {
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
                "<p class=\"big\">{}</p><p>of the {} listed are taken to be positive; {from}.</p>",
                with(share.share),
                grouped(summary.rows)
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
                    "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number range\">{} to {}</td><td class=\"wide\"><svg \
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
             scope=\"col\">Estimator</th><th scope=\"col\" class=\"number\">Share</th><th scope=\"col\" class=\"number\">Interval</th><th scope=\"col\">0 to 100 %</th></tr></thead><tbody>{body_rows}</tbody></table></div>"
        );
    }
    body.push_str("<p>An audit of some rows measures the share instead of guessing it: <code>onesided audit draw</code>.</p>");
    body
}

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

fn review_plot(along: &Along) -> Plot {
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

fn review(summary: &Summary) -> String {
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
        "<p>Move the slider to see what reading so many rows from the top of the list finds. All of it rests on {} whose labels were \
         not used to rank {}, and holds if labels are a random sample of the positives. Ranges are 95 % intervals.</p>\
         <figure>{legend}{}</figure>\
         <div class=\"slider\"><label for=\"cut\">Rows to read</label><input type=\"range\" id=\"cut\" min=\"0\" max=\"{}\" value=\"{first}\" \
         aria-valuetext=\"{} rows\"></div><dl class=\"numbers\" aria-live=\"polite\">{}</dl>{}\
         <details><summary>The same as a table</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Along the list\"><table><thead><tr><th \
         scope=\"col\">First rows</th><th scope=\"col\">Recall</th><th scope=\"col\">Precision</th><th \
         scope=\"col\">Lift</th></tr></thead><tbody>{rows}</tbody></table></div></details>",
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

fn wrong_share(along: &Along) -> String {
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
    plot.line("c1", &told.iter().map(|(share, told)| (*share, told.value)).collect::<Vec<_>>());
    plot.hovers(
        &told
            .iter()
            .map(|(share, told)| {
                (*share, format!("if {} are positive: precision {}", percent(*share), percent(told.value)))
            })
            .collect::<Vec<_>>(),
    );
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
         another share, for the rows chosen above.</p><figure>{}<figcaption>For the first {} rows. Where the line ends, no larger share is possible.</figcaption></figure><div class=\"slider\"><label for=\"share-slider\">Share of positives in the \
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

fn labels(along: &Along) -> String {
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

fn calibration(summary: &Summary) -> String {
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

fn checks(summary: &Summary) -> String {
    if summary.checks.is_empty() {
        return "<p>Columns that tell too much, copies of labeled rows, dates at which labels stop, columns that hold something else than in \
                training: nothing was found.</p>"
            .to_string();
    }
    let item = |check: &Check| {
        let (class, word) = match check.level {
            Level::Fails => ("fails", "stop"),
            Level::Warning => ("unknown", "look"),
            Level::Note => ("note", "note"),
        };
        format!("<li><span class=\"badge {class}\">{word}</span><span>{}</span></li>", sentence(&check.text))
    };
    let items: String = summary.checks.iter().take(LISTED).map(item).collect();
    let more = match summary.checks.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("<p>and {more} more</p>"),
    };
    format!(
        "<p>What reading and fitting came upon: columns that tell too much, copies of labeled rows, dates at which labels stop, columns that \
         hold something else than in training.</p><ul class=\"checks\">{items}</ul>{more}"
    )
}

fn drives(summary: &Summary) -> String {
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

fn read(summary: &Summary) -> String {
    let mut body = format!(
        "<p>Read from {}: {} listed{}.</p>",
        cell(&summary.place, CELL),
        escaped(&counted(summary.rows, things(summary))),
        match &summary.fitted {
            Some(fitted) if fitted.left_out > 0 =>
                format!(", {} left out because they are labeled", grouped(fitted.left_out)),
            _ => String::new(),
        }
    );
    if summary.columns.is_empty() {
        let _ = write!(body, "<p>They are {}, which have no columns.</p>", escaped(summary.takes));
        return body;
    }
    let left_out = |kind: &str| kind == "left out" || kind == "not used";
    let shown = |wanted: bool| -> String {
        let some = summary.columns.iter().filter(|column| left_out(column.kind) == wanted);
        let rows = some.take(LISTED).map(|column| {
            let of = match column.kind {
                "categories" => format!(" ({} levels)", column.features),
                "texts" => format!(" ({} terms)", column.features),
                _ => String::new(),
            };
            format!(
                "<tr><th scope=\"row\">{}</th><td>{}{of}</td></tr>",
                cell(&column.name, NAME),
                column.kind
            )
        });
        rows.collect()
    };
    let number =
        |wanted: bool| summary.columns.iter().filter(|column| left_out(column.kind) == wanted).count();
    let (used, out) = (number(false), number(true));
    let table = |rows: String, label: &str| {
        format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table><thead><tr><th scope=\"col\">Column</th><th scope=\"col\">Read \
             as</th></tr></thead><tbody>{rows}</tbody></table></div>"
        )
    };
    let _ = write!(
        body,
        "<details><summary>{} learned from</summary>{}</details>",
        escaped(&counted(used, "columns")),
        table(shown(false), "Columns learned from")
    );
    if out > 0 {
        let _ = write!(
            body,
            "<details open><summary>{} left out</summary>{}</details>",
            escaped(&counted(out, "columns")),
            table(shown(true), "Columns left out")
        );
    }
    if used > LISTED {
        let _ = write!(body, "<p>Of more than {LISTED} columns the first are listed.</p>");
    }
    body
}

/// Which columns of the table stand next to the first rows: of many, those that matter most.
fn columns_of_rows(summary: &Summary) -> Vec<usize> {
    let all = summary.names.len();
    if all <= COLUMNS {
        return (0..all).collect();
    }
    let mut chosen = vec![0];
    if let Ok(importance) = &summary.importance {
        let places = importance
            .columns
            .iter()
            .filter_map(|one| summary.names.iter().position(|name| *name == one.column));
        chosen.extend(places);
    }
    chosen.extend(0..all);
    let mut kept = Vec::new();
    chosen.into_iter().for_each(|at| {
        if !kept.contains(&at) && kept.len() < COLUMNS {
            kept.push(at);
        }
    });
    kept.sort_unstable();
    kept
}

fn because(summary: &Summary, row: &ListedRow) -> String {
    let of = |sign: f64, words: &str| -> String {
        let some = row.because.iter().filter(|part| part.value * sign > 0.0);
        let said: Vec<String> = some
            .map(|part| {
                let value = summary
                    .names
                    .iter()
                    .position(|name| *name == part.feature)
                    .and_then(|at| row.cells.get(at));
                let value = value.map_or_else(String::new, |value| format!(" {}", cell(value, 24)));
                format!(
                    "<b>{}</b>{value} <span class=\"range\">({:+.2})</span>",
                    cell(&part.feature, NAME),
                    part.value
                )
                .replace('-', "−")
            })
            .collect();
        if said.is_empty() {
            String::new()
        } else {
            format!(
                "<span class=\"{}\">{words} {}</span>",
                if sign > 0.0 { "for" } else { "against" },
                said.join(", ")
            )
        }
    };
    [of(1.0, "For it:"), of(-1.0, "Against it:")].concat()
}

fn rows(summary: &Summary) -> String {
    if !summary.has_rows() {
        return "<p>Rows of the table are left out of this page.</p>".to_string();
    }
    let columns = columns_of_rows(summary);
    let explained = summary.first.iter().any(|row| !row.because.is_empty());
    let heads: String = columns
        .iter()
        .map(|&at| format!("<th scope=\"col\">{}</th>", cell(&summary.names[at], NAME)))
        .collect();
    let body: String = summary
        .first
        .iter()
        .enumerate()
        .map(|(rank, row)| {
            let cells: String = columns
                .iter()
                .map(|&at| format!("<td>{}</td>", cell(row.cells.get(at).map_or("", String::as_str), CELL)))
                .collect();
            let range = row.range.map_or_else(String::new, |(low, high)| {
                format!(" <span class=\"range\">({} to {})</span>", percent(f64::from(low)), percent(f64::from(high)))
            });
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\"><span class=\"meter\"><i style=\"width:{:.0}%\"></i></span>{}{range}</td>{cells}{}</tr>",
                rank + 1,
                grouped(row.row + 1),
                100.0 * row.probability,
                percent(f64::from(row.probability)),
                if explained { format!("<td class=\"because\">{}</td>", because(summary, row)) } else { String::new() }
            )
        })
        .collect();
    let other = match summary.names.len() - columns.len() {
        0 => String::new(),
        more => format!(
            " Of the table's columns the {} that matter most are shown; {more} more are not.",
            columns.len()
        ),
    };
    let why = if explained {
        " “For it” and “against it” say what raised and lowered the score of the row, and by how much."
    } else {
        ""
    };
    format!(
        "<p>The {} likeliest of {}, the best first.{why}{other} What drives a score is not what causes a case.</p><div class=\"tools\"><label for=\"search\">Search</label><input \
         type=\"search\" id=\"search\" autocomplete=\"off\"><button type=\"button\" id=\"copy\">Copy as CSV</button><span id=\"found\" role=\"status\"></span></div><div class=\"scroll tall\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Table of the first rows\"><table id=\"first\"><thead><tr><th scope=\"col\">Rank</th><th scope=\"col\" class=\"number\">Row</th><th scope=\"col\" \
         class=\"number\">Probability</th>{heads}{}</tr></thead><tbody>{body}</tbody></table></div>",
        summary.first.len(),
        grouped(summary.rows),
        if explained { "<th scope=\"col\">Why</th>" } else { "" }
    )
}

fn how(summary: &Summary, settings: &PageSettings) -> String {
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

/// What the sliders look up.
pub(super) fn data(summary: &Summary) -> String {
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
