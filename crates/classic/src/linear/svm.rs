//! Linear support vector machine by dual coordinate descent.
//!
//! C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi and S. Sundararajan, "A dual coordinate descent method for
//! large-scale linear SVM", ICML 2008. With a cost C_i an example and y_i = ±1,
//!
//! ```text
//! primal   min_w  ½‖w - w₀‖² + Σ_i C_i max(0, 1 - y_i w·x_i)^p        p = 1 (hinge) or 2 (squared hinge)
//! dual     max_α  Σ_i α_i (1 - y_i w₀·x_i) - ½‖Σ_i α_i y_i x_i‖² - Σ_i D_i α_i² / 2,     0 ≤ α_i ≤ U_i
//! ```
//!
//! with (U_i, D_i) = (C_i, 0) for p = 1 and (∞, 1 / 2C_i) for p = 2; w = w₀ + Σ α_i y_i x_i. One α_i at a time is
//! brought to its optimum, in an order shuffled every epoch; examples that sit firmly at a bound are skipped
//! (shrinking). w₀ is zero except where a method adds a linear term -c·w to the objective: then w₀ = c.
//!
//! The intercept is the weight of a column of ones and is regularized with the others, as in LIBLINEAR. Training ends
//! when the duality gap is below the tolerance: the objective is then proven to be that close to the smallest one.

use super::LinearModel;
use crate::{Examples, Rows};
use onesided_data::Stream;

/// The loss of an example with margin z = y f(x).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hinge {
    /// max(0, 1 - z).
    #[default]
    Linear,
    /// max(0, 1 - z)².
    Squared,
}

/// Settings of the solver. The costs C_i are the weights of the examples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearSvm {
    /// The loss.
    pub hinge: Hinge,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// Training ends when (primal - dual) ≤ tolerance · primal.
    pub tolerance: f64,
    /// Passes over the data after which training ends in any case; [`SvmFit::gap`] then says what is left.
    pub max_epochs: usize,
}

impl Default for LinearSvm {
    /// The hinge with an intercept, to a ten-thousandth of the objective.
    fn default() -> Self {
        Self { hinge: Hinge::Linear, intercept: true, tolerance: 1e-4, max_epochs: 100_000 }
    }
}

/// A trained machine and how well its problem was solved.
#[derive(Clone, Debug)]
pub struct SvmFit {
    /// w and b.
    pub model: LinearModel,
    /// The primal objective.
    pub objective: f64,
    /// An upper bound of how far that is above the smallest one, relative to it.
    pub gap: f64,
    /// Passes over the data.
    pub epochs: usize,
}

/// One dual variable: a row taken as positive or as negative.
struct Variable {
    row: u32,
    sign: f64,
    cost: f64,
    alpha: f64,
    /// D_i.
    ridge: f64,
    /// x_i·x_i + D_i.
    curvature: f64,
}

impl Variable {
    fn upper(&self) -> f64 {
        if self.ridge > 0.0 { f64::INFINITY } else { self.cost }
    }
}

impl LinearSvm {
    /// To a thousandth of the objective, which is finer than any use of it here, in a bounded number of passes.
    pub(crate) fn quick(rows: &dyn Rows) -> Self {
        let max_epochs = (10_000_000_000 / rows.stored().max(1)).clamp(20, 2000);
        Self { tolerance: 1e-3, max_epochs, ..Self::default() }
    }

    /// Trains on `examples`; the weights are the costs C_i. `stream` gives the order of the examples.
    pub fn fit(&self, examples: Examples, stream: &mut Stream) -> SvmFit {
        let center = LinearModel { weights: vec![0.0; examples.rows.cols()], bias: 0.0 };
        self.fit_around(examples, &center, stream)
    }

    /// [`fit`](Self::fit) with the regularizer ½‖w - w₀‖² around `center`.
    pub fn fit_around(&self, examples: Examples, center: &LinearModel, stream: &mut Stream) -> SvmFit {
        let mut solver = Solver::new(*self, examples, center);
        solver.run(center, stream)
    }
}

struct Solver<'a> {
    svm: LinearSvm,
    examples: Examples<'a>,
    variables: Vec<Variable>,
    weights: Vec<f64>,
    bias: f64,
}

impl<'a> Solver<'a> {
    fn new(svm: LinearSvm, examples: Examples<'a>, center: &LinearModel) -> Self {
        let mut variables = Vec::new();
        for (sign, costs) in [(1.0, examples.as_positive), (-1.0, examples.as_negative)] {
            for (row, &cost) in costs.iter().enumerate().filter(|(_, cost)| **cost > 0.0) {
                let ridge = if svm.hinge == Hinge::Squared { 0.5 / cost } else { 0.0 };
                let length = examples.rows.squared_length(row) + f64::from(u8::from(svm.intercept));
                let (row, curvature) = (row as u32, length + ridge);
                variables.push(Variable { row, sign, cost, alpha: 0.0, ridge, curvature });
            }
        }
        Self { svm, examples, variables, weights: center.weights.clone(), bias: center.bias }
    }

    fn margin(&self, variable: &Variable) -> f64 {
        variable.sign * (self.examples.rows.dot(variable.row as usize, &self.weights) + self.bias)
    }

    fn run(&mut self, center: &LinearModel, stream: &mut Stream) -> SvmFit {
        let mut active: Vec<u32> = (0..self.variables.len() as u32).collect();
        // The range of projected gradients of the last epoch: beyond it, a bound is firm.
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut reach = 0.1;
        let mut epochs = 0;
        loop {
            epochs += 1;
            let (least, most) = self.epoch(&mut active, low, high, stream);
            let everyone = active.len() == self.variables.len();
            let settled = most - least <= reach;
            let last = epochs >= self.svm.max_epochs;
            if (settled && everyone) || last {
                let (primal, dual) = self.objectives(center);
                let gap = (primal - dual) / primal.abs().max(f64::MIN_POSITIVE);
                // Rounding leaves about 1e-15 of the objective; a finer reach than that would never be met.
                if gap <= self.svm.tolerance || last || reach < 1e-14 {
                    let model = LinearModel { weights: self.weights.clone(), bias: self.bias };
                    return SvmFit { model, objective: primal, gap: gap.max(0.0), epochs };
                }
                reach /= 3.0;
            }
            if settled {
                active = (0..self.variables.len() as u32).collect();
                (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
            } else {
                low = if least < 0.0 { least } else { f64::NEG_INFINITY };
                high = if most > 0.0 { most } else { f64::INFINITY };
            }
        }
    }

    /// Brings every active variable to its optimum once. Returns the smallest and largest projected gradient; variables
    /// whose gradient lies beyond (`low`, `high`) at a bound leave `active`.
    fn epoch(&mut self, active: &mut Vec<u32>, low: f64, high: f64, stream: &mut Stream) -> (f64, f64) {
        stream.shuffle(active);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        let mut place = 0;
        while place < active.len() {
            let number = active[place] as usize;
            let variable = &self.variables[number];
            let gradient = self.margin(variable) - 1.0 + variable.ridge * variable.alpha;
            let upper = variable.upper();
            let projected = if variable.alpha <= 0.0 {
                if gradient > high {
                    active.swap_remove(place);
                    continue;
                }
                gradient.min(0.0)
            } else if variable.alpha >= upper {
                if gradient < low {
                    active.swap_remove(place);
                    continue;
                }
                gradient.max(0.0)
            } else {
                gradient
            };
            least = least.min(projected);
            most = most.max(projected);
            // A row of zeros without an intercept has no curvature: α runs to its bound.
            if projected.abs() > 1e-12 {
                let alpha = (variable.alpha - gradient / variable.curvature).clamp(0.0, upper);
                let step = (alpha - variable.alpha) * variable.sign;
                let row = variable.row as usize;
                self.variables[number].alpha = alpha;
                self.examples.rows.add_to(row, step, &mut self.weights);
                if self.svm.intercept {
                    self.bias += step;
                }
            }
            place += 1;
        }
        (least, most)
    }

    /// The primal and the dual objective at the present point.
    fn objectives(&self, center: &LinearModel) -> (f64, f64) {
        // ‖v‖² and w₀·v for v = w - w₀, the intercept included.
        let pairs = || self.weights.iter().zip(&center.weights).chain([(&self.bias, &center.bias)]);
        let length: f64 = pairs().map(|(w, w0)| (w - w0) * (w - w0)).sum();
        let along: f64 = pairs().map(|(w, w0)| w0 * (w - w0)).sum();
        let (mut loss, mut linear) = (0.0, 0.0);
        for variable in &self.variables {
            let short = (1.0 - self.margin(variable)).max(0.0);
            loss += variable.cost * if self.svm.hinge == Hinge::Squared { short * short } else { short };
            linear += variable.alpha - 0.5 * variable.ridge * variable.alpha * variable.alpha;
        }
        (0.5 * length + loss, linear - along - 0.5 * length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::{Matrix, SparseMatrix};

    fn fit(svm: LinearSvm, rows: &dyn Rows, p: &[f64], n: &[f64]) -> SvmFit {
        svm.fit(Examples::new(rows, p, n).unwrap(), &mut Stream::new(0, "svm"))
    }

    #[test]
    fn two_points_in_closed_form() {
        // Points ±2 without intercept: the hinge wants w ≥ 1/2, where the loss vanishes; ½w² is least at 1/2.
        let rows = Matrix::new(2, 1, vec![2.0, -2.0]).unwrap();
        let svm = LinearSvm { intercept: false, tolerance: 1e-12, ..LinearSvm::default() };
        let (p, n) = ([1.0, 0.0], [0.0, 1.0]);
        let hard = fit(svm, &rows, &p, &n);
        assert!((hard.model.weights[0] - 0.5).abs() < 1e-9 && hard.model.bias == 0.0, "{hard:?}");
        assert!((hard.objective - 0.125).abs() < 1e-9);
        // Small costs leave α at its bound: w = 2 (0.05 + 0.05).
        let soft = fit(svm, &rows, &p.map(|c| 0.05 * c), &n.map(|c| 0.05 * c));
        assert!((soft.model.weights[0] - 0.2).abs() < 1e-9, "{soft:?}");
        // Squared hinge with C = 1: w = 4 · 2 · (1 - 2w) → w = 8/17.
        let squared = fit(LinearSvm { hinge: Hinge::Squared, ..svm }, &rows, &p, &n);
        assert!((squared.model.weights[0] - 8.0 / 17.0).abs() < 1e-6, "{squared:?}");
    }

    #[test]
    fn a_linear_term_moves_the_center() {
        // ½w² - c w + C (max(0, 1 - w) + max(0, 1 + w)) with C = 0.1: between ±1 the loss is flat, so w = c.
        let rows = SparseMatrix::new(1, vec![0, 1], vec![0], vec![1.0]).unwrap();
        let svm = LinearSvm { intercept: false, tolerance: 1e-12, ..LinearSvm::default() };
        let at = |c: f64| {
            let examples = Examples::new(&rows, &[0.1], &[0.1]).unwrap();
            let center = LinearModel { weights: vec![c], bias: 0.0 };
            svm.fit_around(examples, &center, &mut Stream::new(0, "svm")).model.weights[0]
        };
        assert!((at(0.4) - 0.4).abs() < 1e-9);
        // Beyond 1 the slope is C: w = max(1, c - C).
        assert!((at(1.05) - 1.0).abs() < 1e-9 && (at(1.5) - 1.4).abs() < 1e-9);
        assert!((at(-1.5) + 1.4).abs() < 1e-9);
    }

    #[test]
    fn rows_of_zeros_and_the_last_epoch_do_no_harm() {
        let rows = Matrix::new(3, 2, vec![0.0, 0.0, 1.0, 1.0, -1.0, 0.0]).unwrap();
        let svm = LinearSvm { intercept: false, ..LinearSvm::default() };
        let fitted = fit(svm, &rows, &[1.0, 1.0, 0.0], &[0.0, 0.0, 1.0]);
        assert!(fitted.gap <= 1e-4 && fitted.model.weights.iter().all(|w| w.is_finite()), "{fitted:?}");
        let once = fit(LinearSvm { max_epochs: 1, tolerance: 0.0, ..svm }, &rows, &[1.0; 3], &[1.0; 3]);
        assert_eq!(once.epochs, 1);
    }
}
