//! Certified rows as columns of a file.

use super::CertifiedRow;
use onesided_data::{Cut, OutColumn, Phase, TableError, WriteAs, write_batches};
use std::io::{self, ErrorKind};
use std::path::Path;

/// Rows written at a time.
const ROWS_AT_ONCE: usize = 1 << 13;

/// What a list of certified rows shows of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CertifiedColumns {
    /// What rows are known by.
    pub ids: Vec<String>,
    /// What is kept of the table.
    pub kept: Vec<String>,
    /// Whether rows have e-values, of several splits, in place of p-values.
    pub e_values: bool,
}

impl CertifiedColumns {
    /// Writes about so many rows, some at a time, until they end or `stop` says so. Returns how many were written, and what the format
    /// could not hold.
    pub fn write(
        &self,
        out: &Path,
        how: &WriteAs,
        rows: usize,
        mut list: impl Iterator<Item = Result<CertifiedRow, TableError>> + Send,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(usize, Option<Cut>), TableError> {
        let (mut written, mut begun) = (0, false);
        let phase = Phase::new("writing", rows as u64, "rows");
        let mut next = || -> Result<_, TableError> {
            if stop() {
                let (file, cause) = (out.display().to_string(), io::Error::from(ErrorKind::Interrupted));
                return Err(TableError::Write { file, cause });
            }
            let batch: Vec<CertifiedRow> = list.by_ref().take(ROWS_AT_ONCE).collect::<Result<_, _>>()?;
            // A list of no rows still has its header.
            if batch.is_empty() && std::mem::replace(&mut begun, true) {
                return Ok(None);
            }
            begun = true;
            written += batch.len();
            phase.add(batch.len() as u64);
            Ok(Some(self.cells(&batch)))
        };
        let cut = write_batches(out, how, &mut next)?;
        Ok((written, cut))
    }

    /// What the evidence of a row is called.
    pub fn evidence(&self) -> &'static str {
        if self.e_values { "e_value" } else { "p_value" }
    }

    /// The cells of some rows.
    pub fn cells(&self, rows: &[CertifiedRow]) -> Vec<(String, OutColumn)> {
        let mut columns = vec![
            ("row".to_string(), OutColumn::U64(rows.iter().map(|row| row.row as u64 + 1).collect())),
            ("score".to_string(), OutColumn::F32(rows.iter().map(|row| row.score).collect())),
            (self.evidence().to_string(), OutColumn::F64(rows.iter().map(|row| row.evidence).collect())),
        ];
        let named =
            self.ids.iter().map(|name| ("id_", name)).chain(self.kept.iter().map(|name| ("kept_", name)));
        for (at, (prefix, name)) in named.enumerate() {
            let mut name = name.clone();
            while columns.iter().any(|(taken, _)| *taken == name) {
                name.insert_str(0, prefix);
            }
            columns.push((name, OutColumn::Text(rows.iter().map(|row| row.cells[at].clone()).collect())));
        }
        columns
    }
}
