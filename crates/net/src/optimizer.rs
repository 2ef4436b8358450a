//! Optimizers, as PyTorch defines them: NAdam (Dozat, 2016), Adam (Kingma and Ba, 2015), SGD with momentum.
//!
//! Weight decay is the L2 kind (added to the gradient), the default of PyTorch's three classes of these names. NAdamW and
//! AdamW shrink the weights instead, by the factor 1 - rate · decay before each step (Loshchilov and Hutter, 2019).

use onesided_data::unknown_name;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

const BETA1: f64 = 0.9;
const BETA2: f64 = 0.999;
const EPSILON: f64 = 1e-8;
/// How slowly NAdam's momentum warms up.
const MOMENTUM_DECAY: f64 = 4e-3;

/// The rule that turns gradients into steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimizer {
    /// Adam with Nesterov momentum; the paper's choice.
    Nadam,
    /// Adam.
    Adam,
    /// NAdam that shrinks the weights instead of adding decay to their gradient.
    NadamW,
    /// Adam that does so.
    AdamW,
    /// Stochastic gradient descent.
    Sgd {
        /// 0 for none.
        momentum: f32,
    },
}

impl fmt::Display for Optimizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Optimizer::Nadam => "nadam",
            Optimizer::Adam => "adam",
            Optimizer::NadamW => "nadamw",
            Optimizer::AdamW => "adamw",
            Optimizer::Sgd { .. } => "sgd",
        })
    }
}

impl FromStr for Optimizer {
    type Err = crate::NetError;

    /// `sgd` has momentum 0.9.
    fn from_str(text: &str) -> Result<Self, crate::NetError> {
        match text {
            "nadam" => Ok(Optimizer::Nadam),
            "adam" => Ok(Optimizer::Adam),
            "nadamw" => Ok(Optimizer::NadamW),
            "adamw" => Ok(Optimizer::AdamW),
            "sgd" => Ok(Optimizer::Sgd { momentum: 0.9 }),
            _ => {
                let known = ["nadam", "adam", "nadamw", "adamw", "sgd"];
                Err(crate::NetError::Config(unknown_name("optimizer", text, &known)))
            }
        }
    }
}

/// How the learning rate moves over a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// The same at every step.
    Constant,
    /// From the full rate to zero along half a cosine (Loshchilov and Hutter, 2017).
    Cosine,
}

impl Schedule {
    /// The factor on the learning rate at `step` of `steps`.
    ///
    /// ```
    /// use onesided_net::Schedule;
    ///
    /// assert_eq!(Schedule::Cosine.factor(0, 100), 1.0);
    /// assert!((Schedule::Cosine.factor(50, 100) - 0.5).abs() < 1e-15);
    /// ```
    pub fn factor(self, step: u64, steps: u64) -> f64 {
        match self {
            Schedule::Constant => 1.0,
            Schedule::Cosine => {
                let done = step.min(steps) as f64 / steps.max(1) as f64;
                0.5 * (1.0 + (std::f64::consts::PI * done).cos())
            }
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Schedule::Constant => "constant",
            Schedule::Cosine => "cosine",
        })
    }
}

impl FromStr for Schedule {
    type Err = crate::NetError;

    fn from_str(text: &str) -> Result<Self, crate::NetError> {
        match text {
            "constant" => Ok(Schedule::Constant),
            "cosine" => Ok(Schedule::Cosine),
            _ => Err(crate::NetError::Config(unknown_name("schedule", text, &["constant", "cosine"]))),
        }
    }
}

/// What an optimizer keeps between steps besides the two moments: the step count and NAdam's momentum product.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Clock {
    pub step: u64,
    pub momentum_product: f64,
}

impl Clock {
    pub fn start() -> Self {
        Self { step: 0, momentum_product: 1.0 }
    }

    /// Whether it could have come to be by steps: no run takes 2^53 of them.
    pub fn is_sound(&self) -> bool {
        self.step < 1 << 53 && (0.0..=1.0).contains(&self.momentum_product)
    }

    /// Moves to the next step and gives its coefficients.
    pub fn tick(&mut self, optimizer: Optimizer, learning_rate: f64, weight_decay: f64) -> Step {
        self.step += 1;
        let t = self.step as f64;
        let (gradient, moment) = match optimizer {
            Optimizer::Nadam | Optimizer::NadamW => {
                let warm = |t: f64| BETA1 * (1.0 - 0.5 * 0.96f64.powf(t * MOMENTUM_DECAY));
                let (now, next) = (warm(t), warm(t + 1.0));
                self.momentum_product *= now;
                let ahead = self.momentum_product * next;
                (
                    learning_rate * (1.0 - now) / (1.0 - self.momentum_product),
                    learning_rate * next / (1.0 - ahead),
                )
            }
            Optimizer::Adam | Optimizer::AdamW => (0.0, learning_rate / (1.0 - BETA1.powf(t))),
            Optimizer::Sgd { .. } => (0.0, learning_rate),
        };
        let apart = matches!(optimizer, Optimizer::NadamW | Optimizer::AdamW);
        let (weight_decay, kept) =
            if apart { (0.0, 1.0 - learning_rate * weight_decay) } else { (weight_decay, 1.0) };
        Step {
            optimizer,
            gradient: gradient as f32,
            moment: moment as f32,
            variance_scale: (1.0 / (1.0 - BETA2.powf(t))) as f32,
            weight_decay: weight_decay as f32,
            kept: kept as f32,
        }
    }
}

/// How many numbers a step's kernel takes.
#[cfg(feature = "cuda")]
pub(crate) const COEFFICIENTS: usize = 5;

/// Coefficients of one step, the same for every parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    optimizer: Optimizer,
    gradient: f32,
    moment: f32,
    variance_scale: f32,
    weight_decay: f32,
    /// The factor that weights are shrunk by.
    kept: f32,
}

impl Step {
    /// The numbers that a step's kernel on a GPU takes, in its order.
    #[cfg(feature = "cuda")]
    pub fn coefficients(&self) -> [f32; COEFFICIENTS] {
        [self.gradient, self.moment, self.variance_scale, self.weight_decay, self.kept]
    }

    /// Updates a run of parameters from their gradient. All slices have one length; `second` is unused by SGD.
    #[inline(always)]
    pub fn apply(&self, weights: &mut [f32], gradient: &[f32], first: &mut [f32], second: &mut [f32]) {
        let n = weights.len();
        let (gradient, first, second) = (&gradient[..n], &mut first[..n], &mut second[..n]);
        match self.optimizer {
            Optimizer::Nadam | Optimizer::Adam | Optimizer::NadamW | Optimizer::AdamW => {
                let (b1, b2) = (BETA1 as f32, BETA2 as f32);
                // Taken in f64 first: 1 - 0.999 in f32 is off by one part in 10^5.
                let (c1, c2) = ((1.0 - BETA1) as f32, (1.0 - BETA2) as f32);
                for i in 0..n {
                    let g = gradient[i] + self.weight_decay * weights[i];
                    let m = b1 * first[i] + c1 * g;
                    let v = b2 * second[i] + c2 * g * g;
                    (first[i], second[i]) = (m, v);
                    let root = (v * self.variance_scale).sqrt() + EPSILON as f32;
                    weights[i] = self.kept * weights[i] - (self.gradient * g + self.moment * m) / root;
                }
            }
            Optimizer::Sgd { momentum } => {
                for i in 0..n {
                    let g = gradient[i] + self.weight_decay * weights[i];
                    first[i] = momentum * first[i] + g;
                    weights[i] -= self.moment * first[i];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One parameter after steps with these gradients, at a rate of 0.1.
    fn after(optimizer: Optimizer, weight_decay: f64, gradients: &[f32]) -> f32 {
        let (mut clock, mut weight, mut first, mut second) = (Clock::start(), [2.0], [0.0], [0.0]);
        for gradient in gradients {
            clock.tick(optimizer, 0.1, weight_decay).apply(
                &mut weight,
                &[*gradient],
                &mut first,
                &mut second,
            );
        }
        weight[0]
    }

    #[test]
    fn first_steps_by_hand() {
        let near = |have: f32, want: f32| assert!((have - want).abs() < 1e-6, "{have} against {want}");
        // Whatever the gradient's size, Adam's first step has the size of the rate.
        near(after(Optimizer::Adam, 0.0, &[0.5]), 1.9);
        near(after(Optimizer::Adam, 0.0, &[-30.0]), 2.1);
        // Decay of 0.5 added to a gradient of -0.5 makes it 0.5 · 2 - 0.5 = 0.5, and turns the step around.
        near(after(Optimizer::Adam, 0.5, &[-0.5]), 1.9);
        // The other kind shrinks the weight by 1 - 0.1 · 0.5 first: 0.95 · 2 + 0.1.
        near(after(Optimizer::AdamW, 0.5, &[-0.5]), 2.0);
        // With momentum 0.9, steps of 0.1 · 1 and 0.1 · 1.9.
        near(after(Optimizer::Sgd { momentum: 0.9 }, 0.0, &[1.0, 1.0]), 1.71);
        near(after(Optimizer::Sgd { momentum: 0.0 }, 0.5, &[1.0]), 1.8);
    }

    #[test]
    fn a_cosine_ends_at_zero_and_stays_there() {
        let factors = [0, 25, 50, 100, 130].map(|step| Schedule::Cosine.factor(step, 100));
        // (1 + cos(π/4)) / 2 = 0.5 + √2 / 4.
        let want = [1.0, 0.5 + 2f64.sqrt() / 4.0, 0.5, 0.0, 0.0];
        assert!(factors.iter().zip(want).all(|(have, want)| (have - want).abs() < 1e-15), "{factors:?}");
        assert_eq!(Schedule::Constant.factor(100, 100), 1.0);
        // A run without steps has its full rate, not a division by zero.
        assert_eq!(Schedule::Cosine.factor(0, 0), 1.0);
    }

    #[test]
    fn names_are_read_back() {
        for name in ["nadam", "adam", "nadamw", "adamw", "sgd"] {
            assert_eq!(name.parse::<Optimizer>().unwrap().to_string(), name);
        }
        for name in ["constant", "cosine"] {
            assert_eq!(name.parse::<Schedule>().unwrap().to_string(), name);
        }
        let error = "adem".parse::<Optimizer>().unwrap_err().to_string();
        assert!(error.contains("did you mean 'adam'?"), "{error}");
    }

    #[test]
    fn a_clock_that_no_run_could_have_is_not_sound() {
        let mut clock = Clock::start();
        clock.tick(Optimizer::Nadam, 0.1, 0.0);
        assert!(clock.is_sound() && clock.momentum_product < 1.0);
        assert!(!Clock { step: 1 << 53, momentum_product: 1.0 }.is_sound());
        assert!(!Clock { step: 1, momentum_product: f64::NAN }.is_sound());
        assert!(!Clock { step: 1, momentum_product: 1.5 }.is_sound());
    }
}
