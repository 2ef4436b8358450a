//! Every method by name: what it assumes, needs and gives, and how it scales.
//!
//! Objectives are listed by [`onesided_loss`], classic systems by [`onesided_classic`]. What users need to choose between
//! them is here, in the same words for all.

use crate::scorers::takes_trees;
use crate::{Error, ModelChoice};
use onesided_classic::systems::{SystemInfo, systems};
use onesided_classic::{Growth, OptionInfo, system_info};
use onesided_loss::LossError;
use std::fmt;

/// A method: an objective for a network or for trees, or a system by itself.
#[derive(Clone, Copy, Debug)]
pub enum Method {
    /// Several of the others, tried and put together.
    Auto,
    /// A loss on scores.
    Objective(&'static onesided_loss::LossInfo),
    /// A system before networks.
    System(&'static SystemInfo),
}

/// What a method's numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// Probabilities calibrated on held-out rows at the prior.
    Calibrated,
    /// Probabilities by the method's own theory.
    ByTheory,
    /// Probabilities at the prior where one is given, of being labeled where not.
    Labeled,
    /// Probabilities learned from true labels.
    FromTruth,
}

impl fmt::Display for Gives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Gives::Calibrated => "probability, calibrated on held-out rows at the prior",
            Gives::ByTheory => "probability, by its own theory",
            Gives::Labeled => "probability at the prior where one is given, of being labeled where not",
            Gives::FromTruth => "probability",
        })
    }
}

const AT_RANDOM: &str = "labeled positives are a random subset of the positives";
const BY_ORDER: &str = "the likelier a row is positive, the likelier it is labeled if it is";
const BATCHES: Growth = Growth {
    time: "batches",
    more: "; any number of rows, dense rows only (texts: the most frequent terms)",
};
const MEMBERS: Growth = Growth {
    time: "members judged on at most 170,000 rows",
    more: "; of wide tables on 8 million cells, but at least 20,000 rows; those kept learn from all rows",
};

impl Method {
    /// The method of that name; the error lists all names and suggests the nearest.
    pub fn find(name: &str) -> Result<Self, Error> {
        if name == "auto" {
            return Ok(Method::Auto);
        }
        if let Ok(method) = onesided_loss::method(name) {
            return Ok(Method::Objective(method));
        }
        match system_info(name) {
            Some(info) => Ok(Method::System(info)),
            None => Err(LossError::unknown_method(name, methods().iter().map(|method| method.name())).into()),
        }
    }

    /// The name users type.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Objective(method) => method.name,
            Method::System(info) => info.name,
        }
    }

    /// What it does, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            Method::Auto => {
                "tries linear models, networks, boosted trees and forests under several losses, and blends the best"
            }
            Method::Objective(method) => method.summary,
            Method::System(info) => info.summary,
        }
    }

    /// Where it comes from.
    pub fn citation(self) -> &'static str {
        match self {
            Method::Auto => "Caruana, Niculescu-Mizil, Crew, Ksikes, ICML 2004 (ensemble selection)",
            Method::Objective(method) => method.citation,
            Method::System(info) => info.citation,
        }
    }

    /// What must hold of the data.
    pub fn assumes(self) -> &'static str {
        match self {
            Method::Auto => AT_RANDOM,
            Method::Objective(method) if method.needs_truth => "every label is true",
            Method::Objective(method) if method.tells_labeled() => {
                "few positives are hidden, or only the ranking matters"
            }
            Method::Objective(method) if method.ranks => BY_ORDER,
            Method::Objective(_) => AT_RANDOM,
            Method::System(info) => info.assumes,
        }
    }

    /// Whether it cannot learn without the share of positives.
    pub fn needs_prior(self) -> bool {
        match self {
            Method::Auto => true,
            Method::Objective(method) => method.needs_prior,
            Method::System(info) => info.needs_prior,
        }
    }

    /// Whether it learns from true labels.
    pub fn needs_truth(self) -> bool {
        matches!(self, Method::Objective(method) if method.needs_truth)
    }

    /// Whether values below 0 are refused.
    pub fn needs_counts(self) -> bool {
        matches!(self, Method::System(info) if info.needs_counts)
    }

    /// Whether a prior must be there before anything is learned: for the objective, or for probabilities that the theory
    /// of a system does not give.
    pub fn must_have_prior(self) -> bool {
        match self {
            Method::Auto => true,
            Method::Objective(method) => (method.needs_prior || method.finds_share) && !method.needs_truth,
            Method::System(info) => info.needs_prior || !info.gives_probability,
        }
    }

    /// What its numbers mean.
    pub fn gives(self) -> Gives {
        match self {
            Method::Objective(method) if method.needs_truth => Gives::FromTruth,
            Method::Objective(method) if method.tells_labeled() => Gives::Labeled,
            Method::System(info) if info.gives_probability => Gives::ByTheory,
            _ => Gives::Calibrated,
        }
    }

    /// Whether it is a loss that a reward elicits.
    pub fn is_elicited(self) -> bool {
        matches!(self, Method::Objective(info) if info.name.starts_with("elicited:"))
    }

    /// How time and memory grow.
    pub fn scales(self) -> Growth {
        match self {
            Method::Auto => MEMBERS,
            Method::Objective(_) => BATCHES,
            Method::System(info) => info.scales,
        }
    }

    /// Whether it has models that say exactly what carried a score; of others that is found by trying columns in random orders.
    pub fn explains(self) -> bool {
        match self {
            Method::Auto | Method::Objective(_) => true,
            Method::System(info) => info.explains,
        }
    }

    /// Why it cannot be given this model; `None` where it can.
    pub fn cannot_take(self, model: &ModelChoice) -> Option<String> {
        let fits = |name: &str| match model {
            ModelChoice::Trees => takes_trees(name),
            ModelChoice::BaggedTrees => name == "bagging",
            _ => false,
        };
        match self {
            Method::Auto => Some("it tries several".to_string()),
            Method::Objective(method) if model.counts_labels() && method.name != "naive" => Some(
                "it counts labeled rows and has no slope of a loss to follow; it goes with the method naive, and trees go with \
                 every loss but tedn and robust-pu"
                    .to_string(),
            ),
            Method::Objective(method) if *model == ModelChoice::Trees && method.needs_epochs() => {
                Some("it changes from epoch to epoch, and trees have none; it goes with networks".to_string())
            }
            Method::Objective(_) => None,
            Method::System(info) if fits(info.name) => None,
            Method::System(_) => {
                let some: Vec<&str> =
                    systems().iter().map(|info| info.name).filter(|name| takes_trees(name)).collect();
                Some(format!(
                    "it has its own model; of the classic methods {} can take trees, and every loss but tedn and robust-pu can",
                    listed(&some)
                ))
            }
        }
    }

    /// What of it was put together here because the sources leave it open; `None` where nothing was.
    pub fn reconstruction(self) -> Option<&'static str> {
        match self {
            Method::Auto => None,
            Method::Objective(method) => method.reconstruction,
            Method::System(info) => info.reconstruction,
        }
    }

    /// What can be set by name.
    pub fn options(self) -> &'static [OptionInfo] {
        match self {
            Method::Auto => &[],
            Method::Objective(_) => &[],
            Method::System(info) => info.options,
        }
    }
}

/// `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => one.to_string(),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
    }
}

/// All methods in the order they are listed to users: the objectives, the classic systems, then the elicited losses.
pub fn methods() -> Vec<Method> {
    let objectives =
        onesided_loss::methods().iter().chain(onesided_loss::later_methods()).map(Method::Objective);
    let systems = systems().iter().map(|info| Method::System(info));
    let elicited = onesided_loss::elicited_methods().iter().map(Method::Objective);
    std::iter::once(Method::Auto).chain(objectives).chain(systems).chain(elicited).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_found_once_under_its_name() {
        let all = methods();
        for (at, method) in all.iter().enumerate() {
            assert_eq!(Method::find(method.name()).unwrap().name(), method.name());
            assert!(all[..at].iter().all(|other| other.name() != method.name()), "{}", method.name());
            assert!(!method.citation().is_empty() && !method.assumes().is_empty(), "{}", method.name());
        }
        assert!(matches!(Method::find("ldce"), Ok(Method::System(_))));
    }

    #[test]
    fn a_slip_of_the_finger_finds_its_method() {
        let message = |name| Method::find(name).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message("ldcee").starts_with(
            "unknown method 'ldcee' (did you mean 'ldce'?); the methods are auto, collective, "
        ));
        assert!(message("colective").contains("did you mean 'collective'?"));
        assert!(!message("random-forest").contains("did you mean"));
    }
}
