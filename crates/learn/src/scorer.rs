//! The joint between data and what learns from them.
//!
//! Everything before a score is a [`Scorer`]: a network under an objective, boosted trees, a classic system, or one of
//! your own. The pipeline holds rows out, asks a scorer to learn from the others, judges what it says of those held out,
//! calibrates, and knows nothing else about it.

use crate::{Error, Fitted, Kinds, Observer, OwnModel, Task, Views};
use onesided_data::Scaling;
use onesided_loss::Reduction;
use onesided_net::{OnTheWay, TrainConfig, Watcher};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// What a scorer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// The name of the method: an objective, or a system.
    pub method: Cow<'static, str>,
    /// What scores: `mlp:128,128`, `trees`, `linear`.
    pub model: Cow<'static, str>,
    /// Whether it learns from true labels.
    pub needs_truth: bool,
    /// Whether it cannot learn without the prior.
    pub needs_prior: bool,
    /// Whether it gives something without a prior: probabilities by its own theory, or those of being labeled. The others
    /// are calibrated, which needs the prior.
    pub works_without_prior: bool,
}

/// How a scorer wants its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Scaled, or as they are.
    pub scaling: Scaling,
    /// Whether no value may be below 0.
    pub counts: bool,
    /// Whether rows must be pictures.
    pub pictures: bool,
    /// Whether it takes dense rows alone, so that texts are best cut to their most frequent terms.
    pub dense: bool,
}

/// One thing to try.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// What it is called.
    pub name: String,
    /// The reduction of the collective loss, where there is a choice.
    pub reduction: Option<Reduction>,
    /// Rounds that it always takes; `None` for what stops by rows.
    pub rounds: Option<usize>,
    /// Whether it is the plain alternative, "labeled" against the rest, that a blend is compared with.
    pub is_naive: bool,
    /// How far its AUC is above that of others on a usual table, or below it.
    pub usual: f64,
}

impl Candidate {
    /// The only one of a scorer.
    pub fn only(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// One reduction of several.
    pub fn reduction(reduction: Reduction) -> Self {
        Self { name: reduction.to_string(), reduction: Some(reduction), ..Self::default() }
    }
}

/// What becomes of candidates once they are trained.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// One is kept: the first, unless another's held-out risk is lower by more than the noise of the comparison.
    #[default]
    Choose,
    /// A mean of them is put together.
    Blend(Blend),
}

/// How a mean of candidates is put together: each by its AUC of positives against unlabeled rows. One that cannot be trained is
/// left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blend {
    /// Whether one model is wanted instead of a mean of several.
    pub single: bool,
    /// Whether the model is one of trees that learned what the mean says.
    pub fast: bool,
    /// Folds in which candidates are judged; a long table has fewer.
    pub folds: usize,
    /// Names of what was not tried, because it cannot hold a score to going up or down with a column.
    pub not_monotone: Vec<String>,
}

/// What to learn from, what decides when to stop, and what to score.
#[derive(Clone, Debug)]
pub struct Subset<'s> {
    /// Rows to learn from.
    pub training: &'s Kinds,
    /// Rows that decide when to stop; none where [`stop_after`](Self::stop_after) does.
    pub stopping: &'s Kinds,
    /// Rows to score afterwards.
    pub scored: &'s [u32],
    /// Epochs or trees after which to stop, whatever the rows say.
    pub stop_after: Option<usize>,
    /// The seed of everything random.
    pub seed: u64,
    /// Threads; 0 for every core.
    pub threads: usize,
    /// Which run of training this is.
    pub run: RunNumber<'s>,
}

/// Which run of training is under way.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunNumber<'s> {
    /// Its name.
    pub name: &'s str,
    /// Its number, from 0.
    pub number: usize,
    /// How many there are.
    pub all: usize,
    /// Epochs that checkpoints held, of the runs before this one.
    pub resumed_from: Option<usize>,
}

/// What came of one training.
#[derive(Clone, Debug)]
pub struct TrainedScorer {
    /// What scores.
    pub fitted: Fitted,
    /// Scores of the rows that decided when to stop: positives, unlabeled rows, known negatives.
    pub stopping: Vec<f32>,
    /// Scores of the rows to score, in their order.
    pub scored: Vec<f32>,
    /// Where these are the rows that decided when to stop: their scores after epochs or trees, so that others can decide for
    /// them. Empty where nothing stops by rows.
    pub rounds: OnTheWay,
    /// How scores of models of different folds become alike.
    pub scale: ScoreScale,
    /// Epochs until training stopped, the one that was kept, and all of them.
    pub history: History,
    /// The objective with its options, or what a system chose, in words.
    pub described: String,
    /// Epochs that a checkpoint held already.
    pub resumed_from: Option<usize>,
    /// The observer asked to stop and to keep what there is.
    pub finished_early: bool,
}

/// The course of a training by epochs (or trees); empty where there are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// How many there were.
    pub epochs: usize,
    /// Which was kept.
    pub best_epoch: usize,
    /// Loss and held-out risk of each.
    pub of_epochs: Vec<onesided_net::EpochRecord>,
    /// The settings of the training loop.
    pub config: Option<TrainConfig>,
}

/// Mean and standard deviation of a model's scores on the rows it learned from.
///
/// Systems may choose different costs in each fold, and the size of their scores goes with these. Logits mean the same in
/// every fold and stay as they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreScale {
    /// The mean.
    pub mean: f64,
    /// The standard deviation, above 0.
    pub deviation: f64,
}

impl ScoreScale {
    /// Scores as they are.
    pub const ONE: ScoreScale = ScoreScale { mean: 0.0, deviation: 1.0 };

    /// That of these scores.
    pub fn measured(scores: &[f32]) -> Self {
        let n = scores.len().max(1) as f64;
        let mean = scores.iter().map(|&f| f64::from(f)).sum::<f64>() / n;
        let variance = scores.iter().map(|&f| (f64::from(f) - mean).powi(2)).sum::<f64>() / n;
        // Scores that are all the same have no scale.
        let deviation = variance.sqrt();
        if deviation > 0.0 && deviation.is_finite() { Self { mean, deviation } } else { Self::ONE }
    }

    /// From a score to one of mean 0 and deviation 1.
    pub fn apply(self, score: f32) -> f32 {
        ((f64::from(score) - self.mean) / self.deviation) as f32
    }

    /// And back.
    pub fn undo(self, score: f32) -> f32 {
        (f64::from(score) * self.deviation + self.mean) as f32
    }

    /// A calibration of scaled scores as one of the scores themselves.
    pub fn before(self, calibration: onesided_eval::Calibration) -> onesided_eval::Calibration {
        let slope = calibration.slope / self.deviation;
        onesided_eval::Calibration { slope, offset: calibration.offset - slope * self.mean }
    }
}

/// A way to learn a score from positives and unlabeled rows.
pub trait Scorer: Send + Sync {
    /// What it is.
    fn info(&self) -> Info;

    /// How it wants its rows.
    fn wants(&self) -> Wants {
        Wants::default()
    }

    /// What there is to try; the first is kept unless another is better by more than noise.
    fn candidates(&self) -> Vec<Candidate> {
        vec![Candidate::only(self.info().method)]
    }

    /// Whether it can learn from known negatives; the reason where it cannot.
    fn takes_negatives(&self) -> Result<(), Cow<'static, str>> {
        Err(Cow::Borrowed("it learns from positives and unlabeled rows alone"))
    }

    /// Whether it can learn from rows with weights; the reason where it cannot.
    fn takes_weights(&self) -> Result<(), Cow<'static, str>> {
        Err(Cow::Borrowed("it counts every row once"))
    }

    /// Refuses what could not be learned from. Allocates nothing that learning allocates.
    fn check(&self, _task: &Task) -> Result<(), Error> {
        Ok(())
    }

    /// Puts the rows where they are learned from (a device, bins), once for every training.
    fn open<'d>(&'d self, task: &'d Task<'_>, views: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error>;

    /// What becomes of the candidates once they are trained.
    fn policy(&self) -> Policy {
        Policy::Choose
    }

    /// Removes what trainings left behind to resume from.
    fn clean_up(&self, _runs: usize) {}
}

impl fmt::Debug for dyn Scorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scorer").field(&self.info()).finish()
    }
}

/// A scorer with its rows in place.
pub trait Trainer: Send + Sync {
    /// Learns from some of the rows and scores others.
    fn fit(&self, subset: &Subset, candidate: &Candidate, observer: Observer)
    -> Result<TrainedScorer, Error>;

    /// [`fit`](Self::fit) with a look at the network after each epoch; what has no epochs shows nothing.
    fn fit_watched(
        &self,
        subset: &Subset,
        candidate: &Candidate,
        observer: Observer,
        _watcher: Watcher,
    ) -> Result<TrainedScorer, Error> {
        self.fit(subset, candidate, observer)
    }

    /// The device in use: `cpu`, or `cuda:0` with the name of the GPU.
    fn device(&self) -> String {
        "cpu".to_string()
    }

    /// Whether the number of threads changes nothing of what is learned, so that trainings may share them.
    fn any_threads(&self) -> bool {
        false
    }

    /// Whether trainings may run side by side, a thread each.
    fn side_by_side(&self) -> bool {
        true
    }

    /// About how many bytes one training on this many rows holds besides the rows; 0 where that is little.
    fn bytes_for(&self, _rows: usize) -> u64 {
        0
    }
}

/// A scorer of one's own from a function that learns from a data set, whose labels it can ask for, and gives a model.
pub struct OwnScorer {
    name: String,
    fit: Arc<OwnFit>,
}

type OwnFit = dyn Fn(&onesided_data::Dataset, u64) -> Result<Arc<dyn OwnModel>, Error> + Send + Sync;

impl OwnScorer {
    /// `fit` is given the training rows with their labels, and a seed.
    pub fn new(
        name: impl Into<String>,
        fit: impl Fn(&onesided_data::Dataset, u64) -> Result<Arc<dyn OwnModel>, Error> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), fit: Arc::new(fit) }
    }
}

impl Scorer for OwnScorer {
    fn info(&self) -> Info {
        Info {
            method: Cow::Owned(self.name.clone()),
            model: Cow::Borrowed("a scorer of your own"),
            needs_truth: false,
            needs_prior: false,
            works_without_prior: false,
        }
    }

    /// The data set that it is given has the labels of all three kinds, and the weights.
    fn takes_negatives(&self) -> Result<(), Cow<'static, str>> {
        Ok(())
    }

    fn takes_weights(&self) -> Result<(), Cow<'static, str>> {
        Ok(())
    }

    fn open<'d>(&'d self, task: &'d Task<'_>, _views: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        Ok(Box::new(OwnTrainer { scorer: self, task }))
    }
}

struct OwnTrainer<'d> {
    scorer: &'d OwnScorer,
    task: &'d Task<'d>,
}

impl Trainer for OwnTrainer<'_> {
    fn fit(
        &self,
        subset: &Subset,
        _candidate: &Candidate,
        _observer: Observer,
    ) -> Result<TrainedScorer, Error> {
        let data = self.task.data;
        let numbers = |rows: &[u32]| rows.iter().map(|&row| row as usize).collect::<Vec<usize>>();
        let model = (self.scorer.fit)(&data.select(&numbers(&subset.training.all())), subset.seed)?;
        let score = |rows: &[u32]| {
            if rows.is_empty() { Ok(Vec::new()) } else { model.scores(&data.select(&numbers(rows))) }
        };
        let scale = ScoreScale::measured(&score(&subset.training.all())?);
        Ok(TrainedScorer {
            stopping: score(&subset.stopping.all())?,
            scored: score(subset.scored)?,
            rounds: OnTheWay::default(),
            scale,
            fitted: Fitted::Own { name: self.scorer.name.clone(), model },
            history: History::default(),
            described: self.scorer.name.clone(),
            resumed_from: None,
            finished_early: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_eval::Calibration;

    #[test]
    fn a_calibration_of_scaled_scores_is_one_of_scores() {
        let scale = ScoreScale::measured(&[1.0, 3.0, 5.0, 7.0]);
        assert_eq!((scale.mean, scale.deviation), (4.0, 5f64.sqrt()));
        let calibration = Calibration { slope: 2.0, offset: 0.5 };
        let moved = scale.before(calibration);
        assert!((moved.apply(7.0) - calibration.apply(scale.apply(7.0))).abs() < 1e-6);
        assert!((scale.undo(scale.apply(7.0)) - 7.0).abs() < 1e-6);
        assert_eq!(ScoreScale::measured(&[2.0, 2.0]).deviation, 1.0);
    }
}
