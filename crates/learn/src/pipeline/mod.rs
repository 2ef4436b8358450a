//! The one way from data to a model: hold rows out, train, choose or blend, calibrate, measure.
//!
//! 1. Rows are held out: once, or, where that would leave few, each part of them in turn (`folds.rs`).
//! 2. Each candidate of the scorer is trained on the others and scores what was held out (`jobs.rs`).
//! 3. One is chosen, or a mean of them is put together, as the scorer's [`Policy`] says (`choose.rs`, `blend.rs`).
//! 4. Its scores are calibrated on the held-out rows at U's prior and moved to the population's; a theory's probabilities
//!    stay as they are.
//! 5. Threshold and metrics follow, on the held-out rows. Where their positives are few, others decide where training stops for
//!    steps 4 and 5 (`early_stopping.rs`).

mod beside;
mod blend;
mod choose;
mod mean;
mod out_of_fold;
mod race;
mod student;
mod weights;

use crate::fitted::CERTAIN;
use crate::folds::{Fold, FoldPlan, rows_to_judge};
use crate::jobs::threads_of;
use crate::{
    Beside, Epoch, Error, Fitted, History, Info, Kinds, Observer, Policy, Priors, Report, ScoreScale, Scorer,
    Task, Tried, Views, Warning,
};
use onesided_classic::Link;
use onesided_data::{Amounts, Counts, PriorInUnlabeled};
use onesided_eval::{Calibration, Sample, ThresholdRule};
use std::collections::BTreeMap;

/// With fewer held-out positives than this, choices and metrics rest on too few rows to be quiet about it.
const FEW_HELD_OUT: usize = 50;
/// A share of probabilities above 1 that is worth a word.
const CLIPPED: f64 = 0.01;

/// What came of a fit: all that a model is made of.
#[derive(Clone, Debug)]
pub struct Learned {
    /// What scores.
    pub fitted: Fitted,
    /// What the scorer is.
    pub info: Info,
    /// What scores, in words: `mlp:128,128`, `linear`, `kernel`.
    pub model: String,
    /// The objective with its options, or what a system chose, in words.
    pub described: String,
    /// The priors: those of the task, or those that follow from what the scorer estimated.
    pub priors: Option<Priors>,
    /// From a score to a logit at U's prior.
    pub calibration: Calibration,
    /// From U's prior to the population's.
    pub shift: f64,
    /// How it went; metrics are not in it yet.
    pub report: Report,
    /// Scores of held-out positives, before calibration.
    pub positive: Vec<f32>,
    /// Scores of held-out unlabeled rows (or negatives), before calibration.
    pub unlabeled: Vec<f32>,
    /// Which rows those are, positives first.
    pub held_out: Vec<u32>,
    /// Scores of held-out negatives that are known as such, before calibration.
    pub negative: Vec<f32>,
    /// For each row of the task, its score by what was trained without it, before calibration; `None` where everything
    /// that was trained had met it.
    pub out_of_fold: Vec<Option<f32>>,
}

/// What a policy looks at.
#[derive(Clone, Copy)]
struct Joint<'a, 'v> {
    scorer: &'a dyn Scorer,
    task: &'a Task<'a>,
    views: &'a Views<'v>,
    folds: &'a [Fold],
    /// The share of rows that was asked to be held out.
    hold_out: Option<f64>,
}

/// What a policy keeps of what was trained.
struct Kept {
    fitted: Fitted,
    /// In words.
    described: String,
    /// In how many parts rows were held out.
    folds: usize,
    /// The rows held out.
    rows: Kinds,
    /// Their scores by kind, by models that had not seen the rows and were neither stopped nor weighed by them.
    scores: [Vec<f32>; 3],
    /// From the model's scores to these; `None` where they are its own.
    scale: Option<ScoreScale>,
    /// A score for each row of the task, by models that had not seen it.
    out_of_fold: Vec<Option<f32>>,
    history: History,
    candidates: Vec<Tried>,
    noise: Option<f64>,
    criterion: &'static str,
    risk: f64,
    beside: Vec<Beside>,
    warnings: Vec<Warning>,
    notes: Vec<String>,
    device: String,
    resumed_from: Option<usize>,
}

/// A score for each row of a task, from the scores of rows that were not trained on.
fn by_row(rows: usize, scored: impl IntoIterator<Item = (u32, f32)>) -> Vec<Option<f32>> {
    let mut of_rows = vec![None; rows];
    scored.into_iter().for_each(|(row, score)| of_rows[row as usize] = Some(score));
    of_rows
}

/// Refuses what [`learn`] would refuse before its first step. Allocates nothing that learning allocates.
pub fn check(scorer: &dyn Scorer, task: &Task, threshold: ThresholdRule) -> Result<(), Error> {
    let info = scorer.info();
    if info.needs_truth != task.truth && info.needs_truth {
        return Err(Error::NeedsTruth(info.method.into_owned()));
    }
    let wants = scorer.wants();
    if wants.pictures && task.data.encoding().shape().is_none() {
        let (model, rows) = (info.model.into_owned(), task.data.encoding().takes());
        return Err(Error::ModelInput { model, takes: "pictures", rows });
    }
    if wants.dense {
        task.data.rows().check_dense()?;
    }
    task.data.check_finite()?;
    if threshold != ThresholdRule::Half && task.priors.is_none() {
        return Err(Error::ThresholdNeedsPrior);
    }
    if threshold != ThresholdRule::Half && task.weights.is_some() {
        return Err(Error::ThresholdWeights);
    }
    check_kinds(scorer, task)?;
    scorer.check(task)
}

/// Refuses known negatives and weights where a scorer has no place for them, with its reason.
fn check_kinds(scorer: &dyn Scorer, task: &Task) -> Result<(), Error> {
    let method = || scorer.info().method.into_owned();
    if task.counts.negative > 0
        && let Err(why) = scorer.takes_negatives()
    {
        return Err(Error::NoNegatives { method: method(), why: why.into_owned() });
    }
    if task.weights.is_some()
        && let Err(why) = scorer.takes_weights()
    {
        return Err(Error::NoWeights { method: method(), why: why.into_owned() });
    }
    Ok(())
}

/// Learns from a data set by a scorer.
pub fn learn(
    scorer: &dyn Scorer,
    task: &Task,
    views: &Views,
    hold_out: Option<f64>,
    observer: Observer,
) -> Result<Learned, Error> {
    let candidates = scorer.candidates();
    let policy = scorer.policy();
    let sample = if policy == Policy::Choose { Vec::new() } else { rows_to_judge(task) };
    let plan = match &policy {
        Policy::Choose => FoldPlan::choosing(task, hold_out),
        Policy::Blend(blend) => {
            let by_rows = candidates.iter().any(|candidate| candidate.rounds.is_none());
            FoldPlan::blending(task, &sample, hold_out, blend.folds, by_rows)
        }
    };
    let folds = plan.deal(task)?;
    let joint = Joint { scorer, task, views, folds: &folds, hold_out };
    let trainer = scorer.open(task, views)?;
    let kept = match policy {
        Policy::Choose => choose::choose(&joint, trainer, candidates, observer)?,
        Policy::Blend(how) => blend::blend(&joint, trainer, candidates, &how, sample.len(), observer)?,
    };
    finish(scorer, task, kept)
}

/// Calibrates what was kept on the held-out rows.
fn finish(scorer: &dyn Scorer, task: &Task, kept: Kept) -> Result<Learned, Error> {
    let [positive, unlabeled, negative] = kept.scores;
    let held_out = Counts { positive: positive.len(), unlabeled: unlabeled.len(), negative: negative.len() };
    let priors = task.priors.or_else(|| by_label_frequency(task, &kept.fitted));
    let mu = priors.filter(|_| !task.truth).map(|priors| priors.in_unlabeled);
    let shift = shift(task, priors);
    let info = scorer.info();
    let calibration = match (kept.fitted.link(), mu) {
        // The logit holds for the population already: what the shift will add is taken off.
        (Some(_), _) => Calibration { slope: 1.0, offset: reserve_shift(task, priors) - shift },
        (None, Some(mu)) => {
            let [wp, wu, _] = task.weights_by_kind(&kept.rows);
            let sample = |scores, weights| Sample { scores, weights };
            let (positive, unlabeled) =
                (sample(&positive[..], wp.as_deref()), sample(&unlabeled, wu.as_deref()));
            Calibration::fit_weighted(positive, unlabeled, mu)?
        }
        (None, None) if task.truth || info.works_without_prior => Calibration::identity(),
        (None, None) => return Err(Error::NeedsPrior(info.method.into_owned())),
    };
    let mut warnings = warnings(task, held_out.positive, kept.risk);
    warnings.extend(kept.warnings);
    if priors.is_none() && !task.truth {
        warnings.push(Warning::NoPrior);
    }
    if onesided_loss::method(&info.method).is_ok_and(|method| method.ranks) {
        warnings.push(Warning::RanksAlone);
    }
    warnings.extend(clipped(&kept.fitted, &unlabeled));
    let finite = |x: f64| x.is_finite().then_some(x);
    let history = kept.history.of_epochs.iter();
    let report = Report {
        seed: if kept.history.config.is_some() { None } else { Some(task.seed) },
        history: history
            .map(|e| Epoch { epoch: e.epoch, loss: finite(e.loss), risk: e.risk.and_then(finite) })
            .collect(),
        config: kept.history.config,
        device: kept.device,
        threads: Some(threads_of(task.machine.threads)),
        resumed_from: kept.resumed_from,
        folds: kept.folds,
        held_out,
        criterion: kept.criterion.to_string(),
        candidates: kept.candidates,
        noise: kept.noise,
        beside: kept.beside,
        metrics: BTreeMap::new(),
        labeling: None,
        who_labels: None,
        labels_by_answers: None,
        warnings,
        notes: kept.notes,
    };
    let own = |scores: Vec<f32>| match kept.scale {
        Some(scale) => scores.into_iter().map(|score| scale.undo(score)).collect(),
        None => scores,
    };
    let model = match &kept.fitted {
        Fitted::Classic(model) => crate::classic_kind(model).to_string(),
        _ => info.model.to_string(),
    };
    Ok(Learned {
        positive: own(positive),
        unlabeled: own(unlabeled),
        negative: own(negative),
        out_of_fold: kept.out_of_fold,
        held_out: [kept.rows.positive, kept.rows.unlabeled].concat(),
        fitted: kept.fitted,
        info,
        model,
        described: kept.described,
        priors,
        calibration: kept.scale.map_or(calibration, |scale| scale.before(calibration)),
        shift,
        report,
    })
}

/// The priors that follow from a label frequency c that a scorer estimated: μ = n_p (1 - c) / (c n_u).
fn by_label_frequency(task: &Task, fitted: &Fitted) -> Option<Priors> {
    let c = fitted.label_frequency()?;
    let Amounts { positive, unlabeled, .. } = task.amounts;
    let mu = PriorInUnlabeled::new(positive * (1.0 - c) / (c * unlabeled)).ok()?;
    Some(Priors::from_unlabeled(mu, task.scenario, task.drawn, false))
}

/// From the share of positives in the pool that was learned from to the population's, where positives of one sample were
/// set aside: what a logit of the pool lacks.
fn reserve_shift(task: &Task, priors: Option<Priors>) -> f64 {
    match priors {
        Some(priors) if task.drawn != task.amounts && !task.truth => {
            priors.class.logit() - priors.in_unlabeled.to_class_prior(task.scenario, task.amounts).logit()
        }
        _ => 0.0,
    }
}

/// From the prior at which the calibrated logits hold to the population's.
fn shift(task: &Task, priors: Option<Priors>) -> f64 {
    match priors {
        // Scores learned from the truth hold at the share of positives in the sample.
        Some(priors) if task.truth => priors.class.logit() - task.log_odds(),
        Some(priors) => priors.shift(),
        None => 0.0,
    }
}

/// What to know before trusting the model, whatever it is.
fn warnings(task: &Task, held_out_positives: usize, risk: f64) -> Vec<Warning> {
    let few = held_out_positives < FEW_HELD_OUT && !task.truth;
    let unweighted = task.weights.is_some() && task.priors.is_some_and(|priors| priors.estimated);
    let (positives, all) = (held_out_positives, held_out_positives == task.counts.positive);
    let warnings = [
        few.then_some(Warning::FewHeldOut { positives, all }),
        unweighted.then_some(Warning::UnweightedShare),
        (!risk.is_finite()).then_some(Warning::Diverged),
    ];
    warnings.into_iter().flatten().collect()
}

/// A formula that gives probabilities above 1.
fn clipped(fitted: &Fitted, unlabeled: &[f32]) -> Option<Warning> {
    let certain = (CERTAIN / (1.0 - CERTAIN)).ln() as f32;
    let (rows, of) = (unlabeled.iter().filter(|&&logit| logit >= certain).count(), unlabeled.len());
    let by_formula = matches!(fitted.link(), Some(Link::LabelFrequency { .. } | Link::Odds { .. }));
    (by_formula && rows as f64 > CLIPPED * of as f64).then_some(Warning::AboveOne { rows, of })
}
