//! The verdict in five lines, and what is assumed.

use super::{assumed, badge, start, things};
use crate::page::html::{escaped, grouped, percent, sentence};
use onesided::data::counted;
use onesided::{Along, Assumption, Promised, Ranks, State, Summary};

pub(super) fn verdict(summary: &Summary) -> String {
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
                "<b>How far to read</b>: the first {} ({} of the list) hold about {} of all positives{precision}.{}",
                grouped(at.rows),
                percent(at.rows as f64 / at.of as f64),
                percent(at.recall.value),
                promised(along)
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
                "<li>{}<span><b>{}.</b> {}</span></li>",
                badge(one.state),
                assumed(one.what),
                sentence(&one.why)
            )
        })
        .collect();
    format!("<ol class=\"verdict\">{lines}</ol><h3>What is assumed</h3><ul class=\"checks\">{rows}</ul>")
}

/// How far to read to be sure of nine of ten.
fn promised(along: &Along) -> String {
    let promise = along.promises.iter().find(|one| one.recall == 0.9);
    let Some(Ok(review)) = promise.map(|one| &one.review) else { return String::new() };
    let (rows, of) = match &review.this_file_by_share {
        Some(Promised::Made(promise)) if !along.promises_of_new_rows => (promise.rows, ""),
        _ => (review.population.rows, ", for new rows like these"),
    };
    format!(" Promised{of}: the first {} hold at least 90\u{a0}%, with 95\u{a0}% confidence.", grouped(rows))
}

fn decapitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// The model next to `naive`, by how well they rank.
fn better(summary: &Summary) -> String {
    let ranks = Ranks::of(&summary.model.beside, None);
    match (ranks, &summary.along) {
        (Ranks::Beside { auc, naive, .. }, _) if ranks.is_behind() => format!(
            "<b>Better than chance</b>, but <em>treating every unlabeled row as negative (naive) ranks better</em>: AUC {naive:.3} against \
             {auc:.3} of this model."
        ),
        (Ranks::Beside { auc, naive, .. }, _) => format!(
            "<b>Better than doing less</b>: labeled positives rank above unlabeled rows {} of the time; treating every unlabeled row as negative \
             (naive) gets {}, and guessing 50\u{a0}%.",
            percent(auc),
            percent(naive)
        ),
        (_, Ok(along)) => {
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
