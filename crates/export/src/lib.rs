//! Models of `onesided` in the formats of other runtimes: from the columns of a table to score, probability and decision in one
//! ONNX file.
//!
//! | column | input | missing |
//! |---|---|---|
//! | numbers, true/false (0 and 1) | `double`, `[rows, 1]` | NaN |
//! | dates (seconds since 1970, UTC) | `double`, `[rows, 1]` | NaN |
//! | categories | `string`, `[rows, 1]` | the empty string |
//! | vectors | `float`, `[rows, places]` | NaN |
//! | texts, by their terms | `string`, `[rows, terms]` | empty strings alone |
//! | pictures | `uint8`, `[rows, height, width, channels]` | |
//!
//! Outputs are `score` and `probability` (`float`) and `decision` (`bool`), one per row. Sums of trees are also written as
//! XGBoost's JSON. What cannot be written exactly is refused.

mod classic;
mod columns;
mod graph;
mod network;
mod proto;
mod scorers;
mod sides;
mod xgboost;

use graph::Graph;
use onesided::data::{FeatureKind, is_missing_cell, nearest};
use onesided::learn::Fitted;
use onesided::{Encoding, Model};
use proto::Type;
use std::fmt;
use std::str::FromStr;

/// A format of another runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Open Neural Network Exchange: [`to_onnx`].
    Onnx,
    /// A booster as XGBoost writes it: [`to_xgboost_json`].
    XgboostJson,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 2] = [Format::Onnx, Format::XgboostJson];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Format::Onnx => "onnx",
            Format::XgboostJson => "xgboost-json",
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
    pub inputs: Vec<ExportInput>,
}

/// A column that the caller passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportInput {
    /// The name of the column.
    pub name: String,
    /// The type of its cells: `double`, `float`, `string`, `uint8`, or `terms` and `category`, which the pages describe.
    pub kind: &'static str,
    /// What its cells say: `number`, `1 or 0`, `seconds since 1970, UTC`, `seconds since midnight`, `category`, `vector`, `words of a
    /// text` or `picture`.
    pub holds: &'static str,
    /// How many places a row has: 1, the length of a vector or of a picture, or 0 where the caller decides, as for terms.
    pub width: usize,
    /// Where categories are passed as codes: the level of each code. Nothing else has one.
    pub levels: Vec<String>,
}

/// What is to be decided about a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportOptions {
    /// Whether texts are passed as their terms. Without it, a model of texts is refused.
    pub terms: bool,
}

/// What a runtime returns.
pub(crate) const OUTPUTS: [&str; 3] = ["score", "probability", "decision"];

/// A model in a format.
pub fn export(model: &Model, format: Format, options: &ExportOptions) -> Result<Exported, ExportError> {
    match format {
        Format::Onnx => to_onnx(model, options),
        Format::XgboostJson => to_xgboost_json(model),
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
    /// Texts whose terms were not asked for.
    #[error(
        "'{0}' holds texts, and no runtime cuts them into words as the model does; say that you pass their words yourself"
    )]
    Texts(String),
    /// None or several columns of texts.
    #[error("the model has no column of texts of this name, or several; name one of them")]
    WhichTexts,
    /// Another kind.
    #[error("column '{0}' is of a kind that cannot be exported")]
    Column(String),
    /// A column and an output of one name.
    #[error("column '{0}' has a name that the exported model needs for itself; rename it and fit again")]
    Name(String),
    /// What scores.
    #[error("the model scores with {0}, which cannot be exported; fit with another method or model")]
    Scorer(&'static str),
    /// What XGBoost has no place for.
    #[error("{0}, which XGBoost cannot score exactly; export it as onnx")]
    NotTrees(String),
    /// A scorer of one's own.
    #[error("the model scores with '{0}', a scorer of your own, which cannot be exported")]
    Own(String),
}

/// The terms of texts as an exported model takes them: those of one row after another. A missing text has none, and in a column of a
/// table `null` and the like are missing; a text without a word has a blank, which is no term. `column` says whose, where the model has several columns of texts.
pub fn terms(
    model: &Model,
    texts: &[Option<String>],
    column: Option<&str>,
) -> Result<Vec<Vec<String>>, ExportError> {
    let features = match model.encoding().as_ref() {
        Encoding::Text(input) => Some(&input.text),
        Encoding::Table(features) => {
            let mut of_texts = features.columns().iter().filter_map(|feature| match &feature.kind {
                FeatureKind::Text { text, .. } if column.is_none_or(|name| name == feature.name) => {
                    Some(text)
                }
                _ => None,
            });
            let first = of_texts.next();
            first.filter(|_| of_texts.next().is_none())
        }
        _ => None,
    };
    let features = features.ok_or(ExportError::WhichTexts)?;
    let of_table = matches!(model.encoding().as_ref(), Encoding::Table(_));
    let one = |text: &Option<String>| match text {
        None => Vec::new(),
        Some(text) if text.trim().is_empty() => Vec::new(),
        Some(text) if of_table && is_missing_cell(text.trim_ascii()) => Vec::new(),
        Some(text) => {
            let found = features.terms_of(text);
            if found.is_empty() { vec![" ".to_string()] } else { found }
        }
    };
    Ok(texts.iter().map(one).collect())
}

/// XGBoost's JSON of a sum of trees, and how columns are passed to it.
pub fn to_xgboost_json(model: &Model) -> Result<Exported, ExportError> {
    xgboost::write(model)
}

/// What a file of either format says of the model.
fn metadata(model: &Model) -> Vec<(&'static str, String)> {
    let about = model.about();
    let mut all = vec![
        ("onesided.version", about.onesided.clone()),
        ("onesided.method", about.method.clone()),
        ("onesided.model", about.model.clone()),
        ("onesided.threshold", about.threshold.to_string()),
        ("onesided.threshold_rule", about.threshold_rule_name()),
    ];
    all.extend(about.class_prior.map(|prior| ("onesided.class_prior", prior.get().to_string())));
    all.extend(about.prior_in_unlabeled.map(|mu| ("onesided.prior_in_unlabeled", mu.get().to_string())));
    all.extend(about.fitted_on.clone().map(|print| ("onesided.fitted_on", print)));
    let warnings: Vec<String> = about.report.warnings.iter().map(ToString::to_string).collect();
    all.extend((!warnings.is_empty()).then(|| ("onesided.warnings", warnings.join("\n"))));
    all
}

/// An ONNX file: operators of version 18, and of version 5 of `ai.onnx.ml`.
pub fn to_onnx(model: &Model, options: &ExportOptions) -> Result<Exported, ExportError> {
    let about = model.about();
    if let Fitted::Own { name, .. } = model.fitted() {
        return Err(ExportError::Own(name.clone()));
    }
    let mut graph = Graph::default();
    let rows = match model.encoding().as_ref() {
        Encoding::Table(features) => columns::table(&mut graph, features, options)?,
        Encoding::Text(input) => columns::texts(&mut graph, input, options)?,
        Encoding::Image(input) => columns::pictures(&mut graph, input)?,
    };
    let features = model.encoding();
    let raw = scorers::fitted(&mut graph, &rows, model.fitted(), features.width())?;
    // slope · f + offset + shift in 64 bits, and the share of positives for a row that says nothing.
    let mut logit = graph.cast(&raw, Type::Double);
    let slope = graph.double(about.calibration.slope);
    logit = graph.op("Mul", &[&logit, &slope]);
    for summand in [about.calibration.offset, about.shift] {
        let summand = graph.double(summand);
        logit = graph.op("Add", &[&logit, &summand]);
    }
    if let Some(blank) = &rows.blank {
        let nothing = graph.double(f64::from(about.logit_of_nothing()));
        logit = graph.op("Where", &[blank, &nothing, &logit]);
    }
    logit = graph.reshape(&logit, &[-1]);
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
    let inputs = graph.inputs().to_vec();
    Ok(Exported { bytes: graph.finish(&about.onesided, &metadata(model)), inputs })
}
