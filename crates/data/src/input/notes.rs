//! What a reader should know of how rows were read, as facts; sentences are made at the last moment.

use super::LabelStop;
use crate::decode::TextEncoding;
use crate::error::{Position, shortened};
use crate::features::{ColumnShift, Features, Shift};
use crate::frame::{CellsRead, LeftOut, WhyLeftOut};
use crate::read::{NumberStyle, Remark};
use crate::{EncodeReport, Frame, Hint, PictureShape, agree, counted, grouped, part_of};
use serde::Serialize;
use std::fmt;

/// Something that reading met that did not stop it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Note {
    /// Columns that are not learned from, for one reason.
    LeftOut {
        /// Their names.
        columns: Vec<String>,
        /// Why.
        why: WhyLeftOut,
    },
    /// Columns of times that rise or fall with the row, of which it is not learned how late they are.
    TimesInOrder(Vec<String>),
    /// A column along which labels stop.
    LabelsStop(LabelStop),
    /// Columns of a table that were not looked at.
    NotUsed(Vec<String>),
    /// Columns with missing cells, and how many.
    Missing(Vec<(String, usize)>),
    /// Columns with categories that training never saw, and in how many cells.
    Unseen(Vec<(String, usize)>),
    /// Columns of texts most of which have no term that training saw, and how many have none.
    UnknownTexts(Vec<(String, usize)>),
    /// Texts without a single term that training saw: most of them, so they may be of another kind or language.
    NoKnownTerm {
        /// How many.
        texts: usize,
        /// Of how many.
        all: usize,
    },
    /// Columns whose numbers are not written plainly.
    Written {
        /// A column each, one of its cells, and what that was read as.
        examples: Vec<(String, String, String)>,
    },
    /// Columns whose numbers have a decimal comma.
    DecimalCommas {
        /// Their names.
        columns: Vec<String>,
        /// A cell of the first, and what that was read as.
        example: (String, f64),
    },
    /// Columns whose numbers are kept as texts.
    NumberTexts {
        /// A column each, and a cell that is not written plainly and what it was read as; empty where there is none.
        examples: Vec<(String, String, String)>,
    },
    /// Columns of numbers or truth values with cells that are something else, taken as missing.
    Others {
        /// A column each.
        columns: Vec<OtherCells>,
        /// Whether the columns were asked to be of their kind, rather than found to be.
        asked: bool,
    },
    /// A value of the label column next to the positive one and empty cells: it may well mean negative.
    OtherLabel {
        /// The column.
        column: String,
        /// The value.
        value: String,
    },
    /// Not all unlabeled rows were read.
    Drawn {
        /// How many were drawn.
        unlabeled: usize,
        /// Of how many.
        of: usize,
    },
    /// What labels were taken to mean where nothing says it.
    Labels {
        /// The column.
        column: String,
        /// The value that means positive.
        positive: String,
        /// The value that means unlabeled; empty cells where there is none.
        unlabeled: Option<String>,
    },
    /// Values of the label column that are one but for upper and lower case and blanks.
    FoldedLabels {
        /// The column.
        column: String,
        /// The value of most cells, and those that are read as it.
        values: Vec<(String, Vec<String>)>,
    },
    /// Columns of dates in all of which day and month could be the other way round, and whether the month is taken to come
    /// first.
    OpenDates(Vec<(String, bool)>),
    /// Columns that are called like identifiers and are learned from, since their values repeat.
    CalledIds(Vec<String>),
    /// Columns that alone tell labeled rows from unlabeled ones, and the area under the curve of each in thousandths.
    TellsApart(Vec<(String, u16)>),
    /// A column that holds something else than in training.
    Shifted(ColumnShift),
    /// Rows that are equal to an earlier one in every column that is learned from.
    Repeated {
        /// How many.
        rows: usize,
        /// Of how many.
        all: usize,
    },
    /// Unlabeled rows that are equal to labeled ones in every column that is learned from.
    Copies {
        /// How many.
        unlabeled: usize,
    },
    /// What separates the cells of a table, found out from its first lines.
    Delimiter(char),
    /// Something of a file's header, lines or sheets.
    File(Remark),
    /// Files that are not UTF-8.
    OtherEncoding {
        /// How many.
        files: usize,
        /// Of how many.
        all: usize,
        /// Where.
        folder: String,
        /// What they were read as.
        encoding: TextEncoding,
    },
    /// Files with bytes that their encoding does not have.
    Malformed {
        /// How many.
        files: usize,
        /// Of how many.
        all: usize,
        /// Where.
        folder: String,
    },
    /// Pictures that could not be decoded and were left out.
    Unreadable {
        /// How many.
        files: usize,
        /// Of how many.
        all: usize,
        /// The first of them.
        first: String,
        /// What is wrong with it.
        why: String,
    },
    /// Pictures that were brought to another size.
    Resized {
        /// How many.
        files: usize,
        /// Of how many.
        all: usize,
        /// The size of all now.
        shape: PictureShape,
    },
}

/// Cells of a column that are not numbers, or not truth values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OtherCells {
    /// The column.
    pub column: String,
    /// How many.
    pub cells: usize,
    /// The first of them, and where it is.
    pub first: Option<(String, Position)>,
}

/// Names shown of a long list.
const SHOWN: usize = 8;

impl Note {
    /// What encoding met.
    pub(super) fn of_report(report: &EncodeReport) -> Vec<Note> {
        let mut notes = Vec::new();
        for LeftOut { column, why } in &report.left_out {
            let same = |note: &&mut Note| matches!(note, Note::LeftOut { why: other, .. } if other == why);
            match notes.iter_mut().find(same) {
                Some(Note::LeftOut { columns, .. }) => columns.push(column.clone()),
                _ => notes.push(Note::LeftOut { columns: vec![column.clone()], why: *why }),
            }
        }
        if !report.times_in_order.is_empty() {
            notes.push(Note::TimesInOrder(report.times_in_order.clone()));
        }
        if !report.missing.is_empty() {
            notes.push(Note::Missing(report.missing.clone()));
        }
        if !report.unknown_texts.is_empty() {
            notes.push(Note::UnknownTexts(report.unknown_texts.clone()));
        }
        if !report.unseen.is_empty() {
            notes.push(Note::Unseen(report.unseen.clone()));
        }
        notes
    }

    /// Columns that hold something else than in training, of which no other note needs to tell.
    pub(super) fn of_shifts(features: &Features, report: &mut EncodeReport) -> Vec<Note> {
        let shifts = features.shifts(&report.tallies, &report.unseen);
        for ColumnShift { column, shift } in &shifts {
            match shift {
                Shift::Missing { .. } => report.missing.retain(|(name, _)| name != column),
                Shift::Levels { .. } => report.unseen.retain(|(name, _)| name != column),
                _ => {}
            }
        }
        shifts.into_iter().map(Note::Shifted).collect()
    }

    /// The notes to tell: those on cells that are unlike the rest of their column say that they are missing, so no other note
    /// needs to.
    pub fn told_once(notes: &[Note]) -> Vec<Note> {
        let mut notes = notes.to_vec();
        let told: Vec<(String, usize)> = notes
            .iter()
            .filter_map(|note| match note {
                Note::Others { columns, .. } => Some(columns),
                _ => None,
            })
            .flatten()
            .map(|other| (other.column.clone(), other.cells))
            .collect();
        let told_of = |column: &String| -> usize {
            told.iter().filter(|(name, _)| name == column).map(|(_, cells)| *cells).sum()
        };
        notes.retain_mut(|note| match note {
            Note::Missing(columns) => {
                columns
                    .iter_mut()
                    .for_each(|(column, missing)| *missing = missing.saturating_sub(told_of(column)));
                columns.retain(|(_, missing)| *missing > 0);
                !columns.is_empty()
            }
            // Most of them are missing because they are something else.
            Note::Shifted(ColumnShift { column, shift: Shift::Missing { missing, .. } }) => {
                2 * told_of(column) < *missing
            }
            _ => true,
        });
        notes
    }

    /// Columns that alone tell labeled rows from unlabeled ones.
    pub(super) fn of_leaks(leaks: &[(String, f64)]) -> Option<Note> {
        let of = |(name, area): &(String, f64)| (name.clone(), (1000.0 * area).floor() as u16);
        (!leaks.is_empty()).then(|| Note::TellsApart(leaks.iter().map(of).collect()))
    }

    /// What reading the cells of a table met.
    pub(super) fn of_cells(frame: &Frame) -> Vec<Note> {
        let mut notes: Vec<Note> = frame.delimiter.map(Note::Delimiter).into_iter().collect();
        notes.extend(frame.remarks.iter().cloned().map(Note::File));
        let plain = |cells: &CellsRead| (cells.column.clone(), String::new(), String::new());
        let example = |cells: &CellsRead| {
            let (cell, value) = cells.example.as_ref()?;
            Some((cells.column.clone(), shortened(cell), digits(*value, 6)))
        };
        let kept = frame.cells.iter().filter(|cells| cells.kept_as_texts);
        let kept = kept.map(|cells| example(cells).unwrap_or_else(|| plain(cells)));
        let kept: Vec<_> = kept.collect();
        if !kept.is_empty() {
            notes.push(Note::NumberTexts { examples: kept });
        }
        let (commas, others): (Vec<&CellsRead>, Vec<&CellsRead>) = frame
            .cells
            .iter()
            .filter(|cells| !cells.kept_as_texts && cells.example.is_some())
            .partition(|cells| cells.style == NumberStyle::Comma);
        if let Some(example) = commas.first().and_then(|cells| cells.example.clone()) {
            let columns = commas.iter().map(|cells| cells.column.clone()).collect();
            notes.push(Note::DecimalCommas { columns, example });
        }
        let examples: Vec<_> = others.into_iter().filter_map(example).collect();
        if !examples.is_empty() {
            notes.push(Note::Written { examples });
        }
        for asked in [false, true] {
            let others = frame.cells.iter().filter(|cells| cells.others > 0 && cells.asked == asked);
            let of = |cells: &CellsRead| OtherCells {
                column: cells.column.clone(),
                cells: cells.others,
                first: cells.first_other.as_ref().map(|(cell, place)| (shortened(cell), *place)),
            };
            let columns: Vec<OtherCells> = others.map(of).collect();
            if !columns.is_empty() {
                notes.push(Note::Others { columns, asked });
            }
        }
        notes
    }

    /// Counts rows from 0 instead of 1, as programs count rows in memory; whether the note names one.
    pub fn count_rows_from_zero(&mut self) -> bool {
        let Note::Others { columns, .. } = self else { return false };
        let places = columns.iter_mut().filter_map(|column| column.first.as_mut());
        places.fold(false, |named, (_, place)| place.count_from_zero() | named)
    }

    /// Whether it may spoil what is learned or predicted, and is a warning.
    pub fn is_warning(&self) -> bool {
        if let Note::File(remark) = self {
            return remark.is_warning();
        }
        matches!(
            self,
            Note::Unseen(_)
                | Note::Others { .. }
                | Note::UnknownTexts(_)
                | Note::NoKnownTerm { .. }
                | Note::Unreadable { .. }
                | Note::Malformed { .. }
                | Note::TellsApart(_)
                | Note::Shifted(_)
                | Note::Copies { .. }
                | Note::LabelsStop(LabelStop { used: true, .. })
        )
    }

    /// A setting that may do better.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Note::LeftOut { columns, why: WhyLeftOut::FreeText | WhyLeftOut::ShortText } => {
                let act = match columns.len() {
                    1 => "learn from its words",
                    _ => "learn from the words of the first",
                };
                Some(Hint::new(act, "text", columns.first()?.clone()))
            }
            Note::LeftOut { columns, why: WhyLeftOut::TimeOrder } => {
                Some(Hint::new("if it matters, keep it", "date", columns.first()?.clone()))
            }
            Note::TimesInOrder(columns) => {
                Some(Hint::new("if that matters, keep it", "date", columns.first()?.clone()))
            }
            Note::LeftOut { columns, why: WhyLeftOut::RowOrder | WhyLeftOut::Key } => {
                Some(Hint::new("if it is a measurement, keep it", "numeric", columns.first()?.clone()))
            }
            Note::LabelsStop(LabelStop { column, used: true, .. }) => {
                Some(Hint::new("if labeling stopped or began there, leave it out", "drop", column.clone()))
            }
            Note::LabelsStop(LabelStop { column, .. }) => {
                Some(Hint::new("if it matters, keep it", "date", column.clone()))
            }
            Note::TellsApart(columns) => Some(Hint::new(
                "if it is not known of new rows, or says how rows were collected, leave it out",
                "drop",
                columns.first()?.0.clone(),
            )),
            Note::CalledIds(columns) => {
                Some(Hint::new("if it only names things, leave it out", "drop", columns.first()?.clone()))
            }
            Note::NumberTexts { examples } => {
                let column = examples.first()?.0.clone();
                Some(Hint::new("if they are codes, read them as categories", "categorical", column))
            }
            Note::Others { columns, asked: false } => {
                let column = columns.first()?.column.clone();
                Some(Hint::new("read such a column as categories", "categorical", column))
            }
            Note::OtherLabel { value, .. } => {
                Some(Hint::new("if it means negative, say so", "negative", value.clone()))
            }
            Note::File(remark) => remark.hint(),
            Note::Delimiter(_) => Some(Hint::new("if another sign does, name it", "delimiter", "CHAR")),
            _ => None,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::LeftOut { columns, why } => {
                let shown = listed(columns, |name| name.clone());
                let reason = match why {
                    WhyLeftOut::Constant => "the same value in every row",
                    WhyLeftOut::Empty => "empty in every row",
                    WhyLeftOut::Identifier => "too many different texts, as in an identifier",
                    WhyLeftOut::ShortText => "too many different texts, as in names and titles",
                    WhyLeftOut::FreeText => "free text",
                    WhyLeftOut::Index => "the first column has no name, so it is an index of the rows",
                    WhyLeftOut::RowOrder => {
                        "it rises or falls with the row number, so it tells where a row is and not what it is"
                    }
                    WhyLeftOut::TimeOrder => {
                        "its times rise or fall with the row number, so they tell when a row was written and not what it is"
                    }
                    WhyLeftOut::Key => "a different whole number in every row, as in an identifier",
                    WhyLeftOut::Type => {
                        "a type that is not learned from, such as lists of words or nested records"
                    }
                };
                match columns.len() {
                    1 => write!(f, "{shown} is left out: {reason}"),
                    several => write!(f, "{several} columns are left out ({shown}): {reason}"),
                }
            }
            Note::TimesInOrder(columns) => write!(
                f,
                "times rise or fall with the row number, so the date itself is not used; parts that recur (month, weekday, day, \
                 hour) and days between dates are, in {}",
                listed(columns, |name| name.clone())
            ),
            Note::LabelsStop(stop) => label_stop(f, stop),
            Note::NotUsed(columns) => write!(f, "not used: {}", listed(columns, |name| name.clone())),
            Note::Missing(cells) => write!(f, "missing cells in {}", listed(cells, with_count)),
            Note::Unseen(cells) => {
                write!(f, "new categories, treated as unknown, in {}", listed(cells, with_count))
            }
            Note::UnknownTexts(cells) => {
                write!(f, "texts without a term that training saw in {}", listed(cells, with_count))
            }
            Note::NoKnownTerm { texts, all } => {
                let (have, score) = (agree(*texts, "has", "have"), agree(*texts, "scores", "score"));
                let of = part_of(*texts, *all, "texts");
                write!(f, "{of} {have} no term that training saw, and {score} alike")
            }
            Note::Written { examples } => {
                let shown = |(column, cell, value): &(String, String, String)| {
                    format!("{column} ({cell} read as {value})")
                };
                write!(f, "numbers are not written plainly in {}", listed(examples, shown))
            }
            Note::DecimalCommas { columns, example: (cell, value) } => {
                let short = digits(*value, 6);
                // A cell of many digits says no more than its value does.
                let cell = if cell.len() <= 10 { shortened(cell) } else { short.replace('.', ",") };
                match columns.as_slice() {
                    [one] => write!(f, "decimal commas in {one}: {cell} is {short}"),
                    [first, ..] => {
                        write!(f, "decimal commas in {} columns: {cell} in {first} is {short}", columns.len())
                    }
                    [] => f.write_str("decimal commas"),
                }
            }
            Note::NumberTexts { examples } => {
                let shown = |(column, cell, value): &(String, String, String)| {
                    if cell.is_empty() { column.clone() } else { format!("{column} ({cell} read as {value})") }
                };
                write!(f, "texts that are numbers are read as numbers in {}", listed(examples, shown))
            }
            Note::Others { columns, .. } => {
                let shown = |other: &OtherCells| match &other.first {
                    Some((cell, place)) => {
                        format!("{} ({}, first '{cell}' in {place})", other.column, grouped(other.cells))
                    }
                    None => format!("{} ({})", other.column, grouped(other.cells)),
                };
                write!(
                    f,
                    "cells that are unlike the rest of their column, taken as missing, in {}",
                    listed(columns, shown)
                )
            }
            Note::OtherLabel { column, value } => {
                write!(f, "'{value}' and empty cells of column '{column}' are both unlabeled")
            }
            Note::Drawn { unlabeled, of } => {
                write!(
                    f,
                    "{} {} drawn and {} learned from; the shares of positives are those among all rows",
                    part_of(*unlabeled, *of, "unlabeled rows"),
                    agree(*unlabeled, "was", "were"),
                    agree(*unlabeled, "is", "are")
                )
            }
            Note::Labels { column, positive, unlabeled: Some(unlabeled) } => {
                write!(
                    f,
                    "column '{column}': '{positive}' is taken as positive and '{unlabeled}' as unlabeled"
                )
            }
            Note::Labels { column, positive, unlabeled: None } => {
                write!(f, "column '{column}': '{positive}' is taken as positive and empty cells as unlabeled")
            }
            Note::FoldedLabels { column, values } => {
                let shown = |(kept, others): &(String, Vec<String>)| {
                    format!("{} read as '{kept}'", listed(others, |other| format!("'{other}'")))
                };
                write!(f, "column '{column}': {}", listed(values, shown))
            }
            Note::File(remark) => remark.fmt(f),
            Note::OpenDates(columns) => {
                let shown = |(name, month): &(String, bool)| {
                    format!("{name} (read as {} first)", if *month { "month" } else { "day" })
                };
                write!(f, "no date tells whether day or month comes first in {}", listed(columns, shown))
            }
            Note::CalledIds(columns) => write!(
                f,
                "called like an identifier but learned from, since values repeat: {}",
                listed(columns, |name| name.clone())
            ),
            Note::TellsApart(columns) => {
                let shown =
                    |(name, area): &(String, u16)| format!("{name} (AUC {:.3})", f64::from(*area) / 1000.0);
                write!(
                    f,
                    "labeled and unlabeled rows are told apart almost perfectly by {} alone",
                    listed(columns, shown)
                )
            }
            Note::Shifted(ColumnShift { column, shift }) => shifted(f, column, shift),
            Note::Repeated { rows, all } => write!(
                f,
                "{} {} equal to an earlier one in every column that is learned from; each counts as a separate row in shares \
                 and intervals, so drop those that are the same thing once more",
                part_of(*rows, *all, "rows"),
                agree(*rows, "is", "are")
            ),
            Note::Copies { unlabeled: 1 } => f.write_str(
                "1 unlabeled row is equal to a labeled one in every column that is learned from; if it is the same thing once \
                 more, drop it or label it, too",
            ),
            Note::Copies { unlabeled } => write!(
                f,
                "{} unlabeled rows are equal to labeled ones in every column that is learned from; if they are the same things \
                 once more, drop them or label them, too",
                grouped(*unlabeled)
            ),
            Note::Delimiter(sign) => {
                let name = match sign {
                    ';' => "a semicolon".to_string(),
                    '\t' => "a tab".to_string(),
                    other => format!("'{other}'"),
                };
                write!(f, "{name} separates the cells of the table, by its first lines")
            }
            Note::OtherEncoding { files, all, folder, encoding } => {
                let (are, were) = (agree(*files, "is", "are"), agree(*files, "was", "were"));
                let of = part_of(*files, *all, "files");
                write!(f, "{of} of '{folder}' {are} not UTF-8 and {were} read as {encoding}")
            }
            Note::Malformed { files, all, folder } => write!(
                f,
                "{} of '{folder}' {} bytes that their encoding does not have, read as U+FFFD",
                part_of(*files, *all, "files"),
                agree(*files, "holds", "hold")
            ),
            Note::Unreadable { files, all, first, why } => {
                write!(
                    f,
                    "{} cannot be read and {} left out, first '{first}' ({why})",
                    part_of(*files, *all, "pictures"),
                    agree(*files, "is", "are")
                )
            }
            Note::Resized { files, all, shape } => {
                write!(
                    f,
                    "{} {} brought to {} x {} pixels",
                    part_of(*files, *all, "pictures"),
                    agree(*files, "was", "were"),
                    shape.width,
                    shape.height
                )
            }
        }
    }
}

fn label_stop(f: &mut fmt::Formatter<'_>, stop: &LabelStop) -> fmt::Result {
    let (verb, side) = if stop.stops { ("stop", "after") } else { ("begin", "before") };
    write!(
        f,
        "labels {verb} at {} in column '{}': {} {side} it {} labeled, {} of {} others",
        stop.at,
        stop.column,
        part_of(stop.labeled, stop.rows, "rows"),
        agree(stop.labeled, "is", "are"),
        grouped(stop.other_labeled),
        grouped(stop.other_rows)
    )?;
    if stop.used {
        write!(f, "; the model learns when rows were labeled")
    } else {
        write!(f, "; the date itself is not used")
    }
}

fn shifted(f: &mut fmt::Formatter<'_>, column: &str, shift: &Shift) -> fmt::Result {
    let percent = |count: usize, of: usize| share(count as f64 / of.max(1) as f64);
    match shift {
        Shift::Range { outside, cells, training: [low, high], here: [lowest, highest] } => write!(
            f,
            "column '{column}': {} of {} are outside of what training saw ({} to {}; here {} to {}): is it in other units?",
            percent(*outside, *cells),
            counted(*cells, "numbers"),
            number(*low),
            number(*high),
            number(*lowest),
            number(*highest)
        ),
        Shift::Values { cells, training: [low, high], here: [lowest, highest], .. } => write!(
            f,
            "column '{column}': the {} {} unlike those of training (there mostly {} to {}; here {} to {}): is it in other units?",
            counted(*cells, "numbers"),
            agree(*cells, "is", "are"),
            number(*low),
            number(*high),
            number(*lowest),
            number(*highest)
        ),
        Shift::Factor { factor, cells, .. } => write!(
            f,
            "column '{column}': the {} other than 0 {} about {} times those of training: is it in other units?",
            counted(*cells, "numbers"),
            agree(*cells, "is", "are"),
            number(rounded(*factor))
        ),
        Shift::Missing { missing, rows, training } => write!(
            f,
            "column '{column}': {} of {} {} missing, {} in training",
            percent(*missing, *rows),
            counted(*rows, "cells"),
            agree(*missing, "is", "are"),
            share(*training)
        ),
        Shift::Levels { unseen, cells } => write!(
            f,
            "column '{column}': {} of {} {} new categories, treated as unknown",
            percent(*unseen, *cells),
            counted(*cells, "cells"),
            agree(*unseen, "holds", "hold")
        ),
    }
}

/// `97 %`; one digit more of small shares.
fn share(share: f64) -> String {
    match 100.0 * share {
        percent if percent == 0.0 || percent >= 9.5 => format!("{percent:.0} %"),
        percent => format!("{percent:.1} %"),
    }
}

/// Two digits that count.
fn rounded(x: f64) -> f64 {
    let unit = 10f64.powf(x.abs().log10().floor() - 1.0);
    if unit > 0.0 { (x / unit).round() * unit } else { x }
}

/// A number with four digits that count.
fn number(x: f64) -> String {
    digits(x, 4)
}

/// A number with this many digits that count.
fn digits(x: f64, most: i32) -> String {
    let size = x.abs();
    if x == x.trunc() && size < 1e9 {
        return format!("{x}");
    }
    match size {
        s if !(1e-4..1e9).contains(&s) => format!("{x:.3e}"),
        s => {
            let digits = (most - 1 - s.log10().floor() as i32).clamp(0, 8) as usize;
            let shown = format!("{x:.digits$}");
            if shown.contains('.') {
                shown.trim_end_matches('0').trim_end_matches('.').to_string()
            } else {
                shown
            }
        }
    }
}

fn with_count((name, count): &(String, usize)) -> String {
    format!("{name} ({})", grouped(*count))
}

fn listed<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
    let shown: Vec<String> = items.iter().take(SHOWN).map(show).collect();
    match items.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
