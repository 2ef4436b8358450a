//! Objectives and log-odds of scikit-learn on weighted problems; the script that made them is next to the file in
//! `golden/`.

use onesided_classic::{Examples, Hinge, Kernel, KernelSvm, LinearSvm, Logistic, NaiveBayes, Rows};
use onesided_data::{Matrix, SparseMatrix, Stream};
use serde::Deserialize;

/// How near to scikit-learn's objective ours must be, relative to it.
const CLOSE: f64 = 1e-4;

#[derive(Deserialize)]
struct Golden {
    cols: usize,
    x: Vec<f32>,
    positive: Vec<f64>,
    negative: Vec<f64>,
    linear: Vec<Linear>,
    kernel: Vec<WithKernel>,
    count_cols: usize,
    counts: Vec<f32>,
    bayes: Vec<Bayes>,
}

#[derive(Deserialize)]
struct Linear {
    kind: String,
    scale: f64,
    objective: f64,
}

#[derive(Deserialize)]
struct WithKernel {
    kernel: Kernel,
    scale: f64,
    objective: f64,
}

#[derive(Deserialize)]
struct Bayes {
    smoothing: f64,
    odds: Vec<f64>,
    weights: Vec<f64>,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("golden/solvers.json")).unwrap()
}

fn matrix(cols: usize, values: &[f32]) -> Matrix {
    Matrix::new(values.len() / cols, cols, values.to_vec()).unwrap()
}

fn scaled(weights: &[f64], scale: f64) -> Vec<f64> {
    weights.iter().map(|weight| weight * scale).collect()
}

#[test]
fn linear_objectives_equal_those_of_scikit_learn() {
    let golden = golden();
    let dense = matrix(golden.cols, &golden.x);
    let sparse = SparseMatrix::from_dense(&dense);
    assert_eq!(golden.linear.len(), 9);
    for case in &golden.linear {
        let (p, n) = (scaled(&golden.positive, case.scale), scaled(&golden.negative, case.scale));
        for rows in [&dense as &dyn Rows, &sparse] {
            let examples = Examples::new(rows, &p, &n).unwrap();
            let svm = |hinge| LinearSvm { hinge, ..LinearSvm::default() };
            let mut stream = Stream::new(0, "svm");
            let (objective, gap) = match case.kind.as_str() {
                "hinge" => {
                    let fitted = svm(Hinge::Linear).fit(examples, &mut stream);
                    (fitted.objective, fitted.gap)
                }
                "squared-hinge" => {
                    let fitted = svm(Hinge::Squared).fit(examples, &mut stream);
                    (fitted.objective, fitted.gap)
                }
                _ => {
                    let fitted = Logistic::default().fit(examples);
                    (fitted.objective, fitted.gap)
                }
            };
            let off = objective / case.objective - 1.0;
            assert!(off.abs() < CLOSE, "{} at {}: {objective}, {off:e} off", case.kind, case.scale);
            // What the solver says about itself holds.
            assert!(off <= gap + 1e-7, "{} at {}: off by {off:e}, said {gap:e}", case.kind, case.scale);
        }
    }
}

#[test]
fn kernel_objectives_equal_those_of_scikit_learn() {
    let golden = golden();
    let dense = matrix(golden.cols, &golden.x);
    let sparse = SparseMatrix::from_dense(&dense);
    assert_eq!(golden.kernel.len(), 9);
    for case in &golden.kernel {
        let (p, n) = (scaled(&golden.positive, case.scale), scaled(&golden.negative, case.scale));
        for rows in [&dense as &dyn Rows, &sparse] {
            let fitted = KernelSvm::new(case.kernel).fit(Examples::new(rows, &p, &n).unwrap()).unwrap();
            let off = fitted.objective / case.objective - 1.0;
            assert!(off.abs() < CLOSE, "{:?} at {}: {off:e} off", case.kernel, case.scale);
            assert!(off <= fitted.gap + 1e-6, "{:?}: off by {off:e}, said {:e}", case.kernel, fitted.gap);
        }
    }
}

#[test]
fn naive_bayes_equals_that_of_scikit_learn() {
    let golden = golden();
    let counts = matrix(golden.count_cols, &golden.counts);
    let examples = Examples::new(&counts, &golden.positive, &golden.negative).unwrap();
    for case in &golden.bayes {
        let model = NaiveBayes { smoothing: case.smoothing }.fit(examples).unwrap();
        let pairs = model.weights.iter().zip(&case.weights);
        assert!(pairs.clone().all(|(ours, theirs)| (ours - theirs).abs() < 1e-6));
        let scores = model.scores(&counts);
        assert_eq!(scores.len(), case.odds.len());
        assert!(scores.iter().zip(&case.odds).all(|(ours, theirs)| (ours - theirs).abs() < 1e-6));
    }
}
