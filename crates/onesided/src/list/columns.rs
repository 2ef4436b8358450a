//! Rows of a list as columns of a file.

use super::ListedRow;
use crate::Contribution;
use onesided_data::{Cut, OutColumn, Phase, TableError, WriteAs, write_batches};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Rows written at a time.
const ROWS_AT_ONCE: usize = 1 << 13;

/// What a list shows of its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListColumns {
    /// Probabilities have ranges.
    pub ranges: bool,
    /// What rows are known by.
    pub ids: Vec<String>,
    /// What is kept of the table.
    pub kept: Vec<String>,
    /// What carried a score.
    pub because: bool,
    /// Whether a row is predicted positive.
    pub yes_no: bool,
    /// What a row is to the model.
    pub kinds: bool,
}

/// What was written of a list.
#[derive(Clone, Debug, Default)]
pub struct WrittenList {
    /// How many rows.
    pub rows: usize,
    /// Those predicted positive.
    pub positive: usize,
    /// What the format could not hold.
    pub cut: Option<Cut>,
}

impl ListColumns {
    /// Writes a list of about so many rows, some at a time, until it ends or `stop` says so.
    pub fn write(
        &self,
        out: &Path,
        how: &WriteAs,
        rows: usize,
        mut list: impl Iterator<Item = Result<ListedRow, TableError>> + Send,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<WrittenList, TableError> {
        let (mut written, mut begun) = (WrittenList::default(), false);
        let phase = Phase::new("writing", rows as u64, "rows");
        let mut next = || -> Result<_, TableError> {
            if stop() {
                let (file, cause) = (out.display().to_string(), io::Error::from(ErrorKind::Interrupted));
                return Err(TableError::Write { file, cause });
            }
            let batch: Vec<ListedRow> = list.by_ref().take(ROWS_AT_ONCE).collect::<Result<_, _>>()?;
            // A list of no rows still has its header.
            if batch.is_empty() && std::mem::replace(&mut begun, true) {
                return Ok(None);
            }
            begun = true;
            let columns = self.cells(&batch, written.rows + 1);
            written.rows += batch.len();
            phase.add(batch.len() as u64);
            written.positive += batch.iter().filter(|row| row.positive).count();
            Ok(Some(columns))
        };
        let cut = write_batches(out, how, &mut next)?;
        Ok(WrittenList { cut, ..written })
    }

    /// The cells of some rows, the first of which has this rank.
    pub fn cells(&self, rows: &[ListedRow], rank: usize) -> Vec<(String, OutColumn)> {
        let rank = rank as u64;
        let mut columns = vec![
            ("row".to_string(), OutColumn::U64(rows.iter().map(|row| row.row as u64 + 1).collect())),
            ("score".to_string(), OutColumn::F32(rows.iter().map(|row| row.score).collect())),
            ("probability".to_string(), OutColumn::Share(rows.iter().map(|row| row.probability).collect())),
            ("rank".to_string(), OutColumn::U64((rank..rank + rows.len() as u64).collect())),
        ];
        let taken =
            |columns: &[(String, OutColumn)], name: &str| columns.iter().any(|(taken, _)| taken == name);
        let texts = |of: &dyn Fn(&ListedRow) -> String| OutColumn::Text(rows.iter().map(of).collect());
        // Where the identifier has one of these names, `id_rank` tells it from the list's own.
        for (at, name) in self.ids.iter().enumerate() {
            let mut name = name.clone();
            while taken(&columns, &name) {
                name.insert_str(0, "id_");
            }
            columns.push((name, texts(&|row| row.cells[at].clone())));
        }
        if self.kinds {
            let name = if taken(&columns, "kind") { "row_kind" } else { "kind" };
            columns.push((name.to_string(), texts(&|row| row.kind.word().to_string())));
        }
        if self.ranges {
            let range = |row: &ListedRow| row.range.unwrap_or_default();
            let ends =
                |of: fn((f32, f32)) -> f32| OutColumn::Share(rows.iter().map(|row| of(range(row))).collect());
            columns.push(("probability_low".to_string(), ends(|range| range.0)));
            columns.push(("probability_high".to_string(), ends(|range| range.1)));
        }
        if self.because {
            let name = if taken(&columns, "because") { "carried_by" } else { "because" };
            columns.push((name.to_string(), texts(&ListedRow::because_text)));
        }
        if self.yes_no {
            let name = if taken(&columns, "positive") { "predicted_positive" } else { "positive" };
            columns.push((name.to_string(), texts(&|row| row.decision().to_string())));
        }
        for (at, name) in self.kept.iter().enumerate() {
            let mut name = name.clone();
            while taken(&columns, &name) {
                name.insert_str(0, "kept_");
            }
            columns.push((name, texts(&|row| row.cells[self.ids.len() + at].clone())));
        }
        columns
    }
}

impl ListedRow {
    /// What carried its score, such as `goal +1.20, team +0.75, bank -0.31`.
    pub fn because_text(&self) -> String {
        let part = |Contribution { feature, value }: &Contribution| format!("{feature} {value:+.2}");
        self.because.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    /// Whether it is predicted positive: `yes` or `no`.
    pub fn decision(&self) -> &'static str {
        if self.positive { "yes" } else { "no" }
    }
}
