//! Every method by name, whichever family it is of: what it assumes, needs and gives, and how it scales.
//!
//! Objectives of networks are listed by [`onesided_loss`], classic systems by [`onesided_classic`]. What users need to
//! choose between them stands here, in the same words for all.

use crate::Error;
use onesided_classic::{OptionInfo, SystemInfo, system_info, systems as classic_systems};
use onesided_loss::{LossError, Method};
use serde::Serialize;

/// What is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// A network (or a linear model) by batches, under an objective.
    Network,
    /// A system of its own: support vector machines, logistic regression, naive Bayes.
    Classic,
}

/// One method as users see it listed.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodCard {
    /// The name users type.
    pub name: &'static str,
    /// What is trained.
    pub family: Family,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it comes from.
    pub citation: &'static str,
    /// What must hold of the data.
    pub assumes: &'static str,
    /// Whether it cannot learn without the share of positives.
    pub needs_prior: bool,
    /// Whether it learns from true labels.
    pub needs_truth: bool,
    /// Whether values below 0 are refused.
    pub needs_counts: bool,
    /// Whether columns are best left as they are, neither centered nor scaled.
    pub unscaled: bool,
    /// What it gives.
    pub gives: &'static str,
    /// How time and memory grow.
    pub scales: &'static str,
    /// Whether linear models of it can say what carried a score.
    pub explains: bool,
    /// What of it was put together here because the sources leave it open; `None` where nothing was.
    pub reconstruction: Option<&'static str>,
    /// What can be set by name.
    pub options: &'static [OptionInfo],
}

/// A method by its name: an objective, or a system.
#[derive(Clone, Copy)]
pub(crate) enum Chosen {
    Objective(&'static Method),
    System(&'static SystemInfo),
}

impl Chosen {
    /// Finds it; the error lists all names and suggests the nearest.
    pub fn of(name: &str) -> Result<Self, Error> {
        if let Ok(method) = onesided_loss::method(name) {
            return Ok(Chosen::Objective(method));
        }
        match system_info(name) {
            Some(entry) => Ok(Chosen::System(entry)),
            None => Err(LossError::unknown_method(name, methods().iter().map(|card| card.name)).into()),
        }
    }

    pub fn needs_truth(self) -> bool {
        matches!(self, Chosen::Objective(method) if method.needs_truth)
    }

    /// Whether a prior must be there before anything is learned: for the objective, or for probabilities that the
    /// theory of a system does not give.
    pub fn must_have_prior(self) -> bool {
        match self {
            Chosen::Objective(method) => method.needs_prior && !method.needs_truth,
            Chosen::System(entry) => entry.needs_prior || !entry.gives_probability,
        }
    }
}

/// All methods in the order they are listed to users: the objectives, the classic systems, then the elicited losses.
pub fn methods() -> Vec<MethodCard> {
    let objectives = onesided_loss::methods().iter().map(of_objective);
    let elicited = onesided_loss::elicited_methods().iter().map(of_objective);
    objectives.chain(classic_systems().iter().map(|info| of_system(info))).chain(elicited).collect()
}

/// The method of that name; the error lists all names and suggests the nearest.
pub fn method(name: &str) -> Result<MethodCard, Error> {
    Ok(match Chosen::of(name)? {
        Chosen::Objective(method) => of_objective(method),
        Chosen::System(entry) => of_system(entry),
    })
}

const AT_RANDOM: &str = "labeled positives are a random subset of the positives";
const BATCHES: &str = "batches; any number of rows, dense rows only (texts: the most frequent terms)";
const CALIBRATED: &str = "probability, calibrated on held-out rows at the prior";

fn of_objective(method: &'static Method) -> MethodCard {
    let (assumes, gives) = match method.name {
        "naive" => (
            "few positives are hidden, or only the ranking matters",
            "probability at the prior where one is given, of being labeled where not",
        ),
        "supervised" => ("every label is true", "probability"),
        _ => (AT_RANDOM, CALIBRATED),
    };
    MethodCard {
        name: method.name,
        family: Family::Network,
        summary: method.summary,
        citation: method.citation,
        assumes,
        needs_prior: method.needs_prior,
        needs_truth: method.needs_truth,
        needs_counts: false,
        unscaled: false,
        gives,
        scales: BATCHES,
        explains: true,
        reconstruction: (method.name == "imbalanced-nnpu")
            .then_some("the weights of the two classes; not checked against the paper"),
        options: &[],
    }
}

fn of_system(entry: &'static SystemInfo) -> MethodCard {
    MethodCard {
        name: entry.name,
        family: Family::Classic,
        summary: entry.summary,
        citation: entry.citation,
        assumes: entry.assumes,
        needs_prior: entry.needs_prior,
        needs_truth: false,
        needs_counts: entry.needs_counts,
        unscaled: entry.as_is,
        gives: if entry.gives_probability { "probability, by its own theory" } else { CALIBRATED },
        scales: entry.scales,
        explains: entry.explains,
        reconstruction: entry.reconstruction,
        options: entry.options,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_of_a_kind_and_found() {
        let cards = methods();
        for (at, card) in cards.iter().enumerate() {
            assert_eq!(method(card.name).unwrap(), *card);
            assert!(cards[..at].iter().all(|other| other.name != card.name), "{}", card.name);
            assert!(!card.citation.is_empty() && !card.assumes.is_empty(), "{}", card.name);
        }
        assert!(cards.iter().any(|card| card.name == "ldce" && card.family == Family::Classic));
    }

    #[test]
    fn a_slip_of_the_finger_finds_its_method() {
        let message = |name| method(name).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(
            message("ldcee")
                .starts_with("unknown method 'ldcee' (did you mean 'ldce'?); the methods are collective, ")
        );
        assert!(message("colective").contains("did you mean 'collective'?"));
        assert!(!message("random-forest").contains("did you mean"));
    }
}
