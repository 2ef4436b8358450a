//! What a spec may choose for a run, at every level: for all runs, a data set, a method, or a pair of them.

use crate::ExperimentError;
use crate::bias::Bias;
use onesided_data::{Scenario, unknown_name};
use onesided_eval::ThresholdRule;
use onesided_learn::{Config, Method, ModelChoice};
use onesided_loss::Options;
use onesided_net::Mix;
use onesided_net::{Architecture, TrainConfig};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident: $type:ty $(= $setting:literal)?;)+) => {
        /// Choices of one level; what is left open is decided by the levels below it, and at last by a default.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Choices {
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $name: Option<$type>,)+
        }

        impl Choices {
            /// These choices, with those of `below` where they leave one open.
            pub fn merge(&self, below: &Choices) -> Choices {
                Choices { $($name: self.$name.clone().or_else(|| below.$name.clone()),)+ }
            }

            /// What is a setting of every fit, by the name it has there, as text.
            fn given(&self) -> Vec<(&'static str, String)> {
                let mut given = Vec::new();
                $($(given.extend(self.$name.as_ref().map(|value| ($setting, value.to_string())));)?)+
                given
            }
        }
    };
}

// Keys of a spec. Results are known by their choices in this order, so a new one comes last. A name behind `=` is the setting
// of every fit that the key stands for.
choices! {
    /// How texts become numbers: `glove` (word vectors, averaged) or `tfidf` (`tfidf:20000` keeps 20,000 terms).
    features: String;
    /// The network, by its name in the zoo.
    network: String = "model";
    /// `nadam`, `adam`, `nadamw`, `adamw` or `sgd`.
    optimizer: String = "optimizer";
    /// Size of the first steps.
    learning_rate: f64 = "learning-rate";
    /// `constant` or `cosine`.
    schedule: String = "schedule";
    /// Epochs over which the learning rate rises to its full size.
    warm_up: f64 = "warm-up";
    /// Passes over the unlabeled rows.
    epochs: usize = "epochs";
    /// Rows per step.
    batch: usize = "batch";
    /// L2 penalty.
    weight_decay: f64 = "weight-decay";
    /// `none`, `crop`, `flip`, `crop+flip`.
    augment: String = "augment";
    /// `on`, `off`, or numbers such as `weight=2,ramp=5`.
    teacher: String = "teacher";
    /// `on`, `off`, or numbers such as `weight=0.03,alpha=0.3`.
    mixup: String = "mixup";
    /// The rate of a moving average of the weights, which is then what is kept.
    average: f64 = "average";
    /// The least share of positives in a batch; 0 takes the share they have in the data.
    share_of_positives: f64;
    /// The loss, or the classic system, by its name in the registry; the name of the method where it is left open.
    objective: String;
    /// Reduction of the collective loss.
    reduction: String = "reduction";
    /// Margin loss of the risks.
    surrogate: String = "surrogate";
    /// nnPU's β.
    beta: f64 = "beta";
    /// nnPU's γ.
    gamma: f64 = "gamma";
    /// Rounding of the kink of the collective loss.
    smoothing: f64 = "smoothing";
    /// The scenario that the risks are weighted for: `single-sample` or `case-control`.
    scenario: String = "scenario";
    /// The prior at which test rows are decided: `training` takes the sign of the score, `class` shifts it from the
    /// prior that the loss was trained at to that of the class first.
    decide_at: String;
    /// Where scores are cut: `half` takes their sign, `quantile` calls the share of unlabeled training rows positive that the
    /// method is told is positive. What is left open is the method's own rule.
    threshold: String = "threshold";
    /// What of a test image is scored: `plain`, or `mirror` for the mean of it and its mirror image.
    test_view: String;
    /// Leaves these runs out: what a method cannot do is said in the spec, not found out.
    skip: bool;
    /// Share of positives and of unlabeled rows kept from training, on which the accuracy is estimated without
    /// negatives; 0 trains on all rows.
    hold_out: f64;
    /// Which positives are labeled rather than others: `none`, `likely`, `boundary` or `top`; see [`Bias`].
    bias: String;
    /// Which rows are unlabeled: `rest` (all that are not labeled: one sample), `all` (the labeled ones once more among
    /// them: two samples, whose scenario is `case-control`) or a number such as `40000`: so many of the rest, with as large a
    /// share of positives as the class has in the whole set.
    unlabeled: String;
    /// Whether methods are told the share of positives among the unlabeled rows (`given`) or an estimate of it that is
    /// made from the rows of the run alone (`estimated`), as the command `prior` makes it.
    prior: String;
}

impl Choices {
    /// Settings of every fit: what a value means is said in one place.
    fn config(&self) -> Result<Config, String> {
        let mut config = Config::default();
        for (name, value) in self.given() {
            config.set(name, &value).map_err(|error| error.to_string())?;
        }
        if self.reduction.is_some() && config.reduction.is_none() {
            return Err("a run has one reduction, so that 'auto' is none; name it".into());
        }
        Ok(config)
    }

    /// Every choice made and checked, or the one that cannot be.
    pub fn resolve(&self, method: &str) -> Result<Settings, String> {
        fn parsed<T: FromStr<Err = String>>(text: &Option<String>, default: T) -> Result<T, String> {
            text.as_ref().map_or(Ok(default), |text| text.parse())
        }
        fn within(what: &str, value: f64, range: std::ops::RangeInclusive<f64>) -> Result<f64, String> {
            if range.contains(&value) {
                Ok(value)
            } else {
                Err(format!("{what} must lie in [{}, {}], but is {value}", range.start(), range.end()))
            }
        }
        let config = self.config()?;
        let ModelChoice::Network(network) = config.model_for(false) else {
            return Err("an objective is trained with a network here; name one".into());
        };
        let unlabeled = parsed(&self.unlabeled, UnlabeledRows::Rest)?;
        let scenario = match (unlabeled, self.scenario.is_some()) {
            (UnlabeledRows::All, false) => Scenario::CaseControl,
            _ => config.scenario(),
        };
        if unlabeled == UnlabeledRows::All && scenario != Scenario::CaseControl {
            return Err(
                "with unlabeled = \"all\" the rows are two samples, and the scenario is case-control".into(),
            );
        }
        let objective = self.objective.clone().unwrap_or_else(|| method.to_string());
        let threshold = config.threshold_for(&objective);
        if !matches!(threshold, ThresholdRule::Half | ThresholdRule::Quantile) {
            return Err(format!("the threshold of a run is half or quantile, not {threshold}"));
        }
        let least = within("share_of_positives", self.share_of_positives.unwrap_or(0.0), 0.0..=0.9)?;
        Ok(Settings {
            features: parsed(&self.features, TextForm::Tfidf { terms: TERMS })?,
            network,
            objective,
            options: config.options(),
            scenario,
            decide_at: parsed(&self.decide_at, DecideAt::Training)?,
            threshold,
            mirror: match self.test_view.as_deref() {
                None | Some("plain") => false,
                Some("mirror") => true,
                Some(other) => return Err(unknown_name("test_view", other, &["plain", "mirror"])),
            },
            skip: self.skip.unwrap_or(false),
            hold_out: within("hold_out", self.hold_out.unwrap_or(0.0), 0.0..=0.9)?,
            bias: self.bias.as_deref().map_or(Ok(None), Bias::parse)?,
            unlabeled,
            prior: parsed(&self.prior, PriorSource::Given)?,
            config: config.train.apply_to(TrainConfig {
                mix: if least > 0.0 { Mix::AtLeast(least) } else { Mix::Proportional },
                // Test accuracy is that of the last epoch.
                keep_best: false,
                ..TrainConfig::default()
            }),
        })
    }
}

/// Why a classic system cannot have labeled rows among the unlabeled ones.
const ONCE: &str = "a system sees each row once; leave it out where unlabeled = \"all\", with skip = true";

/// Why a classic system has no other threshold.
const OWN: &str = "a system decides at its own threshold; leave threshold out";

/// Terms that `tfidf` keeps.
const TERMS: usize = 10_000;

/// How texts become rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextForm {
    /// The mean of the vectors of a text's words.
    Glove,
    /// Term frequency times inverse document frequency, of the most frequent terms.
    Tfidf {
        /// How many terms.
        terms: usize,
    },
}

impl fmt::Display for TextForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextForm::Glove => f.write_str("glove"),
            TextForm::Tfidf { terms } => write!(f, "tfidf:{terms}"),
        }
    }
}

impl FromStr for TextForm {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || unknown_name("features", text, &["glove", "tfidf", "tfidf:TERMS"]);
        match text {
            "glove" => Ok(TextForm::Glove),
            "tfidf" => Ok(TextForm::Tfidf { terms: TERMS }),
            _ => {
                let terms = text.strip_prefix("tfidf:").and_then(|terms| terms.parse().ok());
                let terms = terms.filter(|terms| (1..=1_000_000).contains(terms)).ok_or_else(unknown)?;
                Ok(TextForm::Tfidf { terms })
            }
        }
    }
}

/// The prior at which test rows are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecideAt {
    /// That of training: the sign of the score.
    Training,
    /// That of the class.
    Class,
}

impl FromStr for DecideAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "training" => Ok(DecideAt::Training),
            "class" => Ok(DecideAt::Class),
            _ => Err(unknown_name("prior to decide at", text, &["training", "class"])),
        }
    }
}

/// Which rows of a run are unlabeled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnlabeledRows {
    /// Those that are not labeled: all rows are one sample.
    Rest,
    /// All rows, the labeled ones once more: labeled and unlabeled rows are two samples.
    All,
    /// So many of those that are not labeled, with the class's own share of positives.
    Drawn(usize),
}

impl FromStr for UnlabeledRows {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "rest" => Ok(UnlabeledRows::Rest),
            "all" => Ok(UnlabeledRows::All),
            number => match number.parse() {
                Ok(count) if count > 1 => Ok(UnlabeledRows::Drawn(count)),
                _ => Err(unknown_name("choice of unlabeled rows", text, &["rest", "all", "40000"])),
            },
        }
    }
}

/// Where the share of positives comes from that methods are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriorSource {
    /// It is the true one, or off by what the spec says.
    Given,
    /// It is estimated from the rows to train on.
    Estimated,
}

impl FromStr for PriorSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "given" => Ok(PriorSource::Given),
            "estimated" => Ok(PriorSource::Estimated),
            _ => Err(unknown_name("source of the prior", text, &["given", "estimated"])),
        }
    }
}

/// All that a run needs to know besides its data, split and seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How texts become rows.
    pub features: TextForm,
    /// The network.
    pub network: Architecture,
    /// The loss, by name.
    pub objective: String,
    /// Its options.
    pub options: Options,
    /// The scenario that it is weighted for.
    pub scenario: Scenario,
    /// The prior to decide at.
    pub decide_at: DecideAt,
    /// Where scores are cut.
    pub threshold: ThresholdRule,
    /// Whether test images are also scored mirrored.
    pub mirror: bool,
    /// Whether the run is left out.
    pub skip: bool,
    /// Share kept from training.
    pub hold_out: f64,
    /// Which positives are labeled rather than others; none where chance alone decides.
    pub bias: Option<Bias>,
    /// Which rows are unlabeled.
    pub unlabeled: UnlabeledRows,
    /// Where the prior comes from that methods are told.
    pub prior: PriorSource,
    /// How to train; seed, device and threads are put in when the run begins.
    pub config: TrainConfig,
}

impl Settings {
    /// What learns: an objective with the network, a classic system, or what `auto` tries.
    pub fn method(&self) -> Result<Method, ExperimentError> {
        Ok(Method::find(&self.objective)?)
    }

    /// Whether the network of these settings learns, rather than a classic system or what `auto` tries.
    pub fn trains_network(&self) -> bool {
        matches!(self.method(), Ok(Method::Objective(_)))
    }

    /// Whether every label is seen.
    pub(crate) fn needs_truth(&self) -> bool {
        self.method().is_ok_and(Method::needs_truth)
    }

    /// Refuses what can be seen to be wrong before any data are read.
    pub(crate) fn check(&self) -> Result<(), ExperimentError> {
        let Method::Objective(method) = self.method()? else {
            if self.unlabeled == UnlabeledRows::All {
                let (file, detail) = (self.objective.clone(), ONCE.to_string());
                return Err(ExperimentError::Spec { file, detail });
            }
            if self.threshold != ThresholdRule::Half {
                let (file, detail) = (self.objective.clone(), OWN.to_string());
                return Err(ExperimentError::Spec { file, detail });
            }
            return Ok(());
        };
        if self.threshold != ThresholdRule::Half && method.needs_truth {
            let detail = "it is told no share to cut at; leave threshold out".to_string();
            return Err(ExperimentError::Spec { file: self.objective.clone(), detail });
        }
        self.config.check()?;
        let sampling = onesided_loss::Sampling::SingleSample { labeled_share: 0.5 };
        method.build(&onesided_loss::Setting { prior_in_unlabeled: 0.5, sampling }, &self.options)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_level_wins_where_it_says_something() {
        let below = Choices { epochs: Some(10), network: Some("vgg16".into()), ..Choices::default() };
        let above = Choices { epochs: Some(3), ..Choices::default() };
        let both = above.merge(&below);
        assert_eq!((both.epochs, both.network.as_deref()), (Some(3), Some("vgg16")));
        let settings = both.resolve("nnpu").unwrap();
        assert_eq!((settings.config.epochs, settings.objective.as_str()), (3, "nnpu"));
        assert_eq!(settings.network, Architecture::Vgg16 { batch_norm: true });
    }

    /// A choice that a spec makes and that then changes nothing would go unnoticed: every key must reach the settings.
    #[test]
    fn every_choice_reaches_the_settings() {
        let all = r#"{
            "features": "glove", "network": "linear", "optimizer": "sgd", "learning_rate": 0.5, "schedule": "constant",
            "warm_up": 2.5, "epochs": 3, "batch": 17, "weight_decay": 0.25, "augment": "flip", "teacher": "weight=2",
            "mixup": "weight=2", "average": 0.75, "share_of_positives": 0.125, "objective": "upu",
            "reduction": "prior-weighted",
            "surrogate": "squared", "beta": 0.5, "gamma": 0.25, "smoothing": 0.125, "scenario": "case-control",
            "decide_at": "class", "threshold": "quantile", "test_view": "mirror", "skip": true, "hold_out": 0.2, "bias": "top",
            "unlabeled": "all", "prior": "estimated"
        }"#;
        let all: serde_json::Map<String, serde_json::Value> = serde_json::from_str(all).unwrap();
        let full: Choices = serde_json::from_value(all.clone().into()).unwrap();
        // One that is missing above is missing here, too, and so is one that `merge` forgets.
        assert_eq!(serde_json::to_value(full.merge(&Choices::default())).unwrap(), serde_json::json!(all));
        assert_eq!(serde_json::to_value(Choices::default().merge(&full)).unwrap(), serde_json::json!(all));
        let nothing = format!("{:?}", Choices::default());
        assert_eq!(nothing.matches("None").count(), all.len(), "{nothing}");
        let usual = Choices::default().resolve("nnpu").unwrap();
        for (key, value) in all {
            let only = serde_json::json!({ key.clone(): value });
            let one: Choices = serde_json::from_value(only).unwrap();
            assert_ne!(one.resolve("nnpu").unwrap(), usual, "'{key}' changes nothing");
        }
    }

    #[test]
    fn what_cannot_be_is_named() {
        let refused = |choices: Choices| choices.resolve("collective").unwrap_err();
        let network = refused(Choices { network: Some("resnet".into()), ..Choices::default() });
        assert!(network.contains("unknown model 'resnet'"), "{network}");
        let trees = refused(Choices { network: Some("trees".into()), ..Choices::default() });
        assert_eq!(trees, "an objective is trained with a network here; name one");
        let reduction = refused(Choices { reduction: Some("auto".into()), ..Choices::default() });
        assert!(reduction.contains("one reduction"), "{reduction}");
        let share = refused(Choices { hold_out: Some(1.5), ..Choices::default() });
        assert_eq!(share, "hold_out must lie in [0, 0.9], but is 1.5");
        let features = refused(Choices { features: Some("tfidf:0".into()), ..Choices::default() });
        assert!(features.contains("use glove, tfidf or tfidf:TERMS"), "{features}");
        let two = Choices { unlabeled: Some("all".into()), ..Choices::default() };
        assert_eq!(two.resolve("nnpu").unwrap().scenario, Scenario::CaseControl);
        let one = refused(Choices { scenario: Some("single-sample".into()), ..two.clone() });
        assert!(one.contains("the scenario is case-control"), "{one}");
        let system = two.resolve("weighted-lr").unwrap().check().unwrap_err().to_string();
        assert!(system.contains("a system sees each row once"), "{system}");
        let threshold = refused(Choices { threshold: Some("max-pu-accuracy".into()), ..Choices::default() });
        assert_eq!(threshold, "the threshold of a run is half or quantile, not max-pu-accuracy");
        let quantile = Choices { threshold: Some("quantile".into()), ..Choices::default() };
        for (method, why) in [("supervised", "told no share"), ("weighted-lr", "its own threshold")] {
            let refused = quantile.resolve(method).unwrap().check().unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
        let ranked = Choices::default().resolve("pusb").unwrap().threshold;
        let other = Choices { threshold: Some("half".into()), ..Choices::default() };
        assert_eq!(
            (ranked, other.resolve("pusb").unwrap().threshold),
            (ThresholdRule::Quantile, ThresholdRule::Half)
        );
        let prior = refused(Choices { prior: Some("guessed".into()), ..Choices::default() });
        assert!(prior.contains("unknown source of the prior 'guessed'"), "{prior}");
    }
}
