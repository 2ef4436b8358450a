//! Two Gaussians whose share is known, with true scores: what each estimator finds, within stated tolerances.

use onesided_data::{Matrix, Stream};
use onesided_prior::{Estimator, Evidence, KernelForm, Km, PenL1, estimators};

/// `n` positives and 3 `n` unlabeled rows, means 3 apart in the first of three columns; the scores are
/// ln p_p / p_u = −ln(μ + (1 − μ) e^{−3x}).
fn sample(n: usize, mu: f64, seed: u64) -> ([Matrix; 2], [Vec<f64>; 2]) {
    let mut stream = Stream::new(seed, "simulated");
    let mut draw = |n: usize, share: f64| {
        let (mut rows, mut scores) = (Vec::new(), Vec::new());
        for _ in 0..n {
            let x = stream.normal() + if stream.uniform() < share { 1.5 } else { -1.5 };
            rows.extend([x as f32, stream.normal() as f32, stream.normal() as f32]);
            scores.push(-(mu + (1.0 - mu) * (-3.0 * x).exp()).ln());
        }
        (Matrix::new(n, 3, rows).unwrap(), scores)
    };
    let ((p, scores_p), (u, scores_u)) = (draw(n, 1.0), draw(3 * n, mu));
    ([p, u], [scores_p, scores_u])
}

/// How far the mean of four answers may be from the truth. The classes overlap (6.7 % of each lie beyond the middle), so
/// Elkan and Noto's mean, the trees and penalized L1 overestimate, as their assumptions say; the isotonic top of 500
/// positives answers too little.
fn tolerance(name: &str) -> f64 {
    match name {
        "bbe" => 0.03,
        "plateau" => 0.04,
        "dedpul" | "km2" => 0.07,
        "alphamax" | "km1" => 0.08,
        "elkan-noto" => 0.1,
        "elkan-noto-top" => 0.14,
        "tice" | "pen-l1" => 0.2,
        other => panic!("no tolerance for {other}"),
    }
}

#[test]
fn known_shares_are_found() {
    for mu in [0.1, 0.3, 0.7] {
        for estimator in estimators() {
            let name = estimator.info().name;
            // The kernel forms take seconds for a large sample.
            let (n, seeds) = if name.starts_with("km") { (150, 2) } else { (500, 4) };
            let mut sum = 0.0;
            for seed in 0..seeds {
                let ([p, u], [scores_p, scores_u]) = sample(n, mu, seed);
                let evidence = Evidence::of_scores(&scores_p, &scores_u).with_rows(&p, &u);
                sum += estimator.estimate(&Evidence { resamples: 20, ..evidence }).unwrap().mu;
            }
            let mean = sum / seeds as f64;
            assert!((mean - mu).abs() < tolerance(name), "{name}: {mean} for a true share of {mu}");
        }
    }
}

#[test]
fn intervals_hold_the_truth_where_the_assumptions_do() {
    // Twelve samples; a 95 % interval fails more than twice in one of fifty such tests.
    for name in ["bbe", "alphamax"] {
        let estimator = onesided_prior::estimator(name).unwrap();
        let held = (0..12)
            .filter(|&seed| {
                let (_, [scores_p, scores_u]) = sample(500, 0.3, 100 + seed);
                let (low, high) =
                    estimator.estimate(&Evidence::of_scores(&scores_p, &scores_u)).unwrap().interval;
                low <= 0.3 && 0.3 <= high
            })
            .count();
        assert!(held >= 10, "{name}: {held} of 12");
    }
}

#[test]
fn resampled_intervals_have_the_width_of_the_sampling_error() {
    // The deviation of 30 answers against a quarter of the mean width of their 95 % intervals, within a factor of 1.7.
    let estimator = onesided_prior::estimator("elkan-noto").unwrap();
    let estimates: Vec<_> = (0..30)
        .map(|seed| {
            let (_, [scores_p, scores_u]) = sample(500, 0.3, 200 + seed);
            estimator.estimate(&Evidence::of_scores(&scores_p, &scores_u)).unwrap()
        })
        .collect();
    let mean = estimates.iter().map(|e| e.mu).sum::<f64>() / 30.0;
    let deviation = (estimates.iter().map(|e| (e.mu - mean).powi(2)).sum::<f64>() / 29.0).sqrt();
    let width = estimates.iter().map(|e| e.interval.1 - e.interval.0).sum::<f64>() / 30.0;
    let ratio = width / 3.92 / deviation;
    assert!(ratio > 0.6 && ratio < 1.7, "{ratio}");
}

#[test]
fn the_forms_for_large_tables_stay_near_the_full_ones() {
    // 600 rows. At 2,000 the example `growth` shows differences of up to 0.009 for KM2 and 0.033 for penalized L1.
    let ([p, u], [scores_p, scores_u]) = sample(150, 0.3, 7);
    let evidence = Evidence::of_scores(&scores_p, &scores_u).with_rows(&p, &u);
    let mu =
        |estimator: &dyn Estimator| estimator.estimate(&Evidence { resamples: 20, ..evidence }).unwrap().mu;
    let km = |form| mu(&Km { form, ..Km::TWO });
    let (exact, features) = (km(KernelForm::Exact), km(KernelForm::RandomFeatures));
    println!("km2: {exact:.4} exact, {features:.4} by random features");
    assert!((exact - features).abs() < 0.03, "{exact} against {features}");
    let (all, drawn) = (mu(&PenL1 { centers: usize::MAX, ..PenL1::DEFAULT }), mu(&PenL1::DEFAULT));
    println!("pen-l1: {all:.4} with every row a center, {drawn:.4} with 200");
    assert!((all - drawn).abs() < 0.06, "{all} against {drawn}");
}
