//! A column that names rows: it tells rows apart that are equal in all that is learned from.
//!
//! What fitting leaves out because it names rows (a number or a code that is another one in every row) is kept as a fingerprint per
//! row. A new table that has the column says which of its rows those are, however the cells are typed there.

use crate::copies::mixed;
use crate::{Fingerprint, Frame};
use onesided_table::{MISSING_CODE, TextColumn, Values, WhyLeftOut};
use std::collections::HashSet;

/// What the rows of a table are called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowNames {
    /// The column.
    pub column: String,
    /// A number per row that its cell makes; 0 where it is empty.
    pub prints: Vec<u64>,
}

impl RowNames {
    /// The cells of a column as they are written.
    pub(super) fn of_texts(column: &str, cells: &TextColumn) -> Self {
        Self { column: column.to_string(), prints: cells.iter().map(of_text).collect() }
    }

    /// The same, made other numbers by a salt.
    pub fn salted(&self, salt: u64) -> Self {
        let salted = |&print: &u64| if print == 0 { 0 } else { mixed(salt, print).max(1) };
        Self { column: self.column.clone(), prints: self.prints.iter().map(salted).collect() }
    }

    /// Columns that name every row with another cell, whether they are learned from or not.
    pub(super) fn candidates(frame: &Frame) -> Vec<Self> {
        let found = frame.columns.iter().filter_map(|column| {
            let (mut prints, mut seen) = (Vec::new(), HashSet::new());
            // Most columns have a cell twice soon.
            for row in 0..frame.rows {
                let print = print_at(&column.values, row, frame.rows).filter(|&print| seen.insert(print))?;
                prints.push(print);
            }
            Some(Self { column: column.name.clone(), prints })
        });
        found.collect()
    }

    /// Whether a column that is left out for this reason names rows.
    pub(super) fn is_name(why: WhyLeftOut) -> bool {
        matches!(why, WhyLeftOut::Identifier | WhyLeftOut::Key | WhyLeftOut::RowOrder | WhyLeftOut::Index)
    }
}

/// The number that a cell makes; `None` where it is empty, or in a column that is not one of names.
fn print_at(values: &Values, row: usize, rows: usize) -> Option<u64> {
    let whole = |number: f64| (number.fract() == 0.0).then(|| of_number(number));
    let print = match values {
        Values::Numeric(values) => whole(f64::from(values[row]))?,
        Values::Wide(values) => whole(values[row])?,
        Values::Categorical { codes, levels } if levels.len() >= rows => match codes[row] {
            MISSING_CODE => return None,
            code => of_text(&levels[code as usize]),
        },
        Values::Text(texts) => of_text(texts.get(row)),
        _ => return None,
    };
    (print != 0).then_some(print)
}

/// A number that is written as a text is that number.
fn of_text(text: &str) -> u64 {
    match text.trim() {
        "" => 0,
        text => match text.parse::<f64>().ok().filter(|number| number.is_finite()) {
            Some(number) => of_number(number),
            None => Fingerprint::default().of_bytes(text.as_bytes()).number(),
        },
    }
}

fn of_number(number: f64) -> u64 {
    let bits = if number == 0.0 { 0 } else { number.to_bits() };
    Fingerprint::default().of_bytes(&bits.to_le_bytes()).number()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_csv_bytes;

    #[test]
    fn columns_of_different_cells_name_rows_however_they_are_typed() {
        let frame = read_csv_bytes(b"id,code,twice,half,name\n1,a-1,x,1.5,\n2,a-2,y,2.5,b\n30,a-3,x,3.5,c\n")
            .unwrap();
        let found = RowNames::candidates(&frame);
        let named: Vec<&str> = found.iter().map(|names| names.column.as_str()).collect();
        assert_eq!(named, ["id", "code"]);
        let again = RowNames::of_texts("id", &["30.0", " 2", "01", ""].iter().collect());
        assert_eq!(again.prints[..3], [found[0].prints[2], found[0].prints[1], found[0].prints[0]]);
        assert_eq!(again.prints[3], 0);
    }
}
