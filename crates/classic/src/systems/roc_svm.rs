//! Roc-SVM: reliable negatives by Rocchio, then support vector machines in turn.
//!
//! X. Li and B. Liu, "Learning to classify texts using positive and unlabeled data", IJCAI 2003.
//!
//! 1. Rocchio's prototypes of P and U, with weights 16 and 4. Unlabeled rows nearer to U's prototype are the reliable
//!    negatives, RN.
//! 2. A linear machine on P against RN, both kinds with the same weight in sum. What it calls negative among the
//!    remaining unlabeled rows joins RN; again, until nothing does.
//! 3. If the last machine calls more than 8 % of P negative, the iteration diverged and the first one is kept.
//!
//! A reconstruction: the 8 % are recalled, and the paper leaves the cost at its program's default. A public implementation
//! takes 0.1; here 0.1, 1 and 10 are tried on held-out rows.

use super::System;
use super::info::{COST, LINEAR_TIME, SystemInfo};
use crate::choice::{ENOUGH, choose};
use crate::{
    ClassicError, ClassicModel, Examples, LinearModel, LinearSvm, OptionInfo, OptionValues, Problem, Rocchio,
    ScoreForm, Takes,
};
use onesided_data::Stream;

const NAME: &str = "roc-svm";

/// Settings.
#[derive(Clone, Debug, PartialEq)]
pub struct RocSvm {
    /// The prototypes.
    pub rocchio: Rocchio,
    /// The cost of an example, before both kinds are brought to the same weight: the candidates.
    pub costs: Vec<f64>,
    /// The share of positives that the last machine may reject.
    pub rejected: f64,
    /// Machines at most.
    pub rounds: usize,
}

impl Default for RocSvm {
    fn default() -> Self {
        Self { rocchio: Rocchio::default(), costs: vec![0.1, 1.0, 10.0], rejected: 0.08, rounds: 50 }
    }
}

/// What there is to know of it.
pub(crate) static INFO: SystemInfo = SystemInfo {
    name: NAME,
    summary: "Rocchio finds reliable negatives, support vector machines find the others in turn",
    citation: "Li and Liu, IJCAI 2003",
    assumes: "positives and negatives point in different directions (texts)",
    scales: LINEAR_TIME,
    needs_prior: false,
    needs_counts: false,
    as_is: false,
    gives_probability: false,
    explains: true,
    no_negatives: Some("it finds its own reliable negatives by Rocchio"),
    no_weights: Some("it counts every row once"),
    reconstruction: Some("the 8 % of rejected positives are recalled; the cost is chosen"),
    options: &OPTIONS,
    build: |values| Ok(Box::new(RocSvm::from_options(values))),
};

static OPTIONS: [OptionInfo; 3] = [
    OptionInfo::new("cost", COST, Takes::Numbers, "0.1,1,10"),
    OptionInfo::new(
        "rejected",
        "the share of positives that the last machine may reject",
        Takes::Share,
        "0.08",
    ),
    OptionInfo::new("rounds", "machines at most", Takes::Count, "50"),
];

impl RocSvm {
    fn from_options(values: &OptionValues) -> Self {
        let Self { rocchio, costs, rejected, rounds } = Self::default();
        Self {
            rocchio,
            costs: values.numbers("cost").unwrap_or(costs),
            rejected: values.number("rejected").unwrap_or(rejected),
            rounds: values.count("rounds").unwrap_or(rounds),
        }
    }
}

impl System for RocSvm {
    fn name(&self) -> &'static str {
        NAME
    }

    fn learn(&self, problem: &Problem) -> Result<ClassicModel, ClassicError> {
        let cost = choose(NAME, problem, &self.costs, ENOUGH, |&cost, problem, times| {
            self.fit_one(problem, times * cost)
        })?;
        Ok(self.fit_one(problem, cost)?.with("cost", cost))
    }
}

impl RocSvm {
    fn fit_one(&self, problem: &Problem, cost: f64) -> Result<ClassicModel, ClassicError> {
        let (positive, unlabeled) = (problem.weights(1.0, 0.0), problem.weights(0.0, 1.0));
        let scores =
            self.rocchio.fit(Examples::new(problem.rows, &positive, &unlabeled)?).scores(problem.rows);
        let mut negative: Vec<bool> =
            (0..scores.len()).map(|i| !problem.is_positive(i) && scores[i] < 0.0).collect();
        let reliable = negative.iter().filter(|&&negative| negative).count();
        if reliable == 0 {
            let why = "positives and unlabeled rows point the same way";
            let unlabeled = problem.counts().unlabeled;
            return Err(ClassicError::NoReliableNegatives { method: NAME, unlabeled, why });
        }
        let first = self.machine(problem, &negative, cost)?;
        let mut last = first.clone();
        let mut rounds = 1;
        while rounds < self.rounds {
            let scores = last.scores(problem.rows);
            let mut joined = false;
            for (i, negative) in negative.iter_mut().enumerate() {
                if !*negative && !problem.is_positive(i) && scores[i] < 0.0 {
                    (*negative, joined) = (true, true);
                }
            }
            if !joined {
                break;
            }
            last = self.machine(problem, &negative, cost)?;
            rounds += 1;
        }
        let scores = last.scores(problem.rows);
        let rejected =
            (0..scores.len()).filter(|&i| problem.is_positive(i) && scores[i] < 0.0).count() as f64;
        let astray = rejected > self.rejected * problem.counts().positive as f64;
        let model = ClassicModel::new(NAME, ScoreForm::Linear(if astray { first } else { last }));
        let model = model.with("reliable negatives", reliable as f64);
        Ok(model.with("rounds", if astray { 1.0 } else { rounds as f64 }))
    }

    fn machine(&self, problem: &Problem, negative: &[bool], cost: f64) -> Result<LinearModel, ClassicError> {
        let n_p = problem.counts().positive as f64;
        let n_n = negative.iter().filter(|&&negative| negative).count() as f64;
        // As "balanced" class weights: n / (2 n_class).
        let half = 0.5 * cost * (n_p + n_n);
        let positive = problem.weights(half / n_p, 0.0);
        let weight = |&negative: &bool| if negative { half / n_n } else { 0.0 };
        let negative: Vec<f64> = negative.iter().map(weight).collect();
        let examples = Examples::new(problem.rows, &positive, &negative)?;
        Ok(LinearSvm::quick(problem.rows).fit(examples, &mut Stream::new(problem.seed, "roc-svm")).model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, simulated};
    use onesided_data::{Label, Matrix};

    #[test]
    fn negatives_found_in_turn_separate_the_classes() {
        let data = simulated(1500, 6, 0.3);
        let model = RocSvm::default().fit(&Simulated::problem(&data.rows, &data.labels, None)).unwrap();
        assert!(data.accuracy(&model) > 0.95, "{}: {:?}", data.accuracy(&model), model.chosen);
        assert!(model.chosen[0].1 > 400.0 && model.chosen[1].1 >= 1.0, "{:?}", model.chosen);
    }

    #[test]
    fn one_direction_has_no_negatives() {
        let rows = Matrix::new(6, 1, vec![1.0, 2.0, 1.0, 3.0, 2.0, 1.0]).unwrap();
        let labels: Vec<Label> =
            (0..6).map(|i| if i < 3 { Label::Positive } else { Label::Unlabeled }).collect();
        let error = RocSvm { costs: vec![1.0], ..RocSvm::default() }
            .fit(&Simulated::problem(&rows, &labels, None))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "roc-svm found no reliable negatives among 3 unlabeled rows: positives and unlabeled rows point the same way"
        );
    }

    #[test]
    fn options_are_its_settings() {
        let given = [("cost", "2"), ("rejected", "0.2"), ("rounds", "9")];
        let RocSvm { costs, rejected, rounds, .. } =
            RocSvm::from_options(&OptionValues::of(&OPTIONS, &given));
        assert_eq!((costs, rejected, rounds), (vec![2.0], 0.2, 9));
        assert_eq!(RocSvm::from_options(&OptionValues::stated_defaults(&OPTIONS)), RocSvm::default());
    }
}
