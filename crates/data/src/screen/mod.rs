//! The rules about columns: what is not learned from, and what is said of the rest.
//!
//! A rule looks at one column at a time, so a whole table and one that is read some columns at a time get the same findings.
//! [`column_rules`] lists them in their order; a column that one leaves out is not shown to the next.

mod calendar_parts;
mod labels_stop;
mod names_rows;
mod row_order;
mod tells_labels;
mod times_in_order;

pub use labels_stop::LabelStop;
pub(crate) use row_order::follows_rows;

use crate::{EncodeReport, Features, Label};
use onesided_table::{Frame, LeftOut, Values, WhyLeftOut};
use serde::{Deserialize, Serialize};

/// A rule about columns.
#[derive(Debug)]
#[non_exhaustive]
pub struct ColumnRule {
    /// What it is called.
    pub name: &'static str,
    /// What it finds, and what is done then.
    pub finds: &'static str,
    /// What decides, by the names of the code.
    pub constants: &'static [(&'static str, f64)],
    /// Where it was chosen and measured.
    pub evidence: &'static str,
    look: fn(&Look<'_>, &mut Values) -> Option<Finding>,
}

static RULES: [ColumnRule; 5] =
    [times_in_order::RULE, names_rows::RULE, labels_stop::RULE, names_rows::CALLED, tells_labels::RULE];

/// All rules, in the order in which a column meets them.
pub fn column_rules() -> &'static [ColumnRule] {
    &RULES
}

/// What a rule knows of a column besides its cells.
struct Look<'a> {
    name: &'a str,
    labels: Option<&'a [Label]>,
    /// Whether the column was asked for, as numbers, as dates or among others.
    asked: bool,
    /// Whether somebody said what it is.
    is_said: bool,
    /// Rows that are empty in every column: their cells here are not missing ones.
    blank: usize,
}

/// What a rule found.
enum Finding {
    LeftOut(WhyLeftOut),
    Stop(LabelStop),
    CalledId,
    /// The area under the curve of labeled against unlabeled rows.
    TellsLabels(f64),
}

/// Columns that somebody named.
#[derive(Default)]
pub(crate) struct Asked<'a> {
    /// As numbers, as dates, or as those to learn from.
    pub by_name: Vec<&'a String>,
    /// As categories or texts.
    pub as_words: Vec<&'a String>,
}

/// What was found in the columns of a table.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Findings {
    pub stops: Vec<LabelStop>,
    /// Columns that are called like identifiers and repeat.
    pub called_ids: Vec<String>,
    /// Columns that tell labeled from unlabeled rows, and their areas.
    pub leaks: Vec<(String, f64)>,
}

impl Findings {
    /// Shows every column of a table to the rules, and takes out those that are not learned from. So many rows are empty in every
    /// column.
    pub fn look(&mut self, asked: &Asked<'_>, frame: &mut Frame, labels: Option<&[Label]>, blank: usize) {
        let mut left_out = Vec::new();
        frame.columns.retain_mut(|column| {
            let by_name = asked.by_name.contains(&&column.name);
            let is_said = by_name || asked.as_words.contains(&&column.name);
            let look = Look { name: &column.name, labels, asked: by_name, is_said, blank };
            for rule in &RULES {
                match (rule.look)(&look, &mut column.values) {
                    Some(Finding::LeftOut(why)) => {
                        left_out.push(LeftOut { column: column.name.clone(), why });
                        return false;
                    }
                    Some(Finding::Stop(stop)) => self.stops.push(stop),
                    Some(Finding::CalledId) => self.called_ids.push(column.name.clone()),
                    Some(Finding::TellsLabels(area)) => self.leaks.push((column.name.clone(), area)),
                    None => {}
                }
            }
            true
        });
        frame.left_out.extend(left_out);
    }

    /// One sentence per cause. What is said of a column is said of one that is learned from; a column that tells labels apart needs
    /// no second warning, and dates in the order of rows that tell where labels stop are named for that alone.
    pub fn tell_once(&mut self, features: &Features, report: &mut EncodeReport) {
        let is_learned = |name: &String| features.columns().iter().any(|feature| feature.name == *name);
        self.leaks.retain(|(name, _)| is_learned(name));
        self.called_ids.retain(is_learned);
        self.stops.retain(|stop| !self.leaks.iter().any(|(name, _)| *name == stop.column));
        let told = |name: &String| self.stops.iter().any(|stop| stop.column == *name);
        report.times_in_order.retain(|name| !told(name));
        report.left_out.retain(|left_out| left_out.why != WhyLeftOut::TimeOrder || !told(&left_out.column));
    }

    /// With what was found in other columns.
    pub fn merge(&mut self, other: Self) {
        self.stops.extend(other.stops);
        self.called_ids.extend(other.called_ids);
        self.leaks.extend(other.leaks);
    }

    /// Puts the findings in the order of these columns.
    pub fn sort_by(&mut self, place: impl Fn(&str) -> Option<usize>) {
        self.stops.sort_by_key(|stop| place(&stop.column));
        self.called_ids.sort_by_key(|name| place(name));
        self.leaks.sort_by_key(|(name, _)| place(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// The page shows the list, and the evidence is there.
    #[test]
    fn the_page_lists_the_rules() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let page = fs::read_to_string(root.join("docs/columns.md")).unwrap();
        for rule in column_rules() {
            let constants: Vec<String> =
                rule.constants.iter().map(|(name, value)| format!("`{name}` {value}")).collect();
            let file = rule.evidence.split(" (").next().unwrap();
            let line =
                format!("| {} | {} | {} | {} |", rule.name, rule.finds, constants.join(", "), rule.evidence);
            assert!(page.contains(&line), "docs/columns.md lacks the line\n{line}");
            assert!(root.join(file).exists(), "{file}");
        }
    }
}
