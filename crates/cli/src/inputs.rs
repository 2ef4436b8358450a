//! Where rows are and how they are read, as flags of `fit`, `prior` and `evaluate`.

use crate::failure::Failure;
use crate::output::{note, warn};
use clap::Args;
use onesided::data::{
    ColumnShift, MissingPolicy, Note, NumberStyle, ReadAgain, ReadOptions, TableFormat, TextEncoding,
    TimeStyle, agree, column_names, limit_memory, parse_size,
};
use onesided::{Dataset, Encoding, Input, InputOptions, Model};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

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
            (Some(file), ..) => Ok(Input::one(file)),
            (None, Some(positives), Some(unlabeled)) => match answers.iter().find(|(_, given)| *given) {
                Some((flag, _)) => Err(Failure::input(format!(
                    "two files need no {flag}: every row of --positives is positive"
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

/// What is read of a table besides a model's columns, as flags name it.
#[derive(Clone, Copy, Debug, Default)]
pub struct AlsoColumns<'f> {
    pub label: Option<&'f String>,
    pub truth: Option<&'f String>,
    pub positive: Option<&'f String>,
    pub negative: Option<&'f String>,
    pub weight: Option<&'f String>,
    pub id: &'f [String],
    pub keep: &'f [String],
    pub text: &'f [String],
}

/// How files are written, of every command that reads rows.
#[derive(Debug, Args)]
#[command(next_help_heading = "How files are written")]
pub struct FileFlags {
    /// The encoding of tables and texts without a byte order mark, such as latin1, utf-16le or shift_jis [default: utf-8].
    #[arg(long, value_name = "NAME")]
    pub encoding: Option<String>,
    /// The delimiter of a text table: one character, or tab [default: detected from the first lines].
    #[arg(long, value_name = "CHAR", allow_hyphen_values = true)]
    pub delimiter: Option<String>,
    /// The decimal sign of numbers in text tables: , or . [default: detected per column; for a model, as in the table it was
    /// fitted on].
    #[arg(long, value_name = "CHAR")]
    pub decimal: Option<String>,
    /// The order in dates such as 01/02/2024: day-first or month-first [default: detected per column; for a model, as in the
    /// table it was fitted on].
    #[arg(long, value_name = "ORDER")]
    pub date_order: Option<String>,
    /// The sheet of a spreadsheet, by name or number [default: the first with the columns you name].
    #[arg(long, value_name = "NAME")]
    pub sheet: Option<String>,
    /// The format of a table whose name does not show it, such as -: csv, tsv, json, parquet, arrow or excel [default: detected
    /// from the content].
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Follow links that lead out of a folder of texts or pictures.
    #[arg(long)]
    pub follow_links: bool,
    /// Memory limit for reading, such as 2G or 512M [default: the free memory].
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
}

/// Sets how much memory may be used, where it is said.
pub fn memory_of(size: Option<&str>) -> Result<(), Failure> {
    if let Some(size) = size {
        limit_memory(parse_size(size)?);
    }
    Ok(())
}

impl FileFlags {
    /// An encoding by its name.
    pub fn encoding(&self) -> Result<Option<TextEncoding>, Failure> {
        let parsed = self.encoding.as_deref().map(str::parse::<TextEncoding>).transpose();
        parsed.map_err(|error| Failure::Input(error.to_string()))
    }

    /// Sets how much memory may be used, where it is said.
    pub fn limit_memory(&self) -> Result<(), Failure> {
        memory_of(self.memory.as_deref())
    }

    /// A format by its name.
    pub fn format(&self) -> Result<Option<TableFormat>, Failure> {
        Ok(self.format.as_deref().map(str::parse).transpose()?)
    }

    /// A decimal sign.
    pub fn decimal(&self) -> Result<Option<NumberStyle>, Failure> {
        let Some(given) = self.decimal.as_deref() else { return Ok(None) };
        let style = given.parse().map_err(|_| {
            Failure::input(format!(
                "--decimal must be a comma or a point, such as --decimal ',', but is '{given}'"
            ))
        })?;
        Ok(Some(style))
    }

    /// The order of day and month in dates.
    pub fn date_order(&self) -> Result<Option<TimeStyle>, Failure> {
        Ok(self.date_order.as_deref().map(str::parse).transpose()?)
    }

    /// How a table for a model is written, and what is read of it besides the model's columns; one that is named twice is read once.
    pub fn again(&self, places: &[&Path], columns: &AlsoColumns) -> Result<ReadAgain, Failure> {
        let once = |names: &[String]| -> Result<Vec<String>, Failure> {
            let mut seen = HashSet::new();
            let mut names = self.columns(names, places)?;
            names.retain(|name| seen.insert(name.clone()));
            Ok(names)
        };
        Ok(ReadAgain {
            label: columns.label.cloned(),
            truth: columns.truth.cloned(),
            positive: columns.positive.cloned(),
            negative: columns.negative.cloned(),
            weight: columns.weight.cloned(),
            id: once(columns.id)?,
            keep: once(columns.keep)?,
            text: once(columns.text)?,
            encoding: self.encoding()?,
            delimiter: self.delimiter()?,
            decimal: self.decimal()?,
            date_order: self.date_order()?,
            sheet: self.sheet.clone(),
            format: self.format()?,
            follow_links: self.follow_links,
            ..ReadAgain::default()
        })
    }

    /// How tables are written.
    pub fn as_written(&self) -> Result<ReadOptions, Failure> {
        Ok(ReadOptions {
            encoding: self.encoding()?,
            delimiter: self.delimiter()?,
            format: self.format()?,
            decimal: self.decimal()?,
            date_order: self.date_order()?,
            sheet: self.sheet.clone(),
            ..ReadOptions::default()
        })
    }

    /// Names of columns, one or several of them between commas in each value. A value that is the name of a column, commas
    /// included, is that column alone.
    pub fn columns(&self, given: &[String], places: &[&Path]) -> Result<Vec<String>, Failure> {
        if !given.iter().any(|value| value.contains(',')) {
            return Ok(given.to_vec());
        }
        let there = match places.first() {
            Some(path) if path.is_file() => column_names(path, &self.as_written()?).unwrap_or_default(),
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
        Ok(given.iter().flat_map(split).filter(|name| !name.is_empty()).collect())
    }

    /// A character that can separate cells.
    pub fn delimiter(&self) -> Result<Option<u8>, Failure> {
        let Some(given) = self.delimiter.as_deref() else { return Ok(None) };
        match given.as_bytes() {
            _ if given == "tab" || given == "\\t" => Ok(Some(b'\t')),
            [b'"' | b'\n' | b'\r'] => Err(Failure::input("--delimiter cannot be a quote or a line break")),
            &[byte] if byte.is_ascii() => Ok(Some(byte)),
            _ => Err(Failure::input(format!(
                "--delimiter must be one character such as ';' or '|', or the word tab, but is '{given}'"
            ))),
        }
    }
}

/// How rows are read, of `fit` and `prior`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Columns")]
pub struct ReadFlags {
    /// The label column: 1 for positive and 0 or -1 for unlabeled, true and false, yes and no, or one value and empty cells.
    #[arg(short, long, value_name = "COLUMN")]
    pub label: Option<String>,
    /// The value in the label (or truth) column, or the folder, that means positive.
    #[arg(long, value_name = "VALUE")]
    pub positive: Option<String>,
    /// The value in the label column that means negative; all remaining rows are unlabeled.
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub negative: Option<String>,
    /// A column of positive weights; a row with weight 2 counts as two rows.
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    /// A column that says which rows belong together, such as a customer: no split parts them, and it is not learned from.
    #[arg(long, value_name = "COLUMN")]
    pub group: Option<String>,
    /// Columns to leave out, separated by commas or in repeated flags.
    #[arg(short, long, value_name = "COLUMN")]
    pub drop: Vec<String>,
    /// Learn from these columns only.
    #[arg(long, value_name = "COLUMN")]
    pub only: Vec<String>,
    /// Columns of free text to learn from, along with the other columns.
    #[arg(long, value_name = "COLUMN")]
    pub text: Vec<String>,
    /// Columns to read as numbers; other cells in them count as missing.
    #[arg(long, value_name = "COLUMN")]
    pub numeric: Vec<String>,
    /// Columns to read as categories, such as numeric codes.
    #[arg(long, value_name = "COLUMN")]
    pub categorical: Vec<String>,
    /// Columns to read as dates and times; other cells in them count as missing.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub date: Vec<String>,
    /// A column of paths to picture files, to learn from instead of the other columns.
    #[arg(long, value_name = "COLUMN")]
    pub image: Option<String>,
    /// The shape of images, such as 3x32x32: how a table's columns are laid out (row by row, the channels of a pixel
    /// together), or the size that pictures are resized to.
    #[arg(long, value_name = "CxHxW")]
    pub image_shape: Option<String>,
    /// How to handle missing values and broken pictures: mean (a missing text is empty, a broken picture is left out) or
    /// refuse.
    #[arg(long, default_value = "mean", value_name = "NAME")]
    pub missing: String,
    /// How files are written.
    #[command(flatten)]
    pub files: FileFlags,
    /// Text: tfidf, sublinear (TF-IDF of 1 + ln count) or counts [default: tfidf; counts for s-em].
    #[arg(long, value_name = "KIND", help_heading = "Texts")]
    pub features: Option<String>,
    /// Text: use phrases of up to N words [default: 1].
    #[arg(long, value_name = "N", help_heading = "Texts")]
    pub ngrams: Option<usize>,
    /// Text: keep only terms that occur in at least N texts [default: 2].
    #[arg(long, value_name = "N", help_heading = "Texts")]
    pub min_texts: Option<usize>,
    /// Text: keep only the N most frequent terms [default: all; 5000 for networks and trees].
    #[arg(long, value_name = "N", help_heading = "Texts")]
    pub max_terms: Option<usize>,
    /// Text: words to leave out, none or english [default: none].
    #[arg(long, value_name = "LIST", help_heading = "Texts")]
    pub stop_words: Option<String>,
}

impl ReadFlags {
    /// The flags' meaning, checked.
    pub fn options(&self, input: &Input) -> Result<InputOptions, Failure> {
        let places = input.paths();
        let columns = |given: &[String]| self.files.columns(given, &places);
        let least_one = [("--min-texts", self.min_texts), ("--max-terms", self.max_terms)];
        if let Some((flag, _)) = least_one.iter().find(|(_, given)| *given == Some(0)) {
            return Err(Failure::input(format!("{flag} must be at least 1, but is 0")));
        }
        Ok(InputOptions {
            label: self.label.clone(),
            positive: self.positive.clone(),
            negative: self.negative.clone(),
            weight: self.weight.clone(),
            group: self.group.clone(),
            truth: None,
            drop: columns(&self.drop)?,
            only: columns(&self.only)?,
            id: Vec::new(),
            text: columns(&self.text)?,
            numeric: columns(&self.numeric)?,
            categorical: columns(&self.categorical)?,
            date: columns(&self.date)?,
            image: self.image.clone(),
            image_shape: self.image_shape.as_deref().map(str::parse).transpose()?,
            missing: self.missing.parse::<MissingPolicy>()?,
            encoding: self.files.encoding()?,
            delimiter: self.files.delimiter()?,
            format: self.files.format()?,
            decimal: self.files.decimal()?,
            date_order: self.files.date_order()?,
            sheet: self.files.sheet.clone(),
            follow_links: self.files.follow_links,
            features: self.features.as_deref().map(str::parse).transpose()?,
            ngrams: self.ngrams,
            min_texts: self.min_texts,
            max_terms: self.max_terms,
            stop_words: self.stop_words.as_deref().map(str::parse).transpose()?,
            ..InputOptions::default()
        })
    }

    /// The place, where something must say which rows are positive: a column, a folder, or two places.
    pub fn input(&self, places: &Places) -> Result<Input, Failure> {
        let answers = [
            ("--label", self.label.is_some()),
            ("--positive", self.positive.is_some()),
            ("--negative", self.negative.is_some()),
        ];
        let input = places.input(&answers)?;
        if let Input::One(path) = &input
            && self.label.is_none()
            && !path.is_dir()
        {
            return Err(Failure::input("name the label column with --label COLUMN"));
        }
        self.check(&input)?;
        Ok(input)
    }

    /// Refuses flags about texts where there are none, and columns that pictures would push aside.
    fn check(&self, input: &Input) -> Result<(), Failure> {
        let folders = input.paths().iter().all(|path| path.is_dir());
        let of_texts = [
            ("--features", self.features.is_some()),
            ("--ngrams", self.ngrams.is_some()),
            ("--min-texts", self.min_texts.is_some()),
            ("--max-terms", self.max_terms.is_some()),
            ("--stop-words", self.stop_words.is_some()),
        ];
        if let Some((flag, _)) = of_texts.iter().find(|(_, given)| *given)
            && self.text.is_empty()
            && !folders
        {
            return Err(Failure::input(format!(
                "{flag} is for texts; name their column with --text COLUMN, or give two folders of texts"
            )));
        }
        let pictures = [("--image", self.image.is_some()), ("--image-shape", self.image_shape.is_some())];
        let aside = [
            ("--text", !self.text.is_empty()),
            ("--only", self.image.is_some() && !self.only.is_empty()),
            ("--numeric", !self.numeric.is_empty()),
            ("--categorical", !self.categorical.is_empty()),
            ("--date", !self.date.is_empty()),
        ];
        let given = |flags: &[(&'static str, bool)]| flags.iter().copied().find(|(_, given)| *given);
        if let (Some((image, _)), Some((flag, _))) = (given(&pictures), given(&aside)) {
            return Err(Failure::input(format!(
                "with {image} a model learns from pictures alone, so {flag} would do nothing; leave one of them out"
            )));
        }
        Ok(())
    }
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
    let mut shifts = Vec::new();
    for one in notes {
        if let Note::Shifted(shift) = one {
            shifts.push(shift);
        }
    }
    shifts
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
