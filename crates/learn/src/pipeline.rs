//! The one way from data to a model: hold rows out, train, choose, calibrate, measure.
//!
//! 1. Rows are held out: a fifth of P and of U once, or, where that would leave few, each fifth in turn.
//! 2. Each candidate of the scorer is trained on the others and scores what was held out.
//! 3. The first candidate is kept unless another's held-out risk is lower by more than the noise of the comparison.
//! 4. Where rows were held out in turn, what was chosen is trained once more on all of them.
//! 5. Its scores are calibrated on the held-out rows at U's prior and moved to the population's; a theory's probabilities
//!    stay as they are.
//! 6. Threshold and metrics follow, on the held-out rows. Where their positives are few, others decide where training stops for
//!    steps 5 and 6 (`stopped.rs`).

use crate::align::{FoldScores, aligned, aligned_to};
use crate::criterion::{self, HeldScores, Losses};
use crate::fitted::CERTAIN;
use crate::folds::{Fold, held_out, train_folds};
use crate::side_by_side::train_all;
use crate::stopped::{by_other_folds, by_other_parts};
use crate::sum_of_some as sum;
use crate::{
    Candidate, Epoch, Error, Fit, Fitted, Info, Kinds, Observer, Priors, Report, RunNumber, ScoreScale,
    Scorer, Subset, Task, Trainer, Tried, Views,
};
use onesided_classic::Link;
use onesided_data::{Amounts, Counts, PriorInUnlabeled, agree, counted, part_of};
use onesided_eval::{Calibration, Sample, ThresholdRule};
use std::collections::{BTreeMap, HashMap};

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

/// A score for each row of a task, from the scores of rows that were not trained on.
pub(crate) fn by_row(rows: usize, scored: impl IntoIterator<Item = (u32, f32)>) -> Vec<Option<f32>> {
    let mut of_rows = vec![None; rows];
    scored.into_iter().for_each(|(row, score)| of_rows[row as usize] = Some(score));
    of_rows
}

/// One candidate after training, once or once per fold.
struct Outcome {
    candidate: Candidate,
    fits: Vec<Fit>,
    /// Held-out scores on a common scale, by models that had not seen the rows and did not stop by them.
    positive: Vec<f32>,
    unlabeled: Vec<f32>,
    negative: Vec<f32>,
    rows: Kinds,
    /// All of them with their scores, those of each fold brought to the scale of all.
    list: Vec<(u32, f32)>,
    risk: f64,
    /// The terms of the risk, one per held-out row of a known kind; none where the risk is another one.
    losses: Losses,
}

impl Outcome {
    fn new(candidate: Candidate, fits: Vec<Fit>, folds: &[Fold], task: &Task) -> Self {
        let in_turn = folds.len() > 1;
        let (mut positive, mut unlabeled, mut negative) = (Vec::new(), Vec::new(), Vec::new());
        let (mut rows, mut of_folds) = (Kinds::default(), Vec::new());
        let by_others = by_other_folds(&fits);
        for (at, (fit, fold)) in fits.iter().zip(folds).enumerate() {
            let scale = if in_turn { fit.scale } else { ScoreScale::ONE };
            let scaled =
                |scores: &[f32]| scores.iter().map(|&score| scale.apply(score)).collect::<Vec<f32>>();
            let scores = scaled(&fit.scored);
            let [p, u, n] = fold.stopping.split(&scores);
            positive.extend_from_slice(p);
            unlabeled.extend_from_slice(u);
            negative.extend_from_slice(n);
            let scores = by_others.as_ref().map_or(scores.clone(), |by_others| scaled(by_others[at]));
            let unlabeled = fold.stopping.split(&scores)[1].to_vec();
            of_folds.push(FoldScores { rows: fold.stopping.all(), scores, unlabeled });
            rows.positive.extend_from_slice(&fold.stopping.positive);
            rows.unlabeled.extend_from_slice(&fold.stopping.unlabeled);
            rows.negative.extend_from_slice(&fold.stopping.negative);
        }
        // Each candidate is judged at its own best epoch.
        let weights = task.weights_by_kind(&rows);
        let [wp, wu, wn] = weights.each_ref().map(Option::as_deref);
        let held = HeldScores {
            positive: Sample { scores: &positive, weights: wp },
            unlabeled: Sample { scores: &unlabeled, weights: wu },
            negative: Sample { scores: &negative, weights: wn },
        };
        let risk = if task.truth { held.log_loss() } else { held.risk(task.mu()) };
        let losses = held.losses(task.mu());
        let of_parts = match (&fits[..], folds) {
            ([fit], [fold]) => by_other_parts(fit, fold, task),
            _ => None,
        };
        let crossed = by_others.is_some() || of_parts.is_some();
        let list = match of_parts {
            Some(parts) => aligned_to(unlabeled.clone(), parts),
            None => aligned(of_folds),
        };
        if crossed {
            // One scale for all rows: they were stopped elsewhere than where their own scores were compared.
            let of_rows: HashMap<u32, f32> = list.iter().copied().collect();
            let again = |rows: &[u32]| rows.iter().map(|row| of_rows[row]).collect::<Vec<f32>>();
            (positive, unlabeled, negative) =
                (again(&rows.positive), again(&rows.unlabeled), again(&rows.negative));
        }
        Self { candidate, fits, positive, unlabeled, negative, rows, list, risk, losses }
    }

    /// The epoch to keep: the middle one of the folds' best epochs.
    fn best_epoch(&self) -> usize {
        let mut best: Vec<usize> = self.fits.iter().map(|fit| fit.history.best_epoch).collect();
        best.sort_unstable();
        best.get(best.len() / 2).copied().unwrap_or(0)
    }

    fn tried(&self, chosen: bool) -> Tried {
        Tried {
            name: self.candidate.name.clone(),
            risk: self.risk.is_finite().then_some(self.risk),
            epochs: self.fits.iter().map(|fit| fit.history.epochs).max().unwrap_or(0),
            best_epoch: self.best_epoch(),
            chosen,
            reduction: self.candidate.reduction,
            auc: None,
            weight: None,
        }
    }
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
    if let Some(portfolio) = scorer.portfolio() {
        return crate::portfolio::learn(portfolio, task, views, hold_out, observer);
    }
    let folds = held_out(task, hold_out)?;
    let candidates = scorer.candidates();
    let trainer = scorer.open(task, views)?;
    // Small data: one more run on all rows, once everything is chosen.
    let refit = folds.len() > 1;
    let runs = candidates.len() * folds.len() + usize::from(refit);
    let (mut number, mut resumed_from, mut early) = (0, None, false);
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(candidates.len());
    // Networks sum in the order of their threads: each has all of them, one after the other.
    let (together, one_by_one) =
        if trainer.any_threads() { (candidates, Vec::new()) } else { (Vec::new(), candidates) };
    let trained = train_all(trainer.as_ref(), &together, &folds, task, runs, observer)?;
    for (candidate, fits) in together.into_iter().zip(trained) {
        early |= fits.iter().any(|fit| fit.finished_early);
        outcomes.push(Outcome::new(candidate, fits, &folds, task));
    }
    for candidate in one_by_one {
        let run = RunNumber { name: &candidate.name, number, all: runs, resumed_from };
        let fits = train_folds(trainer.as_ref(), &candidate, &folds, 1, task, run, observer)?;
        number += folds.len();
        resumed_from = fits.iter().fold(resumed_from, |so_far, fit| sum(so_far, fit.resumed_from));
        early = fits.iter().any(|fit| fit.finished_early);
        outcomes.push(Outcome::new(candidate, fits, &folds, task));
        if early {
            break;
        }
    }
    let (chosen, noise) = choose(&outcomes);
    let whole = if refit && !early {
        Some(fit_all(trainer.as_ref(), &outcomes[chosen], task, (runs, resumed_from), observer)?)
    } else {
        None
    };
    resumed_from = sum(resumed_from, whole.as_ref().and_then(|fit| fit.resumed_from));
    let device = trainer.device();
    drop(trainer);
    scorer.clean_up(runs);
    let mut report = report(task, &outcomes, (chosen, noise), folds.len(), device);
    report.resumed_from = resumed_from;
    let outcome = outcomes.swap_remove(chosen);
    finish(scorer, task, outcome, whole, report)
}

/// What was chosen, trained on all rows through the epoch that was best.
fn fit_all(
    trainer: &dyn Trainer,
    outcome: &Outcome,
    task: &Task,
    (runs, resumed_from): (usize, Option<usize>),
    observer: Observer,
) -> Result<Fit, Error> {
    let name = format!("{} on all rows", outcome.candidate.name);
    let all: Vec<usize> = (0..task.data.len()).collect();
    let subset = Subset {
        training: &task.split(&all),
        stopping: &Kinds::default(),
        scored: &[],
        stop_after: Some(outcome.best_epoch()),
        seed: task.seed,
        threads: task.machine.threads,
        run: RunNumber { name: &name, number: runs - 1, all: runs, resumed_from },
    };
    trainer.fit(&subset, &outcome.candidate, observer)
}

/// The first outcome, unless another's risk is lower by more than the noise of the comparison (one standard error over
/// the held-out positives); also returns that noise.
///
/// The first candidate is `sum-of-means`, whose weight on P does not shrink with μ and which therefore learns in fewer
/// steps; where classes overlap, `prior-weighted` ranks better and its lead is far above the noise. A risk that is not a
/// number never wins.
fn choose(outcomes: &[Outcome]) -> (usize, Option<f64>) {
    let (mut best, mut noise) = (0, None);
    for next in 1..outcomes.len() {
        let (now, other) = (&outcomes[best], &outcomes[next]);
        let error = now.losses.standard_error(&other.losses);
        if other.risk + error < now.risk || (now.risk.is_nan() && !other.risk.is_nan()) {
            best = next;
        }
        noise = error.is_finite().then_some(error);
    }
    (best, noise)
}

fn report(
    task: &Task,
    outcomes: &[Outcome],
    (chosen, noise): (usize, Option<f64>),
    folds: usize,
    device: String,
) -> Report {
    let outcome = &outcomes[chosen];
    let (positive, unlabeled) = (outcome.positive.len(), outcome.unlabeled.len());
    let held_out = Counts { positive, unlabeled, negative: outcome.negative.len() };
    Report {
        config: None,
        seed: Some(task.seed),
        device,
        threads: Some(crate::folds::workers(task.machine.threads)),
        resumed_from: None,
        folds,
        held_out,
        criterion: criterion::name(task).to_string(),
        candidates: outcomes.iter().enumerate().map(|(at, one)| one.tried(at == chosen)).collect(),
        noise,
        history: Vec::new(),
        beside: Vec::new(),
        metrics: BTreeMap::new(),
        warnings: warnings(task, held_out.positive, outcome.risk),
        notes: Vec::new(),
    }
}

/// Calibrates the chosen outcome on the held-out rows.
fn finish(
    scorer: &dyn Scorer,
    task: &Task,
    mut outcome: Outcome,
    whole: Option<Fit>,
    mut report: Report,
) -> Result<Learned, Error> {
    let in_turn = whole.is_some();
    let Some(last) = whole.or_else(|| outcome.fits.pop()) else { return Err(Error::NeedsLabels) };
    let scale = if in_turn { last.scale } else { ScoreScale::ONE };
    let priors = task.priors.or_else(|| by_label_frequency(task, &last.fitted));
    let mu = priors.filter(|_| !task.truth).map(|priors| priors.in_unlabeled);
    let shift = shift(task, priors);
    let (positive, unlabeled) = (&outcome.positive, &outcome.unlabeled);
    let info = scorer.info();
    let calibration = match (last.fitted.link(), mu) {
        // The logit holds for the population already: what the shift will add is taken off.
        (Some(_), _) => Calibration { slope: 1.0, offset: set_aside(task, priors) - shift },
        (None, Some(mu)) => {
            let [wp, wu, _] = task.weights_by_kind(&outcome.rows);
            let of = |scores, weights| Sample { scores, weights };
            Calibration::fit_weighted(of(positive, wp.as_deref()), of(unlabeled, wu.as_deref()), mu)?
        }
        (None, None) if task.truth || info.works_without_prior => Calibration::identity(),
        (None, None) => return Err(Error::NeedsPrior(info.method.into_owned())),
    };
    if let Some(config) = &last.history.config {
        (report.config, report.seed) = (Some(config.clone()), None);
    }
    let finite = |x: f64| x.is_finite().then_some(x);
    let epochs = last.history.of_epochs.iter();
    report.history = epochs
        .map(|e| Epoch { epoch: e.epoch, loss: finite(e.loss), risk: e.risk.and_then(finite) })
        .collect();
    if priors.is_none() && !task.truth {
        report.warnings.push(
            "no prior was given: the probabilities are those of being labeled, not of being positive"
                .to_string(),
        );
    }
    if onesided_loss::method(&info.method).is_ok_and(|method| method.ranks) {
        report.warnings.push(
            "what is measured here, and every probability, assumes labels at random: where they favor some positives, trust the \
             order of the rows alone"
                .to_string(),
        );
    }
    report.warnings.extend(clipped(&last.fitted, unlabeled));
    let back = |scores: &[f32]| -> Vec<f32> { scores.iter().map(|&score| scale.undo(score)).collect() };
    let (positive, unlabeled, negative) = (back(positive), back(unlabeled), back(&outcome.negative));
    let list = outcome.list.iter().map(|&(row, score)| (row, scale.undo(score)));
    let out_of_fold = by_row(task.data.len(), list);
    let model = match &last.fitted {
        Fitted::Classic(model) => crate::classic_kind(model).to_string(),
        _ => info.model.to_string(),
    };
    Ok(Learned {
        positive,
        unlabeled,
        negative,
        out_of_fold,
        held_out: [outcome.rows.positive, outcome.rows.unlabeled].concat(),
        fitted: last.fitted,
        info,
        model,
        described: last.described,
        priors,
        calibration: scale.before(calibration),
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
fn set_aside(task: &Task, priors: Option<Priors>) -> f64 {
    match priors {
        Some(priors) if task.drawn != task.amounts && !task.truth => {
            priors.class.logit() - priors.in_unlabeled.to_class_prior(task.scenario, task.amounts).logit()
        }
        _ => 0.0,
    }
}

/// From the prior at which the calibrated logits hold to the population's.
pub(crate) fn shift(task: &Task, priors: Option<Priors>) -> f64 {
    match priors {
        // Scores learned from the truth hold at the share of positives in the sample.
        Some(priors) if task.truth => priors.class.logit() - task.log_odds(),
        Some(priors) => priors.shift(),
        None => 0.0,
    }
}

/// What to know before trusting the model, whatever it is.
pub(crate) fn warnings(task: &Task, held_out_positives: usize, risk: f64) -> Vec<String> {
    let mut warnings = Vec::new();
    if held_out_positives < FEW_HELD_OUT && !task.truth {
        let few = if held_out_positives == task.counts.positive {
            format!(
                "there {} only {}",
                agree(held_out_positives, "is", "are"),
                counted(held_out_positives, "positives")
            )
        } else {
            format!(
                "only {} {} held out",
                counted(held_out_positives, "positives"),
                agree(held_out_positives, "is", "are")
            )
        };
        warnings.push(format!("{few}: the choices, the calibration and the metrics rest on very few rows"));
    }
    if task.weights.is_some() && task.priors.is_some_and(|priors| priors.estimated) {
        warnings.push(
            "the share of positives was estimated from rows that count once each, and is taken for the weighted share"
                .to_string(),
        );
    }
    if !risk.is_finite() {
        warnings.push("the held-out risk is not a number: training diverged".to_string());
    }
    warnings
}

/// A formula that gives probabilities above 1.
fn clipped(fitted: &Fitted, unlabeled: &[f32]) -> Option<String> {
    let certain = (CERTAIN / (1.0 - CERTAIN)).ln() as f32;
    let clipped = unlabeled.iter().filter(|&&logit| logit >= certain).count();
    let by_formula = matches!(fitted.link(), Some(Link::LabelFrequency { .. } | Link::Odds { .. }));
    (by_formula && clipped as f64 > CLIPPED * unlabeled.len() as f64).then(|| {
        format!(
            "the formula gives {} a probability above 1, taken as 1: the label frequency it rests on is too low, or the labels \
             were not given at random",
            part_of(clipped, unlabeled.len(), "held-out unlabeled rows")
        )
    })
}
