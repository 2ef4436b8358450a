//! The players' losses and their gradients.
//!
//! d is the logit of a discriminator. One that is shown kinds of rows k, each with a target t (1: real, 0: generated) and
//! a weight, pays
//!
//! ```text
//! Σ_k weight_k · mean_k [ t softplus(-d) + (1 - t) softplus(d) ],        slope at a row: weight_k (σ(d) - t) / n_k
//! ```
//!
//! and a generator whose rows x are judged pays, for each judge that it wants to convince (`sign` 1) or to stay apart from
//! (`sign` -1),
//!
//! ```text
//! Σ_judges weight · mean softplus(-sign · d(x)),                           slope at a row: -sign · weight σ(-sign · d) / n
//! ```
//!
//! The first is Goodfellow's non-saturating loss; the second is -ln(1 - D), steep where a row is taken for a positive and
//! flat once it is not.

use super::dense::{DenseNet, Pass};
use onesided_loss::{sigmoid, softplus};

/// Rows of one kind, as a discriminator is shown them.
pub struct Shown<'a> {
    /// The rows, one after the other.
    pub rows: &'a [f32],
    /// 1 for real, 0 for generated; between them to smooth a label.
    pub target: f64,
    /// The weight of the kind.
    pub weight: f64,
}

/// A discriminator, as a generator meets it.
pub struct Judge<'a> {
    /// The discriminator.
    pub net: &'a DenseNet,
    /// λ.
    pub weight: f64,
    /// 1: the generator wants to be taken for real; -1: it wants not to be.
    pub sign: f64,
}

/// The loss of a discriminator (or of a classifier, for which real is positive). Its gradient is added to `gradient`.
pub fn discriminator(net: &DenseNet, shown: &[Shown], pass: &mut Pass, gradient: &mut [f32]) -> f64 {
    let rows: Vec<f32> = shown.iter().flat_map(|kind| kind.rows).copied().collect();
    net.forward(&rows, pass);
    let mut loss = 0.0;
    let mut slopes = Vec::with_capacity(pass.output().len());
    for kind in shown {
        let n = kind.rows.len() / net.inputs();
        let share = kind.weight / n as f64;
        for &d in &pass.output()[slopes.len()..slopes.len() + n] {
            let d = f64::from(d);
            loss += share * (kind.target * softplus(-d) + (1.0 - kind.target) * softplus(d));
            slopes.push((share * (sigmoid(d) - kind.target)) as f32);
        }
    }
    net.learn(pass, slopes, gradient);
    loss
}

/// The loss of a generator whose rows are in `made` and are shown to its judges as `rows`: the same, or with noise added.
/// Its gradient is added to `gradient`.
pub fn generator(
    net: &DenseNet,
    made: &Pass,
    rows: &[f32],
    judges: &[Judge],
    pass: &mut Pass,
    gradient: &mut [f32],
) -> f64 {
    let mut loss = 0.0;
    let mut of_rows = vec![0.0; rows.len()];
    for judge in judges.iter().filter(|judge| judge.weight != 0.0) {
        judge.net.forward(rows, pass);
        let share = judge.weight / pass.output().len() as f64;
        let mut slopes = Vec::with_capacity(pass.output().len());
        for &d in pass.output() {
            let margin = judge.sign * f64::from(d);
            loss += share * softplus(-margin);
            slopes.push((-judge.sign * share * sigmoid(-margin)) as f32);
        }
        let through = judge.net.to_input(pass, slopes);
        of_rows.iter_mut().zip(through).for_each(|(sum, g)| *sum += g);
    }
    net.learn(made, of_rows, gradient);
    loss
}

#[cfg(test)]
mod tests {
    use super::super::dense::Output;
    use super::*;
    use onesided_data::Stream;

    /// Central differences of this step, in single precision. A longer step would cross kinks.
    const STEP: f32 = 1e-3;
    const CLOSE: f64 = 5e-4;

    /// Checks a gradient against central differences of the loss.
    fn check(net: &DenseNet, gradient: &[f32], loss: impl Fn(&DenseNet) -> f64) {
        let mut moved = net.clone();
        for (i, slope) in gradient.iter().enumerate() {
            let at = net.parameters()[i];
            let [up, down] = [STEP, -STEP].map(|step| {
                moved.parameters_mut()[i] = at + step;
                loss(&moved)
            });
            moved.parameters_mut()[i] = at;
            let want = (up - down) / f64::from(2.0 * STEP);
            assert!((want - f64::from(*slope)).abs() < CLOSE, "parameter {i}: {slope}, not {want}");
        }
    }

    #[test]
    fn each_players_gradient_is_a_finite_difference_of_its_loss() {
        let mut stream = Stream::new(6, "test");
        let mut net =
            |inputs, outputs, output| DenseNet::new(vec![inputs, 6, 5, outputs], output, &mut stream);
        let judges = [net(3, 1, Output::Linear), net(3, 1, Output::Linear)];
        let makers = [net(2, 3, Output::Linear), net(2, 3, Output::Tanh)];
        let mut draw = |count: usize| -> Vec<f32> { (0..count).map(|_| stream.normal() as f32).collect() };
        let (real, other, latent) = (draw(12), draw(15), draw(8));
        let shown = [
            Shown { rows: &real, target: 0.9, weight: 1.0 },
            Shown { rows: &other, target: 0.0, weight: 0.3 },
        ];
        let discriminate =
            |net: &DenseNet, gradient: &mut [f32]| discriminator(net, &shown, &mut Pass::default(), gradient);
        for net in &judges {
            let mut gradient = vec![0.0; net.parameters().len()];
            discriminate(net, &mut gradient);
            check(net, &gradient, |net| discriminate(net, &mut vec![0.0; net.parameters().len()]));
        }
        let judge = |i: usize, weight, sign| Judge { net: &judges[i], weight, sign };
        let generate = |net: &DenseNet, gradient: &mut [f32]| {
            let mut made = Pass::default();
            net.forward(&latent, &mut made);
            let judges = [judge(0, 0.8, 1.0), judge(1, 1.7, -1.0)];
            generator(net, &made, made.output(), &judges, &mut Pass::default(), gradient)
        };
        for net in &makers {
            let mut gradient = vec![0.0; net.parameters().len()];
            generate(net, &mut gradient);
            check(net, &gradient, |net| generate(net, &mut vec![0.0; net.parameters().len()]));
        }
    }
}
