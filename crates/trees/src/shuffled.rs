//! Rows that are made: each cell is that of a row drawn for it, so that columns keep their values and lose what ties them together.
//!
//! What tells a class from such rows knows how dense the class is, next to the product of the columns' own densities (Hastie,
//! Tibshirani and Friedman, "The Elements of Statistical Learning", 2009, section 14.2.4).

use crate::bins::Binned;
use onesided_data::Stream;

impl Binned {
    /// These rows, and behind them so many that are made of their cells, column by column.
    pub fn with_shuffled(&self, rows: &[u32], made: usize, seed: u64) -> Binned {
        let mut stream = Stream::new(seed, "shuffled cells");
        self.gathered(rows.len() + made, |_| {
            let drawn = (0..made).map(|_| rows[stream.below(rows.len())]);
            rows.iter().copied().chain(drawn.collect::<Vec<u32>>()).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ForestConfig, LabeledRows, RowDraw, grow_forest};
    use onesided_data::{ColumnKind, Columns, Matrix};
    use std::borrow::Cow;

    /// Two columns that are the same, and a category of 300 levels, three rows each: more than there are bins.
    fn table() -> Binned {
        let cells = (0..900).flat_map(|row| [(row % 10) as f32, (row % 10) as f32, (row % 300) as f32]);
        let matrix = Matrix::new(900, 3, cells.collect()).unwrap();
        let kinds = vec![ColumnKind::Numbers, ColumnKind::Numbers, ColumnKind::Categories { levels: 300 }];
        Binned::of_columns(&Columns { matrix: Cow::Borrowed(&matrix), kinds }, 1).unwrap()
    }

    #[test]
    fn columns_keep_their_values_and_lose_what_ties_them() {
        let table = table();
        let rows: Vec<u32> = (0..900).filter(|row| row % 10 < 5).collect();
        let both = table.with_shuffled(&rows, 4_000, 1);
        assert_eq!((both.rows(), both.features()), (4_450, 3));
        let bins = |feature: usize| (0..4_450).map(|row| both.feature(feature).at(row)).collect::<Vec<u8>>();
        let (first, second) = (bins(0), bins(1));
        for (at, &row) in rows.iter().enumerate() {
            assert_eq!(first[at], table.feature(0).at(row));
            let code = both.codes(2).and_then(|codes| codes.at(at));
            assert_eq!(code, table.codes(2).and_then(|codes| codes.at(row as usize)));
        }
        // A fifth of 4,000 have each of the five values, within five standard deviations of 25, and a fifth of these in both columns.
        let made = |of: &[u8], bin: u8| of[450..].iter().filter(|&&other| other == bin).count();
        assert!(
            (0..5).all(|bin| made(&first, bin).abs_diff(800) < 127 && made(&second, bin).abs_diff(800) < 127)
        );
        let same = first[450..].iter().zip(&second[450..]).filter(|(one, other)| one == other).count();
        assert!(same.abs_diff(800) < 127, "{same}");
        assert_eq!(both, table.with_shuffled(&rows, 4_000, 1));
        assert_ne!(both, table.with_shuffled(&rows, 4_000, 2));
    }

    /// Positives lie along a band, negatives as far out in both columns but anywhere. Four fifths of the 500 unlabeled rows are positive,
    /// and 200 are labeled: what tells P from U tells little, what tells P from shuffled cells tells more.
    #[test]
    fn a_density_finds_what_is_unlike_p_where_u_is_mostly_positive() {
        let mut stream = Stream::new(5, "band");
        let mut row = |positive: bool| {
            let (a, b) = (stream.normal(), stream.normal());
            let along = stream.normal();
            let near = |noise: f64| (along + 0.3 * noise) as f32;
            if positive { [near(a), near(b)] } else { [a as f32, b as f32] }
        };
        // Labeled, unlabeled, new.
        let truth: Vec<bool> = (0..1_200).map(|at| at < 200 || at % 5 > 0).collect();
        let cells = truth.iter().flat_map(|&positive| row(positive)).collect();
        let matrix = Matrix::new(1_200, 2, cells).unwrap();
        let binned = Binned::new(&matrix).unwrap();
        let config = ForestConfig {
            trees: 50,
            min_leaf_rows: 10,
            columns_a_split: 1.0,
            rows: RowDraw::All,
            random_cuts: true,
            threads: 1,
            ..ForestConfig::default()
        };
        let auc = |made: usize| {
            let both = binned.with_shuffled(&(0..700).collect::<Vec<u32>>(), made, 1);
            let positive: Vec<bool> = (0..700 + made).map(|at| at < 200).collect();
            let sample = LabeledRows { binned: &both, positive: &positive, weights: None };
            let all: Vec<u32> = (0..positive.len() as u32).collect();
            let forest = grow_forest(&sample, &all, &config, &|_| true).unwrap();
            let said = forest.logits_of(&binned, &(700..1_200).collect::<Vec<u32>>()).unwrap();
            let of =
                |wanted: bool| said.iter().zip(&truth[700..]).filter(move |(_, truth)| **truth == wanted);
            let above =
                of(true).map(|(one, _)| of(false).filter(|(other, _)| one > *other).count()).sum::<usize>();
            above as f64 / 400.0 / 100.0
        };
        let (against_u, dense) = (auc(0), auc(400));
        assert!(dense > against_u + 0.03 && dense > 0.7, "{against_u} {dense}");
    }
}
