//! The rows of a run: which are labeled, which are hidden, which are held out, and the prior that follows.

use crate::ExperimentError;
use crate::bias::Bias;
use crate::choices::UnlabeledRows;
use crate::set::Set;
use crate::spec::{Labeled, PriorErrorKind, Run};
use onesided_data::{
    Dataset, Label, PriorInUnlabeled, Scenario, Stream, hide, label_some, stratified_holdout,
};
use onesided_learn::Kinds;

/// Row numbers of a set, as the seed of a run splits them.
pub(crate) struct Split {
    /// Rows to learn from; if every label is seen, true negatives take the place of unlabeled rows.
    pub training: Kinds,
    /// Rows kept from training.
    pub held_out: Kinds,
    /// The prior, where labels are hidden.
    pub prior: Option<SplitPrior>,
    /// How the rows were drawn: one sample, or two where labeled rows are unlabeled as well.
    pub scenario: Scenario,
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
    /// The rows of a run. Its method is told the `estimate` where there is one, and else what the run says.
    pub fn new(
        run: &Run,
        kind: PriorErrorKind,
        set: &Set,
        estimate: Option<PriorInUnlabeled>,
    ) -> Result<Self, ExperimentError> {
        let mut labels = match (run.labeled, run.settings.bias) {
            (Some(labeled), Some(bias)) => biased(labeled, bias, run.seed, set)?,
            (Some(Labeled::AllBut(hidden)), None) => hide(&set.train, hidden, run.seed)?,
            (Some(Labeled::Count(count)), None) => label_some(&set.train, count, run.seed)?,
            (None, _) => {
                let label = |&truth: &bool| if truth { Label::Positive } else { Label::Unlabeled };
                set.train.iter().map(label).collect()
            }
        };
        let (mut train, mut held) = match run.settings.hold_out {
            0.0 => ((0..labels.len()).collect(), Vec::new()),
            share => stratified_holdout(&labels, share, run.seed)?,
        };
        if let (Some(_), UnlabeledRows::Drawn(count)) = (run.labeled, run.settings.unlabeled) {
            let left_out = left_out(count, &labels, run, set)?;
            train.retain(|&row| !left_out[row]);
            held.retain(|&row| !left_out[row]);
        }
        // Whoever sees every label has no unlabeled rows that labeled ones could be among.
        let twice = run.labeled.is_some() && run.settings.unlabeled == UnlabeledRows::All;
        let apart = |rows: &[usize]| -> Kinds {
            let of = |wanted: &dyn Fn(usize) -> bool| -> Vec<u32> {
                rows.iter().filter(|&&row| wanted(row)).map(|&row| row as u32).collect()
            };
            Kinds {
                positive: of(&|row| labels[row] == Label::Positive),
                unlabeled: of(&|row| twice || labels[row] == Label::Unlabeled),
                negative: Vec::new(),
            }
        };
        let (training, held_out) = (apart(&train), apart(&held));
        let prior = match run.labeled {
            None => None,
            Some(_) => {
                let hidden = training.unlabeled.iter().filter(|&&row| set.train[row as usize]).count();
                let mu = hidden as f64 / training.unlabeled.len() as f64;
                let given = match estimate {
                    Some(estimate) => estimate,
                    None => PriorInUnlabeled::new(run.given_prior(mu, kind))?,
                };
                Some(SplitPrior { truth: PriorInUnlabeled::new(mu)?, given })
            }
        };
        labels.resize(set.train.len() + set.test.len(), Label::Unlabeled);
        let scenario = if twice { Scenario::CaseControl } else { Scenario::SingleSample };
        Ok(Self { training, held_out, prior, scenario, labels })
    }

    /// The rows to learn from as a data set of their own with its labels. A labeled row that is unlabeled as well is there twice,
    /// as it would be in two files.
    pub fn training_set(&self, all: &Dataset) -> Result<Dataset, ExperimentError> {
        let Kinds { positive, unlabeled, .. } = &self.training;
        let labels =
            [vec![Label::Positive; positive.len()], vec![Label::Unlabeled; unlabeled.len()]].concat();
        let rows: Vec<usize> = positive.iter().chain(unlabeled).map(|&row| row as usize).collect();
        Ok(all.select(&rows).with_labels(labels)?)
    }
}

/// Which rows take no part, so that `count` unlabeled ones are left with the share of positives of the whole set.
fn left_out(count: usize, labels: &[Label], run: &Run, set: &Set) -> Result<Vec<bool>, ExperimentError> {
    let positives = set.train.iter().filter(|&&truth| truth).count();
    let hidden = (count as f64 * positives as f64 / set.train.len() as f64).round() as usize;
    let mut stream = Stream::new(run.seed, "unlabeled");
    let mut left_out = vec![false; labels.len()];
    for (truth, wanted, what) in [(true, hidden, "positives"), (false, count - hidden, "negatives")] {
        let is_one = |&row: &usize| labels[row] == Label::Unlabeled && set.train[row] == truth;
        let mut rows: Vec<usize> = (0..labels.len()).filter(is_one).collect();
        if rows.len() < wanted {
            let file = run.name.clone();
            let detail = format!(
                "{count} unlabeled rows would have {wanted} {what}, and {} are left; ask for fewer",
                rows.len()
            );
            return Err(ExperimentError::Spec { file, detail });
        }
        stream.shuffle(&mut rows);
        rows[wanted..].iter().for_each(|&row| left_out[row] = true);
    }
    Ok(left_out)
}

/// Labels as a bias gives them: as many as without one, on other rows.
fn biased(labeled: Labeled, bias: Bias, seed: u64, set: &Set) -> Result<Vec<Label>, ExperimentError> {
    // The same number, and the same refusals where it cannot be.
    let by_chance = match labeled {
        Labeled::AllBut(hidden) => hide(&set.train, hidden, seed)?,
        Labeled::Count(count) => label_some(&set.train, count, seed)?,
    };
    let count = by_chance.iter().filter(|&&label| label == Label::Positive).count();
    let all = set.probabilities()?;
    let positives: Vec<usize> = (0..set.train.len()).filter(|&row| set.train[row]).collect();
    let probabilities: Vec<f64> = positives.iter().map(|&row| all[row]).collect();
    let mut labels = vec![Label::Unlabeled; set.train.len()];
    for at in bias.choose(&probabilities, count, seed) {
        labels[positives[at]] = Label::Positive;
    }
    Ok(labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::tests::{numbered, overlapping};
    use crate::spec::tests::{SMALL, parsed};

    /// 20 positives and 30 negatives to train on, 10 rows to test on; a fifth of the positives is hidden.
    #[test]
    fn a_split_hides_and_holds_out_what_the_run_says() {
        let set = numbered(20, 30, 10);
        let mut run = parsed(SMALL).unwrap().runs().unwrap().remove(0);
        assert_eq!(run.labeled, Some(Labeled::AllBut(0.2)));
        let split = Split::new(&run, PriorErrorKind::Relative, &set, None).unwrap();
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
        let split = Split::new(&run, PriorErrorKind::Absolute, &set, None).unwrap();
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
        let error = Split::new(&run, PriorErrorKind::Absolute, &set, None).err().unwrap().to_string();
        assert!(error.contains("the prior must lie strictly between 0 and 1"), "{error}");
    }

    #[test]
    fn a_run_that_sees_every_label_has_no_prior() {
        let set = numbered(20, 30, 10);
        let runs = parsed(SMALL).unwrap().runs().unwrap();
        let run = runs.iter().find(|run| run.labeled.is_none()).unwrap();
        let split = Split::new(run, PriorErrorKind::Relative, &set, None).unwrap();
        assert_eq!((split.training.positive.len(), split.training.unlabeled.len()), (20, 30));
        assert_eq!(split.prior, None);
    }

    #[test]
    fn labeled_rows_may_be_unlabeled_as_well() {
        let set = numbered(20, 30, 10);
        let mut run = parsed(SMALL).unwrap().runs().unwrap().remove(0);
        run.settings.unlabeled = UnlabeledRows::All;
        let split = Split::new(&run, PriorErrorKind::Relative, &set, None).unwrap();
        assert_eq!((split.training.positive.len(), split.training.unlabeled.len()), (16, 50));
        // Then the share among the unlabeled rows is that of the class.
        assert_eq!(split.prior.unwrap().truth.get(), 20.0 / 50.0);
        assert_eq!(split.scenario, Scenario::CaseControl);
        run.settings.hold_out = 0.25;
        let split = Split::new(&run, PriorErrorKind::Relative, &set, None).unwrap();
        assert_eq!((split.training.positive.len(), split.held_out.positive.len()), (12, 4));
        assert_eq!(split.training.unlabeled.len() + split.held_out.unlabeled.len(), 50);
        assert!(split.held_out.positive.iter().all(|row| split.held_out.unlabeled.contains(row)));
    }

    #[test]
    fn some_of_the_unlabeled_rows_have_the_share_of_all() {
        let set = numbered(20, 30, 10);
        let mut run = parsed(SMALL).unwrap().runs().unwrap().remove(0);
        run.labeled = Some(Labeled::Count(4));
        run.settings.unlabeled = "25".parse().unwrap();
        let split = Split::new(&run, PriorErrorKind::Relative, &set, None).unwrap();
        assert_eq!((split.training.positive.len(), split.training.unlabeled.len()), (4, 25));
        assert_eq!(split.prior.unwrap().truth.get(), 10.0 / 25.0);
        assert_eq!(split.scenario, Scenario::SingleSample);
        assert!(split.training.unlabeled.iter().all(|row| !split.training.positive.contains(row)));
        // Other seeds leave out other rows, and what the whole set cannot give is refused.
        run.seed += 1;
        let other = Split::new(&run, PriorErrorKind::Relative, &set, None).unwrap();
        assert_ne!(split.training.unlabeled, other.training.unlabeled);
        run.settings.unlabeled = UnlabeledRows::Drawn(45);
        let error = Split::new(&run, PriorErrorKind::Relative, &set, None).err().unwrap().to_string();
        assert!(error.contains("45 unlabeled rows would have 18 positives, and 16 are left"), "{error}");
        for wrong in ["1", "0", "-3", "most"] {
            let error = wrong.parse::<UnlabeledRows>().unwrap_err();
            assert!(error.contains("choice of unlabeled rows"), "{error}");
        }
    }

    /// Of 100 positives, those of small numbers look most positive.
    #[test]
    fn a_bias_labels_as_many_positives_and_others() {
        let set = overlapping(100);
        let mut run = parsed(SMALL).unwrap().runs().unwrap().remove(0);
        let mut mean = |labeled, bias| {
            (run.labeled, run.settings.bias) = (Some(labeled), bias);
            let mut sum = 0;
            for seed in 0..20 {
                run.seed = seed;
                let split = Split::new(&run, PriorErrorKind::Relative, &set, None).unwrap();
                let again = Split::new(&run, PriorErrorKind::Relative, &set, None).unwrap();
                let rows = &split.training.positive;
                assert_eq!((rows, rows.len()), (&again.training.positive, 20));
                assert!(rows.iter().all(|&row| set.train[row as usize]));
                assert_eq!(split.prior.unwrap().truth.get(), 80.0 / 180.0);
                sum += rows.iter().sum::<u32>();
            }
            f64::from(sum) / (20.0 * 20.0)
        };
        for labeled in [Labeled::Count(20), Labeled::AllBut(0.8)] {
            assert_eq!(mean(labeled, Some(Bias::Top)), 9.5);
            // Over 400 draws of numbers from 0 to 99, the standard error is below 1.5.
            let by_chance = mean(labeled, None);
            assert!((by_chance - 49.5).abs() < 5.0, "{by_chance}");
            let (likely, boundary) = (mean(labeled, Some(Bias::Likely)), mean(labeled, Some(Bias::Boundary)));
            assert!(
                likely < by_chance - 10.0 && boundary > by_chance + 5.0,
                "{likely} {by_chance} {boundary}"
            );
        }
    }

    #[test]
    fn an_estimate_is_told_in_the_place_of_the_truth() {
        let set = numbered(20, 30, 10);
        let run = parsed(SMALL).unwrap().runs().unwrap().remove(0);
        let estimate = PriorInUnlabeled::new(0.3).unwrap();
        let prior = Split::new(&run, PriorErrorKind::Relative, &set, Some(estimate)).unwrap().prior.unwrap();
        assert_eq!((prior.truth.get(), prior.given.get()), (4.0 / 34.0, 0.3));
    }
}
