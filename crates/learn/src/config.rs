//! Every setting of a fit in one place.
//!
//! A setting that was not given is `None`, so that what is given to a method or model that has no use for it can be
//! refused. Names, help, parsing and the methods a setting is for are in [`SETTINGS`].

use crate::scorers::SMALLEST_LEAF;
use crate::scorers::{
    ClassicScorer, ElkanNotoTrees, LabelTreesScorer, NetworkScorer, ObjectiveChoice, TreesScorer,
};
use crate::settings::{Applies, SETTINGS, SettingInfo};
use crate::{
    DependsOn, Effort, Error, Labeling, Machine, Method, Monotone, Portfolio, Priors, Reserve, Scorer,
    TrainOverrides,
};
use onesided_data::{
    Amounts, ClassPrior, Dataset, InputOptions, PriorInUnlabeled, Scaling, Scenario, Weighting,
};
use onesided_eval::ThresholdRule;
use onesided_loss::{Options, Reduction, Surrogate};
use onesided_net::{Architecture, Device, Precision, Teaching};
use onesided_trees::TreesConfig;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The method where none is named.
const DEFAULT_METHOD: &str = "auto";
/// The method where none is named, but something is said about a loss, a model or its training.
const DEFAULT_OBJECTIVE: &str = "collective";

/// The method where none is named, but a model that counts labels.
const LABELED_AGAINST_REST: &str = "naive";

/// Epochs of a network that only tells the share of positives to another one.
const EPOCHS_FOR_PRIOR: usize = 20;

/// Terms that models of dense rows are given if you do not say how many: the most frequent ones carry most of what there
/// is.
const DENSE_TERMS: usize = 5_000;

/// What a user may set before [`fit`](crate::learn()). What is not set is chosen by the data.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// The method by its name.
    pub method: Option<String>,
    /// What scores, for methods that are an objective.
    pub model: Option<ModelChoice>,
    /// How much time `auto` may take.
    pub effort: Option<Effort>,
    /// Whether `auto` keeps one model instead of a mean of several.
    pub single: Option<bool>,
    /// Whether `auto` keeps one model that learned what the mean says.
    pub fast: Option<bool>,
    /// Columns that the score may only rise or only fall with.
    pub monotone: Monotone,
    /// Settings of a classic system by name.
    pub option: Vec<(String, String)>,
    /// π, or that it is to be estimated.
    pub prior: Option<PriorGiven>,
    /// μ.
    pub prior_in_unlabeled: Option<PriorInUnlabeled>,
    /// How the data were drawn.
    pub scenario: Option<Scenario>,
    /// The reduction of the collective loss; `None` tries two.
    pub reduction: Option<Reduction>,
    /// The margin loss of the risks.
    pub surrogate: Option<Surrogate>,
    /// How far the negative part of a non-negative risk may fall below zero.
    pub beta: Option<f64>,
    /// The step of the non-negative correction.
    pub gamma: Option<f64>,
    /// Rounding of the kink of the collective loss.
    pub smoothing: Option<f64>,
    /// How a network is trained.
    pub train: TrainOverrides,
    /// A file to resume training from.
    pub checkpoint: Option<PathBuf>,
    /// The share of rows held out.
    pub hold_out: Option<f64>,
    /// Whether every row is held out in turn, so that each has a score by what was trained without it.
    pub cross_fit: Option<bool>,
    /// How labels are taken to be given.
    pub labeling: Option<Labeling>,
    /// Columns that they may depend on.
    pub labeling_depends_on: DependsOn,
    /// Positives set aside for promises about the finished model.
    pub reserve: Option<Reserve>,
    /// How the threshold is chosen.
    pub threshold: Option<ThresholdRule>,
    /// The seed of everything random.
    pub seed: Option<u64>,
    /// Threads; 0 is all.
    pub threads: Option<usize>,
    /// Where to train.
    pub device: Option<Device>,
    /// Numbers of a GPU.
    pub precision: Option<Precision>,
}

/// What scores, where the method is an objective.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelChoice {
    /// A network of the zoo, or of one's own layers.
    Network(Architecture),
    /// Boosted trees.
    Trees,
    /// A random forest on "labeled" against "unlabeled".
    Forest,
    /// The same with cuts at random (Geurts, Ernst and Wehenkel, 2006).
    ExtraTrees,
    /// A mean of boosted trees, each on the positives and as many unlabeled rows (Mordelet and Vert, 2014).
    BaggedTrees,
}

impl ModelChoice {
    const OF_TREES: [(&'static str, ModelChoice); 4] = [
        ("trees", ModelChoice::Trees),
        ("forest", ModelChoice::Forest),
        ("extra-trees", ModelChoice::ExtraTrees),
        ("bagged-trees", ModelChoice::BaggedTrees),
    ];

    /// Whether it counts labels instead of following the slope of a loss.
    pub fn counts_labels(&self) -> bool {
        matches!(self, ModelChoice::Forest | ModelChoice::ExtraTrees | ModelChoice::BaggedTrees)
    }

    /// Whether it can hold a score to going up or down with a column.
    pub fn is_monotone(&self) -> bool {
        matches!(self, ModelChoice::Trees | ModelChoice::BaggedTrees)
    }
}

impl FromStr for ModelChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if let Some((_, model)) = Self::OF_TREES.iter().find(|(name, _)| *name == text) {
            return Ok(model.clone());
        }
        Ok(ModelChoice::Network(text.parse().map_err(|_| {
            let of_trees = Self::OF_TREES.iter().map(|(name, _)| *name);
            let known: Vec<&str> = Architecture::names().iter().copied().chain(of_trees).collect();
            Error::unknown_name("model", text, &known)
        })?))
    }
}

impl fmt::Display for ModelChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelChoice::Network(architecture) => architecture.fmt(f),
            trees => {
                let name = Self::OF_TREES.iter().find(|(_, model)| model == trees);
                f.write_str(name.map_or("trees", |(name, _)| name))
            }
        }
    }
}

/// A share as people write it: `0.3` or `30%`.
pub(crate) fn share(text: &str) -> Option<f64> {
    let (number, by) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim(), 100.0),
        None => (text.trim(), 1.0),
    };
    number.parse::<f64>().ok().map(|number| number / by)
}

/// A share that cannot be read; one with a decimal comma is written with a point.
pub(crate) fn unknown_share(what: &'static str, found: &str, known: &str) -> Error {
    let with_point = found.replacen(',', ".", 1);
    let known = match share(&with_point) {
        Some(_) => format!("{known} (did you mean {with_point}?)"),
        None => known.to_string(),
    };
    Error::Unknown { what, found: found.to_string(), known }
}

/// The prior of the population, or that it is to be estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PriorGiven {
    /// To be estimated.
    Auto,
    /// π.
    Share(ClassPrior),
}

impl FromStr for PriorGiven {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "auto" => Ok(PriorGiven::Auto),
            number => match share(number) {
                Some(share) => Ok(PriorGiven::Share(ClassPrior::new(share)?)),
                None => Err(unknown_share("prior", number, "a number or auto")),
            },
        }
    }
}

impl fmt::Display for PriorGiven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PriorGiven::Auto => f.write_str("auto"),
            PriorGiven::Share(prior) => write!(f, "{}", prior.get()),
        }
    }
}

impl Config {
    /// Sets a setting by its name to the value of a text; the error lists all names and suggests the nearest.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let found = SETTINGS.iter().find(|setting| setting.name == name);
        let setting = found.ok_or_else(|| {
            let known: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
            Error::unknown_name("setting", name, &known)
        })?;
        (setting.set)(self, value)
    }

    /// The method.
    pub fn method(&self) -> Result<Method, Error> {
        let about_an_objective = |setting: &SettingInfo| {
            let applies = matches!(
                setting.applies,
                Applies::Models | Applies::Reading | Applies::Networks | Applies::Pictures
            );
            applies && (setting.get)(self).is_some()
        };
        match &self.method {
            Some(name) => Method::find(name),
            None if self.model.as_ref().is_some_and(ModelChoice::counts_labels) => {
                Method::find(LABELED_AGAINST_REST)
            }
            None if SETTINGS.iter().any(about_an_objective) => Method::find(DEFAULT_OBJECTIVE),
            None => Method::find(DEFAULT_METHOD),
        }
    }

    /// What scores rows of this kind: what was asked for, `cnn` for pictures, `mlp` for all else.
    pub fn model_for(&self, pictures: bool) -> ModelChoice {
        let small = Architecture::mlp();
        let default = if pictures { Architecture::Cnn } else { small };
        self.model.clone().unwrap_or(ModelChoice::Network(default))
    }

    /// How the threshold of a method is chosen: as asked for, or by the method's own rule. Where labels favor likely positives, scores
    /// rank alone.
    pub fn threshold_for(&self, method: &str) -> ThresholdRule {
        let ranks = onesided_loss::method(method).is_ok_and(|info| info.ranks);
        let ranks = ranks || self.labeling == Some(Labeling::EasyFirst);
        self.threshold.unwrap_or(if ranks { ThresholdRule::Quantile } else { ThresholdRule::Half })
    }

    /// How the data were drawn; one sample where nothing is said.
    pub fn scenario(&self) -> Scenario {
        self.scenario.unwrap_or(Scenario::SingleSample)
    }

    /// Where and how work is done.
    pub fn machine(&self) -> Machine {
        Machine {
            threads: self.threads.unwrap_or(0),
            device: self.device.unwrap_or(Device::Auto),
            precision: self.precision.unwrap_or_default(),
        }
    }

    /// Both priors of data of these amounts, from whichever was given; `None` if neither was.
    pub fn priors(&self, amounts: impl Into<Amounts>) -> Result<Option<Priors>, Error> {
        let amounts = amounts.into();
        let scenario = self.scenario();
        Ok(match (self.prior, self.prior_in_unlabeled) {
            (Some(PriorGiven::Share(class)), _) => {
                let in_unlabeled = class.to_prior_in_unlabeled(scenario, amounts)?;
                Some(Priors { class, in_unlabeled, estimated: false })
            }
            (_, Some(mu)) => Some(Priors::from_unlabeled(mu, scenario, amounts, false)),
            _ => None,
        })
    }

    /// Refuses settings that the method, or the model, has no use for, and those out of range. `pictures` says whether
    /// rows are pictures.
    pub fn check(&self, pictures: bool) -> Result<(), Error> {
        let method = self.method()?;
        let model = self.model_for(pictures);
        let of_trees = self.model.as_ref().filter(|model| !matches!(model, ModelChoice::Network(_)));
        if let Some(why) = of_trees.and_then(|model| method.cannot_take(model))
            && !matches!(method, Method::Auto)
        {
            let (method, model) = (method.name(), model.to_string());
            return Err(Error::ModelForMethod { method, model, why });
        }
        for setting in SETTINGS {
            if (setting.get)(self).is_some() && !setting.is_for(method, &model, pictures) {
                let chosen = match method {
                    Method::Objective(_) if setting.by_model() => format!("the model {model}"),
                    Method::System(_) if self.model.is_some() && setting.name != "model" => {
                        format!("the model {model}")
                    }
                    _ => format!("the method {}", method.name()),
                };
                return Err(Error::NotForThis {
                    setting: setting.name,
                    for_what: setting.applies.words(),
                    chosen,
                });
            }
        }
        let calibrated = method.must_have_prior() || model.counts_labels();
        if self.prior == Some(PriorGiven::Auto) && !calibrated {
            return Err(Error::NothingToEstimate(method.name().to_string()));
        }
        if self.hold_out.is_some() && self.cross_fit == Some(true) {
            return Err(Error::CrossFitHoldOut);
        }
        if self.fast == Some(true) && (self.hold_out.is_some() || self.cross_fit == Some(true)) {
            let other = if self.hold_out.is_some() { "hold-out" } else { "cross-fit" };
            let why = "the model learns from scores of all rows out of fold, once";
            return Err(Error::Contradicting { setting: "fast", other, why });
        }
        if self.fast == Some(true) && self.single == Some(true) {
            let why = "keeps a member of the blend, where fast keeps a model that learned from all of them";
            return Err(Error::Contradicting { setting: "fast", other: "single", why });
        }
        self.check_labeling()?;
        if self.prior.is_some() && self.prior_in_unlabeled.is_some() {
            let (setting, other) = ("prior", "prior-in-unlabeled");
            return Err(Error::Contradicting { setting, other, why: "each follows from the other" });
        }
        self.check_ranges()
    }

    /// Refuses what does not go with labels that depend on columns.
    fn check_labeling(&self) -> Result<(), Error> {
        if self.labeling_depends_on.is_empty() {
            return Ok(());
        }
        let because = |other, why| Err(Error::Contradicting { setting: "labeling-depends-on", other, why });
        if self.labeling.is_some() {
            return because("labeling", "each says how labels were given");
        }
        if self.reserve.is_some() {
            return because(
                "reserve",
                "positives that are set aside promise a recall for labels like theirs alone",
            );
        }
        if self.threshold.is_some_and(|rule| rule != ThresholdRule::Half) {
            return because("threshold", "labeled rows are weighted, and that rule takes no weights");
        }
        if self.scenario == Some(Scenario::CaseControl) {
            return because("scenario", "a chance of being labeled is that of rows of one sample");
        }
        Ok(())
    }

    /// Refuses numbers out of range.
    pub(crate) fn check_ranges(&self) -> Result<(), Error> {
        SETTINGS.iter().try_for_each(|setting| setting.check_range(self))
    }

    /// What the method takes, for those who read data for it: numbers as they are, counts of words, few terms.
    pub fn reading(&self, options: &mut InputOptions) -> Result<(), Error> {
        match self.method()? {
            Method::Auto | Method::Objective(_) => {
                options.max_terms = options.max_terms.or(Some(DENSE_TERMS));
            }
            Method::System(_) if self.model.is_some() => {
                options.max_terms = options.max_terms.or(Some(DENSE_TERMS));
            }
            Method::System(info) => {
                if info.as_is {
                    options.scaling = Scaling::AsIs;
                }
                if info.needs_counts {
                    options.features = options.features.or(Some(Weighting::Counts));
                }
            }
        }
        Ok(())
    }

    /// The scorer that all of this means for a data set.
    pub fn scorer(&self, data: &Dataset) -> Result<Box<dyn Scorer>, Error> {
        self.check(data.encoding().shape().is_some())?;
        match self.method()? {
            Method::Auto => Ok(Box::new(Portfolio::new(data, self)?)),
            Method::Objective(method) => self.objective_scorer(ObjectiveChoice::Named(method), data),
            Method::System(info) if self.model.is_some() => self.two_stage(info.name, data),
            Method::System(info) => Ok(Box::new(ClassicScorer::with_options(info, &self.option)?)),
        }
    }

    /// The same for the network that tells the share of positives in pictures where a teacher is set: with fewer epochs, and
    /// nothing to resume from. `None` without a teacher, and for other rows, where it was not measured.
    pub fn taught_prior(&self, data: &Dataset) -> Option<Self> {
        let Some(Teaching::On(_)) = self.train.teacher else { return None };
        data.encoding().shape()?;
        let epochs = Some(self.train.epochs.unwrap_or(EPOCHS_FOR_PRIOR).min(EPOCHS_FOR_PRIOR));
        let train = TrainOverrides { epochs, ..self.train.clone() };
        Some(Self { train, checkpoint: None, ..self.clone() })
    }

    /// The scorer of an objective under the model, options and training that are set.
    pub fn objective_scorer(
        &self,
        objective: ObjectiveChoice,
        data: &Dataset,
    ) -> Result<Box<dyn Scorer>, Error> {
        let options = self.options();
        // Convolutions need some pixels to look at.
        let large_enough = data.encoding().shape().is_some_and(|shape| shape.height >= 4 && shape.width >= 4);
        Ok(match self.model_for(large_enough) {
            ModelChoice::Network(architecture) => Box::new(NetworkScorer {
                objective,
                options,
                reduction: self.reduction,
                architecture,
                train: self.train.clone().into(),
                start_bias: None,
                checkpoint: self.checkpoint.clone(),
                device: None,
            }),
            ModelChoice::Trees => Box::new(TreesScorer {
                objective,
                options,
                reduction: self.reduction,
                config: self.trees_config(data)?,
                prior_factor: 1.0,
            }),
            ModelChoice::Forest => Box::new(LabelTreesScorer::forest(data)),
            ModelChoice::ExtraTrees => Box::new(LabelTreesScorer::extra_trees(data)),
            ModelChoice::BaggedTrees => {
                Box::new(LabelTreesScorer::bagged(data, "naive", self.monotone.directions(data)?))
            }
        })
    }

    /// A classic system of two stages with trees as its model.
    fn two_stage(&self, system: &'static str, data: &Dataset) -> Result<Box<dyn Scorer>, Error> {
        match ElkanNotoTrees::of_system(system, self.trees_config(data)?) {
            Some(scorer) => Ok(Box::new(scorer)),
            None => Ok(Box::new(LabelTreesScorer::bagged(data, system, self.monotone.directions(data)?))),
        }
    }

    /// How boosted trees are grown.
    fn trees_config(&self, data: &Dataset) -> Result<TreesConfig, Error> {
        let default = TreesScorer::default_config();
        // Of fewer than 200 rows, leaves of 20 would leave nothing to cut.
        let min_child_rows = default.min_child_rows.min((data.len() / SMALLEST_LEAF).max(2));
        Ok(TreesConfig { monotone: self.monotone.directions(data)?, min_child_rows, ..default })
    }

    /// The options of an objective.
    pub fn options(&self) -> Options {
        let default = Options::default();
        Options {
            reduction: self.reduction.unwrap_or(default.reduction),
            surrogate: self.surrogate.unwrap_or(default.surrogate),
            beta: self.beta.unwrap_or(default.beta),
            gamma: self.gamma.unwrap_or(default.gamma),
            smoothing: self.smoothing.unwrap_or(default.smoothing),
        }
    }
}

// Ranges are in the list of settings, which the fields of this type do not know.
impl TrainOverrides {
    /// Refuses what no training can use, before any work is done.
    pub fn check(&self) -> Result<(), Error> {
        Config { train: self.clone(), ..Config::default() }.check_ranges()
    }
}

/// What was given, by name, as text.
impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let given: BTreeMap<&str, String> =
            SETTINGS.iter().filter_map(|setting| Some((setting.name, (setting.get)(self)?))).collect();
        given.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut config = Config::default();
        for (name, value) in BTreeMap::<String, serde_json::Value>::deserialize(from)? {
            let text = match value {
                serde_json::Value::String(text) => text,
                other => other.to_string(),
            };
            config.set(&name, &text).map_err(D::Error::custom)?;
        }
        Ok(config)
    }
}
