//! One run: a split, a scorer that learns from it, and the test rows.

use crate::ExperimentError;
use crate::choices::{DecideAt, PriorSource};
use crate::estimated::Estimates;
use crate::results::Record;
use crate::set::Set;
use crate::spec::{PriorErrorKind, Run};
use crate::split::{Split, SplitPrior};
use onesided_classic::{ClassicModel, Selected};
use onesided_data::{ClassPrior, Counts, Dataset, Scenario, logit_shift};
use onesided_eval::{ThresholdRule, auc, share_above};
use onesided_learn::scorers::{ClassicScorer, NetworkScorer, ObjectiveChoice};
use onesided_learn::{
    Config, Error, Kinds, Machine, Method, Observer, Portfolio, Priors, Scorer, Subset, Task, Training,
    Views, check, learn,
};
use onesided_net::{
    Architecture, Device, Draw, Engine, Executor, NetError, Network, TrainConfig, Watcher, score_rows,
    score_views,
};
use std::borrow::Cow;
use std::time::Instant;

/// A run made ready: its rows, and what learns from them.
pub(crate) struct Trial<'a> {
    run: &'a Run,
    set: &'a Set,
    split: Split,
    scorer: RunScorer,
    machine: Machine,
    /// Added to a network's score before its sign is taken.
    shift: f64,
}

/// What learns.
enum RunScorer {
    Network(Box<NetworkScorer>),
    Classic(ClassicScorer),
    /// What `auto` tries, which depends on the rows.
    Auto,
}

impl<'a> Trial<'a> {
    /// Splits the data of a run, as its seed says, and refuses what could not be learned from. Where a run's prior is to be
    /// estimated, it is the true one here: see [`estimated`](Self::estimated).
    pub fn new(
        run: &'a Run,
        kind: PriorErrorKind,
        set: &'a Set,
        machine: Machine,
    ) -> Result<Self, ExperimentError> {
        Self::of_split(run, Split::new(run, kind, set, None)?, set, machine)
    }

    /// The same, told the prior that its rows to train on suggest if the run says so; other runs of these rows share it.
    pub fn estimated(self, kind: PriorErrorKind, estimates: &Estimates) -> Result<Self, ExperimentError> {
        let Self { run, set, machine, split, .. } = self;
        let settings = &run.settings;
        if settings.prior == PriorSource::Given || split.prior.is_none() {
            return Self::of_split(run, split, set, machine);
        }
        let rows = (run.labeled, settings.hold_out, settings.bias, settings.unlabeled, run.seed);
        let estimate = estimates.of(format!("{rows:?}"), &split, set, run.seed, machine)?;
        Self::of_split(run, Split::new(run, kind, set, Some(estimate))?, set, machine)
    }

    fn of_split(run: &'a Run, split: Split, set: &'a Set, machine: Machine) -> Result<Self, ExperimentError> {
        let settings = &run.settings;
        let counts = counts(&split);
        let given = split.prior.map(|prior| prior.given);
        let scorer = match settings.method()? {
            Method::Auto => RunScorer::Auto,
            Method::System(info) => RunScorer::Classic(ClassicScorer::with_options(info, &[])?),
            Method::Objective(method) => {
                let labeled = counts.labeled_share();
                // The logit that a network without an input would give, to the last digit as in committed results.
                let share = given.filter(|_| method.needs_prior).map_or(labeled, |given| given.get());
                RunScorer::Network(Box::new(NetworkScorer {
                    objective: ObjectiveChoice::Named(method),
                    options: settings.options,
                    reduction: Some(settings.options.reduction),
                    architecture: settings.network.clone(),
                    train: Training::Fixed(settings.config.clone()),
                    start_bias: Some((share / (1.0 - share)).ln()),
                    checkpoint: None,
                    device: None,
                }))
            }
        };
        if settings.mirror && settings.trains_network() && !settings.network.needs_image() {
            let detail = format!("{} sees no image, and has no mirror image to score", settings.network);
            return Err(ExperimentError::Spec { file: run.name.clone(), detail });
        }
        let shift = match (settings.decide_at, given) {
            (DecideAt::Class, Some(given)) => {
                logit_shift(given, given.to_class_prior(split.scenario, counts))
            }
            _ => 0.0,
        };
        let trial = Self { run, set, split, scorer, machine, shift };
        if let RunScorer::Network(scorer) = &trial.scorer {
            scorer.check(&trial.task(set.rows()))?;
        }
        Ok(trial)
    }

    /// Rows to learn from.
    pub fn training(&self) -> &Kinds {
        &self.split.training
    }

    /// The network to train; `None` for a classic system and for `auto`.
    pub fn network(&self) -> Result<Option<Network>, ExperimentError> {
        match &self.scorer {
            RunScorer::Network(scorer) => Ok(Some(scorer.network(&self.task(self.set.rows()))?)),
            RunScorer::Classic(_) | RunScorer::Auto => Ok(None),
        }
    }

    /// Trains these layers instead of the network of the settings.
    pub fn with_network(mut self, network: Network) -> Self {
        if let RunScorer::Network(scorer) = &mut self.scorer {
            scorer.architecture = Architecture::Layers(network.layers);
        }
        self
    }

    /// Where the run is best done; the CPU for a classic system and for `auto`.
    pub fn device(&self) -> Result<Device, ExperimentError> {
        let config = TrainConfig { device: self.machine.device, ..self.run.settings.config.clone() };
        Ok(self.network()?.map_or(Device::Cpu, |network| config.device_for(&network)))
    }

    /// Multiply-adds of the whole run, by which the time left is estimated; for classic systems, whose time is unknown,
    /// the rows.
    pub fn cost(&self) -> Result<f64, ExperimentError> {
        let rows = self.split.training.len() as f64;
        let of = |network: Network| self.run.settings.config.epochs as f64 * network.products() as f64;
        Ok(rows * self.network()?.map_or(1.0, of))
    }

    /// What the scorer is given.
    fn task<'t>(&'t self, data: &'t Dataset) -> Task<'t> {
        let (counts, scenario) = (counts(&self.split), self.run.settings.scenario);
        let (labels, truth) = (Cow::Borrowed(&self.split.labels[..]), self.run.labeled.is_none());
        let (seed, machine) = (self.run.seed, self.machine);
        let task = Task::of_some_rows(data, labels, truth, counts, scenario, seed, machine);
        Task { priors: self.priors(scenario), ..task }
    }

    /// What the scorer is told of the share of positives.
    fn priors(&self, scenario: Scenario) -> Option<Priors> {
        let counts = counts(&self.split);
        self.split.prior.map(|prior| Priors::from_unlabeled(prior.given, scenario, counts, false))
    }

    /// Trains and tests, a network on an engine that holds the rows already where there is one. `None` if the observer
    /// ended it.
    pub fn train(
        &self,
        engine: Option<&Engine>,
        observer: Observer,
        watcher: Watcher,
    ) -> Result<Option<Record>, ExperimentError> {
        let started = Instant::now();
        let (scorer, data): (&dyn Scorer, _) = match &self.scorer {
            RunScorer::Auto => return self.train_auto(started, observer),
            RunScorer::Network(scorer) => (scorer.as_ref(), self.set.rows()),
            RunScorer::Classic(scorer) if scorer.wants().counts => (scorer, self.set.counts()?),
            RunScorer::Classic(scorer) => (scorer, self.set.numbers()?),
        };
        let (task, views) = (self.task(data), Views::new(data));
        let trainer = match (&self.scorer, engine) {
            (RunScorer::Network(scorer), Some(engine)) => scorer.open_on(&task, engine)?,
            _ => scorer.open(&task, &views)?,
        };
        let subset = Subset {
            training: &self.split.training,
            stopping: &Kinds::default(),
            scored: &[],
            stop_after: None,
            seed: self.run.seed,
            threads: self.machine.threads,
            run: onesided_learn::RunNumber { name: &self.run.name, number: 0, all: 1, resumed_from: None },
        };
        // One thing is tried: the reduction is named.
        let candidate = scorer.candidates().swap_remove(0);
        let mut tested = Tested::default();
        let fit = trainer.fit_watched(&subset, &candidate, observer, &mut |epoch, executor| {
            watcher(epoch, executor)?;
            if epoch == self.run.settings.config.epochs {
                tested = self.test_network(executor)?;
            }
            Ok(())
        });
        let fit = match fit {
            Err(Error::Interrupted { .. }) => return Ok(None),
            other => other?,
        };
        if let Some(model) = fit.fitted.classic() {
            tested = self.test_system(model, &views, scorer)?;
        }
        // A system has no epochs, and a network at least one.
        let loss = fit.history.of_epochs.last().map_or(0.0, |epoch| epoch.loss);
        Ok(Some(self.record(tested, loss, trainer.device(), started)))
    }

    /// Learns by `auto` from the rows to train on, and tests. `None` if the observer ended it.
    fn train_auto(&self, started: Instant, observer: Observer) -> Result<Option<Record>, ExperimentError> {
        let all = self.set.rows();
        let numbers = |rows: &[u32]| rows.iter().map(|&row| row as usize).collect::<Vec<usize>>();
        let data = self.split.training_set(all)?;
        let (seed, machine) = (self.run.seed, self.machine);
        let task = Task::new(&data, false, self.split.scenario, seed, machine)?;
        let task = Task { priors: self.priors(self.split.scenario), ..task };
        let scorer = Portfolio::new(&data, &Config::default())?;
        check(&scorer, &task, ThresholdRule::Half)?;
        let learned = match learn(&scorer, &task, &Views::new(&data), None, observer) {
            Err(Error::Interrupted { .. }) => return Ok(None),
            other => other?,
        };
        let score = |rows: &[u32]| -> Result<Vec<f32>, Error> {
            let rows = numbers(rows);
            if rows.is_empty() {
                return Ok(Vec::new());
            }
            learned.fitted.scores(&all.select(&rows), machine.device, machine.threads)
        };
        // A mean of members holds at μ once it is calibrated, and is decided on as a network is.
        let cut = match (self.run.settings.threshold, self.split.prior) {
            (ThresholdRule::Quantile, Some(prior)) => Some(share_above(&learned.unlabeled, prior.given)),
            _ => None,
        };
        let positive = |score: f32| match cut {
            Some(cut) => f64::from(score) >= cut,
            None => learned.calibration.apply(score) + self.shift > 0.0,
        };
        let decide = |scores: &[f32]| scores.iter().map(|&score| positive(score)).collect::<Vec<bool>>();
        let scores = score(&self.set.test_rows())?;
        let held_out = [&self.split.held_out.positive, &self.split.held_out.unlabeled];
        let [positive, unlabeled] = held_out.map(|rows| score(rows).map(|scores| decide(&scores)));
        let estimated_accuracy = self.estimated_accuracy(&positive?, &unlabeled?);
        let tested = Tested { decided: decide(&scores), scores, estimated_accuracy };
        Ok(Some(self.record(tested, 0.0, learned.report.device, started)))
    }

    fn record(&self, tested: Tested, loss: f64, device: String, started: Instant) -> Record {
        let right = tested.decided.iter().zip(&self.set.test).filter(|(decided, truth)| decided == truth);
        Record {
            run: self.run.name.clone(),
            fingerprint: self.run.fingerprint.clone(),
            accuracy: right.count() as f64 / self.set.test.len() as f64,
            auc: auc(&tested.scores, &self.set.test).unwrap_or(f64::NAN),
            rows: (self.split.training.positive.len(), self.split.training.unlabeled.len()),
            prior: self.split.prior.map(|SplitPrior { truth, given }| (truth.get(), given.get())),
            estimated_accuracy: tested.estimated_accuracy,
            loss,
            seconds: started.elapsed().as_secs_f64(),
            device: match device.as_str() {
                "cpu" => device,
                _ => format!("{device}, {}", self.machine.precision),
            },
            version: env!("CARGO_PKG_VERSION").into(),
        }
    }

    /// The test rows, and what held-out rows say, by a network as it is now, in the precision of training.
    fn test_network(&self, executor: &mut dyn Executor) -> Result<Tested, NetError> {
        let mirrored = Draw { mirror: 1, ..Draw::default() };
        let mut score = |rows: &[u32]| {
            if self.run.settings.mirror {
                score_views(executor, rows, &[Draw::default(), mirrored])
            } else {
                score_rows(executor, rows)
            }
        };
        let cut = match (self.run.settings.threshold, self.split.prior) {
            (ThresholdRule::Quantile, Some(prior)) => {
                Some(share_above(&score(&self.split.training.unlabeled)?, prior.given))
            }
            _ => None,
        };
        let decide = |scores: &[f32]| -> Vec<bool> {
            let positive = |score: f64| cut.map_or(score + self.shift > 0.0, |cut| score >= cut);
            scores.iter().map(|&score| positive(f64::from(score))).collect()
        };
        let scores = score(&self.set.test_rows())?;
        let positive = decide(&score(&self.split.held_out.positive)?);
        let unlabeled = decide(&score(&self.split.held_out.unlabeled)?);
        let estimated_accuracy = self.estimated_accuracy(&positive, &unlabeled);
        Ok(Tested { decided: decide(&scores), scores, estimated_accuracy })
    }

    /// The test rows by a system, at its own threshold.
    fn test_system(
        &self,
        model: &ClassicModel,
        views: &Views,
        scorer: &dyn Scorer,
    ) -> Result<Tested, ExperimentError> {
        let rows: Vec<usize> = self.set.test_rows().iter().map(|&row| row as usize).collect();
        let scores = model.scores(&Selected::new(views.rows(scorer.wants().scaling)?, rows))?;
        Ok(Tested {
            decided: scores.iter().map(|&score| score > model.threshold).collect(),
            scores: scores.into_iter().map(|score| score as f32).collect(),
            estimated_accuracy: None,
        })
    }

    /// Accuracy in the population that training rows are of, without a negative: with recall r of held-out positives
    /// and share a of held-out unlabeled rows decided positive, the specificity is 1 - (a - μ r)/(1 - μ).
    fn estimated_accuracy(&self, positive: &[bool], unlabeled: &[bool]) -> Option<f64> {
        if positive.is_empty() || unlabeled.is_empty() {
            return None;
        }
        let mu = self.split.prior?.given;
        let share =
            |decided: &[bool]| decided.iter().filter(|&&yes| yes).count() as f64 / decided.len() as f64;
        let (recall, predicted) = (share(positive), share(unlabeled));
        let pi: ClassPrior = mu.to_class_prior(self.split.scenario, counts(&self.split));
        let specificity = 1.0 - (predicted - mu.get() * recall) / (1.0 - mu.get());
        Some(pi.get() * recall + (1.0 - pi.get()) * specificity)
    }
}

/// What the test rows say.
#[derive(Default)]
struct Tested {
    scores: Vec<f32>,
    decided: Vec<bool>,
    estimated_accuracy: Option<f64>,
}

/// How many rows of either kind are learned from.
fn counts(split: &Split) -> Counts {
    Counts::new(split.training.positive.len(), split.training.unlabeled.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::tests::numbered;
    use crate::spec::Labeled;
    use crate::spec::tests::{SMALL, parsed};
    use onesided_data::Matrix;
    use onesided_learn::Signal;

    /// 40 positives, of which a fifth is hidden among 60 negatives: 32 labeled rows, 68 unlabeled ones, μ = 8/68 and
    /// π = 40/100.
    fn of_hundred(run: &Run, machine: Machine, check: impl FnOnce(Trial)) {
        let set = numbered(40, 60, 10);
        check(Trial::new(run, PriorErrorKind::Relative, &set, machine).unwrap());
    }

    fn run(objective: &str) -> Run {
        let mut run = parsed(SMALL).unwrap().runs().unwrap().remove(0);
        assert_eq!(run.labeled, Some(Labeled::AllBut(0.2)));
        run.settings.objective = objective.to_string();
        run.settings.network = Architecture::Linear;
        run
    }

    fn start_bias(trial: &Trial) -> f64 {
        match &trial.scorer {
            RunScorer::Network(scorer) => scorer.start_bias.unwrap(),
            _ => f64::NAN,
        }
    }

    #[test]
    fn a_network_starts_at_the_logit_of_the_share_that_its_loss_knows() {
        of_hundred(&run("collective"), Machine::default(), |trial| {
            assert_eq!((trial.training().positive.len(), trial.training().unlabeled.len()), (32, 68));
            // ln(8/60).
            assert!((start_bias(&trial) - (8f64 / 60.0).ln()).abs() < 1e-12);
        });
        // Without a prior, the share of labeled rows: ln(32/68).
        of_hundred(&run("naive"), Machine::default(), |trial| {
            assert!((start_bias(&trial) - (32f64 / 68.0).ln()).abs() < 1e-12);
        });
        // Told nine tenths of μ: 7.2/68.
        let told = Run { prior_error: -0.1, ..run("collective") };
        of_hundred(&told, Machine::default(), |trial| {
            assert!((start_bias(&trial) - (7.2f64 / 60.8).ln()).abs() < 1e-12);
        });
    }

    #[test]
    fn decisions_at_the_class_prior_move_the_score_from_mu_to_pi() {
        of_hundred(&run("collective"), Machine::default(), |trial| assert_eq!(trial.shift, 0.0));
        let mut at_class = run("collective");
        at_class.settings.decide_at = DecideAt::Class;
        // ln(0.4/0.6) - ln(8/60) = ln 5.
        of_hundred(&at_class, Machine::default(), |trial| assert!((trial.shift - 5f64.ln()).abs() < 1e-12));
        // A run that sees every label has no prior to move from.
        let mut supervised = Run { labeled: None, ..run("supervised") };
        supervised.settings.decide_at = DecideAt::Class;
        of_hundred(&supervised, Machine::default(), |trial| assert_eq!(trial.shift, 0.0));
    }

    #[test]
    fn costs_are_multiply_adds_of_all_epochs_and_rows_of_a_system() {
        let mut linear = run("collective");
        linear.settings.config.epochs = 7;
        // One product per row of one column.
        of_hundred(&linear, Machine::default(), |trial| assert_eq!(trial.cost().unwrap(), 700.0));
        of_hundred(&run("weighted-lr"), Machine::default(), |trial| {
            assert_eq!(trial.cost().unwrap(), 100.0);
            assert_eq!((trial.network().unwrap(), trial.device().unwrap()), (None, Device::Cpu));
        });
    }

    #[test]
    fn accuracy_without_negatives_needs_both_kinds_of_held_out_rows() {
        of_hundred(&run("collective"), Machine::default(), |trial| {
            // Recall 3/4, a quarter of U called positive: specificity 1 - (1/4 - 8/68 · 3/4) / (60/68) = 1 - 11/60.
            let (positive, unlabeled) = ([true, true, true, false], [true, false, false, false]);
            let expected = 0.4 * 0.75 + 0.6 * (1.0 - 11.0 / 60.0);
            assert!((trial.estimated_accuracy(&positive, &unlabeled).unwrap() - expected).abs() < 1e-12);
            assert_eq!(trial.estimated_accuracy(&[], &unlabeled), None);
            assert_eq!(trial.estimated_accuracy(&positive, &[]), None);
        });
    }

    #[test]
    fn auto_learns_from_the_rows_to_train_on_and_is_tested_on_the_others() {
        // Positives have small numbers; of the 40 rows to test on, those of the first half are positive.
        let mut set = numbered(60, 60, 0);
        let numbers = (0..120).chain(20..100).map(|row| row as f32).collect();
        set = set.with_test(Matrix::new(200, 1, numbers).unwrap(), (0..80).map(|row| row < 40).collect());
        let run = Run { labeled: Some(Labeled::AllBut(0.5)), ..run("auto") };
        let machine = Machine { threads: 1, device: Device::Cpu, ..Machine::default() };
        let trial = Trial::new(&run, PriorErrorKind::Relative, &set, machine).unwrap();
        assert_eq!((trial.network().unwrap(), trial.device().unwrap()), (None, Device::Cpu));
        let train = || trial.train(None, &mut |_| Signal::Continue, &mut |_, _| Ok(())).unwrap().unwrap();
        let record = train();
        assert!(record.auc > 0.95 && record.accuracy > 0.85, "{record:?}");
        assert_eq!((record.rows, record.loss, record.device.as_str()), ((30, 90), 0.0, "cpu"));
        // The same rows and seed give the same numbers, and an observer ends it.
        assert_eq!((train().auc, train().accuracy), (record.auc, record.accuracy));
        assert!(trial.train(None, &mut |_| Signal::Abort, &mut |_, _| Ok(())).unwrap().is_none());
    }
}
