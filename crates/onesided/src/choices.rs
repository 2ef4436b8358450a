//! What is chosen where the user says nothing: the settings of training, by the size of the data and the network.

use crate::Error;
use onesided_data::Mix;
use onesided_loss::Reduction;
use onesided_net::{Architecture, Augment, Device, Optimizer, Precision, Schedule, TrainConfig};

/// Passes over small data; also the most that are made by default.
const MOST_EPOCHS: usize = 100;
/// Even large data are seen a few times.
const FEWEST_EPOCHS: usize = 4;
/// Steps that a default training run aims at: 100 epochs up to 40,000 rows, 4 for a million.
const STEPS: usize = 8_000;
/// Batches of this size keep the noise of the mean over U low (about 0.02 at μ = 0.25) and the processor busy.
const LARGEST_BATCH: usize = 512;
/// Smaller data get smaller batches, so that an epoch has about four steps.
const SMALLEST_BATCH: usize = 32;
/// A batch has at least this share of positives: with fewer, the gradient of P is noise.
const SHARE_OF_POSITIVES: f64 = 0.1;

/// The settings of the training loop that a user may give; `None` is chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wishes {
    pub batch: Option<usize>,
    pub epochs: Option<usize>,
    pub learning_rate: Option<f64>,
    pub optimizer: Option<Optimizer>,
    pub schedule: Option<Schedule>,
    pub warm_up: Option<f64>,
    pub weight_decay: Option<f64>,
    pub patience: Option<usize>,
    pub seed: u64,
    pub threads: usize,
    pub augment: Augment,
    pub device: Device,
    pub precision: Precision,
}

impl Wishes {
    /// Refuses what no training can use, before any work is done.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |what, range, value| Err(Error::Setting { what, range, value });
        match *self {
            Wishes { epochs: Some(0), .. } => wrong("number of epochs", "at least 1", 0.0),
            Wishes { patience: Some(0), .. } => wrong("patience", "at least 1 epoch", 0.0),
            Wishes { batch: Some(batch), .. } if batch < 2 => {
                wrong("batch size", "at least 2, one positive and one unlabeled row", batch as f64)
            }
            Wishes { learning_rate: Some(rate), .. } if !(rate > 0.0 && rate.is_finite()) => {
                wrong("learning rate", "a positive number", rate)
            }
            Wishes { warm_up: Some(warm_up), .. } if !(warm_up >= 0.0 && warm_up.is_finite()) => {
                wrong("warm-up", "0 or more epochs", warm_up)
            }
            Wishes { weight_decay: Some(decay), .. } if !(decay >= 0.0 && decay.is_finite()) => {
                wrong("weight decay", "0 or a positive number", decay)
            }
            _ => Ok(()),
        }
    }

    /// The whole configuration for `rows` training rows.
    pub fn config(&self, rows: usize, architecture: &Architecture, mix: Mix) -> TrainConfig {
        let batch = self.batch.unwrap_or_else(|| (rows / 4).clamp(SMALLEST_BATCH, LARGEST_BATCH));
        let steps_per_epoch = rows.div_ceil(batch).max(1);
        let epochs =
            self.epochs.unwrap_or_else(|| (STEPS / steps_per_epoch).clamp(FEWEST_EPOCHS, MOST_EPOCHS));
        TrainConfig {
            batch,
            epochs,
            stop_after: None,
            learning_rate: self.learning_rate.unwrap_or_else(|| learning_rate(architecture)),
            optimizer: self.optimizer.unwrap_or(Optimizer::Nadam),
            schedule: self.schedule.unwrap_or(Schedule::Cosine),
            warm_up: self.warm_up.unwrap_or(0.0),
            weight_decay: self.weight_decay.unwrap_or(1e-4),
            mix,
            patience: Some(self.patience.unwrap_or((epochs / 5).max(5))),
            keep_best: true,
            seed: self.seed,
            threads: self.threads,
            augment: self.augment,
            device: self.device,
            precision: self.precision,
        }
    }
}

/// The deeper the network, the smaller the steps; batch norm allows for larger ones. Picked once for all methods, on
/// the built-in digits.
fn learning_rate(architecture: &Architecture) -> f64 {
    match architecture {
        Architecture::Linear => 1e-2,
        Architecture::Mlp { batch_norm: true, .. } => 3e-3,
        Architecture::Mlp { .. } | Architecture::Cnn => 1e-3,
        Architecture::Vgg16 { .. } => 5e-4,
    }
}

/// Objectives that average over the whole batch mean something else when its mix changes; the others average over P and
/// over U apart and are served better by a floor under the number of positives.
pub(crate) fn mix(method: &str, reduction: Option<Reduction>) -> Mix {
    let depends_on_mix = matches!(method, "naive" | "supervised") || reduction == Some(Reduction::SampleMean);
    if depends_on_mix { Mix::Proportional } else { Mix::AtLeast(SHARE_OF_POSITIVES) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(rows: usize) -> (usize, usize) {
        let config = Wishes::default().config(rows, &Architecture::Linear, Mix::Proportional);
        (config.batch, config.epochs)
    }

    #[test]
    fn batches_and_epochs_follow_the_size_of_the_data() {
        assert_eq!(chosen(40), (32, 100));
        assert_eq!(chosen(1_000), (250, 100));
        assert_eq!(chosen(40_000), (512, 100));
        assert_eq!(chosen(200_000), (512, 20));
        assert_eq!(chosen(1_000_000), (512, 4));
        assert_eq!(chosen(50_000_000), (512, 4));
    }

    #[test]
    fn what_is_asked_for_is_done() {
        let wishes =
            Wishes { batch: Some(7), epochs: Some(3), learning_rate: Some(0.5), ..Wishes::default() };
        let config = wishes.config(1_000, &Architecture::Vgg16 { batch_norm: true }, Mix::Proportional);
        assert_eq!((config.batch, config.epochs, config.learning_rate), (7, 3, 0.5));
        let deep =
            Wishes::default().config(1_000, &Architecture::Vgg16 { batch_norm: true }, Mix::Proportional);
        assert_eq!(deep.learning_rate, 5e-4);
    }

    #[test]
    fn impossible_wishes_are_named() {
        let message = |wishes: Wishes| wishes.check().unwrap_err().to_string();
        assert_eq!(
            message(Wishes { learning_rate: Some(-1.0), ..Wishes::default() }),
            "the learning rate must be a positive number, but is -1"
        );
        assert!(
            message(Wishes { epochs: Some(0), ..Wishes::default() }).contains("epochs must be at least 1")
        );
        assert!(message(Wishes { batch: Some(1), ..Wishes::default() }).contains("at least 2"));
        assert!(message(Wishes { weight_decay: Some(f64::NAN), ..Wishes::default() }).contains("NaN"));
        assert!(message(Wishes { patience: Some(0), ..Wishes::default() }).contains("patience"));
    }

    #[test]
    fn only_objectives_that_average_over_p_and_u_apart_get_more_positives() {
        assert_eq!(mix("naive", None), Mix::Proportional);
        assert_eq!(mix("collective", Some(Reduction::SampleMean)), Mix::Proportional);
        assert_eq!(mix("collective", Some(Reduction::PriorWeighted)), Mix::AtLeast(0.1));
        assert_eq!(mix("nnpu", None), Mix::AtLeast(0.1));
    }
}
