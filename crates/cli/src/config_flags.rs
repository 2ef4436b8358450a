//! The settings of a fit as flags, one for each in the library's list: name, value and help are written there.

use crate::failure::Failure;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use onesided::learn::Applies;
use onesided::{Config, SETTINGS};
use std::path::Path;

/// What was given, by the names of the settings.
#[derive(Clone, Debug, Default)]
pub struct ConfigFlags(Vec<(&'static str, String)>);

impl ConfigFlags {
    /// The flags' meaning, checked value by value.
    pub fn config(&self) -> Result<Config, Failure> {
        let mut config = Config::default();
        for (name, value) in &self.0 {
            let swallowed = SETTINGS.iter().any(|setting| setting.name == *name && setting.value == "on|off");
            config.set(name, value).map_err(|error| match swallowed && Path::new(value).exists() {
                true => Failure::input(format!(
                    "'{value}' stands where --{name} takes its value; write --{name}=on, or put '{value}' before it"
                )),
                false => error.into(),
            })?;
        }
        Ok(config)
    }

    /// The first that was given and is none of these, as a flag.
    pub fn first_but(&self, names: &[&str]) -> Option<String> {
        self.0.iter().find(|(name, _)| !names.contains(name)).map(|(name, _)| format!("--{name}"))
    }
}

/// What is typed often.
const SHORT: [(&str, char); 3] = [("method", 'm'), ("model", 'M'), ("prior", 'p')];

/// The heading that a setting is under in help.
fn heading(applies: Applies) -> &'static str {
    match applies {
        Applies::Models | Applies::Monotone | Applies::Reading => "Losses and models",
        Applies::Networks | Applies::Pictures => "Networks",
        Applies::Systems => "Classic systems",
        _ => "What is learned",
    }
}

impl Args for ConfigFlags {
    fn augment_args(command: Command) -> Command {
        SETTINGS.iter().fold(command, |command, setting| {
            let action = if setting.repeated { ArgAction::Append } else { ArgAction::Set };
            let arg = Arg::new(setting.name).long(setting.name).value_name(setting.value).action(action);
            let arg = arg.help(setting.help).help_heading(heading(setting.applies));
            let arg = match SHORT.iter().find(|(name, _)| *name == setting.name) {
                Some(&(_, short)) => arg.short(short),
                None => arg,
            };
            // What takes no value is a switch; what may be on or off is on by its name alone.
            let arg = match setting.value {
                "" => arg.num_args(0).default_missing_value("true"),
                "on|off" => arg.num_args(0..=1).default_missing_value("on"),
                _ => arg.allow_negative_numbers(true),
            };
            command.arg(match setting.name {
                "prior" => arg.conflicts_with("prior-in-unlabeled"),
                _ => arg,
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ConfigFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for setting in SETTINGS {
            let given = matches.get_many::<String>(setting.name).into_iter().flatten();
            self.0.extend(given.map(|value| (setting.name, value.clone())));
        }
        Ok(())
    }
}
