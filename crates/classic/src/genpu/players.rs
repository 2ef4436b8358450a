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
    net.backward(pass, slopes, Some(gradient));
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
        let through = judge.net.backward(pass, slopes, None);
        of_rows.iter_mut().zip(through).for_each(|(sum, g)| *sum += g);
    }
    net.backward(made, of_rows, Some(gradient));
    loss
}
