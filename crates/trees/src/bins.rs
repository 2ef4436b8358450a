//! Values sorted into bins, once for every tree.

use crate::TreesError;
use onesided_data::Matrix;

/// Bins of values; one more holds what is missing.
pub(crate) const MOST_BINS: usize = 255;
/// The bin of a missing value.
pub(crate) const MISSING: u8 = 255;
/// Rows that edges are chosen from, evenly spaced through the data: more would not move a quantile that matters.
const ROWS_FOR_EDGES: usize = 200_000;

/// A matrix as bin numbers, feature after feature.
///
/// A feature with at most 255 distinct values gets a bin for each, with edges halfway between neighbors; one with more
/// gets bins of nearly equal numbers of rows. Labels take no part, so one `Binned` serves every fold of a
/// cross-fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Binned {
    rows: usize,
    /// Ascending edges of each feature: bin b holds values in (edge b-1, edge b\].
    edges: Vec<Vec<f32>>,
    bins: Vec<u8>,
}

impl Binned {
    /// Bins a matrix. NaN is a missing value; infinities are refused.
    pub fn new(matrix: &Matrix) -> Result<Self, TreesError> {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        if let Some(at) = matrix.as_slice().iter().position(|value| value.is_infinite()) {
            return Err(TreesError::Infinite { row: at / cols + 1, feature: at % cols + 1 });
        }
        let mut edges = Vec::with_capacity(cols);
        let mut bins = vec![MISSING; rows * cols];
        let step = rows.div_ceil(ROWS_FOR_EDGES).max(1);
        for col in 0..cols {
            let values = || matrix.as_slice().iter().skip(col).step_by(cols).copied();
            let mut sorted: Vec<f32> = values().step_by(step).filter(|value| !value.is_nan()).collect();
            sorted.sort_unstable_by(f32::total_cmp);
            let of_feature = edges_of(&sorted);
            for (place, value) in bins[col * rows..(col + 1) * rows].iter_mut().zip(values()) {
                if !value.is_nan() {
                    *place = of_feature.partition_point(|&edge| edge < value) as u8;
                }
            }
            edges.push(of_feature);
        }
        Ok(Self { rows, edges, bins })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many features there are.
    pub fn features(&self) -> usize {
        self.edges.len()
    }

    /// That rows are among those there are.
    pub(crate) fn check_rows(&self, rows: &[u32]) -> Result<(), TreesError> {
        match rows.iter().find(|&&row| row as usize >= self.rows) {
            Some(&row) => Err(TreesError::NoSuchRow { row, rows: self.rows }),
            None => Ok(()),
        }
    }

    /// The bins of a feature, row after row.
    pub(crate) fn feature(&self, feature: usize) -> &[u8] {
        &self.bins[feature * self.rows..(feature + 1) * self.rows]
    }

    /// The largest value that goes left when a feature is split after `bin`.
    pub(crate) fn edge(&self, feature: usize, bin: u8) -> f32 {
        self.edges[feature][usize::from(bin)]
    }

    /// How many bins of values a feature has.
    pub(crate) fn value_bins(&self, feature: usize) -> usize {
        self.edges[feature].len() + 1
    }
}

/// Edges between the bins of sorted values: one fewer than there are bins.
fn edges_of(sorted: &[f32]) -> Vec<f32> {
    let mut distinct: Vec<f32> = sorted.to_vec();
    distinct.dedup();
    let mut edges: Vec<f32> = if distinct.len() <= MOST_BINS {
        distinct.windows(2).map(|pair| halfway(pair[0], pair[1])).collect()
    } else {
        (1..MOST_BINS)
            .filter_map(|k| {
                let at = sorted[k * sorted.len() / MOST_BINS - 1];
                // The edge lies between this value and the next larger one; none above the largest.
                let next = sorted.partition_point(|&value| value <= at);
                sorted.get(next).map(|&above| halfway(at, above))
            })
            .collect()
    };
    edges.dedup();
    edges
}

/// Between two values, without overflow and never equal to the upper one.
fn halfway(low: f32, high: f32) -> f32 {
    let middle = low / 2.0 + high / 2.0;
    if middle >= low && middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: Vec<f32>) -> Matrix {
        Matrix::new(values.len(), 1, values).unwrap()
    }

    #[test]
    fn few_values_get_a_bin_each() {
        let binned = Binned::new(&column(vec![3.0, 1.0, f32::NAN, 2.0, 1.0])).unwrap();
        assert_eq!(binned.feature(0), [2, 0, MISSING, 1, 0]);
        assert_eq!((binned.edge(0, 0), binned.edge(0, 1), binned.value_bins(0)), (1.5, 2.5, 3));
    }

    #[test]
    fn many_values_share_bins_evenly() {
        let binned = Binned::new(&column((0..5_100).map(|i| (i * i) as f32).collect())).unwrap();
        let mut counts = [0; MOST_BINS];
        binned.feature(0).iter().for_each(|&bin| counts[usize::from(bin)] += 1);
        assert_eq!((binned.value_bins(0), counts), (MOST_BINS, [20; MOST_BINS]));
    }

    #[test]
    fn edges_keep_neighbors_apart_at_both_ends_of_the_floats() {
        for pair in [[0.0, f32::MIN_POSITIVE], [1.0, 1.0 + f32::EPSILON], [f32::MIN, f32::MAX]] {
            let binned = Binned::new(&column(pair.to_vec())).unwrap();
            assert_eq!(binned.feature(0), [0, 1], "{pair:?}");
        }
        // Zeros of both signs are one value.
        assert_eq!(Binned::new(&column(vec![0.0, -0.0])).unwrap().value_bins(0), 1);
    }

    #[test]
    fn nothing_but_missing_values_is_one_empty_bin() {
        let binned = Binned::new(&column(vec![f32::NAN; 3])).unwrap();
        assert_eq!((binned.feature(0), binned.value_bins(0)), (&[MISSING; 3][..], 1));
    }

    #[test]
    fn an_infinite_cell_is_located() {
        let matrix = Matrix::new(2, 2, vec![0.0, 1.0, 2.0, f32::NEG_INFINITY]).unwrap();
        let error = Binned::new(&matrix).unwrap_err().to_string();
        assert_eq!(error, "row 2, feature 2: an infinite value cannot be sorted into a bin");
    }
}
