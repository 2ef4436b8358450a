//! The same rows scaled or as they are, so that one data set serves methods of both kinds.

use super::{FeatureKind, Features, Scaling};
use crate::{Matrix, SparseMatrix, Store};

/// How far from a whole number a number that was scaled and scaled back may lie and still be it: scaling rounds the
/// distance from the mean to an `f32`, and the mean itself is that of an `f64`.
fn rounding(moved: f64, mean: f64) -> f64 {
    f64::from(f32::EPSILON) * moved.abs() + 8.0 * f64::EPSILON * mean.abs()
}

impl Features {
    /// These features and rows under another scaling. Rows that were scaled come back to within a few steps of an `f32`,
    /// whole numbers exactly.
    pub fn rescaled(&self, store: &Store, to: Scaling) -> (Features, Store) {
        let moved = Features { scaling: to, ..self.clone() };
        if to == self.scaling {
            return (moved, store.clone());
        }
        let scales = self.scales();
        let change = |value: f32, scale: Option<(f64, f64)>| match scale {
            // Passed on as it is under either scaling.
            None | Some((0.0, 1.0)) => value,
            Some((mean, scale)) if to == Scaling::Standard => ((f64::from(value) - mean) / scale) as f32,
            Some((mean, scale)) => {
                let moved = f64::from(value) * scale;
                let x = moved + mean;
                if (x - x.round()).abs() <= rounding(moved, mean) { x.round() as f32 } else { x as f32 }
            }
        };
        let rows = match store {
            Store::Dense(matrix) => {
                let mut matrix: Matrix = matrix.clone();
                for row in matrix.as_mut_slice().chunks_exact_mut(scales.len().max(1)) {
                    row.iter_mut().zip(&scales).for_each(|(value, &scale)| *value = change(*value, scale));
                }
                Store::Dense(matrix)
            }
            Store::Sparse(matrix) => {
                let mut all = SparseMatrix::empty(matrix.cols());
                let mut row_of = vec![0.0f32; matrix.cols()];
                let dense: Vec<usize> =
                    (0..scales.len()).filter(|&column| scales[column].is_some()).collect();
                for row in 0..matrix.rows() {
                    let (columns, values) = matrix.row(row);
                    columns.iter().zip(values).for_each(|(&column, &value)| row_of[column as usize] = value);
                    let mut there: Vec<u32> = columns.to_vec();
                    there.extend(dense.iter().map(|&column| column as u32));
                    there.sort_unstable();
                    there.dedup();
                    let changed =
                        |&column: &u32| (column, change(row_of[column as usize], scales[column as usize]));
                    all.push(there.iter().map(changed).filter(|(_, value)| *value != 0.0));
                    columns.iter().for_each(|&column| row_of[column as usize] = 0.0);
                }
                Store::Sparse(all)
            }
            Store::Bytes(_) | Store::Away { .. } => store.clone(),
        };
        (moved, rows)
    }

    /// Mean and scale per column of the matrix; none for categories and terms.
    fn scales(&self) -> Vec<Option<(f64, f64)>> {
        let mut scales = Vec::with_capacity(self.width());
        for feature in &self.features {
            match &feature.kind {
                &FeatureKind::Numeric { mean, scale, .. } | &FeatureKind::Boolean { mean, scale } => {
                    scales.push(Some((mean, scale)));
                }
                FeatureKind::Time { parts, .. } => {
                    scales.extend(parts.iter().map(|part| Some((part.mean, part.scale))));
                }
                FeatureKind::Vector { means, scales: of } => {
                    scales.extend(means.iter().zip(of).map(|(&mean, &scale)| Some((mean, scale))));
                }
                FeatureKind::Categorical { .. } | FeatureKind::Text { .. } => {
                    scales.resize(scales.len() + feature.width(), None);
                }
            }
        }
        scales
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FeatureOptions, Frame};
    use onesided_table::{Column, Values};

    fn numeric(name: &str, values: &[f64]) -> Column {
        let values = values.iter().map(|&x| x as f32).collect();
        Column { name: name.to_string(), values: Values::Numeric(values) }
    }

    fn fitted(frame: &Frame, scaling: Scaling) -> (Features, Store) {
        let options = FeatureOptions { scaling, ..FeatureOptions::default() };
        let (features, rows, _) = Features::fit(frame.clone(), &options).unwrap();
        (features, rows)
    }

    fn dense(store: &Store) -> Vec<f32> {
        store.to_dense(|_, _| 0.0).unwrap().as_slice().to_vec()
    }

    #[test]
    fn whole_numbers_and_zeros_come_back_exactly() {
        let columns = vec![
            numeric("count", &[0.0, 1.0, 7.0, 1_000_000.0, 3.0]),
            numeric("below", &[-2_000_000.0, 0.0, -5.0, -16_777_215.0, 12.0]),
            numeric("one", &[0.0, 0.0, 1.0, 1.0, f64::NAN]),
        ];
        let frame = Frame::new(columns).unwrap();
        let (features, rows) = fitted(&frame, Scaling::Standard);
        let (as_is, expected) = fitted(&frame, Scaling::AsIs);
        let (moved, back) = features.rescaled(&rows, Scaling::AsIs);
        assert_eq!((moved, &back), (as_is, &expected));
        // The missing flag is the mean of the others.
        assert_eq!(dense(&back)[14], 0.5);
    }

    #[test]
    fn fractions_come_back_within_the_rounding_of_their_distance_from_the_mean() {
        // Far from the mean, an f32 leaves 2^-24 of that distance: 0.06 of a million.
        let values = [-2_000_000.0, -0.3, -1_000_000.25, 0.4];
        let frame = Frame::new(vec![numeric("x", &values)]).unwrap();
        let (features, rows) = fitted(&frame, Scaling::Standard);
        let (_, back) = features.rescaled(&rows, Scaling::AsIs);
        for (value, expected) in dense(&back).iter().zip(values) {
            assert!((f64::from(*value) - expected).abs() < 0.13, "{value} for {expected}");
        }
    }

    #[test]
    fn sparse_rows_change_their_numbers_and_keep_their_terms() {
        let texts = ["a goal", "one goal", "rain", "rain"].iter().collect();
        let text = Column { name: "t".to_string(), values: Values::Text(texts) };
        let frame = Frame::new(vec![numeric("x", &[0.0, 2.0, 0.0, 2.0]), text]).unwrap();
        let (features, rows) = fitted(&frame, Scaling::Standard);
        let (_, expected) = fitted(&frame, Scaling::AsIs);
        let (_, back) = features.rescaled(&rows, Scaling::AsIs);
        assert_eq!(back, expected);
        // Zeros are not stored.
        assert!(matches!(&back, Store::Sparse(matrix) if matrix.row(0).0.len() == 1));
        let (as_is, _) = fitted(&frame, Scaling::AsIs);
        assert_eq!(as_is.rescaled(&back, Scaling::Standard).1, rows);
    }
}
