//! The training loop: batches to scores, an objective on the scores, steps, and the choice of an epoch.

use crate::NetError;
use crate::augment::Augment;
use crate::averaged::Averaged;
use crate::checkpoint::{self, State};
use crate::device::{Device, Precision};
use crate::dropped::{self, Dropped};
use crate::engine::{Engine, ExecutorConfig};
use crate::executor::{Batch, Draw, Executor, Mode, Source, check_rows};
use crate::mixup::{self, Mixup, Partner};
use crate::optimizer::{Optimizer, Schedule};
use crate::scores::score_rows;
use crate::spec::{Network, Shape};
use crate::teacher::{ObjectiveViews, Teacher};
use crate::views::Strong;
use crate::weights::Weights;
use onesided_data::{BatchSampler, Mix, Stream};
use onesided_loss::{Lesson, Loss, NegativeTerm, Objective, Part};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How to train.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainConfig {
    /// Rows per step, positives and unlabeled together.
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
    /// Epochs over which the rate rises in a straight line before it has its full size; the schedule runs alongside it.
    /// Deep networks without batch norm may fall to one class at once without it.
    #[serde(default)]
    pub warm_up: f64,
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
    /// Threads of the CPU; 0 for every core.
    pub threads: usize,
    /// What is done to images before they are learned from.
    #[serde(default)]
    pub augment: Augment,
    /// Whether a teacher takes part, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teacher: Option<Teacher>,
    /// Whether rows are mixed, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixup: Option<Mixup>,
    /// Keep a moving average of the weights, of which this much stays at each step, in the place of the last weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average: Option<f64>,
    /// Where to train.
    #[serde(default)]
    pub device: Device,
    /// Numbers of a GPU.
    #[serde(default)]
    pub precision: Precision,
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
            warm_up: 0.0,
            weight_decay: 0.0,
            mix: Mix::Proportional,
            patience: None,
            keep_best: true,
            seed: 0,
            threads: 0,
            augment: Augment::default(),
            teacher: None,
            mixup: None,
            average: None,
            device: Device::default(),
            precision: Precision::default(),
        }
    }
}

impl TrainConfig {
    /// Refuses numbers that no training can use, in one sentence.
    pub fn check(&self) -> Result<(), NetError> {
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
        if !(self.warm_up >= 0.0 && self.warm_up <= self.epochs as f64) {
            let (warm_up, epochs) = (self.warm_up, self.epochs);
            return refuse(format!(
                "the warm-up must last 0 to {epochs} epochs, the whole run, but is {warm_up}"
            ));
        }
        if self.stop_after == Some(0) {
            return refuse("training cannot stop after epoch 0".into());
        }
        if self.patience == Some(0) {
            return refuse("the patience must be at least 1 epoch, but is 0".into());
        }
        if let Some(rate) = self.average {
            if !(0.0..1.0).contains(&rate) {
                return refuse(format!("the average's rate must be 0 or above and below 1, but is {rate}"));
            }
            if let Some(teacher) = self.teacher.filter(|teacher| teacher.rate != rate) {
                return refuse(format!(
                    "a teacher is a moving average itself, of rate {}: an average of rate {rate} cannot be kept next to it; \
                     give both the same rate",
                    teacher.rate
                ));
            }
        }
        if let Some(mixup) = self.mixup {
            mixup.check()?;
            if self.teacher.is_some() {
                return refuse(
                    "a teacher has strong views and mixup mixed rows of a batch; leave one of them out"
                        .into(),
                );
            }
            if matches!(self.device, Device::Cuda(_)) {
                return refuse(mixup::ON_THE_CPU.into());
            }
        }
        self.teacher.map_or(Ok(()), |teacher| teacher.check())
    }

    /// The device that the settings mean for this network: never [`Auto`](Device::Auto). Rows are mixed on the CPU, and
    /// numbers of rows that are no images are left out there.
    pub fn device_for(&self, network: &Network) -> Device {
        let drops = self.teacher.is_some() && network.input.pixels() == 1;
        match self.device {
            Device::Auto if self.mixup.is_some() || drops => Device::Cpu,
            device => device.resolve(network, self.batch),
        }
    }

    /// The rate of the moving average of weights, where one is kept.
    fn average_rate(&self) -> Option<f64> {
        self.teacher.map(|teacher| teacher.rate).or(self.average)
    }

    /// The same, and what the rows must be like.
    fn check_for(&self, input: Shape) -> Result<(), NetError> {
        self.check()?;
        if let Some(teacher) = self.teacher {
            teacher.check()?;
            if input.pixels() == 1 && matches!(self.device, Device::Cuda(_)) {
                return Err(NetError::Config(dropped::ON_THE_CPU.into()));
            }
        }
        self.augment.check(input)
    }

    /// The part of it that executors are set to.
    pub fn executor_config(&self) -> ExecutorConfig {
        let Self { optimizer, weight_decay, threads, precision, batch, teacher, mixup, .. } = *self;
        // With a teacher, rows go through the network as two views; with mixup, those of U once more.
        let strong = if teacher.is_some() { batch } else { 0 };
        let batch = if teacher.is_some() || mixup.is_some() { 2 * batch } else { batch };
        ExecutorConfig { optimizer, weight_decay, threads, precision, batch, strong }
    }
}

/// The share of the full learning rate that a warm-up of this many steps has come to at `step`, counted from 0.
fn warm_up_factor(step: u64, warm_up: f64) -> f64 {
    let done = (step + 1) as f64;
    if done >= warm_up { 1.0 } else { done / warm_up }
}

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
                Some(risk(&positive, &unlabeled, &negative))
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
    Ok(Trained { weights, epochs_run, best_epoch, history, resumed_from, interrupted })
}

/// The shares by which rows take part in an epoch, where the objective sets them from the scores of all rows
/// ([`Paced`](onesided_loss::Paced)). They follow from the weights at the epoch's start, so a checkpoint need not hold them.
#[derive(Default)]
struct Pace {
    /// A share for each row of the data; empty where the objective looks at batches alone.
    of_rows: Vec<f32>,
    /// Those of a batch, positives before unlabeled rows.
    of_batch: Vec<f32>,
}

impl Pace {
    /// Sets the shares of the epoch that begins.
    fn set(&mut self, job: &Job, done: f64, executor: &mut dyn Executor) -> Result<(), NetError> {
        let Some(paced) = job.objective.paced() else { return Ok(()) };
        let rows = job.data.check(job.network.input)?;
        self.of_rows.clear();
        self.of_rows.resize(rows, 1.0);
        if !paced.weighs(done) {
            return Ok(());
        }
        let scores_p = score_rows(executor, job.positive)?;
        let scores_u = score_rows(executor, job.unlabeled)?;
        let (mut shares_p, mut shares_u) = (vec![1.0; scores_p.len()], vec![1.0; scores_u.len()]);
        let weights_of = |rows: &[u32]| -> Option<Vec<f32>> {
            let weights = job.weights?;
            Some(rows.iter().map(|&row| weights[row as usize]).collect())
        };
        let (weights_p, weights_u) = (weights_of(job.positive), weights_of(job.unlabeled));
        let (p, u) = (Part::new(&scores_p, weights_p.as_deref()), Part::new(&scores_u, weights_u.as_deref()));
        paced.shares(done, p, u, &mut shares_p, &mut shares_u);
        for (rows, shares) in [(job.positive, &shares_p), (job.unlabeled, &shares_u)] {
            rows.iter().zip(shares).for_each(|(&row, &share)| self.of_rows[row as usize] = share);
        }
        Ok(())
    }

    /// The shares of a batch's positives and unlabeled rows; none where the objective looks at batches alone.
    fn of(&mut self, batch: &NextBatch) -> Option<[&[f32]; 2]> {
        if self.of_rows.is_empty() {
            return None;
        }
        let own = &batch.rows[..batch.positives + batch.unlabeled];
        self.of_batch.clear();
        self.of_batch.extend(own.iter().map(|&row| self.of_rows[row as usize]));
        let (positive, unlabeled) = self.of_batch.split_at(batch.positives);
        Some([positive, unlabeled])
    }
}

/// The next batch, made ready while a device works on the last one.
#[derive(Default)]
struct NextBatch {
    rows: Vec<u32>,
    /// The weights of these rows, where rows have weights.
    weights: Vec<f32>,
    positives: usize,
    unlabeled: usize,
    draws: Vec<Draw>,
    /// Strong views of the positives and the unlabeled rows, which follow the others; none without a teacher.
    strong: Vec<Strong>,
    /// The same where rows are no images.
    dropped: Vec<Dropped>,
    /// What the unlabeled rows are mixed with, which follow the others once more; none without mixup.
    partners: Vec<Partner>,
    /// The share of the unlabeled row in a mixed one.
    share: f64,
    dropout_key: u64,
}

impl NextBatch {
    /// Makes ready the batch of `step`; false if there is none.
    fn fill(&mut self, batch: Option<onesided_data::Batch>, job: &Job, step: u64) -> bool {
        let Some(batch) = batch else { return false };
        let config = job.config;
        self.rows.clear();
        self.rows.extend_from_slice(batch.positive);
        self.rows.extend_from_slice(batch.unlabeled);
        self.rows.extend_from_slice(batch.negative);
        (self.positives, self.unlabeled) = (batch.positive.len(), batch.unlabeled.len());
        self.weights.clear();
        if let Some(weights) = job.weights {
            self.weights.extend(self.rows.iter().map(|&row| weights[row as usize]));
        }
        if let Some(teacher) = config.teacher {
            let again = self.positives + self.unlabeled;
            self.rows.extend_from_within(..again);
            let (input, strength) = (job.network.input, teacher.strength);
            if input.pixels() == 1 {
                Dropped::draws(strength, config.seed, step, again, &mut self.dropped);
            } else {
                Strong::draws(input, strength, config.seed, step, again, &mut self.strong);
            }
        }
        config.augment.draws(config.seed, step, self.rows.len(), &mut self.draws);
        if let Some(mixup) = config.mixup {
            self.mix(mixup, config.seed, step);
        }
        self.dropout_key = Stream::new(config.seed ^ step.rotate_left(17), "dropout").next_u64();
        true
    }

    /// The unlabeled rows once more, as the batch has them, each with one of its positives to be mixed with.
    fn mix(&mut self, mixup: Mixup, seed: u64, step: u64) {
        let own = self.positives..self.positives + self.unlabeled;
        let (share, mut stream) = mixup.draw(seed, step);
        self.share = share;
        self.partners.clear();
        // A batch without a positive has nothing to mix with.
        if self.positives == 0 {
            return;
        }
        let (rows, draws, positives) = (&self.rows, &self.draws, self.positives);
        self.partners.extend(own.clone().map(|_| {
            let at = stream.below(positives);
            let draw = draws.get(at).copied().unwrap_or_default();
            Partner { row: rows[at], draw, share: share as f32 }
        }));
        self.rows.extend_from_within(own.clone());
        if !self.draws.is_empty() {
            self.draws.extend_from_within(own);
        }
    }

    /// The scores of the batch by kind, with their weights.
    fn parts<'s>(&'s self, scores: &'s [f32]) -> [Part<'s>; 3] {
        let (p, u) = (self.positives, self.positives + self.unlabeled);
        let part = |range: std::ops::Range<usize>| {
            let weights = (!self.weights.is_empty()).then(|| &self.weights[range.clone()]);
            Part::new(&scores[range], weights)
        };
        [part(0..p), part(p..u), part(u..scores.len())]
    }

    /// Rows that are neither strong views nor mixed.
    fn plain(&self) -> usize {
        self.rows.len() - self.strong.len() - self.dropped.len() - self.partners.len()
    }

    /// The weak views of the unlabeled rows.
    fn unlabeled_batch(&self) -> Batch<'_> {
        let own = self.positives..self.positives + self.unlabeled;
        let draws = if self.draws.is_empty() { &[] } else { &self.draws[own.clone()] };
        Batch { draws, ..Batch::plain(&self.rows[own]) }
    }

    /// Scores of the unlabeled rows with their weights.
    fn unlabeled_part<'s>(&'s self, scores: &'s [f32]) -> Part<'s> {
        let own = self.positives..self.positives + self.unlabeled;
        Part::new(scores, (!self.weights.is_empty()).then(|| &self.weights[own]))
    }

    /// A slice over the batch by kind.
    fn split<'s>(&self, of_rows: &'s mut [f32]) -> [&'s mut [f32]; 3] {
        let (positive, others) = of_rows.split_at_mut(self.positives);
        let (unlabeled, negative) = others.split_at_mut(self.unlabeled);
        [positive, unlabeled, negative]
    }

    fn batch(&self) -> Batch<'_> {
        let Self { rows, draws, strong, dropped, partners, dropout_key, .. } = self;
        Batch { rows, draws, strong, dropped, partners, dropout_key: *dropout_key }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warm_up_rises_in_equal_steps_and_then_leaves_the_rate_alone() {
        let rates: Vec<f64> = (0..6).map(|step| warm_up_factor(step, 4.0)).collect();
        assert_eq!(rates, [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]);
        assert_eq!(warm_up_factor(0, 0.0), 1.0);
        assert_eq!(warm_up_factor(0, 2.5), 0.4);
    }
}
