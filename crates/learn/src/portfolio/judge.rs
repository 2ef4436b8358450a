//! Which rows members are judged on, and every member on every fold.

use super::blend::{Judging, OutOfFold};
use super::{Effort, PortfolioMember};
use crate::folds::{whole, workers};
use crate::under_way::UnderWay;
use crate::{
    At, Error, Fit, Kinds, Observer, Progress, RunNumber, ScoreScale, Signal, Subset, Task, Trainer, Views,
};
use onesided_data::{Label, Split, Stream, stratified_folds, stratified_holdout};
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
/// Cells of a sample on which members are judged, where a table has more, but at least and at most this many rows of it.
const MOST_JUDGED: usize = 8_000_000;
const JUDGED_ROWS: [usize; 2] = [20_000, 170_000];
/// One row in this many of a sample may be a positive at least, however rare they are in the table.
const JUDGED_POSITIVES: usize = 8;
/// Cells up to which there are five folds; three for more.
const FIVE_FOLDS: usize = 2_500_000;
/// One row in this many decides when a network stops.
const STOPPING: usize = 8;

/// Rows to learn from and rows to be scored by what was learned.
pub(super) struct Fold {
    pub training: Kinds,
    pub scored: Kinds,
}

/// A member after its folds.
pub(super) struct Judged<'p> {
    pub member: &'p PortfolioMember,
    pub fits: Vec<Fit>,
    pub scale: ScoreScale,
    pub scores: OutOfFold,
}

/// All rows, or of a large table some positives and some unlabeled ones: as many as fit, positives not below an eighth.
pub(super) fn judged_rows(task: &Task) -> Vec<usize> {
    let columns = task.data.encoding().whole_width().max(1);
    let most = (MOST_JUDGED / columns).clamp(JUDGED_ROWS[0], JUDGED_ROWS[1]);
    let all = task.labels.len();
    if all <= most {
        return (0..all).collect();
    }
    let share = |count: usize| (count as f64 * most as f64 / all as f64) as usize;
    let positives = share(task.counts.positive).max(most / JUDGED_POSITIVES).min(task.counts.positive);
    let mut stream = Stream::new(task.seed, "judged rows");
    let mut rows = Vec::new();
    // Known negatives come last, so that the others are drawn as if there were none, and share what is left with U.
    let negatives = share(task.counts.negative).max(most / JUDGED_POSITIVES).min(task.counts.negative);
    let unlabeled = most - positives - negatives.min(most / 2);
    let kinds = [(Label::Positive, positives), (Label::Unlabeled, unlabeled), (Label::Negative, negatives)];
    for (kind, many) in kinds {
        let mut of_kind: Vec<usize> = (0..all).filter(|&row| task.labels[row] == kind).collect();
        stream.shuffle(&mut of_kind);
        of_kind.truncate(many);
        rows.extend(of_kind);
    }
    rows.sort_unstable();
    rows
}

/// The folds of these rows.
pub(super) fn folds(
    task: &Task,
    sample: &[usize],
    hold_out: Option<f64>,
    effort: Effort,
) -> Result<Vec<Fold>, Error> {
    let labels: Vec<Label> = sample.iter().map(|&row| task.labels[row]).collect();
    let fewest = labels
        .iter()
        .filter(|label| **label == Label::Positive)
        .count()
        .min(labels.iter().filter(|label| **label == Label::Unlabeled).count());
    let wanted = match effort {
        _ if sample.len() * task.data.encoding().whole_width() > FIVE_FOLDS => 3,
        Effort::Quick => 3,
        Effort::Normal => 5,
        Effort::Thorough => 10,
    };
    let splits = match hold_out {
        Some(share) => vec![stratified_holdout(&labels, share, task.seed)?],
        None if fewest < 4 => vec![stratified_holdout(&labels, 0.5, task.seed)?],
        None => stratified_folds(&labels, wanted.min(fewest / 2).max(2), task.seed)?,
    };
    let of_sample = |rows: &[usize]| rows.iter().map(|&at| sample[at]).collect::<Vec<usize>>();
    let splits = splits.iter().map(|(kept, held)| (of_sample(kept), of_sample(held))).collect();
    let fold = |(kept, held): &Split| Fold { training: task.split(kept), scored: task.split(held) };
    Ok(whole(task, splits).iter().map(fold).collect())
}

/// What came of all members.
pub(super) struct Tries<'p> {
    pub judged: Vec<Judged<'p>>,
    /// Names and reasons.
    pub failed: Vec<(String, String)>,
    /// Somebody asked to stop and to keep what there is.
    pub early: bool,
    pub device: String,
}

/// Trains every member on every fold. A member that fails is left out, with the reason; all of them must not.
pub(super) fn judge<'p>(
    members: &[&'p PortfolioMember],
    task: &Task,
    views: &Views,
    folds: &[Fold],
    observer: Observer,
) -> Result<Tries<'p>, Error> {
    let mut trainers: Vec<Result<Box<dyn Trainer + '_>, Error>> =
        members.iter().map(|member| member.scorer.open(task, views)).collect();
    let side_by_side = trainers.iter().flatten().all(|trainer| trainer.side_by_side());
    let devices = trainers.iter().flatten().map(|trainer| trainer.device());
    let device = devices.into_iter().find(|device| device != "cpu").unwrap_or_else(|| "cpu".to_string());
    let threads = if side_by_side { workers(task.machine.threads) } else { 1 };
    let jobs: Vec<(usize, usize)> = (0..members.len())
        .filter(|&member| trainers[member].is_ok())
        .flat_map(|member| (0..folds.len()).map(move |fold| (member, fold)))
        .collect();
    let results: Vec<Mutex<Option<Result<Fit, Error>>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    let (next, stop) = (AtomicUsize::new(0), AtomicU8::new(GO_ON));
    let shared = Mutex::new((UnderWay::new(jobs.len()), observer));
    let work = || loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        let Some(&(member, fold)) = jobs.get(number) else { return };
        let Some(Ok(trainer)) = trainers.get(member) else { continue };
        let member = members[member];
        let ask = |shared: &mut (UnderWay, Observer)| {
            // Who asked for a stop is not asked again.
            if stop.load(Ordering::SeqCst) != GO_ON {
                return;
            }
            let (done, begun) = (shared.0.done, shared.0.begun());
            let at = At::Member { done, all: jobs.len(), begun };
            let progress =
                Progress { name: &member.name, run: 0, runs: 1, device: &device, resumed_from: None, at };
            match (shared.1)(&progress) {
                Signal::Continue => {}
                Signal::Finish => stop.store(FINISH, Ordering::SeqCst),
                Signal::Abort => stop.store(ABORT, Ordering::SeqCst),
            }
        };
        // Members look up between two trees or batches, and whoever wants to stop should not wait for the end of one. Who
        // finds the observer busy continues: the answer reaches all.
        let mut quiet = |progress: &Progress| {
            if let Ok(mut shared) = shared.try_lock() {
                shared.0.parts[number] = progress.at.part();
                ask(&mut shared);
            }
            match stop.load(Ordering::SeqCst) {
                GO_ON => Signal::Continue,
                _ => Signal::Abort,
            }
        };
        let inside = if threads == 1 { task.machine.threads } else { 1 };
        let result = fit(member, trainer.as_ref(), task, &folds[fold], inside, &mut quiet);
        *results[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.0.end(number);
        ask(&mut shared);
        if stop.load(Ordering::SeqCst) != GO_ON {
            next.store(jobs.len(), Ordering::SeqCst);
        }
    };
    std::thread::scope(|scope| (0..threads.min(jobs.len())).for_each(|_| drop(scope.spawn(work))));
    let early = stop.load(Ordering::SeqCst) != GO_ON;
    if stop.load(Ordering::SeqCst) == ABORT {
        return Err(Error::Interrupted { epoch: 0, checkpoint: None });
    }
    let mut of_members: Vec<Vec<Fit>> = members.iter().map(|_| Vec::new()).collect();
    let mut failed = Vec::new();
    for (member, trainer) in members.iter().zip(&mut trainers) {
        if let Err(why) = trainer {
            failed.push((member.name.clone(), why.to_string()));
        }
    }
    for (&(member, _), result) in jobs.iter().zip(results) {
        match result.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(Ok(fit)) => of_members[member].push(fit),
            Some(Err(Error::Interrupted { .. })) | None => {}
            Some(Err(why)) => failed.push((members[member].name.clone(), why.to_string())),
        }
    }
    failed.dedup_by(|a, b| a.0 == b.0);
    drop(trainers);
    let whole = members.iter().copied().zip(of_members).filter(|(_, fits)| fits.len() == folds.len());
    let judging = Arc::new(judging(task, folds));
    let judged: Vec<Judged> =
        whole.map(|(member, fits)| Judged::new(member, fits, folds, judging.clone())).collect();
    let (sound, others): (Vec<Judged>, Vec<Judged>) =
        judged.into_iter().partition(|one| one.scores.auc().is_finite());
    failed.extend(
        others.into_iter().map(|one| (one.member.name.clone(), "its scores are not numbers".to_string())),
    );
    match (sound.is_empty(), early) {
        (false, _) => Ok(Tries { judged: sound, failed, early, device }),
        (true, true) => Err(Error::Interrupted { epoch: 0, checkpoint: None }),
        (true, false) => Err(Error::AllMembersFailed(
            failed.iter().map(|(name, why)| format!("{name}: {why}")).collect::<Vec<_>>().join("; "),
        )),
    }
}

const GO_ON: u8 = 0;
const FINISH: u8 = 1;
const ABORT: u8 = 2;

/// One member on one fold.
fn fit(
    member: &PortfolioMember,
    trainer: &dyn Trainer,
    task: &Task,
    fold: &Fold,
    threads: usize,
    observer: Observer,
) -> Result<Fit, Error> {
    // What stops by itself sets rows aside for that: those it is scored on must not decide.
    let (training, stopping) = match member.rounds {
        Some(_) => (fold.training.clone(), Kinds::default()),
        None => set_aside(&fold.training, task),
    };
    let scored = fold.scored.all();
    let subset = Subset {
        training: &training,
        stopping: &stopping,
        scored: &scored,
        stop_after: member.rounds,
        seed: task.seed,
        threads,
        run: RunNumber { name: &member.name, ..RunNumber::default() },
    };
    trainer.fit(&subset, &member.candidate(), observer)
}

fn set_aside(rows: &Kinds, task: &Task) -> (Kinds, Kinds) {
    let mut stream = Stream::new(task.seed, "rows that decide when to stop");
    let mut parted = |rows: &[u32]| {
        let mut rows = rows.to_vec();
        stream.shuffle(&mut rows);
        let mut kept = rows.split_off(rows.len().div_ceil(STOPPING));
        kept.sort_unstable();
        rows.sort_unstable();
        (kept, rows)
    };
    let (positive, unlabeled) = (parted(&rows.positive), parted(&rows.unlabeled));
    // Of few negatives none is spared.
    let negative = if rows.negative.len() >= STOPPING {
        parted(&rows.negative)
    } else {
        (rows.negative.clone(), Vec::new())
    };
    let kept = Kinds { positive: positive.0, unlabeled: unlabeled.0, negative: negative.0 };
    let aside = Kinds { positive: positive.1, unlabeled: unlabeled.1, negative: negative.1 };
    if task.copies.is_none() {
        return (kept, aside);
    }
    let of = |rows: &Kinds| rows.all().into_iter().map(|row| row as usize).collect::<Vec<usize>>();
    let [kept, aside] = task.gathered([of(&kept), of(&aside)]);
    (task.split(&kept), task.split(&aside))
}

/// What members of these folds are judged by.
fn judging(task: &Task, folds: &[Fold]) -> Judging {
    let rows =
        |of: fn(&Kinds) -> &Vec<u32>| folds.iter().flat_map(|fold| of(&fold.scored)).copied().collect();
    let scored = Kinds {
        positive: rows(|kinds| &kinds.positive),
        unlabeled: rows(|kinds| &kinds.unlabeled),
        negative: rows(|kinds| &kinds.negative),
    };
    Judging { weights: task.weights_by_kind(&scored), mu: task.mu() }
}

impl<'p> Judged<'p> {
    fn new(member: &'p PortfolioMember, fits: Vec<Fit>, folds: &[Fold], rows: Arc<Judging>) -> Self {
        let (mut positive, mut unlabeled, mut negative) = (Vec::new(), Vec::new(), Vec::new());
        for (fit, fold) in fits.iter().zip(folds) {
            let [p, u, n] = fold.scored.split(&fit.scored);
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
        Self { member, fits, scale, scores }
    }

    /// Rounds that the folds kept, the middle one.
    pub(super) fn rounds(&self) -> usize {
        let mut best: Vec<usize> = self.fits.iter().map(|fit| fit.history.best_epoch).collect();
        best.sort_unstable();
        best.get(best.len() / 2).copied().unwrap_or(0)
    }
}
