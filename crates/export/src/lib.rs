//! Models of `onesided` in the formats of other runtimes: from the columns of a table to score, probability and decision in one
//! ONNX file.
//!
//! | column | input | missing |
//! |---|---|---|
//! | numbers, true/false (0 and 1) | `double`, `[rows, 1]` | NaN |
//! | categories | `string`, `[rows, 1]` | the empty string |
//! | vectors | `float`, `[rows, places]` | NaN |
//!
//! Outputs are `score` and `probability` (`float`) and `decision` (`bool`), one per row. What cannot be written exactly is refused.

mod columns;
mod graph;
mod proto;
mod scorers;

use graph::Graph;
use onesided::data::nearest;
use onesided::{Encoding, Model};
use proto::Type;
use std::fmt;
use std::str::FromStr;

/// A format of another runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Open Neural Network Exchange: [`to_onnx`].
    Onnx,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 1] = [Format::Onnx];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Format::Onnx => "onnx",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = ExportError;

    fn from_str(name: &str) -> Result<Self, ExportError> {
        let found = Format::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| {
            let meant = nearest(name, Format::ALL.map(Format::name));
            let meant = meant.map_or_else(String::new, |near| format!(" (did you mean '{near}'?)"));
            ExportError::Format {
                name: name.to_string(),
                meant,
                known: Format::ALL.map(Format::name).join(", "),
            }
        })
    }
}

/// A file of another format, and what is to be passed to it.
#[derive(Clone, Debug)]
pub struct Exported {
    /// What the file holds. The same model always gives the same bytes.
    pub bytes: Vec<u8>,
    /// What a runtime has to be given, in the order of the file.
    pub inputs: Vec<Input>,
}

/// A column that the caller passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The name of the column.
    pub name: String,
    /// The type of its cells: `double`, `float` or `string`.
    pub kind: &'static str,
    /// How many places a row has: 1, or the length of a vector.
    pub width: usize,
}

/// A model in a format.
pub fn export(model: &Model, format: Format) -> Result<Exported, ExportError> {
    match format {
        Format::Onnx => to_onnx(model),
    }
}

/// Why a model is not exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A format that is not known.
    #[error("unknown format '{name}'{meant}; models can be exported as {known}")]
    Format {
        /// What was asked for.
        name: String,
        /// What may have been meant.
        meant: String,
        /// All formats.
        known: String,
    },
    /// Texts.
    #[error("column '{0}' holds texts, which cannot be exported; fit without it")]
    Texts(String),
    /// Dates.
    #[error("column '{0}' holds dates, which cannot be exported; fit without it, or with numbers made of it")]
    Dates(String),
    /// Another kind.
    #[error("column '{0}' is of a kind that cannot be exported")]
    Column(String),
    /// A column and an output of one name.
    #[error("column '{0}' has the name of an output of the exported model; rename it and fit again")]
    Name(String),
    /// Not a table.
    #[error("only models of tables can be exported, but this one was fitted on {0}")]
    Input(&'static str),
    /// What scores.
    #[error("the model scores with {0}, which cannot be exported; fit with another method or model")]
    Scorer(&'static str),
    /// A scorer of one's own.
    #[error("the model scores with '{0}', a scorer of your own, which cannot be exported")]
    Own(String),
}

/// An ONNX file: operators of version 18, and of version 5 of `ai.onnx.ml`.
pub fn to_onnx(model: &Model) -> Result<Exported, ExportError> {
    let about = model.about();
    let Encoding::Table(features) = model.encoding().as_ref() else {
        return Err(ExportError::Input(model.encoding().takes()));
    };
    let mut graph = Graph::default();
    let rows = columns::columns(&mut graph, features)?;
    let raw = scorers::fitted(&mut graph, &rows, model.fitted(), features.width())?;
    // slope · f + offset + shift in 64 bits, and the share of positives for a row that says nothing.
    let mut logit = graph.cast(&raw, Type::Double);
    let slope = graph.double(about.calibration.slope);
    logit = graph.op("Mul", &[&logit, &slope]);
    for summand in [about.calibration.offset, about.shift] {
        let summand = graph.double(summand);
        logit = graph.op("Add", &[&logit, &summand]);
    }
    let nothing = graph.double(f64::from(about.logit_of_nothing()));
    logit = graph.op("Where", &[&rows.blank, &nothing, &logit]);
    let flat = graph.constant(&[1], proto::Values::Ints(vec![-1]));
    logit = graph.op("Reshape", &[&logit, &flat]);
    let score = graph.cast(&logit, Type::Float);
    // σ of the rounded score, as ours is.
    let rounded = graph.cast(&score, Type::Double);
    let one = graph.double(1.0);
    let negative = graph.op("Neg", &[&rounded]);
    let odds_against = graph.op("Exp", &[&negative]);
    let sum = graph.op("Add", &[&one, &odds_against]);
    let probability = graph.op("Div", &[&one, &sum]);
    let probability = graph.cast(&probability, Type::Float);
    let rounded = graph.cast(&probability, Type::Double);
    let threshold = graph.double(about.threshold);
    let decision = graph.op("GreaterOrEqual", &[&rounded, &threshold]);
    graph.output("score", Type::Float, &score);
    graph.output("probability", Type::Float, &probability);
    graph.output("decision", Type::Bool, &decision);
    let mut metadata = vec![
        ("onesided.method", about.method.clone()),
        ("onesided.model", about.model.clone()),
        ("onesided.threshold", about.threshold.to_string()),
        ("onesided.threshold_rule", about.threshold_rule_name()),
    ];
    metadata.extend(about.class_prior.map(|prior| ("onesided.class_prior", prior.get().to_string())));
    metadata.extend(about.fitted_on.clone().map(|print| ("onesided.fitted_on", print)));
    let inputs = graph.inputs().to_vec();
    Ok(Exported { bytes: graph.finish(&about.onesided, &metadata), inputs })
}
