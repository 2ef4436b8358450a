//! Curvatures: the second derivative where there is one, and numbers that a step can divide by everywhere.
//!
//! Gradients are `f32`, so a difference over 2h = 1/32 has an error of about 1e-6 from their rounding, and h² / 6 times
//! the fourth derivative of the loss, at most 1/8, is below 6e-6.

use onesided_loss::{
    Collective, Elicited, Naive, Objective, Options, Reduction, Sampling, Setting, Supervised, Surrogate,
    Upu, elicit::BuiltIn, elicited_methods, later_methods, methods,
};

const STEP: f32 = 1.0 / 64.0;
const TOLERANCE: f64 = 1e-5;
const MU: f64 = 0.3;

const POSITIVE: [f32; 4] = [1.625, -0.375, 3.25, 0.0625];
const UNLABELED: [f32; 6] = [0.875, -2.5, 1.75, -0.25, 4.125, -1.1875];
const SAMPLINGS: [Sampling; 2] = [Sampling::CaseControl, Sampling::SingleSample { labeled_share: 0.375 }];

/// Derivatives of a batch, those of P before those of U.
fn both(parts: impl Fn(&mut [f32], &mut [f32]), n_p: usize, n_u: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut of_p, mut of_u) = (vec![f32::NAN; n_p], vec![f32::NAN; n_u]);
    parts(&mut of_p, &mut of_u);
    let wide = |of: Vec<f32>| of.into_iter().map(f64::from).collect();
    (wide(of_p), wide(of_u))
}

fn curvature(objective: &dyn Objective, p: &[f32], u: &[f32]) -> (Vec<f64>, Vec<f64>) {
    both(|of_p, of_u| objective.curvature(p, u, of_p, of_u), p.len(), u.len())
}

fn gradient(objective: &dyn Objective, p: &[f32], u: &[f32]) -> (Vec<f64>, Vec<f64>) {
    let run = |of_p: &mut [f32], of_u: &mut [f32]| {
        objective.evaluate(p, u, of_p, of_u);
    };
    both(run, p.len(), u.len())
}

/// The diagonal of the second derivative by central differences of the gradient.
fn differences(objective: &dyn Objective) -> (Vec<f64>, Vec<f64>) {
    let moved = |scores: &[f32], i: usize, by: f32| {
        let mut scores = scores.to_vec();
        scores[i] += by;
        scores
    };
    let slope = |up: f64, down: f64| (up - down) / (2.0 * f64::from(STEP));
    let of_p = |i| {
        let at = |by| gradient(objective, &moved(&POSITIVE, i, by), &UNLABELED).0[i];
        slope(at(STEP), at(-STEP))
    };
    let of_u = |j| {
        let at = |by| gradient(objective, &POSITIVE, &moved(&UNLABELED, j, by)).1[j];
        slope(at(STEP), at(-STEP))
    };
    ((0..POSITIVE.len()).map(of_p).collect(), (0..UNLABELED.len()).map(of_u).collect())
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < TOLERANCE);
    assert!(close && found.len() == expected.len(), "{what}: {found:?} against {expected:?}");
}

#[test]
fn cross_entropy_has_its_second_derivative() {
    for objective in [&Naive as &dyn Objective, &Supervised] {
        let (found, expected) = (curvature(objective, &POSITIVE, &UNLABELED), differences(objective));
        assert_close(&found.0, &expected.0, &objective.describe());
        assert_close(&found.1, &expected.1, &objective.describe());
    }
}

#[test]
fn the_collective_loss_has_that_of_its_positives_and_the_reductions_weight_on_the_rest() {
    for (reduction, weight_u) in
        [(Reduction::SampleMean, 0.6), (Reduction::SumOfMeans, 1.0), (Reduction::PriorWeighted, 1.0)]
    {
        let loss = Collective::new(MU, reduction).unwrap();
        let (on_p, on_u) = curvature(&loss, &POSITIVE, &UNLABELED);
        assert_close(&on_p, &differences(&loss).0, &loss.describe());
        // Cross entropy of the same rows has σ(f) σ(−f) / 10; a row of U has w_u σ(f) σ(−f) / 6 here.
        let labeled = curvature(&Naive, &POSITIVE, &UNLABELED).1;
        let expected: Vec<f64> = labeled.iter().map(|h| h * 10.0 * weight_u / 6.0).collect();
        assert_close(&on_u, &expected, &loss.describe());
        // A row of U steps by sign(d) / (1 − |d|), the same for all.
        let steps: Vec<f64> =
            gradient(&loss, &POSITIVE, &UNLABELED).1.iter().zip(&on_u).map(|(g, h)| g / h).collect();
        assert!(steps.iter().all(|step| (step / steps[0] - 1.0).abs() < 1e-5 && *step > 1.0), "{steps:?}");
    }
}

#[test]
fn an_elicited_loss_steps_by_one_over_q_on_the_positives() {
    for reduction in Reduction::ALL {
        for built_in in BuiltIn::ALL {
            let loss = Elicited::new(built_in.into(), MU, reduction).unwrap();
            let (slope, curve) =
                (gradient(&loss, &POSITIVE, &UNLABELED).0, curvature(&loss, &POSITIVE, &UNLABELED).0);
            for ((g, h), &f) in slope.iter().zip(&curve).zip(&POSITIVE) {
                let inverse = 1.0 + (-f64::from(f)).exp();
                assert!((-g / h / inverse - 1.0).abs() < 1e-5, "{}: {g} {h} at {f}", loss.describe());
            }
        }
        let log = Elicited::new(BuiltIn::Log.into(), MU, reduction).unwrap();
        let (found, expected) = (
            curvature(&log, &POSITIVE, &UNLABELED),
            curvature(&Collective::new(MU, reduction).unwrap(), &POSITIVE, &UNLABELED),
        );
        assert_close(&found.0, &expected.0, "the logarithm elicits the collective loss");
        assert_close(&found.1, &expected.1, "the logarithm elicits the collective loss");
    }
}

#[test]
fn the_unbiased_risk_has_the_convex_part_of_its_second_derivative() {
    for sampling in SAMPLINGS {
        let (w_p, w_n) = match sampling {
            Sampling::CaseControl => (MU, 1.0),
            Sampling::SingleSample { labeled_share: s } => (s + (1.0 - s) * MU, 1.0 - s),
        };
        for surrogate in [Surrogate::Logistic, Surrogate::Squared] {
            let upu = Upu::new(MU, sampling, surrogate).unwrap();
            let (on_p, on_u) = curvature(&upu, &POSITIVE, &UNLABELED);
            let (exact_p, exact_u) = differences(&upu);
            assert_close(&on_u, &exact_u, &upu.describe());
            // l'' is even, so leaving −w_n μ l''(−f) out is a constant factor: all that is left is w_p − w_n μ.
            let left: Vec<f64> = on_p.iter().map(|h| h * (w_p - w_n * MU) / w_p).collect();
            assert_close(&left, &exact_p, &upu.describe());
        }
        // The sigmoid loss turns concave; its stand-in bounds the second derivative on either side.
        let upu = Upu::new(MU, sampling, Surrogate::Sigmoid).unwrap();
        let ((on_p, on_u), (exact_p, exact_u)) = (curvature(&upu, &POSITIVE, &UNLABELED), differences(&upu));
        for (h, exact) in on_p.iter().chain(&on_u).zip(exact_p.iter().chain(&exact_u)) {
            assert!(h + TOLERANCE > exact.abs(), "{}: {h} does not bound {exact}", upu.describe());
        }
    }
}

#[test]
fn a_correction_keeps_the_curvature_positive() {
    // Overfitted: P far up, U far down, so that R_n is below zero and climbed.
    let (p, u) = ([3.0, 2.25, 4.5], [-3.25, -4.0, -2.5, -5.0]);
    let setting = Setting { prior_in_unlabeled: 0.4, sampling: Sampling::CaseControl };
    let options = Options { surrogate: Surrogate::Logistic, ..Options::default() };
    let build = |name| onesided_loss::method(name).unwrap().build(&setting, &options).unwrap();
    let (nnpu, upu) = (build("nnpu"), build("upu"));
    gradient(nnpu.as_ref(), &p, &u);
    assert_eq!(nnpu.corrections(), Some(1));
    assert_eq!(curvature(nnpu.as_ref(), &p, &u), curvature(upu.as_ref(), &p, &u));
    assert_eq!(nnpu.corrections(), Some(1), "asking for the curvature is not an evaluation");
}

/// An objective that says nothing of its curvature.
struct Plain;

impl Objective for Plain {
    fn evaluate(&self, _: &[f32], _: &[f32], _: &mut [f32], _: &mut [f32]) -> f64 {
        0.0
    }

    fn describe(&self) -> String {
        "plain".to_string()
    }
}

#[test]
fn the_default_weighs_both_parts_the_same() {
    // σ(f) σ(−f) is 1/4 at 0 and 3/16 at ln 3.
    let (on_p, on_u) = curvature(&Plain, &[0.0, 3.0f32.ln()], &[0.0; 5]);
    assert_close(&on_p, &[0.125, 3.0 / 32.0], "P");
    assert_close(&on_u, &[0.05; 5], "U");
}

#[test]
fn curvatures_are_positive_and_finite_at_the_extremes() {
    let extremes = [f32::MAX, -f32::MAX, f32::MIN_POSITIVE, 0.0, -0.0, 37.0, -88.0, 110.0, 160.5, -750.0];
    let sound = |objective: &dyn Objective, p: &[f32], u: &[f32]| {
        let (on_p, on_u) = curvature(objective, p, u);
        let positive = on_p.iter().chain(&on_u).all(|&h| h > 0.0 && h.is_finite());
        assert!(positive, "{}: {on_p:?}, {on_u:?}", objective.describe());
    };
    sound(&Plain, &extremes, &extremes);
    let options: Vec<Options> = Surrogate::ALL
        .map(|surrogate| Options { surrogate, ..Options::default() })
        .into_iter()
        .chain(Reduction::ALL.map(|reduction| Options { reduction, ..Options::default() }))
        .collect();
    for sampling in SAMPLINGS {
        for prior_in_unlabeled in [5e-324, 1e-30, 1e-6, 0.5, 1.0 - f64::EPSILON / 2.0] {
            let setting = Setting { prior_in_unlabeled, sampling };
            for (method, options) in methods()
                .iter()
                .chain(later_methods())
                .chain(elicited_methods())
                .flat_map(|m| options.iter().map(move |o| (m, o)))
            {
                let objective = method.build(&setting, options).unwrap();
                for (p, u) in [(&extremes[..], &extremes[..]), (&extremes, &[]), (&[], &extremes)] {
                    sound(objective.as_ref(), p, u);
                }
            }
        }
    }
}
