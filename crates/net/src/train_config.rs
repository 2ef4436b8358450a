//! How a network is trained: sizes, rates, the schedule, and what takes part besides the objective.

use crate::NetError;
use crate::augment::Augment;
use crate::device::{Device, Precision};
use crate::engine::ExecutorConfig;
use crate::mixup::Mixup;
use crate::optimizer::{Optimizer, Schedule};
use crate::sampler::Mix;
use crate::spec::{Network, Shape};
use crate::teacher::Teacher;
use serde::{Deserialize, Serialize};

/// How to train.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrainConfig {
    /// Rows per step, positives and unlabeled together.
    pub batch: usize,
    /// Passes over the unlabeled rows.
    pub epochs: usize,
    /// End after this epoch, with the learning rates of the whole run of `epochs`.
    pub stop_after: Option<usize>,
    /// Size of the first steps.
    pub learning_rate: f64,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// How the rate falls.
    pub schedule: Schedule,
    /// Epochs over which the rate rises in a straight line before it has its full size; the schedule runs alongside it.
    /// Deep networks without batch norm may fall to one class at once without it.
    #[serde(default)]
    pub warm_up: f64,
    /// L2 penalty.
    pub weight_decay: f64,
    /// Share of positives in a batch.
    pub mix: Mix,
    /// Stop after this many epochs without a lower held-out risk.
    pub patience: Option<usize>,
    /// Keep the epoch of the lowest held-out risk rather than the last one.
    pub keep_best: bool,
    /// Every random stream is derived from it.
    pub seed: u64,
    /// Threads of the CPU; 0 for every core.
    pub threads: usize,
    /// What is done to images before they are learned from.
    #[serde(default)]
    pub augment: Augment,
    /// Whether a teacher takes part, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teacher: Option<Teacher>,
    /// Whether rows are mixed, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixup: Option<Mixup>,
    /// Keep a moving average of the weights, of which this much stays at each step, in the place of the last weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average: Option<f64>,
    /// Where to train.
    #[serde(default)]
    pub device: Device,
    /// Numbers of a GPU.
    #[serde(default)]
    pub precision: Precision,
}

impl Default for TrainConfig {
    fn default() -> Self {
        Self {
            batch: 512,
            epochs: 50,
            stop_after: None,
            learning_rate: 1e-3,
            optimizer: Optimizer::Nadam,
            schedule: Schedule::Cosine,
            warm_up: 0.0,
            weight_decay: 0.0,
            mix: Mix::Proportional,
            patience: None,
            keep_best: true,
            seed: 0,
            threads: 0,
            augment: Augment::default(),
            teacher: None,
            mixup: None,
            average: None,
            device: Device::default(),
            precision: Precision::default(),
        }
    }
}

impl TrainConfig {
    /// Refuses numbers that no training can use, in one sentence.
    pub fn check(&self) -> Result<(), NetError> {
        let refuse = |what: String| Err(NetError::Config(what));
        if self.batch < 2 {
            return refuse(format!("the batch must hold at least 2 rows, but is {}", self.batch));
        }
        if self.epochs == 0 {
            return refuse("the number of epochs must be at least 1, but is 0".into());
        }
        if !(self.learning_rate > 0.0 && self.learning_rate.is_finite()) {
            return refuse(format!("the learning rate must be above 0, but is {}", self.learning_rate));
        }
        if !(self.weight_decay >= 0.0 && self.weight_decay.is_finite()) {
            return refuse(format!("the weight decay must be 0 or above, but is {}", self.weight_decay));
        }
        if !(self.warm_up >= 0.0 && self.warm_up <= self.epochs as f64) {
            let (warm_up, epochs) = (self.warm_up, self.epochs);
            return refuse(format!(
                "the warm-up must last 0 to {epochs} epochs, the whole run, but is {warm_up}"
            ));
        }
        if self.stop_after == Some(0) {
            return refuse("training cannot stop after epoch 0".into());
        }
        if self.patience == Some(0) {
            return refuse("the patience must be at least 1 epoch, but is 0".into());
        }
        if let Some(rate) = self.average {
            if !(0.0..1.0).contains(&rate) {
                return refuse(format!("the average's rate must be 0 or above and below 1, but is {rate}"));
            }
            if let Some(teacher) = self.teacher.filter(|teacher| teacher.rate != rate) {
                return refuse(format!(
                    "a teacher is a moving average itself, of rate {}: an average of rate {rate} cannot be kept next to it; \
                     give both the same rate",
                    teacher.rate
                ));
            }
        }
        if let Some(mixup) = self.mixup {
            mixup.check()?;
            if self.teacher.is_some() {
                return refuse(
                    "a teacher has strong views and mixup mixed rows of a batch; leave one of them out"
                        .into(),
                );
            }
        }
        self.teacher.map_or(Ok(()), |teacher| teacher.check())
    }

    /// The device that the settings mean for this network: never [`Auto`](Device::Auto).
    pub fn device_for(&self, network: &Network) -> Device {
        self.device.resolve(network, self.batch)
    }

    /// The rate of the moving average of weights, where one is kept.
    pub(crate) fn average_rate(&self) -> Option<f64> {
        self.teacher.map(|teacher| teacher.rate).or(self.average)
    }

    /// The same, and what the rows must be like.
    pub(crate) fn check_for(&self, input: Shape) -> Result<(), NetError> {
        self.check()?;
        if let Some(teacher) = self.teacher {
            teacher.check()?;
        }
        self.augment.check(input)
    }

    /// The part of it that executors are set to.
    pub fn executor_config(&self) -> ExecutorConfig {
        let Self { optimizer, weight_decay, threads, precision, batch, teacher, mixup, .. } = *self;
        // With a teacher, rows go through the network as two views; with mixup, those of U once more.
        let strong = if teacher.is_some() || mixup.is_some() { batch } else { 0 };
        let batch = batch + strong;
        ExecutorConfig { optimizer, weight_decay, threads, precision, batch, strong }
    }
}

/// The share of the full learning rate that a warm-up of this many steps has come to at `step`, counted from 0.
pub(crate) fn warm_up_factor(step: u64, warm_up: f64) -> f64 {
    let done = (step + 1) as f64;
    if done >= warm_up { 1.0 } else { done / warm_up }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warm_up_rises_in_equal_steps_and_then_leaves_the_rate_alone() {
        let rates: Vec<f64> = (0..6).map(|step| warm_up_factor(step, 4.0)).collect();
        assert_eq!(rates, [0.25, 0.5, 0.75, 1.0, 1.0, 1.0]);
        assert_eq!(warm_up_factor(0, 0.0), 1.0);
        assert_eq!(warm_up_factor(0, 2.5), 0.4);
    }
}
