//! A variational objective that needs no prior.
//!
//! H. Chen, F. Liu, Y. Wang, L. Zhao and H. Wu, "A variational approach for learning from positive and unlabeled data",
//! NeurIPS 2020. Their regularizer is a term of its own ([`mixup`](crate::mixup())), for whoever can mix examples before
//! they are scored; this is the objective without it.

use crate::curvature::{fill, logistic};
use crate::error::LossError;
use crate::objective::{Objective, check_parts};
use crate::part::{Part, Weighted, by_weights};
use crate::sampling::Sampling;
use crate::sigmoid::{sigmoid_pair, softplus};

/// ln mean_X σ(f) − mean_P ln σ(f), where X is the population: U in the case-control scenario, P and U by their shares in a
/// single sample.
///
/// It is the divergence of the positives' distribution from the population's weighted by σ(f), and lowest where σ(f) is
/// proportional to the probability of being positive: the ranking is right, the scale is open. Gradient, with
/// w = σ(f) / Σ σ(f) the share of an example in the first mean: w σ(−f) on X, −σ(−f) / n_p on P.
///
/// It assumes that the labeled positives are a random subset of all positives.
#[derive(Clone, Copy, Debug)]
pub struct Vpu {
    labeled_share: f64,
    sampling: Sampling,
}

impl Vpu {
    /// For positives and unlabeled examples drawn so.
    pub fn new(sampling: Sampling) -> Result<Self, LossError> {
        let labeled_share = match sampling {
            Sampling::CaseControl => 0.0,
            Sampling::SingleSample { labeled_share } if labeled_share > 0.0 && labeled_share < 1.0 => {
                labeled_share
            }
            Sampling::SingleSample { labeled_share } => return Err(LossError::LabeledShare(labeled_share)),
        };
        Ok(Self { labeled_share, sampling })
    }
}

/// ln of the weighted mean of σ(f), without underflow.
fn log_mean(part: Part) -> f64 {
    let logs = || part.iter().map(|(f, own)| (-softplus(-f), own));
    let most = logs().fold(f64::NEG_INFINITY, |most, (log, _)| most.max(log));
    most + (logs().map(|(log, own)| own * (log - most).exp()).sum::<f64>() / part.total()).ln()
}

impl Objective for Vpu {
    by_weights!();

    fn describe(&self) -> String {
        format!("vpu ({})", self.sampling)
    }
}

impl Weighted for Vpu {
    fn evaluate_weighted(
        &self,
        positive: Part,
        unlabeled: Part,
        grad_p: &mut [f32],
        grad_u: &mut [f32],
    ) -> f64 {
        check_parts(positive, unlabeled, grad_p, grad_u);
        // The parts of the population's mean, as logarithms; a part that is not there has none.
        let of = |part: Part, share: f64| {
            if part.is_empty() || share == 0.0 { f64::NEG_INFINITY } else { share.ln() + log_mean(part) }
        };
        let (of_p, of_u) = (of(positive, self.labeled_share), of(unlabeled, 1.0 - self.labeled_share));
        let most = of_p.max(of_u);
        let whole = most + ((of_p - most).exp() + (of_u - most).exp()).ln();
        let (mut value, whole) = if most.is_finite() { (whole, whole) } else { (0.0, f64::INFINITY) };
        // The share of one example in the population's mean: share · own / n · σ(f) / mean.
        let in_whole = |f: f64, own: f64, share: f64, n: f64| match share {
            0.0 => 0.0,
            _ => share * own / n * (-softplus(-f) - whole).exp(),
        };
        let n = positive.total();
        for ((f, own), grad) in positive.iter().zip(grad_p) {
            let down = sigmoid_pair(f).1;
            value += own * softplus(-f) / n;
            *grad = (down * (in_whole(f, own, self.labeled_share, n) - own / n)) as f32;
        }
        let n = unlabeled.total();
        for ((f, own), grad) in unlabeled.iter().zip(grad_u) {
            let down = sigmoid_pair(f).1;
            *grad = (down * in_whole(f, own, 1.0 - self.labeled_share, n)) as f32;
        }
        value
    }

    fn curvature_weighted(&self, positive: Part, unlabeled: Part, curve_p: &mut [f32], curve_u: &mut [f32]) {
        check_parts(positive, unlabeled, curve_p, curve_u);
        fill(positive, 1.0 / positive.total(), curve_p, logistic);
        fill(unlabeled, 1.0 / unlabeled.total(), curve_u, logistic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_by_hand() {
        // Probabilities 3/4 on P, 3/4 and 1/4 on U: ln 1/2 − ln 3/4. The shares in the mean of U are 3/4 and 1/4.
        let logit = 3.0f32.ln();
        let (mut grad_p, mut grad_u) = ([9.0; 1], [9.0; 2]);
        let loss = Vpu::new(Sampling::CaseControl).unwrap();
        let value = loss.evaluate(&[logit], &[logit, -logit], &mut grad_p, &mut grad_u);
        assert!((value - (2.0f64 / 3.0).ln()).abs() < 1e-7, "{value}");
        assert!((grad_p[0] + 0.25).abs() < 1e-7, "{grad_p:?}");
        assert!(
            (grad_u[0] - 0.75 * 0.25).abs() < 1e-7 && (grad_u[1] - 0.25 * 0.75).abs() < 1e-7,
            "{grad_u:?}"
        );
    }

    #[test]
    fn a_constant_factor_of_small_probabilities_changes_nothing() {
        // Far to the left σ(f) is e^f, so that all scores may move together.
        let loss = Vpu::new(Sampling::SingleSample { labeled_share: 0.2 }).unwrap();
        let value = |by: f32| {
            let (p, u) = ([-60.0 + by, -61.0 + by], [-62.0 + by, -60.5 + by, -63.0 + by]);
            loss.evaluate(&p, &u, &mut [0.0; 2], &mut [0.0; 3])
        };
        assert!((value(0.0) - value(-20.0)).abs() < 1e-12, "{} {}", value(0.0), value(-20.0));
    }
}
