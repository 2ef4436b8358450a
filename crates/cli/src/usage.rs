//! What cannot be parsed, in one sentence each: the flag, command or value that was typed, and the one that was
//! probably meant.

use crate::failure::Failure;
use crate::help;
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use onesided::data::nearest;
use std::error::Error;
use std::ffi::OsString;
use std::num::{ParseFloatError, ParseIntError};
use std::path::Path;

/// What other tools call our flags. A word is looked up only where a command has no flag of that name.
const OTHER_FLAGS: [(&str, &str); 21] = [
    ("algorithm", "method"),
    ("architecture", "model"),
    ("batch-size", "batch"),
    ("exclude", "drop"),
    ("gpu", "device"),
    ("ignore", "drop"),
    ("jobs", "threads"),
    ("loss", "method"),
    ("lr", "learning-rate"),
    ("n-jobs", "threads"),
    ("net", "model"),
    ("network", "model"),
    ("output", "out"),
    ("pi", "prior"),
    ("random-state", "seed"),
    ("sep", "delimiter"),
    ("separator", "delimiter"),
    ("target", "label"),
    ("validation", "hold-out"),
    ("workers", "threads"),
    ("y", "label"),
];

/// What other tools call our commands.
const OTHER_COMMANDS: [(&str, &str); 8] = [
    ("estimate", "prior"),
    ("explain", "predict"),
    ("learn", "fit"),
    ("list", "methods"),
    ("rank", "predict"),
    ("score", "predict"),
    ("test", "evaluate"),
    ("train", "fit"),
];

/// A first fit, for those who typed nothing but the command.
const FIT_EXAMPLE: &str = "onesided fit table.csv --label COLUMN --out model.onesided";

/// Turns clap's answer to what was `typed` into ours: help and version are results, everything else is one sentence.
pub fn explain(error: &clap::Error, typed: &[OsString]) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => crate::output::print_styled(&error.render()),
        _ => Err(Failure::Input(sentence(error, typed))),
    }
}

fn sentence(error: &clap::Error, typed: &[OsString]) -> String {
    let (path, command) = command_of(typed);
    let context = |kind| error.get(kind).and_then(text);
    match error.kind() {
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            format!("name a command: {}; see {path} --help", listed(&commands(&command)))
        }
        ErrorKind::InvalidSubcommand => {
            let name = context(ContextKind::InvalidSubcommand).unwrap_or_default();
            unknown_command(&name, &path, &command)
        }
        ErrorKind::UnknownArgument => {
            let name = context(ContextKind::InvalidArg).unwrap_or_default();
            if name.starts_with('-') {
                unknown_flag(&name, &path, &command)
            } else if command.has_subcommands() && command.get_positionals().next().is_none() {
                unknown_command(&name, &path, &command)
            } else if Path::new(&name).is_dir()
                && command.get_arguments().any(|arg| arg.get_id() == "positives")
            {
                // The words around it may be in any order, so the other folder is not named.
                format!("two folders are given as --positives FOLDER --unlabeled FOLDER; see {path} --help")
            } else {
                format!("'{name}' is one argument too many; see {path} --help")
            }
        }
        ErrorKind::InvalidValue if error.get(ContextKind::ValidValue).is_some() => {
            let value = context(ContextKind::InvalidValue).unwrap_or_default();
            let known = match error.get(ContextKind::ValidValue) {
                Some(ContextValue::Strings(known)) => known.iter().map(String::as_str).collect(),
                _ => Vec::new(),
            };
            let flag = context(ContextKind::InvalidArg).unwrap_or_default();
            if !value.is_empty() {
                format!("'{value}' is unknown{}; use {}", meant(&value, &known), listed(&known))
            } else if known.is_empty() {
                format!("{flag} needs a value")
            } else {
                format!("{flag} needs a value: {}", listed(&known))
            }
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = context(ContextKind::InvalidArg).unwrap_or_default();
            // Without a table, where to write is not the first thing to say.
            let bare = missing.starts_with("--out") && typed.len() <= path.split(' ').count();
            match bare {
                true if path == "onesided fit" => {
                    format!("name a table, and the model to write: {FIT_EXAMPLE}; see {path} --help")
                }
                _ if missing.starts_with("--out") && path == "onesided fit" => {
                    format!(
                        "'{path}' needs {missing}, the model to write, such as --out model.onesided; see {path} --help"
                    )
                }
                _ => format!("'{path}' needs {missing}; see {path} --help"),
            }
        }
        ErrorKind::ValueValidation => {
            let flag = context(ContextKind::InvalidArg).unwrap_or_default();
            let value = context(ContextKind::InvalidValue).unwrap_or_default();
            match error.source().and_then(takes) {
                Some(takes) => format!("{flag} takes {takes}, not '{value}'"),
                None => first_paragraph(error),
            }
        }
        ErrorKind::ArgumentConflict => {
            let (one, other) = (
                context(ContextKind::InvalidArg).unwrap_or_default(),
                context(ContextKind::PriorArg).unwrap_or_default(),
            );
            let apart = ["--positives", "--unlabeled", "--negatives"];
            let is_place =
                |given: &str| given == "[FILE]" || apart.iter().any(|flag| given.starts_with(flag));
            if is_place(&one) && is_place(&other) {
                format!(
                    "name one table that holds all rows, or two places with --positives and --unlabeled, but not both; see {path} \
                     --help"
                )
            } else {
                first_paragraph(error)
            }
        }
        _ => first_paragraph(error),
    }
}

/// What a value should have been, by why it was refused.
fn takes(cause: &(dyn Error + 'static)) -> Option<&'static str> {
    if cause.is::<ParseIntError>() {
        Some("a whole number from 0 on")
    } else if cause.is::<ParseFloatError>() {
        Some("a number")
    } else {
        None
    }
}

/// The command that was typed, as far as there is such a one, and how it is called.
fn command_of(typed: &[OsString]) -> (String, Command) {
    let mut command = help::command();
    let mut path = "onesided".to_string();
    for word in typed.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(part) = command.find_subcommand(word).cloned() {
            path = format!("{path} {word}");
            command = part;
        } else if !word.starts_with('-') {
            break;
        }
    }
    (path, command)
}

fn commands(command: &Command) -> Vec<&str> {
    command.get_subcommands().map(Command::get_name).collect()
}

/// That there is no such command, and what may have been meant.
pub fn unknown_command(name: &str, path: &str, command: &Command) -> String {
    let known = commands(command);
    let other = OTHER_COMMANDS.iter().find(|(other, ours)| *other == name && known.contains(ours));
    match other.map(|(_, ours)| *ours).or_else(|| nearest(name, known.iter().copied())) {
        Some(meant) => format!("there is no command '{name}'; did you mean '{path} {meant}'?"),
        None => format!("there is no command '{name}'; the commands are {}", listed(&known)),
    }
}

fn unknown_flag(name: &str, path: &str, command: &Command) -> String {
    let root = help::command();
    let here: Vec<&str> = flags(command).chain(flags(&root)).collect();
    let bare = name.trim_start_matches('-').replace('_', "-").to_lowercase();
    let same = here.iter().copied().find(|flag| *flag == bare);
    let other = OTHER_FLAGS.iter().find(|(other, ours)| *other == bare && here.contains(ours));
    let elsewhere = || {
        let mut found = Vec::new();
        for command in root.get_subcommands() {
            if flags(command).any(|flag| flag == bare) {
                found.push(command.get_name().to_string());
            }
            let inner = command.get_subcommands().filter(|inner| flags(inner).any(|flag| flag == bare));
            found.extend(inner.map(|inner| format!("{} {}", command.get_name(), inner.get_name())));
        }
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        (!found.is_empty()).then(|| format!("it is a flag of {}", joined(&found, "and")))
    };
    let meant = |flag: &str| format!("did you mean '--{flag}'?");
    let near = || nearest(&bare, here.iter().copied());
    let advice = same
        .or(other.map(|(_, ours)| *ours))
        .map(meant)
        .or_else(elsewhere)
        .or_else(|| near().map(meant))
        .unwrap_or_else(|| format!("see {path} --help"));
    format!("'{path}' has no flag '{name}'; {advice}")
}

/// The long flags of a command.
fn flags(command: &Command) -> impl Iterator<Item = &str> {
    command.get_arguments().filter_map(|argument| argument.get_long())
}

fn meant(given: &str, known: &[&str]) -> String {
    nearest(given, known.iter().copied())
        .map_or_else(String::new, |name| format!(" (did you mean '{name}'?)"))
}

/// One text, or several behind each other.
fn text(value: &ContextValue) -> Option<String> {
    match value {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => Some(texts.join(", ")),
        _ => None,
    }
}

/// `a, b or c`.
pub fn listed(names: &[&str]) -> String {
    joined(names, "or")
}

/// `a`, `a and b`, or `a, b and c`, for another word than `and` with that.
pub fn joined(names: &[&str], last_by: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.to_string(),
        [first @ .., last] => format!("{} {last_by} {last}", first.join(", ")),
    }
}

/// The first paragraph of clap's message on one line, with its tip.
fn first_paragraph(error: &clap::Error) -> String {
    let message = error.render().to_string();
    let text = message.strip_prefix("error: ").unwrap_or(&message);
    let first: Vec<&str> = text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect();
    let tip = text.lines().find_map(|line| line.trim().strip_prefix("tip: "));
    let tip = tip.map_or_else(String::new, |tip| format!("; {tip}"));
    format!("{}{tip}", first.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(line: &str) -> String {
        let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let error = help::command().try_get_matches_from(&typed).unwrap_err();
        sentence(&error, &typed)
    }

    #[test]
    fn messages_are_one_sentence() {
        assert_eq!(
            refused("onesided fit a.csv --label y"),
            "'onesided fit' needs --out <FILE>, the model to write, such as --out model.onesided; see onesided fit --help"
        );
        assert_eq!(
            refused("onesided fit"),
            "name a table, and the model to write: onesided fit table.csv --label COLUMN --out model.onesided; see onesided fit \
             --help"
        );
        assert_eq!(
            refused("onesided fit a.csv --positives b.csv --unlabeled c.csv --out m"),
            "name one table that holds all rows, or two places with --positives and --unlabeled, but not both; see onesided fit \
             --help"
        );
        assert_eq!(refused("onesided fit a.csv --out"), "--out <FILE> needs a value");
        assert!(refused("onesided completions").starts_with("'onesided completions' needs <SHELL>"));
        assert_eq!(
            refused("onesided prior a.csv --seed third"),
            "--seed <N> takes a whole number from 0 on, not 'third'"
        );
        assert_eq!(refused("onesided elicit --mu half"), "--mu <SHARE> takes a number, not 'half'");
        assert_eq!(
            refused("onesided predict m a.csv b.csv"),
            "'b.csv' is one argument too many; see onesided predict --help"
        );
        assert!(refused("onesided").starts_with("name a command: demo, fit, predict"));
    }

    #[test]
    fn flags_that_were_meant() {
        let fit = |flag: &str| refused(&format!("onesided fit a.csv --out m {flag}"));
        assert_eq!(fit("--labl y"), "'onesided fit' has no flag '--labl'; did you mean '--label'?");
        assert_eq!(fit("--net mlp"), "'onesided fit' has no flag '--net'; did you mean '--model'?");
        assert_eq!(
            fit("--max_terms 3"),
            "'onesided fit' has no flag '--max_terms'; did you mean '--max-terms'?"
        );
        assert_eq!(fit("--verbos"), "'onesided fit' has no flag '--verbos'; did you mean '--verbose'?");
        assert_eq!(fit("--wait"), "'onesided fit' has no flag '--wait'; see onesided fit --help");
        assert_eq!(
            refused("onesided predict m a.csv --prior 0.3"),
            "'onesided predict' has no flag '--prior'; it is a flag of fit and negatives"
        );
        let elsewhere = |line: &str, wanted: &str| {
            let said = refused(line);
            assert!(said.ends_with(wanted), "{said}");
        };
        elsewhere("onesided predict m a.csv --truth y", "it is a flag of fit, evaluate and importance");
        elsewhere(
            "onesided fit a.csv --out m --id name",
            "it is a flag of predict, report, audit draw and negatives",
        );
        let fit = help::command();
        let fit = fit.find_subcommand("fit").unwrap();
        for (other, ours) in OTHER_FLAGS {
            assert!(flags(fit).any(|flag| flag == ours), "{ours}");
            assert!(!flags(fit).any(|flag| flag == other), "{other}");
        }
    }

    #[test]
    fn commands_and_values_that_were_meant() {
        assert_eq!(
            refused("onesided predit m"),
            "there is no command 'predit'; did you mean 'onesided predict'?"
        );
        assert_eq!(
            refused("onesided train a.csv"),
            "there is no command 'train'; did you mean 'onesided fit'?"
        );
        assert!(
            refused("onesided cook").starts_with("there is no command 'cook'; the commands are demo, fit")
        );
        assert_eq!(
            refused("onesided audit drw"),
            "there is no command 'drw'; did you mean 'onesided audit draw'?"
        );
        assert_eq!(
            refused("onesided completions bsh"),
            "'bsh' is unknown (did you mean 'bash'?); use bash, elvish, fish, powershell or zsh"
        );
        for (_, ours) in OTHER_COMMANDS {
            assert!(help::command().find_subcommand(ours).is_some(), "{ours}");
        }
    }
}
