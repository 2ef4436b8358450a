//! One model that learned what a blend says: boosted trees on the blend's scores out of fold.
//!
//! Least squares on the scores of a larger model (C. Buciluă, R. Caruana and A. Niculescu-Mizil, "Model compression", KDD 2006). Scores
//! out of fold are those of rows that were not met, so that the student learns what the blend says of new rows.
//!
//! It is calibrated and measured by students of the folds. Each learned what the models of its fold say of the rows they learned from, and
//! scores those that were held out. A student of scores out of fold would have met these by the teachers of other folds, which learned
//! their labels: on hpc_jobs its AUC was .95 where that of the blend is .80. What models say of rows they met is further from what they
//! say of others, so that the students of the folds are no better than the one that is kept.

use super::Joint;
use super::out_of_fold::{ROWS_AT_ONCE, on_scale_of, said_by_fold};
use super::race::Judged;
use super::weights::OutOfFold;
use crate::jobs::STOPPED;
use crate::scorers::TableSize;
use crate::{At, Error, Kinds, Observer, Progress, Signal, Task};
use onesided_data::{Label, Scaling};
use onesided_trees::{Binned, Boosting, TreesConfig, TreesModel};
use std::collections::HashMap;

/// Trees of a student and their leaves: a blend has ten times as many.
const TREES: usize = 200;
const LEAVES: usize = 31;
/// Rows in a leaf of a student, at least.
const SMALLEST_LEAF: usize = 10;

/// Rows with what a student is to say of them.
struct Lesson {
    rows: Vec<u32>,
    scores: Vec<f64>,
}

/// A student of a lesson, and what it says of other rows. `number` of `all` trainings.
fn taught(
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
    let ordered = binned.ordered(&rows, of_label, task.seed)?;
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

/// A student of the scores out of fold, and what students of the folds say of the rows that these held out, on the scale of the blend.
pub(super) fn student(
    chosen: &[(Judged, f64)],
    joint: &Joint,
    held: &[Kinds],
    out_of_fold: &[Option<f32>],
    blended: &OutOfFold,
    observer: Observer,
) -> Result<(TreesModel, OutOfFold), Error> {
    let (task, binned, trainings) = (joint.task, joint.views.binned()?, held.len() + 1);
    let data = joint.views.scaled(Scaling::Standard);
    let mut scored = OutOfFold { rows: blended.rows.clone(), ..OutOfFold::default() };
    for (number, (fold, held)) in joint.folds.iter().zip(held).enumerate() {
        let mut rows = [fold.training.all(), fold.stopping.all()].concat();
        rows.sort_unstable();
        let mut scores = Vec::with_capacity(rows.len());
        for some in rows.chunks(ROWS_AT_ONCE) {
            let places: Vec<usize> = some.iter().map(|&row| row as usize).collect();
            scores.extend(said_by_fold(chosen, number, &data.select(&places), task)?);
        }
        let lesson = Lesson { rows, scores };
        let (_, said) = taught(task, binned, lesson, &held.all(), (number, trainings), observer)?;
        let [positive, unlabeled, negative] = held.split(&said);
        scored.positive.extend_from_slice(positive);
        scored.unlabeled.extend_from_slice(unlabeled);
        scored.negative.extend_from_slice(negative);
    }
    // In the order of the folds, each brought to the scale of the blend.
    let of_rows: HashMap<u32, f32> =
        on_scale_of(blended.unlabeled.clone(), held, &scored).into_iter().collect();
    let of = |rows: fn(&Kinds) -> &Vec<u32>| -> Vec<f32> {
        held.iter().flat_map(rows).map(|row| of_rows[row]).collect()
    };
    let scored = OutOfFold {
        positive: of(|kinds| &kinds.positive),
        unlabeled: of(|kinds| &kinds.unlabeled),
        negative: of(|kinds| &kinds.negative),
        ..scored
    };
    let known = (0u32..).zip(out_of_fold).filter_map(|(row, score)| Some((row, f64::from((*score)?))));
    let (rows, scores): (Vec<u32>, Vec<f64>) = known.unzip();
    let lesson = Lesson { rows, scores };
    let (model, _) = taught(task, binned, lesson, &[], (held.len(), trainings), observer)?;
    Ok((model, scored))
}
