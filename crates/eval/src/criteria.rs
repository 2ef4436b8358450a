//! The criterion by which models are chosen on held-out positives and unlabeled rows, where lower is better.
//!
//! Under SCAR it is an increasing linear function of the ranking risk with true labels: smallest at every increasing map of the posterior,
//! and it needs no prior. With an empty sample or a score that is NaN it is NaN. No comparison with NaN holds, so a search that keeps
//! the model with `risk < best` never picks it.

use crate::ranked::Ranked;
use crate::sample::Sample;

/// 1 - AUC of positives against unlabeled rows, ties half. Orders models as the AUC against negatives would, at any
/// prior.
pub fn ranking_risk(positive: &[f32], unlabeled: &[f32]) -> f64 {
    weighted_ranking_risk(positive.into(), unlabeled.into())
}

/// [`ranking_risk`] of rows with weights.
pub fn weighted_ranking_risk(positive: Sample, unlabeled: Sample) -> f64 {
    if positive.scores.iter().chain(unlabeled.scores).any(|score| score.is_nan()) {
        return f64::NAN;
    }
    let ranked = Ranked::weighted(positive, unlabeled);
    let (p, u) = ranked.each_once();
    ranked.auc(&p, &u).map_or(f64::NAN, |auc| 1.0 - auc)
}

/// ln(1 + e^x), without overflow.
pub(crate) fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // The highest wins three and ties once, 0 wins two and ties once, of eight.
        let risk = ranking_risk(&[1.0, 0.0], &[1.0, -1.0, -1.0, 0.0]);
        assert!((risk - (1.0 - (3.5 + 2.5) / 8.0)).abs() < 1e-12, "{risk}");
    }

    #[test]
    fn softplus_is_exact_at_both_ends() {
        assert_eq!((softplus(1e4), softplus(-1e4)), (1e4, 0.0));
        assert_eq!(softplus(-50.0), (-50.0_f64).exp());
    }

    #[test]
    fn what_cannot_be_measured_is_nan() {
        let nan = f32::NAN;
        for (p, u) in [(&[][..], &[1.0][..]), (&[1.0], &[]), (&[nan], &[1.0]), (&[1.0], &[0.0, nan])] {
            assert!(ranking_risk(p, u).is_nan());
        }
    }
}
