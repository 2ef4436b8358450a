//! What texts say: how the first of them begin, and the words that carried their scores.

use crate::{ListedRow, Model};
use onesided_data::{Encoding, FeatureKind, Input, ReadAgain, TextEncoding, text_of_file};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Letters of the start of a text.
const LETTERS: usize = 400;
/// The largest parts of a score that are looked at.
pub(super) const PARTS: usize = 40;
/// Words that are told.
const WORDS: usize = 20;

/// A word, and what it did in the first rows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CarryingWord {
    /// The word, or the words that stand together.
    pub word: String,
    /// How many of the first rows it was among the largest parts of.
    pub rows: usize,
    /// What it added to their scores, as a mean over all the first rows.
    pub mean: f64,
}

/// The words that moved the scores of some rows most, the strongest first. Empty where no texts are learned from.
pub(super) fn carrying(model: &Model, rows: &[ListedRow]) -> Vec<CarryingWord> {
    let is_word: Box<dyn Fn(&str) -> bool> = match model.encoding().as_ref() {
        Encoding::Text(_) => Box::new(|_| true),
        Encoding::Table(features) => {
            let (columns, alone) = (features.columns(), features.columns().len() == 1);
            let texts = columns.iter().filter(|column| matches!(column.kind, FeatureKind::Text { .. }));
            let begin: Vec<String> = texts.map(|column| format!("{}:", column.name)).collect();
            Box::new(move |name| {
                !begin.is_empty() && (alone || begin.iter().any(|column| name.starts_with(column)))
            })
        }
        _ => return Vec::new(),
    };
    let mut sums: BTreeMap<&str, (usize, f64)> = BTreeMap::new();
    for part in rows.iter().flat_map(|row| &row.because).filter(|part| is_word(&part.feature)) {
        let (rows, sum) = sums.entry(&part.feature).or_default();
        *rows += 1;
        *sum += part.value;
    }
    let of = |(word, (with, sum)): (&str, (usize, f64))| CarryingWord {
        word: word.to_string(),
        rows: with,
        mean: sum / rows.len() as f64,
    };
    let mut words: Vec<CarryingWord> = sums.into_iter().map(of).collect();
    words.sort_by(|a, b| b.mean.abs().total_cmp(&a.mean.abs()).then(a.word.cmp(&b.word)));
    words.truncate(WORDS);
    words
}

/// How the texts of some rows of folders begin; empty where rows are none, or are not to be had again.
pub(super) fn starts(input: &Input, also: &ReadAgain, rows: &[ListedRow]) -> Vec<String> {
    let folders: Vec<&Path> = match input {
        // The list is of unlabeled rows first of all.
        Input::Two { positives, unlabeled, negatives } => {
            [Some(unlabeled), Some(positives), negatives.as_ref()]
                .into_iter()
                .flatten()
                .map(|path| path.as_path())
                .collect()
        }
        Input::One(folder) => vec![folder],
    };
    let start = |row: &ListedRow| -> Option<String> {
        let name = row.cells.first()?;
        let path = folders.iter().map(|folder| folder.join(name)).find(|path| path.is_file())?;
        Some(start_of(&path, also.files.encoding))
    };
    match folders.iter().all(|folder| folder.is_dir()) {
        true => rows.iter().map(|row| start(row).unwrap_or_default()).collect(),
        false => Vec::new(),
    }
}

/// The first words of a file, with single spaces.
fn start_of(path: &Path, encoding: Option<TextEncoding>) -> String {
    let text = text_of_file(path, encoding).map(|read| read.text).unwrap_or_default();
    let mut start = String::new();
    for word in text.split_whitespace() {
        if start.len() > 4 * LETTERS || start.chars().count() > LETTERS {
            break;
        }
        if !start.is_empty() {
            start.push(' ');
        }
        start.push_str(word);
    }
    start
}
