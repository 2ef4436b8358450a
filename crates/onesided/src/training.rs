//! What `fit` does once the data are known: hold rows out, train, choose, calibrate, measure.

use crate::about::{About, Candidate, Epoch, Report};
use crate::choices::mix;
use crate::criterion::{epoch_risk, held_out_risk, log_loss};
use crate::{Error, Learner, Model, Progress};
use onesided_data::{
    ClassPrior, Counts, DataError, Features, Label, Matrix, PriorInUnlabeled, Scenario, logit_shift,
    stratified_holdout,
};
use onesided_eval::{Calibration, RESAMPLES, ThresholdRule, probability};
use onesided_loss::{Method, Objective, Options, Reduction, Sampling, Setting};
use onesided_net::{Job, Network, Shape, TrainConfig, Trained, scores, train};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// With fewer held-out positives than this, choices and metrics rest on too few rows to be quiet about it.
const FEW_HELD_OUT: usize = 10;

/// Data and settings that belong together.
pub(crate) struct Task<'a> {
    pub learner: &'a Learner,
    pub method: &'static Method,
    pub matrix: &'a Matrix,
    /// For the supervised method, true negatives stand where the unlabeled rows are.
    pub labels: &'a [Label],
    pub features: &'a Features,
    pub counts: Counts,
    pub class_prior: Option<ClassPrior>,
    pub prior_in_unlabeled: Option<PriorInUnlabeled>,
}

/// Row numbers of either kind.
struct Rows {
    positive: Vec<u32>,
    unlabeled: Vec<u32>,
}

/// One candidate after training.
struct Outcome {
    name: String,
    objective: String,
    config: TrainConfig,
    trained: Trained,
    /// Scores of the held-out positives and unlabeled rows.
    held_out: (Vec<f32>, Vec<f32>),
    risk: f64,
}

impl Task<'_> {
    pub fn run(&self, observer: &mut dyn FnMut(&Progress) -> bool) -> Result<Model, Error> {
        let network = self.check()?;
        let learner = self.learner;
        let (kept, held) = stratified_holdout(self.labels, learner.hold_out, learner.wishes.seed)?;
        let (training, held_out) = (self.rows(&kept), self.rows(&held));
        let candidates = self.candidates();
        let mut outcomes = Vec::with_capacity(candidates.len());
        for (index, &reduction) in candidates.iter().enumerate() {
            let name = reduction.map_or_else(|| self.method.name.to_string(), |r| r.to_string());
            let place = Place { index, candidates: candidates.len(), name };
            outcomes.push(self.train(&network, &training, &held_out, reduction, place, observer)?);
        }
        self.model(network, outcomes, &held_out)
    }

    /// Everything that can be refused before the first step.
    fn check(&self) -> Result<Network, Error> {
        let (matrix, learner) = (self.matrix, self.learner);
        if self.labels.len() != matrix.rows() {
            let (expected, found) = (matrix.rows(), self.labels.len());
            return Err(DataError::Length { what: "labels", expected, found }.into());
        }
        if u32::try_from(matrix.rows()).is_err() {
            return Err(Error::TooManyRows(matrix.rows()));
        }
        let width = self.features.width();
        if matrix.cols() != width {
            return Err(DataError::Width { expected: width, found: matrix.cols() }.into());
        }
        let names = self.features.names();
        matrix.check_finite(|col| names[col].clone())?;
        learner.wishes.check()?;
        if learner.threshold != ThresholdRule::Half && self.prior_in_unlabeled.is_none() {
            return Err(Error::ThresholdNeedsPrior);
        }
        self.objective(self.candidates()[0])?;
        Ok(learner.architecture.network(input_shape(learner.image_shape, width)?)?)
    }

    /// The reductions to train: the one asked for, both that may win, or none for another method.
    fn candidates(&self) -> Vec<Option<Reduction>> {
        match (self.method.name, self.learner.reduction) {
            ("collective", Some(reduction)) => vec![Some(reduction)],
            ("collective", None) => vec![Some(Reduction::PriorWeighted), Some(Reduction::SumOfMeans)],
            _ => vec![None],
        }
    }

    fn objective(&self, reduction: Option<Reduction>) -> Result<Box<dyn Objective>, Error> {
        let mut options: Options = self.learner.options;
        options.reduction = reduction.unwrap_or(options.reduction);
        let setting = Setting {
            // Methods that need no prior do not look at it.
            prior_in_unlabeled: self.prior_in_unlabeled.map_or(0.5, PriorInUnlabeled::get),
            sampling: match self.learner.scenario {
                Scenario::CaseControl => Sampling::CaseControl,
                Scenario::SingleSample => {
                    Sampling::SingleSample { labeled_share: self.counts.labeled_share() }
                }
            },
        };
        Ok(self.method.build(&setting, &options)?)
    }

    fn train(
        &self,
        network: &Network,
        training: &Rows,
        held_out: &Rows,
        reduction: Option<Reduction>,
        place: Place,
        observer: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Outcome, Error> {
        let (learner, prior) = (self.learner, self.prior_in_unlabeled);
        let objective = self.objective(reduction)?;
        let rows = training.positive.len() + training.unlabeled.len();
        let config = learner.wishes.config(rows, &learner.architecture, mix(self.method.name, reduction));
        let supervised = self.method.needs_truth;
        let judge = |positive: &[f32], unlabeled: &[f32]| match supervised {
            true => log_loss(positive, unlabeled),
            false => epoch_risk(positive, unlabeled, prior),
        };
        let checkpoint = learner.checkpoint.as_deref().map(|path| place.checkpoint(path));
        let job = Job {
            network,
            data: self.matrix.as_slice(),
            positive: &training.positive,
            unlabeled: &training.unlabeled,
            held_out_positive: &held_out.positive,
            held_out_unlabeled: &held_out.unlabeled,
            objective: objective.as_ref(),
            start_bias: self.start_bias(),
            risk: Some(&judge),
            config: &config,
            checkpoint: checkpoint.as_deref(),
        };
        let mut epoch = 0;
        let trained = train(&job, &mut |progress| {
            epoch = progress.epoch;
            observer(&Progress {
                candidate: &place.name,
                index: place.index,
                candidates: place.candidates,
                training: progress,
            })
        })?;
        if trained.interrupted {
            let kept = checkpoint.filter(|path| path.exists());
            return Err(Error::Interrupted {
                epoch,
                checkpoint: kept.map(|path| path.display().to_string()),
            });
        }
        let score = |rows: &[u32]| {
            let rows: Vec<usize> = rows.iter().map(|&row| row as usize).collect();
            scores(network, &trained.weights, self.matrix.select(&rows).as_slice(), config.threads)
        };
        let (positive, unlabeled) = (score(&held_out.positive)?, score(&held_out.unlabeled)?);
        let risk = match supervised {
            true => log_loss(&positive, &unlabeled),
            false => held_out_risk(&positive, &unlabeled, prior),
        };
        let Place { name, .. } = place;
        let objective = objective.describe();
        Ok(Outcome { name, objective, config, trained, held_out: (positive, unlabeled), risk })
    }

    /// The logit that a model without features would give: μ where the objective compares the mean of U with it, the
    /// share of the first kind where cross entropy is taken over the pool.
    fn start_bias(&self) -> f64 {
        match self.prior_in_unlabeled {
            Some(mu) if self.method.needs_prior => mu.logit(),
            _ => (self.counts.positive as f64 / self.counts.unlabeled as f64).ln(),
        }
    }

    /// Chooses among the outcomes, calibrates on the held-out rows and measures.
    fn model(&self, network: Network, outcomes: Vec<Outcome>, held_out: &Rows) -> Result<Model, Error> {
        // The first of the lowest; a risk that is not a number is never the lowest.
        let chosen = (1..outcomes.len()).fold(0, |best, next| {
            let (lowest, risk) = (outcomes[best].risk, outcomes[next].risk);
            if risk < lowest || (lowest.is_nan() && !risk.is_nan()) { next } else { best }
        });
        let finite = |x: f64| x.is_finite().then_some(x);
        let candidates = outcomes
            .iter()
            .enumerate()
            .map(|(index, outcome)| Candidate {
                name: outcome.name.clone(),
                risk: finite(outcome.risk),
                epochs: outcome.trained.epochs_run,
                best_epoch: outcome.trained.best_epoch,
                chosen: index == chosen,
            })
            .collect();
        let Some(outcome) = outcomes.into_iter().nth(chosen) else {
            return Err(Error::NeedsPrior(self.method.name.to_string()));
        };
        let (positive, unlabeled) = &outcome.held_out;
        let calibration = match self.prior_in_unlabeled {
            Some(mu) => Calibration::fit(positive, unlabeled, mu)?,
            None => Calibration::identity(),
        };
        let history = outcome.trained.history.iter();
        let about = About {
            onesided: env!("CARGO_PKG_VERSION").to_string(),
            method: self.method.name.to_string(),
            objective: outcome.objective,
            architecture: self.learner.architecture.to_string(),
            network,
            features: self.features.clone(),
            scenario: self.learner.scenario,
            counts: self.counts,
            class_prior: self.class_prior,
            prior_in_unlabeled: self.prior_in_unlabeled,
            calibration,
            shift: self.shift(),
            threshold_rule: self.learner.threshold,
            threshold: 0.5,
            report: Report {
                config: outcome.config,
                held_out: Counts { positive: held_out.positive.len(), unlabeled: held_out.unlabeled.len() },
                criterion: self.criterion().to_string(),
                candidates,
                history: history
                    .map(|e| Epoch { epoch: e.epoch, loss: finite(e.loss), risk: e.risk.and_then(finite) })
                    .collect(),
                metrics: BTreeMap::new(),
                warnings: self.warnings(held_out.positive.len(), outcome.risk),
            },
        };
        let mut model = Model::new(about, outcome.trained.weights);
        let logits = |raw: &[f32]| raw.iter().map(|&f| model.about().logit(f)).collect::<Vec<f32>>();
        let (positive, unlabeled) = (logits(positive), logits(unlabeled));
        let threshold = match (self.prior_in_unlabeled, self.class_prior) {
            (Some(mu), Some(pi)) => {
                let probabilities = |logits: &[f32]| -> Vec<f32> {
                    logits.iter().map(|&z| probability(f64::from(z)) as f32).collect()
                };
                let (p, u) = (probabilities(&positive), probabilities(&unlabeled));
                self.learner.threshold.choose(&p, &u, mu, pi)?
            }
            _ => 0.5,
        };
        model.set_threshold(threshold);
        model.measure(&positive, &unlabeled, self.method.needs_truth, RESAMPLES)?;
        Ok(model)
    }

    /// From the prior at which the calibrated logits hold to the population's.
    fn shift(&self) -> f64 {
        match (self.class_prior, self.prior_in_unlabeled) {
            (Some(class), Some(mu)) => logit_shift(mu, class),
            // Supervised: the scores hold at the share of positives in the sample.
            (Some(class), None) => class.logit() - self.start_bias(),
            (None, _) => 0.0,
        }
    }

    fn criterion(&self) -> &'static str {
        match (self.method.needs_truth, self.prior_in_unlabeled) {
            (true, _) => "log loss of held-out rows",
            (false, Some(_)) => "calibrated log loss of held-out positives",
            (false, None) => "1 - AUC of held-out positives against unlabeled rows",
        }
    }

    fn warnings(&self, held_out_positives: usize, risk: f64) -> Vec<String> {
        let mut warnings = Vec::new();
        if held_out_positives < FEW_HELD_OUT {
            warnings.push(format!(
                "only {held_out_positives} of {} positives are held out: the epoch, the calibration and the metrics rest \
                 on very few rows",
                self.counts.positive
            ));
        }
        if self.class_prior.is_none() {
            warnings.push(
                "no prior was given: the probabilities are those of being labeled, not of being positive"
                    .to_string(),
            );
        }
        if !risk.is_finite() {
            warnings.push("the held-out risk is not a number: training has gone astray".to_string());
        }
        warnings
    }

    fn rows(&self, of: &[usize]) -> Rows {
        // The number of rows was checked to fit.
        let kind = |label: Label| {
            of.iter().filter(|&&row| self.labels[row] == label).map(|&row| row as u32).collect()
        };
        Rows { positive: kind(Label::Positive), unlabeled: kind(Label::Unlabeled) }
    }
}

/// Which candidate is being trained.
struct Place {
    index: usize,
    candidates: usize,
    name: String,
}

impl Place {
    fn checkpoint(&self, path: &Path) -> PathBuf {
        if self.candidates == 1 {
            return path.to_path_buf();
        }
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}", self.name));
        PathBuf::from(name)
    }
}

fn input_shape(image: Option<Shape>, width: usize) -> Result<Shape, Error> {
    let Some(shape) = image else {
        return Ok(Shape::flat(width));
    };
    let Shape { channels, height, width: columns } = shape;
    let pixels = channels.checked_mul(height).and_then(|n| n.checked_mul(columns)).unwrap_or(usize::MAX);
    if pixels != width {
        let shape = format!("{channels}x{height}x{columns}");
        return Err(Error::ImageShape { shape, pixels, features: width });
    }
    Ok(shape)
}
