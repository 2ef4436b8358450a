//! Scores of rows that models have not met: on one scale over the folds, a second time, and of rows that no fold had.

use super::Joint;
use super::race::{Judged, Judgment, judge, with_fits};
use super::weights::{OutOfFold, mean};
use crate::folds::unlabeled_in_turn;
use crate::quantile_alignment::{FoldScores, aligned, aligned_to};
use crate::{Error, Kinds, Observer, Task};
use onesided_data::{Dataset, Label, Scaling};
use std::collections::HashMap;

/// Rows outside of a sample are scored this many at a time.
pub(super) const ROWS_AT_ONCE: usize = 65_536;
/// The rows of the folds with what the mean says of them, brought to one scale.
pub(super) fn on_one_scale(held: &[Kinds], blended: &OutOfFold) -> Vec<(u32, f32)> {
    aligned(by_fold(held, blended))
}

/// The same on the scale of some unlabeled rows.
pub(super) fn on_scale_of(unlabeled: Vec<f32>, held: &[Kinds], scores: &OutOfFold) -> Vec<(u32, f32)> {
    aligned_to(unlabeled, by_fold(held, scores))
}

fn by_fold(held: &[Kinds], blended: &OutOfFold) -> Vec<FoldScores> {
    let (mut p, mut u, mut n) = (&blended.positive[..], &blended.unlabeled[..], &blended.negative[..]);
    let mut scores = Vec::with_capacity(held.len());
    for rows in held {
        let (positive, unlabeled, negative);
        (positive, p) = p.split_at(rows.positive.len());
        (unlabeled, u) = u.split_at(rows.unlabeled.len());
        (negative, n) = n.split_at(rows.negative.len());
        scores.push(FoldScores {
            rows: rows.all(),
            scores: [positive, unlabeled, negative].concat(),
            unlabeled: unlabeled.to_vec(),
        });
    }
    scores
}

/// Scores the unlabeled rows a second time, by candidates that were trained on all positives and on the other parts of U, and takes
/// the mean. What keeps a row from being scored fairly is that it was met as an unlabeled one; positives need not be spared for
/// that, and of few positives a fifth is missed.
pub(super) fn once_more(
    chosen: &[(Judged, f64)],
    joint: &Joint,
    out_of_fold: &mut [Option<f32>],
    observer: Observer,
) -> Result<(), Error> {
    let task = joint.task;
    let folds = unlabeled_in_turn(task, joint.folds.len());
    let held: Vec<Kinds> = folds.iter().map(|fold| task.split_rows(&fold.scored)).collect();
    let candidates = chosen.iter().map(|(one, _)| one.candidate.clone()).collect();
    let trainer = joint.scorer.open(task, joint.views)?;
    let Judgment { judged, early, .. } =
        judge(trainer.as_ref(), with_fits(candidates), task, &folds, 0, Vec::new(), observer)?;
    if early || judged.len() < chosen.len() {
        return Ok(());
    }
    let scores: Vec<OutOfFold> = judged.into_iter().map(|one| one.scores).collect();
    let weights: Vec<f64> = chosen.iter().map(|(_, weight)| *weight).collect();
    let again = mean(&scores, &weights);
    let mut met = vec![false; task.data.len()];
    let first = |row: u32| task.copies.as_ref().map_or(row as usize, |copies| copies.of_row(row as usize));
    let known = (0u32..).zip(task.labels.iter()).filter(|(_, label)| **label != Label::Unlabeled);
    known.for_each(|(row, _)| met[first(row)] = true);
    for (row, score) in on_one_scale(&held, &again) {
        // Labeled rows were met, and with them their copies.
        if !met[first(row)] {
            let place = &mut out_of_fold[row as usize];
            *place = place.map(|first| (first + score) / 2.0);
        }
    }
    Ok(())
}

/// What the chosen candidates of a fold say of some rows, as their mean counts it.
pub(super) fn said_by_fold(
    chosen: &[(Judged, f64)],
    fold: usize,
    rows: &Dataset,
    task: &Task,
) -> Result<Vec<f64>, Error> {
    let mut sum = vec![0f64; rows.len()];
    for (one, weight) in chosen {
        let scores = one.fits[fold].fitted.scores(rows, task.machine.device, task.machine.threads)?;
        let weight = weight / one.scale.deviation;
        sum.iter_mut().zip(scores).for_each(|(sum, score)| *sum += weight * f64::from(score));
    }
    Ok(sum)
}

/// Scores of the rows that no fold had, by the models of one fold each: of the one that has a row's copy, or in turn.
pub(super) fn beyond_the_sample(
    chosen: &[(Judged, f64)],
    joint: &Joint,
    out_of_fold: &mut [Option<f32>],
) -> Result<(), Error> {
    let Joint { task, views, .. } = *joint;
    let mut there = vec![false; task.data.len()];
    let mut fold_of: HashMap<usize, usize> = HashMap::new();
    for (number, fold) in joint.folds.iter().enumerate() {
        for &row in &fold.scored {
            there[row as usize] = true;
            if let Some(copies) = &task.copies {
                fold_of.insert(copies.of_row(row as usize), number);
            }
        }
    }
    let others: Vec<usize> = (0..task.data.len()).filter(|&row| !there[row]).collect();
    let data = views.scaled(Scaling::Standard);
    let folds = chosen.first().map_or(1, |(one, _)| one.fits.len().max(1));
    for fold in 0..folds {
        let fold_for = |at: usize, row: usize| {
            let of_copy = task.copies.as_ref().and_then(|copies| fold_of.get(&copies.of_row(row)));
            of_copy.copied().unwrap_or(at % folds)
        };
        let mine = others.iter().enumerate().filter(|&(at, &row)| fold_for(at, row) == fold);
        let rows: Vec<usize> = mine.map(|(_, &row)| row).collect();
        for some in rows.chunks(ROWS_AT_ONCE) {
            let sum = said_by_fold(chosen, fold, &data.select(some), task)?;
            some.iter().zip(sum).for_each(|(&row, sum)| out_of_fold[row] = Some(sum as f32));
        }
    }
    Ok(())
}
