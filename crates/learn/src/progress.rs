//! How far a fit is, and what whoever watches it answers.

use crate::prior_report::PriorReport;

/// What an observer answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Continue.
    Continue,
    /// Stop here and keep the best so far.
    Finish,
    /// Stop and keep nothing but the checkpoint.
    Abort,
}

impl From<bool> for Signal {
    /// `true` continues, `false` gives up.
    fn from(go_on: bool) -> Self {
        if go_on { Signal::Continue } else { Signal::Abort }
    }
}

/// What an observer sees.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// What is being trained: a candidate's name.
    pub name: &'a str,
    /// The number of this run of training, from 0.
    pub run: usize,
    /// How many there are: one for each candidate and fold, and one more on all rows where there are folds.
    pub runs: usize,
    /// The device in use: `cpu`, or `cuda:0` with the name of the GPU.
    pub device: &'a str,
    /// Epochs that checkpoints held already, of all runs so far; `None` where nothing was resumed.
    pub resumed_from: Option<usize>,
    /// How far its training is.
    pub at: At<'a>,
}

/// How far a run of training is.
#[derive(Clone, Debug)]
pub enum At<'a> {
    /// A network, after a batch.
    Batch(&'a onesided_net::TrainProgress),
    /// Boosted trees, after a tree.
    Tree {
        /// Trees so far.
        done: usize,
        /// Trees at most.
        most: usize,
    },
    /// Scores for the prior: folds that are done.
    Fold {
        /// Folds so far.
        done: usize,
        /// Folds in all.
        all: usize,
        /// What is done of those under way, in folds.
        begun: f64,
    },
    /// Members of a portfolio: trainings that are done.
    Member {
        /// Trainings so far.
        done: usize,
        /// Trainings in all.
        all: usize,
        /// What is done of those under way, in trainings.
        begun: f64,
    },
    /// Columns whose importance is measured.
    Column {
        /// Columns so far.
        done: usize,
        /// Columns in all.
        all: usize,
    },
    /// An estimator of the prior begins.
    Estimator(&'a str),
    /// The prior was estimated.
    Estimated(&'a PriorReport),
}

impl At<'_> {
    /// How much of one training is done, from 0 to 1; one that stops early ends before that.
    pub(crate) fn part(&self) -> f64 {
        match *self {
            At::Batch(now) => {
                let of_epoch = now.batch as f64 / now.batches.max(1) as f64;
                ((now.epoch.saturating_sub(1) as f64 + of_epoch) / now.epochs.max(1) as f64).min(1.0)
            }
            At::Tree { done, most } => (done as f64 / most.max(1) as f64).min(1.0),
            _ => 0.0,
        }
    }
}

impl<'a> Progress<'a> {
    /// That columns of a model are measured, one after the other.
    pub fn of_columns(done: usize, all: usize) -> Self {
        let at = At::Column { done, all };
        Self { name: "importance", run: 0, runs: 1, device: "cpu", resumed_from: None, at }
    }

    /// That the prior was estimated.
    pub fn estimated(report: &'a PriorReport) -> Self {
        let at = At::Estimated(report);
        Self { name: "prior", run: 0, runs: 1, device: "cpu", resumed_from: None, at }
    }
}

/// An observer of training, which says whether to continue.
pub type Observer<'o> = &'o mut (dyn FnMut(&Progress) -> Signal + Send);
