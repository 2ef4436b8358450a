//! The training loop: batches to scores, an objective on the scores, steps, and the choice of an epoch.

use crate::NetError;
use crate::averaged::Averaged;
use crate::checkpoint::{self, State};
use crate::engine::Engine;
use crate::executor::{Executor, Mode, Source, check_rows};
use crate::held_out_scores::OnTheWay;
use crate::mixup::Mixup;
use crate::next_batch::{NextBatch, Pace};
use crate::sampler::BatchSampler;
use crate::scores::score_rows;
use crate::spec::Network;
use crate::teacher::ObjectiveViews;
use crate::train_config::{TrainConfig, warm_up_factor};
use crate::weights::Weights;
use onesided_data::Stream;
use onesided_loss::{Lesson, Loss, NegativeTerm, Objective};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The risk of held-out scores: logits of positives, of unlabeled rows and of known negatives; lower is better.
pub type Risk<'a> = &'a (dyn Fn(&[f32], &[f32], &[f32]) -> f64 + Sync);

/// Rows that are known to be negative, and what they add to the objective.
#[derive(Clone, Copy, Debug)]
pub struct NegativeRows<'a> {
    /// Rows to learn from.
    pub training: &'a [u32],
    /// Rows held out for the risk.
    pub held_out: &'a [u32],
    /// What they add.
    pub term: NegativeTerm,
}

/// What to train on: rows of a data set, by number.
pub struct Job<'a> {
    /// The network.
    pub network: &'a Network,
    /// All rows, one after the other, each as wide as the network's input.
    pub data: Source<'a>,
    /// Labeled positives to learn from.
    pub positive: &'a [u32],
    /// Unlabeled rows to learn from (true negatives for a supervised objective).
    pub unlabeled: &'a [u32],
    /// Positives held out for the risk.
    pub held_out_positive: &'a [u32],
    /// Unlabeled rows held out for the risk.
    pub held_out_unlabeled: &'a [u32],
    /// Known negatives, where there are any.
    pub negatives: Option<NegativeRows<'a>>,
    /// A weight for each row of the data, where rows have weights and the objective takes them.
    pub weights: Option<&'a [f32]>,
    /// The loss on scores.
    pub objective: &'a dyn Objective,
    /// Where the score's bias starts: the logit of the prior.
    pub start_bias: f64,
    /// The share of positives among the unlabeled rows, which a teacher needs.
    pub share: Option<f64>,
    /// How epochs are compared; without it the last epoch is kept.
    pub risk: Option<Risk<'a>>,
    /// What the risk is, in words: a checkpoint of a run that was judged otherwise is not continued.
    pub risk_name: &'a str,
    /// How to train.
    pub config: &'a TrainConfig,
    /// Written after each epoch and resumed from; it stays when training ends, so that a caller with several jobs need
    /// not repeat one that is done.
    pub checkpoint: Option<&'a Path>,
}

/// How far training is; shown to the observer after each batch.
#[derive(Clone, Debug)]
pub struct TrainProgress {
    /// Epoch under way, counted from 1.
    pub epoch: usize,
    /// Epochs asked for.
    pub epochs: usize,
    /// Batches done in this epoch.
    pub batch: usize,
    /// Batches an epoch.
    pub batches: usize,
    /// Rows that passed through the network since training (or its resumption) began.
    pub rows_seen: u64,
    /// Mean loss of this epoch so far.
    pub loss: f64,
    /// Held-out risk of the epoch before.
    pub risk: Option<f64>,
    /// Epoch of the lowest held-out risk so far.
    pub best_epoch: Option<usize>,
    /// Epochs that a checkpoint already held.
    pub resumed_from: Option<usize>,
}

/// One line of the training history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Counted from 1.
    pub epoch: usize,
    /// Mean loss over its batches.
    pub loss: f64,
    /// Held-out risk after it.
    pub risk: Option<f64>,
}

/// The outcome of training.
#[derive(Clone, Debug)]
pub struct Trained {
    /// Weights of the chosen epoch.
    pub weights: Weights,
    /// Epochs run in all.
    pub epochs_run: usize,
    /// The epoch the weights are of.
    pub best_epoch: usize,
    /// Every epoch.
    pub history: Vec<EpochRecord>,
    /// Scores of the held-out rows after epochs that were judged by them: positives, unlabeled rows, known negatives.
    pub held_out: OnTheWay,
    /// Epochs that a checkpoint already held.
    pub resumed_from: Option<usize>,
    /// The observer asked to stop.
    pub interrupted: bool,
}

/// Trains a network on the device of its settings. `observer` sees every batch and returns false to stop; the
/// checkpoint then stays.
pub fn train(job: &Job, observer: &mut dyn FnMut(&TrainProgress) -> bool) -> Result<Trained, NetError> {
    job.config.check_for(job.network.input)?;
    let device = job.config.device_for(job.network);
    train_on(&Engine::new(device, job.data, job.network.input)?, job, observer)
}

/// [`train`] on an engine that holds the job's data already; the device of the job's settings is not looked at.
pub fn train_on(
    engine: &Engine,
    job: &Job,
    observer: &mut dyn FnMut(&TrainProgress) -> bool,
) -> Result<Trained, NetError> {
    train_watched(engine, job, observer, &mut |_, _| Ok(()))
}

/// What looks at a network after each epoch: it is told the epoch's number, counted from 1, and may score rows
/// ([`score_rows`](crate::score_rows)) or take the weights.
pub type Watcher<'w> = &'w mut dyn FnMut(usize, &mut dyn Executor) -> Result<(), NetError>;

/// [`train_on`] with a look at the network after each epoch. Nothing is shown of epochs that a checkpoint held.
pub fn train_watched(
    engine: &Engine,
    job: &Job,
    observer: &mut dyn FnMut(&TrainProgress) -> bool,
    watcher: Watcher,
) -> Result<Trained, NetError> {
    let config = job.config;
    config.check_for(job.network.input)?;
    if !engine.holds(&job.data) {
        return Err(NetError::Config("the engine holds another data set than the one to train on".into()));
    }
    let (negative, held_out_negative) =
        job.negatives.map_or((&[][..], &[][..]), |rows| (rows.training, rows.held_out));
    let held_out = [job.held_out_positive, job.held_out_unlabeled, held_out_negative];
    for rows in [job.positive, job.unlabeled, negative].into_iter().chain(held_out) {
        check_rows(rows, engine.rows())?;
    }
    if job.weights.is_some_and(|weights| weights.len() != engine.rows()) {
        return Err(NetError::Config("there must be a weight for every row of the data".into()));
    }
    let loss_on = Loss { objective: job.objective, negatives: job.negatives.map(|rows| rows.term) };
    let mut sampler = BatchSampler::with_negatives(
        job.positive.to_vec(),
        job.unlabeled.to_vec(),
        negative.to_vec(),
        config.batch,
        config.mix,
        Stream::new(config.seed, "batches"),
    )?;
    let mut lesson = match (config.teacher, job.share) {
        (None, _) => None,
        (Some(teacher), Some(share)) if share > 0.0 && share < 1.0 => Some(teacher.lesson(share)),
        (Some(_), _) => {
            let why = "a teacher needs the share of positives among the unlabeled rows, above 0 and below 1";
            return Err(NetError::Config(why.into()));
        }
    };
    let mut history: Vec<EpochRecord> = Vec::new();
    let mut best: Option<(usize, f64, Weights)> = None;
    let fingerprint = job.checkpoint.map(|_| checkpoint::fingerprint(job));
    let mut resumed_from = None;
    let held_out_rows: usize = held_out.iter().map(|rows| rows.len()).sum();
    let mut kept = match job.risk {
        Some(_) if held_out_rows > 0 => OnTheWay::new(config.epochs, held_out_rows),
        _ => OnTheWay::default(),
    };
    let state = match (job.checkpoint, fingerprint) {
        (Some(path), Some(print)) => checkpoint::read(path, print, job.network)?.map(|state| (path, state)),
        _ => None,
    };
    let mut executor = match state {
        None => {
            let initial = Weights::initial(job.network, job.start_bias, config.seed)?;
            let mut executor = engine.executor(job.network, &initial, &config.executor_config())?;
            if config.average_rate().is_some() {
                executor.start_average(None)?;
            }
            executor
        }
        Some((path, state)) => {
            let mut executor = engine.executor(job.network, &state.weights, &config.executor_config())?;
            if !executor.restore(state.optimizer)? {
                return Err(checkpoint::refused(
                    path,
                    "its optimizer state does not fit the network; delete the file",
                ));
            }
            if let Some((shift, average)) = state.average {
                if let Some(lesson) = &mut lesson {
                    lesson.restore(shift);
                }
                executor.start_average(Some(&average))?;
            }
            sampler.restore(state.sampler);
            resumed_from = Some(state.history.len());
            kept.restore(state.history.len(), state.held_out);
            history = state.history;
            best = state.best;
            executor
        }
    };
    let batches = sampler.batches_per_epoch();
    let steps = (config.epochs * batches) as u64;
    let warm_up = config.warm_up * batches as f64;
    let (mut next, mut gradient) = (NextBatch::default(), Vec::new());
    // Known negatives have no strong views.
    let of_labels = Loss { objective: job.objective, negatives: None };
    let mut of_strong = Vec::new();
    let mut pace = Pace::default();
    let mut interrupted = false;
    let mut progress = TrainProgress {
        epoch: 0,
        epochs: config.epochs,
        batch: 0,
        batches,
        rows_seen: 0,
        loss: 0.0,
        risk: history.last().and_then(|r| r.risk),
        best_epoch: best.as_ref().map(|b| b.0),
        resumed_from,
    };
    let last = config.stop_after.unwrap_or(config.epochs).min(config.epochs);
    'epochs: for epoch in history.len() + 1..=last {
        if out_of_patience(&history, best.as_ref().map(|b| b.0), config.patience) {
            break;
        }
        progress.epoch = epoch;
        progress.batch = 0;
        let mut total = 0.0;
        let done = (epoch - 1) as f64 / config.epochs as f64;
        pace.set(job, done, executor.as_mut())?;
        let mut coming = sampler.next_epoch();
        let mut more = next.fill(coming.next(), job, executor.steps());
        while more {
            let step = executor.steps();
            gradient.resize(next.rows.len(), 0.0);
            if let Some(lesson) = &mut lesson {
                let answers = executor.forward_average(&next.unlabeled_batch(), Mode::Observe)?;
                lesson.take(next.unlabeled_part(answers));
            }
            // A GPU waits from here until the gradient arrives: nothing else is done in between.
            let scores = executor.forward(&next.batch(), Mode::Train)?;
            let (weak, again) = scores.split_at(next.plain());
            let (gradient_weak, gradient_again) = gradient.split_at_mut(next.plain());
            let (parts, gradients) = (next.parts(weak), next.split(gradient_weak));
            let mut loss = match pace.of(&next) {
                Some(shares) => loss_on.evaluate_paced(done, parts, shares, gradients),
                None => loss_on.evaluate(parts, gradients),
            };
            if let (Some(lesson), Some(teacher)) = (&lesson, config.teacher) {
                let weight = teacher.weight_at(step as f64 / batches as f64);
                let (of_positive, of_unlabeled) = gradient_again.split_at_mut(next.positives);
                let parts @ [positive, unlabeled, _] = next.parts(again);
                loss += lesson.evaluate(positive, unlabeled, weight, of_positive, of_unlabeled);
                if teacher.objective == ObjectiveViews::Both {
                    of_strong.resize(again.len(), 0.0);
                    loss += of_labels.evaluate(parts, next.split(&mut of_strong));
                    gradient_again.iter_mut().zip(&of_strong).for_each(|(sum, slope)| *sum += slope);
                }
            }
            if let Some(Mixup { weight, .. }) = config.mixup.filter(|_| !next.partners.is_empty()) {
                let [_, unlabeled, _] = next.parts(weak);
                let [_, of_unlabeled, _] = next.split(gradient_weak);
                loss +=
                    onesided_loss::mixup(next.share, unlabeled, again, weight, of_unlabeled, gradient_again);
            }
            if !loss.is_finite() || !all_finite(scores) {
                return Err(NetError::Diverged { epoch, loss, learning_rate: config.learning_rate });
            }
            executor.backward(&gradient)?;
            let factor = config.schedule.factor(step, steps) * warm_up_factor(step, warm_up);
            executor.step(config.learning_rate * factor)?;
            if let Some(rate) = config.average_rate() {
                executor.average(rate as f32)?;
            }
            // Now it is busy, and the next batch and the observer cost no time.
            total += loss;
            progress.batch += 1;
            progress.rows_seen += next.rows.len() as u64;
            progress.loss = total / progress.batch as f64;
            more = next.fill(coming.next(), job, step + 1);
            if !observer(&progress) {
                interrupted = true;
                break 'epochs;
            }
        }
        let mut averaged;
        let judged: &mut dyn Executor = match config.average {
            Some(_) => {
                averaged = Averaged { executor: executor.as_mut(), rows_at_once: config.batch };
                &mut averaged
            }
            None => executor.as_mut(),
        };
        let risk = match job.risk {
            None => None,
            Some(risk) => {
                let positive = score_rows(judged, job.held_out_positive)?;
                let unlabeled = score_rows(judged, job.held_out_unlabeled)?;
                let negative = if held_out_negative.is_empty() {
                    Vec::new()
                } else {
                    score_rows(judged, held_out_negative)?
                };
                let of_epoch = risk(&positive, &unlabeled, &negative);
                kept.keep(epoch, || [positive, unlabeled, negative].concat());
                Some(of_epoch)
            }
        };
        watcher(epoch, judged)?;
        // A risk that is not a number never wins.
        if let Some(risk) = risk
            && config.keep_best
            && best.as_ref().is_none_or(|(_, lowest, _)| risk < *lowest)
            && risk.is_finite()
        {
            best = Some((epoch, risk, judged.weights()?));
        }
        history.push(EpochRecord { epoch, loss: total / batches as f64, risk });
        progress.risk = risk;
        progress.best_epoch = best.as_ref().map(|b| b.0);
        if let (Some(path), Some(fingerprint)) = (job.checkpoint, fingerprint) {
            let state = State {
                weights: executor.weights()?,
                optimizer: executor.optimizer_state()?,
                sampler: sampler.state(),
                history: history.clone(),
                best: best.clone(),
                held_out: kept.all().to_vec(),
                average: match config.average_rate() {
                    Some(_) => Some((lesson.as_ref().and_then(Lesson::shift), executor.averaged()?)),
                    None => None,
                },
            };
            checkpoint::write(path, fingerprint, &state)?;
        }
    }
    let epochs_run = history.len();
    let (best_epoch, weights) = match best {
        Some((epoch, _, weights)) => (epoch, weights),
        None if config.average.is_some() => (epochs_run, executor.averaged()?),
        None => (epochs_run, executor.weights()?),
    };
    Ok(Trained { weights, epochs_run, best_epoch, history, held_out: kept, resumed_from, interrupted })
}

/// Whether no score is infinite or NaN: one pass over the exponents, without a branch for each.
fn all_finite(scores: &[f32]) -> bool {
    let largest = scores.iter().fold(0, |largest, score| largest.max(score.to_bits() & (u32::MAX >> 1)));
    largest < f32::INFINITY.to_bits()
}

fn out_of_patience(history: &[EpochRecord], best: Option<usize>, patience: Option<usize>) -> bool {
    match (best, patience) {
        (Some(best), Some(patience)) => history.len() >= best + patience,
        _ => false,
    }
}
