//! One definition per setting: its name, what it takes, what it does, how it is read, and what it is for.
//!
//! Flags of the command line, keys of specs and arguments of other languages are made from this list.

use crate::config::{share, unknown_share};
use crate::{Config, Error, Method, ModelChoice};
use std::fmt::Display;
use std::str::FromStr;

/// One setting.
#[derive(Clone, Copy, Debug)]
pub struct SettingInfo {
    /// Its name: `learning-rate`.
    pub name: &'static str,
    /// What it takes, in a word.
    pub value: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// What it is for.
    pub applies: Applies,
    /// Whether it may be given several times.
    pub repeated: bool,
    /// Where a number must lie.
    pub range: Option<SettingRange>,
    /// Reads a value.
    pub set: fn(&mut Config, &str) -> Result<(), Error>,
    /// The value as text, where one was given.
    pub get: fn(&Config) -> Option<String>,
}

/// Where the number of a setting must lie.
#[derive(Clone, Copy, Debug)]
pub struct SettingRange {
    /// What the number is, in words.
    pub what: &'static str,
    /// The range, in words.
    pub words: &'static str,
    /// Whether a number lies there.
    pub holds: fn(f64) -> bool,
    /// The number, where one was given.
    pub number: fn(&Config) -> Option<f64>,
}

/// What a setting is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applies {
    /// Every method and model.
    Everywhere,
    /// Methods that learn from positives and unlabeled rows.
    Unlabeled,
    /// Methods that can be given a model, and models that they can be given.
    Models,
    /// Trees that can hold a score to going up or down with a column, and `auto`, which tries them.
    Monotone,
    /// Objectives that read the option of this name.
    Reading,
    /// Networks, which are trained by batches.
    Networks,
    /// Networks on pictures.
    Pictures,
    /// Classic systems.
    Systems,
    /// `auto`, which tries several.
    Auto,
}

impl Applies {
    /// As an error says it.
    pub fn words(self) -> &'static str {
        match self {
            Applies::Everywhere => "for every method",
            Applies::Unlabeled => "for methods that learn from unlabeled rows",
            Applies::Models => "for methods that train a network or trees",
            Applies::Monotone => "for boosted trees on tables",
            Applies::Reading => "an option of other losses",
            Applies::Networks => "for networks, which are trained by batches",
            Applies::Pictures => "for networks on pictures",
            Applies::Systems => "for classic systems",
            Applies::Auto => "for the method auto",
        }
    }
}

impl SettingInfo {
    /// Whether a method with a model has a use for it.
    pub fn is_for(&self, method: Method, model: &ModelChoice, pictures: bool) -> bool {
        let network = matches!(model, ModelChoice::Network(_));
        match (self.applies, method) {
            (Applies::Everywhere, _) => true,
            (Applies::Unlabeled, method) => !method.needs_truth(),
            (Applies::Systems, Method::System(_)) => network,
            (Applies::Auto, Method::Auto) => true,
            (Applies::Models, Method::Auto) => false,
            (Applies::Models, method) => method.cannot_take(model).is_none(),
            (Applies::Monotone, Method::Auto) => !pictures,
            (Applies::Monotone, Method::Objective(_) | Method::System(_)) => model.is_monotone() && !pictures,
            (Applies::Reading, Method::Objective(method)) => method.reads.contains(&self.name),
            (Applies::Networks, Method::Objective(_)) => network,
            (Applies::Pictures, Method::Objective(_)) => network && pictures,
            _ => false,
        }
    }

    /// Refuses a number out of range.
    pub(crate) fn check_range(&self, config: &Config) -> Result<(), Error> {
        let Some(SettingRange { what, words, holds, number }) = self.range else { return Ok(()) };
        match number(config) {
            Some(value) if !holds(value) => {
                Err(Error::Setting { setting: self.name, what, range: words, value })
            }
            _ => Ok(()),
        }
    }

    /// Whether it is the model, and not the method, that has no use for it.
    pub(crate) fn by_model(&self) -> bool {
        matches!(self.applies, Applies::Networks | Applies::Pictures | Applies::Monotone)
    }
}

fn parse<T: FromStr<Err: Into<Error>>>(to: &mut Option<T>, text: &str) -> Result<(), Error> {
    *to = Some(text.parse().map_err(Into::into)?);
    Ok(())
}

fn number<T: FromStr>(to: &mut Option<T>, what: &'static str, text: &str) -> Result<(), Error> {
    let known = if std::any::type_name::<T>() == "f64" { "a number" } else { "a whole number" };
    let unknown = |_| Error::Unknown { what, found: text.to_string(), known: known.to_string() };
    *to = Some(text.parse().map_err(unknown)?);
    Ok(())
}

fn shown<T: Display>(of: &Option<T>) -> Option<String> {
    of.as_ref().map(ToString::to_string)
}

type Set = fn(&mut Config, &str) -> Result<(), Error>;
type Get = fn(&Config) -> Option<String>;

const fn entry(
    name: &'static str,
    value: &'static str,
    applies: Applies,
    help: &'static str,
    set: Set,
    get: Get,
) -> SettingInfo {
    SettingInfo { name, value, help, applies, repeated: false, range: None, set, get }
}

fn switch(to: &mut Option<bool>, what: &'static str, text: &str) -> Result<(), Error> {
    *to = match text {
        "true" | "" => Some(true),
        "false" => None,
        other => {
            let known = "true or false".to_string();
            return Err(Error::Unknown { what, found: other.to_string(), known });
        }
    };
    Ok(())
}

/// A setting whose type reads its own text, a number, or a switch.
macro_rules! setting {
    ($name:literal, $value:literal, $applies:ident, $($field:ident).+, $help:literal) => {
        entry(
            $name,
            $value,
            Applies::$applies,
            $help,
            |config, text| parse(&mut config.$($field).+, text),
            |config| shown(&config.$($field).+),
        )
    };
    ($name:literal, switch $what:literal, $applies:ident, $($field:ident).+, $help:literal) => {
        entry(
            $name,
            "",
            Applies::$applies,
            $help,
            |config, text| switch(&mut config.$($field).+, $what, text),
            |config| shown(&config.$($field).+.filter(|&on| on)),
        )
    };
    ($name:literal, number $value:literal, $applies:ident, $($field:ident).+, $help:literal) => {
        entry(
            $name,
            $value,
            Applies::$applies,
            $help,
            |config, text| number(&mut config.$($field).+, $name, text),
            |config| shown(&config.$($field).+),
        )
    };
    ($name:literal, number $value:literal, $applies:ident, $($field:ident).+, $help:literal, $what:literal: $words:literal, $holds:expr) => {
        SettingInfo {
            range: Some(SettingRange {
                what: $what,
                words: $words,
                holds: $holds,
                number: |config| config.$($field).+.map(|number| number as f64),
            }),
            ..setting!($name, number $value, $applies, $($field).+, $help)
        }
    };
}

/// Every setting, in the order that help lists them.
pub const SETTINGS: &[SettingInfo] = &[
    entry(
        "method",
        "NAME",
        Applies::Everywhere,
        "The learning method; see 'onesided methods' [default: auto; collective if you set a loss, a model or a training option]",
        |config, text| {
            Method::find(text)?;
            config.method = Some(text.to_string());
            Ok(())
        },
        |config| config.method.clone(),
    ),
    setting!(
        "model",
        "NAME",
        Models,
        model,
        "The model: linear, mlp, cnn, vgg16, resnet18, wide-resnet, trees, forest, extra-trees, bagged-trees, or a network with its layers, such as mlp:300x5:softsign [default: mlp; cnn for pictures]"
    ),
    setting!(
        "effort",
        "NAME",
        Auto,
        effort,
        "For auto: how long to search: quick, normal or thorough; next to normal, quick takes about a fifth of the time to fit and a fourth to predict, thorough three times as long for both [default: normal]"
    ),
    setting!(
        "single",
        switch "value of single",
        Auto,
        single,
        "For auto: keep the single best model instead of a blend"
    ),
    setting!(
        "fast",
        switch "value of fast",
        Auto,
        fast,
        "For auto on tables: keep boosted trees that learned the blend's scores; fit says what that costs in AUC"
    ),
    SettingInfo {
        repeated: true,
        ..entry(
            "monotone",
            "COLUMN:up|down",
            Applies::Monotone,
            "For trees: force the score to rise (up) or fall (down) with a numeric column, such as age:up,income:down",
            |config, text| Ok(config.monotone.add(text)?),
            |config| (!config.monotone.is_empty()).then(|| config.monotone.to_string()),
        )
    },
    SettingInfo {
        repeated: true,
        ..entry(
            "option",
            "NAME=VALUE",
            Applies::Systems,
            "Set an option of a classic method, such as cost=0.1; 'onesided methods NAME' lists them",
            |config, text| {
                let Some((name, value)) = text.split_once('=') else {
                    let known = "NAME=VALUE, such as cost=0.1".to_string();
                    return Err(Error::Unknown { what: "option", found: text.to_string(), known });
                };
                config.option.push((name.trim().to_string(), value.trim().to_string()));
                Ok(())
            },
            |config| {
                let pairs: Vec<String> =
                    config.option.iter().map(|(name, value)| format!("{name}={value}")).collect();
                (!pairs.is_empty()).then(|| pairs.join(";"))
            },
        )
    },
    setting!(
        "prior",
        "SHARE",
        Everywhere,
        prior,
        "The share of positives in the population, or auto to estimate it [default: auto if the method needs it]"
    ),
    entry(
        "prior-in-unlabeled",
        "SHARE",
        Applies::Unlabeled,
        "The share of positives among the unlabeled rows",
        |config, text| {
            let share = share(text).ok_or_else(|| unknown_share("prior-in-unlabeled", text, "a number"))?;
            config.prior_in_unlabeled = Some(onesided_data::PriorInUnlabeled::new(share)?);
            Ok(())
        },
        |config| config.prior_in_unlabeled.map(|mu| mu.get().to_string()),
    ),
    setting!(
        "scenario",
        "NAME",
        Unlabeled,
        scenario,
        "How the data were sampled: single-sample or case-control [default: single-sample for one file or folder, case-control for two]"
    ),
    entry(
        "reduction",
        "NAME",
        Applies::Reading,
        "For collective: how the loss is averaged: auto, sample-mean, sum-of-means or prior-weighted [default: auto]",
        |config, text| match text {
            "auto" => {
                config.reduction = None;
                Ok(())
            }
            named => parse(&mut config.reduction, named),
        },
        |config| shown(&config.reduction),
    ),
    setting!(
        "surrogate",
        "NAME",
        Reading,
        surrogate,
        "For upu, nnpu and imbalanced-nnpu: the surrogate loss: sigmoid, logistic, squared or double-hinge [default: sigmoid]"
    ),
    setting!(
        "beta",
        number "NUMBER",
        Reading,
        beta,
        "For nnpu, imbalanced-nnpu and pusb: how far the negative risk may fall below 0 before it is corrected [default: 0]"
    ),
    setting!(
        "gamma",
        number "NUMBER",
        Reading,
        gamma,
        "For nnpu, imbalanced-nnpu and pusb: the step size of that correction, from 0 to 1 [default: 1]"
    ),
    setting!(
        "smoothing",
        number "NUMBER",
        Reading,
        smoothing,
        "For collective: how much to smooth the kink of the loss; 0 is the published loss [default: 0]"
    ),
    setting!(
        "epochs",
        number "N",
        Networks,
        train.epochs,
        "The maximum number of passes over the data [default: depends on its size]",
        "number of epochs": "at least 1", |epochs| epochs >= 1.0
    ),
    setting!(
        "batch",
        number "N",
        Networks,
        train.batch,
        "Rows per batch [default: depends on the size of the data]",
        "batch size": "at least 2, one positive and one unlabeled row", |rows| rows >= 2.0
    ),
    setting!(
        "learning-rate",
        number "NUMBER",
        Networks,
        train.learning_rate,
        "The initial learning rate [default: depends on the network]",
        "learning rate": "a positive number", |rate| rate > 0.0 && rate.is_finite()
    ),
    setting!(
        "optimizer",
        "NAME",
        Networks,
        train.optimizer,
        "The optimizer: nadam, adam, nadamw, adamw (both with decoupled weight decay) or sgd [default: nadam]"
    ),
    setting!(
        "schedule",
        "NAME",
        Networks,
        train.schedule,
        "The learning-rate schedule: cosine or constant [default: cosine]"
    ),
    setting!(
        "warm-up",
        number "EPOCHS",
        Networks,
        train.warm_up,
        "Epochs over which the learning rate ramps up [default: 0.5 for networks on pictures without a teacher, otherwise 0]",
        "warm-up": "0 or more epochs", |epochs| epochs >= 0.0 && epochs.is_finite()
    ),
    setting!(
        "weight-decay",
        number "NUMBER",
        Networks,
        train.weight_decay,
        "Weight decay [default: 0.0001]",
        "weight decay": "0 or a positive number", |decay| decay >= 0.0 && decay.is_finite()
    ),
    setting!(
        "patience",
        number "EPOCHS",
        Networks,
        train.patience,
        "Stop after this many epochs without a lower held-out risk [default: a fifth of the epochs, at least 5]",
        "patience": "at least 1 epoch", |epochs| epochs >= 1.0
    ),
    setting!(
        "augment",
        "NAME",
        Pictures,
        train.augment,
        "Augmentation of training pictures: none, crop (shifts of up to 4 pixels), flip (mirror images) or crop+flip [default: none]"
    ),
    setting!(
        "teacher",
        "on|off",
        Networks,
        train.teacher,
        "For few labels: train with a mean teacher on augmented pictures, or on rows with some numbers or words dropped: on, off, or values such as weight=8,ramp=10,strength=0.5 [default: on for color pictures with at most 10,000 labels and vgg16, resnet18 or wide-resnet on a GPU]"
    ),
    setting!(
        "mixup",
        "on|off",
        Networks,
        train.mixup,
        "Mixup regularization, as in VPU: on, off, or values such as weight=0.3,alpha=0.3 [default: off]"
    ),
    setting!(
        "average",
        number "RATE",
        Networks,
        train.average,
        "Use an exponential moving average of the weights with this decay, such as 0.99 [default: the last weights]",
        "average": "0 or above and below 1", |rate| (0.0..1.0).contains(&rate)
    ),
    entry(
        "checkpoint",
        "FILE",
        Applies::Networks,
        "Save progress to FILE each epoch and resume from it (implies the method collective)",
        |config, text| {
            config.checkpoint = Some(text.into());
            Ok(())
        },
        |config| config.checkpoint.as_ref().map(|path| path.display().to_string()),
    ),
    setting!(
        "hold-out",
        number "SHARE",
        Everywhere,
        hold_out,
        "The share of rows held out to select, calibrate and evaluate the model [default: a fifth; small data are cross-fitted]",
        "share held out": "strictly between 0 and 1", |share| share > 0.0 && share < 1.0
    ),
    setting!(
        "cross-fit",
        switch "value of cross-fit",
        Everywhere,
        cross_fit,
        "Hold out each fifth of the rows in turn, then train on all, so that predict can rank this table by out-of-fold scores [default: auto and small data do; with auto, this adds folds that keep all positives]"
    ),
    setting!(
        "labeling",
        "NAME",
        Unlabeled,
        labeling,
        "How positives were labeled: random, or easy-first, the likelier ones rather: rows are then ranked and cut at the share of positives, without probabilities [default: random]"
    ),
    SettingInfo {
        repeated: true,
        ..entry(
            "labeling-depends-on",
            "COLUMN",
            Applies::Unlabeled,
            "Columns that decide which positives were labeled, such as age or age,region; labeled rows are weighted by that if it says better which rows are labeled",
            |config, text| Ok(config.labeling_depends_on.add(text)?),
            |config| (!config.labeling_depends_on.is_empty()).then(|| config.labeling_depends_on.to_string()),
        )
    },
    setting!(
        "reserve",
        "SHARE|N",
        Everywhere,
        reserve,
        "Positives to set aside before anything else, as a share or a count; predict and evaluate then say how many rows to review [default: none]"
    ),
    setting!(
        "threshold",
        "RULE",
        Everywhere,
        threshold,
        "The decision threshold: half (0.5), quantile or max-pu-accuracy [default: quantile for pusb, otherwise half]"
    ),
    setting!("seed", number "N", Everywhere, seed, "The random seed [default: 0]"),
    setting!("threads", number "N", Everywhere, threads, "Threads to use; 0 means all [default: 0]"),
    setting!(
        "device",
        "NAME",
        Everywhere,
        device,
        "Where to train: auto (a GPU if it is faster), cpu, cuda or cuda:N [default: auto]"
    ),
    setting!(
        "precision",
        "NAME",
        Everywhere,
        precision,
        "Precision on a GPU: bf16, or f32 for checking [default: bf16]"
    ),
];
