//! What a system is given: rows, which of them are positive, and what is known about the rest.

use crate::threads::with_threads;
use crate::{ClassicError, Rows, Selected};
use onesided_data::{Amounts, Counts, Label, PriorInUnlabeled, Scenario, count_labels, stratified_holdout};

/// Rows with their labels, and what the user knows.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The rows.
    pub rows: &'a dyn Rows,
    /// A label per row.
    pub labels: &'a [Label],
    /// How often each row counts; once without. For known negatives, too, this includes how much they count compared with unlabeled rows.
    pub weights: Option<&'a [f64]>,
    /// μ, the share of positives among the unlabeled rows, where it is known.
    pub prior: Option<PriorInUnlabeled>,
    /// How the rows were drawn.
    pub scenario: Scenario,
    /// From which all draws follow.
    pub seed: u64,
    /// How many threads may be used at once; 0 is all cores. What is learned does not depend on it.
    pub threads: usize,
    /// Asked between two candidates whether to continue; without it, always. Once it says no, fitting ends with
    /// [`ClassicError::Stopped`].
    pub go_on: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl<'a> Problem<'a> {
    /// An error once somebody asked to stop.
    pub(crate) fn check_stop(&self) -> Result<(), ClassicError> {
        if self.go_on.is_none_or(|go_on| go_on()) { Ok(()) } else { Err(ClassicError::Stopped) }
    }

    /// Checks that there is a label per row, positives and unlabeled rows, and no value that is not finite.
    pub fn check(&self) -> Result<(), ClassicError> {
        if self.labels.len() != self.rows.rows() {
            return Err(ClassicError::Labels { found: self.labels.len(), rows: self.rows.rows() });
        }
        if let Some(weights) = self.weights {
            if weights.len() != self.rows.rows() {
                let (found, rows) = (weights.len(), self.rows.rows());
                return Err(ClassicError::Weights { kind: "row", found, rows });
            }
            if let Some(row) = weights.iter().position(|weight| !(*weight > 0.0 && weight.is_finite())) {
                return Err(ClassicError::Weight { kind: "row", row, value: weights[row] });
            }
        }
        let Counts { positive, unlabeled, .. } = self.counts();
        for (kind, count) in [("positive", positive), ("unlabeled", unlabeled)] {
            if count == 0 {
                return Err(ClassicError::NoRows { kind });
            }
        }
        let mut wrong = None;
        for row in 0..self.rows.rows() {
            self.rows.each(row, &mut |column, value| {
                if wrong.is_none() && !value.is_finite() {
                    wrong = Some(ClassicError::NotFinite { row, column, value });
                }
            });
        }
        wrong.map_or(Ok(()), Err)
    }

    /// Checks the problem, then works on it with as many threads as it says.
    pub(crate) fn checked<T>(
        &self,
        work: impl FnOnce() -> Result<T, ClassicError>,
    ) -> Result<T, ClassicError> {
        self.check()?;
        with_threads(self.threads, work)
    }

    /// How many rows of each kind there are.
    pub fn counts(&self) -> Counts {
        count_labels(self.labels)
    }

    /// How often row `i` counts.
    pub(crate) fn weight(&self, i: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[i])
    }

    /// How much the rows of each kind count together.
    pub(crate) fn amounts(&self) -> Amounts {
        let of = |wanted: Label| {
            let rows = (0..self.labels.len()).filter(|&i| self.labels[i] == wanted);
            rows.map(|i| self.weight(i)).sum::<f64>()
        };
        Amounts {
            positive: of(Label::Positive),
            unlabeled: of(Label::Unlabeled),
            negative: of(Label::Negative),
        }
    }

    /// A weight a row: `positive` for positives, `unlabeled` for the others, times how often the row counts.
    pub(crate) fn weights(&self, positive: f64, unlabeled: f64) -> Vec<f64> {
        let of = |i: usize| if self.is_positive(i) { positive } else { unlabeled };
        (0..self.labels.len()).map(|i| of(i) * self.weight(i)).collect()
    }

    /// Whether row `i` is a labeled positive.
    pub(crate) fn is_positive(&self, i: usize) -> bool {
        self.labels[i] == Label::Positive
    }

    /// The numbers of the labeled positives, and those of the unlabeled rows.
    pub(crate) fn parts(&self) -> (Vec<usize>, Vec<usize>) {
        (0..self.labels.len()).partition(|&i| self.is_positive(i))
    }

    /// The prior, for systems that cannot do without.
    pub(crate) fn needed_prior(&self, method: &'static str) -> Result<f64, ClassicError> {
        self.prior.map(PriorInUnlabeled::get).ok_or(ClassicError::NoPrior { method })
    }

    /// A fifth of each kind of rows, for choosing settings, and the rest; of `most` rows drawn at random where there are
    /// more.
    pub(crate) fn held_out(&self, method: &'static str, most: usize) -> Result<Parts, ClassicError> {
        let too_few = |_| {
            let Counts { positive, unlabeled, .. } = self.counts();
            let (what, found) =
                if positive < unlabeled { ("positives", positive) } else { ("unlabeled rows", unlabeled) };
            ClassicError::TooFew {
                method,
                what,
                least: 2,
                found,
                remedy: "settings are chosen on rows held out",
            }
        };
        let part = |indices: Vec<usize>| {
            let labels = indices.iter().map(|&i| self.labels[i]).collect();
            let weights = self.weights.map(|weights| indices.iter().map(|&i| weights[i]).collect());
            Part { indices, labels, weights }
        };
        let n = self.labels.len();
        let drawn = if n > most {
            let share = most as f64 / n as f64;
            part(stratified_holdout(self.labels, share, self.seed).map_err(too_few)?.1)
        } else {
            part((0..n).collect())
        };
        let (kept, held) = stratified_holdout(&drawn.labels, 0.2, self.seed).map_err(too_few)?;
        let of_all =
            |places: Vec<usize>| part(places.into_iter().map(|place| drawn.indices[place]).collect());
        Ok(Parts { kept: of_all(kept), held: of_all(held) })
    }
}

/// Rows to try settings on.
pub(crate) struct Parts {
    pub(crate) kept: Part,
    pub(crate) held: Part,
}

/// Some rows of a problem.
pub(crate) struct Part {
    pub(crate) indices: Vec<usize>,
    pub(crate) labels: Vec<Label>,
    pub(crate) weights: Option<Vec<f64>>,
}

impl Part {
    pub(crate) fn rows<'a>(&'a self, problem: &Problem<'a>) -> Selected<'a> {
        Selected::new(problem.rows, &self.indices)
    }

    pub(crate) fn problem<'a>(&'a self, rows: &'a dyn Rows, of: &Problem<'a>) -> Problem<'a> {
        Problem { rows, labels: &self.labels, weights: self.weights.as_deref(), ..*of }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onesided_data::Matrix;

    #[test]
    fn wrong_data_get_a_sentence() {
        let rows = Matrix::new(2, 2, vec![0.0, 1.0, f32::NAN, 2.0]).unwrap();
        let message = |labels: &[Label]| {
            let (prior, scenario) = (None, Scenario::SingleSample);
            Problem { rows: &rows, labels, weights: None, prior, scenario, seed: 0, threads: 0, go_on: None }
                .check()
                .unwrap_err()
                .to_string()
        };
        let (p, u) = (Label::Positive, Label::Unlabeled);
        assert_eq!(message(&[p]), "there are 1 labels for 2 rows");
        assert_eq!(
            message(&[p, p]),
            "there are no unlabeled rows; both positive and unlabeled ones are needed"
        );
        assert_eq!(message(&[p, u]), "row 1, column 0: NaN is not a finite number");
    }
}
