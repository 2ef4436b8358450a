//! Objectives that weigh rows once an epoch: shares, values and gradients against PyTorch, and gradients against differences.
//!
//! `golden/make_paced.py` made `golden/paced.txt`.

use onesided_loss::{
    Loss, Objective, Options, Part, Sampling, Setting, Shared, elicited_methods, later_methods, method,
    methods,
};

const GOLDEN: &str = include_str!("golden/paced.txt");

fn numbers(line: &str) -> Vec<f64> {
    line.split_whitespace().map(|word| word.parse().unwrap()).collect()
}

/// Scores of P and of U.
fn scores(line: &str, name: &str) -> [Vec<f32>; 2] {
    let (p, u) = line.strip_prefix(name).unwrap().split_once('|').unwrap();
    [p, u].map(|part| numbers(part).into_iter().map(|x| x as f32).collect())
}

fn build(name: &str, mu: f64) -> Box<dyn Objective> {
    let setting = Setting { prior_in_unlabeled: mu, sampling: Sampling::CaseControl };
    method(name).unwrap().build(&setting, &Options::default()).unwrap()
}

fn close(found: &[f32], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            (f64::from(*found) - expected).abs() < 1e-6 * expected.abs() + 1e-12,
            "{what}: {found}, not {expected}"
        );
    }
}

#[test]
fn shares_values_and_gradients_agree_with_pytorch() {
    let mut lines = GOLDEN.lines().filter(|line| !line.starts_with('#'));
    let [before_p, before_u] = scores(lines.next().unwrap(), "before");
    let [p, u] = scores(lines.next().unwrap(), "scores");
    let mut seen = Vec::new();
    while let Some(case) = lines.next() {
        let words: Vec<&str> = case.split_whitespace().collect();
        let (done, mu): (f64, f64) = (words[1].parse().unwrap(), words[2].parse().unwrap());
        let objective = build(words[0], mu);
        let paced = objective.paced().unwrap();
        assert!(paced.weighs(done), "{case}");
        let (mut shares_p, mut shares_u) = (vec![f32::NAN; p.len()], vec![f32::NAN; u.len()]);
        let (of_p, of_u) = (Part::new(&before_p, None), Part::new(&before_u, None));
        paced.shares(done, of_p, of_u, &mut shares_p, &mut shares_u);
        close(&[shares_p.clone(), shares_u.clone()].concat(), &numbers(lines.next().unwrap()), case);
        let (mut grad_p, mut grad_u) = (vec![f32::NAN; p.len()], vec![f32::NAN; u.len()]);
        let (of_p, of_u) =
            (Shared::new(Part::new(&p, None), &shares_p), Shared::new(Part::new(&u, None), &shares_u));
        let value = paced.evaluate_paced(done, of_p, of_u, &mut grad_p, &mut grad_u);
        let expected = numbers(lines.next().unwrap())[0];
        // Shares are f32, and enter the value.
        assert!(
            (value - expected).abs() < 1e-7 * expected.abs().max(1e-3),
            "{case}: {value}, not {expected}"
        );
        close(&[grad_p, grad_u].concat(), &numbers(lines.next().unwrap()), case);
        seen.push(words[0]);
    }
    let count = |of: &str| seen.iter().filter(|&&name| name == of).count();
    assert_eq!((count("cvir"), count("tedn"), seen.len()), (4, 3, 13));
}

#[test]
fn gradients_are_those_of_the_value() {
    const STEP: f32 = 1.0 / 1024.0;
    let at = [vec![1.625f32, -0.375, 3.25], vec![0.875f32, -2.5, 1.75, -0.25], vec![-1.375f32, 0.4375]];
    let (shares_p, shares_u) = ([0.5f32, 1.0, 0.25], [1.0f32, 0.0, 0.75, 0.125]);
    let weights = [vec![0.5f32, 2.0, 1.25], vec![3.0f32, 1.0, 0.5, 2.0], vec![1.0f32, 0.25]];
    let setting =
        Setting { prior_in_unlabeled: 0.3, sampling: Sampling::SingleSample { labeled_share: 0.2 } };
    let mut names = Vec::new();
    for info in methods().iter().chain(later_methods()).chain(elicited_methods()) {
        let objective = info.build(&setting, &Options::default()).unwrap();
        if objective.paced().is_none() {
            continue;
        }
        names.push(info.name);
        let negatives = Some(info.negative_term(&setting, &Options::default(), 0.7).unwrap());
        let loss = Loss { objective: objective.as_ref(), negatives };
        let evaluated = |at: &[Vec<f32>; 3]| {
            let part = |kind: usize| Part::new(&at[kind], Some(&weights[kind]));
            let mut grads = [vec![0.0; 3], vec![0.0; 4], vec![0.0; 2]];
            let [p, u, n] = &mut grads;
            let value =
                loss.evaluate_paced(0.9, [part(0), part(1), part(2)], [&shares_p, &shares_u], [p, u, n]);
            (value, grads)
        };
        let (_, grads) = evaluated(&at);
        for (kind, grads) in grads.iter().enumerate() {
            for (i, &gradient) in grads.iter().enumerate() {
                let moved = |by: f32| {
                    let mut at = at.clone();
                    at[kind][i] += by;
                    evaluated(&at).0
                };
                let difference = (moved(STEP) - moved(-STEP)) / (2.0 * f64::from(STEP));
                let off = (difference - f64::from(gradient)).abs();
                assert!(off < 2e-7, "{}, kind {kind}, {i}: {gradient} against {difference}", info.name);
            }
        }
    }
    assert_eq!(names, ["cvir", "tedn", "robust-pu"]);
}
