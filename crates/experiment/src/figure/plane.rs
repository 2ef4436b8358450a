//! The plane of the two units: where rows lie on it, and where the decision changes.
//!
//! With activations a of the layer of two units, the score is w·a + b, and the boundary is the line w·a + b = 0. A network
//! gives one number per row, so a is read with two copies of the trained weights in which w is (1, 0) and (0, 1) and b is 0.

use onesided_net::{Engine, ExecutorConfig, NetError, Network, Tensor, Weights, scores_on};

/// The line w·a + b = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boundary {
    /// w.
    pub weight: [f64; 2],
    /// b.
    pub bias: f64,
}

impl Boundary {
    /// That of the last layer, which takes the two units to the score.
    pub(crate) fn of(weights: &mut Weights) -> Result<Self, NetError> {
        let (weight, bias) = last(weights)?;
        let weight = [f64::from(weight.data[0]), f64::from(weight.data[1])];
        Ok(Self { weight, bias: f64::from(bias.data[0]) })
    }

    /// Two points of the line, `far` to either side of the one nearest the origin; none if w is 0.
    pub fn ends(&self, far: f64) -> Option<[(f64, f64); 2]> {
        let [x, y] = self.weight;
        let length = x.hypot(y);
        if !(length > 0.0 && length.is_finite() && self.bias.is_finite()) {
            return None;
        }
        let nearest = -self.bias / length;
        let ([x, y], nearest) = ([x / length, y / length], nearest);
        let at = |along: f64| (nearest * x - along * y, nearest * y + along * x);
        Some([at(-far), at(far)])
    }
}

/// Weight and bias of the score.
fn last(weights: &mut Weights) -> Result<(&mut Tensor, &mut Tensor), NetError> {
    match weights.tensors.as_mut_slice() {
        [.., weight, bias] if weight.data.len() == 2 && bias.data.len() == 1 => Ok((weight, bias)),
        _ => Err(NetError::Weights("the score is not made of two units".into())),
    }
}

/// The two activations of each row.
pub(crate) fn activations(
    engine: &Engine,
    network: &Network,
    weights: &Weights,
    rows: &[u32],
    setting: &ExecutorConfig,
) -> Result<Vec<(f64, f64)>, NetError> {
    let along = |axis: [f32; 2]| -> Result<Vec<f32>, NetError> {
        let mut weights = weights.clone();
        let (weight, bias) = last(&mut weights)?;
        weight.data.copy_from_slice(&axis);
        bias.data[0] = 0.0;
        scores_on(engine, network, &weights, rows, setting)
    };
    let (first, second) = (along([1.0, 0.0])?, along([0.0, 1.0])?);
    Ok(first.iter().zip(&second).map(|(&a, &b)| (f64::from(a), f64::from(b))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_net::{Architecture, Device, Layer, Shape};

    #[test]
    fn the_score_is_the_boundary_at_the_activations() {
        let mut network = Architecture::mlp().network(Shape::flat(3)).unwrap();
        let score = network.layers.len() - 1;
        network.layers.insert(score, Layer::Dense { outputs: 2, bias: true });
        let mut weights = Weights::initial(&network, -0.7, 5).unwrap();
        let data: Vec<f32> = (0..30).map(|i| ((i * 7) % 11) as f32 / 5.0 - 1.0).collect();
        let engine = Engine::new(Device::Cpu, (&data).into(), network.input).unwrap();
        let setting = ExecutorConfig { threads: 1, ..ExecutorConfig::default() };
        let rows: Vec<u32> = (0..10).collect();
        let scores = scores_on(&engine, &network, &weights, &rows, &setting).unwrap();
        let places = activations(&engine, &network, &weights, &rows, &setting).unwrap();
        let Boundary { weight, bias } = Boundary::of(&mut weights).unwrap();
        assert!((bias + 0.7).abs() < 1e-6);
        for (score, (a, b)) in scores.iter().zip(places) {
            assert!((f64::from(*score) - (weight[0] * a + weight[1] * b + bias)).abs() < 1e-5);
        }
    }

    #[test]
    fn the_ends_lie_on_the_line() {
        // 3x + 4y = 10: the nearest point to the origin is (1.2, 1.6), at distance 2.
        let line = Boundary { weight: [3.0, 4.0], bias: -10.0 };
        let [(x0, y0), (x1, y1)] = line.ends(5.0).unwrap();
        assert!(((x0 + x1) / 2.0 - 1.2).abs() < 1e-12 && ((y0 + y1) / 2.0 - 1.6).abs() < 1e-12);
        assert!(((x1 - x0).hypot(y1 - y0) - 10.0).abs() < 1e-12);
        assert!((3.0 * x0 + 4.0 * y0 - 10.0).abs() < 1e-12);
        assert_eq!(Boundary { weight: [0.0, 0.0], bias: 1.0 }.ends(1.0), None);
    }
}
