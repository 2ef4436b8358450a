//! Blending: a mean of the candidates is put together, by the AUC of positives against unlabeled rows.
//!
//! 1. Of a long table, candidates are tried on a small sample first, and those that are behind there go no further.
//! 2. Rows are split into folds; of a large table a sample is.
//! 3. Every candidate is trained on each fold's other rows and scores its own: a job each, a thread each.
//! 4. Weights follow from these scores (`weights.rs`).
//! 5. A candidate is the mean of its folds' models, which is steadier than one model of all rows. Where a sample was split, or
//!    one model is wanted, candidates with a weight are trained once more instead, on as many rows as they have a use for.
//! 6. The mean's scores out of fold are those of each fold by weights that follow from the other folds, because weights flatter the
//!    positives that they follow from. Rows outside of the sample are scored by the models of one fold each, in turn: those have not
//!    met them either.

use super::student::{Lesson, taught};
use super::weights::{Judging, OutOfFold, Parts, mean, weighed_by_other_parts, weights};
use super::{Joint, Kept, by_row, shift};
use crate::criterion;
use crate::fitted::Member;
use crate::folds::{Fold, FoldPlan, rows_to_learn, rows_to_screen, unlabeled_in_turn};
use crate::jobs::{STOPPED, Tries, threads_of, train_each};
use crate::quantile_alignment::{FoldScores, aligned, aligned_to};
use crate::{
    At, Beside, Blend, Candidate, Error, Fitted, History, Kinds, Observer, Progress, RunNumber, ScoreScale,
    Signal, Subset, Task, TrainedScorer, Trainer, Tried, Warning,
};
use onesided_data::{
    Dataset, Description, Encoding, Feature, FeatureKind, Label, PriorInUnlabeled, Scaling, counted,
};
use onesided_eval::Calibration;
use onesided_trees::TreesModel;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Rows outside of a sample are scored this many at a time.
const ROWS_AT_ONCE: usize = 65_536;
/// Parts that rows which were held out once are dealt into, to weigh candidates by other rows.
const PARTS: usize = 5;
/// Why a candidate is left out that says no numbers.
const UNSOUND: &str = "its scores are not numbers";
/// Folds on which all candidates are tried.
const FIRST_FOLDS: usize = 2;
/// How far behind the best one there a candidate is that goes no further, in units of 1 / √n_p, where n_p positives are scored: the
/// noise of an AUC is about half of that.
const BEHIND: f64 = 0.75;

/// A candidate after its folds.
struct Judged {
    candidate: Candidate,
    fits: Vec<TrainedScorer>,
    scale: ScoreScale,
    scores: OutOfFold,
}

/// What came of all candidates.
struct Judgment {
    judged: Vec<Judged>,
    /// Names and reasons.
    failed: Vec<(String, String)>,
    /// Somebody asked to stop and to keep what there is.
    early: bool,
}

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

/// The rows that each fold scores, by kind.
fn held_rows(task: &Task, folds: &[Fold]) -> Vec<Kinds> {
    folds.iter().map(|fold| task.split_rows(&fold.scored)).collect()
}

/// What came of the folds that candidates are tried on first.
enum First {
    /// These go on, with their fits where those count.
    On(Vec<(Candidate, Vec<TrainedScorer>)>),
    /// Somebody asked to stop: this is all there is.
    Over(Judgment),
}

/// Those that are tried first, and what is said of those that go no further.
#[derive(Default)]
struct Behind {
    tried: Vec<Tried>,
    failed: Vec<(String, String)>,
    note: Option<String>,
}

/// Trains candidates on the first folds. One that is behind the best by more than noise there, and has no weight, goes no further.
/// Where folds are those of a small sample, they do not count, and one that failed may have been short of rows.
fn first(
    trainer: &dyn Trainer,
    candidates: Vec<Candidate>,
    task: &Task,
    folds: &[Fold],
    count: bool,
    observer: Observer,
) -> Result<(First, Behind), Error> {
    let judgment = judge(trainer, with_fits(candidates.clone()), task, folds, 0, Vec::new(), observer)?;
    if judgment.early {
        return Ok((First::Over(judgment), Behind::default()));
    }
    let Judgment { judged, failed, .. } = judgment;
    let scores: Vec<OutOfFold> = judged.iter().map(|one| one.scores.clone()).collect();
    let usual: Vec<f64> = judged.iter().map(|one| one.candidate.usual).collect();
    let weights = weights(&scores, &usual, false);
    let aucs: Vec<f64> = scores.iter().map(OutOfFold::auc).collect();
    let best = aucs.iter().copied().fold(0.0, f64::max);
    let positives = scores.first().map_or(0, |one| one.positive.len()) as f64;
    let least = best - BEHIND / positives.sqrt();
    let is_behind = |at: usize| weights[at] == 0.0 && aucs[at] < least && !judged[at].candidate.is_naive;
    let names: Vec<&str> =
        (0..judged.len()).filter(|&at| is_behind(at)).map(|at| judged[at].candidate.name.as_str()).collect();
    let rows: usize = folds.iter().map(|fold| fold.scored.len()).sum();
    let note = (!names.is_empty()).then(|| {
        let names = names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        format!(
            "judged on {} alone, where they were behind by more than noise: {names}",
            counted(rows, "rows")
        )
    });
    let all_tried = tried(task, &judged, &vec![0.0; judged.len()]);
    let mut behind = Behind { note, ..Behind::default() };
    let mut on = Vec::new();
    let places: Vec<bool> = (0..judged.len()).map(is_behind).collect();
    for ((one, is_behind), tried) in judged.into_iter().zip(places).zip(all_tried) {
        if is_behind {
            behind.tried.push(Tried { chosen: false, ..tried });
        } else {
            on.push((one.candidate, if count { one.fits } else { Vec::new() }));
        }
    }
    if count {
        behind.failed = failed;
    } else {
        let again = candidates.into_iter().filter(|one| failed.iter().any(|(name, _)| *name == one.name));
        on.extend(with_fits(again.collect()));
    }
    Ok((First::On(on), behind))
}

/// An observer to whom so many trainings of all are done already.
fn counted_from<'o>(
    before: usize,
    all: usize,
    observer: &'o mut (dyn FnMut(&Progress) -> Signal + Send),
) -> impl FnMut(&Progress) -> Signal + Send + 'o {
    move |progress| match progress.at {
        At::Member { done, begun, .. } => {
            observer(&Progress { at: At::Member { done: before + done, all, begun }, ..*progress })
        }
        _ => observer(progress),
    }
}

fn with_fits(candidates: Vec<Candidate>) -> Vec<(Candidate, Vec<TrainedScorer>)> {
    candidates.into_iter().map(|candidate| (candidate, Vec::new())).collect()
}

/// What came of all candidates, on these folds and so many rows, of which others are not learned from.
struct Raced<'f> {
    judgment: Judgment,
    behind: Behind,
    folds: Cow<'f, [Fold]>,
    sampled: usize,
}

/// Judges candidates in two steps, so that those that are behind take little of the time: first on a small sample of a long table
/// or on the first folds, then on all folds.
fn race<'f>(
    joint: &Joint<'f, '_>,
    trainer: &dyn Trainer,
    candidates: Vec<Candidate>,
    sampled: usize,
    observer: Observer,
) -> Result<Raced<'f>, Error> {
    let (task, folds) = (joint.task, joint.folds);
    let sample = rows_to_screen(task, sampled).filter(|_| joint.hold_out.is_none());
    let (begin, done) = match &sample {
        _ if candidates.len() == 1 => (Cow::Borrowed(&folds[..0]), 0),
        Some(sample) => {
            let by_rows = candidates.iter().any(|candidate| candidate.rounds.is_none());
            (Cow::Owned(FoldPlan::blending(task, sample, None, FIRST_FOLDS, by_rows).deal(task)?), 0)
        }
        None if folds.len() > FIRST_FOLDS => (Cow::Borrowed(&folds[..FIRST_FOLDS]), FIRST_FOLDS),
        None => (Cow::Borrowed(&folds[..0]), 0),
    };
    // One count for both steps; what is not trained counts as done.
    let (tried, left) = (candidates.len(), folds.len() - done);
    let all = tried * (begin.len() + left);
    let (on, mut behind) = if begin.is_empty() {
        (with_fits(candidates), Behind::default())
    } else {
        match first(trainer, candidates, task, &begin, done > 0, &mut counted_from(0, all, observer))? {
            (First::On(on), behind) => (on, behind),
            (First::Over(judgment), behind) => {
                let sampled = begin.iter().map(|fold| fold.scored.len()).sum();
                return Ok(Raced { judgment, behind, folds: begin, sampled });
            }
        }
    };
    let before = tried * begin.len() + (tried - on.len()) * left;
    let judgment = judge(
        trainer,
        on,
        task,
        folds,
        done,
        std::mem::take(&mut behind.failed),
        &mut counted_from(before, all, observer),
    )?;
    Ok(Raced { judgment, behind, folds: Cow::Borrowed(folds), sampled })
}

/// The rows that chosen candidates learn from: of all but those to keep out as many as they have a use for.
fn learned_rows(task: &Task, kept_out: &[u32]) -> Vec<usize> {
    let mut there = vec![true; task.data.len()];
    kept_out.iter().for_each(|&row| there[row as usize] = false);
    rows_to_learn(task, (0..task.data.len()).filter(|&row| there[row]).collect())
}

/// Trains every candidate on every fold but the first ones, of which it has its fits. One that fails is left out, with the reason,
/// as others were before; all of them must not.
fn judge(
    trainer: &dyn Trainer,
    with_fits: Vec<(Candidate, Vec<TrainedScorer>)>,
    task: &Task,
    folds: &[Fold],
    done: usize,
    mut failed: Vec<(String, String)>,
    observer: Observer,
) -> Result<Judgment, Error> {
    let held = &held_rows(task, folds)[..];
    let (candidates, mut fits): (Vec<Candidate>, Vec<Vec<TrainedScorer>>) = with_fits.into_iter().unzip();
    let Tries { trained, failed: mut not_trained, early } =
        train_each(trainer, &candidates, &folds[done..], task, observer)?;
    // Those that could not begin come first.
    not_trained.sort_by_key(|(_, why)| !matches!(why, Error::NotOpened(_)));
    let name = |number: usize| candidates[number].name.clone();
    failed.extend(not_trained.into_iter().map(|(number, why)| (name(number), why.to_string())));
    let rows = Arc::new(Judging { weights: task.weights_by_kind(&gathered(held)), mu: task.mu() });
    let judged = trained.into_iter().map(|(number, others)| {
        let mut all = std::mem::take(&mut fits[number]);
        all.extend(others);
        Judged::new(candidates[number].clone(), all, held, rows.clone())
    });
    let (sound, others): (Vec<Judged>, Vec<Judged>) = judged.partition(|one| one.scores.auc().is_finite());
    let unsound = |one: Judged| (one.candidate.name, UNSOUND.to_string());
    failed.extend(others.into_iter().map(unsound));
    // Those whose scores are no numbers come last.
    failed.sort_by_key(|(_, why)| why == UNSOUND);
    match (sound.is_empty(), early) {
        (false, _) => Ok(Judgment { judged: sound, failed, early }),
        (true, true) => Err(STOPPED),
        (true, false) => Err(Error::AllMembersFailed(
            failed.iter().map(|(name, why)| format!("{name}: {why}")).collect::<Vec<_>>().join("; "),
        )),
    }
}

impl Judged {
    fn new(candidate: Candidate, fits: Vec<TrainedScorer>, held: &[Kinds], rows: Arc<Judging>) -> Self {
        let (mut positive, mut unlabeled, mut negative) = (Vec::new(), Vec::new(), Vec::new());
        for (fit, held) in fits.iter().zip(held) {
            let [p, u, n] = held.split(&fit.scored);
            positive.extend_from_slice(p);
            unlabeled.extend_from_slice(u);
            negative.extend_from_slice(n);
        }
        let scale = ScoreScale::measured(&unlabeled);
        let scaled = |scores: Vec<f32>| -> Vec<f32> {
            scores.into_iter().map(|score| (f64::from(score) / scale.deviation) as f32).collect()
        };
        let (positive, unlabeled) = (scaled(positive), scaled(unlabeled));
        let scores = OutOfFold { positive, unlabeled, negative: scaled(negative), rows };
        Self { candidate, fits, scale, scores }
    }

    /// Rounds that the folds kept, the middle one.
    fn rounds(&self) -> usize {
        let mut best: Vec<usize> = self.fits.iter().map(|fit| fit.history.best_epoch).collect();
        best.sort_unstable();
        best.get(best.len() / 2).copied().unwrap_or(0)
    }
}

/// The rows of all folds by kind.
fn gathered(held: &[Kinds]) -> Kinds {
    let rows = |of: fn(&Kinds) -> &Vec<u32>| held.iter().flat_map(of).copied().collect();
    Kinds {
        positive: rows(|kinds| &kinds.positive),
        unlabeled: rows(|kinds| &kinds.unlabeled),
        negative: rows(|kinds| &kinds.negative),
    }
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

/// The rows of the folds with what the mean says of them, brought to one scale.
fn on_one_scale(held: &[Kinds], blended: &OutOfFold) -> Vec<(u32, f32)> {
    aligned(by_fold(held, blended))
}

/// The same on the scale of some unlabeled rows.
fn on_scale_of(unlabeled: Vec<f32>, held: &[Kinds], scores: &OutOfFold) -> Vec<(u32, f32)> {
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
fn once_more(
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
fn said_by_fold(
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

/// A student of the scores out of fold, and what students of the folds say of the rows that these held out, on the scale of the blend.
fn student(
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

/// Scores of the rows that no fold had, by the models of one fold each: of the one that has a row's copy, or in turn.
fn beyond_the_sample(
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

/// The models of the folds as one: their mean is steadier than a model of all rows, and costs no training.
fn mean_of(models: Vec<Fitted>, weight: f64) -> Vec<Member> {
    let many = models.len() as f64;
    let (mut trees, mut described, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut looked_at = None;
    for fitted in models {
        match fitted {
            Fitted::Trees(model) => trees.push(model),
            Fitted::Described { by, model } => {
                looked_at = Some(by);
                described.push(*model);
            }
            fitted => others.push(Member { weight: weight / many, fitted }),
        }
    }
    let share = weight * trees.len() as f64 / many;
    others
        .extend(TreesModel::mean(trees).map(|model| Member { weight: share, fitted: Fitted::Trees(model) }));
    // The models of a member look at one description.
    if let Some(by) = looked_at {
        let of_described = |Member { weight, fitted }| Member {
            weight,
            fitted: Fitted::Described { by, model: Box::new(fitted) },
        };
        others.extend(mean_of(described, weight).into_iter().map(of_described));
    }
    others
}

/// The same sum in which pictures are described once for all members that look at one description.
fn described_once(members: Vec<Member>) -> Vec<Member> {
    let mut described: Vec<(Description, Vec<Member>)> = Vec::new();
    let mut gathered = Vec::new();
    for Member { weight, fitted } in members {
        match fitted {
            Fitted::Described { by, model } => {
                let member = Member { weight, fitted: *model };
                match described.iter_mut().find(|(of, _)| *of == by) {
                    Some((_, all)) => all.push(member),
                    None => described.push((by, vec![member])),
                }
            }
            fitted => gathered.push(Member { weight, fitted }),
        }
    }
    gathered.extend(described.into_iter().map(|(by, members)| {
        let model = Box::new(Fitted::Ensemble(members));
        Member { weight: 1.0, fitted: Fitted::Described { by, model } }
    }));
    gathered
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

/// What the candidates came to. The first of those with the largest weight counts as the chosen one.
fn tried(task: &Task, judged: &[Judged], weights: &[f64]) -> Vec<Tried> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let mut first = true;
    let one = |(one, &weight): (&Judged, &f64)| {
        let chosen = weight == largest && std::mem::take(&mut first);
        let risk = one.scores.held().risk(task.mu());
        Tried {
            name: one.candidate.name.clone(),
            risk: risk.is_finite().then_some(risk),
            epochs: one.fits.iter().map(|fit| fit.history.epochs).max().unwrap_or(0),
            best_epoch: one.rounds(),
            chosen,
            reduction: one.candidate.reduction,
            auc: Some(one.scores.auc()),
            weight: Some(weight),
        }
    };
    judged.iter().zip(weights).map(one).collect()
}

/// The mean, the plain alternative, and calling everything negative, by what can be said without a negative.
fn beside(task: &Task, judged: &[Judged], blended: &OutOfFold) -> Vec<Beside> {
    let Some(mu) = task.mu() else { return Vec::new() };
    let shift = shift(task, task.priors);
    // An accuracy at a prior that is a guess would be one, too.
    let known = task.priors.is_some_and(|priors| !priors.estimated);
    let row = |name: &str, scores: &OutOfFold| Beside {
        name: name.to_string(),
        auc: Some(scores.auc()),
        accuracy: accuracy(scores, mu, shift).filter(|_| known),
    };
    let mut rows = vec![row("auto", blended)];
    if let Some(naive) = judged.iter().find(|one| one.candidate.is_naive) {
        rows.push(row("naive", &naive.scores));
    }
    let accuracy = known.then_some(1.0 - mu.get());
    rows.push(Beside { name: "all negative".to_string(), auc: Some(0.5), accuracy });
    rows
}

/// A student takes the place of the blend, which stands beside it: what it costs.
fn beside_student(task: &Task, rows: &mut Vec<Beside>, student: &OutOfFold) {
    let Some(mu) = task.mu() else { return };
    let known = task.priors.is_some_and(|priors| !priors.estimated);
    let accuracy = accuracy(student, mu, shift(task, task.priors)).filter(|_| known);
    if let Some(first) = rows.first_mut() {
        first.name = "the blend".to_string();
    }
    rows.insert(0, Beside { name: "auto, fast".to_string(), auc: Some(student.auc()), accuracy });
}

/// The accuracy on unlabeled rows if their prior is right, of scores that were calibrated to it and decide for the
/// population: μ r + (1 - u) - μ (1 - r), where r and u are the shares of P and of U that are called positive.
fn accuracy(scores: &OutOfFold, mu: PriorInUnlabeled, shift: f64) -> Option<f64> {
    let held = scores.held();
    let calibration = Calibration::fit_weighted(held.positive, held.unlabeled, mu).ok()?;
    let called = |score: f32| if calibration.apply(score) + shift >= 0.0 { 1.0 } else { 0.0 };
    let (found, called, mu) = (held.positive.mean(called), held.unlabeled.mean(called), mu.get());
    // Beyond 1 the share and the labels do not fit together, and there is no accuracy to tell.
    Some(mu * found + (1.0 - called) - mu * (1.0 - found)).filter(|accuracy| (0.0..=1.0).contains(accuracy))
}
