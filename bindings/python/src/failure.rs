//! Errors as Python's: a `ValueError` whose hint is a keyword, an `OSError` where a file is the matter.

use onesided::Error;
use onesided::data::{DataError, Hint};
use pyo3::exceptions::{PyFileNotFoundError, PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    _onesided,
    NoPriorError,
    PyValueError,
    "The share of positives is needed and cannot be estimated. Its second argument is the upper end of the interval, where \
     there is one."
);

/// Keywords that take a list of names.
const LISTS: [&str; 6] = ["drop", "only", "text", "numeric", "categorical", "date"];
/// Settings of a front end that reads files; in memory there is nothing to set.
const OF_FILES: [&str; 9] =
    ["label", "truth", "format", "delimiter", "decimal", "sheet", "encoding", "memory", "follow-links"];

/// A hint as a keyword: `leave it out with drop=['age']`.
pub fn as_keyword(hint: &Hint) -> Option<String> {
    if OF_FILES.contains(&hint.setting) {
        return None;
    }
    let name = match hint.setting {
        "positive" => "pos_label".to_string(),
        other => other.replace('-', "_"),
    };
    let value = match &hint.value {
        None => "True".to_string(),
        Some(value) if name == "option" => match value.split_once('=') {
            Some((option, value)) => format!("{{'{option}': {value}}}"),
            None => value.clone(),
        },
        Some(value) if LISTS.contains(&hint.setting) => format!("['{value}']"),
        Some(value) if value.parse::<f64>().is_ok() || value.chars().all(|c| c.is_ascii_uppercase()) => {
            value.clone()
        }
        Some(value) => format!("'{value}'"),
    };
    Some(format!("{} with {name}={value}", hint.act))
}

/// The sentence of an error, with its hint.
pub fn sentence(error: &Error) -> String {
    match (error, error.hint()) {
        (Error::NotForThis { setting, .. }, _) => {
            error.to_string().replacen(setting, &setting.replace('-', "_"), 1)
        }
        (Error::NoEstimate { .. } | Error::NeedsPrior(_), _) => format!(
            "{error}; give it for the population with prior=SHARE, or for the unlabeled rows with \
             prior_in_unlabeled=SHARE"
        ),
        (_, hint) => match hint.as_ref().and_then(as_keyword) {
            Some(hint) => format!("{error}; {hint}"),
            None => error.to_string(),
        },
    }
}

/// As an exception.
pub fn raise(error: impl Into<Error>) -> PyErr {
    let error = error.into();
    let text = sentence(&error);
    match &error {
        Error::Interrupted { .. } => PyKeyboardInterrupt::new_err(text),
        Error::Data(DataError::NotFound { .. }) => PyFileNotFoundError::new_err(text),
        Error::Data(DataError::Read { .. } | DataError::Write { .. }) => PyOSError::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// As an exception; the end of a prior's interval goes with the error that there is no prior.
pub fn raise_with(error: Error, upper: Option<f64>) -> PyErr {
    match &error {
        Error::NoEstimate { .. } => NoPriorError::new_err((sentence(&error), upper)),
        _ => raise(error),
    }
}

/// As an exception that names the argument.
pub fn raise_for(argument: &str, error: impl Into<Error>) -> PyErr {
    let text = sentence(&error.into());
    // Where there is a file, errors begin with its name; here that is the argument's.
    let name = format!("'{argument}'");
    let text = text.strip_prefix(&name).map_or(text.as_str(), |rest| rest.trim_start_matches([',', ' ']));
    PyValueError::new_err(format!("{argument}: {text}"))
}
