//! One pipeline from positive and unlabeled data to a fitted, calibrated scorer.
//!
//! A [`Scorer`] learns a score from rows: a network or boosted trees under an objective, a classic system, or one of your
//! own. [`learn()`] holds rows out, trains its candidates, chooses, calibrates and measures, whatever the scorer is; the
//! prior is estimated from the scores of the same scorers ([`prior`]). A [`Config`] holds every setting by name: flags of
//! the command line, keys of experiments and arguments of other languages are views of it.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod config;
mod criterion;
mod depends_on;
mod early_stopping;
mod error;
mod fitted;
mod folds;
mod jobs;
pub mod labeling;
mod methods;
mod monotone;
mod pipeline;
mod portfolio;
pub mod prior;
mod prior_report;
mod progress;
mod quantile_alignment;
mod report;
mod reserve;
mod scorer;
pub mod scorers;
mod settings;
mod task;
mod teacher_rule;
mod train_overrides;
mod views;
mod warning;
mod who_labels;

pub use config::{Config, ModelChoice, PriorGiven};
pub use criterion::held_out_risk;
pub use depends_on::{DependsOn, DependsOnError};
pub use error::Error;
pub use fitted::{CERTAIN, Fitted, LinkedTrees, Member, NEXT_TO_NOTHING, OwnModel, tree_scores};
pub use jobs::run_jobs;
pub use methods::{Gives, Method, methods};
pub use monotone::{Direction, Monotone, MonotoneError};
pub use pipeline::{Learned, check, learn};
pub use portfolio::{Effort, Portfolio, PortfolioMember};
pub use progress::{At, Observer, Progress, Signal};
pub use report::{Beside, Epoch, Report, Tried};
pub use reserve::Reserve;
pub use scorer::{
    Blend, Candidate, History, Info, OwnScorer, Policy, RunNumber, ScoreScale, Scorer, Subset, TrainedScorer,
    Trainer, Wants,
};
pub use settings::{Applies, SETTINGS, SettingInfo, SettingRange};
pub use task::{Kinds, Machine, Priors, Task};
pub use teacher_rule::TAUGHT_BY_RULE;
pub use train_overrides::{TrainOverrides, Training};
pub use views::Views;
pub use warning::Warning;
pub use who_labels::{Dependence, Labeling, WhoLabels};

pub(crate) use scorers::{classic_kind, sum_of_some};
