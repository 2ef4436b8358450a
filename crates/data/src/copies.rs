//! Rows that belong together, because they are equal or of one group, and splits that do not tear them apart.
//!
//! A copy of a row on the other side of a split gives the row's answer away: a row that is scored out of fold has been met in
//! fold, and a positive whose copy is labeled, too, is found by heart. Rows that are equal therefore stay together.
//!
//! Where columns are few and of few values, rows are equal that have nothing to do with each other, and what is learned cannot
//! know one of them by heart. Such tables, and equal rows that are a large part of a table, are split as if no two rows were equal.
//!
//! Groups are told ([`Dataset::with_groups`]), and always stay together: storms, customers, patients. What is learned of one row
//! of a group says something of the others, and a new row is mostly of a new group.

use crate::column_rule::ColumnRule;
use crate::{DataError, Dataset, Label, Store};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What becomes of rows that are equal in all columns.
pub(crate) static RULE: ColumnRule = ColumnRule {
    name: "copies",
    finds: "rows that are equal in every column that is learned from; they stay together wherever rows are split, and many are named in a \
            note",
    constants: &[
        ("MOST_PER_ROW", MOST_PER_ROW as f64),
        ("LARGEST_SHARE", LARGEST_SHARE as f64),
        ("ONE_IN", ONE_IN as f64),
    ],
    evidence: "docs/tables.md",
};

/// A table has copies, rather than few different rows, where at least one in this many rows is different from the others.
const MOST_PER_ROW: usize = 4;
/// Equal rows that are more than one in this many of a table are not copies.
const LARGEST_SHARE: usize = 20;
/// Copies are reported from one in this many rows on; fewer occur by chance.
pub(crate) const ONE_IN: usize = 20;

/// Which rows of a data set are equal in every encoded cell, or of one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copies {
    /// For each row the first one that is equal to it, or of its group.
    first: Vec<u32>,
    /// Whether they are groups, which are never parted.
    are_groups: bool,
}

/// A group while it is dealt.
struct Together {
    first: usize,
    /// The part that the first of its rows was drawn for.
    drawn: usize,
    /// Rows of each kind.
    counts: [f64; 3],
    rows: Vec<usize>,
}

impl Copies {
    /// The rows of a data set that are equal to others; `None` where no two are, or where equal rows are not copies.
    pub(crate) fn of(data: &Dataset) -> Option<Self> {
        Self::of_fingerprints(&data.fingerprints(0).ok()?)
    }

    fn of_fingerprints(of_rows: &[u64]) -> Option<Self> {
        let mut order: Vec<u32> = (0..u32::try_from(of_rows.len()).ok()?).collect();
        order.sort_unstable_by_key(|&row| (of_rows[row as usize], row));
        let equal = |a: &u32, b: &u32| of_rows[*a as usize] == of_rows[*b as usize];
        let groups = order.chunk_by(equal);
        let different = groups.clone().count();
        if different == of_rows.len() || MOST_PER_ROW * different < of_rows.len() {
            return None;
        }
        let mut first: Vec<u32> = (0..of_rows.len() as u32).collect();
        // In a small table two equal rows are copies, whatever share of it they are.
        let largest = (of_rows.len() / LARGEST_SHARE).max(2);
        for group in groups.filter(|group| group.len() <= largest) {
            group.iter().for_each(|&row| first[row as usize] = group[0]);
        }
        let copies = Self { first, are_groups: false };
        (0..of_rows.len()).any(|row| copies.of_row(row) != row).then_some(copies)
    }

    /// Rows of one number belong together.
    fn of_groups(groups: &[u32]) -> Self {
        let mut firsts: HashMap<u32, u32> = HashMap::new();
        let first = (0u32..).zip(groups).map(|(row, group)| *firsts.entry(*group).or_insert(row)).collect();
        Self { first, are_groups: true }
    }

    /// Whether rows are of groups that were told, rather than equal.
    pub fn are_groups(&self) -> bool {
        self.are_groups
    }

    /// In how many groups there is a row of this kind.
    pub fn number_with(&self, labels: &[Label], kind: Label) -> usize {
        let of_kind = (0..labels.len()).filter(|&row| labels[row] == kind);
        of_kind.map(|row| self.of_row(row)).collect::<HashSet<usize>>().len()
    }

    /// The first row that is equal to this one, or the row itself. Panics if there is no such row, as indexing does.
    pub fn of_row(&self, row: usize) -> usize {
        self.first[row] as usize
    }

    /// Puts rows that are equal into one of some parts of the rows: into the one of the first that is labeled positive, or of
    /// the first. Parts come back in ascending order. Where a part would lose its last row of a kind, all stay as they are.
    ///
    /// Groups are dealt as a whole, the largest first, each to the part that lacks most of the rows it had.
    pub fn gather(&self, labels: &[Label], parts: &mut [Vec<usize>]) {
        if self.are_groups {
            return self.deal(labels, parts);
        }
        const NOWHERE: u32 = u32::MAX;
        let mut leader = vec![NOWHERE; self.first.len()];
        let mut place = vec![NOWHERE; self.first.len()];
        for (part, rows) in (0u32..).zip(parts.iter()) {
            rows.iter().for_each(|&row| place[row] = part);
        }
        for wanted in [true, false] {
            for row in (0..place.len()).filter(|&row| place[row] != NOWHERE) {
                let leads = &mut leader[self.of_row(row)];
                if *leads == NOWHERE && (labels[row] == Label::Positive) == wanted {
                    *leads = row as u32;
                }
            }
        }
        let mut gathered: Vec<Vec<usize>> = parts.iter().map(|_| Vec::new()).collect();
        for row in (0..place.len()).filter(|&row| place[row] != NOWHERE) {
            gathered[place[leader[self.of_row(row)] as usize] as usize].push(row);
        }
        let kinds = |rows: &[usize]| {
            let has = |kind| rows.iter().any(|&row| labels[row] == kind);
            [has(Label::Positive), has(Label::Unlabeled), has(Label::Negative)]
        };
        let keeps = |(before, after): (&Vec<usize>, &Vec<usize>)| {
            kinds(before).into_iter().zip(kinds(after)).all(|(had, has)| has || !had)
        };
        if parts.iter().zip(&gathered).all(keeps) {
            parts.iter_mut().zip(gathered).for_each(|(part, rows)| *part = rows);
        }
    }

    fn deal(&self, labels: &[Label], parts: &mut [Vec<usize>]) {
        let kind = |row: usize| match labels[row] {
            Label::Positive => 0,
            Label::Negative => 1,
            Label::Unlabeled => 2,
        };
        // What each part had of each kind is what it is to have.
        let mut lacks: Vec<[f64; 3]> = vec![[0.0; 3]; parts.len()];
        let mut groups: HashMap<usize, Together> = HashMap::new();
        for (part, rows) in parts.iter().enumerate() {
            for &row in rows {
                lacks[part][kind(row)] += 1.0;
                let first = self.of_row(row);
                let new = || Together { first, drawn: part, counts: [0.0; 3], rows: Vec::new() };
                let group = groups.entry(first).or_insert_with(new);
                group.counts[kind(row)] += 1.0;
                group.rows.push(row);
            }
        }
        let mut order: Vec<Together> = groups.into_values().collect();
        // Those with most rows of the rarest kinds first.
        order.sort_by(|a, b| {
            let larger = (0..3).map(|kind| b.counts[kind].total_cmp(&a.counts[kind])).find(|by| by.is_ne());
            larger.unwrap_or(std::cmp::Ordering::Equal).then(a.first.cmp(&b.first))
        });
        let whole: Vec<[f64; 3]> = lacks.clone();
        parts.iter_mut().for_each(Vec::clear);
        for group in order {
            // By the rarest kind that the group has; ties go where the first of its rows was drawn.
            let kind = (0..3).find(|&kind| group.counts[kind] > 0.0).unwrap_or(2);
            let share = |part: usize| lacks[part][kind] / whole[part][kind].max(1.0);
            let mut best = group.drawn;
            (0..parts.len()).for_each(|part| best = if share(part) > share(best) { part } else { best });
            (0..3).for_each(|kind| lacks[best][kind] -= group.counts[kind]);
            parts[best].extend(group.rows);
        }
        parts.iter_mut().for_each(|part| part.sort_unstable());
    }

    /// How many rows are equal to an earlier one.
    pub fn repeated(&self) -> usize {
        (0..self.first.len()).filter(|&row| self.of_row(row) != row).count()
    }

    /// How many unlabeled rows are equal to one that is labeled.
    pub fn of_labeled(&self, labels: &[Label]) -> usize {
        let mut labeled = vec![false; self.first.len()];
        let known = |&row: &usize| labels[row] != Label::Unlabeled;
        (0..labels.len()).filter(known).for_each(|row| labeled[self.of_row(row)] = true);
        let twice = |&row: &usize| labels[row] == Label::Unlabeled && labeled[self.of_row(row)];
        (0..labels.len()).filter(twice).count()
    }
}

impl Dataset {
    /// The rows that are equal to others; `None` where no two are, or where equal rows are not copies.
    pub fn copies(&self) -> Option<Arc<Copies>> {
        let find = || match self.rows() {
            Store::Away { .. } => None,
            _ => Copies::of(self).map(Arc::new),
        };
        self.copies.get_or_init(find).clone()
    }

    /// Which rows splits keep together: those of a group where groups are told, those that are equal where not.
    pub fn together(&self) -> Option<Arc<Copies>> {
        match self.groups() {
            Some(groups) => Some(Arc::new(Copies::of_groups(groups))),
            None => self.copies(),
        }
    }

    /// With the fingerprints (of salt 0) of rows that are not held: the copies among them are known and noted as those of rows
    /// that are.
    pub fn with_fingerprints_away(mut self, of_rows: &[u64]) -> Result<Self, DataError> {
        self.check_length("fingerprints", of_rows.len())?;
        self.copies = Copies::of_fingerprints(of_rows).map(Arc::new).into();
        Ok(self.with_copies_noted())
    }

    /// A fingerprint per row of its encoded cells that are not zero, however they are held.
    pub fn fingerprints(&self, salt: u64) -> Result<Vec<u64>, DataError> {
        let cells = |columns: &mut dyn Iterator<Item = (u32, f32)>| {
            let others = columns.filter(|(_, value)| *value != 0.0);
            others.fold(salt, |so_far, (column, value)| {
                mixed(so_far, u64::from(column) << 32 | u64::from(value.to_bits()))
            })
        };
        Ok(match self.rows() {
            Store::Sparse(matrix) => (0..matrix.rows())
                .map(|row| {
                    let (columns, values) = matrix.row(row);
                    cells(&mut columns.iter().copied().zip(values.iter().copied()))
                })
                .collect(),
            Store::Bytes(pictures) => {
                let size = pictures.bytes.len() / self.len().max(1);
                let words = |row: &[u8]| {
                    row.chunks(8).fold(salt, |so_far, chunk| {
                        let mut word = [0; 8];
                        word[..chunk.len()].copy_from_slice(chunk);
                        mixed(so_far, u64::from_le_bytes(word))
                    })
                };
                pictures.bytes.chunks(size.max(1)).map(words).collect()
            }
            _ => {
                let matrix = self.dense()?;
                let row = |row: usize| cells(&mut (0u32..).zip(matrix.row(row).iter().copied()));
                (0..matrix.rows()).map(row).collect()
            }
        })
    }
}

/// One more word in a fingerprint: both halves of a product of 128 bits, so that every bit of it counts.
pub(crate) fn mixed(so_far: u64, word: u64) -> u64 {
    let product = u128::from(so_far ^ word ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
    (product as u64 ^ (product >> 64) as u64).rotate_left(23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_dealt_whole_and_each_part_has_positives() {
        // Twelve groups of unlike sizes, of which six have positives, dealt to three parts that were drawn row by row.
        let sizes = [40, 25, 15, 10, 8, 6, 30, 20, 20, 12, 9, 5];
        let groups: Vec<u32> = (0u32..).zip(sizes).flat_map(|(group, rows)| vec![group; rows]).collect();
        let labels: Vec<Label> = (0..groups.len())
            .map(|row| if groups[row] < 6 && row % 3 == 0 { Label::Positive } else { Label::Unlabeled })
            .collect();
        let copies = Copies::of_groups(&groups);
        let mut parts: Vec<Vec<usize>> =
            (0..3).map(|part| (0..groups.len()).filter(|row| row % 3 == part).collect()).collect();
        // As drawn, all positives are in the first part; a stratified draw has them in each.
        parts.iter_mut().for_each(Vec::clear);
        let mut next = [0; 2];
        for (row, label) in labels.iter().enumerate() {
            let kind = usize::from(*label == Label::Positive);
            parts[next[kind] % 3].push(row);
            next[kind] += 1;
        }
        copies.gather(&labels, &mut parts);
        assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), groups.len());
        let of: Vec<HashSet<u32>> =
            parts.iter().map(|rows| rows.iter().map(|&row| groups[row]).collect()).collect();
        assert!(of[0].is_disjoint(&of[1]) && of[0].is_disjoint(&of[2]) && of[1].is_disjoint(&of[2]));
        let positives =
            |rows: &Vec<usize>| rows.iter().filter(|&&row| labels[row] == Label::Positive).count();
        let all: usize = parts.iter().map(positives).sum();
        for rows in &parts {
            let share = positives(rows) as f64 / all as f64;
            assert!((0.2..0.5).contains(&share), "{share}");
            assert!((0.2..0.45).contains(&(rows.len() as f64 / groups.len() as f64)), "{}", rows.len());
        }
        assert_eq!((copies.number_with(&labels, Label::Positive), copies.are_groups()), (6, true));
    }
    use crate::Matrix;
    use Label::{Positive as P, Unlabeled as U};

    fn rows(values: &[f32]) -> Dataset {
        Dataset::from_scaled(Matrix::new(values.len(), 1, values.to_vec()).unwrap(), None).unwrap()
    }

    #[test]
    fn cells_in_other_columns_and_other_salts_are_other_fingerprints() {
        let table = |values: &[f32]| {
            let matrix = Matrix::new(values.len() / 2, 2, values.to_vec()).unwrap();
            Dataset::from_scaled(matrix, None).unwrap()
        };
        let of = |values: &[f32], salt| table(values).fingerprints(salt).unwrap();
        assert_eq!(of(&[1.0, 0.0], 1), of(&[1.0, -0.0], 1));
        assert_ne!(of(&[1.0, 0.0], 1), of(&[0.0, 1.0], 1));
        assert_ne!(of(&[1.0, 2.0], 1), of(&[1.0, 2.0], 2));
        // Rows that differ in one bit of one cell: no two of them are equal.
        let mut all: Vec<u64> =
            (0..20_000u32).flat_map(|i| of(&[f32::from_bits(0x3f80_0000 + i), 1.0], 3)).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 20_000);
    }

    #[test]
    fn equal_rows_follow_the_labeled_one() {
        let copies = Copies::of(&rows(&[1.0, 2.0, 3.0, 1.0, 4.0, 2.0])).unwrap();
        assert_eq!((0..6).map(|row| copies.of_row(row)).collect::<Vec<_>>(), [0, 1, 2, 0, 4, 1]);
        // Rows 0 and 3 are equal, and 3 is the labeled one; so are 1 and 5, both unlabeled.
        let labels = [U, U, P, P, U, U];
        assert_eq!(copies.of_labeled(&labels), 1);
        let mut parts = [vec![0, 1, 2], vec![3, 4, 5]];
        copies.gather(&labels, &mut parts);
        assert_eq!(parts, [vec![1, 2, 5], vec![0, 3, 4]]);
        // Rows of no part stay away.
        let mut parts = [vec![0, 1], vec![4, 5]];
        copies.gather(&labels, &mut parts);
        assert_eq!(parts, [vec![0, 1, 5], vec![4]]);
    }

    #[test]
    fn no_part_loses_the_last_row_of_a_kind() {
        let copies = Copies::of(&rows(&[1.0, 1.0, 3.0, 4.0])).unwrap();
        let mut parts = [vec![0, 2], vec![1, 3]];
        copies.gather(&[P, P, U, U], &mut parts);
        assert_eq!(parts, [vec![0, 2], vec![1, 3]]);
    }

    #[test]
    fn few_different_rows_are_no_copies() {
        assert_eq!(Copies::of(&rows(&[1.0, 2.0, 3.0])), None);
        // 100 rows of 10 values.
        let tens: Vec<f32> = (0..100).map(|i| (i % 10) as f32).collect();
        assert_eq!(Copies::of(&rows(&tens)), None);
        // 100 rows, of which 40 are the same and two others are equal.
        let mut mixed: Vec<f32> = (0..100).map(|i| if i < 40 { 0.5 } else { i as f32 }).collect();
        assert_eq!(Copies::of(&rows(&mixed)), None);
        mixed[99] = 50.0;
        let copies = Copies::of(&rows(&mixed)).unwrap();
        assert_eq!((copies.of_row(99), copies.of_row(39)), (50, 39));
    }
}
