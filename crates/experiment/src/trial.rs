//! One run: a split, an objective, training to the last epoch, and the test rows.

use crate::ExperimentError;
use crate::choices::DecideAt;
use crate::results::Record;
use crate::set::Set;
use crate::spec::{PriorErrorKind, Run};
use crate::split::Split;
use onesided_data::{ClassPrior, Counts, PriorInUnlabeled, Scenario, logit_shift};
use onesided_eval::auc;
use onesided_loss::{Method, Objective, Sampling, method};
use onesided_net::{
    Device, Draw, Engine, Executor, Job, Network, Precision, Progress, TrainConfig, Watcher, score_rows,
    score_views, train_watched,
};
use std::time::Instant;

/// A run made ready: rows, objective, network.
pub struct Trial<'a> {
    run: &'a Run,
    set: &'a Set,
    method: &'static Method,
    /// Rows to learn from: positives, then the rest.
    pub positive: Vec<u32>,
    /// Unlabeled rows, or true negatives for a method that sees them.
    pub unlabeled: Vec<u32>,
    held_out: (Vec<u32>, Vec<u32>),
    /// The true share of positives among the unlabeled rows, and the one that the method is told.
    prior: Option<(f64, f64)>,
    objective: Box<dyn Objective>,
    network: Network,
    start_bias: f64,
    /// Added to a score before its sign is taken.
    shift: f64,
    config: TrainConfig,
}

impl<'a> Trial<'a> {
    /// Splits the data of a run, as its seed says.
    pub fn new(run: &'a Run, kind: PriorErrorKind, set: &'a Set, how: &How) -> Result<Self, ExperimentError> {
        let settings = &run.settings;
        let method = method(&settings.objective)?;
        let Split { positive, unlabeled, held_out, prior, .. } = Split::new(run, kind, set)?;
        let counts = Counts { positive: positive.len(), unlabeled: unlabeled.len() };
        let labeled_share = counts.labeled_share();
        let sampling = match settings.scenario {
            Scenario::CaseControl => Sampling::CaseControl,
            Scenario::SingleSample => Sampling::SingleSample { labeled_share },
        };
        let told = prior.map_or(labeled_share, |(_, told)| told);
        let setting = onesided_loss::Setting { prior_in_unlabeled: told, sampling };
        let objective = method.build(&setting, &settings.options)?;
        // The logit that a network without an input would give.
        let share = if method.needs_prior { told } else { labeled_share };
        let shift = match (settings.decide_at, prior) {
            (DecideAt::Class, Some((_, told))) => {
                let from = PriorInUnlabeled::new(told)?;
                logit_shift(from, from.to_class_prior(Scenario::SingleSample, counts))
            }
            _ => 0.0,
        };
        let config = TrainConfig {
            seed: run.seed,
            device: how.device,
            precision: how.precision,
            threads: how.threads,
            ..settings.config.clone()
        };
        if settings.mirror && !settings.network.needs_image() {
            let detail = format!("{} sees no image, and has no mirror image to score", settings.network);
            return Err(ExperimentError::Spec { file: run.name.clone(), detail });
        }
        Ok(Self {
            network: settings.network.network(set.shape)?,
            start_bias: (share / (1.0 - share)).ln(),
            run,
            set,
            method,
            positive,
            unlabeled,
            held_out,
            prior,
            objective,
            shift,
            config,
        })
    }

    /// The network to train; it may be changed before training.
    pub fn network_mut(&mut self) -> &mut Network {
        &mut self.network
    }

    /// The network to train.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Whether a row to learn from is of a positive class, labeled or not.
    pub fn is_positive(&self, row: u32) -> bool {
        self.set.train.get(row as usize).copied().unwrap_or(false)
    }

    /// The share of positives among the unlabeled rows.
    pub fn prior_in_unlabeled(&self) -> Option<f64> {
        self.prior.map(|(mu, _)| mu)
    }

    /// Multiply-adds of the whole run, by which the time left is foretold.
    pub fn cost(&self) -> f64 {
        let rows = (self.positive.len() + self.unlabeled.len()) * self.config.epochs;
        rows as f64 * self.network.products() as f64
    }

    /// Trains and tests. `None` if the observer ended it.
    pub fn go(
        &self,
        engine: &Engine,
        observer: &mut dyn FnMut(&Progress) -> bool,
        watcher: Watcher,
    ) -> Result<Option<Record>, ExperimentError> {
        let started = Instant::now();
        let job = Job {
            network: &self.network,
            data: self.set.source(),
            positive: &self.positive,
            unlabeled: &self.unlabeled,
            held_out_positive: &[],
            held_out_unlabeled: &[],
            objective: self.objective.as_ref(),
            start_bias: self.start_bias,
            risk: None,
            risk_name: "",
            config: &self.config,
            checkpoint: None,
        };
        let test = self.set.test_rows();
        let mirrored = Draw { mirror: 1, ..Draw::default() };
        let views = if self.run.settings.mirror { &[Draw::default(), mirrored][..] } else { &[] };
        let judged = |executor: &mut dyn Executor, rows: &[u32]| match views {
            [] => score_rows(executor, rows),
            views => score_views(executor, rows, views),
        };
        let mut scores = (Vec::new(), Vec::new(), Vec::new());
        let trained = train_watched(engine, &job, observer, &mut |epoch, executor| {
            watcher(epoch, executor)?;
            if epoch == self.config.epochs {
                scores.0 = judged(executor, &test)?;
                scores.1 = judged(executor, &self.held_out.0)?;
                scores.2 = judged(executor, &self.held_out.1)?;
            }
            Ok(())
        })?;
        if trained.interrupted {
            return Ok(None);
        }
        let (scores, held_positive, held_unlabeled) = scores;
        let right = scores.iter().zip(&self.set.test).filter(|&(&score, &truth)| self.decide(score) == truth);
        Ok(Some(Record {
            run: self.run.name.clone(),
            fingerprint: self.run.fingerprint.clone(),
            accuracy: right.count() as f64 / test.len() as f64,
            auc: auc(&scores, &self.set.test).unwrap_or(f64::NAN),
            rows: (self.positive.len(), self.unlabeled.len()),
            prior: self.prior,
            estimated_accuracy: self.estimated_accuracy(&held_positive, &held_unlabeled),
            loss: trained.history.last().map_or(f64::NAN, |epoch| epoch.loss),
            seconds: started.elapsed().as_secs_f64(),
            device: match self.config.device.resolve(&self.network, self.config.batch) {
                Device::Cpu => "cpu".into(),
                _ => format!("{}, {}", engine.describe(), self.config.precision),
            },
            version: env!("CARGO_PKG_VERSION").into(),
        }))
    }

    fn decide(&self, score: f32) -> bool {
        f64::from(score) + self.shift > 0.0
    }

    /// Accuracy in the population that training rows are of, without a negative: with recall r of held-out positives
    /// and share a of held-out unlabeled rows decided positive, the specificity is 1 - (a - μ r)/(1 - μ).
    fn estimated_accuracy(&self, positive: &[f32], unlabeled: &[f32]) -> Option<f64> {
        if positive.is_empty() || unlabeled.is_empty() || self.method.needs_truth {
            return None;
        }
        let (_, mu) = self.prior?;
        let share = |scores: &[f32]| {
            scores.iter().filter(|&&score| self.decide(score)).count() as f64 / scores.len() as f64
        };
        let (recall, predicted) = (share(positive), share(unlabeled));
        let counts = Counts { positive: self.positive.len(), unlabeled: self.unlabeled.len() };
        let pi: ClassPrior = PriorInUnlabeled::new(mu).ok()?.to_class_prior(Scenario::SingleSample, counts);
        let specificity = 1.0 - (predicted - mu * recall) / (1.0 - mu);
        Some(pi.get() * recall + (1.0 - pi.get()) * specificity)
    }
}

/// Where and how runs are done; none of it belongs to an experiment.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// The device.
    pub device: Device,
    /// Numbers of a GPU.
    pub precision: Precision,
    /// Runs at once.
    pub jobs: usize,
    /// Threads of the CPU for each of them; 0 for every core.
    pub threads: usize,
}
