//! Learning classifiers from positive and unlabeled examples.
//!
//! Some rows are known to be positive; the rest are unlabeled, a mix of positives and negatives. There are no labeled
//! negatives. A [`Learner`] turns such data into a [`Model`] that scores new rows. Besides the rows it needs to know how
//! they were drawn (the [`Scenario`]) and the share of positives, which it estimates where you do not give it.
//!
//! # From a table to a ranked list
//!
//! ```
//! use onesided::{ClassPrior, Learner, Table};
//! # let folder = std::env::temp_dir().join(format!("onesided-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! # let (train, new) = (folder.join("train.csv"), folder.join("new.csv"));
//! # let row = |i: u32| format!("{},{},{}", if i % 3 == 0 { 4 } else { 0 } + i * 7 % 5, i % 4, u32::from(i % 6 == 0));
//! # let rows: Vec<String> = (0..300).map(row).collect();
//! # std::fs::write(&train, format!("a,b,y\n{}\n", rows.join("\n")))?;
//! # std::fs::write(&new, format!("a,b,y\n{}\n", rows[..30].join("\n")))?;
//!
//! let table = Table::at(&train).label("y");
//! let model = Learner::new().prior(ClassPrior::new(1.0 / 3.0)?).fit(&table)?; // estimated where you leave it out
//! for best in model.rank_file(&new)?.iter().take(3) {
//!     println!("row {} of the table: probability {:.3}", best.row + 1, best.probability); // rows count from 0
//! }
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # From rows in memory
//!
//! The built-in handwritten digits, even against odd, with 40 % of the even ones hidden among the rest:
//!
//! ```
//! use onesided::data::{Dataset, digits, hide};
//! use onesided::{ClassPrior, Learner};
//!
//! let digits = digits();
//! let even: Vec<bool> = digits.labels.iter().map(|digit| digit % 2 == 0).collect();
//! let prior = even.iter().filter(|&&even| even).count() as f64 / even.len() as f64;
//! let data = Dataset::from_scaled(digits.images, None)?.with_labels(hide(&even, 0.4, 0)?)?;
//!
//! let learner = Learner::new().prior(ClassPrior::new(prior)?).model("linear".parse()?).epochs(20);
//! let model = learner.fit(&data)?;
//!
//! let predicted = model.predict(&data)?;
//! let right = predicted.iter().zip(&even).filter(|(predicted, truth)| predicted == truth).count();
//! assert!(right as f64 > 0.8 * even.len() as f64);
//! println!("{}", model.about().report.choice());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Texts, and methods without a network
//!
//! Every method of [`methods`] is trained by the same learner. The classic ones (support vector machines, logistic
//! regression, naive Bayes) keep texts sparse, and linear models say which words carried a score:
//!
//! ```
//! use onesided::data::{Dataset, Label, TextOptions};
//! use onesided::{Learner, PriorInUnlabeled};
//!
//! let sports = ["the team won the game", "a late goal won the match", "the game went to the home team"];
//! let others = ["the bank raised its rates", "rates of the bank fell", "the team lost the late game"];
//! let texts: Vec<&str> = sports.iter().chain(&others).copied().cycle().take(300).collect();
//! let labels: Vec<Label> = (0..300).map(|i| if i % 6 < 3 { Label::Positive } else { Label::Unlabeled }).collect();
//! let data = Dataset::from_texts(&texts, &TextOptions::default())?.with_labels(labels)?;
//!
//! let learner = Learner::new().method("weighted-lr").prior_in_unlabeled(PriorInUnlabeled::new(1.0 / 3.0)?);
//! let model = learner.fit(&data)?;
//! let new = model.encoding().encode_texts(&["a goal of the home team", "the bank and its rates"])?;
//! assert_eq!(model.predict(&new)?, [true, false]);
//! let against = &model.explainer()?.row(&new, 1, 1)?[0];
//! assert!(["bank", "rates"].contains(&against.feature.as_str()) && against.value < 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # One loss in your own code
//!
//! Objectives know scores and nothing else, so they fit any training loop: score a batch, evaluate, send the gradient
//! back. See [`loss`] for a whole training run.
//!
//! ```
//! use onesided::loss::{Collective, Objective, Reduction};
//!
//! let objective = Collective::new(0.3, Reduction::PriorWeighted)?;
//! let (positive, unlabeled) = ([2.0, 0.5], [-1.0, 0.2, -3.0]); // scores of one batch
//! let (mut grad_p, mut grad_u) = ([0.0; 2], [0.0; 3]);
//! let value = objective.evaluate(&positive, &unlabeled, &mut grad_p, &mut grad_u);
//! assert!(value > 0.0 && grad_p.iter().all(|&g| g < 0.0));
//! # Ok::<(), onesided::loss::LossError>(())
//! ```
//!
//! The other way round, [`Learner::objective`] trains a loss of your own, [`Learner::model`] a network of your own layers,
//! and [`Learner::scorer`] anything that learns a score, all through the same pipeline.
//!
//! # Features
//!
//! | feature | adds | by default |
//! |---|---|---|
//! | `parquet` | Parquet, Arrow and Feather tables | yes |
//! | `sheets` | spreadsheets | yes |
//! | `pictures` | PNG and JPEG files | yes |
//! | `zstd` | what is packed with zstd; needs a C compiler | yes |
//! | `cuda` | networks on an NVIDIA GPU; the build needs no CUDA, since the driver's libraries are loaded when a GPU is first used | no |
//!
//! Without a format, its files are refused in a sentence that names the feature; CSV, TSV, JSON, texts and rows in memory are
//! always there. Whole programs are in the folder `examples` of this crate (`table`, `texts`, `pictures`, `own_loss`), and the
//! guides in the folder `docs` of the repository.
//!
//! # The crates behind this one
//!
//! [`data`] reads and encodes, [`loss`] holds the objectives, [`net`], [`classic`] and `onesided-trees` what they train,
//! [`learn`] the pipeline, [`prior`] the estimators of the share of positives, [`eval`] metrics and calibration. This
//! crate adds the model and its file.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod about;
mod agreement;
mod among;
mod answers;
mod audit;
mod audit_draw;
mod audit_file;
mod audit_key;
mod bound;
pub mod cluster;
mod explain;
mod file;
mod fit;
mod given;
mod importance;
mod in_cluster;
mod inverted;
mod known_rows;
mod labeling;
mod labels_by_answers;
mod large;
mod learner;
mod list;
mod model;
mod negatives;
mod prior_report;
mod review;
mod rows_file;
mod second_look;
mod shuffled;
mod stream;
mod summary;
mod table;
mod told;
mod undrawn;
mod verdict;
mod watch;
mod who_labels;

pub use onesided_classic as classic;
pub use onesided_data as data;
pub use onesided_eval as eval;
pub use onesided_learn as learn;
pub use onesided_learn::prior;
pub use onesided_loss as loss;
pub use onesided_net as net;

pub use about::{About, AtPrior};
pub use agreement::Agreement;
pub use among::Among;
pub use answers::Answered;
pub use audit::{Audit, AuditReport, AuditedRow};
pub use audit_draw::{AuditDraw, AuditRow, AuditSettings, ForecastBy};
pub use audit_file::AuditFile;
pub use bound::ModelBound;
pub use explain::{Contribution, Explainer};
pub use fit::{Fit, FitRows, Ready, RowsAre};
pub use given::Given;
pub use importance::{Against, ColumnImportance, Importance, ImportanceSettings};
pub use inverted::Inverted;
pub use known_rows::{KnownRows, MatchedRows, Met, RowKind, RowMatcher, ScoredBy};
pub use large::LargeTable;
pub use learner::Learner;
pub use list::{
    CertifiedList, FittedRows, List, ListColumns, ListNote, ListedRow, MetRows, RankedList, RowLookup,
    RowsOfModel, Scale, WrittenList,
};
pub use model::{HowScored, Model, NegativeMetrics, is_cut_off, pu_metrics_by_name, rests_on_prior};
pub use negatives::{
    Certified, CertifiedColumns, CertifiedRow, CertifiedTable, CertifiedUnit, TableNegatives,
};
pub use onesided_data::{
    ClassPrior, Counts, Cutting, Dataset, Encoding, FileOptions, Input, InputOptions, Label, Matrix,
    PriorInUnlabeled, READING, ReadAgain, ReadingAbout, ReadingInfo, Roles, Scenario, Streamed,
};
pub use onesided_eval::audit::{ColumnApart, LabelsByAnswers};
pub use onesided_eval::{
    AtTop, Contradiction, Interval, LabelingOdds, LabelingTest, NegativesTarget, Over, RANDOM_LABELS,
    RecallCut, RecallTarget, ThresholdRule, Top,
};
pub use onesided_learn::{
    At, Config, Dependence, DependsOn, Epoch, Error, Fitted, Labeling, Method, ModelChoice, Observer,
    OwnModel, OwnScorer, Progress, Report, Reserve, SETTINGS, Scorer, Signal, Tried, Warning, WhoLabels,
    held_out_risk, methods,
};
pub use onesided_loss::{Reduction, Surrogate};
pub use onesided_net::{
    Architecture, Augment, Device, Mixing, Mixup, Precision, Shape, Teacher, TeacherNumbers, Teaching,
};
pub use prior_report::{estimators_by_name, prior_as_json, prior_lines, prior_warnings};
pub use review::{Promise, Promised, Review, ReviewList, ShareAtOdds, ShareInList};
pub use rows_file::{RowsFileError, rows_file};
pub use stream::{Recognizer, ScoredRows};
pub use summary::{
    Along, Assumed, Assumption, AtOdds, AtShare, CarryingWord, Cause, Check, Comparison, CoveredPicture,
    Effect, EffectPoint, InShort, LearnedColumn, LearnedFrom, Level, ModelSummary, NextStep, Overlap,
    PictureGroup, PicturesSeen, PromiseAt, Ranks, ScoreBins, SeenPicture, Side, State, Summary,
    SummarySettings, Warned, experience, rows_of,
};
pub use table::Table;
pub use told::{Told, is_useless};
pub use undrawn::EncodeRest;
pub use verdict::{Compared, Doubt, Verdict};
pub use watch::{
    Action, FalseAlarms, HistoryEntry, HistoryError, Moved, PromiseRests, Promises, Stands, Untold,
    WatchHistory, Watched, WatchedColumn, WatchedLabels, WatchedPart, WatchedPromise, WatchedScores,
    WatchedShare, WatchedShares,
};

/// The page on crates.io, whose code runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
