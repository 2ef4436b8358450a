//! Logistic regression of "labeled" on the columns: what tells positives from unlabeled texts for the prior.
//!
//! Rows stay sparse. Of the rows that decide when to stop, the log loss chooses the ridge.

use crate::criterion::weight_of_negatives;
use crate::{
    At, Candidate, Error, Fitted, History, Info, Kinds, Observer, Progress, ScoreScale, Scorer, Signal,
    Subset, Task, TrainedScorer, Trainer, Views,
};
use onesided_classic::{
    ClassicModel, Examples, LeastSquares, LinearModel, Logistic, RandomFeatures, Rows, ScoreForm, Selected,
    scale_gamma,
};
use onesided_data::{Label, Matrix, Scaling, Stream};
use onesided_loss::softplus;
use onesided_net::OnTheWay;
use std::borrow::Cow;

/// Costs of ½|w|² + C Σ log loss, between which the stopping rows decide.
const COSTS: [f64; 5] = [0.1, 1.0, 10.0, 100.0, 1000.0];

/// The kernel's γ in units of 1 / (columns · variance).
const KERNEL_WIDTH: f64 = 0.5;

/// Logistic regression with a ridge that is chosen.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogisticScorer {
    /// The cost; `None` lets the rows that decide when to stop choose.
    pub cost: Option<f64>,
    /// Least squares with this ridge instead, in units of a column's variance: but for its length the line of the unbiased
    /// PU risk with the squared loss, whatever the prior is ([`LeastSquares`]).
    pub ridge: Option<f64>,
    /// Random features of a Gaussian kernel to learn on instead of the columns; 0 for none.
    pub random_features: usize,
}

impl Scorer for LogisticScorer {
    fn info(&self) -> Info {
        Info {
            method: Cow::Borrowed("naive"),
            model: Cow::Borrowed("linear"),
            needs_truth: false,
            needs_prior: false,
            works_without_prior: true,
        }
    }

    fn takes_negatives(&self) -> Result<(), Cow<'static, str>> {
        Ok(())
    }

    fn takes_weights(&self) -> Result<(), Cow<'static, str>> {
        Ok(())
    }

    fn open<'d>(&'d self, task: &'d Task<'_>, views: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        let rows = views.rows(Scaling::Standard)?;
        let mapped = match self.random_features {
            0 => None,
            features => {
                let mut stream = Stream::new(task.seed, "random features");
                let gamma = KERNEL_WIDTH * scale_gamma(rows);
                let map = RandomFeatures::new(rows.cols(), gamma, features, &mut stream)
                    .map_err(Error::of_classic)?;
                let matrix = map.transform(rows).map_err(Error::of_classic)?;
                Some((map, matrix))
            }
        };
        Ok(Box::new(LogisticTrainer { scorer: *self, task, rows, mapped }))
    }
}

struct LogisticTrainer<'d> {
    scorer: LogisticScorer,
    task: &'d Task<'d>,
    rows: &'d dyn Rows,
    mapped: Option<(RandomFeatures, Matrix)>,
}

impl LogisticTrainer<'_> {
    fn select(&self, rows: &[u32]) -> Selected<'_> {
        let all: &dyn Rows = self.mapped.as_ref().map_or(self.rows, |(_, matrix)| matrix);
        Selected::new(all, rows.iter().map(|&row| row as usize).collect::<Vec<_>>())
    }

    /// Whether each row is labeled, and what it counts: known negatives together as much as their number gives them
    /// next to the unlabeled rows.
    fn known(&self, rows: &[u32], of: &Kinds, negatives: usize) -> Vec<(bool, f64)> {
        let task = self.task;
        let each = weight_of_negatives(negatives as f64) * task.amount(&of.unlabeled)
            / task.amount(&of.negative).max(f64::MIN_POSITIVE);
        let one = |&row: &u32| {
            let (label, own) = (
                task.labels[row as usize],
                task.weights.map_or(1.0, |weights| f64::from(weights[row as usize])),
            );
            (label == Label::Positive, if label == Label::Negative { each * own } else { own })
        };
        rows.iter().map(one).collect()
    }
}

impl Trainer for LogisticTrainer<'_> {
    fn fit(
        &self,
        subset: &Subset,
        _candidate: &Candidate,
        observer: Observer,
    ) -> Result<TrainedScorer, Error> {
        let run = subset.run;
        let mut training = subset.training.all();
        training.sort_unstable();
        let negatives = subset.training.negative.len();
        let known = self.known(&training, subset.training, negatives);
        let judged = self.known(&subset.stopping.all(), subset.stopping, negatives);
        let (training, stopping) = (self.select(&training), self.select(&subset.stopping.all()));
        let loss = |logits: &[f64]| -> f64 {
            let each = logits.iter().zip(&judged);
            each.map(|(&z, &(positive, own))| own * softplus(if positive { -z } else { z })).sum()
        };
        let mut best: Option<(f64, LinearModel, Vec<f64>)> = None;
        let given = self.scorer.cost.as_slice();
        let costs = if given.is_empty() { &COSTS } else { given };
        for &cost in costs {
            let mut signal = Signal::Continue;
            // Asked before each step of the solver: those of a kernel on many rows take long.
            let mut go_on = || {
                let at = At::Member { done: run.number, all: run.all, begun: 0.0 };
                let (name, number, runs) = (run.name, run.number, run.all);
                let progress =
                    Progress { name, run: number, runs, device: "cpu", resumed_from: run.resumed_from, at };
                signal = observer(&progress);
                // The end is near, and a solver that was stopped halfway has no answer to keep.
                signal != Signal::Abort
            };
            let model = match self.scorer.ridge {
                Some(ridge) => least_squares(&training, &known, ridge, &mut go_on),
                None => logistic(&training, &known, cost, &mut go_on)?,
            };
            if signal == Signal::Abort {
                return Err(Error::Interrupted { epoch: 0, checkpoint: None });
            }
            let logits = model.scores(&stopping);
            let found = loss(&logits);
            if best.as_ref().is_none_or(|(least, ..)| found < *least) {
                best = Some((found, model, logits));
            }
        }
        // There is at least one cost.
        let (_, model, logits) = best.ok_or(Error::NeedsLabels)?;
        let scored = model.scores(&self.select(subset.scored));
        let mut fitted = ClassicModel::from_linear("weighted-lr", model);
        if let (Some((map, _)), ScoreForm::Linear(model)) = (&self.mapped, &fitted.scorer) {
            fitted.scorer = ScoreForm::RandomFeatures { map: map.clone(), model: model.clone() };
        }
        let narrow = |scores: Vec<f64>| scores.into_iter().map(|z| z as f32).collect::<Vec<f32>>();
        Ok(TrainedScorer {
            stopping: narrow(logits),
            scored: narrow(scored),
            fitted: Fitted::Classic(fitted),
            rounds: OnTheWay::default(),
            scale: ScoreScale::ONE,
            history: History::default(),
            described: "logistic regression".to_string(),
            resumed_from: None,
            finished_early: false,
        })
    }
}

fn least_squares(
    rows: &dyn Rows,
    known: &[(bool, f64)],
    ridge: f64,
    go_on: &mut dyn FnMut() -> bool,
) -> LinearModel {
    let targets: Vec<f64> = known.iter().map(|&(positive, _)| f64::from(u8::from(positive))).collect();
    let weights: Vec<f64> = known.iter().map(|&(_, own)| own).collect();
    LeastSquares { ridge, ..LeastSquares::default() }.fit_while(rows, &targets, &weights, go_on)
}

fn logistic(
    rows: &dyn Rows,
    known: &[(bool, f64)],
    cost: f64,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<LinearModel, Error> {
    let weights = |wanted: bool| -> Vec<f64> {
        known.iter().map(|&(positive, own)| if positive == wanted { cost * own } else { 0.0 }).collect()
    };
    let (up, down) = (weights(true), weights(false));
    let examples = Examples::new(rows, &up, &down).map_err(Error::of_classic)?;
    let start = LinearModel { weights: vec![0.0; rows.cols()], bias: 0.0 };
    Ok(Logistic { tolerance: 1e-4, ..Logistic::default() }.fit_while(examples, start, go_on).model)
}
