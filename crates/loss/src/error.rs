//! What can be wrong with the parameters of an objective.

use crate::collective::Reduction;
use crate::surrogate::Surrogate;
use crate::witness::Witness;

/// Why an objective could not be built. Each message names the value that was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LossError {
    /// μ outside (0, 1).
    #[error("the prior in the unlabeled data must lie strictly between 0 and 1, but is {0}")]
    Prior(f64),
    /// n_p / (n_p + n_u) outside (0, 1).
    #[error("the labeled share of the sample must lie strictly between 0 and 1, but is {0}")]
    LabeledShare(f64),
    /// Negatives that weigh less than nothing, or more than everything else.
    #[error(
        "the weight of known negatives, compared with the unlabeled examples, must lie between 0 and 2, but is {0}"
    )]
    NegativeWeight(f64),
    /// An objective that has no place for known negatives.
    #[error("the method {method} cannot use known negatives: {why}")]
    NoNegatives {
        /// The method.
        method: String,
        /// Why not.
        why: &'static str,
    },
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
        nearest.map(did_you_mean).unwrap_or_default()
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
    #[error("unknown reduction '{0}'{meant}; use sample-mean, sum-of-means or prior-weighted", meant = meant(.0, &Reduction::ALL))]
    UnknownReduction(String),
    /// No such surrogate loss.
    #[error("unknown surrogate loss '{0}'{meant}; use sigmoid, logistic, squared or double-hinge", meant = meant(.0, &Surrogate::ALL))]
    UnknownSurrogate(String),
    /// No such built-in reward.
    #[error(
        "unknown reward '{0}'{meant}; use log, square, exponential, savage or tangent, or a formula in x such as x*(x-1)",
        meant = meant(.0, &["log", "square", "exponential", "savage", "tangent"])
    )]
    UnknownReward(String),
    /// A formula that cannot be read or differentiated.
    #[error("the reward formula '{formula}' cannot be used: {reason}")]
    Formula {
        /// What was given.
        formula: String,
        /// What is wrong with it, and what to write instead.
        reason: String,
    },
    /// A reward that elicits no loss, with the numbers that show it.
    #[error("the reward '{name}' is refused: {witness}")]
    Reward {
        /// The name of the reward.
        name: String,
        /// Where it fails.
        witness: Witness,
    },
    /// Points of an overlap model that make no distribution.
    #[error("the overlap model cannot be used: {0}")]
    Overlap(String),
    /// Weights of the population risk that are not positive numbers.
    #[error("the weights of the population risk must be positive numbers, but are {0} (P) and {1} (U)")]
    RiskWeights(f64, f64),
    /// A number of the error bound out of range.
    #[error("{what} must be {range}, but is {value}")]
    Bound {
        /// Which number.
        what: &'static str,
        /// Where it must lie.
        range: &'static str,
        /// What it is.
        value: f64,
    },
}

impl LossError {
    /// That there is no method of this name among `known`, with the one it looks like.
    pub fn unknown_method(name: &str, known: impl IntoIterator<Item = &'static str>) -> Self {
        let known: Vec<&'static str> = known.into_iter().collect();
        LossError::UnknownMethod {
            name: name.to_string(),
            nearest: nearest(name, &known).copied(),
            known: known.join(", "),
        }
    }
}

/// The name that `given` is a slip of the finger away from: insertions, deletions, replacements and swaps of neighbors.
fn nearest<'a, N: AsRef<str>>(given: &str, known: &'a [N]) -> Option<&'a N> {
    let given: String = given.chars().take(64).collect::<String>().to_lowercase();
    let distances = known.iter().map(|name| (strsim::osa_distance(&given, name.as_ref()), name));
    // Past half of the name it is another word.
    let slips = distances.filter(|(distance, name)| 2 * distance <= name.as_ref().len());
    slips.min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}

/// The same among things that have names, as part of a sentence.
fn meant(given: &str, known: &[impl ToString]) -> String {
    let known: Vec<String> = known.iter().map(ToString::to_string).collect();
    nearest(given, &known).map(|name| did_you_mean(name)).unwrap_or_default()
}

fn did_you_mean(name: &str) -> String {
    format!(" (did you mean '{name}'?)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elicit::BuiltIn;

    #[test]
    fn slips_of_the_finger_find_their_name() {
        let known = ["nnpu", "upu", "collective"];
        assert_eq!(nearest("nnup", &known), Some(&"nnpu"));
        assert_eq!(nearest("Upu", &known), Some(&"upu"));
        assert_eq!(nearest("random-forest", &known), None);
        assert_eq!(nearest(&"x".repeat(100_000), &known), None);
        let refused = "double-hing".parse::<Surrogate>().unwrap_err().to_string();
        assert!(refused.starts_with("unknown surrogate loss 'double-hing' (did you mean 'double-hinge'?)"));
        let refused = "sum-of-mean".parse::<Reduction>().unwrap_err().to_string();
        assert!(refused.starts_with("unknown reduction 'sum-of-mean' (did you mean 'sum-of-means'?)"));
        let refused = "savge".parse::<BuiltIn>().unwrap_err().to_string();
        assert!(refused.starts_with("unknown reward 'savge' (did you mean 'savage'?)"));
    }
}
