//! `onesided experiment`: runs a spec, resumes where it stopped, and makes its table or its figure.

mod figure;
mod run;
mod table;

use crate::failure::{Failure, as_flag};
use clap::{Args, Subcommand};
use onesided::data::{Hint, nearest};
use onesided_experiment::{ExperimentError, Spec};
use std::path::{Path, PathBuf};

/// Flags of `experiment`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Experiment {
    /// What to do instead of running a spec.
    #[command(subcommand)]
    pub action: Option<Action>,
    /// Runs to do.
    #[command(flatten)]
    pub run: run::Flags,
}

/// What can be done besides running.
#[derive(Debug, Subcommand)]
pub enum Action {
    /// Make a table of the results: mean and deviation over seeds, next to the printed values.
    Table(table::Flags),
    /// Train a spec's run with two units before the score, draw them epoch by epoch, and list the rows that change sides.
    Figure(figure::Flags),
}

/// Does what was asked for with an experiment.
pub fn run(flags: &Experiment, as_json: bool) -> Result<(), Failure> {
    match &flags.action {
        Some(Action::Table(flags)) => table::run(flags, as_json),
        Some(Action::Figure(flags)) => figure::run(flags, as_json),
        None if flags.run.list => run::list(as_json),
        None => run::run(&flags.run, as_json),
    }
}

/// Reads a spec by its path, or by the name it has in the folder `experiments` or among those that are built in.
fn spec(named: &Path) -> Result<Spec, Failure> {
    let inside = Path::new("experiments").join(named).with_extension("toml");
    let bare = named.components().count() == 1 && named.extension().is_none();
    let path: PathBuf = if bare && !named.exists() { inside } else { named.to_path_buf() };
    match Spec::read(&path) {
        Err(ExperimentError::Read { .. }) if !path.exists() => {
            match named.to_str().and_then(Spec::built_in) {
                Some(spec) => Ok(spec?),
                None => {
                    let meant = named.to_str().and_then(|name| nearest(name, Spec::built_in_names()));
                    Err(Failure::Input(format!(
                        "there is no spec '{}'{}; name a .toml file, or one of those that 'onesided experiment --list' shows",
                        path.display(),
                        meant.map_or_else(String::new, |name| format!(" (did you mean '{name}'?)"))
                    )))
                }
            }
        }
        other => Ok(other?),
    }
}

impl From<ExperimentError> for Failure {
    fn from(error: ExperimentError) -> Self {
        match error {
            ExperimentError::Interrupted { .. } | ExperimentError::Stopped { .. } => {
                Failure::Interrupted(error.to_string())
            }
            error => match error.hint().and_then(|hint| advice(&hint)) {
                Some(advice) => Failure::Input(format!("{error}; {advice}")),
                None => Failure::Input(error.to_string()),
            },
        }
    }
}

/// A hint as a flag of the command or a key of the spec; none where it is neither.
fn advice(hint: &Hint) -> Option<String> {
    match (hint.setting, &hint.value) {
        ("device", _) => Some(as_flag(hint)),
        (setting @ ("batch" | "learning-rate"), Some(value)) => {
            Some(format!("{} with {} = {value} in the spec", hint.act, setting.replace('-', "_")))
        }
        _ => None,
    }
}
