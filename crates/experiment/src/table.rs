//! Results as a table: mean and standard deviation over seeds, the printed value next to each cell.

use crate::ExperimentError;
use crate::built_in::read_printed;
use crate::compared::{Difference, MethodComparison};
use crate::printed::Printed;
use crate::results::{Record, Results};
use crate::spec::{Labeled, Run, Spec};
use onesided_data::unknown_name;
use serde_json::{Value, json};
use std::fmt;
use std::str::FromStr;

/// What is tabulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Share of test rows decided rightly.
    #[default]
    Accuracy,
    /// Area under the ROC curve of the test rows.
    Auc,
    /// Accuracy as held-out positives and unlabeled rows estimate it.
    EstimatedAccuracy,
}

impl Measure {
    fn of(self, record: &Record) -> Option<f64> {
        match self {
            Measure::Accuracy => Some(record.accuracy),
            Measure::Auc => Some(record.auc),
            Measure::EstimatedAccuracy => record.estimated_accuracy,
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Measure::Accuracy => "accuracy in %",
            Measure::Auc => "area under the ROC curve in %",
            Measure::EstimatedAccuracy => "accuracy in %, estimated without negatives",
        })
    }
}

impl FromStr for Measure {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "accuracy" => Ok(Measure::Accuracy),
            "auc" => Ok(Measure::Auc),
            "estimated-accuracy" => Ok(Measure::EstimatedAccuracy),
            _ => Err(unknown_name("measure", text, &["accuracy", "auc", "estimated-accuracy"])),
        }
    }
}

/// One cell: a data set, how many positives are labeled, and a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Its name: that of its runs without the seed.
    pub name: String,
    /// Runs that are done.
    pub runs: usize,
    /// Their mean, in percent; NaN where there is none.
    pub mean: f64,
    /// Their standard deviation (division by n - 1), in percent; NaN for fewer than two.
    pub deviation: f64,
    /// What each run gave, by its seed, in percent.
    pub values: Vec<(u64, f64)>,
    /// The printed mean and deviation.
    pub printed: Option<(f64, Option<f64>)>,
}

/// A column: a method, with one prior error where there are several.
#[derive(Clone, Debug, PartialEq)]
struct Column {
    title: String,
    /// What runs call it: `collective`, or `collective/-10%` where it is told a wrong prior.
    name: String,
    /// Whether it is run here, and not only printed.
    run: bool,
    /// Whether it cannot be the best: it sees every label, was only printed, or the spec puts it aside.
    aside: bool,
}

/// A data set with so many labels, and what its columns hold.
#[derive(Clone, Debug)]
pub(crate) struct Row<T> {
    pub data: String,
    pub title: String,
    pub labeled: Labeled,
    pub cells: Vec<T>,
}

/// A Markdown table with a heading; a data set is named in its first row.
pub(crate) fn markdown<'a, T: 'a>(
    title: &str,
    columns: impl IntoIterator<Item = &'a str>,
    rows: &[Row<T>],
    cells: impl Fn(&Row<T>) -> Vec<String>,
) -> String {
    let key = rows.first().map_or("hidden", |row| row.labeled.key());
    let columns: Vec<&str> = ["data", key].into_iter().chain(columns).collect();
    let mut text = format!("### {title}\n\n| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len()));
    let mut last = "";
    for row in rows {
        let named = if row.title == last { "" } else { &row.title };
        last = &row.title;
        text.push_str(&format!("| {named} | {} | {} |\n", row.labeled, cells(row).join(" | ")));
    }
    text
}

/// A number with its spread, which takes two runs, and how many of the seeds it has where some are missing.
pub(crate) fn with_spread(number: &str, spread: f64, bold: bool, runs: usize, seeds: usize) -> String {
    let mark = if bold { "**" } else { "" };
    let spread = if runs > 1 { format!(" ± {spread:.2}") } else { String::new() };
    let missing = if runs < seeds { format!(" [{runs} of {seeds}]") } else { String::new() };
    format!("{mark}{number}{spread}{mark}{missing}")
}

/// A table of all cells of a spec.
#[derive(Clone, Debug)]
pub struct ResultsTable {
    title: String,
    seeds: usize,
    columns: Vec<Column>,
    rows: Vec<Row<Cell>>,
    /// Whether each row is one method under several priors, whose spread is worth a column.
    spread: bool,
}

impl ResultsTable {
    /// Gathers what the results hold of the spec.
    pub fn new(spec: &Spec, results: &Results, measure: Measure) -> Result<Self, ExperimentError> {
        let file = || spec.file.display().to_string();
        let printed = match &spec.printed {
            Some((file, table)) if measure == Measure::Accuracy => read_printed(file, table)?,
            _ => Printed::default(),
        };
        let runs = spec.runs().map_err(|detail| ExperimentError::Spec { file: file(), detail })?;
        let sees_all = |method| runs.iter().any(|run| run.method == method && run.labeled.is_none());
        let several = spec.prior_errors.len() > 1;
        let mut columns = Vec::new();
        let mut places = Vec::new();
        for (number, method) in spec.methods.iter().enumerate() {
            let errors = if sees_all(number) { &[0.0][..] } else { &spec.prior_errors[..] };
            for &error in errors {
                let title = if several && !sees_all(number) {
                    format!("{} {:+}", method.title, (error * 1e4).round() / 100.0)
                } else {
                    method.title.clone()
                };
                let aside = method.aside || sees_all(number);
                let name = format!("{}{}", method.name, spec.error_in_name(error));
                columns.push(Column { title, name, run: true, aside });
                places.push((number, error));
            }
        }
        let names: Vec<&str> = spec.methods.iter().map(|method| method.name.as_str()).collect();
        let others: Vec<&str> =
            printed.methods().into_iter().filter(|m| !names.iter().any(|name| m.starts_with(name))).collect();
        columns.extend(others.iter().map(|m| Column {
            title: format!("{m} (printed)"),
            name: m.to_string(),
            run: false,
            aside: true,
        }));
        let mut rows = Vec::new();
        for (data, set) in spec.data.iter().enumerate() {
            for &labeled in &spec.labeled {
                let mut cells: Vec<Cell> = Vec::new();
                for &(method, error) in &places {
                    let labeled = if sees_all(method) { None } else { Some(labeled) };
                    let of_cell = |run: &&Run| {
                        (run.data, run.method, run.labeled, run.prior_error) == (data, method, labeled, error)
                    };
                    let of_cell: Vec<&Run> = runs.iter().filter(of_cell).collect();
                    let value = |run: &&Run| Some((run.seed, 100.0 * measure.of(results.of(run)?)?));
                    let values: Vec<(u64, f64)> = of_cell.iter().filter_map(value).collect();
                    let name =
                        of_cell.first().and_then(|run| run.name.rsplit_once('/')).map(|(name, _)| name);
                    cells.push(Cell::new(name.unwrap_or_default(), values, &printed));
                }
                for method in &others {
                    cells.push(Cell::new(&format!("{}/{labeled}/{method}", set.name), Vec::new(), &printed));
                }
                rows.push(Row { data: set.name.clone(), title: set.title.clone(), labeled, cells });
            }
        }
        let title = format!("{}: {measure}", spec.title);
        Ok(Self { title, seeds: spec.seeds.len(), columns, rows, spread: several })
    }

    /// The rows of which something is done.
    #[must_use]
    pub fn begun(mut self) -> Self {
        self.rows.retain(|row| row.cells.iter().any(|cell| cell.runs > 0));
        self
    }

    /// How far a method is above each of the others, seed by seed: methods of one seed saw the same split, unless they
    /// see every label.
    pub fn compared(&self, method: &str) -> Result<MethodComparison, ExperimentError> {
        let Some(place) = self.columns.iter().position(|column| column.run && column.name == method) else {
            let names = self.columns.iter().filter(|column| column.run).map(|column| column.name.as_str());
            let columns = names.collect::<Vec<_>>().join(", ");
            return Err(ExperimentError::NoColumn { asked: method.to_string(), columns });
        };
        let others = || (0..self.columns.len()).filter(|&at| at != place && self.columns[at].run);
        let of_row = |row: &Row<Cell>| {
            let cells = others().map(|at| Difference::of(&row.cells[place], &row.cells[at])).collect();
            Row { data: row.data.clone(), title: row.title.clone(), labeled: row.labeled, cells }
        };
        Ok(MethodComparison {
            title: format!("{}, {} minus each of the others", self.title, self.columns[place].title),
            seeds: self.seeds,
            method: method.to_string(),
            others: others()
                .map(|at| (self.columns[at].name.clone(), self.columns[at].title.clone()))
                .collect(),
            rows: self.rows.iter().map(of_row).collect(),
        })
    }

    /// Every cell.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.rows.iter().flat_map(|row| &row.cells)
    }

    /// The place of the best mean of a row, among columns that take part and have been run. None leads while they have
    /// unequal numbers of runs.
    fn best(&self, cells: &[Cell]) -> Option<usize> {
        let taking_part = || (0..cells.len()).filter(|&at| !self.columns[at].aside && cells[at].runs > 0);
        let runs = cells[taking_part().next()?].runs;
        let best = taking_part().max_by(|&a, &b| cells[a].mean.total_cmp(&cells[b].mean));
        best.filter(|_| taking_part().all(|at| cells[at].runs == runs))
    }

    /// A Markdown table: `96.51 ± 0.12 (86.10)` has the printed mean in parentheses, the best of a row is bold.
    pub fn markdown(&self) -> String {
        let titles = self.columns.iter().map(|column| column.title.as_str());
        let columns = titles.chain(self.spread.then_some("spread"));
        markdown(&self.title, columns, &self.rows, |Row { cells, .. }| {
            let best = if self.spread { None } else { self.best(cells) };
            let shown = cells.iter().enumerate().map(|(at, cell)| cell.shown(self.seeds, best == Some(at)));
            shown.chain(self.spread.then(|| spread(cells))).collect()
        })
    }

    /// A line per cell.
    pub fn csv(&self) -> String {
        let number = |x: f64| if x.is_finite() { format!("{x:.4}") } else { String::new() };
        let mut text = String::from("cell,runs,mean,deviation,printed_mean,printed_deviation\n");
        for cell in self.cells() {
            let (mean, deviation) = cell.printed.map_or((f64::NAN, None), |printed| printed);
            text.push_str(&format!(
                "{},{},{},{},{},{}\n",
                cell.name,
                cell.runs,
                number(cell.mean),
                number(cell.deviation),
                number(mean),
                number(deviation.unwrap_or(f64::NAN))
            ));
        }
        text
    }

    /// An object a cell.
    pub fn json(&self) -> Value {
        let cell = |cell: &Cell| {
            json!({
                "cell": cell.name,
                "runs": cell.runs,
                "mean": (cell.runs > 0).then_some(cell.mean),
                "deviation": (cell.runs > 1).then_some(cell.deviation),
                "printed_mean": cell.printed.map(|(mean, _)| mean),
                "printed_deviation": cell.printed.and_then(|(_, deviation)| deviation),
            })
        };
        json!({ "title": self.title, "seeds": self.seeds, "cells": self.cells().map(cell).collect::<Vec<_>>() })
    }
}

/// The mean, NaN of nothing, and the standard deviation (division by n - 1), NaN of fewer than two values.
pub(crate) fn mean_and_deviation(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|x| (x - mean).powi(2)).sum();
    (mean, if count > 1.0 { (squares / (count - 1.0)).sqrt() } else { f64::NAN })
}

impl Cell {
    fn new(name: &str, values: Vec<(u64, f64)>, printed: &Printed) -> Self {
        let (mean, deviation) = mean_and_deviation(values.iter().map(|&(_, x)| x));
        Self {
            name: name.to_string(),
            runs: values.len(),
            mean,
            deviation,
            values,
            printed: printed.get(name),
        }
    }

    fn shown(&self, seeds: usize, bold: bool) -> String {
        let printed = self.printed.map(|(mean, _)| format!("({mean:.2})"));
        let ours = (self.runs > 0)
            .then(|| with_spread(&format!("{:.2}", self.mean), self.deviation, bold, self.runs, seeds));
        ours.into_iter().chain(printed).collect::<Vec<_>>().join(" ")
    }
}

/// From the lowest mean of a row to its highest.
fn spread(cells: &[Cell]) -> String {
    let means = cells.iter().filter(|cell| cell.runs > 0).map(|cell| cell.mean);
    let (low, high) = means.fold((f64::MAX, f64::MIN), |(low, high), x| (low.min(x), high.max(x)));
    if low <= high { format!("{:.2}", high - low) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_say_mean_deviation_and_what_was_printed() {
        let none = Printed::default();
        let cell = Cell::new("a", vec![(0, 90.0), (1, 92.0), (2, 94.0)], &none);
        assert_eq!((cell.mean, cell.deviation, cell.runs), (92.0, 2.0, 3));
        assert_eq!(cell.shown(3, false), "92.00 ± 2.00");
        assert_eq!(cell.shown(5, true), "**92.00 ± 2.00** [3 of 5]");
        let cell = Cell { printed: Some((86.1, Some(0.3))), ..cell };
        assert_eq!(cell.shown(3, false), "92.00 ± 2.00 (86.10)");
        let cell = Cell::new("a", vec![(0, 50.0)], &none);
        assert!(cell.deviation.is_nan());
        assert_eq!(cell.shown(2, false), "50.00 [1 of 2]");
        assert_eq!(Cell::new("a", Vec::new(), &none).shown(5, false), "");
    }

    fn table(aside: [bool; 4]) -> ResultsTable {
        let column = |aside| Column { title: "a".into(), name: "a".into(), run: true, aside };
        ResultsTable {
            title: "t".into(),
            seeds: 2,
            columns: aside.map(column).into(),
            rows: Vec::new(),
            spread: false,
        }
    }

    #[test]
    fn who_leads_takes_part_and_has_as_many_runs_as_the_others() {
        let none = Printed::default();
        let seeded = |values: &[f64]| (0..).zip(values.iter().copied()).collect();
        let cells = |of: [&[f64]; 4]| of.map(|values| Cell::new("a", seeded(values), &none));
        let best = |of| table([true, false, false, false]).best(&cells(of));
        assert_eq!(best([&[99.0, 99.0], &[90.0, 92.0], &[91.0, 92.0], &[89.0, 91.0]]), Some(2));
        // Neither one lucky seed nor the only one that is complete leads.
        assert_eq!(best([&[99.0], &[90.0, 92.0], &[91.0, 92.0], &[98.0]]), None);
        assert_eq!(best([&[99.0], &[90.0, 91.0], &[92.0], &[98.0]]), None);
        // What is not run, or was left out, is not waited for.
        assert_eq!(best([&[99.0], &[90.0], &[89.0], &[]]), Some(1));
        assert_eq!(best([&[99.0], &[], &[], &[]]), None);
    }
}
