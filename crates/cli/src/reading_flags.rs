//! The settings of reading as flags, one for each in the library's list: name, value and help are written there.

use crate::failure::Failure;
use crate::inputs::Places;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use onesided::data::{ReadOptions, column_names};
use onesided::{FileOptions, Input, InputOptions, READING, ReadAgain, ReadingAbout, ReadingInfo, Roles};
use std::collections::HashSet;
use std::marker::PhantomData;
use std::path::Path;

/// Which settings a command has as flags.
pub trait Which: Clone + std::fmt::Debug + Send + Sync + 'static {
    /// Whether this is one of them.
    fn has(setting: &ReadingInfo) -> bool;
}

/// How files are written, of every command that reads rows.
#[derive(Clone, Copy, Debug)]
pub struct OfFiles;

/// How rows are read to learn from, of `fit`.
#[derive(Clone, Copy, Debug)]
pub struct OfFit;

/// The same of `prior`, which knows no truth and draws no rows.
#[derive(Clone, Copy, Debug)]
pub struct OfPrior;

/// The same of `negatives`, of tables alone.
#[derive(Clone, Copy, Debug)]
pub struct OfNegatives;

impl Which for OfFiles {
    fn has(setting: &ReadingInfo) -> bool {
        setting.about == ReadingAbout::Files
    }
}

impl Which for OfFit {
    fn has(setting: &ReadingInfo) -> bool {
        // A model has no use for names of the rows that it was fitted on.
        setting.name != "id"
    }
}

impl Which for OfPrior {
    fn has(setting: &ReadingInfo) -> bool {
        OfFit::has(setting) && setting.name != "truth" && setting.about != ReadingAbout::Rows
    }
}

impl Which for OfNegatives {
    fn has(setting: &ReadingInfo) -> bool {
        OfPrior::has(setting) && setting.about != ReadingAbout::Pictures
    }
}

/// What was given, by the names of the settings.
#[derive(Clone, Debug)]
pub struct ReadingFlags<W> {
    given: Vec<(&'static str, String)>,
    which: PhantomData<W>,
}

/// How files are written, as flags.
pub type FileFlags = ReadingFlags<OfFiles>;

/// What is typed often.
const SHORT: [(&str, char); 2] = [("label", 'l'), ("drop", 'd')];

/// The heading that a setting is under in help; the command's own where none is named.
fn heading(about: ReadingAbout) -> &'static str {
    match about {
        ReadingAbout::Files => "How files are written",
        ReadingAbout::Texts => "Texts",
        _ => "Columns",
    }
}

impl<W: Which> ReadingFlags<W> {
    /// The value of a setting, where it was given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.given.iter().rev().find(|(other, _)| *other == name).map(|(_, value)| value.as_str())
    }

    /// Every value of a setting.
    pub fn all(&self, name: &str) -> Vec<String> {
        self.given.iter().filter(|(other, _)| *other == name).map(|(_, value)| value.clone()).collect()
    }

    /// Whether a setting was given.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The first of these that was given, as a flag.
    pub fn first(&self, wanted: impl Fn(&ReadingInfo) -> bool) -> Option<String> {
        let mut named = READING.iter().filter(|setting| wanted(setting) && self.has(setting.name));
        named.next().map(|setting| format!("--{}", setting.name))
    }

    /// The flags' meaning, checked value by value.
    pub fn options(&self, places: &[&Path]) -> Result<InputOptions, Failure> {
        let mut options = InputOptions { files: self.files()?, ..InputOptions::default() };
        for setting in READING.iter().filter(|setting| setting.about != ReadingAbout::Files) {
            let given = self.given.iter().filter(|(name, _)| *name == setting.name);
            let given: Vec<String> = given.map(|(_, value)| value.clone()).collect();
            let values = if setting.repeated { columns(&given, places, &options.files) } else { given };
            values.iter().try_for_each(|value| (setting.set)(&mut options, value))?;
        }
        Ok(options)
    }

    /// How files are written; how much memory may be used is set with it.
    pub fn files(&self) -> Result<FileOptions, Failure> {
        let mut options = InputOptions::default();
        for (name, value) in &self.given {
            if let Some(setting) = ReadingInfo::find(name).filter(|setting| OfFiles::has(setting)) {
                (setting.set)(&mut options, value)?;
            }
        }
        Ok(options.files)
    }

    /// How a table for a model is written, and what is read of it besides the model's columns; one that is named twice is read
    /// once.
    pub fn again(
        &self,
        places: &[&Path],
        roles: Roles,
        keep: &[String],
        text: &[String],
    ) -> Result<ReadAgain, Failure> {
        let files = self.files()?;
        let once = |names: &[String]| -> Vec<String> {
            let mut seen = HashSet::new();
            let mut names = columns(names, places, &files);
            names.retain(|name| seen.insert(name.clone()));
            names
        };
        let roles = Roles { id: once(&roles.id), ..roles };
        Ok(ReadAgain { roles, keep: once(keep), text: once(text), ..ReadAgain::from(files.clone()) })
    }
}

impl<W: Which> ReadingFlags<W> {
    /// The place, where something must say which rows are positive: a column, a folder, or two places.
    pub fn input(&self, places: &Places) -> Result<Input, Failure> {
        let answers = ["label", "positive", "negative"].map(|name| (name, self.has(name)));
        let input = places.input(&answers)?;
        let is_table = match &input {
            Input::One(path) => !path.is_dir(),
            Input::Parts(_) => true,
            Input::Two { .. } => false,
        };
        if is_table && !self.has("label") {
            return Err(Failure::input("name the label column with --label COLUMN"));
        }
        self.check(&input)?;
        Ok(input)
    }

    /// Refuses flags about texts where there are none, and columns that pictures would push aside.
    fn check(&self, input: &Input) -> Result<(), Failure> {
        let folders = input.paths().iter().all(|path| path.is_dir());
        if let Some(flag) = self.first(|setting| setting.about == ReadingAbout::Texts)
            && !self.has("text")
            && !folders
        {
            return Err(Failure::input(format!(
                "{flag} is for texts; name their column with --text COLUMN, or give two folders of texts"
            )));
        }
        let aside = |setting: &ReadingInfo| match setting.name {
            "only" => self.has("image"),
            name => setting.about == ReadingAbout::Features && setting.repeated && name != "drop",
        };
        let pictures = self.first(|setting| setting.about == ReadingAbout::Pictures);
        if let (Some(image), Some(flag)) = (pictures, self.first(aside)) {
            return Err(Failure::input(format!(
                "with {image} a model learns from pictures alone, so {flag} would do nothing; leave one of them out"
            )));
        }
        Ok(())
    }
}

/// Names of columns, one or several of them between commas in each value. A value that is the name of a column, commas
/// included, is that column alone.
fn columns(given: &[String], places: &[&Path], files: &FileOptions) -> Vec<String> {
    if !given.iter().any(|value| value.contains(',')) {
        return given.to_vec();
    }
    let there = match places.first() {
        Some(path) if path.is_file() => {
            column_names(path, &ReadOptions::from(files.clone())).unwrap_or_default()
        }
        // What can be read only once is left to those who read it.
        _ => Vec::new(),
    };
    let split = |value: &String| -> Vec<String> {
        if there.contains(value) {
            vec![value.clone()]
        } else {
            value.split(',').map(|name| name.trim().to_string()).collect()
        }
    };
    given.iter().flat_map(split).filter(|name| !name.is_empty()).collect()
}

impl<W: Which> Args for ReadingFlags<W> {
    fn augment_args(command: Command) -> Command {
        READING.iter().filter(|setting| W::has(setting)).fold(command, |command, setting| {
            let action = if setting.repeated { ArgAction::Append } else { ArgAction::Set };
            let arg = Arg::new(setting.name).long(setting.name).value_name(setting.value).action(action);
            let arg = arg.help(setting.help).help_heading(heading(setting.about));
            let arg = match SHORT.iter().find(|(name, _)| *name == setting.name) {
                Some(&(_, short)) => arg.short(short),
                None => arg,
            };
            command.arg(match setting.value {
                "" => arg.num_args(0).default_missing_value("true"),
                "CHAR" | "VALUE" => arg.allow_hyphen_values(true),
                _ => arg,
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<W: Which> FromArgMatches for ReadingFlags<W> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self { given: Vec::new(), which: PhantomData };
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for setting in READING.iter().filter(|setting| W::has(setting)) {
            let given = matches.get_many::<String>(setting.name).into_iter().flatten();
            self.given.extend(given.map(|value| (setting.name, value.clone())));
        }
        Ok(())
    }
}
