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
//! [`Form::Scaled`] uses this as it is. [`Form::Weighted`] trains once more with every unlabeled row twice, as a
//! positive with weight w(x) = P(y = 1 | x, unlabeled) and as a negative with weight 1 - w(x).
//!
//! g is a logistic regression whose ridge is chosen by its log loss on held-out rows, since g must be a probability and
//! not only a ranking: which rows are labeled is known, so this needs no negatives. c is the mean of g over labeled rows
//! that g was not trained on: five parts take turns, where the paper holds out one; one is enough if it has 500 labeled
//! rows and no weights are asked for. A prior that is known beats it: c = n_p / (n_p + μ n_u).

use super::System;
use super::info::{COST, LINEAR_TIME, SystemInfo};
use crate::choice::ENOUGH;
use crate::threads::in_blocks;
use crate::{
    ClassicError, ClassicModel, Examples, LinearModel, Link, Logistic, OptionInfo, OptionValues, Problem,
    ScoreForm, Selected, Takes,
};
use onesided_data::{Counts, Scenario, stratified_folds};
use onesided_loss::{sigmoid, softplus};

const NAME: &str = "elkan-noto";
const WEIGHTED_NAME: &str = "elkan-noto-weighted";

/// Parts that take turns in being left out.
const FOLDS: usize = 5;

/// A part with this many positives need not take turns: the mean of g over them is within about 0.01 of that over all.
const ENOUGH_HELD_OUT: usize = 500;

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

/// What there is to know of [`Form::Scaled`].
pub(crate) static INFO: SystemInfo = SystemInfo {
    name: NAME,
    summary: "probability of being labeled, divided by that of a positive",
    citation: "Elkan and Noto, KDD 2008",
    assumes: "labeled positives are a random subset, and a logistic curve fits the probability of being labeled",
    scales: LINEAR_TIME,
    needs_prior: false,
    needs_counts: false,
    as_is: false,
    gives_probability: true,
    explains: true,
    no_negatives: Some("its formula for the probability knows labeled and unlabeled rows alone"),
    no_weights: Some("its label frequency counts every row once"),
    reconstruction: None,
    options: &OPTIONS,
    build: |values| Ok(Box::new(ElkanNoto::from_options(Form::Scaled, values))),
};

/// What there is to know of [`Form::Weighted`].
pub(crate) static WEIGHTED_INFO: SystemInfo = SystemInfo {
    name: WEIGHTED_NAME,
    summary: "each unlabeled row as a positive and as a negative, weighted by how likely either is",
    build: |values| Ok(Box::new(ElkanNoto::from_options(Form::Weighted, values))),
    ..INFO
};

static OPTIONS: [OptionInfo; 1] = [OptionInfo::new("cost", COST, Takes::Numbers, "0.01,0.1,1,10,100")];

impl System for ElkanNoto {
    fn name(&self) -> &'static str {
        match self.form {
            Form::Scaled => NAME,
            Form::Weighted => WEIGHTED_NAME,
        }
    }

    fn learn(&self, problem: &Problem) -> Result<ClassicModel, ClassicError> {
        let cost = self.choose_cost(problem)?;
        let Counts { positive, unlabeled, .. } = problem.counts();
        let turns = match (self.form, problem.prior) {
            (Form::Scaled, Some(_)) => 0,
            (Form::Scaled, None) if positive / FOLDS >= ENOUGH_HELD_OUT => 1,
            _ => FOLDS,
        };
        let (logits, near) = self.out_of_fold(problem, cost, turns)?;
        let (n_p, n_u) = (positive as f64, unlabeled as f64);
        let c = match problem.prior {
            Some(mu) => n_p / (n_p + mu.get() * n_u),
            None => {
                let labeled = logits.iter().filter(|(i, _)| problem.is_positive(*i));
                let (sum, held) =
                    labeled.fold((0.0, 0.0), |(sum, held), (_, logit)| (sum + sigmoid(*logit), held + 1.0));
                sum / held
            }
        };
        let factor = (1.0 - c) / c;
        let model = |scorer| {
            let model = ClassicModel::new(self.name(), ScoreForm::Linear(scorer));
            let model = ClassicModel { label_frequency: Some(c), ..model };
            model.with("cost", cost).with("label frequency", c)
        };
        match self.form {
            Form::Scaled => {
                let fitted = labeled_against_rest(problem, cost, Logistic::quick(), near)?;
                // The threshold is where the probability is one half.
                let (link, threshold) = match problem.scenario {
                    Scenario::SingleSample => (Link::LabelFrequency { c }, (c / (2.0 - c)).ln()),
                    Scenario::CaseControl => (Link::Odds { factor }, (0.5 / factor).ln()),
                };
                Ok(ClassicModel { link: Some(link), threshold, ..model(fitted) })
            }
            Form::Weighted => {
                // All parts took their turn, so every row has a logit.
                let share = |i: usize| (factor * logits[i].1.exp()).min(1.0);
                let clipped =
                    (0..logits.len()).filter(|&i| !problem.is_positive(i) && share(i) == 1.0).count();
                // In one sample the labeled rows are part of the population; drawn separately, they only teach what positives
                // are like, and the unlabeled rows already are the population.
                let labeled = if problem.scenario == Scenario::SingleSample { 1.0 } else { 0.0 };
                let weight = |i| if problem.is_positive(i) { labeled } else { share(i) };
                let positive: Vec<f64> = (0..logits.len()).map(|i| cost * weight(i)).collect();
                let negative = (0..logits.len())
                    .map(|i| if problem.is_positive(i) { 0.0 } else { cost * (1.0 - share(i)) });
                let negative: Vec<f64> = negative.collect();
                let fitted = Logistic::quick().fit(Examples::new(problem.rows, &positive, &negative)?).model;
                let clipped = clipped as f64 / n_u;
                Ok(ClassicModel { link: Some(Link::Sigmoid), ..model(fitted) }
                    .with("weights clipped at 1", clipped))
            }
        }
    }
}

/// Rows with the logit of g from a model that did not see them, and one of these models.
type Unseen = (Vec<(usize, f64)>, Option<LinearModel>);

/// g; sooner there from a model that is `near`.
fn labeled_against_rest(
    problem: &Problem,
    cost: f64,
    solver: Logistic,
    near: Option<LinearModel>,
) -> Result<LinearModel, ClassicError> {
    let (positive, negative) = (problem.weights(cost, 0.0), problem.weights(0.0, cost));
    let examples = Examples::new(problem.rows, &positive, &negative)?;
    let fitted = match near {
        Some(near) => solver.fit_from(examples, near),
        None => solver.fit(examples),
    };
    Ok(fitted.model)
}

impl ElkanNoto {
    fn from_options(form: Form, values: &OptionValues) -> Self {
        Self { form, costs: values.numbers("cost").unwrap_or(Self::default().costs) }
    }

    /// The cost with the smallest log loss on a fifth of the rows.
    fn choose_cost(&self, problem: &Problem) -> Result<f64, ClassicError> {
        let method = self.name();
        let first = *self.costs.first().ok_or(ClassicError::NoCandidates { method })?;
        if self.costs.len() == 1 {
            return Ok(first);
        }
        let parts = problem.held_out(method, ENOUGH)?;
        let times = problem.labels.len() as f64 / (parts.kept.labels.len() + parts.held.labels.len()) as f64;
        let rows = parts.kept.rows(problem);
        let training = parts.kept.problem(&rows, problem);
        let losses = in_blocks(self.costs.len(), self.costs.len(), |range| {
            let model =
                labeled_against_rest(&training, times * self.costs[range.start], Logistic::quick(), None)?;
            let logits = model.scores(&parts.held.rows(problem));
            let loss =
                |(&i, logit): (&usize, f64)| softplus(if problem.is_positive(i) { -logit } else { logit });
            Ok(parts.held.indices.iter().zip(logits).map(loss).sum::<f64>())
        });
        let losses = losses.into_iter().collect::<Result<Vec<f64>, ClassicError>>()?;
        let best = (0..losses.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap_or(0);
        Ok(self.costs[best])
    }

    /// Rows in their order with the logit of g, from a model that was not trained on them: those of the first `turns` parts.
    /// And one of these models, where there are any.
    fn out_of_fold(&self, problem: &Problem, cost: f64, turns: usize) -> Result<Unseen, ClassicError> {
        if turns == 0 {
            return Ok((Vec::new(), None));
        }
        let folds = stratified_folds(problem.labels, FOLDS, problem.seed).map_err(|_| {
            let Counts { positive, unlabeled, .. } = problem.counts();
            let (what, found) =
                if positive < unlabeled { ("positives", positive) } else { ("unlabeled rows", unlabeled) };
            let remedy = "five parts take turns in being left out";
            ClassicError::TooFew { method: self.name(), what, least: FOLDS, found, remedy }
        })?;
        // For the mean of g a thousandth of the objective is enough; weights of rows are worth more.
        let solver = match self.form {
            Form::Scaled => Logistic { tolerance: 1e-3, ..Logistic::default() },
            Form::Weighted => Logistic::quick(),
        };
        let parts = in_blocks(turns, turns, |range| {
            let (kept, held) = &folds[range.start];
            let (rows, labels): (_, Vec<_>) =
                (Selected::new(problem.rows, kept), kept.iter().map(|&i| problem.labels[i]).collect());
            let model = labeled_against_rest(
                &Problem { rows: &rows, labels: &labels, weights: None, ..*problem },
                cost,
                solver,
                None,
            )?;
            Ok::<_, ClassicError>((model.scores(&Selected::new(problem.rows, held)), model))
        });
        let (mut logits, mut near) = (Vec::new(), None);
        for ((_, held), part) in folds.iter().zip(parts) {
            let (scores, model) = part?;
            logits.extend(held.iter().copied().zip(scores));
            near = Some(model);
        }
        logits.sort_by_key(|&(row, _)| row);
        Ok((logits, near))
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
                let problem = Simulated::problem(&data.rows, &data.labels, prior);
                let model = ElkanNoto { form, ..ElkanNoto::default() }.fit(&problem).unwrap();
                let c = model.label_frequency.unwrap();
                assert!(model.chosen.contains(&("label frequency".to_string(), c)));
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
            let problem = Simulated::problem(&data.rows, &data.labels, None);
            let problem = Problem { scenario: Scenario::CaseControl, ..problem };
            let model = ElkanNoto { form, ..ElkanNoto::default() }.fit(&problem).unwrap();
            let q = model.probabilities(&data.rows).unwrap().unwrap();
            let unlabeled: Vec<f64> =
                (0..q.len()).filter(|&i| !problem.is_positive(i)).map(|i| q[i]).collect();
            let mean = unlabeled.iter().sum::<f64>() / unlabeled.len() as f64;
            assert!((mean - 0.4).abs() < 0.05, "{form:?}: {mean}");
        }
    }

    #[test]
    fn one_part_of_many_positives_says_what_five_say() {
        // Enough that a fifth of the labeled positives is 500 or more.
        let data = simulated(12_000, 4, 0.4);
        let problem = Simulated::problem(&data.rows, &data.labels, None);
        assert!(problem.counts().positive / FOLDS >= ENOUGH_HELD_OUT);
        let system = ElkanNoto { costs: vec![1.0], ..ElkanNoto::default() };
        let mean = |turns: usize| {
            let (logits, _) = system.out_of_fold(&problem, 1.0, turns).unwrap();
            let positive: Vec<f64> =
                logits.iter().filter(|(i, _)| problem.is_positive(*i)).map(|(_, z)| sigmoid(*z)).collect();
            positive.iter().sum::<f64>() / positive.len() as f64
        };
        assert!((mean(1) - mean(FOLDS)).abs() < 0.015, "{} {}", mean(1), mean(FOLDS));
        assert_eq!(system.fit(&problem).unwrap().label_frequency, Some(mean(1)));
        assert_eq!(system.out_of_fold(&problem, 1.0, 0).unwrap(), (vec![], None));
    }

    #[test]
    fn four_positives_are_too_few() {
        let data = simulated(20, 1, 0.25);
        let problem = Simulated::problem(&data.rows, &data.labels, None);
        let error = ElkanNoto::default().fit(&problem).unwrap_err().to_string();
        assert_eq!(
            error,
            "elkan-noto needs at least 5 positives, but there are 4; five parts take turns in being left out"
        );
    }

    #[test]
    fn options_are_its_settings() {
        let given = OptionValues::of(&OPTIONS, &[("cost", "2")]);
        let (form, costs) = (Form::Weighted, vec![2.0]);
        assert_eq!(ElkanNoto::from_options(form, &given), ElkanNoto { form, costs });
        let stated = OptionValues::stated_defaults(&OPTIONS);
        assert_eq!(ElkanNoto::from_options(Form::Scaled, &stated), ElkanNoto::default());
    }
}
