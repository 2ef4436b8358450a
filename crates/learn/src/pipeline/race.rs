//! Judging: every candidate is trained on each fold's other rows and scores its own.
//!
//! Those that are behind take little of the time: of a long table candidates are tried on a small sample first, of a shorter one on the
//! first folds, and those behind by more than noise there go no further.

use super::Joint;
use super::weights::{Judging, OutOfFold, weights};
use crate::folds::{Fold, FoldPlan, rows_to_screen};
use crate::jobs::{STOPPED, Tries, train_each};
use crate::{
    At, Candidate, Error, Kinds, Observer, Progress, ScoreScale, Signal, Task, TrainedScorer, Trainer, Tried,
};
use onesided_data::counted;
use std::borrow::Cow;
use std::sync::Arc;

/// Why a candidate is left out that says no numbers.
const UNSOUND: &str = "its scores are not numbers";
/// Folds on which all candidates are tried.
const FIRST_FOLDS: usize = 2;
/// How far behind the best one there a candidate is that goes no further, in units of 1 / √n_p, where n_p positives are scored: the
/// noise of an AUC is about half of that.
const BEHIND: f64 = 0.75;

/// A candidate after its folds.
pub(super) struct Judged {
    pub candidate: Candidate,
    pub fits: Vec<TrainedScorer>,
    pub scale: ScoreScale,
    pub scores: OutOfFold,
}

/// What came of all candidates.
pub(super) struct Judgment {
    pub judged: Vec<Judged>,
    /// Names and reasons.
    pub failed: Vec<(String, String)>,
    /// Somebody asked to stop and to keep what there is.
    pub early: bool,
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
pub(super) struct Behind {
    pub tried: Vec<Tried>,
    pub failed: Vec<(String, String)>,
    pub note: Option<String>,
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

pub(super) fn with_fits(candidates: Vec<Candidate>) -> Vec<(Candidate, Vec<TrainedScorer>)> {
    candidates.into_iter().map(|candidate| (candidate, Vec::new())).collect()
}

/// What came of all candidates, on these folds and so many rows, of which others are not learned from.
pub(super) struct Raced<'f> {
    pub judgment: Judgment,
    pub behind: Behind,
    pub folds: Cow<'f, [Fold]>,
    pub sampled: usize,
}

/// Judges candidates in two steps, so that those that are behind take little of the time: first on a small sample of a long table
/// or on the first folds, then on all folds.
pub(super) fn race<'f>(
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

/// Trains every candidate on every fold but the first ones, of which it has its fits. One that fails is left out, with the reason,
/// as others were before; all of them must not.
pub(super) fn judge(
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
    pub fn rounds(&self) -> usize {
        let mut best: Vec<usize> = self.fits.iter().map(|fit| fit.history.best_epoch).collect();
        best.sort_unstable();
        best.get(best.len() / 2).copied().unwrap_or(0)
    }
}

/// The rows of all folds by kind.
pub(super) fn gathered(held: &[Kinds]) -> Kinds {
    let rows = |of: fn(&Kinds) -> &Vec<u32>| held.iter().flat_map(of).copied().collect();
    Kinds {
        positive: rows(|kinds| &kinds.positive),
        unlabeled: rows(|kinds| &kinds.unlabeled),
        negative: rows(|kinds| &kinds.negative),
    }
}

/// The rows that each fold scores, by kind.
pub(super) fn held_rows(task: &Task, folds: &[Fold]) -> Vec<Kinds> {
    folds.iter().map(|fold| task.split_rows(&fold.scored)).collect()
}

/// What the candidates came to. The first of those with the largest weight counts as the chosen one.
pub(super) fn tried(task: &Task, judged: &[Judged], weights: &[f64]) -> Vec<Tried> {
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
