//! What can be wrong with the parameters of an objective.

use crate::elicit::Witness;

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
    #[error("what known negatives weigh beside the unlabeled examples must lie between 0 and 2, but is {0}")]
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
    /// No such built-in reward.
    #[error(
        "unknown reward '{0}'; use log, square, exponential, savage or tangent, or a formula in x such as x*(x-1)"
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
        let nearest = known.iter().map(|known| (edit_distance(name, known), *known)).min();
        LossError::UnknownMethod {
            name: name.to_string(),
            // Past half of the name it is another word, not a slip of the finger.
            nearest: nearest.filter(|&(distance, known)| 2 * distance <= known.len()).map(|(_, known)| known),
            known: known.join(", "),
        }
    }
}

/// Fewest insertions, deletions and replacements that turn one word into the other (Levenshtein), row by row.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distances_by_hand() {
        assert_eq!(edit_distance("nnpu", "nnpu"), 0);
        assert_eq!(edit_distance("", "upu"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }
}
