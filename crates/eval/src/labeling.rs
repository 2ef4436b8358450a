//! What if labels are not a random sample? A bound Γ on how much they may favor some positives over others.
//!
//! Let e(x) be the chance that a positive is labeled. Random labels mean that e is the same for all. Instead, let the odds
//! e / (1 - e) of any two positives differ by a factor of Γ ≥ 1 at most, as in Rosenbaum's (2002) bounds for observational studies.
//! Say a share r of the labeled positives scores above a cut. Who is asked about is a matter of weights:
//!
//! * In one sample, hidden positives are drawn from all with weight 1 - e and labeled ones with weight e. From labeled to hidden
//!   ones the weight is (1 - e) / e, the inverse of the odds.
//! * All positives of the population, hidden or not, are labeled ones with weight 1 / e. So are the hidden ones in two samples.
//!   Rates differ by no more than odds do, so a bound on the odds is a bound on these weights.
//!
//! Let w be the mean weight of labeled positives above the cut over that of those below: 1/Γ ≤ w ≤ Γ. The recall asked about is
//! r w / (r w + 1 - r), which rises with w, so it lies between r / (r + Γ (1 - r)) and Γ r / (Γ r + 1 - r). Both ends are reached:
//! labels that favor all above the cut by Γ give the lower one. In odds of recall, Γ divides or multiplies.
//!
//! So a recall of t among those asked about needs r ≥ Γ t / (1 + (Γ - 1) t) among labeled ones, and if r is at least r₋ with some
//! confidence, then a promise of t holds with that confidence up to Γ = r₋ (1 - t) / (t (1 - r₋)).
//!
//! The order of rows: of unlabeled rows in one sample, the probability of being positive is that under random labels times the weight
//! (1 - e) / e, up to a factor that all share; of rows of the population, times 1 / e. So a row stays above another for every such
//! labeling if its probability under random labels is more than Γ times the other's, and else some labeling puts the other above.

use crate::bootstrap::Interval;
use crate::error::EvalError;
use crate::random_labels::RANDOM_LABELS;
use serde::Serialize;

/// Γ: by how many times the odds of being labeled may differ between two positives. 1 is random labels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct LabelingOdds(f64);

impl LabelingOdds {
    /// Labels are a random sample of the positives.
    pub const RANDOM: Self = Self(1.0);
    /// The most that is taken: beyond, recalls among labeled positives are 1 but for rounding.
    pub const MOST: f64 = 1e6;

    /// From 1 to [`MOST`](Self::MOST).
    pub fn new(odds: f64) -> Result<Self, EvalError> {
        if (1.0..=Self::MOST).contains(&odds) { Ok(Self(odds)) } else { Err(EvalError::LabelingOdds(odds)) }
    }

    /// Γ.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Whether labels are taken to be a random sample.
    pub fn is_random(&self) -> bool {
        self.0 == 1.0
    }

    /// The least recall among those asked about, from that among labeled positives.
    pub fn least_recall(self, labeled: f64) -> f64 {
        labeled / (labeled + self.0 * (1.0 - labeled))
    }

    /// The most recall among those asked about, from that among labeled positives.
    pub fn most_recall(self, labeled: f64) -> f64 {
        self.0 * labeled / (self.0 * labeled + 1.0 - labeled)
    }

    /// The recall among labeled positives that it takes to promise `recall`.
    pub fn needed(self, recall: f64) -> f64 {
        self.0 * recall / (1.0 + (self.0 - 1.0) * recall)
    }

    /// Up to which Γ a recall of at least `labeled` among labeled positives keeps a promise of `recall`.
    pub fn holding(labeled: f64, recall: f64) -> f64 {
        labeled * (1.0 - recall) / (recall * (1.0 - labeled))
    }

    /// How many of the first `rows` stay among the first `rows` for every labeling within the bound, from the probability of each row of
    /// a list under random labels: those with more than Γ times the probability of the first row that is not among them.
    pub fn stay(self, mut probabilities: Vec<f64>, rows: usize) -> usize {
        if rows >= probabilities.len() {
            return probabilities.len();
        }
        let (first, &mut next, _) = probabilities.select_nth_unstable_by(rows, |a, b| b.total_cmp(a));
        first.iter().filter(|&&probability| probability > self.0 * next).count()
    }

    /// An interval of the recall among labeled positives, widened to all that Γ allows. The value stays that of labeled positives.
    pub fn widened(self, Interval { value, low, high }: Interval) -> Interval {
        Interval { value, low: self.least_recall(low), high: self.most_recall(high) }
    }

    /// What rests on it, as a condition: [`RANDOM_LABELS`] at 1.
    pub fn assumes(self) -> String {
        match self.is_random() {
            true => RANDOM_LABELS.to_string(),
            false => format!(
                "if no positive is more than {} times as likely, in odds, to be labeled as another",
                self.0
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_by_hand() {
        // 9 of 10 labeled positives are above the cut. Of hidden ones each of those counts a third: 3 of 4.
        let odds = LabelingOdds::new(3.0).unwrap();
        assert!((odds.least_recall(0.9) - 0.75).abs() < 1e-15);
        assert!((odds.most_recall(0.75) - 0.9).abs() < 1e-15);
        assert!((odds.needed(0.75) - 0.9).abs() < 1e-15);
        assert!((LabelingOdds::holding(0.9, 0.75) - 3.0).abs() < 1e-12);
        for end in [0.0, 1.0] {
            assert_eq!((odds.least_recall(end), odds.most_recall(end)), (end, end));
        }
        for recall in [0.1, 0.5, 0.95] {
            assert!((LabelingOdds::RANDOM.least_recall(recall) - recall).abs() < 1e-15);
            assert_eq!(LabelingOdds::RANDOM.needed(recall), recall, "the very same number");
        }
    }

    #[test]
    fn rows_that_stay_by_hand() {
        let odds = LabelingOdds::new(3.0).unwrap();
        // .2 is the first left out of the first three: .7 is more than three times that, and .6 is not.
        let probabilities = vec![0.1, 0.9, 0.6, 0.2, 0.7, 0.05];
        assert_eq!([1, 2, 3, 4, 6].map(|rows| odds.stay(probabilities.clone(), rows)), [0, 0, 2, 3, 6]);
        assert_eq!(LabelingOdds::RANDOM.stay(probabilities, 3), 3);
        assert_eq!(LabelingOdds::RANDOM.stay(vec![0.5; 4], 2), 0, "rows that tie have no order");
    }

    #[test]
    fn what_is_no_bound_is_refused() {
        for wrong in [0.99, 0.0, -3.0, 1.1e6, f64::NAN, f64::INFINITY] {
            let said = LabelingOdds::new(wrong).unwrap_err().to_string();
            assert!(
                said.starts_with("the labeling odds must lie between 1 and 1,000,000, but are "),
                "{said}"
            );
        }
        assert!(LabelingOdds::new(1.0).unwrap().is_random());
        assert_eq!(LabelingOdds::RANDOM.assumes(), RANDOM_LABELS);
    }
}
