//! The learner: settings in, model out.

use crate::choices::Wishes;
use crate::classic_fit::ClassicTask;
use crate::methods::Chosen;
use crate::prior::{
    CrossFitting, PriorEstimate, PriorReport, PriorSettings, estimate_prior, estimate_prior_of_texts,
};
use crate::rows::Rows;
use crate::training::Task;
use crate::{Encoding, Error, Model};
use onesided_classic::OptionValues;
use onesided_data::{ClassPrior, Counts, DataError, Label, PriorInUnlabeled, PuData, Scenario};
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
    pub(crate) system_options: Vec<(String, String)>,
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
            system_options: Vec::new(),
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

    /// The method by its name in [`methods`](crate::methods): an objective for the network, or a classic system.
    pub fn method(mut self, name: &str) -> Self {
        self.method = name.to_string();
        self
    }

    /// A setting of a classic system by its name in [`MethodCard::options`](crate::MethodCard::options); checked by
    /// [`fit`](Self::fit).
    pub fn option(mut self, name: &str, value: &str) -> Self {
        self.system_options.push((name.to_string(), value.to_string()));
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

    /// Epochs over which the learning rate rises to its full size.
    pub fn warm_up(mut self, epochs: impl Into<Option<f64>>) -> Self {
        self.wishes.warm_up = epochs.into();
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

    /// Whether [`fit`](Self::fit) will have to estimate the prior: none was given, and the method needs one to learn or to
    /// give probabilities.
    pub fn must_estimate(&self) -> Result<bool, Error> {
        Ok(Chosen::of(&self.method)?.must_have_prior() && self.prior.is_none())
    }

    /// Estimates the prior of these data with the learner's scenario, seed and threads, by the estimators that look at
    /// scores alone.
    pub fn estimate_prior(&self, data: &PuData) -> Result<PriorReport, Error> {
        estimate_prior(data, self.scenario, &self.prior_settings())
    }

    fn prior_settings(&self) -> PriorSettings {
        let Wishes { seed, threads, .. } = self.wishes;
        let mut settings = PriorSettings::quick();
        settings.cross_fitting = CrossFitting { seed, threads, ..settings.cross_fitting };
        settings
    }

    /// [`estimate_prior`](Self::estimate_prior) for rows and labels that lie apart. Sparse rows are scored by logistic
    /// regression, dense ones by trees and a network.
    pub fn estimate_prior_on<'r>(
        &self,
        rows: impl Into<Rows<'r>>,
        labels: &[Label],
    ) -> Result<PriorReport, Error> {
        match rows.into() {
            Rows::Dense(matrix) => self.estimate_prior(&PuData::new(matrix.clone(), labels.to_vec())?),
            Rows::Sparse(rows) => {
                estimate_prior_of_texts(rows, labels, self.scenario, &self.prior_settings())
            }
        }
    }

    /// Refuses what [`fit`](Self::fit) would refuse before its first step, whatever the prior may be.
    pub fn check<'r>(
        &self,
        rows: impl Into<Rows<'r>>,
        labels: &[Label],
        features: impl Into<Encoding>,
    ) -> Result<(), Error> {
        let counts = counts(labels);
        let half = PriorInUnlabeled::new(0.5)?;
        let priors = Some((half.to_class_prior(self.scenario, counts), half));
        self.with_task(rows.into(), labels, &features.into(), priors, |what| match what {
            Work::Network(task) => task.check().map(|_| ()),
            Work::Classic(task) => task.check().map(|_| ()),
        })
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

    /// Learns from positives and unlabeled rows that `features` encoded. Where a prior is needed and none was given, it is
    /// [estimated](Self::estimate_prior) first.
    pub fn fit(&self, data: &PuData, features: impl Into<Encoding>) -> Result<Model, Error> {
        self.fit_with(data, features, &mut |_| true)
    }

    /// [`fit`](Self::fit) with an observer, called after every batch; it returns false to stop, which makes this an
    /// [`Error::Interrupted`]. Classic systems have no batches and do not call it.
    pub fn fit_with(
        &self,
        data: &PuData,
        features: impl Into<Encoding>,
        observer: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Model, Error> {
        if self.must_estimate()? && !Chosen::of(&self.method)?.needs_truth() {
            let features = features.into();
            self.check(&data.features, &data.labels, &features)?;
            let report = self.estimate_prior(data).map_err(|why| self.no_estimate(why))?;
            return self.clone().with_report(&report)?.fit_with(data, features, observer);
        }
        self.fit_rows(&data.features, &data.labels, features, observer)
    }

    /// [`fit_with`](Self::fit_with) on rows, dense or sparse, and labels that lie apart. A network takes sparse rows
    /// written out, up to [`MOST_VALUES`](crate::MOST_VALUES) values.
    pub fn fit_rows<'r>(
        &self,
        rows: impl Into<Rows<'r>>,
        labels: &[Label],
        features: impl Into<Encoding>,
        observer: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Model, Error> {
        let (rows, features) = (rows.into(), features.into());
        if Chosen::of(&self.method)?.needs_truth() {
            return Err(Error::NeedsTruth(self.method.clone()));
        }
        if self.must_estimate()? {
            self.check(rows, labels, &features)?;
            let report = self.estimate_prior_on(rows, labels).map_err(|why| self.no_estimate(why))?;
            return self.clone().with_report(&report)?.fit_rows(rows, labels, features, observer);
        }
        let priors = self.priors(counts(labels))?;
        self.with_task(rows, labels, &features, priors, |what| match what {
            Work::Network(task) => task.run(observer),
            Work::Classic(task) => task.run(),
        })
    }

    /// Puts together what the method takes, and does `work` with it.
    fn with_task<T>(
        &self,
        rows: Rows,
        labels: &[Label],
        features: &Encoding,
        priors: Option<(ClassPrior, PriorInUnlabeled)>,
        work: impl FnOnce(Work) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let counts = counts(labels);
        match Chosen::of(&self.method)? {
            Chosen::Objective(method) => {
                OptionValues::new(&self.method, &[], &self.system_options)?;
                work(Work::Network(Task {
                    learner: self,
                    method,
                    matrix: &*rows.dense()?,
                    labels,
                    features,
                    counts,
                    class_prior: priors.map(|(class, _)| class),
                    prior_in_unlabeled: priors.map(|(_, in_unlabeled)| in_unlabeled),
                }))
            }
            Chosen::System(entry) => {
                let encoding = features.clone();
                work(Work::Classic(ClassicTask {
                    learner: self,
                    entry,
                    rows,
                    labels,
                    encoding,
                    counts,
                    priors,
                }))
            }
        }
    }

    /// Learns from true labels, whatever the method is set to: the ceiling that the others are measured against.
    ///
    /// The population's prior is the share of positives in `truth` unless [`prior`](Self::prior) gives another one.
    pub fn fit_supervised<'r>(
        &self,
        rows: impl Into<Rows<'r>>,
        truth: &[bool],
        features: impl Into<Encoding>,
        observer: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Model, Error> {
        let (matrix, features) = (rows.into().dense()?, features.into());
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
            matrix: &matrix,
            labels: &labels,
            features: &features,
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

/// What a method takes.
enum Work<'a> {
    Network(Task<'a>),
    Classic(ClassicTask<'a>),
}

fn counts(labels: &[Label]) -> Counts {
    let positive = labels.iter().filter(|&&label| label == Label::Positive).count();
    Counts { positive, unlabeled: labels.len() - positive }
}
