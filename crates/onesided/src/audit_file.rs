//! The file that the rows of an audit are written to, for people to answer.
//!
//! It is a table of one line per drawn row, and says nothing of its score. Every line holds what is needed to read it alone:
//!
//! | column | |
//! |---|---|
//! | `key` | which row it is, opaque and with a checksum ([`audit_key`](crate::audit_key)); it decides |
//! | `row` | the row's number in the table, from 1, for people |
//! | `positive` | to be filled with yes, no or unsure |
//! | `note`, `reviewer` | room for a remark and a name; not read |
//! | … | columns that the person who fills it in needs |
//! | `draw` | what was drawn: fingerprints of the model and the table, the seed, the strata; opaque, the same on every line |
//!
//! A person may sort, reorder, reformat and add columns and lines, and share the work. What does not fit together is refused: a key that
//! was made up or belongs to another draw, a number of a row that is not the key's, answers that contradict one another.
//!
//! Files of version 1 had the draw in columns that everybody could read (`stratum`, `first`, `last`, `drawn`, `rows`, `predicted`,
//! `seed`, `model`, `table`) and knew a row by its number alone. They are still read.

use crate::Error;
use crate::audit_key::{DrawFacts, RowKey, WhyNoDraw};
use onesided_data::{Counts, FileOptions, ReadOptions, Values, read, yes_or_no};
use onesided_eval::audit::Range;
use std::collections::BTreeMap;
use std::path::Path;

/// The columns of a file that are read, besides those of version 1.
pub(crate) const KEY: &str = "key";
pub(crate) const ROW: &str = "row";
pub(crate) const ANSWER: &str = "positive";
/// What a spreadsheet offers for it.
pub(crate) const ANSWERS: [&str; 3] = ["yes", "no", "unsure"];
pub(crate) const DRAW: &str = "draw";
/// Room for people.
pub(crate) const FOR_PEOPLE: [&str; 2] = ["note", "reviewer"];
/// The columns that a file of version 1 must have next to `row` and the answer.
const EARLIER: [&str; 9] =
    ["stratum", "first", "last", "drawn", "rows", "predicted", "seed", "model", "table"];

/// One audit file.
#[derive(Clone, Debug)]
pub struct AuditFile {
    pub(crate) name: String,
    pub(crate) lines: Vec<Line>,
    /// The draws that its lines are of.
    pub(crate) draws: Vec<DrawFacts>,
    /// The columns of version 1 do not tell strata of which every line was deleted.
    pub(crate) is_earlier: bool,
}

/// What a line says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// The number of its draw in the file.
    pub draw: usize,
    /// The row's number, from 1.
    pub row: usize,
    /// The row's fingerprint in its draw, where the line has one.
    pub print: Option<u64>,
    pub answer: Answer,
    pub range: Range,
}

/// What a person said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Blank,
    Unsure,
    Is(bool),
}

impl Answer {
    /// As people write it: yes or no, 1 or 0, true or false, positive or negative, in any case; unsure or a question mark.
    fn of(cell: &str) -> Option<Self> {
        match cell.trim().to_lowercase().as_str() {
            "" => Some(Answer::Blank),
            "unsure" | "?" => Some(Answer::Unsure),
            "positive" => Some(Answer::Is(true)),
            "negative" => Some(Answer::Is(false)),
            word => yes_or_no(word).map(Answer::Is),
        }
    }

    pub fn known(self) -> Option<bool> {
        if let Answer::Is(positive) = self { Some(positive) } else { None }
    }
}

/// A whole number as spreadsheets write it: `1.0`, `1,0`, `1,234`, `1 234`. One that can be read in two ways has two values.
fn whole_numbers(cell: &str) -> [Option<usize>; 2] {
    let cell = cell.trim();
    let digits = |text: &str| -> Option<usize> {
        let is_mark = |sign: char| matches!(sign, ',' | '.' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}');
        text.chars().filter(|&sign| !is_mark(sign)).collect::<String>().parse().ok()
    };
    let decimals = cell.rfind([',', '.']).filter(|&at| cell[at + 1..].bytes().all(|digit| digit == b'0'));
    [digits(cell), decimals.and_then(|at| digits(&cell[..at]))]
}

/// The cells of a file, and how errors call it.
struct Cells<'c> {
    name: &'c str,
    rows: usize,
    columns: BTreeMap<&'c str, Vec<&'c str>>,
}

impl Cells<'_> {
    fn wrong(&self, what: impl Into<String>) -> Error {
        Error::AuditFile { file: self.name.to_string(), what: what.into() }
    }

    fn has(&self, column: &str) -> bool {
        self.columns.contains_key(column)
    }

    /// A cell, or nothing where the column is not there.
    fn at(&self, column: &str, line: usize) -> &str {
        self.columns.get(column).and_then(|cells| cells.get(line)).map_or("", |cell| cell.trim())
    }

    fn check(&self, wanted: &[&str]) -> Result<(), Error> {
        match wanted.iter().find(|column| !self.has(column)) {
            Some(column) => Err(self.wrong(format!(
                "has no column '{column}', so it is not the file of an audit; name one that was drawn for an audit"
            ))),
            None => Ok(()),
        }
    }

    /// Lines that have anything in these columns: spreadsheets leave empty ones behind.
    fn lines(&self, columns: &[&str]) -> Result<Vec<usize>, Error> {
        let is_filled = |line: &usize| columns.iter().any(|column| !self.at(column, *line).is_empty());
        let lines: Vec<usize> = (0..self.rows).filter(is_filled).collect();
        if lines.is_empty() { Err(self.wrong("has no rows")) } else { Ok(lines) }
    }

    fn answer(&self, line: usize) -> Result<Answer, Error> {
        let given = self.at(ANSWER, line);
        Answer::of(given).ok_or_else(|| {
            self.wrong(format!(
                "has '{given}' in column '{ANSWER}', line {}; write yes, no or unsure, or leave it blank",
                line + 2
            ))
        })
    }
}

impl AuditFile {
    /// Its answers by row.
    pub(crate) fn answers(&self) -> BTreeMap<usize, bool> {
        self.lines.iter().filter_map(|line| Some((line.row, line.answer.known()?))).collect()
    }

    /// How many cells of a file's column of answers are filled; none where there is no such file or column.
    pub fn filled(path: &Path, files: &FileOptions) -> usize {
        let wanted = vec![ANSWER.to_string()];
        let options = ReadOptions { verbatim: wanted.clone(), only: Some(wanted), ..files.clone().into() };
        let frame = match path.is_file().then(|| read(path, &options)) {
            Some(Ok(frame)) => frame,
            _ => return 0,
        };
        match frame.column(ANSWER).map(|column| &column.values) {
            Ok(Values::Text(cells)) => cells.iter().filter(|cell| !cell.trim().is_empty()).count(),
            _ => 0,
        }
    }

    /// Reads a file that was drawn by [`Model::audit`](crate::Model::audit) and filled by a person; columns and lines may be in any order.
    /// `files` says how the table is written, where that cannot be seen.
    pub fn read(path: &Path, files: &FileOptions) -> Result<Self, Error> {
        let name = path.display().to_string();
        let wanted: Vec<String> = Self::columns().map(str::to_string).collect();
        let options = ReadOptions { verbatim: wanted.clone(), only: Some(wanted), ..files.clone().into() };
        let frame = read(path, &options)?;
        let mut columns: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for column in &frame.columns {
            if let Values::Text(cells) = &column.values {
                columns.insert(&column.name, cells.iter().collect());
            }
        }
        Self::of(&Cells { name: &name, rows: frame.rows, columns })
    }

    /// The same of cells in memory, column by column; those that are not [read](Self::columns) may be left out. `name` is what
    /// errors call them.
    pub fn of_cells(name: &str, cells: &[(String, Vec<String>)]) -> Result<Self, Error> {
        let columns = cells.iter().map(|(column, cells)| {
            (column.as_str(), cells.iter().map(String::as_str).collect::<Vec<&str>>())
        });
        let columns = columns.collect();
        let rows = cells.iter().map(|(_, cells)| cells.len()).max().unwrap_or(0);
        Self::of(&Cells { name, rows, columns })
    }

    /// The columns that are read.
    pub fn columns() -> impl Iterator<Item = &'static str> {
        [KEY, ROW, ANSWER, DRAW].into_iter().chain(EARLIER)
    }

    fn of(cells: &Cells) -> Result<Self, Error> {
        match (cells.has(KEY), cells.has(DRAW)) {
            (false, false) => Self::of_earlier(cells),
            (true, true) => Self::of_keys(cells),
            (has_key, _) => Err(cells.wrong(format!(
                "has no column '{}', which was there when it was drawn; copy it from the file that was drawn",
                if has_key { DRAW } else { KEY }
            ))),
        }
    }

    fn of_keys(cells: &Cells) -> Result<Self, Error> {
        cells.check(&[ANSWER])?;
        let mut draws: Vec<(String, DrawFacts)> = Vec::new();
        let mut lines = Vec::new();
        for line in cells.lines(&[KEY, ROW, ANSWER, DRAW])? {
            let place = line + 2;
            let text = cells.at(DRAW, line);
            let known = draws.iter().position(|(known, _)| known == text);
            let draw = match known {
                Some(draw) => draw,
                None => {
                    let facts = DrawFacts::of_text(text).map_err(|why| {
                        cells.wrong(match (why, text) {
                            (WhyNoDraw::Newer(version), _) => {
                                format!("is an audit file of version {version}; read it with a later onesided")
                            }
                            (WhyNoDraw::Changed, "") => format!(
                                "has nothing in column '{DRAW}', line {place}: rows cannot be added by hand; delete the line, or undo \
                                 that change"
                            ),
                            (WhyNoDraw::Changed, _) => {
                                format!("has a changed cell in column '{DRAW}', line {place}; undo that change")
                            }
                        })
                    })?;
                    draws.push((text.to_string(), facts));
                    draws.len() - 1
                }
            };
            let facts = &draws[draw].1;
            let key = RowKey::of_text(cells.at(KEY, line), facts).ok_or_else(|| {
                cells.wrong(format!(
                    "has '{}' in column '{KEY}', line {place}, which is no key of this draw: rows cannot be added, nor their keys \
                     changed; delete the line, or undo that change",
                    cells.at(KEY, line)
                ))
            })?;
            let (given, row) = (cells.at(ROW, line), key.row + 1);
            if !given.is_empty() && !whole_numbers(given).contains(&Some(row)) {
                return Err(cells.wrong(format!(
                    "has '{given}' in column '{ROW}', line {place}, and the key there is that of row {row}: cells of a column were \
                     moved without the others; undo that change"
                )));
            }
            let answer = cells.answer(line)?;
            let range = facts.strata[key.stratum];
            lines.push(Line { draw, row, print: Some(key.print), answer, range });
        }
        let draws = draws.into_iter().map(|(_, facts)| facts).collect();
        Ok(Self { name: cells.name.to_string(), lines, draws, is_earlier: false })
    }

    /// A file of version 1.
    fn of_earlier(cells: &Cells) -> Result<Self, Error> {
        let wanted: Vec<&str> = [ROW].into_iter().chain(EARLIER).chain([ANSWER]).collect();
        cells.check(&wanted)?;
        let lines = cells.lines(&wanted)?;
        let first = lines[0];
        let whole = |column: &str, line: usize| -> Result<u64, Error> {
            let text = cells.at(column, line);
            let number = text.parse::<u64>().ok();
            let number = number.or_else(|| text.strip_suffix(".0").and_then(|text| text.parse().ok()));
            number.ok_or_else(|| {
                cells.wrong(format!(
                    "has '{text}' in column '{column}', line {}, where a whole number was drawn; undo that change",
                    line + 2
                ))
            })
        };
        let same = |column: &str| -> Result<&str, Error> {
            let value = cells.at(column, first);
            match lines.iter().find(|&&line| cells.at(column, line) != value) {
                None if !value.is_empty() => Ok(value),
                None => Err(cells.wrong(format!("has nothing in column '{column}'; undo that change"))),
                Some(&line) => Err(cells.wrong(format!(
                    "has '{}' in column '{column}', line {}, and '{value}' elsewhere; give files of different draws as \
                     separate files",
                    cells.at(column, line),
                    line + 2
                ))),
            }
        };
        for column in ["seed", "rows", "predicted"] {
            same(column)?;
        }
        let number =
            |column: &str, line: usize| -> Result<usize, Error> { Ok(whole(column, line)? as usize) };
        let rows = number("rows", first)?;
        let read_line = |&line: &usize| -> Result<Line, Error> {
            let range = Range {
                first: number("first", line)?,
                last: number("last", line)?,
                drawn: number("drawn", line)?,
            };
            // No table has more rows than that, and sums stay whole numbers.
            let possible = range.last <= rows && range.last < 1 << 52;
            let sound = possible
                && range.first >= 1
                && range.last >= range.first
                && (1..=range.rows()).contains(&range.drawn);
            if !sound {
                return Err(
                    cells.wrong(format!("has an impossible stratum in line {}; undo that change", line + 2))
                );
            }
            let (row, answer) = (number("row", line)?, cells.answer(line)?);
            Ok(Line { draw: 0, row, print: None, answer, range })
        };
        let parsed = lines.iter().map(read_line).collect::<Result<Vec<_>, _>>()?;
        let draw = DrawFacts {
            model: same("model")?.to_string(),
            table: same("table")?.to_string(),
            columns: 0,
            seed: whole("seed", first)?,
            counts: Counts { positive: 0, unlabeled: rows, negative: 0 },
            predicted: number("predicted", first)?,
            strata: Vec::new(),
            labeled: None,
        };
        Ok(Self { name: cells.name.to_string(), lines: parsed, draws: vec![draw], is_earlier: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_as_people_write_them() {
        for yes in ["yes", "YES", " Yes ", "1", "1.0", "true", "TRUE", "Positive", "Ja", "oui"] {
            assert_eq!(Answer::of(yes), Some(Answer::Is(true)), "{yes}");
        }
        for no in ["no", "0", "False", "negative", "NO", "Nein"] {
            assert_eq!(Answer::of(no), Some(Answer::Is(false)), "{no}");
        }
        assert_eq!((Answer::of(""), Answer::of("  ")), (Some(Answer::Blank), Some(Answer::Blank)));
        assert_eq!((Answer::of("Unsure "), Answer::of("?")), (Some(Answer::Unsure), Some(Answer::Unsure)));
        for wrong in ["maybe", "x", "2", "-1"] {
            assert_eq!(Answer::of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_as_spreadsheets_write_them() {
        for (cell, row) in [
            ("7", 7),
            (" 7.0", 7),
            ("7,00", 7),
            ("1,234", 1234),
            ("1.234", 1234),
            ("1\u{a0}234,0", 1234),
            ("1.000", 1000),
            ("1.000", 1),
        ] {
            assert!(whole_numbers(cell).contains(&Some(row)), "{cell}");
        }
        for cell in ["", "x", "-3", "1e3"] {
            assert_eq!(whole_numbers(cell), [None, None], "{cell}");
        }
    }
}
