//! What is said of the share of positives: by what the rows were scored, and what the estimators make of it.

use crate::Error;
use onesided_data::{Counts, Dataset, Scenario, Store};
use onesided_prior::{Answer, Consensus, Estimate, share_in_population};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Features up to which `auto` takes trees: their cost grows with every feature, and what makes rows wider is usually pixels
/// or words, on which trees do not pay for it.
const WIDEST_TABLE: usize = 200;

/// What tells positives from unlabeled rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PriorScorer {
    /// `cnn` for pictures, `linear` for texts, `mix` for tables of up to 200 features, `mlp` for wider ones.
    #[default]
    Auto,
    /// The mean of the logits of `trees` and `mlp`: they err on different rows, and their mean ranks better than either.
    Mix,
    /// Boosted decision trees: strong on tables.
    Trees,
    /// Extra trees on as many positives as unlabeled rows: steady where positives are few.
    Forest,
    /// Boosted trees on bags of the positives and as many unlabeled rows.
    Bags,
    /// A network with two hidden layers of 128 units: strong on wide rows.
    Mlp,
    /// A small convolutional network: for pictures.
    Cnn,
    /// Logistic regression.
    Linear,
    /// The network that a fit teaches ([`estimate_prior_taught`](crate::prior::estimate_prior_taught)); it cannot be asked for by name.
    Taught,
}

impl PriorScorer {
    const ALL: [PriorScorer; 8] = [
        PriorScorer::Auto,
        PriorScorer::Mix,
        PriorScorer::Trees,
        PriorScorer::Forest,
        PriorScorer::Bags,
        PriorScorer::Mlp,
        PriorScorer::Cnn,
        PriorScorer::Linear,
    ];

    /// What `auto` means for these rows.
    pub(crate) fn for_data(self, data: &Dataset) -> Self {
        match (self, data.rows()) {
            (PriorScorer::Auto, _)
                if data.encoding().shape().is_some_and(|s| s.height >= 4 && s.width >= 4) =>
            {
                PriorScorer::Cnn
            }
            (PriorScorer::Auto, Store::Sparse(_)) => PriorScorer::Linear,
            (PriorScorer::Auto, _) if data.encoding().width() <= WIDEST_TABLE => PriorScorer::Mix,
            (PriorScorer::Auto, _) => PriorScorer::Mlp,
            (named, _) => named,
        }
    }

    pub(crate) fn unknown(name: &str) -> Error {
        let known = ["auto", "mix", "trees", "forest", "bags", "mlp", "cnn", "linear"];
        Error::unknown_name("scorer", name, &known)
    }
}

impl fmt::Display for PriorScorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PriorScorer::Auto => "auto",
            PriorScorer::Mix => "mix",
            PriorScorer::Trees => "trees",
            PriorScorer::Forest => "forest",
            PriorScorer::Bags => "bags",
            PriorScorer::Mlp => "mlp",
            PriorScorer::Cnn => "cnn",
            PriorScorer::Linear => "linear",
            PriorScorer::Taught => "taught",
        })
    }
}

impl FromStr for PriorScorer {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|scorer| scorer.to_string() == text);
        found.ok_or_else(|| Self::unknown(text))
    }
}

/// An estimator that had no answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refusal {
    /// Its name.
    pub estimator: &'static str,
    /// Why.
    pub why: String,
}

/// What all estimators say of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PriorReport {
    /// How the data were drawn: what π follows from.
    pub scenario: Scenario,
    /// How many rows of either kind there were.
    pub counts: Counts,
    /// What scored the rows.
    pub scorer: PriorScorer,
    /// The estimates, in the order of the registry.
    pub estimates: Vec<Estimate>,
    /// The estimators without one.
    pub refusals: Vec<Refusal>,
    /// What they say together.
    pub consensus: Consensus,
    /// What to make of it: a guess, an interval, and the bound that the data alone give.
    pub answer: Answer,
}

impl PriorReport {
    /// π for a μ of these data.
    pub fn in_population(&self, mu: f64) -> f64 {
        share_in_population(mu, self.scenario, self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    #[test]
    fn auto_goes_by_the_rows() {
        let wide = |columns: usize| {
            let matrix = Matrix::new(2, columns, (0..2 * columns).map(|x| x as f32).collect()).unwrap();
            PriorScorer::Auto.for_data(&Dataset::from_matrix(matrix, None).unwrap())
        };
        assert_eq!((wide(200), wide(201)), (PriorScorer::Mix, PriorScorer::Mlp));
        let texts =
            Dataset::from_texts(&["a cat", "the cat"], &onesided_data::TextOptions::default()).unwrap();
        assert_eq!(PriorScorer::Auto.for_data(&texts), PriorScorer::Linear);
        assert_eq!(PriorScorer::Trees.for_data(&texts), PriorScorer::Trees);
    }

    #[test]
    fn names_come_back_and_others_are_refused() {
        for scorer in PriorScorer::ALL {
            assert_eq!(scorer.to_string().parse::<PriorScorer>().unwrap(), scorer);
        }
        let error = "kernel".parse::<PriorScorer>().unwrap_err().to_string();
        assert_eq!(error, "unknown scorer 'kernel'; use auto, mix, trees, forest, bags, mlp, cnn or linear");
    }
}
