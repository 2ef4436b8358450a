//! One definition per setting of reading: its name, what it takes, what it does, what it is about and how it is read.
//!
//! Flags of the command line, keywords of Python and hints are made from this list, as those of learning are from `SETTINGS`.

use super::InputOptions;
use crate::DataError;
use onesided_table::{FileOptions, ReadOptions, UnknownEncoding, limit_memory, parse_size};
use serde::Serialize;

/// What columns are for that are not features.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Roles {
    /// The column that says which rows are positive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The value in the label (or truth) column, or the folder, that means positive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive: Option<String>,
    /// The value in the label column that means negative; rows with it are known negatives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negative: Option<String>,
    /// The column of rows' weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// The column that says which rows belong together: splits do not part them, and it is not learned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The column of true labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truth: Option<String>,
    /// Columns to know rows by, kept to the byte.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub id: Vec<String>,
}

impl Roles {
    /// A column of labels and nothing else.
    pub fn labeled(column: impl Into<String>) -> Self {
        Self { label: Some(column.into()), ..Self::default() }
    }

    /// A column of true labels and nothing else.
    pub fn true_in(column: impl Into<String>) -> Self {
        Self { truth: Some(column.into()), ..Self::default() }
    }

    /// Columns to know rows by and nothing else.
    pub fn named_by<S: Into<String>>(columns: impl IntoIterator<Item = S>) -> Self {
        Self { id: columns.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Every column that has one of these roles.
    pub fn columns(&self) -> impl Iterator<Item = &String> {
        self.label.iter().chain(&self.truth).chain(&self.weight).chain(&self.group).chain(&self.id)
    }

    /// How a table with these columns is read, whatever else is read of it.
    pub(super) fn as_written(&self, files: &FileOptions) -> ReadOptions {
        ReadOptions { sheet_with: self.columns().cloned().collect(), ..ReadOptions::from(files.clone()) }
    }
}

/// One setting of reading.
#[derive(Clone, Copy, Debug)]
pub struct ReadingInfo {
    /// Its name: `date-order`.
    pub name: &'static str,
    /// What it takes, in a word; nothing for a switch.
    pub value: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// What it is about.
    pub about: ReadingAbout,
    /// Whether it may be given several times.
    pub repeated: bool,
    /// What a column is that it names, as an error says it.
    pub role: Option<&'static str>,
    /// The columns that it names.
    pub columns: fn(&InputOptions) -> &[String],
    /// Reads a value.
    pub set: fn(&mut InputOptions, &str) -> Result<(), DataError>,
}

/// What a setting of reading is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingAbout {
    /// Columns that are not features: labels, weights, names.
    Roles,
    /// Which columns are features, and of which kind.
    Features,
    /// Pictures.
    Pictures,
    /// How files are written.
    Files,
    /// What of texts becomes columns.
    Texts,
    /// Which rows are read.
    Rows,
}

impl ReadingInfo {
    /// The setting of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        READING.iter().find(|setting| setting.name == name)
    }

    /// Whether it says something of a table that is read for a model, whose features are known.
    pub fn is_for_models(&self) -> bool {
        matches!(self.about, ReadingAbout::Roles | ReadingAbout::Files) || self.name == "text"
    }

    /// Whether it says something of rows in memory, where labels, weights and names come apart from them.
    pub fn is_for_memory(&self) -> bool {
        !matches!(self.about, ReadingAbout::Roles | ReadingAbout::Files) && self.name != "image"
    }
}

type Set = fn(&mut InputOptions, &str) -> Result<(), DataError>;

const fn entry(
    name: &'static str,
    value: &'static str,
    about: ReadingAbout,
    help: &'static str,
    set: Set,
) -> ReadingInfo {
    ReadingInfo { name, value, help, about, repeated: false, role: None, columns: |_| &[], set }
}

fn refused(setting: &'static str, must: impl Into<String>, found: &str) -> DataError {
    let is_number = found.parse::<f64>().is_ok();
    let found = if is_number { found.to_string() } else { format!("'{found}'") };
    DataError::Setting { setting, must: must.into(), found }
}

fn number(setting: &'static str, text: &str) -> Result<Option<usize>, DataError> {
    match text.parse() {
        Ok(0) => Err(refused(setting, "at least 1", text)),
        Ok(number) => Ok(Some(number)),
        Err(_) => Err(refused(setting, "a whole number", text)),
    }
}

/// A character that can separate cells.
fn delimiter(text: &str) -> Result<Option<u8>, DataError> {
    match text.as_bytes() {
        _ if text == "tab" || text == "\\t" => Ok(Some(b'\t')),
        [b'"' | b'\n' | b'\r'] => {
            Err(refused("delimiter", "something else than a quote or a line break", text))
        }
        &[byte] if byte.is_ascii() => Ok(Some(byte)),
        _ => Err(refused("delimiter", "one character such as ';' or '|', or the word tab", text)),
    }
}

/// A setting that names one column or several, a value of one, or a word that reads itself.
macro_rules! setting {
    ($name:literal, value $value:literal, $about:ident, $($field:ident).+, $help:literal) => {
        entry($name, $value, ReadingAbout::$about, $help, |options, text| {
            options.$($field).+ = Some(text.to_string());
            Ok(())
        })
    };
    ($name:literal, column, $about:ident, $role:literal, $($field:ident).+, $help:literal) => {
        ReadingInfo {
            role: Some($role),
            columns: |options| options.$($field).+.as_slice(),
            ..setting!($name, value "COLUMN", $about, $($field).+, $help)
        }
    };
    ($name:literal, columns, $about:ident, $role:expr, $($field:ident).+, $help:literal) => {
        ReadingInfo {
            repeated: true,
            role: $role,
            columns: |options| &options.$($field).+,
            ..entry($name, "COLUMN", ReadingAbout::$about, $help, |options, text| {
                options.$($field).+.push(text.to_string());
                Ok(())
            })
        }
    };
    ($name:literal, number $value:literal, $about:ident, $($field:ident).+, $help:literal) => {
        entry($name, $value, ReadingAbout::$about, $help, |options, text| {
            options.$($field).+ = number($name, text)?;
            Ok(())
        })
    };
    ($name:literal, word $value:literal, $about:ident, $($field:ident).+, $help:literal) => {
        entry($name, $value, ReadingAbout::$about, $help, |options, text| {
            options.$($field).+ = Some(text.parse()?);
            Ok(())
        })
    };
    ($name:literal, word $value:literal: $must:literal, $about:ident, $($field:ident).+, $help:literal) => {
        entry($name, $value, ReadingAbout::$about, $help, |options, text| {
            options.$($field).+ = Some(text.parse().map_err(|_| refused($name, $must, text))?);
            Ok(())
        })
    };
}

/// Every setting of reading, in the order that help lists them.
pub const READING: &[ReadingInfo] = &[
    setting!(
        "label",
        column,
        Roles,
        "the label",
        roles.label,
        "The label column: 1 for positive and 0 or -1 for unlabeled, true and false, yes and no, or one value and empty cells"
    ),
    setting!(
        "positive",
        value "VALUE",
        Roles,
        roles.positive,
        "The value in the label (or truth) column, or the folder, that means positive"
    ),
    setting!(
        "negative",
        value "VALUE",
        Roles,
        roles.negative,
        "The value in the label column that means negative; all remaining rows are unlabeled"
    ),
    setting!(
        "truth",
        column,
        Roles,
        "the truth",
        roles.truth,
        "The column of true labels, for the method supervised"
    ),
    setting!(
        "weight",
        column,
        Roles,
        "the weight",
        roles.weight,
        "A column of positive weights; a row with weight 2 counts as two rows"
    ),
    setting!(
        "group",
        column,
        Roles,
        "the group",
        roles.group,
        "A column that says which rows belong together, such as a customer: no split parts them, and it is not learned from"
    ),
    setting!("id", columns, Roles, None, roles.id, "Columns to know rows by"),
    setting!(
        "drop",
        columns,
        Features,
        Some("left out"),
        drop,
        "Columns to leave out, separated by commas or given one by one"
    ),
    setting!("only", columns, Features, None, only, "Learn from these columns only"),
    setting!(
        "text",
        columns,
        Features,
        Some("a text to learn from"),
        text,
        "Columns of free text to learn from, along with the other columns"
    ),
    setting!(
        "numeric",
        columns,
        Features,
        Some("numeric"),
        numeric,
        "Columns to read as numbers; other cells in them count as missing"
    ),
    setting!(
        "categorical",
        columns,
        Features,
        Some("categorical"),
        categorical,
        "Columns to read as categories, such as numeric codes"
    ),
    setting!(
        "date",
        columns,
        Features,
        Some("a date"),
        date,
        "Columns to read as dates and times; other cells in them count as missing"
    ),
    entry(
        "missing",
        "NAME",
        ReadingAbout::Features,
        "How to handle missing values and broken pictures: mean (a missing text is empty, a broken picture is left out) or \
         refuse [default: mean]",
        |options, text| {
            options.missing = text.parse()?;
            Ok(())
        },
    ),
    setting!(
        "image",
        column,
        Pictures,
        "the picture files",
        image,
        "A column of paths to picture files, to learn from instead of the other columns"
    ),
    setting!(
        "image-shape",
        word "CxHxW",
        Pictures,
        image_shape,
        "The shape of images, such as 3x32x32: how a table's columns are laid out (row by row, the channels of a pixel \
         together), or the size that pictures are resized to"
    ),
    entry(
        "encoding",
        "NAME",
        ReadingAbout::Files,
        "The encoding of tables and texts without a byte order mark, such as latin1, utf-16le or shift_jis [default: utf-8]",
        |options, text| {
            options.files.encoding = Some(text.parse().map_err(|unknown: UnknownEncoding| {
                let meant = unknown.nearest().map(|nearest| format!(" (did you mean '{nearest}'?)"));
                let found = format!("'{text}'{}", meant.unwrap_or_default());
                let must = "a name such as latin1, utf-16le or shift_jis".to_string();
                DataError::Setting { setting: "encoding", must, found }
            })?);
            Ok(())
        },
    ),
    entry(
        "delimiter",
        "CHAR",
        ReadingAbout::Files,
        "The delimiter of a text table: one character, or tab [default: detected from the first lines]",
        |options, text| {
            options.files.delimiter = delimiter(text)?;
            Ok(())
        },
    ),
    setting!(
        "decimal",
        word "CHAR": "a comma or a point",
        Files,
        files.decimal,
        "The decimal sign of numbers in text tables: , or . [default: detected per column; for a model, as in the table it was \
         fitted on]"
    ),
    setting!(
        "date-order",
        word "ORDER",
        Files,
        files.date_order,
        "The order in dates such as 01/02/2024: day-first or month-first [default: detected per column; for a model, as in the \
         table it was fitted on]"
    ),
    setting!(
        "sheet",
        value "NAME",
        Files,
        files.sheet,
        "The sheet of a spreadsheet, by name or number [default: the first with the columns you name]"
    ),
    setting!(
        "format",
        word "NAME",
        Files,
        files.format,
        "The format of a table whose name does not show it, such as -: csv, tsv, json, parquet, arrow or excel [default: \
         detected from the content]"
    ),
    entry(
        "follow-links",
        "",
        ReadingAbout::Files,
        "Follow links that lead out of a folder of texts or pictures",
        |options, text| {
            options.files.follow_links = text != "false";
            Ok(())
        },
    ),
    // Of the process: there is no more memory for another table either.
    entry(
        "memory",
        "SIZE",
        ReadingAbout::Files,
        "Memory limit for reading, such as 2G or 512M [default: the free memory]",
        |_, text| {
            limit_memory(parse_size(text)?);
            Ok(())
        },
    ),
    setting!(
        "features",
        word "KIND",
        Texts,
        features,
        "Text: tfidf, sublinear (TF-IDF of 1 + ln count) or counts [default: tfidf; counts for s-em]"
    ),
    setting!(
        "ngrams",
        number "N",
        Texts,
        ngrams,
        "Text: use phrases of up to N words [default: 1]"
    ),
    setting!(
        "min-texts",
        number "N",
        Texts,
        min_texts,
        "Text: keep only terms that occur in at least N texts [default: 2]"
    ),
    setting!(
        "max-terms",
        number "N",
        Texts,
        max_terms,
        "Text: keep only the N most frequent terms [default: all; 5000 for networks and trees]"
    ),
    setting!(
        "stop-words",
        word "LIST",
        Texts,
        stop_words,
        "Text: words to leave out, none or english [default: none]"
    ),
    setting!(
        "max-unlabeled",
        number "N",
        Rows,
        max_unlabeled,
        "Learn from a random draw of at most N unlabeled rows of a table, and from all labeled ones"
    ),
];

impl InputOptions {
    /// Sets what a front end gives as text, by its name in [`READING`].
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), DataError> {
        match ReadingInfo::find(name) {
            Some(setting) => (setting.set)(self, text),
            None => {
                let known = READING.iter().map(|setting| setting.name).collect();
                Err(DataError::NoSetting { name: name.to_string(), known })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value that each setting takes.
    fn value(name: &str) -> &'static str {
        match name {
            "missing" => "refuse",
            "image-shape" => "1x2x2",
            "encoding" => "latin1",
            "delimiter" => "tab",
            "decimal" => ",",
            "date-order" => "day-first",
            "format" => "json",
            "follow-links" => "true",
            "memory" => "64G",
            "features" => "counts",
            "stop-words" => "english",
            _ => "3",
        }
    }

    #[test]
    fn every_setting_is_set_by_its_name_and_nothing_else_changes() {
        let plain = serde_json::to_value(InputOptions::default()).unwrap();
        for setting in READING.iter().filter(|setting| setting.name != "memory") {
            let mut options = InputOptions::default();
            options.set(setting.name, value(setting.name)).unwrap();
            let set = serde_json::to_value(&options).unwrap();
            let changed: Vec<&String> = set
                .as_object()
                .unwrap()
                .iter()
                .filter(|(name, value)| plain.get(name.as_str()) != Some(value))
                .map(|(name, _)| name)
                .collect();
            assert_eq!(changed, [setting.name]);
            assert_eq!(
                (setting.columns)(&options).len(),
                usize::from(setting.value == "COLUMN"),
                "{}",
                setting.name
            );
        }
    }

    #[test]
    fn a_wrong_value_is_named_with_its_setting() {
        let message =
            |name: &str, text: &str| InputOptions::default().set(name, text).unwrap_err().to_string();
        assert_eq!(message("min-texts", "0"), "min-texts must be at least 1, but is 0");
        assert_eq!(message("decimal", "x"), "decimal must be a comma or a point, but is 'x'");
        let unknown = message("dorp", "a");
        assert!(unknown.starts_with("unknown setting of reading 'dorp' (did you mean 'drop'?)"), "{unknown}");
    }

    #[test]
    fn a_list_of_columns_takes_several() {
        let mut options = InputOptions::default();
        options.set("drop", "a").unwrap();
        options.set("drop", "b").unwrap();
        assert_eq!(options.drop, ["a", "b"]);
    }
}
