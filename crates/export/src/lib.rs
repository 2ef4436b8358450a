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
use onesided::{Encoding, Model};
use proto::Type;

/// Why a model is not exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
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

/// The bytes of an ONNX file: operators of version 18, and of version 5 of `ai.onnx.ml`. The same model always gives the same
/// bytes.
pub fn to_onnx(model: &Model) -> Result<Vec<u8>, ExportError> {
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
    Ok(graph.finish(&about.onesided, &metadata))
}
