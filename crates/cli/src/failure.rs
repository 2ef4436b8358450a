//! How a command fails, and with which exit code.

use onesided::classic::OptionError;
use onesided::data::Hint;
use onesided::data::{DataError, PriorError, TableError};
use onesided::loss::LossError;
use onesided::net::NetError;
use onesided::{Error, HistoryError, ReadingInfo};
use std::io::ErrorKind;

/// Why a command ends early.
#[derive(Debug)]
pub enum Failure {
    /// Something about the input, in one sentence: exit 2.
    Input(String),
    /// There are no rows, so there is nothing to do: exit 3.
    Nothing(String),
    /// What `--strict` does not let pass: exit 4.
    Strict(String),
    /// Something that is not the user's doing: exit 1.
    Internal(String),
    /// Ctrl-C: exit 130, as shells expect.
    Interrupted(String),
    /// The reader of standard output has gone, as in `onesided methods | head -1`: exit 0.
    Closed,
}

impl Failure {
    /// A sentence about the input.
    pub fn input(sentence: impl Into<String>) -> Self {
        Failure::Input(sentence.into())
    }

    /// An error of reading rows for a model: of its hints only those that are flags there.
    pub fn of_reading(error: Error) -> Self {
        let is_flag = |name: &str| ReadingInfo::find(name).is_some_and(ReadingInfo::is_for_models);
        if let Error::Data(DataError::Table(TableError::NoRows { .. })) = error {
            return Failure::Nothing(format!("nothing to do: {error}"));
        }
        match error.hint() {
            Some(hint) if !is_flag(hint.setting) => Failure::Input(error.to_string()),
            _ => error.into(),
        }
    }

    /// An error of certifying rows: the way out is another form of the command, or another fit.
    pub fn of_certifying(error: Error) -> Self {
        match &error {
            Error::CertifiesFitted | Error::NoReserve => error.into(),
            _ => Failure::of_reading(error),
        }
    }

    /// Says why on standard error; returns the exit code.
    pub fn report(self) -> u8 {
        let (sentence, code) = match self {
            Failure::Input(sentence) => (sentence, 2),
            Failure::Nothing(sentence) => (sentence, 3),
            Failure::Strict(sentence) => (format!("refused under --strict: {sentence}"), 4),
            Failure::Internal(sentence) => (sentence, 1),
            Failure::Interrupted(sentence) => (sentence, 130),
            Failure::Closed => return 0,
        };
        crate::output::error(&sentence);
        code
    }
}

/// A hint as a flag: `leave it out with --drop age`.
pub fn as_flag(hint: &Hint) -> String {
    let value = hint.value.as_ref().map_or_else(String::new, |value| format!(" {value}"));
    format!("{} with --{}{value}", hint.act, hint.setting)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match (&error, error.hint()) {
            (Error::Interrupted { .. }, _) => Failure::Interrupted(error.to_string()),
            // A reader that has gone has seen enough.
            (Error::Data(DataError::Table(TableError::Write { cause, .. })), _)
                if cause.kind() == ErrorKind::BrokenPipe =>
            {
                Failure::Closed
            }
            (Error::Option(OptionError::Unknown { method, .. }), _) => {
                Failure::Input(format!("{error} ('onesided methods {method}' describes them)"))
            }
            (Error::Contradicting { setting, other, why }, _) => Failure::Input(format!(
                "--{setting} and --{other} contradict one another: {why}; leave --{setting} out"
            )),
            (Error::NotForThis { setting, for_what, chosen }, _) => Failure::Input(format!(
                "--{setting} is {for_what}, and {chosen} has no use for it; leave it out"
            )),
            (Error::Data(DataError::Setting { .. }), _) => Failure::Input(format!("--{error}")),
            (Error::NoUse { setting, why }, _) => Failure::Input(format!("--{setting} {why}; leave it out")),
            (Error::NoEstimate { .. } | Error::NeedsPrior(_), _) => Failure::Input(format!(
                "{error}; give it for the population (--prior) or for the unlabeled rows (--prior-in-unlabeled)"
            )),
            (Error::Data(DataError::ThreeLabels { positive: Some(value), .. }), Some(hint)) => {
                Failure::Input(format!(
                    "{error}; {}, or take all but one as unlabeled with --positive {value}",
                    as_flag(&hint)
                ))
            }
            (_, Some(hint)) => Failure::Input(format!("{error}; {}", as_flag(&hint))),
            (_, None) => Failure::Input(error.to_string()),
        }
    }
}

impl From<onesided::eval::EvalError> for Failure {
    fn from(error: onesided::eval::EvalError) -> Self {
        Error::from(error).into()
    }
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Self {
        match error {
            HistoryError::Write(error) => error.into(),
            other => Failure::Input(other.to_string()),
        }
    }
}

impl From<TableError> for Failure {
    fn from(error: TableError) -> Self {
        Error::from(error).into()
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Error::from(error).into()
    }
}

impl From<PriorError> for Failure {
    fn from(error: PriorError) -> Self {
        Error::from(error).into()
    }
}

impl From<LossError> for Failure {
    fn from(error: LossError) -> Self {
        Error::from(error).into()
    }
}

impl From<onesided_export::ExportError> for Failure {
    fn from(error: onesided_export::ExportError) -> Self {
        match error {
            onesided_export::ExportError::Texts(_) => Failure::Input(format!("{error} with --terms")),
            _ => Failure::Input(error.to_string()),
        }
    }
}

impl From<NetError> for Failure {
    fn from(error: NetError) -> Self {
        Error::from(error).into()
    }
}
