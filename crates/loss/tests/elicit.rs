//! Elicitation end to end: closed forms, brute force, Savage's inequality, the collective loss as the log case, and
//! the line example.

use onesided_loss::elicit::{
    BuiltIn, ClassOverlap, Gaussian, PopulationMinimizer, Rectified, Reward, RiskWeights,
};
use onesided_loss::{Collective, Elicited, Objective, Reduction, sigmoid, softplus};

const PRIORS: [f64; 4] = [0.05, 0.25, 0.5, 0.9];
/// Derived against closed forms.
const EXACT: f64 = 1e-10;

/// J of each built-in as a formula.
const FORMULAS: [(BuiltIn, &str); 5] = [
    (BuiltIn::Log, "x*ln(x)+(1-x)*ln(1-x)"),
    (BuiltIn::Square, "-x*(1-x)"),
    (BuiltIn::Exponential, "-2*sqrt(x*(1-x))"),
    (BuiltIn::Savage, "eta^2-eta"),
    (BuiltIn::Tangent, "4*x*(x-1)"),
];

fn grid(n: u32) -> impl Iterator<Item = f64> {
    (1..n).map(move |k| f64::from(k) / f64::from(n))
}

fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= EXACT * expected.abs().max(1.0), "{what}: {found}, not {expected}");
}

/// SplitMix64, as in the properties of the other objectives.
struct Draws(u64);

impl Draws {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn scores(&mut self, center: f64) -> Vec<f32> {
        let n = 1 + (40.0 * self.uniform()) as usize;
        (0..n).map(|_| (center + 12.0 * (self.uniform() - 0.5)) as f32).collect()
    }
}

#[test]
fn what_is_derived_equals_the_closed_forms() {
    for (built_in, formula) in FORMULAS {
        // Two ways to say the same J: all but J and J' of the second follow by Savage's formulas.
        let (closed, derived) = (Reward::from(built_in), Reward::formula(formula).unwrap());
        for eta in grid(1000).chain([1e-9, 1e-6, 1.0 - 1e-6]) {
            let what = format!("{built_in} at {eta}");
            close(derived.value(eta), closed.value(eta), &what);
            close(derived.derivative(eta), closed.derivative(eta), &what);
            close(derived.positive(eta), closed.positive(eta), &what);
            close(derived.negative(eta), closed.negative(eta), &what);
            close(derived.second_derivative(eta), closed.second_derivative(eta), &what);
            // The loss through its link, for both classes, and the link's own symmetry.
            let v = closed.link(eta);
            close(closed.loss(v), -derived.positive(eta), &what);
            close(closed.loss(-v), -derived.negative(eta), &what);
            close(closed.inverse_link(v), eta, &what);
            close(closed.inverse_link(-v), 1.0 - eta, &what);
            // And the canonical link of a formula, inverted numerically.
            let v = derived.link(eta);
            close(derived.inverse_link(v), eta, &what);
            close(derived.loss(v), -derived.positive(eta), &what);
            close(derived.loss(-v), -derived.negative(eta), &what);
        }
    }
}

#[test]
fn losses_have_the_shapes_of_the_literature() {
    for (k, v) in (-40..=40).map(|k| (k, 0.1 * f64::from(k))) {
        let loss = |built_in: BuiltIn| Reward::from(built_in).loss(v);
        close(loss(BuiltIn::Log), (1.0 + (-v).exp()).ln(), "log");
        close(loss(BuiltIn::Square), (1.0 - v).powi(2) / 4.0, "square");
        close(loss(BuiltIn::Exponential), (-v).exp(), "exponential");
        close(loss(BuiltIn::Savage), 1.0 / (1.0 + v.exp()).powi(2), "savage");
        close(loss(BuiltIn::Tangent), (2.0 * v.atan() - 1.0).powi(2), "tangent");
        let canonical = Reward::formula(FORMULAS[0].1).unwrap();
        close(canonical.loss(v), softplus(-v), "canonical link of log");
        for reward in BuiltIn::ALL.map(Reward::from).into_iter().chain([canonical]) {
            let slope = (reward.loss(v + 1e-5) - reward.loss(v - 1e-5)) / 2e-5;
            assert!((slope - reward.loss_derivative(v)).abs() < 1e-7, "{reward:?} at {k}/10");
        }
    }
}

#[test]
fn honesty_is_the_best_policy_and_the_only_one() {
    for built_in in BuiltIn::ALL {
        let reward = Reward::from(built_in);
        for eta in grid(50) {
            let honest = reward.value(eta);
            for q in grid(400) {
                let gap = honest - reward.expected(q, eta);
                // J'' ≥ 2 for all five, so a step of h off the truth costs h² at least.
                assert!(gap >= (q - eta).powi(2) - 1e-12, "{built_in}: {q} for {eta} costs {gap}");
                assert!((q - eta).abs() > 1e-12 || gap.abs() < 1e-12, "{built_in} at {eta}: {gap}");
            }
        }
    }
}

#[test]
fn brute_force_finds_the_same_maximum() {
    const POINTS: u32 = 100_000;
    for (built_in, mu) in BuiltIn::ALL.into_iter().flat_map(|b| PRIORS.map(|mu| (b, mu))) {
        let rectified = Rectified::new(built_in.into(), mu).unwrap();
        for eta in [0.0, 0.01, 0.1, 0.23, 0.4, 0.5, 0.61, 0.8, 0.95, 1.0] {
            let exact = rectified.maximizer(eta);
            let (mut q, mut best) = (f64::NAN, f64::NEG_INFINITY);
            for k in 0..=POINTS {
                let candidate = f64::from(k) / f64::from(POINTS);
                let value = rectified.reward(candidate, eta);
                if value > best {
                    (q, best) = (candidate, value);
                }
            }
            let what = format!("{built_in}, mu {mu}, eta {eta}: grid ({q}, {best}), {exact:?}");
            assert!(best <= exact.value + 1e-12, "{what}");
            // μ is on the grid, and so is 1. Elsewhere I is smooth: a point off by h/2 loses h² J'' at most.
            assert!(exact.value - best < 1e-7 && exact.gap < 1e-7, "{what}");
            assert!(exact.bracket.0 <= exact.q && exact.q <= exact.bracket.1, "{what}");
            close(rectified.reward(exact.q, eta), exact.value, &what);
            // Two q that earn the same are both right: at η = 0.5 the exponential reward may take either end.
            let tied = eta == 0.5 && (rectified.reward(1.0 + mu - exact.q, eta) - exact.value).abs() < 1e-9;
            assert!((q - exact.q).abs() < 1.01e-5 || tied, "{what}");
        }
    }
}

#[test]
fn the_maximal_reward_is_convex_and_symmetric() {
    // A supremum of functions linear in η, and q → 1 + μ − q swaps the two terms.
    for (built_in, mu) in BuiltIn::ALL.into_iter().flat_map(|b| PRIORS.map(|mu| (b, mu))) {
        let rectified = Rectified::new(built_in.into(), mu).unwrap();
        let maxima: Vec<f64> = (0..=40).map(|k| rectified.maximizer(f64::from(k) / 40.0).value).collect();
        for k in 1..40 {
            let chord = 0.5 * (maxima[k - 1] + maxima[k + 1]);
            assert!(maxima[k] <= chord + 1e-7, "{built_in}, mu {mu}, {k}/40");
            assert!((maxima[k] - maxima[40 - k]).abs() < 1e-7, "{built_in}, mu {mu}, {k}/40");
        }
    }
}

#[test]
fn a_formula_is_maximized_as_its_built_in() {
    for (built_in, formula) in FORMULAS {
        let named = Rectified::new(built_in.into(), 0.25).unwrap();
        let searched = Rectified::new(Reward::formula(formula).unwrap(), 0.25).unwrap();
        for eta in grid(16) {
            let (exact, found) = (named.maximizer(eta), searched.maximizer(eta));
            assert!((exact.value - found.value).abs() < 1e-7, "{built_in} at {eta}: {exact:?}, {found:?}");
            assert!((exact.q - found.q).abs() < 1e-6, "{built_in} at {eta}: {exact:?}, {found:?}");
        }
    }
}

#[test]
fn the_log_reward_elicits_the_collective_loss() {
    let mut draws = Draws(5);
    for _ in 0..300 {
        let mu = 0.01 + 0.98 * draws.uniform();
        let center = 8.0 * draws.uniform() - 4.0;
        let (p, u) = (draws.scores(center + 1.0), draws.scores(center));
        let run = |loss: &dyn Objective| {
            let (mut grad_p, mut grad_u) = (vec![0.0; p.len()], vec![0.0; u.len()]);
            (loss.evaluate(&p, &u, &mut grad_p, &mut grad_u), [grad_p, grad_u].concat())
        };
        for reduction in Reduction::ALL {
            let (value, grad) = run(&Collective::new(mu, reduction).unwrap());
            for reward in [BuiltIn::Log.into(), Reward::formula(FORMULAS[0].1).unwrap()] {
                let (elicited, elicited_grad) = run(&Elicited::new(reward.clone(), mu, reduction).unwrap());
                assert!(
                    (value - elicited).abs() < 1e-13 * value.abs().max(1.0),
                    "{reward:?}: {value}, {elicited}"
                );
                for (a, b) in grad.iter().zip(elicited_grad) {
                    assert!(
                        (a - b).abs() <= 3e-7 * a.abs(),
                        "{reward:?}, {reduction}, mu {mu}: {a} against {b}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_reward_given_by_functions_trains_without_its_second_derivative() {
    // J = −η(1−η) with J' alone: J'' = 2 by differences.
    let own = Reward::new("own", |x| x * (x - 1.0), |x| 2.0 * x - 1.0);
    let [mut grad, mut exact] = [[[0.0f32; 2]; 2]; 2];
    let (p, u) = ([0.5f32, -3.0], [1.0f32, -8.0]);
    let [gp, gu] = &mut grad;
    let value = Elicited::new(own, 0.25, Reduction::SumOfMeans).unwrap().evaluate(&p, &u, gp, gu);
    let [ep, eu] = &mut exact;
    let square = Elicited::new(BuiltIn::Square.into(), 0.25, Reduction::SumOfMeans).unwrap();
    close(value, square.evaluate(&p, &u, ep, eu), "value");
    for (a, b) in grad.concat().iter().zip(exact.concat()) {
        assert!((a - b).abs() < 1e-6 * b.abs(), "{a} against {b}");
    }
    let cubic = Reward::new("cubic", |x| x * x * x, |x| 3.0 * x * x);
    let error = Elicited::new(cubic, 0.25, Reduction::SumOfMeans).unwrap_err().to_string();
    assert!(error.starts_with("the reward 'cubic' is refused: J is not symmetric: J(0) is 0.0"), "{error}");
}

/// P ~ N(1, 1) and N ~ N(−1, 1) with a quarter of positives in U.
fn line() -> ClassOverlap {
    let class = |mean| Gaussian { mean, deviation: 1.0 };
    ClassOverlap::gaussians(class(1.0), class(-1.0), 0.25).unwrap()
}

#[test]
fn the_line_example_is_predicted_for_all_three_reductions() {
    // Fits to one sample of 20,000 P and 40,000 U: slope, intercept, mean of σ on U, accuracy on U.
    let trained = [
        (Reduction::SampleMean, 2.68, 0.04, 0.353, 0.838),
        (Reduction::SumOfMeans, 3.18, 1.31, 0.449, 0.772),
        (Reduction::PriorWeighted, 2.03, -1.09, 0.25, 0.869),
    ];
    for (reduction, slope, intercept, mean, accuracy) in trained {
        let weights = RiskWeights::of(reduction, 0.25, 20_000, 40_000);
        let fit = line().logistic_fit(weights).unwrap();
        assert!(
            (fit.slope - slope).abs() < 0.06 && (fit.intercept - intercept).abs() < 0.06,
            "{reduction}: {fit:?}"
        );
        assert!((fit.mean_unlabeled - mean).abs() < 0.005, "{reduction}: {fit:?}");
        assert!((fit.accuracy - accuracy).abs() < 0.005, "{reduction}: {fit:?}");
    }
    // The truth is f = 2x − ln 3, and the calibrated reduction finds it, as does one with half its weight on P.
    for positive in [0.25, 0.125] {
        let fit = line().logistic_fit(RiskWeights { positive, unlabeled: 1.0 }).unwrap();
        assert!((fit.slope - 2.0).abs() < 1e-4 && (fit.intercept + 3f64.ln()).abs() < 1e-4, "{fit:?}");
        // Bayes: threshold ½ ln 3, 0.25 Φ(1 − 0.5493) + 0.75 Φ(1 + 0.5493).
        assert!((fit.accuracy - 0.8730).abs() < 1e-4, "{fit:?}");
    }
}

#[test]
fn the_flexible_minimizer_of_the_line() {
    let overlap = line();
    let minimizer = |reduction| {
        PopulationMinimizer::new(&overlap, RiskWeights::of(reduction, 0.25, 20_000, 40_000)).unwrap()
    };
    let calibrated = minimizer(Reduction::PriorWeighted);
    assert!(calibrated.calibrated && calibrated.t == 1.0, "{calibrated:?}");
    assert!((calibrated.mean_unlabeled - 0.25).abs() < 1e-9, "{calibrated:?}");
    for x in [-2.0, 0.0, 0.7] {
        let truth = sigmoid(2.0 * x - 3f64.ln());
        close(overlap.posterior(x).unwrap(), truth, "posterior");
        close(calibrated.probability(truth), truth, "probability");
    }
    for reduction in [Reduction::SampleMean, Reduction::SumOfMeans] {
        let found = minimizer(reduction);
        let RiskWeights { positive, unlabeled } = RiskWeights::of(reduction, 0.25, 20_000, 40_000);
        assert!(!found.calibrated && found.t > 1.0 && found.clipped > 0.0, "{found:?}");
        // dF/dt = 0, with clipping.
        let residue = unlabeled * 0.25 * found.t - positive * (1.25 - found.mean_unlabeled);
        assert!(residue.abs() < 1e-9, "{found:?}: {residue}");
    }
}

#[test]
fn minimizers_by_hand() {
    // η = 0.2 and 0.3: μ = 0.25, nothing is clipped. t = w1 (1+μ) / (μ (w1+w2)) = 2.5, E_U q = 0.625.
    let overlap = ClassOverlap::discrete(&[(2.0, 0.2), (2.0, 0.3)]).unwrap();
    let found = PopulationMinimizer::new(&overlap, RiskWeights { positive: 1.0, unlabeled: 1.0 }).unwrap();
    assert!((found.t - 2.5).abs() < 1e-12 && (found.mean_unlabeled - 0.625).abs() < 1e-12, "{found:?}");
    assert_eq!((found.calibrated, found.clipped, found.probability(0.2)), (false, 0.0, 0.2 * found.t));
    // No overlap: calibrated whatever the weights.
    let apart = ClassOverlap::discrete(&[(0.25, 1.0), (0.75, 0.0)]).unwrap();
    let found = PopulationMinimizer::new(&apart, RiskWeights { positive: 1.0, unlabeled: 1.0 }).unwrap();
    assert!(found.calibrated && found.probability(1.0) == 1.0 && found.probability(0.0) == 0.0, "{found:?}");

    let refuse = |points: &[(f64, f64)]| ClassOverlap::discrete(points).unwrap_err().to_string();
    assert!(refuse(&[(1.0, 1.5)]).contains("has 1 and 1.5"));
    assert!(refuse(&[]).contains("positive sum"));
    assert!(refuse(&[(1.0, 0.0)]).contains("prior"));
    let weights = RiskWeights { positive: 0.0, unlabeled: 1.0 };
    assert!(
        PopulationMinimizer::new(&apart, weights).unwrap_err().to_string().contains("are 0 (P) and 1 (U)")
    );
    assert!(apart.logistic_fit(RiskWeights { positive: 1.0, unlabeled: 1.0 }).is_err());
    let flat = Gaussian { mean: 0.0, deviation: 0.0 };
    assert!(ClassOverlap::gaussians(flat, flat, 0.5).unwrap_err().to_string().contains("it is 0"));
    let [narrow, wide] = [0.01, 1.0].map(|deviation| Gaussian { mean: 0.0, deviation });
    assert!(ClassOverlap::gaussians(wide, narrow, 0.5).unwrap_err().to_string().contains("factor of 20"));
}

#[test]
fn names_and_formulas_are_told_apart() {
    assert_eq!(Reward::named_or_formula("savage").unwrap().built_in(), Some(BuiltIn::Savage));
    assert_eq!(Reward::named_or_formula(" x*(x-1) ").unwrap().name(), "x*(x-1)");
    let error = Reward::named_or_formula("cubic").unwrap_err().to_string();
    assert!(
        error.contains("unknown reward 'cubic'; use log, square, exponential, savage or tangent"),
        "{error}"
    );
    let texts = Reward::from(BuiltIn::Square).formulas().unwrap();
    assert_eq!((texts.value.as_str(), texts.loss.as_str()), ("−η(1−η)", "(1−v)²/4"));
    assert!(Reward::new("own", |x| x, |_| 1.0).formulas().is_none());
}
