//! What there is to show of a model: a few lines, and pictures with their numbers.

use crate::failure::as_keyword;
use onesided::{Check, InShort, Model, Summary};
use onesided_report::{Figure, FigurePart, Shown, figure};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A part of a picture: what it is (`line`, `thin line`, `band`, `points`, `bars`, `rows`), its label, its color, names where it has
/// them, and its columns of numbers.
type Part = (&'static str, String, usize, Vec<String>, Vec<Vec<f64>>);

/// A range of an axis.
type Range = Option<(f64, f64)>;

/// A model and some rows.
#[pyclass(name = "Summary", frozen, module = "onesided._onesided")]
pub struct PySummary {
    summary: Summary,
}

/// One picture.
#[pyclass(name = "Figure", frozen, module = "onesided._onesided")]
pub struct PyFigure {
    figure: Figure,
}

impl PySummary {
    pub fn new(summary: Summary) -> Self {
        Self { summary }
    }
}

#[pymethods]
impl PySummary {
    /// A picture of it: `scores`, `share`, `review`, `calibration`, `importance`, or `effects` of a column.
    #[pyo3(signature = (what, column=None))]
    fn figure(&self, what: &str, column: Option<String>) -> PyResult<PyFigure> {
        let shown = match (what, column) {
            ("scores", None) => Shown::Scores,
            ("share", None) => Shown::Share,
            ("review", None) => Shown::Review,
            ("calibration", None) => Shown::Calibration,
            ("importance", None) => Shown::Importance,
            ("effects", Some(column)) => Shown::Effect(column),
            _ => return Err(PyValueError::new_err(format!("there is no picture of {what}"))),
        };
        let figure = figure(&self.summary, &shown).map_err(PyValueError::new_err)?;
        Ok(PyFigure { figure })
    }
}

#[pymethods]
impl PyFigure {
    fn svg(&self) -> String {
        self.figure.to_svg()
    }

    fn png<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.figure.to_png().map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Title, names of the axes, their ranges, and the parts, first what lies below.
    fn parts(&self) -> (&str, &str, &str, Range, Range, Vec<Part>) {
        let Figure { title, x_label, y_label, x_range, y_range, parts } = &self.figure;
        (title, x_label, y_label, *x_range, *y_range, parts.iter().map(part).collect())
    }
}

fn part(of: &FigurePart) -> Part {
    match of {
        FigurePart::Line { label, color, is_thin, points } => {
            let (x, y) = points.iter().copied().unzip();
            (if *is_thin { "thin line" } else { "line" }, label.clone(), *color, Vec::new(), vec![x, y])
        }
        FigurePart::Band { color, points } => {
            let column = |of: fn(&(f64, f64, f64)) -> f64| points.iter().map(of).collect();
            let columns = vec![column(|point| point.0), column(|point| point.1), column(|point| point.2)];
            ("band", String::new(), *color, Vec::new(), columns)
        }
        FigurePart::Points { color, points } => {
            let column = |of: fn(&(f64, f64, f64, f64)) -> f64| points.iter().map(of).collect();
            let columns = vec![
                column(|point| point.0),
                column(|point| point.1),
                column(|point| point.2),
                column(|point| point.3),
            ];
            ("points", String::new(), *color, Vec::new(), columns)
        }
        FigurePart::Rows { are_bars, rows } => {
            let column = |of: fn(&(String, f64, f64, f64)) -> f64| rows.iter().map(of).collect();
            let columns = vec![column(|row| row.1), column(|row| row.2), column(|row| row.3)];
            let names = rows.iter().map(|row| row.0.clone()).collect();
            (if *are_bars { "bars" } else { "rows" }, String::new(), 0, names, columns)
        }
    }
}

/// A model in a few lines, each with what it is about, and what to look at, the most important first.
pub fn in_short(model: &Model) -> (Vec<(&'static str, String)>, Vec<String>) {
    let short = InShort::of(model, &[], &[], &[]);
    (short.lines(), short.warnings.iter().map(|one| sentence(&one.check)).collect())
}

/// A check with the keyword that may help.
fn sentence(check: &Check) -> String {
    match check.hint.as_ref().and_then(as_keyword) {
        Some(hint) => format!("{}; {hint}", check.text),
        None => check.text.clone(),
    }
}
