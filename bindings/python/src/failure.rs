//! Errors as Python's: a `ValueError` whose hint is a keyword, an `OSError` where a file is the matter.

use onesided::data::{DataError, Hint, TableError};
use onesided::net::NetError;
use onesided::{Error, InputOptions, READING, ReadingInfo};
use pyo3::exceptions::{PyFileNotFoundError, PyKeyboardInterrupt, PyOSError, PyValueError};
use pyo3::prelude::*;

pyo3::create_exception!(
    _onesided,
    NoPriorError,
    PyValueError,
    "The share of positives is needed and cannot be estimated."
);

/// Settings of the label column that have a keyword though no column comes with them.
const ASKED_OTHERWISE: [&str; 2] = ["positive", "negative"];

/// A hint as a keyword: `leave it out with drop=['age']`.
pub fn as_keyword(hint: &Hint) -> Option<String> {
    let reading = ReadingInfo::find(hint.setting);
    // Of a front end that reads files: in memory there is nothing to set.
    if reading.is_some_and(|setting| !setting.is_for_memory() && !ASKED_OTHERWISE.contains(&setting.name)) {
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
        Some(value) if reading.is_some_and(|setting| setting.repeated) => format!("['{value}']"),
        Some(value) if value.parse::<f64>().is_ok() || value.chars().all(|c| c.is_ascii_uppercase()) => {
            value.clone()
        }
        Some(value) => format!("'{value}'"),
    };
    Some(format!("{} with {name}={value}", hint.act))
}

/// The argument that an error is about, where its kind tells.
fn argument_of(error: &Error) -> Option<String> {
    let name = match error {
        Error::Setting { setting, .. } | Error::NotForThis { setting, .. } | Error::NoUse { setting, .. } => {
            return Some(setting.replace('-', "_"));
        }
        Error::Contradicting { setting, other, .. } => {
            return Some(format!("{setting} and {other}").replace('-', "_"));
        }
        Error::SparseRows(_) => "estimator",
        Error::CrossFitHoldOut => "hold_out and cross_fit",
        Error::Option(_) => "option",
        Error::Monotone(_) | Error::NoMonotoneMember { .. } => "monotone",
        Error::DependsOn(_) => "labeling_depends_on",
        Error::Prior(_) | Error::NothingToEstimate(_) | Error::EasyFirstShare => "prior",
        Error::NoEstimate { .. } | Error::NeedsPrior(_) => "prior",
        Error::ThresholdNeedsPrior | Error::ThresholdWeights => "threshold",
        Error::Reserve { .. } | Error::NoReserve => "reserve",
        Error::NoNegatives { .. } => "negative",
        Error::NoWeights { .. } => "sample_weight",
        Error::ModelForMethod { .. } | Error::ModelInput { .. } => "model",
        Error::NotExplained { .. } | Error::NoColumns { .. } | Error::NegativeCount { .. } => "X",
        _ => return None,
    };
    Some(name.to_string())
}

/// The sentence of an error, with its hint.
pub fn sentence(error: &Error) -> String {
    match (error, error.hint()) {
        // The argument's name comes before it.
        (Error::NotForThis { for_what, chosen, .. }, _) => {
            format!("it is {for_what}, and {chosen} has no use for it; leave it out")
        }
        (Error::NoUse { why, .. }, _) => format!("it {why}; leave it out"),
        (Error::Contradicting { setting, why, .. }, _) => {
            let setting = setting.replace('-', "_");
            format!("they contradict one another, since {why}; leave {setting} out")
        }
        (Error::NoEstimate { .. } | Error::NeedsPrior(_), _) => format!(
            "{error}; give it for the population with prior=SHARE, or for the unlabeled rows with \
             prior_in_unlabeled=SHARE"
        ),
        (Error::Data(DataError::Setting { must, found, .. }), _) => {
            format!("must be {must}, but is {found}")
        }
        // A cell in memory is not left empty.
        (Error::Data(DataError::Table(TableError::NotFinite { place, column, value, .. })), _) => {
            format!("{place}, column '{column}': {value} is not a finite number; give NaN if it is missing")
        }
        (Error::Data(DataError::Table(TableError::TooLarge { place, column, value, .. })), _) => format!(
            "{place}, column '{column}': {value} does not fit a 32-bit float; rescale the column, or give NaN if it is \
             missing"
        ),
        (_, hint) => match hint.as_ref().and_then(as_keyword) {
            Some(hint) => format!("{error}; {hint}"),
            None => error.to_string(),
        },
    }
}

/// The sentence of an error, in which rows count from 0 as they do in Python.
fn in_python(error: &mut Error) -> String {
    let from_zero = match error {
        Error::Data(error) => error.count_rows_from_zero(),
        Error::NegativeCount { row, .. } | Error::Score { row, .. } => {
            *row = row.saturating_sub(1);
            true
        }
        _ => false,
    };
    let text = sentence(error);
    if from_zero { format!("{text}; rows count from 0") } else { text }
}

/// The same behind the name of the argument.
fn named(error: &mut Error) -> String {
    let text = in_python(error);
    match argument_of(error) {
        Some(argument) => format!("{argument}: {text}"),
        None => text,
    }
}

/// As an exception.
pub fn raise(error: impl Into<Error>) -> PyErr {
    let mut error = error.into();
    let text = named(&mut error);
    // Checkpoints are files, too.
    if let Error::Net(NetError::Data(DataError::Table(TableError::Read { .. } | TableError::Write { .. }))) =
        &error
    {
        return PyOSError::new_err(text);
    }
    match &error {
        Error::NoEstimate { .. } => NoPriorError::new_err(text),
        Error::Interrupted { .. } => PyKeyboardInterrupt::new_err(text),
        Error::Data(DataError::Table(TableError::NotFound { .. })) => PyFileNotFoundError::new_err(text),
        Error::Data(DataError::Table(TableError::Read { .. } | TableError::Write { .. })) => {
            PyOSError::new_err(text)
        }
        _ => PyValueError::new_err(text),
    }
}

/// The name of the rows that an error's sentence begins with: where they are in memory, that of their argument.
fn place_of(error: &Error) -> Option<&str> {
    let Error::Data(DataError::Table(error)) = error else { return None };
    match error {
        TableError::NoRows { file }
        | TableError::TooManyRows { file, .. }
        | TableError::OtherDecimal { file, .. }
        | TableError::UnlikeDecimal { file, .. }
        | TableError::OpenDecimal { file, .. }
        | TableError::UnlikeDate { file, .. }
        | TableError::NotANumber { file, .. }
        | TableError::MissingCell { file, .. } => Some(file),
        _ => None,
    }
}

/// As an exception that names the argument.
pub fn raise_for(argument: &str, error: impl Into<Error>) -> PyErr {
    let mut error = error.into();
    let text = in_python(&mut error);
    match place_of(&error) == Some(argument) {
        true => PyValueError::new_err(text),
        false => PyValueError::new_err(format!("{argument}: {text}")),
    }
}

/// As an exception about X, or about the keyword that says how X is read.
pub fn raise_reading(options: &InputOptions, error: DataError) -> PyErr {
    raise_for(&argument_of_reading(options, &error), error)
}

/// The argument that an error of reading is about: the keyword that asks for what X does not have, otherwise X.
fn argument_of_reading(options: &InputOptions, error: &DataError) -> String {
    let naming = |column: &String| -> Vec<&str> {
        let naming = READING.iter().filter(|setting| (setting.columns)(options).contains(column));
        naming.map(|setting| setting.name).collect()
    };
    let found = match error {
        DataError::Table(TableError::UnknownColumn { name, .. }) => {
            naming(name).first().map(ToString::to_string)
        }
        DataError::TwoRoles { column, .. } => Some(naming(column).join(" and ")),
        DataError::Setting { setting, .. } => Some(setting.replace('-', "_")),
        DataError::NumericText { .. } => Some("text".to_string()),
        DataError::NotDates { .. } => Some("date".to_string()),
        DataError::PhraseLengths { .. } => Some("ngrams".to_string()),
        DataError::NoTerms { .. } => options.min_texts.map(|_| "min_texts".to_string()),
        DataError::ImageSize { .. } | DataError::ImageChannels(_) | DataError::ImageColumns { .. } => {
            Some("image_shape".to_string())
        }
        _ => None,
    };
    found.filter(|name| !name.is_empty()).unwrap_or_else(|| "X".to_string())
}
