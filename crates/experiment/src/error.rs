//! Why an experiment cannot continue.

use crate::SetError;
use onesided_classic::ClassicError;
use onesided_data::{DataError, Hint, PriorError};
use onesided_learn::Error;
use onesided_loss::LossError;
use onesided_net::NetError;
use std::io;

/// One sentence that says what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// A file that cannot be read.
    #[error("cannot read '{file}': {cause}")]
    Read {
        /// The file.
        file: String,
        /// Why.
        cause: io::Error,
    },
    /// A file that cannot be written.
    #[error("cannot write '{file}': {cause}")]
    Write {
        /// The file.
        file: String,
        /// Why.
        cause: io::Error,
    },
    /// Something in a spec, or in the file of printed values.
    #[error("'{file}': {detail}")]
    Spec {
        /// The file.
        file: String,
        /// What is wrong with it.
        detail: String,
    },
    /// A results file with a line that is not a result.
    #[error("'{file}', line {line}: {detail}; fix or delete the line")]
    Results {
        /// The file.
        file: String,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        detail: String,
    },
    /// No run of the spec is selected.
    #[error("no run of '{file}' matches '{only}'; its runs are named such as '{example}'")]
    NothingSelected {
        /// The spec.
        file: String,
        /// What was asked for.
        only: String,
        /// The name of a run.
        example: String,
    },
    /// A table is asked for a column that it does not have.
    #[error("the table has no column '{asked}'; its columns are {columns}")]
    NoColumn {
        /// What was asked for.
        asked: String,
        /// What there is.
        columns: String,
    },
    /// A run that failed.
    #[error("{run}: {cause}")]
    Run {
        /// Its name.
        run: String,
        /// Why.
        cause: Box<ExperimentError>,
    },
    /// Stopped by the user; what was finished is in the results file.
    #[error("interrupted after {done} of {all} runs; run the same command again to resume")]
    Interrupted {
        /// Runs finished by this command.
        done: usize,
        /// Runs it was to do.
        all: usize,
    },
    /// A figure that was stopped by the user; nothing of it is kept.
    #[error("interrupted in epoch {epoch}; a figure is made in one go, and the same command starts again")]
    Stopped {
        /// The epoch under way.
        epoch: usize,
    },
    /// A published data set that is not below the folder of data sets.
    #[error(
        "{title} is not in '{folder}', which has no '{missing}'; name the folder of data sets, and see \
         docs/data-sets.md for where the set comes from"
    )]
    NoSet {
        /// The set.
        title: String,
        /// Where it was looked for.
        folder: String,
        /// What of it is not there.
        missing: String,
    },
    /// Reading, learning or scoring.
    #[error(transparent)]
    Learn(#[from] Error),
    /// The files of a published set.
    #[error(transparent)]
    Set(SetError),
}

impl ExperimentError {
    /// The setting that would help, where one would.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            ExperimentError::Learn(error) => error.hint(),
            ExperimentError::Run { cause, .. } => cause.hint(),
            _ => None,
        }
    }
}

/// What the crates below say is an error of learning.
macro_rules! from_below {
    ($($error:ident),*) => {
        $(impl From<$error> for ExperimentError {
            fn from(error: $error) -> Self {
                Error::from(error).into()
            }
        })*
    };
}

from_below!(DataError, PriorError, LossError, NetError);

impl From<SetError> for ExperimentError {
    fn from(error: SetError) -> Self {
        match error {
            SetError::Data(error) => error.into(),
            other => ExperimentError::Set(other),
        }
    }
}

impl From<ClassicError> for ExperimentError {
    fn from(source: ClassicError) -> Self {
        Error::Classic { source, held_out: None }.into()
    }
}
