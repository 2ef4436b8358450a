//! Audits of a model on a table: the file that rows are written to ([`Model::audit`] draws them), and what the answers say.
//!
//! The file is a table of one line per drawn row. A person fills the column `positive` and may sort, reorder or rename
//! nothing else but the file itself; every line holds what is needed to read it alone:
//!
//! | column | |
//! |---|---|
//! | `row` | the row's number in the table, from 1 |
//! | `positive` | empty; to be filled with yes or no |
//! | `stratum`, `first`, `last`, `drawn` | its stratum: the number, its first and last place in the ranked list, the rows drawn from it |
//! | `rows`, `predicted` | rows in the list, and how many of them are predicted positive |
//! | `probability` | the probability with which the row was drawn |
//! | `seed`, `model`, `table` | the draw, and fingerprints of the model and the table |
//!
//! Several files of one model and one table add up. Files with the same seed are parts of one draw. A row is in any of
//! several draws with probability 1 - Π (1 - p_d); within a stratum all rows have the same one, so the distinct rows that
//! were answered are a random sample of the stratum, and are taken as such.
//!
//! Rows without an answer, or whose line was deleted, are left out: the answered rows of their stratum stand for them. A stratum with fewer than two
//! answers joins its neighbor.

use crate::{Error, Model};
use onesided_data::{ReadOptions, TextColumn, Values, counted, read, yes_or_no};
use onesided_eval::Interval;
use onesided_eval::audit::{AuditEstimate, Range, Stratum, estimate, inclusion, joined};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The column that a person fills.
pub(crate) const ANSWER: &str = "positive";
/// The columns that a file must have next to it.
pub(crate) const NEEDED: [&str; 10] =
    ["row", "stratum", "first", "last", "drawn", "rows", "predicted", "seed", "model", "table"];

/// One audit file.
#[derive(Clone, Debug)]
pub struct AuditFile {
    name: String,
    lines: Vec<Line>,
    rows: usize,
    predicted: usize,
    seed: u64,
    model: String,
    table: String,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    row: usize,
    answer: Option<bool>,
    range: Range,
}

/// An answer as people write it: yes or no, 1 or 0, true or false, positive or negative, in any case. Blank is none.
fn answer(cell: &str) -> Result<Option<bool>, ()> {
    match cell.trim().to_lowercase().as_str() {
        "" => Ok(None),
        "positive" => Ok(Some(true)),
        "negative" => Ok(Some(false)),
        word => yes_or_no(word).map(Some).ok_or(()),
    }
}

impl AuditFile {
    /// How many cells of a file's column of answers are filled; none where there is no such file or column.
    pub fn filled(path: &Path, as_written: &ReadOptions) -> usize {
        let wanted = vec![ANSWER.to_string()];
        let options = ReadOptions { verbatim: wanted.clone(), only: Some(wanted), ..as_written.clone() };
        let frame = match path.is_file().then(|| read(path, &options)) {
            Some(Ok(frame)) => frame,
            _ => return 0,
        };
        match frame.column(ANSWER).map(|column| &column.values) {
            Ok(Values::Text(cells)) => cells.iter().filter(|cell| !cell.trim().is_empty()).count(),
            _ => 0,
        }
    }

    /// Reads a file that was drawn by [`Model::audit`] and filled by a person; columns and lines may be in any order.
    /// `as_written` says how the table is written, where that cannot be seen.
    pub fn read(path: &Path, as_written: &ReadOptions) -> Result<Self, Error> {
        let name = path.display().to_string();
        let wrong = |what: String| Error::AuditFile { file: name.clone(), what };
        let wanted: Vec<String> = NEEDED.iter().chain([&ANSWER]).map(|column| column.to_string()).collect();
        let options =
            ReadOptions { verbatim: wanted.clone(), only: Some(wanted.clone()), ..as_written.clone() };
        let frame = read(path, &options)?;
        let mut columns: BTreeMap<&str, &TextColumn> = BTreeMap::new();
        for column in &wanted {
            let found = frame.column(column).ok().map(|column| &column.values);
            let Some(Values::Text(cells)) = found else {
                return Err(wrong(format!(
                    "has no column '{column}', so it is not the file of an audit; name one that was drawn for an audit"
                )));
            };
            columns.insert(column, cells);
        }
        let cell = |column: &str, line: usize| columns[column].get(line).trim();
        // Spreadsheets leave empty lines behind.
        let lines: Vec<usize> = (0..frame.rows)
            .filter(|&line| wanted.iter().any(|column| !cell(column, line).is_empty()))
            .collect();
        let Some(&first) = lines.first() else { return Err(wrong("has no rows".to_string())) };
        let whole = |column: &str, line: usize| -> Result<u64, Error> {
            let text = cell(column, line);
            let number = text.parse::<u64>().ok();
            let number = number.or_else(|| text.strip_suffix(".0").and_then(|text| text.parse().ok()));
            number.ok_or_else(|| {
                wrong(format!(
                    "has '{text}' in column '{column}', line {}, where a whole number was drawn; undo that change",
                    line + 2
                ))
            })
        };
        let same = |column: &str| -> Result<&str, Error> {
            let value = cell(column, first);
            match lines.iter().find(|&&line| cell(column, line) != value) {
                None if !value.is_empty() => Ok(value),
                None => Err(wrong(format!("has nothing in column '{column}'; undo that change"))),
                Some(&line) => Err(wrong(format!(
                    "has '{}' in column '{column}', line {}, and '{value}' elsewhere; give files of different draws as \
                     separate files",
                    cell(column, line),
                    line + 2
                ))),
            }
        };
        for column in ["model", "table", "seed", "rows", "predicted"] {
            same(column)?;
        }
        let number =
            |column: &str, line: usize| -> Result<usize, Error> { Ok(whole(column, line)? as usize) };
        let read_line = |&line: &usize| -> Result<Line, Error> {
            let range = Range {
                first: number("first", line)?,
                last: number("last", line)?,
                drawn: number("drawn", line)?,
            };
            // No table has more rows than that, and sums stay whole numbers.
            let possible = range.last <= number("rows", line)? && range.last < 1 << 52;
            let sound = possible
                && range.first >= 1
                && range.last >= range.first
                && (1..=range.rows()).contains(&range.drawn);
            if !sound {
                return Err(wrong(format!(
                    "has an impossible stratum in line {}; undo that change",
                    line + 2
                )));
            }
            let given = columns[ANSWER].get(line);
            let answer = answer(given).map_err(|()| {
                wrong(format!(
                    "has '{}' in column '{ANSWER}', line {}; write yes or no, or leave it blank",
                    given.trim(),
                    line + 2
                ))
            })?;
            Ok(Line { row: number("row", line)?, answer, range })
        };
        let parsed = lines.iter().map(read_line).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            lines: parsed,
            rows: number("rows", first)?,
            predicted: number("predicted", first)?,
            seed: whole("seed", first)?,
            model: same("model")?.to_string(),
            table: same("table")?.to_string(),
            name,
        })
    }
}

/// The answers of one or more audits of a model on a table.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The first file.
    name: String,
    /// The fingerprint of the table.
    table: String,
    /// Rows of the list that was drawn from.
    rows: usize,
    strata: Vec<Range>,
    /// Row, stratum and answer of every distinct row.
    answers: BTreeMap<usize, (usize, Option<bool>)>,
    probabilities: Vec<f64>,
    /// Rows that were drawn from each stratum and are in no file.
    missing: Vec<usize>,
    draws: usize,
    predicted: usize,
}

/// A row of an audit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AuditedRow {
    /// Its number in the table, from 0.
    pub row: usize,
    /// The answer, where there is one.
    pub answer: Option<bool>,
    /// The probability of being in any of the draws.
    pub probability: f64,
}

/// What the answers say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AuditReport {
    /// Estimates with intervals.
    #[serde(flatten)]
    pub estimate: AuditEstimate,
    /// How many draws were read.
    pub draws: usize,
    /// Distinct rows that were drawn.
    pub drawn: usize,
    /// Answers that say positive.
    pub found: usize,
    /// Drawn rows without an answer, or without a line.
    pub unanswered: usize,
    /// How many rows are predicted positive: the cut of the model's own decision.
    pub predicted: usize,
    /// The share if every row without an answer were negative, and if every one were positive. `None` where all are
    /// answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub if_unanswered: Option<[Interval; 2]>,
    /// Strata that were joined to a neighbor, for lack of answers.
    pub joined: usize,
}

impl Audit {
    /// Answers from files. They must be of this model, of one table and with the same cuts.
    pub fn new(model: &Model, files: &[AuditFile]) -> Result<Self, Error> {
        Self::of(&model.fingerprint()?, files)
    }

    /// Answers from files of one model, whichever that is.
    pub fn of_files(files: &[AuditFile]) -> Result<Self, Error> {
        Self::of(files.first().map_or("", |first| &first.model), files)
    }

    fn of(ours: &str, files: &[AuditFile]) -> Result<Self, Error> {
        let Some(first) = files.first() else { return Err(onesided_eval::EvalError::FewAnswers(0).into()) };
        let wrong = |file: &AuditFile, what: String| Error::AuditFile { file: file.name.clone(), what };
        let mut draws: BTreeMap<u64, BTreeMap<usize, usize>> = BTreeMap::new();
        let mut seen: BTreeSet<(u64, usize, usize)> = BTreeSet::new();
        let mut answers: BTreeMap<usize, (usize, Option<bool>)> = BTreeMap::new();
        for file in files {
            if file.model != ours {
                return Err(wrong(
                    file,
                    format!(
                        "is an audit of another model ({}, not {ours}); audits of one model add up, so draw all of them with it",
                        file.model
                    ),
                ));
            }
            if file.table != first.table || file.rows != first.rows {
                let what =
                    format!("is an audit of another table than '{}'; read them one by one", first.name);
                return Err(wrong(file, what));
            }
        }
        let strata = tiled(files.iter().flat_map(|file| &file.lines), first)?;
        for file in files {
            let drawn = draws.entry(file.seed).or_default();
            for line in &file.lines {
                let at = strata.partition_point(|range| range.last < line.range.first);
                if strata.get(at).map(|range| (range.first, range.last))
                    != Some((line.range.first, line.range.last))
                {
                    let what = format!(
                        "was drawn with other cuts than '{}'; draw with the same ones to add audits up",
                        first.name
                    );
                    return Err(wrong(file, what));
                }
                if *drawn.entry(at).or_insert(line.range.drawn) != line.range.drawn {
                    let what = format!(
                        "is another draw with the same seed, {}; give each draw its own seed",
                        file.seed
                    );
                    return Err(wrong(file, what));
                }
                seen.insert((file.seed, at, line.row));
                let known = answers.entry(line.row).or_insert((at, None));
                let clash =
                    known.0 != at || (known.1.is_some() && line.answer.is_some() && known.1 != line.answer);
                if clash {
                    let what = format!(
                        "contradicts another answer for row {}; settle it in one of the files",
                        line.row
                    );
                    return Err(wrong(file, what));
                }
                known.1 = known.1.or(line.answer);
            }
        }
        let of_stratum = |at: usize| {
            let rows = strata[at].rows() as f64;
            let rates = draws.values().map(|drawn| drawn.get(&at).map_or(0.0, |&n| n as f64 / rows));
            inclusion(rates)
        };
        let probabilities = (0..strata.len()).map(of_stratum).collect();
        let mut missing = vec![0; strata.len()];
        draws.values().flatten().for_each(|(&at, &drawn)| missing[at] += drawn);
        seen.iter().for_each(|&(_, at, _)| missing[at] = missing[at].saturating_sub(1));
        Ok(Self {
            name: first.name.clone(),
            table: first.table.clone(),
            rows: first.rows,
            probabilities,
            missing,
            draws: draws.len(),
            predicted: first.predicted,
            strata,
            answers,
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn table(&self) -> &str {
        &self.table
    }

    /// Rows of the list that was drawn from.
    pub(crate) fn listed(&self) -> usize {
        self.rows
    }

    /// Every distinct row that was drawn, with its answer and the probability of being in any of the draws.
    pub fn rows(&self) -> impl Iterator<Item = AuditedRow> {
        self.answers.iter().map(|(&row, &(at, answer))| AuditedRow {
            row: row.saturating_sub(1),
            answer,
            probability: self.probabilities[at],
        })
    }

    /// The answers by stratum; rows without one count as `blank` says.
    fn counted(&self, blank: Option<bool>) -> Vec<Stratum> {
        let mut strata: Vec<Stratum> = self
            .strata
            .iter()
            .map(|range| Stratum { rows: range.rows(), answered: 0.0, positive: 0.0 })
            .collect();
        for &(at, answer) in self.answers.values() {
            if let Some(positive) = answer.or(blank) {
                strata[at].answered += 1.0;
                strata[at].positive += f64::from(u8::from(positive));
            }
        }
        for (stratum, &missing) in strata.iter_mut().zip(&self.missing) {
            if let Some(positive) = blank {
                let rows = (missing as f64).min(stratum.rows as f64 - stratum.answered);
                stratum.answered += rows;
                stratum.positive += if positive { rows } else { 0.0 };
            }
        }
        strata
    }

    /// Who writes yes alone and leaves the rest blank means no by it, which is not what blanks are taken for.
    fn check_answers(&self) -> Result<(), Error> {
        let of = |wanted: Option<bool>| self.answers.values().filter(|(_, answer)| *answer == wanted).count();
        let (yes, blank) = (of(Some(true)), of(None));
        if of(Some(false)) == 0 && yes > 0 && blank >= yes {
            Err(Error::AuditFile {
                file: self.name.clone(),
                what: format!(
                    "has {}, {} yes, and {}; write no where the answer is no",
                    counted(yes, "answers"),
                    if yes == 1 { "which is" } else { "all of them" },
                    counted(blank, "blank rows")
                ),
            })
        } else {
            Ok(())
        }
    }

    /// What the answers say, with intervals of this confidence.
    pub fn report(&self, confidence: f64) -> Result<AuditReport, Error> {
        self.check_answers()?;
        let (strata, parts) = joined(&self.counted(None));
        let estimates = estimate(&strata, confidence)?;
        let missing: usize = self.missing.iter().sum();
        let drawn = self.answers.len() + missing;
        let of = |wanted: Option<bool>| self.answers.values().filter(|(_, answer)| *answer == wanted).count();
        let unanswered = of(None) + missing;
        let bound =
            |blank| Ok::<_, Error>(estimate(&joined(&self.counted(Some(blank))).0, confidence)?.share);
        Ok(AuditReport {
            draws: self.draws,
            drawn,
            found: of(Some(true)),
            unanswered,
            predicted: self.predicted,
            if_unanswered: (unanswered > 0)
                .then(|| Ok::<_, Error>([bound(false)?, bound(true)?]))
                .transpose()?,
            joined: self.strata.len() - parts.len(),
            estimate: estimates,
        })
    }
}

/// The strata of all lines. Lines may have been deleted, and whole strata with them: what is missing between two is one.
fn tiled<'l>(lines: impl Iterator<Item = &'l Line>, file: &AuditFile) -> Result<Vec<Range>, Error> {
    let seen: BTreeMap<usize, Range> = lines.map(|line| (line.range.first, line.range)).collect();
    let mut strata: Vec<Range> = Vec::new();
    let end = Range { first: file.rows + 1, last: file.rows + 1, drawn: 0 };
    for range in seen.into_values().chain([end]) {
        let next = strata.last().map_or(1, |range| range.last + 1);
        if range.first < next {
            let what = "has strata that overlap with those of another file; draw with the same cuts to add audits up";
            return Err(Error::AuditFile { file: file.name.clone(), what: what.to_string() });
        }
        if range.first > next {
            strata.push(Range { first: next, last: range.first - 1, drawn: 0 });
        }
        strata.push(range);
    }
    strata.pop();
    Ok(strata)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_as_people_write_them() {
        for yes in ["yes", "YES", " Yes ", "1", "1.0", "true", "TRUE", "Positive", "Ja", "oui"] {
            assert_eq!(answer(yes), Ok(Some(true)), "{yes}");
        }
        for no in ["no", "0", "False", "negative", "NO", "Nein"] {
            assert_eq!(answer(no), Ok(Some(false)), "{no}");
        }
        assert_eq!((answer(""), answer("  ")), (Ok(None), Ok(None)));
        for wrong in ["maybe", "x", "2", "?", "-1"] {
            assert_eq!(answer(wrong), Err(()), "{wrong}");
        }
    }
}
