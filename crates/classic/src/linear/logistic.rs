//! Weighted logistic regression by L-BFGS.
//!
//! With weights a_i of a row as positive and b_i as negative, and z_i = w·x_i + b,
//!
//! ```text
//! min_{w, b}  ½‖w‖² + Σ_i a_i softplus(-z_i) + b_i softplus(z_i)
//! ```
//!
//! A ridge λ is the same as weights divided by λ. The intercept b is not regularized, as in scikit-learn.
//!
//! D. C. Liu and J. Nocedal, "On the limited memory BFGS method for large scale optimization", Mathematical Programming
//! 45, 1989. The line search uses that z is linear in the step: along a direction with products q it needs z + t q and no
//! further look at the rows. Training ends when the strong convexity of the ridge, f - min f ≤ ½‖∇f‖², shows that the
//! objective is within the tolerance of the smallest one.

use super::LinearModel;
use crate::rows::{products, weighted_sum};
use crate::threads::in_blocks;
use crate::{Examples, Rows};

use std::collections::VecDeque;

/// How many pairs of steps and changes of the gradient are remembered.
const MEMORY: usize = 10;

/// Settings of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Logistic {
    /// Whether there is an intercept.
    pub intercept: bool,
    /// Training ends when the objective is proven to be within this share of the smallest one.
    pub tolerance: f64,
    /// Steps after which training ends in any case; [`LogisticFit::gap`] then says what is left.
    pub max_steps: usize,
}

impl Default for Logistic {
    fn default() -> Self {
        Self { intercept: true, tolerance: 1e-5, max_steps: 1000 }
    }
}

/// A trained model and how well its problem was solved.
#[derive(Clone, Debug)]
pub struct LogisticFit {
    /// w and b.
    pub model: LinearModel,
    /// The objective.
    pub objective: f64,
    /// How far that can be above the smallest one, relative to it.
    pub gap: f64,
    /// Steps taken.
    pub steps: usize,
}

impl Logistic {
    /// To a ten-thousandth of the objective, which is finer than any use of it here.
    pub(crate) fn quick() -> Self {
        Self { tolerance: 1e-4, ..Self::default() }
    }

    /// Trains on `examples` from zero.
    pub fn fit(&self, examples: Examples) -> LogisticFit {
        let start = LinearModel { weights: vec![0.0; examples.rows.cols()], bias: 0.0 };
        self.fit_from(examples, start)
    }

    /// Trains on `examples` from `start`, which must be as wide as the rows: the result is the same within the tolerance,
    /// and sooner there if the start is near.
    pub fn fit_from(&self, examples: Examples, start: LinearModel) -> LogisticFit {
        self.fit_while(examples, start, &mut || true)
    }

    /// [`fit_from`](Self::fit_from) that asks before each step whether to take it, and ends where it is if not.
    pub fn fit_while(
        &self,
        examples: Examples,
        start: LinearModel,
        go_on: &mut dyn FnMut() -> bool,
    ) -> LogisticFit {
        let mut point = start.weights;
        point.push(if self.intercept { start.bias } else { 0.0 });
        let last = point.len() - 1;
        let mut margins = self.along(examples.rows, &point);
        let mut value = Losses::of(examples, &margins, None);
        let mut objective = value.sum + 0.5 * squared(&point[..last]);
        let mut gradient = self.gradient(examples.rows, &point, &value.slopes);
        let mut memory = Memory::default();
        for steps in 0.. {
            // The intercept has no ridge; its own curvature stands in for one.
            let b = gradient[last] * gradient[last] / value.curvature.max(1e-12);
            let gap = 0.5 * (squared(&gradient[..last]) + b) / objective.max(f64::MIN_POSITIVE);
            let done = gap <= self.tolerance || steps >= self.max_steps || !go_on();
            let direction = if done { Vec::new() } else { memory.direction(&gradient) };
            let slope = dot(&direction, &gradient);
            // A direction that no longer descends: rounding is all that is left.
            if done || slope >= 0.0 {
                let bias = point.pop().unwrap_or(0.0);
                let model = LinearModel { weights: point, bias };
                return LogisticFit { model, objective, gap, steps };
            }
            let shifts = self.along(examples.rows, &direction);
            let line = Line {
                examples,
                margins: &margins,
                shifts: &shifts,
                ridge: (squared(&direction[..last]), dot(&direction[..last], &point[..last])),
                start: (objective, slope),
                length: 0.5 * squared(&point[..last]),
            };
            let first = if steps == 0 { line.newton_step() } else { 1.0 };
            let (t, found, reached) = line.search(first);
            point.iter_mut().zip(&direction).for_each(|(w, d)| *w += t * d);
            margins.iter_mut().zip(&shifts).for_each(|(z, q)| *z += t * q);
            (value, objective) = (found, reached);
            let next = self.gradient(examples.rows, &point, &value.slopes);
            memory.remember(direction, t, &gradient, &next);
            gradient = next;
        }
        unreachable!("the loop ends by returning")
    }

    /// Products of all rows with a point or direction whose last entry is the intercept.
    fn along(&self, rows: &dyn Rows, point: &[f64]) -> Vec<f64> {
        let (weights, bias) = point.split_at(rows.cols());
        products(rows, weights, bias[0])
    }

    /// w + Σ slope_i x_i, and Σ slope_i for the intercept.
    fn gradient(&self, rows: &dyn Rows, point: &[f64], slopes: &[f64]) -> Vec<f64> {
        let mut gradient = weighted_sum(rows, slopes);
        gradient.iter_mut().zip(point).for_each(|(g, w)| *g += w);
        gradient.push(if self.intercept { slopes.iter().sum() } else { 0.0 });
        gradient
    }
}

/// The losses of all examples at some margins: their sum, its derivative in each margin, and Σ of second derivatives.
struct Losses {
    sum: f64,
    slopes: Vec<f64>,
    curvature: f64,
    /// Σ slope_i q_i and Σ curvature_i q_i² for the shifts q, where there are any.
    along: (f64, f64),
}

impl Losses {
    /// At `margins`, or at margins + t · shifts.
    fn of(examples: Examples, margins: &[f64], shift: Option<(f64, &[f64])>) -> Self {
        // Exponentials are dear: blocks of a few thousand rows.
        let blocks = 1 << (margins.len() / 4096).clamp(1, 16).ilog2();
        let parts = in_blocks(margins.len(), blocks, |range| {
            let mut part = Losses {
                sum: 0.0,
                slopes: Vec::with_capacity(range.len()),
                curvature: 0.0,
                along: (0.0, 0.0),
            };
            for i in range {
                let (a, b) = (examples.as_positive[i], examples.as_negative[i]);
                let q = shift.map_or(0.0, |(_, shifts)| shifts[i]);
                let z = margins[i] + shift.map_or(0.0, |(t, _)| t * q);
                // One exponential: softplus(z) = max(z, 0) + ln(1 + e^-|z|), and σ from the same e.
                let e = (-z.abs()).exp();
                let (rest, large, small) = (e.ln_1p(), 1.0 / (1.0 + e), e / (1.0 + e));
                let (up, down) = if z >= 0.0 { (large, small) } else { (small, large) };
                let slope = b * up - a * down;
                let curvature = (a + b) * large * small;
                part.sum += a * (rest + (-z).max(0.0)) + b * (rest + z.max(0.0));
                part.slopes.push(slope);
                part.curvature += curvature;
                part.along.0 += slope * q;
                part.along.1 += curvature * q * q;
            }
            part
        });
        let mut all =
            Losses { sum: 0.0, slopes: Vec::with_capacity(margins.len()), curvature: 0.0, along: (0.0, 0.0) };
        for part in parts {
            all.sum += part.sum;
            all.slopes.extend(part.slopes);
            all.curvature += part.curvature;
            all.along.0 += part.along.0;
            all.along.1 += part.along.1;
        }
        all
    }
}

/// The objective along a direction d, as a function of the step t.
struct Line<'a> {
    examples: Examples<'a>,
    margins: &'a [f64],
    shifts: &'a [f64],
    /// ‖d‖² and d·w, intercept left out.
    ridge: (f64, f64),
    /// Objective and slope at t = 0.
    start: (f64, f64),
    /// ½‖w‖².
    length: f64,
}

impl Line<'_> {
    fn at(&self, t: f64) -> (Losses, f64, f64, f64) {
        let losses = Losses::of(self.examples, self.margins, Some((t, self.shifts)));
        let objective = losses.sum + self.length + t * self.ridge.1 + 0.5 * t * t * self.ridge.0;
        let slope = losses.along.0 + self.ridge.1 + t * self.ridge.0;
        let curvature = losses.along.1 + self.ridge.0;
        (losses, objective, slope, curvature)
    }

    /// The step at which a parabola through t = 0 would be least.
    fn newton_step(&self) -> f64 {
        -self.start.1 / self.at(0.0).3.max(f64::MIN_POSITIVE)
    }

    /// A step that lowers the objective and has taken out nine tenths of the slope: Newton's method in a bracket. The
    /// objective is convex along the line, so it ends.
    fn search(&self, first: f64) -> (f64, Losses, f64) {
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut t = first;
        for round in 0.. {
            let (losses, objective, slope, curvature) = self.at(t);
            let lower = objective <= self.start.0 + 1e-4 * t * self.start.1;
            if (lower && slope.abs() <= 0.1 * self.start.1.abs()) || round == 30 {
                return (t, losses, objective);
            }
            if slope < 0.0 && lower {
                low = t
            } else {
                high = t
            }
            let newton = t - slope / curvature.max(f64::MIN_POSITIVE);
            let inside = newton > low && newton < high;
            t = if inside {
                newton
            } else if high.is_finite() {
                0.5 * (low + high)
            } else {
                4.0 * t
            };
        }
        unreachable!("the loop ends by returning")
    }
}

/// The last steps and changes of the gradient: a sketch of the inverse Hessian.
#[derive(Default)]
struct Memory {
    pairs: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
}

impl Memory {
    fn remember(&mut self, mut step: Vec<f64>, t: f64, before: &[f64], after: &[f64]) {
        step.iter_mut().for_each(|s| *s *= t);
        let change: Vec<f64> = after.iter().zip(before).map(|(a, b)| a - b).collect();
        let product = dot(&step, &change);
        if product > 1e-14 * squared(&change).sqrt() * squared(&step).sqrt() {
            if self.pairs.len() == MEMORY {
                self.pairs.pop_front();
            }
            self.pairs.push_back((step, change, product));
        }
    }

    /// -H g by the two loops.
    fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let mut shares = Vec::with_capacity(self.pairs.len());
        for (step, change, product) in self.pairs.iter().rev() {
            let share = dot(step, &direction) / product;
            add(&mut direction, -share, change);
            shares.push(share);
        }
        if let Some((_, change, product)) = self.pairs.back() {
            let scale = product / squared(change);
            direction.iter_mut().for_each(|d| *d *= scale);
        }
        for ((step, change, product), share) in self.pairs.iter().zip(shares.into_iter().rev()) {
            let back = dot(change, &direction) / product;
            add(&mut direction, share - back, step);
        }
        direction
    }
}

/// In eight sums side by side, which vector instructions can take.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    let mut sums = [0.0; 8];
    for (a, b) in a.zip(b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

fn squared(a: &[f64]) -> f64 {
    dot(a, a)
}

fn add(sum: &mut [f64], scale: f64, other: &[f64]) {
    sum.iter_mut().zip(other).for_each(|(sum, x)| *sum += scale * x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{Matrix, Stream};
    use onesided_loss::{sigmoid, softplus};

    /// The objective of a model on some examples, term by term as the formula has it.
    fn objective(model: &LinearModel, examples: Examples) -> f64 {
        let losses = (0..examples.rows.rows()).map(|i| {
            let z = model.score(examples.rows, i);
            examples.as_positive[i] * softplus(-z) + examples.as_negative[i] * softplus(z)
        });
        0.5 * squared(&model.weights) + losses.sum::<f64>()
    }

    #[test]
    fn an_intercept_alone_is_the_log_odds() {
        // A column of zeros: only b matters, σ(b) = Σa / Σ(a + b).
        let rows = Matrix::new(4, 1, vec![0.0; 4]).unwrap();
        let examples = Examples::new(&rows, &[1.0, 0.5, 0.0, 1.5], &[0.0, 2.0, 3.0, 4.0]).unwrap();
        let fitted = Logistic { tolerance: 1e-12, ..Logistic::default() }.fit(examples);
        assert!((fitted.model.bias - (3.0_f64 / 9.0).ln()).abs() < 1e-5, "{fitted:?}");
        assert_eq!(fitted.model.weights, [0.0]);
    }

    #[test]
    fn one_weight_solves_its_equation() {
        // ½w² + softplus(-2w): w = 2 σ(-2w).
        let rows = Matrix::new(2, 1, vec![2.0, 0.0]).unwrap();
        let examples = Examples::new(&rows, &[1.0, 0.0], &[0.0, 1.0]).unwrap();
        let logistic = Logistic { intercept: false, tolerance: 1e-14, ..Logistic::default() };
        let w = logistic.fit(examples).model.weights[0];
        assert!((w - 2.0 * sigmoid(-2.0 * w)).abs() < 1e-6, "{w}");
    }

    #[test]
    fn the_gradient_vanishes_at_the_end_and_starts_do_not_matter() {
        let mut stream = Stream::new(4, "rows");
        let values: Vec<f32> = (0..900).map(|_| stream.normal() as f32).collect();
        let rows = Matrix::new(300, 3, values).unwrap();
        let p: Vec<f64> = (0..300).map(|_| 3.0 * stream.uniform()).collect();
        let n: Vec<f64> = (0..300).map(|i| if i % 3 == 0 { 0.0 } else { stream.uniform() }).collect();
        let examples = Examples::new(&rows, &p, &n).unwrap();
        let logistic = Logistic { tolerance: 1e-13, ..Logistic::default() };
        let fitted = logistic.fit(examples);
        assert!(fitted.gap <= 1e-13 && fitted.steps < 60, "{fitted:?}");
        assert!((objective(&fitted.model, examples) / fitted.objective - 1.0).abs() < 1e-12);
        let far = LinearModel { weights: vec![30.0, -20.0, 5.0], bias: 40.0 };
        let again = logistic.fit_from(examples, far);
        assert!((again.objective / fitted.objective - 1.0).abs() < 1e-10, "{again:?}");
        // Moving any coordinate raises the objective.
        for k in 0..4 {
            for step in [-1e-3, 1e-3] {
                let mut moved = fitted.model.clone();
                if k < 3 {
                    moved.weights[k] += step
                } else {
                    moved.bias += step
                }
                assert!(objective(&moved, examples) > fitted.objective);
            }
        }
    }
}
