//! Texts as input: a column of a table, or a folder with a file a text.

use super::tell_missing;
use crate::failure::Failure;
use crate::output::note;
use clap::Args;
use onesided::data::{
    DataError, ENGLISH_STOP_WORDS, Frame, MissingPolicy, ReadOptions, TextOptions, Values, Weighting, read,
};
use onesided::{Family, MethodCard, NETWORK_TERMS};
use std::fs;
use std::path::{Path, PathBuf};

/// Flags about texts, of `fit` and `prior`.
#[derive(Debug, Default, Args)]
pub struct TextFlags {
    /// A column of texts to learn from, in place of all other columns; several are joined by a blank.
    #[arg(long, value_name = "COLUMN")]
    pub text: Vec<String>,
    /// Of texts: tfidf, sublinear (TF-IDF of 1 + ln count) or counts [default: tfidf; counts for s-em].
    #[arg(long, value_name = "KIND")]
    pub features: Option<String>,
    /// Of texts: words, and phrases of up to so many of them [default: 1].
    #[arg(long, value_name = "N")]
    pub ngrams: Option<usize>,
    /// Of texts: a term must occur in so many of them [default: 2].
    #[arg(long, value_name = "N")]
    pub min_texts: Option<usize>,
    /// Of texts: at most so many terms, the most frequent [default: all; 5000 for a network].
    #[arg(long, value_name = "N")]
    pub max_terms: Option<usize>,
    /// Of texts: words to leave out, none or english [default: none].
    #[arg(long, value_name = "LIST")]
    pub stop_words: Option<String>,
}

impl TextFlags {
    /// What becomes of texts for this method; refused before anything is read.
    pub fn options(&self, method: &MethodCard) -> Result<TextOptions, Failure> {
        let weighting = if method.needs_counts { Weighting::Counts } else { Weighting::TfIdf };
        let most = (method.family == Family::Network).then_some(NETWORK_TERMS);
        self.options_or(weighting, most)
    }

    /// What becomes of texts, with the weighting and the largest number of terms where the user names none.
    pub fn options_or(&self, weighting: Weighting, most: Option<usize>) -> Result<TextOptions, Failure> {
        let mut options = TextOptions::default();
        options.weighting = match self.features.as_deref() {
            None => weighting,
            Some("tfidf") => Weighting::TfIdf,
            Some("sublinear") => Weighting::SublinearTfIdf,
            Some("counts") => Weighting::Counts,
            Some(other) => {
                return Err(Failure::input(format!(
                    "unknown features '{other}' of texts; use tfidf, sublinear or counts"
                )));
            }
        };
        options.phrase_lengths = (1, self.ngrams.unwrap_or(1));
        options.min_texts = self.min_texts.unwrap_or(options.min_texts);
        options.max_terms = self.max_terms.or(most);
        match self.stop_words.as_deref() {
            None | Some("none") => {}
            Some("english") => {
                options.stop_words = ENGLISH_STOP_WORDS.iter().map(ToString::to_string).collect()
            }
            Some(other) => {
                return Err(Failure::input(format!("unknown stop words '{other}'; use none or english")));
            }
        }
        for (name, value) in [("--min-texts", self.min_texts), ("--max-terms", self.max_terms)] {
            if value == Some(0) {
                return Err(Failure::input(format!("{name} must be at least 1, but is 0")));
            }
        }
        Ok(options)
    }

    /// The flag that was given although there are no texts.
    pub fn without_texts(&self) -> Option<&'static str> {
        let given = [
            ("--features", self.features.is_some()),
            ("--ngrams", self.ngrams.is_some()),
            ("--min-texts", self.min_texts.is_some()),
            ("--max-terms", self.max_terms.is_some()),
            ("--stop-words", self.stop_words.is_some()),
        ];
        given.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

/// Reads the columns of texts, and those in `extra`, of a table; no others.
pub fn read_table(file: &Path, columns: &[String], extra: &[&str]) -> Result<Frame, Failure> {
    let wanted: Vec<String> = columns.iter().cloned().chain(extra.iter().map(ToString::to_string)).collect();
    Ok(read(file, &ReadOptions { text: wanted.clone(), only: Some(wanted), ..ReadOptions::default() })?)
}

/// Reads the texts of a table, and says which columns were left aside; those in `extra` stay in the frame.
pub fn read_texts(
    file: &Path,
    columns: &[String],
    extra: &[&str],
    missing: MissingPolicy,
) -> Result<(Vec<String>, Frame), Failure> {
    let mut frame = read_table(file, columns, extra)?;
    let texts = take_texts(&mut frame, columns, missing)?;
    if !frame.ignored.is_empty() {
        let ignored = frame.ignored.join(", ");
        note(&format!("note: only the texts are learned from; not used: {ignored}"));
    }
    Ok((texts, frame))
}

/// Takes the texts out of a table; cells of several columns are joined, missing ones are empty or refused.
pub fn take_texts(
    frame: &mut Frame,
    columns: &[String],
    policy: MissingPolicy,
) -> Result<Vec<String>, Failure> {
    let mut texts = vec![String::new(); frame.rows];
    let mut missing = Vec::new();
    for (at, name) in columns.iter().enumerate() {
        let column = frame.take(name)?;
        let empty = column.values.missing();
        if empty > 0 {
            missing.push((name.clone(), empty));
        }
        let Values::Categorical { codes, levels } = column.to_text().values else { continue };
        if policy == MissingPolicy::Refuse
            && let Some(row) = codes.iter().position(|&code| levels.get(code as usize).is_none())
        {
            return Err(DataError::MissingValue { column: name.clone(), row: row + 1 }.into());
        }
        for (text, &code) in texts.iter_mut().zip(&codes) {
            if at > 0 {
                text.push(' ');
            }
            text.push_str(levels.get(code as usize).map_or("", String::as_str));
        }
    }
    tell_missing(&missing);
    Ok(texts)
}

/// Texts of a folder, with the names of their files.
pub struct Files {
    pub names: Vec<String>,
    pub texts: Vec<String>,
}

/// Reads every file of a folder as a text, in the order of their names. Hidden files do not count.
pub fn read_folder(folder: &Path) -> Result<Files, Failure> {
    let cannot = |path: &Path, why: &str| Failure::input(format!("cannot read '{}': {why}", path.display()));
    let entries = fs::read_dir(folder).map_err(|error| cannot(folder, &error.to_string()))?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(|error| cannot(folder, &error.to_string()))?.path());
    }
    let name =
        |path: &Path| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    paths.retain(|path| !name(path).starts_with('.'));
    paths.sort();
    let (mut names, mut texts, mut older) = (Vec::new(), Vec::new(), 0);
    for path in &paths {
        if path.is_dir() {
            return Err(cannot(
                path,
                "a folder of texts holds no folders; name one that has the files themselves",
            ));
        }
        if path.extension().is_some_and(|extension| !extension.eq_ignore_ascii_case("txt")) {
            return Err(cannot(
                path,
                "a folder of texts holds .txt files and files without an extension; move others elsewhere",
            ));
        }
        let bytes = fs::read(path).map_err(|error| cannot(path, &error.to_string()))?;
        texts.push(String::from_utf8(bytes).unwrap_or_else(|error| {
            older += 1;
            error.into_bytes().into_iter().map(char::from).collect()
        }));
        names.push(name(path));
    }
    if texts.is_empty() {
        return Err(cannot(folder, "it holds no texts (.txt files, or files without an extension)"));
    }
    if older > 0 {
        note(&format!(
            "note: {older} of {} files of '{}' are not UTF-8 and were read as ISO 8859-1",
            texts.len(),
            folder.display()
        ));
    }
    Ok(Files { names, texts })
}
