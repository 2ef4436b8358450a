//! Rows that are empty in every column that is learned from, as the line of totals below an export is.

use crate::frame::Values;

/// Rows of which every column so far is missing.
#[derive(Default)]
pub struct BlankRows {
    /// `None` before the first column.
    rows: Option<Vec<u32>>,
}

impl BlankRows {
    /// One more column that is learned from.
    pub fn meet(&mut self, values: &Values) {
        match &mut self.rows {
            None => {
                let all = 0..u32::try_from(values.len()).unwrap_or(u32::MAX);
                self.rows = Some(all.filter(|&row| values.is_missing(row as usize)).collect());
            }
            Some(rows) => rows.retain(|&row| values.is_missing(row as usize)),
        }
    }

    /// Their numbers, from 0.
    pub fn finish(self) -> Vec<u32> {
        self.rows.unwrap_or_default()
    }
}
