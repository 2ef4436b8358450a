//! A network (or a linear model) trained by batches under an objective.

use crate::criterion::{HeldScores, weight_of_negatives};
use crate::{
    At, Candidate, Error, Fitted, History, Info, Kinds, Observer, Progress, ScoreScale, Scorer, Signal,
    Subset, Task, TrainedScorer, Trainer, Training, Views, Wants,
};
use onesided_data::PriorInUnlabeled;
use onesided_eval::Sample;
use onesided_loss::{LossError, LossInfo, NegativeTerm, Objective, Options, Reduction, Setting};
use onesided_net::Mix;
use onesided_net::{
    Architecture, Device, Engine, Job, NegativeRows, Network, OnTheWay, Precision, TrainConfig, Trained,
    Watcher, scores_on, train_watched,
};
use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A batch has at least this share of positives: with fewer, the gradient of P is noise.
const SHARE_OF_POSITIVES: f64 = 0.1;

/// The loss on scores: one of the registry, or one of your own.
#[derive(Clone)]
pub enum ObjectiveChoice {
    /// A method of [`onesided_loss`].
    Named(&'static LossInfo),
    /// One of your own.
    Own(Arc<OwnObjective>),
}

/// An objective of your own, built from what the data say.
pub struct OwnObjective {
    /// What it is called.
    pub name: String,
    /// Whether it reads μ.
    pub needs_prior: bool,
    /// Whether it averages over the whole batch, so that the share of positives in a batch matters.
    pub pooled: bool,
    /// Makes it.
    pub build: Box<BuildObjective>,
}

/// How an objective of your own is made.
pub type BuildObjective = dyn Fn(&Setting) -> Result<Box<dyn Objective>, LossError> + Send + Sync;

impl ObjectiveChoice {
    fn name(&self) -> Cow<'static, str> {
        match self {
            ObjectiveChoice::Named(method) => Cow::Borrowed(method.name),
            ObjectiveChoice::Own(own) => Cow::Owned(own.name.clone()),
        }
    }

    fn needs_truth(&self) -> bool {
        matches!(self, ObjectiveChoice::Named(method) if method.needs_truth)
    }

    fn needs_prior(&self) -> bool {
        match self {
            ObjectiveChoice::Named(method) => method.needs_prior,
            ObjectiveChoice::Own(own) => own.needs_prior,
        }
    }

    /// Whether it averages over the whole batch.
    pub(crate) fn is_pooled(&self) -> bool {
        match self {
            ObjectiveChoice::Named(method) => method.pooled,
            ObjectiveChoice::Own(own) => own.pooled,
        }
    }

    /// Objectives that average over the whole batch mean something else when its mix changes; the others are served better
    /// by a floor under the number of positives.
    pub(crate) fn mix(&self, reduction: Option<Reduction>) -> Mix {
        if self.is_pooled() || reduction == Some(Reduction::SampleMean) {
            Mix::Proportional
        } else {
            Mix::AtLeast(SHARE_OF_POSITIVES)
        }
    }

    pub(crate) fn build(
        &self,
        setting: &Setting,
        options: &Options,
    ) -> Result<Box<dyn Objective>, LossError> {
        match self {
            ObjectiveChoice::Named(method) => method.build(setting, options),
            ObjectiveChoice::Own(own) => (own.build)(setting),
        }
    }

    /// What known negatives among some rows add to the objective; `None` where there are none.
    pub(crate) fn negatives(
        &self,
        setting: &Setting,
        options: &Options,
        negatives: usize,
    ) -> Result<Option<NegativeTerm>, LossError> {
        match self {
            _ if negatives == 0 => Ok(None),
            ObjectiveChoice::Named(method) => {
                method.negative_term(setting, options, weight_of_negatives(negatives as f64)).map(Some)
            }
            ObjectiveChoice::Own(_) => Ok(None),
        }
    }

    pub(crate) fn takes_negatives(&self) -> Result<(), Cow<'static, str>> {
        match self {
            ObjectiveChoice::Named(method) => match method.check_negatives() {
                Err(LossError::NoNegatives { why, .. }) => Err(Cow::Borrowed(why)),
                _ => Ok(()),
            },
            ObjectiveChoice::Own(_) => {
                Err(Cow::Borrowed("an objective of your own says nothing of what negatives add to it"))
            }
        }
    }

    pub(crate) fn takes_weights(&self) -> Result<(), Cow<'static, str>> {
        let half = Setting { prior_in_unlabeled: 0.5, sampling: onesided_loss::Sampling::CaseControl };
        match self.build(&half, &Options::default()) {
            Ok(objective) if objective.weighted().is_none() => {
                Err(Cow::Borrowed("its objective counts every example once"))
            }
            _ => Ok(()),
        }
    }

    /// The reductions to try: the one asked for, both that may win, or none.
    pub(crate) fn candidates(&self, reduction: Option<Reduction>) -> Vec<Candidate> {
        match (self, reduction) {
            (ObjectiveChoice::Named(method), reduction) if method.has_reductions() => match reduction {
                Some(reduction) => vec![Candidate::reduction(reduction)],
                None => vec![
                    Candidate::reduction(Reduction::SumOfMeans),
                    Candidate::reduction(Reduction::PriorWeighted),
                ],
            },
            _ => vec![Candidate::only(self.name())],
        }
    }

    /// Where scores start: μ where the objective compares the mean of U with it, the share of the first kind where cross
    /// entropy is taken over the pool.
    pub(crate) fn start(&self, task: &Task) -> f64 {
        match task.mu() {
            Some(mu) if self.needs_prior() => mu.logit(),
            _ => task.log_odds(),
        }
    }

    pub(crate) fn info(&self, model: String) -> Info {
        let naive =
            matches!(self, ObjectiveChoice::Named(method) if method.tells_labeled() || method.needs_truth);
        Info {
            method: self.name(),
            model: Cow::Owned(model),
            needs_truth: self.needs_truth(),
            needs_prior: self.needs_prior(),
            works_without_prior: naive,
        }
    }
}

impl fmt::Debug for ObjectiveChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ObjectiveChoice").field(&self.name()).finish()
    }
}

/// A network under an objective.
#[derive(Clone, Debug)]
pub struct NetworkScorer {
    /// The loss.
    pub objective: ObjectiveChoice,
    /// Its options.
    pub options: Options,
    /// The reduction of the collective loss; `None` tries two.
    pub reduction: Option<Reduction>,
    /// The network.
    pub architecture: Architecture,
    /// How to train.
    pub train: Training,
    /// Where scores start, if not at the logit that a network without an input would give.
    pub start_bias: Option<f64>,
    /// A file that training writes after each epoch and resumes from.
    pub checkpoint: Option<PathBuf>,
    /// Where to train, if not where the task says.
    pub device: Option<Device>,
}

impl NetworkScorer {
    fn config(&self, rows: usize, candidate: &Candidate, task: &Task) -> TrainConfig {
        let mix = self.objective.mix(candidate.reduction);
        let input = crate::views::shape_of(task.data);
        TrainConfig {
            device: self.device.unwrap_or(task.machine.device),
            precision: task.machine.precision,
            augment: self.train.augment(input),
            ..self.train.config(rows, input, &self.architecture, mix)
        }
    }

    fn options(&self, candidate: &Candidate) -> Options {
        Options { reduction: candidate.reduction.unwrap_or(self.options.reduction), ..self.options }
    }

    fn build(&self, task: &Task, candidate: &Candidate) -> Result<Box<dyn Objective>, Error> {
        Ok(self.objective.build(&task.setting(), &self.options(candidate))?)
    }

    /// The network for the rows of a task.
    pub fn network(&self, task: &Task) -> Result<Network, Error> {
        Ok(self.architecture.network(crate::views::shape_of(task.data))?)
    }

    /// [`open`](Scorer::open) on an engine that holds the rows of the task already: several scorers share one device and
    /// what it holds.
    pub fn open_on<'d>(
        &'d self,
        task: &'d Task<'_>,
        engine: &'d Engine<'_>,
    ) -> Result<Box<dyn Trainer + 'd>, Error> {
        self.trainer(task, self.network(task)?, Held::Shared(engine))
    }

    fn trainer<'d>(
        &'d self,
        task: &'d Task<'_>,
        network: Network,
        engine: Held<'d>,
    ) -> Result<Box<dyn Trainer + 'd>, Error> {
        let device = engine.describe();
        Ok(Box::new(NetworkTrainer { scorer: self, task, network, engine, device }))
    }
}

impl Scorer for NetworkScorer {
    fn info(&self) -> Info {
        self.objective.info(self.architecture.to_string())
    }

    fn wants(&self) -> Wants {
        Wants { pictures: self.architecture.needs_image(), dense: true, ..Wants::default() }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let all = self.objective.candidates(self.reduction);
        if self.train.is_taught() {
            // Few labels cannot tell reductions apart either.
            all.into_iter().next_back().into_iter().collect()
        } else {
            all
        }
    }

    fn takes_negatives(&self) -> Result<(), Cow<'static, str>> {
        self.objective.takes_negatives()
    }

    fn takes_weights(&self) -> Result<(), Cow<'static, str>> {
        self.objective.takes_weights()
    }

    fn check(&self, task: &Task) -> Result<(), Error> {
        self.train.check()?;
        self.build(task, &self.candidates()[0])?;
        let network = self.network(task)?;
        self.train.augment(network.input).check(network.input)?;
        // What cannot go together is refused before anything is waited for.
        Ok(self.config(task.data.len(), &self.candidates()[0], task).check()?)
    }

    fn open<'d>(&'d self, task: &'d Task<'_>, views: &'d Views<'_>) -> Result<Box<dyn Trainer + 'd>, Error> {
        let network = self.network(task)?;
        let (source, input) = views.source()?;
        let config = self.config(task.data.len(), &self.candidates()[0], task);
        let device = config.device_for(&network);
        self.trainer(task, network, Held::Own(Engine::new(device, source, input)?))
    }

    fn clean_up(&self, runs: usize) {
        if let Some(path) = &self.checkpoint {
            for run in 0..runs {
                let _ = std::fs::remove_file(checkpoint_of(run, runs, path));
            }
        }
    }
}

/// The network to train, and the device that holds the rows for every run of training and scoring.
struct NetworkTrainer<'d> {
    scorer: &'d NetworkScorer,
    task: &'d Task<'d>,
    network: Network,
    engine: Held<'d>,
    device: String,
}

/// The device that holds the rows: the trainer's own, or one that others train on too.
enum Held<'d> {
    Own(Engine<'d>),
    Shared(&'d Engine<'d>),
}

impl<'d> Deref for Held<'d> {
    type Target = Engine<'d>;

    fn deref(&self) -> &Engine<'d> {
        match self {
            Held::Own(engine) => engine,
            Held::Shared(engine) => engine,
        }
    }
}

impl NetworkTrainer<'_> {
    /// Scores as the finished model gives them: in f32, so that it is calibrated and measured on its own scores.
    fn scores(&self, trained: &Trained, rows: &[u32], config: &TrainConfig) -> Result<Vec<f32>, Error> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut config = config.executor_config();
        config.precision = Precision::F32;
        Ok(scores_on(&self.engine, &self.network, &trained.weights, rows, &config)?)
    }

    /// Until the risk of the stopping rows is lowest, or through a given epoch.
    fn train(
        &self,
        subset: &Subset,
        config: &TrainConfig,
        (objective, term): (&dyn Objective, Option<NegativeTerm>),
        observer: Observer,
        watcher: Watcher,
    ) -> Result<(Trained, Signal), Error> {
        let (scorer, task, run) = (self.scorer, self.task, subset.run);
        let prior = task.mu();
        let weights = task.weights_by_kind(subset.stopping);
        let [wp, wu, wn] = weights.each_ref().map(Option::as_deref);
        let judge = |positive: &[f32], unlabeled: &[f32], negative: &[f32]| {
            let held = HeldScores {
                positive: Sample { scores: positive, weights: wp },
                unlabeled: Sample { scores: unlabeled, weights: wu },
                negative: Sample { scores: negative, weights: wn },
            };
            if task.truth { held.log_loss() } else { held.epoch_risk(prior) }
        };
        let criterion = crate::criterion::name(task);
        let risk_name = format!("{criterion} at {:?}", prior.map(PriorInUnlabeled::get));
        let checkpoint = scorer.checkpoint.as_deref().map(|path| checkpoint_of(run.number, run.all, path));
        // A teacher's student is best at the end, and few labels cannot tell epochs apart.
        let taught = scorer.train.is_taught();
        let judged = subset.stop_after.is_none() && !subset.stopping.is_empty() && !taught;
        let job = Job {
            network: &self.network,
            data: self.engine.source(),
            positive: &subset.training.positive,
            unlabeled: &subset.training.unlabeled,
            held_out_positive: &subset.stopping.positive,
            held_out_unlabeled: &subset.stopping.unlabeled,
            negatives: term.map(|term| NegativeRows {
                training: &subset.training.negative,
                held_out: &subset.stopping.negative,
                term,
            }),
            weights: task.weights,
            objective,
            start_bias: scorer.start_bias.unwrap_or_else(|| scorer.objective.start(task)),
            share: prior.map(PriorInUnlabeled::get),
            risk: if judged { Some(&judge) } else { None },
            risk_name: &risk_name,
            config,
            checkpoint: checkpoint.as_deref(),
        };
        let (mut epoch, mut signal) = (0, Signal::Continue);
        let mut after_batch = |progress: &onesided_net::TrainProgress| {
            epoch = progress.epoch;
            signal = observer(&Progress {
                name: run.name,
                run: run.number,
                runs: run.all,
                device: &self.device,
                resumed_from: sum(run.resumed_from, progress.resumed_from),
                at: At::Batch(progress),
            });
            signal == Signal::Continue
        };
        let trained = train_watched(&self.engine, &job, &mut after_batch, watcher)?;
        if signal == Signal::Abort {
            // As it was given: each of several runs has a file of its own behind that name.
            let kept = scorer.checkpoint.as_deref().filter(|_| checkpoint.is_some_and(|path| path.exists()));
            let checkpoint = kept.map(|path| path.display().to_string());
            return Err(Error::Interrupted { epoch, checkpoint });
        }
        Ok((trained, signal))
    }
}

impl Trainer for NetworkTrainer<'_> {
    fn fit(
        &self,
        subset: &Subset,
        candidate: &Candidate,
        observer: Observer,
    ) -> Result<TrainedScorer, Error> {
        self.fit_watched(subset, candidate, observer, &mut |_, _| Ok(()))
    }

    fn fit_watched(
        &self,
        subset: &Subset,
        candidate: &Candidate,
        observer: Observer,
        watcher: Watcher,
    ) -> Result<TrainedScorer, Error> {
        let objective = self.scorer.build(self.task, candidate)?;
        let (setting, negatives) = (self.task.setting(), subset.training.negative.len());
        let term = self.scorer.objective.negatives(&setting, &self.scorer.options(candidate), negatives)?;
        let config = TrainConfig {
            stop_after: subset.stop_after,
            seed: subset.seed,
            threads: subset.threads,
            device: self.engine.device(),
            ..self.scorer.config(subset.training.len(), candidate, self.task)
        };
        let (trained, signal) = self.train(subset, &config, (objective.as_ref(), term), observer, watcher)?;
        let stopping = self.scores(&trained, &subset.stopping.all(), &config)?;
        let same = same_rows(subset.stopping, subset.scored);
        Ok(TrainedScorer {
            scored: if same { stopping.clone() } else { self.scores(&trained, subset.scored, &config)? },
            stopping,
            rounds: if same { trained.held_out } else { OnTheWay::default() },
            scale: ScoreScale::ONE,
            fitted: Fitted::Network { network: self.network.clone(), weights: trained.weights },
            history: History {
                epochs: trained.epochs_run,
                best_epoch: trained.best_epoch,
                of_epochs: trained.history,
                config: Some(TrainConfig { stop_after: None, ..config }),
            },
            described: objective.describe(),
            resumed_from: trained.resumed_from,
            finished_early: signal == Signal::Finish,
        })
    }

    fn device(&self) -> String {
        self.device.clone()
    }

    fn side_by_side(&self) -> bool {
        self.engine.device() == Device::Cpu
    }
}

/// Whether the rows that decide when to stop are those to score, in their order.
pub(crate) fn same_rows(kinds: &Kinds, rows: &[u32]) -> bool {
    let all = kinds.positive.iter().chain(&kinds.unlabeled).chain(&kinds.negative);
    kinds.len() == rows.len() && all.eq(rows)
}

/// The sum of what is there.
pub(crate) fn sum(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    a.into_iter().chain(b).reduce(|a, b| a + b)
}

/// The checkpoint of one run of several.
fn checkpoint_of(run: usize, runs: usize, path: &Path) -> PathBuf {
    if runs <= 1 {
        return path.to_path_buf();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", run + 1));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Machine;
    use onesided_data::{Dataset, Label, Matrix, Scenario};
    use onesided_loss::method;

    #[test]
    fn only_objectives_that_average_over_p_and_u_apart_get_more_positives() {
        let mix = |name: &str, reduction| ObjectiveChoice::Named(method(name).unwrap()).mix(reduction);
        assert_eq!(mix("naive", None), Mix::Proportional);
        assert_eq!(mix("collective", Some(Reduction::SampleMean)), Mix::Proportional);
        assert_eq!(mix("collective", Some(Reduction::PriorWeighted)), Mix::AtLeast(0.1));
        assert_eq!(mix("nnpu", None), Mix::AtLeast(0.1));
    }

    #[test]
    fn a_shared_engine_and_a_watcher_change_nothing() {
        let values = (0..120).map(|x| ((x * 37) % 23) as f32 / 11.0 - 1.0).collect();
        let labels: Vec<Label> =
            (0..40).map(|row| if row % 3 == 0 { Label::Positive } else { Label::Unlabeled }).collect();
        let data = Dataset::from_scaled(Matrix::new(40, 3, values).unwrap(), None).unwrap();
        let data = data.with_labels(labels).unwrap();
        let machine = Machine { threads: 1, device: Device::Cpu, ..Machine::default() };
        let task = Task::new(&data, false, Scenario::SingleSample, 7, machine).unwrap();
        let fixed = TrainConfig { batch: 8, epochs: 3, keep_best: false, ..TrainConfig::default() };
        let scorer = NetworkScorer {
            objective: ObjectiveChoice::Named(method("naive").unwrap()),
            options: Options::default(),
            reduction: None,
            architecture: Architecture::mlp(),
            train: Training::Fixed(fixed.clone()),
            start_bias: Some(-0.5),
            checkpoint: None,
            device: None,
        };
        scorer.check(&task).unwrap();
        let training = task.split(&(0..40).collect::<Vec<_>>());
        let subset = Subset {
            training: &training,
            stopping: &Kinds::default(),
            scored: &[],
            stop_after: None,
            seed: 7,
            threads: 1,
            run: crate::RunNumber::default(),
        };
        let (views, candidate) = (Views::new(&data), scorer.candidates().remove(0));
        let mut observer = |_: &Progress| Signal::Continue;
        let alone = scorer.open(&task, &views).unwrap();
        let alone = alone.fit(&subset, &candidate, &mut observer).unwrap();
        let (source, shape) = views.source().unwrap();
        let engine = Engine::new(Device::Cpu, source, shape).unwrap();
        let shared = scorer.open_on(&task, &engine).unwrap();
        let mut seen = Vec::new();
        let mut watcher = |epoch: usize, _: &mut dyn onesided_net::Executor| {
            seen.push(epoch);
            Ok(())
        };
        let watched = shared.fit_watched(&subset, &candidate, &mut observer, &mut watcher).unwrap();
        assert_eq!(seen, [1, 2, 3]);
        assert_eq!(alone.history.of_epochs, watched.history.of_epochs);
        assert_eq!(alone.fitted.network().unwrap().1, watched.fitted.network().unwrap().1);
        let ran = TrainConfig { seed: 7, threads: 1, device: Device::Cpu, ..fixed };
        assert_eq!(watched.history.config, Some(ran));
    }
}
