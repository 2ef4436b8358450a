//! The learner: settings in, model out.

use crate::choices::Wishes;
use crate::prior::{CrossFitting, PriorEstimate, PriorReport, PriorSettings, estimate_prior};
use crate::training::Task;
use crate::{Error, Model};
use onesided_data::{
    ClassPrior, Counts, DataError, Features, Label, Matrix, PriorInUnlabeled, PuData, Scenario,
};
use onesided_eval::ThresholdRule;
use onesided_loss::{Options, Reduction, Surrogate, method};
use onesided_net::{Activation, Architecture, Augment, Device, Optimizer, Precision, Schedule, Shape};
use std::path::PathBuf;

/// Everything that can be set before [`fit`](Learner::fit). What is not set is chosen by the data.
///
/// Defaults: the collective loss with its reduction chosen on held-out rows, a network with two hidden layers of 128
/// units, the single-sample scenario, a prior estimated from the data, a fifth of the rows held out, the threshold 0.5, seed 0 and all threads of the CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Learner {
    pub(crate) method: String,
    pub(crate) options: Options,
    pub(crate) reduction: Option<Reduction>,
    pub(crate) architecture: Architecture,
    pub(crate) image_shape: Option<Shape>,
    pub(crate) prior: Option<Prior>,
    pub(crate) estimate: Option<PriorEstimate>,
    pub(crate) scenario: Scenario,
    pub(crate) hold_out: Option<f64>,
    pub(crate) threshold: ThresholdRule,
    pub(crate) checkpoint: Option<PathBuf>,
    pub(crate) wishes: Wishes,
}

/// The prior as the user knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Prior {
    Class(ClassPrior),
    InUnlabeled(PriorInUnlabeled),
}

/// What an observer of [`Learner::fit_with`] sees after every batch.
pub struct Progress<'a> {
    /// What is being trained: a reduction of the collective loss, or the name of another method.
    pub name: &'a str,
    /// The number of this run of training, from 0.
    pub run: usize,
    /// How many there are: one for each candidate and fold, and one more on all rows where there are folds.
    pub runs: usize,
    /// The device in use: `cpu`, or `cuda:0` with the name of the GPU.
    pub device: &'a str,
    /// Epochs that checkpoints held already, of all runs so far; `None` where nothing was resumed.
    pub resumed_from: Option<usize>,
    /// Where its training stands.
    pub training: &'a onesided_net::Progress,
}

impl Default for Learner {
    fn default() -> Self {
        Self {
            method: "collective".to_string(),
            options: Options::default(),
            reduction: None,
            architecture: Architecture::Mlp {
                hidden: vec![128, 128],
                activation: Activation::Relu,
                batch_norm: true,
                dropout: 0.0,
            },
            image_shape: None,
            prior: None,
            estimate: None,
            scenario: Scenario::SingleSample,
            hold_out: None,
            threshold: ThresholdRule::Half,
            checkpoint: None,
            wishes: Wishes::default(),
        }
    }
}

impl Learner {
    /// A learner with every setting at its default.
    pub fn new() -> Self {
        Self::default()
    }

    /// The method by its name in [`loss::methods`](onesided_loss::methods).
    pub fn method(mut self, name: &str) -> Self {
        self.method = name.to_string();
        self
    }

    /// The reduction of the collective loss. `None` trains both sum-of-means and prior-weighted, and keeps the
    /// first unless the [`held_out_risk`](crate::held_out_risk) of the second is lower by more than its noise.
    pub fn reduction(mut self, reduction: impl Into<Option<Reduction>>) -> Self {
        self.reduction = reduction.into();
        self
    }

    /// The margin loss of `upu`, `nnpu` and `imbalanced-nnpu`.
    pub fn surrogate(mut self, surrogate: Surrogate) -> Self {
        self.options.surrogate = surrogate;
        self
    }

    /// How far the negative part of a non-negative risk may fall below zero.
    pub fn beta(mut self, beta: f64) -> Self {
        self.options.beta = beta;
        self
    }

    /// The step of the non-negative correction, in [0, 1].
    pub fn gamma(mut self, gamma: f64) -> Self {
        self.options.gamma = gamma;
        self
    }

    /// Rounding of the kink of the collective loss; 0 is the loss as published.
    pub fn smoothing(mut self, smoothing: f64) -> Self {
        self.options.smoothing = smoothing;
        self
    }

    /// The network; [`Architecture`] parses names such as `linear`, `mlp` or `cnn`.
    pub fn architecture(mut self, architecture: Architecture) -> Self {
        self.architecture = architecture;
        self
    }

    /// Reads each row as an image, which `cnn` and `vgg16` need. Values lie line by line, pixel by pixel, and within a
    /// pixel channel by channel (NHWC order).
    pub fn image_shape(mut self, shape: impl Into<Option<Shape>>) -> Self {
        self.image_shape = shape.into();
        self
    }

    /// π, the share of positives in the population. Replaces [`prior_in_unlabeled`](Self::prior_in_unlabeled).
    pub fn prior(mut self, prior: ClassPrior) -> Self {
        (self.prior, self.estimate) = (Some(Prior::Class(prior)), None);
        self
    }

    /// μ, the share of positives among the unlabeled rows. Replaces [`prior`](Self::prior).
    pub fn prior_in_unlabeled(mut self, prior: PriorInUnlabeled) -> Self {
        (self.prior, self.estimate) = (Some(Prior::InUnlabeled(prior)), None);
        self
    }

    /// The prior that was estimated from these data, as [`estimate_prior`](Self::estimate_prior) gives it. The model keeps
    /// it with its interval, and its metrics carry the interval through. Replaces the other two.
    pub fn prior_estimate(mut self, estimate: PriorEstimate) -> Self {
        (self.prior, self.estimate) = (Some(Prior::InUnlabeled(estimate.mu)), Some(estimate));
        self
    }

    /// How the data were drawn.
    pub fn scenario(mut self, scenario: Scenario) -> Self {
        self.scenario = scenario;
        self
    }

    /// The seed of every random stream. Same seed, data, machine and number of threads: the same model, byte by byte.
    pub fn seed(mut self, seed: u64) -> Self {
        self.wishes.seed = seed;
        self
    }

    /// Rows in a batch.
    pub fn batch(mut self, rows: impl Into<Option<usize>>) -> Self {
        self.wishes.batch = rows.into();
        self
    }

    /// The most passes over the unlabeled rows.
    pub fn epochs(mut self, epochs: impl Into<Option<usize>>) -> Self {
        self.wishes.epochs = epochs.into();
        self
    }

    /// The learning rate at the start.
    pub fn learning_rate(mut self, rate: impl Into<Option<f64>>) -> Self {
        self.wishes.learning_rate = rate.into();
        self
    }

    /// The optimizer.
    pub fn optimizer(mut self, optimizer: impl Into<Option<Optimizer>>) -> Self {
        self.wishes.optimizer = optimizer.into();
        self
    }

    /// How the learning rate falls.
    pub fn schedule(mut self, schedule: impl Into<Option<Schedule>>) -> Self {
        self.wishes.schedule = schedule.into();
        self
    }

    /// The strength of weight decay.
    pub fn weight_decay(mut self, decay: impl Into<Option<f64>>) -> Self {
        self.wishes.weight_decay = decay.into();
        self
    }

    /// Epochs without a lower held-out risk after which training stops.
    pub fn patience(mut self, epochs: impl Into<Option<usize>>) -> Self {
        self.wishes.patience = epochs.into();
        self
    }

    /// The share of the positives and of the unlabeled rows that is not trained on, but chooses the epoch, calibrates
    /// and gives the metrics. `None` holds out a fifth, or, of small data, each fifth in turn and then trains on all rows.
    pub fn hold_out(mut self, fraction: impl Into<Option<f64>>) -> Self {
        self.hold_out = fraction.into();
        self
    }

    /// How the threshold is chosen.
    pub fn threshold(mut self, rule: ThresholdRule) -> Self {
        self.threshold = rule;
        self
    }

    /// A file that training writes after each epoch and resumes from; it is removed when training ends. Where a fit
    /// takes several runs of training (two reductions, folds), each has its own, with the number of the run appended.
    pub fn checkpoint(mut self, path: impl Into<Option<PathBuf>>) -> Self {
        self.checkpoint = path.into();
        self
    }

    /// Threads to use; 0 is all there are.
    pub fn threads(mut self, threads: usize) -> Self {
        self.wishes.threads = threads;
        self
    }

    /// Where to train. [`Device::Auto`] takes the first GPU where there is one and the network is large enough to gain
    /// from it.
    pub fn device(mut self, device: Device) -> Self {
        self.wishes.device = device;
        self
    }

    /// The numbers that a GPU trains with; the CPU always takes f32.
    pub fn precision(mut self, precision: Precision) -> Self {
        self.wishes.precision = precision;
        self
    }

    /// What is done to images before they are learned from; needs an [`image_shape`](Self::image_shape).
    pub fn augment(mut self, augment: Augment) -> Self {
        self.wishes.augment = augment;
        self
    }

    /// Whether [`fit`](Self::fit) will have to estimate the prior: the method needs one and none was given.
    pub fn must_estimate(&self) -> Result<bool, Error> {
        let method = method(&self.method)?;
        Ok(method.needs_prior && !method.needs_truth && self.prior.is_none())
    }

    /// Estimates the prior of these data with the learner's scenario, seed and threads, by the estimators that look at
    /// scores alone.
    pub fn estimate_prior(&self, data: &PuData) -> Result<PriorReport, Error> {
        let Wishes { seed, threads, .. } = self.wishes;
        let mut settings = PriorSettings::quick();
        settings.cross_fitting = CrossFitting { seed, threads, ..settings.cross_fitting };
        estimate_prior(data, self.scenario, &settings)
    }

    /// Refuses what [`fit`](Self::fit) would refuse before its first step, whatever the prior may be.
    pub fn check(&self, data: &PuData, features: &Features) -> Result<(), Error> {
        let counts = data.counts();
        let half = PriorInUnlabeled::new(0.5)?;
        let task = Task {
            learner: self,
            method: method(&self.method)?,
            matrix: &data.features,
            labels: &data.labels,
            features,
            counts,
            class_prior: Some(half.to_class_prior(self.scenario, counts)),
            prior_in_unlabeled: Some(half),
        };
        task.check().map(|_| ())
    }

    /// The learner with the prior that a report arrived at; refused if that is 0 or 1.
    pub fn with_report(self, report: &PriorReport) -> Result<Self, Error> {
        let why = |error: onesided_prior::PriorError| self.no_estimate(error.into());
        let estimate = PriorEstimate::of(report).map_err(why)?;
        Ok(self.prior_estimate(estimate))
    }

    /// The error that there is no estimate, with its reason.
    pub fn no_estimate(&self, why: Error) -> Error {
        match why {
            stopped @ Error::Interrupted { .. } => stopped,
            why => Error::NoEstimate { method: self.method.clone(), why: why.to_string() },
        }
    }

    /// Learns from positives and unlabeled rows that `features` encoded. Where the method needs a prior and none was
    /// given, it is [estimated](Self::estimate_prior) first.
    pub fn fit(&self, data: &PuData, features: &Features) -> Result<Model, Error> {
        self.fit_with(data, features, &mut |_| true)
    }

    /// [`fit`](Self::fit) with an observer, called after every batch; it returns false to stop, which makes this an
    /// [`Error::Interrupted`].
    pub fn fit_with(
        &self,
        data: &PuData,
        features: &Features,
        observer: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Model, Error> {
        let method = method(&self.method)?;
        if method.needs_truth {
            return Err(Error::NeedsTruth(self.method.clone()));
        }
        if self.must_estimate()? {
            self.check(data, features)?;
            let report = self.estimate_prior(data).map_err(|why| self.no_estimate(why))?;
            return self.clone().with_report(&report)?.fit_with(data, features, observer);
        }
        let counts = data.counts();
        let priors = self.priors(counts)?;
        let task = Task {
            learner: self,
            method,
            matrix: &data.features,
            labels: &data.labels,
            features,
            counts,
            class_prior: priors.map(|(class, _)| class),
            prior_in_unlabeled: priors.map(|(_, in_unlabeled)| in_unlabeled),
        };
        task.run(observer)
    }

    /// Learns from true labels, whatever the method is set to: the ceiling that the others are measured against.
    ///
    /// The population's prior is the share of positives in `truth` unless [`prior`](Self::prior) gives another one.
    pub fn fit_supervised(
        &self,
        matrix: &Matrix,
        truth: &[bool],
        features: &Features,
        observer: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Model, Error> {
        if truth.len() != matrix.rows() {
            let (expected, found) = (matrix.rows(), truth.len());
            return Err(DataError::Length { what: "true labels", expected, found }.into());
        }
        let labels: Vec<Label> =
            truth.iter().map(|&truth| if truth { Label::Positive } else { Label::Unlabeled }).collect();
        let positive = truth.iter().filter(|&&positive| positive).count();
        let counts = Counts { positive, unlabeled: truth.len() - positive };
        let class_prior = match self.prior {
            Some(Prior::Class(prior)) => prior,
            _ => ClassPrior::new(counts.labeled_share())?,
        };
        let task = Task {
            learner: self,
            method: method("supervised")?,
            matrix,
            labels: &labels,
            features,
            counts,
            class_prior: Some(class_prior),
            prior_in_unlabeled: None,
        };
        task.run(observer)
    }

    /// π and μ for data of these counts, from whichever of them was given; `None` if neither was.
    pub fn priors(&self, counts: Counts) -> Result<Option<(ClassPrior, PriorInUnlabeled)>, Error> {
        Ok(match self.prior {
            None => None,
            Some(Prior::Class(class)) => Some((class, class.to_prior_in_unlabeled(self.scenario, counts)?)),
            Some(Prior::InUnlabeled(mu)) => Some((mu.to_class_prior(self.scenario, counts), mu)),
        })
    }
}
