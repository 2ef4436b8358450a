//! Where rows are and how they are read, as flags of `fit`, `prior` and `evaluate`, and what reading them met.

use crate::failure::Failure;
use crate::output::{is_verbose, note, warn};
use clap::Args;
use onesided::data::{ColumnShift, Note, NumberStyle, agree, limit_memory, parse_size};
use onesided::{Dataset, Encoding, Input, Model};
use std::path::PathBuf;

/// Where rows are: in one place, or positives and unlabeled rows separately.
#[derive(Debug, Args)]
pub struct Places {
    /// A table with a label column (.csv, .tsv, .jsonl, plain, .gz or .zst; .parquet, .feather, .xlsx, .xls, .ods; - for
    /// standard input), or a folder with one folder per class.
    #[arg(conflicts_with_all = ["positives", "unlabeled", "negatives"])]
    pub file: Option<PathBuf>,
    /// A table or a folder (texts, pictures) of positives, with --unlabeled instead of FILE.
    #[arg(long, value_name = "PATH", requires = "unlabeled")]
    pub positives: Option<PathBuf>,
    /// A table or a folder (texts, pictures) of unlabeled rows, with --positives.
    #[arg(long, value_name = "PATH", requires = "positives")]
    pub unlabeled: Option<PathBuf>,
    /// A table or a folder (texts, pictures) of known negatives, with --positives and --unlabeled.
    #[arg(long, value_name = "PATH", requires = "unlabeled")]
    pub negatives: Option<PathBuf>,
}

impl Places {
    /// The place. Flags of columns that hold answers are refused where positives are in a separate place.
    pub fn input(&self, answers: &[(&str, bool)]) -> Result<Input, Failure> {
        match (&self.file, &self.positives, &self.unlabeled) {
            (Some(file), ..) => Ok(Input::at(file)),
            (None, Some(positives), Some(unlabeled)) => match answers.iter().find(|(_, given)| *given) {
                Some((name, _)) => Err(Failure::input(format!(
                    "two files need no --{name}: every row of --positives is positive"
                ))),
                None => Ok(match &self.negatives {
                    Some(negatives) => Input::three(positives, unlabeled, negatives),
                    None => Input::two(positives, unlabeled),
                }),
            },
            _ => Err(Failure::input("name a table, or two places with --positives and --unlabeled")),
        }
    }
}

/// Sets how much memory may be used, where it is said.
pub fn memory_of(size: Option<&str>) -> Result<(), Failure> {
    if let Some(size) = size {
        limit_memory(parse_size(size)?);
    }
    Ok(())
}

/// Refuses a column of texts for a model that knows its columns.
pub fn check_texts(model: &Model, columns: &[String]) -> Result<(), Failure> {
    match model.encoding().as_ref() {
        Encoding::Text(_) => Ok(()),
        _ if columns.is_empty() => Ok(()),
        other => Err(Failure::input(format!(
            "--text is for models of folders of texts, and this one was fitted on {}; leave --text out",
            other.takes()
        ))),
    }
}

/// Says what reading met, in a line each; returns the warnings among it for `--json`.
pub fn print_notes(data: &Dataset) -> Vec<String> {
    tell(data.notes())
}

/// [`print_notes`] for whoever wants to know more; else nothing is printed yet.
pub fn detail_notes(data: &Dataset) -> Vec<String> {
    if is_verbose() {
        return tell(data.notes());
    }
    Note::told_once(data.notes()).iter().filter(|one| one.is_warning()).map(sentence).collect()
}

/// [`print_notes`] of notes that belong to no data set.
pub fn tell(notes: &[Note]) -> Vec<String> {
    let mut warnings = Vec::new();
    for one in Note::told_once(notes) {
        let sentence = sentence(&one);
        if one.is_warning() {
            warn(std::slice::from_ref(&sentence));
            warnings.push(sentence);
        } else {
            note(&format!("note: {sentence}"));
        }
    }
    warnings
}

/// [`tell`] of a table that is read for a model, without what `fit` has said of one that was read the same way. The model's
/// columns were found, so the sign between cells is the right one.
pub fn print_new_notes(model: &Model, notes: &[Note]) -> Vec<String> {
    let comma = |name: &String| match model.encoding().as_ref() {
        Encoding::Table(features) => features
            .columns()
            .iter()
            .any(|feature| feature.name == *name && feature.numbers == NumberStyle::Comma),
        _ => false,
    };
    let is_new = |note: &&Note| match note {
        Note::Delimiter(_) => false,
        Note::DecimalCommas { columns, .. } => !columns.iter().all(comma),
        _ => true,
    };
    tell(&notes.iter().filter(is_new).cloned().collect::<Vec<_>>())
}

/// Columns that hold something else than in training, for `--json`.
pub fn shifts(notes: &[Note]) -> Vec<&ColumnShift> {
    notes.iter().filter_map(Note::shifted).collect()
}

fn sentence(one: &Note) -> String {
    if let Note::Blank { rows, .. } = one {
        return format!("{one}: {} left out, as totals are", agree(*rows, "it is", "they are"));
    }
    match one.hint() {
        Some(hint) => format!("{one}; {}", crate::failure::as_flag(&hint)),
        None => one.to_string(),
    }
}
