//! What a reader should know of how rows were read, as facts; sentences are made at the last moment.

use super::note_sentences::digits;
use crate::LabelStop;
use crate::features::{ColumnDrift, ColumnShift, Shift};
use crate::{EncodeReport, Frame, Hint, PictureShape};
use onesided_table::TextEncoding;
use onesided_table::{CellsRead, LeftOut, WhyLeftOut};
use onesided_table::{NumberStyle, Remark};
use onesided_table::{Position, shortened};
use serde::Serialize;

/// Something that reading met that did not stop it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
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
    /// Rows that are empty in every column that is learned from.
    Blank {
        /// How many.
        rows: usize,
        /// The first of them, from 1, or from 0 where rows of memory are counted so.
        first: usize,
    },
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
    /// Rows that are equal to an earlier one in all that is learned from.
    Repeated {
        /// How many.
        rows: usize,
        /// Of how many.
        all: usize,
    },
    /// Unlabeled rows that are equal to labeled ones in all that is learned from.
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
    /// Pictures of formats that are not read.
    OtherPictures {
        /// How many.
        files: usize,
        /// The first of them.
        first: String,
    },
    /// Texts in folders of pictures, which are passed over.
    TextsAmongPictures {
        /// How many.
        files: usize,
        /// The first of them.
        first: String,
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

impl OtherCells {
    /// Whether one row holds all of them, one in each of several columns, as a row of units does.
    pub(super) fn are_one_row(columns: &[OtherCells]) -> bool {
        let place = |other: &OtherCells| other.first.as_ref().map(|(_, place)| *place);
        let Some(one) = columns.first().and_then(place) else { return false };
        columns.len() > 1 && columns.iter().all(|other| other.cells == 1 && place(other) == Some(one))
    }
}

impl Note {
    /// A column that holds something else than in training, if it is about one.
    pub fn shifted(&self) -> Option<&ColumnShift> {
        if let Note::Shifted(shift) = self { Some(shift) } else { None }
    }

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
        if let Some(first) = report.blank.first() {
            notes.push(Note::Blank { rows: report.blank.len(), first: *first as usize + 1 });
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
    pub(super) fn of_drifts(drifts: &[ColumnDrift], report: &mut EncodeReport) -> Vec<Note> {
        let shifts = ColumnShift::among(drifts);
        for ColumnShift { column, shift } in &shifts {
            match shift {
                Shift::Missing { .. } => report.missing.retain(|(name, _)| name != column),
                Shift::Levels { .. } | Shift::Renamed { .. } => {
                    report.unseen.retain(|(name, _)| name != column)
                }
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
        if let Note::Blank { first, .. } = self {
            *first = first.saturating_sub(1);
            return true;
        }
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
                | Note::OtherPictures { .. }
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
            Note::Others { columns, asked: false } if !OtherCells::are_one_row(columns) => {
                let column = columns.first()?.column.clone();
                Some(Hint::new("read such a column as categories", "categorical", column))
            }
            // A sign that could as well be decimal.
            Note::DecimalCommas { example: (cell, _), .. } if cell.contains('.') && !cell.contains(',') => {
                Some(Hint::new("if the point is decimal, say so", "decimal", "."))
            }
            Note::Written { examples } => {
                let (column, cell, _) = examples.first()?;
                if cell.starts_with('0') && cell.bytes().all(|byte| byte.is_ascii_digit()) {
                    return Some(Hint::new(
                        "if they are codes, read them as categories",
                        "categorical",
                        column,
                    ));
                }
                let open = cell.contains(',') && !cell.contains('.');
                open.then(|| Hint::new("if the comma is decimal, say so", "decimal", ","))
            }
            Note::OpenDates(columns) => {
                let other = if columns.first()?.1 { "day-first" } else { "month-first" };
                Some(Hint::new("if it is the other way round, say so", "date-order", other))
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
