//! The scorers that tell the labeled positives from the unlabeled rows.

use crate::prior_report::PriorScorer;
use crate::scorers::{LabelTreesScorer, LogisticScorer, NetworkScorer, ObjectiveChoice, TreesScorer};
use crate::{Error, Scorer, TrainOverrides};
use onesided_loss::{Options, method};
use onesided_net::{Architecture, Device};
use onesided_trees::{ForestConfig, RowDraw, TreesConfig};

/// Epochs of a network that only tells P from U: it overfits long before.
const MOST_EPOCHS: usize = 40;
/// Epochs without a lower loss after which it stops.
const PATIENCE: usize = 6;

/// What an error costs the logistic regression of `mix`: one ridge, because trying several takes longer than the others do.
const COST: f64 = 0.03;

/// The scorers whose logits are averaged for this name.
pub(super) fn scorers(scorer: PriorScorer, device: Device) -> Result<Vec<Box<dyn Scorer>>, Error> {
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
            device: if scorer == PriorScorer::Cnn { Some(device) } else { Some(Device::Cpu) },
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
    let linear =
        || -> Box<dyn Scorer> { Box::new(LogisticScorer { cost: Some(COST), ..LogisticScorer::default() }) };
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
    Ok(match scorer {
        PriorScorer::Mix | PriorScorer::Auto => {
            vec![trees(), network(Architecture::mlp()), linear(), forest(), bags()]
        }
        PriorScorer::Trees => vec![trees()],
        PriorScorer::Forest => vec![forest()],
        PriorScorer::Bags => vec![bags()],
        PriorScorer::Mlp => vec![network(Architecture::mlp())],
        PriorScorer::Cnn => vec![network(Architecture::Cnn)],
        PriorScorer::Linear => vec![Box::new(LogisticScorer::default())],
        PriorScorer::Taught => return Err(PriorScorer::unknown("taught")),
    })
}
