//! Which classifier tells the labeled positives from the unlabeled rows.

use crate::Error;
use onesided_net::Architecture;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Features up to which `auto` takes trees: their cost grows with every feature, and what makes rows wider is usually pixels
/// or words, on which trees do not pay for it.
const WIDEST_TABLE: usize = 200;

/// A classifier of positives against unlabeled rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scorer {
    /// [`Mix`](Scorer::Mix) for tables of up to 200 features, [`Mlp`](Scorer::Mlp) for wider rows.
    #[default]
    Auto,
    /// The mean of the logits of `trees` and `mlp`: they err on different rows, and their mean ranks better than either.
    Mix,
    /// Boosted decision trees: strong on tables.
    Trees,
    /// A network with two hidden layers of 128 units: strong on images and other wide rows.
    Mlp,
    /// Logistic regression.
    Linear,
}

impl Scorer {
    /// The names that can be parsed.
    pub const NAMES: [&'static str; 5] = ["auto", "mix", "trees", "mlp", "linear"];

    /// What `auto` means for rows of this width.
    pub(crate) fn for_width(self, features: usize) -> Self {
        match self {
            Scorer::Auto if features <= WIDEST_TABLE => Scorer::Mix,
            Scorer::Auto => Scorer::Mlp,
            named => named,
        }
    }

    /// Whether trees take part.
    pub(crate) fn has_trees(self) -> bool {
        matches!(self, Scorer::Mix | Scorer::Trees)
    }

    /// The network that takes part, if any.
    pub(crate) fn architecture(self) -> Option<Architecture> {
        match self {
            Scorer::Mix | Scorer::Mlp => Some(Architecture::mlp()),
            Scorer::Linear => Some(Architecture::Linear),
            Scorer::Auto | Scorer::Trees => None,
        }
    }
}

impl fmt::Display for Scorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scorer::Auto => "auto",
            Scorer::Mix => "mix",
            Scorer::Trees => "trees",
            Scorer::Mlp => "mlp",
            Scorer::Linear => "linear",
        })
    }
}

impl FromStr for Scorer {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let all = [Scorer::Auto, Scorer::Mix, Scorer::Trees, Scorer::Mlp, Scorer::Linear];
        let found = all.into_iter().find(|scorer| scorer.to_string() == text);
        found.ok_or_else(|| Error::UnknownScorer(text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_goes_by_the_width() {
        assert_eq!(Scorer::Auto.for_width(200), Scorer::Mix);
        assert_eq!(Scorer::Auto.for_width(201), Scorer::Mlp);
        assert_eq!(Scorer::Linear.for_width(2), Scorer::Linear);
    }

    #[test]
    fn names_come_back_and_others_are_refused() {
        for name in Scorer::NAMES {
            assert_eq!(name.parse::<Scorer>().unwrap().to_string(), name);
        }
        let error = "forest".parse::<Scorer>().unwrap_err().to_string();
        assert_eq!(error, "unknown scorer 'forest'; use auto, mix, trees, mlp or linear");
    }
}
