//! Categories with more levels than there are bins, in the order of how often they are positive.
//!
//! A byte tells 255 levels apart. Where a column has more, putting the rare ones into one bin forgets all that they say. Instead
//! levels are put in the order of their share of positives among the training rows, shrunk toward the share of all of them
//! (D. Micci-Barreca, "A preprocessing scheme for high-cardinality categorical attributes", SIGKDD Explorations 3, 2001), and
//! neighbors share a bin:
//!
//! ```text
//! share of level l = (p_l + a m) / (n_l + a),   a = m (1 - m) / τ²,
//! ```
//!
//! where m is the share of all training rows and τ² the variance of the levels' own shares about it, estimated by moments (an
//! analysis of variance). A cut then is between small and large shares, and says which levels go left.
//!
//! A row that counted for its level's share would find its own label in it. So training rows are split into five parts, and each
//! is sorted by the shares of the other four parts; all other rows by those of all training rows. Hence the order belongs to one
//! set of training rows, and every fold has its own.

use crate::TreesError;
use crate::bins::{Binned, Codes, Feature, MOST_BINS, edges_of};
use crate::codec::Plain;
use crate::histogram::{Cell, plus};

/// Parts that training rows are split into.
pub(crate) const PARTS: usize = 5;
/// Rows that a level's share is shrunk by, at least and at most.
const SHRUNK_BY: [f64; 2] = [1.0, 10_000.0];

/// Positives and rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Counted {
    positive: u32,
    rows: u32,
}

impl Plain for Counted {
    const BYTES: usize = 8;

    fn put(self, to: &mut Vec<u8>) {
        (self.positive, self.rows).put(to);
    }

    fn get(from: &[u8]) -> Self {
        let (positive, rows) = Plain::get(from);
        Self { positive, rows }
    }
}

impl Counted {
    pub fn more(self, other: Counted) -> Counted {
        Counted { positive: self.positive + other.positive, rows: self.rows + other.rows }
    }

    fn less(self, other: Counted) -> Counted {
        Counted { positive: self.positive - other.positive, rows: self.rows - other.rows }
    }

    fn share(self, mean: f64, shrunk_by: f64) -> f32 {
        ((f64::from(self.positive) + shrunk_by * mean) / (f64::from(self.rows) + shrunk_by)) as f32
    }
}

/// What is summed over the rows of a level.
pub(crate) trait Tally: Copy + Default {
    /// The sum of two.
    fn add(self, other: Self) -> Self;
    /// Whether no row was added.
    fn is_empty(self) -> bool;
}

impl Tally for Cell {
    fn add(self, other: Self) -> Self {
        plus(self, other)
    }

    /// A row counts in the lowest bits.
    fn is_empty(self) -> bool {
        self[1] == 0
    }
}

/// Sums over the levels of a node's rows, and what they are written on: as many places as there are levels.
#[derive(Default)]
pub(crate) struct Tallies<T> {
    of_codes: Vec<T>,
    there: Vec<(u32, T)>,
}

impl<T: Tally> Tallies<T> {
    /// The sum of each level that rows have, and of what is missing.
    pub fn of(&mut self, codes: &Codes, rows: impl Iterator<Item = (u32, T)>) -> &[(u32, T)] {
        self.there.clear();
        let mut of_missing = T::default();
        for (row, value) in rows {
            let Some(code) = codes.at(row as usize) else {
                of_missing = of_missing.add(value);
                continue;
            };
            if code >= self.of_codes.len() {
                self.of_codes.resize(code + 1, T::default());
            }
            let sum = &mut self.of_codes[code];
            if sum.is_empty() {
                self.there.push((code as u32, T::default()));
            }
            *sum = sum.add(value);
        }
        for (code, sum) in &mut self.there {
            *sum = std::mem::take(&mut self.of_codes[*code as usize]);
        }
        self.there.extend((!of_missing.is_empty()).then_some((codes.missing(), of_missing)));
        &self.there
    }
}

impl Binned {
    /// Rows and positives of each level of the features that have more of them than bins, by what is said of rows, as [`Command::Levels`](crate::cluster) has it.
    pub(crate) fn counted(&self, of_rows: &[u8]) -> Vec<Vec<[Counted; PARTS]>> {
        let rows = || {
            (0u32..).zip(of_rows).map(|(row, &of_row)| {
                let said = usize::from(of_row & 127);
                (row, (said % PARTS) as u8, (said / PARTS) as u32, of_row > 127)
            })
        };
        self.many_levels().filter_map(|feature| Some(counted(self.codes(feature)?, rows()))).collect()
    }

    /// The same rows with levels in an order that was learned.
    pub(crate) fn sorted_by(
        &self,
        features: Vec<(u32, Levels)>,
        of_rows: &[u8],
    ) -> Result<Binned, TreesError> {
        let mut ordered = self.clone();
        for (feature, levels) in features {
            let feature = feature as usize;
            let codes = self.codes(feature).filter(|codes| codes.len() == of_rows.len());
            let codes = codes.filter(|codes| levels.knows(codes)).ok_or(TreesError::Message)?;
            let said = |row: usize| usize::from(of_rows[row] & 127);
            let bins = levels.bins_of(codes, |row| ((said(row) % PARTS) as u8, said(row) >= PARTS));
            ordered.replace(feature, levels.feature(), bins);
        }
        Ok(ordered)
    }
}

/// Rows and positives of each level, part by part, of rows with their parts, how often they count, and whether they are positive.
pub(crate) fn counted(
    codes: &Codes,
    rows: impl Iterator<Item = (u32, u8, u32, bool)>,
) -> Vec<[Counted; PARTS]> {
    let levels = (0..codes.len()).filter_map(|row| codes.at(row)).max().map_or(0, |code| code + 1);
    let mut of_parts = vec![[Counted::default(); PARTS]; levels];
    for (row, part, times, positive) in rows {
        if let Some(code) = codes.at(row as usize) {
            let tally = &mut of_parts[code][usize::from(part)];
            tally.rows += times;
            tally.positive += if positive { times } else { 0 };
        }
    }
    of_parts
}

/// An order of levels: their bins.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Levels {
    /// Bins of values.
    pub bins: usize,
    /// The bin of each level by all training rows.
    pub of_level: Vec<u8>,
    /// The same without those of a part.
    pub without: Vec<[u8; PARTS]>,
}

impl Levels {
    /// The order of levels with so many rows and positives in each part.
    pub fn of(of_parts: &[[Counted; PARTS]]) -> Self {
        let sum =
            |tallies: &[Counted; PARTS]| tallies.iter().fold(Counted::default(), |sum, one| sum.more(*one));
        let of_levels: Vec<Counted> = of_parts.iter().map(sum).collect();
        let (mean, shrunk_by) = shrinkage(&of_levels);
        let mut sorted: Vec<f32> = Vec::new();
        for tally in &of_levels {
            sorted.extend(std::iter::repeat_n(tally.share(mean, shrunk_by), tally.rows as usize));
        }
        sorted.sort_unstable_by(f32::total_cmp);
        let edges = edges_of(&sorted, MOST_BINS);
        let bin = |tally: Counted| {
            let share = tally.share(mean, shrunk_by);
            edges.partition_point(|&edge| edge < share) as u8
        };
        let of_level: Vec<u8> = of_levels.iter().map(|&tally| bin(tally)).collect();
        let without: Vec<[u8; PARTS]> = of_levels
            .iter()
            .zip(of_parts)
            .map(|(&all, parts)| std::array::from_fn(|part| bin(all.less(parts[part]))))
            .collect();
        Self { bins: edges.len() + 1, of_level, without }
    }

    /// The feature that they make.
    pub fn feature(&self) -> Feature {
        Feature::Ordered { of_level: self.of_level.clone(), bins: self.bins }
    }

    /// Whether all codes are among the levels.
    fn knows(&self, codes: &Codes) -> bool {
        let most = self.of_level.len().min(self.without.len());
        (0..codes.len()).filter_map(|row| codes.at(row)).all(|code| code < most)
    }

    /// The bins of rows by their codes, their parts and whether they were trained on.
    pub fn bins_of(&self, codes: &Codes, of_row: impl Fn(usize) -> (u8, bool)) -> Vec<u8> {
        let bin = |row: usize| match (codes.at(row), of_row(row)) {
            (None, _) => self.bins as u8,
            (Some(code), (part, true)) => self.without[code][usize::from(part)],
            (Some(code), (_, false)) => self.of_level[code],
        };
        (0..codes.len()).map(bin).collect()
    }
}

/// The share of all rows, and how many rows of it each level's own share is shrunk by.
fn shrinkage(of_levels: &[Counted]) -> (f64, f64) {
    let (mut rows, mut positive, mut squares, mut levels) = (0.0, 0.0, 0.0, 0.0);
    for tally in of_levels.iter().filter(|tally| tally.rows > 0) {
        let n = f64::from(tally.rows);
        (rows, positive, squares, levels) =
            (rows + n, positive + f64::from(tally.positive), squares + n * n, levels + 1.0);
    }
    let mean = if rows > 0.0 { positive / rows } else { 0.0 };
    let (mut between, mut within) = (0.0, 0.0);
    for tally in of_levels.iter().filter(|tally| tally.rows > 0) {
        let n = f64::from(tally.rows);
        let share = f64::from(tally.positive) / n;
        between += n * (share - mean).powi(2);
        within += n * share * (1.0 - share);
    }
    // Mean squares between and within levels; rows of a level at its "average" size.
    let (between, within) = (between / (levels - 1.0), within / (rows - levels));
    let size = (rows - squares / rows) / (levels - 1.0);
    let variance = (between - within) / size;
    let shrunk_by = if variance > 0.0 { within / variance } else { f64::INFINITY };
    let shrunk_by = if shrunk_by.is_nan() { SHRUNK_BY[1] } else { shrunk_by };
    (mean, shrunk_by.clamp(SHRUNK_BY[0], SHRUNK_BY[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Boosting, TreesConfig};
    use onesided_data::{ColumnKind, Columns, Matrix, Stream};
    use std::borrow::Cow;

    #[test]
    fn shrinkage_by_hand() {
        // Two levels of four rows with 3 and 1 positives: mean 1/2, between 2 · 4/16 / 1 = 1/2,
        // within 2 · 4 · 3/16 / 6 = 1/4, size (8 - 32/8) / 1 = 4, variance 1/16, and (1/4) / (1/16) = 4.
        let levels = [Counted { positive: 3, rows: 4 }, Counted { positive: 1, rows: 4 }];
        assert_eq!(shrinkage(&levels), (0.5, 4.0));
        assert_eq!(levels[0].share(0.5, 4.0), 0.625);
        // Levels that are alike say nothing of one another: as much shrinkage as there is.
        let alike = [Counted { positive: 2, rows: 4 }, Counted { positive: 2, rows: 4 }];
        assert_eq!(shrinkage(&alike), (0.5, SHRUNK_BY[1]));
        assert_eq!(shrinkage(&[]).0, 0.0);
    }

    /// 600 levels of 20 rows; the share of positives of a level is 0.1 or 0.6 by its number.
    fn table() -> (Binned, Matrix, Vec<bool>) {
        let mut stream = Stream::new(4, "levels");
        let rows = 12_000;
        let (mut values, mut positive) = (Vec::new(), Vec::new());
        for row in 0..rows {
            let level = row % 600;
            let share = if (level * 7919) % 600 < 300 { 0.1 } else { 0.6 };
            values.push(level as f32);
            positive.push(stream.uniform() < share);
        }
        let matrix = Matrix::new(rows, 1, values).unwrap();
        let kinds = vec![ColumnKind::Categories { levels: 600 }];
        let binned = Binned::of_columns(&Columns { matrix: Cow::Borrowed(&matrix), kinds }, 1).unwrap();
        (binned, matrix, positive)
    }

    #[test]
    fn no_row_counts_for_its_own_bin_and_few_levels_stay_as_they_are() {
        let (binned, _, positive) = table();
        let training: Vec<u32> = (0..9_000).collect();
        let one = binned.ordered(&training, |row| positive[row as usize], 1).unwrap().unwrap();
        // With another label of row 17 its own bin stays, and that of other rows of its level does not.
        let other =
            binned.ordered(&training, |row| positive[row as usize] != (row == 17), 1).unwrap().unwrap();
        // 15 rows of a level have 16 shares at most.
        assert!((10..=16).contains(&one.value_bins(0)), "{}", one.value_bins(0));
        let moved = |row: u32| one.feature(0).at(row) != other.feature(0).at(row);
        assert!(!moved(17) && (1..15).any(|number| moved(17 + 600 * number)));
        let few = Matrix::new(4, 1, vec![0.0, 1.0, 2.0, 0.0]).unwrap();
        let kinds = vec![ColumnKind::Categories { levels: 3 }];
        let few = Binned::of_columns(&Columns { matrix: Cow::Owned(few), kinds }, 1).unwrap();
        assert!(few.ordered(&[0, 1], |row| row == 0, 1).unwrap().is_none());
    }

    /// Least squares on targets, with the scores of the training rows.
    fn grown(
        binned: &Binned,
        training: &[u32],
        target: impl Fn(u32) -> f64,
        trees: usize,
    ) -> (crate::TreesModel, Vec<f64>) {
        let config = TreesConfig { trees, ..TreesConfig::default() };
        let boosting = Boosting { binned, training, start: 0.0, config: &config };
        let mut derivatives = |scores: &[f64], of_rows: &mut [(f32, f32)]| {
            for ((of_row, score), &row) in of_rows.iter_mut().zip(scores).zip(training) {
                *of_row = ((score - target(row)) as f32, 1.0);
            }
        };
        let mut scores = Vec::new();
        let mut keep = |round: &crate::Round| {
            scores = round.scores.to_vec();
            true
        };
        let model = boosting.run(&mut derivatives, None, &mut keep).unwrap().model;
        (model, scores)
    }

    fn binned(matrix: &Matrix, levels: u32) -> Binned {
        let mut kinds = vec![ColumnKind::Numbers; matrix.cols()];
        kinds[0] = ColumnKind::Categories { levels };
        Binned::of_columns(&Columns { matrix: Cow::Borrowed(matrix), kinds }, 1).unwrap()
    }

    #[test]
    fn trees_tell_apart_levels_that_have_no_bin_of_their_own() {
        let (binned, matrix, positive) = table();
        let (training, new): (Vec<u32>, Vec<u32>) = (0..12_000).partition(|row| row / 600 % 4 > 0);
        let right = |binned: &Binned| {
            let target = |row: u32| if positive[row as usize] { 0.25 } else { -0.25 };
            let (model, _) = grown(binned, &training, target, 30);
            let said = model.logits_of(binned, &new).unwrap();
            // Codes say the same as bins.
            let codes = model.logits(&matrix).unwrap();
            assert!(new.iter().zip(&said).all(|(&row, said)| codes[row as usize] == *said));
            let high = |row: u32| (row as usize % 600 * 7919) % 600 >= 300;
            // A level's mean target is -0.2 or 0.05.
            let right = new.iter().zip(&said).filter(|&(&row, &said)| (said > -0.075) == high(row));
            right.count() as f64 / new.len() as f64
        };
        let ordered = binned.ordered(&training, |row| positive[row as usize], 7).unwrap().unwrap();
        let (without, with) = (right(&binned), right(&ordered));
        assert!(with > 0.95 && without > 0.8, "{without} without the order, {with} with it");
    }

    #[test]
    fn levels_are_parted_anew_in_each_node() {
        // 400 levels of 30 rows. Which of them are high depends on the side of a number: over all rows no level is.
        let mut stream = Stream::new(9, "sides");
        let (mut values, mut target) = (Vec::new(), Vec::new());
        for row in 0..12_000usize {
            let (level, x) = (row % 400, stream.normal() as f32);
            values.extend([level as f32, x]);
            target.push(if (level * 7919 % 400 < 200) == (x > 0.0) { 1.0 } else { -1.0 });
        }
        let binned = binned(&Matrix::new(12_000, 2, values).unwrap(), 400);
        let (training, new): (Vec<u32>, Vec<u32>) = (0..12_000).partition(|row| row / 400 % 3 > 0);
        let ordered = binned.ordered(&training, |row| target[row as usize] > 0.0, 7).unwrap().unwrap();
        let (model, _) = grown(&ordered, &training, |row| target[row as usize], 60);
        let said = model.logits_of(&ordered, &new).unwrap();
        let right =
            new.iter().zip(&said).filter(|&(&row, &said)| (said > 0.0) == (target[row as usize] > 0.0));
        let right = right.count() as f64 / new.len() as f64;
        assert!(right > 0.9, "{right}");
    }

    #[test]
    fn levels_of_two_rows_are_not_known_by_heart() {
        let mut stream = Stream::new(2, "noise");
        let rows = 6_000u32;
        let values: Vec<f32> = (0..rows).map(|row| (row / 2) as f32).collect();
        let target: Vec<f64> = (0..rows).map(|_| stream.normal()).collect();
        let binned = binned(&Matrix::new(rows as usize, 1, values).unwrap(), rows / 2);
        let training: Vec<u32> = (0..rows).collect();
        for binned in
            [binned.clone(), binned.ordered(&training, |row| target[row as usize] > 0.0, 1).unwrap().unwrap()]
        {
            let (_, scores) = grown(&binned, &training, |row| target[row as usize], 50);
            let error: f64 =
                scores.iter().zip(&target).map(|(score, target)| (score - target).powi(2)).sum::<f64>();
            let all: f64 = target.iter().map(|target| target * target).sum();
            // What noise can be explained by a few cuts of an order that knows nothing of a row.
            assert!(error > 0.9 * all, "{error} of {all}");
        }
    }
}
