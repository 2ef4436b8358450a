//! Forests that tell labeled from unlabeled rows, and bags of boosted trees that see as many of the one as of the other.

use crate::{
    At, Candidate, Error, Fit, Fitted, History, Info, Observer, Progress, ScoreScale, Scorer, Signal, Subset,
    Task, Trainer, Views, Wants,
};
use onesided_data::{Label, Stream, map_stretches};
use onesided_trees::{
    Binned, ForestConfig, LabeledRows, TreesConfig, TreesModel, fit, fit_naive_bayes, grow_forest,
};
use std::borrow::Cow;
use std::sync::Mutex;

/// A leaf may be as small as this share of the rows a tree learns from, where that is less than what is set: few positives
/// still want to be told from the rest.
const SMALLEST_LEAF: usize = 10;

/// Trees that see nothing of the prior: a forest, or boosted trees on bags of P and as many rows of U.
#[derive(Clone, Debug)]
pub enum LabelTreesScorer {
    /// A forest.
    Forest(ForestConfig),
    /// The mean of boosted trees, each on P and a draw of U (Mordelet and Vert, 2014).
    Bags {
        /// How many.
        bags: usize,
        /// Each of them.
        config: TreesConfig,
    },
    /// Naive Bayes on bins.
    NaiveBayes,
}

impl Scorer for LabelTreesScorer {
    fn info(&self) -> Info {
        Info {
            method: Cow::Borrowed("naive"),
            model: Cow::Borrowed(match self {
                LabelTreesScorer::Forest(_) => "forest",
                LabelTreesScorer::Bags { .. } => "bagged trees",
                LabelTreesScorer::NaiveBayes => "naive Bayes",
            }),
            needs_truth: false,
            needs_prior: false,
            works_without_prior: false,
        }
    }

    fn wants(&self) -> Wants {
        Wants { dense: true, ..Wants::default() }
    }

    fn open<'d>(&'d self, task: &'d Task<'_>, views: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        let positive = task.labels.iter().map(|&label| label == Label::Positive).collect();
        Ok(Box::new(LabelTreesTrainer { scorer: self, binned: views.binned()?, positive }))
    }
}

struct LabelTreesTrainer<'d> {
    scorer: &'d LabelTreesScorer,
    binned: &'d Binned,
    positive: Vec<bool>,
}

impl LabelTreesTrainer<'_> {
    fn bag(&self, subset: &Subset, number: usize, config: &TreesConfig) -> Result<TreesModel, Error> {
        let (positive, unlabeled) = (&subset.training.positive, &subset.training.unlabeled);
        let mut stream = Stream::new(subset.seed, &format!("bag {number}"));
        let mut others = unlabeled.clone();
        stream.shuffle(&mut others);
        others.truncate(positive.len().max(SMALLEST_LEAF));
        let mut rows = [positive.as_slice(), &others].concat();
        rows.sort_unstable();
        let config = TreesConfig {
            seed: stream.next_u64(),
            threads: 1,
            min_child_rows: config.min_child_rows.min((rows.len() / SMALLEST_LEAF).max(2)),
            ..config.clone()
        };
        let sample = LabeledRows { binned: self.binned, positive: &self.positive, weights: None };
        Ok(fit(&sample, &rows, &[], &config)?.model)
    }
}

impl Trainer for LabelTreesTrainer<'_> {
    fn fit(&self, subset: &Subset, _candidate: &Candidate, observer: Observer) -> Result<Fit, Error> {
        let run = subset.run;
        let state = Mutex::new((observer, Signal::Continue, 0usize));
        // Asked before each tree or bag.
        let go_on = |most: usize| {
            let mut state = state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let at = At::Tree { done: state.2, most };
            state.2 += 1;
            let progress = Progress {
                name: run.name,
                run: run.number,
                runs: run.all,
                device: "cpu",
                resumed_from: None,
                at,
            };
            let signal = (state.0)(&progress);
            if signal != Signal::Continue {
                state.1 = signal;
            }
            state.1 == Signal::Continue
        };
        let (model, described) = match self.scorer {
            LabelTreesScorer::Forest(config) => {
                let config = ForestConfig { seed: subset.seed, threads: subset.threads, ..config.clone() };
                let sample = LabeledRows { binned: self.binned, positive: &self.positive, weights: None };
                let ask = |_: usize| go_on(config.trees);
                let model = grow_forest(&sample, &subset.training.all(), &config, &ask)?;
                (model, format!("a forest of {} trees", config.trees))
            }
            LabelTreesScorer::NaiveBayes => {
                let sample = LabeledRows { binned: self.binned, positive: &self.positive, weights: None };
                (fit_naive_bayes(&sample, &subset.training.all())?, "naive Bayes on bins".to_string())
            }
            LabelTreesScorer::Bags { bags, config } => {
                let numbers: Vec<usize> = (0..*bags).collect();
                let parts = map_stretches(&numbers, subset.threads, 1, |some| {
                    let asked = some.iter().take_while(|_| go_on(*bags));
                    asked.map(|&number| self.bag(subset, number, config)).collect::<Result<Vec<_>, Error>>()
                });
                let models: Vec<TreesModel> =
                    parts.into_iter().collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect();
                let stopped = Error::Interrupted { epoch: 0, checkpoint: None };
                let model = TreesModel::mean(models).ok_or(stopped)?;
                (model, format!("boosted trees on {bags} bags of positives and as many unlabeled rows"))
            }
        };
        let (_, signal, _) = state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        if signal == Signal::Abort || model.trees().is_empty() {
            return Err(Error::Interrupted { epoch: model.trees().len(), checkpoint: None });
        }
        let scores = |rows: &[u32]| -> Result<Vec<f32>, Error> {
            let scores = model.logits_of_with_threads(self.binned, rows, subset.threads)?;
            Ok(scores.into_iter().map(|score| score as f32).collect())
        };
        Ok(Fit {
            stopping: scores(&subset.stopping.all())?,
            scored: scores(subset.scored)?,
            scale: ScoreScale::ONE,
            history: History {
                epochs: model.trees().len(),
                best_epoch: model.trees().len(),
                ..History::default()
            },
            fitted: Fitted::Trees(model),
            described,
            resumed_from: None,
            finished_early: signal == Signal::Finish,
        })
    }
}
