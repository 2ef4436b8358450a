//! Sequential minimal optimization with working sets chosen by second-order information.
//!
//! R.-E. Fan, P.-H. Chen and C.-J. Lin, "Working set selection using second order information for training support
//! vector machines", JMLR 6, 2005; the method of LIBSVM. Solves
//!
//! ```text
//! min_α  ½ Σ_ij α_i α_j y_i y_j K_ij + Σ_i p_i α_i        s.t.  Σ_i y_i α_i = 0,   0 ≤ α_i ≤ U_i
//! ```
//!
//! two variables at a time, from α = 0. Several variables may share a row of the data: they then share its row of the
//! kernel matrix too. Without shrinking: a step looks at every variable, which for some ten thousand of them costs less
//! than computing a row of the kernel.

use super::cache::KernelRows;

/// Stands in for a curvature that is not above 0.
const LEAST_CURVATURE: f64 = 1e-12;

/// One α: which row it belongs to, y, U and p.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) row: usize,
    pub(crate) sign: f64,
    pub(crate) upper: f64,
    pub(crate) linear: f64,
}

/// The problem and the solver's state.
pub(crate) struct Smo<'a> {
    variables: Vec<Variable>,
    kernel: KernelRows<'a>,
    diagonal: Vec<f64>,
    pub(crate) alpha: Vec<f64>,
    /// The derivative of the objective in each α.
    pub(crate) gradient: Vec<f64>,
    pub(crate) steps: usize,
}

impl<'a> Smo<'a> {
    pub(crate) fn new(variables: Vec<Variable>, kernel: KernelRows<'a>) -> Self {
        let gradient = variables.iter().map(|variable| variable.linear).collect();
        let alpha = vec![0.0; variables.len()];
        Self::from_start(variables, kernel, alpha, gradient)
    }

    /// From another start, whose Σ y α stays what it is; `gradient` is the derivative there.
    pub(crate) fn from_start(
        variables: Vec<Variable>,
        kernel: KernelRows<'a>,
        alpha: Vec<f64>,
        gradient: Vec<f64>,
    ) -> Self {
        let diagonal = variables.iter().map(|variable| kernel.diagonal(variable.row)).collect();
        Self { variables, kernel, diagonal, alpha, gradient, steps: 0 }
    }

    pub(crate) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Continues until no pair violates the optimality conditions by more than `tolerance`, or to `max_steps` in all.
    pub(crate) fn run(&mut self, tolerance: f64, max_steps: usize) {
        let Self { variables, kernel, diagonal, alpha, gradient, steps } = self;
        while *steps < max_steps {
            let Some((i, most)) = most_violating(variables, alpha, gradient) else { break };
            let row = kernel.row(variables[i].row);
            let Some(j) = partner(variables, alpha, gradient, (i, most), row, diagonal, tolerance) else {
                break;
            };
            let (row_i, row_j) = kernel.pair(variables[i].row, variables[j].row);
            // Both move so that Σ y α stays: α_i by y_i t, α_j by -y_j t.
            let curvature = diagonal[i] + diagonal[j] - 2.0 * f64::from(row_i[variables[j].row]);
            let slope = variables[i].sign * gradient[i] - variables[j].sign * gradient[j];
            let moves = [(i, variables[i].sign), (j, -variables[j].sign)];
            let rooms =
                moves.map(|(k, way)| if way > 0.0 { variables[k].upper - alpha[k] } else { alpha[k] });
            let t = (-slope / curvature.max(LEAST_CURVATURE)).clamp(0.0, rooms[0].min(rooms[1]));
            for ((k, way), room) in moves.into_iter().zip(rooms) {
                alpha[k] = match (t == room, way > 0.0) {
                    // Exactly at a bound, or rounding would leave a variable free by a hair.
                    (true, true) => variables[k].upper,
                    (true, false) => 0.0,
                    (false, _) => (alpha[k] + way * t).clamp(0.0, variables[k].upper),
                };
            }
            for (variable, gradient) in variables.iter().zip(gradient.iter_mut()) {
                *gradient += variable.sign * t * f64::from(row_i[variable.row] - row_j[variable.row]);
            }
            *steps += 1;
        }
    }

    /// The intercept of f(x) = Σ α_i y_i K(x_i, x) + b: the mean of -y G over free variables, or the middle of what the
    /// others allow.
    pub(crate) fn bias(&self) -> f64 {
        let (mut sum, mut free) = (0.0, 0usize);
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        for (k, variable) in self.variables.iter().enumerate() {
            let value = -variable.sign * self.gradient[k];
            match movable(variable, self.alpha[k]) {
                (true, true) => {
                    sum += value;
                    free += 1;
                }
                (true, false) => low = low.max(value),
                (false, true) => high = high.min(value),
                (false, false) => {}
            }
        }
        match (free, low.is_finite(), high.is_finite()) {
            (1.., _, _) => sum / free as f64,
            (0, true, true) => 0.5 * (low + high),
            (0, true, false) => low,
            (0, false, true) => high,
            (0, false, false) => 0.0,
        }
    }
}

/// Whether y α can still grow, and whether it can still fall.
fn movable(variable: &Variable, alpha: f64) -> (bool, bool) {
    let (above, below) = (alpha > 0.0, alpha < variable.upper);
    if variable.sign > 0.0 { (below, above) } else { (above, below) }
}

/// The variable with the largest -y G among those whose y α can grow, and that value.
fn most_violating(variables: &[Variable], alpha: &[f64], gradient: &[f64]) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for (k, variable) in variables.iter().enumerate() {
        let value = -variable.sign * gradient[k];
        if movable(variable, alpha[k]).0 && best.is_none_or(|(_, most)| value > most) {
            best = Some((k, value));
        }
    }
    best
}

/// The variable with which the objective falls most; `None` when no pair violates the conditions by `tolerance`.
fn partner(
    variables: &[Variable],
    alpha: &[f64],
    gradient: &[f64],
    (i, most): (usize, f64),
    row: &[f32],
    diagonal: &[f64],
    tolerance: f64,
) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    let mut least = f64::INFINITY;
    for (k, variable) in variables.iter().enumerate() {
        if !movable(variable, alpha[k]).1 {
            continue;
        }
        let value = -variable.sign * gradient[k];
        least = least.min(value);
        let slope = most - value;
        if slope > 0.0 {
            let curvature =
                (diagonal[i] + diagonal[k] - 2.0 * f64::from(row[variable.row])).max(LEAST_CURVATURE);
            let gain = slope * slope / curvature;
            if best.is_none_or(|(_, most)| gain > most) {
                best = Some((k, gain));
            }
        }
    }
    best.filter(|_| most - least > tolerance).map(|(k, _)| k)
}
