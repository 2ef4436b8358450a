//! The names of columns, where a file gives some twice or not at all.

use super::{ReadOptions, Role, Wanted};
use crate::Remark;
use crate::frame::{LeftOut, WhyLeftOut};
use std::collections::{HashMap, HashSet};

/// The names of a table's columns, each of them once.
pub(super) struct Header {
    pub names: Vec<String>,
    /// Which of them the file does not have.
    pub unnamed: Vec<usize>,
    pub remarks: Vec<Remark>,
}

impl Header {
    /// Names every column: one without a name is called by its place, and of two with one name the second gets a number.
    pub(super) fn new(raw: Vec<String>) -> Self {
        let there: HashSet<String> = raw.iter().cloned().collect();
        let mut taken = HashSet::with_capacity(raw.len());
        let mut next: HashMap<String, usize> = HashMap::new();
        let (mut names, mut unnamed, mut renamed) = (Vec::with_capacity(raw.len()), Vec::new(), Vec::new());
        for (at, name) in raw.into_iter().enumerate() {
            let mut called = name.clone();
            if name.is_empty() {
                unnamed.push(at);
                called = format!("column {}", at + 1);
            }
            if taken.contains(&called) || (name.is_empty() && there.contains(&called)) {
                // Lower numbers of this name are taken: whoever starts at 2 each time takes the square of their count.
                let number = next.entry(called.clone()).or_insert(2);
                loop {
                    let numbered = format!("{called}_{number}");
                    *number += 1;
                    if !taken.contains(&numbered) && !there.contains(&numbered) {
                        called = numbered;
                        break;
                    }
                }
            }
            if !name.is_empty() && called != name {
                renamed.push((name, called.clone()));
            }
            taken.insert(called.clone());
            names.push(called);
        }
        let remarks = if renamed.is_empty() { Vec::new() } else { vec![Remark::Renamed(renamed)] };
        Header { names, unnamed, remarks }
    }

    /// Leaves out a first column without a name, which is an index of rows, unless it is asked for.
    pub(super) fn leave_out_index(&self, roles: &mut [Role], options: &ReadOptions) -> Option<LeftOut> {
        let asked = options.only.is_some() || !matches!(roles.first(), Some(Role::Feature(Wanted::Any)));
        if asked || self.unnamed.first() != Some(&0) {
            return None;
        }
        roles[0] = Role::Skip;
        Some(LeftOut { column: self.names[0].clone(), why: WhyLeftOut::Index })
    }

    /// Says what unnamed columns are called, once it is known which of them are not empty.
    pub(super) fn remark_unnamed(&mut self, is_there: impl Fn(&str) -> bool) {
        let unnamed = self.unnamed.iter().map(|&at| self.names[at].clone());
        let unnamed: Vec<String> = unnamed.filter(|name| is_there(name)).collect();
        if !unnamed.is_empty() {
            self.remarks.push(Remark::Unnamed(unnamed));
        }
    }
}

/// Whether names look like the cells of a row: at least half of them are numbers, and these do not just count.
pub(super) fn are_numbers(names: &[String]) -> bool {
    let numbers: Vec<f64> = names.iter().filter_map(|name| name.parse().ok()).collect();
    let counts = numbers.windows(2).all(|pair| pair[1] == pair[0] + 1.0);
    2 * numbers.len() >= names.len() && !numbers.is_empty() && !(counts && numbers.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(raw: &[&str]) -> Vec<String> {
        Header::new(raw.iter().map(ToString::to_string).collect()).names
    }

    #[test]
    fn every_column_has_a_name_of_its_own() {
        assert_eq!(names(&["a", "b", "a", "a"]), ["a", "b", "a_2", "a_3"]);
        // A name that is there already is not taken away from its column.
        assert_eq!(names(&["a", "a", "a_2"]), ["a", "a_3", "a_2"]);
        assert_eq!(names(&["", "x", ""]), ["column 1", "x", "column 3"]);
        assert_eq!(names(&["", "column 1"]), ["column 1_2", "column 1"]);
        assert_eq!(names(&["a", "a", "a_3", "a", "a_3"]), ["a", "a_2", "a_3", "a_4", "a_3_2"]);
    }

    /// Names tried one after the other from the start would be 20,000,000,000 here, which takes hours.
    #[test]
    fn many_columns_of_one_name_are_named_in_one_go() {
        let names = names(&["c"; 200_000]);
        assert_eq!([&names[1], &names[199_999]], ["c_2", "c_200000"]);
    }

    #[test]
    fn a_row_is_no_header() {
        let are = |names: &[&str]| are_numbers(&names.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert!(are(&["5.1", "3.5", "setosa"]) && are(&["1", "0"]) && are(&["7"]));
        assert!(!are(&["0", "1", "2"]) && !are(&["1990", "1991", "y"]) && !are(&["a", "b", "1"]));
    }
}
