//! The training loop: batches to scores, an objective on the scores, steps, and the choice of an epoch.

use crate::NetError;
use crate::checkpoint::{self, State};
use crate::cpu::CpuExecutor;
use crate::executor::{Executor, Mode};
use crate::optimizer::{Optimizer, Schedule};
use crate::spec::Network;
use crate::weights::Weights;
use onesided_data::{BatchSampler, Mix, Stream};
use onesided_loss::Objective;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How to train.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainConfig {
    /// Rows a step, positives and unlabeled together.
    pub batch: usize,
    /// Passes over the unlabeled rows.
    pub epochs: usize,
    /// End after this epoch, with the learning rates of the whole run of `epochs`.
    pub stop_after: Option<usize>,
    /// Size of the first steps.
    pub learning_rate: f64,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// How the rate falls.
    pub schedule: Schedule,
    /// L2 penalty.
    pub weight_decay: f64,
    /// Share of positives in a batch.
    pub mix: Mix,
    /// Stop after this many epochs without a lower held-out risk.
    pub patience: Option<usize>,
    /// Keep the epoch of the lowest held-out risk rather than the last one.
    pub keep_best: bool,
    /// Every random stream is derived from it.
    pub seed: u64,
    /// 0 for every core.
    pub threads: usize,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            batch: 512,
            epochs: 50,
            stop_after: None,
            learning_rate: 1e-3,
            optimizer: Optimizer::Nadam,
            schedule: Schedule::Cosine,
            weight_decay: 0.0,
            mix: Mix::Proportional,
            patience: None,
            keep_best: true,
            seed: 0,
            threads: 0,
        }
    }
}

impl TrainConfig {
    fn check(&self) -> Result<(), NetError> {
        let refuse = |what: String| Err(NetError::Config(what));
        if self.batch < 2 {
            return refuse(format!("the batch must hold at least 2 rows, but is {}", self.batch));
        }
        if self.epochs == 0 {
            return refuse("the number of epochs must be at least 1, but is 0".into());
        }
        if !(self.learning_rate > 0.0 && self.learning_rate.is_finite()) {
            return refuse(format!("the learning rate must be above 0, but is {}", self.learning_rate));
        }
        if !(self.weight_decay >= 0.0 && self.weight_decay.is_finite()) {
            return refuse(format!("the weight decay must be 0 or above, but is {}", self.weight_decay));
        }
        if self.stop_after == Some(0) {
            return refuse("training cannot stop after epoch 0".into());
        }
        if self.patience == Some(0) {
            return refuse("the patience must be at least 1 epoch, but is 0".into());
        }
        Ok(())
    }
}

/// The risk of held-out scores: logits of positives, logits of unlabeled rows; lower is better.
pub type Risk<'a> = &'a dyn Fn(&[f32], &[f32]) -> f64;

/// What to train on: rows of a data set, by number.
pub struct Job<'a> {
    /// The network.
    pub network: &'a Network,
    /// All rows, one after the other, each as wide as the network's input.
    pub data: &'a [f32],
    /// Labeled positives to learn from.
    pub positive: &'a [u32],
    /// Unlabeled rows to learn from (true negatives for a supervised objective).
    pub unlabeled: &'a [u32],
    /// Positives kept apart for the risk.
    pub held_out_positive: &'a [u32],
    /// Unlabeled rows kept apart for the risk.
    pub held_out_unlabeled: &'a [u32],
    /// The loss on scores.
    pub objective: &'a dyn Objective,
    /// Where the score's bias starts: the logit of the prior.
    pub start_bias: f64,
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

/// Where training stands; shown to the observer after each batch.
#[derive(Clone, Debug)]
pub struct Progress {
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
    /// Epochs that a checkpoint already held.
    pub resumed_from: Option<usize>,
    /// The observer asked to stop.
    pub interrupted: bool,
}

/// Trains a network. `observer` sees every batch and returns false to stop; the checkpoint then stays.
pub fn train(job: &Job, observer: &mut dyn FnMut(&Progress) -> bool) -> Result<Trained, NetError> {
    let config = job.config;
    config.check()?;
    let initial = Weights::initial(job.network, job.start_bias, config.seed)?;
    let mut sampler = BatchSampler::new(
        job.positive.to_vec(),
        job.unlabeled.to_vec(),
        config.batch,
        config.mix,
        Stream::new(config.seed, "batches"),
    )?;
    let mut executor = CpuExecutor::new(
        job.network,
        &initial,
        job.data,
        config.threads,
        config.optimizer,
        config.weight_decay,
    )?;
    let mut history: Vec<EpochRecord> = Vec::new();
    let mut best: Option<(usize, f64, Weights)> = None;
    let fingerprint = job.checkpoint.map(|_| checkpoint::fingerprint(job));
    let mut resumed_from = None;
    if let (Some(path), Some(print)) = (job.checkpoint, fingerprint)
        && let Some(state) = checkpoint::read(path, print, job.network)?
    {
        executor = CpuExecutor::new(
            job.network,
            &state.weights,
            job.data,
            config.threads,
            config.optimizer,
            config.weight_decay,
        )?;
        if !executor.restore_moments(state.first_moment, state.second_moment) {
            return Err(checkpoint::refused(
                path,
                "its optimizer state does not fit the network; delete the file",
            ));
        }
        executor.clock = state.clock;
        sampler.restore(state.sampler);
        resumed_from = Some(state.history.len());
        history = state.history;
        best = state.best;
    }
    let batches = sampler.batches_per_epoch();
    let steps = (config.epochs * batches) as u64;
    let (mut rows, mut gradient) = (Vec::new(), Vec::new());
    let (mut rows_seen, mut interrupted) = (0u64, false);
    let mut progress = Progress {
        epoch: 0,
        epochs: config.epochs,
        batch: 0,
        batches,
        rows_seen: 0,
        loss: 0.0,
        risk: history.last().and_then(|r| r.risk),
        best_epoch: best.as_ref().map(|b| b.0),
    };
    let last = config.stop_after.unwrap_or(config.epochs).min(config.epochs);
    'epochs: for epoch in history.len() + 1..=last {
        if out_of_patience(&history, best.as_ref().map(|b| b.0), config.patience) {
            break;
        }
        progress.epoch = epoch;
        let mut total = 0.0;
        for (done, batch) in sampler.next_epoch().enumerate() {
            rows.clear();
            rows.extend_from_slice(batch.positive);
            rows.extend_from_slice(batch.unlabeled);
            let step = executor.clock.step;
            executor.dropout_key = Stream::new(config.seed ^ step.rotate_left(17), "dropout").next_u64();
            let scores = executor.forward(&rows, Mode::Train);
            let (positive, unlabeled) = scores.split_at(batch.positive.len());
            gradient.resize(rows.len(), 0.0);
            let (to_positive, to_unlabeled) = gradient.split_at_mut(batch.positive.len());
            let loss = job.objective.evaluate(positive, unlabeled, to_positive, to_unlabeled);
            if !loss.is_finite() || scores.iter().any(|s| !s.is_finite()) {
                return Err(NetError::Diverged { epoch, loss, learning_rate: config.learning_rate });
            }
            executor.backward(&gradient);
            executor.step(config.learning_rate * config.schedule.factor(step, steps));
            total += loss;
            rows_seen += rows.len() as u64;
            progress.batch = done + 1;
            progress.rows_seen = rows_seen;
            progress.loss = total / (done + 1) as f64;
            if !observer(&progress) {
                interrupted = true;
                break 'epochs;
            }
        }
        let risk = job.risk.map(|risk| {
            let positive = evaluate(&mut executor, job.held_out_positive);
            risk(&positive, &evaluate(&mut executor, job.held_out_unlabeled))
        });
        // A risk that is not a number never wins.
        if let Some(risk) = risk
            && config.keep_best
            && best.as_ref().is_none_or(|(_, lowest, _)| risk < *lowest)
            && risk.is_finite()
        {
            best = Some((epoch, risk, executor.weights()));
        }
        history.push(EpochRecord { epoch, loss: total / batches as f64, risk });
        progress.risk = risk;
        progress.best_epoch = best.as_ref().map(|b| b.0);
        if let (Some(path), Some(fingerprint)) = (job.checkpoint, fingerprint) {
            let (first, second) = executor.optimizer_moments();
            let state = State {
                weights: executor.weights(),
                first_moment: first.to_vec(),
                second_moment: second.to_vec(),
                clock: executor.clock.clone(),
                sampler: sampler.state(),
                history: history.clone(),
                best: best.clone(),
            };
            checkpoint::write(path, fingerprint, &state)?;
        }
    }
    let epochs_run = history.len();
    let (best_epoch, weights) = match best {
        Some((epoch, _, weights)) => (epoch, weights),
        None => (epochs_run, executor.weights()),
    };
    Ok(Trained { weights, epochs_run, best_epoch, history, resumed_from, interrupted })
}

fn out_of_patience(history: &[EpochRecord], best: Option<usize>, patience: Option<usize>) -> bool {
    match (best, patience) {
        (Some(best), Some(patience)) => history.len() >= best + patience,
        _ => false,
    }
}

/// Rows scored at once outside training; fewer where a row's activations are large.
const EVALUATION_ROWS: usize = 1024;
/// Numbers of activations kept at once outside training: 256 MiB.
const EVALUATION_NUMBERS: usize = 64 << 20;

fn evaluate(executor: &mut CpuExecutor, rows: &[u32]) -> Vec<f32> {
    let mut scores = Vec::with_capacity(rows.len());
    let at_once = (EVALUATION_NUMBERS / executor.numbers_a_row()).clamp(1, EVALUATION_ROWS);
    for some in rows.chunks(at_once) {
        scores.extend_from_slice(executor.forward(some, Mode::Predict));
    }
    scores
}

/// Scores of every row of `data` under a trained network.
pub fn scores(
    network: &Network,
    weights: &Weights,
    data: &[f32],
    threads: usize,
) -> Result<Vec<f32>, NetError> {
    let mut executor = CpuExecutor::new(network, weights, data, threads, Optimizer::Nadam, 0.0)?;
    let rows = u32::try_from(data.len() / network.input.len())
        .map_err(|_| NetError::Config("more than 4,294,967,295 rows cannot be scored at once".into()))?;
    Ok(evaluate(&mut executor, &(0..rows).collect::<Vec<u32>>()))
}
