//! Simulated data whose truth is known: P ~ N(1, 1) and negatives N(-1, 1), so the posterior's logit at the prior μ is
//! 2x + logit(μ), and the AUC of x is Φ(√2).

use onesided_data::{ClassPrior, Counts, PriorInUnlabeled, Scenario, Stream, logit_shift};
use onesided_eval::{
    Calibration, Interval, PuInput, ThresholdRule, probability, with_truth, with_truth_intervals,
    without_negatives,
};

/// Φ(√2).
const AUC: f64 = 0.921_350_396_474_857;

struct Simulated {
    positive: Vec<f32>,
    unlabeled: Vec<f32>,
    hidden: Vec<bool>,
    prior: PriorInUnlabeled,
}

/// Scores x; each unlabeled row is positive with probability `mu`.
fn simulate(seed: u64, n_p: usize, n_u: usize, mu: f64) -> Simulated {
    let mut stream = Stream::new(seed, "simulated");
    let positive = (0..n_p).map(|_| (1.0 + stream.normal()) as f32).collect();
    let hidden: Vec<bool> = (0..n_u).map(|_| stream.uniform() < mu).collect();
    let unlabeled = hidden.iter().map(|&y| (if y { 1.0 } else { -1.0 } + stream.normal()) as f32).collect();
    Simulated { positive, unlabeled, hidden, prior: PriorInUnlabeled::new(mu).unwrap() }
}

fn mapped(scores: &[f32], map: impl Fn(f32) -> f64) -> Vec<f32> {
    scores.iter().map(|&score| map(score) as f32).collect()
}

#[test]
fn metrics_without_negatives_approach_those_with_truth() {
    // With 100,000 positives and 200,000 unlabeled rows the standard errors are below 0.005.
    for (seed, mu) in [(0, 0.1), (1, 0.5)] {
        let data = simulate(seed, 100_000, 200_000, mu);
        let posterior = |x: f32| probability(2.0 * f64::from(x) + data.prior.logit());
        let (positive, unlabeled) = (mapped(&data.positive, posterior), mapped(&data.unlabeled, posterior));
        let input =
            PuInput { positive: &positive, unlabeled: &unlabeled, threshold: 0.4, prior: Some(data.prior) };
        let pu = without_negatives(&input, 20, 0).unwrap();
        let truth = with_truth(&unlabeled, &data.hidden, 0.4).unwrap();
        let near = |name: &str, estimate: Option<Interval>, truth: f64, tolerance: f64| {
            let value = estimate.unwrap().value;
            assert!((value - truth).abs() < tolerance, "{name} at {mu}: {value}, truth {truth}");
        };
        near("recall", Some(pu.recall), truth.recall.unwrap(), 0.01);
        near("precision", pu.precision, truth.precision.unwrap(), 0.02);
        near("f1", pu.f1, truth.f1.unwrap(), 0.015);
        near("accuracy", pu.pu_accuracy, truth.accuracy, 0.005);
        near("risk", pu.pu_risk, 1.0 - truth.accuracy, 0.005);
        near("auc", pu.auc, truth.auc.unwrap(), 0.005);
        near("auc in closed form", pu.auc, AUC, 0.005);
        near("auc of P against U", Some(pu.auc_pu), mu / 2.0 + (1.0 - mu) * AUC, 0.005);
        assert_eq!(pu.warnings, Vec::new());
    }
}

#[test]
fn in_one_sample_the_prior_of_the_unlabeled_rows_is_the_right_one() {
    // A population with π = 0.5 of which half the positives are labeled: U holds μ = 1/3. The estimates agree with the
    // truth about U at μ and are off at π.
    let data = simulate(2, 50_000, 150_000, 1.0 / 3.0);
    let counts = Counts::new(50_000, 150_000);
    let pi = data.prior.to_class_prior(Scenario::SingleSample, counts);
    assert!((pi.get() - 0.5).abs() < 1e-12);
    let estimate = |prior: f64| {
        let prior = Some(PriorInUnlabeled::new(prior).unwrap());
        let input = PuInput { positive: &data.positive, unlabeled: &data.unlabeled, threshold: 0.0, prior };
        without_negatives(&input, 1, 0).unwrap().precision.map(|precision| precision.value)
    };
    let probabilities = mapped(&data.unlabeled, |x| probability(f64::from(x)));
    let truth = with_truth(&probabilities, &data.hidden, 0.5).unwrap().precision.unwrap();
    let of_unlabeled = estimate(1.0 / 3.0).unwrap();
    assert!((of_unlabeled - truth).abs() < 0.015, "{of_unlabeled} {truth}");
    // 1.04 at π, which cannot be.
    assert!(estimate(0.5).is_none_or(|precision| precision > truth + 0.2), "{:?} {truth}", estimate(0.5));
}

#[test]
fn intervals_cover_the_truth() {
    // At threshold 0 on x: r = Φ(1), a = μ Φ(1) + (1 - μ) Φ(-1). At 95 % nominal, at least 85 of 100 must cover.
    const PHI_1: f64 = 0.841_344_746_068_543;
    let mu = 0.3;
    let share = mu * PHI_1 + (1.0 - mu) * (1.0 - PHI_1);
    let mut covered = [0; 5];
    for seed in 0..100 {
        let data = simulate(seed, 80, 160, mu);
        let input = PuInput {
            positive: &data.positive,
            unlabeled: &data.unlabeled,
            threshold: 0.0,
            prior: Some(data.prior),
        };
        let pu = without_negatives(&input, 200, seed).unwrap();
        let expected = [
            (pu.recall, PHI_1),
            (pu.precision.unwrap(), mu * PHI_1 / share),
            (pu.pu_accuracy.unwrap(), PHI_1),
            (pu.lee_liu.unwrap(), PHI_1 * PHI_1 / share),
            (pu.auc.unwrap(), AUC),
        ];
        for (count, (interval, truth)) in covered.iter_mut().zip(expected) {
            *count += usize::from(interval.low <= truth && truth <= interval.high);
        }
    }
    assert!(covered.iter().all(|&count| count >= 85), "{covered:?} of 100");
    assert!(
        covered.iter().any(|&count| count < 100),
        "intervals that always cover are too wide: {covered:?}"
    );
}

#[test]
fn intervals_with_truth_cover_the_truth() {
    // The classes are resampled separately, so the targets are those that do not depend on how many positives were drawn.
    const PHI_1: f64 = 0.841_344_746_068_543;
    let mut covered = [0; 3];
    for seed in 0..100 {
        let data = simulate(seed, 1, 160, 0.4);
        let probabilities = mapped(&data.unlabeled, |x| probability(f64::from(x)));
        let intervals = with_truth_intervals(&probabilities, &data.hidden, 0.5, 200, seed).unwrap();
        let targets = [("recall", PHI_1), ("balanced_accuracy", PHI_1), ("auc", AUC)];
        for (count, (name, truth)) in covered.iter_mut().zip(targets) {
            let (_, interval) = intervals.iter().find(|(other, _)| *other == name).unwrap();
            *count += usize::from(interval.low <= truth && truth <= interval.high);
        }
    }
    assert!(covered.iter().all(|&count| count >= 85), "{covered:?} of 100");
}

#[test]
fn calibration_recovers_the_posterior() {
    // Scores 0.5 x + 3 are logits to nobody; the posterior is 4 f - 12 + logit(μ).
    for (seed, mu) in [(3, 0.1), (4, 0.5)] {
        let data = simulate(seed, 20_000, 100_000, mu);
        let score = |x: f32| 0.5 * f64::from(x) + 3.0;
        let (positive, unlabeled) = (mapped(&data.positive, score), mapped(&data.unlabeled, score));
        let fitted = Calibration::fit(&positive, &unlabeled, data.prior).unwrap();
        assert!((fitted.slope - 4.0).abs() < 0.15, "{fitted:?} at {mu}");
        // Both parameters trade off along the line through the data, so they are compared at x = 0.
        let middle = fitted.apply(3.0);
        assert!((middle - data.prior.logit()).abs() < 0.1, "{fitted:?} at {mu}");
        let probabilities = mapped(&unlabeled, |f| probability(fitted.apply(f)));
        let ece = with_truth(&probabilities, &data.hidden, 0.5).unwrap().ece;
        assert!(ece < 0.02, "ECE is {ece} at {mu}");
        let raw = mapped(&unlabeled, |f| probability(f64::from(f)));
        let before = with_truth(&raw, &data.hidden, 0.5).unwrap().ece;
        assert!(before > 0.3, "the scores were already calibrated: {before}");
    }
}

#[test]
fn calibration_holds_at_the_deployment_prior_after_the_shift() {
    let data = simulate(5, 10_000, 50_000, 0.15);
    let fitted = Calibration::fit(&data.positive, &data.unlabeled, data.prior).unwrap();
    let shift = logit_shift(data.prior, ClassPrior::new(0.5).unwrap());
    let deployed = simulate(6, 1, 50_000, 0.5);
    let probabilities = mapped(&deployed.unlabeled, |x| probability(fitted.apply(x) + shift));
    let metrics = with_truth(&probabilities, &deployed.hidden, 0.5).unwrap();
    assert!(metrics.ece < 0.02, "{metrics:?}");
    // The Bayes accuracy at equal priors is Φ(1) = 0.8413.
    assert!((metrics.accuracy - 0.8413).abs() < 0.005, "{metrics:?}");
}

#[test]
fn thresholds_lie_near_the_bayes_boundary() {
    // On x itself, trained at μ = 0.2 and deployed at π = 0.5: the boundary is x = 0.
    let data = simulate(7, 50_000, 100_000, 0.2);
    let deployment = ClassPrior::new(0.5).unwrap();
    let choose =
        |rule: ThresholdRule, to| rule.choose(&data.positive, &data.unlabeled, data.prior, to).unwrap();
    let cut = choose(ThresholdRule::MaxPuAccuracy, deployment);
    assert!(cut.abs() < 0.15, "{cut}");
    // Deployed on U's own kind the boundary is -logit(0.2)/2 = 0.693.
    let cut = choose(ThresholdRule::MaxPuAccuracy, ClassPrior::new(0.2).unwrap());
    assert!((cut - 0.693).abs() < 0.2, "{cut}");
    let cut = choose(ThresholdRule::Quantile, deployment);
    let above = data.unlabeled.iter().filter(|&&x| f64::from(x) >= cut).count();
    assert_eq!(above, 20_000);
}
