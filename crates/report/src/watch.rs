//! What was found of new rows, and month after month, as a picture.

use crate::{Chart, Line, Mark, Panel};
use onesided::{WatchHistory, Watched};

/// How scores of new rows are spread, next to training and to what another share of positives alone would give.
pub fn watch_chart(watched: &Watched) -> Chart {
    let of = |which: usize| watched.curve.iter().map(move |point| (point[0], point[which]));
    let mut panel = Panel::new("Rows with at most this probability of being positive")
        .x_label("probability")
        .y_label("share of rows")
        .x_range(0.0, 1.0)
        .y_range(0.0, 1.0);
    if !watched.curve.is_empty() {
        panel = panel.line(Line::new("training", of(1)).slot(0));
        if watched.share.is_some_and(|share| share.moved) {
            panel = panel.line(Line::new("training, at the new share", of(3)).slot(2).dash(2));
        }
        panel = panel.line(Line::new("new rows", of(2)).slot(1).dash(1));
    }
    let mut columns: Vec<_> = watched.columns.iter().collect();
    columns.sort_by(|a, b| b.distance.total_cmp(&a.distance));
    let mut far = Panel::new("How far columns are from training")
        .x_label("column, the furthest off first")
        .y_label("distance")
        .y_range(0.0, 1.0)
        .line(
            Line::new(
                "distance",
                columns.iter().enumerate().map(|(at, column)| (at as f64 + 1.0, column.distance)),
            )
            .slot(0),
        );
    for (at, column) in
        columns.iter().enumerate().filter(|(_, column)| column.moved || column.shift.is_some())
    {
        far = far.mark(Mark::new(at as f64 + 1.0, column.distance).slot(1).label(&column.column));
    }
    let chart = Chart::new(watched.verdict()).columns(2).panel(panel);
    if columns.is_empty() { chart } else { chart.panel(far) }
}

/// The share of positives and how often rows are called positive, run after run; runs with an alarm are marked.
pub fn history_chart(history: &WatchHistory) -> Chart {
    let entries = || history.entries.iter().enumerate().map(|(at, entry)| (at as f64 + 1.0, entry));
    let share = |which: fn(&onesided::Interval) -> f64| {
        entries().filter_map(move |(at, entry)| Some((at, which(entry.share.as_ref()?))))
    };
    let mut panel = Panel::new("Share of positives, with its interval of 95 %")
        .x_label("run")
        .y_label("share")
        .y_range(0.0, 1.0)
        .line(
            Line::new("in training", entries().filter_map(|(at, entry)| Some((at, entry.share_before?))))
                .slot(0)
                .dash(1),
        )
        .line(Line::new("at most", share(|share| share.high)).slot(1).dash(2))
        .line(Line::new("new rows", share(|share| share.value)).slot(1))
        .line(Line::new("at least", share(|share| share.low)).slot(1).dash(2));
    let called = entries().filter_map(|(at, entry)| Some((at, entry.predicted_positive?)));
    panel = panel.line(Line::new("called positive", called).slot(2).dash(1));
    for (at, entry) in entries().filter(|(_, entry)| entry.action.is_alarm()) {
        let height = entry.share.map_or(0.0, |share| share.value);
        panel = panel.mark(Mark::new(at, height).slot(1).label(entry.action.to_string()));
    }
    Chart::new("The model, run after run").panel(panel)
}
