//! KLDCE: LDCE with a kernel.
//!
//! C. Gong, H. Shi, T. Liu, C. Zhang, J. Yang and D. Tao, "Loss decomposition and centroid estimation for positive and
//! unlabeled learning", TPAMI 43(3), 2021. The objective of [`Ldce`] in the space of a kernel, φ(x) in
//! place of x:
//!
//! ```text
//! min_{f, b}  1/n Σ_P [1 - f]₊ + 1/2n Σ_U ([1 - f]₊ + [1 + f]₊) - n_u/2n (2μ mean_P f - mean_U f) + λ‖f‖²
//! ```
//!
//! In its dual an unlabeled row has two variables, one a sign, with the box [0, 1/2n] each, and one equality constraint
//! stands for the intercept; divided by 2λ, the same solver takes it that trains [`KernelSvm`](crate::KernelSvm). The
//! start that meets the constraint, Σ y α = (1 - 2μ) n_u / 4nλ, gives every unlabeled row the same α.
//!
//! A reconstruction: the paper also lets the centroid move within an ellipsoid, through an expansion of the RBF kernel
//! at 0; here it stays at its estimate, 2μ mean_P φ - mean_U φ. λ is chosen by the 0-1 risk on some hundred held-out
//! rows of at most some thousand. Every row carries a coefficient, so the model holds all of them. For more rows than a kernel matrix can serve,
//! [`Kldce::random_features`] runs [`Ldce`] on random features of the same kernel.

use super::System;
use super::info::{AT_RANDOM, Growth, SystemInfo};
use super::ldce::Ldce;
use super::space::{behind, random_features};
use crate::choice::{ENOUGH_FOR_KERNELS, choose};
use crate::kernel::{KernelRows, Smo, Variable};
use crate::{
    ClassicError, ClassicModel, Kernel, KernelModel, MOST_ROWS, OptionInfo, OptionValues, Problem, ScoreForm,
    Takes, scale_gamma,
};
use onesided_data::Counts;

const NAME: &str = "kldce";

/// Settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Kldce {
    /// γ of exp(-γ ‖x - y‖²); [`scale_gamma`] where it is not given.
    pub gamma: Option<f64>,
    /// λ, the candidates.
    pub ridges: Vec<f64>,
    /// Memory for rows of the kernel matrix, in bytes.
    pub cache_bytes: usize,
    /// As many random features in place of the kernel matrix.
    pub random_features: Option<usize>,
}

impl Default for Kldce {
    fn default() -> Self {
        let ridges = [-15, -12, -9, -6].map(|k| 2f64.powi(k)).to_vec();
        Self { gamma: None, ridges, cache_bytes: 1 << 30, random_features: None }
    }
}

/// What there is to know of it.
pub(crate) static INFO: SystemInfo = SystemInfo {
    name: NAME,
    summary: "ldce with a kernel, or with random features for large sets",
    citation: "Gong, Shi, Liu, Zhang, Yang and Tao, TPAMI 2021",
    assumes: AT_RANDOM,
    scales: Growth {
        time: "quadratic",
        more: ", up to 50,000 rows, all of them in the model; random features: linear",
    },
    needs_prior: true,
    needs_counts: false,
    as_is: false,
    gives_probability: false,
    explains: false,
    no_negatives: Some("its centroid is that of the unlabeled rows alone"),
    no_weights: Some("its centroid counts every row once"),
    reconstruction: Some("the centroid stays at its estimate; the paper lets it move"),
    options: &OPTIONS,
    build: |values| Ok(Box::new(Kldce::from_options(values))),
};

static OPTIONS: [OptionInfo; 3] = [
    OptionInfo::new("ridge", "λ, the weight of |f|²", Takes::Numbers, "2^-15 to 2^-6"),
    OptionInfo::new("gamma", "γ of the RBF kernel", Takes::Number, "1 / (columns · variance)"),
    OptionInfo::new(
        "random-features",
        "as many random features instead of the kernel matrix",
        Takes::Count,
        "none",
    ),
];

impl System for Kldce {
    fn name(&self) -> &'static str {
        NAME
    }

    fn learn(&self, problem: &Problem) -> Result<ClassicModel, ClassicError> {
        problem.needed_prior(NAME)?;
        if let Some(features) = self.random_features {
            let (map, rows) = random_features(problem, self.gamma, features)?;
            let ldce = Ldce { ridges: self.ridges.clone(), radii: vec![0.0], ..Ldce::default() };
            let model = ldce.fit(&Problem { rows: &rows, ..*problem })?;
            return Ok(ClassicModel { system: NAME.to_string(), scorer: behind(map, model.scorer), ..model });
        }
        let (rows, remedy) = (problem.rows.rows(), Some("random-features=500"));
        if rows > MOST_ROWS {
            return Err(ClassicError::TooManyRows { method: NAME, rows, limit: MOST_ROWS, remedy });
        }
        if let Some(&value) = self.ridges.iter().find(|ridge| !(**ridge > 0.0 && ridge.is_finite())) {
            return Err(ClassicError::Setting { name: "KLDCE's ridge", range: "a number above 0", value });
        }
        let gamma = self.gamma.unwrap_or_else(|| scale_gamma(problem.rows));
        let kernel = Kernel::Rbf { gamma }.check()?;
        // A larger λ on fewer rows leaves each row the same box.
        let fit = |&ridge: &f64, problem: &Problem, times: f64| self.fit_one(problem, kernel, times * ridge);
        let ridge = choose(NAME, problem, &self.ridges, ENOUGH_FOR_KERNELS, fit)?;
        Ok(fit(&ridge, problem, 1.0)?.with("gamma", gamma).with("ridge", ridge))
    }
}

impl Kldce {
    fn from_options(values: &OptionValues) -> Self {
        let Self { gamma, ridges, cache_bytes, random_features } = Self::default();
        Self {
            gamma: values.number("gamma").or(gamma),
            ridges: values.numbers("ridge").unwrap_or(ridges),
            cache_bytes,
            random_features: values.count("random-features").or(random_features),
        }
    }

    fn fit_one(&self, problem: &Problem, kernel: Kernel, ridge: f64) -> Result<ClassicModel, ClassicError> {
        let mu = problem.needed_prior(NAME)?;
        let rows = problem.rows;
        let Counts { positive, unlabeled, .. } = problem.counts();
        let (n, n_p, n_u) = ((positive + unlabeled) as f64, positive as f64, unlabeled as f64);
        let unit = 1.0 / (2.0 * ridge);
        let pull = unit * n_u / (2.0 * n);
        // f₀ = pull (2μ mean_P φ - mean_U φ), a coefficient a row.
        let mut coefficients = problem.weights(pull * 2.0 * mu / n_p, -pull / n_u);
        // Each unlabeled row: a variable as positive and one as negative; those of one sign start within their box.
        let (mut variables, mut alpha) = (Vec::new(), Vec::new());
        let start = 1.0 - 2.0 * mu;
        for (row, coefficient) in coefficients.iter_mut().enumerate() {
            let (signs, upper): (&[f64], f64) =
                if problem.is_positive(row) { (&[1.0], unit / n) } else { (&[1.0, -1.0], 0.5 * unit / n) };
            for &sign in signs {
                variables.push(Variable { row, sign, upper, linear: -1.0 });
                let starts = !problem.is_positive(row) && sign * start > 0.0;
                alpha.push(if starts { start.abs() * upper } else { 0.0 });
                *coefficient += sign * alpha[alpha.len() - 1];
            }
        }
        let mut cache = KernelRows::new(rows, kernel, self.cache_bytes);
        let mut f = vec![0.0; rows.rows()];
        for (row, &coefficient) in coefficients.iter().enumerate() {
            let values = cache.row(row);
            f.iter_mut().zip(values).for_each(|(f, &k)| *f += coefficient * f64::from(k));
        }
        let gradient = variables.iter().map(|v| v.sign * f[v.row] - 1.0).collect();
        let before = alpha.clone();
        let mut smo = Smo::from_start(variables, cache, alpha, gradient);
        smo.run(1e-3, 10_000_000);
        for ((variable, after), before) in smo.variables().iter().zip(&smo.alpha).zip(before) {
            coefficients[variable.row] += variable.sign * (after - before);
        }
        let model = KernelModel::from_coefficients(rows, kernel, coefficients, smo.bias())?;
        Ok(ClassicModel::new(NAME, ScoreForm::Kernel(model)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rows;
    use crate::simulated::Simulated;
    use onesided_data::{Label, Matrix, Stream};

    /// Positives in a disk, negatives around it; half of the positives labeled, 40 % of U positive.
    fn island(n: usize) -> Simulated {
        let mut stream = Stream::new(9, "island");
        let hidden = (0.4 * n as f64 / 1.4) as usize;
        let truth: Vec<bool> = (0..n).map(|i| i < 2 * hidden).collect();
        let labels: Vec<Label> =
            (0..n).map(|i| if i < hidden { Label::Positive } else { Label::Unlabeled }).collect();
        let point = |&inside: &bool| {
            let radius = if inside { stream.uniform() } else { 1.2 + stream.uniform() };
            let angle = std::f64::consts::TAU * stream.uniform();
            [(radius * angle.cos()) as f32, (radius * angle.sin()) as f32]
        };
        let values = truth.iter().flat_map(point).collect();
        Simulated { rows: Matrix::new(n, 2, values).unwrap(), labels, truth }
    }

    #[test]
    fn a_disk_is_found_with_the_kernel_and_with_random_features() {
        let data = island(1400);
        let problem = Simulated::problem(&data.rows, &data.labels, Some(0.4));
        for random_features in [None, Some(300)] {
            let system = Kldce { gamma: Some(1.0), random_features, ..Kldce::default() };
            let model = system.fit(&problem).unwrap();
            assert!(data.accuracy(&model) > 0.96, "{}: {:?}", data.accuracy(&model), model.chosen);
            assert_eq!(model.system, "kldce");
        }
    }

    #[test]
    fn the_dual_reaches_the_primal_minimum() {
        // With a linear kernel the problem is LDCE's, but for the intercept's ridge; compare by the objective, which
        // includes no ridge for b: moving w or b from the solution must not lower it.
        let data = island(210);
        let problem = Simulated::problem(&data.rows, &data.labels, Some(0.4));
        let ridge = 0.05;
        let model = Kldce::default().fit_one(&problem, Kernel::Linear, ridge).unwrap();
        let ScoreForm::Kernel(kernel) = &model.scorer else { panic!("a kernel model") };
        let mut w = [0.0; 2];
        for (s, &c) in kernel.coefficients.iter().enumerate() {
            Rows::add_to(&kernel.support, s, c, &mut w);
        }
        let Counts { positive, unlabeled, .. } = problem.counts();
        let (n_p, n_u) = (positive as f64, unlabeled as f64);
        let objective = |w: [f64; 2], b: f64| {
            let n = n_p + n_u;
            let terms = (0..210).map(|i| {
                let f = Rows::dot(&data.rows, i, &w) + b;
                let (up, down) = ((1.0 - f).max(0.0), (1.0 + f).max(0.0));
                if problem.is_positive(i) {
                    up / n - n_u / (2.0 * n) * 0.8 * f / n_p
                } else {
                    (up + down) / (2.0 * n) + f / (2.0 * n)
                }
            });
            terms.sum::<f64>() + ridge * (w[0] * w[0] + w[1] * w[1])
        };
        let best = objective(w, kernel.bias);
        for (d0, d1, db) in
            [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0), (1.0, -1.0, 0.5)]
        {
            for step in [-0.3, -0.03, 0.03, 0.3] {
                let moved = objective([w[0] + step * d0, w[1] + step * d1], kernel.bias + step * db);
                assert!(moved > best - 1e-3 * best.abs(), "{moved} below {best}");
            }
        }
    }

    #[test]
    fn too_many_rows_are_refused() {
        let n = MOST_ROWS + 1;
        let rows = Matrix::new(n, 1, vec![1.0; n]).unwrap();
        let labels: Vec<Label> =
            (0..n).map(|i| if i < 9 { Label::Positive } else { Label::Unlabeled }).collect();
        let error = Kldce::default().fit(&Simulated::problem(&rows, &labels, Some(0.4))).unwrap_err();
        assert!(error.to_string().starts_with("kldce with a kernel takes at most 50000 rows"), "{error}");
        let hint = error.hint().unwrap();
        assert_eq!((hint.setting, hint.value.as_deref()), ("option", Some("random-features=500")));
    }

    #[test]
    fn options_are_its_settings() {
        let given = [("ridge", "0.5,0.25"), ("gamma", "2"), ("random-features", "9")];
        let Kldce { gamma, ridges, random_features, .. } =
            Kldce::from_options(&OptionValues::of(&OPTIONS, &given));
        assert_eq!((gamma, ridges, random_features), (Some(2.0), vec![0.5, 0.25], Some(9)));
        assert_eq!(Kldce::from_options(&OptionValues::stated_defaults(&OPTIONS)), Kldce::default());
        // As its option says.
        let ridges = Kldce::default().ridges;
        assert_eq!((ridges[0], ridges[ridges.len() - 1]), (2f64.powi(-15), 2f64.powi(-6)));
    }
}
