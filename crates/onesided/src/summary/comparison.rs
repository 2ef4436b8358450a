//! Several models on one table, side by side: what each says of it, and how far their lists agree.

use super::{Summary, SummarySettings};
use crate::{Error, List};
use onesided_data::{Input, ReadAgain};
use serde::Serialize;
use std::collections::HashSet;

/// Numbers of first rows that are compared, and how many rows of a list are kept for it.
const FIRST: [usize; 4] = [10, 50, 200, 1_000];

/// Models side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The models, in the order they were named in.
    pub models: Vec<Side>,
    /// How far their lists agree, for some numbers of first rows.
    pub overlaps: Vec<Overlap>,
}

/// A model among others.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// What it is called.
    pub name: String,
    /// What there is to show of it and of the table, without rows and importance.
    pub summary: Summary,
}

/// How many of the first rows two models share, for each pair of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overlap {
    /// How many first rows of either list.
    pub rows: usize,
    /// Of the models by their places: the share of the first rows of one that are among those of the other.
    pub shared: Vec<Vec<f64>>,
}

impl Comparison {
    /// Lists of the same place by several models.
    pub fn of(lists: &[(String, List<'_>)], input: &Input, also: &ReadAgain) -> Result<Self, Error> {
        let most = FIRST[FIRST.len() - 1];
        let settings =
            SummarySettings { rows: most, reasons: 0, importance: None, ..SummarySettings::default() };
        let mut sides = Vec::new();
        let mut firsts: Vec<Vec<usize>> = Vec::new();
        for (name, list) in lists {
            let mut summary = list.summary_without_cells(input, also, &settings)?;
            firsts.push(std::mem::take(&mut summary.first).iter().map(|row| row.row).collect());
            sides.push(Side { name: name.clone(), summary });
        }
        let listed = firsts.iter().map(Vec::len).min().unwrap_or(0);
        // All rows of a list are all rows of another.
        let numbers = FIRST.into_iter().filter(|&rows| rows < listed);
        let overlaps = numbers.map(|rows| Overlap { rows, shared: shared(&firsts, rows) }).collect();
        Ok(Self { models: sides, overlaps })
    }
}

/// The share of the first rows of one list that are among those of another.
fn shared(firsts: &[Vec<usize>], rows: usize) -> Vec<Vec<f64>> {
    let sets: Vec<HashSet<usize>> =
        firsts.iter().map(|first| first.iter().take(rows).copied().collect()).collect();
    let pair = |a: &HashSet<usize>, b: &HashSet<usize>| a.intersection(b).count() as f64 / rows as f64;
    sets.iter().map(|a| sets.iter().map(|b| pair(a, b)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_share_what_is_in_both() {
        let firsts = vec![vec![1, 2, 3, 4], vec![2, 1, 9, 8]];
        assert_eq!(shared(&firsts, 2), [[1.0, 1.0], [1.0, 1.0]]);
        assert_eq!(shared(&firsts, 4), [[1.0, 0.5], [0.5, 1.0]]);
        assert_eq!(shared(&firsts, 1), [[1.0, 0.0], [0.0, 1.0]]);
    }
}
