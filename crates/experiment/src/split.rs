//! The rows of a run: which are labeled, which are hidden, which are held out, and the prior that follows.

use crate::ExperimentError;
use crate::set::Set;
use crate::spec::{Labeled, PriorErrorKind, Run};
use onesided_data::{Label, PriorInUnlabeled, hide, label_some, stratified_holdout};
use onesided_learn::Kinds;

/// Row numbers of a set, as the seed of a run splits them.
pub(crate) struct Split {
    /// Rows to learn from; if every label is seen, true negatives take the place of unlabeled rows.
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
    pub given: PriorInUnlabeled,
}

impl Split {
    pub fn new(run: &Run, kind: PriorErrorKind, set: &Set) -> Result<Self, ExperimentError> {
        let mut labels = match run.labeled {
            Some(Labeled::AllBut(hidden)) => hide(&set.train, hidden, run.seed)?,
            Some(Labeled::Count(count)) => label_some(&set.train, count, run.seed)?,
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
        let prior = match run.labeled {
            None => None,
            Some(_) => {
                let hidden = training.unlabeled.iter().filter(|&&row| set.train[row as usize]).count();
                let mu = hidden as f64 / training.unlabeled.len() as f64;
                let given = PriorInUnlabeled::new(run.given_prior(mu, kind))?;
                Some(SplitPrior { truth: PriorInUnlabeled::new(mu)?, given })
            }
        };
        labels.resize(set.train.len() + set.test.len(), Label::Unlabeled);
        Ok(Self { training, held_out, prior, labels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::tests::numbered;
    use crate::spec::tests::{SMALL, parsed};

    /// 20 positives and 30 negatives to train on, 10 rows to test on; a fifth of the positives is hidden.
    #[test]
    fn a_split_hides_and_holds_out_what_the_run_says() {
        let set = numbered(20, 30, 10);
        let mut run = parsed(SMALL).unwrap().runs().unwrap().remove(0);
        assert_eq!(run.labeled, Some(Labeled::AllBut(0.2)));
        let split = Split::new(&run, PriorErrorKind::Relative, &set).unwrap();
        assert_eq!((split.training.positive.len(), split.training.unlabeled.len()), (16, 34));
        assert!(split.held_out.positive.is_empty() && split.held_out.unlabeled.is_empty());
        assert!(split.training.positive.iter().all(|&row| set.train[row as usize]));
        let mu = PriorInUnlabeled::new(4.0 / 34.0).unwrap();
        assert_eq!(split.prior, Some(SplitPrior { truth: mu, given: mu }));
        // Rows to test on are unlabeled to the scorer, and in no list.
        assert_eq!(split.labels.len(), 60);
        assert!(split.labels[50..].iter().all(|&label| label == Label::Unlabeled));

        run.settings.hold_out = 0.25;
        run.prior_error = 0.5;
        let split = Split::new(&run, PriorErrorKind::Absolute, &set).unwrap();
        assert_eq!((split.training.positive.len(), split.held_out.positive.len()), (12, 4));
        let (kept, held) = (&split.training.unlabeled, &split.held_out.unlabeled);
        assert_eq!(kept.len() + held.len(), 34);
        assert!(kept.iter().all(|row| !held.contains(row)));
        let hidden = kept.iter().filter(|&&row| set.train[row as usize]).count();
        let prior = split.prior.unwrap();
        assert_eq!(prior.truth.get(), hidden as f64 / kept.len() as f64);
        assert_eq!(prior.given.get(), prior.truth.get() + 0.5);
        // A share that cannot be is refused.
        run.prior_error = 0.95;
        let error = Split::new(&run, PriorErrorKind::Absolute, &set).err().unwrap().to_string();
        assert!(error.contains("the prior must lie strictly between 0 and 1"), "{error}");
    }

    #[test]
    fn a_run_that_sees_every_label_has_no_prior() {
        let set = numbered(20, 30, 10);
        let runs = parsed(SMALL).unwrap().runs().unwrap();
        let run = runs.iter().find(|run| run.labeled.is_none()).unwrap();
        let split = Split::new(run, PriorErrorKind::Relative, &set).unwrap();
        assert_eq!((split.training.positive.len(), split.training.unlabeled.len()), (20, 30));
        assert_eq!(split.prior, None);
    }
}
