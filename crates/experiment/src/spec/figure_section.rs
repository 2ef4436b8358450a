//! The section `[figure]` of a spec: what is drawn of its one run.
//!
//! ```toml
//! [figure]
//! epochs = [1, 4, 7]           # the epochs that have a panel
//! samples = 500                # training rows that are drawn
//! positive_name = "dog"        # what the legend calls the classes
//! negative_name = "cat"
//! activation = "softsign"      # after the layer of two units; none if nothing is said
//! ```

use super::Run;
use onesided_net::{Activation, Layer, Network};
use serde::Deserialize;

/// What to draw.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FigureSpec {
    /// Epochs to show, in order, counted from 1.
    pub epochs: Vec<usize>,
    /// Training rows to draw, labeled or not, picked at random.
    #[serde(default = "samples")]
    pub samples: usize,
    /// What a row of the positive class is called.
    #[serde(default = "positive")]
    pub positive_name: String,
    /// What a row of the negative class is called.
    #[serde(default = "negative")]
    pub negative_name: String,
    /// What follows the layer of two units.
    pub activation: Option<Activation>,
}

fn samples() -> usize {
    500
}

fn positive() -> String {
    "positive".into()
}

fn negative() -> String {
    "negative".into()
}

/// Fewer samples than this show no cloud, and more would be one dark spot.
const SAMPLES: std::ops::RangeInclusive<usize> = 10..=5000;

impl FigureSpec {
    /// Refuses what cannot be drawn of the runs that the spec has.
    pub(crate) fn check(&self, runs: &[Run]) -> Result<(), String> {
        let [run] = runs else {
            return Err(format!(
                "a figure is of one run, but the spec has {}; keep one data set, hidden fraction, method and seed",
                runs.len()
            ));
        };
        if !run.settings.trains_network() {
            let name = &run.settings.objective;
            return Err(format!("a figure is of a network in training, but {name} trains none"));
        }
        let last = run.settings.config.epochs;
        if self.epochs.is_empty() {
            return Err("figure: epochs is empty; name at least one".into());
        }
        if let Some(wrong) = self.epochs.iter().find(|epoch| !(1..=last).contains(epoch)) {
            return Err(format!(
                "figure: epoch {wrong} is to be shown, but training goes from epoch 1 to epoch {last}"
            ));
        }
        if !self.epochs.is_sorted_by(|a, b| a < b) {
            return Err("figure: epochs must be in order, each once".into());
        }
        if !SAMPLES.contains(&self.samples) {
            let (low, high) = (SAMPLES.start(), SAMPLES.end());
            return Err(format!("figure: samples must lie in [{low}, {high}], but is {}", self.samples));
        }
        Ok(())
    }

    /// The network with the layer of two units before its score.
    pub(crate) fn narrowed(&self, mut network: Network) -> Network {
        let score = network.layers.len().saturating_sub(1);
        let activation = self.activation.map(|activation| Layer::Activate { activation });
        let layers = [Some(Layer::Dense { outputs: 2, bias: true }), activation];
        network.layers.splice(score..score, layers.into_iter().flatten());
        network
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use onesided_net::{Architecture, Shape};
    use std::fs;

    const SMALL: &str = r#"
        title = "small"
        hidden = [0.4]
        seeds = [0]
        [train]
        epochs = 7
        [figure]
        epochs = [1, 4, 7]
        positive_name = "dog"
        [[data]]
        name = "cifar10"
        positive = ["dog"]
        negative = ["cat"]
        [[method]]
        name = "collective"
    "#;

    fn read(name: &str, text: &str) -> Result<Spec, String> {
        let file = std::env::temp_dir().join(format!("onesided-figure-{}-{name}.toml", std::process::id()));
        fs::write(&file, text).unwrap();
        let spec = Spec::read(&file);
        fs::remove_file(file).unwrap();
        spec.map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_left_open_has_a_default() {
        let figure = read("defaults", SMALL).unwrap().figure.unwrap();
        assert_eq!((figure.samples, figure.epochs.as_slice()), (500, &[1, 4, 7][..]));
        assert_eq!((figure.positive_name.as_str(), figure.negative_name.as_str()), ("dog", "negative"));
        assert_eq!(figure.activation, None);
        assert!(read("none", &SMALL.replace("[figure]", "").replace("epochs = [1, 4, 7]\n", "")).is_err());
    }

    #[test]
    fn mistakes_are_named() {
        let message = |name: &str, from: &str, to: &str| read(name, &SMALL.replace(from, to)).unwrap_err();
        assert!(message("two", "seeds = [0]", "seeds = [0, 1]").contains("of one run, but the spec has 2"));
        assert!(message("classic", "\"collective\"", "\"weighted-lr\"").contains("weighted-lr trains none"));
        assert!(message("late", "[1, 4, 7]", "[1, 4, 8]").contains("epoch 8 is to be shown"));
        assert!(message("zero", "[1, 4, 7]", "[0]").contains("epoch 0 is to be shown"));
        assert!(message("twice", "[1, 4, 7]", "[4, 4]").contains("in order, each once"));
        assert!(message("empty", "[1, 4, 7]", "[]").contains("epochs is empty"));
        assert!(message("few", "positive_name", "samples = 3\npositive_name").contains("lie in [10, 5000]"));
        assert!(message("typo", "positive_name", "positiv_name").contains("unknown field `positiv_name`"));
        assert!(message("form", "positive_name", "activation = \"tanh\"\npositive_name").contains("tanh"));
    }

    #[test]
    fn two_units_come_before_the_score() {
        let mut figure = read("units", SMALL).unwrap().figure.unwrap();
        let cnn: Architecture = "cnn".parse().unwrap();
        let network = cnn.network(Shape { channels: 3, height: 8, width: 8 }).unwrap();
        let before = network.layers.clone();
        let network = figure.narrowed(network);
        let (rest, two) = network.layers.split_at(before.len() - 1);
        assert_eq!(rest, &before[..before.len() - 1]);
        assert_eq!(two, [Layer::Dense { outputs: 2, bias: true }, Layer::Dense { outputs: 1, bias: true }]);
        figure.activation = Some(Activation::Softsign);
        let network = figure.narrowed(network);
        assert_eq!(network.shapes().unwrap().last().map(Shape::len), Some(1));
        assert_eq!(network.layers.len(), before.len() + 3);
    }
}
