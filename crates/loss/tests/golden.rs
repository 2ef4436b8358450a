//! Values and gradients against PyTorch's automatic differentiation, and those of the elicited losses against SymPy.
//!
//! `golden/make_golden.py` made `golden/objectives.txt` and describes the format; `golden/make_elicited.py` made
//! `golden/elicited.txt`, `golden/make_later.py` made `golden/later.txt`.

use onesided_loss::{Options, Sampling, Setting, method};
use std::collections::{HashMap, HashSet};

const OBJECTIVES: &str = include_str!("golden/objectives.txt");
const LATER: &str = include_str!("golden/later.txt");
const ELICITED: &str = include_str!("golden/elicited.txt");

/// The reference keeps 12 digits, and its own 1 − |d| loses some for a prior of 1e-6.
const VALUE_TOLERANCE: f64 = 1e-9;
/// Gradients are `f32`: relative to the number, with a floor for those that vanish.
const GRADIENT_TOLERANCE: f64 = 1e-6;
const GRADIENT_FLOOR: f64 = 1e-12;

fn numbers<T: std::str::FromStr>(rest: &str) -> Vec<T> {
    let parse =
        |word: &str| word.parse().unwrap_or_else(|_| panic!("'{word}' in the golden file is not a number"));
    rest.split_whitespace().map(parse).collect()
}

#[test]
fn objectives_agree_with_pytorch() {
    let (methods, cases, corrections) = agree(OBJECTIVES);
    // A truncated file, or one in which a branch is never taken, would prove little.
    assert_eq!((methods, cases), (6, 300));
    assert!(corrections > 20 && corrections < cases / 2, "{corrections} corrections");
}

#[test]
fn later_losses_agree_with_pytorch() {
    let (methods, cases, corrections) = agree(LATER);
    assert_eq!((methods, cases), (8, 96));
    assert!((1..12).contains(&corrections), "{corrections} corrections of pusb");
}

#[test]
fn elicited_losses_agree_with_sympy() {
    assert_eq!(agree(ELICITED), (5, 135, 0));
}

/// Checks every case of a golden file; how many methods, cases and corrections it holds.
fn agree(golden: &'static str) -> (usize, u64, u64) {
    let mut lines = golden.lines().filter(|line| !line.starts_with('#'));
    let mut field = |name: &str| -> Option<&str> {
        let line = lines.next()?;
        let rest = line.strip_prefix(name).unwrap_or_else(|| panic!("'{name}' expected, found '{line}'"));
        Some(rest.trim())
    };

    let mut batches: HashMap<&str, (Vec<f32>, Vec<f32>)> = HashMap::new();
    for _ in 0..3 {
        let name = field("batch").unwrap();
        batches.insert(name, (numbers(field("positive").unwrap()), numbers(field("unlabeled").unwrap())));
    }

    let (mut cases, mut corrections) = (0, 0);
    let mut seen = HashSet::new();
    while let Some(case) = field("case") {
        let words: Vec<&str> = case.split_whitespace().collect();
        let [name, batch, prior, share, reduction, surrogate, beta, gamma, smoothing] = words[..] else {
            panic!("a case of nine words expected, found '{case}'");
        };
        let sampling = match share {
            "-" => Sampling::CaseControl,
            share => Sampling::SingleSample { labeled_share: share.parse().unwrap() },
        };
        let setting = Setting { prior_in_unlabeled: prior.parse().unwrap(), sampling };
        let options = Options {
            reduction: reduction.parse().unwrap(),
            surrogate: surrogate.parse().unwrap(),
            beta: beta.parse().unwrap(),
            gamma: gamma.parse().unwrap(),
            smoothing: smoothing.parse().unwrap(),
        };
        let objective = method(name).unwrap().build(&setting, &options).unwrap();

        let (positive, unlabeled) = &batches[batch];
        let (mut grad_p, mut grad_u) = (vec![f32::NAN; positive.len()], vec![f32::NAN; unlabeled.len()]);
        let value = objective.evaluate(positive, unlabeled, &mut grad_p, &mut grad_u);

        let expected: f64 = field("value").unwrap().parse().unwrap();
        assert!(
            (value - expected).abs() <= VALUE_TOLERANCE * expected.abs().max(1.0),
            "{case}: {value}, not {expected}"
        );
        let corrected: u64 = field("corrected").unwrap().parse().unwrap();
        assert_eq!(objective.corrections().unwrap_or(0), corrected, "{case}");
        for (grad, part) in [(&grad_p, "grad_p"), (&grad_u, "grad_u")] {
            let expected: Vec<f64> = numbers(field(part).unwrap());
            assert_eq!(grad.len(), expected.len(), "{case}");
            for (&grad, expected) in grad.iter().zip(expected) {
                let tolerance = GRADIENT_TOLERANCE * expected.abs() + GRADIENT_FLOOR;
                assert!(
                    (f64::from(grad) - expected).abs() <= tolerance,
                    "{case}, {part}: {grad}, not {expected}"
                );
            }
        }
        cases += 1;
        corrections += corrected;
        seen.insert(name);
    }
    (seen.len(), cases, corrections)
}

/// `make_negatives.py` next to the numbers has the formulas.
#[test]
fn negatives_and_weights_agree_with_the_formulas() {
    let (p, wp) = ([1.625f32, -0.375, 3.25], [0.5f32, 2.0, 1.25]);
    let (u, wu) = ([0.875f32, -2.5, 1.75, -0.25], [0.5f32, 2.0, 1.25, 3.0]);
    let (n, wn) = ([-1.375f32, 0.4375, 2.25], [0.5f32, 2.0, 1.25]);
    let setting = Setting {
        prior_in_unlabeled: 0.3,
        sampling: onesided_loss::Sampling::SingleSample { labeled_share: 0.375 },
    };
    let lines = include_str!("golden/negatives.txt").lines();
    let mut seen = 0;
    for line in lines {
        let mut words = line.split_whitespace();
        let (name, option) = (words.next().unwrap(), words.next().unwrap());
        let numbers: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
        let mut options = Options::default();
        match name {
            "collective" => options.reduction = option.parse().unwrap(),
            "upu" => options.surrogate = option.parse().unwrap(),
            _ => {}
        }
        let info = onesided_loss::method(name).unwrap();
        let objective = info.build(&setting, &options).unwrap();
        let negatives = Some(info.negative_term(&setting, &options, 0.7).unwrap());
        let loss = onesided_loss::Loss { objective: objective.as_ref(), negatives };
        let part = onesided_loss::Part::new;
        let mut grads = [vec![0.0; 3], vec![0.0; 4], vec![0.0; 3]];
        let [gp, gu, gn] = &mut grads;
        let value =
            loss.evaluate([part(&p, Some(&wp)), part(&u, Some(&wu)), part(&n, Some(&wn))], [gp, gu, gn]);
        assert!((value - numbers[0]).abs() < 1e-12, "{line}: {value}");
        for (found, expected) in grads.concat().iter().zip(&numbers[1..]) {
            assert!((f64::from(*found) - expected).abs() < 1e-7, "{line}: {found} against {expected}");
        }
        seen += 1;
    }
    assert_eq!(seen, 6);
}
