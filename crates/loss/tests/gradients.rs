//! Gradients against central finite differences of the value, for every objective with every option it has.
//!
//! Values are computed in `f64` from `f32` scores. Scores and step are multiples of 2⁻¹⁰, so f ± h is exact in `f32`
//! and the only errors left are h² / 6 times the third derivative and the rounding of the gradient to `f32`, together
//! below 2e-7 here. The correction branch of the non-negative risks does not descend its value; it has its own test.

use onesided_loss::{
    Loss, LossInfo, Options, Part, Reduction, Sampling, Setting, Surrogate, elicited_methods, later_methods,
    methods,
};

const STEP: f32 = 1.0 / 1024.0;
const TOLERANCE: f64 = 2e-7;

/// Scores of both signs on the grid, none within a step of the corners of the double hinge or with mean_U σ(f) = μ.
const POSITIVE: [f32; 4] = [1.625, -0.375, 3.25, 0.0625];
const UNLABELED: [f32; 6] = [0.875, -2.5, 1.75, -0.25, 4.125, -1.1875];

const SAMPLINGS: [Sampling; 2] = [Sampling::CaseControl, Sampling::SingleSample { labeled_share: 0.375 }];

/// Checks one objective on one batch, which must not be corrected.
fn check(method: &LossInfo, setting: &Setting, options: &Options, positive: &[f32], unlabeled: &[f32]) {
    let objective = method.build(setting, options).unwrap();
    let value =
        |p: &[f32], u: &[f32]| objective.evaluate(p, u, &mut vec![0.0; p.len()], &mut vec![0.0; u.len()]);
    let (mut grad_p, mut grad_u) = (vec![f32::NAN; positive.len()], vec![f32::NAN; unlabeled.len()]);
    objective.evaluate(positive, unlabeled, &mut grad_p, &mut grad_u);

    let moved = |scores: &[f32], i: usize, by: f32| {
        let mut scores = scores.to_vec();
        scores[i] += by;
        scores
    };
    let compare = |part: &str, i: usize, gradient: f32, up: f64, down: f64| {
        let difference = (up - down) / (2.0 * f64::from(STEP));
        assert!(
            (difference - f64::from(gradient)).abs() < TOLERANCE,
            "{} at {setting:?}: d/d{part}[{i}] is {gradient}, finite difference {difference}",
            objective.describe()
        );
    };
    for (i, &gradient) in grad_p.iter().enumerate() {
        let (up, down) = (moved(positive, i, STEP), moved(positive, i, -STEP));
        compare("P", i, gradient, value(&up, unlabeled), value(&down, unlabeled));
    }
    for (i, &gradient) in grad_u.iter().enumerate() {
        let (up, down) = (moved(unlabeled, i, STEP), moved(unlabeled, i, -STEP));
        compare("U", i, gradient, value(positive, &up), value(positive, &down));
    }
    assert_eq!(objective.corrections().unwrap_or(0), 0, "{} left the value it reports", objective.describe());
}

#[test]
fn gradients_are_those_of_the_value() {
    for method in methods().iter().chain(later_methods()).chain(elicited_methods()) {
        for sampling in SAMPLINGS {
            for prior_in_unlabeled in [0.02, 0.3, 0.7] {
                // β = 100 lets R_n fall as far as it does on this batch, so that no correction interferes.
                let setting = Setting { prior_in_unlabeled, sampling };
                for surrogate in Surrogate::ALL {
                    let options = Options { surrogate, beta: 100.0, ..Options::default() };
                    check(method, &setting, &options, &POSITIVE, &UNLABELED);
                }
                for reduction in Reduction::ALL {
                    for smoothing in [0.0, 0.05] {
                        let options = Options { reduction, smoothing, beta: 100.0, ..Options::default() };
                        check(method, &setting, &options, &POSITIVE, &UNLABELED);
                    }
                }
            }
        }
    }
}

#[test]
fn a_batch_with_one_part_missing_has_the_gradient_of_the_other() {
    for method in methods().iter().chain(later_methods()).chain(elicited_methods()) {
        for sampling in SAMPLINGS {
            let setting = Setting { prior_in_unlabeled: 0.3, sampling };
            for reduction in Reduction::ALL {
                let options = Options { reduction, ..Options::default() };
                check(method, &setting, &options, &POSITIVE, &[]);
                check(method, &setting, &options, &[], &UNLABELED);
                let nothing = method.build(&setting, &options).unwrap().evaluate(&[], &[], &mut [], &mut []);
                assert_eq!(nothing, 0.0, "{}", method.name);
            }
        }
    }
}

const NEGATIVE: [f32; 5] = [-1.375, 0.4375, -3.0, 2.25, -0.0625];
const WEIGHTS: [f32; 6] = [0.5, 2.0, 1.25, 3.0, 0.25, 1.0];

/// Value and gradients of an objective with known negatives and weights.
fn complete(loss: &Loss, [p, u, n]: [&[f32]; 3], weighted: bool) -> (f64, [Vec<f32>; 3]) {
    let parts = [p, u, n].map(|scores| Part::new(scores, weighted.then(|| &WEIGHTS[..scores.len()])));
    let mut grads = [vec![f32::NAN; p.len()], vec![f32::NAN; u.len()], vec![f32::NAN; n.len()]];
    let [gp, gu, gn] = &mut grads;
    let value = loss.evaluate(parts, [gp, gu, gn]);
    (value, grads)
}

#[test]
fn negatives_and_weights_have_the_gradient_of_their_value() {
    let weighing = |method: &&LossInfo| method.check_negatives().is_ok() && method.name != "count";
    for method in methods().iter().chain(later_methods()).filter(weighing) {
        for (sampling, surrogate) in SAMPLINGS.into_iter().flat_map(|s| Surrogate::ALL.map(|l| (s, l))) {
            for reduction in Reduction::ALL {
                let setting = Setting { prior_in_unlabeled: 0.3, sampling };
                let options = Options { surrogate, reduction, beta: 100.0, ..Options::default() };
                let objective = method.build(&setting, &options).unwrap();
                let negatives = Some(method.negative_term(&setting, &options, 0.7).unwrap());
                let loss = Loss { objective: objective.as_ref(), negatives };
                for weighted in [false, true] {
                    let at = [POSITIVE.to_vec(), UNLABELED.to_vec(), NEGATIVE.to_vec()];
                    let value = |at: &[Vec<f32>; 3]| complete(&loss, [&at[0], &at[1], &at[2]], weighted).0;
                    let (_, grads) = complete(&loss, [&at[0], &at[1], &at[2]], weighted);
                    for (kind, grads) in grads.iter().enumerate() {
                        for (i, &gradient) in grads.iter().enumerate() {
                            let (mut up, mut down) = (at.clone(), at.clone());
                            up[kind][i] += STEP;
                            down[kind][i] -= STEP;
                            let difference = (value(&up) - value(&down)) / (2.0 * f64::from(STEP));
                            assert!(
                                (difference - f64::from(gradient)).abs() < TOLERANCE,
                                "{}, kind {kind}, {i}: {gradient} against {difference}",
                                objective.describe()
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_weight_of_two_is_the_example_twice() {
    for method in methods().iter().chain(later_methods()).chain(elicited_methods()) {
        for reduction in Reduction::ALL {
            let setting = Setting { prior_in_unlabeled: 0.3, sampling: Sampling::CaseControl };
            let options = Options { reduction, ..Options::default() };
            let objective = method.build(&setting, &options).unwrap();
            let Some(weighted) = objective.weighted() else { continue };
            let (p, u) = ([1.625f32, -0.375], [0.875f32, -2.5, 1.75]);
            let parts = (Part::new(&p, Some(&[2.0, 1.0])), Part::new(&u, Some(&[1.0, 3.0, 1.0])));
            let (mut grad_p, mut grad_u) = ([0.0; 2], [0.0; 3]);
            let value = weighted.evaluate_weighted(parts.0, parts.1, &mut grad_p, &mut grad_u);
            let (p, u) = ([1.625f32, 1.625, -0.375], [0.875f32, -2.5, -2.5, -2.5, 1.75]);
            let (mut each_p, mut each_u) = ([0.0; 3], [0.0; 5]);
            let expected = objective.evaluate(&p, &u, &mut each_p, &mut each_u);
            assert!((value - expected).abs() < 1e-14, "{}: {value} {expected}", method.name);
            assert!((grad_p[0] - 2.0 * each_p[0]).abs() < 1e-7 && (grad_p[1] - each_p[2]).abs() < 1e-7);
            assert!((grad_u[1] - 3.0 * each_u[1]).abs() < 1e-7, "{}", method.name);
            let (mut curve_p, mut curve_u) = ([0.0; 2], [0.0; 3]);
            weighted.curvature_weighted(parts.0, parts.1, &mut curve_p, &mut curve_u);
            let (mut each_p, mut each_u) = ([0.0; 3], [0.0; 5]);
            objective.curvature(&p, &u, &mut each_p, &mut each_u);
            assert!(
                (curve_p[0] - 2.0 * each_p[0]).abs() < 1e-7 && (curve_u[1] - 3.0 * each_u[1]).abs() < 1e-7
            );
        }
    }
}
