//! Experiments as data: a spec says what is run, a results file what came out of it, a table or figure what it means.
//!
//! [`Spec::read`] reads a TOML file; [`pending`] lists the runs that no results file holds yet; [`run_all`] does them,
//! several at a time on one device, and appends each to the [`Results`] when it ends, so that an interrupted experiment
//! resumes where it stopped; [`ResultsTable`] puts means and deviations next to the [`Printed`] values. [`figure()`] watches one
//! run epoch by epoch from a layer of two units. [`Spec::built_in`] has the specs of the published tables.
//!
//! ```
//! use onesided_experiment::{Measure, Results, Spec, ResultsTable, pending};
//!
//! let spec = Spec::built_in("table1").expect("it is one of Spec::built_in_names()")?;
//! let results = Results::read("no/results/yet.jsonl".as_ref(), &spec.reuse)?;
//! let runs = pending(&spec, &results, Some("20ng/0.2"))?;
//! assert_eq!(runs[0].name, "20ng/0.2/collective/0");
//! // The table shows what the paper printed next to what was run, which is nothing so far.
//! assert!(ResultsTable::new(&spec, &results, Measure::Accuracy)?.markdown().contains("(86.01)"));
//! # Ok::<(), onesided_experiment::ExperimentError>(())
//! ```

#![forbid(unsafe_code)]

mod bias;
mod built_in;
mod campaign;
mod choices;
mod classes;
mod compared;
mod error;
mod estimated;
mod figure;
mod printed;
mod published;
mod results;
mod set;
mod spec;
mod split;
mod table;
mod trial;

pub use bias::Bias;
pub use campaign::{CampaignProgress, Event, RunOptions, pending, run_all};
pub use choices::{Choices, DecideAt, PriorSource, Settings, TextForm, UnlabeledRows};
pub use compared::{Difference, MethodComparison};
pub use error::ExperimentError;
pub use figure::{
    Boundary, DrawnRow, FigureSpec, Followed, Kind, RowToLabel, Rule, Track, TrainingFigure, crossings,
    figure, tally,
};
pub use printed::Printed;
#[cfg(fuzzing)]
pub use published::read_set_bytes;
pub use published::{
    Averages, CIFAR10_CLASSES, Cifar10, FoundSet, Mnist, NEWSGROUPS, Newsgroups, Pixels, SetError, SetPart,
    SetSummary, Svhn, Texts, Usps, WordVectors, cifar10, mnist, newsgroups, survey, svhn, usps, vocabulary,
    word_vectors,
};
pub use results::{Record, Results};
pub use set::Set;
pub use spec::{DataKind, DataSpec, Labeled, MethodSpec, PriorErrorKind, Run, Spec};
pub use table::{Cell, Measure, ResultsTable};
