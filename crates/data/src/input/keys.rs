//! A key per row of a table: a number made of its cells as they were read, whatever rows are around it.
//!
//! Encoded cells will not do: a mean, and with it every scaled number, moves when a row is added. A cell counts with the name of
//! its column and what it holds, and a row adds its cells up, so that the order of columns does not matter. Missing cells add
//! nothing.

use crate::copies::mixed;
use crate::{Fingerprint, Frame};
use onesided_table::{Column, MISSING_CODE, Values};
use std::collections::HashMap;

/// The columns that keys are made of, as one number: the sum of what their names are worth.
pub(super) fn of_columns<'n>(names: impl Iterator<Item = &'n str>) -> u64 {
    names.map(of_name).fold(0, u64::wrapping_add)
}

/// A key for each row, made of the columns that `is_meant` names.
pub(super) fn of_rows(frame: &Frame, is_meant: impl Fn(&str) -> bool) -> Vec<u64> {
    let mut keys = vec![0u64; frame.rows];
    for column in frame.columns.iter().filter(|column| is_meant(&column.name)) {
        add(column, &mut keys);
    }
    keys
}

/// Which columns of a table make up `wanted`, given those that are features now. A column may have become one since, or none: one
/// that was the same in all rows differs in a new one, and one that rose with the row does not once rows are shuffled. Up to two
/// such columns are found.
pub(super) fn meant(frame: &Frame, is_feature: impl Fn(&str) -> bool, wanted: u64) -> Option<Vec<&str>> {
    let names: Vec<&str> = frame.columns.iter().map(|column| column.name.as_str()).collect();
    let lacking = wanted.wrapping_sub(of_columns(names.iter().copied().filter(|name| is_feature(name))));
    // What changing sides is worth.
    let worth = |name: &str| if is_feature(name) { of_name(name).wrapping_neg() } else { of_name(name) };
    let places: HashMap<u64, usize> = names.iter().enumerate().map(|(at, name)| (worth(name), at)).collect();
    let other = |at: usize| places.get(&lacking.wrapping_sub(worth(names[at]))).filter(|&&other| other != at);
    let changed: Vec<usize> = match (lacking, places.get(&lacking)) {
        (0, _) => Vec::new(),
        (_, Some(&one)) => vec![one],
        _ => (0..names.len()).find_map(|at| Some(vec![at, *other(at)?]))?,
    };
    let is_meant = |at: usize| is_feature(names[at]) != changed.contains(&at);
    Some((0..names.len()).filter(|&at| is_meant(at)).map(|at| names[at]).collect())
}

fn of_name(name: &str) -> u64 {
    mixed(Fingerprint::default().of_bytes(name.as_bytes()).number(), 0)
}

fn add(column: &Column, keys: &mut [u64]) {
    let name = of_name(&column.name);
    let of_text = |text: &str| Fingerprint::default().of_bytes(text.trim().as_bytes()).number();
    let mut each = |row: usize, cell: Option<u64>| {
        if let (Some(cell), Some(key)) = (cell, keys.get_mut(row)) {
            *key = key.wrapping_add(mixed(mixed(name, cell), 1));
        }
    };
    match &column.values {
        Values::Numeric(values) => {
            values.iter().enumerate().for_each(|(row, &value)| each(row, of_number(f64::from(value))));
        }
        Values::Wide(values) => {
            values.iter().enumerate().for_each(|(row, &value)| each(row, of_number(value)));
        }
        Values::Boolean(values) => {
            values.iter().enumerate().for_each(|(row, value)| {
                each(row, value.and_then(|value| of_number(f64::from(u8::from(value)))));
            });
        }
        Values::Categorical { codes, levels } => {
            let of_levels: Vec<u64> = levels.iter().map(|level| of_text(level)).collect();
            codes.iter().enumerate().for_each(|(row, &code)| {
                each(row, (code != MISSING_CODE).then(|| of_levels[code as usize]));
            });
        }
        Values::Times(times) => {
            times.seconds.iter().enumerate().for_each(|(row, &value)| each(row, of_number(value)));
        }
        Values::Text(texts) => {
            texts.iter().enumerate().for_each(|(row, text)| {
                each(row, (!text.trim().is_empty()).then(|| of_text(text)));
            });
        }
        Values::Vectors { width, values } => {
            values.chunks(*(width.max(&1))).enumerate().for_each(|(row, numbers)| {
                let mut all = numbers.iter().map(|&number| of_number(f64::from(number)));
                each(row, all.try_fold(0, |so_far, number| Some(mixed(so_far, number?))));
            });
        }
    }
}

/// The bits of a number, with one zero; `None` where it is missing.
fn of_number(value: f64) -> Option<u64> {
    (!value.is_nan()).then(|| if value == 0.0 { 0 } else { value.to_bits() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_csv_bytes;

    #[test]
    fn keys_go_with_the_cells_of_a_row() {
        let all = |text: &str| of_rows(&read_csv_bytes(text.as_bytes()).unwrap(), |_| true);
        let keys = all("a,b,c\n1,x,2020-01-01\n2,y,2020-01-02\n,x,\n0,y,2020-01-02\n");
        // Rows and columns in another order, other rows next to them, and a number written otherwise.
        let again = all("c,b,a\n2020-01-02,y,2.0\n2020-05-05,z,7\n2020-01-01,x,1\n2020-01-02,y,-0\n,x,\n");
        assert_eq!([keys[1], keys[0], keys[3], keys[2]], [again[0], again[2], again[3], again[4]]);
        assert!(!keys.contains(&again[1]) && keys[1] != keys[3]);
        // Cells of two columns that change places make another row.
        let two = all("a,b\n1,2\n2,1\n3,3\n");
        assert_ne!(two[0], two[1]);
    }

    #[test]
    fn columns_that_became_features_since_are_found() {
        let frame = read_csv_bytes(b"a,b,c,d,e\n1,2,3,4,5\n").unwrap();
        let was = |names: &[&str]| {
            meant(&frame, |name| ["a", "b", "c"].contains(&name), of_columns(names.iter().copied()))
        };
        for names in [&["a", "b", "c"][..], &["a", "b"], &["a", "b", "c", "e"], &["a", "c", "d"], &["c"]] {
            assert_eq!(was(names).as_deref(), Some(names));
        }
        assert_eq!(was(&["d", "e"]), None);
        assert_eq!(was(&["a", "b", "c", "other"]), None);
    }
}
