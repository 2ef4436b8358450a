//! Audits: rows drawn for a person to label, and what the answers say.

use crate::failure::{raise, raise_for};
use onesided::FileOptions;
use onesided::data::OutColumn;
use onesided::eval::audit::FirstPartTarget;
use onesided::{Audit, AuditFile, Error, Model};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;

/// Answers as they are given: a file, or the columns of a table in memory.
#[derive(FromPyObject)]
pub enum Answers {
    Path(PathBuf),
    Cells(Vec<(String, Vec<String>)>),
}

/// Reads answers; what is wrong with them is said of this keyword.
pub fn read(given: &[Answers], keyword: &str) -> PyResult<Vec<AuditFile>> {
    let read = |answers: &Answers| match answers {
        Answers::Path(path) => AuditFile::read(path, &FileOptions::default()),
        Answers::Cells(cells) => AuditFile::of_cells("the table of answers", cells),
    };
    given.iter().map(read).collect::<Result<_, _>>().map_err(|error| raise_for(keyword, error))
}

/// The columns of a table of answers that are read.
#[pyfunction]
pub fn audit_columns() -> Vec<&'static str> {
    AuditFile::columns().collect()
}

/// What the answers say of a model, as JSON, and what is to be said of them.
pub fn report(
    model: &Model,
    given: &[Answers],
    confidence: f64,
    precision: Option<f64>,
) -> PyResult<(String, Vec<String>)> {
    let files = read(given, "answers")?;
    let audit = Audit::new(model, &files).map_err(|error| raise_for("answers", error))?;
    let report = audit.report(confidence).map_err(|error| match error {
        Error::AuditFile { .. } => raise_for("answers", error),
        other => raise(other),
    })?;
    let said = report.warnings();
    let mut report = serde_json::json!(report);
    if let Some(precision) = precision {
        let target =
            FirstPartTarget::new(precision, confidence).map_err(|error| raise_for("precision", error))?;
        report["first_part"] = serde_json::json!(audit.first_parts(target).map_err(raise)?);
    }
    let report = serde_json::to_string(&report);
    Ok((report.map_err(|error| PyValueError::new_err(error.to_string()))?, said))
}

/// The texts of a column.
pub fn texts(column: OutColumn) -> Vec<String> {
    match column {
        OutColumn::Text(texts) | OutColumn::Choice { cells: texts, .. } => texts,
        OutColumn::U64(numbers) => numbers.iter().map(u64::to_string).collect(),
        OutColumn::F32(numbers) | OutColumn::Share(numbers) => numbers.iter().map(f32::to_string).collect(),
        OutColumn::F64(numbers) => numbers.iter().map(f64::to_string).collect(),
    }
}
