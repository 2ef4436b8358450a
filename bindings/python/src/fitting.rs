//! Keywords in, model out.

use crate::audits::{self, Answers};
use crate::draw::Draw;
use crate::failure::{as_keyword, raise, raise_for};
use crate::model::PyModel;
use crate::progress::Watch;
use crate::rows::Rows;
use numpy::PyReadonlyArray1;
use onesided::data::{Label, Note};
use onesided::prior::PriorEstimate;
use onesided::{
    About, Answered, Config, Dataset, Error, Fit, InputOptions, Learner, Model, READING, SETTINGS, Scenario,
    Warning,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A sentence, and of which kind it is.
pub type Said = (String, &'static str);
/// Printed where it was asked for.
pub const NOTE: &str = "note";
/// A warning about the rows.
pub const DATA: &str = "data";
/// A warning that the share of positives is a guess.
pub const PRIOR: &str = "prior";
/// A warning about how fitting went.
pub const FIT: &str = "fit";
/// A warning that rows are scored by a model that has met them.
pub const IN_SAMPLE: &str = "in-sample";

/// What a fit gives.
struct Learned {
    model: Result<Model, Error>,
    /// What reading met.
    said: Vec<Said>,
    /// What each column was read as, as JSON.
    columns: String,
}

/// Learns from rows, a label each and, where they differ in weight, a weight each. Several parts are tables, one above the
/// other.
#[pyfunction]
#[pyo3(signature = (parts, labels, apart, settings, reading, tell, weights=None, audit=None, groups=None))]
#[allow(clippy::too_many_arguments)]
pub fn fit<'py>(
    py: Python<'py>,
    parts: Vec<Bound<'py, PyTuple>>,
    labels: PyReadonlyArray1<'py, i8>,
    apart: bool,
    settings: &Bound<'py, PyDict>,
    reading: &Bound<'py, PyDict>,
    tell: Option<Py<PyAny>>,
    weights: Option<PyReadonlyArray1<'py, f32>>,
    audit: Option<Vec<Answers>>,
    groups: Option<PyReadonlyArray1<'py, u32>>,
) -> PyResult<(PyModel, Vec<Said>, String)> {
    let config = config(settings)?;
    if config.method().map_err(|error| raise_for("method", error))?.needs_truth() {
        return Err(PyValueError::new_err(
            "method: 'supervised' learns from true labels, and PUClassifier is given positives and unlabeled rows; \
             choose another method",
        ));
    }
    config.device.unwrap_or_default().check().map_err(|error| raise_for("device", error))?;
    let audits = audits::read(&audit.unwrap_or_default(), "audit")?;
    let fit = Fit::new(Learner::from_config(config)).reading(options(reading)?).audits(&audits);
    let fit = fit.map_err(|error| raise_for("audit", error))?;
    let options = fit.options(Rows::kind(&parts)?).map_err(raise)?;
    let labels = as_labels(&labels);
    let weights: Option<Vec<f32>> = weights.map(|weights| weights.as_array().to_vec());
    let groups: Option<Vec<u32>> = groups.map(|groups| groups.as_array().to_vec());
    if groups.is_some() && options.max_unlabeled.is_some() {
        let why = "groups: rows that are drawn have no groups; leave max_unlabeled out";
        return Err(PyValueError::new_err(why));
    }
    let parts: Vec<Py<PyTuple>> = parts.into_iter().map(Bound::unbind).collect();
    let mut watch = Watch::new(tell);
    // Rows are read on the thread that learns from them: an allocator that keeps memory per thread, as glibc's does, can use
    // again what reading leaves free, and the peak is that of the command.
    let learned = watch.over(py, |observer| {
        let (data, draw) = Python::attach(|py| read(py, &parts, labels, apart, weights, &options))?;
        let data = match groups {
            Some(groups) => data.with_groups(groups).map_err(|error| raise_for("groups", error))?,
            None => data,
        };
        drop(parts);
        let ready = fit.take(data).map_err(|error| raise_for("audit", error))?;
        let mut said = notes(ready.data());
        if let Some(Answered { notes, warnings, .. }) = ready.answered() {
            said.extend(warnings.iter().chain(notes).map(|sentence| (sentence.clone(), DATA)));
        }
        let columns = serde_json::to_string(ready.data().columns_read());
        let columns = columns.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let model = match &draw {
            Some(draw) => ready.learn_drawn(&|encoding| draw.rest(encoding), observer),
            None => ready.learn(observer),
        };
        if let Some(raised) = draw.and_then(Draw::raised) {
            return Err(raised);
        }
        Ok(Learned { model, said, columns })
    })?;
    let estimators = watch.finish()?;
    let Learned { model, mut said, columns } = learned?;
    // That the prior is a guess, and how sure, is one of the report's warnings; what the estimators had to say is behind it.
    said.extend(estimators.into_iter().map(|sentence| (sentence, NOTE)));
    let model = model.map_err(raise)?;
    said.extend(of_report(&model));
    Ok((PyModel::new(model), said, columns))
}

/// The rows to learn from, and those that were not drawn. Positives and unlabeled rows that came `apart` were drawn separately.
pub fn read(
    py: Python<'_>,
    parts: &[Py<PyTuple>],
    labels: Vec<Label>,
    apart: bool,
    weights: Option<Vec<f32>>,
    options: &InputOptions,
) -> PyResult<(Dataset, Option<Draw>)> {
    let parts: Vec<Bound<'_, PyTuple>> = parts.iter().map(|part| part.bind(py).clone()).collect();
    let rows = parts.iter().map(Rows::of).collect::<PyResult<Vec<_>>>()?;
    let (data, draw) = match Draw::of(&parts, rows, &labels, weights.as_deref(), options)? {
        Ok(draw) => (draw.learn(py, options)?, Some(draw)),
        Err(rows) => {
            let data = Rows::learn(py, rows, labels, options)?;
            let data = match weights {
                Some(weights) => data.with_weights(weights),
                None => Ok(data),
            };
            (data.map_err(|error| raise_for("sample_weight", error))?, None)
        }
    };
    let scenario = if apart { Scenario::CaseControl } else { Scenario::SingleSample };
    Ok((data.with_scenario(scenario), draw))
}

/// What a model warns of and notes, each with its kind.
pub fn of_report(model: &Model) -> Vec<Said> {
    let about = model.about();
    let one = |warning: &Warning| match &about.prior_estimate {
        Some(estimate) if warning.is_guessed_prior() => (guessed(about, estimate), PRIOR),
        _ => (warning.to_string(), FIT),
    };
    let inverted = about
        .inverted()
        .map(|inverted| (format!("{inverted} pos_label names the value of y that means positive"), FIT));
    let notes = about.report.notes.iter().map(|note| (note.clone(), NOTE));
    let doubted = model.refuted_labels().map(|test| (test.to_string(), FIT));
    let who = about.report.who_labels.as_ref().map(|who| (who.to_string(), NOTE));
    let answers = about.report.labels_by_answers.as_ref();
    let answers = answers.map(|test| (test.to_string(), if test.refutes() { FIT } else { NOTE }));
    let own = about.report.warnings.iter().map(one);
    own.chain(doubted).chain(answers).chain(who).chain(inverted).chain(notes).collect()
}

/// That the prior is a guess, in fewer words than the report has: a search says it once per process.
fn guessed(about: &About, estimate: &PriorEstimate) -> String {
    if let Some(why) = &estimate.assumed {
        return format!(
            "the share of positives cannot be estimated from so few rows ({why}); {:.3} of the unlabeled rows are taken to be \
             positive, so most of them count as negative, and metrics that rest on the share are left out. Give prior= if you know it",
            estimate.mu.get()
        );
    }
    let (low, high) = estimate.interval;
    let range = match estimate.one_sided {
        true => format!("at most {high:.3}"),
        false => format!("{low:.3} to {high:.3}"),
    };
    let cut = match about.has_cautious_cut() {
        true => format!(
            "; predict calls a row positive from a probability of {:.3} on (threshold_), a cautious cut",
            about.threshold
        ),
        false => String::new(),
    };
    format!(
        "the prior is a guess: {:.3} of the unlabeled rows, {range} with {:.0} % confidence, {}{cut}. Give prior= if you know it, \
         or audit some rows",
        estimate.mu.get(),
        100.0 * estimate.confidence,
        about.assumes()
    )
}

/// Above 0 is positive, 0 unlabeled, below 0 a known negative.
pub fn as_labels(kinds: &PyReadonlyArray1<'_, i8>) -> Vec<Label> {
    let label = |&kind: &i8| match kind {
        1.. => Label::Positive,
        0 => Label::Unlabeled,
        _ => Label::Negative,
    };
    kinds.as_array().iter().map(label).collect()
}

/// Settings by their names in Rust, as texts; the error names the keyword.
pub fn config(settings: &Bound<'_, PyDict>) -> PyResult<Config> {
    let mut config = Config::default();
    for (keyword, value) in settings.iter() {
        let keyword: String = keyword.extract()?;
        let name = match keyword.as_str() {
            "random_state" => "seed".to_string(),
            "n_jobs" => "threads".to_string(),
            other => other.replace('_', "-"),
        };
        let texts: Vec<String> = value.extract()?;
        for text in texts {
            let set = |error: Error| raise_for(&keyword, error);
            config.set(&name, &text).map_err(set)?;
        }
    }
    Ok(config)
}

/// How rows are read, from the texts of what was given.
pub fn options(reading: &Bound<'_, PyDict>) -> PyResult<InputOptions> {
    let mut options = InputOptions::default();
    for (keyword, values) in reading {
        let keyword: String = keyword.extract()?;
        for text in values.extract::<Vec<String>>()? {
            options.set(&keyword.replace('_', "-"), &text).map_err(|error| raise_for(&keyword, error))?;
        }
    }
    Ok(options)
}

/// Settings of reading rows in memory: the keyword, what it takes, and whether it names several.
#[pyfunction]
pub fn reading_settings() -> Vec<(String, &'static str, bool)> {
    let settings = READING.iter().filter(|setting| setting.is_for_memory());
    settings.map(|setting| (setting.name.replace('-', "_"), setting.value, setting.repeated)).collect()
}

/// What reading met, each with its kind. Nobody reads notes in a notebook: what was decided for the reader, such as the order of
/// day and month, is worth a warning. What was asked for, or is plain to see in the table, is not.
pub fn notes(data: &Dataset) -> Vec<Said> {
    notes_on_read(data.notes())
}

/// The same of rows that are not there any more.
pub fn notes_on_read(notes: &[Note]) -> Vec<Said> {
    said(notes, |note| {
        matches!(note, Note::Missing(_) | Note::NotUsed(_) | Note::Drawn { .. } | Note::Resized { .. })
    })
}

/// The same of rows that a model reads. How numbers are written was decided, and told, when it was fitted.
pub fn notes_on_new(notes: &[Note]) -> Vec<Said> {
    said(notes, |note| {
        let written =
            matches!(note, Note::Written { .. } | Note::DecimalCommas { .. } | Note::NumberTexts { .. });
        written || matches!(note, Note::Missing(_) | Note::NotUsed(_) | Note::Resized { .. })
    })
}

/// Notes as sentences, as warnings unless they are plain.
fn said(notes: &[Note], is_plain: impl Fn(&Note) -> bool) -> Vec<Said> {
    let sentence = |note: &Note| {
        let mut note = note.clone();
        let from_zero = if note.count_rows_from_zero() { "; rows count from 0" } else { "" };
        if let Note::Blank { .. } = note {
            return format!(
                "{note}{from_zero}. Nothing is learned from such rows, rank leaves them out, and their probability is the share of \
                 positives"
            );
        }
        match note.hint().as_ref().and_then(as_keyword) {
            Some(hint) => format!("{note}{from_zero}; {hint}"),
            None => format!("{note}{from_zero}"),
        }
    };
    let notes = Note::told_once(notes);
    notes.iter().map(|note| (sentence(note), if is_plain(note) { NOTE } else { DATA })).collect()
}

/// Every setting: its name, what it takes and a sentence of help.
#[pyfunction]
pub fn settings() -> Vec<(&'static str, &'static str, &'static str)> {
    SETTINGS.iter().map(|setting| (setting.name, setting.value, setting.help)).collect()
}

/// Every method: its name, what it does, where it comes from and whether it needs a prior.
#[pyfunction]
pub fn methods() -> Vec<(&'static str, &'static str, &'static str, bool)> {
    let of =
        |method: onesided::Method| (method.name(), method.summary(), method.citation(), method.needs_prior());
    onesided::methods().into_iter().map(of).collect()
}
