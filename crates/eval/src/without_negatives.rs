//! Metrics that need no negatives: held-out positives and unlabeled rows, and the share of positives among the latter.
//!
//! Let r be the share of held-out positives predicted positive, a the share of held-out unlabeled rows predicted
//! positive, and μ the share of positives in that unlabeled sample. If the labeled positives are a random sample of the
//! positives (SCAR), then of all unlabeled rows μ r are true positives, a - μ r false positives and μ (1 - r) false
//! negatives. Hence
//!
//! * precision = μ r / a, F1 = 2 μ r / (a + μ);
//! * 0-1 risk = 2 μ (1 - r) + a - μ, and accuracy = 1 - risk. The score PA = 2 μ r + 1 - a of the literature is this
//!   accuracy plus μ and has the same maximizer;
//! * AUC of positives against unlabeled rows = μ/2 + (1 - μ) AUC of positives against negatives, since a positive
//!   meets another positive with probability μ and wins half of those encounters (Sakai et al., 2018);
//! * r² / a, the score of Lee and Liu (2003), is proportional to precision times recall and needs no prior.
//!
//! **Which prior.** Always that of the unlabeled rows on which a is measured, which is why the type is
//! [`PriorInUnlabeled`]. In the single-sample scenario the labeled positives were taken out of U, so U's share of
//! positives is below the population's, and so are the precision and F1 reported here: they describe U. (The same
//! formulas hold over the pool of P and U with the pool's prior; mixing one's a with the other's prior is the error to
//! avoid.)
//!
//! **None or all.** If none of m positives is predicted positive, or all of them are, every resample says the same and the
//! bootstrap has no width. Then the recalls of the resamples are spread over the law behind the exact interval (`unanimous.rs`)
//! instead, Beta(1, m) or its mirror image: none of 8 leaves room for a recall of up to 0.37. Precision and F1 follow from
//! it. The share of unlabeled rows is treated the same way. With fewer than ten positives the bootstrap of the AUC repeats the same few
//! rows, so its interval is widened to Jeffreys' for a share of this many: the placements of the positives lie between 0 and 1, and no law of
//! such numbers scatters more than hits and misses do. Weighted rows count as (Σ w)² / Σ w² rows (Kish, 1965).

use crate::MetricWarning;
use crate::beta::jeffreys;
use crate::bootstrap::{Draw, Interval};
use crate::degenerate::degenerate;
use crate::error::{EvalError, check_scores, check_threshold};
use crate::random_labels::{Contradiction, LeastShare, UNSEEN};
use crate::ranked::Ranked;
use crate::sample::Sample;
use crate::unanimous::ends_of_mean;
use onesided_data::{Phase, PriorInUnlabeled, Stream};
use serde::Serialize;

/// Positives from which on their bootstrap is trusted.
const FEW: f64 = 10.0;
/// The fractional part of the golden ratio: its multiples are spread evenly, too.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// Held-out scores, or probabilities, on one scale with the threshold.
#[derive(Clone, Copy, Debug)]
pub struct PuInput<'a> {
    /// Scores of labeled positives that took no part in training.
    pub positive: &'a [f32],
    /// Scores of unlabeled rows that took no part in training.
    pub unlabeled: &'a [f32],
    /// A row counts as predicted positive from here upwards.
    pub threshold: f64,
    /// μ of these unlabeled rows, if it is known or estimated.
    pub prior: Option<PriorInUnlabeled>,
}

/// Estimates with 95 % bootstrap intervals, all of them if labels are a random sample of the positives. Where one lies outside of
/// [0, 1], `warnings` say what it was: an assumption fails, or the sample is small. It is cut off at 0 or 1, which is not to be shown as
/// a value, and left out where its whole interval is outside. So are all that rest on the prior where it and the labels contradict one another.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PuMetrics {
    /// r, the share of positives predicted positive.
    pub recall: Interval,
    /// a, the share of unlabeled rows predicted positive.
    pub predicted_positive: Interval,
    /// r / a, how many times more positives there are among rows predicted positive than among all; needs no prior. `None`
    /// if a = 0.
    pub lift: Option<Interval>,
    /// r² / a. `None` if a = 0.
    pub lee_liu: Option<Interval>,
    /// AUC of positives against unlabeled rows.
    pub auc_pu: Interval,
    /// μ r / a. `None` without a prior or if a = 0.
    pub precision: Option<Interval>,
    /// 2 μ r / (a + μ). `None` without a prior.
    pub f1: Option<Interval>,
    /// The estimated share of mistakes on unlabeled rows, 2 μ (1 - r) + a - μ. `None` without a prior.
    pub pu_risk: Option<Interval>,
    /// 1 - `pu_risk`. `None` without a prior.
    pub pu_accuracy: Option<Interval>,
    /// AUC of positives against negatives, (AUC_pu - μ/2) / (1 - μ). `None` without a prior.
    pub auc: Option<Interval>,
    /// Where the prior and labels at random cannot both be right.
    pub contradiction: Option<Contradiction>,
    /// What the reader should know before trusting the numbers.
    pub warnings: Vec<MetricWarning>,
}

/// Measures a predictor on held-out positives and unlabeled rows, which are resampled separately for the intervals. The prior
/// is taken as exact: its own uncertainty is not in them.
pub fn without_negatives(input: &PuInput, resamples: usize, seed: u64) -> Result<PuMetrics, EvalError> {
    without_negatives_weighted(input, [None, None], resamples, seed)
}

/// [`without_negatives`] of rows with weights, those of positives and those of unlabeled rows: shares are weighted
/// shares, and the prior is one. Rows are resampled with their weights.
pub fn without_negatives_weighted(
    input: &PuInput,
    weights: [Option<&[f32]>; 2],
    resamples: usize,
    seed: u64,
) -> Result<PuMetrics, EvalError> {
    let told = input.prior.map(|prior| LeastShare { share: prior.get(), audited: false });
    without_negatives_estimated(input, told, weights, resamples, seed)
}

/// [`without_negatives_weighted`] with a prior that was estimated: only the `least` that it may be can contradict the labels.
pub fn without_negatives_estimated(
    input: &PuInput,
    least: Option<LeastShare>,
    weights: [Option<&[f32]>; 2],
    resamples: usize,
    seed: u64,
) -> Result<PuMetrics, EvalError> {
    check_scores("positive", input.positive)?;
    check_scores("unlabeled", input.unlabeled)?;
    check_threshold(input.threshold)?;
    if resamples == 0 {
        return Err(EvalError::NoResamples);
    }
    let ranked = Ranked::weighted(
        Sample { scores: input.positive, weights: weights[0] },
        Sample { scores: input.unlabeled, weights: weights[1] },
    );
    let cut = ranked.cut(input.threshold);
    let (mut positive, mut unlabeled) = ranked.each_once();
    let value = Observed::new(&ranked, cut, &positive, &unlabeled);
    let mut stream = Stream::new(seed, "bootstrap");
    let mut resampled: Vec<Observed> = Phase::new("measuring", resamples as u64, "resamples")
        .each(0..resamples)
        .map(|_| {
            positive.resample(&mut stream);
            unlabeled.resample(&mut stream);
            Observed::new(&ranked, cut, &positive, &unlabeled)
        })
        .collect();
    let (positives, others) =
        (rows(input.positive.len(), weights[0]), rows(input.unlabeled.len(), weights[1]));
    let (recalls, shares) = (none_or_all(value.recall, positives), none_or_all(value.share, others));
    for (at, observed) in resampled.iter_mut().enumerate() {
        // Evenly spread, and in two orders that have nothing to do with one another.
        let (even, golden) = ((at as f64 + 0.5) / resamples as f64, ((at as f64 + 0.5) * GOLDEN).fract());
        observed.recall = recalls.as_ref().map_or(observed.recall, |quantile| quantile(even));
        observed.share = shares.as_ref().map_or(observed.share, |quantile| quantile(golden));
    }

    let maybe = |metric: &dyn Fn(&Observed) -> Option<f64>| {
        Some(Interval::percentile(metric(&value), resampled.iter().map(metric))?.holding_value())
    };
    let always = |metric: fn(&Observed) -> f64| {
        Interval::spanning(metric(&value), resampled.iter().map(metric).collect()).holding_value()
    };
    let given_prior = |metric: fn(&Observed, f64) -> Option<f64>| {
        let mu = input.prior?.get();
        maybe(&|observed| metric(observed, mu))
    };
    let mut metrics = PuMetrics {
        recall: exact(always(|o| o.recall), positives),
        predicted_positive: exact(always(|o| o.share), others),
        lift: maybe(&Observed::lift),
        lee_liu: maybe(&Observed::lee_liu),
        auc_pu: always(|o| o.auc_pu),
        precision: given_prior(Observed::precision),
        f1: given_prior(|o, mu| Some(2.0 * mu * o.recall / (o.share + mu))),
        pu_risk: given_prior(|o, mu| Some(o.risk(mu))),
        pu_accuracy: given_prior(|o, mu| Some(1.0 - o.risk(mu))),
        auc: given_prior(|o, mu| Some((o.auc_pu - mu / 2.0) / (1.0 - mu))),
        contradiction: least.and_then(|least| Contradiction::found(value.auc_pu, positives, others, least)),
        warnings: degenerate(input.unlabeled, input.threshold, input.prior),
    };
    if positives < FEW {
        let few = jeffreys(positives * value.auc_pu, positives, 0.95);
        metrics.auc_pu = metrics.auc_pu.holding(few.low, few.high);
        if let (Some(auc), Some(mu)) = (&mut metrics.auc, input.prior) {
            let [low, high] = [few.low, few.high].map(|auc_pu| (auc_pu - mu.get() / 2.0) / (1.0 - mu.get()));
            *auc = auc.holding(low, high);
        }
    }
    metrics.warn(input);
    metrics.leave_out_impossible(input);
    Ok(metrics.clipped())
}

/// How many rows of weight 1 say as much.
fn rows(number: usize, weights: Option<&[f32]>) -> f64 {
    let Some(weights) = weights else { return number as f64 };
    let sum = |power: i32| weights.iter().map(|&weight| f64::from(weight).powi(power)).sum::<f64>();
    sum(1).powi(2) / sum(2)
}

/// Quantiles of a share that was 0 or 1 in this many rows, 1 - (1 - q)^(1/n) or q^(1/n); `None` for any other share.
fn none_or_all(share: f64, rows: f64) -> Option<impl Fn(f64) -> f64> {
    let none = share <= 0.0;
    (none || share >= 1.0)
        .then_some(move |at: f64| if none { 1.0 - (1.0 - at).powf(1.0 / rows) } else { at.powf(1.0 / rows) })
}

/// A share with its exact interval where it is 0 or 1.
fn exact(share: Interval, rows: f64) -> Interval {
    let [low, high] = ends_of_mean(share.value, rows);
    Interval { low: share.low.min(low), high: share.high.max(high), ..share }
}

/// The three numbers that a sample or a resample shows.
struct Observed {
    recall: f64,
    share: f64,
    auc_pu: f64,
}

impl Observed {
    fn new(ranked: &Ranked, cut: (usize, usize), positive: &Draw, unlabeled: &Draw) -> Self {
        Self {
            recall: positive.from(cut.0) / positive.total(),
            share: unlabeled.from(cut.1) / unlabeled.total(),
            // Both samples are known not to be empty.
            auc_pu: ranked.auc(positive, unlabeled).unwrap_or(f64::NAN),
        }
    }

    fn lift(&self) -> Option<f64> {
        (self.share > 0.0).then(|| self.recall / self.share)
    }

    fn lee_liu(&self) -> Option<f64> {
        (self.share > 0.0).then(|| self.recall * self.recall / self.share)
    }

    fn precision(&self, mu: f64) -> Option<f64> {
        (self.share > 0.0).then(|| mu * self.recall / self.share)
    }

    fn risk(&self, mu: f64) -> f64 {
        2.0 * mu * (1.0 - self.recall) + self.share - mu
    }
}

impl PuMetrics {
    fn warn(&mut self, input: &PuInput) {
        if self.predicted_positive.value == 0.0 {
            self.warnings.push(MetricWarning::NothingPredicted);
        }
        if input.prior.is_none() {
            self.warnings.push(MetricWarning::NoPrior);
        }
    }

    /// Leaves out estimates that cannot be: all that rest on the prior where the labels contradict it, and those that lie outside of
    /// [0, 1] with their whole interval. Of others outside there is an interval but no value, which a warning says.
    fn leave_out_impossible(&mut self, input: &PuInput) {
        let Some(prior) = input.prior else { return };
        let refuted = self.contradiction.is_some();
        let mut outside = Vec::new();
        let estimates = [
            ("precision", &mut self.precision),
            ("F1", &mut self.f1),
            ("0-1 risk", &mut self.pu_risk),
            ("accuracy", &mut self.pu_accuracy),
            ("AUC", &mut self.auc),
        ];
        for (name, estimate) in estimates {
            let Some(Interval { value, low, high }) = *estimate else { continue };
            // As far outside as it can be seen to be: of well separated classes, an estimate is as often just above 1 as below.
            if !(-UNSEEN..=1.0 + UNSEEN).contains(&value) {
                outside.push((name, value));
            }
            if refuted || low > 1.0 || high < 0.0 {
                *estimate = None;
            }
        }
        if let Some(contradiction) = self.contradiction {
            self.warnings.push(MetricWarning::Contradiction(contradiction));
        } else if !outside.is_empty() {
            self.warnings.push(MetricWarning::Outside { prior: prior.get(), estimates: outside });
        }
    }

    /// With intervals this many times as wide, where rows were held out in turn
    /// ([`held_out_in_turn`](crate::held_out_in_turn)).
    #[must_use]
    pub fn widened(mut self, factor: f64) -> Self {
        let always = [&mut self.recall, &mut self.predicted_positive, &mut self.auc_pu];
        let maybe =
            [&mut self.precision, &mut self.f1, &mut self.pu_risk, &mut self.pu_accuracy, &mut self.auc];
        for share in always.into_iter().chain(maybe.into_iter().flatten()) {
            *share = share.widened(factor, 1.0);
        }
        for ratio in [&mut self.lift, &mut self.lee_liu].into_iter().flatten() {
            *ratio = ratio.widened(factor, f64::INFINITY);
        }
        self
    }

    /// With estimates from 0 to 1, where shares and areas are.
    fn clipped(mut self) -> Self {
        let estimates =
            [&mut self.precision, &mut self.f1, &mut self.pu_risk, &mut self.pu_accuracy, &mut self.auc];
        estimates.into_iter().flatten().for_each(|estimate| *estimate = estimate.clipped());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: [f32; 4] = [0.9, 0.8, 0.6, 0.2];
    const U: [f32; 8] = [0.9, 0.7, 0.3, 0.3, 0.2, 0.1, 0.1, 0.05];

    fn mu(value: f64) -> Option<PriorInUnlabeled> {
        Some(PriorInUnlabeled::new(value).unwrap())
    }

    fn input(prior: Option<PriorInUnlabeled>) -> PuInput<'static> {
        PuInput { positive: &P, unlabeled: &U, threshold: 0.5, prior }
    }

    fn value(estimate: Option<Interval>) -> f64 {
        estimate.unwrap().value
    }

    #[test]
    fn an_estimate_that_rounds_to_one_is_no_contradiction() {
        let unlabeled: Vec<f32> = (0..1000).map(|row| f32::from(u8::from(row < 100))).collect();
        let warnings = |share: f64| {
            let positive = vec![1.0f32; 50];
            let input =
                PuInput { positive: &positive, unlabeled: &unlabeled, threshold: 0.5, prior: mu(share) };
            without_negatives(&input, 20, 1)
                .unwrap()
                .warnings
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        // (0.95 - μ/2) / (1 - μ): 1.002 and 1.03.
        assert!(!warnings(0.104).contains("AUC"), "{}", warnings(0.104));
        assert!(warnings(0.15).contains("share and labels do not fit together"), "{}", warnings(0.15));
    }

    #[test]
    fn one_positive_says_little_about_the_auc() {
        let unlabeled: Vec<f32> = (0..100).map(|i| i as f32).collect();
        let input = PuInput { positive: &[93.5], unlabeled: &unlabeled, threshold: 0.0, prior: None };
        let auc = without_negatives(&input, 200, 1).unwrap().auc_pu;
        // Beta(.94 + .5, .06 + .5) has its 2.5 % point at .1231 and its 97.5 % point at .9991 (scipy.stats.beta.ppf).
        assert!(
            (auc.value - 0.94).abs() < 1e-6
                && (auc.low - 0.1231).abs() < 1e-4
                && (auc.high - 0.9991).abs() < 1e-4,
            "{auc:?}"
        );
    }

    #[test]
    fn every_metric_by_hand() {
        // r = 3/4, a = 2/8. Pairs won of 32: .9 wins 7 and ties once, .8 wins 7, .6 wins 6, .2 wins 3 and ties once.
        let m = without_negatives(&input(mu(0.25)), 50, 0).unwrap();
        let close = |left: f64, right: f64| assert!((left - right).abs() < 1e-12, "{left} {right}");
        close(m.recall.value, 0.75);
        close(m.predicted_positive.value, 0.25);
        close(value(m.lee_liu), 0.75 * 0.75 / 0.25);
        close(m.auc_pu.value, 24.0 / 32.0);
        close(value(m.precision), 0.75);
        close(value(m.f1), 0.75);
        close(value(m.pu_risk), 2.0 * 0.25 * 0.25 + 0.25 - 0.25);
        close(value(m.pu_accuracy), 0.875);
        close(value(m.auc), (0.75 - 0.125) / 0.75);
        assert_eq!(m.warnings, Vec::new());
    }

    #[test]
    fn every_interval_is_widened_and_no_value() {
        let narrow = without_negatives(&input(mu(0.25)), 50, 0).unwrap();
        let wide = narrow.clone().widened(1.5);
        let all = |m: &PuMetrics| {
            let always = [m.recall, m.predicted_positive, m.auc_pu];
            let maybe = [m.lift, m.lee_liu, m.precision, m.f1, m.pu_risk, m.pu_accuracy, m.auc];
            always.into_iter().chain(maybe.map(Option::unwrap)).collect::<Vec<Interval>>()
        };
        for (narrow, wide) in all(&narrow).into_iter().zip(all(&wide)) {
            assert_eq!(narrow.value, wide.value);
            assert!(wide.low < narrow.low || narrow.low == 0.0, "{narrow:?} {wide:?}");
            assert!(wide.high > narrow.high || narrow.high == 1.0, "{narrow:?} {wide:?}");
        }
        assert!(wide.lift.unwrap().high > 1.0 && wide.recall.high == 1.0, "{wide:?}");
    }

    #[test]
    fn f1_is_the_harmonic_mean() {
        let m = without_negatives(&input(mu(0.1)), 10, 0).unwrap();
        let (p, r) = (value(m.precision), m.recall.value);
        assert!((value(m.f1) - 2.0 * p * r / (p + r)).abs() < 1e-12);
    }

    #[test]
    fn without_a_prior_only_what_needs_none() {
        let m = without_negatives(&input(None), 50, 0).unwrap();
        assert!(m.lee_liu.is_some());
        assert_eq!((m.precision, m.f1, m.pu_risk, m.pu_accuracy, m.auc), (None, None, None, None, None));
        assert!(m.warnings == [MetricWarning::NoPrior], "{:?}", m.warnings);
    }

    #[test]
    fn impossible_estimates_have_no_value_and_are_told() {
        // A prior of 0.9 where a quarter is predicted positive: precision .9 * .75 / .25 = 2.7.
        let m = without_negatives(&input(mu(0.9)), 50, 0).unwrap();
        for name in ["precision 2.70", "F1 1.17", "0-1 risk -0.20", "accuracy 1.20", "AUC 3.00"] {
            assert!(m.warnings.iter().any(|w| w.to_string().contains(name)), "{name}: {:?}", m.warnings);
        }
        // Cut off, with a range that says what is left; nothing where even that is outside.
        let at_ends = [(m.precision, 1.0), (m.f1, 1.0), (m.pu_risk, 0.0), (m.pu_accuracy, 1.0), (m.auc, 1.0)];
        for (estimate, end) in at_ends {
            assert!(
                estimate
                    .is_none_or(|Interval { value, low, high }| value == end && low >= 0.0 && high <= 1.0)
            );
        }
        assert!(at_ends.iter().any(|(estimate, _)| estimate.is_some()), "{m:?}");
        // What may be more than 1 stays: (3/4) / (2/8).
        assert_eq!(value(m.lift), 3.0);
    }

    #[test]
    fn a_share_that_the_labels_refute_leaves_out_what_rests_on_both() {
        // Only positives that are easy to tell are labeled: all of them score above all unlabeled rows, a third of which
        // are said to be positive.
        let positive = vec![1.0f32; 40];
        let unlabeled: Vec<f32> = (0..600).map(|row| row as f32 / 1000.0).collect();
        let input = PuInput { positive: &positive, unlabeled: &unlabeled, threshold: 0.5, prior: mu(0.3) };
        let m = without_negatives(&input, 50, 0).unwrap();
        assert_eq!(m.contradiction.map(|found| (found.auc, found.most)), Some((1.0, 0.85)));
        assert_eq!((m.precision, m.f1, m.pu_risk, m.pu_accuracy, m.auc), (None, None, None, None, None));
        assert!(
            m.warnings.iter().any(|w| w.to_string().starts_with("share and labels do not fit together")),
            "{m:?}"
        );
        assert_eq!(m.recall.value, 1.0, "it does not rest on the share");
        // An estimate whose interval reaches lower is not refuted.
        let least = Some(LeastShare { share: 0.005, audited: false });
        let m = without_negatives_estimated(&input, least, [None, None], 50, 0).unwrap();
        assert_eq!(m.contradiction, None);
    }

    #[test]
    fn none_or_all_of_the_positives_leave_room() {
        // 0 of 8 above the threshold, 2 of 8 unlabeled rows above it.
        let none = PuInput { positive: &[0.1; 8], ..input(mu(0.25)) };
        let m = without_negatives(&none, 200, 0).unwrap();
        assert_eq!((m.recall.value, m.recall.low), (0.0, 0.0));
        // Clopper and Pearson: a recall of x leaves none of 8 with a chance of (1 - x)^8, which is .025 at .36942.
        let far = 1.0 - 0.025f64.powf(0.125);
        assert!((m.recall.high - far).abs() < 1e-12, "{:?}", m.recall);
        let precision = m.precision.unwrap();
        assert!(precision.value == 0.0 && precision.low == 0.0 && precision.high > 0.2, "{precision:?}");
        assert!(m.f1.unwrap().high > 0.2 && m.pu_risk.unwrap().low < m.pu_risk.unwrap().value);
        // Its mirror image.
        let m = without_negatives(&PuInput { positive: &[0.9; 8], ..input(mu(0.25)) }, 200, 0).unwrap();
        assert_eq!((m.recall.value, m.recall.high), (1.0, 1.0));
        assert!((m.recall.low - (1.0 - far)).abs() < 1e-12, "{:?}", m.recall);
        // 8 rows of which one has nearly all the weight say as much as one row.
        let weights = [1000.0, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01];
        let m = without_negatives_weighted(&none, [Some(&weights), None], 200, 0).unwrap();
        assert!(m.recall.high > 0.8, "{:?}", m.recall);
        // No unlabeled row above the threshold.
        let m = without_negatives(&PuInput { threshold: 0.95, ..input(None) }, 200, 0).unwrap();
        assert!(
            m.predicted_positive.low == 0.0 && m.predicted_positive.high > 0.2,
            "{:?}",
            m.predicted_positive
        );
    }

    #[test]
    fn nothing_predicted_positive() {
        let m = without_negatives(&PuInput { threshold: 2.0, ..input(mu(0.25)) }, 50, 0).unwrap();
        assert_eq!((m.precision, m.lee_liu, value(m.f1)), (None, None, 0.0));
        assert!(m.warnings.iter().any(|w| w.to_string().contains("almost nothing")), "{:?}", m.warnings);
        assert!(m.warnings.iter().any(|w| w.to_string().contains("undefined")), "{:?}", m.warnings);
    }

    #[test]
    fn bad_input_is_refused() {
        let refused = |input: PuInput| without_negatives(&input, 50, 0).unwrap_err().to_string();
        assert_eq!(
            refused(PuInput { positive: &[], ..input(None) }),
            "no positive rows are left to evaluate"
        );
        assert_eq!(
            refused(PuInput { unlabeled: &[], ..input(None) }),
            "no unlabeled rows are left to evaluate"
        );
        assert_eq!(
            refused(PuInput { unlabeled: &[0.5, f32::NAN], ..input(None) }),
            "the unlabeled score at index 1 is NaN; scores must be finite"
        );
        assert_eq!(
            refused(PuInput { threshold: f64::NAN, ..input(None) }),
            "the threshold must be a number, but is NaN"
        );
        assert_eq!(without_negatives(&input(None), 0, 0), Err(EvalError::NoResamples));
    }

    #[test]
    fn intervals_repeat_with_the_seed() {
        let run = |seed| without_negatives(&input(mu(0.25)), 100, seed).unwrap();
        assert_eq!(run(1), run(1));
        assert_ne!(run(1).lift, run(2).lift);
        let auc = run(1).auc_pu;
        assert!(auc.low < auc.value && auc.value < auc.high, "{auc:?}");
    }
}
