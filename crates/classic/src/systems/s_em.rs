//! S-EM: spies, naive Bayes, EM.
//!
//! B. Liu, W. S. Lee, P. S. Yu and X. Li, "Partially supervised classification of text documents", ICML 2002.
//!
//! 1. A share of the positives, the spies, is put among the unlabeled rows.
//! 2. Naive Bayes with EM: the other positives are positive, the unlabeled rows with the spies start as negative.
//! 3. The threshold t is where a share of the spies scores lower. Unlabeled rows below t are reliable negatives.
//! 4. The spies go back. Naive Bayes on positives against reliable negatives, then EM over all unlabeled rows.
//! 5. Of the rounds of EM, the last one before the error would rise. P(error) = P(f = 1) - P(y = 1) + 2 P(f = 0, y = 1),
//!    so a round changes it by the change of P(f = 1) plus twice P(y = 1) times the change of P(f = 0 | y = 1), which the
//!    labeled positives show. P(y = 1) is that of the unlabeled rows: the prior, or the share the model calls positive.
//!
//! A reconstruction: steps 1 to 4 follow the paper and a public implementation; the spies' share of 15 % and the noise
//! level of 15 % are recalled; step 5's P(y = 1) is our reading. Values must not be negative; word counts suit best, as
//! naive Bayes is a model of counts.

use super::System;
use super::info::{LINEAR_TIME, SystemInfo};
use crate::{
    Class, ClassicError, ClassicModel, Examples, LinearModel, Link, NaiveBayes, OptionInfo, OptionValues,
    Problem, ScoreForm, Takes,
};
use onesided_data::Stream;
use onesided_loss::sigmoid;

const NAME: &str = "s-em";

/// With fewer spies, the threshold is a matter of luck.
const LEAST_SPIES: usize = 20;

/// Settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SEm {
    /// The share of positives that become spies.
    pub spies: f64,
    /// The share of spies allowed below the threshold.
    pub noise: f64,
    /// Rounds of EM at most, each time.
    pub rounds: usize,
    /// Naive Bayes.
    pub naive_bayes: NaiveBayes,
}

impl Default for SEm {
    fn default() -> Self {
        Self { spies: 0.15, noise: 0.15, rounds: 20, naive_bayes: NaiveBayes::default() }
    }
}

/// What there is to know of it.
pub(crate) static INFO: SystemInfo = SystemInfo {
    name: NAME,
    summary: "naive Bayes and EM from negatives that spies among the unlabeled rows point out",
    citation: "Liu, Lee, Yu and Li, ICML 2002",
    assumes: "words are independent given the class; at least 134 positives (20 spies), held-out ones not counted",
    scales: LINEAR_TIME,
    needs_prior: false,
    needs_counts: true,
    as_is: true,
    gives_probability: true,
    explains: true,
    no_negatives: Some("it finds its own reliable negatives by spies"),
    no_weights: Some("spies and expectations count every row once"),
    reconstruction: Some("the shares of spies and noise are recalled; the rule that stops EM is our reading"),
    options: &OPTIONS,
    build: |values| Ok(Box::new(SEm::from_options(values))),
};

static OPTIONS: [OptionInfo; 4] = [
    OptionInfo::new("spies", "the share of positives put among the unlabeled rows", Takes::Share, "0.15"),
    OptionInfo::new(
        "noise",
        "the share of spies allowed below the threshold of reliable negatives",
        Takes::Share,
        "0.15",
    ),
    OptionInfo::new("rounds", "rounds of EM at most", Takes::Count, "20"),
    OptionInfo::new("smoothing", "added to every count of naive Bayes", Takes::Number, "1"),
];

impl SEm {
    fn from_options(values: &OptionValues) -> Self {
        let Self { spies, noise, rounds, mut naive_bayes } = Self::default();
        naive_bayes.smoothing = values.number("smoothing").unwrap_or(naive_bayes.smoothing);
        Self {
            spies: values.number("spies").unwrap_or(spies),
            noise: values.number("noise").unwrap_or(noise),
            rounds: values.count("rounds").unwrap_or(rounds),
            naive_bayes,
        }
    }
}

impl System for SEm {
    fn name(&self) -> &'static str {
        NAME
    }

    fn learn(&self, problem: &Problem) -> Result<ClassicModel, ClassicError> {
        for (name, value) in [("the spies' share", self.spies), ("the spies' noise level", self.noise)] {
            if !(value > 0.0 && value < 1.0) {
                return Err(ClassicError::Setting { name, range: "a number between 0 and 1", value });
            }
        }
        let reliable = self.reliable_negatives(problem)?;
        let found = reliable.iter().filter(|&&reliable| reliable).count();
        let weight = |yes: bool| f64::from(u8::from(yes));
        let positive = problem.weights(1.0, 0.0);
        let negative: Vec<f64> = reliable.iter().map(|&reliable| weight(reliable)).collect();
        let mut model = self.naive_bayes.fit(Examples::new(problem.rows, &positive, &negative)?)?;
        let mut called = CalledPositive::new(problem, &model);
        let mut rounds = 0;
        while rounds < self.rounds {
            let scores = model.scores(problem.rows);
            let class = |i: usize| {
                if problem.is_positive(i) { Class::Positive } else { Class::Free(sigmoid(scores[i])) }
            };
            let classes: Vec<Class> = (0..scores.len()).map(class).collect();
            let next = self.naive_bayes.em(problem.rows, &classes, 0.0, 1)?.model;
            let after = CalledPositive::new(problem, &next);
            if after.error_change(&called, problem) > 0.0 || next == model {
                break;
            }
            (model, called) = (next, after);
            rounds += 1;
        }
        let model = ClassicModel::new(NAME, ScoreForm::Linear(model));
        let model = model.with("reliable negatives", found as f64).with("rounds", rounds as f64);
        Ok(ClassicModel { link: Some(Link::Sigmoid), ..model })
    }
}

impl SEm {
    /// Steps 1 to 3: whether each row is a reliable negative.
    fn reliable_negatives(&self, problem: &Problem) -> Result<Vec<bool>, ClassicError> {
        let (mut positive, unlabeled) = problem.parts();
        let spies = (self.spies * positive.len() as f64).round() as usize;
        if spies < LEAST_SPIES || spies == positive.len() {
            return Err(ClassicError::TooFewSpies {
                spies,
                positives: positive.len(),
                share: self.spies,
                least: LEAST_SPIES,
                needed: (LEAST_SPIES as f64 / self.spies).ceil() as usize,
            });
        }
        Stream::new(problem.seed, "spies").shuffle(&mut positive);
        let spies = &positive[..spies];
        let mut classes = vec![Class::Free(0.0); problem.labels.len()];
        positive.iter().for_each(|&i| classes[i] = Class::Positive);
        spies.iter().for_each(|&i| classes[i] = Class::Free(0.0));
        let fitted = self.naive_bayes.em(problem.rows, &classes, 1e-6, self.rounds)?;
        // Scores rank like probabilities and do not saturate.
        let scores = fitted.model.scores(problem.rows);
        let mut of_spies: Vec<f64> = spies.iter().map(|&i| scores[i]).collect();
        of_spies.sort_by(f64::total_cmp);
        let threshold = of_spies[(self.noise * of_spies.len() as f64) as usize];
        let mut reliable = vec![false; problem.labels.len()];
        unlabeled.iter().for_each(|&i| reliable[i] = scores[i] < threshold);
        if !reliable.contains(&true) {
            let why = "none scores below the threshold that the spies set, which a higher noise level raises";
            return Err(ClassicError::NoReliableNegatives { method: NAME, unlabeled: unlabeled.len(), why });
        }
        Ok(reliable)
    }
}

/// What a model calls positive: shares of the unlabeled rows and of the labeled positives.
struct CalledPositive {
    of_unlabeled: f64,
    of_positives: f64,
}

impl CalledPositive {
    fn new(problem: &Problem, model: &LinearModel) -> Self {
        let scores = model.scores(problem.rows);
        let share = |positive: bool| {
            let rows = (0..scores.len()).filter(|&i| problem.is_positive(i) == positive);
            rows.clone().filter(|&i| scores[i] > 0.0).count() as f64 / rows.count() as f64
        };
        Self { of_unlabeled: share(false), of_positives: share(true) }
    }

    /// By how much the error grew since `before`, as far as it can be seen.
    fn error_change(&self, before: &Self, problem: &Problem) -> f64 {
        let prior = problem.prior.map_or(before.of_unlabeled, |prior| prior.get());
        (self.of_unlabeled - before.of_unlabeled) + 2.0 * prior * (before.of_positives - self.of_positives)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::Simulated;
    use onesided_data::{Label, Matrix};

    /// Texts of 30 words: positives use words 0 to 11, negatives words 8 to 19. 300 labeled, 900 unlabeled, a third of
    /// them positive.
    fn texts() -> Simulated {
        let mut stream = Stream::new(8, "texts");
        let truth: Vec<bool> = (0..1200).map(|i| !(300..900).contains(&i)).collect();
        let mut values = vec![0.0; 1200 * 20];
        for (i, &positive) in truth.iter().enumerate() {
            for _ in 0..30 {
                values[i * 20 + stream.below(12) + if positive { 0 } else { 8 }] += 1.0;
            }
        }
        let labels = (0..1200).map(|i| if i < 900 { Label::Unlabeled } else { Label::Positive }).collect();
        Simulated { rows: Matrix::new(1200, 20, values).unwrap(), labels, truth }
    }

    #[test]
    fn spies_and_em_separate_the_texts() {
        let data = texts();
        let model = SEm::default().fit(&Simulated::problem(&data.rows, &data.labels, None)).unwrap();
        assert!(data.accuracy(&model) > 0.99, "{}", data.accuracy(&model));
        let (_, reliable) = &model.chosen[0];
        assert!((300.0..=640.0).contains(reliable), "{reliable} of 600 negatives");
        assert_eq!(model.link, Some(Link::Sigmoid));
    }

    #[test]
    fn few_spies_and_negative_values_are_refused() {
        let data = texts();
        let few: Vec<usize> = (0..1000).collect();
        let rows = data.rows.select(&few);
        let error = SEm::default()
            .fit(&Simulated::problem(&rows, &data.labels[..1000], None))
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "s-em would have 15 spies (0.15 of 100 positives) and needs at least 20, which takes 134 positives at that \
             share"
        );
        let mut rows = data.rows.clone();
        rows.as_mut_slice()[3] = -1.0;
        let error =
            SEm::default().fit(&Simulated::problem(&rows, &data.labels, None)).unwrap_err().to_string();
        assert!(
            error.starts_with("row 0, column 3: -1 is negative, and naive Bayes takes counts"),
            "{error}"
        );
        let settings = SEm { noise: 1.0, ..SEm::default() };
        assert!(settings.fit(&Simulated::problem(&data.rows, &data.labels, None)).is_err());
    }

    #[test]
    fn options_are_its_settings() {
        let given = [("spies", "0.5"), ("noise", "0.2"), ("rounds", "9"), ("smoothing", "2")];
        let SEm { spies, noise, rounds, naive_bayes } =
            SEm::from_options(&OptionValues::of(&OPTIONS, &given));
        assert_eq!((spies, noise, rounds, naive_bayes.smoothing), (0.5, 0.2, 9, 2.0));
        assert_eq!(SEm::from_options(&OptionValues::stated_defaults(&OPTIONS)), SEm::default());
    }
}
