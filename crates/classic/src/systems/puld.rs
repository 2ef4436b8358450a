//! PULD: learning with label disambiguation.
//!
//! C. Zhang, D. Ren, T. Liu, J. Yang and C. Gong, "Positive and unlabeled learning with label disambiguation", IJCAI
//! 2019. Every unlabeled row is ambiguous, and the margin between its likelier label and the other one is enlarged:
//!
//! ```text
//! min_w  ½‖w‖² + C Σ_P [1 - f]₊ + C Σ_U [1 - |f|]₊        with a share μ of U on the positive side
//! ```
//!
//! A reconstruction: no code is known and the objective is recalled, not read. [1 - |f|]₊ is not convex. As the
//! concave-convex procedure has it (A. Yuille and A. Rangarajan, 2003), every unlabeled row is given the label of the
//! present model (the best-scored share μ of U is positive, which keeps the balance), the machine is trained on these,
//! and both are repeated until no label changes. The cost of unlabeled rows grows from a tenth to its full size, so
//! that early labels, which are often wrong, do not harden. C is chosen by the 0-1 risk on held-out rows.

use super::System;
use super::info::{AT_RANDOM, COST, LINEAR_TIME, SystemInfo};
use crate::choice::{ENOUGH, choose};
use crate::{
    ClassicError, ClassicModel, Examples, LinearModel, LinearSvm, OptionInfo, OptionValues, Problem,
    ScoreForm, Takes,
};
use onesided_data::{Counts, Stream};

const NAME: &str = "puld";

/// Shares of the cost that unlabeled rows have, one after the other.
const GROWTH: [f64; 3] = [0.1, 0.3, 1.0];
/// Repetitions at most for each share.
const REPEATS: usize = 8;

/// Settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Puld {
    /// C, the candidates.
    pub costs: Vec<f64>,
}

impl Default for Puld {
    fn default() -> Self {
        Self { costs: vec![0.001, 0.01, 0.1, 1.0] }
    }
}

/// What there is to know of it.
pub(crate) static INFO: SystemInfo = SystemInfo {
    name: NAME,
    summary: "margin between the likelier and the other label of each unlabeled row, with the prior's share positive",
    citation: "Zhang, Ren, Liu, Yang and Gong, IJCAI 2019",
    assumes: AT_RANDOM,
    scales: LINEAR_TIME,
    needs_prior: true,
    needs_counts: false,
    as_is: false,
    gives_probability: false,
    explains: true,
    no_negatives: Some("its margins are those of positives and unlabeled rows alone"),
    no_weights: Some("its balance of the unlabeled rows counts every row once"),
    reconstruction: Some("no code is known and the objective is recalled, not read"),
    options: &OPTIONS,
    build: |values| Ok(Box::new(Puld::from_options(values))),
};

static OPTIONS: [OptionInfo; 1] = [OptionInfo::new("cost", COST, Takes::Numbers, "0.001,0.01,0.1,1")];

impl Puld {
    fn from_options(values: &OptionValues) -> Self {
        Self { costs: values.numbers("cost").unwrap_or(Self::default().costs) }
    }
}

impl System for Puld {
    fn name(&self) -> &'static str {
        NAME
    }

    fn learn(&self, problem: &Problem) -> Result<ClassicModel, ClassicError> {
        problem.needed_prior(NAME)?;
        let cost =
            choose(NAME, problem, &self.costs, ENOUGH, |&cost, problem, times| fit(problem, times * cost))?;
        Ok(fit(problem, cost)?.with("cost", cost))
    }
}

fn fit(problem: &Problem, cost: f64) -> Result<ClassicModel, ClassicError> {
    let mu = problem.needed_prior(NAME)?;
    let Counts { positive, unlabeled, .. } = problem.counts();
    let svm = LinearSvm::quick(problem.rows);
    let mut stream = Stream::new(problem.seed, NAME);
    // To start with, positives against all unlabeled rows, both kinds with the same weight in sum.
    let (n_p, n_u) = (positive as f64, unlabeled as f64);
    let half = 0.5 * cost * (n_p + n_u);
    let (up, down) = (problem.weights(half / n_p, 0.0), problem.weights(0.0, half / n_u));
    let mut model = svm.fit(Examples::new(problem.rows, &up, &down)?, &mut stream).model;
    let mut labels = Vec::new();
    for share in GROWTH {
        for _ in 0..REPEATS {
            let next = likelier(problem, &model, mu);
            if next == labels {
                break;
            }
            labels = next;
            let weight = |i: usize, class: bool| match (problem.is_positive(i), labels[i] == class) {
                (true, true) => cost,
                (false, true) => share * cost,
                (_, false) => 0.0,
            };
            let [up, down] =
                [true, false].map(|class| (0..labels.len()).map(|i| weight(i, class)).collect::<Vec<_>>());
            model = svm.fit(Examples::new(problem.rows, &up, &down)?, &mut stream).model;
        }
        // The same labels under another cost are another problem.
        if share < 1.0 {
            labels.clear();
        }
    }
    Ok(ClassicModel::new(NAME, ScoreForm::Linear(model)))
}

/// Positives are positive; of the unlabeled rows, the share `mu` with the highest scores, but for one row at least on
/// either side.
fn likelier(problem: &Problem, model: &LinearModel, mu: f64) -> Vec<bool> {
    let scores = model.scores(problem.rows);
    let (positive, mut unlabeled) = problem.parts();
    unlabeled.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    let most = unlabeled.len().saturating_sub(1).max(1);
    let count = ((mu * unlabeled.len() as f64).round() as usize).clamp(1.min(most), most);
    let mut labels = vec![false; scores.len()];
    positive.iter().chain(&unlabeled[..count]).for_each(|&i| labels[i] = true);
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, simulated};

    #[test]
    fn labels_settle_at_the_prior_and_the_boundary_is_right() {
        let data = simulated(3000, 4, 0.3);
        let problem = Simulated::problem(&data.rows, &data.labels, Some(0.3));
        let model = Puld::default().fit(&problem).unwrap();
        assert!(data.accuracy(&model) > 0.95, "{}: {:?}", data.accuracy(&model), model.chosen);
        let labels = likelier(&problem, model.linear().unwrap(), 0.3);
        let hidden = (0..3000).filter(|&i| !problem.is_positive(i) && labels[i]).count();
        assert_eq!(hidden, (0.3 * problem.counts().unlabeled as f64).round() as usize);
        assert!((0..3000).filter(|&i| problem.is_positive(i)).all(|i| labels[i]));
    }

    #[test]
    fn it_needs_a_prior() {
        let data = simulated(100, 1, 0.3);
        let error = Puld::default().fit(&Simulated::problem(&data.rows, &data.labels, None)).unwrap_err();
        assert_eq!(error, ClassicError::NoPrior { method: "puld" });
    }

    #[test]
    fn options_are_its_settings() {
        let given = OptionValues::of(&OPTIONS, &[("cost", "2")]);
        assert_eq!(Puld::from_options(&given), Puld { costs: vec![2.0] });
        assert_eq!(Puld::from_options(&OptionValues::stated_defaults(&OPTIONS)), Puld::default());
    }
}
