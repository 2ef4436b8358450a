//! What of a table that is too large for the memory could be learned from.
//!
//! The labels are read for it, as a draw reads them first: how many unlabeled rows fit depends on how many labeled ones there
//! are, and a proposal that fails in turn is worse than none.

use super::table::read_source;
use super::{Input, InputOptions, Roles};
use crate::label::count_labels;
use onesided_table::unlabeled_to_fit;
use onesided_table::{ReadOptions, Source};

/// What a table too large for the memory has, and how much of it is not too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WouldFit {
    /// The rows of the table.
    pub rows: usize,
    /// The columns that are learned from.
    pub columns: usize,
    /// About how many unlabeled rows there is memory to learn from, besides all labeled ones; `None` where they are too few.
    pub unlabeled: Option<usize>,
}

impl InputOptions {
    /// What of one table in a file, with a column of labels, or of two or three tables would fit into the memory, where they
    /// are tables of numbers. `None`: it cannot be told.
    pub fn would_fit(&self, input: &Input) -> Option<WouldFit> {
        let paths = input.paths();
        if !paths.iter().all(|path| path.is_file()) || !self.text.is_empty() {
            return None;
        }
        let names = Source::at(paths.last()?).ok()?.names(&self.as_written()).ok()?;
        let learned = names.iter().filter(|name| {
            if self.only.is_empty() {
                !self.drop.contains(name) && self.roles.label.as_ref() != Some(name)
            } else {
                self.only.contains(name)
            }
        });
        let columns = learned.count();
        let roles = Roles { id: Vec::new(), truth: None, weight: None, group: None, ..self.roles.clone() };
        let (mut rows, mut labeled) = (0, 0);
        for (at, path) in paths.iter().enumerate() {
            let none = ReadOptions { only: Some(Vec::new()), ..self.as_written() };
            let source = Source::at(path).ok().filter(|source| source.has_room_for_labels(&none))?;
            let table = read_source(&source, none, (&roles).into()).ok()?;
            match (input, table.answers.labels) {
                (Input::One(_) | Input::Parts(_), Some(labels)) => {
                    rows += labels.len();
                    labeled += labels.len() - count_labels(&labels).unlabeled;
                }
                (Input::One(_) | Input::Parts(_), None) => return None,
                (Input::Two { .. }, _) => {
                    rows += table.frame.rows;
                    labeled += if at == 1 { 0 } else { table.frame.rows };
                }
            }
        }
        // A draw of more than there are is none: then it is something else than the numbers that takes the memory.
        let fewer = |unlabeled: &usize| *unlabeled < rows - labeled;
        let unlabeled = unlabeled_to_fit(columns, labeled, rows).filter(fewer);
        Some(WouldFit { rows, columns, unlabeled })
    }
}
