//! The numbers of a network, and how they start.

use crate::NetError;
use crate::spec::{Activation, Layer, Network};
use onesided_data::Stream;

/// A named array of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// `LAYER.weight` and the like.
    pub name: String,
    /// Lengths of its axes, outermost first.
    pub shape: Vec<usize>,
    /// Its numbers, last axis fastest.
    pub data: Vec<f32>,
}

/// Every tensor of a network in layer order, running statistics included.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The tensors.
    pub tensors: Vec<Tensor>,
}

impl Weights {
    /// Starting weights: He's normal before a ReLU (He et al., 2015), Glorot's uniform before softsign (Glorot and
    /// Bengio, 2010), U(±1/√fan-in) for the score. Biases start at 0, the score's at `start_bias`, the logit of the
    /// prior, so that the first scores already have the right mean.
    pub fn initial(network: &Network, start_bias: f64, seed: u64) -> Result<Self, NetError> {
        let specs = network.tensors()?;
        let last = network.layers.len() - 1;
        let mut stream = Stream::new(seed, "weights");
        let tensors = specs.iter().map(|spec| {
            let fan_in = spec.fan_in as f64;
            let what = spec.name.rsplit('.').next().unwrap_or_default();
            let data: Vec<f32> = match what {
                "weight" if spec.norm => vec![1.0; spec.len()],
                "variance" => vec![1.0; spec.len()],
                "weight" => {
                    let (scale, uniform) = if spec.layer == last {
                        ((1.0 / fan_in).sqrt(), true)
                    } else {
                        match activation_after(network, spec.layer) {
                            Some(Activation::Softsign) => {
                                ((6.0 / (fan_in + spec.shape[0] as f64)).sqrt(), true)
                            }
                            _ => ((2.0 / fan_in).sqrt(), false),
                        }
                    };
                    let mut draw = || if uniform { 2.0 * stream.uniform() - 1.0 } else { stream.normal() };
                    (0..spec.len()).map(|_| (scale * draw()) as f32).collect()
                }
                "bias" if spec.layer == last => vec![start_bias as f32; spec.len()],
                _ => vec![0.0; spec.len()],
            };
            Tensor { name: spec.name.clone(), shape: spec.shape.clone(), data }
        });
        Ok(Self { tensors: tensors.collect() })
    }
}

/// The activation that a layer's output meets first.
fn activation_after(network: &Network, layer: usize) -> Option<Activation> {
    network.layers[layer + 1..].iter().find_map(|l| match l {
        Layer::Activate { activation } => Some(*activation),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Shape};

    #[test]
    fn initial_weights_have_the_stated_spread_and_bias() {
        let network = "mlp:256,256:plain".parse::<Architecture>().unwrap().network(Shape::flat(400)).unwrap();
        let weights = Weights::initial(&network, -1.5, 3).unwrap();
        network.check(&weights).unwrap();
        let spread = |data: &[f32]| {
            (data.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / data.len() as f64).sqrt()
        };
        let first = &weights.tensors[0];
        assert_eq!(first.shape, [256, 400]);
        assert!((spread(&first.data) / (2.0f64 / 400.0).sqrt() - 1.0).abs() < 0.02);
        assert_eq!(weights.tensors.last().unwrap().data, [-1.5]);
    }
}
