//! A fitted classifier.
//!
//! A network or a classic system gives a score f. What users see is the logit at the population's prior π,
//!
//! ```text
//! score = slope · f + offset + shift,  shift = ln[π (1 - μ) / ((1 - π) μ)]
//! ```
//!
//! where slope and offset were fitted on held-out rows so that probabilities hold at U's prior μ, and the shift moves
//! them to π. The probability is σ(score); a row is predicted positive if its probability is at least the threshold.
//! Where the theory of a classic system gives the probability itself, f is its logit.

mod metrics;

pub use metrics::{HowScored, NegativeMetrics, is_cut_off, pu_metrics_by_name, rests_on_prior};

use self::metrics::probabilities;
use crate::known_rows::{KnownRows, OutOfFold, kinds_of};
use crate::rows_file;
use crate::undrawn::Undrawn;
use crate::{About, AtPrior, Error, Given, file};
use onesided_data::{
    DataError, Dataset, Encoding, Fingerprint, Input, Label, Matrix, PriorInUnlabeled, ReadAgain,
    SparseMatrix, Store,
};
use onesided_eval::drift::ScoreReference;
use onesided_eval::{Calibration, LabelingTest, RESAMPLES, Sample, ThresholdRule, probability};
use onesided_learn::prior::PriorEstimate;
use onesided_learn::{Fitted, Learned, Priors, Report, Task, Warning, tree_scores};
use onesided_net::Device;
use onesided_trees::TreesModel;
use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rows that are scored once more by the finished model, at most.
const ROWS_TO_MEET: usize = 10_000;
/// Rows that are scored again and again to tell the speed, at most, and their cells; and for how long.
const ROWS_TO_TIME: usize = 8_192;
const CELLS_TO_TIME: usize = 1_000_000;
const TIME_TO_TIME: Duration = Duration::from_millis(100);

/// A classifier with everything that is needed to use it: made by a [`Learner`](crate::Learner) or loaded from a file.
#[derive(Clone)]
pub struct Model {
    /// Shared by copies of the model, as is what scores: a copy costs nothing, and what scoring made ready stays so.
    about: Arc<About>,
    fitted: Arc<Fitted>,
    /// Where it scores, and with how many threads; no part of the file.
    device: Device,
    threads: usize,
    /// The rows it was fitted on, where that was just now; in a separate file.
    pub(crate) known: Option<Arc<KnownRows>>,
}

impl Model {
    pub(crate) fn new(about: About, fitted: Fitted) -> Self {
        let (about, fitted) = (Arc::new(about), Arc::new(fitted));
        Self { about, fitted, device: Device::Cpu, threads: 0, known: None }
    }

    /// What it is, to be changed; other copies of the model keep theirs.
    fn about_mut(&mut self) -> &mut About {
        Arc::make_mut(&mut self.about)
    }

    /// One thing more that was done and may surprise.
    pub(crate) fn add_note(&mut self, note: &str) {
        self.about_mut().report.notes.push(note.to_string());
    }

    /// With what was set by hand.
    pub(crate) fn set_given(&mut self, given: Given) {
        self.about_mut().given = Some(given);
    }

    /// How training went, to be added to.
    pub(crate) fn report_mut(&mut self) -> &mut Report {
        &mut self.about_mut().report
    }

    /// With what its labels show of how they were given.
    pub(crate) fn with_labeling(mut self, labeling: Option<LabelingTest>) -> Self {
        self.about_mut().report.labeling = labeling;
        self
    }

    /// The test of its labels, where it says that they are not a random sample of the positives.
    pub fn refuted_labels(&self) -> Option<&LabelingTest> {
        self.about.report.labeling.as_ref().filter(|test| test.refutes())
    }

    /// What was learned, with its threshold set and its metrics measured on the held-out rows.
    pub(crate) fn from_learned(
        learned: Learned,
        task: &Task,
        encoding: Arc<Encoding>,
        estimate: Option<PriorEstimate>,
        threshold_rule: ThresholdRule,
        options: Vec<(String, String)>,
        undrawn: Option<&Undrawn>,
    ) -> Result<Self, Error> {
        let mut learned = learned;
        let mut weights = task.weights_of(&learned.held_out);
        if let Some(undrawn) = undrawn {
            learned.unlabeled.extend_from_slice(&undrawn.scores);
            if let (Some(weights), Some(more)) = (&mut weights, &undrawn.weights) {
                weights.extend_from_slice(more);
            }
        }
        let Learned { fitted, info, model, described, priors, calibration, shift, mut report, .. } = learned;
        // An audited share is measured, and no reason to warn.
        let guessed = estimate.as_ref().filter(|estimate| estimate.audited.is_none());
        report.warnings.extend(guessed.map(Warning::guessed_prior));
        let (of_positives, of_others) = match &weights {
            Some(weights) => {
                let (positive, other) = weights.split_at(learned.positive.len());
                (Some(positive), Some(other))
            }
            None => (None, None),
        };
        let positive = Sample { scores: &learned.positive, weights: of_positives };
        let other = Sample { scores: &learned.unlabeled, weights: of_others };
        // A theory's own probabilities are as they are.
        let ends = estimate.as_ref().filter(|_| fitted.link().is_none());
        let at = |mu| at_prior(mu, positive, other, task);
        let cautious = ends.and_then(|estimate| at(estimate.cautious?));
        let ends = ends.and_then(|estimate| {
            let [low, high] = estimate.ends();
            Some([at(low)?, at(high)?])
        });
        let about = About {
            onesided: env!("CARGO_PKG_VERSION").to_string(),
            method: info.method.into_owned(),
            objective: described,
            model,
            network: None,
            options,
            features: encoding,
            scenario: task.scenario,
            counts: task.drawn_counts(),
            class_prior: priors.map(|priors| priors.class),
            prior_in_unlabeled: priors.filter(|_| !task.truth).map(|priors| priors.in_unlabeled),
            at_prior_ends: ends,
            prior_estimate: estimate,
            calibration,
            shift,
            threshold_rule,
            threshold: 0.5,
            reserve: Vec::new(),
            fitted_on: None,
            given: None,
            answers: None,
            doubt: None,
            scores: None,
            report,
        };
        let mut model = Self::new(about, fitted);
        model.settle(positive, other, cautious, task.truth)?;
        Ok(model)
    }

    /// Scores on this device from now on; a model that was just made or loaded scores on the CPU. Scoring takes f32 on every
    /// device, whatever the model was trained with.
    #[must_use]
    pub fn on_device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// Scores with this many threads from now on; 0 is all there are, as for a model that was just made or loaded.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The device that this many rows would be scored on: the one set, or what [`Device::Auto`] comes to.
    pub fn device_for(&self, rows: usize) -> Device {
        self.fitted.device_for(self.device, rows)
    }

    /// How many threads it scores with; 0 is all there are.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// What the model is and how it was made.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// What scores.
    pub fn fitted(&self) -> &Fitted {
        &self.fitted
    }

    /// How its input becomes rows.
    pub fn encoding(&self) -> &Arc<Encoding> {
        &self.about.features
    }

    /// Reads a table, a folder of texts or a folder of pictures as the model's own input was.
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Dataset, Error> {
        self.read_with(&Input::one(path.as_ref()), &ReadAgain::default())
    }

    /// [`read`](Self::read) from one place or two, with labels, truth or names of rows next to the features.
    pub fn read_with(&self, input: &Input, also: &ReadAgain) -> Result<Dataset, Error> {
        Ok(self.encoding().read(input, also)?)
    }

    /// Rows as the model takes them: encoded by its own encoding, scaled or as they are.
    pub(crate) fn encoded<'d>(&self, data: &'d Dataset) -> Result<Cow<'d, Dataset>, Error> {
        let (ours, theirs) = (self.encoding(), data.encoding());
        if Arc::ptr_eq(ours, theirs) || ours == theirs {
            return Ok(Cow::Borrowed(data));
        }
        if let Encoding::Table(features) = ours.as_ref() {
            let moved = data.scaled(features.scaling());
            if moved.encoding() == ours {
                return Ok(moved);
            }
        }
        Err(DataError::OtherEncoding.into())
    }

    /// The score of each row, a logit at the population's prior: above 0 where the probability is above one half.
    ///
    /// The rows must be encoded by the model: read or encode them with it. A row that is empty in every column that is learned from
    /// ([`Dataset::blank_rows`]) says nothing, so its probability is the share of positives.
    pub fn score(&self, data: &Dataset) -> Result<Vec<f32>, Error> {
        let raw = self.raw(data)?;
        let mut logits: Vec<f32> = raw.into_iter().map(|f| self.about.logit(f)).collect();
        data.blank_rows().iter().for_each(|&row| logits[row as usize] = self.about.logit_of_nothing());
        match logits.iter().position(|logit| !logit.is_finite()) {
            Some(at) => Err(Error::Score { row: at + 1, score: logits[at] }),
            None => Ok(logits),
        }
    }

    /// f of each row, before calibration.
    pub(crate) fn raw(&self, data: &Dataset) -> Result<Vec<f32>, Error> {
        let data = self.encoded(data)?;
        data.check_finite()?;
        self.fitted.scores(&data, self.device_for(data.len()), self.threads)
    }

    /// How many rows it scores per second here, with its threads and device: measured on rows that say nothing, for about a tenth of
    /// a second. `None` for models of pictures, whose time is that of their pixels.
    pub fn rows_per_second(&self) -> Result<Option<f64>, Error> {
        let nothing = self.encoding().nothing();
        if matches!(self.encoding().as_ref(), Encoding::Image(_)) || nothing.is_empty() {
            return Ok(None);
        }
        let rows = (CELLS_TO_TIME / nothing.len()).clamp(1, ROWS_TO_TIME);
        let matrix = Matrix::new(rows, nothing.len(), nothing.repeat(rows))?;
        let rows_of_nothing = match self.encoding().as_ref() {
            Encoding::Text(_) => Store::Sparse(SparseMatrix::from_dense(&matrix)),
            _ => Store::Dense(matrix),
        };
        let data = Dataset::from_encoded(rows_of_nothing, self.encoding().clone())?;
        // What is made once is made.
        self.score(&data)?;
        let (start, mut scored) = (Instant::now(), 0);
        while start.elapsed() < TIME_TO_TIME {
            self.score(&data)?;
            scored += rows;
        }
        Ok(Some(scored as f64 / start.elapsed().as_secs_f64()))
    }

    /// What trees say of rows that the model's encoding made.
    pub(crate) fn trees_scores(&self, trees: &TreesModel, data: &Dataset) -> Result<Vec<f64>, Error> {
        tree_scores(trees, data, self.threads)
    }

    /// The probability that each row is positive, at the population's prior.
    pub fn predict_proba(&self, data: &Dataset) -> Result<Vec<f32>, Error> {
        Ok(probabilities(&self.score(data)?))
    }

    /// Whether each row is predicted positive.
    pub fn predict(&self, data: &Dataset) -> Result<Vec<bool>, Error> {
        Ok(self.predict_proba(data)?.into_iter().map(|q| self.decide(q)).collect())
    }

    /// Whether a row of this probability is predicted positive.
    pub fn decide(&self, probability: f32) -> bool {
        f64::from(probability) >= self.about.threshold
    }

    /// Writes the model to a file, whole or not at all; the same model always gives the same bytes.
    ///
    /// The file of a model that holds rows of its training data (a kernel machine) is for its owner alone.
    ///
    /// The format is safetensors, with weights and other long lists of numbers as tensors and JSON documents in the
    /// metadata. A scorer of your own cannot be written.
    ///
    /// The rows it was fitted on, as fingerprints with their scores out of fold, go into a file next to it
    /// ([`KnownRows`](crate::KnownRows)); a model that knows none removes such a file of the model before it.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let (path, bytes) = (path.as_ref(), self.to_bytes()?);
        // Support vectors are rows of the training data.
        Ok(rows_file::save(path, &bytes, self.known.as_deref(), self.fitted.holds_rows())?)
    }

    /// The bytes that [`save`](Self::save) writes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        file::to_bytes(&self.about, &self.fitted)
    }

    /// Reads a model from a file. Everything in it is checked; nothing in it is run.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let name = path.as_ref().display().to_string();
        let bytes = file::read(path.as_ref(), &name)?;
        let (about, fitted) = file::from_bytes(&bytes, &name)?;
        Ok(Self::new(about, fitted))
    }

    /// Reads a model from memory.
    pub fn load_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (about, fitted) = file::from_bytes(bytes, "bytes in memory")?;
        Ok(Self::new(about, fitted))
    }

    /// With positives that were set aside, scored now that everything is settled, the fingerprint of the rows, and the rows
    /// with their scores out of fold. `kept` says which rows were learned from, and of which positives that were set aside the scores
    /// are kept.
    pub(crate) fn with_rows(
        mut self,
        data: &Dataset,
        kept: Option<(&[usize], &[usize])>,
        out_of_fold: OutOfFold,
        truth: bool,
    ) -> Result<Self, Error> {
        let OutOfFold { scores: out_of_fold, by } = out_of_fold;
        let mut scores = match kept {
            None => out_of_fold,
            Some((kept, reserved)) => {
                let mut learned_from = vec![false; data.len()];
                kept.iter().for_each(|&row| learned_from[row] = true);
                let aside: Vec<usize> = (0..data.len()).filter(|&row| !learned_from[row]).collect();
                let mut scores = vec![None; data.len()];
                kept.iter().zip(out_of_fold).for_each(|(&row, score)| scores[row] = score);
                // Nothing was trained on the others, so the finished model says it.
                let of_others = self.score(&data.select(&aside))?;
                aside.iter().zip(of_others).for_each(|(&row, score)| scores[row] = Some(score));
                let about = self.about_mut();
                about.reserve = reserved.iter().filter_map(|&row| scores[row]).collect();
                about.reserve.sort_unstable_by(f32::total_cmp);
                scores
            }
        };
        scores.iter_mut().for_each(|score| *score = score.filter(|score| score.is_finite()));
        self.about_mut().fitted_on = Some(self.fingerprint_of(data)?);
        let encoded = self.encoded(data)?;
        let kinds = kinds_of(data.labels().filter(|_| !truth), data.len());
        let salt = self.salt();
        let known = KnownRows::new(encoded.as_ref(), &scores, kinds, salt)?.scored_by(by);
        self.known = Some(Arc::new(known));
        Ok(self)
    }

    /// The salt of the fingerprints of rows: another for each model, whatever a test of its labels said.
    pub(crate) fn salt(&self) -> u64 {
        let mut about = About::clone(&self.about);
        about.report.labeling = None;
        let about = serde_json::to_vec(&about).unwrap_or_default();
        Fingerprint::default().of_bytes(&about).number()
    }

    /// Says which rows it was fitted on.
    pub(crate) fn fitted_on(&mut self, fingerprint: Option<String>) {
        self.about_mut().fitted_on = fingerprint;
    }

    /// The fingerprint of rows, encoded for this model.
    pub(crate) fn fingerprint_of(&self, data: &Dataset) -> Result<String, Error> {
        Ok(Fingerprint::default().of_rows(self.encoded(&data.without_blank())?.as_ref()).letters())
    }

    /// Whether these are the rows that the model was fitted on, in their order. `None`: an older model file does not
    /// tell.
    pub fn was_fitted_on(&self, data: &Dataset) -> Result<Option<bool>, Error> {
        let ours = self.about.fitted_on.as_ref();
        ours.map(|ours| Ok(*ours == self.fingerprint_of(data)?)).transpose()
    }

    /// Sixteen letters by which the model is known: others hardly ever have the same.
    pub fn fingerprint(&self) -> Result<String, Error> {
        Ok(Fingerprint::default().of_bytes(&self.to_bytes()?).letters())
    }

    /// Sets the threshold and fills in the metrics of the report, from the scores of held-out rows before calibration.
    ///
    /// At a prior that is a guess, one half is meant at a `cautious` guess: a prior that is too high makes the decision worse
    /// than calling everything negative, one that is too low does not.
    fn settle(
        &mut self,
        positive: Sample,
        other: Sample,
        cautious: Option<AtPrior>,
        truth: bool,
    ) -> Result<(), Error> {
        let weights = (positive.weights, other.weights);
        let logits = |raw: Sample| raw.scores.iter().map(|&f| self.about.logit(f)).collect::<Vec<f32>>();
        let (positive, other) = (logits(positive), logits(other));
        if let (Some(mu), Some(pi)) = (self.about.prior_in_unlabeled, self.about.class_prior) {
            let (p, u) = (probabilities(&positive), probabilities(&other));
            self.about_mut().threshold = self.about.threshold_rule.choose(&p, &u, mu, pi)?;
        }
        if let (ThresholdRule::Half, Some(at)) = (self.about.threshold_rule, cautious) {
            self.about_mut().threshold = probability(f64::from(self.about.logit(at.even())));
        }
        let positive = Sample { scores: &positive, weights: weights.0 };
        let other = Sample { scores: &other, weights: weights.1 };
        self.about_mut().scores = self.reference_of(positive, other);
        self.measure(positive, other, truth, RESAMPLES)
    }

    /// How the logits of held-out rows are spread.
    pub(crate) fn reference_of(&self, positive: Sample, other: Sample) -> Option<ScoreReference> {
        let decide = |score: f32| self.decide(probability(f64::from(score)) as f32);
        let (labeled, folds) = (self.about.labeled_part(), self.about.report.folds);
        ScoreReference::new(positive, other, labeled, folds, &decide)
    }

    /// Keeps how the finished model scores rows that it has met, where those that scored them before may be on another scale.
    pub(crate) fn meet_again(&mut self, data: &Dataset, truth: bool) {
        let rows: Vec<usize> = (0..data.len()).step_by(Self::meets_every(data.len())).collect();
        self.meet_some(&data.select(&rows), truth);
    }

    /// Of so many rows, each how manieth is scored once more.
    pub(crate) fn meets_every(rows: usize) -> usize {
        rows.div_ceil(ROWS_TO_MEET).max(1)
    }

    /// [`meet_again`](Self::meet_again) with the rows that are scored once more.
    pub(crate) fn meet_some(&mut self, some: &Dataset, truth: bool) {
        // A score that is no number is told where rows are scored, and keeps no fit from its end.
        let (Some(reference), Ok(scores)) = (self.about.scores.clone(), self.score(some)) else { return };
        let is_positive = |row: usize| match truth {
            true => some.truth().map(|truth| truth[row]),
            false => some.labels().and_then(|labels| match labels[row] {
                Label::Positive => Some(true),
                Label::Unlabeled => Some(false),
                Label::Negative => None,
            }),
        };
        let of = |kind: bool| -> Vec<f32> {
            (0..some.len()).filter(|&row| is_positive(row) == Some(kind)).map(|row| scores[row]).collect()
        };
        let (positive, other) = (of(true), of(false));
        let decide = |score: f32| self.decide(probability(f64::from(score)) as f32);
        let [positive, other] = [&positive, &other].map(|scores| Sample { scores, weights: None });
        self.about_mut().scores = Some(reference.with_met(positive, other, &decide));
    }

    /// This model with another share of positives among unlabeled rows, for metrics: what it learned stays.
    pub(crate) fn with_share(&self, mu: PriorInUnlabeled, estimate: PriorEstimate) -> Self {
        let mut model = self.clone();
        let about = model.about_mut();
        about.prior_in_unlabeled = Some(mu);
        about.prior_estimate = Some(estimate);
        model
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("about", &self.about).finish_non_exhaustive()
    }
}

/// The calibration at a prior other than the model's; `None` if the scores cannot be calibrated there.
fn at_prior(mu: PriorInUnlabeled, positive: Sample, unlabeled: Sample, task: &Task) -> Option<AtPrior> {
    let calibration = Calibration::fit_weighted(positive, unlabeled, mu).ok()?;
    Some(AtPrior { calibration, shift: Priors::from_unlabeled(mu, task.scenario, task.drawn, true).shift() })
}
