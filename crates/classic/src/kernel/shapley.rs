//! What each column added to the score of random Fourier features: Shapley values in closed form.
//!
//! With θ_j = ω·(x_j − x′_j), what column j moves the angle by from that of a row x′ to compare with, a cosine is the real part of a
//! product, e^{iβ} ∏ e^{iθ_j}, and a column that is not known has the factor 1. The mean over all orders in which columns become known
//! is an integral over the share t of columns that are (G. Owen, "Multilinear extensions of games", Management Science 18, 1972):
//!
//! ```text
//! part of j = Σ_d w_d Re e^{iβ} (e^{iθ_j} − 1) ∫₀¹ ∏_{k ≠ j} (1 − t + t e^{iθ_k}) dt,
//! ```
//!
//! a polynomial of t, which Gauss's rule integrates exactly at half as many points as there are columns.

use super::RandomFeatures;
use super::fourier::cosine_of_turns;
use crate::LinearModel;
use onesided_loss::gauss_legendre;

/// Points at most: as many as 64 columns need. With more columns the integral is off by less than a cosine is here.
const MOST_POINTS: usize = 32;

/// Features that are looked at side by side.
const LANES: usize = 16;

/// A number for each of some features.
type Lanes = [f32; LANES];

/// Complex numbers for some features.
#[derive(Clone, Copy)]
struct Complex {
    re: Lanes,
    im: Lanes,
}

impl RandomFeatures {
    /// What each group of columns added to the score of each row, compared with one row. `groups` says which group a column is in, and
    /// `number` how many there are.
    pub fn shapley(
        &self,
        model: &LinearModel,
        rows: &[&[f32]],
        compared: &[f32],
        groups: &[usize],
        number: usize,
    ) -> Vec<Vec<f64>> {
        let mut rules: Vec<Vec<(f64, f64)>> = Vec::new();
        let mut of_row = |row: &&[f32]| {
            let mut differing: Vec<(usize, usize)> =
                (0..row.len()).filter(|&c| row[c] != compared[c]).map(|c| (groups[c], c)).collect();
            differing.sort_unstable();
            let columns = differing.chunk_by(|a, b| a.0 == b.0).count();
            let points = columns.div_ceil(2).min(MOST_POINTS);
            while rules.len() <= points {
                rules.push(gauss_legendre(rules.len()));
            }
            let mut parts = vec![0.0; number];
            let pass = Pass {
                map: self,
                weights: &model.weights,
                row,
                compared,
                differing: &differing,
                rule: &rules[points],
                parts: &mut parts,
            };
            pulp::Arch::new().dispatch(pass);
            parts
        };
        rows.iter().map(&mut of_row).collect()
    }
}

/// One row, compiled for every width of vectors that processors have.
struct Pass<'a> {
    map: &'a RandomFeatures,
    weights: &'a [f64],
    row: &'a [f32],
    compared: &'a [f32],
    /// Groups and columns that differ, in order.
    differing: &'a [(usize, usize)],
    rule: &'a [(f64, f64)],
    parts: &'a mut [f64],
}

impl pulp::WithSimd for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { map, weights, row, compared, differing, rule, parts } = self;
        let width = map.features();
        let scale = (2.0 / width as f64).sqrt();
        let direction = |column: usize, first: usize| {
            let from = &map.directions()[column * width + first..(column + 1) * width];
            let mut lanes = [0.0; LANES];
            lanes.iter_mut().zip(from).for_each(|(lane, &direction)| *lane = direction);
            lanes
        };
        let one = Complex { re: [1.0; LANES], im: [0.0; LANES] };
        let zero = Complex { re: [0.0; LANES], im: [0.0; LANES] };
        let (mut turned, mut integrals, mut behind) = (Vec::new(), Vec::new(), Vec::new());
        for first in (0..width).step_by(LANES) {
            // e^{iβ} times the weight; features beyond the last one weigh nothing.
            let mut angle = [0.0; LANES];
            angle.iter_mut().zip(&map.phases()[first..]).for_each(|(angle, &phase)| *angle = phase);
            for (column, &value) in compared.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                add(&mut angle, value, &direction(column, first));
            }
            let mut start = turn(&angle);
            for (lane, weight) in weights[first..].iter().take(LANES).enumerate() {
                start.re[lane] *= (scale * weight) as f32;
                start.im[lane] *= (scale * weight) as f32;
            }
            turned.clear();
            for group in differing.chunk_by(|a, b| a.0 == b.0) {
                let mut angle = [0.0; LANES];
                for &(_, column) in group {
                    add(&mut angle, row[column] - compared[column], &direction(column, first));
                }
                turned.push(turn(&angle));
            }
            integrals.clear();
            integrals.resize(turned.len(), zero);
            behind.resize(turned.len() + 1, one);
            for &(at, weight) in rule {
                // The product of all factors but one: those before it times those behind it.
                behind[turned.len()] = one;
                for group in (0..turned.len()).rev() {
                    behind[group] = times(&behind[group + 1], &factor(&turned[group], at as f32));
                }
                let mut before = one;
                for group in 0..turned.len() {
                    let others = times(&before, &behind[group + 1]);
                    for lane in 0..LANES {
                        integrals[group].re[lane] += weight as f32 * others.re[lane];
                        integrals[group].im[lane] += weight as f32 * others.im[lane];
                    }
                    before = times(&before, &factor(&turned[group], at as f32));
                }
            }
            let lanes = LANES.min(width - first);
            for ((group, turned), integral) in
                differing.chunk_by(|a, b| a.0 == b.0).zip(&turned).zip(&integrals)
            {
                let mut by = *turned;
                by.re.iter_mut().for_each(|re| *re -= 1.0);
                let added = times(&times(&start, &by), integral).re;
                parts[group[0].0] += added[..lanes].iter().map(|&part| f64::from(part)).sum::<f64>();
            }
        }
    }
}

#[inline(always)]
fn add(angle: &mut Lanes, value: f32, direction: &Lanes) {
    angle.iter_mut().zip(direction).for_each(|(angle, direction)| *angle += value * direction);
}

/// e^{i angle}.
#[inline(always)]
fn turn(angle: &Lanes) -> Complex {
    let mut turned = Complex { re: [0.0; LANES], im: [0.0; LANES] };
    for (lane, angle) in angle.iter().enumerate() {
        let turns = angle * std::f32::consts::FRAC_1_PI * 0.5;
        turned.re[lane] = cosine_of_turns(turns);
        turned.im[lane] = cosine_of_turns(turns - 0.25);
    }
    turned
}

/// 1 - t + t e^{iθ}.
#[inline(always)]
fn factor(turned: &Complex, t: f32) -> Complex {
    let mut factor = Complex { re: [0.0; LANES], im: [0.0; LANES] };
    for lane in 0..LANES {
        factor.re[lane] = 1.0 - t + t * turned.re[lane];
        factor.im[lane] = t * turned.im[lane];
    }
    factor
}

#[inline(always)]
fn times(a: &Complex, b: &Complex) -> Complex {
    let mut product = Complex { re: [0.0; LANES], im: [0.0; LANES] };
    for lane in 0..LANES {
        product.re[lane] = a.re[lane] * b.re[lane] - a.im[lane] * b.im[lane];
        product.im[lane] = a.re[lane] * b.im[lane] + a.im[lane] * b.re[lane];
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{Matrix, Stream};

    fn model(cols: usize, features: usize) -> (RandomFeatures, LinearModel, Stream) {
        let mut stream = Stream::new(cols as u64, "waves");
        let map = RandomFeatures::new(cols, 0.4 / cols as f64, features, &mut stream).unwrap();
        let weights = (0..features).map(|_| stream.normal()).collect();
        (map, LinearModel { weights, bias: 0.7 }, stream)
    }

    /// By the definition: over all sets of columns. Five columns, of which two are one group and one does not differ.
    #[test]
    fn parts_are_the_shapley_values_of_the_definition() {
        let (map, model, mut stream) = model(6, 37);
        let compared = [0.0, 0.3, 0.0, -0.5, 0.0, 0.0];
        let mut row: Vec<f32> = (0..6).map(|_| stream.normal() as f32).collect();
        row[3] = compared[3];
        let groups = [0, 1, 1, 2, 3, 4];
        let parts = map.shapley(&model, &[&row], &compared, &groups, 5).remove(0);
        let known = [0, 1, 3, 4];
        let worth = |set: usize| -> f64 {
            let is_known = |column: usize| {
                known.iter().position(|&g| g == groups[column]).is_some_and(|at| set >> at & 1 == 1)
            };
            let cells: Vec<f32> =
                (0..6).map(|column| if is_known(column) { row[column] } else { compared[column] }).collect();
            map.scores(&Matrix::new(1, 6, cells).unwrap(), &model)[0]
        };
        let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
        let mut expected = [0.0; 5];
        for (at, &group) in known.iter().enumerate() {
            for set in (0..1usize << 4).filter(|set| set >> at & 1 == 0) {
                let weight = factorial(set.count_ones()) * factorial(3 - set.count_ones()) / factorial(4);
                expected[group] += weight * (worth(set | 1 << at) - worth(set));
            }
        }
        assert!(parts[2] == 0.0 && expected[0].abs() > 0.01, "{expected:?}");
        // A cosine is known to about 1e-6, and 37 weigh 1.
        assert!(
            parts.iter().zip(expected).all(|(ours, by)| (ours - by).abs() < 1e-5),
            "{parts:?} {expected:?}"
        );
    }

    /// More columns than points are exact for: the parts still add up.
    #[test]
    fn parts_of_many_columns_add_up() {
        for cols in [20, 300] {
            let (map, model, mut stream) = model(cols, 300);
            let row: Vec<f32> = (0..cols).map(|_| stream.normal() as f32).collect();
            let groups: Vec<usize> = (0..cols).collect();
            let parts = map.shapley(&model, &[&row], &vec![0.0; cols], &groups, cols).remove(0);
            let both = Matrix::new(2, cols, [row, vec![0.0; cols]].concat()).unwrap();
            let scores = map.scores(&both, &model);
            let off = parts.iter().sum::<f64>() - (scores[0] - scores[1]);
            assert!(off.abs() < 3e-5, "{cols} columns: {off}");
        }
    }
}
