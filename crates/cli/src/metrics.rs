//! Metrics as a table: a plain name, the value, its interval, and what it means.

use crate::output::table;
use onesided::{Interval, is_cut_off, is_useless, rests_on_prior};

/// A line for each metric; no value where its interval says that it may be anything.
pub fn metric_table<'a>(metrics: impl IntoIterator<Item = (&'a str, Interval)>) -> String {
    with_values(metrics, |_, interval| shown_value(interval, 3))
}

/// [`metric_table`] of metrics that are estimated by way of the share of positives: no value where one was cut off at 0 or 1.
pub fn estimate_table<'a>(metrics: impl IntoIterator<Item = (&'a str, Interval)>) -> String {
    with_values(metrics, |name, interval| match is_cut_off(name, interval) {
        true => "-".to_string(),
        false => shown_value(interval, 3),
    })
}

fn with_values<'a>(
    metrics: impl IntoIterator<Item = (&'a str, Interval)>,
    shown: impl Fn(&str, Interval) -> String,
) -> String {
    let metrics: Vec<(&str, Interval)> = metrics.into_iter().collect();
    let row = |(name, interval): &(&str, Interval)| {
        let Interval { value, low, high } = *interval;
        let value = if rests_on_prior(name) { shown(name, *interval) } else { format!("{value:.3}") };
        vec![plain_name(name), value, format!("[{low:.3}, {high:.3}]")]
    };
    let lines = table(&metrics.iter().map(row).collect::<Vec<_>>());
    let meant: Vec<&str> = metrics.iter().map(|(name, _)| meaning(name)).collect();
    with_meanings(&lines, &meant)
}

/// A line for each metric as a range.
pub fn range_table<'a>(metrics: impl IntoIterator<Item = (&'a str, Interval)>) -> String {
    let metrics: Vec<(&str, Interval)> = metrics.into_iter().collect();
    let row = |(name, Interval { low, high, .. }): &(&str, Interval)| {
        vec![plain_name(name), format!("{:.2} to {:.2}", low.clamp(0.0, 1.0), high.clamp(0.0, 1.0))]
    };
    let lines = table(&metrics.iter().map(row).collect::<Vec<_>>());
    let meant: Vec<&str> = metrics.iter().map(|(name, _)| meaning(name)).collect();
    with_meanings(&lines, &meant)
}

/// A share in so many digits, or a dash where it may be nearly anything.
pub fn shown_value(interval: Interval, digits: usize) -> String {
    if is_useless(interval) { "-".to_string() } else { format!("{:.digits$}", interval.value) }
}

fn with_meanings(lines: &str, meant: &[&str]) -> String {
    let width = lines.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (line, meaning) in lines.lines().zip(meant) {
        text.push_str(format!("{line:<width$}   {meaning}").trim_end());
        text.push('\n');
    }
    text
}

/// `predicted_positive` as `predicted positive`, `auc_pu` as `AUC, labeled rows`.
pub fn plain_name(name: &str) -> String {
    match name {
        "auc" => "AUC".to_string(),
        "auc_pu" => "AUC of labeled rows".to_string(),
        "f1" => "F1".to_string(),
        "lee_liu" => "Lee-Liu".to_string(),
        "brier" => "Brier score".to_string(),
        "ece" => "calibration error".to_string(),
        other => other.replace('_', " "),
    }
}

/// What a metric means, in a line.
fn meaning(name: &str) -> &'static str {
    match name {
        "accuracy" => "share of the rows that are called right",
        "balanced_accuracy" => "mean of recall and specificity",
        "auc" => "how often a positive scores above a negative",
        "auc_pu" => "how often a labeled row scores above an unlabeled one",
        "average_precision" => "mean precision, going down the list",
        "brier" => "mean squared error of the probabilities",
        "ece" => "how far probabilities are from the shares that come true, on average",
        "log_loss" => "mean surprise by the truth: 0 is perfect, 0.693 a coin",
        "f1" => "harmonic mean of precision and recall",
        "lee_liu" => "recall times lift: of two models, the better one has more",
        "lift" => "how many times more positives are among the rows called positive",
        "precision" => "share of the rows called positive that are positive",
        "predicted_positive" => "share of the rows called positive",
        "recall" => "share of the positives that are called positive",
        "risk" => "share of the rows that are called wrong",
        "specificity" => "share of the negatives that are called negative",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meanings_stand_below_one_another() {
        let of = |value: f64| Interval { value, low: value - 0.1, high: value + 0.1 };
        assert_eq!(
            metric_table([("auc_pu", of(0.81234)), ("f1", of(0.7)), ("own", of(10.0))]),
            "AUC of labeled rows   0.812   [0.712, 0.912]   how often a labeled row scores above an unlabeled one\n\
             F1                    0.700   [0.600, 0.800]   harmonic mean of precision and recall\n\
             own                  10.000  [9.900, 10.100]\n"
        );
        assert_eq!(
            range_table([("accuracy", of(0.95))]),
            "accuracy  0.85 to 1.00   share of the rows that are called right\n"
        );
    }
}
