//! Weighted logistic regression.
//!
//! W. S. Lee and B. Liu, "Learning with positive and unlabeled examples using weighted logistic regression", ICML 2003.
//! Unlabeled rows count as negatives, and the two kinds of rows weigh the same in sum:
//!
//! ```text
//! min_{w, b}  ½‖w‖² + C [ n_u/(n_p + n_u) Σ_P softplus(-f) + n_p/(n_p + n_u) Σ_U softplus(f) ]
//! ```
//!
//! Known negatives count among the unlabeled rows as often as their weights say.
//!
//! C is chosen on held-out rows by the score r² / Pr\[f > 0\] of the paper, or by the 0-1 risk where the prior is known.
//! f > 0 means p_p(x) > p_u(x), that is P(y = 1 | x) > μ: right for the balanced error, not for accuracy, and σ(f) is
//! not the probability of being positive. So no probability is given.

use super::System;
use super::info::{AT_RANDOM, COST, LINEAR_TIME, SystemInfo};
use crate::choice::{ENOUGH, choose};
use crate::{
    ClassicError, ClassicModel, Examples, Logistic, OptionInfo, OptionValues, Problem, ScoreForm, Takes,
};

const NAME: &str = "weighted-lr";

/// Settings.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedLr {
    /// C, the candidates; the first of equals is taken.
    pub costs: Vec<f64>,
}

impl Default for WeightedLr {
    fn default() -> Self {
        Self { costs: vec![0.1, 1.0, 10.0, 100.0] }
    }
}

/// What there is to know of it.
pub(crate) static INFO: SystemInfo = SystemInfo {
    name: NAME,
    summary: "logistic regression of positives against unlabeled rows, both kinds with equal weight",
    citation: "Lee and Liu, ICML 2003",
    assumes: AT_RANDOM,
    scales: LINEAR_TIME,
    needs_prior: false,
    needs_counts: false,
    as_is: false,
    gives_probability: false,
    explains: true,
    no_negatives: None,
    no_weights: None,
    reconstruction: None,
    options: &OPTIONS,
    build: |values| Ok(Box::new(WeightedLr::from_options(values))),
};

static OPTIONS: [OptionInfo; 1] = [OptionInfo::new("cost", COST, Takes::Numbers, "0.1,1,10,100")];

impl WeightedLr {
    fn from_options(values: &OptionValues) -> Self {
        Self { costs: values.numbers("cost").unwrap_or(Self::default().costs) }
    }
}

impl System for WeightedLr {
    fn name(&self) -> &'static str {
        NAME
    }

    fn learn(&self, problem: &Problem) -> Result<ClassicModel, ClassicError> {
        let cost =
            choose(NAME, problem, &self.costs, ENOUGH, |&cost, problem, times| fit(problem, times * cost))?;
        Ok(fit(problem, cost)?.with("cost", cost))
    }
}

fn fit(problem: &Problem, cost: f64) -> Result<ClassicModel, ClassicError> {
    let share = problem.amounts().labeled_share();
    let positive = problem.weights(cost * (1.0 - share), 0.0);
    let negative = problem.weights(0.0, cost * share);
    let fitted = Logistic::quick().fit(Examples::new(problem.rows, &positive, &negative)?);
    Ok(ClassicModel::new(NAME, ScoreForm::Linear(fitted.model)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, simulated};
    use onesided_loss::sigmoid;

    #[test]
    fn both_kinds_of_rows_weigh_the_same() {
        // Where the derivative in the intercept vanishes, mean_P σ(-f) = mean_U σ(f).
        let data = simulated(4000, 2, 0.3);
        let problem = Simulated::problem(&data.rows, &data.labels, None);
        let model = WeightedLr::default().fit(&problem).unwrap();
        let scores = model.scores(&data.rows).unwrap();
        let mean = |positive: bool, sign: f64| {
            let rows = (0..scores.len()).filter(|&i| problem.is_positive(i) == positive);
            rows.clone().map(|i| sigmoid(sign * scores[i])).sum::<f64>() / rows.count() as f64
        };
        let (p, u) = (mean(true, -1.0), mean(false, 1.0));
        assert!((p - u).abs() < 1e-3, "{p} and {u}");
        assert_eq!((model.threshold, model.link), (0.0, None));
        assert!(data.accuracy(&model) > 0.85, "{}", data.accuracy(&model));
    }

    #[test]
    fn no_candidates_is_a_sentence() {
        let Simulated { rows, labels, .. } = simulated(50, 1, 0.3);
        let error = WeightedLr { costs: vec![] }.fit(&Simulated::problem(&rows, &labels, None)).unwrap_err();
        assert_eq!(error.to_string(), "weighted-lr has no settings to choose from; name at least one");
    }

    #[test]
    fn options_are_its_settings() {
        let given = OptionValues::of(&OPTIONS, &[("cost", "2,3")]);
        assert_eq!(WeightedLr::from_options(&given), WeightedLr { costs: vec![2.0, 3.0] });
        assert_eq!(WeightedLr::from_options(&OptionValues::stated_defaults(&OPTIONS)), WeightedLr::default());
    }
}
