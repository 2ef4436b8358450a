//! Training with mixed rows: each unlabeled row of a batch once more, mixed with a positive of the batch
//! ([`mixup`](onesided_loss::mixup())).
//!
//! A step draws one share g from Beta(α, α) and a positive for each unlabeled row. Both rows are taken as the batch has them,
//! moved and mirrored, and the mixed rows go through the network with the others. The objective sees the plain rows alone; the
//! regularizer, times a weight, is added to it. Draws follow from the seed and the step.

use crate::NetError;
use crate::executor::Draw;
use onesided_data::Stream;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How rows are mixed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixup {
    /// The weight of the regularizer beside the objective.
    pub weight: f64,
    /// α of the Beta distribution of shares: the smaller it is, the less a row is mixed.
    pub alpha: f64,
}

impl Default for Mixup {
    /// The paper's for small images of clothes and for tables.
    fn default() -> Self {
        Self { weight: 0.3, alpha: 0.3 }
    }
}

impl Mixup {
    /// Refuses numbers that cannot be used, in one sentence.
    pub fn check(&self) -> Result<(), NetError> {
        let refuse = |what: &str, range: &str, value: f64| {
            Err(NetError::Config(format!("mixup's {what} must be {range}, but is {value}")))
        };
        if !(self.weight > 0.0 && self.weight.is_finite()) {
            return refuse("weight", "above 0", self.weight);
        }
        if !(0.05..=100.0).contains(&self.alpha) {
            return refuse("alpha", "from 0.05 to 100", self.alpha);
        }
        Ok(())
    }

    /// The share of the unlabeled row at a training step, and the draws of partners that follow it.
    pub fn draw(&self, seed: u64, step: u64) -> (f64, Stream) {
        let mut stream = Stream::new(seed ^ step.rotate_left(17), "mixup");
        let (a, b) = (gamma(self.alpha, &mut stream), gamma(self.alpha, &mut stream));
        (a / (a + b), stream)
    }
}

/// A draw from the gamma distribution of this shape, by the method of Marsaglia and Tsang (2000).
fn gamma(shape: f64, stream: &mut Stream) -> f64 {
    if shape < 1.0 {
        // Never 0, so that the share of two draws is a number.
        let uniform = stream.uniform().max(1e-12);
        return gamma(shape + 1.0, stream) * uniform.powf(1.0 / shape);
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = stream.normal();
        let v = (1.0 + c * x).powi(3);
        if v > 0.0 && stream.uniform().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// What a row of a batch is mixed with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Partner {
    /// Row number of the data set.
    pub row: u32,
    /// How it is cut and mirrored.
    pub draw: Draw,
    /// The share of the row itself; the rest is the partner's.
    pub share: f32,
}

/// Whether rows are mixed: `off`, `on`, or `on` with other numbers, such as `weight=0.03`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Mixing {
    /// Rows as they are.
    #[default]
    Off,
    /// With mixed rows.
    On(Mixup),
}

impl From<Mixing> for Option<Mixup> {
    fn from(mixing: Mixing) -> Self {
        match mixing {
            Mixing::Off => None,
            Mixing::On(mixup) => Some(mixup),
        }
    }
}

impl fmt::Display for Mixing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mixing::Off => f.write_str("off"),
            Mixing::On(mixup) if *mixup == Mixup::default() => f.write_str("on"),
            Mixing::On(Mixup { weight, alpha }) => write!(f, "weight={weight},alpha={alpha}"),
        }
    }
}

impl FromStr for Mixing {
    type Err = NetError;

    fn from_str(text: &str) -> Result<Self, NetError> {
        let refuse = || {
            NetError::Config(format!(
                "unknown mixup '{text}'; use on, off, or its weight and alpha, such as weight=0.03,alpha=0.3"
            ))
        };
        let mut mixup = Mixup::default();
        match text {
            "off" => return Ok(Mixing::Off),
            "on" => return Ok(Mixing::On(mixup)),
            _ => {}
        }
        for pair in text.split(',') {
            let (name, value) = pair.split_once('=').ok_or_else(refuse)?;
            let place = match name.trim() {
                "weight" => &mut mixup.weight,
                "alpha" => &mut mixup.alpha,
                _ => return Err(refuse()),
            };
            *place = value.trim().parse().map_err(|_| refuse())?;
        }
        mixup.check()?;
        Ok(Mixing::On(mixup))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_as_they_were() {
        for name in ["on", "off", "weight=0.03,alpha=0.3", "weight=1,alpha=6"] {
            assert_eq!(name.parse::<Mixing>().unwrap().to_string(), name);
        }
        for wrong in ["", "yes", "weight", "weight=x", "speed=1"] {
            let message = wrong.parse::<Mixing>().unwrap_err().to_string();
            assert!(message.contains(&format!("unknown mixup '{wrong}'")), "{message}");
        }
        assert!("weight=0".parse::<Mixing>().unwrap_err().to_string().contains("above 0, but is 0"));
        assert!("alpha=1000".parse::<Mixing>().unwrap_err().to_string().contains("from 0.05 to 100"));
    }

    #[test]
    fn shares_have_the_moments_of_their_distribution() {
        // Beta(α, α) has mean 1/2 and variance 1 / (8 α + 4).
        for alpha in [0.05, 0.3, 1.0, 6.0] {
            let mixup = Mixup { alpha, ..Mixup::default() };
            let shares: Vec<f64> = (0..20_000).map(|step| mixup.draw(3, step).0).collect();
            let mean = shares.iter().sum::<f64>() / 20_000.0;
            let variance = shares.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
            assert!(shares.iter().all(|x| (0.0..=1.0).contains(x)));
            assert!((mean - 0.5).abs() < 0.012, "{alpha}: {mean}");
            assert!((variance * (8.0 * alpha + 4.0) - 1.0).abs() < 0.05, "{alpha}: {variance}");
        }
        assert_eq!(Mixup::default().draw(1, 2).0, Mixup::default().draw(1, 2).0);
    }
}
