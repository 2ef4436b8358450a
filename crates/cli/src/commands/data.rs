//! `onesided data check`: which published data sets a folder holds, and whether they are sound.

use crate::args::{Data, DataAction};
use crate::failure::Failure;
use crate::inputs::memory_of;
use crate::output::{note, print, print_json, table};
use onesided_experiment::{ExperimentError, FoundSet, SetPart, SetSummary, survey};
use serde_json::{Value, json};
use std::path::Path;

/// Does what was asked for with data sets.
pub fn run(flags: &Data, as_json: bool) -> Result<(), Failure> {
    match &flags.action {
        Some(DataAction::Check { folder, memory }) => {
            memory_of(memory.as_deref())?;
            check(folder, as_json)
        }
        None => Err(Failure::input("name what to do with data: check; see onesided data --help")),
    }
}

/// Reads all sets and says what they hold. Damage ends in exit code 2, after everything was said.
fn check(folder: &Path, as_json: bool) -> Result<(), Failure> {
    let begun = |name: &str, path: &Path| note(&format!("reading {name}: {}", path.display()));
    let sets = survey(folder, begun).map_err(ExperimentError::from)?;
    if sets.is_empty() {
        return Err(Failure::Input(format!(
            "'{}' holds no data set that is known here; name the folder of one, or the folder around several (see \
             docs/data-sets.md)",
            folder.display()
        )));
    }
    let damaged: Vec<&str> = sets.iter().filter(|set| set.outcome.is_err()).map(|set| set.name).collect();
    if as_json {
        print_json(&json!({
            "folder": folder.display().to_string(),
            "sound": damaged.is_empty(),
            "sets": sets.iter().map(object).collect::<Vec<_>>(),
        }))?
    } else {
        print(&text(&sets))?
    }
    match damaged.len() {
        0 => Ok(()),
        count => Err(Failure::Input(format!(
            "of {} data sets {count} {} not sound: {}",
            sets.len(),
            if count == 1 { "is" } else { "are" },
            damaged.join(", ")
        ))),
    }
}

/// One line per set, then a sentence for each that has something to say.
fn text(sets: &[FoundSet]) -> String {
    let heads = ["set", "train", "test", "all", "classes", "each", "state", "where"];
    let mut rows = vec![heads.map(str::to_string).to_vec()];
    let mut sentences = String::new();
    for set in sets {
        let place = set.path.display().to_string();
        rows.push(match &set.outcome {
            Ok(summary) => {
                let SetSummary { parts, classes, shape, note } = summary;
                let rows_of = |name: &str| {
                    let part = parts.iter().find(|part| part.name == name);
                    part.map(|part| part.rows.to_string()).unwrap_or_default()
                };
                if let Some(note) = note {
                    sentences.push_str(&format!("{}: {note}\n", set.name));
                }
                let classes = if *classes == 0 { String::new() } else { classes.to_string() };
                let numbers = [rows_of("train"), rows_of("test"), rows_of("all"), classes, shape.clone()];
                let [train, test, all, classes, shape] = numbers;
                vec![set.name.to_string(), train, test, all, classes, shape, "sound".to_string(), place]
            }
            Err(problem) => {
                sentences.push_str(&format!("{}: {problem}\n", set.name));
                let mut row = vec![String::new(); heads.len()];
                (row[0], row[6], row[7]) = (set.name.to_string(), "damaged".to_string(), place);
                row
            }
        });
    }
    let between = if sentences.is_empty() { "" } else { "\n" };
    table(&rows) + between + &sentences
}

/// A set as JSON; what is not known of a damaged one is null.
fn object(set: &FoundSet) -> Value {
    let part = |part: &SetPart| json!({ "name": part.name, "rows": part.rows });
    let summary = set.outcome.as_ref().ok();
    json!({
        "set": set.name,
        "path": set.path.display().to_string(),
        "sound": summary.is_some(),
        "parts": summary.map(|summary| summary.parts.iter().map(part).collect::<Vec<_>>()),
        "classes": summary.map(|summary| summary.classes),
        "each": summary.map(|summary| &summary.shape),
        "note": summary.and_then(|summary| summary.note.as_ref()),
        "problem": set.outcome.as_ref().err().map(ToString::to_string),
    })
}
