//! One model that learned what a blend says: boosted trees on the blend's scores out of fold.
//!
//! Least squares on the scores of a larger model (C. Buciluă, R. Caruana and A. Niculescu-Mizil, "Model compression", KDD 2006). Scores
//! out of fold are those of rows that were not met, so that the student learns what the blend says of new rows.
//!
//! It is calibrated and measured by students of the folds. Each learned what the models of its fold say of the rows they learned from, and
//! scores those that were held out. A student of scores out of fold would have met these by the teachers of other folds, which learned
//! their labels: on hpc_jobs its AUC was .95 where that of the blend is .80. What models say of rows they met is further from what they
//! say of others, so that the students of the folds are no better than the one that is kept.

use crate::jobs::STOPPED;
use crate::scorers::TableSize;
use crate::{At, Error, Observer, Progress, Signal, Task};
use onesided_data::Label;
use onesided_trees::{Binned, Boosting, TreesConfig, TreesModel};

/// Trees of a student and their leaves: a blend has ten times as many.
const TREES: usize = 200;
const LEAVES: usize = 31;
/// Rows in a leaf of a student, at least.
const SMALLEST_LEAF: usize = 10;

/// Rows with what a student is to say of them.
pub(super) struct Lesson {
    pub rows: Vec<u32>,
    pub scores: Vec<f64>,
}

/// A student of a lesson, and what it says of other rows. `number` of `all` trainings.
pub(super) fn taught(
    task: &Task,
    binned: &Binned,
    Lesson { rows, scores: targets }: Lesson,
    scored: &[u32],
    (number, all): (usize, usize),
    observer: Observer,
) -> Result<(TreesModel, Vec<f32>), Error> {
    let size = TableSize::of(task.data);
    let boosting = crate::scorers::Boosting { trees: TREES, max_leaves: LEAVES, learning_rate: 0.1, l2: 1.0 };
    let config = TreesConfig {
        min_child_rows: SMALLEST_LEAF,
        seed: task.seed,
        threads: task.machine.threads,
        ..size.boosted(boosting)
    };
    let of_label = |row: u32| task.labels[row as usize] == Label::Positive;
    let ordered = binned.ordered(&rows, of_label, task.seed);
    let binned = ordered.as_ref().unwrap_or(binned);
    let start = targets.iter().sum::<f64>() / targets.len().max(1) as f64;
    let boosting = Boosting { binned, training: &rows, start, config: &config };
    let mut derivatives = |scores: &[f64], of_rows: &mut [(f32, f32)]| {
        for ((of_row, score), target) in of_rows.iter_mut().zip(scores).zip(&targets) {
            *of_row = ((score - target) as f32, 1.0);
        }
    };
    let mut signal = Signal::Continue;
    let boosted = boosting.run(&mut derivatives, None, &mut |round| {
        let at = At::Tree { done: round.trees, most: TREES };
        let name = "a model of the blend's scores";
        signal = observer(&Progress { name, run: number, runs: all, device: "cpu", resumed_from: None, at });
        // Half of a student is none.
        signal != Signal::Abort
    })?;
    if signal == Signal::Abort {
        return Err(STOPPED);
    }
    let said = boosted.model.logits_of_with_threads(binned, scored, task.machine.threads)?;
    Ok((boosted.model, said.into_iter().map(|score| score as f32).collect()))
}
