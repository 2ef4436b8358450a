//! The learner: settings in, model out.

use crate::given::given;
use crate::known_rows::{OutOfFold, ScoredBy};
use crate::labeling::{CellsOf, test_labels};
use crate::large::{ROWS_FOR_PRIOR, thinned};
use crate::prior_report::settings_for;
use crate::second_look::guess_again;
use crate::undrawn::{DrawnOf, calibrate};
use crate::{Answered, AuditedRow, Error, FitRows, Model};
use onesided_classic::System;
use onesided_data::{Amounts, ClassPrior, Counts, Dataset, Label, PriorInUnlabeled, Scenario};
use onesided_eval::audit::LabelsByAnswers;
use onesided_eval::{Calibration, ThresholdRule};
use onesided_learn::prior::{
    CrossFitted, CrossFitting, PriorEstimate, PriorReport, PriorSettings, estimate_prior_scored,
    estimate_prior_taught,
};
use onesided_learn::scorers::{ClassicScorer, ObjectiveChoice, OwnObjective};
use onesided_learn::{
    Config, DependsOn, Labeling, ModelChoice, Observer, Policy, PriorGiven, Priors, Progress, Reserve,
    Scorer, Signal, TAUGHT_BY_RULE, Task, Views, Warning, WhoLabels, check, learn, training_settings,
};
use onesided_loss::{LossError, Objective, Reduction, Setting, Surrogate};
use onesided_net::{Augment, Device, Mixing, Optimizer, Precision, Schedule, Teaching};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// With fewer rows, a share of positives that cannot be estimated is assumed. More rows that do not tell it are a reason to look
/// at the labels first.
const FEW_ROWS: usize = 1_000;

/// Everything that can be set before [`fit`](Learner::fit): a builder over a [`Config`]. What is not set is chosen by the
/// data.
///
/// Defaults: the method `auto` (`collective` once a loss, a model or its training is set), the scenario that the place of the rows
/// tells (single-sample for rows in memory), a prior estimated from the data, the threshold 0.5 or a cautious one, seed 0 and all
/// threads of the CPU.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Learner {
    pub(crate) config: Config,
    own: Own,
    estimate: Option<PriorEstimate>,
    answers: Vec<AuditedRow>,
    labels_by_answers: Option<LabelsByAnswers>,
    prior_settings: Option<PriorSettings>,
}

/// Rows that are not in the data set.
#[derive(Clone, Copy, Default)]
pub(crate) struct Elsewhere<'a> {
    /// The table that its rows were drawn of.
    pub drawn_of: Option<DrawnOf<'a>>,
    /// Some of its rows, held as numbers, where it holds none.
    pub few: Option<&'a FewRows<'a>>,
    /// Cells of its rows, where it holds none.
    pub cells: Option<&'a CellsOf<'a>>,
}

/// Gives some rows of a task's data, to estimate the share of positives with.
pub(crate) type FewRows<'a> = dyn Fn(&Task) -> Result<Dataset, Error> + 'a;

impl<'a> Elsewhere<'a> {
    fn of(drawn_of: Option<DrawnOf<'a>>) -> Self {
        Self { drawn_of, ..Self::default() }
    }
}

/// What is learned, where it is not among the methods.
#[derive(Clone, Debug, Default)]
enum Own {
    #[default]
    Nothing,
    Objective(ObjectiveChoice),
    System(Arc<dyn System>),
    Scorer(Arc<dyn Scorer>),
}

/// A setter for each setting.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)+) => {
        $($(#[$doc])*
        pub fn $name(mut self, value: impl Into<Option<$type>>) -> Self {
            self.config.$name = value.into();
            self
        })+
    };
}

/// A setter for each setting of the training loop.
macro_rules! training_setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)+) => {
        impl Learner {
            $($(#[$doc])*
            pub fn $name(mut self, value: impl Into<Option<$type>>) -> Self {
                self.config.train.$name = value.into();
                self
            })+
        }
    };
}

training_settings!(training_setters);

impl Learner {
    /// A learner with every setting at its default.
    pub fn new() -> Self {
        Self::default()
    }

    /// A learner with these settings.
    pub fn from_config(config: Config) -> Self {
        Self { config, ..Self::default() }
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The method by its name in [`methods`](crate::methods): an objective, or a classic system. Whether there is such a
    /// method is for [`fit`](Self::fit) to say.
    pub fn method(mut self, name: &str) -> Self {
        self.config.method = Some(name.to_string());
        self
    }

    /// A setting by its name in [`SETTINGS`](crate::SETTINGS), as text.
    pub fn set(mut self, name: &str, value: &str) -> Result<Self, Error> {
        self.config.set(name, value)?;
        Ok(self)
    }

    /// A setting of a classic system by its name.
    pub fn option(mut self, name: &str, value: &str) -> Self {
        self.config.option.push((name.to_string(), value.to_string()));
        self
    }

    /// A classic system whose settings are the fields of its type.
    pub fn system(mut self, system: impl System + 'static) -> Self {
        self.config.method = Some(system.name().to_string());
        self.own = Own::System(Arc::new(system));
        self
    }

    /// An objective of your own, made from what the data say once they are known: μ and how the rows were drawn.
    /// `needs_prior` says whether it reads μ.
    pub fn objective(
        mut self,
        name: impl Into<String>,
        needs_prior: bool,
        build: impl Fn(&Setting) -> Result<Box<dyn Objective>, LossError> + Send + Sync + 'static,
    ) -> Self {
        let own = OwnObjective { name: name.into(), needs_prior, pooled: false, build: Box::new(build) };
        self.own = Own::Objective(ObjectiveChoice::Own(Arc::new(own)));
        self
    }

    /// A scorer of your own; see [`OwnScorer`](crate::OwnScorer) for the short way to make one.
    pub fn scorer(mut self, scorer: impl Scorer + 'static) -> Self {
        self.own = Own::Scorer(Arc::new(scorer));
        self
    }

    /// What scores, for methods that are an objective: [`ModelChoice`] parses names such as `linear`, `mlp`, `cnn` or
    /// `trees`, and [`Architecture::Layers`](crate::Architecture::Layers) takes layers of your own.
    pub fn model(mut self, model: ModelChoice) -> Self {
        self.config.model = Some(model);
        self
    }

    setters! {
        /// The reduction of the collective loss. `None` trains both sum-of-means and prior-weighted, and keeps the first
        /// unless the [`held_out_risk`](crate::held_out_risk) of the second is lower by more than its noise.
        reduction: Reduction;
        /// The margin loss of `upu`, `nnpu` and `imbalanced-nnpu`.
        surrogate: Surrogate;
        /// How far the negative part of a non-negative risk may fall below zero.
        beta: f64;
        /// The step of the non-negative correction, in [0, 1].
        gamma: f64;
        /// Rounding of the kink of the collective loss; 0 is the loss as published.
        smoothing: f64;
        /// How the data were drawn, if not as the place of the rows tells: two places were drawn separately, one was not.
        scenario: Scenario;
        /// The seed of every random stream. Same seed, data, machine and number of threads: the same model, byte by byte.
        seed: u64;
        /// The share of the positives and of the unlabeled rows that is not trained on, but chooses, calibrates and gives
        /// the metrics. `None` holds out a fifth, or, of small data, each fifth in turn and then trains on all rows.
        hold_out: f64;
        /// Whether each fifth of the rows is held out in turn and what was chosen is trained on all rows, however many there
        /// are: every row then has a score by what was trained without it, for about five times the time. `auto` does this
        /// anyway, and so do other methods on small data; `auto` then scores unlabeled rows once more, by members that met all
        /// positives.
        cross_fit: bool;
        /// How labels are taken to be given, where that is not at random.
        labeling: Labeling;
        /// Positives that are set aside before the prior is estimated, rows are held out or anything is trained. The
        /// finished model scores them, and [`Model::review`] promises by these scores what a list finds. What a column's
        /// values are like (scales, levels, words) was learned from all rows when they were read.
        reserve: Reserve;
        /// How the threshold is chosen.
        threshold: ThresholdRule;
        /// A file that training writes after each epoch and resumes from; it is removed when training ends. Where a fit
        /// takes several runs of training, each has its own, with the number of the run appended.
        checkpoint: PathBuf;
        /// Threads to use; 0 is all there are.
        threads: usize;
        /// Where to train. [`Device::Auto`] takes the first GPU where there is one and the network gains from it.
        device: Device;
        /// The numbers that a GPU trains with; the CPU always takes f32.
        precision: Precision;
    }

    /// Columns that labels may depend on: labeled rows are weighted by the chance that positives like them are labeled, if that says
    /// better which rows are labeled than random labels do.
    pub fn labeling_depends_on<S: AsRef<str>>(mut self, columns: &[S]) -> Result<Self, Error> {
        self.config.labeling_depends_on = DependsOn::default();
        for column in columns {
            self.config.labeling_depends_on.add(column.as_ref()).map_err(onesided_learn::Error::from)?;
        }
        Ok(self)
    }

    /// π, the share of positives in the population. Replaces [`prior_in_unlabeled`](Self::prior_in_unlabeled).
    pub fn prior(mut self, prior: ClassPrior) -> Self {
        (self.config.prior, self.config.prior_in_unlabeled) = (Some(PriorGiven::Share(prior)), None);
        self.estimate = None;
        self
    }

    /// μ, the share of positives among the unlabeled rows. Replaces [`prior`](Self::prior).
    pub fn prior_in_unlabeled(mut self, prior: PriorInUnlabeled) -> Self {
        (self.config.prior, self.config.prior_in_unlabeled) = (None, Some(prior));
        self.estimate = None;
        self
    }

    /// A prior that was estimated from these data before, as [`estimate_prior`](Self::estimate_prior) gives it. The model
    /// keeps it with its interval, and its metrics carry the interval through. Replaces the other two.
    pub fn prior_estimate(mut self, estimate: PriorEstimate) -> Self {
        (self.config.prior, self.config.prior_in_unlabeled) = (None, None);
        self.estimate = Some(estimate);
        self
    }

    /// The share and the answers of an audit, whose data are to be learned from: the model is measured on the answers, and on no
    /// label. Replaces any other prior.
    pub fn audited(mut self, answered: &Answered) -> Self {
        self.answers = answered.answers.clone();
        self.labels_by_answers = answered.labeling.clone();
        self.prior_estimate(answered.prior.clone())
    }

    /// How the prior is estimated; the estimators that look at scores alone where nothing is said.
    pub fn prior_settings(mut self, settings: PriorSettings) -> Self {
        self.prior_settings = Some(settings);
        self
    }

    /// Whether what is learned is not among the methods.
    pub(crate) fn is_own(&self) -> bool {
        !matches!(self.own, Own::Nothing)
    }

    /// How data were drawn: as was set, or as the place they come from tells.
    pub(crate) fn scenario_of(&self, data: &Dataset) -> Scenario {
        self.config.scenario.or(data.scenario()).unwrap_or(Scenario::SingleSample)
    }

    /// Both priors of data of these amounts, where one was given.
    pub(crate) fn priors(&self, amounts: Amounts, scenario: Scenario) -> Result<Option<Priors>, Error> {
        let mut config = self.config.clone();
        config.scenario = Some(scenario);
        config.priors(amounts)
    }

    /// What learns from a data set.
    pub(crate) fn build(&self, data: &Dataset) -> Result<Arc<dyn Scorer>, Error> {
        Ok(match &self.own {
            Own::Nothing => Arc::from(self.config.scorer(data)?),
            Own::Objective(objective) => Arc::from(self.config.objective_scorer(objective.clone(), data)?),
            Own::System(system) => Arc::new(ClassicScorer::new(system.clone())?),
            Own::Scorer(scorer) => scorer.clone(),
        })
    }

    pub(crate) fn task<'d>(&self, data: &'d Dataset, truth: bool) -> Result<Task<'d>, Error> {
        self.task_of(data, truth, None)
    }

    fn task_of<'d>(
        &self,
        data: &'d Dataset,
        truth: bool,
        aside: Option<(Amounts, usize, Option<usize>)>,
    ) -> Result<Task<'d>, Error> {
        let config = &self.config;
        let scenario = self.scenario_of(data);
        let mut task = Task::new(data, truth, scenario, config.seed.unwrap_or(0), config.machine())?;
        task.cross_fit = config.cross_fit.unwrap_or(false);
        (task.drawn, task.reserved, task.all_unlabeled) =
            aside.unwrap_or((task.drawn, 0, task.all_unlabeled));
        task.priors = match &self.estimate {
            Some(estimate) => {
                let guessed = estimate.audited.is_none();
                Some(Priors::from_unlabeled(estimate.mu, task.scenario, task.drawn, guessed))
            }
            None if truth => self.truth_priors(&task)?,
            None => self.priors(task.drawn, scenario)?,
        };
        Ok(task)
    }

    /// π is the share of positives in the truth, unless another was given.
    fn truth_priors(&self, task: &Task) -> Result<Option<Priors>, Error> {
        let class = match self.config.prior {
            Some(PriorGiven::Share(class)) => class,
            _ => ClassPrior::new(task.drawn.labeled_share())?,
        };
        let in_unlabeled = PriorInUnlabeled::new(class.get())?;
        Ok(Some(Priors { class, in_unlabeled, estimated: false }))
    }

    /// Estimates the share of positives among the unlabeled rows, with the learner's scenario, seed, threads and device.
    pub fn estimate_prior(&self, data: &Dataset) -> Result<PriorReport, Error> {
        self.estimate_prior_with(data, &mut |_| Signal::Continue)
    }

    /// [`estimate_prior`](Self::estimate_prior) with an observer.
    pub fn estimate_prior_with(&self, data: &Dataset, observer: Observer) -> Result<PriorReport, Error> {
        let config = &self.config;
        let filled = data.without_blank();
        let data = filled.as_ref();
        let scenario = self.scenario_of(data);
        let task = Task::new(data, false, scenario, config.seed.unwrap_or(0), config.machine())?;
        let counts = task.counts;
        let Some(few) = draw_for_prior(&task) else {
            return Ok(self.estimate_for(&task, &Views::new(data), observer)?.0);
        };
        let task = Task::new(&few, false, scenario, task.seed, task.machine)?;
        let report = self.estimate_for(&task, &Views::new(&few), observer)?.0;
        Ok(PriorReport { counts, ..report })
    }

    fn estimate_for(
        &self,
        task: &Task,
        views: &Views,
        observer: Observer,
    ) -> Result<(PriorReport, CrossFitted), Error> {
        // Models behind the prior learn from half as many rows at most, so that halves leave them enough.
        let halves = |settings: PriorSettings| match task.data.len() < ROWS_FOR_PRIOR {
            true => settings,
            false => {
                let cross_fitting = CrossFitting { folds: 2, ..settings.cross_fitting };
                PriorSettings { cross_fitting, ..settings }
            }
        };
        if let Some(settings) = &self.prior_settings {
            let settings = halves(settings_for(settings, task.data)?);
            return estimate_prior_scored(task, views, &settings, observer);
        }
        let quick = halves(PriorSettings::quick());
        match self.config.taught_prior(task.data) {
            Some(config) => {
                let scorer = Self { config, ..self.clone() }.build(task.data)?;
                estimate_prior_taught(scorer.as_ref(), task, views, &quick, observer)
            }
            None => estimate_prior_scored(task, views, &quick, observer),
        }
    }

    /// Learns from rows in memory, a [`Dataset`], or in files, a [`Table`](crate::Table): positives, unlabeled rows and known
    /// negatives, each with its weight where rows have weights, or, for the method `supervised`, the truth.
    ///
    /// Where a prior is needed and none was given, it is [estimated](Self::estimate_prior) first. Fewer than 1,000 rows that do not
    /// tell it are learned from with an [assumed](PriorEstimate::assumed) one: a warning says so, and metrics that rest on it are
    /// left out. More rows are refused.
    pub fn fit(&self, rows: &impl FitRows) -> Result<Model, Error> {
        self.fit_with(rows, &mut |_| Signal::Continue)
    }

    /// [`fit`](Self::fit) with an observer, called after every batch, tree or fold, and told of an estimated prior. Its
    /// answer stops training and keeps the best so far ([`Signal::Finish`]), or gives up, which makes this an
    /// [`Error::Interrupted`] ([`Signal::Abort`]).
    pub fn fit_with(&self, rows: &impl FitRows, observer: Observer) -> Result<Model, Error> {
        rows.fit(self, observer)
    }

    /// Learns from rows in memory, which may be a draw of others.
    pub(crate) fn fit_of(
        &self,
        data: &Dataset,
        drawn_of: Option<DrawnOf>,
        observer: Observer,
    ) -> Result<Model, Error> {
        if let (Own::Nothing, Some(config)) = (&self.own, self.config.taught_by_rule(data)) {
            let mut model = Self { config, ..self.clone() }.fit_of(data, drawn_of, observer)?;
            model.add_note(TAUGHT_BY_RULE);
            return Ok(model);
        }
        if let Some(kept) = data.rows_not_blank() {
            // Answers are known by the numbers of rows.
            let place: HashMap<usize, usize> = kept.iter().enumerate().map(|(at, &row)| (row, at)).collect();
            let moved = |answer: &AuditedRow| Some(AuditedRow { row: *place.get(&answer.row)?, ..*answer });
            let answers = self.answers.iter().filter_map(moved).collect();
            return Self { answers, ..self.clone() }.fit_of(&data.without_blank(), drawn_of, observer);
        }
        if !self.config.labeling_depends_on.is_empty() {
            return self.fit_depending(data, observer);
        }
        let truth = self.build(data)?.info().needs_truth;
        let Some(reserve) = self.config.reserve else {
            let (mut model, scores) =
                self.fit_rows(&Views::new(data), None, Elsewhere::of(drawn_of), observer)?;
            if !self.answers.is_empty() {
                let labels = data.labels().unwrap_or_default();
                model.measure_on_answers(&self.answers, labels, |row| scores.scores[row]);
            }
            return model.with_rows(data, None, scores, truth);
        };
        // Before the prior is estimated, rows are held out or anything is trained.
        let all = self.task(data, truth)?;
        let (kept, aside) = reserve.split(&all.labels, all.seed)?;
        let (kept, aside) = all.whole_positives(kept, aside);
        let kept = all.without_groups_of(kept, &aside);
        let reserved = all.one_per_group(&aside);
        let aside_of = Some((all.drawn, aside.len(), all.all_unlabeled));
        let pool = data.select(&kept);
        let (mut model, scores) =
            self.fit_rows(&Views::new(&pool), aside_of, Elsewhere::of(drawn_of), observer)?;
        if !self.answers.is_empty() {
            let place: HashMap<usize, usize> = kept.iter().enumerate().map(|(at, &row)| (row, at)).collect();
            let labels = data.labels().unwrap_or_default();
            model.measure_on_answers(&self.answers, labels, |row| scores.scores[*place.get(&row)?]);
        }
        model.with_rows(data, Some((&kept, &reserved)), scores, truth)
    }

    /// Learns from all rows of a data set, none of which is empty, and scores all: by what was trained without them where every unlabeled row has
    /// such a score, and by the model else.
    pub(crate) fn fit_scored(&self, data: &Dataset, observer: Observer) -> Result<Vec<f32>, Error> {
        if let (Own::Nothing, Some(config)) = (&self.own, self.config.taught_by_rule(data)) {
            return Self { config, ..self.clone() }.fit_scored(data, observer);
        }
        let (model, out_of_fold) = self.fit_rows(&Views::new(data), None, Elsewhere::default(), observer)?;
        let labels = data.labels().unwrap_or_default();
        let of_row =
            |row: usize| out_of_fold.scores.get(row).copied().flatten().filter(|score| score.is_finite());
        let whole = (0..data.len()).all(|row| labels[row] != Label::Unlabeled || of_row(row).is_some());
        match whole {
            // Labeled rows are not asked about.
            true => Ok((0..data.len()).map(|row| of_row(row).unwrap_or(f32::INFINITY)).collect()),
            false => model.score(data),
        }
    }

    /// Learns from all rows of a data set, and scores each by what was trained without it. `aside` is how much there was
    /// before positives were set aside, how many of them, and how many unlabeled rows where they are a draw.
    pub(crate) fn fit_rows(
        &self,
        views: &Views,
        aside: Option<(Amounts, usize, Option<usize>)>,
        elsewhere: Elsewhere,
        observer: Observer,
    ) -> Result<(Model, OutOfFold), Error> {
        let data = views.data();
        let scorer = self.build(data)?;
        let info = scorer.info();
        let threshold = self.config.threshold_for(&info.method);
        let mut task = self.task_of(data, info.needs_truth, aside)?;
        let (mut estimate, mut cross_fitted, mut guessed) = (self.estimate.clone(), None, None);
        let must_have = !info.needs_truth && (info.needs_prior || !info.works_without_prior);
        if self.config.labeling == Some(Labeling::EasyFirst) && task.priors.is_none() {
            return Err(Error::EasyFirstShare);
        }
        if must_have && task.priors.is_none() {
            // What would be refused later is refused before the wait.
            let half = PriorInUnlabeled::new(0.5)?;
            task.priors = Some(Priors::from_unlabeled(half, task.scenario, task.drawn, true));
            check(scorer.as_ref(), &task, threshold)?;
            let few = match elsewhere.few {
                Some(few) => Some(few(&task)?),
                // A blend scores every row itself; of other methods, lists need the scores behind the prior.
                None if scorer.policy() != Policy::Choose => draw_for_prior(&task),
                None => None,
            };
            let of_few =
                few.as_ref().map(|few| Task::new(few, false, task.scenario, task.seed, task.machine));
            let of_few = of_few.transpose()?;
            let counts = task.drawn_counts();
            let rows = counts.positive + counts.unlabeled + counts.negative;
            let found = match self.estimated(of_few.as_ref().unwrap_or(&task), counts, observer) {
                Ok((report, found, scores)) => {
                    cross_fitted = Some(scores).filter(|scores| scores.logits.len() == data.len());
                    guessed = Some(report);
                    found
                }
                Err(stopped @ Error::Interrupted { .. }) => return Err(stopped),
                Err(why) => {
                    let assumed = match &why {
                        Error::Evidence(why) if rows < FEW_ROWS => {
                            PriorEstimate::assumed(counts.unlabeled, why)
                        }
                        _ => None,
                    };
                    let (method, why) = (info.method.to_string(), why.to_string());
                    assumed.ok_or(Error::NoEstimate { method, why })?
                }
            };
            task.priors = Some(Priors::from_unlabeled(found.mu, task.scenario, task.drawn, true));
            estimate = Some(found);
        }
        check(scorer.as_ref(), &task, threshold)?;
        let mut learned = learn(scorer.as_ref(), &task, views, self.config.hold_out, observer)?;
        learned.report.labels_by_answers = self.labels_by_answers.clone();
        if self.config.labeling == Some(Labeling::EasyFirst) {
            learned.report.who_labels = Some(WhoLabels::EasyFirst);
            if !learned.report.warnings.contains(&Warning::RanksAlone) {
                learned.report.warnings.push(Warning::RanksAlone);
            }
        }
        let raw = std::mem::take(&mut learned.out_of_fold);
        let encoding = views.scaled(scorer.wants().scaling).encoding().clone();
        let mut options = self.config.option.clone();
        if !self.config.monotone.is_empty() {
            options.push(("monotone".to_string(), self.config.monotone.to_string()));
        }
        let undrawn = match elsewhere.drawn_of.filter(|_| !info.needs_truth) {
            Some(drawn_of) => {
                let rows = task.all_unlabeled.unwrap_or(0) + task.counts.positive + task.counts.negative;
                Some(drawn_of.rest(&learned.fitted, &encoding, rows, task.machine.threads)?)
            }
            None => None,
        };
        if let Some(undrawn) = &undrawn {
            learned.report.held_out.unlabeled += undrawn.scores.len();
            calibrate(&mut learned, &task, Some(undrawn))?;
        }
        let undrawn = undrawn.as_ref();
        if let Some(found) = guessed.filter(|_| scorer.policy() != Policy::Choose)
            && let Some(again) = guess_again(found, &mut learned, &mut task, undrawn)?
        {
            estimate = Some(again);
        }
        let model = Model::from_learned(learned, &task, encoding, estimate, threshold, options, undrawn)?;
        let mut model = model.with_given(given(&self.config, data, task.all_unlabeled.is_some()));
        // A blend brings the scores of its folds to one scale.
        if scorer.policy() == Policy::Choose && model.about().report.folds > 1 {
            model.meet_again(data, info.needs_truth);
        }
        // A method that holds out one share leaves most rows without a score; those behind the prior have one each.
        let whole = raw.iter().all(Option::is_some);
        let logit = |raw: Option<f32>| raw.map(|raw| model.about().logit(raw));
        let out_of_fold = match cross_fitted.filter(|_| !whole).and_then(|scores| logits(&scores, &task)) {
            Some(scores) => OutOfFold { scores, by: ScoredBy::Prior },
            None => OutOfFold { scores: raw.into_iter().map(logit).collect(), by: ScoredBy::Method },
        };
        let labeling = test_labels(&model, &task, &out_of_fold.scores, elsewhere.cells)?;
        Ok((model.with_labeling(labeling), out_of_fold))
    }

    /// The share of positives with the scores behind it, once the observer was told.
    fn estimated(
        &self,
        task: &Task,
        counts: Counts,
        observer: Observer,
    ) -> Result<(PriorReport, PriorEstimate, CrossFitted), Error> {
        // Bins and other forms of the rows are freed before training starts.
        let views = Views::new(task.data);
        let (mut report, scores) = self.estimate_for(task, &views, observer)?;
        // The share in the population counts positives that were set aside, too.
        report.counts = counts;
        let estimate = PriorEstimate::from_report(&report)?;
        if observer(&Progress::estimated(&report)) != Signal::Continue {
            return Err(Error::Interrupted { epoch: 0, checkpoint: None });
        }
        Ok((report, estimate, scores))
    }
}

/// Rows to estimate the share of positives with, of more than that takes: both kinds thinned evenly.
fn draw_for_prior(task: &Task) -> Option<Dataset> {
    let data = task.data;
    (data.len() > ROWS_FOR_PRIOR).then(|| {
        let drawn = thinned(&task.labels, ROWS_FOR_PRIOR, task.seed);
        data.select(&(0..data.len()).filter(|&row| drawn[row]).collect::<Vec<usize>>())
    })
}

/// Cross-fitted logits of "labeled" as logits of "positive" at the population's prior.
fn logits(scores: &CrossFitted, task: &Task) -> Option<Vec<Option<f32>>> {
    let narrow = |logits: &[f64]| logits.iter().map(|&logit| logit as f32).collect::<Vec<f32>>();
    let (positive, unlabeled) = (narrow(&scores.positive), narrow(&scores.unlabeled));
    let calibration = Calibration::fit(&positive, &unlabeled, task.mu()?).ok()?;
    let shift = task.priors?.shift();
    Some(
        narrow(&scores.logits).iter().map(|&logit| Some((calibration.apply(logit) + shift) as f32)).collect(),
    )
}
