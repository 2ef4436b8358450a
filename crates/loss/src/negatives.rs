//! Known negatives: one more term, added to any objective on P and U.
//!
//! T. Sakai, M. C. du Plessis, G. Niu and M. Sugiyama, "Semi-supervised classification based on classification from
//! positive and unlabeled data", ICML 2017, combine the risk of P and N with that of P and U, R = (1 − t) R_PN + t R_PU. Up to
//! a factor that is
//!
//! R = R_PU + v (w_p mean_P l(f) + (1 − π) mean_N l(−f)),  v = (1 − t) / t,
//!
//! and what is added is all that has to be known of an objective. It takes three forms:
//!
//! | objectives | on P | on N |
//! |---|---|---|
//! | risks (`upu`, `nnpu`, `imbalanced-nnpu`, `pusb`) | v w_p mean_P l(f) | v (1 − π) mean_N l(−f) |
//! | `collective` | nothing | v (1 − μ) mean_N softplus(f) |
//! | `naive`, over a pool of n_p + n_u examples | nothing | v n_u / (n_p + n_u) · mean_N softplus(f) |
//!
//! The collective loss has w_p = μ on P (`prior-weighted`) and the posterior η as its optimum. With w_n on N it stays the
//! optimum as long as |w_p / μ − w_n / (1 − μ)| ≤ 1, by the argument that [`Reduction`](crate::Reduction) rests on: the
//! slope of the P and N terms in E_U q is at most that of L_U. So v may be anything from 0 to 2.
//!
//! v is the weight of the negatives compared with the unlabeled examples. It should grow with their number: five negatives are
//! noise if they weigh as much as everything else.

use crate::curvature::fill;
use crate::error::LossError;
use crate::objective::{Objective, check_parts};
use crate::paced::Shared;
use crate::part::Part;
use crate::surrogate::Surrogate;

/// The largest weight of negatives, compared with the unlabeled examples.
const MOST: f64 = 2.0;

/// What known negatives add to an objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NegativeTerm {
    /// The weight of mean_P l(f).
    pub(crate) on_positive: f64,
    /// The weight of mean_N l(−f).
    pub(crate) on_negative: f64,
    /// Whether the weight is a share of a pool: times n_u / (n_p + n_u) of the batch.
    pub(crate) pooled: bool,
    pub(crate) surrogate: Surrogate,
}

/// v, if it is a weight that negatives may have: from 0 to 2 times that of the unlabeled examples.
pub(crate) fn check_weight(v: f64) -> Result<f64, LossError> {
    if (0.0..=MOST).contains(&v) { Ok(v) } else { Err(LossError::NegativeWeight(v)) }
}

impl NegativeTerm {
    fn weights(&self, positive: Part, unlabeled: Part, negative: Part) -> (f64, f64) {
        let (n_p, n_u) = (positive.total(), unlabeled.total());
        let pool = if self.pooled { n_u / (n_p + n_u) } else { 1.0 };
        (self.on_positive / n_p, pool * self.on_negative / negative.total())
    }

    /// Its value; adds its gradient on P and writes that on N.
    fn evaluate(&self, parts: [Part; 3], grad_p: &mut [f32], grad_n: &mut [f32]) -> f64 {
        let [positive, unlabeled, negative] = parts;
        if negative.is_empty() {
            return 0.0;
        }
        let (weight_p, weight_n) = self.weights(positive, unlabeled, negative);
        let mut value = 0.0;
        if self.on_positive > 0.0 {
            for (grad, (score, own)) in grad_p.iter_mut().zip(positive.iter()) {
                let point = self.surrogate.at(score);
                value += own * weight_p * point.value;
                *grad += (own * weight_p * point.slope) as f32;
            }
        }
        for (grad, (score, own)) in grad_n.iter_mut().zip(negative.iter()) {
            let point = self.surrogate.at(-score);
            value += own * weight_n * point.value;
            *grad = (-own * weight_n * point.slope) as f32;
        }
        value
    }

    fn curvature(&self, parts: [Part; 3], curve_p: &mut [f32], curve_n: &mut [f32]) {
        let [positive, unlabeled, negative] = parts;
        if negative.is_empty() {
            return;
        }
        let (weight_p, weight_n) = self.weights(positive, unlabeled, negative);
        if self.on_positive > 0.0 {
            for (curve, (score, own)) in curve_p.iter_mut().zip(positive.iter()) {
                *curve += (own * weight_p * self.surrogate.curvature(score)) as f32;
            }
        }
        fill(negative, weight_n, curve_n, |f| self.surrogate.curvature(f));
    }
}

/// An objective on P and U, with the term of known negatives where there are any: what scorers descend.
#[derive(Clone, Copy)]
pub struct Loss<'o> {
    /// The loss of P and U.
    pub objective: &'o dyn Objective,
    /// What known negatives add; `None` where there are none.
    pub negatives: Option<NegativeTerm>,
}

impl<'o> From<&'o dyn Objective> for Loss<'o> {
    fn from(objective: &'o dyn Objective) -> Self {
        Self { objective, negatives: None }
    }
}

impl Loss<'_> {
    /// The value on positives, unlabeled examples and negatives; writes the gradient of each. Weights count where the
    /// objective [takes them](Objective::weighted).
    ///
    /// # Panics
    ///
    /// If a gradient slice and its score slice differ in length.
    pub fn evaluate(&self, parts: [Part; 3], [grad_p, grad_u, grad_n]: [&mut [f32]; 3]) -> f64 {
        let [positive, unlabeled, negative] = parts;
        check_parts(negative, unlabeled, grad_n, grad_u);
        let value = match self.objective.weighted() {
            Some(weighted) => weighted.evaluate_weighted(positive, unlabeled, grad_p, grad_u),
            None => self.objective.evaluate(positive.scores(), unlabeled.scores(), grad_p, grad_u),
        };
        self.with_negatives(value, parts, grad_p, grad_n)
    }

    /// [`evaluate`](Self::evaluate) in an epoch that begins when `done` of the training lies behind, of rows that take part by
    /// shares, those of P and of U; an objective that is not [paced](Objective::paced) has no use for them. Known negatives
    /// take part as they are.
    ///
    /// # Panics
    ///
    /// If a slice of gradients or shares and its score slice differ in length.
    pub fn evaluate_paced(
        &self,
        done: f64,
        parts: [Part; 3],
        [shares_p, shares_u]: [&[f32]; 2],
        grads: [&mut [f32]; 3],
    ) -> f64 {
        let Some(paced) = self.objective.paced() else { return self.evaluate(parts, grads) };
        let [grad_p, grad_u, grad_n] = grads;
        let [positive, unlabeled, negative] = parts;
        check_parts(negative, unlabeled, grad_n, grad_u);
        let (p, u) = (Shared::new(positive, shares_p), Shared::new(unlabeled, shares_u));
        let value = paced.evaluate_paced(done, p, u, grad_p, grad_u);
        self.with_negatives(value, parts, grad_p, grad_n)
    }

    /// The value of an objective with that of the negatives, whose gradients are added on P and written on N.
    fn with_negatives(&self, value: f64, parts: [Part; 3], grad_p: &mut [f32], grad_n: &mut [f32]) -> f64 {
        match &self.negatives {
            Some(term) => value + term.evaluate(parts, grad_p, grad_n),
            None => {
                grad_n.fill(0.0);
                value
            }
        }
    }

    /// The curvature of [`evaluate`](Self::evaluate), as [`Objective::curvature`] has it.
    ///
    /// # Panics
    ///
    /// If a curvature slice and its score slice differ in length.
    pub fn curvature(&self, parts: [Part; 3], [curve_p, curve_u, curve_n]: [&mut [f32]; 3]) {
        let [positive, unlabeled, negative] = parts;
        check_parts(negative, unlabeled, curve_n, curve_u);
        match self.objective.weighted() {
            Some(weighted) => weighted.curvature_weighted(positive, unlabeled, curve_p, curve_u),
            None => self.objective.curvature(positive.scores(), unlabeled.scores(), curve_p, curve_u),
        }
        match &self.negatives {
            Some(term) => term.curvature(parts, curve_p, curve_n),
            None => curve_n.fill(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, Sampling, Setting, method};

    #[test]
    fn a_batch_by_hand() {
        // μ = 1/4, v = 1: w_n = 3/4 on two negatives with σ(f) = 3/4 and 1/4, which cost ln 4 and ln(4/3).
        let setting = Setting { prior_in_unlabeled: 0.25, sampling: Sampling::CaseControl };
        let info = method("collective").unwrap();
        let objective = info.build(&setting, &Options::default()).unwrap();
        let negatives = Some(info.negative_term(&setting, &Options::default(), 1.0).unwrap());
        let logit = 3f32.ln();
        let (p, u, n) = ([0.0f32], [0.0f32, 1.0], [logit, -logit]);
        let parts = [p.as_slice().into(), u.as_slice().into(), n.as_slice().into()];
        let (mut grad_p, mut grad_u, mut grad_n) = ([0.0; 1], [0.0; 2], [9.0; 2]);
        let loss = Loss { objective: objective.as_ref(), negatives };
        let value = loss.evaluate(parts, [&mut grad_p, &mut grad_u, &mut grad_n]);
        let alone = objective.evaluate(&p, &u, &mut grad_p, &mut grad_u);
        let expected = 0.75 / 2.0 * (4f64.ln() + (4.0f64 / 3.0).ln());
        assert!((value - alone - expected).abs() < 1e-7, "{value} {alone}");
        assert!((f64::from(grad_n[0]) - 0.375 * 0.75).abs() < 1e-7, "{grad_n:?}");
        assert!((f64::from(grad_n[1]) - 0.375 * 0.25).abs() < 1e-7, "{grad_n:?}");
    }

    #[test]
    fn a_weight_out_of_range_is_refused() {
        let setting = Setting { prior_in_unlabeled: 0.25, sampling: Sampling::CaseControl };
        for v in [-0.1, 2.5, f64::NAN] {
            let error = method("nnpu").unwrap().negative_term(&setting, &Options::default(), v).unwrap_err();
            assert!(error.to_string().contains("must lie between 0 and 2"), "{error}");
        }
    }
}
