//! Random Fourier features: an RBF kernel machine as a linear one.
//!
//! A. Rahimi and B. Recht, "Random features for large-scale kernel machines", NIPS 2007. With directions ω ~ N(0, 2γ I)
//! and phases b uniform on [0, 2π),
//!
//! ```text
//! z(x) = √(2 / D) (cos(ω₁·x + b₁), …, cos(ω_D·x + b_D)),        E z(x)·z(y) = exp(-γ ‖x - y‖²)
//! ```
//!
//! with an error of about 1/√D. Time and memory grow with rows · D, not with the square of the rows.

use crate::threads::{allowed, in_blocks};
use crate::{ClassicError, LinearModel, Rows};
use onesided_data::{Matrix, Stream};
use serde::{Deserialize, Serialize};
use std::thread;

/// The map z, fixed by its draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RandomFeatures {
    /// Column after column of the input, D numbers each.
    directions: Vec<f32>,
    /// D numbers.
    phases: Vec<f32>,
}

impl RandomFeatures {
    /// Draws `features` directions for rows of `cols` columns and the kernel exp(-γ ‖x - y‖²).
    pub fn new(cols: usize, gamma: f64, features: usize, stream: &mut Stream) -> Result<Self, ClassicError> {
        super::Kernel::Rbf { gamma }.check()?;
        if features == 0 {
            return Err(ClassicError::Setting {
                name: "the number of random features",
                range: "at least 1",
                value: 0.0,
            });
        }
        let scale = (2.0 * gamma).sqrt();
        let directions = (0..cols * features).map(|_| (scale * stream.normal()) as f32).collect();
        let phases = (0..features).map(|_| (std::f64::consts::TAU * stream.uniform()) as f32).collect();
        Ok(Self { directions, phases })
    }

    /// D.
    pub fn features(&self) -> usize {
        self.phases.len()
    }

    /// The directions: column after column of the input, D numbers each.
    pub fn directions(&self) -> &[f32] {
        &self.directions
    }

    /// The phases, D numbers.
    pub fn phases(&self) -> &[f32] {
        &self.phases
    }

    /// How many columns the rows must have.
    pub fn cols(&self) -> usize {
        self.directions.len() / self.features().max(1)
    }

    /// Whether there are as many directions as phases want; a file may say otherwise.
    pub(crate) fn is_whole(&self) -> bool {
        let whole = self.directions.len() == self.cols() * self.features();
        whole && self.directions.iter().chain(&self.phases).all(|number| number.is_finite())
    }

    /// z of all rows.
    pub fn transform(&self, rows: &dyn Rows) -> Result<Matrix, ClassicError> {
        if rows.cols() != self.cols() {
            return Err(ClassicError::Width { expected: self.cols(), found: rows.cols() });
        }
        let (n, width) = (rows.rows(), self.features());
        let mut values = vec![0.0; n * width];
        let each = n.div_ceil(allowed()).max(64);
        thread::scope(|scope| {
            for (block, out) in values.chunks_mut(each * width).enumerate() {
                scope.spawn(move || {
                    for (k, out) in out.chunks_exact_mut(width).enumerate() {
                        self.row(rows, block * each + k, out);
                    }
                });
            }
        });
        Matrix::new(n, width, values).map_err(|error| ClassicError::Stored { detail: error.to_string() })
    }

    /// f of all rows for a linear model of the features, a few rows at a time.
    pub fn scores(&self, rows: &dyn Rows, model: &LinearModel) -> Vec<f64> {
        let parts = in_blocks(rows.rows(), rows.rows().div_ceil(WORTH_A_THREAD).clamp(1, 64), |range| {
            let mut cells = vec![[0.0f32; ROWS]; self.cols()];
            let mut scores = Vec::with_capacity(range.len());
            for first in range.clone().step_by(ROWS) {
                let some = first..range.end.min(first + ROWS);
                // Texts leave zeros out.
                cells.fill([0.0; ROWS]);
                for (lane, i) in some.clone().enumerate() {
                    rows.each(i, &mut |column, value| cells[column][lane] = value);
                }
                let mut sums = [0.0; ROWS];
                let pass = SomeRows { map: self, cells: &cells, weights: &model.weights, sums: &mut sums };
                pulp::Arch::new().dispatch(pass);
                scores.extend(sums[..some.len()].iter().map(|sum| sum + model.bias));
            }
            scores
        });
        parts.concat()
    }

    fn row(&self, rows: &dyn Rows, i: usize, out: &mut [f32]) {
        let mut cells = Vec::with_capacity(rows.cols());
        rows.each(i, &mut |column, value| cells.push((column, value)));
        pulp::Arch::new().dispatch(OneRow { map: self, cells: &cells, out });
    }
}

/// Rows whose scores are summed side by side, and rows that are worth a thread: about a millisecond's work.
const ROWS: usize = 16;
const WORTH_A_THREAD: usize = 512;
/// Features that are summed at once, so that a cell is loaded once for all of them.
const FEATURES: usize = 4;

/// Σ_d w_d z_d of some rows, in the order of the features for each, compiled for every width of vectors that processors have.
struct SomeRows<'a> {
    map: &'a RandomFeatures,
    /// Column by column.
    cells: &'a [[f32; ROWS]],
    weights: &'a [f64],
    sums: &'a mut [f64; ROWS],
}

impl pulp::WithSimd for SomeRows<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { map, cells, weights, sums } = self;
        let width = map.features();
        let scale = (2.0 / width as f32).sqrt();
        let mut all = [0.0; ROWS];
        for first in (0..width).step_by(FEATURES) {
            let some = FEATURES.min(width - first);
            let mut angles = [[0.0f32; ROWS]; FEATURES];
            for (angle, &phase) in angles.iter_mut().zip(&map.phases[first..first + some]) {
                *angle = [phase; ROWS];
            }
            for (column, values) in cells.iter().enumerate() {
                let from = column * width + first;
                match map.directions[from..from + some].as_array::<FEATURES>() {
                    Some(directions) => add_products(&mut angles, values, directions),
                    None => add_products(&mut angles, values, &map.directions[from..from + some]),
                }
            }
            for (angles, &weight) in angles.iter().zip(&weights[first..first + some]) {
                for lane in 0..ROWS {
                    all[lane] += f64::from(scale * cosine(angles[lane])) * weight;
                }
            }
        }
        *sums = all;
    }
}

#[inline(always)]
fn add_products(angles: &mut [[f32; ROWS]], values: &[f32; ROWS], directions: &[f32]) {
    for (angles, &direction) in angles.iter_mut().zip(directions) {
        for lane in 0..ROWS {
            angles[lane] += values[lane] * direction;
        }
    }
}

/// z of one row, compiled for every width of vectors that processors have.
struct OneRow<'a> {
    map: &'a RandomFeatures,
    cells: &'a [(usize, f32)],
    out: &'a mut [f32],
}

impl pulp::WithSimd for OneRow<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { map, cells, out } = self;
        let width = out.len();
        let scale = (2.0 / width as f32).sqrt();
        // As many angles as stay in registers while columns are added to them.
        for (first, out) in out.chunks_mut(ANGLES).enumerate().map(|(at, out)| (at * ANGLES, out)) {
            let mut angles = [0.0f32; ANGLES];
            angles[..out.len()].copy_from_slice(&map.phases[first..first + out.len()]);
            for &(column, value) in cells {
                let from = column * width + first;
                match map.directions[from..from + out.len()].as_array::<ANGLES>() {
                    Some(direction) => add(&mut angles, value, direction),
                    None => add(&mut angles, value, &map.directions[from..from + out.len()]),
                }
            }
            angles.iter_mut().for_each(|angle| *angle = scale * cosine(*angle));
            out.copy_from_slice(&angles[..out.len()]);
        }
    }
}

/// Angles that are added up side by side.
const ANGLES: usize = 64;

#[inline(always)]
fn add(angles: &mut [f32], value: f32, direction: &[f32]) {
    angles.iter_mut().zip(direction).for_each(|(angle, direction)| *angle += value * direction);
}

/// cos to about 1e-6 for angles up to some thousands, written so that the compiler does several at once: the angle in
/// turns, its distance from the nearest whole turn, and a Taylor polynomial of the sine of what that is from a quarter.
#[inline(always)]
fn cosine(angle: f32) -> f32 {
    cosine_of_turns(angle * std::f32::consts::FRAC_1_PI * 0.5)
}

/// The same of an angle in turns.
#[inline(always)]
pub(super) fn cosine_of_turns(turns: f32) -> f32 {
    // Adding and subtracting 1.5 · 2^23 rounds to a whole number.
    const ROUND: f32 = 12_582_912.0;
    let part = turns - ((turns + ROUND) - ROUND);
    // cos 2πp = sin 2π(1/4 - |p|), an argument within a quarter turn.
    let x = std::f32::consts::TAU * (0.25 - part.abs());
    let s = x * x;
    let poly = 2.755_731_9e-6 + s * (-2.505_210_8e-8 + s * 1.605_904_4e-10);
    x * (1.0 + s * (-0.166_666_67 + s * (8.333_333e-3 + s * (-1.984_127e-4 + s * poly))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quick_cosine() {
        let worst = (-40_000..40_000)
            .map(|i| i as f32 * 0.0031)
            .map(|x| (f64::from(cosine(x)) - f64::from(x).cos()).abs())
            .fold(0.0, f64::max);
        // 20 turns are known to 2e-6 in single precision, and 2π times that is the angle.
        assert!(worst < 1.5e-5, "{worst}");
        assert!((cosine(0.0) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn products_of_features_are_the_kernel() {
        let rows = Matrix::new(3, 2, vec![0.0, 0.0, 0.6, -0.3, 1.0, 1.0]).unwrap();
        let map = RandomFeatures::new(2, 0.7, 20_000, &mut Stream::new(1, "fourier")).unwrap();
        let features = map.transform(&rows).unwrap();
        for (i, j) in [(0, 0), (0, 1), (0, 2), (1, 2)] {
            let product: f64 =
                features.row(i).iter().zip(features.row(j)).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
            let distance: f64 =
                rows.row(i).iter().zip(rows.row(j)).map(|(a, b)| f64::from(a - b) * f64::from(a - b)).sum();
            // 1/√20,000 is 0.007.
            assert!(
                (product - (-0.7 * distance).exp()).abs() < 0.02,
                "{product} for a distance of {distance}"
            );
        }
        let model = LinearModel { weights: vec![0.5; 20_000], bias: 1.0 };
        let direct = model.scores(&features);
        let streamed = map.scores(&rows, &model);
        assert!(direct.iter().zip(&streamed).all(|(a, b)| (a - b).abs() < 1e-9));
    }

    /// As many features and rows as fill no vector: each score is the sum over its features in their order, to the bit.
    #[test]
    fn scores_do_not_depend_on_how_rows_are_grouped() {
        let mut stream = Stream::new(2, "fourier");
        let map = RandomFeatures::new(3, 0.7, 301, &mut stream).unwrap();
        let cells = (0..1_100 * 3).map(|at| if at % 7 == 0 { 0.0 } else { stream.normal() as f32 }).collect();
        let rows = Matrix::new(1_100, 3, cells).unwrap();
        let model = LinearModel { weights: (0..301).map(|_| stream.normal()).collect(), bias: 0.5 };
        let features = map.transform(&rows).unwrap();
        let one = |row: usize| {
            let weighted = features.row(row).iter().zip(&model.weights);
            weighted.fold(0.0, |sum, (&feature, weight)| sum + f64::from(feature) * weight) + model.bias
        };
        assert_eq!(map.scores(&rows, &model), (0..1_100).map(one).collect::<Vec<f64>>());
    }

    #[test]
    fn wrong_numbers_get_a_sentence() {
        let mut stream = Stream::new(1, "fourier");
        assert!(RandomFeatures::new(2, -1.0, 5, &mut stream).is_err());
        assert!(RandomFeatures::new(2, 1.0, 0, &mut stream).unwrap_err().to_string().contains("at least 1"));
        let map = RandomFeatures::new(2, 1.0, 5, &mut stream).unwrap();
        let rows = Matrix::new(1, 3, vec![0.0; 3]).unwrap();
        assert_eq!(
            map.transform(&rows).unwrap_err().to_string(),
            "the model takes 2 columns, but the rows have 3"
        );
    }
}
