//! What the estimators say together.
//!
//! Estimator i answers m_i with an interval that reaches l_i below and u_i above, from which σ_i = (l_i + u_i)/(2 z). The
//! interval shows sampling error only, so each estimator also carries a typical error β_i beyond it (from [`typical_error`],
//! the root mean square over data sets with known truth). With weights
//!
//! ```text
//!   w_i = 1 / (σ_i² + β_i²)
//! ```
//!
//! * **μ** is the weighted median of the m_i: one estimator that has lost its way does not move it;
//! * **the spread** τ is 1.4826 times the weighted median of |m_i − μ|, a standard deviation for normal errors;
//! * **the interval** reaches √(l² + z²(τ² + β²)) below μ and √(u² + z²(τ² + β²)) above, where l and u are the weighted
//!   medians of the l_i and u_i and β = 0.025 is for what all estimators get wrong together. It is not shortened for
//!   having several estimators, since all look at the same rows;
//! * **they agree** unless more than a third of the weight lies further than 0.1 from μ.
//!
//! The typical errors and β were set on seeds 100 to 102 of the benchmark, which its tables do not use; the data sets are
//! the same, so on data of another kind the interval is an educated guess. It cannot show what no estimator can see: that
//! labels were not picked at random, or that no region is purely positive. For these there are the two
//! [signs](Signs), and the [reason](Reason) given where the estimators part.

use crate::error::EvidenceError;
use crate::estimate::Estimate;
use crate::estimator::Evidence;
use crate::signs::Signs;
use crate::warning::{Reason, ShareWarning};
use onesided_data::PriorInUnlabeled;
use serde::Serialize;

/// Estimates further than this from the consensus do not agree with it.
pub const AGREEMENT_RADIUS: f64 = 0.1;
/// The share of the weight that may disagree.
const MOST_DISAGREEING: f64 = 1.0 / 3.0;
/// The standard deviation of what all estimators get wrong together.
const SHARED_ERROR: f64 = 0.025;
/// From a median absolute deviation to a standard deviation of normal errors.
const NORMAL_MAD: f64 = 1.4826;
/// With fewer positives than this, disagreement needs no other explanation.
const FEW_POSITIVES: usize = 100;

/// How far an estimator is typically off beyond its interval: about the root mean square of its error on the tuning seeds,
/// less what sampling explains. One that was not measured is taken to be as bad as the worst.
pub fn typical_error(estimator: &str) -> f64 {
    match estimator {
        "plateau" => 0.03,
        "bbe" | "dedpul" => 0.04,
        "alphamax" | "elkan-noto-top" => 0.08,
        "elkan-noto" => 0.11,
        "tice" | "km1" | "km2" => 0.2,
        _ => 0.35,
    }
}

/// How much one estimator counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EstimatorWeight {
    /// Its name.
    pub estimator: &'static str,
    /// Its share of the weight; all shares make 1.
    pub weight: f64,
}

/// μ as the estimators see it together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Consensus {
    /// The share of positives in U, in [0, 1].
    pub mu: f64,
    /// Its interval, within [0, 1], which contains it.
    pub interval: (f64, f64),
    /// The level of the interval.
    pub confidence: f64,
    /// Whether the estimators agree. Where they do not, use the interval and not the number.
    pub agreement: bool,
    /// τ, how far apart they are.
    pub spread: f64,
    /// The estimators that were weighed.
    pub voices: Vec<EstimatorWeight>,
    /// What the scores show of the assumptions.
    pub signs: Signs,
    /// Why they do not agree, most likely.
    pub reason: Option<Reason>,
    /// What a reader should know.
    pub warnings: Vec<ShareWarning>,
}

impl Consensus {
    /// μ as a prior to learn with; 0 and 1 are none, and the error says so.
    pub fn prior_in_unlabeled(&self) -> Result<PriorInUnlabeled, EvidenceError> {
        let at_the_end = |_| EvidenceError::AtTheEnd { estimator: "the consensus".to_string(), mu: self.mu };
        PriorInUnlabeled::new(self.mu).map_err(at_the_end)
    }
}

/// Weighs estimates that were made from one evidence.
pub fn consensus(estimates: &[Estimate], evidence: &Evidence) -> Result<Consensus, EvidenceError> {
    evidence.check()?;
    if estimates.is_empty() {
        return Err(EvidenceError::NoEstimate);
    }
    let z = normal_quantile(0.5 + evidence.confidence / 2.0);
    let reaches = |e: &Estimate| (e.mu - e.interval.0, e.interval.1 - e.mu);
    let weights: Vec<f64> = estimates
        .iter()
        .map(|estimate| {
            let (below, above) = reaches(estimate);
            let sampling = (below + above) / (2.0 * z);
            1.0 / (sampling.powi(2) + typical_error(estimate.estimator).powi(2))
        })
        .collect();
    let total: f64 = weights.iter().sum();
    let median = |value: &dyn Fn(&Estimate) -> f64| {
        weighted_median(estimates.iter().map(value).zip(weights.iter().copied()).collect())
    };
    let mu = median(&|estimate| estimate.mu);
    let spread = NORMAL_MAD * median(&|estimate| (estimate.mu - mu).abs());
    let beyond = z * z * (spread * spread + SHARED_ERROR * SHARED_ERROR);
    let reach = |own: f64| (own * own + beyond).sqrt();
    let below = reach(median(&|estimate| reaches(estimate).0));
    let above = reach(median(&|estimate| reaches(estimate).1));
    let far =
        estimates.iter().zip(&weights).filter(|(estimate, _)| (estimate.mu - mu).abs() > AGREEMENT_RADIUS);
    let agreement = far.map(|(_, weight)| weight).sum::<f64>() <= MOST_DISAGREEING * total;

    let signs = Signs::of(evidence, mu);
    let reason = (!agreement).then(|| reason(evidence, &signs));
    let mut warnings = signs.warnings();
    if let Some(reason) = reason {
        let (low, high) = ends(estimates.iter().map(|estimate| estimate.mu));
        warnings.push(ShareWarning::Disagreement { low, high, reason });
    }
    let voices = estimates.iter().zip(&weights);
    Ok(Consensus {
        mu,
        interval: ((mu - below).max(0.0), (mu + above).min(1.0)),
        confidence: evidence.confidence,
        agreement,
        spread,
        voices: voices.map(|(e, w)| EstimatorWeight { estimator: e.estimator, weight: w / total }).collect(),
        signs,
        reason,
        warnings,
    })
}

/// Few positives explain everything; else labeled positives that differ from even the top of U, else overlap where
/// the ranking has no level top or is poor, else selection.
fn reason(evidence: &Evidence, signs: &Signs) -> Reason {
    if evidence.positive_scores.len() < FEW_POSITIVES {
        Reason::TooFewPositives
    } else if !signs.random_labels.holds() {
        Reason::LabelsNotAtRandom
    } else if !signs.level_top.holds() || signs.auc < POOR_RANKING {
        Reason::ClassesOverlap
    } else {
        Reason::LabelsNotAtRandom
    }
}

/// An AUC of positives against negatives below which classes count as overlapping.
const POOR_RANKING: f64 = 0.95;

/// The value at which half of the weight lies on either side: the first whose running weight reaches half.
fn weighted_median(mut pairs: Vec<(f64, f64)>) -> f64 {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = pairs.iter().map(|pair| pair.1).sum::<f64>() / 2.0;
    let mut sum = 0.0;
    let reached = pairs.iter().find(|pair| {
        sum += pair.1;
        sum >= half
    });
    reached.or(pairs.last()).map_or(f64::NAN, |pair| pair.0)
}

fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

/// The quantile of the standard normal distribution, by Newton's method on its distribution function, which is
/// integrated by the series of Marsaglia (Journal of Statistical Software 11, 2004). For shares of [0.5, 1).
fn normal_quantile(share: f64) -> f64 {
    let distribution = |x: f64| {
        let (mut sum, mut term, mut k) = (x, x, 1.0);
        while term.abs() > 1e-17 * sum.abs() {
            k += 2.0;
            term *= x * x / k;
            sum += term;
        }
        0.5 + sum * (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt()
    };
    // From 1 the steps approach from one side: the function is concave above 0. Far out it is all but flat.
    let mut x: f64 = 1.0;
    for _ in 0..100 {
        let step = (share - distribution(x)) * (0.5 * x * x).exp() * std::f64::consts::TAU.sqrt();
        x = (x + step.clamp(-1.0, 1.0)).clamp(0.0, 8.0);
        if step.abs() < 1e-12 {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Curve;

    fn estimate(estimator: &'static str, mu: f64, half: f64) -> Estimate {
        Estimate {
            estimator,
            mu,
            interval: ((mu - half).max(0.0), (mu + half).min(1.0)),
            confidence: 0.95,
            curve: Curve { x: "", y: "", points: Vec::new(), chosen: (0.0, 0.0) },
            other_intervals: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// 200 positives at the top, 800 unlabeled rows of which a quarter is there too.
    fn scores() -> (Vec<f64>, Vec<f64>) {
        let p = (0..200).map(|i| 2.0 + f64::from(i % 10)).collect();
        let u = (0..800).map(|i| if i < 200 { 2.0 + f64::from(i % 10) } else { -1.0 }).collect();
        (p, u)
    }

    #[test]
    fn normal_quantiles_of_the_tables() {
        for (share, z) in [(0.5, 0.0), (0.95, 1.644_853_627), (0.975, 1.959_963_985), (0.995, 2.575_829_304)]
        {
            assert!((normal_quantile(share) - z).abs() < 1e-8, "{share}: {}", normal_quantile(share));
        }
        assert!(normal_quantile(1.0 - 1e-15) > 7.0);
    }

    #[test]
    fn medians_by_weight() {
        assert_eq!(weighted_median(vec![(3.0, 1.0), (1.0, 1.0), (2.0, 1.0)]), 2.0);
        assert_eq!(weighted_median(vec![(3.0, 5.0), (1.0, 1.0), (2.0, 1.0)]), 3.0);
        assert_eq!(weighted_median(vec![(1.0, 1.0), (2.0, 1.0)]), 1.0);
    }

    #[test]
    fn weights_median_and_interval_by_hand() {
        let (p, u) = scores();
        let (z, half) = (1.959_963_985, 0.058_798_919_55); // σ = 0.03
        let all =
            [estimate("plateau", 0.25, half), estimate("bbe", 0.27, half), estimate("pen-l1", 0.9, half)];
        let found = consensus(&all, &Evidence::of_scores(&p, &u)).unwrap();
        // 1 / (0.03² + 0.03²), 1 / (0.03² + 0.04²), 1 / (0.03² + 0.35²).
        let weights = [1.0 / 0.0018, 1.0 / 0.0025, 1.0 / 0.1234];
        let total: f64 = weights.iter().sum();
        for (voice, weight) in found.voices.iter().zip(weights) {
            assert!((voice.weight - weight / total).abs() < 1e-6, "{voice:?}");
        }
        // The plateau has 57 % of the weight: it is the median, and the deviation of half of the weight is 0.
        assert_eq!((found.mu, found.spread, found.agreement), (0.25, 0.0, true));
        let reach = (half * half + (z * 0.025f64).powi(2)).sqrt();
        assert!((found.interval.0 - (0.25 - reach)).abs() < 1e-6, "{:?}", found.interval);
        assert!((found.interval.1 - (0.25 + reach)).abs() < 1e-6, "{:?}", found.interval);
        assert_eq!(found.reason, None);
    }

    #[test]
    fn those_who_part_are_told_so_with_a_reason() {
        let (p, u) = scores();
        let parted =
            [estimate("plateau", 0.2, 0.05), estimate("bbe", 0.4, 0.05), estimate("dedpul", 0.6, 0.05)];
        let found = consensus(&parted, &Evidence::of_scores(&p, &u)).unwrap();
        assert!(!found.agreement && found.interval.0 < 0.2 && found.interval.1 > 0.6, "{found:?}");
        // The classes do not overlap and the top is level: what is left is how the labels were picked.
        assert_eq!(found.reason, Some(Reason::LabelsNotAtRandom));
        let told = found.warnings.last().unwrap().to_string();
        assert!(told.contains("between 0.200 and 0.600") && told.contains("random sample"), "{told}");

        let few = consensus(&parted, &Evidence::of_scores(&p[..50], &u)).unwrap();
        assert_eq!(few.reason, Some(Reason::TooFewPositives));

        // Scores that rank poorly: positives from 0 to 9, unlabeled rows from -5 to 9.
        let u: Vec<f64> = (0..800).map(|i| f64::from(i % 15) - 5.0).collect();
        let p: Vec<f64> = (0..200).map(|i| f64::from(i % 10)).collect();
        let overlap = consensus(&parted, &Evidence::of_scores(&p, &u)).unwrap();
        assert_eq!(overlap.reason, Some(Reason::ClassesOverlap));
    }

    #[test]
    fn one_voice_is_its_own_consensus_and_none_is_an_error() {
        let (p, u) = scores();
        let evidence = Evidence::of_scores(&p, &u);
        let found = consensus(&[estimate("tice", 0.3, 0.1)], &evidence).unwrap();
        assert!(found.mu == 0.3 && found.agreement && found.interval.0 < 0.2 && found.interval.1 > 0.4);
        let error = consensus(&[], &evidence).unwrap_err().to_string();
        assert_eq!(error, "no estimator has an answer; each says why");
    }

    #[test]
    fn an_interval_that_reaches_to_zero_still_does() {
        // Identical P and U: every estimator says 1 and rules nothing out.
        let p: Vec<f64> = (0..100).map(f64::from).collect();
        let all = ["plateau", "bbe", "dedpul"]
            .map(|name| Estimate { interval: (0.0, 1.0), ..estimate(name, 0.97, 0.0) });
        let found = consensus(&all, &Evidence::of_scores(&p, &p)).unwrap();
        assert_eq!((found.mu, found.interval), (0.97, (0.0, 1.0)));
    }
}
