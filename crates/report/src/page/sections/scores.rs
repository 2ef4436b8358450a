//! How the scores of labeled positives and of the list fall.

use crate::page::html::grouped;
use crate::page::plot::Plot;
use onesided::{HowScored, Summary};

pub(super) fn scores(summary: &Summary) -> String {
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
        |y| format!("{}\u{a0}%", (1_000.0 * y).round() / 10.0),
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
