//! The `onesided` command: learning classifiers from positive and unlabeled examples.
//!
//! Results go to standard output, everything else (progress, notes, warnings, errors) to standard error. Exit codes:
//! 0 it worked, 2 the input was bad, 3 there were no rows to score, 4 `--strict` refused, 130 it was interrupted, 1 anything else
//! (`docs/nightly.md`).

#![forbid(unsafe_code)]

mod args;
mod columns;
mod commands;
mod config_flags;
mod failure;
mod help;
mod inputs;
mod list_style;
mod metrics;
mod model_file;
mod model_flags;
mod output;
mod output_path;
mod progress;
mod reading_flags;
mod typed;
mod usage;

use args::{Arguments, Command};
use clap::FromArgMatches;
use failure::Failure;
use output::Verbosity;
use std::ffi::OsString;
use std::panic;
use std::time::Instant;

/// Runs the command with these arguments, its own name first, and returns its exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let typed: Vec<OsString> = arguments.into_iter().collect();
    typed::keep(&typed);
    let parsed = help::command().try_get_matches_from(&typed);
    let result = match parsed.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => {
            output::speak(Verbosity::of(arguments.quiet, arguments.verbose));
            progress::begin();
            contained(|| run(arguments))
        }
        Err(error) => usage::explain(&error, &typed),
    };
    match result {
        Ok(()) => 0,
        Err(failure) => failure.report(),
    }
}

/// A panic is a mistake of ours: it becomes a sentence and exit code 1, and destructors have removed temporary files.
fn contained(work: impl FnOnce() -> Result<(), Failure> + panic::UnwindSafe) -> Result<(), Failure> {
    // Where it happened is for those who ask.
    if std::env::var_os("RUST_BACKTRACE").is_none() && !output::is_verbose() {
        panic::set_hook(Box::new(|_| {}));
    }
    panic::catch_unwind(work).unwrap_or_else(|cause| {
        let text = cause.downcast_ref::<String>().map(String::as_str);
        let what = text.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(Failure::Internal(format!("internal error, please report it: {what}")))
    })
}

fn run(arguments: Arguments) -> Result<(), Failure> {
    let (json, started) = (arguments.json, Instant::now());
    let result = match arguments.command {
        Command::Demo(flags) => commands::demo::run(&flags, json),
        Command::Fit(flags) => commands::fit::run(&flags, json),
        Command::Predict(flags) => commands::predict::run(&flags, json),
        Command::Evaluate(flags) => commands::evaluate::run(&flags, json),
        Command::Watch(flags) => commands::watch::run(&flags, json),
        Command::Importance(flags) => commands::importance::run(&flags, json),
        Command::Report(flags) => commands::report::run(&flags, json),
        Command::Export(flags) => commands::export::run(&flags, json),
        Command::Audit(flags) => commands::audit::run(&flags, json),
        Command::Negatives(flags) => commands::negatives::run(&flags, json),
        Command::Prior(flags) => commands::prior::run(&flags, json),
        Command::Methods(flags) => commands::methods::run(&flags, json),
        Command::Bench(flags) => commands::bench::run(&flags, json),
        Command::Bound(flags) => commands::bound::run(&flags, json),
        Command::Data(flags) => commands::data::run(&flags, json),
        Command::Experiment(flags) => commands::experiment::run(&flags, json),
        Command::Elicit(flags) => commands::elicit::run(&flags, json),
        Command::Completions(flags) => commands::shell::completions(&flags),
        Command::Man(flags) => commands::shell::man(&flags),
    };
    if output::is_verbose() {
        let seconds = started.elapsed().as_secs_f64();
        output::note(&format!("onesided {}: {seconds:.1} s", env!("CARGO_PKG_VERSION")));
    }
    result
}
