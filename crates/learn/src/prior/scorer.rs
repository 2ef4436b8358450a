//! What tells the labeled positives from the unlabeled rows.

use crate::scorers::{LabelTreesScorer, LogisticScorer, NetworkScorer, ObjectiveChoice, TreesScorer};
use crate::{Error, Scorer, TrainOverrides};
use onesided_data::{Dataset, Store};
use onesided_loss::{Options, method};
use onesided_net::{Architecture, Device};
use onesided_trees::{ForestConfig, RowDraw, TreesConfig};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Features up to which `auto` takes trees: their cost grows with every feature, and what makes rows wider is usually pixels
/// or words, on which trees do not pay for it.
const WIDEST_TABLE: usize = 200;
/// Epochs of a network that only tells P from U: it overfits long before.
const MOST_EPOCHS: usize = 40;
/// Epochs without a lower loss after which it stops.
const PATIENCE: usize = 6;

/// What an error costs the logistic regression of `mix`: one ridge, because trying several takes longer than the others do.
const COST: f64 = 0.03;

/// What tells positives from unlabeled rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
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
    /// The network that a fit teaches ([`estimate_prior_taught`](super::estimate_prior_taught)); it cannot be asked for by name.
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

    fn unknown(name: &str) -> Error {
        let known = ["auto", "mix", "trees", "forest", "bags", "mlp", "cnn", "linear"];
        Error::unknown_name("scorer", name, &known)
    }

    /// The scorers whose logits are averaged.
    pub(crate) fn scorers(self, device: Device) -> Result<Vec<Box<dyn Scorer>>, Error> {
        let objective = ObjectiveChoice::Named(method("naive")?);
        let network = |architecture| -> Box<dyn Scorer> {
            let train = TrainOverrides {
                epochs: Some(MOST_EPOCHS),
                patience: Some(PATIENCE),
                weight_decay: Some(1e-3),
                ..TrainOverrides::default()
            };
            Box::new(NetworkScorer {
                objective: objective.clone(),
                options: Options::default(),
                reduction: None,
                architecture,
                train: train.into(),
                start_bias: None,
                checkpoint: None,
                // Small networks are quicker on the CPU, a fold per thread.
                device: if self == PriorScorer::Cnn { Some(device) } else { Some(Device::Cpu) },
            })
        };
        let trees = || -> Box<dyn Scorer> {
            Box::new(TreesScorer {
                objective: objective.clone(),
                options: Options::default(),
                reduction: None,
                config: TreesScorer::default_config(),
                prior_factor: 1.0,
            })
        };
        let linear = || -> Box<dyn Scorer> {
            Box::new(LogisticScorer { cost: Some(COST), ..LogisticScorer::default() })
        };
        let forest = || -> Box<dyn Scorer> {
            Box::new(LabelTreesScorer::Forest(ForestConfig {
                trees: 100,
                min_leaf_rows: 3,
                rows: RowDraw::Balanced,
                random_cuts: true,
                ..ForestConfig::default()
            }))
        };
        let bags = || -> Box<dyn Scorer> {
            let config = TreesConfig {
                trees: 60,
                learning_rate: 0.1,
                max_leaves: 15,
                l2: 10.0,
                row_share: 0.8,
                column_share: 0.8,
                ..TreesConfig::default()
            };
            Box::new(LabelTreesScorer::Bags { method: "naive", bags: 8, config })
        };
        Ok(match self {
            PriorScorer::Mix | PriorScorer::Auto => {
                vec![trees(), network(Architecture::mlp()), linear(), forest(), bags()]
            }
            PriorScorer::Trees => vec![trees()],
            PriorScorer::Forest => vec![forest()],
            PriorScorer::Bags => vec![bags()],
            PriorScorer::Mlp => vec![network(Architecture::mlp())],
            PriorScorer::Cnn => vec![network(Architecture::Cnn)],
            PriorScorer::Linear => vec![Box::new(LogisticScorer::default())],
            PriorScorer::Taught => return Err(Self::unknown("taught")),
        })
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
