//! The formats of tables, and what the name of a file says of it.

use crate::TableError;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::str::FromStr;

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableFormat {
    /// Text, separated by commas.
    Csv,
    /// Text, separated by tabs.
    Tsv,
    /// Parquet.
    Parquet,
    /// An object per line, or an array of objects.
    Json,
    /// Arrow's own files and streams, and Feather.
    Arrow,
    /// A spreadsheet: `.xlsx`, `.xlsb`, `.xls` or `.ods`.
    Excel,
}

impl TableFormat {
    /// What the name of a file says: `.csv`, `.txt`, `.tsv`, `.tab`, `.json`, `.jsonl` or `.ndjson`, plain or with `.gz` or
    /// `.zst`; `.parquet` or `.pq`; `.feather`, `.arrow` or `.ipc`; `.xlsx`, `.xlsm`, `.xlsb`, `.xls` or `.ods`.
    pub fn of(path: &Path) -> Option<Self> {
        let lower = path.file_name()?.to_string_lossy().to_lowercase();
        let bare = lower.strip_suffix(".gz").or_else(|| lower.strip_suffix(".zst")).unwrap_or(&lower);
        let ends = |name: &str, endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if ends(&lower, &[".parquet", ".pq"]) {
            Some(TableFormat::Parquet)
        } else if ends(&lower, &[".feather", ".arrow", ".ipc"]) {
            Some(TableFormat::Arrow)
        } else if ends(&lower, &[".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"]) {
            Some(TableFormat::Excel)
        } else if ends(bare, &[".csv", ".txt"]) {
            Some(TableFormat::Csv)
        } else if ends(bare, &[".tsv", ".tab"]) {
            Some(TableFormat::Tsv)
        } else if ends(bare, &[".json", ".jsonl", ".ndjson"]) {
            Some(TableFormat::Json)
        } else {
            None
        }
    }
}

impl FromStr for TableFormat {
    type Err = TableError;

    fn from_str(name: &str) -> Result<Self, TableError> {
        match name {
            "csv" => Ok(TableFormat::Csv),
            "tsv" => Ok(TableFormat::Tsv),
            "parquet" => Ok(TableFormat::Parquet),
            "json" => Ok(TableFormat::Json),
            "arrow" => Ok(TableFormat::Arrow),
            "excel" => Ok(TableFormat::Excel),
            other => {
                let (what, found) = ("format of tables", other.to_string());
                Err(TableError::UnknownWord {
                    what,
                    found,
                    known: &["csv", "tsv", "parquet", "json", "arrow", "excel"],
                })
            }
        }
    }
}
