//! Why no estimate can be given, one clear sentence each.

/// Why an estimator refused. (A prior that is out of range is [`onesided_data::PriorError`]; this is about evidence.)
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // each variant's fields are named in its message
pub enum EvidenceError {
    /// Too little to say anything.
    #[error(
        "{} {sample} {} {} too few to estimate the prior; at least {least} are needed",
        onesided_data::grouped(*.found),
        onesided_data::noun(*.found, "rows"),
        onesided_data::agree(*.found, "is", "are")
    )]
    TooFew { sample: &'static str, found: usize, least: usize },
    /// A score that is NaN or infinite.
    #[error("score {row} of the {sample} rows is {value}; scores must be finite numbers")]
    ScoreNotFinite { sample: &'static str, row: usize, value: f64 },
    /// A value of the rows that is NaN or infinite.
    #[error("value {column} of {sample} row {row} is {value}; fill or drop values that are not finite")]
    ValueNotFinite { sample: &'static str, row: usize, column: usize, value: f32 },
    /// An estimator that works on rows was given scores only.
    #[error(
        "the estimator '{0}' works on the rows themselves, but only scores were given; use one that needs scores"
    )]
    RowsMissing(&'static str),
    /// Rows and scores, or rows of P and U, that do not belong together.
    #[error("the {sample} rows do not fit: {found} {what}, but {expected} were expected")]
    Shape { sample: &'static str, what: &'static str, found: usize, expected: usize },
    /// A confidence that is not a probability.
    #[error("the confidence of an interval must lie strictly between 0 and 1, but is {0}")]
    Confidence(f64),
    /// No resample, no percentile.
    #[error("a bootstrap interval needs at least {least} resamples, but {found} were asked for")]
    Resamples { found: usize, least: usize },
    /// Nothing to weigh.
    #[error("no estimator has an answer; each says why")]
    NoEstimate,
    /// No such estimator in the registry.
    #[error("{}", onesided_data::unknown_name("estimator", .name, .known))]
    UnknownEstimator { name: String, known: Vec<&'static str> },
    /// μ at an end of its range is a finding, but not a prior to learn with.
    #[error(
        "{estimator} answers that {} of the unlabeled rows are positive (a share of {mu}); no classifier can be \
         trained with that prior, so check how the labels were made or give a prior yourself",
        if *mu <= 0.0 { "none" } else { "all" }
    )]
    AtTheEnd { estimator: String, mu: f64 },
}
