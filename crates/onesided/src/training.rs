//! What `fit` does once the data are known: hold rows out, train, choose, calibrate, measure.

use crate::about::{About, Candidate, Epoch, Report};
use crate::choices::mix;
use crate::criterion::{epoch_risk, held_out_risk, log_loss, paired_standard_error, positive_losses};
use crate::model::Body;
use crate::{Encoding, Error, Learner, Model, Progress};
use onesided_data::{
    ClassPrior, Counts, DataError, Label, Matrix, PriorInUnlabeled, Scenario, Split, logit_shift,
    stratified_folds, stratified_holdout,
};
use onesided_eval::{Calibration, ThresholdRule};
use onesided_loss::{Method, Objective, Options, Reduction, Sampling, Setting};
use onesided_net::{
    Engine, Job, Network, Precision, Shape, Source, TrainConfig, Trained, scores_on, train_on,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// With fewer held-out positives than this, choices and metrics rest on too few rows to be quiet about it.
const FEW_HELD_OUT: usize = 50;

/// The share that is held out where nothing is said.
const HOLD_OUT: f64 = 0.2;

/// Rows up to which holding out in turn is worth eleven trainings instead of two.
const MOST_IN_TURN: usize = 50_000;

/// Parts that small data are held out in, one after the other.
const FOLDS: usize = 5;

/// Held-out rows of either kind from which one hold-out is enough: a calibration on fewer is mostly noise (its offset
/// alone has a standard error of about 0.15 logits at 200 rows).
const ENOUGH_HELD_OUT: usize = 200;

/// Data and settings that belong together.
pub(crate) struct Task<'a> {
    pub learner: &'a Learner,
    pub method: &'static Method,
    pub matrix: &'a Matrix,
    /// For the supervised method, true negatives stand where the unlabeled rows are.
    pub labels: &'a [Label],
    pub features: &'a Encoding,
    pub counts: Counts,
    pub class_prior: Option<ClassPrior>,
    pub prior_in_unlabeled: Option<PriorInUnlabeled>,
}

/// The network to train, and the device that holds the rows for every run of training and scoring.
struct Ground<'a> {
    network: Network,
    engine: Engine<'a>,
    device: String,
}

/// Row numbers of either kind.
struct Rows {
    positive: Vec<u32>,
    unlabeled: Vec<u32>,
}

impl Rows {
    fn len(&self) -> usize {
        self.positive.len() + self.unlabeled.len()
    }
}

/// One candidate after training, once or once a fold.
struct Outcome {
    name: String,
    reduction: Option<Reduction>,
    trained: Vec<Trained>,
    /// Scores of the held-out positives and unlabeled rows, each by the network that had not seen them.
    held_out: (Vec<f32>, Vec<f32>),
    risk: f64,
    /// The terms of the risk, a held-out positive each; none where the risk is another one.
    losses: Vec<f64>,
}

impl Outcome {
    /// The epoch to keep: the middle one of the folds' best epochs.
    fn best_epoch(&self) -> usize {
        let mut best: Vec<usize> = self.trained.iter().map(|t| t.best_epoch).collect();
        best.sort_unstable();
        best[best.len() / 2]
    }
}

impl<'a> Task<'a> {
    pub fn run(&self, observer: &mut dyn FnMut(&Progress) -> bool) -> Result<Model, Error> {
        let network = self.check()?;
        let splits = self.splits()?;
        let candidates = self.candidates();
        let ground = self.ground(network, splits[0].0.len(), candidates[0])?;
        // Small data: one more run on all rows, once everything is chosen.
        let refit = splits.len() > 1;
        let runs = candidates.len() * splits.len() + usize::from(refit);
        let mut place = Place { run: 0, runs, name: String::new(), resumed_from: None };
        let mut outcomes = Vec::with_capacity(candidates.len());
        for &reduction in &candidates {
            place.name = reduction.map_or_else(|| self.method.name.to_string(), |r| r.to_string());
            let (mut trained, mut held_out) = (Vec::new(), (Vec::new(), Vec::new()));
            for (training, held) in &splits {
                let one = self.train(&ground, training, held, reduction, None, &place, observer)?;
                held_out.0.extend(self.scores(&ground, &one, &held.positive)?);
                held_out.1.extend(self.scores(&ground, &one, &held.unlabeled)?);
                place.passed(&one);
                trained.push(one);
            }
            let risk = match self.method.needs_truth {
                true => log_loss(&held_out.0, &held_out.1),
                false => held_out_risk(&held_out.0, &held_out.1, self.prior_in_unlabeled),
            };
            let losses = match self.prior_in_unlabeled {
                Some(mu) if !self.method.needs_truth => positive_losses(&held_out.0, &held_out.1, mu),
                _ => Vec::new(),
            };
            outcomes.push(Outcome { name: place.name.clone(), reduction, trained, held_out, risk, losses });
        }
        let (chosen, noise) = choose(&outcomes);
        let outcome = &outcomes[chosen];
        let all;
        let last = match &outcome.trained[..] {
            [only] if !refit => only,
            _ => {
                place.name = format!("{} on all rows", outcome.name);
                let rows = self.rows(&(0..self.labels.len()).collect::<Vec<_>>());
                let none = Rows { positive: Vec::new(), unlabeled: Vec::new() };
                let epoch = Some(outcome.best_epoch());
                all = self.train(&ground, &rows, &none, outcome.reduction, epoch, &place, observer)?;
                place.passed(&all);
                &all
            }
        };
        let mut model = self.model(&ground, &outcomes, (chosen, noise), last, splits.len())?;
        model.set_resumed_from(place.resumed_from);
        self.remove_checkpoints(runs);
        Ok(model)
    }

    fn splits(&self) -> Result<Vec<(Rows, Rows)>, Error> {
        let splits = splits(self.learner, self.labels)?;
        Ok(splits.iter().map(|(kept, held)| (self.rows(kept), self.rows(held))).collect())
    }

    fn config(&self, rows: usize, reduction: Option<Reduction>) -> TrainConfig {
        self.learner.wishes.config(rows, &self.learner.architecture, mix(self.method.name, reduction))
    }

    /// Puts the rows on the device, once for everything that follows.
    fn ground(
        &self,
        network: Network,
        rows: usize,
        reduction: Option<Reduction>,
    ) -> Result<Ground<'a>, Error> {
        let config = self.config(rows, reduction);
        let device = config.device.resolve(&network, config.batch);
        let engine = Engine::new(device, Source::Numbers(self.matrix.as_slice()), network.input)?;
        Ok(Ground { network, device: engine.describe(), engine })
    }

    /// Scores as the finished model gives them: in f32, so that it is calibrated and measured on its own scores.
    fn scores(&self, ground: &Ground, trained: &Trained, rows: &[u32]) -> Result<Vec<f32>, Error> {
        let mut setting = self.config(self.labels.len(), None).setting();
        setting.precision = Precision::F32;
        Ok(scores_on(&ground.engine, &ground.network, &trained.weights, rows, &setting)?)
    }

    /// Training is over: what is left of it would only be in the way of the next.
    fn remove_checkpoints(&self, runs: usize) {
        if let Some(path) = &self.learner.checkpoint {
            for run in 0..runs {
                let _ = std::fs::remove_file(checkpoint_of(run, runs, path));
            }
        }
    }

    /// Everything that can be refused before the first step.
    pub fn check(&self) -> Result<Network, Error> {
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
        let network = learner.architecture.network(input_shape(learner.image_shape, width)?)?;
        learner.wishes.augment.check(network.input)?;
        Ok(network)
    }

    /// The reductions to train: the one asked for, both that may win, or none for another method.
    fn candidates(&self) -> Vec<Option<Reduction>> {
        if !has_reductions(self.method.name) {
            return vec![None];
        }
        match self.learner.reduction {
            Some(reduction) => vec![Some(reduction)],
            None => vec![Some(Reduction::SumOfMeans), Some(Reduction::PriorWeighted)],
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

    /// One run of training: until the held-out risk is lowest, or through a given epoch on all rows.
    #[allow(clippy::too_many_arguments)]
    fn train(
        &self,
        ground: &Ground,
        training: &Rows,
        held_out: &Rows,
        reduction: Option<Reduction>,
        stop_after: Option<usize>,
        place: &Place,
        observer: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Trained, Error> {
        let (learner, prior) = (self.learner, self.prior_in_unlabeled);
        let objective = self.objective(reduction)?;
        let config = TrainConfig { stop_after, ..self.config(training.len(), reduction) };
        let supervised = self.method.needs_truth;
        let judge = |positive: &[f32], unlabeled: &[f32]| match supervised {
            true => log_loss(positive, unlabeled),
            false => epoch_risk(positive, unlabeled, prior),
        };
        let risk_name = format!("{} at {:?}", self.criterion(), prior.map(PriorInUnlabeled::get));
        let checkpoint = learner.checkpoint.as_deref().map(|path| checkpoint_of(place.run, place.runs, path));
        let job = Job {
            network: &ground.network,
            data: Source::Numbers(self.matrix.as_slice()),
            positive: &training.positive,
            unlabeled: &training.unlabeled,
            held_out_positive: &held_out.positive,
            held_out_unlabeled: &held_out.unlabeled,
            objective: objective.as_ref(),
            start_bias: self.start_bias(),
            risk: if stop_after.is_none() { Some(&judge) } else { None },
            risk_name: &risk_name,
            config: &config,
            checkpoint: checkpoint.as_deref(),
        };
        let mut epoch = 0;
        let trained = train_on(&ground.engine, &job, &mut |progress| {
            epoch = progress.epoch;
            observer(&Progress {
                name: &place.name,
                run: place.run,
                runs: place.runs,
                device: &ground.device,
                resumed_from: sum(place.resumed_from, progress.resumed_from),
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
        Ok(trained)
    }

    /// The logit that a model without features would give: μ where the objective compares the mean of U with it, the
    /// share of the first kind where cross entropy is taken over the pool.
    fn start_bias(&self) -> f64 {
        match self.prior_in_unlabeled {
            Some(mu) if self.method.needs_prior => mu.logit(),
            _ => (self.counts.positive as f64 / self.counts.unlabeled as f64).ln(),
        }
    }

    /// Calibrates the chosen outcome on the held-out rows and measures it there.
    fn model(
        &self,
        ground: &Ground,
        outcomes: &[Outcome],
        (chosen, noise): (usize, Option<f64>),
        last: &Trained,
        folds: usize,
    ) -> Result<Model, Error> {
        let finite = |x: f64| x.is_finite().then_some(x);
        let candidates = outcomes
            .iter()
            .enumerate()
            .map(|(index, outcome)| Candidate {
                name: outcome.name.clone(),
                risk: finite(outcome.risk),
                epochs: outcome.trained.iter().map(|t| t.epochs_run).max().unwrap_or(0),
                best_epoch: outcome.best_epoch(),
                chosen: index == chosen,
            })
            .collect();
        let outcome = &outcomes[chosen];
        let (positive, unlabeled) = &outcome.held_out;
        let calibration = match self.prior_in_unlabeled {
            Some(mu) => Calibration::fit(positive, unlabeled, mu)?,
            None => Calibration::identity(),
        };
        let history = last.history.iter();
        let (n_p, n_u) = (positive.len(), unlabeled.len());
        let about = About {
            onesided: env!("CARGO_PKG_VERSION").to_string(),
            method: self.method.name.to_string(),
            objective: self.objective(outcome.reduction)?.describe(),
            architecture: self.learner.architecture.to_string(),
            network: Some(ground.network.clone()),
            options: Vec::new(),
            features: self.features.clone(),
            scenario: self.learner.scenario,
            counts: self.counts,
            class_prior: self.class_prior,
            prior_in_unlabeled: self.prior_in_unlabeled,
            prior_estimate: self.learner.estimate.clone().filter(|_| self.prior_in_unlabeled.is_some()),
            calibration,
            shift: self.shift(),
            threshold_rule: self.learner.threshold,
            threshold: 0.5,
            report: Report {
                config: Some(TrainConfig {
                    device: ground.engine.device(),
                    ..self
                        .config(self.labels.len() - if folds == 1 { n_p + n_u } else { 0 }, outcome.reduction)
                }),
                seed: None,
                device: ground.device.clone(),
                resumed_from: None,
                folds,
                held_out: Counts { positive: n_p, unlabeled: n_u },
                criterion: self.criterion().to_string(),
                candidates,
                noise,
                history: history
                    .map(|e| Epoch { epoch: e.epoch, loss: finite(e.loss), risk: e.risk.and_then(finite) })
                    .collect(),
                metrics: BTreeMap::new(),
                warnings: self.warnings(n_p, outcome.risk),
            },
        };
        let mut model = Model::new(about, Body::Network(last.weights.clone()));
        model.settle(positive, unlabeled, self.method.needs_truth)?;
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
        let mut warnings = warnings(self.learner, held_out_positives, risk);
        if self.class_prior.is_none() {
            warnings.push(
                "no prior was given: the probabilities are those of being labeled, not of being positive"
                    .to_string(),
            );
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

/// Rows to train on and rows held out: once, or in turn where one hold-out would be too small to calibrate on.
pub(crate) fn splits(learner: &Learner, labels: &[Label]) -> Result<Vec<Split>, Error> {
    let seed = learner.wishes.seed;
    let fraction = learner.hold_out.unwrap_or(HOLD_OUT);
    let positive = labels.iter().filter(|&&label| label == Label::Positive).count();
    let fewest = positive.min(labels.len() - positive);
    let once = stratified_holdout(labels, fraction, seed)?;
    let in_turn = learner.hold_out.is_none()
        && (fewest as f64 * fraction) < ENOUGH_HELD_OUT as f64
        && fewest >= 2 * FOLDS
        && labels.len() <= MOST_IN_TURN;
    Ok(if in_turn { stratified_folds(labels, FOLDS, seed)? } else { vec![once] })
}

/// What to know before trusting the model, whatever it is.
pub(crate) fn warnings(learner: &Learner, held_out_positives: usize, risk: f64) -> Vec<String> {
    let mut warnings = Vec::new();
    if held_out_positives < FEW_HELD_OUT {
        warnings.push(format!(
            "only {held_out_positives} positives were held out: the choices, the calibration and the metrics rest on \
             very few rows"
        ));
    }
    if let Some(estimate) = learner.estimate.as_ref().filter(|estimate| !estimate.agreement) {
        let (low, high) = estimate.interval;
        warnings.push(format!(
            "the prior was estimated and the estimators do not agree (between {low:.3} and {high:.3} of the unlabeled \
             rows are positive): run 'onesided prior' to see why"
        ));
    }
    if !risk.is_finite() {
        warnings.push("the held-out risk is not a number: training has gone astray".to_string());
    }
    warnings
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
        let error = paired_standard_error(&now.losses, &other.losses);
        if other.risk + error < now.risk || (now.risk.is_nan() && !other.risk.is_nan()) {
            best = next;
        }
        noise = error.is_finite().then_some(error);
    }
    (best, noise)
}

/// Whether a method weighs P against U by a [`Reduction`]: the collective loss and those elicited in its manner.
fn has_reductions(method: &str) -> bool {
    method == "collective" || method.starts_with("elicited:")
}

/// Which run of training is under way.
struct Place {
    run: usize,
    runs: usize,
    name: String,
    /// Epochs that checkpoints held, of the runs before this one.
    resumed_from: Option<usize>,
}

impl Place {
    /// Goes on to the next run.
    fn passed(&mut self, trained: &Trained) {
        self.run += 1;
        self.resumed_from = sum(self.resumed_from, trained.resumed_from);
    }
}

/// The sum of what is there.
fn sum(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    a.into_iter().chain(b).reduce(|a, b| a + b)
}

/// The checkpoint of one run of several.
fn checkpoint_of(run: usize, runs: usize, path: &Path) -> PathBuf {
    if runs == 1 {
        return path.to_path_buf();
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", run + 1));
    PathBuf::from(name)
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
