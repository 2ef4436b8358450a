//! Forests that tell labeled from unlabeled rows, and bags of boosted trees that see as many of the one as of the other.

use crate::criterion::weight_of_negatives;
use crate::{
    At, Candidate, Error, Fitted, History, Info, Kinds, Observer, Progress, ScoreScale, Scorer, Signal,
    Subset, Task, TrainedScorer, Trainer, Views, Wants,
};
use onesided_data::{Dataset, Label, Stream, map_stretches};
use onesided_net::OnTheWay;
use onesided_trees::{
    Binned, ForestConfig, LabeledRows, RowDraw, TreesConfig, TreesModel, fit, fit_naive_bayes, grow_forest,
};
use std::borrow::Cow;
use std::sync::Mutex;

/// A leaf may be as small as this share of the rows a tree learns from, where that is less than what is set: few positives
/// still want to be told from the rest.
pub(crate) const SMALLEST_LEAF: usize = 10;

/// Rows for each leaf of a forest beyond which leaves grow with the table, so that a forest stays small.
const LEAVES_OF_A_FOREST: usize = 1_000;
/// Columns that a boosted tree looks at, at most; at least a tenth of all.
const MANY_COLUMNS: f64 = 500.0;
/// Positives from which boosted trees of bags are larger.
const LARGE_BAG: usize = 1_500;

/// Trees of a forest that is the one model; more would hardly change its means.
const TREES: usize = 250;
/// Bags of bagged trees that are the one model.
const BAGS: usize = 30;

/// Trees that see nothing of the prior: a forest, or boosted trees on bags of P and as many rows of U.
#[derive(Clone, Debug)]
pub enum LabelTreesScorer {
    /// A forest.
    Forest(ForestConfig),
    /// The mean of boosted trees, each on P and a draw of U (Mordelet and Vert, 2014).
    Bags {
        /// The method that it is the model of.
        method: &'static str,
        /// How many.
        bags: usize,
        /// Each of them.
        config: TreesConfig,
    },
    /// Naive Bayes on bins.
    NaiveBayes,
}

/// What boosted trees differ in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Boosting {
    pub trees: usize,
    pub max_leaves: usize,
    pub learning_rate: f64,
    pub l2: f64,
}

/// What the size of trees goes by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableSize {
    rows: usize,
    columns: f64,
    positives: usize,
}

impl TableSize {
    pub fn of(data: &Dataset) -> Self {
        let positives = data.counts().map_or(0, |counts| counts.positive);
        Self::new(data.len(), data.encoding().whole_width(), positives)
    }

    pub fn new(rows: usize, columns: usize, positives: usize) -> Self {
        Self { rows, columns: columns.max(1) as f64, positives }
    }

    /// Rows in a leaf of a forest, at least.
    pub fn leaf(self) -> usize {
        (self.rows / LEAVES_OF_A_FOREST).max(10)
    }

    /// The share of columns that a cut of a forest is looked for in: about the root of their number, as is usual.
    pub fn few_columns(self) -> f64 {
        (self.columns.sqrt() / self.columns).clamp(0.05, 1.0)
    }

    /// Boosted trees that see four fifths of the rows and of the columns, or less of many columns.
    pub fn boosted(self, Boosting { trees, max_leaves, learning_rate, l2 }: Boosting) -> TreesConfig {
        TreesConfig {
            trees,
            learning_rate,
            max_leaves,
            l2,
            row_share: 0.8,
            column_share: (MANY_COLUMNS / self.columns).clamp(0.1, 0.8),
            ..TreesConfig::default()
        }
    }

    /// Boosted trees of a bag.
    pub fn bag(self) -> TreesConfig {
        let (trees, max_leaves) = if self.positives >= LARGE_BAG { (100, 31) } else { (60, 15) };
        self.boosted(Boosting { trees, max_leaves, learning_rate: 0.1, l2: 10.0 })
    }
}

impl LabelTreesScorer {
    /// A random forest for a table of this size (Breiman, 2001).
    pub fn forest(data: &Dataset) -> Self {
        let size = TableSize::of(data);
        Self::Forest(ForestConfig {
            trees: TREES,
            min_leaf_rows: size.leaf(),
            columns_a_split: (2.0 * size.few_columns()).min(1.0),
            rows: RowDraw::Bootstrap,
            random_cuts: false,
            ..ForestConfig::default()
        })
    }

    /// Trees with cuts at random for a table of this size (Geurts, Ernst and Wehenkel, 2006).
    pub fn extra_trees(data: &Dataset) -> Self {
        let size = TableSize::of(data);
        Self::Forest(ForestConfig {
            trees: TREES,
            min_leaf_rows: size.leaf(),
            columns_a_split: size.few_columns(),
            rows: RowDraw::All,
            random_cuts: true,
            ..ForestConfig::default()
        })
    }

    /// Bags of boosted trees as the model of a method, with directions for the columns that have one.
    pub fn bagged(data: &Dataset, method: &'static str, monotone: Vec<i8>) -> Self {
        let config = TreesConfig { monotone, ..TableSize::of(data).bag() };
        Self::Bags { method, bags: BAGS, config }
    }
}

impl Scorer for LabelTreesScorer {
    fn info(&self) -> Info {
        Info {
            method: Cow::Borrowed(match self {
                LabelTreesScorer::Bags { method, .. } => method,
                _ => "naive",
            }),
            model: Cow::Borrowed(match self {
                LabelTreesScorer::Forest(config) if config.random_cuts => "extra-trees",
                LabelTreesScorer::Forest(_) => "forest",
                LabelTreesScorer::Bags { .. } => "bagged-trees",
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

    fn takes_negatives(&self) -> Result<(), Cow<'static, str>> {
        Ok(())
    }

    fn takes_weights(&self) -> Result<(), Cow<'static, str>> {
        Ok(())
    }

    fn open<'d>(&'d self, task: &'d Task<'_>, views: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        let positive = task.labels.iter().map(|&label| label == Label::Positive).collect();
        Ok(Box::new(LabelTreesTrainer { scorer: self, task, binned: views.binned()?, positive }))
    }
}

struct LabelTreesTrainer<'d> {
    scorer: &'d LabelTreesScorer,
    task: &'d Task<'d>,
    binned: &'d Binned,
    positive: Vec<bool>,
}

impl LabelTreesTrainer<'_> {
    /// What each row counts, with `negatives` as what a known negative counts next to an unlabeled row; `None` where every
    /// row counts once.
    fn weights(&self, subset: &Subset, negatives: f64) -> Option<Vec<f32>> {
        let known = &subset.training.negative;
        if known.is_empty() {
            return self.task.weights.map(<[f32]>::to_vec);
        }
        let mut weights = self.task.weights.map_or_else(|| vec![1.0; self.positive.len()], <[f32]>::to_vec);
        known.iter().for_each(|&row| weights[row as usize] *= negatives as f32);
        Some(weights)
    }

    /// What a known negative counts next to an unlabeled row, so that all together have their weight.
    fn of_a_negative(&self, unlabeled: f64, negatives: &[u32], all: usize) -> f64 {
        weight_of_negatives(all as f64) * unlabeled / self.task.amount(negatives).max(f64::MIN_POSITIVE)
    }

    /// The training rows of a forest and what each counts. Where as many others as positives are drawn, a negative that
    /// counts as several is there several times instead: a row that is seldom drawn and then counts much is noise.
    fn forest_rows(&self, subset: &Subset, draw: RowDraw) -> (Vec<u32>, Option<Vec<f32>>) {
        let Kinds { unlabeled, negative, .. } = subset.training;
        let each = self.of_a_negative(self.task.amount(unlabeled), negative, negative.len());
        let mut rows = subset.training.all();
        if draw != RowDraw::Balanced || each <= 1.0 {
            return (rows, self.weights(subset, each));
        }
        let times = each.round().max(1.0);
        (1..times as usize).for_each(|_| rows.extend_from_slice(negative));
        (rows, self.weights(subset, each / times))
    }

    /// Leaves that are as large as the table asks for would be too large for a small sample of it.
    fn leaf_for(&self, subset: &Subset, leaf: usize) -> usize {
        let rows = subset.training.len();
        if 2 * rows < self.positive.len() { leaf.min(TableSize::new(rows, 1, 0).leaf()) } else { leaf }
    }

    fn bag(
        &self,
        binned: &Binned,
        subset: &Subset,
        number: usize,
        config: &TreesConfig,
    ) -> Result<TreesModel, Error> {
        let (positive, unlabeled) = (&subset.training.positive, &subset.training.unlabeled);
        let mut stream = Stream::new(subset.seed, &format!("bag {number}"));
        let mut others = unlabeled.clone();
        stream.shuffle(&mut others);
        others.truncate(positive.len().max(SMALLEST_LEAF));
        let mut negative = subset.training.negative.clone();
        if negative.len() > others.len() {
            stream.shuffle(&mut negative);
            negative.truncate(others.len());
        }
        let all = subset.training.negative.len();
        let each = self.of_a_negative(self.task.amount(&others), &negative, all);
        let weights = self.weights(subset, each);
        let mut rows = [positive.as_slice(), &others, &negative].concat();
        rows.sort_unstable();
        let config = TreesConfig {
            seed: stream.next_u64(),
            threads: 1,
            min_child_rows: config.min_child_rows.min((rows.len() / SMALLEST_LEAF).max(2)),
            ..config.clone()
        };
        let sample = LabeledRows { binned, positive: &self.positive, weights: weights.as_deref() };
        Ok(fit(&sample, &rows, &[], &config)?.model)
    }
}

impl Trainer for LabelTreesTrainer<'_> {
    fn any_threads(&self) -> bool {
        true
    }

    fn fit(
        &self,
        subset: &Subset,
        _candidate: &Candidate,
        observer: Observer,
    ) -> Result<TrainedScorer, Error> {
        let run = subset.run;
        // Levels beyond the number of bins have the order that these rows give them.
        let of_label = |row: u32| self.positive[row as usize];
        let ordered = self.binned.ordered(&subset.training.all(), of_label, subset.seed)?;
        let binned = ordered.as_ref().unwrap_or(self.binned);
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
                let config = ForestConfig {
                    seed: subset.seed,
                    threads: subset.threads,
                    min_leaf_rows: self.leaf_for(subset, config.min_leaf_rows),
                    ..config.clone()
                };
                let (rows, weights) = self.forest_rows(subset, config.rows);
                let weights = weights.as_deref();
                let sample = LabeledRows { binned, positive: &self.positive, weights };
                let ask = |_: usize| go_on(config.trees);
                let model = grow_forest(&sample, &rows, &config, &ask)?;
                let what = if config.random_cuts { "extra trees: a forest" } else { "a forest" };
                (model, format!("{what} of {} trees", config.trees))
            }
            LabelTreesScorer::NaiveBayes => {
                let (_, weights) = self.forest_rows(subset, RowDraw::All);
                let weights = weights.as_deref();
                let sample = LabeledRows { binned, positive: &self.positive, weights };
                (fit_naive_bayes(&sample, &subset.training.all())?, "naive Bayes on bins".to_string())
            }
            LabelTreesScorer::Bags { bags, config, .. } => {
                let numbers: Vec<usize> = (0..*bags).collect();
                let parts = map_stretches(&numbers, subset.threads, 1, |some| {
                    let asked = some.iter().take_while(|_| go_on(*bags));
                    asked
                        .map(|&number| self.bag(binned, subset, number, config))
                        .collect::<Result<Vec<_>, Error>>()
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
            let scores = model.logits_of_with_threads(binned, rows, subset.threads)?;
            Ok(scores.into_iter().map(|score| score as f32).collect())
        };
        Ok(TrainedScorer {
            stopping: scores(&subset.stopping.all())?,
            scored: scores(subset.scored)?,
            rounds: OnTheWay::default(),
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
