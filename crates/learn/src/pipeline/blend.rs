//! Blending: a mean of the candidates is put together, by the AUC of positives against unlabeled rows.
//!
//! 1. Of a long table, candidates are tried on a small sample first, and those that are behind there go no further
//!    (`race.rs`).
//! 2. Rows are split into folds; of a large table a sample is.
//! 3. Every candidate is trained on each fold's other rows and scores its own: a job each, a thread each.
//! 4. Weights follow from these scores (`weights.rs`).
//! 5. A candidate is the mean of its folds' models, which is steadier than one model of all rows. Where a sample was split, or
//!    one model is wanted, candidates with a weight are trained once more instead, on as many rows as they have a use for.
//! 6. The mean's scores out of fold are those of each fold by weights that follow from the other folds, because weights flatter the
//!    positives that they follow from. Rows outside of the sample are scored by the models of one fold each, in turn: those have not
//!    met them either.

use super::beside::{beside, beside_student};
use super::mean::{described_once, mean_of};
use super::out_of_fold::{beyond_the_sample, on_one_scale, once_more};
use super::race::{Judged, Judgment, Raced, gathered, held_rows, race, tried};
use super::student::student;
use super::weights::{OutOfFold, Parts, mean, weighed_by_other_parts, weights};
use super::{Joint, Kept, by_row};
use crate::criterion;
use crate::fitted::Member;
use crate::folds::rows_to_learn;
use crate::jobs::threads_of;
use crate::{
    Blend, Candidate, Error, Fitted, History, Kinds, Observer, RunNumber, Subset, Task, Trainer, Warning,
};
use onesided_data::{Encoding, Feature, FeatureKind};

/// Parts that rows which were held out once are dealt into, to weigh candidates by other rows.
const PARTS: usize = 5;

/// Trains the candidates on the folds, of which `sampled` rows are, and puts a mean of them together.
pub(super) fn blend(
    joint: &Joint,
    trainer: Box<dyn Trainer + '_>,
    candidates: Vec<Candidate>,
    how: &Blend,
    sampled: usize,
    observer: Observer,
) -> Result<Kept, Error> {
    let Joint { task, hold_out, .. } = *joint;
    let all_rows = task.data.len();
    let runs = candidates.len() * joint.folds.len();
    let Raced { judgment, behind, folds, sampled } =
        race(joint, trainer.as_ref(), candidates, sampled, observer)?;
    let joint = &Joint { folds: &folds, ..*joint };
    let Judgment { judged, failed, early } = judgment;
    let held: Vec<Kinds> = held_rows(task, &folds);
    let device = trainer.device();
    // What trainers hold is not needed by those that train on all rows.
    drop(trainer);
    let scores: Vec<OutOfFold> = judged.iter().map(|one| one.scores.clone()).collect();
    let usual: Vec<f64> = judged.iter().map(|one| one.candidate.usual).collect();
    let weights = weights(&scores, &usual, how.single);
    let blended = mean(&scores, &weights);
    let threads = threads_of(task.machine.threads);
    let mut fair = weighed_by_other_parts(&scores, &usual, how.single, &parts(&held), &blended, threads);
    let again = (sampled < all_rows || (how.single && hold_out.is_none())) && !early && !how.fast;
    let mut warnings: Vec<Warning> = without_trees(task.data.encoding()).into_iter().collect();
    warnings.extend(failed.into_iter().map(|(name, why)| Warning::LeftOut { name, why }));
    // What somebody asked to hold out stays out.
    let kept_out = if hold_out.is_some() { held.iter().flat_map(Kinds::all).collect() } else { Vec::new() };
    let learned_rows = if again { learned_rows(task, &kept_out) } else { Vec::new() };
    // Asked to stop at the first folds, models have met the rows of the others.
    let of_sample = folds.iter().all(|fold| fold.all_rows() <= sampled);
    if sampled < all_rows {
        // What a student learned from has a score.
        let others = if of_sample && !how.fast { sampled } else { all_rows };
        let learned = if again { learned_rows.len() } else { others };
        warnings.push(Warning::JudgedOnSample { rows: sampled, of: all_rows, learned });
    }
    let mut beside = beside(task, &judged, &fair);
    let candidates = tried(task, &judged, &weights).into_iter().chain(behind.tried).collect();
    let chosen: Vec<(Judged, f64)> =
        judged.into_iter().zip(weights).filter(|(_, weight)| *weight > 0.0).collect();
    let mut student_model = None;
    let mut out_of_fold = by_row(all_rows, on_one_scale(&held, &blended));
    if sampled < all_rows && hold_out.is_none() && of_sample {
        beyond_the_sample(&chosen, joint, &mut out_of_fold)?;
    }
    let mut described = described(&chosen);
    if how.fast {
        let student = student(&chosen, joint, &held, &out_of_fold, &blended, observer)?;
        described = format!("{} trees that learned the scores of {described}", student.0.trees().len());
        beside_student(task, &mut beside, &student.1);
        let of_rows = [&student.1.positive, &student.1.unlabeled, &student.1.negative];
        gathered(&held).all().into_iter().zip(of_rows.into_iter().flatten()).for_each(|(row, &score)| {
            out_of_fold[row as usize] = Some(score);
        });
        fair = student.1;
        student_model = Some(student.0);
    } else if task.cross_fit && sampled == all_rows && !early {
        once_more(&chosen, joint, &mut out_of_fold, observer)?;
    }
    let mut members = Vec::new();
    let all = chosen.len();
    let chosen = if student_model.is_some() { Vec::new() } else { chosen };
    for (number, (one, weight)) in chosen.into_iter().enumerate() {
        let weight = weight / one.scale.deviation;
        if again {
            let fitted = on_all_rows(&one, joint, &learned_rows, (number, all), observer)?;
            members.push(Member { weight, fitted });
        } else {
            members.extend(mean_of(one.fits.into_iter().map(|fit| fit.fitted).collect(), weight))
        }
    }
    joint.scorer.clean_up(runs);
    Ok(Kept {
        fitted: student_model.map_or_else(|| Fitted::Ensemble(described_once(members)), Fitted::Trees),
        described,
        folds: folds.len(),
        rows: gathered(&held),
        scores: [fair.positive, fair.unlabeled, fair.negative],
        scale: None,
        out_of_fold,
        history: History::default(),
        candidates,
        noise: None,
        criterion: criterion::auc_name(task),
        risk: 0.0,
        beside,
        warnings,
        notes: not_monotone(&how.not_monotone).into_iter().chain(behind.note).collect(),
        device,
        resumed_from: None,
    })
}

/// The rows that chosen candidates learn from: of all but those to keep out as many as they have a use for.
fn learned_rows(task: &Task, kept_out: &[u32]) -> Vec<usize> {
    let mut there = vec![true; task.data.len()];
    kept_out.iter().for_each(|&row| there[row as usize] = false);
    rows_to_learn(task, (0..task.data.len()).filter(|&row| there[row]).collect())
}

/// Which fold each scored row is in. Rows that were held out once are dealt into parts.
fn parts(held: &[Kinds]) -> Parts {
    let number = if held.len() > 1 { held.len() } else { PARTS };
    let of = |kind: fn(&Kinds) -> &Vec<u32>| -> Vec<usize> {
        let places = held.iter().enumerate().flat_map(|(fold, one)| {
            (0..kind(one).len()).map(move |at| if held.len() > 1 { fold } else { at % PARTS })
        });
        places.collect()
    };
    let of_rows = [of(|kinds| &kinds.positive), of(|kinds| &kinds.unlabeled), of(|kinds| &kinds.negative)];
    Parts { of_rows, number }
}

/// A candidate on these rows, through the rounds that its folds kept.
fn on_all_rows(
    one: &Judged,
    joint: &Joint,
    rows: &[usize],
    (number, all): (usize, usize),
    observer: Observer,
) -> Result<Fitted, Error> {
    let task = joint.task;
    let trainer = joint.scorer.open(task, joint.views)?;
    let name = format!("{} on all rows", one.candidate.name);
    let subset = Subset {
        training: &task.split(rows),
        stopping: &Kinds::default(),
        scored: &[],
        stop_after: Some(one.candidate.rounds.unwrap_or_else(|| one.rounds().max(1))),
        seed: task.seed,
        threads: task.machine.threads,
        run: RunNumber { name: &name, number, all, resumed_from: None },
    };
    Ok(trainer.fit(&subset, &one.candidate, observer)?.fitted)
}

/// `0.40 bagged trees, 0.33 linear, 0.27 forest`.
fn described(chosen: &[(Judged, f64)]) -> String {
    let mut parts: Vec<(f64, &str)> =
        chosen.iter().map(|(one, weight)| (*weight, one.candidate.name.as_str())).collect();
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    parts.iter().map(|(weight, name)| format!("{weight:.2} {name}")).collect::<Vec<_>>().join(", ")
}

/// That trees were not tried on columns next to a text that was asked for.
fn without_trees(encoding: &Encoding) -> Option<Warning> {
    let Encoding::Table(features) = encoding else { return None };
    let is_text = |feature: &&Feature| matches!(feature.kind, FeatureKind::Text { beside: false, .. });
    let text = features.columns().iter().find(is_text)?;
    let others = features.columns().iter().filter(|feature| !is_text(feature)).count();
    let (column, terms) = (text.name.clone(), text.width());
    (others > 0).then_some(Warning::TextWithoutTrees { column, terms, others })
}

/// That members were not tried because they cannot keep a constraint.
fn not_monotone(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| {
        format!(
            "not tried, because they cannot hold a score to going up or down with a column: {}",
            names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
        )
    })
}
