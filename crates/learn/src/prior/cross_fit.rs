//! Scores of positives against unlabeled rows, each by a model that never saw the row.
//!
//! The rows of a fold are scored by a scorer trained on the others; a sixth of those is kept from training too and decides
//! when it stops (trees: how many; networks: which epoch; logistic regression: which ridge).
//!
//! **Between folds.** Each fold's scores come from its own model, and cuts through the ranking are made over all of
//! them, so they must mean the same. Each model's logits are therefore calibrated on the sixth that stopped it: slope and
//! offset of a logistic regression of "labeled" on the logit (Platt, 1999), with a weak pull of both toward the logits as
//! they are. A calibrated logit is an estimate of ln[n_p p_p(x) / (n_u p_u(x))], whichever fold it comes from.

use super::platt::platt;
use super::scorer::scorers;
use crate::folds::{FOLDS, FoldPlan};
use crate::jobs::train_folds;
use crate::prior_report::PriorScorer;
use crate::{Error, Observer, RunNumber, Task, Views};
use onesided_data::Label;

/// How scores are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossFitting {
    /// What tells positives from unlabeled rows.
    pub scorer: PriorScorer,
    /// Parts that rows are scored in, at least 2.
    pub folds: usize,
}

impl Default for CrossFitting {
    fn default() -> Self {
        Self { scorer: PriorScorer::Auto, folds: FOLDS }
    }
}

/// Cross-fitted logits of "labeled" against "unlabeled".
#[derive(Clone, Debug, PartialEq)]
pub struct CrossFitted {
    /// One per row, in the order of the rows.
    pub logits: Vec<f64>,
    /// Those of the positives, in the order of the rows.
    pub positive: Vec<f64>,
    /// Those of the unlabeled rows, in the order of the rows.
    pub unlabeled: Vec<f64>,
    /// What they come from; never [`PriorScorer::Auto`].
    pub scorer: PriorScorer,
}

impl CrossFitted {
    /// Logits of all rows, by kind.
    pub(super) fn new(logits: Vec<f64>, labels: &[Label], scorer: PriorScorer) -> Self {
        let of = |wanted: Label| -> Vec<f64> {
            logits.iter().zip(labels).filter(|(_, label)| **label == wanted).map(|(z, _)| *z).collect()
        };
        Self { positive: of(Label::Positive), unlabeled: of(Label::Unlabeled), scorer, logits }
    }
}

impl CrossFitting {
    /// Scores every row of a task. The observer is told of folds that are done; an answer other than to continue makes this an
    /// [`Error::Interrupted`].
    pub fn run(&self, task: &Task, views: &Views, observer: Observer) -> Result<CrossFitted, Error> {
        task.data.check_finite()?;
        let task = task.of_labels();
        let folds = FoldPlan::prior(self.folds).deal(&task)?;
        let scorer = self.scorer.for_data(task.data);
        let scorers = scorers(scorer, task.machine.device)?;
        let mut logits = vec![0.0; task.data.len()];
        for one in &scorers {
            one.check(&task)?;
            let trainer = one.open(&task, views)?;
            let candidate = &one.candidates()[0];
            let run = RunNumber { name: &candidate.name, number: 0, all: folds.len(), resumed_from: None };
            let fits = train_folds(trainer.as_ref(), candidate, &folds, &task, run, observer)?;
            for (fit, fold) in fits.iter().zip(&folds) {
                let wide =
                    |scores: &[f32]| scores.iter().map(|&score| f64::from(score)).collect::<Vec<f64>>();
                let labels: Vec<bool> =
                    (0..fold.stopping.len()).map(|at| at < fold.stopping.positive.len()).collect();
                let (slope, offset) = platt(&wide(&fit.stopping), &labels);
                for (&row, score) in fold.scored.iter().zip(wide(&fit.scored)) {
                    logits[row as usize] += (slope * score + offset) / scorers.len() as f64;
                }
            }
        }
        Ok(CrossFitted::new(logits, &task.labels, scorer))
    }
}
