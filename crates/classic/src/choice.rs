//! Choosing settings without a single negative.
//!
//! With r the recall on held-out positives and a the share of the population called positive:
//!
//! * W. S. Lee and B. Liu, "Learning with positive and unlabeled examples using weighted logistic regression", ICML 2003:
//!   r² / a, which is proportional to precision · recall and needs no prior. It rewards tiny sets of predictions, so a
//!   counts at least five rows.
//! * The 0-1 risk of positive-unlabeled learning, 2π(1 - r) + a - π, where the prior π is known: it is the share of mistakes.
//!
//! Drawn separately, the unlabeled rows are the population. In one sample they are not: the labeled positives belong to it, and a
//! risk over the unlabeled rows alone, among which positives are rarer, would favor models that call next to nothing positive.

use crate::problem::Parts;
use crate::threads::in_blocks;
use crate::{ClassicError, ClassicModel, Problem};
use onesided_data::{Amounts, ClassPrior, Label, Scenario};

/// Settings are chosen on this many rows at most: more would take longer and say the same.
pub(crate) const ENOUGH: usize = 20_000;
/// The same for kernel machines, whose time grows with the square of the rows.
pub(crate) const ENOUGH_FOR_KERNELS: usize = 5000;

/// a counts at least this many rows.
const LEAST_CALLED: f64 = 5.0;

/// Recall on positives and the share of rows called positive, from whether each row is called so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PredictedShares {
    /// r.
    pub recall: f64,
    /// a: of unlabeled rows, five at least, or of the population.
    pub share: f64,
    /// The share of known negatives called positive, and what they weigh compared with the unlabeled rows in an estimate of the
    /// risk: n_n / (n_n + n_u). 0 and 0 where there are none.
    pub negatives: (f64, f64),
}

impl PredictedShares {
    /// Counts. Both kinds of rows must be there.
    pub fn new(labels: &[Label], called: impl Iterator<Item = bool>) -> Self {
        Self::weighted(labels, None, called)
    }

    /// Counts rows as often as their weights say.
    pub fn weighted(labels: &[Label], weights: Option<&[f64]>, called: impl Iterator<Item = bool>) -> Self {
        let (mut all, mut hits, mut rows) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for (at, (label, called)) in labels.iter().zip(called).enumerate() {
            let kind = match label {
                Label::Unlabeled => 0,
                Label::Positive => 1,
                Label::Negative => 2,
            };
            let weight = weights.map_or(1.0, |weights| weights[at]);
            all[kind] += weight;
            rows[kind] += 1.0;
            hits[kind] += weight * f64::from(u8::from(called));
        }
        let negatives =
            if rows[2] > 0.0 { (hits[2] / all[2], rows[2] / (rows[2] + rows[0])) } else { (0.0, 0.0) };
        let share = hits[0].max(LEAST_CALLED.min(all[0])) / all[0];
        Self { recall: hits[1] / all[1], share, negatives }
    }

    /// r² / a: larger is better.
    pub fn lee_liu(self) -> f64 {
        self.recall * self.recall / self.share
    }

    /// The same with the share of the population that is called positive.
    pub fn in_population(self, scenario: Scenario, labeled_share: f64) -> Self {
        let labeled = match scenario {
            Scenario::CaseControl => 0.0,
            Scenario::SingleSample => labeled_share,
        };
        Self { share: labeled * self.recall + (1.0 - labeled) * self.share, ..self }
    }

    /// 2π(1 - r) + a - π, a being the share of the population: smaller is better. Known negatives estimate the same as
    /// π(1 - r) + (1 - π) times the share of them called positive, and both count by the number of rows behind them.
    pub fn risk(self, prior: ClassPrior) -> f64 {
        let (pi, (called, weight)) = (prior.get(), self.negatives);
        let unlabeled = 2.0 * pi * (1.0 - self.recall) + self.share - pi;
        if weight > 0.0 {
            (1.0 - weight) * unlabeled + weight * (pi * (1.0 - self.recall) + (1.0 - pi) * called)
        } else {
            unlabeled
        }
    }

    /// The risk where there is a prior, the negative Lee-Liu score where there is none: smaller is better.
    pub fn cost(self, prior: Option<ClassPrior>) -> f64 {
        prior.map_or(-self.lee_liu(), |prior| self.risk(prior))
    }
}

/// Fits each candidate on four fifths of the rows, and returns the number of the first one with the smallest cost on the
/// last fifth. Candidates are tried on all cores. A single candidate is not tried.
///
/// Of more than `enough` rows, only this many are used. `fit` is told how many times more rows there are in all than it is
/// given, since a cost an example must grow by as much to mean the same.
pub(crate) fn choose<C: Clone + Sync>(
    method: &'static str,
    problem: &Problem,
    candidates: &[C],
    enough: usize,
    fit: impl Fn(&C, &Problem, f64) -> Result<ClassicModel, ClassicError> + Sync,
) -> Result<C, ClassicError> {
    let first = candidates.first().ok_or(ClassicError::NoCandidates { method })?;
    if candidates.len() == 1 {
        return Ok(first.clone());
    }
    let Parts { kept, held } = problem.held_out(method, enough)?;
    let rows = kept.rows(problem);
    let training = kept.problem(&rows, problem);
    // Known negatives, whose weights say how much they count compared with unlabeled rows, are not part of the population here.
    let amounts = Amounts { negative: 0.0, ..problem.amounts() };
    let prior = problem.prior.map(|mu| mu.to_class_prior(problem.scenario, amounts));
    let times = problem.labels.len() as f64 / (kept.labels.len() + held.labels.len()) as f64;
    let costs = in_blocks(candidates.len(), candidates.len(), |range| {
        problem.check_stop()?;
        let model = fit(&candidates[range.start], &training, times)?;
        let scores = model.scores(&held.rows(problem))?;
        let called = scores.iter().map(|&score| score > model.threshold);
        let called = PredictedShares::weighted(&held.labels, held.weights.as_deref(), called);
        Ok(called.in_population(problem.scenario, amounts.labeled_share()).cost(prior))
    });
    let costs = costs.into_iter().collect::<Result<Vec<f64>, ClassicError>>()?;
    problem.check_stop()?;
    let best = (0..costs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0);
    Ok(candidates[best].clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // 4 of 5 positives and 6 of 20 unlabeled rows are called positive.
        let labels: Vec<Label> =
            (0..25).map(|i| if i < 5 { Label::Positive } else { Label::Unlabeled }).collect();
        let called = PredictedShares::new(&labels, (0..25).map(|i| i != 0 && i < 11));
        assert_eq!(called, PredictedShares { recall: 0.8, share: 0.3, negatives: (0.0, 0.0) });
        assert!((called.lee_liu() - 0.64 / 0.3).abs() < 1e-12);
        let prior = ClassPrior::new(0.25).unwrap();
        // 2 · 0.25 · 0.2 + 0.3 - 0.25
        assert!((called.risk(prior) - 0.15).abs() < 1e-12);
        assert_eq!((called.cost(Some(prior)), called.cost(None)), (called.risk(prior), -called.lee_liu()));
        // Of two known negatives next to 20 unlabeled rows one is called positive: 0.25 · 0.2 + 0.75 · 0.5 = 0.425.
        let more = [labels.clone(), vec![Label::Negative; 2]].concat();
        let with = PredictedShares::new(&more, (0..27).map(|i| i != 0 && i < 11 || i == 25));
        assert!((with.risk(prior) - (20.0 * 0.15 + 2.0 * 0.425) / 22.0).abs() < 1e-12);
        // A single row called positive counts as five.
        assert_eq!(PredictedShares::new(&labels, (0..25).map(|i| i == 7)).share, 0.25);
    }

    #[test]
    fn in_one_sample_labeled_positives_are_part_of_the_population() {
        // 40 labeled and 60 unlabeled rows, 10 of these positive: π = 0.5, μ = 1/6. Half of the positives and 5 of the 50
        // negatives are called positive: 20 + 5 + 5 of 100 rows, with 25 + 5 mistakes.
        let labeled = 0.4;
        let called = PredictedShares { recall: 0.5, share: 10.0 / 60.0, negatives: (0.0, 0.0) };
        let all = called.in_population(Scenario::SingleSample, labeled);
        let (pi, mu) = (ClassPrior::new(0.5).unwrap(), ClassPrior::new(1.0 / 6.0).unwrap());
        assert!((all.share - 0.3).abs() < 1e-12 && (all.risk(pi) - 0.3).abs() < 1e-12);
        // Calling nothing positive is 50 mistakes, though over the unlabeled rows alone it would be as good: 10 of 60.
        let nothing = PredictedShares { recall: 0.0, share: 0.0, negatives: (0.0, 0.0) };
        assert!((nothing.in_population(Scenario::SingleSample, labeled).risk(pi) - 0.5).abs() < 1e-12);
        assert!((nothing.risk(mu) - called.risk(mu)).abs() < 1e-12);
        assert_eq!(called.in_population(Scenario::CaseControl, labeled), called);
    }
}
