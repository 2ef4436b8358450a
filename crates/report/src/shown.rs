//! Pictures of a summary, one for each thing that there is to see.

use crate::figure::{Figure, FigurePart};
use onesided::{Effect, Interval, Summary};

/// Bars of importance.
const BARS: usize = 15;
/// A list is drawn up to so many times the rows that find most positives: what comes after tells little.
const BEYOND: usize = 4;
/// Letters of a name.
const NAME: usize = 32;

/// What a picture shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Scores of labeled positives and of the list.
    Scores,
    /// The share of positives by its estimators.
    Share,
    /// Recall and precision along the list.
    Review,
    /// Whether probabilities hold.
    Calibration,
    /// Which columns matter.
    Importance,
    /// How a column matters.
    Effect(String),
}

/// A picture of a summary, or why there is none.
pub fn figure(summary: &Summary, shown: &Shown) -> Result<Figure, String> {
    match shown {
        Shown::Scores => scores(summary),
        Shown::Share => share(summary),
        Shown::Review => review(summary),
        Shown::Calibration => calibration(summary),
        Shown::Importance => importance(summary),
        Shown::Effect(column) => {
            let effect = summary.effects.iter().find(|effect| effect.column == *column);
            effect.map(of_effect).ok_or_else(|| format!("there is no effect of a column '{column}' to draw"))
        }
    }
}

fn named(title: &str, x_label: &str, y_label: &str, parts: Vec<FigurePart>) -> Figure {
    Figure {
        title: title.to_string(),
        x_label: x_label.to_string(),
        y_label: y_label.to_string(),
        x_range: None,
        y_range: None,
        parts,
    }
}

fn line(label: &str, color: usize, points: Vec<(f64, f64)>) -> FigurePart {
    FigurePart::Line { label: label.to_string(), color, is_thin: false, points }
}

/// The outline of columns, whose `ends` are one more than there are.
fn outline(ends: &[f64], heights: &[f64]) -> Vec<(f64, f64)> {
    let tops =
        ends.windows(2).zip(heights).flat_map(|(pair, &height)| [(pair[0], height), (pair[1], height)]);
    let (first, last) = (ends[0], ends[ends.len() - 1]);
    [(first, 0.0)].into_iter().chain(tops).chain([(last, 0.0)]).collect()
}

fn scores(summary: &Summary) -> Result<Figure, String> {
    let bins = summary.scores.as_ref().ok_or("no row is listed, so there are no scores to show")?;
    let of = |counts: &[usize]| -> Vec<f64> {
        let all = counts.iter().sum::<usize>().max(1) as f64;
        counts.iter().map(|&count| count as f64 / all).collect()
    };
    let (positive, listed) = (of(&bins.positive), of(&bins.listed));
    let has_positive = bins.positive.iter().any(|&count| count > 0);
    let mut parts = vec![line("rows of the list", 3, outline(&bins.ends, &listed))];
    if has_positive {
        parts.push(line("labeled positives", 0, outline(&bins.ends, &positive)));
        parts.extend(summary.share.map(|share| {
            let like: Vec<f64> = positive.iter().map(|height| share.share.value * height).collect();
            line("assumed positive", 1, outline(&bins.ends, &like))
        }));
    }
    let highest = positive.iter().chain(&listed).copied().fold(0.0, f64::max);
    let figure = named("How the scores fall", "score (log-odds)", "share of rows", parts);
    Ok(Figure { y_range: Some((0.0, 1.08 * highest)), ..figure })
}

fn share(summary: &Summary) -> Result<Figure, String> {
    let Some(estimate) = &summary.model.prior_estimate else {
        return Err(match summary.model.prior_in_unlabeled {
            Some(share) => format!(
                "the share of positives was given ({share:.3} of the unlabeled rows), so there are no estimates to draw"
            ),
            None => "there is no share of positives".to_string(),
        });
    };
    let mut rows: Vec<(String, f64, f64, f64)> = estimate
        .estimates
        .iter()
        .map(|one| (one.estimator.clone(), one.mu, one.interval.0, one.interval.1))
        .collect();
    rows.push(("this model uses".to_string(), estimate.mu.get(), estimate.interval.0, estimate.interval.1));
    let title = "How many are positive";
    let figure =
        named(title, "share of the unlabeled rows", "", vec![FigurePart::Rows { are_bars: false, rows }]);
    Ok(Figure { x_range: Some((0.0, 1.0)), ..figure })
}

fn review(summary: &Summary) -> Result<Figure, String> {
    let along = summary.along.as_ref().map_err(Clone::clone)?;
    let end = along.at[along.at.len() - 1].rows.min(BEYOND * along.at[along.most].rows);
    let shown: Vec<_> = along.at.iter().filter(|at| at.rows <= end).collect();
    let x = |rows: usize| rows as f64;
    let told: Vec<(f64, Interval)> = shown
        .iter()
        .filter_map(|at| Some((x(at.rows), at.precision.filter(|told| told.value.is_finite())?)))
        .collect();
    let mut parts = vec![
        FigurePart::Band {
            color: 0,
            points: shown.iter().map(|at| (x(at.rows), at.recall.low, at.recall.high)).collect(),
        },
        line("recall", 0, shown.iter().map(|at| (x(at.rows), at.recall.value)).collect()),
    ];
    if !told.is_empty() {
        let points = told.iter().map(|(rows, told)| (*rows, told.low, told.high)).collect();
        parts.push(FigurePart::Band { color: 1, points });
        parts.push(line("precision", 1, told.iter().map(|(rows, told)| (*rows, told.value)).collect()));
    }
    let figure = named("How far to read", "rows read from the top", "share", parts);
    Ok(Figure { x_range: Some((0.0, x(end))), y_range: Some((0.0, 1.0)), ..figure })
}

fn calibration(summary: &Summary) -> Result<Figure, String> {
    if summary.reliability.is_empty() {
        return Err("whether probabilities hold takes a share of positives, and labeled positives that the model has not met".to_string());
    }
    let groups = summary.reliability.iter();
    let points = groups.map(|one| (one.predicted, one.found.value, one.found.low, one.found.high)).collect();
    let even = FigurePart::Line {
        label: "as it should be".to_string(),
        color: 3,
        is_thin: true,
        points: vec![(0.0, 0.0), (1.0, 1.0)],
    };
    let parts = vec![even, FigurePart::Points { color: 0, points }];
    let figure = named(
        "Whether probabilities hold",
        "mean probability that the model gives",
        "what labeled positives say",
        parts,
    );
    Ok(Figure { x_range: Some((0.0, 1.0)), y_range: Some((0.0, 1.0)), ..figure })
}

fn importance(summary: &Summary) -> Result<Figure, String> {
    let importance = summary.importance.as_ref().map_err(Clone::clone)?;
    let some = importance.columns.iter().take(BARS);
    let rows = some.map(|one| (short(&one.column), one.lost.value, one.lost.low, one.lost.high)).collect();
    let parts = vec![FigurePart::Rows { are_bars: true, rows }];
    Ok(named("What drives the model", "AUC lost without it", "", parts))
}

fn of_effect(effect: &Effect) -> Figure {
    let title = format!("How {} matters", short(&effect.column));
    let highest = effect.points.iter().map(|point| point.half.1.max(point.mean)).fold(0.05, f64::max);
    if !effect.is_number {
        let rows = effect
            .points
            .iter()
            .map(|point| (short(&point.name), point.mean, point.half.0, point.half.1))
            .collect();
        let parts = vec![FigurePart::Rows { are_bars: true, rows }];
        return named(&title, "mean probability", "", parts);
    }
    let parts = vec![
        FigurePart::Band {
            color: 2,
            points: effect.points.iter().map(|point| (point.at, point.half.0, point.half.1)).collect(),
        },
        line("mean", 2, effect.points.iter().map(|point| (point.at, point.mean)).collect()),
    ];
    let figure = named(&title, &short(&effect.column), "probability", parts);
    Figure { y_range: Some((0.0, (1.1 * highest).min(1.0))), ..figure }
}

/// The first letters of a long name.
fn short(name: &str) -> String {
    crate::page::short(name, NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_begins_and_ends_on_the_ground() {
        assert_eq!(
            outline(&[0.0, 1.0, 2.0], &[0.3, 0.7]),
            [(0.0, 0.0), (0.0, 0.3), (1.0, 0.3), (1.0, 0.7), (2.0, 0.7), (2.0, 0.0)]
        );
    }

    #[test]
    fn rows_are_a_picture_by_themselves_and_lines_one_panel() {
        let rows = |are_bars| {
            let rows = vec![("<a>".to_string(), 0.5, 0.4, 0.6), ("b".to_string(), 0.25, 0.2, 0.3)];
            named("t", "x", "", vec![FigurePart::Rows { are_bars, rows }]).to_svg()
        };
        assert!(rows(true).contains("&lt;a&gt;") && rows(true).contains("0.500  [0.400, 0.600]"));
        assert!(rows(false).contains("class=\"band\""), "the last row is the answer");
        let lines = named("t", "x", "y", vec![line("recall", 0, vec![(0.0, 0.0), (1.0, 1.0)])]);
        assert!(lines.to_svg().contains("recall"));
        assert!(lines.to_png().unwrap().starts_with(b"\x89PNG"));
    }
}
