//! One error for everything that can go wrong between a table and a model.

use onesided_data::{DataError, PriorError};
use onesided_eval::EvalError;
use onesided_loss::LossError;
use onesided_net::NetError;

/// Why fitting, predicting, saving or loading was refused, in one sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading, encoding, splitting or writing.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A prior that is impossible.
    #[error(transparent)]
    Prior(#[from] PriorError),
    /// An objective that does not exist, or a parameter of one out of range.
    #[error(transparent)]
    Loss(#[from] LossError),
    /// A network that cannot be built or trained.
    #[error(transparent)]
    Net(#[from] NetError),
    /// Scores that cannot be evaluated.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// A classic system that cannot learn from these rows, and what to do here.
    #[error("{source}{hint}")]
    Classic {
        /// What the system says.
        source: onesided_classic::ClassicError,
        /// What it cannot know: flags, and rows that were held out.
        hint: String,
    },
    /// A setting that a system does not have, or a value that it does not take.
    #[error(transparent)]
    Option(#[from] onesided_classic::OptionError),
    /// Naive Bayes counts, and there are no negative counts.
    #[error(
        "column '{column}', row {row}: {value} is negative, and the method {method} takes counts; give it word counts \
         (--text) or columns without negative values, or choose another method"
    )]
    NegativeCount {
        /// The method.
        method: String,
        /// The column.
        column: String,
        /// Counted from 1.
        row: usize,
        /// The value.
        value: f32,
    },
    /// Sparse rows that would fill the memory.
    #[error(
        "{rows} rows of {cols} terms are too much for a network, which takes {limit} values in all; keep fewer terms \
         (--max-terms), or use a classic method, which keeps rows sparse"
    )]
    TooWide {
        /// How many rows.
        rows: usize,
        /// How many columns.
        cols: usize,
        /// How many values are possible.
        limit: usize,
    },
    /// A model whose scores are no sum over features.
    #[error(
        "a score of this model ({method}, {kind}) is not a sum over features, so nothing says what carried it; models of \
         --net linear and linear classic methods such as weighted-lr can be explained"
    )]
    NotLinear {
        /// The method.
        method: String,
        /// How it scores.
        kind: String,
    },
    /// Boosted trees that cannot be grown.
    #[error(transparent)]
    Trees(#[from] onesided_trees::TreesError),
    /// A scorer that does not exist.
    #[error("unknown scorer '{0}'; use auto, mix, trees, mlp or linear")]
    UnknownScorer(String),
    /// Evidence that no estimator of the prior can use.
    #[error(transparent)]
    Evidence(#[from] onesided_prior::PriorError),
    /// The method needs a prior, none was given, and the data do not tell it.
    #[error(
        "the method '{method}' needs the share of positives, and it cannot be estimated: {why}; give it for the population \
         (--prior) or for the unlabeled rows (--prior-in-unlabeled)"
    )]
    NoEstimate {
        /// The method.
        method: String,
        /// Why there is no estimate.
        why: String,
    },
    /// Something cannot be computed without a prior.
    #[error(
        "the method '{0}' needs the share of positives: give it for the population (--prior) or for the unlabeled rows \
         (--prior-in-unlabeled)"
    )]
    NeedsPrior(String),
    /// The method wants true labels.
    #[error(
        "the method '{0}' learns from true labels: name their column with --truth, or choose another method"
    )]
    NeedsTruth(String),
    /// The generalization bound is that of one loss.
    #[error(
        "the bound is that of the collective loss, but the model was trained with '{0}'; fit one with --method collective"
    )]
    NoBound(String),
    /// A rule that counts on a share of positives among unlabeled rows.
    #[error(
        "only the threshold rule 'half' works without the share of positives in unlabeled rows; give a prior"
    )]
    ThresholdNeedsPrior,
    /// A setting out of range.
    #[error("the {what} must be {range}, but is {value}")]
    Setting {
        /// What is set.
        what: &'static str,
        /// Where it may lie.
        range: &'static str,
        /// What it was set to.
        value: f64,
    },
    /// Features and image shape that do not fit together.
    #[error("an image of {shape} has {pixels} values, but the table has {features} feature columns")]
    ImageShape {
        /// Channels x height x width.
        shape: String,
        /// Their product.
        pixels: usize,
        /// The width of the matrix.
        features: usize,
    },
    /// A row that overflows the network, or weights that do.
    #[error(
        "row {row} has a score of {score}; its values, or the model's weights, are too large for 32-bit floats"
    )]
    Score {
        /// Counted from 1.
        row: usize,
        /// Infinite or NaN.
        score: f32,
    },
    /// More rows than the sampler can number.
    #[error("{0} rows are more than can be trained on; draw a sample of them")]
    TooManyRows(usize),
    /// The observer asked to stop.
    #[error("training was interrupted in epoch {epoch} and no model was made{}", kept(.checkpoint.as_deref()))]
    Interrupted {
        /// The epoch that was not completed.
        epoch: usize,
        /// Where training can be resumed from.
        checkpoint: Option<String>,
    },
    /// A model file that cannot be used.
    #[error("'{file}' {what}")]
    ModelFile {
        /// The file.
        file: String,
        /// What is wrong and what to do.
        what: String,
    },
}

fn kept(checkpoint: Option<&str>) -> String {
    checkpoint.map_or_else(String::new, |path| {
        format!("; run the same command again to resume from the checkpoint '{path}'")
    })
}
