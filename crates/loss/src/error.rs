//! What can be wrong with the parameters of an objective.

/// Why an objective could not be built. Each message names the value that was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LossError {
    /// μ outside (0, 1).
    #[error("the prior in the unlabeled data must lie strictly between 0 and 1, but is {0}")]
    Prior(f64),
    /// n_p / (n_p + n_u) outside (0, 1).
    #[error("the labeled share of the sample must lie strictly between 0 and 1, but is {0}")]
    LabeledShare(f64),
    /// β negative or not a number.
    #[error("beta, the tolerance of the non-negative risk, must be 0 or a positive number, but is {0}")]
    Beta(f64),
    /// γ outside [0, 1].
    #[error("gamma, the step of the non-negative correction, must lie between 0 and 1, but is {0}")]
    Gamma(f64),
    /// Smoothing negative or not a number.
    #[error("the smoothing of the collective loss must be 0 or a positive number, but is {0}")]
    Smoothing(f64),
    /// No such method in the registry.
    #[error(
        "unknown method '{name}'{}; the methods are {known}",
        nearest.map(|nearest| format!(" (did you mean '{nearest}'?)")).unwrap_or_default()
    )]
    UnknownMethod {
        /// The name asked for.
        name: String,
        /// The name in the registry it looks like, if any.
        nearest: Option<&'static str>,
        /// All names, separated by commas.
        known: String,
    },
    /// No such reduction.
    #[error("unknown reduction '{0}'; use sample-mean, sum-of-means or prior-weighted")]
    UnknownReduction(String),
    /// No such surrogate loss.
    #[error("unknown surrogate loss '{0}'; use sigmoid, logistic, squared or double-hinge")]
    UnknownSurrogate(String),
}
