//! The rows of a run: which are labeled, which are hidden, which are held out, and the prior that follows.

use crate::ExperimentError;
use crate::set::Set;
use crate::spec::{PriorErrorKind, Run};
use onesided_data::{Label, PriorInUnlabeled, hide, stratified_holdout};
use onesided_learn::Kinds;

/// Row numbers of a set, as the seed of a run deals them out.
pub(crate) struct Split {
    /// Rows to learn from; true negatives stand where the unlabeled rows are if every label is seen.
    pub training: Kinds,
    /// Rows kept from training.
    pub held_out: Kinds,
    /// The prior, where labels are hidden.
    pub prior: Option<SplitPrior>,
    /// The label of every row, held out or not. Rows to test on are in no list and count as unlabeled.
    pub labels: Vec<Label>,
}

/// The share of positives among the unlabeled rows to learn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SplitPrior {
    /// As it is.
    pub truth: PriorInUnlabeled,
    /// As the method is told.
    pub told: PriorInUnlabeled,
}

impl Split {
    pub fn new(run: &Run, kind: PriorErrorKind, set: &Set) -> Result<Self, ExperimentError> {
        let mut labels = match run.hidden {
            Some(hidden) => hide(&set.train, hidden, run.seed)?,
            None => {
                let label = |&truth: &bool| if truth { Label::Positive } else { Label::Unlabeled };
                set.train.iter().map(label).collect()
            }
        };
        let all: Vec<usize> = (0..labels.len()).collect();
        let (train, held) = match run.settings.hold_out {
            0.0 => (all, Vec::new()),
            share => stratified_holdout(&labels, share, run.seed)?,
        };
        let apart = |rows: &[usize]| -> Kinds {
            let rows = rows.iter().map(|&row| row as u32);
            let (positive, unlabeled) = rows.partition(|&row| labels[row as usize] == Label::Positive);
            Kinds { positive, unlabeled, negative: Vec::new() }
        };
        let (training, held_out) = (apart(&train), apart(&held));
        let prior = match run.hidden {
            None => None,
            Some(_) => {
                let hidden = training.unlabeled.iter().filter(|&&row| set.train[row as usize]).count();
                let mu = hidden as f64 / training.unlabeled.len() as f64;
                let told = PriorInUnlabeled::new(run.told(mu, kind))?;
                Some(SplitPrior { truth: PriorInUnlabeled::new(mu)?, told })
            }
        };
        labels.resize(set.train.len() + set.test.len(), Label::Unlabeled);
        Ok(Self { training, held_out, prior, labels })
    }
}
