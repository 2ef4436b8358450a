//! What reading met in the shape of a file that did not stop it, as facts.

use crate::Position;
use crate::decode::TextEncoding;
use crate::names::{listed, shortened};
use crate::{Hint, agree, counted, part_of};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Something of a file's header, lines or sheets that should be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remark {
    /// Lines above the header that were passed over.
    Titles {
        /// How many.
        lines: usize,
    },
    /// Lines that have one cell more than the header, of which the first is taken as the name of its row.
    RowNames,
    /// Columns whose name another has, too: the name in the file, and the one here.
    Renamed(Vec<(String, String)>),
    /// Columns without a name, and what they are called here.
    Unnamed(Vec<String>),
    /// Lines with fewer cells than the header, whose last cells are missing.
    Short {
        /// How many.
        lines: usize,
        /// Of how many.
        of: usize,
        /// The first of them.
        first: Position,
    },
    /// The sheet that was read, where others have data as well.
    Sheets {
        /// Its name.
        read: String,
        /// The others.
        others: Vec<String>,
    },
    /// Two header rows of a sheet, which were joined.
    TwoHeaders {
        /// The name that a column got by it.
        example: String,
    },
    /// What a text table was read as that is not UTF-8.
    Encoding(TextEncoding),
    /// Merged cells of a sheet, each of which has the value of all.
    Merged {
        /// How many areas.
        areas: usize,
    },
    /// Rows and columns that the sheet hides, which were read like others.
    Hidden {
        /// How many rows.
        rows: usize,
        /// The columns.
        columns: Vec<String>,
    },
}

impl Remark {
    /// Whether it may spoil what is learned.
    pub fn is_warning(&self) -> bool {
        // Where most lines lack their last cells, a program left out empty ones.
        matches!(self, Remark::Short { lines, of, .. } if 2 * lines < *of)
    }

    /// The setting that would read it otherwise.
    pub fn hint(&self) -> Option<Hint> {
        match self {
            Remark::Sheets { others, .. } => {
                Some(Hint::new("read another", "sheet", others.first()?.clone()))
            }
            Remark::Encoding(_) => {
                Some(Hint::new("if it is in another encoding, name it", "encoding", "NAME"))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::RowNames => f.write_str(
                "every line has one cell more than the header; the first is taken as the name of its row, so check the separators if \
                 there are no such names",
            ),
            Remark::Titles { lines: 1 } => f.write_str("the line above the header is passed over"),
            Remark::Titles { lines } => write!(f, "{lines} lines above the header are passed over"),
            Remark::Renamed(names) => {
                let shown: Vec<String> = names
                    .iter()
                    .take(8)
                    .map(|(name, new)| format!("'{}' is {}", shortened(name), shortened(new)))
                    .collect();
                let more = match names.len().saturating_sub(8) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                write!(f, "columns share a name; the second {}{more} here", shown.join(", "))
            }
            Remark::Unnamed(names) => {
                write!(f, "columns without a name are called {}", listed(names, ", ", 8))
            }
            Remark::Short { lines, of, first } => write!(
                f,
                "{} {} fewer cells than the header, first {first}; their last cells are taken as missing",
                part_of(*lines, *of, "lines"),
                agree(*lines, "has", "have")
            ),
            Remark::Sheets { read, others } => {
                let (verb, shown) = (if others.len() == 1 { "has" } else { "have" }, listed(others, ", ", 8));
                write!(f, "the sheet '{}' is read; {shown} {verb} data, too", shortened(read))
            }
            Remark::TwoHeaders { example } => {
                write!(
                    f,
                    "two header rows are read as one, which makes names such as '{}'",
                    shortened(example)
                )
            }
            Remark::Encoding(encoding) => write!(f, "the table is not UTF-8 and is read as {encoding}"),
            Remark::Merged { areas } => {
                write!(f, "merged cells ({areas}) are read as cells that all have the value")
            }
            Remark::Hidden { rows, columns } => {
                let rows = (*rows > 0).then(|| counted(*rows, "rows"));
                let columns = (!columns.is_empty()).then(|| {
                    let what = if columns.len() == 1 { "the column" } else { "the columns" };
                    format!("{what} {}", listed(columns, ", ", 8))
                });
                let hidden: Vec<String> = rows.into_iter().chain(columns).collect();
                write!(f, "the sheet hides {}; what is hidden is read like the rest", hidden.join(" and "))
            }
        }
    }
}
