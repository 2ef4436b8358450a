//! Whether the labels of a fit can be a random sample of the positives, from scores out of fold that are there anyway.

use crate::Model;
use onesided_data::{Label, Scenario, Store};
use onesided_eval::{LabelingRows, LabelingTest, labeling_test};
use onesided_learn::Task;

/// Tests the labels of a task by `scores`, one per row where there is one by what had not met it. `None` where a test says nothing: with
/// weights, of the truth, and without a share or with one that was merely assumed.
pub(crate) fn test_labels(model: &Model, task: &Task, scores: &[Option<f32>]) -> Option<LabelingTest> {
    let about = model.about();
    let estimate = about.prior_estimate.as_ref();
    let assumed = estimate.is_some_and(|estimate| estimate.assumed.is_some());
    let least = about.least_share().filter(|_| !task.truth && task.weights.is_none() && !assumed)?;
    let rows: Vec<usize> = (0..task.labels.len())
        .filter(|&row| task.labels[row] != Label::Negative && scores[row].is_some())
        .collect();
    let whole = rows.len() == task.counts.positive + task.counts.unlabeled;
    let drawn = task.reserved > 0 || task.all_unlabeled.is_some();
    let labeled: Vec<bool> = rows.iter().map(|&row| task.labels[row] == Label::Positive).collect();
    let of_rows: Vec<f32> = rows.iter().filter_map(|&row| scores[row]).collect();
    let given = LabelingRows {
        scores: &of_rows,
        labeled: &labeled,
        least,
        estimated: estimate.is_some() && !least.audited,
        one_sample: task.scenario == Scenario::SingleSample && whole && !drawn,
        seed: task.seed,
    };
    match task.data.rows() {
        Store::Dense(matrix) => {
            let names = task.data.encoding().names();
            labeling_test(given, &names, |column, row| matrix.row(rows[row])[column])
        }
        _ => labeling_test(given, &[], |_, _| 0.0),
    }
}
