//! The same rows scaled or as they are, so that one data set serves methods of both kinds.

use super::{FeatureKind, Features, Scaling};
use crate::{Matrix, SparseMatrix, Store};

/// Steps of an `f32` within which a number that was scaled and scaled back counts as the whole number it was.
const ROUNDED: f64 = 4.0 * f32::EPSILON as f64;

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
                let (x, near) = (moved + mean, ROUNDED * (moved.abs() + mean.abs()));
                if (x - x.round()).abs() <= near { x.round() as f32 } else { x as f32 }
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
            Store::Bytes(pictures) => Store::Bytes(pictures.clone()),
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
