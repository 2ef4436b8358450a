//! What a task knows of its rows: kinds, weights, priors, and rows that are equal.

use crate::scripted::{Says, Script, Scripted, auc, table};
use onesided_data::{Amounts, Counts, DataError, Dataset, Label, Matrix, PriorInUnlabeled, Scenario};
use onesided_learn::{Blend, Error, Kinds, Machine, Priors, Progress, Signal, Task, Views, Warning, learn};
use onesided_loss::Sampling;
use std::borrow::Cow;

fn data(labels: &[Label]) -> Dataset {
    let values = (0..labels.len()).map(|row| row as f32).collect();
    let matrix = Matrix::new(labels.len(), 1, values).unwrap();
    Dataset::from_scaled(matrix, None).unwrap().with_labels(labels.to_vec()).unwrap()
}

fn task(data: &Dataset) -> Result<Task<'_>, Error> {
    Task::new(data, false, Scenario::SingleSample, 1, Machine::default())
}

const KINDS: [Label; 8] = [
    Label::Unlabeled,
    Label::Positive,
    Label::Negative,
    Label::Unlabeled,
    Label::Positive,
    Label::Unlabeled,
    Label::Unlabeled,
    Label::Negative,
];

#[test]
fn rows_are_split_by_kind_in_their_order_and_come_back_by_kind() {
    let data = data(&KINDS);
    let task = task(&data).unwrap();
    let kinds = task.split(&[7, 6, 5, 4, 3, 2, 1, 0]);
    let expected = Kinds { positive: vec![4, 1], unlabeled: vec![6, 5, 3, 0], negative: vec![7, 2] };
    assert_eq!((&kinds, kinds.len(), kinds.is_empty()), (&expected, 8, false));
    assert_eq!(kinds.all(), [4, 1, 6, 5, 3, 0, 7, 2]);
    let of_all: Vec<u32> = kinds.all().iter().map(|row| 10 * row).collect();
    assert_eq!(kinds.split(&of_all), [&[40, 10][..], &[60, 50, 30, 0], &[70, 20]]);
    assert!(Kinds::default().is_empty());
    assert!(Kinds::default().split::<u32>(&[]).iter().all(|rows| rows.is_empty()));
}

#[test]
fn a_task_without_one_of_the_kinds_is_refused() {
    for (truth, what) in [(false, "positives"), (true, "unlabeled rows")] {
        let data = data(&KINDS).with_truth(vec![truth; 8]).unwrap();
        let refused = Task::new(&data, true, Scenario::SingleSample, 1, Machine::default()).unwrap_err();
        let expected =
            matches!(&refused, Error::Data(DataError::TooFew { what: of, count: 0 }) if *of == what);
        assert!(expected, "{refused}");
    }
    let matrix = Matrix::new(2, 1, vec![1.0, 2.0]).unwrap();
    let unknown = Dataset::from_scaled(matrix, None).unwrap();
    assert!(matches!(task(&unknown), Err(Error::NeedsLabels)));
    let truth = Task::new(&unknown, true, Scenario::SingleSample, 1, Machine::default());
    assert!(matches!(truth, Err(Error::NeedsTruth(_))));
}

#[test]
fn weights_are_amounts_and_without_them_rows_count_once() {
    let plain = data(&KINDS);
    let plain_task = task(&plain).unwrap();
    assert_eq!(plain_task.amounts, Amounts::from(plain_task.counts));
    assert_eq!(plain_task.weights_of(&[1, 4]), None);
    let weighted = plain.clone().with_weights(vec![1.0, 2.0, 1.0, 1.0, 4.0, 1.0, 3.0, 1.0]).unwrap();
    let weighted_task = task(&weighted).unwrap();
    assert_eq!((weighted_task.amounts.positive, weighted_task.amounts.unlabeled), (6.0, 6.0));
    assert_eq!((weighted_task.log_odds(), weighted_task.counts), (0.0, plain_task.counts));
    assert_eq!(weighted_task.weights_of(&[4, 0, 6]), Some(vec![4.0, 1.0, 3.0]));
    // "Labeled" against "unlabeled" is asked of rows, whatever they weigh, and without a prior.
    let priors = Priors::from_unlabeled(
        PriorInUnlabeled::new(0.5).unwrap(),
        Scenario::SingleSample,
        weighted_task.drawn,
        true,
    );
    let weighted_task = Task { priors: Some(priors), ..weighted_task };
    let of_labels = weighted_task.of_labels();
    assert!(of_labels.truth && of_labels.weights.is_none() && of_labels.priors.is_none());
    assert_eq!((of_labels.mu(), of_labels.amounts), (None, Amounts::from(plain_task.counts)));
}

#[test]
fn objectives_are_told_the_prior_and_how_rows_were_drawn() {
    let data = data(&KINDS);
    let one = task(&data).unwrap();
    // Two labels among six rows of which it is not known that they are negative.
    let Sampling::SingleSample { labeled_share } = one.setting().sampling else { panic!("one sample") };
    assert!((labeled_share - one.drawn.labeled_share()).abs() < 1e-12);
    assert_eq!(one.setting().prior_in_unlabeled, 0.5);
    let mu = PriorInUnlabeled::new(0.3).unwrap();
    let priors = Priors::from_unlabeled(mu, Scenario::CaseControl, one.drawn, false);
    let two = Task { scenario: Scenario::CaseControl, priors: Some(priors), ..one.clone() };
    assert_eq!((two.setting().sampling, two.setting().prior_in_unlabeled), (Sampling::CaseControl, 0.3));
    // Where P and U were drawn apart, U is the population.
    assert_eq!((priors.class.get(), priors.shift()), (0.3, 0.0));
    let single = Priors::from_unlabeled(mu, Scenario::SingleSample, one.drawn, false);
    assert!(single.class.get() > 0.3 && single.shift() > 0.0);
}

#[test]
fn positives_that_were_set_aside_and_rows_that_were_not_drawn_are_counted() {
    let data = data(&KINDS);
    let task = Task { reserved: 3, all_unlabeled: Some(40), ..task(&data).unwrap() };
    let drawn = task.drawn_counts();
    assert_eq!((drawn.positive, drawn.unlabeled, drawn.negative), (5, 40, 2));
}

#[test]
fn labels_may_be_given_apart_from_some_rows() {
    let matrix = Matrix::new(8, 1, (0..8).map(|row| row as f32).collect()).unwrap();
    let rows = Dataset::from_scaled(matrix, None).unwrap();
    let counts = Counts::new(2, 3);
    let labels = Cow::Borrowed(&KINDS[..]);
    let task = Task::of_some_rows(&rows, labels, false, counts, Scenario::CaseControl, 4, Machine::default());
    assert_eq!((task.counts, task.amounts, task.drawn), (counts, counts.into(), counts.into()));
    assert_eq!((task.drawn_counts(), task.seed, task.mu()), (counts, 4, None));
    assert!(task.weights.is_none() && task.copies.is_none() && !task.cross_fit && task.priors.is_none());
}

/// Labeled rows that are equal are set aside together; copies without a label stay.
#[test]
fn positives_that_are_equal_are_set_aside_together() {
    // Rows 0, 1 and 4 are equal.
    let values = (0..66).map(|row| if matches!(row, 1 | 4) { 0.0 } else { row as f32 }).collect();
    let kind = |row: usize| if matches!(row, 0 | 1 | 2 | 5) { Label::Positive } else { Label::Unlabeled };
    let data = Dataset::from_scaled(Matrix::new(66, 1, values).unwrap(), None).unwrap();
    let data = data.with_labels((0..66).map(kind).collect()).unwrap();
    let task = task(&data).unwrap();
    let (kept, aside) = task.whole_positives(vec![1, 2, 3, 4], vec![0, 5]);
    // Row 1 repeats row 0, which leads; row 4 has no label.
    assert_eq!((kept, aside), (vec![2, 3, 4], vec![0, 1, 5]));
    let (kept, aside) = task.whole_positives(vec![0, 1, 3, 4], vec![2, 5]);
    assert_eq!((kept, aside), (vec![0, 1, 3, 4], vec![2, 5]));
}

/// Of a long table a sample is judged, and what has a weight learns from all rows again.
#[test]
fn of_a_long_table_candidates_are_judged_on_a_sample() {
    const ROWS: usize = 172_000;
    let table = table(ROWS, 2);
    let task = table.task();
    let says = |signal: f32, noise: u32| Says { signal, noise, ..Says::default() };
    let scripts =
        || vec![Script::of_rounds("one", 2, says(1.0, 1)), Script::of_rounds("two", 2, says(1.0, 2))];
    let blend = || Blend { folds: 5, ..Blend::default() };
    let scorer = Scripted::blending(scripts(), blend());
    let outcome =
        learn(&scorer, &task, &Views::new(task.data), None, &mut |_: &Progress| Signal::Continue).unwrap();
    let sample = Warning::JudgedOnSample { rows: 170_000, of: ROWS, learned: ROWS };
    assert_eq!(outcome.report.warnings, [sample]);
    let held = outcome.report.held_out;
    assert_eq!((held.positive + held.unlabeled, outcome.held_out.len()), (170_000, 170_000));
    let whole: Vec<_> = scorer.asked().into_iter().filter(|one| one.scored.is_empty()).collect();
    assert_eq!(
        whole.iter().map(|one| (one.training.len(), one.run.1)).collect::<Vec<_>>(),
        [(ROWS, 2), (ROWS, 2)]
    );
    // The others are scored by models of a fold, which have not met them either.
    assert!(outcome.out_of_fold.iter().all(Option::is_some));
    let met: std::collections::HashSet<u32> = outcome.held_out.iter().copied().collect();
    let beyond: Vec<usize> = (0..ROWS).filter(|&row| !met.contains(&(row as u32))).collect();
    assert_eq!(beyond.len(), 2_000);
    let scores: Vec<f32> = beyond.iter().map(|&row| outcome.out_of_fold[row].unwrap()).collect();
    let truth: Vec<bool> = beyond.iter().map(|&row| table.truth[row]).collect();
    assert!(auc(&scores, &truth) > 0.8);
    // Asked to hold a share out, nothing beyond it is scored.
    let scorer = Scripted::blending(scripts(), blend());
    let share =
        learn(&scorer, &task, &Views::new(task.data), Some(0.1), &mut |_: &Progress| Signal::Continue);
    assert_eq!(share.unwrap().out_of_fold.iter().flatten().count(), 17_000);
}
