//! What a fit says of itself: no better than the truth on average, and the truth inside of its intervals.
//!
//! Few labels are where it is hard: rows that decide when to stop, or how much of each member to take, look better than others.

use onesided::data::Stream;
use onesided::{ClassPrior, Dataset, HowScored, Label, Learner, Matrix};

const COLUMNS: usize = 6;

/// Rows of which a fourth is positive. Two columns lie `apart` for the two classes, the others are noise.
fn rows(seed: u64, count: usize, apart: f64) -> (Matrix, Vec<bool>) {
    let mut stream = Stream::new(seed, "rows");
    let truth: Vec<bool> = (0..count).map(|row| row % 4 == 0).collect();
    let mut cells = Vec::with_capacity(count * COLUMNS);
    for &positive in &truth {
        for column in 0..COLUMNS {
            let center = if positive && column < 2 { apart } else { 0.0 };
            cells.push((center + stream.normal()) as f32);
        }
    }
    (Matrix::new(count, COLUMNS, cells).unwrap(), truth)
}

/// How far the printed AUC is above that of many other rows, on average, and how often its interval holds the latter.
fn measured(learner: &Learner, apart: f64, fits: u64) -> (f64, u64) {
    let (mut above, mut inside) = (0.0, 0);
    for seed in 0..fits {
        let (matrix, truth) = rows(seed, 600, apart);
        // One in five positives has a label.
        let label = |row: usize| if row.is_multiple_of(20) { Label::Positive } else { Label::Unlabeled };
        let labels = (0..600).map(label).collect();
        let data = Dataset::from_scaled(matrix, None).unwrap().with_labels(labels).unwrap();
        assert_eq!(truth.iter().filter(|&&positive| positive).count(), 150);
        let model = learner.clone().seed(seed).fit(&data).unwrap();
        let (matrix, truth) = rows(1_000 + seed, 4_000, apart);
        let fresh = Dataset::from_scaled(matrix, None).unwrap();
        let true_auc = onesided::eval::auc(&model.score(&fresh).unwrap(), &truth).unwrap();
        let said = model.about().report.metrics["auc"];
        above += (said.value - true_auc) / fits as f64;
        inside += u64::from((said.low..=said.high).contains(&true_auc));
    }
    (above, inside)
}

fn learner() -> Learner {
    Learner::new().prior(ClassPrior::new(0.25).unwrap())
}

/// The standard error of the mean of 20 AUCs from 30 labels is about .017.
const NOISE: f64 = 0.06;

#[test]
fn trees_do_not_look_better_than_they_are() {
    let learner = learner().method("collective").model("trees".parse().unwrap());
    for apart in [0.0, 0.7] {
        let (above, inside) = measured(&learner, apart, 20);
        assert!(above.abs() < NOISE && inside >= 17, "{apart}: {above} {inside}");
    }
}

#[test]
fn networks_do_not_look_better_than_they_are() {
    let (above, inside) = measured(&learner().method("collective").epochs(30), 0.0, 20);
    assert!(above.abs() < NOISE && inside >= 17, "{above} {inside}");
}

/// Here rows that decide when to stop would look .05 better than others.
#[test]
fn rows_that_are_held_out_once_do_not_flatter_either() {
    let learner = learner().method("collective").hold_out(0.4).model("trees".parse().unwrap());
    let (above, inside) = measured(&learner, 0.7, 40);
    assert!(above.abs() < 0.03 && inside >= 33, "{above} {inside}");
}

/// The rows of the fit, scored out of fold, are no surer a measure later than they were in the fit.
#[test]
fn intervals_of_fitted_rows_leave_the_room_of_the_fit() {
    let (matrix, _) = rows(1, 600, 0.7);
    let label = |row: usize| if row.is_multiple_of(20) { Label::Positive } else { Label::Unlabeled };
    let labels: Vec<Label> = (0..600).map(label).collect();
    let data = Dataset::from_scaled(matrix, None).unwrap().with_labels(labels.clone()).unwrap();
    let model = learner().method("collective").model("trees".parse().unwrap()).fit(&data).unwrap();
    assert_eq!(model.about().report.folds, 5);
    let scores = model.score(&data).unwrap();
    let in_folds = |how| model.without_negatives_of(&scores, &labels, None, how, 200, 0).unwrap().recall;
    let (new, met) = (in_folds(HowScored::New), in_folds(HowScored::OutOfFold(5)));
    assert_eq!(new.value, met.value);
    assert!(new.low > 0.1 && (met.value - met.low) / (new.value - new.low) > 1.49, "{new:?} {met:?}");
}
