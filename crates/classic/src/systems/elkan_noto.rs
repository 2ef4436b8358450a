//! Elkan and Noto's two ways.
//!
//! C. Elkan and K. Noto, "Learning classifiers from only positive and unlabeled data", KDD 2008. Let g(x) be the
//! probability that a row is labeled, and c = P(labeled | y = 1), the same for all positives. Then
//!
//! ```text
//! P(y = 1 | x) = g(x) / c                                 in one sample, of which the labeled rows are part
//! P(y = 1 | x, unlabeled) = (1 - c)/c · g(x)/(1 - g(x))   among unlabeled rows, and where they are the population
//! ```
//!
//! [`Form::Scaled`] uses this as it stands. [`Form::Weighted`] trains once more with every unlabeled row twice, as a
//! positive with weight w(x) = P(y = 1 | x, unlabeled) and as a negative with weight 1 - w(x).
//!
//! g is a logistic regression whose ridge is chosen by its log loss on held-out rows, since g must be a probability and
//! not only a ranking: which rows are labeled is known, so this needs no negatives. c is the mean of g over labeled rows
//! that g was not trained on: five parts take turns, where the paper holds out one. A prior that is known beats it:
//! c = n_p / (n_p + μ n_u).

use super::System;
use crate::choice::ENOUGH;
use crate::rows::in_blocks;
use crate::{ClassicError, ClassicModel, Examples, LinearModel, Link, Logistic, Scorer, Selected, Task};
use onesided_data::{Counts, Scenario, stratified_folds};
use onesided_loss::{sigmoid, softplus};

/// Parts that take turns in being left out.
const FOLDS: usize = 5;

/// Which of the two ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The probability of being labeled, scaled.
    #[default]
    Scaled,
    /// A second model on weighted rows.
    Weighted,
}

/// Settings.
#[derive(Clone, Debug, PartialEq)]
pub struct ElkanNoto {
    /// Which way.
    pub form: Form,
    /// Costs C of ½‖w‖² + C Σ log loss, the candidates.
    pub costs: Vec<f64>,
}

impl Default for ElkanNoto {
    fn default() -> Self {
        Self { form: Form::Scaled, costs: vec![0.01, 0.1, 1.0, 10.0, 100.0] }
    }
}

impl System for ElkanNoto {
    fn name(&self) -> &'static str {
        match self.form {
            Form::Scaled => "elkan-noto",
            Form::Weighted => "elkan-noto-weighted",
        }
    }

    fn fit(&self, task: &Task) -> Result<ClassicModel, ClassicError> {
        task.check()?;
        let cost = self.choose_cost(task)?;
        let logits = self.out_of_fold(task, cost)?;
        let Counts { positive, unlabeled } = task.counts();
        let (n_p, n_u) = (positive as f64, unlabeled as f64);
        let c = match task.prior {
            Some(mu) => n_p / (n_p + mu.get() * n_u),
            None => {
                let labeled = (0..logits.len()).filter(|&i| task.is_positive(i));
                labeled.map(|i| sigmoid(logits[i])).sum::<f64>() / n_p
            }
        };
        let factor = (1.0 - c) / c;
        let model = |scorer| {
            ClassicModel::new(self.name(), Scorer::Linear(scorer))
                .with("cost", cost)
                .with("label frequency", c)
        };
        match self.form {
            Form::Scaled => {
                let fitted = labeled_against_rest(task, cost)?;
                // The threshold is where the probability is one half.
                let (link, threshold) = match task.scenario {
                    Scenario::SingleSample => (Link::LabelFrequency { c }, (c / (2.0 - c)).ln()),
                    Scenario::CaseControl => (Link::Odds { factor }, (0.5 / factor).ln()),
                };
                Ok(ClassicModel { link: Some(link), threshold, ..model(fitted) })
            }
            Form::Weighted => {
                let share = |i: usize| (factor * logits[i].exp()).min(1.0);
                let clipped = (0..logits.len()).filter(|&i| !task.is_positive(i) && share(i) == 1.0).count();
                // In one sample the labeled rows are part of the population; drawn apart, they only teach what positives
                // are like, and the unlabeled rows already are the population.
                let labeled = if task.scenario == Scenario::SingleSample { 1.0 } else { 0.0 };
                let weight = |i| if task.is_positive(i) { labeled } else { share(i) };
                let positive: Vec<f64> = (0..logits.len()).map(|i| cost * weight(i)).collect();
                let negative = (0..logits.len())
                    .map(|i| if task.is_positive(i) { 0.0 } else { cost * (1.0 - share(i)) });
                let negative: Vec<f64> = negative.collect();
                let fitted = Logistic::quick().fit(Examples::new(task.rows, &positive, &negative)?).model;
                let clipped = clipped as f64 / n_u;
                Ok(ClassicModel { link: Some(Link::Sigmoid), ..model(fitted) }
                    .with("weights clipped at 1", clipped))
            }
        }
    }
}

fn labeled_against_rest(task: &Task, cost: f64) -> Result<LinearModel, ClassicError> {
    let (positive, negative) = (task.weights(cost, 0.0), task.weights(0.0, cost));
    Ok(Logistic::quick().fit(Examples::new(task.rows, &positive, &negative)?).model)
}

impl ElkanNoto {
    /// The cost with the smallest log loss on a fifth of the rows.
    fn choose_cost(&self, task: &Task) -> Result<f64, ClassicError> {
        let method = self.name();
        let first = *self.costs.first().ok_or(ClassicError::NoCandidates { method })?;
        if self.costs.len() == 1 {
            return Ok(first);
        }
        let parts = task.held_out(method, ENOUGH)?;
        let times = task.labels.len() as f64 / (parts.kept.labels.len() + parts.held.labels.len()) as f64;
        let rows = parts.kept.rows(task);
        let training = parts.kept.task(&rows, task);
        let losses = in_blocks(self.costs.len(), self.costs.len(), |range| {
            let model = labeled_against_rest(&training, times * self.costs[range.start])?;
            let logits = model.scores(&parts.held.rows(task));
            let loss =
                |(&i, logit): (&usize, f64)| softplus(if task.is_positive(i) { -logit } else { logit });
            Ok(parts.held.indices.iter().zip(logits).map(loss).sum::<f64>())
        });
        let losses = losses.into_iter().collect::<Result<Vec<f64>, ClassicError>>()?;
        let best = (0..losses.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap_or(0);
        Ok(self.costs[best])
    }

    /// The logit of g for every row, from a model that was not trained on it.
    fn out_of_fold(&self, task: &Task, cost: f64) -> Result<Vec<f64>, ClassicError> {
        let folds = stratified_folds(task.labels, FOLDS, task.seed).map_err(|_| {
            let Counts { positive, unlabeled } = task.counts();
            let (what, found) =
                if positive < unlabeled { ("positives", positive) } else { ("unlabeled rows", unlabeled) };
            let remedy = "five parts take turns in being left out";
            ClassicError::TooFew { method: self.name(), what, least: FOLDS, found, remedy }
        })?;
        let parts = in_blocks(FOLDS, FOLDS, |range| {
            let (kept, held) = &folds[range.start];
            let (rows, labels): (_, Vec<_>) =
                (Selected::new(task.rows, kept), kept.iter().map(|&i| task.labels[i]).collect());
            let model = labeled_against_rest(&Task { rows: &rows, labels: &labels, ..*task }, cost)?;
            Ok(model.scores(&Selected::new(task.rows, held)))
        });
        let mut logits = vec![0.0; task.labels.len()];
        for ((_, held), scores) in folds.iter().zip(parts) {
            held.iter().zip(scores?).for_each(|(&i, score)| logits[i] = score);
        }
        Ok(logits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::{Simulated, simulated};

    #[test]
    fn both_forms_find_c_and_the_posterior() {
        // As many labeled as hidden positives: c = 1/2. g levels off there, which a logistic curve cannot; the estimate
        // comes out a little low.
        let data = simulated(6000, 4, 0.4);
        for form in [Form::Scaled, Form::Weighted] {
            for prior in [None, Some(0.4)] {
                let task = Simulated::task(&data.rows, &data.labels, prior);
                let model = ElkanNoto { form, ..ElkanNoto::default() }.fit(&task).unwrap();
                let (_, c) = model.chosen.iter().find(|(name, _)| name == "label frequency").unwrap();
                assert!((c - 0.5).abs() < 0.06, "{c}");
                assert!(data.accuracy(&model) > 0.94, "{form:?}: {}", data.accuracy(&model));
                let probabilities = model.probabilities(&data.rows).unwrap().unwrap();
                let mean = probabilities.iter().sum::<f64>() / probabilities.len() as f64;
                let truth = data.truth.iter().filter(|&&t| t).count() as f64 / data.truth.len() as f64;
                assert!((mean - truth).abs() < 0.06, "{form:?}: {mean} for {truth}");
                let scores = model.scores(&data.rows).unwrap();
                assert!(scores.iter().zip(&probabilities).all(|(f, q)| (*f > model.threshold) == (*q > 0.5)));
            }
        }
    }

    #[test]
    fn drawn_apart_the_unlabeled_rows_are_the_population() {
        let data = simulated(6000, 4, 0.4);
        for form in [Form::Scaled, Form::Weighted] {
            let task = Simulated::task(&data.rows, &data.labels, None);
            let task = Task { scenario: Scenario::CaseControl, ..task };
            let model = ElkanNoto { form, ..ElkanNoto::default() }.fit(&task).unwrap();
            let q = model.probabilities(&data.rows).unwrap().unwrap();
            let unlabeled: Vec<f64> = (0..q.len()).filter(|&i| !task.is_positive(i)).map(|i| q[i]).collect();
            let mean = unlabeled.iter().sum::<f64>() / unlabeled.len() as f64;
            assert!((mean - 0.4).abs() < 0.05, "{form:?}: {mean}");
        }
    }

    #[test]
    fn four_positives_are_too_few() {
        let data = simulated(20, 1, 0.25);
        let task = Simulated::task(&data.rows, &data.labels, None);
        let error = ElkanNoto::default().fit(&task).unwrap_err().to_string();
        assert_eq!(
            error,
            "elkan-noto needs at least 5 positives, but there are 4; five parts take turns in being left out"
        );
    }
}
