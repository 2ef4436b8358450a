//! Predictors that say the same of everything, which ordinary PU metrics may flatter.

use crate::MetricWarning;
use onesided_data::PriorInUnlabeled;

/// A smaller share of predicted positives than this, or a larger one than its complement, is suspicious.
const LEAST_SHARE: f64 = 0.001;
/// A smaller part of the positives that the prior expects than this is suspicious, too.
const LEAST_OF_EXPECTED: f64 = 0.05;
/// Scores closer together than this do not rank anything.
pub(crate) const LEAST_SPREAD: f64 = 1e-6;
/// How near to the prior every probability must lie for the trivial solution.
const TRIVIAL_DISTANCE: f64 = 0.02;

/// A warning for each sign that the predictor is degenerate, none if it looks alive:
///
/// * fewer than 0.1 % or more than 99.9 % of the unlabeled rows score at or above `threshold`, or fewer than a twentieth of the
///   positives that the prior expects among them;
/// * all unlabeled scores lie within 1e-6 of one another;
/// * all of them lie within 0.02 of the prior: the trivial solution, a probability of μ for every row, which satisfies
///   a loss that only compares the mean prediction with μ. This test is meant for probabilities at U's own prior.
///
/// The scores must be finite; an empty sample gives no warnings.
pub fn degenerate(unlabeled: &[f32], threshold: f64, prior: Option<PriorInUnlabeled>) -> Vec<MetricWarning> {
    if unlabeled.is_empty() {
        return Vec::new();
    }
    let mut warnings = Vec::new();
    let all = unlabeled.len();
    let predicted = unlabeled.iter().filter(|&&score| f64::from(score) >= threshold).count();
    let share = predicted as f64 / all as f64;
    let prior = prior.map(PriorInUnlabeled::get);
    if !(LEAST_SHARE..=1.0 - LEAST_SHARE).contains(&share) {
        warnings.push(MetricWarning::Extreme { predicted, all });
    } else if let Some(mu) = prior
        && share < LEAST_OF_EXPECTED * mu
    {
        warnings.push(MetricWarning::HardlyAny { predicted, all, expected: mu * all as f64 });
    }
    let (low, high) = unlabeled
        .iter()
        .map(|&score| f64::from(score))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), score| (low.min(score), high.max(score)));
    if high - low < LEAST_SPREAD {
        warnings.push(MetricWarning::SameScores { within: LEAST_SPREAD, low });
    }
    if let Some(prior) = prior
        && (low - prior).abs().max((high - prior).abs()) <= TRIVIAL_DISTANCE
    {
        warnings.push(MetricWarning::RepeatsPrior { within: TRIVIAL_DISTANCE, prior });
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mu(value: f64) -> Option<PriorInUnlabeled> {
        Some(PriorInUnlabeled::new(value).unwrap())
    }

    #[test]
    fn a_live_predictor_is_left_alone() {
        let scores: Vec<f32> = (0..1000).map(|i| i as f32 / 1000.0).collect();
        assert_eq!(degenerate(&scores, 0.5, mu(0.3)), Vec::new());
        // One of 1000 is exactly the least share allowed, and a twentieth of 300 is what is expected at the least.
        assert_eq!(degenerate(&scores, 0.999, None), Vec::new());
        assert_eq!(degenerate(&scores, 0.985, mu(0.3)), Vec::new());
        assert_eq!(degenerate(&[], 0.5, None), Vec::new());
    }

    #[test]
    fn all_or_nothing() {
        let scores: Vec<f32> = (0..1000).map(|i| i as f32 / 1000.0).collect();
        let none = degenerate(&scores, 2.0, None);
        assert!(
            none.len() == 1
                && none[0].to_string().contains("almost nothing is predicted positive (0 of 1000"),
            "{none:?}"
        );
        let all = degenerate(&scores, -1.0, None);
        assert!(all.len() == 1 && all[0].to_string().contains("almost everything"), "{all:?}");
    }

    #[test]
    fn far_fewer_than_the_prior_expects() {
        let scores: Vec<f32> = (0..1000).map(|i| i as f32 / 1000.0).collect();
        let few = degenerate(&scores, 0.986, mu(0.3));
        assert!(
            few.len() == 1 && few[0].to_string().contains("(14 of 1000 unlabeled rows, of which 300 are"),
            "{few:?}"
        );
    }

    #[test]
    fn no_spread() {
        let warnings = degenerate(&[3.0; 10], 0.5, None);
        assert!(
            warnings.iter().any(|w| w.to_string().contains("within 1e-6 of one another, near 3.000000")),
            "{warnings:?}"
        );
        let warnings = degenerate(&[3.0, 3.1], 3.05, None);
        assert_eq!(warnings, Vec::new());
    }

    #[test]
    fn the_trivial_solution() {
        let near = [0.29, 0.3, 0.315];
        let warnings = degenerate(&near, 0.3, mu(0.3));
        assert!(
            warnings.len() == 1 && warnings[0].to_string().contains("prior 0.3, the trivial solution"),
            "{warnings:?}"
        );
        assert_eq!(degenerate(&near, 0.3, None), Vec::new(), "without a prior there is nothing to compare");
        assert_eq!(degenerate(&[0.29, 0.3, 0.33], 0.3, mu(0.3)), Vec::new(), "one row stands apart");
    }
}
