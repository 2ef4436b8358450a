//! What the columns of a table were read as, in a few lines whatever the table's width.

use crate::output::detail;
use onesided::Dataset;
use onesided::data::{ColumnIs, ColumnRead};

/// Names shown of a kind.
const SHOWN: usize = 6;

/// Says what was read: a line for each kind of column that is learned from. What is left out is told by notes.
pub fn print_columns(data: &Dataset) {
    let lines = lines(data.columns_read());
    if !lines.is_empty() {
        detail("columns read:");
        lines.iter().for_each(|line| detail(line));
    }
}

fn lines(columns: &[ColumnRead]) -> Vec<String> {
    const KINDS: [(ColumnIs, &str); 7] = [
        (ColumnIs::Number, "numbers"),
        (ColumnIs::TrueFalse, "true or false"),
        (ColumnIs::Category, "categories"),
        (ColumnIs::Date, "dates"),
        (ColumnIs::Text, "texts"),
        (ColumnIs::Vector, "vectors"),
        (ColumnIs::LeftOut, "left out"),
    ];
    let mut lines = Vec::new();
    for (kind, word) in KINDS {
        let some: Vec<&ColumnRead> = columns.iter().filter(|column| column.kind == kind).collect();
        if !some.is_empty() {
            lines.push(format!("  {word:<13} {:>5}  {}", some.len(), names(&some)));
        }
    }
    lines
}

fn names(columns: &[&ColumnRead]) -> String {
    let shown: Vec<String> = columns.iter().take(SHOWN).map(|column| named(column)).collect();
    match columns.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A name, and how many levels or terms it has.
fn named(column: &ColumnRead) -> String {
    match column.kind {
        ColumnIs::Category => format!("{} ({} levels)", column.name, column.features),
        ColumnIs::Text => format!("{} ({} terms)", column.name, column.features),
        _ => column.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, kind: ColumnIs, features: usize) -> ColumnRead {
        ColumnRead { name: name.to_string(), kind, features, missing: 0, why: None }
    }

    #[test]
    fn a_wide_table_takes_a_line_for_each_kind() {
        let mut columns: Vec<ColumnRead> =
            (0..2_000).map(|at| column(&format!("x{at}"), ColumnIs::Number, 1)).collect();
        columns.push(column("color", ColumnIs::Category, 12));
        columns.push(column("born", ColumnIs::Date, 4));
        assert_eq!(
            lines(&columns),
            [
                "  numbers        2000  x0, x1, x2, x3, x4, x5 and 1994 more",
                "  categories        1  color (12 levels)",
                "  dates             1  born",
            ]
        );
    }
}
