//! PU bagging.
//!
//! F. Mordelet and J.-P. Vert, "A bagging SVM to learn from positive and unlabeled examples", Pattern Recognition Letters
//! 37, 2014. T times, K unlabeled rows are drawn with replacement and a machine is trained on the positives against them,
//! both kinds with the same weight in sum; f is the mean of the T machines. A few hidden positives in a sample do little
//! harm, and which ones they are changes from machine to machine.
//!
//! For linear machines the mean is one machine with the mean of their weights. The gain over a single machine is small where machines
//! hardly differ. The cost of an example is chosen on held-out rows, with bags of two machines.

use super::System;
use super::info::{COST, LINEAR_TIME, SystemInfo};
use crate::choice::{ENOUGH, choose};
use crate::threads::in_blocks;
use crate::{
    ClassicError, ClassicModel, Examples, LinearModel, LinearSvm, OptionInfo, OptionValues, Problem,
    ScoreForm, Selected, Takes,
};
use onesided_data::{Label, Stream};

const NAME: &str = "bagging";

/// Settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Bagging {
    /// T.
    pub machines: usize,
    /// K; as many as there are positives where it is not given.
    pub sample: Option<usize>,
    /// The cost of a positive, the candidates; the rows of a sample have the same in sum as the positives.
    pub costs: Vec<f64>,
}

impl Default for Bagging {
    fn default() -> Self {
        Self { machines: 30, sample: None, costs: vec![0.01, 0.1, 1.0] }
    }
}

/// What there is to know of it.
pub(crate) static INFO: SystemInfo = SystemInfo {
    name: NAME,
    summary: "mean of many machines, each on the positives and a sample of the unlabeled rows",
    citation: "Mordelet and Vert, Pattern Recognition Letters 2014",
    assumes: "the unlabeled rows hold few positives; gains only where machines differ",
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
    build: |values| Ok(Box::new(Bagging::from_options(values))),
};

static OPTIONS: [OptionInfo; 3] = [
    OptionInfo::new("machines", "how many machines are averaged", Takes::Count, "30"),
    OptionInfo::new(
        "sample",
        "unlabeled rows that each machine sees",
        Takes::Count,
        "as many as there are positives",
    ),
    OptionInfo::new("cost", COST, Takes::Numbers, "0.01,0.1,1"),
];

impl System for Bagging {
    fn name(&self) -> &'static str {
        NAME
    }

    fn learn(&self, problem: &Problem) -> Result<ClassicModel, ClassicError> {
        for (name, value) in
            [("the number of machines", self.machines), ("the sample", self.sample.unwrap_or(1))]
        {
            if value == 0 {
                return Err(ClassicError::Setting { name, range: "at least 1", value: 0.0 });
            }
        }
        let cost = choose(NAME, problem, &self.costs, ENOUGH, |&cost, problem, times| {
            self.bag(problem, times * cost, self.machines.min(2))
        })?;
        let model = self.bag(problem, cost, self.machines)?;
        Ok(model.with("machines", self.machines as f64).with("cost", cost))
    }
}

impl Bagging {
    fn from_options(values: &OptionValues) -> Self {
        let Self { machines, sample, costs } = Self::default();
        Self {
            machines: values.count("machines").unwrap_or(machines),
            sample: values.count("sample").or(sample),
            costs: values.numbers("cost").unwrap_or(costs),
        }
    }

    fn bag(&self, problem: &Problem, cost: f64, machines: usize) -> Result<ClassicModel, ClassicError> {
        let (positive, others) = problem.parts();
        let (negative, unlabeled): (Vec<usize>, Vec<usize>) =
            others.into_iter().partition(|&i| problem.labels[i] == Label::Negative);
        // Negatives weigh as much against a sample as they would against all unlabeled rows.
        let all: f64 = unlabeled.iter().map(|&i| problem.weight(i)).sum();
        let sample = self.sample.unwrap_or(positive.len());
        let machines = in_blocks(machines, machines, |range| {
            let mut stream = Stream::new(problem.seed, &format!("bag {}", range.start));
            let mut rows = positive.clone();
            rows.extend((0..sample).map(|_| unlabeled[stream.below(unlabeled.len())]));
            let own = |rows: &[usize]| rows.iter().map(|&i| problem.weight(i)).sum::<f64>();
            let (of_positives, of_sample) = (own(&positive), own(&rows[positive.len()..]));
            rows.extend_from_slice(&negative);
            let weights = |on_positives: f64, on_sample: f64| -> Vec<f64> {
                let of = |(at, &i): (usize, &usize)| match at {
                    at if at < positive.len() => on_positives * problem.weight(i),
                    at if at < positive.len() + sample => on_sample * problem.weight(i),
                    _ => on_sample * problem.weight(i) * of_sample / all,
                };
                rows.iter().enumerate().map(of).collect()
            };
            let up = weights(cost, 0.0);
            let down = weights(0.0, cost * of_positives / of_sample);
            let drawn = Selected::new(problem.rows, &rows);
            let svm = LinearSvm::quick(&drawn);
            Ok(svm.fit(Examples::new(&drawn, &up, &down)?, &mut stream).model)
        });
        let machines = machines.into_iter().collect::<Result<Vec<_>, ClassicError>>()?;
        let share = 1.0 / machines.len() as f64;
        let mut mean = LinearModel { weights: vec![0.0; problem.rows.cols()], bias: 0.0 };
        for machine in &machines {
            mean.weights.iter_mut().zip(&machine.weights).for_each(|(sum, w)| *sum += share * w);
            mean.bias += share * machine.bias;
        }
        Ok(ClassicModel::new(NAME, ScoreForm::Linear(mean)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, simulated};

    #[test]
    fn the_bag_is_the_mean_of_its_machines_and_ranks_well() {
        let data = simulated(1200, 3, 0.3);
        let problem = Simulated::problem(&data.rows, &data.labels, None);
        let bag = Bagging::default().fit(&problem).unwrap();
        let scores = bag.scores(&data.rows).unwrap();
        // The area under the curve of hidden positives against negatives, by counting pairs.
        let area = |scores: &[f64]| {
            let of = |class: bool| -> Vec<f64> {
                let hidden = (0..scores.len()).filter(|&i| !problem.is_positive(i) && data.truth[i] == class);
                hidden.map(|i| scores[i]).collect()
            };
            let (up, down) = (of(true), of(false));
            let right: usize = up.iter().map(|p| down.iter().filter(|n| p > *n).count()).sum();
            right as f64 / (up.len() * down.len()) as f64
        };
        // Φ(√6) = 0.993 at best.
        assert!(area(&scores) > 0.985);
    }

    #[test]
    fn no_machines_is_a_sentence() {
        let data = simulated(50, 1, 0.3);
        let problem = Simulated::problem(&data.rows, &data.labels, None);
        let error = Bagging { machines: 0, ..Bagging::default() }.fit(&problem).unwrap_err().to_string();
        assert_eq!(error, "the number of machines must be at least 1, but is 0");
    }

    #[test]
    fn options_are_its_settings() {
        let given = OptionValues::of(&OPTIONS, &[("machines", "9"), ("sample", "40"), ("cost", "2")]);
        let expected = Bagging { machines: 9, sample: Some(40), costs: vec![2.0] };
        assert_eq!(Bagging::from_options(&given), expected);
        assert_eq!(Bagging::from_options(&OptionValues::stated_defaults(&OPTIONS)), Bagging::default());
    }
}
