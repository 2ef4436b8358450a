//! The rows of a run: which are labeled, which are hidden, which are held out, and the prior that follows.

use crate::ExperimentError;
use crate::set::Set;
use crate::spec::{PriorErrorKind, Run};
use onesided_data::{Label, PriorInUnlabeled, hide, stratified_holdout};

/// Row numbers of a set, as the seed of a run deals them out.
pub(crate) struct Split {
    /// Labeled positives to learn from.
    pub positive: Vec<u32>,
    /// Unlabeled rows to learn from; true negatives where every label is seen.
    pub unlabeled: Vec<u32>,
    /// Positives and unlabeled rows kept from training.
    pub held_out: (Vec<u32>, Vec<u32>),
    /// The true share of positives among the unlabeled rows, and the one that the method is told.
    pub prior: Option<(f64, f64)>,
    /// The label of every row to train on, held out or not.
    pub labels: Vec<Label>,
}

impl Split {
    pub fn new(run: &Run, kind: PriorErrorKind, set: &Set) -> Result<Self, ExperimentError> {
        let labels = match run.hidden {
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
        let apart = |rows: &[usize]| -> (Vec<u32>, Vec<u32>) {
            rows.iter().map(|&row| row as u32).partition(|&row| labels[row as usize] == Label::Positive)
        };
        let ((positive, unlabeled), held_out) = (apart(&train), apart(&held));
        let prior = match run.hidden {
            None => None,
            Some(_) => {
                let hidden = unlabeled.iter().filter(|&&row| set.train[row as usize]).count();
                let mu = hidden as f64 / unlabeled.len() as f64;
                Some((mu, PriorInUnlabeled::new(run.told(mu, kind))?.get()))
            }
        };
        Ok(Self { positive, unlabeled, held_out, prior, labels })
    }
}
